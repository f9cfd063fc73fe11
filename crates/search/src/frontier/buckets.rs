//! Queues in an array of arrays.

use std::collections::{BTreeMap, VecDeque};

use super::{Frontier, Taken, ascending, decided};
use crate::policy::{Order, Tie};
use crate::random::Random;
use crate::space::Cost;

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
    pub(super) fn newest(&mut self) -> Option<(Taken<T>, Option<T>)>
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
