//! One process's share of a space.
//!
//! The blocks of a colour are numbered by block first, then by slab, in the order of the sum of the
//! blanks' cells. Every process holds a range of these numbers: in each slab, the blocks whose
//! numbers begin with certain digits. A horizontal move keeps the number, and a vertical one
//! changes a few adjacent digits. So a move leads to another process only if it changes the leading
//! digits or crosses the sum of cells that divides a block's slabs. It moves whole blocks or, if
//! the block has one of these digits, runs of words.
//!
//! Before a layer is computed, each process needs the last layer's blocks that lead to its own. The
//! plan knows these blocks in advance.

use taquin_tiles::Board;

use super::explorer::{Explorer, FARTHEST};
use super::plan::{NeededRuns, SharePlan};
use super::runs::{self, OutgoingBlocks, ReceivedBlock};

/// Which process of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The process, counted from 0.
    pub process: usize,
    /// The number of processes.
    pub processes: usize,
}

impl Member {
    /// The only process.
    pub const ONLY: Self = Self { process: 0, processes: 1 };
}

/// Blocks of other processes.
#[derive(Clone, Default, Debug)]
pub(super) struct ReceivedBlocks {
    pub(super) words: Vec<u64>,
    /// Whether each has arrived, and so has a board.
    pub(super) is_full: Vec<bool>,
}

impl ReceivedBlocks {
    pub(super) fn new(plan: &SharePlan) -> Self {
        Self { words: vec![0; plan.arrival_words()], is_full: vec![false; plan.needed()] }
    }
}

impl Explorer {
    /// Returns the number of pieces in which other processes receive their data from the layer at
    /// `depth`.
    pub fn pieces(&self, depth: usize) -> usize {
        let wanted = self.plan.halves_at(depth).iter().flat_map(|half| &half.wanted);
        let runs: usize = wanted
            .filter(|wanted| self.storage.full[wanted.place])
            .map(|wanted| wanted.runs.count_ones() as usize)
            .sum();
        (runs * self.run_words() * size_of::<u64>()).div_ceil(self.plan.piece()).max(1)
    }

    /// Returns one piece of the blocks that the process `to` needs from the layer at `depth`, the
    /// last one computed. A piece has the same part for each process.
    pub fn departures(
        &self,
        depth: usize,
        (piece, pieces): (usize, usize),
        to: usize,
    ) -> OutgoingBlocks<'_> {
        let parts = self.plan.halves_at(depth).iter().map(|half| {
            let all = half.wanted_by(to);
            let [first, end] = [piece, piece + 1].map(|piece| all.len() * piece / pieces);
            &all[first..end]
        });
        let (shape, parts) = (self.plan.index.shape(), parts.collect());
        OutgoingBlocks { words: &self.storage.words, full: &self.storage.full, shape, parts }
    }

    /// Receives some blocks of the layer at `depth`, the last one, as they were
    /// [written](OutgoingBlocks::write). Returns `false` if there is something else.
    pub fn receive(&mut self, depth: usize, content: &[u8]) -> bool {
        let (length, run_words) = (self.block_words(), self.run_words());
        let ReceivedBlocks { words, is_full } = &mut self.storage.arrived;
        let (halves, blocks) = (self.plan.halves_at(depth), self.plan.index.shape().blocks());
        let mut content = content;
        let mut last = 0;
        while !content.is_empty() {
            let Some((arrived, rest)) = ReceivedBlock::read(content, run_words) else {
                return false;
            };
            content = rest;
            let number = arrived.number as usize;
            // Blocks arrive in ascending order.
            let found = halves.iter().find_map(|half| {
                let place = half.arrival_after(last, number);
                let place = place.or_else(|| half.arrival(number / blocks, number))?;
                Some((place, half.arrival_at(place)))
            });
            let Some((place, NeededRuns { runs, start })) = found else { return false };
            last = place;
            if !arrived.copy_to(&mut words[start..][..length], runs, run_words) {
                return false;
            }
            is_full[place] = true;
        }
        true
    }

    /// Returns the number of words per run.
    fn run_words(&self) -> usize {
        runs::run_words(self.plan.index.shape())
    }

    /// Returns the number of words per block.
    pub fn block_words(&self) -> usize {
        self.plan.index.shape().block_words()
    }

    /// Returns how many boards are held of the layer at `depth`: the last complete one or, if a
    /// move is one step, the one before.
    pub fn boards(&self, depth: usize) -> u64 {
        let blocks = self.storage.held(&self.plan, depth);
        blocks.flat_map(|(_, words)| words).map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the slots of the farthest boards held here: of all, or of the first thousand.
    pub fn farthest_slots(&self) -> Vec<u64> {
        let boards = self.farthest().unwrap_or_default();
        boards.iter().filter_map(|board| self.plan.index.slot(board)).map(|s| s as u64).collect()
    }

    /// Returns the whole space's farthest boards, from the slots that all processes have found, or
    /// `None` if a slot is invalid.
    pub fn farthest_of_all(&self, slots: &[u64]) -> Option<Vec<Board>> {
        let index = &self.plan.index;
        let board = |&slot: &u64| {
            let slot = usize::try_from(slot).ok().filter(|slot| slot / 64 < index.words())?;
            Some(index.board(slot)).filter(|board| index.slot(board) == Some(slot))
        };
        let boards: Option<Vec<Board>> = slots.iter().map(board).collect();
        Some(index.first(boards?.into_iter(), FARTHEST))
    }
}
