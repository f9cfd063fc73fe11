//! Searching any graph that Python functions describe.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use taquin::Monitor;
use taquin_search::{Cost, ImplicitGraph, Limits};

use crate::background::message;
use crate::errors::internal;
use crate::options;
use crate::report::{PyCounts, word};

/// A state: any hashable object. Its hash is computed once.
struct State {
    object: Py<PyAny>,
    hash: isize,
}

impl State {
    fn new(object: Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { hash: object.hash()?, object: object.unbind() })
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        Python::attach(|py| Self { object: self.object.clone_ref(py), hash: self.hash })
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_isize(self.hash);
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        if self.object.is(&other.object) {
            return true;
        }
        // A comparison that fails counts as a difference, as in a dictionary of Python it would end.
        self.hash == other.hash
            && Python::attach(|py| self.object.bind(py).eq(&other.object).unwrap_or(false))
    }
}

impl Eq for State {}

/// Calls functions of Python; the first exception cancels the search.
struct Caller<'a, 'py> {
    py: Python<'py>,
    monitor: &'a Monitor,
    raised: RefCell<Option<PyErr>>,
}

impl Caller<'_, '_> {
    fn call<T: Default>(&self, call: impl FnOnce() -> PyResult<T>) -> T {
        if self.raised.borrow().is_some() {
            return T::default();
        }
        call().unwrap_or_else(|error| {
            self.monitor.cancel();
            *self.raised.borrow_mut() = Some(error);
            T::default()
        })
    }
}

/// Calls a function that takes a state.
fn apply<'py>(function: &Bound<'py, PyAny>, state: &State) -> PyResult<Bound<'py, PyAny>> {
    function.call1((state.object.clone_ref(function.py()),))
}

/// Which search to run.
enum Kind<'a, 'py> {
    Astar(&'a Bound<'py, PyAny>),
    Idastar(&'a Bound<'py, PyAny>),
    Bfs,
    Dijkstra,
}

/// What a search of a graph found.
#[pyclass(module = "taquin.search", frozen)]
pub(crate) struct Found {
    path: Vec<Py<PyAny>>,
    cost: Option<Cost>,
    stopped: Option<String>,
    lower_bound: Cost,
    counts: PyCounts,
}

#[pymethods]
impl Found {
    /// The states from the start to a goal; empty if no path was found.
    #[getter]
    fn path(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.path.iter().map(|state| state.clone_ref(py)).collect()
    }

    /// The cost of the path; `None` if no path was found.
    #[getter]
    const fn cost(&self) -> Option<Cost> {
        self.cost
    }

    /// Why the search ended early: "expanded", "time", "memory"; `None` if it did not.
    #[getter]
    fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// No path costs less, if the estimate is never above the true cost.
    #[getter]
    const fn lower_bound(&self) -> Cost {
        self.lower_bound
    }

    /// Whether it is proven that no path is cheaper, if the estimate is never above the true cost.
    #[getter]
    fn optimal(&self) -> bool {
        self.cost == Some(self.lower_bound)
    }

    /// Whether it is proven that there is no path.
    #[getter]
    const fn unreachable(&self) -> bool {
        self.cost.is_none() && self.stopped.is_none()
    }

    /// What the search counted.
    #[getter]
    const fn counts(&self) -> PyCounts {
        self.counts
    }

    fn __repr__(&self) -> String {
        let end = match (&self.cost, &self.stopped) {
            (Some(cost), _) => format!("cost {cost}, {} states", self.path.len()),
            (None, Some(stopped)) => format!("stopped: {stopped}"),
            (None, None) => "no path".to_owned(),
        };
        format!("<Found {end}>")
    }
}

fn search(
    kind: &Kind<'_, '_>,
    start: Bound<'_, PyAny>,
    successors: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Found> {
    let py = start.py();
    let request = options::request(None, options)?;
    let monitor = Arc::new(Monitor::default());
    let limits = Limits {
        expanded: request.limits.expanded,
        memory: request.limits.memory,
        time: request.limits.seconds.map(Duration::from_secs_f64),
        monitor: Some(Arc::clone(&monitor)),
        ..Limits::default()
    };
    let caller = Caller { py, monitor: &monitor, raised: RefCell::new(None) };
    let start = State::new(start)?;
    let with_costs = !matches!(kind, Kind::Bfs);
    let next = |state: &State| -> Vec<(State, Cost)> {
        caller.call(|| {
            let each = |item: PyResult<Bound<'_, PyAny>>| {
                let item = item?;
                if !with_costs {
                    return Ok((State::new(item)?, 1));
                }
                let pair = item.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
                let Some(pair) = pair else {
                    return Err(PyTypeError::new_err(
                        "successors returns pairs of a state and the cost of the edge",
                    ));
                };
                Ok((State::new(pair.get_item(0)?)?, pair.get_item(1)?.extract()?))
            };
            apply(successors, state)?.try_iter()?.map(each).collect()
        })
    };
    let is_function = goal.is_callable();
    let is_goal = |state: &State| -> bool {
        caller.call(|| match is_function {
            true => apply(goal, state)?.is_truthy(),
            false => state.object.bind(caller.py).eq(goal),
        })
    };
    let graph = ImplicitGraph::new(next, is_goal).limits(limits);
    let graph = if with_costs { graph } else { graph.costs(1..=1) };
    let estimate = |function: &Bound<'_, PyAny>, state: &State| -> Cost {
        caller.call(|| {
            let answer = apply(function, state)?;
            // An estimate that is no whole number is rounded down, which keeps it admissible.
            answer.extract::<Cost>().or_else(|_| Ok(answer.extract::<f64>()?.max(0.0) as Cost))
        })
    };
    let searched = catch_unwind(AssertUnwindSafe(|| match kind {
        Kind::Astar(function) => graph.astar(&start, |state| estimate(function, state)),
        Kind::Idastar(function) => graph.idastar(&start, |state| estimate(function, state)),
        Kind::Bfs => graph.bfs(&start),
        Kind::Dijkstra => graph.dijkstra(&start),
    }));
    let raised = caller.raised.borrow_mut().take();
    let found = searched.map_err(|panic| internal(&message(&*panic)));
    let found = found.and_then(|found| {
        Ok(Found {
            path: found.path.into_iter().map(|state| state.object).collect(),
            cost: found.cost,
            stopped: found.stopped.as_ref().map(word).transpose()?,
            lower_bound: found.lower_bound,
            counts: PyCounts::new(found.counts),
        })
    });
    match raised {
        None => found,
        Some(error) => {
            if let Ok(found) = found {
                error.value(py).setattr("found", found)?;
            }
            Err(error)
        }
    }
}

/// Finds a cheapest path with A*.
#[pyfunction]
#[pyo3(signature = (start, successors, estimate, goal, options=None))]
pub(crate) fn astar(
    start: Bound<'_, PyAny>,
    successors: &Bound<'_, PyAny>,
    estimate: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Found> {
    search(&Kind::Astar(estimate), start, successors, goal, options)
}

/// Finds a cheapest path with iterative-deepening A*.
#[pyfunction]
#[pyo3(signature = (start, successors, estimate, goal, options=None))]
pub(crate) fn idastar(
    start: Bound<'_, PyAny>,
    successors: &Bound<'_, PyAny>,
    estimate: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Found> {
    search(&Kind::Idastar(estimate), start, successors, goal, options)
}

/// Finds a path with the fewest edges with breadth-first search.
#[pyfunction]
#[pyo3(signature = (start, successors, goal, options=None))]
pub(crate) fn bfs(
    start: Bound<'_, PyAny>,
    successors: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Found> {
    search(&Kind::Bfs, start, successors, goal, options)
}

/// Finds a cheapest path with Dijkstra's algorithm.
#[pyfunction]
#[pyo3(signature = (start, successors, goal, options=None))]
pub(crate) fn dijkstra(
    start: Bound<'_, PyAny>,
    successors: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Found> {
    search(&Kind::Dijkstra, start, successors, goal, options)
}
