//! Units of a threshold that are searched in shares, compared with one search of everything.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use taquin_search::{Counts, Limits, Monitor, Outcome, Random, Search};
use taquin_solvers::{
    DeviceFrontier, FrontierOptions, Journal, Refusal, Scope, Share, Snapshot, Solver,
    SolverHeuristic, SolverOptions, Tally,
};
use taquin_tiles::{Board, NamedGoal, Size, Slide, replay, scramble};

use crate::{facts, patterns};

/// A search for one start, as IDA* or below a frontier.
struct Work<'a> {
    solver: &'a Solver,
    start: &'a Board,
    is_aida: bool,
}

impl Work<'_> {
    fn search(&self, journal: &Journal<'_>, threads: usize, limits: &Limits) -> Search<Slide> {
        let Self { solver, start, is_aida } = *self;
        let options = FrontierOptions { table: Some(0), improves: false };
        match is_aida {
            true => solver.solve_from_frontier(start, threads, limits, options, Some(journal)),
            false => solver.solve_in_parts(start, threads, limits, journal),
        }
        .unwrap()
    }

    /// Searches a share, and interrupts it after each unit on another number of threads.
    fn share(&self, begun: &Snapshot, share: Share) -> Result<Snapshot, Vec<Slide>> {
        let mut snapshot = begun.clone();
        for threads in [1, 2, 3].into_iter().cycle() {
            let monitor = Arc::new(Monitor::default());
            let saved = Mutex::new(0);
            let save = |_: &Snapshot| {
                *saved.lock().unwrap() += 1;
                if *saved.lock().unwrap() == 40 {
                    monitor.cancel();
                }
            };
            let journal = Journal::new(Some(snapshot), &save, Duration::ZERO);
            let journal = journal.with_scope(Scope::Share(share));
            let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
            let search = self.search(&journal, threads, &limits);
            assert_eq!(journal.refusal(), None);
            snapshot = journal.snapshot();
            assert!(snapshot.has_only(share));
            match search.outcome {
                Outcome::Exhausted => break,
                Outcome::Solved(solution) => return Err(solution.actions),
                Outcome::Stopped(_) => {}
            }
        }
        assert!(snapshot.has_all(share));
        Ok(snapshot)
    }

    /// Searches all thresholds from one of `least` nodes on in shares. Returns the last snapshot
    /// and a solution.
    fn in_shares(&self, shares: usize, least: u64, random: &mut Random) -> (Snapshot, Vec<Slide>) {
        let mut all = Snapshot::default();
        loop {
            let scope = Scope::Split { shares, least: if all.threshold == 0 { least } else { 0 } };
            let journal = Journal::unsaved(Some(all)).with_scope(scope);
            let search = self.search(&journal, 2, &Limits::default());
            all = journal.snapshot();
            if let Outcome::Solved(solution) = search.outcome {
                return (all, solution.actions);
            }
            assert!(journal.is_split() && all.units_done() == 0);
            let begun = all.clone();
            let mut order: Vec<usize> = (0..shares).collect();
            random.shuffle(&mut order);
            for number in order {
                match self.share(&begun, Share { number, of: shares }) {
                    Ok(snapshot) => all.unite(snapshot),
                    Err(solution) => return (begun, solution),
                }
            }
        }
    }
}

#[test]
fn tallies_of_shares_add_up_to_the_counts_of_one_search() {
    let sizes = [(3, 3, 60, "1.2.3.4/5.6.7.8"), (3, 4, 60, "1.2.3.4/5.6.7.8"), (4, 4, 40, "")];
    let mut random = Random::new(3);
    for (rows, cols, walk, partition) in sizes {
        let goal = NamedGoal::Last.board(Size::new(rows, cols).unwrap(), 1);
        let mut methods = vec![(SolverHeuristic::Manhattan, false)];
        if !partition.is_empty() {
            let patterns = patterns(&goal, partition);
            methods.extend([(patterns.clone(), false), (patterns, true)]);
        }
        for ((heuristic, is_aida), prune) in methods.iter().flat_map(|one| [(one, 2), (one, 8)]) {
            let options = SolverOptions { prune, ..SolverOptions::default() };
            let solver = &Solver::new(&goal, heuristic, options).unwrap();
            for (shares, least) in [(1, 0), (2, 500), (7, 0), (60, 0), (1000, 100)] {
                let start = &scramble::walk(&goal, walk, &mut random);
                let work = Work { solver, start, is_aida: *is_aida };
                let expected = work.search(&Journal::unsaved(None), 1, &Limits::default());
                let (last, solution) = work.in_shares(shares, least, &mut random);
                let before = expected.before_last_bound.unwrap();
                assert_eq!(
                    (last.before.expanded, last.before.generated, last.threshold),
                    (before.expanded, before.generated, expected.lower_bound),
                    "{start}, {shares} shares"
                );
                assert_eq!(solution.len(), last.threshold as usize);
                assert_eq!(replay(start, &solution).as_ref(), Ok(&goal));
            }
        }
    }
}

/// A unit that one executor has finished is finished for all: a search of everything resumes from
/// shares.
#[test]
fn one_search_resumes_from_some_of_the_shares() {
    let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
    let solver =
        &Solver::new(&goal, &SolverHeuristic::Manhattan, SolverOptions::default()).unwrap();
    let start = &scramble::walk(&goal, 90, &mut Random::new(5));
    let work = Work { solver, start, is_aida: false };
    let whole = work.search(&Journal::unsaved(None), 1, &Limits::default());
    let scope = Scope::Split { shares: 3, least: 10_000 };
    let journal = Journal::unsaved(None).with_scope(scope);
    work.search(&journal, 1, &Limits::default());
    assert!(journal.is_split());
    let mut some = journal.snapshot();
    for number in [2, 0] {
        let share = Share { number, of: 3 };
        some.unite(work.share(&journal.snapshot(), share).expect("the threshold has no solution"));
    }
    assert!(some.units_done() > 100 && some.fault(1, whole.lower_bound).is_none());
    let journal = Journal::unsaved(Some(some.clone()));
    let resumed = work.search(&journal, 2, &Limits::default());
    assert_eq!(facts(&resumed), facts(&whole));
    // Another cut is refused, and the finished units stay.
    let mut other = serde_json::to_value(&some).unwrap();
    other["roots"]["nodes"] = 1_000_000.into();
    let other: Snapshot = serde_json::from_value(other).unwrap();
    let journal = Journal::unsaved(Some(other.clone()));
    let refused = work.search(&journal, 2, &Limits::default());
    assert!(matches!(refused.outcome, Outcome::Stopped(_)), "{:?}", refused.outcome);
    assert_eq!((journal.refusal(), journal.snapshot()), (Some(Refusal::Roots), other));
}

/// The units of a device mean nothing to the processor, which searches the threshold as a whole. They
/// stay until it is complete.
#[test]
fn the_processor_keeps_the_finished_units_of_a_device() {
    let goal = NamedGoal::First.board(Size::new(4, 4).unwrap(), 1);
    let estimate = patterns(&goal, "1.4.5/2.3.6/8.9.12");
    let solver = &Solver::new(&goal, &estimate, SolverOptions::default()).unwrap();
    let start = &scramble::walk(&goal, 90, &mut Random::new(5));
    for is_aida in [false, true] {
        let work = Work { solver, start, is_aida };
        let whole = work.search(&Journal::unsaved(None), 1, &Limits::default());
        let journal = Journal::unsaved(None);
        journal.begin(whole.lower_bound - 2, Counts::default(), 10_000_000);
        let frontier = DeviceFrontier {
            is_from_goal: true,
            depth: 20,
            wanted: 200_000,
            boards: 190_000,
            units: 7,
        };
        assert_eq!(journal.device_frontier(), None);
        assert_eq!(journal.enter_on_device(frontier), vec![None; 7]);
        // A tally without nodes cannot spoil the counts.
        journal.add(3, Tally::default());
        let of_device = journal.snapshot();
        assert_eq!(of_device.units_done(), 1);
        assert_eq!(of_device.fault(1, whole.lower_bound), None);
        let text = serde_json::to_string(&of_device).unwrap();
        assert_eq!(serde_json::from_str::<Snapshot>(&text).unwrap(), of_device);

        let journal = Journal::unsaved(Some(of_device.clone()));
        let limits = Limits { generated: Some(1000), ..Limits::default() };
        let stopped = work.search(&journal, 2, &limits);
        assert!(matches!(stopped.outcome, Outcome::Stopped(_)), "{:?}", stopped.outcome);
        let kept = journal.snapshot();
        assert_eq!((journal.refusal(), kept.threshold), (None, of_device.threshold));
        assert_eq!((journal.device_frontier(), kept.units_done()), (Some(frontier), 1));
        let resumed = work.search(&journal, 2, &Limits::default());
        assert_eq!((resumed.lower_bound, resumed.is_optimal()), (whole.lower_bound, true));
        assert!(journal.snapshot().threshold > of_device.threshold);

        // A device continues with them if it makes the same frontier, and only then.
        let journal = Journal::unsaved(Some(of_device.clone()));
        assert_eq!(journal.device_frontier(), Some(frontier));
        assert_eq!(journal.enter_on_device(frontier)[3], Some(Tally::default()));
        let other = DeviceFrontier { boards: 180_000, ..frontier };
        assert_eq!(journal.enter_on_device(other), vec![None; 7]);
        journal.add(2, Tally::default());
        assert_eq!(journal.snapshot(), of_device);
    }
}
