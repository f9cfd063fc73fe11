//! The boards of a measurement.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use taquin::{NamedGoal, Puzzle, Session, read_board};
use taquin_lab::instances;

/// Reads boards, as in `random 4x4 n=9 seed=1 @first` with a goal at the end. In addition to the
/// program's sets, `table FILE 1 3` names lines of a file in crates/lab/data by their first
/// figures.
pub(super) fn read(text: &str) -> Result<Vec<(Puzzle, Value)>> {
    let (set, goal) = match text.rsplit_once(" @") {
        Some((set, goal)) => (set, Some(goal)),
        None => (text, None),
    };
    if let Some(table) = set.strip_prefix("table ") {
        return lines(table, goal.unwrap_or("last"));
    }
    let boards = instances::read(set, goal, Path::new(""), &Session::without_folder())
        .map_err(anyhow::Error::msg)?;
    let puzzles = boards.into_iter().map(|instance| instance.puzzle);
    Ok(puzzles.map(|puzzle| (puzzle.clone(), json!({ "distance": distance(&puzzle) }))).collect())
}

/// Reads lines of figures and boards: `id distance optimum .. | tiles`.
fn lines(table: &str, goal: &str) -> Result<Vec<(Puzzle, Value)>> {
    let (file, ids) = table.split_once(' ').unwrap_or((table, ""));
    let ids: Vec<&str> = ids.split_whitespace().collect();
    let path = crate::path("crates/lab/data").join(file);
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let goal: NamedGoal = goal.parse()?;
    let mut boards = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (figures, tiles) = line.split_once('|').context("a line has no tiles")?;
        let figures: Vec<&str> = figures.split_whitespace().collect();
        if !ids.is_empty() && !ids.iter().any(|id| figures.first() == Some(id)) {
            continue;
        }
        let start = read_board(tiles, None)?;
        let goal = goal.board(start.size(), 1);
        // A figure that is not known is a dash.
        let figures: Vec<Option<f64>> = figures.iter().map(|text| text.parse().ok()).collect();
        boards.push((Puzzle::new(start, goal)?, json!({ "figures": figures })));
    }
    Ok(boards)
}

/// The sum of the tiles' distances.
fn distance(puzzle: &Puzzle) -> usize {
    let homes = puzzle.goal().positions();
    let tiles = (0..).zip(puzzle.start().tiles()).filter(|(_, tile)| **tile != 0);
    tiles.map(|(cell, &tile)| puzzle.size().distance(cell, homes[usize::from(tile)])).sum()
}
