//! Solutions as people and programs write them.
//!
//! Letters (`LDDR`, `['L', 'D']`), words (`['Left', 'Down']`), arrows, sentences (`Move 7 Left`),
//! the tiles that move (`7 4 5`), the boards on the path in any form, or the JSON of `taquin
//! solve`. Other lines may surround them, and each move may have a number.

use std::fmt;

use serde_json::Value;
use taquin::{
    Board, Move, MoveFault, MovesError, Notation, Puzzle, Slide, Tile, read_board, read_moves,
    read_moves_detect,
};

use crate::course::direction;

/// The moves of a solution, and how they were written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotatedSolution {
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
    /// The tiles that move.
    Tiles,
    /// The boards on the path.
    Boards,
}

impl fmt::Display for SolutionForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moves(notation) => write!(f, "{notation} notation"),
            Self::Sentences => f.write_str("sentences"),
            Self::Tiles => f.write_str("the tiles that move"),
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
                MoveFault::Letter | MoveFault::Zero | MoveFault::TooMany(_)
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

/// Reads a puzzle's solution in any form; letters in `notation`, or else in the one that fits.
///
/// # Errors
/// Fails if the text contains no moves, or if the board does not allow one of them.
pub fn read_solution(
    text: &str,
    puzzle: &Puzzle,
    notation: Option<Notation>,
) -> Result<NotatedSolution, SolutionError> {
    let letters = |text: &str| match notation {
        Some(notation) => {
            let slides = read_moves(text, Some(notation), puzzle.start())?;
            Ok(NotatedSolution { slides, form: SolutionForm::Moves(notation) })
        }
        None => {
            let (slides, notation) = read_moves_detect(text, puzzle.start(), puzzle.goal())?;
            Ok(NotatedSolution { slides, form: SolutionForm::Moves(notation) })
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
        return Ok(NotatedSolution { slides, form: SolutionForm::Sentences });
    }
    // A heading may announce something else, as in `Solved in 4 moves: optimal`.
    let below = without_heading(text);
    for text in [below, text].into_iter().take(1 + usize::from(below.len() < text.len())) {
        if let Some(words) = words(text) {
            return letters(&words);
        }
        let boards = boards(text, puzzle.start());
        if boards.len() > 1 || boards.first() == Some(puzzle.start()) {
            let slides = follow_boards(puzzle.start(), &boards)?;
            return Ok(NotatedSolution { slides, form: SolutionForm::Boards });
        }
        let tiles = tiles(text, puzzle.start());
        if !tiles.is_empty() {
            let slides = follow_numbers(puzzle.start(), &tiles)?;
            return Ok(NotatedSolution { slides, form: SolutionForm::Tiles });
        }
    }
    // If there is none, the error describes the text as letters.
    letters(text.lines().find(|line| is_moves(line)).unwrap_or(text))
}

/// Returns the move that a word or an arrow names.
fn direction_of(word: &str) -> Option<Move> {
    const ARROWS: [[&str; 4]; 4] =
        [["↑", "⬆", "⇧", "^"], ["←", "⬅", "⇦", "<"], ["→", "➡", "⇨", ">"], ["↓", "⬇", "⇩", "v"]];
    let mut steps = [Move::Up, Move::Left, Move::Right, Move::Down].into_iter().zip(ARROWS);
    steps
        .find(|(step, arrows)| {
            direction(*step).eq_ignore_ascii_case(word) || arrows.contains(&word)
        })
        .map(|(step, _)| step)
}

/// Finds sentences such as `Move 7 Left`: the tiles and their directions.
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

/// Removes the lines above one that announces a solution: a name there may look like moves.
fn without_heading(text: &str) -> &str {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if let Some((label, rest)) = line.split_once(':') {
            let label = label.to_ascii_lowercase();
            let names = ["solution", "path", "moves", "steps", "answer"];
            // A number alone is how many there are.
            if names.iter().any(|name| label.ends_with(name)) && rest.trim().parse::<u64>().is_err()
            {
                return &text[offset..];
            }
        }
        offset += line.len();
    }
    text
}

/// Finds lines of moves, as in `path: ['Up', 'Left']` or `2. U`, and returns their letters.
fn words(text: &str) -> Option<String> {
    let is_arrow = |c: char| direction_of(c.encode_utf8(&mut [0; 4])).is_some();
    let word = |word: &str| match direction_of(word) {
        Some(step) => Some(step.to_string()),
        // Arrows need no space between them.
        None if word.chars().all(is_arrow) => word
            .chars()
            .map(|c| direction_of(c.encode_utf8(&mut [0; 4]))?.letter().into())
            .collect(),
        None => is_moves(word).then(|| word.to_owned()),
    };
    let line = |line: &str| {
        let list = unnumbered(line.split_once(':').map_or(line, |(_, list)| list));
        let is_part = |c: char| c.is_alphanumeric() || is_arrow(c);
        // Emoji have a selector, and arrows of two characters join moves.
        let list = list.replace('\u{fe0f}', " ").replace("->", " ").replace("=>", " ");
        let words = list.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
        let moves = words.map(word).collect::<Option<Vec<String>>>()?;
        let is_list = !moves.is_empty() || list.trim() == "[]";
        is_list.then(|| moves.join(" "))
    };
    let lines: Vec<String> = text.lines().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// Removes the number of a line in a list: `2. Up`, `2) Up`.
fn unnumbered(line: &str) -> &str {
    let line = line.trim();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(item) if rest.len() < line.len() => item,
        _ => line,
    }
}

/// Finds lines with a board's tiles, as in `path: 5 8`.
fn tiles(text: &str, board: &Board) -> Vec<Tile> {
    let largest = board.tiles().iter().max().copied().unwrap_or(0);
    let line = |line: &str| -> Option<Vec<Tile>> {
        let list = line.split_once(':').map_or(line, |(_, list)| list);
        let words = list.split(|c: char| c.is_whitespace() || ",;[](){}'\"".contains(c));
        let tile = |word: &str| word.parse().ok().filter(|tile| (1..=largest).contains(tile));
        words.filter(|word| !word.is_empty()).map(tile).collect()
    };
    text.lines().filter_map(line).flatten().collect()
}

/// Finds boards like `start`: in one line, its rows below each other, or between empty lines.
fn boards(text: &str, start: &Board) -> Vec<Board> {
    let size = Some(start.size());
    let mut boards = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for block in lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty()) {
        // A heading or a line between two boards may be part of the block.
        let mut begin = 0;
        while begin < block.len() {
            let board = (begin + 1..=block.len().min(begin + 2 * start.size().rows() + 3))
                .find_map(|end| Some((read_board(&block[begin..end].join("\n"), size).ok()?, end)));
            match board {
                Some((board, end)) => {
                    boards.push(board);
                    begin = end;
                }
                None => begin += 1,
            }
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

/// Moves tiles, each to the blank next to it.
fn follow_numbers(start: &Board, tiles: &[Tile]) -> Result<Vec<Slide>, SolutionError> {
    let mut board = start.clone();
    let mut slides = Vec::new();
    for (index, tile) in (1..).zip(tiles) {
        let wrong = |reason| SolutionError::Step { index, what: format!("tile {tile}"), reason };
        let mut able = board.blanks().flat_map(|blank| {
            let steps = [Move::Up, Move::Left, Move::Right, Move::Down];
            steps.map(|step| Slide { blank, step }).into_iter().filter(|slide| {
                let target = slide.step.target(board.size(), slide.blank);
                target.is_some_and(|target| board.tiles()[usize::from(target)] == *tile)
            })
        });
        let slide = match (able.next(), able.next()) {
            (None, _) => return Err(wrong("there is no blank next to it")),
            (Some(slide), None) => slide,
            (Some(_), Some(_)) => return Err(wrong("there are several blanks next to it")),
        };
        drop(able);
        board.slide(slide).map_err(|_| wrong("there is no blank next to it"))?;
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
    fn solutions_are_read_in_every_form() {
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
            "['D','R']",
            "[\"D\",\"R\"]",
            "[D, R]",
            "('D', 'R')",
            "(D, R)",
            "D -> R",
            "↓→",
            "⬇️ ➡️",
            "1. Down\n2. Right\n",
            "1) D\n2) R\n",
            "Step 1: Down\nStep 2: Right\n",
            "D1 R1",
            "5 8",
            "[5, 8]",
            "Name: Alice\nSID: 12345\nSolution: DR\n",
            "Name: Alice\nSID: 12345\nSolution:\nDown\nRight\n",
            "Solution: 5 8",
            "Name: Lu\nMoves: D R\n",
            "+---+---+---+\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n| 7 |   | 8 |\n+---+---+---+\n\n\
             +---+---+---+\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |\n| 7 | 8 |   |\n+---+---+---+\n",
            "Solved in 2 moves: optimal, no solution is shorter.\nDR\nauto: expanded 2\n",
            "start\n1 2 3\n4 0 6\n7 5 8\n\n1. D\n1 2 3\n4 5 6\n7 0 8\n\n2. R\n1 2 3\n4 5 6\n7 8 0\n\
             Solved in 2 moves: optimal, no solution is shorter.\n",
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
            ("5 1", true),
            ("['D', 'D', 'D']", true),
            ("hello", false),
            ("{}", false),
        ] {
            let error = read_solution(text, &puzzle, None).unwrap_err();
            assert_eq!(error.is_illegal(), illegal, "{text:?}: {error}");
        }
        assert_eq!(read_solution("path: []", &puzzle, None).unwrap().slides, []);
    }
}
