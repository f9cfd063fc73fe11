//! `taquin show`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Parser;
use taquin::Board;
use taquin_draw::draw_board;

use crate::args::BoardArgs;
use crate::failure::{CommandResult, Failure};
use crate::output::{BOLD, DIM, PLAIN, check_writable, print, write_file};
use crate::pictures::{Format, picture};

/// Draw a board in the terminal or as a picture
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin show 867254301
  taquin show 867254301 --svg board.svg --png board.png
  taquin gen --size 5 --seed 1 | taquin show -

'taquin solve BOARD --animate FILE' draws an animated solution.")]
pub(crate) struct ShowArgs {
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
}

pub(crate) fn run(args: &ShowArgs) -> CommandResult {
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
    let svg = draw_board(&args.board.read()?);
    for (path, format) in files {
        write_file(path, &picture(&svg, format)?)?;
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
