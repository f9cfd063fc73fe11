//! IDA* with zero-aware pattern databases on boards of at most 25 cells with one blank.
//!
//! The estimate is the greatest of the sums over several partitions and their mirror images, which
//! are called sides. A move changes the value of one table on each side by one, up or down. A child
//! is therefore within the bound unless a side goes up on which its parent's estimate is as great
//! as the bound allows. The side with the greatest sum is looked up first because it prunes most
//! children. The other sides are looked up for the rest.
//!
//! As in the [other engine](crate::ida::pattern), several nodes are expanded together, so that
//! their loads from memory overlap.

use std::ops::Range;

use taquin_search::{Cost, prefetch};
use taquin_tiles::{Board, Cell};

use crate::ida::board::{Bytes, Lane, PackedBoard as _};
use crate::ida::moves::LaneMove;
use crate::ida::pattern_steps::NUMBERS;
use crate::ida::tree::{Place, TOGETHER, TreeEngine, TreeNode};
use crate::ida::zero_steps::{PATTERNS, ZeroChange, ZeroSide, ZeroSpots, ZeroStep, ZeroSteps};

/// A search with zero-aware databases on `S` sides.
pub(crate) struct ZeroEngine<'a, const S: usize> {
    steps: &'a ZeroSteps,
    /// The last ones may be repeated.
    sides: [&'a ZeroSide; S],
    bits: [[&'a [u8]; PATTERNS]; S],
    root: ZeroNode<S>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ZeroNode<const S: usize> {
    place: Place<Bytes>,
    spots: [ZeroSpots; S],
    sums: [u8; S],
    /// The side with the greatest sum.
    greatest: u8,
}

/// A child that is not created yet: most are pruned.
#[derive(Clone, Copy)]
struct Candidate<const S: usize> {
    changes: [ZeroChange; S],
    lane_move: LaneMove,
    /// The index of the parent among the nodes that are expanded together.
    parent: u8,
    tile: u8,
}

/// The memory for expanding nodes together.
pub(crate) struct ZeroWork<const S: usize> {
    candidates: Vec<Candidate<S>>,
    /// The candidates that are within the bound on the first side.
    left: Vec<u16>,
    /// The kept entries and their sums.
    kept: Vec<(u16, [u8; S])>,
}

impl<const S: usize> Default for ZeroWork<S> {
    fn default() -> Self {
        // A node has at most four children, and one more is written before it is dropped.
        const MAX_CHILDREN: usize = 4 * TOGETHER + 1;
        let (changes, lane_move) = ([ZeroChange::default(); S], LaneMove::default());
        let nothing = Candidate { changes, lane_move, parent: 0, tile: 0 };
        Self {
            candidates: vec![nothing; MAX_CHILDREN],
            left: vec![0; MAX_CHILDREN],
            kept: vec![(0, [0; S]); MAX_CHILDREN],
        }
    }
}

impl<'a, const S: usize> ZeroEngine<'a, S> {
    /// Creates the engine for `start`, given the goal cell of each tile and the automaton's state.
    pub(crate) fn new(steps: &'a ZeroSteps, start: &Board, homes: &[Cell], state: u32) -> Self {
        let last = steps.sides.len() - 1;
        let sides: [&ZeroSide; S] = std::array::from_fn(|at| &steps.sides[at.min(last)]);
        let mut cell_of = [0; NUMBERS];
        let mut blank = 0;
        for (cell, &tile) in (0..).zip(start.tiles()) {
            match tile {
                0 => blank = cell,
                _ => cell_of[usize::from(homes[usize::from(tile)])] = cell,
            }
        }
        let mut root = ZeroNode {
            place: Place { board: Bytes::pack(start, homes), state, parent: 0 },
            spots: [ZeroSpots::default(); S],
            sums: [0; S],
            greatest: 0,
        };
        let mut bits: [[&[u8]; PATTERNS]; S] = [[&[0]; PATTERNS]; S];
        for (at, side) in sides.into_iter().enumerate() {
            for (table, database) in side.databases.iter().enumerate() {
                bits[at][table] = database.entries();
                let (set, order, value) = side.spot(table, &cell_of, blank);
                let spots = &mut root.spots[at];
                (spots.sets[table], spots.orders[table]) = (set, order);
                spots.values[table] = value;
                root.sums[at] = root.sums[at].wrapping_add(value);
            }
        }
        root.greatest = greatest(root.sums);
        Self { steps, sides, bits, root }
    }

    #[expect(clippy::inline_always, reason = "it is most of the work for a node")]
    #[inline(always)]
    fn change(&self, node: &ZeroNode<S>, side: usize, step: &ZeroStep, tile: usize) -> ZeroChange {
        let change =
            self.steps.change(self.sides[side], &node.spots[side], &node.place.board, (step, tile));
        let bits = self.bits[side][usize::from(change.table) % PATTERNS];
        if let Some(byte) = bits.get((change.index >> 3) as usize) {
            prefetch(byte);
        }
        change
    }

    /// Returns the sum of a side after a move.
    #[inline]
    fn sum(&self, node: &ZeroNode<S>, side: usize, change: ZeroChange) -> u8 {
        let table = usize::from(change.table) % PATTERNS;
        let bit = self.bits[side][table][(change.index >> 3) as usize] >> (change.index & 7);
        let value = node.spots[side].values[table];
        // A table that another program has damaged must not end the program.
        let falls = (value.wrapping_add(1) >> 1 ^ bit) & 1;
        node.sums[side].wrapping_add(1).wrapping_sub(2 * falls)
    }

    /// Turns a copy of the parent into the child.
    #[inline]
    fn follow(
        node: &mut ZeroNode<S>,
        (step, state): (&ZeroStep, u32),
        changes: &[ZeroChange; S],
        sums: [u8; S],
    ) {
        node.place.board.slide(step.lane.from, step.lane.to);
        node.place.state = state;
        for side in 0..S {
            let ZeroChange { set, order, table, .. } = changes[side];
            let (table, spots) = (usize::from(table) % PATTERNS, &mut node.spots[side]);
            (spots.sets[table], spots.orders[table]) = (set, order);
            let value = &mut spots.values[table];
            *value = value.wrapping_add(sums[side]).wrapping_sub(node.sums[side]);
        }
        node.sums = sums;
        node.greatest = greatest(sums);
    }
}

/// Returns the index of the greatest sum.
#[inline]
fn greatest<const S: usize>(sums: [u8; S]) -> u8 {
    let keyed = (0..S).map(|side| u16::from(sums[side]) << 8 | side as u16);
    (keyed.max().unwrap_or(0) & 255) as u8
}

impl<const S: usize> TreeNode for ZeroNode<S> {
    type Board = Bytes;

    #[inline]
    fn place(&self) -> &Place<Bytes> {
        &self.place
    }

    #[inline]
    fn place_mut(&mut self) -> &mut Place<Bytes> {
        &mut self.place
    }

    #[inline]
    fn h(&self) -> Cost {
        self.sums[usize::from(self.greatest) % S].into()
    }
}

impl<const S: usize> TreeEngine for ZeroEngine<'_, S> {
    type Board = Bytes;
    type Node = ZeroNode<S>;
    type Work = ZeroWork<S>;

    fn root_node(&self) -> ZeroNode<S> {
        self.root
    }

    fn numbers(&self, state: u32) -> Range<u32> {
        self.steps.moves.numbers(state)
    }

    fn lane(&self, number: u32) -> &Lane {
        &self.steps.step(self.steps.moves.get(number)).lane
    }

    fn child(&self, node: &ZeroNode<S>, number: u32) -> ZeroNode<S> {
        let lane_move = self.steps.moves.get(number);
        let step = self.steps.step(lane_move);
        let tile = node.place.board.tile(step.lane.from);
        let changes = std::array::from_fn(|side| self.change(node, side, step, tile));
        let sums = std::array::from_fn(|side| self.sum(node, side, changes[side]));
        let mut child = *node;
        Self::follow(&mut child, (step, lane_move.next()), &changes, sums);
        child
    }

    fn advance(
        &self,
        (nodes, place): (&[ZeroNode<S>], usize),
        next: &mut Vec<ZeroNode<S>>,
        work: &mut ZeroWork<S>,
        (depth, bound): (Cost, Cost),
        least_above: &mut Cost,
    ) -> u64 {
        let ZeroWork { candidates, left, kept } = work;
        // The greatest sum within the bound.
        let most = bound.saturating_sub(depth).min(u8::MAX.into()) as u8;

        // 1. The side of each child that is most likely to prune it.
        let mut count = 0;
        for (parent, node) in (0..).zip(nodes) {
            let side = usize::from(node.greatest) % S;
            for &lane_move in self.steps.moves.of(node.place.state) {
                let step = self.steps.step(lane_move);
                let tile = node.place.board.tile(step.lane.from);
                let candidate = &mut candidates[count];
                candidate.changes[side] = self.change(node, side, step, tile);
                (candidate.lane_move, candidate.parent) = (lane_move, parent);
                candidate.tile = tile as u8;
                count += 1;
            }
        }

        // 2. The other sides of the remaining children. Every child is written, and the next one
        //    overwrites it unless it is kept, here and below, so that no branch is mispredicted.
        let mut first = 0;
        for (at, candidate) in (0..).zip(&candidates[..count]) {
            let node = &nodes[usize::from(candidate.parent)];
            let side = usize::from(node.greatest) % S;
            left[first] = at;
            first += usize::from(self.sum(node, side, candidate.changes[side]) <= most);
        }
        for &at in &left[..first] {
            let candidate = &mut candidates[usize::from(at)];
            let node = &nodes[usize::from(candidate.parent)];
            let step = self.steps.step(candidate.lane_move);
            for other in 1..S {
                let side = (usize::from(node.greatest) + other) % S;
                candidate.changes[side] = self.change(node, side, step, candidate.tile.into());
            }
        }
        let mut second = 0;
        for &at in &left[..first] {
            let candidate = &candidates[usize::from(at)];
            let node = &nodes[usize::from(candidate.parent)];
            let sums: [u8; S] =
                std::array::from_fn(|side| self.sum(node, side, candidate.changes[side]));
            kept[second] = (at, sums);
            second += usize::from(sums.iter().all(|&sum| sum <= most));
        }
        if second < count {
            // The estimate is consistent, and f changes by two.
            *least_above = (*least_above).min(bound + 2);
        }

        // 3. The children that are kept: copies of their parents, changed in place.
        let begin = next.len();
        let parent = |at: u16| usize::from(candidates[usize::from(at)].parent);
        next.extend(kept[..second].iter().map(|&(at, _)| nodes[parent(at)]));
        for (child, &(at, sums)) in next[begin..].iter_mut().zip(&kept[..second]) {
            let Candidate { changes, parent, lane_move, .. } = &candidates[usize::from(at)];
            let after = (self.steps.step(*lane_move), lane_move.next());
            Self::follow(child, after, changes, sums);
            child.place.parent = (place + usize::from(*parent)) as u16;
        }
        count as u64
    }

    fn work_bytes(work: &ZeroWork<S>) -> usize {
        work.candidates.capacity() * size_of::<Candidate<S>>()
            + work.left.capacity() * size_of::<u16>()
            + work.kept.capacity() * size_of::<(u16, [u8; S])>()
    }
}
