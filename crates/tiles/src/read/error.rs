//! Why a text is not a board, in words and with a remedy.

use crate::size::{MAX_CELLS, Size, SizeError, Tile};
use crate::text::Place;

use super::closing;

/// Why a text is not a board, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct ReadError {
    place: Option<Place>,
    fault: ReadFault,
}

/// What is wrong with a text that should be a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// More bytes than any board needs.
    #[error("{bytes} bytes are too many for a board: {most} are read at most")]
    TooLarge {
        /// How many there are.
        bytes: usize,
        /// How many may be.
        most: usize,
    },
    /// A byte that is not part of UTF-8 text, or is 0.
    #[error("the byte {byte:#04x} is not text")]
    NotText {
        /// The byte.
        byte: u8,
    },
    /// No words at all.
    #[error("there is no board here")]
    Empty,
    /// More tiles than any board has.
    #[error("there are more than {MAX_CELLS} tiles")]
    TooManyTiles,
    /// A bracket that closes nothing, or another bracket than the open one.
    #[error("'{found}' closes {}", open.map_or("nothing".to_owned(), |open| format!("a '{open}'")))]
    Bracket {
        /// The bracket.
        found: char,
        /// The one that is open.
        open: Option<char>,
    },
    /// A bracket that is never closed.
    #[error("'{open}' is never closed")]
    Unclosed {
        /// The bracket.
        open: char,
    },
    /// Brackets that are neither a list of tiles nor a list of rows.
    #[error("the brackets are neither one list of tiles nor a list of rows")]
    Depth,
    /// A word that is neither a number nor a blank.
    #[error("'{word}' is not a tile's number")]
    NotATile {
        /// The word, or its beginning.
        word: String,
    },
    /// A size line that is not the size of any board.
    #[error(transparent)]
    Size(SizeError),
    /// The size line says one thing, the caller another.
    #[error("the size line says {announced}, but the size given is {given}")]
    SizesDiffer {
        /// The caller's size.
        given: Size,
        /// The text's size.
        announced: Size,
    },
    /// Nothing follows the size line.
    #[error("the size {announced} is announced, but no tiles follow")]
    NoTiles {
        /// The size.
        announced: Size,
    },
    /// One row, which could be cut into rows in several ways or in none.
    #[error("{} in one row are not a square board", many(*tiles, "tile"))]
    NeedsSize {
        /// How many there are.
        tiles: usize,
    },
    /// Rows of different lengths.
    #[error("row {row} has {}, but row 1 has {first}", many(*found, "tile"))]
    Ragged {
        /// The row, from 1.
        row: usize,
        /// How many tiles it has.
        found: usize,
        /// How many the first row has.
        first: usize,
    },
    /// A row that is too long or too short for the size.
    #[error("row {row} has {}, but a row of a {size} board has {}", many(*found, "tile"), size.cols())]
    Row {
        /// The row, from 1.
        row: usize,
        /// How many tiles it has.
        found: usize,
        /// The size, given or announced.
        size: Size,
    },
    /// Rows that make a board of another size.
    #[error("the size is {size}, but there {}", rows_of(*rows, *cols))]
    Shape {
        /// The size, given or announced.
        size: Size,
        /// How many rows there are.
        rows: usize,
        /// How many tiles each has, if all have as many.
        cols: Option<usize>,
    },
    /// Not one tile for each cell.
    #[error("a {size} board has {}, not {found}", many(size.cells(), "cell"))]
    Count {
        /// The size, given or announced.
        size: Size,
        /// How many tiles there are.
        found: usize,
    },
    /// There is nothing to slide into.
    #[error("there is no blank")]
    NoBlank,
    /// A number above the number of tiles.
    #[error(
        "tile {tile} is out of range: {} and {} make the numbers 0 to {tiles}",
        many(*tiles, "tile"),
        many(*blanks, "blank")
    )]
    OutOfRange {
        /// The number as it is written, or its beginning.
        tile: String,
        /// The number of cells less the blanks.
        tiles: usize,
        /// The number of blanks.
        blanks: usize,
        /// The least tile that is missing.
        missing: Tile,
    },
    /// A tile that stands twice.
    #[error("tile {tile} appears twice (first at {first})")]
    Duplicate {
        /// The tile.
        tile: Tile,
        /// Where it stands first.
        first: Place,
        /// The least tile that is missing.
        missing: Tile,
    },
}

impl ReadError {
    pub(super) const fn new(place: Option<Place>, fault: ReadFault) -> Self {
        Self { place, fault }
    }

    /// Where in the text it is, unless it is the text as a whole.
    pub const fn place(&self) -> Option<Place> {
        self.place
    }

    /// What it is.
    pub const fn fault(&self) -> &ReadFault {
        &self.fault
    }

    /// Returns what would put it right.
    pub fn hint(&self) -> Option<ReadHint> {
        Some(match self.fault {
            ReadFault::TooLarge { .. } | ReadFault::TooManyTiles => {
                ReadHint::Advice("give a file that holds one board")
            }
            ReadFault::NotText { .. } => ReadHint::Advice("save the board as plain UTF-8 text"),
            ReadFault::Empty => ReadHint::Advice("write the tiles row by row: 1 2 3/4 5 6/7 8 0"),
            ReadFault::Bracket { open: Some(open), .. } | ReadFault::Unclosed { open } => {
                ReadHint::Close { bracket: closing(open) }
            }
            ReadFault::Bracket { open: None, .. } => ReadHint::Advice("omit it"),
            ReadFault::Depth => ReadHint::Advice("write [[1,2],[3,0]], or [1,2,3,0]"),
            ReadFault::NotATile { .. } => {
                ReadHint::Advice("a tile is a number such as 7, a blank is 0, b, _, *, x or .")
            }
            ReadFault::Size(_) => return None,
            ReadFault::SizesDiffer { .. } => ReadHint::Advice("omit the one that is wrong"),
            ReadFault::NoTiles { .. } => ReadHint::Advice("write the tiles below the size"),
            ReadFault::NeedsSize { tiles } => {
                let rows = (1..=tiles.isqrt()).rev().find(|rows| tiles.is_multiple_of(*rows))?;
                ReadHint::GiveSize { size: Size::new(rows, tiles / rows).ok()? }
            }
            ReadFault::Ragged { .. } => {
                ReadHint::Advice("all rows of a board have the same number of tiles")
            }
            ReadFault::Row { found, size, .. } => ReadHint::Tiles { found, wanted: size.cols() },
            ReadFault::Count { found, size } => ReadHint::Tiles { found, wanted: size.cells() },
            ReadFault::Shape { rows, cols: Some(cols), .. } => ReadHint::IsSize { rows, cols },
            ReadFault::Shape { size, cols: None, .. } => ReadHint::WantsSize { size },
            ReadFault::NoBlank => ReadHint::Advice("write the blank as 0, b, _, *, x or ."),
            // With one blank the number would do, so that a blank is likely to be the slip.
            ReadFault::OutOfRange { ref tile, tiles, blanks, missing }
                if tile.parse().is_ok_and(|tile: usize| tile < tiles + blanks) =>
            {
                ReadHint::BlankForTile { blanks, tile: missing }
            }
            ReadFault::OutOfRange { missing, .. } | ReadFault::Duplicate { missing, .. } => {
                ReadHint::MissingTile { tile: missing }
            }
        })
    }
}

/// What would make a board of a text. [`Display`](std::fmt::Display) words it for any interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadHint {
    /// The size has to be given, for example this one.
    #[error("give the size, for example {size}, or end each row with /")]
    GiveSize {
        /// A size with as many cells as there are tiles.
        size: Size,
    },
    /// A tile is missing, and probably belongs where the error is.
    #[error("tile {tile} is missing; did you mean {tile} here?")]
    MissingTile {
        /// The tile.
        tile: Tile,
    },
    /// A tile is missing, and one of several blanks probably stands for it.
    #[error("tile {tile} is missing; is one of the {blanks} blanks meant to be {tile}?")]
    BlankForTile {
        /// The number of blanks.
        blanks: usize,
        /// The tile.
        tile: Tile,
    },
    /// There are too many tiles, or too few.
    #[error("{}", match wanted.checked_sub(*found) {
        Some(short) => format!("{} missing", are(short, "tile")),
        None => format!("{} too many", are(found - wanted, "tile")),
    })]
    Tiles {
        /// The number of tiles there are.
        found: usize,
        /// The number of tiles there should be.
        wanted: usize,
    },
    /// The rows are a board of this size.
    #[error("the size of these rows is {rows}x{cols}")]
    IsSize {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        cols: usize,
    },
    /// The board should be of this size.
    #[error("a {size} board has {} of {}", many(size.rows(), "row"), many(size.cols(), "tile"))]
    WantsSize {
        /// The size.
        size: Size,
    },
    /// A bracket has to be closed.
    #[error("close it with '{bracket}'")]
    Close {
        /// The bracket that closes it.
        bracket: char,
    },
    /// Advice that does not depend on the text.
    #[error("{0}")]
    Advice(&'static str),
}

/// A number of things: `1 tile`, `2 tiles`.
fn many(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}

/// A number of things with its verb: `1 tile is`, `2 tiles are`.
fn are(number: usize, thing: &str) -> String {
    format!("{} {}", many(number, thing), if number == 1 { "is" } else { "are" })
}

fn rows_of(rows: usize, cols: Option<usize>) -> String {
    let verb = if rows == 1 { "is" } else { "are" };
    let tiles = cols.map_or_else(String::new, |cols| format!(" of {}", many(cols, "tile")));
    format!("{verb} {}{tiles}", many(rows, "row"))
}
