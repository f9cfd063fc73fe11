//! The engines of [`parallel`](crate::parallel): they count the nodes of a tree below a threshold.

use serde::{Deserialize, Serialize};
use taquin_search::Cost;
use taquin_tiles::Slide;

use crate::limits::PartLimits;

/// A space with unit costs and a heuristic that can quickly count the nodes below a threshold.
pub(crate) trait SweepEngine: Sync {
    /// A state, with the data for stepping from it.
    type Node: Copy + Send + Sync;
    /// The memory that a thread reuses from one sweep to the next.
    type Scratch: Default + Send;

    /// A tree with fewer nodes is walked, because cutting and sweeping it would take longer.
    const SMALL: u64;
    /// The desired number of nodes of a part.
    const PART: u64;
    /// The desired number of subtrees of a part.
    const SUBTREES: usize;
    /// Whether a sweep finds the first goal.
    const FINDS: bool = false;

    fn root(&self) -> Self::Node;

    fn estimate(&self, node: &Self::Node) -> Cost;

    fn is_goal(&self, node: &Self::Node) -> bool;

    /// Appends the successors, in the order of the moves.
    fn successors(&self, node: &Self::Node, successors: &mut Vec<(Slide, Self::Node)>);

    /// Counts the nodes below `roots`, all of which lie at `depth`, in any order. No root is a
    /// goal.
    fn sweep(
        &self,
        roots: &[Self::Node],
        depth: Cost,
        limits: &PartLimits<'_>,
        scratch: &mut Self::Scratch,
    ) -> SweepCounts;

    /// Returns the first goal, if the last sweep has found it. The sweep has then counted only the
    /// nodes before it.
    fn found(_: &mut Self::Scratch) -> Option<FoundGoal> {
        None
    }

    /// Returns the bytes that `scratch` holds.
    fn bytes(scratch: &Self::Scratch) -> usize;
}

/// The counts of a sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SweepCounts {
    pub(crate) expanded: u64,
    pub(crate) generated: u64,
    /// The greatest depth at which a node was expanded.
    pub(crate) deepest: u64,
    /// The least f above the threshold.
    pub(crate) least_above: Option<Cost>,
    /// Why the sweep ended early, if it did.
    #[serde(skip)]
    pub(crate) end: Option<EarlyEnd>,
}

impl SweepCounts {
    /// Adds the counts of another sweep of the same threshold.
    pub(crate) fn add(&mut self, other: &Self) {
        self.expanded += other.expanded;
        self.generated += other.generated;
        self.deepest = self.deepest.max(other.deepest);
        self.least_above = self.least_above.into_iter().chain(other.least_above).min();
    }
}

/// Why a sweep ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EarlyEnd {
    /// There is a goal.
    Goal,
    /// It was stopped.
    Abandoned,
}

/// A goal below one of the roots of a sweep.
#[derive(Debug)]
pub(crate) struct FoundGoal {
    /// The number of the root.
    pub(crate) root: usize,
    /// The path from the root.
    pub(crate) actions: Vec<Slide>,
}
