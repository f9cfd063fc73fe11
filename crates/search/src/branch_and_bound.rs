//! Depth-first branch and bound: keeps the best path found, and prunes nodes that can't lead to a
//! cheaper one.
//!
//! An f limit keeps the search out of endless paths. It starts half above the start's estimate and
//! grows by half while no path is within it. Only the current path and the best one are stored.
//! [`budgeted`](Problem::budgeted) repeats one such pass below a limit.

use crate::depth_first::{Frame, Path};
use crate::heuristic::Incremental;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::{Engine, Problem, Stepwise};

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches depth-first for the cheapest path. Successors are tried in the order of their f,
    /// equal ones in the order in which they are generated.
    ///
    /// ```
    /// use taquin_search::{Problem, Undo};
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let search = Problem::new(&Line, &3).branch_and_bound(Undo::Skip).run();
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// assert!(search.is_optimal());
    /// ```
    pub fn branch_and_bound(self, undo: Undo) -> Stepwise<BranchAndBound<'a, S, H, O>> {
        let bound = self.heuristic.estimate(self.start);
        let mut tree = Tree::new(self, undo);
        tree.is_sorted = true;
        Stepwise::new(BranchAndBound { tree, limit: bound.max(1), bound })
    }
}

/// A branch and bound under way, made by [`Problem::branch_and_bound`].
pub struct BranchAndBound<'a, S: StateSpace, H: Incremental<S>, O> {
    tree: Tree<'a, S, H, O>,
    limit: Cost,
    /// No path costs less.
    bound: Cost,
}

impl<S, H, O> Engine for BranchAndBound<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let stopped = loop {
            let Self { tree, limit, bound } = self;
            if tree.path.frames.is_empty() {
                *limit = limit.saturating_add(limit.div_ceil(2));
                if O::ACTIVE {
                    tree.path.observer.bound((*bound).into());
                }
            }
            if let Err(stop) = tree.pass::<ONE>(*limit, u64::MAX, *bound)? {
                break Err(stop);
            }
            match (&tree.best, tree.above) {
                // The pass has left out only nodes that are not cheaper.
                (Some(best), _) => *bound = best.cost,
                (None, Some(above)) => {
                    *bound = above;
                    *limit = above.max(*limit);
                    continue;
                }
                (None, None) => {}
            }
            break Ok(());
        };
        Some(self.tree.end(stopped, self.bound))
    }

    fn counts(&self) -> Counts {
        self.tree.path.counts
    }
}

/// A depth-first search that is repeated with other limits.
pub(crate) struct Tree<'a, S: StateSpace, H: Incremental<S>, O> {
    pub(crate) path: Path<'a, S, H, O>,
    /// Whether successors are tried in the order of their f.
    is_sorted: bool,
    ranked: Vec<(Cost, S::Action)>,
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
}

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Tree<'a, S, H, O> {
    pub(crate) fn new(problem: Problem<'a, S, H, O>, undo: Undo) -> Self {
        // If actions may cost nothing, the limit does not prevent endless paths.
        let detects_cycles = *problem.space.costs().start() == 0;
        Self {
            path: Path::new(problem, undo, detects_cycles),
            is_sorted: false,
            ranked: Vec::new(),
            limit: 0,
            budget: 0,
            bound: 0,
            used: 0,
            below: 0,
            above: None,
            overflowed: false,
            best: None,
            best_id: 0,
        }
    }

    /// Searches nodes with an f up to `limit`, until it has expanded `budget` nodes. It ends early
    /// with a path that costs no more than the lower bound `bound`. Returns `None` if it should
    /// expand only `ONE` node and has done so, and continues when it is called again.
    pub(crate) fn pass<const ONE: bool>(
        &mut self,
        limit: Cost,
        budget: u64,
        bound: Cost,
    ) -> Option<Result<(), Stop>> {
        let (space, heuristic) = (self.path.space, self.path.heuristic);
        if self.path.frames.is_empty() {
            (self.limit, self.budget, self.bound) = (limit, budget, bound);
            (self.used, self.below, self.above) = (0, 0, None);
            let root = self.path.root();
            let estimate = heuristic.value(root.memo);
            match self.visit(root, Some(estimate)) {
                Ok(true) if ONE => return None,
                Ok(_) => {}
                Err(stop) => return Some(Err(stop)),
            }
        }
        loop {
            let path = &mut self.path;
            let depth = path.frames.len() as u64;
            let Some(top) = path.frames.last_mut() else { return Some(Ok(())) };
            let is_proven = self.best.as_ref().is_some_and(|best| best.cost <= bound);
            let Some(&action) = path.actions.get(top.next).filter(|_| !is_proven) else {
                path.backtrack();
                continue;
            };
            top.next += 1;
            let (g, memo) = (top.g, top.memo);
            // Many successors can be pruned between two expansions.
            if let Some(stop) = path.meter.stop(&path.counts, || (depth, bound)) {
                return Some(Err(stop));
            }
            let cost = space.apply(&mut path.state, action);
            path.counts.generated += 1;
            let memo = heuristic.step(memo, &path.state, action);
            let g = g.checked_add(cost);
            let f = g.and_then(|g| g.checked_add(heuristic.value(memo)));
            let id = path.counts.generated;
            let child = Frame::new(Some(action), g.unwrap_or(Cost::MAX), memo, id);
            match self.visit(child, f) {
                Ok(true) if ONE => return None,
                Ok(true) => {}
                Ok(false) => space.undo(&mut self.path.state, action),
                Err(stop) => return Some(Err(stop)),
            }
        }
    }

    /// Adds a node to the path if its successors are to be tried, and returns whether it did.
    fn visit(&mut self, node: Frame<S::Action, H::Memo>, f: Option<Cost>) -> Result<bool, Stop> {
        let is_cycle = self.path.is_cycle();
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
        if node.action.is_some() {
            self.path.generate(&node, verdict);
        }
        if verdict == Verdict::Pruned || self.used >= self.budget {
            return Ok(false);
        }
        if self.path.space.is_goal(&self.path.state) {
            let path = self.path.frames.iter().filter_map(|frame| frame.action);
            let actions = path.chain(node.action).collect();
            (self.best, self.best_id) = (Some(Solution { actions, cost: node.g }), node.id);
            return Ok(false);
        }
        self.path.expand(node, self.bound)?;
        self.used += 1;
        if self.is_sorted {
            self.sort();
        }
        Ok(true)
    }

    /// Orders the actions of the last node by the f that they lead to.
    fn sort(&mut self) {
        let Path { space, heuristic, frames, actions, state, .. } = &mut self.path;
        let Some(node) = frames.last() else { return };
        let ranked = &mut self.ranked;
        ranked.clear();
        for &action in &actions[node.first..] {
            let cost = space.apply(state, action);
            let memo = heuristic.step(node.memo, state, action);
            ranked.push((cost.saturating_add(heuristic.value(memo)), action));
            space.undo(state, action);
        }
        ranked.sort_by_key(|&(f, _)| f);
        for (action, &(_, ranked)) in actions[node.first..].iter_mut().zip(&*ranked) {
            *action = ranked;
        }
    }

    /// Returns the result of a search that was stopped, or that has proven `bound`.
    pub(crate) fn end(&mut self, stopped: Result<(), Stop>, bound: Cost) -> Search<S::Action> {
        let outcome = match (self.best.take(), stopped) {
            (Some(best), _) => {
                if O::ACTIVE {
                    let mut state = self.path.start.clone();
                    for &action in &best.actions {
                        self.path.space.apply(&mut state, action);
                    }
                    let (id, action) = (self.best_id, best.actions.last().copied());
                    let (g, depth) = (best.cost, best.actions.len() as u64);
                    let state = &state;
                    let node =
                        Node { id, parent: None, action, state, g, h: 0, depth, value: None };
                    self.path.observer.goal(&node);
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
        Search { outcome, lower_bound, counts: self.path.counts, before_last_bound: None }
    }
}
