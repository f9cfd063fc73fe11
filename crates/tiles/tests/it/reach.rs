//! Reachability against searches of whole state spaces and against published boards.

use std::collections::HashSet;
use std::path::Path;

use taquin_tiles::{
    Board, Difference, Inversions, NamedGoal, Parity, ParityProof, Proof, Puzzle, Repair, Size,
    Tile, inversion_table, is_reachable, reachability,
};

/// All boards that moves lead to, found without any code of the crate under test.
fn search(cols: usize, goal: &[Tile]) -> HashSet<Vec<Tile>> {
    let mut seen = HashSet::from([goal.to_vec()]);
    let mut open = vec![goal.to_vec()];
    while let Some(board) = open.pop() {
        for blank in (0..board.len()).filter(|&cell| board[cell] == 0) {
            for tile in (0..board.len()).filter(|&cell| board[cell] != 0) {
                let (row, col) = (blank / cols, blank % cols);
                if row.abs_diff(tile / cols) + col.abs_diff(tile % cols) == 1 {
                    let mut next = board.clone();
                    next.swap(blank, tile);
                    if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
    }
    seen
}

/// The next arrangement in lexicographic order, equal tiles not told apart.
fn next_arrangement(tiles: &mut [Tile]) -> bool {
    let Some(pivot) = (1..tiles.len()).rev().find(|&i| tiles[i - 1] < tiles[i]) else {
        return false;
    };
    let larger = (pivot..tiles.len()).rev().find(|&i| tiles[i] > tiles[pivot - 1]).unwrap();
    tiles.swap(pivot - 1, larger);
    tiles[pivot..].reverse();
    true
}

/// Every arrangement of the tiles of a board.
fn arrangements(board: &Board) -> impl Iterator<Item = Board> + use<> {
    let size = board.size();
    let mut first = board.tiles().to_vec();
    first.sort_unstable();
    let step = |tiles: &Vec<Tile>| {
        let mut tiles = tiles.clone();
        next_arrangement(&mut tiles).then_some(tiles)
    };
    std::iter::successors(Some(first), step).map(move |tiles| Board::new(size, tiles).unwrap())
}

/// The named goals, and one with its tiles backwards around blanks in the middle.
fn goals(size: Size, blanks: usize) -> Vec<Board> {
    let tiles = size.cells() - blanks;
    let mut inside: Vec<Tile> = (1..=tiles as Tile).rev().collect();
    inside.splice(tiles / 2..tiles / 2, std::iter::repeat_n(0, blanks));
    let mut goals: Vec<Board> = NamedGoal::ALL.map(|goal| goal.board(size, blanks)).into();
    goals.push(Board::new(size, inside).unwrap());
    goals
}

/// Every exchange of two tiles of the start after which the goal can be reached.
fn good_swaps(puzzle: &Puzzle, reached: &HashSet<Vec<Tile>>) -> HashSet<[usize; 2]> {
    let tiles = puzzle.start().tiles();
    let pairs = (0..tiles.len()).flat_map(|a| (0..a).map(move |b| [b, a]));
    pairs
        .filter(|&[a, b]| {
            let mut swapped = tiles.to_vec();
            swapped.swap(a, b);
            tiles[a] != 0 && tiles[b] != 0 && reached.contains(&swapped)
        })
        .collect()
}

/// Everything an answer claims, recomputed the slow way.
fn check_proof(puzzle: &Puzzle, reached: &HashSet<Vec<Tile>>) {
    let (start, goal) = (puzzle.start().tiles(), puzzle.goal().tiles());
    let answer = reachability(puzzle);
    let expected = reached.contains(start);
    assert_eq!(is_reachable(puzzle), expected, "{puzzle:?}");
    assert_eq!(answer.reachable, expected, "{puzzle:?}");

    match answer.proof {
        Proof::Parity(proof) => {
            let mut moved = start.to_vec();
            for cycle in &proof.cycles {
                for (tile, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                    moved[start.iter().position(|other| other == next).unwrap()] = *tile;
                }
            }
            assert_eq!(moved, goal, "{puzzle:?}");
            let same = start.iter().zip(goal).filter(|(a, b)| a == b).count();
            assert_eq!(proof.fixed, same);
            assert_eq!(proof.exchanges + proof.cycles.len() + same, start.len());
            assert_eq!(proof.exchanges % 2 == proof.distance % 2, expected);

            let place = |tile: Tile| goal.iter().position(|&other| other == tile);
            let pairs = (0..start.len()).flat_map(|a| (a + 1..start.len()).map(move |b| [a, b]));
            let pairs = pairs.map(|pair| pair.map(|cell| start[cell]));
            let wrong: Vec<[Tile; 2]> =
                pairs.filter(|&[a, b]| a != 0 && b != 0 && place(a) > place(b)).collect();
            assert_eq!(proof.inversions.total, wrong.len() as u64, "{puzzle:?}");
            let table = inversion_table(puzzle);
            let table = table.flat_map(|row| row.precedes.into_iter().map(move |b| [row.tile, b]));
            assert_eq!(table.collect::<Vec<_>>(), wrong);
            let agrees = Parity::of(proof.inversions.sum) == proof.inversions.wanted;
            assert_eq!(agrees, expected, "{puzzle:?}");
        }
        Proof::Blanks { blanks } => assert!(blanks > 1 && expected),
        Proof::Line { difference } => assert_eq!(difference.is_none(), expected),
    }

    match answer.repair {
        None => assert!(expected),
        Some(Repair::Swap { tiles, cells }) => {
            assert_eq!(cells.map(|cell| start[usize::from(cell)]), tiles);
            let mut cells = cells.map(usize::from);
            cells.sort_unstable();
            assert!(!expected && good_swaps(puzzle, reached).contains(&cells), "{puzzle:?}");
        }
        Some(Repair::Order { tiles }) => {
            let mut needed = goal.to_vec();
            needed.retain(|&tile| tile != 0);
            assert_eq!(tiles, needed);
            assert!(!expected && good_swaps(puzzle, reached).is_empty(), "{puzzle:?}");
        }
    }
}

#[test]
fn every_start_on_small_boards_agrees_with_search() {
    let sizes =
        [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (3, 1), (5, 1), (2, 2), (2, 3), (3, 2), (2, 4)];
    for (rows, cols) in sizes {
        let size = Size::new(rows, cols).unwrap();
        for blanks in 1..=size.cells() {
            for goal in goals(size, blanks) {
                let reached = search(cols, goal.tiles());
                let mut all = 0;
                for start in arrangements(&goal) {
                    check_proof(&Puzzle::new(start, goal.clone()).unwrap(), &reached);
                    all += 1;
                }
                let factorial = |n: usize| (1..=n).product::<usize>();
                assert_eq!(all, factorial(size.cells()) / factorial(blanks));
                let expected = match blanks {
                    _ if size.is_line() => all / factorial(size.cells() - blanks),
                    1 => all / 2,
                    _ => all,
                };
                assert_eq!(reached.len(), expected, "{goal:?}");
            }
        }
    }
}

#[test]
fn half_of_the_eight_puzzle_is_reachable() {
    for goal in goals(Size::new(3, 3).unwrap(), 1) {
        let reachable =
            |start: &Board| is_reachable(&Puzzle::new(start.clone(), goal.clone()).unwrap());
        assert_eq!(arrangements(&goal).count(), 362_880);
        assert_eq!(arrangements(&goal).filter(reachable).count(), 181_440);
    }
}

/// A board with its rows on lines or between slashes; `b` is a blank.
fn board(text: &str) -> Board {
    let rows: Vec<Vec<Tile>> = text
        .split(['/', '\n'])
        .map(|row| {
            let row = row.replace('b', "0");
            row.split_whitespace().map(|tile| tile.parse().unwrap()).collect()
        })
        .collect();
    Board::new(Size::new(rows.len(), rows[0].len()).unwrap(), rows.concat()).unwrap()
}

/// Whether a board reaches a goal; if not, its repair must.
fn reaches(start: &Board, goal: &Board) -> bool {
    let puzzle = Puzzle::new(start.clone(), goal.clone()).unwrap();
    let answer = reachability(&puzzle);
    if let Some(Repair::Swap { cells: [a, b], .. }) = answer.repair {
        assert!(is_reachable(&Puzzle::new(start.swapped(a, b), goal.clone()).unwrap()));
    } else {
        assert!(answer.reachable);
    }
    answer.reachable
}

#[test]
fn famous_boards_are_judged_as_published() {
    // Boards that were taken for a program's error: no row-major goal is reached, the spiral is.
    for text in ["1 8 7/4 3 2/6 5 0", "1 3 4/8 0 2/7 6 5", "1 2 3/4 5 6/8 0 7"] {
        let start = board(text);
        let answers = NamedGoal::ALL.map(|goal| reaches(&start, &goal.board(start.size(), 1)));
        assert_eq!(answers, [false, false, true], "{text}");
    }
    // UNSW COMP9024: goals of any form.
    let start = board("9 12 5 4/2 b 7 11/3 6 10 13/14 1 8 15");
    assert!(reaches(&start, &board("1 2 3 4/5 6 7 8/9 10 11 12/13 14 b 15")));
    assert!(!reaches(&board("2 1/3 b"), &board("1 2/3 b")));
    // AIMA's example, 26 moves from its goal, and Rosetta Code's two, which have solutions.
    assert!(reaches(&board("7 2 4/5 0 6/8 3 1"), &board("0 1 2/3 4 5/6 7 8")));
    for text in ["15 14 1 6/9 11 4 12/0 10 7 3/13 8 5 2", "0 12 9 13/15 11 10 14/3 7 2 5/4 8 6 1"] {
        assert!(reaches(&board(text), &board("1 2 3 4/5 6 7 8/9 10 11 12/13 14 15 0")), "{text}");
    }
}

#[test]
fn student_boards_are_judged_as_tabled() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/data/npuzzle42");
    let table = std::fs::read_to_string(folder.join("expected.csv")).unwrap();
    let mut boards = 0;
    for line in table.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let [file, _, "ok", snail, last, ..] = fields[..] else { continue };
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let rows: Vec<&str> = lines.skip(1).collect();
        let start = board(&rows.join("\n"));
        for (goal, expected) in [(NamedGoal::Snail, snail), (NamedGoal::Last, last)] {
            let answer = reaches(&start, &goal.board(start.size(), 1));
            assert_eq!(if answer { "solvable" } else { "unsolvable" }, expected, "{file} {goal}");
        }
        boards += 1;
    }
    assert_eq!(boards, 17);
}

/// A puzzle from a board with slashes and a goal.
fn puzzle(start: &str, goal: NamedGoal) -> Puzzle {
    let rows: Vec<&str> = start.split('/').collect();
    let tiles: Vec<Tile> =
        rows.iter().flat_map(|row| row.split(' ')).map(|tile| tile.parse().unwrap()).collect();
    let size = Size::new(rows.len(), tiles.len() / rows.len()).unwrap();
    let start = Board::new(size, tiles).unwrap();
    let goal = goal.board(size, start.blanks().count());
    Puzzle::new(start, goal).unwrap()
}

fn parity_proof(puzzle: &Puzzle) -> ParityProof {
    match reachability(puzzle).proof {
        Proof::Parity(proof) => proof,
        proof => panic!("{proof:?}"),
    }
}

#[test]
fn a_students_example_has_the_numbers_of_the_books() {
    let puzzle = puzzle("5 2 8/4 1 7/0 3 6", NamedGoal::Last);
    let proof = parity_proof(&puzzle);
    assert_eq!(proof.cycles, [vec![0, 6, 7], vec![1, 5], vec![3, 8]]);
    assert_eq!((proof.fixed, proof.exchanges, proof.permutation), (2, 4, Parity::Even));
    assert_eq!((proof.blank, proof.blank_goal, proof.distance), (6, 8, 2));
    let inversions = Inversions {
        total: 14,
        row: 1,
        goal_row: 1,
        row_counts: false,
        sum: 14,
        wanted: Parity::Even,
    };
    assert_eq!(proof.inversions, inversions);
    let table: Vec<(Tile, Vec<Tile>)> =
        inversion_table(&puzzle).map(|row| (row.tile, row.precedes)).collect();
    let expected = [
        (5, vec![2, 4, 1, 3]),
        (2, vec![1]),
        (8, vec![4, 1, 7, 3, 6]),
        (4, vec![1, 3]),
        (1, vec![]),
        (7, vec![3, 6]),
        (3, vec![]),
        (6, vec![]),
    ];
    assert_eq!(table, expected);
}

#[test]
fn the_prize_puzzle_is_repaired_by_its_own_swap() {
    let puzzle = puzzle("1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0", NamedGoal::Last);
    let answer = reachability(&puzzle);
    assert!(!answer.reachable);
    assert_eq!(answer.repair, Some(Repair::Swap { tiles: [14, 15], cells: [14, 13] }));
    let Inversions { total, row, sum, wanted, .. } = parity_proof(&puzzle).inversions;
    assert_eq!((total, row, sum, wanted), (1, 1, 2, Parity::Odd));
}

#[test]
fn a_line_shows_where_its_order_breaks() {
    let line = |start| {
        let answer = reachability(&puzzle(start, NamedGoal::First));
        match answer.proof {
            Proof::Line { difference } => (difference, answer.repair),
            proof => panic!("{proof:?}"),
        }
    };
    let at = |place, start, goal| Some(Difference { place, start, goal });
    assert_eq!(line("0"), (None, None));
    assert_eq!(line("1/0/2/0/3"), (None, None));
    let swap = Repair::Swap { tiles: [4, 2], cells: [2, 4] };
    assert_eq!(line("1 0 4 3 2"), (at(1, 4, 2), Some(swap)));
    let order = Repair::Order { tiles: vec![1, 2, 3] };
    assert_eq!(line("0/2/3/0/1"), (at(0, 2, 1), Some(order)));
}

#[test]
fn large_boards_are_counted_without_their_pairs() {
    let size = Size::new(255, 257).unwrap();
    let goal = NamedGoal::Last.board(size, 1);
    let tiles = size.cells() as u64 - 1;
    let reversed = goal.tiles().iter().rev().copied().collect();
    let puzzle = Puzzle::new(Board::new(size, reversed).unwrap(), goal).unwrap();
    let proof = parity_proof(&puzzle);
    assert_eq!(proof.inversions.total, tiles * (tiles - 1) / 2);
    assert_eq!((proof.exchanges, proof.distance), (32_767, 254 + 256));
    assert!(!is_reachable(&puzzle));
}

#[test]
fn answers_are_written_as_data() {
    let json =
        |start| serde_json::to_string(&reachability(&puzzle(start, NamedGoal::Last))).unwrap();
    assert_eq!(
        json("2 1/3 0"),
        concat!(
            r#"{"reachable":false,"proof":{"rule":"parity","cycles":[[1,2]],"fixed":2,"#,
            r#""exchanges":1,"permutation":"odd","blank":3,"blank_goal":3,"distance":0,"#,
            r#""inversions":{"total":1,"row":1,"goal_row":1,"row_counts":true,"sum":2,"#,
            r#""wanted":"odd"}},"repair":{"change":"swap","tiles":[2,3],"cells":[0,2]}}"#
        )
    );
    assert_eq!(
        json("2 1/0 0"),
        r#"{"reachable":true,"proof":{"rule":"blanks","blanks":2},"repair":null}"#
    );
    assert_eq!(
        json("2 3 1 0"),
        concat!(
            r#"{"reachable":false,"proof":{"rule":"line","difference":"#,
            r#"{"place":0,"start":2,"goal":1}},"repair":{"change":"order","tiles":[1,2,3]}}"#
        )
    );
}
