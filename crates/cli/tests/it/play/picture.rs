//! The picture of the game in README.md: the screen of a terminal as SVG.

use std::fmt::Write as _;

use snapbox::{assert_data_eq, file};
use vt100::{Cell, Color, Screen};

use super::{Terminal, stats};
use crate::run::run;

/// Games that were played before.
const GAMES: &str = include_str!("games.json");

/// `cargo xtask page --pictures` writes the picture again.
#[test]
fn the_picture_is_what_the_screen_shows() {
    let stats = stats("picture");
    let games = stats.with_file_name("games.json");
    std::fs::create_dir_all(stats.parent().unwrap()).unwrap();
    std::fs::write(&games, GAMES).unwrap();
    let [file, games] = [&stats, &games].map(|path| path.to_str().unwrap());
    assert_eq!(run(&["play", "--stats", file, "--import", games]).code, Some(0));
    let board = "1 4 6 8/9 0 14 3/10 2 5 15/13 11 12 7";
    let terminal = Terminal::play(80, 24, &[board], &stats);
    terminal.wait("The clock starts with the first move.");
    terminal.keys("mg");
    terminal.wait("Left        26");
    terminal.wait("0 of 26");
    let picture = svg(terminal.screen.lock().unwrap().screen());
    let expected = file!["../../../../../docs/pictures/play.svg"];
    assert_data_eq!(picture, expected.raw());
}

/// The width and height of a cell.
const CELL: (usize, usize) = (10, 20);
/// The space around the screen.
const MARGIN: usize = 14;
const GROUND: &str = "#16191d";
const INK: &str = "#e6e8eb";
const DIM: &str = "#98a0ab";

/// Draws the cells of a screen. Cells in a row that look the same are one text.
fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (rows, columns) = (rows.get(), columns.get());
    let (width, height) =
        (usize::from(columns) * CELL.0 + 2 * MARGIN, usize::from(rows) * CELL.1 + 2 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"17\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"10\" fill=\"{GROUND}\"/>\n"
    );
    for row in 0..rows {
        let cells: Vec<&Cell> = (0..columns).filter_map(|at| screen.cell(row, at)).collect();
        for (at, run) in runs(&cells) {
            let (x, y) = (MARGIN + at * CELL.0, MARGIN + usize::from(row) * CELL.1);
            draw(&mut svg, run, x, y);
        }
    }
    svg + "</svg>\n"
}

/// The look of a cell: ink, ground, and whether it is bold.
fn look(cell: &Cell) -> (String, String, bool) {
    let usual = if cell.dim() { DIM } else { INK };
    let colors = (color(cell.fgcolor(), usual), color(cell.bgcolor(), GROUND));
    let (ink, ground) = if cell.inverse() { (colors.1, colors.0) } else { colors };
    (ink, ground, cell.bold())
}

/// The cells that look the same, and where each group begins.
fn runs<'a>(cells: &'a [&'a Cell]) -> impl Iterator<Item = (usize, &'a [&'a Cell])> {
    let mut at = 0;
    cells.chunk_by(|a, b| look(a) == look(b)).map(move |run| {
        at += run.len();
        (at - run.len(), run)
    })
}

fn draw(svg: &mut String, run: &[&Cell], x: usize, y: usize) {
    let (ink, ground, is_bold) = look(run[0]);
    let width = run.len() * CELL.0;
    if ground != GROUND {
        let height = CELL.1;
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{ground}\" shape-rendering=\"crispEdges\"/>"
        );
    }
    let text: String =
        run.iter().map(|cell| if cell.has_contents() { cell.contents() } else { " " }).collect();
    let weight = if is_bold { " font-weight=\"bold\"" } else { "" };
    // Every word is in its place, whatever the width of the font.
    let mut column = 0;
    for word in text.split(' ') {
        let (x, length) = (x + column * CELL.0, word.chars().count());
        column += length + 1;
        if word.is_empty() {
            continue;
        }
        let (y, width) = (y + 15, length * CELL.0);
        let word = word.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" textLength=\"{width}\" fill=\"{ink}\"{weight}>{word}</text>"
        );
    }
}

/// A colour as terminals have it.
fn color(color: Color, usual: &str) -> String {
    const BASIC: [&str; 16] = [
        "#2a2e34", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#c8ccd4",
        "#7f8794", "#ff8b92", "#b5e08d", "#ffdf9e", "#8cc8ff", "#e3a3f5", "#7fdbe6", "#ffffff",
    ];
    match color {
        Color::Default => usual.to_owned(),
        Color::Idx(index @ ..16) => BASIC[usize::from(index)].to_owned(),
        Color::Idx(index @ 16..232) => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let cube = index - 16;
            let [r, g, b] = [cube / 36, cube / 6 % 6, cube % 6].map(level);
            format!("#{r:02x}{g:02x}{b:02x}")
        }
        Color::Idx(index) => format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * (index - 232)),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    }
}
