//! The traits that describe a problem to the engines.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::RangeInclusive;

/// The cost, or the estimated cost, of an action or a path.
pub type Cost = u32;

/// States, and the actions that lead from one to the next.
///
/// Engines apply and undo actions on one state in place, and store its key. All of this is called
/// at least once per node, so spaces are type parameters of the engines. For a graph that is easier
/// to describe by a function that returns a state's successors, use
/// [`ImplicitGraph`](crate::ImplicitGraph).
///
/// ```
/// use std::ops::RangeInclusive;
///
/// use taquin_search::{Cost, Policy, Problem, Recomputed, StateSpace};
///
/// /// Numbers from which others are reached by adding 1 or subtracting 1.
/// struct Line {
///     goal: i32,
/// }
///
/// impl StateSpace for Line {
///     type State = i32;
///     type Key = i32;
///     type Action = i32;
///
///     fn actions(&self, _: &i32, actions: &mut Vec<i32>) {
///         actions.extend([-1, 1]);
///     }
///
///     fn apply(&self, state: &mut i32, action: i32) -> Cost {
///         *state += action;
///         1
///     }
///
///     fn undo(&self, state: &mut i32, action: i32) {
///         *state -= action;
///     }
///
///     fn inverse(&self, action: i32) -> Option<i32> {
///         Some(-action)
///     }
///
///     fn key(&self, &state: &i32) -> i32 {
///         state
///     }
///
///     fn state(&self, &key: &i32) -> i32 {
///         key
///     }
///
///     fn is_goal(&self, &state: &i32) -> bool {
///         state == self.goal
///     }
///
///     fn costs(&self) -> RangeInclusive<Cost> {
///         1..=1
///     }
/// }
///
/// let distance = |&state: &i32| state.abs_diff(4);
/// let (line, heuristic) = (Line { goal: 4 }, Recomputed(&distance));
/// let search = Problem::new(&line, &0).heuristic(&heuristic).best_first(&Policy::astar()).run();
/// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
/// ```
pub trait StateSpace {
    /// A state that actions change in place.
    type State: Clone;
    /// The key of a state in an engine's tables: any type that can be hashed, as compact as
    /// possible. Integers are hashed fastest.
    type Key: Clone + Eq + Hash;
    /// A step from one state to another.
    type Action: Copy + Eq + Debug;

    /// Whether [`actions`](Self::actions) may cancel the monitor of the search because it cannot
    /// list them. Engines then stop before the next expansion, and count nothing as proven that
    /// follows from the missing ones.
    const MAY_CANCEL: bool = false;

    /// Appends the actions that can be taken, in the order in which successors are generated.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);

    /// Applies an action and returns its cost.
    fn apply(&self, state: &mut Self::State, action: Self::Action) -> Cost;

    /// Undoes an action: `state` is as it was before [`apply`](Self::apply).
    fn undo(&self, state: &mut Self::State, action: Self::Action);

    /// Returns the action that leads back after `action`, if there is one. Engines use it to skip
    /// the move back to the parent.
    fn inverse(&self, action: Self::Action) -> Option<Self::Action> {
        let _ = action;
        None
    }

    /// Returns the key of a state. Two states are equal exactly if their keys are.
    fn key(&self, state: &Self::State) -> Self::Key;

    /// Returns the state that a key belongs to.
    fn state(&self, key: &Self::Key) -> Self::State;

    /// Returns whether `state` is a goal.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// Orders two states by their keys, for [`Order::State`](crate::Order::State). States without
    /// an order are all equal.
    fn compare_keys(&self, a: &Self::Key, b: &Self::Key) -> Ordering {
        let _ = (a, b);
        Ordering::Equal
    }

    /// Returns the least and the greatest cost of any action. The narrower the range, the more an
    /// engine can prove and the less it has to store.
    fn costs(&self) -> RangeInclusive<Cost> {
        0..=Cost::MAX
    }

    /// Returns how many bytes of heap memory a key owns. They count towards the memory limit.
    fn heap_bytes(&self, key: &Self::Key) -> usize {
        let _ = key;
        0
    }
}

/// A space in which every action has an inverse of the same cost and there is exactly one goal.
pub trait Reversible: StateSpace {
    /// Returns the goal, from which a search can go backwards.
    fn goal(&self) -> Self::State;
}

/// Returns how many bytes an allocator uses for a boxed slice of `len` bytes, including its own
/// bookkeeping.
///
/// ```
/// assert_eq!(taquin_search::boxed_bytes(20), 48);
/// ```
pub const fn boxed_bytes(len: usize) -> usize {
    len.next_multiple_of(16) + 16
}
