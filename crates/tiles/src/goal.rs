//! Goals with a name.

use crate::board::Board;
use crate::size::{Size, Tile};

taquin_search::named_enum! {
    /// A named goal: its tiles in order, its blanks together at one end.
    #[derive(Default)]
    pub enum NamedGoal: "goal" {
        /// `1 2 3 .. 0`: row by row, blanks last.
        #[default]
        Last = "last",
        /// `0 1 2 3 ..`: row by row, blanks first.
        First = "first",
        /// A spiral from the top left corner inwards, blanks at its end.
        Snail = "snail" | "spiral",
    }
}

impl NamedGoal {
    /// Returns the goal on a board of `size` with `blanks` blanks.
    ///
    /// ```
    /// use taquin_tiles::NamedGoal;
    ///
    /// let size = "3x3".parse()?;
    /// assert_eq!(NamedGoal::First.board(size, 1).to_string(), "0 1 2/3 4 5/6 7 8");
    /// assert_eq!("spiral".parse::<NamedGoal>()?.board(size, 2).to_string(), "1 2 3/0 0 4/7 6 5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics unless there is at least one blank and at most one for each cell.
    pub fn board(self, size: Size, blanks: usize) -> Board {
        assert!((1..=size.cells()).contains(&blanks), "{blanks} blanks on a {size} board");
        let tiles = (size.cells() - blanks) as Tile;
        let zeros = std::iter::repeat_n(0, blanks);
        let tiles = match self {
            Self::Last => (1..=tiles).chain(zeros).collect(),
            Self::First => zeros.chain(1..=tiles).collect(),
            Self::Snail => {
                let mut board = vec![0; size.cells()];
                for (cell, tile) in spiral(size).zip(1..=tiles) {
                    board[cell] = tile;
                }
                board
            }
        };
        Board::new(size, tiles).expect("a goal has each tile once")
    }
}

/// Returns the cells from the top left corner clockwise inwards.
fn spiral(size: Size) -> impl Iterator<Item = usize> {
    let (rows, cols) = (size.rows(), size.cols());
    (0..rows.min(cols).div_ceil(2)).flat_map(move |ring| {
        let (top, bottom, left, right) = (ring, rows - 1 - ring, ring, cols - 1 - ring);
        let across = (left..=right).map(move |col| (top, col));
        let down = (top + 1..=bottom).map(move |row| (row, right));
        // A ring of a single row or column ends here.
        let back = (left..right).rev().filter(move |_| bottom > top).map(move |col| (bottom, col));
        let up = (top + 1..bottom).rev().filter(move |_| right > left).map(move |row| (row, left));
        across.chain(down).chain(back).chain(up).map(move |(row, col)| row * cols + col)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(goal: NamedGoal, rows: usize, cols: usize, blanks: usize) -> Vec<Tile> {
        goal.board(Size::new(rows, cols).unwrap(), blanks).tiles().to_vec()
    }

    #[test]
    fn goals_are_as_drawn() {
        assert_eq!(tiles(NamedGoal::Last, 2, 3, 2), [1, 2, 3, 4, 0, 0]);
        assert_eq!(tiles(NamedGoal::First, 2, 3, 2), [0, 0, 1, 2, 3, 4]);
        assert_eq!(tiles(NamedGoal::Snail, 3, 3, 1), [1, 2, 3, 8, 0, 4, 7, 6, 5]);
        assert_eq!(tiles(NamedGoal::Snail, 3, 4, 2), [1, 2, 3, 4, 10, 0, 0, 5, 9, 8, 7, 6]);
        assert_eq!(tiles(NamedGoal::Snail, 2, 2, 1), [1, 2, 0, 3]);
        assert_eq!(tiles(NamedGoal::Snail, 1, 3, 1), [1, 2, 0]);
        assert_eq!(tiles(NamedGoal::Snail, 3, 1, 1), [1, 2, 0]);
    }

    #[test]
    fn spirals_visit_every_cell_once() {
        for rows in 1..8 {
            for cols in 1..8 {
                let size = Size::new(rows, cols).unwrap();
                let mut cells: Vec<usize> = spiral(size).collect();
                cells.sort_unstable();
                assert!(cells.into_iter().eq(0..size.cells()), "{size}");
            }
        }
    }
}
