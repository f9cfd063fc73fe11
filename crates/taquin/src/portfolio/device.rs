//! The stage of `auto` on a CUDA device.

use std::time::Duration;

use taquin_search::Cost;

use super::Portfolio;
use crate::gpu::{GpuEngines, GpuError, GpuSearch, WhenBusy};
use crate::session::unsaved;

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
    /// Searches on the processor for a short time if that may solve the puzzle before a device has
    /// started.
    pub(super) fn before_device(&mut self) {
        let Some(method) = GpuEngines::method() else { return };
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
    /// it has an engine for the puzzle.
    pub(super) fn on_device(&mut self) {
        let Some(method) = GpuEngines::method() else { return };
        if self.left(1.0).time.is_some_and(|left| left <= LEAST_TIME) {
            return;
        }
        let engines = &self.session.gpu;
        let waiting = self.left(WAITING_SHARE).time.unwrap_or(Duration::ZERO);
        let when_busy = WhenBusy::WaitAtMost(waiting);
        let ready = engines.prepare(self.task, &method, when_busy).and_then(|()| {
            self.begin();
            engines.solve(self.task, &method, &self.left(SHARE), when_busy, unsaved(None))
        });
        match ready {
            Ok(GpuSearch { search, started, device }) => {
                self.notes.push(format!("chose {method}: there is a device, {device}"));
                self.add_search(method, search, started);
            }
            // Most machines have no device, and most boards no engine.
            Err(GpuError::NoDriver | GpuError::NoDevice { .. } | GpuError::Unsupported(_)) => {}
            Err(error) => self.notes.push(format!("the device was not used: {error}")),
        }
    }
}
