//! Boards and puzzles, valid by construction.

use serde::{Deserialize, Serialize};

use crate::size::{Cell, Size, SizeError, Tile};
use crate::step::{Move, Slide};

/// An arrangement of tiles: one or more blanks (0) and the tiles 1 to n, each once.
///
/// ```
/// use taquin_tiles::{Board, Move, Size, Slide};
///
/// let mut board = Board::new(Size::new(2, 3)?, vec![1, 2, 3, 4, 0, 5])?;
/// assert_eq!(board, "1 2 3/4 0 5".parse()?);
/// assert_eq!(board.blanks().collect::<Vec<_>>(), [4]);
/// assert_eq!(board.rows().last(), Some(&[4, 0, 5][..]));
///
/// assert_eq!(board.slide(Slide { blank: 4, step: Move::Right })?, 5); // the tile that moved
/// assert_eq!(board.tiles(), [1, 2, 3, 4, 5, 0]);
/// assert_eq!(board.positions()[5], 4);
/// let error = board.slide(Slide { blank: 5, step: Move::Right }).unwrap_err();
/// assert_eq!(error.to_string(), "the blank is in the rightmost column");
/// assert_eq!(board.swapped(0, 1).to_string(), "2 1 3/4 5 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    size: Size,
    tiles: Vec<Tile>,
}

/// Why a list of numbers is not a board.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum BoardError {
    #[error("a {size} board has {} cells, not {found}", size.cells())]
    Count { size: Size, found: usize },
    #[error("there is no blank")]
    NoBlank,
    #[error(
        "tile {tile} is out of range: {tiles} {} and {blanks} {} make the numbers 0 to {tiles}",
        if *tiles == 1 { "tile" } else { "tiles" },
        if *blanks == 1 { "blank" } else { "blanks" }
    )]
    OutOfRange {
        tile: u64,
        cell: Cell,
        /// The number of cells minus the blanks.
        tiles: usize,
        blanks: usize,
        /// The least tile that is missing.
        missing: Tile,
    },
    #[error("tile {tile} appears twice")]
    Duplicate {
        tile: Tile,
        first: Cell,
        second: Cell,
        /// The least tile that is missing.
        missing: Tile,
    },
}

/// Why two boards are not a puzzle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum PuzzleError {
    #[error("the start is {start} and the goal is {goal}")]
    Size { start: Size, goal: Size },
    #[error("the start has {start} {} and the goal has {goal}", if *start == 1 { "blank" } else { "blanks" })]
    Blanks { start: usize, goal: usize },
}

/// Why a blank cannot move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum SlideError {
    #[error("there is no blank on cell {0}")]
    NoBlank(Cell),
    #[error("the blank is in the {}", edge(*.0))]
    Edge(Move),
    #[error("the cell {} the blank is a blank too", next_to(*.0))]
    OntoBlank(Move),
}

const fn edge(step: Move) -> &'static str {
    match step {
        Move::Up => "top row",
        Move::Left => "leftmost column",
        Move::Right => "rightmost column",
        Move::Down => "bottom row",
    }
}

/// Returns the position of the next cell in a direction.
pub(crate) const fn next_to(step: Move) -> &'static str {
    match step {
        Move::Up => "above",
        Move::Left => "to the left of",
        Move::Right => "to the right of",
        Move::Down => "below",
    }
}

impl Board {
    /// Creates a board from its tiles, row by row.
    ///
    /// # Errors
    /// Fails unless there is one number for each cell, at least one of them 0 and the others 1 to
    /// n.
    pub fn new(size: Size, tiles: Vec<Tile>) -> Result<Self, BoardError> {
        if tiles.len() != size.cells() {
            return Err(BoardError::Count { size, found: tiles.len() });
        }
        let blanks = tiles.iter().filter(|&&tile| tile == 0).count();
        if blanks == 0 {
            return Err(BoardError::NoBlank);
        }
        let count = tiles.len() - blanks;
        let mut cell_of = vec![None; count + 1];
        for (&tile, cell) in tiles.iter().zip(0..) {
            if tile != 0
                && let Some(known) = cell_of.get_mut(usize::from(tile))
            {
                known.get_or_insert(cell);
            }
        }
        // There are as many numbers as tiles, so if one is too large or appears twice, another is
        // missing.
        let missing = (1..=count).find(|&tile| cell_of[tile].is_none()).unwrap_or(0) as Tile;
        for (&tile, cell) in tiles.iter().zip(0..) {
            match cell_of.get(usize::from(tile)) {
                None => {
                    let tile = tile.into();
                    return Err(BoardError::OutOfRange {
                        tile,
                        cell,
                        tiles: count,
                        blanks,
                        missing,
                    });
                }
                Some(&Some(first)) if first != cell => {
                    return Err(BoardError::Duplicate { tile, first, second: cell, missing });
                }
                Some(_) => {}
            }
        }
        Ok(Self { size, tiles })
    }

    /// Returns the size.
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns the tiles row by row; 0 is a blank.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Returns the cells of the blanks in row-major order.
    pub fn blanks(&self) -> impl Iterator<Item = Cell> + '_ {
        self.tiles.iter().zip(0..).filter(|&(&tile, _)| tile == 0).map(|(_, cell)| cell)
    }

    /// Returns the rows from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[Tile]> {
        self.tiles.chunks(self.size.cols())
    }

    /// Returns each tile's cell. Index 0 is the last blank's.
    pub fn positions(&self) -> Vec<Cell> {
        let mut positions = vec![0; self.tiles.len()];
        for (&tile, cell) in self.tiles.iter().zip(0..) {
            positions[usize::from(tile)] = cell;
        }
        positions
    }

    /// Moves a blank, and returns the tile that moved.
    ///
    /// # Errors
    /// Fails if there is no blank, or if it would leave the board or move onto another blank. The
    /// board does not change then.
    pub fn slide(&mut self, slide: Slide) -> Result<Tile, SlideError> {
        let Slide { blank, step } = slide;
        if self.tiles.get(usize::from(blank)) != Some(&0) {
            return Err(SlideError::NoBlank(blank));
        }
        let target = step.target(self.size, blank).ok_or(SlideError::Edge(step))?;
        match self.tiles[usize::from(target)] {
            0 => Err(SlideError::OntoBlank(step)),
            tile => {
                self.tiles.swap(blank.into(), target.into());
                Ok(tile)
            }
        }
    }

    /// Returns the board with the contents of two cells swapped.
    #[must_use]
    pub fn swapped(&self, a: Cell, b: Cell) -> Self {
        let mut board = self.clone();
        board.tiles.swap(a.into(), b.into());
        board
    }
}

/// A start and a goal with the same tiles. The goal may be unreachable.
///
/// ```
/// use taquin_tiles::{Board, NamedGoal, Puzzle};
///
/// let start: Board = "1 2 3/0 4 5".parse()?;
/// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
/// assert_eq!((puzzle.start(), puzzle.size()), (&start, "2x3".parse()?));
/// assert_eq!(puzzle.goal().to_string(), "1 2 3/4 5 0");
///
/// let error = Puzzle::new(start, "1 2/3 0".parse()?).unwrap_err();
/// assert_eq!(error.to_string(), "the start is 2x3 and the goal is 2x2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "PuzzleData", into = "PuzzleData")]
pub struct Puzzle {
    start: Board,
    goal: Board,
}

impl Puzzle {
    /// Returns the puzzle from the goal back to the start.
    ///
    /// ```
    /// # use taquin_tiles::{Board, NamedGoal, Puzzle};
    /// let start: Board = "123456708".parse()?;
    /// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
    /// assert_eq!(puzzle.reversed().goal(), &start);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { start: self.goal.clone(), goal: self.start.clone() }
    }

    /// Creates a puzzle from two boards.
    ///
    /// # Errors
    /// Fails if the boards differ in size or in their number of blanks.
    pub fn new(start: Board, goal: Board) -> Result<Self, PuzzleError> {
        if start.size != goal.size {
            return Err(PuzzleError::Size { start: start.size, goal: goal.size });
        }
        let (a, b) = (start.blanks().count(), goal.blanks().count());
        if a != b {
            return Err(PuzzleError::Blanks { start: a, goal: b });
        }
        Ok(Self { start, goal })
    }

    /// Returns the start.
    pub const fn start(&self) -> &Board {
        &self.start
    }

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        &self.goal
    }

    /// Returns the size of both boards.
    pub const fn size(&self) -> Size {
        self.start.size
    }
}

/// A puzzle as data: flat arrays and a size.
#[derive(Serialize, Deserialize)]
struct PuzzleData {
    rows: usize,
    cols: usize,
    start: Vec<Tile>,
    goal: Vec<Tile>,
}

/// Why data is not a puzzle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
enum PuzzleDataError {
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error(transparent)]
    Board(#[from] BoardError),
    #[error(transparent)]
    Puzzle(#[from] PuzzleError),
}

impl TryFrom<PuzzleData> for Puzzle {
    type Error = PuzzleDataError;

    fn try_from(data: PuzzleData) -> Result<Self, PuzzleDataError> {
        let size = Size::new(data.rows, data.cols)?;
        Ok(Self::new(Board::new(size, data.start)?, Board::new(size, data.goal)?)?)
    }
}

impl From<Puzzle> for PuzzleData {
    fn from(Puzzle { start, goal }: Puzzle) -> Self {
        let (rows, cols) = (start.size.rows(), start.size.cols());
        Self { rows, cols, start: start.tiles, goal: goal.tiles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: usize, cols: usize, tiles: &[Tile]) -> Result<Board, BoardError> {
        Board::new(Size::new(rows, cols).unwrap(), tiles.to_vec())
    }

    #[test]
    fn only_permutations_with_a_blank_are_boards() {
        assert!(board(1, 1, &[0]).is_ok());
        assert!(board(2, 2, &[0, 0, 0, 0]).is_ok());
        assert!(matches!(board(2, 2, &[1, 2, 0]), Err(BoardError::Count { found: 3, .. })));
        assert_eq!(board(1, 2, &[1, 2]), Err(BoardError::NoBlank));
        assert_eq!(
            board(2, 2, &[1, 2, 1, 0]),
            Err(BoardError::Duplicate { tile: 1, first: 0, second: 2, missing: 3 })
        );
        assert_eq!(
            board(2, 2, &[0, 9, 1, 0]),
            Err(BoardError::OutOfRange { tile: 9, cell: 1, tiles: 2, blanks: 2, missing: 2 })
        );
    }

    #[test]
    fn the_largest_boards_are_boards() {
        // One increment too many would overflow a cell counter.
        let tiles: Vec<Tile> = (0..Tile::MAX).collect();
        let board = board(255, 257, &tiles).unwrap();
        assert_eq!(board.blanks().collect::<Vec<_>>(), [0]);
        assert_eq!(board.positions(), tiles);
    }

    #[test]
    fn a_puzzle_has_the_same_tiles_twice() {
        let one = board(2, 2, &[1, 2, 3, 0]).unwrap();
        let two = board(2, 2, &[1, 2, 0, 0]).unwrap();
        let line = board(1, 4, &[1, 2, 3, 0]).unwrap();
        assert!(Puzzle::new(one.clone(), one.swapped(0, 3)).is_ok());
        assert!(matches!(Puzzle::new(one.clone(), two), Err(PuzzleError::Blanks { .. })));
        assert!(matches!(Puzzle::new(one, line), Err(PuzzleError::Size { .. })));
    }
}
