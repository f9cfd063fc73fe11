//! Searches from both ends with estimates, on random graphs whose distances are known.

use proptest::prelude::*;
use taquin_search::{
    Choice, Cost, Limits, Order, Problem, Recomputed, Reversible, Sides, StateSpace, Stop,
    TwoWayGraph, bae,
};

pub(crate) type Edge = (usize, usize, Cost);

/// The distance between states that are not connected, and more than that of any others.
pub(crate) const FAR: Cost = 10_000;

/// The number of states, the edges, and how many hundredths of the true distance each estimate is.
pub(crate) fn graphs() -> impl Strategy<Value = (usize, Vec<Edge>, Vec<Cost>)> {
    (2..14usize).prop_flat_map(|states| {
        let edges = prop::collection::vec((0..states, 0..states, 0..9 as Cost), 0..40);
        (Just(states), edges, prop::collection::vec(0..=100 as Cost, states))
    })
}

/// The distances between all states (Floyd and Warshall).
pub(crate) fn distances(states: usize, edges: &[Edge]) -> Vec<Vec<Cost>> {
    let mut all = vec![vec![FAR; states]; states];
    for (state, row) in all.iter_mut().enumerate() {
        row[state] = 0;
    }
    for &(from, to, cost) in edges {
        all[from][to] = all[from][to].min(cost);
    }
    for middle in 0..states {
        for from in 0..states {
            for to in 0..states {
                all[from][to] = all[from][to].min(all[from][middle] + all[middle][to]);
            }
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_choice_finds_and_proves_the_distance((states, edges, percents) in graphs()) {
        let all = distances(states, &edges);
        let (start, goal) = (0, states - 1);
        let forth = |&from: &usize| {
            let out = edges.iter().filter(move |edge| edge.0 == from);
            out.map(|&(_, to, cost)| (to, cost))
        };
        let back = |&to: &usize| {
            let into = edges.iter().filter(move |edge| edge.1 == to);
            into.map(|&(from, _, cost)| (from, cost))
        };
        let costs = edges.iter().map(|edge| edge.2);
        let least = costs.clone().min().unwrap_or(0);
        let graph = TwoWayGraph::new(forth, back, goal).costs(least..=costs.max().unwrap_or(0));
        let distance = Some(all[start][goal]).filter(|&distance| distance < FAR);
        let heaps = Sides::ALL.map(|sides| Choice::Bae(sides, Order::Heap));
        let fifo = Choice::Bae(Sides::Pohl, Order::Fifo);
        for choice in Choice::ALL.into_iter().chain(heaps).chain([fifo]) {
            let is_bae = matches!(choice, Choice::Bae(..));
            for is_consistent in [true, false] {
                if is_bae && !is_consistent {
                    continue;
                }
                // Equal shares of the true distances are consistent.
                let percent = |state: usize| percents[if is_consistent { 0 } else { state }];
                let to_goal = |&state: &usize| all[state][goal] * percent(state) / 100;
                let from_start = |&state: &usize| all[start][state] * percent(state) / 100;
                let found = graph.search(&start, to_goal, from_start, choice);
                prop_assert_eq!(found.cost, distance, "{:?}", choice);
                prop_assert_eq!(found.is_optimal(), distance.is_some());
                prop_assert_eq!(found.is_unreachable(), distance.is_none());
                if let Some(cost) = distance {
                    let ends = (found.path.first(), found.path.last());
                    prop_assert_eq!(ends, (Some(&start), Some(&goal)));
                    let paid: Cost = found.path.windows(2).map(|step| {
                        let edges = edges.iter().filter(|edge| [edge.0, edge.1] == *step);
                        edges.map(|edge| edge.2).min().unwrap()
                    }).sum();
                    prop_assert_eq!(paid, cost);
                }
                if is_bae {
                    // No state is expanded by both searches, and none twice.
                    prop_assert!(found.counts.expanded <= states as u64);
                    prop_assert_eq!(found.counts.reopened, 0);
                }
                for expanded in 0..found.counts.expanded {
                    let limits = Limits { expanded: Some(expanded), ..Limits::default() };
                    let part = graph.clone().limits(limits);
                    let part = part.search(&start, to_goal, from_start, choice);
                    prop_assert!(part.counts.expanded <= expanded);
                    prop_assert!(part.lower_bound <= distance.unwrap_or(Cost::MAX));
                    prop_assert!(part.cost.is_none_or(|cost| Some(cost) >= distance));
                }
            }
        }
    }
}

/// Numbers modulo 97, from which one reaches others by adding or subtracting 5.
struct Ring;

impl StateSpace for Ring {
    type State = i32;
    type Key = i32;
    type Action = i32;

    fn actions(&self, _: &i32, actions: &mut Vec<i32>) {
        actions.extend([-5, 5]);
    }

    fn apply(&self, state: &mut i32, action: i32) -> Cost {
        *state = (*state + action).rem_euclid(97);
        1
    }

    fn undo(&self, state: &mut i32, action: i32) {
        self.apply(state, -action);
    }

    fn inverse(&self, action: i32) -> Option<i32> {
        Some(-action)
    }

    fn key(&self, state: &i32) -> i32 {
        *state
    }

    fn state(&self, key: &i32) -> i32 {
        *key
    }

    fn is_goal(&self, state: &i32) -> bool {
        *state == 0
    }

    fn costs(&self) -> std::ops::RangeInclusive<Cost> {
        1..=1
    }
}

impl Reversible for Ring {
    fn goal(&self) -> i32 {
        0
    }
}

#[test]
fn stepping_equals_running() {
    for start in 0..97 {
        // A move leads at most five numbers on.
        let apart = move |state: i32, other: i32| {
            let around = (state - other).rem_euclid(97);
            (around.min(97 - around) as Cost).div_ceil(5)
        };
        let (to_goal, from_start) =
            (|&state: &i32| apart(state, 0), |&state: &i32| apart(state, start));
        let (to_goal, from_start) = (Recomputed(&to_goal), Recomputed(&from_start));
        let distance = (1..97).find(|n| (start + 5 * n) % 97 == 0).map_or(0, |n| n.min(97 - n));
        let distance = if start == 0 { 0 } else { distance as Cost };
        for choice in Choice::ALL {
            let problem = || Problem::new(&Ring, &start).heuristic(&to_goal);
            let whole = problem().front_to_end(&from_start, choice).run();
            assert_eq!(whole.solution().map(|found| found.cost), Some(distance), "from {start}");
            assert!(whole.is_optimal());
            let mut search = problem().front_to_end(&from_start, choice);
            let mut steps = 0;
            while let Some(counts) = search.step() {
                steps += 1;
                assert_eq!(counts.expanded, steps, "from {start}");
            }
            assert_eq!(search.run(), whole, "{choice:?} from {start}");
        }
    }
}

#[test]
fn closures_may_change_what_is_around_them() {
    let mut calls = [0; 2];
    let [forth, back] = &mut calls;
    let found = bae(
        &0i64,
        &40,
        |&n| {
            *forth += 1;
            [(n + 1, 1), (n + 7, 2)]
        },
        |&n| {
            *back += 1;
            [(n - 1, 1), (n - 7, 2)]
        },
        |&n| 2 * (40 - n).max(0) as Cost / 7,
        |&n| 2 * n.max(0) as Cost / 7,
    );
    assert_eq!((found.cost, found.is_optimal()), (Some(15), true));
    assert!(calls.iter().all(|&calls| calls > 0));
}

#[test]
fn limits_hold_and_a_path_found_before_is_returned() {
    let ring = |&n: &u32| [((n + 1) % 1_000, 1), ((n + 999) % 1_000, 1)];
    let graph = |limits| TwoWayGraph::new(ring, ring, 500).costs(1..=1).limits(limits);
    for choice in Choice::ALL {
        let limits = Limits { memory: Some(6_000), ..Limits::default() };
        let found = graph(limits).search(&0, |_| 0, |_| 0, choice);
        assert_eq!((found.cost, found.stopped), (None, Some(Stop::Memory)), "{choice:?}");
        // The g may be too great for a number.
        let dear = |&n: &u32| [(n + 1, Cost::MAX)];
        let back = |&n: &u32| [(n - 1, Cost::MAX)];
        let graph = TwoWayGraph::new(dear, back, 9).costs(Cost::MAX..=Cost::MAX);
        let found = graph.search(&5, |_| 0, |_| 0, choice);
        assert_eq!((found.cost, found.stopped), (None, Some(Stop::Cost)), "{choice:?}");
    }
}
