//! Estimates of the cost to a goal.

use std::ops::Deref;

use crate::graph::Graph;
use crate::space::Cost;

/// Estimates the cost of the cheapest path from a state to a goal.
///
/// The lower bounds that engines report hold if it is admissible: never above the true cost.
/// Closures are heuristics.
pub trait Heuristic<S: Graph + ?Sized> {
    /// Returns the estimate for a state.
    fn estimate(&self, state: &S::State) -> Cost;
}

impl<S: Graph, F: Fn(&S::State) -> Cost> Heuristic<S> for F {
    #[inline]
    fn estimate(&self, state: &S::State) -> Cost {
        self(state)
    }
}

/// A heuristic that computes a successor's estimate from a memo about its parent.
pub trait Incremental<S: Graph>: Heuristic<S> {
    /// The part of a state from which its successors' estimates are computed.
    type Memo: Copy;

    /// Returns the memo of a state.
    fn memo(&self, state: &S::State) -> Self::Memo;

    /// Returns the memo of a state whose estimate is known. This is faster than
    /// [`memo`](Self::memo) if the memo is the estimate.
    #[inline]
    fn memo_with(&self, state: &S::State, estimate: Cost) -> Self::Memo {
        let _ = estimate;
        self.memo(state)
    }

    /// Returns the memo for `state`, which `action` has just reached from the state of `memo`.
    fn step(&self, memo: Self::Memo, state: &S::State, action: S::Action) -> Self::Memo;

    /// Returns the estimate for the state of `memo`.
    fn value(&self, memo: Self::Memo) -> Cost;
}

/// The heuristic of blind search: every estimate is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl<S: Graph> Heuristic<S> for Blind {
    fn estimate(&self, _: &S::State) -> Cost {
        0
    }
}

impl<S: Graph> Incremental<S> for Blind {
    type Memo = ();

    fn memo(&self, _: &S::State) {}

    fn step(&self, (): (), _: &S::State, _: S::Action) {}

    fn value(&self, (): ()) -> Cost {
        0
    }
}

/// Makes any heuristic, given by a pointer, incremental: every estimate is computed from the state.
#[derive(Clone, Copy, Debug)]
pub struct Recomputed<P>(pub P);

impl<S: Graph, P: Deref<Target: Heuristic<S>>> Heuristic<S> for Recomputed<P> {
    fn estimate(&self, state: &S::State) -> Cost {
        self.0.estimate(state)
    }
}

impl<S: Graph, P: Deref<Target: Heuristic<S>>> Incremental<S> for Recomputed<P> {
    type Memo = Cost;

    fn memo(&self, state: &S::State) -> Cost {
        self.0.estimate(state)
    }

    fn memo_with(&self, _: &S::State, estimate: Cost) -> Cost {
        estimate
    }

    fn step(&self, _: Cost, state: &S::State, _: S::Action) -> Cost {
        self.0.estimate(state)
    }

    fn value(&self, memo: Cost) -> Cost {
        memo
    }
}
