//! The blanks' moves between two moves of pattern tiles.
//!
//! Blanks move among cells without pattern tiles at no cost, so only the number of blanks in each
//! connected region of free cells matters. For given occupied cells, such a distribution of the
//! blanks over the regions is a class. Within a region the blanks can be rearranged at will,
//! because all blanks are alike, and so are all other tiles. A pattern tile may move to an adjacent
//! free cell if the cell's region has a blank. This is exact for any number of blanks. With one
//! blank the classes are the regions.
//!
//! Classes and the moves between them depend only on the occupied cells, not on which tile is
//! where.

use std::ops::Range;

use rayon::prelude::*;
use taquin_tiles::{Move, Size};

use super::Pattern;
use crate::bits::bits;

/// The classes of every set of occupied cells, and the moves between them.
pub(crate) struct Graph {
    /// Each set's first class, and the number of classes.
    first_class: Vec<u32>,
    /// Each class's first move, and the number of moves.
    first_move: Vec<u32>,
    moves: Vec<ClassMove>,
    goal: usize,
}

/// A move into a class. Every move can be undone, so these are also the moves out of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ClassMove {
    /// The class before the move.
    pub(crate) source: u32,
    /// The index of the cell that the tile leaves among the occupied cells before the move.
    pub(crate) from: u8,
    /// The index of the cell that it enters among the occupied cells after the move.
    pub(crate) to: u8,
}

impl Graph {
    /// Creates the graph of a pattern, unless it has 2^32 classes or moves.
    pub(crate) fn new(pattern: &Pattern) -> Option<Self> {
        let (shape, ranking) = (pattern.shape(), pattern.ranking());
        let masks = CellMasks::new(shape.size());
        let blanks = shape.blanks().count_ones();
        let sets = 0..ranking.sets();
        let (spreads, first_class) = gather(sets.clone(), |set, spreads| {
            let free = masks.all & !ranking.mask(set);
            let before = spreads.len();
            masks.spread(free, blanks, 0, spreads);
            vec![spreads.len() - before]
        })?;
        let class = |set: usize, mask: u64, blanks: u64| {
            let gathered = masks.gathered(masks.all & !mask, blanks);
            let (first, end) = (first_class[set], first_class[set + 1]);
            let index =
                spreads[first as usize..end as usize].iter().position(|&spread| spread == gathered);
            first + index.expect("every distribution of the blanks has its class") as u32
        };
        let (moves, first_move) = gather(sets, |set, moves| {
            let mask = ranking.mask(set);
            let mut found = Vec::new();
            let mut untouched = Vec::new();
            for to in bits(mask) {
                for from in bits(masks.neighbours[to] & !mask) {
                    let source_mask = mask ^ 1 << to ^ 1 << from;
                    let source_set = ranking.set(source_mask);
                    let place =
                        |mask: u64, cell: usize| (mask & ((1 << cell) - 1)).count_ones() as u8;
                    let (from_place, to_place) = (place(source_mask, from), place(mask, to));
                    // One blank swaps with the tile; the others stay, in any distribution over the
                    // cells that the move does not touch.
                    untouched.clear();
                    masks.spread(masks.all & !(mask | source_mask), blanks - 1, 0, &mut untouched);
                    found.extend(untouched.iter().map(|others| {
                        let source = class(source_set, source_mask, others | 1 << to);
                        (
                            class(set, mask, others | 1 << from),
                            ClassMove { source, from: from_place, to: to_place },
                        )
                    }));
                }
            }
            found.sort_unstable();
            found.dedup();
            moves.extend(found.iter().map(|(_, class_move)| class_move));
            let classes = first_class[set]..first_class[set + 1];
            classes
                .map(|class| found.iter().filter(|(target, _)| *target == class).count())
                .collect()
        })?;
        let goal = class(ranking.set(shape.cells()), shape.cells(), shape.blanks()) as usize;
        Some(Self { first_class, first_move, moves, goal })
    }

    /// Returns the bytes that the moves take with one blank. Several blanks may need more.
    pub(crate) fn least_bytes(pattern: &Pattern) -> usize {
        let (cells, tiles) = (pattern.ranking().cells(), pattern.ranking().tiles());
        let masks = CellMasks::new(pattern.shape().size());
        let neighbours: u32 = masks.neighbours.iter().map(|mask| mask.count_ones()).sum();
        // The number of sets with a tile on one given cell and none on another.
        let sets =
            pattern.ranking().sets() * tiles * (cells - tiles) / (cells * (cells - 1)).max(1);
        neighbours as usize * sets * size_of::<ClassMove>()
    }

    /// Returns the class of the goal.
    pub(crate) const fn goal(&self) -> usize {
        self.goal
    }

    /// Returns the number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.first_move.len() - 1
    }

    /// Returns the classes of some sets.
    pub(crate) fn classes_of(&self, sets: Range<usize>) -> Range<usize> {
        self.first_class[sets.start] as usize..self.first_class[sets.end] as usize
    }

    /// Returns the moves into a class.
    pub(crate) fn moves(&self, class: usize) -> &[ClassMove] {
        &self.moves[self.first_move[class] as usize..self.first_move[class + 1] as usize]
    }

    /// Returns the bytes of the graph.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.first_class) + size_of_val(&*self.first_move) + size_of_val(&*self.moves)
    }
}

/// Collects the items that `make` appends for each set, and the running sums of the lengths that it
/// returns, unless there are too many.
fn gather<T: Copy + Send>(
    sets: Range<usize>,
    make: impl Fn(usize, &mut Vec<T>) -> Vec<usize> + Sync,
) -> Option<(Vec<T>, Vec<u32>)> {
    let starts: Vec<usize> = sets.clone().step_by(256).collect();
    let parts: Vec<(Vec<T>, Vec<usize>)> = starts
        .into_par_iter()
        .map(|start| {
            let mut items = Vec::new();
            let lengths =
                (start..sets.end.min(start + 256)).flat_map(|set| make(set, &mut items)).collect();
            (items, lengths)
        })
        .collect();
    let mut end = 0;
    let ends = parts.iter().flat_map(|(_, lengths)| lengths).map(|length| {
        end += length;
        u32::try_from(end).ok()
    });
    let bounds = [Some(0)].into_iter().chain(ends).collect::<Option<_>>()?;
    Some((parts.into_iter().flat_map(|(items, _)| items).collect(), bounds))
}

/// Sets of cells on a board, as bits.
struct CellMasks {
    all: u64,
    cols: usize,
    /// The cells with a left neighbour, and the cells with a right neighbour.
    has_left: u64,
    has_right: u64,
    neighbours: Vec<u64>,
}

impl CellMasks {
    fn new(size: Size) -> Self {
        let mask =
            |cells: &mut dyn Iterator<Item = u16>| cells.fold(0_u64, |mask, cell| mask | 1 << cell);
        let having = |step: Move| {
            mask(&mut (0..size.cells() as u16).filter(|&cell| step.target(size, cell).is_some()))
        };
        let neighbours =
            |cell: u16| mask(&mut Move::ALL.iter().filter_map(|step| step.target(size, cell)));
        Self {
            all: mask(&mut (0..size.cells() as u16)),
            cols: size.cols(),
            has_left: having(Move::Left),
            has_right: having(Move::Right),
            neighbours: (0..size.cells() as u16).map(neighbours).collect(),
        }
    }

    /// Returns the connected region of free cells around `seed`.
    fn region(&self, free: u64, seed: u64) -> u64 {
        let mut region = seed;
        loop {
            let sideways = (region & self.has_left) >> 1 | (region & self.has_right) << 1;
            // On a single row of 64 cells the shift would be out of range.
            let [up, down] = [u64::checked_shr, u64::checked_shl]
                .map(|shift| shift(region, self.cols as u32).unwrap_or(0));
            let grown = (region | sideways | up | down) & free;
            if grown == region {
                return region;
            }
            region = grown;
        }
    }

    /// Appends the distributions of the blanks over the regions of free cells, each as the blanks'
    /// [gathered](Self::gathered) cells, added to `others`.
    fn spread(&self, free: u64, blanks: u32, others: u64, spreads: &mut Vec<u64>) {
        if blanks == 0 {
            spreads.push(others);
        } else if free.count_ones() >= blanks {
            let region = self.region(free, free & free.wrapping_neg());
            for count in 0..=blanks.min(region.count_ones()) {
                self.spread(
                    free & !region,
                    blanks - count,
                    others | lowest(region, count),
                    spreads,
                );
            }
        }
    }

    /// Returns the blanks' cells after all blanks in a region have moved to its lowest cells.
    fn gathered(&self, free: u64, blanks: u64) -> u64 {
        let mut rest = blanks;
        let mut gathered = 0;
        while rest != 0 {
            let region = self.region(free, rest & rest.wrapping_neg());
            gathered |= lowest(region, (rest & region).count_ones());
            rest &= !region;
        }
        gathered
    }
}

/// Returns the `count` lowest bits of a mask.
fn lowest(mask: u64, count: u32) -> u64 {
    (0..count).fold(mask, |rest, _| rest & rest.wrapping_sub(1)) ^ mask
}
