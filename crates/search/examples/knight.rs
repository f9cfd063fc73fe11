//! The fewest moves of a knight between two squares of a chess board, with A*.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use taquin_search::astar;

/// A column and a row, both from 0.
type Square = (i32, i32);

const JUMPS: [Square; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn jumps((column, row): Square) -> impl Iterator<Item = (Square, u32)> {
    let board = 0..8;
    JUMPS
        .into_iter()
        .map(move |(right, up)| (column + right, row + up))
        .filter(move |(column, row)| board.contains(column) && board.contains(row))
        .map(|square| (square, 1))
}

pub(crate) fn main() {
    let (start, goal) = ((0, 0), (7, 7));
    // A jump covers three rows and columns at most.
    let estimate = |&(x, y): &Square| (x.abs_diff(goal.0) + y.abs_diff(goal.1)).div_ceil(3);
    let found = astar(&start, |&square| jumps(square), estimate, |&square| square == goal);

    let name = |(column, row): &Square| format!("{}{}", (b'a' + *column as u8) as char, row + 1);
    let path: Vec<String> = found.path.iter().map(name).collect();
    println!("{} in {} moves", path.join(" "), path.len() - 1);
    println!("{} squares expanded", found.counts.expanded);
    assert_eq!((found.cost, found.is_optimal()), (Some(6), true));
}
