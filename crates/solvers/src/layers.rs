//! A solution for any board by construction: row by row and column by column, from the outside
//! inwards, in time proportional to the length of the solution.
//!
//! The board is solved for one blank, the mover. Other blanks are treated as tiles, except that
//! moves onto them cost nothing and are omitted. The unsettled cells form a rectangle with the
//! mover's goal. One of its sides is filled from both ends, tile by tile. A side's last two tiles
//! are placed together, because a single cell between settled ones is a dead end. The last six
//! cells or fewer are searched.
//!
//! A tile moves diagonally while it can (three moves a step), then straight (five moves a step).
//! Among several paths the mover takes the one on which the tiles it passes come nearest to their
//! own goal cells.

mod line;
mod path;
mod window;

use taquin_search::{Cost, Counts, Instant, Limits, Outcome, Search, Solution, Stop};
use taquin_tiles::{Board, Cell, Move, Puzzle, Size, Slide, is_reachable};

use path::PathFinder;

/// Solves a board by construction, with at most about 5n³ moves on an n by n board. Without a
/// search, nothing is counted, and the lower bound is 0.
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
    Search { outcome, lower_bound: 0, counts, before_last_bound: None }
}

/// Returns the moves from the start to the goal, which must be reachable.
pub(crate) fn slides(puzzle: &Puzzle, limits: &Limits) -> Result<Vec<Slide>, Stop> {
    let moves = MoveList::new(limits);
    if puzzle.size().is_line() {
        return line::slides(puzzle, moves);
    }
    let mut layers = LayerSolver::new(puzzle, moves);
    layers.solve()?;
    Ok(layers.moves.slides)
}

/// The moves so far, within the limits.
struct MoveList<'a> {
    slides: Vec<Slide>,
    limits: &'a Limits,
    started: Instant,
}

/// The number of moves between two polls.
const POLL_INTERVAL: usize = 1 << 14;

impl<'a> MoveList<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self { slides: Vec::new(), limits, started: Instant::now() }
    }

    fn push(&mut self, slide: Slide) -> Result<(), Stop> {
        if self.slides.len().is_multiple_of(POLL_INTERVAL) {
            self.poll()?;
        }
        self.slides.push(slide);
        Ok(())
    }

    #[cold]
    fn poll(&self) -> Result<(), Stop> {
        // A vector that grows briefly holds its old and its new memory.
        let bytes = (self.slides.len() + POLL_INTERVAL) * 3 * size_of::<Slide>();
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

/// A cell's content: 0 for the mover, a tile's number, or a greater number for each other blank.
type Label = u16;

const MOVER: Label = 0;

/// No cell: a board has fewer.
const OUTSIDE: Cell = Cell::MAX;

/// The rows and columns that are not settled yet, both ends included.
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

struct LayerSolver<'a> {
    size: Size,
    /// The label on each cell.
    labels: Vec<Label>,
    /// The cell of each label.
    at: Vec<Cell>,
    /// The label of each cell in the goal.
    goal: Vec<Label>,
    /// The goal cell of each label.
    home: Vec<Cell>,
    /// The first label of a blank other than the mover.
    blanks: Label,
    area: Area,
    /// Whether each cell of the area is settled.
    settled: Vec<bool>,
    moves: MoveList<'a>,
    /// Each cell's row and column; computing them would take most of the time.
    places: Vec<(u16, u16)>,
    /// The row and column of each label's goal cell.
    homes: Vec<(u16, u16)>,
    /// Each cell's neighbours in move order, [`OUTSIDE`] beyond an edge.
    neighbours: Vec<[Cell; 4]>,
    finder: PathFinder,
}

impl<'a> LayerSolver<'a> {
    fn new(puzzle: &Puzzle, moves: MoveList<'a>) -> Self {
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
            moves,
            places: (0..size.cells() as Cell)
                .map(|cell| (size.row(cell) as u16, size.col(cell) as u16))
                .collect(),
            homes: Vec::new(),
            neighbours: (0..size.cells() as Cell)
                .map(|cell| Move::ALL.map(|step| step.target(size, cell).unwrap_or(OUTSIDE)))
                .collect(),
            finder: PathFinder::new(size.cells()),
        };
        layers.name(puzzle.start(), puzzle.goal());
        layers.homes = layers.home.iter().map(|&home| layers.places[usize::from(home)]).collect();
        for (&cell, label) in layers.home.iter().zip(0..) {
            layers.goal[usize::from(cell)] = label;
        }
        layers
    }

    /// Labels the blanks so that the mover alone can reach the goal.
    fn name(&mut self, start: &Board, goal: &Board) {
        let mut free: Vec<Cell> = start.blanks().collect();
        self.labels = start.tiles().to_vec();
        for (cell, &tile) in (0..).zip(goal.tiles()) {
            self.home[usize::from(tile)] = cell;
        }
        // Each blank in the goal gets the nearest remaining blank. The mover's goal is the blank
        // nearest to the middle, where the last tiles are placed.
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

    /// Returns whether the mover alone can reach the goal: whether the permutation and its distance
    /// have the same parity.
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

    /// Exchanges the labels of two blanks on cells with the same colour, which changes the parity.
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
        // The goal has two blanks on cells with different colours. If the start has as well, moving
        // one of them makes the colours equal.
        let other = number(1);
        let mover = self.at[0];
        if colour(mover) != colour(self.at[usize::from(other)]) {
            let tile = |&cell: &Cell| self.labels[usize::from(cell)] != other;
            let mut targets =
                Move::ALL.into_iter().filter_map(|step| step.target(self.size, mover));
            let Some(cell) = targets.find(tile) else { return };
            // If the first move reaches a limit, the second does as well.
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

    /// Returns the next side to fill: a side of the longer dimension without the mover's goal whose
    /// tiles are nearest. Returns `None` if the rest can be searched.
    fn side(&self) -> Option<Move> {
        let (rows, cols) = (self.area.rows(), self.area.cols());
        if rows * cols <= window::CELLS {
            return None;
        }
        let goal = self.home[0];
        let may = |side: &Move| match side {
            Move::Up => rows >= cols && self.size.row(goal) != self.area.top,
            Move::Down => rows >= cols && self.size.row(goal) != self.area.bottom,
            Move::Left => cols >= rows && self.size.col(goal) != self.area.left,
            Move::Right => cols >= rows && self.size.col(goal) != self.area.right,
        };
        let away = |side: &Move| -> usize {
            let away = |&cell: &Cell| self.distance(cell, self.at_of(cell));
            self.cells(*side).iter().map(away).sum()
        };
        Move::ALL.into_iter().filter(may).min_by_key(away)
    }

    /// Returns the cells of a side in order.
    fn cells(&self, side: Move) -> Vec<Cell> {
        let Area { top, bottom, left, right } = self.area;
        let cell = |row, col| (row * self.size.cols() + col) as Cell;
        match side {
            Move::Up => (left..=right).map(|col| cell(top, col)).collect(),
            Move::Down => (left..=right).map(|col| cell(bottom, col)).collect(),
            Move::Left => (top..=bottom).map(|row| cell(row, left)).collect(),
            Move::Right => (top..=bottom).map(|row| cell(row, right)).collect(),
        }
    }

    /// Returns the number of steps between two cells.
    fn distance(&self, a: Cell, b: Cell) -> usize {
        let [(row, col), (other_row, other_col)] =
            [a, b].map(|cell| self.places[usize::from(cell)]);
        (row.abs_diff(other_row) + col.abs_diff(other_col)).into()
    }

    /// Returns the label whose goal is `cell`.
    fn at_of(&self, cell: Cell) -> Cell {
        self.at[usize::from(self.goal[usize::from(cell)])]
    }

    /// Settles the cells of a side.
    fn fill(&mut self, side: Move) -> Result<(), Stop> {
        let cells = self.cells(side);
        let mut open = &cells[..];
        while let [first, .., last] = *open
            && open.len() > 2
        {
            // The end whose tile is nearer to the mover and to its goal cell.
            let cost = |cell: Cell| {
                let from = self.at_of(cell);
                3 * self.distance(from, cell) + self.distance(self.at[0], from)
            };
            let cell = if cost(last) < cost(first) { last } else { first };
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
    fn pair(&mut self, a: Cell, b: Cell, side: Move) -> Result<(), Stop> {
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

    /// Moves the mover to an adjacent cell.
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
        self.moves.push(Slide { blank: from, step })
    }
}
