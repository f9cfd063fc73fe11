//! The laboratory: courses and papers as conventions, comparisons, and other spaces on the same kernel.

mod approach;
pub mod queens;
pub mod route;

pub use approach::Approach;
