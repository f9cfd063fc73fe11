//! `--as`, `--trace`, `taquin list courses`, `reproduce` and `match`.

use snapbox::{assert_data_eq, str};

use crate::run::{json, run, run_with, taquin};

#[test]
fn a_course_prints_its_own_words() {
    let ran = run(&["solve", "123456078", "--as", "ucr-list", "-m", "uniform cost", "--trace"]);
    assert_data_eq!(
        ran.out,
        str![[r"
The best state to expand with a g(n) = 0 and h(n) = 0 is...
[[1, 2, 3], [4, 5, 6], [0, 7, 8]]	Expanding this node...

The best state to expand with a g(n) = 1 and h(n) = 0 is...
[[1, 2, 3], [4, 5, 6], [7, 0, 8]]	Expanding this node...

The best state to expand with a g(n) = 1 and h(n) = 0 is...
[[1, 2, 3], [0, 5, 6], [4, 7, 8]]	Expanding this node...

Goal!!

To solve this problem the search algorithm expanded a total of 3 nodes.
The maximum number of nodes in the queue at any one time was 4.
The depth of the goal node was 2

CPU Time: [..] seconds

"]]
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));

    let ran = run(&["solve", "123456708", "--as", "ucr-heap", "--trace"]);
    assert_data_eq!(
        ran.out,
        str![[r"
The best state to expand with a g(n) = 0 and h(n) = 1 is...
[[1, 2, 3], [4, 5, 6], [7, 0, 8]]

Depth was: 1
Node expand number: 1
max queue size: 3
Running time: [..]seconds

"]]
    );

    let ran = run(&["solve", "1 0 2/3 4 5/6 7 8", "--as", "cse5aif"]);
    assert_data_eq!(
        ran.out,
        str![[r"
[1, 0, 2, 3, 4, 5, 6, 7, 8]
Finding solution...
5

1 0 2
3 4 5
6 7 8

0 1 2
3 4 5
6 7 8
Number of steps taken: 1
Elapsed time: [..]

"]]
    );

    let ran = run(&["solve", "1,2,5,3,4,0,6,7,8", "--as", "columbia", "-m", "bfs"]);
    assert_data_eq!(
        ran.out,
        str![[r"
path_to_goal: ['Up', 'Left', 'Left']
cost_of_path: 3
nodes_expanded: 10
search_depth: 3
max_search_depth: 4
running_time: [..]
max_ram_usage: [..]

"]]
    );

    let ran = run(&["solve", "0 1 3/4 2 5/7 8 6", "--as", "princeton"]);
    assert!(ran.out.starts_with("Minimum number of moves = 4\n\n3\n0 1 3\n4 2 5\n7 8 6\n\n"));

    let ran = run(&["solve", "1 2 3/8 4 0/7 6 5", "--as", "42"]);
    assert_data_eq!(
        ran.out,
        str![[r"
Total number of states ever selected in the opened set: 2
Maximum number of states ever represented in memory at the same time: 4
Number of moves: 1

1 2 3
8 4 0
7 6 5

1 2 3
8 0 4
7 6 5

"]]
    );
}

#[test]
fn the_expense_trace_lists_closed_and_fringe() {
    let ran = run(&["solve", "1 2 3/4 5 6/7 0 8", "--as", "uta", "--trace"]);
    assert_data_eq!(
        ran.out,
        str![[r"
Command-Line Arguments : ['[[1, 2, 3], [4, 5, 6], [7, 0, 8]]', '[[1, 2, 3], [4, 5, 6], [7, 8, 0]]', 'a*', 'true']
Method selected: a*
Running a*
Generating successors to < state = [[1, 2, 3], [4, 5, 6], [7, 0, 8]], action = {Start} g(n) = 0, d = 0, f(n) = 8, Parent = Pointer to {None} >:
	3 successors generated
	Closed: [[[1, 2, 3], [4, 5, 6], [7, 0, 8]]]
	Fringe: [< state = [[1, 2, 3], [4, 5, 6], [7, 8, 0]], action = {Move 8 Left} g(n) = 8, d = 1, f(n) = 8, Parent = Pointer to {[[1, 2, 3], [4, 5, 6], [7, 0, 8]]} >, < state = [[1, 2, 3], [4, 0, 6], [7, 5, 8]], action = {Move 5 Down} g(n) = 5, d = 1, f(n) = 18, Parent = Pointer to {[[1, 2, 3], [4, 5, 6], [7, 0, 8]]} >, < state = [[1, 2, 3], [4, 5, 6], [0, 7, 8]], action = {Move 7 Right} g(n) = 7, d = 1, f(n) = 22, Parent = Pointer to {[[1, 2, 3], [4, 5, 6], [7, 0, 8]]} >]
Nodes Popped: 2
Nodes Expanded: 1
Nodes Generated: 4
Max Fringe Size: 3
Solution Found at depth 1 with cost of 8.
Steps:
	Move 8 Left

"]]
    );
}

#[test]
fn the_queue_of_puzzle04_can_be_followed() {
    let ran =
        run(&["solve", "0 1 3/4 2 5/7 8 6", "--as", "princeton", "--trace", "--trace-limit", "2"]);
    assert_data_eq!(
        ran.out,
        str![[r"
Step 0:

priority = 4
moves = 0
estimate = 4
3
0 1 3
4 2 5
7 8 6

Step 1:

priority = 4
moves = 1
estimate = 3
3
1 0 3
4 2 5
7 8 6

priority = 6
moves = 1
estimate = 5
3
4 1 3
0 2 5
7 8 6

(2 more expansions not shown)

Minimum number of moves = 4
...

"]]
    );
    let ran = run(&["solve", "0 1 3/4 2 5/7 8 6", "--as", "princeton", "--trace"]);
    assert_eq!(ran.out.matches("Step ").count(), 5);
    assert_eq!(ran.out.matches("priority = ").count(), 1 + 2 + 3 + 5 + 6);
}

#[test]
fn a_trace_without_a_course_ends_with_the_usual_report() {
    let ran = run(&["solve", "123456708", "--trace", "-m", "astar:misplaced"]);
    assert_data_eq!(
        ran.out,
        str![[r"
The best state to expand with a g(n) = 0 and h(n) = 1 is...
1 2 3
4 5 6
7 b 8	Expanding this node...

Solved in 1 move: optimal, no solution is shorter.
R
astar:misplaced: expanded 1, generated 3, largest frontier 3; [..], [..]

"]]
    );
}

#[test]
fn events_are_streamed_one_a_line() {
    let ran = run(&["solve", "123456708", "--trace=jsonl", "-m", "astar:manhattan"]);
    assert_data_eq!(
        ran.out,
        str![[r#"
{"event":"bound","bound":1}
{"event":"expand","id":0,"parent":null,"move":null,"tile":null,"g":0,"h":1,"depth":0,"board":[1,2,3,4,5,6,7,0,8]}
{"event":"generate","verdict":"kept","id":1,"parent":0,"move":"U","tile":5,"g":1,"h":2,"depth":1,"board":[1,2,3,4,0,6,7,5,8]}
{"event":"generate","verdict":"kept","id":2,"parent":0,"move":"L","tile":7,"g":1,"h":2,"depth":1,"board":[1,2,3,4,5,6,0,7,8]}
{"event":"generate","verdict":"kept","id":3,"parent":0,"move":"R","tile":8,"g":1,"h":0,"depth":1,"board":[1,2,3,4,5,6,7,8,0]}
{"event":"goal","id":3,"parent":0,"move":"R","tile":8,"g":1,"h":0,"depth":1,"board":[1,2,3,4,5,6,7,8,0]}
{"event":"report",[..]}

"#]]
    );
    let lines = |args: &[&str]| -> Vec<serde_json::Value> {
        run(args).out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let events =
        lines(&["solve", "867254301", "--trace=jsonl", "--trace-limit", "5", "--as", "ucr-list"]);
    let of = |event: &str| events.iter().filter(|line| line["event"] == event).count();
    assert_eq!((of("expand"), of("goal"), of("omitted"), of("report")), (5, 1, 1, 1));
    let report = events.last().unwrap();
    let expanded = report["counts"]["expanded"].as_u64().unwrap();
    assert_eq!(events[events.len() - 2]["expansions"], expanded - 5);
    assert_eq!(report["course"]["nodes_expanded"], expanded);
    // All four verdicts, under the methods that have them.
    let verdicts = |method: &str| -> Vec<String> {
        let mut seen: Vec<String> = lines(&["solve", "136507482", "--trace=jsonl", "-m", method])
            .iter()
            .filter_map(|line| line["verdict"].as_str().map(str::to_owned))
            .collect();
        seen.sort();
        seen.dedup();
        seen
    };
    assert_eq!(verdicts("astar:manhattan,undo=keep"), ["duplicate", "kept"]);
    assert_eq!(verdicts("ida:manhattan"), ["kept", "pruned"]);
    let greedy = verdicts("greedy:misplaced,duplicates=cheaper,reopen=always,undo=keep");
    assert!(greedy.contains(&"reopened".to_owned()), "{greedy:?}");
}

/// The types that Posthoc publishes for its traces of version 1.4.0: a trace has a version, views
/// that are lists of objects with a name in `$`, and events, which are objects. Events form a tree
/// by `id` and `pId`.
#[test]
fn a_trace_for_posthoc_has_the_types_that_it_publishes() {
    for method in ["astar:manhattan,undo=keep", "ida:manhattan", "bae:manhattan"] {
        let ran = run(&["solve", "136507482", "--trace=posthoc", "-m", method]);
        let trace: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(trace["version"], "1.4.0");
        let fields: Vec<&String> = trace.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["events", "version", "views"], "{method}");
        for view in trace["views"].as_object().unwrap().values() {
            for part in view.as_array().unwrap() {
                assert!(part["$"].is_string() && part["clear"].is_boolean());
                assert!(part["$info"].is_object() && part["$for"]["$to"].is_number());
            }
        }
        let mut known = std::collections::HashSet::new();
        let (mut expanded, mut closed) = (0, 0);
        for event in trace["events"].as_array().unwrap() {
            let id = event["id"].as_u64().unwrap();
            known.insert(id);
            assert!(event["pId"].is_null() || known.contains(&event["pId"].as_u64().unwrap()));
            let sum = event["g"].as_u64().unwrap() + event["h"].as_u64().unwrap();
            assert_eq!(event["f"], sum);
            assert_eq!(event["board"].as_array().unwrap().len(), 9);
            expanded += u32::from(event["type"] == "expand");
            closed += u32::from(event["type"] == "close");
        }
        assert!(expanded > 5, "{method}");
        assert_eq!(expanded, closed, "{method}");
        assert_eq!(trace["events"].as_array().unwrap().last().unwrap()["type"], "destination");
    }
}

#[test]
fn a_reader_who_has_seen_enough_ends_the_search() {
    use std::io::{BufRead, BufReader};
    let mut child = taquin()
        .args(["solve", "15 10 8 12/11 14 9 13/2 6 5 1/3 7 4 0", "--goal", "first"])
        .args(["-m", "ida:manhattan", "--trace=jsonl"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "{\"event\":\"bound\",\"bound\":58}\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn json_has_our_counts_and_the_courses() {
    let report =
        json(&["solve", "1 2 3 4 5/6 7 8 0 0/11 12 13 9 10", "--as", "nxm", "-m", "bfs", "--json"]);
    assert_eq!((&report["as"], &report["counts"]["generated"]), (&"nxm".into(), &23.into()));
    assert_eq!(report["course"]["nodes"], 24);
    let report = json(&["solve", "2 3 6/1 0 7/4 8 5", "--as", "uta", "--json"]);
    assert_eq!(report["course"]["nodes_popped"], 97);
    assert_eq!(report["counts"]["expanded"], 64);
    assert_eq!(report["course"]["steps"][0], "Move 7 Left");
    // A course can be spelled out without its name.
    let course = json(&["courses", "nxm", "--json"]);
    let spelled = course["methods"][0]["method"].as_str().unwrap();
    let plain =
        json(&["solve", "1 2 3 4 5/6 7 8 0 0/11 12 13 9 10", "-m", spelled, "--jumps", "--json"]);
    assert_eq!(plain["counts"]["generated"], 23);
}

#[test]
fn what_is_set_otherwise_is_noted() {
    let args = ["solve", "167503482", "--as", "ucr-list", "-m", "3,tie=high-g", "--cost", "tile"];
    let ran = run(&[&args[..], &["--goal", "1 2 3/4 5 6/7 8 0"]].concat());
    let notes: Vec<&str> = ran.err.lines().collect();
    assert_eq!(notes.len(), 3, "{notes:?}");
    assert!(notes[0].contains("tie=high-g instead of tie=low-g"), "{notes:?}");
    assert!(notes[1].contains("cost=tile instead of cost=unit"), "{notes:?}");
    assert!(notes[2].contains("costs 80, this one 92"), "{notes:?}");
    let report = json(&[
        "solve",
        "167503482",
        "--as",
        "ucr-heap",
        "--goal",
        "8 1 2/3 4 5/6 7 0",
        "--time",
        "9s",
        "--json",
    ]);
    let notes = report["notes"].as_array().unwrap();
    assert!(notes[0].as_str().unwrap().contains("9 s instead of 200 s"), "{notes:?}");
    assert!(notes[1].as_str().unwrap().contains("another goal than last"), "{notes:?}");
    let ran = run(&["solve", "--as", "ucr-list"]);
    assert!(ran.err.contains("the puzzle of ucr-list"), "{}", ran.err);
    assert!(ran.out.contains("The depth of the goal node was 2\n"));
}

#[test]
fn an_answer_that_is_not_optimal_is_said_to_be_so() {
    let why = "not optimal: the shortest solution has 16 moves, this one 18; duplicates=generated dropped a \
               cheaper path 5 times";
    let ran = run(&["solve", "167503482", "--as", "ucr-heap"]);
    assert!(ran.out.starts_with("Depth was: 18\nNode expand number: 233\nmax queue size: 152\n"));
    assert_eq!((ran.code, ran.err), (Some(0), format!("note: {why}\n")));
    assert_eq!(json(&["solve", "167503482", "--as", "ucr-heap", "--json"])["notes"][0], why);
    // The same without the course's name.
    let method = "astar:manhattan,tie=none,order=heap,duplicates=generated,reopen=never,moves=DLUR";
    let ran = run(&["solve", "167503482", "-m", method]);
    assert!(ran.out.replace('\n', " ").contains(&format!("Note: {why}. ")), "{}", ran.out);
}

#[test]
fn what_a_course_can_not_do_is_bad_usage() {
    let ran = run(&["solve", "123456708", "--as", "ucr-list", "-m", "dfs"]);
    assert_eq!(ran.code, Some(2));
    assert_data_eq!(
        ran.err,
        str![[r"
error: ucr-list has no method 'dfs'
hint: it has 1 (uniform cost, uniform cost search), 2 (misplaced, A* with the misplaced tile heuristic), 3 (manhattan, A* with the Manhattan distance heuristic)

"]]
    );
    let ran = run(&["solve", "123456708", "--as", "mit"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: no course is called 'mit'\nhint: there are ucr-list, "));
    let ran = run(&["solve", "123456708", "--as", "columba"]);
    assert!(ran.err.ends_with("hint: did you mean 'columbia'?\n"), "{}", ran.err);
    let ran = run(&["reproduce", "korf100"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("hint: korf100 is an instance set; did you mean 'korf85'"),
        "{}",
        ran.err
    );
    for args in [
        &["solve", "123456708", "--as", "ucr-list", "-m", "3,tie=no"][..],
        &["solve", "123456708", "--trace", "--json"],
        &["solve", "123456708", "--trace-limit", "5"],
        &["solve", "123456708", "--trace=xml"],
        &["courses", "mit"],
        &["reproduce", "mit"],
        &["match", "123456708"],
        &["match", "123456708", "--expanded", "1", "-m", "nonsense"],
    ] {
        assert_eq!(run(args).code, Some(2), "{args:?}");
    }
}

#[test]
fn an_unreachable_board_is_refused_with_its_proof() {
    let ran = run(&["solve", "123456870", "--as", "cse5aif", "--goal", "last"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(11), "[1, 2, 3, 4, 5, 6, 8, 7, 0]\nPuzzle has no solution!\n")
    );
    assert!(ran.err.starts_with("Unsolvable: "), "{}", ran.err);
    let ran =
        run(&["solve", "123456870", "--as", "ucr-list", "-m", "1", "--search-anyway", "--json"]);
    assert_eq!(ran.code, Some(11));
    assert!(ran.out.contains("\"expanded\": 181440"), "{}", ran.out);
    let ran = run(&["solve", "123456870", "--as", "ucr-list"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(11), "Cannot find Solution\n"));
    let ran = run(&["solve", "867254301", "--as", "ucr-heap", "-m", "1", "--time", "0s"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(23), "Time Limit Exceeded\n"));
}

#[test]
fn inversions_are_shown_towards_the_courses_goal() {
    let ran = run(&["check", "5 2 8/4 1 7/0 3 6", "--as", "cse5aif"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("  7:  2  3 6\n"), "{}", ran.out);
    assert!(ran.out.contains("14 inversions"), "{}", ran.out);
    let checked = json(&["check", "1 2 3/8 0 4/7 6 5", "--as", "42", "--json"]);
    assert_eq!(checked["puzzle"]["goal"], checked["puzzle"]["start"]);
}

#[test]
fn courses_are_listed_and_shown() {
    let ran = run(&["courses"]);
    let names: Vec<&str> = ran
        .out
        .lines()
        .filter_map(|line| line.split(' ').next().filter(|n| !n.is_empty()))
        .collect();
    let all = [
        "ucr-list",
        "ucr-heap",
        "cse5aif",
        "nxm",
        "columbia",
        "princeton",
        "42",
        "uta",
        "ufrgs",
        "korf85",
        "kf02",
        "random24",
        "bss25",
        "mm15",
        "usb",
        "fer",
        "tul",
        "upenn",
    ];
    assert_eq!(names, all);
    let ran = run(&["courses", "korf85"]);
    assert_data_eq!(
        ran.out,
        str![[r#"
korf85: Korf's IDA* of 1985 on the 15-puzzle: nodes generated, the root included

Source: R. E. Korf, Depth-First Iterative-Deepening: An Optimal Admissible Tree
Search, Artificial Intelligence 27 (1985)

goal        first
cost        unit
blanks      may not move onto each other
time limit  none
own puzzle  none
method      ida unless -m names another

Methods, each with the options that do the same without --as
  ida, IDA*
      --goal first --cost unit -m ida:manhattan

Figures
  length           moves of the solution
  nodes_generated  nodes generated, including duplicates and the root

Wording (format slashes, blank 0)
  before an expansion:
      expanding {board} g = {g}, h = {h}
  solved:
      {length} moves, {nodes_generated} nodes generated
  no solution:
      no solution

Remarks
  - operators in the order up, left, right, down; no immediate reversal; the
    goal is tested when it is generated; the nodes of all thresholds are added,
    the root once

"#]]
    );
}

#[test]
fn published_figures_are_reproduced() {
    let ran = run(&["reproduce", "ucr-list"]);
    assert_eq!(ran.code, Some(0));
    assert_data_eq!(
        ran.out,
        str![[r#"
ucr-list                                             published  ours
depth 2, uniform cost: expanded/queue                      3/4  equal
depth 24, misplaced: expanded/queue                 17768/8717  equal
depth 24, Manhattan: expanded/queue                   1757/967  equal
depth 24, uniform cost: expanded/queue             38294/18321  misprint (1)
the 15-puzzle that took 23 min 37 s: fewest moves           48  equal
(1) ours: 126183/24048; that program cannot print this: uniform-cost search
    first expands every board nearer than the goal, here 116088 boards whatever
    the order of moves


"#]]
    );
    let all = json(&["reproduce", "all", "--json"]);
    assert_eq!((&all["equal"], &all["differ"]), (&602.into(), &0.into()));
    assert_eq!((&all["left_out"], &all["complete"]), (&457.into(), &true.into()));
}

#[test]
fn without_a_device_kf02_is_refused_there() {
    let ran = run(&["reproduce", "korf85", "--on", "gpu"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("korf85 does not run on a device: kf02 and random24 do"),
        "{}",
        ran.err
    );
    assert_eq!(run(&["reproduce", "all", "--on", "gpu"]).code, Some(2));
    let args = ["reproduce", "kf02", "--on", "gpu"];
    let output = taquin().args(args).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(error.contains("omit --on gpu"), "{error}");
}

#[test]
fn counts_are_matched() {
    let found = json(&["match", "072461358", "--expanded", "3112", "--queue", "1749", "--json"]);
    assert_eq!(found["found"][0]["course"], "ucr-heap");
    assert_eq!(found["found"].as_array().unwrap().len(), 1);
}

#[test]
fn the_lab_prints_its_puzzle_first_and_the_number_of_visited_states_alone() {
    let ran = run(&["solve", "--as", "cse5aif"]);
    let begin =
        "[6, 7, 5, 4, 3, 0, 2, 1, 8]\nFinding solution...\n162680\n\n6 7 5\n4 3 0\n2 1 8\n\n";
    assert!(ran.out.starts_with(begin), "{}", ran.out);
    assert!(ran.out.contains("\n\n0 1 2\n3 4 5\n6 7 8\nNumber of steps taken: 25\nElapsed time: "));
    // Exercise 1: depth-first search, in the same form.
    let ran = run(&["solve", "--as", "cse5aif", "-m", "dfs", "--path", "none"]);
    assert!(
        ran.out.starts_with("[6, 7, 5, 4, 3, 0, 2, 1, 8]\nFinding solution...\n"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("\nNumber of steps taken: "));
    let ran = run(&["solve", "1 2 3/4 5 6/8 7 0", "--as", "cse5aif"]);
    assert_eq!(ran.out, "[1, 2, 3, 4, 5, 6, 8, 7, 0]\nPuzzle has no solution!\n");
    assert_eq!(ran.code, Some(11));
}

#[test]
fn boards_have_the_form_that_is_asked_for() {
    let trace = |form: &str, course: &[&str]| {
        let args = ["solve", "123456708", "--trace", "-m", "astar:misplaced", "--boards", form];
        let ran = run(&[&args, course].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out.split("is...\n").nth(1).unwrap().split('\t').next().unwrap().to_owned()
    };
    assert_eq!(trace("nested", &[]), "[[1, 2, 3], [4, 5, 6], [7, 0, 8]]");
    assert_eq!(trace("flat", &[]), "[1, 2, 3, 4, 5, 6, 7, 0, 8]");
    assert_eq!(trace("rows", &["--as", "ucr-list"]), "1 2 3\n4 5 6\n7 0 8");
    assert_eq!(trace("flat", &["--as", "ucr-list"]), "[1, 2, 3, 4, 5, 6, 7, 0, 8]");
    let ran = run(&["solve", "123456708", "--boards", "nested"]);
    assert_data_eq!(
        ran.out,
        str![[r"
start
[[1, 2, 3], [4, 5, 6], [7, 0, 8]]

1. R
[[1, 2, 3], [4, 5, 6], [7, 8, 0]]

Solved in 1 move: optimal, no solution is shorter.
...

"]]
    );
    let ran = run(&["solve", "1 2 3/8 4 0/7 6 5", "--as", "42", "--boards", "flat"]);
    assert!(ran.out.contains("\n\n[1, 2, 3, 8, 4, 0, 7, 6, 5]\n\n[1, 2, 3, 8, 0, 4, 7, 6, 5]\n"));
    assert_eq!(run(&["solve", "123456708", "--boards", "round"]).code, Some(2));
}

#[test]
fn a_trace_is_that_of_the_method_that_was_asked_for() {
    for method in ["layers", "anytime", "table"] {
        let ran = run(&["solve", "123506478", "-m", method, "--trace"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{method}");
        let fault = format!("error: {method} has no steps to follow");
        assert!(ran.err.starts_with(&fault), "{}", ran.err);
        assert!(ran.err.contains("\nhint: choose a method with steps"), "{}", ran.err);
    }
    let ran = run(&["solve", "123506478", "--trace"]);
    assert!(ran.out.contains("auto chose astar:manhattan"), "{}", ran.out);
    // Every method with steps is traced as itself.
    for method in ["bfs", "ida:manhattan", "rbfs:manhattan", "bidirectional", "beam:linear"] {
        let ran = run(&["solve", "123506478", "-m", method, "--trace"]);
        assert_eq!(ran.code, Some(0), "{method} {}", ran.err);
        assert!(ran.out.contains(&format!("\n{method}")), "{}", ran.out);
    }
}

/// The solution, an empty line, and the statistics with the time in milliseconds.
#[test]
fn tul_prints_its_files() {
    let board = "4 4\n1 2 3 4\n5 6 7 8\n10 13 11 12\n9 14 0 15\n";
    let print = |method: &str| {
        let ran = run_with(&["solve", "-", "--as", "tul", "-m", method], board);
        let (text, time) = ran.out.trim_end().rsplit_once('\n').unwrap();
        let (whole, decimals) = time.split_once('.').unwrap();
        assert!(whole.parse::<u64>().is_ok() && decimals.len() == 3, "{}", ran.out);
        (ran.code, text.to_owned())
    };
    assert_eq!(print("astr hamm"), (Some(0), "7\nLULDRRR\n\n7\n29\n14\n7".to_owned()));
    let (code, text) = print("dfs DRUL");
    let moves = text.lines().nth(1).unwrap();
    assert_eq!((code, moves.len().to_string().as_str()), (Some(0), text.lines().next().unwrap()));
    assert_eq!(run(&["verify", "1 2 3 4/5 6 7 8/10 13 11 12/9 14 0 15", moves]).code, Some(0));
    // Nothing is found within the depth limit, or the time.
    assert_eq!(print("dfs,depth=2"), (Some(12), "-1\n\n-1\n24\n10\n2".to_owned()));
    let ran = run(&["solve", "1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0", "--as", "tul"]);
    assert!(ran.code == Some(11) && ran.out.starts_with("-1\n\n-1\n"), "{}", ran.out);
    for order in ["RDUL", "RDLU", "DRUL", "DRLU", "LUDR", "LURD", "ULDR", "ULRD"] {
        assert!(print(&format!("bfs {order}")).1.starts_with("7\nLULDRRR\n\n7\n"), "{order}");
    }
}

/// A board with two shortest solutions, each in the words of the course.
#[test]
fn upenn_lists_all_shortest_solutions() {
    let board = "4 1 5/3 0 2/7 8 6";
    let args = ["solve", board, "--as", "upenn", "-m", "iddfs", "--all-solutions"];
    let ran = run(&args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let all = json(&["solve", board, "-m", "ids,moves=UDLR", "--all-solutions", "--json"]);
    let all = all["all_moves"].as_array().unwrap();
    assert!(all.len() > 1 && ran.out.lines().count() == all.len(), "{}", ran.out);
    for (line, moves) in ran.out.lines().zip(all) {
        let first = line.trim_start_matches("['").chars().next().unwrap();
        assert!(moves.as_str().unwrap().starts_with(first), "{line} {moves}");
        assert_eq!(run(&["verify", board, line]).code, Some(0), "{line}");
    }
    assert_eq!(run(&["solve", "123456780", "--as", "upenn", "--all-solutions"]).out, "[]\n");
}
