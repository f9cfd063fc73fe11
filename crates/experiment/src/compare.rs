//! Methods side by side: every puzzle by every method, one report each.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Cost, Ending, Method, Monitor, Puzzle, Reason, Report, Session, Task, TaskLimits, Watch,
};
use taquin_lab::instances;
use taquin_lab::{Course, Figures, optimum};

/// The algorithms that courses compare.
pub const THREE: [&str; 3] = ["ucs", "astar:misplaced", "astar:manhattan"];

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Comparisons {
    /// The puzzles, each with what it is called.
    pub puzzles: Vec<(String, Puzzle)>,
    /// The methods, each with what it is called.
    pub methods: Vec<(String, Method)>,
    /// What else each run takes from a task; its puzzle and method are not used.
    pub base: Task,
    /// The course whose figures are given as well.
    pub course: Option<Arc<Course>>,
}

/// What came of a plan, as far as it went.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Comparison {
    /// The course whose rules were followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<String>,
    /// The limits of each run.
    pub limits: TaskLimits,
    /// Whether every run was made.
    pub complete: bool,
    /// The runs, puzzle by puzzle.
    pub rows: Vec<Row>,
}

/// One puzzle by one method.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// What the puzzle is called.
    pub label: String,
    /// What the method is called.
    pub name: String,
    /// How good the answer is, in the light of all runs on the puzzle.
    pub verdict: Verdict,
    /// What the cheapest solution costs, where some run has proven it.
    pub optimum: Option<Cost>,
    /// What came of it.
    #[serde(flatten)]
    pub report: Report,
    /// What the course prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Figures>,
}

/// How good an answer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// No solution is cheaper.
    Optimal,
    /// There is a cheaper one.
    Longer,
    /// There is a solution, and nobody knows whether there is a cheaper one.
    Unknown,
    /// A limit came first.
    Stopped,
    /// There is no solution.
    Unsolvable,
}

impl Comparisons {
    /// The courses' eight puzzles by their three algorithms.
    pub fn usual() -> Self {
        let boards = instances::read("courses", None, Path::new("")).expect("a named set");
        let method = |text: &str| (text.to_owned(), text.parse().expect("three methods"));
        Self {
            base: Task::new(boards[0].puzzle.clone(), Method::default()),
            puzzles: boards.into_iter().map(|board| (board.label, board.puzzle)).collect(),
            methods: THREE.map(method).to_vec(),
            course: None,
        }
    }

    /// How many runs there are.
    pub fn runs(&self) -> usize {
        self.puzzles.len() * self.methods.len()
    }

    /// The task of one run.
    pub fn task(&self, puzzle: &Puzzle, method: &Method) -> Task {
        Task { puzzle: puzzle.clone(), method: method.clone(), ..self.base.clone() }
    }

    /// Makes the runs one after the other, and says of each when it begins. A run that reaches a
    /// limit is a row like the others; when the monitor is cancelled, the rows so far are given.
    pub fn run(
        &self,
        session: &Session,
        monitor: &Arc<Monitor>,
        begin: &mut dyn FnMut(&str, &str),
    ) -> Comparison {
        let mut rows = Vec::new();
        for (label, puzzle) in &self.puzzles {
            let mut group = Vec::new();
            for (name, method) in &self.methods {
                if monitor.is_cancelled() {
                    break;
                }
                begin(label, name);
                let report = session.run(&self.task(puzzle, method), Watch::by(monitor));
                group.push((name, report));
            }
            let optimum = self.optimum(puzzle, &group, session, monitor);
            rows.extend(group.into_iter().map(|(name, report)| Row {
                label: label.clone(),
                name: name.clone(),
                verdict: verdict(&report, optimum),
                optimum,
                course: self.course.as_ref().map(|course| course.figures(&report)),
                report,
            }));
        }
        let stopped = |row: &Row| row.report.reason == Some(Reason::Cancelled);
        Comparison {
            course: self.course.as_ref().map(|course| course.name.clone()),
            limits: self.base.limits.clone(),
            complete: rows.len() == self.runs() && !rows.iter().any(stopped),
            rows,
        }
    }

    /// The cost of the cheapest solution: what the runs have proven together, or what a quick search
    /// finds besides.
    fn optimum(
        &self,
        puzzle: &Puzzle,
        group: &[(&String, Report)],
        session: &Session,
        monitor: &Arc<Monitor>,
    ) -> Option<Cost> {
        let cheapest = group.iter().filter_map(|(_, report)| report.cost).min()?;
        let bound = group.iter().filter_map(|(_, report)| report.lower_bound).max();
        if bound == Some(cheapest) {
            return Some(cheapest);
        }
        optimum(session, &self.task(puzzle, &Method::default()), monitor)?.cost
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
