//! Boards to text, in the notations that [`read_board`](crate::read_board) reads.

use std::fmt;

use crate::board::Board;
use crate::read::is_blank;
use crate::size::Tile;

taquin_search::named_enum! {
    /// How a board is written.
    #[derive(Default)]
    pub enum BoardFormat: "format" {
        /// `1 2 3/4 5 6/7 8 0`. A board with one row ends with a slash to distinguish it from a
        /// flat list.
        #[default]
        Slashes = "slashes",
        /// A line per row, in aligned columns. A board with one row ends with a slash.
        Rows = "rows",
        /// `[[1,2,3],[4,5,6],[7,8,0]]`.
        Nested = "nested",
        /// `1,2,3,4,5,6,7,8,0`; unless the board is square, its size is needed to read it.
        Flat = "flat",
        /// `123456780`, or `123/450` if the board is not square; for one-digit tiles only.
        Digits = "digits",
        /// The size (`3` for a square, else `3x4`) on a line of its own, then a line for each row.
        Sized = "sized",
    }
}

impl BoardFormat {
    /// Whether a board takes a line for each row.
    pub const fn takes_lines(self) -> bool {
        matches!(self, Self::Rows | Self::Sized)
    }
}

/// Why a board cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// This tile has more than one digit.
    #[error("tile {0} has more than one digit")]
    Digits(Tile),
    /// This character is not read as a blank.
    #[error("a blank is not written '{}': use 0, b, _, *, x or .", .0.escape_debug())]
    Blank(char),
}

/// Writes a board, with `blank` (usually `0`) for a blank. No end of line follows.
///
/// ```
/// use taquin_tiles::{Board, BoardFormat, write_board};
///
/// let board: Board = "1 2 3/4 0 5".parse()?;
/// assert_eq!(write_board(&board, BoardFormat::Nested, '0')?, "[[1,2,3],[4,0,5]]");
/// assert_eq!(write_board(&board, BoardFormat::Rows, '.')?, "1 2 3\n4 . 5");
/// assert!(BoardFormat::Rows.takes_lines());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if a tile has more digits than the format allows, or if `blank` would not be read as a
/// blank.
pub fn write_board(board: &Board, format: BoardFormat, blank: char) -> Result<String, WriteError> {
    if !is_blank(blank) {
        return Err(WriteError::Blank(blank));
    }
    let size = board.size();
    let is_square = size.rows() == size.cols();
    Ok(match format {
        BoardFormat::Slashes => one_row_marked(board, join(board, blank, 0, " ", "/")),
        BoardFormat::Rows => one_row_marked(board, aligned(board, blank)),
        BoardFormat::Nested => format!("[[{}]]", join(board, blank, 0, ",", "],[")),
        BoardFormat::Flat => join(board, blank, 0, ",", ","),
        BoardFormat::Digits => {
            if let Some(&tile) = board.tiles().iter().find(|&&tile| tile > 9) {
                return Err(WriteError::Digits(tile));
            }
            one_row_marked(board, join(board, blank, 0, "", if is_square { "" } else { "/" }))
        }
        // Below `1` a single blank would be read as the second row of a column.
        BoardFormat::Sized if is_square && size.cells() > 1 => {
            format!("{}\n{}", size.rows(), aligned(board, blank))
        }
        BoardFormat::Sized => format!("{size}\n{}", aligned(board, blank)),
    })
}

impl fmt::Display for Board {
    /// Writes the board with slashes, `1 2 3/4 5 6/7 8 0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&one_row_marked(self, join(self, '0', 0, " ", "/")))
    }
}

/// Joins the tiles, padded to `width`, with separators between tiles and between rows.
fn join(board: &Board, blank: char, width: usize, between: &str, rows: &str) -> String {
    let text = |&tile: &Tile| match tile {
        0 => format!("{blank:>width$}"),
        _ => format!("{tile:>width$}"),
    };
    let row = |row: &[Tile]| row.iter().map(text).collect::<Vec<_>>().join(between);
    board.rows().map(row).collect::<Vec<_>>().join(rows)
}

fn aligned(board: &Board, blank: char) -> String {
    let largest = board.tiles().iter().max().map_or(1, |tile| tile.to_string().len());
    join(board, blank, largest, " ", "\n")
}

fn one_row_marked(board: &Board, text: String) -> String {
    if board.size().rows() == 1 && board.size().cols() > 1 { text + "/" } else { text }
}
