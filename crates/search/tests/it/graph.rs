//! A graph with weighted edges as a state space, and a table of estimates.

use taquin_search::{
    Cost, Cutoff, Deepening, Heuristic, Outcome, Policy, Problem, Recomputed, Search, StateSpace,
    Undo,
};

/// Edges as (from, to, cost), in the order of generation; the goal is one node, or none.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    pub(crate) edges: Vec<(u32, u32, Cost)>,
    pub(crate) goal: Option<u32>,
}

impl StateSpace for Graph {
    type State = u32;
    type Key = u32;
    type Action = (u32, u32, Cost);

    fn actions(&self, state: &u32, actions: &mut Vec<Self::Action>) {
        actions.extend(self.edges.iter().filter(|edge| edge.0 == *state));
    }

    fn apply(&self, state: &mut u32, (from, to, cost): Self::Action) -> Cost {
        assert_eq!(*state, from);
        *state = to;
        cost
    }

    fn undo(&self, state: &mut u32, (from, ..): Self::Action) {
        *state = from;
    }

    fn inverse(&self, (from, to, cost): Self::Action) -> Option<Self::Action> {
        Some((to, from, cost)).filter(|edge| self.edges.contains(edge))
    }

    fn key(&self, state: &u32) -> u32 {
        *state
    }

    fn state(&self, key: &u32) -> u32 {
        *key
    }

    fn is_goal(&self, state: &u32) -> bool {
        Some(*state) == self.goal
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        let costs = || self.edges.iter().map(|edge| edge.2);
        costs().min().unwrap_or(0)..=costs().max().unwrap_or(0)
    }
}

/// An estimate for each node; 0 for nodes beyond the table.
pub(crate) struct Table(pub(crate) Vec<Cost>);

impl Heuristic<Graph> for Table {
    fn estimate(&self, state: &u32) -> Cost {
        self.0.get(*state as usize).copied().unwrap_or(0)
    }
}

impl Graph {
    pub(crate) fn best_first(&self, table: &Table, policy: &Policy) -> Search<(u32, u32, Cost)> {
        Problem::new(self, &0).heuristic(&Recomputed(table)).best_first(policy).run()
    }

    pub(crate) fn deepening(&self, table: &Table, by_depth: bool) -> Search<(u32, u32, Cost)> {
        let policy = Deepening { by_depth, undo: Undo::Skip, cutoff: Cutoff::After };
        Problem::new(self, &0).heuristic(&Recomputed(table)).deepening(&policy).run()
    }
}

pub(crate) fn path<A: Copy>(search: &Search<(A, u32, Cost)>) -> Option<(Cost, Vec<u32>)> {
    match &search.outcome {
        Outcome::Solved(found) => {
            Some((found.cost, found.actions.iter().map(|action| action.1).collect()))
        }
        _ => None,
    }
}
