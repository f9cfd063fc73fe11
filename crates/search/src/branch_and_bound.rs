//! Depth-first branch and bound: keeps the best path found, and prunes nodes that can't lead to a
//! cheaper one.
//!
//! An f limit keeps the search out of endless paths. It starts half above the start's estimate and
//! grows by half while no path is within it. Only the current path and the best one are stored.
//! [`budgeted`](crate::budgeted()) repeats one such pass below a limit.

use crate::heuristic::Incremental;
use crate::limits::{Limits, Meter};
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::Problem;

/// Searches depth-first for the cheapest path from `start` to a goal. Successors are tried in the
/// order of their f, equal ones in the order in which they are generated.
///
/// ```
/// use taquin_search::{Blind, Limits, Undo, branch_and_bound};
/// # use taquin_search::{Cost, StateSpace};
/// # struct Line;
/// # impl StateSpace for Line {
/// #     type State = i32;
/// #     type Key = i32;
/// #     type Action = i32;
/// #     fn actions(&self, _: &i32, out: &mut Vec<i32>) { out.extend([-1, 1]); }
/// #     fn apply(&self, state: &mut i32, step: i32) -> Cost { *state += step; 1 }
/// #     fn undo(&self, state: &mut i32, step: i32) { *state -= step; }
/// #     fn key(&self, state: &i32) -> i32 { *state }
/// #     fn state(&self, key: &i32) -> i32 { *key }
/// #     fn is_goal(&self, state: &i32) -> bool { *state == 7 }
/// # }
/// let limits = Limits::default();
/// let search = branch_and_bound(&Line, &3, &Blind, Undo::Skip, &limits, &mut ());
/// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
/// assert!(search.is_optimal());
/// ```
pub fn branch_and_bound<S, H, O>(
    space: &S,
    start: &S::State,
    heuristic: &H,
    undo: Undo,
    limits: &Limits,
    observer: &mut O,
) -> Search<S::Action>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    let mut tree = Tree::new(Problem { space, start, heuristic, limits, observer }, undo);
    tree.is_sorted = true;
    let mut bound = heuristic.estimate(start);
    let mut limit = bound.max(1);
    loop {
        limit = limit.saturating_add(limit.div_ceil(2));
        if O::ACTIVE {
            tree.observer.bound(bound.into());
        }
        if let Err(stop) = tree.pass(limit, u64::MAX, bound) {
            return tree.end(Err(stop), bound);
        }
        match (&tree.best, tree.above) {
            // The pass has left out only nodes that are not cheaper.
            (Some(best), _) => bound = best.cost,
            (None, Some(above)) => {
                bound = above;
                limit = limit.max(above);
                continue;
            }
            (None, None) => {}
        }
        return tree.end(Ok(()), bound);
    }
}

/// A node on the path, and the successors that are still to be tried.
struct Frame<A, M> {
    action: Option<A>,
    g: Cost,
    memo: M,
    /// Its successors are the actions from here to the end of the list.
    first: usize,
    next: usize,
    id: u64,
}

/// A depth-first search that is repeated with other limits.
pub(crate) struct Tree<'a, S: StateSpace, H: Incremental<S>, O> {
    space: &'a S,
    start: &'a S::State,
    heuristic: &'a H,
    pub(crate) observer: &'a mut O,
    meter: Meter<'a>,
    undo: Undo,
    /// Whether successors are tried in the order of their f.
    is_sorted: bool,
    /// Whether a state that is on the path is not entered again.
    detects_cycles: bool,
    state: S::State,
    path: Vec<Frame<S::Action, H::Memo>>,
    /// The actions of all nodes on the path, one after the other.
    actions: Vec<S::Action>,
    ranked: Vec<(Cost, S::Action)>,
    /// The keys of the states on the path, if cycles are detected.
    keys: Vec<S::Key>,
    limit: Cost,
    budget: u64,
    /// No path costs less.
    bound: Cost,
    /// The expansions of the pass.
    pub(crate) used: u64,
    /// The greatest f within the limit.
    pub(crate) below: Cost,
    /// The least f above the limit.
    pub(crate) above: Option<Cost>,
    /// Whether the cost of a path was too large for a number.
    overflowed: bool,
    /// The best path, and the number of its last node.
    pub(crate) best: Option<Solution<S::Action>>,
    best_id: u64,
    counts: Counts,
}

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Tree<'a, S, H, O> {
    pub(crate) fn new(problem: Problem<'a, S, H, O>, undo: Undo) -> Self {
        let Problem { space, start, heuristic, limits, observer } = problem;
        Self {
            space,
            start,
            heuristic,
            observer,
            meter: Meter::new(limits),
            undo,
            is_sorted: false,
            // If actions may cost nothing, the limit does not prevent endless paths.
            detects_cycles: *space.costs().start() == 0,
            state: start.clone(),
            path: Vec::new(),
            actions: Vec::new(),
            ranked: Vec::new(),
            keys: Vec::new(),
            limit: 0,
            budget: 0,
            bound: 0,
            used: 0,
            below: 0,
            above: None,
            overflowed: false,
            best: None,
            best_id: 0,
            counts: Counts::default(),
        }
    }

    /// Searches nodes with an f up to `limit`, until it has expanded `budget` nodes. It ends early
    /// with a path that costs no more than the lower bound `bound`.
    pub(crate) fn pass(&mut self, limit: Cost, budget: u64, bound: Cost) -> Result<(), Stop> {
        (self.limit, self.budget, self.bound) = (limit, budget, bound);
        (self.used, self.below, self.above) = (0, 0, None);
        let (space, heuristic) = (self.space, self.heuristic);
        let memo = heuristic.memo(&self.state);
        let root = Frame { action: None, g: 0, memo, first: 0, next: 0, id: 0 };
        self.visit(root, Some(heuristic.value(memo)))?;
        while let Some(top) = self.path.last_mut() {
            let is_proven = self.best.as_ref().is_some_and(|best| best.cost <= bound);
            let Some(&action) = self.actions.get(top.next).filter(|_| !is_proven) else {
                self.backtrack();
                continue;
            };
            top.next += 1;
            let (g, memo) = (top.g, top.memo);
            // Many successors can be pruned between two expansions.
            if let Some(stop) = self.meter.stop(&self.counts, || (self.path.len() as u64, bound)) {
                return Err(stop);
            }
            let cost = space.apply(&mut self.state, action);
            self.counts.generated += 1;
            let memo = heuristic.step(memo, &self.state, action);
            let g = g.checked_add(cost);
            let f = g.and_then(|g| g.checked_add(heuristic.value(memo)));
            let id = self.counts.generated;
            let g = g.unwrap_or(Cost::MAX);
            let child = Frame { action: Some(action), g, memo, first: 0, next: 0, id };
            if !self.visit(child, f)? {
                space.undo(&mut self.state, action);
            }
        }
        Ok(())
    }

    /// Adds a node to the path if its successors are to be tried, and returns whether it did.
    fn visit(&mut self, node: Frame<S::Action, H::Memo>, f: Option<Cost>) -> Result<bool, Stop> {
        let is_cycle = self.detects_cycles && self.keys.contains(&self.space.key(&self.state));
        let best = self.best.as_ref().map(|best| best.cost);
        let verdict = match f {
            _ if is_cycle => Verdict::Pruned,
            None => {
                self.overflowed = true;
                Verdict::Pruned
            }
            Some(f) if f > self.limit => {
                self.above = Some(self.above.map_or(f, |above| above.min(f)));
                Verdict::Pruned
            }
            Some(f) => match best.filter(|&best| f >= best) {
                Some(best) => {
                    self.below = best;
                    Verdict::Pruned
                }
                None => {
                    self.below = self.below.max(f);
                    Verdict::Kept
                }
            },
        };
        if O::ACTIVE && node.action.is_some() {
            let parent = self.path.last().map_or(0, |frame| frame.id);
            let node = view(&node, parent, self.path.len(), self.heuristic, &self.state);
            self.observer.generate(&node, verdict);
        }
        if verdict == Verdict::Pruned || self.used >= self.budget {
            return Ok(false);
        }
        if self.space.is_goal(&self.state) {
            let path = self.path.iter().filter_map(|frame| frame.action);
            let actions = path.chain(node.action).collect();
            (self.best, self.best_id) = (Some(Solution { actions, cost: node.g }), node.id);
            return Ok(false);
        }
        self.expand(node)?;
        Ok(true)
    }

    /// Adds a node to the path and lists its actions.
    fn expand(&mut self, mut node: Frame<S::Action, H::Memo>) -> Result<(), Stop> {
        let open = self.path.len() as u64;
        if let Some(stop) = self.meter.stop(&self.counts, || (open, self.bound)) {
            return Err(stop);
        }
        self.counts.expanded += 1;
        self.used += 1;
        if O::ACTIVE {
            let parent = self.path.last().map_or(0, |frame| frame.id);
            let node = view(&node, parent, self.path.len(), self.heuristic, &self.state);
            self.observer.expand(&node);
        }
        if self.detects_cycles {
            self.keys.push(self.space.key(&self.state));
        }
        node.first = self.actions.len();
        node.next = node.first;
        self.space.actions(&self.state, &mut self.actions);
        if S::MAY_CANCEL && self.meter.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.undo == Undo::Skip
            && let Some(back) = node.action.and_then(|action| self.space.inverse(action))
            && let Some(at) = self.actions[node.first..].iter().position(|&action| action == back)
        {
            self.actions.remove(node.first + at);
        }
        if self.is_sorted {
            self.sort(&node);
        }
        self.path.push(node);
        let depth = self.path.len() as u64 - 1;
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        if self.path.len() as u64 > self.counts.frontier_peak {
            self.counts.frontier_peak = self.path.len() as u64;
            self.counts.stored_peak = self.counts.frontier_peak;
            let frames = self.path.len() * size_of::<Frame<S::Action, H::Memo>>();
            let bytes = frames + self.actions.capacity() * size_of::<S::Action>();
            self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
            if self.meter.exceeds_memory(|| bytes) {
                return Err(Stop::Memory);
            }
        }
        Ok(())
    }

    /// Orders the actions of a node by the f that they lead to.
    fn sort(&mut self, node: &Frame<S::Action, H::Memo>) {
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        for &action in &self.actions[node.first..] {
            let cost = self.space.apply(&mut self.state, action);
            let memo = self.heuristic.step(node.memo, &self.state, action);
            ranked.push((cost.saturating_add(self.heuristic.value(memo)), action));
            self.space.undo(&mut self.state, action);
        }
        ranked.sort_by_key(|&(f, _)| f);
        for (action, &(_, ranked)) in self.actions[node.first..].iter_mut().zip(&ranked) {
            *action = ranked;
        }
        self.ranked = ranked;
    }

    /// Returns to the parent.
    fn backtrack(&mut self) {
        if let Some(frame) = self.path.pop() {
            self.actions.truncate(frame.first);
            self.keys.pop();
            if let Some(action) = frame.action {
                self.space.undo(&mut self.state, action);
            }
        }
    }

    /// Returns the result of a search that was stopped, or that has proven `bound`.
    pub(crate) fn end(self, stopped: Result<(), Stop>, bound: Cost) -> Search<S::Action> {
        let outcome = match (self.best, stopped) {
            (Some(best), _) => {
                if O::ACTIVE {
                    let mut state = self.start.clone();
                    for &action in &best.actions {
                        self.space.apply(&mut state, action);
                    }
                    let (id, action) = (self.best_id, best.actions.last().copied());
                    let (g, depth) = (best.cost, best.actions.len() as u64);
                    let state = &state;
                    let node =
                        Node { id, parent: None, action, state, g, h: 0, depth, value: None };
                    self.observer.goal(&node);
                }
                Outcome::Solved(best)
            }
            (None, Err(stop)) => Outcome::Stopped(stop),
            (None, Ok(())) if self.overflowed => Outcome::Stopped(Stop::Cost),
            (None, Ok(())) => Outcome::Exhausted,
        };
        let lower_bound = match &outcome {
            Outcome::Solved(best) => bound.min(best.cost),
            _ => bound,
        };
        Search { outcome, lower_bound, counts: self.counts, before_last_bound: None }
    }
}

/// Returns the newest node as observers see it.
fn view<'a, S: StateSpace, H: Incremental<S>>(
    frame: &Frame<S::Action, H::Memo>,
    parent: u64,
    depth: usize,
    heuristic: &H,
    state: &'a S::State,
) -> Node<'a, S> {
    let &Frame { action, g, memo, id, .. } = frame;
    let (parent, h, depth) = (action.map(|_| parent), heuristic.value(memo), depth as u64);
    Node { id, parent, action, state, g, h, depth, value: None }
}
