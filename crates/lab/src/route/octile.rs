//! The maps and scenarios of movingai.com: steps in eight directions, and published path lengths.
//!
//! A diagonal step costs the square root of 2, and is allowed only if both cells next to it are
//! open. Costs are counted in hundred-thousandths, and a path's length is computed from its steps.

use std::sync::Arc;

use serde::Serialize;
use taquin::{Counts, Ending, Method, Monitor, Reason, TaskLimits};
use taquin_search::{Cost, Problem, Recomputed, StateSpace};

/// A map of movingai.com.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OctileMap {
    rows: usize,
    cols: usize,
    /// Each cell's ground: steps lead between cells with the same ground.
    open: Vec<bool>,
}

/// A problem of a scenario file: cells are column and row, both from 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// The number of its line.
    pub line: usize,
    /// The name of the map's file.
    pub map: String,
    /// The columns and rows of the map.
    pub size: (usize, usize),
    /// The start.
    pub start: (usize, usize),
    /// The goal.
    pub goal: (usize, usize),
    /// The published length of a shortest path.
    pub length: f64,
}

/// Why a text is not a map or a scenario.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct OctileError {
    /// The line, from 1.
    pub line: usize,
    /// The fault.
    pub fault: String,
}

/// A path in eight directions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OctilePath {
    /// How the search ended.
    pub outcome: Ending,
    /// Why it ended without a path.
    pub reason: Option<Reason>,
    /// The length of the path.
    pub length: Option<f64>,
    /// Its steps.
    pub steps: Option<usize>,
    /// The counts of the search.
    pub counts: Counts,
}

/// The costs of a straight step and a diagonal one.
const STRAIGHT: Cost = 100_000;
const DIAGONAL: Cost = 141_421;

/// The most rows and columns, so that no cost overflows.
const MAX_SIDE: usize = 4_096;

/// The steps: columns and rows, the straight ones first.
const STEPS: [(isize, isize); 8] =
    [(0, -1), (-1, 0), (1, 0), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

impl OctileMap {
    /// Returns whether a text begins as such a map does.
    pub fn is_map(text: &str) -> bool {
        text.trim_start().starts_with("type ")
    }

    /// Reads a `.map` file.
    ///
    /// # Errors
    /// Fails at the first line that is not as it should be.
    pub fn read(text: &str) -> Result<Self, OctileError> {
        let mut lines = (1..).zip(text.lines());
        let mut header = |key: &str| {
            let (line, text) = lines.next().unwrap_or((1, ""));
            let fault = || OctileError { line, fault: format!("expected '{key} ..'") };
            let rest = text.trim().strip_prefix(key).ok_or_else(fault)?;
            Ok::<_, OctileError>((line, rest.trim().to_owned()))
        };
        let (line, kind) = header("type")?;
        if kind != "octile" {
            let fault = format!("unknown map type '{}'", taquin::excerpt(&kind));
            return Err(OctileError { line, fault });
        }
        let mut side = |key| {
            let (line, text) = header(key)?;
            let side = text.parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
            let fault = || format!("{key} is a number from 1 to {MAX_SIDE}");
            side.ok_or_else(|| OctileError { line, fault: fault() })
        };
        let (rows, cols) = (side("height")?, side("width")?);
        header("map")?;
        let mut open = Vec::with_capacity(rows * cols);
        for _ in 0..rows {
            let (line, text) = lines.next().unwrap_or((open.len() / cols + 5, ""));
            let text = text.trim_end_matches('\r');
            let found = text.chars().count();
            if found != cols {
                let fault = format!("a row of {found} cells, not of {cols}");
                return Err(OctileError { line, fault });
            }
            for cell in text.chars() {
                open.push(match cell {
                    '.' | 'G' | 'S' => true,
                    '@' | 'O' | 'T' | 'W' => false,
                    _ => {
                        let fault = format!("'{}' is not a cell", cell.escape_debug());
                        return Err(OctileError { line, fault });
                    }
                });
            }
        }
        Ok(Self { rows, cols, open })
    }

    /// The columns and the rows.
    pub const fn size(&self) -> (usize, usize) {
        (self.cols, self.rows)
    }

    /// Searches for a shortest path between two cells: A\* with the octile distance, or with the
    /// policy of `method`.
    pub fn solve(
        &self,
        scenario: &Scenario,
        method: &Method,
        limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> OctilePath {
        let cell = |(col, row): (usize, usize)| (row * self.cols + col) as u32;
        let (start, goal) = (cell(scenario.start), cell(scenario.goal));
        let graph = OctileGraph { map: self, goal };
        let limits = limits.watched(monitor);
        let distance = |cell: &u32| graph.distance(*cell);
        let heuristic = Recomputed(&distance);
        let problem = Problem::new(&graph, &start).heuristic(&heuristic).limits(&limits);
        let search = problem.best_first(&method.policy).run();
        let (outcome, reason) = Ending::of(&search.outcome);
        let steps = search.solution().map(|solution| &solution.actions);
        let length = steps.map(|steps| {
            let diagonal = steps.iter().filter(|step| **step >= 4).count();
            (steps.len() - diagonal) as f64 + diagonal as f64 * f64::sqrt(2.0)
        });
        OctilePath { outcome, reason, length, steps: steps.map(Vec::len), counts: search.counts }
    }
}

impl Scenario {
    /// Reads a `.scen` file.
    ///
    /// # Errors
    /// Fails at the first line that is not as it should be.
    pub fn read(text: &str) -> Result<Vec<Self>, OctileError> {
        let mut all = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let error = |fault: &str| OctileError { line, fault: fault.to_owned() };
            if line == 1 {
                let is_first = text.trim_start_matches('\u{feff}').trim().starts_with("version");
                is_first.then_some(()).ok_or_else(|| error("expected 'version 1'"))?;
                continue;
            }
            if text.trim().is_empty() {
                continue;
            }
            let words: Vec<&str> = text.split_whitespace().collect();
            let [_, map, numbers @ ..] = &words[..] else {
                return Err(error("a line has nine columns"));
            };
            let [width, height, x, y, to_x, to_y, length] = numbers else {
                return Err(error("a line has nine columns"));
            };
            let number = |text: &str| {
                text.parse::<usize>().map_err(|_| error("the columns after the map are numbers"))
            };
            let length = length.parse::<f64>().ok().filter(|length| length.is_finite());
            let scenario = Self {
                line,
                map: (*map).to_owned(),
                size: (number(width)?, number(height)?),
                start: (number(x)?, number(y)?),
                goal: (number(to_x)?, number(to_y)?),
                length: length.ok_or_else(|| error("the last column is a length"))?,
            };
            all.push(scenario);
        }
        Ok(all)
    }

    /// Checks that the start and the goal are open cells of a map.
    ///
    /// # Errors
    /// Fails if they are not, or if the map has another size.
    pub fn check(&self, map: &OctileMap) -> Result<(), OctileError> {
        let error = |fault: String| Err(OctileError { line: self.line, fault });
        if self.size != map.size() {
            let (cols, rows) = map.size();
            return error(format!("the map has {cols} columns and {rows} rows"));
        }
        for (col, row) in [self.start, self.goal] {
            if col >= map.cols || row >= map.rows || !map.open[row * map.cols + col] {
                return error(format!("{col},{row} is not an open cell of the map"));
            }
        }
        Ok(())
    }
}

/// A map with a goal.
struct OctileGraph<'a> {
    map: &'a OctileMap,
    goal: u32,
}

impl OctileGraph<'_> {
    fn place(&self, cell: u32) -> (isize, isize) {
        let cols = self.map.cols as u32;
        ((cell % cols) as isize, (cell / cols) as isize)
    }

    /// The end of a step, if it is allowed.
    fn step(&self, cell: u32, step: u8) -> Option<u32> {
        let (col, row) = self.place(cell);
        let (right, down) = STEPS[usize::from(step)];
        let open = |col: isize, row: isize| {
            let (cols, rows) = (self.map.cols as isize, self.map.rows as isize);
            let is_inside = (0..cols).contains(&col) && (0..rows).contains(&row);
            let at = || (row * cols + col) as usize;
            (is_inside && self.map.open[at()]).then(|| at() as u32)
        };
        // No corner is cut. For a straight step one of these is the cell itself.
        open(col + right, row)?;
        open(col, row + down)?;
        open(col + right, row + down)
    }

    /// The length of a path without walls.
    fn distance(&self, cell: u32) -> Cost {
        let ((col, row), (to_col, to_row)) = (self.place(cell), self.place(self.goal));
        let (across, down) = (col.abs_diff(to_col) as Cost, row.abs_diff(to_row) as Cost);
        let diagonal = across.min(down);
        diagonal * DIAGONAL + (across.max(down) - diagonal) * STRAIGHT
    }
}

impl StateSpace for OctileGraph<'_> {
    type State = u32;
    type Key = u32;
    type Action = u8;

    fn actions(&self, &cell: &u32, actions: &mut Vec<u8>) {
        actions.extend((0..8).filter(|step| self.step(cell, *step).is_some()));
    }

    fn apply(&self, cell: &mut u32, step: u8) -> Cost {
        *cell = self.step(*cell, step).expect("only open steps are listed");
        if step < 4 { STRAIGHT } else { DIAGONAL }
    }

    fn undo(&self, cell: &mut u32, step: u8) {
        *cell = self.step(*cell, inverse(step)).expect("a step leads back");
    }

    fn inverse(&self, step: u8) -> Option<u8> {
        Some(inverse(step))
    }

    fn key(&self, &cell: &u32) -> u32 {
        cell
    }

    fn state(&self, &cell: &u32) -> u32 {
        cell
    }

    fn is_goal(&self, &cell: &u32) -> bool {
        cell == self.goal
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        STRAIGHT..=DIAGONAL
    }
}

/// The step back: the lists of straight and diagonal steps are symmetrical.
const fn inverse(step: u8) -> u8 {
    if step < 4 { 3 - step } else { 11 - step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_have_inverses() {
        for step in 0..8 {
            let (there, back) = (STEPS[usize::from(step)], STEPS[usize::from(inverse(step))]);
            assert_eq!((there.0 + back.0, there.1 + back.1), (0, 0));
        }
    }
}
