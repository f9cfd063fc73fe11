//! `taquin match`.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Parser;
use taquin::{Ending, Reason};
use taquin_lab::{Attempts, Course, Match, Matches, Question, TargetCounts, matching, pair};

use crate::args::BoardArgs;
use crate::failure::CommandResult;
use crate::input::goal_for;
use crate::output::{BOLD, DIM, PLAIN, count, print, print_json, say, thousands, wrapped};
use crate::report::exit_code;
use crate::suggest;
use crate::tables;
use crate::watch::{SearchStatus, watched_by};

/// Find out why your node count differs
///
/// Use it if your counts differ from an answer key. It looks for rules that differ from a course in
/// at most two fields and produce your counts. Exits with 0 if it finds some, with 1 if none exist,
/// with 12 if it reaches the limit first, and with 22 if a search needs more memory than is
/// available.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin match 072461358 --expanded 1757 --queue 967
  taquin match 712485630 --expanded 503 --queue 306 --as ucr-list -m manhattan
  taquin match \"2 3 6/1 0 7/4 8 5\" --expanded 64 --generated 173 --queue 77

It tries each course unchanged, then with one field changed, then with two. The
more counts you give, the fewer policies match. The results are the same on
every machine, unless a search runs out of memory.")]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// Number of nodes expanded
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count)]
    expanded: u64,
    /// Largest size of the queue
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count)]
    queue: Option<u64>,
    /// Number of nodes generated
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count)]
    generated: Option<u64>,
    /// Method, by its name or the name that a course has for it
    #[arg(long, short, value_name = "METHOD", value_parser = suggest::methods(), hide_possible_values = true)]
    method: Option<String>,
    /// Course whose answer key the counts differ from [default: all]
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Goal: last, first, spiral, a board, or @FILE [default: each course's goal]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Stop after expanding this many nodes in total: 1e6, 100M
    #[arg(long, alias = "limit", value_name = "COUNT", default_value = "30M", value_parser = taquin::read_count)]
    nodes: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The number of matches that are printed.
const SHOWN: usize = 12;

pub(crate) fn run(args: &MatchArgs) -> CommandResult {
    let course = args.course.as_deref().map(Course::resolve).transpose()?;
    let own = course.as_ref().map(|course| course.goal.to_string());
    let start = args.board.start(args.goal.as_deref().or(own.as_deref()))?;
    let goal = args.goal.as_deref().map(|text| goal_for(text, &start)).transpose()?;
    if let Some(goal) = &goal {
        pair(start.clone(), goal.clone())?;
    }
    let question = Question {
        start: &start,
        goal: goal.as_ref(),
        method: args.method.as_deref(),
        course: course.as_deref(),
        budget: args.nodes,
        memory: taquin::free_memory().map(|bytes| bytes / 4 * 3),
        others: &[],
    };
    let sought =
        TargetCounts { expanded: args.expanded, queue: args.queue, generated: args.generated };
    let attempts = Arc::new(Mutex::new(Attempts::default()));
    let (seen, limit) = (Arc::clone(&attempts), args.nodes);
    let words = move |SearchStatus { elapsed, .. }: SearchStatus| {
        progress(elapsed, *seen.lock().unwrap_or_else(PoisonError::into_inner), limit)
    };
    let report = |now| *attempts.lock().unwrap_or_else(PoisonError::into_inner) = now;
    let matches = watched_by(true, words, |monitor| {
        matching(sought, &question, &tables::session(), monitor, &report)
    })?;
    match args.json {
        true => print_json(&matches)?,
        false => print(&describe(&matches, sought))?,
    }
    match (matches.reason, matches.found.is_empty()) {
        _ if args.json => {}
        (Some(Reason::Expanded), _) => {
            say("to try the others, raise --nodes, or narrow the search with -m, --as or --goal");
        }
        (None, true) => say(
            "check the board, the counts and the goal: --goal sets it, --as NAME takes a course's",
        ),
        _ => {}
    }
    Ok(match (matches.reason, matches.found.is_empty()) {
        (Some(Reason::Cancelled), _) => 130,
        // Nothing was found, but not everything was tried.
        (Some(reason), true) => exit_code(Ending::Stopped, Some(reason)),
        (_, none) => u8::from(none),
    })
}

/// Describes the progress in a line.
fn progress(elapsed: Duration, Attempts { tried, expanded }: Attempts, limit: u64) -> String {
    let tried = count(tried, "policy", "policies");
    let share = expanded as f64 * 100.0 / limit.max(1) as f64;
    format!("{:.0} s: {tried} tried, {share:.0} % of the node limit", elapsed.as_secs_f64())
}

fn describe(matches: &Matches, sought: TargetCounts) -> String {
    let tried = count(matches.tried, "policy", "policies");
    let rest = match matches.reason {
        None => ".",
        Some(Reason::Cancelled) => " that were tried. Interrupted: not all were.",
        Some(Reason::Memory) => " that were tried. Some needed more memory than there is.",
        Some(_) => " that were tried. The node limit ended the search: not all were.",
    };
    let mut text = match matches.found.len() as u64 {
        0 => return format!("No match among {tried}{rest}\n"),
        found => format!("{} among {tried}{rest}\n", count(found, "match", "matches")),
    };
    for Match { course, name, method, goal, changes, counts, .. } in
        matches.found.iter().take(SHOWN)
    {
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        let _ = match changes.len() {
            0 => writeln!(text, "\n{BOLD}{course}{PLAIN} -m {name}, unchanged"),
            _ => {
                writeln!(text, "\n{BOLD}{course}{PLAIN} -m {name}, except: {}", changes.join("; "))
            }
        };
        let _ = writeln!(text, "  {DIM}{method}, goal {goal}{PLAIN}");
        // The course counts something that taquin does not, or the other way round.
        let is_own = sought.expanded == counts.expanded
            && sought.generated.is_none_or(|generated| generated == counts.generated)
            && sought.queue.is_none_or(|queue| queue == counts.frontier_peak);
        let _ = writeln!(
            text,
            "  {}expanded {}, generated {}, largest frontier {}",
            if is_own { "" } else { "in taquin's counts: " },
            thousands(counts.expanded),
            thousands(counts.generated),
            thousands(counts.frontier_peak)
        );
    }
    if let Some(more) = matches.found.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        let _ = writeln!(
            text,
            "\nand {more} more (--json lists all); give another count, such as --queue, to narrow them down"
        );
    }
    wrapped(&text, 2)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use taquin_lab::Attempts;

    use crate::commands::match_counts::progress;

    #[test]
    fn progress_is_the_policies_and_the_share_of_the_limit() {
        let attempts = Attempts { tried: 1_234, expanded: 7_500_000 };
        let line = progress(Duration::from_secs(12), attempts, 30_000_000);
        assert_eq!(line, "12 s: 1,234 policies tried, 25 % of the node limit");
    }
}
