//! Draws boards, and animates solutions.

use std::fmt::Write;

use taquin::{Board, Cell, Puzzle, Size, Slide};

/// The font families for every picture, starting with the one that rasters use.
pub(crate) const FONTS: &str = "'Noto Sans','Segoe UI',Helvetica,Arial,sans-serif";

/// The side of a cell.
pub(crate) const CELL: usize = 64;
/// The space between tiles, and the margin.
const GAP: usize = 4;
const EDGE: usize = 8;

/// The times of an animation in seconds: before the first move, per move, and after the last.
const START_SECONDS: f64 = 1.0;
const MOVE_SECONDS: f64 = 0.4;
const END_SECONDS: f64 = 2.0;

/// Draws a board as an SVG file.
pub fn draw_board(board: &Board) -> String {
    let title = format!("A board of {}", board.size());
    let mut out = opened(board.size(), 0, &title, &board.to_string(), "");
    draw_tiles(&mut out, board);
    out + "</svg>\n"
}

/// Draws a solution as an animated SVG file that repeats; without animation it shows the start.
///
/// Moves that the board does not allow are left out.
pub fn draw_solution(puzzle: &Puzzle, slides: &[Slide]) -> String {
    let mut board = puzzle.start().clone();
    let size = board.size();
    // Each tile's final cell, and the move that brings it there.
    let mut paths: Vec<Vec<(usize, Cell)>> = vec![Vec::new(); size.cells() + 1];
    let mut names = Vec::new();
    for &slide in slides {
        let Ok(tile) = board.slide(slide) else { continue };
        let cell = board.positions()[usize::from(tile)];
        paths[usize::from(tile)].push((names.len(), cell));
        names.push(slide.step.to_string());
    }
    let total = START_SECONDS + MOVE_SECONDS * names.len() as f64 + END_SECONDS;
    let share = |seconds: f64| format!("{:.4}%", 100.0 * seconds / total);
    let mut style = format!(
        "<style>.tile,.done{{animation:{total:.2}s ease-in-out infinite}}\
         .done{{animation-name:done;animation-timing-function:linear;transform-origin:{EDGE}px 0}}\
         @keyframes done{{0%,{}{{transform:scaleX(0)}}{},100%{{transform:scaleX(1)}}}}",
        share(START_SECONDS),
        share(total - END_SECONDS)
    );
    for (tile, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let at = |cell: Cell| {
            let (x, y) = cell_place(size, cell);
            format!("{{transform:translate({x}px,{y}px)}}")
        };
        let mut rest = at(puzzle.start().positions()[tile]);
        let _ = write!(style, ".t{tile}{{animation-name:t{tile}}}@keyframes t{tile}{{0%");
        for &(number, cell) in path {
            let begin = START_SECONDS + MOVE_SECONDS * number as f64;
            let _ = write!(style, ",{}{rest}", share(begin));
            rest = at(cell);
            let _ = write!(style, "{}", share(begin + 0.7 * MOVE_SECONDS));
        }
        let _ = write!(style, ",100%{rest}}}");
    }
    style += "@media (prefers-reduced-motion:reduce){.tile,.done{animation:none}}</style>\n";
    let title = format!("{} solved in {} moves", puzzle.start(), names.len());
    let mut out = opened(size, EDGE, &title, &names.join(" "), &style);
    draw_tiles(&mut out, puzzle.start());
    let (width, height) = extent(size);
    let _ = writeln!(
        out,
        r##"<rect class="done" x="{EDGE}" y="{height}" width="{}" height="4" rx="2" fill="#e69f00"/>"##,
        width - 2 * EDGE
    );
    out + "</svg>\n"
}

/// Returns a cell's upper left corner in the board's drawing.
pub(crate) fn cell_place(size: Size, cell: Cell) -> (usize, usize) {
    let (row, col) = (usize::from(cell) / size.cols(), usize::from(cell) % size.cols());
    (EDGE + col * CELL, EDGE + row * CELL)
}

/// The width and the height of a board.
fn extent(size: Size) -> (usize, usize) {
    (size.cols() * CELL + 2 * EDGE, size.rows() * CELL + 2 * EDGE)
}

/// A file's beginning: the frame, with `below` units of room below it.
fn opened(size: Size, below: usize, title: &str, about: &str, style: &str) -> String {
    let (width, frame) = extent(size);
    let height = frame + below;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="board-title board-about" font-family="{FONTS}">
<title id="board-title">{}</title>
<desc id="board-about">{}</desc>
{style}<rect width="{width}" height="{height}" rx="10" fill="#33475b"/>
"##,
        escaped(title),
        escaped(about)
    )
}

fn draw_tiles(out: &mut String, board: &Board) {
    let letters = board.size().cells().to_string().len();
    let font = CELL as f64 * [0.46, 0.46, 0.42, 0.34, 0.28, 0.24][letters.min(5)];
    let (inset, side, middle) = (GAP / 2, CELL - GAP, CELL / 2);
    let base = CELL as f64 / 2.0 + font * 0.36;
    for (cell, tile) in (0..).zip(board.tiles()).filter(|(_, tile)| **tile != 0) {
        let (x, y) = cell_place(board.size(), cell);
        let _ = writeln!(
            out,
            r##"<g class="tile t{tile}" transform="translate({x} {y})"><rect x="{inset}" y="{inset}" width="{side}" height="{side}" rx="7" fill="#f6f1e7"/><text x="{middle}" y="{base:.1}" font-size="{font:.1}" font-weight="700" text-anchor="middle" fill="#22313f">{tile}</text></g>"##
        );
    }
}

/// Returns `text` escaped for XML and HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no other control characters.
            '\n' | '\t' => out.push(letter),
            _ if letter.is_control() || letter == '\u{fffe}' || letter == '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            _ => out.push(letter),
        }
    }
    out
}
