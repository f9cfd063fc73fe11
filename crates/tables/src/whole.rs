//! Whole state spaces: the distance of every board from the goal, in two bits each.
//!
//! ```
//! use taquin_search::Monitor;
//! use taquin_tables::whole::{Explorer, Metric};
//! use taquin_tiles::NamedGoal;
//!
//! let goal = NamedGoal::First.board("2x3".parse()?, 1);
//! let mut explorer = Explorer::for_table(&goal, Metric::Single, 1 << 20)?;
//! while explorer.advance(&Monitor::default())? {}
//! assert_eq!(explorer.depths()[..4], [1, 2, 3, 5]);
//! let farthest: Vec<_> = explorer.farthest().collect();
//! assert_eq!(farthest, ["3 4 5/0 1 2".parse()?]);
//! let table = explorer.into_table().expect("it was made for a table");
//! assert_eq!(table.depth(&farthest[0]), Some(21));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A state is the set of the blanks' cells (a plane) and the order of the tiles, row by row without
//! the blanks. A horizontal move changes only the plane. A vertical move also takes one tile past
//! the few tiles between its two cells, and so changes a few adjacent digits of the order's number:
//! the effect is looked up, and adjacent orders mostly remain adjacent. A table has two bits for
//! each state, its distance modulo three: a move changes the distance by at most one, so that is
//! enough to find the way to the goal.

mod explorer;
mod file;
mod index;
mod moves;
mod numbering;
mod table;

use taquin_tiles::Board;

pub use explorer::{Explorer, SpaceLayer};
pub use file::SpaceInfo;
pub(crate) use file::{EXTENSION, name};
pub use index::SpaceIndex;
pub use table::SpaceTable;

taquin_search::named_enum! {
    /// What counts as one move.
    #[derive(PartialOrd, Ord, Default)]
    pub enum Metric: "metric" {
        /// One tile moves one cell.
        #[default]
        Single = "single",
        /// A segment of a row or column slides by one cell: the blank moves any distance up to the
        /// next blank.
        Multi = "multi",
    }
}

/// The size of a space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The number of boards from which the goal can be reached; `u64::MAX` if it is that or more.
    pub states: u64,
    /// The bytes for exploring it; `u64::MAX` if it is that or more.
    pub bytes: u64,
}

/// Why a space was not explored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ExploreError {
    #[error("{states} boards take {needed} bytes of memory, and {allowed} are allowed")]
    Memory { states: u64, needed: u64, allowed: u64 },
    #[error("exploring was cancelled")]
    Cancelled,
}

/// Returns the size of the space of a goal that becomes a table.
pub fn table_extent(goal: &Board) -> Extent {
    let Extent { states, bytes } = extent(goal);
    Extent { states, bytes: bytes.saturating_mul(2) }
}

/// Returns the size of the space of a goal.
pub fn extent(goal: &Board) -> Extent {
    index::extent(goal)
}
