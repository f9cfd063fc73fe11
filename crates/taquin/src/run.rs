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
use crate::task::Task;
use crate::trace::{Event, Tracer};

/// Runs one search, and tells of every step if somebody listens.
pub(crate) fn run(
    task: &Task,
    method: &Method,
    limits: &Limits,
    tell: Option<&mut dyn FnMut(Event)>,
) -> Search<Slide> {
    match task.puzzle.size().cells() {
        ..=Nibbles::CELLS => in_layout::<Nibbles>(task, method, limits, tell),
        17..=Quints::CELLS => in_layout::<Quints>(task, method, limits, tell),
        _ => in_layout::<Wide>(task, method, limits, tell),
    }
}

fn in_layout<L: Layout>(
    task: &Task,
    method: &Method,
    limits: &Limits,
    tell: Option<&mut dyn FnMut(Event)>,
) -> Search<Slide> {
    let Task { puzzle, cost, .. } = task;
    let mut space = Tiles::<L>::new(puzzle, cost, method.moves);
    if task.jumps {
        space = space.with_jumps();
    }
    let run = Run { space: &space, start: space.place(puzzle.start()), method, limits };
    let estimate = method.estimate.as_ref().unwrap_or(&Estimate::Zero);
    let search = match (tell, estimate) {
        // A search that is watched is in no hurry: one engine for every heuristic.
        (Some(tell), _) => {
            let heuristic = boxed::<L>(estimate, puzzle, cost);
            run.with(&Anew(&*heuristic), &mut Tracer { space: &space, tell })
        }
        (None, Estimate::Zero) => run.with(&Blind, &mut ()),
        (None, Estimate::Linear) => run.with(&Linear::new(puzzle, cost), &mut ()),
        (None, Estimate::Gaschnig | Estimate::Max(_)) => {
            run.with(&Anew(&*boxed::<L>(estimate, puzzle, cost)), &mut ())
        }
        (None, Estimate::Misplaced) => run.additive(Measure::Misplaced, puzzle, cost),
        (None, Estimate::Euclidean) => run.additive(Measure::Euclidean, puzzle, cost),
        (None, Estimate::Manhattan) => run.additive(Measure::Manhattan, puzzle, cost),
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
    fn additive(&self, measure: Measure, puzzle: &Puzzle, costs: &Costs) -> Search<L::Action> {
        self.with(&Additive::new(measure, puzzle, costs), &mut ())
    }

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

/// A heuristic by its name.
fn boxed<L: Layout>(
    estimate: &Estimate,
    puzzle: &Puzzle,
    costs: &Costs,
) -> Box<dyn Heuristic<Tiles<L>>> {
    let additive = |measure| Box::new(Additive::new(measure, puzzle, costs));
    match estimate {
        Estimate::Zero => Box::new(Blind),
        Estimate::Misplaced => additive(Measure::Misplaced),
        Estimate::Euclidean => additive(Measure::Euclidean),
        Estimate::Manhattan => additive(Measure::Manhattan),
        Estimate::Linear => Box::new(Linear::new(puzzle, costs)),
        Estimate::Gaschnig => Box::new(Gaschnig::new(puzzle, costs)),
        Estimate::Max(list) => {
            Box::new(Max(list.iter().map(|each| boxed::<L>(each, puzzle, costs)).collect()))
        }
    }
}

/// What a heuristic estimates for the start of a puzzle.
pub fn estimate(estimate: &Estimate, puzzle: &Puzzle, costs: &Costs) -> Cost {
    boxed::<Wide>(estimate, puzzle, costs).estimate(&Wide::state(puzzle.start().tiles()))
}
