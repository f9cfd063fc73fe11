//! A store's tables, and how older versions are brought up to date.
//!
//! An application id marks a store as taquin's, and its version is SQLite's `user_version`. Each
//! version only adds columns to the table of runs. So an older store is brought up to date by
//! adding them when it is opened for writing. A store that is only read gets a temporary view with
//! them.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, TransactionBehavior};
use xxhash_rust::xxh3::xxh3_64;

use super::rows::{plan_seal, result_seal};

/// Marks a file as a store: "taqu".
pub(super) const MARK: i64 = 0x7461_7175;

/// The version of the tables.
pub(super) const VERSION: i64 = 1 + ADDED.len() as i64;

/// The columns of runs that each version added, from version 2.
///
/// `stages`, `hints` and `improvements` hold JSON; `stages` is null if the run was a single search,
/// which the other columns describe, or none. The seals are checksums over the plan's columns and
/// over the result's columns.
const ADDED: [&[&str]; 2] = [&["stages", "hints", "improvements"], &["plan_seal", "seal"]];

/// The tables of version 1, with comments for readers without taquin.
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

/// Makes a new store's tables, or adds what an older one lacks. Fails if the file has another
/// program's tables.
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
    add_seals(&transaction)?;
    transaction.pragma_update(None, "user_version", VERSION.max(found))?;
    transaction.commit()
}

/// Lets queries find every column in a store of an older `version` that is only read. Its rows have
/// no seals, so these are always valid.
pub(super) fn complete(connection: &Connection, version: i64) -> rusqlite::Result<()> {
    let is_seal = |name: &&str| name.ends_with("seal");
    let added = added_since(version).filter(|name| !is_seal(name));
    let columns: Vec<String> = added.map(|name| format!(", NULL AS {name}")).collect();
    connection.execute_batch(&format!(
        "CREATE TEMP VIEW runs AS SELECT *, {} AS plan_seal, iif(outcome IS NULL, NULL, {}) AS seal \
         FROM (SELECT *{} FROM main.runs)",
        plan_seal(),
        result_seal(),
        columns.concat()
    ))
}

/// Seals rows of stores that had no seals.
pub(super) fn add_seals(connection: &Connection) -> rusqlite::Result<()> {
    let (plan, result) = (plan_seal(), result_seal());
    connection.execute_batch(&format!(
        "UPDATE runs SET plan_seal = {plan} WHERE plan_seal IS NULL; \
         UPDATE runs SET seal = {result} WHERE seal IS NULL AND outcome IS NOT NULL"
    ))
}

/// Makes the SQL function `seal`, a checksum of its arguments.
pub(super) fn define_seal(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("seal", -1, flags, |context| {
        let mut bytes = Vec::new();
        for at in 0..context.len() {
            // The type belongs to the value: one changed bit makes a text the same bytes as a blob.
            let value = context.get_raw(at);
            bytes.push(value.data_type() as u8);
            match value {
                ValueRef::Null => {}
                ValueRef::Integer(number) => bytes.extend(number.to_le_bytes()),
                ValueRef::Real(number) => bytes.extend(number.to_bits().to_le_bytes()),
                ValueRef::Text(text) | ValueRef::Blob(text) => bytes.extend(text),
            }
            bytes.extend((bytes.len() as u64).to_le_bytes());
        }
        Ok(format!("{:016x}", xxh3_64(&bytes)))
    })
}

/// Returns the columns in an attached store's table of runs.
pub(super) fn columns_of(connection: &Connection, schema: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = connection.prepare("SELECT name FROM pragma_table_info('runs', ?)")?;
    query.query_map([schema], |row| row.get(0))?.collect()
}
