//! The open list: nodes that are to be expanded, best first.
//!
//! Ranks and tie values are nearly always small integers, so the usual open list is an array of
//! arrays of queues. Adding and removing take a few instructions, and an entry is its node's 4-byte
//! number. Each queue returns the oldest, the newest or a random entry. Breadth-first search
//! expands the nodes in numeric order and stores no entries at all.

mod beam;
mod buckets;
mod heap;
mod indexed;
mod sequence;
mod sorted;

use beam::Beam;
pub(crate) use buckets::Buckets;
use heap::Heap;
pub(crate) use indexed::IndexedHeap;
use sequence::Sequence;
pub(crate) use sorted::Sorted;

use crate::policy::{Order, Policy, Tie};
use crate::space::Cost;

/// An entry that was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) rank: u64,
    /// The tie value, if the policy uses one.
    pub(crate) tie: Option<Cost>,
    pub(crate) node: u32,
}

/// The open list that a policy needs: entries with a rank, a tie value and a node. The best entry
/// is popped first.
#[derive(Debug)]
pub(crate) enum OpenList {
    Sequence(Sequence),
    Buckets(Buckets),
    Heap(Heap),
    Indexed(IndexedHeap),
    Beam(Beam),
    Sorted(Sorted),
}

impl OpenList {
    pub(crate) fn new(policy: &Policy) -> Self {
        match (policy.width, policy.order) {
            (Some(width), order) => Self::Beam(Beam::new(width, policy.tie, order, policy.seed)),
            (None, Order::Heap) => Self::Heap(Heap::new(policy.tie)),
            (None, Order::Indexed) => Self::Indexed(IndexedHeap::new(policy.tie)),
            (None, Order::State) => Self::Sorted(Sorted::new(policy.tie)),
            (None, Order::Fifo) if Sequence::is_enough_for(policy) => {
                Self::Sequence(Sequence::default())
            }
            (None, order) => Self::Buckets(Buckets::new(policy.tie, order, policy.seed)),
        }
    }

    /// Adds an entry.
    #[inline]
    pub(crate) fn push(&mut self, rank: u64, tie: Cost, node: u32) {
        match self {
            Self::Sequence(sequence) => sequence.push(rank, node),
            Self::Buckets(buckets) => buckets.push(rank, tie, node),
            other => other.push_other(rank, tie, node),
        }
    }

    /// Removes and returns the best entry.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        match self {
            Self::Sequence(sequence) => sequence.pop(),
            Self::Buckets(buckets) => buckets.pop(),
            other => other.pop_other(),
        }
    }

    /// Returns the number of entries.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Sequence(sequence) => sequence.len(),
            Self::Buckets(buckets) => buckets.len(),
            Self::Heap(heap) => heap.len(),
            Self::Indexed(heap) => heap.len(),
            Self::Beam(beam) => beam.len(),
            Self::Sorted(sorted) => sorted.len(),
        }
    }

    /// Returns the number of bytes that the entries occupy.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Sequence(_) => 0,
            Self::Buckets(buckets) => buckets.bytes(),
            Self::Heap(heap) => heap.bytes(),
            Self::Indexed(heap) => heap.bytes(),
            Self::Beam(beam) => beam.bytes(),
            Self::Sorted(sorted) => sorted.bytes(),
        }
    }

    /// Returns how many entries were dropped for lack of space.
    pub(crate) const fn dropped(&self) -> u64 {
        match self {
            Self::Beam(beam) => beam.dropped(),
            _ => 0,
        }
    }

    /// Removes and returns the nodes that were dropped for lack of space since the last call.
    pub(crate) fn take_cut(&mut self) -> Vec<u32> {
        match self {
            Self::Beam(beam) => beam.take_cut(),
            _ => Vec::new(),
        }
    }

    /// Prepares for a better entry for `node`, and returns whether a stale entry remains.
    ///
    /// A beam removes the stale entry, because it would occupy a slot and never be expanded.
    pub(crate) fn supersede(&mut self, node: u32) -> bool {
        match self {
            Self::Beam(beam) => beam.supersede(node),
            // The better entry replaces it.
            Self::Indexed(_) => false,
            _ => true,
        }
    }

    /// Returns the entry that would be popped next, and the node after it, if this is known at no
    /// cost.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<(Entry, Option<u32>)> {
        match self {
            Self::Buckets(buckets) => buckets.peek(),
            _ => None,
        }
    }

    /// The less usual kinds are kept out of the engine's loop.
    #[inline(never)]
    fn push_other(&mut self, rank: u64, tie: Cost, node: u32) {
        match self {
            Self::Sequence(_) | Self::Buckets(_) => {}
            Self::Heap(heap) => heap.push(rank, tie, node),
            Self::Indexed(heap) => heap.push(rank, tie, node),
            Self::Beam(beam) => beam.push(rank, tie, node),
            Self::Sorted(sorted) => sorted.push(rank, tie, node),
        }
    }

    #[inline(never)]
    fn pop_other(&mut self) -> Option<Entry> {
        match self {
            // Its entries are compared by their states, which the engine has.
            Self::Sequence(_) | Self::Buckets(_) | Self::Sorted(_) => None,
            Self::Heap(heap) => heap.pop(),
            Self::Indexed(heap) => heap.pop(),
            Self::Beam(beam) => beam.pop(),
        }
    }
}

/// Returns the tie value if the policy uses it.
const fn relevant(tie: Tie, value: Cost) -> Option<Cost> {
    match tie {
        Tie::None => None,
        Tie::LowG | Tie::HighG => Some(value),
    }
}

/// Maps a tie value so that the lowest result is the best. Applied twice, it returns the tie value
/// again.
const fn ascending(tie: Tie, value: Cost) -> Cost {
    match tie {
        Tie::None => 0,
        Tie::LowG => value,
        Tie::HighG => Cost::MAX - value,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::random::Random;

    /// Pushes and pops at random, and compares the results with a sorted list.
    fn check(tie: Tie, order: Order, scale: u64) {
        let mut random = Random::new(11);
        let mut buckets = Buckets::new(tie, order, 0);
        let mut list: Vec<(u64, Cost, i64, u32)> = Vec::new();
        for id in 0..20_000 {
            if random.below(5) < 3 {
                let rank = random.below(40) as u64 * scale;
                let value = random.below(30) as Cost * scale as Cost;
                buckets.push(rank, value, id);
                let age = if order == Order::Lifo { -i64::from(id) } else { id.into() };
                list.push((rank, ascending(tie, value), age, id));
            } else {
                let best = list.iter().min().copied();
                list.retain(|entry| Some(*entry) != best);
                let expected = best.map(|(rank, value, _, node)| Entry {
                    rank,
                    tie: relevant(tie, ascending(tie, value)),
                    node,
                });
                assert_eq!(buckets.pop(), expected);
            }
            assert_eq!(buckets.len(), list.len());
        }
    }

    #[test]
    fn a_sequence_returns_what_buckets_return() {
        let (mut sequence, mut buckets) =
            (Sequence::default(), Buckets::new(Tie::None, Order::Fifo, 0));
        let mut random = Random::new(2);
        let (mut node, mut rank) = (0, 0);
        for _ in 0..1_000 {
            for _ in 0..random.below(4) {
                rank += u64::from(random.below(20) == 0);
                sequence.push(rank, node);
                buckets.push(rank, 0, node);
                node += 1;
            }
            assert_eq!((sequence.pop(), sequence.len()), (buckets.pop(), buckets.len()));
        }
    }

    #[test]
    fn peeked_entries_are_popped_next() {
        let mut buckets = Buckets::new(Tie::HighG, Order::Lifo, 0);
        let mut random = Random::new(3);
        for node in 0..500 {
            buckets.push(random.below(5) as u64, random.below(5) as Cost, node);
        }
        let mut after = None;
        while let Some((first, second)) = buckets.peek() {
            assert_eq!(buckets.pop(), Some(first));
            assert!(after.is_none_or(|after| after == first.node));
            after = second;
        }
        assert_eq!(buckets.len(), 0);
        buckets.push(1 << 40, 0, 1);
        assert_eq!(buckets.peek(), None);
        let mut oldest = Buckets::new(Tie::HighG, Order::Fifo, 0);
        oldest.push(0, 0, 1);
        assert_eq!(oldest.peek(), None);
    }

    #[test]
    fn buckets_return_the_best_first() {
        for tie in [Tie::None, Tie::LowG, Tie::HighG] {
            for order in [Order::Fifo, Order::Lifo] {
                for scale in [1, 5_000, 1_000_000] {
                    check(tie, order, scale);
                }
            }
        }
    }

    #[test]
    fn a_random_pool_returns_each_entry_once() {
        let drain = |seed| {
            let mut pool = Buckets::new(Tie::None, Order::Random, seed);
            (0..100).for_each(|id| pool.push(0, 0, id));
            std::iter::from_fn(|| pool.pop()).map(|entry| entry.node).collect::<Vec<u32>>()
        };
        let mut first = drain(1);
        assert_eq!(first, drain(1));
        assert_ne!(first, drain(2));
        first.sort_unstable();
        assert!(first.into_iter().eq(0..100));
    }

    fn pair(entry: Option<Entry>) -> Option<(u64, u32)> {
        entry.map(|entry| (entry.rank, entry.node))
    }

    /// Python's `heapq`, written from its definition.
    #[derive(Default)]
    struct Heapq(Vec<(u64, u32)>);

    impl Heapq {
        fn up(&mut self, mut at: usize) {
            while at > 0 && self.0[at].0 < self.0[(at - 1) / 2].0 {
                self.0.swap(at, (at - 1) / 2);
                at = (at - 1) / 2;
            }
        }

        fn pop(&mut self) -> Option<(u64, u32)> {
            let last = self.0.pop()?;
            let Some(first) = self.0.first_mut() else { return Some(last) };
            let best = std::mem::replace(first, last);
            let mut at = 0;
            while 2 * at + 1 < self.0.len() {
                let (left, right) = (2 * at + 1, 2 * at + 2);
                let take_right = right < self.0.len() && self.0[left].0 >= self.0[right].0;
                let child = if take_right { right } else { left };
                self.0.swap(at, child);
                at = child;
            }
            self.up(at);
            Some(best)
        }
    }

    #[test]
    fn the_heap_orders_equals_as_heapq_does() {
        let mut random = Random::new(5);
        let (mut heap, mut heapq) = (Heap::new(Tie::None), Heapq::default());
        for id in 0..50_000 {
            if random.below(5) < 3 {
                let rank = random.below(6) as u64;
                heap.push(rank, 0, id);
                heapq.0.push((rank, id));
                heapq.up(heapq.0.len() - 1);
            } else {
                assert_eq!(pair(heap.pop()), heapq.pop());
            }
        }
    }

    #[test]
    fn a_beam_keeps_the_best_of_each_layer() {
        let mut beam = Beam::new(NonZeroUsize::new(2).unwrap(), Tie::None, Order::Fifo, 0);
        for (rank, id) in [(5, 0), (3, 1), (5, 2), (4, 3)] {
            beam.push(rank, 0, id);
        }
        assert_eq!(pair(beam.pop()), Some((3, 1)));
        assert_eq!(beam.take_cut(), [0, 2]);
        assert!(beam.take_cut().is_empty());
        beam.push(1, 0, 4);
        assert_eq!(pair(beam.pop()), Some((4, 3)), "the next layer comes later");
        assert_eq!(pair(beam.pop()), Some((1, 4)));
        assert_eq!(pair(beam.pop()), None);
        assert_eq!(beam.dropped(), 2);
    }
}
