//! Solving one board, and many.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use taquin::{Monitor, Session, Watch, is_reachable};
use taquin_lab::{Asked, CourseReport, Preparation, Request, Setting};

use crate::background::run;
use crate::report::PyReport;
use crate::{board, errors, options, own};

/// The session of this process, which keeps tables from one call to the next.
pub(crate) fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(|| Session::new().with_warnings(|warning| warn(&warning.to_string())))
}

/// Warns as Python code does. A filter that makes exceptions of warnings cannot stop a search.
fn warn(text: &str) {
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
#[pyo3(signature = (board=None, method=None, options=None, heuristic=None, progress=None))]
pub(crate) fn solve(
    py: Python<'_>,
    board: Option<&Bound<'_, PyAny>>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
    heuristic: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyReport> {
    let request = options::request(method, options)?;
    let asked = ask(&options::setting(&request)?, board)?;
    let monitor = Arc::new(Monitor::default());
    if let Some(heuristic) = heuristic {
        return own::solve(&asked, heuristic, &monitor);
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

/// Solves many boards, several at a time. `progress` is called with the number of reports.
#[pyfunction]
#[pyo3(signature = (boards, method=None, options=None, progress=None))]
pub(crate) fn solve_many(
    py: Python<'_>,
    boards: &Bound<'_, PyAny>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<PyReport>> {
    let request = options::request(method, options)?;
    let threads = request.threads.unwrap_or_else(options::cores);
    // Boards are solved in parallel, one thread each.
    let setting = options::setting(&Request { threads: Some(1), ..request })?;
    let mut tasks = Vec::new();
    for board in boards.try_iter()? {
        tasks.push(ask(&setting, Some(&board?))?);
    }
    let monitor = Arc::new(Monitor::default());
    let done = Arc::new(AtomicUsize::new(0));
    let tick = |_| match progress {
        Some(progress) => progress.call1((done.load(Relaxed),)).map(|_| ()),
        None => Ok(()),
    };
    let tick = progress.map(|_| &tick as &dyn Fn(f64) -> PyResult<()>);
    let (shared, counted) = (Arc::clone(&monitor), Arc::clone(&done));
    let work = move || {
        let threads = threads.min(tasks.len()).max(1);
        let results: Vec<OnceLock<CourseReport>> = tasks.iter().map(|_| OnceLock::new()).collect();
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let preparation = Preparation::new(session());
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
                        if is_reachable(&asked.task.puzzle)
                            && let Err(error) =
                                preparation.prepare(&asked.task, &shared, &mut |_| ())
                        {
                            shared.cancel();
                            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                            failed.get_or_insert(error);
                            return;
                        }
                        let report = session().run(&asked.task, Watch::by(&shared));
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
