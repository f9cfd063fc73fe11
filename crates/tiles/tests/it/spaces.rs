//! Whole state spaces, layer by layer, against published and recomputed distributions.

use taquin_search::{Node, Observer, Outcome, Policy, Problem};
use taquin_tiles::packed::{Layout, Nibbles, Quints, Tiles, Wide};
use taquin_tiles::{Board, Costs, MoveOrder, NamedGoal, Puzzle, Size, Tile};

use crate::oracle::data;

/// The observations of a search over a whole space.
#[derive(PartialEq, Eq, Debug, Default)]
struct Layers {
    /// How many boards each distance has.
    counts: Vec<u64>,
    /// The boards of the greatest distance.
    farthest: Vec<Board>,
}

/// Counts the expanded nodes at each depth.
struct Census<'a, L: Layout> {
    space: &'a Tiles<L>,
    counts: Vec<u64>,
    last: Vec<L::State>,
}

impl<L: Layout> Observer<Tiles<L>> for Census<'_, L> {
    fn bound(&mut self, bound: u64) {
        assert_eq!(bound, self.counts.len() as u64, "layers come one after the other");
        self.counts.push(0);
        self.last.clear();
    }

    fn expand(&mut self, node: &Node<'_, Tiles<L>>) {
        self.counts[node.depth as usize] += 1;
        self.last.push(node.state.clone());
    }
}

/// Breadth-first search from a goal through everything, or up to the distance `depth`.
fn layers<L: Layout>(goal: &Board, depth: Option<u64>) -> Layers {
    let puzzle = Puzzle::new(goal.clone(), goal.clone()).unwrap();
    let space = Tiles::<L>::new(&puzzle, &Costs::Unit, MoveOrder::default()).without_goal();
    let mut census = Census { space: &space, counts: Vec::new(), last: Vec::new() };
    let policy = Policy { depth, ..Policy::bfs() };
    let start = space.place(goal);
    let search = Problem::new(&space, &start).observer(&mut census).best_first(&policy).run();
    assert_eq!(search.outcome == Outcome::Exhausted, depth.is_none());
    assert_eq!(search.counts.expanded, census.counts.iter().sum::<u64>());
    assert_eq!(search.counts.stored_peak, search.counts.expanded);
    if depth.is_none() {
        // Every board but the goal was new once.
        assert_eq!(
            search.counts.generated - search.counts.duplicates,
            search.counts.stored_peak - 1
        );
    }
    let farthest = census.last.iter().map(|state| census.space.board(state)).collect();
    Layers { counts: census.counts, farthest }
}

/// The same in the layout that a board of this size is searched in.
fn natural_layers(goal: &Board, depth: Option<u64>) -> Layers {
    match goal.size().cells() {
        ..=16 => layers::<Nibbles>(goal, depth),
        17..=25 => layers::<Quints>(goal, depth),
        _ => layers::<Wide>(goal, depth),
    }
}

/// Up to here a space is small enough to be searched in every layout.
const SMALL: u64 = 25_000;

/// Up to here it is searched in the fast suite.
const LARGE: u64 = 2_000_000;

fn numbers<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> Vec<T> {
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// A line of `statespace_depths.txt`: one blank, single steps.
struct OneBlank {
    goal: Board,
    /// The number of all states, where all layers are given.
    states: Option<u64>,
    counts: Vec<u64>,
}

fn one_blank() -> Vec<OneBlank> {
    let read = |line: &str| {
        let (head, counts) = line.split_once(" : ")?;
        let fields: Vec<&str> = head.split_whitespace().collect();
        if fields[0] == "INFINITE" {
            return None;
        }
        let size = Size::new(fields[1].parse().unwrap(), fields[2].parse().unwrap()).unwrap();
        let goal = goal(size, fields[4].parse().unwrap());
        let (states, counts) = (fields[7].parse().ok(), numbers(counts));
        (fields[5] == "STM").then_some(OneBlank { goal, states, counts })
    };
    let text = data("statespace_depths.txt");
    text.lines().filter(|line| !line.starts_with('#')).filter_map(read).collect()
}

/// The tiles in order around a blank.
fn goal(size: Size, blank: usize) -> Board {
    let mut tiles: Vec<Tile> = (1..size.cells() as Tile).collect();
    tiles.insert(blank, 0);
    Board::new(size, tiles).unwrap()
}

#[test]
fn every_layer_of_every_small_board_is_as_published() {
    let small = |line: &OneBlank| line.states.is_some_and(|states| states <= LARGE);
    let lines: Vec<OneBlank> = one_blank().into_iter().filter(small).collect();
    assert_eq!(lines.len(), 8);
    for OneBlank { goal, states, counts } in lines {
        assert_eq!(Some(counts.iter().sum()), states);
        check(&goal, &counts);
    }
}

/// Searches a space in its own layout, and if it is small in the others too.
fn check(goal: &Board, counts: &[u64]) -> Vec<Board> {
    let seen = natural_layers(goal, None);
    assert_eq!(seen.counts, counts, "{goal}");
    assert_eq!(Some(&(seen.farthest.len() as u64)), counts.last(), "{goal}");
    if counts.iter().sum::<u64>() <= SMALL {
        assert_eq!(layers::<Quints>(goal, None), seen, "{goal}");
        assert_eq!(layers::<Wide>(goal, None), seen, "{goal}");
    }
    seen.farthest
}

#[test]
fn the_first_layers_of_large_boards_are_as_published() {
    let large = |line: &OneBlank| line.states.is_none_or(|states| states > LARGE);
    let lines: Vec<OneBlank> = one_blank().into_iter().filter(large).collect();
    assert_eq!(lines.len(), 8);
    for OneBlank { goal, counts, .. } in lines {
        let mut sum = 0;
        let few = counts.iter().take_while(|&&count| {
            sum += count;
            sum <= 150_000
        });
        let few = few.count();
        let seen = natural_layers(&goal, Some(few as u64 - 1));
        assert_eq!(seen.counts, counts[..few], "{goal}");
    }
}

#[test]
fn boards_that_are_mirror_images_have_the_same_layers() {
    let of = |rows, cols| {
        let size = Size::new(rows, cols).unwrap();
        let line = one_blank().into_iter().find(|line| line.goal.size() == size).unwrap();
        line.counts
    };
    for (rows, cols) in [(2, 2), (2, 3), (2, 4), (3, 3)] {
        let counts = of(rows, cols);
        for (rows, cols) in [(rows, cols), (cols, rows)] {
            let size = Size::new(rows, cols).unwrap();
            for corner in [0, cols - 1, (rows - 1) * cols, rows * cols - 1] {
                check(&goal(size, corner), &counts);
            }
        }
    }
    // Names of tiles make no difference either.
    let turned = Board::new(Size::new(3, 3).unwrap(), vec![7, 3, 1, 8, 2, 5, 4, 6, 0]).unwrap();
    check(&turned, &of(3, 3));
}

#[test]
fn the_farthest_boards_are_those_known() {
    let text = data("hard15.txt");
    let mut known: Vec<(Board, u64, Vec<Board>)> = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("POS")) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let size = Size::new(fields[1].parse().unwrap(), fields[2].parse().unwrap()).unwrap();
        if size.cells() > 10 {
            continue;
        }
        let named = if fields[5] == "L" { NamedGoal::Last } else { NamedGoal::First };
        let (goal, depth) = (named.board(size, 1), fields[3].parse().unwrap());
        let board = Board::new(size, numbers(&fields[6..].join(" "))).unwrap();
        match known.iter_mut().find(|entry| entry.0 == goal) {
            Some(entry) => entry.2.push(board),
            None => known.push((goal, depth, vec![board])),
        }
    }
    assert_eq!(known.len(), 10);
    // From the same file: the blank at the middle of a side.
    let side = goal(Size::new(3, 3).unwrap(), 1);
    let two = ["8 6 0/5 4 7/2 3 1", "0 8 6/7 4 3/2 5 1"].map(|board| board.parse().unwrap());
    known.push((side, 31, two.into()));
    for (goal, depth, mut boards) in known {
        let Layers { counts, mut farthest } = natural_layers(&goal, None);
        assert_eq!(counts.len() as u64, depth + 1, "{goal}");
        farthest.sort_by_key(Board::to_string);
        boards.sort_by_key(Board::to_string);
        assert_eq!(farthest, boards, "{goal}");
    }
    let centre = natural_layers(&goal(Size::new(3, 3).unwrap(), 4), None);
    assert_eq!((centre.counts.len(), centre.farthest.len()), (31, 148));
}

/// A line of `multi_blank_depths.txt`.
struct SeveralBlanks {
    goal: Board,
    counts: Vec<u64>,
    /// Some of the farthest boards.
    farthest: Vec<Board>,
}

fn several_blanks() -> Vec<SeveralBlanks> {
    let mut read: Vec<SeveralBlanks> = Vec::new();
    for line in data("multi_blank_depths.txt").lines() {
        if let Some(line) = line.strip_prefix("MB ") {
            let parts: Vec<&str> = line.split('|').collect();
            let head: Vec<&str> = parts[0].split_whitespace().collect();
            let size = Size::new(head[0].parse().unwrap(), head[1].parse().unwrap()).unwrap();
            let goal = Board::new(size, numbers(parts[1])).unwrap();
            assert_eq!(goal.blanks().count().to_string(), head[2]);
            let counts: Vec<u64> = numbers(parts[2]);
            assert_eq!((counts.len() - 1).to_string(), head[3]);
            assert_eq!(counts.iter().sum::<u64>().to_string(), head[4]);
            assert_eq!(counts.last().unwrap().to_string(), head[7]);
            read.push(SeveralBlanks { goal, counts, farthest: Vec::new() });
        } else if let Some(tiles) = line.strip_prefix("FAR ") {
            let last = read.last_mut().unwrap();
            last.farthest.push(Board::new(last.goal.size(), numbers(tiles)).unwrap());
        }
    }
    read
}

fn check_several_blanks(states: std::ops::RangeInclusive<u64>) -> usize {
    let mut searched = 0;
    for SeveralBlanks { goal, counts, farthest } in several_blanks() {
        if states.contains(&counts.iter().sum()) {
            searched += 1;
            let seen = check(&goal, &counts);
            assert!(farthest.iter().all(|board| seen.contains(board)), "{goal}");
        }
    }
    searched
}

#[test]
fn every_layer_with_several_blanks_is_as_computed() {
    assert_eq!(check_several_blanks(0..=LARGE), 23);
}

#[test]
#[ignore = "spaces of up to 80 million boards take minutes and 4 GB"]
fn every_layer_of_large_spaces_with_several_blanks_is_as_computed() {
    assert_eq!(check_several_blanks(LARGE..=100_000_000), 4);
}
