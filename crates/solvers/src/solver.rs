//! IDA* with the fastest engine for a goal and a heuristic.

use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_search::{Limits, Search};
use taquin_tables::{Automaton, AutomatonShape, PatternSide, Patterns, ZeroAware};
use taquin_tiles::{Board, Cell, MoveOrder, Puzzle, Size, Slide};

use crate::aida::{Aida, THREAD_MEMORY};
use crate::ida::board::{Bytes, PackedBoard as _};
use crate::ida::manhattan::ManhattanEngine;
use crate::ida::moves::{Exclusions, Moves};
use crate::ida::pattern::PatternEngine;
use crate::ida::pattern_steps::PatternSteps;
use crate::ida::sweep::SweepEngine;
use crate::ida::tree::TreeEngine;
use crate::ida::zero_aware::ZeroEngine;
use crate::ida::zero_steps::{SIDES, ZeroSteps};
use crate::ida::{OnSolution, deepen};
use crate::journal::Journal;
use crate::limits::SharedLimits;

/// The heuristic of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SolverHeuristic {
    /// The Manhattan distance.
    Manhattan,
    /// Pattern databases.
    Patterns(Arc<Patterns>),
    /// The greatest sum over some partitions' zero-aware databases.
    ZeroAware(Vec<Arc<Patterns<ZeroAware>>>),
}

/// The options that a solver is steps for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SolverOptions {
    /// The order in which a blank's moves are tried.
    pub moves: MoveOrder,
    /// Move sequences of up to this length are pruned if a shorter or an earlier one leads to the
    /// same board. The usual length is two, as in published counts: the last move is not undone.
    /// A greater length finds the same solution with fewer nodes.
    pub prune: usize,
}

/// The options of a search below a frontier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontierOptions {
    /// The most bytes in the transposition table; `None` for the rest of the memory limit.
    pub table: Option<u64>,
    /// Whether one thread also looks for a better solution: if that has the length of the
    /// threshold, the search is over.
    pub improves: bool,
}

impl FrontierOptions {
    /// The least bytes in which a search below a frontier makes progress.
    pub const MIN_MEMORY: u64 = 2 * THREAD_MEMORY;
}

impl Default for FrontierOptions {
    fn default() -> Self {
        Self { table: None, improves: true }
    }
}

impl SolverOptions {
    /// The greatest value of `prune`.
    pub const MAX_PRUNED: usize = AutomatonShape::MAX_LENGTH;

    /// Returns the automaton that prunes on boards of a size, if there is one.
    pub fn automaton(self, size: Size) -> Option<AutomatonShape> {
        AutomatonShape::new(size, self.moves, self.prune)
    }
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self { moves: MoveOrder::default(), prune: 2 }
    }
}

/// The most automaton states with the Manhattan distance: each state and slack has a bucket of
/// boards.
const MAX_BUCKETS: usize = 1 << 16;

/// IDA* for one goal, with one blank: on at most 16 cells, and with databases on at most 25.
#[derive(Debug)]
pub struct Solver {
    goal: Board,
    homes: Vec<Cell>,
    tables: SolverTables,
}

/// The tables of an engine.
#[derive(Debug)]
enum SolverTables {
    Manhattan(Moves),
    Small(Arc<Patterns>, PatternSteps<u64>, Exclusions),
    Large(Arc<Patterns>, PatternSteps<Bytes>, Exclusions),
    ZeroAware(ZeroSteps, Exclusions),
}

impl Solver {
    /// The most cells of a board: with the Manhattan distance there may be fewer.
    pub const MAX_CELLS: usize = Bytes::MAX_CELLS;

    /// Creates a solver for `goal`. Returns `None` if there is no specialised engine for this goal
    /// and heuristic.
    pub fn new(goal: &Board, heuristic: &SolverHeuristic, options: SolverOptions) -> Option<Self> {
        Self::with_automaton(goal, heuristic, &Automaton::new(options.automaton(goal.size())?))
    }

    /// Creates a solver as [`new`](Self::new) does, with an automaton that was made before.
    pub fn with_automaton(
        goal: &Board,
        heuristic: &SolverHeuristic,
        automaton: &Automaton,
    ) -> Option<Self> {
        let size = goal.size();
        if size != automaton.shape().size() || goal.blanks().count() != 1 {
            return None;
        }
        let homes = goal.positions();
        let is_small = size.cells() <= u64::MAX_CELLS;
        let moves = match is_small && !matches!(heuristic, SolverHeuristic::ZeroAware(_)) {
            true => Moves::new::<u64>(automaton)?,
            false => Moves::new::<Bytes>(automaton)?,
        };
        let with_exclusions = |mut moves: Moves| {
            let exclusions = moves.add_exclusions(automaton, homes[0]);
            (moves, exclusions)
        };
        let tables = match heuristic {
            SolverHeuristic::Manhattan if is_small && moves.states() <= MAX_BUCKETS => {
                SolverTables::Manhattan(moves)
            }
            SolverHeuristic::Patterns(patterns) if patterns.goal() == goal => {
                let patterns = Arc::clone(patterns);
                let (moves, exclusions) = with_exclusions(moves);
                match is_small {
                    true => {
                        let steps = PatternSteps::new(&patterns, moves)?;
                        SolverTables::Small(patterns, steps, exclusions)
                    }
                    false => {
                        let steps = PatternSteps::new(&patterns, moves)?;
                        SolverTables::Large(patterns, steps, exclusions)
                    }
                }
            }
            SolverHeuristic::ZeroAware(partitions)
                if partitions.iter().all(|patterns| patterns.goal() == goal) =>
            {
                let (moves, exclusions) = with_exclusions(moves);
                SolverTables::ZeroAware(ZeroSteps::new(partitions, moves)?, exclusions)
            }
            _ => return None,
        };
        Some(Self { goal: goal.clone(), homes, tables })
    }

    /// Returns its memory in bytes, the pattern databases excluded.
    pub fn bytes(&self) -> u64 {
        let bytes = match &self.tables {
            SolverTables::Manhattan(moves) => moves.bytes(),
            SolverTables::Small(_, steps, exclusions) => steps.bytes() + exclusions.bytes(),
            SolverTables::Large(_, steps, exclusions) => steps.bytes() + exclusions.bytes(),
            SolverTables::ZeroAware(steps, exclusions) => steps.bytes() + exclusions.bytes(),
        };
        bytes as u64
    }

    /// Returns the bytes of its pattern databases.
    pub fn database_bytes(&self) -> u64 {
        // A mirror image looks up the same databases.
        let all = |patterns: &Patterns| -> usize {
            let databases = patterns.sides().first().map_or(&[][..], PatternSide::databases);
            databases.iter().map(|database| database.entries().len()).sum()
        };
        let bytes = match &self.tables {
            SolverTables::Manhattan(_) => 0,
            SolverTables::Small(patterns, ..) | SolverTables::Large(patterns, ..) => all(patterns),
            SolverTables::ZeroAware(steps, _) => steps.database_bytes(),
        };
        bytes as u64
    }

    /// Finds the first shortest solution in move order. Returns `None` if `start` does not have the
    /// goal's size and tiles. The solution and the counts do not depend on the number of threads.
    pub fn solve(&self, start: &Board, threads: usize, limits: &Limits) -> Option<Search<Slide>> {
        self.search(start, threads, limits, None, None)
    }

    /// Finds a shortest solution as [`solve`](Self::solve) does, saves its progress as it goes, and
    /// resumes an interrupted search.
    pub fn solve_in_parts(
        &self,
        start: &Board,
        threads: usize,
        limits: &Limits,
        journal: &Journal<'_>,
    ) -> Option<Search<Slide>> {
        self.search(start, threads, limits, None, Some(journal))
    }

    /// Finds all shortest solutions and calls `each` with each of them, in move order, until it
    /// breaks or a limit is reached. The outcome is `Stopped` if a limit was reached, even if some
    /// solutions had been found by then.
    pub fn solve_all(
        &self,
        start: &Board,
        threads: usize,
        limits: &Limits,
        mut each: impl FnMut(&[Slide]) -> ControlFlow<()>,
    ) -> Option<Search<Slide>> {
        self.search(start, threads, limits, Some(&mut each), None)
    }

    /// Finds a shortest solution by IDA* below a frontier without duplicates, with a transposition
    /// table, and perhaps saves its progress and resumes an interrupted search. Returns `None` if
    /// `start` does not have the goal's size and tiles, or if the heuristic does not use pattern
    /// databases.
    ///
    /// Keeps to the memory limit. Without one, it uses about a gibibyte. Without a table the counts
    /// of completed thresholds depend neither on the number of threads nor on interruptions.
    pub fn solve_from_frontier(
        &self,
        start: &Board,
        threads: usize,
        limits: &Limits,
        options: FrontierOptions,
        journal: Option<&Journal<'_>>,
    ) -> Option<Search<Slide>> {
        struct FromFrontier<'a> {
            puzzle: &'a Puzzle,
            threads: usize,
            limits: &'a SharedLimits<'a>,
            options: FrontierOptions,
            journal: Option<&'a Journal<'a>>,
        }
        impl EngineUse for FromFrontier<'_> {
            type Output = Option<Search<Slide>>;
            fn with<E: SweepEngine>(self, _: &E) -> Self::Output {
                None
            }
            fn with_tree<E: TreeEngine>(self, engine: &E, exclusions: &Exclusions) -> Self::Output {
                let Self { puzzle, threads, limits, options, journal } = self;
                let aida = Aida { engine, limits, exclusions, options, puzzle, journal };
                Some(aida.deepen(threads))
            }
        }
        let puzzle = &Puzzle::new(start.clone(), self.goal.clone()).ok()?;
        let (limits, threads) = (&SharedLimits::new(limits), threads.max(1));
        self.with_engine(start, FromFrontier { puzzle, threads, limits, options, journal })?
    }

    /// Returns the state of the automaton before the first move, if `start` fits the goal.
    fn start_state(&self, start: &Board) -> Option<u32> {
        let blank = start.blanks().next()?;
        let fits = start.size() == self.goal.size() && start.blanks().count() == 1;
        fits.then(|| blank.into())
    }

    fn search<'each>(
        &self,
        start: &Board,
        threads: usize,
        limits: &Limits,
        each: Option<OnSolution<'each>>,
        journal: Option<&'each Journal<'each>>,
    ) -> Option<Search<Slide>> {
        struct Deepen<'a, 'each> {
            threads: usize,
            limits: &'a SharedLimits<'a>,
            each: Option<OnSolution<'each>>,
            journal: Option<&'each Journal<'each>>,
        }
        impl EngineUse for Deepen<'_, '_> {
            type Output = Search<Slide>;
            fn with<E: SweepEngine>(self, engine: &E) -> Search<Slide> {
                let Self { threads, limits, each, journal } = self;
                deepen(engine, threads, limits, each, journal)
            }
        }
        let limits = &SharedLimits::new(limits);
        self.with_engine(start, Deepen { threads: threads.max(1), limits, each, journal })
    }

    /// Makes the engine for `start` and uses it. Returns `None` if `start` does not fit the goal.
    fn with_engine<U: EngineUse>(&self, start: &Board, used: U) -> Option<U::Output> {
        let state = self.start_state(start)?;
        let homes = &self.homes;
        Some(match &self.tables {
            SolverTables::Manhattan(moves) => {
                used.with(&ManhattanEngine::new(moves, start, homes, state))
            }
            SolverTables::Small(patterns, steps, exclusions) => {
                let engine = &PatternEngine::new(steps, patterns, start, homes, state);
                used.with_tree(engine, exclusions)
            }
            SolverTables::Large(patterns, steps, exclusions) => {
                let engine = &PatternEngine::new(steps, patterns, start, homes, state);
                used.with_tree(engine, exclusions)
            }
            SolverTables::ZeroAware(steps, exclusions) => {
                match steps.sides.len() {
                    0..=2 => used
                        .with_tree(&ZeroEngine::<2>::new(steps, start, homes, state), exclusions),
                    3..=4 => used
                        .with_tree(&ZeroEngine::<4>::new(steps, start, homes, state), exclusions),
                    _ => {
                        let engine = &ZeroEngine::<SIDES>::new(steps, start, homes, state);
                        used.with_tree(engine, exclusions)
                    }
                }
            }
        })
    }
}

/// An operation on an engine of any type.
trait EngineUse {
    type Output;

    fn with<E: SweepEngine>(self, engine: &E) -> Self::Output;

    /// An engine that expands nodes together can also search below a frontier.
    fn with_tree<E: TreeEngine>(self, engine: &E, _: &Exclusions) -> Self::Output
    where
        Self: Sized,
    {
        self.with(engine)
    }
}
