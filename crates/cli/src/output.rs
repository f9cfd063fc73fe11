//! Printing: data to standard output, messages to standard error.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::ValueEnum;
use serde_json::ser::{Formatter, PrettyFormatter};
use taquin::{Board, Size, Tile, excerpt};
pub(crate) use taquin_lab::amounts::{count, seconds, thousands};

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
const YELLOW: &str = "\x1b[1;33m";
const CYAN: &str = "\x1b[36m";
pub(crate) const PLAIN: &str = "\x1b[0m";

/// Writes `text` to standard output at once.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints `value` as one JSON document: objects over several lines, arrays such as boards in one line.
pub(crate) fn print_json(value: &impl serde::Serialize) -> io::Result<()> {
    let mut text = Vec::new();
    let formatter = OneLineArrays(PrettyFormatter::new());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter))?;
    text.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&text)?;
    out.flush()
}

/// Writes a file, or to standard output if `path` is `-`.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return Ok(out.flush()?);
    }
    std::fs::write(path, bytes).map_err(|error| Failure::unwritable(path, &error))
}

/// Pretty-printed JSON, except that an array takes one line.
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

/// Prints a line to standard error.
pub(crate) fn say(text: &str) {
    // A closed standard error must not end the program.
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Prints a question to standard error, without a line break.
pub(crate) fn prompt(text: &str) {
    let mut out = anstream::stderr();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

pub(crate) fn warning(message: &str) {
    say(&format!("{YELLOW}warning:{PLAIN} {}", printable(message)));
}

pub(crate) fn error(message: &str, hint: Option<&str>) {
    say(&format!("{RED}error:{PLAIN} {}", printable(message)));
    if let Some(hint) = hint {
        say(&format!("{CYAN}hint:{PLAIN} {}", printable(hint)));
    }
}

/// Prints what is wrong with the arguments and exits. Long or unprintable arguments are shortened.
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

/// Longer arguments, in bytes, are not repeated in full.
const LONG: usize = 200;

/// Escapes control characters, which a terminal would obey: file names may contain anything.
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

/// Returns the width of the terminal that standard output goes to, if there is one.
pub(crate) fn terminal_width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or_else(|| terminal_size::terminal_size().map(|(width, _)| width.0.into()))
}

/// Draws a board as lines of aligned tiles, with the tile `marked` in bold.
pub(crate) fn picture(board: &Board, marked: Option<Tile>) -> Vec<String> {
    let digits = board.tiles().iter().max().map_or(1, |tile| tile.to_string().len());
    let tile = |&tile: &Tile| match tile {
        0 => format!("{DIM}{:>digits$}{PLAIN}", "·"),
        _ if Some(tile) == marked => format!("{BOLD}{tile:>digits$}{PLAIN}"),
        _ => format!("{tile:>digits$}"),
    };
    board.rows().map(|row| row.iter().map(tile).collect::<Vec<_>>().join(" ")).collect()
}

/// Writes tiles as a board in one line.
pub(crate) fn written(tiles: &[Tile], size: Size) -> String {
    let board = Board::new(size, tiles.to_vec());
    board.map_or_else(|error| error.to_string(), |board| board.to_string())
}

/// Draws boards under their titles, as many next to each other as fit.
pub(crate) fn gallery(boards: &[(String, Board, Option<Tile>)]) -> String {
    let Some((_, first, _)) = boards.first() else { return String::new() };
    let digits = first.tiles().iter().max().map_or(1, |tile| tile.to_string().len());
    let pictures: Vec<(String, Vec<String>)> = boards
        .iter()
        .map(|(title, board, marked)| (title.clone(), picture(board, *marked)))
        .collect();
    side_by_side(&pictures, first.size().cols() * (digits + 1) - 1)
}

/// Joins pictures of the same height and of `picture_width` columns under their titles, as many next to
/// each other as fit.
pub(crate) fn side_by_side(pictures: &[(String, Vec<String>)], picture_width: usize) -> String {
    let title = pictures.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    let cell = title.max(picture_width) + 4;
    let across = (terminal_width().unwrap_or(80) / cell).max(1);
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
