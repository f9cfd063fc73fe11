//! A block as another process receives it: its number, a bit for each of its runs that the other
//! process needs and that has a board, and the words of these runs.

use std::ops::Range;

use taquin_search::prefetch;

use super::index::{SpaceShape, WORD_RADIX};
use super::plan::NeededBlock;

/// The words per run. A block has at most 64 runs, one for each bit in a number.
pub(super) fn run_words(shape: SpaceShape) -> usize {
    let mut radices = WORD_RADIX..;
    let mut words = 1;
    while shape.block_words() / words > u64::BITS as usize {
        words *= radices.next().unwrap_or(1);
    }
    words
}

/// Blocks that another process needs.
#[derive(Clone, Debug)]
pub struct OutgoingBlocks<'a> {
    /// All that are held.
    pub(super) words: &'a [u64],
    /// Whether each of these has a board.
    pub(super) full: &'a [bool],
    pub(super) shape: SpaceShape,
    /// Runs that are not written yet.
    pub(super) parts: Vec<&'a [NeededBlock]>,
}

/// The number of blocks between the one being written and the one whose words are fetched.
const PREFETCHED_BLOCKS: usize = 4;

impl OutgoingBlocks<'_> {
    /// Appends blocks until there are at least `enough` words. Returns whether there may be more.
    pub fn write(&mut self, to: &mut Vec<u64>, enough: usize) -> bool {
        let Self { words, full, shape, parts } = self;
        let (length, run_words, all) = (shape.block_words(), run_words(*shape), all_runs(*shape));
        let departure = |&NeededBlock { number, place, runs, .. }: &NeededBlock| {
            let words = &words[place * length..][..length];
            full[place].then_some(OutgoingBlock { number: number as u64, runs, run_words, words })
        };
        for part in parts {
            while let Some((wanted, rest)) = part.split_first() {
                if to.len() >= enough {
                    return true;
                }
                // Parts of blocks are seldom in the cache.
                let later = rest.get(PREFETCHED_BLOCKS - 1).filter(|wanted| wanted.runs != all);
                if let Some(later) = later.and_then(departure) {
                    later.prefetch();
                }
                if let Some(departure) = departure(wanted) {
                    departure.write(to);
                }
                *part = rest;
            }
        }
        false
    }
}

/// A block that another process needs.
#[derive(Clone, Copy, Debug)]
struct OutgoingBlock<'a> {
    number: u64,
    /// The runs that are needed.
    runs: u64,
    run_words: usize,
    words: &'a [u64],
}

impl OutgoingBlock<'_> {
    /// Fetches the words that are needed into the cache.
    fn prefetch(&self) {
        const LINE: usize = 64 / size_of::<u64>();
        for range in stretches(self.runs) {
            let words = &self.words[range.start * self.run_words..range.end * self.run_words];
            words.iter().step_by(LINE).for_each(prefetch);
        }
    }

    /// Appends the words that the other process needs, if there are any.
    fn write(&self, to: &mut Vec<u64>) {
        let Self { number, words, run_words, .. } = *self;
        let runs = full_runs(words, self.runs, run_words);
        if runs == 0 {
            return;
        }
        to.extend([number, runs]);
        if runs.count_ones() as usize == words.len() / run_words {
            return to.extend_from_slice(words);
        }
        for range in stretches(runs) {
            to.extend_from_slice(&words[range.start * run_words..range.end * run_words]);
        }
    }
}

/// Returns the ranges of consecutive runs, which are copied together.
fn stretches(runs: u64) -> impl Iterator<Item = Range<usize>> {
    let mut rest = runs;
    std::iter::from_fn(move || {
        let start = rest.trailing_zeros();
        let end = start + rest.checked_shr(start)?.trailing_ones();
        rest &= u64::MAX.checked_shl(end).unwrap_or(0);
        Some(start as usize..end as usize)
    })
}

/// Returns the runs of a block.
pub(super) fn all_runs(shape: SpaceShape) -> u64 {
    u64::MAX >> (u64::BITS as usize - shape.block_words() / run_words(shape))
}

/// Returns which of some runs have a board.
fn full_runs(words: &[u64], runs: u64, run_words: usize) -> u64 {
    fn of<'a>(runs: impl Iterator<Item = &'a [u64]>) -> u64 {
        runs.enumerate().fold(0, |full, (place, words)| {
            full | u64::from(words.iter().fold(0, |any, word| any | word) != 0) << place
        })
    }
    stretches(runs).fold(0, |full, range| {
        let words = &words[range.start * run_words..range.end * run_words];
        let these = match run_words {
            // A separate loop for the usual length.
            6 => of(words.as_chunks::<6>().0.iter().map(<[u64; 6]>::as_slice)),
            _ => of(words.chunks_exact(run_words)),
        };
        full | these << range.start
    })
}

/// A block that has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceivedBlock<'a> {
    pub(super) number: u64,
    /// The runs that are needed and have a board.
    runs: u64,
    /// The words of these runs, as they were in memory.
    content: &'a [u8],
}

impl<'a> ReceivedBlock<'a> {
    /// Reads the first block of some content, and returns it with the rest, or `None` if the
    /// content has no complete block.
    pub(super) fn read(content: &'a [u8], run_words: usize) -> Option<(Self, &'a [u8])> {
        let (number, rest) = content.split_first_chunk()?;
        let (runs, rest) = rest.split_first_chunk()?;
        let [number, runs] = [number, runs].map(|bytes| u64::from_ne_bytes(*bytes));
        let bytes = runs.count_ones() as usize * run_words * size_of::<u64>();
        let (content, rest) = rest.split_at_checked(bytes)?;
        Some((Self { number, runs, content }, rest))
    }

    /// Replaces the words of the runs that are needed. Returns `false` if others have arrived.
    pub(super) fn copy_to(&self, words: &mut [u64], needed: u64, run_words: usize) -> bool {
        if self.runs & !needed != 0 {
            return false;
        }
        for range in stretches(needed & !self.runs) {
            words[range.start * run_words..range.end * run_words].fill(0);
        }
        let mut content = self.content;
        for range in stretches(self.runs) {
            let words = &mut words[range.start * run_words..range.end * run_words];
            let Some((these, rest)) = content.split_at_checked(size_of_val(words)) else {
                return false;
            };
            bytemuck::cast_slice_mut(words).copy_from_slice(these);
            content = rest;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a block and reads it back into one with other boards, which are 9.
    fn sent(words: &[u64], runs: u64, run_words: usize) -> Option<Vec<u64>> {
        let departure = OutgoingBlock { number: 7, runs, run_words, words };
        departure.prefetch();
        let mut written = vec![5];
        departure.write(&mut written);
        let content: &[u8] = bytemuck::cast_slice(&written[1..]);
        if content.is_empty() {
            return None;
        }
        let (arrived, rest) = ReceivedBlock::read(content, run_words).unwrap();
        assert_eq!((arrived.number, rest), (7, &[][..]));
        // A truncated block is invalid.
        assert!(ReceivedBlock::read(&content[..content.len() - 1], run_words).is_none());
        let mut there = vec![9; words.len()];
        assert!(arrived.copy_to(&mut there, runs, run_words));
        Some(there)
    }

    #[test]
    fn the_runs_that_are_needed_arrive() {
        let words: Vec<u64> = (0..336).map(|word| u64::from(word % 7 == 0)).collect();
        let all = u64::MAX >> 8;
        assert_eq!(sent(&words, all, 6), Some(words.clone()));
        // Runs that the receiver does not need stay as they are.
        let only_third = |words: &[u64], others: u64| -> Vec<u64> {
            let word = |(at, &word): (usize, &u64)| if at / 6 == 2 { word } else { others };
            words.iter().enumerate().map(word).collect()
        };
        assert_eq!(sent(&words, 1 << 2, 6), Some(only_third(&words, 9)));
        // The others have no board.
        let third = only_third(&words, 0);
        assert_eq!(sent(&third, all, 6), Some(third.clone()));
        assert_eq!(sent(&third, all & !(1 << 2), 6), None);
        assert_eq!(sent(&[3], 1, 1), Some(vec![3]));
        let long: Vec<u64> = (0..64).collect();
        assert_eq!(sent(&long, u64::MAX, 1), Some(long.clone()));
        let rest: Vec<u64> = long.iter().map(|&word| if word < 40 { 9 } else { word }).collect();
        assert_eq!(sent(&long, u64::MAX << 40, 1), Some(rest));
    }

    #[test]
    fn other_runs_are_not_received() {
        let content = [7_u64, 1 << 3, 0, 0, 0, 0, 0, 1];
        let (arrived, _) = ReceivedBlock::read(bytemuck::cast_slice(&content), 6).unwrap();
        assert!(arrived.copy_to(&mut [0; 336], 1 << 3, 6));
        assert!(!arrived.copy_to(&mut [0; 336], !(1 << 3), 6));
    }
}
