//! `taquin pdb`.

mod tune;

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde::Serialize;
use taquin::{
    AutomatonShape, Board, BuildRequest, Estimate, FileError, Metric, MoveOrder, Partition,
    PartitionError, Regions, Size, StoredTable, TableEvent, TableStore, build_command, free_memory,
    goal_options, write_bytes,
};

use crate::columns::Columns;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{
    bar, count, known_width, print, print_json, printable, say, thousands, visible, warning,
    written,
};
use crate::tables;
use crate::watch::interruptible;

/// Build, list, verify and remove pattern databases and other tables
///
/// They are stored in the platform's cache folder, or in the folder that the environment variable
/// `TAQUIN_CACHE` names, together with the tables of 'taquin enumerate --save'.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  taquin pdb build 6-6-3                 for the 15-puzzle with goal last
  taquin pdb build 7-8 --goal first
  taquin pdb build 6-6-6-6 --goal first --zero-aware
  taquin pdb build 1.2.3.4/5.6.7.8 --size 3x3
  taquin pdb tune --size 5x5 --memory 8G measure which databases are fastest
  taquin pdb list
  taquin pdb info 6-6-3
  taquin pdb verify
  taquin pdb remove 7-8
  taquin pdb remove 3x4 --goal first     the table of all 3x4 boards
  taquin pdb remove prune=14 --size 5x5  the automaton of a search with prune=14")]
pub(crate) struct PdbArgs {
    #[command(subcommand)]
    command: PdbCommand,
}

#[derive(Subcommand, Debug)]
enum PdbCommand {
    /// Build the databases of a partition, unless valid ones exist
    Build {
        /// Partition: 5-5-5, 6-6-3, 7-8, 6-6-6-6, or tiles as in 1.2.3/4.5.6
        partition: Partition,
        #[command(flatten)]
        goal: GoalOf,
        /// Build them even if they exist
        #[arg(long)]
        rebuild: bool,
        /// Memory limit: 1G, 4G [default: three quarters of the free memory]
        #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
        memory: Option<u64>,
    },
    Tune(tune::TuneArgs),
    /// List the stored tables
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Show the values in the tables of a partition or of all boards of a size
    Info {
        #[command(flatten)]
        which: Which,
    },
    /// Verify the checksums of stored tables
    Verify {
        /// Partition, the size of the boards, or prune=14 [default: all stored tables]
        table: Option<Wanted>,
        #[command(flatten)]
        goal: GoalOf,
    },
    /// Remove the tables of a partition or of all boards of a size
    Remove {
        #[command(flatten)]
        which: Which,
    },
}

/// The tables that a command is about.
#[derive(Args, Debug)]
struct Which {
    /// Partition: 5-5-5, 6-6-3, 7-8, 6-6-6-6, or tiles as in 1.2.3/4.5.6; the size of the boards, as
    /// in 3x4; or prune=14 for an automaton
    table: Wanted,
    #[command(flatten)]
    goal: GoalOf,
}

/// Pattern databases, the table of a whole space, or an automaton.
#[derive(Clone, Debug)]
enum Wanted {
    Partition(Partition),
    Space(Size),
    /// The length of the longest sequences.
    Automaton(usize),
}

impl FromStr for Wanted {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Self, PartitionError> {
        let lengths = 2..=AutomatonShape::LONGEST;
        let longest = text.strip_prefix("prune=").and_then(|text| text.parse().ok());
        if let Some(longest) = longest.filter(|longest| lengths.contains(longest)) {
            return Ok(Self::Automaton(longest));
        }
        match text.parse::<Size>() {
            // A single number is a tile.
            Ok(size) if !text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Self::Space(size)),
            _ => text.parse().map(Self::Partition),
        }
    }
}

#[derive(Args, Clone, Debug)]
struct GoalOf {
    /// Goal: last, first, snail, or a board [default: last]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Board size, for a partition given as tiles, or an automaton
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// Number of blanks [default: 1]
    #[arg(long, value_name = "N")]
    blanks: Option<usize>,
    /// The zero-aware databases, which zpdb= looks up
    #[arg(long)]
    zero_aware: bool,
}

impl GoalOf {
    fn board(&self, partition: &Partition) -> Result<Board, Failure> {
        let named = Partition::named().find(|(named, _)| named == partition).map(|(_, size)| size);
        let Some(size) = self.size.or(named) else {
            return Err(Failure::input("a partition given as tiles needs a board size")
                .hint("add the size, as in --size 4x4"));
        };
        if let Some(named) = named.filter(|named| *named != size) {
            return Err(Failure::input(format!("{partition} is a partition of {named} boards"))
                .hint("omit --size, or give the tiles, as in 1.2.3/4.5.6"));
        }
        self.of_size(size)
    }

    fn of_size(&self, size: Size) -> Result<Board, Failure> {
        let usual = CONFIG.usual_goal();
        goal_of_size(self.goal.as_deref().unwrap_or(usual.name()), size, self.blanks.unwrap_or(1))
    }
}

pub(crate) fn run(args: &PdbArgs) -> CommandResult {
    match &args.command {
        PdbCommand::Build { partition, goal, rebuild, memory } => {
            build(partition, goal, *rebuild, *memory)
        }
        PdbCommand::Tune(args) => tune::run(args),
        PdbCommand::List { json } => list(*json),
        PdbCommand::Info { which } => {
            for table in which.infos()? {
                let bars = histogram(&table);
                print(&(listed(&[table]) + &bars))?;
            }
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
    let store = store()?;
    let patterns = patterns(partition, of)?;
    let memory = memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3)).unwrap_or(u64::MAX);
    let monitor = interruptible();
    for pattern in patterns {
        let mut unsaved = None;
        tables::shown(|report| {
            let mut report = |event: TableEvent<'_>| {
                match event {
                    TableEvent::Invalid(error) => warning(&format!("{error}; it is built again")),
                    TableEvent::NotSaved(error) => unsaved = Some(tables::unsaved(error)),
                    _ => {}
                }
                report(event);
            };
            let report = &mut report;
            let request = &mut BuildRequest { memory, rebuild, cancel: &monitor, report };
            match of.zero_aware {
                true => {
                    let regions = Arc::new(Regions::of(&pattern)?);
                    store.load_or_build_zero_aware(&pattern, &regions, request)?;
                }
                false => drop(store.load_or_build(&pattern, request)?),
            }
            Ok(())
        })?;
        unsaved.map_or(Ok(()), Err)?;
    }
    let which = Which { table: Wanted::Partition(partition.clone()), goal: of.clone() };
    print(&listed(&which.infos()?))?;
    Ok(0)
}

fn patterns(partition: &Partition, goal: &GoalOf) -> Result<Vec<taquin::Pattern>, Failure> {
    let goal = goal.board(partition)?;
    partition.patterns(&goal).map_err(|error| Failure::input(error.to_string()))
}

impl Which {
    /// Returns the paths of the tables. For a whole space, those that exist, for either metric.
    fn paths(&self, store: &TableStore) -> Result<Vec<PathBuf>, Failure> {
        match &self.table {
            Wanted::Partition(partition) => Ok(patterns(partition, &self.goal)?
                .iter()
                .map(|pattern| match self.goal.zero_aware {
                    true => store.zero_aware_path(pattern.shape()),
                    false => store.path(pattern.shape()),
                })
                .collect()),
            Wanted::Space(size) => {
                if self.goal.size.is_some() {
                    return Err(Failure::input("--size is for partitions given as tiles"));
                }
                let goal = self.goal.of_size(*size)?;
                let [single, multi] = Metric::ALL.map(|metric| store.space_path(&goal, metric));
                Ok(match multi.exists() {
                    true if single.exists() => vec![single, multi],
                    true => vec![multi],
                    false => vec![single],
                })
            }
            Wanted::Automaton(longest) => {
                let GoalOf { goal, size, blanks, zero_aware } = &self.goal;
                if goal.is_some() || blanks.is_some() || *zero_aware {
                    return Err(Failure::input("an automaton has a board size and no goal")
                        .hint("omit --goal, --blanks and --zero-aware"));
                }
                let Some(size) = *size else {
                    return Err(Failure::input("an automaton needs a board size")
                        .hint("add the size, as in --size 5x5"));
                };
                // Those of all orders of moves that exist.
                let path = |order| {
                    AutomatonShape::new(size, order, *longest)
                        .map(|shape| store.automaton_path(shape))
                };
                let mut paths: Vec<PathBuf> = MoveOrder::all().filter_map(path).collect();
                if paths.is_empty() {
                    return Err(Failure::input(format!(
                        "automata are for boards of at most {} cells with more than one row and column",
                        AutomatonShape::MOST_CELLS
                    )));
                }
                match paths.iter().any(|path| path.exists()) {
                    true => paths.retain(|path| path.exists()),
                    // The first is the usual order.
                    false => paths.truncate(1),
                }
                Ok(paths)
            }
        }
    }

    fn infos(&self) -> Result<Vec<StoredTable>, Failure> {
        let usual = Some(CONFIG.usual_goal());
        let remedy = match &self.table {
            Wanted::Partition(partition) => {
                let goal = self.goal.board(partition)?;
                let kind = if self.goal.zero_aware { Estimate::Zpdb } else { Estimate::Pdb };
                let command = build_command(&kind(partition.clone()), &goal, usual);
                format!("run '{command}' to build it")
            }
            Wanted::Space(size) => {
                let goal = goal_options(&self.goal.of_size(*size)?, usual);
                format!("run 'taquin enumerate {size}{goal} --save' to make it")
            }
            Wanted::Automaton(longest) => {
                format!("a search with prune={longest} makes it, if that takes long")
            }
        };
        let info = |path: &PathBuf| {
            let failed = |error: FileError| Failure::input(error.to_string());
            StoredTable::info(path).map_err(|error| failed(error).hint(remedy.as_str()))
        };
        self.paths(&store()?)?.iter().map(info).collect()
    }
}

/// The columns that describe a table, before the name of its file.
const TABLE: &str = "llrr";

/// Lists tables under the folder that they are in. The name of a file is never broken: it has a line
/// of its own where it does not fit.
fn listed(tables: &[StoredTable]) -> String {
    let folder = tables.first().and_then(|table| table.path().parent());
    let heading = folder.map_or_else(String::new, |folder| format!("{}:\n", folder.display()));
    let rows = Columns::new(TABLE).indent(2).rows(tables.iter().map(row)).lines();
    let lines = |before: &str| -> Vec<String> {
        let file = |table: &StoredTable| {
            table.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
        };
        let line = |(row, table): (&String, &StoredTable)| {
            format!("{}{before}{}\n", row.trim_end(), printable(&file(table)))
        };
        rows.iter().zip(tables).map(line).collect()
    };
    let wide = lines("  ");
    let fits = |width| wide.iter().all(|line| visible(line.trim_end()) <= width);
    heading + &if known_width().is_none_or(fits) { wide } else { lines("\n    ") }.concat()
}

/// Describes a table in a row of columns.
fn row(table: &StoredTable) -> [String; 4] {
    let (kind, what, size, bytes) = match table {
        StoredTable::Patterns(info) => {
            let entries = format!("{} entries", thousands(info.entries));
            ("database", info.shape.to_string(), entries, info.bytes)
        }
        StoredTable::Space(info) => {
            let boards = count(info.depths.iter().sum(), "board", "boards");
            let what = format!("{} {}", written(info.goal.tiles(), info.goal.size()), info.metric);
            ("space", what, boards, info.bytes)
        }
        StoredTable::Automaton(info) => {
            let states = format!("{} states", thousands(info.states));
            ("automaton", info.shape.to_string(), states, info.bytes)
        }
    };
    [kind.to_owned(), what, size, write_bytes(bytes)]
}

/// Draws the number of entries for each value.
fn histogram(table: &StoredTable) -> String {
    let counts = match table {
        StoredTable::Patterns(info) => &info.histogram,
        StoredTable::Space(info) => &info.depths,
        StoredTable::Automaton(_) => return String::new(),
    };
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let rows = counts.iter().enumerate().filter(|(_, entries)| **entries > 0);
    let row = |(value, &entries): (usize, &u64)| {
        [value.to_string(), thousands(entries), bar(entries as f64 / most as f64)]
    };
    Columns::new("rrl").indent(2).rows(rows.map(row)).lines().concat()
}

/// Returns the stored tables, and the errors of files that are not valid.
fn stored(store: &TableStore) -> Result<Vec<Result<StoredTable, FileError>>, Failure> {
    let folder = store.folder().display();
    let files = store.list().map_err(|error| Failure::input(format!("{folder}: {error}")))?;
    if files.is_empty() {
        say(&format!("there are no tables in {folder}"));
    }
    Ok(files)
}

/// A table in JSON.
#[derive(Serialize)]
struct Listed {
    kind: &'static str,
    what: String,
    entries: u64,
    bytes: u64,
    path: String,
}

impl Listed {
    fn new(table: &StoredTable) -> Self {
        let path = table.path().display().to_string();
        match table {
            StoredTable::Patterns(info) => {
                let (what, entries, bytes) = (info.shape.to_string(), info.entries, info.bytes);
                Self { kind: "database", what, entries, bytes, path }
            }
            StoredTable::Space(info) => {
                let what = written(info.goal.tiles(), info.goal.size());
                let what = format!("{what} {}", info.metric);
                let entries = info.depths.iter().sum();
                Self { kind: "space", what, entries, bytes: info.bytes, path }
            }
            StoredTable::Automaton(info) => {
                let (what, entries, bytes) = (info.shape.to_string(), info.states, info.bytes);
                Self { kind: "automaton", what, entries, bytes, path }
            }
        }
    }
}

fn list(json: bool) -> CommandResult {
    if json {
        let tables: Vec<Listed> = stored(&store()?)?.iter().flatten().map(Listed::new).collect();
        print_json(&tables)?;
        return Ok(0);
    }
    let mut tables = Vec::new();
    let mut errors = Vec::new();
    for file in stored(&store()?)? {
        match file {
            Ok(table) => tables.push(table),
            Err(error) => errors.push(format!("{error}\n")),
        }
    }
    print(&(listed(&tables) + &errors.concat()))?;
    Ok(0)
}

fn verify(table: Option<&Wanted>, goal: &GoalOf) -> CommandResult {
    let store = store()?;
    let paths = match table {
        Some(table) => Which { table: table.clone(), goal: goal.clone() }.paths(&store)?,
        None if goal.goal.is_some() || goal.size.is_some() || goal.blanks.is_some() => {
            return Err(Failure::input("--goal, --size and --blanks need a partition or a size"));
        }
        None => stored(&store)?
            .into_iter()
            .map(|file| file.map_or_else(|error| error.path, |table| table.path().to_owned()))
            .collect(),
    };
    let mut bad = false;
    for path in paths {
        match StoredTable::verify(&path) {
            Ok(_) => print(&format!("{}: valid\n", path.display()))?,
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
            false => say(&format!("{} does not exist", path.display())),
        }
    }
    Ok(0)
}
