//! The metric in which a segment of tiles slides as one move.

use taquin::{
    Algorithm, Board, Ending, Method, NamedGoal, Puzzle, Random, Report, Session, Task, TaskLimits,
    Watch, scramble,
};

fn solve(session: &Session, start: &Board, goal: &Board, method: &str) -> Report {
    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
    let method: Method = method.parse().unwrap_or_else(|error| panic!("{method}: {error}"));
    let report = session.run(&Task::new(puzzle, method), Watch::default());
    assert_eq!(report.contradiction(), None, "{start} by {}", report.method);
    report
}

/// Every algorithm that aims at the optimum finds it, and no other claims less.
#[test]
fn every_algorithm_counts_segments() {
    let session = Session::without_folder();
    let mut random = Random::new(3);
    for (goal, boards) in [
        (NamedGoal::Last.board("2x3".parse().unwrap(), 1), 12),
        (NamedGoal::Snail.board("2x3".parse().unwrap(), 2), 6),
        (NamedGoal::First.board("1x5".parse().unwrap(), 2), 4),
        (NamedGoal::Last.board("3x3".parse().unwrap(), 1), 2),
    ] {
        for _ in 0..boards {
            let start = scramble::uniform(&goal, &mut random);
            let known = solve(&session, &start, &goal, "table,metric=multi");
            let fewest = known.cost.unwrap();
            assert!(known.optimal);
            for algorithm in Algorithm::ALL.iter().filter(|algorithm| algorithm.has_metric()) {
                // Without a table of known boards, 3x3 takes too long.
                let is_tree = algorithm.row().stores_only_a_path && *algorithm != Algorithm::Ida
                    || matches!(algorithm, Algorithm::Bts | Algorithm::Dfbnb | Algorithm::Random);
                let is_endless = matches!(algorithm, Algorithm::Dfs | Algorithm::Lrta);
                if is_endless || is_tree && goal.size().cells() > 6 {
                    continue;
                }
                let found = solve(&session, &start, &goal, &format!("{algorithm},metric=multi"));
                assert!(found.lower_bound.is_none_or(|bound| bound <= fewest), "{algorithm}");
                assert!(found.cost.is_none_or(|cost| cost >= fewest), "{algorithm}: {start}");
                if found.method.aims_at_optimal(&taquin::Costs::Unit) {
                    assert_eq!((found.cost, found.optimal), (Some(fewest), true), "{algorithm}");
                }
            }
        }
    }
}

/// On boards that are too large to be solved optimally, the answer has a bound.
#[test]
fn large_boards_get_an_answer_and_a_bound() {
    let session = Session::without_folder();
    let mut random = Random::new(8);
    for (size, blanks) in [("5x5", 1), ("7x7", 1), ("5x6", 3)] {
        let goal = NamedGoal::Last.board(size.parse().unwrap(), blanks);
        let start = scramble::uniform(&goal, &mut random);
        for method in ["auto,metric=multi", "anytime,metric=multi", "layers,metric=multi"] {
            let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
            let mut task = Task::new(puzzle, method.parse().unwrap());
            task.limits = TaskLimits { expanded: Some(20_000), ..TaskLimits::default() };
            let report = session.run(&task, Watch::default());
            assert_eq!(report.contradiction(), None, "{method}");
            assert_eq!(report.outcome, Ending::Solved, "{method}");
            let (cost, depth) = (report.cost.unwrap(), report.depth.unwrap());
            assert!(u64::from(cost) < depth && report.lower_bound.unwrap() >= 10, "{method}");
            assert!(report.stages.iter().all(|stage| stage.method.metric == report.method.metric));
            // No database counts segments, so none is recommended.
            assert!(report.hints.is_empty(), "{method}: {:?}", report.hints);
        }
    }
}

/// A proof that takes too long leaves time to shorten the first answer.
#[test]
fn an_answer_that_is_not_proven_is_shortened_in_segments() {
    let session = Session::without_folder();
    let goal = NamedGoal::Last.board("4x4".parse().unwrap(), 1);
    let start = scramble::uniform(&goal, &mut Random::new(9));
    let cost = |method: &str| {
        let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
        let mut task = Task::new(puzzle, method.parse().unwrap());
        task.limits = TaskLimits { seconds: Some(4.0), ..TaskLimits::default() };
        session.run(&task, Watch::default()).cost.unwrap()
    };
    let (first, better) = (cost("layers,metric=multi"), cost("auto,metric=multi"));
    assert!(better * 3 < first * 2, "{better} {first}");
}

#[test]
fn what_cannot_count_segments_is_refused() {
    for (text, message, hint) in [
        ("aida:pdb=small,metric=multi", "aida counts tiles", "write ida:walking,metric=multi"),
        ("astar:linear,metric=multi", "linear counts tiles", "write astar:walking,metric=multi"),
        ("ida:pdb=small,metric=multi", "pdb=small counts", "write ida:walking,metric=multi"),
        ("focal,d=linear,metric=multi", "linear counts", "write focal:walking,metric=multi"),
        ("auto,on=gpu,metric=multi", "devices", "leave out on= and prune="),
        ("ida,prune=6,metric=multi", "devices", "leave out on= and prune="),
        ("astar,metric=many", "", ""),
    ] {
        let error = text.parse::<Method>().unwrap_err();
        assert!(error.to_string().starts_with(message), "{text}: {error}");
        assert!(error.hint().unwrap_or_default().starts_with(hint), "{text}: {:?}", error.hint());
    }
    let usual = "astar,metric=multi".parse::<Method>().unwrap();
    assert_eq!(usual.to_string(), "astar:walking,metric=multi");
    let linear = "astar:linear".parse::<Method>().unwrap();
    assert!(linear.with_fields("metric=multi").is_err());
    let start: Board = "1 2 3/4 0 6/7 5 8".parse().unwrap();
    for (jumps, cost) in [(true, taquin::Costs::Unit), (false, taquin::Costs::Tile)] {
        let task = Task { method: usual.clone(), jumps, cost, ..start.clone().into() };
        let report = Session::without_folder().run(&task, Watch::default());
        assert_eq!((report.outcome, report.counts.expanded), (Ending::Stopped, 0));
        assert!(report.notes[0].starts_with("metric=multi counts segments"));
    }
}
