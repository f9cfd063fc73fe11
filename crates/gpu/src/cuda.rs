//! The devices of this machine as an accelerator.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use taquin::{Accelerator, DeviceBatch, DeviceError, DeviceSearch, Method, Task, WhenBusy};
use taquin_search::{Instant, Limits, Monitor};
use taquin_solvers::{Journal, WideBeam};
use taquin_tables::Patterns;
use taquin_tables::whole::Extent;
use taquin_tiles::{Board, Costs, Puzzle, Size};

use crate::beam::GpuBeam;
use crate::device::{Device, device_count, has_driver};
use crate::error::GpuError;
use crate::improvers::{JointResult, with_improvers};
use crate::pool::{Lease, Pool};
use crate::puzzle15::Puzzle15;
use crate::puzzle24::{Options24, Puzzle24, fits_24};
use crate::space::{Space, space_extent};

/// The variable with the numbers of the devices to use.
const DEVICES_VARIABLE: &str = "TAQUIN_DEVICES";

/// The method of the engine for 24-puzzles.
const METHOD: &str = "ida:pdb=6-6-6-6,on=gpu";

/// The time that a device takes to start and to build its tables is longer than this.
const START_TIME: Duration = Duration::from_millis(300);

/// Below this time limit, starting a device does not pay off.
const MIN_TIME: Duration = Duration::from_secs(2);

/// This machine's CUDA devices, with one engine each. An engine is made when it is first needed,
/// and keeps its tables and most of its device's memory until another one is needed there.
#[derive(Debug, Default)]
pub struct Cuda {
    slots: OnceLock<Pool<Slot>>,
    has_driver: OnceLock<bool>,
}

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

impl Accelerator for Cuda {
    fn is_present(&self) -> bool {
        *self.has_driver.get_or_init(has_driver)
    }

    fn start_time(&self) -> Duration {
        if self.slots.get().is_some() { Duration::ZERO } else { START_TIME }
    }

    fn least_time(&self) -> Duration {
        MIN_TIME
    }

    fn method(&self) -> Method {
        METHOD.parse().expect("a method")
    }

    fn fits(&self, task: &Task, method: &Method) -> Result<(), DeviceError> {
        if *method != self.method() {
            return Err(DeviceError::Unsupported(
                "a device searches with ida:pdb=6-6-6-6,on=gpu only, or 15-puzzles in a batch \
                 without limits",
            ));
        }
        if task.cost != Costs::Unit || task.jumps {
            let why = "a device searches with the usual moves and costs only";
            return Err(DeviceError::Unsupported(why));
        }
        Ok(fits_24(task.puzzle.start(), task.puzzle.goal())?)
    }

    fn prepare(&self, puzzle: &Puzzle, when_busy: WhenBusy) -> Result<(), DeviceError> {
        Ok(self.with_engine(puzzle, when_busy, |_| Ok(()))?)
    }

    fn solve(
        &self,
        task: &Task,
        limits: &Limits,
        when_busy: WhenBusy,
        journal: &Journal<'_>,
    ) -> Result<DeviceSearch, DeviceError> {
        let solved = self.with_engine(&task.puzzle, when_busy, |engine| {
            let started = Instant::now();
            let (start, goal) = (task.puzzle.start(), task.puzzle.goal());
            let options = Options24::default();
            let on_device = |limits: &Limits, journal: &Journal<'_>| {
                engine.solve_with_journal(start, goal, options, limits, journal)
            };
            let JointResult { search, best, is_decisive } =
                with_improvers(task, limits, journal, on_device)?;
            let device = engine.device().name.clone();
            Ok(DeviceSearch { search, started, device, best, is_decisive })
        });
        Ok(solved?)
    }

    fn solve_many(
        &self,
        patterns: &Arc<Patterns>,
        starts: &[Board],
        monitor: &Monitor,
    ) -> Result<DeviceBatch, DeviceError> {
        let is_ready =
            |engine: &Engine| matches!(engine, Engine::Puzzle15(engine) if engine.is_for(patterns));
        let make = |device| Ok(Engine::Puzzle15(Box::new(Puzzle15::new(&device, patterns)?)));
        let mut taken = self.take(WhenBusy::Wait, is_ready, make)?;
        let slot = taken.get();
        let Some(Engine::Puzzle15(engine)) = &mut slot.engine else {
            return Err(GpuError::NoDriver.into());
        };
        let device = engine.device().name.clone();
        let started = Instant::now();
        let searches = engine.solve(starts, monitor);
        if searches.is_err() {
            // After an error of the driver nothing on the device can be used.
            slot.engine = None;
        }
        Ok(DeviceBatch { searches: searches?, seconds: started.elapsed().as_secs_f64(), device })
    }

    fn beam(
        &self,
        size: Size,
        when_busy: WhenBusy,
        work: &mut dyn FnMut(&mut dyn WideBeam),
    ) -> Result<String, DeviceError> {
        let is_ready =
            |engine: &Engine| matches!(engine, Engine::Beam(beam) if beam.size() == size);
        let make = |device| Ok(Engine::Beam(Box::new(GpuBeam::new(&device, size, 0)?)));
        let mut taken = self.take(when_busy, is_ready, make)?;
        let slot = taken.get();
        let Some(Engine::Beam(beam)) = &mut slot.engine else {
            return Err(GpuError::NoDriver.into());
        };
        work(&mut **beam);
        match beam.take_error() {
            None => Ok(beam.device().name.clone()),
            Some(error) => {
                slot.engine = None;
                Err(error.into())
            }
        }
    }

    fn space_extent(&self, goal: &Board) -> Result<Extent, DeviceError> {
        Ok(space_extent(goal)?)
    }

    fn explore(
        &self,
        goal: &Board,
        layer: &mut dyn FnMut(&[u64]) -> bool,
    ) -> Result<Vec<Board>, DeviceError> {
        let mut space = Space::new(&Device::open(chosen_devices()?[0])?, goal)?;
        while space.advance()? {
            if !layer(space.depths()) {
                return Ok(Vec::new());
            }
        }
        Ok(space.farthest()?)
    }
}

impl Cuda {
    fn with_engine<T>(
        &self,
        puzzle: &Puzzle,
        when_busy: WhenBusy,
        work: impl FnOnce(&mut Puzzle24) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let goal = puzzle.goal();
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

    /// Takes an unused device, and replaces its engine if it has a different one.
    fn take(
        &self,
        when_busy: WhenBusy,
        is_ready: impl Fn(&Engine) -> bool,
        make: impl FnOnce(Device) -> Result<Engine, GpuError>,
    ) -> Result<Lease<'_, Slot>, GpuError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_tiles::NamedGoal;

    #[test]
    fn auto_does_not_wait_long_for_a_device() {
        let task = Task::from(NamedGoal::First.board("5x5".parse().unwrap(), 1));
        let cuda = Cuda::default();
        let slots = cuda.slots.get_or_init(|| Pool::new(vec![Slot { device: 0, engine: None }]));
        let in_use = slots.take(WhenBusy::Fail, |_| 0).unwrap();
        let when_busy = WhenBusy::WaitAtMost(Duration::from_millis(1));
        let busy = cuda.prepare(&task.puzzle, when_busy).unwrap_err();
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
}
