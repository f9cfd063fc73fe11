//! Where things are on the screen, for drawing and for the mouse.

use ratatui::layout::Rect;
use taquin::{Cell, Size};

/// The places of the game's parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// The first line.
    pub(crate) header: Rect,
    /// The board.
    pub(crate) board: BoardPlace,
    /// Times and counts, if there is space to the right of the board.
    pub(crate) panel: Option<Rect>,
    /// Two lines of messages.
    pub(crate) note: Rect,
    /// A line with the most important keys, if there is space.
    pub(crate) keys: Option<Rect>,
}

/// The place of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BoardPlace {
    /// All of it.
    pub(crate) area: Rect,
    /// The width and height of a cell.
    pub(crate) cell: (u16, u16),
    /// The size of the board.
    pub(crate) size: Size,
}

/// The least width and height of a window for a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MinimumWindow {
    /// The least width.
    pub(crate) width: usize,
    /// The least height.
    pub(crate) height: usize,
}

/// The least width of the panel.
const PANEL: usize = 18;

/// The width of the space between the board and the panel.
const GAP: usize = 2;

/// The height from which on there is a line with keys.
const TALL: u16 = 20;

/// Lines of messages.
const NOTE: u16 = 2;

/// The least width for a header and messages.
const NARROW: usize = 24;

impl Layout {
    /// Places a board whose numbers have `digits` digits in a window.
    ///
    /// # Errors
    /// Fails with the least size if the window is too small.
    pub(crate) fn new(area: Rect, size: Size, digits: usize) -> Result<Self, MinimumWindow> {
        let keys = u16::from(area.height >= TALL);
        Self::with_keys(area, size, digits, keys)
            .or_else(|_| Self::with_keys(area, size, digits, 0))
    }

    /// Places the parts with this many lines for keys.
    fn with_keys(area: Rect, size: Size, digits: usize, keys: u16) -> Result<Self, MinimumWindow> {
        let around = 1 + NOTE + keys;
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        let middle = height.saturating_sub(around.into());
        let cells = [(10, 5), (7, 3), (6, 3), (5, 3), (digits + 2, 1), (digits + 1, 1)];
        let fits = |panel: usize| {
            let is_fit = |&(w, h): &(usize, usize)| {
                let has_frame = h > 1;
                (!has_frame || w >= digits + 2)
                    && size.cols() * w + panel <= width
                    && size.rows() * h <= middle
            };
            cells.into_iter().find(is_fit).map(|cell| (cell, panel > 0))
        };
        let least = MinimumWindow {
            width: (size.cols() * (digits + 1)).max(NARROW),
            height: size.rows() + usize::from(1 + NOTE),
        };
        if width < NARROW {
            return Err(least);
        }
        let ((w, h), has_panel) = fits(GAP + PANEL).or_else(|| fits(0)).ok_or(least)?;
        let (board_width, board_height) = ((size.cols() * w) as u16, (size.rows() * h) as u16);
        let line = |y, height| Rect { x: area.x, y: area.y + y, width: area.width, height };
        let left = if has_panel { 0 } else { (area.width - board_width) / 2 };
        let board = Rect::new(area.x + left, area.y + 1, board_width, board_height);
        let panel = has_panel.then(|| {
            let x = board.right() + GAP as u16;
            Rect { x, y: board.y, width: area.right() - x, height: middle as u16 }
        });
        Ok(Self {
            header: line(0, 1),
            board: BoardPlace { area: board, cell: (w as u16, h as u16), size },
            panel,
            note: line(area.height - keys - NOTE, NOTE),
            keys: (keys > 0).then(|| line(area.height - 1, 1)),
        })
    }
}

impl BoardPlace {
    /// Places a second, smaller board at the top of an area, if there is space.
    pub(crate) fn small(area: Rect, size: Size, digits: usize) -> Option<Self> {
        let cells = [(digits + 4, 3), (digits + 3, 3), (digits + 2, 1), (digits + 1, 1)];
        let fits = |&(w, h): &(usize, usize)| {
            size.cols() * w <= area.width.into() && size.rows() * h <= area.height.into()
        };
        let (width, height) = cells.into_iter().find(fits)?;
        let cell = (width as u16, height as u16);
        let (width, height) = ((size.cols() * width) as u16, (size.rows() * height) as u16);
        Some(Self { area: Rect { width, height, ..area }, cell, size })
    }

    /// Returns the place of a cell.
    pub(crate) fn rect(&self, cell: Cell) -> Rect {
        let (width, height) = self.cell;
        let (row, col) = (self.size.row(cell) as u16, self.size.col(cell) as u16);
        Rect { x: self.area.x + col * width, y: self.area.y + row * height, width, height }
    }

    /// Returns the cell at a place of the screen.
    pub(crate) fn cell_at(&self, x: u16, y: u16) -> Option<Cell> {
        if !self.area.contains((x, y).into()) {
            return None;
        }
        let (width, height) = self.cell;
        let (row, col) = ((y - self.area.y) / height, (x - self.area.x) / width);
        Some(row * self.size.cols() as u16 + col)
    }

    /// Returns whether tiles have frames.
    pub(crate) const fn has_frames(&self) -> bool {
        self.cell.1 > 1
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// In windows of every size, the parts are inside, none covers another, and clicks are on
    /// cells.
    #[test]
    fn the_parts_fit_into_every_window() {
        for (rows, cols) in [(2, 2), (3, 3), (4, 4), (5, 5), (1, 9), (9, 1), (12, 12), (40, 3)] {
            let size = Size::new(rows, cols).unwrap();
            let digits = (rows * cols - 1).to_string().len();
            for (width, height) in (0..140).flat_map(|w| (0..50).map(move |h| (w, h))) {
                let window = Rect::new(0, 0, width, height);
                match Layout::new(window, size, digits) {
                    Err(least) => assert!(
                        usize::from(width) < least.width || usize::from(height) < least.height,
                        "{size} in {width}x{height}"
                    ),
                    Ok(layout) => check(window, &layout),
                }
            }
        }
    }

    fn check(window: Rect, layout: &Layout) {
        let Layout { header, board, panel, note, keys } = *layout;
        let parts: Vec<Rect> =
            [header, board.area, note].into_iter().chain(panel).chain(keys).collect();
        for (at, part) in parts.iter().enumerate() {
            assert_eq!(part.intersection(window), *part, "{layout:?} in {window}");
            for other in &parts[at + 1..] {
                assert!(part.intersection(*other).is_empty(), "{part} and {other} in {window}");
            }
        }
        for cell in 0..board.size.cells() as Cell {
            let Rect { x, y, width, height } = board.rect(cell);
            assert_eq!(board.cell_at(x, y), Some(cell));
            assert_eq!(board.cell_at(x + width - 1, y + height - 1), Some(cell));
        }
        assert_eq!(board.cell_at(board.area.right(), board.area.y), None);
    }

    #[test]
    fn usual_windows_have_a_panel() {
        let size = Size::new(4, 4).unwrap();
        let cell = |width, height| {
            let layout = Layout::new(Rect::new(0, 0, width, height), size, 2).unwrap();
            (layout.board.cell, layout.panel.is_some())
        };
        assert_eq!(cell(80, 24), ((10, 5), true));
        assert_eq!(cell(40, 15), ((5, 3), true));
        assert_eq!(cell(24, 7), ((4, 1), false));
    }
}
