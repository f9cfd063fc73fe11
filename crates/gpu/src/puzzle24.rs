//! Shortest solutions of the 24-puzzle.
//!
//! IDA* with two partitions of pattern databases. For each threshold, the device searches the first
//! layers breadth-first without duplicates (`frontier`), and the subtrees below them depth-first
//! (`rounds`). The kernels (`kernels/*24.cu`) describe how. The search finds a board of the last
//! layer that reaches the goal. The way to it is traced back through the layers, and the same
//! search from that board finds the rest.
//!
//! A threshold is searched from the start or from the goal. Before a large one, the other end
//! searches as many low thresholds as cost a small part of it, and their nodes tell which end is
//! cheaper. A very large threshold is cut into units by the slack and a hash of the boards of the
//! last layer, so that little is lost when the search is interrupted.

mod control;
mod ends;
mod frontier;
mod lookup;
mod patterns;
mod rounds;
mod twin;

use std::time::Instant;

use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;
use taquin_search::{Cost, Counts, Limits, Outcome, Progress, Search, Solution, Stop};
use taquin_solvers::{DeviceFrontier, Journal, Tally};
use taquin_tiles::{Board, Slide, replay};

use crate::device::{Device, DeviceInfo};
use crate::error::GpuError;
use crate::kernels::Kernel;

use control::Control;
use ends::End;
use frontier::{Frontier, GrownFrontier, MAX_ITEMS};
use lookup::Item;
use patterns::TableCache;
use rounds::Rounds;
#[doc(hidden)]
pub use {lookup::patterns, twin::plain_counts};

/// How the search is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options24 {
    /// Boards that were searched before are looked up in a table. It needs a device of compute
    /// capability 9.0.
    pub transpositions: bool,
    /// Duplicates in the first layers are merged. Without this and without `transpositions`,
    /// completed thresholds have the same counts as IDA* with these databases.
    pub merge: bool,
    /// A threshold that is expected to have at least this many nodes is searched from the end from
    /// which it has fewer.
    pub min_compared: u64,
    /// The nodes of a unit: a threshold with several units can be resumed within it.
    pub unit_nodes: u64,
}

impl Default for Options24 {
    fn default() -> Self {
        Self {
            transpositions: true,
            merge: true,
            min_compared: MIN_COMPARED,
            unit_nodes: UNIT_NODES,
        }
    }
}

/// The most slack that a node can have: half of the difference between the threshold and the
/// Manhattan distance of the start.
const MAX_SLACK: u32 = 31;

/// The depth-first search gets at least this many boards for each threshold.
const MIN_FRONTIER: u64 = 200_000;

/// The number of nodes below a board of the last layer that is aimed at.
const NODES_PER_BOARD: u64 = 20_000;

/// How many times as many nodes a threshold is expected to have as the one before.
const GROWTH: u64 = 8;

/// The usual least nodes of a threshold before which the ends are compared. Tables for another cell
/// of the blank cost about as much as 25e9 nodes.
const MIN_COMPARED: u64 = 60_000_000_000;

/// A comparison may cost one part in `n` of the threshold.
const COMPARISON_SHARE: u64 = 32;

/// The other end has to have less than this share of the nodes.
const MAX_RATIO: f64 = 0.8;

/// The usual nodes of a unit.
const UNIT_NODES: u64 = 500_000_000_000;

/// The most hash classes of a threshold's boards. A unit has the boards of one class with one slack,
/// because a solution is usually below boards with much slack.
const MAX_CLASSES: u64 = 1 << 10;

/// The slacks that boards can have, and about how many of them have many nodes.
const SLACKS: u32 = MAX_SLACK + 1;
const LARGE_SLACKS: u64 = 4;

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

/// IDA* for the 24-puzzle on a device, with its tables.
#[derive(Debug)]
pub struct Puzzle24 {
    device: Device,
    tables: TableCache,
    control: Control,
    frontier: Frontier,
    rounds: Rounds,
    /// The bytes of device memory in use.
    bytes: u64,
}

/// How a threshold ended.
enum ThresholdEnd {
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
        let [End { blank, .. }, _] = End::both(goal, goal)?;
        let memory = resources.memory;
        let mut tables = TableCache::new(device, blank, &mut resources)?;
        let kernel = if resources.exchanges { Kernel::SEARCH_24_NEW } else { Kernel::SEARCH_24 };
        let module = device.load(kernel)?;
        let control = Control::new(device)?;
        let frontier = Frontier::new(device, &module, &mut resources)?;
        let rounds = Rounds::new(device, &module, &mut resources)?;
        tables.extend(&resources);
        let (device, bytes) = (device.clone(), memory - resources.memory);
        Ok(Self { device, tables, control, frontier, rounds, bytes })
    }

    /// Returns whether it has tables for a goal, or memory for more of them.
    pub fn is_for(&self, goal: &Board) -> bool {
        End::both(goal, goal).is_ok_and(|[end, _]| self.tables.has_room_for(end.blank))
    }

    /// Returns both ends of a puzzle.
    fn ends(&self, start: &Board, goal: &Board) -> Result<[End; 2], GpuError> {
        let ends = End::both(start, goal)?;
        match self.tables.has_room_for(ends[0].blank) {
            true => Ok(ends),
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

    /// Copies the pattern databases for goals with the blank in one cell from the device.
    ///
    /// # Errors
    /// Fails if the driver does.
    #[doc(hidden)]
    pub fn tables(&mut self, blank: usize) -> Result<Vec<u32>, GpuError> {
        let tables = self.tables.get(&self.device, blank)?;
        Ok(self.device.stream().clone_dtoh(&tables.entries)?)
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
        let mut ends = self.ends(start, goal)?;
        let mut task = Task::new(options, limits);
        let (first, counts, mut expected) = match journal.start() {
            Some(start) => start,
            None => (self.estimate(&ends[0])?, Counts::default(), 0),
        };
        task.counts = Counts { memory_peak: self.bytes, ..counts };
        self.rounds.forget();
        let mut from = 0;
        for threshold in (first..=ends[0].most()).step_by(2) {
            let mut before = task.counts;
            journal.begin(threshold, before, expected);
            let better = match journal.device_frontier() {
                Some(frontier) => Ok((usize::from(frontier.is_from_goal), expected)),
                None => self.better_end(&mut task, &mut ends, from, (threshold, expected))?,
            };
            let end = match better {
                Err(stop) => ThresholdEnd::Stopped(stop),
                Ok((better, expected)) => {
                    if better != from {
                        self.rounds.forget();
                    }
                    from = better;
                    before = task.counts;
                    self.threshold(&mut task, &ends[from], threshold, expected, Some(journal))?
                }
            };
            let outcome = match end {
                ThresholdEnd::Complete => {
                    let nodes = task.counts.generated - before.generated;
                    ends[from].add(threshold, nodes);
                    expected = nodes.saturating_mul(GROWTH);
                    continue;
                }
                ThresholdEnd::Stopped(stop) => Outcome::Stopped(stop),
                ThresholdEnd::Found(item, depth, mut moves) => {
                    self.rest(options, ends[from].at(item), threshold - depth, &mut moves)?;
                    let actions = ends[from].slides(start, &moves);
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

    fn estimate(&mut self, end: &End) -> Result<Cost, GpuError> {
        self.tables.get(&self.device, end.blank)?.estimate(&self.device, end.root)
    }

    /// Returns the end from which a threshold has fewer nodes, and about how many; `expected` is their
    /// number from the present end. Both ends search low thresholds, as long as that costs little:
    /// these are complete already, and their nodes tell which end is cheaper.
    fn better_end(
        &mut self,
        task: &mut Task<'_>,
        ends: &mut [End; 2],
        from: usize,
        (threshold, expected): (Cost, u64),
    ) -> Result<Result<(usize, u64), Stop>, GpuError> {
        let other = 1 - from;
        let is_large = expected >= task.options.min_compared;
        if !is_large || !self.tables.has_room_for(ends[other].blank) {
            return Ok(Ok((from, expected)));
        }
        // The present end has completed them all, unless the search was resumed.
        for end in [from, other] {
            if let Some(stop) = self.probe(task, &mut ends[end], threshold, expected)? {
                return Ok(Err(stop));
            }
        }
        let ratio = ends[other].ratio(&ends[from]).filter(|&ratio| ratio < MAX_RATIO);
        Ok(Ok(match ratio {
            Some(ratio) => (other, (expected as f64 * ratio) as u64),
            None => (from, expected),
        }))
    }

    /// Searches the next thresholds below this one from an end, as long as they cost little.
    fn probe(
        &mut self,
        task: &mut Task<'_>,
        end: &mut End,
        threshold: Cost,
        expected: u64,
    ) -> Result<Option<Stop>, GpuError> {
        let (first, mut nodes) = match end.last() {
            Some((last, nodes)) => (last + 2, nodes.saturating_mul(GROWTH)),
            None => (self.estimate(end)?, 0),
        };
        for low in (first..threshold).step_by(2) {
            if nodes > expected / COMPARISON_SHARE {
                break;
            }
            // The table has the boards of the other end, or of a threshold that is not complete.
            self.rounds.forget();
            let before = task.counts.generated;
            let searched = self.threshold(task, end, low, nodes, None)?;
            self.rounds.forget();
            match searched {
                ThresholdEnd::Complete => end.add(low, task.counts.generated - before),
                ThresholdEnd::Stopped(stop) => return Ok(Some(stop)),
                ThresholdEnd::Found(..) => return Err(GpuError::Wrong("its two ends disagree")),
            }
            nodes = (task.counts.generated - before).saturating_mul(GROWTH);
        }
        Ok(None)
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
        let [root, _] = self.ends(start, goal)?;
        let limits = Limits::default();
        let mut task = Task::new(options, &limits);
        self.rounds.forget();
        for threshold in (self.estimate(&root)?..end.min(root.most())).step_by(2) {
            let end = self.threshold(&mut task, &root, threshold, 0, None)?;
            if !matches!(end, ThresholdEnd::Complete) {
                return Err(GpuError::Wrong("there is a solution"));
            }
        }
        Ok(task.counts)
    }

    /// Searches all that is within a threshold from one end.
    fn threshold(
        &mut self,
        task: &mut Task<'_>,
        end: &End,
        threshold: Cost,
        expected: u64,
        journal: Option<&Journal<'_>>,
    ) -> Result<ThresholdEnd, GpuError> {
        let Self { device, tables, control, frontier, rounds, .. } = self;
        let unit_nodes = task.options.unit_nodes.max(1);
        let tables = tables.get(device, end.blank)?;
        let known = journal.and_then(Journal::device_frontier);
        let wanted = match known {
            Some(known) => known.wanted,
            None => (expected / NODES_PER_BOARD).clamp(MIN_FRONTIER, MAX_ITEMS),
        };
        let GrownFrontier { depth, live, goal } =
            frontier.grow(device, tables, control, &end.root, threshold, wanted, task)?;
        task.counts.frontier_peak = task.counts.frontier_peak.max(live);
        task.report(live, threshold);
        if let Some(item) = goal {
            let (item, moves) = frontier.trace(device, control, item)?;
            return Ok(ThresholdEnd::Found(item, depth, moves));
        }
        if live == 0 {
            return Ok(ThresholdEnd::Complete);
        }
        if task.options.transpositions {
            rounds.remember(device, expected)?;
        }
        let classes = match known {
            Some(known) => known.units as u32 / SLACKS,
            None => (expected / unit_nodes / LARGE_SLACKS).min(MAX_CLASSES) as u32,
        };
        let units = if live < u64::from(classes * SLACKS) { 1 } else { (classes * SLACKS).max(1) };
        // A threshold of one unit is soon done again.
        let journal = journal.filter(|_| units > 1);
        let is_from_goal = end.is_goal;
        let own =
            DeviceFrontier { is_from_goal, depth, wanted, boards: live, units: units as usize };
        let done = journal.map_or_else(Vec::new, |journal| journal.enter_on_device(own));
        done.iter().flatten().for_each(|tally| task.add(tally));
        let is_done = |unit: &u32| done.get(*unit as usize).is_some_and(Option::is_some);
        for unit in (0..units).filter(|unit| !is_done(unit)) {
            let before = task.counts;
            let part = match units {
                1 => (0..=MAX_SLACK, 0, 1),
                _ => {
                    let slack = MAX_SLACK - unit / classes;
                    (slack..=slack, unit % classes, classes)
                }
            };
            let nodes = frontier.fill_pool(device, tables, control, threshold, part)?;
            let pool = (frontier.pool(), nodes);
            match rounds.search(device, tables, control, pool, task, threshold)? {
                rounds::End::Complete => {
                    if let Some(journal) = journal {
                        journal.add(unit as usize, Tally::between(&before, &task.counts));
                    }
                }
                rounds::End::Stopped(stop) => return Ok(ThresholdEnd::Stopped(stop)),
                rounds::End::Found(item) => {
                    let (item, moves) = frontier.trace(device, control, item)?;
                    return Ok(ThresholdEnd::Found(item, depth, moves));
                }
            }
        }
        Ok(ThresholdEnd::Complete)
    }

    /// Appends the moves from a board from which the other end is `length` moves away. This is a
    /// short search, which is not counted and has no limits.
    fn rest(
        &mut self,
        options: Options24,
        mut from: End,
        mut length: Cost,
        moves: &mut Vec<u8>,
    ) -> Result<(), GpuError> {
        // The same boards must be found again.
        let options = Options24 { transpositions: false, ..options };
        let limits = Limits::default();
        let mut task = Task::new(options, &limits);
        while length > 0 {
            match self.threshold(&mut task, &from, length, 0, None)? {
                ThresholdEnd::Found(item, depth, more) => {
                    moves.extend(more);
                    (from, length) = (from.at(item), length - depth);
                }
                ThresholdEnd::Complete | ThresholdEnd::Stopped(_) => {
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
    End::both(start, goal).map(|_| ())
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

    /// Adds the counts of a unit that was finished earlier.
    const fn add(&mut self, tally: &Tally) {
        self.counts.expanded += tally.expanded;
        self.counts.generated += tally.generated;
        self.counts.duplicates += tally.duplicates;
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
