//! Large boards: answers that get better while somebody watches.

use crate::run::{run, run_with};

#[test]
fn anytime_tells_of_each_improvement_and_ends_with_the_gap() {
    let board = run(&["gen", "--size", "7", "--seed", "3"]).out;
    let ran = run_with(&["solve", "-", "-m", "anytime", "--time", "1s"], board);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // Each line: when, how long the answer is, and what is proven.
    let told: Vec<(f64, u64, u64)> = ran
        .err
        .lines()
        .filter_map(|line| {
            let (seconds, rest) = line.split_once(" s: ")?;
            let (moves, bound) = rest.split_once(" moves; at least ")?;
            Some((seconds.parse().ok()?, moves.parse().ok()?, bound.parse().ok()?))
        })
        .collect();
    assert!(told.len() > 2, "{}", ran.err);
    assert!(told.is_sorted_by(|a, b| a.0 <= b.0 && a.1 > b.1 && a.2 <= b.2), "{}", ran.err);
    let &(_, moves, bound) = told.last().unwrap();
    let ending = format!(
        "Solved in {moves} moves: not proven optimal. At least {bound} moves are needed; this is {} more ({:.0} %).",
        moves - bound,
        (moves - bound) as f64 * 100.0 / bound as f64
    );
    assert!(ran.out.replace('\n', " ").starts_with(&ending), "{}", ran.out);
}
