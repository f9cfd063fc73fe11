//! `taquin check`.

use std::fmt::Write;

use clap::Parser;
use serde::Serialize;
use taquin::{
    InversionRow, Inversions, Parity, ParityProof, Proof, Puzzle, Reachability, inversion_table,
    reachability,
};

use crate::args::PuzzleArgs;
use crate::courses;
use crate::failure::CommandResult;
use crate::output::{BOLD, PLAIN, count, print, print_json, thousands};
use crate::report::{SHOWN, parity, repair};

/// Say whether a board can reach its goal, and prove it
///
/// Ends with 0 if it can, with 11 if it can't.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin check \"5 2 8/4 1 7/0 3 6\"
  taquin check 123456870 --goal snail
  taquin check \"5 2 8/4 1 7/0 3 6\" --as cse5aif      towards the goal of a course
  taquin check --file board.txt --json")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    /// Follow a course or a paper: its goal ('taquin courses')
    #[arg(long = "as", value_name = "NAME")]
    course: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print the answer alone
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
}

#[derive(Serialize)]
struct Checked<'a> {
    puzzle: &'a Puzzle,
    #[serde(flatten)]
    answer: &'a Reachability,
    #[serde(skip_serializing_if = "Option::is_none")]
    inversion_table: Option<Vec<InversionRow>>,
}

pub(crate) fn run(args: &CheckArgs) -> CommandResult {
    let puzzle = match args.course.as_deref().map(courses::resolve).transpose()? {
        Some(course) if !args.puzzle.has_goal() => course.puzzle(args.puzzle.board.read()?),
        _ => args.puzzle.puzzle()?,
    };
    let answer = reachability(&puzzle);
    let verdict = if answer.reachable { "solvable" } else { "unsolvable" };
    if args.json {
        let small = puzzle.size().cells() <= SHOWN;
        let inversion_table = small.then(|| inversion_table(&puzzle).collect());
        print_json(&Checked { puzzle: &puzzle, answer: &answer, inversion_table })?;
    } else if args.quiet {
        print(&format!("{verdict}\n"))?;
    } else {
        print(&format!(
            "{BOLD}{verdict}{PLAIN}\n\n{}{}",
            explain(&puzzle, &answer),
            repair(&puzzle, &answer)
        ))?;
    }
    Ok(if answer.reachable { 0 } else { 11 })
}

fn explain(puzzle: &Puzzle, answer: &Reachability) -> String {
    match &answer.proof {
        Proof::Parity(proof) => by_parity(puzzle, proof),
        Proof::Blanks { blanks } => format!(
            "With {blanks} blanks every arrangement can be reached: two blanks can change roles, which\n\
             nobody can see, and that repairs any parity.\n"
        ),
        Proof::Line { difference: None } => {
            "On a single line tiles can't pass each other, and start and goal have them in the same order.\n".to_owned()
        }
        Proof::Line { difference: Some(difference) } => format!(
            "On a single line tiles can't pass each other. Blanks left out, place {} has tile {} in the\n\
             start and tile {} in the goal.\n",
            difference.place + 1,
            difference.start,
            difference.goal
        ),
    }
}

fn by_parity(puzzle: &Puzzle, proof: &ParityProof) -> String {
    let mut text = String::new();
    let Inversions { total, row, goal_row, row_counts, sum, wanted } = &proof.inversions;
    if puzzle.size().cells() <= SHOWN {
        text += "Inversions: the later tiles that a tile precedes and should not.\n";
        for InversionRow { tile, precedes } in inversion_table(puzzle) {
            let list: Vec<String> = precedes.iter().map(ToString::to_string).collect();
            let line = format!("  {tile:>3}: {:>2}   {}", precedes.len(), list.join(" "));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
    let _ = writeln!(text, "In all {}.", count(*total, "inversion", "inversions"));
    let is = if Parity::of(*sum) == *wanted { "is" } else { "is not" };
    let _ = match row_counts {
        false => writeln!(
            text,
            "With an odd number of columns ({}) their number must be even: {} {is}.",
            puzzle.size().cols(),
            thousands(*total)
        ),
        true => writeln!(
            text,
            "With an even number of columns ({}) their number plus the blank's row from the bottom\n\
             ({total} + {row} = {sum}) must be {}, as the blank's row in the goal ({goal_row}): it {is}.",
            puzzle.size().cols(),
            parity(*wanted)
        ),
    };
    let cycles: Vec<String> = proof
        .cycles
        .iter()
        .map(|cycle| {
            format!("({})", cycle.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        })
        .collect();
    let cycles = match cycles.len() {
        0 => "the identity".to_owned(),
        _ if puzzle.size().cells() <= SHOWN => cycles.join(""),
        cycles => format!("{cycles} cycles"),
    };
    let agree = match Parity::of(proof.distance as u64) == proof.permutation {
        true => "they agree",
        false => "they differ, and each move changes both",
    };
    let _ = writeln!(
        text,
        "The same without counting inversions: the permutation from start to goal, {cycles},\n\
         is {} and the blank's distance to its place is {} ({}): {agree}.",
        parity(proof.permutation),
        proof.distance,
        parity(Parity::of(proof.distance as u64)),
    );
    text
}
