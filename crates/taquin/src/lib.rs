//! taquin solves sliding-tile puzzles: any board, any number of blanks, any goal.
//!
//! A [`Task`] is a puzzle, a [`Method`] and limits; a [`Session`] solves it, at once or as a
//! [`Job`] in the background, and the [`Report`] says what was found, proven and counted. All of
//! them are data, and read and written alike by every front end.
//!
//! ```
//! use taquin::{Board, NamedGoal, Puzzle, Session, Task};
//!
//! let start: Board = "1 2 3/4 0 6/7 5 8".parse()?;
//! let goal = NamedGoal::Last.board(start.size(), 1);
//! let task = Task::new(Puzzle::new(start, goal)?, "astar:manhattan".parse()?);
//! let report = Session::new().solve(&task);
//! assert_eq!(report.moves.as_deref(), Some("DR"));
//! assert!(report.optimal);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod all;
mod auto;
mod checkpoint;
mod depth;
mod estimate;
mod guide;
mod large;
mod method;
mod report;
mod run;
mod session;
mod tables;
mod task;
mod trace;
mod units;
mod whole;

pub use auto::AUTO_TIME;
pub use checkpoint::{Checkpoint, CheckpointError};
pub use depth::DepthError;
pub use estimate::Estimate;
pub use method::{Algorithm, Method};
pub use report::{Ending, Reason, Report};
pub use session::{Job, Session};
pub use tables::{Evaluator, TableError, TableEvent};
pub use task::{Task, TaskLimits};
pub use trace::{Event, Fate, Seen};
pub use units::{UnitError, free_memory, read_bytes, read_count, read_time, write_bytes};
pub use whole::{Enumeration, SpaceError};

pub use taquin_search::{
    Cost, Counts, Duplicates, GoalTest, Improvement, MethodError, Monitor, Order, Policy, Progress,
    Random, Rank, Reopen, Tie, Undo, Weight,
};
pub use taquin_tables::whole::{self as space, ExploreError, Metric};
pub use taquin_tables::{
    BuildError, BuildPlan, FileError, Partition, PartitionError, Pattern, Shape, StoredTable,
    TableInfo, TableStore, TableStoreError,
};
#[doc(inline)]
pub use taquin_tiles::*;
