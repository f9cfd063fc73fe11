//! One engine for every search that keeps a frontier.
//!
//! Breadth-first, depth-first, uniform-cost, greedy, A*, weighted A*, beam and random search are
//! this loop under different policies.
//!
//! What a node costs: a record of its key, its parent and its g (16 bytes for an 8-byte key), the
//! action that led to it (1 byte on small boards), 4.4 to 8.9 bytes in the hash index, and while it
//! waits 4 to 8 in the frontier, which breadth-first search does without. A state is stored once unless the policy keeps duplicates, and its
//! estimate is not stored: where the frontier does not tell it, it is made again when the node is
//! taken out, from the state that is unpacked there anyway.
//!
//! The time goes into cache misses: one in the index for each generated node and, when the state is
//! known, one in its record. The children of a node are therefore made first and their lines of
//! the index asked for together, and where a child will be expanded next, its own children are made
//! before it is stored.

mod findings;
mod records;

use std::mem::needs_drop;

use records::{Above, Admitted, Child, Coming, End, MOST_NODES, NOBODY, Stored};

use crate::fetch::fetch;
use crate::frontier::{Frontier, Open, Taken};
use crate::heuristic::Incremental;
use crate::index::{Index, Vacancy};
use crate::limits::{Limits, Meter};
use crate::observer::{Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Stop};
use crate::policy::{Duplicates, GoalTest, Order, Policy, Rank, Reopen, Tie, Undo, Weight};
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
        plain: policy.rank == Rank::F && policy.weight == Weight::ONE,
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

/// An index of so many bytes stays in the processor's own cache.
const CACHED: usize = 1 << 20;

struct Engine<'a, S: StateSpace, H, O> {
    space: &'a S,
    heuristic: &'a H,
    policy: &'a Policy,
    observer: &'a mut O,
    meter: Meter<'a>,
    /// The rank is g plus h.
    plain: bool,
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
    /// Whether a state is copied with less effort than an action is undone.
    const COPY: bool = size_of::<S::State>() <= 48 && !needs_drop::<S::State>();

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
        let Self { space, heuristic, policy, plain, .. } = *self;
        // A child of the same rank is expanded next, or nearly.
        let hasty = Self::COPY && plain && policy.order == Order::Lifo && policy.tie == Tie::HighG;
        // Layers of a weighted rank do not grow with what is proven.
        let layered = policy.width.is_none()
            && match policy.rank {
                Rank::Depth | Rank::G => true,
                Rank::F => plain,
                Rank::None | Rank::H => false,
            };

        let key = space.key(start);
        if let Err(stop) = self.make_room(1) {
            return End::Stopped(stop);
        }
        self.plant(key);
        self.open.push(policy.rank_of(0, self.root_h, 0), 0, 0);
        if policy.goal == GoalTest::Generation && space.is_goal(start) {
            self.see_goal(0, None, start);
            return End::Goal(0, None);
        }

        let mut actions = Vec::new();
        let mut children: Vec<Child<S>> = Vec::new();
        // The node that is expected to be expanded next, with its g, and its children.
        let mut heir = (NOBODY, 0);
        let mut grandchildren = Vec::new();
        let mut after_next = None;
        loop {
            // 1. Take out the best node, unless a cheaper path has overtaken the entry.
            let Some(Taken { rank, tie, item: id }) = self.open.pop() else {
                return End::Empty;
            };
            let node = &self.nodes[id as usize];
            if node.is_closed() {
                self.overtaken -= 1;
                continue;
            }
            let mut state = space.state(&node.key);
            let memo = match tie {
                // Its g as it was put in, so that its estimate need not be made again.
                Some(g) if plain => {
                    if node.g != g {
                        self.overtaken -= 1;
                        continue;
                    }
                    heuristic.recall(&state, rank as Cost - g)
                }
                _ => {
                    let memo = heuristic.memo(&state);
                    let h = heuristic.value(memo);
                    if policy.duplicates == Duplicates::Cheaper
                        && policy.rank_of(node.g, h, self.depth(id)) != rank
                    {
                        self.overtaken -= 1;
                        continue;
                    }
                    memo
                }
            };

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
                let hash = node.key.number();
                match self.find_cold(hash, &node.key) {
                    Ok(known) => {
                        self.counts.duplicates += 1;
                        let cheaper = node.g < self.nodes[known as usize].g;
                        self.counts.dropped_cheaper += u64::from(cheaper);
                        self.nodes[id as usize].close();
                        if O::ACTIVE {
                            let node = self.seen(id, &state);
                            self.observer.discard(&node);
                        }
                        continue;
                    }
                    Err(place) => self.index.fill(place, id),
                }
            }

            // 5. May it be expanded?
            let waiting = self.live();
            let bound = || self.layer.unwrap_or(0).min(Cost::MAX.into()) as Cost;
            if let Some(stop) = self.meter.stop(&self.counts, || (waiting, bound())) {
                return End::Stopped(stop);
            }
            if self.meter.is_too_much(|| self.bytes()) {
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
            let above = Above { id, g: self.nodes[id as usize].g, depth: self.depth(id) };
            let next = match heir == (id, above.g) {
                true => {
                    std::mem::swap(&mut children, &mut grandchildren);
                    after_next
                }
                false => {
                    let node = (&mut state, memo, rank);
                    self.successors(above, node, back, &mut actions, &mut children)
                }
            };
            if let Err(stop) = self.make_room(children.len()) {
                self.nodes[id as usize].open();
                return End::Stopped(stop);
            }

            // 7. Make the successors of the one that will be the next, so that they are under way: the
            //    last child of the same rank, or else the first that waits.
            heir = (NOBODY, 0);
            let ahead = hasty && self.index.bytes() > CACHED;
            let next = next.filter(|_| ahead);
            let coming = match next.and_then(|at| children.get(at)) {
                Some(Child { key, g, h, action, .. }) => {
                    let above = Above { id: NOBODY, g: *g as Cost, depth: above.depth + 1 };
                    Some(Coming {
                        above,
                        state: space.state(key),
                        h: *h,
                        rank,
                        action: Some(*action),
                    })
                }
                None if ahead => self.coming(),
                None => None,
            };
            if let Some(Coming { above, mut state, h, rank, action }) = coming {
                heir = (above.id, above.g);
                let memo = heuristic.recall(&state, h);
                let back = match policy.undo {
                    Undo::Skip => action.and_then(|action| space.inverse(action)),
                    Undo::Keep => None,
                };
                let node = (&mut state, memo, rank);
                after_next = self.successors(above, node, back, &mut actions, &mut grandchildren);
            }

            // 8. Keep those that are worth it.
            let generated = self.counts.generated;
            for child in children.drain(..) {
                self.counts.generated += 1;
                match self.admit(above, child) {
                    Admitted::Goal(last) => {
                        self.counts.frontier_peak = self.counts.frontier_peak.max(self.live());
                        return End::Goal(id, Some(last));
                    }
                    Admitted::Stored(id) => {
                        let at = (self.counts.generated - generated - 1) as usize;
                        heir = if Some(at) == next { (id, heir.1) } else { heir };
                    }
                    Admitted::Dropped => {}
                }
            }
            self.counts.frontier_peak = self.counts.frontier_peak.max(self.live());
        }
    }

    /// The first node that waits.
    #[inline]
    fn coming(&mut self) -> Option<Coming<S>> {
        let (Taken { rank, tie, item: id }, after) = self.open.newest()?;
        if let Some(after) = after {
            fetch(&self.nodes[after as usize]);
        }
        let node = &self.nodes[id as usize];
        let g = tie.filter(|&g| node.g == g && !node.is_closed())?;
        let above = Above { id, g, depth: self.depth(id) };
        let (state, action) = (self.space.state(&node.key), self.action(id));
        Some(Coming { above, state, h: rank as Cost - g, rank, action })
    }

    /// Makes the successors of a node, but for the one that an action leads back to, and says which of
    /// them is the last that has a certain rank.
    #[expect(clippy::inline_always, reason = "it is a good part of the engine's loop")]
    #[inline(always)]
    fn successors(
        &self,
        above: Above,
        (state, memo, wanted): (&mut S::State, H::Memo, u64),
        back: Option<S::Action>,
        actions: &mut Vec<S::Action>,
        children: &mut Vec<Child<S>>,
    ) -> Option<usize> {
        let Self { space, heuristic, policy, .. } = *self;
        let is_far = self.index.bytes() > CACHED;
        let mut last = None;
        children.clear();
        actions.clear();
        space.actions(state, actions);
        for &action in &*actions {
            if Some(action) == back {
                continue;
            }
            let mut copy;
            let child = match Self::COPY {
                true => {
                    copy = state.clone();
                    &mut copy
                }
                false => &mut *state,
            };
            let cost = space.apply(child, action);
            let h = heuristic.value(heuristic.step(memo, child, action));
            let key = space.key(child);
            let is_goal = policy.goal == GoalTest::Generation && space.is_goal(child);
            if !Self::COPY {
                space.undo(state, action);
            }
            let g = u64::from(above.g) + u64::from(cost);
            let rank = match self.plain {
                true => g + u64::from(h),
                false => policy.rank_of(g.try_into().unwrap_or(Cost::MAX), h, above.depth + 1),
            };
            last = if rank == wanted { Some(children.len()) } else { last };
            let hash = match policy.duplicates {
                Duplicates::Keep => 0,
                _ => key.number(),
            };
            if is_far {
                self.index.fetch(hash);
            }
            children.push(Child { key, hash, g, h, rank, action, is_goal });
        }
        last
    }

    /// Stores a child and puts it on the frontier, or drops it.
    #[inline]
    fn admit(&mut self, above: Above, child: Child<S>) -> Admitted<S::Action> {
        let policy = self.policy;
        let depth = above.depth + 1;
        let Child { key, hash, g, h, rank, action, is_goal } = child;
        let Ok(g) = Cost::try_from(g) else {
            self.lose(Stop::Cost, Cost::MAX);
            return Admitted::Dropped;
        };
        let node = Stored { key, link: above.id, g };
        if policy.depth.is_some_and(|limit| depth > limit) {
            self.lose(Stop::Depth, g.saturating_add(h));
            self.see(u64::from(NOBODY), &node, (action, h, depth), Verdict::Pruned);
            return Admitted::Dropped;
        }
        if is_goal {
            self.see_goal(above.id, Some((action, g, h)), &self.space.state(&node.key));
            return Admitted::Goal(action);
        }
        let known = match policy.duplicates {
            Duplicates::Keep | Duplicates::Expanded => Err(None),
            Duplicates::Generated | Duplicates::Cheaper => self.find(hash, &node.key).map_err(Some),
        };
        let id = match known {
            Err(place) => {
                let id = self.nodes.len() as u32;
                self.see(id.into(), &node, (action, h, depth), Verdict::Kept);
                self.store(node, action, place);
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
                self.see(id.into(), &node, (action, h, depth), verdict);
                match verdict {
                    Verdict::Cheaper => self.overtaken += u64::from(self.open.overtake(id)),
                    Verdict::Reopened => self.counts.reopened += 1,
                    _ => {
                        self.counts.duplicates += 1;
                        self.counts.dropped_cheaper += u64::from(cheaper);
                        return Admitted::Dropped;
                    }
                }
                self.nodes[id as usize] = node;
                // The root is reached at no cost, so that none of those that are overtaken is it.
                self.actions[id as usize - 1] = action;
                if !self.unit {
                    self.depths[id as usize] = depth as u32;
                }
                id
            }
        };
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        self.open.push(rank, g, id);
        Admitted::Stored(id)
    }

    /// The node of a key, or the place for it in the index, where there is room.
    #[inline]
    fn find(&self, hash: u64, key: &S::Key) -> Result<u32, Vacancy> {
        self.index.find(hash, |id| self.nodes[id as usize].key == *key)
    }

    /// The same, away from the hot loop.
    #[inline(never)]
    fn find_cold(&self, hash: u64, key: &S::Key) -> Result<u32, Vacancy> {
        self.find(hash, key)
    }

    /// Makes room for so many nodes more, in the store and in the index.
    #[inline]
    fn make_room(&mut self, more: usize) -> Result<(), Stop> {
        let len = self.nodes.len() + more;
        let indexed = self.policy.duplicates != Duplicates::Keep;
        match len <= self.nodes.capacity() && (!indexed || self.index.has_room(more, len)) {
            true => Ok(()),
            false => self.grow(more),
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) -> Result<(), Stop> {
        let len = self.nodes.len() + more;
        if len > MOST_NODES || self.nodes.try_reserve(more).is_err() {
            return Err(Stop::Memory);
        }
        while self.policy.duplicates != Duplicates::Keep && !self.index.has_room(more, len) {
            let bytes = self.bytes() + self.index.larger();
            if self.meter.is_too_much(|| bytes) {
                return Err(Stop::Memory);
            }
            self.bytes_peak = self.bytes_peak.max(bytes);
            let hash_of = |id: u32| self.nodes[id as usize].key.number();
            let fetch = |id: u32| fetch(&self.nodes[id as usize]);
            self.index.grow(fetch, hash_of).ok_or(Stop::Memory)?;
        }
        Ok(())
    }

    /// Stores the root.
    #[cold]
    fn plant(&mut self, key: S::Key) {
        if matches!(self.policy.duplicates, Duplicates::Generated | Duplicates::Cheaper)
            && let Err(place) = self.find(key.number(), &key)
        {
            self.index.fill(place, 0);
        }
        self.key_bytes += key.heap_bytes();
        self.nodes.push(Stored { key, link: NOBODY, g: 0 });
        if !self.unit {
            self.depths.push(0);
        }
    }

    /// Adds a node to the store, for which there is room, and to its place in the index.
    #[inline]
    fn store(&mut self, node: Stored<S>, action: S::Action, place: Option<Vacancy>) {
        let id = self.nodes.len() as u32;
        self.key_bytes += node.key.heap_bytes();
        if !self.unit {
            self.depths.push(self.depths[node.parent() as usize] + 1);
        }
        self.nodes.push(node);
        self.actions.push(action);
        if let Some(place) = place {
            self.index.fill(place, id);
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
}
