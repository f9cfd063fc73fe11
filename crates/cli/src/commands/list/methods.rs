//! `taquin list methods`.

use std::fmt::Write;

use clap::Parser;
use taquin::AlgorithmRow;
use taquin_lab::{FieldEntry, HeuristicEntry, Listing};

use crate::columns::Columns;
use crate::failure::CommandResult;
use crate::output::{BOLD, PLAIN, print, print_json};

/// List methods, heuristics and fields
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin list methods
  taquin list methods --json
  taquin solve 867254301 -m astar:manhattan,tie=low-g,order=fifo
  taquin solve 867254301 -m ida:linear")]
pub(crate) struct MethodsArgs {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MethodsArgs) -> CommandResult {
    let listing = Listing::new();
    if args.json {
        print_json(&listing)?;
        return Ok(0);
    }
    let Listing { algorithms, heuristics, fields } = listing;
    let mut text = format!("{BOLD}Methods{PLAIN} (solve -m METHOD)\n");
    let algorithm = |entry: &&AlgorithmRow| {
        let heuristic = if entry.takes_heuristic { ":HEURISTIC" } else { "" };
        let about = match entry.paper {
            "" => entry.about.to_owned(),
            paper => format!("{} ({paper})", entry.about),
        };
        [format!("{}{heuristic}", entry.name), about]
    };
    text += &Columns::new("ll").indent(2).rows(algorithms.iter().map(algorithm)).text();
    let _ = writeln!(text, "\n{BOLD}Heuristics{PLAIN}");
    let heuristic = |entry: &HeuristicEntry| [entry.name.clone(), entry.about.to_owned()];
    let others = [
        [
            "pdb=PARTITION",
            "pattern databases: 5-5-5, 6-6-3, 7-8 (4x4), 6-6-6-6 (5x5), small, or 1.2.3/4.5.6",
        ],
        ["zpdb=PARTITION", "pattern databases that also know the region of the blank"],
        ["max=A+B", "the greatest of several heuristics"],
    ];
    text +=
        &Columns::new("ll").indent(2).rows(heuristics.iter().map(heuristic)).rows(others).text();
    let _ = writeln!(text, "\n{BOLD}Fields{PLAIN}, as in astar:manhattan,tie=low-g,moves=LRUD");
    let field = |entry: &FieldEntry| {
        let values = match entry.values {
            [] => entry.usage.to_owned(),
            values => values.join(", "),
        };
        [entry.name.to_owned(), values, entry.about.to_owned()]
    };
    text += &Columns::new("lll").indent(2).rows(fields.iter().map(field)).text();
    print(&text)?;
    Ok(0)
}
