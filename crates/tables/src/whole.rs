//! Whole state spaces: how far every board is from the goal, in two bits each.
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
//! A state is where the blanks are (a plane) and the order of the tiles, read row by row without the
//! blanks. A sideways move changes the plane alone. A move up or down also takes one tile past the
//! few that stand between its two cells, and so changes a few neighbouring digits of the order's
//! number: what it does is looked up, and neighbouring orders mostly stay
//! neighbours. A table has two bits for each state, which hold its distance modulo three: since a move
//! changes the distance by at most one, that is enough to walk home.

mod explorer;
mod file;
mod index;
mod moves;
mod numbering;
mod table;

use serde::{Deserialize, Serialize};
use taquin_tiles::Board;

pub use explorer::{Explorer, SpaceLayer};
pub use file::SpaceInfo;
pub(crate) use file::{EXTENSION, name};
pub use index::SpaceIndex;
pub use table::SpaceTable;

taquin_search::named_enum! {
    /// What counts as one move.
    #[derive(PartialOrd, Ord, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Metric: "metric" {
        /// One tile moves one cell.
        #[default]
        Single = "single",
        /// A segment of a row or column slides by one cell: the blank moves any distance up to the
        /// next blank.
        Multi = "multi",
    }
}

/// How large a space is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The boards from which the goal can be reached; `u64::MAX` stands for that many or more.
    pub states: u64,
    /// The bytes that exploring it takes; `u64::MAX` stands for that many or more.
    pub bytes: u64,
}

/// Why a space was not explored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// More memory than allowed.
    #[error("{states} boards take {needed} bytes of memory, and {allowed} are allowed")]
    Memory {
        /// The number of boards.
        states: u64,
        /// The bytes they take.
        needed: u64,
        /// The bytes allowed.
        allowed: u64,
    },
    /// It was asked to stop.
    #[error("exploring was cancelled")]
    Cancelled,
}

/// How large the space of a goal is when it becomes a table.
pub fn table_extent(goal: &Board) -> Extent {
    let Extent { states, bytes } = extent(goal);
    Extent { states, bytes: bytes.saturating_mul(2) }
}

/// How large the space of a goal is.
pub fn extent(goal: &Board) -> Extent {
    index::extent(goal)
}
