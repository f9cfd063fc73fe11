//! The boards of a course, each with its known number of moves.

use taquin::{Ending, NamedGoal, Puzzle, Reason, Report, Session, Task, Watch, read_board};

use crate::oracle::data;

/// A board's file, its side and its moves; none if it can't be solved.
struct Row {
    file: String,
    side: usize,
    moves: Option<u64>,
}

fn rows() -> Vec<Row> {
    let read = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let (file, side) = (fields[0].to_owned(), fields[1].parse().unwrap());
        Row { file, side, moves: fields[2].parse().ok() }
    };
    let rows: Vec<Row> = data("princeton/expected.csv").lines().skip(1).map(read).collect();
    assert_eq!(rows.len(), 101);
    rows
}

fn solve(row: &Row, method: &str) -> Report {
    let start = read_board(&data(&format!("princeton/boards/{}", row.file)), None).unwrap();
    assert_eq!((start.size().rows(), start.size().cols()), (row.side, row.side));
    let goal = NamedGoal::Last.board(start.size(), 1);
    Session::without_folder().run(
        &Task::new(Puzzle::new(start, goal).unwrap(), method.parse().unwrap()),
        Watch::default(),
    )
}

fn check(row: &Row, method: &str) {
    let report = solve(row, method);
    let file = &row.file;
    if let Some(moves) = row.moves {
        assert_eq!((report.depth, report.optimal), (Some(moves), true), "{method} of {file}");
    } else {
        assert_eq!(report.outcome, Ending::Unsolvable, "{file}");
        assert_eq!(report.reason, Some(Reason::Parity), "{file}");
        assert_eq!(report.counts.expanded, 0, "{file}");
    }
}

#[test]
fn boards_that_cannot_be_solved_are_refused() {
    let rows = rows().into_iter().filter(|row| row.moves.is_none());
    assert_eq!(rows.map(|row| check(&row, "auto")).count(), 5);
}

#[test]
fn small_boards_are_solved_by_every_method_that_is_optimal() {
    let rows = rows().into_iter().filter(|row| row.side <= 3);
    let solved = rows.map(|row| {
        for method in ["auto", "bfs", "ucs", "bidirectional", "astar:manhattan", "ida:linear"] {
            check(&row, method);
        }
    });
    assert_eq!(solved.count(), 43);
}

#[test]
fn boards_of_up_to_45_moves_are_solved() {
    let rows = rows().into_iter().filter(|row| row.moves.is_some_and(|moves| moves <= 45));
    assert_eq!(rows.filter(|row| row.side > 3).map(|row| check(&row, "astar:linear")).count(), 49);
}

#[test]
fn large_boards_of_a_few_moves_are_solved_by_auto() {
    let rows = rows().into_iter().filter(|row| row.side > 4);
    assert_eq!(rows.map(|row| check(&row, "auto")).count(), 5);
}

#[test]
#[ignore = "boards of up to 50 moves take a minute without databases"]
fn all_boards_are_solved() {
    for row in rows() {
        check(&row, "ida:linear");
        check(&row, "astar:linear");
    }
}
