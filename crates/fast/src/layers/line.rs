//! A single row or column: tiles keep their order, and each goes straight to its place.

use taquin_search::Stop;
use taquin_tiles::{Cell, Move, Puzzle, Slide, Tile};

use super::Track;

/// The fewest moves from the start to the goal, which has the tiles in the same order.
pub(super) fn slides(puzzle: &Puzzle, mut track: Track<'_>) -> Result<Vec<Slide>, Stop> {
    let places = |tiles: &[Tile]| -> Vec<Cell> {
        (0..).zip(tiles).filter(|&(_, &tile)| tile != 0).map(|(cell, _)| cell).collect()
    };
    let ways: Vec<(Cell, Cell)> =
        places(puzzle.start().tiles()).into_iter().zip(places(puzzle.goal().tiles())).collect();
    let (ahead, back) = match puzzle.size().rows() {
        1 => (Move::Right, Move::Left),
        _ => (Move::Down, Move::Up),
    };
    // Those that go ahead start with the foremost, so that the way is always free; moves are named
    // after the blank, which comes the other way.
    for &(from, to) in ways.iter().rev() {
        for cell in from..to {
            track.push(Slide { blank: cell + 1, step: back })?;
        }
    }
    for &(from, to) in &ways {
        for cell in (to..from).rev() {
            track.push(Slide { blank: cell, step: ahead })?;
        }
    }
    Ok(track.slides)
}
