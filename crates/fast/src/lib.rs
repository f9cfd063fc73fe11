//! Specialised engines.

mod automaton;
mod deepen;
mod journal;
mod kernel;
mod manhattan;
mod packed;
mod patterns;
mod solver;
mod watch;

pub use journal::{Journal, Snapshot};
pub use solver::{Estimate, Options, Solver};
