//! Zero-aware pattern databases: the blank's region is a part of the entry (Clausecker and Reinefeld,
//! 2019).
//!
//! A value then changes by exactly one with every move of a pattern's tile, so that one bit of an
//! entry is enough to follow it: the second lowest bit of the value. The values add up to a
//! consistent heuristic. What the value of a board is from the start is found by following smaller
//! values down to the goal.

use std::path::Path;
use std::sync::Arc;

use taquin_search::Cost;

use super::Pattern;
use super::database::{Entries, Width};
use super::file::{PatternDescription, TableInfo};
use super::orders::{OrderBits, OrderWord};
use super::regions::{Regions, neighbours, region};
use crate::bits::bits;
use crate::file::{FileError, FileFault, TableFile};

/// One bit for each region of the blank and each placement of a pattern's tiles.
#[derive(Debug)]
pub struct ZeroAware {
    pattern: Pattern,
    regions: Arc<Regions>,
    entries: Entries,
    histogram: Vec<u64>,
}

impl ZeroAware {
    /// Creates a database with `histogram[v]` entries of value v.
    pub(crate) const fn new(
        pattern: Pattern,
        regions: Arc<Regions>,
        entries: Entries,
        histogram: Vec<u64>,
    ) -> Self {
        Self { pattern, regions, entries, histogram }
    }

    /// Loads the table of a pattern. The entries of a large one are mapped into memory.
    ///
    /// # Errors
    /// Fails unless the file is a table of this pattern and every byte is as it was written.
    pub fn load(path: &Path, pattern: Pattern, regions: &Arc<Regions>) -> Result<Self, FileError> {
        let load = || {
            let file = TableFile::open(path)?;
            let TableInfo { shape, width, histogram, entries, .. } = TableInfo::new(path, &file)?;
            if shape != pattern.shape() {
                return Err(FileFault::Shape { found: shape, wanted: pattern.shape() });
            }
            if width != Width::Bit || entries != Self::entry_count(regions) {
                return Err(FileFault::Header);
            }
            let entries = Entries::stored(width, file.content()?);
            Ok(Self::new(pattern, Arc::clone(regions), entries, histogram))
        };
        load().map_err(|fault: FileFault| fault.at(path))
    }

    /// Writes the table to a file. Creates the folder if it does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be written or is not read back as it was written. An existing file
    /// is unchanged then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let entries = Self::entry_count(&self.regions);
        let shape = self.pattern.shape();
        let description = PatternDescription::new(shape, Width::Bit, entries, &self.histogram);
        TableFile::save(path, &description, self.bytes())
    }

    fn entry_count(regions: &Regions) -> u64 {
        (regions.classes() * regions.ranking().orders()) as u64
    }

    /// Returns the pattern.
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Returns the regions.
    pub const fn regions(&self) -> &Arc<Regions> {
        &self.regions
    }

    /// Returns the number of entries with the value 0, 1, ..
    pub fn histogram(&self) -> &[u64] {
        &self.histogram
    }

    /// Returns the bits: those of a class take [`block_bits`](Self::block_bits), and the bit of an
    /// order is at [`order_bit`](Self::order_bit).
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.entries.as_slice()
    }

    /// Returns whether the entries are still those that were loaded.
    pub fn is_intact(&self) -> bool {
        self.entries.is_intact()
    }

    /// Returns the number of bits for each class of `tiles` tiles, some of which are not used.
    pub fn block_bits(tiles: usize) -> usize {
        OrderBits::blocks(tiles) * OrderWord::BITS as usize
    }

    /// Returns the place of the bit of an order in the bits of a class.
    pub const fn order_bit(order: usize, tiles: usize) -> usize {
        OrderBits::bit(order, tiles)
    }

    /// Returns the second lowest bit of the value of a placement.
    #[inline]
    fn bit(&self, cells: &[u8], blank: u8) -> u8 {
        let ranking = self.pattern.ranking();
        let (tiles, index) = (ranking.tiles(), ranking.rank(cells));
        let class = self.regions.class(index / ranking.orders(), blank);
        let order = Self::order_bit(index % ranking.orders(), tiles);
        let at = class * Self::block_bits(tiles) + order;
        self.bytes()[at / 8] >> (at % 8) & 1
    }

    /// Returns the value after a move of one of the pattern's tiles, given the value before it and
    /// the placement and the blank after it.
    #[inline]
    pub fn step(&self, before: u8, cells: &[u8], blank: u8) -> u8 {
        // In a damaged table it may grow without end.
        let greater = before.saturating_add(1);
        let is_greater = greater >> 1 & 1 == self.bit(cells, blank);
        if is_greater { greater } else { before.saturating_sub(1) }
    }

    /// Returns the value of the placement with each of the pattern's tiles on the given cell, and the
    /// blank on another one.
    ///
    /// # Panics
    /// Panics unless there is a cell for each tile, and all are different cells of the board.
    pub fn value(&self, cells_of_tiles: &[u8], blank: u8) -> Cost {
        let neighbours = neighbours(self.regions.size());
        let all = (1_u64 << neighbours.len()) - 1;
        let goal_blanks = self.pattern.shape().blanks();
        let mut cells = cells_of_tiles.to_vec();
        let mut blank = blank;
        let residue = |cells: &[u8], blank: u8| {
            self.bit(cells, blank) << 1 | (self.pattern.manhattan(cells) & 1) as u8
        };
        let mut value = 0;
        loop {
            let free = all & !cells.iter().fold(0, |mask, &cell| mask | 1 << cell);
            let around = region(&neighbours, free, 1 << blank);
            if cells == self.pattern.goal_cells() && around & goal_blanks != 0 {
                return value;
            }
            let less = (residue(&cells, blank) + 3) % 4;
            let next = (0..cells.len()).find_map(|tile| {
                bits(neighbours[usize::from(cells[tile])] & around).find_map(|target| {
                    let mut after = cells.clone();
                    let left = std::mem::replace(&mut after[tile], target as u8);
                    (residue(&after, left) == less).then_some((after, left))
                })
            });
            // A damaged table, or a board from which the goal cannot be reached.
            let Some(next) = next.filter(|_| value < Cost::from(u8::MAX)) else { return value };
            (cells, blank) = next;
            value += 1;
        }
    }
}
