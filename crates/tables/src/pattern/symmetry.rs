//! Reflections of a board that leave its goal unchanged, except for the tile numbers.
//!
//! A reflection that maps the goal's blanks onto themselves maps every solution of a state to an
//! equally long solution of its mirror image. The mirror image's table value is therefore also a
//! lower bound for the state, and usually a different one.

use taquin_tiles::{Board, Cell, Size, Tile};

/// A reflection of the board, and how it permutes the goal's tiles.
///
/// ```
/// use taquin_tables::Reflection;
/// use taquin_tiles::NamedGoal;
///
/// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
/// let reflection = Reflection::of(&goal).unwrap();
/// assert_eq!(reflection.apply(&goal), goal);
/// let image = reflection.apply(&"1 2 3/4 5 6/7 0 8".parse()?); // in the main diagonal
/// assert_eq!(image.to_string(), "1 2 3/4 5 0/7 8 6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reflection {
    /// The image of each cell.
    pub cell_map: Vec<Cell>,
    /// The image of each tile: the tile whose goal cell is the image of its goal cell.
    pub tile_map: Vec<Tile>,
}

impl Reflection {
    /// Returns the first reflection that maps the blanks of a goal onto themselves: in the main
    /// diagonal, the other diagonal, the middle column, the middle row.
    ///
    /// On a square board with one blank in a corner it is the reflection in the diagonal through
    /// it.
    pub fn of(goal: &Board) -> Option<Self> {
        let size = goal.size();
        let axes = [Axis::Diagonal, Axis::Antidiagonal, Axis::Column, Axis::Row];
        let mut maps = axes.into_iter().filter_map(|axis| axis.cell_map(size));
        maps.find_map(|cell_map| {
            let tiles = goal.tiles();
            let mut tile_map = vec![0; tiles.len() - goal.blanks().count() + 1];
            for (&tile, &cell) in tiles.iter().zip(&cell_map).filter(|(tile, _)| **tile > 0) {
                tile_map[usize::from(tile)] = tiles[usize::from(cell)];
            }
            // If no tile is mapped to a blank, then no blank is mapped to a tile.
            tile_map[1..].iter().all(|&tile| tile > 0).then_some(Self { cell_map, tile_map })
        })
    }

    /// Returns the mirror image of a board.
    pub fn apply(&self, board: &Board) -> Board {
        let mut tiles = vec![0; board.tiles().len()];
        for (&tile, &cell) in board.tiles().iter().zip(&self.cell_map) {
            tiles[usize::from(cell)] = self.tile_map[usize::from(tile)];
        }
        Board::new(board.size(), tiles).expect("a reflection keeps every tile")
    }
}

/// The axis of a reflection.
#[derive(Clone, Copy)]
enum Axis {
    Diagonal,
    Antidiagonal,
    Column,
    Row,
}

impl Axis {
    fn cell_map(self, size: Size) -> Option<Vec<Cell>> {
        let (rows, cols) = (size.rows(), size.cols());
        if matches!(self, Self::Diagonal | Self::Antidiagonal) && rows != cols {
            return None;
        }
        let mirrored = |cell: Cell| {
            let (row, col) = (size.row(cell), size.col(cell));
            let (row, col) = match self {
                Self::Diagonal => (col, row),
                Self::Antidiagonal => (cols - 1 - col, rows - 1 - row),
                Self::Column => (row, cols - 1 - col),
                Self::Row => (rows - 1 - row, col),
            };
            (row * cols + col) as Cell
        };
        Some((0..size.cells() as Cell).map(mirrored).collect())
    }
}
