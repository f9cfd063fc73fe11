//! `experiment`: what survives being killed, shared, spread, and refused.

#[cfg(unix)]
mod damage;
mod faults;
mod foreign;
mod report;
mod submit;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rusqlite::Connection;
use snapbox::{assert_data_eq, str};

use crate::run::{Ran, cache, folder, run, taquin};

/// About 90 runs of milliseconds each.
const PLAN: &str = "
title = \"A small one\"
instances = [\"random 3x3 n=36 seed=3\", \"random 3x3 n=3 seed=8\"]
methods = [\"bfs\", \"astar:manhattan\"]
[limits]
memory = \"200M\"
";

/// Writes a plan into a folder.
fn plan(folder: &Path, text: &str) -> String {
    let path = folder.join("plan.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn experiment(args: &[&str]) -> Ran {
    run(&[&["experiment"], args].concat())
}

fn open(store: &Path) -> Connection {
    Connection::open(store).unwrap()
}

fn number(store: &Path, query: &str) -> i64 {
    open(store).query_row(query, [], |row| row.get(0)).unwrap()
}

/// Every finished run by its key, but for times, and what else differs between two machines.
fn results(store: &Path) -> BTreeMap<String, Vec<String>> {
    let ran = experiment(&["export", store.to_str().unwrap(), "--format", "jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let lines = ran.out.lines().map(|line| {
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        let key = row["key"].as_str().unwrap().to_owned();
        let changes = ["seconds", "cpu_seconds", "finished", "limit_memory"];
        let kept = row.iter().filter(|(column, _)| !changes.contains(&column.as_str()));
        (key, kept.map(|(column, value)| format!("{column}={value}")).collect())
    });
    lines.collect()
}

/// When each run was finished, and how long it took: a second run would change both.
fn times(store: &Path) -> BTreeMap<String, String> {
    let connection = open(store);
    let mut query = connection
        .prepare("SELECT key, finished || ' ' || seconds FROM runs WHERE outcome IS NOT NULL")
        .unwrap();
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn start(plan: &str, store: &Path) -> Child {
    taquin()
        .args(["experiment", "run", plan, "--store"])
        .arg(store)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The runs that a process says it has made.
fn made(child: Child) -> u64 {
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{words}");
    let line = words.lines().find(|line| line.contains(" in ")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// The locks left next to a store.
fn locks(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "lock")).collect()
}

#[test]
fn a_plan_is_run_once() {
    let folder = folder("experiment");
    let plan = plan(&folder, PLAN);
    let ran = experiment(&["run", &plan]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert!(ran.err.starts_with("78 runs in "), "{}", ran.err);
    let store = folder.join("plan.sqlite");
    let before = times(&store);
    // Nothing is due, so nothing is run.
    let ran = experiment(&["run", &plan]);
    assert!(ran.err.starts_with("0 runs in "), "{}", ran.err);
    assert_eq!(times(&store), before);
    assert_eq!(locks(&folder), Vec::<PathBuf>::new());
    let ran = experiment(&["status", &plan]);
    assert_data_eq!(
        ran.out,
        str![[r#"
A small one
                 finished  solved  optimal [..]seconds
bfs              39 of 39      39       39 [..]
astar:manhattan  39 of 39      39       39 [..]
all              78 of 78      78       78 [..]

"#]]
    );
    // One method more, and one set less: known results are kept, and new runs are made.
    let changed =
        PLAN.replace("\"bfs\"", "\"ida:linear\"").replace(", \"random 3x3 n=3 seed=8\"", "");
    fs::write(&plan, changed).unwrap();
    let ran = experiment(&["run", &plan]);
    assert!(ran.err.starts_with("36 runs in "), "{}", ran.err);
    // The others are kept and reported.
    let kept = "\n42 runs of other plans are kept: 'taquin experiment export --stale' has them\n";
    assert!(ran.err.contains(kept), "{}", ran.err);
    let shown = experiment(&["status", &plan]).out;
    assert!(shown.contains(kept), "{shown}");
    assert_eq!(results(&store).len(), 72);
    let ran = experiment(&["export", &plan, "--all"]);
    assert_eq!(ran.out.lines().count(), 1 + 78 + 36);
    assert!(before.iter().all(|(key, time)| times(&store)[key] == *time));
}

#[test]
fn killed_at_any_moment_it_goes_on() {
    let folder = folder("killed");
    let plan = plan(&folder, PLAN);
    let (whole, killed) = (folder.join("whole.sqlite"), folder.join("killed.sqlite"));
    assert_eq!(made(start(&plan, &whole)), 78);
    let mut random = random_numbers(std::process::id().into());
    let (mut kills, mut known, mut patience) = (0, BTreeMap::new(), 100);
    loop {
        let mut child = start(&plan, &killed);
        sleep(Duration::from_millis(random() % patience));
        child.kill().unwrap();
        let ended = child.wait().unwrap();
        if ended.success() {
            break;
        }
        kills += 1;
        let now = if killed.exists() { times_if_any(&killed) } else { BTreeMap::new() };
        // Finished runs are unchanged: they did not run again.
        assert!(known.iter().all(|(key, time)| now.get(key) == Some(time)));
        if now.len() == known.len() {
            // However slow the machine is, in the end it lives long enough.
            patience = (patience * 5 / 4).min(60_000);
        }
        known = now;
    }
    assert!(kills >= 3, "killed only {kills} times");
    assert_eq!(results(&killed), results(&whole));
    assert_eq!(number(&killed, "SELECT count(*) FROM runs WHERE due = 1 OR worker IS NOT NULL"), 0);
    assert_eq!(number(&killed, "SELECT count(*) FROM workers"), 0);
    let check: String =
        open(&killed).query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}

/// Killed before it had tables, a store has no times.
fn times_if_any(store: &Path) -> BTreeMap<String, String> {
    if has_tables(store) { times(store) } else { BTreeMap::new() }
}

/// Numbers that differ from one run of the tests to the next.
fn random_numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed | 1;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

#[test]
fn two_processes_make_every_run_once() {
    let folder = folder("two");
    let plan = plan(&folder, &PLAN.replace("n=36", "n=72"));
    let store = folder.join("two.sqlite");
    let children = [start(&plan, &store), start(&plan, &store), start(&plan, &store)];
    let made: Vec<u64> = children.map(made).to_vec();
    assert_eq!(made.iter().sum::<u64>(), 2 * (72 + 3), "{made:?}");
    assert!(made.iter().filter(|made| **made > 0).count() > 1, "one did it all: {made:?}");
    assert_eq!(
        number(&store, "SELECT count(*) FROM runs WHERE attempts <> 1 OR outcome IS NULL"),
        0
    );
}

#[test]
fn a_run_whose_process_died_is_taken_over() {
    let folder = folder("died");
    // The first run takes a while, and its process is stopped and killed in it.
    let hard = "instances = [\"board 13 12 6 10/14 5 15 4/8 0 7 3/1 9 11 2\", \"courses\"]
methods = [\"ida:misplaced\"]
[limits]
nodes = 20000000
";
    let plan = plan(&folder, hard);
    let store = folder.join("died.sqlite");
    let mut stuck = start(&plan, &store);
    let taken = "SELECT count(*) FROM runs WHERE worker IS NOT NULL";
    while number_so_far(&store, taken) == 0 {
        sleep(Duration::from_millis(10));
    }
    let id = stuck.id().to_string();
    assert!(Command::new("kill").args(["-STOP", &id]).status().unwrap().success());
    // While it lives, another process leaves its run alone and finishes the other runs.
    let other = start(&plan, &store);
    while number(&store, "SELECT count(*) FROM runs WHERE outcome IS NOT NULL") < 8 {
        sleep(Duration::from_millis(10));
    }
    let status = experiment(&["status", store.to_str().unwrap(), "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!(status["running"], 1, "{status}");
    stuck.kill().unwrap();
    stuck.wait().unwrap();
    let words = other.wait_with_output().unwrap().stderr;
    let words = String::from_utf8(words).unwrap();
    assert!(words.contains(" runs in "), "{words}");
    // It was there before or it comes now: in the end the run is done, in its second attempt.
    let ran = experiment(&["run", &plan, "--store", store.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(number(&store, "SELECT count(*) FROM runs WHERE outcome IS NULL"), 0);
    assert_eq!(number(&store, "SELECT attempts FROM runs WHERE reason = 'expanded'"), 2);
    assert_eq!(locks(&folder), Vec::<PathBuf>::new());
}

fn has_tables(store: &Path) -> bool {
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'runs'";
    open(store).query_row(tables, [], |row| row.get::<_, i64>(0)).is_ok_and(|there| there > 0)
}

/// A number that a store has, or will have once it has tables.
fn number_so_far(store: &Path, query: &str) -> i64 {
    if store.exists() && has_tables(store) { number(store, query) } else { 0 }
}

#[test]
fn parts_are_joined() {
    let folder = folder("parts");
    let plan = plan(&folder, PLAN);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for part in ["1", "2", "3"] {
        let ran =
            experiment(&["run", &plan, "--shard", &format!("{part}/3"), "--store", &path(part)]);
        assert!(ran.err.starts_with("26 runs in "), "{}", ran.err);
    }
    let ran = experiment(&["merge", &path("all"), &path("1"), &path("2"), &path("3"), &path("1")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("3: 26 new runs, 0 known"), "{}", ran.err);
    assert!(ran.err.contains("1: 0 new runs, 26 known"), "{}", ran.err);
    assert_eq!(made(start(&plan, &folder.join("whole"))), 78);
    assert_eq!(results(&folder.join("all")), results(&folder.join("whole")));
    // The joined store is like the others: no run remains.
    let ran = experiment(&["run", &plan, "--store", &path("all")]);
    assert!(ran.err.starts_with("0 runs in "), "{}", ran.err);
    // Two stores that say different things are not passed over in silence.
    let without_seals = "ALTER TABLE runs DROP COLUMN seal; ALTER TABLE runs DROP COLUMN plan_seal; \
                         PRAGMA user_version = 2; UPDATE runs SET expanded = expanded + 1";
    open(&folder.join("2")).execute_batch(without_seals).unwrap();
    let ran = experiment(&["merge", &path("all"), &path("2")]);
    assert!(ran.code == Some(1) && ran.err.contains("26 runs differ"), "{}", ran.err);
}

#[test]
fn a_limit_is_a_result_and_can_be_raised() {
    let folder = folder("limits");
    let text =
        "instances = [\"courses\"]\nmethods = [\"bfs\", \"greedy\"]\n[limits]\nnodes = 1000\n";
    let plan = plan(&folder, text);
    let store = folder.join("plan.sqlite");
    assert_eq!(made(start(&plan, &store)), 16);
    let stopped = "SELECT count(*) FROM runs WHERE outcome = 'stopped' AND reason = 'expanded'";
    assert_eq!(number(&store, stopped), 4);
    let shown = experiment(&["status", &plan]).out;
    assert!(shown.contains("  optimal  node limit  "), "{shown}");
    fs::write(&plan, text.replace("1000", "\"10k\"")).unwrap();
    let ran = experiment(&["run", &plan]);
    assert!(ran.err.starts_with("4 runs were ended by a limit that is higher now"), "{}", ran.err);
    assert!(ran.err.contains("--retry") && ran.err.contains("\n0 runs in "), "{}", ran.err);
    let ran = experiment(&["run", &plan, "--retry"]);
    assert!(ran.err.starts_with("4 runs in "), "{}", ran.err);
    assert_eq!(number(&store, stopped), 2);
    // Time, and memory that is really limited: the process itself may have no more than 700 MB, and
    // continues with the next run.
    let hard = "instances = [\"board 13 12 6 10/14 5 15 4/8 0 7 3/1 9 11 2\", \"courses\"]
methods = [\"ucs\", \"astar:misplaced\"]\n[limits]\nmemory = \"200M\"\n";
    fs::write(&plan, hard).unwrap();
    let limited = Command::new("sh")
        .args(["-c", "ulimit -v 700000; exec \"$0\" experiment run \"$1\""])
        .args([env!("CARGO_BIN_EXE_taquin"), &plan])
        .env("TAQUIN_CACHE", cache())
        .output()
        .unwrap();
    assert_eq!(limited.status.code(), Some(0), "{}", String::from_utf8_lossy(&limited.stderr));
    let memory = "SELECT count(*) FROM runs WHERE outcome = 'stopped' AND reason = 'memory' \
                  AND memory_peak BETWEEN 1e8 AND 2e8 AND place IS NOT NULL";
    assert_eq!(number(&store, memory), 2);
    assert_eq!(
        number(&store, "SELECT count(*) FROM runs WHERE outcome = 'solved' AND place IS NOT NULL"),
        16
    );
}

#[test]
fn interrupting_keeps_what_is_finished() {
    let folder = folder("interrupted");
    let plan =
        plan(&folder, "instances = [\"courses\", \"korf100\"]\nmethods = [\"ida:misplaced\"]\n");
    let store = folder.join("plan.sqlite");
    let child = start(&plan, &store);
    while number_so_far(&store, "SELECT count(*) FROM runs WHERE outcome IS NOT NULL") < 8 {
        sleep(Duration::from_millis(10));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{words}");
    assert!(words.contains("start it again to continue"), "{words}");
    assert_eq!(number(&store, "SELECT count(*) FROM runs WHERE outcome IS NOT NULL"), 8);
    assert_eq!(number(&store, "SELECT count(*) FROM runs WHERE worker IS NOT NULL"), 0);
}

#[test]
fn small_plans_and_courses_need_no_file() {
    let folder = folder("small");
    let store = folder.join("small.sqlite");
    let path = store.to_str().unwrap();
    let ran = experiment(&[
        "run",
        "--instances",
        "courses",
        "--as",
        "ucr-list",
        "--as",
        "ucr-heap",
        "--store",
        path,
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.starts_with("48 runs in "), "{}", ran.err);
    let figures: String = open(&store)
        .query_row(
            "SELECT figures FROM runs WHERE name = 'ucr-list manhattan' AND instance = 'depth 24'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    let figures: serde_json::Value = serde_json::from_str(&figures).unwrap();
    assert_eq!(figures["nodes_expanded"], 1757);
}
