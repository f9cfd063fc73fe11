//! `taquin audit`.

use std::fmt::Write;
use std::time::Duration;

use clap::Parser;
use serde::Serialize;
use taquin::{
    Algorithm, Board, Costs, Estimate, Method, Progress, Reason, Session, Size, Task, Tile,
};
use taquin_lab::{Audit, AuditError, Branching, Case, Distance};

use crate::args::LimitArgs;
use crate::failure::{CommandResult, Failure};
use crate::input::{named_goal, pair};
use crate::output::{BOLD, DIM, PLAIN, count, print, print_json, thousands, written};
use crate::report::stopped;
use crate::tables;
use crate::watch::watched_by;

/// Audit a heuristic over every board of a small size
///
/// Is it admissible, is it consistent, how near does it come to the true distance?
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin audit manhattan                       all 181,440 boards of the 8-puzzle
  taquin audit max=linear+gaschnig --size 2x4
  taquin audit misplaced --goal snail --json
  taquin audit manhattan --size 2x3 --cost tile
  taquin audit linear --size 3x3 --blanks 2

Every board that can reach the goal is looked at, some hundred thousand a second, by the table of
the whole space: one that 'taquin enumerate --save' keeps, or one that is made, of four bits a
board. Where moves have prices there is none, and a search takes 70 bytes a board. The effective
branching factor b says how A* fares: for 100 random boards of the mean distance d (the same every
time) it generates as many nodes on average as a tree of depth d in which every node has b children
has below its root, b + b^2 + .. + b^d.")]
pub(crate) struct AuditArgs {
    /// The heuristic, as methods name it ('taquin methods' lists them)
    #[arg(value_name = "HEURISTIC")]
    heuristic: String,
    /// The size of the boards
    #[arg(long, default_value = "3x3", value_name = "RxC")]
    size: Size,
    /// The number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
    /// The goal: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    goal: String,
    /// What a move costs: unit, tile, or a list
    #[arg(long, default_value_t, value_name = "COST")]
    cost: Costs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Audited<'a> {
    heuristic: String,
    #[serde(flatten)]
    audit: &'a Audit,
}

pub(crate) fn run(args: &AuditArgs) -> CommandResult {
    let estimate: Estimate = args.heuristic.parse().map_err(|error| Failure::method(&error))?;
    let goal = named_goal(&args.goal, args.size, args.blanks)?;
    let session = Session::new();
    let limits = args.limits.limits();
    let puzzle = pair(goal.clone(), goal.clone())?;
    let mut task = Task::new(puzzle, Method::new(Algorithm::Astar, Some(estimate.clone())));
    task.limits = limits.clone();
    tables::prepare(&session, &task)?;
    // The table is made, every board is met, some are solved: each of these counts boards.
    let words = |Progress { expanded, .. }: Progress, elapsed: Duration| {
        format!("{:.0} s: looked at {} boards", elapsed.as_secs_f64(), thousands(expanded))
    };
    let audit = watched_by(true, words, |monitor| {
        Audit::of(&session, &estimate, &goal, &args.cost, &limits, monitor)
    })
    .map_err(|error| failure(&error, args.size))?;
    match args.json {
        true => print_json(&Audited { heuristic: estimate.to_string(), audit: &audit })?,
        false => print(&describe(&audit, &estimate, &goal))?,
    }
    Ok(0)
}

fn failure(error: &AuditError, size: Size) -> Failure {
    let (boards, reason) = match error {
        AuditError::Stopped { boards, reason } => (boards, reason),
        AuditError::Space(error) => return tables::no_space(error, size),
        _ => return Failure::input(error.to_string()),
    };
    let hint = match reason {
        Reason::Cancelled => return Failure::interrupted(),
        Reason::Memory => "choose a smaller board, or give more --memory",
        _ => "choose a smaller board, or a larger limit",
    };
    let why = stopped(Some(*reason));
    Failure::stopped(*reason, format!("{why} after {} boards", thousands(*boards))).hint(hint)
}

fn describe(audit: &Audit, estimate: &Estimate, goal: &Board) -> String {
    let boards = count(audit.boards, "board", "boards");
    let mut text = format!("{BOLD}{estimate}{PLAIN} for the goal {goal}: {boards}\n\n");
    for (what, words) in [
        ("admissible", admissible(audit)),
        ("consistent", consistent(audit)),
        ("mean", mean(audit)),
        ("worst", worst(audit)),
        ("parity", parity(audit)),
        ("branching", branching(audit)),
    ] {
        let _ = writeln!(text, "{BOLD}{what:<10}{PLAIN}  {words}");
    }
    let _ = write!(text, "\n{}", histogram(audit));
    text
}

fn admissible(audit: &Audit) -> String {
    match &audit.highest {
        None => "yes: it never exceeds the true distance".to_owned(),
        Some(case) => format!("no: {}", sentence(case, audit)),
    }
}

fn consistent(audit: &Audit) -> String {
    match &audit.jump {
        None => "yes: no move changes it by more than the move costs".to_owned(),
        Some(jump) => {
            let [a, b] = jump.boards.each_ref().map(|board| self::board(board, audit));
            let [from, to] = jump.estimates;
            format!("no: from {a} to {b} costs {}, and it goes from {from} to {to}", jump.cost)
        }
    }
}

fn mean(audit: &Audit) -> String {
    let Audit { mean_estimate, mean_distance, exact, boards, .. } = audit;
    let share = |part: f64, whole: f64| part * 100.0 / whole.max(f64::MIN_POSITIVE);
    format!(
        "{mean_estimate:.2} of {mean_distance:.2} ({:.0} %); exact for {} ({:.1} %)",
        share(*mean_estimate, *mean_distance),
        count(*exact, "board", "boards"),
        share(*exact as f64, *boards as f64),
    )
}

fn worst(audit: &Audit) -> String {
    match audit.lowest.distance > audit.lowest.estimate {
        true => sentence(&audit.lowest, audit),
        false => "it is never below the true distance".to_owned(),
    }
}

fn sentence(case: &Case, audit: &Audit) -> String {
    let Case { board, estimate, distance } = case;
    let (error, side) = match estimate > distance {
        true => (estimate - distance, "high"),
        false => (distance - estimate, "low"),
    };
    let board = self::board(board, audit);
    format!("{error} too {side}: {estimate} for {board}, which is {distance} away")
}

fn parity(audit: &Audit) -> String {
    let Audit { same_parity, boards, .. } = audit;
    match same_parity == boards {
        true => "odd or even as the true distance is, always: thresholds of IDA* can grow by two"
            .to_owned(),
        false => format!(
            "odd or even as the true distance is for {} of {} boards",
            thousands(*same_parity),
            thousands(*boards)
        ),
    }
}

fn branching(audit: &Audit) -> String {
    match audit.branching {
        None => "not measured".to_owned(),
        Some(Branching { distance, boards, generated, factor }) => format!(
            "{factor:.3}: A* generated {} nodes on average for {} of distance {distance}",
            thousands(generated.round() as u64),
            count(boards as u64, "board", "boards"),
        ),
    }
}

fn board(tiles: &[Tile], audit: &Audit) -> String {
    Size::new(audit.rows, audit.cols).map_or_else(|_| String::new(), |size| written(tiles, size))
}

/// The most columns and rows of the histogram; what is more is put together.
const WIDTH: u32 = 48;
const HEIGHT: u32 = 48;

/// A line for each distance, with a mark for each estimate: the darker, the more boards have it.
fn histogram(audit: &Audit) -> String {
    let estimates = || audit.distances.iter().flat_map(|known| known.estimates.keys());
    let farthest = audit.distances.last().map_or(0, |known| known.distance);
    let greatest = estimates().max().copied().unwrap_or(0).max(farthest.min(WIDTH - 1));
    let (across, down) = (greatest / WIDTH + 1, farthest / HEIGHT + 1);
    let mut text = format!(
        "{DIM}{:>8}  {:>10}  {:>5} {:>6} {:>5}  {}{PLAIN}\n",
        "distance",
        "boards",
        "least",
        "mean",
        "most",
        ruler(greatest, across)
    );
    for rows in audit.distances.chunk_by(|a, b| a.distance / down == b.distance / down) {
        let row = joined(rows);
        let (least, most) = (row.estimates.keys().min(), row.estimates.keys().max());
        let title = match (rows.first(), rows.last()) {
            (Some(first), Some(last)) if first.distance < last.distance => {
                format!("{}-{}", first.distance, last.distance)
            }
            _ => row.distance.to_string(),
        };
        let line = format!(
            "{title:>8}  {:>10}  {:>5} {:>6.2} {:>5}  {}",
            thousands(row.boards),
            least.unwrap_or(&0),
            row.mean(),
            most.unwrap_or(&0),
            strip(&row, greatest, across)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let _ = writeln!(
        text,
        "{DIM}estimates{}: · up to 5 % of the line's boards, ░ 15, ▒ 30, ▓ 50, █ more; | the true distance{PLAIN}",
        if across > 1 { format!(", {across} to a mark") } else { String::new() }
    );
    text
}

/// Several distances as one.
fn joined(rows: &[Distance]) -> Distance {
    let mut all = Distance::default();
    for row in rows {
        all.distance = row.distance;
        all.boards += row.boards;
        for (&estimate, boards) in &row.estimates {
            *all.estimates.entry(estimate).or_default() += boards;
        }
    }
    all
}

/// Where each fifth mark stands.
fn ruler(greatest: u32, across: u32) -> String {
    let marks = (0..=greatest / across).step_by(5).map(|mark| format!("{:<5}", mark * across));
    marks.collect::<String>().trim_end().to_owned()
}

fn strip(row: &Distance, greatest: u32, across: u32) -> String {
    let mark = |at: u32| {
        let here = row.estimates.iter().filter(|(estimate, _)| *estimate / across == at);
        let boards: u64 = here.map(|(_, boards)| boards).sum();
        match boards as f64 / row.boards as f64 {
            share if share > 0.5 => '█',
            share if share > 0.3 => '▓',
            share if share > 0.15 => '▒',
            share if share > 0.05 => '░',
            share if share > 0.0 => '·',
            _ if row.distance / across == at => '|',
            _ => ' ',
        }
    };
    (0..=greatest / across).map(mark).collect()
}
