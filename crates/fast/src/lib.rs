//! Specialised engines.

mod automaton;
mod deepen;
mod kernel;
mod manhattan;
mod packed;
mod patterns;
mod solver;
mod watch;

pub use solver::{Estimate, Options, Solver};
