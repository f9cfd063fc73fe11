//! The answer to "can this puzzle be solved?", with its proof.

use serde::Serialize;
use taquin::{InversionRow, Puzzle, Reachability, inversion_table, reachability};

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
}

impl Check {
    /// Checks whether `puzzle` can be solved.
    pub fn new(puzzle: Puzzle) -> Self {
        let answer = reachability(&puzzle);
        let small = puzzle.size().cells() <= MAX_CELLS;
        let inversion_table = small.then(|| inversion_table(&puzzle).collect());
        Self { puzzle, answer, inversion_table }
    }

    /// Returns whether the board is small enough to be written out in a sentence.
    pub const fn is_small(&self) -> bool {
        self.inversion_table.is_some()
    }
}
