//! A plain search with the tables of a device, which its counts are compared with.

use taquin_search::{Cost, Counts};
use taquin_tiles::Board;

use super::lookup::{Frame, Item, STEPS, moves};
use super::{Puzzle24, UNSUPPORTED};
use crate::error::GpuError;

struct Twin {
    tables: Vec<u32>,
    counts: Counts,
}

/// Counts the nodes of depth-first searches on the processor with all thresholds below `end` that
/// are at least the estimate of the start. The last move is not undone, and nothing else is pruned.
///
/// # Errors
/// Fails if the boards do not fit, or if the driver fails.
#[doc(hidden)]
pub fn plain_counts(
    engine: &Puzzle24,
    start: &Board,
    goal: &Board,
    end: Cost,
) -> Result<Counts, GpuError> {
    let root = Frame::new(start, goal).ok_or(UNSUPPORTED)?.item(start);
    let mut twin = Twin { tables: engine.tables()?, counts: Counts::default() };
    for threshold in (twin.estimate(root)..end).step_by(2) {
        twin.search(root, None, threshold);
    }
    Ok(twin.counts)
}

impl Twin {
    fn estimate(&self, board: Item) -> u32 {
        let places = board.places();
        let entry = |table: usize| {
            let index = places.index(table);
            self.tables[(table << 26) | (index / 16)] >> (index % 16 * 2) & 3
        };
        let sum = |side: usize| (0..4).map(|table| entry(4 * side + table)).sum::<u32>();
        places.manhattan() + 2 * sum(0).max(sum(1))
    }

    /// Searches below a board that is `left` moves from the threshold.
    fn search(&mut self, board: Item, last: Option<u8>, left: u32) {
        if self.estimate(board) > left {
            return;
        }
        self.counts.expanded += 1;
        let blank = board.blank();
        for step in (0..STEPS.len() as u8).filter(|step| moves(blank) >> step & 1 == 1) {
            if last == Some(3 - step) {
                continue;
            }
            self.counts.generated += 1;
            if left > 0 {
                // A move is the reverse of its inverse.
                self.search(board.before(3 - step), Some(step), left - 1);
            }
        }
    }
}
