//! One engine for every search that keeps a frontier.
//!
//! Breadth-first, depth-first, uniform-cost, greedy, A*, weighted A*, beam and random search are
//! this loop under different policies.
//!
//! What a node costs: a record of its key, its parent and its g (16 bytes for an 8-byte key), the
//! action that led to it (1 byte on small boards), 6 to 12 bytes in the hash index, and while it
//! waits 4 to 8 in the frontier. A state is stored once unless the policy keeps duplicates, and its
//! estimate is not stored: it is made again when the node is taken out, from the state that is
//! unpacked there anyway. The time goes into two cache misses for each generated node, one in the
//! index and, when the state is known, one in its record; the children of a node are therefore made
//! first and their slots asked for together.

use std::hash::BuildHasher;
use std::hint::black_box;

use rustc_hash::FxBuildHasher;

use crate::frontier::{Frontier, Open};
use crate::heuristic::Incremental;
use crate::index::Index;
use crate::limits::{Limits, Meter};
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::{Duplicates, GoalTest, Policy, Rank, Reopen, Undo, Weight};
use crate::space::{Cost, Key, StateSpace};

/// Searches from `start` for a goal, as the policy says.
pub fn best_first<S, H, O>(
    space: &S,
    start: &S::State,
    heuristic: &H,
    policy: &Policy,
    limits: &Limits,
    observer: &mut O,
) -> Search<S::Action>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    Engine {
        space,
        heuristic,
        policy,
        observer,
        meter: Meter::new(limits),
        unit: space.costs() == (1..=1),
        root_h: heuristic.estimate(start),
        nodes: Vec::new(),
        actions: Vec::new(),
        depths: Vec::new(),
        index: Index::default(),
        open: Open::new(policy),
        overtaken: 0,
        key_bytes: 0,
        bytes_peak: 0,
        layer: None,
        lost: None,
        counts: Counts::default(),
        before_last_bound: None,
    }
    .run(start)
}

/// A stored node.
struct Stored<S: StateSpace> {
    key: S::Key,
    /// The number of the parent, and above it a bit that says whether the node is closed: expanded,
    /// or dropped when it was taken out.
    link: u32,
    g: Cost,
}

/// The root's parent. Nodes have smaller numbers.
const NOBODY: u32 = CLOSED - 1;
const MOST_NODES: usize = NOBODY as usize;
const CLOSED: u32 = 1 << 31;

impl<S: StateSpace> Stored<S> {
    #[inline]
    const fn parent(&self) -> u32 {
        self.link & !CLOSED
    }

    #[inline]
    const fn is_closed(&self) -> bool {
        self.link & CLOSED != 0
    }

    #[inline]
    const fn close(&mut self) {
        self.link |= CLOSED;
    }

    #[inline]
    const fn open(&mut self) {
        self.link &= !CLOSED;
    }
}

/// A successor that is not stored yet.
struct Child<S: StateSpace> {
    key: S::Key,
    hash: u64,
    cost: Cost,
    h: Cost,
    action: S::Action,
    is_goal: bool,
}

/// Why the loop ended.
enum End<A> {
    /// At this node, or one action after it, is a goal.
    Goal(u32, Option<A>),
    Empty,
    Stopped(Stop),
}

struct Engine<'a, S: StateSpace, H, O> {
    space: &'a S,
    heuristic: &'a H,
    policy: &'a Policy,
    observer: &'a mut O,
    meter: Meter<'a>,
    /// Every action costs 1, so that a node's depth is its g.
    unit: bool,
    root_h: Cost,
    nodes: Vec<Stored<S>>,
    /// The action that led to each node but the root.
    actions: Vec<S::Action>,
    /// Each node's depth, where it is not its g.
    depths: Vec<u32>,
    index: Index,
    open: Open,
    /// Entries of the frontier whose node has been reached more cheaply since.
    overtaken: u64,
    key_bytes: usize,
    bytes_peak: usize,
    /// The greatest rank taken out so far.
    layer: Option<u64>,
    /// The first reason for which nodes were not stored, and the least f of any of them.
    lost: Option<(Stop, Cost)>,
    counts: Counts,
    before_last_bound: Option<Counts>,
}

impl<S: StateSpace, H: Incremental<S>, O: Observer<S>> Engine<'_, S, H, O> {
    fn run(mut self, start: &S::State) -> Search<S::Action> {
        let end = self.search(start);
        self.counts = self.counts();
        let (outcome, cost) = match end {
            End::Goal(id, last) => {
                // The other successors of the last parent were not generated: it is still open.
                self.nodes[id as usize].open();
                let solution = self.solution(start, id, last);
                let cost = solution.cost;
                (Outcome::Solved(solution), Some(cost))
            }
            End::Empty => match (self.lost, self.open.dropped()) {
                (Some((stop, _)), _) => (Outcome::Stopped(stop), None),
                (None, 1..) => (Outcome::Stopped(Stop::Beam), None),
                (None, 0) => (Outcome::Exhausted, None),
            },
            End::Stopped(stop) => (Outcome::Stopped(stop), None),
        };
        Search {
            outcome,
            lower_bound: self.lower_bound(cost),
            counts: self.counts,
            before_last_bound: self.before_last_bound,
        }
    }

    fn search(&mut self, start: &S::State) -> End<S::Action> {
        let Self { space, heuristic, policy, .. } = *self;
        let indexed = policy.duplicates != Duplicates::Keep;
        // Layers of a weighted rank do not grow with what is proven.
        let layered = policy.width.is_none()
            && match policy.rank {
                Rank::Depth | Rank::G => true,
                Rank::F => policy.weight == Weight::ONE,
                Rank::None | Rank::H => false,
            };

        let key = space.key(start);
        let hash = FxBuildHasher.hash_one(&key);
        let root = Stored { key, link: NOBODY, g: 0 };
        if let Err(stop) = self.store(root, None, hash) {
            // It was not tested: as a node that waits it would prove too much.
            self.nodes.clear();
            return End::Stopped(stop);
        }
        self.push(0, self.root_h);
        if policy.goal == GoalTest::Generation && space.is_goal(start) {
            self.see_goal(0, None, start);
            return End::Goal(0, None);
        }

        let mut actions = Vec::new();
        let mut children: Vec<Child<S>> = Vec::new();
        loop {
            // 1. Take out the best node, unless a cheaper path has overtaken the entry.
            let Some((rank, id)) = self.open.pop() else {
                return End::Empty;
            };
            let node = &self.nodes[id as usize];
            if node.is_closed() {
                self.overtaken -= 1;
                continue;
            }
            let mut state = space.state(&node.key);
            let memo = heuristic.memo(&state);
            let h = heuristic.value(memo);
            if policy.duplicates == Duplicates::Cheaper && self.rank(id, h) != rank {
                self.overtaken -= 1;
                continue;
            }

            // 2. Note where a layer begins.
            if layered && self.layer.is_none_or(|layer| rank > layer) {
                self.layer = Some(rank);
                self.before_last_bound = Some(self.counts());
                if O::ACTIVE {
                    self.observer.bound(rank);
                }
            }

            // 3. Is it a goal?
            if policy.goal == GoalTest::Expansion && space.is_goal(&state) {
                self.see_goal(id, None, &state);
                return End::Goal(id, None);
            }

            // 4. Has its state been expanded?
            if policy.duplicates == Duplicates::Expanded {
                let node = &self.nodes[id as usize];
                let hash = FxBuildHasher.hash_one(&node.key);
                if let Some(known) = self.find(hash, &node.key) {
                    self.counts.duplicates += 1;
                    self.counts.dropped_cheaper += u64::from(node.g < self.nodes[known as usize].g);
                    self.nodes[id as usize].close();
                    if O::ACTIVE {
                        let node = self.seen(id, &state);
                        self.observer.discard(&node);
                    }
                    continue;
                }
                if let Err(stop) = self.enter(id, hash) {
                    return End::Stopped(stop);
                }
            }

            // 5. May it be expanded?
            let bound = self.layer.unwrap_or(0).min(Cost::MAX.into()) as Cost;
            if let Some(stop) = self.meter.stop(&self.counts, self.live(), bound) {
                return End::Stopped(stop);
            }
            if self.meter.is_too_much(self.bytes() as u64) {
                return End::Stopped(Stop::Memory);
            }

            // 6. Make its successors.
            self.counts.expanded += 1;
            self.nodes[id as usize].close();
            let back = match policy.undo {
                Undo::Skip => self.action(id).and_then(|action| space.inverse(action)),
                Undo::Keep => None,
            };
            if O::ACTIVE {
                let node = self.seen(id, &state);
                self.observer.expand(&node);
            }
            actions.clear();
            space.actions(&state, &mut actions);
            for &action in &actions {
                if Some(action) == back {
                    continue;
                }
                let cost = space.apply(&mut state, action);
                let h = heuristic.value(heuristic.step(memo, &state, action));
                let key = space.key(&state);
                let is_goal = policy.goal == GoalTest::Generation && space.is_goal(&state);
                space.undo(&mut state, action);
                let hash = if indexed { FxBuildHasher.hash_one(&key) } else { 0 };
                black_box(self.index.peek(hash));
                children.push(Child { key, hash, cost, h, action, is_goal });
            }

            // 7. Keep those that are worth it.
            for child in children.drain(..) {
                self.counts.generated += 1;
                match self.admit(id, child) {
                    Ok(None) => {}
                    Ok(Some(last)) => {
                        self.counts.frontier_peak = self.counts.frontier_peak.max(self.live());
                        return End::Goal(id, Some(last));
                    }
                    Err(stop) => {
                        self.nodes[id as usize].open();
                        return End::Stopped(stop);
                    }
                }
            }
            self.counts.frontier_peak = self.counts.frontier_peak.max(self.live());
        }
    }

    /// Stores a child and puts it on the frontier, or drops it; its action if it is a goal.
    #[inline]
    fn admit(&mut self, parent: u32, child: Child<S>) -> Result<Option<S::Action>, Stop> {
        let above = &self.nodes[parent as usize];
        let depth = self.depth(parent) + 1;
        let Child { key, hash, cost, h, action, is_goal } = child;
        let Some(g) = above.g.checked_add(cost) else {
            self.lose(Stop::Cost, Cost::MAX);
            return Ok(None);
        };
        let node = Stored { key, link: parent, g };
        if self.policy.depth.is_some_and(|limit| depth > limit) {
            self.lose(Stop::Depth, g.saturating_add(h));
            self.see(u64::from(NOBODY), &node, (action, h, depth), Verdict::Pruned);
            return Ok(None);
        }
        if is_goal {
            self.see_goal(parent, Some((action, g, h)), &self.space.state(&node.key));
            return Ok(Some(action));
        }
        let known = match self.policy.duplicates {
            Duplicates::Keep | Duplicates::Expanded => None,
            Duplicates::Generated | Duplicates::Cheaper => self.find(hash, &node.key),
        };
        let Some(id) = known else {
            if O::ACTIVE {
                self.see(self.nodes.len() as u64, &node, (action, h, depth), Verdict::Kept);
            }
            let id = self.store(node, Some(action), hash)?;
            self.push(id, h);
            return Ok(None);
        };
        let old = &self.nodes[id as usize];
        let cheaper = g < old.g;
        let verdict = match (self.policy.duplicates, old.is_closed(), self.policy.reopen) {
            (Duplicates::Cheaper, false, _) if cheaper => Verdict::Cheaper,
            (Duplicates::Cheaper, true, Reopen::Always) if cheaper => Verdict::Reopened,
            _ => Verdict::Duplicate,
        };
        self.see(id.into(), &node, (action, h, depth), verdict);
        match verdict {
            Verdict::Cheaper => self.overtaken += u64::from(self.open.overtake(id)),
            Verdict::Reopened => self.counts.reopened += 1,
            _ => {
                self.counts.duplicates += 1;
                self.counts.dropped_cheaper += u64::from(cheaper);
                return Ok(None);
            }
        }
        self.nodes[id as usize] = node;
        // The root is reached at no cost, so that none of those that are overtaken is it.
        self.actions[id as usize - 1] = action;
        if !self.unit {
            self.depths[id as usize] = depth as u32;
        }
        self.push(id, h);
        Ok(None)
    }

    #[inline]
    fn find(&self, hash: u64, key: &S::Key) -> Option<u32> {
        self.index.find(hash, |id| self.nodes[id as usize].key == *key)
    }

    /// Adds a node to the store, and to the index unless the policy does that later or never.
    #[inline]
    fn store(
        &mut self,
        node: Stored<S>,
        action: Option<S::Action>,
        hash: u64,
    ) -> Result<u32, Stop> {
        let id = self.nodes.len();
        if id == MOST_NODES || id == self.nodes.capacity() && self.nodes.try_reserve(1).is_err() {
            return Err(Stop::Memory);
        }
        self.key_bytes += node.key.heap_bytes();
        if !self.unit {
            let above = self.depths.get(node.parent() as usize);
            self.depths.push(above.map_or(0, |depth| depth + 1));
        }
        self.nodes.push(node);
        self.actions.extend(action);
        if matches!(self.policy.duplicates, Duplicates::Generated | Duplicates::Cheaper) {
            self.enter(id as u32, hash)?;
        }
        Ok(id as u32)
    }

    /// Adds a stored node to the index.
    #[inline]
    fn enter(&mut self, id: u32, hash: u64) -> Result<(), Stop> {
        if let Some(slots) = self.index.needs(id) {
            let bytes = self.bytes() + slots * size_of::<u32>();
            if self.meter.is_too_much(bytes as u64) {
                return Err(Stop::Memory);
            }
            self.bytes_peak = self.bytes_peak.max(bytes);
            let hash_of = |id: u32| FxBuildHasher.hash_one(&self.nodes[id as usize].key);
            self.index.grow(slots, hash_of).ok_or(Stop::Memory)?;
        }
        self.index.insert(hash, id);
        Ok(())
    }

    #[inline]
    fn push(&mut self, id: u32, h: Cost) {
        self.counts.depth_peak = self.counts.depth_peak.max(self.depth(id));
        self.open.push(self.rank(id, h), self.nodes[id as usize].g, id);
    }

    #[inline]
    fn rank(&self, id: u32, h: Cost) -> u64 {
        let node = &self.nodes[id as usize];
        match self.policy.rank {
            Rank::None => 0,
            Rank::Depth => self.depth(id),
            Rank::G => node.g.into(),
            Rank::H => h.into(),
            Rank::F => self.policy.weight.rank(node.g, h),
        }
    }

    #[inline]
    fn depth(&self, id: u32) -> u64 {
        match self.unit {
            true => self.nodes[id as usize].g.into(),
            false => self.depths[id as usize].into(),
        }
    }

    /// The action that led to a node.
    #[inline]
    fn action(&self, id: u32) -> Option<S::Action> {
        self.actions.get((id as usize).wrapping_sub(1)).copied()
    }

    /// The number of nodes that wait.
    #[inline]
    fn live(&self) -> u64 {
        self.open.len() as u64 - self.overtaken
    }

    /// Notes that a node is given up though its state may be new.
    fn lose(&mut self, stop: Stop, f: Cost) {
        let (stop, least) = self.lost.unwrap_or((stop, f));
        self.lost = Some((stop, least.min(f)));
    }

    #[inline]
    fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Stored<S>>()
            + self.actions.len() * size_of::<S::Action>()
            + self.depths.len() * size_of::<u32>()
            + self.key_bytes
            + self.index.bytes()
            + self.open.bytes()
    }

    fn counts(&self) -> Counts {
        Counts {
            stored_peak: self.nodes.len() as u64,
            memory_peak: self.bytes_peak.max(self.bytes()) as u64,
            ..self.counts
        }
    }

    /// The way to a node and one action further, and what it really costs: where nodes were
    /// reached more cheaply after their successors were stored, that is less than the last g.
    fn solution(&self, start: &S::State, id: u32, last: Option<S::Action>) -> Solution<S::Action> {
        let parent = |&id: &u32| Some(self.nodes[id as usize].parent()).filter(|&id| id != NOBODY);
        let path = std::iter::successors(Some(id), parent).filter_map(|id| self.action(id));
        let mut actions: Vec<S::Action> = last.into_iter().chain(path).collect();
        actions.reverse();
        let mut state = start.clone();
        let cost = actions.iter().map(|&action| self.space.apply(&mut state, action)).sum();
        debug_assert!(self.space.is_goal(&state), "the path does not lead to a goal");
        Solution { actions, cost }
    }

    /// What no solution can cost less than.
    ///
    /// As long as no cheaper path was dropped, an optimal path leads through some node that was not
    /// expanded or not stored, and was reached there at its true cost.
    fn lower_bound(&self, cost: Option<Cost>) -> Cost {
        let root = self.root_h;
        let cost = cost.unwrap_or(Cost::MAX);
        if self.counts.dropped_cheaper > 0 {
            return root.min(cost);
        }
        let lost = self.lost.map_or(Cost::MAX, |(_, f)| f);
        let layer = self.layer.unwrap_or(0).min(Cost::MAX.into()) as Cost;
        let proven = match self.policy.rank {
            // The nodes came out in the order of what they prove.
            Rank::G => layer,
            Rank::F if self.policy.weight == Weight::ONE && self.policy.width.is_none() => layer,
            _ => self.waiting(),
        };
        // Where nothing waits and nothing was given up, there is no solution to bound.
        let least = Some(proven.min(lost)).filter(|&least| least < Cost::MAX);
        least.unwrap_or(root).max(root).min(cost)
    }

    /// The least that a path through a node that waits can cost.
    fn waiting(&self) -> Cost {
        // A node that was tested when it was generated is at least one action away.
        let least = match self.policy.goal {
            GoalTest::Generation => *self.space.costs().start(),
            GoalTest::Expansion => 0,
        };
        let open = self.nodes.iter().filter(|node| !node.is_closed());
        let f = |node: &Stored<S>| {
            let h = self.heuristic.estimate(&self.space.state(&node.key));
            node.g.saturating_add(h.max(least))
        };
        open.map(f).min().unwrap_or(Cost::MAX)
    }

    fn seen<'b>(&self, id: u32, state: &'b S::State) -> Node<'b, S> {
        let node = &self.nodes[id as usize];
        let parent = (node.parent() != NOBODY).then_some(node.parent().into());
        let (action, depth) = (self.action(id), self.depth(id));
        let h = self.heuristic.estimate(state);
        Node { id: id.into(), parent, action, state, g: node.g, h, depth }
    }

    #[inline]
    fn see(
        &mut self,
        id: u64,
        node: &Stored<S>,
        (action, h, depth): (S::Action, Cost, u64),
        verdict: Verdict,
    ) {
        if O::ACTIVE {
            let (parent, action, g) = (Some(node.parent().into()), Some(action), node.g);
            let state = &self.space.state(&node.key);
            self.observer.generate(&Node { id, parent, action, state, g, h, depth }, verdict);
        }
    }

    /// Tells of a goal: the node `id`, or the child of it that is not stored.
    fn see_goal(&mut self, id: u32, child: Option<(S::Action, Cost, Cost)>, state: &S::State) {
        if O::ACTIVE {
            let mut node = self.seen(id, state);
            if let Some((action, g, h)) = child {
                let depth = node.depth + 1;
                let (parent, id) = (Some(id.into()), self.nodes.len() as u64);
                node = Node { id, parent, action: Some(action), state, g, h, depth };
                self.observer.generate(&node, Verdict::Kept);
            }
            self.observer.goal(&node);
        }
    }
}
