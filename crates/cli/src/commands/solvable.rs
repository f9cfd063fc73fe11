//! `taquin solvable`.

use std::fmt::Write;

use clap::Parser;
use taquin::{InversionRow, Inversions, Parity, ParityProof, Proof};
use taquin_lab::{Check, Request};

use crate::args::PuzzleArgs;
use crate::columns::Columns;
use crate::failure::CommandResult;
use crate::output::{BOLD, PLAIN, count, print, print_json, thousands, wrapped};
use crate::report::repair;
use crate::suggest;

/// Check whether a board can be solved, with a proof
///
/// Exits with 0 if it can be solved and with 11 if it can't.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin solvable \"5 2 8/4 1 7/0 3 6\"
  taquin solvable 123456870 --goal spiral
  taquin solvable \"5 2 8/4 1 7/0 3 6\" --as cse5aif    the goal of a course
  taquin solvable --file board.txt --json")]
pub(crate) struct SolvableArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    /// Use the goal of a course or paper (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print only the answer
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
}

pub(crate) fn run(args: &SolvableArgs) -> CommandResult {
    let request = Request { course: args.course.clone(), ..Request::default() };
    let check = Check::new(args.puzzle.ask(request)?.task.puzzle);
    let answer = if check.answer.reachable { "solvable" } else { "unsolvable" };
    if args.json {
        print_json(&check)?;
    } else if args.quiet {
        print(&format!("{answer}\n"))?;
    } else {
        let proof = wrapped(&proof(&check), 0);
        print(&format!("{BOLD}{answer}{PLAIN}\n\n{proof}{}", repair(&check)))?;
    }
    Ok(if check.answer.reachable { 0 } else { 11 })
}

fn proof(check: &Check) -> String {
    match &check.answer.proof {
        Proof::Parity(proof) => by_parity(check, proof),
        Proof::Blanks { blanks } => format!(
            "With {blanks} blanks every arrangement can be reached: swapping two blanks changes \
             the parity and nothing else.\n"
        ),
        Proof::Line { difference: None } => {
            "Tiles on a line can't pass each other. They are in the same order in start and \
             goal.\n"
                .to_owned()
        }
        Proof::Line { difference: Some(difference) } => format!(
            "Tiles on a line can't pass each other. Without the blanks, the start has tile {} \
             at position {}, where the goal has tile {}.\n",
            difference.start,
            difference.place + 1,
            difference.goal
        ),
    }
}

fn by_parity(check: &Check, proof: &ParityProof) -> String {
    let mut text = String::new();
    let Inversions { total, row, goal_row, row_counts, sum, wanted } = &proof.inversions;
    if let Some(table) = &check.inversion_table {
        text += "Inversions: for each tile, the later tiles that should come before it.\n";
        let row = |InversionRow { tile, precedes }: &InversionRow| {
            [format!("{tile}:"), precedes.len().to_string(), spaced(precedes)]
        };
        text += &Columns::new("rrl").indent(2).rows(table.iter().map(row)).text();
    }
    let _ = writeln!(text, "Total: {}.", count(*total, "inversion", "inversions"));
    let cols = check.puzzle.size().cols();
    let is = if Parity::of(*sum) == *wanted { "is" } else { "is not" };
    let _ = match row_counts {
        false => writeln!(
            text,
            "With an odd number of columns ({cols}) their number must be even: {} {is}.",
            thousands(*total)
        ),
        true => writeln!(
            text,
            "With an even number of columns ({cols}) their number plus the blank's row from \
             the bottom ({total} + {row} = {sum}) must be {wanted}, like the blank's row in the goal \
             ({goal_row}): it {is}."
        ),
    };
    let cycles = match &proof.cycles[..] {
        [] => "the identity".to_owned(),
        cycles if check.is_small() => {
            format!("({})", cycles.iter().map(|cycle| spaced(cycle)).collect::<Vec<_>>().join(")("))
        }
        cycles => format!("{} cycles", thousands(cycles.len() as u64)),
    };
    let distance = Parity::of(proof.distance as u64);
    let agree = match distance == proof.permutation {
        true => "they agree",
        false => "they differ, and every move changes both",
    };
    let _ = writeln!(
        text,
        "The same without inversions: the permutation from start to goal, {cycles}, is {}, \
         and the blank's distance to its goal is {} ({}): {agree}.",
        proof.permutation, proof.distance, distance,
    );
    text
}

fn spaced(tiles: &[taquin::Tile]) -> String {
    tiles.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
