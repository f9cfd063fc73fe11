//! The sequences of moves that contain no redundant one.
//!
//! The sequences form a tree below each cell of the blank, made layer by layer. A sequence belongs
//! to the tree if the tree contains it without its last and without its first move, and no shorter
//! or earlier sequence from the same cell leads to its board. A move changes the colour of the
//! blank's cell, so a board can only repeat within its layer or in the layer before the last.
//! Memory therefore holds the boards of three layers. The cells are independent and are processed
//! in parallel.

use rustc_hash::FxHashSet;

use super::{AutomatonShape, NO_MOVE, NO_STATE, State};
use crate::pattern::BuildError;
use taquin_search::Monitor;

/// A move from here leaves the board.
pub(super) const NO_CELL: u8 = u8::MAX;

/// The place of the last move, stored above the blank's cell in a sequence's end.
const LAST: u32 = 5;

/// The longer sequence is impossible: the move leaves the board, or completes a shorter redundant
/// sequence.
const IMPOSSIBLE: u32 = u32::MAX;

/// It is redundant.
const REDUNDANT: u32 = u32::MAX - 1;

/// Marks a redundant sequence or one with the greatest length. Smaller numbers identify sequences.
const LONGEST: u32 = u32::MAX - 2;

/// The number of sequences between two looks at whether the work is cancelled.
const POLL: usize = 1 << 14;

/// The longest sequences that a plan counts. It estimates the number of longer ones.
const COUNTED: usize = 10;

/// An automaton with this many sequences takes one thread about a second, and is worth a file.
const LONG_SEQUENCES: u64 = 5_000_000;

/// The time of a thread for a sequence.
const SEQUENCE_SECONDS: f64 = 200e-9;

/// The bytes of a sequence in the tree.
const NODE_BYTES: u64 = (size_of::<[u32; 4]>() + size_of::<u32>() + size_of::<u8>()) as u64;

/// The bytes per entry in a set of boards, including room to grow.
const SET_BYTES: u64 = 40;

/// The sequences for an automaton, and the memory that building it takes: both are estimated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AutomatonPlan {
    /// The number of sequences that are not redundant.
    pub sequences: u64,
    /// The bytes of memory.
    pub build_bytes: u64,
}

impl AutomatonPlan {
    /// Returns whether building takes a second or more, so that the automaton is stored.
    pub const fn is_long(&self) -> bool {
        self.sequences >= LONG_SEQUENCES
    }

    /// Returns about how long building takes on the threads of the current pool.
    pub fn seconds(&self) -> f64 {
        self.sequences as f64 * SEQUENCE_SECONDS / rayon::current_num_threads() as f64
    }

    /// Plans an automaton. Counts short sequences, and assumes that long ones grow at most as fast
    /// as the last counted ones.
    pub fn of(shape: AutomatonShape) -> Self {
        let counted = AutomatonShape { longest: shape.longest.min(COUNTED), ..shape };
        let never = Monitor::default();
        let mut layers: Vec<f64> = Vec::new();
        let cells = shape.size.cells();
        let mut largest = 0.0;
        let _ = SequenceTree::grow(counted, &never, &mut |layer, starts| {
            layers.push(layer as f64);
            // The boards of the last layer are not kept.
            let most = starts.iter().map(|start| start.boards.len()).max().unwrap_or(0);
            largest = f64::max(largest, most as f64 / layer.max(1) as f64);
        });
        // Half of all arrangements can be reached from one.
        let all = (1..=cells).fold(cells as f64 / 2.0, |all, cell| all * cell as f64);
        while layers.len() <= shape.longest {
            let [.., before, _, last] = layers[..] else { break };
            let is_full = layers.iter().sum::<f64>() >= all;
            let growth = (last / before.max(1.0)).sqrt();
            layers.push(if is_full { 0.0 } else { last * growth });
        }
        let of = |length: usize| layers.get(length).copied().unwrap_or(0.0);
        let nodes: f64 = (0..shape.longest).map(of).sum();
        let boards = of(shape.longest - 1) + of(shape.longest.saturating_sub(2));
        let threads = rayon::current_num_threads().min(cells) as f64;
        let set = (of(shape.longest) + of(shape.longest.saturating_sub(2))) * largest;
        Self {
            sequences: (nodes + of(shape.longest)) as u64,
            build_bytes: (nodes * NODE_BYTES as f64
                + boards * size_of::<u128>() as f64
                + threads * set * SET_BYTES as f64) as u64,
        }
    }
}

/// The sequences that contain no redundant one, as a tree below each cell of the blank.
pub(super) struct SequenceTree {
    targets: Vec<[u8; 4]>,
    /// Each sequence with each further move. The roots come first, ordered by cell, followed by
    /// longer sequences. Sequences with the same length are ordered by their first cells.
    longer: Vec<[u32; 4]>,
    /// Each sequence without its first move, except the roots.
    suffixes: Vec<u32>,
    /// The blank's cell after each sequence, and the place of the last move.
    ends: Vec<u8>,
}

/// The sequences of one length from one cell.
pub(super) struct StartLayer {
    /// The number of the first of them.
    first: usize,
    /// The board after each.
    boards: Vec<u128>,
    /// The boards of the layer before.
    before: Vec<u128>,
}

/// The sequences from one cell that are one move longer.
#[derive(Default)]
struct LongerSequences {
    suffixes: Vec<u32>,
    ends: Vec<u8>,
    boards: Vec<u128>,
}

impl SequenceTree {
    pub(super) fn new(
        shape: AutomatonShape,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Self, BuildError> {
        if shape.is_quick() {
            return Self::grow(shape, cancel, &mut |_, _| ());
        }
        let all = AutomatonPlan::of(shape).sequences.max(1) as f64;
        let mut done = 0.0;
        Self::grow(shape, cancel, &mut |layer, _| {
            done += layer as f64;
            progress((done / all).min(0.99));
        })
    }

    /// Makes the tree layer by layer. Calls `each` with the number of sequences per length.
    pub(super) fn grow(
        shape: AutomatonShape,
        cancel: &Monitor,
        each: &mut dyn FnMut(usize, &[StartLayer]),
    ) -> Result<Self, BuildError> {
        let cells = shape.size.cells();
        let mut tree = Self {
            targets: shape.targets(),
            longer: Vec::new(),
            suffixes: vec![0; cells],
            ends: (0..cells as u8).collect(),
        };
        let identity = (0..cells).fold(0, |board, cell| board | (cell as u128) << (5 * cell));
        let start = |first| StartLayer { first, boards: vec![identity], before: Vec::new() };
        let mut layer: Vec<StartLayer> = (0..cells).map(start).collect();
        each(cells, &layer);
        for length in 1..=shape.longest {
            let is_last = length == shape.longest;
            let done = tree.longer.len();
            tree.longer.resize(tree.ends.len(), [IMPOSSIBLE; 4]);
            let (shorter, mut rest) = tree.longer.split_at_mut(done);
            let mut parts = Vec::with_capacity(cells);
            for start in &layer {
                let (part, others) = rest.split_at_mut(start.boards.len());
                parts.push((start, part));
                rest = others;
            }
            let (targets, suffixes, ends) = (&tree.targets, &tree.suffixes, &tree.ends);
            let sequences = Sequences { targets, shorter, suffixes, ends };
            let extend = |(start, longer): (&StartLayer, &mut [[u32; 4]])| {
                sequences.extend(start, longer, is_last, cancel)
            };
            let grown = shape.each(parts, extend);
            if cancel.is_cancelled() {
                return Err(BuildError::Cancelled);
            }
            let mut count = 0;
            let mut at = done;
            for (start, (grown, kept)) in layer.iter_mut().zip(grown) {
                let first = tree.ends.len();
                for longer in &mut tree.longer[at..at + start.boards.len()] {
                    let number = |local: u32| {
                        if local < LONGEST { local + first as u32 } else { local }
                    };
                    *longer = longer.map(number);
                }
                at += start.boards.len();
                count += kept;
                tree.suffixes.extend_from_slice(&grown.suffixes);
                tree.ends.extend_from_slice(&grown.ends);
                start.first = first;
                start.before = std::mem::replace(&mut start.boards, grown.boards);
            }
            each(count, &layer);
        }
        Ok(tree)
    }

    /// Returns the automaton's states: the roots, and the prefixes of redundant sequences.
    pub(super) fn states(&self, shape: AutomatonShape) -> Vec<State> {
        let cells = self.targets.len();
        // 1. A sequence is a state if something below it is redundant.
        let mut state_of = vec![NO_STATE; self.ends.len()];
        for at in (0..self.ends.len()).rev() {
            let is_redundant = |&longer: &u32| match longer {
                REDUNDANT => true,
                LONGEST | IMPOSSIBLE => false,
                below => state_of[below as usize] == 0,
            };
            if at < cells || self.longer[at].iter().any(is_redundant) {
                state_of[at] = 0;
            }
        }
        // 2. The state of a sequence is its longest suffix that is one: suffixes come first.
        let mut nodes = Vec::new();
        for at in 0..self.ends.len() {
            state_of[at] = match state_of[at] {
                NO_STATE => state_of[self.suffixes[at] as usize],
                _ => {
                    nodes.push(at as u32);
                    nodes.len() as u32 - 1
                }
            };
        }
        // 3. The moves of each state.
        let state = |node: u32| {
            let end = self.ends[node as usize];
            let next = |place: usize| {
                self.after(node, place).map_or(NO_STATE, |after| state_of[after as usize])
            };
            State {
                nexts: [0, 1, 2, 3].map(next),
                blank: end & ((1 << LAST) - 1),
                last: if (node as usize) < cells { NO_MOVE } else { end >> LAST },
            }
        };
        shape.each(nodes, state)
    }

    /// Returns the longest suffix in the tree of a sequence with another move, unless that is
    /// redundant or impossible.
    fn after(&self, mut node: u32, place: usize) -> Option<u32> {
        loop {
            match self.longer[node as usize][place] {
                IMPOSSIBLE | REDUNDANT => return None,
                LONGEST if (node as usize) < self.targets.len() => {
                    return Some(self.targets[node as usize][place].into());
                }
                LONGEST => node = self.suffixes[node as usize],
                after => return Some(after),
            }
        }
    }
}

/// The sequences that are not the longest yet.
struct Sequences<'a> {
    targets: &'a [[u8; 4]],
    /// The longer sequences among those that are at least two moves shorter than new ones.
    shorter: &'a [[u32; 4]],
    suffixes: &'a [u32],
    ends: &'a [u8],
}

impl Sequences<'_> {
    /// Extends the sequences from one cell by each move and writes the numbers of the new
    /// sequences, from 0 on, into `longer`. Returns the new sequences and their number. Sequences
    /// in the last layer are only counted.
    fn extend(
        &self,
        start: &StartLayer,
        longer: &mut [[u32; 4]],
        is_last: bool,
        cancel: &Monitor,
    ) -> (LongerSequences, usize) {
        let mut known: FxHashSet<u128> = FxHashSet::default();
        known.reserve(start.before.len() + 2 * start.boards.len());
        known.extend(&start.before);
        let (mut grown, mut count) = (LongerSequences::default(), 0);
        for (at, (&board, longer)) in start.boards.iter().zip(longer).enumerate() {
            if at % POLL == 0 && cancel.is_cancelled() {
                break;
            }
            let node = start.first + at;
            let blank = self.ends[node] & ((1 << LAST) - 1);
            for (place, &target) in self.targets[usize::from(blank)].iter().enumerate() {
                if target == NO_CELL {
                    continue;
                }
                let suffix = match node < self.targets.len() {
                    true => target.into(),
                    false => match self.shorter[self.suffixes[node] as usize][place] {
                        IMPOSSIBLE | REDUNDANT | LONGEST => continue,
                        suffix => suffix,
                    },
                };
                let exchange = (board >> (5 * blank) ^ board >> (5 * target)) & 31;
                let board = board ^ exchange << (5 * blank) ^ exchange << (5 * target);
                longer[place] = match known.insert(board) {
                    false => REDUNDANT,
                    true if is_last => LONGEST,
                    true => {
                        grown.suffixes.push(suffix);
                        grown.ends.push(target | (place as u8) << LAST);
                        grown.boards.push(board);
                        count as u32
                    }
                };
                count += usize::from(longer[place] != REDUNDANT);
            }
        }
        (grown, count)
    }
}
