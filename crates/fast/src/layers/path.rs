//! Moving a tile to a cell, and the mover next to the tile.

use taquin_search::Stop;
use taquin_tiles::{Cell, Move, Slide};

use super::{Label, LayerSolver};

/// The memory of the search for a path.
pub(super) struct PathFinder {
    /// The cost of the best path to each cell, and the cell before it.
    reached: Vec<(u64, Cell)>,
    /// The number of the last search that reached each cell, so that nothing has to be cleared.
    seen: Vec<u32>,
    searches: u32,
    queue: Vec<Cell>,
    path: Vec<Cell>,
    /// The cells to expand, by the cost of the path to them.
    buckets: Vec<Vec<Cell>>,
}

const UNREACHABLE: u64 = u64::MAX;

/// The cost of a move, compared with which it matters little whether a tile comes nearer.
const MOVE: u64 = 1 << 24;

/// The greatest distance of the mover from a tile at which its paths around it are compared.
const NEAR: usize = 4;

/// The greatest number of cells between the mover and its target to find the best path in.
const COMPARED: usize = 4000;

/// The greatest number of cells on which the mover may make detours; on more it takes too long.
const ROAMED: usize = 4096;

/// The cost of a move of a detour that brings a tile nearer to its goal cell.
const NEARER: u64 = 1;
/// The cost of any other move of a detour.
const FARTHER: u64 = 24;

impl PathFinder {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            reached: vec![(UNREACHABLE, 0); cells],
            seen: vec![0; cells],
            searches: 0,
            queue: Vec::new(),
            path: Vec::new(),
            buckets: vec![Vec::new(); FARTHER as usize + 1],
        }
    }
}

impl LayerSolver<'_> {
    /// Moves a label to a cell, around settled cells. A free cell has to be next to the target, and
    /// next to these two a free rectangle of at least two rows and columns.
    pub(super) fn place(&mut self, label: Label, target: Cell) -> Result<(), Stop> {
        loop {
            let from = self.at[usize::from(label)];
            if from == target {
                return Ok(());
            }
            let away = self.distance(from, target);
            let ahead = Move::ALL.map(|step| {
                self.neighbour(from, step).filter(|&cell| {
                    !self.settled[usize::from(cell)] && self.distance(cell, target) < away
                })
            });
            let mut ahead = ahead.into_iter().flatten();
            let best = match (ahead.next(), ahead.next()) {
                (Some(a), Some(b)) if self.distance(from, self.at[0]) <= NEAR => {
                    if self.find(a, from) <= self.find(b, from) { a } else { b }
                }
                (Some(a), Some(b)) => {
                    let nearest = |&cell: &Cell| self.distance(self.at[0], cell);
                    [a, b].into_iter().min_by_key(nearest).unwrap_or(a)
                }
                (a, _) => a.unwrap_or(target),
            };
            self.go(best, from)?;
            self.step(from)?;
        }
    }

    /// Moves the mover to `target` without moving the label on `still`.
    pub(super) fn go(&mut self, target: Cell, still: Cell) -> Result<(), Stop> {
        if self.size.cells() <= ROAMED && self.distance(self.at[0], target) > NEAR {
            self.roam(target, still);
        } else {
            self.approach(target, still)?;
            self.find(target, still);
        }
        let mut path = std::mem::take(&mut self.finder.path);
        path.clear();
        let mut cell = target;
        while cell != self.at[0] {
            path.push(cell);
            cell = self.finder.reached[usize::from(cell)].1;
        }
        let result = path.iter().rev().try_for_each(|&cell| self.step(cell));
        self.finder.path = path;
        result
    }

    /// Moves the mover greedily towards a distant cell, until it is near enough to compare whole
    /// paths.
    fn approach(&mut self, target: Cell, still: Cell) -> Result<(), Stop> {
        loop {
            let start = self.at[0];
            let [(row, col), (last_row, last_col)] =
                [start, target].map(|cell| self.places[usize::from(cell)]);
            let (width, height) = (last_col.abs_diff(col), last_row.abs_diff(row));
            if usize::from(width) * usize::from(height) <= COMPARED {
                return Ok(());
            }
            let steps = [
                if last_col > col { Move::Right } else { Move::Left },
                if last_row > row { Move::Down } else { Move::Up },
            ];
            let cells = steps.map(|step| Slide { blank: start, step }.target(self.size));
            let free = |&cell: &Cell| cell != still && !self.settled[usize::from(cell)];
            let Some(cell) =
                cells.into_iter().filter(free).min_by_key(|&cell| self.cost(start, cell))
            else {
                return Ok(());
            };
            self.step(cell)?;
        }
    }

    /// Returns the cell a step from another, if it is on the board.
    fn neighbour(&self, cell: Cell, step: Move) -> Option<Cell> {
        let (row, col) = self.places[usize::from(cell)];
        let inside = match step {
            Move::Up => row > 0,
            Move::Left => col > 0,
            Move::Right => usize::from(col) + 1 < self.size.cols(),
            Move::Down => usize::from(row) + 1 < self.size.rows(),
        };
        inside.then(|| Slide { blank: cell, step }.target(self.size))
    }

    /// Finds a path for the mover, a straight one if there is one, and returns its cost.
    fn find(&mut self, target: Cell, still: Cell) -> u64 {
        match self.straight(target, still) {
            UNREACHABLE => self.around(target, still),
            cost => cost,
        }
    }

    /// Returns the cost of a step of the mover: a move, unless it is onto a blank, and a little
    /// less if the tile comes nearer to its goal cell.
    fn cost(&self, from: Cell, to: Cell) -> u64 {
        let label = self.labels[usize::from(to)];
        let home = self.home[usize::from(label)];
        let nearer = self.distance(from, home) < self.distance(to, home);
        let moves = if label < self.blanks { MOVE } else { 0 };
        moves + u64::from(!nearer)
    }

    /// Finds the cheapest path that never moves away from the target, row by row.
    fn straight(&mut self, target: Cell, still: Cell) -> u64 {
        let start = self.at[0];
        let cols = self.size.cols() as Cell;
        let [(row, col), (last_row, last_col)] =
            [start, target].map(|cell| self.places[usize::from(cell)]);
        let (right, down) = (last_col >= col, last_row >= row);
        let (width, height) = (last_col.abs_diff(col), last_row.abs_diff(row));
        let across = |cell: Cell| if right { cell + 1 } else { cell.wrapping_sub(1) };
        let along = |cell: Cell| if down { cell + cols } else { cell.wrapping_sub(cols) };
        let mut first = start;
        for row in 0..=height {
            let mut cell = first;
            for col in 0..=width {
                let mut best = (UNREACHABLE, start);
                if cell == start {
                    best.0 = 0;
                } else if cell != still && !self.settled[usize::from(cell)] {
                    let neighbour = (col > 0).then(|| if right { cell - 1 } else { cell + 1 });
                    let above = (row > 0).then(|| if down { cell - cols } else { cell + cols });
                    for before in [neighbour, above].into_iter().flatten() {
                        let spent = self.finder.reached[usize::from(before)].0;
                        if spent != UNREACHABLE {
                            best = best.min((spent + self.cost(before, cell), before));
                        }
                    }
                }
                self.finder.reached[usize::from(cell)] = best;
                if col < width {
                    cell = across(cell);
                }
            }
            if row < height {
                first = along(first);
            }
        }
        self.finder.reached[usize::from(target)].0
    }

    /// Finds the cheapest path if a move that brings a tile nearer to its goal cell costs less than
    /// another: a path may be longer than necessary if it puts more tiles in order.
    fn roam(&mut self, target: Cell, still: Cell) {
        self.finder.searches += 1;
        let search = self.finder.searches;
        let mut buckets = std::mem::take(&mut self.finder.buckets);
        buckets.iter_mut().for_each(Vec::clear);
        let start = self.at[0];
        self.finder.seen[usize::from(start)] = search;
        self.finder.reached[usize::from(start)] = (0, start);
        buckets[0].push(start);
        let mut cost = 0;
        'search: loop {
            let bucket = cost as usize % buckets.len();
            while let Some(cell) = buckets[bucket].pop() {
                if self.finder.reached[usize::from(cell)].0 != cost {
                    continue;
                }
                if cell == target {
                    break 'search;
                }
                for step in Move::ALL {
                    let Some(neighbour) = self.neighbour(cell, step) else { continue };
                    if neighbour == still || self.settled[usize::from(neighbour)] {
                        continue;
                    }
                    let total = cost + self.roaming_cost(cell, neighbour);
                    let known = self.finder.seen[usize::from(neighbour)] == search;
                    if !known || total < self.finder.reached[usize::from(neighbour)].0 {
                        self.finder.seen[usize::from(neighbour)] = search;
                        self.finder.reached[usize::from(neighbour)] = (total, cell);
                        let next = total as usize % buckets.len();
                        buckets[next].push(neighbour);
                    }
                }
            }
            cost += 1;
        }
        self.finder.buckets = buckets;
    }

    /// Returns the cost of a step of a path with detours.
    fn roaming_cost(&self, from: Cell, to: Cell) -> u64 {
        match self.cost(from, to) {
            0 | 1 => 0,
            MOVE => NEARER,
            _ => FARTHER,
        }
    }

    /// Finds a shortest path around obstacles.
    fn around(&mut self, target: Cell, still: Cell) -> u64 {
        let mut queue = std::mem::take(&mut self.finder.queue);
        queue.clear();
        queue.push(self.at[0]);
        self.finder.searches += 1;
        let search = self.finder.searches;
        self.finder.seen[usize::from(self.at[0])] = search;
        self.finder.reached[usize::from(self.at[0])].0 = 0;
        self.finder.reached[usize::from(target)].0 = UNREACHABLE;
        let mut next = 0;
        while let Some(&cell) = queue.get(next)
            && cell != target
        {
            next += 1;
            let spent = self.finder.reached[usize::from(cell)].0;
            for step in Move::ALL {
                let Some(neighbour) = self.neighbour(cell, step) else { continue };
                let known = self.finder.seen[usize::from(neighbour)] == search;
                if !known && neighbour != still && !self.settled[usize::from(neighbour)] {
                    self.finder.seen[usize::from(neighbour)] = search;
                    self.finder.reached[usize::from(neighbour)] =
                        (spent + self.cost(cell, neighbour), cell);
                    queue.push(neighbour);
                }
            }
        }
        self.finder.queue = queue;
        self.finder.reached[usize::from(target)].0
    }
}
