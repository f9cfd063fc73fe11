//! Boards of an exact depth.

use std::sync::Arc;

use taquin_search::{
    Blind, Goalless, Limits, Monitor, Node, Observer, Outcome, Policy, Random, StateSpace, Stop,
    best_first,
};
use taquin_tiles::{Board, Costs, Layout, MoveOrder, Nibbles, Puzzle, Quints, Tiles, Wide};

/// Why there are no boards of a depth.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DepthError {
    /// No board is so far from the goal.
    #[error("no board is that far from the goal: the farthest are {deepest} moves away")]
    None {
        /// The depth of the farthest boards.
        deepest: u64,
    },
    /// There are too many boards on the way to that depth.
    #[error("memory was full at depth {reached}")]
    Memory {
        /// The depth that the search had reached.
        reached: u64,
    },
    /// The search was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// Boards whose shortest way to the goal has exactly this many moves: `count` different ones, each
/// set of them equally likely, or all if there are no more.
///
/// Every board up to that depth is stored, so it has to be a small board or a small depth.
///
/// # Errors
/// Fails if no board is so far from the goal, if `memory` bytes do not suffice, or if the monitor
/// is cancelled.
pub fn at_depth(
    goal: &Board,
    depth: u64,
    count: usize,
    random: &mut Random,
    memory: Option<u64>,
    monitor: &Arc<Monitor>,
) -> Result<Vec<Board>, DepthError> {
    let limits = Limits { memory, monitor: Some(Arc::clone(monitor)), ..Limits::default() };
    match goal.size().cells() {
        ..=Nibbles::CELLS => layer::<Nibbles>(goal, depth, count, random, &limits),
        17..=Quints::CELLS => layer::<Quints>(goal, depth, count, random, &limits),
        _ => layer::<Wide>(goal, depth, count, random, &limits),
    }
}

fn layer<L: Layout>(
    goal: &Board,
    depth: u64,
    count: usize,
    random: &mut Random,
    limits: &Limits,
) -> Result<Vec<Board>, DepthError> {
    let puzzle = Puzzle::new(goal.clone(), goal.clone()).expect("a board has its own tiles");
    let space = Tiles::<L>::new(&puzzle, &Costs::Unit, MoveOrder::default());
    let start = space.place(goal);
    let policy = Policy { depth: Some(depth), ..Policy::bfs() };
    let mut layer = Collector { depth, states: Vec::new() };
    let search = best_first(&Goalless(&space), &start, &Blind, &policy, limits, &mut layer);
    let Collector { mut states, .. } = layer;
    match search.outcome {
        Outcome::Stopped(Stop::Memory) => {
            Err(DepthError::Memory { reached: search.counts.depth_peak })
        }
        Outcome::Stopped(Stop::Cancelled) => Err(DepthError::Cancelled),
        _ if states.is_empty() => Err(DepthError::None { deepest: search.counts.depth_peak }),
        _ => {
            // The first places of a shuffle.
            let count = count.min(states.len());
            for at in 0..count {
                let other = at + random.below(states.len() - at);
                states.swap(at, other);
            }
            Ok(states[..count].iter().map(|state| space.board(state)).collect())
        }
    }
}

/// Collects the states of one depth.
struct Collector<T> {
    depth: u64,
    states: Vec<T>,
}

impl<S: StateSpace> Observer<S> for Collector<S::State> {
    fn expand(&mut self, node: &Node<'_, S>) {
        if node.depth == self.depth {
            self.states.push(node.state.clone());
        }
    }
}
