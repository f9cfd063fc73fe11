//! The shortest path between two similar boards: iterative deepening with the Manhattan distance
//! and a limit on nodes.

use taquin_tiles::{Cell, Move, Slide};

use super::evaluation::{Content as _, Evaluation};

pub(super) struct ExactSearch<'a> {
    evaluation: &'a Evaluation,
    board: Vec<u8>,
    blanks: Vec<Cell>,
    slides: Vec<Slide>,
    budget: u64,
    expanded: u64,
}

/// The blank that moved last, and its move.
type Last = Option<(usize, usize)>;

impl<'a> ExactSearch<'a> {
    /// Creates a search from `board`, whose tiles are numbered by their goal cells.
    pub(super) fn new(evaluation: &'a Evaluation, board: Vec<u8>, budget: u64) -> Self {
        let cells = (0..).zip(&board).filter(|(_, content)| content.index() == evaluation.cells);
        let blanks = cells.map(|(cell, _)| cell).collect();
        Self { evaluation, board, blanks, slides: Vec::new(), budget, expanded: 0 }
    }

    /// Returns the shortest path, unless it has more than `longest` moves or takes too many nodes,
    /// and the number of expanded nodes.
    pub(super) fn shortest(mut self, longest: u32) -> (Option<Vec<Slide>>, u64) {
        let distance = self.evaluation.manhattan(&self.board);
        // A move changes the distance by one, so every other length is possible.
        let is_found =
            (distance..=longest).step_by(2).any(|bound| self.deepen(distance, bound, None));
        (is_found.then_some(self.slides), self.expanded)
    }

    /// Returns whether the goal can be reached in `left` moves.
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
                let to = usize::from(self.evaluation.neighbours[blank][step]);
                let tile = self.board[to].index();
                if last == Some((which, 3 - step)) || tile >= self.evaluation.cells {
                    continue;
                }
                let after = distance + self.evaluation.distance(tile, blank)
                    - self.evaluation.distance(tile, to);
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
