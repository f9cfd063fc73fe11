//! Output: files are whole or absent, flags work or are refused, and text fits.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::{cache, folder, json, run, run_with, taquin};

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A file that cannot be written as a whole, because the system allows only 4 KiB, keeps its former
/// content, and nothing remains next to it.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_left_as_it_was() {
    let folder = folder("torn");
    let board = run(&["gen", "--size", "10", "--seed", "1"]).out;
    for name in ["keep.svg", "keep.png", "keep.pdf", "keep.gif"] {
        fs::write(folder.join(name), "as it was").unwrap();
    }
    let before = names(&folder);
    let file = |ending: &str| path(&folder, &format!("keep.{ending}"));
    for args in [
        vec!["show", board.trim(), "--svg", &file("svg")],
        vec!["show", board.trim(), "--png", &file("png")],
        vec!["show", board.trim(), "--pdf", &file("pdf")],
        vec!["solve", "867254301", "--animate", &file("gif")],
        vec!["solve", "867254301", "--animate", &file("svg")],
        vec!["compare", "--chart", &file("svg")],
        vec!["enumerate", "2x3", "--chart", &file("png")],
    ] {
        // Without the trap, the system would kill the program.
        let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
        let ran = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_taquin")])
            .args(&args)
            .env("TAQUIN_CACHE", cache())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.contains("can't be written"), "{args:?}: {errors}");
        assert_eq!(names(&folder), before, "{args:?}");
        let kept = fs::read_to_string(args.last().unwrap()).unwrap();
        assert_eq!(kept, "as it was", "{args:?}");
    }
}

#[test]
fn files_are_checked_before_the_work_and_reported_after_it() {
    let folder = folder("reported");
    let nowhere = path(&folder, "none/f.svg");
    for args in [
        &["compare", "--chart", &nowhere][..],
        &["solve", "867254301", "--animate", &nowhere],
        &["enumerate", "3x3", "--chart", &nowhere],
        &["show", "867254301", "--svg", &nowhere],
        &["solve", "867254301", "--animate", &path(&folder, "f.mov")],
        &["compare", "--chart", &path(&folder, "")],
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}: {}", ran.err);
    }
    let picture = path(&folder, "f.svg");
    for args in [
        &["compare", "867254301", "--chart", &picture][..],
        &["solve", "867254301", "--animate", &picture],
        &["show", "867254301", "--svg", &picture],
        &["enumerate", "2x3", "--chart", &picture],
    ] {
        let ran = run(args);
        assert!(ran.code == Some(0) && ran.err.contains(&format!("wrote {picture}")), "{args:?}");
    }
    let pages = path(&folder, "man");
    let ran = run(&["man", "--dir", &pages]);
    assert!(ran.err.starts_with("wrote ") && ran.err.contains(&pages), "{}", ran.err);
    assert!(names(Path::new(&pages)).contains(&"taquin-solve.1".to_owned()));
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("links");
    let [real, link] = ["real.svg", "link.svg"].map(|name| path(&folder, name));
    fs::write(&real, "").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    assert_eq!(run(&["show", "867254301", "--svg", &link]).code, Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().starts_with("<svg"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn flags_that_cannot_work_are_refused() {
    const BOARD: &str = "867254301";
    let folder = folder("refused");
    let picture = path(&folder, "f.svg");
    for args in [
        &["solve", BOARD, "-q", "--path", "boards"][..],
        &["solve", BOARD, "--json", "--path", "boards"],
        &["solve", BOARD, "--jsonl", "--path", "none"],
        &["solve", BOARD, "--jsonl", "--json"],
        &["solve", BOARD, "--jsonl", "-q"],
        &["solve", BOARD, "--jsonl", "--trace", "-m", "bfs"],
        &["solve", "--batch", "-", "--boards", "nested"],
        &["solve", "--batch", "-", "--path", "boards"],
        &["solve", BOARD, "--checkpoint-every", "5s"],
        &["solve", BOARD, "--as", "korf85", "--checkpoint", &path(&folder, "c.json")],
        &["solve", BOARD, "--trace", "-m", "bfs", "--checkpoint", &path(&folder, "c.json")],
        &["solve", "--resume", &path(&folder, "c.json"), "--as", "korf85"],
        &["solve", "--resume", &path(&folder, "c.json"), "--trace"],
        &["solve", "--resume", &path(&folder, "c.json"), "--jumps"],
        &["solve", BOARD, "--cost", "1,2,3"],
        &["solve", BOARD, "--cost", "1,2,3,4,5,6,7,8,9"],
        &["solve", BOARD, "--cost", "5"],
        &["heuristic", BOARD, "--cost", "5"],
        &["audit", "manhattan", "--size", "2x3", "--cost", "1,2"],
        &["compare", BOARD, "--cost", "1,2"],
        &["experiment", "run", "--check", "--instances", "courses", "-m", "bfs", "--time", "never"],
        &["solve", BOARD, "--animate", "-"],
        &["show", BOARD, "--svg", "-", "--png", "-"],
        &["show", BOARD, "--svg", &picture, "--png", &picture],
        &["enumerate", "2x3", "--chart", "--json"],
        &["gen", "--memory", "1G"],
        &["gen", "--walk", "5", "--memory", "1G"],
        &["compare", "--instances", "courses", "--size", "3x3"],
        &["convert", "LDDL", "--blank", "_"],
        &["convert", "LDDL", "--size", "3x3"],
        &["explain", BOARD, "--dot", "--rivals", "3"],
        &["experiment", "report", "--latex", "--out", "x"],
        &["pdb", "verify", "--goal", "first"],
        &["pdb", "info", "3x4", "--size", "3x4"],
        &["pdb", "build", "5-5-5", "--size", "5x5"],
    ] {
        let ran = run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{args:?}: {}", ran.err);
    }
}

#[test]
fn flags_that_were_ignored_work() {
    let ran = run(&["solve", "867254301", "--jsonl"]);
    assert_eq!(ran.out.lines().count(), 1);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&report["depth"], &report["notation"]), (&31.into(), &"blank".into()));
    // The two notations name the same moves.
    let tile = json(&["solve", "1 2 3/4 0 6/7 5 8", "--json", "--notation", "tile"]);
    assert_eq!((&tile["moves"], &tile["notation"]), (&"UL".into(), &"tile".into()));
    let ran = run_with(
        &["solve", "--batch", "-", "--jsonl", "--notation", "tile"],
        "1 2 3/4 0 6/7 5 8\n",
    );
    assert!(ran.out.contains("\"moves\":\"UL\",\"notation\":\"tile\""), "{}", ran.out);
    let course = ["solve", "1 2 3/4 0 6/7 5 8", "--as", "ucr-list"];
    let ran = run(&[&course[..], &["--path", "boards"]].concat());
    assert!(ran.out.contains("1. D"), "{}", ran.out);
    let ran = run(&[&course[..], &["--path", "moves"]].concat());
    assert!(ran.out.ends_with("\nDR\n"), "{}", ran.out);
    let ran = run(&[&course[..], &["--jsonl"]].concat());
    assert!(ran.out.starts_with('{') && ran.out.lines().count() == 1, "{}", ran.out);
    let ran = run(&["solve", "867254301", "--all", "--count", "-q"]);
    assert_eq!(ran.out, "40\n");
    let eight = "1,2,3,4,5,6,7,8";
    let by_list = json(&["solve", "1 2 3/4 0 6/7 5 8", "--cost", eight, "--json"]);
    assert_eq!(by_list["cost"], 13);
}

/// The commands that print tables and paragraphs.
fn printed(folder: &Path) -> Vec<Vec<String>> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut commands: Vec<Vec<String>> = [
        "courses",
        "courses ucr-list",
        "courses princeton",
        "methods",
        "reproduce columbia",
        "reproduce princeton",
        "reproduce ucr-list",
        "audit manhattan --size 2x3",
        "audit misplaced --size 3x3",
        "pdb list",
        "pdb info 3x3",
        "solve 867254301",
        "solve 867254301 -m anytime --nodes 3000",
        "solve 867254301 -m astar:manhattan,tie=low-g,order=fifo,duplicates=generated,reopen=never",
        "solve 867254301 --path boards",
        "compare",
        "compare --as ucr-heap",
        "compare 867254301 -m astar:manhattan,tie=low-g,order=fifo,duplicates=generated,reopen=never",
        "heuristic 724506831 --goal first",
        "check 867254301",
        "check 123456870",
        "explain 136502478 --step 5",
        "explain 136502478 --step 5 -m ida",
        "explain 136502478 --step 5 -m ids",
        "explain 136502478 --step 5 -m rbfs",
        "explain 123406758 --step 3 -m bfs,goal=expansion",
        "enumerate 2x4 --chart",
        "queens 6 --all",
        "match 712485630 --expanded 503 --queue 306 --as ucr-list -m manhattan",
    ]
    .map(words)
    .to_vec();
    let store = path(folder, "s.sqlite");
    let long = "astar:manhattan,tie=low-g,order=fifo,duplicates=generated,reopen=never";
    let experiment = ["experiment", "run", "--instances", "courses", "-m", "bfs", "-m", long];
    assert_eq!(
        run(&[&experiment[..], &["--nodes", "500", "--store", &store]].concat()).code,
        Some(0)
    );
    commands.push(["experiment", "status", &store].map(str::to_owned).to_vec());
    commands
}

#[test]
fn everything_fits_the_width() {
    let folder = folder("width");
    assert_eq!(run(&["enumerate", "3x3", "--save"]).code, Some(0));
    for args in printed(&folder) {
        for width in [80, 100] {
            let ran = taquin().args(&args).env("COLUMNS", width.to_string()).output().unwrap();
            assert!(ran.status.code() < Some(12), "{args:?}");
            for line in String::from_utf8(ran.stdout).unwrap().lines() {
                // A method is a word that is never broken.
                let is_word = line.trim_start().chars().all(|letter| letter != ' ');
                assert!(line.chars().count() <= width || is_word, "{args:?} at {width}: {line}");
            }
        }
    }
    // More room is used.
    let lines = |args: &[&str], width: &str| {
        let ran = taquin().args(args).env("COLUMNS", width).output().unwrap();
        String::from_utf8(ran.stdout).unwrap().lines().count()
    };
    for args in [&["courses"][..], &["methods"], &["solve", "867254301", "--path", "boards"]] {
        assert!(lines(args, "160") < lines(args, "80"), "{args:?}");
        assert!(lines(args, "80") < lines(args, "40"), "{args:?}");
    }
}

#[test]
fn settings_come_from_a_file_variables_and_flags() {
    const BOARD: &str = "1 2 3/4 0 6/7 5 8";
    let folder = folder("config");
    let file = folder.join("config.toml");
    let with = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = taquin();
        command.env("TAQUIN_CONFIG", &file).envs(variables.iter().copied());
        let ran = command.args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (ran.status.code(), text(ran.stdout), text(ran.stderr))
    };
    // A file that is named has to exist.
    let (code, shown, said) = with(&[], &["solve", BOARD]);
    assert_eq!((code, shown.as_str()), (Some(2), ""), "{said}");
    assert!(said.contains("config.toml") && said.contains("TAQUIN_CONFIG"), "{said}");
    // Without a file, the defaults.
    let elsewhere = folder.to_str().unwrap();
    let mut command = taquin();
    command.env_remove("TAQUIN_CONFIG").env("XDG_CONFIG_HOME", elsewhere).env("HOME", elsewhere);
    let ran = command.env("APPDATA", elsewhere).arg("config").output().unwrap();
    let [shown, said] = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(ran.status.success() && said.contains("does not exist"), "{said}");
    assert!(shown.contains("notation  blank") && shown.contains("default"), "{shown}");
    fs::write(&file, "notation = \"tile\"\ngoal = \"first\"\nthreads = 1\n").unwrap();
    let (_, shown, _) = with(&[("TAQUIN_GOAL", "snail")], &["config"]);
    let rows: Vec<Vec<&str>> = shown.lines().map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["notation", "tile", "the", "file"]);
    assert_eq!(rows[1], ["goal", "snail", "TAQUIN_GOAL"]);
    assert_eq!(rows[2], ["threads", "1", "the", "file"]);
    // Settings apply, and flags override them.
    let quiet = |variables: &[(&str, &str)], more: &[&str]| {
        with(variables, &[&["solve", BOARD, "-q"], more].concat()).1
    };
    let last = ("TAQUIN_GOAL", "last");
    assert_eq!(quiet(&[last], &[]), "UL\n");
    assert_eq!(quiet(&[last], &["--notation", "blank"]), "DR\n");
    assert_eq!(quiet(&[last, ("TAQUIN_NOTATION", "blank")], &[]), "DR\n");
    assert_eq!(quiet(&[], &["--goal", "last"]), "UL\n");
    assert!(with(&[], &["gen", "--walk", "0", "--seed", "1"]).1.starts_with("0 1 2"));
    // A course keeps its goal.
    assert_eq!(with(&[], &["solve", BOARD, "--as", "ucr-list", "-q"]).1, "UL\n");
    // A fault has a line and a key.
    fs::write(&file, "notation = \"tile\"\nthreads = 0\ncolour = 1\n").unwrap();
    let (code, _, said) = with(&[], &["solve", BOARD]);
    assert_eq!(code, Some(2));
    assert!(said.contains("config.toml:2:") && said.contains("threads"), "{said}");
    assert!(said.contains("config.toml:3:") && said.contains("colour"), "{said}");
    fs::write(&file, "").unwrap();
    let (code, _, said) = with(&[("TAQUIN_THREADS", "many")], &["config"]);
    assert!(code == Some(2) && said.contains("TAQUIN_THREADS: 'many'"), "{said}");
}
