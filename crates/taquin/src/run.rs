//! Where data becomes types: the layout, the heuristic and the engine of one search.

use taquin_search::{
    Blind, Deepening, Incremental, Limits, Observer, Search, best_first, bidirectional, deepening,
};
use taquin_tiles::{Layout, Nibbles, Quints, Slide, Tiles, Wide};

use crate::guide::Guide;
use crate::method::{Algorithm, Method};
use crate::task::{Task, TaskLimits};
use crate::trace::{Event, Tracer};

/// Somebody who listens to a search.
pub(crate) type Tell<'a> = Option<&'a mut dyn FnMut(Event)>;

/// Runs one search, and tells of every step if somebody listens.
pub(crate) fn run(
    task: &Task,
    method: &Method,
    guide: &Guide,
    limits: &Limits,
    tell: Tell<'_>,
) -> Search<Slide> {
    match task.puzzle.size().cells() {
        ..=Nibbles::CELLS => Run::<Nibbles>::new(task, method, limits).quickly(guide, tell),
        17..=Quints::CELLS => Run::<Quints>::new(task, method, limits).quickly(guide, tell),
        _ => Run::<Wide>::new(task, method, limits).any(guide, tell),
    }
}

/// A search whose layout is known.
struct Run<'a, L: Layout> {
    space: Tiles<L>,
    start: L::State,
    method: &'a Method,
    limits: &'a Limits,
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

    /// With engines of their own for the heuristics that take no time.
    fn quickly(&self, guide: &Guide, tell: Tell<'_>) -> Search<Slide> {
        match (guide, tell) {
            (Guide::Blind, None) => self.with(&Blind, &mut ()),
            (Guide::Additive(sum), None) => self.with(sum, &mut ()),
            (guide, tell) => self.any(guide, tell),
        }
    }

    fn any(&self, guide: &Guide, tell: Tell<'_>) -> Search<Slide> {
        match tell {
            None => self.with(guide, &mut ()),
            Some(tell) => self.with(guide, &mut Tracer::new(&self.space, tell, self.task_limits)),
        }
    }

    fn with<H, O>(&self, heuristic: &H, observer: &mut O) -> Search<Slide>
    where
        H: Incremental<Tiles<L>>,
        O: Observer<Tiles<L>>,
    {
        let Self { space, start, method, limits, .. } = self;
        let search = match method.algorithm {
            Algorithm::Ids | Algorithm::Ida => {
                let policy = Deepening {
                    by_depth: method.algorithm == Algorithm::Ids,
                    goal: method.policy.goal,
                    undo: method.policy.undo,
                };
                deepening(space, start, heuristic, &policy, limits, observer)
            }
            Algorithm::Bidirectional => bidirectional(space, start, limits, observer),
            _ => best_first(space, start, heuristic, &method.policy, limits, observer),
        };
        search.map(Into::into)
    }
}
