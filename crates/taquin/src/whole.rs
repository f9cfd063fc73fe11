//! Whole state spaces: enumerated, saved as tables, and looked up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use taquin_gpu::{Device, GpuError, Space, space_extent};
use taquin_search::{Counts, Instant, Limits, Monitor, Outcome, Progress, Search, Solution, Stop};
use taquin_tables::whole::{
    self, DiskExplorer, ExploreError, Explorer, Extent, Metric, ResumeError, SpaceTable,
};
use taquin_tables::{FileError, NoFolder};
use taquin_tiles::{Board, Costs, Slide, Tile};

use crate::gpu::chosen_devices;
use crate::session::Session;
use crate::tables::BUILD_BYTES;
use crate::task::Task;

/// A whole state space in numbers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Enumeration {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The goal, row by row.
    pub goal: Vec<Tile>,
    /// What counts as one move.
    pub metric: Metric,
    /// The number of boards from which the goal can be reached.
    pub states: u64,
    /// How many of them are 0, 1, .. moves away.
    pub depths: Vec<u64>,
    /// How far the farthest are.
    pub max_depth: u64,
    /// How far they are on average.
    pub mean_depth: f64,
    /// The farthest, row by row: all of them, or the first thousand.
    pub farthest: Vec<Vec<Tile>>,
}

/// Why a space was not enumerated, or has no table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// It was not explored.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// Its file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no folder for table files.
    #[error(transparent)]
    Folder(#[from] NoFolder),
    /// The device cannot do it.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// It was cancelled. These are the boards at each depth that was completed.
    #[error("cancelled at depth {}", depths.len())]
    Cancelled {
        /// The number of boards.
        depths: Vec<u64>,
    },
    /// A limit was reached first.
    #[error("a limit was reached before the space was enumerated")]
    Stopped(Stop),
}

impl From<ResumeError> for SpaceError {
    fn from(error: ResumeError) -> Self {
        match error {
            ResumeError::File(error) => Self::File(error),
            ResumeError::Explore(error) => Self::Explore(error),
        }
    }
}

/// An exploration whose progress is kept, so that another run can continue it.
pub enum KeptExploration {
    /// In memory. It is saved to a file.
    File {
        /// How far it is.
        explorer: Explorer,
        /// The file.
        path: PathBuf,
        /// The time between two saves, or [`KeptExploration::EVERY`].
        every: Option<Duration>,
    },
    /// In the files of a folder.
    Folder(DiskExplorer),
}

impl KeptExploration {
    /// The usual time between two saves.
    pub const EVERY: Duration = Duration::from_secs(60);

    /// Continues that of a file or a folder.
    ///
    /// # Errors
    /// Fails if it would take more than `memory` bytes, or unless every byte is as it was written.
    pub fn resume(path: &Path, every: Option<Duration>, memory: u64) -> Result<Self, ResumeError> {
        if path.is_dir() {
            return DiskExplorer::resume(path, memory).map(Self::Folder);
        }
        let explorer = Explorer::resume(path, memory)?;
        Ok(Self::File { explorer, path: path.to_owned(), every })
    }

    /// The goal.
    #[must_use]
    pub fn goal(&self) -> &Board {
        match self {
            Self::File { explorer, .. } => explorer.layer().index().goal(),
            Self::Folder(explorer) => explorer.goal(),
        }
    }

    /// The number of boards at each depth that is known.
    #[must_use]
    pub fn depths(&self) -> &[u64] {
        match self {
            Self::File { explorer, .. } => explorer.depths(),
            Self::Folder(explorer) => explorer.depths(),
        }
    }

    /// Explores the rest. The files are still there, so that nothing is lost before the result is
    /// printed or stored.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled, or if a file cannot be read or written; then
    /// [`KeptExploration::resume`] continues.
    pub fn finish(self, monitor: &Monitor) -> Result<(Enumeration, KeptFiles), SpaceError> {
        match self {
            Self::File { explorer, path, every } => {
                let every = every.unwrap_or(Self::EVERY);
                let found = Enumeration::explore(explorer, Some((&path, every)), monitor)?;
                Ok((found, KeptFiles::File(path)))
            }
            Self::Folder(mut explorer) => {
                let found = Enumeration::explore_on_disk(&mut explorer, monitor)?;
                Ok((found, KeptFiles::Folder(Box::new(explorer))))
            }
        }
    }
}

/// The files of an exploration that has ended.
#[must_use = "files that are not removed stay"]
pub enum KeptFiles {
    /// A file.
    File(PathBuf),
    /// Those in a folder.
    Folder(Box<DiskExplorer>),
}

impl KeptFiles {
    /// Removes them. What cannot be removed does no harm.
    pub fn remove(self) {
        match self {
            Self::File(path) => _ = std::fs::remove_file(path),
            Self::Folder(explorer) => explorer.remove(),
        }
    }
}

impl Enumeration {
    /// Explores a space to its end. With a file, the progress is saved to it at intervals and when
    /// the monitor is cancelled, and [`Explorer::resume`] continues there.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled, or if the file cannot be written; then the former one is
    /// still there.
    pub fn explore(
        explorer: Explorer,
        checkpoint: Option<(&Path, Duration)>,
        monitor: &Monitor,
    ) -> Result<Self, SpaceError> {
        let Some((path, every)) = checkpoint else {
            let mut explorer = explorer;
            finish(&mut explorer, monitor)?;
            return Ok(Self::of(&explorer));
        };
        let mut explorer = explorer.with_whole_layers();
        // A file that cannot be written is found now.
        let mut started = Instant::now();
        explorer.try_to_save(path)?;
        let (mut saved, mut took) = (Instant::now(), started.elapsed());
        while explorer.advance(monitor)? {
            let is_cancelled = monitor.is_cancelled();
            // Saving takes a tenth of the time at most, unless it is short.
            let most = if took < SHORT { every } else { every.max(10 * took) };
            if is_cancelled || saved.elapsed() >= most {
                started = Instant::now();
                explorer.save(path)?;
                (saved, took) = (Instant::now(), started.elapsed());
            }
            if is_cancelled {
                return Err(SpaceError::Cancelled { depths: explorer.depths().to_vec() });
            }
        }
        Ok(Self::of(&explorer))
    }

    /// Explores a space whose layers are in files to its end.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled or a file cannot be read or written; then
    /// [`DiskExplorer::resume`] continues.
    pub fn explore_on_disk(
        explorer: &mut DiskExplorer,
        monitor: &Monitor,
    ) -> Result<Self, SpaceError> {
        loop {
            match explorer.advance(monitor) {
                Ok(true) => {}
                Ok(false) => break,
                Err(ResumeError::Explore(ExploreError::Cancelled)) => {
                    return Err(SpaceError::Cancelled { depths: explorer.depths().to_vec() });
                }
                Err(error) => return Err(error.into()),
            }
        }
        let farthest = explorer.farthest()?;
        Ok(Self::new(explorer.goal(), Metric::Single, explorer.depths(), &farthest))
    }

    /// Creates the numbers of a space that has been explored.
    ///
    /// # Panics
    /// Panics if there is no depth.
    pub fn new(goal: &Board, metric: Metric, depths: &[u64], farthest: &[Board]) -> Self {
        let depths = depths.to_vec();
        let states: u64 = depths.iter().sum();
        let moves: u128 = (0..).zip(&depths).map(|(depth, &n)| depth * u128::from(n)).sum();
        Self {
            rows: goal.size().rows(),
            cols: goal.size().cols(),
            goal: goal.tiles().to_vec(),
            metric,
            states,
            max_depth: depths.len() as u64 - 1,
            depths,
            mean_depth: moves as f64 / states as f64,
            farthest: farthest.iter().map(|board| board.tiles().to_vec()).collect(),
        }
    }

    fn of(explorer: &Explorer) -> Self {
        let goal = explorer.layer().index().goal();
        Self::new(goal, explorer.metric(), explorer.depths(), &explorer.farthest())
    }
}

/// Saving a space often does no harm if it takes less time than this.
const SHORT: Duration = Duration::from_secs(1);

/// Explores a space to its end.
fn finish(explorer: &mut Explorer, monitor: &Monitor) -> Result<(), SpaceError> {
    loop {
        match explorer.advance(monitor) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(ExploreError::Cancelled) => {
                return Err(SpaceError::Cancelled { depths: explorer.depths().to_vec() });
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Explores a space to its end on the first device.
fn explore_on_device(goal: &Board, monitor: &Monitor) -> Result<Enumeration, SpaceError> {
    let mut space = Space::new(&Device::open(chosen_devices()?[0])?, goal)?;
    let mut known = 1;
    while space.advance()? {
        let (frontier, bound) = (space.depths()[space.depths().len() - 1], space.depths().len());
        let progress =
            Progress { expanded: known, generated: known, frontier, bound: bound as u32 - 1 };
        known += frontier;
        monitor.report(progress);
        if monitor.is_cancelled() {
            return Err(SpaceError::Cancelled { depths: space.depths().to_vec() });
        }
    }
    Ok(Enumeration::new(goal, Metric::Single, space.depths(), &space.farthest()?))
}

impl Session {
    /// Enumerates the boards from which a goal can be reached, on all cores, with at most `memory`
    /// bytes; the monitor shows how many are expanded. With `save`, a table is written that
    /// [`run`](Self::run) uses from then on.
    ///
    /// # Errors
    /// Fails if it takes more memory, if the monitor is cancelled, or if the table cannot be saved;
    /// then no file is left behind.
    pub fn enumerate(
        &self,
        goal: &Board,
        metric: Metric,
        save: bool,
        memory: u64,
        monitor: &Monitor,
    ) -> Result<Enumeration, SpaceError> {
        if !save {
            return Enumeration::explore(Explorer::new(goal, metric, memory)?, None, monitor);
        }
        let store = self.tables.store(goal).ok_or(NoFolder)?;
        let mut explorer = Explorer::for_table(goal, metric, memory)?;
        finish(&mut explorer, monitor)?;
        let enumeration = Enumeration::of(&explorer);
        if let Some(table) = explorer.into_table() {
            table.save(&store.space_path(goal, metric))?;
            self.tables.put_space(goal, metric, &Arc::new(table));
        }
        Ok(enumeration)
    }

    /// Enumerates the boards from which a goal can be reached on the first CUDA device, with
    /// at most `memory` bytes of its memory; a move is one tile. If there is no device, or it has too
    /// little memory or fails, `without_device` is called with the reason, and the processor
    /// enumerates all boards in as many bytes as that returns.
    ///
    /// # Errors
    /// Fails if no kernel fits the boards, if they take more memory, or if the monitor is cancelled.
    pub fn enumerate_on_gpu(
        &self,
        goal: &Board,
        memory: u64,
        monitor: &Monitor,
        without_device: impl FnOnce(&GpuError) -> u64,
    ) -> Result<Enumeration, SpaceError> {
        let Extent { states, bytes } = space_extent(goal)?;
        if bytes > memory {
            return Err(ExploreError::Memory { states, needed: bytes, allowed: memory }.into());
        }
        match explore_on_device(goal, monitor) {
            Err(SpaceError::Gpu(error)) => {
                // The layers in the memory of the device are lost; it takes seconds to make them.
                let memory = without_device(&error);
                self.enumerate(goal, Metric::Single, false, memory, monitor)
            }
            ended => ended,
        }
    }

    /// The table of a goal if this session or its folder has it. An invalid file is like none.
    pub(crate) fn cached_space(&self, goal: &Board, metric: Metric) -> Option<Arc<SpaceTable>> {
        if let Some(table) = self.tables.space(goal, metric) {
            return Some(table);
        }
        let path = self.tables.store(goal)?.space_path(goal, metric);
        let table = self.tables.load(&path, |path| SpaceTable::load(path, goal, metric))?;
        let table = Arc::new(table);
        self.tables.put_space(goal, metric, &table);
        Some(table)
    }

    /// The table of a goal: a cached one, or one that is made on the spot, for which every state is
    /// expanded.
    ///
    /// # Errors
    /// Fails if a limit is reached first.
    pub fn whole_space(
        &self,
        goal: &Board,
        metric: Metric,
        limits: &Limits,
    ) -> Result<Arc<SpaceTable>, SpaceError> {
        match self.cached_space(goal, metric) {
            Some(table) => Ok(table),
            None => self.make(goal, metric, limits),
        }
    }

    /// Looks a solution up in a cached table, or in one that is made on the spot.
    pub(crate) fn look_up(
        &self,
        task: &Task,
        limits: &Limits,
    ) -> Result<(Search<Slide>, Vec<String>), SpaceError> {
        match self.whole_space(task.puzzle.goal(), task.method.metric, limits) {
            Ok(table) => Ok(walk(task, &table)),
            Err(SpaceError::Stopped(stop)) => Ok((stopped(stop), Vec::new())),
            Err(error) => Err(error),
        }
    }

    /// Looks a solution up if the table is cached and fits into the memory.
    pub(crate) fn look_up_cached(&self, task: &Task) -> Option<Search<Slide>> {
        if task.cost != Costs::Unit || task.jumps {
            return None;
        }
        let bytes = || {
            let path = self
                .tables
                .store(task.puzzle.goal())?
                .space_path(task.puzzle.goal(), Metric::Single);
            match self.tables.is_missing(&path) {
                true => None,
                false => Some(path.metadata().ok()?.len()),
            }
        };
        if task.limits.memory.is_some_and(|most| bytes().is_some_and(|bytes| bytes > most)) {
            return None;
        }
        let table = self.cached_space(task.puzzle.goal(), Metric::Single)?;
        Some(walk(task, &table).0)
    }

    fn make(
        &self,
        goal: &Board,
        metric: Metric,
        limits: &Limits,
    ) -> Result<Arc<SpaceTable>, SpaceError> {
        let started = Instant::now();
        let silent = Monitor::default();
        let monitor = limits.monitor.as_deref().unwrap_or(&silent);
        let extent = whole::table_extent(goal, metric);
        if limits.expanded.is_some_and(|most| most < extent.states) {
            return Err(SpaceError::Stopped(Stop::Expanded));
        }
        let memory = limits.memory.unwrap_or(BUILD_BYTES);
        let mut explorer = Explorer::for_table(goal, metric, memory)?;
        loop {
            match explorer.advance(monitor) {
                Ok(true) => {}
                Ok(false) => break,
                Err(ExploreError::Cancelled) => return Err(SpaceError::Stopped(Stop::Cancelled)),
                Err(error) => return Err(error.into()),
            }
            if limits.time.is_some_and(|most| started.elapsed() > most) {
                return Err(SpaceError::Stopped(Stop::Time));
            }
        }
        let table = Arc::new(explorer.into_table().expect("it was made for a table"));
        self.tables.put_space(goal, metric, &table);
        Ok(table)
    }
}

/// Follows a table to the goal.
fn walk(task: &Task, table: &SpaceTable) -> (Search<Slide>, Vec<String>) {
    let counts = Counts {
        stored_peak: table.depths().iter().sum(),
        memory_peak: table.memory(),
        ..Counts::default()
    };
    let Some(moves) = table.solve(task.puzzle.start(), task.method.moves) else {
        return (Search { outcome: Outcome::Exhausted, counts, ..stopped(Stop::Cost) }, Vec::new());
    };
    let cost = moves.len() as u32;
    let notes = match table.metric() {
        Metric::Single => Vec::new(),
        Metric::Multi => {
            vec![format!("a whole segment slides as one move, and {cost} of these are the fewest")]
        }
    };
    let actions = moves.into_iter().flatten().collect();
    let counts = Counts { expanded: cost.into(), ..counts };
    let outcome = Outcome::Solved(Solution { actions, cost });
    (Search { outcome, lower_bound: cost, counts, before_last_bound: None }, notes)
}

fn stopped(stop: Stop) -> Search<Slide> {
    Search {
        outcome: Outcome::Stopped(stop),
        lower_bound: 0,
        counts: Counts::default(),
        before_last_bound: None,
    }
}
