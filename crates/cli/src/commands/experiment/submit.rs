//! `taquin experiment submit`, and the folder of stores that it makes.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Parser;
use taquin_experiment::{ExperimentState, ExperimentStore, Plan};

use super::run::read_plan;
use crate::args::within;
use crate::failure::{CommandResult, Failure};
use crate::output::{count, print, say};
use crate::scheduler::{
    ArrayJob, LocalTask, SchedulerArgs, absolute, program, run_local, shell_path,
};
use crate::watch::{SearchStatus, watched_by};

/// Spread the plan over many processes and machines
///
/// Every task runs a part of the plan and has a store of its own, since SQLite files cannot be
/// shared over a network; at the end all of them are merged into results.sqlite. Started again, it
/// continues.
#[derive(Parser, Debug)]
#[command(
    override_usage = "taquin experiment submit [OPTIONS] <PLAN> [-- <OPTION>...]",
    after_help = "\
Examples:
  taquin experiment submit plan.toml --local 2
  taquin experiment submit plan.toml --slurm --tasks 200 --at-once 50 | sh
  taquin experiment submit plan.toml --hq | sh
  taquin experiment status plan-tasks
  taquin experiment report plan-tasks/results.sqlite

A plan with a time limit or with repeats measures time: its tasks get whole
machines (sbatch --exclusive, hq --cpus=all)."
)]
pub(crate) struct SubmitArgs {
    /// Plan
    plan: PathBuf,
    #[command(flatten)]
    scheduler: SchedulerArgs,
    /// Number of tasks [default: the processes of --local, or 100, but at most one for each run]
    #[arg(long, value_name = "N", value_parser = within::<u32>(1..=100_000))]
    tasks: Option<u32>,
    /// Folder for the stores [default: PLAN-tasks, next to the plan]
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The number of tasks for a scheduler.
const USUAL_TASKS: usize = 100;

pub(crate) fn run(args: &SubmitArgs) -> CommandResult {
    let plan = read_plan(&args.plan)?;
    let runs = plan.runs.len();
    let usual = args.scheduler.local().unwrap_or(USUAL_TASKS);
    let tasks = args.tasks.map_or(usual, |tasks| tasks as usize).min(runs).max(1);
    let stem = args.plan.file_stem().unwrap_or_default().to_string_lossy();
    let usual = || args.plan.with_file_name(format!("{stem}-tasks"));
    let folder = absolute(&args.out.clone().unwrap_or_else(usual))?;
    let path = absolute(&args.plan)?;
    let is_timed = is_timed(&plan);
    if let Some(processes) = args.scheduler.local() {
        if is_timed && processes > 1 {
            say("the plan measures time, and processes on one machine slow each other down: \
                 --local 1 does not");
        }
        return local(args, (&path, &folder), tasks, processes);
    }
    let (program, quoted) = (shell_path(&program()?), shell_path(&folder));
    let jobs = if is_timed { 1 } else { args.scheduler.cores };
    let numbers: Vec<usize> = (1..=tasks).collect();
    let machines = match is_timed {
        true => ". The plan measures time: each task has a machine for itself",
        false => "",
    };
    let (runs, due) = (count(runs as u64, "run", "runs"), count(tasks as u64, "task", "tasks"));
    print(&args.scheduler.script(&ArrayJob {
        title: format!("{runs} in {due}{machines}"),
        name: "taquin-experiment".to_owned(),
        numbers: &numbers,
        task: format!(
            "{program} experiment run {} --shard \"$index/{tasks}\" \\\n  \
             --store {quoted}/task-\"$index\".sqlite --jobs {jobs}",
            shell_path(&path)
        ),
        then: format!(
            "{program} experiment merge {quoted}/results.sqlite {quoted}/task-*.sqlite\n\
             {program} experiment status {quoted}"
        ),
        logs: folder.join("logs"),
        is_exclusive: is_timed,
    }))?;
    Ok(0)
}

/// Returns whether the results of a plan depend on the clock.
fn is_timed(plan: &Plan) -> bool {
    plan.runs.iter().any(|run| run.repeat > 1 || run.task.limits.seconds.is_some())
}

/// Runs the parts of a plan in processes on this machine, and merges their stores.
fn local(
    args: &SubmitArgs,
    (plan, folder): (&Path, &Path),
    tasks: usize,
    processes: usize,
) -> CommandResult {
    fs::create_dir_all(folder).map_err(|error| Failure::unwritable(folder, &error))?;
    let task = |number: usize| LocalTask {
        arguments: vec![
            "experiment".into(),
            "run".into(),
            plan.into(),
            "--shard".into(),
            format!("{number}/{tasks}").into(),
            "--store".into(),
            folder.join(format!("task-{number}.sqlite")).into(),
            "--jobs".into(),
            args.scheduler.cores.to_string().into(),
        ],
        log: folder.join("logs").join(format!("{number}.log")),
    };
    let list: Vec<LocalTask> = (1..=tasks).map(task).collect();
    let done = Arc::new(AtomicUsize::new(0));
    let shown = Arc::clone(&done);
    let words = move |seen: SearchStatus| {
        let (time, done) = (seen.elapsed.as_secs_f64(), shown.load(Ordering::Relaxed));
        format!("{time:.0} s: {done} of {tasks} tasks")
    };
    let ran =
        watched_by(true, words, |monitor| run_local(processes, &list, monitor, &done, &|| false));
    ran.map_err(|failure| failure.hint_if_none("the same command continues"))?;
    let results = folder.join("results.sqlite");
    let mut store = ExperimentStore::create(&results)?;
    for path in stores(folder) {
        store.merge(&path)?;
    }
    print(&super::described(&store.state()?))?;
    say(&format!("the results are in {}", results.display()));
    Ok(0)
}

/// Returns the stores of the tasks in a folder.
pub(super) fn stores(folder: &Path) -> Vec<PathBuf> {
    let is_store = |path: &PathBuf| {
        let name = path.file_stem().and_then(OsStr::to_str);
        let number = name.and_then(|name| name.strip_prefix("task-"));
        path.extension() == Some(OsStr::new("sqlite"))
            && number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut stores: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_store).collect();
    stores.sort();
    stores
}

/// Returns the progress of several stores together.
pub(super) fn state(paths: &[PathBuf]) -> Result<ExperimentState, Failure> {
    let mut all = ExperimentStore::in_memory()?;
    let (mut running, mut processes) = (0, 0);
    for path in paths {
        all.merge(path)?;
        let state = ExperimentStore::open(path).and_then(|store| store.state())?;
        running += state.running;
        processes += state.processes;
    }
    let state = all.state()?;
    Ok(ExperimentState { running, processes, ..state })
}
