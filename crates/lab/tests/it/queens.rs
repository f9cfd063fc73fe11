//! Compares queens with known numbers of solutions and a plain backtracking search.

use std::collections::BTreeSet;

use taquin::{Ending, Reason, TaskLimits};
use taquin_lab::queens::{Queens, QueensLimit};

/// The number of solutions for 1, 2, .. queens.
const KNOWN: [u64; 10] = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724];

fn solve(n: u8, method: &str, wanted: QueensLimit) -> taquin_lab::queens::Placements {
    let method = Queens::method(method).unwrap();
    Queens(n).solve(&method, wanted, &TaskLimits::default(), &std::sync::Arc::default())
}

/// Whether no two queens share a column or a diagonal.
fn is_solution(columns: &[u8]) -> bool {
    let pairs = (0..columns.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs
        .into_iter()
        .all(|(a, b)| columns[a] != columns[b] && columns[a].abs_diff(columns[b]) as usize != b - a)
}

/// The boards with room for another queen, and the boards with a queen, by recursion.
fn tree(n: u8, columns: &mut Vec<u8>) -> (u64, u64) {
    if columns.len() == usize::from(n) {
        return (0, 0);
    }
    let (mut inner, mut below) = (1, 0);
    for column in 0..n {
        columns.push(column);
        if is_solution(columns) {
            let (more_inner, more_below) = tree(n, columns);
            inner += more_inner;
            below += 1 + more_below;
        }
        columns.pop();
    }
    (inner, below)
}

#[test]
fn all_solutions_are_found_by_either_method() {
    for (n, known) in (1..).zip(KNOWN) {
        let tree = tree(n, &mut Vec::new());
        for method in ["bfs", "dfs", "dfs,duplicates=keep", "bfs,goal=expansion"] {
            let all = solve(n, method, QueensLimit::All);
            assert_eq!(all.found, known, "{n} {method}");
            assert_eq!(all.outcome == Ending::Solved, known > 0, "{n} {method}");
            assert!(all.solutions.iter().all(|board| is_solution(board)));
            let different: BTreeSet<&Vec<u8>> = all.solutions.iter().collect();
            assert_eq!(different.len() as u64, known, "{n} {method}");
            assert_eq!((all.counts.expanded, all.counts.generated), tree, "{n} {method}");
            let count = solve(n, method, QueensLimit::Count);
            assert_eq!((count.found, count.counts), (known, all.counts));
            assert!(count.solutions.is_empty());
        }
    }
}

#[test]
fn one_solution_is_enough() {
    for (n, known) in (1..).zip(KNOWN) {
        for method in ["bfs", "dfs"] {
            let one = solve(n, method, QueensLimit::One);
            assert_eq!(one.found, known.min(1));
            assert!(
                one.solutions
                    .iter()
                    .all(|board| is_solution(board) && board.len() == usize::from(n))
            );
            let ending = if known == 0 { Ending::Exhausted } else { Ending::Solved };
            assert_eq!(one.outcome, ending);
        }
    }
    // Depth-first search is in luck long before the whole tree is seen.
    let deep = solve(20, "dfs", QueensLimit::One);
    assert!(is_solution(&deep.solutions[0]) && deep.counts.expanded < 1_000_000);
}

#[test]
fn limits_end_the_search_with_what_was_found() {
    let limits = TaskLimits { expanded: Some(5_000), ..TaskLimits::default() };
    let method = Queens::method("dfs").unwrap();
    let some = Queens(10).solve(&method, QueensLimit::All, &limits, &std::sync::Arc::default());
    assert_eq!((some.outcome, some.reason), (Ending::Stopped, Some(Reason::Expanded)));
    assert!((1..724).contains(&some.found));
    assert_eq!(some.counts.expanded + some.found, 5_000);
}

#[test]
fn other_methods_are_refused_with_those_there_are() {
    let error = Queens::method("astar:manhattan").unwrap_err();
    assert_eq!(error.to_string(), "unknown method 'astar'");
    assert_eq!(error.hint(), Some("there are bfs, dfs"));
    assert!(Queens::method("dfs,moves=LRUD").is_err());
    assert_eq!(Queens::method("dfs,order=lifo,undo=keep").unwrap().to_string(), "dfs,undo=keep");
}
