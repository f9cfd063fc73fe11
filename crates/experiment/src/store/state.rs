//! The progress of an experiment, and joining stores.

use std::path::Path;

use rusqlite::Connection;
use serde::Serialize;

use super::rows::{PLANNED, each, result_columns};
use super::schema::{add_seals, columns_of};
use super::{ExperimentStore, ExperimentStoreError};

/// The progress of an experiment.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ExperimentState {
    /// The title of the plan.
    pub title: String,
    /// The progress of each method.
    pub methods: Vec<MethodState>,
    /// Runs that a process is running now.
    pub running: u64,
    /// Processes that are running now.
    pub processes: u64,
    /// Finished runs that the plan does not have.
    pub earlier: u64,
}

/// The progress of a method.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct MethodState {
    /// The method's name.
    pub name: String,
    /// All its runs.
    pub runs: u64,
    /// Finished runs.
    pub finished: u64,
    /// Runs that found a solution.
    pub solved: u64,
    /// Runs that proved their solution optimal.
    pub optimal: u64,
    /// Runs that the time limit ended.
    pub time: u64,
    /// Runs that the memory limit ended.
    pub memory: u64,
    /// Runs that a node limit ended.
    pub nodes: u64,
    /// Runs that ended otherwise without a solution.
    pub others: u64,
    /// The time of the finished ones.
    pub seconds: f64,
}

impl ExperimentState {
    /// Returns the sum of all methods.
    pub fn total(&self) -> MethodState {
        let sum = |field: fn(&MethodState) -> u64| self.methods.iter().map(field).sum();
        MethodState {
            name: "all".to_owned(),
            runs: sum(|method| method.runs),
            finished: sum(|method| method.finished),
            solved: sum(|method| method.solved),
            optimal: sum(|method| method.optimal),
            time: sum(|method| method.time),
            memory: sum(|method| method.memory),
            nodes: sum(|method| method.nodes),
            others: sum(|method| method.others),
            seconds: self.methods.iter().map(|method| method.seconds).sum(),
        }
    }
}

/// The result of joining a store to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeSummary {
    /// Finished runs that were new.
    pub added: u64,
    /// Finished runs that were known.
    pub known: u64,
    /// Known runs with another result.
    pub different: u64,
}

impl ExperimentStore {
    /// Returns the progress of the experiment.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    pub fn state(&self) -> Result<ExperimentState, ExperimentStoreError> {
        let alive = self.workers()?.into_iter().filter(|(_, _, alive)| *alive);
        let alive: Vec<String> = alive.map(|(id, ..)| id.to_string()).collect();
        let query = format!(
            "SELECT name, count(*), sum(outcome IS NOT NULL), sum(outcome IS 'solved'), \
             sum(optimal IS 1), sum(reason IS 'time'), sum(reason IS 'memory'), \
             sum(reason IN ('expanded', 'generated')), total(seconds), sum(worker IN ({})) \
             FROM runs WHERE place IS NOT NULL GROUP BY name ORDER BY min(place)",
            alive.join(", ")
        );
        self.read_where("outcome IS NOT NULL", |_| ())?;
        let mut state = ExperimentState {
            title: self.fact("title")?,
            processes: alive.len() as u64,
            earlier: self.check(|connection| {
                let query = "SELECT count(*) FROM runs WHERE place IS NULL AND outcome IS NOT NULL";
                connection.query_row(query, [], |row| row.get::<_, i64>(0))
            })? as u64,
            ..ExperimentState::default()
        };
        self.check(|connection| {
            let mut query = connection.prepare(&query)?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let count = |at: usize| {
                    row.get::<_, Option<i64>>(at).map(|count| count.unwrap_or(0) as u64)
                };
                let [finished, solved, time, memory, nodes] =
                    [count(2)?, count(3)?, count(5)?, count(6)?, count(7)?];
                state.methods.push(MethodState {
                    name: row.get(0)?,
                    runs: count(1)?,
                    finished,
                    solved,
                    optimal: count(4)?,
                    time,
                    memory,
                    nodes,
                    others: finished.saturating_sub(solved + time + memory + nodes),
                    seconds: row.get(8)?,
                });
                state.running += count(9)?;
            }
            Ok(())
        })?;
        Ok(state)
    }

    /// Takes the runs and results of another store that this one does not have.
    ///
    /// # Errors
    /// Fails if either cannot be used.
    pub fn merge(&mut self, other: &Path) -> Result<MergeSummary, ExperimentStoreError> {
        if self.is_file(other) {
            return Err(ExperimentStoreError::Itself(other.to_owned()));
        }
        Self::open(other)?.verify()?;
        let name = other.to_string_lossy();
        self.check(|connection| connection.execute("ATTACH DATABASE ? AS other", [name]))?;
        let joined = self.change(join_attached);
        self.check(|connection| connection.execute("DETACH DATABASE other", []))?;
        joined
    }
}

fn join_attached(connection: &Connection) -> rusqlite::Result<MergeSummary> {
    let count = |query: &str| {
        connection.query_row(query, [], |row| row.get::<_, i64>(0)).map(|count| count as u64)
    };
    let both = "FROM main.runs AS a JOIN other.runs AS b USING (key) \
                WHERE a.outcome IS NOT NULL AND b.outcome IS NOT NULL";
    let known = count(&format!("SELECT count(*) {both}"))?;
    let different = count(&format!(
        "SELECT count(*) {both} AND (a.cost IS NOT b.cost OR a.expanded IS NOT b.expanded) \
         AND a.outcome = 'solved' AND b.outcome = 'solved'"
    ))?;
    let before = count("SELECT count(*) FROM main.runs WHERE outcome IS NOT NULL")?;
    // A store of an older version has fewer columns.
    let there = columns_of(connection, "other")?;
    let planned = each(PLANNED).map(str::to_owned);
    let sealed = result_columns().into_iter().chain(["seal".to_owned()]);
    let columns: Vec<String> = planned
        .chain(sealed.clone())
        .chain(["plan_seal".to_owned()])
        .filter(|column| there.contains(column))
        .collect();
    let columns = columns.join(", ");
    let news: Vec<String> = sealed
        .chain(["limit_seconds", "limit_memory", "limit_expanded", "due"].map(str::to_owned))
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    connection.execute(
        &format!(
            "INSERT INTO main.runs ({columns}) SELECT {columns} FROM other.runs WHERE true \
             ON CONFLICT (key) DO UPDATE SET {} \
             WHERE runs.outcome IS NULL AND excluded.outcome IS NOT NULL",
            news.join(", ")
        ),
        [],
    )?;
    add_seals(connection)?;
    connection
        .execute("INSERT OR IGNORE INTO main.experiment SELECT * FROM other.experiment", [])?;
    let added = count("SELECT count(*) FROM main.runs WHERE outcome IS NOT NULL")? - before;
    Ok(MergeSummary { added, known, different })
}
