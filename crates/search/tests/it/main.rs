//! The kernel against graphs small enough to know everything about.

mod graph;
mod limits;
mod policies;
mod random_graphs;
mod rbfs;
