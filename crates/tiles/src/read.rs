//! Boards from text, in every common notation, which is detected.
//!
//! A text is split into rows of words with their places. The rows are interpreted afterwards, so
//! that an error can name the row or word. A first line such as `4` can be a size or a tile: the
//! likelier interpretation is tried first, and its error is reported.

mod error;
mod forms;

use std::borrow::Cow;
use std::str::FromStr;

use crate::board::{Board, BoardError};
use crate::goal::NamedGoal;
use crate::notation::{MovesError, Notation, is_moves, read_moves, replay};
use crate::size::{MAX_CELLS, Size, SizeError, Tile};
use crate::text::{Place, excerpt, places};

pub use error::{ReadError, ReadFault, ReadHint};

/// The greatest length of a text: ten times the largest board.
const MAX_BYTES: usize = 4 << 20;

/// Reads a board, of `size` if it is given.
///
/// Rows are lines, or end with a slash, or are lists in a list: `1 2 3/4 5 6/7 8 0`,
/// `[[1,2,3],[4,5,6],[7,8,0]]`. Tiles in a single row are a square board, or have the size `size`.
/// Commas, semicolons and white space separate tiles. If each row is one word of digits, each digit
/// is a tile. With letters, `a` is 10 and `z` is 35: `fe169b4c0a73d852`. The first line may be the
/// size, `3`, `3x4` or `3 4`. A `#` begins a comment. The blank is 0, `b`, `_`, `*`, `x`, `.` or
/// `·`.
///
/// Lines, quotes, terminal colours and program text may surround the tiles, as in
/// `board = np.array([[1, 2], [3, 0]])`. An empty cell in a drawing, a list of texts or CSV is a
/// blank, and so is a space among tiles in columns. Dashes separate tiles, and groups of digits are
/// rows: `1-2-3-0`, `123 506 478`. With a `size`, moves from the goal `1 2 .. 0` are a board as well,
/// in tile notation: `R2DL3`.
///
/// ```
/// use taquin_tiles::read_board;
///
/// let board = read_board("1 2 3/4 0 5", None)?;
/// for text in ["[[1, 2, 3], [4, 0, 5]]", "2x3\n1 2 3\n4 . 5  # a comment", "123/4_5"] {
///     assert_eq!(read_board(text, None)?, board);
/// }
/// assert_eq!(read_board("1,2,3,4,0,5", Some(board.size()))?, board);
/// # Ok::<(), taquin_tiles::ReadError>(())
/// ```
///
/// # Errors
/// Fails if the text is not a board of this size. The error has a place, a reason and a hint.
pub fn read_board(text: &str, size: Option<Size>) -> Result<Board, ReadError> {
    check_length(text.len())?;
    let text = forms::plain(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
    let variant = || forms::variants(&text).find_map(|text| read_plain(&text, size).ok());
    match read_plain(&text, size) {
        Ok(board) if size.is_none() => {
            let sized = forms::two_number_size(&text).and_then(|text| read_plain(&text, size).ok());
            sized.map_or(Ok(board.clone()), |sized| Err(ambiguous(&sized, &board)))
        }
        Err(error) => match (variant(), size) {
            (Some(board), _) => Ok(board),
            (None, Some(size)) if is_moves(&text) => {
                let moves = |error| ReadError::new(None, ReadFault::Scramble(error));
                read_scramble(&text, &NamedGoal::Last.board(size, 1)).map_err(moves)
            }
            _ => Err(error),
        },
        read => read,
    }
}

/// Returns the board after moves from `goal`, in tile notation as in `R2DL3`.
///
/// # Errors
/// Fails at the first word that is not a move, or that the board does not allow.
pub fn read_scramble(moves: &str, goal: &Board) -> Result<Board, MovesError> {
    replay(goal, &read_moves(moves, Some(Notation::Tile), goal)?)
}

fn ambiguous(one: &Board, other: &Board) -> ReadError {
    let fault = ReadFault::Ambiguous([one, other].map(|board| (board.size(), board.to_string())));
    ReadError::new(None, fault)
}

/// Reads a board without anything around it.
fn read_plain(text: &str, size: Option<Size>) -> Result<Board, ReadError> {
    let page = WordRows::cut(text)?;
    let Some((heading, announced)) = page.heading() else {
        return page.board(&page.rows, size);
    };
    let below = &page.rows[1..];
    let sized = || {
        let at = |fault| ReadError::new(Some(heading.place), fault);
        let announced = announced.clone().map_err(|error| at(ReadFault::Size(error)))?;
        match size {
            Some(given) if given != announced => {
                Err(at(ReadFault::SizesDiffer { given, announced }))
            }
            _ if below.is_empty() => Err(at(ReadFault::NoTiles(announced))),
            _ => page.board(below, Some(announced)),
        }
    };
    let plain = || page.board(&page.rows, size);
    let is_size = match below {
        _ if !is_number(heading.text) => true,
        [] => heading.text.len() == 1,
        // In a column each number is a row, and one row is a blank with one character.
        _ => below.iter().any(|row| row.words.len() > 1) || are_digits(below),
    };
    let (likely, other) = if is_size { (sized(), plain()) } else { (plain(), sized()) };
    match (likely, other) {
        (Ok(sized), Ok(plain)) if is_size && size.is_none() => Err(ambiguous(&sized, &plain)),
        (Ok(board), _) | (Err(_), Ok(board)) => Ok(board),
        (Err(error), Err(_)) => Err(error),
    }
}

impl FromStr for Board {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Self, ReadError> {
        read_board(text, None)
    }
}

/// Reads a board from the bytes of a file, as [`read_board`] does.
///
/// ```
/// use taquin_tiles::read_board_bytes;
///
/// assert_eq!(read_board_bytes(b"123\n405\n", None)?.size().to_string(), "2x3");
/// assert_eq!(read_board_bytes(b"12\xff", None).unwrap_err().place().unwrap().column, 3);
/// # Ok::<(), taquin_tiles::ReadError>(())
/// ```
///
/// # Errors
/// Also fails if the bytes are not text.
pub fn read_board_bytes(bytes: &[u8], size: Option<Size>) -> Result<Board, ReadError> {
    read_board(&decode(bytes)?, size)
}

/// Returns the bytes of a file as text, without a byte-order mark, which also announces UTF-16.
///
/// ```
/// assert_eq!(taquin_tiles::decode(b"\xef\xbb\xbf1 0")?, "1 0");
/// # Ok::<(), taquin_tiles::ReadError>(())
/// ```
///
/// # Errors
/// Fails if they are neither UTF-8 nor UTF-16 with that mark, or longer than any board.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    check_length(bytes.len())?;
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return decode_utf8(bytes).map(Cow::Borrowed),
    };
    let (pairs, rest) = bytes[2..].as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    let not_text = || ReadError::new(None, ReadFault::NotText(bytes[0]));
    text.ok().filter(|_| rest.is_empty()).map(Cow::Owned).ok_or_else(not_text)
}

fn decode_utf8(bytes: &[u8]) -> Result<&str, ReadError> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(bytes);
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    match bytes.get(valid.len()) {
        None => Ok(valid),
        Some(&byte) => {
            let place = places(valid).last().map(|(_, _, place)| place);
            Err(ReadError::new(place, ReadFault::NotText(byte)))
        }
    }
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

const fn check_length(bytes: usize) -> Result<(), ReadError> {
    match bytes > MAX_BYTES {
        true => Err(ReadError::new(None, ReadFault::TooLarge(MAX_BYTES))),
        false => Ok(()),
    }
}

/// A word and its place.
#[derive(Clone, Copy)]
struct TileWord<'a> {
    text: &'a str,
    place: Place,
}

/// A row's words, at least one, and the number of enclosing brackets.
struct WordRow<'a> {
    words: Vec<TileWord<'a>>,
    depth: usize,
}

/// A text split into rows.
struct WordRows<'a> {
    rows: Vec<WordRow<'a>>,
    /// Whether rows are marked by a slash or a list of lists, even if there is only one.
    marked: bool,
}

impl<'a> WordRows<'a> {
    fn cut(text: &'a str) -> Result<Self, ReadError> {
        let mut page = Self { rows: Vec::new(), marked: false };
        let mut words = Vec::new();
        let mut count = 0;
        let mut word = None;
        let mut comment = false;
        let mut open: Vec<(char, Place)> = Vec::new();
        for (offset, character, place) in places(text) {
            if character == '\0' {
                return Err(ReadError::new(Some(place), ReadFault::NotText(0)));
            }
            let ends_word = comment
                || character.is_whitespace()
                || matches!(character, ',' | ';' | '/' | '#' | '[' | ']' | '(' | ')' | '{' | '}');
            if !ends_word {
                word.get_or_insert((offset, place));
                continue;
            }
            if let Some((begin, place)) = word.take() {
                words.push(TileWord { text: &text[begin..offset], place });
                count += 1;
                // One more than the tiles of a board, for the size.
                if count > MAX_CELLS + 1 {
                    return Err(ReadError::new(None, ReadFault::TooManyTiles));
                }
            }
            match character {
                '\n' => {
                    comment = false;
                    if open.is_empty() {
                        page.end_row(&mut words, 0);
                    }
                }
                _ if comment => {}
                '#' => comment = true,
                '/' => {
                    page.marked = true;
                    page.end_row(&mut words, open.len());
                }
                '[' | '(' | '{' => {
                    page.end_row(&mut words, open.len());
                    if open.len() == 2 {
                        return Err(ReadError::new(Some(place), ReadFault::Depth));
                    }
                    open.push((character, place));
                    page.marked |= open.len() == 2;
                }
                ']' | ')' | '}' => {
                    page.end_row(&mut words, open.len());
                    let last = open.pop().map(|(bracket, _)| bracket);
                    if last.map(closing) != Some(character) {
                        let fault = ReadFault::Bracket { found: character, open: last };
                        return Err(ReadError::new(Some(place), fault));
                    }
                }
                _ => {}
            }
        }
        page.end_row(&mut words, 0);
        match open.pop() {
            Some((open, place)) => Err(ReadError::new(Some(place), ReadFault::Unclosed(open))),
            None if page.rows.is_empty() => Err(ReadError::new(None, ReadFault::Empty)),
            None => Ok(page),
        }
    }

    fn end_row(&mut self, words: &mut Vec<TileWord<'a>>, depth: usize) {
        if !words.is_empty() {
            self.rows.push(WordRow { words: std::mem::take(words), depth });
        }
    }

    /// Returns the first line, if it could be a size.
    fn heading(&self) -> Option<(TileWord<'a>, Result<Size, SizeError>)> {
        let [WordRow { words, depth: 0 }, below @ ..] = self.rows.as_slice() else { return None };
        let &[word] = words.as_slice() else { return None };
        let own_line = below.first().is_none_or(|row| row.words[0].place.line > word.place.line);
        let looks_like_one = match word.text.split_once(['x', 'X', '×']) {
            Some((rows, cols)) => is_number(rows) && is_number(cols),
            None => is_number(word.text) && word.text.bytes().any(|b| b != b'0'),
        };
        // A long number is garbage, which no error should quote.
        (own_line && looks_like_one && word.text.len() <= 20)
            .then(|| (word, word.text.parse::<Size>()))
    }

    /// Returns the board of some rows.
    fn board(&self, rows: &[WordRow<'a>], size: Option<Size>) -> Result<Board, ReadError> {
        if let Some(row) = rows.iter().find(|row| row.depth != rows[0].depth) {
            return Err(ReadError::new(Some(row.words[0].place), ReadFault::Depth));
        }
        let letters = are_letters(rows);
        let digits = letters || are_digits(rows);
        let tiles_of = |row: &WordRow<'_>| {
            if digits { row.words[0].text.chars().count() } else { row.words.len() }
        };
        if rows.iter().map(tiles_of).sum::<usize>() > MAX_CELLS {
            return Err(ReadError::new(None, ReadFault::TooManyTiles));
        }
        let rows: Vec<Vec<TileWord<'a>>> = if digits {
            rows.iter().map(|row| row.words[0].characters().collect()).collect()
        } else {
            rows.iter().map(|row| row.words.clone()).collect()
        };
        let words = rows.concat();
        let tile = |word: &TileWord<'_>| match letters {
            true => Ok(word.text.chars().next().and_then(value).unwrap_or(0)),
            false => word.tile(),
        };
        let tiles = words.iter().map(tile).collect::<Result<Vec<Tile>, _>>()?;
        let is_square = |cells: usize| cells.isqrt().pow(2) == cells;
        let size = self.shape(&rows, words.len(), size).map_err(|error| match *error.fault() {
            // With a blank it would be one.
            ReadFault::NeedsSize(found) if !tiles.contains(&0) && is_square(found + 1) => {
                ReadError::new(None, ReadFault::NeedsBlank(found))
            }
            _ => error,
        })?;
        Board::new(size, tiles.clone()).map_err(|error| {
            let twice = (error == BoardError::NoBlank).then(|| twice(&tiles, &words)).flatten();
            twice.unwrap_or_else(|| locate(&error, &words))
        })
    }

    /// Returns the board size for some rows, which may not match the number of tiles.
    fn shape(
        &self,
        rows: &[Vec<TileWord<'_>>],
        tiles: usize,
        size: Option<Size>,
    ) -> Result<Size, ReadError> {
        let first = &rows[0];
        let odd_row = |cols| (1..).zip(rows).find(|(_, row)| row.len() != cols);
        let checked =
            |rows, cols| Size::new(rows, cols).expect("1 to MAX_CELLS tiles were counted");
        let one_row = rows.len() == 1 && !self.marked;
        let Some(size) = size else {
            let side = tiles.isqrt();
            return if one_row && side * side == tiles {
                Ok(checked(side, side))
            } else if one_row {
                Err(ReadError::new(None, ReadFault::NeedsSize(tiles)))
            } else if let Some((number, row)) = odd_row(first.len()) {
                let fault = ReadFault::Ragged { row: number, found: row.len(), first: first.len() };
                Err(ReadError::new(Some(beyond(row, first.len())), fault))
            } else {
                Ok(checked(rows.len(), first.len()))
            };
        };
        let one_column = odd_row(1).is_none() && !self.marked;
        if one_row || one_column {
            return Ok(size);
        }
        let cols = odd_row(first.len()).is_none().then_some(first.len());
        if rows.len() != size.rows() || cols.is_some_and(|cols| cols != size.cols()) {
            let fault = ReadFault::Shape { size, rows: rows.len(), cols };
            return Err(ReadError::new(Some(first[0].place), fault));
        }
        match odd_row(size.cols()) {
            Some((number, row)) => {
                let fault = ReadFault::Row { row: number, found: row.len(), size };
                Err(ReadError::new(Some(beyond(row, size.cols())), fault))
            }
            None => Ok(size),
        }
    }
}

impl TileWord<'_> {
    fn tile(self) -> Result<Tile, ReadError> {
        if is_number(self.text) {
            // The greatest number is never a tile: a number that does not fit is out of range as
            // well.
            Ok(self.text.parse().unwrap_or(Tile::MAX))
        } else if (self.text.chars().count() == 1 && self.text.chars().all(is_blank))
            || ["none", "null", "nil"].iter().any(|name| self.text.eq_ignore_ascii_case(name))
        {
            Ok(0)
        } else {
            let fault = ReadFault::NotATile(excerpt(self.text));
            Err(ReadError::new(Some(self.place), fault))
        }
    }

    /// Returns each character as a word.
    fn characters(self) -> impl Iterator<Item = Self> {
        (self.place.column..).zip(self.text.char_indices()).map(move |(column, (offset, c))| Self {
            text: &self.text[offset..offset + c.len_utf8()],
            place: Place { column, ..self.place },
        })
    }
}

/// Adds the place in the text to the error of a board.
fn locate(error: &BoardError, words: &[TileWord<'_>]) -> ReadError {
    let word = |cell: u16| words[usize::from(cell)];
    match *error {
        BoardError::Count { size, found } => {
            let place = beyond(words, size.cells());
            ReadError::new(Some(place), ReadFault::Count { size, found })
        }
        BoardError::NoBlank => ReadError::new(None, ReadFault::NoBlank),
        BoardError::OutOfRange { cell, tiles, blanks, missing, .. } => {
            let tile = excerpt(word(cell).text);
            let fault = ReadFault::OutOfRange { tile, tiles, blanks, missing };
            ReadError::new(Some(word(cell).place), fault)
        }
        BoardError::Duplicate { tile, first, second, missing } => {
            let fault = ReadFault::Duplicate { tile, first: word(first).place, missing };
            ReadError::new(Some(word(second).place), fault)
        }
    }
}

/// Finds a tile that appears twice on a board without a blank.
fn twice(tiles: &[Tile], words: &[TileWord<'_>]) -> Option<ReadError> {
    let mut places = vec![None; tiles.len() + 1];
    for (&tile, word) in tiles.iter().zip(words) {
        let Some(first) = places.get_mut(usize::from(tile)) else { continue };
        if let Some(first) = first.replace(word.place) {
            let fault = ReadFault::Duplicate { tile, first, missing: 0 };
            return Some(ReadError::new(Some(word.place), fault));
        }
    }
    None
}

/// Returns the place of the first extra word, or of the last word if there are too few.
fn beyond(words: &[TileWord<'_>], expected: usize) -> Place {
    words[expected.min(words.len() - 1)].place
}

/// Returns whether each row is one word of several digits.
fn are_digits(rows: &[WordRow<'_>]) -> bool {
    let is_digit = |c: char| c.is_ascii_digit() || is_blank(c);
    !rows.is_empty()
        && rows.iter().all(|row| match row.words.as_slice() {
            [word] => word.text.chars().count() > 1 && word.text.chars().all(is_digit),
            _ => false,
        })
}

/// Returns whether each row is one word of digits and letters that stand for tiles on a board with
/// at least nine cells.
fn are_letters(rows: &[WordRow<'_>]) -> bool {
    let words = || rows.iter().filter_map(|row| row.words.first());
    let cells: usize = words().map(|word| word.text.chars().count()).sum();
    let is_tile = |c: char| value(c).is_some_and(|tile| usize::from(tile) < cells);
    (9..=36).contains(&cells)
        && rows.iter().all(|row| row.words.len() == 1)
        && words().all(|word| word.text.chars().count() > 1 && word.text.chars().all(is_tile))
        && !are_digits(rows)
        && words().any(|word| word.text.contains(|c: char| c.is_ascii_digit()))
}

/// Returns the tile that a digit or letter stands for.
fn value(character: char) -> Option<Tile> {
    match character {
        '_' | '*' | '·' => Some(0),
        _ => character.to_digit(36).map(|value| value as Tile),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns whether a character is a blank.
pub(crate) fn is_blank(character: char) -> bool {
    "0b_*x.·".contains(character.to_ascii_lowercase())
}

/// Returns the bracket that closes another.
const fn closing(bracket: char) -> char {
    match bracket {
        '[' => ']',
        '(' => ')',
        _ => '}',
    }
}
