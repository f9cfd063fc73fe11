//! Searches whose solutions cost at most a weight times the optimum, and anytime searches, which
//! lower the weight until the solution is optimal.
//!
//! Every algorithm here is the same loop with another order of the open nodes: [`Bounded`]. The
//! least f among all open nodes is a lower bound on the cost of any solution, whatever the order,
//! because a node is open again as soon as a cheaper path to it is found. The search ends when this
//! bound proves the best solution, so estimates need not be consistent.
//!
//! A goal is recognised when it is generated, and nodes whose f is not below the cost of the best
//! solution are dropped.

mod open;

use open::{OpenList, Values};

use crate::graph::Graph;
use crate::heuristic::Incremental;
use crate::limits::Meter;
use crate::node_index::hash;
use crate::node_store::NodeStore;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::{Phi, Weight};
use crate::space::Cost;
use crate::stepwise::{Engine, Problem, Stepwise};

/// Which open node is expanded next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bounded {
    /// A\*-epsilon, or focal search: of the nodes whose f is at most the weight times the bound,
    /// the one with the fewest estimated actions to a goal.
    ///
    /// Pearl and Kim, "Studies in semi-admissible heuristics", 1982.
    Focal,
    /// Dynamic potential search: the node with the most remaining cost, per unit of h, before its
    /// path costs the weight times the bound.
    ///
    /// Gilon, Felner and Stern, "Dynamic potential search: a new bounded suboptimal search", 2016.
    Dps,
    /// Explicit estimation search: the fewest expected actions, among the nodes whose expected cost
    /// is at most the weight times the least one. If that node, or the one with the least expected
    /// cost, could exceed the bound, the node with the least f. Expected values follow from the
    /// errors of the estimates on the path to the node.
    ///
    /// Thayer and Ruml, "Bounded suboptimal search: a direct approach using inadmissible
    /// estimates",
    /// 2011. Thayer, Dionne and Ruml, "Learning inadmissible heuristics during search", 2011.
    Ees,
    /// Improved optimistic search: weighted A\* with twice the excess of the weight, which expands
    /// no node twice, until a solution is found. Then the node with the least f until the solution
    /// is proven.
    ///
    /// Chen, Sturtevant, Doyle and Ruml, "Revisiting suboptimal search", 2019.
    Ios(Phi),
    /// Anytime weighted A\*: weighted A\* that continues until its solution is optimal.
    ///
    /// Hansen and Zhou, "Anytime heuristic search", 2007.
    Awa,
    /// Anytime repairing A\*: weighted A\* that expands no node twice with the same weight, with
    /// lower and lower weights. The findings with one weight are reused with the next one.
    ///
    /// Likhachev, Gordon and Thrun, "ARA\*: anytime A\* with provable bounds on sub-optimality",
    /// 2003.
    Ara,
}

impl Bounded {
    /// Every choice, in the usual order.
    pub const ALL: [Self; 6] =
        [Self::Focal, Self::Dps, Self::Ees, Self::Ios(Phi::Wa), Self::Awa, Self::Ara];

    /// Whether the search continues until its solution is optimal.
    pub const fn is_anytime(self) -> bool {
        matches!(self, Self::Awa | Self::Ara)
    }
}

impl<'a, S: Graph, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches for a path whose cost is at most `weight` times the optimum. A weight below 1 counts
    /// as 1.
    ///
    /// `distance` estimates the number of actions to a goal, and need not be admissible. Without it,
    /// the heuristic is used. Only [`Bounded::Focal`] and [`Bounded::Ees`] look at it.
    ///
    /// ```
    /// use taquin_search::{Blind, Bounded, ImplicitGraph, Problem, Recomputed, Weight};
    ///
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 10, 2)], |&n| n == 25);
    /// let estimate = |&n: &u32| 25u32.saturating_sub(n) / 5;
    /// let (heuristic, weight) = (Recomputed(&estimate), Weight::new(3, 2).unwrap());
    /// for choice in Bounded::ALL {
    ///     let problem = Problem::new(&graph, &0).heuristic(&heuristic);
    ///     let search = problem.bounded(None::<&Blind>, choice, weight).run();
    ///     let cost = search.solution().unwrap().cost;
    ///     assert!(search.lower_bound <= 9 && 2 * cost <= 3 * search.lower_bound);
    /// }
    /// ```
    pub fn bounded<D: Incremental<S>>(
        self,
        distance: Option<&'a D>,
        choice: Bounded,
        weight: Weight,
    ) -> Stepwise<BoundedSearch<'a, S, H, D, O>> {
        let Problem { space, start, heuristic, limits, observer } = self;
        let weight = if weight.is_below_one() { Weight::ONE } else { weight };
        Stepwise::new(BoundedSearch {
            space,
            start,
            heuristic,
            distance,
            choice,
            target: if choice.is_anytime() { Weight::ONE } else { weight },
            observer,
            meter: Meter::new(limits),
            nodes: NodeStore::new(space.costs() == (1..=1)),
            open: OpenList::new(choice, weight),
            root: (0, 0),
            best: None,
            bound: 0,
            is_pruned: false,
            bytes_peak: 0,
            counts: Counts::default(),
            children: Vec::new(),
            actions: Vec::new(),
        })
    }
}

/// A successor that is not stored yet.
struct Child<S: Graph> {
    key: S::Key,
    hash: u64,
    /// May be greater than the greatest cost.
    g: u64,
    h: Cost,
    distance: Cost,
    action: S::Action,
    is_goal: bool,
}

/// A search with a bound, under way, made by [`Problem::bounded`].
pub struct BoundedSearch<'a, S: Graph, H, D, O> {
    space: &'a S,
    start: &'a S::State,
    heuristic: &'a H,
    distance: Option<&'a D>,
    choice: Bounded,
    /// The search ends when its solution costs at most this weight times the bound.
    target: Weight,
    observer: &'a mut O,
    meter: Meter<'a>,
    /// The nodes. A marked one was expanded in this phase, and waits for the next one if it is
    /// reached more cheaply.
    nodes: NodeStore<S>,
    open: OpenList,
    /// The estimates of the start.
    root: (Cost, Cost),
    /// The cost and the node of the best solution.
    best: Option<(Cost, u32)>,
    /// No solution costs less.
    bound: u64,
    /// Whether a node was dropped because its g is too great a number.
    is_pruned: bool,
    bytes_peak: usize,
    counts: Counts,
    children: Vec<Child<S>>,
    actions: Vec<S::Action>,
}

/// Why the loop ended.
enum End {
    /// The best solution is proven, or there is none.
    Proven,
    Stopped(Stop),
}

impl<S, H, D, O> Engine for BoundedSearch<'_, S, H, D, O>
where
    S: Graph,
    H: Incremental<S>,
    D: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Step;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Step>> {
        let begun = match self.nodes.nodes.is_empty() {
            true => self.begin().err().map(End::Stopped),
            false => None,
        };
        let end = begun.or_else(|| self.proceed::<ONE>())?;
        let bound = Cost::try_from(self.bound).unwrap_or(Cost::MAX);
        let (outcome, lower_bound) = match (end, self.best) {
            // A solution that is not proven is better than none.
            (_, Some((_, goal))) => {
                self.observe_goal(goal);
                let solution = self.solution(goal);
                let lower_bound = bound.min(solution.cost);
                (Outcome::Solved(solution), lower_bound)
            }
            (End::Proven, None) if self.is_pruned => (Outcome::Stopped(Stop::Cost), bound),
            (End::Proven, None) => (Outcome::Exhausted, bound),
            (End::Stopped(stop), None) => (Outcome::Stopped(stop), bound),
        };
        Some(Search { outcome, lower_bound, counts: self.counts(), before_last_bound: None })
    }

    fn counts(&self) -> Counts {
        Counts {
            stored_peak: self.nodes.nodes.len() as u64,
            memory_peak: self.bytes_peak.max(self.bytes()) as u64,
            ..self.counts
        }
    }
}

impl<S, H, D, O> BoundedSearch<'_, S, H, D, O>
where
    S: Graph,
    H: Incremental<S>,
    D: Incremental<S>,
    O: Observer<S>,
{
    /// Stores the start.
    fn begin(&mut self) -> Result<(), Stop> {
        self.make_room(1)?;
        let key = self.space.key(self.start);
        let h = self.heuristic.estimate(self.start);
        let distance = self.distance.map_or(h, |distance| distance.estimate(self.start));
        self.root = (h, distance);
        let Err(slot) = self.nodes.find(hash(&key), &key) else { return Ok(()) };
        let bytes = self.space.heap_bytes(&key);
        let root = self.nodes.store((key, bytes), 0, None, slot);
        if self.space.is_goal(self.start) {
            self.nodes.nodes[root as usize].close();
            self.best = Some((0, root));
        } else {
            let values = self.values((0, 0), h, distance, false);
            self.open.push(root, values);
        }
        Ok(())
    }

    /// Expands nodes until the search ends, or only `ONE`.
    fn proceed<const ONE: bool>(&mut self) -> Option<End> {
        loop {
            // 1. Raise the bound, and end if it proves the best solution.
            let best = self.best.map(|(cost, _)| cost);
            let Some(least) = self.open.least_f() else {
                self.bound = best.map_or(self.bound, Into::into);
                return Some(End::Proven);
            };
            let least = best.map_or(least, |best| least.min(best.into()));
            if least > self.bound || self.counts.expanded == 0 {
                self.bound = self.bound.max(least);
                self.open.raise(self.bound);
                if O::ACTIVE {
                    self.observer.bound(self.bound);
                }
            }
            if best.is_some_and(|best| self.target.allows(best.into(), self.bound)) {
                return Some(End::Proven);
            }

            // 2. Check the limits.
            let progress = || (self.open.len(), self.bound.min(Cost::MAX.into()) as Cost);
            if let Some(stop) = self.meter.stop(&self.counts, progress) {
                return Some(End::Stopped(stop));
            }
            if self.meter.exceeds_memory(|| self.bytes()) {
                return Some(End::Stopped(Stop::Memory));
            }

            // 3. Begin the next phase, or take the next node and expand it.
            if self.open.begins_phase(best) {
                for node in &mut self.nodes.nodes {
                    node.unmark();
                }
                continue;
            }
            let Some((id, values)) = self.open.take(&self.nodes) else { continue };
            match self.expand(id, values) {
                Ok(true) if ONE => return None,
                Ok(_) => {}
                Err(stop) => return Some(End::Stopped(stop)),
            }
        }
    }

    /// Expands a node, unless no better solution leads through it. Returns whether it was expanded.
    fn expand(&mut self, id: u32, values: Values) -> Result<bool, Stop> {
        let Self { space, heuristic, distance, .. } = *self;
        let node = &mut self.nodes.nodes[id as usize];
        let g = node.g;
        let mut state = space.state(&node.key);
        node.close();
        if self.is_too_dear(values.f) {
            if self.observer.is_listening() {
                let node = self.view(id, &state);
                self.observer.discard(&node);
            }
            return Ok(false);
        }

        self.counts.expanded += 1;
        if self.observer.is_listening() {
            let node = self.view(id, &state);
            self.observer.expand(&node);
        }
        let memo = heuristic.memo_with(&state, (values.f - u64::from(g)) as Cost);
        let memos = (memo, distance.map(|distance| distance.memo(&state)));
        let back = self.nodes.action(id).and_then(|action| space.inverse(action));
        let mut children = std::mem::take(&mut self.children);
        let mut actions = std::mem::take(&mut self.actions);
        self.generate((&mut state, g), memos, back, &mut actions, &mut children);
        let room = match S::MAY_CANCEL && self.meter.is_cancelled() {
            true => Err(Stop::Cancelled),
            false => self.make_room(children.len()),
        };
        if let Err(stop) = room {
            self.nodes.nodes[id as usize].open();
            return Err(stop);
        }
        if self.open.holds() {
            self.nodes.nodes[id as usize].mark();
        }
        for child in children.drain(..) {
            self.counts.generated += 1;
            self.admit(id, child);
        }
        (self.children, self.actions) = (children, actions);
        self.counts.frontier_peak = self.counts.frontier_peak.max(self.open.len());
        Ok(true)
    }

    /// Generates the successors of a node, except the one that `back` leads to.
    #[expect(clippy::inline_always, reason = "it is a good part of the engine's loop")]
    #[inline(always)]
    fn generate(
        &self,
        (state, g): (&mut S::State, Cost),
        memos: (H::Memo, Option<D::Memo>),
        back: Option<S::Action>,
        actions: &mut Vec<S::Action>,
        children: &mut Vec<Child<S>>,
    ) {
        let Self { space, heuristic, distance, nodes, .. } = self;
        let evaluate = |child: &S::State, action, cost| {
            let h = heuristic.value(heuristic.step(memos.0, child, action));
            let distance = match (distance, memos.1) {
                (Some(distance), Some(memo)) => distance.value(distance.step(memo, child, action)),
                _ => h,
            };
            (action, cost, h, distance, space.is_goal(child))
        };
        let store = |(action, cost, h, distance, is_goal): (S::Action, Cost, Cost, Cost, bool),
                     key| {
            let hash = hash(&key);
            nodes.index.prefetch(hash);
            let g = u64::from(g) + u64::from(cost);
            children.push(Child { key, hash, g, h, distance, action, is_goal });
        };
        space.expand(state, back, actions, evaluate, store);
    }

    /// Stores a successor and adds it to the open list, or drops it.
    #[inline]
    fn admit(&mut self, parent: u32, child: Child<S>) {
        let Child { key, hash, g, h, distance, action, is_goal } = child;
        let Ok(g) = Cost::try_from(g) else {
            self.is_pruned = true;
            return;
        };
        let known = self.nodes.find(hash, &key);
        let verdict = match known {
            Ok(id) => match &self.nodes.nodes[id as usize] {
                node if g >= node.g => Verdict::Duplicate,
                _ if self.is_too_dear(u64::from(g) + u64::from(h)) => Verdict::Pruned,
                node if node.is_closed() => Verdict::Reopened,
                _ => Verdict::Cheaper,
            },
            Err(_) if self.is_too_dear(u64::from(g) + u64::from(h)) => Verdict::Pruned,
            Err(_) => Verdict::Kept,
        };
        if self.observer.is_listening() {
            let state = self.space.state(&key);
            let id = known.map_or(self.nodes.nodes.len() as u64, Into::into);
            let depth = u64::from(self.nodes.depth(parent)) + 1;
            let (parent, action, state) = (Some(parent.into()), Some(action), &state);
            let node = Node { id, parent, action, state, g, h, depth, value: None };
            self.observer.generate(&node, verdict);
        }
        let id = match (known, verdict) {
            (_, Verdict::Pruned) => return,
            (_, Verdict::Duplicate) => {
                self.counts.duplicates += 1;
                return;
            }
            (Err(slot), _) => {
                let bytes = self.space.heap_bytes(&key);
                self.nodes.store((key, bytes), g, Some((parent, action)), slot)
            }
            (Ok(id), _) => {
                let node = &self.nodes.nodes[id as usize];
                let (old, is_held) = (node.g, node.is_marked());
                if node.is_closed() {
                    self.counts.reopened += 1;
                } else {
                    let old = (old, self.nodes.depth(id));
                    self.open.supersede(self.values(old, h, distance, is_held));
                }
                self.nodes.improve(id, g, (parent, action));
                id
            }
        };
        let depth = self.nodes.depth(id);
        self.counts.depth_peak = self.counts.depth_peak.max(depth.into());
        if is_goal {
            self.nodes.nodes[id as usize].close();
            self.best = Some((g, id));
            if self.choice.is_anytime() {
                let bound = Cost::try_from(self.bound).unwrap_or(Cost::MAX);
                self.meter.improve(g, depth.into(), bound.min(g));
            }
            return;
        }
        let is_held = self.nodes.nodes[id as usize].is_marked();
        let values = self.values((g, depth), h, distance, is_held);
        self.open.push(id, values);
    }

    /// Returns the values that order a node.
    #[inline]
    fn values(&self, (g, depth): (Cost, u32), h: Cost, distance: Cost, is_held: bool) -> Values {
        let f = u64::from(g) + u64::from(h);
        let values = Values { f, g, is_held, distance: 0, expected: 0 };
        match self.choice {
            Bounded::Focal => Values { distance: distance.into(), ..values },
            Bounded::Ees => self.expect(values, distance.into(), depth.into()),
            _ => values,
        }
    }

    /// Corrects a node's estimates by the mean error per step on the path to it. The steps' errors
    /// add up to the differences from the start's estimates.
    fn expect(&self, values: Values, distance: u64, depth: u64) -> Values {
        let (root_h, root_distance) = self.root;
        let error = values.f.saturating_sub(root_h.into());
        // Without any progress so far, one action less in all is expected.
        let progress = u64::from(root_distance).saturating_sub(distance).min(depth).max(1);
        let steps = depth.max(1);
        let distance = distance * steps / progress;
        let more = u128::from(distance) * u128::from(error) / u128::from(steps);
        let expected = values.f.saturating_add(more.try_into().unwrap_or(u64::MAX));
        Values { distance, expected, ..values }
    }

    /// Returns whether no solution through a node of this f is better than the best one found.
    #[inline]
    fn is_too_dear(&self, f: u64) -> bool {
        self.best.is_some_and(|(cost, _)| f >= cost.into())
    }

    #[inline]
    fn make_room(&mut self, more: usize) -> Result<(), Stop> {
        if self.nodes.has_room(more) {
            return Ok(());
        }
        let peak = self.nodes.grow(more, self.open.bytes(), &self.meter)?;
        self.bytes_peak = self.bytes_peak.max(peak);
        Ok(())
    }

    #[inline]
    fn bytes(&self) -> usize {
        self.nodes.bytes() + self.open.bytes()
    }

    /// Returns the path to a node. It costs less than it did when the node was stored if the search
    /// later found a cheaper path to a node on it.
    fn solution(&self, goal: u32) -> Solution<S::Step> {
        let step = |id| Some((self.nodes.action(id)?, &self.nodes.nodes[id as usize].key));
        let mut path: Vec<_> = self.nodes.chain(goal).filter_map(step).collect();
        path.reverse();
        self.space.solution(self.start, &path)
    }

    fn view<'b>(&self, id: u32, state: &'b S::State) -> Node<'b, S> {
        let node = &self.nodes.nodes[id as usize];
        Node {
            id: id.into(),
            parent: node.parent().map(Into::into),
            action: self.nodes.action(id),
            state,
            g: node.g,
            h: self.heuristic.estimate(state),
            depth: self.nodes.depth(id).into(),
            value: None,
        }
    }

    fn observe_goal(&mut self, goal: u32) {
        if O::ACTIVE {
            let state = self.space.state(&self.nodes.nodes[goal as usize].key);
            let node = self.view(goal, &state);
            self.observer.goal(&node);
        }
    }
}
