//! Whole state spaces, two bits for each board.

use std::time::Instant;

use anyhow::{Result, ensure};
use taquin::{Metric, Monitor, NamedGoal, Session, Size};

use super::process::measure;
use super::{Found, Options, Row, Work};

pub(super) const WORKS: &[(&str, Work)] = &[(ENUMERATE, enumerate)];

const ENUMERATE: &str = "enumerate";

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    let (small, _) = timed("3x3", 10)?;
    let mut rows = vec![row("enumerate 3x3, all cores", small * 1e3, "ms", (5.0, 3.0), "")];
    if options.quick {
        return Ok(rows);
    }
    let reference = "C++ on one core of an AMD EPYC: 6.9 s and 120 MB";
    let (seconds, bytes) = timed("3x4", options.times())?;
    rows.push(row("enumerate 3x4, all cores", seconds, "s", (10.0, 4.0), reference));
    rows.push(row("enumerate 3x4, memory", bytes / 1e6, "MB", (150.0, 80.0), reference));
    let (seconds, bytes) = timed("2x6", 1)?;
    let peak = format!("{:.0} MB", bytes / 1e6);
    rows.push(row("enumerate 2x6, all cores", seconds, "s", (20.0, 6.0), &peak));
    Ok(rows)
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
    let found = Session::without_folder().enumerate(
        &goal,
        Metric::Single,
        false,
        u64::MAX,
        &Monitor::default(),
    )?;
    let microseconds = started.elapsed().as_micros() as u64;
    let cells = goal.size().cells() as u64;
    ensure!(found.states == (3..=cells).product::<u64>(), "{} states", found.states);
    Ok(Found { value: found.max_depth, generated: microseconds, stored: found.states })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farthest_are_as_far_as_published() {
        assert_eq!(enumerate("3x3").unwrap().value, 31);
        assert_eq!(enumerate("2x4").unwrap().value, 36);
    }
}
