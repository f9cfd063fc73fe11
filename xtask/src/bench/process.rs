//! Pieces of work in processes of their own.

use std::process::{Command, Stdio};
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};

use super::{Found, WORKS};

/// What a piece of work took, at best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) found: Found,
    /// The processor time of its one thread.
    pub(super) seconds: f64,
    /// The most memory that the process held.
    pub(super) peak_bytes: f64,
}

impl Run {
    pub(super) fn describe(&self, name: &str) -> String {
        let Self { found: Found { generated, stored, .. }, seconds, peak_bytes } = *self;
        format!(
            "{name}: {seconds:.3} s, {:.2} M generated a second, {:.0} MB, {:.0} bytes for each of {stored} nodes",
            generated as f64 / seconds / 1e6,
            peak_bytes / 1e6,
            peak_bytes / stored as f64,
        )
    }
}

/// Does a piece of work several times, each in a new process.
pub(super) fn measure(work: &str, argument: &str, times: usize) -> Result<Run> {
    let [run] = measure_beside([work], argument, times)?;
    Ok(run)
}

/// Does several pieces of work in turns, so that what else the machine does falls upon all of them.
pub(super) fn measure_beside<const N: usize>(
    works: [&str; N],
    argument: &str,
    times: usize,
) -> Result<[Run; N]> {
    let mut best = [None; N];
    for _ in 0..times {
        for (work, best) in works.iter().zip(&mut best) {
            let output = command(&[], work, argument)?.output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            ensure!(output.status.success(), "{work} {argument} failed");
            let run = parse(&text).with_context(|| format!("{work} {argument} says '{text}'"))?;
            let known = best.get_or_insert(run);
            ensure!(known.found == run.found, "{work} {argument} differs from run to run");
            known.seconds = known.seconds.min(run.seconds);
            known.peak_bytes = known.peak_bytes.min(run.peak_bytes);
        }
    }
    let runs: Option<Vec<Run>> = best.into_iter().collect();
    runs.and_then(|runs| runs.try_into().ok()).context("nothing was run")
}

/// Counts the instructions of a piece of work, the start of the process included.
pub(super) fn instructions(work: &str, argument: &str) -> Result<f64> {
    let valgrind =
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
    let output = command(&valgrind, work, argument)?.stderr(Stdio::piped()).output();
    let output = output.context("valgrind can't be started: is it installed?")?;
    let text = String::from_utf8_lossy(&output.stderr);
    // Releases differ in the spaces of "I refs:".
    let count = text.lines().find_map(|line| line.split_once("refs:"));
    let count = count.with_context(|| format!("valgrind does not count: {text}"))?.1;
    Ok(count.replace(',', "").trim().parse()?)
}

/// This program as a child, run by another if one is named.
fn command(by: &[&str], work: &str, argument: &str) -> Result<Command> {
    let program = env::current_exe().context("this program does not know its own path")?;
    let mut command = match by {
        [] => Command::new(program),
        [runner, options @ ..] => {
            let mut command = Command::new(runner);
            command.args(options).arg(program);
            command
        }
    };
    command.args(["bench-child", work, argument]).stdin(Stdio::null()).stderr(Stdio::inherit());
    Ok(command)
}

fn parse(text: &str) -> Option<Run> {
    let mut words = text.split_whitespace();
    let seconds = words.next()?.parse().ok()?;
    let mut number = || words.next()?.parse::<u64>().ok();
    let peak_bytes = number()? as f64;
    let found = Found { value: number()?, generated: number()?, stored: number()? };
    Some(Run { found, seconds, peak_bytes })
}

/// Does one piece of work in this process and prints what [`measure`] reads.
pub(crate) fn child(name: &str, argument: &str) -> Result<bool> {
    let Some((_, work)) = WORKS.into_iter().flatten().find(|(known, _)| *known == name) else {
        bail!("there is no work '{name}'");
    };
    let started = processor_seconds()?;
    let Found { value, generated, stored } = work(argument)?;
    let seconds = processor_seconds()? - started;
    println!("{seconds} {} {value} {generated} {stored}", peak_bytes()?);
    Ok(true)
}

/// The time that the system has given to this thread: on a machine that does other things too, it is
/// nearer to the truth than the clock.
fn processor_seconds() -> Result<f64> {
    let times = fs::read_to_string("/proc/self/schedstat")
        .context("processor time is read from /proc, which this system does not have")?;
    let nanoseconds = times.split(' ').next().unwrap_or_default().parse::<u64>()?;
    Ok(nanoseconds as f64 / 1e9)
}

/// The time that the system has given to all threads of this process.
pub(super) fn process_seconds() -> Result<f64> {
    Ok(times()?[..2].iter().sum())
}

/// The processor time of all processes that this one has started and waited for, and of theirs.
pub(super) fn children_seconds() -> Result<f64> {
    Ok(times()?[2..].iter().sum())
}

/// The part of it that the system itself did not take.
pub(super) fn children_user_seconds() -> Result<f64> {
    Ok(times()?[2])
}

/// The user and the system time of this process, and of those that it has waited for.
fn times() -> Result<[f64; 4]> {
    const TICKS: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")
        .context("processor time is read from /proc, which this system does not have")?;
    let (_, after_name) = stat.rsplit_once(')').context("/proc has another format")?;
    let mut ticks = after_name.split_whitespace().skip(11).map(str::parse::<f64>);
    let mut times = [0.0; 4];
    for time in &mut times {
        *time = ticks.next().context("/proc has another format")?? / TICKS;
    }
    Ok(times)
}

/// The most memory that this process has held.
fn peak_bytes() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")
        .context("peak memory is read from /proc, which this system does not have")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"));
    Ok(peak.context("/proc does not tell the peak memory")?.trim().parse::<u64>()? * 1024)
}
