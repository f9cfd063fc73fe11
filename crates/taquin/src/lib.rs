//! taquin solves sliding-tile puzzles: any board, any number of blanks, any goal.
//!
//! A [`Task`] is a puzzle, a [`Method`] and limits; a [`Session`] runs it, and the [`Report`] says what
//! was found, proven and counted. All of them are data, and look the same in every front end.
//!
//! ```
//! use taquin::{Board, Notation, Session, Task, Watch};
//!
//! let task: Task = "1 2 3/4 0 6/7 5 8".parse::<Board>()?.into();
//! let report = Session::without_folder().run(&task, Watch::default());
//! assert_eq!(report.write_moves(Notation::Blank).as_deref(), Some("DR"));
//! assert!(report.optimal);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accelerator;
mod algorithm;
mod all;
mod build_command;
mod cache;
mod checkpoint;
mod contradiction;
mod depth;
mod engine;
mod folder;
mod heuristic;
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

pub use accelerator::{Accelerator, DeviceBatch, DeviceError, DeviceSearch, WhenBusy};
pub use algorithm::{Algorithm, AlgorithmRow};
pub use build_command::{build_command, goal_options};
pub use checkpoint::{Checkpoint, CheckpointError};
pub use depth::DepthError;
pub use folder::{
    FolderError, FolderStatus, Merged, PartEnd, PartOptions, SplitOptions, TaskFolder,
};
pub use heuristic::{Estimate, Evaluator, OwnHeuristic};
pub use many::Group;
pub use method::Method;
pub use method_syntax::{MethodError, MethodSyntax};
pub use on::On;
pub use portfolio::AUTO_TIME;
pub use report::{Ending, Hint, Reason, Report, Stage};
pub use session::Session;
pub use tables::{TableError, TableEvent, TableFiles, TableWarning};
pub use task::{Task, TaskLimits};
pub use trace::{Event, Seen};
pub use units::{UnitError, free_memory, read_bytes, read_count, read_time, write_bytes};
pub use watch::Watch;
pub use whole::{Enumeration, SpaceError, SpaceEvent, SpaceFiles, SpaceJob, layers};

#[doc(hidden)]
pub use taquin_search::Instant;
pub use taquin_search::{
    Cost, Counts, Duplicates, GoalTest, Improvement, Known, Limits, Monitor, Order, Policy,
    Progress, Random, Rank, Reopen, Tie, Undo, Verdict, Weight,
};
pub use taquin_tables::whole::{self as space, ExploreError, Metric};
pub use taquin_tables::{
    AutomatonPlan, AutomatonShape, BuildError, BuildPlan, BuildRequest, FileError, FileFault,
    Partition, PartitionError, Pattern, Reflection, Regions, Shape, StoredTable, TableInfo,
    TableStore, check_replaceable, replace_file_with,
};
#[doc(inline)]
pub use taquin_tiles::*;
