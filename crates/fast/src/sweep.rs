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

/// The counts of a part of a tree below one threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SweepCounts {
    /// The expanded nodes.
    pub expanded: u64,
    /// The generated nodes.
    pub generated: u64,
    /// The greatest depth at which a node was expanded.
    pub deepest: u64,
    /// The least f above the threshold.
    pub least_above: Option<Cost>,
    /// The nodes that were dropped because their boards were known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duplicates: u64,
    /// Why the sweep ended early, if it did.
    #[serde(skip)]
    pub(crate) end: Option<EarlyEnd>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// More nodes than any search generates: centuries of work.
const MOST_NODES: u64 = 1 << 60;

/// More roots than there are.
pub(crate) const MOST_ROOTS: u64 = 1 << 32;

/// Returns whether a search can have such counts: each expanded node has been generated, but for the
/// roots of trees and of parts.
pub(crate) fn is_possible(expanded: u64, generated: u64) -> bool {
    generated <= MOST_NODES && expanded <= generated.saturating_add(MOST_ROOTS)
}

impl SweepCounts {
    /// Returns whether a part of the tree of a threshold can have these counts.
    pub fn is_possible(&self, threshold: Cost) -> bool {
        let Self { expanded, generated, deepest, least_above, duplicates, end: _ } = *self;
        let is_above = |f: Cost| f > threshold && (f - threshold).is_multiple_of(2);
        is_possible(expanded, generated)
            && duplicates <= generated
            && deepest <= u64::from(threshold)
            && least_above.is_none_or(is_above)
    }

    /// Adds the counts of another part of the same tree.
    pub fn add(&mut self, other: &Self) {
        self.expanded = self.expanded.saturating_add(other.expanded);
        self.generated = self.generated.saturating_add(other.generated);
        self.duplicates = self.duplicates.saturating_add(other.duplicates);
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
