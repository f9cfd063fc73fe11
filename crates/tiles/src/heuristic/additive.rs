//! Sums over the tiles: misplaced tiles, and distances to the goal.
//!
//! A move changes the term for one tile, so a child's estimate takes two look-ups.

use taquin_search::{Cost, Heuristic, Incremental};

use crate::board::Puzzle;
use crate::cost::Costs;
use crate::packed::{Layout, Quints};
use crate::size::{Cell, Size, Tile};
use crate::space::Tiles;
use crate::step::Slide;

/// The term of a tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// 1 unless the tile is at home.
    Misplaced,
    /// The straight-line distance to its home; the sum is rounded down.
    Euclidean,
    /// The number of rows and columns to its home.
    Manhattan,
}

/// A heuristic that is a sum of one term for each tile.
///
/// ```
/// use taquin_search::Heuristic;
/// use taquin_tiles::packed::{Layout, Nibbles, Tiles};
/// use taquin_tiles::{Board, Costs, Additive, Measure, NamedGoal, Puzzle};
///
/// let start: Board = "3 2 1/4 5 6/7 8 0".parse()?;
/// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
/// let manhattan = Additive::new(Measure::Manhattan, &puzzle, &Costs::Unit);
/// assert_eq!(Heuristic::<Tiles<Nibbles>>::estimate(&manhattan, &Nibbles::state(start.tiles())), 4);
/// assert_eq!(manhattan.share(3, 0), 2.0); // of tile 3 on cell 0
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Additive {
    measure: Measure,
    size: Size,
    homes: Vec<Cell>,
    weights: Vec<Cost>,
    /// Terms are fixed-point numbers with this many bits behind the point.
    point: u32,
    /// The terms by tile and cell, on boards for which the table fits in the cache.
    table: Vec<u64>,
}

/// The table entries per tile: a power of two, at least the cells of a small board.
const STRIDE: usize = Quints::CELLS.next_power_of_two();

impl Additive {
    /// Creates the heuristic for a puzzle's goal.
    pub fn new(measure: Measure, puzzle: &Puzzle, costs: &Costs) -> Self {
        let size = puzzle.size();
        let cells = size.cells();
        let weights = costs.of_tiles(cells);
        let point = match measure {
            Measure::Misplaced | Measure::Manhattan => 0,
            // Only irrational distances are rounded (down), and a sum of such square roots is never
            // an integer: with enough bits the floor of the sum is exact. On the largest boards
            // with the largest costs fewer bits fit.
            Measure::Euclidean => {
                let most = cells * (size.rows() + size.cols());
                let most = most as u64 * u64::from(weights.iter().copied().max().unwrap_or(1));
                (most.leading_zeros() - 1).min(30)
            }
        };
        let homes = puzzle.goal().positions();
        let mut sum = Self { measure, size, homes, weights, point, table: Vec::new() };
        if cells <= Quints::CELLS {
            let term = |at: usize| match (at / STRIDE, at % STRIDE) {
                (tile, cell) if tile < cells && cell < cells => {
                    sum.compute(tile as Tile, cell as Cell)
                }
                _ => 0,
            };
            sum.table = (0..cells * STRIDE).map(term).collect();
        }
        sum
    }

    /// Returns the estimate's share for a tile on a cell; 0 for a blank.
    pub fn share(&self, tile: Tile, cell: Cell) -> f64 {
        self.term(tile, cell) as f64 / f64::from(1u32 << self.point)
    }

    #[inline]
    fn term(&self, tile: Tile, cell: Cell) -> u64 {
        match self.table.get(usize::from(tile) * STRIDE + usize::from(cell)) {
            Some(&term) => term,
            None => self.compute(tile, cell),
        }
    }

    fn compute(&self, tile: Tile, cell: Cell) -> u64 {
        let (size, home) = (self.size, self.homes[usize::from(tile)]);
        if tile == 0 || home == cell {
            return 0;
        }
        let weight = u64::from(self.weights[usize::from(tile)]);
        match self.measure {
            Measure::Misplaced => weight,
            Measure::Manhattan => weight * size.distance(home, cell) as u64,
            Measure::Euclidean => {
                let rows = size.row(home).abs_diff(size.row(cell)) as u64;
                let cols = size.col(home).abs_diff(size.col(cell)) as u64;
                // The root of a number shifted by twice the point is the root shifted by the point.
                let square = u128::from(rows * rows + cols * cols) << (2 * self.point);
                weight * square.isqrt() as u64
            }
        }
    }

    /// Rounds a sum to an estimate.
    #[inline]
    const fn rounded(&self, sum: u64) -> Cost {
        let whole = sum >> self.point;
        if whole > Cost::MAX as u64 { Cost::MAX } else { whole as Cost }
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for Additive {
    fn estimate(&self, state: &L::State) -> Cost {
        self.rounded(<Self as Incremental<Tiles<L>>>::memo(self, state))
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Additive {
    type Memo = u64;

    fn memo(&self, state: &L::State) -> u64 {
        (0..self.size.cells() as Cell).map(|cell| self.term(L::tile(state, cell), cell)).sum()
    }

    #[inline]
    fn memo_with(&self, state: &L::State, estimate: Cost) -> u64 {
        match self.point == 0 && estimate < Cost::MAX {
            true => estimate.into(),
            false => Incremental::<Tiles<L>>::memo(self, state),
        }
    }

    #[inline]
    fn step(&self, sum: u64, state: &L::State, action: L::Action) -> u64 {
        let slide: Slide = action.into();
        let (from, to) = (slide.target(self.size), slide.blank);
        let tile = L::tile(state, to);
        sum + self.term(tile, to) - self.term(tile, from)
    }

    #[inline]
    fn value(&self, sum: u64) -> Cost {
        self.rounded(sum)
    }
}
