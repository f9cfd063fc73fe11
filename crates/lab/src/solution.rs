//! Solutions as people and programs write them.
//!
//! Letters (`LDDR`, `['L', 'D']`), words (`['Left', 'Down']`), arrows, sentences (`Move 7 Left`),
//! the tiles that move (`7 4 5`), the boards on the path in any form, or the JSON of `taquin
//! solve`. Other lines may surround them, and each move may have a number.

mod boards;
mod words;

use std::fmt;

use serde_json::Value;
use taquin::{
    Board, Move, MoveFault, MovesError, Notation, Puzzle, Slide, Tile, is_moves, read_moves,
    read_moves_detect, replay,
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
    /// The tiles that move, each with its direction: `5U 8L`.
    Directed,
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
            Self::Directed => f.write_str("tiles and directions"),
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
        /// How the moves were written.
        form: SolutionForm,
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

    /// Returns how the moves were written, if these are moves.
    pub fn form(&self) -> Option<SolutionForm> {
        match self {
            Self::Step { form, .. } => Some(*form),
            Self::Moves(error) if self.is_illegal() => error.notation().map(SolutionForm::Moves),
            Self::Moves(_) => None,
        }
    }
}

/// A text as a solution.
enum Reading {
    Letters(String),
    Directed(Vec<(Tile, Move)>, SolutionForm),
    Tiles(Vec<Tile>),
    Boards(Vec<Board>),
}

/// Longer texts, in bytes, are not searched for boards if they have other moves.
const LONG: usize = 16 << 10;

/// Reads a puzzle's solution in any form; letters in `notation`, or else in the one that fits.
///
/// A text may allow several readings: `2` above `5 8` is a number of moves or a tile. The likeliest
/// one counts, unless another leads to the goal.
///
/// # Errors
/// Fails if the text contains no moves, or if the board does not allow one of them.
pub fn read_solution(
    text: &str,
    puzzle: &Puzzle,
    notation: Option<Notation>,
) -> Result<NotatedSolution, SolutionError> {
    let start = puzzle.start();
    let json = json_moves(text);
    let text = json.as_deref().unwrap_or(text);
    // A heading may announce something else, as in `Solved in 4 moves: optimal`.
    let below = without_heading(text);
    let mut best: Option<Result<NotatedSolution, SolutionError>> = None;
    for text in [below, text].into_iter().take(1 + usize::from(below.len() < text.len())) {
        let forms: [&dyn Fn() -> Vec<Reading>; 3] =
            [&|| words::moves(text), &|| boards::path(text, start).into_iter().collect(), &|| {
                words::tiles(text, start)
            }];
        for form in forms {
            for reading in form() {
                let read = follow(reading, puzzle, notation);
                let end = read.as_ref().ok().and_then(|read| replay(start, &read.slides).ok());
                if end.as_ref() == Some(puzzle.goal()) {
                    return read;
                }
                best = best
                    .or(Some(read)
                        .filter(|read| !matches!(read, Err(error) if !error.is_illegal())));
            }
            if best.is_some() && text.len() > LONG {
                break;
            }
        }
    }
    best.unwrap_or_else(|| {
        // If there is none, the error describes the text as letters.
        let letters = text.lines().find(|line| is_moves(line)).unwrap_or(text);
        follow(Reading::Letters(letters.to_owned()), puzzle, notation)
    })
}

fn follow(
    reading: Reading,
    puzzle: &Puzzle,
    notation: Option<Notation>,
) -> Result<NotatedSolution, SolutionError> {
    let start = puzzle.start();
    let (slides, form) = match reading {
        Reading::Letters(text) => {
            let (slides, notation) = match notation {
                Some(notation) => (read_moves(&text, Some(notation), start)?, notation),
                None => read_moves_detect(&text, start, puzzle.goal())?,
            };
            (slides, SolutionForm::Moves(notation))
        }
        Reading::Directed(moves, form) => (follow_directed(start, &moves, form)?, form),
        Reading::Tiles(tiles) => (follow_tiles(start, &tiles)?, SolutionForm::Tiles),
        Reading::Boards(boards) => (follow_boards(start, &boards)?, SolutionForm::Boards),
    };
    Ok(NotatedSolution { slides, form })
}

/// Returns the moves of a JSON object, as `taquin solve --json` writes it.
fn json_moves(text: &str) -> Option<String> {
    let Ok(Value::Object(report)) = serde_json::from_str::<Value>(text) else { return None };
    let names = ["moves", "path", "solution", "actions", "path_to_goal"];
    let moves = names.into_iter().find_map(|name| report.get(name))?;
    Some(moves.as_str().map_or_else(|| moves.to_string(), str::to_owned))
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

/// Moves tiles in given directions.
fn follow_directed(
    start: &Board,
    moves: &[(Tile, Move)],
    form: SolutionForm,
) -> Result<Vec<Slide>, SolutionError> {
    let mut board = start.clone();
    let mut slides = Vec::new();
    for (index, &(tile, step)) in (1..).zip(moves) {
        let wrong = |reason| SolutionError::Step {
            index,
            what: format!("Move {tile} {}", direction(step)),
            reason,
            form,
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
fn follow_tiles(start: &Board, tiles: &[Tile]) -> Result<Vec<Slide>, SolutionError> {
    let mut board = start.clone();
    let mut slides = Vec::new();
    for (index, tile) in (1..).zip(tiles) {
        let wrong = |reason| SolutionError::Step {
            index,
            what: format!("tile {tile}"),
            reason,
            form: SolutionForm::Tiles,
        };
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
            form: SolutionForm::Boards,
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
            "Path: 5 8\nCost: 2",
            "Moves: 2\n5 8",
            "2\n5 8",
            "start    1. D     2. R\n1 2 3    1 2 3    1 2 3\n4 · 6    4 5 6    4 5 6\n\
             7 5 8    7 · 8    7 8 ·\n\nSolved in 2 moves: optimal, no solution is shorter.\n",
            "5\n8\n",
            "1. 5\n2. 8",
            "Name: Lu\nDR",
            "Student: Dr Lull\nA*: DR\n",
            "2\nDR",
            "DR (2 moves)",
            "1. Down, 2. Right",
            "1 Down\n2 Right",
            "Step 1: Down, Step 2: Right",
            "5U 8L",
            "5U-8L",
            "11. 5 up\n12. 8 left",
            "move tile 5 up, then tile 8 to the left",
            "1D 1R",
            "[Action.DOWN, Action.RIGHT]",
            "[<Action.DOWN: 1>, <Action.RIGHT: 3>]",
            "{\"path\": [\"D\", \"R\"], \"cost\": 2}",
            "1 2 3\n4   6\n7 5 8\n\n1 2 3\n4 5 6\n7   8\n\n1 2 3\n4 5 6\n7 8\n",
            "123\n4 6\n758\n\n123\n456\n7 8\n\n123\n456\n78\n",
            "[[[1,2,3],[4,0,6],[7,5,8]],[[1,2,3],[4,5,6],[7,0,8]],[[1,2,3],[4,5,6],[7,8,0]]]",
            "[[1,2,3,4,0,6,7,5,8], [1,2,3,4,5,6,7,0,8], [1,2,3,4,5,6,7,8,0]]",
            "['123406758', '123456708', '123456780']",
            "123406758 123456708 123456780",
            "123406758 -> 123456708 -> 123456780",
            "1 2 3/4 0 6/7 5 8 -> 1 2 3/4 5 6/7 0 8 -> 1 2 3/4 5 6/7 8 0",
            "1 2 3\n4 0 6\n7 5 8\n  ->\n1 2 3\n4 5 6\n7 0 8\n  ->\n1 2 3\n4 5 6\n7 8 0",
            "start\n1 2 3\n4 0 6\n7 5 8\n\n1. D\n1 2 3\n4 5 6\n7 0 8\n\n2. R\n1 2 3\n4 5 6\n7 8 0\n\
             Solved in 2 moves: optimal, no solution is shorter.\n",
        ] {
            let read = read_solution(text, &puzzle, None).unwrap();
            let end = replay(puzzle.start(), &read.slides).unwrap();
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
        // Lines of any length, and boards below them.
        for text in
            ["[".repeat(70_000), format!("{}\n", "1 ".repeat(70_000)), "1 2 3\n".repeat(900)]
        {
            let text = text + "\n1 2 3\n4 0 6\n7 5 8\n";
            assert_eq!(read_solution(&text, &puzzle, None).unwrap().slides, [], "{}", text.len());
        }
        assert_eq!(read_solution("path: []", &puzzle, None).unwrap().slides, []);
    }
}
