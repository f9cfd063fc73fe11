//! Positions in a text.

use std::fmt;
use std::iter;

use serde::Serialize;
pub use taquin_search::excerpt;

/// A place in a text: its line and column, both from 1, the column in characters.
///
/// ```
/// use taquin_tiles::Board;
///
/// let error = "1 2 3\n4 5 5".parse::<Board>().unwrap_err();
/// assert_eq!(error.place().unwrap().to_string(), "line 2, column 5");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
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

/// Returns a text's characters with their offsets and places, every end of line as `\n`, and a
/// final space, which ends the last word. Its place is the text's end.
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
}
