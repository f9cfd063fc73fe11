//! The stage of `auto` on a CUDA device.

use super::Portfolio;
use crate::gpu::{GpuEngines, GpuError, GpuSearch, WhenBusy};
use crate::session::unsaved;

/// The share of the time that the device gets.
const SHARE: f64 = 0.7;

impl Portfolio<'_> {
    /// Looks for an optimal answer on a device, if there is one, it is free, and it has an engine for
    /// the puzzle. Waiting for another search would take the time of this one.
    pub(super) fn on_device(&mut self) {
        let Some(method) = GpuEngines::method() else { return };
        let engines = &self.session.gpu;
        let ready = engines.prepare(self.task, &method, WhenBusy::Fail).and_then(|()| {
            self.begin();
            engines.solve(self.task, &method, &self.left(SHARE), WhenBusy::Fail, unsaved(None))
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
