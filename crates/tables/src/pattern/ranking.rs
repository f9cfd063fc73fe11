//! Numbers the placements of some tiles.

use crate::bits::bits;

/// A perfect and dense numbering of the placements of k tiles on n cells.
///
/// An index is `set * k! + order`.
/// - `set` numbers the occupied cells, taken as a bit mask, in ascending order of the mask: it is
///   the sum of `C(cell, i)` over the cells in ascending order, with i from 1.
/// - `order` numbers the tiles' order. Its digits, the first tile's the most significant, count the
///   later tiles on lower cells, so the digit of tile t (from 0) weighs `(k - 1 - t)!`.
///
/// The occupied set comes first because the possible moves depend only on it: one sweep over
/// adjacent entries processes all k! orders of a set. Digits belong to tiles, not to cells, because
/// a search knows each tile's cell.
///
/// ```
/// use taquin_tables::Ranking;
///
/// let ranking = Ranking::new(9, 4).unwrap();
/// assert_eq!((ranking.sets(), ranking.orders()), (126, 24));
/// let index = ranking.rank(&[5, 0, 7, 2]); // the cell of each tile
/// assert_eq!(ranking.unrank(index), [5, 0, 7, 2]);
/// let set = index / ranking.orders();
/// assert_eq!(ranking.mask(set), 1 << 0 | 1 << 2 | 1 << 5 | 1 << 7);
/// assert_eq!((ranking.set(ranking.mask(set)), Ranking::count(9, 4)), (set, Some(3_024)));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    cells: usize,
    tiles: usize,
    sets: usize,
    orders: usize,
    /// The contribution of a mask byte to the set's number, for each byte, each number of cells in
    /// the lower bytes and each value of the byte.
    shares: Box<[u32]>,
    /// The weight of each tile's digit in an order's number. Has at least eight entries.
    weights: Box<[usize]>,
    /// `C(cell, i)` at `cell * (tiles + 1) + i`.
    choose: Box<[u64]>,
}

impl Ranking {
    /// Creates the numbering for `tiles` tiles on `cells` cells, unless there are more than 64
    /// cells, more tiles than cells, or more than 2^40 placements.
    pub fn new(cells: usize, tiles: usize) -> Option<Self> {
        let orders = (1..=tiles).try_fold(1_usize, usize::checked_mul)?;
        let sets = Self::count(cells, tiles)? / orders;
        let row = tiles + 1;
        let mut choose = vec![0_u64; cells * row];
        for cell in 0..cells {
            choose[cell * row] = 1;
            for i in 1..row.min(cell + 1) {
                choose[cell * row + i] =
                    choose[(cell - 1) * row + i - 1] + choose[(cell - 1) * row + i];
            }
        }
        let mut shares = Vec::with_capacity(cells.div_ceil(8) * row * 256);
        for byte in 0..cells.div_ceil(8) {
            for below in 0..row {
                // Values for impossible sets are never read.
                let share =
                    |(bit, i): (usize, usize)| choose.get((byte * 8 + bit) * row + i.min(tiles));
                shares.extend((0..256_usize).map(|value| {
                    let shares = bits(value as u64)
                        .zip(below + 1..)
                        .map(|at| share(at).copied().unwrap_or(0) as u32);
                    shares.fold(0, u32::wrapping_add)
                }));
            }
        }
        let weights =
            (0..tiles.max(8)).map(|tile| (1..tiles.saturating_sub(tile)).product()).collect();
        let (shares, choose) = (shares.into(), choose.into());
        Some(Self { cells, tiles, sets, orders, shares, weights, choose })
    }

    /// Returns how many placements `tiles` tiles have on `cells` cells, unless [`new`](Self::new)
    /// would refuse them.
    pub fn count(cells: usize, tiles: usize) -> Option<usize> {
        let free = cells.checked_sub(tiles).filter(|_| cells <= 64)?;
        let placements = (free + 1..=cells).try_fold(1_usize, usize::checked_mul)?;
        // There are then fewer than 2^32 sets: more would need 8 tiles, whose orders would be too
        // many.
        (placements as u64 <= 1 << 40).then_some(placements)
    }

    /// Returns the number of cells.
    pub const fn cells(&self) -> usize {
        self.cells
    }

    /// Returns the number of tiles.
    pub const fn tiles(&self) -> usize {
        self.tiles
    }

    /// Returns how many sets of occupied cells exist.
    pub const fn sets(&self) -> usize {
        self.sets
    }

    /// Returns how many orders the tiles have on a set of cells.
    pub const fn orders(&self) -> usize {
        self.orders
    }

    /// Returns the number of placements.
    pub const fn placements(&self) -> usize {
        self.sets * self.orders
    }

    /// Returns the index of the placement with each tile on the given cell.
    ///
    /// # Panics
    /// May panic, and otherwise returns a meaningless number, unless there is a cell for each tile
    /// and all are different cells of the board.
    #[inline]
    pub fn rank(&self, cells: &[u8]) -> usize {
        let set = self.set(cells.iter().fold(0, |mask, &cell| mask | 1 << cell));
        set * self.orders + self.order(cells)
    }

    /// Returns the number of the order.
    #[inline]
    fn order(&self, cells: &[u8]) -> usize {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        let mut order = 0;
        if cells.len() > 8 {
            for (tile, (cell, weight)) in cells.iter().zip(&self.weights).enumerate() {
                order += weight * cells[tile..].iter().filter(|&other| other < cell).count();
            }
            return order;
        }
        // All later cells are compared together: a byte keeps its high bit when the cell is
        // subtracted, unless it is lower. Unused bytes are greater than any cell.
        let packed = cells.iter().rev().fold(u64::MAX, |later, &cell| later << 8 | u64::from(cell));
        let mut later = packed | ONES << 7;
        for weight in &self.weights[..7] {
            let cell = later & 127;
            later = later >> 8 | 255 << 56;
            let lower = !(later - ONES * cell) >> 7 & ONES;
            order += weight * (lower.wrapping_mul(ONES) >> 56) as usize;
        }
        order
    }

    /// Returns the cells of the tiles in the placement with this index.
    pub fn unrank(&self, index: usize) -> Vec<u8> {
        let mut places: Vec<u8> =
            bits(self.mask(index / self.orders)).map(|cell| cell as u8).collect();
        order_digits(index % self.orders, self.tiles).map(|digit| places.remove(digit)).collect()
    }

    /// Returns the number of a set of occupied cells, given as a mask.
    #[inline]
    pub fn set(&self, mask: u64) -> usize {
        let mut set = 0;
        let mut below = 0;
        for byte in 0..self.cells.div_ceil(8) {
            let value = (mask >> (8 * byte)) as u8;
            set +=
                self.shares[(byte * (self.tiles + 1) + below) * 256 + usize::from(value)] as usize;
            below += usize::from(COUNTS[usize::from(value)]);
        }
        set
    }

    /// Returns the occupied cells, as a mask, of the set with this number.
    pub fn mask(&self, set: usize) -> u64 {
        let mut rest = set as u64;
        let mut mask = 0;
        let mut i = self.tiles;
        for cell in (0..self.cells).rev() {
            let share = self.choose[cell * (self.tiles + 1) + i];
            if i > 0 && share <= rest {
                rest -= share;
                mask |= 1 << cell;
                i -= 1;
            }
        }
        mask
    }
}

/// The number of bits in each byte. Not every target processor has an instruction for it.
const COUNTS: [u8; 256] = {
    let mut counts = [0; 256];
    let mut byte = 1;
    while byte < 256 {
        counts[byte] = counts[byte / 2] + (byte % 2) as u8;
        byte += 1;
    }
    counts
};

/// Returns the digits of an order's number, the first tile's first.
pub(crate) fn order_digits(order: usize, tiles: usize) -> impl Iterator<Item = usize> {
    let mut weight = (1..=tiles).product::<usize>();
    let mut rest = order;
    (1..=tiles).rev().map(move |base| {
        weight /= base;
        let digit = rest / weight;
        rest %= weight;
        digit
    })
}
