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
use crate::outcome::{Counts, Search};
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::{Engine, Problem, Stepwise};

/// Each threshold expands at least this many times the nodes of the one before it.
const MIN_GROWTH: u64 = 2;

/// A threshold that is tried ends after this many times the nodes of the one before it.
const MAX_GROWTH: u64 = 8;

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches for the cheapest path. `step` is the first step between thresholds that are tried:
    /// the usual cost of an action.
    ///
    /// ```
    /// use taquin_search::{Problem, Undo};
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let search = Problem::new(&Line, &3).budgeted(Undo::Skip, 1).run();
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// assert!(search.is_optimal());
    /// ```
    pub fn budgeted(self, undo: Undo, step: Cost) -> Stepwise<Budgeted<'a, S, H, O>> {
        Stepwise::new(Budgeted {
            lower: self.heuristic.estimate(self.start),
            tree: Tree::new(self, undo),
            step: step.max(1).into(),
            nodes: 1,
            attempt: None,
        })
    }
}

/// A budgeted tree search under way, made by [`Problem::budgeted`].
pub struct Budgeted<'a, S: StateSpace, H: Incremental<S>, O> {
    tree: Tree<'a, S, H, O>,
    /// The first step between thresholds that are tried.
    step: u64,
    /// No path costs less.
    lower: Cost,
    /// The nodes of the last threshold.
    nodes: u64,
    /// The threshold that is tried.
    attempt: Option<Attempt>,
}

/// A try at the next threshold.
#[derive(Clone, Copy)]
struct Attempt {
    limit: Cost,
    budget: u64,
    /// A lower limit than this is needed, after a try has used up its budget.
    upper: Option<Cost>,
    delta: u64,
}

impl<S, H, O> Engine for Budgeted<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let Self { tree, step, lower, nodes, attempt } = self;
        let stopped = loop {
            if O::ACTIVE && attempt.is_none() {
                tree.path.observer.bound((*lower).into());
            }
            let first = Attempt { limit: *lower, budget: u64::MAX, upper: None, delta: *step };
            let Attempt { limit, budget, upper, delta } = attempt.get_or_insert(first);
            if let Err(stop) = tree.pass::<ONE>(*limit, *budget, *lower)? {
                break Err(stop);
            }
            let best = tree.best.as_ref().map(|best| best.cost);
            if tree.used >= *budget {
                *upper = Some(upper.unwrap_or(tree.below).min(tree.below));
            } else if let Some(best) = best.filter(|&best| tree.below >= best) {
                *lower = best.max(*lower);
                *upper = Some(best);
            } else {
                let Some(above) = tree.above else { break Ok(()) };
                *lower = above.max(*lower);
            }
            let (enough, most) = (MIN_GROWTH * *nodes, MAX_GROWTH * *nodes);
            let is_first = *budget == u64::MAX;
            let is_narrow = upper.is_some_and(|upper| upper <= *lower);
            if (is_first || tree.used < most) && tree.used >= enough || is_narrow {
                *nodes = tree.used.max(enough);
                *attempt = None;
                if best.is_some_and(|best| best <= *lower) {
                    break Ok(());
                }
                continue;
            }
            *budget = most;
            *delta = delta.saturating_mul(2);
            *limit = match *upper {
                None => (u64::from(*lower) + *delta).min(Cost::MAX.into()) as Cost,
                Some(upper) => *lower + (upper - *lower) / 2,
            };
        };
        Some(self.tree.end(stopped, self.lower))
    }

    fn counts(&self) -> Counts {
        self.tree.path.counts
    }
}
