//! Limits of a search, and its progress while it runs.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{
    AtomicBool, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed,
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::clock::Instant;
use crate::outcome::{Counts, Stop};
use crate::space::Cost;

/// The limits of a search. A limit that is reached is an outcome, not an error.
///
/// ```
/// use std::time::Duration;
/// use taquin_search::Limits;
///
/// let limits = Limits {
///     memory: Some(1 << 30),
///     time: Some(Duration::from_secs(10)),
///     ..Limits::default()
/// };
/// # assert_eq!(limits.expanded, None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The most nodes to expand.
    pub expanded: Option<u64>,
    /// The most nodes to generate. The last expansion is completed, so there may be a few more.
    pub generated: Option<u64>,
    /// The most bytes for the search's own tables.
    pub memory: Option<u64>,
    /// The most time to spend.
    pub time: Option<Duration>,
    /// Shows the progress to other threads, which can also cancel the search.
    pub monitor: Option<Arc<Monitor>>,
}

/// Progress and cancellation, shared between a running search and other threads.
///
/// ```
/// use std::sync::Arc;
/// use taquin_search::{ImplicitGraph, Limits, Monitor, Stop};
///
/// let monitor = Arc::new(Monitor::default());
/// let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
/// let search = std::thread::spawn(|| {
///     let endless = ImplicitGraph::new(|&n: &u64| [(n + 1, 1)], |_| false);
///     endless.limits(limits).dijkstra(&0)
/// });
/// while monitor.progress().expanded == 0 {
///     std::thread::yield_now();
/// }
/// monitor.cancel();
/// assert_eq!(search.join().unwrap().stopped, Some(Stop::Cancelled));
/// ```
#[derive(Debug, Default)]
pub struct Monitor {
    cancelled: AtomicBool,
    /// The parent monitor; cancelling it cancels this search.
    above: Option<Arc<Self>>,
    expanded: AtomicU64,
    generated: AtomicU64,
    frontier: AtomicU64,
    bound: AtomicU32,
    /// The greatest bound that was ever reported.
    proven: AtomicU32,
    /// How many threads have to rest, and how many do.
    to_rest: AtomicUsize,
    resting: AtomicUsize,
    /// The number of threads that have nothing to do.
    idle: AtomicIsize,
    stage: Mutex<Option<Instant>>,
    improvements: Mutex<Improvements>,
    listener: OnceLock<Listener>,
    /// The condition that cancels this search and not the one above.
    alarm: Option<Alarm>,
}

/// Returns whether a search must stop.
struct Alarm(Box<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Alarm")
    }
}

/// Called on every progress update.
struct Listener(Box<dyn Fn(&Monitor) + Send + Sync>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// A solution that is better than the previous one, found while the search continues.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Improvement {
    /// The time since the start of the search.
    pub seconds: f64,
    /// The cost of the solution.
    pub cost: Cost,
    /// The number of its actions.
    pub depth: u64,
    /// The lower bound that was proven by then.
    pub lower_bound: Cost,
}

/// The known state of a running search, joined from all its stages.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BestKnown {
    /// The best solution so far.
    pub best: Option<Improvement>,
    /// The greatest lower bound that is proven so far.
    pub bound: Cost,
}

/// The latest improvements, and the number of earlier ones.
#[derive(Debug, Default)]
struct Improvements {
    before: usize,
    recent: VecDeque<Improvement>,
}

/// The number of improvements that are kept.
const RECENT: usize = 100;

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Progress {
    /// Nodes expanded so far.
    pub expanded: u64,
    /// Nodes generated so far.
    pub generated: u64,
    /// The number of open nodes.
    pub frontier: u64,
    /// The lower bound that is proven so far.
    pub bound: Cost,
}

impl Monitor {
    /// Returns a monitor that calls `listener` with progress, every few milliseconds and on the
    /// search's own thread, because there may be no other thread.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// # use std::sync::Arc;
    /// # use taquin_search::{Monitor, Progress};
    /// let seen = Arc::new(AtomicU64::new(0));
    /// let last = Arc::clone(&seen);
    /// let monitor = Monitor::with_listener(move |monitor| {
    ///     last.store(monitor.progress().expanded, Ordering::Relaxed);
    /// });
    /// monitor.report(Progress { expanded: 12, ..Progress::default() });
    /// assert_eq!(seen.load(Ordering::Relaxed), 12);
    /// ```
    pub fn with_listener(listener: impl Fn(&Self) + Send + Sync + 'static) -> Self {
        let cell = OnceLock::from(Listener(Box::new(listener)));
        Self { listener: cell, ..Self::default() }
    }

    /// Asks the search to stop. It does so within milliseconds.
    ///
    /// ```
    /// # use taquin_search::Monitor;
    /// let monitor = Monitor::default();
    /// monitor.cancel();
    /// assert!(monitor.is_cancelled());
    /// ```
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Returns a monitor for a search within another one. The outer search cancels it, and its
    /// progress is its own.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use taquin_search::Monitor;
    /// let whole = Arc::new(Monitor::default());
    /// let part = Monitor::below(&whole);
    /// whole.cancel();
    /// assert!(part.is_cancelled());
    /// ```
    pub fn below(above: &Arc<Self>) -> Self {
        Self { above: Some(Arc::clone(above)), ..Self::default() }
    }

    /// Returns a monitor for a nested search, as [`below`](Self::below) does. It also reports
    /// progress to the outer search.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use taquin_search::{Monitor, Progress};
    /// let whole = Arc::new(Monitor::default());
    /// let part = Monitor::part_of(&whole);
    /// part.report(Progress { expanded: 12, ..Progress::default() });
    /// assert_eq!(whole.progress().expanded, 12);
    /// part.cancel();
    /// assert!(!whole.is_cancelled());
    /// ```
    pub fn part_of(above: &Arc<Self>) -> Self {
        let whole = Arc::clone(above);
        let part = Self::with_listener(move |part| whole.report(part.progress()));
        Self { above: Some(Arc::clone(above)), ..part }
    }

    /// Returns a monitor that stands for another one and also cancels its search when `alarm`
    /// returns true. It passes on progress, stages and improvements as well.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use taquin_search::{Improvement, Monitor};
    /// let whole = Arc::new(Monitor::default());
    /// let guarded = Monitor::guarded(&whole, || true);
    /// guarded.improve(Improvement { seconds: 0.5, cost: 30, depth: 30, lower_bound: 22 });
    /// assert_eq!(whole.improvements(0).len(), 1);
    /// assert!(guarded.is_cancelled() && !whole.is_cancelled());
    /// ```
    pub fn guarded(above: &Arc<Self>, alarm: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { alarm: Some(Alarm(Box::new(alarm))), ..Self::part_of(above) }
    }

    /// Withdraws the bounds that were reported, because the search they come from is void.
    ///
    /// ```
    /// # use taquin_search::{Monitor, Progress};
    /// let monitor = Monitor::default();
    /// monitor.report(Progress { bound: 24, ..Progress::default() });
    /// monitor.withdraw();
    /// assert_eq!(monitor.known().bound, 0);
    /// ```
    pub fn withdraw(&self) {
        self.begin_stage();
        self.bound.store(0, Relaxed);
        self.proven.store(0, Relaxed);
        let mut known = self.improvements.lock().unwrap_or_else(PoisonError::into_inner);
        known.recent.iter_mut().for_each(|improvement| improvement.lower_bound = 0);
    }

    /// The monitor that this one stands for.
    fn guarded_monitor(&self) -> Option<&Self> {
        self.above.as_deref().filter(|_| self.alarm.is_some())
    }

    /// Returns whether the search should stop.
    ///
    /// ```
    /// # use taquin_search::Monitor;
    /// assert!(!Monitor::default().is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
            || self.above.as_ref().is_some_and(|above| above.is_cancelled())
            || self.alarm.as_ref().is_some_and(|Alarm(is_raised)| is_raised())
    }

    /// Returns the progress of a few milliseconds ago.
    ///
    /// ```
    /// # use taquin_search::{Monitor, Progress};
    /// assert_eq!(Monitor::default().progress(), Progress::default());
    /// ```
    pub fn progress(&self) -> Progress {
        Progress {
            expanded: self.expanded.load(Relaxed),
            generated: self.generated.load(Relaxed),
            frontier: self.frontier.load(Relaxed),
            bound: self.bound.load(Relaxed),
        }
    }

    /// Reports a better solution.
    ///
    /// ```
    /// # use taquin_search::{Improvement, Monitor};
    /// let monitor = Monitor::default();
    /// monitor.improve(Improvement { seconds: 0.5, cost: 30, depth: 30, lower_bound: 22 });
    /// assert_eq!(monitor.improvements(0)[0].cost, 30);
    /// ```
    pub fn improve(&self, improvement: Improvement) {
        if let Some(guarded) = self.guarded_monitor() {
            guarded.improve(improvement);
        }
        let mut known = self.improvements.lock().unwrap_or_else(PoisonError::into_inner);
        known.recent.push_back(improvement);
        if known.recent.len() > RECENT {
            known.recent.pop_front();
            known.before += 1;
        }
    }

    /// Returns the improvements from number `after` on, up to the last 100. Pass the number of
    /// improvements received so far to get each exactly once.
    ///
    /// ```
    /// # use taquin_search::{Improvement, Monitor};
    /// let monitor = Monitor::default();
    /// for cost in [40, 32, 30] {
    ///     monitor.improve(Improvement { seconds: 0.5, cost, depth: 30, lower_bound: 22 });
    /// }
    /// let later: Vec<u32> = monitor.improvements(1).iter().map(|better| better.cost).collect();
    /// assert_eq!(later, [32, 30]);
    /// ```
    pub fn improvements(&self, after: usize) -> Vec<Improvement> {
        let known = self.improvements.lock().unwrap_or_else(PoisonError::into_inner);
        known.recent.iter().skip(after.saturating_sub(known.before)).copied().collect()
    }

    /// Returns the best solution and the greatest bound of all stages so far.
    ///
    /// ```
    /// # use taquin_search::{Improvement, Monitor, Progress};
    /// let monitor = Monitor::default();
    /// monitor.report(Progress { bound: 24, ..Progress::default() });
    /// monitor.begin_stage();
    /// monitor.improve(Improvement { seconds: 0.5, cost: 30, depth: 30, lower_bound: 22 });
    /// let known = monitor.known();
    /// assert_eq!((known.best.map(|best| best.cost), known.bound), (Some(30), 24));
    /// ```
    pub fn known(&self) -> BestKnown {
        let known = self.improvements.lock().unwrap_or_else(PoisonError::into_inner);
        let best = known.recent.back().copied();
        let bound = best.map_or(0, |best| best.lower_bound).max(self.proven.load(Relaxed));
        BestKnown { best, bound }
    }

    /// Begins another stage of a search, with counts from 0. Methods with several searches call it.
    ///
    /// ```
    /// # use taquin_search::Monitor;
    /// let monitor = Monitor::default();
    /// monitor.begin_stage();
    /// assert!(monitor.stage_time().is_some());
    /// ```
    pub fn begin_stage(&self) {
        if let Some(guarded) = self.guarded_monitor() {
            guarded.begin_stage();
        }
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.expanded.store(0, Relaxed);
        self.generated.store(0, Relaxed);
        self.frontier.store(0, Relaxed);
    }

    /// Returns the time since the stage began whose counts [`progress`](Self::progress) returns, if
    /// the search has stages.
    ///
    /// ```
    /// # use taquin_search::Monitor;
    /// assert_eq!(Monitor::default().stage_time(), None);
    /// ```
    pub fn stage_time(&self) -> Option<Duration> {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        stage.map(|begun| begun.elapsed())
    }

    /// Makes this many of the threads that report their progress here rest, until the number is
    /// changed or the search is cancelled.
    ///
    /// ```
    /// # use taquin_search::Monitor;
    /// let monitor = Monitor::default();
    /// monitor.rest(1); // a search with this monitor does nothing now
    /// monitor.rest(0);
    /// ```
    pub fn rest(&self, threads: usize) {
        self.to_rest.store(threads, Relaxed);
    }

    /// Adds to the number of idle threads in the search. They count as resting: a thread that works
    /// alone for the others does not rest in their place. Engines call it.
    ///
    /// ```
    /// # use taquin_search::{Monitor, Progress};
    /// let monitor = Monitor::default();
    /// monitor.idle(1); // one of two threads has nothing to do
    /// monitor.rest(1);
    /// monitor.report(Progress::default()); // the other one works on
    /// ```
    pub fn idle(&self, threads: isize) {
        self.idle.fetch_add(threads, Relaxed);
    }

    /// Rests if fewer threads do than have to.
    #[cold]
    fn pause(&self) {
        let to_rest = || self.to_rest.load(Relaxed).saturating_add_signed(-self.idle.load(Relaxed));
        let may_rest = |resting| (resting < to_rest()).then_some(resting + 1);
        if self.resting.fetch_update(Relaxed, Relaxed, may_rest).is_ok() {
            // One at a time, so that no more threads continue than allowed.
            let may_go = |resting| (resting > to_rest()).then(|| resting - 1);
            while self.resting.fetch_update(Relaxed, Relaxed, may_go).is_err() {
                if self.is_cancelled() {
                    self.resting.fetch_sub(1, Relaxed);
                    break;
                }
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// Reports the progress of the search. Engines call it.
    ///
    /// ```
    /// # use taquin_search::{Monitor, Progress};
    /// let monitor = Monitor::default();
    /// monitor.report(Progress { expanded: 12, ..Progress::default() });
    /// assert_eq!(monitor.progress().expanded, 12);
    /// ```
    pub fn report(&self, progress: Progress) {
        self.expanded.store(progress.expanded, Relaxed);
        self.generated.store(progress.generated, Relaxed);
        self.frontier.store(progress.frontier, Relaxed);
        self.bound.store(progress.bound, Relaxed);
        self.proven.fetch_max(progress.bound, Relaxed);
        if let Some(Listener(listener)) = self.listener.get() {
            listener(self);
        }
        if self.to_rest.load(Relaxed) > 0 {
            self.pause();
        }
    }
}

/// The time between two looks of a resting thread.
const PAUSE: Duration = Duration::from_millis(1);

/// Checks the limits of a running search: two comparisons per expansion, and a look at the clock
/// every few milliseconds. For engines.
#[derive(Debug)]
pub struct Meter<'a> {
    limits: &'a Limits,
    started: Instant,
    polled: Instant,
    interval: u64,
    next: u64,
    generated: u64,
}

/// The intended time between two looks at the clock.
const POLL: Duration = Duration::from_millis(4);

impl<'a> Meter<'a> {
    /// Starts the clock.
    ///
    /// ```
    /// # use taquin_search::{Limits, Meter};
    /// let limits = Limits::default();
    /// let meter = Meter::new(&limits);
    /// # assert!(!meter.exceeds_memory(|| 0));
    /// ```
    pub fn new(limits: &'a Limits) -> Self {
        let now = Instant::now();
        let generated = limits.generated.unwrap_or(u64::MAX);
        Self { limits, started: now, polled: now, interval: 1, next: 0, generated }
    }

    /// Returns why the search must stop before the next expansion, if it must.
    ///
    /// The closure returns the number of open nodes and the lower bound. It is rarely called.
    ///
    /// ```
    /// # use taquin_search::{Counts, Limits, Meter, Stop};
    /// let limits = Limits { expanded: Some(100), ..Limits::default() };
    /// let mut meter = Meter::new(&limits);
    /// let counts = Counts { expanded: 100, ..Counts::default() };
    /// assert_eq!(meter.stop(&counts, || (0, 0)), Some(Stop::Expanded));
    /// ```
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

    /// Returns whether tables of `bytes` bytes in total exceed the memory limit.
    ///
    /// ```
    /// # use taquin_search::{Limits, Meter};
    /// let limits = Limits { memory: Some(1000), ..Limits::default() };
    /// assert!(Meter::new(&limits).exceeds_memory(|| 1001));
    /// ```
    #[inline]
    pub fn exceeds_memory(&self, bytes: impl FnOnce() -> usize) -> bool {
        self.limits.memory.is_some_and(|limit| bytes() as u64 > limit)
    }

    /// Reports a better solution to listeners.
    pub(crate) fn improve(&self, cost: Cost, depth: u64, lower_bound: Cost) {
        if let Some(monitor) = &self.limits.monitor {
            let seconds = self.started.elapsed().as_secs_f64();
            monitor.improve(Improvement { seconds, cost, depth, lower_bound });
        }
    }

    /// Returns whether the search should stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.limits.monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled())
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
        // An expansion takes nanoseconds in one space and milliseconds in another: adapt the
        // interval to the time that has passed.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for a condition.
    fn wait(what: &str, condition: impl Fn() -> bool) {
        let started = Instant::now();
        while !condition() {
            assert!(started.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::yield_now();
        }
    }

    #[test]
    fn rest_parks_the_requested_number_of_threads() {
        let monitor = Monitor::default();
        let reports = [const { AtomicU64::new(0) }; 2];
        let stop = AtomicBool::new(false);
        let counts = || [0, 1].map(|at: usize| reports[at].load(Relaxed));
        let working = |since: [u64; 2]| (0..2).filter(|&at| counts()[at] > since[at]).count();
        std::thread::scope(|scope| {
            for count in &reports {
                scope.spawn(|| {
                    while !stop.load(Relaxed) {
                        monitor.report(Progress::default());
                        count.fetch_add(1, Relaxed);
                    }
                });
            }
            for resting in [0, 1, 2, 0, 2, 1] {
                monitor.rest(resting);
                wait("threads rest", || monitor.resting.load(Relaxed) == resting);
                let since = counts();
                wait("the others work", || working(since) >= 2 - resting);
                std::thread::sleep(Duration::from_millis(10));
                assert_eq!(working(since), 2 - resting, "{resting} rest");
            }
            monitor.cancel();
            let since = counts();
            wait("cancelled threads do not rest", || working(since) == 2);
            stop.store(true, Relaxed);
        });
    }

    #[test]
    fn cancelling_a_monitor_cancels_those_below() {
        let whole = Arc::new(Monitor::default());
        let part = Arc::new(Monitor::part_of(&whole));
        let below = Monitor::below(&part);
        // A monitor in the middle that is dropped still passes it on.
        drop(part);
        assert!(!below.is_cancelled());
        whole.cancel();
        assert!(below.is_cancelled());
        assert!(Monitor::below(&whole).is_cancelled(), "a later one, too");
    }
}
