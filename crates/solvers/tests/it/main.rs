//! Compares the specialised engines with the kernel's, which define the counts, and with published
//! counts.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod aida;
mod checkpoint;
mod large;
mod layers;
mod segments;
mod shares;

use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_search::{
    Cutoff, Deepening, Limits, Monitor, Outcome, Problem, Random, Search, Stop, Undo,
};
use taquin_solvers::{Solver, SolverHeuristic, SolverOptions};
use taquin_tables::{Builder, Partition, Pattern, Patterns, Reflection};
use taquin_tiles::packed::{Nibbles, Tiles};
use taquin_tiles::{
    Additive, Board, Costs, Measure, MoveOrder, NamedGoal, Puzzle, Size, Slide, read_board, replay,
    scramble,
};

const DEEPENING: Deepening = Deepening { by_depth: false, undo: Undo::Skip, cutoff: Cutoff::After };

/// The same search by the kernel's engine.
fn kernel(
    start: &Board,
    goal: &Board,
    estimate: &SolverHeuristic,
    moves: MoveOrder,
) -> Search<Slide> {
    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
    let space = Tiles::<Nibbles>::new(&puzzle, &Costs::Unit, moves);
    let (state, limits) = (space.place(start), Limits::default());
    let search = match estimate {
        SolverHeuristic::Patterns(patterns) => Problem::new(&space, &state)
            .heuristic(&**patterns)
            .limits(&limits)
            .deepening(&DEEPENING)
            .run(),
        SolverHeuristic::ZeroAware(partitions) => Problem::new(&space, &state)
            .heuristic(&*partitions[0])
            .limits(&limits)
            .deepening(&DEEPENING)
            .run(),
        _ => {
            let manhattan = Additive::new(Measure::Manhattan, &puzzle, &Costs::Unit);
            Problem::new(&space, &state)
                .heuristic(&manhattan)
                .limits(&limits)
                .deepening(&DEEPENING)
                .run()
        }
    };
    search.map(Into::into)
}

fn patterns(goal: &Board, partition: &str) -> SolverHeuristic {
    let partition: Partition = partition.parse().unwrap();
    let build = |pattern| {
        let builder = Builder::new(pattern, 1 << 30).unwrap();
        Arc::new(builder.build(&Monitor::default(), &mut |_| ()).unwrap())
    };
    let databases = partition.patterns(goal).unwrap().into_iter().map(build).collect();
    let reflection = Reflection::of(goal);
    SolverHeuristic::Patterns(Arc::new(
        Patterns::new(goal, databases, reflection.as_ref()).unwrap(),
    ))
}

/// The zero-aware databases of some partitions.
fn zero_aware(goal: &Board, partitions: &[&str]) -> SolverHeuristic {
    let reflection = Reflection::of(goal);
    let build = |pattern: Pattern| {
        let builder = Builder::new(pattern, 1 << 30).unwrap();
        Arc::new(builder.build(&Monitor::default(), &mut |_| ()).unwrap())
    };
    let make = |text: &&str| {
        let patterns = text.parse::<Partition>().unwrap().patterns(goal).unwrap();
        let databases = patterns.into_iter().map(build).collect();
        Arc::new(Patterns::new(goal, databases, reflection.as_ref()).unwrap())
    };
    SolverHeuristic::ZeroAware(partitions.iter().map(make).collect())
}

/// The results that both engines have to agree on.
fn facts(search: &Search<Slide>) -> (&Outcome<Slide>, u32, [u64; 5]) {
    let (counts, before) = (search.counts, search.before_last_bound.unwrap());
    let counts = [
        counts.expanded,
        counts.generated,
        counts.frontier_peak,
        before.expanded,
        before.generated,
    ];
    (&search.outcome, search.lower_bound, counts)
}

#[test]
fn counts_and_solutions_are_the_kernels() {
    let some = ["ULRD", "DRLU", "LRUD", "RDUL"].map(|order| order.parse::<MoveOrder>().unwrap());
    let letters = ['U', 'L', 'R', 'D'];
    let words = (0..256).map(|n| [n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6].map(|at| letters[at]));
    let all: Vec<MoveOrder> =
        words.filter_map(|word| word.iter().collect::<String>().parse().ok()).collect();
    assert_eq!(all.len(), 24);
    for (rows, cols, walk) in
        [(2, 2, 9), (2, 3, 30), (3, 3, 60), (2, 5, 30), (3, 4, 40), (4, 4, 40)]
    {
        let size = Size::new(rows, cols).unwrap();
        let mut goals: Vec<Board> = NamedGoal::ALL.map(|goal| goal.board(size, 1)).to_vec();
        goals.push(scramble::uniform(&goals[0], &mut Random::new(4)));
        for goal in &goals {
            let mut estimates = vec![SolverHeuristic::Manhattan];
            if size.cells() == 9 {
                estimates.push(patterns(goal, "1.2.3.4/5.6.7.8"));
                estimates.push(zero_aware(goal, &["1.2.3.4/5.6.7.8"]));
            }
            for estimate in &estimates {
                let orders = if size.cells() == 9 { &all[..] } else { &some };
                for &moves in orders {
                    let options = SolverOptions { moves, ..SolverOptions::default() };
                    let solver = Solver::new(goal, estimate, options).unwrap();
                    let mut random = Random::new(1);
                    for _ in 0..8 {
                        let start = scramble::walk(goal, walk, &mut random);
                        let quick = solver.solve(&start, 1, &Limits::default()).unwrap();
                        let expected = kernel(&start, goal, estimate, moves);
                        assert_eq!(facts(&quick), facts(&expected), "{start} to {goal}, {moves}");
                    }
                }
            }
        }
    }
}

/// Korf's instances: the optimum, the nodes, the expanded ones and those in all thresholds but the
/// last, and the board.
fn korf() -> Vec<([u64; 4], Board)> {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../lab/data/korf100.txt"));
    let instance = |line: &str| {
        let (numbers, board) = line.split_once('|').unwrap();
        let numbers: Vec<u64> = numbers.split_whitespace().map(|n| n.parse().unwrap()).collect();
        let board = read_board(board, Some(Size::new(4, 4).unwrap())).unwrap();
        ([numbers[2], numbers[4], numbers[5], numbers[6]], board)
    };
    text.unwrap().lines().filter(|line| !line.starts_with('#')).map(instance).collect()
}

fn check_korf(most: u64) {
    let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
    let solver = Solver::new(&goal, &SolverHeuristic::Manhattan, SolverOptions::default()).unwrap();
    let mut checked = 0;
    for ([optimum, nodes, expanded, complete], start) in korf() {
        if nodes > most {
            continue;
        }
        let search = solver.solve(&start, 1, &Limits::default()).unwrap();
        assert_eq!(u64::from(search.solution().unwrap().cost), optimum, "{start}");
        assert!(search.is_optimal(), "{start}");
        let before = search.before_last_bound.unwrap();
        let counts = [search.counts.generated + 1, search.counts.expanded, before.generated];
        assert_eq!(counts, [nodes, expanded, complete], "{start}");
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
}

#[test]
fn korfs_instances_take_the_published_nodes() {
    check_korf(10_000_000);
}

#[test]
#[ignore = "36 billion nodes: minutes"]
fn all_of_korfs_instances_take_the_published_nodes() {
    check_korf(u64::MAX);
}

#[test]
fn pruning_finds_the_same_solution_with_fewer_nodes() {
    let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
    let estimate = patterns(&goal, "5-5-5");
    let solve = |prune, threads| {
        let options = SolverOptions { prune, ..SolverOptions::default() };
        let solver = Solver::new(&goal, &estimate, options).unwrap();
        let each = |(numbers, start): &([u64; 4], Board)| {
            let search = solver.solve(start, threads, &Limits::default()).unwrap();
            let solution = search.solution().unwrap();
            assert_eq!(replay(start, &solution.actions).unwrap(), goal);
            assert_eq!(u64::from(solution.cost), numbers[0]);
            (solution.actions.clone(), search.counts.generated)
        };
        korf().iter().step_by(9).map(each).collect::<Vec<_>>()
    };
    let (usual, pruned, shared) = (solve(2, 1), solve(8, 1), solve(2, 2));
    let nodes = |runs: &[(Vec<Slide>, u64)]| runs.iter().map(|run| run.1).sum::<u64>();
    assert!(usual.iter().zip(&pruned).all(|(a, b)| a.0 == b.0));
    assert!(nodes(&pruned) < nodes(&usual), "{} {}", nodes(&pruned), nodes(&usual));
    assert_eq!(usual, shared, "threads change nothing");
}

#[test]
fn all_shortest_solutions_are_listed_once() {
    let goal = NamedGoal::Last.board(Size::new(3, 3).unwrap(), 1);
    let solver = Solver::new(&goal, &SolverHeuristic::Manhattan, SolverOptions::default()).unwrap();
    let start: Board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    let list = |most: usize| {
        let mut found = Vec::new();
        let each = |slides: &[Slide]| {
            found.push(slides.to_vec());
            if found.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        solver.solve_all(&start, 1, &Limits::default(), each).unwrap();
        found
    };
    // All paths of 31 moves, counted from the goal by depth.
    let (all, some) = (list(usize::MAX), list(3));
    assert_eq!(all.len(), 40);
    assert_eq!(some, all[..3]);
    for slides in &all {
        assert_eq!((slides.len(), replay(&start, slides).unwrap()), (31, goal.clone()));
    }
    let mut distinct: Vec<String> = all.iter().map(|slides| format!("{slides:?}")).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn limits_end_a_search() {
    let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
    let hard: Board = "15 10 8 12/11 14 9 13/2 6 5 1/3 7 4 0".parse().unwrap();
    let solver = Solver::new(&goal, &SolverHeuristic::Manhattan, SolverOptions::default()).unwrap();
    let time = Some(std::time::Duration::from_millis(50));
    let search = solver.solve(&hard, 1, &Limits { time, ..Limits::default() }).unwrap();
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Time));
    assert!((40..80).contains(&search.lower_bound), "{}", search.lower_bound);
    let expanded = Some(12_345);
    let search = solver.solve(&hard, 1, &Limits { expanded, ..Limits::default() }).unwrap();
    assert_eq!(
        (search.outcome, search.counts.expanded),
        (Outcome::Stopped(Stop::Expanded), 12_345)
    );
}

/// Limits end a listing before its first solution, between two solutions and after the last.
#[test]
fn limits_end_a_listing() {
    let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
    let hard: Board = "15 10 8 12/11 14 9 13/2 6 5 1/3 7 4 0".parse().unwrap();
    for (heuristic, threads) in
        [SolverHeuristic::Manhattan, patterns(&goal, "1.4.5/2.3.6")].iter().zip([1, 2])
    {
        let solver = Solver::new(&goal, heuristic, SolverOptions::default()).unwrap();
        let stop = |start: &Board, limits: &Limits, each: &mut dyn FnMut()| {
            let each = |_: &[Slide]| {
                each();
                ControlFlow::Continue(())
            };
            let search = solver.solve_all(start, threads, limits, each).unwrap();
            let Outcome::Stopped(stop) = search.outcome else { panic!("{:?}", search.outcome) };
            (stop, search.counts.expanded)
        };
        let none = &mut || panic!("no solution is that short");
        let time = Some(std::time::Duration::from_millis(50));
        assert_eq!(stop(&hard, &Limits { time, ..Limits::default() }, none).0, Stop::Time);
        let expanded = Some(123_456);
        let stopped = stop(&hard, &Limits { expanded, ..Limits::default() }, none);
        assert_eq!(stopped, (Stop::Expanded, 123_456));
        let monitor: Arc<Monitor> = Arc::default();
        let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while monitor.progress().expanded == 0 {
                    std::thread::yield_now();
                }
                monitor.cancel();
            });
            assert_eq!(stop(&hard, &limits, none).0, Stop::Cancelled);
        });

        // Korf's instance 12 has several shortest solutions; the listing is cancelled at the first.
        let (_, start) = &korf()[11];
        let monitor: Arc<Monitor> = Arc::default();
        let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
        assert_eq!(stop(start, &limits, &mut || monitor.cancel()).0, Stop::Cancelled);
    }
}

#[test]
fn the_parts_of_a_tree_keep_to_the_memory() {
    const MEMORY: u64 = 3_000_000;
    let goal = NamedGoal::Last.board(Size::new(4, 4).unwrap(), 1);
    let start: Board = "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1".parse().unwrap();
    let estimate = patterns(&goal, "1.2.5.6/3.4.7.8");
    let solver = Solver::new(&goal, &estimate, SolverOptions::default()).unwrap();
    let [free, limited] = [None, Some(MEMORY)].map(|memory| {
        let limits = Limits { memory, generated: Some(20_000_000), ..Limits::default() };
        let search = solver.solve(&start, 2, &limits).unwrap();
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Generated));
        search.counts.memory_peak
    });
    assert!(limited <= MEMORY && free > 3 * MEMORY, "{limited} and {free} bytes");
}
