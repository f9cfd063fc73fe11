//! The effect of each setting of a policy.

use std::num::NonZeroUsize;

use taquin_search::{
    Counts, Duplicates, GoalTest, Node, Observer, Order, Outcome, Policy, Problem, Rank, Reopen,
    Stop, Tie, Undo, Weight,
};

use crate::graph::{Graph, Table, path};

/// An inconsistent estimate at node 1 lets node 3 be expanded by the expensive path first.
fn reopening() -> (Graph, Table) {
    let edges = vec![(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 3), (3, 4, 10)];
    (Graph { edges, goal: Some(4) }, Table(vec![0, 11, 0, 0, 0]))
}

#[test]
fn astar_reopens_and_is_optimal_although_the_estimate_is_inconsistent() {
    let (graph, table) = reopening();
    let search = graph.best_first(&table, &Policy::astar());
    assert_eq!(path(&search), Some((12, vec![1, 3, 4])));
    assert!(search.is_optimal());
    assert_eq!(search.counts.reopened, 1);
    assert_eq!(search.counts.dropped_cheaper, 0);
}

#[test]
fn without_reopening_the_bound_falls_back_to_the_root() {
    let (graph, table) = reopening();
    for policy in [
        Policy { reopen: Reopen::Never, ..Policy::astar() },
        Policy { duplicates: Duplicates::Generated, ..Policy::astar() },
        Policy { duplicates: Duplicates::Expanded, ..Policy::astar() },
    ] {
        let search = graph.best_first(&table, &policy);
        assert_eq!(path(&search), Some((14, vec![2, 3, 4])), "{policy:?}");
        assert_eq!(search.counts.dropped_cheaper, 1, "{policy:?}");
        assert_eq!(search.counts.duplicates, 1, "{policy:?}");
        assert_eq!(search.lower_bound, 0, "{policy:?}");
        assert!(!search.is_optimal());
    }
}

#[test]
fn a_tree_search_keeps_every_path() {
    let (graph, table) = reopening();
    let policy = Policy { duplicates: Duplicates::Keep, ..Policy::astar() };
    let search = graph.best_first(&table, &policy);
    assert_eq!(path(&search), Some((12, vec![1, 3, 4])));
    assert_eq!((search.counts.duplicates, search.counts.reopened), (0, 0));
    // Node 3 and its successor are stored twice.
    assert_eq!((search.counts.expanded, search.counts.stored_peak), (5, 7));
}

#[test]
fn an_open_node_with_a_stale_entry_counts_once() {
    // Node 3 is open with g = 5 when the path of cost 2 is found.
    let graph = Graph { edges: vec![(0, 3, 5), (0, 1, 1), (1, 3, 1), (3, 4, 1)], goal: Some(4) };
    let search = graph.best_first(&Table(vec![]), &Policy::ucs());
    assert_eq!(path(&search), Some((3, vec![1, 3, 4])));
    assert_eq!(search.counts.frontier_peak, 2);
    assert_eq!((search.counts.reopened, search.counts.duplicates), (0, 0));
    assert_eq!((search.counts.expanded, search.counts.generated), (3, 4));
}

#[test]
fn zero_cost_edges_and_cycles_of_them_do_no_harm() {
    let graph = Graph {
        edges: vec![(0, 1, 0), (1, 0, 0), (1, 2, 0), (2, 1, 0), (2, 0, 0), (2, 3, 4), (0, 3, 9)],
        goal: Some(3),
    };
    let table = Table(vec![]);
    for policy in [Policy::ucs(), Policy::astar()] {
        let search = graph.best_first(&table, &policy);
        assert_eq!(path(&search), Some((4, vec![1, 2, 3])), "{policy:?}");
        assert!(search.is_optimal());
    }
    let search = graph.deepening(&table, false);
    assert_eq!(path(&search), Some((4, vec![1, 2, 3])));
    assert!(search.is_optimal());
}

#[test]
fn dead_ends_and_a_missing_goal_are_exhausted() {
    let graph = Graph { edges: vec![(0, 1, 1), (0, 2, 1), (2, 3, 1)], goal: None };
    let table = Table(vec![]);
    for policy in [
        Policy::bfs(),
        Policy::dfs(),
        Policy::ucs(),
        Policy::greedy(),
        Policy::astar(),
        Policy::random(3),
    ] {
        let search = graph.best_first(&table, &policy);
        assert_eq!(search.outcome, Outcome::Exhausted, "{policy:?}");
        assert_eq!((search.counts.expanded, search.counts.generated), (4, 3), "{policy:?}");
    }
    for by_depth in [false, true] {
        assert_eq!(graph.deepening(&table, by_depth).outcome, Outcome::Exhausted);
    }
    let alone = Graph { edges: vec![], goal: None };
    let search = alone.best_first(&table, &Policy::bfs());
    assert_eq!((search.outcome, search.counts.frontier_peak), (Outcome::Exhausted, 0));
}

#[test]
fn a_goal_at_the_root_costs_nothing() {
    let graph = Graph { edges: vec![(0, 1, 1), (1, 0, 1)], goal: Some(0) };
    let table = Table(vec![]);
    for goal in [GoalTest::Generation, GoalTest::Expansion] {
        for policy in [Policy::bfs(), Policy::dfs(), Policy::astar(), Policy::random(0)] {
            let search = graph.best_first(&table, &Policy { goal, ..policy });
            assert_eq!(path(&search), Some((0, vec![])));
            assert!(search.is_optimal());
            let Counts { expanded, generated, frontier_peak, .. } = search.counts;
            assert_eq!((expanded, generated, frontier_peak), (0, 0, 0));
        }
    }
    let search = graph.deepening(&table, false);
    assert_eq!((path(&search), search.counts.expanded), (Some((0, vec![])), 0));
}

#[test]
fn breadth_first_finds_few_edges_and_reports_what_it_proves_about_costs() {
    let graph = Graph { edges: vec![(0, 9, 50), (0, 1, 2), (1, 9, 3)], goal: Some(9) };
    let search = graph.best_first(&Table(vec![]), &Policy::bfs());
    assert_eq!(path(&search), Some((50, vec![9])));
    assert_eq!(search.lower_bound, 2, "at least one edge remains, and none costs less than 2");
    assert!(!search.is_optimal());
    let search = graph.deepening(&Table(vec![]), true);
    assert_eq!((path(&search), search.lower_bound), (Some((50, vec![9])), 2));
}

#[test]
fn weighted_search_reports_the_bound_it_proves() {
    // With weight 3 the estimate leads down the expensive path, whose cost is within the bound.
    let graph = Graph { edges: vec![(0, 1, 4), (1, 9, 4), (0, 2, 2), (2, 9, 2)], goal: Some(9) };
    let table = Table(vec![3, 0, 2]);
    let search = graph.best_first(&table, &Policy::wastar(Weight::new(3, 1).unwrap()));
    assert_eq!(path(&search).unwrap().0, 8);
    assert_eq!(search.lower_bound, 4, "node 2 is open with f = 4");
    assert_eq!(search.before_last_bound, None);
}

#[test]
fn depth_and_beam_limits_end_without_an_answer() {
    let graph = Graph { edges: vec![(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 4, 1)], goal: Some(3) };
    let table = Table(vec![0, 5, 0, 0, 0]);
    let policy = Policy { depth: Some(2), ..Policy::dfs() };
    let search = graph.best_first(&table, &policy);
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Depth));
    assert_eq!((search.counts.depth_peak, search.lower_bound), (2, 3));
    let search = graph.best_first(&table, &Policy { depth: Some(3), ..Policy::dfs() });
    assert_eq!(path(&search), Some((3, vec![1, 2, 3])));
    let beam = |width| Policy::beam(NonZeroUsize::new(width).unwrap());
    assert_eq!(graph.best_first(&table, &beam(1)).outcome, Outcome::Stopped(Stop::Beam));
    assert_eq!(path(&graph.best_first(&table, &beam(2))), Some((3, vec![1, 2, 3])));
}

#[test]
fn a_depth_limit_does_not_raise_the_bound() {
    // The path to the goal is pruned at f = 2; node 2 is expanded at f = 9.
    let graph = Graph { edges: vec![(0, 1, 1), (1, 3, 1), (0, 2, 9)], goal: Some(3) };
    for policy in [Policy::ucs(), Policy::astar()] {
        let search = graph.best_first(&Table(vec![]), &Policy { depth: Some(1), ..policy });
        assert_eq!(search.outcome, Outcome::Stopped(Stop::Depth));
        assert_eq!(search.lower_bound, 2);
    }
}

#[test]
fn a_beam_holds_a_node_once_even_if_it_is_reached_twice() {
    let beam = Policy {
        duplicates: Duplicates::Cheaper,
        rank: Rank::G,
        ..Policy::beam(NonZeroUsize::new(2).unwrap())
    };
    // Node 3 is open with g = 3 when it is reached with g = 2: node 4 with g = 4 stays.
    let edges = vec![(0, 1, 1), (0, 2, 1), (1, 3, 2), (1, 4, 3), (2, 3, 1), (4, 9, 1)];
    let graph = Graph { edges, goal: Some(9) };
    let search = graph.best_first(&Table(vec![]), &beam);
    assert_eq!(path(&search), Some((5, vec![1, 4, 9])));
    assert_eq!(search.counts.frontier_peak, 3);
    // The same without a goal: all nodes are expanded, and none was dropped.
    let search = Graph { goal: None, ..graph }.best_first(&Table(vec![]), &beam);
    assert_eq!(search.outcome, Outcome::Exhausted);
    // Node 5 is dropped from the beam and reached again by a cheaper path.
    let edges = vec![(0, 1, 1), (0, 2, 1), (0, 5, 9), (1, 3, 1), (3, 5, 1)];
    let search = Graph { edges, goal: None }.best_first(&Table(vec![]), &beam);
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Beam));
    assert_eq!((search.counts.expanded, search.counts.frontier_peak), (5, 3));
}

#[test]
fn the_move_back_is_generated_only_if_the_policy_keeps_it() {
    let graph = Graph { edges: vec![(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1)], goal: Some(2) };
    let generated = |undo| {
        let policy = Policy { undo, ..Policy::ucs() };
        graph.best_first(&Table(vec![]), &policy).counts.generated
    };
    assert_eq!((generated(Undo::Skip), generated(Undo::Keep)), (2, 3));
}

#[test]
fn counts_before_the_last_bound_do_not_depend_on_the_order() {
    // Three layers; in the last one, one order finds the goal first and the other last.
    let mut edges = vec![(0, 1, 1), (0, 2, 1), (1, 8, 1)];
    edges.extend((3..8).map(|leaf| (1, leaf, 1)));
    let graph = Graph { edges, goal: Some(8) };
    let run = |order: &str| {
        let mut policy = Policy::ucs();
        policy.set("order", order).unwrap();
        graph.best_first(&Table(vec![]), &policy)
    };
    let (first, second) = (run("fifo"), run("lifo"));
    assert_ne!(first.counts.expanded, second.counts.expanded);
    let before = |search: &taquin_search::Search<_>| search.before_last_bound.unwrap();
    assert_eq!(before(&first).expanded, 3);
    assert_eq!(before(&second).expanded, 3);
    assert_eq!(before(&first).generated, before(&second).generated);
}

#[test]
fn costs_that_overflow_are_an_outcome() {
    let graph = Graph { edges: vec![(0, 1, u32::MAX), (1, 2, 1)], goal: Some(2) };
    let search = graph.best_first(&Table(vec![]), &Policy::ucs());
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Cost));
    let search = graph.deepening(&Table(vec![]), false);
    assert_eq!(search.outcome, Outcome::Stopped(Stop::Cost));
}

/// The states that are expanded, in order.
#[derive(Default)]
struct Expanded(Vec<u32>);

impl Observer<Graph> for Expanded {
    fn expand(&mut self, node: &Node<'_, Graph>) {
        self.0.push(*node.state);
    }
}

/// The graph with several paths to states, and the orders of expansion, that the search projects of
/// CS188 (Berkeley) publish: the goal is recognised when it is taken out, and a state is dropped
/// when it is taken out again.
#[test]
fn a_published_graph_is_expanded_in_the_published_order() {
    let (a, b1, c, b2, d, e1, f, e2, g) = (0, 1, 2, 3, 4, 5, 6, 7, 8);
    let steps = [
        (a, b1),
        (a, c),
        (a, b2),
        (b1, c),
        (b2, c),
        (c, d),
        (d, e1),
        (d, f),
        (d, e2),
        (e1, f),
        (e2, f),
        (f, g),
    ];
    let edges = (0..).zip(steps).map(|(at, (from, to))| (from, to, 1 << at)).collect();
    let graph = Graph { edges, goal: Some(g) };
    let breadth = vec![a, b1, c, b2, d, e1, f, e2];
    for (policy, expected) in [
        (Policy::dfs(), vec![a, b2, c, d, e2, f]),
        (Policy::bfs(), breadth.clone()),
        (Policy { tie: Tie::None, order: Order::Fifo, ..Policy::ucs() }, breadth),
    ] {
        let policy =
            Policy { goal: GoalTest::Expansion, duplicates: Duplicates::Expanded, ..policy };
        let mut expanded = Expanded::default();
        let search = Problem::new(&graph, &0).observer(&mut expanded).best_first(&policy).run();
        assert_eq!(expanded.0, expected, "{policy:?}");
        assert!(search.solution().is_some(), "{policy:?}");
    }
}
