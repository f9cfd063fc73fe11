//! Budgeted tree search (Helmert, Lattimore, Lelis, Orseau and Sturtevant 2019): iterative
//! deepening that expands at most a constant times a logarithm as many nodes as its last threshold,
//! for any costs.
//!
//! If all costs differ, IDA\* may expand a single new node in each threshold. This search wants
//! each threshold to expand at least [`MIN_GROWTH`] times the nodes of the one before it.
//! Otherwise it looks for a greater threshold, first by steps that double and then by bisection,
//! with a budget of [`MAX_GROWTH`] times the nodes.

use crate::branch_and_bound::Tree;
use crate::heuristic::Incremental;
use crate::observer::Observer;
use crate::outcome::Search;
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::Problem;

/// Each threshold expands at least this many times the nodes of the one before it.
const MIN_GROWTH: u64 = 2;

/// A threshold that is tried ends after this many times the nodes of the one before it.
const MAX_GROWTH: u64 = 8;

impl<S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'_, S, H, O> {
    /// Searches for the cheapest path. `step` is the first step between thresholds that are tried:
    /// the usual cost of an action.
    ///
    /// ```
    /// use taquin_search::{Problem, Undo};
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let search = Problem::new(&Line, &3).budgeted(Undo::Skip, 1);
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// assert!(search.is_optimal());
    /// ```
    pub fn budgeted(self, undo: Undo, step: Cost) -> Search<S::Action> {
        // The cost of the cheapest known path.
        let mut lower = self.heuristic.estimate(self.start);
        let mut tree = Tree::new(self, undo);
        let mut nodes = 1;
        loop {
            if O::ACTIVE {
                tree.path.observer.bound(lower.into());
            }
            let (mut upper, mut delta) = (None, u64::from(step.max(1)));
            let (mut limit, mut budget) = (lower, u64::MAX);
            loop {
                if let Err(stop) = tree.pass(limit, budget, lower) {
                    return tree.end(Err(stop), lower);
                }
                let best = tree.best.as_ref().map(|best| best.cost);
                if tree.used >= budget {
                    upper = Some(upper.unwrap_or(tree.below).min(tree.below));
                } else if let Some(best) = best.filter(|&best| tree.below >= best) {
                    lower = lower.max(best);
                    upper = Some(best);
                } else {
                    let Some(above) = tree.above else { return tree.end(Ok(()), lower) };
                    lower = lower.max(above);
                }
                let enough = MIN_GROWTH * nodes;
                if budget == u64::MAX && tree.used >= enough {
                    break;
                }
                budget = MAX_GROWTH * nodes;
                if upper.is_some_and(|upper| upper <= lower)
                    || (enough..budget).contains(&tree.used)
                {
                    break;
                }
                delta = delta.saturating_mul(2);
                limit = match upper {
                    None => (u64::from(lower) + delta).min(Cost::MAX.into()) as Cost,
                    Some(upper) => lower + (upper - lower) / 2,
                };
            }
            nodes = tree.used.max(MIN_GROWTH * nodes);
            if tree.best.as_ref().is_some_and(|best| best.cost <= lower) {
                return tree.end(Ok(()), lower);
            }
        }
    }
}
