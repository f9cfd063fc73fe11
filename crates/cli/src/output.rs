//! Printing: data to standard output, messages to standard error.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clap::ValueEnum;
use clap::error::ErrorKind;
use serde_json::ser::{Formatter, PrettyFormatter};
use taquin::{Board, Size, Tile, check_replaceable, excerpt, replace_file_with};
pub(crate) use taquin_lab::amounts::{count, seconds, thousands};
use terminal_size::{Height, Width, terminal_size_of};

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

/// Prints `value` as one JSON document: objects over several lines, arrays such as boards in one
/// line.
pub(crate) fn print_json(value: &impl serde::Serialize) -> io::Result<()> {
    let mut text = Vec::new();
    let formatter = OneLineArrays(PrettyFormatter::new());
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter))?;
    text.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&text)?;
    out.flush()
}

/// Writes a file and reports it, or writes to standard output if `path` is `-`.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        return Ok(out.flush()?);
    }
    replace_file(path, |out| out.write_all(bytes))?;
    say(&format!("wrote {}", path.display()));
    Ok(())
}

/// Writes a file as a whole or not at all: a former file is kept until all of the new one is on the
/// disk. Devices and pipes are written in place.
pub(crate) fn replace_file<T>(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<T>,
) -> Result<T, Failure> {
    replace_file_by(path, write).map_err(|error: io::Error| Failure::unwritable(path, &error))
}

/// Does the same with a `write` that may fail otherwise.
pub(crate) fn replace_file_by<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    match fs::metadata(path) {
        Ok(about) if !about.is_file() => write(&mut File::create(path)?),
        // A link stays a link, and a file keeps its permissions.
        Ok(about) => {
            let keep = |new: &Path| Ok(fs::set_permissions(new, about.permissions())?);
            replace_file_with(&fs::canonicalize(path)?, write, keep)
        }
        Err(_) => replace_file_with(path, write, |_| Ok(())),
    }
}

/// Fails if a file cannot be written, so that this is known before the work.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    let check = || match fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => Ok(()),
        Ok(about) if about.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        Ok(_) => check_replaceable(&fs::canonicalize(path)?),
        Err(_) => check_replaceable(path),
    };
    match path.as_os_str() == "-" {
        true => Ok(()),
        false => check().map_err(|error| Failure::unwritable(path, &error)),
    }
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

/// Prints a line to standard error, wrapped if that is a terminal.
pub(crate) fn say(text: &str) {
    let text = match error_width() {
        Some(width) => &wrapped_to(text, 0, width),
        None => text,
    };
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
    let odd = |text: &String| text.len() > MAX_SHOWN_BYTES || text.chars().any(char::is_control);
    let odd: Vec<String> = crate::arguments()
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .filter(odd)
        .collect();
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() {
        error.exit();
    }
    let text = error.render();
    let text = if odd.is_empty() { text.ansi().to_string() } else { text.to_string() };
    // The message and the tip are enough.
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    if odd.is_empty() {
        say(text.trim_end());
        std::process::exit(error.exit_code())
    }
    let shortened = odd.iter().fold(text.to_owned(), |text, odd| text.replace(odd, &excerpt(odd)));
    say(printable(&shortened).trim_end());
    std::process::exit(error.exit_code())
}

/// Longer arguments, in bytes, are not repeated in full.
const MAX_SHOWN_BYTES: usize = 200;

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

/// Returns the width of the output in columns: `COLUMNS`, or the terminal's width, or 80.
pub(crate) fn width() -> usize {
    known_width().unwrap_or(80)
}

/// Returns the width of the output if `COLUMNS` is set or it is a terminal.
pub(crate) fn known_width() -> Option<usize> {
    columns(terminal_size_of(io::stdout()))
}

/// Returns the width of standard error if it is a terminal.
pub(crate) fn error_width() -> Option<usize> {
    columns(terminal_size_of(io::stderr())).filter(|_| io::stderr().is_terminal())
}

fn columns(terminal: Option<(Width, Height)>) -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let columns = given.or_else(|| terminal.map(|(width, _)| width.0.into()));
    columns.map(|columns: usize| columns.max(NARROWEST))
}

/// Narrower terminals are treated as if they had this width.
const NARROWEST: usize = 20;

/// Breaks the lines of `text` between words so that they fit the output. Continuation lines are
/// indented by `hang` more than the first line.
pub(crate) fn wrapped(text: &str, hang: usize) -> String {
    wrapped_to(text, hang, width())
}

fn wrapped_to(text: &str, hang: usize, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // A command is copied as a whole.
        if line.starts_with("  taquin ") {
            out += line;
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut column = 0;
        for word in words(&line[indent..]) {
            let letters = visible(word.trim_end());
            if column == 0 {
                out += &line[..indent];
                column = indent;
            } else if column + letters > width {
                out.truncate(out.trim_end().len());
                out.push('\n');
                column = indent + hang;
                out += &" ".repeat(column);
            }
            out += word;
            column += visible(word.trim_end_matches('\n'));
        }
    }
    out
}

/// Splits a line after its spaces, except between a number and its unit and within a board.
fn words(line: &str) -> Vec<&str> {
    const UNITS: [&str; 10] = ["ns", "µs", "ms", "s", "min", "B", "KB", "MB", "GB", "%"];
    let mut words = Vec::new();
    let mut start = 0;
    for (end, _) in line.match_indices(' ') {
        let next = line[end + 1..].split([' ', ',', ';', '.', ':', ')', '\n']).next();
        let next = next.unwrap_or_default();
        let is_unit = UNITS.contains(&next);
        let is_number = line[..end].ends_with(|letter: char| letter.is_ascii_digit());
        if !is_number || !is_unit && !next.starts_with(|letter: char| letter.is_ascii_digit()) {
            words.push(&line[start..=end]);
            start = end + 1;
        }
    }
    words.push(&line[start..]);
    words
}

/// Returns the number of columns that `text` takes without its escape sequences.
pub(crate) fn visible(text: &str) -> usize {
    let mut count = 0;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\x1b' => _ = letters.find(|end| *end == 'm'),
            _ => count += 1,
        }
    }
    count
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

/// Joins pictures with the same height and `picture_width` columns under their titles, as many next
/// to each other as fit.
pub(crate) fn side_by_side(pictures: &[(String, Vec<String>)], picture_width: usize) -> String {
    let title = pictures.iter().map(|(title, _)| title.chars().count()).max().unwrap_or(0);
    let cell = title.max(picture_width) + 4;
    // The last picture needs no space after it.
    let across = ((width() + 4) / cell).max(1);
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

/// Draws a bar to an eighth of a character, for a share of the longest. Numbers stand before it.
pub(crate) fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let longest = width().saturating_sub(32).max(8) as f64;
    let eighths = (share * longest * 8.0).ceil() as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        let text = "  - one two three four\nfive\n";
        assert_eq!(wrapped_to(text, 2, 12), "  - one two\n    three\n    four\nfive\n");
        assert_eq!(wrapped_to(text, 2, 80), text);
        let bold = format!("{BOLD}one{PLAIN} two three");
        assert_eq!(wrapped_to(&bold, 0, 7), format!("{BOLD}one{PLAIN} two\nthree"));
        assert_eq!(wrapped_to("took 5.06 s, 39 MB\n", 2, 8), "took\n  5.06 s,\n  39 MB\n");
        assert_eq!(wrapped_to("goal 1 2/3 0, cost 4\n", 0, 9), "goal\n1 2/3 0,\ncost 4\n");
    }
}
