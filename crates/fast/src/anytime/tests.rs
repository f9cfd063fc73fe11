use taquin_search::{Limits, Monitor, Random};
use taquin_tables::whole::{Explorer, Metric};
use taquin_tiles::{Board, Move, NamedGoal, Puzzle, Size, Slide, replay, scramble};

use super::beam::{Aim, Beam};
use super::clock::Clock;
use super::exact::Exact;
use super::grid::{Content, Grid};
use super::pairs::{KINDS, LEARNED, Learned, turned};
use super::windows::{Means, Span, Windows};
use super::{Improve, improve, numbered};
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

/// Improves the constructed answer, checks every answer on the way, and says how long they are.
fn improved(puzzle: &Puzzle, seed: u64, limits: &Limits) -> Vec<usize> {
    improved_ways(puzzle, seed, limits).iter().map(Vec::len).collect()
}

fn improved_ways(puzzle: &Puzzle, seed: u64, limits: &Limits) -> Vec<Vec<Slide>> {
    let first = layers(puzzle, &Limits::default());
    let way = first.solution().unwrap().actions.clone();
    let mut ways = vec![way.clone()];
    let from = Improve { way, bound: first.lower_bound, seed };
    let counts = improve(puzzle, from, limits, &mut |way: &[Slide]| {
        assert_eq!(replay(puzzle.start(), way).as_ref(), Ok(puzzle.goal()));
        assert!(way.len() < ways.last().unwrap().len());
        ways.push(way.to_vec());
    });
    assert!(limits.expanded.is_none_or(|most| counts.expanded <= most), "{counts:?}");
    assert!(ways.last().unwrap().len() >= first.lower_bound as usize);
    ways
}

fn nodes(expanded: u64) -> Limits {
    Limits { expanded: Some(expanded), ..Limits::default() }
}

/// The pairs of tiles on the line where both belong that have to pass each other, one by one.
pub(super) fn crossings<C: Content>(board: &[C], size: Size) -> i32 {
    let homes: Vec<(usize, usize)> = (0..size.cells())
        .map(|cell| (cell, board[cell].index()))
        .filter(|&(_, tile)| tile < size.cells())
        .collect();
    let place = |cell: usize| (cell / size.cols(), cell % size.cols());
    let mut count = 0;
    for &(a, a_home) in &homes {
        for &(b, b_home) in &homes {
            let [(row, col), (home_row, home_col)] = [place(a), place(a_home)];
            let [(other_row, other_col), (other_home_row, other_home_col)] =
                [place(b), place(b_home)];
            let in_row = [home_row, other_row, other_home_row].iter().all(|&r| r == row);
            let in_col = [home_col, other_col, other_home_col].iter().all(|&c| c == col);
            count += i32::from(in_row && col < other_col && home_col > other_home_col);
            count += i32::from(in_col && row < other_row && home_row > other_home_row);
        }
    }
    count
}

/// What a board is worth, from nothing.
fn worth<C: Content>(grid: &Grid, board: &[C]) -> i32 {
    let kind = |cell: usize| grid.kind(board[cell].index(), cell);
    let across = |left: usize, right: usize| i32::from(LEARNED.across[left][right]);
    let has_crossings = grid.size.rows().max(grid.size.cols()) <= 16;
    let mut sum = if has_crossings { LEARNED.crossing * crossings(board, grid.size) } else { 0 };
    for (cell, content) in board[..grid.cells].iter().enumerate() {
        if content.index() < grid.cells {
            sum += grid.value(content.index(), cell) as i32;
        }
        if (cell + 1) % grid.size.cols() > 0 {
            sum += across(kind(cell), kind(cell + 1));
        }
        if cell + grid.size.cols() < grid.cells {
            sum += across(turned(kind(cell)), turned(kind(cell + grid.size.cols())));
        }
    }
    sum
}

#[test]
fn a_board_is_worth_the_same_however_it_is_reached() {
    let mut random = Random::new(9);
    for (rows, cols, blanks) in [(2, 2, 1), (3, 4, 1), (6, 6, 1), (5, 3, 4), (17, 16, 1)] {
        let puzzle = random_puzzle(rows, cols, blanks, &mut random);
        let grid = Grid::new(puzzle.size(), 1);
        let mut board: Vec<u16> = numbered(puzzle.start(), puzzle.goal());
        let mut original = puzzle.start().clone();
        let mut hash = grid.hash(&board);
        let mut manhattan = grid.manhattan(&board) as i32;
        let mut sum = worth(&grid, &board);
        for _ in 0..1_000 {
            let blank: Vec<u16> = original.blanks().collect();
            let slide =
                Slide { blank: blank[random.below(blank.len())], step: Move::ALL[random.below(4)] };
            if original.slide(slide).is_err() {
                continue;
            }
            let (from, to) = (usize::from(slide.blank), usize::from(slide.target(puzzle.size())));
            let tile = board[to].index();
            let around = grid.around(&board, from);
            let step = slide.step as usize;
            assert!(around.is_tile(step));
            manhattan += grid.farther(&around, step);
            sum += match step {
                0 => grid.change::<_, 0>(&board, &around, to),
                1 => grid.change::<_, 1>(&board, &around, to),
                2 => grid.change::<_, 2>(&board, &around, to),
                _ => grid.change::<_, 3>(&board, &around, to),
            };
            hash = hash.wrapping_add(grid.key(tile, from)).wrapping_sub(grid.key(tile, to));
            board.swap(from, to);
            assert_eq!(hash, grid.hash(&board));
            assert_eq!(manhattan as u32, grid.manhattan(&board));
            assert_eq!(sum, worth(&grid, &board));
        }
    }
}

#[test]
fn a_board_and_its_mirror_images_are_worth_the_same() {
    let mut random = Random::new(5);
    let puzzle = random_puzzle(6, 6, 1, &mut random);
    let grid = Grid::new(puzzle.size(), 1);
    let board: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
    for mirror in [|cell: usize| cell / 6 * 6 + 5 - cell % 6, |cell| cell % 6 * 6 + cell / 6] {
        let content = |cell: usize| match board[mirror(cell)].index() {
            36 => u8::new(36),
            tile => u8::new(mirror(tile)),
        };
        let image: Vec<u8> = (0..36).map(content).chain([u8::new(37)]).collect();
        assert_eq!(worth(&grid, &board), worth(&grid, &image));
    }
}

#[test]
fn a_wide_beam_finds_the_shortest_way_on_a_small_board() {
    // With room for every board of a level, a beam search is breadth-first search.
    let goal = NamedGoal::Last.board(Size::new(2, 3).unwrap(), 1);
    let start: Board = "4 5 0/1 2 3".parse().unwrap();
    let puzzle = Puzzle::new(start, goal).unwrap();
    let grid = Grid::new(puzzle.size(), 3);
    let limits = Limits::default();
    let aim = Aim { width: 10_000, most: 30, patience: 30 };
    let start: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
    let way = Beam::new().search(&grid, &start, aim, &mut Clock::new(&limits));
    // The farthest board of the 2x3 puzzle.
    assert!(way.is_solved);
    assert_eq!(way.slides.len(), 21);
    assert_eq!(replay(puzzle.start(), &way.slides).as_ref(), Ok(puzzle.goal()));
    // Nothing is found where nothing can be.
    let aim = Aim { most: 20, ..aim };
    assert!(!Beam::new().search(&grid, &start, aim, &mut Clock::new(&limits)).is_solved);
}

#[test]
fn near_boards_have_the_shortest_way_between_them() {
    let mut random = Random::new(3);
    for (rows, cols, blanks) in [(3, 3, 1), (2, 5, 1), (3, 3, 2), (1, 6, 3)] {
        let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), blanks);
        let grid = Grid::new(goal.size(), 0);
        let starts: Vec<Board> =
            (0..200).map(|moves| scramble::walk(&goal, moves % 20, &mut random)).collect();
        let mut explorer = Explorer::new(&goal, Metric::Single, 1 << 26).unwrap();
        let mut checked = 0;
        for depth in 0..20 {
            for start in starts.iter().filter(|start| explorer.layer().contains(start)) {
                let exact = |budget| Exact::new(&grid, numbered(start, &goal), budget);
                let (way, _) = exact(u64::MAX).shortest(20);
                let way = way.unwrap();
                assert_eq!(way.len(), depth);
                assert_eq!(replay(start, &way).as_ref(), Ok(&goal));
                if depth > 0 {
                    assert_eq!(exact(u64::MAX).shortest(depth as u32 - 1).0, None);
                    assert_eq!(exact(0).shortest(20), (None, 0));
                }
                checked += 1;
            }
            explorer.advance(&Monitor::default()).unwrap();
        }
        assert_eq!(checked, starts.len());
    }
}

#[test]
fn parts_of_a_way_are_made_shorter_by_either_means() {
    let puzzle = random_puzzle(6, 6, 1, &mut Random::new(7));
    let first = layers(&puzzle, &Limits::default()).solution().unwrap().actions.clone();
    for by in [Means::Beam(50), Means::Exact(1_000)] {
        let limits = Limits::default();
        let mut way = first.clone();
        let span = Span { moves: 20, by };
        let mut clock = Clock::new(&limits);
        assert!(Windows::new(0).polish(puzzle.start(), &mut way, span, &mut clock), "{by:?}");
        assert!(way.len() < first.len(), "{by:?}");
        assert_eq!(replay(puzzle.start(), &way).as_ref(), Ok(puzzle.goal()));
    }
}

#[test]
fn what_was_learned_makes_answers_shorter() {
    let nothing = Learned { across: [[0; KINDS]; KINDS], ..LEARNED };
    let total = |learned: &Learned| -> usize {
        let length = |seed| {
            let puzzle = random_puzzle(6, 6, 1, &mut Random::new(seed));
            let grid = Grid::with(puzzle.size(), 0, learned);
            let start: Vec<u8> = numbered(puzzle.start(), puzzle.goal());
            let limits = Limits::default();
            let aim = Aim { width: 300, most: 500, patience: 500 };
            let way = Beam::new().search(&grid, &start, aim, &mut Clock::new(&limits));
            if way.is_solved { way.slides.len() } else { 500 }
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
    let first = improved_ways(&puzzle, 0, &nodes(200_000));
    assert_eq!(first, improved_ways(&puzzle, 0, &nodes(200_000)));
    assert!((1..5).any(|seed| improved_ways(&puzzle, seed, &nodes(200_000)) != first));
    // No nodes, no improvement.
    assert_eq!(improved(&puzzle, 0, &nodes(0)).len(), 1);
}

#[test]
fn boards_of_every_width_of_their_cells_are_searched() {
    for (rows, cols) in [(2, 127), (15, 17), (254, 258), (255, 257)] {
        let size = Size::new(rows, cols).unwrap();
        // One tile beside the blank is away from home, in the corner that is the last cell.
        let mut start = NamedGoal::Last.board(size, 1);
        let goal = start.clone();
        start.slide(Slide { blank: (rows * cols - 1) as u16, step: Move::Left }).unwrap();
        let puzzle = Puzzle::new(start, goal).unwrap();
        let way = vec![
            Slide { blank: (rows * cols - 2) as u16, step: Move::Left },
            Slide { blank: (rows * cols - 3) as u16, step: Move::Right },
            Slide { blank: (rows * cols - 2) as u16, step: Move::Right },
        ];
        let mut found = Vec::new();
        let from = Improve { way, bound: 1, seed: 0 };
        improve(&puzzle, from, &nodes(1_000), &mut |way: &[Slide]| found = way.to_vec());
        assert_eq!(found.len(), 1, "{rows}x{cols}");
    }
}

#[test]
fn answers_on_6x6_boards_are_good() {
    // The targets are in the benchmark; this is a floor for a hundredth of its nodes.
    let (mut found, mut least) = (0, 0);
    for seed in 0..5 {
        let puzzle = random_puzzle(6, 6, 1, &mut Random::new(seed));
        found += improved(&puzzle, 0, &nodes(300_000)).pop().unwrap();
        least += layers(&puzzle, &Limits::default()).lower_bound as usize;
    }
    assert!(found * 100 < least * 150, "{found} moves for a bound of {least}");
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
