//! IDA* below a frontier compared with plain IDA*.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taquin_search::{Counts, Limits, Monitor, Outcome, Random, Search, Stop};
use taquin_solvers::{
    FrontierOptions, Journal, Refusal, Snapshot, Solver, SolverHeuristic, SolverOptions,
};
use taquin_tiles::{Board, NamedGoal, Size, Slide, replay, scramble};

use crate::{patterns, zero_aware};

fn solver(goal: &Board, estimate: &SolverHeuristic, prune: usize) -> Solver {
    Solver::new(goal, estimate, SolverOptions { prune, ..SolverOptions::default() }).unwrap()
}

/// Searches below a frontier, with a table of at most `table` bytes.
fn frontier(
    solver: &Solver,
    start: &Board,
    threads: usize,
    limits: &Limits,
    table: Option<u64>,
) -> Search<Slide> {
    let options = FrontierOptions { table, ..FrontierOptions::default() };
    solver.solve_from_frontier(start, threads, limits, options, None).unwrap()
}

#[test]
fn solutions_are_as_short_as_those_of_ida() {
    for (rows, cols, partition, walk) in [
        (2, 2, "1.2.3", 9),
        (2, 3, "1.2/3.4.5", 40),
        (3, 3, "1.2.3.4/5.6.7.8", 100),
        (3, 4, "1.2.3/4.5.6/7.8.9", 100),
        (4, 4, "1.2.3/4.5.6/7.8.9", 50),
        (4, 5, "1.2.3.4/6.7.8/11.12", 40),
        (5, 5, "1.2.5.6/18.19.23.24/10", 40),
    ] {
        let size = Size::new(rows, cols).unwrap();
        for goal in NamedGoal::ALL.map(|goal| goal.board(size, 1)) {
            let estimate = patterns(&goal, partition);
            let mut random = Random::new(3);
            for prune in [2, 8] {
                let solver = solver(&goal, &estimate, prune);
                for _ in 0..4 {
                    let start = scramble::walk(&goal, walk, &mut random);
                    let expected = solver.solve(&start, 1, &Limits::default()).unwrap();
                    for (threads, table) in [(1, Some(0)), (2, Some(0)), (1, None), (2, None)] {
                        let limits = Limits { memory: Some(1 << 26), ..Limits::default() };
                        let search = frontier(&solver, &start, threads, &limits, table);
                        let case = format!("{start} to {goal}, {prune}, {threads}, {table:?}");
                        let solution = search.solution().unwrap();
                        assert_eq!(solution.cost, expected.lower_bound, "{case}");
                        assert!(search.is_optimal(), "{case}");
                        assert_eq!(replay(&start, &solution.actions).unwrap(), goal, "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn zero_aware_databases_of_one_to_three_partitions_find_shortest_solutions() {
    let size = Size::new(4, 4).unwrap();
    let all = ["1.2.3.4.5/6.7.8.9.10/11.12.13.14.15", "1.5.9.13/2.6.10.14/3.7.11.15/4.8.12"];
    let third = "1.2.5.6/3.4.7.8/9.10.13.14/11.12.15";
    for goal in NamedGoal::ALL.map(|goal| goal.board(size, 1)) {
        let expected = solver(&goal, &patterns(&goal, "1.2.3.4.5/6.7.8.9.10"), 2);
        for partitions in [&all[..1], &all, &[all[0], all[1], third]] {
            let estimate = zero_aware(&goal, partitions);
            for prune in [2, 10] {
                let solver = solver(&goal, &estimate, prune);
                let mut random = Random::new(7);
                for _ in 0..3 {
                    let start = scramble::walk(&goal, 60, &mut random);
                    let limits = Limits { memory: Some(1 << 26), ..Limits::default() };
                    let optimum = expected.solve(&start, 1, &limits).unwrap().lower_bound;
                    let searches = [
                        solver.solve(&start, 1, &limits),
                        solver.solve(&start, 2, &limits),
                        Some(frontier(&solver, &start, 1, &limits, Some(0))),
                        Some(frontier(&solver, &start, 2, &limits, None)),
                    ];
                    for search in searches.map(Option::unwrap) {
                        let case = format!("{start} to {goal}, {partitions:?}, {prune}");
                        assert!(search.is_optimal(), "{case}");
                        let solution = search.solution().unwrap();
                        assert_eq!(solution.cost, optimum, "{case}");
                        assert_eq!(replay(&start, &solution.actions).unwrap(), goal, "{case}");
                    }
                }
            }
        }
    }
}

/// A 15-puzzle that takes some thresholds, and its solver.
fn fifteen() -> (Board, Solver) {
    fifteen_of(6)
}

fn fifteen_of(seed: u64) -> (Board, Solver) {
    let goal = NamedGoal::Last.board(Size::new(4, 4).unwrap(), 1);
    let estimate = patterns(&goal, "1.2.3/4.5.6/7.8.9");
    let start = scramble::uniform(&goal, &mut Random::new(seed));
    (start, solver(&goal, &estimate, 2))
}

#[test]
fn without_a_table_completed_thresholds_have_the_same_counts_on_any_number_of_threads() {
    let (start, solver) = fifteen();
    let before = |threads| {
        let search = frontier(&solver, &start, threads, &Limits::default(), Some(0));
        assert!(search.is_optimal());
        let before = search.before_last_bound.unwrap();
        (search.lower_bound, before.expanded, before.generated, before.duplicates)
    };
    let alone = before(1);
    assert!(alone.1 > 100_000, "{alone:?}");
    for threads in [2, 3, 5] {
        assert_eq!(before(threads), alone, "{threads} threads");
    }
    let plain = solver.solve(&start, 1, &Limits::default()).unwrap();
    assert_eq!(plain.lower_bound, alone.0);
    assert!(plain.before_last_bound.unwrap().generated > alone.2, "nothing was saved");
    let with_table = frontier(&solver, &start, 1, &Limits::default(), None);
    assert_eq!(with_table.lower_bound, alone.0);
    assert!(with_table.before_last_bound.unwrap().generated < alone.2, "nothing was saved");
}

#[test]
fn limits_are_kept() {
    let (start, solver) = fifteen();
    let run = |threads, limits: &Limits| frontier(&solver, &start, threads, limits, None);
    for most in [0, 1, 700, 100_000] {
        let limits = Limits { expanded: Some(most), ..Limits::default() };
        for threads in [1, 2] {
            let search = run(threads, &limits);
            assert_eq!(search.outcome, Outcome::Stopped(Stop::Expanded));
            assert_eq!(search.counts.expanded, most, "{threads} threads");
        }
        let limits = Limits { generated: Some(most), ..Limits::default() };
        let search = run(1, &limits);
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Generated));
        assert!((most..most + 4).contains(&search.counts.generated));
    }
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    assert_eq!(run(1, &limits).outcome, Outcome::Stopped(Stop::Memory));
    for memory in [1 << 26, 1 << 28] {
        let search = run(2, &Limits { memory: Some(memory), ..Limits::default() });
        assert!(search.is_optimal());
        assert!(search.counts.memory_peak <= memory, "{}", search.counts.memory_peak);
    }
    let monitor = Arc::new(Monitor::default());
    monitor.cancel();
    let limits = Limits { monitor: Some(monitor), ..Limits::default() };
    assert_eq!(run(2, &limits).outcome, Outcome::Stopped(Stop::Cancelled));
}

#[test]
fn every_board_of_small_sizes_has_its_distance() {
    for (rows, cols, partition) in [(2, 2, "1.2.3"), (2, 3, "1.2/3.4.5"), (3, 2, "1.2.3/4.5")] {
        let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), 1);
        let estimates = [patterns(&goal, partition), zero_aware(&goal, &[partition])];
        for (prune, estimate) in [2, 4, 8, 12]
            .into_iter()
            .flat_map(|prune| estimates.iter().map(move |estimate| (prune, estimate)))
        {
            let solver = solver(&goal, estimate, prune);
            let limits = Limits::default();
            // All boards, layer by layer from the goal.
            let mut layer = vec![goal.clone()];
            let mut seen: std::collections::HashSet<Board> = layer.iter().cloned().collect();
            for distance in 0.. {
                for start in &layer {
                    for table in [None, Some(0)] {
                        let search = frontier(&solver, start, 1, &limits, table);
                        assert_eq!(search.solution().unwrap().cost, distance, "{start}, {prune}");
                        assert!(search.is_optimal());
                    }
                    let search = solver.solve(start, 1, &limits).unwrap();
                    assert_eq!(search.solution().unwrap().cost, distance, "{start}, {prune}");
                }
                let next = layer.iter().flat_map(|board| {
                    let blank = board.blanks().next().unwrap();
                    taquin_tiles::Move::ALL.into_iter().filter_map(move |step| {
                        let mut board = board.clone();
                        let slide = Slide { blank, step };
                        board.slide(slide).ok().map(|_| board)
                    })
                });
                layer = next.filter(|board| seen.insert(board.clone())).collect();
                if layer.is_empty() {
                    break;
                }
            }
            assert_eq!(seen.len(), (1..=rows * cols).product::<usize>() / 2);
        }
    }
}

/// Cancels a search again and again, each time after more parts, and resumes it from the saved
/// progress on another number of threads.
#[test]
fn an_interrupted_search_ends_with_the_same_solution_length_and_counts() {
    let (start, solver) = fifteen();
    let expected = frontier(&solver, &start, 1, &Limits::default(), Some(0));
    for table in [Some(0), None] {
        let options = FrontierOptions { table, ..FrontierOptions::default() };
        let kept: Mutex<Option<Snapshot>> = Mutex::new(None);
        let mut interruptions = 0;
        let ended = loop {
            let from = kept.lock().unwrap().clone();
            let text = serde_json::to_string(&from).unwrap();
            assert_eq!(serde_json::from_str::<Option<Snapshot>>(&text).unwrap(), from);
            if let Some(from) = &from {
                assert_eq!(from.fault(21, 201), None, "{text}");
            }
            let monitor = Arc::new(Monitor::default());
            let saved = AtomicUsize::new(0);
            let save = |snapshot: &Snapshot| {
                *kept.lock().unwrap() = Some(snapshot.clone());
                // After one part more each time, so that the search ends.
                if saved.fetch_add(1, Relaxed) == interruptions {
                    monitor.cancel();
                }
            };
            let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
            let journal = Journal::new(from, &save, Duration::ZERO);
            let threads = 1 + interruptions % 3;
            let journal = Some(&journal);
            let search = solver.solve_from_frontier(&start, threads, &limits, options, journal);
            let search = search.unwrap();
            if search.outcome != Outcome::Stopped(Stop::Cancelled) {
                break search;
            }
            interruptions += 1;
        };
        assert!(interruptions > 5, "{interruptions}");
        assert!(ended.is_optimal());
        assert_eq!(ended.lower_bound, expected.lower_bound);
        if table == Some(0) {
            let facts = |search: &Search<Slide>| {
                let before = search.before_last_bound.unwrap();
                (before.expanded, before.generated, before.duplicates)
            };
            assert_eq!(facts(&ended), facts(&expected));
        }
    }
}

/// Searches with the journal that begins with `from`, until `ends` returns true for a saved
/// snapshot. Returns the search, why it was refused, and everything that was saved.
fn journaled(
    from: &Snapshot,
    (memory, threads, table): (Option<u64>, usize, Option<u64>),
    ends: impl Fn(&Snapshot) -> bool + Sync,
) -> (Search<Slide>, Option<Refusal>, Vec<Snapshot>) {
    let (start, solver) = fifteen_of(10);
    let monitor = Arc::new(Monitor::default());
    let saved = Mutex::new(Vec::new());
    let save = |snapshot: &Snapshot| {
        saved.lock().unwrap().push(snapshot.clone());
        if ends(snapshot) {
            monitor.cancel();
        }
    };
    let journal = Journal::new(Some(from.clone()), &save, Duration::ZERO);
    let limits = Limits { memory, monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
    let options = FrontierOptions { table, improves: false };
    let search = solver.solve_from_frontier(&start, threads, &limits, options, Some(&journal));
    (search.unwrap(), journal.refusal(), saved.into_inner().unwrap())
}

/// The last threshold but one of a search that expects so many nodes that it makes a large
/// frontier.
fn large_frontier() -> Snapshot {
    let (start, solver) = fifteen_of(10);
    let optimum = frontier(&solver, &start, 1, &Limits::default(), Some(0)).lower_bound;
    let journal = Journal::unsaved(None);
    journal.begin(optimum - 2, Counts::default(), 450_000_000);
    journal.snapshot()
}

#[test]
fn a_resumed_search_keeps_its_frontier_whatever_its_memory_is() {
    let begin = large_frontier();
    let all = (None, 1, Some(0));
    let (whole, _, snapshots) = journaled(&begin, all, |_| false);
    let parts = snapshots.iter().filter(|one| one.threshold == begin.threshold).count();
    let (_, _, snapshots) = journaled(&begin, all, |saved| saved.units_done() >= parts / 2);
    let from = snapshots.last().unwrap();
    assert!(from.threshold == begin.threshold && from.units_done() >= parts / 2);

    // Too little memory is refused, with the number, and nothing is lost.
    let (refused, refusal, saved) = journaled(from, (Some(33 << 20), 2, Some(0)), |_| false);
    assert_eq!(refused.outcome, Outcome::Stopped(Stop::Memory));
    assert!(saved.iter().all(|saved| saved == from), "{refusal:?}");
    let Some(Refusal::Memory(least)) = refusal else { panic!("{refusal:?}") };
    assert!(least > 33 << 20);

    for (memory, threads, table) in [
        (Some(least), 1, Some(0)),
        (Some(least), 3, Some(0)),
        (Some(least + (20 << 20)), 3, Some(0)),
        (Some(1 << 33), 2, Some(0)),
        (None, 3, Some(0)),
        (Some(least), 2, None),
        (None, 1, None),
    ] {
        let (ended, refusal, saved) = journaled(from, (memory, threads, table), |_| false);
        let case = format!("{memory:?} {threads} {table:?}");
        assert_eq!((ended.is_optimal(), refusal), (true, None), "{case}");
        assert_eq!(ended.lower_bound, whole.lower_bound, "{case}");
        let units_done = saved.first().unwrap().units_done();
        assert!(units_done > from.units_done(), "{case}: {units_done}");
        if table == Some(0) {
            let [ended, whole] = [&ended, &whole].map(|search| search.before_last_bound.unwrap());
            assert_eq!(
                (ended.expanded, ended.generated, ended.duplicates),
                (whole.expanded, whole.generated, whole.duplicates),
                "{case}"
            );
        }
    }
}

/// Parts with much slack have far more nodes than others: a short run has to finish some.
#[test]
fn parts_are_of_similar_size() {
    let begin = large_frontier();
    let (whole, _, snapshots) = journaled(&begin, (None, 1, Some(0)), |_| false);
    let counts = snapshots.iter().filter(|one| one.threshold == begin.threshold);
    let counts: Vec<u64> = counts.map(|one| one.counts().expanded).collect();
    let largest = counts.windows(2).map(|two| two[1] - two[0]).max().unwrap();
    let all = whole.before_last_bound.unwrap().expanded;
    assert!(counts.len() > 100 && largest < all / 50, "{largest} of {all}");
}

#[test]
fn a_thread_that_panics_ends_the_search() {
    let (start, solver) = fifteen();
    let save = |snapshot: &Snapshot| assert!(snapshot.units_done() < 2, "a test");
    let run = |is_aida: bool| {
        let journal = &Journal::new(None, &save, Duration::ZERO);
        let (limits, options) = (Limits::default(), FrontierOptions::default());
        match is_aida {
            true => solver.solve_from_frontier(&start, 3, &limits, options, Some(journal)),
            false => solver.solve_in_parts(&start, 3, &limits, journal),
        }
    };
    for is_aida in [false, true] {
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(is_aida)));
        assert!(ended.is_err());
    }
}

/// Whatever two processes save, in any order, the final snapshot has everything that both finished.
#[test]
fn a_snapshot_is_never_replaced_by_one_with_less_in_it() {
    let (start, solver) = fifteen();
    let snapshots = |is_aida: bool, threads: usize| {
        let saved = Mutex::new(vec![Snapshot::default()]);
        let save = |snapshot: &Snapshot| saved.lock().unwrap().push(snapshot.clone());
        let journal = &Journal::new(None, &save, Duration::from_millis(1));
        let options = FrontierOptions { table: Some(0), improves: false };
        let limits = Limits::default();
        match is_aida {
            true => solver.solve_from_frontier(&start, threads, &limits, options, Some(journal)),
            false => solver.solve_in_parts(&start, threads, &limits, journal),
        };
        saved.into_inner().unwrap()
    };
    for is_aida in [false, true] {
        let [one, other] = [1, 3].map(|threads| snapshots(is_aida, threads));
        assert!(one.len() > 3 && other.len() > 3, "{} {}", one.len(), other.len());
        for (a, b) in one.iter().flat_map(|a| other.iter().map(move |b| (a, b))) {
            let mut both = a.clone();
            both.unite(b.clone());
            for part in [a, b] {
                let progress = |one: &Snapshot| (one.threshold, one.counts().generated);
                assert!(progress(&both) >= progress(part), "{both:?} {part:?}");
                let mut again = both.clone();
                again.unite(part.clone());
                assert_eq!(again, both);
            }
            assert_eq!(both.fault(21, 201), None);
        }
    }
}

/// A thread that works alone, because the others have nothing to do, does not rest in their place.
#[test]
fn a_search_goes_on_while_some_of_its_threads_rest() {
    let (start, solver) = fifteen();
    let monitor = Arc::new(Monitor::default());
    monitor.rest(1);
    let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
    let expected = frontier(&solver, &start, 1, &Limits::default(), None).lower_bound;
    assert_eq!(frontier(&solver, &start, 2, &limits, None).lower_bound, expected);
    let plain = solver.solve(&start, 2, &limits).unwrap();
    assert_eq!((plain.is_optimal(), plain.lower_bound), (true, expected));
}
