//! The shortest way between two boards that are near each other: iterative deepening by the sum of the
//! distances, with a budget of nodes.

use taquin_tiles::{Cell, Move, Slide};

use super::grid::{Content as _, Grid};

pub(super) struct Exact<'a> {
    grid: &'a Grid,
    board: Vec<u8>,
    blanks: Vec<Cell>,
    slides: Vec<Slide>,
    budget: u64,
    expanded: u64,
}

/// Which blank was moved last, and where.
type Last = Option<(usize, usize)>;

impl<'a> Exact<'a> {
    /// A search from a board, whose tiles have the numbers of the cells where they belong.
    pub(super) fn new(grid: &'a Grid, board: Vec<u8>, budget: u64) -> Self {
        let cells = (0..).zip(&board).filter(|(_, content)| content.index() == grid.cells);
        let blanks = cells.map(|(cell, _)| cell).collect();
        Self { grid, board, blanks, slides: Vec::new(), budget, expanded: 0 }
    }

    /// The shortest way, unless it has more moves than this or the budget is spent, and how many nodes were
    /// expanded.
    pub(super) fn shortest(mut self, most: u32) -> (Option<Vec<Slide>>, u64) {
        let distance = self.grid.manhattan(&self.board);
        // A move changes the distance by one, so that every other length is possible.
        let is_found = (distance..=most).step_by(2).any(|bound| self.deepen(distance, bound, None));
        (is_found.then_some(self.slides), self.expanded)
    }

    /// Whether the goal can be reached in so many moves.
    fn deepen(&mut self, distance: u32, left: u32, last: Last) -> bool {
        if distance == 0 {
            return true;
        }
        if self.expanded == self.budget {
            return false;
        }
        self.expanded += 1;
        for which in 0..self.blanks.len() {
            for step in 0..4 {
                let blank = usize::from(self.blanks[which]);
                let to = usize::from(self.grid.beside[blank][step]);
                let tile = self.board[to].index();
                if last == Some((which, 3 - step)) || tile >= self.grid.cells {
                    continue;
                }
                let after =
                    distance + self.grid.distance(tile, blank) - self.grid.distance(tile, to);
                if after >= left {
                    continue;
                }
                self.board.swap(blank, to);
                self.blanks[which] = to as Cell;
                self.slides.push(Slide { blank: blank as Cell, step: Move::ALL[step] });
                if self.deepen(after, left - 1, Some((which, step))) {
                    return true;
                }
                self.slides.pop();
                self.blanks[which] = blank as Cell;
                self.board.swap(blank, to);
            }
        }
        false
    }
}
