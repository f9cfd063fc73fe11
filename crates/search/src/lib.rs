//! Heuristic search in state spaces: A*, IDA*, breadth-first search and relatives.
//!
//! For a graph of your own, pass closures to [`astar`], [`bfs`], [`dijkstra`] (also called
//! [`ucs`]) or [`idastar`]:
//!
//! ```
//! use taquin_search::astar;
//!
//! // The cheapest path from (0, 0) to (3, 3) on a grid where entering (x, y) costs x + y + 1.
//! let found = astar(
//!     &(0u32, 0u32),
//!     |&(x, y)| [(x + 1, y), (x, y + 1)].map(|(x, y)| ((x, y), x + y + 1)),
//!     |&(x, y)| 3u32.saturating_sub(x) + 3u32.saturating_sub(y),
//!     |&position| position == (3, 3),
//! );
//! assert_eq!((found.cost, found.lower_bound), (Some(27), 27));
//! assert_eq!(found.path.len(), 7);
//! println!("{} states expanded", found.counts.expanded);
//! ```
//!
//! [`ImplicitGraph`] adds limits and policies to such a search. [`Found`] has the path, its cost,
//! the reason if there is none, a proven lower bound, and [`Counts`].
//!
//! [`bae`] searches from both ends: it also takes the goal, a state's predecessors and an estimate
//! of the cost from the start. [`TwoWayGraph`] adds limits and other algorithms to it.
//!
//! For the fastest search, implement [`StateSpace`]: states that actions change in place, with
//! compact keys. The engines are the methods of a [`Problem`]. A [`Policy`] sets everything in which
//! one best-first search differs from another, and an [`Observer`] sees every step.

mod best_first;
mod bfida;
mod bidirectional;
mod bounded;
mod branch_and_bound;
mod budgeted;
mod clock;
mod deepening;
mod depth_first;
mod front_to_end;
mod frontier;
mod graph;
mod heuristic;
mod implicit_graph;
mod limits;
mod lrta;
mod named_enum;
mod node_index;
mod node_store;
mod observer;
mod outcome;
mod policy;
mod prefetch;
mod random;
mod rbfs;
mod sma;
mod space;
mod stepwise;

pub use best_first::BestFirst;
pub use bfida::BreadthFirstIda;
pub use bidirectional::Bidirectional;
pub use bounded::{Bounded, BoundedSearch};
pub use branch_and_bound::BranchAndBound;
pub use budgeted::Budgeted;
#[doc(hidden)]
pub use clock::{HAS_THREADS, Instant, time_since_1970};
pub use deepening::{Deepening, IterativeDeepening};
pub use front_to_end::{Choice, FrontToEnd, Sides, TwoWayGraph, bae};
pub use graph::{Graph, TwoWay};
pub use heuristic::{Blind, Heuristic, Incremental, Recomputed};
pub use implicit_graph::{
    Fallible, Found, ImplicitGraph, astar, bfs, bfs_layers, dijkstra, dijkstra as ucs, idastar,
};
pub use limits::{BestKnown, Improvement, Limits, Meter, Monitor, Progress};
pub use lrta::RealTime;
pub use named_enum::NameError;
#[doc(hidden)]
pub use named_enum::excerpt;
pub use observer::{Node, Observer, Verdict};
pub use outcome::{Counts, Outcome, Search, Solution, Stop};
pub use policy::{
    Cutoff, Duplicates, FieldError, GoalTest, Order, Phi, Policy, Rank, Reopen, Tie, Undo, Weight,
};
#[doc(hidden)]
pub use prefetch::prefetch;
pub use random::Random;
pub use rbfs::RecursiveBestFirst;
pub use sma::MemoryBounded;
#[doc(hidden)]
pub use space::boxed_bytes;
pub use space::{Cost, Reversible, StateSpace};
pub use stepwise::{Engine, Problem, Stepwise};

#[cfg(feature = "serde")]
#[doc(hidden)]
pub use serde;

/// Tests the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
