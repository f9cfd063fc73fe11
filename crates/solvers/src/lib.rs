//! Specialised engines: optimal solvers for small boards, and good solutions for boards of any
//! size.
//!
//! ```
//! use taquin_solvers::{Solver, SolverHeuristic, SolverOptions};
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
mod beam;
mod ida;
mod journal;
mod layers;
mod limits;
mod segments;
mod solver;
mod tally;
mod threads;

#[doc(hidden)]
pub use beam::training;
#[doc(hidden)]
pub use beam::{BoardView, follow};
pub use beam::{
    ImproveFrom, ScoreTables, WideBeam, WidePath, WideSearch, improve, improve_with,
    rules as beam_rules,
};
pub use journal::{DeviceFrontier, Journal, Refusal, Scope, Share, Snapshot};
pub use layers::layers;
pub use segments::SegmentSolver;
pub use solver::{FrontierOptions, Solver, SolverHeuristic, SolverOptions};
pub use tally::Tally;
