//! IDA* with Manhattan distance on boards of at most 16 cells with one blank.
//!
//! A sweep proceeds layer by layer. A layer's boards are in buckets, by the state of the
//! [automaton](taquin_tables::Automaton) (the blank's cell and the last moves) and by the slack:
//! how many moves away from the goal the threshold still allows. All boards in a bucket have the
//! same moves, and a move takes a bucket to one or two buckets: a loop over words without the
//! data-dependent branches that slow down a depth-first search. A node costs a shift, a bit test,
//! two more shifts and a store. Nodes are counted by bucket, and any board left at the threshold's
//! depth is a goal. If a layer outgrows the cache, half of it is set aside for later.

use taquin_search::Cost;
use taquin_tiles::{Board, Cell, Slide};

use crate::ida::board::{PackedBoard as _, manhattan};
use crate::ida::bucket::{Bucket, Instructions};
use crate::ida::moves::Moves;
use crate::ida::sweep::{SweepEngine, SweepStop};
use crate::limits::UnitLimits;
use crate::tally::Tally;

/// The widest layer that is kept whole: it and the next should fit in the cache of a core.
const MAX_WIDTH: usize = 1 << 16;

/// The number of nodes between two polls.
const POLL_INTERVAL: u64 = 1 << 20;

pub(crate) struct ManhattanEngine<'a> {
    moves: &'a Moves,
    root: Node,
    instructions: Instructions,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    board: u64,
    state: u32,
    h: u8,
}

impl<'a> ManhattanEngine<'a> {
    /// Creates the engine for `start`, given the goal cell of each tile and the automaton's state.
    pub(crate) fn new(moves: &'a Moves, start: &Board, homes: &[Cell], state: u32) -> Self {
        let root = Node { board: u64::pack(start, homes), state, h: manhattan(start, homes) };
        Self { moves, root, instructions: Instructions::best() }
    }
}

/// The layers of a sweep.
#[derive(Default)]
pub(crate) struct SweepLayers {
    layer: Vec<Bucket>,
    next: Vec<Bucket>,
    /// The boards that were set aside, in stretches of one bucket each.
    aside: Vec<u64>,
    /// Each stretch's bucket and number of boards.
    stretches: Vec<(usize, usize)>,
    /// The depth and the first stretch of each layer that was divided.
    halves: Vec<(Cost, usize)>,
}

impl SweepLayers {
    fn clear(&mut self) {
        self.layer.iter_mut().chain(&mut self.next).for_each(Bucket::clear);
        self.aside.clear();
        self.stretches.clear();
        self.halves.clear();
    }

    /// Sets half of each bucket aside.
    fn halve(&mut self, depth: Cost) {
        self.halves.push((depth, self.stretches.len()));
        for (at, bucket) in self.layer.iter_mut().enumerate() {
            let half = bucket.boards().len() / 2;
            if half > 0 {
                self.aside.extend_from_slice(bucket.take(half));
                self.stretches.push((at, half));
            }
        }
    }

    /// Makes the last half that was set aside the current layer. Returns its depth.
    fn resume(&mut self) -> Option<Cost> {
        let (depth, first) = self.halves.pop()?;
        for (at, count) in self.stretches.drain(first..).rev() {
            let start = self.aside.len() - count;
            self.layer[at].extend(&self.aside[start..]);
            self.aside.truncate(start);
        }
        Some(depth)
    }
}

impl SweepEngine for ManhattanEngine<'_> {
    type Node = Node;
    type Scratch = SweepLayers;

    const MIN_SWEPT_NODES: u64 = 1 << 16;
    const UNIT: u64 = 1 << 22;
    const SUBTREES: usize = 8;

    fn root(&self) -> Node {
        self.root
    }

    #[inline]
    fn estimate(&self, node: &Node) -> Cost {
        node.h.into()
    }

    #[inline]
    fn is_goal(&self, node: &Node) -> bool {
        node.h == 0
    }

    #[inline]
    fn successors(&self, node: &Node, successors: &mut Vec<(Slide, Node)>) {
        for lane_move in self.moves.of(node.state) {
            let lane = &self.moves.lanes[lane_move.lane()];
            let (board, tile) = lane.slide(node.board);
            let h = if lane.is_closer(tile) { node.h - 1 } else { node.h + 1 };
            successors.push((lane.action, Node { board, state: lane_move.next(), h }));
        }
    }

    fn sweep(
        &self,
        roots: &[Node],
        depth: Cost,
        limits: &UnitLimits<'_>,
        layers: &mut SweepLayers,
    ) -> Tally {
        let states = self.moves.states();
        let slack = |node: &Node| (limits.bound - depth - Cost::from(node.h)) as usize / 2;
        let buckets = states * (1 + roots.iter().map(slack).max().unwrap_or(0));
        layers.layer.resize_with(buckets.max(layers.layer.len()), Bucket::default);
        layers.next.resize_with(buckets.max(layers.next.len()), Bucket::default);
        for root in roots {
            layers.layer[slack(root) * states + root.state as usize].extend(&[root.board]);
        }
        let mut depth = depth;
        let mut counts = Tally::default();
        let mut polled = Tally::default();
        loop {
            let width: usize = layers.layer[..buckets].iter().map(|b| b.boards().len()).sum();
            if width == 0 {
                let Some(resumed) = layers.resume() else { break };
                depth = resumed;
                continue;
            }
            if depth == limits.bound {
                counts.end = Some(SweepStop::Goal);
                break;
            }
            if width > MAX_WIDTH {
                layers.halve(depth);
            }
            counts.deepest = counts.deepest.max(depth.into());
            for at in 0..buckets {
                let bucket = &mut layers.layer[at];
                let boards = bucket.boards();
                if boards.is_empty() {
                    continue;
                }
                let (allowed, state) = (at / states * states, at % states);
                let moves = self.moves.of(state as u32);
                counts.expanded += boards.len() as u64;
                counts.generated += (boards.len() * moves.len()) as u64;
                for lane_move in moves {
                    let lane = &self.moves.lanes[lane_move.lane()];
                    let next = lane_move.next() as usize;
                    let (fewer, same) = layers.next.split_at_mut(allowed);
                    match allowed.checked_sub(states) {
                        None => self.instructions.closer(boards, lane, &mut same[next]),
                        Some(less) => {
                            let (closer, farther) = (&mut same[next], &mut fewer[less + next]);
                            self.instructions.both(boards, lane, closer, farther);
                        }
                    }
                }
                bucket.clear();
            }
            std::mem::swap(&mut layers.layer, &mut layers.next);
            depth += 1;
            let (expanded, generated) =
                (counts.expanded - polled.expanded, counts.generated - polled.generated);
            if generated > POLL_INTERVAL {
                polled = counts;
                if limits.poll(expanded, generated, depth.into()) {
                    counts.end = Some(SweepStop::Abandoned);
                    break;
                }
            }
        }
        if counts.end.is_some() {
            layers.clear();
        }
        // Every expanded node is a root or was generated. The other generated nodes exceed the
        // threshold, because of parity by at least two.
        if counts.generated + roots.len() as u64 > counts.expanded {
            counts.least_above = Some(limits.bound + 2);
        }
        limits.poll(
            counts.expanded - polled.expanded,
            counts.generated - polled.generated,
            depth.into(),
        );
        counts
    }

    fn bytes(layers: &SweepLayers) -> usize {
        let buckets = layers.layer.iter().chain(&layers.next);
        buckets.map(Bucket::bytes).sum::<usize>() + layers.aside.capacity() * size_of::<u64>()
    }
}
