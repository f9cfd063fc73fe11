//! The processor time of a search.
//!
//! Only Unix has a safe interface to these clocks; elsewhere the time is not measured.

/// A clock that measures the processor time of one search alone.
#[derive(Clone, Copy)]
pub(crate) struct CpuClock {
    is_process: bool,
    started: f64,
}

impl CpuClock {
    /// Starts a clock, if one exists for a search on `threads` threads while `jobs` searches run at
    /// once.
    pub(crate) fn start(threads: usize, jobs: usize) -> Option<Self> {
        let is_process = match (threads, jobs) {
            (1, _) => false,
            (_, 1) => true,
            _ => return None,
        };
        Some(Self { is_process, started: now(is_process)? })
    }

    /// Returns the processor time since the start.
    pub(crate) fn seconds(self) -> Option<f64> {
        Some(now(self.is_process)? - self.started)
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no clock")]
fn now(is_process: bool) -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let clock = if is_process { ClockId::ProcessCPUTime } else { ClockId::ThreadCPUTime };
    let time = clock_gettime(clock);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn now(_: bool) -> Option<f64> {
    None
}
