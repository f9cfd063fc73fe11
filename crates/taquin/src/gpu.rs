//! Engines on a CUDA device.

mod improvers;
mod pool;

use std::sync::{Arc, OnceLock};

use taquin_fast::{Checkpointing, WideBeam};
use taquin_gpu::{GpuBeam, Options24, Puzzle15, Puzzle24, device_count, has_driver};
use taquin_search::{Instant, Limits, Monitor, Search};
use taquin_tables::{Partition, Patterns};
use taquin_tiles::{Board, Costs, Puzzle, Slide};

use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::method::Method;
use crate::on::On;
use crate::task::Task;
use improvers::{Helped, with_improvers};
use pool::{Pool, Taken};

pub(crate) use pool::WhenBusy;
pub use taquin_gpu::{
    Check, Device, DeviceInfo, GpuError, SelfTest, devices, self_test, space_extent,
};

/// The variable with the numbers of the devices to use.
const DEVICES_VARIABLE: &str = "TAQUIN_DEVICES";

/// The engines of a session, one for each device. An engine is made when it is first needed, and keeps
/// its tables and most of the memory of its device until another one is needed there.
#[derive(Debug, Default)]
pub(crate) struct GpuEngines {
    slots: OnceLock<Pool<Slot>>,
    is_refusing: bool,
    #[cfg(test)]
    pub(crate) stand_in: Option<StandIn>,
    #[cfg(test)]
    pub(crate) stand_in_batch: Option<StandInBatch>,
}

/// Searches in place of a device.
#[cfg(test)]
pub(crate) type StandIn = fn(Checkpointing<'_>) -> GpuError;
#[cfg(test)]
pub(crate) type StandInBatch = fn(&Arc<Patterns>, &[Board]) -> Result<GpuBatch, GpuError>;

/// A device and its engine.
#[derive(Debug)]
struct Slot {
    device: usize,
    engine: Option<Engine>,
}

#[derive(Debug)]
enum Engine {
    Puzzle15(Box<Puzzle15>),
    Puzzle24(Box<Puzzle24>),
    Beam(Box<GpuBeam>),
}

/// A search on a device.
pub(crate) struct GpuSearch {
    pub(crate) search: Search<Slide>,
    /// When it began: the engine was there, and free.
    pub(crate) started: Instant,
    /// The name of the device.
    pub(crate) device: String,
    /// The shortest solution that the processor has found meanwhile, if it helped.
    pub(crate) best: Option<Vec<Slide>>,
    /// Whether that one is the solution of the search.
    pub(crate) is_decisive: bool,
}

impl GpuSearch {
    /// Returns the device, and whether the processor found the solution.
    pub(crate) fn place(&self) -> String {
        let Self { device, is_decisive, .. } = self;
        match is_decisive {
            true => format!("{device}; the processor found the solution, the device the bound"),
            false => device.clone(),
        }
    }
}

/// The searches of many boards on a device.
pub(crate) struct GpuBatch {
    /// There are none if they were cancelled.
    pub(crate) searches: Option<Vec<Search<Slide>>>,
    /// The seconds that they took together.
    pub(crate) seconds: f64,
    /// The name of the device.
    pub(crate) device: String,
}

/// Returns the numbers of the devices to use: all, unless `TAQUIN_DEVICES` names some.
///
/// # Errors
/// Fails if there is no device, or if the variable has other text than numbers.
pub fn chosen_devices() -> Result<Vec<usize>, GpuError> {
    let found = device_count()?;
    let numbers = match std::env::var(DEVICES_VARIABLE) {
        Ok(text) => numbers(&text).ok_or(GpuError::Chosen { variable: DEVICES_VARIABLE, text })?,
        Err(_) => (0..found).collect(),
    };
    match numbers.iter().find(|&&index| index >= found) {
        Some(&index) => Err(GpuError::NoDevice { index, found }),
        None if numbers.is_empty() => Err(GpuError::NoDevice { index: 0, found }),
        None => Ok(numbers),
    }
}

/// Reads numbers with commas between them.
fn numbers(text: &str) -> Option<Vec<usize>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

impl GpuEngines {
    /// Engines that refuse all work: the limits of a service say nothing about devices.
    pub(crate) fn refusing() -> Self {
        Self { is_refusing: true, ..Self::default() }
    }

    /// The method that runs on a device.
    pub(crate) fn method() -> Option<Method> {
        let mut method = Method::new(Algorithm::Ida, Some(Estimate::Pdb(partition()?)));
        method.on = Some(On::Gpu);
        Some(method)
    }

    /// Returns whether a search of a task would have to start a device first, if there is one. The
    /// driver is not started.
    pub(crate) fn has_to_start(&self, task: &Task, method: &Method) -> bool {
        self.slots.get().is_none() && self.has_driver() && is_fit(task, method).is_ok()
    }

    /// Makes the engine for a task, so that a search starts at once.
    ///
    /// # Errors
    /// Fails if no engine fits the task, or if there is no device.
    pub(crate) fn prepare(
        &self,
        task: &Task,
        method: &Method,
        when_busy: WhenBusy,
    ) -> Result<(), GpuError> {
        #[cfg(test)]
        if self.stand_in.is_some() {
            return is_fit(task, method);
        }
        self.with_engine(task, method, when_busy, |_| Ok(()))
    }

    /// Solves the puzzle of a task, and saves which thresholds are complete. One search runs on a
    /// device at a time.
    ///
    /// # Errors
    /// Fails if no engine fits the task, or if there is no device or it fails.
    pub(crate) fn solve(
        &self,
        task: &Task,
        method: &Method,
        limits: &Limits,
        when_busy: WhenBusy,
        checkpointing: Checkpointing<'_>,
    ) -> Result<GpuSearch, GpuError> {
        #[cfg(test)]
        if let Some(stand_in) = self.stand_in {
            return Err(stand_in(checkpointing));
        }
        self.with_engine(task, method, when_busy, |engine| {
            let started = Instant::now();
            let (start, goal) = (task.puzzle.start(), task.puzzle.goal());
            let options = Options24::default();
            let on_device = |limits: &Limits, checkpointing: Checkpointing<'_>| {
                engine.solve_with_checkpoints(start, goal, options, limits, checkpointing)
            };
            let Helped { search, best, is_decisive } =
                with_improvers(task, limits, checkpointing, on_device)?;
            let device = engine.device().name.clone();
            Ok(GpuSearch { search, started, device, best, is_decisive })
        })
    }

    fn with_engine<T>(
        &self,
        task: &Task,
        method: &Method,
        when_busy: WhenBusy,
        work: impl FnOnce(&mut Puzzle24) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        is_fit(task, method).map_err(|error| match self.has_driver() || self.is_refusing {
            true => error,
            false => GpuError::NoDriver,
        })?;
        let goal = task.puzzle.goal();
        let is_ready =
            |engine: &Engine| matches!(engine, Engine::Puzzle24(engine) if engine.is_for(goal));
        let make = |device| Ok(Engine::Puzzle24(Box::new(Puzzle24::new(&device, goal)?)));
        let mut taken = self.take(when_busy, is_ready, make)?;
        let slot = taken.get();
        let Some(Engine::Puzzle24(engine)) = &mut slot.engine else {
            return Err(GpuError::NoDriver);
        };
        let result = work(engine);
        if matches!(result, Err(GpuError::Driver(_))) {
            // After an error of the driver nothing on the device can be used.
            slot.engine = None;
        }
        result
    }

    /// Solves 15-puzzles together, with the goal and the databases of `patterns`.
    ///
    /// # Errors
    /// Fails if the databases do not fit, or if there is no device or it fails.
    pub(crate) fn solve_many(
        &self,
        patterns: &Arc<Patterns>,
        starts: &[Board],
        monitor: &Monitor,
    ) -> Result<GpuBatch, GpuError> {
        #[cfg(test)]
        if let Some(stand_in) = self.stand_in_batch {
            return stand_in(patterns, starts);
        }
        let is_ready =
            |engine: &Engine| matches!(engine, Engine::Puzzle15(engine) if engine.is_for(patterns));
        let make = |device| Ok(Engine::Puzzle15(Box::new(Puzzle15::new(&device, patterns)?)));
        let mut taken = self.take(WhenBusy::Wait, is_ready, make)?;
        let slot = taken.get();
        let Some(Engine::Puzzle15(engine)) = &mut slot.engine else {
            return Err(GpuError::NoDriver);
        };
        let device = engine.device().name.clone();
        let started = Instant::now();
        let searches = engine.solve(starts, monitor);
        if searches.is_err() {
            // After an error of the driver nothing on the device can be used.
            slot.engine = None;
        }
        Ok(GpuBatch { searches: searches?, seconds: started.elapsed().as_secs_f64(), device })
    }

    /// Returns whether there may be a device to use. The driver is not started: that takes a while.
    pub(crate) fn has_driver(&self) -> bool {
        #[cfg(test)]
        if self.stand_in.is_some() || self.stand_in_batch.is_some() {
            return true;
        }
        !self.is_refusing && has_driver()
    }

    /// Does some work with beam searches on a device, or without them if there is no device for them.
    /// Returns with its result the name of the device, or why it was not used.
    pub(crate) fn with_beam<T>(
        &self,
        puzzle: &Puzzle,
        when_busy: WhenBusy,
        work: impl FnOnce(Option<&mut dyn WideBeam>) -> T,
    ) -> (T, Result<String, GpuError>) {
        if puzzle.start().blanks().count() != 1 {
            let error = GpuError::Unsupported("a device searches boards with one blank");
            return (work(None), Err(error));
        }
        let size = puzzle.size();
        let is_ready =
            |engine: &Engine| matches!(engine, Engine::Beam(beam) if beam.size() == size);
        let make = |device| Ok(Engine::Beam(Box::new(GpuBeam::new(&device, size, 0)?)));
        let mut taken = match self.take(when_busy, is_ready, make) {
            Ok(taken) => taken,
            Err(error) => return (work(None), Err(error)),
        };
        let slot = taken.get();
        let Some(Engine::Beam(beam)) = &mut slot.engine else {
            return (work(None), Err(GpuError::NoDriver));
        };
        let done = work(Some(&mut **beam));
        match beam.take_error() {
            None => (done, Ok(beam.device().name.clone())),
            Some(error) => {
                slot.engine = None;
                (done, Err(error))
            }
        }
    }

    /// Takes a device that is not in use, and makes its engine if it has another one.
    fn take(
        &self,
        when_busy: WhenBusy,
        is_ready: impl Fn(&Engine) -> bool,
        make: impl FnOnce(Device) -> Result<Engine, GpuError>,
    ) -> Result<Taken<'_, Slot>, GpuError> {
        if self.is_refusing {
            return Err(GpuError::Unsupported("a service does not search on a device"));
        }
        let slots = match self.slots.get() {
            Some(slots) => slots,
            None => {
                let slot = |device| Slot { device, engine: None };
                let all = chosen_devices()?.into_iter().map(slot).collect();
                self.slots.get_or_init(|| Pool::new(all))
            }
        };
        let rank = |slot: &Slot| match &slot.engine {
            Some(engine) if is_ready(engine) => 0,
            None => 1,
            Some(_) => 2,
        };
        let mut taken = slots
            .take(when_busy, rank)
            .ok_or(GpuError::Unsupported("the device is busy with another search"))?;
        let slot = taken.get();
        if !slot.engine.as_ref().is_some_and(is_ready) {
            // The old engine holds the memory of the device.
            slot.engine = None;
            slot.engine = Some(make(Device::open(slot.device)?)?);
        }
        Ok(taken)
    }
}

/// Fails unless the engine searches as the method asks.
fn is_fit(task: &Task, method: &Method) -> Result<(), GpuError> {
    let usual = GpuEngines::method();
    if Some(method) != usual.as_ref() {
        return Err(GpuError::Unsupported(
            "a device searches with ida:pdb=6-6-6-6,on=gpu only, or 15-puzzles in a batch without limits",
        ));
    }
    if task.cost != Costs::Unit || task.jumps {
        return Err(GpuError::Unsupported("a device searches with the usual moves and costs only"));
    }
    taquin_gpu::fits_24(task.puzzle.start(), task.puzzle.goal())
}

/// The partition of the engine's databases.
fn partition() -> Option<Partition> {
    Partition::named().map(|(partition, _)| partition).find(|named| named.to_string() == "6-6-6-6")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Checkpoint;
    use crate::report::{Ending, Stage};
    use crate::session::{Session, unsaved};
    use crate::watch::Watch;
    use std::time::Duration;
    use taquin_fast::ProgressRecord;
    use taquin_search::Counts;
    use taquin_tiles::NamedGoal;

    fn task(board: &str, method: &str) -> Task {
        let start: Board = board.parse().unwrap();
        Task { method: method.parse().unwrap(), ..Task::from(start) }
    }

    #[test]
    fn what_no_engine_fits_is_searched_on_the_processor_and_reported() {
        for method in ["ida:linear,on=gpu", "ida:pdb=1.2.3.4/5.6.7.8,on=gpu"] {
            let task = task("8 6 7/2 5 4/3 0 1", method);
            let report = Session::without_folder().run(&task, Watch::default());
            assert!(report.optimal);
            let notes = [
                "searched on the processor: no CUDA driver was found",
                "searched on the processor: a device searches with ida:pdb=6-6-6-6,on=gpu only, or \
                 15-puzzles in a batch without limits",
            ];
            assert_eq!(report.notes.len(), 1, "{method}");
            assert!(notes.contains(&&*report.notes[0]), "{method}: {:?}", report.notes);
        }
    }

    #[test]
    fn a_service_uses_no_device() {
        let goal = NamedGoal::First.board("5x5".parse().unwrap(), 1);
        let task = Task::from(goal);
        let method = GpuEngines::method().unwrap();
        let limits = Limits::default();
        let engines = GpuEngines::refusing();
        let refused = engines.solve(&task, &method, &limits, WhenBusy::Wait, unsaved(None));
        assert!(matches!(refused, Err(GpuError::Unsupported(_))));
    }

    #[test]
    fn auto_does_not_wait_long_for_a_device() {
        let task = Task::from(NamedGoal::First.board("5x5".parse().unwrap(), 1));
        let method = GpuEngines::method().unwrap();
        let engines = GpuEngines::default();
        let slots = engines.slots.get_or_init(|| Pool::new(vec![Slot { device: 0, engine: None }]));
        let in_use = slots.take(WhenBusy::Fail, |_| 0).unwrap();
        let when_busy = WhenBusy::WaitAtMost(Duration::from_millis(1));
        let busy = engines.prepare(&task, &method, when_busy).unwrap_err();
        assert_eq!(busy.to_string(), "the device is busy with another search");
        drop(in_use);
    }

    #[test]
    fn devices_are_named_by_numbers() {
        assert_eq!(numbers("0"), Some(vec![0]));
        assert_eq!(numbers("2, 0,0"), Some(vec![2, 0, 0]));
        for text in ["", "a", "0,", "-1", "0;1", "99999999999999999999999"] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }

    /// The thresholds below this one are complete when the device fails, with these counts.
    const REACHED: u32 = 44;
    fn before() -> Counts {
        Counts { expanded: 100, generated: 210, ..Counts::default() }
    }

    /// A session with a device that fails, and a 15-puzzle of 46 moves.
    fn failing() -> (Session, Task) {
        let fail = |checkpointing: Checkpointing<'_>| {
            let record = ProgressRecord::new(checkpointing);
            record.begin(REACHED, before(), 800);
            record.close();
            GpuError::Driver("a test".to_owned())
        };
        let gpu = GpuEngines { stand_in: Some(fail), ..GpuEngines::default() };
        let session = Session { gpu: Arc::new(gpu), ..Session::without_folder() };
        (session, task("7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10", "ida:manhattan,on=gpu"))
    }

    #[test]
    fn the_processor_goes_on_where_a_device_failed() {
        let (session, task) = failing();
        let whole = Session::without_folder().run(&task, Watch::default());
        let report = session.run(&task, Watch::default());
        assert_eq!((report.depth, report.optimal), (Some(46), true));
        let below = whole.before_last_bound.unwrap().generated;
        let last = whole.counts.generated - below;
        assert!(report.counts.generated < whole.counts.generated);
        assert!(report.counts.generated >= before().generated + last);
        let note =
            "the CUDA driver failed: a test; the search went on at threshold 44 on the processor";
        assert_eq!(report.notes, [note]);
    }

    #[test]
    fn auto_starts_a_device_neither_for_a_board_near_its_goal_nor_in_little_time() {
        let session = |stand_in: StandIn| {
            let gpu = GpuEngines { stand_in: Some(stand_in), ..GpuEngines::default() };
            Session { gpu: Arc::new(gpu), ..Session::without_folder() }
        };
        let near = task("1 2 3 4 5/6 7 8 9 10/11 12 14 13 15/16 17 18 19 20/21 22 24 23 0", "auto");
        let report = session(|_| panic!("a device was started")).run(&near, Watch::default());
        assert!(report.optimal);
        let far = "24 23 22 21 20/19 18 17 16 15/14 13 12 11 10/9 8 7 6 5/4 3 2 1 0";
        let mut far = task(far, "auto");
        far.limits.seconds = Some(0.05);
        let report = session(|_| panic!("a device was started")).run(&far, Watch::default());
        assert!(report.moves.is_some());
        far.limits.seconds = Some(2.0);
        let failing = session(|_| GpuError::Driver("a test".to_owned()));
        let report = failing.run(&far, Watch::default());
        let note = "the device was not used: the CUDA driver failed: a test".to_owned();
        assert!(report.moves.is_some() && report.notes.contains(&note), "{:?}", report.notes);
        // Which is the user's choice.
        far.method = "auto,on=cpu".parse().unwrap();
        let report = session(|_| panic!("a device was started")).run(&far, Watch::default());
        assert!(report.moves.is_some());
        far.limits.seconds = Some(0.05);
        far.method = "auto,on=gpu".parse().unwrap();
        let report = failing.run(&far, Watch::default());
        assert!(report.moves.is_some() && report.notes.contains(&note), "{:?}", report.notes);
    }

    #[test]
    fn auto_keeps_the_thresholds_that_a_device_completed_before_it_failed() {
        const REACHED: u32 = 130;
        let fail = |checkpointing: Checkpointing<'_>| {
            let record = ProgressRecord::new(checkpointing);
            record.begin(REACHED, before(), 800);
            GpuError::Driver("a test".to_owned())
        };
        let gpu = GpuEngines { stand_in: Some(fail), ..GpuEngines::default() };
        let session = Session { gpu: Arc::new(gpu), ..Session::without_folder() };
        let far = "24 23 22 21 20/19 18 17 16 15/14 13 12 11 10/9 8 7 6 5/4 3 2 1 0";
        let mut far = task(far, "auto,on=gpu");
        far.limits.seconds = Some(0.2);
        let report = session.run(&far, Watch::default());
        assert_eq!(report.lower_bound, Some(REACHED));
        let note = "the CUDA driver failed: a test; the thresholds below 130 are complete";
        assert!(report.notes.contains(&note.to_owned()), "{:?}", report.notes);
        let on_device = |stage: &&Stage| Some(&stage.method) == GpuEngines::method().as_ref();
        let stage = report.stages.iter().find(on_device).unwrap();
        assert_eq!((stage.counts, stage.outcome), (before(), Ending::Stopped));
    }

    #[test]
    fn a_checkpoint_has_what_a_device_completed_before_it_failed() {
        let (session, mut task) = failing();
        let path = std::env::temp_dir().join(format!("taquin-gpu-{}.json", std::process::id()));
        task.limits.generated = Some(300);
        let files = (path.as_path(), Duration::ZERO);
        let monitor = Arc::new(Monitor::default());
        let report = session.run_with_checkpoint(&task, None, files, &monitor).unwrap();
        assert_eq!((report.depth, report.lower_bound), (None, Some(REACHED)));
        let checkpoint = Checkpoint::read(&path).unwrap();
        assert_eq!(checkpoint.progress().0, REACHED);
        task.limits.generated = None;
        let resumed = session.run_with_checkpoint(&task, Some(&checkpoint), files, &monitor);
        let resumed = resumed.unwrap();
        assert_eq!((resumed.depth, resumed.optimal), (Some(46), true));
        std::fs::remove_file(path).unwrap();
    }
}
