//! Packed boards, for the crates that search them: [`Tiles`] is the state space of a puzzle in a
//! [`Layout`].
//!
//! Up to 16 cells are 4 bits each in a `u64`, up to 25 are 5 bits each in a `u128`; the blanks are
//! also a bit set, so that finding them costs nothing. Larger boards are arrays.

use std::fmt::Debug;
use std::hash::Hash;

use taquin_search::boxed_bytes;

use crate::size::{Cell, Tile};
use crate::step::{Move, Slide};

pub use crate::segments::{Segment, Segments};
pub use crate::space::Tiles;

/// A representation of boards that are stepped in place.
pub trait Layout: 'static {
    /// A board.
    type State: Clone + PartialEq;
    /// The key of a board.
    type Key: Clone + Eq + Hash;
    /// A slide, as small as the cells allow.
    type Action: Copy + Eq + Debug + From<Slide> + Into<Slide>;

    /// Returns the board of these tiles.
    fn state(tiles: &[Tile]) -> Self::State;

    /// Returns the tile on a cell; 0 is a blank.
    fn tile(state: &Self::State, cell: Cell) -> Tile;

    /// Returns whether a cell is blank.
    fn is_blank(state: &Self::State, cell: Cell) -> bool;

    /// Returns the blank cells in row-major order.
    fn blanks(state: &Self::State) -> impl Iterator<Item = Cell>;

    /// Moves the tile on `from` to the blank `to`, and returns it.
    fn slide(state: &mut Self::State, from: Cell, to: Cell) -> Tile;

    /// Returns the key of a board.
    fn key(state: &Self::State) -> Self::Key;

    /// Returns the board of a key.
    fn unpack(key: &Self::Key) -> Self::State;

    /// Returns the bytes of heap memory that a key owns.
    #[inline]
    fn heap_bytes(key: &Self::Key) -> usize {
        let _ = key;
        0
    }
}

/// A slide in one byte, for boards of up to 64 cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SmallSlide(u8);

impl From<Slide> for SmallSlide {
    #[inline]
    fn from(slide: Slide) -> Self {
        Self((slide.blank as u8) << 2 | slide.step as u8)
    }
}

impl From<SmallSlide> for Slide {
    #[inline]
    fn from(SmallSlide(bits): SmallSlide) -> Self {
        let step = match bits & 3 {
            0 => Move::Up,
            1 => Move::Left,
            2 => Move::Right,
            _ => Move::Down,
        };
        Self { blank: (bits >> 2).into(), step }
    }
}

/// An integer with a bit field for each cell, and the set of the blanks' cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packed<W> {
    word: W,
    blanks: u32,
}

macro_rules! packed {
    ($(#[$doc:meta])* $name:ident, $word:ty, $bits:literal, $cells:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;

        impl $name {
            /// The greatest number of cells.
            pub const CELLS: usize = $cells;
            const MASK: $word = (1 << $bits) - 1;
        }

        impl Layout for $name {
            type State = Packed<$word>;
            type Key = $word;
            type Action = SmallSlide;

            fn state(tiles: &[Tile]) -> Self::State {
                assert!(tiles.len() <= Self::CELLS, "{} cells do not fit", tiles.len());
                let field = |(cell, &tile): (usize, &Tile)| <$word>::from(tile) << (cell * $bits);
                let blank = |(cell, &tile): (usize, &Tile)| u32::from(tile == 0) << cell;
                Packed {
                    // Fields beyond the board are not 0, so that every 0 is a blank.
                    word: tiles.iter().enumerate().map(field).sum::<$word>()
                        | (tiles.len()..Self::CELLS).map(|cell| Self::MASK << (cell * $bits)).sum::<$word>(),
                    blanks: tiles.iter().enumerate().map(blank).sum(),
                }
            }

            #[inline]
            fn tile(state: &Self::State, cell: Cell) -> Tile {
                (state.word >> (cell * $bits) & Self::MASK) as Tile
            }

            #[inline]
            fn is_blank(state: &Self::State, cell: Cell) -> bool {
                state.blanks >> cell & 1 != 0
            }

            #[inline]
            fn blanks(state: &Self::State) -> impl Iterator<Item = Cell> {
                let mut left = state.blanks;
                std::iter::from_fn(move || {
                    let cell = (left != 0).then_some(left.trailing_zeros() as Cell);
                    left &= left.wrapping_sub(1);
                    cell
                })
            }

            #[inline]
            fn slide(state: &mut Self::State, from: Cell, to: Cell) -> Tile {
                let tile = state.word >> (from * $bits) & Self::MASK;
                state.word ^= tile << (from * $bits) | tile << (to * $bits);
                state.blanks ^= 1 << from | 1 << to;
                tile as Tile
            }

            #[inline]
            fn key(state: &Self::State) -> Self::Key {
                state.word
            }

            #[inline]
            fn unpack(&word: &Self::Key) -> Self::State {
                // A field is 0 if none of its bits is set: combine them in the lowest.
                let mut any = word;
                let mut shift = 1;
                while shift < $bits {
                    any |= word >> shift;
                    shift += 1;
                }
                let mut zeros = !any & Self::LOWEST;
                let mut blanks = 0;
                while zeros != 0 {
                    blanks |= 1 << (zeros.trailing_zeros() / $bits);
                    zeros &= zeros - 1;
                }
                Packed { word, blanks }
            }
        }

        impl $name {
            /// The lowest bit of every field.
            const LOWEST: $word = {
                let (mut word, mut cell) = (0, 0);
                while cell < $cells {
                    word |= 1 << (cell * $bits);
                    cell += 1;
                }
                word
            };
        }
    };
}

packed! {
    /// Up to 16 cells in a `u64`.
    Nibbles, u64, 4, 16
}

packed! {
    /// Up to 25 cells in a `u128`.
    Quints, u128, 5, 25
}

/// Boards of any size, as arrays. A key has one byte per cell up to 256 cells, and two beyond.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wide;

/// The tiles of a large board, and its blank cells in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cells {
    tiles: Box<[Tile]>,
    blanks: Vec<Cell>,
}

impl Layout for Wide {
    type State = Cells;
    type Key = Box<[u8]>;
    type Action = Slide;

    fn state(tiles: &[Tile]) -> Cells {
        let blanks =
            (0..).zip(tiles).filter(|&(_, &tile)| tile == 0).map(|(cell, _)| cell).collect();
        Cells { tiles: tiles.into(), blanks }
    }

    #[inline]
    fn tile(state: &Cells, cell: Cell) -> Tile {
        state.tiles[usize::from(cell)]
    }

    #[inline]
    fn is_blank(state: &Cells, cell: Cell) -> bool {
        state.tiles[usize::from(cell)] == 0
    }

    #[inline]
    fn blanks(state: &Cells) -> impl Iterator<Item = Cell> {
        state.blanks.iter().copied()
    }

    #[inline]
    fn slide(state: &mut Cells, from: Cell, to: Cell) -> Tile {
        state.tiles.swap(from.into(), to.into());
        let at = state.blanks.partition_point(|&cell| cell < to);
        let new = state.blanks.partition_point(|&cell| cell < from);
        // The blanks stay sorted: those between the two cells shift by one.
        if new > at {
            state.blanks[at..new].rotate_left(1);
            state.blanks[new - 1] = from;
        } else {
            state.blanks[new..=at].rotate_right(1);
            state.blanks[new] = from;
        }
        state.tiles[usize::from(to)]
    }

    fn key(state: &Cells) -> Box<[u8]> {
        match state.tiles.len() {
            0..=256 => state.tiles.iter().map(|&tile| tile as u8).collect(),
            _ => state.tiles.iter().flat_map(|tile| tile.to_le_bytes()).collect(),
        }
    }

    fn unpack(key: &Box<[u8]>) -> Cells {
        // A board with more than 256 cells has a key with more than 512 bytes.
        let tiles: Vec<Tile> = match key.len() {
            0..=256 => key.iter().map(|&tile| tile.into()).collect(),
            _ => key.chunks_exact(2).map(|pair| Tile::from_le_bytes([pair[0], pair[1]])).collect(),
        };
        Self::state(&tiles)
    }

    fn heap_bytes(key: &Box<[u8]>) -> usize {
        boxed_bytes(key.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_search::Random;

    fn walk<L: Layout>(cells: usize, blanks: usize) {
        let mut random = Random::new(cells as u64);
        let mut tiles: Vec<Tile> =
            (0..cells).map(|i| i.saturating_sub(blanks - 1) as Tile).collect();
        random.shuffle(&mut tiles);
        let mut state = L::state(&tiles);
        for _ in 0..200 {
            let empty: Vec<usize> = (0..cells).filter(|&cell| tiles[cell] == 0).collect();
            let full: Vec<usize> = (0..cells).filter(|&cell| tiles[cell] != 0).collect();
            assert!(L::blanks(&state).map(usize::from).eq(empty.iter().copied()));
            for (cell, &tile) in (0..).zip(&tiles) {
                assert_eq!(L::tile(&state, cell), tile);
                assert_eq!(L::is_blank(&state, cell), tile == 0);
            }
            assert!(L::unpack(&L::key(&state)) == state);
            assert!(L::state(&tiles) == state);
            let (from, to) = (full[random.below(full.len())], empty[random.below(empty.len())]);
            assert_eq!(L::slide(&mut state, from as Cell, to as Cell), tiles[from]);
            tiles.swap(from, to);
        }
    }

    #[test]
    fn every_layout_holds_what_it_is_given() {
        for blanks in 1..4 {
            for cells in [4, 9, 15, 16] {
                walk::<Nibbles>(cells, blanks);
            }
            for cells in [4, 20, 25] {
                walk::<Quints>(cells, blanks);
            }
            for cells in [4, 36, 256, 257, 300] {
                walk::<Wide>(cells, blanks);
            }
        }
    }

    #[test]
    fn small_slides_hold_every_slide() {
        for blank in 0..64 {
            for step in Move::ALL {
                let slide = Slide { blank, step };
                assert_eq!(Slide::from(SmallSlide::from(slide)), slide);
            }
        }
    }
}
