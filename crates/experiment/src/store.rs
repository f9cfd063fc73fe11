//! The store of an experiment: one SQLite file.
//!
//! Each run is a row, from the day it is planned: what is to be done, who is at it, and what came of
//! it. A process takes a run by writing its number into the row, and holds a lock on a file of its own
//! for as long as it lives; the system gives that lock back however the process ends, so that the
//! others can tell whether a run that was taken will still be finished. The result of a run and the
//! claim on the next are one transaction.
//!
//! A write-ahead log makes a commit cheap and safe against a killed process. Against a power cut the
//! log is written through once a second, so that at most the runs of the last second are lost.

mod rows;
mod state;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params};

use crate::{Plan, Shard};
use rows::{PLANNED, SCHEMA, insert_planned, read_claim, write_result};

pub(super) use rows::{Claim, Finished, exported_columns};
pub use state::{Merged, State, Tally};

/// An open store.
#[derive(Debug)]
pub struct ExperimentStore {
    pub(super) connection: Connection,
    path: PathBuf,
    /// Under which number, and with which lock, this process takes runs.
    worker: Option<Worker>,
    /// When the log was last written through.
    synced: Instant,
}

#[derive(Debug)]
struct Worker {
    id: i64,
    lock: PathBuf,
    /// Held for as long as the process lives.
    _held: File,
}

/// Why a store can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentStoreError {
    /// There is no such file.
    #[error("{0}: there is no such store")]
    Missing(PathBuf),
    /// It is a directory.
    #[error("{0}: is a directory, and a store is a file")]
    Directory(PathBuf),
    /// The file is something else.
    #[error("{0}: not a store of experiments")]
    Foreign(PathBuf),
    /// A later version of taquin has written it.
    #[error(
        "{path}: the store has version {found}, and this taquin knows versions up to {VERSION}"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// The disk is full.
    #[error("{0}: the disk is full")]
    Full(PathBuf),
    /// The file or its folder can't be written to.
    #[error("{path}: can't be written: {reason}")]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Anything else.
    #[error("{path}: {reason}")]
    Other {
        /// The file.
        path: PathBuf,
        /// What SQLite or the system says.
        reason: String,
    },
}

impl ExperimentStoreError {
    /// What would put it right.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing(_) => Some("'taquin experiment run PLAN' makes one"),
            Self::Directory(_) => {
                Some("name the file, as in results.sqlite, or the plan beside it")
            }
            Self::Foreign(_) => Some("name another file with --store"),
            Self::Newer { .. } => Some("use the taquin that has written it, or a later one"),
            Self::Full(_) => {
                Some("make room and start again: what is finished is kept, and the rest goes on")
            }
            Self::ReadOnly { .. } => Some("choose a file that you may write to with --store"),
            Self::Other { .. } => None,
        }
    }
}

/// The version of the tables below.
const VERSION: i64 = 1;

/// What marks a file as ours: "taqu".
const MARK: i64 = 0x7461_7175;

/// How often the log is written through.
const SYNC: Duration = Duration::from_secs(1);

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_mins(2);

impl ExperimentStore {
    /// Opens a store, and makes it if there is none.
    ///
    /// # Errors
    /// Fails if the file is no store, has a later version, or can't be written.
    pub fn create(path: &Path) -> Result<Self, ExperimentStoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Self::connect(path, flags)
    }

    /// Opens a store.
    ///
    /// # Errors
    /// Fails also if there is none.
    pub fn open(path: &Path) -> Result<Self, ExperimentStoreError> {
        match path.exists() {
            true => Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE),
            false => Err(ExperimentStoreError::Missing(path.to_owned())),
        }
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, ExperimentStoreError> {
        if path.is_dir() {
            return Err(ExperimentStoreError::Directory(path.to_owned()));
        }
        let wrong = |error| wrong(path, &error);
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(wrong)?;
        connection.busy_timeout(PATIENCE).map_err(wrong)?;
        let mut store =
            Self { connection, path: path.to_owned(), worker: None, synced: Instant::now() };
        let path = store.path.clone();
        let (mark, version) = store.version().map_err(|error| self::wrong(&path, &error))?;
        match (mark, version) {
            (MARK, VERSION) => {}
            (MARK, found) => return Err(ExperimentStoreError::Newer { path, found }),
            // A file that is only to be read is left as it is, an empty one too.
            (0, 0) if flags.contains(OpenFlags::SQLITE_OPEN_CREATE) => {
                store.make().map_err(|error| self::wrong(&path, &error))?;
            }
            _ => return Err(ExperimentStoreError::Foreign(path)),
        }
        // A commit is then in the log, which outlives the process (see `turn`); the log is emptied
        // every 16 MB, as that has to wait for the disk.
        for (name, value) in
            [("journal_mode", "wal"), ("synchronous", "normal"), ("wal_autocheckpoint", "4000")]
        {
            let set = store.connection.pragma_update(None, name, value);
            set.map_err(|error| self::wrong(&path, &error))?;
        }
        store.connection.set_prepared_statement_cache_capacity(32);
        Ok(store)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn version(&self) -> rusqlite::Result<(i64, i64)> {
        // One look at both, between which another process could make the store.
        let look = self.connection.unchecked_transaction()?;
        let pragma = |name| look.pragma_query_value(None, name, |row| row.get(0));
        Ok((pragma("application_id")?, pragma("user_version")?))
    }

    /// Makes the tables of a new store; what is in the file is another's.
    fn make(&mut self) -> rusqlite::Result<()> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let pragma = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let tables: i64 =
            transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        match (pragma("application_id")?, tables) {
            // Another process was quicker.
            (MARK, _) => return Ok(()),
            (_, 0) => {}
            _ => {
                let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
                return Err(rusqlite::Error::SqliteFailure(code, None));
            }
        }
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", MARK)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()
    }

    pub(super) fn wrong(&self, error: &rusqlite::Error) -> ExperimentStoreError {
        wrong(&self.path, error)
    }

    /// Puts a plan into the store: what it asks for and is not there is due, what it asks for no more
    /// is left alone. With `retry`, what was ended by a limit is due again; until it is finished
    /// again, the store keeps what came of it. Says how many runs were ended by a limit that the plan
    /// has raised since.
    ///
    /// # Errors
    /// Fails if the store can't be written.
    pub fn plan(&mut self, plan: &Plan, retry: bool) -> Result<u64, ExperimentStoreError> {
        self.put(plan, retry).map_err(|error| self.wrong(&error))
    }

    fn put(&mut self, plan: &Plan, retry: bool) -> rusqlite::Result<u64> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for (name, value) in [("title", &plan.title), ("plan", &plan.text)] {
            transaction
                .execute("INSERT OR REPLACE INTO experiment VALUES (?, ?)", [name, value])?;
        }
        transaction.execute("UPDATE runs SET place = NULL", [])?;
        let (columns, values) =
            (PLANNED.join(", "), PLANNED.map(|name| format!(":{name}")).join(", "));
        // What is finished keeps the limits that it was made under.
        let limits = ["limit_seconds", "limit_memory", "limit_expanded"]
            .map(|limit| format!("{limit} = iif(outcome IS NULL, excluded.{limit}, {limit})"));
        let mut insert = transaction.prepare(&format!(
            "INSERT INTO runs ({columns}) VALUES ({values}) ON CONFLICT (key) DO UPDATE SET \
             place = excluded.place, instance = excluded.instance, source = excluded.source, \
             known_cost = excluded.known_cost, name = excluded.name, {}",
            limits.join(", ")
        ))?;
        for (place, run) in (0_i64..).zip(&plan.runs) {
            insert_planned(&mut insert, place, run)?;
            if retry {
                let mut again = transaction.prepare_cached(
                    "UPDATE runs SET due = 1, limit_seconds = ?2, limit_memory = ?3, \
                     limit_expanded = ?4 WHERE key = ?1 AND due = 0 AND (outcome = 'failed' OR \
                     reason IN ('time', 'memory', 'expanded', 'generated', 'tables'))",
                )?;
                again.execute(params![
                    run.key(),
                    run.limits.seconds,
                    run.limits.memory.map(|n| n as i64),
                    run.limits.expanded.map(|n| n as i64)
                ])?;
            }
        }
        drop(insert);
        let raised: i64 = transaction.query_row(
            "SELECT count(*) FROM runs WHERE place IS NOT NULL AND due = 0 AND (\
             reason = 'time' AND limit_seconds < coalesce(?1, 1e300) OR \
             reason = 'memory' AND limit_memory < ?2 OR \
             reason = 'expanded' AND limit_expanded < coalesce(?3, 9e18))",
            params![
                plan.limits.seconds,
                plan.limits.memory.map(|n| n as i64),
                plan.limits.expanded.map(|n| n as i64)
            ],
            |row| row.get(0),
        )?;
        transaction.commit()?;
        Ok(raised as u64)
    }

    /// Registers this process, so that it can take runs.
    pub(super) fn enlist(&mut self) -> Result<(), ExperimentStoreError> {
        let nanoseconds =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let token = format!("{}-{nanoseconds}", std::process::id());
        let lock = lock_file(&self.path, &token);
        let unwritable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::StorageFull => ExperimentStoreError::Full(lock.clone()),
            _ => ExperimentStoreError::ReadOnly { path: lock.clone(), reason: error.to_string() },
        };
        let held = File::create(&lock).map_err(unwritable)?;
        held.lock().map_err(unwritable)?;
        // The row comes after the lock: who sees the one can rely on the other.
        let inserted = self.connection.execute(
            "INSERT INTO workers (token, started) VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ'))",
            [&token],
        );
        if let Err(error) = inserted {
            let _ = fs::remove_file(&lock);
            return Err(self.wrong(&error));
        }
        let id = self.connection.last_insert_rowid();
        self.worker = Some(Worker { id, lock, _held: held });
        self.release_dead()?;
        Ok(())
    }

    /// Gives back what processes have taken that are no more; says how many runs that were.
    pub(super) fn release_dead(&mut self) -> Result<usize, ExperimentStoreError> {
        let own = self.worker.as_ref().map_or(0, |worker| worker.id);
        let others = self.workers().map_err(|error| self.wrong(&error))?;
        let mut released = 0;
        for (id, token) in others.into_iter().filter(|(id, _)| *id != own) {
            let lock = lock_file(&self.path, &token);
            let held = match File::open(&lock) {
                // Its process lives.
                Ok(file) if file.try_lock().is_err() => continue,
                Ok(file) => Some(file),
                Err(_) => None,
            };
            released += self.release(id).map_err(|error| self.wrong(&error))?;
            let _ = fs::remove_file(&lock);
            drop(held);
        }
        Ok(released)
    }

    fn workers(&self) -> rusqlite::Result<Vec<(i64, String)>> {
        let mut query = self.connection.prepare_cached("SELECT id, token FROM workers")?;
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    fn release(&mut self, worker: i64) -> rusqlite::Result<usize> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let released =
            transaction.execute("UPDATE runs SET worker = NULL WHERE worker = ?", [worker])?;
        transaction.execute("DELETE FROM workers WHERE id = ?", [worker])?;
        transaction.commit()?;
        Ok(released)
    }

    /// Writes what came of a run, and takes the next one of a shard: in one transaction.
    pub(super) fn turn(
        &mut self,
        finished: Option<&Finished>,
        shard: Option<Shard>,
    ) -> Result<Option<Claim>, ExperimentStoreError> {
        let through = self.synced.elapsed() >= SYNC && finished.is_some();
        if through {
            self.synchronous("full")?;
        }
        let claim = self.commit(finished, shard);
        if through {
            self.synchronous("normal")?;
            self.synced = Instant::now();
        }
        claim.map_err(|error| self.wrong(&error))
    }

    fn synchronous(&self, how: &str) -> Result<(), ExperimentStoreError> {
        let set = self.connection.pragma_update(None, "synchronous", how);
        set.map_err(|error| self.wrong(&error))
    }

    fn commit(
        &mut self,
        finished: Option<&Finished>,
        shard: Option<Shard>,
    ) -> rusqlite::Result<Option<Claim>> {
        let worker = self.worker.as_ref().map_or(0, |worker| worker.id);
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some(finished) = finished {
            write_result(&transaction, finished, worker)?;
        }
        let claim = match shard {
            None => None,
            Some(shard) => transaction
                .prepare_cached(
                    "UPDATE runs SET worker = ?1, attempts = attempts + 1 WHERE key = (\
                     SELECT key FROM runs WHERE due = 1 AND worker IS NULL AND place IS NOT NULL \
                     AND place % ?2 = ?3 ORDER BY attempts, place LIMIT 1) RETURNING *",
                )?
                .query_row(params![worker, shard.of, shard.number - 1], read_claim)
                .optional()?,
        };
        transaction.commit()?;
        Ok(claim)
    }

    /// Gives a run back that was not finished.
    pub(super) fn give_back(&mut self, key: &str) -> Result<(), ExperimentStoreError> {
        let given = self.connection.execute("UPDATE runs SET worker = NULL WHERE key = ?", [key]);
        given.map(|_| ()).map_err(|error| self.wrong(&error))
    }

    /// How many runs of a shard are still to be finished, by this process and by others.
    pub(super) fn remaining(&self, shard: Shard) -> Result<u64, ExperimentStoreError> {
        let count = self.connection.query_row(
            "SELECT count(*) FROM runs WHERE due = 1 AND place IS NOT NULL AND place % ?1 = ?2",
            params![shard.of, shard.number - 1],
            |row| row.get::<_, i64>(0),
        );
        count.map(|count| count as u64).map_err(|error| self.wrong(&error))
    }

    /// Something that the plan says: `title` or `plan`.
    pub(super) fn fact(&self, name: &str) -> rusqlite::Result<String> {
        let query = "SELECT value FROM experiment WHERE name = ?";
        Ok(self
            .connection
            .query_row(query, [name], |row| row.get(0))
            .optional()?
            .unwrap_or_default())
    }
}

impl Drop for ExperimentStore {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            // What can't be given back now is given back by whoever finds the lock free.
            let _ = self.release(worker.id);
            let _ = fs::remove_file(&worker.lock);
        }
    }
}

/// Whether a file looks like a store, by its first bytes.
pub fn is_store(path: &Path) -> bool {
    let mut head = [0; 72];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok()
        && head.starts_with(b"SQLite format 3")
        && head[68..] == (MARK as u32).to_be_bytes()
}

/// The file that a process holds a lock on.
fn lock_file(store: &Path, token: &str) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(format!("-{token}.lock"));
    store.with_file_name(name)
}

fn wrong(path: &Path, error: &rusqlite::Error) -> ExperimentStoreError {
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
        _ => ExperimentStoreError::Other { path, reason: reason() },
    }
}
