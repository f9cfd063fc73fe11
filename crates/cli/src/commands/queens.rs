//! `taquin queens`.

use clap::Parser;
use taquin::Ending;
use taquin_lab::queens::{Placements, Queens, Wanted};

use crate::args::LimitArgs;
use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, DIM, PLAIN, count, print, print_json, side_by_side, thousands};
use crate::report::{exit_code, stopped, tally};
use crate::watch::watched;

/// Place N queens so that none attacks another, row by row
///
/// The same engine as for puzzles, on another space. Ends with 11 if there is no way.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin queens 8                    one solution
  taquin queens 6 --all -m bfs       every solution
  taquin queens 10 --count           how many there are
  taquin queens 8 -m dfs,goal=expansion --json

Successors are the safe columns of the next row from left to right. dfs takes the one generated
last, so it begins on the right.")]
pub(crate) struct QueensArgs {
    /// The number of queens, and of rows and columns
    #[arg(value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    n: u8,
    /// The method: bfs or dfs, with the fields of its policy
    #[arg(long, short, default_value = "dfs", value_name = "METHOD")]
    method: String,
    /// Find all solutions, and draw them
    #[arg(long, short)]
    all: bool,
    /// Find all solutions, and say how many there are
    #[arg(long, short, conflicts_with = "all")]
    count: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &QueensArgs) -> CommandResult {
    let method = Queens::method(&args.method).map_err(|error| Failure::method(&error))?;
    let wanted = match (args.all, args.count) {
        (true, _) => Wanted::All,
        (_, true) => Wanted::Count,
        _ => Wanted::One,
    };
    let limits = args.limits.limits();
    let found = watched(true, |monitor| Queens(args.n).solve(&method, wanted, &limits, monitor));
    match args.json {
        true => print_json(&found)?,
        false => print(&describe(&found, wanted))?,
    }
    Ok(match (wanted, found.outcome) {
        // That there are none is an answer to how many there are.
        (Wanted::All | Wanted::Count, Ending::Exhausted) => 0,
        _ => exit_code(found.outcome, found.reason),
    })
}

fn describe(found: &Placements, wanted: Wanted) -> String {
    let titled = |(at, columns): (usize, &Vec<u8>)| {
        let title = if wanted == Wanted::All { thousands(at as u64 + 1) } else { String::new() };
        (title, picture(found.n, columns))
    };
    let pictures: Vec<(String, Vec<String>)> =
        found.solutions.iter().enumerate().map(titled).collect();
    let boards = side_by_side(&pictures, usize::from(found.n) * 2 - 1);
    let queens = count(found.n.into(), "queen", "queens");
    let solutions = count(found.found, "solution", "solutions");
    let ending = match (found.outcome, wanted) {
        (Ending::Stopped, _) => format!(
            "{BOLD}{queens}: {solutions} so far{PLAIN}; the search is not complete: {}.\n",
            stopped(found.reason)
        ),
        (Ending::Exhausted, Wanted::One) => format!("{BOLD}{queens} can't be placed{PLAIN}.\n"),
        (_, Wanted::One) => {
            let columns: Vec<String> =
                found.solutions.iter().flatten().map(ToString::to_string).collect();
            format!("{BOLD}{queens} placed{PLAIN}, row by row in column {}.\n", columns.join(" "))
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
