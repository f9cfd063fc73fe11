//! Specialised engines.

mod anytime;
mod automaton;
mod deepen;
mod journal;
mod kernel;
mod layers;
mod manhattan;
mod packed;
mod patterns;
mod prepared;
mod solver;
mod watch;

pub use anytime::{Improve, improve};
pub use journal::{Journal, Snapshot};
pub use layers::layers;
pub use solver::{Solver, SolverHeuristic, SolverOptions};
