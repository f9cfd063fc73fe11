//! IDA* below a frontier compared with plain IDA*.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use taquin_fast::{
    Checkpointing, FrontierOptions, Snapshot, Solver, SolverHeuristic, SolverOptions,
};
use taquin_search::{Limits, Monitor, Outcome, Random, Search, Stop};
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
    let goal = NamedGoal::Last.board(Size::new(4, 4).unwrap(), 1);
    let estimate = patterns(&goal, "1.2.3/4.5.6/7.8.9");
    let start = scramble::uniform(&goal, &mut Random::new(6));
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

/// Cancels a search again and again, each time after more parts, and resumes it from the saved progress
/// on another number of threads.
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
            let journal = Some(Checkpointing { from, save: &save, every: Duration::ZERO });
            let threads = 1 + interruptions % 3;
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

/// A frontier that no longer fits the memory is made smaller, and its parts are searched again.
#[test]
fn a_search_is_resumed_with_less_memory() {
    let (start, solver) = fifteen();
    let expected = frontier(&solver, &start, 1, &Limits::default(), Some(0)).lower_bound;
    let options = FrontierOptions { table: Some(0), ..FrontierOptions::default() };
    let kept: Mutex<Option<Snapshot>> = Mutex::new(None);
    let monitor = Arc::new(Monitor::default());
    let save = |snapshot: &Snapshot| {
        *kept.lock().unwrap() = Some(snapshot.clone());
        if snapshot.threshold + 2 >= expected && snapshot.counts() != snapshot.before {
            monitor.cancel();
        }
    };
    let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
    let journal = Some(Checkpointing { from: None, save: &save, every: Duration::ZERO });
    let stopped = solver.solve_from_frontier(&start, 1, &limits, options, journal).unwrap();
    assert_eq!(stopped.outcome, Outcome::Stopped(Stop::Cancelled));
    let from = kept.lock().unwrap().clone();
    let limits = Limits { memory: Some(33 << 20), ..Limits::default() };
    let journal = Some(Checkpointing { from, save: &|_| (), every: Duration::ZERO });
    let ended = solver.solve_from_frontier(&start, 1, &limits, options, journal).unwrap();
    assert!(ended.is_optimal());
    assert_eq!(ended.lower_bound, expected);
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
