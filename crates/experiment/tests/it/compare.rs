//! Comparisons: the joint proofs of all runs on a puzzle.

use std::path::Path;
use std::sync::Arc;

use taquin::{Ending, Monitor, Reason, Session};
use taquin_experiment::{
    Comparison, ComparisonRow, CrewEvent, ExperimentRun, NamedSetting, Verdict,
};
use taquin_lab::{Request, instances};

fn compare(
    runs: &[ExperimentRun],
    monitor: &Arc<Monitor>,
    tell: &dyn Fn(CrewEvent<'_>),
) -> Comparison {
    Comparison::run(runs, &Session::without_folder(), monitor, tell)
}

fn runs(sets: &[&str], methods: &[&str]) -> Vec<ExperimentRun> {
    let session = Session::without_folder();
    let puzzles =
        sets.iter().flat_map(|set| instances::read(set, None, Path::new(""), &session).unwrap());
    let method = |text: &&str| {
        let (method, threads) = (Some((*text).to_owned()), Some(1));
        NamedSetting::new(&Request { method, threads, ..Request::default() }).unwrap()
    };
    let methods: Vec<NamedSetting> = methods.iter().map(method).collect();
    puzzles
        .flat_map(|each| methods.iter().map(|method| method.run(&each)).collect::<Vec<_>>())
        .collect()
}

fn rows(runs: &[ExperimentRun]) -> Vec<ComparisonRow> {
    let comparison = compare(runs, &Arc::default(), &|_| ());
    assert!(comparison.complete);
    comparison.rows
}

#[test]
fn the_boards_of_the_courses_have_the_depths_they_are_named_after() {
    for row in rows(&runs(&["courses"], &["ucs", "astar:misplaced"])) {
        assert_eq!(format!("depth {}", row.report.depth.unwrap()), row.label, "{}", row.name);
        assert_eq!(row.verdict, Verdict::Optimal);
    }
}

#[test]
fn one_proof_is_valid_for_all_runs_on_a_puzzle() {
    let both = rows(&runs(&["board 072461358"], &["greedy", "ida"]));
    assert_eq!(both[0].optimum, Some(24));
    let verdicts: Vec<Verdict> = both.iter().map(|row| row.verdict).collect();
    assert_eq!(verdicts, [Verdict::Longer, Verdict::Optimal]);
    assert!(both[0].report.cost > Some(24));
    // No run proves the optimum: a quick search does.
    let alone = rows(&runs(&["board 072461358"], &["greedy", "beam:linear,k=50"]));
    assert_eq!(alone[0].optimum, Some(24));
}

#[test]
fn a_board_that_is_given_twice_has_two_rows() {
    let found = rows(&runs(&["board 123406758", "board 123456078", "board 123406758"], &["bfs"]));
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].report, found[2].report);
}

#[test]
fn limits_and_unsolvable_boards_are_rows() {
    let mut runs = runs(&["board 867254301", "board 123456870"], &["bfs", "ida"]);
    for run in &mut runs {
        run.task.limits.expanded = Some(20_000);
    }
    let seen: Vec<_> = rows(&runs).iter().map(|row| (row.verdict, row.report.reason)).collect();
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
fn a_cancelled_comparison_has_the_rows_so_far() {
    let (monitor, runs) =
        (Arc::default(), runs(&["board 867254301", "board 123456078"], &["bfs", "astar"]));
    let comparison = compare(&runs, &monitor, &|event| {
        if matches!(event, CrewEvent::Started(run) if run.key() == runs[2].key()) {
            monitor.cancel();
        }
    });
    assert!(!comparison.complete);
    let last = &comparison.rows[2].report;
    assert_eq!((comparison.rows.len(), last.outcome), (3, Ending::Stopped));
    assert_eq!(last.reason, Some(Reason::Cancelled));
}

/// The engine of `ida:manhattan` counts whole subtrees, so that its time says nothing about the
/// heuristic.
#[test]
fn times_of_engines_of_different_kinds_are_not_compared() {
    let note = |methods: &[&str]| {
        let runs = runs(&["board 1 2 3 4/5 6 7 8/9 10 0 11/13 14 15 12"], methods);
        let samples = compare(&runs, &Arc::default(), &|_| ()).samples;
        let charts = samples.against_depth();
        assert_eq!(charts[2].note, samples.time_note);
        assert_eq!([&*charts[0].note, &*charts[1].note], ["", ""]);
        assert_eq!(samples.cactus().note, samples.time_note);
        samples.time_note
    };
    let both = note(&["ida:manhattan", "ida:linear", "auto"]);
    let words = ["specialised engine ran ida:manhattan ", "which ran ida:linear."];
    assert!(words.iter().all(|words| both.contains(words)), "{both}");
    assert_eq!(note(&["ida:manhattan", "auto"]), "");
    assert_eq!(note(&["ida:linear", "astar:manhattan", "table"]), "");
}
