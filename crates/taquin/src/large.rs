//! Boards too large to be searched whole: an answer by construction, and ever better ones.

use taquin_fast::{Improve, improve, layers};
use taquin_search::{Cost, Improvement, Limits, Outcome, Search, Solution, Stop};
use taquin_tiles::{Costs, Puzzle, Slide, replay};

use crate::auto::Auto;
use crate::estimate::Estimate;
use crate::tables::{Evaluator, Wanted};

/// The weights of weighted A*, one after the other; the last one proves the shortest.
const WEIGHTS: [&str; 6] = ["5", "3", "2", "3/2", "5/4", "1"];

/// A weight may take one part in so many of what is left: on boards of up to 16 cells, where the last one
/// often ends, and on larger ones, where a beam search makes more of it. Beyond so many cells not even
/// the first would end.
const NEAR: (usize, u64) = (16, 10);
const FAR: (usize, u64) = (36, 40);

/// The most memory that it takes.
const MEMORY: u64 = 1 << 30;

impl Auto<'_> {
    /// An answer without a search.
    pub(crate) fn construct(&mut self) {
        let puzzle = &self.task.puzzle;
        let mut search = layers(puzzle, &self.left(1.0));
        search.lower_bound = self.bound();
        if let Outcome::Solved(solution) = &mut search.outcome {
            *solution = checked(puzzle, &self.task.cost, std::mem::take(&mut solution.actions));
            let improvement = self.improvement(solution, search.lower_bound);
            self.tell(improvement);
        }
        self.add(search);
    }

    /// Weighted A* with a falling weight, each from the start again: on boards of a middle size the first
    /// ones take no time, and a small one may prove the shortest. The next would take longer than one
    /// that does not end in its share.
    pub(crate) fn lower_weights(&mut self) {
        let cells = self.task.puzzle.size().cells();
        let Some((_, parts)) = [NEAR, FAR].into_iter().find(|(most, _)| cells <= *most) else {
            return;
        };
        for weight in WEIGHTS {
            let left = self.left(1.0 / parts as f64);
            let limits = Limits {
                expanded: left.expanded.map(|nodes| nodes / parts),
                generated: left.generated.map(|nodes| nodes / parts),
                memory: Some(left.memory.map_or(MEMORY, |most| most.min(MEMORY))),
                ..left
            };
            let method = format!("wastar:linear,w={weight}");
            if self.is_done() || !self.stage_within(&method, &limits) {
                break;
            }
        }
    }

    /// Makes the answer better until a limit is met.
    pub(crate) fn improve(&mut self, seed: u64) {
        self.improve_within(1.0, seed);
    }

    /// Makes the answer better in a share of the time that is left.
    pub(crate) fn improve_within(&mut self, share: f64, seed: u64) {
        let Some(found) = &self.found else { return };
        let Some(solution) = found.solution() else { return };
        let (puzzle, costs) = (&self.task.puzzle, &self.task.cost);
        let lower_bound = found.lower_bound;
        // Moves are what is saved, so that only a bound on their number can end it early.
        let bound = if *costs == Costs::Unit { lower_bound } else { 0 };
        let from = Improve { way: solution.actions.clone(), bound, seed };
        let limits = self.left(share);
        let mut best: Option<Solution<Slide>> = None;
        let mut least = solution.cost;
        let counts = improve(puzzle, from, &limits, &mut |way| {
            let better = checked(puzzle, costs, way.to_vec());
            if better.cost < least {
                least = better.cost;
                let improvement = self.improvement(&better, lower_bound);
                self.tell(improvement);
                best = Some(better);
            }
        });
        let outcome = best.map_or(Outcome::Stopped(Stop::Time), Outcome::Solved);
        self.add(Search { outcome, lower_bound, counts, before_last_bound: None });
    }

    /// What is proven without a search.
    fn bound(&self) -> Cost {
        let puzzle = (&self.task.puzzle, &self.task.cost);
        let monitor = taquin_search::Monitor::default();
        let mut wanted = Wanted { memory: None, monitor: &monitor, report: &mut |_| () };
        let guide = self.tables.guide(&Estimate::Linear, puzzle, &mut wanted);
        guide.map_or(0, |guide| Evaluator(guide).estimate(self.task.puzzle.start()))
    }

    /// An answer, now.
    pub(crate) fn improvement(&self, solution: &Solution<Slide>, lower_bound: Cost) -> Improvement {
        let Solution { actions, cost } = solution;
        let known = self.found.as_ref().map_or(0, |found| found.lower_bound);
        Improvement {
            seconds: self.started.elapsed().as_secs_f64(),
            cost: *cost,
            depth: actions.len() as u64,
            lower_bound: known.max(lower_bound),
        }
    }

    /// Tells of an answer if it is better than all before it.
    pub(crate) fn tell(&mut self, improvement: Improvement) {
        if self.improvements.last().is_none_or(|last| improvement.cost < last.cost) {
            self.improvements.push(improvement);
            if let Some(monitor) = &self.limits.monitor {
                monitor.improve(improvement);
            }
        }
    }
}

/// A way with what it costs, after it has been replayed.
///
/// # Panics
/// Panics if it does not lead to the goal: no wrong answer is told.
fn checked(puzzle: &Puzzle, costs: &Costs, actions: Vec<Slide>) -> Solution<Slide> {
    let end = replay(puzzle.start(), &actions).expect("an answer can be replayed");
    assert_eq!(&end, puzzle.goal(), "an answer leads to the goal");
    let cost = match costs {
        Costs::Unit => actions.len() as Cost,
        _ => {
            let prices = costs.of_tiles(puzzle.size().cells());
            let mut board = puzzle.start().clone();
            let price =
                |&slide: &Slide| board.slide(slide).map_or(0, |tile| prices[usize::from(tile)]);
            actions.iter().map(price).fold(0, Cost::saturating_add)
        }
    };
    Solution { actions, cost }
}
