//! Interrupted searches that continue.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use taquin_search::{Limits, Outcome, Random, Stop};
use taquin_solvers::{Journal, Snapshot, Solver, SolverHeuristic, SolverOptions};
use taquin_tiles::{NamedGoal, Size, scramble};

use crate::{facts, patterns};

/// Cancels a search again and again, each time a little later, and continues it from the saved
/// progress on another number of threads.
#[test]
fn an_interrupted_search_ends_with_the_same_counts() {
    let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
    let mut all = 0;
    let small = patterns(&goal, "1.4.5/2.3.6/8.9.12");
    for (estimate, seed) in [(&small, 3), (&small, 4), (&SolverHeuristic::Manhattan, 5)] {
        let solver = Solver::new(&goal, estimate, SolverOptions::default()).unwrap();
        let start = scramble::walk(&goal, 90, &mut Random::new(seed));
        let expected = solver.solve(&start, 1, &Limits::default()).unwrap();

        let kept: Mutex<Option<Snapshot>> = Mutex::new(None);
        let mut interruptions = 0;
        let ended = loop {
            let from = kept.lock().unwrap().clone();
            let text = serde_json::to_string(&from).unwrap();
            assert_eq!(serde_json::from_str::<Option<Snapshot>>(&text).unwrap(), from);
            let monitor = Arc::default();
            let save = |snapshot: &Snapshot| {
                *kept.lock().unwrap() = Some(snapshot.clone());
                // The parts that are done make the next interruption come later.
                let monitor: &Arc<taquin_search::Monitor> = &monitor;
                monitor.cancel();
            };
            let every = Duration::from_micros(100 * interruptions as u64);
            let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
            let journal = Journal::new(from, &save, every);
            let threads = 1 + interruptions % 3;
            let search = solver.solve_in_parts(&start, threads, &limits, &journal).unwrap();
            if search.outcome != Outcome::Stopped(Stop::Cancelled) {
                break search;
            }
            interruptions += 1;
        };
        all += interruptions;
        assert_eq!(facts(&ended), facts(&expected), "{start}");
    }
    assert!(all > 6, "{all}");
}
