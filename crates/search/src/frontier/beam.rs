//! The best of one layer at a time.

use std::num::NonZeroUsize;

use super::{Frontier, Taken, ascending, decided};
use crate::policy::{Order, Tie};
use crate::random::Random;
use crate::space::Cost;

/// One layer at a time, of which only the best are kept.
#[derive(Debug)]
pub struct Beam<T> {
    width: usize,
    tie: Tie,
    order: Order,
    random: Random,
    /// The layer being taken out, best last.
    layer: Vec<Taken<T>>,
    next: Vec<Waiting<T>>,
    pushed: u64,
    dropped: u64,
}

#[derive(Debug)]
struct Waiting<T> {
    rank: u64,
    tie: Cost,
    pushed: u64,
    item: T,
}

impl<T> Beam<T> {
    /// An empty beam.
    pub fn new(width: NonZeroUsize, tie: Tie, order: Order, seed: u64) -> Self {
        let random = Random::new(seed);
        Self {
            width: width.get(),
            tie,
            order,
            random,
            layer: Vec::new(),
            next: Vec::new(),
            pushed: 0,
            dropped: 0,
        }
    }
}

impl<T: PartialEq> Beam<T> {
    /// Makes way for a better entry of the same item; whether an older one stays.
    pub(super) fn overtake(&mut self, item: &T) -> bool {
        if let Some(at) = self.next.iter().position(|waiting| waiting.item == *item) {
            self.next.swap_remove(at);
            return false;
        }
        self.layer.iter().any(|entry| entry.item == *item)
    }
}

impl<T> Frontier<T> for Beam<T> {
    fn push(&mut self, rank: u64, tie: Cost, item: T) {
        self.pushed += 1;
        // What decides among equals, the lowest first.
        let pushed = match self.order {
            Order::Fifo | Order::Heap => self.pushed,
            Order::Lifo => u64::MAX - self.pushed,
            Order::Random => self.random.next(),
        };
        self.next.push(Waiting { rank, tie: ascending(self.tie, tie), pushed, item });
    }

    fn pop(&mut self) -> Option<Taken<T>> {
        if self.layer.is_empty() {
            // The push number makes the order total, so that no sort can be unstable.
            self.next.sort_unstable_by_key(|node| (node.rank, node.tie, node.pushed));
            self.dropped += self.next.len().saturating_sub(self.width) as u64;
            self.next.truncate(self.width);
            let taken = |Waiting { rank, tie, item, .. }| {
                let tie = decided(self.tie, ascending(self.tie, tie));
                Taken { rank, tie, item }
            };
            self.layer.extend(self.next.drain(..).rev().map(taken));
        }
        self.layer.pop()
    }

    fn len(&self) -> usize {
        self.layer.len() + self.next.len()
    }

    fn bytes(&self) -> usize {
        self.layer.capacity() * size_of::<Taken<T>>()
            + self.next.capacity() * size_of::<Waiting<T>>()
    }

    fn dropped(&self) -> u64 {
        self.dropped
    }
}
