//! Measurements beside their targets.
//!
//! Each group of measurements is a file: it does its pieces of work in processes of their own, so
//! that their peak memory can be read and none warms the allocator for another, and makes rows of
//! the table. A ratio to another program that ran a moment before says more than a time.
//!
//! To add a group, write `rows` and, for what is to be run, `WORKS`; then name both below.

mod astar;
mod auto;
mod closures;
mod cluster;
mod fifteen;
mod fifty;
mod large;
mod process;
mod python;
mod rival;
mod spaces;
mod store;
mod twenty_four;
mod whole_space;

use std::fs;
use std::num::NonZero;

use anyhow::{Context as _, Result, bail};

pub(crate) use process::child;

/// What to measure.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Run once instead of three times, and only what takes seconds.
    #[arg(long)]
    quick: bool,
    /// Count instructions, with valgrind, instead of taking the time: slow, but never noisy.
    #[arg(long)]
    instructions: bool,
    /// For the group twenty-four: solve these instances of Korf and Felner with aida on all threads,
    /// as in 1,2,40, print the nodes and the processor time of each, and estimate the processor time of
    /// all fifty.
    #[arg(long, value_delimiter = ',')]
    instances: Vec<u64>,
    /// The groups to measure, all if none is named; `auto` is all whose names begin with `auto-`.
    groups: Vec<String>,
}

impl Options {
    /// How often to repeat what is timed.
    const fn times(&self) -> usize {
        if self.quick { 1 } else { 3 }
    }
}

/// A line of the table: something that should be small.
#[derive(Clone, Debug)]
struct Row {
    name: String,
    value: f64,
    unit: &'static str,
    /// More than this is a failure.
    must: f64,
    /// This is what we want.
    aim: f64,
    /// What the value was made of.
    note: String,
}

/// The rows of a group.
type Group = fn(&Options) -> Result<Vec<Row>>;

const GROUPS: [(&str, Group); 15] = [
    ("spaces", spaces::rows),
    ("cluster", cluster::rows),
    ("astar", astar::rows),
    ("closures", closures::rows),
    ("whole-space", whole_space::rows),
    ("fifteen", fifteen::rows),
    ("twenty-four", twenty_four::rows),
    ("store", store::rows),
    ("large", large::rows),
    ("gpu", large::on_device),
    ("python", python::rows),
    ("auto-answers", auto::answers),
    ("auto-20ms", auto::moment),
    ("auto-1s", auto::second),
    ("auto-10s", auto::ten_seconds),
];

/// A piece of work by its name; it is given one word.
type Work = fn(&str) -> Result<Found>;

const WORKS: [&[(&str, Work)]; 6] = [
    astar::WORKS,
    closures::WORKS,
    whole_space::WORKS,
    fifteen::WORKS,
    twenty_four::WORKS,
    spaces::WORKS,
];

/// What a piece of work found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Found {
    /// What every program must agree on.
    value: u64,
    /// Nodes generated.
    generated: u64,
    /// Nodes held at the end.
    stored: u64,
}

/// Builds with optimisation and measures there.
pub(crate) fn in_release(options: &Options) -> Result<bool> {
    let build = crate::cargo().args(["build", "--release", "--package", "taquin-cli"]).status();
    if !build.context("cargo can't be started")?.success() {
        return Ok(false);
    }
    let mut cargo = crate::cargo();
    cargo.args(["run", "--release", "--package", "xtask", "--", "bench-inner"]);
    cargo.args(options.quick.then_some("--quick"));
    cargo.args(options.instructions.then_some("--instructions"));
    for id in &options.instances {
        cargo.args(["--instances", &id.to_string()]);
    }
    Ok(cargo.args(&options.groups).status().context("cargo can't be started")?.success())
}

/// Measures and prints the table; `false` if something is worse than it must be.
pub(crate) fn bench(options: &Options) -> Result<bool> {
    let names = || GROUPS.iter().map(|(name, _)| *name);
    if let Some(unknown) =
        options.groups.iter().find(|group| !names().any(|name| is_in(name, group)))
    {
        bail!(
            "there is no group '{unknown}': there are {}",
            names().collect::<Vec<_>>().join(", ")
        );
    }
    println!("{}", processor());
    let mut measured = 0;
    let mut missed = 0;
    for (group, rows) in GROUPS {
        if !options.groups.is_empty() && !options.groups.iter().any(|asked| is_in(group, asked)) {
            continue;
        }
        let header = [group, "value", "must", "aim", "of must"];
        println!("\n{}", header_line(header));
        for row in rows(options)? {
            measured += 1;
            missed += usize::from(row.value > row.must);
            println!("{}", row.line());
            println!("    {}", row.note);
        }
    }
    match missed {
        _ if measured == 0 => println!("\nnothing was measured: omit --quick"),
        0 => println!("\nevery must is met"),
        _ => println!("\n{missed} worse than they must be"),
    }
    Ok(missed == 0)
}

/// Whether a group was asked for, by its name or by the first word of it.
fn is_in(group: &str, asked: &str) -> bool {
    group.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn header_line([name, value, must, aim, share]: [&str; 5]) -> String {
    format!("{name:<44} {value:>12} {must:>8} {aim:>8} {share:>8}")
}

impl Row {
    fn line(&self) -> String {
        let Self { name, value, unit, must, aim, note: _ } = self;
        let verdict = match () {
            () if value <= aim => "MET, and the aim",
            () if value <= must => "MET",
            () => "MISSED",
        };
        let [must_be, aim] = [must, aim].map(|target| format!("{target:.3}"));
        // Where nothing is allowed there is no share of it.
        let share = match *must > 0.0 {
            true => format!("{:.0} %", 100.0 * value / must),
            false => String::new(),
        };
        let shown = format!("{value:.3} {unit}");
        format!("{} {verdict}", header_line([name, shown.trim_end(), &must_be, &aim, &share]))
    }
}

/// The processor's name, as far as the system tells.
fn processor() -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let name = model.map_or("unknown processor", |(_, name)| name);
    format!("{name}, {threads} threads")
}
