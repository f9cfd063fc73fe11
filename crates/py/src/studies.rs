//! Boards to try, whole spaces, audits, matches and comparisons. Results are JSON, which the Python
//! code turns into objects.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use taquin::{Board, DepthError, Estimate, Metric, Monitor, Random};
use taquin_experiment::{Chart, Comparison, Crew, CrewEvent, NamedSetting, Run, Shard, stacked};
use taquin_lab::instances::Instance;
use taquin_lab::{
    Audit, Check, Course, Draw, Listing, Question, Request, Sought, clock_seed, matching, pair,
    read_goal_of_size,
};

use crate::background::run;
use crate::board::{PyBoard, read, read_goal_like, read_size, text_of};
use crate::errors::{self, failed};
use crate::options::{self, usual_memory};
use crate::own;
use crate::report::json;
use crate::solve::session;

/// A goal where only the size and the number of blanks are known.
fn goal_of_size(
    goal: Option<&Bound<'_, PyAny>>,
    size: &Bound<'_, PyAny>,
    blanks: usize,
) -> PyResult<Board> {
    let size = read_size(size)?;
    let text = goal.map_or_else(|| Ok("last".to_owned()), text_of)?;
    read_goal_of_size(&text, size, blanks).map_err(|error| errors::request(&error))
}

/// Everything that a method can be made of.
#[pyfunction]
pub(crate) fn methods() -> PyResult<String> {
    json(&Listing::new())
}

/// Whether a puzzle can be solved, with the proof.
#[pyfunction]
#[pyo3(signature = (board, goal=None))]
pub(crate) fn check(board: &Bound<'_, PyAny>, goal: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
    let board = PyBoard(read(board, None)?);
    json(&Check::new(board.puzzle(goal)?))
}

/// Random boards, and the seed that gives the same ones again.
#[pyfunction]
#[pyo3(signature = (size, count, seed, depth, walk, goal, blanks, memory))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn generate(
    py: Python<'_>,
    size: &Bound<'_, PyAny>,
    count: usize,
    seed: Option<u64>,
    depth: Option<u64>,
    walk: Option<usize>,
    goal: Option<&Bound<'_, PyAny>>,
    blanks: usize,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyBoard>> {
    let goal = goal_of_size(goal, size, blanks)?;
    let draw = match (depth, walk) {
        (Some(_), Some(_)) => {
            return Err(errors::option("walk", "depth and walk exclude each other", None));
        }
        (Some(depth), None) => Draw::Depth(depth),
        (None, Some(moves)) => Draw::Walk(moves),
        (None, None) => Draw::Uniform,
    };
    let memory = match memory {
        Some(memory) => Some(options::read_number("memory", memory)?),
        None => usual_memory(),
    };
    let random = Random::new(seed.unwrap_or_else(clock_seed));
    let monitor = Arc::new(Monitor::default());
    let shared = Arc::clone(&monitor);
    let work = move || {
        let boards = draw.boards(&goal, count, random, session(), memory, &shared);
        let unless_cancelled = |_: &Board| !shared.is_cancelled();
        boards.map(|boards| boards.take_while(unless_cancelled).collect::<Vec<_>>())
    };
    let show = |boards: Result<Vec<Board>, DepthError>| match boards {
        Ok(boards) => Ok(boards.into_iter().map(PyBoard).collect::<Vec<_>>()),
        Err(error) => Err(failed(&error, None)),
    };
    run(py, &monitor, None, "boards", show, work)
}

/// How many boards are at each distance from a goal. `progress` is called with the share.
#[pyfunction]
#[pyo3(signature = (size, goal, blanks, metric, memory, progress))]
pub(crate) fn enumerate(
    py: Python<'_>,
    size: &Bound<'_, PyAny>,
    goal: Option<&Bound<'_, PyAny>>,
    blanks: usize,
    metric: &str,
    memory: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let goal = goal_of_size(goal, size, blanks)?;
    let metric: Metric = errors::parsed("metric", metric)?;
    let memory = match memory {
        Some(memory) => options::read_number("memory", memory)?,
        None => usual_memory().unwrap_or(u64::MAX),
    };
    let states = taquin::space::extent(&goal, metric).states;
    let monitor = Arc::new(Monitor::default());
    let shared = Arc::clone(&monitor);
    let tick = |_| match progress {
        Some(progress) => {
            let share = monitor.progress().expanded as f64 / states as f64;
            progress.call1((share,)).map(|_| ())
        }
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let work = move || session().enumerate(&goal, metric, false, memory, &shared);
    let show = |found: Result<taquin::Enumeration, taquin::SpaceError>| match found {
        Ok(enumeration) => json(&enumeration),
        Err(error) => Err(failed(&error, Some("choose a smaller board, or raise memory"))),
    };
    run(py, &monitor, tick, "enumeration", show, work)
}

/// Compares a heuristic with the true distances: one of taquin's, or a function in Python.
#[pyfunction]
#[pyo3(signature = (heuristic, size, goal, blanks, options))]
pub(crate) fn audit(
    py: Python<'_>,
    heuristic: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
    goal: Option<&Bound<'_, PyAny>>,
    blanks: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let goal = goal_of_size(goal, size, blanks)?;
    let Request { limits, cost, .. } = options::request(None, options)?;
    let cost = cost.unwrap_or_default();
    let Ok(name) = heuristic.cast::<PyString>() else {
        return json(&own::audit(heuristic, &goal, &cost, &limits)?);
    };
    let estimate: Estimate = name.to_str()?.parse().map_err(|error: taquin::MethodError| {
        errors::raise("MethodError", &error.to_string(), Some("heuristic"), None, error.hint())
    })?;
    let monitor = Arc::new(Monitor::default());
    let shared = Arc::clone(&monitor);
    let work = move || Audit::of(session(), &estimate, &goal, &cost, &limits, &shared);
    let show = |audit: Result<Audit, taquin_lab::AuditError>| match audit {
        Ok(audit) => json(&audit),
        Err(error) => Err(failed(&error, Some("choose a smaller board, or raise the limits"))),
    };
    run(py, &monitor, None, "audit", show, work)
}

/// The policies that give certain counts.
#[pyfunction]
#[pyo3(signature = (board, expanded, queue, generated, method, course, goal, limit))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn find_matches(
    py: Python<'_>,
    board: &Bound<'_, PyAny>,
    expanded: u64,
    queue: Option<u64>,
    generated: Option<u64>,
    method: Option<String>,
    course: Option<&str>,
    goal: Option<&Bound<'_, PyAny>>,
    limit: u64,
) -> PyResult<String> {
    let wrong = |error: taquin_lab::CourseError| {
        let hint = error.hint();
        errors::raise("CourseError", &error.to_string(), Some("as_"), None, hint.as_deref())
    };
    let course = course.map(Course::resolve).transpose().map_err(wrong)?;
    let start = read(board, None)?;
    let goal = goal.map(|goal| read_goal_like(goal, &start)).transpose()?;
    if let Some(goal) = &goal {
        pair(start.clone(), goal.clone()).map_err(|error| errors::request(&error))?;
    }
    let monitor = Arc::new(Monitor::default());
    let shared = Arc::clone(&monitor);
    let work = move || {
        let question = Question {
            start: &start,
            goal: goal.as_ref(),
            method: method.as_deref(),
            course: course.as_deref(),
            budget: limit,
        };
        matching(Sought { expanded, queue, generated }, &question, session(), &shared)
    };
    let show = |matches: Result<taquin_lab::Matches, taquin_lab::CourseError>| match matches {
        Ok(matches) => json(&matches),
        Err(error) => Err(wrong(error)),
    };
    run(py, &monitor, None, "matches", show, work)
}

/// A puzzle of an instance set.
#[pyclass(name = "Instance", module = "taquin", frozen, get_all)]
pub(crate) struct PyInstance {
    label: String,
    board: PyBoard,
    goal: PyBoard,
    optimum: Option<u32>,
}

/// The puzzles of an instance set.
#[pyfunction]
#[pyo3(signature = (name, goal=None))]
pub(crate) fn instances(name: &str, goal: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<PyInstance>> {
    let goal = goal.map(text_of).transpose()?;
    let set = read_set(name, goal.as_deref())?;
    let each = |Instance { label, puzzle, known, .. }: Instance| PyInstance {
        label,
        board: PyBoard(puzzle.start().clone()),
        goal: PyBoard(puzzle.goal().clone()),
        optimum: known,
    };
    Ok(set.into_iter().map(each).collect())
}

fn read_set(name: &str, goal: Option<&str>) -> PyResult<Vec<Instance>> {
    taquin_lab::instances::read(name, goal, Path::new("")).map_err(|error| {
        let (message, remedy) = (error.to_string(), error.hint);
        errors::raise("OptionError", &message, Some("instances"), None, remedy.as_deref())
    })
}

/// The methods that courses compare.
const USUAL: [&str; 3] = ["ucs", "astar:misplaced", "astar:manhattan"];

/// Runs methods on the same puzzles: the results as JSON, and the charts as one SVG picture.
/// `progress` is called with the finished runs and the number of runs.
#[pyfunction]
#[pyo3(signature = (boards, methods, options, progress))]
pub(crate) fn compare(
    py: Python<'_>,
    boards: Option<&Bound<'_, PyAny>>,
    methods: Option<Vec<String>>,
    options: Option<&Bound<'_, PyDict>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String)> {
    let request = options::request(None, options)?;
    // The times of runs are compared, so that each has one thread.
    let request = Request { threads: Some(1), ..request };
    let wrong = |error| errors::request(&error);
    let own = |text: &str| {
        NamedSetting::new(&Request { method: Some(text.to_owned()), ..request.clone() })
            .map_err(wrong)
    };
    let mut settings: Vec<NamedSetting> = match (&request.course, methods) {
        (None, None) => USUAL.into_iter().map(own).collect::<PyResult<_>>()?,
        (Some(_), None) => NamedSetting::all(&request).map_err(wrong)?,
        (_, Some(texts)) => texts.iter().map(|text| own(text)).collect::<PyResult<_>>()?,
    };
    // A method that is given twice is compared once.
    let mut names = HashSet::new();
    settings.retain(|setting| names.insert(setting.name.clone()));
    let course = settings.first().and_then(|setting| setting.setting.course.clone());
    let named = course.as_ref().map(|course| course.goal.name());
    let goal = request.goal.as_deref().or(named);
    let instances: Vec<Instance> = match boards {
        None => read_set("courses", goal)?,
        Some(name) if name.cast::<PyString>().is_ok() => {
            read_set(name.cast::<PyString>()?.to_str()?, goal)?
        }
        Some(boards) => {
            let size = request.size.as_deref().and_then(|size| size.parse().ok());
            let mut instances = Vec::new();
            for (number, board) in (1..).zip(boards.try_iter()?) {
                let board = read(&board?, size)?;
                let goal = taquin_lab::read_goal(goal.unwrap_or("last"), &board).map_err(wrong)?;
                let source = board.to_string();
                let puzzle = pair(board, goal).map_err(wrong)?;
                let label = format!("{number}");
                instances.push(Instance { label, source, puzzle, known: None });
            }
            instances
        }
    };
    let each = |instance| settings.iter().map(move |setting| setting.run(instance));
    let runs: Vec<Run> = instances.iter().flat_map(each).collect();
    let (total, done) = (runs.len(), Arc::new(AtomicUsize::new(0)));
    let monitor = Arc::new(Monitor::default());
    let tick = |_| match progress {
        Some(progress) => progress.call1((done.load(Relaxed), total)).map(|_| ()),
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let (shared, counted) = (Arc::clone(&monitor), Arc::clone(&done));
    let work = move || {
        let session = session().clone();
        let crew =
            Crew { session, monitor: shared, jobs: 1, shard: Shard::default(), memory: None };
        Comparison::run(&runs, &crew, &|event| {
            if matches!(event, CrewEvent::Finished(_)) {
                counted.fetch_add(1, Relaxed);
            }
        })
    };
    let show = |compared: Result<Comparison, taquin_experiment::ExperimentStoreError>| {
        let comparison = compared.map_err(|error| failed(&error, None))?;
        let charts: Vec<Chart> = comparison.samples.against_depth();
        Ok((json(&comparison)?, stacked(&charts)))
    };
    run(py, &monitor, tick, "comparison", show, work)
}
