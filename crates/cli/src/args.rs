//! The command line: the list of commands and the arguments that several of them share.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser};
use taquin::{Costs, Size, TaskLimits};
use taquin_lab::Request;

use crate::commands::{self, Command};
use crate::config::CONFIG;
use crate::output::Color;
use crate::suggest;

/// Solve, check, generate and study sliding-tile puzzles.
#[derive(Parser, Debug)]
#[command(name = "taquin", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What every command has.
#[derive(Args, Debug)]
pub(crate) struct CommonArgs {
    /// When to use colours
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "WHEN",
        help_heading = "Other"
    )]
    pub(crate) color: Color,
}

const EXAMPLES: &str = "\
Examples:
  taquin solve \"1 2 3/4 0 6/7 5 8\"
  taquin solve 867254301 -m astar:manhattan --path boards
  taquin check \"1 2 3/4 5 6/8 7 0\"
  taquin gen --size 4x4 --count 5 --seed 7

Boards can be written as rows with slashes or on lines, as lists, or as a
string of digits. The blank is 0, b, _, *, x or a dot. Moves are the
directions of the blank: U, D, L, R.

Exit codes: 0 solved or valid, 1 a check differs, 2 bad usage or input,
3 another process was lost, 11 unsolvable, 12 no answer within a depth, beam
or node limit, 22 out of memory, 23 out of time, 70 a result that contradicts
itself, 130 interrupted.";

/// The commands, by what they are for.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Puzzles", &["solve", "hint", "check", "gen", "verify", "convert", "show", "play"]),
    (
        "Searches",
        &["methods", "heuristic", "explain", "compare", "audit", "enumerate", "experiment"],
    ),
    ("Many processes", &["task", "submit"]),
    ("Courses", &["ask", "courses", "reproduce", "match", "queens", "route"]),
    ("In the browser", &["serve", "page"]),
    ("Files, devices, settings", &["pdb", "gpu", "config"]),
];

/// Adds how to give a size to an error about a size among the arguments of a command with `--size`.
pub(crate) fn with_tip(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(wrong)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let command = std::env::args().nth(1).unwrap_or_default();
    let has_size = || {
        let cli = Cli::command();
        let found = cli.find_subcommand(&command);
        let is_size = |option: &clap::Arg| option.get_long() == Some("size");
        found.is_some_and(|command| command.get_arguments().any(is_size))
    };
    if error.kind() == ErrorKind::UnknownArgument && wrong.parse::<Size>().is_ok() && has_size() {
        let tip = format!("a size is given as '--size {wrong}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns the command line, with the commands in groups. If its first argument names a command, no other command is
/// made, since making them all takes longer than anything else at the start.
pub(crate) fn command() -> clap::Command {
    let first = std::env::args_os().nth(1);
    let mut names = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
    let one = names.find(|name| first.as_deref() == Some(OsStr::new(name)));
    if let Some(one) = one.and_then(commands::one) {
        return CommonArgs::augment_args(clap::Command::new("taquin")).subcommand(one);
    }
    let command = Cli::command();
    let line = |name: &str| {
        let about = command.find_subcommand(name).and_then(|found| found.get_about());
        about.map_or_else(String::new, |about| format!("  {name:<11}  {about}\n"))
    };
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let group = |(title, names): (&str, &[&str])| {
        let lines: String = names.iter().map(|name| line(name)).collect();
        format!("{title}:\n{lines}\n")
    };
    let groups: String = GROUPS.into_iter().map(group).collect();
    let others = command.get_subcommands().map(clap::Command::get_name);
    let others: String = others.filter(|name| !is_grouped(name)).map(line).collect();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n\
         Without a command, on a terminal, taquin asks for a puzzle and an algorithm.\n\n\
         {groups}Others:\n{others}  help         Print the help of a command\n\n\
         Options:\n{{options}}{{after-help}}"
    ))
}

/// A board and its goal.
#[derive(Args, Debug, Clone)]
pub(crate) struct PuzzleArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,
    /// Goal: last (1 2 .. 0), first (0 1 2 ..), snail (a spiral), or a board [default: last]
    #[arg(long, short, value_name = "GOAL")]
    pub(crate) goal: Option<String>,
    /// Read the goal from a file
    #[arg(long, value_name = "FILE", conflicts_with = "goal")]
    pub(crate) goal_file: Option<PathBuf>,
}

/// A board from an argument, a file or standard input.
#[derive(Args, Debug, Clone)]
pub(crate) struct BoardArgs {
    /// Board in any notation, such as "1 2 3/4 0 6/7 5 8"; - reads standard input
    #[arg(value_name = "BOARD")]
    pub(crate) board: Vec<String>,
    /// Read the board from a file
    #[arg(long, short, value_name = "FILE", conflicts_with = "board")]
    pub(crate) file: Option<PathBuf>,
    /// Board size, if the notation does not determine it: 3x4, or 4 for 4x4
    #[arg(long, value_name = "RxC")]
    pub(crate) size: Option<Size>,
}

/// The method and everything else about a search.
#[derive(Args, Debug, Default)]
pub(crate) struct SearchArgs {
    /// Method, such as bfs, astar:manhattan or ida:linear [default: auto]
    #[arg(long, short, value_name = "METHOD", value_parser = suggest::methods(), hide_possible_values = true)]
    pub(crate) method: Option<String>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Cost of a move: unit, tile (its number), or a list for tiles 1, 2, .. [default: unit]
    #[arg(long, value_name = "COST")]
    pub(crate) cost: Option<Costs>,
    /// Let blanks swap with each other, which changes only the counts
    #[arg(long)]
    pub(crate) jumps: bool,
    /// Search even if the puzzle is unsolvable
    #[arg(long)]
    pub(crate) search_anyway: bool,
    /// Number of threads, for methods that can use several [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// Reads a number of things: 1000, 1e3, 1k.
pub(crate) fn read_number(text: &str) -> Result<usize, taquin::UnitError> {
    taquin::read_count(text).map(|number| number as usize)
}

/// The limits of a search.
#[derive(Args, Debug, Default)]
pub(crate) struct LimitArgs {
    /// Stop after this time: 200ms, 10s, 5m
    #[arg(long, value_name = "TIME", value_parser = taquin::read_time)]
    pub(crate) time: Option<std::time::Duration>,
    /// Stop after expanding this many nodes: 5000, 1e6, 2M
    #[arg(long, value_name = "COUNT", value_parser = taquin::read_count)]
    pub(crate) nodes: Option<u64>,
    /// Stop above this much memory: 200M, 2G; the first answer of auto may take 1M even if less is
    /// given [default: three quarters of the free memory]
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
    /// Returns the request for these arguments; the board and the goal are still missing.
    pub(crate) fn request(&self, course: Option<&str>) -> Request {
        Request {
            course: course.map(str::to_owned),
            method: self.method.clone(),
            limits: self.limits.limits(),
            cost: self.cost.clone(),
            // A course has a number of its own.
            threads: self
                .threads
                .map(Into::into)
                .or_else(|| CONFIG.threads().filter(|_| course.is_none())),
            search_anyway: self.search_anyway,
            jumps: self.jumps,
            ..Request::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_made_alone_is_that_of_the_whole_command_line() {
        for name in GROUPS.iter().flat_map(|(_, names)| names.iter().copied()) {
            let mut alone =
                commands::one(name).unwrap_or_else(|| panic!("{name} can be made alone"));
            let whole = Cli::command();
            let mut whole = whole.find_subcommand(name).expect("a command").clone();
            assert_eq!(alone.render_long_help().to_string(), whole.render_long_help().to_string());
        }
    }
}
