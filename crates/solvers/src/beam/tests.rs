use taquin_search::{Cost, Limits, Monitor, Random};
use taquin_tables::whole::{Explorer, Metric};
use taquin_tiles::{Board, Move, NamedGoal, Puzzle, Size, Slide, replay, scramble};

use super::budget::Budget;
use super::evaluation::{Content, Evaluation};
use super::exact::ExactSearch;
use super::pairs::{KINDS, LEARNED, PairWeights, turned};
use super::search::{Beam, BeamLimits};
use super::training::crossings;
use super::windows::{WindowMethod, WindowSearch, Windows};
use super::{ImproveFrom, improve, numbered};
use crate::layers::layers;

pub(super) fn random_puzzle(
    rows: usize,
    cols: usize,
    blanks: usize,
    random: &mut Random,
) -> Puzzle {
    let goal = NamedGoal::ALL[random.below(3)].board(Size::new(rows, cols).unwrap(), blanks);
    Puzzle::new(scramble::uniform(&goal, random), goal).unwrap()
}

fn manhattan(puzzle: &Puzzle) -> Cost {
    let start: Vec<u16> = numbered(puzzle.start(), puzzle.goal());
    Evaluation::new(puzzle.size(), 0).manhattan(&start)
}

/// Improves the constructed solution, checks every improvement, and returns their lengths.
fn improved(puzzle: &Puzzle, seed: u64, limits: &Limits) -> Vec<usize> {
    improved_paths(puzzle, seed, limits).iter().map(Vec::len).collect()
}

fn improved_paths(puzzle: &Puzzle, seed: u64, limits: &Limits) -> Vec<Vec<Slide>> {
    let first = layers(puzzle, &Limits::default());
    let path = first.solution().unwrap().actions.clone();
    let bound = manhattan(puzzle);
    let mut paths = vec![path.clone()];
    let from = ImproveFrom { path, bound, seed, first: ImproveFrom::FIRST };
    let counts = improve(puzzle, from, limits, &mut |path: &[Slide]| {
        assert_eq!(replay(puzzle.start(), path).as_ref(), Ok(puzzle.goal()));
        assert!(path.len() < paths.last().unwrap().len());
        paths.push(path.to_vec());
    });
    assert!(limits.expanded.is_none_or(|most| counts.expanded <= most), "{counts:?}");
    assert!(paths.last().unwrap().len() >= bound as usize);
    paths
}

fn nodes(expanded: u64) -> Limits {
    Limits { expanded: Some(expanded), ..Limits::default() }
}

/// Computes the score of a board from nothing.
fn score<C: Content>(evaluation: &Evaluation, board: &[C]) -> i32 {
    let kind = |cell: usize| evaluation.kind(board[cell].index(), cell);
    let across = |left: usize, right: usize| i32::from(LEARNED.across[left][right]);
    let has_crossings = evaluation.size.rows().max(evaluation.size.cols()) <= 16;
    let mut sum =
        if has_crossings { LEARNED.crossing * crossings(board, evaluation.size) } else { 0 };
    for (cell, content) in board[..evaluation.cells].iter().enumerate() {
        if content.index() < evaluation.cells {
            sum += evaluation.value(content.index(), cell) as i32;
        }
        if (cell + 1) % evaluation.size.cols() > 0 {
            sum += across(kind(cell), kind(cell + 1));
        }
        if cell + evaluation.size.cols() < evaluation.cells {
            sum += across(turned(kind(cell)), turned(kind(cell + evaluation.size.cols())));
        }
    }
    sum
}

#[test]
fn a_board_is_worth_the_same_however_it_is_reached() {
    let mut random = Random::new(9);
    for (rows, cols, blanks) in [(2, 2, 1), (3, 4, 1), (6, 6, 1), (5, 3, 4), (17, 16, 1)] {
        let puzzle = random_puzzle(rows, cols, blanks, &mut random);
        let evaluation = Evaluation::new(puzzle.size(), 1);
        let mut board: Vec<u16> = numbered(puzzle.start(), puzzle.goal());
        let mut original = puzzle.start().clone();
        let mut hash = evaluation.hash(&board);
        let mut manhattan = evaluation.manhattan(&board) as i32;
        let mut sum = score(&evaluation, &board);
        for _ in 0..1_000 {
            let blank: Vec<u16> = original.blanks().collect();
            let slide =
                Slide { blank: blank[random.below(blank.len())], step: Move::ALL[random.below(4)] };
            if original.slide(slide).is_err() {
                continue;
            }
            let (from, to) = (usize::from(slide.blank), usize::from(slide.target(puzzle.size())));
            let tile = board[to].index();
            let around = evaluation.around(&board, from);
            let step = slide.step as usize;
            assert!(around.is_tile(step));
            manhattan += evaluation.farther(&around, step);
            sum += match step {
                0 => evaluation.change::<_, 0>(&board, &around, to),
                1 => evaluation.change::<_, 1>(&board, &around, to),
                2 => evaluation.change::<_, 2>(&board, &around, to),
                _ => evaluation.change::<_, 3>(&board, &around, to),
            };
            hash = hash
                .wrapping_add(evaluation.key(tile, from))
                .wrapping_sub(evaluation.key(tile, to));
            board.swap(from, to);
            assert_eq!(hash, evaluation.hash(&board));
            assert_eq!(manhattan as u32, evaluation.manhattan(&board));
            assert_eq!(sum, score(&evaluation, &board));
        }
    }
}

#[test]
fn a_board_and_its_mirror_images_are_worth_the_same() {
    let mut random = Random::new(5);
    let puzzle = random_puzzle(6, 6, 1, &mut random);
    let evaluation = Evaluation::new(puzzle.size(), 1);
    let board: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
    for mirror in [|cell: usize| cell / 6 * 6 + 5 - cell % 6, |cell| cell % 6 * 6 + cell / 6] {
        let content = |cell: usize| match board[mirror(cell)].index() {
            36 => u8::new(36),
            tile => u8::new(mirror(tile)),
        };
        let image: Vec<u8> = (0..36).map(content).chain([u8::new(37)]).collect();
        assert_eq!(score(&evaluation, &board), score(&evaluation, &image));
    }
}

#[test]
fn a_wide_beam_finds_the_shortest_way_on_a_small_board() {
    // With room for every board of a level, a beam search is breadth-first search.
    let goal = NamedGoal::Last.board(Size::new(2, 3).unwrap(), 1);
    let start: Board = "4 5 0/1 2 3".parse().unwrap();
    let puzzle = Puzzle::new(start, goal).unwrap();
    let evaluation = Evaluation::new(puzzle.size(), 3);
    let limits = Limits::default();
    let beam_limits = BeamLimits { width: 10_000, longest: 30, patience: 30 };
    let start: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
    let path = Beam::default().search(&evaluation, &start, beam_limits, &mut Budget::new(&limits));
    // The farthest board of the 2x3 puzzle.
    assert!(path.is_solved);
    assert_eq!(path.slides.len(), 21);
    assert_eq!(replay(puzzle.start(), &path.slides).as_ref(), Ok(puzzle.goal()));
    // No solution is found if none exists.
    let beam_limits = BeamLimits { longest: 20, ..beam_limits };
    assert!(
        !Beam::default()
            .search(&evaluation, &start, beam_limits, &mut Budget::new(&limits))
            .is_solved
    );
}

#[test]
fn near_boards_have_the_shortest_way_between_them() {
    let mut random = Random::new(3);
    for (rows, cols, blanks) in [(3, 3, 1), (2, 5, 1), (3, 3, 2), (1, 6, 3)] {
        let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), blanks);
        let evaluation = Evaluation::new(goal.size(), 0);
        let starts: Vec<Board> =
            (0..200).map(|moves| scramble::walk(&goal, moves % 20, &mut random)).collect();
        let mut explorer = Explorer::new(&goal, Metric::Single, 1 << 26).unwrap();
        let mut checked = 0;
        for depth in 0..20 {
            for start in starts.iter().filter(|start| explorer.layer().contains(start)) {
                let exact = |budget| ExactSearch::new(&evaluation, numbered(start, &goal), budget);
                let (path, _) = exact(u64::MAX).shortest(20);
                let path = path.unwrap();
                assert_eq!(path.len(), depth);
                assert_eq!(replay(start, &path).as_ref(), Ok(&goal));
                if depth > 0 {
                    assert_eq!(exact(u64::MAX).shortest(depth as u32 - 1).0, None);
                    assert_eq!(exact(0).shortest(20), (None, 0));
                }
                checked += 1;
            }
            if !explorer.advance(&Monitor::default()).unwrap() {
                break;
            }
        }
        assert_eq!(checked, starts.len());
    }
}

#[test]
fn parts_of_a_way_are_made_shorter_by_either_means() {
    let puzzle = random_puzzle(6, 6, 1, &mut Random::new(7));
    let first = layers(&puzzle, &Limits::default()).solution().unwrap().actions.clone();
    for method in [WindowMethod::Beam(50), WindowMethod::Exact(1_000)] {
        let limits = Limits::default();
        let mut path = first.clone();
        let search = WindowSearch { moves: 20, method };
        let mut budget = Budget::new(&limits);
        assert!(
            Windows::new(0).polish(puzzle.start(), &mut path, search, &mut budget),
            "{method:?}"
        );
        assert!(path.len() < first.len(), "{method:?}");
        assert_eq!(replay(puzzle.start(), &path).as_ref(), Ok(puzzle.goal()));
    }
}

#[test]
fn what_was_learned_makes_answers_shorter() {
    let nothing = PairWeights { across: [[0; KINDS]; KINDS], ..LEARNED };
    let total = |weights: &PairWeights| -> usize {
        let length = |seed| {
            let puzzle = random_puzzle(6, 6, 1, &mut Random::new(seed));
            let evaluation = Evaluation::with(puzzle.size(), 0, weights);
            let start: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
            let limits = Limits::default();
            let beam_limits = BeamLimits { width: 300, longest: 500, patience: 500 };
            let path =
                Beam::default().search(&evaluation, &start, beam_limits, &mut Budget::new(&limits));
            if path.is_solved { path.slides.len() } else { 500 }
        };
        (0..10).map(length).sum()
    };
    let [with, without] = [&LEARNED, &nothing].map(total);
    assert!(with * 100 < without * 96, "{with} moves, {without} without");
}

#[test]
fn every_answer_on_the_way_is_one() {
    let mut random = Random::new(4);
    for (rows, cols, blanks) in [
        (2, 2, 1),
        (2, 5, 1),
        (5, 2, 2),
        (4, 4, 1),
        (5, 5, 3),
        (6, 6, 1),
        (3, 9, 1),
        (12, 11, 2),
        (17, 17, 1),
    ] {
        let puzzle = random_puzzle(rows, cols, blanks, &mut random);
        let lengths = improved(&puzzle, 0, &nodes(400_000));
        if rows * cols >= 16 {
            assert!(lengths.len() > 1, "{rows}x{cols}: {lengths:?}");
        }
    }
}

#[test]
fn a_budget_of_nodes_and_a_seed_determine_the_answer() {
    let puzzle = random_puzzle(10, 10, 1, &mut Random::new(8));
    let first = improved_paths(&puzzle, 0, &nodes(200_000));
    assert_eq!(first, improved_paths(&puzzle, 0, &nodes(200_000)));
    assert!((1..5).any(|seed| improved_paths(&puzzle, seed, &nodes(200_000)) != first));
    // No nodes, no improvement.
    assert_eq!(improved(&puzzle, 0, &nodes(0)).len(), 1);
}

#[test]
fn boards_of_every_width_of_their_cells_are_searched() {
    for (rows, cols) in [(2, 127), (15, 17), (254, 258), (255, 257)] {
        let size = Size::new(rows, cols).unwrap();
        // One tile next to the blank is away from home, in the corner that is the last cell.
        let mut start = NamedGoal::Last.board(size, 1);
        let goal = start.clone();
        start.slide(Slide { blank: (rows * cols - 1) as u16, step: Move::Left }).unwrap();
        let puzzle = Puzzle::new(start, goal).unwrap();
        let path = vec![
            Slide { blank: (rows * cols - 2) as u16, step: Move::Left },
            Slide { blank: (rows * cols - 3) as u16, step: Move::Right },
            Slide { blank: (rows * cols - 2) as u16, step: Move::Right },
        ];
        let mut found = Vec::new();
        let from = ImproveFrom { path, bound: 1, seed: 0, first: ImproveFrom::FIRST };
        improve(&puzzle, from, &nodes(1_000), &mut |path: &[Slide]| found = path.to_vec());
        assert_eq!(found.len(), 1, "{rows}x{cols}");
    }
}

#[test]
fn answers_on_6x6_boards_are_good() {
    // The benchmark has the targets; this is a floor for a hundredth of its nodes.
    let (mut found, mut least) = (0, 0);
    for seed in 0..5 {
        let puzzle = random_puzzle(6, 6, 1, &mut Random::new(seed));
        found += improved(&puzzle, 0, &nodes(300_000)).pop().unwrap();
        least += manhattan(&puzzle) as usize;
    }
    assert!(found * 100 < least * 150, "{found} moves for a bound of {least}");
}

/// A beam as wide as the memory allows ends long before the limit: then others are searched.
#[test]
fn little_memory_does_not_end_the_search_before_its_limit() {
    let puzzle = random_puzzle(5, 5, 1, &mut Random::new(3));
    let path = crate::layers::slides(&puzzle, &Limits::default()).unwrap();
    let improved = |memory, expanded| {
        let limits = Limits { memory: Some(memory), expanded: Some(expanded), ..Limits::default() };
        let from = ImproveFrom { path: path.clone(), bound: 1, seed: 0, first: ImproveFrom::FIRST };
        let counts = improve(&puzzle, from, &limits, &mut |_| ());
        assert!(counts.memory_peak <= memory, "{}", counts.memory_peak);
        counts.expanded
    };
    // A level that would exceed the limit is not searched.
    assert!(improved(4 << 20, 20_000_000) > 19_900_000, "{}", improved(4 << 20, 20_000_000));
}

#[test]
fn memory_and_interruption_are_respected() {
    let puzzle = random_puzzle(7, 7, 1, &mut Random::new(2));
    // Too little for any beam.
    let limits = Limits { memory: Some(1_000), ..Limits::default() };
    assert_eq!(improved(&puzzle, 0, &limits).len(), 1);
    let limits = Limits { monitor: Some(std::sync::Arc::default()), ..Limits::default() };
    limits.monitor.as_ref().unwrap().cancel();
    assert_eq!(improved(&puzzle, 0, &limits).len(), 1);
}
