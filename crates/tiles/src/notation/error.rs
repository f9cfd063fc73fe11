//! Why moves cannot be made, with a hint.

use crate::board::{SlideError, next_to};
use crate::size::Tile;
use crate::step::Move;
use crate::text::Place;

use super::Notation;

/// Which move cannot be made, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {index} ({word}): {fault}")]
pub struct MovesError {
    index: usize,
    word: String,
    place: Option<Place>,
    notation: Option<Notation>,
    fault: MoveFault,
}

/// A fault in a move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum MoveFault {
    #[error("this is not U, D, L or R")]
    Letter,
    #[error("a count is 1 or more")]
    Zero,
    #[error("there are more than {0} moves")]
    TooMany(u64),
    /// The board does not allow it.
    #[error(transparent)]
    Slide(SlideError),
    /// The tile does not exist; this is the number of tiles.
    #[error("there is no such tile")]
    NoTile(usize),
    #[error("there is no blank {} tile {tile}", next_to(*side))]
    NoBlankBeside { tile: Tile, side: Move },
    #[error("no {notation} can go {}", towards(*letter))]
    Blocked {
        letter: Move,
        /// Whether blanks or tiles are meant.
        notation: Notation,
    },
    #[error("{count} {notation}s can go {}", towards(*letter))]
    Ambiguous {
        letter: Move,
        /// Whether blanks or tiles are meant.
        notation: Notation,
        count: usize,
        /// The first two of the tiles that would move.
        tiles: [Tile; 2],
    },
}

impl MovesError {
    pub(super) const fn new(
        made: usize,
        word: String,
        place: Option<Place>,
        notation: Option<Notation>,
        fault: MoveFault,
    ) -> Self {
        Self { index: made + 1, word, place, notation, fault }
    }

    /// Returns the move's number, from 1. A count is that many moves.
    ///
    /// ```
    /// # use taquin_tiles::{Board, read_moves};
    /// let board: Board = "123456708".parse()?;
    /// assert_eq!(read_moves("R U D D", None, &board).unwrap_err().index(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the place of the move, if it was read from a text.
    pub const fn place(&self) -> Option<Place> {
        self.place
    }

    /// Returns the notation in which the move was read, if it was read from a text.
    pub const fn notation(&self) -> Option<Notation> {
        self.notation
    }

    /// Returns what is wrong.
    ///
    /// ```
    /// # use taquin_tiles::{Board, read_moves};
    /// let board: Board = "123456708".parse()?;
    /// let error = read_moves("D", None, &board).unwrap_err();
    /// assert_eq!(error.fault().to_string(), "the blank is in the bottom row");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn fault(&self) -> &MoveFault {
        &self.fault
    }

    /// Returns what would correct it.
    pub fn hint(&self) -> Option<String> {
        Some(match self.fault {
            MoveFault::Letter => "write moves as URDL, or R7 for a move with its tile".to_owned(),
            MoveFault::Zero => "omit the move".to_owned(),
            MoveFault::TooMany { .. } => "give a shorter list of moves".to_owned(),
            MoveFault::Slide(SlideError::Edge(step)) => {
                let notation = self.notation?;
                let (letter, other) = (notation.turn(step), notation.opposite());
                let towards = towards(letter);
                format!(
                    "in {notation} notation {letter} sends the {notation} {towards}; is this {other} notation?"
                )
            }
            MoveFault::Slide(_) | MoveFault::NoTile(0) => return None,
            MoveFault::NoTile(tiles) => format!("the tiles are 1 to {tiles}"),
            MoveFault::NoBlankBeside { .. } | MoveFault::Blocked { .. } => {
                let notation = self.notation?;
                let other = notation.opposite();
                format!(
                    "in {notation} notation a letter says where the {notation} goes; is this {other} notation?"
                )
            }
            MoveFault::Ambiguous { letter, tiles: [one, two], .. } => {
                format!("write the tile that moves, as in {letter}{one} or {letter}{two}")
            }
        })
    }
}

const fn towards(letter: Move) -> &'static str {
    match letter {
        Move::Up => "up",
        Move::Left => "left",
        Move::Right => "right",
        Move::Down => "down",
    }
}
