//! Tables that are computed once and looked up: pattern databases, walking distance, whole spaces.
//!
//! ```
//! use std::sync::Arc;
//! use taquin_search::{Heuristic, Monitor};
//! use taquin_tables::{Builder, Partition, Patterns, Plain};
//! use taquin_tiles::{Board, NamedGoal};
//! use taquin_tiles::packed::{Layout, Nibbles, Tiles};
//!
//! let goal = NamedGoal::Last.board("3x3".parse()?, 1);
//! let mut databases = Vec::new();
//! for pattern in "1.2.3.4/5.6.7.8".parse::<Partition>()?.patterns(&goal)? {
//!     let builder = Builder::<Plain>::new(pattern, 1 << 20)?;
//!     assert_eq!(builder.plan().entries, 9 * 8 * 7 * 6);
//!     databases.push(Arc::new(builder.build(&Monitor::default(), &mut |_| ())?));
//! }
//! let patterns = Patterns::new(&goal, databases, None)?;
//! let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
//! let estimate = Heuristic::<Tiles<Nibbles>>::estimate(&patterns, &Nibbles::state(board.tiles()));
//! assert_eq!(estimate, 29); // of 31 moves; the Manhattan distance is 21
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Contents
//!
//! - [`Patterns`]: pattern databases as a heuristic. [`Partition`] divides a goal's tiles into
//!   [`Pattern`]s, [`Builder`] builds a [`Database`] for each, and the [`Encoding`] is [`Plain`] or
//!   [`ZeroAware`].
//! - [`Walking`]: the walking distance.
//! - [`Perimeter`]: which boards are near a goal if a segment slides as one move.
//! - [`whole`]: all boards by their distance from the goal, and tables of these distances.
//! - [`Automaton`]: which moves may follow which, so that a search finds no board by two short
//!   paths.
//! - [`TableStore`]: tables in files, which are verified when they are loaded.
//!
//! A search engine with its own data structures reads [`Database::entries`] and numbers placements
//! as [`Ranking`] does.

mod automaton;
mod bits;
mod content;
mod file;
mod fs;
mod lost_pages;
mod pattern;
mod perimeter;
mod store;
mod walking;
pub mod whole;

pub use automaton::{Automaton, AutomatonInfo, AutomatonPlan, AutomatonShape};
pub use file::{FileError, FileFault};
#[doc(hidden)]
pub use fs::{check_replaceable, replace_file, replace_file_with};
pub use pattern::encoding::*;
pub use pattern::{
    BuildError, BuildPlan, Builder, Database, MAX_PATTERNS, Partition, PartitionError, Pattern,
    PatternError, PatternSide, Patterns, PatternsError, PatternsMemo, Ranking, Reflection,
    RegionMap, Regions, Shape, TableInfo,
};
pub use perimeter::{
    DIRECTIONS, Neighbours, PackedTiles, Packing, Perimeter, PerimeterInfo, PerimeterPlan,
    PerimeterShape, slide,
};
pub use store::{BuildRequest, FOLDER_VARIABLE, NoFolder, StoredTable, TableEvent, TableStore};
pub use walking::{WalkTable, Walking, WalkingError};
