//! Bringing a tile to a cell, and the mover to where it is needed.

use taquin_search::Stop;
use taquin_tiles::{Cell, Move, Slide};

use super::{Label, Layers};

/// What the search for a way needs.
pub(super) struct Finder {
    /// The price of the best way to each cell, and the cell before it on that way.
    reached: Vec<(u64, Cell)>,
    /// The search that reached each cell last, so that nothing has to be cleared.
    seen: Vec<u32>,
    searches: u32,
    queue: Vec<Cell>,
    way: Vec<Cell>,
    /// The cells whose neighbours are still to be looked at, by what the way to them costs.
    buckets: Vec<Vec<Cell>>,
}

const NEVER: u64 = u64::MAX;

/// What a move costs, beside which it weighs little whether it brings a tile nearer.
const MOVE: u64 = 1 << 24;

/// How far the mover may be from a tile for its ways around it to be compared.
const NEAR: usize = 4;

/// The most cells between the mover and its target among whose ways the best is looked for.
const COMPARED: usize = 4000;

/// On boards of up to so many cells the mover may go out of its way; beyond, that takes too long.
const ROAMED: usize = 4096;

/// What a move costs there that brings a tile nearer to its place, and one that does not.
const NEARER: u64 = 1;
const FARTHER: u64 = 24;

impl Finder {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            reached: vec![(NEVER, 0); cells],
            seen: vec![0; cells],
            searches: 0,
            queue: Vec::new(),
            way: Vec::new(),
            buckets: vec![Vec::new(); FARTHER as usize + 1],
        }
    }
}

impl Layers<'_> {
    /// Brings a label to a cell, past what is settled. There has to be a free cell beside the target,
    /// and beyond these two a free rectangle of two rows and columns or more.
    pub(super) fn place(&mut self, label: Label, target: Cell) -> Result<(), Stop> {
        loop {
            let from = self.at[usize::from(label)];
            if from == target {
                return Ok(());
            }
            let away = self.distance(from, target);
            let ahead = Move::ALL.map(|step| {
                self.beside(from, step).filter(|&cell| {
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

    /// Brings the mover to a cell without moving what stands on another.
    pub(super) fn go(&mut self, target: Cell, still: Cell) -> Result<(), Stop> {
        if self.size.cells() <= ROAMED && self.distance(self.at[0], target) > NEAR {
            self.roam(target, still);
        } else {
            self.approach(target, still)?;
            self.find(target, still);
        }
        let mut way = std::mem::take(&mut self.finder.way);
        way.clear();
        let mut cell = target;
        while cell != self.at[0] {
            way.push(cell);
            cell = self.finder.reached[usize::from(cell)].1;
        }
        let result = way.iter().rev().try_for_each(|&cell| self.step(cell));
        self.finder.way = way;
        result
    }

    /// Goes towards a cell that is far away, by the steps that look best, until it is worth while to
    /// compare whole ways.
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
                cells.into_iter().filter(free).min_by_key(|&cell| self.price(start, cell))
            else {
                return Ok(());
            };
            self.step(cell)?;
        }
    }

    /// The cell beside another, if it is on the board.
    fn beside(&self, cell: Cell, step: Move) -> Option<Cell> {
        let (row, col) = self.places[usize::from(cell)];
        let inside = match step {
            Move::Up => row > 0,
            Move::Left => col > 0,
            Move::Right => usize::from(col) + 1 < self.size.cols(),
            Move::Down => usize::from(row) + 1 < self.size.rows(),
        };
        inside.then(|| Slide { blank: cell, step }.target(self.size))
    }

    /// Finds a way for the mover and says what it costs: straight if there is one.
    fn find(&mut self, target: Cell, still: Cell) -> u64 {
        match self.straight(target, still) {
            NEVER => self.around(target, still),
            price => price,
        }
    }

    /// What the mover pays for a step: a move, unless it is onto a blank, and a little less if the tile
    /// comes nearer to its place.
    fn price(&self, from: Cell, to: Cell) -> u64 {
        let label = self.labels[usize::from(to)];
        let home = self.home[usize::from(label)];
        let nearer = self.distance(from, home) < self.distance(to, home);
        let moves = if label < self.blanks { MOVE } else { 0 };
        moves + u64::from(!nearer)
    }

    /// The cheapest of the ways that never turn away from the target, row by row.
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
                let mut best = (NEVER, start);
                if cell == start {
                    best.0 = 0;
                } else if cell != still && !self.settled[usize::from(cell)] {
                    let beside = (col > 0).then(|| if right { cell - 1 } else { cell + 1 });
                    let above = (row > 0).then(|| if down { cell - cols } else { cell + cols });
                    for before in [beside, above].into_iter().flatten() {
                        let paid = self.finder.reached[usize::from(before)].0;
                        if paid != NEVER {
                            best = best.min((paid + self.price(before, cell), before));
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

    /// The cheapest of all ways, where a move that brings a tile nearer to its place costs less than
    /// one that does not: a way may be longer than it has to be if that puts more tiles in order.
    fn roam(&mut self, target: Cell, still: Cell) {
        self.finder.searches += 1;
        let search = self.finder.searches;
        let mut buckets = std::mem::take(&mut self.finder.buckets);
        buckets.iter_mut().for_each(Vec::clear);
        let start = self.at[0];
        self.finder.seen[usize::from(start)] = search;
        self.finder.reached[usize::from(start)] = (0, start);
        buckets[0].push(start);
        let mut price = 0;
        'search: loop {
            let bucket = price as usize % buckets.len();
            while let Some(cell) = buckets[bucket].pop() {
                if self.finder.reached[usize::from(cell)].0 != price {
                    continue;
                }
                if cell == target {
                    break 'search;
                }
                for step in Move::ALL {
                    let Some(beside) = self.beside(cell, step) else { continue };
                    if beside == still || self.settled[usize::from(beside)] {
                        continue;
                    }
                    let total = price + self.toll(cell, beside);
                    let known = self.finder.seen[usize::from(beside)] == search;
                    if !known || total < self.finder.reached[usize::from(beside)].0 {
                        self.finder.seen[usize::from(beside)] = search;
                        self.finder.reached[usize::from(beside)] = (total, cell);
                        let next = total as usize % buckets.len();
                        buckets[next].push(beside);
                    }
                }
            }
            price += 1;
        }
        self.finder.buckets = buckets;
    }

    /// What a step of a way costs that need not be the shortest.
    fn toll(&self, from: Cell, to: Cell) -> u64 {
        match self.price(from, to) {
            0 | 1 => 0,
            MOVE => NEARER,
            _ => FARTHER,
        }
    }

    /// A shortest way around what is in the way.
    fn around(&mut self, target: Cell, still: Cell) -> u64 {
        let mut queue = std::mem::take(&mut self.finder.queue);
        queue.clear();
        queue.push(self.at[0]);
        self.finder.searches += 1;
        let search = self.finder.searches;
        self.finder.seen[usize::from(self.at[0])] = search;
        self.finder.reached[usize::from(self.at[0])].0 = 0;
        self.finder.reached[usize::from(target)].0 = NEVER;
        let mut next = 0;
        while let Some(&cell) = queue.get(next)
            && cell != target
        {
            next += 1;
            let paid = self.finder.reached[usize::from(cell)].0;
            for step in Move::ALL {
                let Some(beside) = self.beside(cell, step) else { continue };
                let known = self.finder.seen[usize::from(beside)] == search;
                if !known && beside != still && !self.settled[usize::from(beside)] {
                    self.finder.seen[usize::from(beside)] = search;
                    self.finder.reached[usize::from(beside)] =
                        (paid + self.price(cell, beside), cell);
                    queue.push(beside);
                }
            }
        }
        self.finder.queue = queue;
        self.finder.reached[usize::from(target)].0
    }
}
