//! The share of a space that one of several processes holds.
//!
//! The blocks of a colour are numbered by block first, then by slab, and every process holds a range
//! of these numbers: in each slab, the blocks whose numbers begin with certain digits. A horizontal
//! move keeps the number, and a vertical one changes a few adjacent digits. So only a move at the
//! leading digits leads to another process, and it moves whole blocks.
//!
//! Before a layer is computed, each process needs those blocks of the last layer that moves lead
//! from to its own, and which these are is known beforehand.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::{Monitor, Progress};
use taquin_tiles::Board;

use crate::bits::bits;
use crate::file::{FileError, FileFault, TableFile};

use super::explorer::{FARTHEST, Part, SMALL, Source, Step, TILE};
use super::index::SpaceIndex;
use super::links::Links;
use super::maps::{Map, Scratch};
use super::saved::SavedDescription;
use super::{ExploreError, Extent, Metric};

/// Which process of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The process, counted from 0.
    pub process: usize,
    /// The number of processes.
    pub processes: usize,
}

/// Which blocks a process holds, which it needs, and which others need.
pub struct SharePlan {
    index: SpaceIndex,
    links: Links,
    member: Member,
    halves: [Half; 2],
}

/// The part of a plan for one colour.
#[derive(Clone, Debug)]
struct Half {
    /// The first slab of the colour.
    first: usize,
    /// For each slab of the colour, the blocks that are held.
    held: Vec<Range<usize>>,
    /// For each slab, where its first block is among all that are held, of both colours.
    places: Vec<usize>,
    /// The blocks of others that are needed, in ascending order of their numbers.
    needed: Vec<usize>,
    /// The processes that need blocks of this one, with the numbers of these, in ascending order.
    wanted: Vec<(u32, usize)>,
}

impl SharePlan {
    /// Creates the plan of one process for the space of a goal, in which a move is one step.
    ///
    /// # Errors
    /// Fails if the share alone would take more than `memory` bytes.
    pub fn new(goal: &Board, member: Member, memory: u64) -> Result<Self, ExploreError> {
        let Extent { states, bytes } = super::extent(goal, Metric::Single);
        let least = bytes / member.processes as u64;
        if bytes == u64::MAX || least > memory {
            let needed = if bytes == u64::MAX { bytes } else { least };
            return Err(ExploreError::Memory { states, needed, allowed: memory });
        }
        let index = SpaceIndex::new(goal, Metric::Single, u64::MAX)?;
        let links = Links::new(&index);
        let mut place = 0;
        let halves = [0, 1].map(|colour| {
            let held = held(&index, colour, member);
            let places = held.iter().map(|blocks| {
                place += blocks.len();
                place - blocks.len()
            });
            let places = places.collect();
            let first = index.slabs_of(colour).start;
            Half { first, held, places, needed: Vec::new(), wanted: Vec::new() }
        });
        let mut this = Self { index, links, member, halves };
        if member.processes > 1 {
            let found = [0, 1].map(|colour| this.crossings(colour));
            // A step into a block has its reverse, so that what is needed of one colour is wanted
            // by others for the other.
            let [(needed_1, wanted_0), (needed_0, wanted_1)] = found;
            for (half, (needed, wanted)) in
                this.halves.iter_mut().zip([(needed_0, wanted_0), (needed_1, wanted_1)])
            {
                (half.needed, half.wanted) = (needed, wanted);
            }
        }
        Ok(this)
    }

    /// Returns the blocks of others that steps connect with the held blocks of a colour, and these
    /// blocks with the processes of the others.
    fn crossings(&self, colour: usize) -> (Vec<usize>, Vec<(u32, usize)>) {
        let shape = self.index.shape();
        let blocks = shape.blocks();
        let half = &self.halves[colour];
        let (mut others, mut own) = (Vec::new(), Vec::new());
        for (slab, held) in (half.first..).zip(&half.held) {
            for block in held.clone() {
                for link in self.links.of_plane(slab / shape.parities()) {
                    let from = link.source_slab(slab, shape);
                    let mut add = |source: usize| {
                        let owner = self.owner(from, source);
                        if owner != self.member.process {
                            others.push(from * blocks + source);
                            own.push((owner as u32, slab * blocks + block));
                        }
                    };
                    match self.links.map(link) {
                        None => add(block),
                        Some(map) => map.sources(block).for_each(add),
                    }
                }
            }
            // Now and then those that occur several times are dropped.
            others.sort_unstable();
            others.dedup();
            own.sort_unstable();
            own.dedup();
        }
        (others, own)
    }

    /// Returns the process that holds a block.
    fn owner(&self, slab: usize, block: usize) -> usize {
        let slabs = self.index.slabs_of(usize::from(slab >= self.halves[1].first));
        let all = slabs.len() * self.index.shape().blocks();
        let number = block * slabs.len() + slab - slabs.start;
        ((number + 1) * self.member.processes - 1) / all
    }

    /// Returns the size of the share: the boards of the whole space, and the bytes of memory of this
    /// process, with what is on its way to and from others.
    pub fn extent(&self) -> Extent {
        let shape = self.index.shape();
        let block = shape.block_words() * size_of::<u64>();
        let numbers = |half: &Half| half.needed.len() * size_of::<usize>() + half.wanted.len() * 16;
        let needed = self.needed();
        // Blocks of the next layer may arrive while those of the last one are used.
        let moving = needed + self.halves.iter().map(|half| half.wanted.len()).max().unwrap_or(0);
        let planes = Links::plane_bytes(shape) * (self.index.slabs() / shape.parities());
        let bytes = self.held() * (block + 1)
            + needed * (block + 1)
            + moving * block
            + self.halves.iter().map(numbers).sum::<usize>()
            + planes
            + Map::all_bytes(shape);
        let states = super::extent(self.index.goal(), Metric::Single).states;
        Extent { states, bytes: bytes as u64 }
    }

    /// Returns the number of blocks that are held.
    fn held(&self) -> usize {
        self.halves.iter().flat_map(|half| &half.held).map(ExactSizeIterator::len).sum()
    }

    /// Returns the most bytes that other processes send to this one for a layer.
    pub fn traffic(&self) -> u64 {
        (self.needed() * self.index.shape().block_words() * size_of::<u64>()) as u64
    }

    /// Returns the greatest number of blocks of others that a layer needs.
    fn needed(&self) -> usize {
        self.halves.iter().map(|half| half.needed.len()).max().unwrap_or(0)
    }

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        self.index.goal()
    }
}

/// Returns the blocks of each slab of a colour that a process holds.
fn held(index: &SpaceIndex, colour: usize, member: Member) -> Vec<Range<usize>> {
    let Member { process, processes } = member;
    let slabs = index.slabs_of(colour).len();
    let all = slabs * index.shape().blocks();
    let [first, end] = [process, process + 1].map(|process| all * process / processes);
    // The blocks whose numbers are below a bound.
    let below = |bound: usize, slab: usize| bound.saturating_sub(slab).div_ceil(slabs);
    (0..slabs).map(|slab| below(first, slab)..below(end, slab)).collect()
}

/// The share of a space that is being explored.
pub struct SpaceShare {
    plan: SharePlan,
    /// The blocks that are held of the last layer and, in the other colour, of the layer before.
    words: Vec<u64>,
    /// Whether each has a board.
    full: Vec<bool>,
    /// What has arrived of the last layer.
    arrived: Arrived,
    /// The number of boards of the whole space at each depth.
    depths: Vec<u64>,
}

/// Blocks of other processes.
#[derive(Clone, Default, Debug)]
struct Arrived {
    words: Vec<u64>,
    is_full: Vec<bool>,
}

impl SpaceShare {
    /// Creates a share of a space of which only the goal is known.
    pub fn new(plan: SharePlan) -> Self {
        let mut this = Self::empty(plan);
        let SharePlan { index, halves, .. } = &this.plan;
        let shape = index.shape();
        let slot = index.slot(index.goal()).expect("the goal can be reached from itself");
        let number = slot / 64 / shape.block_words();
        let half = &halves[index.colour_at(0)];
        if let Some(place) = half.place(number / shape.blocks(), number % shape.blocks()) {
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
            Arrived { words: vec![0; needed * block_words], is_full: vec![false; needed] };
        let (words, full) = (vec![0; held * block_words], vec![false; held]);
        Self { plan, words, full, arrived, depths: vec![1] }
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

    /// Returns the blocks of the layer at `depth`, the last one that was computed, that other
    /// processes need: the process, the number of the block and its words, in the order of the
    /// processes.
    pub fn departures(&self, depth: usize) -> impl Iterator<Item = (usize, u64, &[u64])> {
        let SharePlan { index, halves, .. } = &self.plan;
        let (blocks, length) = (index.shape().blocks(), index.shape().block_words());
        let half = &halves[index.colour_at(depth)];
        half.wanted.iter().filter_map(move |&(process, number)| {
            let place = half.place(number / blocks, number % blocks)?;
            let words = &self.words[place * length..][..length];
            self.full[place].then_some((process as usize, number as u64, words))
        })
    }

    /// Receives a block of the layer at `depth`, the last one. Returns `false` if it is none that is
    /// needed.
    pub fn receive(&mut self, depth: usize, number: u64, words: &[u64]) -> bool {
        let SharePlan { index, halves, .. } = &self.plan;
        let length = index.shape().block_words();
        let colour = index.colour_at(depth);
        let place = halves[colour].needed.binary_search(&(number as usize));
        let (Ok(place), true) = (place, words.len() == length) else { return false };
        let Arrived { words: all, is_full } = &mut self.arrived;
        all[place * length..][..length].copy_from_slice(words);
        is_full[place] = true;
        true
    }

    /// Returns the number of words of a block.
    pub fn block_words(&self) -> usize {
        self.plan.index.shape().block_words()
    }

    /// Computes the held blocks of the next layer on all threads of the current pool, once all that
    /// is needed has arrived. Returns the number of boards in them. The layer is incomplete if the
    /// monitor was cancelled, unless `is_whole`.
    pub fn advance(&mut self, is_whole: bool, monitor: &Monitor) -> u64 {
        let Self { plan: SharePlan { index, links, halves, .. }, words, full, arrived, depths } =
            self;
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
        parts.sort_by_key(|part| part.first % blocks);
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
        let new = match is_small {
            true => {
                let mut scratch = scratch();
                parts.iter_mut().map(|part| work(&mut scratch, part)).sum()
            }
            false => parts.par_iter_mut().map_init(scratch, work).sum(),
        };
        drop(parts);
        arrived.is_full.fill(false);
        new
    }

    /// Adds the number of boards that all processes have found at the next depth.
    pub fn complete(&mut self, boards: u64) {
        self.depths.push(boards);
    }

    /// Returns the number of boards that are held of the last complete layer.
    pub fn boards(&self) -> u64 {
        self.last_layer().map(|(_, word)| u64::from(word.count_ones())).sum()
    }

    /// Returns the words that are held of the last complete layer, and where they are in the space.
    fn last_layer(&self) -> impl Iterator<Item = (usize, u64)> {
        let SharePlan { index, halves, .. } = &self.plan;
        let (blocks, length) = (index.shape().blocks(), index.shape().block_words());
        let half = &halves[index.colour_at(self.depths.len() - 1)];
        let slabs = (half.first..).zip(half.held.iter().zip(&half.places));
        slabs.flat_map(move |(slab, (held, &place))| {
            let words = &self.words[place * length..][..held.len() * length];
            let first = (slab * blocks + held.start) * length;
            (first..).zip(words.iter().copied())
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

    /// Saves the share of the last complete layer and the layer before.
    ///
    /// # Errors
    /// Fails if the file cannot be written or is not read back as it was written.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        let at = |error: io::Error| FileFault::Io(error).at(path);
        let description = SavedDescription::new(self.goal(), &self.depths, false).map_err(at)?;
        let description = description.of_member(self.plan.member);
        TableFile::save(path, &description, bytemuck::cast_slice(&self.words))
    }

    /// Returns a share of a space that was [saved](Self::save) by `processes` processes, perhaps
    /// another number than now, when it had these depths. `path` returns the file of a process.
    ///
    /// # Errors
    /// Fails unless the files have the same space up to the same depth, and every byte is as it was
    /// written.
    pub fn resume(
        plan: SharePlan,
        depths: Vec<u64>,
        processes: usize,
        path: impl Fn(usize) -> PathBuf,
    ) -> Result<Self, FileError> {
        let mut this = Self { depths, ..Self::empty(plan) };
        let length = this.block_words();
        for process in 0..processes {
            let saved = Member { process, processes };
            let index = &this.plan.index;
            let halves = [0, 1].map(|colour| held(index, colour, saved));
            // Where each overlap begins in the file and here, and its length, in blocks.
            let mut overlaps = Vec::new();
            let mut place = 0;
            for (half, held) in this.plan.halves.iter().zip(halves) {
                for ((own, &own_place), held) in half.held.iter().zip(&half.places).zip(held) {
                    let both = own.start.max(held.start)..own.end.min(held.end);
                    if !both.is_empty() {
                        let from = place + both.start - held.start;
                        overlaps.push((from, own_place + both.start - own.start, both.len()));
                    }
                    place += held.len();
                }
            }
            if overlaps.is_empty() {
                continue;
            }
            let path = path(process);
            let fault = |fault: FileFault| fault.at(&path);
            let file = TableFile::<SavedDescription>::open(&path).map_err(fault)?;
            let share = file.description.share().ok_or_else(|| fault(FileFault::Header))?;
            let (goal, depths) = (this.goal().clone(), this.depths.clone());
            if share != (SavedShare { goal, depths, member: saved }) {
                return Err(fault(FileFault::Goal));
            }
            let content = file.content().map_err(fault)?;
            let bytes = length * size_of::<u64>();
            for (from, to, blocks) in overlaps {
                let words = &mut this.words[to * length..][..blocks * length];
                let content = &content[from * bytes..][..blocks * bytes];
                bytemuck::cast_slice_mut(words).copy_from_slice(content);
            }
        }
        let is_full = |block: &[u64]| block.iter().any(|&word| word != 0);
        this.full = this.words.chunks(length).map(is_full).collect();
        Ok(this)
    }
}

/// What a file has a share of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedShare {
    /// The goal.
    pub goal: Board,
    /// The number of boards of the whole space at each depth.
    pub depths: Vec<u64>,
    /// Whose share it is.
    pub member: Member,
}

impl SavedShare {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// Fails unless it is one that [`SpaceShare::save`] has written.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let file = TableFile::<SavedDescription>::open(path).map_err(|fault| fault.at(path))?;
        file.description.share().ok_or_else(|| FileFault::Header.at(path))
    }
}

/// Returns the number of words of the share of a process, or `None` if there is no such process.
pub(super) fn share_words(goal: &Board, member: Member) -> Option<usize> {
    let index = SpaceIndex::new(goal, Metric::Single, u64::MAX).ok()?;
    let is_one = member.process < member.processes && member.processes <= MOST;
    let halves = is_one.then(|| [0, 1].map(|colour| held(&index, colour, member)))?;
    let blocks: usize = halves.iter().flatten().map(ExactSizeIterator::len).sum();
    Some(blocks * index.shape().block_words())
}

/// The most processes.
pub(super) const MOST: usize = 1 << 16;

impl Half {
    /// Returns the place of a block that is held.
    #[inline]
    fn place(&self, slab: usize, block: usize) -> Option<usize> {
        let held = &self.held[slab - self.first];
        held.contains(&block).then(|| self.places[slab - self.first] + block - held.start)
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
        let (place, full, words) = match self.half.place(slab, block) {
            Some(place) => (place - self.first, self.full, self.words),
            None => {
                let number = slab * self.blocks + block;
                let place = self.half.needed.binary_search(&number).ok()?;
                (place, &self.arrived.is_full[..], &self.arrived.words[..])
            }
        };
        full[place].then(|| &words[place * self.block_words..][..self.block_words])
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
