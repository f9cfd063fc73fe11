//! Boards of at most 16 cells with one blank, 4 bits a cell in one word.
//!
//! A tile's number is the cell where it belongs, so that every goal is the same; the blank is 0, and
//! is told from the tile of cell 0 by its cell, which is always known.

use taquin_tiles::{Board, Cell, Size, Slide};

use crate::automaton::{Automaton, Edge, State};

/// A move of the blank from one cell to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) action: Slide,
    /// The place of the tile's bits.
    pub(crate) from: u8,
    /// The place of the blank's.
    pub(crate) to: u8,
    /// A bit for each tile that the move brings closer to where it belongs.
    pub(crate) closer: u16,
    /// The state of the automaton after it.
    pub(crate) next: u16,
}

impl Lane {
    /// The board after the move, and the tile.
    #[inline]
    pub(crate) const fn slide(&self, board: u64) -> (u64, usize) {
        let tile = board >> self.from & 15;
        (board ^ tile << self.from ^ tile << self.to, tile as usize)
    }

    /// Whether the move brings a tile closer.
    #[inline]
    pub(crate) const fn is_closer(&self, tile: usize) -> bool {
        self.closer >> tile & 1 != 0
    }
}

/// The moves in each state of an automaton, in their order.
pub(crate) fn lanes(size: Size, automaton: &Automaton) -> Vec<Vec<Lane>> {
    let of_state = |state: &State| {
        let blank = Cell::from(state.blank);
        let lane = |edge: &Edge| {
            let target = Cell::from(edge.target);
            let closer = |&tile: &Cell| size.distance(tile, blank) < size.distance(tile, target);
            Lane {
                action: Slide { blank, step: edge.step },
                from: 4 * edge.target,
                to: 4 * state.blank,
                closer: (0..size.cells() as Cell)
                    .filter(closer)
                    .fold(0, |set, tile| set | 1 << tile),
                next: edge.next,
            }
        };
        state.edges.iter().map(lane).collect()
    };
    automaton.states().iter().map(of_state).collect()
}

/// A board with the numbers that its tiles have here, given where each belongs.
pub(crate) fn pack(board: &Board, homes: &[Cell]) -> u64 {
    let word = |(cell, &tile): (usize, &u16)| match tile {
        0 => 0,
        _ => u64::from(homes[usize::from(tile)]) << (4 * cell),
    };
    board.tiles().iter().enumerate().map(word).sum()
}

/// The sum of the distances of the tiles to where they belong.
pub(crate) fn manhattan(board: &Board, homes: &[Cell]) -> u8 {
    let distance = |(cell, &tile): (Cell, &u16)| match tile {
        0 => 0,
        _ => board.size().distance(homes[usize::from(tile)], cell) as u8,
    };
    (0..).zip(board.tiles()).map(distance).sum()
}
