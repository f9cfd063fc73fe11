//! IDA* with pattern databases on boards of at most 25 cells with one blank.
//!
//! The estimate is the Manhattan distance and twice the sum of the entries of the tables, for the
//! board or for its mirror image, whichever is more. A move changes one entry on each side.
//!
//! Much of the time is waiting for memory. A sweep therefore takes some nodes of one depth together:
//! it finds the indices of all their children and asks for the entries first, so that many are under
//! way at once, then reads them, and makes only the nodes that are kept. All below these nodes is
//! searched before the next ones of their depth are taken, so that little of what has been searched
//! when the first goal is found lies behind it, and that little is known.

use std::ops::Range;

use taquin_search::{Cost, prefetch};
use taquin_tables::Width;
use taquin_tiles::{Board, Cell, Slide};

use crate::deepen::{Early, Engine, Found, Tally};
use crate::packed::{Cells, manhattan};
use crate::prepared::{NUMBERS, PASSES, Prepared, TABLES, Turn};
use crate::watch::Ticket;

/// The most nodes whose children are made together: they stay in the nearest cache.
const TOGETHER: usize = 128;

/// The nodes between two looks at the clock.
const POLL: u64 = 1 << 16;

/// A search with prepared databases.
pub(crate) struct Patterns<'a, C: Cells> {
    prepared: &'a Prepared<C>,
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
    /// Begins to fetch an entry.
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
pub(crate) struct Node<C: Cells> {
    board: C,
    spots: [Spot<C>; TABLES],
    /// For each side the sum of the entries.
    sums: [u8; 2],
    manhattan: u8,
    /// The state of the automaton.
    state: u16,
    /// The place of the parent in its level.
    parent: u16,
}

/// A place in a table.
#[derive(Clone, Copy, Debug, Default)]
struct Spot<C: Cells> {
    /// The cells that the tiles of the pattern occupy.
    set: C::Set,
    /// The number of their order.
    order: u16,
    entry: u8,
}

/// What a move changes on one side.
#[derive(Clone, Copy, Default)]
struct Change<C: Cells> {
    /// Where the entry is.
    index: u32,
    set: C::Set,
    order: u16,
    table: u8,
    /// The sum of the entries of the other tables.
    others: u8,
}

/// A child that is not made yet: most are not worth it.
#[derive(Clone, Copy, Default)]
struct Step<C: Cells> {
    changes: [Change<C>; 2],
    /// The number of the move.
    turn: u32,
    /// The place of the parent among those that are taken together.
    parent: u8,
    manhattan: u8,
}

impl<'a, C: Cells> Patterns<'a, C> {
    /// The engine for a start, given where each tile belongs and the state of the automaton.
    pub(crate) fn new(
        prepared: &'a Prepared<C>,
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
        for (at, table) in prepared.tables.iter().enumerate() {
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
            let order = (index - prepared.sets.first::<C>(at, set)) as u16;
            let entry = entries[at].get(index);
            root.spots[at] = Spot { set, order, entry };
            root.sums[table.side] += entry;
        }
        Self { prepared, entries, root }
    }

    /// What a move changes, and the distance after it.
    #[expect(clippy::inline_always, reason = "it is most of a node's work")]
    #[inline(always)]
    fn change<const SIDES: usize, const PASSES: usize, const ON_ONE_SIDE: bool>(
        &self,
        node: &Node<C>,
        turn: &Turn<C>,
    ) -> ([Change<C>; 2], u8) {
        let prepared = self.prepared;
        let tile = node.board.tile(turn.lane.from) % NUMBERS;
        let manhattan = node.manhattan + 1 - 2 * u8::from(turn.lane.is_closer(tile));
        let shifts = prepared.shifts::<PASSES, ON_ONE_SIDE>(turn, &node.board, tile);
        let mut changes = [Change::default(); 2];
        for (side, change) in changes.iter_mut().enumerate().take(SIDES) {
            let at = prepared.table_of[side][tile];
            let table = usize::from(at) % TABLES;
            let Spot { mut set, order, entry } = node.spots[table];
            set ^= turn.cells[side];
            let order = order.wrapping_add_signed(shifts[side]);
            let index = prepared.sets.first::<C>(table, set) + u32::from(order);
            let others = node.sums[side] - entry;
            *change = Change { index, set, order, table: at, others };
        }
        (changes, manhattan)
    }

    /// The entries after some changes.
    #[inline]
    fn entries<const SIDES: usize>(&self, changes: &[Change<C>; 2]) -> [u8; 2] {
        let mut entries = [0; 2];
        for side in 0..SIDES {
            let Change { index, table, .. } = changes[side];
            entries[side] = self.entries[usize::from(table) % TABLES].get(index);
        }
        entries
    }

    /// Makes a copy of a node the node after a move.
    #[inline]
    fn follow<const SIDES: usize>(
        node: &mut Node<C>,
        turn: &Turn<C>,
        (changes, manhattan): (&[Change<C>; 2], u8),
        entries: [u8; 2],
    ) {
        node.board.slide(turn.lane.from, turn.lane.to);
        node.state = turn.lane.next;
        node.manhattan = manhattan;
        for side in 0..SIDES {
            let Change { set, order, table, others, .. } = changes[side];
            let entry = entries[side];
            node.spots[usize::from(table) % TABLES] = Spot { set, order, entry };
            node.sums[side] = others + entry;
        }
    }

    /// The node after a move.
    fn after<const SIDES: usize>(&self, mut node: Node<C>, turn: &Turn<C>) -> Node<C> {
        let (changes, manhattan) = self.change::<SIDES, PASSES, false>(&node, turn);
        let entries = self.entries::<SIDES>(&changes);
        Self::follow::<SIDES>(&mut node, turn, (&changes, manhattan), entries);
        node
    }

    /// Appends what is kept of the children of some nodes, which begin at a place of their level, to
    /// the next level at some depth, and counts what is generated. The least f that is above the
    /// bound is lowered.
    fn advance<const SIDES: usize, const PASSES: usize, const ON_ONE_SIDE: bool>(
        &self,
        (nodes, place): (&[Node<C>], usize),
        next: &mut Vec<Node<C>>,
        work: &mut Work<C>,
        (depth, bound): (Cost, Cost),
        least_above: &mut Cost,
    ) -> u64 {
        let Work { steps, kept } = work;
        // Once it is known that the next threshold is the least possible, nothing need be looked
        // up for a child whose Manhattan distance alone is too much.
        let most = match *least_above == bound + 2 {
            true => bound - depth,
            false => Cost::MAX,
        };

        // 1. The steps. A place is written in any case, and the next one over it unless it is kept,
        //    here and below, so that no wrong guess of the processor holds it up.
        let mut generated = 0;
        let mut count = 0;
        for (parent, node) in (0..).zip(nodes) {
            let turns = self.prepared.numbers(node.state);
            generated += turns.len() as u64;
            for turn in turns {
                let (changes, manhattan) =
                    self.change::<SIDES, PASSES, ON_ONE_SIDE>(node, self.prepared.turn(turn));
                for Change { index, table, .. } in &changes[..SIDES] {
                    self.entries[usize::from(*table) % TABLES].fetch(*index);
                }
                steps[count] = Step { changes, turn, parent, manhattan };
                count += usize::from(Cost::from(manhattan) <= most);
            }
        }

        // 2. Their entries.
        let mut worth = 0;
        let mut least = *least_above;
        for (at, step) in (0..).zip(&steps[..count]) {
            let entries = self.entries::<SIDES>(&step.changes);
            let sum = |side: usize| step.changes[side].others + entries[side];
            let f = depth + estimate(step.manhattan, [sum(0), sum(1)]);
            let is_kept = f <= bound;
            kept[worth] = (at, entries);
            worth += usize::from(is_kept);
            least = least.min(if is_kept { Cost::MAX } else { f });
        }
        *least_above = least;

        // 3. The nodes that are worth it: copied where they will be, and changed there.
        let first = next.len();
        let parent = |at: u16| usize::from(steps[usize::from(at)].parent);
        next.extend(kept[..worth].iter().map(|&(at, _)| nodes[parent(at)]));
        for (child, &(at, entries)) in next[first..].iter_mut().zip(&kept[..worth]) {
            let Step { changes, parent, turn, manhattan } = &steps[usize::from(at)];
            let turn = self.prepared.turn(*turn);
            Self::follow::<SIDES>(child, turn, (changes, *manhattan), entries);
            child.parent = (place + usize::from(*parent)) as u16;
        }
        generated
    }

    /// The way to the first goal, which is the first node of the last level; what was counted of the
    /// nodes behind it is taken back.
    fn found(&self, levels: &[Level<C>], tally: &mut Tally) -> Found {
        let mut actions = Vec::new();
        let mut place = 0;
        for [above, below] in levels.array_windows().rev() {
            let child = &below.nodes[place];
            place = usize::from(child.parent);
            let turns = |node: &Node<C>| self.prepared.numbers(node.state);
            let own = turns(&above.nodes[place]);
            let later = own
                .clone()
                .rev()
                .take_while(|&turn| self.prepared.turn(turn).lane.next != child.state);
            let later = later.count();
            let last = own.end - 1 - later as u32;
            actions.push(self.prepared.turn(last).lane.action);
            let behind = &above.nodes[place + 1..above.done];
            tally.expanded -= behind.len() as u64;
            tally.generated -=
                later as u64 + behind.iter().map(|node| turns(node).len() as u64).sum::<u64>();
        }
        actions.reverse();
        Found { root: place, actions }
    }
}

#[inline]
fn estimate(manhattan: u8, sums: [u8; 2]) -> Cost {
    Cost::from(manhattan) + 2 * Cost::from(sums[0].max(sums[1]))
}

impl<C: Cells> Node<C> {
    #[inline]
    fn h(&self) -> Cost {
        estimate(self.manhattan, self.sums)
    }
}

/// What a thread keeps from one sweep to the next.
#[derive(Default)]
pub(crate) struct Bench<C: Cells> {
    levels: Vec<Level<C>>,
    work: Work<C>,
    found: Option<Found>,
}

/// The nodes of one depth whose parents were taken together.
#[derive(Default)]
struct Level<C: Cells> {
    nodes: Vec<Node<C>>,
    /// So many of them have been expanded.
    done: usize,
}

impl<C: Cells> Level<C> {
    /// The nodes to take next.
    fn take(&mut self) -> Range<usize> {
        let left = self.nodes.len() - self.done;
        // In parts of one size.
        let part = left.div_ceil(left.div_ceil(TOGETHER).max(1));
        let first = self.done;
        self.done += part;
        first..self.done
    }
}

/// What is between some nodes and their children.
struct Work<C: Cells> {
    steps: Vec<Step<C>>,
    /// The steps that are worth a node, and the entries after them.
    kept: Vec<(u16, [u8; 2])>,
}

impl<C: Cells> Default for Work<C> {
    fn default() -> Self {
        // A node has at most four children, and a place is written before it is known to be needed.
        const MOST: usize = 4 * TOGETHER + 1;
        Self { steps: vec![Step::default(); MOST], kept: vec![Default::default(); MOST] }
    }
}

impl<C: Cells> Engine for Patterns<'_, C> {
    type Node = Node<C>;
    type Bench = Bench<C>;

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
        let turns = self.prepared.numbers(node.state).map(|number| self.prepared.turn(number));
        successors.extend(turns.map(|turn| {
            let child = match self.prepared.sides {
                1 => self.after::<1>(*node, turn),
                _ => self.after::<2>(*node, turn),
            };
            (turn.lane.action, child)
        }));
    }

    fn sweep(
        &self,
        roots: &[Node<C>],
        depth: Cost,
        ticket: &Ticket<'_>,
        bench: &mut Bench<C>,
    ) -> Tally {
        let advance = match (self.prepared.sides, self.prepared.passes) {
            (1, (..=4, _)) => Self::advance::<1, 4, true>,
            (1, _) => Self::advance::<1, PASSES, true>,
            (_, (..=3, true)) => Self::advance::<2, 3, true>,
            (_, (..=4, true)) => Self::advance::<2, 4, true>,
            (..) => Self::advance::<2, PASSES, false>,
        };
        let Bench { levels, work, found } = bench;
        *found = None;
        let height = (ticket.bound - depth) as usize;
        levels.resize_with(levels.len().max(height + 1), Level::default);
        levels[0].nodes.clear();
        levels[0].nodes.extend_from_slice(roots);
        levels[0].done = 0;
        let mut at = 0;
        let mut tally = Tally::default();
        let mut polled = Tally::default();
        let mut least_above = Cost::MAX;
        loop {
            let here = depth + at as Cost;
            if at == height && !levels[at].nodes.is_empty() {
                tally.end = Some(Early::Goal);
                *found = Some(self.found(&levels[..=height], &mut tally));
                break;
            }
            let taken = levels[at].take();
            if taken.is_empty() {
                if at == 0 {
                    break;
                }
                at -= 1;
                continue;
            }
            tally.deepest = tally.deepest.max(here.into());
            tally.expanded += taken.len() as u64;
            at += 1;
            let [level, next] = &mut levels[at - 1..=at] else { break };
            next.nodes.clear();
            next.done = 0;
            tally.generated += advance(
                self,
                (&level.nodes[taken.clone()], taken.start),
                &mut next.nodes,
                work,
                (here + 1, ticket.bound),
                &mut least_above,
            );

            let (expanded, generated) =
                (tally.expanded - polled.expanded, tally.generated - polled.generated);
            if generated > POLL {
                polled = tally;
                if ticket.poll(expanded, generated, here.into()) {
                    tally.end = Some(Early::GivenUp);
                    break;
                }
            }
        }
        if least_above < Cost::MAX {
            tally.least_above = Some(least_above);
        }
        // The last of it may have been taken back.
        ticket.poll(
            tally.expanded.saturating_sub(polled.expanded),
            tally.generated.saturating_sub(polled.generated),
            tally.deepest,
        );
        tally
    }

    fn found(bench: &mut Bench<C>) -> Option<Found> {
        bench.found.take()
    }

    fn bytes(bench: &Bench<C>) -> usize {
        let Bench { levels, work, .. } = bench;
        levels.iter().map(|level| level.nodes.capacity() * size_of::<Node<C>>()).sum::<usize>()
            + work.steps.capacity() * size_of::<Step<C>>()
            + work.kept.capacity() * size_of::<(u16, [u8; 2])>()
    }
}
