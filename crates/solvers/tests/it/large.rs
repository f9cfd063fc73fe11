//! Boards of more than 16 cells.

use taquin_search::{Limits, Problem, Random};
use taquin_solvers::{FrontierOptions, Solver, SolverHeuristic, SolverOptions};
use taquin_tiles::packed::{Quints, Tiles};
use taquin_tiles::{
    Board, Costs, MoveOrder, NamedGoal, Puzzle, Size, read_board, replay, scramble,
};

use crate::{DEEPENING, facts, patterns};

#[test]
fn counts_and_solutions_are_the_kernels() {
    for (rows, cols, partition) in [
        (4, 5, "1.2.3.4/6.7.8/11.12"),
        (3, 6, "1.2.3.4.5/8.9"),
        (5, 5, "1.2.5.6/18.19.23.24/10"),
        (5, 5, "1.2.3.4/5.6.7.8/9.10.11.12"),
    ] {
        let size = Size::new(rows, cols).unwrap();
        for goal in NamedGoal::ALL.map(|goal| goal.board(size, 1)) {
            let estimate = patterns(&goal, partition);
            let SolverHeuristic::Patterns(tables) = &estimate else { unreachable!() };
            for order in ["ULRD", "RDUL"] {
                let moves: MoveOrder = order.parse().unwrap();
                let options = SolverOptions { moves, ..SolverOptions::default() };
                let solver = Solver::new(&goal, &estimate, options);
                let solver = solver.unwrap_or_else(|| panic!("{partition} for {goal}"));
                let mut random = Random::new(2);
                for _ in 0..2 {
                    let start = scramble::walk(&goal, 44, &mut random);
                    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
                    let space = Tiles::<Quints>::new(&puzzle, &Costs::Unit, moves);
                    let (state, limits) = (space.place(&start), Limits::default());
                    let expected = Problem::new(&space, &state)
                        .heuristic(&**tables)
                        .limits(&limits)
                        .deepening(&DEEPENING)
                        .run();
                    let quick = solver.solve(&start, 1, &limits).unwrap();
                    assert_eq!(
                        facts(&quick),
                        facts(&expected.map(Into::into)),
                        "{start} to {goal}"
                    );
                }
            }
        }
    }
}

/// Instances of 24-puzzles by their numbers: the optimum, the published count and the board.
fn instances(file: &str, ids: &[u64]) -> Vec<(u64, u64, Board)> {
    let path = format!("{}/../lab/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let instance = |line: &str| {
        let (numbers, board) = line.split_once('|').unwrap();
        let numbers: Vec<u64> = numbers.split_whitespace().map(|n| n.parse().unwrap()).collect();
        let board = read_board(board, Some(Size::new(5, 5).unwrap())).unwrap();
        let is_wanted = ids.is_empty() || ids.contains(&numbers[0]);
        is_wanted.then_some((numbers[2], numbers[3], board))
    };
    lines.filter_map(instance).collect()
}

fn with_6_6_6_6() -> (Board, SolverHeuristic) {
    let goal = NamedGoal::First.board(Size::new(5, 5).unwrap(), 1);
    let estimate = patterns(&goal, "6-6-6-6");
    (goal, estimate)
}

/// Solves instances of Korf and Felner's, with the counts that they published.
fn check(goal: &Board, estimate: &SolverHeuristic, ids: &[u64]) {
    let solver = Solver::new(goal, estimate, SolverOptions::default()).unwrap();
    for (optimum, published, start) in instances("korf24_50.txt", ids) {
        let search = solver.solve(&start, 2, &Limits::default()).unwrap();
        assert_eq!(u64::from(search.solution().unwrap().cost), optimum, "{start}");
        assert!(search.is_optimal());
        assert_eq!(search.counts.generated, published, "{start}");
    }
}

#[test]
fn moderate_instances_and_one_of_korfs_are_solved_as_published() {
    let (goal, estimate) = with_6_6_6_6();
    check(&goal, &estimate, &[38]);
    let options = SolverOptions { prune: 8, ..SolverOptions::default() };
    let pruning = Solver::new(&goal, &estimate, options).unwrap();
    let plain = Solver::new(&goal, &estimate, SolverOptions::default()).unwrap();
    for (optimum, _, start) in instances("yama24_50.txt", &[]) {
        let search = plain.solve(&start, 1, &Limits::default()).unwrap();
        let solution = search.solution().unwrap();
        assert_eq!(u64::from(solution.cost), optimum, "{start}");
        assert_eq!(&replay(&start, &solution.actions).unwrap(), &goal);
        let fewer = pruning.solve(&start, 2, &Limits::default()).unwrap();
        assert_eq!(fewer.solution(), Some(solution), "{start}");
        assert!(fewer.counts.generated <= search.counts.generated, "{start}");
        for solver in [&plain, &pruning] {
            let search = solver
                .solve_from_frontier(
                    &start,
                    2,
                    &Limits::default(),
                    FrontierOptions::default(),
                    None,
                )
                .unwrap();
            assert!(search.is_optimal(), "{start}");
            assert_eq!(search.lower_bound, solution.cost, "{start}");
            assert_eq!(&replay(&start, &search.solution().unwrap().actions).unwrap(), &goal);
        }
    }
}

#[test]
#[ignore = "three billion nodes with large tables: minutes"]
fn instances_of_korfs_take_the_published_nodes() {
    let (goal, estimate) = with_6_6_6_6();
    check(&goal, &estimate, &[38, 40, 25, 32, 1]);
}

#[test]
#[ignore = "fifty moderate instances with every depth of pruning up to 16: two minutes"]
fn moderate_instances_have_the_same_lengths_with_every_depth_of_pruning() {
    let (goal, estimate) = with_6_6_6_6();
    for prune in 2..=16 {
        let options = SolverOptions { prune, ..SolverOptions::default() };
        let solver = Solver::new(&goal, &estimate, options).unwrap();
        for (optimum, _, start) in instances("yama24_50.txt", &[]) {
            let limits = Limits::default();
            let table = |table| FrontierOptions { table, ..FrontierOptions::default() };
            for search in [
                solver.solve(&start, 2, &limits),
                solver.solve_from_frontier(&start, 2, &limits, table(None), None),
                solver.solve_from_frontier(&start, 2, &limits, table(Some(0)), None),
            ] {
                let search = search.unwrap();
                let solution = search.solution().unwrap();
                assert_eq!(u64::from(solution.cost), optimum, "{start}, {prune}");
                assert!(search.is_optimal(), "{start}, {prune}");
                assert_eq!(replay(&start, &solution.actions).unwrap(), goal, "{start}, {prune}");
            }
        }
    }
}
