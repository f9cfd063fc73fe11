//! Beam searches on a device against the score of the processor and exact distances.

use taquin_gpu::GpuBeam;
use taquin_search::Random;
use taquin_solvers::{ScoreTables, WideSearch, follow};
use taquin_tiles::{Board, Move, NamedGoal, Size, scramble};

use crate::device;

const SEED: u64 = 7;

fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

/// The contents of a board: the goal cells of its tiles.
fn contents(board: &Board) -> Vec<u8> {
    let cells = board.size().cells();
    let homes = NamedGoal::Last.board(board.size(), 1).positions();
    let content = |&tile: &u16| match tile {
        0 => cells as u8,
        _ => homes[usize::from(tile)] as u8,
    };
    board.tiles().iter().map(content).chain([cells as u8 + 1]).collect()
}

fn random(size: Size, seed: u64) -> Vec<u8> {
    let goal = NamedGoal::Last.board(size, 1);
    contents(&scramble::uniform(&goal, &mut Random::new(seed)))
}

/// Follows moves of the blank.
fn play(size: Size, start: &[u8], moves: &[Move]) -> Vec<u8> {
    let mut board = start.to_vec();
    let cells = size.cells();
    let mut blank = board.iter().position(|&content| usize::from(content) == cells).unwrap();
    for step in moves {
        let to = usize::from(step.target(size, blank as u16).unwrap());
        board.swap(blank, to);
        blank = to;
    }
    board
}

#[test]
fn tables_are_for_boards_that_fit() {
    assert!(ScoreTables::new(size(16, 16), SEED).is_none());
    let tables = ScoreTables::new(size(3, 4), SEED).unwrap();
    assert_eq!((tables.neighbours.len(), tables.values.len()), (4 * 12, 12 * 13));
    assert_eq!((tables.kinds.len(), tables.numbers.len()), (14 * 13, 2 * 14));
    assert_eq!((tables.pairs.len(), tables.farther.len()), (4 * 1024, 4 * 32));
    assert_eq!(tables.keys.len(), 2 * 12);
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn boards_score_as_on_the_processor() {
    let device = device();
    for (rows, cols) in [(3, 3), (4, 6), (7, 7), (10, 10), (15, 15)] {
        let size = size(rows, cols);
        let start = random(size, 1);
        let mut beam = GpuBeam::new(&device, size, SEED).unwrap();
        let search = WideSearch { start: &start, width: 500, longest: 9000, patience: 100 };
        let mut levels = 0;
        let mut goes_on = |_| {
            levels += 1;
            levels <= 12
        };
        let (_, nodes) = beam.try_search(search, &mut goes_on, true).unwrap();
        assert!(nodes.len() > 100, "{size}: {}", nodes.len());
        let mut boards: Vec<&Vec<u8>> = nodes.iter().map(|node| &node.contents).collect();
        boards.sort();
        boards.dedup();
        assert_eq!(boards.len(), nodes.len(), "{size}: there are duplicates");
        for node in &nodes {
            assert_eq!(node.contents, play(size, &start, &node.moves), "{size}");
            let seen = follow(size, SEED, &start, &node.moves);
            let (first, last) = (seen[0], seen[seen.len() - 1]);
            assert_eq!((node.score, node.manhattan), (last.score, last.manhattan), "{size}");
            assert_eq!(node.hash.wrapping_sub(1), last.hash.wrapping_sub(first.hash), "{size}");
        }
    }
}

/// A beam that is wide enough drops nothing, so that it finds shortest paths.
#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_wide_beam_finds_shortest_paths() {
    let device = device();
    let size = size(3, 3);
    let mut beam = GpuBeam::new(&device, size, SEED).unwrap();
    let hardest: Board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    let second: Board = "6 4 7/8 5 0/3 2 1".parse().unwrap();
    for board in [hardest, second] {
        let start = contents(&board);
        let search = WideSearch { start: &start, width: 1 << 20, longest: 60, patience: 60 };
        let (path, _) = beam.try_search(search, &mut |_| true, false).unwrap();
        assert!(path.is_solved && path.moves.len() == 31, "{path:?}");
        let goal = contents(&NamedGoal::Last.board(size, 1));
        assert_eq!(play(size, &start, &path.moves), goal);
    }
    let goal = contents(&NamedGoal::Last.board(size, 1));
    let search = WideSearch { start: &goal, width: 1 << 10, longest: 9, patience: 9 };
    let (path, _) = beam.try_search(search, &mut |_| true, false).unwrap();
    assert!(path.is_solved && path.moves.is_empty());
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_search_that_is_stopped_returns_its_best_board() {
    let device = device();
    let size = size(8, 8);
    let start = random(size, 3);
    let mut beam = GpuBeam::new(&device, size, SEED).unwrap();
    let search = WideSearch { start: &start, width: 1 << 16, longest: 2000, patience: 64 };
    let mut levels = 0;
    let mut goes_on = |boards: usize| {
        levels += 1;
        boards > 0 && levels <= 40
    };
    let (path, _) = beam.try_search(search, &mut goes_on, false).unwrap();
    assert!(!path.is_solved && (1..=40).contains(&path.moves.len()), "{path:?}");
    let seen = follow(size, SEED, &start, &path.moves);
    assert!((seen[path.moves.len()].score as i32) < 0);
}
