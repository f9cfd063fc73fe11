//! Whole state spaces: enumerated, saved as tables, and looked up.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use taquin_search::{Counts, Instant, Limits, Monitor, Outcome, Progress, Search, Solution, Stop};
use taquin_tables::whole::{
    self, ExploreError, Explorer, Extent, Metric, NearBoards, SaveTimer, SavedSpace, SpaceTable,
    Storage,
};
use taquin_tables::{FileError, NoFolder};
use taquin_tiles::{Board, Costs, Slide, Tile};

use crate::accelerator::{Accelerator, DeviceError};
use crate::job::Job;
use crate::on::Device;
use crate::session::Session;
use crate::tables::BUILD_BYTES;
use crate::task::{Task, TaskLimits};
use crate::units::free_memory;
use crate::watch::Watch;

/// A whole state space in numbers.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Enumeration {
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The goal, row by row.
    pub goal: Vec<Tile>,
    /// The definition of one move.
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
    Explore(ExploreError),
    /// Its file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is no folder for table files.
    #[error(transparent)]
    Folder(#[from] NoFolder),
    /// The device cannot do it.
    #[error(transparent)]
    Gpu(#[from] DeviceError),
    /// It was cancelled. These are the boards at each depth that was completed.
    #[error("cancelled at depth {}", depths.len())]
    Cancelled {
        /// The number of boards.
        depths: Vec<u64>,
    },
    /// The boards near a goal are counted for one blank.
    #[error("only the boards of a goal with one blank are counted up to a depth")]
    Blanks,
    /// A limit was reached first.
    #[error("a limit was reached before the space was enumerated")]
    Stopped(Stop),
}

impl From<ExploreError> for SpaceError {
    fn from(error: ExploreError) -> Self {
        match error {
            ExploreError::File(error) => Self::File(error),
            error => Self::Explore(error),
        }
    }
}

/// A space to enumerate, and how.
#[derive(Clone, Debug)]
pub struct SpaceJob {
    /// The goal.
    pub goal: Board,
    /// The definition of one move.
    pub metric: Metric,
    /// Where it runs. If a device is unavailable, the CPU takes its place.
    pub on: Device,
    /// The most bytes of memory, by default three quarters of the free memory. A device uses its
    /// own.
    pub memory: Option<u64>,
    /// The files that it writes.
    pub files: SpaceFiles,
    /// The depth of the progress in the files that it continues.
    pub resumed: Option<usize>,
}

/// The files that an enumeration writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SpaceFiles {
    /// None.
    None,
    /// A table in the folder of the session, which [`Session::run`] uses from then on.
    Table,
    /// Its progress, saved at intervals and when it is cancelled.
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The time between two saves.
        every: Duration,
    },
    /// The last two layers, in a folder instead of memory.
    Layers(PathBuf),
}

impl SpaceJob {
    /// The usual time between two saves.
    pub const SAVE_INTERVAL: Duration = Duration::from_secs(60);

    /// Enumerates a goal's space on the CPU, without files. A move is one step.
    #[must_use]
    pub fn new(goal: &Board) -> Self {
        Self {
            goal: goal.clone(),
            metric: Metric::Single,
            on: Device::Cpu,
            memory: None,
            files: SpaceFiles::None,
            resumed: None,
        }
    }

    /// Continues from a file or a folder.
    ///
    /// ```
    /// use taquin::{NamedGoal, Session, SpaceFiles, SpaceJob, Watch};
    ///
    /// let path = std::env::temp_dir().join(format!("taquin-space-{}", std::process::id()));
    /// let files = SpaceFiles::Checkpoint { path: path.clone(), every: SpaceJob::SAVE_INTERVAL };
    /// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
    /// let job = SpaceJob { files, ..SpaceJob::new(&goal) };
    /// let session = Session::without_folder();
    /// session.run(&job, Watch::default())?;
    /// let again = SpaceJob::resume(&path, None)?;
    /// assert_eq!(session.run(&again, Watch::default())?.max_depth, 31);
    /// again.remove_progress();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails unless an enumeration has written it.
    pub fn resume(path: &Path, every: Option<Duration>) -> Result<Self, FileError> {
        let SavedSpace { goal, depths, .. } = SavedSpace::of(path)?;
        let path = path.to_owned();
        let files = match path.is_dir() {
            true => SpaceFiles::Layers(path),
            false => SpaceFiles::Checkpoint { path, every: every.unwrap_or(Self::SAVE_INTERVAL) },
        };
        Ok(Self { files, resumed: Some(depths.len() - 1), ..Self::new(&goal) })
    }

    /// Removes the progress files, after the result was printed or stored. Until then, nothing is
    /// lost if the process is killed.
    pub fn remove_progress(&self) {
        match &self.files {
            SpaceFiles::None | SpaceFiles::Table => {}
            // Leftover files are harmless.
            SpaceFiles::Checkpoint { path, .. } => _ = std::fs::remove_file(path),
            SpaceFiles::Layers(folder) => whole::remove_files(folder),
        }
    }

    /// The size of the space on the processor.
    fn extent(&self) -> Extent {
        match self.files {
            SpaceFiles::Table => whole::table_extent(&self.goal, self.metric),
            SpaceFiles::Layers(_) => whole::disk_extent(&self.goal).0,
            _ => whole::extent(&self.goal, self.metric),
        }
    }
}

impl Enumeration {
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

    fn of<S: Storage>(explorer: &Explorer<S>) -> Result<Self, SpaceError> {
        let farthest = explorer.farthest()?;
        Ok(Self::new(explorer.goal(), explorer.metric(), explorer.depths(), &farthest))
    }
}

/// Returns the boards at each distance from a goal, layer by layer, the goal first.
///
/// ```
/// let goal = "1 2/3 0".parse()?;
/// let layers: Vec<Vec<taquin::Board>> = taquin::layers(&goal)?.collect();
/// assert_eq!(layers[0], [goal]);
/// assert_eq!(layers.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 2, 2, 2, 2, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if exploring the space takes more than three quarters of the free memory.
pub fn layers(goal: &Board) -> Result<impl Iterator<Item = Vec<Board>>, SpaceError> {
    let mut explorer = Some(Explorer::new(goal, Metric::Single, usual_memory())?);
    Ok(std::iter::from_fn(move || {
        let mut current = explorer.take()?;
        let layer = current.layer();
        let boards = layer.slots().map(|slot| layer.index().board(slot)).collect();
        let has_next = current.advance(&Monitor::default());
        explorer = has_next.is_ok_and(|has_next| has_next).then_some(current);
        Some(boards)
    }))
}

/// Three quarters of the free memory.
fn usual_memory() -> u64 {
    free_memory().map_or(u64::MAX, |bytes| bytes / 4 * 3)
}

/// Explores a space to its end. `layer` is called after each layer.
fn explore<S: Storage>(
    explorer: &mut Explorer<S>,
    monitor: &Monitor,
    mut layer: impl FnMut(&Explorer<S>) -> Result<(), SpaceError>,
) -> Result<(), SpaceError> {
    loop {
        match explorer.advance(monitor) {
            Ok(true) => layer(explorer)?,
            Ok(false) => return Ok(()),
            Err(ExploreError::Cancelled) => return Err(cancelled(explorer)),
            Err(error) => return Err(error.into()),
        }
    }
}

fn cancelled<S: Storage>(explorer: &Explorer<S>) -> SpaceError {
    SpaceError::Cancelled { depths: explorer.depths().to_vec() }
}

/// Explores a space to its end, and saves its progress.
fn explore_with_saves(
    explorer: Explorer,
    path: &Path,
    every: Duration,
    monitor: &Monitor,
) -> Result<Enumeration, SpaceError> {
    let mut explorer = explorer.with_whole_layers();
    let mut timer = SaveTimer::new(every);
    // A file that cannot be written is found now.
    timer.save(|| explorer.try_to_save(path))?;
    explore(&mut explorer, monitor, |explorer| {
        let is_cancelled = monitor.is_cancelled();
        if is_cancelled || timer.is_due() {
            timer.save(|| explorer.save(path))?;
        }
        if is_cancelled { Err(cancelled(explorer)) } else { Ok(()) }
    })?;
    Enumeration::of(&explorer)
}

/// Explores a space to its end on a device.
fn explore_on_device(
    device: &dyn Accelerator,
    goal: &Board,
    monitor: &Monitor,
) -> Result<Enumeration, SpaceError> {
    let (mut known, mut all, mut is_cancelled) = (1, vec![1], false);
    let farthest = device.explore(goal, &mut |depths| {
        all = depths.to_vec();
        let (frontier, bound) = (depths[depths.len() - 1], depths.len() as u32 - 1);
        monitor.report(Progress { expanded: known, generated: known, frontier, bound });
        known += frontier;
        is_cancelled = monitor.is_cancelled();
        !is_cancelled
    })?;
    match is_cancelled {
        true => Err(SpaceError::Cancelled { depths: all }),
        false => Ok(Enumeration::new(goal, Metric::Single, &all, &farthest)),
    }
}

/// Enumerates the boards from which a goal can be reached. The monitor shows how many are expanded,
/// and cancels it. Files with progress stay until they are [removed](SpaceJob::remove_progress).
///
/// ```
/// use taquin::{NamedGoal, Session, SpaceJob, Watch};
///
/// let job = SpaceJob::new(&NamedGoal::Last.board("3x3".parse()?, 1));
/// let space = Session::without_folder().run(&job, Watch::default())?;
/// assert_eq!((space.states, space.max_depth), (181_440, 31));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It fails if it takes more memory, if the monitor is cancelled, or if a file cannot be read or
/// written. If it saves progress, a [resumed](SpaceJob::resume) job continues.
impl Job for &SpaceJob {
    type Output = Result<Enumeration, SpaceError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Watch { monitor, spaces, warnings, .. } = watch;
        let silent: &mut dyn FnMut(Device, Extent) = &mut |_, _| ();
        let started = spaces.unwrap_or(silent);
        let mut memory = self.memory.unwrap_or_else(usual_memory);
        if self.on == Device::Gpu {
            match session.enumerate_on_device(self, &monitor, started)? {
                Ok(enumeration) => return Ok(enumeration),
                // The layers in the device's memory are lost. Making them again takes seconds.
                Err(error) => {
                    if let Some(warn) = warnings {
                        warn(&format!("{error}; the processor is used instead"));
                    }
                }
            }
            // The given arguments are for the device.
            memory = memory.min(usual_memory());
        }
        session.enumerate_on_cpu(self, memory, &monitor, || started(Device::Cpu, self.extent()))
    }
}

/// Counts the boards at each depth up to one, on boards of any size with one blank. A move is one step.
#[derive(Clone, Debug)]
pub struct NearJob {
    /// The goal.
    pub goal: Board,
    /// The last depth, at most [`NearJob::MAX_DEPTH`].
    pub depth: usize,
    /// The most bytes of memory, by default three quarters of what is free.
    pub memory: Option<u64>,
}

impl NearJob {
    /// The greatest depth: a board is stored as its moves, in 64 bits.
    pub const MAX_DEPTH: usize = NearBoards::MAX_DEPTH + 1;
}

/// Returns the number of boards at each depth that was counted, and why there are no more if there are.
///
/// ```
/// use taquin::{NamedGoal, NearJob, Session, Watch};
///
/// let goal = NamedGoal::Last.board("6x6".parse()?, 1);
/// let job = NearJob { goal, depth: 6, memory: None };
/// let (depths, ended) = Session::without_folder().run(&job, Watch::default());
/// assert!(ended.is_ok());
/// assert_eq!(depths, [1, 2, 4, 10, 26, 66, 171]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Job for &NearJob {
    type Output = (Vec<u64>, Result<(), SpaceError>);

    fn run(self, _: &Session, watch: Watch<'_>) -> Self::Output {
        let NearJob { goal, depth, memory } = self;
        let memory = memory.unwrap_or_else(usual_memory);
        let Some(mut boards) = NearBoards::new(goal, memory) else {
            return (Vec::new(), Err(SpaceError::Blanks));
        };
        let ended = loop {
            let known = boards.depths().len();
            if known > *depth {
                break Ok(());
            }
            match boards.advance(known < *depth, &watch.monitor) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(ExploreError::Cancelled) => {
                    let depths = boards.depths().to_vec();
                    break Err(SpaceError::Cancelled { depths });
                }
                Err(error) => break Err(error.into()),
            }
        };
        (boards.depths().to_vec(), ended)
    }
}

/// Makes the table of a goal, for which every state is expanded, unless it is cached. It fails if a
/// limit is reached first.
#[derive(Clone, Copy, Debug)]
pub struct SpaceTableJob<'a> {
    /// The goal.
    pub goal: &'a Board,
    /// The definition of one move.
    pub metric: Metric,
    /// The limits.
    pub limits: &'a TaskLimits,
}

impl Job for SpaceTableJob<'_> {
    type Output = Result<Arc<SpaceTable>, SpaceError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        session.whole_space(self.goal, self.metric, &self.limits.watched(&watch.monitor))
    }
}

impl Session {
    /// Enumerates on the first device. Returns the reason if the CPU has to take its place.
    fn enumerate_on_device(
        &self,
        SpaceJob { goal, metric, memory, files, .. }: &SpaceJob,
        monitor: &Monitor,
        started: &mut dyn FnMut(Device, Extent),
    ) -> Result<Result<Enumeration, DeviceError>, SpaceError> {
        if *metric != Metric::Single || *files != SpaceFiles::None {
            let reason = "a device counts single moves, and saves nothing";
            return Err(DeviceError::Unsupported(reason).into());
        }
        let Some(device) = &self.accelerator else { return Ok(Err(DeviceError::none())) };
        let extent = device.space_extent(goal)?;
        // The device knows how much is free.
        let allowed = memory.unwrap_or(u64::MAX);
        let Extent { states, bytes: needed } = extent;
        if needed > allowed {
            return Err(ExploreError::Memory { states, needed, allowed }.into());
        }
        started(Device::Gpu, extent);
        match explore_on_device(&**device, goal, monitor) {
            Err(SpaceError::Gpu(error)) => Ok(Err(error)),
            ended => ended.map(Ok),
        }
    }

    fn enumerate_on_cpu(
        &self,
        SpaceJob { goal, metric, files, resumed, .. }: &SpaceJob,
        memory: u64,
        monitor: &Monitor,
        started: impl FnOnce(),
    ) -> Result<Enumeration, SpaceError> {
        match (files, resumed) {
            (SpaceFiles::None, _) => {
                let mut explorer = Explorer::new(goal, *metric, memory)?;
                started();
                explore(&mut explorer, monitor, |_| Ok(()))?;
                Enumeration::of(&explorer)
            }
            (SpaceFiles::Table, _) => {
                let store = self.tables.store(goal).ok_or(NoFolder)?;
                let mut explorer = Explorer::for_table(goal, *metric, memory)?;
                started();
                explore(&mut explorer, monitor, |_| Ok(()))?;
                let enumeration = Enumeration::of(&explorer)?;
                if let Some(table) = explorer.into_table() {
                    table.save(&store.space_path(goal, *metric))?;
                    self.tables.put_space(goal, *metric, &Arc::new(table));
                }
                Ok(enumeration)
            }
            (SpaceFiles::Checkpoint { path, every }, resumed) => {
                let explorer = match resumed {
                    None => Explorer::new(goal, *metric, memory)?,
                    Some(_) => Explorer::resume(path, memory)?,
                };
                started();
                explore_with_saves(explorer, path, *every, monitor)
            }
            (SpaceFiles::Layers(folder), resumed) => {
                let mut explorer = match resumed {
                    None => Explorer::in_files(goal, folder, memory)?,
                    Some(_) => Explorer::resume_files(folder, memory)?,
                };
                started();
                explore(&mut explorer, monitor, |_| Ok(()))?;
                Enumeration::of(&explorer)
            }
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

    /// Returns a cached table of a goal, or makes one, for which every state is expanded.
    fn whole_space(
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
    ) -> Result<Search<Slide>, SpaceError> {
        match self.whole_space(task.puzzle.goal(), task.method.metric, limits) {
            Ok(table) => Ok(walk(task, &table)),
            Err(SpaceError::Stopped(stop)) => Ok(stopped(stop)),
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
                .space_path(task.puzzle.goal(), task.method.metric);
            match self.tables.is_missing(&path) {
                true => None,
                false => Some(path.metadata().ok()?.len()),
            }
        };
        if task.limits.memory.is_some_and(|most| bytes().is_some_and(|bytes| bytes > most)) {
            return None;
        }
        let table = self.cached_space(task.puzzle.goal(), task.method.metric)?;
        Some(walk(task, &table))
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
        let explored = explore(&mut explorer, monitor, |_| {
            match limits.time.is_some_and(|most| started.elapsed() > most) {
                true => Err(SpaceError::Stopped(Stop::Time)),
                false => Ok(()),
            }
        });
        explored.map_err(|error| match error {
            SpaceError::Cancelled { .. } => SpaceError::Stopped(Stop::Cancelled),
            error => error,
        })?;
        let table = Arc::new(explorer.into_table().expect("it was made for a table"));
        self.tables.put_space(goal, metric, &table);
        Ok(table)
    }
}

/// Follows a table to the goal.
fn walk(task: &Task, table: &SpaceTable) -> Search<Slide> {
    let counts = Counts {
        stored_peak: table.depths().iter().sum(),
        memory_peak: table.memory(),
        ..Counts::default()
    };
    let Some(moves) = table.solve(task.puzzle.start(), task.method.moves) else {
        return Search { outcome: Outcome::Exhausted, counts, ..stopped(Stop::Cost) };
    };
    let cost = moves.len() as u32;
    let actions = moves.into_iter().flatten().collect();
    let counts = Counts { expanded: cost.into(), ..counts };
    let outcome = Outcome::Solved(Solution { actions, cost });
    Search { outcome, lower_bound: cost, counts, before_last_bound: None }
}

fn stopped(stop: Stop) -> Search<Slide> {
    Search {
        outcome: Outcome::Stopped(stop),
        lower_bound: 0,
        counts: Counts::default(),
        before_last_bound: None,
    }
}
