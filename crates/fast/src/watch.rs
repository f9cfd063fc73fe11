//! The limits of a search that runs on several threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use taquin_search::{Cost, Counts, Limits, Progress, Stop};

/// Watches the clock and the monitor for all threads of a search.
pub(crate) struct Watch<'a> {
    pub(crate) limits: &'a Limits,
    started: Instant,
    stop: OnceLock<Stop>,
    expanded: AtomicU64,
    generated: AtomicU64,
}

impl<'a> Watch<'a> {
    /// Starts the clock.
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            started: Instant::now(),
            stop: OnceLock::new(),
            expanded: AtomicU64::new(0),
            generated: AtomicU64::new(0),
        }
    }

    /// Counts what was done before the clock was started.
    pub(crate) fn skip(&self, counts: &Counts) {
        self.expanded.fetch_add(counts.expanded, Relaxed);
        self.generated.fetch_add(counts.generated, Relaxed);
    }

    /// Says that so many nodes were expanded and generated since the last time, and whether the
    /// search has to end.
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

    /// Why the search has to end, if a poll has found that it has to.
    pub(crate) fn stopped(&self) -> Option<Stop> {
        self.stop.get().copied()
    }

    /// Why a node may not be expanded after so many.
    #[inline]
    pub(crate) fn spent(&self, counts: &Counts) -> Option<Stop> {
        let &Limits { expanded, generated, .. } = self.limits;
        if expanded.is_some_and(|limit| counts.expanded >= limit) {
            return Some(Stop::Expanded);
        }
        generated.is_some_and(|limit| counts.generated >= limit).then_some(Stop::Generated)
    }
}

/// What a thread asks while it works on one part of a threshold.
pub(crate) struct Ticket<'a> {
    pub(crate) watch: &'a Watch<'a>,
    pub(crate) bound: Cost,
    /// The number of this part, and of the first part in which a goal was found.
    pub(crate) part: usize,
    pub(crate) first: &'a AtomicUsize,
}

impl Ticket<'_> {
    /// Whether to give up this part: the search has to end, or a goal was found in an earlier one.
    pub(crate) fn poll(&self, expanded: u64, generated: u64, depth: u64) -> bool {
        let stop = self.watch.poll(expanded, generated, depth, self.bound);
        stop.is_some() || self.first.load(Relaxed) < self.part
    }
}
