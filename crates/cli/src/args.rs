//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use taquin::{BoardFormat, Costs, Method, Notation, Size, TaskLimits};

use crate::commands::ask::AskArgs;
use crate::commands::audit::AuditArgs;
use crate::commands::compare::CompareArgs;
use crate::commands::courses::CoursesArgs;
use crate::commands::enumerate::EnumerateArgs;
use crate::commands::experiment::ExperimentArgs;
use crate::commands::explain::ExplainArgs;
use crate::commands::follow::FollowArgs;
use crate::commands::match_counts::MatchArgs;
use crate::commands::pdb::PdbArgs;
use crate::commands::queens::QueensArgs;
use crate::commands::reproduce::ReproduceArgs;
use crate::commands::route::RouteArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::show::ShowArgs;
use crate::input::{BoardArgs, PuzzleArgs};
use crate::output::Color;

/// Solve, check, generate and study sliding-tile puzzles.
#[derive(Parser, Debug)]
#[command(name = "taquin", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    pub(crate) color: Color,
}

const EXAMPLES: &str = "\
Examples:
  taquin solve \"1 2 3/4 0 6/7 5 8\"
  taquin solve 867254301 -m astar:manhattan --path boards
  taquin check \"1 2 3/4 5 6/8 7 0\"
  taquin gen --size 4x4 --count 5 --seed 7

A board is written in almost any way: rows with slashes or on lines, lists, one-digit strings; 0, b,
_, *, x or . is the blank. Moves are named after where the blank goes: U, D, L, R.

Exit codes: 0 solved or valid, 1 a check differs, 2 bad usage or input, 11 unsolvable, 12 no answer
within a depth, beam or node limit, 22 out of memory, 23 out of time, 130 interrupted.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Solve(SolveArgs),
    Check(CheckArgs),
    Gen(GenArgs),
    Verify(VerifyArgs),
    Heuristic(HeuristicArgs),
    Convert(ConvertArgs),
    Show(ShowArgs),
    Compare(CompareArgs),
    Experiment(ExperimentArgs),
    Courses(CoursesArgs),
    Reproduce(ReproduceArgs),
    Match(MatchArgs),
    Explain(ExplainArgs),
    Ask(AskArgs),
    Audit(AuditArgs),
    Enumerate(EnumerateArgs),
    Queens(QueensArgs),
    Route(RouteArgs),
    Serve(ServeArgs),
    Pdb(PdbArgs),
    /// List the methods, the heuristics and the fields of a policy
    Methods,
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  taquin completions bash > ~/.local/share/bash-completion/completions/taquin"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write one for each command into a folder
    #[command(
        after_help = "Examples:\n  taquin man | man -l -\n  taquin man --dir ~/.local/share/man/man1"
    )]
    Man {
        /// Write taquin.1, taquin-solve.1, .. into this folder
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

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
    pub(crate) puzzle: PuzzleArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) follow: FollowArgs,
    /// How to show the way
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    pub(crate) path: PathStyle,
    /// Name moves after where the blank goes, or the tile
    #[arg(long, default_value_t, value_name = "NOTATION")]
    pub(crate) notation: Notation,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the moves alone
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,
    /// Write the solution as a moving SVG
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "all"])]
    pub(crate) animate: Option<PathBuf>,
    /// Write down how far the search is, so that it can go on after an interruption
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "all"])]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How often to write it down, besides when the search is interrupted
    #[arg(long, value_name = "TIME", value_parser = taquin::read_time, default_value = "30s")]
    pub(crate) checkpoint_every: std::time::Duration,
    /// Go on with a search from its checkpoint, on any number of threads
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "file", "goal", "goal_file", "size", "method", "cost", "batch", "all", "checkpoint"])]
    pub(crate) resume: Option<PathBuf>,
    /// Solve a file of boards, one a line, over all cores; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "file", "json", "quiet", "all"], requires = "jsonl")]
    pub(crate) batch: Option<PathBuf>,
    /// Print one JSON object a line, in the order of the input
    #[arg(long)]
    pub(crate) jsonl: bool,
    /// List all shortest solutions
    #[arg(long)]
    pub(crate) all: bool,
    /// With --all: count them, and list none
    #[arg(long, requires = "all")]
    pub(crate) count: bool,
    /// With --all: stop after this many
    #[arg(long, value_name = "COUNT", default_value = "1000", value_parser = taquin::read_count, requires = "all")]
    pub(crate) limit: u64,
}

/// How to search, and how far.
#[derive(clap::Args, Debug)]
pub(crate) struct SearchArgs {
    /// The method, such as bfs, astar:manhattan or ida:linear [default: auto]
    #[arg(long, short, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// What a move costs: unit, tile (its number), or a list for tile 1, 2, .. [default: unit]
    #[arg(long, value_name = "COST")]
    pub(crate) cost: Option<Costs>,
    /// Let a blank step onto another, which changes nothing but the counts
    #[arg(long)]
    pub(crate) jumps: bool,
    /// Search even if the goal can't be reached
    #[arg(long)]
    pub(crate) search_anyway: bool,
    /// How many threads to use, where the method can [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// How far to search.
#[derive(clap::Args, Debug)]
pub(crate) struct LimitArgs {
    /// Stop after this time: 200ms, 10s, 5m
    #[arg(long, value_name = "TIME", value_parser = taquin::read_time)]
    pub(crate) time: Option<std::time::Duration>,
    /// Stop after expanding this many nodes: 5000, 1e6, 2M
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count)]
    pub(crate) nodes: Option<u64>,
    /// Use at most this much memory: 200M, 2G [default: three quarters of what is free]
    #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
    pub(crate) memory: Option<u64>,
}

impl LimitArgs {
    pub(crate) fn limits(&self) -> TaskLimits {
        TaskLimits {
            expanded: self.nodes,
            generated: None,
            memory: self.memory.or_else(|| taquin::free_memory().map(|bytes| bytes / 4 * 3)),
            seconds: self.time.map(|time| time.as_secs_f64()),
            ..TaskLimits::default()
        }
    }
}

impl SearchArgs {
    pub(crate) fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, Into::into);
        self.threads.map_or_else(all, Into::into)
    }

    pub(crate) fn method(&self) -> Result<Method, crate::failure::Failure> {
        let method = self.method.as_deref().unwrap_or("auto");
        method.parse().map_err(|error| crate::failure::Failure::method(&error))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum PathStyle {
    /// Every board on the way
    Boards,
    /// The moves in a line
    #[default]
    Moves,
    /// Not at all
    None,
}

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
    pub(crate) puzzle: PuzzleArgs,
    /// Follow a course or a paper: its goal ('taquin courses')
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) course: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the answer alone
    #[arg(long, short, conflicts_with = "json")]
    pub(crate) quiet: bool,
}

/// Generate random boards
///
/// A seed gives the same boards on every machine.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin gen --size 4x4 --count 5 --seed 7      uniformly random, all solvable
  taquin gen --size 3 --depth 20 --count 10     exactly 20 moves from the goal
  taquin gen --size 6 --walk 50                 50 random moves from the goal
  taquin gen --size 3x5 --blanks 2 --format rows")]
pub(crate) struct GenArgs {
    /// The size of the boards
    #[arg(long, default_value = "3x3", value_name = "RxC")]
    pub(crate) size: Size,
    /// The number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) blanks: usize,
    /// The goal that the boards can reach: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    pub(crate) goal: String,
    /// How many boards
    #[arg(long, short = 'n', default_value_t = 1, value_name = "N")]
    pub(crate) count: usize,
    /// What the boards are drawn from [default: the time, and it is said]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Walk this many random moves from the goal
    #[arg(long, value_name = "MOVES", conflicts_with = "depth")]
    pub(crate) walk: Option<usize>,
    /// Only boards whose shortest solution has exactly this many moves
    #[arg(long, value_name = "MOVES")]
    pub(crate) depth: Option<u64>,
    /// How to write them: slashes, rows, nested, flat, digits or sized
    #[arg(long, default_value_t, value_name = "FORMAT")]
    pub(crate) format: BoardFormat,
    /// Use at most this much memory for --depth: 200M, 2G
    #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
    pub(crate) memory: Option<u64>,
}

/// Replay a solution and say whether it is one
///
/// Ends with 0 if the moves reach the goal, with 1 if they do not.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin verify \"1 2 3/4 0 6/7 5 8\" DR
  taquin verify \"1 2 3/4 0 6/7 5 8\" UL                the same, as the tiles move
  taquin verify \"2 1 0/0 3 4\" \"L1 U2\" --goal first     several blanks: each move with its tile")]
pub(crate) struct VerifyArgs {
    /// The board in any notation
    pub(crate) board: String,
    /// The moves, named after the blank (URDL) or the tile (RU2L), found out or told
    pub(crate) moves: String,
    /// The goal: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    pub(crate) goal: String,
    /// The board's size, where the notation leaves it open
    #[arg(long, value_name = "RxC")]
    pub(crate) size: Option<Size>,
    /// Moves are named after where the blank goes, or the tile
    #[arg(long, value_name = "NOTATION")]
    pub(crate) notation: Option<Notation>,
    /// Look this long for a shorter solution
    #[arg(long, default_value = "2s", value_name = "TIME", value_parser = taquin::read_time)]
    pub(crate) time: std::time::Duration,
}

/// Show what each heuristic estimates, tile by tile
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin heuristic \"8 1 3/4 0 2/7 6 5\"
  taquin heuristic 724506831 --goal first
  taquin heuristic \"2 3 6/1 0 7/4 8 5\" --cost tile")]
pub(crate) struct HeuristicArgs {
    #[command(flatten)]
    pub(crate) puzzle: PuzzleArgs,
    /// What a move costs: unit, tile, or a list
    #[arg(long, default_value_t, value_name = "COST")]
    pub(crate) cost: Costs,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a board, or moves, in another notation
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin convert 123456780 --to rows
  taquin convert --file board.txt --to nested
  taquin convert \"1 2 3/4 5 6/7 8 0\" --to sized --blank _
  taquin convert RU2RDL3                     moves: tile notation to blank notation
  taquin convert LDDLURRR --to tile")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,
    /// slashes, rows, nested, flat, digits or sized; for moves: blank or tile
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// What moves are named after: blank or tile [default: counts mean tile]
    #[arg(long, value_name = "NOTATION")]
    pub(crate) from: Option<Notation>,
    /// How to write the blank: 0, b, _, *, x or .
    #[arg(long, default_value_t = '0', value_name = "CHAR")]
    pub(crate) blank: char,
}
