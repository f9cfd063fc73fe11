//! `taquin task submit`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use taquin::{FolderStatus, MergeOutcome, MergeParts, TaskFolder, Watch};

use crate::failure::{CommandResult, Failure};
use crate::folders::{open, show_merged};
use crate::output::{count, print, say, warning};
use crate::scheduler::{
    ArrayJob, LocalTask, SchedulerArgs, absolute, program, run_local, shell_path, shell_word,
};
use crate::tables;
use crate::watch::{SearchStatus, watched_by};

/// Search all parts on Slurm, HyperQueue or this machine
///
/// The script submits the parts without a result, adds up the results, and submits the next
/// threshold until the search is solved. With --local everything happens on this machine.
#[derive(Parser, Debug)]
#[command(
    override_usage = "taquin task submit [OPTIONS] <DIR> [-- <OPTION>...]",
    after_help = "\
Examples:
  taquin task submit hard24 --local 8           8 processes here, to the end
  taquin task submit hard24 --slurm             print the script
  taquin task submit hard24 --slurm | sh        run it
  taquin task submit hard24 --slurm --at-once 200 --job-time 2h | sh
  taquin task submit hard24 --slurm -- --partition=long | sh
  taquin task submit hard24 --hq --cores 4 | sh

'taquin task split' makes the folder, which all machines have to share. Messages
are in its folder logs. You can repeat every command at any time."
)]
pub(crate) struct SubmitArgs {
    /// The folder
    dir: PathBuf,
    #[command(flatten)]
    scheduler: SchedulerArgs,
    /// Fail if, since the last script, no part has been finished: T:N for threshold T with N parts
    /// due. The scripts set it, so that parts that always fail are not submitted forever
    #[arg(long, value_name = "T:N", conflicts_with = "local")]
    since: Option<String>,
}

pub(crate) fn run(args: &SubmitArgs) -> CommandResult {
    let folder = open(&args.dir)?;
    if let Some(processes) = args.scheduler.local() {
        return local(args, &folder, processes);
    }
    let status = folder.status()?;
    if let Some(length) = status.solved {
        let moves = count(length.into(), "move", "moves");
        print(&format!(
            "# Solved with {moves}: taquin task merge {}\n",
            shell_path(&args.dir).replace('\n', " ")
        ))?;
        return Ok(0);
    }
    print(&script(args, &folder, &status)?)?;
    Ok(0)
}

/// Returns the script that submits the parts without a result and everything that follows.
fn script(
    args: &SubmitArgs,
    folder: &TaskFolder,
    status: &FolderStatus,
) -> Result<String, Failure> {
    let FolderStatus { threshold, parts, missing, .. } = status;
    let since = format!("{threshold}:{}", missing.len());
    let dir = absolute(folder.path())?;
    let logs = dir.join("logs").join(format!("round-{threshold:03}"));
    if args.since.as_deref() == Some(&since) {
        return Err(Failure::input(format!(
            "threshold {threshold}: no part has been finished since the last script"
        ))
        .hint(format!("read the messages in {}, then submit again", logs.display())));
    }
    let (program, quoted) = (shell_path(&program()?), shell_path(&dir));
    let merge = format!("{program} task merge {quoted} || [ $? -eq 12 ]");
    if missing.is_empty() {
        // All parts are done.
        let next = next(args, &program, &quoted, &since);
        return Ok(format!("#!/bin/sh\nset -eu\n{merge}\n{next}\n"));
    }
    let due = count(missing.len() as u64, "part", "parts");
    let cores = args.scheduler.cores;
    Ok(args.scheduler.script(&ArrayJob {
        title: format!(
            "Threshold {threshold}: {due} of {parts}. To submit: taquin task submit .. | sh"
        ),
        name: format!("taquin-{threshold}"),
        numbers: missing,
        task: format!("{program} task run {quoted} --index \"$index\" --threads {cores}"),
        then: format!("{merge}\n{}", next(args, &program, &quoted, &since)),
        logs,
        is_exclusive: false,
    }))
}

/// Returns the shell commands that submit the next threshold, or the parts that have failed.
fn next(args: &SubmitArgs, program: &str, dir: &str, since: &str) -> String {
    let (how, options) = (args.scheduler.written(), args.scheduler.written_options());
    format!(
        "next=$({program} task submit {dir} {how} --since {since}{options})\nprintf '%s\\n' \"$next\" | sh"
    )
}

/// Runs all parts of all thresholds in processes on this machine.
fn local(args: &SubmitArgs, folder: &TaskFolder, processes: usize) -> CommandResult {
    let session = tables::session();
    tables::prepare(&session, folder.task())?;
    let dir = absolute(folder.path())?;
    loop {
        let FolderStatus { threshold, parts, missing, solved, .. } = folder.status()?;
        if solved.is_none() && !missing.is_empty() {
            let task = |part: &usize| LocalTask {
                arguments: vec![
                    "task".into(),
                    "run".into(),
                    dir.clone().into(),
                    "--index".into(),
                    part.to_string().into(),
                    "--threads".into(),
                    args.scheduler.cores.to_string().into(),
                ],
                log: dir
                    .join("logs")
                    .join(format!("round-{threshold:03}"))
                    .join(format!("{part}.log")),
            };
            let tasks: Vec<LocalTask> = missing.iter().map(task).collect();
            let done = Arc::new(AtomicUsize::new(parts - missing.len()));
            let shown = Arc::clone(&done);
            let words = move |seen: SearchStatus| {
                let (time, done) = (seen.elapsed.as_secs_f64(), shown.load(Ordering::Relaxed));
                format!("{time:.0} s: threshold {threshold}, {done} of {parts} parts")
            };
            let is_over = || folder.is_solved().unwrap_or(false);
            let ran = watched_by(true, words, |monitor| {
                run_local(processes, &tasks, monitor, &done, &is_over)
            });
            ran.map_err(|failure| {
                let dir = shell_word(&args.dir.display().to_string());
                failure
                    .hint_if_none(format!("taquin task submit {dir} --local {processes} continues"))
            })?;
        }
        let merged = watched_by(
            true,
            |_| "adding up".to_owned(),
            |monitor| session.run(MergeParts(folder), Watch::by(monitor).with_warnings(&warning)),
        );
        match merged? {
            merged @ MergeOutcome::Answer(_) => return show_merged(&merged, false),
            MergeOutcome::Next { threshold, parts, .. } => {
                say(&format!("threshold {threshold}: {}", count(parts as u64, "part", "parts")));
            }
            // A file was damaged after its process had ended: its part is searched again.
            _ => {}
        }
    }
}
