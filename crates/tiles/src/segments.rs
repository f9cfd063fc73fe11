//! The state space of a puzzle in which a segment of tiles slides as one move.

use std::cmp::Ordering;
use std::fmt;
use std::ops::RangeInclusive;

use taquin_search::{Cost, Reversible, StateSpace};

use crate::board::{Board, Puzzle};
use crate::cost::Costs;
use crate::packed::Layout;
use crate::size::{Cell, Size};
use crate::space::Tiles;
use crate::step::{MoveOrder, Slide};

/// One move of a segment: the blank moves any distance along its row or column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Segment {
    /// The first step of the blank.
    pub first: Slide,
    /// The number of tiles that move.
    pub tiles: Cell,
}

impl Segment {
    /// The moves of single tiles that it consists of.
    pub fn slides(self, size: Size) -> impl Iterator<Item = Slide> {
        let next = move |slide: &Slide| Some(Slide { blank: slide.target(size), ..*slide });
        std::iter::successors(Some(self.first), next).take(self.tiles.into())
    }

    /// The cell that the blank enters.
    fn target(self, size: Size) -> Cell {
        self.slides(size).last().map_or(self.first.blank, |slide| slide.target(size))
    }
}

/// Arrangements of tiles, and the segments that lead from one to the next. Each costs one.
///
/// ```
/// use taquin_search::StateSpace;
/// use taquin_tiles::packed::{Nibbles, Segments};
/// use taquin_tiles::{MoveOrder, NamedGoal, Puzzle};
///
/// let goal = NamedGoal::Last.board("2x3".parse()?, 1);
/// let puzzle = Puzzle::new("0 1 2/4 5 3".parse()?, goal)?;
/// let space = Segments::<Nibbles>::new(&puzzle, MoveOrder::default());
///
/// let mut state = space.place(puzzle.start());
/// let mut actions = Vec::new();
/// space.actions(&state, &mut actions);
/// assert_eq!(actions.len(), 3); // one cell right, two right, one down
/// space.apply(&mut state, actions[1]);
/// assert_eq!(space.board(&state), "1 2 0/4 5 3".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Segments<L: Layout> {
    tiles: Tiles<L>,
    moves: MoveOrder,
}

impl<L: Layout> fmt::Debug for Segments<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segments").field("size", &self.size()).finish_non_exhaustive()
    }
}

impl<L: Layout> Segments<L> {
    /// Creates the space of a puzzle.
    ///
    /// # Panics
    /// Panics if the layout has no room for the board.
    pub fn new(puzzle: &Puzzle, moves: MoveOrder) -> Self {
        Self { tiles: Tiles::new(puzzle, &Costs::Unit, moves), moves }
    }

    /// Returns the state of a board.
    pub fn place(&self, board: &Board) -> L::State {
        self.tiles.place(board)
    }

    /// Returns the board of a state.
    pub fn board(&self, state: &L::State) -> Board {
        self.tiles.board(state)
    }

    /// Returns the size of the board.
    pub const fn size(&self) -> Size {
        self.tiles.size()
    }
}

impl<L: Layout> StateSpace for Segments<L> {
    type State = L::State;
    type Key = L::Key;
    type Action = Segment;

    fn actions(&self, state: &L::State, actions: &mut Vec<Segment>) {
        for blank in L::blanks(state) {
            for step in self.moves.moves() {
                let next = |cell: &Cell| step.target(self.size(), *cell);
                let cells = std::iter::successors(next(&blank), next);
                let tiles = cells.take_while(|&cell| !L::is_blank(state, cell));
                let first = Slide { blank, step };
                actions.extend(tiles.zip(1..).map(|(_, tiles)| Segment { first, tiles }));
            }
        }
    }

    fn apply(&self, state: &mut L::State, action: Segment) -> Cost {
        for slide in action.slides(self.size()) {
            L::slide(state, slide.target(self.size()), slide.blank);
        }
        1
    }

    fn undo(&self, state: &mut L::State, action: Segment) {
        if let Some(back) = self.inverse(action) {
            self.apply(state, back);
        }
    }

    fn inverse(&self, action: Segment) -> Option<Segment> {
        let step = action.first.step.opposite();
        Some(Segment { first: Slide { blank: action.target(self.size()), step }, ..action })
    }

    fn key(&self, state: &L::State) -> L::Key {
        L::key(state)
    }

    fn state(&self, key: &L::Key) -> L::State {
        L::unpack(key)
    }

    fn is_goal(&self, state: &L::State) -> bool {
        self.tiles.is_goal(state)
    }

    fn compare_keys(&self, a: &L::Key, b: &L::Key) -> Ordering {
        self.tiles.compare_keys(a, b)
    }

    fn costs(&self) -> RangeInclusive<Cost> {
        1..=1
    }

    fn heap_bytes(&self, key: &L::Key) -> usize {
        L::heap_bytes(key)
    }
}

impl<L: Layout> Reversible for Segments<L> {
    fn goal(&self) -> L::State {
        self.tiles.goal()
    }
}
