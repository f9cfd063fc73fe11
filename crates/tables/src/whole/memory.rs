//! Layers in memory, with one bit for each board that is held.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::Monitor;
use taquin_tiles::Board;

use crate::file::FileError;

use super::explorer::{Explorer, Part, Source, Step, Storage, TILE, enter, reporter, slots};
use super::index::SpaceIndex;
use super::maps::Scratch;
use super::plan::{ColourPlan, SharePlan};
use super::share::{Member, ReceivedBlocks};
use super::table::SpaceTable;
use super::{ExploreError, Extent, Metric, table_extent};

/// A space with fewer words is explored on one thread: waking others takes longer.
pub(super) const SMALL_SPACE_WORDS: usize = 1 << 14;

/// The least number of consecutive words per work item.
const PART: usize = 1 << 12;

/// The last layers in memory.
pub struct Memory {
    /// The blocks held for the last layer and, if a move is one step, for the layer before it in
    /// the other colour.
    pub(super) words: Vec<u64>,
    /// Whether each has a board.
    pub(super) full: Vec<bool>,
    /// The layer before the last one, if segments slide as one.
    pub(super) before: Vec<u64>,
    /// The blocks of the last layer that other processes have sent.
    pub(super) arrived: ReceivedBlocks,
    /// Two words of the table for each word, if one is wanted.
    pub(super) table: Vec<u64>,
    /// Whether a layer was computed that is not complete yet.
    is_ahead: bool,
    /// Whether a layer that has begun is computed to its end.
    pub(super) has_whole_layers: bool,
}

impl Explorer {
    /// Creates a space that contains only the goal.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes.
    pub fn new(goal: &Board, metric: Metric, memory: u64) -> Result<Self, ExploreError> {
        let Extent { states, bytes } = super::extent(goal, metric);
        if bytes > memory {
            return Err(ExploreError::Memory { states, needed: bytes, allowed: memory });
        }
        SharePlan::new(goal, metric, Member::ONLY, u64::MAX).map(Self::of_share)
    }

    /// Creates a space that contains only the goal and becomes a table.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes.
    pub fn for_table(goal: &Board, metric: Metric, memory: u64) -> Result<Self, ExploreError> {
        let Extent { states, bytes } = table_extent(goal, metric);
        if bytes > memory {
            return Err(ExploreError::Memory { states, needed: bytes, allowed: memory });
        }
        let mut this = Self::new(goal, metric, memory)?;
        let Memory { words, table, .. } = &mut this.storage;
        *table = vec![0; 2 * words.len()];
        for (at, &word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
            enter(&mut table[2 * at..2 * at + 2], &[word], 0);
        }
        Ok(this)
    }

    /// Creates a share of a space that contains only the goal.
    pub fn of_share(plan: SharePlan) -> Self {
        let mut storage = Memory::new(&plan);
        let index = &plan.index;
        let length = index.shape().block_words();
        let slot = index.slot(index.goal()).expect("the goal can be reached from itself");
        if let Some(place) = plan.place(slot / 64 / length) {
            storage.words[place * length + slot / 64 % length] = 1 << (slot % 64);
            storage.full[place] = true;
        }
        Self::with(plan, storage, vec![1])
    }

    /// Makes [`advance`](Self::advance) end with a whole layer even if the monitor is cancelled, so
    /// that the explorer can be saved then.
    #[must_use]
    pub const fn with_whole_layers(mut self) -> Self {
        self.storage.has_whole_layers = true;
        self
    }

    /// Returns the layer to expand next: the farthest that has been reached.
    pub fn layer(&self) -> SpaceLayer<'_> {
        SpaceLayer { explorer: self, depth: self.depths.len() - 1 }
    }

    /// Returns the distances of all boards once every layer has been computed, or `None` unless it
    /// was created [`for_table`](Self::for_table).
    pub fn into_table(self) -> Option<SpaceTable> {
        let Self { plan, storage: Memory { table, .. }, depths, .. } = self;
        (!table.is_empty()).then(|| SpaceTable::new(plan.index, plan.metric, depths, table))
    }
}

impl Memory {
    /// Returns the memory for a plan, without boards.
    pub(super) fn new(plan: &SharePlan) -> Self {
        let words = vec![0; plan.held() * plan.index.shape().block_words()];
        let before = match plan.metric {
            Metric::Single => Vec::new(),
            Metric::Multi => vec![0; words.len()],
        };
        Self {
            words,
            full: vec![false; plan.held()],
            before,
            arrived: ReceivedBlocks::new(plan),
            table: Vec::new(),
            is_ahead: false,
            has_whole_layers: false,
        }
    }

    /// Returns the words of the last complete layer.
    fn last(&self, metric: Metric) -> &[u64] {
        if metric == Metric::Multi && self.is_ahead { &self.before } else { &self.words }
    }

    /// Returns the numbers and words of the blocks with boards in the layer at `depth`: the last
    /// complete one or, if a move is one step, the one before.
    pub(super) fn held<'a>(
        &'a self,
        plan: &'a SharePlan,
        depth: usize,
    ) -> impl Iterator<Item = (usize, &'a [u64])> + use<'a> {
        let (blocks, length) = (plan.index.shape().blocks(), plan.index.shape().block_words());
        let words = self.last(plan.metric);
        // It is known which blocks of the newest layer have boards.
        let is_ahead = plan.metric == Metric::Multi && self.is_ahead;
        let held = plan.halves_at(depth).iter().flat_map(move |half| {
            let first = half.places.first().copied().unwrap_or_default();
            half.ranges(blocks).into_iter().flatten().zip(first..)
        });
        // The memory of an empty block may never have been used.
        let held = held.filter(move |&(_, place)| is_ahead || self.full[place]);
        held.map(move |(number, place)| (number, &words[place * length..][..length]))
    }

    /// Computes the next layer, if a move is one step.
    fn compute_steps(&mut self, plan: &SharePlan, depths: &[u64], monitor: &Monitor) -> u64 {
        let Self { words, full, table, arrived, has_whole_layers, .. } = self;
        let SharePlan { index, links, halves, .. } = plan;
        let depth = depths.len();
        let shape = index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let colour = index.colour_at(depth);
        let is_small = words.len() < SMALL_SPACE_WORDS;
        let split = halves[1].places.first().map_or(full.len(), |&place| place);
        let (words_0, words_1) = words.split_at_mut(split * block_words);
        let (full_0, full_1) = full.split_at_mut(split);
        let end = table.len().min(2 * split * block_words);
        let (table_0, table_1) = table.split_at_mut(end);
        let (mut words, mut full, table, (source_words, source_full, first)) = match colour {
            0 => (words_0, full_0, table_0, (&*words_1, &*full_1, split)),
            _ => (words_1, full_1, table_1, (&*words_0, &*full_0, 0)),
        };
        let source = AvailableLayer {
            half: &halves[1 - colour],
            words: source_words,
            full: source_full,
            first,
            arrived,
            is_all: plan.member == Member::ONLY,
            blocks,
            block_words,
        };
        let step = Step { index, links, source, depth };

        // Parts of slabs, or several slabs.
        let tile = match blocks {
            TILE.. => TILE,
            _ => blocks * PART.div_ceil(shape.slab_words()),
        };
        let mut parts = Vec::new();
        for numbers in halves[colour].ranges(blocks) {
            let (these, others) = words.split_at_mut(numbers.len() * block_words);
            let (these_full, others_full) = full.split_at_mut(numbers.len());
            (words, full) = (others, others_full);
            parts.extend(Part::split(numbers.start, these, these_full, tile));
        }
        // Only a process that holds all blocks makes a table.
        for (part, table) in parts.iter_mut().zip(table.chunks_mut(2 * tile * block_words)) {
            part.table = table;
        }
        // The same part of all slabs, then the next part.
        if tile < blocks {
            parts.sort_by_key(|part| part.first % blocks);
        }
        let report = reporter(depths, monitor);
        let (done, all) = (AtomicU64::new(0), parts.len() as u64);
        let work = |scratch: &mut (Vec<u64>, Scratch), part: &mut Part<'_>| {
            if !*has_whole_layers && monitor.is_cancelled() {
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
}

impl Storage for Memory {
    fn compute(
        &mut self,
        plan: &SharePlan,
        depths: &[u64],
        monitor: &Monitor,
    ) -> Result<u64, ExploreError> {
        let new = match plan.metric {
            Metric::Single => self.compute_steps(plan, depths, monitor),
            Metric::Multi => self.compute_segments(plan, depths, monitor),
        };
        self.arrived.is_full.fill(false);
        self.is_ahead = true;
        match monitor.is_cancelled() && !self.has_whole_layers {
            true => Err(ExploreError::Cancelled),
            false => Ok(new),
        }
    }

    fn complete(&mut self, _: &SharePlan, _: &[u64]) -> Result<(), ExploreError> {
        self.is_ahead = false;
        Ok(())
    }

    fn blocks<'a>(
        &'a self,
        plan: &'a SharePlan,
        depth: usize,
    ) -> impl Iterator<Item = Result<(usize, Cow<'a, [u64]>), FileError>> {
        self.held(plan, depth).map(|(number, words)| Ok((number, Cow::Borrowed(words))))
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
        let Explorer { plan, storage, .. } = self.explorer;
        storage.held(plan, self.depth).flat_map(|(number, words)| slots(number, words))
    }

    /// Returns whether it contains a board.
    pub fn contains(&self, board: &Board) -> bool {
        let Explorer { plan, storage, .. } = self.explorer;
        let length = plan.index.shape().block_words();
        let has = |slot: usize| {
            let number = slot / 64 / length;
            let half = plan.half_of(number / plan.index.shape().blocks());
            let place = plan.place(number)?;
            let word = storage.last(plan.metric)[place * length + slot / 64 % length];
            let is_of_layer =
                plan.halves_at(self.depth).iter().any(|other| other.first == half.first);
            Some(is_of_layer && word >> (slot % 64) & 1 == 1)
        };
        plan.index.slot(board).and_then(has).unwrap_or(false)
    }

    /// Returns the numbering of the boards.
    pub const fn index(&self) -> &'a Arc<SpaceIndex> {
        &self.explorer.plan.index
    }
}

/// The last layer as far as it is held or has arrived.
struct AvailableLayer<'a> {
    half: &'a ColourPlan,
    words: &'a [u64],
    full: &'a [bool],
    /// The place of the first block.
    first: usize,
    arrived: &'a ReceivedBlocks,
    /// Whether all blocks are held.
    is_all: bool,
    blocks: usize,
    block_words: usize,
}

impl Source for AvailableLayer<'_> {
    #[inline]
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let place = match self.is_all {
            true => (slab - self.half.first) * self.blocks + block,
            false => match self.half.place(slab, block) {
                Some(place) => place - self.first,
                None => return self.arrived_block(slab, block),
            },
        };
        self.full[place].then(|| &self.words[place * self.block_words..][..self.block_words])
    }
}

impl AvailableLayer<'_> {
    /// Returns the words of another process's block, unless it is empty. Not inlined, because most
    /// blocks are held here.
    #[inline(never)]
    fn arrived_block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let place = self.half.arrival(slab, slab * self.blocks + block)?;
        let start = self.arrived.is_full[place].then(|| self.half.arrival_at(place).start)?;
        Some(&self.arrived.words[start..][..self.block_words])
    }
}
