//! `taquin enumerate`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;
use taquin::{
    Board, Enumeration, Metric, On, Progress, Size, TableStore, free_memory, gpu, space,
    write_bytes,
};
use taquin_experiment::{Axis, Chart, Marks, Point, Series};

use crate::columns::Columns;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{
    BOLD, DIM, PLAIN, bar, count, gallery, print, print_json, say, seconds, thousands, written,
};
use crate::watch::{Seen, watched_by};
use crate::{pictures, tables};

/// Count the boards at every distance from a goal
///
/// Visits every solvable board using one bit per board, in parallel, or two bits
/// if segments slide as one (--metric multi).
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin enumerate 3x3                        181,440 boards (the 8-puzzle)
  taquin enumerate 3x4 --goal first --chart   with a bar for each depth
  taquin enumerate 2x4 --metric multi --json  sliding several tiles is one move
  taquin enumerate 2x5 --blanks 2 --chart depths.svg
  taquin enumerate 3x4 --save                 save a table of all distances
  taquin enumerate 3x5 --on gpu               6.5e11 boards on a CUDA device

A saved table (64 MB for 3x4) is used by solve, gen and audit: they answer at
once. Small boards need none. In JSON, 'depths' has the number of boards at each
depth and 'farthest' up to 1,000 of the farthest boards.")]
pub(crate) struct EnumerateArgs {
    /// Size of the boards
    #[arg(value_name = "RxC")]
    size: Size,
    /// Number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
    /// Goal: last, first, snail, or a board
    #[arg(long, short, default_value_t = CONFIG.goal().unwrap_or_default().to_string(), value_name = "GOAL")]
    goal: String,
    /// What counts as one move: single (one tile) or multi (several tiles in a line)
    #[arg(long, default_value_t, value_name = "METRIC")]
    metric: Metric,
    /// Draw the distribution as bars, or write it to FILE (.svg, .png or .pdf)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = BARS)]
    chart: Option<PathBuf>,
    /// Save a table in the cache folder, for solve, gen and audit
    #[arg(long)]
    save: bool,
    /// Where to run: cpu, or gpu (a CUDA device; 9 to 15 cells in 2 or 3 lines)
    #[arg(long, default_value_t, value_name = "WHERE")]
    on: On,
    /// Memory limit: 200M, 2G [default: three quarters of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
    memory: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The value of `--chart` without a file.
const BARS: &str = "-";

pub(crate) fn run(args: &EnumerateArgs) -> CommandResult {
    let goal = goal_of_size(&args.goal, args.size, args.blanks)?;
    // A bad file name is reported before the work.
    let bars = args.chart.as_deref() == Some(Path::new(BARS));
    if bars && args.json {
        return Err(Failure::input("--chart draws bars in the text, and --json prints no text")
            .hint("name a file, as in --chart depths.svg"));
    }
    let picture = args.chart.as_deref().filter(|_| !bars);
    if let Some(path) = picture {
        pictures::format(path)?;
    }
    let allowed = match args.on {
        On::Cpu => args.memory.or_else(|| free_memory().map(|bytes| bytes / 4 * 3)),
        // The device knows how much is free.
        On::Gpu => args.memory,
    };
    let allowed = allowed.unwrap_or(u64::MAX);
    let extent = match args.on {
        On::Cpu if args.save => space::table_extent(&goal, args.metric),
        On::Cpu => space::extent(&goal, args.metric),
        On::Gpu => {
            only_counts(args)?;
            gpu::space_extent(&goal).map_err(|error| tables::no_space(&error.into(), args.size))?
        }
    };
    if extent.bytes <= allowed {
        let boards = count(extent.states, "board", "boards");
        let memory = if args.on == On::Gpu { "device memory" } else { "memory" };
        say(&format!("{}: {boards}, {} of {memory}", args.size, write_bytes(extent.bytes)));
    }
    let session = tables::session();
    let started = Instant::now();
    let enumeration = watched_by(true, describe_progress(extent.states), |monitor| match args.on {
        On::Cpu => session.enumerate(&goal, args.metric, args.save, allowed, monitor),
        On::Gpu => session.enumerate_on_gpu(&goal, allowed, monitor),
    })
    .map_err(|error| tables::no_space(&error, args.size))?;
    let took = started.elapsed();
    match args.json {
        true => print_json(&enumeration)?,
        false => print(&describe(&enumeration, &goal, bars))?,
    }
    if let Some(path) = picture {
        pictures::write_picture(path, &chart(&enumeration, &goal).svg())?;
    }
    if args.save
        && let Ok(store) = TableStore::of_account()
    {
        let path = store.space_path(&goal, args.metric);
        say(&format!("saved as {}", path.display()));
    }
    say(&seconds(took.as_secs_f64()));
    Ok(0)
}

/// Refuses what a device cannot do.
fn only_counts(args: &EnumerateArgs) -> Result<(), Failure> {
    let refused = match args {
        EnumerateArgs { save: true, .. } => "--save",
        EnumerateArgs { metric: Metric::Multi, .. } => "--metric multi",
        _ => return Ok(()),
    };
    Err(Failure::input(format!("{refused} is not available on a device")).hint("omit --on gpu"))
}

/// Describes progress and estimates the remaining time.
fn describe_progress(states: u64) -> impl Fn(Seen) -> String + Send + 'static {
    move |Seen { progress: Progress { expanded, frontier, bound, .. }, elapsed, .. }| {
        let share = expanded as f64 / states as f64;
        let left = match share {
            share if share > 0.0 => elapsed.mul_f64((1.0 / share - 1.0).clamp(0.0, 1e6)),
            _ => Duration::ZERO,
        };
        format!(
            "{:.0} s: depth {bound}, {} boards; {:.0} %, about {:.0} s left",
            elapsed.as_secs_f64(),
            thousands(frontier),
            share * 100.0,
            left.as_secs_f64(),
        )
    }
}

const fn moves(metric: Metric) -> &'static str {
    match metric {
        Metric::Single => "one tile per move",
        Metric::Multi => "several tiles in a line per move",
    }
}

/// The number of farthest boards that are drawn.
const DRAWN: usize = 8;

fn describe(enumeration: &Enumeration, goal: &Board, bars: bool) -> String {
    let Enumeration { metric, states, depths, max_depth, mean_depth, farthest, .. } = enumeration;
    let boards = count(*states, "board", "boards");
    let mut text = format!("{BOLD}{boards}{PLAIN} for the goal {goal}, {}\n\n", moves(*metric));
    let most = depths.iter().copied().max().unwrap_or(1).max(1);
    let row = |(depth, &boards): (usize, &u64)| {
        let bar = if bars { bar(boards as f64 / most as f64) } else { String::new() };
        [depth.to_string(), thousands(boards), bar]
    };
    let rows = depths.iter().enumerate().map(row);
    text += &Columns::new("rrl").headings(["depth", "boards", ""]).rows(rows).lines().concat();
    let last = depths.last().copied().unwrap_or(0);
    let boards = count(last, "board is", "boards are");
    let _ = writeln!(text, "\nmean depth {mean_depth:.6}; {boards} {max_depth} moves away");
    let drawn: Vec<_> = farthest
        .iter()
        .take(DRAWN)
        .filter_map(|tiles| Board::new(goal.size(), tiles.clone()).ok())
        .map(|board| (String::new(), board, None))
        .collect();
    if last as usize > drawn.len() {
        let _ = writeln!(text, "{DIM}the first {} of them:{PLAIN}", drawn.len());
    }
    let _ = write!(text, "\n{}", gallery(&drawn));
    text
}

fn chart(enumeration: &Enumeration, goal: &Board) -> Chart {
    let depths = enumeration.depths.iter().enumerate();
    let points = depths.map(|(depth, &boards)| Point::new(depth as f64, boards as f64));
    let goal = written(goal.tiles(), goal.size());
    let series = Series { name: "boards".to_owned(), style: 0, points: points.collect() };
    Chart {
        name: "depths",
        title: format!("{} boards by their distance", thousands(enumeration.states)),
        x: Axis::new("distance from the goal in moves", "depth", false, true),
        y: Axis::new("boards", "boards", false, true),
        marks: Marks::Bars,
        series: vec![series],
        diagonal: false,
        note: format!(
            "Goal {goal}, {}; mean {:.3}, farthest {}.",
            moves(enumeration.metric),
            enumeration.mean_depth,
            enumeration.max_depth
        ),
    }
}
