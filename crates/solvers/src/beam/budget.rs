//! The limits and counts for all searches in one improvement.

use std::time::Duration;

use taquin_search::{Counts, Instant, Limits, Meter, Stop};

pub(super) struct Budget<'a> {
    limits: &'a Limits,
    meter: Meter<'a>,
    started: Instant,
    pub(super) counts: Counts,
    stop: Option<Stop>,
}

/// The time and nodes that were spent up to some moment.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    seconds: f64,
    expanded: u64,
}

impl<'a> Budget<'a> {
    pub(super) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            meter: Meter::new(limits),
            started: Instant::now(),
            counts: Counts::default(),
            stop: None,
        }
    }

    /// Returns whether a level of `boards` boards would exceed a limit. Otherwise counts them.
    pub(super) fn is_over(&mut self, boards: usize) -> bool {
        let left = self.limits.expanded.map(|most| most - self.counts.expanded);
        if left.is_some_and(|left| left < boards as u64) {
            self.stop = Some(Stop::Expanded);
        }
        self.stop = self.stop.or_else(|| self.meter.stop(&self.counts, || (boards as u64, 0)));
        if self.stop.is_none() {
            self.counts.expanded += boards as u64;
            self.counts.frontier_peak = self.counts.frontier_peak.max(boards as u64);
        }
        self.stop.is_some()
    }

    /// Returns whether to stop in the middle of a level: when the time is up or the search is
    /// cancelled.
    pub(super) fn is_interrupted(&mut self) -> bool {
        let is_late = || self.left().is_some_and(|left| left.is_zero());
        let is_cancelled = || self.limits.monitor.as_ref().is_some_and(|it| it.is_cancelled());
        if self.stop.is_none() && is_cancelled() {
            self.stop = Some(Stop::Cancelled);
        } else if self.stop.is_none() && is_late() {
            self.stop = Some(Stop::Time);
        }
        self.stop.is_some()
    }

    /// Returns the remaining time, if it is limited.
    pub(super) fn left(&self) -> Option<Duration> {
        self.limits.time.map(|most| most.saturating_sub(self.started.elapsed()))
    }

    /// Returns `nodes` or the number of nodes that may still be expanded, whichever is less.
    pub(super) fn room(&self, nodes: u64) -> u64 {
        let left = self.limits.expanded.map(|most| most - self.counts.expanded);
        left.map_or(nodes, |left| left.min(nodes))
    }

    /// Returns whether a limit was reached.
    pub(super) const fn is_stopped(&self) -> bool {
        self.stop.is_some()
    }

    pub(super) const fn generated(&mut self, boards: usize) {
        self.counts.generated += boards as u64;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { seconds: self.started.elapsed().as_secs_f64(), expanded: self.counts.expanded }
    }

    /// Returns how often the work since a mark could be repeated: by time if time is limited, and
    /// otherwise by nodes alone, so that a limit on nodes always leads to the same solution.
    pub(super) fn times(&self, since: Mark) -> f64 {
        let now = self.mark();
        let by_time = self.limits.time.map(|most| {
            (most.as_secs_f64() - now.seconds) / (now.seconds - since.seconds).max(1e-6)
        });
        let by_nodes = self.limits.expanded.map(|most| {
            (most - now.expanded) as f64 / (now.expanded - since.expanded).max(1) as f64
        });
        by_time.unwrap_or(f64::INFINITY).min(by_nodes.unwrap_or(f64::INFINITY)).max(0.0)
    }
}
