//! The verdict on a solution that someone hands in: is it legal, does it reach the goal, is it
//! optimal?

use serde::Serialize;
use taquin::{Notation, Report, Task, Tile};

use crate::solution::{SolutionError, read_solution};

/// The verdict on a list of moves: whether they solve a puzzle, and how well.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verdict {
    /// Whether the board allows every move.
    pub legal: bool,
    /// Whether they reach the goal.
    pub solves: bool,
    /// The number of moves.
    pub length: Option<usize>,
    /// Their cost.
    pub cost: Option<u64>,
    /// Whether no solution is cheaper; nothing if that is not known.
    pub optimal: Option<bool>,
    /// The cost of the cheapest solution, if it is known.
    pub optimum: Option<u64>,
    /// Every solution costs at least this much.
    pub lower_bound: u64,
    /// How the moves are written.
    pub form: Option<String>,
    /// The board after the moves.
    pub end: Option<Vec<Tile>>,
    /// Why they are no solution.
    pub problem: Option<String>,
}

impl Verdict {
    const fn none() -> Self {
        Self {
            legal: false,
            solves: false,
            length: None,
            cost: None,
            optimal: None,
            optimum: None,
            lower_bound: 0,
            form: None,
            end: None,
            problem: None,
        }
    }

    /// The verdict on moves that the board does not allow, or on a text without moves.
    pub fn illegal(error: &SolutionError) -> Self {
        let form = error.form().map(|form| form.to_string());
        Self { form, problem: Some(error.to_string()), ..Self::none() }
    }

    /// Judges the moves of a text. `best` is called if they reach the goal, and returns the best
    /// that is known about the puzzle.
    ///
    /// # Errors
    /// Fails if the text contains no moves, or if the board does not allow one of them.
    pub fn new(
        text: &str,
        notation: Option<Notation>,
        task: &Task,
        best: impl FnOnce() -> Report,
    ) -> Result<Self, SolutionError> {
        let puzzle = &task.puzzle;
        let read = read_solution(text, puzzle, notation)?;
        let mut end = puzzle.start().clone();
        let mut cost = 0;
        for slide in &read.slides {
            // The reader has made every move.
            let Ok(tile) = end.slide(*slide) else { break };
            cost += u64::from(task.cost.of(tile, task.puzzle.size().cells()));
        }
        let solves = end == *puzzle.goal();
        let mut verdict = Self {
            legal: true,
            solves,
            length: Some(read.slides.len()),
            cost: Some(cost),
            form: Some(read.form.to_string()),
            end: Some(end.tiles().to_vec()),
            ..Self::none()
        };
        if !solves {
            verdict.optimal = Some(false);
            verdict.problem = Some(format!("the moves end at {end}"));
            return Ok(verdict);
        }
        let report = best();
        let bound = u64::from(report.lower_bound.unwrap_or(0));
        let known = report.cost.map(u64::from);
        verdict.lower_bound = bound;
        verdict.optimum = match known {
            _ if cost <= bound => Some(cost),
            known if report.optimal => known,
            _ => None,
        };
        verdict.optimal = match (verdict.optimum, known) {
            (Some(optimum), _) => Some(cost == optimum),
            (None, Some(known)) if known < cost => Some(false),
            _ => None,
        };
        if verdict.optimal == Some(false) && verdict.optimum.is_none() {
            verdict.problem = known.map(|known| format!("there is one with {known}"));
        }
        Ok(verdict)
    }

    /// Returns whether every move costs 1.
    pub fn is_counted(&self) -> bool {
        self.cost == self.length.map(|length| length as u64)
    }
}
