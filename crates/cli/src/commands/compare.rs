//! `taquin compare`.

mod table;

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Parser;
use taquin::{Board, Costs, Method, Session, Size, is_reachable};
use taquin_experiment::{Comparisons, Samples, stacked};
use taquin_lab::instances::read_boards;
use taquin_lab::{Course, CourseMethod, pair};

use crate::args::LimitArgs;
use crate::failure::{CommandResult, Failure};
use crate::input::{Source, file_bytes, goal_for, stdin_bytes};
use crate::output::{print, print_json, say};
use crate::watch::Steps;
use crate::{pictures, tables};

/// Compare methods on the same puzzles
///
/// Without boards and methods: the courses' eight 8-puzzles by uniform-cost search and by A* with
/// misplaced tiles and with Manhattan distance.
#[derive(Parser, Debug)]
#[command(after_help = "\
Examples:
  taquin compare                                         the courses' table
  taquin compare --as ucr-heap                           the same as a course counts
  taquin compare 867254301 -m bfs -m ida:manhattan -m greedy
  taquin gen --size 4 --count 5 --seed 1 | taquin compare - -m ida:linear -m wastar --time 5s
  taquin compare --chart figures.svg                     the courses' three figures
  taquin compare --file boards.txt -m astar:linear --csv > table.csv

A file has one board a line, or boards over several lines with empty lines between them. A run that
reaches a limit is a cell of the table; the others go on. 'optimal' is what is known from all runs
on a puzzle: +2 means that the answer costs 2 more than the cheapest.")]
pub(crate) struct CompareArgs {
    /// The boards, in any notation; - reads them from standard input
    #[arg(value_name = "BOARD")]
    boards: Vec<String>,
    /// Read the boards from a file
    #[arg(long, short, value_name = "FILE", conflicts_with = "boards")]
    file: Option<PathBuf>,
    /// A method; give it several times
    #[arg(long, short, value_name = "METHOD")]
    method: Vec<String>,
    /// Follow a course or a paper: its goal, its methods, its rules ('taquin courses' lists them)
    #[arg(long = "as", value_name = "NAME")]
    course: Option<String>,
    /// The goal: last, first, snail, or a board [default: last, or the course's]
    #[arg(long, short, value_name = "GOAL")]
    goal: Option<String>,
    /// The boards' size, where the notation leaves it open
    #[arg(long, value_name = "RxC")]
    size: Option<Size>,
    /// What a move costs: unit, tile, or a list [default: unit, or the course's]
    #[arg(long, value_name = "COST")]
    cost: Option<Costs>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Draw nodes, largest frontier and time against depth: .svg or .png
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
}

pub(crate) fn run(args: &CompareArgs) -> CommandResult {
    let plan = plan(args)?;
    // A name that can't be written is better known before the searches.
    if let Some(path) = &args.chart {
        pictures::is_png(path)?;
    }
    let session = Session::new();
    prepare(&plan, &session)?;
    let steps = Steps::new(plan.runs());
    let comparison = plan.run(&session, steps.monitor(), &mut |label, name| {
        steps.begin(&format!("{label}, {name}"));
    });
    drop(steps);
    match () {
        () if args.json => print_json(&comparison)?,
        () if args.csv => print(&table::csv(&comparison)?)?,
        () if args.markdown => print(&table::markdown(&comparison))?,
        () => print(&table::text(&comparison))?,
    }
    if let Some(path) = &args.chart {
        pictures::write_picture(path, &stacked(&Samples::from(&comparison).against_depth()))?;
    }
    if !comparison.complete {
        say("interrupted: the table has what was known by then");
        return Ok(130);
    }
    Ok(0)
}

fn plan(args: &CompareArgs) -> Result<Comparisons, Failure> {
    let mut plan = Comparisons::usual();
    plan.course = args.course.as_deref().map(Course::resolve).transpose()?;
    if let Some(course) = &plan.course {
        plan.base = course.task(plan.base.puzzle.clone(), Method::default());
        plan.methods = course
            .methods
            .iter()
            .map(|each| (each.title().to_owned(), each.method.clone()))
            .collect();
    }
    if !args.method.is_empty() {
        let method = |text: &String| match &plan.course {
            Some(course) => course
                .method(Some(text))
                .map(|choice| (renamed(course, &choice.name, text), choice.method))
                .map_err(|error| Failure::course(&error)),
            None => text
                .parse::<Method>()
                .map(|method| (method.to_string(), method))
                .map_err(|error| Failure::method(&error)),
        };
        plan.methods = args.method.iter().map(method).collect::<Result<_, _>>()?;
    }
    // One name, one line: a method that is given twice is compared once.
    let mut names = HashSet::new();
    plan.methods.retain(|(name, _)| names.insert(name.clone()));
    let own_limits = plan.base.limits.clone();
    plan.base.limits = args.limits.limits();
    plan.base.limits.seconds = plan.base.limits.seconds.or(own_limits.seconds);
    if let Some(cost) = &args.cost {
        plan.base.cost = cost.clone();
    }
    let named = plan.course.as_ref().map_or("last", |course| course.goal.name());
    let goal = args.goal.as_deref().unwrap_or(named);
    let boards = boards(args)?;
    if boards.is_empty() {
        if args.file.is_some() || !args.boards.is_empty() {
            return Err(Failure::input("there are no boards in it").hint("write one board a line"));
        }
        return match goal {
            "last" => Ok(plan),
            _ => Err(Failure::input("the courses' puzzles are for the goal 'last'")
                .hint("give boards, or leave --goal away")),
        };
    }
    let numbered = |(at, board): (usize, Board)| {
        let goal = goal_for(goal, &board)?;
        Ok(((at + 1).to_string(), pair(board, goal)?))
    };
    plan.puzzles = boards.into_iter().enumerate().map(numbered).collect::<Result<_, Failure>>()?;
    Ok(plan)
}

/// What a course calls the method that was asked for, with what was asked for otherwise.
fn renamed(course: &Course, name: &str, asked: &str) -> String {
    let known = course.methods.iter().find(|method| method.names.iter().any(|known| known == name));
    let name = known.map_or(name, CourseMethod::title);
    match asked.split_once(',') {
        Some((_, changes)) => format!("{name},{changes}"),
        None => name.to_owned(),
    }
}

fn boards(args: &CompareArgs) -> Result<Vec<Board>, Failure> {
    let several = |bytes: &[u8], source: &str| {
        read_boards(&String::from_utf8_lossy(bytes), args.size).map_err(|error| {
            let source = Source { name: Some(source.to_owned()), ..Source::default() };
            let failure = Failure::placed(&error.to_string(), error.place(), "board", &source);
            error.hint().into_iter().fold(failure, Failure::hint)
        })
    };
    let mut boards = Vec::new();
    match &args.file {
        Some(path) if path.as_os_str() == "-" => {
            boards = several(&stdin_bytes()?, "standard input")?;
        }
        Some(path) => boards = several(&file_bytes(path, "boards")?, &path.display().to_string())?,
        None => {}
    }
    for text in &args.boards {
        match text == "-" {
            true => boards.extend(several(&stdin_bytes()?, "standard input")?),
            false => boards.push(Source::argument(text).board(args.size)?),
        }
    }
    Ok(boards)
}

/// Builds what the methods look up before the clock runs.
fn prepare(plan: &Comparisons, session: &Session) -> Result<(), Failure> {
    let mut known = Vec::new();
    for (_, puzzle) in plan.puzzles.iter().filter(|(_, puzzle)| is_reachable(puzzle)) {
        if !known.contains(&puzzle.goal()) {
            known.push(puzzle.goal());
            for (_, method) in &plan.methods {
                tables::prepare(session, &plan.task(puzzle, method))?;
            }
        }
    }
    Ok(())
}
