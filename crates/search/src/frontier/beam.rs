//! The open list of beam search.

use std::num::NonZeroUsize;

use super::{Entry, ascending, relevant};
use crate::policy::{Order, Tie};
use crate::random::Random;
use crate::space::Cost;

/// Two layers: the one being expanded, and the next one, which keeps only the best entries.
#[derive(Debug)]
pub(crate) struct Beam {
    width: usize,
    tie: Tie,
    order: Order,
    random: Random,
    /// The layer being expanded, best last.
    layer: Vec<Entry>,
    next: Vec<BeamEntry>,
    /// The nodes that the layer being expanded had no space for.
    cut: Vec<u32>,
    pushed: u64,
    dropped: u64,
}

#[derive(Debug)]
struct BeamEntry {
    rank: u64,
    tie: Cost,
    /// Orders entries of equal rank and tie.
    order: u64,
    node: u32,
}

impl Beam {
    pub(super) fn new(width: NonZeroUsize, tie: Tie, order: Order, seed: u64) -> Self {
        let random = Random::new(seed);
        Self {
            width: width.get(),
            tie,
            order,
            random,
            layer: Vec::new(),
            next: Vec::new(),
            cut: Vec::new(),
            pushed: 0,
            dropped: 0,
        }
    }

    /// Removes an entry of `node` from the next layer, because a better one follows. Returns
    /// whether a stale entry stays in the current layer.
    pub(super) fn supersede(&mut self, node: u32) -> bool {
        if let Some(at) = self.next.iter().position(|entry| entry.node == node) {
            self.next.swap_remove(at);
            return false;
        }
        self.layer.iter().any(|entry| entry.node == node)
    }

    pub(super) fn push(&mut self, rank: u64, tie: Cost, node: u32) {
        self.pushed += 1;
        let order = match self.order {
            Order::Fifo | Order::Heap | Order::Indexed | Order::State => self.pushed,
            Order::Lifo => u64::MAX - self.pushed,
            Order::Random => self.random.next(),
        };
        self.next.push(BeamEntry { rank, tie: ascending(self.tie, tie), order, node });
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        if self.layer.is_empty() {
            // No two entries are equal, so an unstable sort gives the same order as a stable one.
            self.next.sort_unstable_by_key(|entry| (entry.rank, entry.tie, entry.order));
            let kept = self.next.len().min(self.width);
            self.cut.clear();
            self.cut.extend(self.next.drain(kept..).map(|entry| entry.node));
            self.dropped += self.cut.len() as u64;
            let entry = |BeamEntry { rank, tie, node, .. }| {
                let tie = relevant(self.tie, ascending(self.tie, tie));
                Entry { rank, tie, node }
            };
            self.layer.extend(self.next.drain(..).rev().map(entry));
        }
        self.layer.pop()
    }

    pub(super) const fn len(&self) -> usize {
        self.layer.len() + self.next.len()
    }

    pub(super) const fn bytes(&self) -> usize {
        self.layer.capacity() * size_of::<Entry>()
            + self.next.capacity() * size_of::<BeamEntry>()
            + self.cut.capacity() * size_of::<u32>()
    }

    pub(super) const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Removes and returns the nodes that the layer being expanded had no space for.
    pub(super) fn take_cut(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.cut)
    }
}
