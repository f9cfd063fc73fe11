//! Boards to try, whole spaces, audits, matches and comparisons. Results are JSON, which the Python
//! code turns into objects.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use taquin::{
    Algorithm, Board, DepthError, Device, Estimate, Method, Metric, Monitor, Notation, Preparation,
    Random, SpaceFiles, SpaceJob, Watch, write_moves,
};
use taquin_draw::{Chart, depths_chart, draw_board, stacked};
use taquin_experiment::{Comparison, CrewEvent, ExperimentRun, NamedSetting};
use taquin_lab::amounts::thousands;
use taquin_lab::instances::{Instance, SETS};
use taquin_lab::{
    Audit, Check, Course, Draw, Listing, Question, Request, TargetCounts, check_costs, clock_seed,
    matching, pair, read_goal, read_goal_of_size,
};

use crate::background::run;
use crate::board::{PyBoard, read, read_goal_like, read_size, text_of};
use crate::errors::{self, failed};
use crate::options::{self, read_number, usual_memory};
use crate::own::{self, Callable};
use crate::report::{json, python_string};
use crate::solve::{session, warn};

/// A goal if only the size and the number of blanks are known.
fn goal_of_size(
    goal: Option<&Bound<'_, PyAny>>,
    size: &Bound<'_, PyAny>,
    blanks: &Bound<'_, PyAny>,
) -> PyResult<Board> {
    let size = read_size(size)?;
    let blanks = usize::try_from(read_number("blanks", blanks)?).unwrap_or(usize::MAX);
    let text = goal.map_or_else(|| Ok("last".to_owned()), text_of)?;
    read_goal_of_size(&text, size, blanks).map_err(|error| errors::request(&error))
}

/// Everything that a method can be made of.
#[pyfunction]
pub(crate) fn methods() -> PyResult<String> {
    json(&Listing::new())
}

/// The names of the courses, and what they are.
#[pyfunction]
pub(crate) fn courses() -> Vec<(&'static str, &'static str)> {
    Course::built_in().iter().map(|course| (course.name.as_str(), course.about.as_str())).collect()
}

/// The instance sets, and what they contain.
#[pyfunction]
pub(crate) fn instance_sets() -> Vec<(&'static str, &'static str)> {
    SETS.iter().map(|set| (set.usage, set.about)).collect()
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
    count: &Bound<'_, PyAny>,
    seed: Option<&Bound<'_, PyAny>>,
    depth: Option<&Bound<'_, PyAny>>,
    walk: Option<&Bound<'_, PyAny>>,
    goal: Option<&Bound<'_, PyAny>>,
    blanks: &Bound<'_, PyAny>,
    memory: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyBoard>> {
    let goal = goal_of_size(goal, size, blanks)?;
    let number = |field, value: Option<&Bound<'_, PyAny>>| {
        value.map(|value| read_number(field, value)).transpose()
    };
    let draw = match (number("depth", depth)?, number("walk", walk)?) {
        (Some(_), Some(_)) => {
            return Err(errors::option("walk", "depth and walk exclude each other", None));
        }
        (Some(depth), None) => Draw::Depth(depth),
        (None, Some(moves)) if moves > Draw::MAX_WALK => {
            let most = thousands(Draw::MAX_WALK);
            let message = format!("a walk of more than {most} moves takes too long");
            let remedy = "boards without walk are uniformly random, as after an endless walk";
            return Err(errors::option("walk", &message, Some(remedy)));
        }
        (None, Some(moves)) => Draw::Walk(moves as usize),
        (None, None) => Draw::Uniform,
    };
    let memory = number("memory", memory)?.or_else(usual_memory);
    let count = usize::try_from(read_number("count", count)?).unwrap_or(usize::MAX);
    let random = Random::new(number("seed", seed)?.unwrap_or_else(clock_seed));
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

/// The moves that lead from the goal to a board.
#[pyfunction]
pub(crate) fn scramble(
    py: Python<'_>,
    board: &PyBoard,
    goal: Option<&Bound<'_, PyAny>>,
    notation: &str,
) -> PyResult<String> {
    let notation: Notation = errors::parsed("notation", notation)?;
    let puzzle = board.puzzle(goal)?;
    let moves = py.detach(|| taquin_lab::scramble(session(), &puzzle));
    let moves =
        moves.ok_or_else(|| failed(&"no way from the goal to the board was found", None))?;
    write_moves(&moves, puzzle.goal(), notation).map_err(|error| failed(&error, None))
}

/// How many boards are at each distance from a goal, as JSON and as a chart. `progress` is called with
/// the share.
#[pyfunction]
#[pyo3(signature = (size, goal, blanks, metric, save, on, memory, progress, checkpoint, checkpoint_every, disk, resume))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn enumerate(
    py: Python<'_>,
    size: Option<&Bound<'_, PyAny>>,
    goal: Option<&Bound<'_, PyAny>>,
    blanks: &Bound<'_, PyAny>,
    metric: &str,
    save: bool,
    on: &str,
    memory: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
    checkpoint: Option<PathBuf>,
    checkpoint_every: Option<&Bound<'_, PyAny>>,
    disk: Option<PathBuf>,
    resume: Option<PathBuf>,
) -> PyResult<(String, String)> {
    let metric: Metric = errors::parsed("metric", metric)?;
    let on: Device = errors::parsed("on", on)?;
    let is_kept = checkpoint.is_some() || disk.is_some() || resume.is_some();
    if on == Device::Gpu && (save || is_kept || metric == Metric::Multi) {
        let message = "a device counts single moves, and saves nothing";
        return Err(errors::option("on", message, Some("omit on")));
    }
    let memory = memory.map(|memory| read_number("memory", memory)).transpose()?;
    let every = checkpoint_every
        .map(|every| options::read_seconds("checkpoint_every", every).map(Duration::from_secs_f64))
        .transpose()?;
    if is_kept && (save || metric == Metric::Multi) {
        let message = "a space in files has single moves, and is not saved as a table";
        return Err(errors::option(
            "checkpoint",
            message,
            Some("omit checkpoint, disk and resume"),
        ));
    }
    let size = size.filter(|size| !size.is_none());
    let job = match (size, checkpoint, disk, resume) {
        (None, None, None, Some(path)) => {
            let job = SpaceJob::resume(&path, every);
            SpaceJob { memory, ..job.map_err(|error| unexplored(&error.into()))? }
        }
        (Some(size), checkpoint, disk, None) if checkpoint.is_none() || disk.is_none() => {
            let goal = goal_of_size(goal, size, blanks)?;
            let files = match (checkpoint, disk) {
                (Some(path), _) if path.exists() => {
                    let message = format!("{}: the file exists", path.display());
                    let remedy = "use resume to continue, or remove the file";
                    return Err(errors::option("checkpoint", &message, Some(remedy)));
                }
                (Some(path), _) => {
                    SpaceFiles::Checkpoint { path, every: every.unwrap_or(SpaceJob::SAVE_INTERVAL) }
                }
                (None, Some(folder)) => SpaceFiles::Layers(folder),
                (None, None) if save => SpaceFiles::Table,
                (None, None) => SpaceFiles::None,
            };
            SpaceJob { goal, metric, on, memory, files, resumed: None }
        }
        _ => {
            let message = "give a size, and checkpoint or disk with it, or resume alone";
            return Err(errors::option("size", message, None));
        }
    };
    let states = taquin::space::extent(&job.goal, metric).states;
    let drawn = job.goal.clone();
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
    let work = move || {
        let enumeration = session().run(&job, Watch::by(&shared).with_warnings(&warn));
        if enumeration.is_ok() {
            job.remove_progress();
        }
        enumeration
    };
    let show = |found: Result<taquin::Enumeration, taquin::SpaceError>| match found {
        Ok(enumeration) => Ok((json(&enumeration)?, depths_chart(&enumeration, &drawn).svg())),
        Err(error) => Err(unexplored(&error)),
    };
    run(py, &monitor, tick, "enumeration", show, work)
}

fn unexplored(error: &taquin::SpaceError) -> PyErr {
    let remedy = match error {
        taquin::SpaceError::File(_) => "give what checkpoint or disk wrote, or start again",
        _ => "choose a smaller board, or raise memory",
    };
    failed(error, Some(remedy))
}

/// Compares a heuristic with the true distances: one of taquin's, or a function in Python.
#[pyfunction]
#[pyo3(signature = (heuristic, size, goal, blanks, cost, limits, progress=None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn audit(
    py: Python<'_>,
    heuristic: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
    goal: Option<&Bound<'_, PyAny>>,
    blanks: &Bound<'_, PyAny>,
    cost: Option<&Bound<'_, PyAny>>,
    limits: Option<&Bound<'_, PyDict>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let goal = goal_of_size(goal, size, blanks)?;
    let limits = options::limits(limits)?;
    let cost = cost.map(options::read_cost).transpose()?.unwrap_or_default();
    let Ok(name) = heuristic.cast::<PyString>() else {
        return own::audit(heuristic, &goal, &cost, &limits, progress);
    };
    let estimate: Estimate = name.to_str()?.parse().map_err(|error: taquin::MethodError| {
        errors::raise("MethodError", &error.to_string(), Some("heuristic"), None, error.hint())
    })?;
    let monitor = Arc::new(Monitor::default());
    let (shared, watched) = (Arc::clone(&monitor), Arc::clone(&monitor));
    let total = taquin::space::extent(&goal, Metric::Single).states;
    let tick = |_| match progress {
        Some(progress) => {
            progress.call1((watched.progress().expanded.min(total), total)).map(|_| ())
        }
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let method = Method::new(Algorithm::Astar, Some(estimate));
    let work = move || Audit::of(session(), &method, &goal, &cost, &limits, &shared);
    run(py, &monitor, tick, "audit", own::shown_audit, work)
}

/// The policies that give certain counts.
#[pyfunction]
#[pyo3(signature = (board, expanded, queue, generated, method, course, goal, limit, size))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn find_matches(
    py: Python<'_>,
    board: &Bound<'_, PyAny>,
    expanded: &Bound<'_, PyAny>,
    queue: Option<&Bound<'_, PyAny>>,
    generated: Option<&Bound<'_, PyAny>>,
    method: Option<String>,
    course: Option<&str>,
    goal: Option<&Bound<'_, PyAny>>,
    limit: &Bound<'_, PyAny>,
    size: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let expanded = read_number("expanded", expanded)?;
    let queue = queue.map(|count| read_number("queue", count)).transpose()?;
    let generated = generated.map(|count| read_number("generated", count)).transpose()?;
    let limit = read_number("limit", limit)?;
    let wrong = |error: taquin_lab::CourseError| {
        let hint = error.hint();
        errors::raise("CourseError", &error.to_string(), Some("as_"), None, hint.as_deref())
    };
    let course = course.map(Course::resolve).transpose().map_err(wrong)?;
    let start = read(board, size.map(read_size).transpose()?)?;
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
            memory: taquin::free_memory().map(|bytes| bytes / 4 * 3),
            others: &[],
        };
        matching(
            TargetCounts { expanded, queue, generated },
            &question,
            session(),
            &shared,
            &|_| {},
        )
    };
    let show = |matches: Result<taquin_lab::Matches, taquin_lab::CourseError>| match matches {
        Ok(matches) => json(&matches),
        Err(error) => Err(wrong(error)),
    };
    run(py, &monitor, None, "matches", show, work)
}

/// A puzzle of an instance set.
///
/// >>> one = taquin.instances("korf100")[0]
/// >>> one.label, one.optimum, one.board.size
/// ('Korf 1', 57, (4, 4))
#[pyclass(name = "Instance", module = "taquin", frozen, eq, get_all)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyInstance {
    /// The name of the puzzle.
    label: String,
    /// The start.
    board: PyBoard,
    /// The goal.
    goal: PyBoard,
    /// The length of the shortest solutions, if it is known.
    optimum: Option<u32>,
}

#[pymethods]
impl PyInstance {
    #[new]
    #[pyo3(signature = (label, board, goal, optimum=None))]
    fn new(label: String, board: &PyBoard, goal: &PyBoard, optimum: Option<u32>) -> Self {
        Self { label, board: board.clone(), goal: goal.clone(), optimum }
    }

    fn __getnewargs__(&self) -> (&str, PyBoard, PyBoard, Option<u32>) {
        (&self.label, self.board.clone(), self.goal.clone(), self.optimum)
    }

    fn __repr__(&self) -> String {
        let optimum = self.optimum.map_or_else(|| "None".to_owned(), |moves| moves.to_string());
        format!(
            "Instance({}, {}, {}, {optimum})",
            python_string(&self.label),
            self.board.__repr__(),
            self.goal.__repr__()
        )
    }

    fn _repr_svg_(&self) -> String {
        draw_board(&self.board.0)
    }
}

impl PyInstance {
    /// The instance, with another goal if there is one.
    pub(crate) fn instance(&self, goal: Option<&str>) -> PyResult<Instance> {
        let wrong = |error| errors::request(&error);
        let start = self.board.0.clone();
        let known = self.optimum.filter(|_| goal.is_none());
        let goal = goal.map(|goal| read_goal(goal, &start)).transpose().map_err(wrong)?;
        let puzzle = pair(start, goal.unwrap_or_else(|| self.goal.0.clone())).map_err(wrong)?;
        Ok(Instance { label: self.label.clone(), source: self.label.clone(), puzzle, known })
    }
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

pub(crate) fn read_set(name: &str, goal: Option<&str>) -> PyResult<Vec<Instance>> {
    taquin_lab::instances::read(name, goal, Path::new(""), session()).map_err(|error| {
        let (message, remedy) = (error.to_string(), error.hint);
        errors::raise("OptionError", &message, Some("instances"), None, remedy.as_deref())
    })
}

/// Runs methods on the same puzzles: the results as JSON, the charts as one SVG picture, and the names
/// of methods with a heuristic in Python. A method is a text, and a heuristic for it or `None`.
/// `progress` is called with the finished runs and the number of runs.
#[pyfunction]
#[pyo3(signature = (boards, methods, options, progress))]
#[expect(clippy::needless_pass_by_value, reason = "they are converted from Python objects")]
pub(crate) fn compare(
    py: Python<'_>,
    boards: Option<&Bound<'_, PyAny>>,
    methods: Vec<(String, Option<Bound<'_, PyAny>>)>,
    options: Option<&Bound<'_, PyDict>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, String, Vec<String>)> {
    let request = options::request(None, options, &options::COMPARE)?;
    // The times of runs are compared, so that each has one thread.
    let request = Request { threads: Some(1), ..request };
    let wrong = |error| errors::request(&error);
    let monitor = Arc::new(Monitor::default());
    let (mut settings, mut own) = (Vec::new(), Vec::new());
    if methods.is_empty() {
        settings = NamedSetting::compared(&request, &[]).map_err(wrong)?;
    }
    for (text, heuristic) in &methods {
        let mut setting =
            NamedSetting::new(&Request { method: Some(text.clone()), ..request.clone() })
                .map_err(wrong)?;
        let is_new = |settings: &[NamedSetting], name: &str| {
            settings.iter().all(|setting| setting.name != name)
        };
        if let Some(function) = heuristic {
            let callable = Callable::new(function, &monitor)?;
            let algorithm = text.split([':', ',']).next().unwrap_or_default();
            let name = callable.method(algorithm);
            let names = std::iter::once(name.clone());
            let mut names = names.chain((2..).map(|number| format!("{name} {number}")));
            setting.name = names.find(|name| is_new(&settings, name)).unwrap_or(name);
            setting.own = Some(setting.name.clone());
            own.push((setting.name.clone(), Arc::new(callable)));
        }
        if is_new(&settings, &setting.name) {
            settings.push(setting);
        }
    }
    let course = settings.first().and_then(|setting| setting.setting.course.clone());
    let named = course.as_ref().map(|course| course.goal.to_string());
    let goal = request.goal.as_deref().or(named.as_deref());
    let instances: Vec<Instance> = match boards {
        None => read_set("courses", goal)?,
        Some(name) if name.cast::<PyString>().is_ok() => read_set(&text_of(name)?, goal)?,
        Some(boards) => {
            let size = request.size.as_deref().and_then(|size| size.parse().ok());
            let number = |number: usize, board: &Bound<'_, PyAny>| {
                if let Ok(instance) = board.cast::<PyInstance>() {
                    return instance.get().instance(request.goal.as_deref());
                }
                let board = read(board, size)?;
                let goal = read_goal(goal.unwrap_or("last"), &board).map_err(wrong)?;
                let (label, source) = (number.to_string(), board.to_string());
                let puzzle = pair(board, goal).map_err(wrong)?;
                Ok(Instance { label, source, puzzle, known: None })
            };
            let each = |(index, board): (usize, PyResult<Bound<'_, PyAny>>)| {
                number(index + 1, &board?).map_err(|error| errors::at(index, error))
            };
            boards.try_iter()?.enumerate().map(each).collect::<PyResult<_>>()?
        }
    };
    if instances.is_empty() {
        return Err(errors::option("boards", "there are no boards", Some("name at least one")));
    }
    let costs = request.cost.clone().unwrap_or_default();
    for instance in &instances {
        check_costs(&costs, instance.puzzle.start()).map_err(wrong)?;
    }
    let each = |instance| settings.iter().map(move |setting| setting.run(instance));
    let runs: Vec<ExperimentRun> = instances.iter().flat_map(each).collect();
    for run in &runs {
        if run.own.is_some() {
            own::check(&run.task.method)?;
        }
    }
    let (total, done) = (runs.len(), Arc::new(AtomicUsize::new(0)));
    let tick = |_| match progress {
        Some(progress) => progress.call1((done.load(Relaxed), total)).map(|_| ()),
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let (shared, counted) = (Arc::clone(&monitor), Arc::clone(&done));
    let callables = own.clone();
    let work = move || {
        let session = session().clone();
        let preparation = Preparation::new(&session);
        for run in &runs {
            // A run whose tables are unavailable reports why.
            let _ = preparation.prepare(&run.task, &shared, &mut |_| ());
        }
        let tell = |event: CrewEvent<'_>| {
            if matches!(event, CrewEvent::Finished(_)) {
                counted.fetch_add(1, Relaxed);
            }
        };
        let search = |run: &ExperimentRun, watch: Watch<'_>| match callables
            .iter()
            .find(|(name, _)| run.own.as_ref() == Some(name))
        {
            None => session.run(&run.task, watch),
            Some((_, callable)) => callable.report(&run.task, false, watch),
        };
        Comparison::run_by(&runs, &session, &shared, &tell, &search)
    };
    let show = |comparison: Comparison| {
        if let Some(error) = own.iter().find_map(|(_, callable)| callable.exception()) {
            return Err(error);
        }
        let charts: Vec<Chart> = comparison.samples.against_depth();
        let names = own.iter().map(|(name, _)| name.clone()).collect();
        Ok((json(&comparison)?, stacked(&charts), names))
    };
    run(py, &monitor, tick, "comparison", show, work)
}
