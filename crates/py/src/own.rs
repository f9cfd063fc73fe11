//! Heuristics written in Python.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyFloat, PyInt, PyString, PyType};
use taquin::packed::{Layout, Nibbles, Wide};
use taquin::space::{self, SpaceIndex, SpaceShape};
use taquin::{
    Board, Cost, Costs, Counts, Ending, Method, Metric, Monitor, OwnHeuristic, Reason, Report,
    Task, TaskLimits, Watch, WithHeuristic,
};
use taquin_lab::amounts::thousands;
use taquin_lab::{Audit, AuditError, CourseReport, ResolvedRequest};
use taquin_search::Meter;

use crate::background::{RunningCall, TICK, give_way, run};
use crate::board::PyBoard;
use crate::errors::{self, shown};
use crate::lookahead::Lookahead;
use crate::report::{PyReport, json};
use crate::solve::{session, show_progress};

/// How many boards a heuristic that takes an array is given at a time.
const BATCH: usize = 1 << 14;

/// How many boards an audit may remember.
const MAX_AUDITED_BOARDS: u64 = 20_000_000;

/// A heuristic in Python: it takes a board, or an array of boards if its attribute `batch` is true.
pub(crate) struct Callable {
    function: Py<PyAny>,
    batch: bool,
    monitor: Arc<Monitor>,
    /// The first exception; it cancels the search.
    raised: Mutex<Option<PyErr>>,
    /// The name, for reports.
    name: String,
    /// The function to call with the progress of the search, and when it was last called.
    progress: Option<(Py<PyAny>, Mutex<Ticks>)>,
}

/// When a search began, and when its progress was last shown.
struct Ticks {
    started: Instant,
    last: Instant,
}

impl Callable {
    pub(crate) fn new(function: &Bound<'_, PyAny>, monitor: &Arc<Monitor>) -> PyResult<Self> {
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
            name: name(function),
            progress: None,
        })
    }

    /// Calls `progress` a few times per second.
    fn with_progress(self, progress: Option<&Bound<'_, PyAny>>) -> Self {
        let now = Instant::now();
        let ticks = || Mutex::new(Ticks { started: now, last: now });
        Self { progress: progress.map(|progress| (progress.clone().unbind(), ticks())), ..self }
    }

    /// The name of an algorithm with this heuristic. The parentheses tell it from taquin's own.
    pub(crate) fn method(&self, algorithm: &str) -> String {
        format!("{algorithm}:{}()", self.name)
    }

    /// Runs a task whose method has a heuristic.
    pub(crate) fn report(
        self: &Arc<Self>,
        task: &Task,
        admissible: bool,
        watch: Watch<'_>,
    ) -> Report {
        let own = match task.puzzle.size().cells() {
            _ if !self.batch => {
                let shared = Arc::clone(self);
                let estimate = move |board: &Board| shared.estimates(std::slice::from_ref(board));
                let estimate =
                    move |board: &Board| estimate(board).first().map_or(0, |&h| h as Cost);
                OwnHeuristic::new(task.puzzle.size(), estimate)
            }
            ..=Nibbles::CELLS => self.in_arrays::<Nibbles>(task),
            _ => self.in_arrays::<Wide>(task),
        };
        let report = session().run(WithHeuristic { task, heuristic: own, admissible }, watch);
        report.expect("the method was checked")
    }

    /// The heuristic of a task, asked for many boards at a time.
    fn in_arrays<L>(self: &Arc<Self>, task: &Task) -> OwnHeuristic
    where
        L: Layout<State: Send, Key: Send, Action: Send>,
    {
        let (shared, ahead) = (Arc::clone(self), Mutex::new(Lookahead::<L>::new(task)));
        OwnHeuristic::new(task.puzzle.size(), move |board| {
            let mut ahead = ahead.lock().unwrap_or_else(PoisonError::into_inner);
            ahead.estimate(board, |boards| shared.estimates(boards))
        })
    }

    /// Runs a task whose method was checked, with the notes of the request.
    pub(crate) fn run(
        self: &Arc<Self>,
        asked: &ResolvedRequest,
        admissible: bool,
        watch: Watch<'_>,
    ) -> PyReport {
        let report = self.report(&asked.task, admissible, watch);
        let mut report = CourseReport::new(report, asked.course.as_deref());
        report.report.notes.extend(asked.notes.iter().cloned());
        let method = Some(self.method(asked.task.method.algorithm.name()));
        PyReport { method, ..PyReport::new(report) }
    }

    fn tick(&self, py: Python<'_>) -> PyResult<()> {
        let Some((progress, ticks)) = &self.progress else { return Ok(()) };
        let mut ticks = ticks.lock().unwrap_or_else(PoisonError::into_inner);
        if ticks.last.elapsed() < TICK {
            return Ok(());
        }
        ticks.last = Instant::now();
        let seconds = ticks.started.elapsed().as_secs_f64();
        drop(ticks);
        show_progress(progress.bind(py), &self.monitor, seconds)
    }

    /// The estimates for boards of one size; zeros after an exception.
    fn estimates(&self, boards: &[Board]) -> Vec<f64> {
        let called = Python::attach(|py| {
            let function = self.function.bind(py);
            give_way(py)?;
            self.tick(py)?;
            if self.batch {
                numbers(&function.call1((array(py, boards)?,))?, boards.len())
            } else {
                let each = |board: &Board| number(&function.call1((PyBoard(board.clone()),))?);
                boards.iter().map(each).collect()
            }
        });
        called.unwrap_or_else(|error| {
            self.monitor.cancel();
            self.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            vec![0.0; boards.len()]
        })
    }

    /// The report on a run of an experiment: a cancelled one after an exception.
    pub(crate) fn run_report(self: &Arc<Self>, task: &Task, watch: Watch<'_>) -> Report {
        let report = self.report(task, false, watch);
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        match &*raised {
            None => report,
            Some(_) => Report::unsearched(task, Ending::Stopped, Some(Reason::Cancelled)),
        }
    }

    pub(crate) fn exception(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Refuses methods without a heuristic.
pub(crate) fn check(method: &Method) -> PyResult<()> {
    let algorithm = method.algorithm;
    if method.estimate.is_some() && algorithm.is_traced() {
        return Ok(());
    }
    let remedy = "choose a method with a heuristic, such as astar or ida";
    let message = format!("{algorithm} cannot use a heuristic of your own");
    Err(errors::raise("MethodError", &message, Some("method"), None, Some(remedy)))
}

/// The estimates for a number of boards. An array is read at once.
fn numbers(answer: &Bound<'_, PyAny>, boards: usize) -> PyResult<Vec<f64>> {
    let estimates = match read_array(answer)? {
        Some(estimates) => estimates,
        // One more shows that there are too many.
        None => {
            let each = answer.try_iter()?.take(boards + 1).map(|each| number(&each?));
            each.collect::<PyResult<Vec<f64>>>()?
        }
    };
    if estimates.len() == boards {
        return Ok(estimates);
    }
    let count = match estimates.len() > boards {
        true => "more".to_owned(),
        false => format!("{}", estimates.len()),
    };
    Err(PyValueError::new_err(format!(
        "the heuristic returned {count} estimates for {boards} boards; it returns an array with one \
         number for each board"
    )))
}

/// The numbers in a one-dimensional numpy array; none if it is something else.
fn read_array(answer: &Bound<'_, PyAny>) -> PyResult<Option<Vec<f64>>> {
    static ARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = answer.py();
    let is_array = answer.is_instance(ARRAY.import(py, "numpy", "ndarray")?)?;
    if !is_array || answer.getattr(intern!(py, "ndim"))?.extract::<usize>()? != 1 {
        return Ok(None);
    }
    let kind = answer.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "char"))?;
    let kind: String = kind.extract()?;
    // Integers and numbers of up to 64 bits, which become the same numbers.
    if !"?bBhHiIlLqQefd".contains(&kind) {
        return Ok(None);
    }
    let bytes = answer.call_method1("astype", ("float64",))?.call_method0("tobytes")?;
    let (bytes, _) = bytes.cast::<PyBytes>()?.as_bytes().as_chunks();
    let estimates: Vec<f64> = bytes.iter().copied().map(f64::from_ne_bytes).collect();
    match estimates.iter().position(|estimate| !is_cost(*estimate)) {
        Some(at) => Err(no_cost(&answer.get_item(at)?)),
        None => Ok(Some(estimates)),
    }
}

fn is_cost(estimate: f64) -> bool {
    (0.0..=f64::from(Cost::MAX)).contains(&estimate)
}

/// An estimate: the number itself or, if it has too many digits, the next one that is not below it.
fn number(estimate: &Bound<'_, PyAny>) -> PyResult<f64> {
    let is_plain = estimate.is_instance_of::<PyFloat>() || estimate.is_instance_of::<PyInt>();
    // Complex numbers of an array would lose their imaginary part with a warning only.
    if !is_plain
        && let Ok(kind) = estimate.getattr("dtype").and_then(|dtype| dtype.getattr("kind"))
        && kind.eq("c").unwrap_or(false)
    {
        return Err(no_cost(estimate));
    }
    match estimate.extract::<f64>() {
        Ok(number) if !is_cost(number) => Err(no_cost(estimate)),
        Ok(number) if !is_plain && estimate.gt(number).unwrap_or(false) => Ok(number.next_up()),
        Ok(number) => Ok(number),
        Err(_) => Err(no_cost(estimate)),
    }
}

fn no_cost(estimate: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!(
        "a heuristic returned {}, not a cost: a finite number of at least 0",
        shown(estimate)
    ))
}

/// Boards as a numpy array of shape (boards, rows, columns).
fn array<'py>(py: Python<'py>, boards: &[Board]) -> PyResult<Bound<'py, PyAny>> {
    static FROM_BYTES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let size = boards.first().map_or((0, 0), |board| (board.size().rows(), board.size().cols()));
    let mut bytes = Vec::with_capacity(boards.len() * size.0 * size.1 * size_of::<i64>());
    for &tile in boards.iter().flat_map(Board::tiles) {
        bytes.extend_from_slice(&i64::from(tile).to_ne_bytes());
    }
    // The function may write to an array of bytes that can be changed.
    let from_bytes = FROM_BYTES.import(py, "numpy", "frombuffer")?;
    let flat = from_bytes.call1((PyByteArray::new(py, &bytes), intern!(py, "int64")))?;
    flat.call_method1(intern!(py, "reshape"), (boards.len(), size.0, size.1))
}

fn name(function: &Bound<'_, PyAny>) -> String {
    let name = function.getattr("__name__").or_else(|_| function.get_type().getattr("__name__"));
    name.and_then(|name| Ok(name.cast::<PyString>()?.to_string())).unwrap_or("own".to_owned())
}

/// Solves a task with a heuristic in Python, on this thread.
pub(crate) fn solve(
    asked: &ResolvedRequest,
    function: &Bound<'_, PyAny>,
    admissible: bool,
    progress: Option<&Bound<'_, PyAny>>,
    monitor: &Arc<Monitor>,
) -> PyResult<PyReport> {
    let callable = Arc::new(Callable::new(function, monitor)?.with_progress(progress));
    check(&asked.task.method)?;
    let _running = RunningCall::new(monitor);
    let report = callable.run(asked, admissible, Watch::by(monitor));
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
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let monitor = Arc::new(Monitor::default());
    let callable = Callable::new(function, &monitor)?;
    let _running = RunningCall::new(&monitor);
    let total = space::extent(goal, Metric::Single).states;
    if total > MAX_AUDITED_BOARDS {
        let message = format!("a function cannot be asked about {} boards", thousands(total));
        let remedy = "choose a smaller board: at most 20 million boards are possible";
        return Err(errors::failed(&message, Some(remedy)));
    }
    let index = SpaceIndex::with_shape(goal, SpaceShape::new(goal));
    let mut estimates = Vec::new();
    let mut boards = index.boards();
    let (began, mut counts) = (Instant::now(), Counts::default());
    let mut shown = began;
    let watched = limits.watched(&monitor);
    let mut meter = Meter::new(&watched);
    loop {
        let (ranks, batch): (Vec<usize>, Vec<Board>) =
            boards.by_ref().take(if callable.batch { BATCH } else { 1 }).unzip();
        let Some(last) = ranks.last() else { break };
        if let Some(stop) = meter.stop(&counts, || (0, 0)) {
            let (boards, reason) = (counts.expanded, stop.into());
            return shown_audit(Err(AuditError::Stopped { boards, reason }));
        }
        counts.expanded += batch.len() as u64;
        if let Some(progress) = progress
            && shown.elapsed() >= TICK
        {
            shown = Instant::now();
            progress.call1((counts.expanded, total))?;
        }
        estimates.resize(last + 1, 0.0);
        for (rank, estimate) in ranks.into_iter().zip(callable.estimates(&batch)) {
            estimates[rank] = estimate;
        }
        if let Some(error) = callable.exception() {
            return Err(error);
        }
    }
    drop(boards);
    let left = |seconds: f64| (seconds - began.elapsed().as_secs_f64()).max(0.0);
    let limits = TaskLimits { seconds: limits.seconds.map(left), ..limits.clone() };
    let (goal, costs, shared) = (goal.clone(), costs.clone(), Arc::clone(&monitor));
    let work = move || {
        let estimate = |board: &Board| index.rank(board).map_or(0.0, |rank| estimates[rank]);
        Audit::by(&estimate, session(), &goal, &costs, &limits, &shared)
    };
    run(function.py(), &monitor, None, "audit", shown_audit, work)
}

/// An audit as JSON.
pub(crate) fn shown_audit(audit: Result<Audit, AuditError>) -> PyResult<String> {
    let remedy = "choose a smaller board, or raise the limits";
    json(&audit.map_err(|error| errors::failed(&error, Some(remedy)))?)
}
