//! Shortest solutions of the 24-puzzle.
//!
//! IDA* with two partitions of pattern databases. For each threshold, the device searches the first
//! layers breadth-first without duplicates (`frontier`), and the subtrees below them depth-first
//! (`rounds`). The kernels (`kernels/*24.cu`) describe how. The search finds a board of the last
//! layer that reaches the goal. The way to it is traced back through the layers, and the same
//! search from that board finds the rest.

mod control;
mod frontier;
mod lookup;
mod patterns;
mod rounds;
mod twin;

use std::time::Instant;

use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;
use taquin_search::{Cost, Counts, Limits, Outcome, Progress, Search, Solution, Stop};
use taquin_solvers::Journal;
use taquin_tiles::{Board, Slide, replay};

use crate::device::{Device, DeviceInfo};
use crate::error::GpuError;
use crate::kernels::Kernel;

use control::Control;
use frontier::{Frontier, GrownFrontier};
use lookup::{Frame, Item};
use rounds::Rounds;
#[doc(hidden)]
pub use twin::plain_counts;

/// How the search is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options24 {
    /// Boards that were searched before are looked up in a table. It needs a device of compute
    /// capability 9.0.
    pub transpositions: bool,
    /// Duplicates in the first layers are merged. Without this and without `transpositions`, the
    /// counts of completed thresholds are those of IDA* with these databases.
    pub merge: bool,
}

impl Default for Options24 {
    fn default() -> Self {
        Self { transpositions: true, merge: true }
    }
}

/// The most slack that a node can have: half of the difference between the threshold and the
/// Manhattan distance of the start.
const MOST_SLACK: u32 = 31;

/// The depth-first search gets at least this many boards for each threshold.
const LEAST_FRONTIER: u64 = 200_000;

/// The number of nodes below a board of the last layer that is aimed at.
const NODES_PER_BOARD: u64 = 20_000;

/// How many times as many nodes a threshold is expected to have as the one before.
const GROWTH: u64 = 8;

/// The buffers of a device for a search.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resources {
    /// The bytes of memory that may be used.
    pub memory: u64,
    /// The bytes of shared memory of a thread block.
    pub shared: u32,
    /// Whether it can exchange 16 bytes at once, which the table of boards needs.
    pub exchanges: bool,
}

impl Resources {
    /// Returns what a device has.
    ///
    /// # Errors
    /// Fails if the driver does.
    pub fn of(device: &Device) -> Result<Self, GpuError> {
        Ok(Self {
            memory: device.free_memory()?,
            shared: device
                .attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            exchanges: device.info().capability >= (9, 0),
        })
    }

    /// Takes some of the memory.
    fn take(&mut self, bytes: u64) -> Result<(), GpuError> {
        let left = self.memory.checked_sub(bytes);
        self.memory = left.ok_or(GpuError::Memory { needed: bytes, free: self.memory })?;
        Ok(())
    }
}

/// IDA* for the 24-puzzle on a device, with its tables for goals with the blank in one cell.
#[derive(Debug)]
pub struct Puzzle24 {
    device: Device,
    tables: patterns::PatternTables,
    control: Control,
    frontier: Frontier,
    rounds: Rounds,
    /// The bytes of device memory in use.
    bytes: u64,
}

/// How a threshold ended.
enum End {
    /// There is no solution of this length.
    Complete,
    /// A solution passes this board of the last layer; the depth of the layer and the moves to it.
    Found(Item, u32, Vec<u8>),
    Stopped(Stop),
}

/// A search of one puzzle.
struct Task<'a> {
    options: Options24,
    limits: &'a Limits,
    started: Instant,
    counts: Counts,
    /// The nodes that the running round has expanded and generated so far.
    running: (u64, u64),
}

impl Puzzle24 {
    /// Builds the tables for goals with the blank where `goal` has it, and allocates the memory of
    /// searches.
    ///
    /// # Errors
    /// Fails if the goal is not of 5x5 cells with one blank, if the device has too little memory, or
    /// if the driver fails.
    pub fn new(device: &Device, goal: &Board) -> Result<Self, GpuError> {
        Self::with_resources(device, goal, Resources::of(device)?)
    }

    /// Does the same with less than the device has, as if it were a smaller one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[doc(hidden)]
    pub fn with_resources(
        device: &Device,
        goal: &Board,
        mut resources: Resources,
    ) -> Result<Self, GpuError> {
        let blank = Frame::new(goal, goal).ok_or(UNSUPPORTED)?.blank();
        let memory = resources.memory;
        let tables = patterns::PatternTables::new(device, blank, &mut resources)?;
        let kernel = if resources.exchanges { Kernel::SEARCH_24_NEW } else { Kernel::SEARCH_24 };
        let module = device.load(kernel)?;
        let control = Control::new(device)?;
        let frontier = Frontier::new(device, &module, &mut resources)?;
        let rounds = Rounds::new(device, &module, &mut resources)?;
        let (device, bytes) = (device.clone(), memory - resources.memory);
        Ok(Self { device, tables, control, frontier, rounds, bytes })
    }

    /// Returns whether the tables are for a goal: its blank must be in their cell.
    pub fn is_for(&self, goal: &Board) -> bool {
        self.frame(goal, goal).is_ok()
    }

    /// Returns how the boards of a puzzle become those of the kernels.
    fn frame(&self, start: &Board, goal: &Board) -> Result<Frame, GpuError> {
        let frame = Frame::new(start, goal).ok_or(UNSUPPORTED)?;
        match frame.blank() == self.tables.blank {
            true => Ok(frame),
            false => Err(GpuError::Unsupported("the tables are for another cell of the blank")),
        }
    }

    /// Returns what is known about its device.
    pub const fn device(&self) -> &DeviceInfo {
        self.device.info()
    }

    /// Returns the number of boards that can be remembered.
    pub const fn transpositions(&self) -> u64 {
        self.rounds.transpositions()
    }

    /// Returns the goal cells of the tiles of each pattern database, in the order of the fields.
    #[doc(hidden)]
    pub const fn patterns(&self) -> [[u8; 6]; 8] {
        self.tables.patterns
    }

    /// Copies the pattern databases from the device.
    ///
    /// # Errors
    /// Fails if the driver does.
    #[doc(hidden)]
    pub fn tables(&self) -> Result<Vec<u32>, GpuError> {
        Ok(self.device.stream().clone_dtoh(&self.tables.entries)?)
    }

    /// Finds a shortest solution. Limits are checked about a hundred times per second.
    ///
    /// # Errors
    /// Fails if the boards are not of 5x5 cells with one blank, or if the tables are for another
    /// cell of the goal's blank; if a solution is more than 62 moves longer than the Manhattan
    /// distance; or if the driver fails.
    pub fn solve(
        &mut self,
        start: &Board,
        goal: &Board,
        options: Options24,
        limits: &Limits,
    ) -> Result<Search<Slide>, GpuError> {
        self.solve_with_journal(start, goal, options, limits, &Journal::unsaved(None))
    }

    /// Finds a shortest solution as [`solve`](Self::solve) does, and saves which thresholds are
    /// complete: at intervals, and when it is stopped or fails. It resumes at the threshold of a
    /// search on a device or on the processor.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_with_journal(
        &mut self,
        start: &Board,
        goal: &Board,
        options: Options24,
        limits: &Limits,
        journal: &Journal<'_>,
    ) -> Result<Search<Slide>, GpuError> {
        let search = self.deepen((start, goal), options, limits, journal);
        if !search.as_ref().is_ok_and(|search| search.solution().is_some()) {
            journal.close();
        }
        search
    }

    /// Searches with one threshold after the other.
    fn deepen(
        &mut self,
        (start, goal): (&Board, &Board),
        options: Options24,
        limits: &Limits,
        journal: &Journal<'_>,
    ) -> Result<Search<Slide>, GpuError> {
        let frame = self.frame(start, goal)?;
        let root = frame.item(start);
        let mut task = Task::new(options, limits);
        let (first, counts, mut expected) = match journal.start() {
            Some(start) => start,
            None => (self.tables.estimate(&self.device, root)?, Counts::default(), 0),
        };
        task.counts = Counts { memory_peak: self.bytes, ..counts };
        self.rounds.forget();
        for threshold in (first..=root.places().manhattan() + 2 * MOST_SLACK).step_by(2) {
            let before = task.counts;
            journal.begin(threshold, before, expected);
            let end = self.threshold(&mut task, &root, threshold, expected)?;
            expected = (task.counts.generated - before.generated) * GROWTH;
            let outcome = match end {
                End::Complete => continue,
                End::Stopped(stop) => Outcome::Stopped(stop),
                End::Found(item, depth, mut moves) => {
                    self.rest(options, item, threshold - depth, &mut moves)?;
                    let actions = Frame::slides(start, &moves);
                    let reached = replay(start, &actions).ok();
                    if reached.as_ref() != Some(goal) || actions.len() != threshold as usize {
                        return Err(GpuError::Wrong("its moves do not lead to the goal"));
                    }
                    Outcome::Solved(Solution { actions, cost: threshold })
                }
            };
            return Ok(Search {
                outcome,
                lower_bound: threshold,
                counts: task.counts,
                before_last_bound: Some(before),
            });
        }
        Err(GpuError::Unsupported("the solution is too long for the engine of the device"))
    }

    /// Searches the thresholds below `end`, of which none has a solution, and returns the counts.
    ///
    /// # Errors
    /// As [`solve`](Self::solve); and if there is a solution.
    #[doc(hidden)]
    pub fn complete(
        &mut self,
        start: &Board,
        goal: &Board,
        end: Cost,
        options: Options24,
    ) -> Result<Counts, GpuError> {
        let frame = self.frame(start, goal)?;
        let limits = Limits::default();
        let mut task = Task::new(options, &limits);
        self.rounds.forget();
        let root = frame.item(start);
        let estimate = self.tables.estimate(&self.device, root)?;
        for threshold in (estimate..end.min(root.places().manhattan() + 2 * MOST_SLACK)).step_by(2)
        {
            let end = self.threshold(&mut task, &root, threshold, 0)?;
            if !matches!(end, End::Complete) {
                return Err(GpuError::Wrong("there is a solution"));
            }
        }
        Ok(task.counts)
    }

    /// Searches all that is within a threshold.
    fn threshold(
        &mut self,
        task: &mut Task<'_>,
        root: &Item,
        threshold: Cost,
        expected: u64,
    ) -> Result<End, GpuError> {
        let Self { device, tables, control, frontier, rounds, .. } = self;
        let wanted = (expected / NODES_PER_BOARD).max(LEAST_FRONTIER);
        let GrownFrontier { depth, live, goal } =
            frontier.grow(device, tables, control, root, threshold, wanted, task)?;
        task.counts.frontier_peak = task.counts.frontier_peak.max(live);
        task.report(live, threshold);
        if let Some(item) = goal {
            let (item, moves) = frontier.trace(device, control, item)?;
            return Ok(End::Found(item, depth, moves));
        }
        if live == 0 {
            return Ok(End::Complete);
        }
        let nodes = frontier.fill_pool(device, tables, control, threshold)?;
        if task.options.transpositions {
            rounds.remember(device, expected)?;
        }
        let end =
            rounds.search(device, tables, control, (frontier.pool(), nodes), task, threshold)?;
        Ok(match end {
            rounds::End::Complete => End::Complete,
            rounds::End::Stopped(stop) => End::Stopped(stop),
            rounds::End::Found(item) => {
                let (item, moves) = frontier.trace(device, control, item)?;
                End::Found(item, depth, moves)
            }
        })
    }

    /// Appends the moves from a board from which the goal is `length` moves away. This is a short
    /// search, which is not counted and has no limits.
    fn rest(
        &mut self,
        options: Options24,
        mut from: Item,
        mut length: Cost,
        moves: &mut Vec<u8>,
    ) -> Result<(), GpuError> {
        // The same boards must be found again.
        let options = Options24 { transpositions: false, ..options };
        let limits = Limits::default();
        let mut task = Task::new(options, &limits);
        while length > 0 {
            match self.threshold(&mut task, &from, length, 0)? {
                End::Found(item, depth, more) => {
                    moves.extend(more);
                    (from, length) = (item, length - depth);
                }
                End::Complete | End::Stopped(_) => {
                    return Err(GpuError::Wrong("a solution was not found again"));
                }
            }
        }
        Ok(())
    }
}

/// Fails unless there are kernels for a puzzle.
///
/// # Errors
/// Fails if the boards are not of 5x5 cells with one blank.
pub fn fits_24(start: &Board, goal: &Board) -> Result<(), GpuError> {
    Frame::new(start, goal).map(|_| ()).ok_or(UNSUPPORTED)
}

const UNSUPPORTED: GpuError =
    GpuError::Unsupported("a device solves boards of 5x5 cells with one blank");

impl<'a> Task<'a> {
    fn new(options: Options24, limits: &'a Limits) -> Self {
        Self {
            options,
            limits,
            started: Instant::now(),
            counts: Counts::default(),
            running: (0, 0),
        }
    }

    fn report(&self, frontier: u64, bound: Cost) {
        if let Some(monitor) = &self.limits.monitor {
            let (expanded, generated) = self.nodes();
            monitor.report(Progress { expanded, generated, frontier, bound });
        }
    }

    /// Why the search has to stop now.
    fn stop(&self) -> Option<Stop> {
        let Limits { expanded, generated, time, monitor, .. } = self.limits;
        if monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled()) {
            return Some(Stop::Cancelled);
        }
        if time.is_some_and(|most| self.started.elapsed() >= most) {
            return Some(Stop::Time);
        }
        let (done_expanded, done_generated) = self.nodes();
        if expanded.is_some_and(|most| done_expanded >= most) {
            return Some(Stop::Expanded);
        }
        generated.is_some_and(|most| done_generated >= most).then_some(Stop::Generated)
    }

    /// The nodes that were expanded and generated so far.
    const fn nodes(&self) -> (u64, u64) {
        (self.counts.expanded + self.running.0, self.counts.generated + self.running.1)
    }
}
