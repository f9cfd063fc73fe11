//! The next layer of a share, if segments slide as one.
//!
//! A move is a chain of steps. What it leads to in a block comes from the blocks of the last layer
//! that the last step comes from, and from what the steps before have led to there, and so on. These
//! blocks may belong to other processes; then each process that needs them does these steps itself.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::Monitor;

use super::super::explorer::SMALL;
use super::super::links::Link;
use super::super::maps::{Scratch, is_odd, unite};
use super::plan::SharePlan;
use super::{Arrived, SpaceShare, reporter};

/// Some blocks of a slab, in ascending order, and their words.
#[derive(Clone, Default, Debug)]
struct Blocks {
    numbers: Vec<usize>,
    words: Vec<u64>,
}

impl SpaceShare {
    /// Replaces the layer before the last one by the next one, and then exchanges both.
    pub(super) fn advance_by_segments(&mut self, is_whole: bool, monitor: &Monitor) -> u64 {
        let Self { plan, words, full, before, arrived, depths, .. } = self;
        let length = plan.index.shape().block_words();
        let is_small = words.len() < SMALL;
        let layer = Layer { plan, words, arrived };
        let mut parts = Vec::new();
        let (mut rest, mut rest_full) = (&mut before[..], &mut full[..]);
        for half in &plan.halves {
            for (slab, held) in (half.first..).zip(&half.held) {
                let (these, others) = rest.split_at_mut(held.len() * length);
                let (these_full, others_full) = rest_full.split_at_mut(held.len());
                (rest, rest_full) = (others, others_full);
                parts.push((slab, held.clone(), these, these_full));
            }
        }
        let report = reporter(depths, monitor);
        let (done, all) = (AtomicU64::new(0), parts.len() as u64);
        let work = |(slab, held, before, full): (
            usize,
            std::ops::Range<usize>,
            &mut [u64],
            &mut [bool],
        )| {
            if held.is_empty() || (!is_whole && monitor.is_cancelled()) {
                return 0;
            }
            let mut new = 0;
            let next = layer.neighbours(slab, held.clone());
            let blocks = held.zip(before.chunks_exact_mut(length)).zip(full);
            for (((block, before), full), next) in blocks.zip(next.chunks_exact(length)) {
                let now = layer.block(slab, block).unwrap_or_default();
                let mut count = 0;
                for ((before, &now), &next) in before.iter_mut().zip(now).zip(next) {
                    *before = next & !now & !*before;
                    count += u64::from(before.count_ones());
                }
                *full = count > 0;
                new += count;
            }
            report(done.fetch_add(1, Relaxed) + 1, all);
            new
        };
        let new = match is_small {
            true => parts.into_iter().map(work).sum(),
            false => parts.into_par_iter().map(work).sum(),
        };
        std::mem::swap(words, before);
        new
    }
}

/// The last layer as far as it is held or has arrived.
struct Layer<'a> {
    plan: &'a SharePlan,
    words: &'a [u64],
    arrived: &'a Arrived,
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

    /// Returns the neighbours of the layer in some blocks of a slab.
    fn neighbours(&self, slab: usize, held: std::ops::Range<usize>) -> Vec<u64> {
        let SharePlan { index, links, .. } = self.plan;
        let shape = index.shape();
        let mut sum = vec![0; held.len() * shape.block_words()];
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
            let words = vec![0; numbers.len() * shape.block_words()];
            let mut moved = Blocks { numbers, words };
            for (link, to, numbers) in steps.into_iter().rev() {
                self.add_layer(&mut moved, link.source_slab(to, shape));
                moved = self.step(&link, to, numbers, moved);
            }
            unite(&mut sum, &moved.words);
        }
        sum
    }

    /// Adds the blocks of the layer.
    fn add_layer(&self, Blocks { numbers, words }: &mut Blocks, slab: usize) {
        let length = self.plan.index.shape().block_words();
        for (&block, words) in numbers.iter().zip(words.chunks_exact_mut(length)) {
            if let Some(layer) = self.block(slab, block) {
                unite(words, layer);
            }
        }
    }

    /// Returns what a step leads to in some blocks of a slab.
    fn step(&self, link: &Link, slab: usize, numbers: Vec<usize>, from: Blocks) -> Blocks {
        let SharePlan { index, links, .. } = self.plan;
        let shape = index.shape();
        let length = shape.block_words();
        let Some(map) = links.map(link) else { return from };
        let mut scratch = Scratch::default();
        let mut words = vec![0; numbers.len() * length];
        let source = |block: usize| {
            let place = from.numbers.binary_search(&block).ok()?;
            Some(&from.words[place * length..][..length])
        };
        for (&block, sum) in numbers.iter().zip(words.chunks_exact_mut(length)) {
            let is_odd = || is_odd(block, shape.block_radix() + 1) != index.is_odd(slab);
            map.add(block, is_odd, source, sum, &mut scratch);
        }
        Blocks { numbers, words }
    }
}
