//! IDA* with pattern databases on boards of at most 25 cells with one blank.
//!
//! The estimate is the Manhattan distance plus twice the sum of the entries of the tables, for the
//! board or for its mirror image, whichever is greater. A move changes one entry on each side.
//!
//! Most of the time is spent waiting for memory. A sweep therefore expands several nodes of one
//! depth together: it computes the indices of all their children and prefetches the entries, so
//! that many loads overlap, then reads them, and creates only the nodes that are kept. Everything
//! below these nodes is searched before the next nodes of their depth, so that few nodes behind the
//! first goal have been counted when it is found; their counts are subtracted again.

use std::ops::Range;

use taquin_search::{Cost, prefetch};
use taquin_tables::Width;
use taquin_tiles::{Board, Cell, Slide};

use crate::board::{PackedBoard, manhattan};
use crate::limits::PartLimits;
use crate::pattern_steps::{NUMBERS, PASSES, PatternStep, PatternSteps, TABLES};
use crate::sweep::{EarlyEnd, FoundGoal, SweepCounts, SweepEngine};

/// The greatest number of nodes that are expanded together: their children stay in the L1 cache.
pub(crate) const TOGETHER: usize = 128;

/// The number of nodes between two polls.
const POLL: u64 = 1 << 16;

/// A search with pattern databases.
pub(crate) struct PatternEngine<'a, C: PackedBoard> {
    steps: &'a PatternSteps<C>,
    entries: [Entries<'a>; TABLES],
    root: Node<C>,
}

/// The entries of a table.
#[derive(Clone, Copy)]
struct Entries<'a> {
    bytes: &'a [u8],
    /// 1 if a byte has two entries, and 0 if it has one.
    halves: u32,
    mask: u8,
}

impl Entries<'_> {
    /// Prefetches an entry.
    #[inline]
    fn fetch(self, index: u32) {
        if let Some(byte) = self.bytes.get((index >> self.halves) as usize) {
            prefetch(byte);
        }
    }

    #[inline]
    fn get(self, index: u32) -> u8 {
        self.bytes[(index >> self.halves) as usize] >> (4 * (index & self.halves)) & self.mask
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<C: PackedBoard> {
    pub(crate) board: C,
    spots: [Spot<C>; TABLES],
    /// The sum of the entries of each side.
    sums: [u8; 2],
    manhattan: u8,
    /// The state of the automaton.
    pub(crate) state: u16,
    /// The index of the parent in its level.
    pub(crate) parent: u16,
}

/// A place in a table.
#[derive(Clone, Copy, Debug, Default)]
struct Spot<C: PackedBoard> {
    /// The cells of the pattern's tiles.
    set: C::Set,
    /// The number of their order.
    order: u16,
    entry: u8,
}

/// The effect of a move on one side.
#[derive(Clone, Copy, Default)]
struct Change<C: PackedBoard> {
    /// The index of the new entry.
    index: u32,
    set: C::Set,
    order: u16,
    table: u8,
    /// The sum of the entries of the other tables.
    others: u8,
}

/// A child that is not created yet: most are pruned.
#[derive(Clone, Copy, Default)]
struct Candidate<C: PackedBoard> {
    changes: [Change<C>; 2],
    /// The number of the move.
    step: u32,
    /// The index of the parent among the nodes that are expanded together.
    parent: u8,
    manhattan: u8,
}

impl<'a, C: PackedBoard> PatternEngine<'a, C> {
    /// Creates the engine for `start`, given the goal cell of each tile and the automaton's state.
    pub(crate) fn new(
        steps: &'a PatternSteps<C>,
        patterns: &taquin_tables::Patterns,
        start: &Board,
        homes: &[Cell],
        state: u16,
    ) -> Self {
        let mut entries = [Entries { bytes: &[0], halves: 0, mask: 0 }; TABLES];
        let mut root = Node {
            board: C::pack(start, homes),
            spots: [Spot::default(); TABLES],
            sums: [0; 2],
            manhattan: manhattan(start, homes),
            state,
            parent: 0,
        };
        let mut cell_of = [0; NUMBERS];
        for (cell, &tile) in start.tiles().iter().enumerate() {
            if tile > 0 {
                cell_of[usize::from(homes[usize::from(tile)])] = cell;
            }
        }
        for (at, table) in steps.tables.iter().enumerate() {
            let Some(database) = &table.database else { continue };
            let (halves, mask) = match database.width() {
                Width::Nibble => (1, 15),
                Width::Byte => (0, 255),
            };
            entries[at] = Entries { bytes: database.entries(), halves, mask };
            let side = &patterns.sides()[table.side];
            let place = |&tile: &u8| side.cells()[cell_of[usize::from(tile)]];
            let places: Vec<u8> = table.tiles.iter().map(place).collect();
            let index = database.pattern().rank(&places) as u32;
            let set = C::set(places.iter().fold(0, |set, &cell| set | 1 << cell));
            let order = (index - steps.sets.first::<C>(at, set)) as u16;
            let entry = entries[at].get(index);
            root.spots[at] = Spot { set, order, entry };
            root.sums[table.side] += entry;
        }
        Self { steps, entries, root }
    }

    /// Returns the effect of a move on both sides, and the Manhattan distance after it.
    #[expect(clippy::inline_always, reason = "it is most of the work for a node")]
    #[inline(always)]
    fn change<const SIDES: usize, const PASSES: usize, const ON_ONE_SIDE: bool>(
        &self,
        node: &Node<C>,
        step: &PatternStep<C>,
    ) -> ([Change<C>; 2], u8) {
        let steps = self.steps;
        let tile = node.board.tile(step.lane.from) % NUMBERS;
        let manhattan = node.manhattan + 1 - 2 * u8::from(step.lane.is_closer(tile));
        let shifts = steps.shifts::<PASSES, ON_ONE_SIDE>(step, &node.board, tile);
        let mut changes = [Change::default(); 2];
        for (side, change) in changes.iter_mut().enumerate().take(SIDES) {
            let at = steps.table_of[side][tile];
            let table = usize::from(at) % TABLES;
            let Spot { mut set, order, entry } = node.spots[table];
            set ^= step.cells[side];
            let order = order.wrapping_add_signed(shifts[side]);
            let index = steps.sets.first::<C>(table, set) + u32::from(order);
            let others = node.sums[side] - entry;
            *change = Change { index, set, order, table: at, others };
        }
        (changes, manhattan)
    }

    /// Reads the new entries.
    #[inline]
    fn entries<const SIDES: usize>(&self, changes: &[Change<C>; 2]) -> [u8; 2] {
        let mut entries = [0; 2];
        for side in 0..SIDES {
            let Change { index, table, .. } = changes[side];
            entries[side] = self.entries[usize::from(table) % TABLES].get(index);
        }
        entries
    }

    /// Turns a copy of the parent into the child.
    #[inline]
    fn follow<const SIDES: usize>(
        node: &mut Node<C>,
        step: &PatternStep<C>,
        (changes, manhattan): (&[Change<C>; 2], u8),
        entries: [u8; 2],
    ) {
        node.board.slide(step.lane.from, step.lane.to);
        node.state = step.lane.next;
        node.manhattan = manhattan;
        for side in 0..SIDES {
            let Change { set, order, table, others, .. } = changes[side];
            let entry = entries[side];
            node.spots[usize::from(table) % TABLES] = Spot { set, order, entry };
            node.sums[side] = others + entry;
        }
    }

    /// Returns the node after a move.
    fn after<const SIDES: usize>(&self, mut node: Node<C>, step: &PatternStep<C>) -> Node<C> {
        let (changes, manhattan) = self.change::<SIDES, PASSES, false>(&node, step);
        let entries = self.entries::<SIDES>(&changes);
        Self::follow::<SIDES>(&mut node, step, (&changes, manhattan), entries);
        node
    }

    /// Appends the children of `nodes` (at `place` in their level) that are kept to the level
    /// `next` at `depth`, and returns the number of generated children. `least_above` becomes the
    /// least f above the bound.
    fn advance<const SIDES: usize, const PASSES: usize, const ON_ONE_SIDE: bool>(
        &self,
        (nodes, place): (&[Node<C>], usize),
        next: &mut Vec<Node<C>>,
        work: &mut Work<C>,
        (depth, bound): (Cost, Cost),
        least_above: &mut Cost,
    ) -> u64 {
        let Work { candidates, kept } = work;
        // Once the next threshold is known to be the least possible, a child whose Manhattan
        // distance alone exceeds the bound needs no look-up.
        let most = match *least_above == bound + 2 {
            true => bound - depth,
            false => Cost::MAX,
        };

        // 1. The candidates. Every one is written, and the next one overwrites it unless it is
        //    kept, here and below, so that there is no branch to mispredict.
        let mut generated = 0;
        let mut count = 0;
        for (parent, node) in (0..).zip(nodes) {
            let steps = self.steps.numbers(node.state);
            generated += steps.len() as u64;
            for step in steps {
                let (changes, manhattan) =
                    self.change::<SIDES, PASSES, ON_ONE_SIDE>(node, self.steps.step(step));
                for Change { index, table, .. } in &changes[..SIDES] {
                    self.entries[usize::from(*table) % TABLES].fetch(*index);
                }
                candidates[count] = Candidate { changes, step, parent, manhattan };
                count += usize::from(Cost::from(manhattan) <= most);
            }
        }

        // 2. Their entries.
        let mut worth = 0;
        let mut least = *least_above;
        for (at, candidate) in (0..).zip(&candidates[..count]) {
            let entries = self.entries::<SIDES>(&candidate.changes);
            let sum = |side: usize| candidate.changes[side].others + entries[side];
            let f = depth + estimate(candidate.manhattan, [sum(0), sum(1)]);
            let is_kept = f <= bound;
            kept[worth] = (at, entries);
            worth += usize::from(is_kept);
            least = least.min(if is_kept { Cost::MAX } else { f });
        }
        *least_above = least;

        // 3. The children that are kept: copies of their parents, changed in place.
        let first = next.len();
        let parent = |at: u16| usize::from(candidates[usize::from(at)].parent);
        next.extend(kept[..worth].iter().map(|&(at, _)| nodes[parent(at)]));
        for (child, &(at, entries)) in next[first..].iter_mut().zip(&kept[..worth]) {
            let Candidate { changes, parent, step, manhattan } = &candidates[usize::from(at)];
            let step = self.steps.step(*step);
            Self::follow::<SIDES>(child, step, (changes, *manhattan), entries);
            child.parent = (place + usize::from(*parent)) as u16;
        }
        generated
    }

    /// Returns the moves in a state of the automaton, and the cell that the blank goes to.
    pub(crate) fn actions(&self, state: u16) -> Vec<(Slide, u8)> {
        let moves = self.steps.numbers(state).map(|step| &self.steps.step(step).lane);
        moves.map(|lane| (lane.action, lane.from / C::place(1))).collect()
    }

    /// Returns the number of the move from a node to its child.
    fn step_between(&self, parent: &Node<C>, child: &Node<C>) -> Option<u32> {
        self.steps
            .numbers(parent.state)
            .find(|&step| self.steps.step(step).lane.slide(parent.board).0 == child.board)
    }

    /// Returns the path to node `place` of the last level, and the root that it begins at.
    pub(crate) fn path(&self, levels: &[Level<C>], mut place: usize) -> FoundGoal {
        let mut actions = Vec::new();
        for pair in levels.windows(2).rev() {
            let child = &pair[1].nodes[place];
            place = usize::from(child.parent);
            let step = self.step_between(&pair[0].nodes[place], child);
            actions.extend(step.map(|step| self.steps.step(step).lane.action));
        }
        actions.reverse();
        FoundGoal { root: place, actions }
    }

    /// Returns the path to the first goal, which is the first node of the last level, and subtracts
    /// the counts of the nodes behind it.
    fn found(&self, levels: &[Level<C>], counts: &mut SweepCounts) -> FoundGoal {
        let mut place = 0;
        for pair in levels.windows(2).rev() {
            let (above, below) = (&pair[0], &pair[1]);
            let child = &below.nodes[place];
            place = usize::from(child.parent);
            let moves = |node: &Node<C>| self.steps.numbers(node.state);
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

    /// Returns the function that expands nodes with the tables of this engine.
    pub(crate) fn advance_function(&self) -> Advance<Self, C> {
        match (self.steps.sides, self.steps.passes) {
            (1, (..=4, _)) => Self::advance::<1, 4, true>,
            (1, _) => Self::advance::<1, PASSES, true>,
            (_, (..=3, true)) => Self::advance::<2, 3, true>,
            (_, (..=4, true)) => Self::advance::<2, 4, true>,
            (..) => Self::advance::<2, PASSES, false>,
        }
    }

    /// Searches what is below `roots`, all of which lie at `depth`, as far as `guide` allows. No root
    /// is a goal.
    pub(crate) fn descend(
        &self,
        roots: &[Node<C>],
        (depth, bound): (Cost, Cost),
        guide: &mut impl Guide<C>,
        scratch: &mut Scratch<C>,
    ) -> SweepCounts {
        let advance = self.advance_function();
        let Scratch { levels, work, found } = scratch;
        *found = None;
        let height = (bound - depth) as usize;
        levels.resize_with(levels.len().max(height + 1), Level::default);
        levels[0].nodes.clear();
        levels[0].nodes.extend_from_slice(roots);
        levels[0].done = 0;
        let mut at = 0;
        let mut counts = SweepCounts::default();
        let mut polled = SweepCounts::default();
        let mut least_above = Cost::MAX;
        loop {
            let here = depth + at as Cost;
            if at == height && !levels[at].nodes.is_empty() {
                counts.end = Some(EarlyEnd::Goal);
                *found = Some(self.found(&levels[..=height], &mut counts));
                break;
            }
            let taken = levels[at].take(guide);
            if taken.is_empty() {
                if levels[at].done < levels[at].nodes.len() {
                    counts.end = Some(EarlyEnd::Abandoned);
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
            let generated = advance(
                self,
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
            if generated > POLL {
                polled = counts;
                if guide.poll(expanded, generated, here.into(), &mut levels[..=at]) {
                    counts.end = Some(EarlyEnd::Abandoned);
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

/// Expands nodes: see [`PatternEngine::advance`].
pub(crate) type Advance<E, C> =
    fn(&E, (&[Node<C>], usize), &mut Vec<Node<C>>, &mut Work<C>, (Cost, Cost), &mut Cost) -> u64;

/// Decides what is searched.
pub(crate) trait Guide<C: PackedBoard> {
    /// Returns how many of `wanted` nodes may be expanded.
    #[inline]
    fn allow(&mut self, wanted: usize) -> usize {
        wanted
    }

    /// Learns how many nodes some that were allowed have generated.
    #[inline]
    fn note_generated(&mut self, _generated: u64, _expanded: usize) {}

    /// Removes some of the children at `depth` of some of the `parents`.
    #[inline]
    fn sift(&mut self, _parents: &[Node<C>], _children: &mut Vec<Node<C>>, _depth: Cost) {}

    /// Learns what was done since the last call, down to `depth`, and may take nodes away that are
    /// not expanded yet. Returns whether to stop.
    fn poll(&mut self, expanded: u64, generated: u64, depth: u64, levels: &mut [Level<C>]) -> bool;
}

/// Searches everything within limits.
struct Plainly<'a>(&'a PartLimits<'a>);

impl<C: PackedBoard> Guide<C> for Plainly<'_> {
    fn poll(&mut self, expanded: u64, generated: u64, depth: u64, _: &mut [Level<C>]) -> bool {
        self.0.poll(expanded, generated, depth)
    }
}

#[inline]
fn estimate(manhattan: u8, sums: [u8; 2]) -> Cost {
    Cost::from(manhattan) + 2 * Cost::from(sums[0].max(sums[1]))
}

impl<C: PackedBoard> Node<C> {
    #[inline]
    pub(crate) fn h(&self) -> Cost {
        estimate(self.manhattan, self.sums)
    }
}

/// The memory that a thread reuses from one sweep to the next.
#[derive(Default)]
pub(crate) struct Scratch<C: PackedBoard> {
    levels: Vec<Level<C>>,
    pub(crate) work: Work<C>,
    found: Option<FoundGoal>,
}

/// The nodes of one depth whose parents were expanded together.
#[derive(Default)]
pub(crate) struct Level<C: PackedBoard> {
    pub(crate) nodes: Vec<Node<C>>,
    /// The number of nodes that have been expanded.
    pub(crate) done: usize,
}

impl<C: PackedBoard> Level<C> {
    /// Returns the nodes to expand next.
    #[inline]
    fn take(&mut self, guide: &mut impl Guide<C>) -> Range<usize> {
        let left = self.nodes.len() - self.done;
        // In parts of equal size.
        let part = guide.allow(left.div_ceil(left.div_ceil(TOGETHER).max(1)));
        let first = self.done;
        self.done += part;
        first..self.done
    }
}

/// The memory for expanding nodes together.
pub(crate) struct Work<C: PackedBoard> {
    candidates: Vec<Candidate<C>>,
    /// The candidates that are kept, and their new entries.
    kept: Vec<(u16, [u8; 2])>,
}

impl<C: PackedBoard> Default for Work<C> {
    fn default() -> Self {
        // A node has at most four children, and one more is written before it is dropped.
        const MOST: usize = 4 * TOGETHER + 1;
        Self { candidates: vec![Candidate::default(); MOST], kept: vec![Default::default(); MOST] }
    }
}

impl<C: PackedBoard> SweepEngine for PatternEngine<'_, C> {
    type Node = Node<C>;
    type Scratch = Scratch<C>;

    const SMALL: u64 = 1 << 8;
    const PART: u64 = 1 << 12;
    const SUBTREES: usize = 4;
    const FINDS: bool = true;

    fn root(&self) -> Node<C> {
        self.root
    }

    #[inline]
    fn estimate(&self, node: &Node<C>) -> Cost {
        node.h()
    }

    #[inline]
    fn is_goal(&self, node: &Node<C>) -> bool {
        node.manhattan == 0
    }

    fn successors(&self, node: &Node<C>, successors: &mut Vec<(Slide, Node<C>)>) {
        let moves = self.steps.numbers(node.state).map(|number| self.steps.step(number));
        successors.extend(moves.map(|step| {
            let child = match self.steps.sides {
                1 => self.after::<1>(*node, step),
                _ => self.after::<2>(*node, step),
            };
            (step.lane.action, child)
        }));
    }

    fn sweep(
        &self,
        roots: &[Node<C>],
        depth: Cost,
        limits: &PartLimits<'_>,
        scratch: &mut Scratch<C>,
    ) -> SweepCounts {
        self.descend(roots, (depth, limits.bound), &mut Plainly(limits), scratch)
    }

    fn found(scratch: &mut Scratch<C>) -> Option<FoundGoal> {
        scratch.found.take()
    }

    fn bytes(scratch: &Scratch<C>) -> usize {
        let Scratch { levels, work, .. } = scratch;
        levels.iter().map(|level| level.nodes.capacity() * size_of::<Node<C>>()).sum::<usize>()
            + work.candidates.capacity() * size_of::<Candidate<C>>()
            + work.kept.capacity() * size_of::<(u16, [u8; 2])>()
    }
}
