//! The boards on a path, in any form.

use std::borrow::Cow;

use taquin::{Board, is_moves, read_board};

use super::{LONG, Reading};

/// The greatest length of the lines in which a missing space can be a blank.
const WIDEST: usize = 200;

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
    // A long text has a board on each line, or rows below each other.
    let some = if text.len() > LONG { 1 } else { forms.len() };
    let boards = forms.into_iter().take(some).map(|form| boards(&form(text), start));
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

/// Finds boards like `start`: in one line, its rows below each other, or between empty lines.
fn boards(text: &str, start: &Board) -> Vec<Board> {
    let size = start.size();
    let tiles = size.cells() - start.blanks().count();
    // A size may be above the rows.
    let most_digits = size.cells() * tiles.to_string().len() + 8;
    let count = |lines: &[Cow<'_, str>], is: fn(&char) -> bool| {
        lines.iter().map(|line| line.chars().filter(is).count()).sum::<usize>()
    };
    let mut boards = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for block in lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty()) {
        // A blank at the end of a line may be a space that is not there.
        let lengths = block.iter().map(|line| line.chars().count());
        let width = lengths.max().filter(|width| *width <= WIDEST).unwrap_or(0);
        let block: Vec<Cow<'_, str>> = block.iter().map(|line| padded(line, width)).collect();
        // A heading or a line between two boards may be part of the block.
        let mut begin = 0;
        while begin < block.len() {
            let ends = begin + 1..=block.len().min(begin + 2 * size.rows() + 3);
            let board = ends
                .map(|end| (&block[begin..end], end))
                // Moves are not a scramble here.
                .filter(|(lines, _)| !lines.iter().any(|line| is_moves(line)))
                .skip_while(|(lines, _)| count(lines, |c| c.is_alphanumeric()) < tiles)
                .take_while(|(lines, _)| count(lines, char::is_ascii_digit) <= most_digits)
                .find_map(|(lines, end)| {
                    Some((read_board(&lines.join("\n"), Some(size)).ok()?, end))
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

fn padded(line: &str, width: usize) -> Cow<'_, str> {
    match line.len() < width {
        true => Cow::Owned(format!("{line:width$}")),
        false => Cow::Borrowed(line),
    }
}
