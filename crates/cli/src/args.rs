//! The command line: the list of commands and their common arguments.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Args, CommandFactory, Parser};
use taquin::{Algorithm, Costs, Device, Metric, Size, TaskLimits};
use taquin_lab::Request;

use crate::commands::{self, Command};
use crate::config::CONFIG;
use crate::output::Color;
use crate::suggest;

/// Solve sliding-tile puzzles, and see how the search did it.
#[derive(Parser, Debug)]
#[command(
    name = "taquin",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// The arguments of every command.
#[derive(Args, Debug)]
pub(crate) struct CommonArgs {
    /// Use colours: auto, always or never [default: auto]
    #[arg(
        long,
        value_enum,
        default_value_t,
        global = true,
        value_name = "WHEN",
        hide_possible_values = true,
        hide_default_value = true,
        help_heading = "Other"
    )]
    pub(crate) color: Color,
    /// Print help, of which -h prints less
    #[arg(long, short, global = true, action = ArgAction::Help, help_heading = "Other")]
    pub(crate) help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  taquin solve \"1 2 3/4 0 6/7 5 8\"
  taquin solve 867254301 -m astar:manhattan --path boards
  taquin solvable \"1 2 3/4 5 6/8 7 0\"
  taquin generate 4x4 --number 5 --seed 7

Boards can be written as rows with slashes or on lines, as lists, or as a
string of digits. The blank is 0, b, _, *, x or a dot. Moves are the
directions of the blank: U, D, L, R.

Exit codes: 0 solved or valid, 1 a check differs, 2 bad usage or input,
3 another process was lost, 11 unsolvable, 12 no answer within a depth, beam
or node limit, 22 out of memory, 23 out of time, 70 a result that contradicts
itself, 130 interrupted.";

/// The heading of arguments among options with headings of their own: clap's.
pub(crate) const ARGUMENTS: Option<&str> = None;

/// The commands of the first screen, by task.
pub(crate) const TASKS: [(&str, &[&str]); 4] = [
    ("Solve and play", &["solve", "hint", "solvable", "verify", "generate", "play"]),
    ("Understand a search", &["explain", "compare", "match", "audit", "list"]),
    ("Research", &["reproduce", "experiment", "enumerate", "task", "tables"]),
    ("Page and class", &["serve", "grade"]),
];

/// The commands that only `taquin help --all` lists.
pub(crate) const OTHERS: (&str, &[&str]) = (
    "Others",
    &[
        "draw",
        "convert",
        "heuristic",
        "spaces",
        "ask",
        "queens",
        "route",
        "page",
        "gpu",
        "config",
        "completions",
        "man",
        "help",
    ],
);

/// The last lines of the first screen.
const NEXT: &str = "\
New here? Try 'taquin play', 'taquin serve --open' or 'taquin ask'.
'taquin help COMMAND' explains a command, 'taquin help --all' lists the rest.";

/// Replaces clap's tips if they mislead: it takes an unknown option for a value, or for an option
/// with a similar name.
pub(crate) fn with_tip(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::Strings(similar)) = error.get(ContextKind::SuggestedSubcommand) {
        // The most similar one comes first.
        let similar = similar.iter().rev().cloned().collect();
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(similar));
    }
    if let Some(conflict) = conflict(&error) {
        return clap::Error::raw(ErrorKind::ArgumentConflict, conflict);
    }
    let tip = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(wrong))) => unknown_option(wrong),
        (ErrorKind::InvalidValue, Some(ContextValue::String(option)))
            if option.starts_with("--method") =>
        {
            Some(
                "name one, as in '-m astar:manhattan'; 'taquin list methods' lists them".to_owned(),
            )
        }
        (ErrorKind::InvalidSubcommand, _)
            if error.get(ContextKind::SuggestedSubcommand).is_none() =>
        {
            Some(match command_of(&error) {
                // `taquin list` has commands of its own.
                Some(parent) => format!("'taquin help {parent}' lists its commands"),
                None => "'taquin help --all' lists the commands".to_owned(),
            })
        }
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing)))
            if missing.iter().all(|missing| missing.starts_with("--")) =>
        {
            Some(format!("add {}", missing.join(" and ")))
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            if let Some(command) = command_of(&error) {
                let tip = format!("'taquin help {command}' explains the arguments");
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            return error;
        }
        (ErrorKind::ValueValidation, Some(ContextValue::String(option)))
            if option.starts_with("--format") && is_json(&error) =>
        {
            Some("'--json' prints JSON".to_owned())
        }
        _ => return error,
    };
    error.remove(ContextKind::ValidValue);
    error.remove(ContextKind::Suggested);
    if let Some(tip) = tip {
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::Usage);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Returns the command that an error is about, such as `experiment run`.
fn command_of(error: &clap::Error) -> Option<String> {
    let usage = error.get(ContextKind::Usage)?.to_string();
    let words = usage.split_whitespace().skip_while(|word| *word != "taquin").skip(1);
    let names: Vec<&str> =
        words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect();
    (!names.is_empty()).then(|| names.join(" "))
}

/// Describes two different arguments that exclude each other.
fn conflict(error: &clap::Error) -> Option<String> {
    let name = |text: &String| {
        let name = text.split([' ', '=']).next().unwrap_or_default();
        name.trim_matches(['[', ']', '<', '>', '.']).to_owned()
    };
    let (Some(ContextValue::String(one)), Some(other)) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::PriorArg))
    else {
        return None;
    };
    let others: Vec<String> = match other {
        ContextValue::String(other) => vec![name(other)],
        ContextValue::Strings(others) => others.iter().map(name).collect(),
        _ => return None,
    };
    let (one, others) = (name(one), others.join(" or "));
    (one != others).then(|| format!("give either {one} or {others}, not both\n"))
}

/// Whether the invalid value of an option is `json`.
fn is_json(error: &clap::Error) -> bool {
    let value = error.get(ContextKind::InvalidValue);
    matches!(value, Some(ContextValue::String(value)) if value == "json")
}

/// Returns a remedy for an argument that the command does not have, unless a similar one exists.
fn unknown_option(wrong: &str) -> Option<String> {
    let words = crate::arguments().iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    let (words, mut depth): (Vec<String>, usize) = (words.collect(), 0);
    let cli = Cli::command();
    let mut command = &cli;
    while let Some(found) = words.get(depth).and_then(|word| command.find_subcommand(word)) {
        (command, depth) = (found, depth + 1);
    }
    let has = |command: &clap::Command, name: &str| {
        let is_it = |option: &clap::Arg| option.get_long() == Some(name) && !option.is_hide_set();
        command.get_arguments().any(is_it)
    };
    if wrong.parse::<Size>().is_ok() && has(command, "size") {
        return Some(format!("write the size as '--size {wrong}'"));
    }
    if wrong.starts_with('-') && wrong.chars().nth(1).is_some_and(|digit| digit.is_ascii_digit()) {
        let at = words.iter().position(|word| word.starts_with(wrong))?;
        let option = words[..at].last().filter(|option| option.starts_with('-'))?;
        return Some(format!("{option} takes no negative value"));
    }
    let name = wrong.strip_prefix("--")?;
    match name {
        "format" | "output" | "out" if has(command, "json") => {
            return Some("'--json' prints JSON, and '> FILE' writes to a file".to_owned());
        }
        "verbose" if has(command, "trace") => {
            return Some("'--trace' prints every step".to_owned());
        }
        _ => {}
    }
    let others = cli.get_subcommands().filter(|other| !other.is_hide_set() && has(other, name));
    let others: Vec<&str> = others.map(clap::Command::get_name).collect();
    let is_option = format!("{wrong} is an option of {}", others.join(", "));
    (!others.is_empty()).then_some(is_option)
}

/// Reads a whole number within a range.
pub(crate) fn within<N: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let number = number.and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| format!("write a number from {} to {}", range.start(), range.end()))
    }
}

/// Returns the command line. If its first argument names a command, no other command is made,
/// because making them all takes longer than anything else at the start.
pub(crate) fn command() -> clap::Command {
    let first = crate::arguments().get(1).and_then(|first| first.to_str());
    match first.and_then(commands::one) {
        Some(one) => CommonArgs::augment_args(clap::Command::new("taquin"))
            .disable_help_subcommand(true)
            .disable_help_flag(true)
            .subcommand(one),
        None => first_screen(),
    }
}

/// Returns the command line, whose help is the first screen.
pub(crate) fn first_screen() -> clap::Command {
    let command = Cli::command();
    let tasks: String = TASKS.into_iter().map(|group| listed(&command, group)).collect();
    let usage = "Usage: taquin COMMAND, as in: taquin solve 867254301";
    command.help_template(format!("{{about}}\n{usage}\n\n{tasks}\n{NEXT}\n"))
}

/// Returns the command line, whose help has every command.
pub(crate) fn every_command() -> clap::Command {
    let command = Cli::command();
    let groups = TASKS.into_iter().chain([OTHERS]);
    let groups: String = groups.map(|group| listed(&command, group) + "\n").collect();
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}Options:\n{{options}}{{after-help}}"
    ))
}

/// Lists commands with their summaries.
fn listed(program: &clap::Command, (title, names): (&str, &[&str])) -> String {
    let line = |name: &&str| {
        let about = program.find_subcommand(name).and_then(|found| found.get_about());
        about.map_or_else(String::new, |about| format!("  {name:<11}  {about}\n"))
    };
    format!("{title}:\n{}", names.iter().map(line).collect::<String>())
}

/// A board and its goal.
#[derive(Args, Debug, Clone)]
pub(crate) struct PuzzleArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,
    /// Goal: last (1 2 .. 0), first (0 1 2 ..), spiral, a board, or @FILE [default: last]
    #[arg(long, short, value_name = "GOAL")]
    pub(crate) goal: Option<String>,
    /// Read the goal from a file, as --goal @FILE does
    #[arg(long, value_name = "FILE", conflicts_with = "goal")]
    pub(crate) goal_file: Option<PathBuf>,
}

/// A board from an argument, a file or standard input.
#[derive(Args, Debug, Clone)]
pub(crate) struct BoardArgs {
    /// Board in any notation, such as "1 2 3/4 0 6/7 5 8"; - reads standard input
    #[arg(value_name = "BOARD", help_heading = ARGUMENTS)]
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
    /// Cost of a move: unit, tile (its number), square, sqrt, inverse, reverse, hog2, or a list
    /// for tiles 1, 2, .. [default: unit]
    #[arg(long, value_name = "COST")]
    pub(crate) cost: Option<Costs>,
    /// Count single tiles (single) or whole segments (multi) as moves
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<Metric>,
    /// Let blanks swap with each other, which changes only the counts
    #[arg(long)]
    pub(crate) jumps: bool,
    /// Search even if the puzzle is unsolvable
    #[arg(long)]
    pub(crate) search_anyway: bool,
    /// Where to run: cpu or gpu, as the field on=gpu of a method says
    #[arg(long, value_name = "WHERE")]
    pub(crate) on: Option<Device>,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

/// The number of threads.
#[derive(Args, Debug, Default)]
pub(crate) struct ThreadArgs {
    /// Number of threads, if the work can use several [default: all cores]
    #[arg(long, value_name = "N", value_parser = within::<u16>(1..=1024))]
    pub(crate) threads: Option<u16>,
}

impl ThreadArgs {
    /// Makes tables and whole spaces use this many threads.
    pub(crate) fn apply(&self) {
        if let Some(threads) = self.threads.map(Into::into).or_else(|| CONFIG.threads()) {
            // It fails if there is a pool already; then the work has begun.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        }
    }
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
    /// Returns the method, with the device of `--on`.
    fn method_on_device(&self) -> Option<String> {
        let Some(device) = self.on else { return self.method.clone() };
        let method = self.method.as_deref().unwrap_or(Algorithm::Auto.name());
        Some(format!("{method},on={device}"))
    }

    /// Returns the request for these arguments; the board and the goal are still missing.
    pub(crate) fn request(&self, course: Option<&str>) -> Request {
        Request {
            course: course.map(str::to_owned),
            method: self.method_on_device(),
            limits: self.limits.limits(),
            cost: self.cost.clone(),
            metric: self.metric,
            // A course has a number of its own.
            threads: self
                .threads
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
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_command_made_alone_is_that_of_the_whole_command_line() {
        let whole = Cli::command();
        let made = whole.get_subcommands().filter(|command| {
            // These two have no arguments of their own.
            !["completions", "man"].contains(&command.get_name())
        });
        for command in made {
            let name = command.get_name();
            for name in command.get_all_aliases().chain([name]) {
                let alone = commands::one(name);
                let mut alone = alone.unwrap_or_else(|| panic!("{name} can be made alone"));
                let help = command.clone().render_long_help().to_string();
                assert_eq!(alone.render_long_help().to_string(), help);
            }
        }
    }

    /// Splits a shell command into its words. An operator is a separate word.
    fn words(command: &str) -> Vec<String> {
        let (mut words, mut word, mut quote): (Vec<String>, Option<String>, _) =
            (vec![], None, None);
        for c in command.chars() {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (None, '"' | '\'') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, '#') if word.is_none() => break,
                (None, ' ' | '|' | ';' | '&' | '>' | '<') => {
                    words.extend(word.take());
                    words.extend((c != ' ').then(|| c.to_string()));
                }
                _ => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    /// Returns the program's commands in a document's code blocks, each as its words.
    fn commands_of(text: &str) -> Vec<Vec<String>> {
        let text = text.replace("\\\n", " ");
        let mut in_block = false;
        let mut commands = Vec::new();
        for line in text.lines() {
            if line.trim_start().starts_with("```") {
                in_block = !in_block && ["```console", "```sh", "```bash"].contains(&line.trim());
            } else if in_block {
                let words = words(line.trim_start().trim_start_matches("$ "));
                let parts = words.split(|word| ["|", ";", "&", ">", "<"].contains(&&**word));
                let ours = parts.filter(|part| part.first().is_some_and(|name| name == "taquin"));
                commands.extend(ours.map(<[_]>::to_vec));
            }
        }
        commands
    }

    #[test]
    fn every_command_in_a_document_is_accepted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let listed = Command::new("git").args(["ls-files", "*.md"]).current_dir(&root).output();
        let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
        let mut checked = 0;
        for file in listed.lines() {
            let text = fs::read_to_string(root.join(file)).unwrap();
            for command in commands_of(&text) {
                match Cli::command().try_get_matches_from(&command) {
                    Ok(_) => {}
                    Err(error) if !error.use_stderr() => {}
                    Err(error) => panic!("{file}: {}: {error}", command.join(" ")),
                }
                checked += 1;
            }
        }
        assert!(checked > 150, "{checked}");
    }

    #[test]
    fn help_lists_every_command_once() {
        let listed = TASKS.iter().chain([&OTHERS]).flat_map(|(_, names)| names.iter().copied());
        let mut listed: Vec<&str> = listed.collect();
        let whole = Cli::command();
        let shown = whole.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<&str> = shown.map(clap::Command::get_name).collect();
        listed.sort_unstable();
        names.sort_unstable();
        assert_eq!(listed, names);
    }
}
