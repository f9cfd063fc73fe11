//! A heuristic with the tables that it needs, as one type.
//!
//! The engines are compiled for it once; which heuristic it is costs a branch per node that is
//! always predicted. Those whose step is shorter than that are handed to the engines directly.

use std::sync::Arc;

use taquin_search::{Cost, Heuristic, Incremental};
use taquin_tables::{Patterns, PatternsMemo, Walking};
use taquin_tiles::{Additive, Gaschnig, Layout, Linear, Tiles};

/// Any heuristic, ready to be used.
#[derive(Clone, Debug)]
pub(crate) enum Guide {
    Blind,
    Additive(Additive),
    Linear(Linear),
    Gaschnig(Gaschnig),
    Walking(Arc<Walking>),
    Patterns(Arc<Patterns>),
    Max(Vec<Self>),
}

/// What is remembered of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Memo {
    Sum(u64),
    Walking([u32; 2]),
    Patterns(PatternsMemo),
    /// The estimate itself: the next one is made anew.
    Estimate(Cost),
}

impl<L: Layout> Heuristic<Tiles<L>> for Guide {
    fn estimate(&self, state: &L::State) -> Cost {
        match self {
            Self::Blind => 0,
            Self::Additive(sum) => Heuristic::<Tiles<L>>::estimate(sum, state),
            Self::Linear(linear) => Heuristic::<Tiles<L>>::estimate(linear, state),
            Self::Gaschnig(gaschnig) => Heuristic::<Tiles<L>>::estimate(gaschnig, state),
            Self::Walking(walking) => Heuristic::<Tiles<L>>::estimate(&**walking, state),
            Self::Patterns(patterns) => Heuristic::<Tiles<L>>::estimate(&**patterns, state),
            Self::Max(list) => {
                let each = list.iter().map(|each| Heuristic::<Tiles<L>>::estimate(each, state));
                each.max().unwrap_or(0)
            }
        }
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Guide {
    type Memo = Memo;

    fn memo(&self, state: &L::State) -> Memo {
        match self {
            Self::Additive(sum) => Memo::Sum(Incremental::<Tiles<L>>::memo(sum, state)),
            Self::Linear(linear) => Memo::Sum(Incremental::<Tiles<L>>::memo(linear, state)),
            Self::Walking(walking) => {
                Memo::Walking(Incremental::<Tiles<L>>::memo(&**walking, state))
            }
            Self::Patterns(patterns) => {
                Memo::Patterns(Incremental::<Tiles<L>>::memo(&**patterns, state))
            }
            _ => Memo::Estimate(Heuristic::<Tiles<L>>::estimate(self, state)),
        }
    }

    #[inline]
    fn memo_with(&self, state: &L::State, estimate: Cost) -> Memo {
        match self {
            Self::Additive(sum) => {
                Memo::Sum(Incremental::<Tiles<L>>::memo_with(sum, state, estimate))
            }
            Self::Linear(_) | Self::Walking(_) | Self::Patterns(_) => {
                Incremental::<Tiles<L>>::memo(self, state)
            }
            Self::Blind | Self::Gaschnig(_) | Self::Max(_) => Memo::Estimate(estimate),
        }
    }

    #[inline]
    fn step(&self, memo: Memo, state: &L::State, action: L::Action) -> Memo {
        match (self, memo) {
            (Self::Additive(of), Memo::Sum(sum)) => {
                Memo::Sum(Incremental::<Tiles<L>>::step(of, sum, state, action))
            }
            (Self::Linear(of), Memo::Sum(sum)) => {
                Memo::Sum(Incremental::<Tiles<L>>::step(of, sum, state, action))
            }
            (Self::Walking(of), Memo::Walking(memo)) => {
                Memo::Walking(Incremental::<Tiles<L>>::step(&**of, memo, state, action))
            }
            (Self::Patterns(of), Memo::Patterns(memo)) => {
                Memo::Patterns(Incremental::<Tiles<L>>::step(&**of, memo, state, action))
            }
            _ => Memo::Estimate(Heuristic::<Tiles<L>>::estimate(self, state)),
        }
    }

    #[inline]
    fn value(&self, memo: Memo) -> Cost {
        match (self, memo) {
            (Self::Additive(of), Memo::Sum(sum)) => Incremental::<Tiles<L>>::value(of, sum),
            (Self::Linear(of), Memo::Sum(sum)) => Incremental::<Tiles<L>>::value(of, sum),
            (Self::Walking(of), Memo::Walking(memo)) => Incremental::<Tiles<L>>::value(&**of, memo),
            (Self::Patterns(of), Memo::Patterns(memo)) => {
                Incremental::<Tiles<L>>::value(&**of, memo)
            }
            (_, Memo::Estimate(estimate)) => estimate,
            // A memo comes from the same guide, so that no other pair meets.
            _ => 0,
        }
    }
}
