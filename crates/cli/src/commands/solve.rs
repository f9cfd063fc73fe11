//! `taquin solve`.

mod all;
mod batch;
mod checkpoint;
mod course;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use taquin::{Method, Notation, Puzzle, Session, Task, Watch, is_reachable, read_count, read_time};
use taquin_lab::second_look;

use self::course::FollowArgs;
use crate::args::{PuzzleArgs, SearchArgs};
use crate::failure::{CommandResult, Failure};
use crate::output::{print, print_json};
use crate::report::{PathStyle, describe, exit_code, print_moves};
use crate::watch::watched;
use crate::{pictures, tables};

/// Find a way from a board to its goal
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin solve \"1 2 3/4 0 6/7 5 8\"                    a shortest solution
  taquin solve 867254301 -m astar:manhattan           by a method of your choice
  taquin solve --file board.txt --goal snail --path boards
  taquin solve \"2 3 6/1 0 7/4 8 5\" --cost tile        moving tile 7 costs 7
  taquin solve \"5 1 2 4/9 6 3 8/13 10 7 12/14 0 11 15\" --json
  taquin gen --size 4 --seed 1 | taquin solve - --time 2s
  taquin gen --size 4 --count 100 | taquin solve --batch - --jsonl
  taquin solve --file hard24.txt -m ida:pdb=6-6-6-6 --checkpoint hard24.json
  taquin solve --resume hard24.json                   goes on after an interruption
  taquin solve 867254301 --animate solution.svg       a picture that moves
  taquin gen --size 7 | taquin solve - -m anytime --time 30s    ever better, as it says on the way
  taquin gen --size 100 | taquin solve - -m layers --path none  any size, at once
  taquin solve 867254301 --all                        every shortest solution
  taquin solve 712485630 --as ucr-list -m misplaced   as a course counts and prints it
  taquin solve 123506478 --trace -m astar:misplaced   every expansion
  taquin solve 123506478 --trace=jsonl --trace-limit 100

'taquin methods' lists the methods. auto, the default, gives an optimal answer where that is quick,
otherwise the best found within the time limit (10 s if none is given) with its proven bound; every
board gets an answer, however large. With --nodes and without --time, anytime always finds the same.")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    follow: FollowArgs,
    /// How to show the way
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    path: PathStyle,
    /// Name moves after where the blank goes, or the tile
    #[arg(long, default_value_t, value_name = "NOTATION")]
    notation: Notation,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print the moves alone
    #[arg(long, short, conflicts_with = "json")]
    quiet: bool,
    /// Write the solution as a moving SVG
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "all"])]
    animate: Option<PathBuf>,
    /// Write down how far the search is, so that it can go on after an interruption
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "all"])]
    checkpoint: Option<PathBuf>,
    /// How often to write it down, besides when the search is interrupted
    #[arg(long, value_name = "TIME", value_parser = read_time, default_value = "30s")]
    checkpoint_every: Duration,
    /// Go on with a search from its checkpoint, on any number of threads
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "file", "goal", "goal_file", "size", "method", "cost", "batch", "all", "checkpoint"])]
    resume: Option<PathBuf>,
    /// Solve a file of boards, one a line, over all cores; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "file", "json", "quiet", "all"], requires = "jsonl")]
    batch: Option<PathBuf>,
    /// Print one JSON object a line, in the order of the input
    #[arg(long)]
    jsonl: bool,
    /// List all shortest solutions
    #[arg(long)]
    all: bool,
    /// With --all: count them, and list none
    #[arg(long, requires = "all")]
    count: bool,
    /// With --all: stop after this many
    #[arg(long, value_name = "COUNT", default_value = "1000", value_parser = read_count, requires = "all")]
    limit: u64,
}

pub(crate) fn run(args: &SolveArgs) -> CommandResult {
    if let Some(path) = &args.batch {
        return batch::run(args, path);
    }
    if args.follow.is_asked() {
        return course::run(args);
    }
    let resumed = args.resume.as_deref().map(checkpoint::read).transpose()?;
    let task = match &resumed {
        Some(from) => Task {
            threads: args.search.threads(),
            limits: args.search.limits.limits(),
            ..from.task.clone()
        },
        None => task(&args.puzzle, &args.search)?,
    };
    let session = Session::new();
    if is_reachable(&task.puzzle) {
        tables::prepare(&session, &task)?;
    }
    if args.all {
        return all::run(args, &task, &session, args.limit);
    }
    let report = match args.resume.as_ref().or(args.checkpoint.as_ref()) {
        Some(path) => checkpoint::in_parts(args, &session, &task, resumed.as_ref(), path)?,
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
        print(&describe(&report, args.path, args.notation))?;
    }
    pictures::animate(args.animate.as_deref(), &report)?;
    Ok(exit_code(report.outcome, report.reason))
}

/// What the arguments ask for.
fn task(puzzle: &PuzzleArgs, search: &SearchArgs) -> Result<Task, Failure> {
    // The method first: it is checked in no time, and reading a board may wait for input.
    let method = search.method()?;
    Ok(task_of(puzzle.puzzle()?, method, search))
}

/// A puzzle to be solved as the arguments say.
fn task_of(puzzle: Puzzle, method: Method, search: &SearchArgs) -> Task {
    let mut task = Task::new(puzzle, method);
    task.cost = search.cost.clone().unwrap_or_default();
    task.jumps = search.jumps;
    task.threads = search.threads();
    task.search_anyway = search.search_anyway;
    task.limits = search.limits.limits();
    task
}
