//! IDA* with pattern databases on boards of at most 25 cells with one blank.
//!
//! The estimate is the Manhattan distance plus twice the sum of the table entries, for the board or
//! for its mirror image, whichever is greater. A move changes one entry on each side.
//!
//! Most of the time is spent waiting for memory. Several nodes at one depth are therefore expanded
//! together: the engine computes the indices of all their children and prefetches the entries, so
//! that many loads overlap, then reads them and creates only the nodes that it keeps.

use std::ops::Range;

use taquin_search::{Cost, prefetch};
use taquin_tables::Width;
use taquin_tiles::{Board, Cell};

use crate::ida::board::{Lane, PackedBoard, manhattan};
use crate::ida::moves::LaneMove;
use crate::ida::pattern_steps::{NUMBERS, PASSES, PatternStep, PatternSteps, TABLES};
use crate::ida::tree::{Place, TOGETHER, TreeEngine, TreeNode};

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
    place: Place<C>,
    /// For each table, the cells of the pattern's tiles,
    sets: [C::Set; TABLES],
    /// the number of their order,
    orders: [u16; TABLES],
    /// and the entry. As arrays of their own they take less than as structures.
    entries: [u8; TABLES],
    /// Each side's sum of entries.
    sums: [u8; 2],
    manhattan: u8,
}

/// The effect of a move on one side.
#[derive(Clone, Copy, Default)]
struct Change<C: PackedBoard> {
    /// The index of the new entry.
    index: u32,
    set: C::Set,
    order: u16,
    table: u8,
    /// The sum of the other tables' entries.
    others: u8,
}

/// A child that is not created yet: most are pruned.
#[derive(Clone, Copy, Default)]
struct Candidate<C: PackedBoard> {
    changes: [Change<C>; 2],
    lane_move: LaneMove,
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
        state: u32,
    ) -> Self {
        let mut entries = [Entries { bytes: &[0], halves: 0, mask: 0 }; TABLES];
        let mut root = Node {
            place: Place { board: C::pack(start, homes), state, parent: 0 },
            sets: [C::Set::default(); TABLES],
            orders: [0; TABLES],
            entries: [0; TABLES],
            sums: [0; 2],
            manhattan: manhattan(start, homes),
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
                Width::Byte | Width::Bit => (0, 255),
            };
            entries[at] = Entries { bytes: database.entries(), halves, mask };
            let side = &patterns.sides()[table.side];
            let place = |&tile: &u8| side.cells()[cell_of[usize::from(tile)]];
            let places: Vec<u8> = table.tiles.iter().map(place).collect();
            let index = database.pattern().rank(&places) as u32;
            let set = C::set(places.iter().fold(0, |set, &cell| set | 1 << cell));
            root.sets[at] = set;
            root.orders[at] = (index - steps.sets.first::<C>(at, set)) as u16;
            root.entries[at] = entries[at].get(index);
            root.sums[table.side] += root.entries[at];
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
        let tile = node.place.board.tile(step.lane.from) % NUMBERS;
        let manhattan = node.manhattan + 1 - 2 * u8::from(step.lane.is_closer(tile));
        let shifts = steps.shifts::<PASSES, ON_ONE_SIDE>(step, &node.place.board, tile);
        let mut changes = [Change::default(); 2];
        for (side, change) in changes.iter_mut().enumerate().take(SIDES) {
            let at = steps.table_of[side][tile];
            let table = usize::from(at) % TABLES;
            let mut set = node.sets[table];
            set ^= step.cells[side];
            let order = node.orders[table].wrapping_add_signed(shifts[side]);
            let index = steps.sets.first::<C>(table, set) + u32::from(order);
            let others = node.sums[side] - node.entries[table];
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
        (step, state): (&PatternStep<C>, u32),
        (changes, manhattan): (&[Change<C>; 2], u8),
        entries: [u8; 2],
    ) {
        node.place.board.slide(step.lane.from, step.lane.to);
        node.place.state = state;
        node.manhattan = manhattan;
        for side in 0..SIDES {
            let Change { set, order, table, others, .. } = changes[side];
            let table = usize::from(table) % TABLES;
            (node.sets[table], node.orders[table]) = (set, order);
            node.entries[table] = entries[side];
            node.sums[side] = others + entries[side];
        }
    }

    /// Returns the node after a move.
    fn after<const SIDES: usize>(&self, mut node: Node<C>, lane_move: LaneMove) -> Node<C> {
        let step = self.steps.step(lane_move);
        let (changes, manhattan) = self.change::<SIDES, PASSES, false>(&node, step);
        let entries = self.entries::<SIDES>(&changes);
        let after = (step, lane_move.next());
        Self::follow::<SIDES>(&mut node, after, (&changes, manhattan), entries);
        node
    }

    /// Expands nodes: see [`TreeEngine::advance`].
    fn advance_with<const SIDES: usize, const PASSES: usize, const ON_ONE_SIDE: bool>(
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
            let moves = self.steps.moves.of(node.place.state);
            generated += moves.len() as u64;
            for &lane_move in moves {
                let (changes, manhattan) =
                    self.change::<SIDES, PASSES, ON_ONE_SIDE>(node, self.steps.step(lane_move));
                for Change { index, table, .. } in &changes[..SIDES] {
                    self.entries[usize::from(*table) % TABLES].fetch(*index);
                }
                candidates[count] = Candidate { changes, lane_move, parent, manhattan };
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
            let Candidate { changes, parent, lane_move, manhattan } = &candidates[usize::from(at)];
            let after = (self.steps.step(*lane_move), lane_move.next());
            Self::follow::<SIDES>(child, after, (changes, *manhattan), entries);
            child.place.parent = (place + usize::from(*parent)) as u16;
        }
        generated
    }
}

#[inline]
fn estimate(manhattan: u8, sums: [u8; 2]) -> Cost {
    Cost::from(manhattan) + 2 * Cost::from(sums[0].max(sums[1]))
}

impl<C: PackedBoard> TreeNode for Node<C> {
    type Board = C;

    #[inline]
    fn place(&self) -> &Place<C> {
        &self.place
    }

    #[inline]
    fn place_mut(&mut self) -> &mut Place<C> {
        &mut self.place
    }

    #[inline]
    fn h(&self) -> Cost {
        estimate(self.manhattan, self.sums)
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
        const MAX_CHILDREN: usize = 4 * TOGETHER + 1;
        Self {
            candidates: vec![Candidate::default(); MAX_CHILDREN],
            kept: vec![Default::default(); MAX_CHILDREN],
        }
    }
}

impl<C: PackedBoard> TreeEngine for PatternEngine<'_, C> {
    type Board = C;
    type Node = Node<C>;
    type Work = Work<C>;

    fn root_node(&self) -> Node<C> {
        self.root
    }

    fn numbers(&self, state: u32) -> Range<u32> {
        self.steps.moves.numbers(state)
    }

    fn lane(&self, number: u32) -> &Lane {
        &self.steps.step(self.steps.moves.get(number)).lane
    }

    fn child(&self, node: &Node<C>, number: u32) -> Node<C> {
        let lane_move = self.steps.moves.get(number);
        match self.steps.sides {
            1 => self.after::<1>(*node, lane_move),
            _ => self.after::<2>(*node, lane_move),
        }
    }

    fn advance(
        &self,
        nodes: (&[Node<C>], usize),
        next: &mut Vec<Node<C>>,
        work: &mut Work<C>,
        bounds: (Cost, Cost),
        least_above: &mut Cost,
    ) -> u64 {
        let advance = match (self.steps.sides, self.steps.passes) {
            (1, (..=4, _)) => Self::advance_with::<1, 4, true>,
            (1, _) => Self::advance_with::<1, PASSES, true>,
            (_, (..=3, true)) => Self::advance_with::<2, 3, true>,
            (_, (..=4, true)) => Self::advance_with::<2, 4, true>,
            (..) => Self::advance_with::<2, PASSES, false>,
        };
        advance(self, nodes, next, work, bounds, least_above)
    }

    fn work_bytes(work: &Work<C>) -> usize {
        work.candidates.capacity() * size_of::<Candidate<C>>()
            + work.kept.capacity() * size_of::<(u16, [u8; 2])>()
    }
}
