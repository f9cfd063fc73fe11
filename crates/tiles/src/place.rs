//! Where a reader stands in a text, and how it quotes what it found there.

use std::fmt;
use std::iter;

/// A place in a text: its line and column, both from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// The characters of a text with their offsets and places, every end of line as `\n`, and a space
/// after the last one: it ends the last word, and its place is the end of the text.
pub(crate) fn places(text: &str) -> impl Iterator<Item = (usize, char, Place)> {
    let mut next = Place { line: 1, column: 1 };
    let mut characters = text.char_indices().chain(iter::once((text.len(), ' '))).peekable();
    iter::from_fn(move || {
        let (offset, mut character) = characters.next()?;
        let place = next;
        if character == '\r' && characters.peek().is_none_or(|&(_, c)| c != '\n') {
            character = '\n';
        }
        next = match character {
            '\n' => Place { line: place.line + 1, column: 1 },
            _ => Place { column: place.column + 1, ..place },
        };
        Some((offset, character, place))
    })
}

/// The first 40 characters at most of a word, with what does not print escaped: how an error quotes what
/// it was given.
pub fn excerpt(word: &str) -> String {
    const LONGEST: usize = 40;
    let mut quoted = String::new();
    for (count, character) in word.chars().enumerate() {
        match character {
            _ if count == LONGEST => return quoted + "...",
            '\'' | '"' | '\\' => quoted.push(character),
            _ => quoted.extend(character.escape_debug()),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_line_counts_once() {
        let ends: Vec<_> = ["", "a", "é\t", "a\n", "a\r\n", "a\r", "\r\r\n\nab"]
            .into_iter()
            .map(|text| places(text).last().unwrap().2)
            .map(|place| (place.line, place.column))
            .collect();
        assert_eq!(ends, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 1), (2, 1), (4, 3)]);
    }

    #[test]
    fn quotations_are_short_and_print() {
        assert_eq!(excerpt("it's\u{1b}[31m\u{202e}"), "it's\\u{1b}[31m\\u{202e}");
        assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(excerpt(&"é".repeat(41)), "é".repeat(40) + "...");
    }
}
