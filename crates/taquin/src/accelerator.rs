//! Devices, as a session uses them.
//!
//! A front end that has devices hands an [`Accelerator`] to its session. Without one, a method with
//! `on=gpu` runs on the CPU and reports that.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use taquin_search::{Instant, Limits, Monitor, Search};
use taquin_solvers::{Journal, WideBeam};
use taquin_tables::Patterns;
use taquin_tables::whole::Extent;
use taquin_tiles::{Board, Puzzle, Size, Slide};

use crate::algorithm::Algorithm;
use crate::method::Method;
use crate::on::Device;
use crate::session::Session;
use crate::task::Task;

/// Devices that search and enumerate. Several threads share them; each engine is used by one at a
/// time.
pub trait Accelerator: fmt::Debug + Send + Sync {
    /// Returns whether there may be a device. It is called often and starts nothing.
    fn is_present(&self) -> bool;

    /// Returns the time until a device has started, in which `auto` searches near boards on the
    /// processor.
    fn start_time(&self) -> Duration;

    /// Returns the time limit below which `auto` starts no device.
    fn least_time(&self) -> Duration;

    /// Returns the method that `auto` runs on a device.
    fn method(&self) -> Method;

    /// Fails unless [`solve`](Self::solve) runs a task with a method.
    ///
    /// # Errors
    /// Describes what a device can do.
    fn fits(&self, task: &Task, method: &Method) -> Result<(), DeviceError>;

    /// Makes the engine for a puzzle, so that [`solve`](Self::solve) starts at once.
    ///
    /// # Errors
    /// Fails if there is no device, or if it fails.
    fn prepare(&self, puzzle: &Puzzle, when_busy: WhenBusy) -> Result<(), DeviceError>;

    /// Solves the puzzle of a task, and saves which thresholds are complete.
    ///
    /// # Errors
    /// Fails if there is no device, or if it fails.
    fn solve(
        &self,
        task: &Task,
        limits: &Limits,
        when_busy: WhenBusy,
        journal: &Journal<'_>,
    ) -> Result<DeviceSearch, DeviceError>;

    /// Solves 15-puzzles together, with the goal and the databases of `patterns`.
    ///
    /// # Errors
    /// Fails if the databases do not fit, or if there is no device or it fails.
    fn solve_many(
        &self,
        patterns: &Arc<Patterns>,
        starts: &[Board],
        monitor: &Monitor,
    ) -> Result<DeviceBatch, DeviceError>;

    /// Calls `work` with an engine for wide beam searches on boards of this size with one blank.
    /// Returns the device's name.
    ///
    /// # Errors
    /// Fails without calling `work` if there is no device, and after it if the device failed.
    fn beam(
        &self,
        _size: Size,
        _when_busy: WhenBusy,
        _work: &mut dyn FnMut(&mut dyn WideBeam),
    ) -> Result<String, DeviceError> {
        Err(DeviceError::Unsupported("the device has no beam search"))
    }

    /// Returns the size of a goal's space on a device.
    ///
    /// # Errors
    /// Fails if a device cannot explore it.
    fn space_extent(&self, _goal: &Board) -> Result<Extent, DeviceError> {
        Err(DeviceError::Unsupported("the device enumerates no boards"))
    }

    /// Explores a goal's space, and returns the farthest boards. After each layer it calls `layer`
    /// with the number of boards at each depth, and stops if that returns `false`.
    ///
    /// # Errors
    /// Fails if there is no device, or if it fails.
    fn explore(
        &self,
        _goal: &Board,
        _layer: &mut dyn FnMut(&[u64]) -> bool,
    ) -> Result<Vec<Board>, DeviceError> {
        Err(DeviceError::Unsupported("the device enumerates no boards"))
    }
}

/// The policy while all devices are in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names describe them")]
pub enum WhenBusy {
    Wait,
    WaitAtMost(Duration),
    Fail,
}

/// Why a device cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is none.
    #[error("{0}")]
    Missing(String),
    /// The choice of devices is invalid.
    #[error("{0}")]
    Choice(String),
    /// Its driver is too old.
    #[error("{0}")]
    OldDriver(String),
    /// No engine for a device fits.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The device has too little free memory.
    #[error(
        "{} MB of device memory are needed, and {} MB are free", needed.div_ceil(1_000_000),
        free / 1_000_000
    )]
    Memory {
        /// The bytes needed.
        needed: u64,
        /// The bytes free.
        free: u64,
    },
    /// The device failed.
    #[error("{0}")]
    Failed(String),
}

impl DeviceError {
    pub(crate) fn none() -> Self {
        Self::Missing("no device was found".to_owned())
    }
}

/// A search on a device.
#[derive(Debug)]
pub struct DeviceSearch {
    /// The search.
    pub search: Search<Slide>,
    /// When it began: the engine was there, and free.
    pub started: Instant,
    /// The name of the device.
    pub device: String,
    /// The shortest solution that the processor has found meanwhile, if it helped.
    pub best: Option<Vec<Slide>>,
    /// Whether that one is the solution of the search.
    pub is_decisive: bool,
}

impl DeviceSearch {
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
#[derive(Debug)]
pub struct DeviceBatch {
    /// There are none if they were cancelled.
    pub searches: Option<Vec<Search<Slide>>>,
    /// The seconds that they took together.
    pub seconds: f64,
    /// The name of the device.
    pub device: String,
}

impl Session {
    /// Returns the devices.
    pub(crate) fn device(&self) -> Result<&dyn Accelerator, DeviceError> {
        let device = self.accelerator.as_deref().filter(|device| device.is_present());
        device.ok_or_else(DeviceError::none)
    }

    /// Returns the devices if they search a task with a method.
    pub(crate) fn device_for(
        &self,
        task: &Task,
        method: &Method,
    ) -> Result<&dyn Accelerator, DeviceError> {
        let device = self.device()?;
        device.fits(task, method).map(|()| device)
    }

    /// Returns whether `auto` starts a device for a task, if one search does not suffice.
    pub(crate) fn may_start_device(&self, task: &Task) -> bool {
        let Method { algorithm, on, .. } = &task.method;
        if *algorithm != Algorithm::Auto || *on == Some(Device::Cpu) {
            return false;
        }
        self.device().is_ok_and(|device| {
            let least = device.least_time().as_secs_f64();
            let is_late = task.limits.seconds.is_some_and(|seconds| seconds <= least);
            (on.is_some() || !is_late) && device.fits(task, &device.method()).is_ok()
        })
    }

    /// Does some work with beam searches on a device, or without them if there is no device for
    /// them. Returns with its result the name of the device, or why it was not used.
    pub(crate) fn with_beam<T>(
        &self,
        puzzle: &Puzzle,
        when_busy: WhenBusy,
        work: impl FnOnce(Option<&mut dyn WideBeam>) -> T,
    ) -> (T, Result<String, DeviceError>) {
        let (mut work, mut done) = (Some(work), None);
        let used = match puzzle.start().blanks().count() {
            1 => self.device().and_then(|device| {
                device.beam(puzzle.size(), when_busy, &mut |beam| {
                    done = work.take().map(|work| work(Some(beam)));
                })
            }),
            _ => Err(DeviceError::Unsupported("a device searches boards with one blank")),
        };
        match (done, work) {
            (Some(done), _) => (done, used),
            (None, work) => (work.expect("nothing was done")(None), used),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::checkpoint::{Checkpoint, SavedSearch};
    use crate::report::{Ending, Stage};
    use crate::watch::Watch;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use taquin_search::{Counts, Random};
    use taquin_tiles::{NamedGoal, scramble};

    type FailingSearch = fn(&Journal<'_>);
    pub(crate) type Batch = fn(&Arc<Patterns>, &[Board]) -> Result<DeviceBatch, DeviceError>;

    /// A device that searches as a test says, and then fails.
    #[derive(Debug)]
    pub(crate) struct TestDevice {
        pub(crate) fits: Result<(), DeviceError>,
        pub(crate) solve: FailingSearch,
        pub(crate) batch: Batch,
        /// Why there are no beam searches.
        pub(crate) beam: fn() -> DeviceError,
    }

    pub(crate) fn failure() -> DeviceError {
        DeviceError::Failed("a test".to_owned())
    }

    impl TestDevice {
        pub(crate) fn failing(solve: FailingSearch) -> Self {
            Self { fits: Ok(()), solve, batch: |_, _| Err(failure()), beam: failure }
        }
    }

    impl Accelerator for TestDevice {
        fn is_present(&self) -> bool {
            true
        }

        fn start_time(&self) -> Duration {
            Duration::from_secs(60)
        }

        fn least_time(&self) -> Duration {
            Duration::from_millis(100)
        }

        fn method(&self) -> Method {
            "ida:pdb=6-6-6-6,on=gpu".parse().unwrap()
        }

        fn fits(&self, _: &Task, _: &Method) -> Result<(), DeviceError> {
            self.fits.clone()
        }

        fn prepare(&self, _: &Puzzle, _: WhenBusy) -> Result<(), DeviceError> {
            Ok(())
        }

        fn solve(
            &self,
            _: &Task,
            _: &Limits,
            _: WhenBusy,
            journal: &Journal<'_>,
        ) -> Result<DeviceSearch, DeviceError> {
            (self.solve)(journal);
            Err(failure())
        }

        fn beam(
            &self,
            _: Size,
            _: WhenBusy,
            _: &mut dyn FnMut(&mut dyn WideBeam),
        ) -> Result<String, DeviceError> {
            Err((self.beam)())
        }

        fn solve_many(
            &self,
            patterns: &Arc<Patterns>,
            starts: &[Board],
            _: &Monitor,
        ) -> Result<DeviceBatch, DeviceError> {
            (self.batch)(patterns, starts)
        }
    }

    fn task(board: &str, method: &str) -> Task {
        let start: Board = board.parse().unwrap();
        Task { method: method.parse().unwrap(), ..Task::from(start) }
    }

    #[test]
    fn what_no_engine_fits_is_searched_on_the_processor_and_reported() {
        let task = task("8 6 7/2 5 4/3 0 1", "ida:pdb=1.2.3.4/5.6.7.8,on=gpu");
        let without = Session::without_folder();
        let mut device = TestDevice::failing(|_| panic!("a device was started"));
        device.fits = Err(DeviceError::Unsupported("a test"));
        let with = Session::without_folder().with_accelerator(device);
        for (session, why) in [(without, "no device was found"), (with, "a test")] {
            let report = session.run(&task, Watch::default());
            assert!(report.optimal);
            assert_eq!(report.notes, [format!("searched on the processor: {why}")]);
        }
    }

    /// The thresholds below this one are complete when the device fails, with these counts.
    const REACHED: u32 = 44;
    fn before() -> Counts {
        Counts { expanded: 100, generated: 210, ..Counts::default() }
    }

    /// A session with a device that fails, and a 15-puzzle of 46 moves.
    fn failing() -> (Session, Task) {
        let device = TestDevice::failing(|journal| {
            journal.begin(REACHED, before(), 800);
            journal.close();
        });
        let session = Session::without_folder().with_accelerator(device);
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
        let note = "a test; resumed on the CPU at threshold 44";
        assert_eq!(report.notes, [note]);
    }

    #[test]
    fn a_panic_of_one_thread_ends_auto() {
        let mut device = TestDevice::failing(|_| ());
        device.beam = || panic!("a test");
        let session = Session::without_folder().with_accelerator(device);
        let goal = NamedGoal::Last.board(Size::new(6, 6).unwrap(), 1);
        let start = scramble::uniform(&goal, &mut Random::new(1));
        let mut task = Task { method: "auto,on=gpu".parse().unwrap(), ..Task::from(start) };
        task.limits.seconds = Some(600.0);
        let started = Instant::now();
        let run = AssertUnwindSafe(|| session.run(&task, Watch::default()));
        assert!(catch_unwind(run).is_err());
        assert!(started.elapsed() < Duration::from_secs(300), "{:?}", started.elapsed());
    }

    #[test]
    fn auto_starts_a_device_neither_for_a_board_near_its_goal_nor_in_little_time() {
        let session = |solve: FailingSearch| {
            Session::without_folder().with_accelerator(TestDevice::failing(solve))
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
        let failing = session(|_| ());
        let report = failing.run(&far, Watch::default());
        let note = "the device was not used: a test".to_owned();
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
        let device = TestDevice::failing(|journal| {
            journal.begin(REACHED, before(), 800);
        });
        let session = Session::without_folder().with_accelerator(device);
        let far = "24 23 22 21 20/19 18 17 16 15/14 13 12 11 10/9 8 7 6 5/4 3 2 1 0";
        let mut far = task(far, "auto,on=gpu");
        far.limits.seconds = Some(0.2);
        let report = session.run(&far, Watch::default());
        assert_eq!(report.lower_bound, Some(REACHED));
        let note = "a test; the thresholds below 130 are complete";
        assert!(report.notes.contains(&note.to_owned()), "{:?}", report.notes);
        let on_device = |stage: &&Stage| stage.method.on == Some(Device::Gpu);
        let stage = report.stages.iter().find(on_device).unwrap();
        assert_eq!((stage.counts, stage.outcome), (before(), Ending::Stopped));
    }

    #[test]
    fn a_checkpoint_has_what_a_device_completed_before_it_failed() {
        let (session, mut task) = failing();
        let path = std::env::temp_dir().join(format!("taquin-gpu-{}.json", std::process::id()));
        task.limits.generated = Some(300);
        let search = |task: &Task, from| {
            let job = SavedSearch { task, from, path: &path, every: Duration::ZERO };
            session.run(job, Watch::default()).unwrap()
        };
        let report = search(&task, None);
        assert_eq!((report.depth, report.lower_bound), (None, Some(REACHED)));
        let checkpoint = Checkpoint::read(&path).unwrap();
        assert_eq!(checkpoint.progress().0, REACHED);
        task.limits.generated = None;
        let resumed = search(&task, Some(&checkpoint));
        assert_eq!((resumed.depth, resumed.optimal), (Some(46), true));
        std::fs::remove_file(path).unwrap();
    }
}
