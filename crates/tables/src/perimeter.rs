//! The boards near a goal if a segment of tiles slides as one move, as bits.
//!
//! For each number of moves there is a bit map. It has a bit for every board within that many
//! moves, at a position given by the board's hash. Another board may have the same bit, so a bit
//! that is set proves nothing, but a board whose bit is not set is farther away. A search from the
//! other end stops at almost every board that it reaches with that many moves left. Storing bits
//! and not boards gives more moves in the same memory: one more costs three times as much, and
//! makes the search three times as fast.
//!
//! In a shortest solution with one blank, vertical and horizontal moves alternate. So the boards are
//! found without any table of known ones, by trying all alternating sequences.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::{Cost, Monitor, prefetch};
use taquin_tiles::{Board, Cell, Move, Size};

use crate::pattern::BuildError;

/// A packed board of at most 16 cells: four bits for each, 0 for the blank.
pub type PackedTiles = u64;

/// The bits of the boards within some moves of a goal.
///
/// ```
/// use taquin_search::Monitor;
/// use taquin_tables::Perimeter;
/// use taquin_tiles::{Board, NamedGoal};
///
/// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
/// let perimeter = Perimeter::new(&goal, 1 << 20, &Monitor::default())?.expect("one blank");
/// assert!(perimeter.moves() >= 10);
/// let far: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// assert!(!perimeter.may_have(10, Perimeter::pack(&far)));
/// assert!(perimeter.may_have(0, Perimeter::pack(&goal)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Perimeter {
    goal: Board,
    /// One for each number of moves.
    maps: Vec<BitMap>,
}

/// A bit for each hash.
#[derive(Debug)]
struct BitMap {
    /// The bits that a hash is shifted by.
    shift: u32,
    words: Vec<AtomicU64>,
}

/// The cells next to each cell, in the order of [`DIRECTIONS`].
pub type Neighbours = [[Option<u8>; 4]; Perimeter::MAX_CELLS];

/// The directions: the first two are vertical.
pub const DIRECTIONS: [Move; 4] = [Move::Up, Move::Down, Move::Left, Move::Right];

/// Returns the cells next to each cell of a board.
pub fn neighbours(size: Size) -> Neighbours {
    let mut all = [[None; 4]; Perimeter::MAX_CELLS];
    for (cell, row) in all.iter_mut().enumerate().take(size.cells()) {
        *row = DIRECTIONS.map(|step| step.target(size, cell as Cell).map(|cell| cell as u8));
    }
    all
}

/// Slides the tile on `from` to the blank `to`. Returns the board and the tile.
#[inline]
pub const fn slide(board: PackedTiles, from: u8, to: u8) -> (PackedTiles, usize) {
    let tile = board >> (4 * from) & 15;
    (board ^ (tile << (4 * from) | tile << (4 * to)), tile as usize)
}

impl BitMap {
    const LEAST_BITS: u32 = 9;

    fn new(bits: u32) -> Self {
        let words = (0..1usize << (bits - 6)).into_par_iter().map(|_| AtomicU64::new(0)).collect();
        Self { shift: u64::BITS - bits, words }
    }

    /// Returns the word and the bit of a board.
    #[inline]
    const fn place(&self, board: PackedTiles) -> (usize, u64) {
        let mixed = (board ^ board >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let hash = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> self.shift;
        ((hash >> 6) as usize, 1 << (hash & 63))
    }

    fn insert(&self, board: PackedTiles) {
        let (word, bit) = self.place(board);
        // Most of the last ones are new, and those before them are known.
        if self.words[word].load(Relaxed) & bit == 0 {
            self.words[word].fetch_or(bit, Relaxed);
        }
    }
}

impl Perimeter {
    /// The most cells of a board.
    pub const MAX_CELLS: usize = 16;

    /// The bits for each sequence of moves: with fewer, more boards share a bit.
    const BITS: u64 = 8;

    /// The most moves: more take minutes.
    const MAX_MOVES: usize = 18;

    /// Finds the boards near a goal in at most `memory` bytes. Returns `None` if the goal has not
    /// exactly one blank, or more than 16 cells.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled.
    pub fn new(goal: &Board, memory: u64, monitor: &Monitor) -> Result<Option<Self>, BuildError> {
        let mut blanks = goal.blanks();
        let (Some(blank), None) = (blanks.next(), blanks.next()) else { return Ok(None) };
        if goal.size().cells() > Self::MAX_CELLS {
            return Ok(None);
        }
        let neighbours = neighbours(goal.size());
        let mut maps = Vec::new();
        let mut left = memory;
        for bits in map_bits(goal.size(), blank as u8, &neighbours) {
            match left.checked_sub(1 << (bits - 3)) {
                Some(rest) => left = rest,
                None => break,
            }
            maps.push(BitMap::new(bits));
        }
        if maps.is_empty() {
            return Ok(None);
        }
        let this = Self { goal: goal.clone(), maps };
        this.fill(blank as u8, &neighbours, monitor)?;
        Ok(Some(this))
    }

    /// Sets the bits of all boards.
    fn fill(
        &self,
        blank: u8,
        neighbours: &Neighbours,
        monitor: &Monitor,
    ) -> Result<(), BuildError> {
        /// The sequences with this many moves are divided among the threads.
        const FIRST: usize = 5;
        let goal = Self::pack(&self.goal);
        let mut all = Vec::new();
        let mut first = Filling { perimeter: self, neighbours, buffer: Vec::new() };
        first.insert(goal, 0);
        for axis in 0..2 {
            first.below((goal, blank), axis, 0, FIRST, &mut |node| all.push(node));
        }
        first.flush();
        all.into_par_iter().try_for_each(|(place, axis)| {
            if monitor.is_cancelled() {
                return Err(BuildError::Cancelled);
            }
            let mut filling = Filling { perimeter: self, neighbours, buffer: Vec::new() };
            filling.below(place, axis, FIRST, self.maps.len(), &mut |_| ());
            filling.flush();
            Ok(())
        })
    }

    /// Returns a board in four bits per cell.
    pub fn pack(board: &Board) -> PackedTiles {
        let tiles = board.tiles().iter().zip(0..);
        tiles.map(|(&tile, cell)| u64::from(tile) << (4 * cell)).sum()
    }

    /// Returns the goal.
    pub const fn goal(&self) -> &Board {
        &self.goal
    }

    /// Returns the greatest number of moves that it knows about.
    pub fn moves(&self) -> Cost {
        self.maps.len() as Cost - 1
    }

    /// Returns the bytes of its bits.
    pub fn bytes(&self) -> u64 {
        self.maps.iter().map(|map| size_of_val(&*map.words) as u64).sum()
    }

    /// Starts loading what [`may_have`](Self::may_have) looks at for the greatest number of moves.
    #[inline]
    pub fn prefetch(&self, board: PackedTiles) {
        if let Some(map) = self.maps.last() {
            prefetch(&map.words[map.place(board).0]);
        }
    }

    /// Returns whether a board may be within `moves` moves of the goal. The number is at most
    /// [`moves`](Self::moves).
    #[inline]
    pub fn may_have(&self, moves: Cost, board: PackedTiles) -> bool {
        let map = &self.maps[moves as usize];
        let (word, bit) = map.place(board);
        map.words[word].load(Relaxed) & bit != 0
    }

    /// Returns a number of moves that no solution of a board has fewer of.
    pub fn least(&self, board: PackedTiles) -> Cost {
        let unreached = (0..=self.moves()).rev().find(|&moves| !self.may_have(moves, board));
        unreached.map_or(0, |moves| moves + 1)
    }
}

/// Returns the bits of the map for each number of moves. They depend on the sequences of moves of the
/// blank, and on the number of boards.
fn map_bits(size: Size, blank: u8, neighbours: &Neighbours) -> Vec<u32> {
    let boards = (3..=size.cells() as u64).fold(1, u64::saturating_mul);
    // The number of sequences that lead to each cell, by the axis of the last move.
    let mut ends = [[0u64; 2]; Perimeter::MAX_CELLS];
    ends[usize::from(blank)] = [1, 1];
    let mut sum = 1u64;
    let mut all = vec![BitMap::LEAST_BITS];
    while all.len() <= Perimeter::MAX_MOVES {
        let mut next = [[0u64; 2]; Perimeter::MAX_CELLS];
        for (cell, counts) in ends.iter().enumerate() {
            for (direction, axis) in (0..).zip([0, 0, 1, 1]) {
                let step = |cell: &u8| neighbours[usize::from(*cell)][direction];
                for to in std::iter::successors(step(&(cell as u8)), step) {
                    next[usize::from(to)][axis] += counts[1 - axis];
                }
            }
        }
        ends = next;
        sum += ends.iter().flatten().sum::<u64>();
        let bits = (sum.min(boards) * Perimeter::BITS).ilog2();
        all.push(bits.max(BitMap::LEAST_BITS));
    }
    all
}

/// The insertion of boards: a few at a time, so that their loads from memory overlap.
struct Filling<'a> {
    perimeter: &'a Perimeter,
    neighbours: &'a Neighbours,
    /// Boards, and how many moves they are away.
    buffer: Vec<(PackedTiles, usize)>,
}

impl Filling<'_> {
    fn insert(&mut self, board: PackedTiles, moves: usize) {
        self.perimeter.prefetch(board);
        self.buffer.push((board, moves));
        if self.buffer.len() == 64 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (board, moves) in self.buffer.drain(..) {
            self.perimeter.maps[moves..].iter().for_each(|map| map.insert(board));
        }
    }

    /// Inserts the boards after each sequence of moves that begins along `axis`, up to `end` moves
    /// from the goal. Calls `last` with each board after `end` moves
    /// and the next axis.
    fn below(
        &mut self,
        (board, blank): (PackedTiles, u8),
        axis: usize,
        moves: usize,
        end: usize,
        last: &mut impl FnMut(((PackedTiles, u8), usize)),
    ) {
        for direction in [2 * axis, 2 * axis + 1] {
            let (mut board, mut blank) = (board, blank);
            while let Some(from) = self.neighbours[usize::from(blank)][direction] {
                (board, _) = slide(board, from, blank);
                blank = from;
                if moves + 1 < self.perimeter.maps.len() {
                    self.insert(board, moves + 1);
                }
                match moves + 1 < end {
                    true => self.below((board, blank), 1 - axis, moves + 1, end, last),
                    false => last(((board, blank), 1 - axis)),
                }
            }
        }
    }
}
