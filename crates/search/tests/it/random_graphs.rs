//! Random graphs, compared with an independent implementation.

use std::collections::HashMap;

use pathfinding::directed::dijkstra::dijkstra_all;
use proptest::prelude::*;
use taquin_search::{Cost, Duplicates, GoalTest, Order, Policy, Reopen, Tie, Undo, Weight};

use crate::graph::{Graph, Table, path};

/// Returns the cheapest cost from each node to the goal, computed by `pathfinding`.
pub(crate) fn true_costs(graph: &Graph) -> HashMap<u32, Cost> {
    let Some(goal) = graph.goal else { return HashMap::new() };
    let back = |&node: &u32| -> Vec<(u32, Cost)> {
        graph.edges.iter().filter(|edge| edge.1 == node).map(|edge| (edge.0, edge.2)).collect()
    };
    let mut costs: HashMap<u32, Cost> =
        dijkstra_all(&goal, back).into_iter().map(|(node, (_, cost))| (node, cost)).collect();
    costs.insert(goal, 0);
    costs
}

pub(crate) fn graphs() -> impl Strategy<Value = (Graph, Vec<u32>)> {
    let edge = (0u32..12, 0u32..12, 0 as Cost..6);
    let edges = proptest::collection::vec(edge, 0..45);
    let percent = proptest::collection::vec(0u32..=100, 12);
    (edges, 0u32..12, percent).prop_map(|(mut edges, goal, percent)| {
        // One edge between two nodes, so that an action has one meaning.
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.0, edge.1));
        edges.retain(|edge| edge.0 != edge.1);
        (Graph { edges, goal: Some(goal) }, percent)
    })
}

/// An admissible estimate that is far from consistent.
fn inconsistent(costs: &HashMap<u32, Cost>, percent: &[u32]) -> Table {
    let estimate =
        |node: u32| costs.get(&node).map_or(0, |cost| cost * percent[node as usize] / 100);
    Table((0..12).map(estimate).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_complete_policy_finds_the_cheapest_path((graph, percent) in graphs()) {
        let costs = true_costs(&graph);
        let expected = costs.get(&0).copied();
        let table = inconsistent(&costs, &percent);
        let astar = Policy::astar();
        for policy in [
            Policy::ucs(),
            astar.clone(),
            Policy { tie: Tie::LowG, order: Order::Fifo, ..astar.clone() },
            Policy { tie: Tie::None, order: Order::Heap, ..astar.clone() },
            Policy { order: Order::Indexed, ..astar.clone() },
            Policy { order: Order::Random, seed: 5, ..astar.clone() },
            Policy { undo: Undo::Keep, ..astar.clone() },
        ] {
            let search = graph.best_first(&table, &policy);
            prop_assert_eq!(path(&search).map(|found| found.0), expected, "{:?}", policy);
            prop_assert!(expected.is_none() || search.is_optimal(), "{:?}", policy);
        }
        if expected.is_some() {
            let search = graph.deepening(&table, false);
            prop_assert_eq!(path(&search).map(|found| found.0), expected);
            prop_assert!(search.is_optimal());
        }
    }

    #[test]
    fn no_policy_reports_too_high_a_bound((graph, percent) in graphs(), seed in 0u64..99) {
        let costs = true_costs(&graph);
        let table = inconsistent(&costs, &percent);
        let weighted = Policy::wastar(Weight::new(5, 2).unwrap());
        for base in [
            Policy::bfs(),
            Policy::dfs(),
            Policy::greedy(),
            Policy::random(seed),
            Policy::astar(),
            weighted,
        ] {
            for duplicates in [Duplicates::Generated, Duplicates::Expanded, Duplicates::Cheaper] {
                for goal in [GoalTest::Generation, GoalTest::Expansion] {
                    for reopen in [Reopen::Never, Reopen::Always] {
                        let policy = Policy { duplicates, goal, reopen, ..base.clone() };
                        let search = graph.best_first(&table, &policy);
                        let found = path(&search).map(|found| found.0);
                        // A search that stores states finds a goal exactly if one is reachable.
                        prop_assert_eq!(found.is_some(), costs.contains_key(&0), "{:?}", policy);
                        if let (Some(found), Some(&best)) = (found, costs.get(&0)) {
                            prop_assert!(search.lower_bound <= best, "{:?} {:?}", policy, search);
                            prop_assert!(best <= found, "{:?}", policy);
                        }
                    }
                }
            }
        }
    }
}
