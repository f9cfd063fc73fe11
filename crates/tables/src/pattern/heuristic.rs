//! Pattern databases as a heuristic.

use std::sync::Arc;

use taquin_search::{Cost, Heuristic, Incremental};
use taquin_tiles::packed::{Layout, Tiles};
use taquin_tiles::{Board, Cell, Slide, Tile};

use super::database::Database;
use super::symmetry::Reflection;
use super::{Pattern, PatternError, Shape};

/// The sum of the values of patterns without common tiles; tiles in none of them count with their
/// Manhattan distance. With a reflection, the greater of the sums for a state and its mirror image.
///
/// It counts moves, and is a lower bound wherever each costs at least one. It is not consistent: a
/// table holds the least over all places of the blank, and with the blank known to be elsewhere a
/// move can change the value by more than one. All of it is the Manhattan
/// distance and twice the entries, so a move costs two look-ups of distances and, on each side of the
/// mirror, one of an entry.
#[derive(Clone, Debug)]
pub struct Patterns {
    board: Board,
    /// For each tile and cell, at `tile * cells + cell`, the distance to the goal.
    distances: Vec<u16>,
    sides: Vec<PatternSide>,
}

/// The most patterns that are added up.
pub const MOST_PATTERNS: usize = 16;

/// Why some databases do not make a heuristic.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternsError {
    /// A tile is in two patterns.
    #[error("tile {0} is in two patterns: their values can't be added")]
    Overlap(Tile),
    /// More than [`MOST_PATTERNS`].
    #[error("{0} patterns are more than {MOST_PATTERNS}")]
    TooMany(usize),
    /// A database for another goal.
    #[error("the table is for {found}, the goal needs {wanted}")]
    Goal {
        /// What the table is about.
        found: Shape,
        /// What the goal needs.
        wanted: Shape,
    },
    /// A database for tiles that the goal does not have.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// What is looked up for a state or for its mirror image.
#[derive(Clone, Debug)]
pub struct PatternSide {
    databases: Vec<Arc<Database>>,
    /// For each database the tiles that stand for those of its pattern.
    tiles: Vec<Vec<Tile>>,
    /// For each tile its pattern and its place there.
    slots: Vec<Option<(u8, u8)>>,
    /// For each cell where it is in the tables.
    cells: Vec<u8>,
}

/// For each tile its cell.
type Positions = [u8; 64];

/// What is remembered of a state.
#[derive(Clone, Copy, Debug)]
pub struct PatternsMemo {
    manhattan: Cost,
    sums: [u16; 2],
    entries: [[u8; MOST_PATTERNS]; 2],
}

impl Patterns {
    /// The heuristic for a goal.
    ///
    /// # Errors
    /// Fails unless the databases are for this goal and have no tile in common.
    pub fn new(
        goal: &Board,
        databases: Vec<Arc<Database>>,
        reflection: Option<&Reflection>,
    ) -> Result<Self, PatternsError> {
        if databases.len() > MOST_PATTERNS {
            return Err(PatternsError::TooMany(databases.len()));
        }
        let size = goal.size();
        let cells = size.cells() as Cell;
        let mut slots = vec![None; size.cells()];
        for (at, database) in (0..).zip(&databases) {
            let pattern = database.pattern();
            let wanted = Pattern::new(goal, pattern.tiles())?;
            if wanted.shape() != pattern.shape() {
                let (found, wanted) = (pattern.shape(), wanted.shape());
                return Err(PatternsError::Goal { found, wanted });
            }
            for (place, &tile) in (0..).zip(pattern.tiles()) {
                if slots[usize::from(tile)].replace((at, place)).is_some() {
                    return Err(PatternsError::Overlap(tile));
                }
            }
        }
        let tiles = databases.iter().map(|database| database.pattern().tiles().to_vec()).collect();
        let cell_map = (0..cells).map(|cell| cell as u8).collect();
        let plain = PatternSide { databases, tiles, slots, cells: cell_map };
        let mirrored = reflection.map(|Reflection { cell_map, tile_map }| {
            // In the mirror image a tile stands for the one that it is mapped to, which is also the
            // one that is mapped to it.
            let image = |&tile: &Tile| tile_map[usize::from(tile)];
            PatternSide {
                databases: plain.databases.clone(),
                tiles: plain.tiles.iter().map(|tiles| tiles.iter().map(image).collect()).collect(),
                slots: tile_map.iter().map(|&tile| plain.slot(tile)).collect(),
                cells: cell_map.iter().map(|&cell| cell as u8).collect(),
            }
        });
        let positions = goal.positions();
        let distance = |tile: usize, cell| {
            if tile == 0 { 0 } else { size.distance(positions[tile], cell) as u16 }
        };
        let distances = (0..size.cells()).flat_map(|tile| (0..cells).map(move |cell| (tile, cell)));
        Ok(Self {
            board: goal.clone(),
            distances: distances.map(|(tile, cell)| distance(tile, cell)).collect(),
            sides: [Some(plain), mirrored].into_iter().flatten().collect(),
        })
    }

    /// The goal that it estimates the way to.
    pub const fn goal(&self) -> &Board {
        &self.board
    }

    /// What is looked up for a state and, with a reflection, for its mirror image.
    pub fn sides(&self) -> &[PatternSide] {
        &self.sides
    }

    /// Where the tiles stand, on boards of up to 64 cells: others have no patterns.
    #[inline]
    fn positions(&self, tile_at: impl Fn(Cell) -> Tile) -> Positions {
        let mut positions = [0; 64];
        for cell in 0..self.board.tiles().len().min(64) as Cell {
            positions[usize::from(tile_at(cell)) % 64] = cell as u8;
        }
        positions
    }

    #[inline]
    fn distance(&self, tile: Tile, cell: Cell) -> Cost {
        self.distances[usize::from(tile) * self.board.tiles().len() + usize::from(cell)].into()
    }
}

impl PatternSide {
    /// The tables, whose values are added.
    pub fn databases(&self) -> &[Arc<Database>] {
        &self.databases
    }

    /// The number of the table that a tile counts in, and its place among the pattern's tiles there.
    pub fn slot(&self, tile: Tile) -> Option<(u8, u8)> {
        self.slots.get(usize::from(tile)).copied().flatten()
    }

    /// For each cell of a board, where it is in the tables.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The entry of one pattern.
    #[inline]
    fn entry(&self, pattern: usize, positions: &Positions) -> u8 {
        let (database, tiles) = (&self.databases[pattern], &self.tiles[pattern]);
        let mut cells = [0; 64];
        for (cell, &tile) in cells.iter_mut().zip(tiles) {
            *cell = self.cells[usize::from(positions[usize::from(tile)])];
        }
        database.entry(database.pattern().rank(&cells[..tiles.len()]))
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for Patterns {
    fn estimate(&self, state: &L::State) -> Cost {
        <Self as Incremental<Tiles<L>>>::value(
            self,
            <Self as Incremental<Tiles<L>>>::memo(self, state),
        )
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Patterns {
    type Memo = PatternsMemo;

    fn memo(&self, state: &L::State) -> PatternsMemo {
        let cells = 0..self.board.tiles().len() as Cell;
        let manhattan = cells.map(|cell| self.distance(L::tile(state, cell), cell)).sum();
        let mut memo = PatternsMemo { manhattan, sums: [0; 2], entries: [[0; MOST_PATTERNS]; 2] };
        let positions = self.positions(|cell| L::tile(state, cell));
        for (at, side) in self.sides.iter().enumerate() {
            for pattern in 0..side.databases.len() {
                let entry = side.entry(pattern, &positions);
                memo.entries[at][pattern] = entry;
                memo.sums[at] += u16::from(entry);
            }
        }
        memo
    }

    #[inline]
    fn step(&self, mut memo: PatternsMemo, state: &L::State, action: L::Action) -> PatternsMemo {
        let slide: Slide = action.into();
        let tile = L::tile(state, slide.blank);
        memo.manhattan += self.distance(tile, slide.blank);
        memo.manhattan -= self.distance(tile, slide.target(self.board.size()));
        let positions = self.positions(|cell| L::tile(state, cell));
        for (at, side) in self.sides.iter().enumerate() {
            if let Some((pattern, _)) = side.slot(tile) {
                let pattern = usize::from(pattern);
                let entry = side.entry(pattern, &positions);
                let before = std::mem::replace(&mut memo.entries[at][pattern], entry);
                memo.sums[at] = memo.sums[at] + u16::from(entry) - u16::from(before);
            }
        }
        memo
    }

    #[inline]
    fn value(&self, memo: PatternsMemo) -> Cost {
        memo.manhattan + 2 * Cost::from(memo.sums[0].max(memo.sums[1]))
    }
}
