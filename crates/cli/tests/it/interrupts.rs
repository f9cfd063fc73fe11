//! Ctrl-C, once and twice, during a search and while the program waits for input.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::{folder, json, taquin, wait_until_working};

/// A board that `ida:manhattan` does not solve in hours.
const HARD: &str = "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1";

fn start(args: &[&str]) -> Child {
    let mut command = taquin();
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits for the end of a program whose standard input stays open. Returns its exit code, and what
/// it wrote to standard error.
fn ended(mut child: Child) -> (Option<i32>, String) {
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it does not end");
        }
        sleep(Duration::from_millis(5));
    };
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (status.code(), said)
}

#[test]
fn two_signals_at_once_lose_neither_the_checkpoint_nor_the_summary() {
    let file = folder("two-signals").join("search.json");
    let path = file.to_str().unwrap();
    let child = start(&["solve", HARD, "-m", "ida:manhattan", "--checkpoint", path]);
    wait_until_working(child.id());
    // As GNU timeout sends them: to the child, and to its group.
    for _ in 0..5 {
        signal(&child, "-INT");
    }
    let (code, said) = ended(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains(&format!("to continue: taquin solve --resume {path}")), "{said}");
    // The checkpoint has all that was counted, and is continued from there.
    let saved: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let generated = |counts: &Value| counts["generated"].as_u64().unwrap();
    let snapshot = &saved["content"]["snapshot"];
    let done = snapshot["done"].as_array().unwrap().iter().map(|part| generated(&part[1]));
    let before = generated(&snapshot["before"]) + done.sum::<u64>();
    assert!(before > 0, "{saved}");
    let most = (before + 1_000_000).to_string();
    let resumed = json(&["solve", "--resume", path, "--nodes", &most, "--json"]);
    assert!(generated(&resumed["counts"]) > before, "{before}: {resumed}");
}

#[test]
fn a_second_signal_after_a_second_ends_the_program() {
    // No reader takes the answers, so the program waits and does not notice the first signal.
    let boards = folder("second-signal").join("boards.txt");
    std::fs::write(&boards, "123406758\n\n".repeat(20_000)).unwrap();
    let mut child = start(&["solve", "--batch", boards.to_str().unwrap()]);
    wait_until_handled(&child);
    wait_until_asleep(child.id());
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "it does not end");
        signal(&child, "-INT");
        sleep(Duration::from_millis(100));
    };
    assert_eq!(status.code(), Some(130));
    assert!(started.elapsed() >= Duration::from_secs(1), "signals within a second count as one");
}

#[test]
fn one_signal_ends_the_drawing_of_deep_boards() {
    let child = start(&["gen", "--size", "4", "--depth", "62"]);
    wait_until_handled(&child);
    signal(&child, "-INT");
    let (code, said) = ended(child);
    assert_eq!((code, said.as_str()), (Some(130), "error: interrupted\n"));
}

#[test]
fn one_signal_ends_the_service() {
    let child = start(&["serve", "--port", "0"]);
    wait_until_handled(&child);
    signal(&child, "-INT");
    assert_eq!(ended(child), (Some(0), String::new()));
}

/// Waits until the program handles Ctrl-C by itself.
fn wait_until_handled(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    loop {
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & 2 > 0 {
            return;
        }
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn ctrl_c_ends_the_dialogue_while_it_waits_for_an_answer() {
    for answers in ["", "1\n3\n", "2\n8\n1 2 3\n"] {
        let mut child = start(&["ask"]);
        let mut input = child.stdin.take().unwrap();
        input.write_all(answers.as_bytes()).unwrap();
        // It waits when it has read everything and nothing more happens.
        wait_until_handled(&child);
        let mut question = [0; 1];
        child.stderr.as_mut().unwrap().read_exact(&mut question).unwrap();
        wait_until_asleep(child.id());
        signal(&child, "-INT");
        let (code, said) = ended(child);
        assert_eq!(code, Some(130), "{answers:?}: {said}");
        assert!(said.ends_with('\n') && !said.contains("error"), "{said}");
        drop(input);
    }
}

/// Waits until no thread of a program has run for a while, or is about to run.
fn wait_until_asleep(process: u32) {
    let used = || crate::run::processor_time(process);
    let is_asleep = || {
        let mut threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
        threads.all(|thread| {
            let status = std::fs::read_to_string(thread.path().join("status"));
            status.is_ok_and(|text| text.contains("State:\tS"))
        })
    };
    let mut before = used();
    loop {
        sleep(Duration::from_millis(200));
        let now = used();
        if now == before && is_asleep() {
            return;
        }
        before = now;
    }
}

#[test]
fn ctrl_c_ends_a_batch_that_waits_for_boards() {
    let mut child = start(&["solve", "--batch", "-"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"123406758\n\n").unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert_eq!(answer, "1: 2 moves, optimal: DR\n");
    signal(&child, "-INT");
    let (code, said) = ended(child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.starts_with("1 solved (1 proven optimal)"), "{said}");
    drop(input);
}

#[test]
fn the_dialogue_ends_with_endless_input() {
    let mut endless = taquin();
    endless.arg("ask").stdin(std::fs::File::open("/dev/zero").unwrap());
    let output = endless.stdout(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error: an answer has more than"));
    let ran = crate::run::run_with(&["ask"], "nonsense\n".repeat(10_000));
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("error: 100 answers in a row were not valid"), "{}", ran.err);
}
