//! Boards to play: drawn at random, or written by the player as a board or as moves.

use taquin::{
    Board, MovesError, Puzzle, PuzzleError, ReadError, is_moves, is_reachable, read_board,
};

/// Why a text is no scramble.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ScrambleError {
    #[error(transparent)]
    Board(#[from] ReadError),
    #[error(transparent)]
    Moves(#[from] MovesError),
    #[error(transparent)]
    Puzzle(#[from] PuzzleError),
    #[error("this board cannot be solved")]
    Unsolvable,
}

/// Reads a scramble: a board in any notation, or moves from the goal in tile notation (`R2DL2`).
///
/// # Errors
/// Fails if the text is neither, or if the goal cannot be reached from the board.
pub fn read_scramble(text: &str, goal: &Board) -> Result<Puzzle, ScrambleError> {
    let start = match is_moves(text) {
        true => taquin::read_scramble(text, goal)?,
        false => read_board(text, Some(goal.size())).or_else(|_| read_board(text, None))?,
    };
    let puzzle = Puzzle::new(start, goal.clone())?;
    if is_reachable(&puzzle) { Ok(puzzle) } else { Err(ScrambleError::Unsolvable) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use taquin::{NamedGoal, Size};

    use super::*;

    #[test]
    fn boards_and_moves_are_scrambles() {
        let goal = NamedGoal::Last.board(Size::new(4, 4).unwrap(), 1);
        let board = "1 2 3 4/5 6 7 8/0 9 10 11/13 14 15 12";
        for text in [board, "D R3", "DR3", "d,r3", "123456780 9 10"] {
            match read_scramble(text, &goal) {
                Ok(puzzle) => assert_eq!(puzzle.start().to_string(), board, "{text}"),
                Err(error) => assert_eq!(text, "123456780 9 10", "{error}"),
            }
        }
        let swapped = "1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0";
        assert_eq!(read_scramble(swapped, &goal), Err(ScrambleError::Unsolvable));
        assert!(matches!(read_scramble("L", &goal), Err(ScrambleError::Moves(_))));
        assert!(matches!(read_scramble("", &goal), Err(ScrambleError::Board(_))));
        assert!(matches!(read_scramble("1 2 3/4 5 6/7 8 0", &goal), Err(ScrambleError::Puzzle(_))));
    }
}
