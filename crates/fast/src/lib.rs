//! Specialised engines: optimal solvers for small boards, and good solutions for boards of any
//! size.
//!
//! ```
//! use taquin_fast::{Solver, SolverHeuristic, SolverOptions};
//! use taquin_search::Limits;
//! use taquin_tiles::{Board, NamedGoal};
//!
//! let start: Board = "8 6 7/2 5 4/3 0 1".parse()?;
//! let goal = NamedGoal::Last.board(start.size(), 1);
//! let heuristic = SolverHeuristic::Manhattan;
//! let solver = Solver::new(&goal, &heuristic, SolverOptions::default()).expect("3x3, one blank");
//! let search = solver.solve(&start, 1, &Limits::default()).expect("a start of the same size");
//! assert_eq!(search.solution().map(|solution| solution.cost), Some(31));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aida;
mod anytime;
mod board;
mod bucket;
mod journal;
mod layers;
mod limits;
mod manhattan_engine;
mod moves;
mod parallel;
mod pattern_engine;
mod pattern_steps;
mod solver;
mod subtree;
mod sweep;
mod threads;
mod tree;
mod zero_engine;
mod zero_steps;

pub use aida::FrontierShare;
#[doc(hidden)]
pub use anytime::training;
pub use anytime::{
    ImproveFrom, ScoreTables, WideBeam, WidePath, WideSearch, beam_rules, improve, improve_with,
};
#[doc(hidden)]
pub use anytime::{Seen, follow};
pub use journal::{Cut, Journal, Refusal, Snapshot};
pub use layers::layers;
pub use solver::{FrontierOptions, SharePlace, Solver, SolverHeuristic, SolverOptions};
pub use subtree::{Subtree, SubtreeEnd, SubtreeSearch, TreeCut};
pub use sweep::SweepCounts;
