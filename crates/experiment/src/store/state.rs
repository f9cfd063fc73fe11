//! How far an experiment is, and joining stores.

use std::path::Path;

use super::rows::{PLANNED, result_columns};
use super::{ExperimentStore, ExperimentStoreError};
use rusqlite::TransactionBehavior;

/// How far an experiment is.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct State {
    /// What the plan calls it.
    pub title: String,
    /// By method.
    pub methods: Vec<Tally>,
    /// Runs that a living process is at.
    pub running: u64,
    /// Living processes.
    pub processes: u64,
}

/// How far a method is.
#[derive(Clone, PartialEq, Debug, Default, serde::Serialize)]
pub struct Tally {
    /// What the method is called.
    pub name: String,
    /// All its runs.
    pub runs: u64,
    /// Those that are finished.
    pub finished: u64,
    /// Those that found a solution.
    pub solved: u64,
    /// Those that proved theirs to be optimal.
    pub optimal: u64,
    /// Those that the time limit ended.
    pub time: u64,
    /// Those that the memory limit ended.
    pub memory: u64,
    /// Those that a limit on nodes ended.
    pub nodes: u64,
    /// Those that ended otherwise without a solution.
    pub others: u64,
    /// The time that the finished ones took.
    pub seconds: f64,
}

/// What came of joining a store to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    /// Finished runs that were new.
    pub added: u64,
    /// Finished runs that were known.
    pub known: u64,
    /// Known ones that say something else.
    pub different: u64,
}

impl ExperimentStore {
    /// How far the experiment is.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub fn state(&mut self) -> Result<State, ExperimentStoreError> {
        self.release_dead()?;
        self.read_state().map_err(|error| self.wrong(&error))
    }

    fn read_state(&self) -> rusqlite::Result<State> {
        let mut query = self.connection.prepare(
            "SELECT name, count(*), sum(outcome IS NOT NULL), sum(outcome IS 'solved'), \
             sum(optimal IS 1), sum(reason IS 'time'), sum(reason IS 'memory'), \
             sum(reason IN ('expanded', 'generated')), total(seconds), sum(worker IS NOT NULL) \
             FROM runs WHERE place IS NOT NULL GROUP BY name ORDER BY min(place)",
        )?;
        let mut state = State { title: self.fact("title")?, ..State::default() };
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let count = |at: usize| {
                Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.unwrap_or(0) as u64)
            };
            let [finished, solved, time, memory, nodes] =
                [count(2)?, count(3)?, count(5)?, count(6)?, count(7)?];
            state.methods.push(Tally {
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
        state.processes = self.workers()?.len() as u64;
        Ok(state)
    }

    /// Takes what another store has and this one has not.
    ///
    /// # Errors
    /// Fails if either can't be used.
    pub fn merge(&mut self, other: &Path) -> Result<Merged, ExperimentStoreError> {
        // Opening it says whether it is a store, and brings back what a killed process left in the log.
        drop(Self::open(other)?);
        self.join(other).map_err(|error| self.wrong(&error))
    }

    fn join(&mut self, other: &Path) -> rusqlite::Result<Merged> {
        let name = other.to_string_lossy();
        self.connection.execute("ATTACH DATABASE ?1 AS other", [name.as_ref()])?;
        let joined = self.join_attached();
        self.connection.execute("DETACH DATABASE other", [])?;
        joined
    }

    fn join_attached(&mut self) -> rusqlite::Result<Merged> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let count = |query: &str| {
            transaction.query_row(query, [], |row| row.get::<_, i64>(0)).map(|count| count as u64)
        };
        let both = "FROM runs AS a JOIN other.runs AS b USING (key) \
                    WHERE a.outcome IS NOT NULL AND b.outcome IS NOT NULL";
        let known = count(&format!("SELECT count(*) {both}"))?;
        let different = count(&format!(
            "SELECT count(*) {both} AND (a.cost IS NOT b.cost OR a.expanded IS NOT b.expanded) \
             AND a.outcome = 'solved' AND b.outcome = 'solved'"
        ))?;
        let before = count("SELECT count(*) FROM runs WHERE outcome IS NOT NULL")?;
        let columns: Vec<String> =
            PLANNED.iter().map(ToString::to_string).chain(result_columns()).collect();
        let columns = columns.join(", ");
        let news: Vec<String> = result_columns()
            .into_iter()
            .chain(["limit_seconds", "limit_memory", "limit_expanded", "due"].map(str::to_owned))
            .map(|column| format!("{column} = excluded.{column}"))
            .collect();
        transaction.execute(
            &format!(
                "INSERT INTO runs ({columns}) SELECT {columns} FROM other.runs WHERE true \
                 ON CONFLICT (key) DO UPDATE SET {} \
                 WHERE runs.outcome IS NULL AND excluded.outcome IS NOT NULL",
                news.join(", ")
            ),
            [],
        )?;
        transaction
            .execute("INSERT OR IGNORE INTO experiment SELECT * FROM other.experiment", [])?;
        let added = count("SELECT count(*) FROM runs WHERE outcome IS NOT NULL")? - before;
        transaction.commit()?;
        Ok(Merged { added, known, different })
    }
}
