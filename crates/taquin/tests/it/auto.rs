//! `auto` is never worse than a method that the user could have named.

use std::time::{Duration, Instant};

use crate::start;
use taquin::{
    Board, Costs, Ending, Monitor, NamedGoal, Puzzle, Random, Report, Session, Size, Task,
    TaskLimits, Watch, replay, scramble,
};

/// A 15-puzzle of 80 moves, and one of 62 for which the smallest databases are too weak.
const FAR: &str = "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1";
const LONG: &str = "4 15 14 1/12 5 9 8/11 10 2 6/3 7 13 0";

fn random(rows: usize, cols: usize, blanks: usize, seed: u64) -> Puzzle {
    let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), blanks);
    Puzzle::new(scramble::uniform(&goal, &mut Random::new(seed)), goal).unwrap()
}

fn task(start: &str) -> Task {
    start.parse::<Board>().unwrap().into()
}

/// Solves a task, checks the answer, and returns the report.
fn solve(task: &Task) -> Report {
    let report = Session::without_folder().run(task, Watch::default());
    assert_eq!(report.outcome, Ending::Solved, "{:?}: {:?}", report.reason, task.limits);
    let moves = report.moves.as_ref().unwrap();
    assert_eq!(replay(task.puzzle.start(), moves).as_ref(), Ok(task.puzzle.goal()));
    assert!(report.lower_bound <= report.cost);
    assert_eq!(report.optimal, report.lower_bound == report.cost);
    assert!(report.improvements.is_sorted_by(|a, b| a.cost > b.cost));
    report
}

fn limited(puzzle: Puzzle, limits: TaskLimits) -> Report {
    solve(&Task { limits, ..Task::new(puzzle, "auto".parse().unwrap()) })
}

#[test]
fn every_board_has_an_answer_within_any_limit() {
    let boards = || {
        let sizes = [(3, 3, 1), (4, 4, 1), (3, 5, 2), (5, 5, 1), (6, 6, 1), (1, 9, 4), (20, 30, 1)];
        sizes.into_iter().map(|(rows, cols, blanks)| random(rows, cols, blanks, 21))
    };
    for puzzle in boards() {
        for seconds in [0.0, 0.001, 0.02] {
            limited(puzzle.clone(), TaskLimits { seconds: Some(seconds), ..TaskLimits::default() });
        }
        for nodes in [0, 1, 10, 100] {
            let limits = TaskLimits { expanded: Some(nodes), ..TaskLimits::default() };
            let report = limited(puzzle.clone(), limits);
            assert!(report.counts.expanded <= nodes, "{nodes}: {:?}", report.counts);
            let limits = TaskLimits { generated: Some(nodes), ..TaskLimits::default() };
            let report = limited(puzzle.clone(), limits);
            // The last expansion is completed.
            assert!(report.counts.generated < nodes + 8, "{nodes}: {:?}", report.counts);
        }
        let (memory, seconds) = (Some(1_000), Some(0.05));
        limited(puzzle.clone(), TaskLimits { memory, seconds, ..TaskLimits::default() });
    }
}

#[test]
fn the_answer_to_a_limit_on_nodes_does_not_depend_on_the_clock() {
    for (rows, cols, blanks) in [(4, 4, 1), (3, 5, 2), (6, 6, 1)] {
        let run = || {
            let limits = TaskLimits { expanded: Some(100_000), ..TaskLimits::default() };
            let report = limited(random(rows, cols, blanks, 3), limits);
            (report.moves, report.lower_bound, report.counts)
        };
        assert_eq!(run(), run());
    }
}

/// Runs a task until its monitor reaches the wanted state, however busy the machine is.
fn until(mut task: Task, wanted: impl Fn(&Monitor) -> bool) -> Report {
    task.limits.seconds = Some(600.0);
    let (monitor, job) = start(task);
    while !wanted(&monitor) && !job.is_finished() {
        std::thread::sleep(Duration::from_millis(5));
    }
    monitor.cancel();
    job.join().unwrap()
}

#[test]
fn hard_boards_have_good_answers_and_use_the_time() {
    let mut task = task(FAR);
    task.threads = 2;
    // Layers alone would need more than a hundred moves.
    let is_good = |monitor: &Monitor| monitor.known().best.is_some_and(|best| best.cost <= 90);
    let report = until(task.clone(), is_good);
    assert!(report.cost.unwrap() <= 90, "{:?}", report.improvements);
    task.limits.seconds = Some(1.0);
    let report = solve(&task);
    assert!(report.optimal || report.seconds >= 0.99, "{}", report.seconds);
    // The same by nodes.
    let limits = TaskLimits { expanded: Some(1_000_000), ..TaskLimits::default() };
    let report = limited(task.puzzle, limits);
    assert!(report.cost.unwrap() <= 82, "{:?}", report.improvements);
    assert!(report.lower_bound.unwrap() >= 60, "{:?}", report.lower_bound);
    assert!(report.stages.len() > 2, "{:?}", report.stages);
}

#[test]
fn answers_and_bounds_are_joined_into_proofs() {
    for threads in [1, 2, 3] {
        let mut task = task(LONG);
        // It ends with the proof, however busy the machine is.
        task.limits.seconds = Some(6_000.0);
        task.threads = threads;
        let report = solve(&task);
        assert_eq!((report.cost, report.optimal), (Some(62), true), "{threads} threads");
    }
}

/// In a batch, each board has one thread, and databases are loaded once for all.
#[test]
fn one_thread_proves_before_it_looks_for_better_answers() {
    let session = Session::without_folder();
    let loads = Task { method: "ida:pdb=6-6-3".parse().unwrap(), ..task(LONG) };
    session.prepare(&loads, &Monitor::default(), &mut |_| ()).unwrap();
    let limits = TaskLimits { seconds: Some(1e6), ..TaskLimits::default() };
    let report = session.run(&Task { limits, ..task(LONG) }, Watch::default());
    assert_eq!((report.cost, report.optimal), (Some(62), true));
    let methods: Vec<String> = report.stages.iter().map(|stage| stage.method.to_string()).collect();
    assert_eq!(methods, ["layers", "ida:pdb=6-6-3,prune=6"]);
}

#[test]
fn other_costs_and_other_boards_are_improved_too() {
    for (puzzle, cost) in [
        (random(4, 4, 1, 5), Costs::Tile),
        (random(3, 5, 2, 5), Costs::Unit),
        (random(6, 6, 1, 5), Costs::Unit),
    ] {
        for threads in [1, 2] {
            let mut task = Task::new(puzzle.clone(), "auto".parse().unwrap());
            (task.cost, task.threads) = (cost.clone(), threads);
            let report = until(task, |monitor| monitor.improvements(0).len() > 1);
            assert!(report.improvements.len() > 1, "{:?}", report.improvements);
        }
    }
}

#[test]
fn cancelling_is_answered_at_once_also_during_builds() {
    // The first databases of a 24-puzzle take a second.
    for (rows, cols) in [(4, 4), (5, 5)] {
        let mut task = Task::new(random(rows, cols, 1, 7), "auto".parse().unwrap());
        task.threads = 2;
        task.limits.seconds = Some(600.0);
        let (monitor, job) = start(task);
        while monitor.known().best.is_none() {
            assert!(!job.is_finished());
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(20));
        let asked = Instant::now();
        monitor.cancel();
        let report = job.join().unwrap();
        assert_eq!(report.outcome, Ending::Solved);
        assert!(asked.elapsed() < Duration::from_secs(30), "{:?}", asked.elapsed());
    }
}

#[test]
#[ignore = "takes ten seconds or more"]
fn the_hardest_boards_are_proven_by_larger_databases() {
    let mut task = task(FAR);
    task.limits.seconds = Some(120.0);
    task.threads = 2;
    let report = solve(&task);
    assert_eq!((report.cost, report.optimal), (Some(80), true));
    assert!(report.notes.iter().any(|note| note.starts_with("built the databases 5-5-5 and")));
}

#[test]
#[ignore = "builds the tables of the 24-puzzle: half a minute and 0.5 GiB"]
fn the_24_puzzle_is_proven_by_aida() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../lab/data/korf24_50.txt");
    let text = std::fs::read_to_string(data).unwrap();
    let size = Size::new(5, 5).unwrap();
    let goal = NamedGoal::First.board(size, 1);
    let session = Session::without_folder();
    for (id, optimum) in [("38 ", 96), ("40 ", 82)] {
        let line = text.lines().find(|line| line.trim_start().starts_with(id)).unwrap();
        let start = taquin::read_board(line.split_once('|').unwrap().1, Some(size)).unwrap();
        let puzzle = Puzzle::new(start, goal.clone()).unwrap();
        for threads in [1, 2, 3] {
            let aida = Task::new(puzzle.clone(), "aida:zpdb=6-6-6-6".parse().unwrap());
            session.prepare(&aida, &Monitor::default(), &mut |_| ()).unwrap();
            let mut task = Task::new(puzzle.clone(), "auto".parse().unwrap());
            task.limits.seconds = Some(600.0);
            // A third of it is for building the tables.
            task.limits.memory = Some(2 << 30);
            task.threads = threads;
            let report = session.run(&task, Watch::default());
            assert_eq!((report.cost, report.optimal), (Some(optimum), true), "{threads} threads");
            let is_aida = |stage: &taquin::Stage| stage.method.to_string() == "aida:zpdb=6-6-6-6";
            let proof = report.stages.iter().rfind(|stage| is_aida(stage)).unwrap();
            assert!(proof.counts.memory_peak <= (2 << 30) / 3, "{:?}", proof.counts);
        }
    }
}
