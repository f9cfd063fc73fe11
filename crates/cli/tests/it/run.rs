//! Running the real program.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The program, independent of the settings and the cached tables of the account that runs the
/// tests.
pub(crate) fn taquin() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taquin"));
    command
        .env_remove("COLUMNS")
        .env("NO_COLOR", "1")
        .env("TAQUIN_CONFIG", "")
        .env("TAQUIN_CACHE", cache());
    command
}

/// The folder for cached tables of the current test. It starts empty and is removed with the test.
pub(crate) fn cache() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    // The test harness runs each test in a thread of its own.
    thread_local! {
        static CACHE: Cache = {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            Cache(folder(&format!("cache-{}-{number}", std::process::id())))
        };
    }
    CACHE.with(|cache| cache.0.clone())
}

struct Cache(PathBuf);

impl Drop for Cache {
    fn drop(&mut self) {
        // A program that a test has killed may still be writing; the next test has its own folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program's reaction to these arguments and this input.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn run(args: &[&str]) -> Ran {
    run_with(args, "")
}

pub(crate) fn run_with(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    run_wide(args, input, "80")
}

/// Does the same with an output of `columns` columns.
fn run_wide(args: &[&str], input: impl AsRef<[u8]>, columns: &str) -> Ran {
    let mut child = taquin()
        .args(args)
        .env("COLUMNS", columns)
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

/// Runs commands one after the other and returns a transcript: each command with its output, its
/// messages and its exit code.
pub(crate) fn transcript(commands: &[&[&str]]) -> String {
    let mut text = String::new();
    for args in commands {
        let quoted = |word: &&str| match word.contains([' ', '*']) || word.is_empty() {
            true => format!("\"{word}\""),
            false => (*word).to_owned(),
        };
        let line: Vec<String> = args.iter().map(quoted).collect();
        // Wide, so that no time is on a line of its own.
        let Ran { code, out, err } = run_wide(args, "", "200");
        // Times and memory differ from run to run.
        let timeless = |line: &str| match line.split_once("; ") {
            Some((counts, _)) if counts.contains("largest frontier") => format!("{counts}; [..]\n"),
            _ => format!("{line}\n"),
        };
        let out: String = out.lines().map(timeless).collect();
        let code = code.map_or_else(|| "killed".to_owned(), |code| code.to_string());
        let _ = write!(text, "$ taquin {}\n{out}{err}[exit {code}]\n\n", line.join(" "));
    }
    text
}

/// The JSON document that the program prints.
pub(crate) fn json(args: &[&str]) -> serde_json::Value {
    let ran = run(args);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err))
}

/// The processor time that a process has used, on Linux.
pub(crate) fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which is in parentheses: user time and system time in hundredths of a second.
    let mut fields = text.rsplit(')').next()?.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (next()? + next()?)))
}

/// Waits until a program that was just started is well into its work, however busy the machine is.
pub(crate) fn wait_until_working(process: u32) {
    let started = Instant::now();
    let is_working = || match processor_time(process) {
        Some(used) => used > Duration::from_millis(300),
        None => started.elapsed() > Duration::from_secs(2),
    };
    while !is_working() {
        assert!(started.elapsed() < Duration::from_secs(60), "it does not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// An empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is gone already the first time.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
