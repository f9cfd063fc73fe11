//! Sorting a stack of pancakes by flipping its top, with IDA* and A*.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use taquin_search::{astar, idastar};

/// Sizes from top to bottom, each from 1 up.
type Stack = Vec<u32>;

fn flips(stack: &Stack) -> Vec<(Stack, u32)> {
    let flip = |count| {
        let mut next = stack.clone();
        next[..count].reverse();
        (next, 1)
    };
    (2..=stack.len()).map(flip).collect()
}

/// The gap heuristic: a flip changes one pair of neighbours, and the plate is the largest pancake.
fn gaps(stack: &Stack) -> u32 {
    let plate = stack.len() as u32 + 1;
    let below = stack.iter().skip(1).chain([&plate]);
    stack.iter().zip(below).filter(|(upper, lower)| upper.abs_diff(**lower) > 1).count() as u32
}

pub(crate) fn main() {
    let stack = vec![4, 6, 2, 5, 1, 3, 8, 7];
    for (name, found) in [
        ("idastar", idastar(&stack, flips, gaps, |stack| stack.is_sorted())),
        ("astar", astar(&stack, flips, gaps, |stack| stack.is_sorted())),
    ] {
        let flips = found.cost.expect("every stack can be sorted");
        println!("{name}: {flips} flips, {} stacks expanded", found.counts.expanded);
        assert!(found.is_optimal());
    }
}
