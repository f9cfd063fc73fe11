//! IDA* with pattern databases on boards of at most 25 cells with one blank.
//!
//! The estimate is the Manhattan distance and twice the sum of the entries of the tables, for the
//! board or for its mirror image, whichever is more. A move changes one entry on each side. Of an
//! [index](taquin_tables::Ranking) a node keeps, for each table, the set of occupied cells and the
//! order of the tiles: a move changes two cells of the set, and changes the order only by the tiles
//! of the same pattern that the moving tile passes, which are on the cells between the two.
//!
//! Much of the time is waiting for memory. A sweep therefore finds the indices of the children of a
//! whole layer first, then reads their entries in a loop in which no read has to wait for another,
//! so that the processor has as many under way as it can, and makes only the nodes that are kept.

use std::sync::Arc;

use taquin_search::Cost;
use taquin_tables::{Database, Ranking, Side, Width};
use taquin_tiles::{Board, Cell, Slide};

use crate::deepen::{Early, Engine, Tally};
use crate::packed::{Cells, Lane, manhattan};
use crate::watch::Ticket;

/// The most tables on both sides together, with one for tiles that are in no pattern.
const TABLES: usize = 8;

/// The most cells that a move can pass on both sides together.
const PASSES: usize = 10;

/// The widest layer that is kept whole.
const WIDEST: usize = 1 << 14;

/// The nodes between two looks at the clock.
const POLL: u64 = 1 << 16;

/// Pattern databases, prepared for stepping from node to node.
#[derive(Debug)]
pub(crate) struct Prepared<C: Cells> {
    /// For each state of the automaton its moves.
    turns: Vec<Vec<Turn<C>>>,
    sides: usize,
    tables: Vec<Table>,
    /// For each side and each tile its table.
    table_of: [[u8; NUMBERS]; 2],
    /// By how much the number of an order changes when one tile passes another.
    shifts: Shifts,
    /// The cells that a move passes at most, on both sides together.
    passes: usize,
}

/// The entries of one pattern on one side, and how to find them.
#[derive(Debug)]
struct Table {
    /// None for the tiles that are in no pattern.
    database: Option<Arc<Database>>,
    side: usize,
    /// The tiles of the pattern in their order, by the numbers that they have on a packed board.
    tiles: Vec<u8>,
    sets: Arc<Sets>,
}

/// For each set of occupied cells the index of its first placement.
#[derive(Debug)]
enum Sets {
    /// One table, on boards of at most 16 cells.
    Whole(Vec<u32>),
    /// On others that would be too large, and the index is the sum of two shares.
    Shares {
        /// For the lower cells their share, and where the shares of the others begin.
        lows: Vec<[u32; 2]>,
        /// For each number of lower cells and each set of the others, their share.
        highs: Vec<u32>,
    },
}

impl Sets {
    /// The lower cells.
    const LOW: u32 = 13;

    fn new<C: Cells>(cells: usize, ranking: Option<&Ranking>) -> Self {
        // The cells of a set contribute to its number from the lowest on, so that the number of a
        // part of it is a share.
        let number =
            |mask: u64| ranking.map_or(0, |ranking| (ranking.set(mask) * ranking.orders()) as u32);
        let tiles = ranking.map_or(0, Ranking::tiles) as u32;
        let cells = cells as u32;
        if C::MOST <= 16 {
            let whole = |mask: u64| if mask.count_ones() == tiles { number(mask) } else { 0 };
            return Self::Whole((0..1 << cells).map(whole).collect());
        }
        let low = Self::LOW.min(cells);
        let high = cells - low;
        let lows = |mask: u64| match mask.count_ones() {
            count if count <= tiles => [number(mask), count << high],
            _ => [0, 0],
        };
        // The lowest cells of all contribute nothing.
        let highs = (0..=tiles).flat_map(|count| {
            (0..1_u64 << high).map(move |mask| (count, mask)).map(|(count, mask)| {
                let is_possible = count + mask.count_ones() <= tiles && count <= low;
                if is_possible { number(((1 << count) - 1) | mask << low) } else { 0 }
            })
        });
        Self::Shares { highs: highs.collect(), lows: (0..1 << low).map(lows).collect() }
    }

    #[inline]
    fn first<C: Cells>(&self, set: C::Set) -> u32 {
        let set: u32 = set.into();
        match self {
            Self::Whole(first) => first[set as usize],
            Self::Shares { lows, highs } => {
                let [share, begin] = lows[(set & ((1 << Self::LOW) - 1)) as usize];
                share + highs[(begin + (set >> Self::LOW)) as usize]
            }
        }
    }
}

/// Numbers of tiles: a power of two that is more than the cells.
const NUMBERS: usize = 32;

/// A move, and what it does to the indices.
#[derive(Clone, Copy, Debug)]
struct Turn<C: Cells> {
    lane: Lane,
    /// The two cells, as sets, on each side.
    cells: [C::Set; 2],
    passes: [Pass; PASSES],
}

/// A cell that the moving tile passes on one side.
#[derive(Clone, Copy, Debug)]
struct Pass {
    /// The place on the board of the tile that is passed.
    place: u8,
    side: u8,
    /// Where the shifts for this side and this direction begin.
    shifts: u16,
}

/// The shifts for each pair of tiles: on each side, for a tile that goes to a higher cell and for
/// one that goes to a lower; and at last none at all.
#[derive(Debug)]
struct Shifts(Vec<i16>);

impl Shifts {
    const NONE: u16 = (4 * NUMBERS * NUMBERS) as u16;

    const fn begin(side: usize, goes_up: bool) -> u16 {
        ((2 * side + goes_up as usize) * NUMBERS * NUMBERS) as u16
    }

    #[inline]
    fn of(&self, begin: u16, tile: usize, passed: usize) -> i16 {
        self.0[usize::from(begin) + (tile * NUMBERS + passed)]
    }
}

impl<C: Cells> Prepared<C> {
    /// The databases for a board, unless there are too many of them.
    pub(crate) fn new(patterns: &taquin_tables::Patterns, lanes: &[Vec<Lane>]) -> Option<Self> {
        let homes = patterns.goal().positions();
        let cells = homes.len();
        let mut sets: Vec<(usize, Arc<Sets>)> = Vec::new();
        let sides = patterns.sides();
        let mut tables = Vec::new();
        let mut table_of = [[0; NUMBERS]; 2];
        for (at, side) in sides.iter().enumerate() {
            let first = tables.len();
            for database in side.databases() {
                let ranking = database.pattern().ranking();
                let known = sets.iter().find(|known| known.0 == ranking.tiles());
                let of_tiles = match known {
                    Some(known) => Arc::clone(&known.1),
                    None => Arc::new(Sets::new::<C>(cells, Some(ranking))),
                };
                sets.push((ranking.tiles(), Arc::clone(&of_tiles)));
                tables.push(Table::new(Some(database), at, ranking.tiles(), of_tiles));
            }
            if (1..).zip(&homes[1..]).any(|(tile, _)| side.slot(tile).is_none()) {
                tables.push(Table::new(None, at, 0, Arc::new(Sets::new::<C>(cells, None))));
            }
            for (tile, &home) in (0..).zip(&homes).skip(1) {
                let table = match side.slot(tile) {
                    Some((number, place)) => {
                        let table = first + usize::from(number);
                        tables[table].tiles[usize::from(place)] = home as u8;
                        table
                    }
                    None => tables.len() - 1,
                };
                table_of[at][usize::from(home)] = table as u8;
            }
        }
        let most_tiles = tables.iter().map(|table| table.tiles.len()).max()?;
        if tables.len() > TABLES || most_tiles > 8 {
            return None;
        }
        let mut turns = Vec::new();
        let mut most_passes = 0;
        for lanes in lanes {
            let mut of_state = Vec::new();
            for &lane in lanes {
                let (turn, passes) = Turn::new(lane, sides)?;
                most_passes = most_passes.max(passes);
                of_state.push(turn);
            }
            turns.push(of_state);
        }
        Some(Self {
            turns,
            sides: sides.len(),
            shifts: Shifts::new(&tables),
            tables,
            table_of,
            passes: most_passes,
        })
    }
}

impl Table {
    fn new(database: Option<&Arc<Database>>, side: usize, tiles: usize, sets: Arc<Sets>) -> Self {
        Self { database: database.cloned(), side, tiles: vec![0; tiles], sets }
    }
}

impl<C: Cells> Turn<C> {
    /// A move, and the number of cells that it passes, unless they are too many.
    fn new(lane: Lane, sides: &[Side]) -> Option<(Self, usize)> {
        let cell = |place: u8| usize::from(place / C::place(1));
        let (from, to) = (cell(lane.from), cell(lane.to));
        let mut passes = [Pass { place: 0, side: 0, shifts: Shifts::NONE }; PASSES];
        let mut count = 0;
        let mut cells = [C::Set::default(); 2];
        for (at, side) in sides.iter().enumerate() {
            let (a, b) = (side.cells()[from], side.cells()[to]);
            cells[at] = C::set(1 << a | 1 << b);
            for between in a.min(b) + 1..a.max(b) {
                let cell = side.cells().iter().position(|&cell| cell == between)?;
                *passes.get_mut(count)? = Pass {
                    place: C::place(cell as u8),
                    side: at as u8,
                    shifts: Shifts::begin(at, a < b),
                };
                count += 1;
            }
        }
        Some((Self { lane, cells, passes }, count))
    }
}

impl Shifts {
    fn new(tables: &[Table]) -> Self {
        let mut shifts = vec![0; 5 * NUMBERS * NUMBERS];
        for table in tables {
            for (place, &tile) in table.tiles.iter().enumerate() {
                for (other, &passed) in table.tiles.iter().enumerate() {
                    // The digit of the earlier of the two counts the later if it is on a lower cell.
                    let weight =
                        (1..table.tiles.len() - place.min(other)).product::<usize>() as i16;
                    let shift = match place.cmp(&other) {
                        std::cmp::Ordering::Less => weight,
                        std::cmp::Ordering::Equal => continue,
                        std::cmp::Ordering::Greater => -weight,
                    };
                    let pair = usize::from(tile) * NUMBERS + usize::from(passed);
                    shifts[usize::from(Self::begin(table.side, true)) + pair] = shift;
                    shifts[usize::from(Self::begin(table.side, false)) + pair] = -shift;
                }
            }
        }
        Self(shifts)
    }
}

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
    #[inline]
    fn get(self, index: u32) -> u8 {
        self.bytes[(index >> self.halves) as usize] >> (4 * (index & self.halves)) & self.mask
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<C: Cells> {
    board: C,
    /// For each table the set of cells that its tiles occupy.
    sets: [C::Set; TABLES],
    /// For each table the number of the order of its tiles.
    orders: [u16; TABLES],
    /// For each table the entry.
    entries: [u8; TABLES],
    /// For each side the sum of the entries.
    sums: [u8; 2],
    manhattan: u8,
    state: u16,
}

/// What a move changes on one side.
#[derive(Clone, Copy, Default)]
struct Change<C: Cells> {
    /// Where the entry is.
    index: u32,
    set: C::Set,
    order: u16,
    table: u8,
}

/// A child that is not made yet: most are not worth it.
#[derive(Clone, Copy)]
struct Step<C: Cells> {
    changes: [Change<C>; 2],
    /// The place of the parent in its layer.
    parent: u32,
    /// The place of the move among the parent's.
    turn: u16,
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
            sets: [C::Set::default(); TABLES],
            orders: [0; TABLES],
            entries: [0; TABLES],
            sums: [0; 2],
            manhattan: manhattan(start, homes),
            state,
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
            root.sets[at] = C::set(places.iter().fold(0, |set, &cell| set | 1 << cell));
            root.orders[at] = (index - table.sets.first::<C>(root.sets[at])) as u16;
            root.entries[at] = entries[at].get(index);
            root.sums[table.side] += root.entries[at];
        }
        Self { prepared, entries, root }
    }

    /// What a move changes, and the distance after it.
    #[inline]
    fn change<const SIDES: usize>(&self, node: &Node<C>, turn: &Turn<C>) -> ([Change<C>; 2], u8) {
        let Prepared { tables, table_of, shifts, passes, .. } = self.prepared;
        let tile = node.board.tile(turn.lane.from);
        let manhattan = match turn.lane.is_closer(tile) {
            true => node.manhattan - 1,
            false => node.manhattan + 1,
        };
        let mut shift = [0; 2];
        for pass in &turn.passes[..*passes] {
            let passed = node.board.tile(pass.place);
            shift[usize::from(pass.side & 1)] += shifts.of(pass.shifts, tile, passed);
        }
        let mut changes = [Change::default(); 2];
        for side in 0..SIDES {
            let at = table_of[side][tile % NUMBERS];
            let table = usize::from(at) % TABLES;
            let mut set = node.sets[table];
            set ^= turn.cells[side];
            let order = node.orders[table].wrapping_add_signed(shift[side]);
            let index = tables[table].sets.first::<C>(set) + u32::from(order);
            changes[side] = Change { index, set, order, table: at };
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

    /// The sums after some changes.
    #[inline]
    fn sums<const SIDES: usize>(
        node: &Node<C>,
        changes: &[Change<C>; 2],
        entries: [u8; 2],
    ) -> [u8; 2] {
        let mut sums = [0; 2];
        for side in 0..SIDES {
            let table = usize::from(changes[side].table) % TABLES;
            sums[side] = node.sums[side] + entries[side] - node.entries[table];
        }
        sums
    }

    /// The node after a move.
    #[inline]
    fn child<const SIDES: usize>(
        node: &Node<C>,
        turn: &Turn<C>,
        (changes, manhattan): (&[Change<C>; 2], u8),
        entries: [u8; 2],
    ) -> Node<C> {
        let mut child = *node;
        child.board.slide(turn.lane.from, turn.lane.to);
        child.state = turn.lane.next;
        child.manhattan = manhattan;
        child.sums = Self::sums::<SIDES>(node, changes, entries);
        for side in 0..SIDES {
            let Change { set, order, table, .. } = changes[side];
            let table = usize::from(table) % TABLES;
            child.sets[table] = set;
            child.orders[table] = order;
            child.entries[table] = entries[side];
        }
        child
    }

    /// Goes from a layer at some depth to the next, and counts what is generated. The least f that is
    /// above the bound is lowered.
    fn advance<const SIDES: usize>(
        &self,
        bench: &mut Bench<C>,
        (depth, bound): (Cost, Cost),
        least_above: &mut Cost,
    ) -> u64 {
        let Bench { layer, next, steps, kept, .. } = bench;
        // Once it is known that the next threshold is the least possible, nothing need be looked
        // up for a child whose Manhattan distance alone is too much.
        let most = match *least_above == bound + 2 {
            true => bound - depth,
            false => Cost::MAX,
        };
        let mut generated = 0;
        steps.clear();
        for (parent, node) in (0..).zip(layer.iter()) {
            let turns = &self.prepared.turns[usize::from(node.state)];
            generated += turns.len() as u64;
            for (number, turn) in (0..).zip(turns) {
                let (changes, manhattan) = self.change::<SIDES>(node, turn);
                if Cost::from(manhattan) <= most {
                    steps.push(Step { changes, parent, turn: number, manhattan });
                }
            }
        }

        // A place is written in any case, and the next one over it unless it is kept, so that no
        // wrong guess of the processor ends the reading ahead.
        kept.clear();
        kept.resize(steps.len(), (0, [0; 2]));
        let mut count = 0;
        let mut least = *least_above;
        for (at, step) in (0..).zip(steps.iter()) {
            let entries = self.entries::<SIDES>(&step.changes);
            let sums = Self::sums::<SIDES>(&layer[step.parent as usize], &step.changes, entries);
            let f = depth + estimate(step.manhattan, sums);
            let is_kept = f <= bound;
            kept[count] = (at, entries);
            count += usize::from(is_kept);
            least = least.min(if is_kept { Cost::MAX } else { f });
        }
        *least_above = least;

        next.clear();
        next.extend(kept[..count].iter().map(|&(at, entries): &(u32, [u8; 2])| {
            let Step { changes, parent, turn, manhattan } = &steps[at as usize];
            let node = &layer[*parent as usize];
            let turn = &self.prepared.turns[usize::from(node.state)][usize::from(*turn)];
            Self::child::<SIDES>(node, turn, (changes, *manhattan), entries)
        }));
        std::mem::swap(layer, next);
        generated
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

/// The layers of a sweep.
#[derive(Default)]
pub(crate) struct Bench<C: Cells> {
    layer: Vec<Node<C>>,
    next: Vec<Node<C>>,
    steps: Vec<Step<C>>,
    /// The steps that are worth a node, and the entries after them.
    kept: Vec<(u32, [u8; 2])>,
    /// Halves of layers that were put aside, each with its depth.
    halves: Vec<(Cost, Vec<Node<C>>)>,
}

impl<C: Cells> Engine for Patterns<'_, C> {
    type Node = Node<C>;
    type Bench = Bench<C>;

    const SMALL: u64 = 1 << 8;
    const PART: u64 = 1 << 12;
    const SUBTREES: usize = 4;

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
        for turn in &self.prepared.turns[usize::from(node.state)] {
            let child = match self.prepared.sides {
                1 => {
                    let (changes, manhattan) = self.change::<1>(node, turn);
                    let entries = self.entries::<1>(&changes);
                    Self::child::<1>(node, turn, (&changes, manhattan), entries)
                }
                _ => {
                    let (changes, manhattan) = self.change::<2>(node, turn);
                    let entries = self.entries::<2>(&changes);
                    Self::child::<2>(node, turn, (&changes, manhattan), entries)
                }
            };
            successors.push((turn.lane.action, child));
        }
    }

    fn sweep(
        &self,
        roots: &[Node<C>],
        depth: Cost,
        ticket: &Ticket<'_>,
        bench: &mut Bench<C>,
    ) -> Tally {
        bench.layer.clear();
        bench.halves.clear();
        bench.layer.extend_from_slice(roots);
        let mut depth = depth;
        let mut tally = Tally::default();
        let mut polled = Tally::default();
        let mut least_above = Cost::MAX;
        loop {
            if bench.layer.is_empty() {
                let Some((resumed, half)) = bench.halves.pop() else { break };
                depth = resumed;
                bench.layer = half;
            }
            if depth == ticket.bound {
                tally.end = Some(Early::Goal);
                break;
            }
            if bench.layer.len() > WIDEST {
                let half = bench.layer.split_off(bench.layer.len() / 2);
                bench.halves.push((depth, half));
            }
            tally.deepest = tally.deepest.max(depth.into());
            tally.expanded += bench.layer.len() as u64;
            depth += 1;
            let bounds = (depth, ticket.bound);
            tally.generated += match self.prepared.sides {
                1 => self.advance::<1>(bench, bounds, &mut least_above),
                _ => self.advance::<2>(bench, bounds, &mut least_above),
            };

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
        if least_above < Cost::MAX {
            tally.least_above = Some(least_above);
        }
        ticket.poll(
            tally.expanded - polled.expanded,
            tally.generated - polled.generated,
            depth.into(),
        );
        tally
    }

    fn bytes(bench: &Bench<C>) -> usize {
        (bench.layer.capacity() + bench.next.capacity()) * size_of::<Node<C>>()
            + bench.steps.capacity() * size_of::<Step<C>>()
            + bench.kept.capacity() * size_of::<(u32, [u8; 2])>()
    }
}
