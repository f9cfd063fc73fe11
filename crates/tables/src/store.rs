//! The folder in which tables are stored.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use taquin_search::{Cost, Monitor};
use taquin_tiles::Board;

use crate::automaton::{Automaton, AutomatonInfo, AutomatonPlan, AutomatonShape};
use crate::bits::list;
use crate::file::{Description, FileError, FileFault, TableFile};
use crate::pattern::encoding::{Encoding, PatternKind};
use crate::pattern::{BuildError, BuildPlan, Builder, Database, Pattern, Shape, TableInfo};
use crate::perimeter::{Perimeter, PerimeterInfo, PerimeterPlan, PerimeterShape};
use crate::whole::{self, Metric, SpaceInfo};
use crate::with_encoding;

/// A folder of tables.
///
/// ```
/// use taquin_search::Monitor;
/// use taquin_tables::{BuildRequest, Database, Pattern, PatternKind, Plain, StoredTable, TableStore};
/// use taquin_tiles::NamedGoal;
///
/// # let folder = std::env::temp_dir().join(format!("taquin-example-{}", std::process::id()));
/// let store = TableStore::new(&folder);
/// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
/// let pattern = Pattern::new(&goal, &[1, 2, 4])?;
/// let (cancel, report) = (Monitor::default(), &mut |_: taquin_tables::TableEvent<'_>| ());
/// let mut request = BuildRequest { memory: 1 << 20, rebuild: false, cancel: &cancel, report };
/// let built = store.load_or_build(&pattern, &Plain, &mut request)?;
///
/// let path = store.path(pattern.shape(), PatternKind::Plain);
/// assert_eq!(path.file_name().unwrap(), "3x3-blank-8-tiles-0.1.3.pdb");
/// StoredTable::verify(&path)?;
/// let loaded = Database::load(&path, pattern, Plain)?;
/// assert_eq!(loaded.entries(), built.entries());
/// assert_eq!(store.list()?.len(), 1);
/// assert!(StoredTable::remove(&path)?);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableStore {
    folder: PathBuf,
}

/// The environment variable that names the folder.
pub const FOLDER_VARIABLE: &str = "TAQUIN_CACHE";

/// The file extension for automata.
const AUTOMATON: &str = "prune";

/// The file extension for perimeters.
const PERIMETER: &str = "near";

/// The header of a table file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StoredTable {
    /// A pattern database.
    Patterns(TableInfo),
    /// A whole space.
    Space(SpaceInfo),
    /// An automaton that prunes move sequences.
    Automaton(AutomatonInfo),
    /// The boards near a goal.
    Perimeter(PerimeterInfo),
}

impl StoredTable {
    /// Reads a file's header. The extension determines the kind of table.
    ///
    /// # Errors
    /// Fails unless the header and the file's length belong to a table.
    pub fn info(path: &Path) -> Result<Self, FileError> {
        Self::read(path, false)
    }

    /// Reads a whole file and compares it with its checksums and its name.
    ///
    /// # Errors
    /// Fails unless every byte is as it was written, and the table has the name that a
    /// [`TableStore`] gives it.
    pub fn verify(path: &Path) -> Result<Self, FileError> {
        Self::read(path, true)
    }

    fn read(path: &Path, verify: bool) -> Result<Self, FileError> {
        fn content<D: Description>(file: TableFile<D>, verify: bool) -> Result<(), FileFault> {
            if verify { file.content().map(drop) } else { Ok(()) }
        }
        let has = |extension| path.extension() == Some(OsStr::new(extension));
        let read = || match () {
            () if has(whole::EXTENSION) => {
                let file = TableFile::open(path)?;
                let info = SpaceInfo::new(path, &file)?;
                content(file, verify).map(|()| Self::Space(info))
            }
            () if has(AUTOMATON) => {
                let file = TableFile::open(path)?;
                let info = AutomatonInfo::new(path, &file)?;
                content(file, verify).map(|()| Self::Automaton(info))
            }
            () if has(PERIMETER) => {
                let file = TableFile::open(path)?;
                let info = PerimeterInfo::new(path, &file)?;
                content(file, verify).map(|()| Self::Perimeter(info))
            }
            () => {
                let file = TableFile::open(path)?;
                let info = TableInfo::new(path, &file)?;
                content(file, verify).map(|()| Self::Patterns(info))
            }
        };
        let named = |table: Self| match table.name() {
            name if verify && path.file_name() != Some(OsStr::new(&name)) => {
                Err(FileFault::Name(name))
            }
            _ => Ok(table),
        };
        read().and_then(named).map_err(|fault| fault.at(path))
    }

    /// Returns the name of its file in a [`TableStore`].
    fn name(&self) -> String {
        match self {
            Self::Patterns(info) => name(info.shape, PatternKind::of(info.width)),
            Self::Space(info) => whole::name(&info.goal, info.metric),
            Self::Automaton(info) => automaton_name(info.shape),
            Self::Perimeter(info) => perimeter_name(info.shape),
        }
    }

    /// Removes the file of a table. Returns whether it existed.
    ///
    /// # Errors
    /// Fails if the file cannot be removed.
    pub fn remove(path: &Path) -> Result<bool, FileError> {
        match fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(FileFault::Io(error).at(path)),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Patterns(info) => &info.path,
            Self::Space(info) => &info.path,
            Self::Automaton(info) => &info.path,
            Self::Perimeter(info) => &info.path,
        }
    }
}

/// Returns the file name for a pattern database.
fn name(shape: Shape, kind: PatternKind) -> String {
    let extension = kind.extension();
    let (size, blanks, cells) = (shape.size(), list(shape.blanks()), list(shape.cells()));
    format!("{size}-blank-{blanks}-tiles-{cells}.{extension}")
}

/// Returns the file name for an automaton.
fn automaton_name(shape: AutomatonShape) -> String {
    format!("{}-moves-{}-{}.{AUTOMATON}", shape.size(), shape.order(), shape.longest())
}

/// Returns the file name for a perimeter.
fn perimeter_name(shape: PerimeterShape) -> String {
    format!("{shape}.{PERIMETER}")
}

/// There is no folder for tables.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this account has no home folder to store tables in")]
pub struct NoFolder;

/// How a table may be built.
pub struct BuildRequest<'a> {
    /// The most bytes of memory to use.
    pub memory: u64,
    /// Whether a valid file is replaced as well. A missing or an invalid one always is.
    pub rebuild: bool,
    /// Cancels the build.
    pub cancel: &'a Monitor,
    /// Is called as the build proceeds.
    pub report: &'a mut dyn FnMut(TableEvent<'_>),
}

/// An event while a table is built.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TableEvent<'a> {
    /// The build begins.
    Planned(&'a Pattern, BuildPlan),
    /// The build of an automaton begins.
    PlannedAutomaton(AutomatonShape, AutomatonPlan),
    /// The build of a perimeter begins.
    PlannedPerimeter(PerimeterShape, PerimeterPlan),
    /// This fraction of the build is done.
    Progress(f64),
    /// The file of the table is not valid. The table is built, and replaces it.
    Invalid(&'a FileError),
    /// The table was built but could not be stored.
    NotSaved(&'a FileError),
}

impl TableStore {
    /// Stores tables in a folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Stores tables in `$TAQUIN_CACHE`, or else in the folder `taquin` of this account's cache
    /// folder.
    ///
    /// # Errors
    /// Fails if the variable is not set and the account has no home.
    pub fn of_account() -> Result<Self, NoFolder> {
        let named = std::env::var_os(FOLDER_VARIABLE).filter(|folder| !folder.is_empty());
        Self::in_folder(named)
    }

    fn in_folder(named: Option<OsString>) -> Result<Self, NoFolder> {
        if let Some(folder) = named.filter(|folder| !folder.is_empty()) {
            return Ok(Self::new(folder));
        }
        let folders = etcetera::choose_base_strategy().map_err(|_| NoFolder)?;
        Ok(Self::new(folders.cache_dir().join("taquin")))
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path to a shape's pattern database, whether it exists or not.
    pub fn path(&self, shape: Shape, kind: PatternKind) -> PathBuf {
        self.folder.join(name(shape, kind))
    }

    /// Returns the path to a whole space's table, whether it exists or not.
    pub fn space_path(&self, goal: &Board, metric: Metric) -> PathBuf {
        self.folder.join(whole::name(goal, metric))
    }

    /// Returns the path of an automaton, whether it exists or not.
    pub fn automaton_path(&self, shape: AutomatonShape) -> PathBuf {
        self.folder.join(automaton_name(shape))
    }

    /// Loads the table of a pattern, or builds and stores it.
    ///
    /// # Errors
    /// Fails if the build fails. That the existing file is invalid, or that the table cannot be
    /// stored, is reported, and is not an error.
    pub fn load_or_build<E: Encoding>(
        &self,
        pattern: &Pattern,
        encoding: &E,
        request: &mut BuildRequest<'_>,
    ) -> Result<Database<E>, BuildError> {
        let path = self.path(pattern.shape(), E::KIND);
        let load = || Database::load(&path, pattern.clone(), encoding.clone());
        if let Some(table) = request.load(load) {
            return Ok(table);
        }
        let table = request.build(pattern, encoding.clone())?;
        // Mapped, it is shared with other processes, and is faster than memory in small pages.
        let saved = table.save(&path).and_then(|()| load());
        Ok(saved.unwrap_or_else(|error| {
            (request.report)(TableEvent::NotSaved(&error));
            table
        }))
    }

    /// Loads or builds the table of a pattern as [`load_or_build`](Self::load_or_build) does, but
    /// does not keep it in memory.
    ///
    /// # Errors
    /// As `load_or_build`.
    pub fn make(
        &self,
        pattern: &Pattern,
        kind: PatternKind,
        request: &mut BuildRequest<'_>,
    ) -> Result<(), BuildError> {
        with_encoding!(kind, E => {
            self.load_or_build(pattern, &E::of(pattern, &[])?, request).map(drop)
        })
    }

    /// Loads an automaton, or builds it, and stores it if that takes a long time.
    ///
    /// # Errors
    /// As [`load_or_build`](Self::load_or_build).
    pub fn load_or_build_automaton(
        &self,
        shape: AutomatonShape,
        request: &mut BuildRequest<'_>,
    ) -> Result<Automaton, BuildError> {
        let path = self.automaton_path(shape);
        if let Some(automaton) = request.load(|| Automaton::load(&path, shape)) {
            return Ok(automaton);
        }
        let plan = AutomatonPlan::of(shape);
        let automaton = shape.build(&plan, request)?;
        if plan.is_long()
            && let Err(error) = automaton.save(&path)
        {
            (request.report)(TableEvent::NotSaved(&error));
        }
        Ok(automaton)
    }

    /// Returns the path of a perimeter, whether it exists or not.
    pub fn perimeter_path(&self, shape: PerimeterShape) -> PathBuf {
        self.folder.join(perimeter_name(shape))
    }

    /// Returns the number of moves of the stored perimeter, if its file has a valid header.
    pub fn perimeter_moves(&self, shape: PerimeterShape) -> Option<Cost> {
        match StoredTable::info(&self.perimeter_path(shape)) {
            Ok(StoredTable::Perimeter(info)) => Some(info.moves),
            _ => None,
        }
    }

    /// Loads a perimeter with at least as many moves as the start of a range, if a stored one fits
    /// into memory. Otherwise builds one with as many as its end. It is stored if building takes
    /// long and the present file is not a larger one.
    ///
    /// # Errors
    /// As [`load_or_build`](Self::load_or_build).
    pub fn load_or_build_perimeter(
        &self,
        shape: PerimeterShape,
        wanted: RangeInclusive<Cost>,
        request: &mut BuildRequest<'_>,
    ) -> Result<Perimeter, BuildError> {
        let (least, moves) = (*wanted.start(), *wanted.end());
        let path = self.perimeter_path(shape);
        let fits = |plan: &PerimeterPlan| plan.bytes <= request.memory;
        let most = shape.plans().take_while(fits).last().map_or(0, |plan| plan.moves);
        let load = || Perimeter::load(&path, shape, least..=most);
        if let Some(Some(perimeter)) = request.load(load) {
            return Ok(perimeter);
        }
        let perimeter = shape.build(moves, request)?;
        let has_more = self.perimeter_moves(shape).is_some_and(|found| found > most.max(moves));
        if has_more || !shape.plan(moves).is_long() && !path.exists() {
            return Ok(perimeter);
        }
        match perimeter.save(&path) {
            // Mapped, it is shared with other processes.
            Ok(()) => {
                drop(perimeter);
                match load() {
                    Ok(Some(loaded)) => Ok(loaded),
                    // Another process has replaced it.
                    _ => shape.build(moves, request),
                }
            }
            Err(error) => {
                (request.report)(TableEvent::NotSaved(&error));
                Ok(perimeter)
            }
        }
    }

    /// Loads or builds the perimeter with the most moves that fits into memory, and stores it.
    ///
    /// # Errors
    /// As [`load_or_build`](Self::load_or_build).
    pub fn make_perimeter(
        &self,
        shape: PerimeterShape,
        request: &mut BuildRequest<'_>,
    ) -> Result<(), BuildError> {
        let path = self.perimeter_path(shape);
        let fits = |plan: &PerimeterPlan| plan.bytes <= request.memory;
        let moves = shape.plans().take_while(fits).last().map_or(0, |plan| plan.moves);
        if let Some(Some(_)) = request.load(|| Perimeter::load(&path, shape, moves..=Cost::MAX)) {
            return Ok(());
        }
        let perimeter = shape.build(moves, request)?;
        if let Err(error) = perimeter.save(&path) {
            (request.report)(TableEvent::NotSaved(&error));
        }
        Ok(())
    }

    /// Reads all files' headers, ordered by file name.
    ///
    /// # Errors
    /// Fails if the folder cannot be read. A folder that does not exist is empty.
    pub fn list(&self) -> io::Result<Vec<Result<StoredTable, FileError>>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        let mut extensions = vec![whole::EXTENSION, AUTOMATON, PERIMETER];
        extensions.extend(PatternKind::ALL.map(PatternKind::extension));
        let is_table = |name: &OsStr| extensions.iter().any(|extension| name == *extension);
        paths.retain(|path| path.extension().is_some_and(is_table));
        paths.sort_unstable();
        Ok(paths.iter().map(|path| StoredTable::info(path)).collect())
    }
}

impl BuildRequest<'_> {
    /// Loads a table, unless it is to be built again. Reports an invalid file.
    fn load<T>(&mut self, load: impl Fn() -> Result<T, FileError>) -> Option<T> {
        if self.rebuild {
            return None;
        }
        let report = |error: &FileError| {
            if !error.fault.is_missing() {
                (self.report)(TableEvent::Invalid(error));
            }
        };
        load().inspect_err(report).ok()
    }

    /// Builds the database of a pattern.
    ///
    /// # Errors
    /// Fails if it is cancelled, or takes too much memory.
    pub fn build<E: Encoding>(
        &mut self,
        pattern: &Pattern,
        encoding: E,
    ) -> Result<Database<E>, BuildError> {
        let builder = Builder::with_encoding(pattern.clone(), encoding, self.memory)?;
        (self.report)(TableEvent::Planned(pattern, builder.plan()));
        builder.build(self.cancel, &mut |done| (self.report)(TableEvent::Progress(done)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_names_the_folder() {
        assert_eq!(
            TableStore::in_folder(Some("some/where".into())),
            Ok(TableStore::new("some/where"))
        );
        for unset in [None, Some(OsString::new())] {
            // An account without a home has no folder at all.
            assert!(
                TableStore::in_folder(unset).is_ok_and(|store| store.folder.ends_with("taquin"))
                    || std::env::home_dir().is_none()
            );
        }
    }
}
