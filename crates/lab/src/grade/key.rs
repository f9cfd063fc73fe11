//! The answers to a rubric, computed once.

use std::sync::Arc;

use taquin::{
    Board, Costs, Ending, Monitor, Puzzle, Session, Slide, Task, Watch, excerpt, is_reachable,
};

use super::{Criterion, Rubric, RubricBoard};
use crate::course::{FigureKind, Value};
use crate::optimum::optimum;

/// The answers to a rubric.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    /// The answers, in the order of the boards.
    pub boards: Vec<BoardKey>,
}

/// The answers for one board.
#[derive(Clone, PartialEq, Debug)]
pub struct BoardKey {
    /// The board and its goal.
    pub puzzle: Puzzle,
    /// Whether there is a solution.
    pub is_solvable: bool,
    /// The cost of the cheapest solution, if there is one and the rubric has points for it.
    pub optimum: Option<u64>,
    /// The figures of [`Criterion::FIGURES`] that the rubric has points for.
    pub figures: [Option<u64>; 4],
    cost: Costs,
}

/// Why a board has no key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The goal does not fit the board.
    #[error("board {number}: {reason}")]
    Goal {
        /// The number of the board, from 1.
        number: usize,
        /// The parts that do not fit.
        reason: String,
    },
    /// The shortest solution was not found within the limits.
    #[error("board {number}: its shortest solution was not found within the limits")]
    Optimum {
        /// The number of the board, from 1.
        number: usize,
    },
    /// The course's method did not end within the limits.
    #[error("board {number}: {method} did not solve it within the limits")]
    Method {
        /// The number of the board, from 1.
        number: usize,
        /// The method.
        method: String,
    },
    /// The search was cancelled.
    #[error("interrupted")]
    Cancelled,
}

/// The time for the shortest solution of a board, in seconds.
const SECONDS: f64 = 60.0;

impl Key {
    /// Computes the answers to a rubric; each search uses at most `memory` bytes.
    ///
    /// # Errors
    /// Fails if a search reaches a limit.
    pub fn new(
        rubric: &Rubric,
        session: &Session,
        monitor: &Arc<Monitor>,
        memory: Option<u64>,
    ) -> Result<Self, KeyError> {
        let board = |(number, board)| {
            let key = BoardKey::new(number, board, rubric, session, monitor, memory);
            if monitor.is_cancelled() { Err(KeyError::Cancelled) } else { key }
        };
        Ok(Self { boards: (1..).zip(&rubric.boards).map(board).collect::<Result<_, _>>()? })
    }
}

impl BoardKey {
    fn new(
        number: usize,
        board: &RubricBoard,
        rubric: &Rubric,
        session: &Session,
        monitor: &Arc<Monitor>,
        memory: Option<u64>,
    ) -> Result<Self, KeyError> {
        let goal = rubric.goal_of(&board.board);
        let puzzle = goal
            .and_then(|goal| {
                Puzzle::new(board.board.clone(), goal).map_err(|error| error.to_string())
            })
            .map_err(|reason| KeyError::Goal { number, reason })?;
        let course = rubric.course();
        let is_solvable = is_reachable(&puzzle);
        let mut key = Self {
            puzzle,
            is_solvable,
            optimum: None,
            figures: [None; 4],
            cost: course.cost.clone(),
        };
        if !is_solvable {
            return Ok(key);
        }
        if board.points(Criterion::Optimal, &key) > 0 {
            let mut task = Task::from(key.puzzle.clone());
            task.cost = course.cost.clone();
            task.limits.seconds = Some(SECONDS);
            task.limits.memory = memory;
            let report = optimum(session, &task, monitor)
                .unwrap_or_else(|| session.run(&task, Watch::by(monitor)));
            let cost = report.cost.filter(|_| report.optimal);
            key.optimum = Some(cost.map(u64::from).ok_or(KeyError::Optimum { number })?);
        }
        if Criterion::FIGURES.into_iter().any(|figure| board.points(figure, &key) > 0) {
            let mut task = course.task(key.puzzle.clone(), board.method.clone());
            task.limits.seconds = Some(SECONDS);
            task.limits.memory = memory;
            let report = session.run(&task, Watch::by(monitor));
            if report.outcome != Ending::Solved {
                let method = excerpt(&board.method.to_string());
                return Err(KeyError::Method { number, method });
            }
            key.figures =
                Criterion::FIGURES.map(|criterion| match rubric.figure(criterion).value(&report) {
                    Value::Number(number) => Some(number),
                    _ => None,
                });
        }
        Ok(key)
    }

    /// The cost of a move.
    pub const fn cost(&self) -> &Costs {
        &self.cost
    }

    /// The right value of a printed figure.
    pub fn figure(&self, criterion: Criterion) -> Option<u64> {
        let at = Criterion::FIGURES.iter().position(|figure| *figure == criterion)?;
        self.figures[at]
    }

    /// Returns where moves lead, and what they cost. Moves after an illegal one are left out.
    pub(super) fn replay(&self, slides: &[Slide]) -> (Board, u64) {
        let mut board = self.puzzle.start().clone();
        let mut cost = 0;
        for slide in slides {
            let Ok(tile) = board.slide(*slide) else { break };
            cost += u64::from(self.cost.of(tile, self.puzzle.size().cells()));
        }
        (board, cost)
    }
}

impl Rubric {
    /// A course's figure for a criterion, or taquin's count if the course prints no such figure.
    pub(super) fn figure(&self, criterion: Criterion) -> FigureKind {
        let kinds = kinds(criterion);
        let own = self.course().figures.iter().map(|figure| figure.what);
        own.into_iter().find(|what| kinds.contains(what)).unwrap_or(kinds[0])
    }
}

/// The figures of courses that a criterion can mean, taquin's own first.
pub(super) const fn kinds(criterion: Criterion) -> &'static [FigureKind] {
    match criterion {
        Criterion::Expanded => &[FigureKind::Expanded, FigureKind::Taken, FigureKind::Popped],
        Criterion::Generated => {
            &[FigureKind::GeneratedWithoutRoot, FigureKind::Generated, FigureKind::Visited]
        }
        Criterion::Queue => &[FigureKind::Queue],
        _ => &[FigureKind::Depth],
    }
}
