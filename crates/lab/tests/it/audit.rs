//! Compares audits with a plain breadth-first search, and audits functions that are known to be
//! bad.

#![expect(clippy::float_cmp, reason = "estimates are compared exactly")]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use taquin::{
    Board, Cost, Costs, ExploreError, Method, Metric, Monitor, NamedGoal, Reason, Session, Size,
    SpaceError, SpaceFiles, SpaceJob, TaskLimits, Tile, Watch,
};
use taquin_lab::{Audit, AuditError, effective_branching};

fn goal(rows: usize, cols: usize, blanks: usize) -> Board {
    NamedGoal::Last.board(Size::new(rows, cols).unwrap(), blanks)
}

fn of(estimate: &str, goal: &Board) -> Audit {
    let session = Session::without_folder();
    let method = format!("astar:{estimate}").parse::<Method>().unwrap();
    let limits = TaskLimits::default();
    Audit::of(&session, &method, goal, &Costs::Unit, &limits, &Arc::default()).unwrap()
}

fn by(estimate: &dyn Fn(&Board) -> f64, goal: &Board, costs: &Costs) -> Audit {
    Audit::by(
        estimate,
        &Session::without_folder(),
        goal,
        costs,
        &TaskLimits::default(),
        &Arc::default(),
    )
    .unwrap()
}

/// Every board's distance to the goal, by swapping a blank with its neighbours.
fn distances(goal: &Board) -> HashMap<Vec<Tile>, Cost> {
    let (rows, cols) = (goal.size().rows(), goal.size().cols());
    let mut known = HashMap::from([(goal.tiles().to_vec(), 0)]);
    let mut queue = VecDeque::from([goal.tiles().to_vec()]);
    while let Some(board) = queue.pop_front() {
        let distance = known[&board];
        for a in 0..rows * cols {
            for b in 0..rows * cols {
                let (row, col) = ((a / cols).abs_diff(b / cols), (a % cols).abs_diff(b % cols));
                if board[a] == 0 && board[b] != 0 && row + col == 1 {
                    let mut next = board.clone();
                    next.swap(a, b);
                    if !known.contains_key(&next) {
                        known.insert(next.clone(), distance + 1);
                        queue.push_back(next);
                    }
                }
            }
        }
    }
    known
}

/// Rows and columns between each tile and its place in `goal`.
fn manhattan(goal: &Board, tiles: &[Tile]) -> Cost {
    let cols = goal.size().cols();
    let place = |tile: Tile| goal.tiles().iter().position(|&t| t == tile).unwrap();
    let steps = |(cell, &tile): (usize, &Tile)| {
        let home = place(tile);
        (cell / cols).abs_diff(home / cols) + (cell % cols).abs_diff(home % cols)
    };
    tiles.iter().enumerate().filter(|(_, tile)| **tile != 0).map(steps).sum::<usize>() as Cost
}

#[test]
fn the_histogram_is_that_of_a_plain_search() {
    for goal in [goal(2, 3, 1), goal(2, 3, 2), goal(3, 2, 1), goal(2, 2, 1)] {
        let audit = of("manhattan", &goal);
        let mut expected: BTreeMap<Cost, BTreeMap<Cost, u64>> = BTreeMap::new();
        for (tiles, distance) in distances(&goal) {
            let cell = expected.entry(distance).or_default();
            *cell.entry(manhattan(&goal, &tiles)).or_default() += 1;
        }
        let found: BTreeMap<Cost, BTreeMap<Cost, u64>> =
            audit.distances.iter().map(|known| (known.distance, known.estimates.clone())).collect();
        assert_eq!(found, expected);
        assert!(audit.admissible && audit.consistent);
    }
}

#[test]
fn the_eight_puzzle_has_its_known_figures() {
    let audit = of("manhattan", &goal(3, 3, 1));
    assert_eq!(audit.boards, 181_440);
    assert_eq!(audit.distances.last().map(|last| (last.distance, last.boards)), Some((31, 2)));
    // The mean distance of the 8-puzzle is published as 21.97.
    assert!((audit.mean_distance - 21.97).abs() < 0.005, "{}", audit.mean_distance);
    assert_eq!(audit.same_parity, audit.boards);
    let branching = audit.branching.unwrap();
    assert_eq!((branching.distance, branching.boards), (22, 100));
    assert!((1.2..1.35).contains(&branching.factor), "{branching:?}");
    let lowest = &audit.lowest;
    assert_eq!(f64::from(manhattan(&goal(3, 3, 1), &lowest.board)), lowest.estimate);
}

#[test]
fn better_heuristics_audit_better() {
    let goal = goal(3, 3, 1);
    let audits: Vec<Audit> =
        ["misplaced", "manhattan", "linear"].iter().map(|name| of(name, &goal)).collect();
    for pair in audits.windows(2) {
        assert!(pair[0].mean_estimate < pair[1].mean_estimate);
        assert!(pair[0].exact < pair[1].exact);
        assert!(pair[0].branching.unwrap().factor > pair[1].branching.unwrap().factor);
    }
}

#[test]
fn bad_functions_are_found_out_with_a_witness() {
    let goal = goal(2, 3, 1);
    let truth = distances(&goal);
    // Twice the distance: admissible nowhere but at the goal, and every move changes it by 2.
    let twice = by(&|board| f64::from(2 * truth[board.tiles()]), &goal, &Costs::Unit);
    assert!(!twice.admissible && !twice.consistent);
    let worst = twice.highest.unwrap();
    assert_eq!((worst.distance, worst.estimate), (21, 42.0));
    let jump = twice.jump.unwrap();
    assert_eq!(((jump.estimates[0] - jump.estimates[1]).abs(), jump.cost), (2.0, 1));
    assert_eq!(jump.boards.each_ref().map(|board| f64::from(2 * truth[board])), jump.estimates);
    // The truth, but nothing if the blank is at home: never too high, and it jumps.
    let patchy = |board: &Board| match board.tiles().last() {
        Some(0) => 0.0,
        _ => f64::from(truth[board.tiles()]),
    };
    let patchy = by(&patchy, &goal, &Costs::Unit);
    assert!(patchy.admissible && !patchy.consistent);
    let exact = by(&|board| f64::from(truth[board.tiles()]), &goal, &Costs::Unit);
    assert!(exact.admissible && exact.consistent && exact.exact == exact.boards);
    assert_eq!(exact.lowest.estimate, f64::from(exact.lowest.distance));
}

#[test]
fn fractions_are_judged_as_they_are() {
    let goal = goal(2, 3, 1);
    let truth = distances(&goal);
    let truth = |board: &Board| f64::from(truth[board.tiles()]);
    let by = |estimate: &dyn Fn(&Board) -> f64| by(estimate, &goal, &Costs::Unit);
    // Rounded down it is 0, but it is above the distance of the goal.
    let flat = by(&|_| 0.9);
    assert_eq!(flat.highest.as_ref().map(|case| (case.estimate, case.distance)), Some((0.9, 0)));
    assert!(!flat.admissible && flat.consistent && flat.exact == 0 && flat.same_parity == 0);
    assert!((flat.mean_estimate - 0.9).abs() < 1e-12);
    // The least numbers that are too high, in one place and in a difference.
    let above = by(&|board| if *board == goal { f64::MIN_POSITIVE } else { truth(board) });
    assert!(!above.admissible && above.consistent && above.exact == above.boards - 1);
    // Differences that are rounded to the cost of a move: one is above it, one is below.
    let differing = |low: f64| {
        by(&|board| if truth(board) % 2.0 == 0.0 { low } else { 1.0_f64.next_up() }).consistent
    };
    assert!(!differing(f64::EPSILON * 0.51) && differing(f64::EPSILON * 1.01));
    let half = by(&|board| truth(board) / 2.0);
    assert!(half.admissible && half.consistent);
    assert_eq!(half.mean_estimate, half.mean_distance / 2.0);
    let json = serde_json::to_value(&half.lowest).unwrap();
    assert_eq!((&json["estimate"], &json["distance"]), (&10.5.into(), &21.into()));
    assert_eq!(serde_json::to_value(&half.distances[2]).unwrap()["least"], 1);
}

#[test]
fn prices_are_counted() {
    let goal = goal(2, 3, 1);
    let zero = by(&|_| 0.0, &goal, &Costs::Tile);
    // One move of tile 5 costs 5, one of tile 3 costs 3.
    assert_eq!(zero.distances[1].distance, 3);
    assert_eq!(zero.distances[2].distance, 5);
    assert_eq!(zero.boards, 360);
}

#[test]
fn a_limit_ends_it() {
    let limits = TaskLimits { expanded: Some(1_000), ..TaskLimits::default() };
    let (session, goal) = (Session::without_folder(), goal(3, 3, 1));
    let ended = Audit::by(&|_| 0.0, &session, &goal, &Costs::Unit, &limits, &Arc::default());
    assert!(matches!(ended, Err(AuditError::Stopped { boards: 1_000, reason: Reason::Expanded })));
}

#[test]
fn branching_factors_are_those_of_the_textbook() {
    // Russell and Norvig: a solution at depth 5 with 52 nodes has a factor of 1.92.
    assert!((effective_branching(52.0, 5) - 1.92).abs() < 0.005);
    assert!((effective_branching(2.0 + 4.0 + 8.0, 3) - 2.0).abs() < 1e-9);
    assert!((effective_branching(7.0, 7) - 1.0).abs() < 1e-9);
    assert!(effective_branching(0.0, 3) < 1e-9);
}

#[test]
fn the_table_of_the_space_is_used() {
    let goal = goal(3, 3, 1);
    // A search has no room for 181,440 boards in this, and a table has.
    let limits = TaskLimits { memory: Some(1 << 20), ..TaskLimits::default() };
    let within = |session: &Session, limits| {
        Audit::by(&|_| 0.0, session, &goal, &Costs::Unit, limits, &Arc::default())
    };
    let audit = within(&Session::without_folder(), &limits).unwrap();
    assert_eq!((audit.boards, audit.distances.len()), (181_440, 32));
    // This folder cannot be created, and the kept results need not be.
    let limits = TaskLimits { memory: Some(1), ..TaskLimits::default() };
    let folder = std::env::temp_dir().join(format!("taquin-audit-{}", std::process::id()));
    assert!(matches!(
        within(&Session::with_folder(&folder), &limits),
        Err(AuditError::Space(SpaceError::Explore(ExploreError::Memory { states: 181_440, .. })))
    ));
    let extent = taquin::space::table_extent(&goal, Metric::Single);
    let saving = Session::with_folder(&folder);
    let files = SpaceFiles::Table;
    let job = SpaceJob { files, memory: Some(extent.bytes), ..SpaceJob::new(&goal) };
    saving.run(&job, Watch::default()).unwrap();
    assert_eq!(within(&Session::with_folder(&folder), &limits).unwrap(), audit);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_audit_whose_tables_change_again_and_again_claims_nothing() {
    let goal = goal(2, 5, 1);
    let folder = std::env::temp_dir().join(format!("taquin-audit-cut-{}", std::process::id()));
    let session = Session::with_folder(&folder);
    // One that is large enough to be mapped.
    let method: Method = "astar:pdb=1.2.3.4.5.6.7.8.9".parse().unwrap();
    let limits = TaskLimits { expanded: Some(30_000), ..TaskLimits::default() };
    let audit = |monitor: &Arc<Monitor>| {
        Audit::of(&session, &method, &goal, &Costs::Unit, &limits, monitor)
    };
    assert!(matches!(audit(&Arc::default()), Err(AuditError::Stopped { boards: 30_000, .. })));
    let databases = folder.clone();
    let cut = Monitor::with_listener(move |_| {
        for file in std::fs::read_dir(&databases).unwrap().flatten() {
            std::fs::File::options().write(true).open(file.path()).unwrap().set_len(4_096).unwrap();
        }
    });
    let changed = audit(&Arc::new(cut));
    assert!(matches!(changed, Err(AuditError::Changed(_))), "{changed:?}");
    // The session has recovered.
    assert!(matches!(audit(&Arc::default()), Err(AuditError::Stopped { boards: 30_000, .. })));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_table_and_a_search_audit_alike() {
    // Prices of one for every tile are searched, and must give the same result.
    let goal = goal(2, 4, 1);
    let ones: Costs = "1,1,1,1,1,1,1".parse().unwrap();
    // Uneven and far too high here and there: there are many witnesses to choose from.
    let uneven = |board: &Board| board.tiles().iter().take(3).map(|&tile| f64::from(tile)).sum();
    let table = by(&uneven, &goal, &Costs::Unit);
    assert!(!table.admissible && !table.consistent && table.lowest.distance > 0);
    assert_eq!(Audit { cost: Costs::Unit, ..by(&uneven, &goal, &ones) }, table);
}

/// Inversion distance is never above the truth, and consistent.
fn inversion_is_audited(rows: usize, cols: usize) {
    let audit = of("inversion", &goal(rows, cols, 1));
    assert!(audit.admissible && audit.consistent && audit.exact > 1, "{rows}x{cols}");
}

#[test]
fn inversion_distance_is_never_above_the_truth() {
    inversion_is_audited(3, 3);
    inversion_is_audited(2, 5);
}

#[test]
#[ignore = "all 239,500,800 boards of 3x4: ten minutes"]
fn inversion_distance_is_never_above_the_truth_on_3x4() {
    inversion_is_audited(3, 4);
}
