//! The tables that methods need, loaded or built once for a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use taquin_search::{Cost, Heuristic, Monitor};
use taquin_tables::{
    Builder, Partition, PartitionError, Patterns, PatternsError, Reflection, Request, Store,
    StoreError, Walking, WalkingError,
};
use taquin_tiles::{Board, Costs, Layout, Puzzle, Tiles, Wide};

use crate::estimate::Estimate;
use crate::run::boxed;

pub use taquin_tables::Event as TableEvent;

/// The tables of a session, shared by all who solve with it.
#[derive(Debug)]
pub(crate) struct Tables {
    /// Where tables are kept, if the account has a place for them.
    store: Option<Store>,
    walking: Mutex<HashMap<Board, Arc<Walking>>>,
    patterns: Mutex<HashMap<(Board, Partition), Arc<Patterns>>>,
}

/// A heuristic with the tables that it needs.
#[derive(Clone, Debug)]
pub(crate) enum Guide {
    /// A closed form.
    Plain(Estimate),
    Walking(Arc<Walking>),
    Patterns(Arc<Patterns>),
    Max(Vec<Self>),
}

/// Why a method can't have its tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A table could not be loaded or built.
    #[error(transparent)]
    Store(#[from] StoreError),
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

/// How much a table may take to be built when nothing else is said.
const MEMORY: u64 = 4 << 30;

impl Default for Tables {
    fn default() -> Self {
        let store = Store::of_account().ok();
        Self { store, walking: Mutex::default(), patterns: Mutex::default() }
    }
}

impl Tables {
    /// Where tables are kept.
    pub(crate) const fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// A heuristic for a goal, with its tables.
    pub(crate) fn guide(
        &self,
        estimate: &Estimate,
        goal: &Board,
        memory: Option<u64>,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<Guide, TableError> {
        Ok(match estimate {
            Estimate::Walking => Guide::Walking(self.walking(goal)?),
            Estimate::Pdb(partition) => {
                Guide::Patterns(self.patterns(partition, goal, memory, monitor, report)?)
            }
            Estimate::Max(list) => {
                let each = list.iter().map(|one| self.guide(one, goal, memory, monitor, report));
                Guide::Max(each.collect::<Result<_, _>>()?)
            }
            plain => Guide::Plain(plain.clone()),
        })
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
        memory: Option<u64>,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<Arc<Patterns>, TableError> {
        let key = (goal.clone(), partition.clone());
        let mut kept = self.patterns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(patterns) = kept.get(&key) {
            return Ok(Arc::clone(patterns));
        }
        let memory = memory.unwrap_or(MEMORY);
        let mut databases = Vec::new();
        for pattern in partition.patterns(goal)? {
            let cancel = monitor.flag();
            let database = match &self.store {
                Some(store) => {
                    let mut request =
                        Request { memory, rebuild: false, cancel, report: &mut *report };
                    store.load_or_build(&pattern, &mut request)?
                }
                None => {
                    let builder =
                        Builder::new(pattern.clone(), memory).map_err(StoreError::from)?;
                    report(TableEvent::Planned(&pattern, builder.plan()));
                    let progress = &mut |fraction| report(TableEvent::Progress(fraction));
                    builder.build(cancel, progress).map_err(StoreError::from)?
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
pub struct Evaluator(Box<dyn Heuristic<Tiles<Wide>>>);

impl Evaluator {
    pub(crate) fn new(guide: &Guide, puzzle: &Puzzle, costs: &Costs) -> Self {
        Self(boxed::<Wide>(guide, puzzle, costs))
    }

    /// The estimate for a board with the goal's tiles.
    pub fn estimate(&self, board: &Board) -> Cost {
        self.0.estimate(&Wide::state(board.tiles()))
    }
}
