//! Long searches that are killed and resumed.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::run::{folder, taquin};

/// Another puzzle of the same size.
const EASIER: &str = "5 12 10 7/15 11 14 0/8 2 1 13/3 4 9 6";

const HARD: &str = "14 7 8 2/13 11 10 4/9 12 5 0/3 6 1 15";

fn solve(args: &[&str]) -> Command {
    let mut command = taquin();
    command.arg("solve").args(args).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// The results that do not depend on time.
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

/// Kills a search again and again, and compares its facts with those of an undisturbed search.
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
fn stopped(file: &std::path::Path, board: &str) -> String {
    let path = file.to_str().unwrap();
    let begin = ["--goal", "first", "--method", "ida:manhattan", "--nodes", "1M", "--quiet"];
    let output = solve(&[&[board, "--checkpoint", path], &begin[..]].concat()).output().unwrap();
    assert_eq!(output.status.code(), Some(12));
    fs::read_to_string(file).unwrap()
}

#[test]
fn the_time_of_a_resumed_search_includes_that_of_its_first_run() {
    let file = folder("checkpoint-time").join("saved.json");
    let text = stopped(&file, HARD);
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
fn a_changed_checkpoint_is_not_believed() {
    let folder = folder("a9-changed");
    let file = folder.join("hard.json");
    let sound = stopped(&file, HARD);
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
        (older, "a checkpoint of format 1; this program reads format 4"),
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

/// Waits until a condition holds or the process has ended. Returns whether it still runs.
fn runs_until(child: &mut Child, condition: impl Fn() -> bool) -> bool {
    while child.try_wait().unwrap().is_none() {
        if condition() {
            return true;
        }
        sleep(Duration::from_millis(1));
    }
    false
}

#[test]
fn a_checkpoint_that_is_changed_while_the_search_runs_does_no_harm() {
    changed_at_ten_moments("checkpoint-changed", "ida:manhattan", counts);
    changed_at_ten_moments("checkpoint-changed-aida", "aida:pdb=1.4/2.3/8.9,tt=0", counts_before);
}

/// Changes the file of a running search, kills the search, and resumes it if the file allows that.
fn changed_at_ten_moments(name: &str, method: &str, facts: fn(&[u8]) -> [Value; 4]) {
    let folder = folder(name);
    let file = folder.join("hard.json");
    let path = file.to_str().unwrap();
    let search = ["--goal", "first", "--method", method, "--json", "--threads", "1"];
    let expected = facts(&solve(&[&[HARD], &search[..]].concat()).output().unwrap().stdout);
    let begin = [&[HARD, "--checkpoint", path, "--checkpoint-every", "5ms"], &search[..]].concat();
    let resume = ["--resume", path, "--json", "--checkpoint-every", "5ms"];
    let another = stopped(&folder.join("another.json"), EASIER);

    let mut child = solve(&begin).stdout(Stdio::null()).spawn().unwrap();
    let (mut copies, mut moment) = (Vec::<Vec<u8>>::new(), 0);
    while moment < 10 {
        let before = fs::read(&file).unwrap_or_default();
        if !runs_until(&mut child, || fs::read(&file).is_ok_and(|now| now != before)) {
            // It ended too early, which a busy machine may cause: once more, from the beginning.
            fs::write(&file, &copies[0]).unwrap();
            child = solve(&resume).stdout(Stdio::null()).spawn().unwrap();
            continue;
        }
        let sound = fs::read(&file).unwrap();
        copies.push(sound.clone());
        let changed = match moment % 5 {
            0 => sound[..sound.len() / 2].to_vec(),
            1 => Vec::new(),
            2 => another.clone().into_bytes(),
            3 => copies[0].clone(),
            _ => [b"\xff", &sound[..]].concat(),
        };
        fs::write(&file, &changed).unwrap();
        if moment % 5 != 2 {
            // The search replaces only files that are damaged or contain less.
            runs_until(&mut child, || fs::read(&file).is_ok_and(|now| now != changed));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if !file.exists() {
            // It was killed after it had printed the answer.
            fs::write(&file, &copies[0]).unwrap();
        } else if moment % 5 == 2 {
            assert_eq!(fs::read(&file).unwrap(), changed, "it belongs to another search");
            fs::write(&file, &sound).unwrap();
        }
        child = solve(&resume).stdout(Stdio::null()).spawn().unwrap();
        moment += 1;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    fs::write(&file, copies.last().unwrap()).unwrap();
    let output = solve(&resume).output().unwrap();
    assert_eq!(facts(&output.stdout), expected, "{method}");
}
