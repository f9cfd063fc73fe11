//! Beam searches by another engine, such as one on a device, and the data that it needs.

use taquin_search::Cost;
use taquin_tiles::{Move, Size};

use super::evaluation::Evaluation;

/// An engine for wider beam searches than the CPU can do.
pub trait WideBeam {
    /// The widest beam for a search of `levels` levels.
    fn widest(&self, levels: u32) -> usize;

    /// Searches from a board to that in which every tile is at home. Calls `goes_on` before each
    /// level with the number of its boards, and ends if it returns `false`. Returns `None` if the
    /// engine fails: then it is not used again.
    fn search(
        &mut self,
        search: WideSearch<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Option<WidePath>;
}

/// A beam search from a board.
#[derive(Clone, Copy, Debug)]
pub struct WideSearch<'a> {
    /// The contents of the cells: each tile's goal cell, the number of cells for the blank, and one
    /// more at the end.
    pub start: &'a [u8],
    /// The number of boards kept per depth.
    pub width: usize,
    /// The greatest length of a path.
    pub longest: u32,
    /// The number of levels without a better board after which the search gives up.
    pub patience: u32,
}

/// A path to the goal, or else to the best board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WidePath {
    /// The moves of the blank.
    pub moves: Vec<Move>,
    /// Whether it leads to the goal.
    pub is_solved: bool,
    /// The number of boards that were generated.
    pub generated: u64,
}

/// The tables behind a board's score, for boards with up to 254 cells.
#[derive(Clone, Debug)]
pub struct ScoreTables {
    /// The size of the boards.
    pub size: Size,
    /// For each cell and each move the cell that it leads to, or the number of cells.
    pub neighbours: Vec<u16>,
    /// Each tile's score on each cell. A row has one more than the number of cells.
    pub values: Vec<u32>,
    /// The kind of each content on each cell, likewise.
    pub kinds: Vec<u8>,
    /// The score for two kinds by the move from one to the other: three indices with 2, 5 and 5
    /// bits.
    pub pairs: Vec<i8>,
    /// How the Manhattan distance changes when a tile of a kind moves: indices with 2 and 5 bits.
    pub farther: Vec<i8>,
    /// Each content's number along the rows, then along the columns.
    pub numbers: Vec<u16>,
    /// Two random odd numbers for each cell.
    pub keys: Vec<u64>,
    /// The score of a crossing: two tiles that have to pass each other in a line.
    pub crossing: i32,
}

/// The greatest number of cells for which there are tables.
const MAX_CELLS: usize = 254;

impl ScoreTables {
    /// Returns the tables for a size, or `None` if it has too many cells. The seed belongs to the
    /// keys.
    pub fn new(size: Size, seed: u64) -> Option<Self> {
        let evaluation = (size.cells() <= MAX_CELLS).then(|| Evaluation::new(size, seed))?;
        let Evaluation { neighbours, values, kinds, pairs, keys, numbers, .. } = &evaluation;
        Some(Self {
            size,
            neighbours: neighbours.iter().flatten().copied().collect(),
            values: values.clone(),
            kinds: kinds.clone(),
            pairs: pairs.scores.iter().flatten().copied().collect(),
            farther: pairs.farther.iter().flatten().copied().collect(),
            numbers: numbers.concat(),
            keys: keys.clone(),
            crossing: if evaluation.has_crossings { evaluation.crossing } else { 0 },
        })
    }
}

/// A board as an engine must see it: with it, engines are tested.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardView {
    pub score: u32,
    pub manhattan: Cost,
    pub hash: u64,
}

/// Follows some moves of the blank. Returns how each board must be seen, the start first.
#[doc(hidden)]
pub fn follow(size: Size, seed: u64, start: &[u8], moves: &[Move]) -> Vec<BoardView> {
    let evaluation = Evaluation::new(size, seed);
    let mut board = start.to_vec();
    let cells = evaluation.cells;
    let mut blank = start.iter().position(|&tile| usize::from(tile) == cells).unwrap_or(0);
    let (hash, manhattan) = (evaluation.hash(start), evaluation.manhattan(start));
    let mut seen = vec![BoardView { score: 0, manhattan, hash }];
    for &step in moves {
        let to = usize::from(evaluation.neighbours[blank][step as usize]);
        let around = evaluation.around(&board, blank);
        let change = match step as usize {
            0 => evaluation.change::<u8, 0>(&board, &around, to),
            1 => evaluation.change::<u8, 1>(&board, &around, to),
            2 => evaluation.change::<u8, 2>(&board, &around, to),
            _ => evaluation.change::<u8, 3>(&board, &around, to),
        };
        board.swap(blank, to);
        blank = to;
        let score = seen.last().map_or(0, |last| last.score).wrapping_add_signed(change);
        let (hash, manhattan) = (evaluation.hash(&board), evaluation.manhattan(&board));
        seen.push(BoardView { score, manhattan, hash });
    }
    seen
}
