//! `taquin enumerate`.

#[cfg(feature = "cluster")]
mod cluster;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use serde_json::json;
use taquin::space::Extent;
use taquin::{
    Board, Device, Enumeration, ExploreError, FileError, FileFault, Metric, NearJob, Progress,
    Size, SpaceError, SpaceFiles, SpaceJob, Watch, space, write_bytes,
};
use taquin_draw::{depths_chart, metric_words};

use crate::args::ThreadArgs;
use crate::columns::Columns;
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::goal_of_size;
use crate::output::{BOLD, PLAIN, count, print, print_json, say, seconds, thousands, write_file};
use crate::space::describe;
use crate::watch::{SearchStatus, watched_by};
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
  taquin enumerate 2x7 --checkpoint 2x7.space  save progress, also on Ctrl-C
  taquin enumerate --resume 2x7.space         continue
  taquin enumerate 3x5 --disk DIR             in 93 GB of files, not in memory
  taquin enumerate 6x6 --depth 20             the boards near the goal
  taquin enumerate --unbounded edge --depth 15 --bfile b090378.txt
  taquin enumerate 3x4 --local 2              with two processes
  taquin enumerate 3x5 --hosts FILE --process 0    on one of several
  taquin enumerate --resume DIR --local 4     continue with four processes

A saved table (64 MB for 3x4) is used by solve, generate and audit: they answer
at once. Small boards need none. In JSON, 'depths' has the number of boards at
each depth and 'farthest' up to 1,000 of the farthest boards.")]
pub(crate) struct EnumerateArgs {
    /// Size of the boards
    #[arg(value_name = "RxC", required_unless_present_any = ["resume", "size_flag", "unbounded"])]
    size: Option<Size>,
    /// Size of the boards
    #[arg(long = "size", value_name = "RxC", conflicts_with = "size", hide = true)]
    size_flag: Option<Size>,
    /// Number of blanks
    #[arg(long, default_value_t = 1, value_name = "N")]
    blanks: usize,
    /// Count the boards up to this depth only, for one blank on boards of any size
    #[arg(long, value_name = "N", value_parser = up_to_depth, conflicts_with_all = ["save", "checkpoint", "disk", "resume", "chart"])]
    depth: Option<usize>,
    /// A board without bounds, but for those at the blank: corner, edge or middle (no bounds at all)
    #[arg(long, value_name = "WHERE", hide_possible_values = true, requires = "depth", conflicts_with_all = ["size", "size_flag", "goal", "blanks"])]
    unbounded: Option<Unbounded>,
    /// Write the number of boards at each depth to FILE, in the format of OEIS b-files
    #[arg(long, value_name = "FILE")]
    bfile: Option<PathBuf>,
    /// Goal: last, first, spiral, a board, or @FILE
    #[arg(long, short, default_value_t = CONFIG.usual_goal().to_string(), value_name = "GOAL")]
    goal: String,
    /// Metric: single (a move slides one tile) or multi (several tiles in a line)
    #[arg(long, default_value_t, value_name = "METRIC")]
    metric: Metric,
    /// Draw the distribution as bars, or write it to FILE (.svg, .png or .pdf)
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = BARS)]
    chart: Option<PathBuf>,
    /// Save a table in the cache folder, for solve, generate and audit
    #[arg(long)]
    save: bool,
    /// Where to run: cpu, or gpu (a CUDA device; one blank, 9 to 16 cells in 2 to 4 lines)
    #[arg(long, default_value_t, value_name = "WHERE")]
    on: Device,
    /// Memory limit: 200M, 2G [default: three quarters of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = taquin::read_bytes)]
    memory: Option<u64>,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Save the progress to FILE (several processes: in the folder DIR), so that --resume can
    /// continue it
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["save", "disk"], help_heading = "Long runs")]
    checkpoint: Option<PathBuf>,
    /// Time between two checkpoints; one is also saved on Ctrl-C [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = taquin::read_time, help_heading = "Long runs")]
    checkpoint_every: Option<Duration>,
    /// Keep the boards in files in the folder DIR if memory is short; --resume DIR continues
    #[arg(long, value_name = "DIR", conflicts_with = "save", help_heading = "Long runs")]
    disk: Option<PathBuf>,
    /// Continue what --checkpoint or --disk has saved
    #[arg(long, value_name = "FILE|DIR", conflicts_with_all = ["size", "size_flag", "blanks", "goal", "metric", "save", "on", "checkpoint", "disk"], help_heading = "Long runs")]
    resume: Option<PathBuf>,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    cluster: cluster::ClusterArgs,
}

/// Where the blank of a board without bounds is.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Unbounded {
    /// In the only corner
    Corner,
    /// At the only edge
    Edge,
    /// Far from every edge
    Middle,
}

impl Unbounded {
    const fn name(self) -> &'static str {
        match self {
            Self::Corner => "corner",
            Self::Edge => "edge",
            Self::Middle => "middle",
        }
    }

    /// A goal on a board that is so large that no other edge is reached within a depth.
    fn goal(self, depth: usize) -> Result<Board, Failure> {
        let (far, both) = (depth + 1, 2 * depth + 1);
        let (rows, cols, blank) = match self {
            Self::Corner => (far, far, 0),
            Self::Edge => (far, both, depth),
            Self::Middle => (both, both, depth * both + depth),
        };
        let size = Size::new(rows, cols).map_err(|error| Failure::input(error.to_string()))?;
        let mut tiles = 1..;
        let tile = |cell| if cell == blank { Some(0) } else { tiles.next() };
        let tiles = (0..size.cells()).map_while(tile).collect();
        Board::new(size, tiles).map_err(|error| Failure::input(error.to_string()))
    }
}

fn up_to_depth(text: &str) -> Result<usize, String> {
    let depth = text.parse().ok().filter(|depth| (0..=NearJob::MAX_DEPTH).contains(depth));
    depth.ok_or_else(|| format!("write a depth from 0 to {}", NearJob::MAX_DEPTH))
}

impl EnumerateArgs {
    fn size(&self) -> Option<Size> {
        self.size.or(self.size_flag)
    }
}

/// The value of `--chart` without a file.
const BARS: &str = "-";

pub(crate) fn run(args: &EnumerateArgs) -> CommandResult {
    args.threads.apply();
    if args.checkpoint_every.is_some() && args.checkpoint.is_none() && args.resume.is_none() {
        return Err(Failure::input("--checkpoint-every needs --checkpoint or --resume")
            .hint("name the file, as in --checkpoint 2x7.space"));
    }
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
    #[cfg(feature = "cluster")]
    if args.cluster.is_used()? {
        if args.depth.is_some() {
            return Err(Failure::input("--depth is not available with several processes")
                .hint("omit --depth, or count with one process"));
        }
        return match cluster::run(args)? {
            Some((goal, enumeration, shares, took)) => {
                show(args, &goal, &enumeration, bars, picture)?;
                shares.remove();
                say(&seconds(took.as_secs_f64()));
                Ok(0)
            }
            None => Ok(0),
        };
    }
    if let Some(depth) = args.depth {
        return near(args, depth);
    }
    let job = job(args)?;
    let SpaceJob { goal, metric, .. } = &job;
    let size = goal.size();
    let states = space::extent(goal, *metric).states;
    let session = tables::session();
    let started = Instant::now();
    let found = watched_by(true, describe_progress(states), |monitor| {
        let spaces: &mut dyn FnMut(_, _) = &mut |on, extent| say(&begun(&job, on, extent));
        session.run(&job, Watch { spaces: Some(spaces), ..Watch::by(monitor).with_warnings(&say) })
    });
    let enumeration = match found {
        Ok(enumeration) => enumeration,
        Err(SpaceError::Cancelled { depths }) => {
            partial(args, goal, &depths)?;
            let failure = Failure::interrupted();
            return Err(match args.saved_as() {
                Some(path) => failure.hint(continued(path)),
                None => failure,
            });
        }
        Err(SpaceError::File(error)) if args.resume.is_some() && !is_unwritten(&error) => {
            return Err(not_resumed(&error));
        }
        Err(SpaceError::File(error)) => {
            let failure = tables::unsaved(&error);
            return Err(match args.saved_as() {
                // The first file may be the one that cannot be written.
                Some(path) if path.exists() => {
                    failure.hint(format!("remove the cause; {}", continued(path)))
                }
                _ => failure,
            });
        }
        Err(error) => return Err(refused(args, size, error)),
    };
    let took = started.elapsed();
    show(args, goal, &enumeration, bars, picture)?;
    // Until now a process that was killed had lost nothing.
    job.remove_progress();
    if args.save
        && let Ok(store) = CONFIG.store()
    {
        let path = store.space_path(goal, args.metric);
        say(&format!("saved as {}", path.display()));
    }
    say(&seconds(took.as_secs_f64()));
    Ok(0)
}

/// Counts the boards up to a depth.
fn near(args: &EnumerateArgs, depth: usize) -> CommandResult {
    let flag = match args {
        EnumerateArgs { on: Device::Gpu, .. } => Some("--on gpu"),
        EnumerateArgs { metric: Metric::Multi, .. } => Some("--metric multi"),
        _ => None,
    };
    if let Some(flag) = flag {
        let message = format!("{flag} is not available with --depth");
        return Err(Failure::input(message).hint(format!("omit {flag}, or --depth")));
    }
    let goal = match (args.unbounded, args.size()) {
        (Some(place), _) => place.goal(depth)?,
        (None, Some(size)) => goal_of_size(&args.goal, size, args.blanks)?,
        (None, None) => return Err(Failure::input("no size given")),
    };
    let job = NearJob { goal, depth, memory: args.memory };
    let started = Instant::now();
    let (depths, ended) =
        watched_by(true, describe_near, |monitor| tables::session().run(&job, Watch::by(monitor)));
    if !depths.is_empty() {
        partial(args, &job.goal, &depths)?;
    }
    match ended {
        Ok(()) => {}
        Err(SpaceError::Cancelled { .. }) => return Err(Failure::interrupted()),
        Err(SpaceError::Blanks) => {
            return Err(Failure::input(SpaceError::Blanks.to_string()).hint("omit --depth"));
        }
        Err(error) => return Err(refused(args, job.goal.size(), error)),
    }
    say(&seconds(started.elapsed().as_secs_f64()));
    Ok(0)
}

fn describe_near(SearchStatus { progress, elapsed, .. }: SearchStatus) -> String {
    let (time, boards) = (elapsed.as_secs_f64(), count(progress.frontier, "board", "boards"));
    format!("{time:.0} s: depth {}, {boards}", progress.bound)
}

/// Writes the number of boards at each depth to the file of `--bfile`.
fn write_bfile(args: &EnumerateArgs, depths: &[u64]) -> Result<(), Failure> {
    let Some(path) = &args.bfile else { return Ok(()) };
    let lines = depths.iter().enumerate().map(|(depth, boards)| format!("{depth} {boards}\n"));
    write_file(path, lines.collect::<String>().as_bytes())
}

/// Converts the error of a space.
fn refused(args: &EnumerateArgs, size: Size, error: SpaceError) -> Failure {
    if let (SpaceError::Explore(error), Some(path)) = (&error, &args.resume) {
        return tables::no_memory(error, &format!("{}: the space", path.display()));
    }
    let failure = tables::no_space(&error, size);
    match (error, args.on) {
        (SpaceError::Explore(ExploreError::Memory { .. }), on) => failure.hint(match on {
            Device::Cpu => "choose a smaller board, increase --memory, or use --disk DIR",
            Device::Gpu => {
                "choose a smaller board, increase --memory, or use --disk DIR without --on gpu"
            }
        }),
        _ => failure,
    }
}

/// Prints a space, and writes its picture.
fn show(
    args: &EnumerateArgs,
    goal: &Board,
    enumeration: &Enumeration,
    bars: bool,
    picture: Option<&Path>,
) -> Result<(), Failure> {
    write_bfile(args, &enumeration.depths)?;
    match args.json {
        true => print_json(enumeration)?,
        false => print(&describe(enumeration, goal, bars))?,
    }
    if let Some(path) = picture {
        pictures::write_picture(path, &depths_chart(enumeration, goal).svg())?;
    }
    Ok(())
}

/// Returns the request that the arguments make.
fn job(args: &EnumerateArgs) -> Result<SpaceJob, Failure> {
    let memory = args.memory;
    if let Some(path) = &args.resume {
        #[cfg(feature = "cluster")]
        if taquin_cluster::has_shares(path) {
            let path = path.display();
            return Err(Failure::input(format!("{path}: saved by several processes")).hint(
                format!("to continue with one: taquin enumerate --resume {path} --local 1"),
            ));
        }
        let job = SpaceJob::resume(path, args.checkpoint_every);
        return job.map(|job| SpaceJob { memory, ..job }).map_err(|error| not_resumed(&error));
    }
    let size = args.size().ok_or_else(|| Failure::input("no size given"))?;
    let goal = goal_of_size(&args.goal, size, args.blanks)?;
    if args.on == Device::Gpu {
        only_counts(args)?;
    }
    if let Some(path) = args.checkpoint.as_ref().or(args.disk.as_ref()) {
        only_steps(args, path)?;
    }
    let files = match (&args.checkpoint, &args.disk) {
        (Some(path), _) => {
            let every = args.checkpoint_every.unwrap_or(SpaceJob::SAVE_INTERVAL);
            SpaceFiles::Checkpoint { path: path.clone(), every }
        }
        (None, Some(folder)) => SpaceFiles::Layers(folder.clone()),
        (None, None) if args.save => SpaceFiles::Table,
        (None, None) => SpaceFiles::None,
    };
    Ok(SpaceJob { goal, metric: args.metric, on: args.on, memory, files, resumed: None })
}

/// Announces the work and its memory.
fn begun(SpaceJob { goal, files, resumed, .. }: &SpaceJob, on: Device, extent: Extent) -> String {
    let size = goal.size();
    if let Some(depth) = resumed {
        return format!("{size}: resuming at depth {depth}");
    }
    let needs = match (on, files) {
        (Device::Cpu, SpaceFiles::Layers(folder)) => {
            let bytes = write_bytes(space::disk_extent(goal).1);
            format!("{bytes} of disk space in {}", folder.display())
        }
        (Device::Cpu, _) => format!("{} of memory", write_bytes(extent.bytes)),
        (Device::Gpu, _) => format!("{} of device memory", write_bytes(extent.bytes)),
    };
    format!("{size}: {}, {needs}", count(extent.states, "board", "boards"))
}

/// Returns whether a file was not written, or else not read.
fn is_unwritten(error: &FileError) -> bool {
    matches!(&error.fault, FileFault::Io(cause) if cause.kind() != io::ErrorKind::NotFound)
}

impl EnumerateArgs {
    /// The file or the folder that has the progress.
    fn saved_as(&self) -> Option<&Path> {
        [&self.checkpoint, &self.disk, &self.resume].into_iter().flatten().next().map(AsRef::as_ref)
    }
}

fn continued(path: &Path) -> String {
    format!("to continue: taquin enumerate --resume {}", path.display())
}

/// Refuses to save what cannot be saved, or to overwrite another file.
fn only_steps(args: &EnumerateArgs, path: &Path) -> Result<(), Failure> {
    let flag = if args.disk.is_some() { "--disk" } else { "--checkpoint" };
    if args.on == Device::Gpu {
        return Err(
            Failure::input(format!("{flag} is not available on a device")).hint("omit --on gpu")
        );
    }
    if args.metric == Metric::Multi {
        return Err(Failure::input(format!("{flag} is not available with --metric multi"))
            .hint(format!("omit {flag}")));
    }
    let is_used = match args.disk {
        Some(_) => path.join("state").exists() || path.is_file(),
        None => path.exists(),
    };
    if is_used {
        return Err(Failure::input(format!("{}: it exists", path.display()))
            .hint(format!("use --resume {} to continue, or remove it", path.display())));
    }
    Ok(())
}

/// Converts the error of a file that cannot be resumed.
fn not_resumed(error: &FileError) -> Failure {
    let path = error.path.display();
    let again = "start again with --checkpoint or --disk, or restore a copy";
    match &error.fault {
        FileFault::Io(cause) if cause.kind() == io::ErrorKind::NotFound => {
            Failure::input(format!("{path}: no such file"))
                .hint("give a file that --checkpoint wrote, or a folder of --disk")
        }
        FileFault::Io(cause) => Failure::input(format!("{path}: can't be read: {cause}"))
            .hint("give a file that --checkpoint wrote, or a folder of --disk"),
        FileFault::Foreign => Failure::input(format!("{path}: not a saved enumeration"))
            .hint("give a file that --checkpoint wrote, or a folder of --disk"),
        FileFault::Version { found, read } => Failure::input(format!(
            "{path}: saved in format {found}; this program reads format {read}"
        ))
        .hint("use the taquin that wrote it, or start again"),
        FileFault::ByteOrder => {
            Failure::input(format!("{path}: saved on a machine with the other byte order"))
                .hint("resume it there, or start again")
        }
        _ => Failure::input(format!("{path}: the saved enumeration is damaged")).hint(again),
    }
}

/// Prints the depths that were asked for, or completed before an interruption.
fn partial(args: &EnumerateArgs, goal: &Board, depths: &[u64]) -> Result<(), Failure> {
    write_bfile(args, depths)?;
    let metric = if args.resume.is_some() { Metric::Single } else { args.metric };
    if args.json {
        let (size, tiles) = (goal.size(), goal.tiles());
        let place = args.unbounded.map(Unbounded::name);
        let document = match place {
            Some(place) => json!({
                "unbounded": place, "metric": metric, "depths": depths, "complete": false,
            }),
            None => json!({
                "rows": size.rows(), "cols": size.cols(), "goal": tiles, "metric": metric,
                "depths": depths, "complete": false,
            }),
        };
        return Ok(print_json(&document)?);
    }
    let goal = match args.unbounded {
        Some(place) => format!("a board without bounds (blank: {})", place.name()),
        None => format!("the goal {goal}"),
    };
    let boards = count(depths.iter().sum(), "board", "boards");
    let depth = depths.len() - 1;
    let mut text = format!(
        "{BOLD}{boards}{PLAIN} up to depth {depth} for {goal}, {}\n\n",
        metric_words(metric)
    );
    let rows = depths.iter().enumerate();
    let rows = rows.map(|(depth, &boards)| [depth.to_string(), thousands(boards)]);
    text += &Columns::new("rr").headings(["depth", "boards"]).rows(rows).lines().concat();
    Ok(print(&text)?)
}

/// Refuses options that a device does not support.
fn only_counts(args: &EnumerateArgs) -> Result<(), Failure> {
    let refused = match args {
        EnumerateArgs { save: true, .. } => "--save",
        EnumerateArgs { metric: Metric::Multi, .. } => "--metric multi",
        _ => return Ok(()),
    };
    Err(Failure::input(format!("{refused} is not available on a device")).hint("omit --on gpu"))
}

/// Describes progress and estimates the remaining time.
fn describe_progress(states: u64) -> impl Fn(SearchStatus) -> String + Send + 'static {
    move |SearchStatus { progress: Progress { expanded, frontier, bound, .. }, elapsed, .. }| {
        let share = expanded as f64 / states as f64;
        // The first layers say nothing about the time.
        let left = match share >= 0.01 {
            true => {
                let left = elapsed.mul_f64((1.0 / share - 1.0).max(0.0));
                format!(", about {} left", indicatif::HumanDuration(left))
            }
            false => String::new(),
        };
        format!(
            "{:.0} s: depth {bound}, {}; {:.0} %{left}",
            elapsed.as_secs_f64(),
            count(frontier, "board", "boards"),
            share * 100.0,
        )
    }
}
