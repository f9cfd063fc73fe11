//! Shortest solutions of the 24-puzzle.
//!
//! IDA* with two partitions of pattern databases. For each threshold, the first layers are searched
//! breadth-first without duplicates (`frontier`), and what is below them depth-first (`rounds`); both
//! on the device. The kernels (`kernels/*24.cu`) describe how. What is found is a board of the
//! last layer from which the goal can be reached: the way to it is traced back through the layers,
//! and the rest is found by the same search from that board.

mod control;
mod frontier;
mod lookup;
mod patterns;
mod rounds;
mod twin;

use std::time::Instant;

use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;
use taquin_search::{Cost, Counts, Limits, Outcome, Progress, Search, Solution, Stop};
use taquin_tiles::{Board, Slide, replay};

use crate::device::{Device, DeviceInfo};
use crate::error::GpuError;
use crate::kernels::Kernel;

use control::Control;
use frontier::{Frontier, Grown};
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

/// What a device has for a search.
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

/// IDA* for the 24-puzzle on a device, with its tables.
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
    /// Builds the tables and allocates the memory of searches.
    ///
    /// # Errors
    /// Fails if the device has too little memory, or if the driver fails.
    pub fn new(device: &Device) -> Result<Self, GpuError> {
        Self::with_resources(device, Resources::of(device)?)
    }

    /// Does the same with less than the device has, as if it were a smaller one.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[doc(hidden)]
    pub fn with_resources(device: &Device, mut resources: Resources) -> Result<Self, GpuError> {
        let memory = resources.memory;
        let tables = patterns::PatternTables::new(device, &mut resources)?;
        let kernel = if resources.exchanges { Kernel::SEARCH_24_NEW } else { Kernel::SEARCH_24 };
        let module = device.load(kernel)?;
        let control = Control::new(device)?;
        let frontier = Frontier::new(device, &module, &mut resources)?;
        let rounds = Rounds::new(device, &module, &mut resources)?;
        let (device, bytes) = (device.clone(), memory - resources.memory);
        Ok(Self { device, tables, control, frontier, rounds, bytes })
    }

    /// Returns what is known about its device.
    pub const fn device(&self) -> &DeviceInfo {
        self.device.info()
    }

    /// Returns the number of boards that can be remembered.
    pub const fn transpositions(&self) -> u64 {
        self.rounds.transpositions()
    }

    /// Copies the pattern databases from the device.
    ///
    /// # Errors
    /// Fails if the driver does.
    #[doc(hidden)]
    pub fn tables(&self) -> Result<Vec<u32>, GpuError> {
        Ok(self.device.stream().clone_dtoh(&self.tables.entries)?)
    }

    /// Finds a shortest solution. Limits are checked about a hundred times a second.
    ///
    /// # Errors
    /// Fails if the boards are not of 5x5 cells with one blank, which the goal has in a corner; if a
    /// solution is more than 62 moves longer than the Manhattan distance; or if the driver fails.
    pub fn solve(
        &mut self,
        start: &Board,
        goal: &Board,
        options: Options24,
        limits: &Limits,
    ) -> Result<Search<Slide>, GpuError> {
        let frame = Frame::new(start, goal).ok_or(UNSUPPORTED)?;
        let root = frame.item(start);
        let estimate = self.tables.estimate(&self.device, root)?;
        let mut task = Task::new(options, limits);
        task.counts.memory_peak = self.bytes;
        self.rounds.forget();
        let mut expected = 0;
        for threshold in (estimate..=root.places().manhattan() + 2 * MOST_SLACK).step_by(2) {
            let before = task.counts;
            let end = self.threshold(&mut task, &root, threshold, expected)?;
            expected = (task.counts.generated - before.generated) * GROWTH;
            let (outcome, bound) = match end {
                End::Complete => continue,
                End::Stopped(stop) => (Outcome::Stopped(stop), threshold),
                End::Found(item, depth, mut moves) => {
                    let counts = task.counts;
                    self.rest(&mut task, item, threshold - depth, &mut moves)?;
                    // Finding the moves again is not part of the search.
                    task.counts = counts;
                    let actions = frame.slides(start, &moves);
                    let reached = replay(start, &actions).ok();
                    if reached.as_ref() != Some(goal) || actions.len() != threshold as usize {
                        return Err(GpuError::Wrong("its moves do not lead to the goal"));
                    }
                    (Outcome::Solved(Solution { actions, cost: threshold }), threshold)
                }
            };
            let before_last_bound = Some(before);
            return Ok(Search {
                outcome,
                lower_bound: bound,
                counts: task.counts,
                before_last_bound,
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
        let frame = Frame::new(start, goal).ok_or(UNSUPPORTED)?;
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
        let Grown { depth, live, goal } =
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

    /// Appends the moves from a board from which the goal is `length` moves away.
    fn rest(
        &mut self,
        task: &mut Task<'_>,
        mut from: Item,
        mut length: Cost,
        moves: &mut Vec<u8>,
    ) -> Result<(), GpuError> {
        // What was searched before must be found again.
        task.options.transpositions = false;
        while length > 0 {
            match self.threshold(task, &from, length, 0)? {
                End::Found(item, depth, more) => {
                    moves.extend(more);
                    (from, length) = (item, length - depth);
                }
                End::Complete => return Err(GpuError::Wrong("a solution was not found again")),
                End::Stopped(_) => return Err(GpuError::Wrong("it was stopped")),
            }
        }
        Ok(())
    }
}

/// Fails unless there are kernels for a puzzle.
///
/// # Errors
/// Fails if the boards are not of 5x5 cells with one blank, which the goal has in a corner.
pub fn fits_24(start: &Board, goal: &Board) -> Result<(), GpuError> {
    Frame::new(start, goal).map(|_| ()).ok_or(UNSUPPORTED)
}

const UNSUPPORTED: GpuError = GpuError::Unsupported(
    "a device solves boards of 5x5 cells with one blank, which the goal has in a corner",
);

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
