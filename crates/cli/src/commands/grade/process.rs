//! Runs a student's program under limits, and ends it with everything that it has started.
//!
//! The program leads a process group. On Linux this process also adopts processes that leave the
//! group, so that no child of a submission outlives it. This is no sandbox: a program can read and
//! write what the account can, and use the network.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use taquin::{Monitor, write_bytes};

/// The limits of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramLimits {
    pub(super) time: Duration,
    /// The memory for all its processes together, in bytes; Linux only.
    pub(super) memory: u64,
}

/// The result of a program.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) output: Vec<u8>,
    /// The fault, if it did not end well: a sentence for the student.
    pub(super) problem: Option<String>,
    /// Whether it was ended before its time, so that its output is not to be graded.
    pub(super) is_stopped: bool,
}

/// The most bytes of output. A program that prints more is ended.
const MAX_OUTPUT: usize = 4_000_000;

/// The most bytes of error messages that are kept.
const MAX_MESSAGES: usize = 16 << 10;

/// The time between two looks at a running program.
const INTERVAL: Duration = Duration::from_millis(10);

/// The time for the pipes of a program that has ended.
const PIPES: Duration = Duration::from_secs(1);

/// The variables of the environment that a program gets: nothing that could be a secret.
const ENVIRONMENT: [&str; 7] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "JAVA_HOME", "TZ"];

/// Runs a program in `folder` and returns its output. The monitor cancels it.
pub(super) fn run(
    command: &[String],
    input: String,
    folder: &Path,
    limits: ProgramLimits,
    monitor: &Monitor,
) -> Finished {
    let stopped =
        |problem: String| Finished { output: Vec::new(), problem: Some(problem), is_stopped: true };
    let others = family::adopt();
    let Some((program, arguments)) = command.split_first() else {
        return stopped("There is no command to run.".to_owned());
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return stopped(format!("The program can't be started: {error}.")),
    };
    family::limit(child.id());
    let (output, messages) = (Pipe::default(), Pipe::default());
    let readers = [
        child.stdout.take().map(|from| output.read(from, MAX_OUTPUT)),
        child.stderr.take().map(|from| messages.read(from, MAX_MESSAGES)),
    ];
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input is ended before this.
        spawn(move || drop(stdin.write_all(input.as_bytes())));
    }
    let end = wait(&mut child, &output, limits, &others, monitor);
    // A process that has been waited for may have left others.
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    family::end(&others);
    let deadline = Instant::now() + PIPES;
    for reader in readers.into_iter().flatten() {
        finish(reader, deadline);
    }
    let messages = String::from_utf8_lossy(&messages.taken()).trim().to_owned();
    let last = messages.lines().last().map_or_else(String::new, |line| format!(" {line}"));
    let problem = match end {
        Ok(status) if status.success() => None,
        Ok(status) => Some(match (status.code(), status.signal()) {
            (Some(code), _) => format!("The program ended with exit code {code}.{last}"),
            (None, Some(signal)) => format!("The program was ended by signal {signal}.{last}"),
            _ => "The program did not end well.".to_owned(),
        }),
        Err(ref why) => Some(why.clone()),
    };
    Finished { output: output.taken(), problem, is_stopped: end.is_err() }
}

/// Waits until the program ends or reaches a limit: then the error is a sentence for the student.
fn wait(
    child: &mut Child,
    output: &Pipe,
    limits: ProgramLimits,
    others: &[i32],
    monitor: &Monitor,
) -> Result<ExitStatus, String> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) if output.is_too_long() => {}
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(error) => return Err(format!("The program can't be watched: {error}.")),
        }
        if output.is_too_long() {
            let most = write_bytes(MAX_OUTPUT as u64);
            return Err(format!("The program printed more than {most} and was ended."));
        }
        if started.elapsed() >= limits.time {
            let seconds = limits.time.as_secs_f64();
            return Err(format!("The program did not end within {seconds} s."));
        }
        if monitor.is_cancelled() {
            return Err("The grading was interrupted.".to_owned());
        }
        family::check(others, limits.memory)?;
        sleep(INTERVAL);
    }
}

/// The output that a program has written to a pipe so far.
#[derive(Clone, Default)]
struct Pipe {
    bytes: Arc<Mutex<Vec<u8>>>,
    is_too_long: Arc<AtomicBool>,
}

impl Pipe {
    /// Reads a pipe to its end in a thread of its own, and keeps at most `most` bytes.
    fn read(&self, mut from: impl Read + Send + 'static, most: usize) -> JoinHandle<()> {
        let pipe = self.clone();
        spawn(move || {
            let mut buffer = [0; 1 << 14];
            while let Ok(length @ 1..) = from.read(&mut buffer) {
                let mut bytes = pipe.bytes.lock().unwrap_or_else(PoisonError::into_inner);
                let room = most - bytes.len();
                bytes.extend(&buffer[..length.min(room)]);
                if length > room {
                    pipe.is_too_long.store(true, Ordering::Relaxed);
                }
            }
        })
    }

    fn is_too_long(&self) -> bool {
        self.is_too_long.load(Ordering::Relaxed)
    }

    fn taken(&self) -> Vec<u8> {
        std::mem::take(&mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Waits for a reader. If a child of the program could not be ended, its pipe stays open.
fn finish(reader: JoinHandle<()>, deadline: Instant) {
    while !reader.is_finished() && Instant::now() < deadline {
        sleep(Duration::from_millis(1));
    }
    if reader.is_finished() {
        let _ = reader.join();
    }
}

/// The processes of a submission, as Linux shows them.
#[cfg(target_os = "linux")]
mod family {
    use std::collections::HashMap;
    use std::fs;
    use std::thread::sleep;
    use std::time::Duration;

    use rustix::process::{
        Pid, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process, prlimit,
        set_child_subreaper, waitpid,
    };
    use taquin::write_bytes;

    /// The most processes of a submission.
    const MAX_PROCESSES: usize = 200;

    /// The largest file that a submission may write, in bytes.
    const MAX_FILE: u64 = 256 << 20;

    /// Adopts the orphans of this process's children, and returns the existing processes.
    pub(super) fn adopt() -> Vec<i32> {
        let _ = set_child_subreaper(Some(getpid()));
        descendants(&[])
    }

    /// Limits the files that a process writes. Its children inherit the limit.
    pub(super) fn limit(process: u32) {
        let process = Pid::from_raw(process as i32);
        let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
        let _ = prlimit(process, Resource::Fsize, limit(MAX_FILE));
        let _ = prlimit(process, Resource::Core, limit(0));
    }

    /// Fails if a submission uses too much memory or too many processes.
    pub(super) fn check(others: &[i32], memory: u64) -> Result<(), String> {
        let all = descendants(others);
        if all.len() > MAX_PROCESSES {
            return Err(format!("The program started more than {MAX_PROCESSES} processes."));
        }
        match all.iter().map(|process| resident(*process)).sum::<u64>() > memory {
            true => Err(format!("The program used more than {} of memory.", write_bytes(memory))),
            false => Ok(()),
        }
    }

    /// Ends every process of a submission.
    pub(super) fn end(others: &[i32]) {
        for _ in 0..200 {
            let left = descendants(others);
            if left.is_empty() {
                return;
            }
            for process in left.into_iter().filter_map(Pid::from_raw) {
                let _ = kill_process(process, Signal::KILL);
                // Adopted processes that have ended are listed until a process waits for them.
                let _ = waitpid(Some(process), WaitOptions::NOHANG);
            }
            sleep(Duration::from_millis(1));
        }
    }

    /// Returns the children of this process and theirs, without `others`.
    fn descendants(others: &[i32]) -> Vec<i32> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(process) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else {
                continue;
            };
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // After the name, which is in parentheses and may hold anything: the state, the parent.
            let parent = stat
                .rsplit(')')
                .next()
                .and_then(|rest| rest.split_whitespace().nth(1)?.parse::<i32>().ok());
            if let Some(parent) = parent.filter(|_| !others.contains(&process)) {
                children.entry(parent).or_default().push(process);
            }
        }
        let mut found = vec![getpid().as_raw_nonzero().get()];
        let mut at = 0;
        while at < found.len() {
            found.extend(children.remove(&found[at]).unwrap_or_default());
            at += 1;
        }
        found.split_off(1)
    }

    /// The memory of a process in bytes, without the files that it has mapped.
    fn resident(process: i32) -> u64 {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let pages = ["RssAnon:", "RssShmem:"].map(|name| field(name).unwrap_or(0));
        pages.iter().sum::<u64>() * 1024
    }
}

/// Elsewhere only the process group is ended, and the memory is not limited.
#[cfg(not(target_os = "linux"))]
mod family {
    pub(super) fn adopt() -> Vec<i32> {
        Vec::new()
    }

    pub(super) fn limit(_process: u32) {}

    pub(super) fn check(_others: &[i32], _memory: u64) -> Result<(), String> {
        Ok(())
    }

    pub(super) fn end(_others: &[i32]) {}
}
