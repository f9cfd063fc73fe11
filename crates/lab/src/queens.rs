//! Queens on an N x N board, none attacking another, placed row by row.
//!
//! The space is a tree: a state is the columns of the queens in the first rows, and an action is
//! the next queen's column. All solutions are found by a search without a goal, while an observer
//! collects the full boards.

use std::sync::Arc;

use serde::Serialize;
use taquin::{Algorithm, Counts, Ending, Method, MethodError, Monitor, Reason, TaskLimits};
use taquin_search::{
    Cost, Instant, Node, Observer, Outcome, Problem, Search, StateSpace, boxed_bytes,
};

use crate::space::SpaceMethods;

/// The board, by its number of rows, columns and queens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queens(pub u8);

/// How many solutions to look for, and how many to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum QueensLimit {
    /// The first.
    #[default]
    One,
    /// All of them.
    All,
    /// Their number.
    Count,
}

/// The result of a search for solutions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Placements {
    /// The number of queens.
    pub n: u8,
    /// The method, in full.
    pub method: Method,
    /// How it ended.
    pub outcome: Ending,
    /// Why it ended early.
    pub reason: Option<Reason>,
    /// The number of solutions found.
    pub found: u64,
    /// For each solution the column of the queen in every row, both counted from 1.
    pub solutions: Vec<Vec<u8>>,
    /// The search's counts; full boards are not expanded.
    pub counts: Counts,
    /// The time it took.
    pub seconds: f64,
}

impl Queens {
    const REPERTOIRE: SpaceMethods = SpaceMethods {
        algorithms: &[Algorithm::Bfs, Algorithm::Dfs],
        heuristics: &[],
        has_moves: false,
    };

    /// Reads a method, `bfs` or `dfs` with the fields of its policy.
    ///
    /// # Errors
    /// Fails on any other method.
    pub fn method(text: &str) -> Result<Method, MethodError> {
        Self::REPERTOIRE.read(text)
    }

    /// Places the queens.
    pub fn solve(
        self,
        method: &Method,
        wanted: QueensLimit,
        task_limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Placements {
        let started = Instant::now();
        let (start, policy) = (Vec::new(), &method.policy);
        let limits = task_limits.watched(monitor);
        let mut full =
            Full { n: self.0, keep: wanted == QueensLimit::All, found: 0, boards: Vec::new() };
        let space = Rows { n: self.0, has_goal: wanted == QueensLimit::One };
        let problem = Problem::new(&space, &start).limits(&limits);
        let Search { outcome, mut counts, .. } = match space.has_goal {
            true => problem.best_first(policy).run(),
            false => problem.observer(&mut full).best_first(policy).run(),
        };
        // For the engine the search has no goal; a full board is a solution.
        counts.expanded -= full.found;
        let (outcome, reason) = match &outcome {
            Outcome::Exhausted if full.found > 0 => (Ending::Solved, None),
            Outcome::Solved(solution) => {
                (full.found, full.boards) = (1, vec![solution.actions.clone()]);
                (Ending::Solved, None)
            }
            _ => Ending::of(&outcome),
        };
        let from_one = |board: Vec<u8>| board.into_iter().map(|column| column + 1).collect();
        Placements {
            n: self.0,
            method: method.clone(),
            outcome,
            reason,
            found: full.found,
            solutions: full.boards.into_iter().map(from_one).collect(),
            counts,
            seconds: started.elapsed().as_secs_f64(),
        }
    }
}

/// The rows of a board, filled one after the other.
struct Rows {
    n: u8,
    /// Whether a full board is a goal; otherwise the search continues.
    has_goal: bool,
}

impl StateSpace for Rows {
    type State = Vec<u8>;
    type Key = Box<[u8]>;
    type Action = u8;

    fn actions(&self, columns: &Vec<u8>, actions: &mut Vec<u8>) {
        if columns.len() < usize::from(self.n) {
            actions.extend((0..self.n).filter(|&column| is_safe(columns, column)));
        }
    }

    fn apply(&self, columns: &mut Vec<u8>, column: u8) -> Cost {
        columns.push(column);
        1
    }

    fn undo(&self, columns: &mut Vec<u8>, _: u8) {
        columns.pop();
    }

    fn key(&self, columns: &Vec<u8>) -> Box<[u8]> {
        columns.as_slice().into()
    }

    fn state(&self, key: &Box<[u8]>) -> Vec<u8> {
        key.to_vec()
    }

    fn is_goal(&self, columns: &Vec<u8>) -> bool {
        self.has_goal && columns.len() == usize::from(self.n)
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        1..=1
    }

    fn heap_bytes(&self, key: &Box<[u8]>) -> usize {
        boxed_bytes(key.len())
    }
}

/// Whether no queen attacks this column of the next row.
fn is_safe(columns: &[u8], column: u8) -> bool {
    let attacks = |(rows, &other): (usize, &u8)| {
        column == other || usize::from(column.abs_diff(other)) == rows + 1
    };
    !columns.iter().rev().enumerate().any(attacks)
}

/// Collects the full boards.
struct Full {
    n: u8,
    keep: bool,
    found: u64,
    boards: Vec<Vec<u8>>,
}

impl Observer<Rows> for Full {
    fn expand(&mut self, node: &Node<'_, Rows>) {
        if node.state.len() == usize::from(self.n) {
            self.found += 1;
            if self.keep {
                self.boards.push(node.state.clone());
            }
        }
    }
}
