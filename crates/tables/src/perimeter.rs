//! The boards near a goal if a segment of tiles slides as one move, as bits.
//!
//! For some numbers of moves there is a level: a Bloom filter of all boards within that many moves.
//! Each board sets a few bits of one word, given by its hash. Another board may have the same bits,
//! so bits that are set prove nothing, but a board with a bit that is not set is farther away. A
//! search from the other end stops at almost every board that it reaches with that many moves left.
//! Storing bits and not boards gives more moves in the same memory: one more costs three times as
//! much on the 4x4 board, and makes the search three times as fast.
//!
//! Almost all boards that pass a level by chance are far away, so any other level stops their
//! successors. Levels are therefore three moves apart, and those below the greatest take hardly any
//! memory.
//!
//! In a shortest solution with one blank, vertical and horizontal moves alternate. So the boards are
//! found without any table of known ones, by trying all alternating sequences.
//!
//! The tiles' numbers and the board's orientation do not matter: [`Packing`] renumbers the tiles of
//! a goal and turns its boards, so that all goals of a [`PerimeterShape`] share a perimeter.

mod file;
mod memory;
mod shape;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::{Cost, Monitor, prefetch};
use taquin_tiles::{Cell, Move, Size};

use crate::content::Content;
use crate::pattern::BuildError;
use crate::store::{BuildRequest, TableEvent};

use self::memory::Memory;

pub use file::PerimeterInfo;
pub use shape::{Packing, PerimeterPlan, PerimeterShape};

/// A packed board of at most 16 cells: four bits for each, 0 for the blank.
pub type PackedTiles = u64;

/// The bits of the boards within some moves of a goal.
///
/// ```
/// use taquin_search::Monitor;
/// use taquin_tables::{Packing, Perimeter};
/// use taquin_tiles::{Board, NamedGoal};
///
/// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
/// let packing = Packing::new(&goal).expect("one blank, and at most 16 cells");
/// let perimeter = Perimeter::build(packing.shape(), 10, &Monitor::default(), &mut |_| ())?;
/// assert_eq!(perimeter.moves(), 10);
/// let far: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// assert!(!perimeter.may_have(10, packing.pack(&far)));
/// assert!(perimeter.may_have(0, packing.pack(&goal)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Perimeter {
    shape: PerimeterShape,
    /// In ascending order of their moves.
    levels: Vec<Level>,
    words: Words,
}

/// The words of the boards within some moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Level {
    moves: Cost,
    /// The first word, and the number of words.
    start: u64,
    words: u64,
}

/// The words of all levels, one after the other.
#[derive(Debug)]
enum Words {
    Built(Memory),
    Stored(Content),
}

/// The places next to each place, in the order of [`DIRECTIONS`].
pub type Neighbours = [[Option<u8>; 4]; PerimeterShape::MAX_CELLS];

/// The directions: the first two are vertical.
pub const DIRECTIONS: [Move; 4] = [Move::Up, Move::Down, Move::Left, Move::Right];

/// Returns the cells next to each cell of a board.
fn neighbours(size: Size) -> Neighbours {
    let mut all = [[None; 4]; PerimeterShape::MAX_CELLS];
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

/// Returns the hash of a board. All its bits are well mixed but the lowest.
#[inline]
const fn hash(board: PackedTiles) -> u64 {
    let mixed = (board ^ board >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

/// Returns the bits of a board in its word. They do not depend on the bits of the hash that choose
/// the word in the largest level.
#[inline]
const fn mask(hash: u64) -> u64 {
    1 << (hash >> 12 & 63) | 1 << (hash >> 18 & 63) | 1 << (hash >> 24 & 63)
}

impl Level {
    /// Returns the number of a board's word.
    #[inline]
    const fn word(&self, hash: u64) -> usize {
        (self.start + ((hash as u128 * self.words as u128) >> 64) as u64) as usize
    }
}

impl Perimeter {
    /// Finds the boards within `moves` moves on all threads of the current pool. Calls `progress`
    /// with the finished fraction. [`PerimeterShape::plans`] returns the required memory in advance.
    ///
    /// # Errors
    /// Fails if it is cancelled.
    pub fn build(
        shape: PerimeterShape,
        moves: Cost,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, BuildError> {
        let (levels, words) = shape.levels(moves);
        let mut memory = Memory::new(words);
        let (words, neighbours) = (memory.shared(), neighbours(shape.size()));
        let filler = Filler { levels: &levels, words, neighbours };
        filler.fill(shape, moves as usize, cancel, progress)?;
        Ok(Self { shape, levels, words: Words::Built(memory) })
    }

    /// Returns the shape of the goals.
    pub const fn shape(&self) -> PerimeterShape {
        self.shape
    }

    /// Returns the greatest number of moves that it knows about.
    pub fn moves(&self) -> Cost {
        self.levels.last().map_or(0, |level| level.moves)
    }

    /// Returns the bytes of its bits.
    pub fn bytes(&self) -> u64 {
        self.as_bytes().len() as u64
    }

    #[inline]
    fn as_bytes(&self) -> &[u8] {
        match &self.words {
            Words::Built(memory) => memory.bytes(),
            Words::Stored(content) => content,
        }
    }

    /// Returns whether the bits are still the loaded ones. Another program may have changed a file
    /// that is mapped into memory.
    pub fn is_intact(&self) -> bool {
        match &self.words {
            Words::Built(_) => true,
            Words::Stored(content) => content.is_intact(),
        }
    }

    /// Starts loading what [`may_have`](Self::may_have) looks at for the greatest number of moves.
    #[inline]
    pub fn prefetch(&self, board: PackedTiles) {
        if let Some(level) = self.levels.last() {
            prefetch(&self.as_bytes()[size_of::<u64>() * level.word(hash(board))]);
        }
    }

    /// Returns whether a board may be within `moves` moves of the goal. It may be if `moves` is
    /// greater than [`moves`](Self::moves).
    #[inline]
    pub fn may_have(&self, moves: Cost, board: PackedTiles) -> bool {
        let hash = hash(board);
        let levels = self.levels.iter().rev().take_while(|level| level.moves >= moves);
        levels.into_iter().all(|level| self.has(level, hash))
    }

    /// Returns a number of moves that no solution of a board has fewer of.
    pub fn least(&self, board: PackedTiles) -> Cost {
        let hash = hash(board);
        let unreached = self.levels.iter().rev().find(|level| !self.has(level, hash));
        unreached.map_or(0, |level| level.moves + 1)
    }

    #[inline]
    fn has(&self, level: &Level, hash: u64) -> bool {
        const BYTES: usize = size_of::<u64>();
        let (at, mask) = (BYTES * level.word(hash), mask(hash));
        let word: u64 = bytemuck::pod_read_unaligned(&self.as_bytes()[at..][..BYTES]);
        word & mask == mask
    }
}

impl PerimeterShape {
    /// Builds the perimeter of some moves, if the memory suffices.
    ///
    /// # Errors
    /// Fails if it does not, or if the build is cancelled.
    pub fn build(
        self,
        moves: Cost,
        request: &mut BuildRequest<'_>,
    ) -> Result<Perimeter, BuildError> {
        let (plan, allowed) = (self.plan(moves), request.memory);
        if plan.bytes > allowed {
            return Err(BuildError::Perimeter { moves, needed: plan.bytes, allowed });
        }
        (request.report)(TableEvent::PlannedPerimeter(self, plan));
        let progress = &mut |fraction| (request.report)(TableEvent::Progress(fraction));
        Perimeter::build(self, moves, request.cancel, progress)
    }
}

/// Sets the bits of all boards.
struct Filler<'a> {
    levels: &'a [Level],
    words: &'a [AtomicU64],
    neighbours: Neighbours,
}

/// A board and its blank.
type Place = (PackedTiles, u8);

impl Filler<'_> {
    /// The sequences with this many moves are divided among the threads.
    const FIRST: usize = 6;

    /// How often the progress is reported.
    const REPORTS: usize = 100;

    fn fill(
        &self,
        shape: PerimeterShape,
        moves: usize,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), BuildError> {
        let mut all = Vec::new();
        let mut filling = Filling { filler: self, buffer: Vec::new() };
        filling.insert(shape.goal(), 0);
        let (goal, first) = ((shape.goal(), shape.blank()), Self::FIRST.min(moves));
        for axis in (0..2).filter(|_| first > 0) {
            filling.below(goal, axis, 0, first, &mut |node| all.push(node));
        }
        filling.flush();
        if first == moves {
            return Ok(());
        }
        let each = all.len().div_ceil(Self::REPORTS).max(1);
        for (done, part) in all.chunks(each).enumerate() {
            part.par_iter().try_for_each(|&(place, axis)| {
                if cancel.is_cancelled() {
                    return Err(BuildError::Cancelled);
                }
                let mut filling = Filling { filler: self, buffer: Vec::new() };
                filling.below(place, axis, first, moves, &mut |_| ());
                filling.flush();
                Ok(())
            })?;
            progress((((done + 1) * each) as f64 / all.len() as f64).min(1.0));
        }
        Ok(())
    }
}

/// The insertion of boards: a few at a time, so that their loads from memory overlap.
struct Filling<'a> {
    filler: &'a Filler<'a>,
    /// The hashes of boards, and how many moves they are away.
    buffer: Vec<(u64, usize)>,
}

impl Filling<'_> {
    fn insert(&mut self, board: PackedTiles, moves: usize) {
        let hash = hash(board);
        if let Some(level) = self.filler.levels.last() {
            prefetch(&self.filler.words[level.word(hash)]);
        }
        self.buffer.push((hash, moves));
        if self.buffer.len() == 64 {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (hash, moves) in self.buffer.drain(..) {
            let levels = self.filler.levels.iter().rev();
            for level in levels.take_while(|level| level.moves as usize >= moves) {
                let (word, mask) = (&self.filler.words[level.word(hash)], mask(hash));
                // Many boards are known.
                if word.load(Relaxed) & mask != mask {
                    word.fetch_or(mask, Relaxed);
                }
            }
        }
    }

    /// Inserts the boards after each sequence of moves that begins along `axis`, up to `end` moves
    /// from the goal. Calls `last` with each board after `end` moves and the next axis.
    fn below(
        &mut self,
        (board, blank): Place,
        axis: usize,
        moves: usize,
        end: usize,
        last: &mut impl FnMut((Place, usize)),
    ) {
        for direction in [2 * axis, 2 * axis + 1] {
            let (mut board, mut blank) = (board, blank);
            while let Some(from) = self.filler.neighbours[usize::from(blank)][direction] {
                (board, _) = slide(board, from, blank);
                blank = from;
                self.insert(board, moves + 1);
                match moves + 1 < end {
                    true => self.below((board, blank), 1 - axis, moves + 1, end, last),
                    false => last(((board, blank), 1 - axis)),
                }
            }
        }
    }
}
