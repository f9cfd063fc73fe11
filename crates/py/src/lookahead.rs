//! Estimates for a search, asked for many at a time.
//!
//! An engine needs one estimate after the other. A function of an array is slow that way, so boards that
//! the search will probably reach are asked about ahead: the same graph is searched in the same order,
//! as far as the estimates so far show it. A wrong guess costs time and changes no result. The number of
//! boards doubles while most of them are needed, and halves otherwise.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use taquin::packed::{Layout, Tiles};
use taquin::{Board, Cost, MoveOrder, Policy, Rank, Task};
use taquin_search::Graph;

/// How many boards are asked about at most, and their neighbours.
const MAX_WIDTH: usize = 1 << 12;

/// How many boards are remembered.
const MAX_NODES: usize = 1 << 18;

/// The boards that a search may need, with their estimates.
pub(crate) struct Lookahead<L: Layout> {
    space: Tiles<L>,
    policy: Policy,
    nodes: Vec<Node<L::Key>>,
    index: HashMap<L::Key, u32>,
    /// Nodes that may be expanded, the lowest rank first.
    open: BinaryHeap<(Reverse<u64>, Cost, u32)>,
    /// How many boards are asked about at a time, of how many the last time, and how many boards the
    /// search has needed since.
    width: usize,
    asked: usize,
    needed: usize,
}

struct Node<K> {
    key: K,
    g: Cost,
    estimate: Cost,
    is_needed: bool,
    is_expanded: bool,
}

impl<L: Layout> Lookahead<L> {
    pub(crate) fn new(task: &Task) -> Self {
        let policy = task.method.policy.clone();
        let ranks_by_estimate = matches!(policy.rank, Rank::F | Rank::H);
        Self {
            space: Tiles::new(&task.puzzle, &task.cost, MoveOrder::default()),
            policy: if ranks_by_estimate { policy } else { Policy::astar() },
            nodes: Vec::new(),
            index: HashMap::new(),
            open: BinaryHeap::new(),
            width: 1,
            asked: 0,
            needed: 0,
        }
    }

    /// The estimate of a board. `ask` returns the estimates of boards.
    pub(crate) fn estimate(&mut self, board: &Board, ask: impl Fn(&[Board]) -> Vec<f64>) -> Cost {
        let state = self.space.place(board);
        let key = L::key(&state);
        let known = self.index.get(&key).copied();
        let id = known.unwrap_or_else(|| self.look_ahead(state, key, ask));
        let node = &mut self.nodes[id as usize];
        self.needed += usize::from(!node.is_needed);
        node.is_needed = true;
        node.estimate
    }

    /// Asks about a board and others that the search will probably need.
    fn look_ahead(
        &mut self,
        mut state: L::State,
        key: L::Key,
        ask: impl Fn(&[Board]) -> Vec<f64>,
    ) -> u32 {
        if self.nodes.len() > MAX_NODES {
            self.nodes.clear();
            self.index.clear();
            self.open.clear();
        }
        self.width = match 2 * self.needed >= self.asked {
            true => (2 * self.width).min(MAX_WIDTH),
            false => (self.width / 2).max(1),
        };
        let first = self.nodes.len();
        // The search has just expanded a neighbour.
        let mut parent = None;
        let neighbor = |_: &L::State, _, _| ();
        self.space.expand(&mut state, None, &mut Vec::new(), neighbor, |(), key| {
            parent = parent.or(self.index.get(&key).copied());
        });
        if let Some(parent) = parent {
            self.expand(parent);
        }
        let id = self.add(key, 0);
        while self.nodes.len() - first < self.width
            && let Some((.., next)) = self.open.pop()
        {
            self.expand(next);
        }
        let new = &mut self.nodes[first..];
        let boards: Vec<Board> =
            new.iter().map(|node| self.space.board(&L::unpack(&node.key))).collect();
        (self.asked, self.needed) = (boards.len(), 0);
        for ((number, node), estimate) in (first..).zip(new).zip(ask(&boards)) {
            node.estimate = estimate as Cost;
            let rank = self.policy.rank_of(node.g, node.estimate, node.g.into());
            self.open.push((Reverse(rank), node.g, number as u32));
        }
        id
    }

    fn expand(&mut self, id: u32) {
        let node = &mut self.nodes[id as usize];
        if std::mem::replace(&mut node.is_expanded, true) {
            return;
        }
        let (mut state, g) = (L::unpack(&node.key), node.g);
        let mut next = Vec::new();
        let cost = |_: &L::State, _, cost: Cost| cost;
        self.space.expand(&mut state, None, &mut Vec::new(), cost, |cost, key| {
            next.push((key, g.saturating_add(cost)));
        });
        for (key, g) in next {
            self.add(key, g);
        }
    }

    /// Adds a board unless it is known.
    fn add(&mut self, key: L::Key, g: Cost) -> u32 {
        let new = self.nodes.len() as u32;
        let id = *self.index.entry(key.clone()).or_insert(new);
        if id == new {
            self.nodes.push(Node { key, g, estimate: 0, is_needed: false, is_expanded: false });
        }
        id
    }
}
