//! A binary heap whose entries can be replaced.

use super::{Entry, ascending, relevant};
use crate::policy::Tie;
use crate::space::Cost;

/// Nodes by their rank, the least first, and among equals by their tie value.
///
/// Equal entries come in the order of HOG2's open list, which published programs use: an entry
/// rises above worse ones only, and the last entry, moved to the root, sinks below better and equal
/// ones.
#[derive(Debug)]
pub(crate) struct IndexedHeap {
    tie: Tie,
    /// The rank, the tie value so that the least is the best, and the node.
    entries: Vec<(u64, Cost, u32)>,
    /// The place of each node in `entries`.
    places: Vec<u32>,
}

/// The place of a node that is not in the heap.
const NOWHERE: u32 = u32::MAX;

impl IndexedHeap {
    pub(crate) const fn new(tie: Tie) -> Self {
        Self { tie, entries: Vec::new(), places: Vec::new() }
    }

    pub(crate) fn first(&self) -> Option<Entry> {
        let &(rank, value, node) = self.entries.first()?;
        Some(Entry { rank, tie: relevant(self.tie, ascending(self.tie, value)), node })
    }

    /// Adds an entry, or replaces its node's entry.
    pub(crate) fn push(&mut self, rank: u64, value: Cost, node: u32) {
        let (id, value) = (node as usize, ascending(self.tie, value));
        if id >= self.places.len() {
            self.places.resize(id + 1, NOWHERE);
        }
        if self.places[id] == NOWHERE {
            self.places[id] = self.entries.len() as u32;
            self.entries.push((rank, value, node));
        }
        let at = self.places[id] as usize;
        self.entries[at] = (rank, value, node);
        if !self.rise(at) {
            self.sink(at);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Entry> {
        let first = self.first()?;
        self.swap(0, self.entries.len() - 1);
        self.entries.pop();
        self.places[first.node as usize] = NOWHERE;
        self.sink(0);
        Some(first)
    }

    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.places)
    }

    fn is_better(&self, one: usize, other: usize) -> bool {
        let [(rank, value, _), (other_rank, other, _)] = [self.entries[one], self.entries[other]];
        (rank, value) < (other_rank, other)
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.entries.swap(one, other);
        for place in [one, other] {
            self.places[self.entries[place].2 as usize] = place as u32;
        }
    }

    /// Moves an entry above worse ones, and returns whether there were any.
    fn rise(&mut self, mut at: usize) -> bool {
        let from = at;
        while at > 0 && self.is_better(at, (at - 1) / 2) {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
        at < from
    }

    /// Moves an entry below better and equal ones.
    fn sink(&mut self, mut at: usize) {
        while 2 * at + 1 < self.entries.len() {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let takes_right = right < self.entries.len() && self.is_better(right, left);
            let child = if takes_right { right } else { left };
            if self.is_better(at, child) {
                break;
            }
            self.swap(at, child);
            at = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_best_entry_comes_first_and_replaced_ones_do_not_come() {
        let mut random = Random::new(4);
        let mut heap = IndexedHeap::new(Tie::HighG);
        let mut current = [None; 60];
        for _ in 0..20_000 {
            if random.below(3) < 2 {
                let node = random.below(current.len());
                let entry = (random.below(9) as u64, random.below(9) as Cost);
                heap.push(entry.0, entry.1, node as u32);
                current[node] = Some(entry);
            } else {
                let key = |&(rank, g): &(u64, Cost)| (rank, Cost::MAX - g);
                let best = current.iter().flatten().min_by_key(|entry| key(entry)).copied();
                let popped = heap.pop();
                assert_eq!(popped.map(|entry| (entry.rank, entry.tie.unwrap())), best);
                if let Some(entry) = popped {
                    assert_eq!(current[entry.node as usize].take(), best);
                }
            }
            assert_eq!(heap.len(), current.iter().flatten().count());
        }
    }
}
