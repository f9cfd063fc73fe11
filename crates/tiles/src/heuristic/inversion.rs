//! Inversion distance: the moves needed to remove all inversions in rows and columns.
//!
//! Two tiles are an inversion if their order, row by row, differs from the goal. A horizontal move
//! does not change this order. A vertical move takes a tile past at most `cols - 1` others, and so
//! changes the number of inversions by at most that many. With one blank it passes exactly `cols -
//! 1` tiles, each of which adds or removes one inversion, so the parity of the change is known too.
//! The same holds for columns and horizontal moves, and the numbers of vertical and horizontal
//! moves are added.

use taquin_search::{Cost, Heuristic, Incremental};

use crate::board::Puzzle;
use crate::cost::Costs;
use crate::packed::Layout;
use crate::reach::inversions;
use crate::size::{Cell, Size, Tile};
use crate::space::Tiles;
use crate::step::{Move, Slide};

/// The inversion distance to a goal.
///
/// ```
/// use taquin_search::Heuristic;
/// use taquin_tiles::packed::{Layout, Nibbles, Tiles};
/// use taquin_tiles::{Board, Costs, Inversion, NamedGoal, Puzzle};
///
/// let start: Board = "3 2 1/4 5 6/7 8 0".parse()?;
/// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
/// let inversion = Inversion::new(&puzzle, &Costs::Unit);
/// assert_eq!(Heuristic::<Tiles<Nibbles>>::estimate(&inversion, &Nibbles::state(start.tiles())), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Inversion {
    size: Size,
    /// The place of each tile in the goal, among the tiles read row by row.
    by_row: Vec<Tile>,
    /// The same for the tiles read column by column.
    by_column: Vec<Tile>,
    /// Whether a move passes `cols - 1` or `rows - 1` tiles, and not fewer.
    has_one_blank: bool,
    /// The least cost of a move.
    least: Cost,
}

impl Inversion {
    /// Creates the heuristic for a puzzle's goal.
    pub fn new(puzzle: &Puzzle, costs: &Costs) -> Self {
        let (size, goal) = (puzzle.size(), puzzle.goal());
        let mut inversion = Self {
            size,
            by_row: vec![0; size.cells()],
            by_column: vec![0; size.cells()],
            has_one_blank: goal.blanks().count() == 1,
            least: costs.of_tiles(size.cells()).into_iter().min().unwrap_or(1),
        };
        for cell in 0..size.cells() {
            let tile = |cell: usize| usize::from(goal.tiles()[cell]);
            let second = tile(inversion.column_major(cell));
            inversion.by_row[tile(cell)] = cell as Tile;
            inversion.by_column[second] = cell as Tile;
        }
        inversion
    }

    /// Returns the cell with a number, counted column by column.
    fn column_major(&self, number: usize) -> usize {
        number % self.size.rows() * self.size.cols() + number / self.size.rows()
    }

    /// Returns the least number of moves that remove `inversions` inversions, if each passes up to
    /// `passed` tiles.
    fn moves(&self, inversions: u32, passed: usize) -> Cost {
        let passed = passed as u32;
        if passed == 0 {
            return 0;
        }
        let least = inversions.div_ceil(passed);
        // An odd number of inversions takes an odd number of odd changes.
        let is_odd = self.has_one_blank && passed % 2 == 1 && (least ^ inversions) % 2 == 1;
        least + u32::from(is_odd)
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for Inversion {
    fn estimate(&self, state: &L::State) -> Cost {
        <Self as Incremental<Tiles<L>>>::value(self, Incremental::<Tiles<L>>::memo(self, state))
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Inversion {
    /// The inversions by rows and by columns.
    type Memo = [u32; 2];

    fn memo(&self, state: &L::State) -> [u32; 2] {
        let cells = self.size.cells();
        let tile = |cell: usize| usize::from(L::tile(state, cell as Cell));
        let by_row = (0..cells).map(tile).filter(|&tile| tile != 0).map(|tile| self.by_row[tile]);
        let by_column = (0..cells).map(|number| tile(self.column_major(number)));
        let by_column = by_column.filter(|&tile| tile != 0).map(|tile| self.by_column[tile]);
        [inversions(by_row, cells) as u32, inversions(by_column, cells) as u32]
    }

    #[inline]
    fn step(
        &self,
        [mut rows, mut columns]: [u32; 2],
        state: &L::State,
        action: L::Action,
    ) -> [u32; 2] {
        let slide: Slide = action.into();
        let (from, to) = (slide.target(self.size), slide.blank);
        let moved = usize::from(L::tile(state, to));
        if moved == 0 {
            // A blank that steps onto another passes nothing.
            return [rows, columns];
        }
        // A tile that moves forward is behind the tiles that it passes.
        let (low, high) = (usize::from(from.min(to)), usize::from(from.max(to)));
        let change = |count: &mut u32, places: &[Tile], passed: usize| {
            let tile = usize::from(L::tile(state, passed as Cell));
            let is_behind = from < to;
            if tile != 0 {
                *count = match (places[tile] > places[moved]) == is_behind {
                    true => *count + 1,
                    false => *count - 1,
                };
            }
        };
        match slide.step {
            Move::Up | Move::Down => {
                for passed in low + 1..high {
                    change(&mut rows, &self.by_row, passed);
                }
            }
            Move::Left | Move::Right => {
                // The rest of one column and the beginning of the next.
                let (cols, row) = (self.size.cols(), low / self.size.cols());
                for line in row + 1..self.size.rows() {
                    change(&mut columns, &self.by_column, line * cols + low % cols);
                }
                for line in 0..row {
                    change(&mut columns, &self.by_column, line * cols + high % cols);
                }
            }
        }
        [rows, columns]
    }

    #[inline]
    fn value(&self, [rows, columns]: [u32; 2]) -> Cost {
        let vertical = self.moves(rows, self.size.cols() - 1);
        let horizontal = self.moves(columns, self.size.rows() - 1);
        (vertical + horizontal).saturating_mul(self.least)
    }
}
