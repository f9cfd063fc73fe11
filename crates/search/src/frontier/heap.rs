//! A binary heap.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{Frontier, Taken, ascending, decided};
use crate::policy::Tie;
use crate::space::Cost;

/// A binary heap by rank and tie alone. Among equals its order is that of the standard library's,
/// which sifts as Python's `heapq` does: counts published by programs in either depend on it.
#[derive(Debug)]
pub struct Heap<T> {
    tie: Tie,
    heap: BinaryHeap<Entry<T>>,
}

#[derive(Debug)]
struct Entry<T> {
    rank: u64,
    tie: Cost,
    item: T,
}

impl<T> Heap<T> {
    /// An empty heap.
    pub const fn new(tie: Tie) -> Self {
        Self { tie, heap: BinaryHeap::new() }
    }
}

impl<T> Ord for Entry<T> {
    /// The other way round: the standard heap gives the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.rank, other.tie).cmp(&(self.rank, self.tie))
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Entry<T> {}

impl<T> Frontier<T> for Heap<T> {
    fn push(&mut self, rank: u64, tie: Cost, item: T) {
        self.heap.push(Entry { rank, tie: ascending(self.tie, tie), item });
    }

    fn pop(&mut self) -> Option<Taken<T>> {
        let Entry { rank, tie, item } = self.heap.pop()?;
        Some(Taken { rank, tie: decided(self.tie, ascending(self.tie, tie)), item })
    }

    fn len(&self) -> usize {
        self.heap.len()
    }

    fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<Entry<T>>()
    }
}
