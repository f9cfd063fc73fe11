//! The open list for searches with a bound: cells of nodes with equal values, in several orders.
//!
//! A node takes four bytes in its cell. Only cells are sorted, and a search has far fewer cells
//! than nodes, so all ranks can be computed again when the bound or the weight changes.

use std::collections::{BTreeMap, BTreeSet};

use super::Bounded;
use crate::graph::Graph;
use crate::node_store::NodeStore;
use crate::policy::Weight;
use crate::space::Cost;

/// A node's values. Nodes with equal values share a cell. The least f comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Values {
    pub(super) f: u64,
    pub(super) g: Cost,
    /// Whether the node waits for the next phase, because it has been expanded in this one.
    pub(super) is_held: bool,
    /// The estimated number of actions to a goal, if the order depends on it.
    pub(super) distance: u64,
    /// The estimated cost of a solution through the node, if the order depends on it.
    pub(super) expected: u64,
}

/// The lowest rank is taken first.
type Rank = (u128, Cost);

/// The open nodes of equal values.
#[derive(Default)]
struct Cell {
    /// The nodes, newest last. Some are stale: expanded, or reached more cheaply since.
    nodes: Vec<u32>,
    /// How many of them are not.
    live: usize,
    /// Its rank, if it is in the queue.
    rank: Option<Rank>,
}

/// The open nodes of a search.
pub(super) struct OpenList {
    choice: Bounded,
    weight: Weight,
    /// Whether `ios` looks for its first solution.
    is_greedy: bool,
    /// No solution costs less.
    bound: u64,
    cells: BTreeMap<Values, Cell>,
    /// The cells by their measure, which decides whether they are in the queue.
    measured: BTreeSet<(u64, Values)>,
    /// The cells in the queue have at most this measure.
    limit: u64,
    /// The cells that may be taken from, the lowest rank first.
    queue: BTreeSet<(Rank, Values)>,
    live: u64,
    entries: usize,
}

/// The bytes per cell with its places in the three orders. Search trees leave about a third of
/// their memory unused.
const CELL_BYTES: usize =
    (size_of::<Cell>() + 3 * size_of::<Values>() + size_of::<Rank>() + 8) * 3 / 2 + 16;

/// The difference between two weights in `ara`, as a divisor of 1.
const WEIGHT_STEP: u32 = 5;

impl OpenList {
    pub(super) fn new(choice: Bounded, weight: Weight) -> Self {
        let weight = match choice {
            // The first solution may be worse than the bound, which is often proven later.
            Bounded::Ios(_) => weight.with_twice_the_excess().unwrap_or(weight),
            _ => weight,
        };
        Self {
            choice,
            weight,
            is_greedy: true,
            bound: 0,
            cells: BTreeMap::new(),
            measured: BTreeSet::new(),
            limit: u64::MAX,
            queue: BTreeSet::new(),
            live: 0,
            entries: 0,
        }
    }

    pub(super) fn push(&mut self, node: u32, values: Values) {
        let is_new = !self.cells.contains_key(&values);
        let cell = self.cells.entry(values).or_default();
        cell.nodes.push(node);
        cell.live += 1;
        self.live += 1;
        self.entries += 1;
        if is_new {
            self.enter(values);
        }
    }

    /// Removes a node that was reached more cheaply.
    pub(super) fn supersede(&mut self, values: Values) {
        self.leave(values);
    }

    /// Returns the least f of any open node.
    pub(super) fn least_f(&self) -> Option<u64> {
        self.cells.first_key_value().map(|(values, _)| values.f)
    }

    /// Raises the bound on the cost of any solution.
    pub(super) fn raise(&mut self, bound: u64) {
        self.bound = bound;
        match self.choice {
            Bounded::Focal => self.set_limit(self.weight.times(bound)),
            Bounded::Dps => self.rank_again(),
            _ => {}
        }
    }

    /// Begins the next phase if it is time for it. `best` is the cost of the best solution.
    pub(super) fn begins_phase(&mut self, best: Option<Cost>) -> bool {
        let is_empty = self.queue.is_empty() && !self.cells.is_empty();
        let begins = match (self.choice, best) {
            (Bounded::Ios(_), Some(_)) => std::mem::take(&mut self.is_greedy),
            (Bounded::Ara, Some(best)) => {
                let goal = u128::from(self.weight.rank(best, 0));
                let is_over = self.queue.first().is_none_or(|&((rank, _), _)| rank >= goal);
                if is_over {
                    self.lower_weight(best);
                }
                is_over
            }
            (Bounded::Ios(_) | Bounded::Ara, None) => is_empty,
            _ => false,
        };
        if begins {
            self.rank_again();
        }
        begins
    }

    /// Whether a node that is expanded in this phase waits for the next one when it is reached more
    /// cheaply.
    pub(super) fn holds(&self) -> bool {
        match self.choice {
            Bounded::Ios(_) => self.is_greedy,
            Bounded::Ara => self.weight != Weight::ONE,
            _ => false,
        }
    }

    /// Removes and returns the node to expand next.
    pub(super) fn take<S: Graph>(&mut self, nodes: &NodeStore<S>) -> Option<(u32, Values)> {
        let values = self.next()?;
        let cell = self.cells.get_mut(&values)?;
        let is_current = |id: u32| {
            let node = &nodes.nodes[id as usize];
            !node.is_closed() && node.g == values.g
        };
        let node = loop {
            let node = cell.nodes.pop()?;
            self.entries -= 1;
            if is_current(node) {
                break node;
            }
        };
        self.leave(values);
        Some((node, values))
    }

    pub(super) const fn len(&self) -> u64 {
        self.live
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries * size_of::<u32>() + self.cells.len() * CELL_BYTES
    }

    /// Returns the values of the node to expand next.
    fn next(&mut self) -> Option<Values> {
        if self.choice == Bounded::Ees {
            let &(least, expected) = self.measured.first()?;
            self.set_limit(self.weight.times(least));
            let (_, nearest) = *self.queue.first()?;
            let (&cheapest, _) = self.cells.first_key_value()?;
            let is_within = |values: &Values| self.weight.allows(values.expected, self.bound);
            return Some([nearest, expected].into_iter().find(is_within).unwrap_or(cheapest));
        }
        self.queue.first().map(|&(_, values)| values)
    }

    fn measure(&self, values: Values) -> u64 {
        match self.choice {
            Bounded::Focal => values.f,
            Bounded::Ees => values.expected,
            _ => 0,
        }
    }

    fn rank(&self, Values { f, g, distance, .. }: Values) -> Rank {
        let h = (f - u64::from(g)) as Cost;
        let high_g = Cost::MAX - g;
        match self.choice {
            Bounded::Focal | Bounded::Ees => (distance.into(), 0),
            Bounded::Dps => (u128::MAX - self.weight.potential(self.bound, g, h), 0),
            Bounded::Ios(phi) if self.is_greedy => (self.weight.rank_by(phi, g, h).into(), high_g),
            Bounded::Ios(_) => (f.into(), high_g),
            Bounded::Awa | Bounded::Ara => (self.weight.rank(g, h).into(), high_g),
        }
    }

    /// Adds a cell to the orders.
    fn enter(&mut self, values: Values) {
        let measure = self.measure(values);
        self.measured.insert((measure, values));
        if measure <= self.limit && !values.is_held {
            self.enqueue(values);
        }
    }

    fn enqueue(&mut self, values: Values) {
        let rank = self.rank(values);
        if let Some(cell) = self.cells.get_mut(&values) {
            cell.rank = Some(rank);
            self.queue.insert((rank, values));
        }
    }

    /// Counts a node less in a cell, and removes the cell with the last one.
    fn leave(&mut self, values: Values) {
        let Some(cell) = self.cells.get_mut(&values) else { return };
        self.live -= 1;
        cell.live -= 1;
        if cell.live == 0 {
            self.entries -= cell.nodes.len();
            if let Some(rank) = cell.rank {
                self.queue.remove(&(rank, values));
            }
            self.measured.remove(&(self.measure(values), values));
            self.cells.remove(&values);
        }
    }

    /// Adds cells to the queue, or removes some, when the limit of their measure changes.
    fn set_limit(&mut self, limit: u64) {
        let old = std::mem::replace(&mut self.limit, limit);
        let (low, high) = (old.min(limit), old.max(limit));
        let past = |measure: u64| (measure.saturating_add(1), FIRST);
        if low == high {
            return;
        }
        let changed: Vec<Values> = self
            .measured
            .range(past(low)..)
            .take_while(|&&(m, _)| m <= high)
            .map(|e| e.1)
            .collect();
        for values in changed {
            if old < limit {
                self.enqueue(values);
            } else if let Some(rank) = self.cells.get_mut(&values).and_then(|cell| cell.rank.take())
            {
                self.queue.remove(&(rank, values));
            }
        }
    }

    /// Computes all ranks again, and releases the nodes that were held.
    fn rank_again(&mut self) {
        self.queue.clear();
        self.measured.clear();
        for (values, mut cell) in std::mem::take(&mut self.cells) {
            cell.rank = None;
            let merged = self.cells.entry(Values { is_held: false, ..values }).or_default();
            merged.live += cell.live;
            merged.nodes.append(&mut cell.nodes);
        }
        let all: Vec<Values> = self.cells.keys().copied().collect();
        for values in all {
            self.enter(values);
        }
    }

    /// Lowers the weight to the next one that is not proven yet.
    fn lower_weight(&mut self, best: Cost) {
        loop {
            self.weight = self.weight.less(WEIGHT_STEP);
            let is_proven = self.weight.allows(best.into(), self.bound);
            if self.weight == Weight::ONE || !is_proven {
                return;
            }
        }
    }
}

/// The least values.
const FIRST: Values = Values { f: 0, g: 0, is_held: false, distance: 0, expected: 0 };
