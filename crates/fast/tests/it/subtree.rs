//! Subtrees that are searched one by one, compared with searches of whole trees.

use taquin_fast::{Solver, SolverHeuristic, SolverOptions, SubtreeEnd, SweepCounts};
use taquin_search::{Limits, Random};
use taquin_tiles::{Board, NamedGoal, Size, Slide, replay, scramble};

use crate::patterns;

/// Searches all thresholds in subtrees, and returns the counts before the last one, the last one and a
/// solution.
fn by_subtrees(
    solver: &Solver,
    start: &Board,
    wanted: usize,
    random: &mut Random,
) -> (SweepCounts, u32, Vec<Slide>) {
    let mut before = SweepCounts::default();
    let mut threshold = solver.estimate(start).unwrap();
    let mut expected = 0.0;
    loop {
        let cut = solver.cut(start, threshold, (wanted, expected), &|_| None).unwrap();
        let mut total = cut.above;
        let mut solution = None;
        // In any order.
        let mut subtrees = cut.subtrees;
        random.shuffle(&mut subtrees);
        for (at, subtree) in subtrees.iter().enumerate() {
            let (place, size) = ((start, &subtree.path[..]), (threshold, subtree.expected as u64));
            let threads = 1 + at % 2;
            let found = solver.search_subtree(place, size, threads, &Limits::default(), None);
            let found = found.unwrap();
            match found.end {
                SubtreeEnd::Complete => total.add(&found.counts),
                SubtreeEnd::Solved(actions) => solution = Some(actions),
                SubtreeEnd::Stopped(stop) => panic!("{stop:?}"),
            }
        }
        if let Some(solution) = solution {
            return (before, threshold, solution);
        }
        before.expanded += total.expanded;
        before.generated += total.generated;
        before.deepest = total.deepest;
        expected = total.generated as f64 * 6.0;
        threshold = total.least_above.unwrap();
    }
}

#[test]
fn counts_of_subtrees_add_up_to_those_of_the_tree() {
    let sizes = [(3, 3, 60, "1.2.3.4/5.6.7.8"), (3, 4, 60, "1.2.3.4/5.6.7.8"), (4, 4, 40, "")];
    let mut random = Random::new(3);
    for (rows, cols, walk, partition) in sizes {
        let size = Size::new(rows, cols).unwrap();
        let goal = NamedGoal::Last.board(size, 1);
        let mut estimates = vec![SolverHeuristic::Manhattan];
        if !partition.is_empty() {
            estimates.push(patterns(&goal, partition));
        }
        for (estimate, prune) in estimates.iter().flat_map(|one| [(one, 2), (one, 8)]) {
            let options = SolverOptions { prune, ..SolverOptions::default() };
            let solver = Solver::new(&goal, estimate, options).unwrap();
            for wanted in [1, 2, 7, 60, 1000] {
                let start = scramble::walk(&goal, walk, &mut random);
                let expected = solver.solve(&start, 1, &Limits::default()).unwrap();
                let (before, threshold, solution) =
                    by_subtrees(&solver, &start, wanted, &mut random);
                let counts = expected.before_last_bound.unwrap();
                assert_eq!(
                    (before.expanded, before.generated, threshold),
                    (counts.expanded, counts.generated, expected.lower_bound),
                    "{start}, {wanted} subtrees"
                );
                assert_eq!(solution.len(), threshold as usize);
                assert_eq!(replay(&start, &solution).as_ref(), Ok(&goal));
            }
        }
    }
}

#[test]
fn a_path_that_the_tree_does_not_have_is_refused() {
    let goal = NamedGoal::Last.board(Size::new(4, 4).unwrap(), 1);
    let options = SolverOptions::default();
    let solver = Solver::new(&goal, &SolverHeuristic::Manhattan, options).unwrap();
    let start = scramble::walk(&goal, 40, &mut Random::new(1));
    let threshold = solver.estimate(&start).unwrap() + 10;
    let cut = solver.cut(&start, threshold, (50, 1e4), &|_| None).unwrap();
    let search = |path: &[Slide], threshold| {
        solver.search_subtree((&start, path), (threshold, 0), 1, &Limits::default(), None)
    };
    let deep = cut.subtrees.iter().max_by_key(|subtree| subtree.path.len()).unwrap();
    assert!(search(&deep.path, threshold).is_some());
    // Not within the threshold, not a move from there, and a move back.
    assert!(search(&deep.path, 3).is_none());
    assert!(search(&deep.path[1..], threshold).is_none());
    let first = deep.path[0];
    let back = Slide { blank: first.target(start.size()), step: first.step.opposite() };
    assert!(search(&[first, back], threshold + 10).is_none());
}
