//! Where data becomes types: the layout, the heuristic and the engine of one search.

use taquin_search::{Deepening, Incremental, Limits, Observer, Search, deepening};
use taquin_tiles::Slide;
use taquin_tiles::packed::{Layout, Nibbles, Quints, Tiles, Wide};

use crate::heuristic::AnyHeuristic;
use crate::method::Method;
use crate::task::{Task, TaskLimits};
use crate::trace::{Event, Tracer};

/// Receives the events of a search.
pub(crate) type Listener<'a> = Option<&'a mut dyn FnMut(Event)>;

/// Runs one search by `method`, and reports every step if there is a listener.
pub(crate) fn run(
    task: &Task,
    method: &Method,
    heuristic: &AnyHeuristic,
    limits: &Limits,
    listener: Listener<'_>,
) -> Search<Slide> {
    match task.puzzle.size().cells() {
        ..=Nibbles::CELLS => Run::<Nibbles>::new(task, method, limits).start(heuristic, listener),
        17..=Quints::CELLS => Run::<Quints>::new(task, method, limits).start(heuristic, listener),
        _ => Run::<Wide>::new(task, method, limits).start_any(heuristic, listener),
    }
}

/// A search whose layout is known.
pub(crate) struct Run<'a, L: Layout> {
    pub(crate) space: Tiles<L>,
    pub(crate) start: L::State,
    pub(crate) method: &'a Method,
    pub(crate) limits: &'a Limits,
    task_limits: &'a TaskLimits,
}

impl<'a, L: Layout> Run<'a, L> {
    fn new(task: &'a Task, method: &'a Method, limits: &'a Limits) -> Self {
        let mut space = Tiles::new(&task.puzzle, &task.cost, method.moves);
        if task.jumps {
            space = space.with_jumps();
        }
        let start = space.place(task.puzzle.start());
        Self { space, start, method, limits, task_limits: &task.limits }
    }

    /// Runs engines compiled for the heuristics whose step is shorter than a branch.
    fn start(&self, heuristic: &AnyHeuristic, listener: Listener<'_>) -> Search<Slide> {
        match (heuristic, listener) {
            (AnyHeuristic::Zero(zero), None) => self.search(&**zero, &mut ()),
            (
                AnyHeuristic::Misplaced(sum)
                | AnyHeuristic::Euclidean(sum)
                | AnyHeuristic::Manhattan(sum),
                None,
            ) => self.search(&**sum, &mut ()),
            (heuristic, listener) => self.start_any(heuristic, listener),
        }
    }

    fn start_any(&self, heuristic: &AnyHeuristic, listener: Listener<'_>) -> Search<Slide> {
        match listener {
            None => self.search(heuristic, &mut ()),
            Some(listener) => {
                self.search(heuristic, &mut Tracer::new(&self.space, listener, self.task_limits))
            }
        }
    }

    fn search<H, O>(&self, heuristic: &H, observer: &mut O) -> Search<Slide>
    where
        H: Incremental<Tiles<L>>,
        O: Observer<Tiles<L>>,
    {
        self.method.algorithm.search(self, heuristic, observer).map(Into::into)
    }

    /// Iterative deepening by depth or by estimate.
    pub(crate) fn deepen<H, O>(
        &self,
        by_depth: bool,
        heuristic: &H,
        observer: &mut O,
    ) -> Search<L::Action>
    where
        H: Incremental<Tiles<L>>,
        O: Observer<Tiles<L>>,
    {
        let Self { space, start, method, limits, .. } = self;
        let policy = Deepening { by_depth, goal: method.policy.goal, undo: method.policy.undo };
        deepening(space, start, heuristic, &policy, limits, observer)
    }
}
