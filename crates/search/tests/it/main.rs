//! The engines, tested on small graphs whose solutions are known.

mod closures;
mod examples;
mod graph;
mod limits;
mod policies;
mod random_graphs;
mod rbfs;
mod stepwise;
