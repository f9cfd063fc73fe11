//! Sliding-tile puzzles: boards, moves, goals, notations, reachability, scrambles and heuristics.

mod board;
mod goal;
mod reach;
pub mod scramble;
mod size;
mod step;

pub use board::{Board, BoardError, Puzzle, PuzzleError};
pub use goal::{GoalNameError, NamedGoal};
pub use reach::{
    Difference, InversionRow, Inversions, Parity, ParityProof, Proof, Reachability, Repair,
    inversion_table, is_reachable, reachability,
};
pub use size::{Cell, MAX_CELLS, Size, SizeError, Tile};
pub use step::{Move, MoveOrder, MoveOrderError, Slide};
