//! The search kernel: spaces, heuristics, policies, frontiers, engines, limits and counts.

mod best_first;
mod bidirectional;
mod deepening;
mod frontier;
mod heuristic;
mod limits;
mod method_syntax;
mod named_enum;
mod node_index;
mod observer;
mod outcome;
mod policy;
mod prefetch;
mod random;
mod rbfs;
mod space;

pub use best_first::best_first;
pub use bidirectional::bidirectional;
pub use deepening::{Deepening, deepening};
pub use heuristic::{Blind, ForGoalless, Heuristic, Incremental, Recomputed};
pub use limits::{Improvement, Limits, Meter, Monitor, Progress};
pub use method_syntax::{MethodError, MethodSyntax};
pub use named_enum::{NameError, excerpt};
pub use observer::{Node, Observer, Verdict};
pub use outcome::{Counts, Outcome, Search, Solution, Stop};
pub use policy::{
    Duplicates, FieldError, GoalTest, Order, Policy, Rank, Reopen, Tie, Undo, Weight,
};
pub use prefetch::prefetch;
pub use random::Random;
pub use rbfs::rbfs;
pub use space::{Cost, Goalless, Reversible, StateSpace, boxed_bytes};
