//! The steps of a search, one by one.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use taquin::{Board, Event, Monitor, Seen, Size, SizeError, Watch};
use taquin_lab::CourseReport;

use crate::background::{Running, SIGNALS};
use crate::board::PyBoard;
use crate::errors::{self, internal};
use crate::options;
use crate::report::{PyReport, json, python_string, read_json, word};
use crate::solve::{ask, session};

/// How many steps are passed on at a time, and how many such batches may wait.
const BATCH: usize = 128;
const WAITING: usize = 8;

/// What the thread of the search sends.
enum Sent {
    Steps(Vec<Event>),
    Report(Box<CourseReport>),
}

/// The steps of a search: an iterator. The search waits for whoever reads it, so that the steps take
/// no memory; it ends when the iterator is deleted.
#[pyclass(name = "Trace", module = "taquin", frozen)]
pub(crate) struct PyTrace {
    state: Mutex<State>,
    monitor: Arc<Monitor>,
    size: Size,
}

struct State {
    /// Until the report has come.
    receiver: Option<Receiver<Sent>>,
    steps: std::vec::IntoIter<Event>,
    report: Option<PyReport>,
}

impl Drop for PyTrace {
    fn drop(&mut self) {
        // The search may be waiting for a reader; without a receiver it ends.
        self.monitor.cancel();
    }
}

/// Starts a search and returns its steps.
#[pyfunction]
#[pyo3(signature = (board=None, method=None, options=None))]
pub(crate) fn trace(
    board: Option<&Bound<'_, PyAny>>,
    method: Option<String>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyTrace> {
    let request = options::request(method, options, &options::SEARCH)?;
    let asked = ask(&options::setting(&request)?, board)?;
    let asked = asked.with_steps().map_err(|error| errors::request(&error))?;
    let size = asked.task.puzzle.size();
    let monitor = Arc::new(Monitor::default());
    let shared = Arc::clone(&monitor);
    let (sender, receiver) = sync_channel(WAITING);
    let work = move || {
        let mut batch = Vec::with_capacity(BATCH);
        let mut pass = |event| {
            batch.push(event);
            if batch.len() == BATCH {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                if sender.send(Sent::Steps(full)).is_err() {
                    shared.cancel();
                }
            }
        };
        let report = asked.run(session(), Watch::by(&shared).with_events(&mut pass));
        let _ = sender.send(Sent::Steps(batch));
        let _ = sender.send(Sent::Report(Box::new(report)));
    };
    std::thread::Builder::new().spawn(work).map_err(|error| internal(&error))?;
    let state = State { receiver: Some(receiver), steps: Vec::new().into_iter(), report: None };
    Ok(PyTrace { state: Mutex::new(state), monitor, size })
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
                    let _running = Running::new(&self.monitor);
                    py.detach(move || (receiver.recv_timeout(SIGNALS), receiver))
                }
            };
            match sent {
                Ok(Sent::Steps(steps)) => state.steps = steps.into_iter(),
                Ok(Sent::Report(report)) => {
                    state.report = Some(PyReport::new(*report));
                    continue;
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
    /// The state, which one thread at a time may use: waiting for it here could wait for ever.
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

    const fn node(&self) -> Option<&Seen> {
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
    /// What happened: "expand", "generate", "discard", "goal", or "bound" for a new layer.
    #[getter]
    const fn event(&self) -> &'static str {
        match self.event {
            Event::Bound { .. } => "bound",
            Event::Expand(_) => "expand",
            Event::Generate { .. } => "generate",
            Event::Discard(_) => "discard",
            Event::Goal(_) => "goal",
        }
    }

    /// What became of a generated node: "kept", "cheaper", "duplicate", "reopened" or "pruned".
    #[getter]
    fn verdict(&self) -> PyResult<Option<String>> {
        match &self.event {
            Event::Generate { verdict, .. } => word(verdict).map(Some),
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

    /// The number of the node; a duplicate has that of the node that it duplicates.
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

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("Step.from_json({})", python_string(&self.to_json()?)))
    }

    fn __str__(&self) -> String {
        match self.node() {
            None => format!("bound {}", self.bound().unwrap_or(0)),
            Some(node) => {
                let board = self.board().map(|board| board.0.to_string()).unwrap_or_default();
                format!("{} {board} g={} h={}", self.event(), node.g, node.h)
            }
        }
    }
}
