//! Gaschnig's relaxation: a tile may move to a blank from anywhere.
//!
//! Every misplaced tile moves at least once. If misplaced tiles form a cycle on each other's goal
//! cells, one of them has to move to the blank first, which is one extra move.

use taquin_search::{Cost, Heuristic};

use crate::board::Puzzle;
use crate::cost::Costs;
use crate::packed::Layout;
use crate::size::Cell;
use crate::space::Tiles;

/// The cost of a cheapest solution if a tile can move to a blank from anywhere.
///
/// ```
/// use taquin_search::Heuristic;
/// use taquin_tiles::packed::{Layout, Nibbles, Tiles};
/// use taquin_tiles::{Board, Costs, Gaschnig, NamedGoal, Puzzle};
///
/// let start: Board = "3 2 1/4 5 6/7 8 0".parse()?;
/// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
/// let gaschnig = Gaschnig::new(&puzzle, &Costs::Unit);
/// assert_eq!(Heuristic::<Tiles<Nibbles>>::estimate(&gaschnig, &Nibbles::state(start.tiles())), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gaschnig {
    homes: Vec<Cell>,
    weights: Vec<Cost>,
}

impl Gaschnig {
    /// Creates the heuristic for a puzzle's goal.
    pub fn new(puzzle: &Puzzle, costs: &Costs) -> Self {
        let weights = costs.of_tiles(puzzle.size().cells());
        Self { homes: puzzle.goal().positions(), weights }
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for Gaschnig {
    fn estimate(&self, state: &L::State) -> Cost {
        // A bit for each cell, on the stack for boards of up to 256.
        let mut few = [0u64; 4];
        let mut many = Vec::new();
        let seen = match self.homes.len() {
            0..=256 => &mut few[..],
            cells => {
                many.resize(cells.div_ceil(64), 0);
                &mut many[..]
            }
        };
        let mut sum = 0u64;
        for start in 0..self.homes.len() {
            let (mut cell, mut lightest) = (start, u64::MAX);
            // Follow the cycle from a tile to the tile on its goal cell, until a blank or a known
            // cell.
            while seen[cell / 64] >> (cell % 64) & 1 == 0 {
                let tile = usize::from(L::tile(state, cell as Cell));
                let home = usize::from(self.homes[tile]);
                seen[cell / 64] |= 1 << (cell % 64);
                if tile == 0 || home == cell {
                    break;
                }
                let weight = u64::from(self.weights[tile]);
                sum += weight;
                lightest = lightest.min(weight);
                cell = home;
                if cell == start {
                    sum += lightest;
                }
            }
        }
        sum.min(Cost::MAX.into()) as Cost
    }
}
