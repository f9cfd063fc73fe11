//! What a search answers, and what it counted on the way.

use serde::{Deserialize, Serialize};

use crate::space::Cost;

/// What a search did, each count defined once for every engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Nodes whose successors were generated; a goal that is recognised is not expanded.
    pub expanded: u64,
    /// Successors produced: the root is left out, discarded duplicates count, and an undo that the
    /// policy skips is not produced.
    pub generated: u64,
    /// Generated nodes that were dropped because their state was known.
    pub duplicates: u64,
    /// Closed nodes put back because a cheaper path came.
    pub reopened: u64,
    /// Duplicates that were dropped although their path was cheaper.
    pub dropped_cheaper: u64,
    /// The most live nodes in the frontier, read after each expansion's pushes; for iterative
    /// deepening, the longest path held.
    pub frontier_peak: u64,
    /// The greatest depth of any node put on the frontier.
    pub depth_peak: u64,
    /// The most nodes held at once.
    pub stored_peak: u64,
    /// The bytes of the search's own tables at their peak.
    pub memory_peak: u64,
}

impl Counts {
    /// The counts of two searches, one after the other: sums, and the greater of the peaks.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            expanded: self.expanded + next.expanded,
            generated: self.generated + next.generated,
            duplicates: self.duplicates + next.duplicates,
            reopened: self.reopened + next.reopened,
            dropped_cheaper: self.dropped_cheaper + next.dropped_cheaper,
            frontier_peak: self.frontier_peak.max(next.frontier_peak),
            depth_peak: self.depth_peak.max(next.depth_peak),
            stored_peak: self.stored_peak.max(next.stored_peak),
            memory_peak: self.memory_peak.max(next.memory_peak),
        }
    }
}

/// Why a search stopped before it had an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The limit on expanded nodes.
    Expanded,
    /// The limit on generated nodes.
    Generated,
    /// The memory limit, or the machine's memory.
    Memory,
    /// The time limit.
    Time,
    /// Cancelled from outside.
    Cancelled,
    /// Nothing is left within the depth limit.
    Depth,
    /// Nothing is left within the beam.
    Beam,
    /// Nothing is left whose cost can be represented.
    Cost,
}

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<A> {
    /// A way to a goal was found.
    Solved(Solution<A>),
    /// Every state that can be reached was looked at; none is a goal.
    Exhausted,
    /// A limit came first.
    Stopped(Stop),
}

/// A way from the start to a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution<A> {
    /// The actions, first to last.
    pub actions: Vec<A>,
    /// What they cost together.
    pub cost: Cost,
}

/// What a search found, proved and counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search<A> {
    /// How it ended.
    pub outcome: Outcome<A>,
    /// No solution costs less: proven on the condition that the heuristic never overestimates. It
    /// stands beside the outcome because a search that was stopped has proven something too.
    pub lower_bound: Cost,
    /// What it counted.
    pub counts: Counts,
    /// The counts when the last layer of equal rank, or the last threshold, began. They do not
    /// depend on the order among equals, so these are the ones to compare.
    pub before_last_bound: Option<Counts>,
}

impl<A> Search<A> {
    /// The solution, if there is one.
    pub fn solution(&self) -> Option<&Solution<A>> {
        match &self.outcome {
            Outcome::Solved(solution) => Some(solution),
            _ => None,
        }
    }

    /// The same search with its actions written in another way.
    pub fn map<B>(self, f: impl Fn(A) -> B) -> Search<B> {
        let Self { outcome, lower_bound, counts, before_last_bound } = self;
        let outcome = match outcome {
            Outcome::Solved(Solution { actions, cost }) => {
                Outcome::Solved(Solution { actions: actions.into_iter().map(f).collect(), cost })
            }
            Outcome::Exhausted => Outcome::Exhausted,
            Outcome::Stopped(stop) => Outcome::Stopped(stop),
        };
        Search { outcome, lower_bound, counts, before_last_bound }
    }

    /// Whether there is a solution and it is proven that none costs less.
    pub fn is_optimal(&self) -> bool {
        self.solution().is_some_and(|solution| solution.cost == self.lower_bound)
    }
}
