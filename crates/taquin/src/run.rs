//! Where data becomes types: the layout, the heuristic and the engine of one search.

use taquin_search::{
    Anew, Blind, Cost, Deepening, Heuristic, Incremental, Limits, Observer, Search, best_first,
    bidirectional, deepening,
};
use taquin_tiles::{
    Additive, Costs, Gaschnig, Layout, Linear, Measure, Nibbles, Puzzle, Quints, Slide, Tiles, Wide,
};

use crate::estimate::Estimate;
use crate::method::{Algorithm, Method};
use crate::tables::Guide;
use crate::task::Task;
use crate::trace::{Event, Tracer};

/// Runs one search, and tells of every step if somebody listens.
pub(crate) fn run(
    task: &Task,
    method: &Method,
    guide: &Guide,
    limits: &Limits,
    tell: Option<&mut dyn FnMut(Event)>,
) -> Search<Slide> {
    match task.puzzle.size().cells() {
        ..=Nibbles::CELLS => in_layout::<Nibbles>(task, method, guide, limits, tell),
        17..=Quints::CELLS => in_layout::<Quints>(task, method, guide, limits, tell),
        _ => in_layout::<Wide>(task, method, guide, limits, tell),
    }
}

fn in_layout<L: Layout>(
    task: &Task,
    method: &Method,
    guide: &Guide,
    limits: &Limits,
    tell: Option<&mut dyn FnMut(Event)>,
) -> Search<Slide> {
    let Task { puzzle, cost, .. } = task;
    let mut space = Tiles::<L>::new(puzzle, cost, method.moves);
    if task.jumps {
        space = space.with_jumps();
    }
    let run = Run { space: &space, start: space.place(puzzle.start()), method, limits };
    let search = match (tell, guide) {
        // A search that is watched is in no hurry: one engine for every heuristic.
        (Some(tell), _) => {
            let heuristic = boxed::<L>(guide, puzzle, cost);
            run.with(&Anew(&*heuristic), &mut Tracer { space: &space, tell })
        }
        (None, Guide::Walking(walking)) => run.with(&**walking, &mut ()),
        (None, Guide::Patterns(patterns)) => run.with(&**patterns, &mut ()),
        (None, Guide::Plain(Estimate::Zero)) => run.with(&Blind, &mut ()),
        (None, Guide::Plain(Estimate::Linear)) => run.with(&Linear::new(puzzle, cost), &mut ()),
        (None, Guide::Plain(_) | Guide::Max(_)) => match plain_measure(guide) {
            Some(measure) => run.with(&Additive::new(measure, puzzle, cost), &mut ()),
            None => run.with(&Anew(&*boxed::<L>(guide, puzzle, cost)), &mut ()),
        },
    };
    search.map(Into::into)
}

/// A search whose layout is known.
struct Run<'a, L: Layout> {
    space: &'a Tiles<L>,
    start: L::State,
    method: &'a Method,
    limits: &'a Limits,
}

impl<L: Layout> Run<'_, L> {
    fn with<H, O>(&self, heuristic: &H, observer: &mut O) -> Search<L::Action>
    where
        H: Incremental<Tiles<L>>,
        O: Observer<Tiles<L>>,
    {
        let Self { space, start, method, limits } = self;
        match method.algorithm {
            Algorithm::Ids | Algorithm::Ida => {
                let policy = Deepening {
                    by_depth: method.algorithm == Algorithm::Ids,
                    goal: method.policy.goal,
                    undo: method.policy.undo,
                };
                deepening(*space, start, heuristic, &policy, limits, observer)
            }
            Algorithm::Bidirectional => bidirectional(*space, start, limits, observer),
            _ => best_first(*space, start, heuristic, &method.policy, limits, observer),
        }
    }
}

/// The greatest of several estimates.
struct Max<L: Layout>(Vec<Box<dyn Heuristic<Tiles<L>>>>);

impl<L: Layout> Heuristic<Tiles<L>> for Max<L> {
    fn estimate(&self, state: &L::State) -> Cost {
        self.0.iter().map(|heuristic| heuristic.estimate(state)).max().unwrap_or(0)
    }
}

/// A heuristic with its tables.
pub(crate) fn boxed<L: Layout>(
    guide: &Guide,
    puzzle: &Puzzle,
    costs: &Costs,
) -> Box<dyn Heuristic<Tiles<L>>> {
    match guide {
        Guide::Walking(walking) => Box::new((**walking).clone()),
        Guide::Patterns(patterns) => Box::new((**patterns).clone()),
        Guide::Max(list) => {
            Box::new(Max(list.iter().map(|each| boxed::<L>(each, puzzle, costs)).collect()))
        }
        Guide::Plain(Estimate::Linear) => Box::new(Linear::new(puzzle, costs)),
        Guide::Plain(Estimate::Gaschnig) => Box::new(Gaschnig::new(puzzle, costs)),
        Guide::Plain(_) => match plain_measure(guide) {
            Some(measure) => Box::new(Additive::new(measure, puzzle, costs)),
            None => Box::new(Blind),
        },
    }
}

/// What a heuristic adds up over the tiles, if it does.
const fn plain_measure(guide: &Guide) -> Option<Measure> {
    match guide {
        Guide::Plain(Estimate::Misplaced) => Some(Measure::Misplaced),
        Guide::Plain(Estimate::Euclidean) => Some(Measure::Euclidean),
        Guide::Plain(Estimate::Manhattan) => Some(Measure::Manhattan),
        _ => None,
    }
}
