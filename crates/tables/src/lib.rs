//! What is computed once and looked up: pattern databases and walking distance.
//!
//! ```
//! use std::sync::{Arc, atomic::AtomicBool};
//! use taquin_search::Heuristic;
//! use taquin_tables::{Builder, Partition, Patterns};
//! use taquin_tiles::{Board, Layout, NamedGoal, Nibbles, Tiles};
//!
//! let goal = NamedGoal::Last.board("3x3".parse()?, 1);
//! let mut databases = Vec::new();
//! for pattern in "1.2.3.4/5.6.7.8".parse::<Partition>()?.patterns(&goal)? {
//!     let builder = Builder::new(pattern, 1 << 20)?;
//!     assert_eq!(builder.plan().entries, 9 * 8 * 7 * 6);
//!     databases.push(Arc::new(builder.build(&AtomicBool::new(false), &mut |_| ())?));
//! }
//! let patterns = Patterns::new(&goal, databases, None)?;
//! let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
//! let estimate = Heuristic::<Tiles<Nibbles>>::estimate(&patterns, &Nibbles::state(board.tiles()));
//! assert_eq!(estimate, 29); // of 31 moves; the Manhattan distance is 21
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A table is kept by a [`TableStore`], which loads it or builds it, and can be shared as an
//! `Arc<Database>`. An engine of its own takes [`Database::entries`] and ranks placements as
//! [`Ranking`] says.

mod build;
mod database;
pub mod file;
mod graph;
mod header;
mod map;
mod orders;
mod partition;
mod pattern;
mod patterns;
mod ranking;
mod replace;
mod store;
mod symmetry;
mod walking;
pub mod whole;

pub use build::{BuildError, BuildPlan, Builder};
pub use database::{Database, Width};
pub use file::{FileError, FileFault, TableInfo};
pub use partition::{Partition, PartitionError};
pub use pattern::{Pattern, PatternError, Shape};
pub use patterns::{MOST_PATTERNS, Patterns, PatternsError, PatternsMemo, Side};
pub use ranking::Ranking;
pub use replace::replace;
pub use store::{
    BuildRequest, FOLDER_VARIABLE, Kept, NoFolder, TableEvent, TableStore, TableStoreError,
};
pub use symmetry::Reflection;
pub use walking::{Walking, WalkingError};
