//! Tables for stepping from one index of a pattern database to the next, shared by all searches.
//!
//! For each table, a node keeps the two parts of its [index](taquin_tables::Ranking): the set of
//! occupied cells and the tiles' order. A move changes two cells in the set, and changes the order
//! only if tiles in the same pattern are between the two cells: the moving tile passes them.

use std::cmp::Ordering;
use std::sync::Arc;

use taquin_tables::{Database, PatternSide, Ranking};

use crate::ida::board::{Lane, PackedBoard};
use crate::ida::moves::{LANES, LaneMove, Moves, for_lanes};

/// The greatest number of tables on both sides, including one for tiles in no pattern.
pub(crate) const TABLES: usize = 8;

/// The greatest number of cells that a move can pass.
pub(crate) const PASSES: usize = 11;

/// How many tile numbers the tables have room for: a power of two greater than the number of cells.
pub(crate) const NUMBERS: usize = 32;

/// The moves of the blank with their effects on the indices.
#[derive(Debug)]
pub(crate) struct PatternSteps<C: PackedBoard> {
    pub(crate) moves: Moves,
    /// The effect of each lane.
    steps: Box<[PatternStep<C>; LANES]>,
    pub(crate) sides: usize,
    pub(crate) tables: Vec<StepTable>,
    /// The table of each tile on each side.
    pub(crate) table_of: [[u8; NUMBERS]; 2],
    pub(crate) sets: Sets,
    shifts: Shifts,
    /// The greatest number of cells that a move passes, and whether it passes cells on one side
    /// only.
    pub(crate) passes: (usize, bool),
}

/// The table of one pattern on one side.
#[derive(Debug)]
pub(crate) struct StepTable {
    /// `None` for the tiles in no pattern.
    pub(crate) database: Option<Arc<Database>>,
    pub(crate) side: usize,
    /// The tiles of the pattern in order, by their numbers on a packed board.
    pub(crate) tiles: Vec<u8>,
}

/// A move and its effect on the indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternStep<C: PackedBoard> {
    pub(crate) lane: Lane,
    /// The two cells as a set, on each side.
    pub(crate) cells: [C::Set; 2],
    /// The places of the passed cells on each side, padded with the moving tile's own place, which
    /// changes nothing.
    passes: [[u8; PASSES]; 2],
    /// The number of the [`Shifts`] for each side and this direction.
    shifts: [u8; 2],
    /// The side on which cells are passed, if it is only one.
    side: u8,
}

impl<C: PackedBoard> PatternSteps<C> {
    /// Prepares databases, unless there are too many of them.
    pub(crate) fn new(patterns: &taquin_tables::Patterns, moves: Moves) -> Option<Self> {
        let homes = patterns.goal().positions();
        let sides = patterns.sides();
        let mut tables = Vec::new();
        let mut table_of = [[0; NUMBERS]; 2];
        for (at, side) in sides.iter().enumerate() {
            let first = tables.len();
            for database in side.databases() {
                tables.push(StepTable::new(Some(database), at));
            }
            if (1..).zip(&homes[1..]).any(|(tile, _)| side.slot(tile).is_none()) {
                tables.push(StepTable::new(None, at));
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
        let (mut most, mut on_one_side) = (0, true);
        let mut steps = Vec::new();
        for &lane in &moves.lanes {
            let (step, passes) = PatternStep::new(lane, sides)?;
            steps.push(step);
            most = passes.into_iter().fold(most, usize::max);
            on_one_side = on_one_side && passes.contains(&0);
        }
        Some(Self {
            moves,
            steps: for_lanes(steps)?,
            sides: sides.len(),
            sets: Sets::new::<C>(homes.len(), &tables),
            shifts: Shifts::new(&tables),
            tables,
            table_of,
            passes: (most, on_one_side),
        })
    }

    /// Returns the effect of a move.
    #[inline]
    pub(crate) fn step(&self, lane_move: LaneMove) -> &PatternStep<C> {
        &self.steps[lane_move.lane()]
    }

    /// Returns the bytes that it takes, the databases excluded.
    pub(crate) fn bytes(&self) -> usize {
        let Sets { lows, numbers, .. } = &self.sets;
        self.moves.bytes() + size_of_val(&lows[..]) + size_of_val(&numbers[..])
    }

    /// Returns by how much a move changes the number of the order on each side. If no move passes
    /// cells on both sides, only one side is looked at.
    #[expect(clippy::inline_always, reason = "it is part of the work for each node")]
    #[inline(always)]
    pub(crate) fn shifts<const PASSES: usize, const ON_ONE_SIDE: bool>(
        &self,
        step: &PatternStep<C>,
        board: &C,
        tile: usize,
    ) -> [i16; 2] {
        let on = |side: usize| -> i16 {
            let shifts = &self.shifts.0[usize::from(step.shifts[side]) % 4][tile % NUMBERS];
            let passed = step.passes[side][..PASSES].iter().map(|&place| board.tile(place));
            passed.map(|passed| shifts[passed % NUMBERS]).sum()
        };
        if !ON_ONE_SIDE {
            return [on(0), on(1)];
        }
        let shift = on(usize::from(step.side) % 2);
        // All bits or none.
        let second = -i16::from(step.side);
        [shift & !second, shift & second]
    }
}

impl StepTable {
    fn new(database: Option<&Arc<Database>>, side: usize) -> Self {
        let tiles = database.map_or(0, |database| database.pattern().ranking().tiles());
        Self { database: database.cloned(), side, tiles: vec![0; tiles] }
    }
}

impl<C: PackedBoard> PatternStep<C> {
    /// Returns a move and the number of cells that it passes on each side, unless they are too
    /// many.
    fn new(lane: Lane, sides: &[PatternSide]) -> Option<(Self, [usize; 2])> {
        let cell = |place: u8| usize::from(place / C::place(1));
        let (from, to) = (cell(lane.from), cell(lane.to));
        let mut step = Self {
            lane,
            cells: [C::Set::default(); 2],
            passes: [[lane.from; PASSES]; 2],
            shifts: [0; 2],
            side: 0,
        };
        let mut counts = [0; 2];
        for (at, side) in sides.iter().enumerate() {
            let (a, b) = (side.cells()[from], side.cells()[to]);
            step.cells[at] = C::set(1 << a | 1 << b);
            step.shifts[at] = Shifts::number(at, a < b);
            for between in a.min(b) + 1..a.max(b) {
                let cell = side.cells().iter().position(|&cell| cell == between)?;
                *step.passes[at].get_mut(counts[at])? = C::place(cell as u8);
                counts[at] += 1;
                step.side = at as u8;
            }
        }
        Some((step, counts))
    }
}

/// How an order's number changes when one tile passes another: on each side, for a tile that moves
/// to a higher cell and for one that moves to a lower cell.
#[derive(Debug)]
struct Shifts(Box<[[[i16; NUMBERS]; NUMBERS]; 4]>);

impl Shifts {
    const fn number(side: usize, goes_up: bool) -> u8 {
        (2 * side + goes_up as usize) as u8
    }

    fn new(tables: &[StepTable]) -> Self {
        let mut shifts = Box::new([[[0; NUMBERS]; NUMBERS]; 4]);
        for table in tables {
            for (place, &tile) in table.tiles.iter().enumerate() {
                for (other, &passed) in table.tiles.iter().enumerate() {
                    // The earlier tile's digit counts the later tile if that is on a lower cell.
                    let weight =
                        (1..table.tiles.len() - place.min(other)).product::<usize>() as i16;
                    let shift = match place.cmp(&other) {
                        Ordering::Less => weight,
                        Ordering::Equal => continue,
                        Ordering::Greater => -weight,
                    };
                    for (goes_up, shift) in [(true, shift), (false, -shift)] {
                        let of_side = &mut shifts[usize::from(Self::number(table.side, goes_up))];
                        of_side[usize::from(tile)][usize::from(passed)] = shift;
                    }
                }
            }
        }
        Self(shifts)
    }
}

/// The first placement's index for each table and each set of occupied cells.
///
/// On boards with at most 16 cells each set has a number. On larger boards that would be too many,
/// and the index is the sum of two shares.
#[derive(Debug)]
pub(crate) struct Sets {
    /// The beginning of each table: in `lows` on larger boards, otherwise in `numbers`.
    begins: [u32; TABLES],
    /// For each set of lower cells, its share and where the shares of the other cells begin.
    lows: Vec<[u32; 2]>,
    /// For each set its number, or the share of each set of higher cells, for each number of lower
    /// cells.
    numbers: Vec<u32>,
}

impl Sets {
    /// The number of lower cells.
    const LOW: u32 = 13;

    fn new<C: PackedBoard>(cells: usize, tables: &[StepTable]) -> Self {
        let mut sets = Self { begins: [0; TABLES], lows: Vec::new(), numbers: Vec::new() };
        for (at, table) in tables.iter().enumerate() {
            let known =
                tables[..at].iter().position(|other| other.tiles.len() == table.tiles.len());
            sets.begins[at] = match (known, &table.database) {
                (Some(known), _) => sets.begins[known],
                (None, Some(database)) => sets.add::<C>(cells, Some(database.pattern().ranking())),
                (None, None) => sets.add::<C>(cells, None),
            };
        }
        sets
    }

    /// Adds a numbering's sets, and returns where they begin.
    fn add<C: PackedBoard>(&mut self, cells: usize, ranking: Option<&Ranking>) -> u32 {
        // A set's cells contribute to its number from the lowest on, so the lower cells' number is
        // a share.
        let number =
            |mask: u64| ranking.map_or(0, |ranking| (ranking.set(mask) * ranking.orders()) as u32);
        let tiles = ranking.map_or(0, Ranking::tiles) as u32;
        let cells = cells as u32;
        let begin = self.numbers.len() as u32;
        if C::MAX_CELLS <= 16 {
            let whole = |mask: u64| if mask.count_ones() == tiles { number(mask) } else { 0 };
            self.numbers.extend((0..1 << cells).map(whole));
            return begin;
        }
        let first = self.lows.len() as u32;
        let low = Self::LOW.min(cells);
        let high = cells - low;
        self.lows.extend((0..1_u64 << low).map(|mask| match mask.count_ones() {
            count if count <= tiles => [number(mask), begin + (count << high)],
            _ => [0, begin],
        }));
        for count in 0..=tiles {
            self.numbers.extend((0..1_u64 << high).map(|mask| {
                // The lowest cells of all contribute nothing.
                let is_possible = count + mask.count_ones() <= tiles && count <= low;
                if is_possible { number(((1 << count) - 1) | mask << low) } else { 0 }
            }));
        }
        first
    }

    #[inline]
    pub(crate) fn first<C: PackedBoard>(&self, table: usize, set: C::Set) -> u32 {
        let set: u32 = set.into();
        let begin = self.begins[table % TABLES];
        if C::MAX_CELLS <= 16 {
            return self.numbers[(begin + set) as usize];
        }
        let [share, begin] = self.lows[(begin + (set & ((1 << Self::LOW) - 1))) as usize];
        share + self.numbers[(begin + (set >> Self::LOW)) as usize]
    }
}
