//! Automata against breadth-first search.

use std::fs;

use super::*;
use crate::{FileFault, StoredTable, TableStore};
use rayon::ThreadPoolBuilder;
use rustc_hash::FxHashSet;
use taquin_tiles::{Board, NamedGoal, Slide};

fn automaton(size: Size, order: MoveOrder, longest: usize) -> Automaton {
    Automaton::new(AutomatonShape::new(size, order, longest).unwrap())
}

/// Every board is reached after as few moves as without pruning, and by one sequence only as long
/// as the automaton sees the whole sequence.
#[test]
fn shortest_sequences_stay_and_redundant_ones_of_each_length_go() {
    for (rows, cols) in [(2, 3), (3, 3), (3, 4), (5, 5)] {
        let size = Size::new(rows, cols).unwrap();
        for (order, longest) in
            ["ULRD", "RDLU"].into_iter().flat_map(|order| [2, 5, 8].map(|n| (order, n)))
        {
            let automaton = automaton(size, order.parse().unwrap(), longest);
            let board = NamedGoal::First.board(size, 1);
            let mut all = vec![board.clone()];
            let mut seen: FxHashSet<Board> = all.iter().cloned().collect();
            let mut pruned = vec![(board, 0)];
            for length in 1..=longest + 2 {
                all = all.iter().flat_map(neighbours).collect();
                all.retain(|board| seen.insert(board.clone()));
                let step = |(board, state): &(Board, u32)| {
                    let after = |(step, next)| {
                        let mut board = board.clone();
                        board.slide(Slide { blank: automaton.blank(*state), step }).unwrap();
                        (board, next)
                    };
                    automaton.moves(*state).map(after).collect::<Vec<_>>()
                };
                pruned = pruned.iter().flat_map(step).collect();
                let reached: FxHashSet<&Board> = pruned.iter().map(|(board, _)| board).collect();
                let case = format!("{size} {order} {longest}: {length}");
                assert!(all.iter().all(|board| reached.contains(board)), "{case}");
                if length <= longest {
                    assert_eq!(pruned.len(), all.len(), "{case}");
                }
            }
        }
    }
}

fn neighbours(board: &Board) -> Vec<Board> {
    let blank = board.blanks().next().unwrap();
    let after = |step| {
        let mut board = board.clone();
        board.slide(Slide { blank, step }).ok().map(|_| board)
    };
    Move::ALL.into_iter().filter_map(after).collect()
}

#[test]
fn states_are_few() {
    let size = Size::new(5, 5).unwrap();
    for (longest, count) in [(2, 105), (8, 1690), (10, 9086), (12, 44_125)] {
        let automaton = automaton(size, MoveOrder::default(), longest);
        assert_eq!(automaton.len(), count, "{longest}");
    }
}

/// A board of at most 12 cells as a number: a tile has four bits, and the blank's cell follows.
fn slide(board: u64, size: Size, step: Move) -> Option<u64> {
    let blank = (board >> 60) as Cell;
    let target = step.target(size, blank)?;
    let tile = board >> (4 * target) & 15;
    let board = board & ((1 << 60) - 1) ^ tile << (4 * target) ^ tile << (4 * blank);
    Some(board | u64::from(target) << 60)
}

/// Searches from a board with the blank on each of `cells`, and asserts that every board is reached
/// after as many moves as without pruning. Tiles are interchangeable, so this holds for every start
/// and every goal.
fn all_distances_stay(size: Size, longest: usize, cells: impl Iterator<Item = Cell>) -> usize {
    let automaton = automaton(size, MoveOrder::default(), longest);
    let mut most = 0;
    for cell in cells {
        let tiles = (0..size.cells() as Cell).filter(|&other| other != cell).zip(1..);
        let board = tiles.fold(0, |board, (cell, tile)| board | tile << (4 * cell));
        let board = board | u64::from(cell) << 60;
        let (mut above, mut layer) = (Vec::new(), vec![board]);
        let mut pruned = vec![(board, u32::from(cell))];
        let mut count = 0;
        while !layer.is_empty() {
            count += layer.len();
            let after = |&board: &u64| {
                Move::ALL.into_iter().filter_map(move |step| slide(board, size, step))
            };
            let mut next: Vec<u64> = layer.iter().flat_map(after).collect();
            next.sort_unstable();
            next.dedup();
            next.retain(|board| above.binary_search(board).is_err());
            let after = |&(board, state): &(u64, u32)| {
                let moves = automaton.moves(state);
                moves.filter_map(move |(step, next)| {
                    slide(board, size, step).map(|board| (board, next))
                })
            };
            pruned = pruned.iter().flat_map(after).collect();
            pruned.retain(|(board, _)| next.binary_search(board).is_ok());
            pruned.sort_unstable();
            pruned.dedup();
            let reached = pruned.chunk_by(|a, b| a.0 == b.0).count();
            assert_eq!(reached, next.len(), "{size}, {longest}, blank on {cell}");
            (above, layer) = (layer, next);
        }
        most = most.max(count);
    }
    most
}

#[test]
fn all_boards_of_3x3_keep_their_distances_with_every_depth() {
    let size = Size::new(3, 3).unwrap();
    for longest in 2..=AutomatonShape::MAX_LENGTH {
        // From a corner, an edge or the middle: the slow test has all cells with long sequences.
        let cell = [0, 5, 4][longest % 3];
        let cells = if longest <= 8 { 0..9 } else { cell..cell + 1 };
        assert_eq!(all_distances_stay(size, longest, cells), 181_440);
    }
}

#[test]
#[ignore = "all boards of 3x3 and 2x5 for every depth: minutes"]
fn all_boards_of_3x3_and_2x5_keep_their_distances_from_every_cell() {
    for longest in 9..=AutomatonShape::MAX_LENGTH {
        assert_eq!(all_distances_stay(Size::new(3, 3).unwrap(), longest, 0..9), 181_440);
    }
    for longest in 2..=AutomatonShape::MAX_LENGTH {
        assert_eq!(all_distances_stay(Size::new(2, 5).unwrap(), longest, 0..10), 1_814_400);
    }
}

/// `TAQUIN_PRUNE=14` has one depth alone.
#[test]
#[ignore = "all boards of 3x4 for every depth: an hour and 2 GiB"]
fn all_boards_of_3x4_keep_their_distances_with_every_depth() {
    let size = Size::new(3, 4).unwrap();
    let one = std::env::var("TAQUIN_PRUNE").ok().and_then(|depth| depth.parse::<usize>().ok());
    for longest in 2..=AutomatonShape::MAX_LENGTH {
        if one.is_none_or(|one| one == longest) {
            let cell = [5, 0, 1, 4, 6][longest % 5];
            assert_eq!(all_distances_stay(size, longest, cell..=cell), 239_500_800);
            println!("{longest} from {cell}");
        }
    }
}

/// The automaton does not depend on the number of threads, and the plan's memory suffices.
#[test]
fn automata_do_not_depend_on_threads_and_plans_are_upper_bounds() {
    for (rows, cols, longest) in [(3, 3, 16), (4, 4, 13), (2, 6, 22)] {
        let size = Size::new(rows, cols).unwrap();
        let shape = AutomatonShape::new(size, MoveOrder::default(), longest).unwrap();
        let [alone, together] = [1, 3].map(|threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Automaton::new(shape))
        });
        assert_eq!(together, alone);
        let (mut sequences, never) = (0, Monitor::default());
        SequenceTree::grow(shape, &never, &mut |layer, _| sequences += layer as u64).unwrap();
        let plan = AutomatonPlan::of(shape);
        assert!((sequences..3 * sequences).contains(&plan.sequences), "{plan:?} {sequences}");
    }
}

#[test]
fn automata_are_stored_and_damaged_files_are_refused() {
    let size = Size::new(3, 3).unwrap();
    let shape = AutomatonShape::new(size, MoveOrder::default(), 8).unwrap();
    let automaton = Automaton::new(shape);
    let folder = std::env::temp_dir().join(format!("taquin-automaton-{}", std::process::id()));
    let store = TableStore::new(&folder);
    let path = store.automaton_path(shape);
    automaton.save(&path).unwrap();
    assert_eq!(Automaton::load(&path, shape).unwrap(), automaton);
    assert!(matches!(StoredTable::verify(&path), Ok(StoredTable::Automaton(info))
        if info.shape == shape && info.states == automaton.len() as u64));
    assert_eq!(store.list().unwrap().len(), 1);
    let bytes = fs::read(&path).unwrap();
    for at in (0..bytes.len()).step_by(101).chain([0, 4095, 4096, bytes.len() - 1]) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&path, &damaged).unwrap();
        assert!(Automaton::load(&path, shape).is_err(), "byte {at}");
    }
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(Automaton::load(&path, shape).is_err());
    // The file of another automaton.
    let other = AutomatonShape::new(size, "RDLU".parse().unwrap(), 8).unwrap();
    fs::write(&path, &bytes).unwrap();
    let error = Automaton::load(&path, other).unwrap_err();
    assert!(matches!(error.fault, FileFault::Automaton { found, wanted }
        if found == shape && wanted == other));
    fs::remove_dir_all(&folder).unwrap();
}

/// States that no automaton has are refused even if every checksum is right.
#[test]
fn states_that_contradict_each_other_are_refused() {
    let shape = AutomatonShape::new(Size::new(3, 3).unwrap(), MoveOrder::default(), 6).unwrap();
    let automaton = Automaton::new(shape);
    let nexts: Vec<[u32; 4]> = automaton.states.iter().map(|state| state.nexts).collect();
    assert_eq!(Automaton::from_nexts(shape, nexts.clone()), Some(automaton));
    let place = nexts[4].iter().position(|&next| next != NO_STATE).unwrap();
    for wrong in [nexts.len() as u32, 0, nexts[4][place] + 1] {
        let mut nexts = nexts.clone();
        nexts[4][place] = wrong;
        assert_eq!(Automaton::from_nexts(shape, nexts), None, "{wrong}");
    }
    // A move that leaves the board, a state that is not reached, and too few states.
    let mut leaving = nexts.clone();
    leaving[0][0] = nexts[4][place];
    assert_eq!(Automaton::from_nexts(shape, leaving), None);
    let unreached = [&nexts[..], &[[NO_STATE; 4]]].concat();
    assert_eq!(Automaton::from_nexts(shape, unreached), None);
    assert_eq!(Automaton::from_nexts(shape, nexts[..5].to_vec()), None);
}
