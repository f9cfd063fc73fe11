//! Exploring a space layer by layer, outwards from the goal, with one bit for each board.
//!
//! Every step changes the colour of a board's plane, so the layers alternate between the colours. A
//! layer's neighbours are in the layers before and after it, which both have the other colour. So
//! the next layer replaces the layer before the last one, in place:
//!
//! ```text
//!           planes of one colour           planes of the other colour
//! depth d       layer d                        layer d - 1
//!                  |                                |
//!                  +--- all neighbours, renumbered -+--- without layer d - 1
//!                                                   v
//! depth d+1     layer d                        layer d + 1
//! ```
//!
//! A block is computed only from blocks with the other colour, so threads compute a layer's blocks
//! in any order. Empty blocks are neither read nor written.
//!
//! With segments that slide as one, a layer has neighbours in itself, too, and two bits are needed:
//! one for the last layer and one for the layer before, which the next one replaces.

use std::borrow::Cow;

use taquin_search::{Monitor, Progress};
use taquin_tiles::Board;

use crate::bits::bits;
use crate::file::FileError;

use super::index::SpaceIndex;
use super::links::Links;
use super::maps::{Scratch, is_odd, unite};
use super::memory::Memory;
use super::plan::SharePlan;
use super::share::Member;
use super::table::value_of;
use super::{ExploreError, Metric};

/// The number of consecutive blocks per work item: blocks that differ in the last two digits of
/// their numbers. Their sources are still in the cache when the next slab is computed.
pub(super) const TILE: usize = 90;

/// The greatest number of farthest boards that are remembered.
pub(super) const FARTHEST: usize = 1_000;

/// A space that is being explored, or one process's share.
pub struct Explorer<S = Memory> {
    pub(super) plan: SharePlan,
    pub(super) storage: S,
    /// The whole space's boards at each complete depth.
    pub(super) depths: Vec<u64>,
    /// Whether there is no further layer.
    is_finished: bool,
}

/// The location of a space's last two layers: in [memory](Memory) or in [files](super::Files).
pub trait Storage {
    /// Replaces the layer before the last by the next layer, on all threads of the current pool.
    /// Returns the number of boards in it.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled or a file cannot be read or written.
    fn compute(
        &mut self,
        plan: &SharePlan,
        depths: &[u64],
        monitor: &Monitor,
    ) -> Result<u64, ExploreError>;

    /// Makes the layer that was computed the last one of `depths`.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    fn complete(&mut self, plan: &SharePlan, depths: &[u64]) -> Result<(), ExploreError>;

    /// Returns the numbers and words of the blocks with boards in the layer at `depth`, the last
    /// complete one.
    fn blocks<'a>(
        &'a self,
        plan: &'a SharePlan,
        depth: usize,
    ) -> impl Iterator<Item = Result<(usize, Cow<'a, [u64]>), FileError>>;
}

impl<S: Storage> Explorer<S> {
    pub(super) const fn with(plan: SharePlan, storage: S, depths: Vec<u64>) -> Self {
        Self { plan, storage, depths, is_finished: false }
    }

    /// Returns the goal.
    pub fn goal(&self) -> &Board {
        self.plan.goal()
    }

    /// Returns what counts as one move.
    pub const fn metric(&self) -> Metric {
        self.plan.metric
    }

    /// Returns the process that holds the share.
    pub const fn member(&self) -> Member {
        self.plan.member
    }

    /// Returns the whole space's boards at each complete depth.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Computes the next layer on all threads of the current pool. Returns `false` if it is empty.
    /// Reports the number of known and expanded boards to the monitor.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled or a file cannot be read or written. Only its
    /// depths are usable then.
    pub fn advance(&mut self, monitor: &Monitor) -> Result<bool, ExploreError> {
        if self.is_finished {
            return Ok(false);
        }
        let new = self.compute(monitor)?;
        match new {
            0 => self.is_finished = true,
            _ => self.complete(new)?,
        }
        Ok(new > 0)
    }

    /// Computes the held boards of the next layer, once all that is needed has arrived. Returns
    /// their number.
    ///
    /// # Errors
    /// Fails as [`advance`](Self::advance) does.
    pub fn compute(&mut self, monitor: &Monitor) -> Result<u64, ExploreError> {
        self.storage.compute(&self.plan, &self.depths, monitor)
    }

    /// Adds the number of boards that all processes have found at the next depth.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn complete(&mut self, boards: u64) -> Result<(), ExploreError> {
        self.depths.push(boards);
        self.storage.complete(&self.plan, &self.depths)
    }

    /// Returns the farthest boards that are held: all, or the first thousand.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn farthest(&self) -> Result<Vec<Board>, FileError> {
        let index = &self.plan.index;
        let mut fault = Ok(());
        let blocks = self.storage.blocks(&self.plan, self.depths.len() - 1);
        let blocks = blocks.map_while(|block| block.map_err(|error| fault = Err(error)).ok());
        let slots = blocks.flat_map(|(number, words)| slots(number, &words).collect::<Vec<_>>());
        let boards = index.first(slots.map(|slot| index.board(slot)), FARTHEST);
        fault.map(|()| boards)
    }
}

/// Returns the slots of a block's boards.
pub(super) fn slots(number: usize, words: &[u64]) -> impl Iterator<Item = usize> {
    let first = number * words.len();
    let words = words.iter().enumerate();
    words.flat_map(move |(at, &word)| bits(word).map(move |bit| (first + at) * 64 + bit))
}

/// Returns a function that reports how many parts of a layer have been computed.
pub(super) fn reporter<'a>(
    depths: &[u64],
    monitor: &'a Monitor,
) -> impl Fn(u64, u64) + Sync + use<'a> {
    let (found, bound) = (depths.iter().sum::<u64>(), depths.len() as u32 - 1);
    let frontier = depths[depths.len() - 1];
    move |done, all| {
        let part = (u128::from(frontier) * u128::from(done) / u128::from(all)) as u64;
        let expanded = found - frontier + part;
        monitor.report(Progress { expanded, generated: found, frontier, bound });
    }
}

/// The blocks of the last layer.
pub(super) trait Source: Sync {
    /// Returns the words of a block, unless it is empty.
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]>;
}

/// Some blocks that are replaced.
pub(super) struct Part<'a> {
    /// The number of the first block, counted through all slabs.
    pub(super) first: usize,
    words: &'a mut [u64],
    /// Whether each has a board.
    full: &'a mut [bool],
    /// Empty if no table is wanted.
    pub(super) table: &'a mut [u64],
}

impl<'a> Part<'a> {
    /// Splits blocks into parts of `length` blocks.
    pub(super) fn split(
        first: usize,
        words: &'a mut [u64],
        full: &'a mut [bool],
        length: usize,
    ) -> Vec<Self> {
        // A colour without planes has no blocks.
        if full.is_empty() {
            return Vec::new();
        }
        let block_words = words.len() / full.len();
        let words = words.chunks_mut(length * block_words).zip(full.chunks_mut(length));
        words
            .enumerate()
            .map(|(at, (words, full))| Self {
                first: first + at * length,
                words,
                full,
                table: &mut [],
            })
            .collect()
    }
}

/// The computation of a layer, if moves are single steps.
pub(super) struct Step<'a, S> {
    pub(super) index: &'a SpaceIndex,
    pub(super) links: &'a Links,
    pub(super) source: S,
    pub(super) depth: usize,
}

impl<S: Source> Step<'_, S> {
    /// Computes some blocks. Returns the number of boards in them.
    pub(super) fn compute(
        &self,
        part: &mut Part<'_>,
        (sum, scratch): &mut (Vec<u64>, Scratch),
    ) -> u64 {
        let mut new = 0;
        let blocks = self.index.shape().blocks();
        let words = part.words.chunks_exact_mut(sum.len()).zip(part.full.iter_mut());
        for (at, (words, full)) in words.enumerate() {
            let (slab, block) = ((part.first + at) / blocks, (part.first + at) % blocks);
            let any = self.add_neighbours(slab, block, sum, scratch);
            if !any && !*full {
                continue;
            }
            let mut count = 0;
            if *full {
                for (word, &sum) in words.iter_mut().zip(&*sum) {
                    *word = sum & !*word;
                    count += word.count_ones();
                }
            } else {
                count = sum.iter().map(|word| word.count_ones()).sum();
                if count > 0 {
                    words.copy_from_slice(sum);
                }
            }
            if count > 0 && !part.table.is_empty() {
                enter(
                    &mut part.table[2 * at * words.len()..][..2 * words.len()],
                    words,
                    self.depth,
                );
            }
            *full = count > 0;
            new += u64::from(count);
        }
        new
    }

    /// Collects the neighbours of the layer in a block. Returns `false` if there are none.
    fn add_neighbours(
        &self,
        slab: usize,
        block: usize,
        sum: &mut [u64],
        scratch: &mut Scratch,
    ) -> bool {
        let shape = self.index.shape();
        let source = &self.source;
        let mut any = false;
        sum.fill(0);
        for link in self.links.of_plane(slab / shape.parities()) {
            let from = link.source_slab(slab, shape);
            match self.links.map(link) {
                None => {
                    if let Some(words) = source.block(from, block) {
                        any = true;
                        unite(sum, words);
                    }
                }
                Some(map)
                    if map.sources(block).any(|block| source.block(from, block).is_some()) =>
                {
                    any = true;
                    let is_odd =
                        || is_odd(block, shape.block_radix() + 1) != self.index.is_odd(slab);
                    map.add(block, is_odd, |block| source.block(from, block), sum, scratch);
                }
                Some(_) => {}
            }
        }
        any
    }
}

/// Enters the boards of a layer into a table. Does nothing without a table.
pub(super) fn enter(table: &mut [u64], words: &[u64], depth: usize) {
    let value = value_of(depth);
    for (entry, word) in table.as_chunks_mut::<2>().0.iter_mut().zip(words) {
        entry[0] |= if value & 1 == 1 { *word } else { 0 };
        entry[1] |= if value & 2 == 2 { *word } else { 0 };
    }
}
