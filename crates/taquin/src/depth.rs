//! Boards of an exact depth.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use taquin_search::{
    Limits, Monitor, Node, Observer, Outcome, Policy, Problem, Random, StateSpace, Stop,
};
use taquin_tables::whole::{self, ExploreError, Explorer, Metric, SpaceLayer};
use taquin_tiles::packed::{Layout, Nibbles, Quints, Tiles, Wide};
use taquin_tiles::{Board, Costs, MoveOrder, Puzzle, replay, scramble};

use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::job::Job;
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

/// Boards are found by a search if it expands no more than these. Larger spaces are enumerated,
/// with one bit per state.
const MAX_SEARCHED: u64 = 4_000_000;
/// Spaces larger than this are not enumerated.
const MAX_ENUMERATED: u64 = 1 << 31;

/// The most random boards that are drawn to find the wanted ones among them.
const MAX_DRAWS: u64 = 20_000;

/// The number of boards drawn between two checks of a table's file.
const DRAWS_PER_POLL: u64 = 1_000;

/// Up to this depth, a search finds all boards with thirteen cells or more.
const MAX_SEARCHED_DEPTH: u64 = 20;

/// Up to this depth, boards of thirteen to sixteen cells are found by solving others.
const MAX_SOLVED_DEPTH: u64 = 62;

/// The boards with the most cells that are solved to find others.
const MAX_SOLVED_CELLS: usize = Nibbles::CELLS;

/// Returns whether [`BoardsAtDepth`] draws uniformly. It takes boards from shortest solutions of
/// random boards if a space is too large to be enumerated.
///
/// ```
/// # use taquin::{NamedGoal, is_uniform_at_depth};
/// let goal = NamedGoal::Last.board("4x4".parse()?, 1);
/// assert!(is_uniform_at_depth(&goal, 20) && !is_uniform_at_depth(&goal, 50));
/// # Ok::<(), taquin::SizeError>(())
/// ```
pub fn is_uniform_at_depth(goal: &Board, depth: u64) -> bool {
    whole::extent(goal, Metric::Single).states < MAX_ENUMERATED
        || goal.size().cells() > MAX_SOLVED_CELLS
        || depth <= MAX_SEARCHED_DEPTH
}

/// Draws boards whose shortest solution has exactly `depth` moves: `count` different ones, each set
/// equally likely, or all if there are no more.
///
/// Every board up to that depth is stored. On boards with up to twelve cells, if that takes too
/// many nodes, the space is enumerated, unless its table is cached and the depth is common enough.
/// The boards depend on the seed alone, not on the table. Larger boards with up to sixteen cells,
/// at depths from 21 to 62, are taken from shortest solutions of random boards, where every board
/// has a known depth. Not all boards are equally likely then.
///
/// ```
/// use taquin::{BoardsAtDepth, NamedGoal, Random, Session, Watch};
///
/// let goal = &NamedGoal::Last.board("3x3".parse()?, 1);
/// let random = &mut Random::new(1);
/// let job = BoardsAtDepth { goal, depth: 31, count: 5, random, memory: None };
/// assert_eq!(Session::without_folder().run(job, Watch::default())?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It fails if no board is that far from the goal, if `memory` bytes do not suffice, or if the
/// monitor is cancelled.
#[derive(Debug)]
pub struct BoardsAtDepth<'a> {
    /// The goal.
    pub goal: &'a Board,
    /// The number of moves to the goal.
    pub depth: u64,
    /// The number of boards.
    pub count: usize,
    /// Chooses the boards.
    pub random: &'a mut Random,
    /// The most bytes of memory.
    pub memory: Option<u64>,
}

impl Job for BoardsAtDepth<'_> {
    type Output = Result<Vec<Board>, DepthError>;

    fn run(mut self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Self { goal, depth, memory, .. } = self;
        let monitor = &watch.monitor;
        if !is_uniform_at_depth(goal, depth) {
            return self.on_solutions(session, monitor);
        }
        let states = whole::extent(goal, Metric::Single).states;
        let limits = Limits { memory, monitor: Some(Arc::clone(monitor)), ..Limits::default() };
        if !(MAX_SEARCHED..MAX_ENUMERATED).contains(&states) {
            return Ok(self.searched(&limits)?.unwrap_or_default());
        }
        let limits = Limits { expanded: Some(MAX_SEARCHED), ..limits };
        let explored = || explored(goal, depth, memory.unwrap_or(BUILD_BYTES), monitor);
        let table = session.cached_space(goal, Metric::Single);
        let explorer = if table.is_some() { None } else { explored()? };
        // It is known whether a search would get there, unless memory is short.
        let depths = table.as_ref().map(|table| table.depths());
        let depths = depths.or(explorer.as_ref().map(Explorer::depths)).unwrap_or_default();
        if depths.iter().take(depth as usize).sum::<u64>() <= MAX_SEARCHED
            && let Some(boards) = self.searched(&limits)?
        {
            return Ok(boards);
        }
        if let Some(table) = table {
            let Some(&there) = table.depths().get(depth as usize) else {
                return Err(DepthError::None { deepest: table.depths().len() as u64 - 1 });
            };
            if self.is_common(there, states) {
                let before = self.random.clone();
                let is_there = |board: &Board| table.depth(board) == Some(depth);
                if let Some(boards) = self.draw(&is_there, &|| table.is_intact()) {
                    return Ok(boards);
                }
                // The file of the table has changed.
                session.tables.forget(goal);
                *self.random = before;
            }
        }
        // The layers of a table are not in order.
        let explorer = match explorer {
            None => explored()?.ok_or(DepthError::Memory { reached: 0 })?,
            Some(explorer) => explorer,
        };
        let layer = explorer.layer();
        let is_common = self.is_common(layer.count(), states);
        let drawn = is_common.then(|| self.draw(&|board| layer.contains(board), &|| true));
        Ok(drawn.flatten().unwrap_or_else(|| self.pick(layer)))
    }
}

impl BoardsAtDepth<'_> {
    /// Takes boards from shortest solutions: a board on one is exactly as far from the goal as the
    /// moves that follow.
    fn on_solutions(
        &mut self,
        session: &Session,
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<Board>, DepthError> {
        let goal = self.goal;
        if self.depth > MAX_SOLVED_DEPTH {
            return Err(DepthError::TooDeep { most: MAX_SOLVED_DEPTH });
        }
        let estimate = match "5-5-5".parse() {
            Ok(partition) if (goal.size().rows(), goal.size().cols()) == (4, 4) => {
                Estimate::pdb(partition)
            }
            _ => Estimate::Linear,
        };
        // One thread, so that the solution depends on the board alone.
        let method = Method::new(Algorithm::Ida, Some(estimate));
        let mut boards: Vec<Board> = Vec::new();
        while boards.len() < self.count {
            let start = scramble::uniform(goal, self.random);
            let puzzle = Puzzle::new(start, goal.clone()).expect("a scramble keeps the tiles");
            let mut task = Task::new(puzzle, method.clone());
            task.threads = 1;
            task.limits.memory = self.memory;
            let report = session.run(&task, Watch::by(monitor));
            match report.reason {
                Some(Reason::Cancelled) => return Err(DepthError::Cancelled),
                // The files of its tables have changed.
                Some(Reason::Contradiction) => continue,
                // The tables do not fit.
                Some(_) => return Err(DepthError::Memory { reached: 0 }),
                None => {}
            }
            let Some(moves) = report.moves.filter(|_| report.optimal) else { continue };
            let Some(before) = moves.len().checked_sub(self.depth as usize) else { continue };
            let board = replay(report.puzzle.start(), &moves[..before])
                .expect("the moves of a solution can be replayed");
            if !boards.contains(&board) {
                boards.push(board);
            }
        }
        Ok(boards)
    }

    /// Returns whether random boards of the whole space hit the depth often enough.
    fn is_common(&self, there: u64, states: u64) -> bool {
        let count = self.count as u64;
        count <= there / 2 && states / there.max(1) * count <= MAX_DRAWS
    }

    /// Draws boards from the whole space until enough different ones have the depth. Returns `None`
    /// if the distance table does not stay intact, because a damaged table may have no board at the
    /// depth.
    fn draw(
        &mut self,
        is_there: &dyn Fn(&Board) -> bool,
        is_intact: &dyn Fn() -> bool,
    ) -> Option<Vec<Board>> {
        let mut seen = HashSet::new();
        let mut boards = Vec::new();
        let mut drawn = 0_u64;
        while boards.len() < self.count {
            let board = scramble::uniform(self.goal, self.random);
            if is_there(&board) && seen.insert(board.clone()) {
                boards.push(board);
            }
            drawn += 1;
            if drawn.is_multiple_of(DRAWS_PER_POLL) && !is_intact() {
                return None;
            }
        }
        is_intact().then_some(boards)
    }

    /// Picks boards of a layer by their numbers in it.
    fn pick(&mut self, layer: SpaceLayer<'_>) -> Vec<Board> {
        debug_assert_eq!(layer.depth(), self.depth, "of the depth that is wanted");
        let numbers = self.numbers(layer.count() as usize).enumerate();
        let places: HashMap<usize, usize> =
            numbers.map(|(place, number)| (number, place)).collect();
        let slots = layer.slots().enumerate();
        let mut boards: Vec<(usize, Board)> = slots
            .filter_map(|(number, slot)| Some((*places.get(&number)?, layer.index().board(slot))))
            .collect();
        boards.sort_unstable_by_key(|(place, _)| *place);
        boards.into_iter().map(|(_, board)| board).collect()
    }

    /// Picks different numbers below `there`: the first places of a shuffle that stores only the
    /// exchanged ones.
    fn numbers(&mut self, there: usize) -> impl Iterator<Item = usize> {
        let mut exchanged: HashMap<usize, usize> = HashMap::new();
        (0..self.count.min(there)).map(move |at| {
            let other = at + self.random.below(there - at);
            let here = exchanged.get(&at).copied().unwrap_or(at);
            exchanged.insert(other, here).unwrap_or(other)
        })
    }

    /// Picks boards of a depth that a plain search finds. Returns `None` if it reached the limit on
    /// nodes.
    fn searched(&mut self, limits: &Limits) -> Result<Option<Vec<Board>>, DepthError> {
        match self.goal.size().cells() {
            ..=Nibbles::CELLS => self.searched_in::<Nibbles>(limits),
            17..=Quints::CELLS => self.searched_in::<Quints>(limits),
            _ => self.searched_in::<Wide>(limits),
        }
    }

    fn searched_in<L: Layout>(
        &mut self,
        limits: &Limits,
    ) -> Result<Option<Vec<Board>>, DepthError> {
        let (depth, goal) = (self.depth, self.goal);
        let puzzle = Puzzle::new(goal.clone(), goal.clone()).expect("a board has its own tiles");
        let space = Tiles::<L>::new(&puzzle, &Costs::Unit, MoveOrder::default()).without_goal();
        let start = space.place(goal);
        let policy = Policy { depth: Some(depth), ..Policy::bfs() };
        let mut layer = Collector { depth, states: Vec::new() };
        let problem = Problem::new(&space, &start).limits(limits).observer(&mut layer);
        let search = problem.best_first(&policy).run();
        let deepest = search.counts.depth_peak;
        match search.outcome {
            Outcome::Stopped(Stop::Memory) => Err(DepthError::Memory { reached: deepest }),
            Outcome::Stopped(Stop::Cancelled) => Err(DepthError::Cancelled),
            Outcome::Stopped(Stop::Expanded) => Ok(None),
            _ if layer.states.is_empty() => Err(DepthError::None { deepest }),
            _ => {
                let numbers = self.numbers(layer.states.len());
                Ok(Some(numbers.map(|number| space.board(&layer.states[number])).collect()))
            }
        }
    }
}

/// Explores a space up to a depth. Returns `None` if that takes too much memory.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_by_a_table_that_changes_ends_without_boards() {
        let goal: Board = "1 2/3 0".parse().unwrap();
        let drawn = |is_there, is_intact: bool| {
            let random = &mut Random::new(1);
            let mut job = BoardsAtDepth { goal: &goal, depth: 3, count: 1, random, memory: None };
            job.draw(&|_| is_there, &|| is_intact).map(|boards| boards.len())
        };
        assert_eq!(
            (drawn(false, false), drawn(true, false), drawn(true, true)),
            (None, None, Some(1))
        );
    }
}
