//! `taquin match`.

use std::fmt::Write;

use clap::Parser;
use taquin::Session;
use taquin_lab::{Match, Matches, Question, Sought, matching};

use crate::args::BoardArgs;
use crate::courses;
use crate::failure::{CommandResult, Failure};
use crate::input::{pair, read_goal};
use crate::output::{BOLD, DIM, PLAIN, count, print, print_json, say, thousands};
use crate::watch::watched;

/// Find the policies that give these counts
///
/// For counts that differ from the answer key: names the one or two fields that explain them, in the
/// policy or in what is counted. Ends with 0 if there is an explanation, with 1 if there is none.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin match 072461358 --expanded 1757 --queue 967
  taquin match 712485630 --expanded 503 --queue 306 --as ucr-list -m manhattan
  taquin match \"2 3 6/1 0 7/4 8 5\" --expanded 64 --generated 173 --queue 77

Every course is tried as it is, then with one field changed, then with two; each count given makes
the answer surer. The same question has the same answer on every machine.")]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// The number of nodes expanded
    #[arg(long, value_name = "COUNT")]
    expanded: u64,
    /// The largest queue
    #[arg(long, value_name = "COUNT")]
    queue: Option<u64>,
    /// The number of nodes generated
    #[arg(long, value_name = "COUNT")]
    generated: Option<u64>,
    /// The method, by its name or a course's
    #[arg(long, short, value_name = "METHOD")]
    method: Option<String>,
    /// The course whose key the counts differ from [default: all]
    #[arg(long = "as", value_name = "NAME")]
    course: Option<String>,
    /// The goal [default: each course's own]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Give up after expanding this many nodes in all: 1e6, 100M
    #[arg(long, value_name = "COUNT", default_value = "30M", value_parser = taquin::read_count)]
    limit: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How many explanations are shown to a person.
const SHOWN: usize = 12;

pub(crate) fn run(args: &MatchArgs) -> CommandResult {
    let course = args.course.as_deref().map(courses::resolve).transpose()?;
    let start = args.board.read()?;
    let goal = args.goal.as_deref().map(|text| read_goal(text, &start)).transpose()?;
    if let Some(goal) = &goal {
        pair(start.clone(), goal.clone())?;
    }
    let question = Question {
        start: &start,
        goal: goal.as_ref(),
        method: args.method.as_deref(),
        course: course.as_deref(),
        budget: args.limit,
    };
    let sought = Sought { expanded: args.expanded, queue: args.queue, generated: args.generated };
    let (matches, cancelled) = watched(false, |monitor| {
        (matching(sought, &question, &Session::new(), monitor), monitor.is_cancelled())
    });
    let matches = matches.map_err(|error| Failure::course(&error))?;
    match args.json {
        true => print_json(&matches)?,
        false => print(&describe(&matches))?,
    }
    if !matches.complete && !args.json {
        say(
            "not all policies were tried: --limit allows more, and -m, --as or --goal ask for less",
        );
    }
    Ok(match (cancelled, matches.found.is_empty()) {
        (true, _) => 130,
        (false, none) => u8::from(none),
    })
}

fn describe(matches: &Matches) -> String {
    let tried = thousands(matches.tried);
    let mut text = match matches.found.len() as u64 {
        0 => return format!("No policy near a course's gives these counts; {tried} were tried.\n"),
        found => format!("{} of {tried} tried.\n", count(found, "explanation", "explanations")),
    };
    for Match { course, name, method, goal, changes, counts } in matches.found.iter().take(SHOWN) {
        let _ = match changes.len() {
            0 => writeln!(text, "\n{BOLD}{course}{PLAIN} -m {name}, as it is"),
            _ => writeln!(text, "\n{BOLD}{course}{PLAIN} -m {name}, but {}", changes.join("; ")),
        };
        let _ = writeln!(text, "  {DIM}{method} to {goal}{PLAIN}");
        let _ = writeln!(
            text,
            "  expanded {}, generated {}, largest frontier {}",
            thousands(counts.expanded),
            thousands(counts.generated),
            thousands(counts.frontier_peak)
        );
    }
    if let Some(more) = matches.found.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        let _ = writeln!(
            text,
            "\nand {more} more: --json lists them; another count, such as --queue, would tell them apart"
        );
    }
    text
}
