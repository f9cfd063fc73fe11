//! The store of an experiment: one SQLite file.
//!
//! Each run is a row from the moment it is planned: the task, the process that is running it, and
//! the result. A process claims a run by writing its number into the row, and holds a lock on its
//! own file for as long as it lives. The system releases that lock however the process ends, so
//! other processes can find out whether a claimed run will still be finished. A run's result and
//! the claim on the next are one transaction.
//!
//! A write-ahead log makes a commit cheap and safe against a killed process. Against a power cut
//! the log is synced once a second, so that at most the results of the last second are lost.

mod claims;
mod rows;
mod schema;
mod state;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params};
use taquin_lab::Course;

use crate::{ExperimentRun, Plan, Shard};
use claims::Worker;
use rows::{COLUMNS, PLANNED, each, insert_planned, read_run};
use schema::{MARK, VERSION};

pub(crate) use rows::{Claim, FinishedRun, Record, RunResult, exported_columns};
pub use state::{ExperimentState, MergeSummary, MethodState};

/// An open store.
#[derive(Debug)]
pub struct ExperimentStore {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// The number and the lock under which this process claims runs.
    worker: Option<Worker>,
    /// When the log was last synced.
    synced: Instant,
    /// The courses of the plan, which need not be built in.
    courses: Vec<Arc<Course>>,
}

/// Why a store cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ExperimentStoreError {
    #[error("{0}: no such store")]
    Missing(PathBuf),
    #[error("{0}: is a directory, but a store is a file")]
    Directory(PathBuf),
    #[error("{0}: not an experiment store")]
    Foreign(PathBuf),
    #[error(
        "{path}: the store has version {found}, but this taquin reads versions up to {VERSION}"
    )]
    Newer { path: PathBuf, found: i64 },
    #[error("{0}: the disk is full")]
    Full(PathBuf),
    #[error("{path}: cannot be written: {reason}")]
    ReadOnly { path: PathBuf, reason: String },
    /// The content is damaged: SQLite cannot read it, or taquin has not written a row.
    #[error("{path}: the store is damaged: {reason}")]
    Damaged { path: PathBuf, reason: String },
    #[error("{0}: is the store that the others are joined to")]
    Itself(PathBuf),
    /// Anything else.
    #[error("{path}: {reason}")]
    Other { path: PathBuf, reason: String },
}

/// The time to wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2 * 60);

impl ExperimentStore {
    /// Opens a store for writing, and creates it if there is none. A store of an older version is
    /// brought up to date.
    ///
    /// # Errors
    /// Fails if the file is not a store, has a later version, or cannot be written.
    pub fn create(path: &Path) -> Result<Self, ExperimentStoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let (mut store, version) = Self::connect(path, path, flags)?;
        if version < VERSION {
            schema::update(&mut store.connection).map_err(|error| error_of(path, &error))?;
        }
        // A commit is then in the log, which outlives the process. The log is emptied every 16 MB,
        // which has to wait for the disk.
        for (name, value) in
            [("journal_mode", "wal"), ("synchronous", "normal"), ("wal_autocheckpoint", "4000")]
        {
            store.check(|connection| connection.pragma_update(None, name, value))?;
        }
        store.connection.set_prepared_statement_cache_capacity(32);
        Ok(store)
    }

    /// Opens a store for reading. The file stays unchanged, and need not be writable.
    ///
    /// # Errors
    /// Fails if there is no such file, or if it is not a store or has a later version.
    pub fn open(path: &Path) -> Result<Self, ExperimentStoreError> {
        if !path.exists() {
            return Err(ExperimentStoreError::Missing(path.to_owned()));
        }
        match Self::open_with(path, path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
            // SQLite shares its log through a file next to the store. If there is no log, and none
            // can be made, the file alone is the store.
            Err(ExperimentStoreError::ReadOnly { .. }) if !has_log(path) => {
                let name = path.to_string_lossy().replace('%', "%25").replace('?', "%3f");
                let unchanged = format!("file:{}?immutable=1", name.replace('#', "%23"));
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                Self::open_with(path, Path::new(&unchanged), flags)
            }
            opened => opened,
        }
    }

    fn open_with(path: &Path, name: &Path, flags: OpenFlags) -> Result<Self, ExperimentStoreError> {
        match Self::connect(path, name, flags)? {
            (_, 0) => Err(ExperimentStoreError::Foreign(path.to_owned())),
            (store, VERSION) => Ok(store),
            (store, older) => {
                store.check(|connection| schema::complete(connection, older))?;
                Ok(store)
            }
        }
    }

    /// Makes a store in memory, to join others to.
    ///
    /// # Errors
    /// Fails if there is no memory for it.
    pub fn in_memory() -> Result<Self, ExperimentStoreError> {
        Self::create(Path::new(":memory:"))
    }

    /// Opens the file `name` of the store `path`, and returns its version; 0 if it is empty.
    fn connect(
        path: &Path,
        name: &Path,
        flags: OpenFlags,
    ) -> Result<(Self, i64), ExperimentStoreError> {
        let path = path.to_owned();
        if path.is_dir() {
            return Err(ExperimentStoreError::Directory(path));
        }
        let connection = Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .and_then(|opened| opened.busy_timeout(BUSY_TIMEOUT).map(|()| opened))
            .and_then(|opened| schema::define_seal(&opened).map(|()| opened))
            .map_err(|error| error_of(&path, &error))?;
        match schema::version(&connection).map_err(|error| error_of(&path, &error))? {
            (MARK, found) if found > VERSION => Err(ExperimentStoreError::Newer { path, found }),
            (MARK, version) | (0, version @ 0) => {
                let (worker, synced, courses) = (None, Instant::now(), Vec::new());
                Ok((Self { connection, path, worker, synced, courses }, version))
            }
            _ => Err(ExperimentStoreError::Foreign(path)),
        }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole store and checks its structure, and that every run is as it was written.
    ///
    /// # Errors
    /// Fails if the store is damaged.
    pub fn verify(&self) -> Result<(), ExperimentStoreError> {
        let query = "PRAGMA quick_check(1)";
        let found = self
            .check(|connection| connection.query_row(query, [], |row| row.get::<_, String>(0)))?;
        match found.as_str() {
            "ok" => self.read_where("true", |_| ()),
            fault => Err(ExperimentStoreError::Damaged {
                path: self.path.clone(),
                reason: fault.replace('\n', " "),
            }),
        }
    }

    /// Returns whether `path` is the file of this store, under whatever name.
    pub fn is_file(&self, path: &Path) -> bool {
        same_file(&self.path, path)
    }

    /// Runs a query, and adds the file's name to its error.
    pub(crate) fn check<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ExperimentStoreError> {
        query(&self.connection).map_err(|error| error_of(&self.path, &error))
    }

    /// Runs a transaction, and adds the file's name to its error.
    fn change<T>(
        &mut self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ExperimentStoreError> {
        let changed = || {
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.connection.transaction_with_behavior(behavior)?;
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        changed().map_err(|error| error_of(&self.path, &error))
    }

    /// Puts a plan into the store: its runs that the store does not have become due, and runs that
    /// it no longer has are left alone. With `retry`, runs that a limit ended are due again; until
    /// they are finished, the store keeps their results. Returns the number of runs ended by a
    /// limit that the plan has raised since.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    pub fn plan(&mut self, plan: &Plan, retry: bool) -> Result<u64, ExperimentStoreError> {
        for course in plan.runs.iter().filter_map(|run| run.course.as_ref()) {
            if !self.courses.contains(course) {
                self.courses.push(Arc::clone(course));
            }
        }
        // Rows that the plan changes are sealed again.
        self.read_where("true", |_| ())?;
        self.change(|connection| put(connection, plan, retry))
    }

    /// Returns one due run of a shard for each goal and method, to prepare them.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn due(&self, shard: Shard) -> Result<Vec<ExperimentRun>, ExperimentStoreError> {
        self.check(|connection| {
            let mut query = connection.prepare(&format!(
                "SELECT {}, min(place) FROM runs WHERE due = 1 AND place % ?1 = ?2 \
                 GROUP BY goal, costs, method, method_full ORDER BY min(place)",
                *COLUMNS
            ))?;
            let shard = params![shard.of, shard.number - 1];
            query.query_map(shard, |row| read_run(row, &self.courses))?.collect()
        })
    }

    /// Calls `each` with every run of the plan, in its order.
    pub(crate) fn for_each(&self, each: impl FnMut(Record)) -> Result<(), ExperimentStoreError> {
        self.read_where("place IS NOT NULL", each)
    }

    /// Calls `each` with every run for which an SQL condition holds, in the order of the plan.
    pub(crate) fn read_where(
        &self,
        condition: &str,
        mut each: impl FnMut(Record),
    ) -> Result<(), ExperimentStoreError> {
        self.check(|connection| {
            let columns = &*COLUMNS;
            let query = format!("SELECT {columns} FROM runs WHERE {condition} ORDER BY place");
            let mut query = connection.prepare(&query)?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                each(Record::read(row, &self.courses)?);
            }
            Ok(())
        })
    }

    /// Returns the `title` or the `plan` of the experiment.
    pub(crate) fn fact(&self, name: &str) -> Result<String, ExperimentStoreError> {
        let query = "SELECT value FROM experiment WHERE name = ?";
        let value = self
            .check(|connection| connection.query_row(query, [name], |row| row.get(0)).optional())?;
        Ok(value.unwrap_or_default())
    }
}

fn put(connection: &Connection, plan: &Plan, retry: bool) -> rusqlite::Result<u64> {
    for (name, value) in [("title", &plan.title), ("plan", &plan.text)] {
        connection.execute("INSERT OR REPLACE INTO experiment VALUES (?, ?)", [name, value])?;
    }
    connection.execute("UPDATE runs SET place = NULL", [])?;
    let values: Vec<String> = each(PLANNED).map(|name| format!(":{name}")).collect();
    // Finished runs keep the limits under which they were run.
    let limits = ["limit_seconds", "limit_memory", "limit_expanded"]
        .map(|limit| format!("{limit} = iif(outcome IS NULL, excluded.{limit}, {limit})"));
    let mut insert = connection.prepare(&format!(
        "INSERT INTO runs ({PLANNED}) VALUES ({}) ON CONFLICT (key) DO UPDATE SET \
         place = excluded.place, instance = excluded.instance, source = excluded.source, \
         known_cost = excluded.known_cost, name = excluded.name, plan_seal = NULL, {}",
        values.join(", "),
        limits.join(", ")
    ))?;
    let mut again = connection.prepare(
        "UPDATE runs SET due = 1, limit_seconds = ?2, limit_memory = ?3, limit_expanded = ?4, \
         seal = NULL \
         WHERE key = ?1 AND due = 0 AND (outcome = 'failed' OR \
         reason IN ('time', 'memory', 'expanded', 'generated', 'tables'))",
    )?;
    for (place, run) in (0_i64..).zip(&plan.runs) {
        insert_planned(&mut insert, place, run)?;
        if retry {
            let limits = &run.task.limits;
            let [memory, nodes] = [limits.memory, limits.expanded].map(|n| n.map(|n| n as i64));
            again.execute(params![run.key(), limits.seconds, memory, nodes])?;
        }
    }
    schema::add_seals(connection)?;
    let [memory, nodes] = [plan.limits.memory, plan.limits.expanded].map(|n| n.map(|n| n as i64));
    let raised: i64 = connection.query_row(
        "SELECT count(*) FROM runs WHERE place IS NOT NULL AND due = 0 AND (\
         reason = 'time' AND limit_seconds < coalesce(?1, 1e300) OR \
         reason = 'memory' AND limit_memory < ?2 OR \
         reason = 'expanded' AND limit_expanded < coalesce(?3, 9e18))",
        params![plan.limits.seconds, memory, nodes],
        |row| row.get(0),
    )?;
    Ok(raised as u64)
}

/// Returns whether two paths lead to the same file.
fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    let identity = |path: &Path| {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map(|file| (file.dev(), file.ino()))
    };
    #[cfg(not(unix))]
    let identity = fs::canonicalize::<&Path>;
    identity(a).is_ok_and(|a| identity(b).is_ok_and(|b| a == b))
}

/// Returns whether there are results in the log of a store.
fn has_log(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    fs::metadata(name).is_ok_and(|log| log.len() > 0)
}

/// Returns whether a file looks like a store, by its first bytes.
pub fn is_store(path: &Path) -> bool {
    let mut head = [0; 72];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok()
        && head.starts_with(b"SQLite format 3")
        && head[68..] == (MARK as u32).to_be_bytes()
}

fn error_of(path: &Path, error: &rusqlite::Error) -> ExperimentStoreError {
    let path = path.to_owned();
    let reason = || match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        error => error.to_string(),
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => ExperimentStoreError::Full(path),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            ExperimentStoreError::ReadOnly { path, reason: reason() }
        }
        Some(ErrorCode::NotADatabase) => ExperimentStoreError::Foreign(path),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::TypeMismatch) => {
            ExperimentStoreError::Damaged { path, reason: reason() }
        }
        // The tables exist, because the file has the mark.
        Some(ErrorCode::Unknown) if reason().starts_with("no such") => {
            ExperimentStoreError::Damaged { path, reason: reason() }
        }
        None => ExperimentStoreError::Damaged { path, reason: reason() },
        _ => ExperimentStoreError::Other { path, reason: reason() },
    }
}
