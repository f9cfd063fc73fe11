//! Courses: every figure that a course or a paper prints, to the node.

use std::sync::Arc;

use taquin::{Board, Ending, Method, Report, Session, Watch};
use taquin_lab::{Course, CourseError, Value, second_look};

fn course(name: &str) -> Arc<Course> {
    Course::find(name).unwrap()
}

/// A run as a course does it.
fn run(name: &str, method: &str, board: &str) -> Report {
    let course = course(name);
    let board: Board = board.parse().unwrap();
    let choice = course.method(Some(method)).unwrap();
    assert_eq!(choice.overrides, [""; 0]);
    Session::without_folder()
        .run(&course.task(course.puzzle(board).unwrap(), choice.method), Watch::default())
}

/// The counts that a course prints.
fn numbers(name: &str, report: &Report, keys: &[&str]) -> Vec<u64> {
    let figures = course(name).figures(report);
    let number = |key: &&str| match figures.get(key) {
        Some(Value::Number(number)) => *number,
        other => panic!("{name} has {other:?} for {key}"),
    };
    keys.iter().map(number).collect()
}

/// Start, depth; expanded, largest queue for uniform cost, misplaced tiles and Manhattan distance.
type Row = (&'static str, u64, [(u64, u64); 3]);

const LIST: [Row; 8] = [
    ("123456780", 0, [(0, 0), (0, 0), (0, 0)]),
    ("123456078", 2, [(3, 4), (2, 3), (2, 3)]),
    ("123506478", 4, [(23, 18), (4, 6), (4, 6)]),
    ("136502478", 8, [(247, 157), (18, 16), (12, 12)]),
    ("136507482", 12, [(1_885, 1_128), (119, 84), (36, 28)]),
    ("167503482", 16, [(11_199, 6_036), (665, 414), (95, 63)]),
    ("712485630", 20, [(38_502, 17_067), (3_145, 1_832), (502, 306)]),
    ("072461358", 24, [(126_183, 24_048), (17_768, 8_717), (1_757, 967)]),
];

const HEAP: [Row; 8] = [
    ("123456780", 0, [(0, 0), (0, 0), (0, 0)]),
    ("123456078", 2, [(5, 6), (2, 3), (2, 3)]),
    ("123506478", 4, [(27, 22), (4, 6), (4, 6)]),
    ("136502478", 8, [(262, 169), (18, 16), (12, 12)]),
    ("136507482", 12, [(2_306, 1_279), (119, 84), (36, 28)]),
    ("167503482", 16, [(13_985, 6_708), (631, 397), (233, 152)]),
    ("712485630", 20, [(51_731, 18_169), (2_532, 1_504), (338, 218)]),
    ("072461358", 24, [(125_788, 24_171), (15_163, 7_872), (3_112, 1_749)]),
];

fn table(name: &str, expanded: &str, rows: &[Row], depth: impl Fn(u64, usize) -> u64) {
    for &(board, optimum, cells) in rows {
        for (at, (expansions, queue)) in cells.into_iter().enumerate() {
            let report = run(name, &(at + 1).to_string(), board);
            let figures = numbers(name, &report, &[expanded, "max_queue_size"]);
            assert_eq!(figures, [expansions, queue], "{name} {board} method {}", at + 1);
            assert_eq!(report.depth, Some(depth(optimum, at)), "{name} {board} method {}", at + 1);
        }
    }
}

#[test]
fn the_table_of_the_sorted_list() {
    table("ucr-list", "nodes_expanded", &LIST, |optimum, _| optimum);
}

#[test]
fn the_table_of_the_heap() {
    table("ucr-heap", "node_expand_number", &HEAP, |optimum, method| match (optimum, method) {
        (16 | 24, 2) => optimum + 2,
        _ => optimum,
    });
}

#[test]
fn breadth_first_visits_what_the_lab_printed() {
    let report = run("cse5aif", "bfs", "6 7 5/4 3 0/2 1 8");
    assert_eq!(numbers("cse5aif", &report, &["visited_states", "steps"]), [162_680, 25]);
}

#[test]
fn several_blanks_are_counted_as_the_report_does() {
    let one_up = ["1 2 3 4 5/6 7 8 9 0/11 12 13 0 10", "1 2 3 4 5/6 7 8 0 10/11 12 13 9 0"];
    for board in one_up {
        for (method, nodes) in [("BFS", 4), ("DFS", 4), ("GBFS", 7), ("AS", 7), ("CUS2", 7)] {
            let report = run("nxm", method, board);
            assert_eq!(numbers("nxm", &report, &["nodes"]), [nodes], "{method} {board}");
        }
    }
    let both_up = "1 2 3 4 5/6 7 8 0 0/11 12 13 9 10";
    for (method, nodes) in [("BFS", 24), ("GBFS", 14), ("AS", 14), ("CUS2", 20)] {
        assert_eq!(numbers("nxm", &run("nxm", method, both_up), &["nodes"]), [nodes], "{method}");
    }
    // A random choice is the same one for the same seed.
    let report = run("nxm", "CUS1", both_up);
    assert_eq!(report.outcome, Ending::Solved);
    assert_eq!(report.counts, run("nxm", "CUS1", both_up).counts);
}

#[test]
fn the_expense_puzzle_costs_what_the_hand_out_says() {
    let report = run("uta", "a*", "2 3 6/1 0 7/4 8 5");
    let keys =
        ["cost", "depth", "nodes_popped", "nodes_expanded", "nodes_generated", "max_fringe_size"];
    assert_eq!(numbers("uta", &report, &keys), [63, 12, 97, 64, 173, 77]);
    let Some(Value::Steps(steps)) = course("uta").figures(&report).get("steps").cloned() else {
        panic!("no steps")
    };
    assert_eq!((steps.len(), steps[0].as_str()), (12, "Move 7 Left"));
}

#[test]
fn the_queue_of_puzzle04_is_the_checklists() {
    let report = run("princeton", "manhattan", "0 1 3/4 2 5/7 8 6");
    let keys = ["minimum_number_of_moves", "enqueued", "dequeued"];
    assert_eq!(numbers("princeton", &report, &keys), [4, 10, 5]);
    assert_eq!(
        numbers("princeton", &run("princeton", "hamming", "0 1 3/4 2 5/7 8 6"), &keys),
        [4, 10, 5]
    );
}

#[test]
fn a_long_wait_of_a_report_has_an_optimum() {
    let board: Board = "13 7 4 8/10 0 12 1/15 2 5 9/14 3 6 11".parse().unwrap();
    let course = course("ucr-list");
    let task = course.task(course.puzzle(board).unwrap(), "ida:linear".parse().unwrap());
    let report = Session::without_folder().run(&task, Watch::default());
    assert_eq!((report.depth, report.optimal), (Some(48), true));
}

#[test]
fn every_spelling_is_a_method_in_full() {
    for course in Course::built_in() {
        for method in &course.methods {
            let spelling = method.method.to_string();
            let parsed: Method = spelling.parse().unwrap();
            assert_eq!(parsed, method.method, "{}", course.name);
            assert!(course.toml().contains(&format!("method = \"{spelling}\"\n")), "{spelling}");
            for name in &method.names {
                let choice = course.method(Some(name)).unwrap();
                assert_eq!(choice.method, parsed, "{} {name}", course.name);
            }
        }
        assert_eq!(course.method(None), course.method(Some(&course.default)));
    }
}

#[test]
fn methods_are_found_by_either_name_and_changed_by_fields() {
    let list = course("UCR-list");
    let choice = list.method(Some("Uniform Cost")).unwrap();
    assert_eq!(choice, list.method(Some("ucs")).unwrap());
    let choice = list.method(Some("astar:manhattan,tie=high-g,moves=ULRD")).unwrap();
    let spelled = "astar:manhattan,order=fifo,duplicates=generated,reopen=never,undo=keep";
    assert_eq!(choice.method.to_string(), spelled);
    let overrides = ["tie=high-g instead of tie=low-g", "moves=ULRD instead of moves=LRUD"];
    assert_eq!(choice.overrides, overrides);
    // Setting a field to its present value changes nothing.
    assert_eq!(list.method(Some("3,tie=low-g")).unwrap(), list.method(Some("3")).unwrap());

    let missing = list.method(Some("dfs")).unwrap_err();
    assert_eq!(missing.to_string(), "ucr-list has no method 'dfs'");
    let has = missing.hint().unwrap();
    assert!(
        has.starts_with("it has 1 (uniform cost, uniform cost search), 2 (misplaced, "),
        "{has}"
    );
    assert!(matches!(list.method(Some("3,tie=no")), Err(CourseError::Field(_))));
    assert!(matches!(list.method(Some("3,tie")), Err(CourseError::Field(_))));
    assert!(matches!(Course::find("nowhere"), Err(CourseError::Unknown { .. })));
}

#[test]
fn an_answer_that_is_not_optimal_is_said_to_be_so() {
    let look = |method, board: &str| {
        let course = course("ucr-heap");
        let choice = course.method(Some(method)).unwrap();
        let task = course.task(course.puzzle(board.parse().unwrap()).unwrap(), choice.method);
        let session = Session::without_folder();
        let report = session.run(&task, Watch::default());
        second_look(&session, &task, &report, &Arc::default())
    };
    let dropped = "not optimal: the shortest solution has 16 moves, this one 18; \
                   duplicates=generated dropped a cheaper path 5 times";
    assert_eq!(look("manhattan", "167503482").as_deref(), Some(dropped));
    let dropped = "not optimal: the shortest solution has 24 moves, this one 26; \
                   duplicates=generated dropped a cheaper path 58 times";
    assert_eq!(look("manhattan", "072461358").as_deref(), Some(dropped));
    let all_the_same = "the answer is optimal, but this search did not prove it: \
                        duplicates=generated dropped a cheaper path once";
    assert_eq!(look("manhattan", "712485630").as_deref(), Some(all_the_same));
    assert_eq!(look("manhattan", "136507482"), None);
}
