//! The boards on a path, in any form.

use taquin::{Board, Size, read_board};

use super::Reading;

/// Returns the boards of a text, if they are a path from `start`.
pub(super) fn path(text: &str, start: &Board) -> Option<Reading> {
    let is_path = |boards: &Vec<Board>| boards.len() > 1 || boards.first() == Some(start);
    let forms: [fn(&str) -> String; 3] = [
        // An arrow joins two boards.
        |text| {
            ["->", "=>", "→", "⇒"]
                .iter()
                .fold(text.to_owned(), |text, arrow| text.replace(arrow, "\n\n"))
        },
        items,
        |text| text.split_whitespace().collect::<Vec<_>>().join("\n"),
    ];
    let boards = forms.into_iter().map(|form| boards(&form(text), start.size()));
    boards.into_iter().find(is_path).map(Reading::Boards)
}

/// Puts the items of a list below each other: `[[[1,2],[3,0]],[[1,0],[3,2]]]`.
fn items(text: &str) -> String {
    let mut depth = 0;
    let mut items = String::with_capacity(text.len());
    for c in text.chars() {
        let was = depth;
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.max(1) - 1,
            _ => {}
        }
        match c {
            ',' | ';' if depth < 2 => items.push_str("\n\n"),
            _ if was.max(depth) == 1 && was != depth => items.push(' '),
            _ => items.push(c),
        }
    }
    items
}

/// Finds boards of a size: in one line, its rows below each other, or between empty lines.
fn boards(text: &str, size: Size) -> Vec<Board> {
    let mut boards = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for block in lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty()) {
        // A blank at the end of a line may be a space that is not there.
        let width = block.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let block: Vec<String> = block.iter().map(|line| format!("{line:width$}")).collect();
        // A heading or a line between two boards may be part of the block.
        let mut begin = 0;
        while begin < block.len() {
            let board =
                (begin + 1..=block.len().min(begin + 2 * size.rows() + 3)).find_map(|end| {
                    Some((read_board(&block[begin..end].join("\n"), Some(size)).ok()?, end))
                });
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
