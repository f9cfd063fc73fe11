//! Depth-first search below some nodes at one depth, level by level in parts.
//!
//! An engine expands several nodes at one depth together, so that its loads from memory overlap.
//! Everything below the children is searched before the next nodes at their parents' depth.

use std::ops::Range;

use taquin_search::Cost;
use taquin_tiles::Slide;

use crate::ida::board::{Lane, PackedBoard};
use crate::ida::sweep::{FoundGoal, SweepEngine, SweepStop};
use crate::limits::UnitLimits;
use crate::tally::Tally;

/// The greatest number of nodes that are expanded together: their children stay in the L1 cache.
pub(crate) const TOGETHER: usize = 128;

/// The number of nodes between two polls.
const POLL_INTERVAL: u64 = 1 << 16;

/// The fields of every node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<C> {
    pub(crate) board: C,
    /// The state of the automaton.
    pub(crate) state: u32,
    /// The index of the parent in its level.
    pub(crate) parent: u16,
}

/// A board with an engine's data about it.
pub(crate) trait TreeNode: Copy + Send + Sync {
    type Board: PackedBoard;

    fn place(&self) -> &Place<Self::Board>;

    fn place_mut(&mut self) -> &mut Place<Self::Board>;

    /// The estimate.
    fn h(&self) -> Cost;

    #[inline]
    fn board(&self) -> &Self::Board {
        &self.place().board
    }

    #[inline]
    fn state(&self) -> u32 {
        self.place().state
    }

    #[inline]
    fn set_state(&mut self, state: u32) {
        self.place_mut().state = state;
    }

    #[inline]
    fn parent(&self) -> u16 {
        self.place().parent
    }
}

/// An engine that expands nodes together.
pub(crate) trait TreeEngine: Sync + Sized {
    type Board: PackedBoard;
    type Node: TreeNode<Board = Self::Board>;
    /// The memory for expanding nodes.
    type Work: Default + Send;

    /// The start.
    fn root_node(&self) -> Self::Node;

    /// Returns the numbers of the moves in an automaton state.
    fn numbers(&self, state: u32) -> Range<u32>;

    /// Returns the move with a number.
    fn lane(&self, number: u32) -> &Lane;

    /// Returns the node after a move.
    fn child(&self, node: &Self::Node, number: u32) -> Self::Node;

    /// Appends the kept children of `nodes` (at `place` in their level) to the level `next` at
    /// `depth`, and returns the number of generated children. `least_above` becomes the least f
    /// above the bound.
    fn advance(
        &self,
        nodes_and_place: (&[Self::Node], usize),
        next: &mut Vec<Self::Node>,
        work: &mut Self::Work,
        depth_and_bound: (Cost, Cost),
        least_above: &mut Cost,
    ) -> u64;

    /// Returns the bytes of the memory for expanding nodes.
    fn work_bytes(work: &Self::Work) -> usize;

    /// Returns the moves in a state of the automaton, and the cell that the blank goes to.
    fn actions(&self, state: u32) -> Vec<(Slide, u8)> {
        let moves = self.numbers(state).map(|number| self.lane(number));
        moves.map(|lane| (lane.action, lane.from / Self::Board::place(1))).collect()
    }

    /// Returns the number of the move from a node to its child.
    fn step_between(&self, parent: &Self::Node, child: &Self::Node) -> Option<u32> {
        self.numbers(parent.state())
            .find(|&number| self.lane(number).slide(*parent.board()).0 == *child.board())
    }

    /// Returns the path to node `place` of the last level, and the root that it begins at.
    fn path(&self, levels: &[Level<Self>], mut place: usize) -> FoundGoal {
        let mut actions = Vec::new();
        for pair in levels.windows(2).rev() {
            let child = &pair[1].nodes[place];
            place = usize::from(child.parent());
            let step = self.step_between(&pair[0].nodes[place], child);
            actions.extend(step.map(|number| self.lane(number).action));
        }
        actions.reverse();
        FoundGoal { root: place, actions }
    }

    /// Returns the path to the first goal, which is the first node in the last level, and subtracts
    /// the counts of the nodes behind it.
    fn first_goal(&self, levels: &[Level<Self>], counts: &mut Tally) -> FoundGoal {
        let mut place = 0;
        for pair in levels.windows(2).rev() {
            let (above, below) = (&pair[0], &pair[1]);
            let child = &below.nodes[place];
            place = usize::from(child.parent());
            let moves = |node: &Self::Node| self.numbers(node.state());
            let parent = &above.nodes[place];
            let step = self.step_between(parent, child);
            let later = step.map_or(0, |step| moves(parent).end - 1 - step);
            let behind = &above.nodes[place + 1..above.done];
            counts.expanded -= behind.len() as u64;
            counts.generated -=
                u64::from(later) + behind.iter().map(|node| moves(node).len() as u64).sum::<u64>();
        }
        self.path(levels, 0)
    }

    /// Searches below `roots`, which all lie at `depth`, as far as `guide` allows. No root is a
    /// goal.
    fn descend(
        &self,
        roots: &[Self::Node],
        (depth, bound): (Cost, Cost),
        guide: &mut impl Guide<Self>,
        scratch: &mut Scratch<Self>,
    ) -> Tally {
        let Scratch { levels, work, found } = scratch;
        *found = None;
        let height = (bound - depth) as usize;
        levels.resize_with(levels.len().max(height + 1), Level::default);
        levels[0].nodes.clear();
        levels[0].nodes.extend_from_slice(roots);
        levels[0].done = 0;
        let mut at = 0;
        let mut counts = Tally::default();
        let mut polled = Tally::default();
        let mut least_above = Cost::MAX;
        loop {
            let here = depth + at as Cost;
            if at == height && !levels[at].nodes.is_empty() {
                counts.end = Some(SweepStop::Goal);
                *found = Some(self.first_goal(&levels[..=height], &mut counts));
                break;
            }
            let taken = levels[at].take(guide);
            if taken.is_empty() {
                if levels[at].done < levels[at].nodes.len() {
                    counts.end = Some(SweepStop::Abandoned);
                    break;
                }
                if at == 0 {
                    break;
                }
                at -= 1;
                continue;
            }
            counts.deepest = counts.deepest.max(here.into());
            counts.expanded += taken.len() as u64;
            at += 1;
            let [level, next] = &mut levels[at - 1..=at] else { break };
            next.nodes.clear();
            next.done = 0;
            let generated = self.advance(
                (&level.nodes[taken.clone()], taken.start),
                &mut next.nodes,
                work,
                (here + 1, bound),
                &mut least_above,
            );
            counts.generated += generated;
            guide.note_generated(generated, taken.len());
            guide.sift(&level.nodes, &mut next.nodes, here + 1);

            let (expanded, generated) =
                (counts.expanded - polled.expanded, counts.generated - polled.generated);
            if generated > POLL_INTERVAL {
                polled = counts;
                if guide.poll(expanded, generated, here.into(), &mut levels[..=at]) {
                    counts.end = Some(SweepStop::Abandoned);
                    break;
                }
            }
        }
        if least_above < Cost::MAX {
            counts.least_above = Some(least_above);
        }
        // Some counts may have been subtracted.
        guide.poll(
            counts.expanded.saturating_sub(polled.expanded),
            counts.generated.saturating_sub(polled.generated),
            counts.deepest,
            &mut [],
        );
        counts
    }
}

/// Decides which nodes are searched.
pub(crate) trait Guide<E: TreeEngine> {
    /// Returns how many of `wanted` nodes may be expanded.
    #[inline]
    fn allow(&mut self, wanted: usize) -> usize {
        wanted
    }

    /// Learns how many nodes some that were allowed have generated.
    #[inline]
    fn note_generated(&mut self, _generated: u64, _expanded: usize) {}

    /// Removes some children at `depth` of some of the `parents`.
    #[inline]
    fn sift(&mut self, _parents: &[E::Node], _children: &mut Vec<E::Node>, _depth: Cost) {}

    /// Receives the work done since the last call, down to `depth`, and may remove nodes that are
    /// not expanded yet. Returns whether to stop.
    fn poll(&mut self, expanded: u64, generated: u64, depth: u64, levels: &mut [Level<E>]) -> bool;
}

/// The memory that a thread reuses from one search to the next.
pub(crate) struct Scratch<E: TreeEngine> {
    levels: Vec<Level<E>>,
    pub(crate) work: E::Work,
    /// The goal that the last search has found.
    pub(crate) found: Option<FoundGoal>,
}

impl<E: TreeEngine> Default for Scratch<E> {
    fn default() -> Self {
        Self { levels: Vec::new(), work: E::Work::default(), found: None }
    }
}

impl<E: TreeEngine> Scratch<E> {
    pub(crate) fn bytes(&self) -> usize {
        let nodes = self.levels.iter().map(|level| level.nodes.capacity());
        nodes.sum::<usize>() * size_of::<E::Node>() + E::work_bytes(&self.work)
    }
}

/// The nodes of one depth whose parents were expanded together.
pub(crate) struct Level<E: TreeEngine> {
    pub(crate) nodes: Vec<E::Node>,
    /// The number of nodes that have been expanded.
    pub(crate) done: usize,
}

impl<E: TreeEngine> Default for Level<E> {
    fn default() -> Self {
        Self { nodes: Vec::new(), done: 0 }
    }
}

impl<E: TreeEngine> Level<E> {
    /// Returns the nodes to expand next.
    #[inline]
    fn take(&mut self, guide: &mut impl Guide<E>) -> Range<usize> {
        let left = self.nodes.len() - self.done;
        // In parts of equal size.
        let part = guide.allow(left.div_ceil(left.div_ceil(TOGETHER).max(1)));
        let first = self.done;
        self.done += part;
        first..self.done
    }
}

/// Searches everything within limits.
struct WithinLimits<'a>(&'a UnitLimits<'a>);

impl<E: TreeEngine> Guide<E> for WithinLimits<'_> {
    fn poll(&mut self, expanded: u64, generated: u64, depth: u64, _: &mut [Level<E>]) -> bool {
        self.0.poll(expanded, generated, depth)
    }
}

impl<E: TreeEngine> SweepEngine for E {
    type Node = <E as TreeEngine>::Node;
    type Scratch = Scratch<E>;

    const MIN_SWEPT_NODES: u64 = 1 << 8;
    const UNIT: u64 = 1 << 12;
    const SUBTREES: usize = 4;
    const FINDS: bool = true;

    fn root(&self) -> <E as TreeEngine>::Node {
        self.root_node()
    }

    #[inline]
    fn estimate(&self, node: &<E as TreeEngine>::Node) -> Cost {
        node.h()
    }

    #[inline]
    fn is_goal(&self, node: &<E as TreeEngine>::Node) -> bool {
        node.h() == 0
    }

    fn successors(
        &self,
        node: &<E as TreeEngine>::Node,
        successors: &mut Vec<(Slide, <E as TreeEngine>::Node)>,
    ) {
        let numbers = self.numbers(node.state());
        successors
            .extend(numbers.map(|number| (self.lane(number).action, self.child(node, number))));
    }

    fn sweep(
        &self,
        roots: &[<E as TreeEngine>::Node],
        depth: Cost,
        limits: &UnitLimits<'_>,
        scratch: &mut Scratch<E>,
    ) -> Tally {
        self.descend(roots, (depth, limits.bound), &mut WithinLimits(limits), scratch)
    }

    fn found(scratch: &mut Scratch<E>) -> Option<FoundGoal> {
        scratch.found.take()
    }

    fn bytes(scratch: &Scratch<E>) -> usize {
        scratch.bytes()
    }
}
