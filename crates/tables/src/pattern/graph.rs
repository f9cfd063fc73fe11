//! What the blanks can do between two moves of pattern tiles.
//!
//! Moves of the blanks among the cells that no pattern tile occupies cost nothing, so what matters
//! of the blanks is how many of them each connected region of free cells holds. For given occupied
//! cells, such a distribution of the blanks over the regions is a class: within a region blanks can
//! be rearranged at will, since they are all alike and so, to the pattern, are the other tiles. A
//! pattern tile may move into a neighbouring free cell if the cell's region holds a blank. This is
//! exact, for any number of blanks; with one blank the classes are the regions.
//!
//! Classes and the moves between them depend on the occupied cells alone, not on which tile stands
//! where.

use std::ops::Range;

use rayon::prelude::*;
use taquin_tiles::{Move, Size};

use super::Pattern;
use crate::bits::bits;

/// The classes of every set of occupied cells, and the moves between them.
pub(crate) struct Graph {
    /// Where each set's classes begin, and the end of the last.
    first_class: Vec<u32>,
    /// Where each class's edges begin, and the end of the last.
    first_edge: Vec<u32>,
    edges: Vec<Edge>,
    goal: usize,
}

/// A move into a class. Every move can be taken back, so these are also the moves out of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Edge {
    /// The class that the move comes from.
    pub(crate) source: u32,
    /// Which of the occupied cells there, counted from the lowest, the moving tile leaves.
    pub(crate) from: u8,
    /// Which of the occupied cells it then stands on.
    pub(crate) to: u8,
}

impl Graph {
    /// The graph of a pattern, unless it has 2^32 classes or edges.
    pub(crate) fn new(pattern: &Pattern) -> Option<Self> {
        let (shape, ranking) = (pattern.shape(), pattern.ranking());
        let grid = Grid::new(shape.size());
        let blanks = shape.blanks().count_ones();
        let sets = 0..ranking.sets();
        let (spreads, first_class) = gather(sets.clone(), |set, spreads| {
            let free = grid.all & !ranking.mask(set);
            let before = spreads.len();
            grid.spread(free, blanks, 0, spreads);
            vec![spreads.len() - before]
        })?;
        let class = |set: usize, mask: u64, blanks: u64| {
            let gathered = grid.gathered(grid.all & !mask, blanks);
            let (first, end) = (first_class[set], first_class[set + 1]);
            let index =
                spreads[first as usize..end as usize].iter().position(|&spread| spread == gathered);
            first + index.expect("every distribution of the blanks has its class") as u32
        };
        let (edges, first_edge) = gather(sets, |set, edges| {
            let mask = ranking.mask(set);
            let mut found = Vec::new();
            let mut untouched = Vec::new();
            for to in bits(mask) {
                for from in bits(grid.neighbours[to] & !mask) {
                    let source_mask = mask ^ 1 << to ^ 1 << from;
                    let source_set = ranking.set(source_mask);
                    let place =
                        |mask: u64, cell: usize| (mask & ((1 << cell) - 1)).count_ones() as u8;
                    let (from_place, to_place) = (place(source_mask, from), place(mask, to));
                    // One blank changes places with the tile; the others stay where they are, in
                    // any way they can lie on the cells that the move does not touch.
                    untouched.clear();
                    grid.spread(grid.all & !(mask | source_mask), blanks - 1, 0, &mut untouched);
                    found.extend(untouched.iter().map(|others| {
                        let source = class(source_set, source_mask, others | 1 << to);
                        (
                            class(set, mask, others | 1 << from),
                            Edge { source, from: from_place, to: to_place },
                        )
                    }));
                }
            }
            found.sort_unstable();
            found.dedup();
            edges.extend(found.iter().map(|(_, edge)| edge));
            let classes = first_class[set]..first_class[set + 1];
            classes
                .map(|class| found.iter().filter(|(target, _)| *target == class).count())
                .collect()
        })?;
        let goal = class(ranking.set(shape.cells()), shape.cells(), shape.blanks()) as usize;
        Some(Self { first_class, first_edge, edges, goal })
    }

    /// The bytes of the edges with one blank; with several there may be more.
    pub(crate) fn least_bytes(pattern: &Pattern) -> usize {
        let (cells, tiles) = (pattern.ranking().cells(), pattern.ranking().tiles());
        let grid = Grid::new(pattern.shape().size());
        let neighbours: u32 = grid.neighbours.iter().map(|mask| mask.count_ones()).sum();
        // Of the sets, this part has a tile on a given cell and none on a given other.
        let sets =
            pattern.ranking().sets() * tiles * (cells - tiles) / (cells * (cells - 1)).max(1);
        neighbours as usize * sets * size_of::<Edge>()
    }

    /// The class of the goal.
    pub(crate) const fn goal(&self) -> usize {
        self.goal
    }

    /// The number of classes of all sets.
    pub(crate) fn classes(&self) -> usize {
        self.first_edge.len() - 1
    }

    /// The classes of some sets.
    pub(crate) fn classes_of(&self, sets: Range<usize>) -> Range<usize> {
        self.first_class[sets.start] as usize..self.first_class[sets.end] as usize
    }

    /// The moves into a class.
    pub(crate) fn edges(&self, class: usize) -> &[Edge] {
        &self.edges[self.first_edge[class] as usize..self.first_edge[class + 1] as usize]
    }

    /// The bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.first_class) + size_of_val(&*self.first_edge) + size_of_val(&*self.edges)
    }
}

/// What `make` appends for each set, in order, with the running sums of the lengths it says, unless
/// there are too many.
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

/// The cells of a board as bits.
struct Grid {
    all: u64,
    cols: usize,
    /// The cells that have a left, and those that have a right neighbour.
    has_left: u64,
    has_right: u64,
    neighbours: Vec<u64>,
}

impl Grid {
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

    /// The connected region of free cells around one of them.
    fn region(&self, free: u64, seed: u64) -> u64 {
        let mut region = seed;
        loop {
            let sideways = (region & self.has_left) >> 1 | (region & self.has_right) << 1;
            // On a single row of 64 cells there is nothing above and below to shift to.
            let [up, down] = [u64::checked_shr, u64::checked_shl]
                .map(|shift| shift(region, self.cols as u32).unwrap_or(0));
            let grown = (region | sideways | up | down) & free;
            if grown == region {
                return region;
            }
            region = grown;
        }
    }

    /// Appends the distributions of some blanks over the regions of the free cells, each as the
    /// cells of the blanks when they are [gathered](Self::gathered), added to `others`.
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

    /// The blanks after those of each region have gone to its lowest cells.
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

/// The `count` lowest bits of a mask.
fn lowest(mask: u64, count: u32) -> u64 {
    (0..count).fold(mask, |rest, _| rest & rest.wrapping_sub(1)) ^ mask
}
