//! The position of the two bits of each board of a space.

use std::fmt;

use taquin_tiles::{Board, Tile};

use super::moves::PlaneMoves;
use super::numbering::{Number, Numbering, OrderSet, PER_WORD};
use super::{ExploreError, Extent};

/// The numbering of the boards from which a goal can be reached.
#[derive(Clone, PartialEq, Eq)]
pub struct SpaceIndex {
    goal: Board,
    numbering: Numbering,
    /// The place of each tile in the goal's order.
    places: Vec<usize>,
    /// The tiles in the goal's order.
    tiles: Vec<Tile>,
    /// The set of the blanks' cells of each plane, in ascending order.
    planes: Vec<u64>,
}

impl fmt::Debug for SpaceIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpaceIndex").field("goal", &self.goal).finish_non_exhaustive()
    }
}

impl SpaceIndex {
    /// Creates the numbering for a goal.
    ///
    /// # Errors
    /// Fails if exploring the space would take more than `memory` bytes.
    pub fn new(goal: &Board, memory: u64) -> Result<Self, ExploreError> {
        let Extent { states, bytes } = extent(goal);
        let too_large = ExploreError::Memory { states, needed: bytes, allowed: memory };
        if bytes > memory {
            return Err(too_large);
        }
        let tiles: Vec<Tile> = goal.tiles().iter().copied().filter(|&tile| tile != 0).collect();
        let numbering = Numbering::new(tiles.len(), orders(goal)).ok_or(too_large)?;
        let mut places = vec![0; tiles.len() + 1];
        for (place, &tile) in tiles.iter().enumerate() {
            places[usize::from(tile)] = place;
        }
        let planes = planes(goal.size().cells(), goal.blanks().count());
        Ok(Self { goal: goal.clone(), numbering, places, tiles, planes })
    }

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        &self.goal
    }

    pub(super) const fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    pub(super) fn planes(&self) -> &[u64] {
        &self.planes
    }

    /// Returns the plane of some blanks.
    pub(super) fn plane(&self, blanks: u64) -> Option<usize> {
        self.planes.binary_search(&blanks).ok()
    }

    /// Returns the number of words with two bits for each state.
    pub(super) fn words(&self) -> usize {
        self.planes.len() * self.numbering.high() * self.numbering.words()
    }

    /// Returns whether the orders of a plane are odd, if only half of the orders occur.
    pub(super) fn is_odd(&self, plane: usize) -> bool {
        let size = self.goal.size();
        if orders(&self.goal) != OrderSet::Half {
            return false;
        }
        let row = |blanks: u64| size.row(blanks.trailing_zeros() as u16);
        let rows = row(self.planes[plane]).abs_diff(row(mask(&self.goal)));
        // Each vertical move of the blank takes a tile past `cols - 1` others.
        (rows * (size.cols() - 1)) % 2 == 1
    }

    /// Returns the slot of a board, or `None` if it cannot reach the goal or has other tiles.
    pub fn slot(&self, board: &Board) -> Option<usize> {
        if board.size() != self.goal.size() {
            return None;
        }
        let plane = self.plane(mask(board))?;
        let tiles = board.tiles().iter().filter(|&&tile| tile != 0);
        let order = tiles.map(|&tile| self.places[usize::from(tile)]);
        let Number { high, low } = self.numbering.number(order, self.is_odd(plane))?;
        Some(self.place(plane, high) + low)
    }

    /// Returns the first slot of the orders with the same high part.
    fn place(&self, plane: usize, high: usize) -> usize {
        (plane * self.numbering.high() + high) * self.numbering.words() * PER_WORD
    }

    /// Returns the board at a slot. Padding slots belong to no board.
    ///
    /// # Panics
    /// Panics if there is no such slot.
    pub fn board(&self, slot: usize) -> Board {
        let block = self.numbering.words() * PER_WORD;
        let high_parts = self.numbering.high();
        let (plane, high, low) =
            (slot / block / high_parts, slot / block % high_parts, slot % block);
        let order = self.numbering.order(Number { high, low }, self.is_odd(plane));
        let mut tiles = order.into_iter().map(|place| self.tiles[place]);
        let blanks = self.planes[plane];
        let cells = 0..self.goal.size().cells();
        let all = cells.map(|cell| match blanks >> cell & 1 {
            0 => tiles.next().expect("there is a tile for each other cell"),
            _ => 0,
        });
        Board::new(self.goal.size(), all.collect()).expect("an order has every tile once")
    }
}

/// Returns the cells of a board's blanks, a bit for each.
pub(super) fn mask(board: &Board) -> u64 {
    board.blanks().fold(0, |mask, cell| mask | 1 << cell)
}

/// Returns which orders occur.
fn orders(goal: &Board) -> OrderSet {
    match goal.blanks().count() {
        _ if goal.size().is_line() => OrderSet::One,
        1 => OrderSet::Half,
        _ => OrderSet::All,
    }
}

/// Returns all sets of `blanks` cells, as masks in ascending order.
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

/// Returns the size of the space of a goal.
pub(super) fn extent(goal: &Board) -> Extent {
    const TOO_LARGE: u64 = u64::MAX;
    let (cells, blanks) = (goal.size().cells(), goal.blanks().count());
    if cells > 64 {
        return Extent { states: TOO_LARGE, bytes: TOO_LARGE };
    }
    let tiles = cells - blanks;
    let choose = sets(cells, blanks);
    let of = |orders: u128| u64::try_from(choose.saturating_mul(orders)).unwrap_or(TOO_LARGE);
    let all = || (1..=tiles as u128).fold(1, u128::saturating_mul);
    let orders = orders(goal);
    let states = match orders {
        OrderSet::One => of(1),
        OrderSet::Half => of(all() / 2),
        OrderSet::All => of(all()),
    };
    let bytes = Numbering::new(tiles, orders).map_or(TOO_LARGE, |numbering| {
        let of_plane = (numbering.high() * numbering.words() * size_of::<u64>()) as u128
            + PlaneMoves::plane_bytes(blanks, tiles)
            + size_of::<u64>() as u128;
        let bytes = choose
            .saturating_mul(of_plane)
            .saturating_add(PlaneMoves::bytes(goal, &numbering).into());
        u64::try_from(bytes).unwrap_or(TOO_LARGE)
    });
    Extent { states, bytes }
}

/// Returns the number of words of the table of a goal, unless it is too large for any machine.
pub(super) fn words(goal: &Board) -> Option<usize> {
    let (cells, blanks) = (goal.size().cells(), goal.blanks().count());
    let numbering = Numbering::new(cells - blanks, orders(goal))?;
    let planes = usize::try_from(sets(cells, blanks)).ok()?;
    planes.checked_mul(numbering.high())?.checked_mul(numbering.words())
}

/// Returns the number of sets of `of` cells.
fn sets(cells: usize, of: usize) -> u128 {
    (1..=(cells - of) as u128).fold(1, |sets, i| sets * (of as u128 + i) / i)
}
