//! A single row or column: tiles keep their order, and each moves straight to its goal cell.

use taquin_search::Stop;
use taquin_tiles::{Cell, Move, Puzzle, Slide, Tile};

use super::MoveList;

/// Returns the fewest moves from the start to the goal, which has the tiles in the same order.
pub(super) fn slides(puzzle: &Puzzle, mut moves: MoveList<'_>) -> Result<Vec<Slide>, Stop> {
    let places = |tiles: &[Tile]| -> Vec<Cell> {
        (0..).zip(tiles).filter(|&(_, &tile)| tile != 0).map(|(cell, _)| cell).collect()
    };
    let moved: Vec<(Cell, Cell)> =
        places(puzzle.start().tiles()).into_iter().zip(places(puzzle.goal().tiles())).collect();
    let (ahead, back) = match puzzle.size().rows() {
        1 => (Move::Right, Move::Left),
        _ => (Move::Down, Move::Up),
    };
    // Tiles that move ahead start with the foremost, so that the next cell is always blank. Moves
    // are named after the blank, which moves the other way.
    for &(from, to) in moved.iter().rev() {
        for cell in from..to {
            moves.push(Slide { blank: cell + 1, step: back })?;
        }
    }
    for &(from, to) in &moved {
        for cell in (to..from).rev() {
            moves.push(Slide { blank: cell, step: ahead })?;
        }
    }
    Ok(moves.slides)
}
