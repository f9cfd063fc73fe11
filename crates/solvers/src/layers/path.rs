//! Moving a tile to a cell, and the mover next to the tile.

use taquin_search::Stop;
use taquin_tiles::{Cell, Move, Slide};

use super::{Label, LayerSolver, OUTSIDE};

/// The memory of the search for a path.
pub(super) struct PathFinder {
    /// The cost of the best path to each cell, and the cell before it.
    reached: Vec<(u64, Cell)>,
    /// The same of the search before.
    reached_before: Vec<(u64, Cell)>,
    /// The last search that reached each cell, so that nothing has to be cleared.
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
const NEAR_DISTANCE: usize = 4;

/// The greatest number of cells between the mover and its target to find the best path in.
const MAX_COMPARED_CELLS: usize = 4000;

/// The most cells on which the mover may make detours. On more cells detours take too long.
const MAX_ROAMED_CELLS: usize = 4096;

/// The cost of a detour move that brings a tile nearer to its goal cell.
const NEARER: u64 = 1;
/// The cost of any other detour move.
const FARTHER: u64 = 24;

impl PathFinder {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            reached: vec![(UNREACHABLE, 0); cells],
            reached_before: vec![(UNREACHABLE, 0); cells],
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
    /// next to these two a free rectangle with at least two rows and columns.
    pub(super) fn place(&mut self, label: Label, target: Cell) -> Result<(), Stop> {
        loop {
            let from = self.at[usize::from(label)];
            if from == target {
                return Ok(());
            }
            let away = self.distance(from, target);
            let ahead = self.neighbours[usize::from(from)].map(|cell| {
                let is_ahead = cell != OUTSIDE
                    && !self.settled[usize::from(cell)]
                    && self.distance(cell, target) < away;
                is_ahead.then_some(cell)
            });
            let mut ahead = ahead.into_iter().flatten();
            match (ahead.next(), ahead.next()) {
                (Some(a), Some(b)) if self.distance(from, self.at[0]) <= NEAR_DISTANCE => {
                    let cost = self.find(a, from);
                    std::mem::swap(&mut self.finder.reached, &mut self.finder.reached_before);
                    let best = if cost <= self.find(b, from) { a } else { b };
                    if self.roams(best) {
                        self.go(best, from)?;
                    } else {
                        if best == a {
                            let PathFinder { reached, reached_before, .. } = &mut self.finder;
                            std::mem::swap(reached, reached_before);
                        }
                        self.walk(best)?;
                    }
                }
                (Some(a), Some(b)) => {
                    let nearest = |&cell: &Cell| self.distance(self.at[0], cell);
                    self.go([a, b].into_iter().min_by_key(nearest).unwrap_or(a), from)?;
                }
                (a, _) => self.go(a.unwrap_or(target), from)?,
            }
            self.step(from)?;
        }
    }

    /// Returns whether detours are considered on the way to `target`.
    fn roams(&self, target: Cell) -> bool {
        self.size.cells() <= MAX_ROAMED_CELLS && self.distance(self.at[0], target) > NEAR_DISTANCE
    }

    /// Moves the mover to `target` without moving the label on `still`.
    pub(super) fn go(&mut self, target: Cell, still: Cell) -> Result<(), Stop> {
        if self.roams(target) {
            self.roam(target, still);
        } else {
            self.approach(target, still)?;
            self.find(target, still);
        }
        self.walk(target)
    }

    /// Moves the mover along the path that was found.
    fn walk(&mut self, target: Cell) -> Result<(), Stop> {
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
            if usize::from(width) * usize::from(height) <= MAX_COMPARED_CELLS {
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

    /// Finds a path for the mover, a straight one if there is one, and returns its cost.
    fn find(&mut self, target: Cell, still: Cell) -> u64 {
        match self.straight(target, still) {
            UNREACHABLE => self.around(target, still),
            cost => cost,
        }
    }

    /// Returns the cost of a step by the mover: one move unless it enters a blank, and a little
    /// less if the tile comes nearer to its goal cell.
    fn cost(&self, from: Cell, to: Cell) -> u64 {
        let label = self.labels[usize::from(to)];
        let [(row, col), (old_row, old_col)] =
            [from, to].map(|cell| self.places[usize::from(cell)]);
        let (home_row, home_col) = self.homes[usize::from(label)];
        let nearer = row.abs_diff(home_row) + col.abs_diff(home_col)
            < old_row.abs_diff(home_row) + old_col.abs_diff(home_col);
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
                    // The tile comes nearer if its goal cell is on the side from which the mover
                    // comes.
                    let label = self.labels[usize::from(cell)];
                    let (home_row, home_col) = self.homes[usize::from(label)];
                    let (row_here, col_here) = self.places[usize::from(cell)];
                    let moves = if label < self.blanks { MOVE } else { 0 };
                    let mut come = |before: Cell, is_nearer: bool| {
                        let spent = self.finder.reached[usize::from(before)].0;
                        if spent != UNREACHABLE {
                            best = best.min((spent + moves + u64::from(!is_nearer), before));
                        }
                    };
                    if col > 0 {
                        let is_nearer =
                            if right { home_col < col_here } else { home_col > col_here };
                        come(if right { cell - 1 } else { cell + 1 }, is_nearer);
                    }
                    if row > 0 {
                        let is_nearer =
                            if down { home_row < row_here } else { home_row > row_here };
                        come(if down { cell - cols } else { cell + cols }, is_nearer);
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
                for neighbour in self.neighbours[usize::from(cell)] {
                    if neighbour == OUTSIDE
                        || neighbour == still
                        || self.settled[usize::from(neighbour)]
                    {
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

    /// Returns the cost of a step on a path with detours.
    fn roaming_cost(&self, from: Cell, to: Cell) -> u64 {
        match self.cost(from, to) {
            0 | 1 => 0,
            MOVE => NEARER,
            _ => FARTHER,
        }
    }

    /// Finds a shortest path around obstacles.
    fn around(&mut self, target: Cell, still: Cell) -> u64 {
        let start = self.at[0];
        // Mostly there is one with a single detour. Looking for that first visits fewer cells, and
        // the path is the same: every cell of such a path is visited in the same order.
        let detour = self.distance(start, target) + 2;
        if !self.flood(target, still, detour) && !self.flood(target, still, usize::MAX) {
            return UNREACHABLE;
        }
        let (mut cost, mut cell) = (0, target);
        while cell != start {
            let before = self.finder.reached[usize::from(cell)].1;
            cost += self.cost(before, cell);
            cell = before;
        }
        cost
    }

    /// Visits cells breadth-first that may be on a path of at most `most` moves. Returns whether
    /// the target was reached.
    fn flood(&mut self, target: Cell, still: Cell, most: usize) -> bool {
        let start = self.at[0];
        let (last_row, last_col) = self.places[usize::from(target)];
        self.finder.searches += 1;
        let Self { finder, neighbours, places, settled, .. } = self;
        let PathFinder { reached, seen, searches, queue, .. } = finder;
        queue.clear();
        queue.push(start);
        seen[usize::from(start)] = *searches;
        reached[usize::from(start)].0 = 0;
        let mut next = 0;
        while let Some(&cell) = queue.get(next)
            && cell != target
        {
            next += 1;
            let moves = reached[usize::from(cell)].0 + 1;
            for neighbour in neighbours[usize::from(cell)] {
                if neighbour == OUTSIDE
                    || seen[usize::from(neighbour)] == *searches
                    || neighbour == still
                    || settled[usize::from(neighbour)]
                {
                    continue;
                }
                let (row, col) = places[usize::from(neighbour)];
                let away = row.abs_diff(last_row) + col.abs_diff(last_col);
                if moves as usize + usize::from(away) <= most {
                    seen[usize::from(neighbour)] = *searches;
                    reached[usize::from(neighbour)] = (moves, cell);
                    queue.push(neighbour);
                }
            }
        }
        seen[usize::from(target)] == *searches
    }
}
