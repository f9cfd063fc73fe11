//! Queues in an array of arrays.

use std::collections::{BTreeMap, VecDeque};

use super::{Entry, ascending, relevant};
use crate::policy::{Order, Tie};
use crate::random::Random;
use crate::space::Cost;

/// A queue for each rank and tie value. If all ranks are equal this is a queue, a stack or a random
/// pool.
#[derive(Debug)]
pub(crate) struct Buckets {
    order: Order,
    tie: Tie,
    random: Random,
    layers: Vec<Layer>,
    /// All layers below this one are empty.
    lowest: usize,
    /// Entries whose rank or tie value is too large for an index.
    far: BTreeMap<(u64, Cost), VecDeque<u32>>,
    len: usize,
    bytes: usize,
}

/// The entries of one rank.
#[derive(Debug)]
struct Layer {
    by_tie: Vec<VecDeque<u32>>,
    /// All queues that are better than this one are empty.
    best: usize,
    len: usize,
}

/// Ranks and tie values from here on are kept in a search tree.
const FAR: u64 = 1 << 16;

impl Buckets {
    pub(crate) fn new(tie: Tie, order: Order, seed: u64) -> Self {
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

    /// Moves on to the next layer and frees the memory of the empty one.
    #[cold]
    fn next_layer(&mut self) {
        let empty = std::mem::take(&mut self.layers[self.lowest].by_tie);
        self.bytes -= empty.iter().map(VecDeque::capacity).sum::<usize>() * size_of::<u32>();
        self.lowest += 1;
    }

    /// Adds an entry for which there is no queue yet.
    #[cold]
    fn push_new(&mut self, rank: u64, tie: Cost, node: u32) {
        let index = if self.tie == Tie::None { 0 } else { tie as usize };
        if rank >= FAR || index as u64 >= FAR {
            let queue = self.far.entry((rank, ascending(self.tie, tie))).or_default();
            if queue.len() == queue.capacity() {
                self.bytes += enlarge(queue) * size_of::<u32>();
            }
            queue.push_back(node);
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
        self.push(rank, tie, node);
    }

    /// Returns the layer and the queue of the best entry that is not far.
    #[inline]
    fn near(&mut self) -> Option<(usize, usize)> {
        while self.layers.get(self.lowest)?.len == 0 {
            self.next_layer();
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

    /// Returns the entry that would be popped next and, if it has the same rank and tie, the node
    /// of the one after it. Returns `None` unless the order is LIFO and no entry is far.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<(Entry, Option<u32>)> {
        if self.order != Order::Lifo || !self.far.is_empty() {
            return None;
        }
        let (rank, tie) = self.near()?;
        let queue = &self.layers[rank].by_tie[tie];
        let last = queue.len().checked_sub(1)?;
        let entry =
            Entry { rank: rank as u64, tie: relevant(self.tie, tie as Cost), node: queue[last] };
        Some((entry, queue.get(last.wrapping_sub(1)).copied()))
    }

    /// Returns the entry that would be popped next, unless the order is random.
    #[inline]
    pub(crate) fn first(&mut self) -> Option<Entry> {
        let order = self.order;
        let end = |queue: &VecDeque<u32>| match order {
            Order::Lifo => queue.back().copied(),
            Order::Fifo | Order::Heap | Order::Indexed | Order::Random | Order::State => {
                queue.front().copied()
            }
        };
        let near = self.near().and_then(|(rank, tie)| {
            let node = end(&self.layers[rank].by_tie[tie])?;
            Some(Entry { rank: rank as u64, tie: relevant(self.tie, tie as Cost), node })
        });
        let Some((&(rank, key), queue)) = self.far.first_key_value() else { return near };
        let is_near_better = |near: &Entry| {
            (near.rank, near.tie.map_or(0, |tie| ascending(self.tie, tie))) < (rank, key)
        };
        near.filter(is_near_better).or_else(|| {
            Some(Entry {
                rank,
                tie: relevant(self.tie, ascending(self.tie, key)),
                node: end(queue)?,
            })
        })
    }

    #[expect(clippy::inline_always, reason = "it is called once for each expanded node")]
    #[inline(always)]
    fn pop_near(&mut self, (rank, tie): (usize, usize)) -> Option<Entry> {
        let layer = &mut self.layers[rank];
        let node = Self::take(&mut layer.by_tie[tie], self.order, &mut self.random)?;
        layer.len -= 1;
        self.len -= 1;
        Some(Entry { rank: rank as u64, tie: relevant(self.tie, tie as Cost), node })
    }

    /// Pops the best entry if some entries are far.
    #[cold]
    fn pop_any(&mut self) -> Option<Entry> {
        let near = self.near();
        self.pop_far(near).or_else(|| self.pop_near(near?))
    }

    /// Pops the best far entry if it is better than the best near one.
    fn pop_far(&mut self, near: Option<(usize, usize)>) -> Option<Entry> {
        let mut first = self.far.first_entry()?;
        let (rank, tie) = *first.key();
        let near = near.map(|(rank, tie)| (rank as u64, ascending(self.tie, tie as Cost)));
        if near.is_some_and(|near| near < (rank, tie)) {
            return None;
        }
        let node = Self::take(first.get_mut(), self.order, &mut self.random)?;
        if first.get().is_empty() {
            self.bytes -= first.remove().capacity() * size_of::<u32>();
        }
        self.len -= 1;
        Some(Entry { rank, tie: relevant(self.tie, ascending(self.tie, tie)), node })
    }

    #[inline]
    fn take(queue: &mut VecDeque<u32>, order: Order, random: &mut Random) -> Option<u32> {
        match order {
            Order::Fifo | Order::Heap | Order::Indexed | Order::State => queue.pop_front(),
            Order::Lifo => queue.pop_back(),
            Order::Random => draw(queue, random),
        }
    }
}

impl Buckets {
    #[expect(clippy::inline_always, reason = "one call in the engines' loop")]
    #[inline(always)]
    pub(crate) fn push(&mut self, rank: u64, tie: Cost, node: u32) {
        let index = if self.tie == Tie::None { 0 } else { tie as usize };
        let Some(layer) = self.layers.get_mut(rank as usize) else {
            return self.push_new(rank, tie, node);
        };
        let Some(queue) = layer.by_tie.get_mut(index) else {
            return self.push_new(rank, tie, node);
        };
        if queue.len() == queue.capacity() {
            self.bytes += enlarge(queue) * size_of::<u32>();
        }
        queue.push_back(node);
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
    pub(crate) fn pop(&mut self) -> Option<Entry> {
        if !self.far.is_empty() {
            return self.pop_any();
        }
        let near = self.near()?;
        self.pop_near(near)
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cold]
fn draw(queue: &mut VecDeque<u32>, random: &mut Random) -> Option<u32> {
    queue.swap_remove_back(random.below(queue.len()))
}

/// Enlarges a full queue and returns by how many entries.
#[cold]
fn enlarge(queue: &mut VecDeque<u32>) -> usize {
    let before = queue.capacity();
    queue.reserve(1);
    queue.capacity() - before
}
