//! `taquin task`.

pub(crate) mod submit;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, Subcommand};
use taquin::{
    FolderStatus, MergeOutcome, MergeParts, PartOptions, PartOutcome, SearchPart, Session, Size,
    SplitOptions, SplitTask, TaskFolder, Watch, read_count, read_time,
};
use taquin_lab::Request;

use crate::args::{BoardArgs, PuzzleArgs, within};
use crate::failure::{CommandResult, Failure};
use crate::folders::{open, show_merged};
use crate::output::{count, print, print_json, say, seconds, thousands, warning};
use crate::watch::watched;
use crate::{suggest, tables};

/// Split one hard search over many processes or machines
///
/// All processes share a folder. It holds the task and the parts of one threshold's tree. A process
/// searches one part, in any order and as often as you like. 'merge' adds up the counts, then
/// prints the answer or writes the parts of the next threshold. Every complete threshold has the
/// same counts as in one process (for aida if tt=0).
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin task split --file hard24.txt -m aida:zpdb=6-6-6-6 --tasks 1000 hard24
  taquin task submit hard24 --local 8            all rounds, with 8 processes
  taquin task submit hard24 --slurm | sh         all rounds, on Slurm
  taquin task run hard24 --index 17              one part
  taquin task merge hard24                       the answer, or the next parts
  taquin task status hard24                      progress and forecast")]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    command: TaskCommand,
}

#[derive(Subcommand, Debug)]
enum TaskCommand {
    Split(SplitArgs),
    Submit(submit::SubmitArgs),
    Run(RunArgs),
    Merge(MergeArgs),
    Status(StatusArgs),
}

/// Write the task and its first parts to a folder
///
/// Thresholds with few nodes are searched at once. The method is ida:manhattan on boards of up to
/// 16 cells, or ida or aida with pattern databases on boards of up to 25, with any move order and
/// prune.
#[derive(Parser, Debug)]
#[command(
    override_usage = "taquin task split [OPTIONS] --method <METHOD> [BOARD] <DIR>",
    after_help = "\
Examples:
  taquin task split \"15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0\" --goal first \\
    -m ida:manhattan --tasks 100 hard15
  taquin task split --file hard24.txt --goal first -m aida:zpdb=6-6-6-6 \\
    --tasks 1000 hard24

Tables of the method are built first, in the cache folder. Machines that do not
share it need a copy, or TAQUIN_CACHE set to a folder that they share.
Exit codes: 0 solved or split, 11 unsolvable."
)]
struct SplitArgs {
    /// The board, unless --file gives it, and the folder, which must be empty or not exist
    #[arg(value_name = "BOARD DIR", required = true)]
    words: Vec<String>,
    /// Read the board from a file
    #[arg(long, short, value_name = "FILE", help_heading = "Puzzle")]
    file: Option<PathBuf>,
    /// Board size, if the notation does not determine it: 3x4, or 4 for 4x4
    #[arg(long, value_name = "RxC", help_heading = "Puzzle")]
    size: Option<Size>,
    /// Goal: last (1 2 .. 0), first (0 1 2 ..), spiral, a board, or @FILE [default: last]
    #[arg(long, short, value_name = "GOAL", help_heading = "Puzzle")]
    goal: Option<String>,
    /// Read the goal from a file
    #[arg(long, value_name = "FILE", conflicts_with = "goal", help_heading = "Puzzle")]
    goal_file: Option<PathBuf>,
    /// Method: ida:manhattan, or ida or aida with databases, as in aida:zpdb=6-6-6-6
    #[arg(long, short, value_name = "METHOD", required = true, value_parser = suggest::methods(), hide_possible_values = true)]
    method: String,
    /// Number of parts; a part of 1 to 10 minutes loses little when it is repeated
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = within::<u32>(1..=TaskFolder::MAX_TASKS as u64))]
    tasks: u32,
    /// Search a threshold of fewer expected nodes at once, without parts
    #[arg(long, value_name = "COUNT", default_value = "10M", value_parser = read_count)]
    small: u64,
}

/// Search one part and write its result to the folder
///
/// Ctrl-C and SIGTERM save the progress; the same command then continues. A part that has a result
/// is not searched again.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin task run hard24 --index 17
  seq 0 999 | parallel taquin task run hard24 --index {}

Exit codes: 0 the part is done, or the search is solved; 2 an error;
130 interrupted, with the progress saved.")]
struct RunArgs {
    /// The folder
    dir: PathBuf,
    /// Number of the part, from 0 [default: its number in the job array of Slurm or HyperQueue]
    #[arg(long, value_name = "I")]
    index: Option<usize>,
    /// Number of threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u16>(1..=1024))]
    threads: u16,
    /// Time between two checkpoints of the part
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = read_time)]
    checkpoint_every: Duration,
}

/// Add up the results: print the answer, or write the parts of the next threshold
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin task merge hard24
  until taquin task merge hard24; do
    seq 0 999 | parallel taquin task run hard24 --index {}
  done

Exit codes: 0 solved; 12 not yet, because parts are missing or because the next
threshold has to be searched; 2 an error.")]
struct MergeArgs {
    /// The folder
    dir: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Show the progress of the search and a forecast
#[derive(Parser, Debug)]
#[command(after_help = "Example:\n  taquin task status hard24")]
struct StatusArgs {
    /// The folder
    dir: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &TaskArgs) -> CommandResult {
    match &args.command {
        TaskCommand::Split(args) => split(args),
        TaskCommand::Run(args) => run_part(args),
        TaskCommand::Merge(args) => merge(args),
        TaskCommand::Status(args) => status(args),
        TaskCommand::Submit(args) => submit::run(args),
    }
}

impl SplitArgs {
    /// Returns the puzzle and the folder.
    fn places(&self) -> Result<(PuzzleArgs, PathBuf), Failure> {
        let (dir, board) = self.words.split_last().expect("there is at least one word");
        match (board.is_empty(), &self.file) {
            (true, None) => {
                return Err(Failure::input("a board and a folder are needed")
                    .hint("write the board first, or --file FILE, and the folder last"));
            }
            (false, Some(_)) => {
                return Err(Failure::input("the board is given twice")
                    .hint("with --file, give only the folder"));
            }
            _ => {}
        }
        let board = BoardArgs { board: board.to_vec(), file: self.file.clone(), size: self.size };
        let (goal, goal_file) = (self.goal.clone(), self.goal_file.clone());
        Ok((PuzzleArgs { board, goal, goal_file }, PathBuf::from(dir)))
    }
}

fn split(args: &SplitArgs) -> CommandResult {
    let request = Request { method: Some(args.method.clone()), ..Request::default() };
    let (puzzle, dir) = args.places()?;
    let task = puzzle.ask(request)?.task;
    let session = tables::session();
    // A method that is refused needs no tables.
    if task.method.may_split() {
        tables::prepare(&session, &task)?;
    }
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let options = SplitOptions { tasks: args.tasks as usize, small: args.small, threads };
    let split = SplitTask { task: &task, options, path: &dir };
    let merged = watched(true, |monitor| session.run(split, Watch::by(monitor)));
    let merged = merged?;
    let code = show_merged(&merged, false)?;
    match merged {
        MergeOutcome::Answer(_) => Ok(code),
        _ => {
            let dir = dir.display();
            say(&format!("to search it here: taquin task submit {dir} --local {threads}"));
            Ok(0)
        }
    }
}

/// Opens a folder and gets the tables of its task.
fn opened(dir: &Path) -> Result<(TaskFolder, Session), Failure> {
    let folder = open(dir)?;
    let session = tables::session();
    tables::prepare(&session, folder.task())?;
    Ok((folder, session))
}

fn run_part(args: &RunArgs) -> CommandResult {
    let index = match args.index {
        Some(index) => index,
        None => index_of_scheduler()?,
    };
    let (folder, session) = opened(&args.dir)?;
    let options =
        PartOptions { threads: usize::from(args.threads), interval: args.checkpoint_every };
    let search = SearchPart { folder: &folder, part: index, options };
    let end =
        watched(true, |monitor| session.run(search, Watch::by(monitor).with_warnings(&warning)));
    let dir = args.dir.display();
    match end? {
        PartOutcome::Done { threshold, nodes, seconds: taken } => {
            let (nodes, taken) = (thousands(nodes), seconds(taken));
            say(&format!("threshold {threshold}, part {index}: {nodes} nodes in {taken}"));
        }
        PartOutcome::AlreadyDone => say(&format!("part {index} has a result already")),
        PartOutcome::Absent { parts } => {
            say(&format!(
                "nothing to do: the threshold has {}",
                count(parts as u64, "part", "parts")
            ));
        }
        PartOutcome::Found(length) => {
            let moves = count(length as u64, "move", "moves");
            say(&format!("part {index} has a solution of {moves}: taquin task merge {dir}"));
        }
        PartOutcome::Solved => {
            say(&format!("another part has a solution: taquin task merge {dir}"));
        }
        PartOutcome::Interrupted { .. } => {
            say(&format!("interrupted: taquin task run {dir} --index {index} continues"));
            return Ok(130);
        }
    }
    Ok(0)
}

/// Returns the number that a scheduler has given to this process.
fn index_of_scheduler() -> Result<usize, Failure> {
    for name in ["SLURM_ARRAY_TASK_ID", "HQ_TASK_ID"] {
        let Some(value) = std::env::var_os(name) else { continue };
        let value = value.to_string_lossy();
        return value.parse().map_err(|_| {
            Failure::input(format!("{name} must be a number, not '{}'", taquin::excerpt(&value)))
                .hint("name the part, as in --index 17")
        });
    }
    Err(Failure::input("no part is named")
        .hint("write --index 17; in a job array, SLURM_ARRAY_TASK_ID or HQ_TASK_ID names it"))
}

fn merge(args: &MergeArgs) -> CommandResult {
    let (folder, session) = opened(&args.dir)?;
    let merged = watched(true, |monitor| {
        session.run(MergeParts(&folder), Watch::by(monitor).with_warnings(&warning))
    });
    show_merged(&merged?, args.json)
}

fn status(args: &StatusArgs) -> CommandResult {
    let folder = open(&args.dir)?;
    let status = folder.status()?;
    match args.json {
        true => print_json(&status)?,
        false => {
            status.faults.iter().for_each(|fault| warning(fault));
            print(&described(&status))?;
        }
    }
    Ok(0)
}

fn described(status: &FolderStatus) -> String {
    let FolderStatus { method, threshold, before, parts, missing, .. } = status;
    let mut text = format!("method {method}\n");
    let nodes = thousands(before.generated);
    let _ = writeln!(text, "thresholds below {threshold}: complete, {nodes} nodes");
    let done = parts - missing.len();
    let nodes = thousands(status.nodes);
    let _ = writeln!(
        text,
        "threshold {threshold}: {} of {} done, {nodes} nodes in {}",
        thousands(done as u64),
        count(*parts as u64, "part", "parts"),
        seconds(status.seconds),
    );
    if let Some(length) = status.solved {
        let moves = count(length.into(), "move", "moves");
        let _ = writeln!(text, "solved: {moves}; 'taquin task merge' prints the solution");
        return text;
    }
    if status.interrupted > 0 {
        let parts = count(status.interrupted as u64, "part was", "parts were");
        let _ = writeln!(text, "{parts} interrupted, with the progress saved");
    }
    if missing.is_empty() {
        let _ = writeln!(text, "all parts are done: 'taquin task merge' adds them up");
    } else if let (Some(nodes), Some(time)) = (status.nodes_left, status.seconds_left) {
        let nodes = thousands(nodes as u64);
        let time = seconds(time);
        let _ = writeln!(text, "forecast: about {nodes} nodes, {time} of processor time are left");
    }
    if let Some(growth) = status.growth {
        let _ = writeln!(
            text,
            "this threshold has about {growth:.1} times the nodes of the one before"
        );
    }
    text
}
