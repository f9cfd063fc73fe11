//! The limits of a search that runs on several threads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use taquin_search::{Cost, Counts, Instant, Limits, Progress, Stop};

/// Watches the clock and the monitor for all threads of a search.
pub(crate) struct SharedLimits<'a> {
    pub(crate) limits: &'a Limits,
    started: Instant,
    stop: OnceLock<Stop>,
    expanded: AtomicU64,
    generated: AtomicU64,
    /// The nodes that may still be expanded and generated, if there is a limit on nodes.
    allowed: Option<Mutex<[i64; 2]>>,
}

/// The most successors that a node can have.
const MAX_SUCCESSORS: i64 = 4;

impl<'a> SharedLimits<'a> {
    /// Starts the clock.
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            started: Instant::now(),
            stop: OnceLock::new(),
            expanded: AtomicU64::new(0),
            generated: AtomicU64::new(0),
            allowed: (limits.expanded.is_some() || limits.generated.is_some()).then(|| {
                let allowed = [limits.expanded, limits.generated];
                let most = i64::MAX / 2;
                Mutex::new(
                    allowed.map(|limit| limit.map_or(most, |limit| limit.min(most as u64) as i64)),
                )
            }),
        }
    }

    /// Returns how many of `wanted` nodes an unordered search may expand. A node limit counts the
    /// permitted nodes.
    #[inline]
    pub(crate) fn allow(&self, wanted: usize) -> usize {
        self.allowed.as_ref().map_or(wanted, |allowed| self.take_allowed(allowed, wanted))
    }

    #[cold]
    fn take_allowed(&self, allowed: &Mutex<[i64; 2]>, wanted: usize) -> usize {
        let [expanded, generated] = &mut *allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if *expanded <= 0 || *generated <= 0 {
            let stop = if *expanded <= 0 { Stop::Expanded } else { Stop::Generated };
            self.stop.get_or_init(|| stop);
            return 0;
        }
        // The last expansion is completed.
        let by_generated = (*generated + MAX_SUCCESSORS - 1) / MAX_SUCCESSORS;
        let taken = (wanted as i64).min(*expanded).min(by_generated);
        *expanded -= taken;
        *generated -= MAX_SUCCESSORS * taken;
        taken as usize
    }

    /// Returns unused permits: what `expanded` permitted nodes could have generated and did not.
    #[inline]
    pub(crate) fn note_generated(&self, generated: u64, expanded: usize) {
        if let Some(allowed) = &self.allowed {
            let [_, left] = &mut *allowed.lock().unwrap_or_else(PoisonError::into_inner);
            *left += MAX_SUCCESSORS * expanded as i64 - generated as i64;
        }
    }

    /// Adds the counts from an earlier run of the search.
    pub(crate) fn skip(&self, expanded: u64, generated: u64) {
        self.expanded.fetch_add(expanded, Relaxed);
        self.generated.fetch_add(generated, Relaxed);
        if let Some(allowed) = &self.allowed {
            let left = &mut *allowed.lock().unwrap_or_else(PoisonError::into_inner);
            left[0] = left[0].saturating_sub_unsigned(expanded);
            left[1] = left[1].saturating_sub_unsigned(generated);
        }
    }

    /// Adds the nodes expanded and generated since the last call. Returns the reason to stop, if
    /// any.
    pub(crate) fn poll(
        &self,
        expanded: u64,
        generated: u64,
        depth: u64,
        bound: Cost,
    ) -> Option<Stop> {
        let expanded = self.expanded.fetch_add(expanded, Relaxed) + expanded;
        let generated = self.generated.fetch_add(generated, Relaxed) + generated;
        if let Some(monitor) = &self.limits.monitor {
            monitor.report(Progress { expanded, generated, frontier: depth, bound });
            if monitor.is_cancelled() {
                return Some(*self.stop.get_or_init(|| Stop::Cancelled));
            }
        }
        if self.limits.time.is_some_and(|limit| self.started.elapsed() >= limit) {
            return Some(*self.stop.get_or_init(|| Stop::Time));
        }
        self.stopped()
    }

    /// Returns the remaining time, if it is limited.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.limits.time.map(|limit| limit.saturating_sub(self.started.elapsed()))
    }

    /// Ends the search of all threads.
    pub(crate) fn cancel(&self) {
        self.stop.get_or_init(|| Stop::Cancelled);
    }

    /// Returns the reason to stop, if an earlier poll found one.
    pub(crate) fn stopped(&self) -> Option<Stop> {
        self.stop.get().copied()
    }

    /// Returns the limit that forbids another expansion, if `counts` have reached one.
    #[inline]
    pub(crate) fn spent(&self, counts: &Counts) -> Option<Stop> {
        let &Limits { expanded, generated, .. } = self.limits;
        if expanded.is_some_and(|limit| counts.expanded >= limit) {
            return Some(Stop::Expanded);
        }
        generated.is_some_and(|limit| counts.generated >= limit).then_some(Stop::Generated)
    }
}

/// The limits for sweeping one unit of a tree.
pub(crate) struct UnitLimits<'a> {
    pub(crate) shared: &'a SharedLimits<'a>,
    pub(crate) bound: Cost,
    /// The number of this unit.
    pub(crate) unit: usize,
    /// The number of the first unit in which a goal was found.
    pub(crate) first: &'a AtomicUsize,
}

impl UnitLimits<'_> {
    /// Returns whether to abandon this unit, because the search has to end or an earlier unit has a
    /// goal.
    pub(crate) fn poll(&self, expanded: u64, generated: u64, depth: u64) -> bool {
        let stop = self.shared.poll(expanded, generated, depth, self.bound);
        stop.is_some() || self.first.load(Relaxed) < self.unit
    }
}
