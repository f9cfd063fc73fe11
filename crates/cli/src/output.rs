//! What the program prints: data on standard output, words on standard error.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::ValueEnum;
use serde_json::ser::{Formatter, PrettyFormatter};
use taquin::{Board, Size, Tile, excerpt};

use crate::failure::Failure;

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    Always,
    Never,
}

pub(crate) fn set_color(color: Color) {
    match color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

pub(crate) const BOLD: &str = "\x1b[1m";
pub(crate) const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[1;31m";
const CYAN: &str = "\x1b[36m";
pub(crate) const PLAIN: &str = "\x1b[0m";

/// Writes to standard output, in one piece.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a value as JSON, one document: objects over several lines, arrays (boards) in one.
pub(crate) fn print_json(value: &impl serde::Serialize) -> io::Result<()> {
    let mut text = Vec::new();
    let formatter = OneLineArrays(PrettyFormatter::new());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter))?;
    text.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&text)?;
    out.flush()
}

/// Writes a file, or to standard output if its name is `-`.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return Ok(out.flush()?);
    }
    std::fs::write(path, bytes).map_err(|error| Failure::unwritable(path, &error))
}

/// Pretty JSON, but for arrays of plain values.
struct OneLineArrays<'a>(PrettyFormatter<'a>);

impl Formatter for OneLineArrays<'_> {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// Says a word on standard error.
pub(crate) fn say(text: &str) {
    // If nobody listens there is nobody to tell.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Asks on standard error; the answer follows on the same line.
pub(crate) fn prompt(text: &str) {
    let mut out = anstream::stderr();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

pub(crate) fn error(message: &str, hint: Option<&str>) {
    say(&format!("{RED}error:{PLAIN} {}", printable(message)));
    if let Some(hint) = hint {
        say(&format!("{CYAN}hint:{PLAIN} {}", printable(hint)));
    }
}

/// Says what is wrong with the arguments, and ends; those that are long or do not print are shortened.
pub(crate) fn usage(error: &clap::Error) -> ! {
    let odd = |text: &String| text.len() > LONG || text.chars().any(char::is_control);
    let odd: Vec<String> = std::env::args_os()
        .map(|argument| argument.to_string_lossy().into_owned())
        .filter(odd)
        .collect();
    if odd.is_empty() || !error.use_stderr() {
        error.exit();
    }
    let text = error.render().to_string();
    let shortened = odd.iter().fold(text, |text, odd| text.replace(odd, &excerpt(odd)));
    say(printable(&shortened).trim_end());
    std::process::exit(error.exit_code())
}

/// An argument of more bytes is not repeated.
const LONG: usize = 200;

/// A text in which whatever a terminal would obey is escaped: names of files may hold anything.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            _ if character.is_control() => shown.extend(character.escape_debug()),
            _ => shown.push(character),
        }
    }
    shown
}

/// A number with its thousands set apart.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time as people read it.
pub(crate) fn seconds(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.2} s"),
        s => format!("{s:.0} s"),
    }
}

/// One or many of something.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// The width of the terminal, or of a page.
fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|_| io::stdout().is_terminal()).unwrap_or(80)
}

/// A board as lines of aligned tiles, its blanks left empty; `marked` is set in bold.
pub(crate) fn picture(board: &Board, marked: Option<Tile>) -> Vec<String> {
    let digits = board.tiles().iter().max().map_or(1, |tile| tile.to_string().len());
    let tile = |&tile: &Tile| match tile {
        0 => format!("{DIM}{:>digits$}{PLAIN}", "·"),
        _ if Some(tile) == marked => format!("{BOLD}{tile:>digits$}{PLAIN}"),
        _ => format!("{tile:>digits$}"),
    };
    board.rows().map(|row| row.iter().map(tile).collect::<Vec<_>>().join(" ")).collect()
}

/// Tiles as a board in a line.
pub(crate) fn written(tiles: &[Tile], size: Size) -> String {
    let board = Board::new(size, tiles.to_vec());
    board.map_or_else(|error| error.to_string(), |board| board.to_string())
}

/// Boards under their titles, as many side by side as there is room for.
pub(crate) fn gallery(boards: &[(String, Board, Option<Tile>)]) -> String {
    let Some((_, first, _)) = boards.first() else { return String::new() };
    let digits = first.tiles().iter().max().map_or(1, |tile| tile.to_string().len());
    let pictures: Vec<(String, Vec<String>)> = boards
        .iter()
        .map(|(title, board, marked)| (title.clone(), picture(board, *marked)))
        .collect();
    side_by_side(&pictures, first.size().cols() * (digits + 1) - 1)
}

/// Pictures of as many lines and of this width under their titles, as many side by side as there is
/// room for.
pub(crate) fn side_by_side(pictures: &[(String, Vec<String>)], picture_width: usize) -> String {
    let title = pictures.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    let cell = title.max(picture_width) + 4;
    let across = (width() / cell).max(1);
    let mut text = String::new();
    for row in pictures.chunks(across) {
        if title > 0 {
            let titles: Vec<String> =
                row.iter().map(|(title, _)| format!("{title:<cell$}")).collect();
            text += &[DIM, titles.concat().trim_end(), PLAIN, "\n"].concat();
        }
        for at in 0..row.first().map_or(0, |(_, lines)| lines.len()) {
            let line: Vec<&str> = row.iter().map(|(_, lines)| lines[at].as_str()).collect();
            text += line.join(&" ".repeat(cell - picture_width)).trim_end();
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_easy_to_read() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let times = [2e-5, 0.0123, 1.5, 250.0].map(seconds);
        assert_eq!(times, ["20 µs", "12.3 ms", "1.50 s", "250 s"]);
    }
}
