//! Depth-first search in a graph that is given by closures.
//!
//! The successors of every state on the current path are kept in one stack, so that a state is a
//! number and nothing is allocated per node.

use std::cell::RefCell;
use std::hash::Hash;

use super::ImplicitGraph;
use crate::deepening::Deepening;
use crate::heuristic::Recomputed;
use crate::outcome::Search;
use crate::policy::{Cutoff, Undo};
use crate::space::{Cost, StateSpace};
use crate::stepwise::Problem;

/// Searches with IDA*. The steps of the solution are the states after `start`.
pub(super) fn idastar<N, I, F, G>(
    graph: &ImplicitGraph<N, F, G>,
    start: &N,
    estimate: &impl Fn(&N) -> Cost,
) -> Search<N>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    F: Fn(&N) -> I,
    G: Fn(&N) -> bool,
{
    let walk = Walk { graph, states: RefCell::new(vec![start.clone()]) };
    let heuristic = |place: &StackFrame| estimate(&walk.states.borrow()[place.state]);
    let policy = Deepening { by_depth: false, undo: Undo::Keep, cutoff: Cutoff::After };
    let (start, heuristic) = (StackFrame { state: 0, end: 1 }, Recomputed(&heuristic));
    let problem = Problem::new(&walk, &start).heuristic(&heuristic).limits(&graph.limits);
    problem.deepening(&policy).run().map(|edge| walk.states.borrow()[edge.to.state].clone())
}

/// A graph in which states are numbered in the order of a depth-first search.
struct Walk<'a, N, F, G> {
    graph: &'a ImplicitGraph<N, F, G>,
    /// The start, and the successors of each state on the path.
    states: RefCell<Vec<N>>,
}

/// A state on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StackFrame {
    state: usize,
    /// The end of its parent's successors. Later states are no longer needed when it is expanded.
    end: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Edge {
    from: StackFrame,
    to: StackFrame,
    cost: Cost,
}

impl<N, I, F, G> StateSpace for Walk<'_, N, F, G>
where
    N: Clone + Eq + Hash,
    I: IntoIterator<Item = (N, Cost)>,
    F: Fn(&N) -> I,
    G: Fn(&N) -> bool,
{
    type State = StackFrame;
    type Key = N;
    type Action = Edge;

    const MAY_CANCEL: bool = true;

    fn actions(&self, &from: &StackFrame, actions: &mut Vec<Edge>) {
        let mut states = self.states.borrow_mut();
        states.truncate(from.end);
        let first = actions.len();
        for (next, cost) in (self.graph.successors)(&states[from.state]) {
            actions.push(Edge { from, to: StackFrame { state: states.len(), end: 0 }, cost });
            states.push(next);
        }
        for edge in &mut actions[first..] {
            edge.to.end = states.len();
        }
    }

    fn apply(&self, place: &mut StackFrame, edge: Edge) -> Cost {
        *place = edge.to;
        edge.cost
    }

    fn undo(&self, place: &mut StackFrame, edge: Edge) {
        *place = edge.from;
    }

    fn key(&self, place: &StackFrame) -> N {
        self.states.borrow()[place.state].clone()
    }

    fn state(&self, key: &N) -> StackFrame {
        // Only engines that store keys ask for the state of one.
        let found = self.states.borrow().iter().position(|state| state == key);
        let state = found.expect("the state is on the stack");
        StackFrame { state, end: self.states.borrow().len() }
    }

    fn is_goal(&self, place: &StackFrame) -> bool {
        (self.graph.is_goal)(&self.states.borrow()[place.state])
    }
}
