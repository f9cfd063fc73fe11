//! The moves that may follow in each state of an [automaton](taquin_tables::Automaton), in four
//! bytes each: a large automaton has millions of states, and a search looks one up for every node.

use std::ops::Range;

use taquin_tables::Automaton;
use taquin_tiles::{Cell, Move, Slide};

use crate::ida::board::{Lane, PackedBoard};

/// The moves of all states, in order.
#[derive(Debug)]
pub(crate) struct Moves {
    /// The moves of the blank from each cell.
    pub(crate) lanes: Vec<Lane>,
    /// For each move the number of its lane and the state after it.
    all: Vec<LaneMove>,
    /// Each state's first move, and the number of moves.
    begins: Vec<u32>,
}

/// A move that may follow in a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LaneMove(u32);

/// The bits in a lane's number: 25 cells have 80 lanes.
const LANE_BITS: u32 = 7;

/// The size of a table indexed by lane numbers. It needs no bounds check.
pub(crate) const LANES: usize = 1 << LANE_BITS;

impl LaneMove {
    #[inline]
    pub(crate) const fn lane(self) -> usize {
        self.0 as usize % LANES
    }

    /// Returns the state after it.
    #[inline]
    pub(crate) const fn next(self) -> u32 {
        self.0 >> LANE_BITS
    }
}

/// Makes a table for all numbers of one for each lane.
pub(crate) fn for_lanes<T: Copy>(mut table: Vec<T>) -> Option<Box<[T; LANES]>> {
    let first = *table.first()?;
    table.resize(LANES, first);
    table.into_boxed_slice().try_into().ok()
}

/// The bits in a set of moves.
pub(crate) const SET_BITS: u32 = 4;

/// The states that only know which moves are excluded.
#[derive(Debug)]
pub(crate) struct Exclusions {
    /// The first of the states that exist for each blank cell and each set of moves.
    pub(crate) first: u32,
    /// For each state, the state that has forgotten all moves except that the last one is not
    /// undone. Has no entry for the first.
    forgetful: Vec<u16>,
    /// Whether states know more than the last move.
    pub(crate) has_memory: bool,
    /// The goal cell of the blank.
    pub(crate) blank_home: u8,
}

impl Exclusions {
    /// Returns the state that has forgotten all moves, except that the last one is not undone.
    #[inline]
    pub(crate) fn forgetful(&self, state: u32) -> u32 {
        self.forgetful.get(state as usize).map_or(state, |&number| self.first + u32::from(number))
    }

    /// Returns the state with the blank on `blank` in which a set of moves may not follow: a bit
    /// for each move.
    pub(crate) fn excluding(&self, blank: u8, set: u16) -> u32 {
        self.first + (u32::from(blank) << SET_BITS | u32::from(set))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.forgetful.len() * size_of::<u16>()
    }
}

impl Moves {
    /// The greatest number of states.
    const MAX_STATES: usize = 1 << (32 - LANE_BITS);

    /// Returns the moves of the states, unless there are too many.
    pub(crate) fn new<C: PackedBoard>(automaton: &Automaton) -> Option<Self> {
        let size = automaton.shape().size();
        let mut moves = Self { lanes: Vec::new(), all: Vec::new(), begins: vec![0] };
        let mut numbers = vec![[0; 4]; size.cells()];
        for blank in 0..size.cells() as Cell {
            for step in Move::ALL {
                let Some(target) = step.target(size, blank) else { continue };
                let closer =
                    |&tile: &Cell| size.distance(tile, blank) < size.distance(tile, target);
                let closer = (0..size.cells() as Cell).filter(closer);
                numbers[usize::from(blank)][step as usize] = moves.lanes.len() as u32;
                moves.lanes.push(Lane {
                    action: Slide { blank, step },
                    from: C::place(target as u8),
                    to: C::place(blank as u8),
                    closer: closer.fold(0, |set, tile| set | 1 << tile),
                });
            }
        }
        let states = automaton.len();
        if moves.lanes.len() > LANES || states + (size.cells() << SET_BITS) > Self::MAX_STATES {
            return None;
        }
        moves.begins.reserve(states);
        for state in 0..states as u32 {
            let lanes = &numbers[usize::from(automaton.blank(state))];
            for (step, next) in automaton.moves(state) {
                moves.all.push(LaneMove(lanes[step as usize] | next << LANE_BITS));
            }
            moves.begins.push(moves.all.len() as u32);
        }
        Some(moves)
    }

    /// Adds a state for each blank cell and each set of moves. It remembers no earlier moves, and
    /// the moves in the set may not follow.
    pub(crate) fn add_exclusions(&mut self, automaton: &Automaton, blank_home: Cell) -> Exclusions {
        let first = self.states() as u32;
        for blank in 0..automaton.shape().size().cells() as u32 {
            for set in 0..1_u32 << SET_BITS {
                for number in self.numbers(blank) {
                    let start = self.get(number);
                    if set >> self.lanes[start.lane()].action.step as u32 & 1 == 0 {
                        self.all.push(start);
                    }
                }
                self.begins.push(self.all.len() as u32);
            }
        }
        let forget = |state| {
            let excluded = automaton.last(state).map_or(0, |last| 1 << last.opposite() as u8);
            automaton.blank(state) << SET_BITS | excluded
        };
        Exclusions {
            first,
            forgetful: (0..first).map(forget).collect(),
            has_memory: automaton.shape().longest() > 2,
            blank_home: blank_home as u8,
        }
    }

    /// Returns the number of states.
    pub(crate) fn states(&self) -> usize {
        self.begins.len() - 1
    }

    /// Returns the numbers of the moves in a state.
    #[inline]
    pub(crate) fn numbers(&self, state: u32) -> Range<u32> {
        let state = state as usize;
        self.begins[state]..self.begins[state + 1]
    }

    /// Returns the moves in a state.
    #[inline]
    pub(crate) fn of(&self, state: u32) -> &[LaneMove] {
        let Range { start, end } = self.numbers(state);
        &self.all[start as usize..end as usize]
    }

    /// Returns the move with a number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> LaneMove {
        self.all[number as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.all[..]) + size_of_val(&self.begins[..])
    }
}
