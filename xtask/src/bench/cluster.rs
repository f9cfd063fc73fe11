//! Whole state spaces over several processes on this machine.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};
use taquin::Metric;
use taquin::NamedGoal;
use taquin::space::{Member, SharePlan};

use super::process::children_seconds;
use super::{Options, Row};

/// A space: its arguments, and its boards.
type Space = (&'static [&'static str], f64);

const SPACE: Space = (&["3x4"], 239_500_800.0);

/// The layers of [`SPACE`].
const LAYERS: f64 = 54.0;

/// The cores of a machine in a forecast, and the bytes that arrive there in a second: 10 Gbit.
const MACHINE: (f64, f64) = (16.0, 1.25e9);

/// A space with as many bits, of another shape.
const WIDE: Space = (&["2x6"], 239_500_800.0);

/// A space with about as many boards for each of four processes as 3x4 has for one.
const LARGER: Space = (&["2x7", "--blanks", "5"], 726_485_760.0);

/// A space that takes a minute, so that the start of processes and the ends of layers hardly count.
const LONG: Space = (&["2x7"], 43_589_145_600.0);

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    let times = 3 * options.times();
    // One process of two threads, and processes of one thread.
    let [threads, one, two, four] = measure(SPACE, [(0, 2), (1, 1), (2, 1), (4, 1)], times)?;
    let [wide, wide_two] = measure(WIDE, [(0, 2), (2, 1)], options.times())?;
    let of_each = |measured: Measured, (_, boards): Space| measured.cpu / boards * 1e9;
    let row = |name: &str, value: f64, unit, (must, aim): (f64, f64), note: String| Row {
        name: name.to_owned(),
        value,
        unit,
        must,
        aim,
        note,
    };
    // As with four processes, each board of a layer takes as much time as one of 3x4.
    let for_layer = of_each(four, SPACE) / LAYERS;
    let large = |name: &str, size: &str, member: Member, targets, layers: u32| -> Result<Row> {
        let goal = NamedGoal::First.board(size.parse()?, 1);
        let plan = SharePlan::new(&goal, Metric::Single, member, u64::MAX)?;
        let [bytes, traffic] =
            [plan.extent().bytes, plan.traffic()].map(|bytes| bytes as f64 / 1e9);
        let arrives = traffic * f64::from(layers);
        let (cores, speed) = MACHINE;
        let boards = plan.extent().states as f64 / member.processes as f64;
        let note = format!(
            "{traffic:.2} GB arrive for a full layer, so at most {arrives:.0} GB in {layers} layers, \
             {:.0} s at 10 Gbit/s; {:.0} s of computing on {cores} cores each",
            arrives * 1e9 / speed,
            for_layer * 1e-9 * boards * f64::from(layers) / cores
        );
        Ok(row(name, bytes, "GB", targets, note))
    };
    let eighth = Member { process: 4, processes: 8 };
    let of_64 = Member { process: 32, processes: 64 };
    let mut rows = vec![
        row(
            "3x4, 2 processes, 1 of 2 threads = 1",
            two.seconds / threads.seconds,
            "",
            (1.0 / 0.6, 1.0 / 0.85),
            format!(
                "{:.3} s and {:.3} s, the start of the processes included; {:.2} of the speed",
                two.seconds,
                threads.seconds,
                threads.seconds / two.seconds
            ),
        ),
        row(
            "3x4, 2 processes, bytes sent",
            two.sent / SPACE.1,
            "/board",
            (0.5, 0.25),
            format!("{:.0} MB; {:.0} MB with 4 processes", two.sent / 1e6, four.sent / 1e6),
        ),
        row(
            "3x4, memory of each of 2, one process = 1",
            two.peak / threads.peak,
            "",
            (0.6, 0.58),
            format!(
                "{:.1} MB, {:.1} MB, and {:.1} MB with 4 processes, without the program itself",
                two.peak / 1e6,
                threads.peak / 1e6,
                four.peak / 1e6
            ),
        ),
        row(
            "2x6, memory of each of 2, one process = 1",
            wide_two.peak / wide.peak,
            "",
            (0.6, 0.58),
            format!("{:.1} MB and {:.1} MB", wide_two.peak / 1e6, wide.peak / 1e6),
        ),
    ];
    let [larger, larger_two, larger_four] =
        measure(LARGER, [(1, 1), (2, 1), (4, 1)], options.times())?;
    let mut scaling = vec![
        ("3x4", SPACE, 2, two, one),
        ("3x4", SPACE, 4, four, one),
        ("2x7 with 5 blanks", LARGER, 2, larger_two, larger),
        ("2x7 with 5 blanks", LARGER, 4, larger_four, larger),
    ];
    if !options.quick {
        let [one, two, four] = measure(LONG, [(1, 1), (2, 1), (4, 1)], 1)?;
        scaling.extend([("2x7", LONG, 2, two, one), ("2x7", LONG, 4, four, one)]);
    }
    for (name, space, processes, measured, alone) in scaling {
        let [all, alone] = [measured, alone].map(|measured| of_each(measured, space));
        rows.push(row(
            &format!("{name}, processor time of {processes}, 1 process = 1"),
            all / alone,
            "",
            (1.25, 1.1),
            format!(
                "{all:.2} ns and {alone:.2} ns for each board, {:.0} million boards in each; \
                 {:.0} MB sent",
                space.1 / 1e6 / f64::from(processes),
                measured.sent / 1e6
            ),
        ));
    }
    for (name, size, member, targets, layers) in [
        ("3x5 in 8 processes, memory of each", "3x5", eighth, (16.0, 14.0), 85),
        ("4x4 in 64 processes, memory of each", "4x4", of_64, (32.0, 28.0), 81),
    ] {
        rows.push(large(name, size, member, targets, layers)?);
    }
    Ok(rows)
}

#[derive(Clone, Copy, Debug)]
struct Measured {
    /// By the clock.
    seconds: f64,
    /// The processor time of all processes.
    cpu: f64,
    /// The most memory that one process has held for itself, in bytes.
    peak: f64,
    /// The bytes that were sent between processes.
    sent: f64,
}

/// Measures kinds of enumerating a space, in turn: the number of processes, or 0 for the ordinary way,
/// and of threads. Returns the shortest times and the greatest memory of each.
fn measure<const N: usize>(
    space: Space,
    kinds: [(usize, usize); N],
    times: usize,
) -> Result<[Measured; N]> {
    let mut best =
        kinds.map(|_| Measured { seconds: f64::MAX, cpu: f64::MAX, peak: 0.0, sent: 0.0 });
    let expected = run(space, (0, 2))?.0;
    for _ in 0..times {
        for (&kind, best) in kinds.iter().zip(&mut best) {
            let (text, measured) = run(space, kind)?;
            ensure!(text == expected, "{} processes print something else", kind.0);
            best.seconds = best.seconds.min(measured.seconds);
            best.cpu = best.cpu.min(measured.cpu);
            best.peak = best.peak.max(measured.peak);
            best.sent = measured.sent;
        }
    }
    Ok(best)
}

/// Enumerates a space with some processes, or without any if it is 0. Returns the output.
fn run((space, _): Space, (processes, threads): (usize, usize)) -> Result<(String, Measured)> {
    let program = env::current_exe()?.with_file_name("taquin");
    let mut command = Command::new(&program);
    command.arg("enumerate").args(space).arg("--json");
    command.env("RAYON_NUM_THREADS", threads.to_string());
    if processes > 0 {
        command.args(["--local", &processes.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let before = children_seconds()?;
    let started = Instant::now();
    let child = command.spawn().with_context(|| format!("{}", program.display()))?;
    let id = child.id();
    let watcher = std::thread::spawn(move || peak(id));
    let output = child.wait_with_output()?;
    let seconds = started.elapsed().as_secs_f64();
    let cpu = children_seconds()? - before;
    let peak = watcher.join().map_err(|_| anyhow::anyhow!("memory can't be read"))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{messages}");
    let sent = messages.lines().find_map(|line| line.strip_suffix(" sent between the processes"));
    let sent = sent.map(|text| taquin::read_bytes(&text.replace(' ', ""))).transpose()?.unwrap_or(0)
        as f64;
    let text = String::from_utf8(output.stdout)?;
    Ok((text, Measured { seconds, cpu, peak, sent }))
}

/// The most memory that a process or one that it has started holds for itself, until it ends.
fn peak(process: u32) -> f64 {
    let anonymous = |process: &str| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0)
    };
    let process = process.to_string();
    let mut peak = 0.0_f64;
    while let Some(bytes) = anonymous(&process) {
        peak = peak.max(bytes);
        let path = format!("/proc/{process}/task/{process}/children");
        let others = fs::read_to_string(path).unwrap_or_default();
        peak = others.split_whitespace().filter_map(anonymous).fold(peak, f64::max);
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}
