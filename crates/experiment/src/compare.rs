//! Comparisons: every method on every puzzle, one after the other, with every report in memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;
use taquin::{Cost, Ending, Method, Monitor, Reason, Report, Session, Task, TaskLimits, Watch};
use taquin_lab::{Figure, Figures, optimum};

use crate::records::Collector;
use crate::samples::Samples;
use crate::{CrewEvent, ExperimentRun};

/// The results of several methods on the same puzzles.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// The course whose rules were followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<String>,
    /// The figures that the course prints.
    #[serde(skip)]
    pub figures: Vec<Figure>,
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
    /// Makes the runs of a comparison, equal ones once. If the monitor is cancelled, the comparison
    /// contains the runs so far.
    pub fn run(
        runs: &[ExperimentRun],
        session: &Session,
        monitor: &Arc<Monitor>,
        tell: &dyn Fn(CrewEvent<'_>),
    ) -> Self {
        Self::run_by(runs, session, monitor, tell, &|run, watch| session.run(&run.task, watch))
    }

    /// Makes the runs of a comparison as [`Comparison::run`] does, each by `search`.
    pub fn run_by(
        runs: &[ExperimentRun],
        session: &Session,
        monitor: &Arc<Monitor>,
        tell: &dyn Fn(CrewEvent<'_>),
        search: &dyn Fn(&ExperimentRun, Watch<'_>) -> Report,
    ) -> Self {
        let (mut collector, mut keys) = (Collector::default(), HashSet::new());
        let mut reports: HashMap<String, (usize, Report)> = HashMap::new();
        let due: Vec<&ExperimentRun> = runs.iter().filter(|run| keys.insert(run.key())).collect();
        tell(CrewEvent::Due(due.len() as u64));
        for run in due {
            let place = collector.plan(run);
            if monitor.is_cancelled() {
                break;
            }
            tell(CrewEvent::Started(run));
            let report = search(run, Watch::by(monitor));
            if report.reason == Some(Reason::Cancelled) {
                tell(CrewEvent::Cancelled(run, &report));
            } else {
                collector.finish(place, Some(report.clone()));
                tell(CrewEvent::Finished(run));
            }
            reports.insert(run.key(), (place.0, report));
        }
        for puzzle in &mut collector.records.puzzles {
            if puzzle.cheapest.is_some() && puzzle.optimum().is_none() {
                // No run has proven it: a quick search may.
                let metric = puzzle.run.task.method.metric;
                let method = Method { metric, ..Method::default() };
                let task = Task { method, ..puzzle.run.task.clone() };
                puzzle.known = optimum(session, &task, monitor).and_then(|report| report.cost);
            }
        }
        let records = collector.records();
        let row = |run: &ExperimentRun| {
            let (puzzle, report) = reports.get(&run.key())?.clone();
            let optimum = records.puzzles[puzzle].optimum();
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
        let course = runs.first().and_then(|run| run.course.as_ref());
        Self {
            course: course.map(|course| course.name.clone()),
            figures: course.map_or_else(Vec::new, |course| course.figures.clone()),
            limits: runs.first().map(|run| run.task.limits.clone()).unwrap_or_default(),
            complete: rows.len() == runs.len() && !rows.iter().any(is_cancelled),
            rows,
            samples: records.samples,
        }
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
