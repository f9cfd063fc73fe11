//! The engine that counts segments, compared with tables of whole spaces and with A*.

use std::sync::Arc;

use taquin_search::{Counts, Limits, Monitor, Outcome, Policy, Problem, Random, StateSpace};
use taquin_solvers::SegmentSolver;
use taquin_tables::whole::{Explorer, Metric, SpaceTable};
use taquin_tables::{Perimeter, Walking};
use taquin_tiles::packed::{Nibbles, Segments};
use taquin_tiles::{Board, MoveOrder, NamedGoal, Notation, Puzzle, Slide, read_moves, replay};

fn goal(size: &str, named: NamedGoal) -> Board {
    named.board(size.parse().unwrap(), 1)
}

fn solver(goal: &Board, memory: u64) -> SegmentSolver {
    let perimeter = Perimeter::new(goal, memory, &Monitor::default()).unwrap().unwrap();
    assert!(perimeter.bytes() <= memory);
    let walking = Walking::of_segments(goal, 1 << 20);
    SegmentSolver::new(Arc::new(perimeter), Arc::new(walking)).unwrap()
}

fn table(goal: &Board) -> SpaceTable {
    let mut explorer = Explorer::for_table(goal, Metric::Multi, 1 << 32).unwrap();
    while explorer.advance(&Monitor::default()).unwrap() {}
    explorer.into_table().unwrap()
}

/// Counts the segments: single moves along one line, one after the other, are one.
fn segments(slides: &[Slide], board: &Board) -> u64 {
    let size = board.size();
    let goes_on =
        |pair: &&[Slide]| pair[0].step == pair[1].step && pair[0].target(size) == pair[1].blank;
    (slides.len() - slides.windows(2).filter(goes_on).count()) as u64
}

/// Solves a board on one thread and on three, and returns the number of moves.
fn solve(solver: &SegmentSolver, start: &Board, goal: &Board) -> u64 {
    let search = solver.solve(start, 1, &Limits::default()).unwrap();
    let parallel = solver.solve(start, 3, &Limits::default()).unwrap();
    let nodes = |counts: Counts| (counts.expanded, counts.generated);
    assert_eq!(nodes(search.counts), nodes(parallel.counts), "{start}");
    let [one, three] = [&search, &parallel].map(|search| search.solution().unwrap());
    assert_eq!(one.actions, three.actions, "{start}");
    assert_eq!(replay(start, &one.actions).as_ref(), Ok(goal));
    assert_eq!(segments(&one.actions, start), u64::from(one.cost), "{start}");
    assert_eq!(search.lower_bound, one.cost);
    u64::from(one.cost)
}

#[test]
fn the_segments_are_as_few_as_in_a_table() {
    for named in [NamedGoal::Last, NamedGoal::First, NamedGoal::Snail] {
        for (size, every) in [("3x3", 20_001), ("2x4", 1001), ("2x3", 7), ("2x2", 1), ("1x6", 1)] {
            let goal = goal(size, named);
            let (table, mut number) = (table(&goal), 0);
            // With a perimeter of a few moves, and with one of many.
            for memory in [1 << 12, 1 << 20] {
                let solver = solver(&goal, memory);
                for (_, board) in table.index().boards() {
                    number += 1;
                    if number % every != 0 {
                        continue;
                    }
                    if let Some(depth) = table.depth(&board) {
                        assert_eq!(solve(&solver, &board, &goal), depth, "{board}");
                    }
                }
            }
        }
    }
}

#[test]
#[ignore = "240 million boards are enumerated: minutes"]
fn the_segments_are_as_few_as_in_a_large_table() {
    for (size, every, farthest) in [("2x5", 50, 0), ("3x4", 100_000, 33)] {
        let goal = goal(size, NamedGoal::Last);
        let (table, solver) = (table(&goal), solver(&goal, 1 << 24));
        assert!(farthest == 0 || table.depths().len() == farthest + 1);
        for (_, board) in table.index().boards().step_by(every) {
            assert_eq!(Some(solve(&solver, &board, &goal)), table.depth(&board), "{board}");
        }
    }
}

#[test]
fn fifteen_puzzles_are_solved_as_by_astar() {
    let goal = goal("4x4", NamedGoal::Last);
    let solver = solver(&goal, 1 << 20);
    let mut random = Random::new(11);
    let puzzle = Puzzle::new(goal.clone(), goal.clone()).unwrap();
    let space = Segments::<Nibbles>::new(&puzzle, MoveOrder::default());
    let walking = Walking::of_segments(&goal, 1 << 20);
    for moves in [0, 1, 2, 5, 9, 12, 14, 16] {
        let (mut state, mut actions) = (space.place(&goal), Vec::new());
        for _ in 0..moves {
            actions.clear();
            space.actions(&state, &mut actions);
            space.apply(&mut state, actions[random.below(actions.len())]);
        }
        let start = space.board(&state);
        let problem = Problem::new(&space, &state).heuristic(&walking);
        let known = problem.best_first(&Policy::astar()).run();
        let known = known.solution().unwrap().cost;
        assert_eq!(solve(&solver, &start, &goal), u64::from(known), "{start}");
    }
    // A solution that a simulator recorded: its tiles, last to first, are the way of the blank back.
    let recorded = include_str!("../../../lab/data/slidysim/solution_single_4x4.txt").trim();
    let mut back = String::new();
    for letter in recorded.chars() {
        match letter.to_digit(10) {
            Some(times) => {
                let last = back.chars().last().unwrap();
                back.extend(std::iter::repeat_n(last, times as usize - 1));
            }
            None => back.push(letter),
        }
    }
    let back: String = back.chars().rev().collect();
    let slides = read_moves(&back, Some(Notation::Blank), &goal).unwrap();
    assert_eq!(segments(&slides, &goal), 23);
    assert!(solve(&solver, &replay(&goal, &slides).unwrap(), &goal) <= 23);
}

#[test]
fn what_does_not_fit_is_refused() {
    let [small, large, other] = ["3x3", "5x5", "3x4"].map(|size| goal(size, NamedGoal::Last));
    let of = |goal: &Board, memory| Perimeter::new(goal, memory, &Monitor::default()).unwrap();
    assert!(of(&large, 1 << 20).is_none());
    assert!(of(&NamedGoal::Last.board("3x3".parse().unwrap(), 2), 1 << 20).is_none());
    assert!(of(&small, 10).is_none());
    let cancelled = Monitor::default();
    cancelled.cancel();
    assert!(Perimeter::new(&goal("4x4", NamedGoal::Last), 1 << 20, &cancelled).is_err());
    let solver = solver(&small, 1 << 16);
    assert!(solver.solve(&other, 1, &Limits::default()).is_none());
    // A limit on nodes stops the search with the bound that it has proven.
    let start: Board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    let limits = Limits { expanded: Some(3), ..Limits::default() };
    let search = solver.solve(&start, 2, &limits).unwrap();
    assert!(matches!(search.outcome, Outcome::Stopped(_)) && search.counts.expanded <= 3);
    assert!(search.lower_bound <= 23);
}
