//! Exploring a space layer by layer, outwards from the goal, with one bit for each board.
//!
//! Every step changes the colour of a board's plane, so the layers alternate between the colours.
//! The neighbours of a layer are in the layer before it and in the layer behind it, and both have
//! the other colour. So the next layer replaces the layer before the last one, in place:
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
//! A block is computed from blocks of the other colour only, so that all blocks of a layer are
//! computed in any order, on all threads. Blocks that are empty are neither read nor written.
//!
//! With segments that slide as one, a layer has neighbours in itself, too, and two bits are needed:
//! one for the last layer and one for the layer before, which the next one replaces.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::{Monitor, Progress};
use taquin_tiles::Board;

use crate::bits::bits;

use super::index::SpaceIndex;
use super::links::Links;
use super::maps::{Scratch, is_odd, unite};
use super::table::{SpaceTable, value_of};
use super::{ExploreError, Extent, Metric};

/// A space with fewer words is explored on one thread: waking others takes longer.
pub(super) const SMALL: usize = 1 << 14;

/// The blocks of a slab that are computed in a row, if it has as many: those that differ in the last
/// two digits of their numbers. Their sources are still in the cache when the next slab is computed.
pub(super) const TILE: usize = 90;

/// The least number of words that are computed in a row.
const PART: usize = 1 << 12;

/// The greatest number of farthest boards that are remembered.
pub(super) const FARTHEST: usize = 1_000;

/// A space that is being explored.
pub struct Explorer {
    index: Arc<SpaceIndex>,
    metric: Metric,
    links: Links,
    /// A bit for each board of the last layer. If moves are single steps, the planes of the other
    /// colour have the layer before.
    words: Vec<u64>,
    /// Whether a block has a board, if moves are single steps.
    full: Vec<bool>,
    /// The layer before the last one, if segments slide as one.
    before: Vec<u64>,
    /// Two words of the table for each word, if one is wanted.
    table: Vec<u64>,
    depths: Vec<u64>,
    found: u64,
    /// Whether there is no further layer.
    is_finished: bool,
    /// Whether a layer that has begun is computed to its end.
    has_whole_layers: bool,
}

impl Explorer {
    /// Creates a space of which only the goal is known.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes.
    pub fn new(goal: &Board, metric: Metric, memory: u64) -> Result<Self, ExploreError> {
        let index = SpaceIndex::new(goal, metric, memory)?;
        let links = Links::new(&index);
        let slot = index.slot(goal).expect("the goal can be reached from itself");
        let mut words = vec![0; index.words()];
        words[slot / 64] = 1 << (slot % 64);
        let before = match metric {
            Metric::Single => Vec::new(),
            Metric::Multi => vec![0; words.len()],
        };
        let mut full = Vec::new();
        if metric == Metric::Single {
            full = vec![false; index.slabs() * index.shape().blocks()];
            full[slot / 64 / index.shape().block_words()] = true;
        }
        Ok(Self {
            index: Arc::new(index),
            metric,
            links,
            words,
            full,
            before,
            table: Vec::new(),
            depths: vec![1],
            found: 1,
            is_finished: false,
            has_whole_layers: false,
        })
    }

    /// Continues with these layers: the last one, and the one before it in the other colour. `None`
    /// if they do not have as many boards as `depths` says.
    pub(super) fn with_layers(mut self, words: Vec<u64>, depths: Vec<u64>) -> Option<Self> {
        let shape = self.index.shape();
        self.full =
            words.chunks(shape.block_words()).map(|block| block.iter().any(|&w| w != 0)).collect();
        let of_plane = shape.parities() * shape.slab_words();
        let is_complete = |depth: usize| {
            let planes = self.index.planes_of(self.index.colour_at(depth));
            let words = &words[planes.start * of_plane..planes.end * of_plane];
            let boards: u64 = words.par_iter().map(|word| u64::from(word.count_ones())).sum();
            boards == depths[depth]
        };
        let last = depths.len().checked_sub(1)?;
        if !is_complete(last) || (last > 0 && !is_complete(last - 1)) {
            return None;
        }
        let found = depths.iter().sum();
        Some(Self { words, depths, found, ..self })
    }

    /// Makes [`advance`](Self::advance) end with a whole layer even if the monitor is cancelled, so
    /// that the explorer can be saved then.
    #[must_use]
    pub const fn with_whole_layers(mut self) -> Self {
        self.has_whole_layers = true;
        self
    }

    /// Returns what counts as one move.
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// Returns the words of the last layer and, in the other colour, of the layer before.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Creates a space of which only the goal is known, and which becomes a table.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes.
    pub fn for_table(goal: &Board, metric: Metric, memory: u64) -> Result<Self, ExploreError> {
        let Extent { states, bytes } = super::table_extent(goal, metric);
        if bytes > memory {
            return Err(ExploreError::Memory { states, needed: bytes, allowed: memory });
        }
        let mut this = Self::new(goal, metric, memory)?;
        this.table = vec![0; 2 * this.words.len()];
        for (at, &word) in this.words.iter().enumerate().filter(|(_, word)| **word != 0) {
            enter(&mut this.table[2 * at..2 * at + 2], &[word], 0);
        }
        Ok(this)
    }

    /// Returns the number of boards at each depth that has been reached.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Returns the layer to expand next: the farthest that has been reached.
    pub fn layer(&self) -> SpaceLayer<'_> {
        SpaceLayer { explorer: self, depth: self.depths.len() - 1 }
    }

    /// Returns the farthest boards that have been reached: all, or the first thousand.
    pub fn farthest(&self) -> Vec<Board> {
        let layer = self.layer();
        self.index.first(layer.slots().map(|slot| self.index.board(slot)), FARTHEST)
    }

    /// Computes the next layer on all threads of the current pool. Returns `false` if there is
    /// none. Reports the number of known and of expanded boards to the monitor.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled. The explorer is of no use then, except for its depths.
    pub fn advance(&mut self, monitor: &Monitor) -> Result<bool, ExploreError> {
        if self.is_finished {
            return Ok(false);
        }
        let new = match self.metric {
            Metric::Single => self.advance_by_steps(monitor),
            Metric::Multi => self.advance_by_segments(monitor),
        };
        if monitor.is_cancelled() && !self.has_whole_layers {
            return Err(ExploreError::Cancelled);
        }
        if new > 0 {
            self.depths.push(new);
            self.found += new;
        }
        self.is_finished = new == 0;
        Ok(new > 0)
    }

    /// Replaces the layer before the last one by the next one. Returns the number of its boards.
    fn advance_by_steps(&mut self, monitor: &Monitor) -> u64 {
        let depth = self.depths.len();
        let shape = self.index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let is_small = self.words.len() < SMALL;
        let is_interruptible = !self.has_whole_layers;
        let report = self.reporter(monitor);
        let colour = self.index.colour_at(depth);
        let (targets, sources) = (self.index.slabs_of(colour), self.index.slabs_of(1 - colour));
        let (words, source_words) = split(&mut self.words, &targets, shape.slab_words());
        let (full, source_full) = split(&mut self.full, &targets, blocks);
        let source = Layer {
            words: source_words,
            full: source_full,
            first: sources.start,
            blocks,
            block_words,
        };
        let step = Step { index: &self.index, links: &self.links, source, depth };
        let table = match self.table.is_empty() {
            true => &mut [],
            false => split(&mut self.table, &targets, 2 * shape.slab_words()).0,
        };

        // Parts of slabs, or several slabs.
        let tile = match blocks {
            TILE.. => TILE,
            _ => blocks * PART.div_ceil(shape.slab_words()),
        };
        let mut tables = table.chunks_mut(2 * tile * block_words);
        let mut parts = Part::split(targets.start * blocks, words, full, tile);
        for part in &mut parts {
            part.table = tables.next().unwrap_or_default();
        }
        // The same part of all slabs, then the next part.
        if tile < blocks {
            parts.sort_by_key(|part| part.first % blocks);
        }
        let (done, all) = (AtomicU64::new(0), parts.len() as u64);
        let work = |scratch: &mut (Vec<u64>, Scratch), part: &mut Part<'_>| {
            if is_interruptible && monitor.is_cancelled() {
                return 0;
            }
            let new = step.compute(part, scratch);
            report(done.fetch_add(1, Relaxed) + 1, all);
            new
        };
        let scratch = || (vec![0; block_words], Scratch::default());
        match is_small {
            true => {
                let mut scratch = scratch();
                parts.iter_mut().map(|part| work(&mut scratch, part)).sum()
            }
            false => parts.par_iter_mut().map_init(scratch, work).sum(),
        }
    }

    /// Replaces the layer before the last one by the next one, and then exchanges both. Returns the
    /// number of the boards of the next one.
    fn advance_by_segments(&mut self, monitor: &Monitor) -> u64 {
        let shape = self.index.shape();
        let slab_words = shape.slab_words();
        let is_small = self.words.len() < SMALL;
        let report = self.reporter(monitor);
        let (done, all) = (AtomicU64::new(0), self.index.slabs() as u64);
        let pass = Segments { index: &self.index, links: &self.links, layer: &self.words };
        let depth = self.depths.len();
        let work = |buffers: &mut [Vec<u64>; 3], part: Part<'_>| {
            if monitor.is_cancelled() {
                return 0;
            }
            let slab = part.first / shape.blocks();
            pass.neighbours(slab, buffers);
            let layer = &self.words[slab * slab_words..][..slab_words];
            let mut new = 0;
            for ((before, &now), &next) in part.words.iter_mut().zip(layer).zip(&buffers[0]) {
                *before = next & !now & !*before;
                new += u64::from(before.count_ones());
            }
            enter(part.table, part.words, depth);
            report(done.fetch_add(1, Relaxed) + 1, all);
            new
        };
        let buffers = || [(); 3].map(|()| vec![0; slab_words]);
        let mut tables = self.table.chunks_mut(2 * slab_words);
        let slabs = self.before.chunks_mut(slab_words).enumerate().map(|(slab, words)| Part {
            first: slab * shape.blocks(),
            words,
            full: &mut [],
            table: tables.next().unwrap_or_default(),
        });
        let new = match is_small {
            true => {
                let mut buffers = buffers();
                slabs.map(|slab| work(&mut buffers, slab)).sum()
            }
            false => slabs.collect::<Vec<_>>().into_par_iter().map_init(buffers, work).sum(),
        };
        if new > 0 {
            std::mem::swap(&mut self.words, &mut self.before);
        }
        new
    }

    /// Returns a function that reports how many parts of a layer have been computed.
    fn reporter<'a>(&self, monitor: &'a Monitor) -> impl Fn(u64, u64) + Sync + use<'a> {
        let (found, bound) = (self.found, self.depths.len() as u32 - 1);
        let frontier = self.depths[self.depths.len() - 1];
        move |done, all| {
            let part = (u128::from(frontier) * u128::from(done) / u128::from(all)) as u64;
            let expanded = found - frontier + part;
            monitor.report(Progress { expanded, generated: found, frontier, bound });
        }
    }

    /// Returns the distances of all boards, after every layer has been computed; `None` unless it
    /// was created [`for_table`](Self::for_table).
    pub fn into_table(self) -> Option<SpaceTable> {
        let Self { index, metric, depths, table, words, before, .. } = self;
        drop((words, before));
        (!table.is_empty()).then(|| SpaceTable::new(index, metric, depths, table))
    }
}

/// Splits something that has `length` items for each slab into the items of some slabs, which are
/// the first or the last ones, and all others.
fn split<'a, T>(items: &'a mut [T], slabs: &Range<usize>, length: usize) -> (&'a mut [T], &'a [T]) {
    match slabs.start {
        0 => {
            let (these, others) = items.split_at_mut(slabs.end * length);
            (these, others)
        }
        start => {
            let (others, these) = items.split_at_mut(start * length);
            (these, others)
        }
    }
}

/// Enters the boards of a layer into a table. Does nothing without a table.
fn enter(table: &mut [u64], words: &[u64], depth: usize) {
    let value = value_of(depth);
    for (entry, word) in table.as_chunks_mut::<2>().0.iter_mut().zip(words) {
        entry[0] |= if value & 1 == 1 { *word } else { 0 };
        entry[1] |= if value & 2 == 2 { *word } else { 0 };
    }
}

/// The boards of one depth.
#[derive(Clone, Copy)]
pub struct SpaceLayer<'a> {
    explorer: &'a Explorer,
    depth: usize,
}

impl<'a> SpaceLayer<'a> {
    /// Returns their distance from the goal.
    pub const fn depth(&self) -> u64 {
        self.depth as u64
    }

    /// Returns their number.
    pub fn count(&self) -> u64 {
        self.explorer.depths[self.depth]
    }

    /// Returns their slots in ascending order.
    pub fn slots(&self) -> impl Iterator<Item = usize> + use<'a> {
        let range = self.words();
        let words = range.clone().zip(&self.explorer.words[range]);
        words.flat_map(|(at, &word)| bits(word).map(move |bit| at * 64 + bit))
    }

    /// Returns the words with their bits.
    fn words(&self) -> Range<usize> {
        let Explorer { index, metric, words, .. } = self.explorer;
        let of_plane = index.shape().parities() * index.shape().slab_words();
        match metric {
            Metric::Multi => 0..words.len(),
            Metric::Single => {
                let planes = index.planes_of(index.colour_at(self.depth));
                planes.start * of_plane..planes.end * of_plane
            }
        }
    }

    /// Returns whether a board is one of them.
    pub fn contains(&self, board: &Board) -> bool {
        self.explorer.index.slot(board).is_some_and(|slot| {
            self.words().contains(&(slot / 64))
                && self.explorer.words[slot / 64] >> (slot % 64) & 1 == 1
        })
    }

    /// Returns the numbering of the boards.
    pub const fn index(&self) -> &'a Arc<SpaceIndex> {
        &self.explorer.index
    }
}

/// The blocks of the last layer.
pub(super) trait Source: Sync {
    /// Returns the words of a block, unless it is empty.
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]>;
}

/// The slabs of one colour.
#[derive(Clone, Copy)]
struct Layer<'a> {
    words: &'a [u64],
    full: &'a [bool],
    first: usize,
    blocks: usize,
    block_words: usize,
}

impl Source for Layer<'_> {
    #[inline]
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let at = (slab - self.first) * self.blocks + block;
        self.full[at].then(|| &self.words[at * self.block_words..][..self.block_words])
    }
}

/// Some blocks that are replaced.
pub(super) struct Part<'a> {
    /// The number of the first block, counted through all slabs.
    pub(super) first: usize,
    words: &'a mut [u64],
    /// Whether each has a board; empty if segments slide as one.
    full: &'a mut [bool],
    /// Empty if no table is wanted.
    table: &'a mut [u64],
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

/// The computation of a layer, if segments slide as one.
struct Segments<'a> {
    index: &'a SpaceIndex,
    links: &'a Links,
    layer: &'a [u64],
}

impl Segments<'_> {
    /// Collects the neighbours of the layer in a slab, in the first of the buffers.
    fn neighbours(&self, slab: usize, [sum, moved, next]: &mut [Vec<u64>; 3]) {
        let shape = self.index.shape();
        let (slab_words, block_words) = (shape.slab_words(), shape.block_words());
        let words = |slab: usize| &self.layer[slab * slab_words..][..slab_words];
        let mut scratch = Scratch::default();
        sum.fill(0);
        for &last in self.links.of_plane(slab / shape.parities()) {
            // The steps of a move, with the slabs that they lead to and come from.
            let mut target = slab;
            let steps = self.links.chain(last).map(|link| {
                let to = target;
                target = link.source_slab(to, shape);
                (link, to, target)
            });
            let steps: Vec<_> = steps.collect();
            moved.fill(0);
            for (link, to, from) in steps.into_iter().rev() {
                unite(moved, words(from));
                let Some(map) = self.links.map(&link) else { continue };
                next.fill(0);
                for (block, sum) in next.chunks_exact_mut(block_words).enumerate() {
                    let is_odd = || is_odd(block, shape.block_radix() + 1) != self.index.is_odd(to);
                    let source = |block: usize| Some(&moved[block * block_words..][..block_words]);
                    map.add(block, is_odd, source, sum, &mut scratch);
                }
                std::mem::swap(moved, next);
            }
            unite(sum, moved);
        }
    }
}
