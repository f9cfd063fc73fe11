//! Whole state spaces: all boards by their distance from the goal, one bit each.
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
//! let farthest = explorer.farthest()?;
//! assert_eq!(farthest, ["3 4 5/0 1 2".parse()?]);
//! let table = explorer.into_table().expect("it was made for a table");
//! assert_eq!(table.depth(&farthest[0]), Some(21));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | word | what it is |
//! |---|---|
//! | slot | the place of one board: a bit of a word |
//! | word | 60 boards, which differ in the order of their last five tiles |
//! | run | some words of a block: what one process needs of another one's block |
//! | block | words whose numbers have the same leading digits: empty or not, held by one process |
//! | part, piece | consecutive blocks that one thread computes; those that are read or sent at once |
//! | slab | the blocks of all boards with the blanks in the same cells and the same parity |
//! | plane | the slabs with the blanks in the same cells: one or two |
//! | colour, half | every second plane, as on a chessboard; what a process holds of a colour |
//! | share | all blocks that one process holds. The only process holds all |
//! | layer | the boards of one depth, in the slabs of one colour |
//!
//! A horizontal move changes only the blanks' cells, so it combines the words of two slabs
//! (`index.rs`). A vertical move also changes a few adjacent digits of the order's number
//! (`rotation.rs`), which moves blocks, words or bits (`maps.rs`). Layers replace one another in
//! place (`explorer.rs`), in memory (`memory.rs`) or files (`disk.rs`). An explorer has a share of
//! the space (`plan.rs`), and several exchange blocks (`share.rs`, `runs.rs`). A table has two bits
//! per board, its distance modulo three: a move changes the distance by at most one, so this is
//! enough to find the way to the goal.

mod disk;
mod explorer;
mod file;
mod index;
mod links;
mod maps;
mod memory;
mod near;
mod plan;
mod rotation;
mod runs;
mod saved;
mod segments;
mod share;
mod table;

use taquin_tiles::Board;

use crate::file::FileError;

pub use disk::{Files, disk_extent, remove_files};
pub use explorer::{Explorer, Storage};
pub use file::SpaceInfo;
pub(crate) use file::{EXTENSION, name};
pub use index::{SpaceIndex, SpaceShape};
pub use memory::{Memory, SpaceLayer};
pub use near::NearBoards;
pub use plan::SharePlan;
pub use rotation::Rotation;
pub use runs::OutgoingBlocks;
pub use saved::{SaveTimer, SavedSpace};
pub use share::Member;
pub use table::SpaceTable;

taquin_search::named_enum! {
    /// The definition of one move.
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
    /// How many boards can reach the goal, at most `u64::MAX`.
    pub states: u64,
    /// The bytes for exploring it; `u64::MAX` if it is that or more.
    pub bytes: u64,
}

/// Why a space was not explored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ExploreError {
    #[error("{states} boards take {needed} bytes of memory, and {allowed} are allowed")]
    Memory { states: u64, needed: u64, allowed: u64 },
    #[error("exploring was cancelled")]
    Cancelled,
    #[error(transparent)]
    File(#[from] FileError),
}

/// Returns the size of a goal's space that becomes a table.
pub fn table_extent(goal: &Board, metric: Metric) -> Extent {
    let Extent { states, bytes } = extent(goal, metric);
    let table = SpaceShape::new(goal).size().map(|(slabs, words)| (slabs * words * 16) as u64);
    Extent { states, bytes: bytes.saturating_add(table.unwrap_or(u64::MAX)) }
}

/// Returns the size of a goal's space.
pub fn extent(goal: &Board, metric: Metric) -> Extent {
    index::extent(goal, metric)
}
