//! Answers for boards that nobody solves optimally: how long they are, and how soon there is one.
//!
//! The first hundred 6x6 and 7x7 boards of `DeepCubeA` compared with the answers of its trained
//! network, and random boards compared with the sum of their distances. Each board has ten seconds of
//! one core, or less on a CUDA device; with `--quick`, one board in ten is solved.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use taquin::{
    Board, Method, NamedGoal, Puzzle, Random, Report, Session, Size, Task, Watch, scramble,
};
use taquin_lab::instances;

use super::{Options, Row};

/// What each board may take.
const SECONDS: f64 = 10.0;

/// A method, the seconds that it has for a board, and the session that has its device.
struct Anytime {
    method: Method,
    seconds: f64,
    session: Session,
}

impl Anytime {
    fn new(method: &str, seconds: f64) -> Result<Self> {
        let session = Session::without_folder().with_accelerator(taquin_gpu::Cuda::default());
        Ok(Self { method: method.parse()?, seconds, session })
    }

    /// Solves a board as well as it can be in the time. Returns the length as well.
    fn solve(&self, puzzle: &Puzzle) -> Result<(u64, Report)> {
        let mut task = Task::new(puzzle.clone(), self.method.clone());
        task.limits.seconds = Some(self.seconds);
        let report = self.session.run(&task, Watch::default());
        let places = || report.stages.iter().map(|stage| stage.method.on);
        let is_there = self.method.on.is_none() || places().any(|on| on == self.method.on);
        ensure!(is_there, "the device was not used: {}", report.notes.join("; "));
        Ok((report.depth.context("not solved")?, report))
    }
}

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    let one_in = if options.quick { 10 } else { 1 };
    let solver = Anytime::new("anytime", SECONDS)?;
    let mut rows = Vec::new();
    for (file, name) in [("deepcubea_35.txt", "6x6"), ("deepcubea_48.txt", "7x7")] {
        rows.extend(against_network(&solver, (file, name), (1.05, 1.0), one_in)?);
    }
    for (side, (must, aim)) in [(10, (1.6, 1.4)), (20, (2.5, 1.8)), (50, (3.0, 2.5))] {
        rows.extend(random_boards(&solver, side, (must, aim), one_in)?);
    }
    rows.push(largest()?);
    Ok(rows)
}

/// The tables of large boards in docs/gpu.md.
pub(super) fn on_device(options: &Options) -> Result<Vec<Row>> {
    if let Err(error) = taquin_gpu::chosen_devices() {
        println!("skipped: {error}");
        return Ok(Vec::new());
    }
    let one_in = if options.quick { 10 } else { 1 };
    let mut rows = Vec::new();
    for (file, name, seconds) in
        [("deepcubea_35.txt", "6x6", 5.5), ("deepcubea_48.txt", "7x7", 2.5)]
    {
        let solver = Anytime::new("anytime,on=gpu", seconds)?;
        rows.extend(against_network(&solver, (file, name), (1.0, 0.999), one_in)?);
    }
    let solver = Anytime::new("anytime,on=gpu", 2.0)?;
    for (side, targets) in [(8, (1.30, 1.28)), (9, (1.32, 1.30)), (10, (1.34, 1.32))] {
        let set = format!("random {side}x{side} n=100 seed={side}");
        let boards = instances::read(&set, None, Path::new("")).map_err(anyhow::Error::msg)?;
        let mut found = Vec::new();
        for instance in boards.into_iter().step_by(one_in) {
            let (length, report) = solver.solve(&instance.puzzle)?;
            found.push((length, u64::from(report.lower_bound.unwrap_or(0))));
        }
        let lengths = || found.iter().map(|(length, _)| *length);
        let mean = |sum: u64| sum as f64 / found.len() as f64;
        let (length, bound) =
            (mean(lengths().sum()), mean(found.iter().map(|(_, bound)| *bound).sum()));
        let note = format!(
            "{} boards of '{set}', 2 s each: mean {length:.2}, {} to {}, lower bound {bound:.2}",
            found.len(),
            lengths().min().unwrap_or(0),
            lengths().max().unwrap_or(0),
        );
        let name = format!("{side}x{side}, length, lower bound = 1");
        rows.push(row(name, length / bound, "", targets, note));
    }
    Ok(rows)
}

/// A board of `DeepCubeA` with the length and the time of the network's answer, and the length of
/// the reference solution, which is the shortest where it is known.
pub(super) struct Instance {
    pub(super) puzzle: Puzzle,
    pub(super) optimum: u64,
    length: u64,
    seconds: f64,
}

pub(super) fn instances_of(file: &str) -> Result<Vec<Instance>> {
    let path = crate::path(&format!("crates/lab/data/{file}"));
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| instance(line).with_context(|| format!("{file}: {line}"))).collect()
}

/// `id md ref_len ref_nodes ref_secs dca_len dca_nodes dca_secs | tiles`
fn instance(line: &str) -> Result<Instance> {
    let (figures, tiles) = line.split_once('|').context("no tiles")?;
    let figures: Vec<&str> = figures.split_whitespace().collect();
    let figure = |at: usize| figures.get(at).copied().context("a figure is missing");
    let tiles: Vec<u16> = tiles.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let side = tiles.len().isqrt();
    let size = Size::new(side, side)?;
    let puzzle = Puzzle::new(Board::new(size, tiles)?, NamedGoal::Last.board(size, 1))?;
    // The reference of the larger boards is not known for all of them.
    let optimum = figure(2)?.parse().unwrap_or(0);
    Ok(Instance { puzzle, optimum, length: figure(5)?.parse()?, seconds: figure(7)?.parse()? })
}

fn against_network(
    solver: &Anytime,
    (file, name): (&str, &str),
    targets: (f64, f64),
    one_in: usize,
) -> Result<[Row; 2]> {
    let (mut ours, mut theirs, mut network) = (0, 0, 0.0);
    let (mut seconds, mut boards) = (0.0_f64, 0);
    let (mut shorter, mut equal) = (0, 0);
    for instance in instances_of(file)?.iter().step_by(one_in) {
        let (length, report) = solver.solve(&instance.puzzle)?;
        ours += length;
        theirs += instance.length;
        network += instance.seconds;
        seconds = seconds.max(report.seconds);
        boards += 1;
        shorter += usize::from(length < instance.length);
        equal += usize::from(length == instance.length);
    }
    let mean = |sum: u64| sum as f64 / f64::from(boards);
    let note = format!(
        "{boards} boards, mean {:.2} and {:.2}; {shorter} shorter, {equal} equal, {} longer",
        mean(ours),
        mean(theirs),
        boards as usize - shorter - equal,
    );
    let time = format!("the network took {:.0} s each on a GPU", network / f64::from(boards));
    Ok([
        row(
            format!("{name}, length, DeepCubeA = 1"),
            ours as f64 / theirs as f64,
            "",
            targets,
            note,
        ),
        row(
            format!("{name}, the slowest"),
            seconds,
            "s",
            (solver.seconds + 0.5, solver.seconds + 0.1),
            time,
        ),
    ])
}

fn random_boards(
    solver: &Anytime,
    side: usize,
    targets: (f64, f64),
    one_in: usize,
) -> Result<[Row; 2]> {
    let goal = NamedGoal::Last.board(Size::new(side, side)?, 1);
    let mut random = Random::new(side as u64);
    let boards = 20 / one_in;
    let (mut ours, mut bound, mut first) = (0, 0, 0.0_f64);
    for _ in 0..boards {
        let puzzle = Puzzle::new(scramble::uniform(&goal, &mut random), goal.clone())?;
        bound += distance(&puzzle);
        let (length, report) = solver.solve(&puzzle)?;
        ours += length;
        first = first.max(report.improvements.first().map_or(f64::MAX, |answer| answer.seconds));
    }
    let name = format!("{side}x{side}, length, distance = 1");
    let note = format!("{boards} random boards, mean {}", ours / boards as u64);
    let soon = "the slowest of them".to_owned();
    Ok([
        row(name, ours as f64 / bound as f64, "", targets, note),
        row(format!("{side}x{side}, the first answer"), first, "s", (1.0, 0.5), soon),
    ])
}

/// The sum of the distances of the tiles.
fn distance(puzzle: &Puzzle) -> u64 {
    let homes = puzzle.goal().positions();
    let away = |(cell, &tile): (u16, &u16)| match tile {
        0 => 0,
        _ => puzzle.size().distance(cell, homes[usize::from(tile)]) as u64,
    };
    (0..).zip(puzzle.start().tiles()).map(away).sum()
}

/// The largest board that is asked for.
fn largest() -> Result<Row> {
    let goal = NamedGoal::Last.board(Size::new(200, 200)?, 1);
    let start = scramble::uniform(&goal, &mut Random::new(200));
    let task = Task::new(Puzzle::new(start, goal)?, "layers".parse()?);
    let started = Instant::now();
    let report = Session::without_folder().run(&task, Watch::default());
    let seconds = started.elapsed().as_secs_f64();
    let note = format!("{} moves, written and replayed", report.depth.context("not solved")?);
    Ok(row("200x200, an answer".to_owned(), seconds, "s", (10.0, 5.0), note))
}

fn row(name: String, value: f64, unit: &'static str, (must, aim): (f64, f64), note: String) -> Row {
    Row { name, value, unit, must, aim, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instances_are_read_whole() {
        for (file, side) in
            [("deepcubea_24.txt", 5), ("deepcubea_35.txt", 6), ("deepcubea_48.txt", 7)]
        {
            let instances = instances_of(file).unwrap();
            assert_eq!(instances.len(), 100);
            for Instance { puzzle, optimum, length, seconds } in &instances {
                assert!(side > 5 || (distance(puzzle) <= *optimum && optimum <= length));
                assert_eq!(puzzle.size(), Size::new(side, side).unwrap());
                assert!(taquin::is_reachable(puzzle) && distance(puzzle) <= *length);
                assert!(*seconds > 0.0);
            }
        }
        assert!(instance("1 2 3").is_err());
    }
}
