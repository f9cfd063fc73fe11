//! `taquin queens`.

use clap::Parser;
use taquin::Ending;
use taquin_lab::queens::{Placements, Queens, QueensLimit};

use crate::args::{LimitArgs, within};
use crate::failure::CommandResult;
use crate::output::{BOLD, DIM, PLAIN, count, print, print_json, side_by_side, thousands};
use crate::report::{exit_code, stopped, tally};
use crate::watch::watched;

/// Solve the N-queens problem row by row
///
/// It uses the same search engine as the puzzles. Exits with 11 if no solution exists.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin queens 8                    one solution
  taquin queens 6 -a -m bfs          every solution
  taquin queens 10 --count-only      the number of solutions
  taquin queens 8 -m dfs,goal=expansion --json

Successors are the safe columns of the next row, from left to right. dfs expands
the last one first, so it begins on the right.")]
pub(crate) struct QueensArgs {
    /// Number of queens, which is also the number of rows and columns
    #[arg(value_name = "N", value_parser = within::<u8>(1..=255))]
    n: u8,
    /// Method: bfs or dfs, with policy fields
    #[arg(long, short, default_value = "dfs", value_name = "METHOD")]
    method: String,
    /// Draw all solutions
    #[arg(long = "all-solutions", alias = "all", short)]
    all: bool,
    /// Count all solutions without drawing them
    #[arg(long = "count-only", alias = "count", short, conflicts_with = "all")]
    count: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &QueensArgs) -> CommandResult {
    let method = Queens::method(&args.method)?;
    let wanted = match (args.all, args.count) {
        (true, _) => QueensLimit::All,
        (_, true) => QueensLimit::Count,
        _ => QueensLimit::One,
    };
    let limits = args.limits.limits();
    let found = watched(true, |monitor| Queens(args.n).solve(&method, wanted, &limits, monitor));
    match args.json {
        true => print_json(&found)?,
        false => print(&describe(&found, wanted))?,
    }
    Ok(match (wanted, found.outcome) {
        // Zero is a valid count.
        (QueensLimit::All | QueensLimit::Count, Ending::Exhausted) => 0,
        _ => exit_code(found.outcome, found.reason),
    })
}

fn describe(found: &Placements, wanted: QueensLimit) -> String {
    let titled = |(at, columns): (usize, &Vec<u8>)| {
        let title =
            if wanted == QueensLimit::All { thousands(at as u64 + 1) } else { String::new() };
        (title, picture(found.n, columns))
    };
    let pictures: Vec<(String, Vec<String>)> =
        found.solutions.iter().enumerate().map(titled).collect();
    let boards = side_by_side(&pictures, usize::from(found.n) * 2 - 1);
    let queens = count(found.n.into(), "queen", "queens");
    let solutions = count(found.found, "solution", "solutions");
    let ending = match (found.outcome, wanted) {
        (Ending::Stopped, _) => format!(
            "{BOLD}{queens}: {solutions} so far{PLAIN}; incomplete: {}.\n",
            stopped(found.reason)
        ),
        (Ending::Exhausted, QueensLimit::One) => format!("{BOLD}{queens}: no solution{PLAIN}.\n"),
        (_, QueensLimit::One) => {
            let columns: Vec<String> =
                found.solutions.iter().flatten().map(ToString::to_string).collect();
            format!("{BOLD}{queens} placed{PLAIN}; columns by row: {}.\n", columns.join(" "))
        }
        _ => format!("{BOLD}{queens}: {solutions}{PLAIN}.\n"),
    };
    boards + &ending + &tally(&found.method, &found.counts, found.seconds)
}

fn picture(n: u8, columns: &[u8]) -> Vec<String> {
    let row = |&queen: &u8| {
        let cell = |column| match column == queen {
            true => format!("{BOLD}Q{PLAIN}"),
            false => format!("{DIM}·{PLAIN}"),
        };
        (1..=n).map(cell).collect::<Vec<_>>().join(" ")
    };
    columns.iter().map(row).collect()
}
