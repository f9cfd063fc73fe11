//! Closed-form estimates of the moves to the goal.
//!
//! Each is the optimum of an easier puzzle and therefore never too high, with one blank or several,
//! and with any cost of moves: every tile's share is weighed by what it costs to move that tile.
//! All are consistent too: no move changes an estimate by more than it costs, so that A* reopens
//! nothing.

mod additive;
mod gaschnig;
mod inversion;
mod linear;

pub use additive::{Additive, Measure};
pub use gaschnig::Gaschnig;
pub use inversion::Inversion;
pub use linear::{Conflict, Linear};
