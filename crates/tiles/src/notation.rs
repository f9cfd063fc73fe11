//! Moves from and to text.
//!
//! A move is a [`Slide`]: a blank and its direction. A text contains less, and the readers infer
//! the rest by replaying it on the board: with one blank a letter is enough, with several blanks
//! the tile that moves follows the letter.

mod error;

use std::iter;

use crate::board::Board;
use crate::size::{Cell, Tile};
use crate::step::{Move, Slide};
use crate::text::{Place, excerpt, places};

pub use error::{MoveFault, MovesError};

/// The most moves in a text: a nine-digit count takes only ten characters.
const MAX_MOVES: u64 = 100_000_000;

taquin_search::named_enum! {
    /// The thing that U, D, L and R move.
    #[derive(Default)]
    pub enum Notation: "notation" {
        /// The blank's direction: `RUULD`; with several blanks also the tile: `R7 U3`.
        #[default]
        Blank = "blank",
        /// The tile's direction, with counts: `LD2RU`; with several blanks also the tile: `L7 D3`.
        Tile = "tile",
    }
}

/// Returns whether a text is a list of moves rather than a board: letters, with or without counts.
pub fn is_moves(text: &str) -> bool {
    let is_letter = |c: char| Move::from_letter(c).is_some();
    let is_part = |c: char| is_letter(c) || c.is_ascii_digit() || c == ',' || c.is_whitespace();
    text.chars().any(is_letter) && text.chars().all(is_part)
}

/// Reads moves, in upper or lower case, and replays them on a board.
///
/// White space and commas are ignored. On a board of one blank a number is a count, or in blank
/// notation also the tile that moves. Without a notation, numbers imply tile notation there, and
/// otherwise it is blank notation.
///
/// ```
/// use taquin_tiles::{Board, Move, Notation, read_moves, write_moves};
///
/// let start: Board = "1 2 3/4 0 5".parse()?;
/// let moves = read_moves("rul", Some(Notation::Blank), &start)?;
/// assert_eq!((moves.len(), moves[0].step), (3, Move::Right));
/// assert_eq!(write_moves(&moves, &start, Notation::Tile)?, "LDR");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails at the first word that is not a move, or that the board does not allow.
pub fn read_moves(
    text: &str,
    notation: Option<Notation>,
    start: &Board,
) -> Result<Vec<Slide>, MovesError> {
    let notation = notation.unwrap_or_else(|| likely_notation(text, is_single(start)));
    best_reading(text, Some(notation), start, None).map(|(slides, _)| slides)
}

/// Reads moves in the notation that leads to the goal, or else in one that the board allows, and
/// returns that notation. If both do, it chooses as [`read_moves`] does.
///
/// ```
/// use taquin_tiles::{Board, Notation, read_moves_detect};
///
/// let (start, goal): (Board, Board) = ("1 2 3/4 0 5".parse()?, "1 2 3/4 5 0".parse()?);
/// assert_eq!(read_moves_detect("R", &start, &goal)?.1, Notation::Blank);
/// assert_eq!(read_moves_detect("L", &start, &goal)?.1, Notation::Tile);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails as [`read_moves`] does, if the board allows the moves in neither notation.
pub fn read_moves_detect(
    text: &str,
    start: &Board,
    goal: &Board,
) -> Result<(Vec<Slide>, Notation), MovesError> {
    best_reading(text, None, start, Some(goal))
}

/// Returns the moves of the first reading that leads to the goal, or else that the board allows.
fn best_reading(
    text: &str,
    notation: Option<Notation>,
    start: &Board,
    goal: Option<&Board>,
) -> Result<(Vec<Slide>, Notation), MovesError> {
    let is_single = is_single(start);
    let likely = likely_notation(text, is_single);
    let mut legal = None;
    let mut error = None;
    for notation in notation.map_or(vec![likely, likely.opposite()], |notation| vec![notation]) {
        // The letters of a single blank have counts, and in blank notation perhaps tiles.
        let numbers: &[Number] = match (is_single, notation) {
            (true, Notation::Tile) => &[Number::Count],
            (true, Notation::Blank) => &[Number::Tile, Number::Count],
            (false, _) => &[Number::Tile],
        };
        for &number in numbers {
            match replay_text(text, notation, number, start) {
                Ok((slides, end)) if goal == Some(&end) => return Ok((slides, notation)),
                Ok((slides, _)) => {
                    legal.get_or_insert((slides, notation));
                }
                Err(fault) => {
                    error.get_or_insert(fault);
                }
            }
        }
    }
    legal.ok_or_else(|| error.expect("every reading is legal or has an error"))
}

/// The meaning of a number after a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Count,
    Tile,
}

/// Writes moves as they are made on a board.
///
/// # Errors
/// Fails at the first move that the board does not allow.
pub fn write_moves(
    slides: &[Slide],
    start: &Board,
    notation: Notation,
) -> Result<String, MovesError> {
    let tiles = slide_all(&mut start.clone(), slides)?;
    let letters = slides.iter().map(|slide| notation.turn(slide.step));
    Ok(if is_single(start) {
        spell(letters.map(|letter| (letter, 1)), notation)
    } else {
        let words = letters.zip(tiles).map(|(letter, tile)| format!("{letter}{tile}"));
        words.collect::<Vec<_>>().join(" ")
    })
}

/// Converts the moves of a single blank to a notation, without a board.
///
/// Without `from`, numbers imply tile notation, and letters alone blank notation.
///
/// ```
/// use taquin_tiles::{Notation, convert_moves};
///
/// assert_eq!(convert_moves("LD2RU", None, Notation::Blank)?, "RUULD");
/// # Ok::<(), taquin_tiles::MovesError>(())
/// ```
///
/// # Errors
/// Fails at the first word that is not a move.
pub fn convert_moves(
    text: &str,
    from: Option<Notation>,
    to: Notation,
) -> Result<String, MovesError> {
    let from = from.unwrap_or_else(|| likely_notation(text, true));
    let mut runs = Vec::new();
    let mut made = 0;
    for word in words(text) {
        let error = |fault| word.error(made as usize, Some(from), fault);
        let letter = word.letter.ok_or_else(|| error(MoveFault::Letter))?;
        let count = word.count(made).map_err(error)?;
        runs.push((from.turn(to.turn(letter)), count));
        made += count;
    }
    Ok(spell(runs, to))
}

/// Returns the board after some moves.
///
/// ```
/// use taquin_tiles::{Board, Move, Slide, replay};
///
/// let start: Board = "1 2 3/4 0 5".parse()?;
/// let end = replay(&start, &[Slide { blank: 4, step: Move::Right }])?;
/// assert_eq!(end.to_string(), "1 2 3/4 5 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails at the first move that the board does not allow.
pub fn replay(start: &Board, slides: &[Slide]) -> Result<Board, MovesError> {
    let mut board = start.clone();
    slide_all(&mut board, slides)?;
    Ok(board)
}

/// Makes moves and returns the tiles that moved.
fn slide_all(board: &mut Board, slides: &[Slide]) -> Result<Vec<Tile>, MovesError> {
    let make = |(made, slide): (usize, &Slide)| {
        board.slide(*slide).map_err(|error| {
            MovesError::new(made, slide.step.to_string(), None, None, MoveFault::Slide(error))
        })
    };
    slides.iter().enumerate().map(make).collect()
}

/// Returns the moves of a text, and the board after them.
fn replay_text(
    text: &str,
    notation: Notation,
    number: Number,
    start: &Board,
) -> Result<(Vec<Slide>, Board), MovesError> {
    let is_single = is_single(start);
    let has_counts = number == Number::Count;
    if has_counts {
        // Before a move is made: a short text can contain more moves than fit in memory.
        words(text).try_fold(0, |made, word| match word.count(made) {
            Ok(count) => Ok(made + count),
            Err(fault) => Err(word.error(made as usize, Some(notation), fault)),
        })?;
    }
    let mut board = start.clone();
    let mut cells = start.positions();
    let tiles = cells.len() - start.blanks().count();
    let mut slides = Vec::new();
    for word in words(text) {
        let error = |made, fault| word.error(made, Some(notation), fault);
        let made = slides.len();
        let letter = word.letter.ok_or_else(|| error(made, MoveFault::Letter))?;
        let step = notation.turn(letter);
        let count = if has_counts { word.number.unwrap_or(1) } else { 1 };
        for made in (made..).take(count as usize) {
            let blank = match word.number {
                Some(number) if !has_counts => {
                    let tile = Some(number as usize).filter(|tile| (1..=tiles).contains(tile));
                    let tile = tile.ok_or_else(|| error(made, MoveFault::NoTile(tiles)))?;
                    blank_for_tile(&board, step, cells[tile]).ok_or_else(|| {
                        let tile = tile as Tile;
                        error(made, MoveFault::NoBlankBeside { tile, side: step.opposite() })
                    })?
                }
                _ if is_single => cells[0],
                _ => the_blank_that_can(&board, step, notation)
                    .map_err(|fault| error(made, fault))?,
            };
            let slide = Slide { blank, step };
            let tile = board.slide(slide).map_err(|fault| error(made, MoveFault::Slide(fault)))?;
            cells[0] = std::mem::replace(&mut cells[usize::from(tile)], blank);
            slides.push(slide);
        }
    }
    Ok((slides, board))
}

/// Returns the blank to which the tile on a cell can move.
fn blank_for_tile(board: &Board, step: Move, tile: Cell) -> Option<Cell> {
    let blank = step.opposite().target(board.size(), tile)?;
    (board.tiles()[usize::from(blank)] == 0).then_some(blank)
}

/// Returns the only blank that can move in a direction.
fn the_blank_that_can(board: &Board, step: Move, notation: Notation) -> Result<Cell, MoveFault> {
    let tile_there = |blank| {
        let tile = board.tiles()[usize::from(step.target(board.size(), blank)?)];
        (tile != 0).then_some((blank, tile))
    };
    let letter = notation.turn(step);
    let mut able = board.blanks().filter_map(tile_there);
    match (able.next(), able.next()) {
        (None, _) => Err(MoveFault::Blocked { letter, notation }),
        (Some((blank, _)), None) => Ok(blank),
        (Some((_, one)), Some((_, two))) => {
            let count = 2 + able.count();
            Err(MoveFault::Ambiguous { letter, notation, count, tiles: [one, two] })
        }
    }
}

fn is_single(board: &Board) -> bool {
    board.blanks().nth(1).is_none()
}

/// Returns the likely notation of a text: only tile notation has counts for a single blank.
fn likely_notation(text: &str, is_single: bool) -> Notation {
    let has_counts = is_single && text.contains(|c: char| c.is_ascii_digit());
    if has_counts { Notation::Tile } else { Notation::Blank }
}

/// Returns the letters for runs of moves, with counts in tile notation.
fn spell(runs: impl IntoIterator<Item = (Move, u64)>, notation: Notation) -> String {
    let mut runs = runs.into_iter().peekable();
    let mut text = String::new();
    while let Some((letter, mut count)) = runs.next() {
        while let Some((_, more)) = runs.next_if(|&(next, _)| next == letter) {
            count += more;
        }
        match notation {
            Notation::Blank => text.extend(iter::repeat_n(letter.letter(), count as usize)),
            Notation::Tile if count == 1 => text.push(letter.letter()),
            Notation::Tile => {
                text.push(letter.letter());
                text += &count.to_string();
            }
        }
    }
    text
}

/// A move as written: a letter, if it is one of the four, and optionally a number.
struct MoveWord<'a> {
    text: &'a str,
    place: Place,
    letter: Option<Move>,
    number: Option<u64>,
}

fn words(text: &str) -> impl Iterator<Item = MoveWord<'_>> {
    let mut characters = places(text).peekable();
    iter::from_fn(move || {
        let (begin, first, place) = characters.find(|&(_, c, _)| !c.is_whitespace() && c != ',')?;
        let digits = begin + first.len_utf8();
        let mut end = digits;
        while characters.next_if(|&(_, c, _)| c.is_ascii_digit()).is_some() {
            end += 1;
        }
        // A number that does not fit is too large for every use.
        let number = (end > digits).then(|| text[digits..end].parse().unwrap_or(u64::MAX));
        let letter = Move::from_letter(first);
        Some(MoveWord { text: &text[begin..end], place, letter, number })
    })
}

impl MoveWord<'_> {
    /// Returns the count of this word, after `made` moves.
    fn count(&self, made: u64) -> Result<u64, MoveFault> {
        match self.number.unwrap_or(1) {
            0 => Err(MoveFault::Zero),
            count if count > MAX_MOVES - made => Err(MoveFault::TooMany(MAX_MOVES)),
            count => Ok(count),
        }
    }

    fn error(&self, made: usize, notation: Option<Notation>, fault: MoveFault) -> MovesError {
        MovesError::new(made, excerpt(self.text), Some(self.place), notation, fault)
    }
}

impl Notation {
    /// Returns the other notation.
    const fn opposite(self) -> Self {
        match self {
            Self::Blank => Self::Tile,
            Self::Tile => Self::Blank,
        }
    }

    /// Converts between the blank's move and the letter, in either direction.
    const fn turn(self, letter: Move) -> Move {
        match self {
            Self::Blank => letter,
            Self::Tile => letter.opposite(),
        }
    }
}
