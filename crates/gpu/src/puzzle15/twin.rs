//! The search of the kernels on the processor, which their counts are compared with.

use std::sync::Arc;

use taquin_search::{Cost, Counts};
use taquin_tables::{Database, Patterns};
use taquin_tiles::Board;

use super::{Layout, STEPS, packed};

/// `Node` of batch15.cu, without its path.
#[derive(Clone, Copy)]
struct Node {
    tiles: u64,
    places: [u64; 2],
    entries: [[u32; super::MAX_PATTERNS]; 2],
    slack: [i32; 2],
    blank: usize,
    moves: u8,
}

struct Twin<'a> {
    layout: Layout,
    patterns: &'a Patterns,
    counts: Counts,
}

/// Returns the length of a board's shortest solutions, and the counts for the thresholds below it,
/// which do not depend on node order. Returns `None` if the kernels do not fit the board.
#[doc(hidden)]
pub fn plain_search_15(patterns: &Patterns, start: &Board) -> Option<(Cost, Counts)> {
    let layout = Layout::new(patterns)?;
    let tiles = packed(start, patterns.goal())?;
    let mut twin = Twin { layout, patterns, counts: Counts::default() };
    (0..=super::MAX_INCREASE).find_map(|more| {
        let before = twin.counts;
        let (root, threshold) = twin.start(start, tiles, more as i32);
        twin.search(root).then_some((threshold, before))
    })
}

impl Twin<'_> {
    /// The node of a board, and its threshold.
    fn start(&self, board: &Board, tiles: u64, more: i32) -> (Node, Cost) {
        let Self { layout, patterns, .. } = self;
        let mut node = Node {
            tiles,
            places: [0, 1].map(|side| places(layout, board, side)),
            entries: Default::default(),
            slack: [0; 2],
            blank: board.blanks().next().map_or(0, usize::from),
            moves: 0,
        };
        node.moves = layout.moves[node.blank];
        for side in 0..layout.sides as usize {
            for pattern in 0..layout.patterns as usize {
                node.entries[side][pattern] = entry(layout, patterns, pattern, node.places[side]);
            }
        }
        let sums = node.entries.map(|entries| entries.iter().sum::<u32>() as i32);
        let most = sums[0].max(sums[1]) + more;
        node.slack = sums.map(|sum| most - sum);
        let tiles = board.tiles().iter().enumerate().filter(|&(_, &tile)| tile != 0);
        let distances =
            tiles.map(|(cell, &tile)| i32::from(layout.distance[usize::from(tile)][cell]));
        (node, (distances.sum::<i32>() + 2 * most) as Cost)
    }

    /// Returns whether there is a solution below a node.
    fn search(&mut self, node: Node) -> bool {
        if node.places[0] == self.layout.goal {
            return true;
        }
        self.counts.expanded += 1;
        self.counts.generated += u64::from(node.moves.count_ones());
        let mut is_found = false;
        for step in (0..4).filter(|step| node.moves >> step & 1 == 1) {
            if let Some(child) = self.child(&node, step) {
                // The tree of the last threshold is not counted, and need not be searched to its
                // end.
                is_found = is_found || self.search(child);
            }
        }
        is_found
    }

    /// The child by a move of the blank, if it is within the threshold.
    fn child(&self, node: &Node, step: usize) -> Option<Node> {
        let Self { layout, patterns, .. } = self;
        let (blank, from) = (node.blank, node.blank.wrapping_add_signed(STEPS[step]));
        let tile = (node.tiles >> (4 * from) & 15) as usize;
        let bits = tile as u64;
        let mut child = Node {
            tiles: node.tiles ^ bits << (4 * from) ^ bits << (4 * blank),
            blank: from,
            moves: layout.after[blank][step],
            ..*node
        };
        let lost = i32::from(layout.distance[tile][blank] > layout.distance[tile][from]);
        for side in 0..2 {
            let cell = |cell: usize| match side {
                0 => cell as u64,
                _ => u64::from(layout.mirrored[cell]),
            };
            let pattern = usize::from(layout.pattern[side][tile]);
            let change = cell(blank).wrapping_sub(cell(from)) << layout.slot[side][tile];
            child.places[side] = node.places[side].wrapping_add(change);
            child.slack[side] += node.entries[side][pattern] as i32 - lost;
            if side < layout.sides as usize {
                let found = entry(layout, patterns, pattern, child.places[side]);
                child.entries[side][pattern] = found;
                child.slack[side] -= found as i32;
            }
        }
        child.slack.iter().all(|&slack| slack >= 0).then_some(child)
    }
}

/// The cells of the tiles on a side.
pub(super) fn places(layout: &Layout, board: &Board, side: usize) -> u64 {
    let tiles = board.tiles().iter().enumerate().filter(|&(_, &tile)| tile != 0);
    tiles.fold(0, |places, (cell, &tile)| {
        let cell = if side == 0 { cell as u8 } else { layout.mirrored[cell] };
        places | u64::from(cell) << layout.slot[side][usize::from(tile)]
    })
}

/// The entry of a pattern.
fn entry(layout: &Layout, patterns: &Patterns, pattern: usize, places: u64) -> u32 {
    let database: &Arc<Database> = &patterns.sides()[0].databases()[pattern];
    let index = places >> layout.shift[pattern] & ((1 << layout.bits[pattern]) - 1);
    let fields = (0..layout.bits[pattern] / 4).map(|field| (index >> (4 * field) & 15) as u8);
    let cells: Vec<u8> = fields.collect();
    u32::from(database.entry(database.pattern().rank(&cells)))
}

/// The sum over a side's entries.
#[cfg(test)]
pub(super) fn sum(layout: &Layout, patterns: &Patterns, places: u64) -> u32 {
    (0..layout.patterns as usize).map(|pattern| entry(layout, patterns, pattern, places)).sum()
}
