//! `taquin tables`.

mod tune;

use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use serde::Serialize;
use taquin::{
    AutomatonShape, Board, BuildRequest, Estimate, FileError, FileFault, Metric, MoveOrder,
    Packing, Partition, PartitionError, PatternKind, PerimeterShape, Size, StoredTable, TableError,
    TableEvent, TableStore, free_memory, write_bytes,
};
use taquin_web::{build_command, goal_options};

use crate::args::ThreadArgs;
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
  taquin tables build 6-6-3                 for the 15-puzzle with goal last
  taquin tables build 7-8 --goal first
  taquin tables build 6-6-6-6 --goal first --zero-aware
  taquin tables build 1.2.3.4/5.6.7.8 --size 3x3
  taquin tables build 4x4 --metric multi    for moves of several tiles
  taquin tables tune --size 5x5          measure which databases are fastest
  taquin tables list
  taquin tables info 6-6-3
  taquin tables verify
  taquin tables remove 7-8
  taquin tables remove 3x4 --goal first     the tables of all 3x4 boards
  taquin tables remove prune=14 --size 5x5  the automaton of prune=14")]
pub(crate) struct TablesArgs {
    #[command(subcommand)]
    command: TablesCommand,
}

#[derive(Subcommand, Debug)]
enum TablesCommand {
    /// Build the databases of a partition or the boards near a goal, unless valid ones exist
    Build {
        /// Partition: 5-5-5, 6-6-3, 7-8, 6-6-6-6, or tiles as in 1.2.3/4.5.6; with --metric multi
        /// the size of the boards, at most 16 cells
        #[arg(value_name = "PARTITION")]
        table: TableName,
        #[command(flatten)]
        goal: GoalOf,
        /// Find the boards near the goal for searches that count whole segments (multi) as moves
        #[arg(long, value_name = "METRIC")]
        metric: Option<Metric>,
        /// Build them even if they exist
        #[arg(long)]
        rebuild: bool,
        /// Memory limit: 1G, 4G [default: three quarters of the free memory]
        #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
        memory: Option<u64>,
        #[command(flatten)]
        threads: ThreadArgs,
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
        which: TableArgs,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Verify the checksums of stored tables
    Verify {
        /// Partition, the size of the boards, or prune=14 [default: all stored tables]
        table: Option<TableName>,
        #[command(flatten)]
        goal: GoalOf,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Remove the tables of a partition or of all boards of a size
    Remove {
        #[command(flatten)]
        which: TableArgs,
    },
}

/// The tables that a command works on.
#[derive(Args, Debug)]
struct TableArgs {
    /// Partition: 5-5-5, 6-6-3, 7-8, 6-6-6-6, or tiles as in 1.2.3/4.5.6; the size of the boards,
    /// as in 3x4; or prune=14 for an automaton
    table: TableName,
    #[command(flatten)]
    goal: GoalOf,
}

/// Pattern databases, the table of a whole space, or an automaton.
#[derive(Clone, Debug)]
enum TableName {
    Partition(Partition),
    Space(Size),
    /// The length of the longest sequences.
    Automaton(usize),
}

impl FromStr for TableName {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Self, PartitionError> {
        let lengths = 2..=AutomatonShape::MAX_LENGTH;
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
    /// Goal: last, first, spiral, a board, or @FILE [default: last]
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
    const fn kind(&self) -> PatternKind {
        if self.zero_aware { PatternKind::ZeroAware } else { PatternKind::Plain }
    }

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

    /// The shape of a perimeter, if there is one for the goal.
    fn perimeter_of(&self, size: Size) -> Result<Option<PerimeterShape>, Failure> {
        Ok(Packing::new(&self.of_size(size)?).map(|packing| packing.shape()))
    }
}

pub(crate) fn run(args: &TablesArgs) -> CommandResult {
    match &args.command {
        TablesCommand::Build { table, goal, metric, rebuild, memory, threads } => {
            threads.apply();
            build(table, goal, metric.unwrap_or_default(), *rebuild, *memory)
        }
        TablesCommand::Tune(args) => tune::run(args),
        TablesCommand::List { json } => list(*json),
        TablesCommand::Info { which, json } => {
            let tables = which.infos()?;
            if *json {
                let table =
                    |table| TableInfo { table: TableJson::new(table), counts: counts(table) };
                print_json(&tables.iter().map(table).collect::<Vec<_>>())?;
                return Ok(0);
            }
            for table in tables {
                let bars = histogram(&table);
                print(&(listed(&[table]) + &bars))?;
            }
            Ok(0)
        }
        TablesCommand::Verify { table, goal, json } => verify(table.as_ref(), goal, *json),
        TablesCommand::Remove { which } => remove(which),
    }
}

/// A table to build.
enum Built {
    Pattern(Box<taquin::Pattern>),
    Perimeter(PerimeterShape),
}

fn build(
    table: &TableName,
    of: &GoalOf,
    metric: Metric,
    rebuild: bool,
    memory: Option<u64>,
) -> CommandResult {
    let store = CONFIG.store()?;
    let all = match (table, metric) {
        (TableName::Partition(partition), Metric::Single) => {
            let patterns = patterns(partition, of)?.into_iter();
            patterns.map(|pattern| Built::Pattern(Box::new(pattern))).collect()
        }
        (TableName::Space(size), Metric::Multi) => {
            vec![Built::Perimeter(of.perimeter_of(*size)?.ok_or_else(no_perimeter)?)]
        }
        (TableName::Partition(_), Metric::Multi) => {
            return Err(Failure::input("pattern databases count single tiles as moves")
                .hint("name the size of the boards, as in 4x4 --metric multi"));
        }
        (TableName::Space(size), Metric::Single) => {
            return Err(Failure::input("this builds the databases of a partition").hint(format!(
                "write --metric multi for the boards near the goal; 'taquin enumerate {size} \
                 --save' makes the table of all boards"
            )));
        }
        (TableName::Automaton(longest), _) => {
            return Err(Failure::input("automata are built by searches").hint(format!(
                "a search with prune={longest} makes it, if building it takes long"
            )));
        }
    };
    let memory = memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3)).unwrap_or(u64::MAX);
    let monitor = interruptible();
    for table in &all {
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
            let made = match table {
                Built::Pattern(pattern) => store.make(pattern, of.kind(), request),
                Built::Perimeter(shape) => store.make_perimeter(*shape, request),
            };
            made.map_err(TableError::from)
        })?;
        unsaved.map_or(Ok(()), Err)?;
    }
    let which = TableArgs { table: table.clone(), goal: of.clone() };
    let mut tables = which.infos()?;
    tables.retain(|table| matches!(table, StoredTable::Perimeter(_)) == (metric == Metric::Multi));
    print(&listed(&tables))?;
    Ok(0)
}

fn no_perimeter() -> Failure {
    Failure::input(format!(
        "the boards near a goal are for goals with one blank and at most {} cells",
        PerimeterShape::MAX_CELLS
    ))
}

fn patterns(partition: &Partition, goal: &GoalOf) -> Result<Vec<taquin::Pattern>, Failure> {
    let goal = goal.board(partition)?;
    partition.patterns(&goal).map_err(|error| Failure::input(error.to_string()))
}

impl TableArgs {
    /// Returns the tables' paths. For boards of a size, returns the tables that exist: the whole space
    /// in either metric, and the boards near the goal.
    fn paths(&self, store: &TableStore) -> Result<Vec<PathBuf>, Failure> {
        match &self.table {
            TableName::Partition(partition) => Ok(patterns(partition, &self.goal)?
                .iter()
                .map(|pattern| store.path(pattern.shape(), self.goal.kind()))
                .collect()),
            TableName::Space(size) => {
                if self.goal.size.is_some() {
                    return Err(Failure::input("--size is for partitions given as tiles"));
                }
                let goal = self.goal.of_size(*size)?;
                let mut paths = Metric::ALL.map(|metric| store.space_path(&goal, metric)).to_vec();
                let shape = self.goal.perimeter_of(*size)?;
                paths.extend(shape.map(|shape| store.perimeter_path(shape)));
                match paths.iter().any(|path| path.exists()) {
                    true => paths.retain(|path| path.exists()),
                    false => paths.truncate(1),
                }
                Ok(paths)
            }
            TableName::Automaton(longest) => {
                let GoalOf { goal, size, blanks, zero_aware } = &self.goal;
                if goal.is_some() || blanks.is_some() || *zero_aware {
                    return Err(Failure::input("an automaton has a board size and no goal")
                        .hint("omit --goal, --blanks and --zero-aware"));
                }
                let Some(size) = *size else {
                    return Err(Failure::input("an automaton needs a board size")
                        .hint("add the size, as in --size 5x5"));
                };
                // The existing files for all move orders.
                let path = |order| {
                    AutomatonShape::new(size, order, *longest)
                        .map(|shape| store.automaton_path(shape))
                };
                let mut paths: Vec<PathBuf> = MoveOrder::all().filter_map(path).collect();
                if paths.is_empty() {
                    return Err(Failure::input(format!(
                        "automata are for boards of at most {} cells with more than one row and column",
                        AutomatonShape::MAX_CELLS
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
            TableName::Partition(partition) => {
                let goal = self.goal.board(partition)?;
                let (partition, kind) = (partition.clone(), self.goal.kind());
                let command = build_command(&Estimate::Pdb { partition, kind }, &goal, usual);
                format!("run '{command}' to build it")
            }
            TableName::Space(size) => {
                let goal = goal_options(&self.goal.of_size(*size)?, usual);
                format!("run 'taquin enumerate {size}{goal} --save' to make it")
            }
            TableName::Automaton(longest) => {
                format!("a search with prune={longest} makes it, if building it takes long")
            }
        };
        let info = |path: &PathBuf| {
            let failed = |error: FileError| match &error.fault {
                FileFault::Io(cause) if cause.kind() == io::ErrorKind::NotFound => {
                    Failure::input(format!("{}: no such file", error.path.display()))
                }
                _ => Failure::input(error.to_string()),
            };
            StoredTable::info(path).map_err(|error| failed(error).hint(remedy.as_str()))
        };
        self.paths(&CONFIG.store()?)?.iter().map(info).collect()
    }
}

/// The columns that describe a table, before the name of its file.
const TABLE: &str = "llrr";

/// Lists tables under their folder. A file name is never broken: it has its own line if it does not
/// fit.
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
    let TableJson { kind, what, entries, nouns: [one, many], bytes, .. } = TableJson::new(table);
    [kind.to_owned(), what, count(entries, one, many), write_bytes(bytes)]
}

/// Returns the number of entries for each value.
fn counts(table: &StoredTable) -> &[u64] {
    match table {
        StoredTable::Patterns(info) => &info.histogram,
        StoredTable::Space(info) => &info.depths,
        StoredTable::Automaton(_) | StoredTable::Perimeter(_) => &[],
    }
}

/// Draws the number of entries for each value.
fn histogram(table: &StoredTable) -> String {
    let counts = counts(table);
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

/// The kind of a table, as in JSON.
#[derive(Serialize)]
struct TableJson {
    kind: &'static str,
    what: String,
    entries: u64,
    /// The words for one entry and for several entries.
    #[serde(skip)]
    nouns: [&'static str; 2],
    bytes: u64,
    path: String,
}

/// A table with the number of entries for each value, as in JSON.
#[derive(Serialize)]
struct TableInfo<'a> {
    #[serde(flatten)]
    table: TableJson,
    counts: &'a [u64],
}

impl TableJson {
    fn new(table: &StoredTable) -> Self {
        let (kind, what, entries, nouns, bytes) = match table {
            StoredTable::Patterns(info) => {
                let what = info.shape.to_string();
                ("database", what, info.entries, ["entry", "entries"], info.bytes)
            }
            StoredTable::Space(info) => {
                let what = written(info.goal.tiles(), info.goal.size());
                let (what, boards) = (format!("{what} {}", info.metric), info.depths.iter().sum());
                ("space", what, boards, ["board", "boards"], info.bytes)
            }
            StoredTable::Automaton(info) => {
                let what = info.shape.to_string();
                ("automaton", what, info.states, ["state", "states"], info.bytes)
            }
            StoredTable::Perimeter(info) => {
                let what = format!("{} multi", info.shape);
                ("perimeter", what, info.moves.into(), ["move", "moves"], info.bytes)
            }
        };
        Self { kind, what, entries, nouns, bytes, path: table.path().display().to_string() }
    }
}

fn list(json: bool) -> CommandResult {
    if json {
        let tables: Vec<TableJson> =
            stored(&CONFIG.store()?)?.iter().flatten().map(TableJson::new).collect();
        print_json(&tables)?;
        return Ok(0);
    }
    let mut tables = Vec::new();
    let mut errors = Vec::new();
    for file in stored(&CONFIG.store()?)? {
        match file {
            Ok(table) => tables.push(table),
            Err(error) => errors.push(format!("{error}\n")),
        }
    }
    print(&(listed(&tables) + &errors.concat()))?;
    Ok(0)
}

fn verify(table: Option<&TableName>, goal: &GoalOf, json: bool) -> CommandResult {
    let store = CONFIG.store()?;
    let paths = match table {
        Some(table) => TableArgs { table: table.clone(), goal: goal.clone() }.paths(&store)?,
        None if goal.goal.is_some() || goal.size.is_some() || goal.blanks.is_some() => {
            return Err(Failure::input("--goal, --size and --blanks need a partition or a size"));
        }
        None => stored(&store)?
            .into_iter()
            .map(|file| file.map_or_else(|error| error.path, |table| table.path().to_owned()))
            .collect(),
    };
    let mut bad = false;
    let mut verified = Vec::new();
    for path in paths {
        let error = StoredTable::verify(&path).err();
        bad |= error.is_some();
        let path = path.display();
        match (json, error) {
            (true, error) => verified.push(serde_json::json!({
                "path": path.to_string(),
                "error": error.map(|error| error.to_string()),
            })),
            (_, None) => print(&format!("{path}: valid\n"))?,
            (_, Some(error)) => print(&format!("{error}\n"))?,
        }
    }
    if json {
        print_json(&verified)?;
    }
    Ok(u8::from(bad))
}

fn remove(which: &TableArgs) -> CommandResult {
    for path in which.paths(&CONFIG.store()?)? {
        match StoredTable::remove(&path).map_err(|error| Failure::input(error.to_string()))? {
            true => say(&format!("removed {}", path.display())),
            false => say(&format!("{} does not exist", path.display())),
        }
    }
    Ok(0)
}
