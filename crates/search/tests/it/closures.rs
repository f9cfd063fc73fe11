//! Graphs given by closures, compared with `pathfinding` and with the same graphs as state spaces.

use std::num::NonZeroUsize;
use std::sync::Arc;

use pathfinding::prelude as other;
use proptest::prelude::*;
use taquin_search::{
    Cost, Counts, Duplicates, Found, GoalTest, ImplicitGraph, Limits, Monitor, Order, Policy, Stop,
    Tie, Undo, Weight, astar, bfs, dijkstra, idastar, ucs,
};

use crate::graph::{Graph, Table};
use crate::random_graphs::{graphs, true_costs};

fn edges(graph: &Graph, node: u32) -> impl Iterator<Item = (u32, Cost)> {
    graph.edges.iter().filter(move |edge| edge.0 == node).map(|edge| (edge.1, edge.2))
}

/// Checks that the path is one, from the start to the goal, and that it has the reported cost.
fn check_path(graph: &Graph, found: &Found<u32>) -> Result<(), TestCaseError> {
    let Some(cost) = found.cost else {
        prop_assert_eq!(&found.path, &[]);
        return Ok(());
    };
    prop_assert_eq!(found.path.first(), Some(&0));
    prop_assert_eq!(found.path.last().copied(), graph.goal);
    let edge_cost = |pair: &[u32]| {
        edges(graph, pair[0]).filter(|edge| edge.0 == pair[1]).map(|edge| edge.1).min()
    };
    let total: Option<Cost> = found.path.windows(2).map(edge_cost).sum();
    prop_assert_eq!(total, Some(cost));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn closures_find_the_paths_that_pathfinding_finds((graph, percent) in graphs()) {
        let costs = true_costs(&graph);
        let expected = costs.get(&0).copied();
        let estimate = |node: &u32| {
            costs.get(node).map_or(0, |cost| cost * percent[*node as usize] / 100)
        };
        let successors = |&node: &u32| edges(&graph, node);
        let is_goal = |&node: &u32| Some(node) == graph.goal;
        let mut all = vec![
            astar(&0, successors, estimate, is_goal),
            dijkstra(&0, successors, is_goal),
            ucs(&0, successors, is_goal),
        ];
        if expected.is_some() {
            // Without a goal every path without a cycle would be tried.
            all.push(idastar(&0, successors, estimate, is_goal));
        }
        for found in all {
            prop_assert_eq!(found.cost, expected);
            prop_assert_eq!(found.is_optimal(), expected.is_some());
            prop_assert_eq!(found.is_unreachable(), expected.is_none());
            check_path(&graph, &found)?;
        }
        let next = |&node: &u32| edges(&graph, node).map(|edge| edge.0);
        let found = bfs(&0, next, is_goal);
        let length = other::bfs(&0, next, is_goal).map(|path| path.len());
        prop_assert_eq!((!found.path.is_empty()).then_some(found.path.len()), length);
        prop_assert_eq!(found.is_optimal(), length.is_some());
        // An estimate that is far too high: the reported cost is still that of the path.
        let wrong = |node: &u32| percent[*node as usize];
        let found = astar(&0, successors, wrong, is_goal);
        check_path(&graph, &found)?;
        prop_assert_eq!(found.cost.is_some(), expected.is_some());
    }

    #[test]
    fn counts_are_those_of_a_state_space((graph, percent) in graphs(), seed in 0u64..9) {
        let table = Table(percent);
        let estimate = |&node: &u32| table.0[node as usize];
        let closures = ImplicitGraph::new(
            |&node: &u32| edges(&graph, node),
            |&node| Some(node) == graph.goal,
        );
        let declared = closures.clone().costs(taquin_search::StateSpace::costs(&graph));
        let astar = Policy { undo: Undo::Keep, ..Policy::astar() };
        for policy in [
            astar.clone(),
            Policy { weight: Weight::new(3, 2).unwrap(), ..astar.clone() },
            Policy { order: Order::Heap, tie: Tie::None, ..astar.clone() },
            Policy { order: Order::Random, seed, ..astar.clone() },
            Policy { duplicates: Duplicates::Expanded, ..astar.clone() },
            Policy { duplicates: Duplicates::Generated, goal: GoalTest::Generation, ..astar },
            Policy { undo: Undo::Keep, ..Policy::bfs() },
            Policy { undo: Undo::Keep, ..Policy::dfs() },
            Policy { undo: Undo::Keep, depth: Some(3), ..Policy::greedy() },
            Policy { undo: Undo::Keep, ..Policy::beam(NonZeroUsize::new(2).unwrap()) },
        ] {
            let expected = graph.best_first(&table, &policy);
            let found = declared.best_first(&0, estimate, &policy);
            // The closures' nodes have no actions, so they take less memory.
            let without_memory = |counts: Counts| Counts { memory_peak: 0, ..counts };
            prop_assert_eq!(without_memory(found.counts), without_memory(expected.counts));
            prop_assert_eq!(found.lower_bound, expected.lower_bound);
            prop_assert_eq!(found.cost, expected.solution().map(|solution| solution.cost));
            // Without declared costs the depths are stored only when they are needed.
            let undeclared = closures.best_first(&0, estimate, &policy);
            prop_assert_eq!(without_memory(undeclared.counts), without_memory(expected.counts));
            prop_assert_eq!(undeclared.path, found.path);
        }
    }
}

#[test]
fn any_hashable_type_is_a_state() {
    // Words, each differing from the next in one letter.
    let words = ["cold", "cord", "word", "ward", "warm", "worm", "card"];
    let found = bfs(
        &"cold".to_owned(),
        |word| {
            let word = word.clone();
            let differ = move |other: &&str| {
                word.chars().zip(other.chars()).filter(|(a, b)| a != b).count() == 1
            };
            words.into_iter().filter(differ).map(str::to_owned)
        },
        |word| word == "warm",
    );
    assert_eq!(found.path.join(" "), "cold cord word ward warm");
}

#[test]
fn a_state_needs_nothing_but_clone_eq_and_hash() {
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Opaque(Box<i64>);
    let next = |state: &Opaque| [Opaque(Box::new(*state.0 * 2)), Opaque(Box::new(*state.0 - 7))];
    assert_eq!(bfs(&Opaque(Box::new(5)), next, |state| *state.0 == 12).cost, Some(4));
    let with_costs = |state: &Opaque| next(state).map(|next| (next, 1));
    assert_eq!(idastar(&Opaque(Box::new(5)), with_costs, |_| 0, |s| *s.0 == 12).cost, Some(4));
}

#[test]
fn limits_end_a_search_with_a_reason_and_a_bound() {
    let endless = ImplicitGraph::new(|&n: &u64| [(2 * n + 1, 1), (2 * n + 2, 1)], |_| false);
    let limited = |limits| {
        let graph = endless.clone().limits(limits);
        [graph.dijkstra(&0), graph.astar(&0, |_| 0), graph.idastar(&0, |_| 0)]
    };
    for found in limited(Limits { expanded: Some(5_000), ..Limits::default() }) {
        assert_eq!((found.stopped, found.counts.expanded), (Some(Stop::Expanded), 5_000));
        assert!(found.lower_bound > 8 && !found.is_unreachable() && !found.is_optimal());
        assert_eq!((found.path.len(), found.cost), (0, None));
    }
    let monitor = Arc::new(Monitor::default());
    monitor.cancel();
    for found in limited(Limits { monitor: Some(monitor), ..Limits::default() }) {
        assert_eq!(found.stopped, Some(Stop::Cancelled));
    }
}

#[test]
fn a_closure_that_cancels_ends_a_search_with_what_was_proven() {
    // The way from 0 by 1 to the goal costs 2. Only 3 is left, at a cost of 100, or nothing.
    for (lost, expanded) in [(0, 1), (1, 2)] {
        let monitor = Arc::new(Monitor::default());
        let limits = Limits { monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
        let next = |&n: &u32| match n {
            _ if n == lost => {
                monitor.cancel();
                vec![]
            }
            0 => vec![(1, 1), (3, 100)],
            1 => vec![(2, 1)],
            _ => vec![],
        };
        let graph = ImplicitGraph::new(next, |&n| n == 2).limits(limits);
        let searches: [&dyn Fn() -> Found<u32>; 4] =
            [&|| graph.bfs(&0), &|| graph.dijkstra(&0), &|| graph.astar(&0, |_| 0), &|| {
                graph.idastar(&0, |&n| u32::from(n == 0))
            }];
        for search in searches {
            let found = search();
            assert_eq!(found.stopped, Some(Stop::Cancelled), "{found:?}");
            assert!(found.lower_bound <= 2 && found.counts.expanded <= expanded, "{found:?}");
        }
    }
}

#[test]
fn a_goal_at_the_start_is_a_path_of_one_state() {
    let next = |&n: &u32| [(n + 1, 1)];
    for found in [
        astar(&3, next, |_| 0, |&n| n == 3),
        dijkstra(&3, next, |&n| n == 3),
        idastar(&3, next, |_| 0, |&n| n == 3),
        bfs(&3, |&n| [n + 1], |&n| n == 3),
    ] {
        assert_eq!((&*found.path, found.cost, found.is_optimal()), (&[3][..], Some(0), true));
        assert_eq!(found.counts.expanded, 0);
    }
}

#[test]
fn depths_are_right_although_costs_change_on_the_way() {
    // Edges of cost 1 first, then others: the depth is no longer the cost.
    let next = |&n: &u32| [(n + 1, if n < 10 { 1 } else { 3 })];
    let found = dijkstra(&0, next, |&n| n == 20);
    assert_eq!((found.cost, found.counts.depth_peak), (Some(40), 20));
}

#[test]
fn a_large_graph_is_searched_as_pathfinding_searches_it() {
    // So many nodes that the engine predicts which one it will expand next.
    const SIDE: i32 = 700;
    let successors = |&(x, y): &(i32, i32)| {
        [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]
            .into_iter()
            .filter(|&(x, y)| (0..SIDE).contains(&x) && (0..SIDE).contains(&y))
            .map(|(x, y)| ((x, y), 1 + (x.wrapping_mul(31) ^ y.wrapping_mul(57)) as u32 % 7))
    };
    let goal = (SIDE - 1, SIDE - 1);
    let estimate = |&(x, y): &(i32, i32)| x.abs_diff(goal.0) + y.abs_diff(goal.1);
    let found = astar(&(0, 0), successors, estimate, |&place| place == goal);
    let (_, cost) = other::astar(&(0, 0), successors, estimate, |&place| place == goal).unwrap();
    assert_eq!((found.cost, found.is_optimal()), (Some(cost), true));
    assert!(found.counts.stored_peak > 300_000, "{}", found.counts.stored_peak);
    assert_eq!(dijkstra(&(0, 0), successors, |&place| place == goal).cost, Some(cost));
}
