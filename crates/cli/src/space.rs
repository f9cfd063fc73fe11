//! A whole space as text.

use std::fmt::Write;

use taquin::{Board, Enumeration};
use taquin_draw::metric_words;

use crate::columns::Columns;
use crate::output::{BOLD, DIM, PLAIN, bar, count, gallery, thousands};

/// The number of farthest boards that are drawn.
const DRAWN: usize = 8;

/// Describes a space: its depths, with bars if they are wanted, and its farthest boards.
pub(crate) fn describe(enumeration: &Enumeration, goal: &Board, bars: bool) -> String {
    let Enumeration { metric, states, depths, max_depth, mean_depth, farthest, .. } = enumeration;
    let boards = count(*states, "board", "boards");
    let mut text =
        format!("{BOLD}{boards}{PLAIN} for the goal {goal}, {}\n\n", metric_words(*metric));
    let most = depths.iter().copied().max().unwrap_or(1).max(1);
    let row = |(depth, &boards): (usize, &u64)| {
        let bar = if bars { bar(boards as f64 / most as f64) } else { String::new() };
        [depth.to_string(), thousands(boards), bar]
    };
    let rows = depths.iter().enumerate().map(row);
    text += &Columns::new("rrl").headings(["depth", "boards", ""]).rows(rows).lines().concat();
    let last = depths.last().copied().unwrap_or(0);
    let boards = count(last, "board is", "boards are");
    let _ = writeln!(text, "\nmean depth {mean_depth:.6}; {boards} {max_depth} moves away");
    let drawn: Vec<_> = farthest
        .iter()
        .take(DRAWN)
        .filter_map(|tiles| Board::new(goal.size(), tiles.clone()).ok())
        .map(|board| (String::new(), board, None))
        .collect();
    if last as usize > drawn.len() {
        let _ = writeln!(text, "{DIM}the first {} of them:{PLAIN}", drawn.len());
    }
    let _ = write!(text, "\n{}", gallery(&drawn));
    text
}
