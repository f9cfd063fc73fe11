//! IDA* with the fastest engine for a goal and a heuristic.

use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_search::{Cost, Limits, Search, Stop};
use taquin_tables::{Automaton, AutomatonShape, PatternSide, Patterns, ZeroAware};
use taquin_tiles::{Board, Cell, MoveOrder, Puzzle, Size, Slide};

use crate::aida::{Aida, FrontierShare, THREAD_MEMORY};
use crate::board::{Bytes, PackedBoard as _};
use crate::journal::{Cut, Journal};
use crate::limits::SharedLimits;
use crate::manhattan_engine::ManhattanEngine;
use crate::moves::{Exclusions, Moves};
use crate::parallel::{OnSolution, deepen};
use crate::pattern_engine::PatternEngine;
use crate::pattern_steps::PatternSteps;
use crate::subtree::{self, SubtreeSearch, TreeCut, search_subtree};
use crate::sweep::{SweepCounts, SweepEngine};
use crate::tree::TreeEngine;
use crate::zero_engine::ZeroEngine;
use crate::zero_steps::{SIDES, ZeroSteps};

/// The heuristic of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum SolverHeuristic {
    /// The Manhattan distance.
    Manhattan,
    /// Pattern databases.
    Patterns(Arc<Patterns>),
    /// The greatest of the sums of some partitions' zero-aware databases.
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
    /// The most bytes of the transposition table; `None` for what is left of the memory limit.
    pub table: Option<u64>,
    /// Whether one thread also looks for a better solution: if that has the length of the threshold,
    /// the search is over.
    pub improves: bool,
}

/// A share of the tree of a threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharePlace {
    /// The threshold, and about how many nodes its tree has.
    pub tree: (Cost, u64),
    /// The frontier.
    pub cut: Cut,
    /// Which of its nodes.
    pub share: FrontierShare,
}

impl FrontierOptions {
    /// The least bytes in which a search below a frontier makes progress.
    pub const LEAST_MEMORY: u64 = 2 * THREAD_MEMORY;
}

impl Default for FrontierOptions {
    fn default() -> Self {
        Self { table: None, improves: true }
    }
}

impl SolverOptions {
    /// The greatest value of `prune`.
    pub const MOST_PRUNED: usize = AutomatonShape::LONGEST;

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

/// The most states of an automaton with the Manhattan distance: there is a bucket of boards for each
/// state and slack.
const MOST_BUCKETS: usize = 1 << 16;

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
    pub const MOST_CELLS: usize = Bytes::MOST;

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
        let is_small = size.cells() <= u64::MOST;
        let moves = match is_small && !matches!(heuristic, SolverHeuristic::ZeroAware(_)) {
            true => Moves::new::<u64>(automaton)?,
            false => Moves::new::<Bytes>(automaton)?,
        };
        let with_exclusions = |mut moves: Moves| {
            let exclusions = moves.add_exclusions(automaton, homes[0]);
            (moves, exclusions)
        };
        let tables = match heuristic {
            SolverHeuristic::Manhattan if is_small && moves.states() <= MOST_BUCKETS => {
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

    /// Finds a shortest solution: the first one in the order of the moves. Returns `None` if
    /// `start` does not have the size and the tiles of the goal. The solution and the counts do not
    /// depend on the number of threads.
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

    /// Finds all shortest solutions and calls `each` with each of them, in the order of the moves,
    /// until it breaks or a limit is reached. The outcome is `Stopped` if a
    /// limit was reached, even if some solutions had been found by then.
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
    /// `start` does not have the size and the tiles of the goal, or the heuristic is not one of
    /// pattern databases.
    ///
    /// The limit on memory is kept; without one, about a gibibyte is used. Without a table the
    /// counts of completed thresholds depend neither on the number of threads nor on interruptions.
    pub fn solve_from_frontier(
        &self,
        start: &Board,
        threads: usize,
        limits: &Limits,
        options: FrontierOptions,
        journal: Option<&Journal<'_>>,
    ) -> Option<Search<Slide>> {
        self.below_frontier(start, limits, options, journal, Deepening { threads })
    }

    /// Makes the frontier below which the tree of a threshold with about `expected` nodes is searched.
    /// Returns the counts of the nodes above it as well, or why the search has to end, and `None` as
    /// [`solve_from_frontier`](Self::solve_from_frontier) does.
    pub fn cut_frontier(
        &self,
        start: &Board,
        tree: (Cost, u64),
        threads: usize,
        limits: &Limits,
    ) -> Option<Result<(Cut, SweepCounts), Stop>> {
        let options = FrontierOptions { table: Some(0), improves: false };
        self.below_frontier(start, limits, options, None, Cutting { tree, threads })
    }

    /// Searches a share of what is below the frontier of a threshold's tree. Returns the frontier that
    /// is made here if it is not the one of `cut`, and `None` as
    /// [`solve_from_frontier`](Self::solve_from_frontier) does.
    ///
    /// Without a table the counts of all shares and of the nodes above the frontier add up to those of
    /// one search with the same limit on memory.
    pub fn search_share(
        &self,
        start: &Board,
        place: SharePlace,
        threads: usize,
        limits: &Limits,
        options: FrontierOptions,
        journal: Option<&Journal<'_>>,
    ) -> Option<Result<SubtreeSearch, Cut>> {
        self.below_frontier(start, limits, options, journal, Sharing { place, threads })
    }

    /// Uses an engine that can search below a frontier, if there is one.
    fn below_frontier<U: AidaUse>(
        &self,
        start: &Board,
        limits: &Limits,
        options: FrontierOptions,
        journal: Option<&Journal<'_>>,
        used: U,
    ) -> Option<U::Output> {
        struct FromFrontier<'a, U> {
            puzzle: &'a Puzzle,
            limits: &'a SharedLimits<'a>,
            options: FrontierOptions,
            journal: Option<&'a Journal<'a>>,
            used: U,
        }
        impl<U: AidaUse> EngineUse for FromFrontier<'_, U> {
            type Output = Option<U::Output>;
            fn with<E: SweepEngine>(self, _: &E) -> Self::Output {
                None
            }
            fn with_tree<E: TreeEngine>(self, engine: &E, exclusions: &Exclusions) -> Self::Output {
                let Self { puzzle, limits, options, journal, used } = self;
                Some(used.with(&Aida { engine, limits, exclusions, options, puzzle, journal }))
            }
        }
        let puzzle = &Puzzle::new(start.clone(), self.goal.clone()).ok()?;
        let limits = &SharedLimits::new(limits);
        self.with_engine(start, FromFrontier { puzzle, limits, options, journal, used })?
    }

    /// Returns the state of the automaton before the first move, if `start` fits the goal.
    fn start_state(&self, start: &Board) -> Option<u32> {
        let blank = start.blanks().next()?;
        let fits = start.size() == self.goal.size() && start.blanks().count() == 1;
        fits.then(|| blank.into())
    }

    /// Returns the estimate of a start: the first threshold.
    pub fn estimate(&self, start: &Board) -> Option<Cost> {
        struct Estimate;
        impl EngineUse for Estimate {
            type Output = Cost;
            fn with<E: SweepEngine>(self, engine: &E) -> Cost {
                engine.estimate(&engine.root())
            }
        }
        self.with_engine(start, Estimate)
    }

    /// Cuts the tree of a threshold, which has about `expected` nodes, into about `wanted` subtrees
    /// of similar size. `known` returns the expected nodes below a path, where they are known.
    /// Returns `None` if `start` does not have the size and the tiles of the goal.
    pub fn cut(
        &self,
        start: &Board,
        threshold: Cost,
        (wanted, expected): (usize, f64),
        known: &dyn Fn(&[Slide]) -> Option<f64>,
    ) -> Option<TreeCut> {
        struct CutTree<'a>(Cost, usize, f64, &'a dyn Fn(&[Slide]) -> Option<f64>);
        impl EngineUse for CutTree<'_> {
            type Output = TreeCut;
            fn with<E: SweepEngine>(self, engine: &E) -> TreeCut {
                let Self(threshold, wanted, expected, known) = self;
                subtree::cut(engine, threshold, wanted, expected, known)
            }
        }
        self.with_engine(start, CutTree(threshold, wanted, expected, known))
    }

    /// Searches the subtree below `path` with one threshold; the subtree has about `expected` nodes.
    /// Returns `None` if the tree of the threshold does not have that path.
    pub fn search_subtree(
        &self,
        (start, path): (&Board, &[Slide]),
        size: (Cost, u64),
        threads: usize,
        limits: &Limits,
        journal: Option<&Journal<'_>>,
    ) -> Option<SubtreeSearch> {
        struct Below<'a, 'c> {
            path: &'a [Slide],
            size: (Cost, u64),
            threads: usize,
            limits: &'a SharedLimits<'a>,
            journal: Option<&'c Journal<'c>>,
        }
        impl EngineUse for Below<'_, '_> {
            type Output = Option<SubtreeSearch>;
            fn with<E: SweepEngine>(self, engine: &E) -> Option<SubtreeSearch> {
                let Self { path, size, threads, limits, journal } = self;
                search_subtree(engine, path, size, threads, limits, journal)
            }
        }
        let limits = &SharedLimits::new(limits);
        let below = Below { path, size, threads: threads.max(1), limits, journal };
        self.with_engine(start, below)?
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

/// What is done with an engine of any type.
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

/// What is done with a search below a frontier, with an engine of any type.
trait AidaUse {
    type Output;

    fn with<E: TreeEngine>(self, aida: &Aida<'_, E>) -> Self::Output;
}

struct Deepening {
    threads: usize,
}

impl AidaUse for Deepening {
    type Output = Search<Slide>;

    fn with<E: TreeEngine>(self, aida: &Aida<'_, E>) -> Self::Output {
        aida.deepen(self.threads.max(1))
    }
}

struct Cutting {
    tree: (Cost, u64),
    threads: usize,
}

impl AidaUse for Cutting {
    type Output = Result<(Cut, SweepCounts), Stop>;

    fn with<E: TreeEngine>(self, aida: &Aida<'_, E>) -> Self::Output {
        aida.cut(self.tree, self.threads.max(1))
    }
}

struct Sharing {
    place: SharePlace,
    threads: usize,
}

impl AidaUse for Sharing {
    type Output = Result<SubtreeSearch, Cut>;

    fn with<E: TreeEngine>(self, aida: &Aida<'_, E>) -> Self::Output {
        let SharePlace { tree, cut, share } = self.place;
        aida.search_share(tree, cut, share, self.threads.max(1))
    }
}
