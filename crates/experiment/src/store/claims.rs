//! Which process runs what.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{COLUMNS, Claim, FinishedRun, read_run, write_result};
use super::{ExperimentStore, ExperimentStoreError};
use crate::Shard;

/// This process, as a store knows it.
#[derive(Debug)]
pub(super) struct Worker {
    id: i64,
    /// The locked file, which exists for as long as the process claims runs.
    lock: (PathBuf, File),
}

/// How often the log is synced.
const SYNC: Duration = Duration::from_secs(1);

impl ExperimentStore {
    /// Registers this process, so that it can claim runs.
    pub(crate) fn enlist(&mut self) -> Result<(), ExperimentStoreError> {
        let nanoseconds =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let token = format!("{}-{nanoseconds}", std::process::id());
        // The row comes after the lock, so that a process with a row always has a lock.
        let lock = locked_file(&lock_path(&self.path, &token))?;
        let mut worker = Worker { id: 0, lock };
        let inserted = self.check(|connection| {
            let query = "INSERT INTO workers (token, started) \
                         VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ'))";
            connection.execute(query, [&token]).map(|_| connection.last_insert_rowid())
        });
        match inserted {
            Ok(id) => worker.id = id,
            Err(error) => {
                worker.unlock();
                return Err(error);
            }
        }
        self.worker = Some(worker);
        self.release_dead().map(|_| ())
    }

    /// Returns the ids of the processes that have claimed runs, with whether each is alive.
    pub(super) fn workers(&self) -> Result<Vec<(i64, String, bool)>, ExperimentStoreError> {
        let own = self.worker.as_ref().map(|worker| worker.id);
        let is_alive = |id, token: &str| {
            let other = || File::open(lock_path(&self.path, token));
            // A live process holds its lock.
            Some(id) == own || other().is_ok_and(|file| file.try_lock().is_err())
        };
        self.check(|connection| {
            let mut query = connection.prepare_cached("SELECT id, token FROM workers")?;
            let worker = |row: &rusqlite::Row<'_>| {
                let (id, token) = (row.get(0)?, row.get::<_, String>(1)?);
                let alive = is_alive(id, &token);
                Ok((id, token, alive))
            };
            query.query_map([], worker)?.collect()
        })
    }

    /// Makes the runs due again that dead processes have claimed, and returns their number.
    pub(crate) fn release_dead(&mut self) -> Result<usize, ExperimentStoreError> {
        let mut released = 0;
        for (id, token, _) in self.workers()?.into_iter().filter(|(_, _, alive)| !alive) {
            released += self.change(|connection| release(connection, id))?;
            let _ = fs::remove_file(lock_path(&self.path, &token));
        }
        Ok(released)
    }

    /// Writes a run's result and claims the next one in a shard, in one transaction.
    pub(crate) fn turn(
        &mut self,
        finished: Option<&FinishedRun>,
        shard: Option<Shard>,
    ) -> Result<Option<Claim>, ExperimentStoreError> {
        let sync = self.synced.elapsed() >= SYNC && finished.is_some();
        if sync {
            self.synchronous("full")?;
        }
        let worker = self.worker.as_ref().map_or(0, |worker| worker.id);
        let courses = std::mem::take(&mut self.courses);
        let claim = self.change(|connection| {
            if let Some(finished) = finished {
                write_result(connection, finished, worker)?;
            }
            let Some(shard) = shard else { return Ok(None) };
            let mut claim = connection.prepare_cached(&format!(
                "UPDATE runs SET worker = ?1, attempts = attempts + 1 WHERE key = (\
                 SELECT key FROM runs WHERE due = 1 AND worker IS NULL AND place IS NOT NULL \
                 AND place % ?2 = ?3 ORDER BY attempts, place LIMIT 1) RETURNING {}",
                *COLUMNS
            ))?;
            let read = |row: &rusqlite::Row<'_>| {
                Ok(Claim { key: row.get("key")?, run: read_run(row, &courses)? })
            };
            claim.query_row(params![worker, shard.of, shard.number - 1], read).optional()
        });
        self.courses = courses;
        if sync {
            self.synchronous("normal")?;
            self.synced = Instant::now();
        }
        claim
    }

    fn synchronous(&self, how: &str) -> Result<(), ExperimentStoreError> {
        self.check(|connection| connection.pragma_update(None, "synchronous", how))
    }

    /// Makes a claimed run due again.
    pub(crate) fn give_back(&mut self, key: &str) -> Result<(), ExperimentStoreError> {
        let query = "UPDATE runs SET worker = NULL WHERE key = ?";
        self.check(|connection| connection.execute(query, [key]).map(|_| ()))
    }

    /// Returns how many of a shard's runs are unfinished.
    pub(crate) fn remaining(&self, shard: Shard) -> Result<u64, ExperimentStoreError> {
        let query = "SELECT count(*) FROM runs WHERE due = 1 AND place % ?1 = ?2";
        let shard = params![shard.of, shard.number - 1];
        let count = self
            .check(|connection| connection.query_row(query, shard, |row| row.get::<_, i64>(0)))?;
        Ok(count as u64)
    }
}

fn release(connection: &Connection, worker: i64) -> rusqlite::Result<usize> {
    let released =
        connection.execute("UPDATE runs SET worker = NULL WHERE worker = ?", [worker])?;
    connection.execute("DELETE FROM workers WHERE id = ?", [worker])?;
    Ok(released)
}

impl Worker {
    fn unlock(self) {
        let (path, held) = self.lock;
        drop(held);
        let _ = fs::remove_file(path);
    }
}

impl ExperimentStore {
    /// Ends the registration of this process.
    pub(crate) fn leave(&mut self) {
        if let Some(worker) = self.worker.take() {
            // If this fails, the next process that finds the lock free does it.
            let _ = self.change(|connection| release(connection, worker.id));
            worker.unlock();
        }
    }
}

impl Drop for ExperimentStore {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Returns the path of the file that a process holds a lock on.
fn lock_path(store: &Path, token: &str) -> PathBuf {
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(format!("-{token}.lock"));
    store.with_file_name(name)
}

fn locked_file(path: &Path) -> Result<(PathBuf, File), ExperimentStoreError> {
    let locked = || {
        let file = File::create(path)?;
        file.lock()?;
        Ok((path.to_owned(), file))
    };
    locked().map_err(|error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => ExperimentStoreError::Full(path.to_owned()),
        _ => ExperimentStoreError::ReadOnly { path: path.to_owned(), reason: error.to_string() },
    })
}
