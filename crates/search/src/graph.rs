//! The trait that best-first search is written for.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::hash::Hash;
use std::mem::needs_drop;
use std::ops::RangeInclusive;

use crate::outcome::Solution;
use crate::space::{Cost, Reversible, StateSpace};

/// A graph in which the successors of a state can be generated.
///
/// This is all that [`best_first`](crate::Problem::best_first) needs. Every [`StateSpace`] is a
/// graph, and so is an [`ImplicitGraph`](crate::ImplicitGraph), which is made from closures:
/// implement or use one of them rather than this trait.
pub trait Graph {
    /// A state.
    type State: Clone;
    /// The key of a state in an engine's tables.
    type Key: Clone + Eq + Hash;
    /// A step from one state to another. Engines store it for every node.
    type Action: Copy + Eq + Debug;
    /// The elements of a solution: actions, or states.
    type Step;

    /// Whether [`expand`](Self::expand) may cancel the monitor of the search.
    const MAY_CANCEL: bool;

    /// Returns the number of a key, if keys are numbered from 0: engines need no hash table then.
    const NUMBER: Option<fn(&Self::Key) -> usize> = None;

    /// Returns the key of a state.
    fn key(&self, state: &Self::State) -> Self::Key;

    /// Returns the state that a key belongs to.
    fn state(&self, key: &Self::Key) -> Self::State;

    /// Returns whether `state` is a goal.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// Orders two states by their keys. States without an order are all equal.
    fn compare_keys(&self, a: &Self::Key, b: &Self::Key) -> Ordering {
        let _ = (a, b);
        Ordering::Equal
    }

    /// Returns the least and the greatest cost of any action.
    fn costs(&self) -> RangeInclusive<Cost>;

    /// Returns the action that leads back after `action`, if there is one.
    fn inverse(&self, action: Self::Action) -> Option<Self::Action>;

    /// Returns how many bytes of heap memory a key owns.
    fn heap_bytes(&self, key: &Self::Key) -> usize;

    /// Calls `evaluate` for each successor of `state` except the one that `skip` leads to, and then
    /// `store` with the result and the successor's key.
    ///
    /// `state` is the same afterwards. `actions` is a buffer that the implementation may use.
    fn expand<T>(
        &self,
        state: &mut Self::State,
        skip: Option<Self::Action>,
        actions: &mut Vec<Self::Action>,
        evaluate: impl FnMut(&Self::State, Self::Action, Cost) -> T,
        store: impl FnMut(T, Self::Key),
    );

    /// Returns the solution for a path, given as the action and the key of each state after
    /// `start`. Its cost is the sum of the action costs, which may be less than the g that a search
    /// has stored.
    fn solution(
        &self,
        start: &Self::State,
        path: &[(Self::Action, &Self::Key)],
    ) -> Solution<Self::Step>;
}

/// A graph with one goal, in which the predecessors of a state can be generated too.
///
/// This is what [`front_to_end`](crate::Problem::front_to_end) needs. Every [`Reversible`] space is
/// one, and so is a [`TwoWayGraph`](crate::TwoWayGraph), which is made from closures.
pub trait TwoWay: Graph {
    /// Returns the goal.
    fn target(&self) -> Self::State;

    /// Does with the predecessors of `state` what [`expand`](Graph::expand) does with its
    /// successors.
    fn expand_backwards<T>(
        &self,
        state: &mut Self::State,
        skip: Option<Self::Action>,
        actions: &mut Vec<Self::Action>,
        evaluate: impl FnMut(&Self::State, Self::Action, Cost) -> T,
        store: impl FnMut(T, Self::Key),
    );

    /// Returns the action that undoes a step of the backward search.
    fn forwards(&self, action: Self::Action) -> Self::Action;
}

impl<S: Reversible> TwoWay for S {
    fn target(&self) -> S::State {
        self.goal()
    }

    #[expect(clippy::inline_always, reason = "it is a good part of the engine's loop")]
    #[inline(always)]
    fn expand_backwards<T>(
        &self,
        state: &mut S::State,
        skip: Option<S::Action>,
        actions: &mut Vec<S::Action>,
        evaluate: impl FnMut(&S::State, S::Action, Cost) -> T,
        store: impl FnMut(T, S::Key),
    ) {
        self.expand(state, skip, actions, evaluate, store);
    }

    fn forwards(&self, action: S::Action) -> S::Action {
        StateSpace::inverse(self, action).expect("a reversible space has inverses")
    }
}

/// Returns whether copying a `T` is cheaper than undoing an action.
pub(crate) const fn is_cheap_to_copy<T>() -> bool {
    size_of::<T>() <= 48 && !needs_drop::<T>()
}

impl<S: StateSpace> Graph for S {
    type State = S::State;
    type Key = S::Key;
    type Action = S::Action;
    type Step = S::Action;

    const MAY_CANCEL: bool = S::MAY_CANCEL;

    #[inline]
    fn key(&self, state: &S::State) -> S::Key {
        StateSpace::key(self, state)
    }

    #[inline]
    fn state(&self, key: &S::Key) -> S::State {
        StateSpace::state(self, key)
    }

    #[inline]
    fn is_goal(&self, state: &S::State) -> bool {
        StateSpace::is_goal(self, state)
    }

    fn compare_keys(&self, a: &S::Key, b: &S::Key) -> Ordering {
        StateSpace::compare_keys(self, a, b)
    }

    fn costs(&self) -> RangeInclusive<Cost> {
        StateSpace::costs(self)
    }

    #[inline]
    fn inverse(&self, action: S::Action) -> Option<S::Action> {
        StateSpace::inverse(self, action)
    }

    #[inline]
    fn heap_bytes(&self, key: &S::Key) -> usize {
        StateSpace::heap_bytes(self, key)
    }

    #[expect(clippy::inline_always, reason = "it is a good part of the engine's loop")]
    #[inline(always)]
    fn expand<T>(
        &self,
        state: &mut S::State,
        skip: Option<S::Action>,
        actions: &mut Vec<S::Action>,
        mut evaluate: impl FnMut(&S::State, S::Action, Cost) -> T,
        mut store: impl FnMut(T, S::Key),
    ) {
        actions.clear();
        self.actions(state, actions);
        for &action in &*actions {
            if Some(action) == skip {
                continue;
            }
            let mut copy;
            let child = match is_cheap_to_copy::<S::State>() {
                true => {
                    copy = state.clone();
                    &mut copy
                }
                false => &mut *state,
            };
            let cost = self.apply(child, action);
            let evaluated = evaluate(child, action, cost);
            let key = StateSpace::key(self, child);
            if !is_cheap_to_copy::<S::State>() {
                self.undo(state, action);
            }
            store(evaluated, key);
        }
    }

    fn solution(&self, start: &S::State, path: &[(S::Action, &S::Key)]) -> Solution<S::Action> {
        let actions: Vec<S::Action> = path.iter().map(|step| step.0).collect();
        let mut state = start.clone();
        let cost = actions.iter().map(|&action| self.apply(&mut state, action)).sum();
        debug_assert!(StateSpace::is_goal(self, &state), "the path does not lead to a goal");
        Solution { actions, cost }
    }
}
