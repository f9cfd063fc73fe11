//! Engines on a CUDA device.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use taquin_fast::WideBeam;
use taquin_gpu::{GpuBeam, Options24, Puzzle24};
use taquin_search::{Instant, Limits, Search};
use taquin_tables::Partition;
use taquin_tiles::{Costs, Puzzle, Slide};

use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::method::Method;
use crate::on::On;
use crate::task::Task;

pub use taquin_gpu::{Check, Device, DeviceInfo, GpuError, devices, self_test, space_extent};

/// The engines of a session on its device. One is made when it is first needed, and keeps its tables
/// and most of the memory of the device until the other one is needed.
#[derive(Debug, Default)]
pub(crate) struct GpuEngines {
    engine: Mutex<Option<Engine>>,
    is_refusing: bool,
}

#[derive(Debug)]
enum Engine {
    Puzzle24(Box<Puzzle24>),
    Beam(Box<GpuBeam>),
}

/// What to do while another search uses the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhenBusy {
    Wait,
    Fail,
}

/// A search on a device.
pub(crate) struct GpuSearch {
    pub(crate) search: Search<Slide>,
    /// When it began: the engine was there, and free.
    pub(crate) started: Instant,
    /// The name of the device.
    pub(crate) device: String,
}

impl GpuEngines {
    /// Engines that refuse all work: the limits of a service say nothing about devices.
    pub(crate) fn refusing() -> Self {
        Self { is_refusing: true, ..Self::default() }
    }

    /// The method that runs on a device.
    pub(crate) fn method() -> Option<Method> {
        let mut method = Method::new(Algorithm::Ida, Some(Estimate::Pdb(partition()?)));
        method.on = On::Gpu;
        Some(method)
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
        self.with_engine(task, method, when_busy, |_| Ok(()))
    }

    /// Solves the puzzle of a task. One search runs at a time.
    ///
    /// # Errors
    /// Fails if no engine fits the task, or if there is no device or it fails.
    pub(crate) fn solve(
        &self,
        task: &Task,
        method: &Method,
        limits: &Limits,
        when_busy: WhenBusy,
    ) -> Result<GpuSearch, GpuError> {
        self.with_engine(task, method, when_busy, |engine| {
            let started = Instant::now();
            let (start, goal) = (task.puzzle.start(), task.puzzle.goal());
            let search = engine.solve(start, goal, Options24::default(), limits)?;
            Ok(GpuSearch { search, started, device: engine.device().name.clone() })
        })
    }

    fn with_engine<T>(
        &self,
        task: &Task,
        method: &Method,
        when_busy: WhenBusy,
        work: impl FnOnce(&mut Puzzle24) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        is_fit(task, method)?;
        let mut engine = self.lock(when_busy)?;
        if !matches!(*engine, Some(Engine::Puzzle24(_))) {
            *engine = None;
            *engine = Some(Engine::Puzzle24(Box::new(Puzzle24::new(&Device::open(0)?)?)));
        }
        let Some(Engine::Puzzle24(ready)) = engine.as_mut() else { return Err(GpuError::NoDriver) };
        let result = work(ready);
        if matches!(result, Err(GpuError::Driver(_))) {
            // After an error of the driver nothing on the device can be used.
            *engine = None;
        }
        result
    }

    /// Does some work with beam searches on a device, or without them if there is no device for them.
    /// Returns with its result the name of the device, or why it was not used.
    pub(crate) fn with_beam<T>(
        &self,
        puzzle: &Puzzle,
        when_busy: WhenBusy,
        work: impl FnOnce(Option<&mut dyn WideBeam>) -> T,
    ) -> (T, Result<String, GpuError>) {
        let ready = self.lock(when_busy).and_then(|mut engine| {
            if puzzle.start().blanks().count() != 1 {
                return Err(GpuError::Unsupported("a device searches boards with one blank"));
            }
            let size = puzzle.size();
            if !matches!(&*engine, Some(Engine::Beam(beam)) if beam.size() == size) {
                *engine = None;
                *engine = Some(Engine::Beam(Box::new(GpuBeam::new(&Device::open(0)?, size, 0)?)));
            }
            Ok(engine)
        });
        let mut engine = match ready {
            Ok(engine) => engine,
            Err(error) => return (work(None), Err(error)),
        };
        let Some(Engine::Beam(beam)) = engine.as_mut() else {
            return (work(None), Err(GpuError::NoDriver));
        };
        let done = work(Some(&mut **beam));
        match beam.take_error() {
            None => (done, Ok(beam.device().name.clone())),
            Some(error) => {
                *engine = None;
                (done, Err(error))
            }
        }
    }

    /// Waits for the engine, or does not.
    fn lock(&self, when_busy: WhenBusy) -> Result<MutexGuard<'_, Option<Engine>>, GpuError> {
        if self.is_refusing {
            return Err(GpuError::Unsupported("a service does not search on a device"));
        }
        match (when_busy, self.engine.try_lock()) {
            (_, Ok(engine)) => Ok(engine),
            (WhenBusy::Fail, Err(TryLockError::WouldBlock)) => {
                Err(GpuError::Unsupported("the device is busy with another search"))
            }
            _ => Ok(self.engine.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// Fails unless the engine searches as the method asks.
fn is_fit(task: &Task, method: &Method) -> Result<(), GpuError> {
    let usual = GpuEngines::method();
    if Some(method) != usual.as_ref() {
        return Err(GpuError::Unsupported("a device searches with ida:pdb=6-6-6-6,on=gpu only"));
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
    use crate::session::Session;
    use crate::watch::Watch;
    use taquin_tiles::{Board, NamedGoal};

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
            let note =
                "searched on the processor: a device searches with ida:pdb=6-6-6-6,on=gpu only";
            assert_eq!(report.notes, [note], "{method}");
        }
    }

    #[test]
    fn a_service_uses_no_device() {
        let goal = NamedGoal::First.board("5x5".parse().unwrap(), 1);
        let task = Task::from(goal);
        let method = GpuEngines::method().unwrap();
        let limits = Limits::default();
        let refused = GpuEngines::refusing().solve(&task, &method, &limits, WhenBusy::Wait);
        assert!(matches!(refused, Err(GpuError::Unsupported(_))));
    }

    #[test]
    fn auto_does_not_wait_for_a_device() {
        let task = Task::from(NamedGoal::First.board("5x5".parse().unwrap(), 1));
        let method = GpuEngines::method().unwrap();
        let engines = GpuEngines::default();
        let in_use = engines.engine.lock().unwrap();
        let busy = engines.prepare(&task, &method, WhenBusy::Fail).unwrap_err();
        assert_eq!(busy.to_string(), "the device is busy with another search");
        drop(in_use);
    }
}
