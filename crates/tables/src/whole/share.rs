//! The share of a space that one of several processes holds.
//!
//! The blocks of a colour are numbered by block first, then by slab, in the order of the sum of the
//! blanks' cells. Every process holds a range of these numbers: in each slab, the blocks whose numbers
//! begin with certain digits. A horizontal move keeps the number, and a vertical one changes a few
//! adjacent digits. So only a move at the leading digits leads to another process, or one past the
//! sum of cells that divides a block's slabs. It moves whole blocks or, if the block has one of these
//! digits, runs of words.
//!
//! Before a layer is computed, each process needs those blocks of the last layer that moves lead
//! from to its own, and which these are is known beforehand.

mod plan;
mod runs;
mod saved;
mod segments;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::{Monitor, Progress};
use taquin_tiles::Board;

use crate::bits::bits;

use super::Metric;
use super::explorer::{FARTHEST, Part, SMALL, Source, Step, TILE};
use super::maps::Scratch;
use plan::{Arrival, Half};
use runs::ArrivedBlock;

pub use plan::SharePlan;
pub use runs::Departures;
pub use saved::SavedShare;
pub(super) use saved::share_words;

/// Which process of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The process, counted from 0.
    pub process: usize,
    /// The number of processes.
    pub processes: usize,
}

/// The share of a space that is being explored.
pub struct SpaceShare {
    plan: SharePlan,
    /// The blocks that are held of the last layer and, if a move is one step, of the layer before in
    /// the other colour.
    words: Vec<u64>,
    /// Whether each has a board.
    full: Vec<bool>,
    /// The layer before the last one, if segments slide as one.
    before: Vec<u64>,
    /// Whether a layer was computed that is not complete yet.
    is_ahead: bool,
    /// What has arrived of the last layer.
    arrived: Arrived,
    /// The number of boards of the whole space at each depth.
    depths: Vec<u64>,
}

/// Blocks of other processes.
#[derive(Clone, Default, Debug)]
struct Arrived {
    words: Vec<u64>,
    /// Whether each has arrived, and so has a board.
    is_full: Vec<bool>,
}

impl SpaceShare {
    /// Creates a share of a space of which only the goal is known.
    pub fn new(plan: SharePlan) -> Self {
        let mut this = Self::empty(plan);
        let index = &this.plan.index;
        let shape = index.shape();
        let slot = index.slot(index.goal()).expect("the goal can be reached from itself");
        let number = slot / 64 / shape.block_words();
        if let Some(place) = this.plan.place(number) {
            let word = slot / 64 % shape.block_words();
            this.words[place * shape.block_words() + word] = 1 << (slot % 64);
            this.full[place] = true;
        }
        this
    }

    fn empty(plan: SharePlan) -> Self {
        let block_words = plan.index.shape().block_words();
        let held = plan.held();
        let needed = plan.needed();
        let arrived =
            Arrived { words: vec![0; plan.arrival_words()], is_full: vec![false; needed] };
        let (words, full) = (vec![0; held * block_words], vec![false; held]);
        let before = match plan.metric {
            Metric::Single => Vec::new(),
            Metric::Multi => vec![0; words.len()],
        };
        Self { plan, words, full, before, is_ahead: false, arrived, depths: vec![1] }
    }

    /// Returns the number of boards of the whole space at each depth that is complete.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        self.plan.goal()
    }

    /// Returns whose share it is.
    pub const fn member(&self) -> Member {
        self.plan.member
    }

    /// Returns the number of pieces in which other processes get what they need of the layer at
    /// `depth`.
    pub fn pieces(&self, depth: usize) -> usize {
        let wanted = self.plan.halves_at(depth).iter().flat_map(|half| &half.wanted);
        let runs: usize = wanted
            .filter(|wanted| self.full[wanted.place])
            .map(|wanted| wanted.runs.count_ones() as usize)
            .sum();
        (runs * self.run_words() * size_of::<u64>()).div_ceil(self.plan.piece()).max(1)
    }

    /// Returns a piece of the blocks of the layer at `depth`, the last one that was computed, that
    /// the process `to` needs. A piece has the same part of what each process needs.
    pub fn departures(
        &self,
        depth: usize,
        (piece, pieces): (usize, usize),
        to: usize,
    ) -> Departures<'_> {
        let parts = self.plan.halves_at(depth).iter().map(|half| {
            let all = half.wanted_by(to);
            let [first, end] = [piece, piece + 1].map(|piece| all.len() * piece / pieces);
            &all[first..end]
        });
        let (shape, parts) = (self.plan.index.shape(), parts.collect());
        Departures { words: &self.words, full: &self.full, shape, parts }
    }

    /// Receives some blocks of the layer at `depth`, the last one, as they were
    /// [written](Departures::write). Returns `false` if there is something else.
    pub fn receive(&mut self, depth: usize, content: &[u8]) -> bool {
        let (length, run_words) = (self.block_words(), self.run_words());
        let Arrived { words, is_full } = &mut self.arrived;
        let (halves, blocks) = (self.plan.halves_at(depth), self.plan.index.shape().blocks());
        let mut content = content;
        let mut last = 0;
        while !content.is_empty() {
            let Some((arrived, rest)) = ArrivedBlock::read(content, run_words) else {
                return false;
            };
            content = rest;
            let number = arrived.number as usize;
            // Blocks arrive in ascending order.
            let found = halves.iter().find_map(|half| {
                let place = half.arrival_after(last, number);
                let place = place.or_else(|| half.arrival(number / blocks, number))?;
                Some((place, half.arrival_at(place)))
            });
            let Some((place, Arrival { runs, start })) = found else { return false };
            last = place;
            if !arrived.copy_to(&mut words[start..][..length], runs, run_words) {
                return false;
            }
            is_full[place] = true;
        }
        true
    }

    /// Returns the number of words of a run.
    fn run_words(&self) -> usize {
        runs::run_words(self.plan.index.shape())
    }

    /// Returns the number of words of a block.
    pub fn block_words(&self) -> usize {
        self.plan.index.shape().block_words()
    }

    /// Computes the held blocks of the next layer on all threads of the current pool, once all that
    /// is needed has arrived. Returns the number of boards in them. The layer is incomplete if the
    /// monitor was cancelled, unless `is_whole`.
    pub fn advance(&mut self, is_whole: bool, monitor: &Monitor) -> u64 {
        let new = match self.plan.metric {
            Metric::Single => self.advance_by_steps(is_whole, monitor),
            Metric::Multi => self.advance_by_segments(is_whole, monitor),
        };
        self.arrived.is_full.fill(false);
        self.is_ahead = true;
        new
    }

    /// Replaces the layer before the last one by the next one.
    fn advance_by_steps(&mut self, is_whole: bool, monitor: &Monitor) -> u64 {
        let Self { plan, words, full, arrived, depths, .. } = self;
        let SharePlan { index, links, halves, .. } = plan;
        let depth = depths.len();
        let shape = index.shape();
        let (blocks, block_words) = (shape.blocks(), shape.block_words());
        let colour = index.colour_at(depth);
        let is_small = words.len() < SMALL;
        let split = halves[1].places.first().map_or(full.len(), |&place| place);
        let (words_0, words_1) = words.split_at_mut(split * block_words);
        let (full_0, full_1) = full.split_at_mut(split);
        let (words, full, source_words, source_full, source_first) = match colour {
            0 => (words_0, full_0, words_1, full_1, split),
            _ => (words_1, full_1, words_0, full_0, 0),
        };
        let half = &halves[1 - colour];
        let source = ShareLayer {
            half,
            words: source_words,
            full: source_full,
            first: source_first,
            arrived,
            blocks,
            block_words,
        };
        let mut parts = Vec::new();
        let (mut words, mut full) = (words, full);
        for (slab, held) in (halves[colour].first..).zip(&halves[colour].held) {
            let (these, others) = words.split_at_mut(held.len() * block_words);
            let (these_full, others_full) = full.split_at_mut(held.len());
            (words, full) = (others, others_full);
            parts.extend(Part::split(slab * blocks + held.start, these, these_full, TILE));
        }
        // The same blocks of all slabs, then the next ones.
        if blocks > TILE {
            parts.sort_by_key(|part| part.first % blocks);
        }
        let step = Step { index, links, source, depth };
        let report = reporter(depths, monitor);
        let (done, all) = (AtomicU64::new(0), parts.len() as u64);
        let work = |scratch: &mut (Vec<u64>, Scratch), part: &mut Part<'_>| {
            if !is_whole && monitor.is_cancelled() {
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

    /// Adds the number of boards that all processes have found at the next depth.
    pub fn complete(&mut self, boards: u64) {
        self.depths.push(boards);
        self.is_ahead = false;
    }

    /// Returns the number of boards that are held of the last complete layer.
    pub fn boards(&self) -> u64 {
        self.last_layer().map(|(_, word)| u64::from(word.count_ones())).sum()
    }

    /// Returns the words that are held of the last complete layer, and where they are in the space.
    fn last_layer(&self) -> impl Iterator<Item = (usize, u64)> {
        let (blocks, length) = (self.plan.index.shape().blocks(), self.block_words());
        // It is known which blocks of the newest layer have boards.
        let is_ahead = self.plan.metric == Metric::Multi && self.is_ahead;
        let all = if is_ahead { &self.before } else { &self.words };
        let halves = self.plan.halves_at(self.depths.len() - 1).iter();
        let slabs = halves
            .flat_map(|half| (half.first..).zip(half.held.iter().zip(half.places.iter().copied())));
        let held = slabs.flat_map(move |(slab, (held, place))| {
            let numbers = slab * blocks + held.start..slab * blocks + held.end;
            numbers.zip(place..)
        });
        // The memory of an empty block may never have been used.
        let held = held.filter(move |&(_, place)| is_ahead || self.full[place]);
        held.flat_map(move |(number, place)| {
            let words = &all[place * length..][..length];
            (number * length..).zip(words.iter().copied())
        })
    }

    /// Returns the slots of the farthest boards that are held: of all, or of the first thousand.
    pub fn farthest(&self) -> Vec<u64> {
        let index = &self.plan.index;
        let slots = self.last_layer().flat_map(|(at, word)| bits(word).map(move |b| at * 64 + b));
        let boards = index.first(slots.map(|slot| index.board(slot)), FARTHEST);
        boards.iter().filter_map(|board| index.slot(board)).map(|slot| slot as u64).collect()
    }

    /// Returns the farthest boards of the whole space, from the slots that all processes have found;
    /// `None` if one is no slot of a board.
    pub fn farthest_of_all(&self, slots: &[u64]) -> Option<Vec<Board>> {
        let index = &self.plan.index;
        let board = |&slot: &u64| {
            let slot = usize::try_from(slot).ok().filter(|slot| slot / 64 < index.words())?;
            Some(index.board(slot)).filter(|board| index.slot(board) == Some(slot))
        };
        let boards: Option<Vec<Board>> = slots.iter().map(board).collect();
        Some(index.first(boards?.into_iter(), FARTHEST))
    }
}

/// The last layer as far as it is held or has arrived.
struct ShareLayer<'a> {
    half: &'a Half,
    words: &'a [u64],
    full: &'a [bool],
    /// The place of the first block.
    first: usize,
    arrived: &'a Arrived,
    blocks: usize,
    block_words: usize,
}

impl Source for ShareLayer<'_> {
    #[inline]
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let Some(place) = self.half.place(slab, block) else {
            return self.arrived_block(slab, block);
        };
        let place = place - self.first;
        self.full[place].then(|| &self.words[place * self.block_words..][..self.block_words])
    }
}

impl ShareLayer<'_> {
    /// Returns the words of a block of another process, unless it is empty. Most blocks are held, and
    /// where they are looked up this is not inlined.
    #[inline(never)]
    fn arrived_block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let place = self.half.arrival(slab, slab * self.blocks + block)?;
        let start = self.arrived.is_full[place].then(|| self.half.arrival_at(place).start)?;
        Some(&self.arrived.words[start..][..self.block_words])
    }
}

/// Returns a function that reports how many parts of a layer have been computed.
fn reporter<'a>(depths: &[u64], monitor: &'a Monitor) -> impl Fn(u64, u64) + Sync + use<'a> {
    let (found, bound) = (depths.iter().sum::<u64>(), depths.len() as u32 - 1);
    let frontier = depths[depths.len() - 1];
    move |done, all| {
        let part = (u128::from(frontier) * u128::from(done) / u128::from(all)) as u64;
        let expanded = found - frontier + part;
        monitor.report(Progress { expanded, generated: found, frontier, bound });
    }
}
