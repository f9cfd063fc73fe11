//! The steps of a search, one by one.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taquin::{Board, Event, Monitor, Size, SizeError, TraceNode, Watch};

use crate::background::{RunningCall, SIGNALS};
use crate::board::PyBoard;
use crate::errors::{self, internal};
use crate::hints;
use crate::options;
use crate::own::{Callable, check};
use crate::report::{PyReport, json, loaded, read_json, word};
use crate::solve::{ask, session};

/// How many steps are passed on at a time, and how many such batches may wait.
const BATCH: usize = 128;
const MAX_WAITING_BATCHES: usize = 8;

/// The messages of the search's thread.
enum TraceMessage {
    Steps(Vec<Event>),
    Report(Box<PyReport>),
}

/// The steps of a search: an iterator. The search waits until a step is asked for, so that the steps take
/// no memory. It ends when the iterator is deleted.
///
/// >>> steps = taquin.trace("1 2 3/4 0 6/7 5 8", "astar:manhattan")
/// >>> next(steps).event
/// 'bound'
/// >>> steps.cancel()
#[pyclass(name = "Trace", module = "taquin", frozen)]
pub(crate) struct PyTrace {
    state: Mutex<State>,
    monitor: Arc<Monitor>,
    size: Size,
    own: Option<Arc<Callable>>,
}

struct State {
    /// Until the report has come.
    receiver: Option<Receiver<TraceMessage>>,
    steps: std::vec::IntoIter<Event>,
    report: Option<PyReport>,
}

impl Drop for PyTrace {
    fn drop(&mut self) {
        // The search may be waiting for a reader; without a receiver it ends.
        self.monitor.cancel();
    }
}

/// Starts a search, with a heuristic in Python if there is one, and returns its steps.
#[pyfunction]
#[pyo3(signature = (board=None, method=None, options=None, heuristic=None, admissible=false))]
pub(crate) fn trace(
    board: Option<&Bound<'_, PyAny>>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
    heuristic: Option<&Bound<'_, PyAny>>,
    admissible: bool,
) -> PyResult<PyTrace> {
    let request = options::request(method, options, &options::SEARCH)?;
    let asked = ask(&options::setting(&request)?, board)?;
    let asked = match asked.task.method.algorithm.is_traced() {
        true => asked,
        false => asked.with_steps().map_err(|error| errors::request(&error))?,
    };
    let size = asked.task.puzzle.size();
    let monitor = Arc::new(Monitor::default());
    let own = heuristic.map(|function| Callable::new(function, &monitor)).transpose()?;
    let own = own.map(Arc::new);
    if own.is_some() {
        check(&asked.task.method)?;
    }
    let (shared, callable) = (Arc::clone(&monitor), own.clone());
    let (sender, receiver) = sync_channel(MAX_WAITING_BATCHES);
    let work = move || {
        let mut batch = Vec::with_capacity(BATCH);
        let mut pass = |event| {
            batch.push(event);
            if batch.len() == BATCH {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                if sender.send(TraceMessage::Steps(full)).is_err() {
                    shared.cancel();
                }
            }
        };
        let watch = Watch::by(&shared).with_events(&mut pass);
        let report = match &callable {
            None => PyReport::new(asked.run(session(), watch)),
            Some(own) => {
                // The interpreter waits for the thread before it ends: it calls Python.
                let _running = RunningCall::new(&shared);
                own.run(&asked, admissible, watch)
            }
        };
        let _ = sender.send(TraceMessage::Steps(batch));
        let _ = sender.send(TraceMessage::Report(Box::new(report)));
    };
    std::thread::Builder::new().spawn(work).map_err(|error| internal(&error))?;
    let state = State { receiver: Some(receiver), steps: Vec::new().into_iter(), report: None };
    Ok(PyTrace { state: Mutex::new(state), monitor, size, own })
}

#[pymethods]
impl PyTrace {
    const fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyStep>> {
        let mut state = self.state()?;
        loop {
            if let Some(event) = state.steps.next() {
                return Ok(Some(PyStep { event, size: self.size }));
            }
            let Some(receiver) = state.receiver.take() else { return Ok(None) };
            let (sent, receiver) = match receiver.try_recv() {
                Ok(sent) => (Ok(sent), receiver),
                Err(_) => {
                    let _running = RunningCall::new(&self.monitor);
                    py.detach(move || (receiver.recv_timeout(SIGNALS), receiver))
                }
            };
            match sent {
                Ok(TraceMessage::Steps(steps)) => state.steps = steps.into_iter(),
                Ok(TraceMessage::Report(report)) => {
                    state.report = Some(*report);
                    match self.own.as_ref().and_then(|own| own.exception()) {
                        Some(error) => return Err(error),
                        None => continue,
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(internal(&"the search panicked"));
                }
            }
            state.receiver = Some(receiver);
            py.check_signals()?;
        }
    }

    /// The report, once all steps have been read.
    #[getter]
    fn report(&self) -> PyResult<Option<PyReport>> {
        Ok(self.state()?.report.clone())
    }

    /// Ends the search; the steps so far can still be read.
    fn cancel(&self) {
        self.monitor.cancel();
    }
}

impl PyTrace {
    /// The state, which one thread at a time may use: waiting for it here could take forever.
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyValueError::new_err("another thread is reading this trace"))
            }
        }
    }
}

/// A step of a search.
///
/// >>> step = list(taquin.trace("1 2 3/4 0 6/7 5 8", "astar:manhattan"))[1]
/// >>> step.event, step.board, step.g, step.h
/// ('expand', Board('1 2 3/4 0 6/7 5 8'), 0, 2)
#[pyclass(name = "Step", module = "taquin", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyStep {
    event: Event,
    size: Size,
}

impl PyStep {
    fn to_json(&self) -> PyResult<String> {
        json(&(self.size.to_string(), &self.event))
    }

    const fn node(&self) -> Option<&TraceNode> {
        match &self.event {
            Event::Bound { .. } => None,
            Event::Expand(node)
            | Event::Generate { node, .. }
            | Event::Discard(node)
            | Event::Goal(node) => Some(node),
        }
    }
}

#[pymethods]
impl PyStep {
    /// The kind of event: "expand", "generate", "discard", "goal", or "bound" for a new layer.
    #[getter]
    const fn event(&self) -> hints::Event {
        hints::Event(match self.event {
            Event::Bound { .. } => "bound",
            Event::Expand(_) => "expand",
            Event::Generate { .. } => "generate",
            Event::Discard(_) => "discard",
            Event::Goal(_) => "goal",
        })
    }

    /// The fate of a generated node: "kept", "cheaper", "duplicate", "reopened" or "pruned".
    #[getter]
    fn verdict(&self) -> PyResult<Option<hints::Verdict>> {
        match &self.event {
            Event::Generate { verdict, .. } => word(verdict).map(|word| Some(hints::Verdict(word))),
            _ => Ok(None),
        }
    }

    /// The rank of the layer that begins, or the threshold.
    #[getter]
    const fn bound(&self) -> Option<u64> {
        match self.event {
            Event::Bound { bound } => Some(bound),
            _ => None,
        }
    }

    /// The board of the node.
    #[getter]
    fn board(&self) -> Option<PyBoard> {
        let node = self.node()?;
        Board::new(self.size, node.board.clone()).ok().map(PyBoard)
    }

    /// The number of the node; a duplicate has the number of the node that it repeats.
    #[getter]
    fn id(&self) -> Option<u64> {
        self.node().map(|node| node.id)
    }

    /// The number of the node that it came from.
    #[getter]
    fn parent(&self) -> Option<u64> {
        self.node()?.parent
    }

    /// The move that led to it.
    #[getter(r#move)]
    fn step(&self) -> Option<String> {
        Some(self.node()?.step?.to_string())
    }

    /// The tile that this move moved.
    #[getter]
    fn tile(&self) -> Option<u16> {
        self.node()?.tile
    }

    /// The cost of the path to the node.
    #[getter]
    fn g(&self) -> Option<u32> {
        self.node().map(|node| node.g)
    }

    /// The estimated cost from the node to the goal.
    #[getter]
    fn h(&self) -> Option<u32> {
        self.node().map(|node| node.h)
    }

    /// The number of moves to the node.
    #[getter]
    fn depth(&self) -> Option<u64> {
        self.node().map(|node| node.depth)
    }

    /// The step as a dictionary.
    #[pyo3(signature = () -> "dict[str, Any]")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        loaded(py, &json(&self.event)?)
    }

    /// Makes a step from its JSON.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let (size, event): (String, Event) = read_json(text, "step")?;
        let size = size.parse().map_err(|error: SizeError| errors::failed(&error, None))?;
        Ok(Self { event, size })
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<(Py<PyAny>, (String,))> {
        let make = slf.get_type().getattr("from_json")?.unbind();
        Ok((make, (slf.get().to_json()?,)))
    }

    fn __repr__(&self) -> String {
        format!("<Step: {}>", self.__str__())
    }

    fn __str__(&self) -> String {
        match self.node() {
            None => format!("bound {}", self.bound().unwrap_or(0)),
            Some(node) => {
                let board = self.board().map(|board| board.0.to_string()).unwrap_or_default();
                format!("{} {board} g={} h={}", self.event().0, node.g, node.h)
            }
        }
    }
}
