//! Limits hold, are reported as outcomes, and keep proven results. Jobs can be watched and stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::start;
use taquin::{
    Board, BuildError, Ending, Event, Monitor, NamedGoal, Puzzle, Reason, Report, Session,
    TableError, Task, TaskLimits, Watch,
};

/// A 15-puzzle of 80 moves, which nothing here solves.
const FAR: &str = "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1";

fn task(start: &str, method: &str, limits: TaskLimits) -> Task {
    let start: Board = start.parse().unwrap();
    let goal = NamedGoal::Last.board(start.size(), start.blanks().count());
    let puzzle = Puzzle::new(start, goal).unwrap();
    Task { limits, ..Task::new(puzzle, method.parse().unwrap()) }
}

fn stopped(start: &str, method: &str, limits: TaskLimits, reason: Reason) -> Report {
    let report = Session::without_folder().run(&task(start, method, limits), Watch::default());
    assert_eq!(
        (report.outcome, report.reason),
        (Ending::Stopped, Some(reason)),
        "{method}: {report:?}"
    );
    assert_eq!((report.cost, report.depth, &report.moves), (None, None, &None), "{method}");
    assert!(!report.optimal);
    report
}

const METHODS: [&str; 28] = [
    "rbfs:manhattan",
    "auto",
    "bfs",
    "dfs",
    "ucs",
    "greedy:manhattan",
    "astar:linear",
    "wastar:manhattan,w=3/2",
    "beam:linear,k=50",
    "random",
    "bidirectional",
    "bae:manhattan",
    "nbs:manhattan",
    "mm:manhattan",
    "dvcbs:manhattan",
    "focal:manhattan",
    "dps:manhattan",
    "ees:manhattan,d=linear",
    "ios:manhattan",
    "awa:manhattan",
    "ara:manhattan",
    "bts:manhattan",
    "dfbnb:manhattan",
    "bfida:manhattan",
    "sma:manhattan,nodes=50",
    "lrta:manhattan,look=10",
    "ids",
    "ida:manhattan",
];

#[test]
fn node_limits_are_kept_to_the_node() {
    // Other tests cover `auto` with few nodes.
    for method in METHODS.into_iter().filter(|&method| method != "auto") {
        for most in [0, 1, 57, 500] {
            let limits = TaskLimits { expanded: Some(most), ..TaskLimits::default() };
            let report = stopped(FAR, method, limits, Reason::Expanded);
            assert_eq!(report.counts.expanded, most, "{method}");
            assert!(report.lower_bound.unwrap() <= 80, "{method}");
        }
        // The last expansion is finished, and one blank has at most four moves.
        let limits = TaskLimits { generated: Some(500), ..TaskLimits::default() };
        let report = stopped(FAR, method, limits, Reason::Generated);
        assert!((500..504).contains(&report.counts.generated), "{method}");
    }
}

#[test]
fn memory_limits_are_kept() {
    let limits = TaskLimits { memory: Some(3_000_000), ..TaskLimits::default() };
    for method in ["bfs", "dfs", "ucs", "astar:linear", "random", "bidirectional"] {
        let report = stopped(FAR, method, limits.clone(), Reason::Memory);
        let peak = report.counts.memory_peak;
        // Not much remains unused either: tables grow to twice their size at most.
        assert!((750_000..=3_000_200).contains(&peak), "{method}: {peak}");
    }
}

/// Methods that store nodes stop when the memory is full, and their peak is below the limit.
#[test]
fn memory_limits_are_kept_by_every_method_that_stores_nodes() {
    let wrong: Vec<String> = METHODS
        .into_iter()
        .filter(|method| {
            let name = method.split([':', ',']).next().unwrap();
            !["auto", "beam", "rbfs", "ids", "ida", "bts", "dfbnb", "sma"].contains(&name)
        })
        .filter_map(|method| {
            let limits = TaskLimits { memory: Some(40_000), ..TaskLimits::default() };
            let report =
                Session::without_folder().run(&task(FAR, method, limits), Watch::default());
            let (reason, peak) = (report.reason, report.counts.memory_peak);
            let bound = report.lower_bound.unwrap_or(0);
            let is_kept = reason == Some(Reason::Memory) && peak <= 40_400 && bound <= 80;
            (!is_kept).then(|| format!("{method}: {reason:?}, {peak} bytes, bound {bound}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The search is cancelled at its hundredth expansion, and stops soon, with a bound.
#[test]
fn every_method_stops_soon_after_it_is_cancelled() {
    let wrong: Vec<String> = METHODS
        .into_iter()
        .filter(|&method| method != "auto")
        .filter_map(|method| {
            let monitor = Arc::new(Monitor::default());
            let mut expanded = 0;
            let mut count = |event: Event| {
                expanded += u32::from(matches!(event, Event::Expand(_)));
                if expanded == 100 {
                    monitor.cancel();
                }
            };
            let watch = Watch::by(&monitor).with_events(&mut count);
            let report =
                Session::without_folder().run(&task(FAR, method, TaskLimits::default()), watch);
            let (reason, expanded) = (report.reason, report.counts.expanded);
            let bound = report.lower_bound.unwrap_or(0);
            let is_kept = reason == Some(Reason::Cancelled) && expanded < 10_000 && bound <= 80;
            (!is_kept).then(|| format!("{method}: {reason:?}, {expanded} nodes, bound {bound}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_method_expands_a_node_without_time() {
    for method in METHODS.into_iter().filter(|&method| method != "auto") {
        let limits = TaskLimits { seconds: Some(0.0), ..TaskLimits::default() };
        let report = stopped(FAR, method, limits, Reason::Time);
        assert_eq!(report.counts.expanded, 0, "{method}");
    }
}

#[test]
fn time_limits_are_kept() {
    let seconds = |seconds| TaskLimits { seconds: Some(seconds), ..TaskLimits::default() };
    for method in ["bfs", "ids", "ida:manhattan", "astar:manhattan", "bidirectional"] {
        let report = stopped(FAR, method, seconds(0.05), Reason::Time);
        assert!(report.counts.expanded > 0, "{method}");
        assert!(report.seconds >= 0.05, "{method}: {}", report.seconds);
    }
    // The first time, `auto` makes its tables.
    let session = Session::without_folder();
    let near = "1 2 3 4/5 6 7 8/9 10 0 12/13 14 11 15";
    assert!(session.run(&task(near, "auto", TaskLimits::default()), Watch::default()).optimal);
    let report = session.run(&task(FAR, "auto", seconds(0.2)), Watch::default());
    assert!(report.lower_bound.unwrap() <= 80 && report.cost.is_none_or(|cost| cost >= 80));
}

#[test]
fn a_time_that_never_comes_is_no_limit() {
    for seconds in [1e18, f64::MAX, f64::INFINITY, f64::NAN, -1.0] {
        for method in METHODS.into_iter().filter(|&method| !["dfs", "random"].contains(&method)) {
            let limits = TaskLimits { seconds: Some(seconds), ..TaskLimits::default() };
            let near = "1 2 3 4/5 6 7 8/9 10 0 12/13 14 11 15";
            let report =
                Session::without_folder().run(&task(near, method, limits), Watch::default());
            assert_eq!((report.outcome, report.depth), (Ending::Solved, Some(2)), "{method}");
        }
    }
}

#[test]
fn the_limit_is_the_reason_when_nothing_is_left_within_it() {
    let none = TaskLimits::default;
    let report = stopped("8 6 7/2 5 4/3 0 1", "dfs,depth=10", none(), Reason::Depth);
    assert_eq!(report.counts.depth_peak, 10);
    let report = stopped("8 6 7/2 5 4/3 0 1", "bfs,depth=22", none(), Reason::Depth);
    assert_eq!(report.lower_bound, Some(23), "more than the Manhattan distance, which is 21");
    stopped("8 6 7/2 5 4/3 0 1", "beam:manhattan,k=1", none(), Reason::Beam);
}

/// Waits until something is true; a test that waits for a minute has failed.
fn wait(what: &str, mut is_true: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_search_is_watched_and_cancelled() {
    for method in ["bfs", "ucs", "astar:misplaced", "bidirectional", "ids", "ida:misplaced"] {
        let (monitor, job) = start(task(FAR, method, TaskLimits::default()));
        wait("it starts", || monitor.progress().expanded > 0);
        let early = monitor.progress();
        wait("it goes on", || monitor.progress().expanded > early.expanded);
        wait("the bound rises", || monitor.progress().bound >= 5);
        assert!(monitor.progress().generated > early.generated);
        assert!(!job.is_finished());
        let asked = Instant::now();
        monitor.cancel();
        let report = job.join().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(60), "{method}: {:?}", asked.elapsed());
        assert_eq!(
            (report.outcome, report.reason),
            (Ending::Stopped, Some(Reason::Cancelled)),
            "{method}"
        );
        assert!(report.counts.expanded > early.expanded);
        assert!((5..=80).contains(&report.lower_bound.unwrap()), "{method}");
    }
}

#[test]
fn auto_can_be_cancelled_too() {
    let (monitor, job) = start(task(FAR, "auto", TaskLimits::default()));
    wait("it starts", || monitor.progress().expanded > 0);
    monitor.cancel();
    let asked = Instant::now();
    let report = job.join().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(60));
    assert!(report.outcome == Ending::Solved || report.reason == Some(Reason::Cancelled));
    assert!(!report.optimal);
}

#[test]
fn who_was_cancelled_before_does_nothing() {
    let monitor = Arc::new(Monitor::default());
    monitor.cancel();
    for method in METHODS {
        let report = Session::without_folder()
            .run(&task(FAR, method, TaskLimits::default()), Watch::by(&monitor));
        assert_eq!(report.reason, Some(Reason::Cancelled), "{method}");
        assert_eq!(report.counts.expanded, 0, "{method}");
    }
}

#[test]
fn a_build_is_cancelled_with_the_monitor_above_its_own() {
    let whole = Arc::new(Monitor::default());
    let part = Monitor::below(&whole);
    let task = task(FAR, "ida:pdb=6-6-3", TaskLimits::default());
    let result = Session::without_folder().prepare(&task, &part, &mut |_| whole.cancel());
    assert!(matches!(result, Err(TableError::Build(BuildError::Cancelled))), "{result:?}");
}
