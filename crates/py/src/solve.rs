//! Solving one board, and many.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use taquin::{
    Checkpoint, CheckpointError, DeviceError, Ending, Monitor, Notation, Report, Session, Task,
    Watch, is_reachable, write_moves,
};
use taquin_gpu::Cuda;
use taquin_lab::instances::Instance;
use taquin_lab::{Asked, CourseReport, Preparation, Request, Setting};

use crate::background::run;
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
pub(crate) fn ask(setting: &Setting, board: Option<&Bound<'_, PyAny>>) -> PyResult<Asked> {
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
    if let Some(files) = files {
        return solve_in_parts(py, &setting, board, files, &monitor);
    }
    let asked = ask(&setting, board)?;
    if let Some(heuristic) = heuristic {
        return own::solve(&asked, heuristic, admissible, &monitor);
    }
    let tick = |seconds: f64| match progress {
        Some(progress) => {
            let now = monitor.progress();
            let best = monitor.improvements(0).last().map(|better| better.cost);
            let seen = (seconds, now.expanded, now.generated, now.frontier, now.bound, best);
            progress.call1(seen).map(|_| ())
        }
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let shared = Arc::clone(&monitor);
    let work = move || asked.run(session(), Watch::by(&shared));
    run(py, &monitor, tick, "report", |report| Ok(PyReport::new(report)), work)
}

/// A checkpoint to write, the time between two of them, and a checkpoint to resume from.
type Files<'py> = (Option<PathBuf>, Option<Bound<'py, PyAny>>, Option<PathBuf>);

/// The time between two checkpoints.
const CHECKPOINTS: Duration = Duration::from_secs(30);

/// Solves a board and saves the progress to a file, which is removed when the search has ended.
fn solve_in_parts(
    py: Python<'_>,
    setting: &Setting,
    board: Option<&Bound<'_, PyAny>>,
    (checkpoint, every, resume): Files<'_>,
    monitor: &Arc<Monitor>,
) -> PyResult<PyReport> {
    let every = every.map(|every| options::read_seconds("checkpoint_every", &every)).transpose()?;
    let every = every.map_or(CHECKPOINTS, Duration::from_secs_f64);
    let wrong = |error: &CheckpointError| {
        let remedy = match error {
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
        let place = (path.as_path(), every);
        let report = session().run_with_checkpoint(&task, from.as_ref(), place, &shared)?;
        if report.outcome != Ending::Stopped {
            let _ = std::fs::remove_file(&path);
        }
        Ok(report)
    };
    let show = |report: Result<Report, CheckpointError>| match report {
        Ok(report) => Ok(PyReport::new(CourseReport::new(report, None))),
        Err(error) => Err(wrong(&error)),
    };
    run(py, monitor, None, "report", show, work)
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
        let (report, complete) = session().all(&task, &shared, &mut |slides| {
            let moves = write_moves(slides, task.puzzle.start(), notation);
            listed.push(moves.unwrap_or_default());
            match (listed.len() as u64) < limit {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        (report, listed, complete)
    };
    let show = |(report, listed, complete): (Report, Vec<String>, bool)| {
        Ok((PyReport::new(CourseReport::new(report, None)), listed, complete))
    };
    run(py, &monitor, None, "solutions", show, work)
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
    let request = options::request(method, options, &options::SEARCH)?;
    let threads = request.threads.unwrap_or_else(options::cores);
    let goal = request.goal.clone();
    // Boards are solved in parallel, one thread each.
    let setting = options::setting(&Request { threads: Some(1), ..request })?;
    let instance = |instance: Instance| {
        setting.with_instance(instance.puzzle).map_err(|error| errors::request(&error))
    };
    let tasks: Vec<Asked> = match boards.cast::<PyString>() {
        Ok(name) => {
            let set = studies::read_set(name.to_str()?, goal.as_deref())?;
            set.into_iter().map(instance).collect::<PyResult<_>>()?
        }
        Err(_) => {
            let each = |board: PyResult<Bound<'_, PyAny>>| {
                let board = board?;
                match board.cast::<PyInstance>() {
                    Ok(one) => instance(one.get().instance(goal.as_deref())?),
                    Err(_) => ask(&setting, Some(&board)),
                }
            };
            boards.try_iter()?.map(each).collect::<PyResult<_>>()?
        }
    };
    let monitor = Arc::new(Monitor::default());
    let (done, total) = (Arc::new(AtomicUsize::new(0)), tasks.len());
    let tick = |_| match progress {
        Some(progress) => progress.call1((done.load(Relaxed), total)).map(|_| ()),
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let (shared, counted) = (Arc::clone(&monitor), Arc::clone(&done));
    let work = move || {
        let threads = threads.min(tasks.len()).max(1);
        let results: Vec<OnceLock<CourseReport>> = tasks.iter().map(|_| OnceLock::new()).collect();
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let preparation = Preparation::new(session());
        let why = solve_together(&tasks, &results, threads, &shared, &counted);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let Some((asked, result)) = {
                        let number = next.fetch_add(1, Relaxed);
                        tasks.get(number).zip(results.get(number))
                    } {
                        if shared.is_cancelled() {
                            return;
                        }
                        if result.get().is_some() {
                            continue;
                        }
                        if is_reachable(&asked.task.puzzle)
                            && let Err(error) =
                                preparation.prepare(&asked.task, &shared, &mut |_| ())
                        {
                            shared.cancel();
                            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                            failed.get_or_insert(error);
                            return;
                        }
                        let watch = Watch::by(&shared);
                        let report = match &why {
                            None => session().run(&asked.task, watch),
                            Some(why) => session().run_without_device(&asked.task, why, watch),
                        };
                        let report = CourseReport::new(report, asked.course.as_deref());
                        let _ = result.set(report);
                        counted.fetch_add(1, Relaxed);
                    }
                });
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(results.into_iter().filter_map(OnceLock::into_inner).collect::<Vec<_>>()),
        }
    };
    let show = |reports: Result<Vec<CourseReport>, taquin::TableError>| match reports {
        Ok(reports) => Ok(reports.into_iter().map(PyReport::new).collect::<Vec<_>>()),
        Err(error) => Err(errors::failed(&error, None)),
    };
    run(py, &monitor, tick, "reports", show, work)
}

/// Solves boards together on a device, if there is one for them. Returns why it did not do so.
fn solve_together(
    tasks: &[Asked],
    results: &[OnceLock<CourseReport>],
    threads: usize,
    monitor: &Arc<Monitor>,
    counted: &AtomicUsize,
) -> Option<DeviceError> {
    let first = &tasks.first()?.task;
    let group = session().group_of(first).filter(|group| tasks.len() >= group.least)?;
    // Databases that cannot be had are reported by the searches of single boards.
    Preparation::new(session()).prepare(first, monitor, &mut |_| ()).ok()?;
    let groups: Vec<(&[Asked], &[OnceLock<CourseReport>])> =
        tasks.chunks(group.most).zip(results.chunks(group.most)).collect();
    let (next, failed) = (AtomicUsize::new(0), OnceLock::new());
    let work = || {
        while failed.get().is_none()
            && !monitor.is_cancelled()
            && let Some((asked, results)) = groups.get(next.fetch_add(1, Relaxed))
        {
            let tasks: Vec<&Task> = asked.iter().map(|asked| &asked.task).collect();
            match session().run_together(&tasks, monitor) {
                Err(error) => _ = failed.set(error),
                Ok(_) if monitor.is_cancelled() => return,
                Ok(reports) => {
                    for ((asked, result), report) in asked.iter().zip(*results).zip(reports) {
                        if let Some(report) = report {
                            let report = CourseReport::new(report, asked.course.as_deref());
                            let _ = result.set(report);
                            counted.fetch_add(1, Relaxed);
                        }
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(groups.len()) {
            scope.spawn(work);
        }
    });
    failed.into_inner()
}
