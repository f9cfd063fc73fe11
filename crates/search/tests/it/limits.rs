//! Limits are outcomes, and another thread can cancel a search.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use taquin_search::{
    Cost, Cutoff, Deepening, Limits, Monitor, Outcome, Policy, Problem, Reversible, Search,
    StateSpace, Stop, Undo,
};

/// All numbers, with two successors each and no goal.
struct Endless;

impl StateSpace for Endless {
    type State = u64;
    type Key = u64;
    type Action = u64;

    fn actions(&self, _: &u64, actions: &mut Vec<u64>) {
        actions.extend([1, 2]);
    }

    fn apply(&self, state: &mut u64, action: u64) -> Cost {
        *state = 2 * *state + action;
        1
    }

    fn undo(&self, state: &mut u64, action: u64) {
        *state = (*state - action) / 2;
    }

    fn key(&self, state: &u64) -> u64 {
        *state
    }

    fn state(&self, key: &u64) -> u64 {
        *key
    }

    fn is_goal(&self, _: &u64) -> bool {
        false
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        1..=1
    }
}

fn both(limits: &Limits) -> [Search<u64>; 2] {
    let policy = Deepening { by_depth: false, undo: Undo::Skip, cutoff: Cutoff::After };
    [
        Problem::new(&Endless, &0).limits(limits).best_first(&Policy::bfs()).run(),
        Problem::new(&Endless, &0).limits(limits).deepening(&policy).run(),
    ]
}

#[test]
fn node_limits_are_exact() {
    for search in both(&Limits { expanded: Some(1_000), ..Limits::default() }) {
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Expanded));
        assert_eq!(search.counts.expanded, 1_000);
    }
    for search in both(&Limits { generated: Some(1_001), ..Limits::default() }) {
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Generated));
        assert!((1_001..1_003).contains(&search.counts.generated));
    }
    for search in both(&Limits { expanded: Some(0), ..Limits::default() }) {
        assert_eq!((search.counts.expanded, search.lower_bound > 1), (0, false));
    }
}

/// [`Endless`], in which the thousandth expansion takes longer than the limit.
struct Slow {
    expansions: Cell<u32>,
    limit: Duration,
}

impl StateSpace for Slow {
    type State = u64;
    type Key = u64;
    type Action = u64;

    fn actions(&self, state: &u64, actions: &mut Vec<u64>) {
        self.expansions.set(self.expansions.get() + 1);
        if self.expansions.get() == 1_000 {
            std::thread::sleep(self.limit);
        }
        Endless.actions(state, actions);
    }

    fn apply(&self, state: &mut u64, action: u64) -> Cost {
        Endless.apply(state, action)
    }

    fn undo(&self, state: &mut u64, action: u64) {
        Endless.undo(state, action);
    }

    fn key(&self, state: &u64) -> u64 {
        *state
    }

    fn state(&self, key: &u64) -> u64 {
        *key
    }

    fn is_goal(&self, _: &u64) -> bool {
        false
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        1..=1
    }
}

#[test]
fn the_clock_ends_a_search_at_the_next_look_and_not_before() {
    let limit = Duration::from_millis(60);
    let limits = Limits { time: Some(limit), memory: Some(1 << 30), ..Limits::default() };
    let policy = Deepening { by_depth: false, undo: Undo::Skip, cutoff: Cutoff::After };
    for is_deepening in [false, true] {
        let started = Instant::now();
        let space = Slow { expansions: Cell::new(0), limit };
        let search = match is_deepening {
            true => Problem::new(&space, &0).limits(&limits).deepening(&policy).run(),
            false => Problem::new(&space, &0).limits(&limits).best_first(&Policy::bfs()).run(),
        };
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Time));
        assert!(started.elapsed() >= limit, "{:?}", started.elapsed());
        // The time between two looks at the clock is at most twice that since the start.
        assert!((1..=2_100).contains(&search.counts.expanded), "{}", search.counts.expanded);
    }
}

#[test]
fn memory_stays_under_its_limit() {
    for limit in [10_000, 1_000_000, 20_000_000] {
        let limits = Limits { memory: Some(limit), ..Limits::default() };
        let search = Problem::new(&Endless, &0).limits(&limits).best_first(&Policy::bfs()).run();
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Memory));
        assert!(
            search.counts.memory_peak <= limit + 200,
            "{} of {limit}",
            search.counts.memory_peak
        );
        assert!(search.counts.memory_peak * 4 > limit, "{} of {limit}", search.counts.memory_peak);
    }
}

#[test]
fn without_memory_nothing_is_proven() {
    // The start is the goal, but there is no memory to find out.
    struct Here;
    impl StateSpace for Here {
        type State = u32;
        type Key = u32;
        type Action = ();

        fn actions(&self, _: &u32, _: &mut Vec<()>) {}

        fn apply(&self, _: &mut u32, (): ()) -> Cost {
            1
        }

        fn undo(&self, _: &mut u32, (): ()) {}

        fn inverse(&self, (): ()) -> Option<()> {
            Some(())
        }

        fn key(&self, state: &u32) -> u32 {
            *state
        }

        fn state(&self, key: &u32) -> u32 {
            *key
        }

        fn is_goal(&self, state: &u32) -> bool {
            *state == 0
        }

        fn costs(&self) -> std::ops::RangeInclusive<Cost> {
            1..=1
        }
    }
    impl Reversible for Here {
        fn goal(&self) -> u32 {
            0
        }
    }
    let limits = Limits { memory: Some(1), ..Limits::default() };
    for search in [
        Problem::new(&Here, &0).limits(&limits).best_first(&Policy::bfs()).run(),
        Problem::new(&Here, &0).limits(&limits).best_first(&Policy::astar()).run(),
        Problem::new(&Here, &0).limits(&limits).bidirectional().run(),
    ] {
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Memory));
        assert_eq!(search.lower_bound, 0);
    }
}

#[test]
fn another_thread_can_watch_and_cancel() {
    let monitor = Arc::new(Monitor::default());
    let limits =
        Limits { monitor: Some(Arc::clone(&monitor)), memory: Some(1 << 30), ..Limits::default() };
    let handle = std::thread::spawn(move || {
        let policy = Deepening { by_depth: false, undo: Undo::Skip, cutoff: Cutoff::After };
        Problem::new(&Endless, &0).limits(&limits).deepening(&policy).run()
    });
    while monitor.progress().expanded < 10_000 {
        std::thread::yield_now();
    }
    monitor.cancel();
    let search = handle.join().unwrap();
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Cancelled));
    assert!(search.lower_bound >= 10, "every completed threshold raises the bound");
}
