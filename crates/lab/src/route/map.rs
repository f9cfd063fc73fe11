//! Maps as text: rows of cells, the layouts of CS188 (Berkeley), or the robot navigation files used
//! in COS30019 (Swinburne).

use std::ops::RangeInclusive;

use taquin::{Cost, Move, Place};

/// A rectangle of cells with a start and a goal, some of them walls.
///
/// `#` is a wall, `.` is free and costs 1 to enter, a digit from 1 to 9 is the cost to enter that
/// cell, `S` is the start and `G` the goal. The goal costs 1 to enter. The start costs as much as
/// the cheapest other cell, so coming back to the start never pays off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    cols: usize,
    cells: Vec<char>,
    start: u32,
    /// The goals: at least one.
    goals: Vec<u32>,
    cheapest: Cost,
}

/// Why a text is not a map, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct MapError {
    place: Option<Place>,
    fault: MapFault,
}

/// A fault in a text that should be a map.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum MapFault {
    #[error("there is no map here")]
    Empty,
    #[error("{0} bytes are too many for a map: {MAX_BYTES} are read at most")]
    TooLarge(usize),
    #[error("'{}' is not a cell", .0.escape_debug())]
    Cell(char),
    #[error("row {row} has {found} cells, but row 1 has {first}")]
    Ragged { row: usize, found: usize, first: usize },
    #[error("there is no '{0}'")]
    Missing(char),
    #[error("'{cell}' appears twice (first at {first})")]
    Twice { cell: char, first: Place },
    #[error("expected {0}")]
    Navigation(&'static str),
    #[error("{0} x {1} cells are too many for a map: {MAX_BYTES} are read at most")]
    TooManyCells(usize, usize),
}

/// The longest text that is read.
const MAX_BYTES: usize = 4 << 20;

impl MapError {
    /// The place, if there is one.
    pub const fn place(&self) -> Option<Place> {
        self.place
    }

    /// A remedy.
    pub const fn hint(&self) -> &'static str {
        match self.fault {
            MapFault::Empty => "write rows such as \"S..#/.#.5/...G\"",
            MapFault::TooLarge(_) | MapFault::TooManyCells(..) => "cut the map down",
            MapFault::Cell(_) => {
                "a cell is # (wall), . (free), 1 to 9 (what it costs to enter), S (start) or G (goal)"
            }
            MapFault::Ragged { .. } => "fill the short rows up with # or .",
            MapFault::Missing('S') => "mark the start with S",
            MapFault::Missing('P') => "mark the start with P",
            MapFault::Missing('.') => "mark the goal with a dot",
            MapFault::Missing(_) => "mark the goal with G",
            MapFault::Twice { .. } => "keep one start and one goal",
            MapFault::Navigation(_) => {
                "lines of a navigation file are [rows,cols], (x,y), (x,y) | (x,y), and (x,y,w,h) for \
                 each wall"
            }
        }
    }
}

impl Map {
    /// Reads a map from text, or from bytes that should be text. Rows are lines, or end with a
    /// slash. Empty rows are skipped. A text that starts with `%` is a layout: `%` is a wall, a
    /// space is free, `P` is the start and the only dot the goal.
    ///
    /// # Errors
    /// Fails unless the rows are equally long, of known cells, with one start and one goal.
    pub fn read(text: impl AsRef<[u8]>) -> Result<Self, MapError> {
        let bytes = text.as_ref();
        if bytes.len() > MAX_BYTES {
            return Err(MapError { place: None, fault: MapFault::TooLarge(bytes.len()) });
        }
        // Bytes that are not text become a character that is not a cell, and are refused at their
        // place.
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        if text.trim_start().starts_with('[') {
            return Self::read_navigation(text);
        }
        let is_layout = text.trim_start().starts_with('%');
        let signs = if is_layout { LAYOUT_ENDS } else { ENDS };
        let (mut cells, mut rows, mut cols) = (Vec::new(), 0, 0);
        let mut ends: [Option<(u32, Place)>; 2] = [None; 2];
        for (line, text) in (1..).zip(text.lines().map(str::trim_end)) {
            let places = (1..).map(|column| Place { line, column });
            let placed: Vec<(char, Place)> = text.chars().zip(places).collect();
            for row in placed.split(|(cell, _)| *cell == '/') {
                let is_cell = |(cell, _): &&(char, Place)| match cell {
                    ' ' => is_layout,
                    _ => !matches!(cell, '\t' | '\r'),
                };
                let row: Vec<_> = row.iter().filter(is_cell).copied().collect();
                let Some(&(_, begin)) = row.first() else { continue };
                for &(sign, place) in &row {
                    let error = |fault| Err(MapError { place: Some(place), fault });
                    let cell = if is_layout { of_layout(sign) } else { sign };
                    if !matches!(cell, '#' | '.' | '1'..='9' | 'S' | 'G') {
                        return error(MapFault::Cell(sign));
                    }
                    if let Some(at) = ENDS.iter().position(|&end| end == cell) {
                        if let Some((_, first)) = ends[at] {
                            return error(MapFault::Twice { cell: sign, first });
                        }
                        ends[at] = Some((cells.len() as u32, place));
                    }
                    cells.push(cell);
                }
                rows += 1;
                cols = if rows == 1 { row.len() } else { cols };
                if row.len() != cols {
                    let fault = MapFault::Ragged { row: rows, found: row.len(), first: cols };
                    return Err(MapError { place: Some(begin), fault });
                }
            }
        }
        let error = |fault| MapError { place: None, fault };
        if cells.is_empty() {
            return Err(error(MapFault::Empty));
        }
        let end = |at: usize| {
            let (cell, _) = ends[at].ok_or_else(|| error(MapFault::Missing(signs[at])))?;
            Ok(cell)
        };
        let (start, goal) = (end(0)?, end(1)?);
        let price = |cell: &char| match cell {
            '.' => Some(1),
            _ => cell.to_digit(10),
        };
        let cheapest = cells.iter().filter_map(price).min().unwrap_or(1);
        Ok(Self { cols, cells, start, goals: vec![goal], cheapest })
    }

    /// Reads a file of COS30019: the rows and columns, the start, the goals, and the walls, all
    /// with columns first.
    fn read_navigation(text: &str) -> Result<Self, MapError> {
        let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
        let mut lines = lines.map(|(line, text)| (Place { line, column: 1 }, text.trim()));
        let mut next = |what: &'static str| {
            let missing = MapError { place: None, fault: MapFault::Navigation(what) };
            lines.next().ok_or(missing)
        };
        let error = |place, fault| MapError { place: Some(place), fault };
        let what = "[rows,cols] of numbers above 0";
        let (place, size) = next(what)?;
        let Some([rows, cols]) = numbers(size, '[', ']').filter(|[r, c]| r.min(c) > &0) else {
            return Err(error(place, MapFault::Navigation(what)));
        };
        if rows.checked_mul(cols).is_none_or(|cells| cells > MAX_BYTES) {
            return Err(error(place, MapFault::TooManyCells(rows, cols)));
        }
        let what = "a cell (x,y) of the map";
        let cell = |place, text: &str| {
            let cell = numbers(text, '(', ')').filter(|[x, y]| *x < cols && *y < rows);
            let cell = cell.map(|[x, y]| (y * cols + x) as u32);
            cell.ok_or_else(|| error(place, MapFault::Navigation(what)))
        };
        let (place, text) = next(what)?;
        let start = cell(place, text)?;
        let (place, text) = next(what)?;
        let goals: Vec<u32> =
            text.split('|').map(|goal| cell(place, goal.trim())).collect::<Result<_, _>>()?;
        let mut cells = vec!['.'; rows * cols];
        for (place, text) in lines {
            let what = "a wall (x,y,w,h) inside the map";
            let inside = |[x, y, w, h]: &[usize; 4]| {
                x.checked_add(*w).is_some_and(|end| end <= cols)
                    && y.checked_add(*h).is_some_and(|end| end <= rows)
            };
            let Some([x, y, w, h]) = numbers(text, '(', ')').filter(inside) else {
                return Err(error(place, MapFault::Navigation(what)));
            };
            for row in y..y + h {
                cells[row * cols + x..row * cols + x + w].fill('#');
            }
        }
        for &goal in &goals {
            cells[goal as usize] = ENDS[1];
        }
        cells[start as usize] = ENDS[0];
        Ok(Self { cols, cells, start, goals, cheapest: 1 })
    }

    /// The number of rows.
    pub const fn rows(&self) -> usize {
        self.cells.len() / self.cols
    }

    /// The number of columns.
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// The start, counted row by row from 0.
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// The goals, counted row by row from 0.
    pub fn goals(&self) -> &[u32] {
        &self.goals
    }

    /// Where a step leads and what it costs, unless it leads off the map or into a wall.
    pub fn step(&self, cell: u32, step: Move) -> Option<(u32, Cost)> {
        let (cols, column) = (self.cols as u32, cell % self.cols as u32);
        let next = match step {
            Move::Up => cell.checked_sub(cols)?,
            Move::Left => cell.checked_sub(1).filter(|_| column > 0)?,
            Move::Right => Some(cell + 1).filter(|_| column + 1 < cols)?,
            Move::Down => cell + cols,
        };
        Some((next, self.cost(*self.cells.get(next as usize)?)?))
    }

    /// A lower bound on the cost from this cell to the goal: the number of steps without walls,
    /// where each step but the last costs as much as the cheapest cell.
    pub fn estimate(&self, cell: u32) -> Cost {
        let (row, column) = self.place(cell);
        let steps = self.goals.iter().map(|&goal| {
            let (to_row, to_column) = self.place(goal);
            row.abs_diff(to_row) + column.abs_diff(to_column)
        });
        match steps.min() {
            None | Some(0) => 0,
            Some(steps) => (steps as Cost - 1) * self.cheapest + 1,
        }
    }

    /// The row and the column of a cell, both from 1.
    pub const fn place(&self, cell: u32) -> (usize, usize) {
        (cell as usize / self.cols + 1, cell as usize % self.cols + 1)
    }

    pub(super) fn costs(&self) -> RangeInclusive<Cost> {
        let costs = || self.cells.iter().filter_map(|&cell| self.cost(cell));
        costs().min().unwrap_or(1)..=costs().max().unwrap_or(1)
    }

    /// The rows, with an arrow on every cell of the path.
    pub(super) fn draw(&self, steps: &[Move]) -> Vec<String> {
        let mut cells = self.cells.clone();
        for (cell, step) in self.walk(steps).zip(steps).skip(1) {
            cells[cell as usize] = match step {
                Move::Up => '^',
                Move::Left => '<',
                Move::Right => '>',
                Move::Down => 'v',
            };
        }
        cells.chunks(self.cols).map(|row| row.iter().collect()).collect()
    }

    /// The start and the cells that steps from there enter.
    pub(super) fn walk(&self, steps: &[Move]) -> impl Iterator<Item = u32> {
        let next = |cell: &mut u32, step: &Move| {
            *cell = self.step(*cell, *step)?.0;
            Some(*cell)
        };
        std::iter::once(self.start).chain(steps.iter().scan(self.start, next))
    }

    /// The cost of entering a cell; `None` for a wall.
    fn cost(&self, cell: char) -> Option<Cost> {
        match cell {
            '#' => None,
            'S' => Some(self.cheapest),
            _ => Some(cell.to_digit(10).unwrap_or(1)),
        }
    }
}

/// Reads numbers in brackets, such as `(2,0,2,2)`.
fn numbers<const N: usize>(text: &str, open: char, close: char) -> Option<[usize; N]> {
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    let numbers = inner.split(',').map(|number| number.trim().parse().ok());
    numbers.collect::<Option<Vec<usize>>>()?.try_into().ok()
}

/// The cells that a map has exactly once.
const ENDS: [char; 2] = ['S', 'G'];

/// The cells that a layout has exactly once.
const LAYOUT_ENDS: [char; 2] = ['P', '.'];

/// Returns the cell for a character in a layout. Capsules and ghosts are free cells.
const fn of_layout(sign: char) -> char {
    match sign {
        '%' => '#',
        ' ' | 'o' | 'G' | '1'..='4' => '.',
        'P' => ENDS[0],
        '.' => ENDS[1],
        // Not a cell.
        _ => ' ',
    }
}
