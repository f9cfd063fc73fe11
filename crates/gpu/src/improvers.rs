//! The CPU helps a device: while the device proves how long the shortest solutions are, CPU threads
//! look for one.
//!
//! A device searches one threshold after another, and the last one has the most nodes. Once the CPU
//! has a solution as long as the threshold that the device has reached, the search is over: all
//! lower thresholds are complete, so no solution is shorter. On Korf and Felner's fifty instances
//! this saves about a sixth of the time. Beam searches on the device between two thresholds gained
//! nothing.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use taquin::Task;
use taquin_search::{Cost, Counts, Instant, Limits, Monitor, Outcome, Search, Solution};
use taquin_solvers::{ImproveFrom, Journal, Snapshot, improve, layers};
use taquin_tiles::{Puzzle, Slide};

use crate::error::GpuError;

/// How many threads look for a solution at first. They differ only in their random choices, so many
/// find little more than a few do. In a long search, all threads help.
const FIRST_THREADS: usize = 4;

/// The memory per thread at first: in a search that takes a few seconds, wider beams gain nothing.
/// Later, beams are as wide as possible. On hard boards they find the optimum long before it is
/// proven.
const FIRST_MEMORY: u64 = 64 << 20;
const MAX_MEMORY: u64 = 512 << 20;
const FIRST_TIME: Duration = Duration::from_secs(8);

/// A search with fewer nodes has too little room, and repeating it would not help.
const MIN_NODES: u64 = 10_000;

/// The findings of a device and the CPU.
pub(crate) struct JointResult {
    pub(crate) search: Search<Slide>,
    /// The CPU's shortest solution, if the CPU helped.
    pub(crate) best: Option<Vec<Slide>>,
    /// Whether `best` is the search's solution.
    pub(crate) is_decisive: bool,
}

/// Runs `search` on a device, and stops it when the CPU has a solution that is proven optimal. With
/// a node limit the CPU does not help, so the answer does not depend on the clock.
pub(crate) fn with_improvers(
    task: &Task,
    limits: &Limits,
    journal: &Journal<'_>,
    search: impl FnOnce(&Limits, &Journal<'_>) -> Result<Search<Slide>, GpuError>,
) -> Result<JointResult, GpuError> {
    let is_limited = limits.expanded.is_some() || limits.generated.is_some();
    let first = (!is_limited).then(|| layers(&task.puzzle, &Limits::default()));
    let Some(first) = first.as_ref().and_then(Search::solution) else {
        return Ok(JointResult {
            search: search(limits, journal)?,
            best: None,
            is_decisive: false,
        });
    };
    let above = limits.monitor.as_ref();
    let improvers = Improvers {
        puzzle: &task.puzzle,
        best: Mutex::new(first.actions.clone()),
        // A resumed search's checkpoint is not saved again.
        threshold: AtomicU32::new(journal.snapshot().threshold),
        device: Arc::new(above.map(Monitor::part_of).unwrap_or_default()),
        processor: Arc::new(above.map(Monitor::below).unwrap_or_default()),
        counts: Mutex::default(),
        started: Instant::now(),
    };
    let save = |snapshot: &Snapshot| {
        improvers.reach(snapshot.threshold);
        if !improvers.is_over() {
            journal.take(snapshot);
        }
    };
    let reported = Journal::new(Some(journal.snapshot()), &save, Duration::ZERO);
    let limits_of_device =
        Limits { monitor: Some(Arc::clone(&improvers.device)), ..limits.clone() };
    // One thread waits for the device.
    let threads = task.threads.saturating_sub(1).max(1);
    let searched = thread::scope(|scope| {
        let improvers = &improvers;
        let start = move |number| {
            let work = move || improvers.improve(number, threads, limits);
            // Without a free thread, the device gets no help.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        };
        (0..threads.min(FIRST_THREADS)).for_each(start);
        let later = thread::Builder::new().spawn_scoped(scope, move || {
            while let Some(left) = FIRST_TIME.checked_sub(improvers.started.elapsed()) {
                if improvers.processor.is_cancelled() {
                    return;
                }
                thread::park_timeout(left);
            }
            (FIRST_THREADS..threads).for_each(start);
        });
        let searched = search(&limits_of_device, &reported);
        improvers.processor.cancel();
        if let Ok(later) = later {
            later.thread().unpark();
        }
        searched
    });
    let Improvers { best, counts, .. } = improvers;
    let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut search = searched?;
    search.counts.expanded += counts.expanded;
    search.counts.generated += counts.generated;
    let is_decisive = search.solution().is_none() && best.len() as Cost <= search.lower_bound;
    if is_decisive {
        let cost = best.len() as Cost;
        search.outcome = Outcome::Solved(Solution { actions: best.clone(), cost });
    }
    Ok(JointResult { search, best: Some(best), is_decisive })
}

/// Threads that shorten a solution.
struct Improvers<'a> {
    puzzle: &'a Puzzle,
    /// The shortest solution so far.
    best: Mutex<Vec<Slide>>,
    /// The threshold that the device has reached.
    threshold: AtomicU32,
    device: Arc<Monitor>,
    processor: Arc<Monitor>,
    /// The resources that the threads used.
    counts: Mutex<Counts>,
    started: Instant,
}

impl Improvers<'_> {
    fn best(&self) -> MutexGuard<'_, Vec<Slide>> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the best solution is proven to be optimal.
    fn is_over(&self) -> bool {
        self.best().len() as Cost <= self.threshold.load(Relaxed)
    }

    /// Ends all searches if none can find anything better.
    fn check(&self) {
        if self.is_over() {
            self.device.cancel();
            self.processor.cancel();
        }
    }

    fn reach(&self, threshold: Cost) {
        self.threshold.store(threshold, Relaxed);
        self.check();
    }

    fn offer(&self, path: &[Slide]) {
        let mut best = self.best();
        if path.len() < best.len() {
            *best = path.to_vec();
        }
        drop(best);
        self.check();
    }

    /// Shortens the best solution repeatedly, each time with another seed.
    fn improve(&self, number: usize, threads: usize, Limits { time, memory, .. }: &Limits) {
        for seed in (number as u64..).step_by(threads) {
            let left = time.map(|time| time.saturating_sub(self.started.elapsed()));
            if self.processor.is_cancelled() || left.is_some_and(|left| left.is_zero()) {
                return;
            }
            let is_first = self.started.elapsed() < FIRST_TIME;
            let wanted = if is_first { FIRST_MEMORY } else { MAX_MEMORY };
            let limits = Limits {
                memory: Some(memory.map_or(wanted, |most| wanted.min(most / threads as u64))),
                time: left,
                monitor: Some(Arc::clone(&self.processor)),
                ..Limits::default()
            };
            let (path, bound) = (self.best().clone(), self.threshold.load(Relaxed));
            let from = ImproveFrom { path, bound, seed, first: ImproveFrom::FIRST };
            let taken = improve(self.puzzle, from, &limits, &mut |path| self.offer(path));
            let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            *counts = counts.then(taken);
            if taken.expanded < MIN_NODES {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use taquin_search::Stop;
    use taquin_tiles::{Board, replay};

    use super::*;

    /// A 15-puzzle of 46 moves.
    fn task() -> Task {
        Task::from("7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10".parse::<Board>().unwrap())
    }

    /// A test fails instead of running forever.
    const MINUTE: Limits = Limits {
        expanded: None,
        generated: None,
        memory: None,
        time: Some(Duration::from_secs(60)),
        monitor: None,
    };

    /// Begins some thresholds, and searches the last one forever.
    fn endless(thresholds: &[Cost], limits: &Limits, journal: &Journal<'_>) -> Search<Slide> {
        let before = Counts { expanded: 100, generated: 210, ..Counts::default() };
        for &threshold in thresholds {
            journal.begin(threshold, before, 800);
        }
        let (monitor, started) = (limits.monitor.as_ref().unwrap(), Instant::now());
        let is_late = || limits.time.is_some_and(|time| started.elapsed() >= time);
        while !monitor.is_cancelled() && !is_late() {
            thread::sleep(Duration::from_millis(1));
        }
        journal.close();
        Search {
            outcome: Outcome::Stopped(if is_late() { Stop::Time } else { Stop::Cancelled }),
            lower_bound: *thresholds.last().unwrap(),
            counts: before,
            before_last_bound: Some(before),
        }
    }

    #[test]
    fn a_solution_as_long_as_the_threshold_ends_the_search() {
        let task = Task { threads: 5, ..task() };
        let saved = Mutex::new(Vec::new());
        let save = |snapshot: &Snapshot| saved.lock().unwrap().push(snapshot.threshold);
        let journal = Journal::new(None, &save, Duration::ZERO);
        let helped = with_improvers(&task, &MINUTE, &journal, |limits, journal| {
            Ok(endless(&[42, 44, 46], limits, journal))
        });
        let JointResult { search, best, is_decisive } = helped.unwrap();
        assert!(is_decisive);
        let solution = search.solution().unwrap();
        assert_eq!((solution.cost, search.lower_bound), (46, 46));
        assert_eq!(best.as_ref(), Some(&solution.actions));
        assert_eq!(replay(task.puzzle.start(), &solution.actions).as_ref(), Ok(task.puzzle.goal()));
        assert!(search.counts.generated > 210);
        // A search that has ended has nothing to resume.
        assert!([&[42, 44, 46][..], &[42, 44]].contains(&&*saved.into_inner().unwrap()));
    }

    #[test]
    fn a_solution_that_is_not_proven_is_not_claimed() {
        let task = task();
        let limits = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
        let helped = with_improvers(&task, &limits, &Journal::unsaved(None), |limits, journal| {
            Ok(endless(&[42, 44], limits, journal))
        });
        let JointResult { search, best, is_decisive } = helped.unwrap();
        assert!(!is_decisive);
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Time));
        assert!(best.is_some_and(|best| best.len() >= 46));
        // With a node limit the result does not depend on timing.
        let limits = Limits { expanded: Some(1000), ..limits };
        let alone = with_improvers(&task, &limits, &Journal::unsaved(None), |limits, _| {
            assert!(limits.monitor.is_none());
            Err(GpuError::Driver("a test".to_owned()))
        });
        assert!(alone.is_err());
    }

    #[test]
    fn a_search_that_is_resumed_is_helped_as_well() {
        let journal = Journal::unsaved(None);
        journal.begin(46, Counts::default(), 800);
        let helped = with_improvers(&task(), &MINUTE, &journal, |limits, journal| {
            Ok(endless(&[46], limits, journal))
        });
        assert!(helped.unwrap().is_decisive);
    }

    #[test]
    fn the_user_cancels_both() {
        let monitor = Arc::new(Monitor::default());
        monitor.cancel();
        let limits = Limits { monitor: Some(monitor), ..Limits::default() };
        let helped =
            with_improvers(&task(), &limits, &Journal::unsaved(None), |limits, journal| {
                Ok(endless(&[40], limits, journal))
            });
        assert_eq!(helped.unwrap().search.outcome, Outcome::Stopped(Stop::Cancelled));
    }
}
