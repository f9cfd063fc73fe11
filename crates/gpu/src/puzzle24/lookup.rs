//! The tables for tiles and cells, and boards as the kernels have them.
//!
//! The kernels know one goal: the blank in the first cell, and tile n in cell n. A goal with the blank
//! in another corner is flipped, and tiles are named after their goal cells.

use taquin_tiles::{Board, Cell, Move, Slide};

/// The sides of a board.
const SIDE: usize = 5;
const CELLS: usize = SIDE * SIDE;

/// The patterns, plain and mirrored, with their tiles in the order of the fields: a mirrored pattern
/// has the first four tiles of one plain pattern and the last two of another.
pub(super) const PATTERNS: [[u8; 6]; 8] = [
    [1, 5, 6, 12, 2, 7],
    [3, 4, 8, 9, 13, 14],
    [15, 16, 20, 21, 10, 11],
    [18, 19, 23, 24, 17, 22],
    [1, 5, 6, 12, 10, 11],
    [15, 16, 20, 21, 17, 22],
    [3, 4, 8, 9, 2, 7],
    [18, 19, 23, 24, 13, 14],
];

/// The plain patterns with the first four and with the last two tiles of each mirrored pattern.
const PARTS: [[usize; 2]; 4] = [[0, 2], [2, 3], [1, 0], [3, 1]];

/// The moves of the blank in the numbering of the kernels; move 3 - m is the inverse of m.
const MOVES: [Move; 4] = [Move::Up, Move::Left, Move::Right, Move::Down];
pub(super) const STEPS: [isize; 4] = [-5, -1, 1, 5];

/// `Lookup` of board24.cuh.
pub(super) fn lookup() -> Vec<u32> {
    let mut words = vec![0; 32 + 64];
    for (plain, pattern) in PATTERNS[..4].iter().enumerate() {
        for (field, &tile) in pattern.iter().enumerate() {
            let is_low = field < 4;
            let mirrored = (0..4)
                .find(|&mirrored| PATTERNS[4 + mirrored][field] == tile)
                .expect("each tile has the same field on both sides");
            let other = PARTS[mirrored][usize::from(is_low)];
            let word = (5 * field)
                | ((usize::from(tile) % SIDE) << 5)
                | usize::from(is_low) << 8
                | plain << 9
                | (15 + 2 * mirrored) << 11
                | other << 16
                | mirrored << 18
                | plain << 26;
            words[usize::from(tile)] = word as u32;
        }
    }
    for cell in 0..CELLS {
        let (row, col) = (cell / SIDE, cell % SIDE);
        let mut x = row << 9 | moves(cell) << 28;
        for step in (0..4).filter(|step| moves(cell) >> step & 1 == 1) {
            let next = cell.wrapping_add_signed(STEPS[step]);
            x |= (moves(next) & !(1 << (3 - step))) << (12 + 4 * step);
        }
        words[32 + 2 * cell] = x as u32;
        words[32 + 2 * cell + 1] = ((5 * col) | ((20 * row) << 8) | (col << 21)) as u32;
    }
    words
}

/// The set of the blank's moves from a cell.
pub(super) const fn moves(cell: usize) -> usize {
    let (row, col) = (cell / SIDE, cell % SIDE);
    (row > 0) as usize
        | ((col > 0) as usize) << 1
        | ((col + 1 < SIDE) as usize) << 2
        | ((row + 1 < SIDE) as usize) << 3
}

/// The pattern words of the goal.
pub(super) fn goal_words() -> [u32; 4] {
    let word = |pattern: &[u8; 6]| {
        pattern
            .iter()
            .enumerate()
            .fold(0, |word, (field, &tile)| word | u32::from(tile) << (5 * field))
    };
    [word(&PATTERNS[0]), word(&PATTERNS[1]), word(&PATTERNS[2]), word(&PATTERNS[3])]
}

/// A board of a layer: `Item` of frontier24.cu.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Item(pub(super) [u32; 6]);

impl Item {
    pub(super) const WORDS: usize = 6;

    pub(super) const fn blank(self) -> usize {
        (self.0[5] & 31) as usize
    }

    /// The cell of each tile.
    pub(super) fn places(self) -> Places {
        let mut places = [0; CELLS];
        for cell in 0..CELLS {
            let tile = self.0[cell / SIDE] >> (2 + 5 * (cell % SIDE)) & 31;
            places[tile as usize] = cell;
        }
        Places(places)
    }

    /// A move that led here, unless this is the root.
    pub(super) const fn last_move(self) -> Option<u8> {
        match self.0[5] >> 8 & 15 {
            0 => None,
            moves => Some(moves.trailing_zeros() as u8),
        }
    }

    /// The rows before a move.
    pub(super) fn before(self, last: u8) -> Self {
        let blank = self.blank();
        let from = blank.wrapping_add_signed(STEPS[3 - usize::from(last)]);
        let field = |cell: usize| 2 + 5 * (cell % SIDE);
        let mut words = self.0;
        // The tile goes back to where the blank is.
        let tile = words[from / SIDE] >> field(from) & 31;
        words[from / SIDE] ^= tile << field(from);
        words[blank / SIDE] ^= tile << field(blank);
        words[5] = from as u32;
        Self(words)
    }
}

/// The cell of each tile of a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places([usize; CELLS]);

impl Places {
    /// The sum of the distances of the tiles.
    pub(super) fn manhattan(&self) -> u32 {
        let distance = |tile: usize| {
            let cell = self.0[tile];
            (cell / SIDE).abs_diff(tile / SIDE) + (cell % SIDE).abs_diff(tile % SIDE)
        };
        (1..CELLS).map(distance).sum::<usize>() as u32
    }

    /// The index of the board in a table.
    pub(super) fn index(&self, table: usize) -> usize {
        let fields = PATTERNS[table].iter().enumerate();
        fields.fold(0, |index, (field, &tile)| index | self.0[usize::from(tile)] << (5 * field))
    }
}

/// How the boards of a puzzle become boards of the kernels.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    flip_rows: bool,
    flip_cols: bool,
    /// The flipped goal cell of each tile.
    homes: Vec<usize>,
}

impl Frame {
    /// Returns `None` if the kernels do not fit the puzzle.
    pub(super) fn new(start: &Board, goal: &Board) -> Option<Self> {
        let size = goal.size();
        let is_fit = |board: &Board| board.size() == size && board.blanks().count() == 1;
        if (size.rows(), size.cols()) != (SIDE, SIDE) || !is_fit(start) || !is_fit(goal) {
            return None;
        }
        let blank = usize::from(goal.blanks().next()?);
        let (row, col) = (blank / SIDE, blank % SIDE);
        if !matches!(row, 0 | 4) || !matches!(col, 0 | 4) {
            return None;
        }
        let mut this = Self { flip_rows: row == 4, flip_cols: col == 4, homes: vec![0; CELLS] };
        for (cell, &tile) in goal.tiles().iter().enumerate() {
            this.homes[usize::from(tile)] = this.flipped(cell);
        }
        Some(this)
    }

    const fn flipped(&self, cell: usize) -> usize {
        let (row, col) = (cell / SIDE, cell % SIDE);
        let row = if self.flip_rows { SIDE - 1 - row } else { row };
        let col = if self.flip_cols { SIDE - 1 - col } else { col };
        row * SIDE + col
    }

    pub(super) fn item(&self, board: &Board) -> Item {
        let mut words = [0; 6];
        for (cell, &tile) in board.tiles().iter().enumerate() {
            let (at, home) = (self.flipped(cell), self.homes[usize::from(tile)]);
            match tile {
                0 => words[5] = at as u32,
                _ => words[at / SIDE] |= (home as u32) << (2 + 5 * (at % SIDE)),
            }
        }
        Item(words)
    }

    /// The slides of moves of the kernels.
    pub(super) fn slides(&self, start: &Board, moves: &[u8]) -> Vec<Slide> {
        let mut blank = start.blanks().next().map_or(0, usize::from);
        let mut slides = Vec::with_capacity(moves.len());
        for &step in moves {
            let is_vertical = matches!(step, 0 | 3);
            let is_flipped = if is_vertical { self.flip_rows } else { self.flip_cols };
            let step = if is_flipped { 3 - usize::from(step) } else { usize::from(step) };
            slides.push(Slide { blank: blank as Cell, step: MOVES[step] });
            blank = blank.wrapping_add_signed(STEPS[step]);
        }
        slides
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_search::Random;
    use taquin_tiles::{NamedGoal, replay, scramble};

    #[test]
    fn fields_of_mirrored_patterns_come_from_plain_ones() {
        for (mirrored, [low, high]) in PARTS.into_iter().enumerate() {
            assert_eq!(PATTERNS[4 + mirrored][..4], PATTERNS[low][..4]);
            assert_eq!(PATTERNS[4 + mirrored][4..], PATTERNS[high][4..]);
        }
        let lookup = lookup();
        assert!(lookup[1..25].iter().all(|&word| word != 0));
    }

    #[test]
    fn a_goal_in_any_corner_is_the_goal_of_the_kernels() {
        for tiles in ["0 1 2 3 4", "24 1 2 3 0"] {
            for flip in [false, true] {
                let mut rows: Vec<String> = vec![tiles.to_owned()];
                rows.extend((1..5).map(|row| {
                    let first = row * 5;
                    (first..first + 5)
                        .map(|n| if n == 24 { 4 } else { n }.to_string())
                        .collect::<Vec<_>>()
                        .join(" ")
                }));
                if tiles.starts_with('0') {
                    rows[4] = "20 21 22 23 24".into();
                }
                if flip {
                    rows.reverse();
                }
                let goal: Board = rows.join("/").parse().unwrap();
                let frame = Frame::new(&goal, &goal).unwrap();
                let item = frame.item(&goal);
                let expected: Vec<u32> = (0..5)
                    .map(|row| (0..5).map(|col| (row * 5 + col) << (2 + 5 * col)).sum())
                    .collect();
                assert_eq!(item.0[..5], expected[..], "{goal}");
                assert_eq!((item.blank(), item.places().manhattan()), (0, 0));
            }
        }
        let snail = NamedGoal::Snail.board("5x5".parse().unwrap(), 1);
        assert!(Frame::new(&snail, &snail).is_none());
    }

    #[test]
    fn moves_and_boards_go_together() {
        let goal = NamedGoal::Last.board("5x5".parse().unwrap(), 1);
        let mut random = Random::new(3);
        for _ in 0..100 {
            let start = scramble::uniform(&goal, &mut random);
            let frame = Frame::new(&start, &goal).unwrap();
            let item = frame.item(&start);
            for step in (0..4).filter(|step| moves(item.blank()) >> step & 1 == 1) {
                let board = replay(&start, &frame.slides(&start, &[step as u8])).unwrap();
                let child = frame.item(&board);
                assert_eq!(child.before(step as u8), item);
            }
        }
    }
}
