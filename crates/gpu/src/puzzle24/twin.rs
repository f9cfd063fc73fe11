//! A plain search with the tables of a device, which its counts are compared with.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use taquin_search::{Cost, Counts};
use taquin_tiles::Board;

use super::Puzzle24;
use super::ends::End;
use super::lookup::{Item, Patterns, STEPS, moves, patterns};
use crate::error::GpuError;

struct Twin {
    tables: Vec<u32>,
    patterns: Patterns,
}

/// A board, the move that led there, and the moves that are left of the threshold.
type Node = (Item, Option<u8>, u32);

/// The boards below the root that are shared out among threads.
const SHARED: usize = 4096;

/// Counts the nodes of depth-first searches on the processor with all thresholds below `end` that
/// are at least the estimate of the start. The last move is not undone, and nothing else is pruned.
///
/// # Errors
/// Fails if the boards do not fit, or if the driver fails.
#[doc(hidden)]
pub fn plain_counts(
    engine: &mut Puzzle24,
    start: &Board,
    goal: &Board,
    end: Cost,
) -> Result<Counts, GpuError> {
    let [End { root, blank, .. }, _] = End::both(start, goal)?;
    let twin = Twin { tables: engine.tables(blank)?, patterns: patterns(blank) };
    let mut counts = Counts::default();
    for threshold in (twin.estimate(root)..end).step_by(2) {
        twin.count((root, None, threshold), &mut counts);
    }
    Ok(counts)
}

impl Twin {
    /// Counts the nodes of the tree below a node, on all cores.
    fn count(&self, root: Node, counts: &mut Counts) {
        let mut layer = vec![root];
        while !layer.is_empty() && layer.len() < SHARED {
            let expanded = layer.iter().map(|&node| self.children(node, counts));
            layer = expanded.collect::<Vec<_>>().concat();
        }
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let parts = layer.chunks(layer.len().div_ceil(16 * threads).max(1)).collect::<Vec<_>>();
        let next = AtomicUsize::new(0);
        let search = || {
            let mut counts = Counts::default();
            while let Some(part) = parts.get(next.fetch_add(1, Relaxed)) {
                part.iter().for_each(|&node| self.search(node, &mut counts));
            }
            counts
        };
        thread::scope(|scope| {
            let running: Vec<_> = (0..threads).map(|_| scope.spawn(search)).collect();
            for thread in running {
                let part = thread.join().expect("it does not panic");
                counts.expanded += part.expanded;
                counts.generated += part.generated;
            }
        });
    }

    fn estimate(&self, board: Item) -> u32 {
        let places = board.places();
        let entry = |table: usize| {
            let index = places.index(self.patterns[table]);
            self.tables[(table << 26) | (index / 16)] >> (index % 16 * 2) & 3
        };
        let sum = |side: usize| (0..4).map(|table| entry(4 * side + table)).sum::<u32>();
        places.manhattan() + 2 * sum(0).max(sum(1))
    }

    /// Searches the tree below a node.
    fn search(&self, node: Node, counts: &mut Counts) {
        for child in self.children(node, counts) {
            self.search(child, counts);
        }
    }

    /// Counts a node and its children, if it is within the threshold, and returns the children.
    fn children(&self, (board, last, left): Node, counts: &mut Counts) -> Vec<Node> {
        if self.estimate(board) > left {
            return Vec::new();
        }
        counts.expanded += 1;
        let steps = (0..STEPS.len() as u8).filter(|step| moves(board.blank()) >> step & 1 == 1);
        let steps = steps.filter(|step| last != Some(3 - step));
        // A move is the reverse of its inverse.
        let child = |step: u8| (board.before(3 - step), Some(step), left.wrapping_sub(1));
        let children: Vec<Node> = steps.map(child).collect();
        counts.generated += children.len() as u64;
        if left > 0 { children } else { Vec::new() }
    }
}
