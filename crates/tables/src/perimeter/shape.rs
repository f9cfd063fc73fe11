//! The goals that share a perimeter, and the size of one.

use std::fmt;

use taquin_search::Cost;
use taquin_tiles::{Board, Cell, Move, Size};

use super::{DIRECTIONS, Level, Neighbours, PackedTiles, neighbours};

/// Everything that a perimeter depends on: the size of the board and the cell of the goal's blank,
/// turned and reflected so that the board is no higher than wide and the blank's cell is the last
/// possible one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PerimeterShape {
    size: Size,
    blank: u8,
}

/// The moves, sequences and bytes of a perimeter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerimeterPlan {
    /// The greatest number of moves.
    pub moves: Cost,
    /// The number of alternating sequences with at most that many moves.
    pub sequences: u64,
    /// The bytes of its bits.
    pub bytes: u64,
}

/// Packs the boards of a goal, so that the packed goal depends only on its [`PerimeterShape`].
#[derive(Clone, Debug)]
pub struct Packing {
    shape: PerimeterShape,
    size: Size,
    /// The place of each cell on the turned board.
    places: [u8; PerimeterShape::MAX_CELLS],
    /// The number that each tile gets. In the packed goal the numbers ascend.
    labels: [u8; PerimeterShape::MAX_CELLS],
}

impl PerimeterPlan {
    /// A perimeter with this many sequences takes one thread some seconds, and is worth a file.
    const LONG_SEQUENCES: u64 = 100_000_000;

    /// The time of a thread for a sequence.
    const SEQUENCE_SECONDS: f64 = 15e-9;

    /// Returns whether building takes some seconds, so that the perimeter is stored.
    pub const fn is_long(&self) -> bool {
        self.sequences >= Self::LONG_SEQUENCES
    }

    /// Returns about how long building takes on the threads of the current pool.
    pub fn seconds(&self) -> f64 {
        self.sequences as f64 * Self::SEQUENCE_SECONDS / rayon::current_num_threads() as f64
    }
}

impl PerimeterShape {
    /// The most cells of a board.
    pub const MAX_CELLS: usize = 16;

    /// The bits for each board of a level.
    const BITS: u64 = 3;

    /// The moves from one level to the next.
    const STEP: usize = 3;

    /// The most sequences: 19 moves on the 4x4 board have about as many, and take a minute.
    const MAX_SEQUENCES: u64 = 4_000_000_000;

    /// The most moves, on boards that have few sequences.
    const MAX_MOVES: usize = 60;

    /// The least words of a level.
    const MIN_WORDS: u64 = 8;

    /// Creates the shape for goals with the blank on a cell. Returns `None` if the board has more
    /// than 16 cells, or the blank is not on the board.
    pub fn new(size: Size, blank: Cell) -> Option<Self> {
        let fits = size.cells() <= Self::MAX_CELLS && usize::from(blank) < size.cells();
        fits.then(|| turns(size).map(|turn| turn.shape(blank)).max_by_key(|shape| shape.blank))?
    }

    /// Returns the size of the turned boards.
    pub const fn size(self) -> Size {
        self.size
    }

    /// Returns the cell of the turned goal's blank.
    pub const fn blank(self) -> u8 {
        self.blank
    }

    /// Returns the packed goal.
    pub(super) fn goal(self) -> PackedTiles {
        let places = (0..self.size.cells() as u8).filter(|&place| place != self.blank);
        places.zip(1..).map(|(place, tile): (u8, u64)| tile << (4 * place)).sum()
    }

    /// Returns the perimeters that can be built, from the smallest.
    pub fn plans(self) -> impl Iterator<Item = PerimeterPlan> {
        let sums = self.sums(Self::MAX_MOVES);
        // With more sequences than boards, more moves would hardly find new ones.
        let most = Self::MAX_SEQUENCES.min(self.boards());
        let count = sums.iter().take_while(|&&sum| sum <= most).count();
        (0..count).map(move |moves| self.plan_of(&sums[..=moves]))
    }

    /// Returns the perimeter of some moves, at most 60.
    pub(crate) fn plan(self, moves: Cost) -> PerimeterPlan {
        self.plan_of(&self.sums(moves as usize))
    }

    fn plan_of(self, sums: &[u64]) -> PerimeterPlan {
        let words = self.levels_of(sums).1 as u64;
        PerimeterPlan {
            moves: sums.len() as Cost - 1,
            sequences: sums.last().copied().unwrap_or(0),
            bytes: words * size_of::<u64>() as u64,
        }
    }

    /// Returns whether a perimeter of some moves may exist.
    pub(super) fn has(self, moves: Cost) -> bool {
        self.plans().any(|plan| plan.moves == moves)
    }

    /// Returns the levels of a perimeter, and the number of their words.
    pub(super) fn levels(self, moves: Cost) -> (Vec<Level>, usize) {
        self.levels_of(&self.sums(moves as usize))
    }

    fn levels_of(self, sums: &[u64]) -> (Vec<Level>, usize) {
        let boards = self.boards();
        let (mut levels, mut start) = (Vec::new(), 0);
        for moves in ((sums.len() - 1) % Self::STEP..sums.len()).step_by(Self::STEP) {
            let bits = sums[moves].min(boards).saturating_mul(Self::BITS);
            let words = bits.div_ceil(u64::BITS.into()).max(Self::MIN_WORDS);
            levels.push(Level { moves: moves as Cost, start, words });
            start += words;
        }
        (levels, start as usize)
    }

    /// Returns the number of boards that can reach the goal, unless the board is a line.
    fn boards(self) -> u64 {
        (3..=self.size.cells() as u64).fold(1, u64::saturating_mul)
    }

    /// Returns the number of alternating sequences with at most 0, 1, .. `moves` moves.
    fn sums(self, moves: usize) -> Vec<u64> {
        let neighbours = neighbours(self.size);
        // The number of sequences that lead to each cell, by the axis of the last move.
        let mut ends = [[0u64; 2]; Self::MAX_CELLS];
        ends[usize::from(self.blank)] = [1, 1];
        let mut sums = vec![1u64];
        while let (Some(&sum), true) = (sums.last(), sums.len() <= moves) {
            let mut next = [[0u64; 2]; Self::MAX_CELLS];
            for (cell, counts) in ends.iter().enumerate() {
                for (direction, axis) in (0..).zip([0, 0, 1, 1]) {
                    let step = |cell: &u8| neighbours[usize::from(*cell)][direction];
                    for to in std::iter::successors(step(&(cell as u8)), step) {
                        let count = &mut next[usize::from(to)][axis];
                        *count = count.saturating_add(counts[1 - axis]);
                    }
                }
            }
            ends = next;
            sums.push(ends.iter().flatten().fold(sum, |sum, &count| sum.saturating_add(count)));
        }
        sums
    }
}

impl fmt::Display for PerimeterShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-blank-{}", self.size, self.blank)
    }
}

/// A way to turn and reflect a board.
#[derive(Clone, Copy)]
struct Turn {
    size: Size,
    /// Whether rows become columns, and whether the order of the rows and of the columns is
    /// reversed then.
    transposes: bool,
    reverses: [bool; 2],
}

/// Returns the ways to turn a board that do not make it higher than wide. The first leaves it as it
/// is, if it is not.
fn turns(size: Size) -> impl Iterator<Item = Turn> {
    let may = move |transposes: bool| match transposes {
        false => size.rows() <= size.cols(),
        true => size.rows() >= size.cols(),
    };
    let reverses = [[true, true], [true, false], [false, true], [false, false]];
    let all = [true, false].into_iter().filter(move |&transposes| may(transposes));
    // The last of equals is taken, so that a board stays as it is if possible.
    all.flat_map(move |transposes| reverses.map(|reverses| Turn { size, transposes, reverses }))
}

impl Turn {
    /// Returns the size of the turned board.
    fn turned(self) -> Size {
        let (rows, cols) = (self.size.rows(), self.size.cols());
        let turned = if self.transposes { Size::new(cols, rows) } else { Size::new(rows, cols) };
        turned.expect("a board of as many cells")
    }

    fn place(self, cell: Cell) -> u8 {
        let (row, col) = (self.size.row(cell), self.size.col(cell));
        let turned = self.turned();
        let (row, col) = if self.transposes { (col, row) } else { (row, col) };
        let row = if self.reverses[0] { turned.rows() - 1 - row } else { row };
        let col = if self.reverses[1] { turned.cols() - 1 - col } else { col };
        (row * turned.cols() + col) as u8
    }

    fn shape(self, blank: Cell) -> PerimeterShape {
        PerimeterShape { size: self.turned(), blank: self.place(blank) }
    }
}

impl Packing {
    /// Returns how to pack the boards of a goal. Returns `None` if the goal has not exactly one
    /// blank, or more than 16 cells.
    pub fn new(goal: &Board) -> Option<Self> {
        let mut blanks = goal.blanks();
        let (Some(blank), None) = (blanks.next(), blanks.next()) else { return None };
        let size = goal.size();
        let shape = PerimeterShape::new(size, blank)?;
        let turn = turns(size).filter(|turn| turn.shape(blank) == shape).last()?;
        let mut places = [0; PerimeterShape::MAX_CELLS];
        let mut tiles = [0; PerimeterShape::MAX_CELLS];
        for (cell, &tile) in goal.tiles().iter().enumerate() {
            places[cell] = turn.place(cell as Cell);
            tiles[usize::from(places[cell])] = usize::from(tile);
        }
        let mut labels = [0; PerimeterShape::MAX_CELLS];
        let tiles = tiles[..size.cells()].iter().filter(|&&tile| tile > 0);
        for (label, &tile) in (1..).zip(tiles) {
            *labels.get_mut(tile)? = label;
        }
        Some(Self { shape, size, places, labels })
    }

    /// Returns the shape of the goal.
    pub const fn shape(&self) -> PerimeterShape {
        self.shape
    }

    /// Returns a board in four bits per cell.
    ///
    /// # Panics
    /// Panics unless the board has the goal's size and tiles.
    pub fn pack(&self, board: &Board) -> PackedTiles {
        let tiles = board.tiles().iter().zip(&self.places);
        tiles.map(|(&tile, place)| u64::from(self.label(tile.into())) << (4 * place)).sum()
    }

    /// Returns the place of a cell.
    pub fn place(&self, cell: Cell) -> u8 {
        self.places[usize::from(cell)]
    }

    /// Returns the number of a tile on packed boards.
    pub fn label(&self, tile: usize) -> u8 {
        self.labels[tile]
    }

    /// Returns the places next to each place, in the directions of boards that are not turned.
    pub fn neighbours(&self) -> Neighbours {
        let mut all = [[None; 4]; PerimeterShape::MAX_CELLS];
        for cell in 0..self.size.cells() as Cell {
            let target = |step: Move| step.target(self.size, cell).map(|to| self.place(to));
            all[usize::from(self.place(cell))] = DIRECTIONS.map(target);
        }
        all
    }
}
