//! The answer to "can this puzzle be solved?", with its proof.

use serde::Serialize;
use taquin::{
    InversionRow, NamedGoal, Puzzle, Reachability, inversion_table, is_reachable, reachability,
};

/// Inversion tables are included for boards of up to this many cells.
const MAX_CELLS: usize = 36;

/// Whether a puzzle can be solved, and why.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Check {
    /// The start and the goal.
    pub puzzle: Puzzle,
    /// The answer and its proof.
    #[serde(flatten)]
    pub answer: Reachability,
    /// For each tile, the later tiles that it should not precede. `None` for large boards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inversion_table: Option<Vec<InversionRow>>,
    /// The named goals that the start can reach, if it cannot reach this one and this one has a
    /// name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_goals: Vec<NamedGoal>,
}

impl Check {
    /// Checks whether `puzzle` can be solved.
    pub fn new(puzzle: Puzzle) -> Self {
        let answer = reachability(&puzzle);
        let small = puzzle.size().cells() <= MAX_CELLS;
        let inversion_table = small.then(|| inversion_table(&puzzle).collect());
        let board = |goal: NamedGoal| goal.board(puzzle.size(), puzzle.start().blanks().count());
        let is_named = NamedGoal::ALL.into_iter().any(|goal| board(goal) == *puzzle.goal());
        let is_other = |goal: &NamedGoal| {
            let other = Puzzle::new(puzzle.start().clone(), board(*goal));
            !answer.reachable && is_named && other.is_ok_and(|other| is_reachable(&other))
        };
        let other_goals = NamedGoal::ALL.into_iter().filter(is_other).collect();
        Self { puzzle, answer, inversion_table, other_goals }
    }

    /// Returns whether the board is small enough to be written out in a sentence.
    pub const fn is_small(&self) -> bool {
        self.inversion_table.is_some()
    }
}
