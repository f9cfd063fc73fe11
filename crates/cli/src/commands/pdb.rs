//! `taquin pdb`.

use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use taquin::{
    Board, Costs, Estimate, Method, Metric, Partition, PartitionError, Puzzle, Session, Size,
    StoredTable, TableStore, Task, TaskLimits, free_memory, write_bytes,
};

use crate::failure::{CommandResult, Failure};
use crate::input::named_goal;
use crate::output::{BOLD, PLAIN, count, print, say, thousands, written};
use crate::tables;

/// Build, list, check and remove pattern databases and other tables
///
/// They are kept in the platform's cache folder, or where `TAQUIN_CACHE` says, beside the tables of
/// whole spaces that 'taquin enumerate --save' makes.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  taquin pdb build 6-6-3                       for the 15-puzzle with goal last
  taquin pdb build 7-8 --goal first
  taquin pdb build 1.2.3.4/5.6.7.8 --size 3x3
  taquin pdb list
  taquin pdb info 6-6-3
  taquin pdb verify
  taquin pdb remove 7-8
  taquin pdb remove 3x4 --goal first           the table of a whole space")]
pub(crate) struct PdbArgs {
    #[command(subcommand)]
    command: PdbCommand,
}

#[derive(Subcommand, Debug)]
enum PdbCommand {
    /// Build the databases of a partition, unless they are there
    Build {
        /// The partition: 5-5-5, 6-6-3, 7-8, 6-6-6-6, or tiles as in 1.2.3/4.5.6
        partition: Partition,
        #[command(flatten)]
        goal: GoalOf,
        /// Build them again if a file does not serve
        #[arg(long)]
        rebuild: bool,
        /// Use at most this much memory: 1G, 4G [default: three quarters of what is free]
        #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
        memory: Option<u64>,
    },
    /// List the tables that are kept
    List,
    /// Show what the tables of a partition or a whole space hold
    Info {
        #[command(flatten)]
        which: Which,
    },
    /// Check every byte of the tables that are kept, or of some
    Verify {
        /// The partition, or the size of a whole space; all that are kept without one
        table: Option<Wanted>,
        #[command(flatten)]
        goal: GoalOf,
    },
    /// Remove the tables of a partition or a whole space
    Remove {
        #[command(flatten)]
        which: Which,
    },
}

/// Which tables.
#[derive(Args, Debug)]
struct Which {
    /// The partition: 5-5-5, 6-6-3, 7-8, 6-6-6-6, or tiles as in 1.2.3/4.5.6; for a whole space the
    /// size, as in 3x4
    table: Wanted,
    #[command(flatten)]
    goal: GoalOf,
}

/// Databases, or a whole space.
#[derive(Clone, Debug)]
enum Wanted {
    Partition(Partition),
    Space(Size),
}

impl FromStr for Wanted {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Self, PartitionError> {
        match text.parse::<Size>() {
            // A number alone is a tile.
            Ok(size) if !text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Self::Space(size)),
            _ => text.parse().map(Self::Partition),
        }
    }
}

#[derive(Args, Clone, Debug)]
struct GoalOf {
    /// The goal: last, first, snail, or a board
    #[arg(long, short, default_value = "last", value_name = "GOAL")]
    goal: String,
    /// The board's size, for a partition given as tiles
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// The number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
}

impl GoalOf {
    fn board(&self, partition: &Partition) -> Result<Board, Failure> {
        let named = Partition::named().find(|(named, _)| named == partition).map(|(_, size)| size);
        let Some(size) = self.size.or(named) else {
            return Err(Failure::input(format!(
                "the size of the board that {partition} is for is open"
            ))
            .hint("give it, as in --size 4x4"));
        };
        named_goal(&self.goal, size, self.blanks)
    }
}

pub(crate) fn run(args: &PdbArgs) -> CommandResult {
    match &args.command {
        PdbCommand::Build { partition, goal, rebuild, memory } => {
            build(partition, goal, *rebuild, *memory)
        }
        PdbCommand::List => list(),
        PdbCommand::Info { which } => {
            print(&which.infos()?.iter().map(|kept| describe(kept, true)).collect::<String>())?;
            Ok(0)
        }
        PdbCommand::Verify { table, goal } => verify(table.as_ref(), goal),
        PdbCommand::Remove { which } => remove(which),
    }
}

fn store() -> Result<TableStore, Failure> {
    TableStore::of_account().map_err(|error| Failure::input(error.to_string()))
}

fn build(partition: &Partition, of: &GoalOf, rebuild: bool, memory: Option<u64>) -> CommandResult {
    let goal = of.board(partition)?;
    if rebuild {
        let store = store()?;
        for pattern in patterns(partition, of)? {
            if store.load(&pattern).is_err() {
                let _ = StoredTable::remove(&store.path(pattern.shape()));
            }
        }
    }
    let puzzle =
        Puzzle::new(goal.clone(), goal).map_err(|error| Failure::input(error.to_string()))?;
    let method = Method::new(taquin::Algorithm::Ida, Some(Estimate::Pdb(partition.clone())));
    let mut task = Task::new(puzzle, method);
    task.cost = Costs::Unit;
    task.limits = TaskLimits {
        memory: memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3)),
        ..TaskLimits::default()
    };
    tables::prepare(&Session::new(), &task)?;
    let which = Which { table: Wanted::Partition(partition.clone()), goal: of.clone() };
    print(&which.infos()?.iter().map(|kept| describe(kept, false)).collect::<String>())?;
    Ok(0)
}

fn patterns(partition: &Partition, goal: &GoalOf) -> Result<Vec<taquin::Pattern>, Failure> {
    let goal = goal.board(partition)?;
    partition.patterns(&goal).map_err(|error| Failure::input(error.to_string()))
}

impl Which {
    /// Where the tables are or would be: of a whole space those that are there, by either metric.
    fn paths(&self, store: &TableStore) -> Result<Vec<PathBuf>, Failure> {
        match &self.table {
            Wanted::Partition(partition) => Ok(patterns(partition, &self.goal)?
                .iter()
                .map(|pattern| store.path(pattern.shape()))
                .collect()),
            Wanted::Space(size) => {
                let goal = named_goal(&self.goal.goal, *size, self.goal.blanks)?;
                let [single, multi] = Metric::ALL.map(|metric| store.space_path(&goal, metric));
                Ok(match multi.exists() {
                    true if single.exists() => vec![single, multi],
                    true => vec![multi],
                    false => vec![single],
                })
            }
        }
    }

    fn infos(&self) -> Result<Vec<StoredTable>, Failure> {
        let remedy = match &self.table {
            Wanted::Partition(partition) => format!("'taquin pdb build {partition}' makes it"),
            Wanted::Space(size) => format!("'taquin enumerate {size} --save' makes it"),
        };
        let info = |path: &PathBuf| {
            let failed = |error: taquin::FileError| Failure::input(error.to_string());
            StoredTable::info(path).map_err(|error| failed(error).hint(remedy.as_str()))
        };
        self.paths(&store()?)?.iter().map(info).collect()
    }
}

/// A table in a line, and what it holds below it.
fn describe(kept: &StoredTable, histogram: bool) -> String {
    let (kind, what, size, bytes, counts) = match kept {
        StoredTable::Patterns(info) => {
            let entries = format!("{} entries", thousands(info.entries));
            ("database", info.shape.to_string(), entries, info.bytes, &info.histogram)
        }
        StoredTable::Space(info) => {
            let boards = count(info.depths.iter().sum(), "board", "boards");
            let what = format!("{} {}", written(info.goal.tiles(), info.goal.size()), info.metric);
            ("space", what, boards, info.bytes, &info.depths)
        }
    };
    let (bytes, path) = (write_bytes(bytes), kept.path().display());
    let mut text = format!("{kind:<8}  {BOLD}{what}{PLAIN}: {size}, {bytes}, {path}\n");
    if histogram {
        let most = counts.iter().copied().max().unwrap_or(1).max(1);
        for (value, &entries) in counts.iter().enumerate().filter(|(_, entries)| **entries > 0) {
            let bar = "#".repeat((entries * 50).div_ceil(most) as usize);
            let _ = writeln!(text, "  {value:>3} {:>14}  {bar}", thousands(entries));
        }
    }
    text
}

/// What is kept, or why it does not serve.
fn kept(store: &TableStore) -> Result<Vec<Result<StoredTable, taquin::FileError>>, Failure> {
    let folder = store.folder().display();
    let files = store.list().map_err(|error| Failure::input(format!("{folder}: {error}")))?;
    if files.is_empty() {
        say(&format!("there are no tables in {folder}"));
    }
    Ok(files)
}

fn list() -> CommandResult {
    let line = |file: &Result<StoredTable, taquin::FileError>| match file {
        Ok(kept) => describe(kept, false),
        Err(error) => format!("{error}\n"),
    };
    print(&kept(&store()?)?.iter().map(line).collect::<String>())?;
    Ok(0)
}

fn verify(table: Option<&Wanted>, goal: &GoalOf) -> CommandResult {
    let store = store()?;
    let paths = match table {
        Some(table) => Which { table: table.clone(), goal: goal.clone() }.paths(&store)?,
        None => kept(&store)?
            .into_iter()
            .map(|file| file.map_or_else(|error| error.path, |kept| kept.path().to_owned()))
            .collect(),
    };
    let mut bad = false;
    for path in paths {
        match StoredTable::verify(&path) {
            Ok(_) => print(&format!("{}: every byte is as it was built\n", path.display()))?,
            Err(error) => {
                bad = true;
                print(&format!("{error}\n"))?;
            }
        }
    }
    Ok(u8::from(bad))
}

fn remove(which: &Which) -> CommandResult {
    for path in which.paths(&store()?)? {
        match StoredTable::remove(&path).map_err(|error| Failure::input(error.to_string()))? {
            true => say(&format!("removed {}", path.display())),
            false => say(&format!("there is no {}", path.display())),
        }
    }
    Ok(0)
}
