//! Random boards.

use std::sync::Arc;

use taquin::{
    Board, BoardsAtDepth, DepthError, Monitor, Puzzle, Random, Session, Slide, Task, Watch, replay,
    scramble,
};

/// How boards are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draw {
    /// Uniformly among all boards that can reach the goal.
    Uniform,
    /// By this many random moves from the goal.
    Walk(usize),
    /// Boards whose shortest solution has this many moves; see [`BoardsAtDepth`].
    Depth(u64),
}

impl Draw {
    /// The longest walk that front ends allow: it takes a minute or two.
    pub const MAX_WALK: u64 = 2_000_000_000;

    /// Returns `count` boards that can reach `goal`, or fewer if a depth has fewer.
    ///
    /// Boards at an exact depth are found in advance, using at most `memory` bytes. All others are
    /// drawn when the iterator gets to them.
    ///
    /// # Errors
    ///
    /// If no board has the depth, or if finding the boards takes too much memory or is cancelled.
    pub fn boards<'a>(
        self,
        goal: &'a Board,
        count: usize,
        mut random: Random,
        session: &Session,
        memory: Option<u64>,
        monitor: &Arc<Monitor>,
    ) -> Result<Box<dyn Iterator<Item = Board> + 'a>, DepthError> {
        Ok(match self {
            Self::Uniform => {
                Box::new((0..count).map(move |_| scramble::uniform(goal, &mut random)))
            }
            Self::Walk(moves) => {
                Box::new((0..count).map(move |_| scramble::walk(goal, moves, &mut random)))
            }
            Self::Depth(depth) => {
                check_depth(goal, depth)?;
                let random = &mut random;
                let job = BoardsAtDepth { goal, depth, count, random, memory };
                let found = session.run(job, Watch::by(monitor))?;
                Box::new(found.into_iter())
            }
        })
    }
}

/// Returns the moves that lead from the goal of a puzzle to its start: a solution, backwards.
///
/// # Panics
/// Panics if the moves lead elsewhere, which would be a fault of the solver.
pub fn scramble(session: &Session, puzzle: &Puzzle) -> Option<Vec<Slide>> {
    let mut task = Task::from(puzzle.clone());
    task.limits.seconds = Some(SCRAMBLE_SECONDS);
    // Without a monitor: better solutions on the way are not reported.
    let moves = session.run(&task, Watch::default()).moves?;
    let size = puzzle.size();
    let back = |slide: &Slide| Slide { blank: slide.target(size), step: slide.step.opposite() };
    let moves: Vec<Slide> = moves.iter().rev().map(back).collect();
    let end = replay(puzzle.goal(), &moves).expect("a solution can be undone");
    assert_eq!(end, *puzzle.start(), "the moves lead to the board");
    Some(moves)
}

/// The time for the solution of a board.
const SCRAMBLE_SECONDS: f64 = 1.0;

/// Returns a seed from the clock, for callers that are given none.
pub fn clock_seed() -> u64 {
    taquin_search::time_since_1970().as_micros() as u64
}

/// The published numbers of boards at each depth.
#[derive(Clone, PartialEq, Debug)]
pub struct KnownDepths {
    /// The number of boards at each depth.
    pub boards: Vec<u64>,
    /// The source of the numbers.
    pub source: &'static str,
}

/// Distributions of whole spaces, with their sources.
const DISTRIBUTIONS: &str = include_str!("../data/statespace_depths.txt");

/// Returns the number of boards at each depth for a goal with one blank in a corner, if it has been
/// published for its size: the tiles make no difference, and a board may be turned.
pub fn known_depths(goal: &Board) -> Option<KnownDepths> {
    let size = goal.size();
    let blanks: Vec<usize> = goal.blanks().map(usize::from).collect();
    let is_end = |at: usize, of: usize| at == 0 || at == of - 1;
    let [blank] = blanks[..] else { return None };
    let (row, col) = (blank / size.cols(), blank % size.cols());
    if size.is_line() || !is_end(row, size.rows()) || !is_end(col, size.cols()) {
        return None;
    }
    let (short, long) = (size.rows().min(size.cols()), size.rows().max(size.cols()));
    let prefix = format!("BOARD {short} {long} corner 0 STM ");
    let (facts, counts) =
        DISTRIBUTIONS.lines().find_map(|line| line.strip_prefix(&prefix)?.split_once(" : "))?;
    let source = if facts.contains("KorfSchultze2005") {
        "Korf and Schultze 2005"
    } else {
        "Tarakanov 2022"
    };
    let boards = counts.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    Some(KnownDepths { boards, source })
}

/// Fails if it is known that no board is that far from the goal.
fn check_depth(goal: &Board, depth: u64) -> Result<(), DepthError> {
    match known_depths(goal) {
        Some(known) if depth >= known.boards.len() as u64 => {
            Err(DepthError::None { deepest: known.boards.len() as u64 - 1 })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use taquin::NamedGoal;

    use super::*;

    #[test]
    fn the_depths_of_the_fifteen_puzzle_are_known() {
        let of = |rows, cols, goal: NamedGoal| {
            known_depths(&goal.board(taquin::Size::new(rows, cols).unwrap(), 1))
        };
        let fifteen = of(4, 4, NamedGoal::Last).unwrap();
        assert_eq!((fifteen.boards.len(), fifteen.boards[80]), (81, 17));
        assert_eq!(fifteen.boards.iter().sum::<u64>(), 10_461_394_944_000);
        assert_eq!(of(3, 2, NamedGoal::First), of(2, 3, NamedGoal::Last));
        // The blank of this goal is inside.
        assert_eq!(of(4, 4, NamedGoal::Snail), None);
        assert_eq!(of(5, 5, NamedGoal::Last), None);
    }
}
