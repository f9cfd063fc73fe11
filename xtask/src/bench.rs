//! Measurements, compared with their targets.
//!
//! `bench.toml` lists them: commands of the program, each in a separate process, and rows made from
//! the processes' resources and output. An entry's commands take turns, so that other load on the
//! machine affects all of them equally. A ratio to another program that ran a moment before is more
//! reliable than a time.

mod boards;
mod expression;
mod fifty;
mod python;
mod rival;
mod run;
mod table;
mod works;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use run::Process;
pub(crate) use run::cpu_seconds;
use table::{Entry, Instructions, Row, entries};
pub(crate) use works::child;

/// The groups to measure.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Run once instead of three times, and only what takes seconds.
    #[arg(long)]
    quick: bool,
    /// Count instructions, with valgrind, instead of taking the time: slow, but never noisy.
    #[arg(long)]
    instructions: bool,
    /// Run the program of another version in turns with this one, and compare each row.
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
    /// For the group twenty-four: solve these instances of Korf and Felner with aida on all
    /// threads, as in 1,2,40, print the nodes and the processor time of each, and estimate the
    /// processor time of all fifty.
    #[arg(long, value_delimiter = ',')]
    instances: Vec<u64>,
    /// The groups to measure, all if none is named; `auto` is every group whose name begins with
    /// `auto-`.
    groups: Vec<String>,
}

/// How many of a unit are a second, a byte or one.
fn scale(unit: &str) -> f64 {
    match unit {
        "ms" => 1e3,
        "ns" => 1e9,
        "%" => 1e2,
        "MB" => 1e-6,
        "GB" => 1e-9,
        "GiB" => 1.0 / f64::from(1 << 30),
        _ => 1.0,
    }
}

/// A row with its value.
struct Measured {
    row: Row,
    value: f64,
    /// The same of the other version.
    other: Option<f64>,
}

/// Builds with optimisation and measures there.
pub(crate) fn in_release() -> Result<bool> {
    let build = crate::cargo().args(["build", "--release", "--package", "taquin-cli"]).status();
    if !build.context("cargo can't be started")?.success() {
        return Ok(false);
    }
    let mut cargo = crate::cargo();
    cargo.args(["run", "--release", "--package", "xtask", "--", "bench-inner"]);
    // The options belong to this process.
    cargo.args(std::env::args_os().skip_while(|argument| argument != "bench").skip(1));
    Ok(cargo.status().context("cargo can't be started")?.success())
}

/// Measures and prints the table; `false` if something is worse than it must be.
pub(crate) fn bench(options: &Options) -> Result<bool> {
    let entries = entries(include_str!("../bench.toml"), options.quick)?;
    let mut groups: Vec<&str> = Vec::new();
    for group in entries.iter().map(|entry| entry.group.as_str()).chain([python::GROUP]) {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    if let Some(unknown) =
        options.groups.iter().find(|asked| !groups.iter().any(|name| is_in(name, asked)))
    {
        bail!("there is no group '{unknown}': there are {}", groups.join(", "));
    }
    println!("{}", processor());
    let folder = Scratch(std::env::temp_dir().join(format!("taquin-bench-{}", std::process::id())));
    let mut programs = vec![run::built()?];
    programs.extend(options.against.clone());
    let (mut measured, mut missed) = (0, 0);
    for group in groups {
        if !options.groups.is_empty() && !options.groups.iter().any(|asked| is_in(group, asked)) {
            continue;
        }
        println!("\n{}", columns([group, "value", "must", "aim", "of must"]));
        let mut print = |rows: Vec<Measured>| {
            measured += rows.len();
            missed += rows.iter().filter(|row| !row.print()).count();
        };
        match group {
            python::GROUP if options.instructions => {}
            python::GROUP => print(python::rows()?),
            fifty::GROUP if !options.instances.is_empty() => {
                print(fifty::rows(&folder.0, &options.instances)?);
            }
            _ => {
                let mut worst = 0.0_f64;
                for entry in entries.iter().filter(|entry| entry.group == group) {
                    if entry.gpu
                        && let Err(error) = taquin_gpu::chosen_devices()
                    {
                        println!("skipped: {error}");
                        break;
                    }
                    if entry.is_asked_for(options) {
                        let bench =
                            Bench { entry, options, programs: &programs, folder: &folder.0 };
                        let rows = bench.rows(worst)?;
                        worst = rows.iter().map(|row| row.value).fold(worst, f64::max);
                        print(rows);
                    }
                }
            }
        }
    }
    match missed {
        _ if measured == 0 => println!("\nnothing was measured: omit --quick"),
        0 => println!("\nevery must is met"),
        _ => println!("\n{missed} worse than they must be"),
    }
    Ok(missed == 0)
}

/// Whether a group was requested, by its name or by its first word.
fn is_in(group: &str, asked: &str) -> bool {
    group.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn columns([name, value, must, aim, share]: [&str; 5]) -> String {
    format!("{name:<44} {value:>12} {must:>8} {aim:>8} {share:>8}")
}

impl Measured {
    /// Prints the row; `false` if it is worse than it must be.
    fn print(&self) -> bool {
        let Self { row, value, other } = self;
        let targets: Vec<f64> =
            row.targets.split(' ').filter_map(|text| text.parse().ok()).collect();
        let shown = format!("{value:.3} {}", row.unit);
        let (texts, verdict) = match targets[..] {
            [must, aim] => {
                // Without a limit there is no share of it.
                let share = match must > 0.0 {
                    true => format!("{:.0} %", 100.0 * value / must),
                    false => String::new(),
                };
                let verdict = match () {
                    () if *value <= aim => "MET, and the aim",
                    () if *value <= must => "MET",
                    () => "MISSED",
                };
                ([format!("{must:.3}"), format!("{aim:.3}"), share], verdict)
            }
            _ => (Default::default(), ""),
        };
        let [must, aim, share] = &texts;
        println!("{} {verdict}", columns([&row.name, shown.trim_end(), must, aim, share]));
        if !row.note.is_empty() {
            println!("    {}", row.note);
        }
        if let Some(other) = other {
            let ratio = value / other;
            println!("    the other version: {other:.3} {}; this is {ratio:.3} of it", row.unit);
        }
        verdict != "MISSED"
    }
}

/// The cost of each command: its processes, for each repetition.
type Samples = BTreeMap<String, Vec<Vec<Process>>>;

/// An entry that is measured.
struct Bench<'a> {
    entry: &'a Entry,
    options: &'a Options,
    /// The program, and another version's.
    programs: &'a [PathBuf],
    folder: &'a Path,
}

impl Bench<'_> {
    /// Measures. `worst` is the greatest value in the group before.
    fn rows(&self, worst: f64) -> Result<Vec<Measured>> {
        let samples = self.samples()?;
        let value = |text: &str, samples: &Samples| {
            expression::evaluate(text, &|aggregate, name| match aggregate {
                "worst" => Ok(worst),
                _ => aggregated(aggregate, name, samples),
            })
        };
        for expressions in &self.entry.equal {
            let values = expressions.iter().map(|text| value(text, &samples[0]));
            let values: Vec<f64> = values.collect::<Result<_>>()?;
            ensure!(
                values.windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_eq()),
                "{} are {values:?}",
                expressions.join(" and ")
            );
        }
        for pair in self.entry.same.windows(2) {
            let printed = |name: &String| &samples[0][name][0][0].documents;
            ensure!(
                printed(&pair[0]) == printed(&pair[1]),
                "{} print other things",
                pair.join(" and ")
            );
        }
        let mut rows = Vec::new();
        for row in &self.entry.rows {
            let all =
                samples.iter().map(|samples| Ok(value(&row.value, samples)? * scale(&row.unit)));
            let all = all.collect::<Result<Vec<f64>>>()?;
            let mut note = String::new();
            for (at, part) in row.note.split(['{', '}']).enumerate() {
                match at % 2 {
                    0 => note.push_str(part),
                    _ => note.push_str(&written(value(part, &samples[0])?)),
                }
            }
            let row = Row { note, ..row.clone() };
            rows.push(Measured { row, value: all[0], other: all.get(1).copied() });
        }
        Ok(rows)
    }

    /// Runs the commands in turns and returns each program's measurements.
    fn samples(&self) -> Result<Vec<Samples>> {
        let entry = self.entry;
        for (at, program) in self.programs.iter().enumerate() {
            for command in &entry.setup {
                run::run(&words(command), program, &self.kept(at), false)?;
            }
        }
        let puzzles = entry.puzzles(self.options.quick)?;
        let known = puzzles.iter().map(|(_, known)| known.clone()).collect();
        let known = vec![vec![Process { documents: known, ..Process::default() }]];
        let mut samples = vec![Samples::from([("boards".to_owned(), known)]); self.programs.len()];
        let times = match entry.times.unwrap_or(3) {
            _ if entry.instructions != Instructions::No => 1,
            times if self.options.quick => times.div_ceil(3),
            times => times,
        };
        let file = self.folder.join("board.txt");
        for time in 0..times {
            for number in 0..puzzles.len().max(1) {
                let mut goal = String::new();
                if let Some((puzzle, _)) = puzzles.get(number) {
                    fs::create_dir_all(self.folder)?;
                    fs::write(&file, puzzle.start().to_string())?;
                    goal = puzzle.goal().to_string();
                }
                for (name, command) in &entry.runs {
                    if number > 0 && !command.contains("{board}") {
                        continue;
                    }
                    let command = command.replace("{board}", &file.display().to_string());
                    for (at, program) in self.programs.iter().enumerate() {
                        let process = self.best(&command, &goal, program, at)?;
                        let runs = samples[at].entry(name.clone()).or_default();
                        runs.resize(time + 1, Vec::new());
                        runs[time].push(process);
                    }
                }
            }
        }
        Ok(samples)
    }

    /// Runs a command, with each of the methods if it names none, and returns the best answer.
    fn best(&self, command: &str, goal: &str, program: &Path, at: usize) -> Result<Process> {
        let methods = match command.contains("{method}") {
            true => self.entry.methods.split(' ').collect(),
            false => vec![""],
        };
        let mut best: Option<(f64, Process)> = None;
        for method in methods {
            let fresh = self.folder.join("fresh");
            let cache = if self.entry.kept { self.kept(at) } else { fresh.clone() };
            let fill = |word: String| {
                let word = word.replace("{goal}", goal).replace("{method}", method);
                word.replace("{folder}", &cache.display().to_string())
            };
            let words: Vec<String> = words(command).into_iter().map(fill).collect();
            let counts = self.entry.instructions != Instructions::No;
            fs::create_dir_all(&cache)?;
            let mut process = run::run(&words, program, &cache, counts)?;
            for _ in 1..self.entry.in_a_row {
                let again = run::run(&words, program, &cache, counts)?;
                process.user += again.user;
            }
            process.user /= self.entry.in_a_row as f64;
            let _ = fs::remove_dir_all(&fresh);
            if self.entry.late.is_some_and(|late| process.wall > late) {
                process.documents.fill(Value::Null);
            }
            let cost = process.values("cost").first().copied().flatten().unwrap_or(f64::INFINITY);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, process));
            }
        }
        Ok(best.context("there is no method")?.1)
    }

    /// The folder for the tables of the group.
    fn kept(&self, program: usize) -> PathBuf {
        self.folder.join(format!("{}-{program}", self.entry.group))
    }
}

/// The words of a command: those between apostrophes are one.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.map(str::to_owned).collect()
}

/// Makes one value from a field over all processes, the least of all times: `NAME.FIELD`, or
/// `NAME.FIELD|NAME.FIELD` with a substitute if the first is missing. `count` compares two, as in
/// `NAME.FIELD<NAME.FIELD`.
fn aggregated(aggregate: &str, name: &str, samples: &Samples) -> Result<f64> {
    let fields = name.split(['|', '<']).map(|name| -> Result<Vec<Vec<Option<f64>>>> {
        let (run, field) = name.split_once('.').context("a field is NAME.FIELD")?;
        let times = samples.get(run).with_context(|| format!("'{run}' was not run"))?;
        let values =
            |processes: &Vec<Process>| processes.iter().flat_map(|one| one.values(field)).collect();
        Ok(times.iter().map(values).collect())
    });
    let mut fields = fields.collect::<Result<Vec<_>>>()?.into_iter();
    let mut times = fields.next().context("no field")?;
    for (time, other) in fields.flat_map(|other| other.into_iter().enumerate().collect::<Vec<_>>())
    {
        for (value, other) in times[time].iter_mut().zip(other) {
            *value = match aggregate {
                "count" => {
                    Some(f64::from(value.zip(other).is_some_and(|(one, other)| one < other)))
                }
                _ => value.or(other),
            };
        }
    }
    ensure!(times.iter().all(|values| !values.is_empty()), "'{name}' has no values");
    let values = times.iter().map(|values| {
        let mut numbers: Vec<f64> = values.iter().map(|one| one.unwrap_or(f64::INFINITY)).collect();
        numbers.sort_by(f64::total_cmp);
        match aggregate {
            "missing" => values.iter().filter(|one| one.is_none()).count() as f64,
            "max" => numbers.last().copied().unwrap_or(f64::INFINITY),
            "median" => numbers[numbers.len() / 2],
            "mean" => numbers.iter().sum::<f64>() / numbers.len() as f64,
            _ => numbers.iter().sum(),
        }
    });
    Ok(values.fold(f64::INFINITY, f64::min))
}

/// A number for a note.
fn written(value: f64) -> String {
    match value.abs() {
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        100.0.. => format!("{value:.0}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A folder that is removed in the end: the tables in it are not worth keeping.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The CPU's name, if the system reports it.
fn processor() -> String {
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let name = model.map_or("unknown processor", |(_, name)| name);
    format!("{name}, {threads} threads")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every entry is valid: its boards exist, and its rows use only what it runs.
    #[test]
    fn the_table_is_valid() {
        let entries = entries(include_str!("../bench.toml"), false).unwrap();
        for entry in &entries {
            let names: Vec<&str> = entry.runs.iter().map(|(name, _)| name.as_str()).collect();
            let documents = vec![Value::Null];
            let process = vec![vec![Process { documents, ..Process::default() }]];
            let mut samples: Samples =
                names.iter().map(|name| ((*name).to_owned(), process.clone())).collect();
            samples.insert("boards".to_owned(), process);
            let check = |text: &str| {
                let lookup = |aggregate: &str, name: &str| match aggregate {
                    "worst" => Ok(0.0),
                    _ => aggregated(aggregate, name, &samples),
                };
                expression::evaluate(text, &lookup).unwrap_or_else(|error| panic!("{error:#}"));
            };
            for row in &entry.rows {
                check(&row.value);
                row.note.split(['{', '}']).skip(1).step_by(2).for_each(check);
                let targets =
                    row.targets.split_whitespace().map(|text| text.parse::<f64>().unwrap());
                assert!([0, 2].contains(&targets.count()), "{}", row.name);
            }
            entry.equal.iter().flatten().for_each(|text| check(text));
            assert!(entry.same.iter().all(|name| names.contains(&name.as_str())));
            let puzzles = entry.puzzles(false).unwrap();
            assert_eq!(puzzles.is_empty(), entry.boards.is_empty());
            for (_, command) in &entry.runs {
                assert_eq!(command.contains("{board}"), !puzzles.is_empty(), "{command}");
            }
        }
        assert!(entries.len() > 50);
    }

    #[test]
    fn what_is_missing_is_never_good() {
        let process = |text: &str| Process {
            documents: vec![serde_json::from_str(text).unwrap()],
            ..Process::default()
        };
        let runs = |texts: [&str; 2]| vec![texts.map(process).to_vec()];
        let samples = Samples::from([
            ("ours".to_owned(), runs(["{\"cost\":4}", "null"])),
            ("theirs".to_owned(), runs(["{\"cost\":5}", "{\"cost\":7}"])),
        ]);
        let value = |text: &str| {
            expression::evaluate(text, &|aggregate, name| aggregated(aggregate, name, &samples))
        };
        for (text, expected) in [
            ("ours.cost / theirs.cost", f64::INFINITY),
            ("theirs.cost / ours.cost", f64::INFINITY),
            ("ours.cost|theirs.cost / theirs.cost", 11.0 / 12.0),
            ("missing ours.cost", 1.0),
            ("max theirs.cost + median theirs.cost + mean theirs.cost", 20.0),
        ] {
            assert!(value(text).unwrap().total_cmp(&expected).is_eq(), "{text}");
        }
        assert!(value("nothing.cost").is_err());
    }
}
