//! Which moves are worth trying after which.
//!
//! Two sequences of moves of the blank from the same cell can lead to the same board. Of such
//! sequences the shortest is kept, and among equally short ones the first in the order of the moves;
//! any other is redundant, and so is everything that contains it. The first of the shortest
//! solutions contains no redundant sequence, since replacing it would give a shorter or an earlier
//! one: a search that tries none finds the same solution as one that tries all.
//!
//! Redundant sequences up to some length are recognised by an automaton, whose state is the blank's
//! cell and as much of the last moves as can be the beginning of one. With sequences of two moves
//! this is what every search does: not to take back the last move.

use rustc_hash::{FxHashMap, FxHashSet};
use taquin_tiles::{Cell, Move, MoveOrder, Size};

/// The moves that may follow, for the last moves and the cell of the blank.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    states: Vec<State>,
    /// For each cell the state in which nothing is known of the moves before.
    starts: Vec<u16>,
}

/// The blank on a cell, after some moves.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) blank: u8,
    /// The moves worth trying, in their order.
    pub(crate) edges: Vec<Edge>,
}

/// A move worth trying.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) step: Move,
    /// Where the blank goes.
    pub(crate) target: u8,
    pub(crate) next: u16,
}

impl Automaton {
    /// Longer sequences would take more states than are numbered, and longer than they save.
    pub(crate) const LONGEST: usize = 12;

    /// Recognises the redundant sequences of at most `longest` moves on a board of at most 25 cells.
    pub(crate) fn new(size: Size, order: MoveOrder, longest: usize) -> Self {
        let grid = Grid { size, moves: order.moves() };
        let redundant = grid.redundant(longest.min(Self::LONGEST));
        // What is known of the last moves: a beginning of a redundant sequence.
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
        let beginnings: FxHashSet<Sequence> =
            redundant.iter().flat_map(|sequence| sequence.beginnings()).collect();
        let mut states = Vec::new();
        while let Some(&sequence) = known.get(states.len()) {
            let blank = grid.end(sequence);
            let edge = |(digit, step): (u64, Move)| {
                let target = step.target(size, blank.into())? as u8;
                let longer = sequence.then(digit);
                let endings = || grid.endings(longer);
                if endings().any(|ending| redundant.contains(&ending)) {
                    return None;
                }
                let longest = endings().find(|ending| beginnings.contains(ending));
                let rest = longest.unwrap_or(Sequence { start: target, steps: Steps::NONE });
                Some(Edge { step, target, next: number(rest, &mut known) })
            };
            let edges = (0..).zip(grid.moves).filter_map(edge).collect();
            states.push(State { blank, edges });
        }
        Self { states, starts }
    }

    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }

    /// The state before the first move, with the blank on a cell.
    pub(crate) fn start(&self, blank: Cell) -> u16 {
        self.starts[usize::from(blank)]
    }
}

/// Moves, two bits each after a leading 1: those of one length compare as they come in order.
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

    /// The last so many moves.
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

    /// What it begins with, itself left out.
    fn beginnings(self) -> impl Iterator<Item = Self> {
        let beginning = move |cut| Self { steps: Steps(self.steps.0 >> (2 * cut)), ..self };
        (1..=self.steps.len()).map(beginning)
    }
}

/// A sequence that is not redundant, and where it leads.
struct Normal {
    sequence: Sequence,
    board: u128,
    blank: u8,
}

struct Grid {
    size: Size,
    moves: [Move; 4],
}

impl Grid {
    fn target(&self, cell: u8, digit: u64) -> Option<u8> {
        Some(self.moves[digit as usize].target(self.size, cell.into())? as u8)
    }

    /// Where a sequence ends.
    fn end(&self, sequence: Sequence) -> u8 {
        let step = |cell, digit| self.target(cell, digit).unwrap_or(cell);
        sequence.steps.digits().fold(sequence.start, step)
    }

    /// What a sequence ends with, itself first.
    fn endings(&self, sequence: Sequence) -> impl Iterator<Item = Sequence> {
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

    /// The redundant sequences of at most `longest` moves that contain no other.
    fn redundant(&self, longest: usize) -> FxHashSet<Sequence> {
        let cells = 0..self.size.cells() as u8;
        let identity =
            cells.clone().fold(0, |board, cell| board | u128::from(cell) << (5 * u32::from(cell)));
        let first = |start| Normal {
            sequence: Sequence { start, steps: Steps::NONE },
            board: identity,
            blank: start,
        };
        let mut normal: Vec<Normal> = cells.map(first).collect();
        let mut boards: FxHashSet<(u8, u128)> =
            normal.iter().map(|n| (n.sequence.start, n.board)).collect();
        let mut redundant = FxHashSet::default();
        for _ in 0..longest {
            let mut longer = Vec::new();
            for &Normal { sequence, board, blank } in &normal {
                for digit in 0..4 {
                    let Some(target) = self.target(blank, digit) else { continue };
                    let sequence = sequence.then(digit);
                    if self.endings(sequence).skip(1).any(|ending| redundant.contains(&ending)) {
                        continue;
                    }
                    let exchange = (board >> (5 * blank) ^ board >> (5 * target)) & 31;
                    let board = board ^ exchange << (5 * blank) ^ exchange << (5 * target);
                    if boards.insert((sequence.start, board)) {
                        longer.push(Normal { sequence, board, blank: target });
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
