//! Random boards.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use taquin::{Board, DepthError, Monitor, Random, Session, scramble};

/// How boards are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draw {
    /// Uniformly among all boards that can reach the goal.
    Uniform,
    /// By this many random moves from the goal.
    Walk(usize),
    /// Uniformly among the boards whose shortest solution has this many moves.
    Depth(u64),
}

impl Draw {
    /// Returns `count` boards that can reach `goal`; fewer if there are not as many at a depth.
    ///
    /// Boards of an exact depth are found at once, using at most `memory` bytes. All others are drawn
    /// when the iterator gets to them.
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
                let found = session.at_depth(goal, depth, count, &mut random, memory, monitor)?;
                Box::new(found.into_iter())
            }
        })
    }
}

/// Returns a seed from the clock, for callers that are given none.
pub fn clock_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64)
}
