//! Faults around a plan and a store: each has a clear error, and nothing is lost.

use std::fs;
use std::process::{Command, Output};

use snapbox::{assert_data_eq, str};

use super::{PLAN, experiment, made, number, open, plan, results, start};
use crate::run::{cache, folder};

#[test]
fn every_error_of_a_plan_at_once() {
    let folder = folder("bad-plan");
    fs::write(folder.join("boards.txt"), "123456780\n12345678q\n").unwrap();
    let plan = plan(
        &folder,
        "title = 3
instances = [\"coursess\", \"random 4x4 n=0\", \"depth 3x3 30..40 n=2\", \"file boards.txt\",
  \"file nowhere.txt\", \"random 9y\"]
methods = [\"astar:manhatan\", 7, \"ida:pdb=7-8\"]
goall = \"last\"
threads = 0
[limits]
time = \"3 parsecs\"
",
    );
    let ran = experiment(&["run", &plan]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    let told = ran.err.replace(folder.to_str().unwrap(), "");
    assert_data_eq!(
        told,
        str![[r"
error: /plan.toml:1:9: expected a string, not integer
error: /plan.toml:2:15: unknown instance set 'coursess'
hint: write 'courses', 'korf100', [..]
error: /plan.toml:2:38: '0' is not a valid value of n
hint: write a number from 1 to 1000000
error: /plan.toml:2:55: no 3x3 board is 32 moves from the goal
hint: the deepest boards are 31 moves away
error: /plan.toml:2:74: boards.txt:2:1: '12345678q' is not a tile's number
...
error: /plan.toml:3:9: nowhere.txt: No such file or directory (os error 2)
hint: the path is /nowhere.txt
error: /plan.toml:3:31: '9y' is not a size: [..]
hint: write 4x4
error: /plan.toml:4:19: unknown heuristic 'manhatan'
hint: did you mean 'manhattan'?
error: /plan.toml:4:30: expected a string, not integer
error: /plan.toml:5:1: unknown key 'goall'
hint: did you mean 'goal'?
error: /plan.toml:6:11: expected a number from 1 to 1024
error: /plan.toml:8:9: '3 parsecs' is not a time: write 200ms, 10s, 5m or 1h

"]]
    );
    // Nothing has run, and no store was made.
    assert!(!folder.join("plan.sqlite").exists());
}

#[test]
fn other_bad_plans() {
    let folder = folder("other-plans");
    for (text, words) in [
        ("", &["1:1: the plan has no instances", "1:1: the plan has no methods"][..]),
        ("instances = [\"courses\"\nmethods = 3", &["plan.toml:2:", "expected"]),
        (
            "instances = \"korf100\"\nmethods = \"bfs\"\ngoal = \"last\"",
            &["1:14: the boards of 'korf100' are for the goal 'first'"],
        ),
        (
            "instances = \"courses\"\nmethods = \"ida:pdb=7-8\"",
            &["2:12: ida:pdb=7-8 cannot be used for 'courses'", "4x4"],
        ),
        (
            "instances = \"courses\"\nmethods = \"ida:max=linear+zpdb=7-8\"",
            &["2:12: ida:max=linear+zpdb=7-8 cannot be used for 'courses'", "4x4"],
        ),
        (
            "instances = \"courses\"\nas = \"nobody\"",
            &["2:7: no course is called 'nobody'", "ucr-list"],
        ),
        (
            "instances = \"courses\"\nas = \"ucr-list\"\nmethods = [\"bfs\"]",
            &["3:13: ucr-list has no method 'bfs'"],
        ),
        ("instances = []\nmethods = [\"bfs\"]", &["1:13: the list is empty"]),
        ("instances = \"board 1 2 3/4 5\"\nmethods = \"bfs\"", &["1:20: "]),
        (
            "instances = \"courses\"\nmethods = \"bfs\"\ngoal = \"lst\"",
            &["3:9: unknown goal 'lst'"],
        ),
        (
            "instances = \"courses\"\nmethods = \"bfs\"\n[limits]\nmemory = true",
            &["4:10: expected an amount"],
        ),
    ] {
        let plan = plan(&folder, text);
        let ran = experiment(&["run", &plan]);
        assert_eq!(ran.code, Some(2), "{text}");
        for word in words {
            assert!(ran.err.contains(word), "{text}: {}", ran.err);
        }
    }
    fs::write(folder.join("plan.toml"), b"\xff\xfe").unwrap();
    let ran = experiment(&["run", folder.join("plan.toml").to_str().unwrap()]);
    assert!(ran.code == Some(2) && ran.err.contains("not a text file"), "{}", ran.err);
    let ran = experiment(&["run", folder.join("none.toml").to_str().unwrap()]);
    assert!(ran.code == Some(2) && ran.err.contains("no such file"), "{}", ran.err);
    let ran = experiment(&["run", "--instances", "courses", "--shard", "3/2", "-m", "bfs"]);
    assert!(ran.code == Some(2) && ran.err.contains("write 3/8"), "{}", ran.err);
}

#[test]
fn the_example_is_a_plan() {
    let folder = folder("example");
    let path = folder.join("new.toml");
    let path = path.to_str().unwrap();
    assert_eq!(experiment(&["new", path]).code, Some(0));
    assert_eq!(experiment(&["new"]).out, fs::read_to_string(path).unwrap());
    let ran = experiment(&["run", path, "--check"]);
    assert!(ran.code == Some(0) && ran.err.contains("447 runs"), "{}", ran.err);
    let ran = experiment(&["new", path]);
    assert!(ran.code == Some(2) && ran.err.contains("exists already"), "{}", ran.err);
}

#[test]
fn what_is_no_store_is_left_alone() {
    let folder = folder("no-store");
    let plan = plan(&folder, PLAN);
    let store = folder.join("store.sqlite");
    let path = store.to_str().unwrap();
    let refused = |words: &[&str]| {
        for args in [
            &["run", &plan, "--store", path][..],
            &["status", path],
            &["merge", folder.join("new").to_str().unwrap(), path],
        ] {
            let before = fs::read(&store).unwrap();
            let ran = experiment(args);
            assert_eq!(ran.code, Some(2), "{args:?}");
            assert!(words.iter().all(|word| ran.err.contains(word)), "{args:?}: {}", ran.err);
            assert_eq!(fs::read(&store).unwrap(), before, "{args:?}");
        }
    };
    fs::write(&store, "Dear diary, today nothing was solved.\n".repeat(50)).unwrap();
    refused(&["not an experiment store", "--store"]);
    fs::remove_file(&store).unwrap();
    open(&store).execute_batch("CREATE TABLE other (a); INSERT INTO other VALUES (1)").unwrap();
    refused(&["not an experiment store"]);
    fs::remove_file(&store).unwrap();
    // A store of a later version.
    assert_eq!(made(start(&plan, &store)), 78);
    open(&store).pragma_update(None, "user_version", 99).unwrap();
    refused(&["the store has version 99", "versions up to 3", "a later one"]);
    assert_eq!(number(&store, "SELECT count(*) FROM runs WHERE outcome IS NOT NULL"), 78);
    let ran = experiment(&["status", folder.join("none").to_str().unwrap()]);
    assert!(ran.code == Some(2) && ran.err.contains("no such store"), "{}", ran.err);
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("read-only");
    let plan = plan(&folder, PLAN);
    let closed = folder.join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    // The administrator may write anywhere except where the system itself refuses.
    let writable = fs::write(closed.join("try"), "").is_ok();
    let store = if writable { "/proc/sys/kernel/x.sqlite".into() } else { closed.join("x.sqlite") };
    let ran = experiment(&["run", &plan, "--store", store.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("x.sqlite: cannot be written"), "{}", ran.err);
    assert!(ran.err.contains("--store"), "{}", ran.err);
}

/// Runs the plan in a file system of this size, if the system lets us have one.
fn in_small_disk(folder: &str, size: &str, plan: &str) -> Option<Output> {
    let script = "mount -t tmpfs -o size=\"$2\" none \"$1\" && cp \"$1\"/../saved/* \"$1\" 2>/dev/null; \
                  \"$0\" experiment run \"$3\" --store \"$1\"/x.sqlite; code=$?; \
                  cp \"$1\"/x.sqlite* \"$1\"/../saved/; exit $code";
    let tried = Command::new("unshare").args(["-rm", "true"]).status();
    if !tried.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_taquin"), folder, size, plan]);
    Some(command.env("TAQUIN_CACHE", cache()).output().unwrap())
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "mounts a small disk: cargo xtask test"]
fn a_full_disk_loses_nothing() {
    let folder = folder("full");
    let plan = plan(&folder, &PLAN.replace("n=36", "n=108"));
    for inside in ["disk", "saved"] {
        fs::create_dir(folder.join(inside)).unwrap();
    }
    let disk = folder.join("disk");
    let disk = disk.to_str().unwrap();
    let full = in_small_disk(disk, "600k", &plan).expect("a disk can be mounted");
    let words = String::from_utf8_lossy(&full.stderr);
    assert_eq!(full.status.code(), Some(2), "{words}");
    assert!(words.contains("the disk is full") && words.contains("make room"), "{words}");
    // With room again it continues from there.
    let saved = folder.join("saved/x.sqlite");
    let kept = number(&saved, "SELECT count(*) FROM runs WHERE outcome IS NOT NULL");
    assert!(kept > 0, "nothing was kept");
    let all = made(start(&plan, &saved));
    assert_eq!(all, 2 * (108 + 3) - kept as u64);
    let whole = folder.join("whole.sqlite");
    made(start(&plan, &whole));
    assert_eq!(results(&saved), results(&whole));
}

#[test]
fn a_store_is_not_joined_to_itself() {
    let folder = folder("a4-itself");
    let plan = plan(&folder, PLAN);
    let store = folder.join("all.sqlite");
    assert_eq!(made(start(&plan, &store)), 78);
    let linked = folder.join("linked.sqlite");
    fs::hard_link(&store, &linked).unwrap();
    let path = store.to_str().unwrap();
    let around = folder.join("../a4-itself/all.sqlite");
    let parts = [path, around.to_str().unwrap(), linked.to_str().unwrap()];
    let ran = experiment(&[&["merge", path], &parts[..]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let told = "is the store that the others are joined to; skipped";
    assert_eq!(ran.err.matches(told).count(), 3, "{}", ran.err);
    // The others are joined.
    let other = folder.join("other.sqlite");
    fs::copy(&store, &other).unwrap();
    let ran = experiment(&["merge", path, path, other.to_str().unwrap()]);
    assert!(ran.code == Some(0) && ran.err.contains("0 new runs, 78 known"), "{}", ran.err);
}

#[test]
fn a_damaged_store_is_an_error_with_a_remedy() {
    let folder = folder("a4-damaged");
    let plan = plan(&folder, PLAN);
    let store = folder.join("store.sqlite");
    assert_eq!(made(start(&plan, &store)), 78);
    open(&store).execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let sound = fs::read(&store).unwrap();
    let path = store.to_str().unwrap();
    let (new, csv) = (folder.join("new.sqlite"), folder.join("runs.csv"));
    let refused = |words: &[&str]| {
        for args in [
            &["report", path][..],
            &["export", path],
            &["export", path, "--out", csv.to_str().unwrap()],
            &["merge", new.to_str().unwrap(), path],
            &["merge", path, new.to_str().unwrap()],
            &["run", &plan, "--store", path],
        ] {
            let ran = experiment(args);
            assert_eq!(ran.code, Some(2), "{args:?}: {}", ran.err);
            assert!(words.iter().all(|word| ran.err.contains(word)), "{args:?}: {}", ran.err);
            assert!(!ran.err.contains("can't write"), "{args:?}: {}", ran.err);
        }
    };
    let mut bytes = sound.clone();
    bytes[8_192..].chunks_mut(4_096).for_each(|page| page[..100].fill(0xa5));
    fs::write(&store, &bytes).unwrap();
    refused(&["store.sqlite: the store is damaged", "sqlite3", ".recover"]);
    // A value that taquin has not written.
    fs::write(&store, &sound).unwrap();
    open(&store).execute_batch("UPDATE runs SET cost = cost - 2 WHERE outcome = 'solved'").unwrap();
    let ran = experiment(&["report", path]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err.contains("the store is damaged") && ran.err.contains(".recover"),
        "{}",
        ran.err
    );
}
