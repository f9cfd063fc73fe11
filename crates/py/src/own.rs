//! Heuristics that are written in Python.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyInt, PyString};
use taquin::{Board, Cost, Costs, Metric, Monitor, OwnHeuristic, TaskLimits, Watch, space};
use taquin_lab::amounts::thousands;
use taquin_lab::{Asked, Audit, AuditError, CourseReport};

use crate::background::{give_way, run};
use crate::board::{PyBoard, neighbors};
use crate::errors::{self, shown};
use crate::report::{PyReport, json};
use crate::solve::session;

/// How many boards a heuristic that takes an array is given at a time.
const BATCH: usize = 1 << 14;

/// How many boards a search asks about at a time: the one that it needs and those around it, which it
/// will probably need soon.
const AROUND: usize = 32;

/// How many estimates of a search are kept.
const KEPT: usize = 1 << 16;

/// How many boards an audit may remember.
const REMEMBERED: u64 = 20_000_000;

/// A heuristic in Python: it takes a board, or an array of boards if its attribute `batch` is true.
struct Callable {
    function: Py<PyAny>,
    batch: bool,
    monitor: Arc<Monitor>,
    /// The estimates of boards that were asked about in arrays.
    known: Mutex<HashMap<Board, Cost>>,
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
            known: Mutex::default(),
            raised: Mutex::new(None),
        })
    }

    /// The estimate for a board during a search.
    fn estimate(&self, board: &Board) -> Cost {
        if !self.batch {
            return self.estimates(&[board]).first().copied().unwrap_or(0);
        }
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&estimate) = known().get(board) {
            return estimate;
        }
        let boards = around(board, &known());
        let estimates = self.estimates(&boards.iter().collect::<Vec<_>>());
        let estimate = estimates.first().copied().unwrap_or(0);
        let mut known = known();
        if known.len() > KEPT {
            known.clear();
        }
        known.extend(boards.into_iter().zip(estimates));
        estimate
    }

    /// The estimates for boards of one size; zeros after an exception.
    fn estimates(&self, boards: &[&Board]) -> Vec<Cost> {
        let called = Python::attach(|py| {
            let function = self.function.bind(py);
            give_way(py)?;
            if self.batch {
                let answers = function.call1((array(py, boards)?,))?;
                // One more shows that there are too many.
                let each = answers.try_iter()?.take(boards.len() + 1).map(|each| number(&each?));
                let answers: Vec<Cost> = each.collect::<PyResult<_>>()?;
                if answers.len() != boards.len() {
                    let count = match answers.len() > boards.len() {
                        true => "more".to_owned(),
                        false => format!("{}", answers.len()),
                    };
                    return Err(PyValueError::new_err(format!(
                        "the heuristic returned {count} estimates for {} boards; it returns an array \
                         with one number for each board",
                        boards.len()
                    )));
                }
                Ok(answers)
            } else {
                let each = |board: &&Board| number(&function.call1((PyBoard((*board).clone()),))?);
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
fn number(estimate: &Bound<'_, PyAny>) -> PyResult<Cost> {
    // Complex numbers of an array would lose their imaginary part with a warning only.
    if !estimate.is_instance_of::<PyFloat>()
        && !estimate.is_instance_of::<PyInt>()
        && let Ok(kind) = estimate.getattr("dtype").and_then(|dtype| dtype.getattr("kind"))
        && kind.eq("c").unwrap_or(false)
    {
        return Err(no_cost(estimate));
    }
    match estimate.extract::<f64>() {
        Ok(number) if (0.0..=f64::from(Cost::MAX)).contains(&number) => Ok(number as Cost),
        _ => Err(no_cost(estimate)),
    }
}

fn no_cost(estimate: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!(
        "a heuristic returned {}, not a cost: a number of at least 0",
        shown(estimate)
    ))
}

/// A board and unknown ones around it, the nearest first.
fn around(board: &Board, known: &HashMap<Board, Cost>) -> Vec<Board> {
    let mut boards = vec![board.clone()];
    let mut seen: HashSet<Board> = HashSet::from([board.clone()]);
    let mut waiting = VecDeque::from([board.clone()]);
    while let Some(board) = waiting.pop_front() {
        for near in neighbors(&board) {
            if seen.insert(near.clone()) {
                if !known.contains_key(&near) {
                    boards.push(near.clone());
                }
                waiting.push_back(near);
            }
        }
        if boards.len() >= AROUND || seen.len() >= 4 * AROUND {
            break;
        }
    }
    boards
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
    let size = asked.task.puzzle.size();
    let own = OwnHeuristic::new(size, move |board| shared.estimate(board));
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
            // An exception may refuse attributes.
            let _ = error.value(function.py()).setattr("report", report);
            Err(error)
        }
    }
}

/// Audits a heuristic in Python, which is asked once about each board: the result as JSON.
pub(crate) fn audit(
    function: &Bound<'_, PyAny>,
    goal: &Board,
    costs: &Costs,
    limits: &TaskLimits,
) -> PyResult<String> {
    let monitor = Arc::new(Monitor::default());
    let callable = Callable::new(function, &monitor)?;
    let boards = space::extent(goal, Metric::Single).states;
    if boards > REMEMBERED {
        let message = format!("a function cannot be asked about {} boards", thousands(boards));
        let remedy = "choose a smaller board: at most 20 million boards are possible";
        return Err(errors::failed(&message, Some(remedy)));
    }
    let known = Arc::new(Mutex::new(HashMap::new()));
    let locked = || known.lock().unwrap_or_else(PoisonError::into_inner);
    // Passes over all boards: what is done with each, and the audit that comes of it.
    let pass = |each: fn(&mut HashMap<Board, Cost>, &Board) -> Cost| {
        let (goal, costs, limits) = (goal.clone(), costs.clone(), limits.clone());
        let (known, shared) = (Arc::clone(&known), Arc::clone(&monitor));
        let work = move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let known = RefCell::new(&mut *known);
            let estimate = |board: &Board| each(&mut known.borrow_mut(), board);
            Audit::by(&estimate, session(), &goal, &costs, &limits, &shared)
        };
        let show = |audit: Result<Audit, AuditError>| match audit {
            Ok(audit) => json(&audit),
            Err(error) => {
                Err(errors::failed(&error, Some("choose a smaller board, or raise the limits")))
            }
        };
        run(function.py(), &monitor, None, "audit", show, work)
    };
    // A first pass collects the boards, so that they can be passed on in arrays.
    pass(|known, board| known.insert(board.clone(), 0).unwrap_or(0))?;
    let boards: Vec<Board> = locked().keys().cloned().collect();
    for batch in boards.chunks(if callable.batch { BATCH } else { 1 }) {
        let batch: Vec<&Board> = batch.iter().collect();
        let estimates = callable.estimates(&batch);
        if let Some(error) = callable.exception() {
            return Err(error);
        }
        locked().extend(batch.into_iter().cloned().zip(estimates));
    }
    pass(|known, board| known.get(board).copied().unwrap_or(0))
}
