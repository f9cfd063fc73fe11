//! Searching a graph that is given by closures.
//!
//! The functions here take a start, a closure that returns the successors of a state, and a
//! closure that recognises a goal. Any type that can be cloned, compared and hashed is a state.

mod depth_first;
mod fallible;

use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

pub use fallible::Fallible;
use rustc_hash::FxHashSet;

use crate::graph::Graph;
use crate::heuristic::Recomputed;
use crate::limits::Limits;
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::Policy;
use crate::space::Cost;
use crate::stepwise::Problem;

/// Finds a cheapest path with A*.
///
/// `successors` returns a state's successors with edge costs. `estimate` estimates the cost to a
/// goal. The path is optimal if the estimate is never above the true cost. With the same arguments
/// and `limits`, see [`ImplicitGraph::astar`].
///
/// ```
/// use taquin_search::astar;
///
/// // A knight on an endless chess board, from (1, 1) to (4, 6).
/// let found = astar(
///     &(1, 1),
///     |&(x, y)| {
///         [(1, 2), (1, -2), (-1, 2), (-1, -2), (2, 1), (2, -1), (-2, 1), (-2, -1)]
///             .map(|(dx, dy)| ((x + dx, y + dy), 1))
///     },
///     |&(x, y): &(i32, i32)| (x.abs_diff(4) + y.abs_diff(6)) / 3,
///     |&position| position == (4, 6),
/// );
/// assert_eq!(found.cost, Some(4));
/// assert!(found.is_optimal());
/// assert_eq!(found.path.len(), 5);
/// ```
pub fn astar<N, I>(
    start: &N,
    successors: impl FnMut(&N) -> I,
    estimate: impl FnMut(&N) -> Cost,
    is_goal: impl FnMut(&N) -> bool,
) -> Found<N>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
{
    ImplicitGraph::new(shared(successors), shared(is_goal)).astar(start, shared(estimate))
}

/// Finds a path with the fewest edges with breadth-first search.
///
/// `successors` returns a state's successors. A path's cost is the number of its edges.
///
/// ```
/// use taquin_search::bfs;
///
/// // From 1 to 10 by doubling and adding three.
/// let found = bfs(&1, |&n| [2 * n, n + 3], |&n| n == 10);
/// assert_eq!(found.path, [1, 2, 5, 10]);
/// assert!(found.is_optimal());
/// ```
pub fn bfs<N, I>(
    start: &N,
    successors: impl FnMut(&N) -> I,
    is_goal: impl FnMut(&N) -> bool,
) -> Found<N>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = N>,
{
    let mut successors = successors;
    let with_costs = move |state: &N| successors(state).into_iter().map(|next| (next, 1));
    ImplicitGraph::new(shared(with_costs), shared(is_goal)).costs(1..=1).bfs(start)
}

/// Finds a cheapest path with Dijkstra's algorithm, which is the same as uniform-cost search.
///
/// This function has two names, `dijkstra` and `ucs`. `successors` returns a state's successors
/// with edge costs.
///
/// ```
/// use taquin_search::dijkstra;
///
/// let roads = [("Basel", "Bern", 100), ("Bern", "Sion", 150), ("Basel", "Sion", 290)];
/// let found = dijkstra(
///     &"Basel",
///     |&town| roads.into_iter().filter(move |road| road.0 == town).map(|road| (road.1, road.2)),
///     |&town| town == "Sion",
/// );
/// assert_eq!((found.path, found.cost), (vec!["Basel", "Bern", "Sion"], Some(250)));
/// ```
pub fn dijkstra<N, I>(
    start: &N,
    successors: impl FnMut(&N) -> I,
    is_goal: impl FnMut(&N) -> bool,
) -> Found<N>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
{
    ImplicitGraph::new(shared(successors), shared(is_goal)).dijkstra(start)
}

/// Finds a cheapest path with iterative-deepening A*, which stores only the current path.
///
/// The arguments are the same as for [`astar`]. A state is not entered twice on one path, but it is
/// searched again on every other path that reaches it.
///
/// ```
/// use taquin_search::idastar;
///
/// // Sort a list by reversing its beginning.
/// let found = idastar(
///     &vec![3, 1, 2],
///     |list| {
///         let list = list.clone();
///         (2..=list.len()).map(move |end| {
///             let mut next = list.clone();
///             next[..end].reverse();
///             (next, 1)
///         })
///     },
///     |_| 0,
///     |list| list.is_sorted(),
/// );
/// assert_eq!(found.path, [[3, 1, 2], [2, 1, 3], [1, 2, 3]]);
/// ```
pub fn idastar<N, I>(
    start: &N,
    successors: impl FnMut(&N) -> I,
    estimate: impl FnMut(&N) -> Cost,
    is_goal: impl FnMut(&N) -> bool,
) -> Found<N>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
{
    ImplicitGraph::new(shared(successors), shared(is_goal)).idastar(start, shared(estimate))
}

/// Makes a closure that changes its surroundings callable from several places of an engine.
pub(crate) fn shared<N, T>(closure: impl FnMut(&N) -> T) -> impl Fn(&N) -> T {
    let closure = RefCell::new(closure);
    move |state| (closure.borrow_mut())(state)
}

/// Returns the states at each distance from `start`, in the order in which breadth-first search
/// reaches them: `start` itself, its successors, their successors, and so on.
///
/// ```
/// // The corners of a cube, by the number of edges from one of them.
/// let layers = taquin_search::bfs_layers(0b000, |&corner| [1, 2, 4].map(|bit| corner ^ bit));
/// assert_eq!(layers.map(|layer| layer.len()).collect::<Vec<_>>(), [1, 3, 3, 1]);
/// ```
pub fn bfs_layers<N, I>(
    start: N,
    mut successors: impl FnMut(&N) -> I,
) -> impl Iterator<Item = Vec<N>>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = N>,
{
    let mut known = FxHashSet::from_iter([start.clone()]);
    std::iter::successors(Some(vec![start]), move |layer| {
        let next = layer.iter().flat_map(&mut successors);
        let next: Vec<N> = next.filter(|state| known.insert(state.clone())).collect();
        (!next.is_empty()).then_some(next)
    })
}

/// A graph that is given by closures, and the limits for searching it.
///
/// Use it instead of [`astar`], [`bfs`], [`dijkstra`] and [`idastar`] to set limits or a
/// [`Policy`]. The closures must return the same results whenever they are called with the same
/// state, and may be called more than once. One that fails can cancel the limits'
/// [`Monitor`](crate::Monitor): the search then stops, and its proven results still hold.
///
/// ```
/// use taquin_search::{ImplicitGraph, Limits, Stop};
///
/// let graph = ImplicitGraph::new(|&n: &u64| [(n + 1, 1), (n * 2, 1)], |&n| n == 1_000_000)
///     .costs(1..=1)
///     .limits(Limits { expanded: Some(1_000), ..Limits::default() });
/// let found = graph.bfs(&1);
/// assert_eq!((found.cost, found.stopped), (None, Some(Stop::Expanded)));
/// assert_eq!(found.counts.expanded, 1_000);
/// assert!(found.lower_bound >= 10); // no path has fewer edges
/// ```
#[derive(Clone)]
pub struct ImplicitGraph<N, F, G> {
    successors: F,
    is_goal: G,
    costs: RangeInclusive<Cost>,
    limits: Limits,
    states: PhantomData<fn(&N)>,
}

impl<N, F, G> fmt::Debug for ImplicitGraph<N, F, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { successors: _, is_goal: _, costs, limits, states: _ } = self;
        f.debug_struct("ImplicitGraph")
            .field("costs", costs)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

impl<N, I, F, G> ImplicitGraph<N, F, G>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    F: Fn(&N) -> I,
    G: Fn(&N) -> bool,
{
    /// Makes a graph from a closure that returns a state's successors with edge costs, and one that
    /// returns whether a state is a goal. There are no limits.
    ///
    /// ```
    /// # use taquin_search::ImplicitGraph;
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n * 2, 3)], |&n| n == 100);
    /// assert_eq!(graph.dijkstra(&1).cost, Some(18));
    /// ```
    pub const fn new(successors: F, is_goal: G) -> Self {
        let limits =
            Limits { expanded: None, generated: None, memory: None, time: None, monitor: None };
        Self { successors, is_goal, costs: 0..=Cost::MAX, limits, states: PhantomData }
    }

    /// Sets the limits of each search. A limit that is reached ends the search with a reason.
    ///
    /// The memory limit applies to the search's own tables. Heap memory that states own does not
    /// count.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Limits, Stop};
    /// let limits = Limits { memory: Some(100_000), ..Limits::default() };
    /// let graph = ImplicitGraph::new(|&n: &u64| [(n + 1, 1), (n + 2, 1)], |_| false);
    /// assert_eq!(graph.limits(limits).dijkstra(&0).stopped, Some(Stop::Memory));
    /// ```
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Declares the least and the greatest cost of any edge. The narrower the range, the more a
    /// search can prove: breadth-first search proves that a path is cheapest only if all costs are
    /// equal.
    ///
    /// ```
    /// # use taquin_search::ImplicitGraph;
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 5), (n * 2, 5)], |&n| n == 9);
    /// let found = graph.bfs(&1);
    /// assert_eq!((found.cost, found.is_optimal()), (Some(20), false));
    /// assert!(graph.costs(5..=5).bfs(&1).is_optimal());
    /// ```
    #[must_use]
    pub fn costs(self, costs: RangeInclusive<Cost>) -> Self {
        Self { costs, ..self }
    }

    /// Finds a cheapest path with A*.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Limits};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 10, 2)], |&n| n == 25)
    ///     .limits(Limits { expanded: Some(100), ..Limits::default() });
    /// let found = graph.astar(&0, |&n| 25u32.saturating_sub(n) / 5);
    /// assert_eq!((found.cost, found.is_optimal()), (Some(9), true));
    /// ```
    pub fn astar(&self, start: &N, estimate: impl Fn(&N) -> Cost) -> Found<N> {
        self.best_first(start, estimate, &Policy::astar())
    }

    /// Finds a path with the fewest edges with breadth-first search.
    ///
    /// ```
    /// # use taquin_search::ImplicitGraph;
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 5, 9)], |&n| n == 6);
    /// let found = graph.bfs(&0);
    /// assert_eq!((found.path.len(), found.cost), (3, Some(10)));
    /// ```
    pub fn bfs(&self, start: &N) -> Found<N> {
        self.best_first(start, |_| 0, &Policy::bfs())
    }

    /// Finds a cheapest path with Dijkstra's algorithm (uniform-cost search).
    ///
    /// ```
    /// # use taquin_search::ImplicitGraph;
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 5, 9)], |&n| n == 6);
    /// let found = graph.dijkstra(&0);
    /// assert_eq!((found.path.len(), found.cost), (7, Some(6)));
    /// ```
    pub fn dijkstra(&self, start: &N) -> Found<N> {
        self.best_first(start, |_| 0, &Policy::ucs())
    }

    /// Searches with any [`Policy`], for instance weighted A*, greedy search or a beam.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Weight};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 10, 2)], |&n| n == 25);
    /// let policy = Policy::wastar(Weight::new(2, 1).unwrap());
    /// let found = graph.best_first(&0, |&n| 25u32.saturating_sub(n) / 5, &policy);
    /// assert!(found.cost.unwrap() <= 2 * found.lower_bound);
    /// ```
    pub fn best_first(
        &self,
        start: &N,
        estimate: impl Fn(&N) -> Cost,
        policy: &Policy,
    ) -> Found<N> {
        let heuristic = Recomputed(&estimate);
        let problem = Problem::new(self, start).heuristic(&heuristic).limits(&self.limits);
        Found::new(start, problem.best_first(policy).run())
    }

    /// Finds a cheapest path with iterative-deepening A*.
    ///
    /// ```
    /// # use taquin_search::ImplicitGraph;
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 10, 2)], |&n| n == 25);
    /// let found = graph.idastar(&0, |&n| 25u32.saturating_sub(n) / 5);
    /// assert_eq!((found.cost, found.is_optimal()), (Some(9), true));
    /// ```
    pub fn idastar(&self, start: &N, estimate: impl Fn(&N) -> Cost) -> Found<N> {
        Found::new(start, depth_first::idastar(self, start, &estimate))
    }
}

impl<N, I, F, G> Graph for ImplicitGraph<N, F, G>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    F: Fn(&N) -> I,
    G: Fn(&N) -> bool,
{
    type State = N;
    type Key = N;
    type Action = ();
    type Step = N;

    const MAY_CANCEL: bool = true;

    #[inline]
    fn key(&self, state: &N) -> N {
        state.clone()
    }

    #[inline]
    fn state(&self, key: &N) -> N {
        key.clone()
    }

    #[inline]
    fn is_goal(&self, state: &N) -> bool {
        (self.is_goal)(state)
    }

    fn costs(&self) -> RangeInclusive<Cost> {
        self.costs.clone()
    }

    #[inline]
    fn inverse(&self, (): ()) -> Option<()> {
        None
    }

    #[inline]
    fn heap_bytes(&self, _: &N) -> usize {
        0
    }

    #[expect(clippy::inline_always, reason = "it is a good part of the engine's loop")]
    #[inline(always)]
    fn expand<T>(
        &self,
        state: &mut N,
        _: Option<()>,
        _: &mut Vec<()>,
        mut evaluate: impl FnMut(&N, (), Cost) -> T,
        mut store: impl FnMut(T, N),
    ) {
        for (next, cost) in (self.successors)(state) {
            let evaluated = evaluate(&next, (), cost);
            store(evaluated, next);
        }
    }

    /// # Panics
    /// Panics if `successors` does not return the same as before.
    fn solution(&self, start: &N, path: &[((), &N)]) -> Solution<N> {
        let states: Vec<N> = path.iter().map(|&((), state)| state.clone()).collect();
        let cost = |(from, to): (&N, &N)| {
            let edges = (self.successors)(from).into_iter().filter(|edge| edge.0 == *to);
            edges.map(|edge| edge.1).min().expect("`successors` returns the same each time")
        };
        let cost = std::iter::once(start).chain(&states).zip(&states).map(cost).sum();
        Solution { actions: states, cost }
    }
}

/// The result of searching a graph that is given by closures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found<N> {
    /// The states from the start to a goal, both included; empty if no path was found.
    pub path: Vec<N>,
    /// The path's cost; `None` if no path was found.
    pub cost: Option<Cost>,
    /// Why the search ended early; `None` if it found a path, or if it proved that there is none.
    pub stopped: Option<Stop>,
    /// No path costs less. This holds if the estimate is never above the true cost.
    pub lower_bound: Cost,
    /// The counts of the search.
    pub counts: Counts,
    /// The counts when the last layer of equal rank, or the last threshold, began.
    pub before_last_bound: Option<Counts>,
}

impl<N> Found<N> {
    pub(crate) fn new(start: &N, search: Search<N>) -> Self
    where
        N: Clone,
    {
        let Search { outcome, lower_bound, counts, before_last_bound } = search;
        let (path, cost, stopped) = match outcome {
            Outcome::Solved(Solution { actions: states, cost }) => {
                (std::iter::once(start.clone()).chain(states).collect(), Some(cost), None)
            }
            Outcome::Exhausted => (Vec::new(), None, None),
            Outcome::Stopped(stop) => (Vec::new(), None, Some(stop)),
        };
        Self { path, cost, stopped, lower_bound, counts, before_last_bound }
    }

    /// Returns whether a path was found and it is proven that none is cheaper.
    ///
    /// ```
    /// let found = taquin_search::bfs(&0, |&n| [n + 1, n + 2], |&n| n == 7);
    /// assert!(found.is_optimal());
    /// ```
    pub fn is_optimal(&self) -> bool {
        self.cost == Some(self.lower_bound)
    }

    /// Returns whether it is proven that there is no path to a goal.
    ///
    /// ```
    /// let found = taquin_search::bfs(&0, |&n| [(n + 2) % 10], |&n| n == 7);
    /// assert!(found.is_unreachable());
    /// ```
    pub const fn is_unreachable(&self) -> bool {
        self.cost.is_none() && self.stopped.is_none()
    }
}
