//! The same puzzles for the crate `pathfinding`, written as well as its interface allows: a board
//! in a word, hashed as one, with its blank and its estimate carried along, and nothing allocated.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

use pathfinding::directed::astar::astar;
use pathfinding::directed::bfs::bfs_reach;
use taquin::Puzzle;

use super::works::Outcome;

/// A puzzle of up to 16 cells and one blank.
pub(super) struct Rival {
    start: Node,
    goal: u64,
    neighbours: Vec<Vec<u8>>,
    /// The distance home, by tile and cell.
    distances: [[u8; 16]; 16],
}

#[derive(Clone, Copy)]
struct Node {
    word: u64,
    blank: u8,
    h: u8,
}

/// The blank and the estimate follow from the word.
impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.word.hash(state);
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Node {}

impl Rival {
    pub(super) fn new(puzzle: &Puzzle) -> Self {
        let size = puzzle.size();
        let cells = || 0..size.cells() as u16;
        let word = |tiles: &[u16]| {
            (0..).zip(tiles).map(|(cell, &tile)| u64::from(tile) << (4 * cell)).sum()
        };
        let start = puzzle.start().tiles();
        let homes = puzzle.goal().positions();
        let mut distances = [[0; 16]; 16];
        for tile in cells().skip(1) {
            for cell in cells() {
                distances[usize::from(tile)][usize::from(cell)] =
                    size.distance(homes[usize::from(tile)], cell) as u8;
            }
        }
        let h =
            (0..).zip(start).map(|(cell, &tile): (usize, _)| distances[usize::from(tile)][cell]);
        let blank = puzzle.start().positions()[0] as u8;
        let neighbours = |blank| {
            cells().filter(|&cell| size.distance(blank, cell) == 1).map(|cell| cell as u8).collect()
        };
        Self {
            start: Node { word: word(start), blank, h: h.sum() },
            goal: word(puzzle.goal().tiles()),
            neighbours: cells().map(neighbours).collect(),
            distances,
        }
    }

    #[inline]
    fn slide(&self, node: Node, from: u8) -> (Node, &[u8; 16]) {
        let tile = node.word >> (4 * from) & 15;
        let word = node.word ^ (tile << (4 * from) | tile << (4 * node.blank));
        (Node { word, blank: from, h: node.h }, &self.distances[tile as usize])
    }

    /// A*: the optimum.
    pub(super) fn astar(&self) -> Option<Outcome> {
        let (generated, stored) = (Cell::new(0), Cell::new(0));
        let successors = |&node: &Node| {
            self.neighbours[usize::from(node.blank)].iter().map(move |&from| {
                let (mut next, distance) = self.slide(node, from);
                next.h += distance[usize::from(node.blank)];
                next.h -= distance[usize::from(from)];
                (next, 1u32)
            })
        };
        let counted = |node: &Node| {
            let successors = successors(node);
            generated.set(generated.get() + successors.len() as u64);
            successors
        };
        let estimate = |node: &Node| {
            stored.set(stored.get() + 1);
            node.h.into()
        };
        let (_, cost) = astar(&self.start, counted, estimate, |node| node.word == self.goal)?;
        Some(Outcome { cost: cost.into(), generated: generated.get(), stored: stored.get() })
    }

    /// Breadth-first search for everything that can be reached: how much there is.
    pub(super) fn reach(&self) -> Outcome {
        let generated = Cell::new(0);
        let successors = |&node: &Node| {
            let neighbours = &self.neighbours[usize::from(node.blank)];
            generated.set(generated.get() + neighbours.len() as u64);
            neighbours.iter().map(move |&from| self.slide(node, from).0)
        };
        let states = bfs_reach(self.start, successors).count() as u64;
        Outcome { cost: 0, generated: generated.get(), stored: states }
    }
}
