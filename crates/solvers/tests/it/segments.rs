//! The engine that counts segments, compared with tables of whole spaces and with A*.

use std::collections::HashMap;
use std::sync::Arc;

use taquin_search::{Cost, Counts, Limits, Monitor, Outcome, Policy, Problem, Random, StateSpace};
use taquin_solvers::SegmentSolver;
use taquin_tables::whole::{Explorer, Metric, SpaceTable};
use taquin_tables::{Packing, Perimeter, Walking};
use taquin_tiles::packed::{Nibbles, Segments};
use taquin_tiles::{Board, MoveOrder, NamedGoal, Notation, Puzzle, Slide, read_moves, replay};

fn goal(size: &str, named: NamedGoal) -> Board {
    named.board(size.parse().unwrap(), 1)
}

/// The boards within some moves of a goal.
fn perimeter(goal: &Board, moves: Cost) -> Arc<Perimeter> {
    let shape = Packing::new(goal).unwrap().shape();
    Arc::new(Perimeter::build(shape, moves, &Monitor::default(), &mut |_| ()).unwrap())
}

fn solver(goal: &Board, moves: Cost) -> SegmentSolver {
    let walking = Walking::of_segments(goal, 1 << 20);
    SegmentSolver::new(goal, perimeter(goal, moves), Arc::new(walking)).unwrap()
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
        for (size, every) in [
            ("3x3", 20_001),
            ("2x4", 1001),
            ("4x2", 1003),
            ("2x3", 7),
            ("3x2", 7),
            ("2x2", 1),
            ("1x6", 1),
            ("5x1", 1),
        ] {
            let goal = goal(size, named);
            let (table, mut number) = (table(&goal), 0);
            // With a perimeter of a few moves, and with one of many.
            for moves in [0, 5, 12] {
                let solver = solver(&goal, moves);
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

/// The distances of all boards from a goal, found by sliding segments of a list.
fn distances(goal: &Board) -> HashMap<Vec<u16>, u64> {
    let (rows, cols) = (goal.size().rows(), goal.size().cols());
    let mut known = HashMap::from([(goal.tiles().to_vec(), 0)]);
    let mut layer = vec![goal.tiles().to_vec()];
    for distance in 1.. {
        let mut next = Vec::new();
        for tiles in &layer {
            let blank = tiles.iter().position(|&tile| tile == 0).unwrap();
            let (row, col) = (blank / cols, blank % cols);
            let in_row = (0..cols).filter(|&to| to != col).map(|to| row * cols + to);
            let in_col = (0..rows).filter(|&to| to != row).map(|to| to * cols + col);
            for to in in_row.chain(in_col) {
                let step = if to / cols == row { 1 } else { cols };
                let mut after = tiles.clone();
                let mut at = blank;
                while at != to {
                    let from = if to > at { at + step } else { at - step };
                    after.swap(at, from);
                    at = from;
                }
                if !known.contains_key(&after) {
                    known.insert(after.clone(), distance);
                    next.push(after);
                }
            }
        }
        if next.is_empty() {
            return known;
        }
        layer = next;
    }
    unreachable!("a space is finite")
}

#[test]
fn every_board_is_solved_in_as_few_segments_as_a_breadth_first_search_finds() {
    for (size, named, boards) in
        [("3x3", NamedGoal::Last, 181_440), ("2x4", NamedGoal::First, 20_160)]
    {
        let goal = goal(size, named);
        let known = distances(&goal);
        assert_eq!(known.len(), boards);
        let solver = solver(&goal, 11);
        let wrong = known.into_iter().filter(|(tiles, distance)| {
            let start = Board::new(goal.size(), tiles.clone()).unwrap();
            let search = solver.solve(&start, 1, &Limits::default()).unwrap();
            let cost = search.solution().map(|solution| u64::from(solution.cost));
            cost != Some(*distance) || u64::from(search.lower_bound) != *distance
        });
        assert_eq!(wrong.count(), 0, "{size}");
    }
}

/// The solutions are as long whatever perimeter a search begins with, and larger ones are asked for
/// when they pay off.
#[test]
fn a_perimeter_may_grow_during_a_search() {
    let goal = goal("3x3", NamedGoal::Snail);
    let mut random = Random::new(6);
    let (small, large) = (solver(&goal, 3), solver(&goal, 11));
    for _ in 0..20 {
        let start = taquin_tiles::scramble::uniform(&goal, &mut random);
        let known = solve(&large, &start, &goal);
        for step in [1, 2, 5] {
            let (mut held, mut asked) = (3, Vec::new());
            let grow = |moves, threshold, time| {
                assert_eq!((moves, time), (held, None));
                assert!(threshold > 2 * held, "{threshold} with {held} moves");
                asked.push(threshold);
                held += step;
                (held < 10).then(|| perimeter(&goal, held))
            };
            let search = small.solve_growing(&start, 2, &Limits::default(), grow).unwrap();
            let solution = search.solution().unwrap();
            assert_eq!((u64::from(solution.cost), search.lower_bound), (known, solution.cost));
            assert_eq!(replay(&start, &solution.actions).as_ref(), Ok(&goal));
            let due = (3..10).step_by(step as usize).filter(|moves| known > 2 * moves);
            assert!(asked.is_sorted() && asked.len() == due.count(), "{asked:?} of {known}");
            // The thresholds before the last count as well, and a larger perimeter saves nodes.
            let alone = small.solve(&start, 1, &Limits::default()).unwrap().counts.generated;
            assert!((1..=alone).contains(&search.counts.generated), "{start}");
        }
        // A perimeter that is no larger, or another board's, is not used.
        for other in [perimeter(&goal, 3), perimeter(&self::goal("2x3", NamedGoal::Last), 8)] {
            let mut times = 0;
            let grow = |_, _, _| {
                times += 1;
                Some(Arc::clone(&other))
            };
            let search = small.solve_growing(&start, 1, &Limits::default(), grow).unwrap();
            assert_eq!((u64::from(search.lower_bound), times), (known, 1));
        }
    }
}

#[test]
#[ignore = "240 million boards are enumerated: minutes"]
fn the_segments_are_as_few_as_in_a_large_table() {
    for (size, every, farthest) in [("2x5", 50, 0), ("3x4", 100_000, 33)] {
        let goal = goal(size, NamedGoal::Last);
        let (table, solver) = (table(&goal), solver(&goal, 15));
        assert!(farthest == 0 || table.depths().len() == farthest + 1);
        for (_, board) in table.index().boards().step_by(every) {
            assert_eq!(Some(solve(&solver, &board, &goal)), table.depth(&board), "{board}");
        }
    }
}

#[test]
fn fifteen_puzzles_are_solved_as_by_astar() {
    let goal = goal("4x4", NamedGoal::Last);
    let solver = solver(&goal, 12);
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
    assert!(Packing::new(&large).is_none());
    assert!(Packing::new(&NamedGoal::Last.board("3x3".parse().unwrap(), 2)).is_none());
    let cancelled = Monitor::default();
    cancelled.cancel();
    let shape = Packing::new(&goal("4x4", NamedGoal::Last)).unwrap().shape();
    assert!(Perimeter::build(shape, 12, &cancelled, &mut |_| ()).is_err());
    let walking = Arc::new(Walking::of_segments(&small, 1 << 20));
    assert!(SegmentSolver::new(&small, perimeter(&other, 5), walking).is_none());
    let solver = solver(&small, 8);
    assert!(solver.solve(&other, 1, &Limits::default()).is_none());
    // A limit on nodes stops the search with the bound that it has proven.
    let start: Board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    let limits = Limits { expanded: Some(3), ..Limits::default() };
    let search = solver.solve(&start, 2, &limits).unwrap();
    assert!(matches!(search.outcome, Outcome::Stopped(_)) && search.counts.expanded <= 3);
    assert!(search.lower_bound <= 23);
}
