//! Boards with one blank: up to 16 cells with 4 bits each in one word, or up to 25 cells in a byte
//! each.
//!
//! A tile's number is its goal cell, so that every goal is the same. The blank is also 0; it is
//! distinguished from the tile whose goal cell is 0 by its position, which is always known.

use std::fmt::Debug;
use std::ops::BitXorAssign;

use taquin_tiles::{Board, Cell, Slide};

/// A board that is stepped in place.
pub(crate) trait PackedBoard: Copy + Default + Debug + PartialEq + Send + Sync {
    /// The greatest number of cells.
    const MAX_CELLS: usize;
    /// A set of cells.
    type Set: Copy + Default + Debug + Send + Sync + BitXorAssign + Into<u32> + TryFrom<u32>;

    /// Returns the place of a cell's tile, for [`tile`](Self::tile).
    fn place(cell: u8) -> u8;

    /// Returns the tile at a place.
    fn tile(&self, place: u8) -> usize;

    /// Moves the tile at `from` to the blank at `to`, and returns it.
    fn slide(&mut self, from: u8, to: u8) -> usize;

    /// Packs a board, given the goal cell of each tile.
    fn pack(board: &Board, homes: &[Cell]) -> Self;

    /// Returns two words with at most 60 bits that identify the board, given the blank's place and
    /// its goal cell. A board with the blank on another cell differs as well.
    fn words(&self, blank: u8, home: u8) -> [u64; 2];

    /// Packs a set of cells.
    fn set(cells: u32) -> Self::Set {
        Self::Set::try_from(cells).unwrap_or_default()
    }
}

impl PackedBoard for u64 {
    const MAX_CELLS: usize = 16;
    type Set = u16;

    fn place(cell: u8) -> u8 {
        4 * cell
    }

    #[inline]
    fn tile(&self, place: u8) -> usize {
        (self >> place & 15) as usize
    }

    #[inline]
    fn slide(&mut self, from: u8, to: u8) -> usize {
        let tile = *self >> from & 15;
        *self ^= tile << from ^ tile << to;
        tile as usize
    }

    fn pack(board: &Board, homes: &[Cell]) -> Self {
        numbers(board, homes).map(|(cell, home)| u64::from(home) << (4 * cell)).sum()
    }

    fn words(&self, blank: u8, home: u8) -> [u64; 2] {
        // The last of 16 cells follows from the others.
        [(self | u64::from(home) << blank) & ((1 << 60) - 1), 0]
    }
}

/// A byte per cell: shifting a word with 128 bits takes longer than reading and writing bytes. With
/// a power of two, no place needs a bounds check.
pub(crate) type Bytes = [u8; 32];

impl PackedBoard for Bytes {
    const MAX_CELLS: usize = 25;
    type Set = u32;

    fn place(cell: u8) -> u8 {
        cell
    }

    #[inline]
    fn tile(&self, place: u8) -> usize {
        self[usize::from(place) % 32].into()
    }

    #[inline]
    fn slide(&mut self, from: u8, to: u8) -> usize {
        let tile = std::mem::take(&mut self[usize::from(from) % 32]);
        self[usize::from(to) % 32] = tile;
        tile.into()
    }

    fn pack(board: &Board, homes: &[Cell]) -> Self {
        let mut bytes = [0; 32];
        numbers(board, homes).for_each(|(cell, home)| bytes[usize::from(cell)] = home as u8);
        bytes
    }

    #[inline]
    fn words(&self, blank: u8, home: u8) -> [u64; 2] {
        let mut board = *self;
        board[usize::from(blank) % 32] = home;
        // Five bits for each of the first 24 cells. The last of 25 cells follows from the others.
        let (eights, _) = board.as_chunks();
        let [a, b, c] = [0, 1, 2].map(|at| {
            let x = u64::from_le_bytes(eights[at]);
            let x = x & 0x001f_001f_001f_001f | (x & 0x1f00_1f00_1f00_1f00) >> 3;
            let x = x & 0x0000_03ff_0000_03ff | (x & 0x03ff_0000_03ff_0000) >> 6;
            x & 0xf_ffff | (x >> 32) << 20
        });
        [a | (c & 0xf_ffff) << 40, b | (c >> 20) << 40]
    }
}

/// Returns the cell and the number of each tile.
fn numbers(board: &Board, homes: &[Cell]) -> impl Iterator<Item = (Cell, Cell)> {
    let tiles = (0..).zip(board.tiles()).filter(|&(_, &tile)| tile > 0);
    tiles.map(|(cell, &tile)| (cell, homes[usize::from(tile)]))
}

/// A move of the blank from one cell to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) action: Slide,
    /// The place of the tile.
    pub(crate) from: u8,
    /// The place of the blank.
    pub(crate) to: u8,
    /// A bit for each tile that the move brings closer to its goal cell.
    pub(crate) closer: u32,
}

impl Lane {
    /// Returns the board after the move, and the tile.
    #[inline]
    pub(crate) fn slide<C: PackedBoard>(&self, mut board: C) -> (C, usize) {
        let tile = board.slide(self.from, self.to);
        (board, tile)
    }

    /// Returns whether the move brings `tile` closer to its goal cell.
    #[inline]
    pub(crate) const fn is_closer(&self, tile: usize) -> bool {
        self.closer >> tile & 1 != 0
    }
}

/// Returns the sum of the tiles' distances to their goal cells.
pub(crate) fn manhattan(board: &Board, homes: &[Cell]) -> u8 {
    numbers(board, homes).map(|(cell, home)| board.size().distance(home, cell) as u8).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_search::Random;
    use taquin_tiles::{NamedGoal, Size, scramble};

    /// The words of a board have all its cells but the last, the blank included.
    #[test]
    fn words_are_the_whole_board() {
        for (rows, cols) in [(5, 5), (4, 6), (3, 7), (4, 5)] {
            let size = Size::new(rows, cols).unwrap();
            for goal in NamedGoal::ALL.map(|goal| goal.board(size, 1)) {
                let homes = goal.positions();
                for start in 0..50 {
                    let board = scramble::uniform(&goal, &mut Random::new(start));
                    let blank = board.blanks().next().unwrap() as u8;
                    let words = Bytes::pack(&board, &homes).words(blank, homes[0] as u8);
                    let [a, b] = words;
                    assert!(a >> 60 == 0 && b >> 60 == 0);
                    let all = [a & 0xff_ffff_ffff, b & 0xff_ffff_ffff, a >> 40 | (b >> 40) << 20];
                    let cell = |cell: usize| (all[cell / 8] >> (5 * (cell % 8)) & 31) as Cell;
                    for (at, &tile) in board.tiles().iter().enumerate().take(24) {
                        assert_eq!(cell(at), homes[usize::from(tile)], "{board}");
                    }
                }
            }
        }
    }
}
