//! Searches that a caller runs as far as it wants.
//!
//! Each engine keeps its state between expansions, so it can stop after any of them and resume
//! later. A constant selects whether it stops, so a search that runs to its end has no check.

use std::fmt;

use crate::graph::Graph;
use crate::heuristic::Blind;
use crate::limits::Limits;
use crate::outcome::{Counts, Search};

/// A space, where to start in it, and how to search: everything but the algorithm.
///
/// Its methods are the algorithms. Each returns a [`Stepwise`] search.
///
/// ```
/// use taquin_search::{ImplicitGraph, Limits, Policy, Problem, Recomputed};
///
/// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n + 10, 2)], |&n| n == 25);
/// let estimate = |&n: &u32| 25u32.saturating_sub(n) / 5;
/// let (heuristic, limits) = (Recomputed(&estimate), Limits::default());
/// let problem = Problem::new(&graph, &0).heuristic(&heuristic).limits(&limits);
/// assert_eq!(problem.best_first(&Policy::astar()).run().lower_bound, 9);
/// ```
#[derive(Debug)]
pub struct Problem<'a, S: Graph, H, O> {
    pub(crate) space: &'a S,
    pub(crate) start: &'a S::State,
    pub(crate) heuristic: &'a H,
    pub(crate) limits: &'a Limits,
    pub(crate) observer: &'a mut O,
}

impl<'a, S: Graph> Problem<'a, S, Blind, ()> {
    /// A problem without a heuristic, limits or an observer.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1)], |&n| n == 3);
    /// assert!(Problem::new(&graph, &0).best_first(&Policy::ucs()).run().is_optimal());
    /// ```
    pub fn new(space: &'a S, start: &'a S::State) -> Self {
        Self {
            space,
            start,
            heuristic: &Blind,
            limits: &NO_LIMITS,
            // An empty value takes no memory.
            observer: Box::leak(Box::new(())),
        }
    }
}

impl<'a, S: Graph, H, O> Problem<'a, S, H, O> {
    /// Sets the heuristic.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem, Recomputed};
    /// # let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1)], |&n| n == 3);
    /// let estimate = |&n: &u32| 3u32.saturating_sub(n);
    /// let heuristic = Recomputed(&estimate);
    /// let search = Problem::new(&graph, &0).heuristic(&heuristic).best_first(&Policy::astar()).run();
    /// assert_eq!(search.counts.expanded, 3);
    /// ```
    pub fn heuristic<I>(self, heuristic: &'a I) -> Problem<'a, S, I, O> {
        let Self { space, start, limits, observer, .. } = self;
        Problem { space, start, heuristic, limits, observer }
    }

    /// Sets the limits. Reaching a limit ends the search with a reason.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Limits, Outcome, Policy, Problem, Stop};
    /// # let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1)], |&n| n == 3);
    /// let limits = Limits { expanded: Some(2), ..Limits::default() };
    /// let search = Problem::new(&graph, &0).limits(&limits).best_first(&Policy::ucs()).run();
    /// assert_eq!(search.outcome, Outcome::Stopped(Stop::Expanded));
    /// ```
    #[must_use]
    pub fn limits(self, limits: &'a Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the observer, which receives every event of the search.
    ///
    /// ```
    /// # use taquin_search::{Graph, ImplicitGraph, Node, Observer, Policy, Problem};
    /// struct Expanded(Vec<u32>);
    /// impl<S: Graph<State = u32>> Observer<S> for Expanded {
    ///     fn expand(&mut self, node: &Node<'_, S>) {
    ///         self.0.push(*node.state);
    ///     }
    /// }
    /// let graph = ImplicitGraph::new(|&n: &u32| [(2 * n, 1), (n + 3, 1)], |&n| n == 10);
    /// let mut expanded = Expanded(Vec::new());
    /// Problem::new(&graph, &1).observer(&mut expanded).best_first(&Policy::bfs()).run();
    /// assert_eq!(expanded.0, [1, 2, 4, 5]);
    /// ```
    pub fn observer<P>(self, observer: &'a mut P) -> Problem<'a, S, H, P> {
        let Self { space, start, heuristic, limits, .. } = self;
        Problem { space, start, heuristic, limits, observer }
    }
}

static NO_LIMITS: Limits =
    Limits { expanded: None, generated: None, memory: None, time: None, monitor: None };

/// A search that can be run to its end, or one expansion at a time.
///
/// ```
/// use taquin_search::{ImplicitGraph, Policy, Problem};
///
/// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1), (n * 2, 1)], |&n| n == 40);
/// let policy = Policy::bfs();
/// let mut search = Problem::new(&graph, &1).best_first(&policy);
/// while let Some(counts) = search.step() {
///     println!("{} expanded, {} stored", counts.expanded, counts.stored_peak);
/// }
/// assert_eq!(search.run().solution().unwrap().cost, 6);
/// ```
pub struct Stepwise<E: Engine> {
    pub(crate) engine: E,
    pub(crate) result: Option<Search<E::Step>>,
}

impl<E: Engine> Stepwise<E> {
    pub(crate) const fn new(engine: E) -> Self {
        Self { engine, result: None }
    }

    /// Expands one node and returns the counts so far, or `None` once the search has ended.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1)], |&n| n == 2);
    /// let policy = Policy::ucs();
    /// let mut search = Problem::new(&graph, &0).best_first(&policy);
    /// assert_eq!(search.step().unwrap().expanded, 1);
    /// assert_eq!(search.step().unwrap().expanded, 2);
    /// assert_eq!(search.step(), None);
    /// ```
    pub fn step(&mut self) -> Option<Counts> {
        if self.result.is_none() {
            self.result = self.engine.advance::<true>();
        }
        match self.result {
            Some(_) => None,
            None => Some(self.engine.counts()),
        }
    }

    /// Runs the search to its end and returns its result.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 1, 1)], |&n| n == 2);
    /// let policy = Policy::ucs();
    /// let mut search = Problem::new(&graph, &0).best_first(&policy);
    /// search.step();
    /// assert_eq!(search.run().solution().unwrap().actions, [1, 2]);
    /// ```
    pub fn run(mut self) -> Search<E::Step> {
        loop {
            if let Some(search) = self.result.take().or_else(|| self.engine.advance::<false>()) {
                return search;
            }
        }
    }
}

impl<E: Engine> fmt::Debug for Stepwise<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_ended = self.result.is_some();
        f.debug_struct("Stepwise")
            .field("counts", &self.engine.counts())
            .field("has_ended", &has_ended)
            .finish_non_exhaustive()
    }
}

/// An algorithm that can pause after an expansion. Only the engines of this crate implement it.
pub trait Engine {
    /// The elements of a solution.
    type Step;

    /// Runs the search to its end and returns its result, or expands only `ONE` node and returns
    /// `None`.
    #[doc(hidden)]
    fn advance<const ONE: bool>(&mut self) -> Option<Search<Self::Step>>;

    /// Returns the counts so far.
    #[doc(hidden)]
    fn counts(&self) -> Counts;
}
