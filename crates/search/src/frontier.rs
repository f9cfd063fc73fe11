//! The nodes that wait to be expanded, best first.
//!
//! Ranks and ties are small integers almost always, so the usual frontier is an array of arrays of
//! queues: taking and adding are a few instructions, and an entry is the 4 bytes of its node's
//! number. Among equals a queue serves the oldest, the newest or any. Breadth-first search takes the
//! nodes in the order of their numbers, and needs not even these.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::num::NonZeroUsize;

use crate::policy::{Duplicates, Order, Policy, Rank, Tie};
use crate::random::Random;
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
        let Self::Beam(beam) = self else { return true };
        if let Some(at) = beam.next.iter().position(|waiting| waiting.item == node) {
            beam.next.swap_remove(at);
            return false;
        }
        beam.layer.iter().any(|entry| entry.item == node)
    }
}

impl Open {
    /// The entry that would be taken out now, where the newest is, and the node of the one after it.
    #[inline]
    pub(crate) fn newest(&mut self) -> Option<(Taken<u32>, Option<u32>)> {
        match self {
            Self::Buckets(buckets) => buckets.newest(),
            _ => None,
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

impl Open {
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

/// The nodes of a breadth-first search, which are taken out in the order in which they were stored:
/// of so many in a row, only where they begin is kept.
#[derive(Debug, Default)]
pub(crate) struct Line {
    next: u32,
    /// The ranks, each with the number of nodes that have it.
    ranks: VecDeque<(u64, u32)>,
    len: usize,
}

impl Line {
    /// Whether a policy puts in every node once, when it is stored, and takes out the oldest.
    fn serves(policy: &Policy) -> bool {
        policy.rank == Rank::Depth
            && policy.tie == Tie::None
            && policy.duplicates != Duplicates::Cheaper
    }
}

impl Frontier<u32> for Line {
    #[inline]
    fn push(&mut self, rank: u64, _: Cost, item: u32) {
        debug_assert_eq!(item as usize, self.next as usize + self.len, "nodes come in their order");
        self.len += 1;
        match self.ranks.back_mut() {
            Some((last, count)) if *last == rank => *count += 1,
            _ => self.ranks.push_back((rank, 1)),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Taken<u32>> {
        let (rank, count) = self.ranks.front_mut()?;
        let taken = Taken { rank: *rank, tie: None, item: self.next };
        *count -= 1;
        if *count == 0 {
            self.ranks.pop_front();
        }
        self.next += 1;
        self.len -= 1;
        Some(taken)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// Queues by rank and tie. With one rank for all it is a queue, a stack or a random pool.
#[derive(Debug)]
pub struct Buckets<T> {
    order: Order,
    tie: Tie,
    random: Random,
    layers: Vec<Layer<T>>,
    /// No layer below this one has entries.
    lowest: usize,
    /// Entries whose rank or tie is too large to index with, with the key that sorts them.
    far: BTreeMap<(u64, Cost), VecDeque<T>>,
    len: usize,
    bytes: usize,
}

/// The entries of one rank.
#[derive(Debug)]
struct Layer<T> {
    by_tie: Vec<VecDeque<T>>,
    /// No queue on the better side of this one has entries.
    best: usize,
    len: usize,
}

/// Ranks and ties from here on are kept in a search tree.
const FAR: u64 = 1 << 16;

impl<T> Buckets<T> {
    /// An empty frontier.
    pub fn new(tie: Tie, order: Order, seed: u64) -> Self {
        let random = Random::new(seed);
        Self {
            order,
            tie,
            random,
            layers: Vec::new(),
            lowest: 0,
            far: BTreeMap::new(),
            len: 0,
            bytes: 0,
        }
    }

    /// Goes on to the next layer, and gives back the memory of the one that is empty.
    #[cold]
    fn leave(&mut self) {
        let empty = std::mem::take(&mut self.layers[self.lowest].by_tie);
        self.bytes -= empty.iter().map(VecDeque::capacity).sum::<usize>() * size_of::<T>();
        self.lowest += 1;
    }

    /// Adds an entry for which there is no queue yet.
    #[cold]
    fn push_beyond(&mut self, rank: u64, tie: Cost, item: T) {
        let index = if self.tie == Tie::None { 0 } else { tie as usize };
        if rank >= FAR || index as u64 >= FAR {
            let queue = self.far.entry((rank, ascending(self.tie, tie))).or_default();
            if queue.len() == queue.capacity() {
                self.bytes += widen(queue) * size_of::<T>();
            }
            queue.push_back(item);
            self.len += 1;
            return;
        }
        let rank_index = rank as usize;
        if rank_index >= self.layers.len() {
            let empty = || Layer { by_tie: Vec::new(), best: 0, len: 0 };
            self.layers.resize_with(rank_index + 1, empty);
        }
        let by_tie = &mut self.layers[rank_index].by_tie;
        if index >= by_tie.len() {
            by_tie.resize_with(index + 1, VecDeque::new);
        }
        self.push(rank, tie, item);
    }

    /// Finds the layer and the queue of the best entry that is not far.
    #[inline]
    fn near(&mut self) -> Option<(usize, usize)> {
        while self.layers.get(self.lowest)?.len == 0 {
            self.leave();
        }
        let layer = &mut self.layers[self.lowest];
        while layer.by_tie[layer.best].is_empty() {
            match self.tie {
                Tie::HighG => layer.best -= 1,
                Tie::None | Tie::LowG => layer.best += 1,
            }
        }
        Some((self.lowest, layer.best))
    }

    /// The entry that would be taken out now, where the newest is and none is far, and the item of the
    /// one after it unless that has another rank or tie.
    #[inline]
    fn newest(&mut self) -> Option<(Taken<T>, Option<T>)>
    where
        T: Copy,
    {
        if self.order != Order::Lifo || !self.far.is_empty() {
            return None;
        }
        let (rank, tie) = self.near()?;
        let queue = &self.layers[rank].by_tie[tie];
        let last = queue.len().checked_sub(1)?;
        let taken =
            Taken { rank: rank as u64, tie: decided(self.tie, tie as Cost), item: queue[last] };
        Some((taken, queue.get(last.wrapping_sub(1)).copied()))
    }

    #[expect(clippy::inline_always, reason = "it is called once for each node, and once elsewhere")]
    #[inline(always)]
    fn pop_near(&mut self, (rank, tie): (usize, usize)) -> Option<Taken<T>> {
        let layer = &mut self.layers[rank];
        let item = Self::take(&mut layer.by_tie[tie], self.order, &mut self.random)?;
        layer.len -= 1;
        self.len -= 1;
        Some(Taken { rank: rank as u64, tie: decided(self.tie, tie as Cost), item })
    }

    /// Takes out the best entry where some are far.
    #[cold]
    fn pop_any(&mut self) -> Option<Taken<T>> {
        let near = self.near();
        self.pop_far(near).or_else(|| self.pop_near(near?))
    }

    /// Takes out the best of the far entries, if it is better than the best of the near.
    fn pop_far(&mut self, near: Option<(usize, usize)>) -> Option<Taken<T>> {
        let mut first = self.far.first_entry()?;
        let (rank, tie) = *first.key();
        let near = near.map(|(rank, tie)| (rank as u64, ascending(self.tie, tie as Cost)));
        if near.is_some_and(|near| near < (rank, tie)) {
            return None;
        }
        let item = Self::take(first.get_mut(), self.order, &mut self.random)?;
        if first.get().is_empty() {
            self.bytes -= first.remove().capacity() * size_of::<T>();
        }
        self.len -= 1;
        Some(Taken { rank, tie: decided(self.tie, ascending(self.tie, tie)), item })
    }

    #[inline]
    fn take(queue: &mut VecDeque<T>, order: Order, random: &mut Random) -> Option<T> {
        match order {
            Order::Fifo | Order::Heap => queue.pop_front(),
            Order::Lifo => queue.pop_back(),
            Order::Random => draw(queue, random),
        }
    }
}

impl<T> Frontier<T> for Buckets<T> {
    #[expect(clippy::inline_always, reason = "one call in the engines' loop")]
    #[inline(always)]
    fn push(&mut self, rank: u64, tie: Cost, item: T) {
        let index = if self.tie == Tie::None { 0 } else { tie as usize };
        let Some(layer) = self.layers.get_mut(rank as usize) else {
            return self.push_beyond(rank, tie, item);
        };
        let Some(queue) = layer.by_tie.get_mut(index) else {
            return self.push_beyond(rank, tie, item);
        };
        if queue.len() == queue.capacity() {
            self.bytes += widen(queue) * size_of::<T>();
        }
        queue.push_back(item);
        let better = match self.tie {
            Tie::HighG => index > layer.best,
            Tie::None | Tie::LowG => index < layer.best,
        };
        if better || layer.len == 0 {
            layer.best = index;
        }
        layer.len += 1;
        self.lowest = self.lowest.min(rank as usize);
        self.len += 1;
    }

    #[expect(clippy::inline_always, reason = "one call in the engines' loop")]
    #[inline(always)]
    fn pop(&mut self) -> Option<Taken<T>> {
        if !self.far.is_empty() {
            return self.pop_any();
        }
        let near = self.near()?;
        self.pop_near(near)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}

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

#[cold]
fn draw<T>(queue: &mut VecDeque<T>, random: &mut Random) -> Option<T> {
    queue.swap_remove_back(random.below(queue.len()))
}

/// Gives a queue that is full more room; by how much.
#[cold]
fn widen<T>(queue: &mut VecDeque<T>) -> usize {
    let before = queue.capacity();
    queue.reserve(1);
    queue.capacity() - before
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

#[cfg(test)]
mod tests {
    use super::*;

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
