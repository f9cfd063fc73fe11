//! A pattern database in memory: what a search looks up.

use rayon::prelude::*;
use taquin_search::Cost;

use super::Pattern;
use crate::map::Map;

/// The least number of moves of a pattern's tiles, for each of their placements.
///
/// The least is over all that the blanks and the other tiles can do, so that values of patterns
/// without common tiles can be added. The entry at [`Pattern::rank`] is half of what the value
/// exceeds the Manhattan distance of the pattern's tiles by; the two have the same parity.
#[derive(Debug)]
pub struct Database {
    pattern: Pattern,
    entries: Entries,
    histogram: Vec<u64>,
}

/// How many bits an entry takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Four: entry i is the low half of byte i / 2 if i is even, the high half if it is odd.
    Nibble,
    /// Eight.
    Byte,
}

impl Width {
    /// The bytes that so many entries take.
    pub const fn bytes(self, entries: usize) -> usize {
        match self {
            Self::Nibble => entries.div_ceil(2),
            Self::Byte => entries,
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
    Mapped(Map),
}

impl Entries {
    /// Entries of which each is below 16.
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

    /// Entries of any value.
    pub(crate) const fn bytes(entries: Vec<u8>) -> Self {
        Self { width: Width::Byte, bytes: Bytes::Owned(entries) }
    }

    /// Entries in a file.
    pub(crate) const fn mapped(width: Width, map: Map) -> Self {
        Self { width, bytes: Bytes::Mapped(map) }
    }

    #[inline]
    fn as_slice(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Owned(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

impl Database {
    /// A database with `histogram[v]` placements of value v.
    pub(crate) const fn new(pattern: Pattern, entries: Entries, histogram: Vec<u64>) -> Self {
        Self { pattern, entries, histogram }
    }

    /// What the table is about.
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How many bits an entry takes.
    pub const fn width(&self) -> Width {
        self.entries.width
    }

    /// The entries, as [`Width`] lays them out.
    #[inline]
    pub fn entries(&self) -> &[u8] {
        self.entries.as_slice()
    }

    /// How many placements have the value 0, 1, ..; those from which the goal can't be reached
    /// whatever the other tiles do are not counted.
    pub fn histogram(&self) -> &[u64] {
        &self.histogram
    }

    /// The entry at an index: half of what the value exceeds the Manhattan distance by.
    ///
    /// # Panics
    /// Panics if there is no such index.
    #[inline]
    pub fn entry(&self, index: usize) -> u8 {
        match self.entries.width {
            Width::Nibble => self.entries()[index / 2] >> (index % 2 * 4) & 15,
            Width::Byte => self.entries()[index],
        }
    }

    /// The value when each of the pattern's tiles stands on the cell given for it.
    ///
    /// # Panics
    /// Panics unless there is a cell for each tile, all different.
    pub fn value(&self, cells_of_tiles: &[u8]) -> Cost {
        let entry = self.entry(self.pattern.rank(cells_of_tiles));
        self.pattern.manhattan(cells_of_tiles) + 2 * Cost::from(entry)
    }
}
