//! `taquin tables tune`.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use taquin::{
    Board, Estimate, Puzzle, Reason, Size, Task, free_memory, read_bytes, read_count, read_time,
    write_bytes,
};
use taquin_lab::{
    Measurement, SkipReason, SkippedCandidate, TuneError, TuneOptions, TuneResult, tune,
};
use taquin_web::build_command;

use crate::columns::Columns;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{count, print, print_json, say, seconds, thousands, width};
use crate::tables;
use crate::watch::watched_by;

/// Measure which databases solve boards of a size fastest
///
/// Candidates are partitions with and without zero-aware databases, and the best sum of up to three
/// partitions. Each solves the same boards with ida on one thread. The databases are built for
/// that and not stored, unless --keep is given.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  taquin tables tune --size 5x5 --goal first --memory 8G
  taquin tables tune --size 4x4 --memory 200M --time 1m
  taquin tables tune --size 3x4 --keep      store the databases of the best one
  taquin tables tune --size 4x4 --json

'nodes' are those generated for all boards, which are ends of random walks;
'time' is the product of the nodes and the time per node, and the order of the
table. 'estimate' is the mean estimate of the ends of 500 long walks.")]
pub(crate) struct TuneArgs {
    /// Board size
    #[arg(long, value_name = "RxC")]
    size: Size,
    /// Goal: last, first, spiral, a board with one blank, or @FILE [default: last]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Most memory for the databases of a candidate and for building one of them: 200M, 8G
    /// [default: three quarters of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = read_bytes)]
    memory: Option<u64>,
    /// Time after which no more candidates are measured
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = read_time)]
    time: Duration,
    /// Most nodes of a board with the first candidate
    #[arg(long, value_name = "COUNT", default_value = "2M", value_parser = read_count)]
    nodes: u64,
    /// Seed of the random walks
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Store the databases of the best candidate
    #[arg(long)]
    keep: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TuneArgs) -> CommandResult {
    let usual = CONFIG.usual_goal();
    let goal = goal_of_size(args.goal.as_deref().unwrap_or(usual.name()), args.size, 1)?;
    let free = || free_memory().map(|bytes| bytes / 4 * 3);
    let memory = args.memory.or_else(free).unwrap_or(u64::MAX);
    let (time, nodes, seed) = (args.time, args.nodes, args.seed);
    let options = TuneOptions { goal, memory, time, nodes, seed };
    let status = Arc::new(Mutex::new(String::new()));
    let shown = Arc::clone(&status);
    let words = move |_| shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (result, interrupted) = watched_by(true, words, |monitor| {
        let result = tune(&options, monitor, &mut |at| {
            let doing = match at.built {
                Some(share) => format!("building, {:.0} %", share * 100.0),
                None => "solving".to_owned(),
            };
            let line = format!("{} of {}: {doing}: {}", at.number, at.of, at.estimate);
            *status.lock().unwrap_or_else(PoisonError::into_inner) = line;
        });
        (result, monitor.is_cancelled())
    });
    let tuned = result.map_err(|error| refused(&error))?;
    if args.json {
        print_json(&json!({
            "size": args.size.to_string(),
            "goal": options.goal.tiles(),
            "memory": memory,
            "seed": seed,
            "instances": tuned.instances.iter().map(|(board, _)| board.tiles()).collect::<Vec<_>>(),
            "measured": tuned.measured,
            "left_out": tuned.left_out,
            "complete": tuned.complete,
        }))?;
    } else {
        print(&table(&tuned, &options.goal, args))?;
    }
    match tuned.measured.first() {
        _ if interrupted => Ok(130),
        None => Err(nothing(&tuned, &options)),
        Some(best) => {
            if args.keep {
                let puzzle = Puzzle::new(options.goal.clone(), options.goal.clone());
                let puzzle = puzzle.map_err(|error| Failure::input(error.to_string()))?;
                tables::prepare(&tables::session(), &Task::new(puzzle, best.method.clone()))?;
                say("stored its databases: 'taquin tables list' lists them");
            }
            Ok(0)
        }
    }
}

fn refused(error: &TuneError) -> Failure {
    match error {
        TuneError::Contradiction { .. } => {
            Failure::stopped(Reason::Contradiction, error.to_string())
        }
        _ => Failure::input(error.to_string())
            .hint("databases are for boards with one blank, at least two rows and columns, and at most 64 cells"),
    }
}

/// Nothing was measured: there was too little memory or time.
fn nothing(tuned: &TuneResult, options: &TuneOptions) -> Failure {
    let least = tuned.left_out.iter().filter_map(|left| match left.why {
        SkipReason::Memory(needed) => Some(needed),
        _ => None,
    });
    match least.min() {
        Some(least) if tuned.complete => Failure::memory(format!(
            "the smallest candidate takes {}, and {} are allowed",
            write_bytes(least),
            write_bytes(options.memory)
        ))
        .hint("increase --memory"),
        _ => Failure::stopped(Reason::Time, "the time was up before a candidate was measured")
            .hint("increase --time"),
    }
}

/// Returns the candidates in a table, and their partitions below it: they are long.
fn table(tuned: &TuneResult, goal: &Board, args: &TuneArgs) -> String {
    if tuned.measured.is_empty() {
        return String::new();
    }
    let lengths = || tuned.instances.iter().map(|(_, length)| *length);
    let mut text = format!(
        "{}: {} of {} to {} moves\n\n",
        args.size,
        count(tuned.instances.len() as u64, "board", "boards"),
        lengths().min().unwrap_or(0),
        lengths().max().unwrap_or(0),
    );
    let rows = (1..).zip(&tuned.measured).map(|(rank, each): (u64, &Measurement)| {
        [
            rank.to_string(),
            write_bytes(each.memory),
            seconds(each.build_seconds),
            format!("{:.2}", each.estimate),
            thousands(each.nodes),
            format!("{:.1}", each.nanoseconds_per_node),
            seconds(each.seconds),
        ]
    });
    let headings = ["", "memory", "built in", "estimate", "nodes", "ns/node", "time"];
    text += &Columns::new("rrrrrrr").headings(headings).rows(rows).text();
    text.push('\n');
    let spelled = (1..).zip(&tuned.measured).map(|(rank, each): (u64, &Measurement)| {
        [rank.to_string(), in_lines(&spelling(each.method.estimate.as_ref()))]
    });
    text += &Columns::new("rl").rows(spelled).text();
    let left: Vec<String> = tuned.left_out.iter().map(left_out).collect();
    if !left.is_empty() {
        let _ = writeln!(text, "\nLeft out:");
        let rows = left.iter().map(|line| [in_lines(line)]);
        text += &Columns::new("l").indent(2).rows(rows).text();
    }
    if !tuned.complete {
        text += "\nNot all candidates were measured: the time was up.\n";
    }
    if let Some(best) = tuned.measured.first() {
        let _ = writeln!(text, "\nUse -m {}", best.method);
        if !args.keep {
            for line in commands(best, goal) {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}

fn spelling(estimate: Option<&Estimate>) -> String {
    estimate.map(ToString::to_string).unwrap_or_default()
}

/// Breaks a long spelling between partitions and between patterns.
fn in_lines(text: &str) -> String {
    let room = width().saturating_sub(6);
    let mut lines = vec![String::new()];
    for part in text.split_inclusive(['+', '/']) {
        match lines.last_mut() {
            Some(line) if line.len() + part.len() <= room => line.push_str(part),
            _ => lines.push(part.to_owned()),
        }
    }
    lines.join("\n")
}

fn left_out(SkippedCandidate { method, why }: &SkippedCandidate) -> String {
    let why = match why {
        SkipReason::Memory(needed) => format!("takes {}", write_bytes(*needed)),
        SkipReason::Nodes(most) => format!("a board has more than {} nodes", thousands(*most)),
        SkipReason::Tables(error) => error.clone(),
    };
    format!("{}: {why}", spelling(method.estimate.as_ref()))
}

/// The commands that store the databases of a candidate.
fn commands(best: &Measurement, goal: &Board) -> Vec<String> {
    let Some(estimate) = &best.method.estimate else { return Vec::new() };
    let command = |databases| build_command(databases, goal, Some(CONFIG.usual_goal()));
    estimate.databases().into_iter().map(command).collect()
}
