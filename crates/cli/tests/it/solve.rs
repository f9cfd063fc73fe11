//! `taquin solve`: answers, exit codes, limits and interruptions.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use crate::run::{cache, json, run, run_with, taquin, wait_until_working};

const HARD: &str = "15 10 8 12/11 14 9 13/2 6 5 1/3 7 4 0";

#[test]
fn quiet_prints_only_the_moves() {
    assert_eq!(run(&["solve", "1 2 3/4 0 6/7 5 8", "-q"]).out, "DR\n");
    assert_eq!(run(&["solve", "1 2 3/4 0 6/7 5 8", "-q", "--notation", "tile"]).out, "UL\n");
}

#[test]
fn every_way_to_give_a_board_is_the_same() {
    let folder = std::env::temp_dir().join(format!("taquin-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("board.txt");
    std::fs::write(&file, "\u{feff}# a board\r\n3\r\n1 2 3\r\n4 b 6\r\n7 5 8\r\n").unwrap();
    let file = file.to_str().unwrap();
    for args in [
        &["solve", "-q", "123406758"][..],
        &["solve", "-q", "1,2,3,4,0,6,7,5,8"],
        &["solve", "-q", "[[1,2,3],[4,0,6],[7,5,8]]"],
        &["solve", "-q", "1 2 3/4 _ 6/7 5 8"],
        &["solve", "-q", "--file", file],
    ] {
        assert_eq!(run(args).out, "DR\n", "{args:?}");
    }
    assert_eq!(run_with(&["solve", "-q", "-"], "1 2 3\n4 * 6\n7 5 8\n").out, "DR\n");
    assert_eq!(run(&["solve", "-q", "1 2 3 4 0 5", "--size", "2x3"]).out, "R\n");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn json_has_the_documented_fields() {
    let report = json(&["solve", "8 6 7/2 5 4/3 0 1", "-m", "astar:linear", "--json"]);
    assert_eq!(report["puzzle"]["start"], serde_json::json!([8, 6, 7, 2, 5, 4, 3, 0, 1]));
    assert_eq!((&report["puzzle"]["rows"], &report["puzzle"]["cols"]), (&3.into(), &3.into()));
    for (field, value) in [("cost", 31), ("depth", 31), ("lower_bound", 31)] {
        assert_eq!(report[field], value, "{field}");
    }
    assert_eq!((&report["outcome"], &report["optimal"]), (&"solved".into(), &true.into()));
    assert_eq!((&report["method"], &report["reason"]), (&"astar:linear".into(), &().into()));
    assert_eq!(report["moves"].as_str().unwrap().len(), 31);
    assert!(report["seconds"].as_f64().unwrap() > 0.0);
    for counts in [&report["counts"], &report["before_last_bound"]] {
        for field in [
            "expanded",
            "generated",
            "duplicates",
            "reopened",
            "dropped_cheaper",
            "frontier_peak",
            "depth_peak",
            "stored_peak",
            "memory_peak",
        ] {
            assert!(counts[field].is_u64(), "{field}");
        }
    }
    let report = json(&["solve", "123456780", "-m", "greedy:manhattan", "--json"]);
    assert_eq!((&report["moves"], &report["before_last_bound"]), (&"".into(), &().into()));
    let report = json(&["solve", "123456870", "--json"]);
    assert_eq!((&report["outcome"], &report["reason"]), (&"unsolvable".into(), &"parity".into()));
    assert!(
        report["moves"].is_null() && report["cost"].is_null() && report["lower_bound"].is_null()
    );
}

#[test]
fn exit_codes_are_those_of_planners() {
    for (code, args) in [
        (0, &["solve", "867254301", "-m", "dfs"][..]),
        (2, &["solve", "867254301", "-m", "nonsense"]),
        (2, &["solve"]),
        (2, &["solve", "1 1 0 2"]),
        (11, &["solve", "123456870"]),
        (11, &["solve", "2 1 3 0/", "-m", "bfs"]),
        (11, &["solve", "2 1/3 0", "-m", "bfs", "--search-anyway"]),
        (12, &["solve", "867254301", "-m", "dfs,depth=20"]),
        (12, &["solve", "867254301", "-m", "beam:manhattan,k=1"]),
        (12, &["solve", "867254301", "-m", "ucs", "--nodes", "1e3"]),
        (22, &["solve", HARD, "--goal", "first", "-m", "ucs", "--memory", "1M"]),
        (23, &["solve", HARD, "--goal", "first", "-m", "ida:manhattan", "--time", "50ms"]),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {}{}", ran.out, ran.err);
    }
    let stopped = json(&[
        "solve",
        HARD,
        "--goal",
        "first",
        "-m",
        "ida:manhattan",
        "--time",
        "50ms",
        "--json",
    ]);
    assert_eq!((&stopped["outcome"], &stopped["reason"]), (&"stopped".into(), &"time".into()));
    assert!(stopped["lower_bound"].as_u64().unwrap() >= 40);
}

#[test]
fn auto_gives_its_best_and_says_what_it_proves() {
    let args = ["solve", HARD, "--goal", "first", "--time", "4s", "--json"];
    let report = json(&args);
    let (cost, bound) = (report["cost"].as_u64().unwrap(), report["lower_bound"].as_u64().unwrap());
    assert!(cost >= 80 && (50..=80).contains(&bound), "{cost} {bound}");
}

#[test]
fn only_what_auto_did_is_said_of_auto() {
    let ran = run(&["solve", "136502478", "--cost", "sqrt", "--metric", "single"]);
    assert!(ran.out.contains("\nauto chose astar:linear: the board is small.\n"), "{}", ran.out);
    assert!(ran.out.contains("\nNote: costs are in parts of 1/100000: "), "{}", ran.out);
    let ran = run(&["solve", "136502478", "--metric", "multi"]);
    assert!(ran.out.contains("\nNote: a whole segment slides as one move, and "), "{}", ran.out);
}

#[test]
fn input_that_is_not_text_is_refused() {
    let mut garbage = vec![b'7'; 3_000_000];
    assert_eq!(run_with(&["solve", "-"], &garbage).code, Some(2));
    garbage[0] = 0xff;
    let ran = run_with(&["solve", "-"], &garbage);
    assert!(ran.err.starts_with("error: standard input:1:1: "), "{}", ran.err);
    let ran = run_with(&["solve", "--jsonl", "--batch", "-"], b"\xff\n");
    assert!(ran.out.starts_with("{\"line\":1,\"error\":\"board, 1:1: "), "{}", ran.out);
    assert_eq!(run_with(&["solve", "-"], vec![b' '; 5 << 20]).code, Some(2));
    assert_eq!(run_with(&["solve", "-"], "").code, Some(2));
}

#[test]
#[cfg(unix)]
fn interrupting_ends_with_what_is_known() {
    let mut child = taquin()
        .args(["solve", HARD, "--goal", "first", "-m", "ida:misplaced", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until_working(child.id());
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["reason"], "cancelled");
    assert!(report["counts"]["expanded"].as_u64().unwrap() > 1_000);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_under_its_limit_for_real() {
    // The process ends with the peak that the system measured.
    let program = env!("CARGO_BIN_EXE_taquin");
    let script = format!(
        "import resource, subprocess, sys\n\
         code = subprocess.run([{program:?}, 'solve', {HARD:?}, '--goal', 'first', '-m', 'astar:manhattan', \
         '--memory', '200M', '--json'], stdout=subprocess.DEVNULL).returncode\n\
         print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    );
    let output = std::process::Command::new("python3")
        .args(["-c", &script])
        .env("TAQUIN_CACHE", cache())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (code, kilobytes) = text.trim().split_once(' ').expect(&text);
    assert_eq!(code, "22");
    let kilobytes: u64 = kilobytes.parse().unwrap();
    assert!((100_000..260_000).contains(&kilobytes), "{kilobytes} KB");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut child = taquin()
        .args(["gen", "--count", "200000", "--seed", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().is_ok());
    drop(lines);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// The bound and its proof do not depend on the command.
#[test]
fn every_command_has_the_same_bound() {
    let (near, far) = ("1 3 6/5 0 2/4 7 8", "8 6 7/2 5 4/3 0 1");
    for (board, method, nodes, expected) in [
        (near, "random,seed=7", "1M", (8, true)),
        (near, "dfs", "1M", (8, false)),
        (near, "dfs,depth=30", "1M", (8, false)),
        (far, "table", "5", (21, false)),
        // Moves of several tiles may be fewer.
        (far, "table,metric=multi", "5", (0, false)),
    ] {
        let bound = |report: &serde_json::Value| {
            (report["lower_bound"].as_u64().unwrap(), report["optimal"] == true)
        };
        let args = ["-m", method, "--nodes", nodes];
        let alone = json(&[&["solve", board, "--json"], &args[..]].concat());
        assert_eq!(bound(&alone), expected, "{method}");
        let batch = run_with(&[&["solve", "--batch", "-", "--jsonl"], &args[..]].concat(), board);
        let batch = serde_json::from_str(&batch.out).unwrap();
        assert_eq!(bound(&batch), expected, "{method}");
        let compared = json(&[&["compare", board, "--json"], &args[..]].concat());
        assert_eq!(bound(&compared["rows"][0]), expected, "{method}: {compared}");
    }
    // A proven answer is not called doubtful.
    let proven = run(&["solve", near, "-m", "random,seed=7"]).out;
    assert!(proven.contains("optimal, no solution is shorter."), "{proven}");
    assert!(!proven.contains("may not be optimal"), "{proven}");
    let doubtful = run(&["solve", near, "-m", "random,seed=1"]).out;
    assert!(doubtful.contains("may not be optimal"), "{doubtful}");
}

#[test]
fn aida_without_databases_is_bad_usage_in_every_command() {
    for args in [
        &["solve", "136502478", "-m", "aida:manhattan"][..],
        &["compare", "136502478", "-m", "aida:manhattan"],
        &["compare", "136502478", "-m", "bfs", "-m", "aida"],
        &["solve", "--batch", "-", "-m", "aida:max=pdb=small+linear"],
        &["task", "split", "136502478", "no-folder", "-m", "aida:linear"],
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.starts_with("error: aida needs pattern databases"), "{}", ran.err);
        assert!(ran.err.ends_with("hint: write aida:zpdb=small\n"), "{}", ran.err);
    }
    assert_eq!(run(&["solve", "136502478", "-m", "aida:zpdb=small"]).code, Some(0));
}
