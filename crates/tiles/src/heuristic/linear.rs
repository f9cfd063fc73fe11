//! Linear conflict: tiles on their goal line that block each other.
//!
//! The tiles that never leave their line keep their order, so they must be in goal order already.
//! The others leave the line and return: two moves that the Manhattan distance does not count. The
//! minimum is to keep the heaviest subsequence in goal order; counting conflicting pairs would be
//! too much or too little.

use std::collections::BTreeMap;

use taquin_search::{Cost, Heuristic, Incremental};

use crate::board::{Board, Puzzle};
use crate::cost::Costs;
use crate::heuristic::{Additive, Measure};
use crate::packed::{Layout, Wide};
use crate::size::{Cell, Size, Tile};
use crate::space::Tiles;
use crate::step::{Move, Slide};

/// Manhattan distance plus linear conflicts.
///
/// ```
/// use taquin_search::Heuristic;
/// use taquin_tiles::packed::{Layout, Nibbles, Tiles};
/// use taquin_tiles::{Board, Costs, Linear, NamedGoal, Puzzle};
///
/// let start: Board = "3 2 1/4 5 6/7 8 0".parse()?;
/// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
/// let linear = Linear::new(&puzzle, &Costs::Unit);
/// assert_eq!(Heuristic::<Tiles<Nibbles>>::estimate(&linear, &Nibbles::state(start.tiles())), 8);
/// assert_eq!((linear.conflicts(&start).len(), linear.conflicts(&start)[0].excess), (1, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Linear {
    manhattan: Additive,
    size: Size,
    homes: Vec<Cell>,
    weights: Vec<Cost>,
}

/// A line with a conflict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Whether the line is a column.
    pub is_column: bool,
    /// Its number, from 0.
    pub line: usize,
    /// The tiles on this line that must pass another one to get to their places, in their current
    /// order.
    pub tiles: Vec<Tile>,
    /// The move costs for the tiles that have to leave it and return.
    pub excess: Cost,
}

/// A row or a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BoardLine {
    Row(usize),
    Column(usize),
}

/// Lines up to this length are solved in an array.
const SHORT_LINE: usize = 16;

impl Linear {
    /// Creates the heuristic for a puzzle's goal.
    pub fn new(puzzle: &Puzzle, costs: &Costs) -> Self {
        Self {
            manhattan: Additive::new(Measure::Manhattan, puzzle, costs),
            size: puzzle.size(),
            homes: puzzle.goal().positions(),
            weights: costs.of_tiles(puzzle.size().cells()),
        }
    }

    /// Returns the lines of a board with a conflict.
    pub fn conflicts(&self, board: &Board) -> Vec<Conflict> {
        let state = Wide::state(board.tiles());
        let tile_at = |cell| Wide::tile(&state, cell);
        let conflict = |line: BoardLine| {
            let excess = self.excess(line, tile_at);
            let at_home: Vec<(Tile, usize)> = self.tiles_at_home(line, tile_at).collect();
            let has_to_pass = |at: usize| {
                let place = at_home[at].1;
                at_home[..at].iter().any(|&(_, before)| before > place)
                    || at_home[at..].iter().any(|&(_, after)| after < place)
            };
            let places = (0..at_home.len()).filter(|&at| has_to_pass(at));
            let tiles = places.map(|at| at_home[at].0).collect();
            let (is_column, line) = match line {
                BoardLine::Row(row) => (false, row),
                BoardLine::Column(col) => (true, col),
            };
            (excess > 0).then_some(Conflict { is_column, line, tiles, excess: clamp(excess) })
        };
        self.lines().filter_map(conflict).collect()
    }

    fn lines(&self) -> impl Iterator<Item = BoardLine> {
        (0..self.size.rows())
            .map(BoardLine::Row)
            .chain((0..self.size.cols()).map(BoardLine::Column))
    }

    /// Returns the first cell of a line, the distance between its cells, and their number.
    #[inline]
    const fn cells(&self, line: BoardLine) -> (usize, usize, usize) {
        let size = self.size;
        match line {
            BoardLine::Row(row) => (row * size.cols(), 1, size.cols()),
            BoardLine::Column(col) => (col, size.cols(), size.rows()),
        }
    }

    /// Returns the tiles on a line that belong there, each with its place in the goal.
    #[inline]
    fn tiles_at_home(
        &self,
        line: BoardLine,
        tile_at: impl Fn(Cell) -> Tile,
    ) -> impl Iterator<Item = (Tile, usize)> {
        let (first, step, length) = self.cells(line);
        (0..length).filter_map(move |at| {
            let tile = tile_at((first + at * step) as Cell);
            let place = self.home_on(tile, line)?;
            Some((tile, place))
        })
    }

    /// Returns the place of a tile on its goal line, if this is the line.
    #[inline]
    fn home_on(&self, tile: Tile, line: BoardLine) -> Option<usize> {
        let home = self.homes[usize::from(tile)];
        let (row, col) = (self.size.row(home), self.size.col(home));
        let place = match line {
            BoardLine::Row(line) => (row == line).then_some(col),
            BoardLine::Column(line) => (col == line).then_some(row),
        };
        place.filter(|_| tile != 0)
    }

    /// Returns twice the least weight of tiles that have to leave a line.
    #[inline]
    fn excess(&self, line: BoardLine, tile_at: impl Fn(Cell) -> Tile) -> u64 {
        let (first, step, length) = self.cells(line);
        let weight = |tile: Tile| u64::from(self.weights[usize::from(tile)]);
        if length > SHORT_LINE {
            let tiles = self.tiles_at_home(line, tile_at);
            return 2 * least_long(tiles.map(|(tile, place)| (place, weight(tile))));
        }
        // A loop is faster than an iterator where code is compiled to be small.
        let mut tiles = ShortLine::default();
        for at in 0..length {
            let tile = tile_at((first + at * step) as Cell);
            if let Some(place) = self.home_on(tile, line) {
                tiles.add(place, weight(tile));
            }
        }
        2 * tiles.least()
    }
}

/// The tiles of a short line that belong there.
#[derive(Default)]
struct ShortLine {
    /// The place of each, and the weight of the heaviest increasing subsequence that ends there.
    seen: [(usize, u64); SHORT_LINE],
    count: usize,
    total: u64,
    heaviest: u64,
}

impl ShortLine {
    #[inline]
    fn add(&mut self, place: usize, weight: u64) {
        let mut here = 0;
        for &(other, heaviest) in &self.seen[..self.count] {
            if other < place && heaviest > here {
                here = heaviest;
            }
        }
        here += weight;
        self.seen[self.count] = (place, here);
        self.count += 1;
        self.total += weight;
        self.heaviest = self.heaviest.max(here);
    }

    /// Returns the least weight to remove so that the places increase.
    #[inline]
    const fn least(&self) -> u64 {
        self.total - self.heaviest
    }
}

/// Returns the least weight to remove from a sequence of any length so that its places increase.
fn least_long(tiles: impl Iterator<Item = (usize, u64)>) -> u64 {
    // By place, the heaviest increasing subsequence that ends there or before; weights increase.
    let mut ends: BTreeMap<usize, u64> = BTreeMap::new();
    let mut total = 0;
    for (place, weight) in tiles {
        total += weight;
        let here = weight + ends.range(..place).next_back().map_or(0, |(_, &weight)| weight);
        while let Some((&other, _)) =
            ends.range(place..).next().filter(|(_, other)| **other <= here)
        {
            ends.remove(&other);
        }
        ends.insert(place, here);
    }
    total - ends.last_key_value().map_or(0, |(_, &weight)| weight)
}

fn clamp(sum: u64) -> Cost {
    sum.min(Cost::MAX.into()) as Cost
}

impl<L: Layout> Heuristic<Tiles<L>> for Linear {
    fn estimate(&self, state: &L::State) -> Cost {
        clamp(<Self as Incremental<Tiles<L>>>::memo(self, state))
    }
}

impl<L: Layout> Incremental<Tiles<L>> for Linear {
    type Memo = u64;

    fn memo(&self, state: &L::State) -> u64 {
        let excess = |line| self.excess(line, |cell| L::tile(state, cell));
        let manhattan = <Additive as Incremental<Tiles<L>>>::memo(&self.manhattan, state);
        manhattan + self.lines().map(excess).sum::<u64>()
    }

    #[inline]
    fn step(&self, sum: u64, state: &L::State, action: L::Action) -> u64 {
        let slide: Slide = action.into();
        let (from, to) = (slide.target(self.size), slide.blank);
        let tile = L::tile(state, to);
        let sum = <Additive as Incremental<Tiles<L>>>::step(&self.manhattan, sum, state, action);
        // A tile passes no other along its line. Of the two lines that it leaves and enters, only
        // its goal line can change.
        let line = |cell| match slide.step {
            Move::Up | Move::Down => BoardLine::Row(self.size.row(cell)),
            Move::Left | Move::Right => BoardLine::Column(self.size.col(cell)),
        };
        let Some(line) =
            [line(from), line(to)].into_iter().find(|&line| self.home_on(tile, line).is_some())
        else {
            return sum;
        };
        let before = |cell| match cell {
            _ if cell == from => tile,
            _ if cell == to => 0,
            _ => L::tile(state, cell),
        };
        sum + self.excess(line, |cell| L::tile(state, cell)) - self.excess(line, before)
    }

    #[inline]
    fn value(&self, sum: u64) -> Cost {
        clamp(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_search::Random;

    #[test]
    fn both_ways_of_removing_agree_with_trying_everything() {
        let mut random = Random::new(2);
        for _ in 0..2_000 {
            let length = random.below(9);
            let mut places: Vec<usize> = (0..length).collect();
            random.shuffle(&mut places);
            let tiles: Vec<(usize, u64)> =
                places.into_iter().map(|place| (place, 1 + random.below(5) as u64)).collect();
            let total: u64 = tiles.iter().map(|tile| tile.1).sum();
            let kept =
                |set: usize| tiles.iter().enumerate().filter(move |(at, _)| set >> at & 1 != 0);
            let best = (0..1 << length)
                .filter(|&set| kept(set).map(|(_, tile)| tile.0).is_sorted())
                .map(|set| total - kept(set).map(|(_, tile)| tile.1).sum::<u64>())
                .min();
            let mut line = ShortLine::default();
            for &(place, weight) in &tiles {
                line.add(place, weight);
            }
            assert_eq!(Some(line.least()), best);
            assert_eq!(Some(least_long(tiles.iter().copied())), best);
        }
    }
}
