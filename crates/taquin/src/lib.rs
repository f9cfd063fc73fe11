//! taquin solves sliding-tile puzzles: any board, any number of blanks, any goal.
//!
//! [`solve`] solves a board. A [`Task`] is a puzzle, a [`Method`] and limits. A [`Session`] runs
//! it, and the [`Report`] has its results, proofs and counts. All are data, and look the same in
//! every front end. Every other piece of work is a [`Job`] for a session, too.
//!
//! ```
//! use taquin::{Board, Session, Task, Watch};
//!
//! let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
//! assert_eq!(taquin::solve(&board)?.cost, Some(31));
//!
//! let task = Task { method: "astar:linear".parse()?, ..board.into() };
//! let report = Session::without_folder().run(&task, Watch::default());
//! assert!(report.optimal && report.counts.expanded > 1000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Work
//!
//! [`Session::run`] runs every job, and a [`Watch`] follows it: progress, steps, tables, warnings.
//!
//! | job | result |
//! |---|---|
//! | `&`[`Task`] | a [`Report`] |
//! | [`SavedSearch`] | the same, with its progress in a file |
//! | [`AllSolutions`] | every shortest solution |
//! | [`SolveMany`] | the answers for many boards, in their order |
//! | [`SplitTask`], [`SearchPart`], [`MergeParts`] | a search by many processes, in a folder |
//! | [`OnDevice`], [`WithHeuristic`] | a search on a device, or with your own heuristic |
//! | `&`[`SpaceJob`], [`SpaceTableJob`] | all boards by their distance from a goal |
//! | [`BoardsAtDepth`] | random boards at one distance |
//!
//! ```
//! use std::ops::ControlFlow;
//! use taquin::{AllSolutions, Board, Session, SpaceJob, Task, Watch};
//!
//! let session = Session::without_folder();
//! let task: Task = "8 6 7/2 5 4/3 0 1".parse::<Board>()?.into();
//! let mut count = 0;
//! let mut each = |_: &[taquin::Slide]| {
//!     count += 1;
//!     ControlFlow::Continue(())
//! };
//! session.run(AllSolutions { task: &task, each: &mut each }, Watch::default());
//! assert_eq!(count, 40);
//!
//! let space = session.run(&SpaceJob::new(task.puzzle.goal()), Watch::default())?;
//! assert_eq!(space.depths[31], 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Related crates
//!
//! `taquin-search` has the engines for any graph, `taquin-tiles` the boards, `taquin-tables`
//! pattern databases and whole spaces, `taquin-solvers` the fastest engines. `taquin-gpu` is an
//! [`Accelerator`] for CUDA devices, and `taquin-lab` reproduces courses and papers.

mod accelerator;
mod algorithm;
mod all;
mod cache;
mod checkpoint;
mod contradiction;
mod depth;
mod engine;
mod folder;
mod heuristic;
mod job;
mod many;
mod method;
mod method_syntax;
mod on;
mod portfolio;
mod report;
mod sealed;
mod session;
mod tables;
mod task;
mod trace;
mod units;
mod watch;
mod whole;

/// Whether this is the module that a page without a server loads first, built with `--cfg
/// taquin_first`. It has the engines that expand one node after the other, but no databases,
/// specialised engines or courses. It runs the tasks for which [`Task::is_in_first`] is true. The
/// whole module answers the rest.
pub const IS_FIRST: bool = cfg!(taquin_first);

pub use accelerator::{Accelerator, DeviceBatch, DeviceError, DeviceSearch, WhenBusy};
pub use algorithm::{Algorithm, AlgorithmRow};
pub use all::AllSolutions;
pub use checkpoint::{Checkpoint, CheckpointError, SavedSearch};
pub use contradiction::ChangedTables;
pub use depth::{BoardsAtDepth, DepthError, is_uniform_at_depth};
pub use folder::{
    FolderError, FolderStatus, MergeOutcome, MergeParts, PartOptions, PartOutcome, SearchPart,
    SplitOptions, SplitTask, TaskFolder,
};
pub use heuristic::{Estimate, Evaluator, OwnHeuristic};
pub use job::Job;
pub use many::{BoardInput, ManyError, Preparation, SolveMany, panic_message};
pub use method::{Blank, Method};
pub use method_syntax::{MethodError, MethodSyntax};
pub use on::Device;
pub use portfolio::AUTO_TIME;
pub use report::{Conclusion, Ending, Hint, Reason, Report, Stage};
pub use session::{OnDevice, Session, UnsolvableError, WithHeuristic, solve};
pub use tables::{TableError, TableEvent, TableFiles, TableWarning};
pub use task::{Task, TaskLimits};
pub use trace::{Event, TraceNode};
pub use units::{UnitError, free_memory, read_bytes, read_count, read_time, write_bytes};
pub use watch::Watch;
pub use whole::{Enumeration, NearJob, SpaceError, SpaceFiles, SpaceJob, SpaceTableJob, layers};

#[doc(hidden)]
pub use taquin_search::Instant;
pub use taquin_search::{
    BestKnown, Cost, Counts, Cutoff, Duplicates, GoalTest, Improvement, Limits, Monitor, Order,
    Phi, Policy, Progress, Random, Rank, Reopen, Sides, Tie, Undo, Verdict, Weight,
};
pub use taquin_tables::whole::{self as space, ExploreError, Metric};
pub use taquin_tables::{
    AutomatonPlan, AutomatonShape, BuildError, BuildPlan, BuildRequest, FileError, FileFault,
    Packing, Partition, PartitionError, Pattern, PatternKind, PerimeterShape, Reflection, Shape,
    StoredTable, TableInfo, TableStore, check_replaceable, replace_file_with,
};
#[doc(inline)]
pub use taquin_tiles::*;
