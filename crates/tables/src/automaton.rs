//! Pruning of redundant move sequences.
//!
//! Two sequences of blank moves from the same cell can lead to the same board. Only the shortest
//! one is kept, and on a tie the first in move order. Any other sequence is redundant, and so is
//! every sequence that contains it. The first shortest solution contains no redundant sequence,
//! because replacing it would give a shorter or an earlier solution. A search that prunes redundant
//! sequences therefore finds the same solution.
//!
//! An automaton recognises redundant sequences up to some length (Taylor and Korf, 1993). Its state
//! is the blank's cell and the longest suffix of the last moves that is a prefix of a redundant
//! sequence. States with the same futures are merged. With sequences of two moves it only prevents
//! undoing the last move. It depends on the board size and the move order, not on the goal.
//!
//! | longest sequence | states on 5x5 |
//! |---|---|
//! | 8 | 1,690 |
//! | 10 | 9,086 |
//! | 12 | 44,125 |
//! | 14 | 215,971 |
//! | 16 | 1,008,280 |
//! | 18 | 4,728,947 |

mod build;
mod file;
mod merge;

use std::fmt;

use rayon::prelude::*;
use taquin_search::Monitor;
use taquin_tiles::{Cell, Move, MoveOrder, Size};

use self::build::{NO_CELL, SequenceTree};
use self::merge::merged;
use crate::pattern::BuildError;
use crate::store::{BuildRequest, TableEvent};

pub use self::build::AutomatonPlan;
pub use self::file::AutomatonInfo;

/// Knows which moves may follow, given the last moves and the cell of the blank.
///
/// The first states are before any move, ordered by the blank's cell.
///
/// ```
/// use taquin_tables::{Automaton, AutomatonPlan, AutomatonShape};
/// use taquin_tiles::{Move, MoveOrder};
///
/// let shape = AutomatonShape::new("3x3".parse()?, MoveOrder::default(), 12).unwrap();
/// assert!(shape.is_quick() && !AutomatonPlan::of(shape).is_long());
/// let automaton = Automaton::new(shape);
///
/// // State 4 is a blank on cell 4 before the first move. After a move it cannot return at once.
/// assert_eq!((automaton.blank(4), automaton.last(4)), (4, None));
/// let (step, next) = automaton.moves(4).next().unwrap();
/// assert_eq!((step, automaton.blank(next), automaton.last(next)), (Move::Up, 1, Some(Move::Up)));
/// assert!(automaton.moves(next).all(|(step, _)| step != Move::Down));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    shape: AutomatonShape,
    states: Vec<State>,
}

/// Everything that an automaton depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AutomatonShape {
    size: Size,
    order: MoveOrder,
    longest: usize,
}

/// The blank on a cell after some moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    /// The state after each move, in the order of the moves, or `NO_STATE`.
    nexts: [u32; 4],
    blank: u8,
    /// The last move's place in the move order, or `NO_MOVE`.
    last: u8,
}

/// Marks a move that may not follow.
const NO_STATE: u32 = u32::MAX;

/// The longest sequences that one thread looks at: they take it some milliseconds.
const MAX_LENGTH_ON_ONE_THREAD: usize = 8;

/// Before the first move.
const NO_MOVE: u8 = 4;

impl AutomatonShape {
    /// The longest sequences.
    pub const MAX_LENGTH: usize = 22;

    /// The longest sequences for which an automaton is made in a moment on any board, and is not
    /// worth a file.
    pub const QUICK: usize = 12;

    /// The most cells of a board.
    pub const MAX_CELLS: usize = 25;

    /// For redundant sequences of up to `longest` moves. Returns `None` on a line, on more than 25
    /// cells, and for lengths that are not 2 to 22.
    pub fn new(size: Size, order: MoveOrder, longest: usize) -> Option<Self> {
        let fits = size.cells() <= Self::MAX_CELLS && !size.is_line();
        (fits && (2..=Self::MAX_LENGTH).contains(&longest)).then_some(Self { size, order, longest })
    }

    /// Returns the size of the boards.
    pub const fn size(self) -> Size {
        self.size
    }

    /// Returns the order of the moves.
    pub const fn order(self) -> MoveOrder {
        self.order
    }

    /// Returns the length of the longest sequences.
    pub const fn longest(self) -> usize {
        self.longest
    }

    /// Processes each item on all threads of the current pool, unless starting them takes longer.
    fn each<T: Send, U: Send>(self, items: Vec<T>, work: impl Fn(T) -> U + Sync + Send) -> Vec<U> {
        match self.longest <= MAX_LENGTH_ON_ONE_THREAD {
            true => items.into_iter().map(work).collect(),
            false => items.into_par_iter().map(work).collect(),
        }
    }

    /// Returns whether the automaton is made in a moment.
    pub const fn is_quick(self) -> bool {
        self.longest <= Self::QUICK
    }

    /// Builds the automaton as planned, if the memory suffices.
    ///
    /// # Errors
    /// Fails if it does not, or if the build is cancelled.
    pub fn build(
        self,
        plan: &AutomatonPlan,
        request: &mut BuildRequest<'_>,
    ) -> Result<Automaton, BuildError> {
        let (longest, allowed) = (self.longest, request.memory);
        let needed = plan.build_bytes;
        if needed > allowed {
            return Err(BuildError::Automaton { longest, needed, allowed });
        }
        (request.report)(TableEvent::PlannedAutomaton(self, *plan));
        let progress = &mut |fraction| (request.report)(TableEvent::Progress(fraction));
        Automaton::build(self, request.cancel, progress)
    }

    /// Returns the cell that each move leads to, in the order of the moves, for each cell.
    fn targets(self) -> Vec<[u8; 4]> {
        let target = |cell, step: Move| step.target(self.size, cell).map_or(NO_CELL, |to| to as u8);
        let cells = 0..self.size.cells() as Cell;
        cells.map(|cell| self.order.moves().map(|step| target(cell, step))).collect()
    }
}

impl fmt::Display for AutomatonShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} moves={} prune={}", self.size, self.order, self.longest)
    }
}

impl Automaton {
    /// Makes an automaton, whatever memory that takes.
    pub fn new(shape: AutomatonShape) -> Self {
        let never = Monitor::default();
        Self::build(shape, &never, &mut |_| ()).expect("it is not cancelled")
    }

    /// Builds an automaton on all threads of the current pool and calls `progress` with the
    /// finished fraction. [`AutomatonPlan::of`] returns the required memory in advance.
    ///
    /// # Errors
    /// Fails if it is cancelled.
    pub fn build(
        shape: AutomatonShape,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, BuildError> {
        let tree = SequenceTree::new(shape, cancel, progress)?;
        let states = tree.states(shape);
        drop(tree);
        let states = merged(&states, shape);
        progress(1.0);
        Ok(Self { shape, states })
    }

    /// Returns the facts that it depends on.
    pub const fn shape(&self) -> AutomatonShape {
        self.shape
    }

    /// Returns the number of states.
    #[expect(clippy::len_without_is_empty, reason = "there is a state for each cell")]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the bytes that it takes.
    pub fn bytes(&self) -> u64 {
        (self.states.len() * size_of::<State>()) as u64
    }

    /// Returns the cell of the blank in a state.
    pub fn blank(&self, state: u32) -> Cell {
        self.states[state as usize].blank.into()
    }

    /// Returns the last move before a state, if there was one.
    pub fn last(&self, state: u32) -> Option<Move> {
        let last = self.states[state as usize].last;
        self.shape.order.moves().get(usize::from(last)).copied()
    }

    /// Returns the moves that may follow in a state, in their order, each with the state after it.
    pub fn moves(&self, state: u32) -> impl Iterator<Item = (Move, u32)> + use<> {
        let nexts = self.states[state as usize].nexts;
        self.shape.order.moves().into_iter().zip(nexts).filter(|&(_, next)| next != NO_STATE)
    }
}

#[cfg(test)]
mod tests;
