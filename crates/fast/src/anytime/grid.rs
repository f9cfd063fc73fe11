//! What a board is worth to a beam search.
//!
//! The sum of the distances alone tells little. Each of these was found by trying it on random boards:
//! a distance counts more than in proportion, so that what is far away is brought home first, and not
//! at the end, when it disturbs what is in order (the answers of a narrow beam on 6x6 boards are a
//! tenth shorter); a straight way counts more than a diagonal one, which takes fewer moves; and tiles
//! that belong to the border count more, since they are hard to reach. What tiles beside each other
//! are worth, and tiles that have to pass each other in a line, was learned: see [`pairs`].

use taquin_search::Random;
use taquin_tiles::{Cell, Move, Size};

use super::pairs::{self, LEARNED, Learned, Pairs};

/// A cell's content, as narrow as the board allows: the cell where the tile belongs, the number of cells
/// for a blank, and one more for what is outside, which follows the last cell of every board.
pub(super) trait Content: Copy + Eq + 'static {
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
    /// The kind of each content on each cell, unless there are too many.
    kinds: Vec<u8>,
    pairs: Box<Pairs>,
    crossing: i32,
    /// The number of each content along the rows and along the columns.
    numbers: [Vec<Cell>; 2],
    /// Whether pairs that have to pass each other in a line are counted.
    has_crossings: bool,
}

/// A blank and what is beside it.
pub(super) struct Around {
    pub(super) blank: usize,
    kinds: [usize; 4],
    worth: i32,
}

impl Around {
    /// Whether there is a tile a step away.
    #[inline]
    pub(super) const fn is_tile(&self, step: usize) -> bool {
        self.kinds[step] < pairs::BLANK
    }
}

/// The most columns or rows for which crossings are counted: on wide boards they are rare, and cost more
/// than they tell.
const CROSSINGS: usize = 16;

/// What a move is worth.
pub(super) const MOVE: u32 = 4;

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
        Self::with(size, seed, &LEARNED)
    }

    pub(super) fn with(size: Size, seed: u64, learned: &Learned) -> Self {
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
        let numbers = |number: &dyn Fn(usize) -> usize| {
            let numbers = (0..cells).map(number).chain([cells, cells + 1]);
            numbers.map(|number| number as Cell).collect()
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
            kinds: Vec::new(),
            pairs: Pairs::new(learned),
            crossing: learned.crossing,
            numbers: [numbers(&|cell| cell), numbers(&|cell| cell % cols * rows + cell / cols)],
            has_crossings: rows.max(cols) <= CROSSINGS,
        };
        if cells <= KEPT {
            let stride = grid.stride();
            let spots = |contents| (0..contents * stride).map(move |at| (at / stride, at % stride));
            let in_grid = |cell: usize| cell.min(cells - 1);
            let values = spots(cells).map(|(tile, cell)| grid.value(tile, in_grid(cell)));
            grid.values = values.collect();
            let kinds = spots(cells + 2).map(|(tile, cell)| grid.kind(tile, in_grid(cell)) as u8);
            grid.kinds = kinds.collect();
        }
        grid
    }

    /// The cells of a board and what is outside.
    #[inline]
    pub(super) const fn stride(&self) -> usize {
        self.cells + 1
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
        match self.values.get(tile * self.stride() + cell) {
            Some(&value) => value,
            None => self.computed_value(tile, cell),
        }
    }

    fn computed_value(&self, tile: usize, cell: usize) -> u32 {
        let [(row, col), (home_row, home_col)] = [self.places[cell], self.places[tile]];
        let (down, across) = (row.abs_diff(home_row), col.abs_diff(home_col));
        let price = self.prices[usize::from(down) * self.size.cols() + usize::from(across)];
        price.wrapping_mul(self.weights[tile]) / PARTS
    }

    /// The kind of a content on a cell.
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
        let way = |to: u16, from: u16| i32::from(to) - i32::from(from);
        pairs::kind(way(home_row, row), way(home_col, col))
    }

    /// The kind of what is beside a cell.
    #[inline]
    fn kind_beside<C: Content>(&self, board: &[C], cell: usize, step: usize) -> usize {
        let beside = usize::from(self.beside[cell][step]);
        self.kind(board[beside].index(), beside)
    }

    /// What is beside a blank.
    #[inline]
    pub(super) fn around<C: Content>(&self, board: &[C], blank: usize) -> Around {
        let kinds = std::array::from_fn(|step| self.kind_beside(board, blank, step));
        let worth = (0..4).map(|step| self.pairs.worth(step, pairs::BLANK, kinds[step])).sum();
        Around { blank, kinds, worth }
    }

    /// By how much farther from its home a tile is after it went a step back to the blank.
    #[inline]
    pub(super) fn farther(&self, around: &Around, step: usize) -> i32 {
        self.pairs.farther(step, around.kinds[step])
    }

    /// By how much the worth grows when the tile on `to`, a step away, goes to the blank.
    #[inline]
    pub(super) fn change<C: Content, const STEP: usize>(
        &self,
        board: &[C],
        around: &Around,
        to: usize,
    ) -> i32 {
        let tile = board[to].index();
        let alone = self.value(tile, around.blank).wrapping_sub(self.value(tile, to)) as i32;
        let crossings = self.crossings::<C, STEP>(board, around, to);
        alone + self.meet::<C, STEP>(board, around, to) + self.crossing * crossings
    }

    /// By how much the worth of pairs grows.
    #[inline]
    fn meet<C: Content, const STEP: usize>(&self, board: &[C], around: &Around, to: usize) -> i32 {
        let before = around.kinds[STEP];
        let after = self.kind(board[to].index(), around.blank);
        // The two cells themselves.
        let mut change = self.pairs.worth(STEP, after, pairs::BLANK) - around.worth;
        for other in 0..4 {
            if other != STEP {
                change += self.pairs.worth(other, after, around.kinds[other]);
            }
            if other != 3 - STEP {
                let kind = self.kind_beside(board, to, other);
                change += self.pairs.worth(other, pairs::BLANK, kind);
                change -= self.pairs.worth(other, before, kind);
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

    /// By how many the pairs of tiles grow that are on the line where both belong and have to pass each
    /// other, when the tile on `to` goes to the blank: only the line that it leaves or comes to can
    /// change, and only if it belongs there.
    #[inline]
    fn crossings<C: Content, const STEP: usize>(
        &self,
        board: &[C],
        around: &Around,
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
        // Those before it that belong behind it, and those behind it that belong before it.
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
