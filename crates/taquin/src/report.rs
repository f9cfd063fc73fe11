//! What came of a task.

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts, Improvement, Stop};
use taquin_tiles::{Notation, Puzzle, Slide, read_moves};

use crate::method::Method;

/// What came of a task: flat, and the same wherever it is shown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The puzzle: `rows`, `cols`, and `start` and `goal` row by row.
    pub puzzle: Puzzle,
    /// The method, in full.
    pub method: Method,
    /// How it ended.
    pub outcome: Ending,
    /// Why it ended without a solution.
    pub reason: Option<Reason>,
    /// What the solution costs.
    pub cost: Option<Cost>,
    /// The number of its moves.
    pub depth: Option<u64>,
    /// No solution costs less: this is proven.
    pub lower_bound: Option<Cost>,
    /// Whether the solution is proven to be optimal.
    pub optimal: bool,
    /// The moves, named after where the blank goes; with several blanks each with its tile.
    pub moves: Option<String>,
    /// What the search counted.
    pub counts: Counts,
    /// The counts when the last layer or threshold began.
    pub before_last_bound: Option<Counts>,
    /// The time it took.
    pub seconds: f64,
    /// What a reader should know besides, in plain words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The answers on the way to this one, each better than the one before, where it was improved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub improvements: Vec<Improvement>,
}

/// How a task ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With a solution, proven optimal or not.
    Solved,
    /// Without a search: the goal can't be reached.
    Unsolvable,
    /// By a complete search: the goal can't be reached.
    Exhausted,
    /// By a limit.
    Stopped,
}

/// Why there is no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The parity of the permutation rules it out.
    Parity,
    /// Tiles on a line can't pass each other.
    Order,
    /// The limit on expanded nodes.
    Expanded,
    /// The limit on generated nodes.
    Generated,
    /// The memory limit.
    Memory,
    /// The time limit.
    Time,
    /// It was interrupted.
    Cancelled,
    /// The depth limit.
    Depth,
    /// The beam was too narrow.
    Beam,
    /// The tables that the method needs can't be had.
    Tables,
    /// Costs grew beyond what can be counted.
    Cost,
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Expanded => Self::Expanded,
            Stop::Generated => Self::Generated,
            Stop::Memory => Self::Memory,
            Stop::Time => Self::Time,
            Stop::Cancelled => Self::Cancelled,
            Stop::Depth => Self::Depth,
            Stop::Beam => Self::Beam,
            _ => Self::Cost,
        }
    }
}

impl Report {
    /// The moves as slides.
    pub fn slides(&self) -> Vec<Slide> {
        let moves = self.moves.as_deref().unwrap_or("");
        read_moves(moves, Some(Notation::Blank), self.puzzle.start()).unwrap_or_default()
    }
}
