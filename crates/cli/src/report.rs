//! The words for what a search found, for every command that searches.

use std::fmt::{Display, Write};

use clap::ValueEnum;
use taquin::{
    Algorithm, Board, Counts, Ending, Hint, Inversions, Notation, Parity, Proof, Puzzle,
    Reachability, Reason, Repair, Report, Tile, reachability, write_bytes,
};

use crate::failure::Failure;
use crate::output::{BOLD, PLAIN, count, gallery, print, seconds, thousands};

/// Tables of inversions are shown for boards of up to this many cells.
pub(crate) const SHOWN: usize = 36;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum PathStyle {
    /// Every board on the way
    Boards,
    /// The moves in a line
    #[default]
    Moves,
    /// Not at all
    None,
}

/// The moves alone.
pub(crate) fn print_moves(report: &Report, notation: Notation) -> Result<(), Failure> {
    match moves(report, notation) {
        Some(moves) => Ok(print(&format!("{moves}\n"))?),
        None => Ok(()),
    }
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

/// A report in words: the way if `path` asks for it, how it ended, the counts.
pub(crate) fn describe(report: &Report, path: PathStyle, notation: Notation) -> String {
    let mut text = String::new();
    if path == PathStyle::Boards {
        text += &way(report, notation);
    }
    text += &ending(report);
    if let (PathStyle::Moves, Some(moves)) = (path, moves(report, notation))
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
        (Ending::Unsolvable, ..) => refusal(&report.puzzle),
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

/// Why a puzzle is refused, in a few lines.
pub(crate) fn refusal(puzzle: &Puzzle) -> String {
    let answer = reachability(puzzle);
    let reason = match &answer.proof {
        Proof::Parity(proof) => {
            let Inversions { total, sum, wanted, row_counts, row, .. } = &proof.inversions;
            let what = match row_counts {
                false => format!("the number of inversions is {total}"),
                true => format!(
                    "{total} inversions and the blank in row {row} from the bottom make {sum}"
                ),
            };
            format!("{what}, and it would have to be {}", parity(*wanted))
        }
        _ => "tiles on a line can't pass each other".to_owned(),
    };
    let repair = repair(puzzle, &answer);
    format!("{BOLD}Unsolvable{PLAIN}: {reason}.\n{repair}'taquin check' shows the proof.\n")
}

pub(crate) const fn parity(parity: Parity) -> &'static str {
    match parity {
        Parity::Even => "even",
        Parity::Odd => "odd",
    }
}

pub(crate) fn repair(puzzle: &Puzzle, answer: &Reachability) -> String {
    match &answer.repair {
        None => String::new(),
        Some(Repair::Swap { tiles: [a, b], cells }) => {
            let board = puzzle.start().swapped(cells[0], cells[1]);
            match puzzle.size().cells() <= SHOWN {
                true => format!("Swap tiles {a} and {b}, and it is solvable: {board}\n"),
                false => format!("Swap tiles {a} and {b}, and it is solvable.\n"),
            }
        }
        Some(Repair::Order { tiles }) => {
            let shown: Vec<String> = tiles.iter().take(20).map(ToString::to_string).collect();
            let more = if tiles.len() > shown.len() { " .." } else { "" };
            format!("The tiles would have to stand in this order: {}{more}\n", shown.join(" "))
        }
    }
}
