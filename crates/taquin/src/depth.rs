//! Boards of an exact depth.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use taquin_search::{
    Blind, Limits, Monitor, Node, Observer, Outcome, Policy, Random, StateSpace, Stop, best_first,
};
use taquin_tables::whole::{self, ExploreError, Explorer, Metric, SpaceLayer};
use taquin_tiles::packed::{Layout, Nibbles, Quints, Tiles, Wide};
use taquin_tiles::{Board, Costs, MoveOrder, Puzzle, replay, scramble};

use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::method::Method;
use crate::report::Reason;
use crate::session::Session;
use crate::tables::BUILD_BYTES;
use crate::task::Task;
use crate::watch::Watch;

/// Why no boards of a depth were found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum DepthError {
    #[error("no board is that far from the goal: the farthest are {deepest} moves away")]
    None { deepest: u64 },
    #[error("boards of that depth take too long to find: at most {most} moves")]
    TooDeep { most: u64 },
    /// There are too many boards on the way to that depth.
    #[error("memory was full at depth {reached}")]
    Memory { reached: u64 },
    #[error("cancelled")]
    Cancelled,
}

/// Boards are found by a search if it expands no more than these. Larger spaces are enumerated, with
/// one bit per state.
const SEARCHED: u64 = 4_000_000;
/// Spaces larger than this are not enumerated.
const ENUMERATED: u64 = 1 << 31;

/// The most random boards that are drawn to find the wanted ones among them.
const DRAWN: u64 = 20_000;

/// Up to this depth, boards of thirteen cells and more are found by a search of all of them.
const SEARCHED_DEPTH: u64 = 20;

/// Up to this depth, boards of thirteen to sixteen cells are found by solving others.
const SOLVED_DEPTH: u64 = 62;

/// The boards with the most cells that are solved to find others.
const SOLVED_CELLS: usize = Nibbles::CELLS;

impl Session {
    /// Returns whether [`at_depth`](Self::at_depth) draws uniformly: on boards that are too many to be
    /// enumerated it takes them from shortest solutions of random boards.
    pub fn is_uniform(goal: &Board, depth: u64) -> bool {
        whole::extent(goal, Metric::Single).states < ENUMERATED
            || goal.size().cells() > SOLVED_CELLS
            || depth <= SEARCHED_DEPTH
    }

    /// Boards whose shortest solution has exactly `depth` moves: `count` different ones, each set of
    /// them equally likely, or all if there are no more.
    ///
    /// Every board up to that depth is stored; on boards of up to twelve cells, where that takes too
    /// many nodes, the space is enumerated, unless its table is cached and the depth is common enough.
    /// The boards depend on the seed alone, not on the table. Larger boards of up to sixteen cells, at
    /// depths from 21 to 62, are taken from shortest solutions of random boards, where every board has
    /// a known depth; they are not equally likely then.
    ///
    /// # Errors
    /// Fails if no board is that far from the goal, if `memory` bytes do not suffice, or if the
    /// monitor is cancelled.
    pub fn at_depth(
        &self,
        goal: &Board,
        depth: u64,
        count: usize,
        random: &mut Random,
        memory: Option<u64>,
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<Board>, DepthError> {
        let states = whole::extent(goal, Metric::Single).states;
        let limits = Limits { memory, monitor: Some(Arc::clone(monitor)), ..Limits::default() };
        if !Self::is_uniform(goal, depth) {
            return self.on_solutions(goal, depth, count, random, &limits);
        }
        if !(SEARCHED..ENUMERATED).contains(&states) {
            let boards = searched(goal, depth, count, random, &limits)?;
            return Ok(boards.unwrap_or_default());
        }
        let limits = Limits { expanded: Some(SEARCHED), ..limits };
        let table = self.cached_space(goal, Metric::Single);
        let explorer = match table {
            Some(_) => None,
            None => explored(goal, depth, memory.unwrap_or(BUILD_BYTES), monitor)?,
        };
        // It is known whether a search would get there, unless memory is short.
        let depths = table.as_ref().map(|table| table.depths());
        let depths = depths.or(explorer.as_ref().map(Explorer::depths)).unwrap_or_default();
        if depths.iter().take(depth as usize).sum::<u64>() <= SEARCHED
            && let Some(boards) = searched(goal, depth, count, random, &limits)?
        {
            return Ok(boards);
        }
        let wanted = Draw { depth, count, states };
        if let Some(table) = table {
            let Some(&there) = table.depths().get(depth as usize) else {
                return Err(DepthError::None { deepest: table.depths().len() as u64 - 1 });
            };
            if wanted.is_common(there) {
                let is_there = |board: &Board| table.depth(board) == Some(depth);
                return Ok(wanted.draw(goal, &is_there, random));
            }
        }
        // The layers of a table are not in order.
        let explorer = match explorer {
            None => explored(goal, depth, memory.unwrap_or(BUILD_BYTES), monitor)?,
            explorer => explorer,
        };
        let explorer = explorer.ok_or(DepthError::Memory { reached: 0 })?;
        let layer = explorer.layer();
        Ok(match wanted.is_common(layer.count()) {
            true => wanted.draw(goal, &|board| layer.contains(board), random),
            false => wanted.pick(layer, random),
        })
    }
}

impl Session {
    /// Boards of a depth from shortest solutions: a board on one is exactly as far from the goal as
    /// the moves that follow.
    fn on_solutions(
        &self,
        goal: &Board,
        depth: u64,
        count: usize,
        random: &mut Random,
        limits: &Limits,
    ) -> Result<Vec<Board>, DepthError> {
        let monitor = limits.monitor.as_ref().expect("the search has a monitor");
        if depth > SOLVED_DEPTH {
            return Err(DepthError::TooDeep { most: SOLVED_DEPTH });
        }
        let estimate = match "5-5-5".parse() {
            Ok(partition) if (goal.size().rows(), goal.size().cols()) == (4, 4) => {
                Estimate::Pdb(partition)
            }
            _ => Estimate::Linear,
        };
        // One thread, so that the solution depends on the board alone.
        let method = Method::new(Algorithm::Ida, Some(estimate));
        let mut boards: Vec<Board> = Vec::new();
        while boards.len() < count {
            let start = scramble::uniform(goal, random);
            let puzzle = Puzzle::new(start, goal.clone()).expect("a scramble keeps the tiles");
            let mut task = Task::new(puzzle, method.clone());
            task.threads = 1;
            task.limits.memory = limits.memory;
            let report = self.run(&task, Watch::by(monitor));
            match report.reason {
                Some(Reason::Cancelled) => return Err(DepthError::Cancelled),
                // The tables do not fit.
                Some(_) => return Err(DepthError::Memory { reached: 0 }),
                None => {}
            }
            let Some(moves) = report.moves.filter(|_| report.optimal) else { continue };
            let Some(before) = moves.len().checked_sub(depth as usize) else { continue };
            let board = replay(report.puzzle.start(), &moves[..before])
                .expect("the moves of a solution can be replayed");
            if !boards.contains(&board) {
                boards.push(board);
            }
        }
        Ok(boards)
    }
}

/// Explores a space up to a depth; `None` if that takes too much memory.
fn explored(
    goal: &Board,
    depth: u64,
    memory: u64,
    monitor: &Monitor,
) -> Result<Option<Explorer>, DepthError> {
    let Ok(mut explorer) = Explorer::new(goal, Metric::Single, memory) else { return Ok(None) };
    while explorer.layer().depth() < depth {
        match explorer.advance(monitor) {
            Ok(true) => {}
            Ok(false) => return Err(DepthError::None { deepest: explorer.layer().depth() }),
            Err(ExploreError::Memory { .. }) => return Ok(None),
            Err(_) => return Err(DepthError::Cancelled),
        }
    }
    Ok(Some(explorer))
}

/// The boards to draw from one depth of a space.
struct Draw {
    depth: u64,
    count: usize,
    states: u64,
}

impl Draw {
    /// Whether random boards of the whole space hit the depth often enough.
    fn is_common(&self, there: u64) -> bool {
        let count = self.count as u64;
        count <= there / 2 && self.states / there.max(1) * count <= DRAWN
    }

    /// Draws boards of the whole space until enough different ones are of the depth.
    fn draw(
        &self,
        goal: &Board,
        is_there: &dyn Fn(&Board) -> bool,
        random: &mut Random,
    ) -> Vec<Board> {
        let mut seen = HashSet::new();
        let mut boards = Vec::new();
        while boards.len() < self.count {
            let board = scramble::uniform(goal, random);
            if is_there(&board) && seen.insert(board.clone()) {
                boards.push(board);
            }
        }
        boards
    }

    /// Picks boards of a layer by their numbers in it.
    fn pick(&self, layer: SpaceLayer<'_>, random: &mut Random) -> Vec<Board> {
        debug_assert_eq!(layer.depth(), self.depth, "of the depth that is wanted");
        let there = layer.count() as usize;
        // The first places of a shuffle of which only the exchanged ones are written down.
        let mut exchanged: HashMap<usize, usize> = HashMap::new();
        let picked = (0..self.count.min(there)).map(|at| {
            let other = at + random.below(there - at);
            let here = exchanged.get(&at).copied().unwrap_or(at);
            exchanged.insert(other, here).unwrap_or(other)
        });
        let places: HashMap<usize, usize> =
            picked.enumerate().map(|(place, number)| (number, place)).collect();
        let slots = layer.slots().enumerate();
        let mut boards: Vec<(usize, Board)> = slots
            .filter_map(|(number, slot)| Some((*places.get(&number)?, layer.index().board(slot))))
            .collect();
        boards.sort_unstable_by_key(|(place, _)| *place);
        boards.into_iter().map(|(_, board)| board).collect()
    }
}

/// Boards of a depth by a plain search; `None` if it reached the limit on nodes.
fn searched(
    goal: &Board,
    depth: u64,
    count: usize,
    random: &mut Random,
    limits: &Limits,
) -> Result<Option<Vec<Board>>, DepthError> {
    match goal.size().cells() {
        ..=Nibbles::CELLS => layer::<Nibbles>(goal, depth, count, random, limits),
        17..=Quints::CELLS => layer::<Quints>(goal, depth, count, random, limits),
        _ => layer::<Wide>(goal, depth, count, random, limits),
    }
}

fn layer<L: Layout>(
    goal: &Board,
    depth: u64,
    count: usize,
    random: &mut Random,
    limits: &Limits,
) -> Result<Option<Vec<Board>>, DepthError> {
    let puzzle = Puzzle::new(goal.clone(), goal.clone()).expect("a board has its own tiles");
    let space = Tiles::<L>::new(&puzzle, &Costs::Unit, MoveOrder::default()).without_goal();
    let start = space.place(goal);
    let policy = Policy { depth: Some(depth), ..Policy::bfs() };
    let mut layer = Collector { depth, states: Vec::new() };
    let search = best_first(&space, &start, &Blind, &policy, limits, &mut layer);
    let Collector { mut states, .. } = layer;
    match search.outcome {
        Outcome::Stopped(Stop::Memory) => {
            Err(DepthError::Memory { reached: search.counts.depth_peak })
        }
        Outcome::Stopped(Stop::Cancelled) => Err(DepthError::Cancelled),
        Outcome::Stopped(Stop::Expanded) => Ok(None),
        _ if states.is_empty() => Err(DepthError::None { deepest: search.counts.depth_peak }),
        _ => {
            // The first places of a shuffle.
            let count = count.min(states.len());
            for at in 0..count {
                let other = at + random.below(states.len() - at);
                states.swap(at, other);
            }
            Ok(Some(states[..count].iter().map(|state| space.board(state)).collect()))
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
