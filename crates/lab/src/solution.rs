//! Solutions as people and programs write them.
//!
//! Letters (`LDDR`), words (`['Left', 'Down']`), sentences (`Move 7 Left`), the boards on the path in
//! any form, or the JSON of `taquin solve`; with other lines around them, as the programs of the
//! courses print them.

use std::fmt;

use serde_json::Value;
use taquin::{
    Board, Move, MoveFault, MovesError, Notation, Puzzle, Slide, Tile, read_board, read_moves,
    read_moves_detect,
};

use crate::course::direction;

/// The moves of a solution, and how they were written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The moves.
    pub slides: Vec<Slide>,
    /// How they were written.
    pub form: SolutionForm,
}

/// How a solution is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolutionForm {
    /// Letters or words, in a notation.
    Moves(Notation),
    /// A sentence for each move, with its tile.
    Sentences,
    /// The boards on the path.
    Boards,
}

impl fmt::Display for SolutionForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moves(notation) => write!(f, "{notation} notation"),
            Self::Sentences => f.write_str("sentences"),
            Self::Boards => f.write_str("boards"),
        }
    }
}

/// Why a text is not a list of moves that a board allows.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolutionError {
    /// A word is not a move, or the board does not allow it.
    #[error(transparent)]
    Moves(#[from] MovesError),
    /// The board does not allow a move.
    #[error("move {index} ({what}): {reason}")]
    Step {
        /// The number of the move, from 1.
        index: usize,
        /// The move as it is written.
        what: String,
        /// The reason.
        reason: &'static str,
    },
}

impl SolutionError {
    /// Returns whether these are moves, but the board does not allow them.
    pub const fn is_illegal(&self) -> bool {
        match self {
            Self::Step { .. } => true,
            Self::Moves(error) => !matches!(
                error.fault(),
                MoveFault::Letter | MoveFault::Number | MoveFault::Zero | MoveFault::TooMany(_)
            ),
        }
    }
}

/// Returns whether a text is a list of moves rather than a board: letters, with or without counts.
pub fn is_moves(text: &str) -> bool {
    let is_letter = |c: char| Move::from_letter(c).is_some();
    let is_part = |c: char| is_letter(c) || c.is_ascii_digit() || c == ',' || c.is_whitespace();
    text.chars().any(is_letter) && text.chars().all(is_part)
}

/// Reads a solution of a puzzle in any form; letters in `notation`, or else in the one that fits.
///
/// # Errors
/// Fails if there are no moves in the text, or if the board does not allow one of them.
pub fn read_solution(
    text: &str,
    puzzle: &Puzzle,
    notation: Option<Notation>,
) -> Result<Written, SolutionError> {
    let letters = |text: &str| match notation {
        Some(notation) => {
            let slides = read_moves(text, Some(notation), puzzle.start())?;
            Ok(Written { slides, form: SolutionForm::Moves(notation) })
        }
        None => {
            let (slides, notation) = read_moves_detect(text, puzzle.start(), puzzle.goal())?;
            Ok(Written { slides, form: SolutionForm::Moves(notation) })
        }
    };
    if is_moves(text) || text.trim().is_empty() {
        return letters(text);
    }
    if let Ok(Value::Object(report)) = serde_json::from_str::<Value>(text)
        && let Some(moves) = report.get("moves").and_then(Value::as_str)
    {
        return letters(moves);
    }
    let sentences = sentences(text);
    if !sentences.is_empty() {
        let slides = follow_tiles(puzzle.start(), &sentences)?;
        return Ok(Written { slides, form: SolutionForm::Sentences });
    }
    if let Some(words) = words(text) {
        return letters(&words);
    }
    let boards = boards(text, puzzle.start());
    if boards.len() > 1 || boards.first() == Some(puzzle.start()) {
        let slides = follow_boards(puzzle.start(), &boards)?;
        return Ok(Written { slides, form: SolutionForm::Boards });
    }
    // If there is none, the error is that of the text as letters.
    letters(text.lines().find(|line| is_moves(line)).unwrap_or(text))
}

fn direction_of(word: &str) -> Option<Move> {
    [Move::Up, Move::Left, Move::Right, Move::Down]
        .into_iter()
        .find(|step| direction(*step).eq_ignore_ascii_case(word))
}

/// Finds sentences such as `Move 7 Left`: the tiles and where they go.
fn sentences(text: &str) -> Vec<(Tile, Move)> {
    let sentence = |line: &str| {
        let mut words = line.split_whitespace();
        let is_move = words.next()?.eq_ignore_ascii_case("move");
        let tile = words.next()?.parse().ok()?;
        let step = direction_of(words.next()?)?;
        (is_move && words.next().is_none()).then_some((tile, step))
    };
    text.lines().filter_map(sentence).collect()
}

/// Finds lines of directions, as in `path: ['Up', 'Left']`, and returns their letters.
fn words(text: &str) -> Option<String> {
    let line = |line: &str| {
        let list = line.split_once(':').map_or(line, |(_, list)| list);
        let words = list.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let steps = words.map(direction_of).collect::<Option<Vec<Move>>>()?;
        let is_list = !steps.is_empty() || list.trim() == "[]";
        is_list.then(|| steps.into_iter().map(|step| step.to_string()).collect::<String>())
    };
    let lines: Vec<String> = text.lines().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.concat())
}

/// Finds boards like `start`: in one line, or its rows below each other.
fn boards(text: &str, start: &Board) -> Vec<Board> {
    let (rows, cols) = (start.size().rows(), start.size().cols());
    let mut boards = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line
            .split(|c: char| c.is_whitespace() || ",;[]()".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        let is_tile = |word: &&str| word.parse::<Tile>().is_ok() || "b_*x.".contains(*word);
        let is_row = words.len() == cols && words.iter().all(is_tile);
        if let Ok(board) = read_board(line, Some(start.size())) {
            block.clear();
            boards.push(board);
        } else if is_row {
            block.push(line);
        } else {
            block.clear();
        }
        if block.len() == rows {
            boards.extend(read_board(&block.join("\n"), Some(start.size())).ok());
            block.clear();
        }
    }
    boards
}

fn follow_tiles(start: &Board, moves: &[(Tile, Move)]) -> Result<Vec<Slide>, SolutionError> {
    let mut board = start.clone();
    let mut slides = Vec::new();
    for (index, &(tile, step)) in (1..).zip(moves) {
        let wrong = |reason| SolutionError::Step {
            index,
            what: format!("Move {tile} {}", direction(step)),
            reason,
        };
        let at = board.tiles().iter().position(|other| *other == tile && tile != 0);
        let at = at.ok_or_else(|| wrong("there is no such tile"))?;
        let blank = step.target(board.size(), at as u16);
        let blank = blank.ok_or_else(|| wrong("the tile is at the edge"))?;
        let slide = Slide { blank, step: step.opposite() };
        board.slide(slide).map_err(|_| wrong("there is no blank on that side of the tile"))?;
        slides.push(slide);
    }
    Ok(slides)
}

fn follow_boards(start: &Board, boards: &[Board]) -> Result<Vec<Slide>, SolutionError> {
    let mut board = start.clone();
    let mut slides: Vec<Slide> = Vec::new();
    for next in boards {
        if *next == board {
            continue;
        }
        let wrong = || SolutionError::Step {
            index: slides.len() + 1,
            what: next.to_string(),
            reason: "it takes more than one move to get there",
        };
        let steps = [Move::Up, Move::Left, Move::Right, Move::Down];
        let all = board.blanks().flat_map(|blank| steps.map(|step| Slide { blank, step }));
        let leads = |slide: &Slide| {
            let mut board = board.clone();
            board.slide(*slide).is_ok() && board == *next
        };
        let slide = all.collect::<Vec<_>>().into_iter().find(leads).ok_or_else(wrong)?;
        slides.push(slide);
        board.clone_from(next);
    }
    Ok(slides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a13_solutions_are_read_in_every_form() {
        let puzzle = |start: &str, goal: &str| {
            Puzzle::new(start.parse().unwrap(), goal.parse().unwrap()).unwrap()
        };
        let puzzle = puzzle("1 2 3/4 0 6/7 5 8", "1 2 3/4 5 6/7 8 0");
        let boards =
            "1 2 3\n4 0 6\n7 5 8\n\n1 2 3\n4 5 6\n7 0 8\n\n1 2 3\n4 5 6\n7 8 0\nSteps: 2\n";
        for text in [
            "DR",
            "UL",
            "['Down', 'Right']",
            "down, right",
            "path_to_goal: ['Down', 'Right']\ncost_of_path: 2\n",
            "Steps:\n\tMove 5 Up\n\tMove 8 Left\n",
            boards,
            &boards.replace('0', "b"),
            "[[1, 2, 3], [4, 0, 6], [7, 5, 8]]\n[[1, 2, 3], [4, 5, 6], [7, 0, 8]]\n123456780",
            "{\"cost\": 2, \"moves\": \"DR\"}",
            "Solved in 2 moves: optimal, no solution is shorter.\nDR\nauto: expanded 2\n",
        ] {
            let read = read_solution(text, &puzzle, None).unwrap();
            let end = taquin::replay(puzzle.start(), &read.slides).unwrap();
            assert_eq!((end, read.slides.len()), (puzzle.goal().clone(), 2), "{text:?}");
        }
        for (text, illegal) in [
            ("DDD", true),
            ("Move 7 Up", true),
            ("Move 5 Down", true),
            ("1 2 3/4 0 6/7 5 8\n1 2 3/4 5 6/7 8 0", true),
            ("hello", false),
            ("{}", false),
        ] {
            let error = read_solution(text, &puzzle, None).unwrap_err();
            assert_eq!(error.is_illegal(), illegal, "{text:?}: {error}");
        }
        assert_eq!(read_solution("path: []", &puzzle, None).unwrap().slides, []);
    }
}
