//! Fits the weights for adjacent contents in the beam search of `anytime`.
//!
//! Random 7x7 boards are solved by a beam search. Each board on the path that it found is compared
//! with some of the boards that were kept at the same depth, and the weights are changed so that it
//! scores better than those. This is repeated with the new weights, because they lead to other
//! beams.

use std::fmt::Write as _;
use std::fs;

use anyhow::Context as _;
use taquin::{NamedGoal, Puzzle, Random, Size, scramble};
use taquin_solvers::training::{BLANK, Features, KINDS, LEARNED, PairWeights, UNITS, examples};

const FILE: &str = "crates/solvers/src/beam/pairs.rs";

/// Learns from nothing and compares the weights with those in use, or writes them there.
pub(crate) fn learn(write: bool) -> anyhow::Result<bool> {
    let mut random = Random::new(7);
    let classes = Classes::new();
    let mut values = vec![0.0; classes.count + 1];
    values[classes.count] = 2.0;
    let mut squares = vec![0.01; values.len()];
    let mut known = Vec::new();
    for round in 1..=ROUNDS {
        let weights = classes.weights(&values);
        let mut moves = 0;
        for _ in 0..BOARDS {
            let size = Size::new(7, 7)?;
            let goal = NamedGoal::ALL[random.below(3)].board(size, 1);
            let puzzle = Puzzle::new(scramble::uniform(&goal, &mut random), goal)?;
            let examples = examples(&puzzle, &weights, COMPARED_BOARDS, &mut random);
            moves += examples.len() + 5;
            known.extend(examples.iter().flat_map(|example| classes.differences(example)));
        }
        println!("round {round} of {ROUNDS}: {} moves on average", moves / BOARDS);
        // The first beams' boards say little about later beams.
        known.drain(..known.len().saturating_sub(1_500_000));
        fit(&mut values, &mut squares, &known, &mut random);
    }
    let weights = classes.weights(&values);
    let is_same = weights == LEARNED;
    match (is_same, write) {
        (true, _) => println!("the weights are those in {FILE}"),
        (false, false) => println!("{}\nthese weights differ from {FILE}", table(&weights)?),
        (false, true) => {
            let path = crate::path(FILE);
            let text = fs::read_to_string(&path)?;
            let begin = text.find(HEAD).context("no table of weights")?;
            let end = begin + text[begin..].find("] };").context("no end of the table")?;
            fs::write(&path, text[..begin].to_owned() + &table(&weights)? + &text[end..])?;
            println!("the weights were written to {FILE}");
        }
    }
    Ok(is_same || write)
}

const ROUNDS: usize = 14;
const BOARDS: usize = 100;

/// The number of boards that a board on the path is compared with.
const COMPARED_BOARDS: usize = 10;

/// The beginning of the table in [`FILE`].
const HEAD: &str = "pub const LEARNED: PairWeights = PairWeights { crossing: ";

/// The table as written, without its end.
fn table(weights: &PairWeights) -> Result<String, std::fmt::Error> {
    let mut text = format!("{HEAD}{}, across: [\n", weights.crossing);
    weights.across.iter().try_for_each(|row| writeln!(text, "    {row:?},"))?;
    Ok(text)
}

/// The classes of pairs that have the same weight because they are mirror images.
struct Classes {
    across: [[u8; KINDS]; KINDS],
    count: usize,
}

/// How much a board on the path differs from another: in the score for its tiles alone, in moves,
/// and in the number of pairs in each class.
struct Difference {
    alone: f32,
    pairs: Vec<(u8, i16)>,
}

impl Classes {
    fn new() -> Self {
        let side = BLANK.isqrt();
        let mirrored =
            |kind| if kind == BLANK { BLANK } else { kind / side * side + side - 1 - kind % side };
        let flipped = |kind| if kind == BLANK { BLANK } else { BLANK - 1 - mirrored(kind) };
        let mut classes = Self { across: [[u8::MAX; KINDS]; KINDS], count: 0 };
        for left in 0..KINDS {
            for right in 0..KINDS {
                if classes.across[left][right] < u8::MAX {
                    continue;
                }
                for (left, right) in [(left, right), (flipped(left), flipped(right))] {
                    classes.across[left][right] = classes.count as u8;
                    classes.across[mirrored(right)][mirrored(left)] = classes.count as u8;
                }
                classes.count += 1;
            }
        }
        classes
    }

    /// Returns the number of pairs in each class, and last the number of crossings.
    fn counts(&self, features: &Features) -> Vec<i16> {
        let mut counts = vec![0; self.count + 1];
        for &(left, right) in &features.pairs {
            counts[usize::from(self.across[left][right])] += 1;
        }
        counts[self.count] = features.crossings as i16;
        counts
    }

    fn differences(&self, (good, others): &(Features, Vec<Features>)) -> Vec<Difference> {
        let good_counts = self.counts(good);
        let difference = |other: &Features| {
            let counts = good_counts.iter().zip(self.counts(other));
            let pairs = (0..).zip(counts).map(|(class, (good, other))| (class, good - other));
            Difference {
                alone: good.alone - other.alone,
                pairs: pairs.filter(|pair| pair.1 != 0).collect(),
            }
        };
        others.iter().map(difference).collect()
    }

    /// Rounds the weights of the classes, given in moves.
    fn weights(&self, values: &[f32]) -> PairWeights {
        let round = |class: usize| (values[class] * UNITS).round();
        PairWeights {
            crossing: round(self.count) as i32,
            across: self.across.map(|row| row.map(|class| round(class.into()) as i8)),
        }
    }
}

/// Changes the weights so that the differences become negative.
fn fit(values: &mut [f32], squares: &mut [f32], differences: &[Difference], random: &mut Random) {
    let steps = 2 * differences.len();
    let mut sums = vec![0.0_f64; values.len()];
    let mut summed = 0.0;
    for step in 0..steps {
        let Difference { alone, pairs } = &differences[random.below(differences.len())];
        let score: f32 =
            pairs.iter().map(|&(class, by)| values[usize::from(class)] * f32::from(by)).sum();
        // From 0 for a clear difference in the right direction to 1 for one in the wrong direction.
        let error = (0.5 + (score + alone) / 16.0).clamp(0.0, 1.0);
        for &(class, by) in pairs {
            let slope = error * f32::from(by);
            let square = &mut squares[usize::from(class)];
            *square += slope * slope;
            values[usize::from(class)] -= 0.05 * slope / square.sqrt();
        }
        // The mean over the second half is steadier than the last values.
        if 2 * step > steps && step % 1_000 == 0 {
            sums.iter_mut().zip(&*values).for_each(|(sum, &value)| *sum += f64::from(value));
            summed += 1.0;
        }
    }
    values.iter_mut().zip(sums).for_each(|(value, sum)| *value = (sum / summed) as f32);
}
