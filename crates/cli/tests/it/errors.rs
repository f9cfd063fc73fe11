//! Errors that say what to do, and that can't do anything to a terminal.

use std::fs;

use crate::run::{folder, json, run, taquin};

#[test]
fn a_directory_is_called_one_wherever_a_file_is_due() {
    let place = folder("directory");
    let path = place.to_str().unwrap();
    for (args, hint) in [
        (&["solve", "--jsonl", "--batch", path][..], "give a file with one board per line"),
        (&["solve", "--resume", path], "give a file with a checkpoint"),
        (&["experiment", "run", path], "give a file with a plan"),
        (&["experiment", "report", path], "name the file, as in results.sqlite, or its plan"),
        (&["experiment", "status", path], "name the file, as in results.sqlite, or its plan"),
        (&["enumerate", "3x3", "--local", "2", "--secret", path], "give a file with a secret"),
        (&["enumerate", "3x3", "--process", "0", "--hosts", path], "give a file with the address"),
        (&["route", "--file", path], "give a file with a map"),
        (&["route", path], "give a file with a map"),
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.starts_with(&format!("error: {path}: ")), "{args:?}: {}", ran.err);
        assert!(ran.err.to_lowercase().contains("is a directory"), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(&format!("\nhint: {hint}")), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_missing_file_and_a_size_without_its_option_have_a_remedy() {
    for (args, wanted) in [
        (&["page", "--out", "x", "--module", "/nowhere"][..], "no such file\nhint: check the path"),
        (
            &["enumerate", "--resume", "/nowhere"],
            "no such file\nhint: give a file that --checkpoint wrote",
        ),
        (
            &["compare", "--instances", "korf100", "4x4"],
            "give either --instances or BOARD, not both",
        ),
        (
            &["task", "merge", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")],
            "no such file\nhint: 'taquin task split' makes",
        ),
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(2), "{args:?}");
        assert!(ran.err.contains(wanted), "{args:?}: {}", ran.err);
    }
    assert!(!run(&["enumerate", "3x3", "4x4"]).err.contains("tip: "));
}

#[test]
fn tips_name_what_helps_and_nothing_that_does_not() {
    let board = "867254301";
    for (args, wanted) in [
        (&["gen", "--size", "-3"][..], "tip: --size takes no negative value\n"),
        (&["solve", board, "--time", "-5s"], "tip: --time takes no negative value\n"),
        (&["solve", board, "--nodes", "-1"], "tip: --nodes takes no negative value\n"),
        (
            &["solve", board, "--output", "json"],
            "tip: '--json' prints JSON, and '> FILE' writes to a file\n",
        ),
        (&["solve", board, "--format", "json"], "tip: '--json' prints JSON"),
        (&["solve", board, "--verbose"], "tip: '--trace' prints every step\n"),
        (&["solve", board, "--disk", "x"], "tip: --disk is an option of enumerate"),
        (
            &["enumerate", "2x2", "--metrik", "multi"],
            "tip: a similar argument exists: '--metric'\n",
        ),
        (
            &["solve", board, "--method"],
            "tip: name one, as in '-m astar:manhattan'; 'taquin list methods' lists them\n",
        ),
        (&["solve", board, "--trace-limit", "5"], "tip: add --trace[=<HOW>]\n"),
        (&["benchmark"], "tip: 'taquin help --all' lists the commands\n"),
        (&["experiment", "run"], "tip: 'taquin help experiment run' explains the arguments\n"),
        (&["list", "sets"], "tip: 'taquin help list' lists its commands\n"),
        (&["solve", board, "--threads", "0"], "write a number from 1 to 1024\n"),
        (
            &["solve", board, "--trace", "jsonl"],
            "hint: to choose the kind of trace, write --trace=jsonl\n",
        ),
        (
            &["solve", board, "--goal-file", "no"],
            "no such file\nhint: check the path; to give a goal itself, use --goal\n",
        ),
        (&["solve", board, "-m", "ida:pdb=7-8"], "hint: 'small' names databases for every size\n"),
        (&["route", "no.txt"], "error: no.txt: no such file\nhint: "),
        (
            &["pdb", "info", "1.2.3/4.5", "--size", "2x3"],
            ".pdb: no such file\nhint: run 'taquin tables build",
        ),
        (&["match", "1 2/0 3", "--expanded", "99"], "--goal sets it, --as NAME takes a course's\n"),
    ] {
        let ran = run(args);
        assert!(ran.err.contains(wanted), "{args:?}: {}", ran.err);
        assert!(!ran.err.contains("as a value, use '--"), "{args:?}: {}", ran.err);
        assert_eq!(ran.code, Some(if args[0] == "match" { 1 } else { 2 }), "{args:?}: {}", ran.err);
    }
    // The error comes before anything is said about the boards.
    let ran = run(&["gen", "--size", "4", "--depth", "70", "--seed", "1"]);
    assert!(ran.err.starts_with("error: 4x4 boards deeper than"), "{}", ran.err);
}

#[test]
fn the_name_of_an_instance_set_is_not_a_board() {
    for command in ["solve", "compare", "explain", "hint", "check"] {
        let ran = run(&[command, "korf100"]);
        assert_eq!(ran.code, Some(2), "{command}");
        let hint = "\nhint: korf100 is an instance set: give one board, solve the set with \
                    'taquin solve --batch korf100', or compare methods on it with \
                    'taquin compare --instances korf100'\n";
        assert!(ran.err.ends_with(hint), "{command}: {}", ran.err);
    }
    let ran = run(&["solve", "random", "4x4", "n=3"]);
    assert!(ran.err.contains("'taquin solve --batch \"random 4x4 n=3\"'"), "{}", ran.err);
    assert!(!run(&["solve", "korf"]).err.contains("instance set"));
}

#[test]
fn a_file_that_is_no_checkpoint_is_not_resumed() {
    let file = folder("no-checkpoint").join("board.txt");
    fs::write(&file, "1 2 3/4 0 6/7 5 8\n").unwrap();
    let ran = run(&["solve", "--resume", file.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("\nhint: "), "{}", ran.err);
    let ran = run(&["solve", "--resume", "/no/such/file"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.err, "error: /no/such/file: no such file\nhint: check the path\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), "1 2 3/4 0 6/7 5 8\n");
}

/// A device has no end.
#[test]
#[cfg(unix)]
fn a_device_is_no_checkpoint() {
    let ran = run(&["solve", "--resume", "/dev/zero"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("/dev/zero: not a checkpoint\nhint: "), "{}", ran.err);
}

/// The system gives no thread a stack of this size.
#[test]
fn without_threads_one_is_used_or_the_limit_is_named() {
    let alone =
        |args: &[&str]| taquin().args(args).env("RUST_MIN_STACK", "999999999999999").output();
    let one = ["solve", "867254301", "--method", "ida:manhattan", "--threads", "1"];
    assert_eq!(alone(&one).unwrap().status.code(), Some(0));
    for args in [&["solve", "fe169b4c0a73d852"][..], &["enumerate", "3x4"]] {
        let output = alone(args).unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(22), "{args:?}: {told}");
        assert!(told.contains("error: the system starts no more threads\nhint: "), "{told}");
    }
}

#[test]
fn what_is_repeated_is_short_and_prints() {
    let long = "x".repeat(500);
    let board = "1 2 3/4 0 6/7 5 8";
    for odd in ["\u{1b}[31mred", "a\u{7}\u{8}\u{9b}2J", long.as_str()] {
        let method = format!("astar:{odd}");
        let field = format!("astar:manhattan,tie={odd}");
        let partition = format!("ida:pdb={odd}");
        let set = format!("{odd}.txt");
        for args in [
            &["solve", board, "-m", odd][..],
            &["solve", board, "-m", &method],
            &["solve", board, "-m", &field],
            &["solve", board, "-m", &partition],
            &["solve", board, "--cost", odd],
            &["solve", board, "--memory", odd],
            &["solve", board, "--goal", odd],
            &["solve", board, "--as", odd],
            &["solve", odd],
            &["solve", "--file", &set],
            &["audit", odd],
            &["enumerate", odd],
            &["enumerate", "2x2", "--metric", odd],
            &["convert", board, "--to", odd],
            &["pdb", "build", odd],
            &[odd],
        ] {
            // Where colours are on, escape sequences are not taken out on the way.
            let output = taquin().args(args).env_remove("NO_COLOR").output().unwrap();
            let forced = taquin().args(args).env("CLICOLOR_FORCE", "1").output().unwrap();
            for output in [output, forced] {
                let error = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
                // The name of a file is given whole.
                let is_whole = odd == long && args.contains(&set.as_str());
                assert!(is_whole || !error.contains(odd), "{args:?}: {error:?}");
                let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\u{1b}');
                assert!(!error.contains(is_odd), "{args:?}: {error:?}");
                let longest = error.lines().map(|line| line.chars().count()).max().unwrap_or(0);
                assert!(is_whole || longest < 300, "{args:?}: {error}");
            }
        }
    }
}

#[test]
fn what_is_no_board_is_called_what_it_is() {
    for (args, wanted) in [
        (&["solve", "board.txt"][..], "error: board.txt: no such file\nhint: give a board, or a"),
        (&["solve", "867254301", "--goal", "no/goal.txt"], "error: no/goal.txt: no such file\n"),
        (&["solve", "12.4"], "error: board: "),
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(ran.err.contains(wanted), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_method_that_cannot_do_it_is_bad_usage() {
    for args in [
        &["solve", "867254301", "-m", "table", "--cost", "tile"][..],
        &["solve", "867254301", "-m", "aida:zpdb=1.2.3.4/5.6.7"],
    ] {
        let ran = run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("the method can't be used here"), "{}", ran.out);
    }
}

/// The first of Korf's instances, whose goal is `first`.
const KORF_1: &str = "14 13 15 7/11 12 9 5/6 0 2 1/4 8 10 3";

#[test]
fn a_board_for_another_goal_is_told_so_with_the_command() {
    let command = format!("\n  taquin solve \"{KORF_1}\" --goal first\n");
    for args in [&["solve", KORF_1][..], &["hint", KORF_1], &["check", KORF_1]] {
        let ran = run(args);
        assert_eq!(ran.code, Some(11), "{args:?}");
        let (goal, swap) = (ran.out.find(&command), ran.out.find("swapped"));
        assert!(goal.is_some() && goal < swap, "{args:?}: {}", ran.out);
    }
    assert_eq!(run(&["check", KORF_1, "--goal", "first"]).code, Some(0), "the command is right");
    assert_eq!(json(&["check", KORF_1, "--json"])["other_goals"][0], "first");
    // Nothing else is suggested to someone with a goal of their own.
    let ran = run(&["check", "2 1/3 0", "--goal", "1 3/2 0"]);
    assert!(!ran.out.contains("--goal"), "{}", ran.out);
}

/// A file of every kind that is empty: what is missing, and how to get one.
#[test]
fn empty_files_have_a_remedy() {
    let folder = folder("empty-files");
    for name in ["e.toml", "e"] {
        fs::write(folder.join(name), "").unwrap();
    }
    for (args, fact, hint) in [
        (&["solve", "--batch", "e"][..], "the input has no boards", "write one board per line"),
        (&["solve", "867254301", "--as", "./e.toml"], "the key 'name' is missing", "'taquin list"),
        (
            &["list", "courses", "new", "e.toml", "x"],
            "'examples' is missing",
            "'taquin list courses",
        ),
        (&["list", "courses", "./no.toml"], "no such file", "check the path"),
        (&["experiment", "run", "e.toml"], "has no methods", "write methods ="),
        (&["grade", "e.toml"], "the key 'boards' is missing", "'taquin generate --key"),
        (&["route", "--scen", "e"], "no scenarios", "movingai.com"),
        (&["enumerate", "3x3", "--hosts", "e", "--process", "0"], "", "write the address"),
    ] {
        let output = taquin().args(args).current_dir(&folder).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(fact) && error.contains(&format!("hint: {hint}")), "{error}");
    }
    // A store is not made from one that does not exist.
    let merge = ["experiment", "merge", "all.sqlite", "part.sqlite"];
    assert_eq!(taquin().args(merge).current_dir(&folder).output().unwrap().status.code(), Some(2));
    assert!(!folder.join("all.sqlite").exists());
}
