//! A run as a row of the store.

use std::sync::LazyLock;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, Statement, named_params, params_from_iter};
use serde_json::Value;
use taquin::{Counts, Notation, Report, TaskLimits};
use taquin_lab::Figures;
use taquin_lab::instances::Instance;

use crate::run::{Run, puzzle};

/// A run that this process has taken.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Claim {
    pub(crate) key: String,
    pub(crate) run: Run,
}

/// What came of a run.
pub(crate) struct Finished {
    pub(crate) key: String,
    pub(crate) memory_limit: Option<u64>,
    pub(crate) report: Option<Report>,
    pub(crate) figures: Option<Figures>,
    pub(crate) cpu_seconds: Option<f64>,
    /// What a search that broke down said.
    pub(crate) broken: Option<String>,
    pub(crate) processor: String,
}

/// What is to be done, in a row.
pub(super) const PLANNED: [&str; 22] = [
    "instance",
    "source",
    "rows",
    "cols",
    "start",
    "goal",
    "known_cost",
    "name",
    "method",
    "method_full",
    "course",
    "costs",
    "jumps",
    "threads",
    "repeat",
    "seed",
    "limit_seconds",
    "limit_memory",
    "limit_expanded",
    "key",
    "place",
    "due",
];

/// What came of it.
const FOUND: [&str; 7] = ["outcome", "reason", "cost", "depth", "lower_bound", "optimal", "moves"];

/// The counts, each with and without the last bound.
const COUNTS: [&str; 9] = [
    "expanded",
    "generated",
    "duplicates",
    "reopened",
    "dropped_cheaper",
    "frontier_peak",
    "depth_peak",
    "stored_peak",
    "memory_peak",
];

const OTHERS: [&str; 7] =
    ["seconds", "cpu_seconds", "figures", "notes", "version", "processor", "finished"];

/// The columns that tell what came of a run.
pub(super) fn result_columns() -> Vec<String> {
    let before = COUNTS.map(|count| format!("before_{count}"));
    let plain = |columns: &[&str]| columns.iter().map(ToString::to_string).collect::<Vec<_>>();
    [plain(&FOUND), plain(&COUNTS), before.to_vec(), plain(&OTHERS)].concat()
}

/// The columns that are exported: what was to be done, and what came of it.
pub(crate) fn exported_columns() -> Vec<String> {
    let planned = PLANNED.iter().filter(|column| !["place", "due"].contains(column));
    planned.map(ToString::to_string).chain(result_columns()).collect()
}

/// The tables, as a later reader without taquin finds them explained.
pub(super) const SCHEMA: &str = "
CREATE TABLE experiment (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
CREATE TABLE workers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token TEXT NOT NULL,      -- the end of the name of the file that it holds a lock on
  started TEXT NOT NULL
);
CREATE TABLE runs (
  key TEXT PRIMARY KEY NOT NULL, -- made of all that determines the run
  place INTEGER,            -- in the plan; null if the plan has it no more
  due INTEGER NOT NULL,     -- 1 if it is to be run
  worker INTEGER,           -- who is at it
  attempts INTEGER NOT NULL DEFAULT 0,
  instance TEXT NOT NULL, source TEXT NOT NULL, rows INTEGER NOT NULL, cols INTEGER NOT NULL,
  start TEXT NOT NULL, goal TEXT NOT NULL,
  known_cost INTEGER,       -- of the cheapest solution, where it was known beforehand
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
  figures TEXT,             -- what the course prints, as JSON
  notes TEXT, version TEXT, processor TEXT, finished TEXT
);
CREATE INDEX due ON runs (attempts, place) WHERE due = 1 AND worker IS NULL AND place IS NOT NULL;
CREATE INDEX taken ON runs (worker) WHERE worker IS NOT NULL;
";

/// Writes what is to be done.
pub(super) fn insert_planned(
    insert: &mut Statement<'_>,
    place: i64,
    run: &Run,
) -> rusqlite::Result<usize> {
    let Run { instance, name, method, course, costs, jumps, threads, repeat, limits } = run;
    let puzzle = &instance.puzzle;
    insert.execute(named_params! {
        ":instance": instance.label, ":source": instance.source,
        ":rows": puzzle.size().rows() as i64, ":cols": puzzle.size().cols() as i64,
        ":start": puzzle.start().to_string(), ":goal": puzzle.goal().to_string(),
        ":known_cost": instance.known, ":name": name, ":method": method.to_string(),
        ":method_full": method.in_full(), ":course": course, ":costs": costs.to_string(),
        ":jumps": jumps, ":threads": *threads as i64, ":repeat": repeat,
        ":seed": run.method.seed().map(|seed| seed.to_string()),
        ":limit_seconds": limits.seconds, ":limit_memory": limits.memory.map(|n| n as i64),
        ":limit_expanded": limits.expanded.map(|n| n as i64), ":key": run.key(),
        ":place": place, ":due": 1,
    })
}

pub(super) fn read_claim(row: &Row<'_>) -> rusqlite::Result<Claim> {
    let text = |column: &str| row.get::<_, String>(column);
    let number = |column: &str| row.get::<_, Option<i64>>(column).map(|n| n.map(|n| n as u64));
    // Nobody but us writes these columns; whoever has, has made a run that can't be read.
    let broken = |column: &str, what: String| {
        let index = row.as_ref().column_index(column).unwrap_or(0);
        rusqlite::Error::FromSqlConversionFailure(index, rusqlite::types::Type::Text, what.into())
    };
    let (start, goal, method, costs) =
        (text("start")?, text("goal")?, text("method_full")?, text("costs")?);
    let instance = Instance {
        label: text("instance")?,
        source: text("source")?,
        puzzle: puzzle(&start, &goal)
            .ok_or_else(|| broken("start", format!("'{start}' to '{goal}' is no puzzle")))?,
        known: row.get("known_cost")?,
    };
    let run = Run {
        instance,
        name: text("name")?,
        method: method
            .parse()
            .map_err(|error| broken("method_full", format!("{method}: {error}")))?,
        course: row.get("course")?,
        costs: costs.parse().map_err(|error| broken("costs", format!("{costs}: {error}")))?,
        jumps: row.get("jumps")?,
        threads: number("threads")?.unwrap_or(1) as usize,
        repeat: row.get("repeat")?,
        limits: TaskLimits {
            expanded: number("limit_expanded")?,
            memory: number("limit_memory")?,
            seconds: row.get("limit_seconds")?,
            ..TaskLimits::default()
        },
    };
    Ok(Claim { key: text("key")?, run })
}

/// Writes what came of a run; of one that another has meanwhile, nothing.
pub(super) fn write_result(
    connection: &Connection,
    finished: &Finished,
    worker: i64,
) -> rusqlite::Result<()> {
    static UPDATE: LazyLock<String> = LazyLock::new(|| {
        let sets: Vec<String> =
            result_columns().iter().map(|column| format!("{column} = ?")).collect();
        // The clock is SQLite's: the last of the columns.
        let sets =
            sets.join(", ").replace("finished = ?", "finished = strftime('%Y-%m-%dT%H:%M:%SZ')");
        format!(
            "UPDATE runs SET due = 0, worker = NULL, {sets}, limit_memory = ? \
             WHERE key = ? AND worker = ?"
        )
    });
    let mut values = result_values(finished);
    values.push(number(finished.memory_limit));
    values.push(finished.key.clone().into());
    values.push(worker.into());
    connection.prepare_cached(&UPDATE)?.execute(params_from_iter(values))?;
    Ok(())
}

/// What came of a run, in the order of its columns.
fn result_values(finished: &Finished) -> Vec<Sql> {
    let report = finished.report.as_ref();
    let outcome = report.map_or_else(|| "failed".to_owned(), |report| word(&report.outcome));
    let mut values: Vec<Sql> = vec![
        outcome.into(),
        report.and_then(|report| report.reason).map(|reason| word(&reason)).into(),
        number(report.and_then(|report| report.cost.map(u64::from))),
        number(report.and_then(|report| report.depth)),
        number(report.and_then(|report| report.lower_bound.map(u64::from))),
        report.is_some_and(|report| report.optimal).into(),
        report.and_then(|report| report.write_moves(Notation::Blank)).into(),
    ];
    values.extend(count_values(report.map(|report| report.counts)));
    values.extend(count_values(report.and_then(|report| report.before_last_bound)));
    let figures = finished.figures.as_ref().and_then(|figures| serde_json::to_string(figures).ok());
    let notes = report.map(|report| report.notes.join("; ")).or_else(|| finished.broken.clone());
    values.extend::<[Sql; 6]>([
        report.map(|report| report.seconds).into(),
        finished.cpu_seconds.into(),
        figures.into(),
        notes.filter(|notes| !notes.is_empty()).into(),
        env!("CARGO_PKG_VERSION").to_owned().into(),
        finished.processor.clone().into(),
    ]);
    values
}

fn count_values(counts: Option<Counts>) -> [Sql; COUNTS.len()] {
    let Some(counts) = counts else { return [const { Sql::Null }; COUNTS.len()] };
    let Counts {
        expanded,
        generated,
        duplicates,
        reopened,
        dropped_cheaper,
        frontier_peak,
        depth_peak,
        stored_peak,
        memory_peak,
    } = counts;
    [
        expanded,
        generated,
        duplicates,
        reopened,
        dropped_cheaper,
        frontier_peak,
        depth_peak,
        stored_peak,
        memory_peak,
    ]
    .map(|count| number(Some(count)))
}

/// A number as SQLite has them; those beyond are the greatest.
fn number(number: Option<u64>) -> Sql {
    number.map(|number| i64::try_from(number).unwrap_or(i64::MAX)).into()
}

/// The word that JSON has for a value.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
