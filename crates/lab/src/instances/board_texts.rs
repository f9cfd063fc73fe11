//! The texts of many boards, one after the other, from an input of any length.
//!
//! A board is a line, or the lines between two empty ones. A few lines show which: no two lines of
//! one board are boards themselves, because both would have tile 1.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use taquin::{Size, decode, read_board};

/// A board's text, and where it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardText {
    /// The number of its first line, from 1.
    pub line: u64,
    /// The text.
    pub bytes: Vec<u8>,
}

/// Reads the texts of boards.
#[derive(Debug)]
pub struct BoardTexts<R> {
    input: R,
    size: Option<Size>,
    lines: u64,
    /// Lines that are not yet known to be a board each, or one board together, each with whether it
    /// is a board by itself.
    pending: Vec<(BoardText, bool)>,
    ready: VecDeque<BoardText>,
}

/// The longest text of a board, in bytes: the largest board in any notation.
const MAX_BYTES: u64 = 4 << 20;

impl<R: BufRead> BoardTexts<R> {
    /// Reads boards from `input`, with the size `size` if their notation leaves it open.
    pub fn new(input: R, size: Option<Size>) -> Self {
        Self { input, size, lines: 0, pending: Vec::new(), ready: VecDeque::new() }
    }

    /// Returns the next text, which may not be a valid board; `None` at the end.
    ///
    /// # Errors
    /// Fails if the input cannot be read.
    pub fn read(&mut self) -> io::Result<Option<BoardText>> {
        loop {
            if let Some(text) = self.ready.pop_front() {
                return Ok(Some(text));
            }
            let mut bytes = Vec::new();
            if self.input.by_ref().take(MAX_BYTES).read_until(b'\n', &mut bytes)? == 0 {
                self.end_block();
                match self.ready.pop_front() {
                    Some(text) => return Ok(Some(text)),
                    None => return Ok(None),
                }
            }
            self.lines += 1;
            let text = bytes.trim_ascii();
            if text.starts_with(b"#") {
                continue;
            }
            if text.is_empty() {
                self.end_block();
                continue;
            }
            let text = BoardText { line: self.lines, bytes };
            if self.pending.is_empty() && is_whole(text.bytes.trim_ascii()) {
                return Ok(Some(text));
            }
            self.add(text);
        }
    }

    /// Adds a line, and decides about the lines so far if that is possible.
    fn add(&mut self, text: BoardText) {
        let is_board = self.is_board(&text.bytes);
        self.pending.push((text, is_board));
        let alone = self.pending.iter().filter(|(_, is_board)| *is_board).count();
        let bytes: usize = self.pending.iter().map(|(text, _)| text.bytes.len()).sum();
        if alone > 1 || bytes as u64 > MAX_BYTES {
            // The last line may be the first of a longer board.
            let last = self.pending.pop();
            self.ready.extend(self.pending.drain(..).map(|(text, _)| text));
            self.pending.extend(last);
        }
    }

    /// Whether a line is a board by itself. One without tiles may as well be a row of blanks.
    fn is_board(&self, line: &[u8]) -> bool {
        let board = decode(line).ok().and_then(|text| read_board(&text, self.size).ok());
        board.is_some_and(|board| board.tiles().contains(&1))
    }

    /// Decides about the lines before an empty line or the end.
    fn end_block(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let Some((first, _)) = pending.first() else { return };
        let line = first.line;
        let bytes = pending.iter().flat_map(|(text, _)| text.bytes.clone()).collect();
        let whole = BoardText { line, bytes };
        let has_boards = pending.iter().any(|(_, is_board)| *is_board);
        let is_one = pending.len() == 1 || !has_boards || self.is_board(&whole.bytes);
        match is_one {
            true => self.ready.push_back(whole),
            false => self.ready.extend(pending.into_iter().map(|(text, _)| text)),
        }
    }
}

/// Returns whether a line marks all its rows, so that it is no row of a longer board.
fn is_whole(line: &[u8]) -> bool {
    let mut brackets = line.split(|byte| *byte == b'[').skip(1);
    match brackets.next() {
        None => line.contains(&b'/') && !line.ends_with(b"/"),
        // A list of lists; a single list may be a row.
        Some(_) => brackets.next().is_some() && line.ends_with(b"]]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: &str) -> Vec<(u64, String)> {
        let mut texts = BoardTexts::new(input.as_bytes(), None);
        std::iter::from_fn(|| texts.read().unwrap())
            .map(|text| (text.line, String::from_utf8(text.bytes).unwrap().trim().to_owned()))
            .collect()
    }

    #[test]
    fn boards_are_told_apart() {
        let one = |line, text: &str| (line, text.to_owned());
        assert_eq!(
            texts("123456780\n# comment\n1 2 3/4 5 6/7 0 8\n\n1 2 3 4 5 6 7 8 0\n"),
            [one(1, "123456780"), one(3, "1 2 3/4 5 6/7 0 8"), one(5, "1 2 3 4 5 6 7 8 0")]
        );
        let rows = "1 2 3\n4 5 6\n7 8 0";
        assert_eq!(
            texts(&format!("{rows}\n\n3\n{rows}\n\n[[1,2,3],\n[4,5,6],\n[7,8,0]]")),
            [one(1, rows), one(5, &format!("3\n{rows}")), one(10, "[[1,2,3],\n[4,5,6],\n[7,8,0]]")]
        );
        // The first row is a board by itself, but belongs to a larger one.
        let large = "1 0 3 2\n4 5 6 7\n8 9 10 11\n12 13 14 15";
        assert_eq!(texts(&format!("{large}\n\n{large}")), [one(1, large), one(6, large)]);
        // A line that is no board among lines that are.
        assert_eq!(
            texts("1 2 3\n867254301\n123456870\n1 2\n123456780\n"),
            [
                one(1, "1 2 3"),
                one(2, "867254301"),
                one(3, "123456870"),
                one(4, "1 2"),
                one(5, "123456780")
            ]
        );
        // Rows of blanks are not boards.
        let blanks = "1 2 0 0\n0 0 0 0\n0 0 0 0";
        assert_eq!(texts(blanks), [one(1, blanks)]);
    }

    #[test]
    fn a_long_input_is_not_held() {
        let input = "1 2 3 4 0 6 7 5 8\n".repeat(10_000);
        let mut texts = BoardTexts::new(input.as_bytes(), None);
        for line in 1..=10_000 {
            assert_eq!(texts.read().unwrap().unwrap().line, line);
            assert!(texts.pending.len() < 3 && texts.ready.len() < 3);
        }
        assert_eq!(texts.read().unwrap(), None);
    }
}
