//! Solving one board, and many.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use taquin::{
    AllSolutions, BoardInput, Checkpoint, CheckpointError, Ending, ManyError, Monitor, Notation,
    Report, SavedSearch, Session, Slide, SolveMany, Task, Watch, write_moves,
};
use taquin_gpu::Cuda;
use taquin_lab::instances::Instance;
use taquin_lab::{CourseReport, Request, ResolvedRequest, Setting};

use crate::background::{Feed, run};
use crate::report::PyReport;
use crate::studies::{self, PyInstance};
use crate::{board, errors, options, own};

/// The session of this process, which keeps tables from one call to the next.
pub(crate) fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(|| {
        Session::new()
            .with_accelerator(Cuda::default())
            .with_warnings(|warning| warn(&warning.to_string()))
    })
}

/// Warns as Python code does. A filter that makes exceptions of warnings cannot stop a search.
pub(crate) fn warn(text: &str) {
    Python::attach(|py| {
        let warned =
            py.import("warnings").and_then(|warnings| warnings.call_method1("warn", (text,)));
        if let Err(error) = warned {
            error.write_unraisable(py, None);
        }
    });
}

/// The task for a board, or for the board of the course.
pub(crate) fn ask(
    setting: &Setting,
    board: Option<&Bound<'_, PyAny>>,
) -> PyResult<ResolvedRequest> {
    let asked = match board {
        Some(board) => setting.with_board(board::read(board, setting.size)?),
        None => setting.without_board(),
    };
    asked.map_err(|error| errors::request(&error))
}

/// Solves a board. `progress` is called with the time, the counts, the bound and the best cost.
#[pyfunction]
#[pyo3(signature = (board=None, method=None, options=None, heuristic=None, progress=None, files=None, admissible=false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn solve(
    py: Python<'_>,
    board: Option<&Bound<'_, PyAny>>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
    heuristic: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
    files: Option<Files<'_>>,
    admissible: bool,
) -> PyResult<PyReport> {
    let request = options::request(method, options, &options::SEARCH)?;
    let setting = options::setting(&request)?;
    let monitor = Arc::new(Monitor::default());
    let tick = progress.map(|progress| |seconds: f64| show_progress(progress, &monitor, seconds));
    let tick = tick.as_ref().map(|tick| tick as &dyn Fn(f64) -> PyResult<()>);
    if let Some(files) = files {
        return solve_in_parts(py, &setting, board, files, tick, &monitor);
    }
    let asked = ask(&setting, board)?;
    if let Some(heuristic) = heuristic {
        return own::solve(&asked, heuristic, admissible, progress, &monitor);
    }
    let shared = Arc::clone(&monitor);
    let work = move || asked.run(session(), Watch::by(&shared));
    run(py, &monitor, tick, "report", |report| Ok(PyReport::new(report)), work)
}

/// Calls a function with the time, the counts, the bound and the best cost of a search.
pub(crate) fn show_progress(
    progress: &Bound<'_, PyAny>,
    monitor: &Monitor,
    seconds: f64,
) -> PyResult<()> {
    let now = monitor.progress();
    let best = monitor.improvements(0).last().map(|better| better.cost);
    let seen = (seconds, now.expanded, now.generated, now.frontier, now.bound, best);
    progress.call1(seen).map(|_| ())
}

/// A checkpoint to write, the time between two checkpoints, and a checkpoint to resume from.
type Files<'py> = (Option<PathBuf>, Option<Bound<'py, PyAny>>, Option<PathBuf>);

/// Solves a board and saves the progress to a file, which is removed when the search has ended.
fn solve_in_parts(
    py: Python<'_>,
    setting: &Setting,
    board: Option<&Bound<'_, PyAny>>,
    (checkpoint, every, resume): Files<'_>,
    tick: Option<&dyn Fn(f64) -> PyResult<()>>,
    monitor: &Arc<Monitor>,
) -> PyResult<PyReport> {
    let every = every.map(|every| options::read_seconds("checkpoint_every", &every)).transpose()?;
    let every = every.map_or(SavedSearch::SAVE_INTERVAL, Duration::from_secs_f64);
    let wrong = |error: &CheckpointError| {
        let remedy = match error {
            CheckpointError::File { path, error } => return errors::file(path, error),
            CheckpointError::Damaged { .. } | CheckpointError::Version { .. } => {
                Some("start the search again with checkpoint, or restore a copy of the file")
            }
            CheckpointError::Method { .. } => Some("choose another method, such as ida:pdb=small"),
            CheckpointError::Foreign { .. } => Some("give a file that checkpoint wrote"),
            _ => None,
        };
        errors::failed(error, remedy)
    };
    let (task, from, path) = match (checkpoint, resume) {
        (Some(path), None) => {
            if path.exists() {
                let message = format!("{}: the file exists", path.display());
                let remedy = "use resume to continue that search, or remove the file";
                return Err(errors::option("checkpoint", &message, Some(remedy)));
            }
            (ask(setting, board)?.task, None, path)
        }
        (None, Some(path)) if board.is_none() => {
            let from = Checkpoint::read(&path).map_err(|error| wrong(&error))?;
            let Task { threads, limits, .. } = setting.with_puzzle(from.task.puzzle.clone()).task;
            (Task { threads, limits, ..from.task.clone() }, Some(from), path)
        }
        _ => {
            let message = "a search is resumed with the board of its checkpoint";
            let remedy = "give either a board and checkpoint, or resume alone";
            return Err(errors::option("resume", message, Some(remedy)));
        }
    };
    let shared = Arc::clone(monitor);
    let work = move || {
        let job = SavedSearch { task: &task, from: from.as_ref(), path: &path, every };
        let report = session().run(job, Watch::by(&shared))?;
        if report.outcome != Ending::Stopped {
            let _ = std::fs::remove_file(&path);
        }
        Ok(report)
    };
    let show = |report: Result<Report, CheckpointError>| match report {
        Ok(report) => Ok(PyReport::new(CourseReport::new(report, None))),
        Err(error) => Err(wrong(&error)),
    };
    run(py, monitor, tick, "report", show, work)
}

/// Every shortest solution, up to `limit`: the report of the first, the moves of all in a notation, and
/// whether there are no others.
#[pyfunction]
#[pyo3(signature = (board, method, options, limit, notation))]
pub(crate) fn solutions(
    py: Python<'_>,
    board: Option<&Bound<'_, PyAny>>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
    limit: &Bound<'_, PyAny>,
    notation: &str,
) -> PyResult<(PyReport, Vec<String>, bool)> {
    let request = options::request(method, options, &options::SEARCH)?;
    let task = ask(&options::setting(&request)?, board)?.task;
    let limit = options::read_number("limit", limit)?;
    let notation: Notation = errors::parsed("notation", notation)?;
    let monitor = Arc::new(Monitor::default());
    let shared = Arc::clone(&monitor);
    let work = move || {
        let mut listed = Vec::new();
        let each = &mut |slides: &[Slide]| {
            let moves = write_moves(slides, task.puzzle.start(), notation);
            listed.push(moves.unwrap_or_default());
            match (listed.len() as u64) < limit {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        };
        let all = AllSolutions { task: &task, each };
        let (report, complete) = session().run(all, Watch::by(&shared));
        (report, listed, complete)
    };
    let show = |(report, listed, complete): (Report, Vec<String>, bool)| {
        Ok((PyReport::new(CourseReport::new(report, None)), listed, complete))
    };
    run(py, &monitor, None, "solutions", show, work)
}

/// The tasks of boards or of an instance set, and how many are solved at a time, each with one thread.
fn tasks(
    boards: &Bound<'_, PyAny>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Vec<ResolvedRequest>, usize)> {
    let request = options::request(method, options, &options::SEARCH)?;
    let threads = request.threads.unwrap_or_else(options::cores);
    let goal = request.goal.clone();
    let setting = options::setting(&Request { threads: Some(1), ..request })?;
    let instance = |instance: Instance| {
        setting.with_instance(instance.puzzle).map_err(|error| errors::request(&error))
    };
    let tasks: Vec<ResolvedRequest> = match boards.cast::<PyString>() {
        Ok(name) => {
            let set = studies::read_set(name.to_str()?, goal.as_deref())?;
            set.into_iter().map(instance).collect::<PyResult<_>>()?
        }
        Err(_) => {
            let read = |board: &Bound<'_, PyAny>| match board.cast::<PyInstance>() {
                Ok(one) => instance(one.get().instance(goal.as_deref())?),
                Err(_) => ask(&setting, Some(board)),
            };
            let each = |(index, board): (usize, PyResult<Bound<'_, PyAny>>)| {
                read(&board?).map_err(|error| errors::at(index, error))
            };
            boards.try_iter()?.enumerate().map(each).collect::<PyResult<_>>()?
        }
    };
    let threads = threads.min(tasks.len()).max(1);
    Ok((tasks, threads))
}

/// Solves boards. `done` is called after each one, and `write` with the next reports in the order of the
/// boards.
fn solve_each(
    (tasks, threads): (Vec<ResolvedRequest>, usize),
    monitor: &Arc<Monitor>,
    done: &(dyn Fn() + Sync),
    mut write: impl FnMut(CourseReport),
) -> Result<(), ManyError> {
    let job = SolveMany {
        input: BoardInput::quick(tasks.into_iter().map(Ok)),
        threads,
        parse: &|asked: ResolvedRequest| (asked.course, Some(asked.task)),
        answer: &|course, report| {
            done();
            report.map(|report| CourseReport::new(report, course.as_deref()))
        },
        write: &mut |answers: Vec<Option<CourseReport>>| {
            answers.into_iter().flatten().for_each(&mut write);
            Ok(())
        },
    };
    session().run(job, Watch::by(monitor))
}

/// Solves many boards, several at a time. `progress` is called with the number of reports and the number
/// of boards.
#[pyfunction]
#[pyo3(signature = (boards, method=None, options=None, progress=None))]
pub(crate) fn solve_many(
    py: Python<'_>,
    boards: &Bound<'_, PyAny>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyReport>> {
    let tasks = tasks(boards, method, options)?;
    let monitor = Arc::new(Monitor::default());
    let (done, total) = (Arc::new(AtomicUsize::new(0)), tasks.0.len());
    let tick = |_| match progress {
        Some(progress) => progress.call1((done.load(Relaxed), total)).map(|_| ()),
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let (shared, counted) = (Arc::clone(&monitor), Arc::clone(&done));
    let work = move || {
        let mut reports = Vec::with_capacity(total);
        let count = || {
            counted.fetch_add(1, Relaxed);
        };
        solve_each(tasks, &shared, &count, |report| reports.push(report)).map(|()| reports)
    };
    let show = |reports: Result<Vec<CourseReport>, ManyError>| match reports {
        Ok(reports) => Ok(reports.into_iter().map(PyReport::new).collect::<Vec<_>>()),
        Err(error) => Err(errors::failed(&error, None)),
    };
    run(py, &monitor, tick, "reports", show, work)
}

/// How many reports may wait to be read.
const MAX_WAITING: usize = 1 << 10;

/// The reports of many boards, as they come.
#[pyclass(module = "taquin", frozen)]
pub(crate) struct Reports(Feed<Result<CourseReport, ManyError>>);

/// Solves many boards on threads of their own.
#[pyfunction]
#[pyo3(signature = (boards, method=None, options=None))]
pub(crate) fn solve_in_turn(
    boards: &Bound<'_, PyAny>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Reports> {
    let tasks = tasks(boards, method, options)?;
    let monitor = Arc::new(Monitor::default());
    let shared = Arc::clone(&monitor);
    let work = move |sender: SyncSender<_>| {
        let send = |report| {
            if sender.send(report).is_err() {
                shared.cancel();
            }
        };
        if let Err(error) = solve_each(tasks, &shared, &|| (), |report| send(Ok(report))) {
            send(Err(error));
        }
    };
    Feed::new(&monitor, MAX_WAITING, work).map(Reports)
}

#[pymethods]
impl Reports {
    const fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyReport>> {
        match self.0.next(py)? {
            Some(Ok(report)) => Ok(Some(PyReport::new(report))),
            Some(Err(error)) => Err(errors::failed(&error, None)),
            None => Ok(None),
        }
    }
}
