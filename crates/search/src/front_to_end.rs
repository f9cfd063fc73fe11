//! Bidirectional heuristic search: from both ends, each with an estimate of the cost to the other.
//!
//! Every algorithm here expands open nodes in either search until no pair of them can be part of a
//! cheaper path than the best one found. They differ in the bound on a pair and in the order:
//! [`Choice`].
//!
//! Each search has a store of its own, with as many bytes per node as in best-first search. An
//! estimate is not stored: one is computed again when a node is expanded, and the other follows
//! from the open list's entry.

mod implicit;
mod open;

pub use implicit::{TwoWayGraph, bae};
use open::{OpenLists, Selection, Values};

use crate::graph::TwoWay;
use crate::heuristic::Incremental;
use crate::limits::Meter;
use crate::named_enum;
use crate::node_index::hash;
use crate::node_store::NodeStore;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::Order;
use crate::space::Cost;
use crate::stepwise::{Engine, Problem, Stepwise};

/// Which open node of two searches is expanded next, and which bound ends them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Choice {
    /// BAE\*, also known as DIBBS: the least b, which is twice the g plus the estimate ahead minus
    /// the estimate behind, and the greatest g among equals. Both estimates must be consistent.
    /// [`Order`] decides the rest, and may not be random.
    ///
    /// Sadhukhan, "Bidirectional heuristic search based on error estimate", 2013. Sewell and
    /// Jacobson, "Dynamically improved bounds bidirectional search", 2021.
    Bae(Sides, Order),
    /// NBS: both nodes of a pair with the least bound, in total at most twice the necessary nodes.
    ///
    /// Chen, Holte, Zilles and Sturtevant, "Front-to-end bidirectional heuristic search with
    /// near-optimal node expansions", 2017.
    Nbs,
    /// MM: no search goes beyond half the path's cost. Epsilon is the least cost of an action.
    ///
    /// Holte, Felner, Sharon, Sturtevant and Chen, "MM: a bidirectional search algorithm that is
    /// guaranteed to meet in the middle", 2017.
    Mm,
    /// DVCBS: the nodes in a least vertex cover of the pairs that are known to be necessary.
    ///
    /// Shperberg, Felner, Sturtevant, Shimony and Hayoun, "Enriching non-parametric bidirectional
    /// search algorithms", 2019.
    Dvcbs,
}

impl Choice {
    /// Every choice, in the usual order.
    pub const ALL: [Self; 5] = [
        Self::Bae(Sides::Alternate, Order::Lifo),
        Self::Bae(Sides::Pohl, Order::Lifo),
        Self::Nbs,
        Self::Mm,
        Self::Dvcbs,
    ];
}

named_enum! {
    /// The search whose node BAE\* expands next.
    pub enum Sides: "choice of the side" {
        /// One after the other.
        Alternate = "alternate",
        /// The one with fewer open nodes.
        Pohl = "pohl",
    }
}

impl<'a, S: TwoWay, F: Incremental<S>, O: Observer<S>> Problem<'a, S, F, O> {
    /// Searches for a cheapest path from both ends. The problem's heuristic estimates the cost to
    /// the goal.
    ///
    /// ```
    /// use taquin_search::{
    ///     Choice, Cost, Order, Problem, Recomputed, Reversible, Sides, StateSpace,
    /// };
    ///
    /// /// Numbers from which others are reached by adding or subtracting 1 or 10.
    /// struct Line;
    /// # impl StateSpace for Line {
    /// #     type State = i32;
    /// #     type Key = i32;
    /// #     type Action = i32;
    /// #     fn actions(&self, _: &i32, actions: &mut Vec<i32>) {
    /// #         actions.extend([-10, -1, 1, 10]);
    /// #     }
    /// #     fn apply(&self, state: &mut i32, action: i32) -> Cost {
    /// #         *state += action;
    /// #         1
    /// #     }
    /// #     fn undo(&self, state: &mut i32, action: i32) {
    /// #         *state -= action;
    /// #     }
    /// #     fn inverse(&self, action: i32) -> Option<i32> {
    /// #         Some(-action)
    /// #     }
    /// #     fn key(&self, &state: &i32) -> i32 {
    /// #         state
    /// #     }
    /// #     fn state(&self, &key: &i32) -> i32 {
    /// #         key
    /// #     }
    /// #     fn is_goal(&self, &state: &i32) -> bool {
    /// #         state == 48
    /// #     }
    /// #     fn costs(&self) -> std::ops::RangeInclusive<Cost> {
    /// #         1..=1
    /// #     }
    /// # }
    ///
    /// impl Reversible for Line {
    ///     fn goal(&self) -> i32 {
    ///         48
    ///     }
    /// }
    ///
    /// let to_goal = |&state: &i32| state.abs_diff(48).div_ceil(10);
    /// let from_start = |&state: &i32| state.abs_diff(0).div_ceil(10);
    /// let (to_goal, from_start) = (Recomputed(&to_goal), Recomputed(&from_start));
    /// let choice = Choice::Bae(Sides::Alternate, Order::Lifo);
    /// let search = Problem::new(&Line, &0).heuristic(&to_goal).front_to_end(&from_start, choice).run();
    /// assert_eq!(search.solution().unwrap().cost, 7); // five tens, less two
    /// assert!(search.is_optimal());
    /// ```
    pub fn front_to_end<B: Incremental<S>>(
        self,
        from_start: &'a B,
        choice: Choice,
    ) -> Stepwise<FrontToEnd<'a, S, F, B, O>> {
        let Problem { space, start, heuristic: to_goal, limits, observer } = self;
        let costs = space.costs();
        let side = || NodeStore::new(costs == (1..=1));
        Stepwise::new(FrontToEnd {
            space,
            start,
            to_goal,
            from_start,
            observer,
            meter: Meter::new(limits),
            sides: [side(), side()],
            open: OpenLists::new(choice, *costs.start()),
            best: None,
            bound: 0,
            is_pruned: false,
            bytes_peak: 0,
            counts: Counts::default(),
            before_last_bound: None,
            children: Vec::new(),
            actions: Vec::new(),
        })
    }
}

/// A path through a state that both searches have stored: its cost, and the node of each.
#[derive(Clone, Copy)]
struct Meeting {
    cost: u64,
    nodes: [u32; 2],
}

/// A successor that is not stored yet, with its estimates to the goal and from the start.
struct Child<S: TwoWay> {
    key: S::Key,
    hash: u64,
    /// May be greater than the greatest cost.
    g: u64,
    estimates: [Cost; 2],
    action: S::Action,
}

/// A search from both ends with estimates, under way, made by [`Problem::front_to_end`].
pub struct FrontToEnd<'a, S: TwoWay, F, B, O> {
    space: &'a S,
    start: &'a S::State,
    to_goal: &'a F,
    from_start: &'a B,
    observer: &'a mut O,
    meter: Meter<'a>,
    /// The search from the start, and the one from the goal.
    sides: [NodeStore<S>; 2],
    open: OpenLists,
    /// The cheapest path found.
    best: Option<Meeting>,
    /// No path that is still to be found costs less.
    bound: u64,
    /// Whether a node was dropped because its g is too great a number.
    is_pruned: bool,
    bytes_peak: usize,
    counts: Counts,
    before_last_bound: Option<Counts>,
    children: Vec<Child<S>>,
    actions: Vec<S::Action>,
}

/// Why the loop ended.
enum End {
    /// No path is cheaper than the best one found, if one was.
    Proven,
    Stopped(Stop),
}

impl<S, F, B, O> Engine for FrontToEnd<'_, S, F, B, O>
where
    S: TwoWay,
    F: Incremental<S>,
    B: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Step;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Step>> {
        let begun = match self.sides[1].nodes.is_empty() {
            true => self.begin().err().map(End::Stopped),
            false => None,
        };
        let end = begun.or_else(|| self.proceed::<ONE>())?;
        let bound = Cost::try_from(self.bound).unwrap_or(Cost::MAX);
        let (outcome, lower_bound) = match (end, self.best) {
            (End::Proven, Some(best)) => {
                let solution = self.solution(best);
                let cost = solution.cost;
                (Outcome::Solved(solution), cost)
            }
            (End::Proven, None) if self.is_pruned => (Outcome::Stopped(Stop::Cost), bound),
            (End::Proven, None) => (Outcome::Exhausted, bound),
            // A path that may not be the cheapest is better than none.
            (End::Stopped(_), Some(best)) => {
                let solution = self.solution(best);
                let lower_bound = bound.min(solution.cost);
                (Outcome::Solved(solution), lower_bound)
            }
            (End::Stopped(stop), None) => (Outcome::Stopped(stop), bound),
        };
        let (counts, before_last_bound) = (self.counts(), self.before_last_bound);
        Some(Search { outcome, lower_bound, counts, before_last_bound })
    }

    fn counts(&self) -> Counts {
        Counts {
            stored_peak: self.sides.iter().map(|side| side.nodes.len() as u64).sum(),
            memory_peak: self.bytes_peak.max(self.bytes()) as u64,
            ..self.counts
        }
    }
}

impl<S, F, B, O> FrontToEnd<'_, S, F, B, O>
where
    S: TwoWay,
    F: Incremental<S>,
    B: Incremental<S>,
    O: Observer<S>,
{
    /// Stores both ends.
    fn begin(&mut self) -> Result<(), Stop> {
        let ends = [self.start.clone(), self.space.target()];
        for side in 0..2 {
            self.make_room(side, 1)?;
        }
        for (side, state) in ends.iter().enumerate() {
            let estimates = [self.to_goal.estimate(state), self.from_start.estimate(state)];
            let values = values(side, 0, estimates);
            self.bound = self.bound.max(values.ahead.into());
            let key = self.space.key(state);
            let hash = hash(&key);
            let met = self.sides[0].find(hash, &key).ok();
            if let Err(slot) = self.sides[side].find(hash, &key) {
                let bytes = self.space.heap_bytes(&key);
                let root = self.sides[side].store((key, bytes), 0, None, slot);
                self.open.push(side, root, values);
            }
            if side == 1 && met.is_some() {
                self.best = Some(Meeting { cost: 0, nodes: [0, 0] });
            }
        }
        Ok(())
    }

    /// Expands nodes until the search ends, or only `ONE`.
    fn proceed<const ONE: bool>(&mut self) -> Option<End> {
        loop {
            // 1. End if nothing cheaper than the best path is left.
            if self.is_proven() {
                self.observe_goal();
                return Some(End::Proven);
            }
            let Some(bound) = self.open.bound(&self.sides) else {
                self.observe_goal();
                return Some(End::Proven);
            };
            if bound > self.bound || self.before_last_bound.is_none() {
                self.bound = bound.max(self.bound);
                self.before_last_bound = Some(self.counts());
                if O::ACTIVE {
                    self.observer.bound(self.bound);
                }
                if self.is_proven() {
                    continue;
                }
            }

            // 2. Check the limits.
            let progress = || (self.open.len(), self.bound.min(Cost::MAX.into()) as Cost);
            if let Some(stop) = self.meter.stop(&self.counts, progress) {
                return Some(End::Stopped(stop));
            }
            if self.meter.exceeds_memory(|| self.bytes()) {
                return Some(End::Stopped(Stop::Memory));
            }

            // 3. Take the next node and expand it.
            let Some(taken) = self.open.take(&self.sides) else { continue };
            match self.expand(&taken) {
                Ok(true) if ONE => return None,
                Ok(_) => {}
                Err(stop) => return Some(End::Stopped(stop)),
            }
        }
    }

    fn is_proven(&self) -> bool {
        self.best.is_some_and(|best| best.cost <= self.bound)
    }

    /// Expands a node, unless no cheaper path leads through it. Returns whether it was expanded.
    fn expand(&mut self, taken: &Selection) -> Result<bool, Stop> {
        let Self { space, to_goal, from_start, .. } = *self;
        let &Selection { side, node: id, difference } = taken;
        let node = &mut self.sides[side].nodes[id as usize];
        let g = node.g;
        let mut state = space.state(&node.key);
        let memos = match difference {
            Some(difference) => {
                let memo = to_goal.memo(&state);
                let to_goal = i64::from(to_goal.value(memo));
                let from_start =
                    if side == 0 { to_goal - difference } else { to_goal + difference };
                (memo, self.from_start.memo_with(&state, from_start as Cost))
            }
            None => (to_goal.memo(&state), from_start.memo(&state)),
        };
        let estimates = [to_goal.value(memos.0), from_start.value(memos.1)];
        let values = values(side, g, estimates);
        node.close();
        self.open.settle(side, values);
        if self.is_useless(side, id, values) {
            if self.observer.is_listening() {
                let node = self.view(side, id, &state, values);
                self.observer.discard(&node);
            }
            return Ok(false);
        }

        self.counts.expanded += 1;
        if self.observer.is_listening() {
            let node = self.view(side, id, &state, values);
            self.observer.expand(&node);
        }
        let back = self.sides[side].action(id).and_then(|action| space.inverse(action));
        let mut children = std::mem::take(&mut self.children);
        let mut actions = std::mem::take(&mut self.actions);
        self.generate(taken, (&mut state, g, memos), back, &mut actions, &mut children);
        let room = match S::MAY_CANCEL && self.meter.is_cancelled() {
            true => Err(Stop::Cancelled),
            false => self.make_room(side, children.len()),
        };
        if let Err(stop) = room {
            self.sides[side].nodes[id as usize].open();
            return Err(stop);
        }
        for child in children.drain(..) {
            self.counts.generated += 1;
            self.admit(side, id, child);
        }
        (self.children, self.actions) = (children, actions);
        self.counts.frontier_peak = self.counts.frontier_peak.max(self.open.len());
        Ok(true)
    }

    /// Generates the successors or predecessors of a node, except the one that `back` leads to.
    #[expect(clippy::inline_always, reason = "it is a good part of the engine's loop")]
    #[inline(always)]
    fn generate(
        &self,
        taken: &Selection,
        (state, g, memos): (&mut S::State, Cost, (F::Memo, B::Memo)),
        back: Option<S::Action>,
        actions: &mut Vec<S::Action>,
        children: &mut Vec<Child<S>>,
    ) {
        let Self { space, to_goal, from_start, sides, .. } = self;
        let evaluate = |child: &S::State, action, cost| {
            let to_goal = to_goal.value(to_goal.step(memos.0, child, action));
            let from_start = from_start.value(from_start.step(memos.1, child, action));
            (action, cost, [to_goal, from_start])
        };
        let store = |(action, cost, estimates): (S::Action, Cost, [Cost; 2]), key| {
            let hash = hash(&key);
            sides[0].index.prefetch(hash);
            sides[1].index.prefetch(hash);
            let g = u64::from(g) + u64::from(cost);
            children.push(Child { key, hash, g, estimates, action });
        };
        match taken.side {
            0 => space.expand(state, back, actions, evaluate, store),
            _ => space.expand_backwards(state, back, actions, evaluate, store),
        }
    }

    /// Stores a successor and adds it to the open list, or drops it.
    #[inline]
    fn admit(&mut self, side: usize, parent: u32, child: Child<S>) {
        let Child { key, hash, g, estimates, action } = child;
        let Ok(g) = Cost::try_from(g) else {
            self.is_pruned = true;
            return;
        };
        let values = values(side, g, estimates);
        let (id, met, verdict) = match self.sides[side].find(hash, &key) {
            Err(slot) => {
                if self.is_too_dear(values) {
                    if self.observer.is_listening() {
                        let state = self.space.state(&key);
                        let id = self.sides[side].nodes.len() as u32;
                        self.observe(side, (id, parent, action), &state, values, Verdict::Pruned);
                    }
                    return;
                }
                let met = self.sides[1 - side].find(hash, &key).ok();
                let bytes = self.space.heap_bytes(&key);
                let id = self.sides[side].store((key, bytes), g, Some((parent, action)), slot);
                if let Some(other) = met {
                    self.sides[side].nodes[id as usize].mark();
                    self.sides[1 - side].nodes[other as usize].mark();
                }
                (id, met, Verdict::Kept)
            }
            Ok(id) => {
                let node = &self.sides[side].nodes[id as usize];
                if g >= node.g {
                    self.counts.duplicates += 1;
                    if self.observer.is_listening() {
                        let state = self.space.state(&key);
                        self.observe(
                            side,
                            (id, parent, action),
                            &state,
                            values,
                            Verdict::Duplicate,
                        );
                    }
                    return;
                }
                let met = match node.is_marked() {
                    true => self.sides[1 - side].find(hash, &key).ok(),
                    false => None,
                };
                let verdict = match node.is_closed() {
                    true => {
                        self.counts.reopened += 1;
                        Verdict::Reopened
                    }
                    false => {
                        let old = Values { g: node.g, ..values };
                        self.open.supersede(side, old);
                        Verdict::Cheaper
                    }
                };
                self.sides[side].improve(id, g, (parent, action));
                (id, met, verdict)
            }
        };
        if let Some(other) = met {
            let cost = u64::from(g) + u64::from(self.sides[1 - side].nodes[other as usize].g);
            if self.best.is_none_or(|best| cost < best.cost) {
                let nodes = if side == 0 { [id, other] } else { [other, id] };
                self.best = Some(Meeting { cost, nodes });
            }
        }
        let depth = u64::from(self.sides[side].depth(id));
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        if self.observer.is_listening() {
            let state = self.space.state(&self.sides[side].nodes[id as usize].key);
            self.observe(side, (id, parent, action), &state, values, verdict);
        }
        self.open.push(side, id, values);
    }

    /// Returns whether the other search has expanded the state of a node.
    #[cold]
    fn is_closed_by_other(&self, side: usize, id: u32) -> bool {
        let other = &self.sides[1 - side];
        let known = other.node(&self.sides[side].nodes[id as usize].key);
        known.is_some_and(|id| other.nodes[id as usize].is_closed())
    }

    /// Returns whether no path through a node can be cheaper than the best one found.
    fn is_useless(&self, side: usize, id: u32, values: Values) -> bool {
        match self.open {
            // With consistent estimates, no path through a state that both searches have expanded
            // is cheaper.
            OpenLists::Bae(_) => {
                self.sides[side].nodes[id as usize].is_marked() && self.is_closed_by_other(side, id)
            }
            OpenLists::Pairs(_) => self.is_too_dear(values),
        }
    }

    #[inline]
    fn is_too_dear(&self, Values { g, ahead, .. }: Values) -> bool {
        self.best.is_some_and(|best| u64::from(g) + u64::from(ahead) >= best.cost)
    }

    #[inline]
    fn make_room(&mut self, side: usize, more: usize) -> Result<(), Stop> {
        if self.sides[side].has_room(more) {
            return Ok(());
        }
        let others = self.bytes() - self.sides[side].bytes();
        let peak = self.sides[side].grow(more, others, &self.meter)?;
        self.bytes_peak = self.bytes_peak.max(peak);
        Ok(())
    }

    #[inline]
    fn bytes(&self) -> usize {
        self.sides.iter().map(NodeStore::bytes).sum::<usize>() + self.open.bytes()
    }

    /// Returns the path through a meeting. It costs less than the meeting if the search later found
    /// a cheaper path to a node on it.
    fn solution(&self, Meeting { nodes: [forth, back], .. }: Meeting) -> Solution<S::Step> {
        let [forward, backward] = &self.sides;
        let step = |id| Some((forward.action(id)?, &forward.nodes[id as usize].key));
        let mut path: Vec<_> = forward.chain(forth).filter_map(step).collect();
        path.reverse();
        path.extend(backward.chain(back).filter_map(|id| {
            let parent = backward.nodes[id as usize].parent()?;
            let action = self.space.forwards(backward.action(id)?);
            Some((action, &backward.nodes[parent as usize].key))
        }));
        self.space.solution(self.start, &path)
    }

    fn view<'b>(&self, side: usize, id: u32, state: &'b S::State, values: Values) -> Node<'b, S> {
        let stored = &self.sides[side].nodes[id as usize];
        Node {
            id: number(side, id),
            parent: stored.parent().map(|parent| number(side, parent)),
            action: self.sides[side].action(id),
            state,
            g: stored.g,
            h: values.ahead,
            depth: self.sides[side].depth(id).into(),
            value: Some(self.value(values)),
        }
    }

    /// Reports a generated node to the observer.
    fn observe(
        &mut self,
        side: usize,
        (id, parent, action): (u32, u32, S::Action),
        state: &S::State,
        values: Values,
        verdict: Verdict,
    ) {
        let Values { g, ahead: h, .. } = values;
        let depth = u64::from(self.sides[side].depth(parent)) + 1;
        let (id, parent, action) = (number(side, id), Some(number(side, parent)), Some(action));
        let value = Some(self.value(values));
        let node = Node { id, parent, action, state, g, h, depth, value };
        self.observer.generate(&node, verdict);
    }

    /// Returns the rank of a node as observers see it.
    fn value(&self, values: Values) -> Cost {
        self.open.rank(values).try_into().unwrap_or(Cost::MAX)
    }

    /// Reports the searches' meeting to the observer.
    fn observe_goal(&mut self) {
        if O::ACTIVE
            && let Some(Meeting { nodes: [forth, _], .. }) = self.best
        {
            let state = self.space.state(&self.sides[0].nodes[forth as usize].key);
            let estimates = [self.to_goal.estimate(&state), self.from_start.estimate(&state)];
            let g = self.sides[0].nodes[forth as usize].g;
            let node = self.view(0, forth, &state, values(0, g, estimates));
            self.observer.goal(&node);
        }
    }
}

/// Orders both estimates by the side that they are looked at from.
#[inline]
const fn values(side: usize, g: Cost, [to_goal, from_start]: [Cost; 2]) -> Values {
    match side {
        0 => Values { g, ahead: to_goal, behind: from_start },
        _ => Values { g, ahead: from_start, behind: to_goal },
    }
}

/// Returns the number that observers see: even for nodes from the start, odd from the goal.
fn number(side: usize, id: u32) -> u64 {
    u64::from(id) * 2 + side as u64
}
