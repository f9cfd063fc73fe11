//! Pattern databases as a heuristic.

use std::sync::Arc;

use taquin_search::{Cost, Heuristic, Incremental};
use taquin_tiles::packed::{Layout, Tiles};
use taquin_tiles::{Board, Cell, Slide, Tile};

use super::database::Database;
use super::symmetry::Reflection;
use super::zero_aware::ZeroAware;
use super::{Pattern, PatternError, Shape};

/// The sum of the values of patterns without common tiles, plus the Manhattan distance of the tiles
/// in no pattern. With a reflection, the greater of the sums for a state and its mirror image.
///
/// It counts moves, and is a lower bound if each costs at least one. It is not consistent: an entry
/// is the minimum over all positions of the blank, so a move can change the value by more than one.
/// The value is the Manhattan distance plus twice the entries: a move costs two look-ups of
/// distances and one look-up of an entry on each side of the mirror.
#[derive(Clone, Debug)]
pub struct Patterns<D = Database> {
    board: Board,
    /// The distance of each tile on each cell to its goal cell, at `tile * cells + cell`.
    distances: Vec<u16>,
    sides: Vec<PatternSide<D>>,
}

/// A table of one pattern.
pub trait PatternTable {
    /// Returns the pattern.
    fn pattern(&self) -> &Pattern;

    /// Returns whether the entries are still those that were loaded.
    fn is_intact(&self) -> bool;
}

impl PatternTable for Database {
    fn pattern(&self) -> &Pattern {
        self.pattern()
    }

    fn is_intact(&self) -> bool {
        self.is_intact()
    }
}

impl PatternTable for ZeroAware {
    fn pattern(&self) -> &Pattern {
        self.pattern()
    }

    fn is_intact(&self) -> bool {
        self.is_intact()
    }
}

/// The greatest number of patterns of a sum.
pub const MOST_PATTERNS: usize = 16;

/// Why some databases are not a heuristic.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum PatternsError {
    #[error("tile {0} is in two patterns: their values cannot be added")]
    Overlap(Tile),
    #[error("{0} patterns are more than {MOST_PATTERNS}")]
    TooMany(usize),
    #[error("the table is for {found}, the goal needs {wanted}")]
    Goal { found: Shape, wanted: Shape },
    /// A database is for tiles that the goal does not have.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// The look-ups for a state or for its mirror image.
#[derive(Clone, Debug)]
pub struct PatternSide<D = Database> {
    databases: Vec<Arc<D>>,
    /// For each database, the tiles in the roles of its pattern's tiles.
    tiles: Vec<Vec<Tile>>,
    /// The pattern of each tile, and its index there.
    slots: Vec<Option<(u8, u8)>>,
    /// The cell of the tables for each cell of the board.
    cells: Vec<u8>,
}

/// The cell of each tile.
pub(crate) type Positions = [u8; 64];

/// The terms of the estimate of a state.
#[derive(Clone, Copy, Debug)]
pub struct PatternsMemo {
    manhattan: Cost,
    sums: [u16; 2],
    entries: [[u8; MOST_PATTERNS]; 2],
}

impl<D: PatternTable> Patterns<D> {
    /// Creates the heuristic for a goal.
    ///
    /// # Errors
    /// Fails unless the databases are for this goal and have no tile in common.
    pub fn new(
        goal: &Board,
        databases: Vec<Arc<D>>,
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
            // In the mirror image a tile has the role of its image, which is also the tile whose
            // image it is.
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

    /// Returns whether all entries are still those that were loaded.
    pub fn is_intact(&self) -> bool {
        self.sides[0].databases().iter().all(|table| table.is_intact())
    }
}

impl<D> Patterns<D> {
    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        &self.board
    }

    /// Returns the look-ups for a state and, with a reflection, for its mirror image.
    pub fn sides(&self) -> &[PatternSide<D>] {
        &self.sides
    }

    /// Returns the cell of each tile, on boards of up to 64 cells: larger ones have no patterns.
    #[inline]
    pub(super) fn positions(&self, tile_at: impl Fn(Cell) -> Tile) -> Positions {
        let mut positions = [0; 64];
        for cell in 0..self.board.tiles().len().min(64) as Cell {
            positions[usize::from(tile_at(cell)) % 64] = cell as u8;
        }
        positions
    }

    #[inline]
    pub(super) fn distance(&self, tile: Tile, cell: Cell) -> Cost {
        self.distances[usize::from(tile) * self.board.tiles().len() + usize::from(cell)].into()
    }
}

impl<D> PatternSide<D> {
    /// Returns the tables whose values are added.
    pub fn databases(&self) -> &[Arc<D>] {
        &self.databases
    }

    /// Returns the number of a tile's table, and its index among the pattern's tiles.
    pub fn slot(&self, tile: Tile) -> Option<(u8, u8)> {
        self.slots.get(usize::from(tile)).copied().flatten()
    }

    /// Returns the cell of the tables for each cell of the board.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// Returns the tiles in the roles of a pattern's tiles.
    pub(super) fn tiles_of(&self, pattern: usize) -> &[Tile] {
        &self.tiles[pattern]
    }
}

impl PatternSide {
    /// Returns the entry of one pattern.
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
