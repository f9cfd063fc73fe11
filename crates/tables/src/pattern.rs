//! Pattern databases: for each placement of some tiles, the least number of their moves to the
//! goal.

mod build;
mod database;
pub(crate) mod encoding;
mod file;
mod graph;
mod heuristic;
mod orders;
mod partition;
mod ranking;
mod regions;
mod symmetry;

use std::fmt;

use taquin_tiles::{Board, Size, Tile};

use crate::bits::bits;
pub use build::{BuildError, BuildPlan, Builder};
pub use database::Database;
pub use file::TableInfo;
pub use heuristic::{MAX_PATTERNS, PatternSide, Patterns, PatternsError, PatternsMemo};
pub use partition::{Partition, PartitionError};
pub use ranking::Ranking;
pub use regions::{RegionMap, Regions};
pub use symmetry::Reflection;

/// Some tiles of a puzzle and their goal.
///
/// The tiles are in the order of their goal cells, so two goals that differ only in tile numbers
/// share a table.
///
/// ```
/// use taquin_tables::Pattern;
/// use taquin_tiles::NamedGoal;
///
/// let goal = NamedGoal::Snail.board("3x3".parse()?, 1);
/// let pattern = Pattern::new(&goal, &[1, 2, 8])?;
/// assert_eq!((pattern.tiles(), pattern.goal_cells()), (&[1, 2, 8][..], &[0, 1, 3][..]));
/// assert_eq!(pattern.shape().to_string(), "xx./x0./...");
/// assert_eq!(pattern.manhattan(&[8, 1, 3]), 4);
/// assert!(pattern.rank(&[8, 1, 3]) < pattern.ranking().placements());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    shape: Shape,
    tiles: Vec<Tile>,
    goal_cells: Vec<u8>,
    ranking: Ranking,
}

/// Everything that a table's content depends on: cells, but not tile numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    size: Size,
    blanks: u64,
    cells: u64,
}

/// Why some tiles are not a pattern.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum PatternError {
    #[error("a pattern needs at least one tile")]
    Empty,
    #[error("there is no tile {tile}: the puzzle has the tiles 1 to {tiles}")]
    NoSuchTile { tile: Tile, tiles: usize },
    #[error("tile {0} is named twice")]
    Twice(Tile),
    #[error("{tiles} tiles on a {size} board have too many placements for a table")]
    TooLarge { size: Size, tiles: usize },
}

impl Pattern {
    /// Creates a pattern from some of a goal's tiles.
    ///
    /// # Errors
    /// Fails unless there is a tile, all are different and in the goal, and the board has at most
    /// 64 cells and 2^40 placements.
    pub fn new(goal: &Board, tiles: &[Tile]) -> Result<Self, PatternError> {
        let size = goal.size();
        let count = size.cells() - goal.blanks().count();
        if let Some(&tile) = tiles.iter().find(|&&tile| usize::from(tile) > count) {
            return Err(PatternError::NoSuchTile { tile, tiles: count });
        }
        let too_large = PatternError::TooLarge { size, tiles: tiles.len() };
        let ranking = Ranking::new(size.cells(), tiles.len()).ok_or(too_large)?;
        let blanks = goal.blanks().fold(0, |mask, cell| mask | 1 << cell);
        let positions = goal.positions();
        let mut cells = 0;
        for &tile in tiles {
            if tile == 0 || usize::from(tile) > count {
                return Err(PatternError::NoSuchTile { tile, tiles: count });
            }
            let bit = 1_u64 << positions[usize::from(tile)];
            if cells & bit != 0 {
                return Err(PatternError::Twice(tile));
            }
            cells |= bit;
        }
        let shape = Shape::new(size, blanks, cells).ok_or(PatternError::Empty)?;
        let tiles = bits(cells).map(|cell| goal.tiles()[cell]).collect();
        let goal_cells = bits(cells).map(|cell| cell as u8).collect();
        Ok(Self { shape, tiles, goal_cells, ranking })
    }

    /// Returns the facts that the table's content depends on.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the tiles in the order of their goal cells, which is their order in
    /// [`rank`](Self::rank).
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Returns the goal cells of the tiles.
    pub fn goal_cells(&self) -> &[u8] {
        &self.goal_cells
    }

    /// Returns the numbering of the placements.
    pub const fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// Returns the index of the placement with each of [`tiles`](Self::tiles) on the given cell.
    ///
    /// # Panics
    /// As [`Ranking::rank`].
    #[inline]
    pub fn rank(&self, cells_of_tiles: &[u8]) -> usize {
        self.ranking.rank(cells_of_tiles)
    }

    /// Returns the sum of the distances of the tiles to their goal cells.
    pub fn manhattan(&self, cells_of_tiles: &[u8]) -> u32 {
        let pairs = cells_of_tiles.iter().zip(&self.goal_cells);
        pairs.map(|(&at, &goal)| self.shape.size.distance(at.into(), goal.into()) as u32).sum()
    }
}

impl Shape {
    /// Creates a shape from the goal cells of the blanks and the tiles. Returns `None` unless both
    /// are non-empty disjoint sets of cells on the board.
    pub fn new(size: Size, blanks: u64, cells: u64) -> Option<Self> {
        let board = u64::MAX.checked_shr(64_u32.checked_sub(size.cells() as u32)?)?;
        let valid =
            blanks != 0 && cells != 0 && blanks & cells == 0 && (blanks | cells) & !board == 0;
        valid.then_some(Self { size, blanks, cells })
    }

    /// Returns the size of the board.
    pub const fn size(self) -> Size {
        self.size
    }

    /// Returns the goal cells of the blanks, a bit for each.
    pub const fn blanks(self) -> u64 {
        self.blanks
    }

    /// Returns the goal cells of the tiles, a bit for each.
    pub const fn cells(self) -> u64 {
        self.cells
    }

    /// Returns the number of tiles.
    pub const fn tiles(self) -> usize {
        self.cells.count_ones() as usize
    }
}

impl fmt::Display for Shape {
    /// The goal's cells row by row: `x` for a tile of the pattern, `0` for a blank, `.` for others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cell in 0..self.size.cells() {
            if cell > 0 && cell % self.size.cols() == 0 {
                f.write_str("/")?;
            }
            f.write_str(match (self.cells >> cell & 1, self.blanks >> cell & 1) {
                (1, _) => "x",
                (_, 1) => "0",
                _ => ".",
            })?;
        }
        Ok(())
    }
}
