//! A transposition table: boards that need not be searched again.
//!
//! An entry is a whole board and its slack: by how many pairs of moves a path through the board
//! could exceed the estimate and stay within the threshold. A search that reaches the same board
//! with no more slack finds nothing new below it. The table is lossy. An entry may be replaced at
//! any time, and then the board is searched once more. A lookup compares whole boards, so a hash
//! collision never drops one.
//!
//! A cache line has four entries. The highest bit of its first word is a try-lock: a thread that
//! finds it taken treats the lookup as a miss.
#![allow(
    unsafe_code,
    reason = "gigabytes of zeros in huge pages, without clearing them: see SAFETY"
)]

use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use memmap2::MmapMut;
use taquin_search::prefetch;

/// A board as [`PackedBoard::words`](crate::ida::board::PackedBoard::words) returns it.
pub(crate) type Key = [u64; 2];

/// The bits of a word that belong to the board.
const BOARD: u64 = (1 << 60) - 1;

/// The bit that locks a line, in its first word.
const LOCK: u64 = 1 << 63;

/// The greatest slack that fits: three bits of an entry's first word and four of its second hold
/// the slack plus one, and 0 if the entry is empty.
const MAX_SLACK: u32 = 126;

/// The entries of a line.
const ENTRIES: usize = 4;

#[repr(C, align(64))]
struct Line([AtomicU64; 2 * ENTRIES]);

/// A table of boards.
pub(crate) struct Transpositions {
    lines: Lines,
}

/// Whether a board was in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lookup {
    /// With at least as much slack.
    Yes,
    /// The entry has less slack.
    No,
    /// Not with as much slack, and it takes an entry that was empty.
    First,
}

impl Transpositions {
    /// The size of the smallest table.
    pub(crate) const MIN_BYTES: u64 = 1 << 16;

    /// Creates an empty table with at most `bytes`: the greatest power of two. Returns `None` if
    /// there is not enough memory, or if the limit is below the smallest table.
    pub(crate) fn new(bytes: u64) -> Option<Self> {
        let bytes = (bytes >= Self::MIN_BYTES).then(|| 1_u64 << bytes.ilog2())?;
        let lines = Lines::new(usize::try_from(bytes).ok()? / size_of::<Line>())?;
        Some(Self { lines })
    }

    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(&*self.lines) as u64
    }

    /// Starts to load the line of a board.
    #[inline]
    pub(crate) fn fetch(&self, key: Key) {
        prefetch(self.line(hash(key)));
    }

    #[inline]
    fn line(&self, hash: u64) -> &Line {
        &self.lines[hash as usize & (self.lines.len() - 1)]
    }

    /// Returns whether a board is known with at least this slack, and stores it if it is not.
    #[inline]
    pub(crate) fn visit(&self, key: Key, slack: u32) -> Lookup {
        let hash = hash(key);
        let Line(words) = self.line(hash);
        let head = words[0].load(Relaxed);
        if slack > MAX_SLACK
            || head & LOCK != 0
            || words[0].compare_exchange(head, head | LOCK, Acquire, Relaxed).is_err()
        {
            return Lookup::No;
        }
        let slack = slack as u8 + 1;
        let read = |at: usize| if at == 0 { head } else { words[at].load(Relaxed) };
        // Among entries with equal slack a random one is replaced.
        let first = (hash >> 62) as usize;
        let mut least = (u8::MAX, 0);
        let mut known = Lookup::No;
        for entry in (0..ENTRIES).map(|entry| (entry + first) % ENTRIES) {
            let (a, b) = (read(2 * entry), read(2 * entry + 1));
            let stored = (a >> 60 & 7 | (b >> 60) << 3) as u8;
            if a & BOARD == key[0] && b & BOARD == key[1] && stored > 0 {
                if stored >= slack {
                    known = Lookup::Yes;
                }
                least = (stored, entry);
                break;
            }
            least = least.min((stored, entry));
        }
        let (stored, entry) = least;
        let mut new_head = head;
        if known != Lookup::Yes {
            if stored == 0 {
                known = Lookup::First;
            }
            let a = key[0] | u64::from(slack & 7) << 60;
            words[2 * entry + 1].store(key[1] | u64::from(slack >> 3) << 60, Relaxed);
            if entry == 0 {
                new_head = a;
            } else {
                words[2 * entry].store(a, Relaxed);
            }
        }
        words[0].store(new_head, Release);
        known
    }
}

/// Returns the hash of a board.
#[inline]
pub(crate) fn hash([a, b]: Key) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xc2b2_ae3d_27d4_eb4f);
    let folded = product as u64 ^ (product >> 64) as u64;
    folded.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ folded >> 32
}

/// Lines in a memory map of their own.
struct Lines {
    memory: MmapMut,
    len: usize,
}

impl Lines {
    fn new(len: usize) -> Option<Self> {
        let memory = MmapMut::map_anon(len * size_of::<Line>()).ok()?;
        // Nearly every look-up would also miss the TLB with small pages.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Some(Self { memory, len })
    }
}

impl Deref for Lines {
    type Target = [Line];

    #[inline]
    fn deref(&self) -> &[Line] {
        let start: *const Line = self.memory.as_ptr().cast();
        debug_assert!(start.is_aligned(), "a map starts at a page boundary");
        debug_assert!(self.memory.len() >= self.len * size_of::<Line>(), "the map is too short");
        // SAFETY: the map was made for `len` lines, is aligned to pages and lives as long as
        // `self`. It is used as atomic words only, and every value is valid.
        unsafe { std::slice::from_raw_parts(start, self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashMap;
    use taquin_search::Random;

    #[test]
    fn a_board_is_known_only_if_it_was_there_with_as_much_slack() {
        let table = Transpositions::new(Transpositions::MIN_BYTES).unwrap();
        let mut greatest: FxHashMap<Key, u32> = FxHashMap::default();
        let mut random = Random::new(1);
        let mut hits = 0;
        for _ in 0..200_000 {
            let key = [random.below(300) as u64 * 977, random.below(300) as u64];
            let slack = random.below(9) as u32;
            let before = greatest.get(&key).copied();
            if table.visit(key, slack) == Lookup::Yes {
                hits += 1;
                assert!(before.is_some_and(|before| before >= slack), "{key:?} with {slack}");
            }
            greatest.insert(key, before.map_or(slack, |before| before.max(slack)));
        }
        assert!(hits > 1000, "{hits} hits");
    }

    #[test]
    fn slack_beyond_the_greatest_is_never_known() {
        let table = Transpositions::new(Transpositions::MIN_BYTES).unwrap();
        assert_eq!(table.visit([1, 2], 127), Lookup::No);
        assert_eq!(table.visit([1, 2], 126), Lookup::First);
        assert_eq!(table.visit([1, 2], 127), Lookup::No);
        assert_eq!(table.visit([1, 2], 126), Lookup::Yes);
        assert_eq!(table.visit([1, 3], 125), Lookup::First);
        assert_eq!(table.visit([1, 3], 126), Lookup::No);
    }

    #[test]
    fn less_memory_than_the_smallest_table_is_refused() {
        assert!(Transpositions::new(Transpositions::MIN_BYTES - 1).is_none());
        assert_eq!(Transpositions::new(200_000).unwrap().bytes(), 131_072);
    }
}
