//! Searches that are run one expansion at a time, compared with the same searches in one piece.

use proptest::prelude::*;
use taquin_search::{
    Cost, Counts, Cutoff, Deepening, Duplicates, Engine, Fallible, GoalTest, ImplicitGraph, Limits,
    Policy, Problem, Recomputed, Reversible, Search, StateSpace, Stepwise, Undo, Weight,
};

use crate::graph::Table;
use crate::random_graphs::{graphs, true_costs};

type Edge = (u32, u32, u32);

/// Steps to the end, with one more node expanded each time. Memory may be used in other portions.
fn stepped<E: Engine<Step = Edge>>(mut search: Stepwise<E>) -> Search<Edge> {
    let mut expanded = 0;
    while let Some(counts) = search.step() {
        expanded += 1;
        assert_eq!(counts.expanded, expanded);
    }
    assert_eq!(search.step(), None);
    without_memory(search.run())
}

fn without_memory(search: Search<Edge>) -> Search<Edge> {
    let clean = |counts: Counts| Counts { memory_peak: 0, ..counts };
    Search {
        counts: clean(search.counts),
        before_last_bound: search.before_last_bound.map(clean),
        ..search
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn stepping_equals_running((graph, percent) in graphs(), seed in 0u64..99) {
        let table = Table(percent.iter().map(|percent| percent % 4).collect());
        let heuristic = Recomputed(&table);
        let problem = || Problem::new(&graph, &0).heuristic(&heuristic);
        for base in [
            Policy::bfs(),
            Policy::dfs(),
            Policy::greedy(),
            Policy::random(seed),
            Policy::astar(),
            Policy::wastar(Weight::new(5, 2).unwrap()),
            Policy::beam(2.try_into().unwrap()),
        ] {
            for duplicates in [Duplicates::Generated, Duplicates::Expanded, Duplicates::Cheaper] {
                for goal in [GoalTest::Generation, GoalTest::Expansion] {
                    let policy = Policy { duplicates, goal, ..base.clone() };
                    let whole = without_memory(problem().best_first(&policy).run());
                    prop_assert_eq!(stepped(problem().best_first(&policy)), whole.clone());
                    let mut again = problem().best_first(&policy);
                    again.step();
                    again.restart(&0);
                    prop_assert_eq!(without_memory(again.run()), whole, "{:?}", policy);
                }
            }
        }
        // Without a goal, thresholds grow until a cycle has cost more than a number can hold.
        if !true_costs(&graph).contains_key(&0) {
            return Ok(());
        }
        for by_depth in [false, true] {
            let policy = Deepening { by_depth,  undo: Undo::Skip, cutoff: Cutoff::After };
            let whole = without_memory(problem().deepening(&policy).run());
            prop_assert_eq!(stepped(problem().deepening(&policy)), whole);
        }
        let whole = without_memory(problem().rbfs(Undo::Keep).run());
        prop_assert_eq!(stepped(problem().rbfs(Undo::Keep)), whole);
        let limits = Limits { expanded: Some(2_000), ..Limits::default() };
        let problem = || problem().limits(&limits);
        for most in [2, 5, 50] {
            let whole = without_memory(problem().memory_bounded(Undo::Skip, most).run());
            prop_assert_eq!(stepped(problem().memory_bounded(Undo::Skip, most)), whole);
        }
        let whole = without_memory(problem().branch_and_bound(Undo::Skip).run());
        prop_assert_eq!(stepped(problem().branch_and_bound(Undo::Skip)), whole);
        let whole = without_memory(problem().budgeted(Undo::Skip, 3).run());
        prop_assert_eq!(stepped(problem().budgeted(Undo::Skip, 3)), whole);
        if *graph.costs().start() > 0 {
            let whole = without_memory(problem().breadth_first_ida().run());
            prop_assert_eq!(stepped(problem().breadth_first_ida()), whole);
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
}

impl Reversible for Ring {
    fn goal(&self) -> i32 {
        0
    }
}

/// Steps with one more node expanded each time, and returns the result.
fn stepped_around<E: Engine<Step = i32>>(mut search: Stepwise<E>) -> Search<i32> {
    let mut expanded = 0;
    while let Some(counts) = search.step() {
        expanded += 1;
        assert_eq!(counts.expanded, expanded);
    }
    search.run()
}

#[test]
fn stepping_in_a_reversible_space_equals_running() {
    let estimate = |&state: &i32| Cost::from(state != 0);
    let heuristic = Recomputed(&estimate);
    for start in 0..97 {
        let problem = || Problem::new(&Ring, &start);
        let whole = problem().bidirectional().run();
        assert_eq!(stepped_around(problem().bidirectional()), whole, "from {start}");
        let problem = || problem().heuristic(&heuristic);
        for look in [1, 7, 1_000] {
            let whole = problem().real_time(look).run();
            assert_eq!(stepped_around(problem().real_time(look)), whole, "from {start}, {look}");
        }
    }
}

#[test]
fn an_error_of_a_closure_ends_the_search() {
    let fallible = Fallible::new(Limits::default());
    let mut calls = 0;
    let found = {
        let graph = ImplicitGraph::new(
            |&n: &u64| fallible.or_default(|| if n < 1000 { Ok(vec![(n + 1, 1)]) } else { Err(n) }),
            |_| false,
        );
        graph.limits(fallible.limits()).dijkstra(&0)
    };
    assert_eq!(fallible.check(found), Err(1000));
    // Closures may count.
    taquin_search::bfs(
        &0,
        |&n: &u32| {
            calls += 1;
            [n + 1]
        },
        |&n| n == 10,
    );
    assert!(calls >= 10);
}
