//! Recursive best-first search, against a textbook and against A*.

use taquin_search::{
    Cost, Counts, Limits, Node, Observer, Policy, Problem, Random, Recomputed, Undo,
};

use crate::graph::{Graph, Table, path};

/// Part of the road map of Romania in Russell and Norvig's textbook, with distances to Bucharest.
fn romania() -> (Graph, Table) {
    const ROADS: [(u32, u32, u32); 11] = [
        (0, 1, 140), // Arad, Sibiu
        (0, 2, 118), // Arad, Timisoara
        (0, 3, 75),  // Arad, Zerind
        (3, 5, 71),  // Zerind, Oradea
        (1, 4, 99),  // Sibiu, Fagaras
        (1, 5, 151), // Sibiu, Oradea
        (1, 6, 80),  // Sibiu, Rimnicu Vilcea
        (4, 9, 211), // Fagaras, Bucharest
        (6, 7, 146), // Rimnicu Vilcea, Craiova
        (6, 8, 97),  // Rimnicu Vilcea, Pitesti
        (8, 9, 101), // Pitesti, Bucharest
    ];
    let both = |(a, b, cost)| [(a, b, cost), (b, a, cost)];
    let edges = ROADS.into_iter().flat_map(both).collect();
    let distances = vec![366, 253, 329, 374, 176, 380, 193, 160, 100, 0];
    (Graph { edges, goal: Some(9) }, Table(distances))
}

#[test]
fn it_expands_what_the_textbook_shows() {
    let (graph, table) = romania();
    let limits = Limits::default();
    let search = Problem::new(&graph, &0)
        .heuristic(&Recomputed(&table))
        .limits(&limits)
        .rbfs(Undo::Keep)
        .run();
    assert_eq!(path(&search), Some((418, vec![1, 6, 8, 9])));
    // Arad, Sibiu, Rimnicu Vilcea, back to Fagaras, back to Rimnicu Vilcea, Pitesti.
    assert_eq!(search.counts.expanded, 6);
    // Their roads: 3, 4, 3, 2, 3 and 2.
    assert_eq!(search.counts.generated, 17);
    // While Pitesti is expanded, Arad, Sibiu, Rimnicu Vilcea and Pitesti are on the path, and the
    // successors of each but the next on the path are open: 2 + 3 + 2 + 2.
    assert_eq!((search.counts.frontier_peak, search.counts.stored_peak), (9, 13));
    assert!(search.is_optimal());
}

/// The states that are taken, with their values.
struct Taken(Vec<(u32, Option<Cost>)>);

impl Observer<Graph> for Taken {
    fn expand(&mut self, node: &Node<'_, Graph>) {
        self.0.push((*node.state, node.value));
    }

    fn goal(&mut self, node: &Node<'_, Graph>) {
        self.expand(node);
    }
}

#[test]
fn observers_see_the_values_that_are_backed_up() {
    let (graph, table) = romania();
    let mut taken = Taken(Vec::new());
    Problem::new(&graph, &0)
        .heuristic(&Recomputed(&table))
        .observer(&mut taken)
        .rbfs(Undo::Keep)
        .run();
    // The textbook's figure: below Rimnicu Vilcea 417 was found, below Fagaras 450.
    let values = [(0, 366), (1, 393), (6, 413), (4, 415), (6, 417), (8, 417), (9, 418)];
    assert_eq!(taken.0, values.map(|(state, value)| (state, Some(value))));
}

#[test]
fn it_finds_what_a_star_finds() {
    let mut random = Random::new(5);
    for _ in 0..500 {
        let nodes = 2 + random.below(9) as u32;
        let edge = |random: &mut Random| {
            let end = |random: &mut Random| random.below(nodes as usize) as u32;
            (end(random), end(random), random.below(4) as u32)
        };
        let edges = (0..random.below(25)).map(|_| edge(&mut random)).collect();
        let graph = Graph { edges, goal: Some(nodes - 1) };
        let blind = Table(Vec::new());
        let limits = Limits { expanded: Some(20_000), ..Limits::default() };
        let search = Problem::new(&graph, &0)
            .heuristic(&Recomputed(&blind))
            .limits(&limits)
            .rbfs(Undo::Keep)
            .run();
        let astar = graph.best_first(&blind, &Policy::astar());
        let cost = |path: Option<(u32, Vec<u32>)>| path.map(|(cost, _)| cost);
        match path(&search) {
            None if search.counts.expanded == 20_000 => {
                assert!(astar.solution().is_none(), "only a search without end is cut off");
            }
            found => assert_eq!(cost(found), cost(path(&astar)), "{graph:?}"),
        }
    }
}

#[test]
fn limits_leave_a_bound_that_holds() {
    let (graph, table) = romania();
    for most in 0..6 {
        let limits = Limits { expanded: Some(most), ..Limits::default() };
        let search = Problem::new(&graph, &0)
            .heuristic(&Recomputed(&table))
            .limits(&limits)
            .rbfs(Undo::Skip)
            .run();
        let Counts { expanded, .. } = search.counts;
        assert_eq!((expanded, search.solution()), (most, None));
        assert!((366..=418).contains(&search.lower_bound), "{most}: {}", search.lower_bound);
    }
}
