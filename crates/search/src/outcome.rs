//! The results and counts of a search.

use crate::space::Cost;

/// The counts of a search, defined in the same way for all engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// Nodes whose successors were generated. A goal that ends the search is not expanded.
    pub expanded: u64,
    /// Successors generated, including dropped duplicates. The root is not counted, nor is the move
    /// back to the parent if the policy skips it.
    pub generated: u64,
    /// Nodes that were dropped because their state was known.
    pub duplicates: u64,
    /// Closed nodes that were opened again because a cheaper path was found.
    pub reopened: u64,
    /// Duplicates that were dropped although their path was cheaper.
    pub dropped_cheaper: u64,
    /// The most open nodes after any expansion. For iterative deepening, the length of the longest
    /// path.
    pub frontier_peak: u64,
    /// The greatest depth of any node added to the open list.
    pub depth_peak: u64,
    /// The most nodes stored at once.
    pub stored_peak: u64,
    /// The greatest size of the search's own tables, in bytes.
    pub memory_peak: u64,
}

impl Counts {
    /// Returns the counts for two searches that ran one after the other: the sums, and the greater
    /// peaks.
    ///
    /// ```
    /// # use taquin_search::Counts;
    /// let first = Counts { expanded: 10, stored_peak: 7, ..Counts::default() };
    /// let second = Counts { expanded: 20, stored_peak: 5, ..Counts::default() };
    /// let both = first.then(second);
    /// assert_eq!((both.expanded, both.stored_peak), (30, 7));
    /// ```
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self {
            expanded: self.expanded + next.expanded,
            generated: self.generated + next.generated,
            duplicates: self.duplicates + next.duplicates,
            reopened: self.reopened + next.reopened,
            dropped_cheaper: self.dropped_cheaper + next.dropped_cheaper,
            frontier_peak: self.frontier_peak.max(next.frontier_peak),
            depth_peak: self.depth_peak.max(next.depth_peak),
            stored_peak: self.stored_peak.max(next.stored_peak),
            memory_peak: self.memory_peak.max(next.memory_peak),
        }
    }
}

/// Why a search stopped without a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Stop {
    /// The limit on expanded nodes was reached.
    Expanded,
    /// The limit on generated nodes was reached.
    Generated,
    /// The memory limit was reached, or the machine's memory is exhausted.
    Memory,
    /// The time limit was reached.
    Time,
    /// It was cancelled.
    Cancelled,
    /// All states within the depth limit were searched.
    Depth,
    /// All states that the beam kept were searched.
    Beam,
    /// The cost of every remaining path exceeds the greatest cost.
    Cost,
}

/// How a search ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<A> {
    /// A path to a goal was found.
    Solved(Solution<A>),
    /// All reachable states were searched; none is a goal.
    Exhausted,
    /// A limit was reached first.
    Stopped(Stop),
}

/// A path from the start to a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solution<A> {
    /// The actions, first to last.
    pub actions: Vec<A>,
    /// The sum of their costs.
    pub cost: Cost,
}

/// The result of a search: its outcome, the bound that it proved, and its counts.
///
/// [`best_first`](crate::Problem::best_first) has an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search<A> {
    /// How it ended.
    pub outcome: Outcome<A>,
    /// No solution costs less. This holds if the heuristic is admissible. Searches that were
    /// stopped have proven a bound too.
    pub lower_bound: Cost,
    /// Its counts.
    pub counts: Counts,
    /// The counts when the last layer of equal rank, or the last threshold, began. They do not
    /// depend on tie-breaking, so they are the ones to compare.
    pub before_last_bound: Option<Counts>,
}

impl<A> Search<A> {
    /// Returns the solution, if there is one.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 2, 5)], |&n| n == 6);
    /// let search = Problem::new(&graph, &0).best_first(&Policy::ucs()).run();
    /// let solution = search.solution().unwrap();
    /// assert_eq!((&*solution.actions, solution.cost), (&[2, 4, 6][..], 15));
    /// ```
    pub fn solution(&self) -> Option<&Solution<A>> {
        match &self.outcome {
            Outcome::Solved(solution) => Some(solution),
            _ => None,
        }
    }

    /// Converts the actions of the solution.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 2, 5)], |&n| n == 4);
    /// let search = Problem::new(&graph, &0).best_first(&Policy::ucs()).run();
    /// let search = search.map(|state| state.to_string());
    /// assert_eq!(search.solution().unwrap().actions, ["2", "4"]);
    /// ```
    pub fn map<B>(self, f: impl Fn(A) -> B) -> Search<B> {
        self.with_actions(|actions| actions.into_iter().map(f).collect())
    }

    /// Returns the search with other actions on the path of the solution.
    pub fn with_actions<B>(self, f: impl FnOnce(Vec<A>) -> Vec<B>) -> Search<B> {
        let Self { outcome, lower_bound, counts, before_last_bound } = self;
        let outcome = match outcome {
            Outcome::Solved(Solution { actions, cost }) => {
                Outcome::Solved(Solution { actions: f(actions), cost })
            }
            Outcome::Exhausted => Outcome::Exhausted,
            Outcome::Stopped(stop) => Outcome::Stopped(stop),
        };
        Search { outcome, lower_bound, counts, before_last_bound }
    }

    /// Returns whether a solution was found and it is proven that none costs less.
    ///
    /// ```
    /// # use taquin_search::{ImplicitGraph, Policy, Problem};
    /// let graph = ImplicitGraph::new(|&n: &u32| [(n + 2, 5)], |&n| n == 4);
    /// let search = Problem::new(&graph, &0).best_first(&Policy::ucs()).run();
    /// assert!(search.is_optimal());
    /// ```
    pub fn is_optimal(&self) -> bool {
        self.solution().is_some_and(|solution| solution.cost == self.lower_bound)
    }
}
