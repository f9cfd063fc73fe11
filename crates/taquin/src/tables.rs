//! The tables that methods need, loaded or built once for a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use taquin_fast::{Solver, SolverHeuristic as Quick, SolverOptions};
use taquin_search::{Cost, GoalTest, Heuristic, Limits, Monitor, Search, Undo};
use taquin_tables::whole::{Metric, SpaceTable};
use taquin_tables::{
    BuildRequest, Builder, Partition, PartitionError, Patterns, PatternsError, Reflection,
    TableStore, TableStoreError, Walking, WalkingError,
};
use taquin_tiles::{
    Additive, Board, Costs, Gaschnig, Layout, Linear, Measure, Puzzle, Slide, Tiles, Wide,
};

use crate::estimate::Estimate;
use crate::guide::Guide;
use crate::method::{Algorithm, Method};
use crate::task::Task;

pub use taquin_tables::TableEvent;

/// The tables of a session, shared by all who solve with it.
#[derive(Debug)]
pub(crate) struct Tables {
    /// Where tables are kept, if the account has a place for them.
    store: Option<TableStore>,
    walking: Mutex<HashMap<Board, Arc<Walking>>>,
    patterns: Mutex<HashMap<(Board, Partition), Arc<Patterns>>>,
    solvers: Mutex<HashMap<SolverKey, Arc<Solver>>>,
    spaces: Mutex<HashMap<(Board, Metric), Arc<SpaceTable>>>,
}

/// What a specialised engine is for: a goal, a partition (none for the Manhattan distance), options.
type SolverKey = (Board, Option<Partition>, SolverOptions);

/// Why a method can't have its tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table could not be loaded or built.
    #[error(transparent)]
    Store(#[from] TableStoreError),
    /// The partition does not suit the board.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// The databases do not make a heuristic.
    #[error(transparent)]
    Patterns(#[from] PatternsError),
    /// The board is too large for walking distance.
    #[error(transparent)]
    Walking(#[from] WalkingError),
}

/// How tables may be had.
pub(crate) struct Wanted<'a> {
    pub(crate) memory: Option<u64>,
    pub(crate) monitor: &'a Monitor,
    pub(crate) report: &'a mut dyn FnMut(TableEvent<'_>),
}

/// How much a table may take to be built when nothing else is said.
pub(crate) const MEMORY: u64 = 4 << 30;

impl Default for Tables {
    fn default() -> Self {
        Self::new(TableStore::of_account().ok())
    }
}

impl Tables {
    /// Tables that are kept in a place, if there is one.
    pub(crate) fn new(store: Option<TableStore>) -> Self {
        Self {
            store,
            walking: Mutex::default(),
            patterns: Mutex::default(),
            solvers: Mutex::default(),
            spaces: Mutex::default(),
        }
    }
}

impl Tables {
    /// A heuristic for a puzzle, with its tables.
    pub(crate) fn guide(
        &self,
        estimate: &Estimate,
        (puzzle, costs): (&Puzzle, &Costs),
        request: &mut Wanted<'_>,
    ) -> Result<Guide, TableError> {
        let additive = |measure| Guide::Additive(Additive::new(measure, puzzle, costs));
        Ok(match estimate {
            Estimate::Zero => Guide::Blind,
            Estimate::Misplaced => additive(Measure::Misplaced),
            Estimate::Euclidean => additive(Measure::Euclidean),
            Estimate::Manhattan => additive(Measure::Manhattan),
            Estimate::Linear => Guide::Linear(Linear::new(puzzle, costs)),
            Estimate::Gaschnig => Guide::Gaschnig(Gaschnig::new(puzzle, costs)),
            Estimate::Walking => Guide::Walking(self.walking(puzzle.goal())?),
            Estimate::Pdb(partition) => {
                Guide::Patterns(self.patterns(partition, puzzle.goal(), request)?)
            }
            Estimate::Max(list) => {
                let each = list.iter().map(|one| self.guide(one, (puzzle, costs), request));
                Guide::Max(each.collect::<Result<_, _>>()?)
            }
        })
    }

    /// Where tables are kept.
    pub(crate) const fn store(&self) -> Option<&TableStore> {
        self.store.as_ref()
    }

    /// The table of a whole space, if it is known.
    pub(crate) fn space(&self, goal: &Board, metric: Metric) -> Option<Arc<SpaceTable>> {
        let kept = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&(goal.clone(), metric)).cloned()
    }

    /// Remembers the table of a whole space.
    pub(crate) fn put_space(&self, goal: &Board, metric: Metric, table: &Arc<SpaceTable>) {
        let mut kept = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert((goal.clone(), metric), Arc::clone(table));
    }

    /// Whether the databases of a partition are at hand, so that nothing has to be built.
    pub(crate) fn has(&self, partition: &Partition, goal: &Board) -> bool {
        let key = (goal.clone(), partition.clone());
        if self.patterns.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&key) {
            return true;
        }
        let (Some(store), Ok(patterns)) = (&self.store, partition.patterns(goal)) else {
            return false;
        };
        patterns.iter().all(|pattern| store.load(pattern).is_ok())
    }

    /// A search by a specialised engine, if there is one that does exactly what the task asks for.
    pub(crate) fn quickly(
        &self,
        task: &Task,
        guide: &Guide,
        limits: &Limits,
    ) -> Option<Search<Slide>> {
        self.solver_of(task, guide)?.solve(task.puzzle.start(), task.threads, limits)
    }

    /// The specialised engine that does exactly what a task asks for, if there is one.
    pub(crate) fn solver_of(&self, task: &Task, guide: &Guide) -> Option<Arc<Solver>> {
        let Method { algorithm, estimate, policy, moves, prune, .. } = &task.method;
        let usual = policy.goal == GoalTest::Generation && policy.undo == Undo::Skip;
        if *algorithm != Algorithm::Ida || !usual || task.cost != Costs::Unit || task.jumps {
            return None;
        }
        let options = SolverOptions { moves: *moves, prune: *prune };
        self.solver(task.puzzle.goal(), estimate.as_ref()?, guide, options)
    }

    /// A specialised engine for a goal, if there is one.
    pub(crate) fn solver(
        &self,
        goal: &Board,
        estimate: &Estimate,
        guide: &Guide,
        options: SolverOptions,
    ) -> Option<Arc<Solver>> {
        let (partition, quick) = match (estimate, guide) {
            (Estimate::Manhattan, _) => (None, Quick::Manhattan),
            (Estimate::Pdb(partition), Guide::Patterns(patterns)) => {
                (Some(partition.clone()), Quick::Patterns(Arc::clone(patterns)))
            }
            _ => return None,
        };
        let key = (goal.clone(), partition, options);
        let mut kept = self.solvers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solver) = kept.get(&key) {
            return Some(Arc::clone(solver));
        }
        let solver = Arc::new(Solver::new(goal, &quick, options)?);
        kept.insert(key, Arc::clone(&solver));
        Some(solver)
    }

    fn walking(&self, goal: &Board) -> Result<Arc<Walking>, TableError> {
        let mut kept = self.walking.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(walking) = kept.get(goal) {
            return Ok(Arc::clone(walking));
        }
        let walking = Arc::new(Walking::new(goal, Walking::STATES)?);
        kept.insert(goal.clone(), Arc::clone(&walking));
        Ok(walking)
    }

    fn patterns(
        &self,
        partition: &Partition,
        goal: &Board,
        wanted: &mut Wanted<'_>,
    ) -> Result<Arc<Patterns>, TableError> {
        let key = (goal.clone(), partition.clone());
        let mut kept = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(patterns) = kept.get(&key) {
            return Ok(Arc::clone(patterns));
        }
        let memory = wanted.memory.unwrap_or(MEMORY);
        let report = &mut *wanted.report;
        let mut databases = Vec::new();
        for pattern in partition.patterns(goal)? {
            let cancel = wanted.monitor.flag();
            let database = match &self.store {
                Some(store) => {
                    let mut request =
                        BuildRequest { memory, rebuild: false, cancel, report: &mut *report };
                    store.load_or_build(&pattern, &mut request)?
                }
                None => {
                    let builder =
                        Builder::new(pattern.clone(), memory).map_err(TableStoreError::from)?;
                    report(TableEvent::Planned(&pattern, builder.plan()));
                    let progress = &mut |fraction| report(TableEvent::Progress(fraction));
                    builder.build(cancel, progress).map_err(TableStoreError::from)?
                }
            };
            databases.push(Arc::new(database));
        }
        let patterns = Arc::new(Patterns::new(goal, databases, Reflection::of(goal).as_ref())?);
        kept.insert(key, Arc::clone(&patterns));
        Ok(patterns)
    }
}

/// A heuristic ready to be asked about boards, one by one.
#[derive(Clone, Debug)]
pub struct Evaluator(pub(crate) Guide);

impl Evaluator {
    /// The estimate for a board with the goal's tiles.
    pub fn estimate(&self, board: &Board) -> Cost {
        Heuristic::<Tiles<Wide>>::estimate(&self.0, &Wide::state(board.tiles()))
    }
}
