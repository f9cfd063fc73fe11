//! The state space of a puzzle.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use taquin_search::{Cost, Reversible, StateSpace};

use crate::board::{Board, Puzzle};
use crate::cost::Costs;
use crate::packed::Layout;
use crate::size::{Cell, Size, Tile};
use crate::step::{MoveOrder, Slide};

/// Arrangements of tiles, and the slides that lead from one to the next.
///
/// Successors come blank by blank in row-major order, each blank in the order of the moves.
///
/// ```
/// use taquin_search::StateSpace;
/// use taquin_tiles::packed::{Nibbles, Tiles};
/// use taquin_tiles::{Costs, MoveOrder, NamedGoal, Puzzle};
///
/// let goal = NamedGoal::Last.board("2x3".parse()?, 1);
/// let puzzle = Puzzle::new("1 2 3/4 0 5".parse()?, goal)?;
/// let space = Tiles::<Nibbles>::new(&puzzle, &Costs::Unit, MoveOrder::default());
///
/// let mut state = space.place(puzzle.start());
/// let mut actions = Vec::new();
/// space.actions(&state, &mut actions);
/// assert_eq!(actions.len(), 3); // up, left, right
/// assert_eq!(space.apply(&mut state, actions[2]), 1);
/// assert!(space.is_goal(&state));
/// assert_eq!(space.board(&state), *puzzle.goal());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tiles<L: Layout> {
    size: Size,
    goal: L::State,
    steps: Vec<Steps<L::Action>>,
    /// The cost of moving each tile.
    costs: Vec<Cost>,
    jumps: bool,
    /// Whether blanks are compared as the last tile, and not as the number 0.
    blank_is_last: bool,
    /// Whether there is only one blank, so that every adjacent cell has a tile.
    is_alone: bool,
}

/// The steps from a cell that stay on the board, in the order of the moves.
#[derive(Clone, Copy, Debug)]
struct Steps<A> {
    /// The actions, filled up to four: all are copied in one instruction.
    actions: [A; 4],
    targets: [Cell; 4],
    len: usize,
}

impl<A: From<Slide> + Copy> Steps<A> {
    fn new(size: Size, blank: Cell, moves: MoveOrder) -> Self {
        let mut steps = Self {
            actions: moves.moves().map(|step| Slide { blank, step }.into()),
            targets: [blank; 4],
            len: 0,
        };
        for step in moves.moves() {
            if let Some(target) = step.target(size, blank) {
                steps.actions[steps.len] = Slide { blank, step }.into();
                steps.targets[steps.len] = target;
                steps.len += 1;
            }
        }
        steps
    }
}

impl<L: Layout> Tiles<L> {
    /// Creates the space of a puzzle.
    ///
    /// # Panics
    /// Panics if the layout has no room for the board.
    pub fn new(puzzle: &Puzzle, costs: &Costs, moves: MoveOrder) -> Self {
        let size = puzzle.size();
        Self {
            size,
            goal: L::state(puzzle.goal().tiles()),
            steps: (0..size.cells() as Cell).map(|cell| Steps::new(size, cell, moves)).collect(),
            costs: costs.of_tiles(size.cells()),
            jumps: false,
            blank_is_last: false,
            is_alone: puzzle.goal().tiles().iter().filter(|&&tile| tile == 0).count() == 1,
        }
    }

    /// Lets a blank also move onto another blank: a move that changes nothing, and that some
    /// programs generate.
    ///
    /// ```
    /// # use taquin_search::StateSpace;
    /// # use taquin_tiles::packed::{Nibbles, Tiles};
    /// # use taquin_tiles::{Costs, MoveOrder, NamedGoal, Puzzle};
    /// let goal = NamedGoal::Last.board("1x3".parse()?, 2);
    /// let puzzle = Puzzle::new(goal.clone(), goal.clone())?;
    /// let space = Tiles::<Nibbles>::new(&puzzle, &Costs::Unit, MoveOrder::default());
    /// let successors = |space: &Tiles<Nibbles>| {
    ///     let mut actions = Vec::new();
    ///     space.actions(&space.place(&goal), &mut actions);
    ///     actions.len()
    /// };
    /// assert_eq!((successors(&space), successors(&space.clone().with_jumps())), (1, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_jumps(self) -> Self {
        Self { jumps: true, ..self }
    }

    /// Compares a blank of two states as the tile after the last one, and not as the number 0.
    ///
    /// ```
    /// # use std::cmp::Ordering;
    /// # use taquin_search::StateSpace;
    /// # use taquin_tiles::packed::{Nibbles, Tiles};
    /// # use taquin_tiles::{Costs, MoveOrder, NamedGoal, Puzzle};
    /// let goal = NamedGoal::Last.board("2x2".parse()?, 1);
    /// let puzzle = Puzzle::new("1 2/0 3".parse()?, goal)?;
    /// let space = Tiles::<Nibbles>::new(&puzzle, &Costs::Unit, MoveOrder::default());
    /// let key = |board| space.key(&space.place(board));
    /// let (start, goal) = (key(puzzle.start()), key(puzzle.goal()));
    /// assert_eq!(space.compare_keys(&start, &goal), Ordering::Less);
    /// assert_eq!(space.clone().with_blank_last().compare_keys(&start, &goal), Ordering::Greater);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_blank_last(self) -> Self {
        Self { blank_is_last: true, ..self }
    }

    /// Removes the goal, so that a search visits the whole space.
    ///
    /// ```
    /// # use taquin_search::{Policy, Problem};
    /// # use taquin_tiles::packed::{Nibbles, Tiles};
    /// # use taquin_tiles::{Costs, MoveOrder, NamedGoal, Puzzle};
    /// let goal = NamedGoal::Last.board("2x3".parse()?, 1);
    /// let puzzle = Puzzle::new(goal.clone(), goal)?;
    /// let space = Tiles::<Nibbles>::new(&puzzle, &Costs::Unit, MoveOrder::default()).without_goal();
    /// let start = space.place(puzzle.start());
    /// let search = Problem::new(&space, &start).best_first(&Policy::bfs()).run();
    /// assert_eq!(search.counts.expanded, 360);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn without_goal(self) -> Self {
        // Every board in the space has cells.
        Self { goal: L::state(&[]), ..self }
    }

    /// Returns the state of a board.
    pub fn place(&self, board: &Board) -> L::State {
        L::state(board.tiles())
    }

    /// Returns the board of a state.
    pub fn board(&self, state: &L::State) -> Board {
        let tiles = (0..self.size.cells() as Cell).map(|cell| L::tile(state, cell)).collect();
        Board::new(self.size, tiles).expect("sliding keeps every tile")
    }

    /// Appends the slides of every blank.
    #[inline(never)]
    fn actions_of_all(&self, state: &L::State, actions: &mut Vec<L::Action>) {
        for blank in L::blanks(state) {
            let Steps { actions: all, targets, len } = &self.steps[usize::from(blank)];
            for (&action, &target) in all.iter().zip(targets).take(*len) {
                if self.jumps || !L::is_blank(state, target) {
                    actions.push(action);
                }
            }
        }
    }

    /// Returns the size of the board.
    pub const fn size(&self) -> Size {
        self.size
    }
}

impl<L: Layout> StateSpace for Tiles<L> {
    type State = L::State;
    type Key = L::Key;
    type Action = L::Action;

    #[inline]
    fn actions(&self, state: &L::State, actions: &mut Vec<L::Action>) {
        match L::blanks(state).next() {
            Some(blank) if self.is_alone => {
                let steps = &self.steps[usize::from(blank)];
                let len = actions.len() + steps.len;
                actions.extend_from_slice(&steps.actions);
                actions.truncate(len);
            }
            _ => self.actions_of_all(state, actions),
        }
    }

    #[inline]
    fn apply(&self, state: &mut L::State, action: L::Action) -> Cost {
        let slide: Slide = action.into();
        let target = slide.target(self.size);
        if self.jumps && L::is_blank(state, target) {
            return self.costs[0];
        }
        let tile = L::slide(state, target, slide.blank);
        self.costs[usize::from(tile)]
    }

    #[inline]
    fn undo(&self, state: &mut L::State, action: L::Action) {
        let slide: Slide = action.into();
        if self.jumps && L::is_blank(state, slide.blank) {
            return;
        }
        L::slide(state, slide.blank, slide.target(self.size));
    }

    #[inline]
    fn inverse(&self, action: L::Action) -> Option<L::Action> {
        let slide: Slide = action.into();
        Some(Slide { blank: slide.target(self.size), step: slide.step.opposite() }.into())
    }

    #[inline]
    fn key(&self, state: &L::State) -> L::Key {
        L::key(state)
    }

    #[inline]
    fn state(&self, key: &L::Key) -> L::State {
        L::unpack(key)
    }

    #[inline]
    fn is_goal(&self, state: &L::State) -> bool {
        *state == self.goal
    }

    /// Orders boards by their tiles, row by row.
    fn compare_keys(&self, a: &L::Key, b: &L::Key) -> Ordering {
        let (a, b) = (L::unpack(a), L::unpack(b));
        let number = |state: &L::State, cell| match L::tile(state, cell) {
            0 if self.blank_is_last => Tile::MAX,
            tile => tile,
        };
        let cells = 0..self.size.cells() as Cell;
        cells
            .map(|cell| number(&a, cell).cmp(&number(&b, cell)))
            .find(|o| o.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    fn costs(&self) -> RangeInclusive<Cost> {
        let of_tiles = || self.costs.iter().copied();
        of_tiles().min().unwrap_or(1)..=of_tiles().max().unwrap_or(1)
    }

    #[inline]
    fn heap_bytes(&self, key: &L::Key) -> usize {
        L::heap_bytes(key)
    }
}

impl<L: Layout> Reversible for Tiles<L> {
    fn goal(&self) -> L::State {
        self.goal.clone()
    }
}
