//! Tables for following the bits of zero-aware pattern databases, shared by all searches.
//!
//! As with [other databases](crate::ida::pattern_steps), every node keeps the set of occupied cells
//! and the tiles' order for each table. The set and the blank's cell give the class, which is the
//! blank's region. Its number is looked up in two steps, since only few maps from the blank's cell
//! to the region differ.

use std::sync::Arc;

use taquin_tables::{Database, PatternSide, Patterns, RegionMap, Regions, ZeroAware};
use taquin_tiles::Cell;

use crate::ida::board::{Bytes, Lane, PackedBoard as _};
use crate::ida::moves::{LANES, LaneMove, Moves, for_lanes};
use crate::ida::pattern_steps::NUMBERS;

/// The most patterns in a partition.
pub(crate) const PATTERNS: usize = 4;

/// The most sides: partitions and their mirror images.
pub(crate) const SIDES: usize = 6;

/// The number of cells that a move can pass.
const PASSES: usize = 4;

/// The number of cells whose share of a set's number is looked up together.
const LOW: u32 = 13;

/// The bits for a class in the facts about a set. The number of its map follows.
const CLASS_BITS: u32 = 20;

/// The moves of the blank with their effects on the indices.
#[derive(Debug)]
pub(crate) struct ZeroSteps {
    pub(crate) moves: Moves,
    /// The effect of each lane.
    steps: Box<[ZeroStep; LANES]>,
    /// The sides: first each partition, then its mirror image, if there is one.
    pub(crate) sides: Vec<ZeroSide>,
    /// For each set of lower cells, its share and where the shares of the other cells begin.
    lows: Vec<[u32; 2]>,
    /// The share of each set of higher cells, for each number of lower cells.
    highs: Vec<u32>,
    /// For each set its first class and the number of its map.
    facts: Vec<u32>,
    maps: Vec<RegionMap>,
}

/// A partition, or its mirror image.
#[derive(Debug)]
pub(crate) struct ZeroSide {
    /// 0 for the board itself, and 1 for its mirror image.
    mirrored: u8,
    /// The table cell for each board cell.
    pub(crate) cells: Vec<u8>,
    pub(crate) databases: Vec<Arc<Database<ZeroAware>>>,
    /// The tiles of each pattern in order, by their numbers on a packed board.
    pub(crate) tiles: Vec<Vec<u8>>,
    /// The pattern of each tile.
    table_of: [u8; NUMBERS],
    /// Where each pattern's sets begin.
    begins: [u32; PATTERNS],
    /// The bits per class for each pattern.
    blocks: [u32; PATTERNS],
    /// How an order's number changes when one tile passes another: for a tile that moves to a lower
    /// cell and for one that moves to a higher cell.
    shifts: Box<[[[i16; NUMBERS]; NUMBERS]; 2]>,
}

/// A step of the blank and its effect on the indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZeroStep {
    pub(crate) lane: Lane,
    /// The two cells as a set, on the board and its mirror image.
    cells: [u32; 2],
    /// The places of the passed cells, padded with the moving tile's own place, which changes
    /// nothing.
    passes: [[u8; PASSES]; 2],
    /// 1 if the tile moves to a higher cell.
    up: [u8; 2],
    /// The cell of the blank after the move.
    blank: [u8; 2],
}

/// The places in the tables of one side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ZeroSpots {
    /// The cells of each pattern's tiles.
    pub(crate) sets: [u32; PATTERNS],
    /// The bit of their order.
    pub(crate) orders: [u16; PATTERNS],
    pub(crate) values: [u8; PATTERNS],
}

/// The effect of a move on one side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ZeroChange {
    /// The bit of the new entry.
    pub(crate) index: u32,
    pub(crate) set: u32,
    pub(crate) order: u16,
    pub(crate) table: u8,
}

impl ZeroSteps {
    /// Prepares databases. Returns `None` if there are too many or too large ones, or if a tile is
    /// in no pattern of a partition.
    pub(crate) fn new(partitions: &[Arc<Patterns<ZeroAware>>], moves: Moves) -> Option<Self> {
        let homes = partitions.first()?.goal().positions();
        let plain = partitions.first()?.sides().first()?.cells();
        let mirrored = partitions.iter().find_map(|partition| partition.sides().get(1));
        let cells = [plain, mirrored.map_or(plain, PatternSide::cells)];
        let each = moves.lanes.iter().map(|&lane| ZeroStep::new(lane, cells));
        let mut steps = Self {
            steps: for_lanes(each.collect::<Option<_>>()?)?,
            moves,
            sides: Vec::new(),
            lows: Vec::new(),
            highs: Vec::new(),
            facts: Vec::new(),
            maps: Vec::new(),
        };
        let mut known: Vec<(usize, u32)> = Vec::new();
        for partition in partitions {
            for (mirrored, side) in (0_u8..).zip(partition.sides()) {
                let mut new = ZeroSide::new(side, mirrored, &homes)?;
                for (table, database) in new.databases.iter().enumerate() {
                    let regions = database.encoding().regions();
                    let tiles = regions.ranking().tiles();
                    let begin = known.iter().find(|(known, _)| *known == tiles);
                    new.begins[table] = match begin {
                        Some(&(_, begin)) => begin,
                        None => steps.add_sets(regions)?,
                    };
                    known.push((tiles, new.begins[table]));
                    new.blocks[table] = ZeroAware::block_bits(tiles) as u32;
                    u32::try_from(8 * database.entries().len() as u64).ok()?;
                }
                new.shifts = Box::new(new.make_shifts());
                steps.sides.push(new);
            }
        }
        (steps.sides.len() <= SIDES).then_some(steps)
    }

    /// Returns the bytes of the databases.
    pub(crate) fn database_bytes(&self) -> usize {
        // A mirror image looks up the same databases.
        let sides = self.sides.iter().filter(|side| side.mirrored == 0);
        sides.flat_map(|side| &side.databases).map(|database| database.entries().len()).sum()
    }

    /// Adds the sets with some number of tiles, and returns where they begin.
    fn add_sets(&mut self, regions: &Regions) -> Option<u32> {
        let (ranking, cells) = (regions.ranking(), regions.ranking().cells() as u32);
        let tiles = ranking.tiles() as u32;
        let (first, begin) = (self.lows.len() as u32, self.highs.len() as u32);
        let facts = self.facts.len() as u32;
        let low = LOW.min(cells);
        let high = cells - low;
        // A set's cells contribute to its number from the lowest on, so the lower cells' number is
        // a share.
        self.lows.extend((0..1_u64 << low).map(|mask| match mask.count_ones() {
            count if count <= tiles => [facts + ranking.set(mask) as u32, begin + (count << high)],
            _ => [facts, begin],
        }));
        for count in 0..=tiles {
            self.highs.extend((0..1_u64 << high).map(|mask| {
                // The lowest cells of all contribute nothing.
                let is_possible = count + mask.count_ones() <= tiles && count <= low;
                if is_possible { ranking.set(((1 << count) - 1) | mask << low) as u32 } else { 0 }
            }));
        }
        let map = self.maps.len() as u32;
        self.maps.extend_from_slice(regions.maps());
        if self.maps.len() > 1 << (32 - CLASS_BITS) || regions.classes() > 1 << CLASS_BITS {
            return None;
        }
        self.facts.extend((0..ranking.sets()).map(|set| {
            let (class, number) = regions.set(set);
            class | (map + u32::from(number)) << CLASS_BITS
        }));
        Some(first)
    }

    /// Returns the effect of a move.
    #[inline]
    pub(crate) fn step(&self, lane_move: LaneMove) -> &ZeroStep {
        &self.steps[lane_move.lane()]
    }

    /// Returns the bytes that it takes, the databases excluded.
    pub(crate) fn bytes(&self) -> usize {
        let Self { lows, highs, facts, maps, .. } = self;
        let sets = size_of_val(&lows[..]) + size_of_val(&highs[..]) + size_of_val(&facts[..]);
        self.moves.bytes() + sets + size_of_val(&maps[..])
    }

    /// Returns the bit of a class and an order.
    #[inline]
    fn index(&self, side: &ZeroSide, table: usize, set: u32, order: u16, blank: u8) -> u32 {
        let low = side.begins[table] + (set & ((1 << LOW) - 1));
        let [share, begin] = self.lows[low as usize];
        let number = share + self.highs[(begin + (set >> LOW)) as usize];
        let fact = self.facts[number as usize];
        let region = self.maps[(fact >> CLASS_BITS) as usize][usize::from(blank) % 32];
        let class = (fact & ((1 << CLASS_BITS) - 1)) + u32::from(region);
        class * side.blocks[table] + u32::from(order)
    }

    /// Returns how a move by `tile` changes one side, given the place in each of its tables.
    #[expect(clippy::inline_always, reason = "it is most of the work for a node")]
    #[inline(always)]
    pub(crate) fn change(
        &self,
        side: &ZeroSide,
        spots: &ZeroSpots,
        board: &Bytes,
        (step, tile): (&ZeroStep, usize),
    ) -> ZeroChange {
        let mirrored = usize::from(side.mirrored) % 2;
        let at = side.table_of[tile % NUMBERS];
        let table = usize::from(at) % PATTERNS;
        let set = spots.sets[table] ^ step.cells[mirrored];
        let shifts = &side.shifts[usize::from(step.up[mirrored]) % 2][tile % NUMBERS];
        let passed = step.passes[mirrored].iter().map(|&place| board.tile(place));
        let shift = passed.map(|passed| shifts[passed % NUMBERS]).sum();
        let order = spots.orders[table].wrapping_add_signed(shift);
        let index = self.index(side, table, set, order, step.blank[mirrored]);
        ZeroChange { index, set, order, table: at }
    }
}

impl ZeroSide {
    fn new(side: &PatternSide<ZeroAware>, mirrored: u8, homes: &[Cell]) -> Option<Self> {
        let databases = side.databases().to_vec();
        let tiles_of = |database: &Arc<Database<ZeroAware>>| database.pattern().ranking().tiles();
        let mut new = Self {
            mirrored,
            cells: side.cells().to_vec(),
            tiles: databases.iter().map(|database| vec![0; tiles_of(database)]).collect(),
            databases,
            table_of: [0; NUMBERS],
            begins: [0; PATTERNS],
            blocks: [0; PATTERNS],
            shifts: Box::new([[[0; NUMBERS]; NUMBERS]; 2]),
        };
        if new.databases.len() > PATTERNS || new.tiles.iter().any(|tiles| tiles.len() > 8) {
            return None;
        }
        for (tile, &home) in (0..).zip(homes).skip(1) {
            let (table, place) = side.slot(tile)?;
            new.table_of[usize::from(home)] = table;
            new.tiles[usize::from(table)][usize::from(place)] = home as u8;
        }
        Some(new)
    }

    /// Returns a table's set, order and value, given each tile's cell by its number on a packed
    /// board.
    pub(crate) fn spot(&self, table: usize, cell_of: &[u8], blank: u8) -> (u32, u16, u8) {
        let cells: Vec<u8> = self.tiles[table]
            .iter()
            .map(|&tile| self.cells[usize::from(cell_of[usize::from(tile)])])
            .collect();
        let database = &self.databases[table];
        let ranking = database.pattern().ranking();
        let order = ZeroAware::order_bit(ranking.rank(&cells) % ranking.orders(), cells.len());
        let set = cells.iter().fold(0, |set, &cell| set | 1 << cell);
        let value = database.value(&cells, self.cells[usize::from(blank)]) as u8;
        (set, order as u16, value)
    }

    fn make_shifts(&self) -> [[[i16; NUMBERS]; NUMBERS]; 2] {
        let mut shifts = [[[0; NUMBERS]; NUMBERS]; 2];
        for tiles in &self.tiles {
            for (place, &tile) in tiles.iter().enumerate() {
                for (other, &passed) in tiles.iter().enumerate().filter(|(at, _)| *at != place) {
                    // The earlier tile's digit counts the later tile if that is on a lower cell.
                    let order = (1..tiles.len() - place.min(other)).product();
                    let weight = ZeroAware::order_bit(order, tiles.len()) as i16;
                    let shift = if place < other { weight } else { -weight };
                    shifts[1][usize::from(tile)][usize::from(passed)] = shift;
                    shifts[0][usize::from(tile)][usize::from(passed)] = -shift;
                }
            }
        }
        shifts
    }
}

impl ZeroStep {
    /// Returns a move, unless it passes too many cells.
    fn new(lane: Lane, cells: [&[u8]; 2]) -> Option<Self> {
        let mut step = Self {
            lane,
            cells: [0; 2],
            passes: [[lane.from; PASSES]; 2],
            up: [0; 2],
            blank: [0; 2],
        };
        for (at, cells) in cells.into_iter().enumerate() {
            let (a, b) = (cells[usize::from(lane.from)], cells[usize::from(lane.to)]);
            step.cells[at] = 1 << a | 1 << b;
            step.up[at] = u8::from(a < b);
            step.blank[at] = a;
            for (count, between) in (a.min(b) + 1..a.max(b)).enumerate() {
                let cell = cells.iter().position(|&cell| cell == between)?;
                *step.passes[at].get_mut(count)? = Bytes::place(cell as u8);
            }
        }
        Some(step)
    }
}
