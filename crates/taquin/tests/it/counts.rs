//! The counts as they are defined, worked out by hand on boards that fit on a sheet of paper.

use taquin::{Board, Costs, Counts, NamedGoal, Notation, Puzzle, Report, Session, Task, Watch};

/// All counts except memory.
#[derive(PartialEq, Eq, Debug, Default)]
struct Expected {
    moves: &'static str,
    expanded: u64,
    generated: u64,
    duplicates: u64,
    frontier_peak: u64,
    depth_peak: u64,
    stored_peak: u64,
    /// Expanded and generated when the last layer or threshold began.
    before: Option<(u64, u64)>,
}

fn solve(start: &str, method: &str, cost: Costs) -> Report {
    let start: Board = start.parse().unwrap();
    let goal = NamedGoal::Last.board(start.size(), 1);
    let puzzle = Puzzle::new(start, goal).unwrap();
    Session::without_folder()
        .run(&Task { cost, ..Task::new(puzzle, method.parse().unwrap()) }, Watch::default())
}

fn check(start: &str, method: &str, cost: Costs, expected: &Expected) {
    let report = solve(start, method, cost);
    let Counts { expanded, generated, duplicates, reopened, dropped_cheaper, .. } = report.counts;
    let Counts { frontier_peak, depth_peak, stored_peak, memory_peak, .. } = report.counts;
    let before = report.before_last_bound.map(|before| (before.expanded, before.generated));
    let moves = report.write_moves(Notation::Blank);
    let found = (moves.as_deref(), expanded, generated, duplicates);
    let &Expected { moves, .. } = expected;
    assert_eq!(
        found,
        (Some(moves), expected.expanded, expected.generated, expected.duplicates),
        "{method}: moves, expanded, generated, duplicates"
    );
    assert_eq!(
        (frontier_peak, depth_peak, stored_peak),
        (expected.frontier_peak, expected.depth_peak, expected.stored_peak),
        "{method}: frontier, depth, stored"
    );
    assert_eq!(before, expected.before, "{method}: before the last bound");
    assert_eq!((reopened, dropped_cheaper), (0, 0), "{method}");
    assert!(memory_peak >= 8 * stored_peak, "{method}: {memory_peak} bytes");
}

/// The 2x2 board is a ring of 12 boards. This one is three moves from the goal, U then R then D,
/// and nine the other way.
///
/// ```text
/// s = 3 1   a1 = 0 1   a2 = 1 0   goal = 1 2      b1 = 3 1   b2 = 3 0   b3 ..
///     0 2        3 2        3 2          3 0           2 0        2 1
/// ```
///
/// After the first, every board has one way on that does not lead back.
const RING: &str = "3 1/0 2";

#[test]
fn breadth_first_on_the_ring() {
    // s, a1, b1 and a2 are expanded; a2 gives the goal while b2 waits.
    let near = Expected {
        moves: "URD",
        expanded: 4,
        generated: 2 + 1 + 1 + 1,
        frontier_peak: 2,
        depth_peak: 2,
        stored_peak: 5,
        before: Some((3, 4)),
        ..Expected::default()
    };
    check(RING, "bfs", Costs::Unit, &near);
    // With R before U: s, b1, a1, b2 and a2; b2 has given b3.
    let far = Expected { expanded: 5, generated: 6, depth_peak: 3, stored_peak: 6, ..near };
    check(RING, "bfs,moves=DRLU", Costs::Unit, &far);
    // Tested when taken out: a2 puts the goal behind b2, which is expanded first and gives b3.
    let late = Expected { stored_peak: 7, before: Some((5, 6)), ..far };
    check(RING, "bfs,goal=expansion", Costs::Unit, &late);
    check(RING, "ucs", Costs::Unit, &late);
}

#[test]
fn moves_back_are_duplicates_or_nodes() {
    // a1, b1 and a2 each lead back as well; a2 does so before it gives the goal.
    let dropped = Expected {
        moves: "URD",
        expanded: 4,
        generated: 2 + 2 + 2 + 2,
        duplicates: 3,
        frontier_peak: 2,
        depth_peak: 2,
        stored_peak: 5,
        before: Some((3, 6)),
    };
    check(RING, "bfs,undo=keep", Costs::Unit, &dropped);
    // Kept, all three are stored and wait: s twice, and a1.
    let kept =
        Expected { duplicates: 0, frontier_peak: 4, depth_peak: 3, stored_peak: 8, ..dropped };
    check(RING, "bfs,undo=keep,duplicates=keep", Costs::Unit, &kept);
}

#[test]
fn depth_first_takes_the_newest() {
    // b1 was generated last: round the long way, a1 waiting all the time. s and b1 to b8 are
    // expanded; b8 gives the goal.
    let expected = Expected {
        moves: "RULDRULDR",
        expanded: 9,
        generated: 2 + 8,
        frontier_peak: 2,
        depth_peak: 8,
        stored_peak: 10,
        ..Expected::default()
    };
    check(RING, "dfs", Costs::Unit, &expected);
}

#[test]
fn estimates_lead_straight_round_the_ring() {
    // Three tiles are one step from home each: h is 3, 2, 1, 0 along a, and 4 at b1.
    let greedy = Expected {
        moves: "URD",
        expanded: 3,
        generated: 2 + 1 + 1,
        frontier_peak: 2,
        depth_peak: 2,
        stored_peak: 4,
        ..Expected::default()
    };
    check(RING, "greedy:manhattan", Costs::Unit, &greedy);
    // A* puts the goal on the frontier; f is 3 from beginning to end.
    let astar = Expected { depth_peak: 3, stored_peak: 5, before: Some((0, 0)), ..greedy };
    check(RING, "astar:manhattan", Costs::Unit, &astar);
    // IDA* makes one successor at a time, and b1 is never made. The path holds s, a1 and a2.
    let ida = Expected { generated: 3, frontier_peak: 3, depth_peak: 2, stored_peak: 3, ..astar };
    check(RING, "ida:manhattan", Costs::Unit, &ida);
}

#[test]
fn deepening_starts_again_at_every_depth() {
    // Depth 0: s. Depth 1: s, a1, b1. Depth 2: those and a2, b2. Depth 3: s, a1 and a2.
    let expected = Expected {
        moves: "URD",
        expanded: 1 + 3 + 5 + 3,
        generated: 2 + 4 + 6 + 3,
        frontier_peak: 3,
        depth_peak: 2,
        stored_peak: 3,
        before: Some((9, 12)),
        ..Expected::default()
    };
    check(RING, "ids", Costs::Unit, &expected);
}

#[test]
fn two_searches_meet() {
    // s gives a1 and b1; the goal, whose side is smaller, gives a2 and a board beyond; a1 gives a2.
    let expected = Expected {
        moves: "URD",
        expanded: 3,
        generated: 2 + 2 + 1,
        frontier_peak: 4,
        depth_peak: 2,
        stored_peak: 4 + 3,
        before: Some((2, 4)),
        ..Expected::default()
    };
    check(RING, "bidirectional", Costs::Unit, &expected);
}

#[test]
fn uniform_cost_goes_by_prices() {
    // Along a the tiles 3, 1, 2 move, along b 2, 1, 3, 2: g is 3, 4, 6 and 2, 3, 6, 8.
    // Taken out: s, b1 (2), a1 and b2 (3), a2 (4), b3 (6), and the goal (6), which came later.
    let expected = Expected {
        moves: "URD",
        expanded: 6,
        generated: 2 + 5,
        frontier_peak: 2,
        depth_peak: 4,
        stored_peak: 8,
        before: Some((5, 6)),
        ..Expected::default()
    };
    check(RING, "ucs", Costs::Tile, &expected);
    let report = solve(RING, "ucs", Costs::Tile);
    assert_eq!((report.cost, report.depth, report.lower_bound), (Some(6), Some(3), Some(6)));
}

/// Two moves from the goal, D then R. The blank is in the middle: four boards are one move away,
/// each of which has two ways on, to a corner; each corner has one way on.
const MIDDLE: &str = "1 2 3/4 0 6/7 5 8";

#[test]
fn breadth_first_from_the_middle() {
    // Root, U, L, R, D; D gives its left corner and the goal. No two paths meet so soon.
    let expected = Expected {
        moves: "DR",
        expanded: 5,
        generated: 4 + 2 + 2 + 2 + 2,
        // 4, 5, 6, 7, and 7 again: D is taken out, and of its two only the corner is put in.
        frontier_peak: 7,
        depth_peak: 2,
        stored_peak: 1 + 4 + 7,
        before: Some((1, 4)),
        ..Expected::default()
    };
    check(MIDDLE, "bfs", Costs::Unit, &expected);
    // The goal is the last of eight corners: the seven before it are expanded.
    let late = Expected {
        expanded: 5 + 7,
        generated: 12 + 7,
        frontier_peak: 8,
        depth_peak: 3,
        stored_peak: 1 + 4 + 8 + 7,
        before: Some((5, 12)),
        ..expected
    };
    check(MIDDLE, "ucs", Costs::Unit, &late);
}

#[test]
fn estimates_from_the_middle() {
    // h is 2, and 1 after D, 3 after the others; after D it is 2 in the left corner.
    let greedy = Expected {
        moves: "DR",
        expanded: 2,
        generated: 4 + 2,
        frontier_peak: 4,
        depth_peak: 2,
        stored_peak: 6,
        ..Expected::default()
    };
    check(MIDDLE, "greedy:manhattan", Costs::Unit, &greedy);
    // The beam drops L and R, which are as good as U but came later.
    check(MIDDLE, "beam:manhattan,k=2", Costs::Unit, &greedy);
    // D was generated last.
    check(MIDDLE, "dfs", Costs::Unit, &greedy);
    let weighted = Expected { frontier_peak: 5, stored_peak: 7, ..greedy };
    check(MIDDLE, "wastar:manhattan", Costs::Unit, &weighted);
    let astar = Expected { before: Some((0, 0)), ..weighted };
    check(MIDDLE, "astar:manhattan", Costs::Unit, &astar);
    // U, L and R are above the threshold, and so is the corner; the path holds the root and D.
    let ida = Expected { frontier_peak: 2, depth_peak: 1, stored_peak: 2, ..astar };
    check(MIDDLE, "ida:manhattan", Costs::Unit, &ida);
}

#[test]
fn a_depth_limit_from_the_middle() {
    // The stack takes U, L, R, D: under each of the first three two corners, whose one successor is
    // beyond the limit. D then gives the goal first.
    let expected = Expected {
        moves: "DR",
        expanded: 1 + 3 * 3 + 1,
        generated: 4 + 3 * (2 + 1 + 1) + 1,
        frontier_peak: 5,
        depth_peak: 2,
        stored_peak: 1 + 4 + 6,
        ..Expected::default()
    };
    check(MIDDLE, "dfs,depth=2,moves=DRLU", Costs::Unit, &expected);
}

#[test]
fn deepening_from_the_middle() {
    // Depth 0: the root. Depth 1: the root and four. Depth 2: the root, U, L and R with both their
    // corners, D with its left corner; there each successor is made one by one.
    let expected = Expected {
        moves: "DR",
        expanded: 1 + 5 + (1 + 3 * 3 + 2),
        generated: 4 + (4 + 8) + (3 * (1 + 2 + 2) + 1 + 2 + 1),
        frontier_peak: 3,
        depth_peak: 2,
        stored_peak: 3,
        before: Some((6, 16)),
        ..Expected::default()
    };
    check(MIDDLE, "ids", Costs::Unit, &expected);
}

#[test]
fn two_searches_meet_near_the_middle() {
    // The root gives four; the goal gives the board above it, and then the one that D leads to.
    let expected = Expected {
        moves: "DR",
        expanded: 2,
        generated: 4 + 2,
        frontier_peak: 4 + 2,
        depth_peak: 1,
        stored_peak: 5 + 3,
        before: Some((1, 4)),
        ..Expected::default()
    };
    check(MIDDLE, "bidirectional", Costs::Unit, &expected);
}
