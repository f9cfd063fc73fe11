//! Cheapest paths on a map of walls and cells with costs.

mod map;
mod octile;

use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Algorithm, Counts, Ending, Estimate, Method, MethodError, Monitor, Move, MoveOrder, Reason,
    TaskLimits,
};
use taquin_search::{Blind, Cost, Incremental, Instant, Problem, Recomputed, Search, StateSpace};

pub use map::{Map, MapError, MapFault};
pub use octile::{OctileError, OctileMap, OctilePath, Scenario};

use crate::space::SpaceMethods;

/// The result of a search for a path.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Route {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The method, in full.
    pub method: Method,
    /// How it ended.
    pub outcome: Ending,
    /// Why it ended without a path.
    pub reason: Option<Reason>,
    /// The cost of the path.
    pub cost: Option<Cost>,
    /// The number of its steps.
    pub steps: Option<usize>,
    /// No path costs less: this is proven.
    pub lower_bound: Option<Cost>,
    /// Whether the path is proven to be the cheapest.
    pub optimal: bool,
    /// The steps by their letters.
    pub moves: Option<String>,
    /// The cells from start to goal, as row and column, both counted from 1.
    pub path: Option<Vec<(usize, usize)>>,
    /// The map with the path drawn on it.
    pub drawing: Vec<String>,
    /// The counts of the search.
    pub counts: Counts,
    /// The counts when the last layer began.
    pub before_last_bound: Option<Counts>,
    /// The time it took.
    pub seconds: f64,
}

const REPERTOIRE: SpaceMethods = SpaceMethods {
    algorithms: &[
        Algorithm::Bfs,
        Algorithm::Dfs,
        Algorithm::Ucs,
        Algorithm::Greedy,
        Algorithm::Astar,
    ],
    heuristics: &["manhattan", "zero"],
    has_moves: true,
};

/// A map whose cells' exits are in move order.
struct MapGraph<'a> {
    map: &'a Map,
    moves: MoveOrder,
}

impl Map {
    /// Reads a method: `bfs`, `dfs`, `ucs`, `greedy` or `astar`, the last two with `:manhattan` or
    /// `:zero`, and the fields of their policies.
    ///
    /// # Errors
    /// Fails on any other method.
    pub fn method(text: &str) -> Result<Method, MethodError> {
        REPERTOIRE.read(text)
    }

    /// Searches for a path from the start to the goal.
    pub fn solve(
        &self,
        method: &Method,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Route {
        let started = Instant::now();
        let ways = MapGraph { map: self, moves: method.moves };
        let search = match &method.estimate {
            Some(Estimate::Manhattan) => ways.search(
                &Recomputed(&|&cell: &u32| self.estimate(cell)),
                method,
                task_limits,
                monitor,
            ),
            _ => ways.search(&Blind, method, task_limits, monitor),
        };
        let optimal = search.is_optimal();
        let solution = search.solution();
        let steps = solution.map(|solution| solution.actions.as_slice());
        let (outcome, reason) = Ending::of(&search.outcome);
        Route {
            rows: self.rows(),
            cols: self.cols(),
            method: method.clone(),
            outcome,
            reason,
            cost: solution.map(|solution| solution.cost),
            steps: steps.map(<[Move]>::len),
            lower_bound: (outcome != Ending::Exhausted).then_some(search.lower_bound),
            optimal,
            moves: steps.map(|steps| steps.iter().map(|step| step.letter()).collect()),
            path: steps.map(|steps| self.walk(steps).map(|cell| self.place(cell)).collect()),
            drawing: self.draw(steps.unwrap_or(&[])),
            counts: search.counts,
            before_last_bound: search.before_last_bound,
            seconds: started.elapsed().as_secs_f64(),
        }
    }
}

impl MapGraph<'_> {
    fn search<H: Incremental<Self>>(
        &self,
        heuristic: &H,
        method: &Method,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Search<Move> {
        let limits = task_limits.watched(monitor);
        let start = self.map.start();
        let problem = Problem::new(self, &start).heuristic(heuristic).limits(&limits);
        problem.best_first(&method.policy).run()
    }
}

impl StateSpace for MapGraph<'_> {
    type State = u32;
    type Key = u32;
    type Action = Move;

    fn actions(&self, &cell: &u32, actions: &mut Vec<Move>) {
        let is_open = |step: &Move| self.map.step(cell, *step).is_some();
        actions.extend(self.moves.moves().iter().filter(|step| is_open(step)));
    }

    fn apply(&self, cell: &mut u32, step: Move) -> Cost {
        let (next, cost) = self.map.step(*cell, step).expect("only open steps are listed");
        *cell = next;
        cost
    }

    fn undo(&self, cell: &mut u32, step: Move) {
        let (before, _) = self.map.step(*cell, step.opposite()).expect("a step leads back");
        *cell = before;
    }

    fn inverse(&self, step: Move) -> Option<Move> {
        Some(step.opposite())
    }

    fn key(&self, &cell: &u32) -> u32 {
        cell
    }

    fn state(&self, &cell: &u32) -> u32 {
        cell
    }

    fn is_goal(&self, &cell: &u32) -> bool {
        self.map.goals().contains(&cell)
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        self.map.costs()
    }
}
