//! How far a search may go, and how to talk to it while it runs.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::outcome::{Counts, Stop};
use crate::space::Cost;

/// The limits of one search. A limit that is reached is an outcome, never an error.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The most nodes to expand.
    pub expanded: Option<u64>,
    /// The most nodes to generate; the last expansion is finished.
    pub generated: Option<u64>,
    /// The most bytes for the search's own tables.
    pub memory: Option<u64>,
    /// The most time to take.
    pub time: Option<Duration>,
    /// Where others see how far the search is, and can cancel it.
    pub monitor: Option<Arc<Monitor>>,
}

/// The line between a running search and another thread.
#[derive(Debug, Default)]
pub struct Monitor {
    cancelled: AtomicBool,
    expanded: AtomicU64,
    generated: AtomicU64,
    frontier: AtomicU64,
    bound: AtomicU32,
    improvements: Mutex<Improvements>,
}

/// An answer that is better than the one before it, found while the search goes on.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Improvement {
    /// When it was found, from the start of the search.
    pub seconds: f64,
    /// What it costs.
    pub cost: Cost,
    /// The number of its actions.
    pub depth: u64,
    /// What is proven so far: no answer costs less.
    pub lower_bound: Cost,
}

/// The last improvements, and how many there were before them.
#[derive(Debug, Default)]
struct Improvements {
    before: usize,
    recent: VecDeque<Improvement>,
}

/// How many improvements are kept for those who ask late.
const RECENT: usize = 100;

/// How far a search is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Nodes expanded so far.
    pub expanded: u64,
    /// Nodes generated so far.
    pub generated: u64,
    /// The size of the frontier.
    pub frontier: u64,
    /// What is proven so far: no solution costs less.
    pub bound: Cost,
}

impl Monitor {
    /// Asks the search to end; it does so within milliseconds.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether the search was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// The flag behind [`cancel`](Self::cancel), for work that only takes a flag.
    pub const fn flag(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// How far the search was a few milliseconds ago.
    pub fn progress(&self) -> Progress {
        Progress {
            expanded: self.expanded.load(Relaxed),
            generated: self.generated.load(Relaxed),
            frontier: self.frontier.load(Relaxed),
            bound: self.bound.load(Relaxed),
        }
    }

    /// Says that a better answer was found.
    pub fn improve(&self, improvement: Improvement) {
        let mut known = self.improvements.lock().unwrap_or_else(PoisonError::into_inner);
        known.recent.push_back(improvement);
        if known.recent.len() > RECENT {
            known.recent.pop_front();
            known.before += 1;
        }
    }

    /// The improvements after the first so many; the last hundred are kept. A listener that adds up how
    /// many it was given hears of each once.
    pub fn improvements(&self, after: usize) -> Vec<Improvement> {
        let known = self.improvements.lock().unwrap_or_else(PoisonError::into_inner);
        known.recent.iter().skip(after.saturating_sub(known.before)).copied().collect()
    }

    /// Says how far the search is.
    pub fn report(&self, progress: Progress) {
        self.expanded.store(progress.expanded, Relaxed);
        self.generated.store(progress.generated, Relaxed);
        self.frontier.store(progress.frontier, Relaxed);
        self.bound.store(progress.bound, Relaxed);
    }
}

/// Watches the limits of a running search at next to no cost: two comparisons per expansion, and a
/// look at the clock every few milliseconds.
#[derive(Debug)]
pub struct Meter<'a> {
    limits: &'a Limits,
    started: Instant,
    polled: Instant,
    interval: u64,
    next: u64,
    generated: u64,
}

/// How often to look at the clock.
const POLL: Duration = Duration::from_millis(4);

impl<'a> Meter<'a> {
    /// Starts the clock.
    pub fn new(limits: &'a Limits) -> Self {
        let now = Instant::now();
        let generated = limits.generated.unwrap_or(u64::MAX);
        Self { limits, started: now, polled: now, interval: 1, next: 0, generated }
    }

    /// Why the search has to end before the next expansion, if it has to.
    #[inline]
    pub fn stop(
        &mut self,
        counts: &Counts,
        frontier_and_bound: impl FnOnce() -> (u64, Cost),
    ) -> Option<Stop> {
        if counts.expanded < self.next && counts.generated < self.generated {
            return None;
        }
        let (frontier, bound) = frontier_and_bound();
        self.poll(counts, frontier, bound)
    }

    /// Whether a table of this many bytes in all would pass the memory limit.
    #[inline]
    pub fn exceeds_memory(&self, bytes: impl FnOnce() -> usize) -> bool {
        self.limits.memory.is_some_and(|limit| bytes() as u64 > limit)
    }

    #[cold]
    fn poll(&mut self, counts: &Counts, frontier: u64, bound: Cost) -> Option<Stop> {
        let &Limits { expanded, generated, memory: _, time, ref monitor } = self.limits;
        let now = Instant::now();
        if let Some(monitor) = monitor {
            let Counts { expanded, generated, .. } = *counts;
            monitor.report(Progress { expanded, generated, frontier, bound });
            if monitor.is_cancelled() {
                return Some(Stop::Cancelled);
            }
        }
        if expanded.is_some_and(|limit| counts.expanded >= limit) {
            return Some(Stop::Expanded);
        }
        if generated.is_some_and(|limit| counts.generated >= limit) {
            return Some(Stop::Generated);
        }
        if time.is_some_and(|limit| now - self.started >= limit) {
            return Some(Stop::Time);
        }
        // Some spaces expand a node in nanoseconds, others in milliseconds: aim at the clock.
        self.interval = match now - self.polled {
            elapsed if elapsed < POLL / 2 => (self.interval * 2).min(1 << 16),
            elapsed if elapsed > POLL => (self.interval / 2).max(1),
            _ => self.interval,
        };
        self.polled = now;
        let next = counts.expanded + self.interval;
        self.next = expanded.map_or(next, |limit| next.min(limit));
        None
    }
}
