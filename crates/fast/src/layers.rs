//! An answer for any board, by construction: row after row and column after column, from the outside
//! inwards, in a time that is proportional to the length of the answer.
//!
//! The board is solved for one blank, the mover; other blanks are tiles like any other but for the
//! moves onto them, which cost nothing and are left out. What is left of the board is a rectangle that
//! holds the mover's goal. One of its sides is filled from both ends, tile by tile; the last two tiles
//! of a side go in together, since a single cell between settled ones is a dead end. The last six
//! cells or fewer are searched.
//!
//! A tile goes diagonally as long as it can (three moves a step) and then straight (five). Where the
//! mover has a choice of ways, it takes the one on which the tiles it passes come nearest to their
//! own places.

mod line;
mod way;
mod window;

use std::time::Instant;

use taquin_search::{Cost, Counts, Limits, Outcome, Search, Solution, Stop};
use taquin_tiles::{Board, Cell, Move, Puzzle, Size, Slide, Tile, is_reachable};

use way::Finder;

/// Solves a board by construction: with at most about 5n³ moves on a board of n by n, and without a
/// search, so that nothing is counted. The lower bound is the Manhattan distance.
pub fn layers(puzzle: &Puzzle, limits: &Limits) -> Search<Slide> {
    let mut counts = Counts::default();
    let outcome = match is_reachable(puzzle) {
        false => Outcome::Exhausted,
        true => match slides(puzzle, limits) {
            Ok(actions) => {
                counts.memory_peak = (actions.capacity() * size_of::<Slide>()) as u64;
                let cost = actions.len() as Cost;
                Outcome::Solved(Solution { actions, cost })
            }
            Err(stop) => Outcome::Stopped(stop),
        },
    };
    Search { outcome, lower_bound: manhattan(puzzle), counts, before_last_bound: None }
}

/// The sum of the distances of the tiles to their places.
pub(crate) fn manhattan(puzzle: &Puzzle) -> Cost {
    let homes = puzzle.goal().positions();
    let away = |(cell, &tile): (Cell, &Tile)| match tile {
        0 => 0,
        _ => puzzle.size().distance(cell, homes[usize::from(tile)]) as Cost,
    };
    (0..).zip(puzzle.start().tiles()).map(away).sum()
}

/// The moves from the start to the goal, which has to be reachable.
pub(crate) fn slides(puzzle: &Puzzle, limits: &Limits) -> Result<Vec<Slide>, Stop> {
    let track = Track::new(limits);
    if puzzle.size().is_line() {
        return line::slides(puzzle, track);
    }
    let mut layers = Layers::new(puzzle, track);
    layers.solve()?;
    Ok(layers.track.slides)
}

/// The moves so far, and how many there may be.
struct Track<'a> {
    slides: Vec<Slide>,
    limits: &'a Limits,
    started: Instant,
}

/// How many moves are made between two looks at the clock.
const POLL: usize = 1 << 14;

impl<'a> Track<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self { slides: Vec::new(), limits, started: Instant::now() }
    }

    fn push(&mut self, slide: Slide) -> Result<(), Stop> {
        if self.slides.len().is_multiple_of(POLL) {
            self.look()?;
        }
        self.slides.push(slide);
        Ok(())
    }

    #[cold]
    fn look(&self) -> Result<(), Stop> {
        // A vector that grows holds its old and its new place for a moment.
        let bytes = (self.slides.len() + POLL) * 3 * size_of::<Slide>();
        let Limits { memory, time, monitor, .. } = self.limits;
        match () {
            () if memory.is_some_and(|most| bytes as u64 > most) => Err(Stop::Memory),
            () if monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled()) => {
                Err(Stop::Cancelled)
            }
            () if time.is_some_and(|most| self.started.elapsed() >= most) => Err(Stop::Time),
            () => Ok(()),
        }
    }
}

/// A name for what stands on a cell: the mover is 0, tiles have their numbers, and the other blanks
/// the numbers after them.
type Label = u16;

const MOVER: Label = 0;

/// The rows and columns that are not settled yet, the last ones included.
#[derive(Clone, Copy, Debug)]
struct Area {
    top: usize,
    bottom: usize,
    left: usize,
    right: usize,
}

impl Area {
    const fn rows(&self) -> usize {
        self.bottom + 1 - self.top
    }

    const fn cols(&self) -> usize {
        self.right + 1 - self.left
    }
}

/// A side of the area: towards where it lies.
type Side = Move;

struct Layers<'a> {
    size: Size,
    /// The label on each cell, and the cell of each label.
    labels: Vec<Label>,
    at: Vec<Cell>,
    /// The label that belongs on each cell, and the cell where each label belongs.
    goal: Vec<Label>,
    home: Vec<Cell>,
    /// Labels from here on are blanks.
    blanks: Label,
    area: Area,
    /// Cells of the area that are settled.
    settled: Vec<bool>,
    track: Track<'a>,
    /// The row and the column of each cell: divisions would take most of the time.
    places: Vec<(u16, u16)>,
    finder: Finder,
}

impl<'a> Layers<'a> {
    fn new(puzzle: &Puzzle, track: Track<'a>) -> Self {
        let size = puzzle.size();
        let mut layers = Self {
            size,
            labels: Vec::new(),
            at: vec![0; size.cells()],
            goal: vec![0; size.cells()],
            home: vec![0; size.cells()],
            blanks: (size.cells() - puzzle.start().blanks().count() + 1) as Label,
            area: Area { top: 0, bottom: size.rows() - 1, left: 0, right: size.cols() - 1 },
            settled: vec![false; size.cells()],
            track,
            places: (0..size.cells() as Cell)
                .map(|cell| (size.row(cell) as u16, size.col(cell) as u16))
                .collect(),
            finder: Finder::new(size.cells()),
        };
        layers.name(puzzle.start(), puzzle.goal());
        for (&cell, label) in layers.home.iter().zip(0..) {
            layers.goal[usize::from(cell)] = label;
        }
        layers
    }

    /// Gives labels to the blanks such that the mover alone can reach the goal.
    fn name(&mut self, start: &Board, goal: &Board) {
        let mut free: Vec<Cell> = start.blanks().collect();
        self.labels = start.tiles().to_vec();
        for (cell, &tile) in (0..).zip(goal.tiles()) {
            self.home[usize::from(tile)] = cell;
        }
        // Each blank of the goal takes the nearest one that is left; the mover's is the one nearest to
        // the middle, where the last tiles are put in order.
        let mut goals: Vec<Cell> = goal.blanks().collect();
        let (row, col) = (self.size.rows() / 2, self.size.cols() / 2);
        let middle = (row * self.size.cols() + col) as Cell;
        goals.sort_by_key(|&cell| self.distance(cell, middle));
        for (&goal, number) in goals.iter().zip(0..) {
            let label = if number == 0 { MOVER } else { self.blanks + number - 1 };
            let nearest = (0..free.len()).min_by_key(|&at| self.distance(free[at], goal));
            let cell = free.swap_remove(nearest.expect("as many blanks as in the goal"));
            self.labels[usize::from(cell)] = label;
            self.home[usize::from(label)] = goal;
        }
        for (cell, &label) in (0..).zip(&self.labels) {
            self.at[usize::from(label)] = cell;
        }
        if !self.is_even() {
            self.repair(&goals);
        }
    }

    /// Whether the mover alone can reach the goal: the permutation has the parity of its way.
    fn is_even(&self) -> bool {
        let mut seen = vec![false; self.labels.len()];
        let mut odd = self.distance(self.at[0], self.home[0]) % 2 == 1;
        for first in 0..seen.len() {
            let mut cell = first;
            // A cycle of n cells is n - 1 exchanges.
            while !std::mem::replace(&mut seen[cell], true) {
                cell = usize::from(self.home[usize::from(self.labels[cell])]);
                odd ^= cell != first;
            }
        }
        !odd
    }

    /// Exchanges the labels of two blanks on cells of the same colour, which changes the parity.
    fn repair(&mut self, goals: &[Cell]) {
        let colour = |cell: Cell| (self.size.row(cell) + self.size.col(cell)) % 2;
        let number = |index: usize| match index {
            0 => MOVER,
            _ => self.blanks + index as Label - 1,
        };
        let pairs = || (1..goals.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        if let Some((a, b)) = pairs().find(|&(a, b)| colour(goals[a]) == colour(goals[b])) {
            self.home.swap(number(a).into(), number(b).into());
            return;
        }
        // The goal has two blanks on cells of different colours. Where the start has, too, a move of
        // one makes them the same.
        let other = number(1);
        let mover = self.at[0];
        if colour(mover) != colour(self.at[usize::from(other)]) {
            let tile = |&cell: &Cell| self.labels[usize::from(cell)] != other;
            let mut beside = Move::ALL.into_iter().filter_map(|step| step.target(self.size, mover));
            let Some(cell) = beside.find(tile) else { return };
            // The first move of the answer meets no limit but one that the second meets as well.
            let _ = self.step(cell);
        }
        let [a, b] = [MOVER, other].map(|label| self.at[usize::from(label)]);
        self.labels.swap(a.into(), b.into());
        self.at.swap(MOVER.into(), other.into());
    }

    fn solve(&mut self) -> Result<(), Stop> {
        while let Some(side) = self.side() {
            self.fill(side)?;
            match side {
                Move::Up => self.area.top += 1,
                Move::Down => self.area.bottom -= 1,
                Move::Left => self.area.left += 1,
                Move::Right => self.area.right -= 1,
            }
        }
        let Area { top, bottom, left, right } = self.area;
        let cell = |row: usize, col| (row * self.size.cols() + col) as Cell;
        let rest: Vec<Cell> =
            (top..=bottom).flat_map(|row| (left..=right).map(move |col| cell(row, col))).collect();
        self.search(&rest, &rest)
    }

    /// The next side to fill: one of the longer dimension, away from the mover's goal, whose tiles
    /// are nearest; none when what is left can be searched.
    fn side(&self) -> Option<Side> {
        let (rows, cols) = (self.area.rows(), self.area.cols());
        if rows * cols <= window::CELLS {
            return None;
        }
        let goal = self.home[0];
        let may = |side: &Side| match side {
            Move::Up => rows >= cols && self.size.row(goal) != self.area.top,
            Move::Down => rows >= cols && self.size.row(goal) != self.area.bottom,
            Move::Left => cols >= rows && self.size.col(goal) != self.area.left,
            Move::Right => cols >= rows && self.size.col(goal) != self.area.right,
        };
        let away = |side: &Side| -> usize {
            let away = |&cell: &Cell| self.distance(cell, self.at_of(cell));
            self.cells(*side).iter().map(away).sum()
        };
        Move::ALL.into_iter().filter(may).min_by_key(away)
    }

    /// The cells of a side in their order.
    fn cells(&self, side: Side) -> Vec<Cell> {
        let Area { top, bottom, left, right } = self.area;
        let cell = |row, col| (row * self.size.cols() + col) as Cell;
        match side {
            Move::Up => (left..=right).map(|col| cell(top, col)).collect(),
            Move::Down => (left..=right).map(|col| cell(bottom, col)).collect(),
            Move::Left => (top..=bottom).map(|row| cell(row, left)).collect(),
            Move::Right => (top..=bottom).map(|row| cell(row, right)).collect(),
        }
    }

    /// The number of steps between two cells.
    fn distance(&self, a: Cell, b: Cell) -> usize {
        let [(row, col), (other_row, other_col)] =
            [a, b].map(|cell| self.places[usize::from(cell)]);
        (row.abs_diff(other_row) + col.abs_diff(other_col)).into()
    }

    /// Where the label stands that belongs on a cell.
    fn at_of(&self, cell: Cell) -> Cell {
        self.at[usize::from(self.goal[usize::from(cell)])]
    }

    /// Settles the cells of a side.
    fn fill(&mut self, side: Side) -> Result<(), Stop> {
        let cells = self.cells(side);
        let mut open = &cells[..];
        while let [first, .., last] = *open
            && open.len() > 2
        {
            // The end whose tile is nearer to the mover and to its place.
            let price = |cell: Cell| {
                let from = self.at_of(cell);
                3 * self.distance(from, cell) + self.distance(self.at[0], from)
            };
            let cell = if price(last) < price(first) { last } else { first };
            open = if cell == last { &open[..open.len() - 1] } else { &open[1..] };
            self.place(self.goal[usize::from(cell)], cell)?;
            self.settled[usize::from(cell)] = true;
        }
        if let &[a, b] = open {
            self.pair(a, b, side)?;
        }
        Ok(())
    }

    /// Settles the last two cells of a side.
    fn pair(&mut self, a: Cell, b: Cell, side: Side) -> Result<(), Stop> {
        let inwards = side.opposite();
        let deeper = |cell: Cell| Slide { blank: cell, step: inwards }.target(self.size);
        let (below_a, below_b) = (deeper(a), deeper(b));
        let window = [a, b, below_a, below_b, deeper(below_a), deeper(below_b)];
        let second = self.goal[usize::from(b)];
        self.place(self.goal[usize::from(a)], a)?;
        self.settled[usize::from(a)] = true;
        if self.at[usize::from(second)] != b {
            self.place(second, below_b)?;
            if !window.contains(&self.at[0]) {
                self.go(below_a, below_b)?;
            }
            self.search(&window, &[a, b])?;
        }
        self.settled[usize::from(b)] = true;
        Ok(())
    }

    /// Moves the mover to a cell beside it.
    fn step(&mut self, to: Cell) -> Result<(), Stop> {
        let from = self.at[0];
        let label = self.labels[usize::from(to)];
        self.labels.swap(from.into(), to.into());
        self.at[usize::from(label)] = from;
        self.at[0] = to;
        if label >= self.blanks {
            return Ok(());
        }
        let step = match to {
            to if to == from + 1 => Move::Right,
            to if to + 1 == from => Move::Left,
            to if to > from => Move::Down,
            _ => Move::Up,
        };
        self.track.push(Slide { blank: from, step })
    }
}

#[cfg(test)]
mod tests;
