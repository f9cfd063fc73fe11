//! Simplified memory-bounded A\* (Russell 1992): A\* that forgets the worst leaf when its memory is
//! full.
//!
//! A forgotten leaf's value is kept in its parent. The least value among all leaves is therefore a
//! lower bound, and forgotten leaves are generated again once nothing better is left. All
//! successors of a node are generated at once. States are not compared: this is a tree search.
//!
//! A node's value is infinite if it is so deep that its path cannot be stored.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::heuristic::Incremental;
use crate::limits::Meter;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::{Engine, Problem, Stepwise};

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches for the cheapest path, and stores at most `most` nodes, at least 2.
    ///
    /// ```
    /// use taquin_search::{Problem, Undo};
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let search = Problem::new(&Line, &3).memory_bounded(Undo::Skip, 6).run();
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// assert!(search.is_optimal() && search.counts.stored_peak <= 6);
    /// ```
    pub fn memory_bounded(self, undo: Undo, most: u32) -> Stepwise<MemoryBounded<'a, S, H, O>> {
        Stepwise::new(MemoryBounded::new(self, undo, most.max(2)))
    }
}

/// A successor that is not stored.
#[derive(Clone, Copy)]
struct UnstoredSuccessor<A> {
    action: A,
    value: Option<Cost>,
}

struct StoredNode<S: StateSpace> {
    key: S::Key,
    parent: u32,
    /// The action that led to this node; `None` for the root.
    action: Option<S::Action>,
    g: Cost,
    depth: u32,
    /// The number that observers see.
    id: u64,
    /// A lower bound on the cost of any goal below this node; `None` if there is none.
    value: Option<Cost>,
    is_expanded: bool,
    /// How many of its successors are stored.
    stored: u32,
    forgotten: Vec<UnstoredSuccessor<S::Action>>,
}

/// The best leaf comes first: the leaf with the least value, or the deepest one on a tie.
type Rank = (Cost, Reverse<u32>, u32);

/// A memory-bounded search under way, made by [`Problem::memory_bounded`].
pub struct MemoryBounded<'a, S: StateSpace, H, O> {
    space: &'a S,
    heuristic: &'a H,
    observer: &'a mut O,
    meter: Meter<'a>,
    undo: Undo,
    most: u32,
    nodes: Vec<StoredNode<S>>,
    free: Vec<u32>,
    /// The node that is being expanded, which is in no list.
    in_hand: u32,
    /// The nodes with successors that can be generated.
    open: BTreeSet<Rank>,
    /// The nodes without stored successors. An infinite value is the greatest cost.
    leaves: BTreeSet<Rank>,
    /// The least f of the nodes that were too deep.
    least_cut: Option<Cost>,
    overflowed: bool,
    ids: u64,
    counts: Counts,
    bound: Cost,
}

impl<S, H, O> Engine for MemoryBounded<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let outcome = self.proceed::<ONE>()?;
        let lower_bound = match &outcome {
            Outcome::Solved(solution) => self.bound.min(solution.cost),
            _ => self.bound,
        };
        Some(Search { outcome, lower_bound, counts: self.counts, before_last_bound: None })
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> MemoryBounded<'a, S, H, O> {
    fn new(problem: Problem<'a, S, H, O>, undo: Undo, most: u32) -> Self {
        let Problem { space, start, heuristic, limits, observer } = problem;
        let root = StoredNode {
            key: space.key(start),
            parent: 0,
            action: None,
            g: 0,
            depth: 0,
            id: 0,
            value: Some(heuristic.estimate(start)),
            is_expanded: false,
            stored: 0,
            forgotten: Vec::new(),
        };
        let mut search = Self {
            space,
            heuristic,
            observer,
            meter: Meter::new(limits),
            undo,
            most,
            nodes: vec![root],
            free: Vec::new(),
            in_hand: 0,
            open: BTreeSet::new(),
            leaves: BTreeSet::new(),
            least_cut: None,
            overflowed: false,
            ids: 1,
            counts: Counts::default(),
            bound: 0,
        };
        search.link(0);
        search
    }

    /// Expands nodes until the search ends, or only `ONE`.
    fn proceed<const ONE: bool>(&mut self) -> Option<Outcome<S::Action>> {
        loop {
            let Some(&(value, _, at)) = self.open.first() else {
                return Some(match (self.least_cut, self.overflowed) {
                    (Some(_), _) => Outcome::Stopped(Stop::Memory),
                    (None, true) => Outcome::Stopped(Stop::Cost),
                    (None, false) => Outcome::Exhausted,
                });
            };
            // A path that was too deep to store may cost less than anything left.
            let proven = self.least_cut.map_or(value, |cut| cut.min(value));
            if proven > self.bound {
                self.bound = proven;
                if O::ACTIVE {
                    self.observer.bound(proven.into());
                }
            }
            let node = &self.nodes[at as usize];
            let mut state = self.space.state(&node.key);
            if !node.is_expanded && self.space.is_goal(&state) {
                if O::ACTIVE {
                    let node = self.view(at, &state);
                    self.observer.goal(&node);
                }
                return Some(Outcome::Solved(self.solution(at)));
            }
            let open = self.open.len() as u64;
            if let Some(stop) = self.meter.stop(&self.counts, || (open, self.bound)) {
                return Some(Outcome::Stopped(stop));
            }
            let bytes = self.bytes();
            self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
            if self.meter.exceeds_memory(|| bytes) {
                return Some(Outcome::Stopped(Stop::Memory));
            }
            if let Err(stop) = self.expand(at, &mut state) {
                return Some(Outcome::Stopped(stop));
            }
            self.counts.frontier_peak = self.counts.frontier_peak.max(self.open.len() as u64);
            if ONE {
                return None;
            }
        }
    }

    /// Generates a node's successors, or the forgotten ones with the least value.
    fn expand(&mut self, at: u32, state: &mut S::State) -> Result<(), Stop> {
        self.unlink(at);
        self.in_hand = at;
        self.counts.expanded += 1;
        if O::ACTIVE {
            let node = self.view(at, state);
            self.observer.expand(&node);
        }
        let wanted = self.value_of(at);
        let node = &mut self.nodes[at as usize];
        let regenerates = std::mem::replace(&mut node.is_expanded, true);
        let (g, depth, parent_id) = (node.g, node.depth + 1, node.id);
        let mut successors: Vec<UnstoredSuccessor<S::Action>> = Vec::new();
        if regenerates {
            node.forgotten.retain(|&forgotten| {
                let is_wanted = forgotten.value == wanted;
                if is_wanted {
                    successors.push(forgotten);
                }
                !is_wanted
            });
        } else {
            let back = node.action.filter(|_| self.undo == Undo::Skip);
            let back = back.and_then(|action| self.space.inverse(action));
            let mut actions = Vec::new();
            self.space.actions(state, &mut actions);
            if S::MAY_CANCEL && self.meter.is_cancelled() {
                return Err(Stop::Cancelled);
            }
            let value = node.value;
            actions.retain(|&action| Some(action) != back);
            successors
                .extend(actions.into_iter().map(|action| UnstoredSuccessor { action, value }));
        }
        for UnstoredSuccessor { action, value } in successors {
            let cost = self.space.apply(state, action);
            self.counts.generated += 1;
            let h = self.heuristic.estimate(state);
            let child_g = g.checked_add(cost);
            let f = child_g.and_then(|g| g.checked_add(h));
            self.overflowed |= f.is_none();
            // The parent's bound also holds for its successors.
            let value = f.and_then(|f| value.map(|value| value.max(f)));
            let is_cut = depth >= self.most;
            let id = self.ids;
            self.ids += 1;
            let child = StoredNode {
                key: self.space.key(state),
                parent: at,
                action: Some(action),
                g: child_g.unwrap_or(Cost::MAX),
                depth,
                id,
                value,
                is_expanded: false,
                stored: 0,
                forgotten: Vec::new(),
            };
            if O::ACTIVE {
                let verdict =
                    if is_cut || value.is_none() { Verdict::Pruned } else { Verdict::Kept };
                let (parent, depth) = (Some(parent_id), depth.into());
                let (g, action, state) = (child.g, child.action, &*state);
                let node = Node { id, parent, action, state, g, h, depth, value };
                self.observer.generate(&node, verdict);
            }
            self.space.undo(state, action);
            if is_cut {
                if let Some(value) = value {
                    self.least_cut = Some(self.least_cut.map_or(value, |cut| cut.min(value)));
                }
                continue;
            }
            if value.is_none() {
                continue;
            }
            if (self.nodes.len() - self.free.len()) as u64 >= u64::from(self.most) {
                self.forget_worst();
            }
            self.counts.depth_peak = self.counts.depth_peak.max(depth.into());
            let place = match self.free.pop() {
                Some(place) => {
                    self.nodes[place as usize] = child;
                    place
                }
                None => {
                    self.nodes.try_reserve(1).map_err(|_| Stop::Memory)?;
                    self.nodes.push(child);
                    self.nodes.len() as u32 - 1
                }
            };
            self.nodes[at as usize].stored += 1;
            self.link(place);
        }
        self.counts.stored_peak = self.counts.stored_peak.max(self.nodes.len() as u64);
        self.settle(at);
        Ok(())
    }

    /// Returns the least value of the successors that a node can generate.
    fn value_of(&self, at: u32) -> Option<Cost> {
        let node = &self.nodes[at as usize];
        match node.is_expanded {
            false => node.value,
            true => node.forgotten.iter().filter_map(|forgotten| forgotten.value).min(),
        }
    }

    fn rank(&self, at: u32) -> Rank {
        let value = self.value_of(at).unwrap_or(Cost::MAX);
        (value, Reverse(self.nodes[at as usize].depth), at)
    }

    /// Adds a node to the lists that it belongs to.
    fn link(&mut self, at: u32) {
        let rank = self.rank(at);
        if self.value_of(at).is_some() {
            self.open.insert(rank);
        }
        if self.nodes[at as usize].stored == 0 {
            self.leaves.insert(rank);
        }
    }

    /// Removes a node from all lists, before it changes.
    fn unlink(&mut self, at: u32) {
        let rank = self.rank(at);
        self.open.remove(&rank);
        self.leaves.remove(&rank);
    }

    /// Adds a changed node to its lists, or removes it if nothing is below it.
    fn settle(&mut self, mut at: u32) {
        loop {
            let node = &self.nodes[at as usize];
            if node.stored > 0 || self.value_of(at).is_some() || at == 0 {
                self.link(at);
                return;
            }
            let parent = node.parent;
            self.free.push(at);
            self.unlink(parent);
            self.nodes[parent as usize].stored -= 1;
            at = parent;
        }
    }

    /// Removes the leaf with the greatest value, or the shallowest one on a tie, and keeps its
    /// value in its parent.
    fn forget_worst(&mut self) {
        let Some((_, _, at)) = self.leaves.last().copied() else { return };
        self.unlink(at);
        let value = self.value_of(at);
        let node = &mut self.nodes[at as usize];
        node.forgotten = Vec::new();
        let (parent, action) = (node.parent, node.action);
        self.free.push(at);
        self.unlink(parent);
        let node = &mut self.nodes[parent as usize];
        node.stored -= 1;
        node.forgotten.extend(action.map(|action| UnstoredSuccessor { action, value }));
        if parent != self.in_hand {
            self.link(parent);
        }
    }

    fn bytes(&self) -> usize {
        let successor = size_of::<UnstoredSuccessor<S::Action>>();
        let node = size_of::<StoredNode<S>>() + 2 * size_of::<Rank>() + 4 * successor;
        self.nodes.len() * (node + self.space.heap_bytes(&self.nodes[0].key))
    }

    fn view<'b>(&self, at: u32, state: &'b S::State) -> Node<'b, S> {
        let &StoredNode { parent, action, g, depth, id, value, .. } = &self.nodes[at as usize];
        let (parent, h) =
            (action.map(|_| self.nodes[parent as usize].id), self.heuristic.estimate(state));
        Node { id, parent, action, state, g, h, depth: depth.into(), value }
    }

    fn solution(&self, goal: u32) -> Solution<S::Action> {
        let mut actions = Vec::new();
        let mut at = goal;
        while let Some(action) = self.nodes[at as usize].action {
            actions.push(action);
            at = self.nodes[at as usize].parent;
        }
        actions.reverse();
        Solution { actions, cost: self.nodes[goal as usize].g }
    }
}
