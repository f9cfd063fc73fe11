//! A block as another process gets it: its number, a bit for each of its runs of words that follows,
//! and these runs. Only those follow that the other process needs and that have a board.

use std::ops::Range;

use super::super::index::{SpaceShape, WORD_RADIX};

/// The words of a run. A block has at most 64 runs, so that a bit of a number stands for each.
pub(super) fn run_words(shape: SpaceShape) -> usize {
    let mut radices = WORD_RADIX..;
    let mut words = 1;
    while shape.block_words() / words > u64::BITS as usize {
        words *= radices.next().unwrap_or(1);
    }
    words
}

/// A block that another process needs.
#[derive(Clone, Copy, Debug)]
pub struct Departure<'a> {
    /// The process that needs it.
    pub to: usize,
    pub(super) number: u64,
    /// The runs that are needed.
    pub(super) runs: u64,
    pub(super) run_words: usize,
    pub(super) words: &'a [u64],
}

impl Departure<'_> {
    /// Appends what the other process needs. Nothing is appended if that is empty.
    pub fn write(&self, to: &mut Vec<u64>) {
        let Self { number, words, run_words, .. } = *self;
        let runs = self.runs & full_runs(words, run_words);
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

/// Returns the ranges of runs that follow one another, which are copied at once.
fn stretches(runs: u64) -> impl Iterator<Item = Range<usize>> {
    let mut rest = runs;
    std::iter::from_fn(move || {
        let start = rest.trailing_zeros();
        let end = start + rest.checked_shr(start)?.trailing_ones();
        rest &= u64::MAX.checked_shl(end).unwrap_or(0);
        Some(start as usize..end as usize)
    })
}

/// Returns which runs have a board.
fn full_runs(words: &[u64], run_words: usize) -> u64 {
    fn of<'a>(runs: impl Iterator<Item = &'a [u64]>) -> u64 {
        runs.enumerate().fold(0, |full, (place, words)| {
            full | u64::from(words.iter().fold(0, |any, word| any | word) != 0) << place
        })
    }
    match run_words {
        // A loop of its own for the usual length.
        6 => of(words.as_chunks::<6>().0.iter().map(<[u64; 6]>::as_slice)),
        _ => of(words.chunks_exact(run_words)),
    }
}

/// A block that has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival<'a> {
    pub(super) number: u64,
    runs: u64,
    /// The words of these runs, as they were in memory.
    content: &'a [u8],
}

impl<'a> Arrival<'a> {
    /// Reads the first block of some content, and returns it with the rest; `None` if there is no
    /// complete block.
    pub(super) fn read(content: &'a [u8], run_words: usize) -> Option<(Self, &'a [u8])> {
        let (number, rest) = content.split_first_chunk()?;
        let (runs, rest) = rest.split_first_chunk()?;
        let [number, runs] = [number, runs].map(|bytes| u64::from_ne_bytes(*bytes));
        let bytes = runs.count_ones() as usize * run_words * size_of::<u64>();
        let (content, rest) = rest.split_at_checked(bytes)?;
        Some((Self { number, runs, content }, rest))
    }

    /// Replaces the words of a block. Returns `false` if it has no such runs.
    pub(super) fn copy_to(&self, words: &mut [u64], run_words: usize) -> bool {
        let runs = words.len() / run_words;
        if runs < u64::BITS as usize && self.runs >> runs != 0 {
            return false;
        }
        if self.runs.count_ones() as usize != runs {
            words.fill(0);
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

    /// Writes a block and reads it back into one with other boards.
    fn sent(words: &[u64], runs: u64, run_words: usize) -> Option<Vec<u64>> {
        let departure = Departure { to: 1, number: 7, runs, run_words, words };
        let mut written = vec![5];
        departure.write(&mut written);
        let content: &[u8] = bytemuck::cast_slice(&written[1..]);
        if content.is_empty() {
            return None;
        }
        let (arrival, rest) = Arrival::read(content, run_words).unwrap();
        assert_eq!((arrival.number, rest), (7, &[][..]));
        // What is cut off is no block.
        assert!(Arrival::read(&content[..content.len() - 1], run_words).is_none());
        let mut there = vec![9; words.len()];
        assert!(arrival.copy_to(&mut there, run_words));
        Some(there)
    }

    #[test]
    fn the_runs_that_are_needed_arrive() {
        let words: Vec<u64> = (0..336).map(|word| u64::from(word % 7 == 0)).collect();
        let all = u64::MAX >> 8;
        assert_eq!(sent(&words, all, 6), Some(words.clone()));
        let mut third = words.clone();
        third.iter_mut().enumerate().for_each(|(at, word)| *word *= u64::from(at / 6 == 2));
        assert_eq!(sent(&words, 1 << 2, 6), Some(third.clone()));
        // Of the others, none has a board.
        assert_eq!(sent(&third, all, 6), Some(third.clone()));
        assert_eq!(sent(&third, !(1 << 2), 6), None);
        assert_eq!(sent(&[3], 1, 1), Some(vec![3]));
        let long: Vec<u64> = (0..64).collect();
        assert_eq!(sent(&long, u64::MAX, 1), Some(long.clone()));
        let without: Vec<u64> = long.iter().map(|&word| if word < 40 { 0 } else { word }).collect();
        assert_eq!(sent(&long, u64::MAX << 40, 1), Some(without));
    }

    #[test]
    fn a_block_has_no_other_runs() {
        let content = [7_u64, 1 << 56, 0, 0, 0, 0, 0, 1];
        let (arrival, _) = Arrival::read(bytemuck::cast_slice(&content), 6).unwrap();
        assert!(!arrival.copy_to(&mut [0; 336], 6));
    }
}
