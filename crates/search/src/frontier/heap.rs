//! A binary heap.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{Entry, ascending, relevant};
use crate::policy::Tie;
use crate::space::Cost;

/// A binary heap ordered by rank and tie only. Equal entries come in the order of the standard
/// library's heap, which is also the order of Python's `heapq`. The published counts of programs
/// that use either depend on it.
#[derive(Debug)]
pub(crate) struct Heap {
    tie: Tie,
    heap: BinaryHeap<HeapEntry>,
}

#[derive(Debug)]
struct HeapEntry {
    rank: u64,
    tie: Cost,
    node: u32,
}

impl Heap {
    pub(super) const fn new(tie: Tie) -> Self {
        Self { tie, heap: BinaryHeap::new() }
    }
}

impl Ord for HeapEntry {
    /// Reversed, because the standard heap returns the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.rank, other.tie).cmp(&(self.rank, self.tie))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for HeapEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for HeapEntry {}

impl Heap {
    pub(super) fn push(&mut self, rank: u64, tie: Cost, node: u32) {
        self.heap.push(HeapEntry { rank, tie: ascending(self.tie, tie), node });
    }

    pub(super) fn pop(&mut self) -> Option<Entry> {
        let HeapEntry { rank, tie, node } = self.heap.pop()?;
        Some(Entry { rank, tie: relevant(self.tie, ascending(self.tie, tie)), node })
    }

    pub(super) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<HeapEntry>()
    }
}
