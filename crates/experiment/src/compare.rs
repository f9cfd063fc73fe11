//! Comparisons: a small experiment on a store in memory, with every report at hand.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use taquin::{Cost, Ending, Method, Reason, Report, Task, TaskLimits};
use taquin_lab::{Figures, optimum};

use crate::picture::Samples;
use crate::records::Records;
use crate::{Crew, CrewEvent, ExperimentStore, ExperimentStoreError, Plan, Run};

/// The results of several methods on the same puzzles.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// The course whose rules were followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<String>,
    /// The limits of each run.
    pub limits: TaskLimits,
    /// Whether every run was finished.
    pub complete: bool,
    /// The runs, puzzle by puzzle.
    pub rows: Vec<ComparisonRow>,
    /// The same for charts.
    #[serde(skip)]
    pub samples: Samples,
}

/// The result of one method on one puzzle.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ComparisonRow {
    /// The name of the puzzle.
    pub label: String,
    /// The name of the method.
    pub name: String,
    /// How good the solution is, considering all runs on the puzzle.
    pub verdict: Verdict,
    /// The cost of the cheapest solution, if it is known.
    pub optimum: Option<Cost>,
    /// The report.
    #[serde(flatten)]
    pub report: Report,
    /// The figures of the course.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Figures>,
}

/// How good a solution is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No solution is cheaper.
    Optimal,
    /// There is a cheaper one.
    Longer,
    /// It is not known whether there is a cheaper one.
    Unknown,
    /// A limit was reached before a solution was found.
    Stopped,
    /// There is no solution.
    Unsolvable,
}

impl Comparison {
    /// Makes the runs of a comparison. If the monitor of `crew` is cancelled, the comparison contains
    /// the runs so far.
    ///
    /// # Errors
    /// Fails if there is no memory for the results.
    pub fn run(
        runs: &[Run],
        crew: &Crew,
        report: &(dyn Fn(CrewEvent<'_>) + Sync),
    ) -> Result<Self, ExperimentStoreError> {
        let mut store = ExperimentStore::in_memory()?;
        store.plan(&Plan::of(runs), false)?;
        let cancelled = Mutex::new(None);
        crew.work(&mut store, &|event| {
            if let CrewEvent::Cancelled(run, report) = event {
                let mut cancelled = cancelled.lock().unwrap_or_else(PoisonError::into_inner);
                *cancelled = Some((run.key(), report.clone()));
            }
            report(event);
        })?;
        for puzzle in Records::read(&store)?.puzzles {
            if puzzle.cheapest.is_none() || puzzle.optimum().is_some() {
                continue;
            }
            // No run has proven it: a quick search may.
            let task = Task { method: Method::default(), ..puzzle.run.task.clone() };
            let found = optimum(&crew.session, &task, &crew.monitor);
            if let Some(cost) = found.and_then(|report| report.cost) {
                store.know(&puzzle.run, cost)?;
            }
        }
        let records = Records::read(&store)?;
        let mut reports: HashMap<String, Report> = HashMap::new();
        store.for_each(|record| {
            if let Some(report) = record.result.and_then(|result| result.report) {
                reports.insert(record.key, report);
            }
        })?;
        reports.extend(cancelled.into_inner().unwrap_or_else(PoisonError::into_inner));
        let optimum = |run: &Run| {
            let is_same =
                |other: &Task| (&other.puzzle, &other.cost) == (&run.task.puzzle, &run.task.cost);
            records.puzzles.iter().find(|puzzle| is_same(&puzzle.run.task))?.optimum()
        };
        let row = |run: &Run| {
            let report = reports.get(&run.key())?.clone();
            let optimum = optimum(run);
            Some(ComparisonRow {
                label: run.label.clone(),
                name: run.name.clone(),
                verdict: verdict(&report, optimum),
                optimum,
                course: run.course.as_ref().map(|course| course.figures(&report)),
                report,
            })
        };
        let rows: Vec<ComparisonRow> = runs.iter().filter_map(row).collect();
        let is_cancelled = |row: &ComparisonRow| row.report.reason == Some(Reason::Cancelled);
        let first = runs.first();
        Ok(Self {
            course: first.and_then(|run| Some(run.course.as_ref()?.name.clone())),
            limits: first.map(|run| run.task.limits.clone()).unwrap_or_default(),
            complete: rows.len() == runs.len() && !rows.iter().any(is_cancelled),
            rows,
            samples: records.samples,
        })
    }
}

fn verdict(report: &Report, optimum: Option<Cost>) -> Verdict {
    match (report.outcome, report.cost) {
        (Ending::Solved, cost) if cost == optimum => Verdict::Optimal,
        (Ending::Solved, _) if optimum.is_some() => Verdict::Longer,
        (Ending::Solved, _) => Verdict::Unknown,
        (Ending::Unsolvable | Ending::Exhausted, _) => Verdict::Unsolvable,
        (Ending::Stopped, _) => Verdict::Stopped,
    }
}
