//! The place of each board: a slab, a word and a bit.
//!
//! A slab has the boards with their blanks in the same cells (a plane) and, if there are several
//! blanks, with orders of tiles of the same parity. With one blank, its cell determines the parity.
//! The tiles, row by row without the blanks and named by their places in the goal, are a
//! permutation. Its digits in the factorial number system have the radices m, m - 1, .. 1
//! (`rotation.rs`). The digits down to radix 6 number the word, the digits with radices 5, 4 and 3
//! the bit, and the digit with radix 2 follows from the parity. So a word has 60 boards. On a line
//! no tile passes another, so only one order exists.
//!
//! A board with more columns than rows is transposed: the fewer columns there are, the fewer digits
//! does a vertical move change.
//!
//! The planes are ordered by colour first: the sum of the blanks' rows and columns, modulo 2, which
//! every step changes.

use std::fmt;
use std::ops::Range;

use taquin_tiles::{Board, Tile};

use crate::bits::bits;

use super::links::Links;
use super::maps::Map;
use super::plan::SharePlan;
use super::{ExploreError, Extent, Metric};

/// The least radix of the digits that number a word.
pub(super) const WORD_RADIX: usize = 6;

/// The bits of a word that stand for boards.
pub(super) const PER_WORD: usize = 60;

/// The greatest digit radix inside a block, on boards with up to four columns.
const BLOCK_RADIX: usize = 8;

/// The numbering of the boards from which a goal can be reached.
#[derive(Clone, PartialEq, Eq)]
pub struct SpaceIndex {
    goal: Board,
    shape: SpaceShape,
    /// The place of each tile in the goal's order.
    places: Vec<usize>,
    /// The tiles in the goal's order.
    tiles: Vec<Tile>,
    /// The set of blank cells for each plane.
    planes: Vec<u64>,
    /// The number of planes with the first colour.
    even: usize,
}

impl fmt::Debug for SpaceIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpaceIndex").field("goal", &self.goal).finish_non_exhaustive()
    }
}

/// How many boards there are, and how their bits are arranged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpaceShape {
    /// The rows, usually at least as many as the columns.
    pub rows: usize,
    /// The columns.
    pub cols: usize,
    /// Whether the rows of a board are the columns here.
    pub is_transposed: bool,
    blanks: usize,
    /// The number of tiles whose order can change.
    tiles: usize,
}

impl SpaceShape {
    /// Returns the shape of a goal's space.
    pub fn new(goal: &Board) -> Self {
        let (rows, cols) = (goal.size().rows(), goal.size().cols());
        let blanks = goal.blanks().count();
        let tiles = if goal.size().is_line() { 0 } else { rows * cols - blanks };
        let is_transposed = rows < cols;
        let (rows, cols) = if is_transposed { (cols, rows) } else { (rows, cols) };
        Self { rows, cols, is_transposed, blanks, tiles }
    }

    /// Returns the shape with rows and columns exchanged.
    #[must_use]
    pub const fn turned(self) -> Self {
        let Self { rows, cols, is_transposed, .. } = self;
        Self { rows: cols, cols: rows, is_transposed: !is_transposed, ..self }
    }

    /// Returns the number of cells.
    pub const fn cells(self) -> usize {
        self.rows * self.cols
    }

    /// Returns the number of blanks.
    pub const fn blanks(self) -> usize {
        self.blanks
    }

    /// Returns the number of tiles whose order can change.
    pub(super) const fn tiles(self) -> usize {
        self.tiles
    }

    /// Returns the number of words per block. A vertical move that changes digits of bits stays
    /// inside a block.
    pub fn block_words(self) -> usize {
        (WORD_RADIX..=self.block_radix()).product()
    }

    /// Returns the greatest digit radix inside a block.
    pub(super) fn block_radix(self) -> usize {
        self.tiles.min(BLOCK_RADIX.max(self.cols + WORD_RADIX - 2))
    }

    /// Returns the number of blocks per slab.
    ///
    /// # Panics
    /// May panic if [`extent`](super::extent) has no number of bytes.
    pub fn blocks(self) -> usize {
        (self.block_radix().max(WORD_RADIX - 1) + 1..=self.tiles).product()
    }

    /// Returns the number of words per slab.
    pub(super) fn slab_words(self) -> usize {
        self.blocks() * self.block_words()
    }

    /// Returns the number of boards per word.
    fn per_word(self) -> usize {
        (3..=self.tiles.min(WORD_RADIX - 1)).product()
    }

    /// Returns the number of slabs per plane.
    pub(super) const fn parities(self) -> usize {
        if self.blanks > 1 && self.tiles > 0 { 2 } else { 1 }
    }

    /// Returns the cell of the original board.
    pub const fn original(self, cell: usize) -> usize {
        match self.is_transposed {
            true => cell % self.cols * self.rows + cell / self.cols,
            false => cell,
        }
    }

    /// Returns the cells of a board's blanks, a bit for each.
    fn mask(self, board: &Board) -> u64 {
        (0..self.cells())
            .filter(|&cell| board.tiles()[self.original(cell)] == 0)
            .fold(0, |mask, cell| mask | 1 << cell)
    }

    /// Returns the colour of a plane.
    fn colour(self, blanks: u64) -> usize {
        bits(blanks).map(|cell| cell / self.cols + cell % self.cols).sum::<usize>() % 2
    }

    /// Returns the number of sets of blanks, and of tile orders.
    fn counts(self) -> (u128, u128) {
        let sets = (1..=(self.cells() - self.blanks) as u128)
            .fold(1_u128, |sets, i| sets.saturating_mul(self.blanks as u128 + i) / i);
        let orders = (1..=self.tiles as u128).fold(1, u128::saturating_mul);
        (sets, if self.blanks == 1 && self.tiles > 1 { orders / 2 } else { orders })
    }

    /// Returns the number of slabs and the words per slab, unless any machine is too small for
    /// them.
    pub(super) fn size(self) -> Option<(usize, usize)> {
        let slabs = usize::try_from(self.counts().0).ok()?.checked_mul(self.parities())?;
        let words = (WORD_RADIX..=self.tiles).try_fold(1_usize, usize::checked_mul)?;
        // Positions of bits are numbers as well.
        slabs.checked_mul(words)?.checked_mul(2 * 64)?;
        Some((slabs, words))
    }
}

impl SpaceIndex {
    /// Creates the numbering for a goal.
    ///
    /// # Errors
    /// Fails if exploring the space would take more than `memory` bytes.
    pub fn new(goal: &Board, metric: Metric, memory: u64) -> Result<Self, ExploreError> {
        let Extent { states, bytes } = extent(goal, metric);
        if bytes > memory || bytes == u64::MAX {
            return Err(ExploreError::Memory { states, needed: bytes, allowed: memory });
        }
        Ok(Self::with_shape(goal, SpaceShape::new(goal)))
    }

    /// Creates the numbering for a goal with one of its shapes.
    pub fn with_shape(goal: &Board, shape: SpaceShape) -> Self {
        let cells = (0..shape.cells()).map(|cell| goal.tiles()[shape.original(cell)]);
        let tiles: Vec<Tile> = cells.filter(|&tile| tile != 0).collect();
        let mut places = vec![0; tiles.len() + 1];
        for (place, &tile) in tiles.iter().enumerate() {
            places[usize::from(tile)] = place;
        }
        let mut planes = planes(shape.cells(), shape.blanks);
        planes.sort_unstable_by_key(|&blanks| (shape.colour(blanks), blanks));
        let even = planes.partition_point(|&blanks| shape.colour(blanks) == 0);
        Self { goal: goal.clone(), shape, places, tiles, planes, even }
    }

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        &self.goal
    }

    /// Returns how the bits are arranged.
    pub const fn shape(&self) -> SpaceShape {
        self.shape
    }

    pub(super) fn planes(&self) -> &[u64] {
        &self.planes
    }

    /// Returns the plane of some blanks.
    pub(super) fn plane(&self, blanks: u64) -> Option<usize> {
        let of_colour = self.planes_of(self.shape.colour(blanks));
        let place = self.planes[of_colour.clone()].binary_search(&blanks).ok()?;
        Some(of_colour.start + place)
    }

    /// Returns the planes of a colour.
    pub(super) fn planes_of(&self, colour: usize) -> Range<usize> {
        if colour == 0 { 0..self.even } else { self.even..self.planes.len() }
    }

    /// Returns the slabs of a colour.
    pub(super) fn slabs_of(&self, colour: usize) -> Range<usize> {
        let (planes, parities) = (self.planes_of(colour), self.shape.parities());
        planes.start * parities..planes.end * parities
    }

    /// Returns the colour of the planes with boards at a depth, if a move is one step.
    pub(super) fn colour_at(&self, depth: usize) -> usize {
        (self.shape.colour(self.shape.mask(&self.goal)) + depth) % 2
    }

    /// Returns the number of slabs.
    pub(super) fn slabs(&self) -> usize {
        self.planes.len() * self.shape.parities()
    }

    /// Returns the number of words with a bit for each board.
    pub(super) fn words(&self) -> usize {
        self.slabs() * self.shape.slab_words()
    }

    /// Returns whether the orders of a slab are odd.
    pub(super) fn is_odd(&self, slab: usize) -> bool {
        let SpaceShape { blanks, cols, tiles, .. } = self.shape;
        if blanks > 1 || tiles == 0 {
            return !slab.is_multiple_of(self.shape.parities());
        }
        let row = |blanks: u64| blanks.trailing_zeros() as usize / cols;
        let rows = row(self.planes[slab]).abs_diff(row(self.shape.mask(&self.goal)));
        // Each vertical move of the blank takes a tile past `cols - 1` others.
        (rows * (cols - 1)) % 2 == 1
    }

    /// Returns the slot of a board, or `None` if it cannot reach the goal or has other tiles.
    pub fn slot(&self, board: &Board) -> Option<usize> {
        if board.size() != self.goal.size() {
            return None;
        }
        let plane = self.plane(self.shape.mask(board))?;
        let cells = (0..self.shape.cells()).map(|cell| board.tiles()[self.shape.original(cell)]);
        let order = cells.filter(|&tile| tile != 0).map(|tile| self.places[usize::from(tile)]);
        let (mut word, mut bit, mut seen, mut sum) = (0, 0, 0_u64, 0);
        for (place, tile) in order.enumerate() {
            let digit = tile - (seen & ((1 << tile) - 1)).count_ones() as usize;
            seen |= 1 << tile;
            sum += digit;
            match self.shape.tiles.saturating_sub(place) {
                radix if radix >= WORD_RADIX => word = word * radix + digit,
                radix if radix > 2 => bit = bit * radix + digit,
                _ => {}
            }
        }
        let slab = match self.shape.parities() {
            2 => 2 * plane + sum % 2,
            _ => plane,
        };
        let occurs = match self.shape.tiles {
            0 => sum == 0,
            _ => (sum % 2 == 1) == self.is_odd(slab),
        };
        occurs.then(|| (slab * self.shape.slab_words() + word) * 64 + bit)
    }

    /// Returns every board with its [rank](Self::rank).
    pub fn boards(&self) -> impl Iterator<Item = (usize, Board)> + '_ {
        let per_word = self.shape.per_word();
        let slots = (0..self.words() * per_word)
            .map(move |rank| (rank, rank / per_word * 64 + rank % per_word));
        let board = |(rank, slot)| (rank, slot, self.board(slot));
        // A single tile with several blanks has no odd order.
        let occurs = |(_, slot, board): &(_, _, Board)| self.slot(board) == Some(*slot);
        slots.map(board).filter(occurs).map(|(rank, _, board)| (rank, board))
    }

    /// Returns a board's number among the boards that can reach the goal, or `None` for other
    /// boards. Ranks are below twice the number of boards.
    pub fn rank(&self, board: &Board) -> Option<usize> {
        let slot = self.slot(board)?;
        Some(slot / 64 * self.shape.per_word() + slot % 64)
    }

    /// Returns the cell of a board's first blank, after exchanging rows and columns if the
    /// [shape](SpaceShape) is transposed.
    pub fn blank(&self, board: &Board) -> usize {
        self.shape.mask(board).trailing_zeros() as usize
    }

    /// Returns the board with one blank in a cell and a word and a bit in this cell's slab.
    ///
    /// # Panics
    /// Panics if there is no such board.
    pub fn board_in(&self, cell: usize, word: usize, bit: usize) -> Board {
        let slab = self.plane(1 << cell).expect("a board has one blank");
        self.board((slab * self.shape.slab_words() + word) * 64 + bit)
    }

    /// Returns the board at a slot. Padding slots belong to no board.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    pub fn board(&self, slot: usize) -> Board {
        let (word, bit) = (slot / 64, slot % 64);
        let slab = word / self.shape.slab_words();
        let tiles = self.shape.tiles;
        let mut digits = vec![0; self.tiles.len()];
        let (mut word, mut bit) = (word % self.shape.slab_words(), bit);
        for radix in 3..=tiles {
            let rest = if radix < WORD_RADIX { &mut bit } else { &mut word };
            digits[tiles - radix] = *rest % radix;
            *rest /= radix;
        }
        if tiles >= 2 {
            let sum = digits.iter().sum::<usize>() + usize::from(self.is_odd(slab));
            digits[tiles - 2] = sum % 2;
        }
        let mut left = self.tiles.clone();
        let mut order = digits.into_iter().map(|digit| left.remove(digit));
        let blanks = self.planes[slab / self.shape.parities()];
        let mut cells = vec![0; self.shape.cells()];
        for cell in (0..cells.len()).filter(|cell| blanks >> cell & 1 == 0) {
            cells[self.shape.original(cell)] =
                order.next().expect("there is a tile for each other cell");
        }
        Board::new(self.goal.size(), cells).expect("an order has every tile once")
    }

    /// Returns the first `most` of some boards, ordered by their blanks' cells, then by their tiles
    /// as numbered in the goal.
    pub fn first(&self, boards: impl Iterator<Item = Board>, most: usize) -> Vec<Board> {
        let mut places = vec![0_u16; self.tiles.len() + 1];
        let numbered = self.goal.tiles().iter().filter(|&&tile| tile != 0).zip(1..);
        numbered.for_each(|(&tile, place)| places[usize::from(tile)] = place);
        let key = |board: &Board| {
            let tiles = board.tiles().iter().filter(|&&tile| tile != 0);
            (mask(board), tiles.map(|&tile| places[usize::from(tile)]).collect::<Vec<_>>())
        };
        let mut first = Vec::new();
        for board in boards {
            first.push((key(&board), board));
            // Now and then the others are dropped.
            if first.len() > 4 * most {
                first.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
                first.truncate(most);
            }
        }
        first.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        first.into_iter().take(most).map(|(_, board)| board).collect()
    }
}

/// Returns the cells of a board's blanks, a bit for each.
pub(super) fn mask(board: &Board) -> u64 {
    board.blanks().fold(0, |mask, cell| mask | 1 << cell)
}

/// Returns all sets of `blanks` cells.
fn planes(cells: usize, blanks: usize) -> Vec<u64> {
    let mut planes = Vec::new();
    let mut mask = u64::MAX >> (64 - blanks);
    loop {
        planes.push(mask);
        // The next number with as many bits: the top bit of the lowest run of ones moves up by one,
        // and the rest of the run moves to the bottom.
        let (low, bit) = (mask & mask.wrapping_neg(), mask.trailing_zeros());
        let Some(ripple) = mask.checked_add(low) else { break };
        mask = ripple | (((mask ^ ripple) >> bit) >> 2);
        if cells < 64 && mask >> cells != 0 {
            break;
        }
    }
    planes
}

/// Returns the size of a goal's space.
pub(super) fn extent(goal: &Board, metric: Metric) -> Extent {
    const TOO_LARGE: u64 = u64::MAX;
    let shape = SpaceShape::new(goal);
    if shape.cells() > 64 {
        return Extent { states: TOO_LARGE, bytes: TOO_LARGE };
    }
    let (sets, orders) = shape.counts();
    let states = u64::try_from(sets.saturating_mul(orders)).unwrap_or(TOO_LARGE);
    let bytes = shape.size().and_then(|(slabs, words)| {
        let slab = words.checked_mul(size_of::<u64>())?;
        let layers = match metric {
            Metric::Single => slabs.checked_mul(slab.checked_add(shape.blocks())?)?,
            // Two layers, and the sums that each thread collects.
            Metric::Multi => {
                let threads = rayon::current_num_threads().min(slabs);
                slab.checked_mul(slabs.checked_mul(2)?.checked_add(3 * threads)?)?
            }
        };
        let planes = Links::plane_bytes(shape).checked_mul(slabs / shape.parities())?;
        let plan = slabs.checked_mul(SharePlan::SLAB_BYTES)?;
        layers.checked_add(planes)?.checked_add(plan)?.checked_add(Map::all_bytes(shape))
    });
    Extent { states, bytes: bytes.map_or(TOO_LARGE, |bytes| bytes as u64) }
}
