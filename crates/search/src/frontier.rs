//! The nodes that wait to be expanded, best first.
//!
//! Ranks and ties are small integers almost always, so the usual frontier is an array of arrays of
//! queues: taking and adding are a few instructions, and an entry is the 4 bytes of its node's
//! number. Among equals a queue serves the oldest, the newest or any. Breadth-first search takes the
//! nodes in the order of their numbers, and needs not even these.

mod beam;
mod buckets;
mod heap;
mod line;

pub use beam::Beam;
pub use buckets::Buckets;
pub use heap::Heap;
use line::Line;

use crate::policy::{Order, Policy, Tie};
use crate::space::Cost;

/// Holds entries of a rank, a tie value and a node, and gives back the best.
pub trait Frontier<T> {
    /// Adds an entry.
    fn push(&mut self, rank: u64, tie: Cost, item: T);

    /// Takes out the best entry.
    fn pop(&mut self) -> Option<Taken<T>>;

    /// The number of entries.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that the entries occupy.
    fn bytes(&self) -> usize;

    /// How many entries were dropped because there was no place for them.
    fn dropped(&self) -> u64 {
        0
    }
}

/// An entry that was taken out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken<T> {
    /// Its rank.
    pub rank: u64,
    /// Its tie value, where ties are decided by one.
    pub tie: Option<Cost>,
    /// What was put in.
    pub item: T,
}

/// The frontier that a policy asks for.
#[derive(Debug)]
pub(crate) enum Open {
    Line(Line),
    Buckets(Buckets<u32>),
    Heap(Heap<u32>),
    Beam(Beam<u32>),
}

impl Open {
    pub(crate) fn new(policy: &Policy) -> Self {
        match (policy.width, policy.order) {
            (Some(width), order) => Self::Beam(Beam::new(width, policy.tie, order, policy.seed)),
            (None, Order::Heap) => Self::Heap(Heap::new(policy.tie)),
            (None, Order::Fifo) if Line::serves(policy) => Self::Line(Line::default()),
            (None, order) => Self::Buckets(Buckets::new(policy.tie, order, policy.seed)),
        }
    }

    /// Makes way for a better entry of the same node; whether an older one stays in the frontier.
    ///
    /// Where room is short the older one goes: it would cost another node its place, and nobody
    /// would take it out.
    pub(crate) fn overtake(&mut self, node: u32) -> bool {
        match self {
            Self::Beam(beam) => beam.overtake(&node),
            _ => true,
        }
    }

    /// The entry that would be taken out now, where the newest is, and the node of the one after it.
    #[inline]
    pub(crate) fn newest(&mut self) -> Option<(Taken<u32>, Option<u32>)> {
        match self {
            Self::Buckets(buckets) => buckets.newest(),
            _ => None,
        }
    }

    /// What is less usual is kept out of the engine's loop.
    #[inline(never)]
    fn push_other(&mut self, rank: u64, tie: Cost, item: u32) {
        match self {
            Self::Line(_) | Self::Buckets(_) => {}
            Self::Heap(heap) => heap.push(rank, tie, item),
            Self::Beam(beam) => beam.push(rank, tie, item),
        }
    }

    #[inline(never)]
    fn pop_other(&mut self) -> Option<Taken<u32>> {
        match self {
            Self::Line(_) | Self::Buckets(_) => None,
            Self::Heap(heap) => heap.pop(),
            Self::Beam(beam) => beam.pop(),
        }
    }
}

macro_rules! either {
    ($self:ident, $open:ident => $call:expr) => {
        match $self {
            Open::Line($open) => $call,
            Open::Buckets($open) => $call,
            Open::Heap($open) => $call,
            Open::Beam($open) => $call,
        }
    };
}

impl Frontier<u32> for Open {
    #[inline]
    fn push(&mut self, rank: u64, tie: Cost, item: u32) {
        match self {
            Self::Line(line) => line.push(rank, tie, item),
            Self::Buckets(buckets) => buckets.push(rank, tie, item),
            other => other.push_other(rank, tie, item),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Taken<u32>> {
        match self {
            Self::Line(line) => line.pop(),
            Self::Buckets(buckets) => buckets.pop(),
            other => other.pop_other(),
        }
    }

    #[inline]
    fn len(&self) -> usize {
        either!(self, open => open.len())
    }

    fn bytes(&self) -> usize {
        either!(self, open => open.bytes())
    }

    fn dropped(&self) -> u64 {
        either!(self, open => open.dropped())
    }
}

/// The tie value, where it decides.
const fn decided(tie: Tie, value: Cost) -> Option<Cost> {
    match tie {
        Tie::None => None,
        Tie::LowG | Tie::HighG => Some(value),
    }
}

/// A tie value such that the lowest is the best; of that, the tie value again.
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

    /// Pushes and pops at random beside a list that is sorted by definition.
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
                let expected = best.map(|(rank, value, _, item)| Taken {
                    rank,
                    tie: decided(tie, ascending(tie, value)),
                    item,
                });
                assert_eq!(buckets.pop(), expected);
            }
            assert_eq!(buckets.len(), list.len());
        }
    }

    #[test]
    fn a_line_gives_what_buckets_give() {
        let (mut line, mut buckets) = (Line::default(), Buckets::new(Tie::None, Order::Fifo, 0));
        let mut random = Random::new(2);
        let (mut item, mut rank) = (0, 0);
        for _ in 0..1_000 {
            for _ in 0..random.below(4) {
                rank += u64::from(random.below(20) == 0);
                line.push(rank, 0, item);
                buckets.push(rank, 0, item);
                item += 1;
            }
            assert_eq!((line.pop(), line.len()), (buckets.pop(), buckets.len()));
        }
    }

    #[test]
    fn the_newest_are_taken_out_next() {
        let mut buckets = Buckets::new(Tie::HighG, Order::Lifo, 0);
        let mut random = Random::new(3);
        for item in 0..500 {
            buckets.push(random.below(5) as u64, random.below(5) as Cost, item);
        }
        let mut after = None;
        while let Some((newest, next)) = buckets.newest() {
            let taken = buckets.pop();
            assert_eq!(taken, Some(newest));
            assert!(after.is_none_or(|after| after == newest.item));
            after = next;
        }
        assert!(buckets.is_empty());
        buckets.push(1 << 40, 0, 1);
        assert_eq!(buckets.newest(), None);
        let mut oldest = Buckets::new(Tie::HighG, Order::Fifo, 0);
        oldest.push(0, 0, 1);
        assert_eq!(oldest.newest(), None);
    }

    #[test]
    fn buckets_give_the_best_first() {
        for tie in [Tie::None, Tie::LowG, Tie::HighG] {
            for order in [Order::Fifo, Order::Lifo] {
                for scale in [1, 5_000, 1_000_000] {
                    check(tie, order, scale);
                }
            }
        }
    }

    #[test]
    fn a_random_pool_gives_everything_once() {
        let drain = |seed| {
            let mut pool = Buckets::new(Tie::None, Order::Random, seed);
            (0..100).for_each(|id| pool.push(0, 0, id));
            std::iter::from_fn(|| pool.pop()).map(|entry| entry.item).collect::<Vec<u32>>()
        };
        let mut first = drain(1);
        assert_eq!(first, drain(1));
        assert_ne!(first, drain(2));
        first.sort_unstable();
        assert!(first.into_iter().eq(0..100));
    }

    fn pair(taken: Option<Taken<u32>>) -> Option<(u64, u32)> {
        taken.map(|taken| (taken.rank, taken.item))
    }

    /// The order of Python's `heapq`, written down from its definition.
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
        beam.push(1, 0, 4);
        assert_eq!(pair(beam.pop()), Some((4, 3)), "the next layer waits");
        assert_eq!(pair(beam.pop()), Some((1, 4)));
        assert_eq!(pair(beam.pop()), None);
        assert_eq!(beam.dropped(), 2);
    }
}
