//! The folder in which tables are kept from one run to the next.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use etcetera::BaseStrategy;

use crate::build::{BuildError, BuildPlan, Builder};
use crate::database::Database;
use crate::file::{self, FileError, FileFault, TableInfo};
use crate::orders::bits;
use crate::pattern::{Pattern, Shape};
use crate::whole;

/// A folder of tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableStore {
    folder: PathBuf,
}

/// The environment variable that names the folder.
pub const FOLDER_VARIABLE: &str = "TAQUIN_CACHE";

/// The ending of the files' names.
const EXTENSION: &str = "pdb";

/// A table that is kept, by its header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    /// A pattern database.
    Patterns(TableInfo),
    /// A whole space.
    Space(whole::SpaceInfo),
}

impl Kept {
    /// What a file's header tells; the ending of its name says which kind it is.
    ///
    /// # Errors
    /// Fails unless the file is a sound table, as far as its header and length tell.
    pub fn info(path: &Path) -> Result<Self, FileError> {
        match is_space(path) {
            true => whole::info(path).map(Self::Space),
            false => file::info(path).map(Self::Patterns),
        }
    }

    /// Reads a whole file and compares it with its checksums.
    ///
    /// # Errors
    /// Fails unless every byte is as it was written.
    pub fn verify(path: &Path) -> Result<Self, FileError> {
        match is_space(path) {
            true => whole::verify(path).map(Self::Space),
            false => file::verify(path).map(Self::Patterns),
        }
    }

    /// Removes the file of a table, and says whether there was one.
    ///
    /// # Errors
    /// Fails if the file can't be removed.
    pub fn remove(path: &Path) -> Result<bool, FileError> {
        match fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(FileFault::Io(error).at(path)),
        }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Patterns(info) => &info.path,
            Self::Space(info) => &info.path,
        }
    }
}

fn is_space(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(whole::EXTENSION))
}

/// There is no folder for tables.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this account has no home folder to keep tables in: set {FOLDER_VARIABLE}")]
pub struct NoFolder;

/// How a table may be had.
pub struct BuildRequest<'a> {
    /// The most bytes that building may take.
    pub memory: u64,
    /// Whether a file that does not serve is replaced by a new one; a missing one always is made.
    pub rebuild: bool,
    /// Ends the building when it is set.
    pub cancel: &'a AtomicBool,
    /// Is told how the building goes.
    pub report: &'a mut dyn FnMut(TableEvent<'_>),
}

/// What happens while a table is built.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TableEvent<'a> {
    /// Building begins.
    Planned(&'a Pattern, BuildPlan),
    /// This fraction of the building is done.
    Progress(f64),
    /// The table is built but could not be kept.
    NotSaved(&'a FileError),
}

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableStoreError {
    /// The file there is does not serve.
    #[error(transparent)]
    File(#[from] FileError),
    /// It was not built.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl TableStore {
    /// The tables in a folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The tables of this account: those in `$TAQUIN_CACHE`, or else in the folder `taquin` where
    /// programs of this platform keep what they can make again.
    ///
    /// # Errors
    /// Fails if the variable is not set and the account has no home.
    pub fn of_account() -> Result<Self, NoFolder> {
        Self::in_folder(std::env::var_os(FOLDER_VARIABLE))
    }

    fn in_folder(named: Option<OsString>) -> Result<Self, NoFolder> {
        if let Some(folder) = named.filter(|folder| !folder.is_empty()) {
            return Ok(Self::new(folder));
        }
        let folders = etcetera::choose_base_strategy().map_err(|_| NoFolder)?;
        Ok(Self::new(folders.cache_dir().join("taquin")))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the table of a shape is or would be.
    pub fn path(&self, shape: Shape) -> PathBuf {
        let list =
            |cells: u64| bits(cells).map(|cell| cell.to_string()).collect::<Vec<_>>().join(".");
        let (size, blanks, cells) = (shape.size(), list(shape.blanks()), list(shape.cells()));
        self.folder.join(format!("{size}-blank-{blanks}-tiles-{cells}.{EXTENSION}"))
    }

    /// The table of a pattern, if it is kept.
    ///
    /// # Errors
    /// Fails if there is no file, or if it does not serve.
    pub fn load(&self, pattern: &Pattern) -> Result<Database, FileError> {
        file::load(&self.path(pattern.shape()), pattern.clone())
    }

    /// The table of a pattern, loaded, or built and kept.
    ///
    /// # Errors
    /// Fails if the file there is does not serve and may not be replaced, or if building fails. A
    /// table that can't be kept is reported and no failure.
    pub fn load_or_build(
        &self,
        pattern: &Pattern,
        request: &mut BuildRequest<'_>,
    ) -> Result<Database, TableStoreError> {
        match self.load(pattern) {
            Ok(database) => return Ok(database),
            Err(error) if error.fault.is_missing() || request.rebuild => {}
            Err(error) => return Err(error.into()),
        }
        let builder = Builder::new(pattern.clone(), request.memory)?;
        (request.report)(TableEvent::Planned(pattern, builder.plan()));
        let progress = &mut |fraction| (request.report)(TableEvent::Progress(fraction));
        let database = builder.build(request.cancel, progress)?;
        match file::save(&self.path(pattern.shape()), &database) {
            // Mapped, it is shared with other processes, and is quicker than memory in small pages.
            Ok(()) => Ok(self.load(pattern)?),
            Err(error) => {
                (request.report)(TableEvent::NotSaved(&error));
                Ok(database)
            }
        }
    }

    /// What each of the files tells, in the order of their names; those that do not serve say why.
    ///
    /// # Errors
    /// Fails if the folder can't be read; one that does not exist is empty.
    pub fn list(&self) -> io::Result<Vec<Result<Kept, FileError>>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| is_space(path) || path.extension() == Some(OsStr::new(EXTENSION)));
        paths.sort_unstable();
        Ok(paths.iter().map(|path| Kept::info(path)).collect())
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
