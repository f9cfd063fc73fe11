//! Whole state spaces, one bit for each board.
//!
//! `TAQUIN_BEFORE=PATH` compares with the program of another version, in turns.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};
use taquin::space::{self, Explorer, Files};
use taquin::{Monitor, NamedGoal, Session, Size, SpaceJob};

use super::process::measure;
use super::{Found, Options, Row, Work};

pub(super) const WORKS: &[(&str, Work)] = &[(ENUMERATE, enumerate), (IN_FILES, in_files)];

const ENUMERATE: &str = "enumerate";
const IN_FILES: &str = "enumerate-in-files";

/// The memory for a space in files.
const MEMORY: u64 = 1 << 30;

/// From this depth on, nearly every block of the 2x7 space has boards.
const DENSE: usize = 56;

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    let (small, _) = timed("3x3", 10)?;
    let mut rows = vec![row("enumerate 3x3, all cores", small * 1e3, "ms", (2.0, 1.0), "")];
    let reference = "a C++ program on two cores of an AMD EPYC: 0.19 s for 3x4, 41 s for 2x7";
    let (seconds, bytes) = timed("3x4", options.times())?;
    rows.push(row("enumerate 3x4, all cores", seconds, "s", (0.5, 0.25), reference));
    rows.push(row("enumerate 3x4, memory", bytes / 1e6, "MB", (40.0, 38.0), ""));
    rows.extend(env::var_os("TAQUIN_BEFORE").map(|before| versions(before.as_ref())).transpose()?);
    if options.quick {
        return Ok(rows);
    }
    let (seconds, bytes) = timed("2x6", 1)?;
    let peak = format!("{:.0} MB", bytes / 1e6);
    rows.push(row("enumerate 2x6, all cores", seconds, "s", (1.0, 0.5), &peak));
    let published = "published: 17 min 50 s, with a graphics card";
    let (seconds, bytes) = timed("2x7", 1)?;
    rows.push(row("enumerate 2x7, all cores", seconds, "s", (90.0, 45.0), published));
    rows.push(row("enumerate 2x7, memory", bytes / 1e6, "MB", (6_500.0, 6_000.0), ""));
    let run = measure(IN_FILES, "2x7", 1)?;
    let seconds = run.found.generated as f64 / 1e6;
    // The number of boards of a layer's colour and of layers, all of them full.
    let hours = |boards: f64, layers: f64| boards / 4.36e10 * seconds * layers / 3_600.0;
    let note = format!(
        "at most {:.1} h for 3x5 (published: 4.1 h) and {:.0} h for 4x4 (published: 40 h)",
        hours(6.54e11, 84.0),
        hours(1.046e13, 80.0)
    );
    rows.push(row("2x7 in files, a full layer", seconds, "s", (60.0, 10.0), &note));
    let peak = run.peak_bytes / 1e6;
    rows.push(row("2x7 in files, memory", peak, "MB", (1_200.0, 1_100.0), ""));
    Ok(rows)
}

/// The time of `enumerate 3x4` as a share of that of another version, at best of three.
fn versions(before: &Path) -> Result<Row> {
    let ours = env::current_exe()?.with_file_name("taquin");
    let mut best = [f64::MAX; 2];
    for _ in 0..3 {
        for (program, best) in [ours.as_path(), before].into_iter().zip(&mut best) {
            let started = Instant::now();
            let mut command = Command::new(program);
            command.args(["enumerate", "3x4", "--json"]).stdout(Stdio::null());
            let status = command.stderr(Stdio::null()).status();
            let status = status.with_context(|| format!("{}", program.display()))?;
            ensure!(status.success(), "{} failed", program.display());
            *best = best.min(started.elapsed().as_secs_f64());
        }
    }
    let [ours, theirs] = best;
    let note = format!("{ours:.3} s and {theirs:.3} s, the start of the programs included");
    Ok(row("enumerate 3x4, other version = 1", ours / theirs, "", (0.15, 0.1), &note))
}

fn row(name: &str, value: f64, unit: &'static str, (must, aim): (f64, f64), note: &str) -> Row {
    Row { name: name.to_owned(), value, unit, must, aim, note: note.to_owned() }
}

/// The time by the clock, the start of a process left out, and the peak of its memory, at best.
fn timed(size: &str, times: usize) -> Result<(f64, f64)> {
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..times {
        let run = measure(ENUMERATE, size, 1)?;
        // The work is of many threads: it says how long it took, in microseconds.
        best = (best.0.min(run.found.generated as f64 / 1e6), best.1.min(run.peak_bytes));
    }
    Ok(best)
}

fn enumerate(size: &str) -> Result<Found> {
    let goal = NamedGoal::First.board(size.parse::<Size>()?, 1);
    let started = Instant::now();
    let job = SpaceJob { memory: Some(u64::MAX), ..SpaceJob::new(&goal) };
    let found = Session::without_folder().enumerate(&job, &Monitor::default(), |_| ())?;
    let microseconds = started.elapsed().as_micros() as u64;
    let published = published(size)?;
    ensure!(found.depths == published, "the layers of {size} differ from the published ones");
    Ok(Found { value: found.max_depth, generated: microseconds, stored: found.states })
}

/// Explores a space in files up to a layer that is full, and measures that layer.
fn in_files(size: &str) -> Result<Found> {
    let goal = NamedGoal::First.board(size.parse::<Size>()?, 1);
    let folder = env::temp_dir().join(format!("taquin-bench-{}", std::process::id()));
    let mut explorer = Explorer::in_files(&goal, &folder, MEMORY)?;
    let monitor = Monitor::default();
    let explore = |explorer: &mut Explorer<Files>| -> Result<Found> {
        while explorer.depths().len() < DENSE && explorer.advance(&monitor)? {}
        let started = Instant::now();
        explorer.advance(&monitor)?;
        let microseconds = started.elapsed().as_micros() as u64;
        let depths = explorer.depths();
        ensure!(published(size)?.starts_with(depths), "the layers of {size} differ");
        let value = depths.len() as u64 - 1;
        Ok(Found { value, generated: microseconds, stored: depths.iter().sum() })
    };
    let found = explore(&mut explorer);
    space::remove_files(&folder);
    found
}

/// The published number of boards at each depth, for a goal with the blank in a corner.
fn published(size: &str) -> Result<Vec<u64>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/statespace_depths.txt");
    let text = fs::read_to_string(file)?;
    let begin = format!("BOARD {} corner 0 STM ", size.replace('x', " "));
    let line = text.lines().find(|line| line.starts_with(&begin)).context("it is not published")?;
    let (_, counts) = line.split_once(" : ").context("a line without counts")?;
    Ok(counts.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_are_as_far_as_published() {
        assert_eq!(enumerate("3x3").unwrap().value, 31);
        assert_eq!(enumerate("2x4").unwrap().value, 36);
        assert_eq!(in_files("2x4").unwrap().value, 36);
    }
}
