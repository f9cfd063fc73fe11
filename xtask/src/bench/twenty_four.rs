//! The 24-puzzle: its tables, and IDA* with them.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use taquin::{Board, Monitor, NamedGoal, Puzzle, Session, Size, TableEvent, Task};

use super::process::measure;
use super::{Found, Options, Row, Work, fifteen};

pub(super) const WORKS: &[(&str, Work)] = &[(BUILD, build), (SOLVE, solve)];

const BUILD: &str = "build-6-6-6-6";
const SOLVE: &str = "solve-6-6-6-6";

/// An instance of Korf and Felner's, and the nodes that they published for it.
const INSTANCE: &str = "40";
const NODES: u64 = 65_099_578;

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    if options.quick {
        return Ok(Vec::new());
    }
    fifteen::in_new_folder(|folder| {
        let mut rows = building(folder)?;
        rows.push(searching(folder, options.times())?);
        Ok(rows)
    })
}

fn building(folder: &Path) -> Result<Vec<Row>> {
    let started = Instant::now();
    let run = measure(BUILD, &folder.display().to_string(), 1)?;
    let seconds = started.elapsed().as_secs_f64() / 4.0;
    let row = |name: &str, value, unit, must, aim, note: &str| Row {
        name: name.to_owned(),
        value,
        unit,
        must,
        aim,
        note: note.to_owned(),
    };
    let gibibytes = run.peak_bytes / f64::from(1 << 30);
    Ok(vec![
        row("a table of 6 tiles, all cores", seconds, "s", 30.0, 10.0, "the mean of four"),
        row("the same, memory", gibibytes, "GiB", 4.0, 1.0, "the peak of the process"),
    ])
}

/// Nanoseconds a node, since a row is something that should be small.
fn searching(folder: &Path, times: usize) -> Result<Row> {
    let run = measure(SOLVE, &folder.display().to_string(), times)?;
    ensure!(run.found.generated == NODES, "{} nodes instead of {NODES}", run.found.generated);
    let nanoseconds = run.seconds * 1e9 / NODES as f64;
    Ok(Row {
        name: "24-puzzle, 6-6-6-6, a generated node, one core".to_owned(),
        value: nanoseconds,
        unit: "ns",
        must: 1e3 / 20.0,
        aim: 1e3 / 35.0,
        note: format!("{:.1} million nodes a second", 1e3 / nanoseconds),
    })
}

fn task() -> Result<Task> {
    let path = crate::path("crates/lab/data/korf24_50.txt");
    let text = fs::read_to_string(&path)?;
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(INSTANCE));
    let (_, tiles) = line.and_then(|line| line.split_once('|')).context("no such instance")?;
    let size = Size::new(5, 5)?;
    let tiles = tiles.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let puzzle = Puzzle::new(Board::new(size, tiles)?, NamedGoal::First.board(size, 1))?;
    Ok(Task::new(puzzle, "ida:pdb=6-6-6-6".parse()?))
}

/// Builds the tables into a folder.
fn build(folder: &str) -> Result<Found> {
    let nothing = &mut |_: TableEvent<'_>| ();
    Session::with_folder(folder).prepare(&task()?, &Monitor::default(), nothing)?;
    Ok(Found { value: 0, generated: 1, stored: 1 })
}

/// Solves with the tables of a folder.
fn solve(folder: &str) -> Result<Found> {
    let report = Session::with_folder(folder).run(&task()?, taquin::Watch::default());
    let cost = report.cost.context("not solved")?;
    Ok(Found { value: cost.into(), generated: report.counts.generated, stored: 1 })
}
