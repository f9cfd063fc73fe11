//! Closed-form heuristics.
//!
//! Each is the optimum of a relaxed puzzle and therefore admissible, with one blank or several and
//! with any move costs: each tile's share is multiplied by its cost. All are consistent: no move
//! changes an estimate by more than its cost, so A* never reopens a state.

mod additive;
mod gaschnig;
mod inversion;
mod linear;

pub use additive::{Additive, Measure};
pub use gaschnig::Gaschnig;
pub use inversion::Inversion;
pub use linear::{Conflict, Linear};
