//! Walking distance: the moves up and down as if tiles of one goal row were all alike, and as if a
//! blank could reach any tile in the next row at once; and the same for columns.
//!
//! Of a board this leaves how many tiles of each goal row stand in each row. A move takes one tile to
//! the next row, if there is a blank. All such states are found once, breadth-first from the goal,
//! with what every move makes of them. The distances of rows and of columns are added, since a move
//! is either up or down or sideways. (The idea is Ken'ichiro Takahashi's.)

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use taquin_search::{Cost, Heuristic, Incremental};
use taquin_tiles::packed::{Layout, Tiles};
use taquin_tiles::{Board, Cell, Move, Size, Slide, Tile};

/// The walking distance to a goal.
///
/// It counts moves, and is a lower bound wherever each costs at least one.
#[derive(Clone, Debug)]
pub struct Walking {
    size: Size,
    rows: Arc<Walk>,
    cols: Arc<Walk>,
    /// For each tile the row and the column of its goal.
    homes: Vec<(u16, u16)>,
}

/// A walking distance that would take too large a table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "walking distance on a {size} board takes a table of more than {states} states: use pattern databases or linear conflicts"
)]
pub struct WalkingError {
    /// The size of the board.
    pub size: Size,
    /// The most states allowed.
    pub states: usize,
}

impl Walking {
    /// A sensible limit: some hundred megabytes at most.
    pub const STATES: usize = 2_000_000;

    /// The walking distance to a goal, with tables of at most `states` states each.
    ///
    /// # Errors
    /// Fails if one of the tables would be larger.
    pub fn new(goal: &Board, states: usize) -> Result<Self, WalkingError> {
        let size = goal.size();
        let error = WalkingError { size, states };
        let mut row_blanks = vec![0; size.rows()];
        let mut col_blanks = vec![0; size.cols()];
        for blank in goal.blanks() {
            row_blanks[size.row(blank)] += 1;
            col_blanks[size.col(blank)] += 1;
        }
        let rows =
            Arc::new(Walk::new(size.cols(), &row_blanks, states).ok_or_else(|| error.clone())?);
        let cols = match size.rows() == size.cols() && row_blanks == col_blanks {
            true => Arc::clone(&rows),
            false => Arc::new(Walk::new(size.rows(), &col_blanks, states).ok_or(error)?),
        };
        let home = |cell: &Cell| (size.row(*cell) as u16, size.col(*cell) as u16);
        Ok(Self { size, rows, cols, homes: goal.positions().iter().map(home).collect() })
    }

    /// The number of states of the tables of the rows and of the columns.
    pub fn states(&self) -> (usize, usize) {
        (self.rows.distances.len(), self.cols.distances.len())
    }

    /// The memory of the tables in bytes.
    pub fn bytes(&self) -> u64 {
        let of = |walk: &Walk| size_of_val(&*walk.distances) + size_of_val(&*walk.moves);
        (of(&self.rows) + of(&self.cols)) as u64
    }

    fn place(&self, tile_at: impl Fn(Cell) -> Tile) -> [u32; 2] {
        let (mut rows, mut cols) = (0, 0);
        for cell in 0..self.size.cells() as Cell {
            let tile = tile_at(cell);
            if tile > 0 {
                let (home_row, home_col) = self.homes[usize::from(tile)];
                rows += self.rows.form.unit(self.size.row(cell), home_row.into());
                cols += self.cols.form.unit(self.size.col(cell), home_col.into());
            }
        }
        [self.rows.index(rows), self.cols.index(cols)]
    }
}

impl<L: Layout> Heuristic<Tiles<L>> for Walking {
    fn estimate(&self, state: &L::State) -> Cost {
        <Self as Incremental<Tiles<L>>>::value(self, self.place(|cell| L::tile(state, cell)))
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Walking {
    /// The states of the rows and of the columns.
    type Memo = [u32; 2];

    fn memo(&self, state: &L::State) -> [u32; 2] {
        self.place(|cell| L::tile(state, cell))
    }

    #[inline]
    fn step(&self, [rows, cols]: [u32; 2], state: &L::State, action: L::Action) -> [u32; 2] {
        let slide: Slide = action.into();
        let tile = L::tile(state, slide.blank);
        // A blank that stepped onto a blank changed nothing.
        if tile == 0 {
            return [rows, cols];
        }
        let (home_row, home_col) = self.homes[usize::from(tile)];
        let (from, to) = (slide.target(self.size), slide.blank);
        match slide.step {
            Move::Up | Move::Down => {
                [self.rows.next(rows, self.size.row(from), self.size.row(to), home_row), cols]
            }
            Move::Left | Move::Right => {
                [rows, self.cols.next(cols, self.size.col(from), self.size.col(to), home_col)]
            }
        }
    }

    #[inline]
    fn value(&self, [rows, cols]: [u32; 2]) -> Cost {
        self.rows.distance(rows) + self.cols.distance(cols)
    }
}

/// The states of the lines of a board in one direction.
#[derive(Debug)]
struct Walk {
    form: Form,
    indices: FxHashMap<u128, u32>,
    distances: Vec<Cost>,
    /// For each state and each move's [slot](Form::slot), the state that it leads to.
    moves: Vec<u32>,
}

/// No state: where there is no move, and for states that can't reach the goal.
const NONE: u32 = u32::MAX;

impl Walk {
    /// The walk for lines of `length` cells of which the goal leaves some blank, unless it has more
    /// than `states` states.
    fn new(length: usize, blanks: &[usize], states: usize) -> Option<Self> {
        let lines = blanks.len();
        let width = (length + 1).next_power_of_two().ilog2() as usize;
        if lines * lines * width > u128::BITS as usize || states >= NONE as usize {
            return None;
        }
        let tiles: Vec<usize> = blanks.iter().map(|blanks| length - blanks).collect();
        // Counting the arrangements takes no time compared to finding them. Only on a board of one
        // line can most of them not be reached.
        if length > 1 && count_states(&tiles, length, states) > states {
            return None;
        }
        let form = Form { lines, width, single: blanks.iter().sum::<usize>() == 1 };
        let goal = (0..lines).map(|line| form.unit(line, line) * tiles[line] as u128).sum();
        let mut found = vec![goal];
        let mut indices = FxHashMap::from_iter([(goal, 0)]);
        let mut distances = vec![0];
        let mut moves = Vec::new();
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            moves.resize((at + 1) * form.slots(), NONE);
            let count =
                |line: usize| (0..lines).map(|home| form.count(state, line, home)).sum::<usize>();
            let full: Vec<bool> = (0..lines).map(|line| count(line) == length).collect();
            for (from, to) in (1..lines).flat_map(|line| [(line - 1, line), (line, line - 1)]) {
                for home in
                    (0..lines).filter(|&home| !full[to] && form.count(state, from, home) > 0)
                {
                    let next = state - form.unit(from, home) + form.unit(to, home);
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
                    moves[at * form.slots() + form.slot(from, to, home)] = index;
                }
            }
            at += 1;
        }
        Some(Self { form, indices, distances, moves })
    }

    /// The number of a state.
    fn index(&self, state: u128) -> u32 {
        self.indices.get(&state).copied().unwrap_or(NONE)
    }

    /// The state after a tile of a home has gone from one line to the next.
    #[inline]
    fn next(&self, state: u32, from: usize, to: usize, home: u16) -> u32 {
        let at = state as usize * self.form.slots() + self.form.slot(from, to, home.into());
        self.moves.get(at).copied().unwrap_or(NONE)
    }

    /// The distance of a state.
    #[inline]
    fn distance(&self, state: u32) -> Cost {
        self.distances.get(state as usize).copied().unwrap_or(0)
    }
}

/// The number of ways to put so many tiles of each home into as many lines of some length, or some
/// number above `most`.
fn count_states(tiles: &[usize], length: usize, most: usize) -> usize {
    /// Puts the tiles of the first home, of which `left` are left, into the lines from `line` on.
    fn count(tiles: &[usize], left: usize, room: &mut [usize], line: usize, most: usize) -> usize {
        if line == room.len() {
            return match tiles[1..].first() {
                Some(&next) => count(&tiles[1..], next, room, 0, most),
                None => 1,
            };
        }
        // At least what the lines after it have no room for.
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

/// How states and moves are numbered. A state has, for each line and each home, a field of bits that
/// says how many tiles of that home stand in the line.
#[derive(Clone, Copy, Debug)]
struct Form {
    lines: usize,
    /// The bits of a field.
    width: usize,
    /// Whether there is one blank alone.
    single: bool,
}

impl Form {
    /// One tile of a home in a line.
    const fn unit(self, line: usize, home: usize) -> u128 {
        1 << ((line * self.lines + home) * self.width)
    }

    /// The tiles of a home in a line.
    const fn count(self, state: u128, line: usize, home: usize) -> usize {
        (state >> ((line * self.lines + home) * self.width)) as usize & ((1 << self.width) - 1)
    }

    /// The number of slots for moves.
    const fn slots(self) -> usize {
        2 * self.lines * if self.single { 1 } else { self.lines }
    }

    /// The slot of a move: by its direction, the tile's home and the line it goes to. A single blank
    /// is in one line, and all lines share the slots.
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
            let states = Walk::new(length, &blanks, 1 << 20).unwrap().distances.len();
            let tiles: Vec<usize> = blanks.iter().map(|blanks| length - blanks).collect();
            assert_eq!(count_states(&tiles, length, usize::MAX), states);
            assert!(Walk::new(length, &blanks, states).is_some());
            assert!(Walk::new(length, &blanks, states - 1).is_none());
        }
        // A single line keeps the order of its tiles: one state for each place of the blank.
        assert_eq!(Walk::new(1, &[0, 0, 1, 0, 0], 5).unwrap().distances.len(), 5);
        assert!(Walk::new(1, &[0, 0, 1, 0, 0], 4).is_none());
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
