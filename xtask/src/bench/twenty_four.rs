//! The 24-puzzle: its tables, and searches with them.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use taquin::{Board, Monitor, NamedGoal, Puzzle, Report, Session, Size, TableEvent, Task};

use super::fifty::{self, Estimated, Fifty};
use super::process::{instructions, measure, process_seconds};
use super::{Found, Options, Row, Work, fifteen};

pub(super) const WORKS: &[(&str, Work)] = &[(BUILD, build), (SOLVE, solve), (COUNT, counted)];

const BUILD: &str = "build-6-6-6-6";
const SOLVE: &str = "solve-6-6-6-6";
const COUNT: &str = "count-6-6-6-6";

/// Boards whose instructions are counted: one with hardly a node, and one with 28 million.
const COUNTED: [&str; 2] = [
    "1 2 7 3 8/5 0 6 9 4/10 11 12 13 14/15 16 17 18 19/20 21 22 23 24",
    "11 4 0 18 9/2 1 20 3 23/6 5 7 8 14/16 22 10 15 19/17 21 12 24 13",
];

/// An instance of Korf and Felner's, and the nodes that they published for it.
const INSTANCE: u64 = 40;
const NODES: u64 = 65_099_578;

/// All of them.
const INSTANCES: &str = "crates/lab/data/korf24_50.txt";

const AIDA: &str = "aida:zpdb=6-6-6-6";

/// Those that `ida` and `aida` solve in turns.
const IN_TURNS: [u64; 5] = [38, 40, 25, 32, 1];

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    if options.quick {
        return Ok(Vec::new());
    }
    fifteen::in_new_folder(|folder| {
        if !options.instances.is_empty() {
            return instances(folder, &options.instances);
        }
        let mut rows = building(folder)?;
        rows.push(searching(folder, options.times())?);
        rows.push(in_turns(folder)?);
        Ok(rows)
    })
}

/// The time of `aida` as a share of that of `ida`, on two threads with tables that are there.
fn in_turns(folder: &Path) -> Result<Row> {
    let session = Session::with_folder(folder);
    let mut seconds = [0.0; 2];
    let mut nodes = [0; 2];
    for id in IN_TURNS {
        for (at, method) in ["ida:pdb=6-6-6-6", AIDA].into_iter().enumerate() {
            let report = solved(&session, id, method, 2)?;
            seconds[at] += report.seconds;
            nodes[at] += report.counts.generated;
        }
    }
    let [ida, aida] = seconds;
    Ok(Row {
        name: "aida, 5 instances, share of ida's time".to_owned(),
        value: aida / ida,
        unit: "",
        must: 1.0 / 3.0,
        aim: 1.0 / 8.0,
        note: format!(
            "{aida:.1} s for {:.0} M nodes, {ida:.1} s for {:.0} M nodes, two threads",
            nodes[1] as f64 / 1e6,
            nodes[0] as f64 / 1e6
        ),
    })
}

/// Solves instances with `aida` on all threads, prints what each takes, and estimates what all take.
fn instances(folder: &Path, ids: &[u64]) -> Result<Vec<Row>> {
    let session = Session::with_folder(folder);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    // The tables are there before the clock starts.
    session.prepare(&task(INSTANCE, AIDA)?.1, &Monitor::default(), &mut |_| ())?;
    let mut nodes = 0;
    let mut minutes = Vec::new();
    for &id in ids {
        let before = process_seconds()?;
        let report = solved(&session, id, AIDA, threads)?;
        nodes += report.counts.generated;
        minutes.push((id, (process_seconds()? - before) / 60.0));
        println!(
            "{id}: {} moves, {} nodes, {:.1} s, {:.2} CPU minutes",
            report.cost.unwrap_or_default(),
            report.counts.generated,
            report.seconds,
            minutes[minutes.len() - 1].1
        );
    }
    let total: f64 = minutes.iter().map(|(_, minutes)| minutes).sum();
    println!("{} instances: {nodes} nodes, {total:.2} CPU minutes", ids.len());
    if ids.len() < 2 {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(crate::path(INSTANCES))?;
    let estimates = Fifty::read(&text)?.estimates(&minutes)?;
    Ok(estimates.iter().map(|estimate| estimate_row(estimate, ids.len())).collect())
}

fn estimate_row(estimate: &Estimated, count: usize) -> Row {
    let Estimated { by, minutes, range: (least, greatest), fitted, power } = *estimate;
    Row {
        name: format!("all fifty, by {by}"),
        value: minutes,
        unit: "CPU min",
        must: 7_000.0,
        aim: 2_000.0,
        note: format!(
            "{AIDA} on {count} instances; by each alone {least:.0} to {greatest:.0}; by the count to \
             the power {power:.2} {fitted:.0}; Clausecker's time is {:.0}",
            fifty::PUBLISHED
        ),
    }
}

/// Solves an instance and compares the length with the published one.
fn solved(session: &Session, id: u64, method: &str, threads: usize) -> Result<Report> {
    let (optimum, mut task) = task(id, method)?;
    task.threads = threads;
    task.limits.memory = taquin::free_memory().map(|bytes| bytes / 4 * 3);
    session.prepare(&task, &Monitor::default(), &mut |_| ())?;
    let report = session.run(&task, taquin::Watch::default());
    ensure!(report.optimal && report.cost == Some(optimum), "{method} is wrong on instance {id}");
    Ok(report)
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
    let instructions = per_node(folder)?;
    Ok(Row {
        name: "24-puzzle, 6-6-6-6, a generated node, one core".to_owned(),
        value: nanoseconds,
        unit: "ns",
        must: 1e3 / 30.0,
        aim: 1e3 / 35.0,
        note: format!(
            "{:.1} million nodes a second, {instructions:.0} instructions each by valgrind",
            1e3 / nanoseconds
        ),
    })
}

/// Instructions for each generated node: the difference of two runs, so that the start is left out.
fn per_node(folder: &Path) -> Result<f64> {
    let [few, more] = [0, 1].map(|board| format!("{board} {}", folder.display()));
    let nodes = |argument| counted(argument).map(|found| found.generated);
    let difference = instructions(COUNT, &more)? - instructions(COUNT, &few)?;
    Ok(difference / (nodes(&more)? - nodes(&few)?) as f64)
}

/// An instance by its number, and its published length.
fn task(id: u64, method: &str) -> Result<(u32, Task)> {
    let text = fs::read_to_string(crate::path(INSTANCES))?;
    let is_it = |line: &&str| line.split_whitespace().next() == Some(&id.to_string());
    let line = text.lines().find(is_it).context("no such instance")?;
    let (numbers, tiles) = line.split_once('|').context("no such instance")?;
    let optimum = numbers.split_whitespace().nth(2).context("no length")?.parse()?;
    let size = Size::new(5, 5)?;
    let tiles = tiles.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let puzzle = Puzzle::new(Board::new(size, tiles)?, NamedGoal::First.board(size, 1))?;
    Ok((optimum, Task::new(puzzle, method.parse()?)))
}

/// Builds the tables into a folder.
fn build(folder: &str) -> Result<Found> {
    let nothing = &mut |_: TableEvent<'_>| ();
    let (_, task) = task(INSTANCE, "ida:pdb=6-6-6-6")?;
    Session::with_folder(folder).prepare(&task, &Monitor::default(), nothing)?;
    Ok(Found { value: 0, generated: 1, stored: 1 })
}

/// Solves with the tables of a folder.
fn solve(folder: &str) -> Result<Found> {
    let (_, task) = task(INSTANCE, "ida:pdb=6-6-6-6")?;
    let report = Session::with_folder(folder).run(&task, taquin::Watch::default());
    let cost = report.cost.context("not solved")?;
    Ok(Found { value: cost.into(), generated: report.counts.generated, stored: 1 })
}

/// Solves a board whose instructions are counted with the tables of a folder.
fn counted(argument: &str) -> Result<Found> {
    let (board, folder) = argument.split_once(' ').context("a number and a folder")?;
    let start: Board = COUNTED[board.parse::<usize>()?].parse()?;
    let puzzle = Puzzle::new(start, NamedGoal::First.board(Size::new(5, 5)?, 1))?;
    let task = Task::new(puzzle, "ida:pdb=6-6-6-6".parse()?);
    let report = Session::with_folder(folder).run(&task, taquin::Watch::default());
    let cost = report.cost.context("not solved")?;
    Ok(Found { value: cost.into(), generated: report.counts.generated, stored: 1 })
}
