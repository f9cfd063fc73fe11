//! What a board is worth to a beam search.
//!
//! The sum of the distances alone tells little. Each of these was found by trying it on random boards:
//! a distance counts more than in proportion, so that what is far away is brought home first, and not
//! at the end, when it disturbs what is in order (the answers of a narrow beam on 6x6 boards are a
//! tenth shorter); linear conflicts count twice; a straight way counts more than a diagonal one, which
//! takes fewer moves; and tiles that belong to the border count more, since they are hard to reach.

use taquin_search::Random;
use taquin_tiles::{Cell, Move, Size};

/// A cell's content, as narrow as the board allows: the cell where the tile belongs, or the number of
/// cells for a blank.
pub(super) trait Content: Copy + Eq + 'static {
    fn new(cell: usize) -> Self;
    fn index(self) -> usize;
}

impl Content for u8 {
    fn new(cell: usize) -> Self {
        cell as Self
    }

    #[inline]
    fn index(self) -> usize {
        self.into()
    }
}

impl Content for u16 {
    fn new(cell: usize) -> Self {
        cell as Self
    }

    #[inline]
    fn index(self) -> usize {
        self.into()
    }
}

/// What is the same for every search on boards of one size.
pub(super) struct Grid {
    pub(super) size: Size,
    pub(super) cells: usize,
    /// For each cell and each move the cell that it leads to, or the number of cells.
    pub(super) beside: Vec<[Cell; 4]>,
    /// The row and the column of each cell.
    places: Vec<(u16, u16)>,
    /// Two random odd numbers for each cell: a board's hash is a sum of their products.
    keys: Vec<u64>,
    /// What a tile is worth by its distance down and across.
    prices: Vec<u32>,
    /// How much each tile counts, in parts of [`PARTS`].
    weights: Vec<u32>,
    /// What each tile is worth on each cell, unless there are too many.
    values: Vec<u32>,
    /// Whether linear conflicts are counted.
    pub(super) has_conflicts: bool,
}

/// The most columns or rows for which linear conflicts are counted: on wide boards they are rare, and
/// cost more than they tell.
const CONFLICTS: usize = 16;

/// What a move is worth, and what a move is worth that is due to a linear conflict.
const MOVE: u32 = 4;
pub(super) const CONFLICT: u32 = 8;

/// By how much a step is worth more than the step before it, on a board whose rows and columns are half
/// as many, and what each step is worth that can't be part of a diagonal.
const FARTHER: u32 = 18;
const STRAIGHT: u32 = 1;

/// What a tile of a border counts more.
const BORDER: u32 = 3;
const PARTS: u32 = 16;

/// Up to so many cells the worth of each tile on each cell is kept.
const KEPT: usize = 256;

impl Grid {
    pub(super) fn new(size: Size, seed: u64) -> Self {
        let cells = size.cells();
        let beside = |cell| Move::ALL.map(|step| step.target(size, cell).unwrap_or(cells as Cell));
        let (rows, cols) = (size.rows(), size.cols());
        let price = |at: usize| {
            let (down, across) = ((at / cols) as u32, (at % cols) as u32);
            let away = down + across;
            let farther = FARTHER * away * away.saturating_sub(1) / (rows + cols).max(12) as u32;
            MOVE * away + farther + STRAIGHT * down.abs_diff(across)
        };
        let weight = |cell| {
            let (row, col) = (size.row(cell), size.col(cell));
            let ends = [row == 0 || row + 1 == rows, col == 0 || col + 1 == cols];
            PARTS + ends.map(|end| BORDER * u32::from(end)).iter().sum::<u32>()
        };
        let mut random = Random::new(seed);
        let mut grid = Self {
            size,
            cells,
            beside: (0..cells as Cell).map(beside).collect(),
            places: (0..cells as Cell)
                .map(|cell| (size.row(cell) as u16, size.col(cell) as u16))
                .collect(),
            keys: (0..2 * cells).map(|_| random.next() | 1).collect(),
            prices: (0..cells).map(price).collect(),
            weights: (0..cells as Cell).map(weight).collect(),
            values: Vec::new(),
            has_conflicts: rows.max(cols) <= CONFLICTS,
        };
        if cells <= KEPT {
            let values = (0..cells * cells).map(|at| grid.value(at / cells, at % cells));
            grid.values = values.collect();
        }
        grid
    }

    /// The share of a tile on a cell in the hash of a board.
    #[inline]
    pub(super) fn key(&self, tile: usize, cell: usize) -> u64 {
        let product = self.keys[tile].wrapping_mul(self.keys[self.cells + cell]);
        // The low bits of a product know little of the high ones.
        product ^ product >> 32
    }

    #[inline]
    pub(super) fn distance(&self, a: usize, b: usize) -> u32 {
        let [(row, col), (other_row, other_col)] = [self.places[a], self.places[b]];
        u32::from(row.abs_diff(other_row) + col.abs_diff(other_col))
    }

    /// What a tile on a cell is worth, the less the better.
    #[inline]
    pub(super) fn value(&self, tile: usize, cell: usize) -> u32 {
        if let Some(&value) = self.values.get(tile * self.cells + cell) {
            return value;
        }
        let [(row, col), (home_row, home_col)] = [self.places[cell], self.places[tile]];
        let (down, across) = (row.abs_diff(home_row), col.abs_diff(home_col));
        let price = self.prices[usize::from(down) * self.size.cols() + usize::from(across)];
        price.wrapping_mul(self.weights[tile]) / PARTS
    }

    pub(super) fn manhattan<C: Content>(&self, board: &[C]) -> u32 {
        let away = |(cell, tile): (usize, &C)| match tile.index() {
            tile if tile == self.cells => 0,
            tile => self.distance(tile, cell),
        };
        board.iter().enumerate().map(away).sum()
    }

    pub(super) fn hash<C: Content>(&self, board: &[C]) -> u64 {
        let key = |(cell, tile): (usize, &C)| match tile.index() {
            tile if tile == self.cells => 0,
            tile => self.key(tile, cell),
        };
        board.iter().enumerate().map(key).fold(0, u64::wrapping_add)
    }

    /// The moves that linear conflicts cost beside the distances: in each row and column two for every
    /// tile that belongs there, but for those of the longest run in order.
    pub(super) fn conflicts<C: Content>(&self, board: &[C]) -> u32 {
        if !self.has_conflicts {
            return 0;
        }
        let (rows, cols) = (self.size.rows(), self.size.cols());
        let row = |row: usize| {
            Line::new(&board[row * cols..(row + 1) * cols], |tile| self.in_row(tile, row))
        };
        let col = |col: usize| {
            Line::new(board[col..].iter().step_by(cols), |tile| self.in_col(tile, col))
        };
        (0..rows).map(|r| row(r).cost()).chain((0..cols).map(|c| col(c).cost())).sum()
    }

    /// The place of a tile in a row, if it belongs there.
    #[inline]
    fn in_row(&self, tile: usize, row: usize) -> Option<u16> {
        let &(home, col) = self.places.get(tile)?;
        (usize::from(home) == row).then_some(col)
    }

    #[inline]
    fn in_col(&self, tile: usize, col: usize) -> Option<u16> {
        let &(row, home) = self.places.get(tile)?;
        (usize::from(home) == col).then_some(row)
    }

    /// By how much the conflicts of a board grow when the tile on `to` goes to the blank on `from`: only
    /// the line that it leaves or comes to can change, and only if it belongs there.
    #[inline]
    pub(super) fn change<C: Content>(&self, board: &[C], from: usize, to: usize) -> i32 {
        let tile = board[to].index();
        let (home_row, home_col) = self.places[tile];
        let [(from_row, from_col), (to_row, to_col)] = [self.places[from], self.places[to]];
        let cols = self.size.cols();
        let (line, place, leaves) = if from_col == to_col {
            if home_row != from_row && home_row != to_row {
                return 0;
            }
            let row = usize::from(home_row);
            let others =
                Line::new(&board[row * cols..(row + 1) * cols], |tile| self.in_row(tile, row));
            (others, from_col, home_row == to_row)
        } else {
            if home_col != from_col && home_col != to_col {
                return 0;
            }
            let col = usize::from(home_col);
            let others =
                Line::new(board[col..].iter().step_by(cols), |tile| self.in_col(tile, col));
            (others, from_row, home_col == to_col)
        };
        let value = if from_col == to_col { home_col } else { home_row };
        match leaves {
            // The tile itself is among them.
            true => line.without(value).cost() as i32 - line.cost() as i32,
            false => line.with(value, place).cost() as i32 - line.cost() as i32,
        }
    }
}

/// The tiles of a line that belong there: where they are, and where they should be.
#[derive(Clone, Copy)]
struct Line {
    tiles: [(u8, u8); CONFLICTS],
    count: usize,
}

impl Line {
    #[inline]
    fn new<'a, C: Content>(
        cells: impl IntoIterator<Item = &'a C>,
        home: impl Fn(usize) -> Option<u16>,
    ) -> Self {
        let mut line = Self { tiles: [(0, 0); CONFLICTS], count: 0 };
        for (place, tile) in (0..).zip(cells) {
            if let Some(home) = home(tile.index()) {
                line.tiles[line.count] = (place, home as u8);
                line.count += 1;
            }
        }
        line
    }

    #[inline]
    fn without(mut self, home: u16) -> Self {
        if let Some(at) = self.tiles[..self.count].iter().position(|tile| u16::from(tile.1) == home)
        {
            self.tiles.copy_within(at + 1..self.count, at);
            self.count -= 1;
        }
        self
    }

    #[inline]
    fn with(mut self, home: u16, place: u16) -> Self {
        let before = |tile: &&(u8, u8)| u16::from(tile.0) < place;
        let at = self.tiles[..self.count].iter().take_while(before).count();
        self.tiles.copy_within(at..self.count, at + 1);
        self.tiles[at] = (place as u8, home as u8);
        self.count += 1;
        self
    }

    /// Twice the number of tiles outside a longest run in order.
    #[inline]
    fn cost(&self) -> u32 {
        // The least last element of a run of each length.
        let mut last = [0; CONFLICTS];
        let mut longest = 0;
        for &(_, home) in &self.tiles[..self.count] {
            let mut at = longest;
            while at > 0 && last[at - 1] > home {
                at -= 1;
            }
            last[at] = home;
            longest = longest.max(at + 1);
        }
        2 * (self.count - longest) as u32
    }
}
