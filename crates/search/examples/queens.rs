//! Eight queens that do not attack each other, with depth-first search.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use taquin_search::{ImplicitGraph, Policy};

const SIZE: usize = 8;

/// Places a queen in the next row wherever no other attacks it. A state has a column for each row.
fn placements(queens: &[usize]) -> Vec<(Vec<usize>, u32)> {
    let attacks = |row: usize, column: usize| {
        let (rows, columns) = (queens.len() - row, column.abs_diff(queens[row]));
        columns == 0 || columns == rows
    };
    (0..SIZE)
        .filter(|&column| !(0..queens.len()).any(|row| attacks(row, column)))
        .map(|column| ([queens, &[column]].concat(), 1))
        .collect()
}

pub(crate) fn main() {
    let graph =
        ImplicitGraph::new(|queens: &Vec<usize>| placements(queens), |queens| queens.len() == SIZE);
    let found = graph.best_first(&Vec::new(), |_| 0, &Policy::dfs());

    let queens = found.path.last().expect("eight queens can be placed");
    for &queen in queens {
        println!("{}", (0..SIZE).map(|c| if c == queen { "Q " } else { ". " }).collect::<String>());
    }
    println!("{} boards expanded", found.counts.expanded);
    assert_eq!(queens.len(), SIZE);
}
