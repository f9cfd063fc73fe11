//! Estimates of the cost to a goal.

use crate::space::{Cost, Goalless, StateSpace};

/// An estimate of what the cheapest way from a state to a goal costs.
///
/// The engines' bounds are proven on the condition that it never exceeds the true cost.
pub trait Heuristic<S: StateSpace + ?Sized> {
    /// The estimate for a state.
    fn estimate(&self, state: &S::State) -> Cost;
}

/// A heuristic that can tell a child's estimate from what it remembers of the parent.
pub trait Incremental<S: StateSpace>: Heuristic<S> {
    /// What is remembered of a state.
    type Memo: Copy;

    /// What to remember of a state.
    fn memo(&self, state: &S::State) -> Self::Memo;

    /// What to remember of a state of which the estimate is known: less work than anew, where the
    /// estimate is all there is to remember.
    #[inline]
    fn recall(&self, state: &S::State, _estimate: Cost) -> Self::Memo {
        self.memo(state)
    }

    /// What to remember of the child `state`, which `action` has just led to.
    fn step(&self, memo: Self::Memo, state: &S::State, action: S::Action) -> Self::Memo;

    /// The estimate for the state that `memo` is of.
    fn value(&self, memo: Self::Memo) -> Cost;
}

/// Knows nothing: every estimate is 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl<S: StateSpace> Heuristic<S> for Blind {
    fn estimate(&self, _: &S::State) -> Cost {
        0
    }
}

impl<S: StateSpace> Incremental<S> for Blind {
    type Memo = ();

    fn memo(&self, _: &S::State) {}

    fn step(&self, (): (), _: &S::State, _: S::Action) {}

    fn value(&self, (): ()) -> Cost {
        0
    }
}

/// Any heuristic as an incremental one, by estimating each state anew.
#[derive(Clone, Copy, Debug)]
pub struct Anew<'a, H: ?Sized>(pub &'a H);

impl<S: StateSpace, H: Heuristic<S> + ?Sized> Heuristic<S> for Anew<'_, H> {
    fn estimate(&self, state: &S::State) -> Cost {
        self.0.estimate(state)
    }
}

impl<S: StateSpace, H: Heuristic<S> + ?Sized> Incremental<S> for Anew<'_, H> {
    type Memo = Cost;

    fn memo(&self, state: &S::State) -> Cost {
        self.0.estimate(state)
    }

    fn recall(&self, _: &S::State, estimate: Cost) -> Cost {
        estimate
    }

    fn step(&self, _: Cost, state: &S::State, _: S::Action) -> Cost {
        self.0.estimate(state)
    }

    fn value(&self, memo: Cost) -> Cost {
        memo
    }
}

/// A heuristic for a space, in the same space without its goals: what leads to where they were.
#[derive(Clone, Copy, Debug)]
pub struct Regardless<'a, H>(pub &'a H);

impl<S: StateSpace, H: Heuristic<S>> Heuristic<Goalless<'_, S>> for Regardless<'_, H> {
    fn estimate(&self, state: &S::State) -> Cost {
        self.0.estimate(state)
    }
}

impl<S: StateSpace, H: Incremental<S>> Incremental<Goalless<'_, S>> for Regardless<'_, H> {
    type Memo = H::Memo;

    fn memo(&self, state: &S::State) -> H::Memo {
        self.0.memo(state)
    }

    fn recall(&self, state: &S::State, estimate: Cost) -> H::Memo {
        self.0.recall(state, estimate)
    }

    fn step(&self, memo: H::Memo, state: &S::State, action: S::Action) -> H::Memo {
        self.0.step(memo, state, action)
    }

    fn value(&self, memo: H::Memo) -> Cost {
        self.0.value(memo)
    }
}
