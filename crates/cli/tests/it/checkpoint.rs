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

/// The same of `aida` without a table: the last threshold ends with any solution.
fn counts_before(output: &[u8]) -> [Value; 4] {
    let report: Value = serde_json::from_slice(output).unwrap();
    assert_eq!(report["optimal"], true);
    let before = &report["before_last_bound"];
    [&report["cost"], &before["expanded"], &before["generated"], &before["duplicates"]]
        .map(Clone::clone)
}

#[test]
fn a_search_that_is_killed_again_and_again_ends_with_the_same_counts() {
    killed("checkpoint", "ida:manhattan", counts);
    killed("checkpoint-aida", "aida:pdb=1.4/2.3/8.9,tt=0", counts_before);
}

/// Kills a search again and again, and compares its facts with those of one that is not killed.
fn killed(name: &str, method: &str, facts: fn(&[u8]) -> [Value; 4]) {
    let folder = folder(name);
    let file = folder.join("hard.json");
    let path = file.to_str().unwrap();
    let search = ["--goal", "first", "--method", method, "--json", "--threads", "1"];
    let expected = facts(&solve(&[&[HARD], &search[..]].concat()).output().unwrap().stdout);

    let begin = [&[HARD, "--checkpoint", path, "--checkpoint-every", "10ms"], &search[..]].concat();
    let mut child = solve(&begin).stdout(Stdio::null()).spawn().unwrap();
    // On a busy machine the first checkpoint may take a while.
    while !file.exists() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(5));
    }
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
        if !file.exists() {
            // It was killed after it had printed the answer.
            break;
        }
        let threads = ["1", "2", "3"][kills as usize % 3];
        let resume =
            ["--resume", path, "--threads", threads, "--json", "--checkpoint-every", "10ms"];
        let out = fs::File::create(folder.join("answer.json")).unwrap();
        child = solve(&resume).stdout(out).spawn().unwrap();
    }
    assert!(kills > 2, "{method}: {kills}");
    assert_eq!(facts(&fs::read(folder.join("answer.json")).unwrap()), expected, "{method}");
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
    assert!(told(&["--resume", path]).contains("not a checkpoint"));
    assert!(told(&["--resume", "/nowhere/at/all"]).contains("/nowhere/at/all"));
    let new = folder.join("new.json");
    let new = new.to_str().unwrap();
    assert!(
        told(&[HARD, "--goal", "first", "--method", "bfs", "--checkpoint", new])
            .contains("ida:pdb")
    );
    assert!(!fs::exists(new).unwrap());
}

/// A checkpoint of a search that a limit ended.
fn stopped(file: &std::path::Path) -> String {
    let path = file.to_str().unwrap();
    let begin = ["--goal", "first", "--method", "ida:manhattan", "--nodes", "1M", "--quiet"];
    let output = solve(&[&[HARD, "--checkpoint", path], &begin[..]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(12));
    fs::read_to_string(file).unwrap()
}

#[test]
fn the_time_of_a_resumed_search_includes_that_of_its_first_run() {
    let file = folder("checkpoint-time").join("saved.json");
    let text = stopped(&file);
    let before: Value = serde_json::from_str(&text).unwrap();
    let before = before["content"]["seconds"].as_f64().unwrap();
    assert!(before > 0.0, "{text}");
    let resume = ["--resume", file.to_str().unwrap(), "--nodes", "1", "--json"];
    let output = solve(&resume).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["seconds"].as_f64().unwrap() > before, "{report}");
    assert!(report["stages"][0]["seconds"].as_f64().unwrap() > before, "{report}");
}

#[test]
fn a9_a_changed_checkpoint_is_not_believed() {
    let folder = folder("a9-changed");
    let file = folder.join("hard.json");
    let sound = stopped(&file);
    let checkpoint: Value = serde_json::from_str(&sound).unwrap();
    let threshold = &checkpoint["content"]["snapshot"]["threshold"];
    let (now, false_bound) =
        (format!("\"threshold\":{threshold}"), "\"threshold\":100000".to_owned());
    let older = "{\"checkpoint\":1,\"task\":{}}".to_owned();
    for (changed, expected) in [
        (sound.replace(&now, &false_bound), "the checkpoint is damaged: its checksum is wrong"),
        (sound.replace("ida:manhattan", "ida:pdb=5-5-5"), "its checksum is wrong"),
        (sound.replace("\"wanted\":", "\"wanted\":1000000000"), "its checksum is wrong"),
        (sound.replace("\"checksum\":", "\"sum\":"), "it has no checksum"),
        (sound[..sound.len() - 10].to_owned(), "it is incomplete"),
        (older, "a checkpoint of format 1; this program reads format 2"),
    ] {
        assert_ne!(changed, sound);
        fs::write(&file, &changed).unwrap();
        let resume = ["--resume", file.to_str().unwrap()];
        let output = solve(&resume).stderr(Stdio::piped()).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected) && told.contains("hint: "), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), changed, "the file is left alone");
    }
}

/// Sends a signal to a process.
#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
#[cfg(unix)]
fn a9_a_second_signal_ends_every_command_at_once() {
    // Reading a set of deep boards does not look at Ctrl-C; the others do, and end by themselves.
    let hard = "15 14 8 12/10 11 9 13/2 6 5 1/3 7 4 0";
    for (args, signals) in [
        (&["solve", hard, "--goal", "first", "-m", "ida:manhattan"][..], ["-INT", "-INT"]),
        (&["gen", "--size", "4", "--depth", "60"], ["-INT", "-TERM"]),
        (&["enumerate", "3x4"], ["-TERM", "-TERM"]),
        (&["serve", "--port", "0"], ["-INT", "-INT"]),
    ] {
        let mut child = taquin()
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(700));
        for name in signals {
            if child.try_wait().unwrap().is_none() {
                signal(&child, name);
                sleep(Duration::from_millis(50));
            }
        }
        let started = std::time::Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(started.elapsed() < Duration::from_secs(10), "{args:?} goes on");
            sleep(Duration::from_millis(10));
        }
    }
}
