//! The stage of `auto` on a CUDA device.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use taquin_fast::{Checkpointing, Snapshot, Solver};
use taquin_search::{Cost, Instant};

use super::Portfolio;
use crate::gpu::{GpuEngines, GpuError, GpuSearch, WhenBusy};
use crate::on::On;
use crate::report::{Ending, Finding};

/// The share of the time that the device gets.
const SHARE: f64 = 0.7;

/// The share of the time that it is waited for, twice at most: a search on a device usually takes less
/// than a second, and one on the processor may not end.
const WAITING_SHARE: f64 = 0.15;

/// The time that a device takes to start and to build its tables is longer than this.
const START: Duration = Duration::from_millis(if cfg!(test) { 60_000 } else { 300 });

/// In less time a device would hardly have started.
pub(super) const LEAST_TIME: Duration = Duration::from_millis(if cfg!(test) { 100 } else { 2_000 });

/// The processor solves most boards with a bound up to this one in that time.
const NEAR: Cost = 45;

impl Portfolio<'_> {
    /// Reports that a device that was asked for is not needed.
    pub(super) fn without_device(&mut self) {
        if self.task.method.on == Some(On::Gpu) {
            self.notes.push("the device was not needed".to_owned());
        }
    }

    /// Searches on the processor for a short time if that may solve the puzzle before a device has
    /// started.
    pub(super) fn before_device(&mut self) {
        let Some(method) = GpuEngines::method().filter(|_| self.task.method.on.is_none()) else {
            return;
        };
        let is_near = self
            .found
            .as_ref()
            .is_some_and(|found| found.solution.is_some() && found.lower_bound <= NEAR);
        if !is_near || !self.session.gpu.has_to_start(self.task, &method) {
            return;
        }
        let limits = self.limits.clone();
        let end = self.started.elapsed() + START;
        self.limits.time = Some(limits.time.map_or(end, |time| time.min(end)));
        self.together();
        self.limits = limits;
        if self.is_done() {
            self.explain();
        }
    }

    /// Looks for an optimal answer on a device, if there is one and time to use it, it is free soon, and
    /// it has an engine for the puzzle. If it does not end, a proof on the processor begins with the
    /// threshold that it has reached.
    pub(super) fn on_device(&mut self) {
        let Some(method) = GpuEngines::method() else { return };
        let is_asked_for = match self.task.method.on {
            Some(On::Cpu) => return,
            Some(On::Gpu) => true,
            None => false,
        };
        if !is_asked_for && self.left(1.0).time.is_some_and(|left| left <= LEAST_TIME) {
            return;
        }
        let reached = Mutex::default();
        let save = |snapshot: &Snapshot| {
            *reached.lock().unwrap_or_else(PoisonError::into_inner) = snapshot.clone();
        };
        let journal = Checkpointing { from: None, save: &save, every: Duration::ZERO };
        let engines = &self.session.gpu;
        let waiting = self.left(WAITING_SHARE).time.unwrap_or(Duration::ZERO);
        let when_busy = WhenBusy::WaitAtMost(waiting);
        let mut started = Instant::now();
        let ready = engines.prepare(self.task, &method, when_busy).and_then(|()| {
            started = self.begin();
            engines.solve(self.task, &method, &self.left(SHARE), when_busy, journal)
        });
        let mut reached = reached.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (threshold, before) = (reached.threshold, std::mem::take(&mut reached.before));
        self.reached = (threshold > 0).then_some(reached);
        match ready {
            Ok(found) => {
                let place = found.place();
                self.notes.push(format!("chose {method}: there is a device, {place}"));
                let GpuSearch { search, started, best, .. } = found;
                self.add_search(method, search, started);
                // It may be better than the first one, whether it is optimal or not.
                if let Some(slides) = best {
                    self.take_answer(slides);
                }
            }
            // Most machines have no device, and most boards no engine. Large ones have beam searches.
            Err(GpuError::NoDriver | GpuError::NoDevice { .. } | GpuError::Unsupported(_))
                if !is_asked_for || self.task.puzzle.size().cells() > Solver::MOST_CELLS => {}
            Err(error) if threshold == 0 => {
                self.notes.push(format!("the device was not used: {error}"));
            }
            Err(error) => {
                let note = format!("{error}; the thresholds below {threshold} are complete");
                self.notes.push(note);
                let found = Finding {
                    outcome: Ending::Stopped,
                    lower_bound: threshold,
                    counts: before,
                    ..Finding::default()
                };
                self.add(method, found, started);
            }
        }
    }
}
