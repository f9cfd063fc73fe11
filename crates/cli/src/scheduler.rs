//! Batch schedulers: scripts for Slurm and HyperQueue, and processes on this machine.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use clap::{ArgGroup, Args};
use taquin::Monitor;

use crate::args::within;
use crate::failure::Failure;

/// Where tasks run.
#[derive(Args, Debug)]
#[command(group = ArgGroup::new("place").required(true).args(["slurm", "hq", "local"]))]
pub(crate) struct SchedulerArgs {
    /// Print a script that submits to Slurm
    #[arg(long)]
    slurm: bool,
    /// Print a script that submits to HyperQueue
    #[arg(long)]
    hq: bool,
    /// Run N processes on this machine
    #[arg(long, value_name = "N", value_parser = within::<u16>(1..=1024))]
    local: Option<u16>,
    /// Number of cores of a task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u16>(1..=1024))]
    pub(crate) cores: u16,
    /// Slurm: at most K tasks at a time
    #[arg(long, value_name = "K", conflicts_with_all = ["hq", "local"], value_parser = within::<u32>(1..=u32::MAX.into()))]
    at_once: Option<u32>,
    /// Slurm: time limit of a task, as in 2h; 90 seconds before it the task saves its progress and
    /// is queued again
    #[arg(long = "job-time", alias = "time", value_name = "TIME", conflicts_with_all = ["hq", "local"], value_parser = read_limit)]
    time: Option<Duration>,
    /// Options for sbatch or 'hq submit', such as --partition=long
    #[arg(last = true, value_name = "OPTION", conflicts_with = "local")]
    options: Vec<String>,
}

/// Reads a time limit that leaves time to save the progress.
fn read_limit(text: &str) -> Result<Duration, String> {
    let time = taquin::read_time(text).map_err(|error| error.to_string())?;
    match time >= Duration::from_secs(180) {
        true => Ok(time),
        false => Err("a task needs at least 3m".to_owned()),
    }
}

/// Many tasks, each with a number, and the work after all have ended.
pub(crate) struct ArrayJob<'a> {
    /// Its purpose, in a line.
    pub(crate) title: String,
    pub(crate) name: String,
    /// The numbers of the tasks.
    pub(crate) numbers: &'a [usize],
    /// A task's shell command; its number is $index.
    pub(crate) task: String,
    /// The shell commands after the last task.
    pub(crate) then: String,
    /// The folder for their output.
    pub(crate) logs: PathBuf,
    /// Whether a task needs a machine for itself.
    pub(crate) is_exclusive: bool,
}

impl SchedulerArgs {
    /// Returns the number of processes on this machine, if they run here.
    pub(crate) fn local(&self) -> Option<usize> {
        self.local.map(usize::from)
    }

    /// Returns these arguments as the shell reads them.
    pub(crate) fn written(&self) -> String {
        let mut text = if self.slurm { "--slurm" } else { "--hq" }.to_owned();
        let _ = write!(text, " --cores {}", self.cores);
        if let Some(most) = self.at_once {
            let _ = write!(text, " --at-once {most}");
        }
        if let Some(time) = self.time {
            let _ = write!(text, " --job-time {}s", time.as_secs());
        }
        text
    }

    /// Returns the options for the scheduler as the shell reads them.
    pub(crate) fn written_options(&self) -> String {
        let words: Vec<String> = self.options.iter().map(|option| shell_word(option)).collect();
        match words.is_empty() {
            true => String::new(),
            false => format!(" -- {}", words.join(" ")),
        }
    }

    /// Returns the options for the scheduler on lines of their own.
    fn option_lines(&self) -> String {
        self.options
            .iter()
            .fold(String::new(), |text, option| text + " \\\n  " + &shell_word(option))
    }

    /// Returns the script that submits a job.
    pub(crate) fn script(&self, job: &ArrayJob<'_>) -> String {
        match self.slurm {
            true => self.slurm_script(job),
            false => self.hq_script(job),
        }
    }

    fn slurm_script(&self, job: &ArrayJob<'_>) -> String {
        let ArrayJob { title, name, numbers, task, then, logs, is_exclusive } = job;
        let options = self.option_lines();
        let mut array = ranges(numbers);
        if let Some(most) = self.at_once {
            let _ = write!(array, "%{most}");
        }
        let mut limits = format!(" \\\n  --cpus-per-task={}", self.cores);
        if let Some(time) = self.time {
            let seconds = time.as_secs();
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let _ = write!(limits, " --time={hours}:{minutes:02}:{seconds:02}");
        }
        if *is_exclusive {
            limits += " --exclusive";
        }
        // A percent sign begins a placeholder of Slurm.
        let log = |file: &str| {
            let folder = logs.display().to_string().replace('%', "%%");
            shell_word(&format!("{folder}/{file}"))
        };
        let (logs, each, merge) = (shell_path(logs), log("%a.log"), log("merge.log"));
        format!(
            "\
#!/bin/sh
# {title}
set -eu
mkdir -p {logs}
array=$(sbatch --parsable --job-name={name} --array={array} --requeue \\
  --signal=B:TERM@90 --open-mode=append --output={each}{limits}{options} <<'TASK'
#!/bin/sh
index=$SLURM_ARRAY_TASK_ID
{task} &
task=$!
trap 'kill -TERM \"$task\"' TERM
wait \"$task\"
code=$?
trap '' TERM
if [ \"$code\" -eq 143 ]; then
  wait \"$task\"
  code=$?
fi
# Interrupted before the time limit, and not cancelled: the progress is saved.
if [ \"$code\" -eq 130 ] && scontrol show job \"$SLURM_JOB_ID\" | grep -q JobState=RUNNING
then
  scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"
fi
exit \"$code\"
TASK
)
sbatch --job-name={name}-merge --dependency=afterany:\"${{array%%;*}}\" \\
  --open-mode=append --output={merge}{options} <<'MERGE'
#!/bin/sh
set -eu
{then}
MERGE
"
        )
    }

    fn hq_script(&self, job: &ArrayJob<'_>) -> String {
        let ArrayJob { title, name, numbers, task, then, logs, is_exclusive } = job;
        let options = self.option_lines();
        let cores = match is_exclusive {
            true => "all".to_owned(),
            false => self.cores.to_string(),
        };
        // A worker does not have the submitter's variables.
        let cache = std::env::var("TAQUIN_CACHE")
            .ok()
            .map(|cache| format!(" \\\n  --env={}", shell_word(&format!("TAQUIN_CACHE={cache}"))));
        let cache = cache.unwrap_or_default();
        let array = ranges(numbers);
        let each = shell_word(&format!("{}/%{{TASK_ID}}.log", logs.display()));
        let (logs, command) =
            (shell_path(logs), shell_word(&format!("index=$HQ_TASK_ID; exec {task}")));
        format!(
            "\
#!/bin/sh
# {title}
set -eu
mkdir -p {logs}
# What follows sees which tasks have failed.
hq submit --wait --name={name} --array={array} --cpus={cores} \\
  --stdout=none --stderr={each}{cache}{options} \\
  -- sh -c {command} || true
{then}
"
        )
    }
}

/// Returns numbers as Slurm and HyperQueue read them: 0-7,9,12-13.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next).filter_map(|run| {
        let (first, last) = (run.first()?, run.last()?);
        Some(if first == last { first.to_string() } else { format!("{first}-{last}") })
    });
    runs.collect::<Vec<_>>().join(",")
}

/// Returns a word as the shell reads it.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,%+@".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Returns a path as the shell reads it.
pub(crate) fn shell_path(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

/// Returns the path of this program, for other processes.
pub(crate) fn program() -> Result<PathBuf, Failure> {
    crate::program()
        .map_err(|error| Failure::input(format!("the path of the program is unknown: {error}")))
}

/// Returns a path's absolute form, which has to be text.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let path = std::path::absolute(path).map_err(|error| {
        Failure::input(format!("{}: has no absolute path: {error}", path.display()))
    })?;
    match path.to_str() {
        Some(_) => Ok(path),
        None => {
            Err(Failure::input(format!("{}: the path is not UTF-8", path.display()))
                .hint("rename it"))
        }
    }
}

/// A process of this program.
pub(crate) struct LocalTask {
    pub(crate) arguments: Vec<OsString>,
    /// The file for its output.
    pub(crate) log: PathBuf,
}

/// How often a task that fails is started.
const ATTEMPTS: usize = 3;

/// The time between two looks at a process.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Runs tasks in at most `processes` processes at a time, until all have ended well or `is_over`
/// returns true, and counts them. When `monitor` is cancelled, the running ones are interrupted.
pub(crate) fn run_local(
    processes: usize,
    tasks: &[LocalTask],
    monitor: &Monitor,
    done: &AtomicUsize,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<(), Failure> {
    let program = &program()?;
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let has_failed = || failure.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    let work = || {
        while !monitor.is_cancelled() && !has_failed() && !is_over() {
            let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            match attempt(program, task, monitor) {
                Ok(()) => _ = done.fetch_add(1, Ordering::Relaxed),
                Err(failed) => {
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..processes.min(tasks.len()) {
            scope.spawn(work);
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(failure) => Err(failure),
        None if monitor.is_cancelled() => Err(Failure::interrupted()),
        None => Ok(()),
    }
}

/// Runs a task until it ends well or has failed too often.
fn attempt(program: &Path, task: &LocalTask, monitor: &Monitor) -> Result<(), Failure> {
    let unwritable = |error| Failure::unwritable(&task.log, &error);
    if let Some(folder) = task.log.parent() {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    for left in (0..ATTEMPTS).rev() {
        let log = File::options().create(true).append(true).open(&task.log).map_err(unwritable)?;
        let mut command = Command::new(program);
        command.args(&task.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        // Ctrl-C is passed on once: a second signal would end the process before it saves anything.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().map_err(|error| {
            Failure::input(format!("{}: can't be started: {error}", program.display()))
        })?;
        let code = wait(child, monitor);
        match code {
            Some(0) => return Ok(()),
            _ if monitor.is_cancelled() => return Err(Failure::interrupted()),
            // Bad input does not become better.
            Some(2) => break,
            _ if left == 0 => break,
            _ => {}
        }
    }
    let text = fs::read_to_string(&task.log).unwrap_or_default();
    let words: Vec<String> =
        task.arguments.iter().map(|word| shell_word(&word.to_string_lossy())).collect();
    let said = text.lines().rev().find_map(|line| line.strip_prefix("error: "));
    let message = match said {
        Some(said) => said.to_owned(),
        None => format!("'taquin {}' failed {ATTEMPTS} times", words.join(" ")),
    };
    Err(Failure::input(message).hint(format!("its messages are in {}", task.log.display())))
}

/// Waits for a process, and interrupts it once `monitor` is cancelled. Returns its exit code.
fn wait(mut child: Child, monitor: &Monitor) -> Option<i32> {
    let mut is_told = false;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.code(),
            Ok(None) => {}
            Err(_) => return None,
        }
        if monitor.is_cancelled() && !is_told {
            is_told = true;
            interrupt(&mut child);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Asks a process to save its progress and end.
fn interrupt(child: &mut Child) {
    #[cfg(unix)]
    {
        let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        if sent.is_ok_and(|status| status.success()) {
            return;
        }
    }
    // It may have ended by itself.
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 3, 9, 12, 13]), "0-3,9,12-13");
        assert_eq!(ranges(&[5]), "5");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(shell_word("/a/b-c_1.json"), "/a/b-c_1.json");
        assert_eq!(shell_word("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(shell_word(""), "''");
    }
}
