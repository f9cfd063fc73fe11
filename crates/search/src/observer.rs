//! Observing a search.

use crate::graph::Graph;
use crate::space::Cost;

/// Receives the events of a search. The observer `()` ignores them and compiles to nothing.
///
/// ```
/// use taquin_search::{Graph, ImplicitGraph, Node, Observer, Policy, Problem};
///
/// /// Prints the states in the order of expansion.
/// struct Trace(Vec<u32>);
///
/// impl<S: Graph<State = u32>> Observer<S> for Trace {
///     fn expand(&mut self, node: &Node<'_, S>) {
///         self.0.push(*node.state);
///     }
/// }
///
/// let graph = ImplicitGraph::new(|&n: &u32| [(2 * n, 1), (n + 3, 1)], |&n| n == 10);
/// let mut trace = Trace(Vec::new());
/// Problem::new(&graph, &1).observer(&mut trace).best_first(&Policy::bfs()).run();
/// assert_eq!(trace.0, [1, 2, 4, 5]);
/// ```
pub trait Observer<S: Graph> {
    /// Whether engines prepare events at all.
    const ACTIVE: bool = true;

    /// Whether events are wanted at present. Engines need not prepare other events than `bound` and
    /// `goal` while they are not.
    fn is_listening(&self) -> bool {
        Self::ACTIVE
    }

    /// Called before a node is expanded.
    fn expand(&mut self, node: &Node<'_, S>) {
        let _ = node;
    }

    /// Called for each successor of the last expanded node, with its fate.
    fn generate(&mut self, node: &Node<'_, S>, verdict: Verdict) {
        let _ = (node, verdict);
    }

    /// Called for a node that was removed from the open list and dropped: its state had been
    /// expanded, or a beam had no space for it.
    fn discard(&mut self, node: &Node<'_, S>) {
        let _ = node;
    }

    /// Called when a layer of equal rank, or a threshold, begins.
    fn bound(&mut self, bound: u64) {
        let _ = bound;
    }

    /// Called for the goal with which the search ends.
    fn goal(&mut self, node: &Node<'_, S>) {
        let _ = node;
    }
}

impl<S: Graph> Observer<S> for () {
    const ACTIVE: bool = false;
}

/// A node of a search.
#[derive(Debug)]
pub struct Node<'a, S: Graph> {
    /// Its number. The root is 0, and each stored node has the next number. In searches from both
    /// ends, nodes from the start have even numbers, and nodes from the goal odd ones. A duplicate
    /// has the number of the node that it duplicates. Engines that store no nodes number the
    /// generated ones.
    pub id: u64,
    /// The number of its parent.
    pub parent: Option<u64>,
    /// The action that led to it.
    pub action: Option<S::Action>,
    /// Its state.
    pub state: &'a S::State,
    /// The cost of the path to it.
    pub g: Cost,
    /// The estimated cost to a goal.
    pub h: Cost,
    /// The number of actions on the path to it.
    pub depth: u64,
    /// The value by which the search ranks it, unless a policy ranks it. In recursive best-first
    /// search: g + h, or more if more was found below it or its parent. In searches from both ends:
    /// b, the priority in MM, or f. For a priority that grows piece by piece: the bits of that
    /// 32-bit number.
    pub value: Option<Cost>,
}

/// The fate of a generated node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Verdict {
    /// It was added to the open list.
    Kept,
    /// It was dropped: its state was known, and the path to it is no better.
    Duplicate,
    /// It replaced an open node of the same state, because its path is cheaper.
    Cheaper,
    /// It replaced a closed node of the same state, which is open again, because its path is
    /// cheaper.
    Reopened,
    /// It was dropped: it exceeds the depth limit or the threshold.
    Pruned,
}
