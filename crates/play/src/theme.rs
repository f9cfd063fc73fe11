//! Colours: for tiles, by their place in the goal, and for texts.

use ratatui::style::{Color, Modifier, Style};
use taquin::{Board, Cell, Tile};

/// How tiles are coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// By the row of the goal, for speed-solving row by row.
    #[default]
    Rows,
    /// By the column of the goal.
    Columns,
    /// By the first row and column that remain when the ones before are solved.
    Fringe,
    /// White on black; tiles in their places are black on white.
    Contrast,
    /// Without colours.
    Mono,
}

impl Theme {
    /// All themes, with their names.
    pub const ALL: [(&'static str, Self); 5] = [
        ("rows", Self::Rows),
        ("columns", Self::Columns),
        ("fringe", Self::Fringe),
        ("contrast", Self::Contrast),
        ("mono", Self::Mono),
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// Returns the theme after it.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()].1
    }

    /// Returns a tile's style on a cell, where `home` is its cell in the goal.
    pub fn tile(self, goal: &Board, home: Cell, is_home: bool) -> Style {
        let size = goal.size();
        let (row, col) = (size.row(home), size.col(home));
        let group = match self {
            Self::Rows => row,
            Self::Columns => col,
            Self::Fringe => row.min(col),
            Self::Contrast if is_home => {
                return Style::new().fg(Color::Black).bg(Color::White).add_modifier(Modifier::BOLD);
            }
            Self::Contrast => {
                return Style::new().fg(Color::White).bg(Color::Black).add_modifier(Modifier::BOLD);
            }
            Self::Mono if is_home => return Style::new().add_modifier(Modifier::BOLD),
            Self::Mono => return Style::new(),
        };
        let background = Color::Indexed(PALETTE[group % PALETTE.len()]);
        let style = Style::new().fg(Color::Black).bg(background);
        if is_home { style.add_modifier(Modifier::BOLD) } else { style }
    }

    /// Returns the style of headings.
    pub fn heading(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Returns the style of labels and other texts in the background.
    pub fn quiet(self) -> Style {
        match self {
            Self::Contrast => Style::new(),
            _ => Style::new().add_modifier(Modifier::DIM),
        }
    }

    /// Returns the style for bars and highlights.
    pub fn accent(self) -> Style {
        match self {
            Self::Mono => Style::new().add_modifier(Modifier::BOLD),
            Self::Contrast => Style::new().fg(Color::White).add_modifier(Modifier::BOLD),
            _ => Style::new().fg(Color::Indexed(PALETTE[1])).add_modifier(Modifier::BOLD),
        }
    }
}

/// Light colours of the 256-colour table on which black is easy to read.
const PALETTE: [u8; 8] = [210, 216, 228, 156, 123, 117, 183, 218];

/// Returns the width of the widest number on a board.
pub(crate) fn digits(board: &Board) -> usize {
    let largest: Tile = board.tiles().iter().copied().max().unwrap_or_default();
    largest.to_string().len()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_theme_has_its_place_and_comes_round() {
        let mut theme = Theme::default();
        for (name, known) in Theme::ALL {
            assert_eq!((theme, theme.name()), (known, name));
            theme = theme.next();
        }
        assert_eq!(theme, Theme::default());
    }

    /// Black on each colour has a contrast of at least 7, level AAA in WCAG.
    #[test]
    fn numbers_can_be_read_on_every_colour() {
        let level = |index: u8| {
            let channel = |part: u8| {
                let value = if part == 0 { 0.0 } else { f64::from(55 + 40 * part) / 255.0 };
                if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            let part = index - 16;
            let (r, g, b) = (part / 36, part / 6 % 6, part % 6);
            0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
        };
        for index in PALETTE {
            assert!((level(index) + 0.05) / 0.05 >= 7.0, "colour {index}");
        }
    }

    #[test]
    fn monochrome_has_no_colours() {
        let goal: Board = "1 2 3/4 5 6/7 8 0".parse().unwrap();
        for is_home in [true, false] {
            let style = Theme::Mono.tile(&goal, 4, is_home);
            assert_eq!((style.fg, style.bg), (None, None));
        }
        assert_eq!((Theme::Mono.accent().fg, Theme::Mono.quiet().fg), (None, None));
        let of = |theme: Theme, home| theme.tile(&goal, home, false).bg;
        assert_eq!(of(Theme::Rows, 3), of(Theme::Rows, 5));
        assert_ne!(of(Theme::Rows, 0), of(Theme::Rows, 3));
        assert_eq!(of(Theme::Columns, 1), of(Theme::Columns, 7));
        assert_eq!(of(Theme::Fringe, 2), of(Theme::Fringe, 6));
        assert_ne!(of(Theme::Fringe, 4), of(Theme::Fringe, 6));
    }
}
