//! What two tiles beside each other are worth, beyond what each is worth alone.
//!
//! Two tiles that want to pass each other cost moves, one that wants to pass a tile at home costs some,
//! and two that go the same way help each other, as does a blank that a tile wants to go to. How much
//! was learned, as `learn` does it again: of the boards that a beam search keeps at one depth, one is on
//! the way that it finds in the end, and the numbers here tell that one from the others best. They serve
//! on boards of every size. With them a beam of 4,000 boards finds ways of 302 moves on average on random
//! 7x7 boards, without them of 326.

/// How far away a tile's home is, up or down and left or right: farther than this is all the same.
const FAR: i32 = 2;
const SIDE: usize = 2 * FAR as usize + 1;

/// The place of no way at all.
const AT_HOME: usize = FAR as usize;

/// The kinds of a cell's content: a tile by the way to its home, a blank, and what is outside.
pub(super) const BLANK: usize = SIDE * SIDE;
pub(super) const OUTSIDE: usize = BLANK + 1;

/// The kinds of what is on a board.
pub(super) const KINDS: usize = BLANK + 1;

/// The kind of a tile whose home is so far down and so far to the right.
#[inline]
pub(super) fn kind(down: i32, right: i32) -> usize {
    let place = |way: i32| (way.clamp(-FAR, FAR) + FAR) as usize;
    place(down) * SIDE + place(right)
}

/// The kind with down and right exchanged.
pub(super) const fn turned(kind: usize) -> usize {
    if kind == BLANK { BLANK } else { kind % SIDE * SIDE + kind / SIDE }
}

/// Whether a tile is in its row, for a step up or down, or in its column.
#[inline]
pub(super) const fn is_on_line<const STEP: usize>(kind: usize) -> bool {
    let on_line = const {
        let mut kinds = 0_u32;
        let mut way = 0;
        while way < SIDE {
            let kind =
                if matches!(STEP, 0 | 3) { way + AT_HOME * SIDE } else { way * SIDE + AT_HOME };
            kinds |= 1 << kind;
            way += 1;
        }
        kinds
    };
    on_line >> kind & 1 == 1
}

/// What is known of kinds, by the move from one cell to the other.
pub(super) struct Pairs {
    worths: [[i8; 32 * 32]; 4],
    farther: [[i8; 32]; 4],
}

impl Pairs {
    pub(super) fn new(Learned { across, .. }: &Learned) -> Box<Self> {
        let mut pairs = Box::new(Self { worths: [[0; 32 * 32]; 4], farther: [[1; 32]; 4] });
        // Up, left, right, down.
        for kind in 0..=BLANK {
            for other in 0..=BLANK {
                let at = kind << 5 | other;
                pairs.worths[0][at] = across[turned(other)][turned(kind)];
                pairs.worths[1][at] = across[other][kind];
                pairs.worths[2][at] = across[kind][other];
                pairs.worths[3][at] = across[turned(kind)][turned(other)];
            }
        }
        for kind in 0..BLANK {
            let (down, right) = ((kind / SIDE) as i32 - FAR, (kind % SIDE) as i32 - FAR);
            for (step, way) in [down, right, -right, -down].into_iter().enumerate() {
                pairs.farther[step][kind] = if way > 0 { -1 } else { 1 };
            }
        }
        pairs
    }

    /// What a cell's content and that of the cell a step away are worth together.
    #[inline]
    pub(super) fn worth(&self, step: usize, kind: usize, other: usize) -> i32 {
        self.worths[step & 3][(kind << 5 | other) & 1023].into()
    }

    /// By how much farther from its home a tile gets that gives way to a blank which goes a step.
    #[inline]
    pub(super) fn farther(&self, step: usize, kind: usize) -> i32 {
        self.farther[step & 3][kind & 31].into()
    }
}

/// What was learned, in quarters of a move.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Learned {
    /// Two tiles on the line where both belong that have to pass each other.
    pub(super) crossing: i32,
    /// Two contents side by side, by the kind of the left one and of the right one.
    pub(super) across: [[i8; KINDS]; KINDS],
}

#[rustfmt::skip]
pub(super) const LEARNED: Learned = Learned { crossing: 11, across: [
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
