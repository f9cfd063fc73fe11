//! Finding a stored node by the hash of its key.
//!
//! The table is made of lines of sixteen slots, as many as a cache line holds. A slot is 32 bits:
//! the node's number, and in the bits that numbers of this table's size leave free a tag from the
//! hash. A hash leads to a line, which is filled from its beginning, and a state that is not in a
//! line with an empty slot is not known: a probe is one cache line for nearly every state, known or
//! new, and the nodes themselves, which hold the keys, are looked at only when the tag agrees. Nine
//! slots in ten are used at most: between 4.4 and 8.9 bytes for each node.
//!
//! The tag continues the bits that chose the line, and a bit marks what did not fit into its line:
//! a table that is full is split into one of twice as many lines by reading it from end to end,
//! with few looks at the nodes.
//!
//! Probes fall anywhere in the table, and with pages of the usual size nearly each of them also has
//! to look up its page; the table is therefore mapped for itself and huge pages are asked for.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

use memmap2::MmapMut;

use crate::fetch::fetch;

/// A hash table from keys to node numbers, which does not hold the keys.
#[derive(Debug, Default)]
pub(crate) struct Index {
    lines: Lines,
    /// The bits of a slot below the tag: 32 for each line, less one.
    below: u32,
    len: usize,
}

/// Slots: 0, or a node's number plus one with a tag above it.
type Line = [u32; SLOTS];
const SLOTS: usize = 16;

/// Lines in memory of their own.
#[derive(Debug)]
struct Lines {
    start: NonNull<Line>,
    len: usize,
    /// What `start` points into.
    _map: Option<MmapMut>,
}

impl Default for Lines {
    fn default() -> Self {
        Self { start: NonNull::dangling(), len: 0, _map: None }
    }
}

impl Lines {
    /// So many empty lines; `None` if there is no memory for them.
    fn new(len: usize) -> Option<Self> {
        let mut map = MmapMut::map_anon(len * size_of::<Line>()).ok()?;
        // Where the system has no huge pages to give, small ones serve.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let start = NonNull::new(map.as_mut_ptr().cast())?;
        Some(Self { start, len, _map: Some(map) })
    }
}

// A checked cast of the map's bytes at each look takes a quarter of the time of a look.
#[allow(unsafe_code)]
impl Deref for Lines {
    type Target = [Line];

    #[inline]
    fn deref(&self) -> &[Line] {
        debug_assert!(self.start.is_aligned(), "a map begins at a page");
        // SAFETY: a map begins at a page, so that it is aligned, and was made for `len` lines; any
        // bytes are numbers; it lives as long as `self` does. Without one, `len` is 0.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.len).as_ref() }
    }
}

#[allow(unsafe_code)]
impl DerefMut for Lines {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Line] {
        debug_assert!(self.start.is_aligned(), "a map begins at a page");
        // SAFETY: as above, and the map is borrowed as long as the lines are.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.len).as_mut() }
    }
}

/// An empty slot, where a key would have been found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vacancy {
    line: usize,
    slot: usize,
    /// What stands above the node's number.
    above: u32,
}

/// The nodes that are fetched at once while a table grows.
const AT_ONCE: usize = 32;

/// The smallest table fills a page.
const FEWEST: usize = 4096 / size_of::<Line>();

impl Index {
    /// The bytes of the table.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.lines.len() * size_of::<Line>()
    }

    /// Whether so many nodes more can be added, the numbers of which are at most `id`.
    #[inline]
    pub(crate) fn has_room(&self, more: usize, id: usize) -> bool {
        let slots = self.lines.len() * SLOTS;
        (self.len + more) * 10 <= slots * 9 && id + 1 < slots
    }

    /// The bytes of the next larger table.
    pub(crate) fn larger(&self) -> usize {
        (self.bytes() * 2).max(FEWEST * size_of::<Line>())
    }

    /// Doubles the number of lines; `None` if there is no memory for it.
    ///
    /// Nodes are announced with `fetch` some time before they are asked for their hash.
    #[cold]
    #[must_use]
    pub(crate) fn grow(&mut self, fetch: impl Fn(u32), hash_of: impl Fn(u32) -> u64) -> Option<()> {
        let lines = self.larger() / size_of::<Line>();
        let former = std::mem::replace(&mut self.lines, Lines::new(lines)?);
        let (was, numbers) = (self.below, self.numbers());
        self.below = (lines << BELOW_TAG).wrapping_sub(1) as u32;
        let mut waiting = VecDeque::with_capacity(AT_ONCE);
        for (at, line) in former.iter().enumerate() {
            // What did not fit into the line before may be there already.
            let halves = [at, at + former.len()];
            let mut ends = halves.map(|line| used(&self.lines[line]));
            for &value in line.iter().take_while(|&&value| value != 0) {
                let number = value & numbers;
                let is_away = value & (numbers + 1) != 0;
                let half = usize::from(value & self.below & !was != 0);
                if is_away || self.below == u32::MAX || ends[half] == SLOTS {
                    // Few are: what belongs elsewhere, or in a line that is full, or has no tag.
                    fetch(number - 1);
                    if waiting.len() == AT_ONCE
                        && let Some(number) = waiting.pop_front()
                    {
                        self.put(self.vacancy(hash_of(number - 1)), number);
                        ends = halves.map(|line| used(&self.lines[line]));
                    }
                    waiting.push_back(number);
                } else {
                    // The lowest bit of the tag goes over to the line.
                    self.lines[halves[half]][ends[half]] = value & !self.below | number;
                    ends[half] += 1;
                }
            }
        }
        for number in waiting {
            self.put(self.vacancy(hash_of(number - 1)), number);
        }
        Some(())
    }

    #[cold]
    fn vacancy(&self, hash: u64) -> Vacancy {
        let (mut line, mut above) = self.place(hash);
        while used(&self.lines[line]) == SLOTS {
            let away;
            (line, away) = self.after(line);
            above |= away;
        }
        Vacancy { line, slot: used(&self.lines[line]), above }
    }

    #[inline]
    fn put(&mut self, Vacancy { line, slot, above }: Vacancy, number: u32) {
        self.lines[line][slot] = above | number;
    }

    /// The line after a full one, and the mark of what lies there.
    #[cold]
    fn after(&self, line: usize) -> (usize, u32) {
        ((line + 1) & (self.lines.len() - 1), self.numbers() + 1)
    }

    /// The node with this hash for which `is_it` holds, or the slot where to put it.
    ///
    /// There has to be room for one more.
    #[expect(clippy::inline_always, reason = "it is called once for each node")]
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Result<u32, Vacancy> {
        let (mut line, mut above) = self.place(hash);
        let numbers = self.numbers();
        loop {
            let slots = &self.lines[line];
            let (mut alike, empty) = compare(slots, above, !numbers);
            while alike != 0 {
                let id = (slots[alike.trailing_zeros() as usize % SLOTS] & numbers).wrapping_sub(1);
                if is_it(id) {
                    return Ok(id);
                }
                alike &= alike - 1;
            }
            if empty != 0 {
                return Err(Vacancy { line, slot: empty.trailing_zeros() as usize, above });
            }
            let away;
            (line, away) = self.after(line);
            above |= away;
        }
    }

    /// Puts a node into the slot where it was not found.
    #[inline]
    pub(crate) fn fill(&mut self, vacancy: Vacancy, id: u32) {
        self.put(vacancy, id + 1);
        self.len += 1;
    }

    /// Begins to fetch the line that a hash leads to, so that a later `find` need not wait.
    #[inline]
    pub(crate) fn fetch(&self, hash: u64) {
        if let Some(line) = self.lines.get(self.place(hash).0) {
            fetch(line);
        }
    }

    /// The line that a hash leads to, and the tag where it stands in a slot.
    #[inline]
    const fn place(&self, hash: u64) -> (usize, u32) {
        let line = hash as usize & (self.below >> BELOW_TAG) as usize;
        (line, (hash << BELOW_TAG) as u32 & !self.below)
    }

    /// The bits of a slot that hold the node's number.
    #[inline]
    const fn numbers(&self) -> u32 {
        self.below >> 1
    }
}

/// Below the tag stand the bits that number a line, those that number its slots, and one that marks
/// what lies in another line than its hash leads to.
const BELOW_TAG: u32 = SLOTS.trailing_zeros() + 1;

/// How many slots of a line are in use: the first so many.
#[inline]
fn used(line: &Line) -> usize {
    (compare(line, 0, u32::MAX).1 | 1 << SLOTS).trailing_zeros() as usize
}

/// The slots that agree with a value in the bits of a mask but are not empty, and those that are
/// empty, as sets of bits.
#[cfg(target_arch = "x86_64")]
#[inline]
fn compare(line: &Line, value: u32, mask: u32) -> (u32, u32) {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8,
        _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32, _mm_setzero_si128,
    };
    // Sixteen slots in some thirty instructions without a branch, where one after the other takes
    // as many and a branch that nobody can predict.
    #[allow(unsafe_code)]
    // SAFETY: every x86-64 has these instructions, and the loads are of the line's own bytes and
    // need no alignment.
    unsafe {
        let (wanted, mask) = (_mm_set1_epi32((value & mask) as i32), _mm_set1_epi32(mask as i32));
        let parts = [0, 4, 8, 12].map(|at| _mm_loadu_si128(line[at..at + 4].as_ptr().cast()));
        let bits = |are: [__m128i; 4]| {
            let halves = [_mm_packs_epi32(are[0], are[1]), _mm_packs_epi32(are[2], are[3])];
            _mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1])) as u32
        };
        let alike = bits(parts.map(|four| _mm_cmpeq_epi32(_mm_and_si128(four, mask), wanted)));
        let empty = bits(parts.map(|four| _mm_cmpeq_epi32(four, _mm_setzero_si128())));
        (alike & !empty, empty)
    }
}

/// The slots that agree with a value in the bits of a mask but are not empty, and those that are
/// empty, as sets of bits.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn compare(line: &Line, value: u32, mask: u32) -> (u32, u32) {
    let bits = |is: &dyn Fn(u32) -> bool| {
        line.iter().rev().fold(0, |bits, &slot| bits << 1 | u32::from(is(slot)))
    };
    let empty = bits(&|slot| slot == 0);
    (bits(&|slot| (slot ^ value) & mask == 0) & !empty, empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn add(index: &mut Index, keys: &[(u32, u64)], hash: impl Fn(u64) -> u64) {
        let key = |id| keys.iter().find(|pair| pair.0 == id).unwrap().1;
        for &(id, own) in keys {
            while !index.has_room(1, id as usize) {
                index.grow(|_| (), |id| hash(key(id))).unwrap();
            }
            let vacancy = index.find(hash(own), |other| key(other) == own).unwrap_err();
            index.fill(vacancy, id);
        }
        for &(id, own) in keys {
            assert_eq!(index.find(hash(own), |other| key(other) == own).ok(), Some(id));
        }
    }

    #[test]
    fn what_was_added_is_found_and_nothing_else() {
        let mut random = Random::new(3);
        let keys: Vec<(u32, u64)> = (0..3_000).map(|id| (id, random.next())).collect();
        // Few different hashes, so that lines overflow and probes wrap around the end.
        for hashes in [7, 97, u64::MAX] {
            let mut index = Index::default();
            add(&mut index, &keys, |key| (key % hashes).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            assert_eq!(index.len, keys.len());
        }
    }

    #[test]
    fn numbers_far_apart_fit() {
        add(&mut Index::default(), &[(5, 1), (70_000, 2), (900_000, 3)], |key| key);
    }
}
