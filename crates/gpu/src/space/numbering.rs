//! The place of each board: a slab, a word and a bit.
//!
//! The slab is the cell of the blank. The tiles, in reading order without the blank and named by
//! their places in the goal, are a permutation; its digits in the factorial number system, from the
//! first position on, have the radices m, m - 1, .. 1. The digits down to radix 6 number the word,
//! those of the radices 5, 4 and 3 the bit, and the one of radix 2 follows from the parity.

use taquin_tiles::{Board, Tile};

/// The words of a block: the values of the digits of the radices 8, 7 and 6.
pub(super) const BLOCK_WORDS: usize = 8 * 7 * 6;

/// The boards of one word: the values of the digits of the radices 5, 4 and 3.
const WORD_BOARDS: usize = 5 * 4 * 3;

#[derive(Clone, Debug)]
pub(super) struct Numbering {
    rows: usize,
    cols: usize,
    goal_cell: usize,
    is_transposed: bool,
    /// The tiles of the goal in reading order.
    tiles: Vec<Tile>,
}

impl Numbering {
    /// Returns `None` if no kernel fits the boards.
    pub(super) fn new(goal: &Board) -> Option<Self> {
        let (rows, cols) = (goal.size().rows(), goal.size().cols());
        let is_transposed = rows < cols;
        let (rows, cols) = if is_transposed { (cols, rows) } else { (rows, cols) };
        let fits = matches!(cols, 2 | 3) && (9..=15).contains(&(rows * cols));
        if !fits || goal.blanks().count() != 1 {
            return None;
        }
        let mut this = Self { rows, cols, goal_cell: 0, is_transposed, tiles: Vec::new() };
        let cells = (0..rows * cols).map(|cell| goal.tiles()[this.original(cell)]);
        let cells: Vec<Tile> = cells.collect();
        this.goal_cell = cells.iter().position(|&tile| tile == 0)?;
        this.tiles = cells.into_iter().filter(|&tile| tile != 0).collect();
        Some(this)
    }

    pub(super) const fn cols(&self) -> usize {
        self.cols
    }

    pub(super) const fn cells(&self) -> usize {
        self.rows * self.cols
    }

    pub(super) const fn goal_cell(&self) -> usize {
        self.goal_cell
    }

    /// The number of blocks of a slab.
    pub(super) fn blocks(&self) -> usize {
        (9..self.cells()).product()
    }

    /// The colour of the cells that the blank can be in after `depth` moves.
    pub(super) const fn colour(&self, depth: usize) -> usize {
        (self.colour_of(self.goal_cell) + depth) % 2
    }

    pub(super) const fn colour_of(&self, cell: usize) -> usize {
        (cell / self.cols + cell % self.cols) % 2
    }

    /// The cell of the original board.
    const fn original(&self, cell: usize) -> usize {
        match self.is_transposed {
            true => cell % self.cols * self.rows + cell / self.cols,
            false => cell,
        }
    }

    /// Whether the orders with the blank in this cell are odd: a vertical move takes a tile past
    /// `cols - 1` others.
    const fn is_odd(&self, cell: usize) -> bool {
        (cell / self.cols + self.goal_cell / self.cols) * (self.cols - 1) % 2 == 1
    }

    /// Returns the board of a bit.
    pub(super) fn board(&self, goal: &Board, cell: usize, word: usize, bit: usize) -> Board {
        let count = self.cells() - 1;
        let mut digits = vec![0; count];
        let mut rest = word * WORD_BOARDS + bit;
        for place in (0..count - 2).rev() {
            digits[place] = rest % (count - place);
            rest /= count - place;
        }
        digits[count - 2] = (digits.iter().sum::<usize>() + usize::from(self.is_odd(cell))) % 2;
        let mut left = self.tiles.clone();
        let mut order = digits.into_iter().map(|digit| left.remove(digit));
        let mut tiles = vec![0; count + 1];
        for at in (0..=count).filter(|&at| at != cell) {
            tiles[self.original(at)] = order.next().expect("there is a tile for each other cell");
        }
        Board::new(goal.size(), tiles).expect("an order has every tile once")
    }

    /// Returns the slab, the word and the bit of a board that can reach the goal.
    #[cfg(test)]
    pub(super) fn place(&self, board: &Board) -> (usize, usize, usize) {
        let cells = (0..self.cells()).map(|cell| board.tiles()[self.original(cell)]);
        let cell = cells.clone().position(|tile| tile == 0).unwrap();
        let mut left = self.tiles.clone();
        let mut number = 0;
        for tile in cells.filter(|&tile| tile != 0).take(self.cells() - 3) {
            let digit = left.iter().position(|&other| other == tile).unwrap();
            number = number * left.len() + digit;
            left.remove(digit);
        }
        (cell, number / WORD_BOARDS, number % WORD_BOARDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_search::Random;
    use taquin_tiles::{NamedGoal, scramble};

    #[test]
    fn boards_and_places_are_inverse() {
        for size in ["3x3", "2x5", "6x2", "4x3", "3x4", "2x7", "3x5"] {
            let goal = NamedGoal::Snail.board(size.parse().unwrap(), 1);
            let numbering = Numbering::new(&goal).unwrap();
            assert_eq!(numbering.place(&goal), (numbering.goal_cell(), 0, 0));
            let mut random = Random::new(7);
            for _ in 0..1_000 {
                let board = scramble::uniform(&goal, &mut random);
                let (cell, word, bit) = numbering.place(&board);
                assert!(word < numbering.blocks() * BLOCK_WORDS && bit < WORD_BOARDS);
                assert_eq!(numbering.board(&goal, cell, word, bit), board, "{size}");
            }
        }
    }

    #[test]
    fn boards_without_a_kernel_are_refused() {
        for size in ["2x2", "2x4", "3x2", "1x9", "4x4", "2x8", "5x5"] {
            assert!(Numbering::new(&NamedGoal::Last.board(size.parse().unwrap(), 1)).is_none());
        }
        assert!(Numbering::new(&NamedGoal::Last.board("3x3".parse().unwrap(), 2)).is_none());
    }
}
