//! Searches from both ends, on boards whose distances are known.

use std::collections::HashMap;

use taquin::{
    Board, Cost, Costs, Ending, Estimate, Method, NamedGoal, Puzzle, Reason, Session, Size, Task,
    TaskLimits, Watch,
};

use crate::oracle::Oracle;

fn task(puzzle: &Puzzle, method: &str) -> Task {
    Task::new(puzzle.clone(), method.parse().unwrap())
}

/// The size of a minimum vertex cover of all pairs of states whose bound is below the distance.
/// Each search's states count by their g: a cover has all up to some g in one search, and all in
/// the other that pair with the rest.
fn minimum_cover(puzzle: &Puzzle, distance: Cost) -> u64 {
    let session = Session::without_folder();
    // By the cost from `from`, the states whose f is below the distance.
    let states = |from: &Board, puzzle: &Puzzle| {
        let estimate = session.evaluator(&Estimate::Manhattan, puzzle, &Costs::Unit).unwrap();
        let mut counts = vec![0; distance as usize];
        for (board, g) in Oracle::new(from, |_| 1).boards() {
            if g + estimate.estimate(&board) < distance {
                counts[g as usize] += 1;
            }
        }
        counts
    };
    let forth: Vec<u64> = states(puzzle.start(), puzzle);
    let back: Vec<u64> = states(puzzle.goal(), &puzzle.reversed());
    // A pair needs one action between its states at least.
    let cover = |taken: usize| {
        let paired = (distance as usize).saturating_sub(taken + 1);
        forth[..taken].iter().chain(&back[..paired]).sum()
    };
    (0..distance as usize).map(cover).min().unwrap_or(0)
}

#[test]
fn nbs_expands_at_most_twice_the_minimum_vertex_cover() {
    let goal = NamedGoal::Last.board(Size::new(3, 3).unwrap(), 1);
    let boards: Vec<(Board, Cost)> = Oracle::new(&goal, |_| 1).boards().collect();
    let mut covers = HashMap::new();
    for (start, distance) in boards.iter().step_by(30_011) {
        let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
        let cover = minimum_cover(&puzzle, *distance);
        let report = Session::without_folder().run(&task(&puzzle, "nbs"), Watch::default());
        assert_eq!(report.cost, Some(*distance));
        let necessary = report.before_last_bound.unwrap().expanded;
        assert!(necessary <= 2 * cover, "{start}: {necessary}, and the cover has {cover}");
        // No search can do with less than the cover.
        for method in ["mm", "dvcbs", "astar"] {
            let report = Session::without_folder().run(&task(&puzzle, method), Watch::default());
            assert!(report.counts.expanded >= cover, "{method} of {start}: below {cover}");
        }
        covers.insert(start, cover);
    }
    assert!(covers.len() > 5 && covers.values().any(|&cover| cover > 100), "{covers:?}");
}

#[test]
fn tables_for_the_start_are_built_or_the_search_is_refused() {
    let puzzle = Puzzle::new(
        "8 6 7/2 5 4/3 0 1".parse().unwrap(),
        NamedGoal::Last.board(Size::new(3, 3).unwrap(), 1),
    )
    .unwrap();
    for method in ["bae:zpdb=1.2.3.4/5.6.7.8", "nbs:pdb=1.2.3/4.5.6", "mm:walking"] {
        let report = Session::without_folder().run(&task(&puzzle, method), Watch::default());
        assert_eq!((report.cost, report.optimal), (Some(31), true), "{method}");
        let limits = TaskLimits { memory: Some(1_000), ..TaskLimits::default() };
        let task = Task { limits, ..task(&puzzle, method) };
        let report = Session::without_folder().run(&task, Watch::default());
        let reason = (report.outcome, report.reason);
        let refused =
            [Reason::Tables, Reason::Memory].map(|reason| (Ending::Stopped, Some(reason)));
        assert!(refused.contains(&reason), "{method}: {reason:?}");
        assert_eq!(report.counts.expanded, 0, "{method}");
    }
}

/// An entry of a plain database is the least over all positions of the blank, so that one move can
/// change an estimate by more than it costs.
#[test]
fn bae_refuses_what_is_not_consistent() {
    let error = "bae:max=linear+pdb=1.2.3.4/5.6.7.8".parse::<Method>().unwrap_err();
    assert_eq!(error.to_string(), "bae needs a consistent heuristic, and pdb= is not");
    assert_eq!(error.hint(), Some("use zpdb= or another heuristic, or search with nbs"));
    // Fields of a method are public.
    let mut method: Method = "nbs:pdb=1.2.3.4/5.6.7.8".parse().unwrap();
    method.algorithm = taquin::Algorithm::Bae;
    let goal = NamedGoal::First.board(Size::new(3, 3).unwrap(), 1);
    let puzzle = Puzzle::new("3 0 2/1 5 4/8 6 7".parse().unwrap(), goal).unwrap();
    let report = Session::without_folder().run(&Task::new(puzzle, method), Watch::default());
    assert_eq!((report.outcome, report.cost, report.optimal), (Ending::Stopped, None, false));
}
