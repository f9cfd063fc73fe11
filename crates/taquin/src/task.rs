//! A puzzle to solve, and how to solve it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_search::{Limits, Monitor};
use taquin_tables::whole::Metric;
use taquin_tiles::packed::Nibbles;
use taquin_tiles::{Board, Costs, NamedGoal, Puzzle};

use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::method::Method;

/// A puzzle, a method and the limits: all that a report depends on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// The start and the goal.
    pub puzzle: Puzzle,
    /// How to search.
    #[serde(default)]
    pub method: Method,
    /// The limits.
    #[serde(default)]
    pub limits: TaskLimits,
    /// The cost of a move.
    #[serde(default)]
    pub cost: Costs,
    /// The number of search threads, if the method can use several. The answer does not depend on
    /// it.
    #[serde(default = "one")]
    pub threads: usize,
    /// Whether to search even if no search can succeed.
    #[serde(default)]
    pub search_anyway: bool,
    /// Whether a blank may step onto another, which changes only the counts.
    #[serde(default)]
    pub jumps: bool,
}

/// The limits of a task, as data.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TaskLimits {
    /// The most nodes to expand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expanded: Option<u64>,
    /// The most nodes to generate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated: Option<u64>,
    /// The most bytes for the tables of the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The most seconds to take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The most expansions to report to a listener; the search continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traced: Option<u64>,
    /// After `traced` expansions, report every n-th one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glimpses: Option<u64>,
}

impl TaskLimits {
    /// The limits of a search that is watched by a monitor.
    pub fn watched(&self, monitor: &Arc<Monitor>) -> Limits {
        Limits {
            expanded: self.expanded,
            generated: self.generated,
            memory: self.memory,
            time: self.time(),
            monitor: Some(Arc::clone(monitor)),
        }
    }

    /// The time limit; one that is no time at all is none.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let limits = taquin::TaskLimits { seconds: Some(1.5), ..Default::default() };
    /// assert_eq!(limits.time(), Some(Duration::from_millis(1500)));
    /// assert_eq!(limits.watched(&Default::default()).time, limits.time());
    /// ```
    pub fn time(&self) -> Option<Duration> {
        self.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }
}

const fn one() -> usize {
    1
}

impl Task {
    /// Whether the module that a page loads first runs this task and counts as the whole one does:
    /// on a small board, by one engine that expands a node after the other, from the start alone.
    /// IDA\* has a specialised engine in the whole module, unless its steps are told.
    ///
    /// ```
    /// # use taquin::{Board, Task};
    /// let task = |method: &str| Task {
    ///     method: method.parse().unwrap(),
    ///     ..Board::into("867254301".parse().unwrap())
    /// };
    /// assert!(task("astar:manhattan").is_in_first() && !task("auto").is_in_first());
    /// ```
    pub fn is_in_first(&self) -> bool {
        let Method { algorithm, estimate, .. } = &self.method;
        let has_databases = estimate.as_ref().is_some_and(Estimate::has_databases);
        let is_special = *algorithm == Algorithm::Ida && self.limits.traced == Some(0);
        let is_small = self.puzzle.size().cells() <= Nibbles::CELLS;
        let row = algorithm.row();
        let is_plain = algorithm.is_traced() && !row.has_both_ends && !row.keeps_to_weight;
        let counts_tiles = self.method.metric == Metric::Single;
        is_small && is_plain && counts_tiles && !has_databases && !is_special
    }

    /// A puzzle to be solved by a method, without limits, with unit move costs.
    pub fn new(puzzle: Puzzle, method: Method) -> Self {
        Self {
            puzzle,
            method,
            limits: TaskLimits::default(),
            cost: Costs::Unit,
            threads: 1,
            search_anyway: false,
            jumps: false,
        }
    }
}

impl From<Puzzle> for Task {
    /// The puzzle, to be solved by `auto`.
    fn from(puzzle: Puzzle) -> Self {
        Self::new(puzzle, Method::default())
    }
}

impl From<Board> for Task {
    /// The board, to be solved by `auto` towards the goal `last`.
    fn from(start: Board) -> Self {
        let goal = NamedGoal::Last.board(start.size(), start.blanks().count());
        Puzzle::new(start, goal).expect("a named goal has the tiles of the board").into()
    }
}
