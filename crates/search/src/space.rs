//! What a search needs to know of a problem.

use std::fmt::Debug;
use std::hash::{BuildHasher as _, Hash};
use std::ops::RangeInclusive;

use rustc_hash::FxBuildHasher;

/// What a path or an action costs, or is estimated to cost.
pub type Cost = u32;

/// States, and the actions that lead from one to the next.
///
/// A state is cheap to step: engines apply and undo actions on one state in place. What they store
/// is its key. Everything here is called once per node or more, and is therefore a type parameter
/// of the engines.
pub trait StateSpace {
    /// A state that can be stepped in place.
    type State: Clone;
    /// What identifies a state: compact and exact, an integer wherever one is wide enough.
    type Key: Key;
    /// A step from one state to another.
    type Action: Copy + Eq + Debug;

    /// Appends the actions that can be taken, in the order in which successors are generated.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// Takes an action, and says what it costs.
    fn apply(&self, state: &mut Self::State, action: Self::Action) -> Cost;

    /// Takes an action back: `state` is as it was before [`apply`](Self::apply).
    fn undo(&self, state: &mut Self::State, action: Self::Action);

    /// The action that leads back after `action`, where there is one.
    fn inverse(&self, action: Self::Action) -> Option<Self::Action>;

    /// The key of a state. Two states are the same exactly when their keys are.
    fn key(&self, state: &Self::State) -> Self::Key;

    /// The state of a key.
    fn state(&self, key: &Self::Key) -> Self::State;

    /// Whether the search may end here.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// The least and the greatest cost of any action; the closer, the more an engine can prove and
    /// the less it has to store.
    fn costs(&self) -> RangeInclusive<Cost> {
        0..=Cost::MAX
    }
}

/// A space in which every action has an inverse of the same cost, and the goal is one state.
pub trait Reversible: StateSpace {
    /// The goal, from which a search can go backwards.
    fn goal(&self) -> Self::State;
}

/// A space in which nothing is a goal, so that a search goes through all of it.
#[derive(Clone, Copy, Debug)]
pub struct Goalless<'a, S>(pub &'a S);

impl<S: StateSpace> StateSpace for Goalless<'_, S> {
    type State = S::State;
    type Key = S::Key;
    type Action = S::Action;

    #[inline]
    fn actions(&self, state: &S::State, actions: &mut Vec<S::Action>) {
        self.0.actions(state, actions);
    }

    #[inline]
    fn apply(&self, state: &mut S::State, action: S::Action) -> Cost {
        self.0.apply(state, action)
    }

    #[inline]
    fn undo(&self, state: &mut S::State, action: S::Action) {
        self.0.undo(state, action);
    }

    #[inline]
    fn inverse(&self, action: S::Action) -> Option<S::Action> {
        self.0.inverse(action)
    }

    #[inline]
    fn key(&self, state: &S::State) -> S::Key {
        self.0.key(state)
    }

    #[inline]
    fn state(&self, key: &S::Key) -> S::State {
        self.0.state(key)
    }

    fn is_goal(&self, _: &S::State) -> bool {
        false
    }

    fn costs(&self) -> RangeInclusive<Cost> {
        self.0.costs()
    }
}

/// What identifies a state in an engine's tables.
pub trait Key: Clone + Eq + Hash {
    /// A number by which engines find the key again. Every bit of it depends on all of the key.
    #[inline]
    fn number(&self) -> u64 {
        let product = u128::from(FxBuildHasher.hash_one(self)) * 0x9e37_79b9_7f4a_7c15;
        (product >> 64) as u64 ^ product as u64
    }

    /// The bytes that the key holds outside itself.
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Key for u32 {}
impl Key for u64 {
    #[inline]
    fn number(&self) -> u64 {
        let product = u128::from(*self) * 0x9e37_79b9_7f4a_7c15;
        (product >> 64) as u64 ^ product as u64
    }
}
impl Key for u128 {}

impl Key for Box<[u8]> {
    fn heap_bytes(&self) -> usize {
        // What an allocator keeps for its own use is part of the price.
        self.len().next_multiple_of(16) + 16
    }
}
