//! Drawing boards and texts into the buffer of a frame.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use taquin::{Board, Cell, Tile};

use crate::layout::BoardPlace;
use crate::theme::{Theme, digits};

/// Draws a board; `marked` is the tile that the player should see.
pub(crate) fn draw_board(
    buffer: &mut Buffer,
    place: &BoardPlace,
    tiles: &[Tile],
    goal: &Board,
    theme: Theme,
    marked: Option<Tile>,
) {
    let homes = goal.positions();
    let width = digits(goal);
    for (&tile, cell) in tiles.iter().zip(0 as Cell..) {
        let area = place.rect(cell).intersection(buffer.area);
        if tile == 0 {
            if !place.has_frames() {
                let dot = format!("{:>width$}", "·");
                text(buffer, area, &format!("{dot:^0$}", usize::from(area.width)), theme.quiet());
            }
            continue;
        }
        let home = homes.get(usize::from(tile)).copied().unwrap_or_default();
        let mut style = theme.tile(goal, home, home == cell);
        if marked == Some(tile) {
            style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
        }
        draw_tile(buffer, area, &format!("{tile:>width$}"), style, place.has_frames());
    }
}

fn draw_tile(buffer: &mut Buffer, area: Rect, number: &str, style: Style, has_frame: bool) {
    let inner = usize::from(area.width).saturating_sub(2);
    if !has_frame {
        text(buffer, area, &format!("{number:^0$}", usize::from(area.width)), style);
        return;
    }
    for (y, row) in area.rows().enumerate() {
        let line = match y as u16 {
            0 => format!("╭{}╮", "─".repeat(inner)),
            y if y + 1 == area.height => format!("╰{}╯", "─".repeat(inner)),
            y if y == area.height / 2 => format!("│{number:^inner$}│"),
            _ => format!("│{:inner$}│", ""),
        };
        text(buffer, row, &line, style);
    }
}

/// Writes a text into the first line of an area, as much as fits.
pub(crate) fn text(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let area = area.intersection(buffer.area);
    if !area.is_empty() {
        buffer.set_stringn(area.x, area.y, text, area.width.into(), style);
    }
}

/// Writes a text at the right end of an area's first line.
pub(crate) fn text_right(buffer: &mut Buffer, area: Rect, line: &str, style: Style) {
    let width = line.chars().count().min(area.width.into()) as u16;
    text(buffer, Rect { x: area.right() - width, width, ..area }, line, style);
}

/// Writes a text into an area's lines, broken between words. If there is more, the last line ends
/// with an ellipsis.
pub(crate) fn paragraph(buffer: &mut Buffer, area: Rect, words: &str, style: Style) {
    let width = usize::from(area.width);
    let mut lines = wrap(words, width);
    let height = usize::from(area.height);
    if lines.len() > height && height > 0 {
        let cut: String = lines[height - 1].chars().take(width.saturating_sub(1)).collect();
        lines.truncate(height - 1);
        lines.push(cut + "…");
    }
    for (line, row) in lines.iter().zip(area.rows()) {
        text(buffer, row, line, style);
    }
}

/// Breaks a text into lines of a width, between words if possible.
pub(crate) fn wrap(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    if width == 0 {
        return lines;
    }
    for word in words.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        loop {
            let line = lines.last_mut().expect("there is a line");
            let used = line.chars().count();
            let space = usize::from(used > 0);
            if used + space + word.len() <= width {
                if space > 0 {
                    line.push(' ');
                }
                line.extend(&word);
                break;
            }
            if used == 0 {
                line.extend(word.drain(..width));
            }
            lines.push(String::new());
        }
    }
    lines
}

/// Returns a bar with `width` characters, filled up to a `part` of 1.
pub(crate) fn bar(part: f64, width: usize) -> String {
    let full = ((part * width as f64).round() as usize).min(width);
    "█".repeat(full) + &"░".repeat(width - full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("R2DL3U2RDLUR", 5), ["R2DL3", "U2RDL", "UR"]);
        assert_eq!(wrap("a R2DL3U2", 5), ["a", "R2DL3", "U2"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("word", 0), [""]);
    }

    #[test]
    fn bars_are_as_wide_as_they_should_be() {
        assert_eq!(bar(0.5, 4), "██░░");
        assert_eq!(bar(2.0, 3), "███");
        assert_eq!(bar(f64::NAN, 2), "░░");
    }
}
