//! Search results in words, for every command that searches.

use std::fmt::{Display, Write};
use std::io::{IsTerminal, stdout};

use clap::{Args, ValueEnum};
use taquin::{
    Algorithm, Board, BoardFormat, Counts, Ending, Estimate, Hint, Inversions, NamedGoal, Notation,
    Proof, Puzzle, Reason, Repair, Report, Tile, write_bytes,
};
use taquin_lab::{Check, Wording};
use taquin_web::build_command;

use crate::config::CONFIG;
use crate::failure::Failure;
use crate::output::{BOLD, PLAIN, count, gallery, print, seconds, thousands, wrapped};

/// How to print a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum PathStyle {
    /// Every board on the path
    Boards,
    /// The moves in one line
    #[default]
    Moves,
    /// Nothing
    None,
}

/// How to print a solution, as flags.
#[derive(Args, Debug)]
pub(crate) struct SolutionArgs {
    /// How to print the solution [default: moves]
    #[arg(long, value_enum, value_name = "HOW", conflicts_with_all = ["json", "jsonl", "quiet"])]
    pub(crate) path: Option<PathStyle>,
    /// How to write boards in traces and paths: nested, rows, flat, slashes, digits or sized
    #[arg(long = "format", alias = "boards", value_name = "FORMAT", conflicts_with_all = ["json", "jsonl", "quiet", "batch"])]
    pub(crate) boards: Option<BoardFormat>,
    /// Name moves by the direction of the blank or of the tile: blank or tile
    #[arg(long, default_value_t = CONFIG.notation(), value_name = "NOTATION")]
    pub(crate) notation: Notation,
}

impl SolutionArgs {
    /// Describes a report in a line.
    pub(crate) fn in_a_line(&self, report: &Report) -> String {
        let mut text = match (report.outcome, report.cost, report.depth) {
            (Ending::Solved, Some(cost), Some(depth)) => {
                let mut text = count(depth, "move", "moves");
                if u64::from(cost) != depth {
                    let _ = write!(text, ", cost {}", thousands(cost.into()));
                }
                match report.optimal {
                    true => text + ", optimal",
                    false => format!("{text}, at least {}", report.lower_bound.unwrap_or(0)),
                }
            }
            (Ending::Unsolvable | Ending::Exhausted, ..) => "unsolvable".to_owned(),
            _ => format!("no solution: {}", stopped(report.reason)),
        };
        if let (PathStyle::Moves, Some(moves)) = (self.path(), report.write_moves(self.notation))
            && !moves.is_empty()
        {
            let _ = write!(text, ": {moves}");
        }
        text
    }

    /// How to print the path: a format for boards asks for boards.
    fn path(&self) -> PathStyle {
        self.path.unwrap_or(match self.boards {
            Some(_) => PathStyle::Boards,
            None => PathStyle::Moves,
        })
    }
}

/// Returns the exit code for scripts.
pub(crate) fn exit_code(outcome: Ending, reason: Option<Reason>) -> u8 {
    match (outcome, reason) {
        (Ending::Solved, _) => 0,
        (Ending::Unsolvable | Ending::Exhausted, _) => 11,
        // The method cannot do what was asked.
        (Ending::Stopped, Some(Reason::Tables)) => 2,
        (Ending::Stopped, Some(Reason::Contradiction)) => 70,
        (Ending::Stopped, Some(Reason::Memory)) => 22,
        (Ending::Stopped, Some(Reason::Time)) => 23,
        (Ending::Stopped, Some(Reason::Cancelled)) => 130,
        (Ending::Stopped, _) => 12,
    }
}

/// Prints the moves and nothing else.
pub(crate) fn print_moves(report: &Report, notation: Notation) -> Result<(), Failure> {
    match report.write_moves(notation) {
        Some(moves) => Ok(print(&format!("{moves}\n"))?),
        None => Ok(()),
    }
}

/// Describes a report: the solution as `args` ask for it, the outcome and the counts.
pub(crate) fn describe(report: &Report, args: &SolutionArgs) -> String {
    let mut text = String::new();
    if args.path() == PathStyle::Boards {
        text += &boards(report, args);
    }
    text += &wrapped(&outcome(report), 0);
    if args.path() == PathStyle::Moves
        && let Some(moves) = report.write_moves(args.notation)
        && !moves.is_empty()
    {
        let is_whole = args.path.is_some() || !stdout().is_terminal();
        text += &if is_whole { moves } else { beginning(moves) };
        text.push('\n');
    }
    text += &wrapped(&counts(report), 2);
    text
}

/// Returns moves, or the first few and how to see all if they would fill a terminal.
fn beginning(mut moves: String) -> String {
    if let Some((end, _)) = moves.char_indices().nth(1_000) {
        moves.truncate(end);
        moves += " ..\n(--path moves prints all moves)";
    }
    moves
}

/// Draws every board of a solution, with the move that leads to it.
pub(crate) fn boards(report: &Report, args: &SolutionArgs) -> String {
    if report.outcome != Ending::Solved {
        return String::new();
    }
    let mut board = report.puzzle.start().clone();
    let mut boards: Vec<(String, Board, Option<Tile>)> =
        vec![("start".to_owned(), board.clone(), None)];
    for (at, slide) in report.moves.iter().flatten().copied().enumerate() {
        let Ok(tile) = board.slide(slide) else { break };
        let step = match args.notation {
            Notation::Blank => slide.step,
            Notation::Tile => slide.step.opposite(),
        };
        boards.push((format!("{}. {step}", at + 1), board.clone(), Some(tile)));
    }
    let Some(format) = args.boards else { return gallery(&boards) };
    let wording = Wording::plain().clone().with_format(format);
    let written =
        |(title, board, _): &(String, Board, _)| format!("{title}\n{}\n\n", wording.board(board));
    boards.iter().map(written).collect()
}

/// Describes the outcome, with notes and hints.
pub(crate) fn outcome(report: &Report) -> String {
    let bound = report.lower_bound.unwrap_or(0);
    let mut text = match (report.outcome, report.cost, report.depth) {
        (Ending::Unsolvable, ..) => return refusal(&report.puzzle),
        (Ending::Exhausted, ..) => {
            return "Unsolvable: every reachable board was searched.\n".to_owned();
        }
        (Ending::Solved, Some(cost), Some(depth)) => solved(report, cost, depth, bound),
        _ if report.reason == Some(Reason::Contradiction) => format!(
            "{BOLD}Internal error{PLAIN}: the result contradicts itself. Nothing is claimed about \
             this puzzle.\n"
        ),
        _ => format!(
            "{BOLD}No solution found{PLAIN}: {}. Every solution costs at least {}.\n",
            stopped(report.reason),
            thousands(bound.into())
        ),
    };
    if report.cost.is_none() {
        text += remedy(report);
    }
    for note in &report.notes {
        let is_deed = AUTO_VERBS.iter().any(|verb| note.starts_with(verb));
        let _ = match (report.outcome, report.method.algorithm) {
            (Ending::Solved, Algorithm::Auto) if is_deed => {
                writeln!(text, "{} {note}.", report.method)
            }
            _ => writeln!(text, "Note: {note}."),
        };
    }
    for hint in &report.hints {
        let _ = match hint {
            Hint::BuildTables { partition, kind } => {
                let estimate = Estimate::Pdb { partition: partition.clone(), kind: *kind };
                let (goal, usual) = (report.puzzle.goal(), Some(CONFIG.usual_goal()));
                let command = build_command(&estimate, goal, usual);
                writeln!(
                    text,
                    "Hint: larger databases, built once, solve hard boards much faster:\n  {command}"
                )
            }
            Hint::VerifyTables => writeln!(
                text,
                "Hint: 'taquin tables verify' checks the tables, and 'taquin tables build PARTITION \
                 --rebuild' replaces them."
            ),
            _ => Ok(()),
        };
    }
    text
}

/// The verbs that begin a note on what `auto` did. Other notes are whole sentences.
const AUTO_VERBS: [&str; 5] = ["built ", "chose ", "found ", "searched ", "started "];

/// Suggests a method for a search that found no solution within its limits.
fn remedy(report: &Report) -> &'static str {
    let is_anytime = matches!(report.method.algorithm, Algorithm::Auto | Algorithm::Anytime);
    match report.reason {
        Some(Reason::Memory) if !is_anytime => {
            "Hint: -m auto and -m ida:linear need less memory.\n"
        }
        Some(Reason::Time) if !is_anytime => {
            "Hint: -m auto finds a solution within any time, and -m ida:linear may be faster.\n"
        }
        _ => "",
    }
}

/// Describes why a search stopped.
pub(crate) const fn stopped(reason: Option<Reason>) -> &'static str {
    match reason {
        Some(Reason::Expanded | Reason::Generated) => "the node limit was reached",
        Some(Reason::Memory) => "the memory limit was reached",
        Some(Reason::Time) => "the time limit was reached",
        Some(Reason::Tables) => "the method can't be used here",
        Some(Reason::Contradiction) => "the result contradicts itself",
        Some(Reason::Cancelled) => "the search was interrupted",
        Some(Reason::Depth) => "there are no more nodes within the depth limit",
        Some(Reason::Beam) => "there are no more nodes within the beam",
        _ => "the path cost overflowed",
    }
}

fn solved(report: &Report, cost: u32, depth: u64, bound: u32) -> String {
    let moves = count(depth, "move", "moves");
    let (price, unit, better) = match u64::from(cost) == depth {
        true => (String::new(), "moves", "shorter"),
        false => (format!(", cost {}", thousands(cost.into())), "", "cheaper"),
    };
    let mut text = format!("{BOLD}Solved in {moves}{price}{PLAIN}: ");
    if report.optimal {
        return text + "optimal, no solution is " + better + ".\n";
    }
    let least = thousands(bound.into());
    let _ = match unit {
        "" => write!(text, "not proven optimal. The cost is at least {least}"),
        _ => write!(text, "not proven optimal. At least {least} {unit} are needed"),
    };
    let _ = match bound {
        0 => writeln!(text, "."),
        _ => {
            let more = thousands((cost - bound).into());
            let gap = f64::from(cost - bound) * 100.0 / f64::from(bound);
            writeln!(text, "; this is {more} more ({gap:.0} %).")
        }
    };
    text
}

/// Describes the counts of a report in a line or two.
fn counts(report: &Report) -> String {
    let counts = &report.counts;
    if report.outcome == Ending::Unsolvable {
        return String::new();
    }
    let mut text = tally(&report.method, counts, report.seconds);
    if counts.dropped_cheaper > 0 && report.notes.is_empty() && !report.optimal {
        let paths = count(counts.dropped_cheaper, "cheaper path was", "cheaper paths were");
        let effect = match report.outcome {
            Ending::Solved => "the answer may not be optimal",
            _ => "solutions may have been missed",
        };
        let _ = writeln!(
            text,
            "{paths} dropped (duplicates={}, reopen={}), so {effect}.",
            report.method.policy.duplicates, report.method.policy.reopen
        );
    }
    text
}

/// Describes a method and its counts in a line.
pub(crate) fn tally(method: &impl Display, counts: &Counts, time: f64) -> String {
    // The memory of a search by many processes is not known.
    let memory = match counts.memory_peak {
        0 => String::new(),
        bytes => format!(", {}", write_bytes(bytes)),
    };
    format!(
        "{method}: expanded {}, generated {}, largest frontier {}; {}{memory}\n",
        thousands(counts.expanded),
        thousands(counts.generated),
        thousands(counts.frontier_peak),
        seconds(time),
    )
}

/// Describes briefly why a puzzle can't be solved, and how to repair it.
pub(crate) fn refusal(puzzle: &Puzzle) -> String {
    let check = Check::new(puzzle.clone());
    let reason = match &check.answer.proof {
        Proof::Parity(proof) => {
            let Inversions { total, sum, wanted, row_counts, row, .. } = &proof.inversions;
            let sum = match row_counts {
                false => format!("the number of inversions is {total}"),
                true => format!(
                    "the number of inversions plus the blank's row from the bottom is {total} + {row} = {sum}"
                ),
            };
            format!("{sum}, but must be {wanted}")
        }
        _ => "tiles on a line can't pass each other".to_owned(),
    };
    let repair = repair(&check);
    let reason = wrapped(&format!("{BOLD}Unsolvable{PLAIN}: {reason}.\n"), 0);
    format!("{reason}{repair}'taquin solvable' shows the proof.\n")
}

/// Describes the goals for which the board is solvable, and the change that makes it so for this
/// one.
pub(crate) fn repair(check: &Check) -> String {
    let mut goals = String::new();
    for goal in &check.other_goals {
        let board = match check.is_small() {
            true => format!("\"{}\"", check.puzzle.start()),
            false => "BOARD".to_owned(),
        };
        let name = match goal {
            NamedGoal::Snail => "spiral",
            goal => goal.name(),
        };
        let _ = writeln!(
            goals,
            "It is solvable for the goal {name}:\n  taquin solve {board} --goal {name}"
        );
    }
    goals + &swap(check)
}

fn swap(check: &Check) -> String {
    match &check.answer.repair {
        None => String::new(),
        Some(Repair::Swap { tiles: [a, b], cells }) => match check.is_small() {
            true => {
                let board = check.puzzle.start().swapped(cells[0], cells[1]);
                format!("It is solvable with tiles {a} and {b} swapped:\n  {board}\n")
            }
            false => format!("It is solvable with tiles {a} and {b} swapped.\n"),
        },
        Some(Repair::Order { tiles }) => {
            let shown: Vec<String> = tiles.iter().take(20).map(ToString::to_string).collect();
            let more = if tiles.len() > shown.len() { " .." } else { "" };
            format!("It is solvable with the tiles in this order: {}{more}\n", shown.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::beginning;

    #[test]
    fn a_terminal_is_not_filled_with_moves() {
        assert_eq!(beginning("URDL".repeat(250)), "URDL".repeat(250));
        let long = beginning("URDL".repeat(20_000));
        assert!(long.starts_with("URDL") && long.ends_with(" ..\n(--path moves prints all moves)"));
        assert!(long.len() < 1_100, "{}", long.len());
    }
}
