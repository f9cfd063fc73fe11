//! `pdb tune`: which databases are fastest.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::{Ran, folder, json, run, taquin};

fn with(cache: &Path, args: &[&str]) -> Ran {
    let output = taquin().args(args).env("TAQUIN_CACHE", cache).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn candidates_are_measured_to_the_node_and_the_fastest_is_first() {
    let tuned = json(&["pdb", "tune", "--size", "3x3", "--json"]);
    assert_eq!(tuned["complete"], true);
    let measured = tuned["measured"].as_array().unwrap();
    let seconds = |row: &Value| row["seconds"].as_f64().unwrap();
    assert!(measured.is_sorted_by(|a, b| seconds(a) <= seconds(b)), "{measured:#?}");
    let methods: Vec<&str> = measured.iter().map(|row| row["method"].as_str().unwrap()).collect();
    for kind in ["ida:pdb=", "ida:zpdb=", "ida:max=zpdb="] {
        assert!(methods.iter().any(|method| method.starts_with(kind)), "{methods:?}");
    }
    let instances = tuned["instances"].as_array().unwrap();
    assert_eq!(instances.len(), 8);
    // The fastest and the slowest, as `solve` counts them.
    for row in [&measured[0], &measured[measured.len() - 1]] {
        let method = row["method"].as_str().unwrap();
        let nodes = instances.iter().map(|board| {
            let board = board.to_string();
            let solved = json(&["solve", &board, "-m", method, "--threads", "1", "--json"]);
            assert_eq!(solved["optimal"], true);
            solved["counts"]["generated"].as_u64().unwrap()
        });
        assert_eq!(nodes.sum::<u64>(), row["nodes"].as_u64().unwrap(), "{method}");
    }
    // The best of several sums is no worse than each.
    let nodes = |row: &Value| row["nodes"].as_u64().unwrap();
    let is_set = |row: &&Value| row["method"].as_str().unwrap().starts_with("ida:max=");
    for set in measured.iter().filter(is_set) {
        let members = set["method"].as_str().unwrap().strip_prefix("ida:max=").unwrap();
        for member in members.split('+').map(|member| format!("ida:{member}")) {
            let alone = measured.iter().find(|row| row["method"] == member.as_str()).unwrap();
            assert!(nodes(set) <= nodes(alone), "{member}");
            assert!(set["estimate"].as_f64() >= alone["estimate"].as_f64(), "{member}");
        }
    }
}

#[test]
fn the_table_fits_and_nothing_is_kept_unless_asked() {
    let cache = folder("tune");
    let args = ["pdb", "tune", "--size", "3x4", "--memory", "2M", "--nodes", "2K"];
    let ran = with(&cache, &args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    let heads = ["memory", "built in", "estimate", "nodes", "ns/node", "time"];
    let head = ran.out.lines().nth(2).unwrap();
    assert!(heads.iter().all(|each| head.contains(each)), "{head}");
    assert!(ran.out.contains("\nLeft out:\n") && ran.out.contains(": takes "), "{}", ran.out);
    let used = ran.out.split("\nUse -m ").nth(1).unwrap();
    let (method, builds) = used.split_once('\n').unwrap();
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0);
    // The printed command works.
    for build in builds.lines() {
        let args: Vec<&str> = build.split(' ').skip(1).collect();
        assert_eq!(with(&cache, &args).code, Some(0), "{build}");
    }
    let built = fs::read_dir(&cache).unwrap().count();
    assert!(built > 0);
    assert_eq!(with(&cache, &["solve", "1 2 3 4/5 6 7 8/9 0 10 11", "-m", method]).code, Some(0));
    assert_eq!(fs::read_dir(&cache).unwrap().count(), built, "all databases were there");

    let kept = with(&folder("tune-keep"), &[&args[..], &["--keep"]].concat());
    assert_eq!(kept.code, Some(0));
    assert!(kept.err.contains("stored its databases"), "{}", kept.err);
    assert!(fs::read_dir(folder_of("tune-keep")).unwrap().count() > 0);
}

fn folder_of(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn too_little_memory_or_time_is_reported() {
    for (args, code, words) in [
        (&["--size", "3x3", "--memory", "1K"][..], 22, "the smallest candidate takes"),
        (&["--size", "4x4", "--time", "0.001s"], 23, "increase --time"),
        (&["--size", "1x5"], 2, "no partitions"),
        (&["--size", "3x3", "--goal", "0 0 1/2 3 4/5 6 7"], 2, ""),
        (&[], 2, "--size"),
    ] {
        let ran = run(&[&["pdb", "tune"], args].concat());
        assert_eq!(ran.code, Some(code), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
}
