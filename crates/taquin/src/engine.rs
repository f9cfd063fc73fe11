//! Where data becomes types: the layout, the heuristic and the engine of one search.

use taquin_search::{
    Bounded, Choice, Cost, Deepening, Incremental, Limits, Observer, Problem, Search,
};
use taquin_tables::whole::Metric;
use taquin_tiles::Slide;
use taquin_tiles::packed::{Layout, Nibbles, Quints, Segments, Tiles, Wide};

use crate::IS_FIRST;
use crate::heuristic::AnyHeuristic;
use crate::method::{Blank, Method};
use crate::task::{Task, TaskLimits};
use crate::trace::{BoardSpace, Event, Tracer};

/// Whether this is a module for a page, which should load few engines: those for every heuristic
/// and for a listener serve each search, and those for boards of any size serve segments.
const IS_MODULE: bool = cfg!(target_arch = "wasm32");

/// Receives the events of a search.
pub(crate) type Listener<'a> = Option<&'a mut dyn FnMut(Event)>;

/// The estimates of a search.
#[derive(Clone, Copy)]
pub(crate) struct Bundle<'h, H> {
    /// The cost to the goal.
    pub(crate) to_goal: &'h H,
    /// The cost from the start, for algorithms that search from both ends.
    pub(crate) from_start: Option<&'h H>,
    /// The number of moves to the goal, unless it is estimated like the cost.
    pub(crate) distance: Option<&'h H>,
}

impl<'h, H> From<&'h H> for Bundle<'h, H> {
    fn from(to_goal: &'h H) -> Self {
        Self { to_goal, from_start: None, distance: None }
    }
}

/// Runs one search by `method`, and reports every step if there is a listener.
pub(crate) fn run(
    task: &Task,
    method: &Method,
    estimates: Bundle<'_, AnyHeuristic>,
    limits: &Limits,
    listener: Listener<'_>,
) -> Search<Slide> {
    let cells = task.puzzle.size().cells();
    match method.metric {
        Metric::Single => {}
        Metric::Multi if IS_FIRST => unreachable!("segments are for the whole module"),
        Metric::Multi if cells <= Nibbles::CELLS && !IS_MODULE => {
            return segments::<Nibbles>(task, method, limits).start_any(estimates, listener);
        }
        Metric::Multi => {
            return segments::<Wide>(task, method, limits).start_any(estimates, listener);
        }
    }
    match cells {
        ..=Nibbles::CELLS => tiles::<Nibbles>(task, method, limits).start(estimates, listener),
        _ if IS_FIRST => unreachable!("large boards are for the whole module"),
        17..=Quints::CELLS => tiles::<Quints>(task, method, limits).start(estimates, listener),
        _ => tiles::<Wide>(task, method, limits).start_any(estimates, listener),
    }
}

/// A search of single tiles.
fn tiles<'a, L: Layout>(
    task: &'a Task,
    method: &'a Method,
    limits: &'a Limits,
) -> SpaceSearch<'a, Tiles<L>> {
    let mut space = Tiles::new(&task.puzzle, &task.cost, method.moves);
    if task.jumps {
        space = space.with_jumps();
    }
    if method.blank == Blank::Counted {
        space = space.with_blank_last();
    }
    let start = space.place(task.puzzle.start());
    let unit = task.cost.unit(task.puzzle.size().cells()).unwrap_or(1);
    SpaceSearch { space, start, method, limits, unit, task_limits: &task.limits }
}

/// A search of segments.
fn segments<'a, L: Layout>(
    task: &'a Task,
    method: &'a Method,
    limits: &'a Limits,
) -> SpaceSearch<'a, Segments<L>> {
    let space = Segments::new(&task.puzzle, method.moves);
    let start = space.place(task.puzzle.start());
    SpaceSearch { space, start, method, limits, unit: 1, task_limits: &task.limits }
}

/// A search with a known space.
pub(crate) struct SpaceSearch<'a, S: BoardSpace> {
    pub(crate) space: S,
    pub(crate) start: S::State,
    pub(crate) method: &'a Method,
    pub(crate) limits: &'a Limits,
    /// The usual cost of a move.
    pub(crate) unit: Cost,
    task_limits: &'a TaskLimits,
}

impl<L: Layout> SpaceSearch<'_, Tiles<L>> {
    /// Runs engines compiled for the heuristics whose step is shorter than a branch.
    fn start(&self, estimates: Bundle<'_, AnyHeuristic>, listener: Listener<'_>) -> Search<Slide> {
        use AnyHeuristic::{Euclidean, Manhattan, Misplaced, Zero};
        let Bundle { to_goal, from_start, distance } = estimates;
        if IS_MODULE {
            return self.start_any(estimates, listener);
        }
        match (to_goal, from_start, listener) {
            (.., listener) if distance.is_some() => self.start_any(estimates, listener),
            (Zero(to_goal), None, None) => self.search((&**to_goal).into(), &mut ()),
            (Misplaced(to_goal) | Euclidean(to_goal) | Manhattan(to_goal), None, None) => {
                self.search((&**to_goal).into(), &mut ())
            }
            (
                Misplaced(to_goal) | Euclidean(to_goal) | Manhattan(to_goal),
                Some(Misplaced(from_start) | Euclidean(from_start) | Manhattan(from_start)),
                None,
            ) => {
                let from_start = Some(&**from_start);
                self.search(Bundle { to_goal: &**to_goal, from_start, distance: None }, &mut ())
            }
            (.., listener) => self.start_any(estimates, listener),
        }
    }
}

impl<S: BoardSpace> SpaceSearch<'_, S> {
    fn start_any(
        &self,
        estimates: Bundle<'_, AnyHeuristic>,
        listener: Listener<'_>,
    ) -> Search<Slide>
    where
        AnyHeuristic: Incremental<S>,
    {
        let (mut unheard, nothing) = (|_| (), TaskLimits { traced: Some(0), ..<_>::default() });
        let (listener, limits) = match listener {
            None if !IS_MODULE => return self.search(estimates, &mut ()),
            None => (&mut unheard as _, &nothing),
            Some(listener) => (listener, self.task_limits),
        };
        self.search(estimates, &mut Tracer::new(&self.space, listener, limits))
    }

    fn search<H, O>(&self, estimates: Bundle<'_, H>, observer: &mut O) -> Search<Slide>
    where
        H: Incremental<S>,
        O: Observer<S>,
    {
        let search = self.method.algorithm.search(self, estimates, observer);
        search.with_actions(|actions| self.space.slides(actions))
    }

    /// The problem of an engine, with an estimate of the cost to the goal.
    pub(crate) fn problem<'b, H, O>(
        &'b self,
        to_goal: &'b H,
        observer: &'b mut O,
    ) -> Problem<'b, S, H, O> {
        let problem = Problem::new(&self.space, &self.start).heuristic(to_goal);
        problem.limits(self.limits).observer(observer)
    }

    /// A search from both ends.
    pub(crate) fn front_to_end<H, O>(
        &self,
        choice: Choice,
        Bundle { to_goal, from_start, .. }: Bundle<'_, H>,
        observer: &mut O,
    ) -> Search<S::Action>
    where
        H: Incremental<S>,
        O: Observer<S>,
    {
        if IS_FIRST {
            unreachable!("searches from both ends are for the whole module");
        }
        let from_start = from_start.expect("an algorithm of both ends has both estimates");
        self.problem(to_goal, observer).front_to_end(from_start, choice).run()
    }

    /// A search that keeps to the weight of the method, or lowers it.
    pub(crate) fn bounded<H, O>(
        &self,
        choice: Bounded,
        Bundle { to_goal, distance, .. }: Bundle<'_, H>,
        observer: &mut O,
    ) -> Search<S::Action>
    where
        H: Incremental<S>,
        O: Observer<S>,
    {
        if IS_FIRST {
            unreachable!("bounded searches are for the whole module");
        }
        let weight = self.method.policy.weight;
        self.problem(to_goal, observer).bounded(distance, choice, weight).run()
    }

    /// Iterative deepening by depth or by estimate.
    pub(crate) fn deepen<H, O>(
        &self,
        by_depth: bool,
        Bundle { to_goal, .. }: Bundle<'_, H>,
        observer: &mut O,
    ) -> Search<S::Action>
    where
        H: Incremental<S>,
        O: Observer<S>,
    {
        let undo = self.method.policy.undo;
        let policy = Deepening { by_depth, undo, cutoff: self.method.cutoff };
        self.problem(to_goal, observer).deepening(&policy).run()
    }
}
