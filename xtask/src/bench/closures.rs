//! A* with closures on boards that are plain arrays, compared with `pathfinding`.
//!
//! Both crates get the same closures, as a user who does not think about speed would write them.

use anyhow::{Context as _, Result, ensure};

use super::astar::korf;
use super::process::measure_beside;
use super::{Found, Options, Row, Work};

pub(super) const WORKS: &[(&str, Work)] = &[(OURS, ours), (THEIRS, theirs)];

const OURS: &str = "closures-taquin";
const THEIRS: &str = "closures-pathfinding";

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    // Instances of moderate difficulty, with 1.6, 1.5 and 3.7 million stored boards.
    let instances: &[&str] = if options.quick { &["28"] } else { &["28", "90", "5"] };
    let mut rows = Vec::new();
    for instance in instances {
        let [ours, theirs] = measure_beside([OURS, THEIRS], instance, options.times())?;
        let (found, expected) = (ours.found.value, theirs.found.value);
        ensure!(found == expected, "on Korf {instance} the optimum is {found} or {expected}");
        let row = |what, value, note| Row {
            name: format!("Korf {instance}, {what}, pathfinding = 1"),
            value,
            unit: "",
            must: 0.6,
            aim: 0.4,
            note,
        };
        let (seconds, bytes) = (ours.seconds / theirs.seconds, ours.peak_bytes / theirs.peak_bytes);
        rows.push(row("time", seconds, ours.describe("taquin")));
        let note =
            format!("pathfinding: {:.3} s, {:.0} MB", theirs.seconds, theirs.peak_bytes / 1e6);
        rows.push(row("peak memory", bytes, note));
    }
    Ok(rows)
}

/// The tile on each cell of a 15-puzzle; 0 is the blank.
type Board = [u8; 16];

const GOAL: Board = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

fn successors(board: &Board) -> impl Iterator<Item = (Board, u32)> + use<> {
    let board = *board;
    let blank = board.iter().position(|&tile| tile == 0).expect("there is a blank");
    let (row, column) = (blank / 4, blank % 4);
    let up = (row > 0).then(|| blank - 4);
    let left = (column > 0).then(|| blank - 1);
    let right = (column < 3).then(|| blank + 1);
    let down = (row < 3).then(|| blank + 4);
    [up, left, right, down].into_iter().flatten().map(move |from| {
        let mut next = board;
        next.swap(blank, from);
        (next, 1)
    })
}

fn manhattan(board: &Board) -> u32 {
    let distance = |(cell, &tile): (u8, &u8)| match tile {
        0 => 0,
        _ => (cell / 4).abs_diff(tile / 4) + (cell % 4).abs_diff(tile % 4),
    };
    (0..).zip(board).map(distance).map(u32::from).sum()
}

fn board(instance: &str) -> Result<Board> {
    let tiles: Vec<u8> = korf(instance)?.start().tiles().iter().map(|&tile| tile as u8).collect();
    tiles.try_into().ok().context("not a board of 16 cells")
}

fn ours(instance: &str) -> Result<Found> {
    let found =
        taquin_search::astar(&board(instance)?, successors, manhattan, |board| *board == GOAL);
    ensure!(found.is_optimal(), "not proven optimal");
    let cost = found.cost.context("not solved")?;
    let counts = found.counts;
    Ok(Found { value: cost.into(), generated: counts.generated, stored: counts.stored_peak })
}

fn theirs(instance: &str) -> Result<Found> {
    let start = board(instance)?;
    let found = pathfinding::prelude::astar(&start, successors, manhattan, |board| *board == GOAL);
    let (_, cost) = found.context("not solved")?;
    // It does not report counts.
    Ok(Found { value: cost.into(), generated: 0, stored: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_find_the_optimum() {
        for moves in 0..30 {
            let walk = |board: Board, at: usize| successors(&board).nth(at % 2).unwrap().0;
            let start = (0..moves).fold(GOAL, walk);
            let ours = taquin_search::astar(&start, successors, manhattan, |board| *board == GOAL);
            let theirs =
                pathfinding::prelude::astar(&start, successors, manhattan, |board| *board == GOAL);
            assert_eq!(ours.cost, theirs.map(|found| found.1));
        }
    }
}
