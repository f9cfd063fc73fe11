//! The tables of a store, and how older ones become those of today.
//!
//! A store is marked as taquin's by its application id, and its version is SQLite's `user_version`.
//! Each version only adds columns to the table of runs. So an older store is brought up to date by
//! adding them when it is opened for writing; one that is only read gets a temporary view with them.

use rusqlite::{Connection, TransactionBehavior};

/// Marks a file as a store: "taqu".
pub(super) const MARK: i64 = 0x7461_7175;

/// The version of the tables.
pub(super) const VERSION: i64 = 1 + ADDED.len() as i64;

/// The columns of runs that each version added, from version 2. They hold JSON.
///
/// `stages` is null if the run was a single search, which the other columns describe, or none.
const ADDED: [&[&str]; 1] = [&["stages", "hints", "improvements"]];

/// The tables of version 1, with comments for readers who do not have taquin.
const TABLES: &str = "
CREATE TABLE experiment (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
CREATE TABLE workers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token TEXT NOT NULL,      -- the end of the name of its lock file
  started TEXT NOT NULL
);
CREATE TABLE runs (
  key TEXT PRIMARY KEY NOT NULL, -- a hash of everything that determines the run
  place INTEGER,            -- in the plan; null if the plan no longer has the run
  due INTEGER NOT NULL,     -- 1 if it is to be run
  worker INTEGER,           -- the process that is running it
  attempts INTEGER NOT NULL DEFAULT 0,
  instance TEXT NOT NULL, source TEXT NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,
  start TEXT NOT NULL, goal TEXT NOT NULL,
  known_cost INTEGER,       -- of the cheapest solution, if it was known beforehand
  name TEXT NOT NULL, method TEXT NOT NULL, method_full TEXT NOT NULL, course TEXT,
  costs TEXT NOT NULL, jumps INTEGER NOT NULL, threads INTEGER NOT NULL, repeat INTEGER NOT NULL,
  seed TEXT, limit_seconds REAL, limit_memory INTEGER, limit_expanded INTEGER,
  outcome TEXT,             -- solved, unsolvable, exhausted, stopped or failed; null until finished
  reason TEXT, cost INTEGER, depth INTEGER, lower_bound INTEGER, optimal INTEGER, moves TEXT,
  expanded INTEGER, generated INTEGER, duplicates INTEGER, reopened INTEGER, dropped_cheaper INTEGER,
  frontier_peak INTEGER, depth_peak INTEGER, stored_peak INTEGER, memory_peak INTEGER,
  before_expanded INTEGER, before_generated INTEGER, before_duplicates INTEGER,
  before_reopened INTEGER, before_dropped_cheaper INTEGER, before_frontier_peak INTEGER,
  before_depth_peak INTEGER, before_stored_peak INTEGER, before_memory_peak INTEGER,
  seconds REAL, cpu_seconds REAL,
  figures TEXT,             -- the figures of the course, as JSON
  notes TEXT, version TEXT, processor TEXT, finished TEXT
);
CREATE INDEX due ON runs (attempts, place) WHERE due = 1 AND worker IS NULL AND place IS NOT NULL;
CREATE INDEX taken ON runs (worker) WHERE worker IS NOT NULL;
";

/// The columns that versions after `version` have added.
fn added_since(version: i64) -> impl Iterator<Item = &'static str> {
    ADDED.iter().skip((version - 1) as usize).flat_map(|columns| columns.iter().copied())
}

/// Returns the mark and the version of a file.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    // One transaction, since another process could make the store between the two.
    let transaction = connection.unchecked_transaction()?;
    let pragma = |name| transaction.pragma_query_value(None, name, |row| row.get(0));
    Ok((pragma("application_id")?, pragma("user_version")?))
}

/// Makes the tables of a new store, or adds what an older one lacks. Fails if the file has the tables
/// of another program.
pub(super) fn update(connection: &mut Connection) -> rusqlite::Result<()> {
    // Another process may have been faster: the version counts that this transaction sees.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let pragma = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let mut found = pragma("user_version")?;
    if pragma("application_id")? != MARK {
        let count = "SELECT count(*) FROM sqlite_schema";
        if transaction.query_row(count, [], |row| row.get::<_, i64>(0))? > 0 {
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
            return Err(rusqlite::Error::SqliteFailure(code, None));
        }
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", MARK)?;
        found = 1;
    }
    for column in added_since(found) {
        transaction.execute_batch(&format!("ALTER TABLE runs ADD COLUMN {column} TEXT"))?;
    }
    transaction.pragma_update(None, "user_version", VERSION.max(found))?;
    transaction.commit()
}

/// Lets queries find every column in a store of an older `version` that is only read.
pub(super) fn complete(connection: &Connection, version: i64) -> rusqlite::Result<()> {
    let columns: Vec<String> =
        added_since(version).map(|name| format!(", NULL AS {name}")).collect();
    let columns = columns.concat();
    connection.execute_batch(&format!("CREATE TEMP VIEW runs AS SELECT *{columns} FROM main.runs"))
}

/// Returns the columns of the table of runs in an attached store.
pub(super) fn columns_of(connection: &Connection, schema: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = connection.prepare("SELECT name FROM pragma_table_info('runs', ?)")?;
    query.query_map([schema], |row| row.get(0))?.collect()
}
