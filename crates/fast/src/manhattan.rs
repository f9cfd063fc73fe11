//! IDA* with Manhattan distance on boards of at most 16 cells with one blank.
//!
//! A sweep goes layer by layer. The boards of a layer lie in buckets, by the state of the
//! [automaton](crate::automaton), which is the blank's cell and the last moves, and by how many
//! slides away from the goal the threshold still allows. All boards of a bucket have the same moves,
//! and each move takes a bucket to a bucket: a loop over words without a branch that depends on
//! them, which is what slows down a depth-first search. A node costs a shift, a bit test, two more
//! shifts and a store; counting is done by bucket, and a goal is any board that is still there at
//! the depth of the threshold. Half of a layer that outgrows the cache is put aside for later.

use taquin_search::Cost;
use taquin_tiles::{Board, Cell, Slide};

use crate::deepen::{Early, Engine, Tally};
use crate::kernel::{Bucket, Kernel};
use crate::packed::{Cells as _, Lane, manhattan};
use crate::watch::Ticket;

/// The widest layer that is kept whole: it and the next should fit in the cache of a core.
const WIDEST: usize = 1 << 16;

/// The nodes between two looks at the clock.
const POLL: u64 = 1 << 20;

pub(crate) struct Manhattan<'a> {
    /// For each state of the automaton its moves.
    lanes: &'a [Vec<Lane>],
    root: Node,
    kernel: Kernel,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    board: u64,
    state: u16,
    h: u8,
}

impl<'a> Manhattan<'a> {
    /// The engine for a start, given where each tile belongs and the state of the automaton.
    pub(crate) fn new(lanes: &'a [Vec<Lane>], start: &Board, homes: &[Cell], state: u16) -> Self {
        let root = Node { board: u64::pack(start, homes), state, h: manhattan(start, homes) };
        Self { lanes, root, kernel: Kernel::best() }
    }
}

/// The layers of a sweep.
#[derive(Default)]
pub(crate) struct Bench {
    layer: Vec<Bucket>,
    next: Vec<Bucket>,
    /// Boards that were put aside, those of one bucket after those of another.
    aside: Vec<u64>,
    /// The bucket and the number of boards of each stretch of them.
    stretches: Vec<(usize, usize)>,
    /// The depth and the first stretch of each layer of which half was put aside.
    halves: Vec<(Cost, usize)>,
}

impl Bench {
    fn clear(&mut self) {
        self.layer.iter_mut().chain(&mut self.next).for_each(Bucket::clear);
        self.aside.clear();
        self.stretches.clear();
        self.halves.clear();
    }

    /// Puts half of each bucket aside.
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

    /// Takes the last half that was put aside as the layer, and says how deep it is.
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

impl Engine for Manhattan<'_> {
    type Node = Node;
    type Bench = Bench;

    const SMALL: u64 = 1 << 16;
    const PART: u64 = 1 << 22;
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
        for lane in &self.lanes[usize::from(node.state)] {
            let (board, tile) = lane.slide(node.board);
            let h = if lane.is_closer(tile) { node.h - 1 } else { node.h + 1 };
            successors.push((lane.action, Node { board, state: lane.next, h }));
        }
    }

    fn sweep(&self, roots: &[Node], depth: Cost, ticket: &Ticket<'_>, bench: &mut Bench) -> Tally {
        let states = self.lanes.len();
        let slack = |node: &Node| (ticket.bound - depth - Cost::from(node.h)) as usize / 2;
        let buckets = states * (1 + roots.iter().map(slack).max().unwrap_or(0));
        bench.layer.resize_with(buckets.max(bench.layer.len()), Bucket::default);
        bench.next.resize_with(buckets.max(bench.next.len()), Bucket::default);
        for root in roots {
            bench.layer[slack(root) * states + usize::from(root.state)].extend(&[root.board]);
        }
        let mut depth = depth;
        let mut tally = Tally::default();
        let mut polled = Tally::default();
        loop {
            let width: usize = bench.layer[..buckets].iter().map(|b| b.boards().len()).sum();
            if width == 0 {
                let Some(resumed) = bench.resume() else { break };
                depth = resumed;
                continue;
            }
            if depth == ticket.bound {
                tally.end = Some(Early::Goal);
                break;
            }
            if width > WIDEST {
                bench.halve(depth);
            }
            tally.deepest = tally.deepest.max(depth.into());
            for at in 0..buckets {
                let bucket = &mut bench.layer[at];
                let boards = bucket.boards();
                if boards.is_empty() {
                    continue;
                }
                let (allowed, state) = (at / states * states, at % states);
                let lanes = &self.lanes[state];
                tally.expanded += boards.len() as u64;
                tally.generated += (boards.len() * lanes.len()) as u64;
                for lane in lanes {
                    let next = usize::from(lane.next);
                    let (fewer, same) = bench.next.split_at_mut(allowed);
                    match allowed.checked_sub(states) {
                        None => self.kernel.closer(boards, lane, &mut same[next]),
                        Some(less) => {
                            let (closer, farther) = (&mut same[next], &mut fewer[less + next]);
                            self.kernel.both(boards, lane, closer, farther);
                        }
                    }
                }
                bucket.clear();
            }
            std::mem::swap(&mut bench.layer, &mut bench.next);
            depth += 1;
            let (expanded, generated) =
                (tally.expanded - polled.expanded, tally.generated - polled.generated);
            if generated > POLL {
                polled = tally;
                if ticket.poll(expanded, generated, depth.into()) {
                    tally.end = Some(Early::GivenUp);
                    break;
                }
            }
        }
        if tally.end.is_some() {
            bench.clear();
        }
        // Every node that was expanded is a root or was generated; another that was generated is
        // above the threshold, where parity allows nothing less than two.
        if tally.generated + roots.len() as u64 > tally.expanded {
            tally.least_above = Some(ticket.bound + 2);
        }
        ticket.poll(
            tally.expanded - polled.expanded,
            tally.generated - polled.generated,
            depth.into(),
        );
        tally
    }

    fn bytes(bench: &Bench) -> usize {
        let buckets = bench.layer.iter().chain(&bench.next);
        buckets.map(Bucket::bytes).sum::<usize>() + bench.aside.capacity() * size_of::<u64>()
    }
}
