//! Every value of small tables is the right one, and every estimate a lower bound.

use std::sync::Arc;

use taquin_search::{Heuristic, Incremental, Monitor, StateSpace};
use taquin_tables::whole::{Explorer, Metric};
use taquin_tables::{Database, Packing, Pattern, Patterns, Perimeter, Reflection, Walking};
use taquin_tiles::packed::{Layout, Nibbles, Segments, Tiles, Wide};
use taquin_tiles::{Board, Cell, Costs, MoveOrder, NamedGoal, Puzzle, Slide, Tile};

use crate::{build, distances, goal, pack, unpack};

/// The cells of some tiles.
fn cells_of(arrangement: &[Tile], tiles: &[Tile]) -> Vec<u8> {
    let cell = |tile: &Tile| arrangement.iter().position(|other| other == tile).unwrap() as u8;
    tiles.iter().map(cell).collect()
}

/// Compares every entry with a search in which the other tiles are alike and move freely.
fn assert_exact(goal: &Board, tiles: &[Tile]) {
    const OTHER: Tile = 15;
    let pattern = Pattern::new(goal, tiles).unwrap();
    let database = build(&pattern);
    let counts = |tile: Tile| tile != OTHER;
    let alike: Vec<Tile> = goal
        .tiles()
        .iter()
        .map(|&tile| if tile == 0 || tiles.contains(&tile) { tile } else { OTHER })
        .collect();
    let mut expected = vec![None; pattern.ranking().placements()];
    for (arrangement, distance) in distances(goal.size(), &alike, counts) {
        let arrangement = unpack(arrangement, goal.tiles().len());
        let least = &mut expected[pattern.rank(&cells_of(&arrangement, pattern.tiles()))];
        *least = Some(least.map_or(distance, |known: u32| known.min(distance)));
    }
    let mut histogram = vec![0; database.histogram().len()];
    for (index, expected) in expected.into_iter().enumerate() {
        let cells = pattern.ranking().unrank(index);
        match expected {
            Some(distance) => {
                assert_eq!(database.value(&cells), distance, "{goal}: {tiles:?} on {cells:?}");
                histogram[distance as usize] += 1;
            }
            None => assert_eq!(database.entry(index), 0, "{goal}: {tiles:?} on {cells:?}"),
        }
    }
    assert_eq!(database.histogram(), histogram, "{goal}: {tiles:?}");
}

#[test]
fn values_are_exact_with_one_blank() {
    for named in NamedGoal::ALL {
        assert_exact(&goal("3x3", named, 1), &[1, 2, 3, 6]);
        assert_exact(&goal("3x3", named, 1), &[4, 5, 7, 8]);
        assert_exact(&goal("2x4", named, 1), &[1, 5, 6, 7]);
        assert_exact(&goal("4x2", named, 1), &[1, 3, 6]);
        assert_exact(&goal("3x4", named, 1), &[2, 7, 11]);
        assert_exact(&goal("2x2", named, 1), &[1, 2, 3]);
        assert_exact(&goal("1x5", named, 1), &[1, 3]);
        assert_exact(&goal("5x1", named, 1), &[2, 3, 4]);
    }
    // All tiles: the whole space, half of which is unreachable.
    assert_exact(&goal("2x3", NamedGoal::Last, 1), &[1, 2, 3, 4, 5]);
    assert_exact(&goal("3x3", NamedGoal::First, 1), &[1, 2, 3, 4, 5, 6, 7, 8]);
    assert_exact(&goal("3x3", NamedGoal::First, 1), &[1, 2, 3, 4, 5, 7]);
    assert_exact(&goal("1x2", NamedGoal::First, 1), &[1]);
}

#[test]
fn values_are_exact_with_several_blanks() {
    for named in NamedGoal::ALL {
        for blanks in [2, 3] {
            assert_exact(&goal("2x3", named, blanks), &[1, 3]);
            assert_exact(&goal("2x4", named, blanks), &[1, 2, 5]);
            assert_exact(&goal("3x3", named, blanks), &[2, 3, 4, 6]);
            assert_exact(&goal("3x3", named, blanks), &[1, 5]);
            assert_exact(&goal("1x6", named, blanks), &[1, 3]);
        }
    }
    // With every tile in the pattern the free cells are the blanks.
    assert_exact(&goal("3x3", NamedGoal::Last, 3), &[1, 2, 3, 4, 5, 6]);
    assert_exact(&goal("2x3", NamedGoal::Last, 5), &[1]);
    // Blanks in different regions of the goal.
    let apart = Board::new("3x3".parse().unwrap(), vec![0, 1, 0, 2, 3, 4, 0, 5, 6]).unwrap();
    assert_exact(&apart, &[1, 2, 3, 4]);
    assert_exact(&apart, &[2, 3, 4, 5, 6]);
}

/// Checks over all states that estimates are lower bounds, and that incremental estimates equal
/// recomputed ones. Returns by how much at most a move changes them.
fn assert_admissible<L: Layout, H: Incremental<Tiles<L>>>(goal: &Board, heuristic: &H) -> u32 {
    let puzzle = Puzzle::new(goal.clone(), goal.clone()).unwrap();
    let space = Tiles::<L>::new(&puzzle, &Costs::Unit, MoveOrder::default());
    let mut actions = Vec::new();
    let mut change = 0;
    for (tiles, distance) in distances(goal.size(), goal.tiles(), |_| true) {
        let board = Board::new(goal.size(), unpack(tiles, goal.tiles().len())).unwrap();
        let mut state = space.place(&board);
        let estimate = heuristic.estimate(&state);
        assert!(estimate <= distance, "{board}: {estimate} of {distance}");
        let memo = heuristic.memo(&state);
        assert_eq!(heuristic.value(memo), estimate);
        actions.clear();
        space.actions(&state, &mut actions);
        for &action in &actions {
            space.apply(&mut state, action);
            let child = heuristic.value(heuristic.step(memo, &state, action));
            let slide: Slide = action.into();
            assert_eq!(child, heuristic.estimate(&state), "{board} {slide:?}");
            change = change.max(child.abs_diff(estimate));
            space.undo(&mut state, action);
        }
    }
    assert_eq!(heuristic.estimate(&space.place(goal)), 0);
    change
}

fn databases(goal: &Board, patterns: &[&[Tile]]) -> Vec<Arc<Database>> {
    let database = |tiles: &&[Tile]| Arc::new(build(&Pattern::new(goal, tiles).unwrap()));
    patterns.iter().map(database).collect()
}

#[test]
fn sums_of_disjoint_patterns_are_lower_bounds() {
    for named in NamedGoal::ALL {
        let cases: [(&str, usize, &[&[Tile]]); 7] = [
            ("3x3", 1, &[&[1, 2, 3, 4], &[5, 6, 7, 8]]),
            ("3x3", 1, &[&[1, 2, 5], &[4, 8]]),
            ("2x4", 1, &[&[1, 2, 5, 6], &[3, 4, 7]]),
            ("3x2", 1, &[&[1, 2, 3, 4, 5]]),
            ("2x3", 2, &[&[1, 2], &[3, 4]]),
            ("2x4", 3, &[&[1, 2, 3], &[4, 5]]),
            ("3x3", 3, &[&[1, 4], &[2, 3, 5, 6]]),
        ];
        for (size, blanks, patterns) in cases {
            let goal = goal(size, named, blanks);
            let databases = databases(&goal, patterns);
            let reflection = Reflection::of(&goal);
            for reflection in [None, reflection.as_ref()] {
                let heuristic = Patterns::new(&goal, databases.clone(), reflection).unwrap();
                assert_admissible::<Nibbles, _>(&goal, &heuristic);
            }
        }
    }
    let goal = goal("2x3", NamedGoal::Last, 1);
    let heuristic = Patterns::new(&goal, databases(&goal, &[&[1, 2, 4], &[3, 5]]), None).unwrap();
    assert_admissible::<Wide, _>(&goal, &heuristic);
}

#[test]
fn walking_distance_is_a_lower_bound() {
    for named in NamedGoal::ALL {
        for (size, blanks) in [
            ("3x3", 1),
            ("2x4", 1),
            ("3x2", 1),
            ("1x5", 1),
            ("2x3", 2),
            ("2x4", 2),
            ("2x4", 3),
            ("3x3", 2),
            ("3x3", 3),
            ("1x5", 2),
            ("2x2", 4),
        ] {
            let goal = goal(size, named, blanks);
            let walking = Walking::new(&goal, 1 << 20).unwrap();
            assert!(assert_admissible::<Nibbles, _>(&goal, &walking) <= 1, "{size} {blanks}");
        }
    }
}

#[test]
fn walking_distance_is_a_lower_bound_on_two_rows_of_five() {
    let goal = goal("2x5", NamedGoal::Last, 1);
    let walking = Walking::new(&goal, 1 << 20).unwrap();
    assert_eq!(assert_admissible::<Nibbles, _>(&goal, &walking), 1);
}

/// Compares the walking distance in segments with the distances of all boards: from its tables, and
/// by counting crossings. Returns the greatest number of moves.
fn audit_segments(goal: &Board) -> u64 {
    let walks = [1 << 20, 0].map(|states| Walking::of_segments(goal, states));
    let packing = Packing::new(goal);
    assert_eq!(packing.is_some(), goal.blanks().count() == 1);
    let perimeters: Vec<Perimeter> = packing
        .iter()
        .flat_map(|packing| [0, 4, 11].map(|moves| (packing.shape(), moves)))
        .map(|(shape, moves)| {
            Perimeter::build(shape, moves, &Monitor::default(), &mut |_| ()).unwrap()
        })
        .collect();
    assert!(walks[0].states().0 > 0 && walks[1].states() <= (1, 1));
    let mut explorer = Explorer::new(goal, Metric::Multi, 1 << 30).unwrap();
    loop {
        let layer = explorer.layer();
        let farthest = layer.depth();
        for slot in layer.slots() {
            let board = layer.index().board(slot);
            let state = Nibbles::state(board.tiles());
            for perimeter in &perimeters {
                let packed = packing.as_ref().unwrap().pack(&board);
                assert!(u64::from(perimeter.least(packed)) <= farthest, "{goal} {board}");
                let known = u64::from(perimeter.moves()).min(farthest);
                assert!(known < farthest || perimeter.may_have(known as u32, packed));
            }
            for walking in &walks {
                let estimate = Heuristic::<Segments<Nibbles>>::estimate(walking, &state);
                assert!(u64::from(estimate) <= farthest, "{goal} {board}");
            }
        }
        if !explorer.advance(&Monitor::default()).unwrap() {
            return farthest;
        }
    }
}

#[test]
fn walking_distance_in_segments_is_a_lower_bound() {
    for named in NamedGoal::ALL {
        for (size, blanks) in
            [("3x3", 1), ("3x2", 1), ("2x4", 1), ("1x5", 1), ("2x4", 2), ("3x3", 7), ("1x6", 2)]
        {
            audit_segments(&goal(size, named, blanks));
        }
    }
    assert_eq!(audit_segments(&goal("3x3", NamedGoal::Last, 1)), 24);
}

#[test]
#[ignore = "241 million boards: ten minutes"]
fn walking_distance_in_segments_is_a_lower_bound_on_larger_boards() {
    audit_segments(&goal("2x5", NamedGoal::Last, 1));
    assert_eq!(audit_segments(&goal("3x4", NamedGoal::Last, 1)), 33);
}

/// All goals with the blank in a corner share a perimeter, whatever their tiles, and all whose blank
/// is turned to the same cell.
#[test]
fn goals_share_a_perimeter() {
    let shape = |goal: &Board| Packing::new(goal).unwrap().shape();
    for (size, cells, classes) in [("4x4", 16, 3), ("3x4", 12, 4), ("4x3", 12, 4), ("1x5", 5, 3)] {
        let (mut shapes, mut random) = (Vec::new(), taquin_search::Random::new(9));
        for blank in 0..cells {
            let mut tiles: Vec<Tile> = (1..cells).collect();
            for at in 1..tiles.len() {
                tiles.swap(at, random.below(at + 1));
            }
            tiles.insert(usize::from(blank), 0);
            let goal = Board::new(size.parse().unwrap(), tiles).unwrap();
            shapes.push(shape(&goal));
            let packing = Packing::new(&goal).unwrap();
            let perimeter =
                Perimeter::build(packing.shape(), 0, &Monitor::default(), &mut |_| ()).unwrap();
            assert_eq!(perimeter.least(packing.pack(&goal)), 0, "{goal}");
        }
        let mut different = shapes.clone();
        different.sort_by_key(ToString::to_string);
        different.dedup();
        assert_eq!(different.len(), classes, "{size}: {different:?}");
    }
    let of = |size, named| shape(&goal(size, named, 1));
    assert_eq!(of("4x4", NamedGoal::Last), of("4x4", NamedGoal::First));
    assert_eq!(of("3x4", NamedGoal::Last), of("4x3", NamedGoal::First));
    assert_eq!(of("3x4", NamedGoal::Last).to_string(), "3x4-blank-11");
}

/// A segment changes the walking distance by at most one, and steps as it is computed anew.
#[test]
fn walking_distance_in_segments_is_consistent() {
    for (size, blanks, states) in [("4x4", 1, 1 << 20), ("4x4", 1, 0), ("3x5", 2, 1 << 20)] {
        let goal = goal(size, NamedGoal::Last, blanks);
        let walking = Walking::of_segments(&goal, states);
        let puzzle = Puzzle::new(goal.clone(), goal.clone()).unwrap();
        let space = Segments::<Nibbles>::new(&puzzle, MoveOrder::default());
        let (mut state, mut actions) = (space.place(&goal), Vec::new());
        let mut random = taquin_search::Random::new(5);
        let value = |memo| Incremental::<Segments<Nibbles>>::value(&walking, memo);
        let mut memo = Incremental::<Segments<Nibbles>>::memo(&walking, &state);
        for _ in 0..2000 {
            actions.clear();
            space.actions(&state, &mut actions);
            let action = actions[random.below(actions.len())];
            let before = state;
            space.apply(&mut state, action);
            let next = Incremental::<Segments<Nibbles>>::step(&walking, memo, &state, action);
            let anew = Incremental::<Segments<Nibbles>>::memo(&walking, &state);
            assert_eq!(value(next), value(anew));
            assert!(value(next).abs_diff(value(memo)) <= 1, "{}", space.board(&state));
            memo = next;
            let mut undone = state;
            space.undo(&mut undone, action);
            assert!(undone == before);
        }
    }
}

#[test]
fn a_state_and_its_mirror_image_are_equally_far() {
    for (named, blanks) in
        [(NamedGoal::First, 1), (NamedGoal::Last, 1), (NamedGoal::Snail, 1), (NamedGoal::Last, 6)]
    {
        let goal = goal("3x3", named, blanks);
        let reflection = Reflection::of(&goal).unwrap();
        let distances = distances(goal.size(), goal.tiles(), |_| true);
        for (tiles, distance) in &distances {
            let board = Board::new(goal.size(), unpack(*tiles, goal.tiles().len())).unwrap();
            let mirrored = pack(reflection.apply(&board).tiles());
            assert_eq!(distances.get(&mirrored), Some(distance), "{board}");
        }
    }
}

#[test]
fn the_mirror_image_is_what_is_looked_up() {
    let goal = goal("3x3", NamedGoal::Last, 1);
    let databases = databases(&goal, &[&[1, 2, 3, 4], &[5, 6]]);
    let reflection = Reflection::of(&goal).unwrap();
    let plain = Patterns::new(&goal, databases.clone(), None).unwrap();
    let both = Patterns::new(&goal, databases, Some(&reflection)).unwrap();
    let estimate = |heuristic: &Patterns, board: &Board| {
        Heuristic::<Tiles<Nibbles>>::estimate(heuristic, &Nibbles::state(board.tiles()))
    };
    let mut better = 0;
    for (tiles, _) in distances(goal.size(), goal.tiles(), |_| true) {
        let board = Board::new(goal.size(), unpack(tiles, goal.tiles().len())).unwrap();
        let (here, there) = (estimate(&plain, &board), estimate(&plain, &reflection.apply(&board)));
        assert_eq!(estimate(&both, &board), here.max(there));
        better += u32::from(there > here);
    }
    assert!(better > 10_000, "{better}");
}

#[test]
fn unreachable_states_are_estimated_without_a_panic() {
    let goal = goal("1x5", NamedGoal::Last, 1);
    let puzzle = Puzzle::new(goal.swapped(0, 1), goal.clone()).unwrap();
    let space = Tiles::<Nibbles>::new(&puzzle, &Costs::Unit, MoveOrder::default());
    let mut state = space.place(puzzle.start());
    let walking = Walking::new(&goal, 1 << 20).unwrap();
    let patterns = Patterns::new(&goal, databases(&goal, &[&[1, 2, 3]]), None).unwrap();
    let mut walked = Incremental::<Tiles<Nibbles>>::memo(&walking, &state);
    let mut summed = Incremental::<Tiles<Nibbles>>::memo(&patterns, &state);
    for cell in (1..5).rev() {
        let action = Slide { blank: cell as Cell, step: taquin_tiles::Move::Left }.into();
        space.apply(&mut state, action);
        walked = Incremental::<Tiles<Nibbles>>::step(&walking, walked, &state, action);
        summed = Incremental::<Tiles<Nibbles>>::step(&patterns, summed, &state, action);
        Incremental::<Tiles<Nibbles>>::value(&walking, walked);
        assert_eq!(
            Incremental::<Tiles<Nibbles>>::value(&patterns, summed),
            Heuristic::<Tiles<Nibbles>>::estimate(&patterns, &state)
        );
    }
}
