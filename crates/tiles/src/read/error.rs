//! Why a text is not a board, with a hint.

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
    /// It is longer than any board.
    #[error("a board has at most {} bytes of text, and this is longer", with_commas(*.0))]
    TooLarge(usize),
    /// It has a byte that is not part of UTF-8 text, or is 0.
    #[error("the byte {0:#04x} is not text")]
    NotText(u8),
    /// It has no words.
    #[error("there is no board here")]
    Empty,
    /// It has more tiles than any board.
    #[error("there are more than {} tiles", with_commas(MAX_CELLS))]
    TooManyTiles,
    /// A bracket closes nothing, or another bracket than the open one.
    #[error("'{found}' closes {}", open.map_or("nothing".to_owned(), |open| format!("a '{open}'")))]
    Bracket {
        /// The bracket.
        found: char,
        /// The one that is open.
        open: Option<char>,
    },
    /// A bracket is never closed.
    #[error("'{0}' is never closed")]
    Unclosed(char),
    /// Brackets are neither a list of tiles nor a list of rows.
    #[error("the brackets are neither one list of tiles nor a list of rows")]
    Depth,
    /// A word (or its beginning) is neither a number nor a blank.
    #[error("'{0}' is not a tile's number")]
    NotATile(String),
    /// The size line is not the size of a board.
    #[error(transparent)]
    Size(SizeError),
    /// The size line differs from the size that the caller gives.
    #[error("the size line says {announced}, but the size given is {given}")]
    SizesDiffer {
        /// The caller's size.
        given: Size,
        /// The text's size.
        announced: Size,
    },
    /// No tiles follow the size line.
    #[error("the size {0} is announced, but no tiles follow")]
    NoTiles(Size),
    /// A number of tiles in one row is not that of a square board.
    #[error("{} in one row are not a square board", many(*.0, "tile"))]
    NeedsSize(usize),
    /// Rows have different lengths.
    #[error("row {row} has {}, but row 1 has {first}", many(*found, "tile"))]
    Ragged {
        /// The row, from 1.
        row: usize,
        /// The number of its tiles.
        found: usize,
        /// The number of tiles of the first row.
        first: usize,
    },
    /// A row is too long or too short for the size.
    #[error("row {row} has {}, but a row of a {size} board has {}", many(*found, "tile"), size.cols())]
    Row {
        /// The row, from 1.
        row: usize,
        /// The number of its tiles.
        found: usize,
        /// The size, given or announced.
        size: Size,
    },
    /// The rows are those of a board of another size.
    #[error("the size is {size}, but there {}", rows_of(*rows, *cols))]
    Shape {
        /// The size, given or announced.
        size: Size,
        /// The number of rows.
        rows: usize,
        /// The number of tiles of each row, if it is the same.
        cols: Option<usize>,
    },
    /// The number of tiles is not that of cells.
    #[error("a {size} board has {}, not {found}", many(size.cells(), "cell"))]
    Count {
        /// The size, given or announced.
        size: Size,
        /// The number of tiles.
        found: usize,
    },
    /// There is no blank.
    #[error("there is no blank")]
    NoBlank,
    /// A number exceeds the number of tiles.
    #[error(
        "tile {tile} is out of range: {} and {} make the numbers 0 to {tiles}",
        many(*tiles, "tile"),
        many(*blanks, "blank")
    )]
    OutOfRange {
        /// The number as it is written, or its beginning.
        tile: String,
        /// The number of cells minus the blanks.
        tiles: usize,
        /// The number of blanks.
        blanks: usize,
        /// The least tile that is missing.
        missing: Tile,
    },
    /// A tile appears twice.
    #[error("tile {tile} appears twice (first at {first})")]
    Duplicate {
        /// The tile.
        tile: Tile,
        /// Its first place.
        first: Place,
        /// The least tile that is missing.
        missing: Tile,
    },
}

impl ReadError {
    pub(super) const fn new(place: Option<Place>, fault: ReadFault) -> Self {
        Self { place, fault }
    }

    /// Returns the place of the error, unless it is the whole text.
    pub const fn place(&self) -> Option<Place> {
        self.place
    }

    /// Returns what is wrong.
    pub const fn fault(&self) -> &ReadFault {
        &self.fault
    }

    /// Returns what would correct it.
    pub fn hint(&self) -> Option<ReadHint> {
        Some(match self.fault {
            ReadFault::TooLarge(_) => ReadHint::Advice("give a file that holds one board"),
            ReadFault::TooManyTiles => ReadHint::MostCells,
            ReadFault::NotText { .. } => ReadHint::Advice("save the board as plain UTF-8 text"),
            ReadFault::Empty => ReadHint::Advice("write the tiles row by row: 1 2 3/4 5 6/7 8 0"),
            ReadFault::Bracket { open: Some(open), .. } | ReadFault::Unclosed(open) => {
                ReadHint::Close(closing(open))
            }
            ReadFault::Bracket { open: None, .. } => ReadHint::Advice("omit it"),
            ReadFault::Depth => ReadHint::Advice("write [[1,2],[3,0]], or [1,2,3,0]"),
            ReadFault::NotATile { .. } => {
                ReadHint::Advice("a tile is a number such as 7, a blank is 0, b, _, *, x or .")
            }
            ReadFault::Size(_) => return None,
            ReadFault::SizesDiffer { .. } => ReadHint::Advice("omit the one that is wrong"),
            ReadFault::NoTiles { .. } => ReadHint::Advice("write the tiles below the size"),
            ReadFault::NeedsSize(tiles) => {
                let rows = (1..=tiles.isqrt()).rev().find(|rows| tiles.is_multiple_of(*rows))?;
                ReadHint::GiveSize(Size::new(rows, tiles / rows).ok()?)
            }
            ReadFault::Ragged { .. } => {
                ReadHint::Advice("all rows of a board have the same number of tiles")
            }
            ReadFault::Row { found, size, .. } => ReadHint::Tiles { found, wanted: size.cols() },
            ReadFault::Count { found, size } => ReadHint::Tiles { found, wanted: size.cells() },
            ReadFault::Shape { rows, cols: Some(cols), .. } => ReadHint::IsSize { rows, cols },
            ReadFault::Shape { size, cols: None, .. } => ReadHint::WantsSize(size),
            ReadFault::NoBlank => ReadHint::Advice("write the blank as 0, b, _, *, x or ."),
            // With one blank the number would be valid, so a blank is probably the error.
            ReadFault::OutOfRange { ref tile, tiles, blanks, missing }
                if tile.parse().is_ok_and(|tile: usize| tile < tiles + blanks) =>
            {
                ReadHint::BlankForTile { blanks, tile: missing }
            }
            ReadFault::OutOfRange { missing, .. } | ReadFault::Duplicate { missing, .. } => {
                ReadHint::MissingTile(missing)
            }
        })
    }
}

/// What would correct a text. `Display` words it for any user interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadHint {
    /// The size has to be given, for example this one.
    #[error("give the size, for example {0}, or end each row with /")]
    GiveSize(Size),
    /// A tile is missing, and probably belongs where the error is.
    #[error("{} is missing; did you mean {} here?", match .0 {
        0 => "the blank".to_owned(),
        tile => format!("tile {tile}"),
    }, .0)]
    MissingTile(Tile),
    /// The board is too large.
    #[error("a board has at most {} cells, as 255x257 has", with_commas(MAX_CELLS))]
    MostCells,
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
    #[error("a {size} board has {} of {}", many(.0.rows(), "row"), many(.0.cols(), "tile"), size = .0)]
    WantsSize(Size),
    /// A bracket has to be closed.
    #[error("close it with '{0}'")]
    Close(char),
    /// Advice that does not depend on the text.
    #[error("{0}")]
    Advice(&'static str),
}

/// Writes a number with separators: `65,535`.
fn with_commas(number: usize) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", with_commas(thousands), number % 1_000),
    }
}

/// Returns a number of things: `1 tile`, `2 tiles`.
fn many(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}

/// Returns a number of things with its verb: `1 tile is`, `2 tiles are`.
fn are(number: usize, thing: &str) -> String {
    format!("{} {}", many(number, thing), if number == 1 { "is" } else { "are" })
}

fn rows_of(rows: usize, cols: Option<usize>) -> String {
    let verb = if rows == 1 { "is" } else { "are" };
    let tiles = cols.map_or_else(String::new, |cols| format!(" of {}", many(cols, "tile")));
    format!("{verb} {}{tiles}", many(rows, "row"))
}
