//! `taquin solve`.

use std::fmt::{Display, Write};
use std::path::Path;

use taquin::{
    Algorithm, Board, Checkpoint, CheckpointError, Counts, Ending, Hint, Method, Notation, Puzzle,
    Reason, Report, Session, Task, Tile, Watch, is_reachable, write_bytes,
};
use taquin_lab::second_look;

use crate::args::{PathStyle, SearchArgs, SolveArgs};
use crate::commands::{all, batch, check, follow, pdb, show};
use crate::failure::{Failure, Outcome};
use crate::input::{PuzzleArgs, open_file};
use crate::output::{BOLD, PLAIN, count, gallery, print, print_json, say, seconds, thousands};
use crate::watch::watched;

pub(crate) fn run(args: &SolveArgs) -> Outcome {
    if let Some(path) = &args.batch {
        return batch::run(args, path);
    }
    if args.follow.is_asked() {
        return follow::run(args);
    }
    let resumed = args.resume.as_deref().map(read_checkpoint).transpose()?;
    let task = match &resumed {
        Some(checkpoint) => Task {
            threads: args.search.threads(),
            limits: args.search.limits.limits(),
            ..checkpoint.task.clone()
        },
        None => task(&args.puzzle, &args.search)?,
    };
    let session = Session::new();
    if is_reachable(&task.puzzle) {
        pdb::prepare(&session, &task)?;
    }
    if args.all {
        return all::run(args, &task, &session, args.limit);
    }
    let report = match args.resume.as_ref().or(args.checkpoint.as_ref()) {
        Some(path) => in_parts(args, &session, &task, resumed.as_ref(), path)?,
        None => watched(!args.quiet, |monitor| {
            let mut report = session.run(&task, Watch::by(monitor));
            report.notes.extend(second_look(&session, &task, &report, monitor));
            report
        }),
    };
    if args.json {
        print_json(&report)?;
    } else if args.quiet {
        print_moves(&report, args.notation)?;
    } else {
        print(&describe(&report, args))?;
    }
    show::animate(args.animate.as_deref(), &report)?;
    Ok(exit_code(report.outcome, report.reason))
}

/// Solves a task whose progress is written to a file, which goes when there is nothing left to do.
fn in_parts(
    args: &SolveArgs,
    session: &Session,
    task: &Task,
    from: Option<&Checkpoint>,
    path: &Path,
) -> Result<Report, Failure> {
    if from.is_none() && path.exists() {
        let message = format!("{} exists", path.display());
        let remedy = format!("go on with --resume {}, or remove it", path.display());
        return Err(Failure::input(message).hint(remedy));
    }
    if let Some((threshold, counts)) = from.map(Checkpoint::progress) {
        let done = thousands(counts.generated);
        say(&format!("going on at threshold {threshold}, after {done} nodes"));
    }
    let solved = watched(!args.quiet, |monitor| {
        session.run_with_checkpoint(task, from, (path, args.checkpoint_every), monitor)
    });
    let report = solved.map_err(|error| unwritten(&error))?;
    match report.outcome {
        Ending::Stopped => say(&format!("go on with: taquin solve --resume {}", path.display())),
        _ => std::fs::remove_file(path).unwrap_or_default(),
    }
    Ok(report)
}

fn read_checkpoint(path: &Path) -> Result<Checkpoint, Failure> {
    // What can't be opened is told as of any other file.
    open_file(path, "a search that --checkpoint has written")?;
    Checkpoint::read(path).map_err(|error| {
        Failure::input(error.to_string()).hint("name a file that --checkpoint has written")
    })
}

fn unwritten(error: &CheckpointError) -> Failure {
    let failure = Failure::input(error.to_string());
    match error {
        CheckpointError::Method { .. } => {
            failure.hint("choose such a method, as in --method ida:pdb=6-6-6-6")
        }
        CheckpointError::File { path, error } => Failure::unwritable(path, error),
        _ => failure,
    }
}

/// The moves alone.
pub(crate) fn print_moves(report: &Report, notation: Notation) -> Result<(), Failure> {
    match moves(report, notation) {
        Some(moves) => Ok(print(&format!("{moves}\n"))?),
        None => Ok(()),
    }
}

/// What the arguments ask for.
pub(crate) fn task(puzzle: &PuzzleArgs, search: &SearchArgs) -> Result<Task, Failure> {
    // The method first: it is checked in no time, and reading a board may wait for input.
    let method = search.method()?;
    Ok(task_of(puzzle.puzzle()?, method, search))
}

/// A puzzle to be solved as the arguments say.
pub(crate) fn task_of(puzzle: Puzzle, method: Method, search: &SearchArgs) -> Task {
    let mut task = Task::new(puzzle, method);
    task.cost = search.cost.clone().unwrap_or_default();
    task.jumps = search.jumps;
    task.threads = search.threads();
    task.search_anyway = search.search_anyway;
    task.limits = search.limits.limits();
    task
}

/// The exit code that scripts go by.
pub(crate) fn exit_code(outcome: Ending, reason: Option<Reason>) -> u8 {
    match (outcome, reason) {
        (Ending::Solved, _) => 0,
        (Ending::Unsolvable | Ending::Exhausted, _) => 11,
        (Ending::Stopped, Some(Reason::Memory)) => 22,
        (Ending::Stopped, Some(Reason::Time)) => 23,
        (Ending::Stopped, Some(Reason::Cancelled)) => 130,
        (Ending::Stopped, _) => 12,
    }
}

fn moves(report: &Report, notation: Notation) -> Option<String> {
    report.write_moves(notation)
}

pub(crate) fn describe(report: &Report, args: &SolveArgs) -> String {
    let mut text = String::new();
    if args.path == PathStyle::Boards {
        text += &way(report, args.notation);
    }
    text += &ending(report);
    if let (PathStyle::Moves, Some(moves)) = (args.path, moves(report, args.notation))
        && !moves.is_empty()
    {
        let _ = writeln!(text, "{moves}");
    }
    text += &counts(report);
    text
}

/// A picture of every board on the way.
pub(crate) fn way(report: &Report, notation: Notation) -> String {
    match report.outcome {
        Ending::Solved => gallery(&boards(report, notation)),
        _ => String::new(),
    }
}

/// The boards on the way, each with the move that led to it.
fn boards(report: &Report, notation: Notation) -> Vec<(String, Board, Option<Tile>)> {
    let mut board = report.puzzle.start().clone();
    let mut boards = vec![("start".to_owned(), board.clone(), None)];
    for (at, slide) in report.moves.iter().flatten().copied().enumerate() {
        let Ok(tile) = board.slide(slide) else { break };
        let step = match notation {
            Notation::Blank => slide.step,
            Notation::Tile => slide.step.opposite(),
        };
        boards.push((format!("{}. {step}", at + 1), board.clone(), Some(tile)));
    }
    boards
}

/// How it ended, in plain words.
pub(crate) fn ending(report: &Report) -> String {
    let bound = report.lower_bound.unwrap_or(0);
    match (report.outcome, report.cost, report.depth) {
        (Ending::Solved, Some(cost), Some(depth)) => solved(report, cost, depth, bound),
        (Ending::Unsolvable, ..) => check::refusal(&report.puzzle),
        (Ending::Exhausted, ..) => {
            "Unsolvable: every board that can be reached was looked at.\n".to_owned()
        }
        _ => {
            let why = stopped(report.reason);
            let mut text = format!(
                "{BOLD}No solution found{PLAIN}: {why}. Any solution costs at least {bound}.\n"
            );
            for note in &report.notes {
                let _ = writeln!(text, "Note: {note}.");
            }
            text
        }
    }
}

/// Why a search was stopped, in plain words.
pub(crate) const fn stopped(reason: Option<Reason>) -> &'static str {
    match reason {
        Some(Reason::Expanded | Reason::Generated) => "the limit on nodes was reached",
        Some(Reason::Memory) => "the memory limit was reached",
        Some(Reason::Time) => "the time was up",
        Some(Reason::Tables) => "the table that the method needs can't be had",
        Some(Reason::Cancelled) => "it was interrupted",
        Some(Reason::Depth) => "nothing is left within the depth limit",
        Some(Reason::Beam) => "nothing is left within the beam",
        _ => "costs grew beyond what can be counted",
    }
}

fn solved(report: &Report, cost: u32, depth: u64, bound: u32) -> String {
    let moves = count(depth, "move", "moves");
    let price = match u64::from(cost) == depth {
        true => String::new(),
        false => format!(", at a cost of {}", thousands(cost.into())),
    };
    let mut text = format!("{BOLD}Solved in {moves}{price}{PLAIN}");
    let unit = if price.is_empty() { "moves" } else { "cost" };
    match report.optimal {
        true if price.is_empty() => text += ": optimal, no solution is shorter.\n",
        true => text += ": optimal, no solution is cheaper.\n",
        false => {
            let gap = f64::from(cost - bound) * 100.0 / f64::from(bound.max(1));
            let least = thousands(bound.into());
            let _ = write!(text, ": not proven optimal. At least {least} {unit} are needed");
            let more = thousands((cost - bound).into());
            let _ = match bound {
                0 => writeln!(text, "."),
                _ => writeln!(text, "; this is {more} more ({gap:.0} %)."),
            };
        }
    }
    for note in &report.notes {
        let _ = match report.method.algorithm {
            Algorithm::Auto => writeln!(text, "{} {note}.", report.method),
            _ => writeln!(text, "Note: {note}."),
        };
    }
    for hint in &report.hints {
        if let Hint::BuildTables { partition } = hint {
            let _ = writeln!(
                text,
                "Hint: 'taquin pdb build {partition}' builds larger databases once; hard boards then \
                 take a fraction of the time."
            );
        }
    }
    text
}

/// What the search counted, in a line.
fn counts(report: &Report) -> String {
    let counts = &report.counts;
    if report.outcome == Ending::Unsolvable {
        return String::new();
    }
    let mut text = tally(&report.method, counts, report.seconds);
    if counts.dropped_cheaper > 0 && report.notes.is_empty() {
        let paths = count(counts.dropped_cheaper, "cheaper path was", "cheaper paths were");
        let _ = writeln!(
            text,
            "{paths} dropped (duplicates={}, reopen={}), so the answer need not be optimal.",
            report.method.policy.duplicates, report.method.policy.reopen
        );
    }
    text
}

/// A method and its counts, in a line.
pub(crate) fn tally(method: &impl Display, counts: &Counts, time: f64) -> String {
    format!(
        "{method}: expanded {}, generated {}, largest frontier {}; {}, {}\n",
        thousands(counts.expanded),
        thousands(counts.generated),
        thousands(counts.frontier_peak),
        seconds(time),
        write_bytes(counts.memory_peak),
    )
}
