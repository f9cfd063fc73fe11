//! The data that `cargo xtask learn` needs to fit the [weights](PairWeights) of adjacent contents.

use taquin_search::{Limits, Random};
use taquin_tiles::{Puzzle, Size, Slide};

use super::budget::Budget;
use super::evaluation::{Content, Evaluation, MOVE};
use super::numbered;
use super::pairs::turned;
use super::search::{Beam, BeamLimits};

pub use super::pairs::{BLANK, KINDS, LEARNED, PairWeights};

/// The units of a weight that make a move.
pub const UNITS: f32 = MOVE as f32;

/// The features of a board that its score depends on.
#[derive(Clone, Debug)]
pub struct Features {
    /// The score of the tiles without pairs and crossings, in moves.
    pub alone: f32,
    /// The kinds of adjacent contents, left and right, or after turning the board so that they are.
    pub pairs: Vec<(usize, usize)>,
    /// The number of crossings.
    pub crossings: i32,
}

/// Solves a puzzle with up to 254 cells by a beam search with `weights`. Returns the features of
/// the boards on the path, each with the features of `others` random boards that were kept at the
/// same depth.
pub fn examples(
    puzzle: &Puzzle,
    weights: &PairWeights,
    others: usize,
    random: &mut Random,
) -> Vec<(Features, Vec<Features>)> {
    let size = puzzle.size();
    let evaluation = Evaluation::with(size, random.next(), weights);
    let beam_limits = BeamLimits { width: 4_000, longest: 600, patience: 600 };
    let start: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
    let mut beam = Beam::default();
    let limits = Limits::default();
    let path = beam.search(&evaluation, &start, beam_limits, &mut Budget::new(&limits));
    if !path.is_solved {
        return Vec::new();
    }
    let features = |slides: &[Slide]| {
        let mut board = start.clone();
        for slide in slides {
            board.swap(slide.blank.into(), slide.target(size).into());
        }
        Features::new(&evaluation, &board)
    };
    // The last boards are the same on almost every path.
    let levels = 1..path.slides.len() - 4;
    let example = |level: usize| {
        let mut other = || features(&beam.path(level, random.below(beam.width_at(level))));
        (features(&path.slides[..level]), (0..others).map(|_| other()).collect())
    };
    levels.map(example).collect()
}

impl Features {
    fn new(evaluation: &Evaluation, board: &[u8]) -> Self {
        let cells = evaluation.cells;
        let cols = evaluation.size.cols();
        let kind = |cell: usize| evaluation.kind(board[cell].index(), cell);
        let mut pairs = Vec::new();
        for cell in 0..cells {
            if (cell + 1) % cols > 0 {
                pairs.push((kind(cell), kind(cell + 1)));
            }
            if cell + cols < cells {
                pairs.push((turned(kind(cell)), turned(kind(cell + cols))));
            }
        }
        let tiles = (0..cells).filter(|&cell| board[cell].index() < cells);
        let alone = tiles.map(|cell| evaluation.value(board[cell].index(), cell)).sum::<u32>();
        Self { alone: alone as f32 / UNITS, pairs, crossings: crossings(board, evaluation.size) }
    }
}

/// Counts the pairs of tiles in the line where both belong that have to pass each other.
pub(super) fn crossings<C: Content>(board: &[C], size: Size) -> i32 {
    let homes: Vec<(usize, usize)> = (0..size.cells())
        .map(|cell| (cell, board[cell].index()))
        .filter(|&(_, tile)| tile < size.cells())
        .collect();
    let place = |cell: usize| (cell / size.cols(), cell % size.cols());
    let mut count = 0;
    for &(a, a_home) in &homes {
        for &(b, b_home) in &homes {
            let [(row, col), (home_row, home_col)] = [place(a), place(a_home)];
            let [(other_row, other_col), (other_home_row, other_home_col)] =
                [place(b), place(b_home)];
            let in_row = [home_row, other_row, other_home_row].iter().all(|&r| r == row);
            let in_col = [home_col, other_col, other_home_col].iter().all(|&c| c == col);
            count += i32::from(in_row && col < other_col && home_col > other_home_col);
            count += i32::from(in_col && row < other_row && home_row > other_home_row);
        }
    }
    count
}
