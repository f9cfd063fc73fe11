//! The two ends of a puzzle, and what a threshold costs from each.
//!
//! A path from the goal to the start, reversed, is a path from the start to the goal. So a threshold
//! can be searched from either end, and the numbers of nodes differ by a factor of up to 20.

use taquin_search::Cost;
use taquin_tiles::{Board, Slide};

use crate::error::GpuError;

use super::lookup::{Frame, Item};
use super::{MAX_SLACK, UNSUPPORTED};

/// One end of a puzzle, as the root of searches for the other.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) root: Item,
    /// The cell of the blank at the other end, which the tables are for.
    pub(super) blank: usize,
    pub(super) is_goal: bool,
    /// The complete thresholds, and the nodes generated for each.
    complete: Vec<(Cost, u64)>,
}

impl End {
    /// Returns the start and the goal of a puzzle.
    pub(super) fn both(start: &Board, goal: &Board) -> Result<[Self; 2], GpuError> {
        let end = |from, to, is_goal| {
            let frame = Frame::new(from, to).ok_or(UNSUPPORTED)?;
            let (root, blank) = (frame.item(from), frame.blank());
            Ok::<_, GpuError>(Self { root, blank, is_goal, complete: Vec::new() })
        };
        Ok([end(start, goal, false)?, end(goal, start, true)?])
    }

    /// Returns the same end with another root.
    pub(super) fn at(&self, root: Item) -> Self {
        Self { root, ..self.clone() }
    }

    /// The greatest threshold that the kernels can search.
    pub(super) fn most(&self) -> Cost {
        self.root.places().manhattan() + 2 * MAX_SLACK
    }

    /// Adds a complete threshold.
    pub(super) fn add(&mut self, threshold: Cost, nodes: u64) {
        self.complete.push((threshold, nodes.max(1)));
    }

    /// The last complete threshold and its nodes.
    pub(super) fn last(&self) -> Option<(Cost, u64)> {
        self.complete.last().copied()
    }

    /// Returns how many times the nodes of another end this one has, for the last threshold that both
    /// have completed.
    pub(super) fn ratio(&self, other: &Self) -> Option<f64> {
        let nodes_of_other = |threshold| {
            other.complete.iter().find(|(complete, _)| *complete == threshold).map(|pair| pair.1)
        };
        let mut complete = self.complete.iter().rev();
        complete
            .find_map(|&(threshold, nodes)| Some(nodes as f64 / nodes_of_other(threshold)? as f64))
    }

    /// Returns the slides from the start for moves of the kernels from this end.
    pub(super) fn slides(&self, start: &Board, moves: &[u8]) -> Vec<Slide> {
        if !self.is_goal {
            return Frame::slides(start, moves);
        }
        let inverse: Vec<u8> = moves.iter().rev().map(|step| 3 - step).collect();
        Frame::slides(start, &inverse)
    }
}

#[cfg(test)]
mod tests {
    use taquin_search::Random;
    use taquin_tiles::{NamedGoal, replay, scramble};

    use super::super::lookup::{STEPS, moves};
    use super::*;

    #[test]
    fn moves_from_either_end_are_slides_from_the_start() {
        let mut random = Random::new(7);
        let goal = NamedGoal::First.board("5x5".parse().unwrap(), 1);
        for _ in 0..50 {
            let start = scramble::uniform(&goal, &mut random);
            for end in End::both(&start, &goal).unwrap() {
                // A walk from the end, as the kernels number moves.
                let mut blank = end.root.blank();
                let mut path = Vec::new();
                for _ in 0..30 {
                    let legal: Vec<u8> =
                        (0..4).filter(|step| moves(blank) >> step & 1 == 1).collect();
                    let step = legal[random.below(legal.len())];
                    blank = blank.wrapping_add_signed(STEPS[usize::from(step)]);
                    path.push(step);
                }
                // From the goal, the slides lead from the board at the end of the walk to the goal.
                let (from, to) = if end.is_goal {
                    let far = replay(&goal, &Frame::slides(&goal, &path)).unwrap();
                    (far, goal.clone())
                } else {
                    (start.clone(), replay(&start, &Frame::slides(&start, &path)).unwrap())
                };
                assert_eq!(replay(&from, &end.slides(&from, &path)), Ok(to));
            }
        }
    }

    #[test]
    fn both_ends_have_the_same_manhattan_distance() {
        let mut random = Random::new(8);
        let goal = NamedGoal::Last.board("5x5".parse().unwrap(), 1);
        for _ in 0..100 {
            let start = scramble::uniform(&goal, &mut random);
            let [first, second] = End::both(&start, &goal).unwrap();
            assert_eq!(first.root.places().manhattan(), second.root.places().manhattan());
        }
        let small = NamedGoal::First.board("4x5".parse().unwrap(), 1);
        assert!(End::both(&small, &small).is_err());
    }

    #[test]
    fn ends_are_compared_by_the_last_threshold_of_both() {
        let goal = NamedGoal::First.board("5x5".parse().unwrap(), 1);
        let [mut one, mut two] = End::both(&goal, &goal).unwrap();
        assert_eq!((one.last(), one.ratio(&two)), (None, None));
        one.add(80, 1000);
        one.add(82, 6000);
        assert_eq!((one.last(), one.ratio(&two)), (Some((82, 6000)), None));
        two.add(78, 10);
        two.add(80, 500);
        assert_eq!((one.ratio(&two), two.ratio(&one)), (Some(2.0), Some(0.5)));
        two.add(82, 2000);
        two.add(84, 9000);
        assert_eq!((one.ratio(&two), two.ratio(&one)), (Some(3.0), Some(1.0 / 3.0)));
    }
}
