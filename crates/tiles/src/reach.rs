//! Reachability of a goal, with a proof.
//!
//! **One blank, at least two rows and two columns.** Start and goal define a permutation of the
//! tiles and the blank. A move swaps the blank with a neighbour: one transposition and one step of
//! the blank. If the goal is reachable, the permutation and the taxicab distance between the
//! blank's two cells therefore have the same parity. The converse holds too (Johnson and Story,
//! 1879; a short proof by Archer, 1999): half of all boards are reachable. On 2x2, a ring of three
//! tiles, the two halves are the two orders around the ring.
//!
//! **The same by inversions**, as courses teach it. Read both boards row by row without the blank,
//! and count the pairs of tiles whose order differs from the goal. A horizontal move changes
//! nothing, and a vertical move takes a tile past `cols - 1` others. With an odd number of columns
//! the parity of the count therefore never changes, and the count must be even. With an even number
//! each vertical move changes the parity, so the count plus the blank's row must have the parity of
//! the blank's row in the goal. This holds for every goal. For `1 2 3 .. 0`, whose blank is in the
//! first row from the bottom, it is the textbook rule.
//!
//! **Several blanks, at least two rows and two columns.** Let one blank move and treat the others
//! as tiles. If the parity is wrong, swap two blanks, which changes the parity and not the board.
//! So every board reaches every other.
//!
//! **A single row or column.** No tile passes another, and blanks can be anywhere: boards with the
//! same order of the tiles are reachable.

use serde::Serialize;

use crate::board::{Board, Puzzle};
use crate::size::{Cell, Tile};

/// Whether a goal is reachable, with a proof, and with a repair if it is not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Reachability {
    /// Whether it is reachable.
    pub reachable: bool,
    /// The facts that decide it.
    pub proof: Proof,
    /// The change that makes it reachable, if it is not.
    pub repair: Option<Repair>,
}

/// The facts that decide whether a goal is reachable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Proof {
    /// One blank, at least two rows and columns: two parities must be equal.
    Parity(ParityProof),
    /// Several blanks, at least two rows and columns: always reachable.
    Blanks {
        /// The number of blanks.
        blanks: usize,
    },
    /// A single row or column: the tiles keep their order.
    Line {
        /// The first place where the orders differ, if they do.
        difference: Option<Difference>,
    },
}

/// The permutation from start to goal and the blank's distance, which must have the same parity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ParityProof {
    /// The permutation's cycles without fixed points: the goal cell of each tile (or the blank, 0)
    /// is the start cell of the next one in its cycle.
    pub cycles: Vec<Vec<Tile>>,
    /// The number of cells with the same content in start and goal.
    pub fixed: usize,
    /// The least number of swaps between two cells from start to goal: the number of cells minus
    /// cycles, with fixed points counted as cycles.
    pub exchanges: usize,
    /// The parity of the swaps.
    pub permutation: Parity,
    /// The blank's cell in the start.
    pub blank: Cell,
    /// The blank's cell in the goal.
    pub blank_goal: Cell,
    /// The taxicab distance between these cells.
    pub distance: usize,
    /// The same result by inversions.
    pub inversions: Inversions,
}

/// The inversion rule: reachable if and only if the sum has the wanted parity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Inversions {
    /// The number of pairs of tiles whose order differs from the goal.
    pub total: u64,
    /// The blank's row in the start, counted from the bottom from 1.
    pub row: usize,
    /// The blank's row in the goal.
    pub goal_row: usize,
    /// Whether the rows count: only if the number of columns is even.
    pub row_counts: bool,
    /// The total, plus the blank's row if it counts.
    pub sum: u64,
    /// Even, or if the row counts, the parity of the blank's row in the goal.
    pub wanted: Parity,
}

taquin_search::named_enum! {
    /// Even or odd.
    #[allow(missing_docs, reason = "the names say it")]
    pub enum Parity: "parity" {
        Even = "even",
        Odd = "odd",
    }
}

impl Parity {
    /// Returns the parity of a number.
    pub const fn of(number: u64) -> Self {
        if number.is_multiple_of(2) { Self::Even } else { Self::Odd }
    }
}

/// The first difference between two orders of tiles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The place in the order without blanks, counted from 0.
    pub place: usize,
    /// The tile that the start has there.
    pub start: Tile,
    /// The tile that the goal has there.
    pub goal: Tile,
}

/// A change of the start that makes the goal reachable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Repair {
    /// Swap two tiles.
    Swap {
        /// The tiles.
        tiles: [Tile; 2],
        /// Their cells in the start.
        cells: [Cell; 2],
    },
    /// Put a line's tiles into this order; no single swap is enough.
    Order {
        /// The tiles of the goal without blanks.
        tiles: Vec<Tile>,
    },
}

/// One row of an inversion table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InversionRow {
    /// The tile.
    pub tile: Tile,
    /// The tiles after it in the start and before it in the goal, in the order of the start.
    pub precedes: Vec<Tile>,
}

/// Returns whether the goal is reachable, in time linear in the number of cells.
pub fn is_reachable(puzzle: &Puzzle) -> bool {
    match Rule::of(puzzle) {
        Rule::Line => order(puzzle.start()).eq(order(puzzle.goal())),
        Rule::Blanks(_) => true,
        Rule::Parity => {
            let [start, goal] = blank_cells(puzzle);
            let distance = puzzle.size().distance(start, goal);
            exchanges(&cycles(puzzle)) % 2 == distance % 2
        }
    }
}

/// Returns whether the goal is reachable, with a proof, and with a repair if it is not.
///
/// ```
/// use taquin_tiles::{Board, NamedGoal, Parity, Proof, Puzzle, Repair, is_reachable, reachability};
///
/// let start: Board = "2 1 3/4 5 6/7 8 0".parse()?;
/// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
/// let answer = reachability(&puzzle);
/// assert!(!answer.reachable && !is_reachable(&puzzle));
/// let Proof::Parity(proof) = answer.proof else { unreachable!() };
/// assert_eq!((proof.permutation, Parity::of(proof.distance as u64)), (Parity::Odd, Parity::Even));
/// assert_eq!(answer.repair, Some(Repair::Swap { tiles: [7, 8], cells: [6, 7] }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reachability(puzzle: &Puzzle) -> Reachability {
    match Rule::of(puzzle) {
        Rule::Line => by_order(puzzle),
        Rule::Blanks(blanks) => {
            Reachability { reachable: true, proof: Proof::Blanks { blanks }, repair: None }
        }
        Rule::Parity => by_parity(puzzle),
    }
}

/// Returns the start's inversions, tile by tile in the start's order, without blanks.
///
/// All rows together may have half the square of the number of tiles, so they are computed lazily.
///
/// ```
/// use taquin_tiles::{Board, NamedGoal, Puzzle, inversion_table};
///
/// let start: Board = "3 1 2/4 5 0".parse()?;
/// let puzzle = Puzzle::new(start.clone(), NamedGoal::Last.board(start.size(), 1))?;
/// assert_eq!(inversion_table(&puzzle).next().unwrap().precedes, [1, 2]); // tile 3
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inversion_table(puzzle: &Puzzle) -> impl Iterator<Item = InversionRow> + use<> {
    let tiles: Vec<Tile> = order(puzzle.start()).collect();
    let ranks = ranks(puzzle);
    (0..tiles.len()).map(move |first| {
        let wrong = |&later: &usize| ranks[later] < ranks[first];
        let precedes = (first + 1..tiles.len()).filter(wrong).map(|later| tiles[later]).collect();
        InversionRow { tile: tiles[first], precedes }
    })
}

/// The theorem that applies.
enum Rule {
    Line,
    Blanks(usize),
    Parity,
}

impl Rule {
    fn of(puzzle: &Puzzle) -> Self {
        match puzzle.start().blanks().count() {
            _ if puzzle.size().is_line() => Self::Line,
            1 => Self::Parity,
            blanks => Self::Blanks(blanks),
        }
    }
}

fn by_order(puzzle: &Puzzle) -> Reachability {
    let start: Vec<Tile> = order(puzzle.start()).collect();
    let goal: Vec<Tile> = order(puzzle.goal()).collect();
    let differ: Vec<usize> =
        (0..start.len()).filter(|&place| start[place] != goal[place]).collect();
    let difference = differ.first().map(|&place| {
        let (start, goal) = (start[place], goal[place]);
        Difference { place, start, goal }
    });
    let repair = match differ[..] {
        [] => None,
        // The same tiles fill both places in both orders, so they are swapped.
        [a, b] => Some(swap(&puzzle.start().positions(), [start[a], start[b]])),
        _ => Some(Repair::Order { tiles: goal }),
    };
    Reachability { reachable: repair.is_none(), proof: Proof::Line { difference }, repair }
}

fn by_parity(puzzle: &Puzzle) -> Reachability {
    let size = puzzle.size();
    let cycles = cycles(puzzle);
    let exchanges = exchanges(&cycles);
    let fixed = size.cells() - cycles.iter().map(Vec::len).sum::<usize>();
    let permutation = Parity::of(exchanges as u64);
    let [blank, blank_goal] = blank_cells(puzzle);
    let distance = size.distance(blank, blank_goal);

    let total = inversions(ranks(puzzle).into_iter(), size.cells());
    let [row, goal_row] = [blank, blank_goal].map(|cell| size.rows() - size.row(cell));
    let row_counts = size.cols().is_multiple_of(2);
    let (sum, wanted) = if row_counts {
        (total + row as u64, Parity::of(goal_row as u64))
    } else {
        (total, Parity::Even)
    };
    let inversions = Inversions { total, row, goal_row, row_counts, sum, wanted };

    let reachable = permutation == Parity::of(distance as u64);
    let repair = if reachable { None } else { nearest_swap(puzzle) };
    let proof = ParityProof {
        cycles,
        fixed,
        exchanges,
        permutation,
        blank,
        blank_goal,
        distance,
        inversions,
    };
    Reachability { reachable, proof: Proof::Parity(proof), repair }
}

/// Returns a swap between two consecutive goal tiles that are as near as possible in the start: any
/// swap changes the parity, and this is a small one.
fn nearest_swap(puzzle: &Puzzle) -> Option<Repair> {
    let goal: Vec<Tile> = order(puzzle.goal()).collect();
    let cells = puzzle.start().positions();
    let cell = |tile: Tile| cells[usize::from(tile)];
    let pairs = goal.windows(2).rev().map(|pair| [pair[0], pair[1]]);
    let pair = pairs.min_by_key(|&[a, b]| puzzle.size().distance(cell(a), cell(b)));
    pair.map(|pair| swap(&cells, pair))
}

fn swap(cells: &[Cell], tiles: [Tile; 2]) -> Repair {
    Repair::Swap { tiles, cells: tiles.map(|tile| cells[usize::from(tile)]) }
}

/// Returns the tiles row by row, without blanks.
fn order(board: &Board) -> impl Iterator<Item = Tile> {
    board.tiles().iter().copied().filter(|&tile| tile != 0)
}

/// Returns the place of each start tile, in order, in the goal's order.
fn ranks(puzzle: &Puzzle) -> Vec<Tile> {
    let mut rank_of = vec![0; puzzle.size().cells()];
    for (tile, rank) in order(puzzle.goal()).zip(0..) {
        rank_of[usize::from(tile)] = rank;
    }
    order(puzzle.start()).map(|tile| rank_of[usize::from(tile)]).collect()
}

/// Returns the cell of the only blank in the start and in the goal.
fn blank_cells(puzzle: &Puzzle) -> [Cell; 2] {
    [puzzle.start(), puzzle.goal()].map(|board| board.positions()[0])
}

/// Returns the cycles of the permutation from start to goal, without fixed points.
fn cycles(puzzle: &Puzzle) -> Vec<Vec<Tile>> {
    let start = puzzle.start().tiles();
    let goal = puzzle.goal().positions();
    let next = |tile: Tile| start[usize::from(goal[usize::from(tile)])];
    let mut seen = vec![false; start.len()];
    let mut cycles = Vec::new();
    for first in 0..start.len() as Tile {
        let mut cycle = Vec::new();
        let mut tile = first;
        while next(first) != first && !seen[usize::from(tile)] {
            seen[usize::from(tile)] = true;
            cycle.push(tile);
            tile = next(tile);
        }
        if !cycle.is_empty() {
            cycles.push(cycle);
        }
    }
    cycles
}

/// Returns the number of swaps: a cycle with n elements takes n - 1.
fn exchanges(cycles: &[Vec<Tile>]) -> usize {
    cycles.iter().map(|cycle| cycle.len() - 1).sum()
}

/// Returns how many pairs of ranks below `end` are in the wrong order.
pub(crate) fn inversions(ranks: impl DoubleEndedIterator<Item = Tile>, end: usize) -> u64 {
    // A tree of partial sums (Fenwick, 1994) over the later ranks: there are two billion pairs on
    // the largest board.
    let mut later = vec![0; end + 1];
    let mut total = 0;
    for rank in ranks.rev() {
        let mut node = usize::from(rank);
        while node > 0 {
            total += later[node];
            node &= node - 1;
        }
        node = usize::from(rank) + 1;
        while node < later.len() {
            later[node] += 1;
            node += node & node.wrapping_neg();
        }
    }
    total
}
