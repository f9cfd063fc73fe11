//! `taquin audit`.

use std::fmt::Write;
use std::io::{self, BufWriter};

use clap::Parser;
use serde::Serialize;
use taquin::{Algorithm, Board, Costs, Estimate, Method, Reason, Size, Task, Tile};
use taquin_lab::{
    Audit, AuditError, Branching, Case, CheckedHeuristic, Course, Distance, check_costs, pair,
};

use crate::args::{LimitArgs, ThreadArgs};
use crate::columns::Columns;
use crate::failure::{CommandResult, Failure};
use crate::input::{goal_of_size, usual_goal};
use crate::output::{
    BOLD, DIM, PLAIN, count, print, print_json, thousands, width, wrapped, written,
};
use crate::report::stopped;
use crate::watch::{SearchStatus, watched_by};
use crate::{suggest, tables};

/// Compare a heuristic with the true distance of every board
///
/// Reports whether the heuristic is admissible and consistent, and how close it is to the true
/// distance.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin audit manhattan               the 181,440 boards of the 8-puzzle
  taquin audit max=linear+gaschnig 2x4
  taquin audit misplaced --goal spiral --json
  taquin audit manhattan 2x3 --cost tile
  taquin audit linear 3x3 --blanks 2
  taquin audit --as fer                a line for each board and each move

True distances come from a table with four bits per board, which 'taquin
enumerate --save' stores. Otherwise audit makes a temporary one. With --cost it
searches instead, which takes 70 bytes per board.

The effective branching factor b describes the work of A*. On 100 fixed random
boards at the mean distance d, A* generates on average as many nodes as a tree
of depth d with b children per node: b + b^2 + .. + b^d.")]
pub(crate) struct AuditArgs {
    /// Heuristic, as in a method (see 'taquin list methods') [default: the course's]
    #[arg(value_name = "HEURISTIC", required_unless_present = "course")]
    heuristic: Option<String>,
    /// Size of the boards [default: 3x3]
    #[arg(value_name = "RxC")]
    size: Option<Size>,
    /// Size of the boards
    #[arg(
        long = "size",
        default_value = "3x3",
        value_name = "RxC",
        conflicts_with = "size",
        hide = true
    )]
    size_flag: Size,
    /// Number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
    /// Use the goal, cost and heuristic of a course, and print its checks of a heuristic if it has
    /// any
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Goal: last, first, spiral, a board, or @FILE [default: last, or the course's]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Cost of a move: unit, tile (its number), another name, or a list [default: unit, or the
    /// course's]
    #[arg(long, value_name = "COST")]
    cost: Option<Costs>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    threads: ThreadArgs,
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
    let course = args.course.as_deref().map(Course::resolve).transpose()?;
    // A size may come first if the course has the heuristic.
    let first = args.heuristic.as_deref();
    let size = first.and_then(|first| first.parse().ok()).filter(|_: &Size| course.is_some());
    let method = method(first.filter(|_| size.is_none()), course.as_deref())?;
    args.threads.apply();
    let size = size.or(args.size).unwrap_or(args.size_flag);
    let goal = usual_goal(args.goal.as_deref(), args.course.as_deref())?;
    let goal = goal_of_size(&goal, size, args.blanks)?;
    let cost = args.cost.clone().or(course.as_ref().map(|course| course.cost.clone()));
    let cost = cost.unwrap_or_default();
    check_costs(&cost, &goal)?;
    let session = tables::session();
    let limits = args.limits.limits();
    let puzzle = pair(goal.clone(), goal.clone())?;
    let mut task = Task::new(puzzle, method.clone());
    task.limits = limits.clone();
    tables::prepare(&session, &task)?;
    // Making the table, comparing and solving all count boards.
    let words = |SearchStatus { progress, elapsed, .. }: SearchStatus| {
        format!("{:.0} s: {} boards", elapsed.as_secs_f64(), thousands(progress.expanded))
    };
    let heuristic = name(&method);
    if let Some((course, checks)) =
        course.as_deref().and_then(|course| Some((course, course.checks.as_ref()?)))
        && !args.json
    {
        if cost != Costs::Unit {
            let message = format!("the checks of {} count moves", course.name);
            return Err(Failure::input(message).hint("leave out --cost, or add --json"));
        }
        let checked = watched_by(true, words, |monitor| {
            CheckedHeuristic::of(&session, &method, &goal, &limits, monitor)
        });
        let checked = checked.map_err(|error| failure(&error, size))?;
        let mut out = BufWriter::new(io::stdout().lock());
        checked.write(checks, &course.wording, &heuristic, &mut out)?;
        return Ok(0);
    }
    let audit = watched_by(true, words, |monitor| {
        Audit::of(&session, &method, &goal, &cost, &limits, monitor)
    })
    .map_err(|error| failure(&error, size))?;
    match args.json {
        true => print_json(&Audited { heuristic, audit: &audit })?,
        false => print(&describe(&audit, &heuristic, &goal))?,
    }
    Ok(0)
}

/// Returns A* with a heuristic, whose treatment of blanks is the course's.
fn method(heuristic: Option<&str>, course: Option<&Course>) -> Result<Method, Failure> {
    if let Some(text) = heuristic.filter(|text| text.contains(',')) {
        return Ok(format!("{}:{text}", Algorithm::Astar).parse()?);
    }
    let named: Option<Estimate> = heuristic.map(str::parse).transpose()?;
    let mut methods = course.iter().flat_map(|course| &course.methods).map(|known| &known.method);
    let default = course.map(|course| course.method(None)).transpose()?;
    let known = match &named {
        None => default.as_ref().map(|choice| &choice.method),
        Some(_) => methods.find(|method| method.estimate == named),
    };
    let estimate = named.or(known.and_then(|method| method.estimate.clone()));
    if estimate.is_none() {
        return Err(Failure::input("the course's default method has no heuristic")
            .hint("name one, as in 'taquin audit manhattan --as COURSE'"));
    }
    let mut method = Method::new(Algorithm::Astar, estimate);
    method.blank = known.map_or(method.blank, |known| known.blank);
    Ok(method)
}

/// Returns the name of the heuristic of a method.
fn name(method: &Method) -> String {
    let Method { algorithm, estimate, blank, .. } = method;
    let whole = Method { blank: *blank, ..Method::new(*algorithm, estimate.clone()) }.to_string();
    whole.split_once(':').map_or(whole.clone(), |(_, name)| name.to_owned())
}

fn failure(error: &AuditError, size: Size) -> Failure {
    let (boards, reason) = match error {
        AuditError::Stopped { boards, reason } => (boards, reason),
        AuditError::Space(error) => return tables::no_space(error, size),
        _ => return Failure::input(error.to_string()),
    };
    let hint = match reason {
        Reason::Cancelled => return Failure::interrupted(),
        Reason::Memory => "choose a smaller board, or increase --memory",
        _ => "choose a smaller board, or raise the limit",
    };
    let why = stopped(Some(*reason));
    Failure::stopped(*reason, format!("{why} after {} boards", thousands(*boards))).hint(hint)
}

fn describe(audit: &Audit, heuristic: &str, goal: &Board) -> String {
    let boards = count(audit.boards, "board", "boards");
    let mut text = format!("{BOLD}{heuristic}{PLAIN} for the goal {goal}: {boards}\n\n");
    let facts = [
        ["admissible".to_owned(), admissible(audit)],
        ["consistent".to_owned(), consistent(audit)],
        ["mean".to_owned(), mean(audit)],
        ["worst".to_owned(), worst(audit)],
        ["parity".to_owned(), parity(audit)],
        ["branching".to_owned(), branching(audit)],
    ];
    text += &Columns::new("ll").bold_names().rows(facts).text();
    let _ = write!(text, "\n{}", histogram(audit));
    text
}

fn admissible(audit: &Audit) -> String {
    match &audit.highest {
        None => "yes: never above the true distance".to_owned(),
        Some(case) => format!("no: {}", sentence(case, audit)),
    }
}

fn consistent(audit: &Audit) -> String {
    match &audit.jump {
        None => "yes: no move changes it by more than its cost".to_owned(),
        Some(jump) => {
            let [a, b] = jump.boards.each_ref().map(|board| self::board(board, audit));
            let [from, to] = jump.estimates;
            format!("no: from {a} to {b} costs {}, but it changes from {from} to {to}", jump.cost)
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
    match f64::from(audit.lowest.distance) > audit.lowest.estimate {
        true => sentence(&audit.lowest, audit),
        false => "never below the true distance".to_owned(),
    }
}

fn sentence(case: &Case, audit: &Audit) -> String {
    let Case { board, estimate, distance } = case;
    let error = estimate - f64::from(*distance);
    let side = if error > 0.0 { "high" } else { "low" };
    let board = self::board(board, audit);
    format!("{} too {side}: {estimate} for {board} at distance {distance}", error.abs())
}

fn parity(audit: &Audit) -> String {
    let Audit { same_parity, boards, .. } = audit;
    match same_parity == boards {
        true => "always matches the true distance, so IDA* thresholds grow by 2".to_owned(),
        false => format!(
            "matches the true distance on {} of {} boards",
            thousands(*same_parity),
            thousands(*boards)
        ),
    }
}

fn branching(audit: &Audit) -> String {
    match audit.branching {
        None => "not measured".to_owned(),
        Some(Branching { distance, boards, generated, factor }) => format!(
            "{factor:.3}: A* generated {} nodes on average on {} at distance {distance}",
            thousands(generated.round() as u64),
            count(boards as u64, "board", "boards"),
        ),
    }
}

fn board(tiles: &[Tile], audit: &Audit) -> String {
    Size::new(audit.rows, audit.cols).map_or_else(|_| String::new(), |size| written(tiles, size))
}

/// The width of the histogram's other columns.
const OTHER_COLUMNS_WIDTH: usize = 40;

/// The most rows in the histogram. Distances are grouped to fit.
const HEIGHT: u32 = 48;

/// Draws a line for each distance with a mark for each estimate, darker for more boards.
fn histogram(audit: &Audit) -> String {
    let estimates = || audit.distances.iter().flat_map(|known| known.estimates.keys());
    let farthest = audit.distances.last().map_or(0, |known| known.distance);
    // Estimates are grouped to fit.
    let room = width().saturating_sub(OTHER_COLUMNS_WIDTH).max(16) as u32;
    let greatest = estimates().max().copied().unwrap_or(0).max(farthest.min(room - 1));
    let (across, down) = (greatest / room + 1, farthest / HEIGHT + 1);
    let ruler = ruler(greatest, across);
    let headings = ["distance", "boards", "least", "mean", "most", &ruler];
    let mut columns = Columns::new("rrrrrl").headings(headings);
    for rows in audit.distances.chunk_by(|a, b| a.distance / down == b.distance / down) {
        let row = joined(rows);
        let (least, most) = (row.estimates.keys().min(), row.estimates.keys().max());
        let title = match (rows.first(), rows.last()) {
            (Some(first), Some(last)) if first.distance < last.distance => {
                format!("{}-{}", first.distance, last.distance)
            }
            _ => row.distance.to_string(),
        };
        columns.row([
            title,
            thousands(row.boards),
            least.unwrap_or(&0).to_string(),
            format!("{:.2}", row.mean()),
            most.unwrap_or(&0).to_string(),
            strip(&row, greatest, across),
        ]);
    }
    let marks = if across > 1 { format!(" ({across} per mark)") } else { String::new() };
    let legend = format!(
        "{DIM}estimates{marks}: · up to 5 % of the boards in a row, ░ 15, ▒ 30, ▓ 50, █ more; \
         | the true distance{PLAIN}\n"
    );
    columns.lines().concat() + &wrapped(&legend, 0)
}

/// Adds up several distances.
fn joined(rows: &[Distance]) -> Distance {
    let mut all = Distance::default();
    for row in rows {
        all.distance = row.distance;
        all.boards += row.boards;
        all.total += row.total;
        for (&estimate, boards) in &row.estimates {
            *all.estimates.entry(estimate).or_default() += boards;
        }
    }
    all
}

/// Labels every fifth mark.
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
