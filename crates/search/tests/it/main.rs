//! The engines, tested on small graphs whose solutions are known.

mod bounded;
mod closures;
mod examples;
mod front_to_end;
mod graph;
mod limits;
mod line;
mod observer;
mod policies;
mod random_graphs;
mod rbfs;
mod stepwise;
