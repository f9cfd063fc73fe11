//! How the numbers of [`pairs`](super::pairs) are learned.
//!
//! Random 7x7 boards are solved by a beam search. A board on the way that it found is set against some of
//! those that were kept at the same depth, and the numbers are moved such that the former is worth less
//! than the latter. Then it is done again with the new numbers, since another search keeps other boards.

use taquin_search::{Limits, Random};
use taquin_tiles::{Puzzle, Slide};

use super::beam::{Aim, Beam};
use super::clock::Clock;
use super::grid::{Content as _, Grid, MOVE};
use super::numbered;
use super::pairs::{BLANK, KINDS, LEARNED, Learned, turned};
use super::tests::{crossings, random_puzzle};

/// Which pairs are worth the same, since they are mirror images: each has the number of its weight.
struct Weights {
    across: [[u8; KINDS]; KINDS],
    count: usize,
}

impl Weights {
    fn new() -> Self {
        let side = BLANK.isqrt();
        let mirrored =
            |kind| if kind == BLANK { BLANK } else { kind / side * side + side - 1 - kind % side };
        let flipped = |kind| if kind == BLANK { BLANK } else { BLANK - 1 - mirrored(kind) };
        let mut weights = Self { across: [[u8::MAX; KINDS]; KINDS], count: 0 };
        for left in 0..KINDS {
            for right in 0..KINDS {
                if weights.across[left][right] < u8::MAX {
                    continue;
                }
                for (left, right) in [(left, right), (flipped(left), flipped(right))] {
                    weights.across[left][right] = weights.count as u8;
                    weights.across[mirrored(right)][mirrored(left)] = weights.count as u8;
                }
                weights.count += 1;
            }
        }
        weights
    }

    /// How often each weight counts on a board, and in the end how many crossings there are.
    fn counts(&self, grid: &Grid, board: &[u8]) -> Vec<i16> {
        let mut counts = vec![0; self.count + 1];
        let cols = grid.size.cols();
        let kind = |cell: usize| grid.kind(board[cell].index(), cell);
        for cell in 0..grid.cells {
            if (cell + 1) % cols > 0 {
                counts[usize::from(self.across[kind(cell)][kind(cell + 1)])] += 1;
            }
            if cell + cols < grid.cells {
                let (upper, lower) = (turned(kind(cell)), turned(kind(cell + cols)));
                counts[usize::from(self.across[upper][lower])] += 1;
            }
        }
        counts[self.count] = crossings(board, grid.size) as i16;
        counts
    }

    /// The weights, in moves, as they are used.
    fn rounded(&self, weights: &[f32]) -> Learned {
        let round = |at: usize| (weights[at] * MOVE as f32).round();
        Learned {
            crossing: round(self.count) as i32,
            across: self.across.map(|row| row.map(|at| round(at.into()) as i8)),
        }
    }
}

/// By how much two boards differ: in what their tiles are worth alone, in moves, and in each weight.
struct Difference {
    alone: f32,
    weights: Vec<(u8, i16)>,
}

/// The differences of boards on the ways that are found to others of their depth.
fn differences(
    puzzle: &Puzzle,
    (weights, learned): (&Weights, &Learned),
    random: &mut Random,
) -> Vec<Difference> {
    let grid = Grid::with(puzzle.size(), random.next(), learned);
    let aim = Aim { width: 4_000, most: 600, patience: 600 };
    let limits = Limits::default();
    let start: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
    let mut beam = Beam::new();
    let way = beam.search(&grid, &start, aim, &mut Clock::new(&limits));
    if !way.is_solved {
        return Vec::new();
    }
    let board = |slides: &[Slide]| {
        let mut board = start.clone();
        for slide in slides {
            board.swap(slide.blank.into(), slide.target(puzzle.size()).into());
        }
        board
    };
    let alone = |board: &[u8]| {
        let tiles = (0..grid.cells).filter(|&cell| board[cell].index() < grid.cells);
        tiles.map(|cell| grid.value(board[cell].index(), cell)).sum::<u32>() as f32 / MOVE as f32
    };
    let mut differences = Vec::new();
    for level in 1..way.slides.len() - 4 {
        let good = board(&way.slides[..level]);
        let (good_alone, good_counts) = (alone(&good), weights.counts(&grid, &good));
        for _ in 0..10 {
            let other = board(&beam.way(level, random.below(beam.width_at(level))));
            let counts = good_counts.iter().zip(weights.counts(&grid, &other));
            let change = (0..).zip(counts).map(|(at, (good, other))| (at, good - other));
            differences.push(Difference {
                alone: good_alone - alone(&other),
                weights: change.filter(|change| change.1 != 0).collect(),
            });
        }
    }
    differences
}

/// Moves the weights such that the differences become negative.
fn fit(weights: &mut [f32], squares: &mut [f32], differences: &[Difference], random: &mut Random) {
    let steps = 2 * differences.len();
    let mut sums = vec![0.0_f64; weights.len()];
    let mut summed = 0.0;
    for step in 0..steps {
        let Difference { alone, weights: changes } = &differences[random.below(differences.len())];
        let worth: f32 =
            changes.iter().map(|&(at, by)| weights[usize::from(at)] * f32::from(by)).sum();
        // How wrong it is, from 0 where the difference is a clear one to 1.
        let wrong = (0.5 + (worth + alone) / 16.0).clamp(0.0, 1.0);
        for &(at, by) in changes {
            let slope = wrong * f32::from(by);
            let square = &mut squares[usize::from(at)];
            *square += slope * slope;
            weights[usize::from(at)] -= 0.05 * slope / square.sqrt();
        }
        // The mean of the second half is steadier than what comes last.
        if 2 * step > steps && step % 1_000 == 0 {
            sums.iter_mut().zip(&*weights).for_each(|(sum, &weight)| *sum += f64::from(weight));
            summed += 1.0;
        }
    }
    weights.iter_mut().zip(sums).for_each(|(weight, sum)| *weight = (sum / summed) as f32);
}

#[test]
#[ignore = "solves 1,400 boards and learns from them: six minutes"]
fn the_numbers_are_those_that_are_learned() {
    let mut random = Random::new(7);
    let weights = Weights::new();
    let mut values = vec![0.0; weights.count + 1];
    values[weights.count] = 2.0;
    let mut squares = vec![0.01; values.len()];
    let mut known = Vec::new();
    for round in 0..14 {
        let learned = weights.rounded(&values);
        let before = known.len();
        for _ in 0..100 {
            let puzzle = random_puzzle(7, 7, 1, &mut random);
            known.extend(differences(&puzzle, (&weights, &learned), &mut random));
        }
        println!("round {round}: {} moves on average", (known.len() - before) / 1000 + 5);
        // What the first searches kept tells little of what later ones keep.
        known.drain(..known.len().saturating_sub(1_500_000));
        fit(&mut values, &mut squares, &known, &mut random);
    }
    let learned = weights.rounded(&values);
    println!("crossing: {}", learned.crossing);
    learned.across.iter().for_each(|row| println!("    {row:?},"));
    assert_eq!(learned, LEARNED);
}
