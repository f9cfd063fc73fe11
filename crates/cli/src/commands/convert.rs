//! `taquin convert`.

use taquin::{BoardFormat, Move, Notation, convert_moves, excerpt, write_board};

use crate::args::ConvertArgs;
use crate::failure::{Failure, Outcome};
use crate::output::print;

pub(crate) fn run(args: &ConvertArgs) -> Outcome {
    let text = match &args.board.board {
        Some(text) if is_moves(text) || args.from.is_some() => moves(text, args)?,
        _ => board(args)?,
    };
    print(&(text + "\n"))?;
    Ok(0)
}

/// Whether a text is a list of moves: letters of moves, with counts or without.
fn is_moves(text: &str) -> bool {
    let is_part = |c: char| {
        Move::from_letter(c).is_some() || c.is_ascii_digit() || c == ',' || c.is_whitespace()
    };
    text.chars().all(is_part) && text.chars().any(|c| Move::from_letter(c).is_some())
}

fn moves(text: &str, args: &ConvertArgs) -> Result<String, Failure> {
    let counts = text.contains(|c: char| c.is_ascii_digit());
    let from = args.from.unwrap_or(if counts { Notation::Tile } else { Notation::Blank });
    let to = match &args.to {
        Some(name) => name.parse().map_err(|_| {
            Failure::input(format!("moves can't be written as '{}'", excerpt(name)))
                .hint("write --to blank or --to tile")
        })?,
        None => match from {
            Notation::Blank => Notation::Tile,
            Notation::Tile => Notation::Blank,
        },
    };
    convert_moves(text, Some(from), to).map_err(|error| Failure::moves(&error, text))
}

fn board(args: &ConvertArgs) -> Result<String, Failure> {
    let format: BoardFormat = match &args.to {
        Some(name) => name.parse().map_err(|_| {
            Failure::input(format!("no format is called '{}'", excerpt(name))).hint(
                "there are slashes, rows, nested, flat, digits, sized; for moves blank and tile",
            )
        })?,
        None => BoardFormat::default(),
    };
    let board = args.board.read()?;
    write_board(&board, format, args.blank)
        .map_err(|error| Failure::input(error.to_string()).hint("choose another --to or --blank"))
}
