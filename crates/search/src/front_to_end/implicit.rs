//! Searching from both ends in a graph that is given by closures.

use std::fmt;
use std::hash::Hash;
use std::ops::RangeInclusive;

use super::{Choice, Sides};
use crate::graph::{Graph, TwoWay};
use crate::heuristic::Recomputed;
use crate::implicit_graph::{Found, ImplicitGraph, shared};
use crate::limits::Limits;
use crate::outcome::Solution;
use crate::policy::Order;
use crate::space::Cost;
use crate::stepwise::Problem;

/// Finds a cheapest path with BAE\*, a search from both ends.
///
/// `successors` and `predecessors` return states with edge costs. `to_goal` estimates the cost from
/// a state to `goal`, and `from_start` the cost from `start` to a state. The path is optimal if
/// both are consistent: between the ends of an edge they differ by at most its cost.
///
/// ```
/// use taquin_search::bae;
///
/// // Double, or add three, from 1 to 1,000: backwards, halve or subtract three.
/// let found = bae(
///     &1u32,
///     &1_000,
///     |&n| [(2 * n, 1), (n + 3, 1)],
///     |&n| {
///         let half = n.is_multiple_of(2).then_some((n / 2, 1));
///         half.into_iter().chain(n.checked_sub(3).map(|less| (less, 1)))
///     },
///     |_| 0,
///     |_| 0,
/// );
/// assert_eq!(found.cost, Some(13));
/// assert!(found.is_optimal());
/// ```
pub fn bae<N, I, J>(
    start: &N,
    goal: &N,
    successors: impl FnMut(&N) -> I,
    predecessors: impl FnMut(&N) -> J,
    to_goal: impl FnMut(&N) -> Cost,
    from_start: impl FnMut(&N) -> Cost,
) -> Found<N>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    J: IntoIterator<Item = (N, Cost)>,
{
    let graph = TwoWayGraph::new(shared(successors), shared(predecessors), goal.clone());
    let choice = Choice::Bae(Sides::Alternate, Order::Lifo);
    graph.search(start, shared(to_goal), shared(from_start), choice)
}

/// A graph that is given by closures that return the successors and the predecessors of a state,
/// its goal, and the limits for searching it.
///
/// Use it instead of [`bae()`] to set limits or to choose another algorithm.
///
/// ```
/// use taquin_search::{Choice, TwoWayGraph};
///
/// let ring = |&n: &u32| [((n + 7) % 100, 2), ((n + 93) % 100, 2)];
/// let graph = TwoWayGraph::new(ring, ring, 50).costs(2..=2);
/// for choice in Choice::ALL {
///     let found = graph.search(&1, |_| 0, |_| 0, choice);
///     assert_eq!((found.cost, found.is_optimal()), (Some(14), true));
/// }
/// ```
#[derive(Clone)]
pub struct TwoWayGraph<N, F, P> {
    forward: ImplicitGraph<N, F, fn(&N) -> bool>,
    backward: ImplicitGraph<N, P, fn(&N) -> bool>,
    goal: N,
    limits: Limits,
}

impl<N, F, P> fmt::Debug for TwoWayGraph<N, F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { forward, backward: _, goal: _, limits } = self;
        f.debug_struct("TwoWayGraph")
            .field("forward", forward)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

impl<N, I, J, F, P> TwoWayGraph<N, F, P>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    J: IntoIterator<Item = (N, Cost)>,
    F: Fn(&N) -> I,
    P: Fn(&N) -> J,
{
    /// Makes a graph from its goal and from closures that return a state's successors and
    /// predecessors with edge costs. There are no limits.
    ///
    /// ```
    /// # use taquin_search::{Choice, TwoWayGraph};
    /// let graph = TwoWayGraph::new(|&n: &u32| [(n + 1, 1)], |&n| [(n - 1, 1)], 9);
    /// assert_eq!(graph.search(&5, |_| 0, |_| 0, Choice::Nbs).path, [5, 6, 7, 8, 9]);
    /// ```
    pub fn new(successors: F, predecessors: P, goal: N) -> Self {
        let nowhere: fn(&N) -> bool = |_| false;
        let forward = ImplicitGraph::new(successors, nowhere);
        let backward = ImplicitGraph::new(predecessors, nowhere);
        Self { forward, backward, goal, limits: Limits::default() }
    }

    /// Sets the limits of each search. A limit that is reached ends the search with a reason.
    ///
    /// ```
    /// # use taquin_search::{Choice, Limits, Stop, TwoWayGraph};
    /// let limits = Limits { expanded: Some(3), ..Limits::default() };
    /// let graph = TwoWayGraph::new(|&n: &u32| [(n + 1, 1)], |&n| [(n - 1, 1)], 9).limits(limits);
    /// assert_eq!(graph.search(&1, |_| 0, |_| 0, Choice::Mm).stopped, Some(Stop::Expanded));
    /// ```
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Declares the least and the greatest cost of any edge. The greater the least cost, the fewer
    /// nodes NBS, MM and DVCBS expand.
    ///
    /// ```
    /// # use taquin_search::{Choice, TwoWayGraph};
    /// let road = |&n: &u32| [(n + 1, 5)].into_iter().chain(n.checked_sub(1).map(|n| (n, 5)));
    /// let graph = TwoWayGraph::new(road, road, 9);
    /// let nodes = |graph: TwoWayGraph<_, _, _>| graph.search(&1, |_| 0, |_| 0, Choice::Mm).counts.expanded;
    /// assert!(nodes(graph.clone().costs(5..=5)) < nodes(graph));
    /// ```
    #[must_use]
    pub fn costs(self, costs: RangeInclusive<Cost>) -> Self {
        Self { forward: self.forward.costs(costs), ..self }
    }

    /// Finds a cheapest path from `start` with any of the algorithms.
    ///
    /// `to_goal` estimates the cost from a state to the goal, and `from_start` the cost from
    /// `start` to a state. [`TwoWayGraph`] has an example.
    pub fn search(
        &self,
        start: &N,
        to_goal: impl Fn(&N) -> Cost,
        from_start: impl Fn(&N) -> Cost,
        choice: Choice,
    ) -> Found<N> {
        let (to_goal, from_start) = (Recomputed(&to_goal), Recomputed(&from_start));
        let problem = Problem::new(self, start).heuristic(&to_goal).limits(&self.limits);
        Found::new(start, problem.front_to_end(&from_start, choice).run())
    }
}

impl<N, I, J, F, P> Graph for TwoWayGraph<N, F, P>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    J: IntoIterator<Item = (N, Cost)>,
    F: Fn(&N) -> I,
    P: Fn(&N) -> J,
{
    type State = N;
    type Key = N;
    type Action = ();
    type Step = N;

    const MAY_CANCEL: bool = true;

    fn key(&self, state: &N) -> N {
        state.clone()
    }

    fn state(&self, key: &N) -> N {
        key.clone()
    }

    fn is_goal(&self, state: &N) -> bool {
        *state == self.goal
    }

    fn costs(&self) -> RangeInclusive<Cost> {
        Graph::costs(&self.forward)
    }

    fn inverse(&self, (): ()) -> Option<()> {
        None
    }

    fn heap_bytes(&self, _: &N) -> usize {
        0
    }

    fn expand<T>(
        &self,
        state: &mut N,
        skip: Option<()>,
        actions: &mut Vec<()>,
        evaluate: impl FnMut(&N, (), Cost) -> T,
        store: impl FnMut(T, N),
    ) {
        self.forward.expand(state, skip, actions, evaluate, store);
    }

    fn solution(&self, start: &N, path: &[((), &N)]) -> Solution<N> {
        self.forward.solution(start, path)
    }
}

impl<N, I, J, F, P> TwoWay for TwoWayGraph<N, F, P>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    J: IntoIterator<Item = (N, Cost)>,
    F: Fn(&N) -> I,
    P: Fn(&N) -> J,
{
    fn target(&self) -> N {
        self.goal.clone()
    }

    fn expand_backwards<T>(
        &self,
        state: &mut N,
        skip: Option<()>,
        actions: &mut Vec<()>,
        evaluate: impl FnMut(&N, (), Cost) -> T,
        store: impl FnMut(T, N),
    ) {
        self.backward.expand(state, skip, actions, evaluate, store);
    }

    fn forwards(&self, (): ()) {}
}
