//! Tasks and reports as the JSON that every front end reads and writes.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taquin::{Board, Costs, Ending, NamedGoal, Puzzle, Report, Session, Task, Watch};

fn task(start: &str, method: &str) -> Task {
    let start: Board = start.parse().unwrap();
    let goal = NamedGoal::Last.board(start.size(), start.blanks().count());
    Task::new(Puzzle::new(start, goal).unwrap(), method.parse().unwrap())
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_report_is_written_as_documented() {
    let report = Session::without_folder()
        .run(&task("1 2 3/4 0 6/7 5 8", "astar:manhattan,order=fifo"), Watch::default());
    let written = serde_json::to_value(&report).unwrap();
    let expected = [
        "puzzle",
        "method",
        "outcome",
        "reason",
        "cost",
        "depth",
        "lower_bound",
        "optimal",
        "moves",
        "notation",
        "counts",
        "before_last_bound",
        "seconds",
        "stages",
    ];
    assert_eq!(keys(&written), BTreeSet::from(expected));
    assert_eq!(
        written["puzzle"],
        json!({
            "rows": 3, "cols": 3,
            "start": [1, 2, 3, 4, 0, 6, 7, 5, 8],
            "goal": [1, 2, 3, 4, 5, 6, 7, 8, 0],
        })
    );
    assert_eq!(written["method"], "astar:manhattan,order=fifo");
    assert_eq!((&written["outcome"], &written["reason"]), (&json!("solved"), &Value::Null));
    for (field, value) in [("cost", 2), ("depth", 2), ("lower_bound", 2)] {
        assert_eq!(written[field], value);
    }
    assert_eq!((&written["optimal"], &written["moves"]), (&json!(true), &json!("DR")));
    let counts = BTreeSet::from([
        "expanded",
        "generated",
        "duplicates",
        "reopened",
        "dropped_cheaper",
        "frontier_peak",
        "depth_peak",
        "stored_peak",
        "memory_peak",
    ]);
    assert_eq!(keys(&written["counts"]), counts);
    assert_eq!(keys(&written["before_last_bound"]), counts);
    assert!(written["seconds"].as_f64().unwrap() >= 0.0);
}

/// The bound of a report is at least the Manhattan distance, whatever the search has proven.
#[test]
fn manhattan_distance_is_a_bound_of_every_report() {
    let session = Session::without_folder();
    let run = |task: &Task| {
        let report = session.run(task, Watch::default());
        assert_eq!(report.contradiction(), None, "{:?}", task.method);
        (report.lower_bound, report.optimal)
    };
    let near = "1 3 6/5 0 2/4 7 8";
    assert_eq!(run(&task(near, "random,seed=7")), (Some(8), true));
    assert_eq!(run(&task(near, "dfs")), (Some(8), false));
    let costs = Task { cost: Costs::Tile, ..task(near, "random,seed=7") };
    assert!(run(&costs).0 > Some(8));
    let mut stopped = task("8 6 7/2 5 4/3 0 1", "table");
    stopped.limits.expanded = Some(5);
    assert_eq!(run(&stopped), (Some(21), false));
    // Moves of several tiles may be fewer.
    stopped.method = "table,metric=multi".parse().unwrap();
    assert_eq!(run(&stopped), (Some(0), false));
}

#[test]
fn endings_and_reasons_are_written_in_small_letters() {
    let ending = |task: &Task| {
        let written =
            serde_json::to_value(Session::without_folder().run(task, Watch::default())).unwrap();
        (written["outcome"].clone(), written["reason"].clone(), written["lower_bound"].clone())
    };
    let refused = task("2 1 3/4 5 6/7 8 0", "bfs");
    assert_eq!(ending(&refused), (json!("unsolvable"), json!("parity"), Value::Null));
    let line = task("2 1 0/", "bfs");
    assert_eq!(ending(&line), (json!("unsolvable"), json!("order"), Value::Null));
    let anyway = Task { search_anyway: true, ..refused };
    assert_eq!(ending(&anyway), (json!("exhausted"), Value::Null, Value::Null));
    let mut limited = task("8 6 7/2 5 4/3 0 1", "ucs");
    limited.limits.expanded = Some(1);
    assert_eq!(ending(&limited), (json!("stopped"), json!("expanded"), json!(21)));
    let shallow = task("8 6 7/2 5 4/3 0 1", "dfs,depth=3");
    assert_eq!(ending(&shallow), (json!("stopped"), json!("depth"), json!(21)));
}

#[test]
fn reports_round_trip() {
    for (start, method) in [
        ("1 2 3/4 0 6/7 5 8", "auto"),
        ("1 2 3/4 0 6/7 5 8", "greedy:max=linear+gaschnig"),
        ("1 0 3/4 2 0/7 5 6", "bfs,moves=LRUD"),
        ("2 1 3/4 5 6/7 8 0", "ida:linear"),
        ("8 6 7/2 5 4/3 0 1", "beam:manhattan,k=1"),
        ("1 2/3 0", "dfs"),
    ] {
        let report = Session::without_folder().run(&task(start, method), Watch::default());
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report, "{text}");
        // With several blanks each move has its tile, and slides are read back from it.
        let solved = report.outcome == Ending::Solved;
        assert_eq!(report.moves.as_ref().map(|moves| moves.len() as u64), report.depth);
        assert_eq!(solved, report.depth.is_some());
    }
}

#[test]
fn a_task_is_a_puzzle_and_defaults() {
    let puzzle = json!({ "rows": 2, "cols": 2, "start": [1, 2, 0, 3], "goal": [1, 2, 3, 0] });
    let least: Task = serde_json::from_value(json!({ "puzzle": puzzle })).unwrap();
    assert_eq!(least, task("1 2/0 3", "auto"));
    let full = json!({
        "puzzle": puzzle,
        "method": "ida:linear,goal=expansion",
        "limits": { "expanded": 5, "generated": 6, "memory": 7, "seconds": 1.5 },
        "cost": "7,5",
        "threads": 2,
        "search_anyway": true,
        "jumps": true,
    });
    let read: Task = serde_json::from_value(full.clone()).unwrap();
    assert_eq!(read.cost, Costs::List(vec![7, 5]));
    assert_eq!(serde_json::to_value(&read).unwrap(), full);
    let again = serde_json::to_value(&least).unwrap();
    assert_eq!(serde_json::from_value::<Task>(again).unwrap(), least);
}

#[test]
fn what_is_no_task_is_refused() {
    let puzzle = json!({ "rows": 2, "cols": 2, "start": [1, 2, 0, 3], "goal": [1, 2, 3, 0] });
    let change = |field: &str, value: Value| {
        let mut puzzle = puzzle.clone();
        puzzle[field] = value;
        json!({ "puzzle": puzzle })
    };
    for (wrong, message) in [
        (json!({}), "missing field `puzzle`"),
        (change("rows", json!(3)), "3x2 board has 6 cells"),
        (change("rows", json!(0)), "at least one row"),
        (change("rows", json!(1_000_000_000_000_u64)), "more than 65535 cells"),
        (change("start", json!([1, 2, 3, 4])), "no blank"),
        (change("start", json!([1, 1, 0, 3])), "appears twice"),
        (change("goal", json!([1, 2, 0, 0])), "1 blank and"),
        (json!({ "puzzle": puzzle, "method": "asatr" }), "unknown method 'asatr'"),
        (json!({ "puzzle": puzzle, "cost": "dear" }), "'dear' is not a cost"),
        (json!({ "puzzle": puzzle, "limits": { "expand": 1 } }), "unknown field `expand`"),
    ] {
        let error = serde_json::from_value::<Task>(wrong.clone()).unwrap_err().to_string();
        assert!(error.contains(message), "{wrong}: {error}");
    }
}

/// An experiment recognises its runs by their tasks.
#[test]
fn a_time_limit_is_read_as_it_was_written() {
    for seconds in [0.1, 1e-9, 184_447_440_737_054_161.0, 1.8e17 + 32.0, 5e-324] {
        let mut task = task("1 2/0 3", "astar");
        task.limits.seconds = Some(seconds);
        let text = serde_json::to_string(&task).unwrap();
        assert_eq!(serde_json::from_str::<Task>(&text).unwrap(), task, "{text}");
    }
    for text in ["184447440737054161", "3.5844744073705416e16", "1.7976931348623157e308"] {
        let read: f64 = serde_json::from_str(text).unwrap();
        assert_eq!(Ok(read), text.parse(), "{text}");
    }
}
