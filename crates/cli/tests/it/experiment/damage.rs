//! Stores that are cut, swapped or overwritten: while a run is under way, between runs, and while a
//! report is made. Nothing false is claimed, and nothing crashes.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};

use super::{experiment, made, number_so_far, plan, random_numbers, results, start};
use crate::run::{folder, taquin};

/// Methods that prove optima, one that only finds solutions, and one that a limit ends.
const PLAN: &str = "
instances = [\"random 3x3 n=60 seed=5\"]
methods = [\"astar:manhattan\", \"greedy\", \"ida:linear\", \"bfs\"]
[limits]
nodes = 20000
memory = \"200M\"
";

const FINISHED: &str = "SELECT count(*) FROM runs WHERE outcome IS NOT NULL";

/// Damages a store in one of several ways.
fn damage(store: &Path, other: &Path, way: u64, random: &mut impl FnMut() -> u64) {
    let Ok(mut file) = OpenOptions::new().read(true).write(true).open(store) else { return };
    let length = file.metadata().unwrap().len().max(1);
    match way % 5 {
        // Cut, at any byte.
        0 => file.set_len(random() % length).unwrap(),
        // A few bytes anywhere.
        1 => {
            for _ in 0..20 {
                file.seek(SeekFrom::Start(random() % length)).unwrap();
                file.write_all(&[random() as u8]).unwrap();
            }
        }
        // A page of another place.
        2 => {
            let pages = length.div_ceil(4_096);
            let mut page = Vec::new();
            file.seek(SeekFrom::Start(random() % pages * 4_096)).unwrap();
            Read::by_ref(&mut file).take(4_096).read_to_end(&mut page).unwrap();
            file.seek(SeekFrom::Start(random() % pages * 4_096)).unwrap();
            file.write_all(&page).unwrap();
        }
        // Another store in its place.
        3 => {
            let copy = store.with_extension("copy");
            fs::copy(other, &copy).unwrap();
            fs::rename(&copy, store).unwrap();
        }
        // Another store over it.
        _ => file.write_all(&fs::read(other).unwrap()).unwrap(),
    }
}

/// A process answers, or reports what is wrong, but does not crash.
fn answered(output: &Output) {
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), None, "{words}");
    assert!(matches!(output.status.code(), Some(0 | 2)), "{:?}: {words}", output.status);
    assert!(!words.contains("panicked"), "{words}");
}

#[test]
fn a_store_that_is_damaged_at_any_moment_claims_nothing_false() {
    let folder = folder("damage");
    let plan = plan(&folder, PLAN);
    let (whole, other) = (folder.join("whole.sqlite"), folder.join("other.sqlite"));
    assert_eq!(made(start(&plan, &whole)), 240);
    let truth = results(&whole);
    let small = folder.join("small.toml");
    fs::write(&small, PLAN.replace("n=60", "n=9")).unwrap();
    assert_eq!(made(start(small.to_str().unwrap(), &other)), 36);
    let mut random = random_numbers(7);
    for moment in 0..10 {
        let store = folder.join(format!("{moment}.sqlite"));
        let path = store.to_str().unwrap();
        // While runs are under way: after the first, the twentieth, ..
        let mut child = start(&plan, &store);
        while number_so_far(&store, FINISHED) < 1 + 20 * moment
            && child.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        damage(&store, &other, moment as u64, &mut random);
        answered(&child.wait_with_output().unwrap());
        claims_nothing_false(&store, &truth);
        // Between runs.
        answered(&start(&plan, &store).wait_with_output().unwrap());
        claims_nothing_false(&store, &truth);
        // While a report is made.
        fs::copy(&whole, &store).unwrap();
        for log in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{path}{log}"));
        }
        let mut report = taquin();
        report.args(["experiment", "report", path]).stdout(Stdio::null()).stderr(Stdio::piped());
        let report = report.spawn().unwrap();
        damage(&store, &other, random(), &mut random);
        answered(&report.wait_with_output().unwrap());
        claims_nothing_false(&store, &truth);
    }
}

/// Every run that a store has is one that was made, with its result.
fn claims_nothing_false(store: &Path, truth: &std::collections::BTreeMap<String, Vec<String>>) {
    let path = store.to_str().unwrap();
    for args in [["status", path], ["report", path], ["export", path]] {
        let ran = experiment(&args);
        assert!(matches!(ran.code, Some(0 | 2)), "{args:?}: {:?} {}", ran.code, ran.err);
    }
    let ran = experiment(&["export", path, "--all", "--format", "jsonl"]);
    if ran.code == Some(0) {
        for line in ran.out.lines() {
            let row: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).unwrap();
            let made = &truth[row["key"].as_str().unwrap()];
            for column in ["cost", "lower_bound", "optimal", "moves", "expanded", "known_cost"] {
                assert!(made.contains(&format!("{column}={}", row[column])), "{column}: {line}");
            }
        }
    }
}
