//! A pattern database in memory.

use rayon::prelude::*;

use super::Pattern;
use super::encoding::{Plain, Width};
use super::orders::OrderWord;
use crate::content::Content;

/// The least number of moves of a pattern's tiles, for each of their placements.
///
/// Moves of other tiles do not count, so values add up for patterns without common tiles. The
/// encoding determines what an entry contains.
#[derive(Debug)]
pub struct Database<E = Plain> {
    pattern: Pattern,
    encoding: E,
    entries: Entries,
    histogram: Vec<u64>,
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

impl<E> Database<E> {
    /// Creates a database with `histogram[v]` placements of value v.
    pub(crate) const fn new(
        pattern: Pattern,
        encoding: E,
        entries: Entries,
        histogram: Vec<u64>,
    ) -> Self {
        Self { pattern, encoding, entries, histogram }
    }

    /// Returns the encoding.
    pub const fn encoding(&self) -> &E {
        &self.encoding
    }

    /// Returns the pattern.
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Returns the size of an entry in bits.
    pub const fn width(&self) -> Width {
        self.entries.width
    }

    /// Returns the entries in the layout of [`Width`].
    #[inline]
    pub fn entries(&self) -> &[u8] {
        self.entries.as_slice()
    }

    /// Returns whether the entries are still the loaded ones. Another program may have changed a
    /// file that is mapped into memory.
    pub fn is_intact(&self) -> bool {
        self.entries.is_intact()
    }

    /// Returns how many placements have the value 0, 1, .. (how many entries in a
    /// [`ZeroAware`](super::encoding::ZeroAware) database). Placements that cannot reach the goal
    /// are not counted.
    pub fn histogram(&self) -> &[u64] {
        &self.histogram
    }

    /// Returns the entry at an index.
    ///
    /// # Panics
    /// Panics if there is no such index.
    #[inline]
    pub fn entry(&self, index: usize) -> u8 {
        self.entries.width.entry(self.entries(), index)
    }
}
