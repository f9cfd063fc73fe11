//! All shortest solutions.

use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_fast::SolverOptions;
use taquin_search::{
    Deepening, ForGoalless, GoalTest, Goalless, Limits, Monitor, Node, Observer, Outcome,
    Reversible, StateSpace, Undo, Verdict, deepening,
};
use taquin_tables::whole::Metric;
use taquin_tiles::packed::{Layout, Nibbles, Quints, Tiles, Wide};
use taquin_tiles::{Costs, Slide};

use crate::heuristic::{AnyHeuristic, Estimate};
use crate::report::{Ending, Report};
use crate::session::Session;
use crate::tables::TableRequest;
use crate::task::Task;
use crate::watch::Watch;

impl Session {
    /// Runs a task, then calls `each` with every solution of the least cost until it breaks.
    ///
    /// The report is that of the first solution. If it is not proven optimal, it is the only one.
    /// The flag says whether the list is complete: the limits of the task hold for the listing too.
    pub fn all(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
    ) -> (Report, bool) {
        let report = self.run(task, Watch::by(monitor));
        let counts_slides = task.method.metric == Metric::Single;
        let Some(cost) = report.cost.filter(|_| report.optimal && counts_slides) else {
            if let Some(moves) = &report.moves {
                let _ = each(moves);
            }
            return (report, false);
        };
        let spent = &report.counts;
        let limits = Limits {
            expanded: task.limits.expanded.map(|most| most.saturating_sub(spent.expanded)),
            generated: task.limits.generated.map(|most| most.saturating_sub(spent.generated)),
            memory: task.limits.memory,
            time: task.limits.time().map(|time| {
                time.saturating_sub(std::time::Duration::from_secs_f64(report.seconds))
            }),
            monitor: Some(Arc::clone(monitor)),
        };
        // With what solved it, the listing takes about as long; a blind search takes too long.
        let solved_by = report.stages.iter().rev().find(|stage| stage.outcome == Ending::Solved);
        let estimate = solved_by.and_then(|stage| stage.method.estimate.clone());
        let is_complete =
            self.list(task, &estimate.unwrap_or(Estimate::Linear), cost, &limits, each);
        (report, is_complete)
    }

    /// Lists the solutions of cost `cost`; returns whether all of them were listed.
    fn list(
        &self,
        task: &Task,
        estimate: &Estimate,
        cost: u32,
        limits: &Limits,
        each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
    ) -> bool {
        let outer = limits.monitor.as_deref().expect("a listing has a monitor");
        let mut request =
            TableRequest { memory: limits.memory, monitor: outer, report: &mut |_| () };
        let Ok(heuristic) = self.heuristic(estimate, (&task.puzzle, &task.cost), &mut request)
        else {
            return false;
        };
        let mut broken = false;
        let mut each = |slides: &[Slide]| {
            let flow = each(slides);
            broken |= flow.is_break();
            flow
        };
        if task.cost == Costs::Unit {
            let options = SolverOptions { moves: task.method.moves, ..SolverOptions::default() };
            let solver = self.tables.solver(task.puzzle.goal(), estimate, &heuristic, options);
            let listed =
                solver.and_then(|one| one.solve_all(task.puzzle.start(), 1, limits, &mut each));
            if let Some(search) = listed {
                return !broken && !matches!(search.outcome, Outcome::Stopped(_));
            }
        }
        let complete = match task.puzzle.size().cells() {
            ..=Nibbles::CELLS => list::<Nibbles>(task, cost, &heuristic, limits, &mut each),
            17..=Quints::CELLS => list::<Quints>(task, cost, &heuristic, limits, &mut each),
            _ => list::<Wide>(task, cost, &heuristic, limits, &mut each),
        };
        complete && !broken
    }
}

/// Visits every path of at most the optimal cost, and lists those that end at the goal. Returns
/// whether it visited all of them.
fn list<L: Layout>(
    task: &Task,
    cost: u32,
    heuristic: &AnyHeuristic,
    limits: &Limits,
    each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
) -> bool {
    let space = Tiles::<L>::new(&task.puzzle, &task.cost, task.method.moves);
    let start = space.place(task.puzzle.start());
    let goal = space.goal();
    if start == goal {
        let _ = each(&[]);
        return true;
    }
    // The search has no goal, so that it ends when the lister cancels it; what cancels the task must
    // not look like that.
    let inner = Arc::new(Monitor::default());
    let inner_limits = Limits { monitor: Some(Arc::clone(&inner)), ..limits.clone() };
    let mut lister = Lister::<L> {
        goal,
        cost,
        path: Vec::new(),
        inner: &inner,
        outer: limits.monitor.as_deref(),
        each,
        is_complete: false,
    };
    let policy = Deepening { by_depth: false, goal: GoalTest::Generation, undo: Undo::Skip };
    let (space, heuristic) = (Goalless(&space), ForGoalless(heuristic));
    deepening(&space, &start, &heuristic, &policy, &inner_limits, &mut lister);
    lister.is_complete
}

/// Tracks the path that the search is on.
struct Lister<'a, L: Layout> {
    goal: L::State,
    cost: u32,
    path: Vec<Slide>,
    /// Ends the search.
    inner: &'a Monitor,
    /// Through which the task is cancelled.
    outer: Option<&'a Monitor>,
    each: &'a mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
    is_complete: bool,
}

impl<L: Layout> Observer<Goalless<'_, Tiles<L>>> for Lister<'_, L>
where
    Tiles<L>: StateSpace<State = L::State, Action = L::Action>,
{
    fn generate(&mut self, node: &Node<'_, Goalless<'_, Tiles<L>>>, verdict: Verdict) {
        if self.inner.is_cancelled() {
            return;
        }
        if self.outer.is_some_and(Monitor::is_cancelled) {
            self.inner.cancel();
            return;
        }
        let Some(action) = node.action.filter(|_| verdict == Verdict::Kept) else { return };
        self.path.truncate(node.depth as usize - 1);
        self.path.push(action.into());
        if *node.state == self.goal && node.g == self.cost && (self.each)(&self.path).is_break() {
            self.inner.cancel();
        }
    }

    fn bound(&mut self, bound: u64) {
        if bound > self.cost.into() && !self.inner.is_cancelled() {
            self.is_complete = true;
            self.inner.cancel();
        }
    }
}
