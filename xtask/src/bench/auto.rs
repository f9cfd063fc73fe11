//! `auto` beside every method that the user could have named, on boards of many kinds, in 20
//! milliseconds, a second and ten seconds.
//!
//! All of them have two threads and nothing cached, and the tables that a method needs are built
//! within its time. An answer that comes late is none. A cell of the table is the cost of `auto`'s
//! answers over that of the best other method on each board.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use taquin::{
    Costs, Monitor, NamedGoal, Puzzle, Random, Report, Session, Size, Task, TaskLimits, Watch,
    scramble,
};

use super::{Options, Row, fifteen, large};

/// The threads of every search.
const THREADS: usize = 2;

/// The memory of every search.
const MEMORY: u64 = 2 << 30;

/// By how much an answer may be late, in seconds: the process has other things to do as well.
const GRACE: f64 = 0.05;

/// The worst ratio of a cell.
const MUST: f64 = 1.02;

/// Boards of one kind, and what could solve them besides `auto`.
struct Kind {
    name: &'static str,
    board: fn(&mut Random) -> Result<Puzzle>,
    costs: Costs,
    methods: &'static [&'static str],
}

const SMALL: &[&str] = &["anytime", "astar:linear", "ida:linear", "wastar:linear,w=3/2"];
const MIDDLE: &[&str] =
    &["anytime", "ida:linear", "wastar:linear,w=3/2", "wastar:linear,w=3", "beam:linear,k=1000"];
const FIFTEEN: &[&str] = &[
    "anytime",
    "astar:linear",
    "ida:linear",
    "ida:pdb=5-5-5",
    "ida:pdb=6-6-3",
    "wastar:linear,w=3/2",
    "beam:linear,k=1000",
];
const LARGE: &[&str] = &["anytime", "greedy:linear", "wastar:linear,w=3", "beam:linear,k=1000"];

const KINDS: [Kind; 9] = [
    Kind {
        name: "8-puzzle",
        board: |random| uniform(3, 3, 1, random),
        costs: Costs::Unit,
        methods: SMALL,
    },
    Kind {
        name: "15-puzzle",
        board: |random| uniform(4, 4, 1, random),
        costs: Costs::Unit,
        methods: FIFTEEN,
    },
    Kind { name: "hardest 15-puzzle", board: hardest, costs: Costs::Unit, methods: FIFTEEN },
    Kind {
        name: "24-puzzle",
        board: |random| uniform(5, 5, 1, random),
        costs: Costs::Unit,
        methods: MIDDLE,
    },
    Kind {
        name: "6x6",
        board: |random| uniform(6, 6, 1, random),
        costs: Costs::Unit,
        methods: LARGE,
    },
    Kind {
        name: "10x10",
        board: |random| uniform(10, 10, 1, random),
        costs: Costs::Unit,
        methods: LARGE,
    },
    Kind {
        name: "3x5, two blanks",
        board: |random| uniform(3, 5, 2, random),
        costs: Costs::Unit,
        methods: MIDDLE,
    },
    Kind {
        name: "4x4, tile costs",
        board: |random| uniform(4, 4, 1, random),
        costs: Costs::Tile,
        methods: MIDDLE,
    },
    Kind { name: "4x4, own goal", board: own_goal, costs: Costs::Unit, methods: MIDDLE },
];

pub(super) fn moment(options: &Options) -> Result<Vec<Row>> {
    cells(0.02, if options.quick { 2 } else { 5 })
}

pub(super) fn second(options: &Options) -> Result<Vec<Row>> {
    cells(1.0, if options.quick { 1 } else { 3 })
}

pub(super) fn ten_seconds(options: &Options) -> Result<Vec<Row>> {
    cells(10.0, if options.quick { 1 } else { 2 })
}

/// What `auto` must do besides: answer at once, and be near the optimum on the 24-puzzle.
pub(super) fn answers(options: &Options) -> Result<Vec<Row>> {
    Ok(vec![at_once()?, largest()?, twenty_four(if options.quick { 10 } else { 1 })?])
}

/// A row for each kind of boards, and one for the worst.
fn cells(seconds: f64, boards: usize) -> Result<Vec<Row>> {
    let limit = match seconds {
        ..1.0 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.0} s"),
    };
    let mut rows = Vec::new();
    for kind in &KINDS {
        rows.push(kind.cell(seconds, boards, &limit)?);
    }
    let worst = rows.iter().max_by(|a, b| a.value.total_cmp(&b.value)).context("no rows")?;
    let (value, note) = (worst.value, worst.name.clone());
    rows.push(row(format!("the worst in {limit}"), value, "", (MUST, 1.0), note));
    Ok(rows)
}

impl Kind {
    fn cell(&self, seconds: f64, boards: usize, limit: &str) -> Result<Row> {
        let mut random = Random::new(24);
        let (mut ours, mut theirs) = (0.0, 0.0);
        let mut notes = Vec::new();
        for _ in 0..boards {
            let puzzle = (self.board)(&mut random)?;
            let auto = self.cost("auto", &puzzle, seconds)?;
            let others = self.methods.iter().map(|method| {
                Ok((self.cost(method, &puzzle, seconds)?.unwrap_or(f64::INFINITY), *method))
            });
            let others = others.collect::<Result<Vec<_>>>()?;
            let best = others.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).context("none")?;
            notes.push(match auto {
                Some(auto) => format!("{auto} and {} by {}", best.0, best.1),
                None => format!("none and {} by {}", best.0, best.1),
            });
            ours += auto.unwrap_or(f64::INFINITY);
            // Where nobody else has an answer, any is best.
            theirs += if best.0.is_finite() { best.0 } else { auto.unwrap_or(1.0) };
        }
        let name = format!("{}, {limit}, the best other = 1", self.name);
        Ok(row(name, ours / theirs, "", (MUST, 1.0), notes.join("; ")))
    }

    /// The cost of the answer that a method has in time.
    fn cost(&self, method: &str, puzzle: &Puzzle, seconds: f64) -> Result<Option<f64>> {
        let session = Session::without_folder();
        let mut task = Task::new(puzzle.clone(), method.parse()?);
        (task.cost, task.threads) = (self.costs.clone(), THREADS);
        let started = Instant::now();
        session.prepare(&task, &Monitor::default(), &mut |_| ())?;
        let left = seconds - started.elapsed().as_secs_f64();
        if left <= 0.0 {
            return Ok(None);
        }
        task.limits =
            TaskLimits { seconds: Some(left), memory: Some(MEMORY), ..TaskLimits::default() };
        let report = session.run(&task, Watch::default());
        let is_late = started.elapsed().as_secs_f64() > seconds * 1.1 + GRACE;
        Ok(report.cost.filter(|_| !is_late).map(f64::from))
    }
}

fn uniform(rows: usize, cols: usize, blanks: usize, random: &mut Random) -> Result<Puzzle> {
    let goal = NamedGoal::Last.board(Size::new(rows, cols)?, blanks);
    Ok(Puzzle::new(scramble::uniform(&goal, random), goal)?)
}

/// A board that is 80 moves from its goal.
fn hardest(random: &mut Random) -> Result<Puzzle> {
    let boards = fifteen::hardest(NamedGoal::Last)?;
    let start = boards[random.below(boards.len())].clone();
    let goal = NamedGoal::Last.board(start.size(), 1);
    Ok(Puzzle::new(start, goal)?)
}

/// A random board and a random goal.
fn own_goal(random: &mut Random) -> Result<Puzzle> {
    let named = NamedGoal::Last.board(Size::new(4, 4)?, 1);
    let goal = scramble::uniform(&named, random);
    Ok(Puzzle::new(scramble::uniform(&goal, random), goal)?)
}

/// The random 15-puzzles without an answer after 20 milliseconds.
fn at_once() -> Result<Row> {
    let mut random = Random::new(20);
    let (mut without, mut slowest) = (0, 0.0_f64);
    for _ in 0..100 {
        let report = solve(uniform(4, 4, 1, &mut random)?, 0.02)?;
        without += u32::from(report.cost.is_none());
        slowest = slowest.max(report.seconds);
    }
    let note = format!("of 100 random boards; the slowest took {:.0} ms", slowest * 1e3);
    Ok(row("15-puzzles without an answer in 20 ms".into(), without.into(), "", (0.0, 0.0), note))
}

/// The whole process on the largest board that is asked for.
fn largest() -> Result<Row> {
    let goal = NamedGoal::Last.board(Size::new(200, 200)?, 1);
    let start = scramble::uniform(&goal, &mut Random::new(200)).to_string();
    fifteen::in_new_folder(|folder| {
        let file = folder.join("board.txt");
        fs::write(&file, start)?;
        let started = Instant::now();
        let status = Command::new(fifteen::program()?)
            .args(["solve", "--time", "2s", "--file"])
            .arg(&file)
            .env("TAQUIN_CACHE", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        let seconds = started.elapsed().as_secs_f64();
        ensure!(status.success(), "200x200 has no answer");
        let note = "--time 2s, the process, with its moves".to_owned();
        Ok(row("200x200, an answer".into(), seconds, "s", (2.2, 2.1), note))
    })
}

/// `DeepCubeA`'s 24-puzzles beside their optima, in ten seconds each.
fn twenty_four(one_in: usize) -> Result<Row> {
    let (mut ours, mut best, mut bounds) = (0, 0, 0);
    let (mut boards, mut proven) = (0, 0);
    for instance in large::instances_of("deepcubea_24.txt")?.into_iter().step_by(one_in) {
        let report = solve(instance.puzzle, 10.0)?;
        ours += report.depth.context("not solved")?;
        best += instance.optimum;
        bounds += u64::from(report.lower_bound.unwrap_or(0));
        boards += 1;
        proven += usize::from(report.optimal);
    }
    let mean = |sum: u64| sum as f64 / f64::from(boards);
    let note = format!(
        "{boards} boards, mean {:.2} and {:.2}, bound {:.2}; {proven} proven",
        mean(ours),
        mean(best),
        mean(bounds),
    );
    Ok(row(
        "24-puzzle, 10 s, the optimum = 1".into(),
        ours as f64 / best as f64,
        "",
        (1.005, 1.0),
        note,
    ))
}

fn solve(puzzle: Puzzle, seconds: f64) -> Result<Report> {
    let mut task = Task::new(puzzle, "auto".parse()?);
    task.threads = THREADS;
    task.limits =
        TaskLimits { seconds: Some(seconds), memory: Some(MEMORY), ..TaskLimits::default() };
    Ok(Session::without_folder().run(&task, Watch::default()))
}

fn row(name: String, value: f64, unit: &'static str, (must, aim): (f64, f64), note: String) -> Row {
    Row { name, value, unit, must, aim, note }
}
