//! The score of a board in a beam search.
//!
//! The Manhattan distance alone is a poor score. Trials on random boards led to each of these
//! terms. Distances count more than proportionally, so that distant tiles are brought home first,
//! and not at the end, when they disturb tiles that are in order (a narrow beam's solutions on 6x6
//! boards are a tenth shorter). Straight paths count more than diagonal ones, which take fewer
//! moves. Border tiles count more, because they are hard to reach. The weights for adjacent tiles,
//! and for tiles that have to pass each other in a line, were learned: see [`pairs`].

use taquin_search::Random;
use taquin_tiles::{Cell, Move, Size};

use super::pairs::{self, LEARNED, PairScores, PairWeights};

/// A cell's content, as narrow as the board allows: a tile's goal cell, the number of cells for a
/// blank, and one more for the outside, which follows the last cell of every board.
pub(super) trait Content: Copy + Default + Eq + 'static {
    fn new(cell: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! content {
    ($($number:ty)*) => {$(
        impl Content for $number {
            fn new(cell: usize) -> Self {
                cell as Self
            }

            #[inline]
            fn index(self) -> usize {
                self as usize
            }
        }
    )*};
}

content!(u8 u16 u32);

/// The tables for scores on boards of one size.
pub(super) struct Evaluation {
    pub(super) size: Size,
    pub(super) cells: usize,
    /// For each cell and each move the cell that it leads to, or the number of cells.
    pub(super) neighbours: Vec<[Cell; 4]>,
    /// The row and the column of each cell.
    places: Vec<(u16, u16)>,
    /// Two random odd numbers per cell. A board's hash is a sum of their products.
    pub(super) keys: Vec<u64>,
    /// The score of a tile by its distance down and across.
    distance_scores: Vec<u32>,
    /// Each tile's weight, in units of 1 / [`UNIT`].
    weights: Vec<u32>,
    /// The score of each tile on each cell, unless there are too many.
    pub(super) values: Vec<u32>,
    /// The kind of each content on each cell, unless there are too many.
    pub(super) kinds: Vec<u8>,
    pub(super) pairs: Box<PairScores>,
    pub(super) crossing: i32,
    /// The number of each content along the rows and along the columns.
    pub(super) numbers: [Vec<Cell>; 2],
    /// Whether tiles that have to pass each other in a line are counted.
    pub(super) has_crossings: bool,
}

/// A blank and the contents of the cells next to it.
pub(super) struct BlankNeighbours {
    pub(super) blank: usize,
    kinds: [usize; 4],
    score: i32,
}

impl BlankNeighbours {
    /// Returns whether there is a tile a step away.
    #[inline]
    pub(super) const fn is_tile(&self, step: usize) -> bool {
        self.kinds[step] < pairs::BLANK
    }
}

/// The greatest number of rows or columns for which crossings are counted: on larger boards they
/// are rare and take too long.
const CROSSINGS: usize = 16;

/// The score of a move.
pub(super) const MOVE: u32 = 4;

/// Each step of a distance scores 2 * FARTHER / (rows + columns) more than the step before.
const FARTHER: u32 = 18;

/// The extra score for each step that cannot be part of a diagonal.
const STRAIGHT: u32 = 1;

/// The extra weight of a border tile.
const BORDER: u32 = 3;

/// The weight of other tiles.
const UNIT: u32 = 16;

/// The most cells for which scores are tabulated by tile and cell.
const MAX_TABULATED_CELLS: usize = 256;

impl Evaluation {
    pub(super) fn new(size: Size, seed: u64) -> Self {
        Self::with(size, seed, &LEARNED)
    }

    pub(super) fn with(size: Size, seed: u64, weights: &PairWeights) -> Self {
        let cells = size.cells();
        let neighbours =
            |cell| Move::ALL.map(|step| step.target(size, cell).unwrap_or(cells as Cell));
        let (rows, cols) = (size.rows(), size.cols());
        let distance_score = |at: usize| {
            let (down, across) = ((at / cols) as u32, (at % cols) as u32);
            let away = down + across;
            let farther = FARTHER * away * away.saturating_sub(1) / (rows + cols).max(12) as u32;
            MOVE * away + farther + STRAIGHT * down.abs_diff(across)
        };
        let weight = |cell| {
            let (row, col) = (size.row(cell), size.col(cell));
            let ends = [row == 0 || row + 1 == rows, col == 0 || col + 1 == cols];
            UNIT + ends.map(|end| BORDER * u32::from(end)).iter().sum::<u32>()
        };
        let numbers = |number: &dyn Fn(usize) -> usize| {
            let numbers = (0..cells).map(number).chain([cells, cells + 1]);
            numbers.map(|number| number as Cell).collect()
        };
        let mut random = Random::new(seed);
        let mut evaluation = Self {
            size,
            cells,
            neighbours: (0..cells as Cell).map(neighbours).collect(),
            places: (0..cells as Cell)
                .map(|cell| (size.row(cell) as u16, size.col(cell) as u16))
                .collect(),
            keys: (0..2 * cells).map(|_| random.next() | 1).collect(),
            distance_scores: (0..cells).map(distance_score).collect(),
            weights: (0..cells as Cell).map(weight).collect(),
            values: Vec::new(),
            kinds: Vec::new(),
            pairs: PairScores::new(weights),
            crossing: weights.crossing,
            numbers: [numbers(&|cell| cell), numbers(&|cell| cell % cols * rows + cell / cols)],
            has_crossings: rows.max(cols) <= CROSSINGS,
        };
        if cells <= MAX_TABULATED_CELLS {
            let stride = evaluation.stride();
            let spots = |contents| (0..contents * stride).map(move |at| (at / stride, at % stride));
            let in_grid = |cell: usize| cell.min(cells - 1);
            let values = spots(cells).map(|(tile, cell)| evaluation.value(tile, in_grid(cell)));
            evaluation.values = values.collect();
            let kinds =
                spots(cells + 2).map(|(tile, cell)| evaluation.kind(tile, in_grid(cell)) as u8);
            evaluation.kinds = kinds.collect();
        }
        evaluation
    }

    /// Returns the number of cells, including the one for the outside.
    #[inline]
    pub(super) const fn stride(&self) -> usize {
        self.cells + 1
    }

    /// Returns a tile's contribution to a board's hash.
    #[inline]
    pub(super) fn key(&self, tile: usize, cell: usize) -> u64 {
        let product = self.keys[tile].wrapping_mul(self.keys[self.cells + cell]);
        // The low bits of a product do not depend on its factors' high bits.
        product ^ product >> 32
    }

    #[inline]
    pub(super) fn distance(&self, a: usize, b: usize) -> u32 {
        let [(row, col), (other_row, other_col)] = [self.places[a], self.places[b]];
        u32::from(row.abs_diff(other_row) + col.abs_diff(other_col))
    }

    /// Returns the score of a tile on a cell, the lower the better.
    #[inline]
    pub(super) fn value(&self, tile: usize, cell: usize) -> u32 {
        match self.values.get(tile * self.stride() + cell) {
            Some(&value) => value,
            None => self.computed_value(tile, cell),
        }
    }

    fn computed_value(&self, tile: usize, cell: usize) -> u32 {
        let [(row, col), (home_row, home_col)] = [self.places[cell], self.places[tile]];
        let (down, across) = (row.abs_diff(home_row), col.abs_diff(home_col));
        let distance_score =
            self.distance_scores[usize::from(down) * self.size.cols() + usize::from(across)];
        distance_score.wrapping_mul(self.weights[tile]) / UNIT
    }

    /// Returns the kind of a content on a cell.
    #[inline]
    pub(super) fn kind(&self, content: usize, cell: usize) -> usize {
        match self.kinds.get(content * self.stride() + cell) {
            Some(&kind) => kind.into(),
            None => self.computed_kind(content, cell),
        }
    }

    fn computed_kind(&self, content: usize, cell: usize) -> usize {
        let Some(&(home_row, home_col)) = self.places.get(content) else {
            return if content == self.cells { pairs::BLANK } else { pairs::OUTSIDE };
        };
        let (row, col) = self.places[cell];
        let offset = |to: u16, from: u16| i32::from(to) - i32::from(from);
        pairs::kind(offset(home_row, row), offset(home_col, col))
    }

    /// Returns the kind of the content a step from a cell.
    #[inline]
    fn kind_of_neighbour<C: Content>(&self, board: &[C], cell: usize, step: usize) -> usize {
        let neighbour = usize::from(self.neighbours[cell][step]);
        self.kind(board[neighbour].index(), neighbour)
    }

    /// Returns the contents of the cells next to a blank.
    #[inline]
    pub(super) fn around<C: Content>(&self, board: &[C], blank: usize) -> BlankNeighbours {
        let kinds = std::array::from_fn(|step| self.kind_of_neighbour(board, blank, step));
        let score = (0..4).map(|step| self.pairs.score(step, pairs::BLANK, kinds[step])).sum();
        BlankNeighbours { blank, kinds, score }
    }

    /// Returns the change of the Manhattan distance when the tile a step away moves to the blank.
    #[inline]
    pub(super) fn farther(&self, around: &BlankNeighbours, step: usize) -> i32 {
        self.pairs.farther(step, around.kinds[step])
    }

    /// Returns the change of the score when the tile on `to`, a step away, moves to the blank.
    #[inline]
    pub(super) fn change<C: Content, const STEP: usize>(
        &self,
        board: &[C],
        around: &BlankNeighbours,
        to: usize,
    ) -> i32 {
        let tile = board[to].index();
        let alone = self.value(tile, around.blank).wrapping_sub(self.value(tile, to)) as i32;
        let crossings = self.crossings::<C, STEP>(board, around, to);
        alone + self.pair_change::<C, STEP>(board, around, to) + self.crossing * crossings
    }

    /// Returns how much the score of adjacent pairs changes.
    #[inline]
    fn pair_change<C: Content, const STEP: usize>(
        &self,
        board: &[C],
        around: &BlankNeighbours,
        to: usize,
    ) -> i32 {
        let before = around.kinds[STEP];
        let after = self.kind(board[to].index(), around.blank);
        // The two cells themselves.
        let mut change = self.pairs.score(STEP, after, pairs::BLANK) - around.score;
        for other in 0..4 {
            if other != STEP {
                change += self.pairs.score(other, after, around.kinds[other]);
            }
            if other != 3 - STEP {
                let kind = self.kind_of_neighbour(board, to, other);
                change += self.pairs.score(other, pairs::BLANK, kind);
                change -= self.pairs.score(other, before, kind);
            }
        }
        change
    }

    pub(super) fn manhattan<C: Content>(&self, board: &[C]) -> u32 {
        let away = |(cell, tile): (usize, &C)| match tile.index() {
            tile if tile >= self.cells => 0,
            tile => self.distance(tile, cell),
        };
        board.iter().enumerate().map(away).sum()
    }

    pub(super) fn hash<C: Content>(&self, board: &[C]) -> u64 {
        let key = |(cell, tile): (usize, &C)| match tile.index() {
            tile if tile >= self.cells => 0,
            tile => self.key(tile, cell),
        };
        board.iter().enumerate().map(key).fold(0, u64::wrapping_add)
    }

    /// Returns how the number of crossings changes (pairs of tiles in the line where both belong
    /// that have to pass each other) when the tile on `to` moves to the blank: only the line that
    /// it leaves or enters can change, and only if it belongs there.
    #[inline]
    fn crossings<C: Content, const STEP: usize>(
        &self,
        board: &[C],
        around: &BlankNeighbours,
        to: usize,
    ) -> i32 {
        let tile = board[to].index();
        let leaves = pairs::is_on_line::<STEP>(around.kinds[STEP]);
        let comes = pairs::is_on_line::<STEP>(self.kind(tile, around.blank));
        if !self.has_crossings || !(leaves || comes) {
            return 0;
        }
        let (row, col) = self.places[to];
        let (home_row, home_col) = self.places[tile];
        let (rows, cols) = (self.size.rows(), self.size.cols());
        let (place, line, first, next, count) = match STEP {
            0 | 3 => (col, home_row, usize::from(home_row) * cols, 1, cols),
            _ => (row, home_col, home_col.into(), cols, rows),
        };
        let numbers = &self.numbers[usize::from(STEP == 1 || STEP == 2)];
        let number = numbers[tile];
        let least = line * count as u16;
        let before = number - least;
        let behind = count as u16 - 1 - before;
        let place = usize::from(place);
        let other = |at: usize| numbers[board[first + at * next].index()];
        // Tiles before it that belong behind it, and tiles behind it that belong before it.
        let mut crossed = 0;
        for at in 0..place {
            crossed += i32::from(other(at).wrapping_sub(number + 1) < behind);
        }
        for at in place + 1..count {
            crossed += i32::from(other(at).wrapping_sub(least) < before);
        }
        if comes { crossed } else { -crossed }
    }
}
