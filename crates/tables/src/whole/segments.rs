//! The next layer of a share, if segments slide as one.
//!
//! A move is a chain of steps. The boards that it reaches in a block come from the last layer's
//! blocks before the last step, and from the boards that earlier steps have reached there, and so
//! on. If these blocks belong to other processes, each process that needs them does these steps
//! itself.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::Monitor;

use super::explorer::{enter, reporter};
use super::links::Link;
use super::maps::{Scratch, is_odd, unite};
use super::memory::{Memory, SMALL_SPACE_WORDS};
use super::plan::SharePlan;
use super::share::ReceivedBlocks;

/// Buffers that a thread reuses for every slab.
#[derive(Clone, Default, Debug)]
struct Buffers {
    /// The neighbours of the layer.
    sum: Vec<u64>,
    /// The boards reached by the steps so far, and by the next step.
    moved: Vec<u64>,
    next: Vec<u64>,
}

impl Memory {
    /// Replaces the layer before the last one by the next one, and then exchanges both.
    pub(super) fn compute_segments(
        &mut self,
        plan: &SharePlan,
        depths: &[u64],
        monitor: &Monitor,
    ) -> u64 {
        let Self { words, full, before, arrived, table, has_whole_layers, .. } = self;
        let length = plan.index.shape().block_words();
        let is_small = words.len() < SMALL_SPACE_WORDS;
        let layer = Layer { plan, words, arrived };
        let mut parts = Vec::new();
        let (mut rest, mut rest_full, mut rest_table) =
            (&mut before[..], &mut full[..], &mut table[..]);
        for half in &plan.halves {
            for (slab, held) in (half.first..).zip(&half.held) {
                let (words, full, table);
                (words, rest) = rest.split_at_mut(held.len() * length);
                (full, rest_full) = rest_full.split_at_mut(held.len());
                let end = rest_table.len().min(2 * words.len());
                (table, rest_table) = rest_table.split_at_mut(end);
                parts.push(SlabPart { slab, held: held.clone(), words, full, table });
            }
        }
        let report = reporter(depths, monitor);
        let (done, all) = (AtomicU64::new(0), parts.len() as u64);
        let work = |buffers: &mut Buffers, part: SlabPart<'_>| {
            let SlabPart { slab, held, words, full, table } = part;
            if held.is_empty() || (!*has_whole_layers && monitor.is_cancelled()) {
                return 0;
            }
            let mut new = 0;
            layer.neighbours(slab, held.clone(), buffers);
            let blocks = held.zip(words.chunks_exact_mut(length)).zip(full);
            for (((block, before), full), next) in blocks.zip(buffers.sum.chunks_exact(length)) {
                let now = layer.block(slab, block).unwrap_or_default();
                let mut count = 0;
                for ((before, &now), &next) in before.iter_mut().zip(now).zip(next) {
                    *before = next & !now & !*before;
                    count += u64::from(before.count_ones());
                }
                *full = count > 0;
                new += count;
            }
            enter(table, words, depths.len());
            report(done.fetch_add(1, Relaxed) + 1, all);
            new
        };
        let new = match is_small {
            true => {
                let mut buffers = Buffers::default();
                parts.into_iter().map(|part| work(&mut buffers, part)).sum()
            }
            false => parts.into_par_iter().map_init(Buffers::default, work).sum(),
        };
        std::mem::swap(words, before);
        new
    }
}

/// The blocks of a slab that are replaced.
struct SlabPart<'a> {
    slab: usize,
    held: Range<usize>,
    words: &'a mut [u64],
    /// Whether each has a board.
    full: &'a mut [bool],
    /// Empty if no table is wanted.
    table: &'a mut [u64],
}

/// The last layer as far as it is held or has arrived.
struct Layer<'a> {
    plan: &'a SharePlan,
    words: &'a [u64],
    arrived: &'a ReceivedBlocks,
}

impl Layer<'_> {
    /// Returns the words of a block, unless it belongs to another process and is empty.
    fn block(&self, slab: usize, block: usize) -> Option<&[u64]> {
        let shape = self.plan.index.shape();
        let half = self.plan.half_of(slab);
        let (words, start) = match half.place(slab, block) {
            Some(place) => (self.words, place * shape.block_words()),
            None => {
                let place = half.arrival(slab, slab * shape.blocks() + block)?;
                let start = self.arrived.is_full[place].then(|| half.arrival_at(place).start)?;
                (&self.arrived.words[..], start)
            }
        };
        Some(&words[start..][..shape.block_words()])
    }

    /// Collects the layer's neighbours in some blocks of a slab.
    fn neighbours(&self, slab: usize, held: Range<usize>, buffers: &mut Buffers) {
        let SharePlan { index, links, .. } = self.plan;
        let shape = index.shape();
        let Buffers { sum, moved, next } = buffers;
        clear(sum, held.len() * shape.block_words());
        for &last in links.of_plane(slab / shape.parities()) {
            // The steps of a move, with the slabs that they lead to and come from, and the blocks
            // there.
            let mut steps: Vec<(Link, usize, Vec<usize>)> = Vec::new();
            let (mut target, mut numbers) = (slab, held.clone().collect::<Vec<usize>>());
            for link in links.chain(last) {
                let mut sources = Vec::new();
                links.sources(&link, &numbers, &mut sources);
                steps.push((link, target, numbers));
                (target, numbers) = (link.source_slab(target, shape), sources);
            }
            clear(moved, numbers.len() * shape.block_words());
            for (link, to, targets) in steps.into_iter().rev() {
                self.add_layer(&numbers, moved, link.source_slab(to, shape));
                if self.step(&link, (to, &targets), (&numbers, moved), next) {
                    std::mem::swap(moved, next);
                }
                numbers = targets;
            }
            unite(sum, moved);
        }
    }

    /// Adds the blocks of the layer.
    fn add_layer(&self, numbers: &[usize], words: &mut [u64], slab: usize) {
        let length = self.plan.index.shape().block_words();
        for (&block, words) in numbers.iter().zip(words.chunks_exact_mut(length)) {
            if let Some(layer) = self.block(slab, block) {
                unite(words, layer);
            }
        }
    }

    /// Writes the results of a step in some blocks of a slab to `next`. Returns `false` if these
    /// are also the source blocks.
    fn step(
        &self,
        link: &Link,
        (slab, targets): (usize, &[usize]),
        (sources, words): (&[usize], &[u64]),
        next: &mut Vec<u64>,
    ) -> bool {
        let SharePlan { index, links, .. } = self.plan;
        let shape = index.shape();
        let length = shape.block_words();
        let Some(map) = links.map(link) else { return false };
        let mut scratch = Scratch::default();
        clear(next, targets.len() * length);
        let first = sources.first().copied().unwrap_or_default();
        let source = |block: usize| {
            // Usually there are no gaps.
            let place = block.checked_sub(first).filter(|&at| sources.get(at) == Some(&block));
            let place = place.or_else(|| sources.binary_search(&block).ok())?;
            Some(&words[place * length..][..length])
        };
        for (&block, sum) in targets.iter().zip(next.chunks_exact_mut(length)) {
            let is_odd = || is_odd(block, shape.block_radix() + 1) != index.is_odd(slab);
            map.add(block, is_odd, source, sum, &mut scratch);
        }
        true
    }
}

/// Makes a vector have some zeros, in the memory that it has.
fn clear(words: &mut Vec<u64>, length: usize) {
    words.clear();
    words.resize(length, 0);
}
