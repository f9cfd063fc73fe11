//! Searching any graph that Python functions describe.
//!
//! Nearly all time goes into the caller's functions, so they are called as rarely as possible: a state
//! is hashed once each time it is generated, and numbered when it is new; the estimate and the goal
//! test are called once per state. The engine sees only the numbers. A state whose estimate is infinite
//! is a dead end, and is hidden from the engine.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyTuple};
use taquin::{Counts, Monitor, TaskLimits, panic_message};
use taquin_search::{
    Choice, Cost, Graph, ImplicitGraph, Limits, Node, Observer, Order, Outcome, Policy, Problem,
    Recomputed, Search, Sides, Solution, Stop, TwoWayGraph,
};

use crate::background::{RunningCall, give_way};
use crate::errors::{internal, shown};
use crate::options;
use crate::report::{PyCounts, word};

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

    fn of(&self, state: &Bound<'py, PyAny>, unit: Option<f64>) -> PyResult<Cost> {
        match self {
            Self::Zero => Ok(0),
            Self::Function(function) => whole(&function.call1((state,))?, unit),
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

/// The sum over all elements; none if the table does not have it.
fn sum(table: &[Vec<Cost>], elements: impl Iterator<Item = Option<usize>>) -> Option<u64> {
    let each = table.iter().zip(elements);
    each.map(|(row, element)| row.get(element?).copied().map(u64::from)).sum()
}

/// A number of units. Quotients such as 1.1 / 0.1 are not whole in binary, but are meant to be.
fn units(number: f64, unit: f64, round: fn(f64) -> f64) -> f64 {
    const NOISE: f64 = 1e-9;
    let count = number / unit;
    let near = count.round();
    if (count - near).abs() <= NOISE * near.abs().max(1.0) { near } else { round(count) }
}

/// An estimate as a whole number of units. It is rounded down, which keeps it admissible and
/// consistent with costs that are rounded up; infinity marks a dead end.
fn whole(estimate: &Bound<'_, PyAny>, unit: Option<f64>) -> PyResult<Cost> {
    if unit.is_none()
        && let Ok(cost) = estimate.extract::<Cost>()
    {
        return Ok(cost.min(DEAD_END - 1));
    }
    match estimate.extract::<f64>() {
        Ok(f64::INFINITY) => Ok(DEAD_END),
        Ok(number) if !number.is_nan() => {
            let count = unit.map_or(number, |unit| units(number, unit, f64::floor));
            Ok((count as Cost).min(DEAD_END - 1))
        }
        _ => Err(PyValueError::new_err(format!(
            "the estimate of a state is a number, not {}",
            shown(estimate)
        ))),
    }
}

/// The caller's functions. The first exception cancels the search; afterwards nothing is called.
struct Functions<'a, 'py> {
    successors: &'a Bound<'py, PyAny>,
    estimate: Estimate<'a, 'py>,
    goal: &'a Bound<'py, PyAny>,
    goal_is_function: bool,
    /// Whether successors have costs.
    with_costs: bool,
    /// The unit for costs and estimates; without it they are whole numbers.
    unit: Option<f64>,
    monitor: &'a Monitor,
    raised: &'a RefCell<Option<PyErr>>,
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
        mut each: impl FnMut(&Bound<'py, PyAny>, Cost) -> PyResult<()>,
    ) -> PyResult<()> {
        give_way(state.py())?;
        let all = self.successors.call1((state,))?;
        let mut count = 0_u8;
        let mut item = |item: &Bound<'py, PyAny>| {
            // There may be very many.
            count = count.wrapping_add(1);
            if count == 0 {
                give_way(item.py())?;
            }
            if !self.with_costs {
                return each(item, 1);
            }
            let mut pair =
                item.cast::<PyTuple>().ok().into_iter().flat_map(|pair| pair.iter_borrowed());
            match (pair.next(), pair.next(), pair.next()) {
                (Some(state), Some(cost), None) => each(&state, edge_cost(&cost, self.unit)?),
                _ => Err(PyTypeError::new_err(
                    "successors returns pairs of a state and the cost of the edge",
                )),
            }
        };
        match (all.cast::<PyList>(), all.cast::<PyTuple>()) {
            (Ok(list), _) => list.iter().try_for_each(|next| item(&next)),
            (_, Ok(tuple)) => tuple.iter_borrowed().try_for_each(|next| item(&next)),
            _ => all.try_iter()?.try_for_each(|next| item(&next?)),
        }
    }

    fn is_goal(&self, state: &Bound<'py, PyAny>) -> PyResult<bool> {
        match self.goal_is_function {
            true => self.goal.call1((state,))?.is_truthy(),
            false => state.eq(self.goal),
        }
    }
}

/// The cost of an edge in units, rounded up.
fn edge_cost(cost: &Bound<'_, PyAny>, unit: Option<f64>) -> PyResult<Cost> {
    if unit.is_none()
        && let Ok(cost) = cost.extract::<Cost>()
    {
        return Ok(cost);
    }
    let number = cost.extract::<f64>();
    match number.map(|number| unit.map_or(number, |unit| units(number, unit, f64::ceil))) {
        Ok(count) if count.fract() == 0.0 && (0.0..=f64::from(Cost::MAX)).contains(&count) => {
            Ok(count as Cost)
        }
        _ => Err(PyValueError::new_err(format!(
            "the cost of an edge is a whole number from 0 to {} times the unit, not {}; choose a unit \
             such as unit=0.01 for costs that are fractions, or a larger one for large costs",
            Cost::MAX,
            shown(cost)
        ))),
    }
}

/// Every state that was generated.
#[derive(Default)]
struct States<'py> {
    known: Vec<KnownState<'py>>,
    /// The answers of the functions about the first states.
    answers: Vec<Answers>,
    /// The states 0, 1, 2 and so on, if there are not many more of them than of states in all.
    whole: Vec<u32>,
    /// The last of the other states with each hash.
    last: HashMap<isize, u32, BuildHasherDefault<Mixed>>,
}

/// The place of a state that was not generated.
const NONE: u32 = u32::MAX;

/// The whole numbers that have places in any case.
const FEW: usize = 1 << 14;

/// Spreads Python's hashes, which are often small numbers.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_isize(byte.into());
        }
    }

    fn write_isize(&mut self, hash: isize) {
        let product = (self.0 ^ hash as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

struct KnownState<'py> {
    object: Bound<'py, PyAny>,
    /// Another state with the same hash.
    before: Option<u32>,
}

#[derive(Clone, Copy, Default)]
struct Answers {
    estimate: Option<Cost>,
    is_goal: Option<bool>,
}

impl<'py> States<'py> {
    /// Returns the number of a state, which is a new one if it is unlike all others.
    fn number(&mut self, object: &Bound<'py, PyAny>) -> PyResult<u32> {
        let hash = object.hash()?;
        let equals_hash = equals_hash(object, hash);
        let place = usize::try_from(hash).unwrap_or(usize::MAX);
        if let Some(&number) = self.whole.get(place)
            && number != NONE
            && (equals_hash || self.known[number as usize].object.eq(object)?)
        {
            return Ok(number);
        }
        let before = self.last.get(&hash).copied();
        let mut candidate = before;
        while let Some(number) = candidate {
            let known = &self.known[number as usize];
            if known.object.is(object) || known.object.eq(object)? {
                return Ok(number);
            }
            candidate = known.before;
        }
        let number = self.known.len() as u32;
        if equals_hash && place <= FEW.max(16 * self.known.len()) {
            if place >= self.whole.len() {
                self.whole.resize(place + 1, NONE);
            }
            self.whole[place] = number;
        } else {
            self.last.insert(hash, number);
        }
        self.known.push(KnownState { object: object.clone(), before });
        Ok(number)
    }
}

/// Whether a state is a whole number and equals its hash. Python reduces larger numbers.
fn equals_hash(object: &Bound<'_, PyAny>, hash: isize) -> bool {
    let is_small = (0..i32::MAX as isize).contains(&hash);
    is_small && object.cast_exact::<PyInt>().is_ok_and(|whole| whole.extract().ok() == Some(hash))
}

/// The bytes that `States` takes per state: its entries, and its hash's entry in a table that is up
/// to half empty.
const STATE_BYTES: usize =
    size_of::<(KnownState<'_>, Answers)>() + 2 * (size_of::<(isize, u32)>() + 1);

/// The graph that best-first search sees.
struct Space<'a, 'py> {
    functions: &'a Functions<'a, 'py>,
    states: RefCell<States<'py>>,
    /// The goal, unless it is a function or cannot be hashed.
    goal: Option<u32>,
    /// A buffer for the successors of a state.
    next: RefCell<Vec<(u32, Cost)>>,
}

impl<'py> Space<'_, 'py> {
    /// Reads something about a state that a function is asked for once.
    fn once<T: Copy + Default>(
        &self,
        state: u32,
        answer: fn(&mut Answers) -> &mut Option<T>,
        ask: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> T {
        let mut states = self.states.borrow_mut();
        if states.answers.len() <= state as usize {
            let known = states.known.len();
            states.answers.resize(known, Answers::default());
        }
        if let Some(known) = *answer(&mut states.answers[state as usize]) {
            return known;
        }
        drop(states);
        let object = self.object(state);
        let known = self.functions.call(|| ask(&object));
        *answer(&mut self.states.borrow_mut().answers[state as usize]) = Some(known);
        known
    }

    fn object(&self, state: u32) -> Bound<'py, PyAny> {
        self.states.borrow().known[state as usize].object.clone()
    }

    fn estimate(&self, state: u32) -> Cost {
        self.once(
            state,
            |known| &mut known.estimate,
            |object| self.functions.estimate.of(object, self.functions.unit),
        )
    }

    /// Puts a state's successors into `next`, up to an exception.
    fn generate(&self, state: u32, next: &mut Vec<(u32, Cost)>) {
        next.clear();
        let object = self.object(state);
        self.functions.call(|| {
            self.functions.successors(&object, |object, cost| {
                next.push((self.states.borrow_mut().number(object)?, cost));
                Ok(())
            })
        });
    }
}

impl<'py> Graph for Space<'_, 'py> {
    type State = u32;
    type Key = u32;
    type Action = ();
    type Step = Bound<'py, PyAny>;

    const MAY_CANCEL: bool = true;

    const NUMBER: Option<fn(&u32) -> usize> = Some(|&state| state as usize);

    fn key(&self, &state: &u32) -> u32 {
        state
    }

    fn state(&self, &number: &u32) -> u32 {
        number
    }

    fn is_goal(&self, &state: &u32) -> bool {
        match self.goal {
            Some(goal) => state == goal,
            None => self.once(
                state,
                |known| &mut known.is_goal,
                |object| self.functions.is_goal(object),
            ),
        }
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
        state: &mut u32,
        _: Option<()>,
        _: &mut Vec<()>,
        mut evaluate: impl FnMut(&u32, (), Cost) -> T,
        mut store: impl FnMut(T, u32),
    ) {
        let mut next = self.next.take();
        self.generate(*state, &mut next);
        let estimates = !matches!(self.functions.estimate, Estimate::Zero);
        for (child, cost) in next.drain(..) {
            if estimates && self.estimate(child) == DEAD_END {
                continue;
            }
            let evaluated = evaluate(&child, (), cost);
            store(evaluated, child);
        }
        self.next.replace(next);
    }

    fn solution(&self, &start: &u32, path: &[((), &u32)]) -> Solution<Bound<'py, PyAny>> {
        let (mut next, mut state, mut total) = (Vec::new(), start, 0);
        for &((), &number) in path {
            self.generate(state, &mut next);
            let costs = next.iter().filter(|(child, _)| *child == number);
            let Some(cost) = costs.map(|&(_, cost)| cost).min() else {
                // An exception of a function goes first.
                self.functions.call(|| -> PyResult<()> {
                    Err(PyValueError::new_err(format!(
                        "successors returned different states when it was called again with {}",
                        shown(&self.object(state))
                    )))
                });
                break;
            };
            total = Cost::saturating_add(total, cost);
            state = number;
        }
        let states = path.iter().map(|&((), &number)| self.object(number));
        Solution { actions: states.collect(), cost: total }
    }
}

/// Calls a function with each node before it is expanded: its state, its g and its h.
struct Watcher<'a, 'py> {
    function: &'a Bound<'py, PyAny>,
    space: &'a Space<'a, 'py>,
}

impl<'py> Observer<Space<'_, 'py>> for Watcher<'_, 'py> {
    fn expand(&mut self, node: &Node<'_, Space<'_, 'py>>) {
        let state = self.space.object(*node.state);
        self.space.functions.call(|| self.function.call1((state, node.g, node.h)).map(drop));
    }
}

/// The same for a search from both ends, and whether the node was reached from the goal. Without a
/// function it does nothing.
struct BothEndsWatcher<'a, 'py> {
    function: Option<&'a Bound<'py, PyAny>>,
    functions: &'a Functions<'a, 'py>,
}

impl<'a, 'py, S: Graph<State = BothEnds<'a, 'py>>> Observer<S> for BothEndsWatcher<'a, 'py> {
    fn is_listening(&self) -> bool {
        self.function.is_some()
    }

    fn expand(&mut self, node: &Node<'_, S>) {
        let Some(function) = self.function else { return };
        let (object, from_goal) = (&node.state.state.object, node.id % 2 == 1);
        self.functions.call(|| function.call1((object, node.g, node.h, from_goal)).map(drop));
    }
}

/// A state of a search that stores only its path, or of one from both ends.
#[derive(Clone)]
struct HashedState<'a, 'py> {
    object: Bound<'py, PyAny>,
    hash: isize,
    /// The cost of the path to it, in a search that stores only its path.
    g: Cost,
    estimate: Cost,
    functions: &'a Functions<'a, 'py>,
}

impl Hash for HashedState<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_isize(self.hash);
    }
}

impl PartialEq for HashedState<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.object.is(&other.object)
            || self.hash == other.hash && self.functions.call(|| self.object.eq(&other.object))
    }
}

impl Eq for HashedState<'_, '_> {}

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
    watch: Option<&Bound<'py, PyAny>>,
) -> PyResult<Search<Bound<'py, PyAny>>> {
    let hashed = |object: &Bound<'py, PyAny>, g, estimate| {
        let (object, hash) = (object.clone(), object.hash()?);
        Ok::<_, PyErr>(HashedState { object, hash, g, estimate, functions })
    };
    // It is called once for each node that is expanded.
    let next = |state: &HashedState<'_, 'py>| {
        let mut next = Vec::new();
        functions.call(|| {
            if let Some(watch) = watch {
                watch.call1((&state.object, state.g, state.estimate))?;
            }
            functions.successors(&state.object, |object, cost| {
                let estimate = functions.estimate.of(object, functions.unit)?;
                if estimate != DEAD_END {
                    let g = state.g.saturating_add(cost);
                    next.push((hashed(object, g, estimate)?, cost));
                }
                Ok(())
            })
        });
        next
    };
    let is_goal =
        |state: &HashedState<'_, 'py>| functions.call(|| functions.is_goal(&state.object));
    let start = hashed(start, 0, functions.call(|| functions.estimate.of(start, functions.unit)))?;
    if start.estimate == DEAD_END && !is_goal(&start) {
        return Ok(no_path());
    }
    let graph = ImplicitGraph::new(next, is_goal).limits(limits);
    let found = graph.idastar(&start, |state| state.estimate);
    let outcome = match (found.cost, found.stopped) {
        (Some(cost), _) => Outcome::Solved(Solution {
            actions: found.path.into_iter().skip(1).map(|state| state.object).collect(),
            cost,
        }),
        (None, Some(stop)) => Outcome::Stopped(stop),
        (None, None) => Outcome::Exhausted,
    };
    let (lower_bound, counts) = (found.lower_bound, found.counts);
    Ok(Search { outcome, lower_bound, counts, before_last_bound: found.before_last_bound })
}

/// The name of a search from both ends, and its choice.
const TWO_WAY: [(&str, Choice); 2] =
    [("bae", Choice::Bae(Sides::Alternate, Order::Lifo)), ("nbs", Choice::Nbs)];

/// A state of a search from both ends, with its estimates to the goal and from the start.
#[derive(Clone, PartialEq, Eq, Hash)]
struct BothEnds<'a, 'py> {
    state: HashedState<'a, 'py>,
    from_start: Cost,
}

/// Searches from both ends. `backward` has the predecessors, and the estimates from the start.
fn two_way<'py>(
    forward: &Functions<'_, 'py>,
    backward: &Functions<'_, 'py>,
    start: &Bound<'py, PyAny>,
    limits: &Limits,
    choice: Choice,
    watch: Option<&Bound<'py, PyAny>>,
) -> PyResult<Search<Bound<'py, PyAny>>> {
    let both = |object: &Bound<'py, PyAny>| {
        let estimate = forward.estimate.of(object, forward.unit)?;
        let from_start = backward.estimate.of(object, forward.unit)?;
        let (object, hash) = (object.clone(), object.hash()?);
        let state = HashedState { object, hash, g: 0, estimate, functions: forward };
        Ok::<_, PyErr>(BothEnds { state, from_start })
    };
    let is_dead =
        |state: &BothEnds<'_, '_>| state.state.estimate == DEAD_END || state.from_start == DEAD_END;
    let next = |functions: &Functions<'_, 'py>, state: &BothEnds<'_, 'py>| {
        let mut next = Vec::new();
        functions.call(|| {
            functions.successors(&state.state.object, |object, cost| {
                let found = both(object)?;
                if !is_dead(&found) {
                    next.push((found, cost));
                }
                Ok(())
            })
        });
        next
    };
    let (start, goal) = (both(start)?, both(forward.goal)?);
    if start != goal && (is_dead(&start) || is_dead(&goal)) {
        return Ok(no_path());
    }
    let successors = |state: &BothEnds<'_, 'py>| next(forward, state);
    let predecessors = |state: &BothEnds<'_, 'py>| next(backward, state);
    let graph = TwoWayGraph::new(successors, predecessors, goal);
    let to_goal = |state: &BothEnds<'_, 'py>| state.state.estimate;
    let from_start = |state: &BothEnds<'_, 'py>| state.from_start;
    let (to_goal, from_start) = (Recomputed(&to_goal), Recomputed(&from_start));
    let mut watcher = BothEndsWatcher { function: watch, functions: forward };
    let problem = Problem::new(&graph, &start).heuristic(&to_goal).limits(limits);
    let search = problem.observer(&mut watcher).front_to_end(&from_start, choice);
    Ok(search.run().map(|state| state.state.object))
}

/// The result of a search, which may have ended with an exception: a `taquin.search.Found`.
fn found<'py>(
    start: &Bound<'py, PyAny>,
    search: Search<Bound<'py, PyAny>>,
    raised: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = start.py();
    let Search { outcome, lower_bound, counts, .. } = search;
    let (states, cost, stopped) = match outcome {
        _ if raised => (None, None, Some(word(&Stop::Cancelled)?)),
        Outcome::Solved(Solution { actions, cost }) => (Some(actions), Some(cost), None),
        Outcome::Exhausted => (None, None, None),
        Outcome::Stopped(stop) => (None, None, Some(word(&stop)?)),
    };
    let path = states.map(|states| std::iter::once(start.clone()).chain(states));
    let path: Vec<Bound<'py, PyAny>> = path.into_iter().flatten().collect();
    let facts = (path, cost, stopped, lower_bound, PyCounts::new(counts));
    py.import("taquin.search")?.getattr("Found")?.call1(facts)
}

/// Searches a graph: "astar", "idastar", "bfs", "dijkstra", "bae" or "nbs". The options are limits;
/// `back` has the predecessors and the estimates from the start, and `watch` is called with each node.
#[pyfunction]
#[pyo3(signature = (name, start, successors, estimate, goal, limits=None, admissible=false, unit=None, back=None, watch=None))]
#[expect(clippy::too_many_arguments, reason = "the functions in Python have these arguments")]
#[expect(clippy::needless_pass_by_value, reason = "Python's arguments are extracted")]
pub(crate) fn search<'py>(
    name: &str,
    start: &Bound<'py, PyAny>,
    successors: &Bound<'py, PyAny>,
    estimate: Option<&Bound<'py, PyAny>>,
    goal: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, PyDict>>,
    admissible: bool,
    unit: Option<f64>,
    back: Option<(Bound<'py, PyAny>, Option<Bound<'py, PyAny>>)>,
    watch: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = start.py();
    let choice = TWO_WAY.iter().find(|(known, _)| *known == name).map(|&(_, choice)| choice);
    let policy = match name {
        "astar" => Some(Policy::astar()),
        "bfs" => Some(Policy::bfs()),
        "dijkstra" => Some(Policy::ucs()),
        "idastar" | "bae" | "nbs" => None,
        _ => return Err(internal(&format!("no search {name}"))),
    };
    let predecessors = back.as_ref().map(|(predecessors, _)| ("predecessors", predecessors));
    for (name, function) in [Some(("successors", successors)), predecessors].into_iter().flatten() {
        if !function.is_callable() {
            let message = format!("{name} is a function of a state, not {}", shown(function));
            return Err(PyTypeError::new_err(message));
        }
    }
    if let Some(unit) = unit.filter(|unit| !(unit.is_finite() && *unit > 0.0)) {
        return Err(PyValueError::new_err(format!("unit is a number above 0, not {unit}")));
    }
    let monitor = Arc::new(Monitor::default());
    let _running = RunningCall::new(&monitor);
    let TaskLimits { expanded, memory, seconds, .. } = options::limits(limits)?;
    let time = seconds.map(Duration::from_secs_f64);
    let shared = Some(Arc::clone(&monitor));
    let limits = Limits { expanded, memory, time, monitor: shared, ..Limits::default() };
    let raised = RefCell::new(None);
    let functions = Functions {
        successors,
        estimate: Estimate::new(estimate)?,
        goal,
        goal_is_function: goal.is_callable(),
        with_costs: name != "bfs",
        unit,
        monitor: &monitor,
        raised: &raised,
    };
    let from_start = back.as_ref().and_then(|(_, estimate)| estimate.as_ref());
    let run = || match policy {
        None => match (choice, &back) {
            (Some(choice), Some((predecessors, _))) => {
                let estimate = Estimate::new(from_start)?;
                let backward = Functions { successors: predecessors, estimate, ..functions };
                two_way(&functions, &backward, start, &limits, choice, watch)
            }
            _ => idastar(&functions, start, limits, watch),
        },
        Some(policy) => {
            let mut states = States::default();
            let start = states.number(start)?;
            let goal = if functions.goal_is_function { None } else { states.number(goal).ok() };
            let states = RefCell::new(states);
            let space = Space { functions: &functions, states, goal, next: RefCell::default() };
            let problem = Problem::new(&space, &start).limits(&limits);
            let watcher = watch.map(|function| Watcher { function, space: &space });
            let found = match (estimate, watcher) {
                (None, None) => problem.best_first(&policy).run(),
                (None, Some(mut watcher)) => {
                    problem.observer(&mut watcher).best_first(&policy).run()
                }
                _ if space.estimate(start) == DEAD_END && !space.is_goal(&start) => no_path(),
                (Some(_), watcher) => {
                    let estimate = |&state: &u32| space.estimate(state);
                    let estimate = Recomputed(&estimate);
                    let problem = problem.heuristic(&estimate);
                    match watcher {
                        None => problem.best_first(&policy).run(),
                        Some(mut watcher) => {
                            problem.observer(&mut watcher).best_first(&policy).run()
                        }
                    }
                }
            };
            Ok(found)
        }
    };
    let searched = catch_unwind(AssertUnwindSafe(run));
    let raised = raised.take();
    let searched = searched.unwrap_or_else(|panic| Err(internal(&panic_message(&*panic))));
    let known = searched.and_then(|mut search| {
        if (estimate.is_some() || from_start.is_some()) && !admissible {
            // The bound is as good as the estimates.
            search.lower_bound = 0;
        }
        found(start, search, raised.is_some())
    });
    match raised {
        None => known,
        Some(error) => {
            if let Ok(found) = known {
                // An exception may refuse attributes.
                let _ = error.value(py).setattr("found", found);
            }
            Err(error)
        }
    }
}
