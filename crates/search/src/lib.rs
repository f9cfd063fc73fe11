//! The search kernel: spaces, heuristics, policies, frontiers, engines, limits and counts.

mod best_first;
mod bidirectional;
mod deepening;
mod fetch;
mod frontier;
mod heuristic;
mod index;
mod limits;
mod observer;
mod outcome;
mod policy;
mod random;
mod space;
mod spelling;

pub use best_first::best_first;
pub use bidirectional::bidirectional;
pub use deepening::{Deepening, deepening};
pub use fetch::fetch;
pub use frontier::{Beam, Buckets, Frontier, Heap, Taken};
pub use heuristic::{Anew, Blind, Heuristic, Incremental, Regardless};
pub use limits::{Improvement, Limits, Meter, Monitor, Progress};
pub use observer::{Node, Observer, Verdict};
pub use outcome::{Counts, Outcome, Search, Solution, Stop};
pub use policy::{
    Duplicates, FieldError, GoalTest, Order, Policy, Rank, Reopen, Tie, Undo, Weight,
};
pub use random::Random;
pub use space::{Cost, Goalless, Key, Reversible, StateSpace};
pub use spelling::{MethodError, Spelled};
