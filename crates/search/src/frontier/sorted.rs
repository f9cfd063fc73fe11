//! Entries with equal rank and tie, ordered by their states.

use std::cmp::Ordering;

use super::{Entry, ascending, relevant};
use crate::policy::Tie;
use crate::space::Cost;

/// A binary heap whose ties are broken by the states. The engine stores the states, so it compares
/// them for the heap when it pops.
#[derive(Debug)]
pub(crate) struct Sorted {
    tie: Tie,
    /// A heap, and after it the entries that were pushed since the last pop.
    entries: Vec<SortedEntry>,
    in_heap: usize,
}

/// The rank, the tie value and the node.
type SortedEntry = (u64, Cost, u32);

impl Sorted {
    pub(super) const fn new(tie: Tie) -> Self {
        Self { tie, entries: Vec::new(), in_heap: 0 }
    }

    pub(super) fn push(&mut self, rank: u64, tie: Cost, node: u32) {
        self.entries.push((rank, ascending(self.tie, tie), node));
    }

    pub(super) const fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<SortedEntry>()
    }

    /// Removes and returns the best entry. `compare` orders two nodes' states. Nodes with the same
    /// state come in numeric order.
    pub(crate) fn pop(&mut self, compare: impl Fn(u32, u32) -> Ordering) -> Option<Entry> {
        let is_less = |a: &SortedEntry, b: &SortedEntry| {
            let by_state = || compare(a.2, b.2).then(a.2.cmp(&b.2));
            (a.0, a.1).cmp(&(b.0, b.1)).then_with(by_state).is_lt()
        };
        while self.in_heap < self.entries.len() {
            let mut at = self.in_heap;
            while at > 0 && is_less(&self.entries[at], &self.entries[(at - 1) / 2]) {
                self.entries.swap(at, (at - 1) / 2);
                at = (at - 1) / 2;
            }
            self.in_heap += 1;
        }
        self.in_heap = self.in_heap.checked_sub(1)?;
        let (rank, tie, node) = self.entries.swap_remove(0);
        let mut at = 0;
        while 2 * at + 1 < self.entries.len() {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let take_right =
                right < self.entries.len() && is_less(&self.entries[right], &self.entries[left]);
            let child = if take_right { right } else { left };
            if !is_less(&self.entries[child], &self.entries[at]) {
                break;
            }
            self.entries.swap(at, child);
            at = child;
        }
        Some(Entry { rank, tie: relevant(self.tie, ascending(self.tie, tie)), node })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn entries_come_by_rank_tie_and_state() {
        let mut random = Random::new(4);
        let states: Vec<usize> = (0..3_000).map(|_| random.below(90)).collect();
        let state = |node: u32| states[node as usize];
        let mut sorted = Sorted::new(Tie::LowG);
        let mut list = Vec::new();
        for node in 0..3_000 {
            if random.below(5) < 3 {
                let (rank, g) = (random.below(6) as u64, random.below(3) as Cost);
                sorted.push(rank, g, node);
                list.push((rank, g, state(node), node));
            } else {
                list.sort_unstable();
                let best = (!list.is_empty()).then(|| list.remove(0));
                let popped = sorted.pop(|a, b| state(a).cmp(&state(b)));
                assert_eq!(popped.map(|entry| entry.node), best.map(|entry| entry.3));
            }
            assert_eq!(sorted.len(), list.len());
        }
    }
}
