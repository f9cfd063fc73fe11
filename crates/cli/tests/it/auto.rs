//! The default: a user names no method.

use std::process::Command;
use std::time::Instant;

use crate::run::{cache, json, run, taquin};

const FAR: &str = "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1";

#[test]
fn answers_come_however_little_is_allowed() {
    let board = "4 10 12 11/15 7 5 3/0 13 6 1/9 8 14 2";
    for limit in [["--time", "20ms"], ["--nodes", "10"], ["--memory", "1K"]] {
        let mut args = vec!["solve", board, "--json"];
        args.extend(limit);
        if limit[0] == "--memory" {
            args.extend(["--time", "100ms"]);
        }
        assert_eq!(json(&args)["outcome"], "solved", "{limit:?}");
    }
    for limit in [["--nodes", "100"], ["--memory", "1K"]] {
        let mut args = vec!["solve", "867254301", "--json"];
        args.extend(limit);
        assert_eq!(json(&args)["outcome"], "solved", "{limit:?}");
    }
}

/// Runs the program; returns its peak memory in bytes, its processor time and the time that passed.
/// Pages of files do not count: how many of the program's own are mapped depends on the system's
/// cache.
#[cfg(target_os = "linux")]
fn resources(args: &[&str]) -> (u64, f64, f64) {
    let script = "
import resource, subprocess, sys, time
ran = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
peak = 0
while ran.poll() is None:
    with open(f'/proc/{ran.pid}/status') as status:
        sizes = [int(line.split()[1]) for line in status if line.startswith('RssAnon')]
    peak = max([peak, *sizes])
    time.sleep(0.002)
assert ran.returncode in (0, 22, 23)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(peak, used.ru_utime + used.ru_stime)
";
    let started = Instant::now();
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(taquin().get_program())
        .args(args)
        .env("TAQUIN_CACHE", cache())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (kilobytes, seconds) = text.trim().split_once(' ').expect(&text);
    let bytes = kilobytes.parse::<u64>().unwrap() * 1024;
    (bytes, seconds.parse().unwrap(), started.elapsed().as_secs_f64())
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_under_its_limit_in_every_stage() {
    let (five, six) = (
        "3 19 24 9 8/11 7 12 2 4/17 23 20 18 6/16 5 1 14 21/0 15 10 13 22",
        "9 27 11 2 35 30/31 6 29 13 22 23/33 34 15 28 10 4/1 32 17 16 8 12/18 19 24 14 26 0/20 7 3 21 25 5",
    );
    let blanks = "9 7 3 5 12/2 13 8 0 1/4 11 6 10 0";
    let commands: [(&[&str], u64); 11] = [
        (&[FAR, "--memory", "30M", "--time", "2s"], 30),
        (&[FAR, "--memory", "60M", "--time", "2s"], 60),
        (&[FAR, "--memory", "300M", "--time", "3s"], 300),
        (&[FAR, "--memory", "60M", "--time", "2s", "--cost", "tile"], 60),
        (&[five, "--memory", "60M", "--time", "2s"], 60),
        (&[six, "--memory", "60M", "--time", "2s"], 60),
        (&[blanks, "--memory", "60M", "--time", "2s"], 60),
        (&[FAR, "--memory", "100M", "-m", "astar:linear"], 100),
        (&[FAR, "--memory", "30M", "-m", "lrta:manhattan,look=100000"], 30),
        (&[six, "--memory", "60M", "-m", "anytime", "--time", "2s"], 60),
        (&[FAR, "--memory", "60M", "-m", "ida:pdb=6-6-3", "--time", "1s"], 60),
    ];
    // The process's memory without a search depends on the build.
    let (least, ..) = resources(&["--version"]);
    for (args, megabytes) in commands {
        let mut all = vec!["solve"];
        all.extend(args);
        let (peak, ..) = resources(&all);
        let most = megabytes * 1_050_000 + least.max(10_000_000);
        assert!(peak > 1_000_000, "{args:?}: {peak} bytes");
        assert!(peak <= most, "{args:?}: {peak} bytes, {most} are allowed");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn threads_bound_the_search_and_the_build() {
    for (threads, most) in [("1", 1.0), ("2", 2.0)] {
        let args = ["solve", FAR, "--time", "3s", "--threads", threads];
        let (_, used, passed) = resources(&args);
        assert!(used <= 1.15 * most * passed, "{used} of {passed} s on {threads} threads");
    }
}

/// The command that a hint names, without the name of the program.
fn hinted(args: &[&str]) -> Option<Vec<String>> {
    let ran = run(args);
    assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
    let line = ran.out.lines().find(|line| line.starts_with("  taquin "))?;
    Some(line.split_whitespace().skip(1).map(str::to_owned).collect())
}

#[test]
fn the_command_of_a_hint_builds_the_tables_of_the_next_solve() {
    for (goal, options) in [
        ("last", "--size 3x4"),
        ("first", "--size 3x4 --goal first"),
        ("1 2 3 4/5 0 6 7/8 9 11 10", "--size 3x4 --goal 1,2,3,4/5,0,6,7/8,9,11,10"),
    ] {
        let solve = ["solve", "0 11 4 8/7 6 10 1/2 3 9 5", "--goal", goal, "--nodes", "100"];
        let command = hinted(&solve).unwrap();
        assert_eq!(command[3..].join(" "), options);
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let built = run(&command);
        assert_eq!(built.code, Some(0), "{command:?}: {}", built.err);
        assert_eq!(hinted(&solve), None, "{command:?}");
        let report = json(&[&solve[..], &["--json"]].concat());
        let method = format!("ida:pdb={},prune=6", command[2]);
        let stages = report["stages"].as_array().unwrap();
        assert!(stages.iter().any(|stage| stage["method"] == method), "{method}: {stages:?}");
    }
    // These take too long to build here.
    for (board, options) in [
        ("14 13 15 7/11 12 9 5/6 0 2 1/4 8 10 3", "7-8 --goal first"),
        (
            "3 19 24 9 8/11 7 12 2 4/17 23 20 18 6/16 5 1 14 21/0 15 10 13 22",
            "6-6-6-6 --goal first --zero-aware",
        ),
    ] {
        let command = hinted(&["solve", board, "--goal", "first", "--time", "0"]).unwrap();
        assert_eq!(command[2..].join(" "), options);
    }
    // A goal that the settings change is named if it is not that of the settings.
    let solve = |goal: &str| {
        let args =
            ["solve", "14 13 15 7/11 12 9 5/6 0 2 1/4 8 10 3", "--goal", goal, "--time", "0"];
        let ran = taquin().args(args).env("TAQUIN_GOAL", "first").output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    assert!(solve("first").contains("\n  taquin tables build 7-8\n"));
    let other = solve("1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0");
    let command = "\n  taquin tables build 7-8 --goal 1,2,3,4/5,6,7,8/9,10,11,12/13,15,14,0\n";
    assert!(other.contains(command), "{other}");
}
