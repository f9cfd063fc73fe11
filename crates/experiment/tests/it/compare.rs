//! Comparisons: what the runs on a puzzle know together.

use std::sync::Arc;

use taquin::{Ending, Monitor, NamedGoal, Puzzle, Reason, Session};
use taquin_experiment::{Comparisons, Row, Verdict};

fn plan(boards: &[&str], methods: &[&str]) -> Comparisons {
    let puzzle = |board: &&str| {
        let start: taquin::Board = board.parse().unwrap();
        let goal = NamedGoal::Last.board(start.size(), 1);
        ((*board).to_owned(), Puzzle::new(start, goal).unwrap())
    };
    Comparisons {
        puzzles: boards.iter().map(puzzle).collect(),
        methods: methods.iter().map(|text| ((*text).to_owned(), text.parse().unwrap())).collect(),
        ..Comparisons::usual()
    }
}

fn rows(plan: &Comparisons) -> Vec<Row> {
    let comparison = plan.run(&Session::without_folder(), &Arc::default(), &mut |_, _| ());
    assert!(comparison.complete);
    comparison.rows
}

#[test]
fn the_usual_puzzles_have_the_depths_they_are_named_after() {
    for row in rows(&Comparisons::usual()) {
        assert_eq!(format!("depth {}", row.report.depth.unwrap()), row.label, "{}", row.name);
        assert_eq!(row.verdict, Verdict::Optimal);
    }
}

#[test]
fn one_proof_serves_all_runs_on_a_puzzle() {
    let both = rows(&plan(&["072461358"], &["greedy", "ida"]));
    assert_eq!(both[0].optimum, Some(24));
    assert_eq!(
        both.iter().map(|row| row.verdict).collect::<Vec<_>>(),
        [Verdict::Longer, Verdict::Optimal]
    );
    assert!(both[0].report.cost > Some(24));
    // Nobody proves anything here: it is looked up besides.
    let alone = rows(&plan(&["072461358"], &["greedy", "beam:linear,k=50"]));
    assert_eq!(alone[0].optimum, Some(24));
}

#[test]
fn limits_and_unsolvable_boards_are_rows() {
    let mut plan = plan(&["867254301", "123456870"], &["bfs", "ida"]);
    plan.base.limits.expanded = Some(20_000);
    let rows = rows(&plan);
    let seen: Vec<_> = rows.iter().map(|row| (row.verdict, row.report.reason)).collect();
    assert_eq!(
        seen,
        [
            (Verdict::Stopped, Some(Reason::Expanded)),
            (Verdict::Optimal, None),
            (Verdict::Unsolvable, Some(Reason::Parity)),
            (Verdict::Unsolvable, Some(Reason::Parity)),
        ]
    );
}

#[test]
fn cancelled_in_the_middle_it_gives_what_it_has() {
    let monitor = Arc::new(Monitor::default());
    let mut begun = 0;
    let comparison = plan(&["867254301"; 3], &["bfs", "astar"]).run(
        &Session::without_folder(),
        &monitor,
        &mut |_, _| {
            begun += 1;
            if begun == 3 {
                monitor.cancel();
            }
        },
    );
    assert!(!comparison.complete);
    let last = &comparison.rows[2].report;
    assert_eq!((comparison.rows.len(), last.outcome), (3, Ending::Stopped));
    assert_eq!(last.reason, Some(Reason::Cancelled));
}
