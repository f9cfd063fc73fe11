//! Compares routes with an independent implementation, and reads maps of any bytes.

use std::sync::Arc;

use pathfinding::directed::bfs::bfs;
use pathfinding::directed::dijkstra::dijkstra;
use proptest::prelude::*;
use taquin::{Cost, Ending, Move, TaskLimits};
use taquin_lab::route::{Map, Route};

fn solve(map: &Map, method: &str) -> Route {
    map.solve(&Map::method(method).unwrap(), &TaskLimits::default(), &Arc::default())
}

fn steps(map: &Map, cell: u32) -> impl Iterator<Item = (u32, Cost)> {
    Move::ALL.into_iter().filter_map(move |step| map.step(cell, step))
}

/// The cost of the cheapest way from a cell, by the other crate.
fn cheapest(map: &Map, from: u32) -> Option<Cost> {
    dijkstra(&from, |&cell| steps(map, cell).collect::<Vec<_>>(), |&cell| cell == map.goals()[0])
        .map(|(_, cost)| cost)
}

/// Maps with a start and a goal among walls and cells of these kinds.
fn maps(cells: &'static str) -> impl Strategy<Value = Map> {
    let cells: Vec<char> = cells.chars().collect();
    (1usize..8, 2usize..8).prop_flat_map(move |(rows, cols)| {
        let any = proptest::collection::vec(proptest::sample::select(cells.clone()), rows * cols);
        (any, 0..rows * cols, 1..rows * cols).prop_map(move |(mut any, start, further)| {
            any[start] = 'S';
            any[(start + further) % (rows * cols)] = 'G';
            let rows: Vec<String> = any.chunks(cols).map(|row| row.iter().collect()).collect();
            Map::read(rows.join("\n")).unwrap()
        })
    })
}

fn agrees(map: &Map) -> Result<(), TestCaseError> {
    let best = cheapest(map, map.start());
    for method in ["ucs", "astar", "astar:zero", "astar,tie=low-g,order=fifo,undo=keep"] {
        let route = solve(map, method);
        prop_assert_eq!(route.cost, best, "{}", method);
        prop_assert_eq!(route.optimal, best.is_some(), "{}", method);
    }
    let fewest = bfs(
        &map.start(),
        |&cell| steps(map, cell).map(|(next, _)| next).collect::<Vec<_>>(),
        |&cell| cell == map.goals()[0],
    );
    prop_assert_eq!(solve(map, "bfs").steps, fewest.map(|path| path.len() - 1));
    for method in ["bfs", "dfs", "ucs", "greedy", "astar"] {
        let route = solve(map, method);
        let ending = if best.is_some() { Ending::Solved } else { Ending::Exhausted };
        prop_assert_eq!(route.outcome, ending);
        prop_assert!(route.lower_bound <= best && best <= route.cost, "{} {:?}", method, route);
        follows(map, &route)?;
    }
    Ok(())
}

/// The path is valid, has the reported cost, and is drawn in its place.
fn follows(map: &Map, route: &Route) -> Result<(), TestCaseError> {
    let Some(path) = &route.path else { return Ok(()) };
    let drawn = route.drawing.concat().chars().filter(|cell| "^<>v".contains(*cell)).count();
    prop_assert_eq!(drawn, path.len().saturating_sub(2), "{:?}", route.drawing);
    let (mut cell, mut cost) = (map.start(), 0);
    prop_assert_eq!(path[0], map.place(cell));
    for (letter, &place) in route.moves.as_ref().unwrap().chars().zip(&path[1..]) {
        let (next, price) = map.step(cell, Move::from_letter(letter).unwrap()).unwrap();
        (cell, cost) = (next, cost + price);
        prop_assert_eq!(map.place(cell), place);
    }
    prop_assert_eq!((cell, Some(cost)), (map.goals()[0], route.cost));
    Ok(())
}

proptest! {
    #[test]
    fn routes_are_the_cheapest(map in maps("....##1259")) {
        agrees(&map)?;
    }

    /// Without a cell that costs 1, the estimate counts more than steps.
    #[test]
    fn dear_maps_too(map in maps("45678#")) {
        agrees(&map)?;
    }

    #[test]
    fn the_estimate_never_exceeds_the_cost_and_never_jumps(map in maps("45678#")) {
        for cell in 0..(map.rows() * map.cols()) as u32 {
            if let Some(cost) = cheapest(&map, cell) {
                prop_assert!(map.estimate(cell) <= cost);
            }
            for (next, cost) in steps(&map, cell) {
                prop_assert!(map.estimate(cell) <= cost + map.estimate(next));
            }
        }
    }

    #[test]
    fn any_bytes_are_a_map_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        read_any(&bytes);
    }

    #[test]
    fn what_looks_like_a_map_too(text in "[SG#./\\n 1-9\u{feff}\\r]{0,40}") {
        read_any(text.as_bytes());
    }
}

fn read_any(bytes: &[u8]) {
    match Map::read(bytes) {
        Ok(map) => {
            for method in ["bfs", "dfs", "greedy", "astar"] {
                solve(&map, method);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty() && !error.hint().is_empty()),
    }
}

#[test]
fn a_map_is_read_with_its_prices() {
    let map = Map::read("\u{feff}S.#\r\n  59G\n\n").unwrap();
    assert_eq!((map.rows(), map.cols(), map.start(), map.goals()[0]), (2, 3, 0, 5));
    assert_eq!(map.step(0, Move::Down), Some((3, 5)));
    assert_eq!(map.step(1, Move::Right), None, "a wall");
    assert_eq!([Move::Up, Move::Left].map(|step| map.step(0, step)), [None, None], "the edge");
    let route = solve(&map, "astar");
    assert_eq!((route.cost, route.moves.as_deref()), (Some(11), Some("RDR")));
    assert_eq!(route.drawing, ["Sv#", "5>G"]);
    assert_eq!(Map::read("S.#/59G/").unwrap(), map);
}

#[test]
fn errors_name_the_place() {
    for (text, message, place) in [
        ("", "there is no map here", None),
        (" \n/ ", "there is no map here", None),
        ("S..\n.x.\n..G", "'x' is not a cell", Some((2, 2))),
        ("S..\n..\n..G", "row 2 has 2 cells, but row 1 has 3", Some((2, 1))),
        ("S../.G./..", "row 3 has 2 cells, but row 1 has 3", Some((1, 9))),
        ("...\n..G", "there is no 'S'", None),
        ("S..", "there is no 'G'", None),
        ("S.G\n.S.", "'S' appears twice (first at line 1, column 1)", Some((2, 2))),
        ("S0G", "'0' is not a cell", Some((1, 2))),
    ] {
        let error = Map::read(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{text:?}");
        let found = error.place().map(|place| (place.line, place.column));
        assert_eq!(found, place, "{text:?}");
    }
    let error = Map::read(b"S.\xff\nG..").unwrap_err();
    assert_eq!(error.place().map(|place| (place.line, place.column)), Some((1, 3)));
    assert!(Map::read(vec![b'.'; 5 << 20]).unwrap_err().to_string().contains("too many"));
    assert_eq!(Map::method("asatr").unwrap_err().hint(), Some("did you mean 'astar'?"));
    assert_eq!(Map::method("astar:linear").unwrap_err().hint(), Some("there are manhattan, zero"));
}

/// The policies of CS188's search projects on a map: the goal is recognised when it is taken out,
/// states are dropped when they are taken out again, and the order is north, south, east, west.
#[test]
fn layouts_are_searched_as_their_course_does() {
    let layout = "%%%%%%%\n%    P%\n% %%% %\n%  %  %\n%% % %%\n%. o  %  \n%%%%%%%\n";
    let map = Map::read(layout).unwrap();
    assert_eq!((map.rows(), map.cols()), (7, 7));
    let same = "#######/#....S#/#.###.#/#..#..#/##.#.##/#G....#/#######";
    assert_eq!(Map::read(same).unwrap(), map);
    let fields = "goal=expansion,duplicates=expanded,moves=UDRL";
    // West is pushed last and taken first; then each step has one way on, until the corridor.
    let route = solve(&map, &format!("dfs,{fields}"));
    assert_eq!(route.moves.as_deref(), Some("LLLLDDRDDL"));
    assert_eq!(route.counts.expanded, 10);
    for method in ["bfs", "ucs,tie=none,order=fifo", "astar,tie=none,order=fifo"] {
        let route = solve(&map, &format!("{method},{fields}"));
        assert_eq!(route.steps, Some(8), "{method}");
    }
    for (text, message, hint) in [
        ("%%%\n%P%\n%%%", "there is no '.'", "mark the goal with a dot"),
        ("%%%\n%.%\n%%%", "there is no 'P'", "mark the start with P"),
        ("%%%%%\n%P..%\n%%%%%", "'.' appears twice (first at line 2, column 3)", "keep one start"),
        ("%%%%%\n%P.x%\n%%%%%", "'x' is not a cell", "a cell is"),
    ] {
        let error = Map::read(text).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.hint().starts_with(hint), "{}", error.hint());
    }
}
