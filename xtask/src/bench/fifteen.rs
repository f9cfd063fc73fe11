//! Optimal 15-puzzles: IDA* by the specialised engines, their tables, and the program as it is used.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};
use taquin::{Board, Monitor, NamedGoal, Random, Report, Session, Size, Task, Watch, scramble};

use super::astar::korf;
use super::process::{children_user_seconds, instructions, measure};
use super::{Found, Options, Row, Work};

pub(super) const WORKS: &[(&str, Work)] = &[(MANHATTAN, manhattan), (BUILD, build)];

const MANHATTAN: &str = "ida-manhattan";
const BUILD: &str = "build-pdb";

/// Korf's instances with nodes enough to outweigh the start, and so few that counting every
/// instruction takes seconds.
const SHORT: &str = "28";
const LONGER: &str = "43";

/// The sum of the shortest solutions of Korf's instances.
const KORF_MOVES: u64 = 5305;

pub(super) fn rows(options: &Options) -> Result<Vec<Row>> {
    let mut rows = vec![per_node()?];
    in_new_folder(|folder| in_folder(options, folder, &mut rows))?;
    Ok(rows)
}

/// Does something in a folder of its own, which is removed afterwards.
pub(super) fn in_new_folder<T>(work: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let folder = env::temp_dir().join(format!("taquin-bench-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let result = work(&folder);
    // What was measured has been said; the tables are not worth keeping.
    let _ = fs::remove_dir_all(&folder);
    result
}

fn in_folder(options: &Options, folder: &Path, rows: &mut Vec<Row>) -> Result<()> {
    rows.push(cold_batch(folder, options.times())?);
    rows.extend(cold_solves(folder, if options.quick { 20 } else { 100 })?);
    let one_in = if options.quick { 5 } else { 1 };
    rows.extend(cold_hardest(folder, one_in)?);
    if options.quick {
        return Ok(());
    }
    rows.extend(building(folder)?);
    rows.push(verifying(folder, options.times())?);
    rows.extend(warm_search(folder, options.times())?);
    rows.push(warm_process(folder, 3 * options.times())?);
    rows.push(warm_solves(folder, 100)?);
    rows.push(warm_hardest(folder)?);
    Ok(())
}

/// Instructions for each generated node: the difference of two runs, so that the start is left out.
fn per_node() -> Result<Row> {
    let (short, longer) = (instructions(MANHATTAN, SHORT)?, instructions(MANHATTAN, LONGER)?);
    let nodes = |instance| manhattan(instance).map(|found| found.generated);
    let (few, more) = (nodes(SHORT)?, nodes(LONGER)?);
    let value = (longer - short) / (more - few) as f64;
    ensure!(value > 0.0, "what surrounds the search outweighs it: {value:.1} instructions a node");
    let note =
        format!("between Korf {SHORT} ({few} nodes) and {LONGER} ({more} nodes), by valgrind");
    Ok(row("IDA*, Manhattan, a generated node", value, "instr", (28.0, 22.0), note))
}

fn row(name: &str, value: f64, unit: &'static str, (must, aim): (f64, f64), note: String) -> Row {
    Row { name: name.to_owned(), value, unit, must, aim, note }
}

fn manhattan(instance: &str) -> Result<Found> {
    let report = Session::without_folder()
        .run(&Task::new(korf(instance)?, "ida:manhattan".parse()?), Watch::default());
    let cost = report.cost.context("not solved")?;
    Ok(Found { value: cost.into(), generated: report.counts.generated, stored: 1 })
}

/// Builds the databases of 7 and 8 tiles into a folder.
fn build(folder: &str) -> Result<Found> {
    let task = Task::new(korf("1")?, "ida:pdb=7-8".parse()?);
    Session::with_folder(folder).prepare(&task, &Monitor::default(), &mut |_| ())?;
    Ok(Found { value: 0, generated: 1, stored: 1 })
}

fn building(folder: &Path) -> Result<[Row; 2]> {
    let kept = folder.join("kept").display().to_string();
    let started = Instant::now();
    let run = measure(BUILD, &kept, 1)?;
    let seconds = started.elapsed().as_secs_f64();
    let gibibytes = run.peak_bytes / f64::from(1 << 30);
    Ok([
        row(
            "building 7-8, all cores",
            seconds,
            "s",
            (90.0, 30.0),
            "with the writing of the files".to_owned(),
        ),
        row(
            "building 7-8, memory",
            gibibytes,
            "GiB",
            (3.0, 1.5),
            "the peak of the process".to_owned(),
        ),
    ])
}

/// Loads the databases of 7 and 8 tiles as a new process does: every byte is verified.
fn verifying(folder: &Path, times: usize) -> Result<Row> {
    let goal = korf("1")?.goal().clone();
    let mut best = f64::MAX;
    for _ in 0..times.max(5) {
        let session = Session::with_folder(folder.join("kept"));
        let started = Instant::now();
        ensure!(session.has_tables(&goal, &"pdb=7-8".parse()?), "7-8 is not there");
        best = best.min(started.elapsed().as_secs_f64());
    }
    let note = "every byte compared with the checksums, on all threads".to_owned();
    Ok(row("loading and verifying 7-8 (290 MB)", best * 1e3, "ms", (60.0, 30.0), note))
}

/// Korf's hundred with the databases of 7 and 8 tiles at hand: the search alone.
fn warm_search(folder: &Path, times: usize) -> Result<[Row; 2]> {
    let session = Session::with_folder(folder.join("kept"));
    let tasks: Vec<Task> = (1..=100)
        .map(|instance| Ok(Task::new(korf(&instance.to_string())?, "ida:pdb=7-8".parse()?)))
        .collect::<Result<_>>()?;
    session.prepare(&tasks[0], &Monitor::default(), &mut |_| ())?;
    let solve = |threads: usize| -> Result<(f64, u64)> {
        let mut best = (f64::MAX, 0);
        for _ in 0..times {
            let (next, moves, nodes) =
                (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
            let started = Instant::now();
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        while let Some(task) = tasks.get(next.fetch_add(1, Relaxed)) {
                            let report = session.run(task, Watch::default());
                            moves.fetch_add(report.depth.unwrap_or(0) as usize, Relaxed);
                            nodes.fetch_add(report.counts.generated as usize, Relaxed);
                        }
                    });
                }
            });
            let seconds = started.elapsed().as_secs_f64();
            let moves = moves.into_inner() as u64;
            ensure!(
                moves == KORF_MOVES,
                "Korf's hundred take {moves} moves instead of {KORF_MOVES}"
            );
            if seconds < best.0 {
                best = (seconds, nodes.into_inner() as u64 / 100);
            }
        }
        Ok(best)
    };
    let (one, nodes) = solve(1)?;
    let (two, _) = solve(2)?;
    let note = format!("{nodes} nodes each");
    Ok([
        row("Korf's 100, 7-8 warm, one thread", one, "s", (0.23, 0.12), note.clone()),
        row("Korf's 100, 7-8 warm, two threads", two, "s", (0.13, 0.07), note),
    ])
}

/// The user time of the program, its start and the verification of its tables included.
fn warm_process(folder: &Path, times: usize) -> Result<Row> {
    let method = ["solve", "--batch", "korf100", "--method", "ida:pdb=7-8", "--threads", "1"];
    let mut best = f64::MAX;
    for _ in 0..times {
        // One run takes few ticks of the clock.
        const RUNS: usize = 10;
        let before = children_user_seconds()?;
        for _ in 0..RUNS {
            let status = Command::new(program()?)
                .args(method)
                .arg("--jsonl")
                .env("TAQUIN_CACHE", folder.join("kept"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            ensure!(status.success(), "Korf's hundred were not solved");
        }
        best = best.min((children_user_seconds()? - before) / RUNS as f64);
    }
    let note = "user time of the process".to_owned();
    Ok(row("Korf's 100 as a batch, 7-8 kept, one thread", best, "s", (0.15, 0.1), note))
}

/// The program itself, beside this one.
pub(super) fn program() -> Result<PathBuf> {
    let program = env::current_exe()?.with_file_name("taquin");
    ensure!(program.exists(), "{} is not built", program.display());
    Ok(program)
}

fn cold_batch(folder: &Path, times: usize) -> Result<Row> {
    let boards: Result<String> = (1..=100)
        .map(|instance| Ok(format!("{}\n", korf(&instance.to_string())?.start())))
        .collect();
    fs::create_dir_all(folder)?;
    let file = folder.join("korf.txt");
    fs::write(&file, boards?)?;
    let mut best = f64::MAX;
    for time in 0..times {
        let started = Instant::now();
        let output = Command::new(program()?)
            .args(["solve", "--goal", "first", "--jsonl", "--batch"])
            .arg(&file)
            .env("TAQUIN_CACHE", folder.join(format!("batch-{time}")))
            .output()?;
        best = best.min(started.elapsed().as_secs_f64());
        let optimal = String::from_utf8_lossy(&output.stdout).matches("\"optimal\":true").count();
        ensure!(output.status.success() && optimal == 100, "{optimal} of 100 are optimal");
    }
    let note = "the process and its tables included".to_owned();
    Ok(row("Korf's 100 as a batch, nothing cached", best, "s", (4.0, 2.0), note))
}

/// The median, the mean and the longest time of the program on random boards.
fn times(boards: usize, cache: impl Fn(usize) -> PathBuf) -> Result<[f64; 3]> {
    let size = Size::new(4, 4)?;
    let goal = NamedGoal::First.board(size, 1);
    let mut random = Random::new(15);
    let mut seconds = Vec::new();
    for board in 0..boards {
        let start = scramble::uniform(&goal, &mut random).to_string();
        let started = Instant::now();
        let status = Command::new(program()?)
            .args(["solve", "--goal", "first", "--quiet", &start])
            .env("TAQUIN_CACHE", cache(board))
            .stdout(Stdio::null())
            .status()?;
        seconds.push(started.elapsed().as_secs_f64());
        ensure!(status.success(), "{start} was not solved");
    }
    seconds.sort_by(f64::total_cmp);
    let mean = seconds.iter().sum::<f64>() / boards as f64;
    Ok([seconds[boards / 2], mean, seconds[boards - 1]])
}

fn cold_solves(folder: &Path, boards: usize) -> Result<[Row; 2]> {
    let [median, mean, worst] = times(boards, |board| folder.join(format!("cold-{board}")))?;
    let note = format!("of {boards} random boards, the slowest {worst:.2} s");
    let name = "a 15-puzzle, nothing cached, the process";
    Ok([
        row(&format!("{name}, median"), median, "s", (0.1, 0.05), note.clone()),
        row(&format!("{name}, mean"), mean, "s", (0.15, 0.1), note),
    ])
}

fn warm_solves(folder: &Path, boards: usize) -> Result<Row> {
    let [median, _, worst] = times(boards, |_| folder.join("kept"))?;
    let note = format!("the median of {boards} random boards, the slowest {:.0} ms", worst * 1e3);
    Ok(row("a 15-puzzle, 7-8 cached, the process", median * 1e3, "ms", (25.0, 10.0), note))
}

/// The 80-move boards of a goal, one for each pair of mirror images.
pub(super) fn hardest(goal: NamedGoal) -> Result<Vec<Board>> {
    let path = crate::path("crates/lab/data/hard15.txt");
    let text = fs::read_to_string(&path)?;
    let letter = if goal == NamedGoal::First { "F" } else { "L" };
    let begin = format!("POS 4 4 80 exact {letter} ");
    let size = Size::new(4, 4)?;
    let goal = goal.board(size, 1);
    let homes = goal.positions();
    let mirrored = |cell: usize| cell % 4 * 4 + cell / 4;
    let mut boards: Vec<Board> = Vec::new();
    for tiles in text.lines().filter_map(|line| line.strip_prefix(&begin)) {
        let tiles = tiles.split_whitespace().map(str::parse).collect::<Result<Vec<u16>, _>>()?;
        let image = (0..16).map(|cell| match tiles[mirrored(cell)] {
            0 => 0,
            tile => goal.tiles()[mirrored(homes[usize::from(tile)].into())],
        });
        let image = Board::new(size, image.collect())?;
        if !boards.contains(&image) {
            boards.push(Board::new(size, tiles)?);
        }
    }
    ensure!(!boards.is_empty(), "{} has no boards of 80 moves", path.display());
    Ok(boards)
}

/// Solves the hardest boards by the program in turn; returns the longest time and the longest
/// solution, and how many are proven.
fn solve_hardest(
    one_in: usize,
    time: &str,
    cache: impl Fn(usize) -> PathBuf,
) -> Result<(f64, u64, String)> {
    let (mut slowest, mut longest) = (0.0_f64, 0);
    let (mut boards, mut proven) = (0, 0);
    for (name, goal) in [("first", NamedGoal::First), ("last", NamedGoal::Last)] {
        for start in hardest(goal)?.iter().step_by(one_in) {
            let started = Instant::now();
            let output = Command::new(program()?)
                .args(["solve", "--goal", name, "--time", time, "--json", &start.to_string()])
                .env("TAQUIN_CACHE", cache(boards))
                .stderr(Stdio::null())
                .output()?;
            slowest = slowest.max(started.elapsed().as_secs_f64());
            let report: Report = serde_json::from_slice(&output.stdout)?;
            longest = longest.max(report.depth.context("no answer")?);
            boards += 1;
            proven += usize::from(report.optimal);
        }
    }
    // What is not proven took too long, however long that was.
    if proven < boards {
        slowest = f64::INFINITY;
    }
    Ok((slowest, longest, format!("{proven} of {boards} proven, the longest {longest} moves")))
}

fn cold_hardest(folder: &Path, one_in: usize) -> Result<[Row; 2]> {
    let (_, longest, note) = solve_hardest(one_in, "2s", |at| folder.join(format!("two-{at}")))?;
    let short = row("80 moves, nothing cached, 2 s", longest as f64, "moves", (82.0, 80.0), note);
    let (slowest, _, note) =
        solve_hardest(one_in, "30s", |at| folder.join(format!("thirty-{at}")))?;
    let long = row("80 moves, nothing cached, until proven", slowest, "s", (30.0, 12.0), note);
    Ok([short, long])
}

fn warm_hardest(folder: &Path) -> Result<Row> {
    // The databases of the goal `first` are there.
    let mut build = Command::new(program()?);
    build.args(["pdb", "build", "7-8"]).env("TAQUIN_CACHE", folder.join("kept"));
    let built = build.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(built.success(), "7-8 was not built");
    let (slowest, _, note) = solve_hardest(1, "30s", |_| folder.join("kept"))?;
    Ok(row("80 moves, 7-8 cached, until proven", slowest, "s", (3.0, 1.0), note))
}
