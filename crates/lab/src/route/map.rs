//! Maps as text.

use std::ops::RangeInclusive;

use taquin::{Cost, Move, Place};

/// A rectangle of cells with a start and a goal, some of them walls.
///
/// `#` is a wall, `.` is free and costs 1 to enter, a digit from 1 to 9 costs that, `S` is the start
/// and `G` the goal. The goal costs 1 to enter. The start costs what the cheapest other cell does,
/// so that coming back to it never pays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    cols: usize,
    cells: Vec<char>,
    start: u32,
    goal: u32,
    cheapest: Cost,
}

/// Why a text is not a map, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct MapError {
    place: Option<Place>,
    fault: MapFault,
}

/// What is wrong with a text that should be a map.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum MapFault {
    #[error("there is no map here")]
    Empty,
    #[error("{0} bytes are too many for a map: {MAX_BYTES} are read at most")]
    TooLarge(usize),
    #[error("'{}' is no cell", .0.escape_debug())]
    Cell(char),
    #[error("row {row} has {found} cells, but row 1 has {first}")]
    Ragged { row: usize, found: usize, first: usize },
    #[error("there is no '{0}'")]
    Missing(char),
    #[error("'{cell}' stands twice (first at {first})")]
    Twice { cell: char, first: Place },
}

/// The longest text that is read.
const MAX_BYTES: usize = 4 << 20;

impl MapError {
    /// The place, where there is one.
    pub const fn place(&self) -> Option<Place> {
        self.place
    }

    /// A remedy.
    pub const fn hint(&self) -> &'static str {
        match self.fault {
            MapFault::Empty => "write rows such as \"S..#/.#.5/...G\"",
            MapFault::TooLarge(_) => "cut the map down",
            MapFault::Cell(_) => {
                "a cell is # (wall), . (free), 1 to 9 (what it costs to enter), S (start) or G (goal)"
            }
            MapFault::Ragged { .. } => "fill the short rows up with # or .",
            MapFault::Missing('S') => "mark the start with S",
            MapFault::Missing(_) => "mark the goal with G",
            MapFault::Twice { .. } => "one start and one goal: make the others '.'",
        }
    }
}

impl Map {
    /// Reads a map from text, or from bytes that should be text. Rows are lines, or end with a
    /// slash; empty ones are passed over.
    ///
    /// # Errors
    /// Fails unless the rows are equally long, of known cells, with one start and one goal.
    pub fn read(text: impl AsRef<[u8]>) -> Result<Self, MapError> {
        let bytes = text.as_ref();
        if bytes.len() > MAX_BYTES {
            return Err(MapError { place: None, fault: MapFault::TooLarge(bytes.len()) });
        }
        // What is not text becomes a character that is no cell, and is refused at its place.
        let text = String::from_utf8_lossy(bytes);
        let (mut cells, mut rows, mut cols) = (Vec::new(), 0, 0);
        let mut ends: [Option<(u32, Place)>; 2] = [None; 2];
        for (line, text) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let places = (1..).map(|column| Place { line, column });
            let placed: Vec<(char, Place)> = text.chars().zip(places).collect();
            for row in placed.split(|(cell, _)| *cell == '/') {
                let is_cell = |(cell, _): &&(char, Place)| !matches!(cell, ' ' | '\t' | '\r');
                let row: Vec<_> = row.iter().filter(is_cell).copied().collect();
                let Some(&(_, begin)) = row.first() else { continue };
                for &(cell, place) in &row {
                    let error = |fault| Err(MapError { place: Some(place), fault });
                    if !matches!(cell, '#' | '.' | '1'..='9' | 'S' | 'G') {
                        return error(MapFault::Cell(cell));
                    }
                    if let Some(at) = ENDS.iter().position(|&end| end == cell) {
                        if let Some((_, first)) = ends[at] {
                            return error(MapFault::Twice { cell, first });
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
            let (cell, _) = ends[at].ok_or_else(|| error(MapFault::Missing(ENDS[at])))?;
            Ok(cell)
        };
        let (start, goal) = (end(0)?, end(1)?);
        let price = |cell: &char| match cell {
            '.' => Some(1),
            _ => cell.to_digit(10),
        };
        let cheapest = cells.iter().filter_map(price).min().unwrap_or(1);
        Ok(Self { cols, cells, start, goal, cheapest })
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

    /// The goal, counted row by row from 0.
    pub const fn goal(&self) -> u32 {
        self.goal
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

    /// A lower bound on the cost from this cell to the goal: the steps without walls, each but the last
    /// at the cost of the cheapest cell.
    pub fn estimate(&self, cell: u32) -> Cost {
        let ((row, column), (to_row, to_column)) = (self.place(cell), self.place(self.goal));
        match row.abs_diff(to_row) + column.abs_diff(to_column) {
            0 => 0,
            steps => (steps as Cost - 1) * self.cheapest + 1,
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

    /// The cells that steps from the start lead over, the start included.
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

/// The cells that a map has once.
const ENDS: [char; 2] = ['S', 'G'];
