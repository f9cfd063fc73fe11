//! Sums over the tiles: misplaced tiles, and distances to the goal.
//!
//! A move changes one tile's term, so that a child's estimate costs two look-ups.

use taquin_search::{Cost, Heuristic, Incremental};

use crate::board::Puzzle;
use crate::cost::Costs;
use crate::packed::{Layout, Quints};
use crate::size::{Cell, Size, Tile};
use crate::space::Tiles;
use crate::step::Slide;

/// What each tile contributes to the sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// 1 unless it is at home.
    Misplaced,
    /// The straight-line distance to its home; the sum is rounded down.
    Euclidean,
    /// The number of rows and columns to its home.
    Manhattan,
}

/// A heuristic that adds up one term for each tile.
#[derive(Clone, Debug)]
pub struct Additive {
    measure: Measure,
    size: Size,
    homes: Vec<Cell>,
    weights: Vec<Cost>,
    /// Terms are fixed-point numbers with this many bits behind the point.
    point: u32,
    /// The terms by tile and cell, on boards so small that the table stays in the cache.
    table: Vec<u64>,
}

/// Places in the table for each tile: a power of two with room for every cell of a small board.
const STRIDE: usize = Quints::CELLS.next_power_of_two();

impl Additive {
    /// The heuristic for a puzzle's goal.
    pub fn new(measure: Measure, puzzle: &Puzzle, costs: &Costs) -> Self {
        let size = puzzle.size();
        let cells = size.cells();
        let weights = costs.of_tiles(cells);
        let point = match measure {
            Measure::Misplaced | Measure::Manhattan => 0,
            // Only distances that are not whole are rounded (down), and a sum of such square roots
            // is never a whole number: with many bits the sum rounded down is right. On the largest
            // boards with the largest costs there is room for fewer.
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

    /// A tile's share of the estimate when it stands on a cell; 0 for a blank.
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

    /// The sum as an estimate.
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
