//! Measurements outside the program: other crates on the same boards, and parts of the library that
//! no command runs alone. Each is a separate process and prints JSON.

use std::time::Instant;
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};
use serde::Serialize;
use serde_json::json;
use taquin::space::{self, Explorer, Files, Member, SharePlan};
use taquin::{Metric, Monitor, NamedGoal, Puzzle, read_board};

use super::rival::Rival;

/// The outcome of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Outcome {
    pub(super) cost: u64,
    /// Nodes generated, or 0 if they are not counted.
    pub(super) generated: u64,
    /// Nodes held at the end.
    pub(super) stored: u64,
}

/// Does a piece of work in this process, and prints the result.
pub(crate) fn child(work: &str, arguments: &[String]) -> Result<bool> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let puzzle = |file: &str, goal: &str| -> Result<Puzzle> {
        let start = read_board(&fs::read_to_string(file)?, None)?;
        let goal = goal.parse::<NamedGoal>()?.board(start.size(), 1);
        Ok(Puzzle::new(start, goal)?)
    };
    let outcome = match (work, &arguments[..]) {
        ("astar", [file]) => json!(Rival::new(&puzzle(file, "first")?).astar()),
        ("reach", [file]) => json!(Rival::new(&puzzle(file, "last")?).reach()),
        ("closures", [file]) => {
            let found = taquin_search::astar(&plain(file)?, successors, manhattan, is_goal);
            ensure!(found.is_optimal(), "not proven optimal");
            let counts = found.counts;
            json!({ "cost": found.cost, "generated": counts.generated, "stored": counts.stored_peak })
        }
        ("closures-pathfinding", [file]) => {
            let found = pathfinding::prelude::astar(&plain(file)?, successors, manhattan, is_goal);
            json!({ "cost": found.context("not solved")?.1 })
        }
        ("layer-in-files", [size]) => layer_in_files(size)?,
        ("share", [size, processes]) => share(size, processes.parse()?)?,
        _ => bail!("there is no work '{work}' with {} arguments", arguments.len()),
    };
    println!("{outcome}");
    Ok(true)
}

/// The tile on each cell of a 15-puzzle, in the simplest form, without regard to speed; 0 is the
/// blank.
type PlainBoard = [u8; 16];

const GOAL: PlainBoard = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

fn is_goal(board: &PlainBoard) -> bool {
    *board == GOAL
}

fn successors(board: &PlainBoard) -> impl Iterator<Item = (PlainBoard, u32)> + use<> {
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

fn manhattan(board: &PlainBoard) -> u32 {
    let distance = |(cell, &tile): (u8, &u8)| match tile {
        0 => 0,
        _ => (cell / 4).abs_diff(tile / 4) + (cell % 4).abs_diff(tile % 4),
    };
    (0..).zip(board).map(distance).map(u32::from).sum()
}

fn plain(file: &str) -> Result<PlainBoard> {
    let board = read_board(&fs::read_to_string(file)?, None)?;
    let tiles: Vec<u8> = board.tiles().iter().map(|&tile| tile as u8).collect();
    tiles.try_into().ok().context("not a board of 16 cells")
}

/// Explores a space in files up to a layer that is full, and measures that layer.
fn layer_in_files(size: &str) -> Result<serde_json::Value> {
    /// The memory for the space.
    const MEMORY: u64 = 1 << 30;
    /// From this depth on, nearly every block of the 2x7 space has boards.
    const DENSE: usize = 56;
    let goal = NamedGoal::First.board(size.parse()?, 1);
    let folder = env::temp_dir().join(format!("taquin-bench-files-{}", std::process::id()));
    let mut explorer = Explorer::in_files(&goal, &folder, MEMORY)?;
    let monitor = Monitor::default();
    let explore = |explorer: &mut Explorer<Files>| -> Result<f64> {
        while explorer.depths().len() < DENSE && explorer.advance(&monitor)? {}
        let started = Instant::now();
        explorer.advance(&monitor)?;
        Ok(started.elapsed().as_secs_f64())
    };
    let seconds = explore(&mut explorer);
    space::remove_files(&folder);
    let depths = explorer.depths();
    Ok(json!({
        "seconds": seconds?, "depth": depths.len() - 1, "boards": depths.iter().sum::<u64>(),
    }))
}

/// The data that each of several processes needs for a whole space.
fn share(size: &str, processes: usize) -> Result<serde_json::Value> {
    let goal = NamedGoal::First.board(size.parse()?, 1);
    let member = Member { process: processes / 2, processes };
    let plan = SharePlan::new(&goal, Metric::Single, member, u64::MAX)?;
    let boards = plan.extent().states as f64 / processes as f64;
    Ok(json!({ "bytes": plan.extent().bytes, "arrives": plan.traffic(), "boards": boards }))
}

#[cfg(test)]
mod tests {
    use taquin::{Random, Session, Size, Task, Watch, scramble};

    use super::*;

    #[test]
    fn all_find_the_optimum_and_the_rival_searches_well() {
        let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
        let mut random = Random::new(1);
        for _ in 0..5 {
            let start = scramble::walk(&goal, 40, &mut random);
            let plain: Vec<u8> = start.tiles().iter().map(|&tile| tile as u8).collect();
            let plain: PlainBoard = plain.try_into().unwrap();
            let puzzle = Puzzle::new(start, goal.clone()).unwrap();
            let theirs = Rival::new(&puzzle).astar().unwrap();
            let task = Task::new(puzzle, "astar:manhattan,undo=keep".parse().unwrap());
            let ours = Session::without_folder().run(&task, Watch::default());
            let cost = Some(theirs.cost as u32);
            assert_eq!(ours.cost, cost);
            // The same search but for the order among equals in the last layer.
            let least = ours.before_last_bound.unwrap_or_default().generated;
            assert!(theirs.generated >= least, "{} < {least}", theirs.generated);
            let found = taquin_search::astar(&plain, successors, manhattan, is_goal);
            assert_eq!(found.cost, cost);
            let found = pathfinding::prelude::astar(&plain, successors, manhattan, is_goal);
            assert_eq!(found.map(|found| found.1), cost);
        }
    }

    #[test]
    fn every_state_is_seen_and_files_hold_them_too() {
        let goal = NamedGoal::Last.board(Size::new(3, 3).unwrap(), 1);
        let puzzle = Puzzle::new(goal.swapped(0, 1), goal).unwrap();
        assert_eq!(Rival::new(&puzzle).reach().stored, 181_440);
        assert_eq!(layer_in_files("2x4").unwrap()["depth"], 36);
        assert_eq!(share("3x4", 2).unwrap()["boards"], 119_750_400.0);
    }
}
