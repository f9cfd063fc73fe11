//! Whole spaces: the method `table`, and boards of an exact depth.

use std::sync::Arc;

use taquin::{
    Board, BoardsAtDepth, Ending, Method, Metric, Monitor, NamedGoal, Puzzle, Random, Reason,
    Session, SpaceFiles, SpaceJob, SpaceTableJob, Task, TaskLimits, Watch, scramble,
};

fn goal(size: &str, named: NamedGoal, blanks: usize) -> Board {
    named.board(size.parse().unwrap(), blanks)
}

fn task(start: &Board, goal: &Board, method: &str) -> Task {
    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
    Task::new(puzzle, method.parse::<Method>().unwrap())
}

#[test]
fn a_table_answers_as_a_search_does() {
    let session = Session::without_folder();
    let mut random = Random::new(5);
    for goal in [
        goal("3x3", NamedGoal::First, 1),
        goal("3x3", NamedGoal::Snail, 2),
        goal("2x4", NamedGoal::Last, 1),
        goal("1x6", NamedGoal::Last, 2),
    ] {
        for _ in 0..10 {
            let start = scramble::uniform(&goal, &mut random);
            let found = session.run(&task(&start, &goal, "table"), Watch::default());
            let searched = session.run(&task(&start, &goal, "astar:manhattan"), Watch::default());
            assert!(found.optimal && searched.optimal);
            assert_eq!((found.cost, found.depth), (searched.cost, searched.depth), "{start}");
            let segments =
                session.run(&task(&start, &goal, "table,metric=multi"), Watch::default());
            assert!(segments.optimal && segments.cost <= found.cost);
            assert!(segments.depth >= found.depth);
        }
    }
}

#[test]
fn a_table_keeps_to_the_limits() {
    let goal = goal("3x3", NamedGoal::Last, 1);
    let session = Session::without_folder();
    let start: Board = "8 6 7/2 5 4/3 0 1".parse().unwrap();
    let ending = |change: &dyn Fn(&mut Task)| {
        let mut task = task(&start, &goal, "table");
        change(&mut task);
        let report = session.run(&task, Watch::default());
        (report.outcome, report.reason)
    };
    let stopped = |reason| (Ending::Stopped, Some(reason));
    assert_eq!(ending(&|task| task.limits.expanded = Some(181_439)), stopped(Reason::Expanded));
    assert_eq!(ending(&|task| task.limits.memory = Some(10_000)), stopped(Reason::Memory));
    assert_eq!(ending(&|task| task.limits.seconds = Some(0.0)), stopped(Reason::Time));
    assert_eq!(ending(&|task| task.cost = taquin::Costs::Tile), stopped(Reason::Tables));
    assert_eq!(ending(&|_| ()), (Ending::Solved, None));
    // Once it is made it exists.
    assert_eq!(ending(&|task| task.limits.expanded = Some(1)), (Ending::Solved, None));
}

#[test]
#[ignore = "20 million boards, some of them searched first: half a minute"]
fn boards_of_a_depth_do_not_depend_on_the_table() {
    let folder = std::env::temp_dir().join(format!("taquin-depth-{}", std::process::id()));
    let session = Session::with_folder(&folder);
    let goal = goal("2x6", NamedGoal::Last, 4);
    let monitor = Arc::new(Monitor::default());
    // One that is common, one that is rare, all of one, and one beyond the farthest.
    let boards = |session: &Session| {
        [(30, 5), (42, 7), (43, 100), (45, 1)].map(|(depth, count)| {
            let (goal, random) = (&goal, &mut Random::new(9));
            let job = BoardsAtDepth { goal, depth, count, random, memory: None };
            session.run(job, Watch::by(&monitor))
        })
    };
    let without = boards(&session);
    let extent = taquin::space::table_extent(&goal, Metric::Single);
    let files = SpaceFiles::Table;
    let job = SpaceJob { files, memory: Some(extent.bytes), ..SpaceJob::new(&goal) };
    session.run(&job, Watch::by(&monitor)).unwrap();
    assert_eq!(boards(&Session::with_folder(&folder)), without);
    let limits = &TaskLimits::default();
    let lookup = SpaceTableJob { goal: &goal, metric: Metric::Single, limits };
    let table = session.run(lookup, Watch::default()).unwrap();
    for (boards, (depth, count)) in without.iter().zip([(30, 5), (42, 7), (43, 60)]) {
        let boards = boards.as_ref().unwrap();
        assert_eq!(boards.len(), count);
        assert!(boards.iter().all(|board| table.depth(board) == Some(depth)));
        let mut different: Vec<String> = boards.iter().map(ToString::to_string).collect();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), count);
    }
    assert_eq!(without[3], Err(taquin::DepthError::None { deepest: 44 }));
    std::fs::remove_dir_all(&folder).unwrap();
}
