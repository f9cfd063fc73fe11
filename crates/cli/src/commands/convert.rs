//! `taquin convert`.

use clap::Parser;
use taquin::{Board, BoardFormat, Notation, convert_moves, excerpt, is_moves, write_board};

use crate::args::BoardArgs;
use crate::failure::{CommandResult, Failure};
use crate::output::{print, print_json};

/// Convert a board or moves to another notation
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin convert 123456780 --format rows
  taquin convert --file board.txt --format nested
  taquin convert \"1 2 3/4 5 6/7 8 0\" --format sized --blank _
  taquin convert RU2RDL3                 moves: tile notation to blank notation
  taquin convert LDDLURRR --format tile")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// Notation: slashes, rows, nested, flat, digits or sized; for moves: blank or tile
    #[arg(long = "format", alias = "to", value_name = "FORMAT")]
    to: Option<String>,
    /// Notation of the moves: blank or tile [default: tile if there are counts]
    #[arg(long, value_name = "NOTATION", conflicts_with = "file")]
    from: Option<Notation>,
    /// Character for the blank: one of 0 b _ * x and the full stop [default: 0]
    #[arg(long, value_name = "CHAR")]
    blank: Option<char>,
    /// Print one JSON object with the boards or the moves
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ConvertArgs) -> CommandResult {
    let mut takes_lines = false;
    let (kind, texts) = match args.board.text() {
        Some(text) if is_moves(&text) || args.from.is_some() => {
            ("moves", vec![moves(&text, args)? + "\n"])
        }
        _ => {
            let format = board_format(args)?;
            takes_lines = format.takes_lines();
            ("boards", boards(args, format)?)
        }
    };
    match args.json {
        true => {
            let texts: Vec<&str> = texts.iter().map(|text| text.trim_end()).collect();
            print_json(&serde_json::json!({ kind: texts }))?;
        }
        // Boards with several lines have an empty line between them.
        false => print(&texts.join(if takes_lines { "\n" } else { "" }))?,
    }
    Ok(0)
}

fn moves(text: &str, args: &ConvertArgs) -> Result<String, Failure> {
    if args.blank.is_some() || args.board.size.is_some() {
        return Err(Failure::input("--blank and --size are for boards, and these are moves"));
    }
    let counts = text.contains(|c: char| c.is_ascii_digit());
    let from = args.from.unwrap_or(if counts { Notation::Tile } else { Notation::Blank });
    let to = match &args.to {
        Some(name) => name.parse().map_err(|_| {
            Failure::input(format!("unknown notation for moves '{}'", excerpt(name)))
                .hint("use --format blank or --format tile")
        })?,
        None => match from {
            Notation::Blank => Notation::Tile,
            Notation::Tile => Notation::Blank,
        },
    };
    convert_moves(text, Some(from), to).map_err(|error| Failure::moves(&error, text))
}

fn board_format(args: &ConvertArgs) -> Result<BoardFormat, Failure> {
    let Some(name) = &args.to else { return Ok(BoardFormat::default()) };
    name.parse().map_err(|_| {
        Failure::input(format!("unknown format '{}'", excerpt(name)))
            .hint("use slashes, rows, nested, flat, digits or sized; for moves blank or tile")
    })
}

fn boards(args: &ConvertArgs, format: BoardFormat) -> Result<Vec<String>, Failure> {
    let written = |board: &Board| {
        let text = write_board(board, format, args.blank.unwrap_or('0'));
        text.map(|text| text + "\n").map_err(|error| {
            Failure::input(error.to_string()).hint("choose another --format or --blank")
        })
    };
    args.board.read_several()?.iter().map(written).collect()
}
