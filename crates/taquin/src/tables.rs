//! The tables that methods need, loaded or built once for a session.

mod automata;
mod perimeters;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use taquin_search::{Cost, Heuristic, Instant, Monitor};
use taquin_solvers::{Solver, SolverHeuristic, SolverOptions};
use taquin_tables::whole::{Metric, SpaceTable};
use taquin_tables::{
    Automaton, AutomatonShape, BuildError, BuildRequest, Database, Encoding, FileError, Packing,
    Partition, PartitionError, Pattern, PatternKind, Patterns, PatternsError, PerimeterShape,
    Reflection, TableStore, Walking, WalkingError, with_encoding,
};
use taquin_tiles::packed::{Layout, Tiles, Wide};
use taquin_tiles::{Board, NamedGoal};

use self::automata::solver_options;
use crate::cache::{Cache, Cancelled};
use crate::heuristic::{AnyHeuristic, Estimate};
use crate::task::Task;

pub use taquin_tables::TableEvent;

/// The most bytes of tables that a session holds, not counting tables in use. Tables that are
/// mapped from files count as well.
const CACHE_BYTES: u64 = 4 << 30;

/// The most bytes that building a table may take when there is no limit.
pub(crate) const BUILD_BYTES: u64 = 4 << 30;

/// The tables of a session, shared by its clones. One that belongs to a search also holds the
/// tables that the search uses.
#[derive(Debug)]
pub(crate) struct Tables {
    shared: Arc<SharedTables>,
    used: Option<Mutex<Vec<Arc<dyn Table>>>>,
}

/// A table that searches use.
pub(crate) trait Table: fmt::Debug + Send + Sync {
    /// Whether it is as it was when it was loaded or built.
    fn is_intact(&self) -> bool {
        true
    }

    /// A lower bound on the number of moves, if the table has one.
    fn estimate(&self, _state: &<Wide as Layout>::State) -> Cost {
        0
    }
}

#[derive(Debug)]
pub(crate) struct SharedTables {
    /// Where table files are, if the account has a place for them.
    store: Option<TableStore>,
    /// Their location if they are not in a folder.
    files: Option<Box<dyn TableFiles>>,
    /// Whether only tables for goals that have a name are written to files.
    named_goals_only: bool,
    cache: Cache<Key>,
    /// Files that are known to be invalid, and folders that cannot be written.
    faulty: Mutex<HashSet<PathBuf>>,
    /// When files were last seen to be missing, so that many boards do not look for them again.
    missing: Mutex<HashMap<PathBuf, Instant>>,
    listener: OnceLock<Listener>,
}

/// Table files that are not in a folder, but for example in the storage of a browser. They are
/// verified when they are read: an invalid one is not used, and the table is built again.
pub trait TableFiles: fmt::Debug + Send + Sync {
    /// Returns the bytes of a file, if there is one with this name.
    fn read(&self, name: &str) -> Option<Vec<u8>>;

    /// Stores a file, if that is possible.
    fn write(&self, name: &str, bytes: &[u8]);
}

/// A problem with the files of tables. The tables are built instead, or others are used.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableWarning<'a> {
    /// A file is not valid.
    #[error("{0}; it is not used, and building the table replaces it")]
    Invalid(&'a FileError),
    /// A table was built and cannot be stored, and so it is for all others.
    #[error("tables are not kept: {0}")]
    NotSaved(&'a FileError),
}

/// Receives warnings.
struct Listener(Box<dyn Fn(TableWarning<'_>) + Send + Sync>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// The most states of a table of walking distance in segments: every puzzle starts with one.
const SEGMENT_STATES: usize = 200_000;

/// The kind of a cached value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Walking(Board, Metric),
    /// One that is built in a moment, and a larger one.
    SmallPerimeter(PerimeterShape),
    Perimeter(PerimeterShape),
    Patterns(Board, Partition, PatternKind),
    /// A specialised engine: a goal, a heuristic, options.
    Solver(Board, Estimate, SolverOptions),
    Space(Board, Metric),
    Automaton(AutomatonShape),
}

impl Key {
    fn patterns(partition: &Partition, kind: PatternKind, goal: &Board) -> Self {
        Self::Patterns(goal.clone(), partition.clone(), kind)
    }

    fn is_for(&self, of: &Board) -> bool {
        match self {
            Self::Walking(goal, _)
            | Self::Patterns(goal, ..)
            | Self::Solver(goal, ..)
            | Self::Space(goal, _) => goal == of,
            Self::SmallPerimeter(shape) | Self::Perimeter(shape) => {
                Packing::new(of).is_some_and(|packing| packing.shape() == *shape)
            }
            Self::Automaton(_) => false,
        }
    }
}

/// Why a method cannot have its tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table could not be built.
    #[error("{0}{remedy}", remedy = remedy(.0))]
    Build(#[from] BuildError),
    /// The partition does not fit the board.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// The databases do not make a heuristic.
    #[error(transparent)]
    Patterns(#[from] PatternsError),
    /// The board is too large for walking distance.
    #[error("{0}: use pattern databases or linear conflicts")]
    Walking(#[from] WalkingError),
}

/// Describes the alternatives that a method can name.
const fn remedy(error: &BuildError) -> &'static str {
    match error {
        BuildError::Memory { .. } => ": take fewer tiles",
        BuildError::Automaton { .. } => ": use a smaller prune",
        BuildError::Regions => ": use pdb= instead of zpdb=",
        _ => "",
    }
}

impl From<Cancelled> for TableError {
    fn from(_: Cancelled) -> Self {
        Self::Build(BuildError::Cancelled)
    }
}

/// How tables are built: within `memory` bytes, until the monitor is cancelled.
pub(crate) struct TableRequest<'a> {
    pub(crate) memory: Option<u64>,
    pub(crate) monitor: &'a Monitor,
    pub(crate) report: &'a mut dyn FnMut(TableEvent<'_>),
}

/// How long a missing file is not looked for again: another process may write it.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

impl Default for Tables {
    fn default() -> Self {
        Self::new(TableStore::of_account().ok(), false)
    }
}

impl Deref for Tables {
    type Target = SharedTables;

    fn deref(&self) -> &SharedTables {
        &self.shared
    }
}

impl SharedTables {
    fn new(store: Option<TableStore>, named_goals_only: bool) -> Self {
        Self {
            store,
            files: None,
            named_goals_only,
            cache: Cache::new(CACHE_BYTES),
            faulty: Mutex::default(),
            missing: Mutex::default(),
            listener: OnceLock::new(),
        }
    }
}

impl Tables {
    pub(crate) fn new(store: Option<TableStore>, named_goals_only: bool) -> Self {
        Self { shared: Arc::new(SharedTables::new(store, named_goals_only)), used: None }
    }

    /// Tables whose files are not in a folder.
    pub(crate) fn with_files(files: impl TableFiles + 'static) -> Self {
        let shared =
            SharedTables { files: Some(Box::new(files)), ..SharedTables::new(None, false) };
        Self { shared: Arc::new(shared), used: None }
    }

    /// The same tables for one search, with a record of the used ones.
    pub(crate) fn for_search(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), used: Some(Mutex::default()) }
    }

    /// The tables that a search has used so far.
    pub(crate) fn used(&self) -> Vec<Arc<dyn Table>> {
        let used = self.used.as_ref();
        used.map(|used| used.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .unwrap_or_default()
    }

    /// Returns whether all tables that a search has used so far are as they were when it got them.
    pub(crate) fn are_intact(&self) -> bool {
        self.used().iter().all(|table| table.is_intact())
    }

    /// Notes that a search uses a table, and returns it.
    fn note<T: Table + 'static>(&self, table: Arc<T>) -> Arc<T> {
        if let Some(used) = &self.used {
            let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
            let noted: Arc<dyn Table> = Arc::<T>::clone(&table);
            if !used.iter().any(|known| Arc::ptr_eq(known, &noted)) {
                used.push(noted);
            }
        }
        table
    }

    /// Returns a table from the cache, or makes it.
    fn get_or_make<T: Table + 'static, E: From<Cancelled>>(
        &self,
        key: &Key,
        monitor: &Monitor,
        make: impl FnOnce() -> Result<(Arc<T>, u64), E>,
    ) -> Result<Arc<T>, E> {
        self.cache.get_or_make(key, monitor, make).map(|table| self.note(table))
    }

    /// Calls `listener` with warnings. The first listener stays.
    pub(crate) fn listen(&self, listener: impl Fn(TableWarning<'_>) + Send + Sync + 'static) {
        let _ = self.listener.set(Listener(Box::new(listener)));
    }

    fn faulty(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.faulty.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Warns once of each file and folder.
    fn warn(&self, warning: TableWarning<'_>) {
        let path = match warning {
            TableWarning::Invalid(error) => &error.path,
            TableWarning::NotSaved(error) => error.path.parent().unwrap_or(&error.path),
        };
        if self.faulty().insert(path.to_owned())
            && let Some(Listener(listener)) = self.listener.get()
        {
            listener(warning);
        }
    }

    fn missing(&self) -> MutexGuard<'_, HashMap<PathBuf, Instant>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a file was missing a moment ago.
    pub(crate) fn is_missing(&self, path: &Path) -> bool {
        self.missing().get(path).is_some_and(|seen| seen.elapsed() < RETRY_INTERVAL)
    }

    /// Returns what `load` loads from a file. An invalid file counts as missing, and is not tried
    /// again.
    pub(crate) fn load<T>(
        &self,
        path: &Path,
        load: impl FnOnce(&Path) -> Result<T, FileError>,
    ) -> Option<T> {
        if self.is_missing(path) || self.faulty().contains(path) {
            return None;
        }
        match load(path) {
            Ok(table) => Some(table),
            Err(error) => {
                match error.fault.is_missing() {
                    true => drop(self.missing().insert(path.to_owned(), Instant::now())),
                    false => self.warn(TableWarning::Invalid(&error)),
                }
                None
            }
        }
    }

    /// The location of a goal's table files.
    pub(crate) fn store(&self, goal: &Board) -> Option<&TableStore> {
        let blanks = goal.blanks().count();
        let is_named =
            || NamedGoal::ALL.iter().any(|name| name.board(goal.size(), blanks) == *goal);
        self.store.as_ref().filter(|_| !self.named_goals_only || is_named())
    }

    /// The table of a whole space, if it is cached.
    pub(crate) fn space(&self, goal: &Board, metric: Metric) -> Option<Arc<SpaceTable>> {
        self.cache.get(&Key::Space(goal.clone(), metric)).map(|table| self.note(table))
    }

    /// Drops the tables of a goal.
    pub(crate) fn forget(&self, goal: &Board) {
        self.cache.remove(|key| key.is_for(goal));
    }

    /// Caches the table of a whole space.
    pub(crate) fn put_space(&self, goal: &Board, metric: Metric, table: &Arc<SpaceTable>) {
        self.cache.put(&Key::Space(goal.clone(), metric), table, table.memory());
        self.note(Arc::clone(table));
    }

    /// Returns whether the databases of an estimate are available without building them. It loads
    /// them, because only loading shows whether they are valid.
    pub(crate) fn has(&self, estimate: &Estimate, goal: &Board) -> bool {
        if self.holds(estimate, goal) {
            return true;
        }
        match estimate {
            Estimate::Pdb { partition, kind } => {
                with_encoding!(*kind, E => self.load_all::<E>((partition, goal)).is_some())
            }
            _ => false,
        }
    }

    /// Loads and caches the databases of a partition.
    fn load_all<E: Encoding>(&self, (partition, goal): (&Partition, &Board)) -> Option<()> {
        let mut databases: Vec<Database<E>> = Vec::new();
        for (pattern, path) in self.files(partition, E::KIND, goal)? {
            let encoding = E::of(&pattern, &databases).ok()?;
            databases.push(self.load(&path, |path| Database::load(path, pattern, encoding))?);
        }
        let (patterns, bytes) = joined(goal, databases).ok()?;
        self.cache.put(&Key::patterns(partition, E::KIND, goal), &patterns, bytes);
        Some(())
    }

    /// Returns whether the databases of an estimate are loaded.
    pub(crate) fn holds(&self, estimate: &Estimate, goal: &Board) -> bool {
        match estimate {
            Estimate::Pdb { partition, kind } => {
                self.cache.has(&Key::patterns(partition, *kind, goal))
            }
            _ => false,
        }
    }

    /// Returns whether the databases of an estimate are loaded, or have files that are not known to
    /// be invalid.
    pub(crate) fn seems_to_have(&self, estimate: &Estimate, goal: &Board) -> bool {
        match estimate {
            Estimate::Pdb { partition, kind } => {
                self.holds(estimate, goal) || self.files(partition, *kind, goal).is_some()
            }
            _ => false,
        }
    }

    /// A partition's database files, if all exist and none is known to be invalid.
    fn files(
        &self,
        partition: &Partition,
        kind: PatternKind,
        goal: &Board,
    ) -> Option<Vec<(Pattern, PathBuf)>> {
        let (store, patterns) = (self.store(goal)?, partition.patterns(goal).ok()?);
        let path = |pattern: Pattern| {
            let path = store.path(pattern.shape(), kind);
            (path.exists() && !self.faulty().contains(&path)).then_some((pattern, path))
        };
        patterns.into_iter().map(path).collect()
    }

    /// The specialised engine that does exactly what a task requires, if one exists.
    pub(crate) fn solver_of(&self, task: &Task, heuristic: &AnyHeuristic) -> Option<Arc<Solver>> {
        let options = solver_options(task)?;
        self.solver(task.puzzle.goal(), task.method.estimate.as_ref()?, heuristic, options)
    }

    /// A specialised engine for a goal, if there is one.
    pub(crate) fn solver(
        &self,
        goal: &Board,
        estimate: &Estimate,
        heuristic: &AnyHeuristic,
        options: SolverOptions,
    ) -> Option<Arc<Solver>> {
        let zero_aware = |heuristic: &AnyHeuristic| match heuristic {
            AnyHeuristic::Zpdb(patterns) => Some(Arc::clone(patterns)),
            _ => None,
        };
        let engine = match (estimate, heuristic) {
            (Estimate::Manhattan, _) => SolverHeuristic::Manhattan,
            (_, AnyHeuristic::Pdb(patterns)) => SolverHeuristic::Patterns(Arc::clone(patterns)),
            (_, AnyHeuristic::Max(list)) => {
                SolverHeuristic::ZeroAware(list.iter().map(zero_aware).collect::<Option<_>>()?)
            }
            _ => SolverHeuristic::ZeroAware(vec![zero_aware(heuristic)?]),
        };
        let shape = options.automaton(goal.size()).filter(|_| goal.blanks().count() == 1)?;
        let make = || {
            let monitor = &Monitor::default();
            let mut request = TableRequest { memory: None, monitor, report: &mut |_| () };
            let automaton = self.automaton(shape, &mut request).map_err(|_| NoSolver)?;
            let solver = Solver::with_automaton(goal, &engine, &automaton).ok_or(NoSolver)?;
            let bytes = solver.bytes();
            let heuristic = heuristic.clone();
            Ok::<_, NoSolver>((
                Arc::new(SolverTable { solver: Arc::new(solver), heuristic }),
                bytes,
            ))
        };
        let key = Key::Solver(goal.clone(), estimate.clone(), options);
        let table = self.get_or_make(&key, &Monitor::default(), make).ok()?;
        Some(Arc::clone(&table.solver))
    }

    pub(crate) fn walking(
        &self,
        goal: &Board,
        metric: Metric,
        request: &TableRequest<'_>,
    ) -> Result<Arc<Walking>, TableError> {
        self.get_or_make(&Key::Walking(goal.clone(), metric), request.monitor, || {
            let walking = match metric {
                Metric::Single => Walking::new(goal, Walking::STATES)?,
                Metric::Multi => Walking::of_segments(goal, SEGMENT_STATES),
            };
            let bytes = walking.bytes();
            Ok((Arc::new(walking), bytes))
        })
    }

    /// The databases of a partition.
    pub(crate) fn patterns<E: Encoding>(
        &self,
        (partition, goal): (&Partition, &Board),
        request: &mut TableRequest<'_>,
    ) -> Result<Arc<Patterns<E>>, TableError> {
        let monitor = request.monitor;
        self.get_or_make(&Key::patterns(partition, E::KIND, goal), monitor, || {
            let mut databases = Vec::new();
            let patterns = partition.patterns(goal)?;
            // Loaded tables take memory as well.
            let entries = patterns.iter().map(|pattern| pattern.ranking().placements() as u64);
            let needed = entries.fold(0, u64::saturating_add) / (8 / E::TABLE_BITS);
            if let Some(allowed) = request.memory.filter(|&allowed| needed > allowed) {
                return Err(BuildError::Memory { needed, allowed }.into());
            }
            for pattern in patterns {
                let encoding = E::of(&pattern, &databases)?;
                let store = self.store(goal);
                let path = store.map(|store| store.path(pattern.shape(), E::KIND));
                databases.push(self.build(path, request, |request| match store {
                    Some(store) => store.load_or_build(&pattern, &encoding, request),
                    None => self.load_or_build(&pattern, encoding, request),
                })?);
            }
            joined(goal, databases)
        })
    }

    /// Loads a database from files that are not in a folder, or builds it.
    fn load_or_build<E: Encoding>(
        &self,
        pattern: &Pattern,
        encoding: E,
        request: &mut BuildRequest<'_>,
    ) -> Result<Database<E>, BuildError> {
        let Some(files) = &self.files else { return request.build(pattern, encoding) };
        let path = TableStore::new("").path(pattern.shape(), E::KIND);
        let name = &*path.to_string_lossy();
        if let Some(bytes) = files.read(name) {
            match Database::from_bytes(name, bytes, pattern.clone(), encoding.clone()) {
                Ok(database) => return Ok(database),
                Err(error) => (request.report)(TableEvent::Invalid(&error)),
            }
        }
        let database = request.build(pattern, encoding)?;
        files.write(name, &database.to_bytes());
        Ok(database)
    }

    /// Makes a table that has its file at `path`, and warns of problems with that.
    fn build<T>(
        &self,
        path: Option<PathBuf>,
        request: &mut TableRequest<'_>,
        make: impl FnOnce(&mut BuildRequest<'_>) -> Result<T, BuildError>,
    ) -> Result<T, BuildError> {
        let mut report = |event: TableEvent<'_>| {
            match event {
                TableEvent::Invalid(error) => self.warn(TableWarning::Invalid(error)),
                TableEvent::NotSaved(error) => self.warn(TableWarning::NotSaved(error)),
                _ => {}
            }
            (request.report)(event);
        };
        let table = make(&mut BuildRequest {
            memory: request.memory.unwrap_or(BUILD_BYTES),
            // A file that is known to be invalid is not read again.
            rebuild: path.as_ref().is_some_and(|path| self.faulty().contains(path)),
            cancel: request.monitor,
            report: &mut report,
        })?;
        // The present file is valid, or the folder cannot be written.
        path.map(|path| self.faulty().remove(&path));
        Ok(table)
    }
}

/// Makes a heuristic of databases, and returns the bytes that they take.
fn joined<E: Encoding>(
    goal: &Board,
    databases: Vec<Database<E>>,
) -> Result<(Arc<Patterns<E>>, u64), TableError> {
    let bytes = databases.iter().map(|database| database.entries().len() as u64).sum();
    let databases = databases.into_iter().map(Arc::new).collect();
    let patterns = Patterns::new(goal, databases, Reflection::of(goal).as_ref())?;
    Ok((Arc::new(patterns), bytes))
}

impl<E: Encoding> Table for Patterns<E> {
    fn is_intact(&self) -> bool {
        self.is_intact()
    }

    fn estimate(&self, state: &<Wide as Layout>::State) -> Cost {
        Heuristic::<Tiles<Wide>>::estimate(self, state)
    }
}

impl Table for Walking {
    fn estimate(&self, state: &<Wide as Layout>::State) -> Cost {
        Heuristic::<Tiles<Wide>>::estimate(self, state)
    }
}

impl Table for SpaceTable {
    fn is_intact(&self) -> bool {
        self.is_intact()
    }
}

/// An automaton is a copy of its file.
impl Table for Automaton {}

/// A specialised engine, and the heuristic whose tables it looks up.
#[derive(Debug)]
struct SolverTable {
    solver: Arc<Solver>,
    heuristic: AnyHeuristic,
}

impl Table for SolverTable {
    fn is_intact(&self) -> bool {
        self.heuristic.is_intact()
    }
}

/// There is no specialised engine for a goal and a heuristic.
struct NoSolver;

impl From<Cancelled> for NoSolver {
    fn from(_: Cancelled) -> Self {
        Self
    }
}
