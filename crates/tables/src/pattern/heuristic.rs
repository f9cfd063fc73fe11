//! Pattern databases as a heuristic.

use std::sync::Arc;

use taquin_search::{Cost, Heuristic, Incremental};
use taquin_tiles::packed::{Layout, Tiles};
use taquin_tiles::{Board, Cell, Slide, Tile};

use super::database::Database;
use super::encoding::{Encoding, Plain};
use super::symmetry::Reflection;
use super::{Pattern, PatternError, Shape};

/// The sum over patterns without common tiles, plus the Manhattan distance of the tiles in no
/// pattern. With a reflection, the greater of the sums for a state and its mirror image.
///
/// It counts moves, and is a lower bound if each costs at least one. With [`ZeroAware`] databases
/// it is consistent. With [`Plain`] ones it is not: an entry is the minimum over all blank
/// positions, so a move can change the value by more than one. A move costs two distance look-ups
/// and one entry look-up on each side of the mirror.
///
/// [`ZeroAware`]: super::encoding::ZeroAware
///
/// ```
/// use std::sync::Arc;
/// use taquin_search::{Heuristic, Monitor};
/// use taquin_tables::{Builder, Partition, Patterns, Reflection, ZeroAware};
/// use taquin_tiles::packed::{Layout, Nibbles, Tiles};
/// use taquin_tiles::{Board, NamedGoal};
///
/// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
/// let mut databases = Vec::new();
/// for pattern in "1.2.3.4/5.6.7.8".parse::<Partition>()?.patterns(&goal)? {
///     let builder = Builder::<ZeroAware>::new(pattern, 1 << 20)?;
///     databases.push(Arc::new(builder.build(&Monitor::default(), &mut |_| ())?));
/// }
/// let patterns = Patterns::new(&goal, databases, Reflection::of(&goal).as_ref())?;
/// assert_eq!((patterns.goal(), patterns.sides().len()), (&goal, 2));
/// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// let estimate = Heuristic::<Tiles<Nibbles>>::estimate(&patterns, &Nibbles::state(board.tiles()));
/// assert_eq!(estimate, 29); // of 31 moves
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Patterns<E = Plain> {
    board: Board,
    /// The distance of each tile on each cell to its goal cell, at `tile * cells + cell`.
    distances: Vec<u16>,
    sides: Vec<PatternSide<E>>,
}

/// The most patterns in a sum.
pub const MAX_PATTERNS: usize = 16;

/// Why some databases are not a heuristic.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum PatternsError {
    #[error("tile {0} is in two patterns: their values cannot be added")]
    Overlap(Tile),
    #[error("{0} patterns are more than {MAX_PATTERNS}")]
    TooMany(usize),
    #[error("the table is for {found}, the goal needs {wanted}")]
    Goal { found: Shape, wanted: Shape },
    /// A database is for tiles that the goal does not have.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// The look-ups for a state or for its mirror image.
#[derive(Clone, Debug)]
pub struct PatternSide<E = Plain> {
    databases: Vec<Arc<Database<E>>>,
    /// For each database, the tiles in the roles of its pattern's tiles.
    tiles: Vec<Vec<Tile>>,
    /// The pattern of each tile, and its index there.
    slots: Vec<Option<(u8, u8)>>,
    /// The table cell for each board cell.
    cells: Vec<u8>,
}

/// The cell of each tile.
type Positions = [u8; 64];

/// The terms of a state's estimate.
#[derive(Clone, Copy, Debug)]
pub struct PatternsMemo {
    /// For each side the estimate.
    sums: [u16; 2],
    /// For each side the terms of the databases.
    terms: [[u8; MAX_PATTERNS]; 2],
}

impl<E: Encoding> Patterns<E> {
    /// Creates the heuristic for a goal.
    ///
    /// # Errors
    /// Fails unless the databases are for this goal and have no tile in common.
    pub fn new(
        goal: &Board,
        databases: Vec<Arc<Database<E>>>,
        reflection: Option<&Reflection>,
    ) -> Result<Self, PatternsError> {
        if databases.len() > MAX_PATTERNS {
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

    /// Returns whether all entries are still the loaded ones.
    pub fn is_intact(&self) -> bool {
        self.sides[0].databases().iter().all(|table| table.is_intact())
    }
}

impl<E: Encoding> Patterns<E> {
    /// The contribution of a term to an estimate.
    const WEIGHT: u16 = if E::ABOVE_MANHATTAN { 2 } else { 1 };

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        &self.board
    }

    /// Returns the look-ups for a state and, with a reflection, for its mirror image.
    pub fn sides(&self) -> &[PatternSide<E>] {
        &self.sides
    }

    /// Returns each tile's cell, on boards with up to 64 cells. Larger boards have no patterns.
    #[inline]
    fn positions(&self, tile_at: impl Fn(Cell) -> Tile) -> Positions {
        let mut positions = [0; 64];
        for cell in 0..self.board.tiles().len().min(64) as Cell {
            positions[usize::from(tile_at(cell)) % 64] = cell as u8;
        }
        positions
    }

    #[inline]
    fn distance(&self, tile: Tile, cell: Cell) -> u16 {
        self.distances[usize::from(tile) * self.board.tiles().len() + usize::from(cell)]
    }
}

impl<E> PatternSide<E> {
    /// Returns the tables whose values are added.
    pub fn databases(&self) -> &[Arc<Database<E>>] {
        &self.databases
    }

    /// Returns the number of a tile's table, and its index among the pattern's tiles.
    pub fn slot(&self, tile: Tile) -> Option<(u8, u8)> {
        self.slots.get(usize::from(tile)).copied().flatten()
    }

    /// Returns the table cell for each board cell.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// Returns the number and cells of a pattern's tiles, and the blank's cell.
    #[inline]
    fn cells_of(&self, pattern: usize, positions: &Positions) -> (usize, Positions, u8) {
        let tiles = &self.tiles[pattern];
        let mut cells = [0; 64];
        for (cell, &tile) in cells.iter_mut().zip(tiles) {
            *cell = self.cells[usize::from(positions[usize::from(tile)])];
        }
        // Without a check that could fail, an unused result costs nothing.
        let blank = self.cells.get(usize::from(positions[0])).copied().unwrap_or_default();
        (tiles.len(), cells, blank)
    }
}

impl<E: Encoding, L: Layout> Heuristic<Tiles<L>> for Patterns<E> {
    fn estimate(&self, state: &L::State) -> Cost {
        let memo = <Self as Incremental<Tiles<L>>>::memo(self, state);
        <Self as Incremental<Tiles<L>>>::value(self, memo)
    }
}

impl<E: Encoding, L: Layout> Incremental<Tiles<L>> for Patterns<E> {
    type Memo = PatternsMemo;

    fn memo(&self, state: &L::State) -> PatternsMemo {
        let mut memo = PatternsMemo { sums: [0; 2], terms: [[0; MAX_PATTERNS]; 2] };
        let positions = self.positions(|cell| L::tile(state, cell));
        for (at, side) in self.sides.iter().enumerate() {
            let tiles =
                (0..self.board.tiles().len() as Cell).map(|cell| (L::tile(state, cell), cell));
            let added = tiles.filter(|&(tile, _)| E::ABOVE_MANHATTAN || side.slot(tile).is_none());
            memo.sums[at] = added.map(|(tile, cell)| self.distance(tile, cell)).sum();
            for (pattern, database) in side.databases.iter().enumerate() {
                let (tiles, cells, blank) = side.cells_of(pattern, &positions);
                let term = E::term(database, &cells[..tiles], blank);
                memo.terms[at][pattern] = term;
                memo.sums[at] += Self::WEIGHT * u16::from(term);
            }
        }
        memo
    }

    #[inline]
    fn step(&self, mut memo: PatternsMemo, state: &L::State, action: L::Action) -> PatternsMemo {
        let slide: Slide = action.into();
        let tile = L::tile(state, slide.blank);
        let before = self.distance(tile, slide.target(self.board.size()));
        let change = self.distance(tile, slide.blank).wrapping_sub(before);
        let positions = self.positions(|cell| L::tile(state, cell));
        for (at, side) in self.sides.iter().enumerate() {
            let (sum, slot) = (&mut memo.sums[at], side.slot(tile));
            if E::ABOVE_MANHATTAN || slot.is_none() {
                *sum = sum.wrapping_add(change);
            }
            if let Some((pattern, _)) = slot {
                let pattern = usize::from(pattern);
                let (tiles, cells, blank) = side.cells_of(pattern, &positions);
                let before = memo.terms[at][pattern];
                let term = E::step(&side.databases[pattern], before, &cells[..tiles], blank);
                memo.terms[at][pattern] = term;
                let change = u16::from(term).wrapping_sub(before.into());
                *sum = sum.wrapping_add(Self::WEIGHT.wrapping_mul(change));
            }
        }
        memo
    }

    #[inline]
    fn value(&self, memo: PatternsMemo) -> Cost {
        memo.sums[0].max(memo.sums[1]).into()
    }
}
