//! The cost of every board of a small puzzle, found without the spaces and the engines under test.

use std::collections::HashMap;
use std::path::Path;

use taquin_tiles::{Board, Size, Tile};

/// The cheapest cost to the goal, for every board that reaches it.
pub(crate) struct Oracle {
    size: Size,
    costs: HashMap<u64, u32>,
}

impl Oracle {
    /// Everything that reaches the goal.
    pub(crate) fn new(goal: &Board, price: impl Fn(Tile) -> u32) -> Self {
        Self::within(u32::MAX, goal, price)
    }

    /// Everything that costs no more than this.
    ///
    /// Dijkstra's algorithm from the goal serves both ways: a move back costs the same.
    ///
    /// # Panics
    /// Panics if the board has more than 16 cells.
    pub(crate) fn within(most: u32, goal: &Board, price: impl Fn(Tile) -> u32) -> Self {
        let size = goal.size();
        let mut costs = HashMap::from([(pack(goal.tiles()), 0)]);
        let mut layers = vec![vec![goal.tiles().to_vec()]];
        let mut cost = 0;
        while cost < layers.len() {
            while let Some(tiles) = layers[cost].pop() {
                if costs[&pack(&tiles)] < cost as u32 {
                    continue;
                }
                for (blank, cell) in moves(size, &tiles) {
                    let mut next = tiles.clone();
                    next.swap(blank, cell);
                    let after = cost as u32 + price(tiles[cell]);
                    if after > most {
                        continue;
                    }
                    let known = costs.entry(pack(&next)).or_insert(u32::MAX);
                    if after < *known {
                        *known = after;
                        layers.resize_with(layers.len().max(after as usize + 1), Vec::new);
                        layers[after as usize].push(next);
                    }
                }
            }
            cost += 1;
        }
        Self { size, costs }
    }

    /// The boards that reach the goal and their costs, in an order that is always the same.
    pub(crate) fn boards(&self) -> impl Iterator<Item = (Board, u32)> {
        let mut all: Vec<(u64, u32)> = self.costs.iter().map(|(&key, &cost)| (key, cost)).collect();
        all.sort_unstable();
        let size = self.size;
        all.into_iter().map(move |(key, cost)| (unpack(size, key), cost))
    }
}

/// The pairs of a blank and a neighbour that is none.
fn moves(size: Size, tiles: &[Tile]) -> impl Iterator<Item = (usize, usize)> {
    let (cells, cols) = (tiles.len(), size.cols());
    let blanks = (0..cells).filter(move |&cell| tiles[cell] == 0);
    blanks.flat_map(move |blank| {
        let (row, col) = (blank / cols, blank % cols);
        (0..cells)
            .filter(move |cell| row.abs_diff(cell / cols) + col.abs_diff(cell % cols) == 1)
            .filter(move |&cell| tiles[cell] != 0)
            .map(move |cell| (blank, cell))
    })
}

fn pack(tiles: &[Tile]) -> u64 {
    assert!(tiles.len() <= 16, "{} cells do not fit", tiles.len());
    tiles.iter().rev().fold(0, |key, &tile| key << 4 | u64::from(tile))
}

fn unpack(size: Size, key: u64) -> Board {
    let tiles = (0..size.cells()).map(|cell| (key >> (4 * cell) & 15) as Tile).collect();
    Board::new(size, tiles).unwrap()
}

/// The text of a file of the data folder.
pub(crate) fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/data").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
