//! Boards near a goal against whole spaces and published sequences.

use std::fs;

use taquin_search::Monitor;
use taquin_tables::whole::{self, ExploreError, Explorer, Metric, NearBoards};
use taquin_tiles::{Board, Size};

fn board(size: Size, blank: usize) -> Board {
    let mut tiles: Vec<u16> = (1..size.cells() as u16).rev().collect();
    tiles.insert(blank, 0);
    Board::new(size, tiles).unwrap()
}

fn near(goal: &Board, depth: usize, memory: u64) -> Vec<u64> {
    let mut boards = NearBoards::new(goal, memory).unwrap();
    for depths in 1..=depth {
        if !boards.advance(depths < depth, &Monitor::default()).unwrap() {
            break;
        }
    }
    boards.depths().to_vec()
}

#[test]
fn the_boards_near_a_goal_are_the_first_layers_of_its_space() {
    for (size, depth) in [("2x2", 9), ("2x3", 30), ("3x3", 31), ("2x5", 25), ("3x4", 16)] {
        let size: Size = size.parse().unwrap();
        for blank in 0..size.cells() {
            let goal = board(size, blank);
            let memory = whole::extent(&goal, Metric::Single).bytes;
            let mut explorer = Explorer::new(&goal, Metric::Single, memory).unwrap();
            while explorer.depths().len() <= depth && explorer.advance(&Monitor::default()).unwrap()
            {
            }
            assert_eq!(near(&goal, depth, 1 << 30), explorer.depths(), "{goal}");
        }
    }
}

#[test]
fn published_sequences_are_met_and_continued() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../lab/data");
    let file = |name: &str| fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let text = file("statespace_depths.txt");
    let numbers = |text: &str| -> Vec<u64> {
        text.split_whitespace().map(|count| count.parse().unwrap()).collect()
    };
    let depth = 13;
    let mut compared = 0;
    for line in text.lines() {
        let Some((facts, counts)) = line.split_once(" : ") else { continue };
        let facts: Vec<&str> = facts.split(' ').collect();
        let size = |rows, cols| Size::new(rows, cols).unwrap();
        let goal = match facts[..] {
            ["PARTIAL", rows, cols, "corner", ..] => {
                board(size(rows.parse().unwrap(), cols.parse().unwrap()), 0)
            }
            ["INFINITE", "corner", ..] => board(size(depth + 1, depth + 1), 0),
            ["INFINITE", "edge", ..] => board(size(depth + 1, 2 * depth + 1), depth),
            _ => continue,
        };
        let published = numbers(counts);
        assert_eq!(near(&goal, depth, 1 << 30), published[..=depth], "{}", facts.join(" "));
        let bfile = match facts.last().unwrap().rsplit_once(":A") {
            Some((_, "090032")) => "b090032.txt",
            Some((_, "090378")) => "b090378.txt",
            _ => continue,
        };
        let lines: Vec<Vec<u64>> = file(bfile).lines().map(numbers).collect();
        assert!((0..).zip(&lines).all(|(depth, line)| line[0] == depth && line.len() == 2));
        let counts: Vec<u64> = lines.iter().map(|line| line[1]).collect();
        assert_eq!(counts[..published.len()], published);
        assert!(counts.len() > published.len());
        compared += 1;
    }
    assert_eq!(compared, 2);
}

#[test]
fn less_memory_takes_more_passes() {
    let goal = board("6x6".parse().unwrap(), 7);
    // The last two layers take two passes each, and storing another one takes too much memory.
    let all = near(&goal, 14, 1 << 30);
    assert_eq!(near(&goal, 14, 3_500_000), all);
    let mut boards = NearBoards::new(&goal, 3_500_000).unwrap();
    let error = loop {
        match boards.advance(true, &Monitor::default()) {
            Ok(is_more) => assert!(is_more),
            Err(error) => break error,
        }
    };
    let ExploreError::Memory { states, needed, allowed } = error else { panic!("{error}") };
    assert_eq!((states, allowed), (boards.depths().iter().sum(), 3_500_000));
    assert!(needed > allowed);
    assert_eq!(boards.depths(), &all[..boards.depths().len()]);
}

#[test]
fn only_one_blank_has_boards_near_it() {
    assert!(NearBoards::new(&"1 2 3/4 0 0".parse().unwrap(), 1 << 20).is_none());
}

#[test]
fn counting_near_boards_is_cancelled() {
    let mut boards = NearBoards::new(&board("5x5".parse().unwrap(), 0), 1 << 20).unwrap();
    let monitor = Monitor::default();
    monitor.cancel();
    assert!(matches!(boards.advance(true, &monitor), Err(ExploreError::Cancelled)));
    assert_eq!(boards.depths(), [1]);
}
