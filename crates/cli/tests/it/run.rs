//! Running the real program.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The program, away from the settings of whoever runs the tests.
pub(crate) fn taquin() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taquin"));
    command.env_remove("COLUMNS").env("NO_COLOR", "1");
    command
}

/// What the program does with these arguments and this input.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn run(args: &[&str]) -> Ran {
    run_with(args, "")
}

pub(crate) fn run_with(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    let mut child = taquin()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    // A program that has seen enough closes its end; that is its right.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// The JSON document that the program prints.
pub(crate) fn json(args: &[&str]) -> serde_json::Value {
    let ran = run(args);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is gone already the first time.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
