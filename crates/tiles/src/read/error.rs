//! Why a text is not a board, with a hint.

use crate::notation::MovesError;
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

/// A fault in a text that should be a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ReadFault {
    #[error("a board has at most {} bytes of text, and this is longer", with_commas(*.0))]
    TooLarge(usize),
    /// It has a byte that is not part of UTF-8 text, or is 0.
    #[error("the byte {0:#04x} is not text")]
    NotText(u8),
    #[error("there is no board here")]
    Empty,
    #[error("there are more than {} tiles", with_commas(MAX_CELLS))]
    TooManyTiles,
    #[error("'{found}' closes {}", open.map_or("nothing".to_owned(), |open| format!("a '{open}'")))]
    Bracket { found: char, open: Option<char> },
    #[error("'{0}' is never closed")]
    Unclosed(char),
    #[error("the brackets are neither one list of tiles nor a list of rows")]
    Depth,
    /// A word (or its beginning) is neither a number nor a blank.
    #[error("'{0}' is not a tile's number")]
    NotATile(String),
    /// The size line is not the size of a board.
    #[error(transparent)]
    Size(SizeError),
    #[error("the size line says {announced}, but the size given is {given}")]
    SizesDiffer { given: Size, announced: Size },
    #[error("the size {0} is announced, but no tiles follow")]
    NoTiles(Size),
    /// The tiles in one row do not form a square board.
    #[error("{} in one row are not a square board", many(*.0, "tile"))]
    NeedsSize(usize),
    /// The tiles in one row would form a square board with a blank.
    #[error("{} in one row are not a square board, and none is a blank", many(*.0, "tile"))]
    NeedsBlank(usize),
    #[error("row {row} has {}, but row 1 has {first}", many(*found, "tile"))]
    Ragged { row: usize, found: usize, first: usize },
    #[error("row {row} has {}, but a row of a {size} board has {}", many(*found, "tile"), size.cols())]
    Row { row: usize, found: usize, size: Size },
    #[error("the size is {size}, but there {}", rows_of(*rows, *cols))]
    Shape {
        size: Size,
        rows: usize,
        /// The number of tiles per row, if it is the same.
        cols: Option<usize>,
    },
    #[error("a {size} board has {}, not {found}", many(size.cells(), "cell"))]
    Count { size: Size, found: usize },
    #[error("there is no blank")]
    NoBlank,
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
        blanks: usize,
        /// The least tile that is missing.
        missing: Tile,
    },
    /// Moves instead of a board are not possible.
    #[error(transparent)]
    Scramble(MovesError),
    /// It has two readings: boards with their sizes.
    #[error("this is {} below its size, or {} with the first line as a row", .0[0].1, .0[1].1)]
    Ambiguous([(Size, String); 2]),
    #[error("tile {tile} appears twice (first at {first})")]
    Duplicate {
        tile: Tile,
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
    ///
    /// ```
    /// # use taquin_tiles::{ReadFault, read_board};
    /// assert_eq!(read_board("", None).unwrap_err().fault(), &ReadFault::Empty);
    /// ```
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
            ReadFault::Size(_) | ReadFault::Scramble(_) => return None,
            ReadFault::Ambiguous([(one, _), (other, _)]) => ReadHint::GiveEither(one, other),
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
            ReadFault::NeedsBlank(_) | ReadFault::NoBlank => {
                ReadHint::Advice("write the blank as 0, b, _, *, x or .")
            }
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

/// A correction of a text. `Display` words it for any user interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ReadHint {
    #[error("give the size, for example {0}, or end each row with /")]
    GiveSize(Size),
    #[error("give the size, {0} or {1}")]
    GiveEither(Size, Size),
    #[error("{} is missing; did you mean {} here?", match .0 {
        0 => "the blank".to_owned(),
        tile => format!("tile {tile}"),
    }, .0)]
    MissingTile(Tile),
    #[error("a board has at most {} cells, as 255x257 has", with_commas(MAX_CELLS))]
    MostCells,
    #[error("tile {tile} is missing; is one of the {blanks} blanks meant to be {tile}?")]
    BlankForTile { blanks: usize, tile: Tile },
    #[error("{}", match wanted.checked_sub(*found) {
        Some(short) => format!("{} missing", are(short, "tile")),
        None => format!("{} too many", are(found - wanted, "tile")),
    })]
    Tiles { found: usize, wanted: usize },
    #[error("the size of these rows is {rows}x{cols}")]
    IsSize { rows: usize, cols: usize },
    #[error("a {size} board has {} of {}", many(.0.rows(), "row"), many(.0.cols(), "tile"), size = .0)]
    WantsSize(Size),
    #[error("close it with '{0}'")]
    Close(char),
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
