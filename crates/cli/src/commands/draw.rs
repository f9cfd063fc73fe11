//! `taquin draw`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Parser;
use taquin::Board;
use taquin_draw::{Worksheet, WorksheetItem, draw_board};

use crate::args::BoardArgs;
use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, DIM, PLAIN, check_writable, print, write_file};
use crate::pictures::{Format, pages, picture};

/// Draw boards in the terminal, as a picture or on pages to print
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin draw 867254301
  taquin draw 867254301 --svg board.svg --png board.png
  taquin generate 5x5 --seed 1 | taquin draw -
  taquin generate -n 30 | taquin draw - --pdf sheet.pdf    pages to print

'taquin solve BOARD --animate FILE' draws an animated solution.")]
pub(crate) struct DrawArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// Write an SVG file; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a PNG file; - is standard output
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write a PDF file; - is standard output
    #[arg(long, value_name = "FILE")]
    pdf: Option<PathBuf>,
    /// Title of the pages, if there are several boards
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

pub(crate) fn run(args: &DrawArgs) -> CommandResult {
    let wanted = [(&args.svg, Format::Svg), (&args.png, Format::Png), (&args.pdf, Format::Pdf)];
    let mut files: Vec<(&Path, Format)> = Vec::new();
    for (path, format) in wanted {
        let Some(path) = path else { continue };
        if files.iter().any(|(other, _)| other == path) {
            return Err(Failure::input(format!("{}: two pictures in one file", path.display()))
                .hint("write one to another file"));
        }
        check_writable(path)?;
        files.push((path, format));
    }
    if files.is_empty() {
        let boards = args.board.read_several()?;
        print(&boards.iter().map(framed).collect::<Vec<_>>().join("\n"))?;
        return Ok(0);
    }
    let boards = args.board.read_several()?;
    let drawn: Box<dyn Fn(Format) -> Result<Vec<u8>, Failure>> = match &boards[..] {
        [board] => {
            let svg = draw_board(board);
            Box::new(move |format| picture(&svg, format))
        }
        _ => {
            let item = |(number, board): (usize, Board)| WorksheetItem {
                title: number.to_string(),
                board,
                lines: Vec::new(),
                blanks: Vec::new(),
            };
            let items = (1..).zip(boards).map(item).collect();
            let title = args.title.clone().unwrap_or_default();
            let worksheet = Worksheet { title, has_name: false, task: None, items };
            Box::new(move |format| pages(&worksheet, format))
        }
    };
    for (path, format) in files {
        write_file(path, &drawn(format)?)?;
    }
    Ok(0)
}

/// Draws a board with lines around its tiles.
fn framed(board: &Board) -> String {
    let digits = board.tiles().iter().max().map_or(1, |tile| tile.to_string().len());
    let rule = |left: &str, cross: &str, right: &str| {
        let cells = vec!["─".repeat(digits + 2); board.size().cols()];
        format!("{DIM}{left}{}{right}{PLAIN}\n", cells.join(cross))
    };
    let mut text = rule("┌", "┬", "┐");
    for (at, row) in board.rows().enumerate() {
        if at > 0 {
            text += &rule("├", "┼", "┤");
        }
        let bar = format!("{DIM}│{PLAIN}");
        for tile in row {
            let shown = if *tile == 0 { String::new() } else { tile.to_string() };
            let _ = write!(text, "{bar} {BOLD}{shown:>digits$}{PLAIN} ");
        }
        let _ = writeln!(text, "{bar}");
    }
    text + &rule("└", "┴", "┘")
}
