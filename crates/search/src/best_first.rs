//! Best-first search: one engine for every search that keeps an open list.
//!
//! Breadth-first, depth-first, uniform-cost, greedy, A*, weighted A*, beam and random search are
//! this loop with different policies.
//!
//! A node takes a record with its key, its parent and its g (16 bytes for an 8-byte key), the
//! action that led to it (1 byte on small boards), 4.4 to 8.9 bytes in the hash index and, while it
//! is open, 4 to 8 bytes in the open list, which breadth-first search does not need. A state is
//! stored once unless the policy keeps duplicates. Its estimate is not stored: unless it follows
//! from the open list's entry, it is computed again when the node is expanded.
//!
//! Cache misses take most of the time: one in the index for each generated node and, if the state
//! is known, one in its record. All successors of a node are therefore generated first and their
//! index lines prefetched together. If the next node to be expanded can be predicted, its
//! successors are generated before the current node's successors are stored.

mod node;
mod pieces;
mod results;

use node::{Admission, Child, End, MAX_NODES, NO_PARENT, Parent, PredictedNode, Stored};
use pieces::{Pieces, slope};

use crate::frontier::{Entry, OpenList};
use crate::graph::{Graph, is_cheap_to_copy};
use crate::heuristic::Incremental;
use crate::limits::{Limits, Meter};
use crate::node_index::{NodeIndex, VacantSlot, hash};
use crate::observer::{Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Stop};
use crate::policy::{Duplicates, GoalTest, Order, Phi, Policy, Rank, Reopen, Tie, Undo, Weight};
use crate::prefetch::{HAS_PREFETCH, prefetch};
use crate::space::Cost;
use crate::stepwise::{Engine, Problem, Stepwise};

impl<'a, S: Graph, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches in the order that `policy` defines.
    ///
    /// [`StateSpace`](crate::StateSpace) has an example with a space; here is one with closures.
    ///
    /// ```
    /// use taquin_search::{ImplicitGraph, Outcome, Policy, Problem, Recomputed};
    ///
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 10, 2)], |&n| n == 25);
    /// let estimate = |&n: &u32| 25u32.saturating_sub(n) / 5;
    /// let heuristic = Recomputed(&estimate);
    /// let problem = Problem::new(&graph, &0).heuristic(&heuristic);
    /// let search = problem.best_first(&Policy::astar()).run();
    /// assert!(matches!(search.outcome, Outcome::Solved(_)));
    /// assert_eq!(search.lower_bound, 9);
    /// ```
    pub fn best_first(self, policy: &'a Policy) -> Stepwise<BestFirst<'a, S, H, O>> {
        Stepwise::new(BestFirst::new(self, policy))
    }
}

impl<'a, S: Graph, H: Incremental<S>, O: Observer<S>> Stepwise<BestFirst<'a, S, H, O>> {
    /// Ends this search and begins one from `start` with the same settings, in the same memory.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n * 2, 1)], |&n| n == 40);
    /// let policy = Policy::bfs();
    /// let mut search = Problem::new(&graph, &1).best_first(&policy);
    /// while search.step().is_some() {}
    /// search.restart(&10);
    /// assert_eq!(search.run().solution().unwrap().actions, [20, 40]);
    /// ```
    pub fn restart(&mut self, start: &'a S::State) {
        self.engine.restart(start);
        self.result = None;
    }
}

impl<'a, S: Graph, H: Incremental<S>, O: Observer<S>> BestFirst<'a, S, H, O> {
    fn new(problem: Problem<'a, S, H, O>, policy: &'a Policy) -> Self {
        let Problem { space, start, heuristic, limits, observer } = problem;
        let mut engine = Self {
            space,
            start,
            heuristic,
            policy,
            observer,
            limits,
            meter: Meter::new(limits),
            unweighted: policy.rank == Rank::F
                && policy.weight == Weight::ONE
                && policy.phi == Phi::Wa,
            pieces: None,
            has_unit_costs: true,
            root_h: 0,
            nodes: Vec::new(),
            actions: Vec::new(),
            depths: Vec::new(),
            index: NodeIndex::default(),
            ids: Vec::new(),
            open: OpenList::new(policy),
            stale: 0,
            key_bytes: 0,
            bytes_peak: 0,
            layer: None,
            pruned: None,
            counts: Counts::default(),
            before_last_bound: None,
        };
        engine.restart(start);
        engine
    }

    fn restart(&mut self, start: &'a S::State) {
        self.start = start;
        self.meter = Meter::new(self.limits);
        // If the costs are unknown, all are assumed to be 1 until one differs.
        self.has_unit_costs = [1..=1, 0..=Cost::MAX].contains(&self.space.costs());
        self.root_h = self.heuristic.estimate(start);
        self.pieces = Pieces::of(self.policy);
        self.nodes.clear();
        self.actions.clear();
        self.depths.clear();
        self.index.clear();
        self.ids.clear();
        self.open = OpenList::new(self.policy);
        (self.stale, self.key_bytes, self.bytes_peak) = (0, 0, 0);
        (self.layer, self.pruned) = (None, None);
        (self.counts, self.before_last_bound) = (Counts::default(), None);
    }
}

/// An index of up to this many bytes stays in the processor's cache.
const CACHED_BYTES: usize = 1 << 20;

/// A best-first search under way, made by [`Problem::best_first`].
pub struct BestFirst<'a, S: Graph, H, O> {
    space: &'a S,
    start: &'a S::State,
    heuristic: &'a H,
    policy: &'a Policy,
    observer: &'a mut O,
    limits: &'a Limits,
    meter: Meter<'a>,
    /// Whether the rank is g plus h.
    unweighted: bool,
    /// The priority, if it grows during the search.
    pieces: Option<Pieces>,
    /// Whether every action so far costs 1, so that a node's depth is its g.
    has_unit_costs: bool,
    root_h: Cost,
    nodes: Vec<Stored<S>>,
    /// The action that led to each node except the root.
    actions: Vec<S::Action>,
    /// The depth of each node, unless depth and g are equal.
    depths: Vec<u32>,
    index: NodeIndex,
    /// The node for each key that has a number, or [`NO_PARENT`]. Such keys are not in the index.
    ids: Vec<u32>,
    open: OpenList,
    /// The number of stale entries in the open list, whose nodes have since been reached by a
    /// cheaper path.
    stale: u64,
    key_bytes: usize,
    bytes_peak: usize,
    /// The greatest rank popped so far.
    layer: Option<u64>,
    /// The first reason why nodes were pruned, and the least f among them.
    pruned: Option<(Stop, Cost)>,
    counts: Counts,
    before_last_bound: Option<Counts>,
}

impl<S: Graph, H: Incremental<S>, O: Observer<S>> Engine for BestFirst<'_, S, H, O> {
    type Step = S::Step;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Step>> {
        let ended = if self.nodes.is_empty() { self.begin() } else { None };
        let end = ended.or_else(|| self.proceed::<ONE>())?;
        self.counts = self.counts();
        let (outcome, cost) = match end {
            End::Goal(id, last) => {
                // Not all successors of the last node were stored, so it is still open.
                self.nodes[id as usize].open();
                let solution = self.solution(id, last.as_ref());
                let cost = solution.cost;
                (Outcome::Solved(solution), Some(cost))
            }
            End::Empty => match (self.pruned, self.open.dropped()) {
                (Some((stop, _)), _) => (Outcome::Stopped(stop), None),
                (None, 1..) => (Outcome::Stopped(Stop::Beam), None),
                (None, 0) => (Outcome::Exhausted, None),
            },
            End::Stopped(stop) => (Outcome::Stopped(stop), None),
        };
        Some(Search {
            outcome,
            lower_bound: self.lower_bound(cost),
            counts: self.counts,
            before_last_bound: self.before_last_bound,
        })
    }

    fn counts(&self) -> Counts {
        Counts {
            stored_peak: self.nodes.len() as u64,
            memory_peak: self.bytes_peak.max(self.bytes()) as u64,
            ..self.counts
        }
    }
}

impl<S: Graph, H: Incremental<S>, O: Observer<S>> BestFirst<'_, S, H, O> {
    /// Stores the root. Returns the end of the search if it ends there.
    fn begin(&mut self) -> Option<End<S>> {
        let Self { space, start, policy, .. } = *self;
        let key = space.key(start);
        if let Err(stop) = self.make_room(1) {
            return Some(End::Stopped(stop));
        }
        self.insert_root(key);
        self.open.push(self.rank_of(0, self.root_h, 0), 0, 0);
        (policy.goal == GoalTest::Generation && space.is_goal(start)).then(|| {
            self.observe_goal(0, None, start);
            End::Goal(0, None)
        })
    }

    /// Expands nodes until the search ends, or only `ONE`.
    fn proceed<const ONE: bool>(&mut self) -> Option<End<S>> {
        let Self { space, heuristic, policy, unweighted, .. } = *self;
        // With these ties a child of the same rank is expanded next, or soon.
        let predicts = HAS_PREFETCH
            && is_cheap_to_copy::<S::State>()
            && unweighted
            && policy.order == Order::Lifo
            && policy.tie == Tie::HighG;
        // A weighted rank is not a lower bound, so its layers are meaningless.
        let has_layers = policy.width.is_none()
            && match policy.rank {
                Rank::Depth | Rank::G => true,
                Rank::F => unweighted,
                Rank::None | Rank::H => false,
            };

        let mut actions = Vec::new();
        let mut children: Vec<Child<S>> = Vec::new();
        // The predicted next node, with its g, its successors, and which of them will probably
        // follow.
        let mut predicted = (NO_PARENT, 0);
        let mut predicted_children = Vec::new();
        let mut predicted_next = None;
        loop {
            // 1. Pop the best entry, unless it is stale.
            let popped = match &mut self.open {
                OpenList::Sorted(sorted) => sorted.pop(|a, b| {
                    let key = |id: u32| &self.nodes[id as usize].key;
                    space.compare_keys(key(a), key(b))
                }),
                open => open.pop(),
            };
            if O::ACTIVE {
                self.observe_cut();
            }
            let Some(Entry { rank, tie, node: id }) = popped else {
                return Some(End::Empty);
            };
            let node = &self.nodes[id as usize];
            if node.is_closed() {
                self.stale -= 1;
                continue;
            }
            let mut state = space.state(&node.key);
            let memo = match tie {
                // The entry has the g that the node had when it was pushed, so h follows.
                Some(g) if unweighted => {
                    if node.g != g {
                        self.stale -= 1;
                        continue;
                    }
                    heuristic.memo_with(&state, (rank - u64::from(g)) as Cost)
                }
                _ => {
                    let memo = heuristic.memo(&state);
                    let h = heuristic.value(memo);
                    if policy.duplicates == Duplicates::Cheaper
                        && self.rank_of(node.g, h, self.depth(id)) != rank
                    {
                        self.stale -= 1;
                        continue;
                    }
                    memo
                }
            };

            // 2. Record the start of a layer.
            if has_layers && self.layer.is_none_or(|layer| rank > layer) {
                self.layer = Some(rank);
                self.before_last_bound = Some(self.counts());
                if O::ACTIVE {
                    self.observer.bound(rank);
                }
            }

            // 3. Test for a goal.
            if policy.goal == GoalTest::Expansion && space.is_goal(&state) {
                self.observe_goal(id, None, &state);
                return Some(End::Goal(id, None));
            }

            // 4. Drop the node if its state has been expanded.
            if policy.duplicates == Duplicates::Expanded {
                let node = &self.nodes[id as usize];
                match self.find_cold(&node.key) {
                    Ok(known) => {
                        self.counts.duplicates += 1;
                        let cheaper = node.g < self.nodes[known as usize].g;
                        self.counts.dropped_cheaper += u64::from(cheaper);
                        self.nodes[id as usize].close();
                        if self.observer.is_listening() {
                            let node = self.view(id, &state);
                            self.observer.discard(&node);
                        }
                        continue;
                    }
                    Err(slot) => self.insert(slot, id),
                }
            }

            // 5. Check the limits.
            let open = self.open_nodes();
            let bound = || self.layer.unwrap_or(0).min(Cost::MAX.into()) as Cost;
            if let Some(stop) = self.meter.stop(&self.counts, || (open, bound())) {
                return Some(End::Stopped(stop));
            }
            if self.meter.exceeds_memory(|| self.bytes()) {
                return Some(End::Stopped(Stop::Memory));
            }

            // 6. Generate the successors, unless the node was predicted and they exist already.
            self.counts.expanded += 1;
            self.nodes[id as usize].close();
            let back = match policy.undo {
                Undo::Skip => self.action(id).and_then(|action| space.inverse(action)),
                Undo::Keep => None,
            };
            if self.observer.is_listening() {
                let node = self.view(id, &state);
                self.observer.expand(&node);
            }
            let parent = Parent { id, g: self.nodes[id as usize].g, depth: self.depth(id) };
            let next = match predicted == (id, parent.g) {
                true => {
                    std::mem::swap(&mut children, &mut predicted_children);
                    predicted_next
                }
                false => {
                    let node = (&mut state, memo, rank);
                    self.generate(parent, node, back, &mut actions, &mut children)
                }
            };
            let room = match S::MAY_CANCEL && self.meter.is_cancelled() {
                true => Err(Stop::Cancelled),
                false => self.make_room(children.len()),
            };
            if let Err(stop) = room {
                self.nodes[id as usize].open();
                return Some(End::Stopped(stop));
            }

            if let Some(pieces) = self.pieces.take() {
                self.pieces = Some(self.extend(pieces, &mut children));
            }

            // 7. Predict the next node: the last child with the same rank, or else the first open
            //    node. Generate its successors, so that their index lines are loaded meanwhile.
            predicted = (NO_PARENT, 0);
            let predicts = predicts && self.index.bytes() > CACHED_BYTES;
            let next = next.filter(|_| predicts);
            let prediction = match next.and_then(|at| children.get(at)) {
                Some(Child { key, g, h, action, .. }) => {
                    let parent = Parent { id: NO_PARENT, g: *g as Cost, depth: parent.depth + 1 };
                    Some(PredictedNode {
                        parent,
                        state: space.state(key),
                        h: *h,
                        rank,
                        action: Some(*action),
                    })
                }
                None if predicts => self.predict_open(),
                None => None,
            };
            if let Some(PredictedNode { parent, mut state, h, rank, action }) = prediction {
                predicted = (parent.id, parent.g);
                let memo = heuristic.memo_with(&state, h);
                let back = match policy.undo {
                    Undo::Skip => action.and_then(|action| space.inverse(action)),
                    Undo::Keep => None,
                };
                let node = (&mut state, memo, rank);
                predicted_next =
                    self.generate(parent, node, back, &mut actions, &mut predicted_children);
            }

            // 8. Store the successors, or drop them.
            let generated = self.counts.generated;
            for child in children.drain(..) {
                self.counts.generated += 1;
                match self.admit(parent, child) {
                    Admission::Goal(action, key) => {
                        self.counts.frontier_peak =
                            self.counts.frontier_peak.max(self.open_nodes());
                        return Some(End::Goal(id, Some((action, key))));
                    }
                    Admission::Stored(id) => {
                        let at = (self.counts.generated - generated - 1) as usize;
                        predicted = if Some(at) == next { (id, predicted.1) } else { predicted };
                    }
                    Admission::Dropped => {}
                }
            }
            self.counts.frontier_peak = self.counts.frontier_peak.max(self.open_nodes());
            if ONE {
                return None;
            }
        }
    }

    /// Predicts that the first entry of the open list will be expanded next.
    #[inline]
    fn predict_open(&mut self) -> Option<PredictedNode<S>> {
        let (Entry { rank, tie, node: id }, after) = self.open.peek()?;
        if let Some(after) = after {
            prefetch(&self.nodes[after as usize]);
        }
        let node = &self.nodes[id as usize];
        let g = tie.filter(|&g| node.g == g && !node.is_closed())?;
        let parent = Parent { id, g, depth: self.depth(id) };
        let (state, action) = (self.space.state(&node.key), self.action(id));
        Some(PredictedNode { parent, state, h: (rank - u64::from(g)) as Cost, rank, action })
    }

    /// Generates a node's successors, except the one that `back` leads to. Returns the position of
    /// the last successor with rank `wanted`.
    #[expect(clippy::inline_always, reason = "it is a good part of the engine's loop")]
    #[inline(always)]
    fn generate(
        &self,
        parent: Parent,
        (state, memo, wanted): (&mut S::State, H::Memo, u64),
        back: Option<S::Action>,
        actions: &mut Vec<S::Action>,
        children: &mut Vec<Child<S>>,
    ) -> Option<usize> {
        let Self { space, heuristic, policy, .. } = *self;
        let is_cached = self.index.bytes() <= CACHED_BYTES;
        let mut last = None;
        children.clear();
        let evaluate = |child: &S::State, action, cost| {
            let h = heuristic.value(heuristic.step(memo, child, action));
            let is_goal = policy.goal == GoalTest::Generation && space.is_goal(child);
            (action, cost, h, is_goal)
        };
        let store = |(action, cost, h, is_goal): (S::Action, Cost, Cost, bool), key| {
            let g = u64::from(parent.g) + u64::from(cost);
            let rank = match self.unweighted {
                true => g + u64::from(h),
                false => self.rank_of(g.try_into().unwrap_or(Cost::MAX), h, parent.depth + 1),
            };
            last = if rank == wanted { Some(children.len()) } else { last };
            let hash = match policy.duplicates {
                Duplicates::Keep => 0,
                _ => hash(&key),
            };
            if !is_cached {
                self.index.prefetch(hash);
            }
            children.push(Child { key, hash, g, h, rank, action, is_goal });
        };
        space.expand(state, back, actions, evaluate, store);
        last
    }

    #[inline]
    fn rank_of(&self, g: Cost, h: Cost, depth: u64) -> u64 {
        match &self.pieces {
            None => self.policy.rank_of(g, h, depth),
            Some(pieces) => pieces.rank(g, h),
        }
    }

    /// Extends the priority to all successors and ranks them. Open nodes already have a rank, which
    /// only a cheaper path changes.
    #[inline(never)]
    fn extend(&self, mut pieces: Pieces, children: &mut [Child<S>]) -> Pieces {
        // If duplicates are kept, the index is empty.
        let keeps = self.policy.duplicates == Duplicates::Keep;
        let is_open = |child: &Child<S>| {
            let known = |id: u32| !self.nodes[id as usize].is_closed();
            !keeps && self.find(child.hash, &child.key).is_ok_and(known)
        };
        let others = children.iter().filter(|child| !is_open(child));
        pieces.extend(others.map(|child| slope(child.g, child.h)).fold(0.0, f32::max));
        for child in children {
            child.rank = pieces.rank(child.g.try_into().unwrap_or(Cost::MAX), child.h);
        }
        pieces
    }

    /// Stores a successor and adds it to the open list, or drops it.
    #[inline]
    fn admit(&mut self, parent: Parent, child: Child<S>) -> Admission<S> {
        let policy = self.policy;
        let depth = parent.depth + 1;
        let Child { key, hash, g, h, rank, action, is_goal } = child;
        let Ok(g) = Cost::try_from(g) else {
            self.prune(Stop::Cost, Cost::MAX);
            return Admission::Dropped;
        };
        if self.has_unit_costs && g != parent.g + 1 {
            self.store_depths();
        }
        let node = Stored { key, link: parent.id, g };
        if policy.depth.is_some_and(|limit| depth > limit) {
            self.prune(Stop::Depth, g.saturating_add(h));
            self.observe(u64::from(NO_PARENT), &node, (action, h, depth), Verdict::Pruned);
            return Admission::Dropped;
        }
        if is_goal {
            self.observe_goal(parent.id, Some((action, g, h)), &self.space.state(&node.key));
            return Admission::Goal(action, node.key);
        }
        let known = match policy.duplicates {
            Duplicates::Keep | Duplicates::Expanded => Err(None),
            Duplicates::Generated | Duplicates::Cheaper => self.find(hash, &node.key).map_err(Some),
        };
        let id = match known {
            Err(slot) => {
                let id = self.nodes.len() as u32;
                self.observe(id.into(), &node, (action, h, depth), Verdict::Kept);
                self.store(node, action, slot);
                id
            }
            Ok(id) => {
                let old = &self.nodes[id as usize];
                let cheaper = g < old.g;
                let verdict = match (policy.duplicates, old.is_closed(), policy.reopen) {
                    (Duplicates::Cheaper, false, _) if cheaper => Verdict::Cheaper,
                    (Duplicates::Cheaper, true, Reopen::Always) if cheaper => Verdict::Reopened,
                    _ => Verdict::Duplicate,
                };
                self.observe(id.into(), &node, (action, h, depth), verdict);
                match verdict {
                    Verdict::Cheaper => self.stale += u64::from(self.open.supersede(id)),
                    Verdict::Reopened => self.counts.reopened += 1,
                    _ => {
                        self.counts.duplicates += 1;
                        self.counts.dropped_cheaper += u64::from(cheaper);
                        return Admission::Dropped;
                    }
                }
                self.nodes[id as usize] = node;
                // No path to the root is cheaper than the empty one, so this is not the root.
                self.actions[id as usize - 1] = action;
                if !self.has_unit_costs {
                    self.depths[id as usize] = depth as u32;
                }
                id
            }
        };
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        self.open.push(rank, g, id);
        Admission::Stored(id)
    }

    /// Returns a key's node, or the index slot where it belongs.
    #[inline]
    fn find(&self, hash: u64, key: &S::Key) -> Result<u32, VacantSlot> {
        if let Some(number) = S::NUMBER {
            let id = self.ids.get(number(key)).copied().filter(|&id| id != NO_PARENT);
            return id.ok_or_else(VacantSlot::default);
        }
        self.index.find(hash, |id| self.nodes[id as usize].key == *key)
    }

    /// Does the same outside the engine's loop.
    #[inline(never)]
    fn find_cold(&self, key: &S::Key) -> Result<u32, VacantSlot> {
        self.find(hash(key), key)
    }

    /// Makes a node findable by its key.
    #[inline]
    fn insert(&mut self, slot: VacantSlot, id: u32) {
        let Some(number) = S::NUMBER else { return self.index.insert(slot, id) };
        let number = number(&self.nodes[id as usize].key);
        if number >= self.ids.len() {
            self.ids.resize(number + 1, NO_PARENT);
        }
        self.ids[number] = id;
    }

    /// Returns whether the index has room for `more` nodes, of `len` in total.
    #[inline]
    fn has_room(&self, more: usize, len: usize) -> bool {
        let indexed = S::NUMBER.is_none() && self.policy.duplicates != Duplicates::Keep;
        !indexed || self.index.has_room(more, len)
    }

    /// Makes room for `more` nodes, in the store and in the index.
    #[inline]
    fn make_room(&mut self, more: usize) -> Result<(), Stop> {
        let len = self.nodes.len() + more;
        match len <= self.nodes.capacity() && self.has_room(more, len) {
            true => Ok(()),
            false => self.grow(more),
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), Stop> {
        let len = self.nodes.len() + more;
        if len > MAX_NODES || self.nodes.try_reserve(more).is_err() {
            return Err(Stop::Memory);
        }
        while !self.has_room(more, len) {
            let bytes = self.bytes() + self.index.bytes_after_growth();
            if self.meter.exceeds_memory(|| bytes) {
                return Err(Stop::Memory);
            }
            self.bytes_peak = self.bytes_peak.max(bytes);
            let hash_of = |id: u32| hash(&self.nodes[id as usize].key);
            let prefetch = |id: u32| prefetch(&self.nodes[id as usize]);
            self.index.grow(prefetch, hash_of).ok_or(Stop::Memory)?;
        }
        Ok(())
    }

    /// Stores the root.
    #[cold]
    fn insert_root(&mut self, key: S::Key) {
        let indexed = matches!(self.policy.duplicates, Duplicates::Generated | Duplicates::Cheaper);
        let slot = if indexed { self.find(hash(&key), &key).err() } else { None };
        self.key_bytes += self.space.heap_bytes(&key);
        self.nodes.push(Stored { key, link: NO_PARENT, g: 0 });
        if let Some(slot) = slot {
            self.insert(slot, 0);
        }
        if !self.has_unit_costs {
            self.depths.push(0);
        }
    }

    /// Adds a node to the store, which has room for it, and to the index.
    #[inline]
    fn store(&mut self, node: Stored<S>, action: S::Action, slot: Option<VacantSlot>) {
        let id = self.nodes.len() as u32;
        self.key_bytes += self.space.heap_bytes(&node.key);
        if !self.has_unit_costs {
            self.depths.push(self.depths[node.parent() as usize] + 1);
        }
        self.nodes.push(node);
        self.actions.push(action);
        if let Some(slot) = slot {
            self.insert(slot, id);
        }
    }

    /// Stores the depths of all nodes, because they will differ from their g.
    #[cold]
    fn store_depths(&mut self) {
        self.has_unit_costs = false;
        self.depths = self.nodes.iter().map(|node| node.g).collect();
    }

    #[inline]
    fn depth(&self, id: u32) -> u64 {
        match self.has_unit_costs {
            true => self.nodes[id as usize].g.into(),
            false => self.depths[id as usize].into(),
        }
    }

    /// Returns the action that led to a node.
    #[inline]
    fn action(&self, id: u32) -> Option<S::Action> {
        self.actions.get((id as usize).wrapping_sub(1)).copied()
    }

    /// Returns the number of open nodes.
    #[inline]
    fn open_nodes(&self) -> u64 {
        self.open.len() as u64 - self.stale
    }

    /// Records that a node was dropped although its state may be new.
    fn prune(&mut self, stop: Stop, f: Cost) {
        let (stop, least) = self.pruned.unwrap_or((stop, f));
        self.pruned = Some((stop, least.min(f)));
    }

    #[inline]
    fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Stored<S>>()
            + self.actions.len() * size_of::<S::Action>()
            + self.depths.len() * size_of::<u32>()
            + self.key_bytes
            + self.index.bytes()
            + self.ids.len() * size_of::<u32>()
            + self.open.bytes()
    }
}
