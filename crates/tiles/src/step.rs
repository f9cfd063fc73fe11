//! Moves, named after the blank's direction.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::size::{Cell, Size};
use crate::text::excerpt;

/// The direction in which a blank moves; the tile moves the other way.
///
/// ```
/// use taquin_tiles::{Move, Size};
///
/// let size = Size::new(3, 3)?;
/// assert_eq!(Move::Up.target(size, 4), Some(1));
/// assert_eq!(Move::Up.target(size, 1), None); // the top row
/// assert_eq!(Move::from_letter('l'), Some(Move::Left));
/// assert_eq!(Move::Left.opposite().letter(), 'R');
/// # Ok::<(), taquin_tiles::SizeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Move {
    /// The blank moves up: the tile above it moves down.
    #[serde(rename = "U")]
    Up,
    /// The blank moves left.
    #[serde(rename = "L")]
    Left,
    /// The blank moves right.
    #[serde(rename = "R")]
    Right,
    /// The blank moves down.
    #[serde(rename = "D")]
    Down,
}

impl Move {
    /// All four, in the default order.
    pub const ALL: [Self; 4] = [Self::Up, Self::Left, Self::Right, Self::Down];

    /// Returns the move that undoes it.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Down => Self::Up,
        }
    }

    /// Returns its letter: U, L, R or D.
    pub const fn letter(self) -> char {
        match self {
            Self::Up => 'U',
            Self::Left => 'L',
            Self::Right => 'R',
            Self::Down => 'D',
        }
    }

    /// Returns the move of a letter, in upper or lower case.
    pub const fn from_letter(letter: char) -> Option<Self> {
        match letter {
            'U' | 'u' => Some(Self::Up),
            'L' | 'l' => Some(Self::Left),
            'R' | 'r' => Some(Self::Right),
            'D' | 'd' => Some(Self::Down),
            _ => None,
        }
    }

    /// Returns the cell a step from `cell`, if it is on the board.
    pub const fn target(self, size: Size, cell: Cell) -> Option<Cell> {
        let cols = size.cols() as Cell;
        match self {
            Self::Up if size.row(cell) > 0 => Some(cell - cols),
            Self::Left if size.col(cell) > 0 => Some(cell - 1),
            Self::Right if size.col(cell) + 1 < size.cols() => Some(cell + 1),
            Self::Down if size.row(cell) + 1 < size.rows() => Some(cell + cols),
            _ => None,
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// One move on a board: a blank and its direction.
///
/// ```
/// use taquin_tiles::{Move, Size, Slide};
///
/// let slide = Slide { blank: 4, step: Move::Down };
/// assert_eq!(slide.target(Size::new(3, 3)?), 7);
/// # Ok::<(), taquin_tiles::SizeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Slide {
    /// The cell that the blank leaves.
    pub blank: Cell,
    /// The direction.
    pub step: Move,
}

impl Slide {
    /// Returns the cell that the blank enters and the tile leaves. The slide has to stay on the
    /// board.
    #[inline]
    pub const fn target(self, size: Size) -> Cell {
        // Without a branch, because the direction is unpredictable. In their order the first two
        // moves go back, and the middle two are horizontal.
        let (step, cols) = (self.step as Cell, size.cols() as Cell);
        let sideways = (step ^ step >> 1) & 1;
        let distance = cols.wrapping_sub(sideways.wrapping_mul(cols.wrapping_sub(1)));
        let back = (step >> 1).wrapping_sub(1);
        self.blank.wrapping_add((distance ^ back).wrapping_sub(back))
    }
}

/// The order in which a blank's moves are tried.
///
/// ```
/// use taquin_tiles::{Move, MoveOrder};
///
/// let order: MoveOrder = "DRLU".parse()?;
/// assert_eq!(order.moves()[0], Move::Down);
/// assert_eq!(MoveOrder::all().next(), Some(MoveOrder::default())); // of 24
/// # Ok::<(), taquin_tiles::MoveOrderError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MoveOrder([Move; 4]);

impl MoveOrder {
    /// Returns the moves, first to last.
    pub const fn moves(self) -> [Move; 4] {
        self.0
    }

    /// Returns all 24 orders, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..24).map(|number| {
            let mut left = Move::ALL.to_vec();
            Self([number / 6, number / 2 % 3, number % 2, 0].map(|at| left.remove(at)))
        })
    }
}

impl Default for MoveOrder {
    fn default() -> Self {
        Self(Move::ALL)
    }
}

impl fmt::Display for MoveOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| write!(f, "{step}"))
    }
}

/// A text that does not name each of the four moves once.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{0}' is not an order of moves: name each of U, D, L, R once, as in ULRD")]
pub struct MoveOrderError(String);

impl FromStr for MoveOrder {
    type Err = MoveOrderError;

    fn from_str(text: &str) -> Result<Self, MoveOrderError> {
        let error = || MoveOrderError(excerpt(text));
        let moves: Vec<Move> =
            text.chars().map(Move::from_letter).collect::<Option<_>>().ok_or_else(error)?;
        let moves: [Move; 4] = moves.try_into().map_err(|_| error())?;
        match Move::ALL.iter().all(|step| moves.contains(step)) {
            true => Ok(Self(moves)),
            false => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_and_its_opposite_return() {
        let size = Size::new(3, 4).unwrap();
        for cell in 0..12 {
            for step in Move::ALL {
                if let Some(next) = step.target(size, cell) {
                    assert_eq!(step.opposite().target(size, next), Some(cell));
                    assert_eq!(size.distance(cell, next), 1);
                }
            }
        }
        let steps = |cell| Move::ALL.iter().filter(|s| s.target(size, cell).is_some()).count();
        assert_eq!((steps(0), steps(1), steps(5)), (2, 3, 4));
    }

    #[test]
    fn orders_round_trip() {
        for text in ["ULRD", "DLUR", "LRUD"] {
            assert_eq!(text.parse::<MoveOrder>().unwrap().to_string(), text);
        }
        for text in ["", "ULR", "UULR", "ULRDU", "ULRX"] {
            assert!(text.parse::<MoveOrder>().is_err(), "{text}");
        }
        let all: std::collections::BTreeSet<String> =
            MoveOrder::all().map(|order| order.to_string()).collect();
        assert_eq!((MoveOrder::all().next(), all.len()), (Some(MoveOrder::default()), 24));
        assert!(all.iter().all(|text| text.parse::<MoveOrder>().is_ok()));
    }
}
