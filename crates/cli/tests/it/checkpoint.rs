//! Long searches that are killed and go on.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::run::{folder, taquin};

const HARD: &str = "14 7 8 2/13 11 10 4/9 12 5 0/3 6 1 15";

fn solve(args: &[&str]) -> Command {
    let mut command = taquin();
    command.arg("solve").args(args).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// What does not depend on time.
fn counts(output: &[u8]) -> [Value; 4] {
    let report: Value = serde_json::from_slice(output).unwrap();
    let counts = &report["counts"];
    [
        &report["moves"],
        &counts["expanded"],
        &counts["generated"],
        &report["before_last_bound"]["generated"],
    ]
    .map(Clone::clone)
}

#[test]
fn a_search_that_is_killed_again_and_again_ends_with_the_same_counts() {
    let folder = folder("checkpoint");
    let file = folder.join("hard.json");
    let path = file.to_str().unwrap();
    let search = ["--goal", "first", "--method", "ida:manhattan", "--json", "--threads", "1"];
    let expected = counts(&solve(&[&[HARD], &search[..]].concat()).output().unwrap().stdout);

    let begin = [&[HARD, "--checkpoint", path, "--checkpoint-every", "10ms"], &search[..]].concat();
    let mut child = solve(&begin).stdout(Stdio::null()).spawn().unwrap();
    let mut kills = 0;
    loop {
        // Each try lives a little longer, so that all of them end.
        sleep(Duration::from_millis(50 + 5 * kills));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let threads = ["1", "2", "3"][kills as usize % 3];
        let resume =
            ["--resume", path, "--threads", threads, "--json", "--checkpoint-every", "10ms"];
        let out = fs::File::create(folder.join("answer.json")).unwrap();
        child = solve(&resume).stdout(out).spawn().unwrap();
    }
    assert!(kills > 2, "{kills}");
    assert_eq!(counts(&fs::read(folder.join("answer.json")).unwrap()), expected);
    assert!(!file.exists(), "nothing is left to go on with");
}

#[test]
fn errors_say_what_to_do() {
    let folder = folder("checkpoint-errors");
    let file = folder.join("there.json");
    fs::write(&file, "{}").unwrap();
    let path = file.to_str().unwrap();
    let told = |args: &[&str]| {
        let output = solve(args).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let method = ["--method", "ida:manhattan"];
    assert!(told(&[&[HARD, "--checkpoint", path], &method[..]].concat()).contains("--resume"));
    assert!(told(&["--resume", path]).contains("is not a checkpoint"));
    assert!(told(&["--resume", "/nowhere/at/all"]).contains("/nowhere/at/all"));
    let new = folder.join("new.json");
    let new = new.to_str().unwrap();
    assert!(
        told(&[HARD, "--goal", "first", "--method", "bfs", "--checkpoint", new])
            .contains("ida:pdb")
    );
    assert!(!fs::exists(new).unwrap());
}
