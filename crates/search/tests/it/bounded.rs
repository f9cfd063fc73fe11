//! Searches that keep to a weight, on random graphs whose distances are known.

use std::sync::Arc;

use proptest::prelude::*;
use taquin_search::{
    Bounded, Cost, ImplicitGraph, Limits, Monitor, Phi, Problem, Recomputed, Stop, Weight,
};

use crate::front_to_end::{FAR, distances, graphs};

fn choices() -> impl Iterator<Item = Bounded> {
    Bounded::ALL.into_iter().chain([Bounded::Ios(Phi::Xdp), Bounded::Ios(Phi::Xup)])
}

fn weights() -> [Weight; 4] {
    [(1, 1), (11, 10), (3, 2), (3, 1)]
        .map(|(above, below)| Weight::new(above, below).expect("a weight"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Estimates are admissible, but mostly inconsistent, and the numbers of actions are any.
    #[test]
    fn every_choice_keeps_to_the_weight((states, edges, percents) in graphs()) {
        let all = distances(states, &edges);
        let goal = states - 1;
        let graph = ImplicitGraph::new(
            |&from: &usize| {
                let out = edges.iter().filter(move |edge| edge.0 == from);
                out.map(|&(_, to, cost)| (to, cost))
            },
            |&state: &usize| state == goal,
        );
        let optimum = Some(all[0][goal]).filter(|&distance| distance < FAR);
        let estimate = |&state: &usize| all[state][goal] * percents[state] / 100;
        let distance = |&state: &usize| percents[state] / 7;
        let (estimate, distance) = (Recomputed(&estimate), Recomputed(&distance));
        for (choice, weight) in choices().flat_map(|choice| weights().map(|w| (choice, w))) {
            for distance in [None, Some(&distance)] {
                let run = |limits: &Limits| {
                    let problem = Problem::new(&graph, &0).heuristic(&estimate).limits(limits);
                    problem.bounded(distance, choice, weight).run()
                };
                let search = run(&Limits::default());
                let what = format!("{choice:?} with {weight}: {search:?}, optimum {optimum:?}");
                let cost = search.solution().map(|solution| solution.cost);
                prop_assert_eq!(cost.is_some(), optimum.is_some(), "{}", what);
                if let (Some(cost), Some(optimum)) = (cost, optimum) {
                    prop_assert!(search.lower_bound <= optimum && optimum <= cost, "{}", what);
                    let target = if choice.is_anytime() { Weight::ONE } else { weight };
                    let proven = target.rank(0, search.lower_bound);
                    prop_assert!(target.rank(cost, 0) <= proven, "{}", what);
                }
                for expanded in 0..search.counts.expanded {
                    let limits = Limits { expanded: Some(expanded), ..Limits::default() };
                    let part = run(&limits);
                    prop_assert_eq!(part.counts.expanded, expanded, "{}", what);
                    prop_assert!(part.lower_bound <= optimum.unwrap_or(Cost::MAX), "{}", what);
                    let cost = part.solution().map(|solution| solution.cost);
                    prop_assert!(cost.is_none_or(|cost| Some(cost) >= optimum), "{}", what);
                }
            }
        }
    }
}

/// A long corridor with a shorter and dearer way around each door.
fn corridor(n: u32) -> [(u32, Cost); 3] {
    [(n + 1, 2), (n.saturating_sub(1), 2), (n + 7, 15)]
}

#[test]
fn stepping_equals_running_and_limits_hold() {
    let graph = ImplicitGraph::new(|&n: &u32| corridor(n), |&n: &u32| n == 300);
    let estimate = |&n: &u32| 300u32.saturating_sub(n);
    let estimate = Recomputed(&estimate);
    let two = Weight::new(2, 1).unwrap();
    for choice in choices() {
        let problem = || Problem::new(&graph, &0).heuristic(&estimate);
        let whole = problem().bounded(Some(&estimate), choice, two).run();
        let mut search = problem().bounded(Some(&estimate), choice, two);
        let mut steps = 0;
        while let Some(counts) = search.step() {
            steps += 1;
            assert_eq!(counts.expanded, steps, "{choice:?}");
        }
        assert_eq!(search.run(), whole, "{choice:?}");
        let limits = Limits { memory: Some(9_000), ..Limits::default() };
        let stopped = problem().limits(&limits).bounded(Some(&estimate), choice, two).run();
        let is_solved = stopped.solution().is_some();
        assert!(is_solved || stopped.outcome == taquin_search::Outcome::Stopped(Stop::Memory));
        assert!(stopped.counts.memory_peak <= 10_000, "{choice:?}: {:?}", stopped.counts);
        assert!(stopped.lower_bound <= 600);
    }
}

/// Anytime searches report every solution on the way to the optimal one, each with a bound that
/// holds.
#[test]
fn improvements_are_reported_with_their_bounds() {
    let graph = ImplicitGraph::new(
        |&(x, y): &(i32, i32)| {
            [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
                .into_iter()
                .filter(|&(x, y)| (0..60).contains(&x) && (0..60).contains(&y))
                .map(|(x, y)| ((x, y), 1 + ((x * 31 + y * 17 + x * y * 7) % 9) as Cost))
        },
        |&at| at == (59, 59),
    );
    let estimate = |&(x, y): &(i32, i32)| (118 - x - y) as Cost;
    let estimate = Recomputed(&estimate);
    for choice in Bounded::ALL.into_iter().filter(|choice| choice.is_anytime()) {
        let monitor = Arc::new(Monitor::default());
        let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
        let problem = Problem::new(&graph, &(0, 0)).heuristic(&estimate).limits(&limits);
        let weight = Weight::new(5, 1).unwrap();
        let search = problem.bounded(None::<&Recomputed<&fn(&(i32, i32)) -> Cost>>, choice, weight);
        let search = search.run();
        assert!(search.is_optimal(), "{choice:?}");
        let optimum = search.lower_bound;
        let better = monitor.improvements(0);
        assert!(better.len() > 1, "{choice:?}: {better:?}");
        assert!(better.is_sorted_by(|one, next| one.cost > next.cost), "{better:?}");
        assert!(better.iter().all(|one| one.lower_bound <= optimum && one.cost >= optimum));
        assert_eq!(better.last().unwrap().cost, optimum);
    }
}
