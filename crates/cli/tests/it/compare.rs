//! `compare`: the table in all its forms.

use std::process::{Command, Output, Stdio};

use snapbox::{assert_data_eq, str};

use crate::run::{folder, json, run, run_with, taquin, wait_until_working};

/// It takes hours.
const HARD: &str = "13 12 6 10/14 5 15 4/8 0 7 3/1 9 11 2";

#[test]
fn the_usual_table() {
    let ran = run(&["compare"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    assert_data_eq!(
        ran.out,
        str![[r"
                   expanded  generated  frontier  depth  optimal [..]time
depth 0  1 2 3/4 5 6/7 8 0
  ucs                     0          0         0      0      yes [..]
  astar:misplaced         0          0         0      0      yes [..]
  astar:manhattan         0          0         0      0      yes [..]
depth 2  1 2 3/4 5 6/0 7 8
  ucs                     6         13         8      2      yes [..]
...
depth 24  0 7 2/4 6 1/3 5 8
  ucs               125,570    212,451    24,053     24      yes [..]
  astar:misplaced    11,745     20,005     6,151     24      yes [..]
  astar:manhattan     1,347      2,241       755     24      yes [..]
all 8  sums; the largest frontier; means of depth and cost
  ucs               194,980    327,979    24,053   10.8   8 of 8 [..]
  astar:misplaced    14,580     24,902     6,151   10.8   8 of 8 [..]
  astar:manhattan     1,642      2,757       755   10.8   8 of 8 [..]

"]]
    );
}

#[test]
fn a_course_gives_its_own_counts() {
    let ran = run(&["compare", "--as", "ucr-heap", "-m", "3", "-m", "misplaced,tie=low-g"]);
    assert_eq!(ran.code, Some(0));
    let line = ran.out.lines().find(|line| line.contains(" 3,112 ")).unwrap();
    let cells: Vec<&str> = line.split_whitespace().take(6).collect();
    assert_eq!(cells, ["manhattan", "3,112", "8,310", "1,749", "26", "+2"]);
    assert!(ran.out.contains("\n  misplaced,tie=low-g "), "{}", ran.out);
    let rows = json(&["compare", "--as", "ucr-list", "--json"])["rows"].clone();
    assert_eq!(rows.as_array().map(Vec::len), Some(24));
    let last = &rows[23];
    assert_eq!((&last["label"], &last["name"]), (&"depth 24".into(), &"manhattan".into()));
    assert_eq!(last["course"]["nodes_expanded"], 1757);
    assert_eq!(last["counts"]["frontier_peak"], 967);
}

/// The report of the course has 24, 14, 14 and 20 for four of its methods: the root counts.
#[test]
fn a_course_counts_in_its_own_way_in_every_table() {
    let args = ["compare", "--as", "nxm", "1 2 3 4 5/6 7 8 0 0/11 12 13 9 10"];
    let counts = ["24", "11", "14", "14", "57", "20"];
    let ran = run(&args);
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = ran.out.lines().map(cells).collect();
    assert_eq!(lines[0][..4], ["expanded", "nodes", "frontier", "depth"], "{}", ran.out);
    for (line, count) in lines[2..].iter().zip(counts) {
        assert_eq!(line[2], count, "{}", ran.out);
    }
    let ran = run(&[&args[..], &["--latex"]].concat());
    for count in counts {
        assert!(ran.out.contains(&format!(" & {count} & ")), "{}", ran.out);
    }
    let ran = run(&[&args[..], &["--csv"]].concat());
    assert!(ran.out.lines().next().unwrap().ends_with(",seconds,course_nodes,course_depth"));
    for (line, count) in ran.out.lines().skip(1).zip(counts) {
        assert!(line.ends_with(&format!(",{count},2")), "{line}");
    }
    // The sums and the means too.
    let two = [&args[..3], &["123456078", "123406758", "-m", "BFS"]].concat();
    let ran = run(&two);
    let nodes = |at: usize| cells(ran.out.lines().nth(at).unwrap())[2].parse::<u64>().unwrap();
    assert_eq!(nodes(6), nodes(2) + nodes(4), "{}", ran.out);
}

/// The boards that courses use are for one goal and one size.
#[test]
fn a_course_with_another_goal_has_boards_of_the_same_depths() {
    let depths = [0, 2, 4, 8, 12, 16, 20, 24];
    let labels = |args: &[&str]| {
        let found = json(&[&["compare", "--nodes", "1000", "--json"], args].concat());
        let rows = found["rows"].as_array().unwrap().clone();
        let mut labels: Vec<String> =
            rows.iter().map(|row| row["label"].as_str().unwrap().to_owned()).collect();
        labels.dedup();
        labels
    };
    let of = |size: &str, depths: &[u32]| -> Vec<String> {
        depths.iter().map(|depth| format!("depth {depth}, 1 ({size}, seed 1)")).collect()
    };
    let folder = folder("course-of-ones-own");
    let course = folder.join("ai101.toml");
    let page = include_str!("../../../../docs/courses.md");
    let (_, toml) = page.split_once("```toml\n").unwrap();
    std::fs::write(&course, toml.split_once("```").unwrap().0).unwrap();
    for name in ["columbia", "cse5aif", "42", "korf85", course.to_str().unwrap()] {
        assert_eq!(labels(&["--as", name]), of("3x3", &depths), "{name}");
    }
    assert_eq!(labels(&["--goal", "snail", "-m", "astar"]), of("3x3", &depths));
    // Pattern databases are for boards of one size.
    assert_eq!(labels(&["-m", "ida:pdb=5-5-5"]), of("4x4", &depths[..6]));
}

#[test]
fn boards_of_ones_own() {
    let boards = "# two boards\n1 2 3\n4 0 6\n7 5 8\n\n867254301\n";
    let ran = run_with(&["compare", "-", "-m", "bfs", "-m", "greedy"], boards);
    assert_data_eq!(
        ran.out,
        str![[r"
                    expanded  generated  frontier  depth  optimal [..]time
1  1 2 3/4 0 6/7 5 8
  bfs                      [..]
  greedy:manhattan         2          6         4      2      yes [..]
2  8 6 7/2 5 4/3 0 1
  bfs                181,380    302,283    25,137     31      yes [..]
  greedy:manhattan       104        175        65     47      +16 [..]
all 2  sums; the largest frontier; means of depth and cost
...
"]]
    );
    // Long names are numbered and explained.
    let ran =
        run(&["compare", "123406758", "-m", "astar:manhattan,order=fifo,duplicates=generated"]);
    assert!(ran.out.starts_with("(1) astar:manhattan,order=fifo,duplicates=generated\n\n"));
    // Where moves have prices, both are shown.
    let ran = run(&["compare", "236107485", "-m", "ucs", "--cost", "tile"]);
    assert!(ran.out.lines().next().unwrap().contains("depth  cost  optimal"), "{}", ran.out);
}

#[test]
fn a_limit_is_a_cell() {
    let ran = run(&["compare", "867254301", "-m", "bfs", "-m", "astar", "--nodes", "20000"]);
    assert_eq!(ran.code, Some(0));
    assert_data_eq!(
        ran.out,
        str![[r"
                   expanded  generated  frontier  depth     optimal [..]time
1  8 6 7/2 5 4/3 0 1
  bfs                20,000     33,173     8,614      -  node limit [..]
  astar:manhattan     [..]     31         yes [..]

"]]
    );
    // The sums of several puzzles say so, and there are others to compare.
    let boards = ["867254301", "123456078", "123506478"];
    let limited = |limit: &[&str]| {
        run(&[&["compare", "-m", "bfs", "-m", "astar"], &boards[..], limit].concat())
    };
    assert_data_eq!(
        limited(&["--nodes", "20000"]).out,
        str![[r"
...
all 3  sums with the stopped runs; means of what each method solved
  bfs                20,[..]    3.0      2 of 3 [..]
  astar:manhattan    [..]   12.3      3 of 3 [..]
2 solved by all  sums; the largest frontier; means of depth and cost
  bfs                   [..]    3.0      2 of 2 [..]
  astar:manhattan         6 [..]    3.0      2 of 2 [..]

"]]
    );
    let ran = limited(&["--nodes", "1"]);
    assert!(ran.out.ends_with("\nno puzzle was solved by all methods\n"), "{}", ran.out);
    let ran = limited(&[]);
    assert!(!ran.out.contains("solved by all"), "{}", ran.out);
    let ran = run(&["compare", "123456870", "-m", "bfs"]);
    assert!(ran.code == Some(0) && ran.out.contains("-  unsolvable"), "{}", ran.out);
}

#[test]
fn for_other_programs() {
    let args = ["compare", "123456078", "-m", "astar,order=fifo"];
    let ran = run(&[&args[..], &["--csv"]].concat());
    assert_data_eq!(
        ran.out,
        str![[r#"
start,goal,puzzle,name,method,verdict,outcome,reason,cost,depth,optimum,lower_bound,expanded,generated,duplicates,reopened,dropped_cheaper,frontier_peak,depth_peak,stored_peak,memory_peak,seconds
1 2 3/4 5 6/0 7 8,1 2 3/4 5 6/7 8 0,1,"astar:manhattan,order=fifo","astar:manhattan,order=fifo",optimal,solved,,2,2,2,2,2,4,0,0,0,3,2,5,[..],[..]

"#]]
    );
    let ran = run(&[&args[..], &["--markdown"]].concat());
    assert_data_eq!(
        ran.out,
        str![[r"
| puzzle | start | method | expanded | generated | frontier | depth | optimal | time |
|---|---|---|---:|---:|---:|---:|---:|---:|
| 1 | `1 2 3/4 5 6/0 7 8` | `astar:manhattan,order=fifo` | 2 | 4 | 3 | 2 | yes | [..] |

"]]
    );
    let found = json(&[&args[..], &["--json"]].concat());
    assert_eq!(
        (&found["complete"], &found["rows"][0]["verdict"]),
        (&true.into(), &"optimal".into())
    );
}

#[test]
fn errors_say_what_to_do() {
    for (args, input, words) in [
        (
            &["compare", "-m", "asatr"][..],
            "",
            &["unknown method 'asatr'", "did you mean 'astar'?"][..],
        ),
        (&["compare", "--as", "nobody"], "", &["no course is called 'nobody'", "ucr-list"]),
        (&["compare", "--as", "ucr-list", "-m", "bfs"], "", &["ucr-list has no method 'bfs'"]),
        (&["compare", "--goal", "123405678"], "", &["for the goal 'last'", "omit the goal"]),
        (&["compare", "-"], "123456780\n12345678q\n", &["standard input:2:", "hint: "]),
        (&["compare", "-"], "\n", &["the input has no boards"]),
        (&["compare", "12"], "", &["board"]),
        (&["compare", "--file", "/nowhere"], "", &["/nowhere: no such file"]),
        (&["compare", "--csv", "--json"], "", &["give either --csv or --json, not both"]),
    ] {
        let ran = run_with(args, input);
        assert_eq!(ran.code, Some(2), "{args:?} {}", ran.out);
        for word in words {
            assert!(ran.err.contains(word), "{args:?}: {}", ran.err);
        }
    }
}

#[test]
fn interrupting_ends_with_what_is_known() {
    let child = taquin()
        .args(["compare", "123456078", HARD, "-m", "greedy", "-m", "ida:misplaced", "--csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_working(child.id());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    assert_eq!(status.code(), Some(130));
    let (out, err) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(err.contains("interrupted: the table has the results so far"), "{err}");
    assert_eq!(out.lines().count(), 1 + 4);
    assert!(out.lines().last().unwrap().contains(",stopped,stopped,cancelled,"), "{out}");
}

#[test]
fn a_place_to_run_holds_for_every_named_method() {
    let board = "8 1 3/4 0 2/7 6 5";
    let methods = ["-m", "ida:pdb=1.2/3.4", "-m", "anytime"];
    let row = |args: &[&str]| {
        let table = json(&[&["compare", board, "--nodes", "1000", "--json"], args].concat());
        table["rows"].as_array().unwrap().iter().map(|row| row["name"].clone()).collect::<Vec<_>>()
    };
    let named = row(&[&methods[..], &["--on", "cpu"]].concat());
    assert_eq!(named, row(&["-m", "ida:pdb=1.2/3.4,on=cpu", "-m", "anytime,on=cpu"]));
    for (args, words) in
        [(&["--on", "gpu"][..], "--method"), (&["-m", "bfs", "--on", "gpu"], "bfs")]
    {
        let ran = run(&[&["compare", board], args].concat());
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}
