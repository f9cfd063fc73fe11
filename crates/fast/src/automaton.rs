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
//! redundant sequence. With sequences of two moves it only prevents undoing the last move.

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
pub(crate) struct AutomatonState {
    pub(crate) blank: u8,
    /// The moves that may follow, in their order.
    pub(crate) moves: Vec<StateMove>,
    /// The last move, if it is known.
    last: Option<Move>,
}

/// A move that may follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateMove {
    pub(crate) step: Move,
    /// Where the blank goes.
    pub(crate) target: u8,
    pub(crate) next: u16,
}

impl Automaton {
    /// Longer sequences would need more than 2^16 states, and more time than they save.
    pub(crate) const LONGEST: usize = 12;

    /// Creates the automaton for redundant sequences of up to `longest` moves on up to 25 cells.
    pub(crate) fn new(size: Size, order: MoveOrder, longest: usize) -> Self {
        let rules = SequenceRules { size, moves: order.moves() };
        let redundant = rules.redundant(longest.min(Self::LONGEST));
        // A state is known by a prefix of a redundant sequence.
        let mut numbers: FxHashMap<Sequence, u16> = FxHashMap::default();
        let mut known: Vec<Sequence> = Vec::new();
        let mut number = |sequence: Sequence, known: &mut Vec<Sequence>| {
            *numbers.entry(sequence).or_insert_with(|| {
                known.push(sequence);
                known.len() as u16 - 1
            })
        };
        let starts = (0..size.cells() as u8)
            .map(|cell| number(Sequence { start: cell, steps: Steps::NONE }, &mut known))
            .collect();
        let prefixes: FxHashSet<Sequence> =
            redundant.iter().flat_map(|sequence| sequence.prefixes()).collect();
        let mut states = Vec::new();
        while let Some(&sequence) = known.get(states.len()) {
            let blank = rules.end(sequence);
            let state_move = |(digit, step): (u64, Move)| {
                let target = step.target(size, blank.into())? as u8;
                let longer = sequence.then(digit);
                let suffixes = || rules.suffixes(longer);
                if suffixes().any(|suffix| redundant.contains(&suffix)) {
                    return None;
                }
                let longest = suffixes().find(|suffix| prefixes.contains(suffix));
                let rest = longest.unwrap_or(Sequence { start: target, steps: Steps::NONE });
                Some(StateMove { step, target, next: number(rest, &mut known) })
            };
            let moves = (0..).zip(rules.moves).filter_map(state_move).collect();
            let last = sequence.steps.digits().last().map(|digit| rules.moves[digit as usize]);
            states.push(AutomatonState { blank, moves, last });
        }
        Self { states, starts, exclusions: None }
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

/// Moves of two bits each after a leading 1; those of one length compare in the order of the moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Steps(u64);

impl Steps {
    const NONE: Self = Self(1);

    const fn len(self) -> u32 {
        self.0.ilog2() / 2
    }

    fn digits(self) -> impl Iterator<Item = u64> {
        (0..self.len()).rev().map(move |at| self.0 >> (2 * at) & 3)
    }

    /// Returns the last `count` moves.
    const fn last(self, count: u32) -> Self {
        Self(self.0 & ((1 << (2 * count)) - 1) | 1 << (2 * count))
    }
}

/// Moves from a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Sequence {
    start: u8,
    steps: Steps,
}

impl Sequence {
    const fn then(self, digit: u64) -> Self {
        Self { start: self.start, steps: Steps(self.steps.0 << 2 | digit) }
    }

    /// Returns its proper prefixes.
    fn prefixes(self) -> impl Iterator<Item = Self> {
        let prefix = move |cut| Self { steps: Steps(self.steps.0 >> (2 * cut)), ..self };
        (1..=self.steps.len()).map(prefix)
    }
}

/// A sequence that is not redundant, and the board that it leads to.
struct UniqueSequence {
    sequence: Sequence,
    board: u128,
    blank: u8,
}

struct SequenceRules {
    size: Size,
    moves: [Move; 4],
}

impl SequenceRules {
    fn target(&self, cell: u8, digit: u64) -> Option<u8> {
        Some(self.moves[digit as usize].target(self.size, cell.into())? as u8)
    }

    /// Returns the cell of the blank after a sequence.
    fn end(&self, sequence: Sequence) -> u8 {
        let step = |cell, digit| self.target(cell, digit).unwrap_or(cell);
        sequence.steps.digits().fold(sequence.start, step)
    }

    /// Returns the suffixes of a sequence, itself first.
    fn suffixes(&self, sequence: Sequence) -> impl Iterator<Item = Sequence> {
        let steps = sequence.steps;
        let cells = steps.digits().scan(sequence.start, |cell, digit| {
            let start = *cell;
            *cell = self.target(start, digit)?;
            Some(start)
        });
        cells
            .zip((1..=steps.len()).rev())
            .map(move |(start, count)| Sequence { start, steps: steps.last(count) })
    }

    /// Returns the redundant sequences of up to `longest` moves that contain no shorter one.
    fn redundant(&self, longest: usize) -> FxHashSet<Sequence> {
        let cells = 0..self.size.cells() as u8;
        let identity =
            cells.clone().fold(0, |board, cell| board | u128::from(cell) << (5 * u32::from(cell)));
        let first = |start| UniqueSequence {
            sequence: Sequence { start, steps: Steps::NONE },
            board: identity,
            blank: start,
        };
        let mut normal: Vec<UniqueSequence> = cells.map(first).collect();
        let mut boards: FxHashSet<(u8, u128)> =
            normal.iter().map(|n| (n.sequence.start, n.board)).collect();
        let mut redundant = FxHashSet::default();
        for _ in 0..longest {
            let mut longer = Vec::new();
            for &UniqueSequence { sequence, board, blank } in &normal {
                for digit in 0..4 {
                    let Some(target) = self.target(blank, digit) else { continue };
                    let sequence = sequence.then(digit);
                    if self.suffixes(sequence).skip(1).any(|suffix| redundant.contains(&suffix)) {
                        continue;
                    }
                    let exchange = (board >> (5 * blank) ^ board >> (5 * target)) & 31;
                    let board = board ^ exchange << (5 * blank) ^ exchange << (5 * target);
                    if boards.insert((sequence.start, board)) {
                        longer.push(UniqueSequence { sequence, board, blank: target });
                    } else {
                        redundant.insert(sequence);
                    }
                }
            }
            normal = longer;
        }
        redundant
    }
}
