//! Pruning of redundant move sequences.
//!
//! Two sequences of moves of the blank from the same cell can lead to the same board. Of such
//! sequences the shortest is kept, and among equally short ones the first in the order of the
//! moves. Any other is redundant, and so is every sequence that contains it. The first of the
//! shortest solutions contains no redundant sequence, because replacing it would give a shorter or
//! an earlier solution: a search that prunes redundant sequences finds the same solution as one
//! that does not.
//!
//! Redundant sequences up to some length are recognised by an automaton (Taylor and Korf, 1993).
//! Its state is the blank's cell and the longest suffix of the last moves that is a prefix of a
//! redundant sequence; states after which the same moves may follow for ever are one. With sequences
//! of two moves it only prevents undoing the last move.
//!
//! | longest sequence | states on 5x5 | after merging |
//! |---|---|---|
//! | 8 | 1,820 | 1,690 |
//! | 10 | 10,573 | 9,086 |
//! | 12 | 52,605 | 44,125 |
//! | 14 | 260,322 | 215,971 |
//!
//! A node has room for a state of 16 bits.

use rustc_hash::{FxHashMap, FxHashSet};
use taquin_tiles::{Cell, Move, MoveOrder, Size};

/// Knows which moves may follow, given the last moves and the cell of the blank.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    states: Vec<AutomatonState>,
    /// For each cell of the blank, the state without earlier moves.
    starts: Vec<u16>,
    /// The first of the states of [`add_exclusions`](Self::add_exclusions).
    exclusions: Option<u16>,
}

/// The blank on a cell after some moves.
#[derive(Clone, Debug)]
pub(crate) struct AutomatonState<N = u16> {
    pub(crate) blank: u8,
    /// The moves that may follow, in their order.
    pub(crate) moves: Vec<StateMove<N>>,
    /// The last move, if it is known.
    last: Option<Move>,
}

/// A move that may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateMove<N = u16> {
    pub(crate) step: Move,
    /// Where the blank goes.
    pub(crate) target: u8,
    /// The number of the state after it.
    pub(crate) next: N,
}

impl Automaton {
    /// Longer sequences would need more than 2^16 states, and more time than they save.
    pub(crate) const LONGEST: usize = 12;

    /// Creates the automaton for redundant sequences of up to `longest` moves on up to 25 cells.
    pub(crate) fn new(size: Size, order: MoveOrder, longest: usize) -> Self {
        let states = SequenceTree::new(size, order, longest.min(Self::LONGEST)).states();
        let starts = 0..size.cells() as u16;
        Self { states: merged(&states), starts: starts.collect(), exclusions: None }
    }

    /// Adds a state for each cell of the blank and each set of moves: it knows nothing of earlier
    /// moves, and the moves of the set may not follow.
    pub(crate) fn add_exclusions(&mut self) {
        self.exclusions = Some(self.states.len() as u16);
        for blank in 0..self.starts.len() {
            let start = self.states[usize::from(self.starts[blank])].clone();
            self.states.extend((0..1 << SET_BITS).map(|set| {
                let mut state = start.clone();
                state.moves.retain(|state_move| set >> state_move.step as u8 & 1 == 0);
                state
            }));
        }
    }

    /// Returns the state with the blank on `blank` in which a set of moves may not follow: a bit for
    /// each move.
    pub(crate) fn excluding(&self, blank: u8, set: u16) -> u16 {
        self.exclusions.unwrap_or_default() + (u16::from(blank) << SET_BITS | set)
    }

    /// Returns for each state the one that has forgotten all moves, except that the last one is not
    /// undone.
    pub(crate) fn forgetful(&self) -> Vec<u16> {
        let excluding = self.exclusions.map_or(self.states.len(), usize::from);
        let forget = |(number, state): (u16, &AutomatonState)| match state.last {
            _ if usize::from(number) >= excluding => number,
            Some(last) => self.excluding(state.blank, 1 << last.opposite() as u8),
            None => self.excluding(state.blank, 0),
        };
        (0..).zip(&self.states).map(forget).collect()
    }

    pub(crate) fn states(&self) -> &[AutomatonState] {
        &self.states
    }

    /// Returns the state before the first move, with the blank on `blank`.
    pub(crate) fn start(&self, blank: Cell) -> u16 {
        self.starts[usize::from(blank)]
    }
}

/// The number of bits of a set of moves.
pub(crate) const SET_BITS: u32 = 4;

/// Merges states after which the same moves may follow for ever. The first of each class keeps its
/// place among them.
fn merged(states: &[AutomatonState<u32>]) -> Vec<AutomatonState> {
    const NO_MOVE: u32 = u32::MAX;
    let numbered = |keys: &mut dyn Iterator<Item = [u32; 5]>| {
        let mut numbers: FxHashMap<[u32; 5], u32> = FxHashMap::default();
        let number = |key| {
            let next = numbers.len() as u32;
            *numbers.entry(key).or_insert(next)
        };
        let classes: Vec<u32> = keys.map(number).collect();
        (classes, numbers.len())
    };
    // First all with the same blank and last move are one, then those with different moves or with
    // moves to different classes are told apart, until nothing changes.
    let first = |state: &AutomatonState<u32>| {
        [u32::from(state.blank), state.last.map_or(NO_MOVE, |step| step as u32), 0, 0, 0]
    };
    let (mut classes, mut count) = numbered(&mut states.iter().map(first));
    loop {
        let key = |(state, &class): (&AutomatonState<u32>, &u32)| {
            let mut key = [class, NO_MOVE, NO_MOVE, NO_MOVE, NO_MOVE];
            for StateMove { step, next, .. } in &state.moves {
                key[1 + *step as usize] = classes[*next as usize];
            }
            key
        };
        let (refined, refined_count) = numbered(&mut states.iter().zip(&classes).map(key));
        classes = refined;
        if refined_count == count {
            break;
        }
        count = refined_count;
    }
    let mut merged: Vec<AutomatonState> = Vec::with_capacity(count);
    for (state, &class) in states.iter().zip(&classes) {
        if class as usize == merged.len() {
            let next = |&StateMove { step, target, next }: &StateMove<u32>| StateMove {
                step,
                target,
                next: classes[next as usize] as u16,
            };
            let moves = state.moves.iter().map(next).collect();
            merged.push(AutomatonState { blank: state.blank, moves, last: state.last });
        }
    }
    merged
}

/// The sequences that contain no redundant one, as a tree below each cell of the blank.
struct SequenceTree {
    size: Size,
    moves: [Move; 4],
    /// The roots first, in the order of their cells, then by length.
    nodes: Vec<SequenceNode>,
}

/// A sequence of moves from a cell.
struct SequenceNode {
    /// The sequence with each further move.
    longer: [Longer; 4],
    /// The sequence without its first move.
    suffix: Option<u32>,
    /// Where the blank is after it.
    blank: u8,
    last: Option<Move>,
}

/// A sequence with one more move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Longer {
    /// The move leaves the board, or completes a shorter redundant sequence.
    Impossible,
    /// It is redundant.
    Redundant,
    /// It is not redundant, and has the greatest length.
    Longest,
    Node(u32),
}

impl SequenceTree {
    fn new(size: Size, order: MoveOrder, longest: usize) -> Self {
        let cells = 0..size.cells() as u8;
        let node = |blank, suffix, last| SequenceNode {
            longer: [Longer::Impossible; 4],
            suffix,
            blank,
            last,
        };
        let nodes = cells.clone().map(|cell| node(cell, None, None)).collect();
        let mut tree = Self { size, moves: order.moves(), nodes };
        let identity =
            cells.clone().fold(0, |board, cell| board | u128::from(cell) << (5 * u32::from(cell)));
        // The sequences of one length, each with its first cell and the board that it leads to, in
        // the order of the moves for each cell.
        let mut layer: Vec<(u32, u8, u128)> =
            cells.map(|cell| (u32::from(cell), cell, identity)).collect();
        let mut boards: FxHashSet<(u8, u128)> =
            layer.iter().map(|&(_, start, board)| (start, board)).collect();
        for length in 1..=longest.max(1) {
            let mut longer = Vec::new();
            for &(at, start, board) in &layer {
                for digit in 0..4 {
                    let SequenceNode { suffix, blank, .. } = tree.nodes[at as usize];
                    let Some(target) = tree.target(blank, digit) else { continue };
                    let new_suffix = match suffix {
                        None => u32::from(target),
                        Some(suffix) => match tree.nodes[suffix as usize].longer[digit] {
                            Longer::Node(suffix) => suffix,
                            _ => continue,
                        },
                    };
                    let exchange = (board >> (5 * blank) ^ board >> (5 * target)) & 31;
                    let board = board ^ exchange << (5 * blank) ^ exchange << (5 * target);
                    let new = tree.nodes.len() as u32;
                    tree.nodes[at as usize].longer[digit] = match boards.insert((start, board)) {
                        false => Longer::Redundant,
                        true if length == longest.max(1) => Longer::Longest,
                        true => {
                            let last = Some(tree.moves[digit]);
                            tree.nodes.push(node(target, Some(new_suffix), last));
                            longer.push((new, start, board));
                            Longer::Node(new)
                        }
                    };
                }
            }
            layer = longer;
        }
        tree
    }

    fn target(&self, cell: u8, digit: usize) -> Option<u8> {
        Some(self.moves[digit].target(self.size, cell.into())? as u8)
    }

    /// Returns the states of the automaton: the roots, and the prefixes of redundant sequences.
    fn states(&self) -> Vec<AutomatonState<u32>> {
        // 1. A node is a state if something below it is redundant.
        let mut is_state = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            is_state[at] = node.suffix.is_none()
                || node.longer.iter().any(|longer| match *longer {
                    Longer::Redundant => true,
                    Longer::Node(below) => is_state[below as usize],
                    Longer::Longest | Longer::Impossible => false,
                });
        }
        // 2. The state of a sequence is its longest suffix that is one: suffixes come first.
        let mut state_of: Vec<u32> = Vec::with_capacity(self.nodes.len());
        let mut count = 0;
        for (node, is_state) in self.nodes.iter().zip(&is_state) {
            state_of.push(match node.suffix.filter(|_| !is_state) {
                Some(suffix) => state_of[suffix as usize],
                None => {
                    count += 1;
                    count - 1
                }
            });
        }
        // 3. The moves of each state.
        let state = |(node, _): (&SequenceNode, _)| {
            let next = |digit: usize| {
                let target = self.target(node.blank, digit)?;
                let next = self.after(node, digit).map(|after| state_of[after as usize])?;
                Some(StateMove { step: self.moves[digit], target, next })
            };
            let moves = (0..4).filter_map(next).collect();
            AutomatonState { blank: node.blank, moves, last: node.last }
        };
        self.nodes.iter().zip(&is_state).filter(|(_, is_state)| **is_state).map(state).collect()
    }

    /// Returns the longest suffix in the tree of a sequence with another move, unless that is
    /// redundant or impossible.
    fn after<'a>(&'a self, mut node: &'a SequenceNode, digit: usize) -> Option<u32> {
        loop {
            match (node.longer[digit], node.suffix) {
                (Longer::Impossible | Longer::Redundant, _) => return None,
                (Longer::Node(after), _) => return Some(after),
                (Longer::Longest, Some(suffix)) => node = &self.nodes[suffix as usize],
                (Longer::Longest, None) => return self.target(node.blank, digit).map(u32::from),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_tiles::{Board, NamedGoal, Slide};

    /// Every board is reached after as few moves as without pruning, and by one sequence only as
    /// long as the automaton sees all of it.
    #[test]
    fn shortest_sequences_stay_and_redundant_ones_of_each_length_go() {
        for (rows, cols) in [(2, 3), (3, 3), (3, 4), (5, 5)] {
            let size = Size::new(rows, cols).unwrap();
            for (order, longest) in
                ["ULRD", "RDLU"].into_iter().flat_map(|order| [2, 5, 8].map(|n| (order, n)))
            {
                let automaton = Automaton::new(size, order.parse().unwrap(), longest);
                let board = NamedGoal::First.board(size, 1);
                let mut all = vec![board.clone()];
                let mut seen: FxHashSet<Board> = all.iter().cloned().collect();
                let mut pruned = vec![(board, automaton.start(0))];
                for length in 1..=longest + 2 {
                    all = all.iter().flat_map(neighbours).collect();
                    all.retain(|board| seen.insert(board.clone()));
                    let step = |(board, state): &(Board, u16)| {
                        let AutomatonState { blank, moves, .. } =
                            &automaton.states()[usize::from(*state)];
                        let after = |state_move: &StateMove| {
                            let mut board = board.clone();
                            let slide = Slide { blank: (*blank).into(), step: state_move.step };
                            board.slide(slide).unwrap();
                            (board, state_move.next)
                        };
                        moves.iter().map(after).collect::<Vec<_>>()
                    };
                    pruned = pruned.iter().flat_map(step).collect();
                    let reached: FxHashSet<&Board> =
                        pruned.iter().map(|(board, _)| board).collect();
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
            let automaton = Automaton::new(size, MoveOrder::default(), longest);
            assert_eq!(automaton.states().len(), count, "{longest}");
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

    /// Searches from a board with the blank on each of `cells`, and asserts that every board is
    /// reached after as many moves as without pruning. Tiles can be exchanged for others, so that
    /// this holds for every start and every goal.
    fn all_distances_stay(size: Size, longest: usize, cells: impl Iterator<Item = Cell>) -> usize {
        let automaton = Automaton::new(size, MoveOrder::default(), longest);
        let mut most = 0;
        for cell in cells {
            let tiles = (0..size.cells() as Cell).filter(|&other| other != cell).zip(1..);
            let board = tiles.fold(0, |board, (cell, tile)| board | tile << (4 * cell));
            let board = board | u64::from(cell) << 60;
            let (mut above, mut layer) = (Vec::new(), vec![board]);
            let mut pruned = vec![(board, automaton.start(cell))];
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
                let after = |&(board, state): &(u64, u16)| {
                    let moves = &automaton.states()[usize::from(state)].moves;
                    moves.iter().filter_map(move |state_move| {
                        slide(board, size, state_move.step).map(|board| (board, state_move.next))
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
        for longest in 2..=Automaton::LONGEST {
            assert_eq!(all_distances_stay(size, longest, 0..9), 181_440);
        }
    }

    #[test]
    #[ignore = "all boards of 2x5 for every depth, and of 3x4 for two: minutes"]
    fn all_boards_of_2x5_and_3x4_keep_their_distances() {
        let size = Size::new(2, 5).unwrap();
        for longest in 2..=Automaton::LONGEST {
            assert_eq!(all_distances_stay(size, longest, 0..10), 1_814_400);
        }
        let size = Size::new(3, 4).unwrap();
        for (longest, cell) in [(Automaton::LONGEST, 0), (Automaton::LONGEST - 1, 5)] {
            assert_eq!(all_distances_stay(size, longest, cell..=cell), 239_500_800);
        }
    }
}
