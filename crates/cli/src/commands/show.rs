//! `taquin show`, and pictures in files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Parser;
use taquin::{Board, Ending, Report};
use taquin_experiment::png;
use taquin_lab::{draw_board, draw_solution};

use crate::failure::{Failure, Outcome};
use crate::input::BoardArgs;
use crate::output::{BOLD, DIM, PLAIN, print, say, write_file};

/// Draw a board, in the terminal or as a picture
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin show 867254301
  taquin show \"5 1 3 4/2 6 8 12/9 10 7 11/13 14 15 0\" --svg board.svg --png board.png
  taquin gen --size 5 --seed 1 | taquin show -

'taquin solve BOARD --animate FILE' draws a solution that moves.")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    board: BoardArgs,
    /// Write the board as SVG; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the board as PNG; - is standard output
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
}

/// The pixels for a unit of a drawing: sharp on paper and on fine screens.
const SCALE: f32 = 2.0;

pub(crate) fn run(args: &ShowArgs) -> Outcome {
    let board = args.board.read()?;
    if let Some(path) = &args.svg {
        write_file(path, draw_board(&board).as_bytes())?;
    }
    if let Some(path) = &args.png {
        write_png(path, &draw_board(&board))?;
    }
    if args.svg.is_none() && args.png.is_none() {
        print(&framed(&board))?;
    }
    Ok(0)
}

/// Writes a drawing as the file's name asks for: SVG or PNG.
pub(crate) fn write_picture(path: &Path, svg: &str) -> Result<(), Failure> {
    match is_picture(path)? {
        true => write_png(path, svg),
        false => write_file(path, svg.as_bytes()),
    }
}

/// Whether a file is to be a PNG, or else an SVG, by its name.
pub(crate) fn is_picture(path: &Path) -> Result<bool, Failure> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "svg" => Ok(false),
        "png" => Ok(true),
        _ => Err(Failure::input(format!("{}: neither SVG nor PNG by its name", path.display()))
            .hint("end the name in .svg or .png")),
    }
}

fn write_png(path: &Path, svg: &str) -> Result<(), Failure> {
    let picture = png(svg, SCALE).map_err(|error| {
        Failure::input(format!("{}: {error}", path.display())).hint("SVG has no largest size")
    })?;
    write_file(path, &picture)
}

/// Writes a solution as a moving picture, if there is one.
pub(crate) fn animate(path: Option<&Path>, report: &Report) -> Result<(), Failure> {
    match path {
        Some(path) if report.outcome == Ending::Solved => write_file(
            path,
            draw_solution(&report.puzzle, report.moves.as_deref().unwrap_or_default()).as_bytes(),
        ),
        Some(path) => {
            say(&format!("{}: not written, as there is no solution", path.display()));
            Ok(())
        }
        None => Ok(()),
    }
}

/// A board with lines around its tiles.
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
