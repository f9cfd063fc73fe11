//! The laws of the estimates, over every board of small puzzles.

use taquin_search::{Blind, Cost, Heuristic, Incremental, Random, Recomputed, StateSpace};
use taquin_tiles::packed::{Layout, Nibbles, Quints, Tiles, Wide};
use taquin_tiles::{
    Additive, Board, Costs, Gaschnig, Inversion, Linear, Measure, MoveOrder, NamedGoal, Notation,
    Puzzle, Size, Tile, read_moves, replay, scramble,
};

use crate::oracle::{Oracle, data};

/// A puzzle's goal, what its moves cost, and what every board truly costs.
struct Known {
    goal: Board,
    costs: Costs,
    boards: Vec<(Board, Cost)>,
}

impl Known {
    fn new(goal: &Board, costs: &Costs) -> Self {
        // Written down once more, since the crate's own prices are under test too.
        let price = |tile: Tile| match costs {
            Costs::Unit => 1,
            Costs::Tile => tile.into(),
            Costs::List(list) => list.get(usize::from(tile) - 1).copied().unwrap_or(1),
            other => other.of(tile, goal.size().cells()),
        };
        let boards = Oracle::new(goal, price).boards().collect();
        Self { goal: goal.clone(), costs: costs.clone(), boards }
    }

    /// Every heuristic in one layout.
    fn check<L: Layout>(&self) {
        let Self { goal, costs, .. } = self;
        let puzzle = Puzzle::new(goal.clone(), goal.clone()).unwrap();
        let law = Law { known: self, space: &space::<L>(&puzzle, costs) };
        let additive = |measure| Additive::new(measure, &puzzle, costs);
        law.holds("zero", &Blind, Sharp::No);
        law.holds("misplaced", &additive(Measure::Misplaced), Sharp::AtGoal);
        law.holds("euclidean", &additive(Measure::Euclidean), Sharp::AtGoal);
        law.holds("manhattan", &additive(Measure::Manhattan), Sharp::InParity);
        law.holds("linear", &Linear::new(&puzzle, costs), Sharp::InParity);
        law.holds("inversion", &Inversion::new(&puzzle, costs), Sharp::No);
        law.holds("gaschnig", &Recomputed(&Gaschnig::new(&puzzle, costs)), Sharp::AtGoal);
    }
}

/// How much an estimate says at the least.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharp {
    No,
    /// It is 0 at the goal and nowhere else.
    AtGoal,
    /// As above, and it differs from the true cost by an even number: each move changes a distance
    /// by its cost, up or down.
    InParity,
}

struct Law<'a, L: Layout> {
    known: &'a Known,
    space: &'a Tiles<L>,
}

impl<L: Layout> Law<'_, L> {
    fn holds<H: Incremental<Tiles<L>>>(&self, name: &str, heuristic: &H, sharp: Sharp) {
        let space = self.space;
        let mut actions = Vec::new();
        for (board, cost) in &self.known.boards {
            let place = || format!("{name} of {board} for {}", self.known.goal);
            let mut state = space.place(board);
            let h = heuristic.estimate(&state);
            assert!(h <= *cost, "{}: {h} is above {cost}", place());
            assert!(sharp == Sharp::No || (h == 0) == (*cost == 0), "{}: {h}", place());
            assert!(sharp != Sharp::InParity || h % 2 == cost % 2, "{}: {h}, {cost}", place());
            let memo = heuristic.memo(&state);
            assert_eq!(heuristic.value(memo), h, "{}", place());
            actions.clear();
            space.actions(&state, &mut actions);
            for &action in &actions {
                let price = space.apply(&mut state, action);
                let after = heuristic.estimate(&state);
                assert!(h.abs_diff(after) <= price, "{}: {action:?} to {after}", place());
                let stepped = heuristic.value(heuristic.step(memo, &state, action));
                assert_eq!(stepped, after, "{}: {action:?}", place());
                space.undo(&mut state, action);
            }
            assert!(state == space.place(board), "{}", place());
        }
    }
}

fn space<L: Layout>(puzzle: &Puzzle, costs: &Costs) -> Tiles<L> {
    Tiles::new(puzzle, costs, MoveOrder::default())
}

fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

/// The named goals, and one with its tiles backwards and its blanks apart.
fn goals(size: Size, blanks: usize) -> Vec<Board> {
    let mut odd: Vec<Tile> = (1..=(size.cells() - blanks) as Tile).rev().collect();
    (0..blanks).for_each(|blank| odd.insert(2 * blank + 1, 0));
    let mut goals = NamedGoal::ALL.map(|goal| goal.board(size, blanks)).to_vec();
    goals.push(Board::new(size, odd).unwrap());
    goals
}

/// Unit costs, the tile's number, and prices that favour neither large nor small tiles.
fn prices() -> [Costs; 3] {
    [Costs::Unit, Costs::Tile, Costs::List(vec![7, 2, 300, 5, 2])]
}

#[test]
fn every_estimate_is_admissible_consistent_and_incremental_on_small_boards() {
    for (rows, cols, blanks) in [
        (2, 2, 1),
        (2, 2, 2),
        (2, 3, 1),
        (2, 3, 2),
        (2, 3, 3),
        (3, 2, 1),
        (2, 4, 1),
        (2, 4, 2),
        (2, 4, 3),
        (1, 5, 2),
        (6, 1, 3),
    ] {
        for goal in goals(size(rows, cols), blanks) {
            for costs in prices() {
                let known = Known::new(&goal, &costs);
                known.check::<Nibbles>();
                if known.boards.len() < 1_000 {
                    known.check::<Quints>();
                    known.check::<Wide>();
                }
            }
        }
    }
}

#[test]
fn every_estimate_is_on_the_8_puzzle() {
    for goal in goals(size(3, 3), 1) {
        Known::new(&goal, &Costs::Unit).check::<Nibbles>();
    }
}

#[test]
fn every_estimate_is_on_the_8_puzzle_with_prices() {
    for costs in &prices()[1..] {
        for goal in [NamedGoal::Last.board(size(3, 3), 1), goals(size(3, 3), 1).remove(3)] {
            Known::new(&goal, costs).check::<Nibbles>();
        }
    }
}

#[test]
fn every_estimate_is_on_3x3_boards_with_several_blanks() {
    for blanks in [2, 3] {
        for (at, goal) in goals(size(3, 3), blanks).iter().enumerate() {
            let costs = &prices()[at % 3];
            Known::new(goal, costs).check::<Nibbles>();
        }
    }
}

/// Carries the memo along a walk, and estimates anew at every step.
fn walk<L: Layout, H: Incremental<Tiles<L>>>(puzzle: &Puzzle, costs: &Costs, heuristic: &H) {
    let space = space::<L>(puzzle, costs);
    let mut random = Random::new(puzzle.size().cells() as u64);
    let mut state = space.place(puzzle.start());
    let mut memo = heuristic.memo(&state);
    let mut actions = Vec::new();
    for _ in 0..2_000 {
        actions.clear();
        space.actions(&state, &mut actions);
        let action = actions[random.below(actions.len())];
        space.apply(&mut state, action);
        memo = heuristic.step(memo, &state, action);
        assert_eq!(heuristic.value(memo), heuristic.estimate(&state), "{}", space.board(&state));
    }
}

#[test]
fn what_is_remembered_never_drifts() {
    fn walks<L: Layout>(rows: usize, cols: usize) {
        for blanks in [1, 3] {
            let goal = NamedGoal::Snail.board(size(rows, cols), blanks);
            let start = scramble::uniform(&goal, &mut Random::new(9));
            let puzzle = Puzzle::new(start, goal).unwrap();
            for costs in prices() {
                for measure in [Measure::Misplaced, Measure::Euclidean, Measure::Manhattan] {
                    walk::<L, _>(&puzzle, &costs, &Additive::new(measure, &puzzle, &costs));
                }
                walk::<L, _>(&puzzle, &costs, &Linear::new(&puzzle, &costs));
            }
        }
    }
    walks::<Nibbles>(4, 4);
    walks::<Nibbles>(2, 8);
    walks::<Quints>(5, 5);
    walks::<Quints>(3, 7);
    walks::<Wide>(6, 6);
    // Lines beyond those that are solved in an array.
    walks::<Wide>(3, 20);
    walks::<Wide>(18, 17);
}

/// A heuristic's estimates for a board.
fn estimate(measure: Measure, start: &Board, goal: &Board) -> Cost {
    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
    Heuristic::<Tiles<Wide>>::estimate(
        &Additive::new(measure, &puzzle, &Costs::Unit),
        &Wide::state(start.tiles()),
    )
}

#[test]
fn distances_of_published_boards_are_as_published() {
    let text = data("columbia/expected.json");
    let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
    let distances = expected["manhattan"].as_object().unwrap();
    assert_eq!(distances.len(), 5);
    let goal = NamedGoal::First.board(size(3, 3), 1);
    for (board, distance) in distances {
        let start: Board = board.parse().unwrap();
        let found = estimate(Measure::Manhattan, &start, &goal);
        assert_eq!(Some(found.into()), distance.as_u64(), "{board}");
    }
}

#[test]
fn the_turned_24_puzzle_is_far_and_its_known_solution_solves_it() {
    let goal = NamedGoal::Last.board(size(5, 5), 1);
    let turned = Board::new(size(5, 5), goal.tiles().iter().copied().rev().collect()).unwrap();
    assert_eq!(estimate(Measure::Manhattan, &turned, &goal), 112);
    let text = data("hard15.txt");
    let moves = text.lines().find_map(|line| line.strip_prefix("SOLUTION 5 5 156 L blankmoves "));
    let slides = read_moves(moves.unwrap(), Some(Notation::Blank), &turned).unwrap();
    assert_eq!(slides.len(), 156);
    assert_eq!(replay(&turned, &slides).unwrap(), goal);
}

#[test]
fn inversion_distances_are_as_worked_out_by_hand() {
    let estimate = |start: &str, goal: &str| {
        let (start, goal): (Board, Board) = (start.parse().unwrap(), goal.parse().unwrap());
        let inversion = Inversion::new(&Puzzle::new(start.clone(), goal).unwrap(), &Costs::Unit);
        Heuristic::<Tiles<Wide>>::estimate(&inversion, &Wide::state(start.tiles()))
    };
    for (start, goal, moves) in [
        ("1 2 3/4 5 6/7 8 0", "1 2 3/4 5 6/7 8 0", 0),
        // By row 6 and 7 before 5: 2 inversions, a vertical move. By column 3 and 6 before 8.
        ("1 2 3/4 0 6/7 5 8", "1 2 3/4 5 6/7 8 0", 2),
        // The same puzzle with other numbers.
        ("8 7 6/5 0 3/2 4 1", "8 7 6/5 4 3/2 1 0", 2),
        // By row 1 inversion: a vertical move changes it by 1 or by 3. By column 7, and 3 moves.
        ("1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0", "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0", 4),
        // By row 2 inversions: with 3 and 1 off, two moves. By column 8 behind tile 15, 3 behind
        // each of 13 and 14 that should be in front of them: 14, four times 3 and twice 1.
        ("1 2 3 4/5 6 7 8/9 10 11 12/15 13 14 0", "1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0", 8),
        // Nothing changes the order of the tiles on a line.
        ("1 0 2/", "1 2 0/", 0),
        // By row 1 inversion: with two blanks a vertical move may pass one tile or two. By column 2
        // before 4 and 1, and 4 before 1: each horizontal move passes one tile.
        ("2 1 3/4 0 0", "1 2 3/4 0 0", 4),
    ] {
        assert_eq!(estimate(start, goal), moves, "{start}");
    }
}
