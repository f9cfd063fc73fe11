//! `taquin experiment run`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Parser;
use taquin::{Place, free_memory};
use taquin_experiment::{Crew, CrewSummary, ExperimentStore, Plan, Shard};
use taquin_lab::TomlFault;

use super::{kept, store_of};
use crate::args::within;
use crate::failure::{CommandResult, Failure};
use crate::input::file_bytes;
use crate::output::{count, say, seconds};
use crate::{instances, suggest, tables, watch};

/// Run the plan, without the runs that are finished
///
/// Press Ctrl-C to stop it, and start it again to continue. Several processes can share one store.
#[derive(Parser, Debug)]
#[command(after_help = format!("\
Examples:
  taquin experiment run plan.toml
  taquin experiment run plan.toml --check   only report errors in the plan
  taquin experiment run plan.toml --retry   repeat the runs that a limit ended
  taquin experiment run plan.toml --shard 3/8 --store part3.sqlite
  taquin experiment run --instances \"depth 3x3 0..31\" -m bfs -m ida --time 10s

{}", instances::listed()))]
pub(crate) struct RunArgs {
    /// Plan ('taquin experiment new' writes an example)
    #[arg(value_name = "PLAN", required_unless_present = "instances")]
    plan: Option<PathBuf>,
    /// Store to write the results to [default: PLAN.sqlite, next to the plan]
    #[arg(long, short, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Number of simultaneous searches
    #[arg(long, short, default_value_t = 1, value_name = "N", value_parser = within::<u16>(1..=1024))]
    jobs: u16,
    /// Run only a part of the plan, for one machine among several: 3/8
    #[arg(long, default_value = "1/1", value_name = "N/M")]
    shard: Shard,
    /// Repeat the runs that a limit ended
    #[arg(long)]
    retry: bool,
    /// Check the plan without running it
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    small: SmallPlan,
}

/// A small plan without a file.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Instead of a plan")]
struct SmallPlan {
    /// Instance set; can be repeated
    #[arg(long, value_name = "SET", conflicts_with = "plan")]
    instances: Vec<String>,
    /// Method; can be repeated
    #[arg(long, short, value_name = "METHOD", value_parser = suggest::methods(), hide_possible_values = true, conflicts_with = "plan")]
    method: Vec<String>,
    /// Course or paper to follow; can be repeated
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true, conflicts_with = "plan")]
    course: Vec<String>,
    /// Goal: last, first, spiral, or a board
    #[arg(long, short, value_name = "GOAL", conflicts_with = "plan")]
    goal: Option<String>,
    /// Time limit of a run
    #[arg(long, value_name = "TIME", conflicts_with = "plan")]
    time: Option<String>,
    /// Memory limit of a run
    #[arg(long, value_name = "BYTES", conflicts_with = "plan")]
    memory: Option<String>,
    /// Node limit of a run
    #[arg(long, value_name = "COUNT", conflicts_with = "plan")]
    nodes: Option<String>,
    /// Number of repetitions of each run
    #[arg(long, value_name = "N", conflicts_with = "plan")]
    repeats: Option<u32>,
}

impl SmallPlan {
    /// Returns the plan as text, so that there is one reader of plans.
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
    if plan.repeated > 0 {
        let are = count(plan.repeated as u64, "run is", "runs are");
        say(&format!("{are} equal to another one (the same puzzle and method), and made once"));
    }
    if args.check {
        say(&format!("the plan is valid: {}", count(plan.runs.len() as u64, "run", "runs")));
        return Ok(0);
    }
    let path = match (&args.store, &args.plan) {
        (Some(store), _) => store.clone(),
        (None, Some(plan)) => store_of(plan),
        (None, None) => PathBuf::from("experiment.sqlite"),
    };
    let mut store = ExperimentStore::create(&path)?;
    store.verify()?;
    let raised = store.plan(&plan, args.retry)?;
    if raised > 0 {
        let were = count(raised, "run was", "runs were");
        say(&format!("{were} ended by a limit that is higher now: --retry repeats them"));
    }
    let session = tables::session();
    let due = store.due(args.shard)?;
    tables::prepare_all(&session, due.iter().map(|run| &run.task))?;
    let jobs = usize::from(args.jobs);
    let memory = free_memory().map(|bytes| bytes / 4 * 3 / jobs as u64);
    let crew = Crew { session, monitor: watch::interruptible(), jobs, shard: args.shard, memory };
    let shown = watch::Runs::new();
    let worked = crew.work(&mut store, &|event| shown.show(&event));
    let time = seconds(shown.end().as_secs_f64());
    let CrewSummary { finished, left } = worked?;
    say(&format!("{} in {time}; {}", count(finished, "run", "runs"), path.display()));
    if let Some(kept) = kept(store.state()?.earlier) {
        say(&kept);
    }
    match (crew.monitor.is_cancelled(), left) {
        (true, _) => {
            let left = count(left, "run is", "runs are");
            say(&format!("interrupted: {left} still due; start it again to continue"));
            Ok(130)
        }
        (false, 0) => Ok(0),
        (false, _) => {
            let left = count(left, "run", "runs");
            say(&format!("other processes are running the last {left}"));
            Ok(0)
        }
    }
}

fn read(args: &RunArgs) -> Result<Plan, Failure> {
    match &args.plan {
        Some(path) => read_plan(path),
        None => checked(&args.small.text(), Path::new(""), None),
    }
}

/// Reads the plan in a file.
pub(super) fn read_plan(path: &Path) -> Result<Plan, Failure> {
    let text = String::from_utf8(file_bytes(path, "a plan")?).map_err(|_| {
        Failure::input(format!("{}: not a text file", path.display()))
            .hint("'taquin experiment new' writes an example")
    })?;
    checked(&text, path.parent().unwrap_or(Path::new("")), Some(path))
}

/// Reads a plan, whose paths are relative to `folder`; `path` is its file.
fn checked(text: &str, folder: &Path, path: Option<&Path>) -> Result<Plan, Failure> {
    // Puzzles of a depth may take long to find. The plan has no limit, and Ctrl-C ends the program.
    let words = |seen: watch::SearchStatus| {
        format!("{:.0} s: finding the puzzles of the plan", seen.elapsed.as_secs_f64())
    };
    watch::shown(words, || Plan::read(text, folder, &tables::session())).map_err(|faults| {
        Failure::several(faults.into_iter().map(|TomlFault { place, message, hint, .. }| {
            let Place { line, column } = place;
            match path {
                Some(path) => (format!("{}:{line}:{column}: {message}", path.display()), hint),
                None => (message, hint),
            }
        }))
    })
}
