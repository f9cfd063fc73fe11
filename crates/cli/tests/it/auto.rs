//! What a user gets who names no method.

use std::process::Command;
use std::time::Instant;

use crate::run::{cache, json, taquin};

const FAR: &str = "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1";

#[test]
fn a2_answers_come_however_little_is_allowed() {
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
#[cfg(target_os = "linux")]
fn resources(args: &[&str]) -> (u64, f64, f64) {
    let script = "import resource, subprocess, sys\n\
        ran = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n\
        assert ran.returncode in (0, 22, 23)\n\
        used = resource.getrusage(resource.RUSAGE_CHILDREN)\n\
        print(used.ru_maxrss, used.ru_utime + used.ru_stime)";
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
fn a2_memory_stays_under_its_limit_in_every_stage() {
    let (five, six) = (
        "3 19 24 9 8/11 7 12 2 4/17 23 20 18 6/16 5 1 14 21/0 15 10 13 22",
        "9 27 11 2 35 30/31 6 29 13 22 23/33 34 15 28 10 4/1 32 17 16 8 12/18 19 24 14 26 0/20 7 3 21 25 5",
    );
    let blanks = "9 7 3 5 12/2 13 8 0 1/4 11 6 10 0";
    let commands: [(&[&str], u64); 10] = [
        (&[FAR, "--memory", "30M", "--time", "2s"], 30),
        (&[FAR, "--memory", "60M", "--time", "2s"], 60),
        (&[FAR, "--memory", "300M", "--time", "3s"], 300),
        (&[FAR, "--memory", "60M", "--time", "2s", "--cost", "tile"], 60),
        (&[five, "--memory", "60M", "--time", "2s"], 60),
        (&[six, "--memory", "60M", "--time", "2s"], 60),
        (&[blanks, "--memory", "60M", "--time", "2s"], 60),
        (&[FAR, "--memory", "100M", "-m", "astar:linear"], 100),
        (&[six, "--memory", "60M", "-m", "anytime", "--time", "2s"], 60),
        (&[FAR, "--memory", "60M", "-m", "ida:pdb=6-6-3", "--time", "1s"], 60),
    ];
    // What the process takes without a search differs with how it was built.
    let (least, ..) = resources(&["--version"]);
    for (args, megabytes) in commands {
        let mut all = vec!["solve"];
        all.extend(args);
        let (peak, ..) = resources(&all);
        let most = megabytes * 1_050_000 + least.max(10_000_000);
        assert!(peak <= most, "{args:?}: {peak} bytes, {most} are allowed");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a2_threads_bound_the_search_and_the_build() {
    for (threads, most) in [("1", 1.0), ("2", 2.0)] {
        let args = ["solve", FAR, "--time", "3s", "--threads", threads];
        let (_, used, passed) = resources(&args);
        assert!(used <= 1.15 * most * passed, "{used} of {passed} s on {threads} threads");
    }
}
