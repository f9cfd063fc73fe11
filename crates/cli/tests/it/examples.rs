//! The examples in the help texts work.

use std::path::Path;
use std::process::Command;

use crate::run::{folder, run};

/// The examples of a command that need no file and no other program.
fn examples(command: &str) -> Vec<String> {
    let help = run(&[command, "--help"]).out;
    let lines = help.lines().filter_map(|line| line.strip_prefix("  taquin "));
    // The text after two spaces describes the example.
    let alone = lines.map(|line| line.split("  ").next().unwrap_or(line).to_owned());
    let needs =
        ["--file", "--moves-file", "--resume", "maze.txt", "arena.map", " - ", " | ", " < ", " > "];
    alone.filter(|line| !needs.iter().any(|word| format!("{line} ").contains(word))).collect()
}

#[test]
fn examples_succeed() {
    let scratch = folder("examples");
    let program = Path::new(env!("CARGO_BIN_EXE_taquin"));
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    let mut tried = 0;
    for command in
        ["solve", "verify", "heuristic", "convert", "draw", "queens", "route", "explain", "match"]
    {
        for line in examples(command) {
            let ran = Command::new("sh")
                .args(["-c", &format!("taquin {line}")])
                .current_dir(&scratch)
                .env("PATH", &path)
                .env("TAQUIN_CACHE", &scratch)
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(ran.status.code(), Some(0), "taquin {line}: {error}");
            tried += 1;
        }
    }
    assert!(tried > 25, "{tried}");
}
