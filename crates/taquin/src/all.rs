//! All shortest solutions.

use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_search::{Cost, Counts, Incremental, Limits, Meter, Outcome, StateSpace};
use taquin_solvers::SolverOptions;
use taquin_tables::whole::Metric;
use taquin_tiles::packed::{Layout, Nibbles, Quints, Tiles, Wide};
use taquin_tiles::{Costs, Slide};

use crate::heuristic::{AnyHeuristic, Estimate, Memo};
use crate::job::Job;
use crate::report::{Ending, ReplayedSolution, Report};
use crate::session::Session;
use crate::tables::TableRequest;
use crate::task::Task;
use crate::watch::Watch;

/// Solves a task, then calls `each` with every solution of the least cost until it breaks.
///
/// The report describes the first solution. If optimality is not proven, only that solution is
/// listed. The flag says whether the list is complete, because the task's limits hold for the
/// listing too.
pub struct AllSolutions<'a> {
    /// The task.
    pub task: &'a Task,
    /// Is called with the moves of each solution.
    pub each: &'a mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
}

impl Job for AllSolutions<'_> {
    type Output = (Report, bool);

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Self { task, each } = self;
        let monitor = Arc::clone(&watch.monitor);
        let report = session.run(task, watch);
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
            monitor: None,
        };
        // With the method that solved it, the listing takes about as long; a blind search takes too
        // long.
        let solved_by = report.stages.iter().rev().find(|stage| stage.outcome == Ending::Solved);
        let estimate = solved_by.and_then(|stage| stage.method.estimate.clone());
        // Each one listed is a solution, but some may be missing if a table has changed.
        let session = session.for_search();
        let limits = Limits { monitor: Some(session.guarded(&monitor)), ..limits };
        let is_complete =
            session.list(task, &estimate.unwrap_or(Estimate::Linear), cost, &limits, each);
        (report, is_complete && session.tables.are_intact())
    }
}

impl Session {
    /// Lists the solutions that cost `cost`; returns whether it listed all of them.
    fn list(
        &self,
        task: &Task,
        estimate: &Estimate,
        cost: Cost,
        limits: &Limits,
        each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
    ) -> bool {
        let outer = limits.monitor.as_deref().expect("a listing has a monitor");
        let mut request =
            TableRequest { memory: limits.memory, monitor: outer, report: &mut |_| () };
        let Ok(heuristic) =
            self.heuristic(estimate, (&task.puzzle, &task.cost, Metric::Single), &mut request)
        else {
            return false;
        };
        let mut broken = false;
        let mut each = |slides: &[Slide]| {
            // With a damaged table another board may be taken for the goal.
            if ReplayedSolution::new(task, slides.to_vec()).is_none() {
                return ControlFlow::Continue(());
            }
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

/// Lists the optimal solutions; returns whether it listed all of them.
fn list<L: Layout>(
    task: &Task,
    cost: Cost,
    heuristic: &AnyHeuristic,
    limits: &Limits,
    each: &mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
) -> bool {
    let space = &Tiles::<L>::new(&task.puzzle, &task.cost, task.method.moves);
    let mut state = space.place(task.puzzle.start());
    let memo = Incremental::<Tiles<L>>::memo(heuristic, &state);
    let (meter, counts) = (Meter::new(limits), Counts::default());
    let (path, actions) = (Vec::new(), Vec::new());
    let mut lister = Lister { space, heuristic, cost, meter, counts, path, actions, each };
    lister.visit(&mut state, memo, 0, None).is_continue()
}

/// Visits every path of at most the optimal cost, depth-first.
struct Lister<'a, L: Layout> {
    space: &'a Tiles<L>,
    heuristic: &'a AnyHeuristic,
    cost: Cost,
    meter: Meter<'a>,
    counts: Counts,
    path: Vec<Slide>,
    /// The actions of the nodes on the path, one after the other.
    actions: Vec<L::Action>,
    each: &'a mut dyn FnMut(&[Slide]) -> ControlFlow<()>,
}

impl<L: Layout> Lister<'_, L> {
    /// Visits a node, but not the successor that `back` leads to. Breaks if a limit is reached.
    fn visit(
        &mut self,
        state: &mut L::State,
        memo: Memo,
        g: Cost,
        back: Option<L::Action>,
    ) -> ControlFlow<()> {
        let (space, heuristic) = (self.space, self.heuristic);
        if space.is_goal(state) {
            return (self.each)(&self.path);
        }
        let progress = || (self.path.len() as u64, self.cost);
        if self.meter.stop(&self.counts, progress).is_some() {
            return ControlFlow::Break(());
        }
        self.counts.expanded += 1;
        let first = self.actions.len();
        space.actions(state, &mut self.actions);
        for at in first..self.actions.len() {
            let action = self.actions[at];
            if Some(action) == back {
                continue;
            }
            let g = g.saturating_add(space.apply(state, action));
            self.counts.generated += 1;
            let memo = Incremental::<Tiles<L>>::step(heuristic, memo, state, action);
            let h = Incremental::<Tiles<L>>::value(heuristic, memo);
            if g.saturating_add(h) <= self.cost {
                self.path.push(action.into());
                self.visit(state, memo, g, space.inverse(action))?;
                self.path.pop();
            }
            space.undo(state, action);
        }
        self.actions.truncate(first);
        ControlFlow::Continue(())
    }
}
