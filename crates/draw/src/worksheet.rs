//! Pages of boards to print: exams, their keys, and exercises.

use std::fmt::Write;

use taquin::Board;

use crate::board::{FONTS, escaped};

/// The content of a worksheet's pages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Worksheet {
    /// The title of each page.
    pub title: String,
    /// Whether the first page has a line for a name.
    pub has_name: bool,
    /// A board above the others on the first page, such as the goal, with the task next to it.
    pub task: Option<WorksheetItem>,
    /// The boards.
    pub items: Vec<WorksheetItem>,
}

/// A board of a worksheet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorksheetItem {
    /// The text above the board.
    pub title: String,
    /// The board.
    pub board: Board,
    /// The lines next to it, each wrapped if it is too long.
    pub lines: Vec<String>,
    /// The words below it, each before a line to write on.
    pub blanks: Vec<String>,
}

/// An A4 sheet in units of 1/96 inch.
const WIDTH: f64 = 793.7;
const HEIGHT: f64 = 1122.5;
const MARGIN: f64 = 56.0;

/// The space for the title and for the number of the page.
const HEADING: f64 = 52.0;
const FOOTING: f64 = 28.0;

/// The width of the board next to the task.
const TASK: f64 = 90.0;

/// The space between items.
const GAP: f64 = 26.0;

/// The height of a text line, and the average width of a letter.
const LINE: f64 = 15.0;
const LETTER: f64 = 6.4;

/// The heights of a title and of a line to write on.
const TITLE: f64 = 22.0;
const BLANK: f64 = 30.0;

impl Worksheet {
    /// Draws the pages, each as an SVG file with the size of an A4 sheet.
    pub fn pages(&self) -> Vec<String> {
        let has_lines = self.items.iter().any(|item| !item.lines.is_empty());
        let widest = self.items.iter().map(|item| item.board.size().cols()).max().unwrap_or(3);
        let across = if has_lines || widest > 4 { 2 } else { 3 };
        let width = (WIDTH - 2.0 * MARGIN - GAP * (across - 1) as f64) / across as f64;
        let board = if has_lines { width * 0.36 } else { width * 0.66 };
        let rows: Vec<(f64, &[WorksheetItem])> = self
            .items
            .chunks(across)
            .map(|row| {
                let heights = row.iter().map(|item| item.height(board, width));
                (heights.fold(0.0, f64::max), row)
            })
            .collect();
        let room = HEIGHT - 2.0 * MARGIN - HEADING - FOOTING;
        let mut pages: Vec<Vec<(f64, &[WorksheetItem])>> = vec![Vec::new()];
        let full = WIDTH - 2.0 * MARGIN;
        let task = self.task.as_ref().map_or(0.0, |task| task.height(TASK, full) + GAP);
        let mut used = task;
        for row in rows {
            if used + row.0 > room && pages.last().is_some_and(|page| !page.is_empty()) {
                pages.push(Vec::new());
                used = 0.0;
            }
            used += row.0 + GAP;
            pages.last_mut().expect("there is a page").push(row);
        }
        let number = pages.len();
        let draw = |(at, rows): (usize, &Vec<(f64, &[WorksheetItem])>)| {
            let mut out = self.opened(at, number);
            let mut y = MARGIN + HEADING;
            if let (0, Some(item)) = (at, &self.task) {
                item.draw(&mut out, (MARGIN, y), TASK, full);
                y += task;
            }
            for (height, row) in rows {
                let mut x = MARGIN;
                for item in *row {
                    item.draw(&mut out, (x, y), board, width);
                    x += width + GAP;
                }
                y += height + GAP;
            }
            out + "</svg>\n"
        };
        pages.iter().enumerate().map(draw).collect()
    }

    /// A page's beginning: the sheet, the title, and the page number.
    fn opened(&self, at: usize, pages: usize) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"{FONTS}\" fill=\"#000\">\n\
             <title>{title}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
        );
        let y = MARGIN + 16.0;
        write_text(&mut out, (MARGIN, y), "19", "700", "start", &self.title);
        if self.has_name && at == 0 {
            let (from, to) = (WIDTH - MARGIN - 250.0, WIDTH - MARGIN);
            write_text(&mut out, (from, y), "13", "400", "start", "Name");
            rule(&mut out, from + 42.0, to, y + 3.0);
        }
        let footing = format!("{} / {pages}", at + 1);
        let foot = HEIGHT - MARGIN + 8.0;
        write_text(&mut out, (WIDTH / 2.0, foot), "11", "400", "middle", &footing);
        out
    }
}

impl WorksheetItem {
    /// The lines next to the board, wrapped.
    fn wrapped(&self, board: f64, width: f64) -> Vec<String> {
        let most = (((width - board - 12.0) / LETTER) as usize).max(8);
        let mut lines: Vec<String> = Vec::new();
        for line in &self.lines {
            let mut current = String::new();
            for word in line.split(' ') {
                // Moves are one long word.
                for part in word.chars().collect::<Vec<char>>().chunks(most) {
                    let part: String = part.iter().collect();
                    let length = current.chars().count() + 1 + part.chars().count();
                    if !current.is_empty() && length > most {
                        lines.push(std::mem::take(&mut current));
                    }
                    if !current.is_empty() {
                        current.push(' ');
                    }
                    current += &part;
                }
            }
            lines.push(current);
        }
        lines
    }

    /// The side of a cell, if the board is `board` units wide at most.
    fn cell(&self, board: f64) -> f64 {
        let size = self.board.size();
        board / size.cols().max(size.rows()) as f64
    }

    fn height(&self, board: f64, width: f64) -> f64 {
        let drawn = self.cell(board) * self.board.size().rows() as f64;
        let lines = self.wrapped(board, width).len() as f64 * LINE;
        TITLE + drawn.max(lines) + BLANK * self.blanks.len() as f64
    }

    fn draw(&self, out: &mut String, (x, y): (f64, f64), board: f64, width: f64) {
        write_text(out, (x, y + 12.0), "13", "700", "start", &self.title);
        let (top, cell) = (y + TITLE, self.cell(board));
        let (rows, cols) = (self.board.size().rows(), self.board.size().cols());
        let digits = self.board.tiles().iter().max().map_or(1, |tile| tile.to_string().len());
        let font = cell * [0.5, 0.5, 0.42, 0.34][digits.min(3)];
        for (at, tile) in self.board.tiles().iter().enumerate() {
            let (left, upper) = (x + (at % cols) as f64 * cell, top + (at / cols) as f64 * cell);
            let fill = if *tile == 0 { "#d9d9d9" } else { "#fff" };
            let _ = writeln!(
                out,
                "<rect x=\"{left:.1}\" y=\"{upper:.1}\" width=\"{cell:.1}\" height=\"{cell:.1}\" \
                 fill=\"{fill}\" stroke=\"#555\" stroke-width=\"0.8\"/>"
            );
            if *tile != 0 {
                let middle = (left + cell / 2.0, upper + cell / 2.0 + font * 0.36);
                let size = format!("{font:.1}");
                write_text(out, middle, &size, "400", "middle", &tile.to_string());
            }
        }
        let (drawn, tall) = (cell * cols as f64, cell * rows as f64);
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{drawn:.1}\" height=\"{tall:.1}\" \
             fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>"
        );
        let mut line = top + 11.0;
        for text in self.wrapped(board, width) {
            write_text(out, (x + board + 12.0, line), "11", "400", "start", &text);
            line += LINE;
        }
        let mut below = top + tall.max(line - top - 11.0) + BLANK - 6.0;
        for label in &self.blanks {
            write_text(out, (x, below), "12", "400", "start", label);
            let from = x + 8.0 + label.chars().count() as f64 * 7.0;
            rule(out, from, x + width, below + 3.0);
            below += BLANK;
        }
    }
}

fn write_text(
    out: &mut String,
    (x, y): (f64, f64),
    size: &str,
    weight: &str,
    anchor: &str,
    text: &str,
) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-weight=\"{weight}\" \
         text-anchor=\"{anchor}\">{}</text>",
        escaped(text)
    );
}

/// Draws a line to write on.
fn rule(out: &mut String, from: f64, to: f64, y: f64) {
    let _ = writeln!(
        out,
        "<path d=\"M{from:.1} {y:.1}H{to:.1}\" stroke=\"#000\" stroke-width=\"0.8\" fill=\"none\"/>"
    );
}

/// Joins pages below each other in one drawing.
pub fn joined(pages: &[String]) -> String {
    if let [only] = pages {
        return only.clone();
    }
    let height = HEIGHT * pages.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\">\n"
    );
    for (at, page) in pages.iter().enumerate() {
        let inner = page.split_once('>').map_or("", |(_, rest)| rest);
        let inner = inner.trim_end().trim_end_matches("</svg>");
        let _ = writeln!(
            out,
            "<g transform=\"translate(0 {:.1})\" font-family=\"{FONTS}\" fill=\"#000\">{inner}</g>",
            at as f64 * HEIGHT
        );
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(items: usize, lines: &[&str]) -> Worksheet {
        let item = |number| WorksheetItem {
            title: format!("Board {number} <&>"),
            board: "1 2 3/4 0 6/7 5 8".parse().unwrap(),
            lines: lines.iter().map(ToString::to_string).collect(),
            blanks: vec!["Moves".to_owned()],
        };
        let task = WorksheetItem { title: "Goal".to_owned(), blanks: vec![], ..item(0) };
        let task = (items > 0).then_some(task);
        Worksheet {
            title: "Exam".to_owned(),
            has_name: true,
            task,
            items: (1..=items).map(item).collect(),
        }
    }

    #[test]
    fn every_board_is_on_a_page_and_inside_it() {
        for (items, lines) in
            [(0, &[][..]), (1, &[]), (30, &[]), (30, &["U".repeat(200).as_str(), "expanded 5"])]
        {
            let pages = sheet(items, lines).pages();
            let all = pages.concat();
            assert_eq!(all.matches("Board ").count(), items);
            assert_eq!(all.matches("<rect x=").count(), (items + usize::from(items > 0)) * 10);
            assert_eq!(pages[0].matches(">Goal<").count(), usize::from(items > 0));
            assert_eq!(all.matches(">Goal<").count(), usize::from(items > 0));
            assert_eq!(pages[0].matches(">Name<").count(), 1);
            assert_eq!(all.matches(">Name<").count(), 1);
            for page in &pages {
                for y in page.split(" y=\"").skip(1) {
                    let y: f64 = y.split('"').next().unwrap().parse().unwrap();
                    assert!((0.0..HEIGHT).contains(&y), "{y}");
                }
                assert!(crate::png(page, 0.2).is_ok());
            }
            assert!(crate::png(&joined(&pages), 0.2).is_ok());
        }
    }

    #[test]
    fn a_pdf_has_a_page_for_each_drawing() {
        let pages = sheet(30, &[]).pages();
        assert!(pages.len() > 1);
        let file = crate::pdf_pages(&pages).unwrap();
        let text = String::from_utf8_lossy(&file);
        assert_eq!(text.matches("/Type/Page/").count(), pages.len());
        assert!(text.contains(&format!("/Count {}", pages.len())));
    }
}
