//! `enumerate`: whole state spaces, and the tables that are made of them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use snapbox::{assert_data_eq, str};

use crate::run::{folder, json, run, taquin};

/// The program with a cache of its own.
fn with_cache(cache: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        taquin().args(args).env("TAQUIN_CACHE", cache).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn a_small_space_reads_well() {
    let ran = run(&["enumerate", "2x2", "--goal", "first", "--chart"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.starts_with("2x2: 12 boards, "), "{}", ran.err);
    assert_data_eq!(
        ran.out,
        str![[r#"
12 boards for the goal 0 1/2 3, one tile per move

depth  boards
    0       1  ████████████████████████
    1       2  ████████████████████████████████████████████████
    2       2  ████████████████████████████████████████████████
    3       2  ████████████████████████████████████████████████
    4       2  ████████████████████████████████████████████████
    5       2  ████████████████████████████████████████████████
    6       1  ████████████████████████

mean depth 3.000000; 1 board is 6 moves away

3 2
1 ·


"#]]
    );
}

#[test]
fn the_boards_near_a_goal_are_counted_on_any_board() {
    let bfile = folder("near").join("b.txt");
    let bfile = bfile.to_str().unwrap();
    let ran = run(&["enumerate", "6x6", "--goal", "first", "--depth", "6", "--bfile", bfile]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("280 boards up to depth 6 for the goal 0 1 2"), "{}", ran.out);
    assert_eq!(fs::read_to_string(bfile).unwrap(), "0 1\n1 2\n2 4\n3 10\n4 26\n5 66\n6 171\n");
    let found = json(&["enumerate", "--unbounded", "edge", "--depth", "5", "--json"]);
    assert_eq!(found["depths"], serde_json::json!([1, 3, 7, 19, 53, 147]));
    assert_eq!((&found["unbounded"], &found["complete"]), (&"edge".into(), &false.into()));
    let middle = json(&["enumerate", "--unbounded", "middle", "--depth", "3", "--json"]);
    // Four moves, and then three others that do not lead back.
    assert_eq!(middle["depths"], serde_json::json!([1, 4, 12, 36]));
    // Whole spaces have a file, too.
    assert_eq!(run(&["enumerate", "2x2", "--bfile", bfile]).code, Some(0));
    assert_eq!(fs::read_to_string(bfile).unwrap(), "0 1\n1 2\n2 2\n3 2\n4 2\n5 2\n6 1\n");
    for wrong in [
        &["enumerate", "4x4", "--depth", "32"][..],
        &["enumerate", "4x4", "--depth", "5", "--metric", "multi"],
        &["enumerate", "4x4", "--depth", "5", "--on", "gpu"],
        &["enumerate", "4x4", "--depth", "5", "--blanks", "2"],
        &["enumerate", "--unbounded", "edge"],
    ] {
        assert_eq!(run(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn known_spaces_are_printed_at_once() {
    let one = json(&["spaces", "3x4", "--goal", "first", "--json"]);
    assert_eq!((&one["max_depth"], &one["states"]), (&53.into(), &239_500_800.into()));
    let again = json(&["enumerate", "2x3", "--goal", "first", "--blanks", "2", "--json"]);
    let known = json(&["spaces", "2x3", "--goal", "first", "--blanks", "2", "--json"]);
    assert_eq!(known["depths"], again["depths"]);
    assert!(again["farthest"].as_array().unwrap().contains(&known["farthest"][0]));
    let ran = run(&["spaces", "2x3", "--blanks", "1", "--metric", "multi"]);
    assert_data_eq!(
        ran.out,
        str![[r#"
goal         metric  boards  farthest  of these  mean depth
1 2 3/4 5 0  multi      360        20         1   10.811111
1 2 3/4 0 5  multi      360        20         1   10.805556

"#]]
    );
    let groups = json(&["spaces", "--blanks", "1", "--metric", "single", "--json"]);
    let diameters: Vec<u64> =
        groups.as_array().unwrap().iter().filter_map(|group| group["diameter"].as_u64()).collect();
    assert_eq!(diameters, [6, 21, 36, 31, 55, 80, 53, 108, 84]);
    let ran = run(&["spaces", "4x4", "--goal", "last"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("'taquin enumerate' computes others"), "{}", ran.err);
}

#[test]
fn the_numbers_are_there_for_programs() {
    let found = json(&["enumerate", "2x3", "--goal", "first", "--json"]);
    assert_eq!((&found["rows"], &found["cols"]), (&2.into(), &3.into()));
    assert_eq!(found["goal"], serde_json::json!([0, 1, 2, 3, 4, 5]));
    assert_eq!(found["depths"].as_array().unwrap().len(), 22);
    assert_eq!((&found["states"], &found["max_depth"]), (&360.into(), &21.into()));
    assert!((found["mean_depth"].as_f64().unwrap() - 12.622_222).abs() < 1e-6);
    assert_eq!(found["farthest"], serde_json::json!([[3, 4, 5, 0, 1, 2]]));

    let multi = json(&["enumerate", "3x3", "--metric", "multi", "--json"]);
    assert_eq!((&multi["max_depth"], &multi["metric"]), (&24.into(), &"multi".into()));
    let line = json(&["enumerate", "1x4", "--goal", "1 2 0 0", "--json"]);
    assert_eq!(line["depths"], serde_json::json!([1, 1, 2, 1, 1]));
}

#[test]
fn the_distribution_is_drawn() {
    let file = folder("enumerate-chart").join("depths.svg");
    let ran = run(&["enumerate", "3x3", "--chart", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let svg = fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("181,440 boards"), "{svg:.300}");
    assert_eq!(run(&["enumerate", "3x3", "--chart", "depths.txt"]).code, Some(2));
}

#[test]
fn what_is_too_large_is_refused_before_it_starts() {
    let ran = run(&["enumerate", "4x4", "--memory", "8G"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(22), ""));
    assert_eq!(run(&["enumerate", "100x100"]).code, Some(22));
    assert_eq!(run(&["enumerate", "3x4", "--memory", "10M"]).code, Some(22));
    assert_eq!(run(&["enumerate", "3x3", "--blanks", "10"]).code, Some(2));
    assert_eq!(run(&["enumerate", "3x3", "--metric", "taxi"]).code, Some(2));
}

#[test]
fn a_table_that_is_kept_answers() {
    let cache = folder("enumerate-cache");
    let hard = "8 6 7/2 5 4/3 0 1";
    for metric in ["single", "multi"] {
        let (code, _, err) =
            with_cache(&cache, &["enumerate", "3x3", "--save", "--metric", metric]);
        assert_eq!(code, Some(0), "{err}");
        assert!(err.contains(&format!("3x3-blank-8-{metric}.space")), "{err}");
    }
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 2, "nothing else is left");

    let report = |args: &[&str]| -> serde_json::Value {
        let (code, out, err) = with_cache(&cache, &[&["solve", hard, "--json"], args].concat());
        assert_eq!(code, Some(0), "{err}");
        serde_json::from_str(&out).unwrap()
    };
    let auto = report(&[]);
    assert_eq!((&auto["cost"], &auto["optimal"]), (&31.into(), &true.into()));
    assert_eq!(auto["stages"][0]["method"], "table");
    let multi = report(&["-m", "table,metric=multi"]);
    assert_eq!(multi["optimal"], true);
    assert!(multi["cost"].as_u64().unwrap() <= 24 && multi["depth"].as_u64().unwrap() >= 31);

    // A damaged table is rejected.
    let path = cache.join("3x3-blank-8-single.space");
    let mut bytes = fs::read(&path).unwrap();
    bytes[10_000] ^= 1;
    fs::write(&path, bytes).unwrap();
    let (code, out, err) = with_cache(&cache, &["solve", hard, "-m", "table", "--json"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("\"cost\": 31") && err.contains("the entries are damaged"), "{out}{err}");
    let (code, out, _) = with_cache(&cache, &["solve", hard]);
    assert_eq!(code, Some(0));
    assert!(out.contains("Solved in 31 moves"), "{out}");
}

#[test]
fn small_boards_need_no_table() {
    let cache = folder("enumerate-none");
    for (board, method, cost) in
        [("8 6 7/2 5 4/3 0 1", "table", 31), ("4 5 0/1 2 3", "table,moves=DRLU", 21)]
    {
        let args = ["solve", board, "-m", method, "--json"];
        let (code, out, err) = with_cache(&cache, &args);
        assert_eq!(code, Some(0), "{err}");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&report["cost"], &report["optimal"]), (&cost.into(), &true.into()));
    }
    let (code, out, _) =
        with_cache(&cache, &["solve", "1 2 3/4 0 5", "-m", "table", "--cost", "tile"]);
    assert_eq!(code, Some(2));
    assert!(out.contains("use ucs or astar"), "{out}");
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0, "nothing is kept unless asked for");
}

#[test]
fn without_a_device_the_processor_enumerates() {
    let without_device = |args: &[&str]| {
        let Output { status, stderr, .. } =
            taquin().args(args).env("CUDA_VISIBLE_DEVICES", "").output().unwrap();
        (status.code(), String::from_utf8(stderr).unwrap())
    };
    let is_clear = |err: &str| {
        assert!(err.contains("no CUDA driver was found") || err.contains("no device 0"), "{err}");
    };
    for args in [&["gpu"][..], &["gpu", "--json"]] {
        let (code, err) = without_device(args);
        assert_eq!(code, Some(2), "{err}");
        is_clear(&err);
    }
    // The processor does its part.
    let (code, err) = without_device(&["enumerate", "3x3", "--on", "gpu"]);
    assert_eq!(code, Some(0), "{err}");
    is_clear(&err);
    assert!(err.contains("; the processor is used instead\n"), "{err}");
    // But not with more memory than there is, whatever a device may have.
    for more in [&[][..], &["--memory", "9T"]] {
        let (code, err) = without_device(&[&["enumerate", "4x4", "--on", "gpu"], more].concat());
        assert_eq!(code, Some(22), "{err}");
        assert!(err.contains("; the processor is used instead\n"), "{err}");
        assert!(err.contains("10,461,394,944,000 boards, which need 1.4 TB of memory"), "{err}");
    }
}

#[test]
fn what_a_device_cannot_do_is_refused() {
    for (args, code, words) in [
        (&["3x3", "--on", "gpu", "--save"][..], 2, "--save is not available on a device"),
        (&["3x3", "--on", "gpu", "--metric", "multi"], 2, "--metric multi is not available"),
        (&["5x5", "--on", "gpu"], 2, "two to four rows or columns"),
        (&["3x3", "--on", "gpu", "--blanks", "2"], 2, "one blank"),
        (&["3x5", "--on", "gpu", "--memory", "8G"], 22, "653,837,184,000 boards"),
        (&["3x3", "--on", "tpu"], 2, "tpu"),
    ] {
        let ran = run(&[&["enumerate"], args].concat());
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
    }
}

/// Runs `begin` and then `--resume PATH`, kills each of the first fifty when it has saved its
/// progress a few times in `state`, and returns what the last one prints.
#[cfg(unix)]
fn killed_fifty_times(path: &Path, state: &Path, begin: &[&str]) -> serde_json::Value {
    use std::os::unix::fs::MetadataExt;
    // A file that is saved replaces the one before.
    let version = || fs::metadata(state).ok().map(|file| (file.ino(), file.mtime_nsec()));
    let resume = ["--resume", path.to_str().unwrap(), "--json"];
    let mut kills = 0;
    for life in 0..50 {
        let args = if state.exists() { &resume[..] } else { begin };
        let mut command = taquin();
        command.arg("enumerate").args(args).stdin(Stdio::null()).stdout(Stdio::null());
        let mut last = version();
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut saves = 0;
        while saves < 1 + life % 3 && child.try_wait().unwrap().is_none() {
            let now = version();
            saves += i32::from(now.is_some() && now != last);
            last = now;
            std::thread::yield_now();
        }
        let _ = child.kill();
        kills += i32::from(!child.wait().unwrap().success() && state.exists());
    }
    assert!(kills >= 10, "{kills} enumerations were killed");
    let args = if state.exists() { &resume[..] } else { begin };
    let output = taquin().arg("enumerate").args(args).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let is_left =
        path.is_file() || fs::read_dir(path).is_ok_and(|mut files| files.next().is_some());
    assert!(!is_left, "nothing is left to continue with");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
#[cfg(unix)]
fn an_enumeration_that_is_killed_fifty_times_has_the_same_totals() {
    let folder = folder("enumerate-killed");
    let expected = json(&["enumerate", "3x4", "--blanks", "4", "--json"]);
    let file = folder.join("saved");
    let size = ["3x4", "--blanks", "4", "--json"];
    let saving = ["--checkpoint", file.to_str().unwrap(), "--checkpoint-every", "0.001s"];
    assert_eq!(killed_fifty_times(&file, &file, &[&size[..], &saving].concat()), expected);
    let disk = folder.join("disk");
    let expected = json(&["enumerate", "2x5", "--json"]);
    let begin = ["2x5", "--json", "--disk", disk.to_str().unwrap(), "--memory", "4M"];
    assert_eq!(killed_fifty_times(&disk, &disk.join("state"), &begin), expected);
}

#[test]
#[cfg(unix)]
fn what_is_known_is_printed_when_interrupted() {
    let mut child = taquin()
        .args(["enumerate", "3x4", "--metric", "multi"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It reports that when it begins.
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(" of memory") {
        assert!(lines.read_line(&mut said).unwrap() > 0, "{said}");
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    let out = String::from_utf8(stdout).unwrap();
    assert_eq!(status.code(), Some(130), "{out}");
    // The columns are as wide as the depths that were reached need.
    let has_first = out.lines().any(|line| line.split_whitespace().eq(["0", "1"]));
    assert!(out.contains("up to depth") && has_first, "{out}");
}

#[test]
fn saved_enumerations_are_refused_with_a_remedy() {
    let folder = folder("enumerate-saved");
    let file = folder.join("there");
    fs::write(&file, "something else").unwrap();
    let path = file.to_str().unwrap();
    let (nowhere, inside) = (folder.join("no/where"), file.join("inside"));
    for (args, code, words) in [
        (&["3x3", "--checkpoint", path][..], 2, "--resume"),
        (&["3x3", "--disk", path], 2, "it exists"),
        (&["--resume", path], 2, "not a saved enumeration"),
        (&["--resume", folder.to_str().unwrap()], 2, "a folder of --disk"),
        (&["--resume", nowhere.to_str().unwrap()], 2, "no such file"),
        (&["3x3", "--checkpoint", inside.to_str().unwrap()], 2, "can't be written"),
        (&["3x3", "--resume", path], 2, "give either "),
        (&["3x3", "--metric", "multi", "--disk", path], 2, "--metric multi"),
        (&["3x3", "--on", "gpu", "--disk", path], 2, "not available on a device"),
        (&["3x3", "--checkpoint-every", "5s"], 2, "needs --checkpoint"),
        (&["4x4", "--disk", nowhere.to_str().unwrap(), "--memory", "1M"], 22, "need"),
        (&[], 2, "RxC"),
    ] {
        let ran = run(&[&["enumerate"], args].concat());
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "something else");
}
