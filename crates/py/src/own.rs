//! Heuristics that are written in Python.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use taquin::{Board, Cost, Costs, Monitor, OwnHeuristic, TaskLimits, Watch};
use taquin_lab::{Asked, Audit, AuditError, CourseReport};

use crate::board::PyBoard;
use crate::errors;
use crate::report::PyReport;
use crate::solve::session;

/// How many boards a heuristic that takes an array is given at a time.
const BATCH: usize = 1 << 14;

/// How many boards an audit may remember.
const REMEMBERED: usize = 20_000_000;

/// A heuristic in Python: it takes a board, or an array of boards if its attribute `batch` is true.
struct Callable {
    function: Py<PyAny>,
    batch: bool,
    monitor: Arc<Monitor>,
    /// The first exception; it cancels the search.
    raised: Mutex<Option<PyErr>>,
}

impl Callable {
    fn new(function: &Bound<'_, PyAny>, monitor: &Arc<Monitor>) -> PyResult<Self> {
        if !function.is_callable() {
            return Err(errors::option("heuristic", "a heuristic is a function of a board", None));
        }
        let batch = match function.getattr_opt("batch")? {
            Some(batch) => batch.is_truthy()?,
            None => false,
        };
        Ok(Self {
            function: function.clone().unbind(),
            batch,
            monitor: Arc::clone(monitor),
            raised: Mutex::new(None),
        })
    }

    /// The estimates for boards of one size; zeros after an exception.
    fn estimates(&self, boards: &[&Board]) -> Vec<Cost> {
        let called = Python::attach(|py| {
            let function = self.function.bind(py);
            if self.batch {
                let answers = function.call1((array(py, boards)?,))?;
                let answers: Vec<f64> =
                    answers.try_iter()?.map(|each| each?.extract()).collect::<PyResult<_>>()?;
                if answers.len() != boards.len() {
                    return Err(PyValueError::new_err(format!(
                        "the heuristic returned {} estimates for {} boards",
                        answers.len(),
                        boards.len()
                    )));
                }
                answers.into_iter().map(rounded).collect()
            } else {
                let each = |board: &&Board| {
                    rounded(function.call1((PyBoard((*board).clone()),))?.extract()?)
                };
                boards.iter().map(each).collect::<PyResult<Vec<Cost>>>()
            }
        });
        called.unwrap_or_else(|error| {
            self.monitor.cancel();
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            vec![0; boards.len()]
        })
    }

    fn exception(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// An estimate as a whole number, which is not above it.
fn rounded(estimate: f64) -> PyResult<Cost> {
    match estimate {
        estimate if (0.0..=f64::from(Cost::MAX)).contains(&estimate) => Ok(estimate as Cost),
        _ => Err(PyValueError::new_err(format!("a heuristic returned {estimate}, not a cost"))),
    }
}

/// Boards as a numpy array of shape (boards, rows, columns).
fn array<'py>(py: Python<'py>, boards: &[&Board]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> =
        boards.iter().flat_map(|board| board.tiles()).flat_map(|tile| tile.to_ne_bytes()).collect();
    let size = boards.first().map_or((0, 0), |board| (board.size().rows(), board.size().cols()));
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("frombuffer", (PyBytes::new(py, &bytes), "uint16"))?;
    flat.call_method1("reshape", (boards.len(), size.0, size.1))
}

fn name(function: &Bound<'_, PyAny>) -> String {
    let name = function.getattr("__name__").or_else(|_| function.get_type().getattr("__name__"));
    name.and_then(|name| Ok(name.cast::<PyString>()?.to_string())).unwrap_or("own".to_owned())
}

/// Solves a task with a heuristic in Python, on this thread.
pub(crate) fn solve(
    asked: &Asked,
    function: &Bound<'_, PyAny>,
    monitor: &Arc<Monitor>,
) -> PyResult<PyReport> {
    let callable = Arc::new(Callable::new(function, monitor)?);
    let shared = Arc::clone(&callable);
    let own = OwnHeuristic::new(asked.task.puzzle.size(), move |board| {
        shared.estimates(&[board]).first().copied().unwrap_or(0)
    });
    let report = session().run_with_heuristic(&asked.task, own, Watch::by(monitor)).map_err(
        |algorithm| {
            let remedy = "choose a method with a heuristic, such as astar or ida";
            let message = format!("{algorithm} cannot use a heuristic of your own");
            errors::raise("MethodError", &message, Some("method"), None, Some(remedy))
        },
    )?;
    let method = format!("{}:{}", asked.task.method.algorithm, name(function));
    let mut report = CourseReport::new(report, asked.course.as_deref());
    report.report.notes.extend(asked.notes.iter().cloned());
    let report = PyReport { method: Some(method), ..PyReport::new(report) };
    match callable.exception() {
        None => Ok(report),
        Some(error) => {
            let value = error.value(function.py());
            value.setattr("report", report)?;
            Err(error)
        }
    }
}

/// Audits a heuristic in Python: it is asked once about each board.
pub(crate) fn audit(
    function: &Bound<'_, PyAny>,
    goal: &Board,
    costs: &Costs,
    limits: &TaskLimits,
) -> PyResult<Audit> {
    let monitor = Arc::new(Monitor::default());
    let callable = Callable::new(function, &monitor)?;
    let failed = |error: AuditError| {
        errors::failed(&error, Some("choose a smaller board, or raise the limits"))
    };
    // A first pass collects the boards, so that they can be passed on in arrays.
    let known = Mutex::new(HashMap::new());
    let collect = |board: &Board| {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(board.clone(), 0);
        if known.len() > REMEMBERED {
            monitor.cancel();
        }
        0
    };
    let collected = Audit::by(&collect, session(), goal, costs, limits, &monitor);
    let mut known = known.into_inner().unwrap_or_else(PoisonError::into_inner);
    if known.len() > REMEMBERED {
        let remedy = "choose a smaller board: at most 20 million boards are asked about";
        return Err(errors::failed(&"too many boards", Some(remedy)));
    }
    collected.map_err(failed)?;
    let boards: Vec<Board> = known.keys().cloned().collect();
    for batch in boards.chunks(BATCH) {
        let batch: Vec<&Board> = batch.iter().collect();
        for (board, estimate) in batch.iter().zip(callable.estimates(&batch)) {
            if let Some(known) = known.get_mut(*board) {
                *known = estimate;
            }
        }
        if let Some(error) = callable.exception() {
            return Err(error);
        }
        function.py().check_signals()?;
    }
    let look_up = |board: &Board| known.get(board).copied().unwrap_or(0);
    Audit::by(&look_up, session(), goal, costs, limits, &monitor).map_err(failed)
}
