//! `solve --batch`: many boards from files, standard input and instance sets.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::run::{Ran, folder, run, run_with, taquin};

fn lines(ran: &Ran) -> Vec<Value> {
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn answers_are_in_the_order_of_the_input() {
    let input = "123406758\n# a comment\n\n1 2 3\n867254301\n123456870\n";
    let ran = run_with(&["solve", "--batch", "-", "--jsonl", "--threads", "3"], input);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let answers = lines(&ran);
    let numbers: Vec<u64> = answers.iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 4, 5, 6]);
    assert!(answers[1]["error"].as_str().unwrap().contains("none is a blank"), "{}", ran.out);
    assert_eq!((&answers[0]["cost"], &answers[2]["cost"]), (&2.into(), &31.into()));
    assert_eq!(answers[3]["outcome"], "unsolvable");
}

#[test]
fn the_goal_can_come_from_a_file() {
    let goal = folder("batch-goal").join("goal.txt");
    fs::write(&goal, "1 2 3\n4 0 6\n7 5 8\n").unwrap();
    let args = ["solve", "--batch", "-", "--jsonl", "--goal-file", goal.to_str().unwrap()];
    let ran = run_with(&args, "123456780\n");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let answer = &lines(&ran)[0];
    assert_eq!(answer["puzzle"]["goal"], serde_json::json!([1, 2, 3, 4, 0, 6, 7, 5, 8]));
    assert_eq!(answer["cost"], 2);
}

#[test]
fn a_method_without_tables_builds_none() {
    let args = ["solve", "--batch", "-", "--jsonl", "-m", "bfs", "--memory", "1M"];
    let ran = run_with(&args, "1 2 3/4 0 6/7 5 8\n");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(lines(&ran)[0]["cost"], 2);
}

#[test]
fn tables_that_do_not_fit_into_memory_end_the_batch() {
    let output = taquin()
        .args(["solve", "--batch", "board 5 1 2 4/9 6 3 8/13 10 7 12/14 0 11 15", "--jsonl"])
        .args(["-m", "ida:pdb=6-6-3", "--memory", "1M"])
        .env("TAQUIN_CACHE", folder("batch-cache"))
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(22), 0));
}

#[test]
fn instance_sets_can_be_named() {
    let set = "random 3x3 n=4 seed=2";
    let ran = run(&["solve", "--batch", set, "--jsonl", "-m", "astar:manhattan"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let answers = lines(&ran);
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[3]["label"], "random 3x3 seed 2, 4");
    assert!(answers.iter().all(|answer| answer["optimal"] == true), "{}", ran.out);
    let ran = run(&["solve", "--batch", "courses", "--jsonl", "-m", "ida:manhattan"]);
    assert_eq!(lines(&ran)[7]["cost"], 24);
    for set in ["random 3x3 n=many", "korf100 n=3", "no-such-file"] {
        let ran = run(&["solve", "--batch", set, "--jsonl"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{set}");
    }
}

#[test]
fn what_one_command_prints_another_reads() {
    for format in ["slashes", "rows", "nested", "flat", "digits", "sized"] {
        let boards = run(&["gen", "--count", "3", "--seed", "1", "--format", format]).out;
        let ran = run_with(&["solve", "--batch", "-", "--jsonl"], &boards);
        assert_eq!(ran.code, Some(0), "{format}: {} {}", ran.out, ran.err);
        assert_eq!(lines(&ran).len(), 3, "{format}");
        let ran = run_with(&["compare", "-", "-m", "astar:manhattan", "--csv"], &boards);
        assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 4), "{format} {}", ran.err);
        let shown = run_with(&["show", "-"], &boards);
        assert_eq!(shown.out.matches('┌').count(), 3, "{format} {}", shown.err);
        // The drawings are boards again.
        let converted = run_with(&["convert", "-", "--to", format], &shown.out);
        assert_eq!(converted.out, boards, "{format} {}", converted.err);
        for command in ["solve", "check", "hint"] {
            let ran = run_with(&[command, "-"], &boards);
            assert_eq!(ran.code, Some(2), "{format}");
            let fault = "error: standard input: these are 3 boards\nhint: give one board, or solve \
                         them all with 'taquin solve --batch'\n";
            assert_eq!(ran.err, fault, "{format}");
        }
    }
}

/// Each board is written after the answer to the one before, also to one that is not valid.
#[test]
fn a_board_is_answered_before_the_next_one_comes() {
    let boards =
        ["1 2 3/4 0 6/7 5 8", "1 2/", "1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15", "1 2 3/4 5 6/7 0 8"];
    for method in ["auto", "ida:pdb=1.2/3.4,on=gpu"] {
        let mut child = taquin()
            .args(["solve", "--batch", "-", "--path", "none", "-m", method])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, answers) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        for (number, board) in boards.iter().enumerate() {
            // A line that may be part of a board ends with an empty one.
            writeln!(input, "{board}\n").unwrap();
            let answer = answers.recv_timeout(Duration::from_secs(120));
            if answer.is_err() {
                child.kill().unwrap();
            }
            let answer = answer.unwrap();
            assert!(answer.starts_with(&format!("{}: ", 2 * number + 1)), "{method}: {answer}");
        }
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(1), "{method}");
    }
}

/// With or without a device: boards that it solves together, and others between them.
#[test]
fn boards_for_a_device_are_answered_in_order() {
    let input = "1 2 3 4/5 6 0 8/9 10 7 12/13 14 11 15\n1 2 3/4 0 6/7 5 8\n1 2\n\
                 1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0\n1 2 3 4/5 6 7 8/9 10 11 12/13 0 14 15\n";
    let method = "ida:pdb=1.2.5.6/3.4.7.8,on=gpu";
    let args = ["solve", "--batch", "-", "--jsonl", "-m", method, "--threads", "2"];
    let ran = run_with(&args, input);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let answers = lines(&ran);
    let facts = |answer: &Value| (answer["line"].clone(), answer["cost"].clone());
    let expected = [(1, Some(3)), (2, Some(2)), (3, None), (4, None), (5, Some(2))];
    let expected = expected.map(|(line, cost)| (Value::from(line), Value::from(cost)));
    assert_eq!(answers.iter().map(facts).collect::<Vec<_>>(), expected, "{}", ran.out);
    for solved in [&answers[0], &answers[4]] {
        assert_eq!((&solved["optimal"], &solved["method"]), (&true.into(), &method.into()));
        let note = solved["notes"][0].as_str().unwrap();
        assert!(note.starts_with("searched on "), "{note}");
    }
    assert!(ran.err.contains(" boards: searched on "), "{}", ran.err);
}

#[test]
fn a_batch_without_jsonl_is_words() {
    let ran = run_with(&["solve", "--batch", "-"], "123406758\n1 2\n123456870\n123456780\n");
    assert_eq!(ran.code, Some(1));
    let expected = [
        "1: 2 moves, optimal: DR",
        "2: error: board: 2 tiles in one row are not a square board",
        "3: unsolvable",
        "4: 0 moves, optimal",
    ];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), expected);
    assert!(
        ran.err
            .contains("2 solved (2 proven optimal), 1 unsolvable, 0 not solved, 1 invalid board; "),
        "{}",
        ran.err
    );
    assert!(ran.err.ends_with("\nmean cost 1.00, lower bound 1.00\n"), "{}", ran.err);
    let ran = run(&["solve", "--batch", "courses", "--path", "none"]);
    assert_eq!(ran.out.lines().nth(3), Some("depth 8: 8 moves, optimal"));
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "needs strace"]
fn nothing_is_looked_up_for_each_board() {
    let boards = folder("batch-lookups").join("boards.txt");
    fs::write(&boards, "1 2 3/4 0 6/7 5 8\n".repeat(500)).unwrap();
    let log = boards.with_extension("log");
    let traced = std::process::Command::new("strace")
        .args(["-f", "-e", "trace=openat,?statx,?newfstatat", "-o"])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_taquin"))
        .args(["solve", "--batch"])
        .arg(&boards)
        .env("TAQUIN_CACHE", crate::run::cache())
        .output();
    assert!(traced.unwrap().status.success());
    let text = fs::read_to_string(&log).unwrap();
    assert!(text.contains("boards.txt"), "{text}");
    let opened = text.lines().filter(|line| line.contains("/proc/") || line.contains(".space"));
    assert!(opened.count() < 20, "{text}");
}

#[test]
fn a_batch_has_the_figures_of_a_course() {
    let ran = run(&["solve", "--batch", "ufrgs100 1..2", "--as", "ufrgs", "-m", "astar"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("UFRGS 1: 835,22,0."), "{}", ran.out);
    assert!(lines[1].starts_with("UFRGS 2: 1024,23,0."), "{}", ran.out);
    // Sentences of several lines follow the number of the board.
    let file = folder("batch-course").join("boards.txt");
    fs::write(&file, "876543210\n12345678\n123456870\n").unwrap();
    let ran = run(&["solve", "--batch", file.to_str().unwrap(), "--as", "fer"]);
    let text = "1:\n[FOUND_SOLUTION]: yes\n[STATES_VISITED]: 95544\n[PATH_LENGTH]: 31\n\
                [TOTAL_COST]: 30.0\n[PATH]: 876_543_21x => 876_54x_213 => 876_5x4_213 => ";
    assert!(ran.out.starts_with(text), "{}", ran.out);
    assert!(ran.out.contains(" => 123_456_7x8 => 123_456_78x\n2: error: "), "{}", ran.out);
    assert!(ran.out.ends_with("\n3: [FOUND_SOLUTION]: no\n"), "{}", ran.out);
    let ran = run(&["solve", "--batch", "ufrgs100 1", "--as", "ufrgs", "-m", "bfs", "--jsonl"]);
    let line: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&line["as"], &line["course"]["nodes_expanded"]), (&"ufrgs".into(), &70436.into()));
}
