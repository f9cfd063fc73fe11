//! The shape of a board.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A tile's number; 0 is a blank. An alias, because tiles index tables everywhere.
pub type Tile = u16;

/// A cell's index, row by row from the top left corner.
pub type Cell = u16;

/// The most cells on a board: cell indices and tile numbers fit in 16 bits.
pub const MAX_CELLS: usize = u16::MAX as usize;

/// The rows and columns of a board with 1 to 65,535 cells.
///
/// ```
/// use taquin_tiles::Size;
///
/// let size: Size = "3x4".parse()?;
/// assert_eq!((size.rows(), size.cols(), size.cells()), (3, 4, 12));
/// assert_eq!((size.row(6), size.col(6)), (1, 2));
/// assert_eq!(size.distance(6, 11), 2); // one step right, one down
/// assert!(Size::new(1, 5)?.is_line());
/// assert!(Size::new(0, 5).is_err());
/// # Ok::<(), taquin_tiles::SizeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "(u16, u16)", into = "(u16, u16)")]
pub struct Size {
    rows: u16,
    cols: u16,
}

/// Why a pair of numbers is not a board size.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum SizeError {
    #[error("a board has at least one row and one column, not {rows}x{cols}")]
    Empty { rows: usize, cols: usize },
    #[error("{rows}x{cols} is more than {MAX_CELLS} cells")]
    TooLarge { rows: usize, cols: usize },
    /// The text is not of the form `4` or `3x4`.
    #[error("'{0}' is not a size: write 3x4, or 4 for 4x4")]
    Malformed(String),
}

impl Size {
    /// Creates the size `rows` by `cols`.
    ///
    /// # Errors
    /// Fails if there are no cells, or more than [`MAX_CELLS`].
    pub fn new(rows: usize, cols: usize) -> Result<Self, SizeError> {
        match rows.checked_mul(cols) {
            Some(0) => Err(SizeError::Empty { rows, cols }),
            Some(cells) if cells <= MAX_CELLS => Ok(Self { rows: rows as u16, cols: cols as u16 }),
            _ => Err(SizeError::TooLarge { rows, cols }),
        }
    }

    /// Returns the number of rows.
    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    /// Returns the number of columns.
    pub const fn cols(self) -> usize {
        self.cols as usize
    }

    /// Returns the number of cells.
    pub const fn cells(self) -> usize {
        self.rows() * self.cols()
    }

    /// Returns whether the board is a single row or column, where tiles cannot pass each other.
    pub const fn is_line(self) -> bool {
        self.rows == 1 || self.cols == 1
    }

    /// Returns the row of a cell.
    pub const fn row(self, cell: Cell) -> usize {
        cell as usize / self.cols()
    }

    /// Returns the column of a cell.
    pub const fn col(self, cell: Cell) -> usize {
        cell as usize % self.cols()
    }

    /// Returns the number of steps between two cells.
    pub const fn distance(self, a: Cell, b: Cell) -> usize {
        self.row(a).abs_diff(self.row(b)) + self.col(a).abs_diff(self.col(b))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl FromStr for Size {
    type Err = SizeError;

    /// Reads `3x4` (or `3X4`, `3×4`), and `4` for a square.
    fn from_str(text: &str) -> Result<Self, SizeError> {
        let malformed = || SizeError::Malformed(crate::text::excerpt(text));
        // Only digits: `parse` would also accept a sign.
        let number = |part: &str| match part.bytes().all(|b| b.is_ascii_digit()) {
            true => part.parse::<usize>().map_err(|_| malformed()),
            false => Err(malformed()),
        };
        match text.split_once(['x', 'X', '×']) {
            Some((rows, cols)) => Self::new(number(rows)?, number(cols)?),
            None => number(text).and_then(|side| Self::new(side, side)),
        }
    }
}

impl TryFrom<(u16, u16)> for Size {
    type Error = SizeError;

    fn try_from((rows, cols): (u16, u16)) -> Result<Self, SizeError> {
        Self::new(rows.into(), cols.into())
    }
}

impl From<Size> for (u16, u16) {
    fn from(size: Size) -> Self {
        (size.rows, size.cols)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_round_trip_and_bad_ones_are_refused() {
        for text in ["1x1", "3x4", "1x65535", "255x257"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
        assert_eq!("4".parse(), Size::new(4, 4));
        for text in [
            "",
            "x",
            "3x",
            "0x3",
            "-1x2",
            "+3",
            "256x256",
            "1x65536",
            "3x4x5",
            "99999999999999999999x1",
        ] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
