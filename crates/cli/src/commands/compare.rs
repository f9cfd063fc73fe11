//! `taquin compare`.

mod table;

use std::path::{Path, PathBuf};

use clap::Parser;
use taquin::{Board, Costs, Device, Estimate, Metric, NamedGoal, Partition, Size};
use taquin_draw::stacked;
use taquin_experiment::{Comparison, CrewEvent, ExperimentRun, NamedSetting};
use taquin_lab::instances::{Instance, read_boards};
use taquin_lab::{Course, Request, check_costs, pair};

use crate::args::{LimitArgs, within};
use crate::config::CONFIG;
use crate::failure::{CommandResult, Failure};
use crate::input::{Source, goal_for, goal_source, named_bytes};
use crate::output::{print, print_json, say};
use crate::{instances, pictures, suggest, tables, watch};

/// Compare methods on the same boards
///
/// By default, it solves the eight 8-puzzles that courses use with uniform-cost search and with A*
/// by misplaced tiles and by Manhattan distance. If these boards do not fit your goal or method, it
/// uses others at the same depths.
#[derive(Parser, Debug)]
#[command(after_help = format!("\
Examples:
  taquin compare                       the table of the courses
  taquin compare --as ucr-heap         the same as a course counts
  taquin compare --chart figures.svg   the three charts of the courses
  taquin compare 867254301 -m bfs -m ida:manhattan -m greedy
  taquin compare --instances korf100 -m ida:pdb=6-6-3 -m anytime --time 1s
  taquin compare --instances \"korf100 1..10\" -m ida:linear -m ida:pdb=5-5-5
  taquin generate 4x4 --number 5 | taquin compare - -m ida -m wastar
  taquin compare --file boards.txt -m astar:linear --csv > table.csv

A file has one board per line, or boards of several lines with empty lines
between them. A run that reaches a limit is a row of the table; the others
continue. 'optimal' considers all runs on a puzzle: +2 means that the solution
costs 2 more than the cheapest.

{}", instances::listed()))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct CompareArgs {
    /// Boards, in any notation; - reads standard input
    #[arg(value_name = "BOARD")]
    boards: Vec<String>,
    /// Read the boards from a file
    #[arg(long, short, value_name = "FILE", conflicts_with = "boards")]
    file: Option<PathBuf>,
    /// Instance set; can be repeated
    #[arg(long, value_name = "SET", conflicts_with_all = ["boards", "file"])]
    instances: Vec<String>,
    /// Method; can be repeated
    #[arg(long, short, value_name = "METHOD", value_parser = suggest::methods(), hide_possible_values = true)]
    method: Vec<String>,
    /// Where to run the named methods: cpu or gpu, as their field on=gpu says
    #[arg(long, value_name = "WHERE", requires = "method")]
    on: Option<Device>,
    /// Use the goal, methods and rules of a course or paper (see 'taquin list courses')
    #[arg(long = "as", value_name = "NAME", value_parser = suggest::courses(), hide_possible_values = true)]
    course: Option<String>,
    /// Goal: last, first, spiral, a board, or @FILE [default: last, or the course's]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// Board size, if the notation does not determine it
    #[arg(long, value_name = "RxC", conflicts_with = "instances")]
    size: Option<Size>,
    /// Cost of a move: unit, tile, or a list [default: unit, or the course's]
    #[arg(long, value_name = "COST")]
    cost: Option<Costs>,
    /// Count single tiles (single) or whole segments (multi) as moves
    #[arg(long, value_name = "METRIC")]
    metric: Option<Metric>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Number of threads, for methods that can use several
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within::<u16>(1..=1024))]
    threads: u16,
    /// Draw nodes, largest frontier and time against depth: .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    /// Print comma-separated values
    #[arg(long, group = "format")]
    csv: bool,
    /// Print one JSON object
    #[arg(long, group = "format")]
    json: bool,
    /// Print a Markdown table
    #[arg(long, group = "format")]
    markdown: bool,
    /// Print a LaTeX table (booktabs)
    #[arg(long, group = "format")]
    latex: bool,
}

pub(crate) fn run(args: &CompareArgs) -> CommandResult {
    let runs = runs(args)?;
    // A file name that cannot be used is reported before the searches.
    if let Some(path) = &args.chart {
        pictures::format(path)?;
    }
    let session = tables::session();
    tables::prepare_all(&session, runs.iter().map(|run| &run.task))?;
    let shown = watch::Runs::new();
    let tell = |event: CrewEvent<'_>| shown.show(&event);
    let comparison = Comparison::run(&runs, &session, &watch::interruptible(), &tell);
    shown.end();
    match () {
        () if args.json => print_json(&comparison)?,
        () if args.csv => print(&table::csv(&comparison)?)?,
        () if args.markdown => print(&table::document(&comparison, true).markdown())?,
        () if args.latex => {
            let table = table::document(&comparison, false).latex();
            print(&format!("% Needs \\usepackage{{booktabs}}.\n{table}"))?;
        }
        () => print(&table::text(&comparison))?,
    }
    if !comparison.samples.time_note.is_empty() {
        say(&comparison.samples.time_note);
    }
    if let Some(path) = &args.chart {
        pictures::write_picture(path, &stacked(&comparison.samples.against_depth()))?;
    }
    if !comparison.complete {
        say("interrupted: the table has the results so far");
        return Ok(130);
    }
    Ok(0)
}

/// Returns every method on every puzzle.
fn runs(args: &CompareArgs) -> Result<Vec<ExperimentRun>, Failure> {
    let course = args.course.as_deref().map(Course::resolve).transpose()?;
    let request = Request {
        course: args.course.clone(),
        limits: args.limits.limits(),
        cost: args.cost.clone(),
        metric: args.metric,
        threads: Some(args.threads.into()),
        ..Request::default()
    };
    let on = args.on.map_or_else(String::new, |device| format!(",on={device}"));
    let methods: Vec<String> = args.method.iter().map(|method| format!("{method}{on}")).collect();
    let methods = NamedSetting::compared(&request, &methods)?;
    let named = course.as_ref().map(|course| course.goal.to_string());
    let goal = args.goal.as_deref().map(goal_source).transpose()?.map(|goal| goal.text);
    let instances = instances(args, goal.as_deref().or(named.as_deref()), &methods)?;
    for instance in &instances {
        check_costs(args.cost.as_ref().unwrap_or(&Costs::Unit), instance.puzzle.start())?;
    }
    let each = |instance| methods.iter().map(move |method| method.run(instance));
    Ok(instances.iter().flat_map(each).collect())
}

fn instances(
    args: &CompareArgs,
    goal: Option<&str>,
    methods: &[NamedSetting],
) -> Result<Vec<Instance>, Failure> {
    let boards = boards(args, goal.unwrap_or(CONFIG.usual_goal().name()))?;
    if !boards.is_empty() {
        let numbered = |(number, board): (usize, Board)| {
            let goal = goal_for(goal.unwrap_or(CONFIG.usual_goal().name()), &board)?;
            let (label, source) = (number.to_string(), board.to_string());
            Ok(Instance { label, source, puzzle: pair(board, goal)?, known: None })
        };
        return (1..).zip(boards).map(numbered).collect();
    }
    if args.file.is_some() || !args.boards.is_empty() {
        return Err(Failure::input("the input has no boards").hint("write one board per line"));
    }
    if args.instances.is_empty() {
        return usual(goal, methods);
    }
    of_sets(&args.instances, goal)
}

fn of_sets(texts: &[String], goal: Option<&str>) -> Result<Vec<Instance>, Failure> {
    let sets = texts.iter().map(|text| instances::read(text, goal));
    Ok(sets.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The depths of the boards that courses use.
const DEPTHS: [u32; 8] = [0, 2, 4, 8, 12, 16, 20, 24];

/// The deepest boards that are found quickly on boards with more than 9 cells.
const DEEPEST: u32 = 16;

/// Returns the boards that courses use, or boards at the same depths if these do not fit a named
/// goal or a method's pattern databases.
fn usual(goal: Option<&str>, methods: &[NamedSetting]) -> Result<Vec<Instance>, Failure> {
    let estimates = methods.iter().filter_map(|method| method.setting.method.estimate.as_ref());
    let mut partitions = estimates.flat_map(Estimate::databases).filter_map(Estimate::partition);
    let size = partitions.find_map(|partition| {
        Partition::named().find(|(named, _)| named == partition).map(|(_, size)| size)
    });
    let is_other = goal
        .and_then(|goal| goal.parse().ok())
        .is_some_and(|goal: NamedGoal| goal != NamedGoal::Last);
    if size.is_none() && !is_other {
        return instances::read("courses", goal);
    }
    let depths = DEPTHS.iter().filter(|depth| size.is_none() || **depth <= DEEPEST);
    let shown = size.map_or_else(|| "3x3".to_owned(), |size| size.to_string());
    let texts: Vec<String> = depths.map(|depth| format!("depth {shown} {depth} n=1")).collect();
    of_sets(&texts, goal)
}

fn boards(args: &CompareArgs, goal: &str) -> Result<Vec<Board>, Failure> {
    let several = |path: &Path| {
        let (bytes, name) = named_bytes(path, "boards")?;
        read_boards(&String::from_utf8_lossy(&bytes), args.size).map_err(|error| {
            let source = Source { name: Some(name), ..Source::default() };
            let failure = Failure::placed(&error.to_string(), error.place(), "board", &source);
            error.hint().into_iter().fold(failure, Failure::hint)
        })
    };
    let mut boards = args.file.as_deref().map(several).transpose()?.unwrap_or_default();
    // Without quotes a shell makes several words of a board.
    let joined = args.boards.join(" ");
    let words = match Source::argument(&joined).start(args.size, Some(goal)) {
        Ok(_) if args.boards.len() > 1 => vec![joined],
        _ => args.boards.clone(),
    };
    for text in &words {
        match text == "-" {
            true => boards.extend(several(Path::new(text))?),
            false => boards.push(Source::argument(text).start(args.size, Some(goal))?),
        }
    }
    Ok(boards)
}
