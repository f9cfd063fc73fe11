//! Solutions by construction.

use taquin_search::{Cost, Limits, Outcome, Random, Stop};
use taquin_solvers::layers;
use taquin_tiles::{Board, Cell, NamedGoal, Puzzle, Size, Tile, is_reachable, replay, scramble};

fn manhattan(puzzle: &Puzzle) -> Cost {
    let homes = puzzle.goal().positions();
    let tiles = (0..).zip(puzzle.start().tiles()).filter(|&(_, &tile)| tile != 0);
    let distance = |(cell, &tile): (Cell, &Tile)| {
        puzzle.size().distance(cell, homes[usize::from(tile)]) as Cost
    };
    tiles.map(distance).sum()
}

/// Solves a puzzle, replays the solution and returns its length; `None` if the goal is unreachable.
fn solved(start: Board, goal: &Board) -> Option<usize> {
    let puzzle = Puzzle::new(start, goal.clone()).unwrap();
    let search = layers(&puzzle, &Limits::default());
    match search.outcome {
        Outcome::Solved(solution) => {
            assert_eq!(replay(puzzle.start(), &solution.actions).as_ref(), Ok(goal), "{puzzle:?}");
            assert_eq!(solution.cost as usize, solution.actions.len());
            assert!(manhattan(&puzzle) <= solution.cost);
            Some(solution.actions.len())
        }
        outcome => {
            assert_eq!(outcome, Outcome::Exhausted, "{puzzle:?}");
            assert!(!is_reachable(&puzzle), "{puzzle:?}");
            None
        }
    }
}

/// Every order of these tiles, with equal ones (the blanks) taken once.
fn orders(tiles: &mut Vec<Tile>, from: usize, each: &mut dyn FnMut(&[Tile])) {
    if from == tiles.len() {
        return each(tiles);
    }
    for other in from..tiles.len() {
        if !tiles[from..other].contains(&tiles[other]) {
            tiles.swap(from, other);
            orders(tiles, from + 1, each);
            tiles.swap(from, other);
        }
    }
}

/// Solves every arrangement of a board and returns their number, and the longest answer.
fn all(goal: &Board) -> (usize, usize) {
    let (mut boards, mut longest) = (0, 0);
    let mut first = goal.tiles().to_vec();
    first.sort_unstable();
    orders(&mut first, 0, &mut |tiles| {
        if let Some(moves) = solved(Board::new(goal.size(), tiles.to_vec()).unwrap(), goal) {
            boards += 1;
            longest = longest.max(moves);
        }
    });
    (boards, longest)
}

fn size(rows: usize, cols: usize) -> Size {
    Size::new(rows, cols).unwrap()
}

#[test]
fn every_arrangement_of_small_boards() {
    let factorial = |n: usize| (1..=n).product::<usize>();
    for (rows, cols) in [(1, 1), (1, 5), (5, 1), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2)] {
        let size = size(rows, cols);
        let cells = size.cells();
        for blanks in 1..=cells {
            let mut goals: Vec<Board> =
                NamedGoal::ALL.map(|goal| goal.board(size, blanks)).to_vec();
            let mut random = Random::new(blanks as u64);
            goals.push(scramble::uniform(&goals[0], &mut random));
            goals.push(scramble::walk(&goals[0], 9, &mut random));
            for goal in &goals {
                let (boards, longest) = all(goal);
                let arrangements = factorial(cells) / factorial(blanks);
                let expected = match (size.is_line(), blanks) {
                    (true, _) => arrangements / factorial(cells - blanks),
                    (false, 1) => arrangements / 2,
                    (false, _) => arrangements,
                };
                assert_eq!(boards, expected, "{goal}");
                let side = rows.max(cols);
                assert!(longest <= 5 * side.pow(3), "{goal}: {longest}");
            }
        }
    }
}

#[test]
fn every_arrangement_of_the_3x3_board() {
    for goal in NamedGoal::ALL {
        let (boards, longest) = all(&goal.board(size(3, 3), 1));
        assert_eq!(boards, 181_440, "{goal}");
        assert!(longest <= 5 * 27, "{goal}: {longest}");
    }
}

#[test]
fn lines_are_solved_in_as_few_moves_as_can_be() {
    let mut random = Random::new(3);
    for cells in 2..40 {
        for size in [size(1, cells), size(cells, 1)] {
            for blanks in [1, cells / 2, cells] {
                let goal =
                    scramble::uniform(&NamedGoal::Last.board(size, blanks.max(1)), &mut random);
                let start = scramble::uniform(&goal, &mut random);
                let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
                assert_eq!(solved(start, &goal), Some(manhattan(&puzzle) as usize));
            }
        }
    }
}

#[test]
fn rectangles_of_every_shape_with_any_number_of_blanks_and_any_goal() {
    let mut random = Random::new(5);
    for rows in 2..12 {
        for cols in 2..12 {
            for blanks in [1, 1, 2, 3, rows * cols / 2, rows * cols - 1] {
                let named = NamedGoal::ALL[random.below(3)].board(size(rows, cols), blanks);
                let goal = match random.below(2) {
                    0 => named,
                    _ => scramble::uniform(&named, &mut random),
                };
                assert!(solved(scramble::uniform(&goal, &mut random), &goal).is_some());
            }
        }
    }
}

#[test]
fn five_times_the_cube_of_the_side_is_enough() {
    let mut random = Random::new(7);
    for side in (2..16).chain([20, 27, 35, 50, 70]) {
        let size = size(side, side);
        for goal in NamedGoal::ALL.map(|goal| goal.board(size, 1)) {
            let any = scramble::uniform(&goal, &mut random);
            // Upside down, and turned by half a turn: everything is far away.
            let turned: Vec<Tile> = goal.tiles().iter().rev().copied().collect();
            let flipped: Vec<Tile> = goal.tiles().chunks(side).rev().flatten().copied().collect();
            let boards = [turned, flipped].map(|tiles| Board::new(size, tiles).unwrap());
            for board in boards.into_iter().chain([any]) {
                // One exchange makes those reachable that are not.
                let cells = board.positions();
                let moves = solved(board.clone(), &goal)
                    .or_else(|| solved(board.swapped(cells[1], cells[2]), &goal));
                assert!(moves.unwrap() <= 5 * side.pow(3), "{side}: {moves:?}");
            }
        }
    }
}

#[test]
fn memory_and_interruption_are_answered() {
    let goal = NamedGoal::Last.board(size(40, 40), 1);
    let start = scramble::uniform(&goal, &mut Random::new(1));
    let puzzle = Puzzle::new(start, goal).unwrap();
    let limits = Limits { memory: Some(100_000), ..Limits::default() };
    assert_eq!(layers(&puzzle, &limits).outcome, Outcome::Stopped(Stop::Memory));
    let limits = Limits { monitor: Some(std::sync::Arc::default()), ..Limits::default() };
    limits.monitor.as_ref().unwrap().cancel();
    assert_eq!(layers(&puzzle, &limits).outcome, Outcome::Stopped(Stop::Cancelled));
}
