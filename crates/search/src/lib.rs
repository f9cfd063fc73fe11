//! The search kernel: spaces, heuristics, policies, frontiers, engines, limits and counts.

mod random;

pub use random::Random;
