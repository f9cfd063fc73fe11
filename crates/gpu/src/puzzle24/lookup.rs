//! The tables for tiles and cells, and boards as the kernels have them.
//!
//! The kernels name tiles after their goal cells: any goal with the blank in the same cell is the
//! same to them. The patterns depend on that cell.

use taquin_tiles::{Board, Cell, Move, Slide};

/// The sides of a board.
const SIDE: usize = 5;
const CELLS: usize = SIDE * SIDE;

/// The cells around the centre: blocks of four, and pairs between them. Going round, a block follows a
/// pair and a pair follows a block.
const BLOCKS: [[u8; 4]; 4] = [[0, 1, 5, 6], [3, 4, 8, 9], [15, 16, 20, 21], [18, 19, 23, 24]];
const PAIRS: [[u8; 2]; 4] = [[2, 7], [13, 14], [10, 11], [17, 22]];
const CENTRE: u8 = 12;

/// The block and the pair of each mirrored pattern. In a plain pattern, both have the pattern's own
/// number.
const PARTS: [[usize; 2]; 4] = [[0, 2], [2, 3], [1, 0], [3, 1]];

/// Four plain patterns, then four mirrored ones, with their tiles in the order of the fields.
pub(super) type Patterns = [[u8; 6]; 8];

/// The patterns for goals with the blank in this cell: each has a block and one of the two pairs next to
/// it. The part that the blank is in has the tile of the centre instead. With the blank in a corner, the
/// mirrored patterns are the mirror images of the plain ones.
#[doc(hidden)]
pub fn patterns(blank: usize) -> [[u8; 6]; 8] {
    let with_centre = |cells: &[u8]| -> Vec<u8> {
        let mut tiles = cells.to_vec();
        tiles.retain(|&cell| usize::from(cell) != blank);
        if tiles.len() < cells.len() {
            tiles.push(CENTRE);
        }
        tiles
    };
    std::array::from_fn(|table| {
        let [block, pair] = if table < 4 { [table, table] } else { PARTS[table - 4] };
        let tiles = [with_centre(&BLOCKS[block]), with_centre(&PAIRS[pair])].concat();
        std::array::from_fn(|field| tiles[field])
    })
}

/// The moves of the blank in the numbering of the kernels; move 3 - m is the inverse of m.
const MOVES: [Move; 4] = [Move::Up, Move::Left, Move::Right, Move::Down];
pub(super) const STEPS: [isize; 4] = [-5, -1, 1, 5];

/// `Lookup` of board24.cuh.
pub(super) fn lookup(patterns: &Patterns) -> Vec<u32> {
    let mut words = vec![0; 32 + 64];
    for (plain, pattern) in patterns[..4].iter().enumerate() {
        for (field, &tile) in pattern.iter().enumerate() {
            let is_low = field < 4;
            let mirrored = (0..4)
                .find(|&mirrored| patterns[4 + mirrored][field] == tile)
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
pub(super) fn goal_words(patterns: &Patterns) -> [u32; 4] {
    let word = |pattern: &[u8; 6]| {
        pattern
            .iter()
            .enumerate()
            .fold(0, |word, (field, &tile)| word | u32::from(tile) << (5 * field))
    };
    [word(&patterns[0]), word(&patterns[1]), word(&patterns[2]), word(&patterns[3])]
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
    pub(super) fn places(self) -> TileCells {
        // There is no tile of the goal cell of the blank: it is never away from it.
        let mut places = std::array::from_fn(|tile| tile);
        for cell in (0..CELLS).filter(|&cell| cell != self.blank()) {
            let tile = self.0[cell / SIDE] >> (2 + 5 * (cell % SIDE)) & 31;
            places[tile as usize] = cell;
        }
        TileCells(places)
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
pub(super) struct TileCells([usize; CELLS]);

impl TileCells {
    /// The sum of the distances of the tiles.
    pub(super) fn manhattan(&self) -> u32 {
        let distance = |tile: usize| {
            let cell = self.0[tile];
            (cell / SIDE).abs_diff(tile / SIDE) + (cell % SIDE).abs_diff(tile % SIDE)
        };
        (0..CELLS).map(distance).sum::<usize>() as u32
    }

    /// The index of the board in the table of a pattern.
    pub(super) fn index(&self, pattern: [u8; 6]) -> usize {
        let fields = pattern.iter().enumerate();
        fields.fold(0, |index, (field, &tile)| index | self.0[usize::from(tile)] << (5 * field))
    }
}

/// How the boards of a puzzle become boards of the kernels.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The goal cell of each tile, and of the blank, which is tile 0.
    homes: Vec<Cell>,
}

impl Frame {
    /// Returns `None` if the kernels do not fit the puzzle.
    pub(super) fn new(start: &Board, goal: &Board) -> Option<Self> {
        let size = goal.size();
        let is_fit = |board: &Board| board.size() == size && board.blanks().count() == 1;
        let fits = (size.rows(), size.cols()) == (SIDE, SIDE) && is_fit(start) && is_fit(goal);
        fits.then(|| Self { homes: goal.positions() })
    }

    /// The cell of the blank in the goal.
    pub(super) fn blank(&self) -> usize {
        usize::from(self.homes[0])
    }

    pub(super) fn item(&self, board: &Board) -> Item {
        let mut words = [0; 6];
        for (cell, &tile) in board.tiles().iter().enumerate() {
            match tile {
                0 => words[5] = cell as u32,
                _ => {
                    let home = u32::from(self.homes[usize::from(tile)]);
                    words[cell / SIDE] |= home << (2 + 5 * (cell % SIDE));
                }
            }
        }
        Item(words)
    }

    /// The slides of moves of the kernels.
    pub(super) fn slides(start: &Board, moves: &[u8]) -> Vec<Slide> {
        let mut blank = start.blanks().next().map_or(0, usize::from);
        let slide = |&step: &u8| {
            let slide = Slide { blank: blank as Cell, step: MOVES[usize::from(step)] };
            blank = blank.wrapping_add_signed(STEPS[usize::from(step)]);
            slide
        };
        moves.iter().map(slide).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taquin_search::Random;
    use taquin_tiles::{NamedGoal, replay, scramble};

    fn goal_with_blank(cell: usize) -> Board {
        let mut tiles: Vec<u16> = (1..CELLS as u16).rev().collect();
        tiles.insert(cell, 0);
        Board::new("5x5".parse().unwrap(), tiles).unwrap()
    }

    #[test]
    fn both_sides_are_partitions_with_fields_in_the_same_places() {
        for blank in 0..CELLS {
            let patterns = patterns(blank);
            for side in [&patterns[..4], &patterns[4..]] {
                let mut tiles: Vec<u8> = side.concat();
                tiles.sort_unstable();
                let all = (0..CELLS as u8).filter(|&tile| usize::from(tile) != blank);
                assert_eq!(tiles, all.collect::<Vec<_>>(), "{blank}");
            }
            for (mirrored, [low, high]) in PARTS.into_iter().enumerate() {
                assert_eq!(patterns[4 + mirrored][..4], patterns[low][..4]);
                assert_eq!(patterns[4 + mirrored][4..], patterns[high][4..]);
            }
            let words = lookup(&patterns);
            let has_word = |tile: usize| words[tile] != 0;
            assert!((0..CELLS).all(|tile| has_word(tile) == (tile != blank)), "{blank}");
        }
    }

    #[test]
    fn a_goal_is_the_goal_of_the_kernels() {
        for blank in 0..CELLS {
            let goal = goal_with_blank(blank);
            let frame = Frame::new(&goal, &goal).unwrap();
            let item = frame.item(&goal);
            assert_eq!((frame.blank(), item.blank()), (blank, blank));
            assert_eq!(item.places().manhattan(), 0);
            let patterns = patterns(blank);
            let words = goal_words(&patterns);
            for (pattern, word) in patterns.iter().zip(words) {
                assert_eq!(item.places().index(*pattern), word as usize);
            }
        }
        let small = NamedGoal::First.board("4x5".parse().unwrap(), 1);
        assert!(Frame::new(&small, &small).is_none());
    }

    #[test]
    fn moves_and_boards_go_together() {
        let mut random = Random::new(3);
        for blank in (0..CELLS).chain([0; 75]) {
            let goal = goal_with_blank(blank);
            let start = scramble::uniform(&goal, &mut random);
            let frame = Frame::new(&start, &goal).unwrap();
            let item = frame.item(&start);
            let distance = item.places().manhattan();
            for step in (0..4).filter(|step| moves(item.blank()) >> step & 1 == 1) {
                let board = replay(&start, &Frame::slides(&start, &[step as u8])).unwrap();
                let child = frame.item(&board);
                assert_eq!(child.before(step as u8), item);
                assert_eq!(child.places().manhattan().abs_diff(distance), 1);
            }
        }
    }
}
