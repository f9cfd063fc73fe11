//! Budgeted tree search (Helmert, Lattimore, Lelis, Orseau and Sturtevant 2019): iterative
//! deepening that expands at most a constant times a logarithm as many nodes as its last threshold,
//! for any costs.
//!
//! If all costs differ, IDA\* may expand a single new node in each threshold. This search wants
//! each threshold to expand at least [`LEAST_GROWTH`] times the nodes of the one before it.
//! Otherwise it looks for a greater threshold, first by steps that double and then by bisection,
//! with a budget of [`MOST_GROWTH`] times the nodes.

use crate::branch_and_bound::Tree;
use crate::heuristic::Incremental;
use crate::limits::Limits;
use crate::observer::Observer;
use crate::outcome::Search;
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::Problem;

/// Each threshold expands at least this many times the nodes of the one before it.
const LEAST_GROWTH: u64 = 2;

/// A threshold that is tried ends after this many times the nodes of the one before it.
const MOST_GROWTH: u64 = 8;

/// Searches for the cheapest path from `start` to a goal. `step` is the first step between
/// thresholds that are tried: the usual cost of an action.
///
/// ```
/// use taquin_search::{Blind, Limits, Undo, budgeted};
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
/// let search = budgeted(&Line, &3, &Blind, (Undo::Skip, 1), &Limits::default(), &mut ());
/// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
/// assert!(search.is_optimal());
/// ```
pub fn budgeted<S, H, O>(
    space: &S,
    start: &S::State,
    heuristic: &H,
    (undo, step): (Undo, Cost),
    limits: &Limits,
    observer: &mut O,
) -> Search<S::Action>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    let mut tree = Tree::new(Problem { space, start, heuristic, limits, observer }, undo);
    // The cost of the cheapest known path.
    let mut lower = heuristic.estimate(start);
    let mut nodes = 1;
    loop {
        if O::ACTIVE {
            tree.observer.bound(lower.into());
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
            let enough = LEAST_GROWTH * nodes;
            if budget == u64::MAX && tree.used >= enough {
                break;
            }
            budget = MOST_GROWTH * nodes;
            if upper.is_some_and(|upper| upper <= lower) || (enough..budget).contains(&tree.used) {
                break;
            }
            delta = delta.saturating_mul(2);
            limit = match upper {
                None => (u64::from(lower) + delta).min(Cost::MAX.into()) as Cost,
                Some(upper) => lower + (upper - lower) / 2,
            };
        }
        nodes = tree.used.max(LEAST_GROWTH * nodes);
        if tree.best.as_ref().is_some_and(|best| best.cost <= lower) {
            return tree.end(Ok(()), lower);
        }
    }
}
