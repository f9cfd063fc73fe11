//! All shortest solutions.

use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_fast::SolverOptions;
use taquin_search::{
    Deepening, ForGoalless, GoalTest, Goalless, Limits, Monitor, Node, Observer, Reversible,
    StateSpace, Undo, Verdict, deepening,
};
use taquin_tables::whole::Metric;
use taquin_tiles::{Layout, Nibbles, Quints, Slide, Tiles, Wide};

use crate::estimate::Estimate;
use crate::guide::Guide;
use crate::report::{Ending, Report};
use crate::session::Session;
use crate::tables::Wanted;
use crate::task::Task;

impl Session {
    /// Solves a task, and then tells of every solution of the least cost, until told to stop.
    ///
    /// The report is that of the first solution. If it is not proven optimal, it is the only one;
    /// the flag says whether the list is complete.
    pub fn all(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
    ) -> (Report, bool) {
        let report = self.work(task, monitor, None);
        let slides_count = task.method.metric == Metric::Single;
        let Some(cost) = report.cost.filter(|_| report.optimal && slides_count) else {
            if report.outcome == Ending::Solved {
                let _ = each(&report.slides());
            }
            return (report, false);
        };
        // The cancelling of the listing must not look like one from outside.
        let inner = Arc::new(Monitor::default());
        let limits = Limits { monitor: Some(Arc::clone(&inner)), ..Limits::default() };
        let mut stopped = false;
        let mut tell = |slides: &[Slide]| match monitor.is_cancelled() {
            true => ControlFlow::Break(()),
            false => each(slides),
        };
        let mut noting = |slides: &[Slide]| {
            let flow = tell(slides);
            stopped |= flow.is_break();
            flow
        };
        self.list(task, cost, &limits, &inner, &mut noting);
        (report, !stopped)
    }

    fn list(
        &self,
        task: &Task,
        cost: u32,
        limits: &Limits,
        monitor: &Monitor,
        each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
    ) {
        let estimate = task.method.estimate.as_ref().unwrap_or(&Estimate::Linear);
        let mut wanted = Wanted { memory: task.limits.memory, monitor, report: &mut |_| () };
        let puzzle = (&task.puzzle, &task.cost);
        let guide = self.tables.guide(estimate, puzzle, &mut wanted).unwrap_or(Guide::Blind);
        let quick = (task.cost == taquin_tiles::Costs::Unit)
            .then(|| {
                let options =
                    SolverOptions { moves: task.method.moves, ..SolverOptions::default() };
                self.tables.solver(task.puzzle.goal(), estimate, &guide, options)
            })
            .flatten();
        if let Some(solver) = quick {
            let _ = solver.solve_all(task.puzzle.start(), 1, limits, each);
            return;
        }
        match task.puzzle.size().cells() {
            ..=Nibbles::CELLS => list::<Nibbles>(task, cost, &guide, limits, monitor, each),
            17..=Quints::CELLS => list::<Quints>(task, cost, &guide, limits, monitor, each),
            _ => list::<Wide>(task, cost, &guide, limits, monitor, each),
        }
    }
}

/// Goes through every path of at most the optimal cost, and tells of those that end at the goal.
fn list<L: Layout>(
    task: &Task,
    cost: u32,
    guide: &Guide,
    limits: &Limits,
    monitor: &Monitor,
    each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
) {
    let space = Tiles::<L>::new(&task.puzzle, &task.cost, task.method.moves);
    let start = space.place(task.puzzle.start());
    let mut lister =
        Lister::<L> { goal: space.goal(), cost, path: Vec::new(), monitor, each, done: false };
    if start == lister.goal {
        let _ = (lister.each)(&[]);
        return;
    }
    let policy = Deepening { by_depth: false, goal: GoalTest::Generation, undo: Undo::Skip };
    deepening(&Goalless(&space), &start, &ForGoalless(guide), &policy, limits, &mut lister);
}

/// Keeps the path that the search is on.
struct Lister<'a, L: Layout> {
    goal: L::State,
    cost: u32,
    path: Vec<Slide>,
    monitor: &'a Monitor,
    each: &'a mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
    done: bool,
}

impl<L: Layout> Observer<Goalless<'_, Tiles<L>>> for Lister<'_, L>
where
    Tiles<L>: StateSpace<State = L::State, Action = L::Action>,
{
    fn generate(&mut self, node: &Node<'_, Goalless<'_, Tiles<L>>>, verdict: Verdict) {
        let Some(action) = node.action.filter(|_| verdict == Verdict::Kept && !self.done) else {
            return;
        };
        self.path.truncate(node.depth as usize - 1);
        self.path.push(action.into());
        if *node.state == self.goal && node.g == self.cost && (self.each)(&self.path).is_break() {
            self.done = true;
            self.monitor.cancel();
        }
    }

    fn bound(&mut self, bound: u64) {
        if bound > self.cost.into() {
            self.done = true;
            self.monitor.cancel();
        }
    }
}
