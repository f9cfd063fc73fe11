//! The engines that prove a bound.

use std::sync::Arc;

use taquin_search::{Limits, Search};
use taquin_solvers::{FrontierOptions, Journal, Snapshot, Solver, SolverOptions};
use taquin_tables::whole::Metric;
use taquin_tiles::Slide;

use super::PRUNE;
use super::auto::{MAX_OPTIMAL_CELLS, MEMORY_PARTS};
use crate::algorithm::Algorithm;
use crate::engine::run;
use crate::heuristic::{AnyHeuristic, Estimate};
use crate::method::{Method, USUAL_PRUNE};
use crate::session::Session;
use crate::tables::TableRequest;
use crate::task::Task;

/// The memory of a search below a frontier if there is no limit, and the least that is worth it.
const FRONTIER_MEMORY: u64 = 1 << 30;
const MIN_FRONTIER_MEMORY: u64 = 64 << 20;

/// How a bound is proven.
#[derive(Clone)]
pub(super) enum Prover {
    /// By a specialised engine, with databases.
    Special(Arc<Solver>),
    /// By one below a frontier, with at most this many bytes.
    Frontier(Arc<Solver>, u64),
    /// By the engine for everything.
    General(AnyHeuristic),
}

impl Prover {
    /// The method that it is, with some databases or without any.
    pub(super) fn method(&self, estimate: Option<&Estimate>) -> Method {
        let algorithm = match self {
            Self::Frontier(..) => Algorithm::Aida,
            Self::Special(_) | Self::General(_) => Algorithm::Ida,
        };
        let mut method =
            Method::new(algorithm, Some(estimate.unwrap_or(&Estimate::Linear).clone()));
        if matches!(self, Self::Special(_)) {
            method.prune = PRUNE;
        }
        method
    }

    /// Searches from the threshold of `from` on, or from the first without one. An engine for
    /// everything always begins with the first.
    pub(super) fn search(
        &self,
        task: &Task,
        method: &Method,
        threads: usize,
        limits: &Limits,
        from: Option<Snapshot>,
    ) -> Option<Search<Slide>> {
        let start = task.puzzle.start();
        match self {
            Self::Special(solver) => match from {
                None => solver.solve(start, threads, limits),
                from => solver.solve_in_parts(start, threads, limits, &Journal::unsaved(from)),
            },
            Self::Frontier(solver, memory) => {
                let limits = Limits { memory: Some(*memory), ..limits.clone() };
                // There is an improver already.
                let options = FrontierOptions { improves: false, ..FrontierOptions::default() };
                let journal = from.map(|from| Journal::unsaved(Some(from)));
                solver.solve_from_frontier(start, threads, &limits, options, journal.as_ref())
            }
            Self::General(heuristic) => Some(run(task, method, heuristic.into(), limits, None)),
        }
    }
}

/// Returns the memory of a search below a frontier.
pub(super) fn frontier_memory(memory: Option<u64>) -> u64 {
    memory.map_or(FRONTIER_MEMORY, |most| most / MEMORY_PARTS)
}

/// The best engine for a task with some databases, which are built if necessary. On larger boards
/// it searches below a frontier in at most `frontier` bytes, if that is allowed.
pub(super) fn with_tables(
    session: &Session,
    task: &Task,
    estimate: &Estimate,
    frontier: Option<u64>,
    request: &mut TableRequest<'_>,
) -> Option<Prover> {
    let heuristic =
        session.heuristic(estimate, (&task.puzzle, &task.cost, Metric::Single), request).ok()?;
    let is_large = task.puzzle.size().cells() > MAX_OPTIMAL_CELLS;
    let frontier = frontier.filter(|&memory| is_large && memory >= MIN_FRONTIER_MEMORY);
    // With a transposition table, pruning gains less than it costs.
    let prune = if frontier.is_some() { USUAL_PRUNE } else { PRUNE };
    let options = SolverOptions { prune, ..SolverOptions::default() };
    let solver = session.tables.solver(task.puzzle.goal(), estimate, &heuristic, options);
    Some(match (solver, frontier) {
        (Some(solver), Some(memory)) => Prover::Frontier(solver, memory),
        (Some(solver), None) => Prover::Special(solver),
        (None, _) => Prover::General(heuristic),
    })
}

#[cfg(test)]
mod tests {
    use taquin_search::{Counts, Monitor};
    use taquin_tiles::Board;

    use super::*;

    #[test]
    fn a_proof_begins_with_the_threshold_that_is_reached() {
        let start: Board = "7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10".parse().unwrap();
        let task = Task::from(start);
        let session = Session::without_folder();
        let estimate = Estimate::pdb("1.2.5.6/3.4.7.8".parse().unwrap());
        let monitor = &Monitor::default();
        let mut request = TableRequest { memory: None, monitor, report: &mut |_| () };
        let Some(Prover::Special(solver)) =
            with_tables(&session, &task, &estimate, None, &mut request)
        else {
            panic!("there is an engine for 15-puzzles");
        };
        let journal = Journal::unsaved(None);
        journal.begin(46, Counts::default(), 1000);
        let reached = journal.snapshot();
        for prover in [Prover::Special(Arc::clone(&solver)), Prover::Frontier(solver, 1 << 26)] {
            let method = prover.method(Some(&estimate));
            let [all, last] = [None, Some(reached.clone())]
                .map(|from| prover.search(&task, &method, 1, &Limits::default(), from).unwrap());
            for search in [&all, &last] {
                assert_eq!(search.solution().map(|solution| solution.cost), Some(46), "{method}");
                assert_eq!(search.lower_bound, 46, "{method}");
            }
            let below = all.before_last_bound.unwrap();
            assert!(below.generated > 0);
            assert_eq!(last.before_last_bound, Some(Counts::default()), "{method}");
        }
    }
}
