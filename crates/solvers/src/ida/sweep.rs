//! The engines behind [`ida`](crate::ida): they count a tree's nodes below a threshold.

use taquin_search::Cost;
use taquin_tiles::Slide;

use crate::limits::UnitLimits;
use crate::tally::Tally;

/// A space with unit costs and a heuristic that can quickly count the nodes below a threshold.
pub(crate) trait SweepEngine: Sync {
    /// A state, with the data for stepping from it.
    type Node: Copy + Send + Sync;
    /// The memory that a thread reuses from one sweep to the next.
    type Scratch: Default + Send;

    /// A tree with fewer nodes is walked, because cutting and sweeping it would take longer.
    const MIN_SWEPT_NODES: u64;
    /// The desired number of nodes per unit.
    const UNIT: u64;
    /// The desired number of subtrees per unit.
    const SUBTREES: usize;
    /// Whether a sweep finds the first goal.
    const FINDS: bool = false;
    /// Whether each threshold is one more than the last, because a sweep does not compute f for
    /// dropped nodes.
    const BY_ONE: bool = false;

    fn root(&self) -> Self::Node;

    fn estimate(&self, node: &Self::Node) -> Cost;

    fn is_goal(&self, node: &Self::Node) -> bool;

    /// Appends the successors, in the order of the moves.
    fn successors(&self, node: &Self::Node, successors: &mut Vec<(Slide, Self::Node)>);

    /// Counts the nodes below `roots`, which all lie at `depth`, in any order. No root is a goal.
    fn sweep(
        &self,
        roots: &[Self::Node],
        depth: Cost,
        limits: &UnitLimits<'_>,
        scratch: &mut Self::Scratch,
    ) -> Tally;

    /// Returns the first goal, if the last sweep has found it. The sweep has then counted only the
    /// nodes before it.
    fn found(_: &mut Self::Scratch) -> Option<FoundGoal> {
        None
    }

    /// Returns the bytes that `scratch` holds.
    fn bytes(scratch: &Self::Scratch) -> usize;
}

/// Why a sweep ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SweepStop {
    /// There is a goal.
    Goal,
    /// The sweep was stopped.
    Abandoned,
}

/// A goal below one of a sweep's roots.
#[derive(Debug)]
pub(crate) struct FoundGoal {
    /// The number of the root.
    pub(crate) root: usize,
    /// The path from the root.
    pub(crate) actions: Vec<Slide>,
}
