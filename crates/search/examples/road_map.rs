//! The shortest route between two towns, with Dijkstra's algorithm and with a limit.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use taquin_search::{ImplicitGraph, Limits, dijkstra};

/// Roads of Romania in kilometres, after Russell and Norvig.
const ROADS: [(&str, &str, u32); 12] = [
    ("Arad", "Zerind", 75),
    ("Arad", "Sibiu", 140),
    ("Arad", "Timisoara", 118),
    ("Zerind", "Oradea", 71),
    ("Oradea", "Sibiu", 151),
    ("Timisoara", "Lugoj", 111),
    ("Sibiu", "Fagaras", 99),
    ("Sibiu", "Rimnicu", 80),
    ("Rimnicu", "Pitesti", 97),
    ("Rimnicu", "Craiova", 146),
    ("Fagaras", "Bucharest", 211),
    ("Pitesti", "Bucharest", 101),
];

fn roads(town: &'static str) -> impl Iterator<Item = (&'static str, u32)> {
    let there = ROADS.into_iter().filter(move |road| road.0 == town).map(|road| (road.1, road.2));
    let back = ROADS.into_iter().filter(move |road| road.1 == town).map(|road| (road.0, road.2));
    there.chain(back)
}

pub(crate) fn main() {
    let found = dijkstra(&"Arad", |&town| roads(town), |&town| town == "Bucharest");
    println!("{}: {} km", found.path.join(", "), found.cost.expect("the towns are connected"));
    assert_eq!((found.cost, found.is_optimal()), (Some(418), true));

    let limits = Limits { expanded: Some(5), ..Limits::default() };
    let graph = ImplicitGraph::new(|&town: &&'static str| roads(town), |&town| town == "Bucharest");
    let found = graph.limits(limits).dijkstra(&"Arad");
    println!("after 5 towns: {:?}, but at least {} km", found.stopped, found.lower_bound);
}
