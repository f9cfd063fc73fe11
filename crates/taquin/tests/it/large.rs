//! Boards of any size get an answer, which is made better until the limit.

use std::time::{Duration, Instant};

use crate::start;
use taquin::{
    Board, Costs, Ending, NamedGoal, Puzzle, Random, Reason, Report, Session, Size, Task,
    TaskLimits, Watch, replay, scramble,
};

fn puzzle(rows: usize, cols: usize, blanks: usize, seed: u64) -> Puzzle {
    let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), blanks);
    Puzzle::new(scramble::uniform(&goal, &mut Random::new(seed)), goal).unwrap()
}

fn solve(puzzle: Puzzle, method: &str, limits: TaskLimits) -> Report {
    let task = Task { limits, ..Task::new(puzzle, method.parse().unwrap()) };
    let report = Session::without_folder().run(&task, Watch::default());
    assert_eq!(report.outcome, Ending::Solved, "{:?}", report.reason);
    assert_eq!(
        replay(task.puzzle.start(), report.moves.as_ref().unwrap()).as_ref(),
        Ok(task.puzzle.goal())
    );
    assert!(report.lower_bound <= report.cost);
    report
}

fn nodes(expanded: u64) -> TaskLimits {
    TaskLimits { expanded: Some(expanded), ..TaskLimits::default() }
}

#[test]
fn layers_answers_without_a_search() {
    for (rows, cols, blanks) in [(4, 4, 1), (7, 3, 2), (1, 9, 4), (9, 1, 1), (30, 20, 1)] {
        let report = solve(puzzle(rows, cols, blanks, 1), "layers", nodes(0));
        assert_eq!(report.counts.expanded, 0);
        assert_eq!(report.improvements.len(), 1);
        // On a line each tile goes straight to its place.
        assert!(report.optimal || (rows > 1 && cols > 1));
    }
}

#[test]
fn what_is_solved_needs_no_moves() {
    let goal = NamedGoal::Snail.board(Size::new(6, 6).unwrap(), 1);
    for method in ["layers", "anytime", "auto"] {
        let report = solve(Puzzle::new(goal.clone(), goal.clone()).unwrap(), method, nodes(1000));
        assert_eq!((report.depth, report.optimal), (Some(0), true), "{method}");
    }
}

#[test]
fn anytime_is_determined_by_its_seed_and_its_nodes() {
    let run = |method: &str| {
        let report = solve(puzzle(8, 8, 1, 3), method, nodes(200_000));
        let lengths: Vec<u64> = report.improvements.iter().map(|better| better.depth).collect();
        assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
        assert!(lengths.len() > 1 && lengths.last().copied() == report.depth, "{lengths:?}");
        assert!(report.counts.expanded <= 200_000);
        (report.moves, lengths, report.counts)
    };
    assert_eq!(run("anytime"), run("anytime"));
    assert_eq!(run("anytime"), run("anytime,seed=0"));
}

#[test]
fn anytime_proves_small_boards() {
    let report = solve(puzzle(3, 3, 1, 5), "anytime", TaskLimits::default());
    assert!(report.optimal);
    let best = solve(puzzle(3, 3, 1, 5), "astar:linear", TaskLimits::default());
    assert_eq!(report.cost, best.cost);
}

#[test]
fn other_costs_are_paid_and_bounded() {
    for method in ["layers", "anytime", "auto"] {
        let mut task = Task::new(puzzle(5, 6, 1, 2), method.parse().unwrap());
        task.cost = Costs::Tile;
        task.limits = nodes(50_000);
        let report = Session::without_folder().run(&task, Watch::default());
        let mut board = task.puzzle.start().clone();
        let paid = report
            .moves
            .clone()
            .unwrap()
            .into_iter()
            .map(|slide| u32::from(board.slide(slide).unwrap()));
        assert_eq!(report.cost, Some(paid.sum()), "{method}");
        assert!(report.lower_bound.unwrap() <= report.cost.unwrap(), "{method}");
        assert!(report.improvements.is_sorted_by(|a, b| a.cost > b.cost), "{method}");
    }
}

#[test]
fn a_limit_or_an_interruption_leaves_the_best_answer() {
    let limits = TaskLimits { seconds: Some(0.3), ..TaskLimits::default() };
    let started = Instant::now();
    for method in ["anytime", "auto"] {
        let report = solve(puzzle(10, 10, 1, 4), method, limits.clone());
        assert!(report.improvements.len() > 1, "{method}");
    }
    assert!(started.elapsed() < Duration::from_secs(60));
    // A search in another thread is watched and stopped.
    for method in ["anytime", "auto"] {
        let task = Task::new(puzzle(10, 10, 1, 4), method.parse().unwrap());
        let (monitor, job) = start(task);
        while monitor.improvements(0).len() < 2 {
            assert!(!job.is_finished());
            std::thread::sleep(Duration::from_millis(5));
        }
        let (known, asked) = (monitor.improvements(1), Instant::now());
        monitor.cancel();
        let report = job.join().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(60), "{method}");
        assert_eq!(report.outcome, Ending::Solved, "{method}");
        assert!(report.improvements[1..].starts_with(&known), "{method}");
    }
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let board: Board =
        "1 2 3 4 5/6 7 8 9 10/11 12 13 14 15/16 17 18 19 20/21 22 24 23 0".parse().unwrap();
    let goal = NamedGoal::Last.board(board.size(), 1);
    for method in ["layers", "anytime"] {
        let puzzle = Puzzle::new(board.clone(), goal.clone()).unwrap();
        let mut task = Task::new(puzzle, method.parse().unwrap());
        let report = Session::without_folder().run(&task, Watch::default());
        assert_eq!((report.outcome, report.reason), (Ending::Unsolvable, Some(Reason::Parity)));
        task.search_anyway = true;
        // Layers is no search: there is nothing to exhaust.
        let ending = if method == "layers" { Ending::Unsolvable } else { Ending::Exhausted };
        let report = Session::without_folder().run(&task, Watch::default());
        assert_eq!(report.outcome, ending, "{method}");
    }
}

#[test]
fn memory_is_kept_to() {
    let limits = TaskLimits { memory: Some(8_000_000), ..nodes(1_000_000) };
    let report = solve(puzzle(7, 7, 1, 6), "anytime", limits);
    assert!(report.counts.memory_peak <= 8_000_000 && report.improvements.len() > 1);
    let limits = TaskLimits { memory: Some(1_000), ..TaskLimits::default() };
    let task = Task { limits, ..Task::new(puzzle(7, 7, 1, 6), "anytime".parse().unwrap()) };
    assert_eq!(Session::without_folder().run(&task, Watch::default()).reason, Some(Reason::Memory));
}

/// With little memory the weights and the beam end early, but the search does not.
#[test]
fn with_little_memory_the_time_is_used() {
    for (memory, size) in [(3_000_000, 5), (20_000_000, 6)] {
        let limits =
            TaskLimits { memory: Some(memory), seconds: Some(1.0), ..TaskLimits::default() };
        let report = solve(puzzle(size, size, 1, 2), "anytime", limits);
        assert!(report.counts.memory_peak <= memory && !report.optimal, "{report:?}");
        assert!(report.seconds >= 0.99, "{memory}: {} s", report.seconds);
    }
}

#[test]
fn falling_weights_come_before_the_beam_and_may_prove_the_shortest() {
    // So near to the goal that the last weight ends: a beam search proves nothing.
    let goal = NamedGoal::Last.board(Size::new(5, 5).unwrap(), 1);
    let start = scramble::walk(&goal, 44, &mut Random::new(4));
    let near = solve(Puzzle::new(start, goal).unwrap(), "anytime", nodes(2_000_000));
    assert!(near.optimal && near.lower_bound > Some(near.improvements[0].lower_bound), "{near:?}");
    // On a random board the first weights quickly improve the constructed answer, each by some.
    let lengths = |most| {
        let report = solve(puzzle(5, 5, 1, 2), "anytime", nodes(most));
        assert!(report.counts.expanded <= most);
        report.improvements.iter().map(|better| better.depth).collect::<Vec<_>>()
    };
    let few = lengths(400_000);
    assert!(few.len() > 2, "{few:?}");
    assert_eq!(lengths(400_000), few);
}
