//! A search as it runs: the board under expansion, the open and closed lists, and the f-layers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use taquin::{Ending, Event, Monitor, Session, Task, Tile, Verdict, Watch};

use crate::job::Job;

/// A search on another thread, to be looked at while it runs.
#[derive(Debug)]
pub(crate) struct LiveSearch {
    /// The name of its method.
    pub(crate) method: String,
    view: Arc<Mutex<Live>>,
    /// Expansions per second; 0 for as many as possible.
    pace: Arc<AtomicU64>,
    job: Job<Finished>,
    /// How it ended, if it did.
    pub(crate) finished: Option<Finished>,
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Finished {
    /// The solution's number of moves, if there is one.
    pub(crate) depth: Option<u64>,
    /// Whether it is proven that no solution is shorter.
    pub(crate) optimal: bool,
    /// How it ended.
    pub(crate) outcome: Ending,
}

/// The visible state of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Live {
    /// The board under expansion, row by row.
    pub(crate) board: Vec<Tile>,
    /// The cost of the path to it.
    pub(crate) g: u64,
    /// Its estimate.
    pub(crate) h: u64,
    /// Nodes expanded so far.
    pub(crate) expanded: u64,
    /// Nodes on the open list.
    pub(crate) open: u64,
    /// Nodes on the closed list; methods that store no nodes have none.
    pub(crate) closed: u64,
    /// Expansions at each value of f = g + h.
    pub(crate) layers: BTreeMap<u64, u64>,
}

/// The longest sleep of a slow search before it looks whether it is still wanted.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

impl LiveSearch {
    /// Starts a search at a pace in expansions per second, 0 for as fast as it can.
    pub(crate) fn start(session: &Session, task: Task, pace: u64) -> Self {
        let view = Arc::new(Mutex::new(Live::new(task.puzzle.start().tiles())));
        let pace = Arc::new(AtomicU64::new(pace));
        let method = task.method.to_string();
        let (session, seen, wanted) = (session.clone(), Arc::clone(&view), Arc::clone(&pace));
        let job = Job::start(move |monitor, answers| {
            let mut listener = |event: Event| {
                let is_expansion = matches!(event, Event::Expand(_));
                seen.lock().unwrap_or_else(PoisonError::into_inner).add(event);
                if is_expansion {
                    rest(&wanted, monitor);
                }
            };
            let report = session.run(&task, Watch::by(monitor).with_events(&mut listener));
            let (depth, optimal, outcome) = (report.depth, report.optimal, report.outcome);
            let _ = answers.send(Finished { depth, optimal, outcome });
        });
        Self { method, view, pace, job, finished: None }
    }

    /// Looks whether the search has ended.
    pub(crate) fn poll(&mut self) {
        self.finished = self.job.latest().or(self.finished);
    }

    /// Changes the pace.
    pub(crate) fn set_pace(&self, pace: u64) {
        self.pace.store(pace, Relaxed);
    }

    /// Returns what there is to see now.
    pub(crate) fn look(&self) -> Live {
        self.view.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Waits as long as an expansion takes at a pace, which may change.
fn rest(pace: &AtomicU64, monitor: &Monitor) {
    let begun = Instant::now();
    while !monitor.is_cancelled() {
        let pace = pace.load(Relaxed);
        if pace == 0 {
            return;
        }
        let left = Duration::from_secs(1) / pace as u32;
        match left.checked_sub(begun.elapsed()) {
            None | Some(Duration::ZERO) => return,
            Some(left) => thread::sleep(left.min(POLL_INTERVAL)),
        }
    }
}

impl Live {
    fn new(start: &[Tile]) -> Self {
        Self { board: start.to_vec(), open: 1, ..Self::default() }
    }

    fn add(&mut self, event: Event) {
        match event {
            Event::Expand(node) => {
                self.open = self.open.saturating_sub(1);
                self.closed += 1;
                self.expanded += 1;
                (self.g, self.h) = (node.g.into(), node.h.into());
                *self.layers.entry(self.g + self.h).or_default() += 1;
                self.board = node.board;
            }
            Event::Generate { verdict: Verdict::Kept, .. } => self.open += 1,
            Event::Generate { verdict: Verdict::Reopened, .. } => {
                self.open += 1;
                self.closed = self.closed.saturating_sub(1);
            }
            Event::Discard(_) => self.open = self.open.saturating_sub(1),
            Event::Goal(node) => {
                (self.g, self.h) = (node.g.into(), node.h.into());
                self.board = node.board;
            }
            Event::Generate { .. } | Event::Bound { .. } => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use taquin::{Board, Method};

    use super::*;

    fn task(method: &str) -> Task {
        let mut task = Task::from("8 6 7/2 5 4/3 0 1".parse::<Board>().unwrap());
        task.method = method.parse::<Method>().unwrap();
        task
    }

    /// The counts on the screen match the report.
    #[test]
    fn the_counts_are_those_of_the_search() {
        // A goal that is recognised among the successors is never on the open list.
        let greedy = "greedy:manhattan,goal=expansion";
        for method in ["astar:manhattan", "astar:misplaced", "bfs,goal=expansion", greedy, "ucs"] {
            let task = task(method);
            let mut live = Live::new(task.puzzle.start().tiles());
            let mut peak = 0;
            let mut listener = |event| {
                // Read after each expansion's successors, as the search does.
                if matches!(event, Event::Expand(_) | Event::Goal(_)) && live.expanded > 0 {
                    peak = live.open.max(peak);
                }
                live.add(event);
            };
            let session = Session::without_folder();
            let watch = Watch::default().with_events(&mut listener);
            let counts = session.run(&task, watch).counts;
            assert_eq!(live.expanded, counts.expanded, "{method}");
            assert_eq!(peak, counts.frontier_peak, "{method}");
            assert_eq!(live.layers.values().sum::<u64>(), counts.expanded, "{method}");
            assert!(live.board == task.puzzle.goal().tiles(), "{method} ends at the goal");
        }
    }

    #[test]
    fn a_slow_search_can_be_hurried_and_dropped() {
        let mut search = LiveSearch::start(&Session::without_folder(), task("astar:manhattan"), 1);
        while search.look().expanded == 0 {
            thread::yield_now();
        }
        search.set_pace(0);
        while search.finished.is_none() {
            search.poll();
            thread::yield_now();
        }
        let finished = search.finished.unwrap();
        assert_eq!((finished.depth, finished.optimal), (Some(31), true));
        drop(LiveSearch::start(&Session::without_folder(), task("bfs"), 1));
    }
}
