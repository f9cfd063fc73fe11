//! The stage of `auto` on a CUDA device.

use std::time::Duration;

use taquin_search::{Cost, Instant};
use taquin_solvers::{Journal, Solver};

use super::Portfolio;
use crate::accelerator::{DeviceError, DeviceSearch, WhenBusy};
use crate::on::Device;
use crate::report::{Ending, SearchResult};

/// The share of the time that the device gets.
const TIME_SHARE: f64 = 0.9;

/// The share of the time that it is waited for, twice at most: a search on a device usually takes
/// less than a second, and one on the processor may not end.
const WAITING_SHARE: f64 = 0.15;

/// The processor solves most boards with a bound up to this one before a device has started.
const MAX_CPU_BOUND: Cost = 45;

impl Portfolio<'_> {
    /// Reports that a requested device is not needed.
    pub(super) fn without_device(&mut self) {
        if self.task.method.on == Some(Device::Gpu) {
            self.notes.push("the device was not needed".to_owned());
        }
    }

    /// Searches on the processor for a short time if that may solve the puzzle before a device has
    /// started.
    pub(super) fn before_device(&mut self) {
        let session = self.session;
        let Ok(device) = session.device() else { return };
        if self.task.method.on.is_some() || device.start_time().is_zero() {
            return;
        }
        let is_near = self
            .found
            .as_ref()
            .is_some_and(|found| found.solution.is_some() && found.lower_bound <= MAX_CPU_BOUND);
        if !is_near || device.fits(self.task, &device.method()).is_err() {
            return;
        }
        let limits = self.limits.clone();
        let end = self.started.elapsed() + device.start_time();
        self.limits.time = Some(limits.time.map_or(end, |time| time.min(end)));
        self.together();
        self.limits = limits;
        if self.is_done() {
            self.explain();
        }
    }

    /// Looks for an optimal answer on a device, if there is one and time to use it, it is free
    /// soon, and it has an engine for the puzzle. If it does not end, a proof on the processor
    /// begins with the threshold that it has reached.
    pub(super) fn on_device(&mut self) {
        let (task, session) = (self.task, self.session);
        let is_asked_for = match task.method.on {
            Some(Device::Cpu) => return,
            Some(Device::Gpu) => true,
            None => false,
        };
        // Most machines have no device, and most boards no engine. Large ones have beam searches.
        let is_silent = !is_asked_for || task.puzzle.size().cells() > Solver::MAX_CELLS;
        let device = match session.device() {
            Ok(device) => device,
            Err(_) if is_silent => return,
            Err(error) => {
                return self.notes.push(format!("the device was not used: {error}"));
            }
        };
        let is_late = |left| left <= device.least_time();
        if !is_asked_for && self.left(1.0).time.is_some_and(is_late) {
            return;
        }
        let method = device.method();
        let journal = Journal::unsaved(None);
        let waiting = self.left(WAITING_SHARE).time.unwrap_or(Duration::ZERO);
        let when_busy = WhenBusy::WaitAtMost(waiting);
        let mut started = Instant::now();
        let fits = device.fits(task, &method);
        let ready = fits.and_then(|()| device.prepare(&task.puzzle, when_busy));
        let ready = ready.and_then(|()| {
            started = self.begin();
            device.solve(task, &self.left(TIME_SHARE), when_busy, &journal)
        });
        let mut reached = journal.snapshot();
        let (threshold, before) = (reached.threshold, std::mem::take(&mut reached.before));
        self.reached = (threshold > 0).then_some(reached);
        match ready {
            Ok(found) => {
                let place = found.place();
                self.notes.push(format!("chose {method}: there is a device, {place}"));
                let DeviceSearch { search, started, best, .. } = found;
                self.add_search(method, search, started);
                // It may be better than the first one, whether it is optimal or not.
                if let Some(slides) = best {
                    self.take_answer(slides);
                }
            }
            Err(DeviceError::Missing(_) | DeviceError::Unsupported(_)) if is_silent => {}
            Err(error) if threshold == 0 => {
                self.notes.push(format!("the device was not used: {error}"));
            }
            Err(error) => {
                let note = format!("{error}; the thresholds below {threshold} are complete");
                self.notes.push(note);
                let found = SearchResult {
                    outcome: Ending::Stopped,
                    lower_bound: threshold,
                    counts: before,
                    ..SearchResult::default()
                };
                self.add(method, found, started);
            }
        }
    }
}
