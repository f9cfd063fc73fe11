//! Walking distance: the vertical moves if tiles from the same goal row were indistinguishable and
//! a blank could reach any tile in the next row directly, plus the same for columns.
//!
//! A board's state is then the number of tiles from each goal row in each row. A move takes one
//! tile to the next row, if that row has a blank. All states and their successors are found once,
//! breadth-first from the goal. The distances for rows and columns are added, because a move is
//! either vertical or horizontal. (The idea is Ken'ichiro Takahashi's.)
//!
//! If a segment slides as one, a move takes one tile from each of several lines to the next. If the
//! table would be too large, the tiles that have to cross a border between two lines are counted
//! instead: a move takes at most one across each border.

use std::collections::hash_map::Entry;
use std::convert::Infallible;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use taquin_search::{Cost, Heuristic, Incremental};
use taquin_tiles::packed::{Layout, Segment, Segments, Tiles};
use taquin_tiles::{Board, Cell, Move, Size, Slide, Tile};

/// The walking distance to a goal.
///
/// It counts moves, and is a lower bound if each costs at least one.
///
/// ```
/// use taquin_search::Heuristic;
/// use taquin_tables::Walking;
/// use taquin_tiles::packed::{Layout, Nibbles, Tiles};
/// use taquin_tiles::{Board, NamedGoal};
///
/// let walking = Walking::new(&NamedGoal::Last.board("3x3".parse()?, 1), Walking::STATES)?;
/// assert_eq!(walking.states(), (105, 105)); // for rows, and for columns
/// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// let estimate = Heuristic::<Tiles<Nibbles>>::estimate(&walking, &Nibbles::state(board.tiles()));
/// assert_eq!(estimate, 25); // of 31 moves
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Walking {
    size: Size,
    rows: Arc<Walk>,
    cols: Arc<Walk>,
    /// The goal row and column of each tile.
    homes: Vec<(u16, u16)>,
}

/// The table of the walking distance would be too large.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("walking distance on a {size} board takes a table of more than {states} states")]
pub struct WalkingError {
    /// The size of the board.
    pub size: Size,
    /// The greatest number of states allowed.
    pub states: usize,
}

impl Walking {
    /// A sensible limit: at most some hundred megabytes.
    pub const STATES: usize = 2_000_000;

    /// Computes the walking distance to a goal, with at most `states` states for each table.
    ///
    /// # Errors
    /// Fails if one of the tables would be larger.
    pub fn new(goal: &Board, states: usize) -> Result<Self, WalkingError> {
        let table = |length, blanks: &[usize]| {
            let table = WalkTable::new(length, blanks, states);
            table.map(Walk::Table).ok_or(WalkingError { size: goal.size(), states })
        };
        Self::with(goal, table)
    }

    /// Computes the walking distance in moves that slide a whole segment. Instead of a table of more
    /// than `states` states, it counts crossings.
    ///
    /// ```
    /// use taquin_search::Heuristic;
    /// use taquin_tables::Walking;
    /// use taquin_tiles::packed::{Layout, Nibbles, Segments};
    /// use taquin_tiles::{Board, NamedGoal};
    ///
    /// let walking = Walking::of_segments(&NamedGoal::Last.board("3x3".parse()?, 1), 1000);
    /// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
    /// let state = Nibbles::state(board.tiles());
    /// let estimate = Heuristic::<Segments<Nibbles>>::estimate(&walking, &state);
    /// assert_eq!(estimate, 13); // of 20 moves
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_segments(goal: &Board, states: usize) -> Self {
        let table = |length, blanks: &[usize]| {
            let table = WalkTable::new(length, blanks, states);
            let walk = |mut table: WalkTable| {
                table.count_segments(length);
                Walk::Table(table)
            };
            Ok::<_, Infallible>(table.map_or(Walk::Crossings(blanks.len()), walk))
        };
        let Ok(this) = Self::with(goal, table);
        this
    }

    /// Makes the tables of lines of a length, with the number of blanks of each line.
    fn with<E>(
        goal: &Board,
        table: impl Fn(usize, &[usize]) -> Result<Walk, E>,
    ) -> Result<Self, E> {
        let size = goal.size();
        let mut row_blanks = vec![0; size.rows()];
        let mut col_blanks = vec![0; size.cols()];
        for blank in goal.blanks() {
            row_blanks[size.row(blank)] += 1;
            col_blanks[size.col(blank)] += 1;
        }
        let rows = Arc::new(table(size.cols(), &row_blanks)?);
        let cols = match size.rows() == size.cols() && row_blanks == col_blanks {
            true => Arc::clone(&rows),
            false => Arc::new(table(size.rows(), &col_blanks)?),
        };
        let home = |cell: &Cell| (size.row(*cell) as u16, size.col(*cell) as u16);
        Ok(Self { size, rows, cols, homes: goal.positions().iter().map(home).collect() })
    }

    /// Returns the number of states in the tables for rows and for columns.
    pub fn states(&self) -> (usize, usize) {
        let of = |walk: &Walk| walk.table().map_or(0, |table| table.distances.len());
        (of(&self.rows), of(&self.cols))
    }

    /// The tables of the rows and of the columns, if both have one.
    pub fn tables(&self) -> Option<[&WalkTable; 2]> {
        Some([self.rows.table()?, self.cols.table()?])
    }

    /// The memory of the tables in bytes.
    pub fn bytes(&self) -> u64 {
        let of = |walk: &Walk| {
            let bytes =
                |walk: &WalkTable| size_of_val(&*walk.distances) + size_of_val(&*walk.moves);
            walk.table().map_or(0, bytes)
        };
        (of(&self.rows) + of(&self.cols)) as u64
    }

    /// The states of the rows and of the columns: where they have no table, the estimate itself.
    fn place(&self, tile_at: impl Fn(Cell) -> Tile) -> [u32; 2] {
        [false, true].map(|of_cols| {
            let size = self.size;
            let places = (0..size.cells() as Cell).filter_map(|cell| {
                let (home_row, home_col) = match tile_at(cell) {
                    0 => return None,
                    tile => self.homes[usize::from(tile)],
                };
                Some(match of_cols {
                    true => (size.col(cell), usize::from(home_col)),
                    false => (size.row(cell), usize::from(home_row)),
                })
            });
            if of_cols { self.cols.place(places) } else { self.rows.place(places) }
        })
    }

    /// Returns the states after one tile has moved; further tiles may have moved behind it.
    #[inline]
    fn moved<L: Layout>(&self, [rows, cols]: [u32; 2], state: &L::State, slide: Slide) -> [u32; 2] {
        let tile = L::tile(state, slide.blank);
        // A blank that moved onto a blank changed nothing.
        if tile == 0 {
            return [rows, cols];
        }
        let (home_row, home_col) = self.homes[usize::from(tile)];
        let (from, to) = (slide.target(self.size), slide.blank);
        let is_vertical = matches!(slide.step, Move::Up | Move::Down);
        match (is_vertical, &*self.rows, &*self.cols) {
            (true, Walk::Table(table), _) => {
                [table.next(rows, self.size.row(from), self.size.row(to), home_row), cols]
            }
            (false, _, Walk::Table(table)) => {
                [rows, table.next(cols, self.size.col(from), self.size.col(to), home_col)]
            }
            _ => self.place(|cell| L::tile(state, cell)),
        }
    }

    #[inline]
    fn sum(&self, [rows, cols]: [u32; 2]) -> Cost {
        self.rows.distance(rows) + self.cols.distance(cols)
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for Walking {
    fn estimate(&self, state: &L::State) -> Cost {
        self.sum(self.place(|cell| L::tile(state, cell)))
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Walking {
    /// The states for rows and for columns.
    type Memo = [u32; 2];

    fn memo(&self, state: &L::State) -> [u32; 2] {
        self.place(|cell| L::tile(state, cell))
    }

    #[inline]
    fn step(&self, memo: [u32; 2], state: &L::State, action: L::Action) -> [u32; 2] {
        self.moved::<L>(memo, state, action.into())
    }

    #[inline]
    fn value(&self, memo: [u32; 2]) -> Cost {
        self.sum(memo)
    }
}

impl<L: Layout> Heuristic<Segments<L>> for Walking {
    fn estimate(&self, state: &L::State) -> Cost {
        Heuristic::<Tiles<L>>::estimate(self, state)
    }
}

impl<L: Layout> Incremental<Segments<L>> for Walking {
    type Memo = [u32; 2];

    fn memo(&self, state: &L::State) -> [u32; 2] {
        Incremental::<Tiles<L>>::memo(self, state)
    }

    fn step(&self, memo: [u32; 2], state: &L::State, action: Segment) -> [u32; 2] {
        // The tile that a step moved is where the blank was before it, after the later steps too.
        action.slides(self.size).fold(memo, |memo, slide| self.moved::<L>(memo, state, slide))
    }

    fn value(&self, memo: [u32; 2]) -> Cost {
        self.sum(memo)
    }
}

/// The estimate of the rows or of the columns.
#[derive(Debug)]
enum Walk {
    Table(WalkTable),
    /// Counts the tiles that have to cross a border between two lines, for this number of lines.
    Crossings(usize),
}

impl Walk {
    const fn table(&self) -> Option<&WalkTable> {
        match self {
            Self::Table(table) => Some(table),
            Self::Crossings(_) => None,
        }
    }

    /// Returns the state of tiles, each with its line and its goal line.
    fn place(&self, places: impl Iterator<Item = (usize, usize)>) -> u32 {
        match self {
            Self::Table(table) => {
                table.index(places.map(|(line, home)| table.layout.unit(line, home)).sum())
            }
            Self::Crossings(lines) => {
                let mut changes = vec![0; *lines];
                for (line, home) in places {
                    changes[line.min(home)] += 1;
                    changes[line.max(home)] -= 1;
                }
                let crossings = changes.into_iter().scan(0, |sum: &mut i32, change| {
                    *sum += change;
                    Some(*sum)
                });
                crossings.max().unwrap_or(0) as u32
            }
        }
    }

    #[inline]
    fn distance(&self, state: u32) -> Cost {
        match self {
            Self::Table(table) => table.distance(state),
            Self::Crossings(_) => state,
        }
    }
}

/// A board's states for rows or for columns.
#[derive(Debug)]
pub struct WalkTable {
    layout: StateLayout,
    indices: FxHashMap<u128, u32>,
    distances: Vec<Cost>,
    /// The successor of each state for each [slot](StateLayout::slot).
    moves: Vec<u32>,
}

/// No state: there is no such move, or the state cannot reach the goal.
const NONE: u32 = u32::MAX;

impl WalkTable {
    /// Creates the table for lines of `length` cells with `blanks` in the goal, unless it has more
    /// than `states` states.
    fn new(length: usize, blanks: &[usize], states: usize) -> Option<Self> {
        let lines = blanks.len();
        let width = (length + 1).next_power_of_two().ilog2() as usize;
        if lines * lines * width > u128::BITS as usize || states >= NONE as usize {
            return None;
        }
        let tiles: Vec<usize> = blanks.iter().map(|blanks| length - blanks).collect();
        // Counting the states takes no time compared with finding them. Most are unreachable only
        // on a board with one line.
        if length > 1 && count_states(&tiles, length, states) > states {
            return None;
        }
        let layout = StateLayout { lines, width, single: blanks.iter().sum::<usize>() == 1 };
        let goal = (0..lines).map(|line| layout.unit(line, line) * tiles[line] as u128).sum();
        let mut found = vec![goal];
        let mut indices = FxHashMap::from_iter([(goal, 0)]);
        let mut distances = vec![0];
        let mut moves = Vec::new();
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            moves.resize((at + 1) * layout.slots(), NONE);
            let count =
                |line: usize| (0..lines).map(|home| layout.count(state, line, home)).sum::<usize>();
            let full: Vec<bool> = (0..lines).map(|line| count(line) == length).collect();
            for (from, to) in (1..lines).flat_map(|line| [(line - 1, line), (line, line - 1)]) {
                for home in
                    (0..lines).filter(|&home| !full[to] && layout.count(state, from, home) > 0)
                {
                    let next = state - layout.unit(from, home) + layout.unit(to, home);
                    let index = match indices.entry(next) {
                        Entry::Occupied(known) => *known.get(),
                        Entry::Vacant(_) if found.len() == states => return None,
                        Entry::Vacant(vacant) => {
                            let index = *vacant.insert(found.len() as u32);
                            found.push(next);
                            distances.push(distances[at] + 1);
                            index
                        }
                    };
                    moves[at * layout.slots() + layout.slot(from, to, home)] = index;
                }
            }
            at += 1;
        }
        Some(Self { layout, indices, distances, moves })
    }

    /// Counts the distances in whole segments: a move takes a tile from each of several lines.
    fn count_segments(&mut self, length: usize) {
        let lines = self.layout.lines;
        let mut states = vec![0; self.distances.len()];
        for (&state, &index) in &self.indices {
            states[index as usize] = state;
        }
        self.distances.fill(Cost::MAX);
        self.distances[0] = 0;
        // A tile of line `from` moved to the line before or after it: whether that was looked at.
        let mut is_seen = vec![false; states.len() * lines * 2];
        let (mut layer, mut depth) = (vec![0u32], 0);
        while !layer.is_empty() {
            depth += 1;
            let mut sliding = Vec::new();
            for &at in &layer {
                let count = |line| -> usize {
                    (0..lines).map(|home| self.layout.count(states[at as usize], line, home)).sum()
                };
                let with_blank = (0..lines).filter(|&line| count(line) < length);
                sliding.extend(with_blank.flat_map(|to| [(at, to, false), (at, to, true)]));
            }
            layer.clear();
            while let Some((at, to, is_up)) = sliding.pop() {
                let from = if is_up { to.checked_sub(1) } else { Some(to + 1) };
                let Some(from) = from.filter(|&from| from < lines) else { continue };
                for home in 0..lines {
                    let next = self.next(at, from, to, home as u16);
                    if next == NONE {
                        continue;
                    }
                    let seen =
                        &mut is_seen[(next as usize * lines + from) * 2 + usize::from(is_up)];
                    if !std::mem::replace(seen, true) {
                        sliding.push((next, from, is_up));
                    }
                    let distance = &mut self.distances[next as usize];
                    if *distance == Cost::MAX {
                        *distance = depth;
                        layer.push(next);
                    }
                }
            }
        }
    }

    /// Returns the index of a state.
    fn index(&self, state: u128) -> u32 {
        self.indices.get(&state).copied().unwrap_or(NONE)
    }

    /// Returns the state after a tile of the line `home` has moved from one line to the next.
    #[inline]
    pub fn next(&self, state: u32, from: usize, to: usize, home: u16) -> u32 {
        let at = state as usize * self.layout.slots() + self.layout.slot(from, to, home.into());
        self.moves.get(at).copied().unwrap_or(NONE)
    }

    /// Returns the distance of a state.
    #[inline]
    pub fn distance(&self, state: u32) -> Cost {
        self.distances.get(state as usize).copied().unwrap_or(0)
    }
}

/// Counts the ways to distribute each line's tiles over all lines of `length` cells. Stops at some
/// number above `most`.
fn count_states(tiles: &[usize], length: usize, most: usize) -> usize {
    /// Distributes the `left` remaining tiles of the first line over the lines from `line` on.
    fn count(tiles: &[usize], left: usize, room: &mut [usize], line: usize, most: usize) -> usize {
        if line == room.len() {
            return match tiles[1..].first() {
                Some(&next) => count(&tiles[1..], next, room, 0, most),
                None => 1,
            };
        }
        // At least the tiles for which the lines after it have no room.
        let least = left.saturating_sub(room[line + 1..].iter().sum());
        let mut sum = 0;
        for here in least..=left.min(room[line]) {
            room[line] -= here;
            sum += count(tiles, left - here, room, line + 1, most - sum);
            room[line] += here;
            if sum > most {
                break;
            }
        }
        sum
    }
    count(tiles, tiles[0], &mut vec![length; tiles.len()], 0, most)
}

/// Numbers states and moves. A state has a bit field for each line and each goal line: how many
/// tiles from that goal line the line holds.
#[derive(Clone, Copy, Debug)]
struct StateLayout {
    lines: usize,
    /// The bits of a field.
    width: usize,
    /// Whether there is only one blank.
    single: bool,
}

impl StateLayout {
    /// Returns the state of a single tile.
    const fn unit(self, line: usize, home: usize) -> u128 {
        1 << ((line * self.lines + home) * self.width)
    }

    /// Returns how many tiles from a goal line a line holds.
    const fn count(self, state: u128, line: usize, home: usize) -> usize {
        (state >> ((line * self.lines + home) * self.width)) as usize & ((1 << self.width) - 1)
    }

    /// Returns the number of slots for moves.
    const fn slots(self) -> usize {
        2 * self.lines * if self.single { 1 } else { self.lines }
    }

    /// Returns the slot of a move: by its direction, the tile's goal line and the line it enters. A
    /// single blank is in one line, so all lines share the slots.
    #[inline]
    const fn slot(self, from: usize, to: usize, home: usize) -> usize {
        let direction = (if self.single { 0 } else { 2 * to }) + (from < to) as usize;
        direction * self.lines + home
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_counted_without_finding_them() {
        for (length, blanks) in
            [(4, vec![0, 0, 0, 1]), (3, vec![1, 1, 0]), (2, vec![2, 0, 1]), (5, vec![3, 0])]
        {
            let states = WalkTable::new(length, &blanks, 1 << 20).unwrap().distances.len();
            let tiles: Vec<usize> = blanks.iter().map(|blanks| length - blanks).collect();
            assert_eq!(count_states(&tiles, length, usize::MAX), states);
            assert!(WalkTable::new(length, &blanks, states).is_some());
            assert!(WalkTable::new(length, &blanks, states - 1).is_none());
        }
        // A single line keeps its tiles' order: one state for each place of the blank.
        assert_eq!(WalkTable::new(1, &[0, 0, 1, 0, 0], 5).unwrap().distances.len(), 5);
        assert!(WalkTable::new(1, &[0, 0, 1, 0, 0], 4).is_none());
    }

    #[test]
    fn large_boards_are_refused_at_once() {
        for side in [5, 6, 7, 40] {
            let goal = taquin_tiles::NamedGoal::Last.board(Size::new(side, side).unwrap(), 1);
            let error = Walking::new(&goal, Walking::STATES).unwrap_err();
            assert_eq!(error, WalkingError { size: goal.size(), states: Walking::STATES });
        }
    }
}
