//! The open lists for both searches, and the choice of the next node.

use std::collections::BTreeMap;

use super::{Choice, Sides};
use crate::frontier::{Buckets, Entry, IndexedHeap};
use crate::graph::Graph;
use crate::node_store::NodeStore;
use crate::policy::{Order, Tie};
use crate::space::Cost;

/// The open nodes of both searches.
pub(super) enum OpenLists {
    Bae(Bae),
    Pairs(Pairs),
}

/// The rank of a node: its g, its estimate towards the end that its search looks for, and its
/// estimate towards the end that its search began at.
#[derive(Clone, Copy)]
pub(super) struct Values {
    pub(super) g: Cost,
    pub(super) ahead: Cost,
    pub(super) behind: Cost,
}

/// A node taken from an open list.
pub(super) struct Selection {
    pub(super) side: usize,
    pub(super) node: u32,
    /// The excess of its estimate ahead over its estimate behind, if known.
    pub(super) difference: Option<i64>,
}

impl OpenLists {
    pub(super) fn new(choice: Choice, epsilon: Cost) -> Self {
        match choice {
            Choice::Bae(sides, order) => Self::Bae(Bae::new(sides, order)),
            _ => Self::Pairs(Pairs::new(choice, epsilon)),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, side: usize, node: u32, values: Values) {
        match self {
            Self::Bae(bae) => bae.lists[side].push(Bae::rank(values), values.g, node),
            Self::Pairs(pairs) => pairs.push(side, node, values),
        }
    }

    /// Counts a node that was taken as no longer open.
    #[inline]
    pub(super) fn settle(&mut self, side: usize, values: Values) {
        match self {
            Self::Bae(_) => {}
            Self::Pairs(pairs) => pairs.remove(side, values),
        }
    }

    /// Prepares for a better entry of an open node.
    pub(super) fn supersede(&mut self, side: usize, old: Values) {
        match self {
            Self::Bae(bae) => bae.supersede(side),
            Self::Pairs(pairs) => pairs.remove(side, old),
        }
    }

    /// Returns a bound: no path through one open node from each search costs less. Returns `None`
    /// if either search has no open node.
    #[inline]
    pub(super) fn bound<S: Graph>(&mut self, sides: &[NodeStore<S>; 2]) -> Option<u64> {
        match self {
            Self::Bae(bae) => bae.bound(sides),
            Self::Pairs(pairs) => pairs.bound(),
        }
    }

    /// Removes and returns the node to expand. Called after [`bound`](Self::bound) has returned
    /// one.
    #[inline]
    pub(super) fn take<S: Graph>(&mut self, sides: &[NodeStore<S>; 2]) -> Option<Selection> {
        match self {
            Self::Bae(bae) => bae.take(),
            Self::Pairs(pairs) => pairs.take(sides),
        }
    }

    /// Returns a node's rank: b, the priority in MM, or f.
    pub(super) fn rank(&self, values: Values) -> u64 {
        match self {
            Self::Bae(_) => Bae::rank(values),
            Self::Pairs(pairs) => pairs.key(values).0,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Bae(bae) => (bae.len(0) + bae.len(1)) as u64,
            Self::Pairs(pairs) => pairs.lists.iter().map(|cells| cells.len as u64).sum(),
        }
    }

    #[inline]
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Bae(bae) => bae.lists.iter().map(List::bytes).sum(),
            Self::Pairs(pairs) => pairs.lists.iter().map(Cells::bytes).sum(),
        }
    }
}

/// Returns whether an entry is the newest of a node that is still open.
#[inline]
fn is_current<S: Graph>(side: &NodeStore<S>, node: u32, g: Cost) -> bool {
    let node = &side.nodes[node as usize];
    !node.is_closed() && node.g == g
}

/// Nodes ordered by b: twice the g plus the estimate ahead minus the estimate behind, with the
/// greatest g first among equals.
///
/// If both estimates are consistent, a path through a node from each search costs at least half the
/// sum of their b.
pub(super) struct Bae {
    sides: Sides,
    lists: [List; 2],
    /// How many entries are stale: their nodes were reached by a cheaper path since.
    stale: [usize; 2],
    turn: usize,
}

/// An open list: entries of b, g and a node.
enum List {
    Buckets(Buckets),
    Heap(IndexedHeap),
}

impl List {
    #[inline]
    fn push(&mut self, rank: u64, g: Cost, node: u32) {
        match self {
            Self::Buckets(buckets) => buckets.push(rank, g, node),
            Self::Heap(heap) => heap.push(rank, g, node),
        }
    }

    #[inline]
    fn first(&mut self) -> Option<Entry> {
        match self {
            Self::Buckets(buckets) => buckets.first(),
            Self::Heap(heap) => heap.first(),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Entry> {
        match self {
            Self::Buckets(buckets) => buckets.pop(),
            Self::Heap(heap) => heap.pop(),
        }
    }

    #[inline]
    const fn len(&self) -> usize {
        match self {
            Self::Buckets(buckets) => buckets.len(),
            Self::Heap(heap) => heap.len(),
        }
    }

    #[inline]
    fn bytes(&self) -> usize {
        match self {
            Self::Buckets(buckets) => buckets.bytes(),
            Self::Heap(heap) => heap.bytes(),
        }
    }
}

impl Bae {
    fn new(sides: Sides, order: Order) -> Self {
        let list = || match order {
            Order::Heap | Order::Indexed => List::Heap(IndexedHeap::new(Tie::HighG)),
            order => List::Buckets(Buckets::new(Tie::HighG, order, 0)),
        };
        Self { sides, lists: [list(), list()], stale: [0, 0], turn: 0 }
    }

    /// Returns b. It is negative only if an estimate is too great, and counts as 0 then.
    #[inline]
    fn rank(Values { g, ahead, behind }: Values) -> u64 {
        (2 * i64::from(g) + i64::from(ahead) - i64::from(behind)).max(0) as u64
    }

    /// Counts the old entry of a node as stale. A heap replaces it.
    const fn supersede(&mut self, side: usize) {
        if matches!(self.lists[side], List::Buckets(_)) {
            self.stale[side] += 1;
        }
    }

    const fn len(&self, side: usize) -> usize {
        self.lists[side].len() - self.stale[side]
    }

    #[inline]
    fn bound<S: Graph>(&mut self, sides: &[NodeStore<S>; 2]) -> Option<u64> {
        let mut sum = 0;
        for ((list, stale), side) in self.lists.iter_mut().zip(&mut self.stale).zip(sides) {
            loop {
                let first = list.first()?;
                if first.tie.is_some_and(|g| is_current(side, first.node, g)) {
                    sum += first.rank;
                    break;
                }
                list.pop();
                *stale -= 1;
            }
        }
        Some(sum.div_ceil(2))
    }

    #[inline]
    fn take(&mut self) -> Option<Selection> {
        let side = match self.sides {
            Sides::Alternate => self.turn,
            Sides::Pohl => usize::from(self.len(1) < self.len(0)),
        };
        self.turn = 1 - side;
        let entry = self.lists[side].pop()?;
        let difference = entry.tie.filter(|_| entry.rank > 0);
        let difference = difference.map(|g| entry.rank as i64 - 2 * i64::from(g));
        Some(Selection { side, node: entry.node, difference })
    }
}

/// Open nodes by f and g, from which pairs are chosen: a path through a node from each search costs
/// at least either f, and at least both g plus the least action cost.
///
/// This holds for every admissible estimate. Only few values of f and g occur, so a search tree
/// over them is small.
pub(super) struct Pairs {
    choice: Choice,
    epsilon: u64,
    lists: [Cells; 2],
    /// No path through an open node of each search costs less.
    bound: u64,
    /// NBS: whether the first node of a pair was taken, and the second was not.
    is_second: bool,
    /// DVCBS: the cluster whose nodes are being expanded, by its search and its g.
    cluster: Option<(usize, Cost)>,
}

/// One search's open nodes. The key is f, or the priority in MM, and g.
#[derive(Default)]
struct Cells {
    by_key: BTreeMap<(u64, Cost), Cell>,
    by_f: BTreeMap<u64, usize>,
    by_g: BTreeMap<Cost, usize>,
    len: usize,
    entries: usize,
}

#[derive(Default)]
struct Cell {
    nodes: Vec<u32>,
    /// How many of the nodes are current.
    len: usize,
}

/// Bytes of the search tree for a cell, about.
const CELL_BYTES: usize = 128;

impl Cells {
    fn bytes(&self) -> usize {
        self.entries * size_of::<u32>() + self.by_key.len() * CELL_BYTES
    }

    /// Removes one current node of a cell from all counts.
    fn remove(&mut self, key: (u64, Cost), f: u64) {
        self.len -= 1;
        remove_one(&mut self.by_f, f);
        remove_one(&mut self.by_g, key.1);
        if let Some(cell) = self.by_key.get_mut(&key) {
            cell.len -= 1;
            if cell.len == 0 {
                self.entries -= cell.nodes.len();
                self.by_key.remove(&key);
            }
        }
    }

    /// Returns the first cell of each f up to `bound`, which has the least g.
    fn ready(&self, bound: u64) -> impl Iterator<Item = (u64, Cost)> {
        let next = move |from: u64| {
            let first = self.by_key.range((from, 0)..).next();
            first.filter(|((f, _), _)| *f <= bound)
        };
        let first = next(0).map(|(&key, _)| key);
        std::iter::successors(first, move |&(f, _)| next(f + 1).map(|(&key, _)| key))
    }

    /// Returns the least g of a node whose f is at most `bound`.
    fn least_g(&self, bound: u64) -> Option<Cost> {
        self.ready(bound).map(|(_, g)| g).min()
    }

    /// Returns the first cell of nodes with this g whose f is at most `bound`.
    fn ready_with(&self, bound: u64, g: Cost) -> Option<(u64, Cost)> {
        let levels = self.ready(bound).map(|(f, _)| (f, g));
        levels.into_iter().find(|key| self.by_key.contains_key(key))
    }

    /// Returns how many nodes with an f of at most `bound` have each g, by ascending g.
    fn clusters(&self, bound: u64) -> Vec<(Cost, usize)> {
        let mut clusters = BTreeMap::new();
        for (&(_, g), cell) in self.by_key.range(..=(bound, Cost::MAX)) {
            *clusters.entry(g).or_insert(0) += cell.len;
        }
        clusters.into_iter().collect()
    }
}

fn remove_one<K: Ord + Copy>(counts: &mut BTreeMap<K, usize>, key: K) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

impl Pairs {
    fn new(choice: Choice, epsilon: Cost) -> Self {
        let (lists, epsilon) = ([Cells::default(), Cells::default()], u64::from(epsilon));
        Self { choice, epsilon, lists, bound: 0, is_second: false, cluster: None }
    }

    fn f(values: Values) -> u64 {
        u64::from(values.g) + u64::from(values.ahead)
    }

    fn key(&self, values: Values) -> (u64, Cost) {
        let f = Self::f(values);
        match self.choice {
            Choice::Mm => (f.max(2 * u64::from(values.g) + self.epsilon), values.g),
            _ => (f, values.g),
        }
    }

    fn push(&mut self, side: usize, node: u32, values: Values) {
        let key = self.key(values);
        let list = &mut self.lists[side];
        let cell = list.by_key.entry(key).or_default();
        cell.nodes.push(node);
        cell.len += 1;
        *list.by_f.entry(Self::f(values)).or_insert(0) += 1;
        *list.by_g.entry(values.g).or_insert(0) += 1;
        list.len += 1;
        list.entries += 1;
    }

    fn remove(&mut self, side: usize, values: Values) {
        let key = self.key(values);
        self.lists[side].remove(key, Self::f(values));
    }

    fn bound(&mut self) -> Option<u64> {
        if self.lists.iter().any(|list| list.len == 0) {
            return None;
        }
        match self.choice {
            Choice::Mm => self.bound = self.bound.max(self.bound_of_mm()?),
            // The second node of a pair is expanded whatever the first has led to.
            Choice::Nbs if self.is_second => {}
            _ => self.raise()?,
        }
        Some(self.bound)
    }

    /// Returns the bound for MM: the least priority, either least f, or both least g plus the least
    /// action cost.
    fn bound_of_mm(&self) -> Option<u64> {
        let (mut priority, mut f, mut g) = (u64::MAX, 0, self.epsilon);
        for list in &self.lists {
            priority = priority.min(list.by_key.first_key_value()?.0.0);
            f = f.max(*list.by_f.first_key_value()?.0);
            g += u64::from(*list.by_g.first_key_value()?.0);
        }
        Some(priority.max(f).max(g))
    }

    /// Raises the bound to the least one at which there is a pair.
    fn raise(&mut self) -> Option<()> {
        loop {
            let [forth, back] = &self.lists;
            let sum = match (forth.least_g(self.bound), back.least_g(self.bound)) {
                (Some(forth), Some(back)) => {
                    Some(u64::from(forth) + u64::from(back) + self.epsilon)
                }
                _ => None,
            };
            if sum.is_some_and(|sum| sum <= self.bound) {
                return Some(());
            }
            let next_f = |list: &Cells| Some(*list.by_f.range(self.bound + 1..).next()?.0);
            self.bound = [next_f(forth), next_f(back), sum].into_iter().flatten().min()?;
            self.cluster = None;
        }
    }

    fn take<S: Graph>(&mut self, sides: &[NodeStore<S>; 2]) -> Option<Selection> {
        let (side, key) = match self.choice {
            Choice::Mm => {
                let first = |list: &Cells| list.by_key.first_key_value().map(|(&key, _)| key);
                let [forth, back] = self.lists.each_ref().map(first);
                let side = usize::from(back?.0 < forth?.0);
                (side, [forth, back][side]?)
            }
            Choice::Dvcbs => {
                let cluster = self
                    .cluster
                    .take()
                    .filter(|&(side, g)| self.lists[side].ready_with(self.bound, g).is_some());
                let (side, g) = cluster.or_else(|| self.best_cluster())?;
                self.cluster = Some((side, g));
                (side, self.lists[side].ready_with(self.bound, g)?)
            }
            _ => {
                let side = usize::from(self.is_second);
                self.is_second = !self.is_second;
                let g = self.lists[side].least_g(self.bound)?;
                (side, self.lists[side].ready_with(self.bound, g)?)
            }
        };
        self.take_from(side, key, sides)
    }

    /// Returns the cluster to expand. In a minimum vertex cover of all pairs with the present
    /// bound, this is the smaller of both clusters with the least g.
    ///
    /// A cluster's nodes have the same g, so a cover consists of the first clusters of both
    /// searches.
    fn best_cluster(&self) -> Option<(usize, Cost)> {
        let [forth, back] = self.lists.each_ref().map(|list| list.clusters(self.bound));
        let mut best = None;
        let mut nodes_before = 0;
        for taken in 0..=forth.len() {
            // The clusters that pair with one of the rest must be in the cover.
            let g = forth.get(taken).map(|&(g, _)| u64::from(g) + self.epsilon);
            let limit = g.and_then(|g| self.bound.checked_sub(g));
            let paired =
                back.iter().take_while(|&&(g, _)| limit.is_some_and(|limit| u64::from(g) <= limit));
            let (clusters, nodes) =
                paired.fold((0, nodes_before), |(n, sum), c| (n + 1, sum + c.1));
            if best.is_none_or(|(least, _)| nodes < least) {
                best = Some((nodes, [taken, clusters]));
            }
            nodes_before += forth.get(taken).map_or(0, |cluster| cluster.1);
        }
        let firsts = [forth.first(), back.first()];
        let (_, covered) = best?;
        let candidates = (0..2).filter(|&side| covered[side] > 0);
        let candidates =
            candidates.filter_map(|side| Some((firsts[side]?.1, side, firsts[side]?.0)));
        candidates.min().map(|(_, side, g)| (side, g))
    }

    /// Removes and returns the newest current node of a cell.
    fn take_from<S: Graph>(
        &mut self,
        side: usize,
        key: (u64, Cost),
        sides: &[NodeStore<S>; 2],
    ) -> Option<Selection> {
        let list = &mut self.lists[side];
        let nodes = &mut list.by_key.get_mut(&key)?.nodes;
        loop {
            let node = nodes.pop()?;
            list.entries -= 1;
            if is_current(&sides[side], node, key.1) {
                return Some(Selection { side, node, difference: None });
            }
        }
    }
}
