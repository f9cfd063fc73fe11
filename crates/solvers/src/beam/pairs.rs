//! The score of adjacent contents, beyond their separate scores.
//!
//! Adjacent tiles get a learned correction: two tiles that have to pass each other cost extra
//! moves, passing a tile at home costs some, two tiles heading the same way save some, and so does
//! a blank on a tile's way home. The weights were fitted so that boards on a beam search's path
//! score better than the other boards that it keeps at the same depth. `cargo xtask learn` repeats
//! the fit. Boards of any size use these weights. With them a beam of 4,000 boards finds paths of
//! 302 moves on average on random 7x7 boards, and without them of 326.

/// The greatest distance from home, in each dimension, that is distinguished.
const MAX_OFFSET: i32 = 2;
const SIDE: usize = 2 * MAX_OFFSET as usize + 1;

/// The index of distance 0.
const AT_HOME: usize = MAX_OFFSET as usize;

/// A blank's kind. Lower kinds belong to tiles, by the direction of their home.
pub const BLANK: usize = SIDE * SIDE;

/// The kind of the outside.
pub(super) const OUTSIDE: usize = BLANK + 1;

/// The number of kinds on a board.
pub const KINDS: usize = BLANK + 1;

/// Returns the kind of a tile whose home is `down` and `right` from its cell.
#[inline]
pub(super) fn kind(down: i32, right: i32) -> usize {
    let index = |offset: i32| (offset.clamp(-MAX_OFFSET, MAX_OFFSET) + MAX_OFFSET) as usize;
    index(down) * SIDE + index(right)
}

/// Returns the kind with down and right exchanged.
pub(super) const fn turned(kind: usize) -> usize {
    if kind == BLANK { BLANK } else { kind % SIDE * SIDE + kind / SIDE }
}

/// Returns whether a tile is in its row (for a step up or down) or in its column (for others).
#[inline]
pub(super) const fn is_on_line<const STEP: usize>(kind: usize) -> bool {
    let on_line = const {
        let mut kinds = 0_u32;
        let mut offset = 0;
        while offset < SIDE {
            let kind = if matches!(STEP, 0 | 3) {
                offset + AT_HOME * SIDE
            } else {
                offset * SIDE + AT_HOME
            };
            kinds |= 1 << kind;
            offset += 1;
        }
        kinds
    };
    on_line >> kind & 1 == 1
}

/// The scores for pairs of kinds, by the move from one cell to the other.
pub(super) struct PairScores {
    pub(super) scores: [[i8; 32 * 32]; 4],
    pub(super) farther: [[i8; 32]; 4],
}

impl PairScores {
    pub(super) fn new(PairWeights { across, .. }: &PairWeights) -> Box<Self> {
        let mut pairs = Box::new(Self { scores: [[0; 32 * 32]; 4], farther: [[1; 32]; 4] });
        // Up, left, right, down.
        for kind in 0..=BLANK {
            for other in 0..=BLANK {
                let at = kind << 5 | other;
                pairs.scores[0][at] = across[turned(other)][turned(kind)];
                pairs.scores[1][at] = across[other][kind];
                pairs.scores[2][at] = across[kind][other];
                pairs.scores[3][at] = across[turned(kind)][turned(other)];
            }
        }
        for kind in 0..BLANK {
            let (down, right) =
                ((kind / SIDE) as i32 - MAX_OFFSET, (kind % SIDE) as i32 - MAX_OFFSET);
            for (step, offset) in [down, right, -right, -down].into_iter().enumerate() {
                pairs.farther[step][kind] = if offset > 0 { -1 } else { 1 };
            }
        }
        pairs
    }

    /// Returns the score for the contents of two cells, the second a step from the first.
    #[inline]
    pub(super) fn score(&self, step: usize, kind: usize, other: usize) -> i32 {
        self.scores[step & 3][(kind << 5 | other) & 1023].into()
    }

    /// Returns the change of a tile's distance from home when the blank moves a step onto its cell.
    #[inline]
    pub(super) fn farther(&self, step: usize, kind: usize) -> i32 {
        self.farther[step & 3][kind & 31].into()
    }
}

/// The learned weights, in quarters of a move.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PairWeights {
    /// For each pair of tiles in the line where both belong that have to pass each other.
    pub crossing: i32,
    /// For two contents side by side, by the kinds of the left and the right one.
    pub across: [[i8; KINDS]; KINDS],
}

/// The weights in use.
#[rustfmt::skip]
pub const LEARNED: PairWeights = PairWeights { crossing: 11, across: [
    [-7, -2, -1, -1, 0, -7, -3, -2, -1, -1, 0, -2, -1, -1, 0, -5, -2, -2, -2, -3, -5, -2, -2, -4, -3, -8],
    [-4, -1, 0, -1, -1, -3, -2, 0, 0, -1, 3, -1, -1, 0, -1, -2, -2, -1, -1, -2, -3, -1, -3, -3, -4, -8],
    [-2, 0, 2, 0, -1, -1, -3, 2, 1, 0, 5, -1, 0, 0, -2, 0, 0, 0, -1, -1, 0, 1, -2, -3, -2, -8],
    [-1, 0, 0, -1, -2, 1, 1, 4, 3, 0, 8, 3, 6, 3, 0, 3, 3, 2, 0, -1, 2, 3, 1, -1, -2, -7],
    [-2, -1, -2, -4, -7, 1, 2, 2, 2, -4, 9, 5, 5, 3, -3, 2, 2, 2, 0, -4, 1, 2, 0, -3, -5, -13],
    [-4, 0, 0, -1, -1, -4, -3, -2, 0, 1, -1, -2, -2, -2, -1, -4, -3, -1, -2, 0, -4, -1, -1, -2, -3, -8],
    [2, 3, 1, 0, -1, 3, 0, 0, 1, 0, 4, -3, 0, 0, -1, -1, 0, -1, 0, -2, 0, 0, -1, -1, -2, -6],
    [2, 4, 2, 0, -2, 6, 0, 5, 0, -2, 8, 0, 0, 0, -2, 2, 2, 0, -1, -1, 2, 2, 0, -1, -2, -6],
    [2, 1, -3, -2, -3, 5, 0, 0, 0, -3, 10, 4, 8, 0, -3, 4, 3, 2, 0, -3, 2, 3, 0, -2, -2, -7],
    [1, 1, -1, -3, -7, 6, 5, 6, 3, -4, 13, 10, 10, 3, -4, 6, 4, 2, -1, -4, 2, 3, 0, -2, -5, -10],
    [-3, 0, -2, -1, 0, -4, -3, -2, -1, -1, -3, -3, -2, -1, -1, -4, -3, -2, -1, -1, -3, 0, -2, -1, 0, -8],
    [3, 3, 0, 0, -1, 3, 0, 0, 0, -2, 5, -3, 0, 0, -1, 3, 0, 0, 0, -2, 3, 3, 0, 0, -1, -6],
    [5, 6, 0, -1, -1, 10, 8, 0, 0, -2, 7, 0, -1, 0, -2, 10, 8, 0, 0, -2, 5, 6, 0, -1, -1, -5],
    [5, 3, -1, -1, -2, 10, 4, 0, -3, -2, 10, 18, 0, -3, -3, 10, 4, 0, -3, -2, 5, 3, -1, -1, -2, -8],
    [9, 8, 5, 3, 0, 13, 10, 8, 4, -1, 14, 10, 7, 5, -3, 13, 10, 8, 4, -1, 9, 8, 5, 3, 0, -5],
    [-4, -1, -1, -2, -3, -4, -3, -1, -2, 0, -1, -2, -2, -2, -1, -4, -3, -2, 0, 1, -4, 0, 0, -1, -1, -8],
    [0, 0, -1, -1, -2, -1, 0, -1, 0, -2, 4, -3, 0, 0, -1, 3, 0, 0, 1, 0, 2, 3, 1, 0, -1, -6],
    [2, 2, 0, -1, -2, 2, 2, 0, -1, -1, 8, 0, 0, 0, -2, 6, 0, 5, 0, -2, 2, 4, 2, 0, -2, -6],
    [2, 3, 0, -2, -2, 4, 3, 2, 0, -3, 10, 4, 8, 0, -3, 5, 0, 0, 0, -3, 2, 1, -3, -2, -3, -7],
    [2, 3, 0, -2, -5, 6, 4, 2, -1, -4, 13, 10, 10, 3, -4, 6, 5, 6, 3, -4, 1, 1, -1, -3, -7, -10],
    [-5, -2, -2, -4, -3, -5, -2, -2, -2, -3, 0, -2, -1, -1, 0, -7, -3, -2, -1, -1, -7, -2, -1, -1, 0, -8],
    [-3, -1, -3, -3, -4, -2, -2, -1, -1, -2, 3, -1, -1, 0, -1, -3, -2, 0, 0, -1, -4, -1, 0, -1, -1, -8],
    [0, 1, -2, -3, -2, 0, 0, 0, -1, -1, 5, -1, 0, 0, -2, -1, -3, 2, 1, 0, -2, 0, 2, 0, -1, -8],
    [2, 3, 1, -1, -2, 3, 3, 2, 0, -1, 8, 3, 6, 3, 0, 1, 1, 4, 3, 0, -1, 0, 0, -1, -2, -7],
    [1, 2, 0, -3, -5, 2, 2, 2, 0, -4, 9, 5, 5, 3, -3, 1, 2, 2, 2, -4, -2, -1, -2, -4, -7, -13],
    [-13, -7, -8, -8, -8, -10, -7, -6, -6, -8, -5, -8, -5, -6, -8, -10, -7, -6, -6, -8, -13, -7, -8, -8, -8, 0],
] };
