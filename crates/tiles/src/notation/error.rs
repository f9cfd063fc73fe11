//! Why moves can't be made, in words and with a remedy.

use crate::board::{SlideError, beside};
use crate::size::Tile;
use crate::step::Move;
use crate::text::Place;

use super::Notation;

/// Which move can't be made, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {index} ({word}): {fault}")]
pub struct MovesError {
    index: usize,
    word: String,
    place: Option<Place>,
    notation: Option<Notation>,
    fault: MoveFault,
}

/// What is wrong with a move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MoveFault {
    /// It does not begin with a move's letter.
    #[error("this is not U, D, L or R")]
    Letter,
    /// A number where the letter alone says it all.
    #[error("blank notation has no counts")]
    Number,
    /// A count of no moves.
    #[error("a count is 1 or more")]
    Zero,
    /// More moves than can be held.
    #[error("there are more than {most} moves")]
    TooMany {
        /// How many there may be.
        most: u64,
    },
    /// The board does not allow it.
    #[error(transparent)]
    Slide(SlideError),
    /// The number is no tile's.
    #[error("there is no such tile")]
    NoTile {
        /// How many tiles there are.
        tiles: usize,
    },
    /// The tile has nowhere to go.
    #[error("there is no blank {} tile {tile}", beside(*side))]
    NoBlankBeside {
        /// The tile.
        tile: Tile,
        /// Where it would go.
        side: Move,
    },
    /// None of several blanks can go there.
    #[error("no {notation} can go {}", towards(*letter))]
    Blocked {
        /// Where.
        letter: Move,
        /// Whether blanks or tiles are meant.
        notation: Notation,
    },
    /// More than one of several blanks can go there.
    #[error("{count} {notation}s can go {}", towards(*letter))]
    Ambiguous {
        /// Where.
        letter: Move,
        /// Whether blanks or tiles are meant.
        notation: Notation,
        /// How many.
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

    /// The number of the move, from 1; a count is that many moves.
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Where the move stands, if it was read from a text.
    pub const fn place(&self) -> Option<Place> {
        self.place
    }

    /// What is wrong with it.
    pub const fn fault(&self) -> &MoveFault {
        &self.fault
    }

    /// What would put it right.
    pub fn hint(&self) -> Option<String> {
        Some(match self.fault {
            MoveFault::Letter => "write moves as URDL, or R7 for a move with its tile".to_owned(),
            MoveFault::Number => {
                "write the letter once for each move, or use tile notation".to_owned()
            }
            MoveFault::Zero => "leave the move out".to_owned(),
            MoveFault::TooMany { .. } => "give a shorter list of moves".to_owned(),
            MoveFault::Slide(SlideError::Edge { step }) => {
                let notation = self.notation?;
                let (letter, other) = (notation.turn(step), notation.opposite());
                let towards = towards(letter);
                format!(
                    "in {notation} notation {letter} sends the {notation} {towards}; is this {other} notation?"
                )
            }
            MoveFault::Slide(_) | MoveFault::NoTile { tiles: 0 } => return None,
            MoveFault::NoTile { tiles } => format!("the tiles are 1 to {tiles}"),
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
