//! Several boards in one text.

use taquin::{Board, Place, ReadError, Size, read_board};

/// Why a text is not a list of boards.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{error}")]
pub struct BoardsError {
    /// The number of lines before the invalid board.
    before: u32,
    error: ReadError,
}

impl BoardsError {
    /// Returns the place of the error in the whole text, if it has one.
    pub fn place(&self) -> Option<Place> {
        self.error.place().map(|place| Place { line: place.line + self.before, ..place })
    }

    /// Returns how to fix it.
    pub fn hint(&self) -> Option<String> {
        self.error.hint().map(|hint| hint.to_string())
    }
}

/// Reads boards in any notation, one a line or separated by empty lines.
///
/// # Errors
/// Fails if a line, or a block between two empty lines, is not a board.
pub fn read_boards(text: &str, size: Option<Size>) -> Result<Vec<Board>, BoardsError> {
    let lines: Vec<(u32, &str)> = (0..).zip(text.lines()).collect();
    let mut boards = Vec::new();
    for block in lines.split(|(_, line)| line.trim().is_empty()) {
        boards.extend(read_block(block, size)?);
    }
    Ok(boards)
}

fn read_block(block: &[(u32, &str)], size: Option<Size>) -> Result<Vec<Board>, BoardsError> {
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    let lines: Vec<&(u32, &str)> = block.iter().filter(|(_, line)| !is_comment(line)).collect();
    let Some((first, _)) = block.first().filter(|_| !lines.is_empty()) else {
        return Ok(Vec::new());
    };
    let alone = |&&(before, line): &&(u32, &str)| {
        read_board(line, size).map_err(|error| BoardsError { before, error })
    };
    // A row is never a board itself: it has no blank, or misses the other rows' tiles.
    let each: Vec<Result<Board, BoardsError>> = lines.iter().map(alone).collect();
    if each.iter().all(Result::is_ok) {
        return each.into_iter().collect();
    }
    let text: Vec<&str> = block.iter().map(|(_, line)| *line).collect();
    let whole = read_board(&text.join("\n"), size);
    match each.iter().any(Result::is_ok) {
        true => whole.map(|board| vec![board]).or_else(|_| each.into_iter().collect()),
        false => {
            whole.map(|board| vec![board]).map_err(|error| BoardsError { before: *first, error })
        }
    }
}
