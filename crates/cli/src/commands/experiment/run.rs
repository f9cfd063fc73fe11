//! `taquin experiment run`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use taquin::{Session, free_memory, is_reachable};
use taquin_experiment::{Crew, ExperimentStore, Plan, PlanError, Shard, Told};

use super::beside;
use crate::failure::{CommandResult, Failure};
use crate::input::file_bytes;
use crate::output::{count, say, seconds, thousands};
use crate::tables;
use crate::watch::interruptible;

/// Make the runs of a plan that are not finished
///
/// Ctrl-C ends it; started again, it goes on. Several processes can work on one store.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin experiment run plan.toml
  taquin experiment run plan.toml --check                 what is wrong with it, if anything
  taquin experiment run plan.toml --retry                 again what a limit ended
  taquin experiment run plan.toml --shard 3/8 --store part3.sqlite
  taquin experiment run --instances \"depth 3x3 0..31 n=5\" -m bfs -m ida:linear --time 10s")]
pub(crate) struct RunArgs {
    /// The plan ('taquin experiment new' writes an example)
    #[arg(value_name = "PLAN", required_unless_present = "instances")]
    plan: Option<PathBuf>,
    /// Where to keep what is found [default: beside the plan, PLAN.sqlite]
    #[arg(long, short, value_name = "FILE")]
    store: Option<PathBuf>,
    /// How many searches at a time
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: u16,
    /// Only a part of the plan, for one machine of several: 3/8
    #[arg(long, default_value = "1/1", value_name = "N/M")]
    shard: Shard,
    /// Repeat the runs that a limit ended
    #[arg(long)]
    retry: bool,
    /// Check the plan, and run nothing
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    small: SmallPlan,
}

/// A small plan, without a file.
#[derive(clap::Args, Debug)]
struct SmallPlan {
    /// Puzzles, as a plan names them; give it several times
    #[arg(long, value_name = "SET", conflicts_with = "plan", help_heading = "Instead of a plan")]
    instances: Vec<String>,
    /// A method; give it several times
    #[arg(
        long,
        short,
        value_name = "METHOD",
        conflicts_with = "plan",
        help_heading = "Instead of a plan"
    )]
    method: Vec<String>,
    /// Follow a course or a paper; give it several times
    #[arg(
        long = "as",
        value_name = "NAME",
        conflicts_with = "plan",
        help_heading = "Instead of a plan"
    )]
    course: Vec<String>,
    /// The goal: last, first, snail, or a board
    #[arg(
        long,
        short,
        value_name = "GOAL",
        conflicts_with = "plan",
        help_heading = "Instead of a plan"
    )]
    goal: Option<String>,
    /// The most time for a run
    #[arg(long, value_name = "TIME", conflicts_with = "plan", help_heading = "Instead of a plan")]
    time: Option<String>,
    /// The most memory for a run
    #[arg(long, value_name = "BYTES", conflicts_with = "plan", help_heading = "Instead of a plan")]
    memory: Option<String>,
    /// The most nodes for a run to expand
    #[arg(long, value_name = "COUNT", conflicts_with = "plan", help_heading = "Instead of a plan")]
    nodes: Option<String>,
    /// How often each run is made
    #[arg(long, value_name = "N", conflicts_with = "plan", help_heading = "Instead of a plan")]
    repeats: Option<u32>,
}

impl SmallPlan {
    /// The same as the text of a plan, so that there is one reader.
    fn text(&self) -> String {
        let quoted = |text: &String| format!("{text:?}");
        let list = |texts: &[String]| texts.iter().map(quoted).collect::<Vec<_>>().join(", ");
        let mut text = format!("instances = [{}]\n", list(&self.instances));
        for (key, texts) in [("methods", &self.method), ("as", &self.course)] {
            if !texts.is_empty() {
                let _ = writeln!(text, "{key} = [{}]", list(texts));
            }
        }
        if let Some(goal) = &self.goal {
            let _ = writeln!(text, "goal = {goal:?}");
        }
        if let Some(repeats) = self.repeats {
            let _ = writeln!(text, "repeats = {repeats}");
        }
        text += "[limits]\n";
        for (key, limit) in [("time", &self.time), ("memory", &self.memory), ("nodes", &self.nodes)]
        {
            if let Some(limit) = limit {
                let _ = writeln!(text, "{key} = {limit:?}");
            }
        }
        text
    }
}

pub(crate) fn run(args: &RunArgs) -> CommandResult {
    let plan = read(args)?;
    if args.check {
        say(&format!("nothing is wrong with it: {}", count(plan.runs.len() as u64, "run", "runs")));
        return Ok(0);
    }
    let path = match (&args.store, &args.plan) {
        (Some(store), _) => store.clone(),
        (None, Some(plan)) => beside(plan),
        (None, None) => PathBuf::from("experiment.sqlite"),
    };
    let failed = |error| Failure::store(&error);
    let mut store = ExperimentStore::create(&path).map_err(failed)?;
    let raised = store.plan(&plan, args.retry).map_err(failed)?;
    if raised > 0 {
        let were = count(raised, "run was", "runs were");
        say(&format!("{were} ended by a limit that is higher now: --retry repeats them"));
    }
    let session = Session::new();
    prepare(&plan, &session)?;
    let jobs = usize::from(args.jobs);
    let crew = Crew {
        session,
        monitor: interruptible(),
        jobs,
        shard: args.shard,
        memory: free_memory().map(|bytes| bytes / 4 * 3 / jobs as u64),
    };
    let shown = Shown::new();
    let worked = crew.work(store, &|told| shown.tell(&told)).map_err(failed);
    shown.bar.finish_and_clear();
    let worked = worked?;
    let done = count(worked.finished, "run", "runs");
    let time = seconds(shown.started.elapsed().as_secs_f64());
    say(&format!("{done} in {time}; {}", path.display()));
    match (crew.monitor.is_cancelled(), worked.left) {
        (true, left) => {
            say(&format!("interrupted: {} to go; start it again to go on", thousands(left)));
            Ok(130)
        }
        (false, 0) => Ok(0),
        (false, left) => {
            say(&format!("other processes are at the last {}", count(left, "run", "runs")));
            Ok(0)
        }
    }
}

fn read(args: &RunArgs) -> Result<Plan, Failure> {
    let (text, folder) = match &args.plan {
        Some(path) => {
            let text = String::from_utf8(file_bytes(
                path,
                "a plan, as 'taquin experiment new' writes one",
            )?)
            .map_err(|_| {
                Failure::input(format!("{}: not a text", path.display()))
                    .hint("'taquin experiment new' writes an example")
            })?;
            (text, path.parent().unwrap_or(Path::new("")).to_path_buf())
        }
        None => (args.small.text(), PathBuf::new()),
    };
    Plan::read(&text, &folder).map_err(|errors| {
        Failure::several(errors.into_iter().map(|PlanError { place, message, hint }| {
            let message = match &args.plan {
                Some(path) => {
                    format!("{}:{}:{}: {message}", path.display(), place.line, place.column)
                }
                None => message,
            };
            (message, hint)
        }))
    })
}

/// Builds what the methods look up before the clock runs.
fn prepare(plan: &Plan, session: &Session) -> Result<(), Failure> {
    let mut known = Vec::new();
    for run in &plan.runs {
        let needs = (run.instance.puzzle.goal(), &run.method.estimate);
        if run.method.estimate.is_some()
            && !known.contains(&needs)
            && is_reachable(&run.instance.puzzle)
        {
            known.push(needs);
            tables::prepare(session, &run.task())?;
        }
    }
    Ok(())
}

/// What is shown while runs are made: a bar on a terminal, otherwise a line now and then.
struct Shown {
    bar: ProgressBar,
    said: Mutex<Instant>,
    started: Instant,
}

impl Shown {
    fn new() -> Self {
        let bar = ProgressBar::new(0);
        let style = "{spinner} {bar:30} {pos}/{len}, {eta} to go; {msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self { bar, said: Mutex::new(now), started: now }
    }

    fn tell(&self, told: &Told<'_>) {
        match told {
            Told::Due(due) => {
                self.bar.set_length(*due);
                self.bar.enable_steady_tick(Duration::from_millis(100));
            }
            Told::Begun(run) => {
                self.bar.set_message(format!("{}, {}", run.instance.label, run.name));
            }
            Told::Finished(_) => {
                self.bar.inc(1);
                let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
                if self.bar.is_hidden() && said.elapsed() > Duration::from_secs(5) {
                    *said = Instant::now();
                    let (done, due) = (self.bar.position(), self.bar.length().unwrap_or(0));
                    say(&format!("{} of {}", thousands(done), thousands(due)));
                }
            }
        }
    }
}
