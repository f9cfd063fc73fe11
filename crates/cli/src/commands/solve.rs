//! `taquin solve`.

mod all;
mod batch;
mod checkpoint;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use taquin::{Task, read_count, read_time};
use taquin_lab::Courses;

use crate::args::{PuzzleArgs, SearchArgs};
use crate::failure::{CommandResult, Failure};
use crate::follow::{self, PrintArgs};
use crate::report::PathStyle;
use crate::{pictures, tables};

/// Find a shortest solution
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin solve \"1 2 3/4 0 6/7 5 8\"                   a shortest solution
  taquin solve 867254301 -m astar:manhattan          with a given method
  taquin solve --file board.txt --goal spiral --path boards
  taquin solve \"2 3 6/1 0 7/4 8 5\" --cost tile       moving tile 7 costs 7
  taquin solve 867254301 --json
  taquin solve 867254301 --all-solutions             every shortest solution
  taquin solve 867254301 --animate solution.gif      an animated picture
  taquin generate 4x4 --seed 1 | taquin solve - --time 2s
  taquin generate 4x4 --number 100 | taquin solve --batch -
  taquin solve --batch \"random 3x3 n=50\" --jsonl -m ida:manhattan
  taquin generate 7x7 | taquin solve - -m anytime --time 30s
  taquin generate 100x100 | taquin solve - -m layers --path none
  taquin solve --file hard24.txt -m ida:pdb=6-6-6-6 --checkpoint hard24.json
  taquin solve --resume hard24.json                  resume that search
  taquin solve 712485630 --as ucr-list -m misplaced  count and print as a course
  taquin solve 123506478 --trace -m astar:misplaced  print every expansion
  taquin solve 123506478 --trace=jsonl --trace-limit 100
  taquin solve 123506478 --format nested             boards as nested lists

'taquin list methods' lists the methods. The default, auto, returns a shortest
solution if it can prove one within the time limit (10 s by default), and
otherwise the best one found, with a proven bound. anytime prints each
improvement. With --nodes and without --time its results are repeatable.")]
pub(crate) struct SolveArgs {
    #[command(flatten, next_help_heading = "Puzzle")]
    puzzle: PuzzleArgs,
    #[command(flatten, next_help_heading = "Search")]
    search: SearchArgs,
    #[command(flatten)]
    print: PrintArgs,
    /// Save the progress of the search to FILE, so that --resume can continue it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "all", "course", "trace"], help_heading = "Long searches")]
    checkpoint: Option<PathBuf>,
    /// Time between two checkpoints; one is also saved on Ctrl-C [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = read_time, help_heading = "Long searches")]
    checkpoint_every: Option<Duration>,
    /// Resume a search from its checkpoint, with any number of threads
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "file", "goal", "goal_file", "size", "method", "on", "cost", "jumps", "search_anyway", "course", "trace", "batch", "all", "checkpoint"], help_heading = "Long searches")]
    resume: Option<PathBuf>,
    /// Solve many boards in parallel: a file with one board per line or with empty lines between
    /// them, - for standard input, or a set such as korf100. Prints a line per board, and exits
    /// with 0 even if a board is unsolvable or unsolved
    #[arg(long, value_name = "FILE|SET", conflicts_with_all = ["board", "file", "json", "quiet", "all"], help_heading = "Many boards")]
    batch: Option<String>,
    /// List all shortest solutions
    #[arg(long = "all-solutions", alias = "all", help_heading = "All solutions")]
    all: bool,
    /// With --all-solutions: count them without listing them
    #[arg(long = "count-only", alias = "count", requires = "all", help_heading = "All solutions")]
    count: bool,
    /// With --all-solutions: stop after this many solutions
    #[arg(long, value_name = "COUNT", default_value = "1000", value_parser = read_count, requires = "all", help_heading = "All solutions")]
    limit: u64,
}

pub(crate) fn run(args: &SolveArgs) -> CommandResult {
    if args.checkpoint_every.is_some() && args.checkpoint.is_none() && args.resume.is_none() {
        return Err(Failure::input("--checkpoint-every needs --checkpoint or --resume")
            .hint("name the file, as in --checkpoint search.json"));
    }
    if args.batch.is_some() && args.print.solution.path == Some(PathStyle::Boards) {
        return Err(Failure::input("--batch prints a line for each board, without its path")
            .hint("use --path moves, or solve the boards one at a time"));
    }
    if let Some(path) = &args.print.animate {
        pictures::animation(path)?;
    }
    let request = args.search.request(args.print.course.as_deref());
    if let Some(text) = &args.batch {
        return batch::run(args, request, text);
    }
    let session = tables::session();
    if let Some(path) = &args.resume {
        let resumed = checkpoint::read(path)?;
        let asked = request.setting(Courses::Files)?.with_puzzle(resumed.task.puzzle.clone());
        let Task { threads, limits, .. } = asked.task;
        let task = Task { threads, limits, ..resumed.task.clone() };
        tables::prepare(&session, &task)?;
        return checkpoint::run(args, &session, &task, Some(&resumed), path);
    }
    let asked = args.print.prepare(args.puzzle.ask(request)?, &session)?;
    if args.all {
        return all::run(args, &asked, &session, args.limit);
    }
    if let Some(path) = &args.checkpoint {
        return checkpoint::run(args, &session, &asked.task, None, path);
    }
    follow::run(&args.print, &asked, &session)
}
