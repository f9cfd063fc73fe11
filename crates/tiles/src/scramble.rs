//! Random boards from which a goal can be reached.

use taquin_search::Random;

use crate::board::{Board, Puzzle};
use crate::reach::is_reachable;
use crate::size::{Cell, Size, Tile};
use crate::step::Move;

/// Returns a random board from which the goal can be reached. All such boards are equally likely.
///
/// ```
/// use taquin_search::Random;
/// use taquin_tiles::{NamedGoal, Puzzle, is_reachable, scramble};
///
/// let goal = NamedGoal::Last.board("4x4".parse()?, 1);
/// let start = scramble::uniform(&goal, &mut Random::new(1)); // the same board for each seed
/// assert!(is_reachable(&Puzzle::new(start, goal)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn uniform(goal: &Board, random: &mut Random) -> Board {
    let size = goal.size();
    let mut tiles = goal.tiles().to_vec();
    random.shuffle(&mut tiles);
    if size.is_line() {
        // After the shuffle every set of blank cells is equally likely. The tiles' order is fixed.
        let places = tiles.iter_mut().filter(|tile| **tile != 0);
        let order = goal.tiles().iter().filter(|&&tile| tile != 0);
        for (place, &tile) in places.zip(order) {
            *place = tile;
        }
    }
    let board = board(size, tiles);
    let puzzle = Puzzle::new(board, goal.clone()).expect("a shuffle keeps size and blanks");
    if is_reachable(&puzzle) {
        return puzzle.start().clone();
    }
    // One blank and the wrong parity: swap the tiles 1 and 2. This pairs each unreachable board
    // with a reachable one, so each reachable board results from exactly two shuffles, which are
    // equally likely.
    let cells = puzzle.start().positions();
    puzzle.start().swapped(cells[1], cells[2])
}

/// Returns the board after a random walk of `moves` moves from the goal.
///
/// Each possible move is equally likely, but the walk undoes its last move only if no other is
/// possible. If no move is possible, the goal is returned.
///
/// ```
/// use taquin_search::Random;
/// use taquin_tiles::{NamedGoal, scramble};
///
/// let goal = NamedGoal::Last.board("4x4".parse()?, 1);
/// let start = scramble::walk(&goal, 20, &mut Random::new(1)); // at most 20 moves from the goal
/// assert_eq!(start.size(), goal.size());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn walk(goal: &Board, moves: usize, random: &mut Random) -> Board {
    let size = goal.size();
    let mut tiles = goal.tiles().to_vec();
    let mut blanks: Vec<Cell> = goal.blanks().collect();
    let mut last = None;
    let mut choices = Vec::new();
    for _ in 0..moves {
        choices.clear();
        for (index, &blank) in blanks.iter().enumerate() {
            let targets = Move::ALL.iter().filter_map(|step| step.target(size, blank));
            let tiles = targets.filter(|&target| tiles[usize::from(target)] != 0);
            choices.extend(tiles.map(|target| (index, target)));
        }
        match choices.len() {
            0 => break,
            1 => {}
            _ => choices.retain(|&(index, target)| last != Some((blanks[index], target))),
        }
        let (index, target) = choices[random.below(choices.len())];
        let blank = std::mem::replace(&mut blanks[index], target);
        tiles.swap(blank.into(), target.into());
        last = Some((target, blank));
    }
    board(size, tiles)
}

fn board(size: Size, tiles: Vec<Tile>) -> Board {
    Board::new(size, tiles).expect("the tiles of a board, in another order")
}
