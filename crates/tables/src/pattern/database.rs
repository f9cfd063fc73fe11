//! A pattern database in memory.

use rayon::prelude::*;
use taquin_search::Cost;

use super::Pattern;
use super::orders::OrderWord;
use crate::content::Content;

/// The least number of moves of a pattern's tiles, for each of their placements.
///
/// Moves of other tiles do not count, so that values of patterns without common tiles can be added.
/// The entry at [`Pattern::rank`] is half of the difference between the value and the Manhattan
/// distance of the pattern's tiles; the two have the same parity.
#[derive(Debug)]
pub struct Database {
    pattern: Pattern,
    entries: Entries,
    histogram: Vec<u64>,
}

/// The number of bits of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Four: entry i is the low half of byte i / 2 if i is even, the high half if it is odd.
    Nibble,
    /// Eight.
    Byte,
    /// One: see [`ZeroAware`](super::ZeroAware).
    Bit,
}

impl Width {
    /// Returns the number of bytes of `entries` entries.
    pub const fn bytes(self, entries: usize) -> usize {
        match self {
            Self::Nibble => entries.div_ceil(2),
            Self::Byte => entries,
            Self::Bit => entries.div_ceil(8),
        }
    }
}

/// The entries of a table.
#[derive(Debug)]
pub(crate) struct Entries {
    width: Width,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Owned(Vec<u8>),
    Stored(Content),
}

impl Entries {
    /// Packs entries below 16.
    pub(crate) fn nibbles(entries: &[u8]) -> Self {
        const PART: usize = 1 << 16;
        let mut bytes = vec![0; Width::Nibble.bytes(entries.len())];
        let parts = bytes.par_chunks_mut(PART).zip(entries.par_chunks(2 * PART));
        parts.for_each(|(bytes, entries)| {
            for (byte, pair) in bytes.iter_mut().zip(entries.chunks(2)) {
                *byte = pair[0] | pair.get(1).unwrap_or(&0) << 4;
            }
        });
        Self { width: Width::Nibble, bytes: Bytes::Owned(bytes) }
    }

    /// Stores entries of any value.
    pub(crate) const fn bytes(entries: Vec<u8>) -> Self {
        Self { width: Width::Byte, bytes: Bytes::Owned(entries) }
    }

    /// Uses entries in a file.
    pub(crate) const fn stored(width: Width, content: Content) -> Self {
        Self { width, bytes: Bytes::Stored(content) }
    }

    /// Stores a bit for each entry.
    pub(crate) fn bits(words: &[OrderWord]) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self { width: Width::Bit, bytes: Bytes::Owned(bytes) }
    }

    pub(crate) fn is_intact(&self) -> bool {
        match &self.bytes {
            Bytes::Owned(_) => true,
            Bytes::Stored(content) => content.is_intact(),
        }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Stored(content) => content,
        }
    }
}

impl Database {
    /// Creates a database with `histogram[v]` placements of value v.
    pub(crate) const fn new(pattern: Pattern, entries: Entries, histogram: Vec<u64>) -> Self {
        Self { pattern, entries, histogram }
    }

    /// Returns the pattern.
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Returns the number of bits of an entry.
    pub const fn width(&self) -> Width {
        self.entries.width
    }

    /// Returns the entries in the layout of [`Width`].
    #[inline]
    pub fn entries(&self) -> &[u8] {
        self.entries.as_slice()
    }

    /// Returns whether the entries are still those that were loaded: a file that is mapped into
    /// memory may have been changed by another program.
    pub fn is_intact(&self) -> bool {
        self.entries.is_intact()
    }

    /// Returns the number of placements with the value 0, 1, .. Placements from which the goal
    /// cannot be reached are not counted.
    pub fn histogram(&self) -> &[u64] {
        &self.histogram
    }

    /// Returns the entry at an index: half of the value minus the Manhattan distance.
    ///
    /// # Panics
    /// Panics if there is no such index.
    #[inline]
    pub fn entry(&self, index: usize) -> u8 {
        match self.entries.width {
            Width::Nibble => self.entries()[index / 2] >> (index % 2 * 4) & 15,
            Width::Byte => self.entries()[index],
            Width::Bit => self.entries()[index / 8] >> (index % 8) & 1,
        }
    }

    /// Returns the value of the placement with each of the pattern's tiles on the given cell.
    ///
    /// # Panics
    /// Panics unless there is a cell for each tile, all different.
    pub fn value(&self, cells_of_tiles: &[u8]) -> Cost {
        let entry = self.entry(self.pattern.rank(cells_of_tiles));
        self.pattern.manhattan(cells_of_tiles) + 2 * Cost::from(entry)
    }
}
