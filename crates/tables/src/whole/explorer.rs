//! Exploring a space layer by layer, outwards from the goal.
//!
//! The two bits of a state mean: unknown, expanded, or in the current or the next layer, whose
//! values alternate. All threads read the words of the current layer and set the bits of its
//! neighbours. Only one value is set during a layer, and only for unknown states, so the result
//! does not depend on the order. A horizontal move processes 32 states at once, and so does a move
//! that takes whole blocks to blocks; the others take about ten instructions and mostly stay in the
//! cache.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;
use taquin_search::{Monitor, Progress};
use taquin_tiles::Board;

use crate::bits::bits;

use super::index::SpaceIndex;
use super::moves::{PlaneMoves, PlaneStep};
use super::numbering::{Number, Numbering, PER_WORD, ShiftTable};
use super::table::{SpaceTable, value_of};
use super::{ExploreError, Metric};

/// The lower bit of each state of a word.
const LOWER: u64 = u64::MAX / 3;

/// The two bits of an expanded state.
const EXPANDED: u64 = 1;

/// The greatest number of blocks between two polls of the monitor.
const BLOCKS: usize = 64;

/// A space with fewer words is explored on one thread.
const SMALL: usize = 1 << 16;

/// The greatest number of farthest boards that are remembered.
const FARTHEST: usize = 1_000;

/// A space that is being explored.
pub struct Explorer {
    index: Arc<SpaceIndex>,
    metric: Metric,
    moves: PlaneMoves,
    words: Vec<AtomicU64>,
    /// The words of the table, if one is wanted.
    table: Vec<AtomicU64>,
    depths: Vec<u64>,
    found: u64,
    /// Slots of the last layer that was expanded.
    last: Vec<usize>,
}

impl Explorer {
    /// Creates a space of which only the goal is known.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes.
    pub fn new(goal: &Board, metric: Metric, memory: u64) -> Result<Self, ExploreError> {
        let index = SpaceIndex::new(goal, memory)?;
        let moves = PlaneMoves::new(&index, metric);
        let words = zeros(index.words());
        let slot = index.slot(goal).expect("the goal can be reached from itself");
        words[slot / PER_WORD].store(mark(0) << (slot % PER_WORD * 2), Relaxed);
        let (index, table, last) = (Arc::new(index), Vec::new(), Vec::new());
        Ok(Self { index, metric, moves, words, table, depths: vec![1], found: 1, last })
    }

    /// Creates a space of which only the goal is known, and which becomes a table.
    ///
    /// # Errors
    /// Fails if exploring it would take more than `memory` bytes.
    pub fn for_table(goal: &Board, metric: Metric, memory: u64) -> Result<Self, ExploreError> {
        let super::Extent { states, bytes } = super::table_extent(goal);
        if bytes > memory {
            return Err(ExploreError::Memory { states, needed: bytes, allowed: memory });
        }
        let explorer = Self::new(goal, metric, memory)?;
        Ok(Self { table: zeros(explorer.index.words()), ..explorer })
    }

    /// Returns the number of states at each depth that has been reached.
    pub fn depths(&self) -> &[u64] {
        &self.depths
    }

    /// Returns the layer to expand next: the farthest that has been reached.
    pub fn layer(&self) -> SpaceLayer<'_> {
        SpaceLayer { explorer: self, depth: self.depths.len() - 1 }
    }

    /// Returns the farthest boards, once there are no further layers: all, or the first thousand.
    pub fn farthest(&self) -> impl Iterator<Item = Board> + '_ {
        self.last.iter().map(|&slot| self.index.board(slot))
    }

    /// Computes the next layer on all threads of the current pool. Returns `false` if there is
    /// none. Reports the number of known and of expanded states to the monitor.
    ///
    /// # Errors
    /// Fails if the monitor is cancelled. The explorer is of no use then.
    pub fn advance(&mut self, monitor: &Monitor) -> Result<bool, ExploreError> {
        let depth = self.depths.len() - 1;
        let layer = self.depths[depth];
        let is_small = layer <= FARTHEST as u64;
        // The first boards of a large layer are soon found.
        let first =
            if is_small { Vec::new() } else { self.layer().slots().take(FARTHEST).collect() };
        let done = AtomicU64::new(self.found - layer);
        let pass = Pass {
            explorer: self,
            numbering: self.index.numbering(),
            depth,
            planes: self.planes_of(depth),
            // Waking other threads takes longer than exploring a small space.
            is_alone: self.words.len() < SMALL,
        };
        let blocks = pass.planes.len() * pass.numbering.high();
        // Enough parts for all threads, and none so large that progress is reported rarely.
        let part = (blocks / 256).clamp(1, BLOCKS);
        let parts = 0..blocks.div_ceil(part);
        let room = || vec![0; pass.numbering.words()];
        let work = |states: &mut Vec<u64>, at: usize| {
            let mut counts = LayerCounts::default();
            if monitor.is_cancelled() {
                return (0, Vec::new());
            }
            let mut slots = Vec::new();
            for block in at * part..blocks.min((at + 1) * part) {
                let first = pass.expand(block, states, &mut counts);
                if is_small {
                    slots.extend(slots_of(states).map(|slot| first * PER_WORD + slot));
                }
            }
            if counts.expanded > 0 {
                let expanded = done.fetch_add(counts.expanded, Relaxed) + counts.expanded;
                let (generated, bound) = (self.found, depth as u32);
                monitor.report(Progress { expanded, generated, frontier: layer, bound });
            }
            (counts.found, slots)
        };
        let nothing = || (0, Vec::new());
        let merge = |(a, mut slots): (u64, Vec<usize>), (b, more): (u64, Vec<usize>)| {
            slots.extend(more);
            (a + b, slots)
        };
        let (new, slots) = match pass.is_alone {
            true => {
                let mut states = room();
                parts.map(|at| work(&mut states, at)).fold(nothing(), merge)
            }
            false => parts.into_par_iter().map_init(room, work).reduce(nothing, merge),
        };
        if monitor.is_cancelled() {
            return Err(ExploreError::Cancelled);
        }
        self.last = if is_small { slots } else { first };
        if new > 0 {
            self.depths.push(new);
            self.found += new;
        }
        Ok(new > 0)
    }

    /// Returns the planes with states of a depth. A step changes the parity of the blanks' rows and
    /// columns, so every other layer is in the same planes.
    fn planes_of(&self, depth: usize) -> Vec<usize> {
        let planes = self.index.planes();
        let size = self.index.goal().size();
        let is_odd = |blanks: u64| {
            let sum = |cell: usize| size.row(cell as u16) + size.col(cell as u16);
            bits(blanks).map(sum).sum::<usize>() % 2 == 1
        };
        let goal = is_odd(super::index::mask(self.index.goal()));
        let all = 0..planes.len();
        match self.metric {
            Metric::Multi => all.collect(),
            Metric::Single => {
                let odd = goal ^ (depth % 2 == 1);
                all.filter(|&plane| is_odd(planes[plane]) == odd).collect()
            }
        }
    }

    /// Returns the distances of all states, after every layer has been computed; `None` unless it
    /// was created [`for_table`](Self::for_table).
    pub fn into_table(self) -> Option<SpaceTable> {
        let Self { index, metric, depths, table, words, .. } = self;
        drop(words);
        let table: Vec<u64> = table.into_iter().map(AtomicU64::into_inner).collect();
        (!table.is_empty()).then(|| SpaceTable::new(index, metric, depths, table))
    }
}

fn zeros(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// Returns the two bits of a state that has not been expanded.
const fn mark(depth: usize) -> u64 {
    2 + depth as u64 % 2
}

/// Returns the positions, in some words, of the states whose lower bits are set.
fn slots_of(states: &[u64]) -> impl Iterator<Item = usize> + '_ {
    let words = states.iter().enumerate();
    words.flat_map(|(at, &states)| bits(states).map(move |bit| at * PER_WORD + bit / 2))
}

/// The states of one depth.
#[derive(Clone, Copy)]
pub struct SpaceLayer<'a> {
    explorer: &'a Explorer,
    depth: usize,
}

impl<'a> SpaceLayer<'a> {
    /// Returns their distance from the goal.
    pub const fn depth(&self) -> u64 {
        self.depth as u64
    }

    /// Returns their number.
    pub fn count(&self) -> u64 {
        self.explorer.depths[self.depth]
    }

    /// Returns their slots in ascending order.
    pub fn slots(&self) -> impl Iterator<Item = usize> + use<'a> {
        let mark = mark(self.depth);
        let words = self.explorer.words.iter().enumerate();
        words.flat_map(move |(at, word)| {
            let states = matching(word.load(Relaxed), mark);
            bits(states).map(move |bit| at * PER_WORD + bit / 2)
        })
    }

    /// Returns whether a board is one of them.
    pub fn contains(&self, board: &Board) -> bool {
        self.explorer.index.slot(board).is_some_and(|slot| {
            let word = self.explorer.words[slot / PER_WORD].load(Relaxed);
            word >> (slot % PER_WORD * 2) & 3 == mark(self.depth)
        })
    }

    /// Returns the numbering of the boards.
    pub const fn index(&self) -> &'a Arc<SpaceIndex> {
        &self.explorer.index
    }
}

/// The computation of one layer.
struct Pass<'a> {
    explorer: &'a Explorer,
    numbering: &'a Numbering,
    depth: usize,
    planes: Vec<usize>,
    /// Whether it runs on one thread.
    is_alone: bool,
}

/// The counts of a layer.
#[derive(Clone, Copy, Default)]
struct LayerCounts {
    expanded: u64,
    found: u64,
}

impl Pass<'_> {
    /// Expands the states of the layer with the same blanks and the same high part. Returns where
    /// their words begin.
    fn expand(&self, block: usize, states: &mut [u64], counts: &mut LayerCounts) -> usize {
        let (plane, high) =
            (self.planes[block / self.numbering.high()], block % self.numbering.high());
        let first = (plane * self.numbering.high() + high) * states.len();
        let words = &self.explorer.words[first..][..states.len()];
        let mark = mark(self.depth);
        let mut expanded = 0;
        for (states, word) in states.iter_mut().zip(words) {
            let before = word.load(Relaxed);
            *states = matching(before, mark);
            if *states != 0 {
                expanded += states.count_ones();
                let change = *states * (mark ^ EXPANDED);
                match self.explorer.metric {
                    // No other thread writes to this plane: new states are in other planes.
                    Metric::Single => word.store(before ^ change, Relaxed),
                    Metric::Multi => _ = word.fetch_xor(change, Relaxed),
                }
            }
        }
        if expanded == 0 {
            return first;
        }
        counts.expanded += u64::from(expanded);
        if let Some(table) = self.explorer.table.get(first..first + states.len()) {
            for (entry, states) in table.iter().zip(&*states) {
                entry.store(entry.load(Relaxed) | (states * value_of(self.depth)), Relaxed);
            }
        }
        for step in self.explorer.moves.out_of(plane) {
            self.follow(step, high, states, counts);
        }
        first
    }

    /// Follows a move out of a block: word by word as long as the block stays together, then state
    /// by state.
    fn follow(&self, step: &PlaneStep, high: usize, states: &[u64], counts: &mut LayerCounts) {
        let moves = &self.explorer.moves;
        let (mut step, mut high) = (step, high);
        loop {
            match moves.shift_table(step) {
                Some(shift) if !shift.is_of_blocks() => {
                    return self.follow_each(step, shift, high, states, counts);
                }
                Some(shift) => {
                    let number = Number { high, low: 0 };
                    high = shift.row(self.numbering, high).change(0).of(number).high;
                }
                None => {}
            }
            let block = step.target as usize * self.numbering.high() + high;
            let targets = &self.explorer.words[block * states.len()..][..states.len()];
            for (target, &states) in targets.iter().zip(states) {
                if states != 0 {
                    self.set(target, states, counts);
                }
            }
            match moves.then(step) {
                Some(next) => step = next,
                None => return,
            }
        }
    }

    fn follow_each(
        &self,
        step: &PlaneStep,
        shift: &ShiftTable,
        high: usize,
        states: &[u64],
        counts: &mut LayerCounts,
    ) {
        let row = shift.row(self.numbering, high);
        let plane = step.target as usize * self.numbering.high();
        let then = self.explorer.moves.then(step);
        for (at, &states) in states.iter().enumerate() {
            for bit in bits(states) {
                let low = at * PER_WORD + bit / 2;
                let number = row.change(low).of(Number { high, low });
                self.set_one(plane, number, counts);
                if let Some(step) = then {
                    self.follow_one(step, number, counts);
                }
            }
        }
    }

    fn follow_one(&self, step: &PlaneStep, number: Number, counts: &mut LayerCounts) {
        let moves = &self.explorer.moves;
        let (mut step, mut number) = (step, number);
        loop {
            if let Some(shift) = moves.shift_table(step) {
                number = shift.row(self.numbering, number.high).change(number.low).of(number);
            }
            self.set_one(step.target as usize * self.numbering.high(), number, counts);
            match moves.then(step) {
                Some(next) => step = next,
                None => return,
            }
        }
    }

    /// Adds states of a word to the next layer, unless they are known.
    #[inline]
    fn set(&self, word: &AtomicU64, states: u64, counts: &mut LayerCounts) {
        let known = word.load(Relaxed);
        let unknown = states & unknown(known);
        if unknown != 0 {
            let marks = unknown * mark(self.depth + 1);
            let before = match self.is_alone {
                true => {
                    word.store(known | marks, Relaxed);
                    known
                }
                false => word.fetch_or(marks, Relaxed),
            };
            counts.found += u64::from((unknown & self::unknown(before)).count_ones());
        }
    }

    #[inline]
    fn set_one(&self, plane: usize, number: Number, counts: &mut LayerCounts) {
        let word = (plane + number.high) * self.numbering.words() + number.low / PER_WORD;
        self.set(&self.explorer.words[word], 1 << (number.low % PER_WORD * 2), counts);
    }
}

/// Returns the lower bits of the states with a mark.
#[inline]
const fn matching(word: u64, mark: u64) -> u64 {
    unknown(word ^ (mark * LOWER))
}

/// Returns the lower bits of the unknown states.
#[inline]
const fn unknown(word: u64) -> u64 {
    !(word | word >> 1) & LOWER
}
