//! Whole spaces on a device compared with the CPU, and with the depth tables.

use std::path::Path;

use taquin_gpu::{Device, Space};
use taquin_search::Monitor;
use taquin_tables::whole::{Explorer, Metric};
use taquin_tiles::{Board, Size};

use crate::device;

/// A goal of this size with the blank in this cell, and its tiles in an order of their own.
fn goal_with_blank(size: Size, cell: usize) -> Board {
    let mut tiles: Vec<u16> = (1..size.cells() as u16).rev().collect();
    tiles.insert(cell, 0);
    Board::new(size, tiles).unwrap()
}

fn explored(device: &Device, goal: &Board) -> Space {
    let mut space = Space::new(device, goal).unwrap();
    let started = std::time::Instant::now();
    while space.advance().unwrap() {}
    println!("{}: {:.4} s", goal.size(), started.elapsed().as_secs_f64());
    space
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn small_spaces_are_those_of_the_processor() {
    let device = device();
    for size in ["3x3", "2x5", "5x2", "3x4", "4x3", "2x6"] {
        let size: Size = size.parse().unwrap();
        for cell in 0..size.cells() {
            if size.cells() > 10 && cell % 5 != 1 {
                continue;
            }
            let goal = goal_with_blank(size, cell);
            let mut explorer = Explorer::new(&goal, Metric::Single, 1 << 30).unwrap();
            while explorer.advance(&Monitor::default()).unwrap() {}
            let space = explored(&device, &goal);
            assert_eq!(space.depths(), explorer.depths(), "{size}, blank in cell {cell}");
            assert_eq!(
                space.farthest().unwrap(),
                explorer.farthest().unwrap(),
                "{size}, blank in cell {cell}"
            );
        }
    }
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn large_spaces_have_the_published_depths() {
    let device = device();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/data/statespace_depths.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let mut compared = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("BOARD ")) {
        let (facts, counts) = line.split_once(" : ").unwrap();
        let facts: Vec<&str> = facts.split(' ').collect();
        let [rows, cols, _, cell, metric, ..] = facts[..] else { panic!("{line}") };
        let size = Size::new(rows.parse().unwrap(), cols.parse().unwrap()).unwrap();
        if metric != "STM" || !["3x4", "2x7", "3x5"].contains(&size.to_string().as_str()) {
            continue;
        }
        let goal = goal_with_blank(size, cell.parse().unwrap());
        if taquin_gpu::space_extent(&goal).unwrap().bytes > device.free_memory().unwrap() {
            println!("skipped: {size} does not fit");
            continue;
        }
        let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().unwrap()).collect();
        let space = explored(&device, &goal);
        assert_eq!(space.depths(), counts, "{size}");
        let farthest = space.farthest().unwrap();
        assert_eq!(farthest.len() as u64, *counts.last().unwrap(), "{size}");
        compared += 1;
    }
    assert!(compared >= 2);
}

#[test]
#[ignore = "needs a CUDA device: cargo xtask gpu"]
fn a_space_that_does_not_fit_is_refused() {
    let device = device();
    let goal = goal_with_blank("3x5".parse().unwrap(), 0);
    if let Ok(_first) = Space::new(&device, &goal) {
        let error = Space::new(&device, &goal).unwrap_err().to_string();
        assert!(error.contains("MB of device memory are needed"), "{error}");
    }
}
