//! Searching any graph that Python functions describe.
//!
//! Nearly all time goes into the caller's functions, so they are called as rarely as possible: a state
//! is hashed once each time it is generated, and numbered when it is new; the estimate and the goal
//! test are called once per state. The engine sees only the numbers. A state whose estimate is infinite
//! is a dead end, and is hidden from the engine.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use taquin::{Counts, Monitor, TaskLimits};
use taquin_search::{
    Blind, Cost, Graph, ImplicitGraph, Limits, Outcome, Policy, Recomputed, Search, Solution, Stop,
    best_first,
};

use crate::background::{Running, give_way, message};
use crate::errors::{internal, shown};
use crate::options;
use crate::report::{PyCounts, python_string, word};

/// The estimate of a dead end.
const DEAD_END: Cost = Cost::MAX;

/// How the cost from a state to a goal is estimated.
enum Estimate<'a, 'py> {
    Zero,
    Function(&'a Bound<'py, PyAny>),
    /// A sum: what each element of a state adds at its place.
    Table(Vec<Vec<Cost>>),
}

impl<'a, 'py> Estimate<'a, 'py> {
    fn new(estimate: Option<&'a Bound<'py, PyAny>>) -> PyResult<Self> {
        let Some(estimate) = estimate else { return Ok(Self::Zero) };
        if estimate.is_callable() {
            return Ok(Self::Function(estimate));
        }
        estimate.extract().map(Self::Table).map_err(|_| {
            PyTypeError::new_err(format!(
                "estimate is a function of a state, or a table: a list with a list of costs for each \
                 place of a state; not {}",
                shown(estimate)
            ))
        })
    }

    fn of(&self, state: &Bound<'py, PyAny>) -> PyResult<Cost> {
        match self {
            Self::Zero => Ok(0),
            Self::Function(function) => whole(&function.call1((state,))?),
            Self::Table(table) => {
                let sum = match (state.cast::<PyTuple>(), state.cast::<PyBytes>()) {
                    (Ok(tuple), _) if tuple.len() == table.len() => {
                        sum(table, tuple.iter().map(|element| element.extract().ok()))
                    }
                    (_, Ok(bytes)) if bytes.as_bytes().len() == table.len() => {
                        sum(table, bytes.as_bytes().iter().map(|&element| Some(element.into())))
                    }
                    _ => None,
                };
                let sum = sum.ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "the table has no cost for {}: a state is a tuple of whole numbers, and \
                         estimate[i][x] is the cost of x at place i",
                        shown(state)
                    ))
                })?;
                Ok(Cost::try_from(sum).unwrap_or(Cost::MAX).min(DEAD_END - 1))
            }
        }
    }
}

/// The sum of what each element adds; none if the table does not have it.
fn sum(table: &[Vec<Cost>], elements: impl Iterator<Item = Option<usize>>) -> Option<u64> {
    let each = table.iter().zip(elements);
    each.map(|(row, element)| row.get(element?).copied().map(u64::from)).sum()
}

/// An estimate as a whole number. It is rounded down, which keeps it admissible; infinity marks a dead
/// end.
fn whole(estimate: &Bound<'_, PyAny>) -> PyResult<Cost> {
    let cost = estimate.extract::<Cost>().map(|cost| cost.min(DEAD_END - 1));
    cost.or_else(|_| match estimate.extract::<f64>() {
        Ok(f64::INFINITY) => Ok(DEAD_END),
        Ok(number) if !number.is_nan() => Ok((number as Cost).min(DEAD_END - 1)),
        _ => Err(PyValueError::new_err(format!(
            "the estimate of a state is a number, not {}",
            shown(estimate)
        ))),
    })
}

/// The caller's functions. The first exception cancels the search; afterwards nothing is called.
struct Functions<'a, 'py> {
    successors: &'a Bound<'py, PyAny>,
    estimate: Estimate<'a, 'py>,
    goal: &'a Bound<'py, PyAny>,
    goal_is_function: bool,
    /// Whether successors have costs.
    with_costs: bool,
    monitor: &'a Monitor,
    raised: RefCell<Option<PyErr>>,
}

impl<'py> Functions<'_, 'py> {
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

    /// Calls `each` with every successor of a state and the cost of the edge.
    fn successors(
        &self,
        state: &Bound<'py, PyAny>,
        mut each: impl FnMut(Bound<'py, PyAny>, Cost) -> PyResult<()>,
    ) -> PyResult<()> {
        give_way(state.py())?;
        let all = self.successors.call1((state,))?;
        // The costs of edges are often the same object.
        let mut known: Option<(Bound<'py, PyAny>, Cost)> = None;
        let mut count = 0_u8;
        let mut item = |item: Bound<'py, PyAny>| {
            // There may be very many.
            count = count.wrapping_add(1);
            if count == 0 {
                give_way(item.py())?;
            }
            if !self.with_costs {
                return each(item, 1);
            }
            let pair = item.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
            let Some(pair) = pair else {
                return Err(PyTypeError::new_err(
                    "successors returns pairs of a state and the cost of the edge",
                ));
            };
            let cost = pair.get_item(1)?;
            let value = match &known {
                Some((last, value)) if last.is(&cost) => *value,
                _ => edge_cost(&cost)?,
            };
            known = Some((cost, value));
            each(pair.get_item(0)?, value)
        };
        match (all.cast::<PyList>(), all.cast::<PyTuple>()) {
            (Ok(list), _) => list.iter().try_for_each(item),
            (_, Ok(tuple)) => tuple.iter().try_for_each(item),
            _ => all.try_iter()?.try_for_each(|next| item(next?)),
        }
    }

    fn is_goal(&self, state: &Bound<'py, PyAny>) -> PyResult<bool> {
        match self.goal_is_function {
            true => self.goal.call1((state,))?.is_truthy(),
            false => state.eq(self.goal),
        }
    }
}

/// The cost of an edge.
fn edge_cost(cost: &Bound<'_, PyAny>) -> PyResult<Cost> {
    cost.extract::<Cost>().or_else(|_| match cost.extract::<f64>() {
        Ok(number) if number.fract() == 0.0 && (0.0..=f64::from(Cost::MAX)).contains(&number) => {
            Ok(number as Cost)
        }
        _ => Err(PyValueError::new_err(format!(
            "the cost of an edge is a whole number from 0 to {}, not {}; multiply costs that are \
             fractions by their common denominator",
            Cost::MAX,
            shown(cost)
        ))),
    })
}

/// A state and its number.
#[derive(Clone)]
struct Numbered<'py> {
    number: u32,
    object: Bound<'py, PyAny>,
}

/// Every state that was generated.
#[derive(Default)]
struct States<'py> {
    known: Vec<Known<'py>>,
    /// The last state with each hash.
    last: HashMap<isize, u32>,
}

struct Known<'py> {
    object: Bound<'py, PyAny>,
    /// Another state with the same hash.
    before: Option<u32>,
    estimate: Cell<Option<Cost>>,
    is_goal: Cell<Option<bool>>,
}

impl<'py> States<'py> {
    /// Returns the number of a state, which is a new one if it is unlike all others.
    fn number(&mut self, object: Bound<'py, PyAny>) -> PyResult<Numbered<'py>> {
        let slot = self.last.entry(object.hash()?);
        let mut candidate = match &slot {
            Entry::Occupied(last) => Some(*last.get()),
            Entry::Vacant(_) => None,
        };
        let before = candidate;
        while let Some(number) = candidate {
            let known = &self.known[number as usize];
            if known.object.is(&object) || known.object.eq(&object)? {
                return Ok(Numbered { number, object });
            }
            candidate = known.before;
        }
        let number = self.known.len() as u32;
        slot.insert_entry(number);
        let (estimate, is_goal) = (Cell::new(None), Cell::new(None));
        self.known.push(Known { object: object.clone(), before, estimate, is_goal });
        Ok(Numbered { number, object })
    }
}

/// What `States` takes for each state: its entry, and that of its hash in a table that is up to half
/// empty.
const STATE_BYTES: usize = size_of::<Known<'_>>() + 2 * (size_of::<(isize, u32)>() + 1);

/// The graph that best-first search sees.
struct Space<'a, 'py> {
    functions: &'a Functions<'a, 'py>,
    states: RefCell<States<'py>>,
    /// A buffer for the successors of a state.
    next: RefCell<Vec<(Numbered<'py>, Cost)>>,
}

impl<'py> Space<'_, 'py> {
    /// Reads something about a state that a function is asked for once.
    fn once<T: Copy + Default>(
        &self,
        state: &Numbered<'py>,
        cell: for<'k> fn(&'k Known<'py>) -> &'k Cell<Option<T>>,
        ask: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> T {
        if let Some(known) = cell(&self.states.borrow().known[state.number as usize]).get() {
            return known;
        }
        let answer = self.functions.call(|| ask(&state.object));
        cell(&self.states.borrow().known[state.number as usize]).set(Some(answer));
        answer
    }

    fn estimate(&self, state: &Numbered<'py>) -> Cost {
        self.once(state, |known| &known.estimate, |object| self.functions.estimate.of(object))
    }

    /// Puts the successors of a state into `next`; those before an exception.
    fn generate(&self, state: &Numbered<'py>, next: &mut Vec<(Numbered<'py>, Cost)>) {
        next.clear();
        self.functions.call(|| {
            self.functions.successors(&state.object, |object, cost| {
                next.push((self.states.borrow_mut().number(object)?, cost));
                Ok(())
            })
        });
    }
}

impl<'py> Graph for Space<'_, 'py> {
    type State = Numbered<'py>;
    type Key = u32;
    type Action = ();
    type Step = Bound<'py, PyAny>;

    const MAY_CANCEL: bool = true;

    fn key(&self, state: &Numbered<'py>) -> u32 {
        state.number
    }

    fn state(&self, &number: &u32) -> Numbered<'py> {
        Numbered { number, object: self.states.borrow().known[number as usize].object.clone() }
    }

    fn is_goal(&self, state: &Numbered<'py>) -> bool {
        self.once(state, |known| &known.is_goal, |object| self.functions.is_goal(object))
    }

    fn costs(&self) -> RangeInclusive<Cost> {
        if self.functions.with_costs { 0..=Cost::MAX } else { 1..=1 }
    }

    fn inverse(&self, (): ()) -> Option<()> {
        None
    }

    fn heap_bytes(&self, _: &u32) -> usize {
        STATE_BYTES
    }

    fn expand<T>(
        &self,
        state: &mut Numbered<'py>,
        _: Option<()>,
        _: &mut Vec<()>,
        mut evaluate: impl FnMut(&Numbered<'py>, (), Cost) -> T,
        mut store: impl FnMut(T, u32),
    ) {
        let mut next = self.next.take();
        self.generate(state, &mut next);
        let estimates = !matches!(self.functions.estimate, Estimate::Zero);
        for (child, cost) in next.drain(..) {
            if estimates && self.estimate(&child) == DEAD_END {
                continue;
            }
            let evaluated = evaluate(&child, (), cost);
            store(evaluated, child.number);
        }
        self.next.replace(next);
    }

    fn solution(&self, start: &Numbered<'py>, path: &[((), &u32)]) -> Solution<Bound<'py, PyAny>> {
        let (mut next, mut state, mut total) = (Vec::new(), start.clone(), 0);
        for &((), &number) in path {
            self.generate(&state, &mut next);
            let costs = next.iter().filter(|(child, _)| child.number == number);
            let Some(cost) = costs.map(|&(_, cost)| cost).min() else {
                // An exception of a function goes first.
                self.functions.call(|| -> PyResult<()> {
                    Err(PyValueError::new_err(format!(
                        "successors returned different states when it was called again with {}",
                        shown(&state.object)
                    )))
                });
                break;
            };
            total = Cost::saturating_add(total, cost);
            state = self.state(&number);
        }
        let states = path.iter().map(|&((), number)| self.state(number).object);
        Solution { actions: states.collect(), cost: total }
    }
}

/// A state of a search that stores only its path.
#[derive(Clone)]
struct Hashed<'a, 'py> {
    object: Bound<'py, PyAny>,
    hash: isize,
    estimate: Cost,
    functions: &'a Functions<'a, 'py>,
}

impl Hash for Hashed<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_isize(self.hash);
    }
}

impl PartialEq for Hashed<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.object.is(&other.object)
            || self.hash == other.hash && self.functions.call(|| self.object.eq(&other.object))
    }
}

impl Eq for Hashed<'_, '_> {}

/// A search that begins at a dead end.
fn no_path<A>() -> Search<A> {
    let (outcome, counts) = (Outcome::Exhausted, Counts::default());
    Search { outcome, lower_bound: 0, counts, before_last_bound: None }
}

/// Searches by iterative deepening.
fn idastar<'py>(
    functions: &Functions<'_, 'py>,
    start: &Bound<'py, PyAny>,
    limits: Limits,
) -> PyResult<Search<Bound<'py, PyAny>>> {
    let hashed = |object: Bound<'py, PyAny>, estimate| {
        Ok::<_, PyErr>(Hashed { hash: object.hash()?, object, estimate, functions })
    };
    let next = |state: &Hashed<'_, 'py>| {
        let mut next = Vec::new();
        functions.call(|| {
            functions.successors(&state.object, |object, cost| {
                let estimate = functions.estimate.of(&object)?;
                if estimate != DEAD_END {
                    next.push((hashed(object, estimate)?, cost));
                }
                Ok(())
            })
        });
        next
    };
    let is_goal = |state: &Hashed<'_, 'py>| functions.call(|| functions.is_goal(&state.object));
    let start = hashed(start.clone(), functions.call(|| functions.estimate.of(start)))?;
    if start.estimate == DEAD_END && !is_goal(&start) {
        return Ok(no_path());
    }
    let graph = ImplicitGraph::new(next, is_goal).limits(limits);
    let found = graph.idastar(&start, |state| state.estimate);
    let outcome = match (found.cost, found.stopped) {
        (Some(cost), _) => {
            let states = found.path.into_iter().skip(1).map(|state| state.object);
            Outcome::Solved(Solution { actions: states.collect(), cost })
        }
        (None, Some(stop)) => Outcome::Stopped(stop),
        (None, None) => Outcome::Exhausted,
    };
    let (lower_bound, counts) = (found.lower_bound, found.counts);
    Ok(Search { outcome, lower_bound, counts, before_last_bound: found.before_last_bound })
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

    /// Why the search ended early: "expanded", "time", "memory", "cost" (all paths that are left cost
    /// 2^32 or more) or "cancelled" (by an exception); `None` if it did not.
    #[getter]
    fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// No path costs less: this is proven, or follows from `admissible`.
    #[getter]
    const fn lower_bound(&self) -> Cost {
        self.lower_bound
    }

    /// Whether no path is cheaper: this is proven, or follows from `admissible`.
    #[getter]
    fn optimal(&self) -> bool {
        self.cost == Some(self.lower_bound)
    }

    /// Whether it is proven that there is no path, given that infinite estimates mark dead ends.
    #[getter]
    const fn unreachable(&self) -> bool {
        self.cost.is_none() && self.stopped.is_none()
    }

    /// What the search counted.
    #[getter]
    const fn counts(&self) -> PyCounts {
        self.counts
    }

    #[new]
    #[pyo3(signature = (path, cost, stopped, lower_bound, counts))]
    fn make(
        path: Vec<Py<PyAny>>,
        cost: Option<Cost>,
        stopped: Option<String>,
        lower_bound: Cost,
        counts: &PyCounts,
    ) -> Self {
        Self { path, cost, stopped, lower_bound, counts: *counts }
    }

    fn __getnewargs__(
        &self,
        py: Python<'_>,
    ) -> (Vec<Py<PyAny>>, Option<Cost>, Option<&str>, Cost, PyCounts) {
        (self.path(py), self.cost, self.stopped(), self.lower_bound, self.counts)
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        let facts = |found: &Self| (found.cost, found.stopped.clone(), found.lower_bound);
        let equal = facts(self) == facts(other) && self.counts == other.counts;
        Ok(equal && self.path(py).into_pyobject(py)?.eq(other.path(py))?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.path(py).into_pyobject(py)?.repr()?;
        let none = || "None".to_owned();
        Ok(format!(
            "Found(path={path}, cost={}, stopped={}, lower_bound={}, counts={})",
            self.cost.map_or_else(none, |cost| cost.to_string()),
            self.stopped.as_deref().map_or_else(none, python_string),
            self.lower_bound,
            self.counts.__repr__(py)?
        ))
    }

    fn __str__(&self) -> String {
        match (&self.cost, &self.stopped) {
            (Some(cost), _) => format!("found: cost {cost}, {} states", self.path.len()),
            (None, Some(stopped)) => format!("stopped: {stopped}"),
            (None, None) => "no path".to_owned(),
        }
    }
}

impl Found {
    /// What is known after a search, which may have ended with an exception.
    fn new<'py>(
        start: &Bound<'py, PyAny>,
        search: Search<Bound<'py, PyAny>>,
        raised: bool,
    ) -> PyResult<Self> {
        let Search { outcome, lower_bound, counts, .. } = search;
        let (states, cost, stopped) = match outcome {
            _ if raised => (None, None, Some(word(&Stop::Cancelled)?)),
            Outcome::Solved(Solution { actions, cost }) => (Some(actions), Some(cost), None),
            Outcome::Exhausted => (None, None, None),
            Outcome::Stopped(stop) => (None, None, Some(word(&stop)?)),
        };
        let path = states.map(|states| std::iter::once(start.clone()).chain(states));
        let path = path.into_iter().flatten().map(Bound::unbind).collect();
        Ok(Self { path, cost, stopped, lower_bound, counts: PyCounts::new(counts) })
    }
}

/// Searches a graph: "astar", "idastar", "bfs" or "dijkstra". The options are limits.
#[pyfunction]
#[pyo3(signature = (name, start, successors, estimate, goal, limits=None, admissible=false))]
pub(crate) fn search<'py>(
    name: &str,
    start: &Bound<'py, PyAny>,
    successors: &Bound<'py, PyAny>,
    estimate: Option<&Bound<'py, PyAny>>,
    goal: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyDict>>,
    admissible: bool,
) -> PyResult<Found> {
    let py = start.py();
    let policy = match name {
        "astar" => Some(Policy::astar()),
        "bfs" => Some(Policy::bfs()),
        "dijkstra" => Some(Policy::ucs()),
        "idastar" => None,
        _ => return Err(internal(&format!("no search {name}"))),
    };
    if !successors.is_callable() {
        let message = format!("successors is a function of a state, not {}", shown(successors));
        return Err(PyTypeError::new_err(message));
    }
    let monitor = Arc::new(Monitor::default());
    let _running = Running::new(&monitor);
    let TaskLimits { expanded, memory, seconds, .. } = options::limits(limits)?;
    let time = seconds.map(Duration::from_secs_f64);
    let shared = Some(Arc::clone(&monitor));
    let limits = Limits { expanded, memory, time, monitor: shared, ..Limits::default() };
    let functions = Functions {
        successors,
        estimate: Estimate::new(estimate)?,
        goal,
        goal_is_function: goal.is_callable(),
        with_costs: name != "bfs",
        monitor: &monitor,
        raised: RefCell::new(None),
    };
    let run = || match policy {
        None => idastar(&functions, start, limits),
        Some(policy) => {
            let states = RefCell::new(States::default());
            let start = states.borrow_mut().number(start.clone())?;
            let space = Space { functions: &functions, states, next: RefCell::default() };
            let found = match estimate {
                None => best_first(&space, &start, &Blind, &policy, &limits, &mut ()),
                Some(_) if space.estimate(&start) == DEAD_END && !space.is_goal(&start) => {
                    no_path()
                }
                Some(_) => {
                    let estimate = |state: &Numbered<'py>| space.estimate(state);
                    let estimate = Recomputed(&estimate);
                    best_first(&space, &start, &estimate, &policy, &limits, &mut ())
                }
            };
            Ok(found)
        }
    };
    let searched = catch_unwind(AssertUnwindSafe(run));
    let raised = functions.raised.borrow_mut().take();
    let found = searched.unwrap_or_else(|panic| Err(internal(&message(&*panic))));
    let found = found.and_then(|mut found| {
        if estimate.is_some() && !admissible {
            // The bound is as good as the estimates.
            found.lower_bound = 0;
        }
        Found::new(start, found, raised.is_some())
    });
    match raised {
        None => found,
        Some(error) => {
            if let Ok(found) = found {
                // An exception may refuse attributes.
                let _ = error.value(py).setattr("found", found);
            }
            Err(error)
        }
    }
}
