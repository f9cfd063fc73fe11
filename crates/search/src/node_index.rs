//! A hash table that finds a stored node by its key.
//!
//! The table consists of lines with sixteen slots, one cache line each. A slot has 32 bits: the
//! node's number, and above it, in the bits that node numbers leave free at this table size, a tag
//! taken from the hash. The hash selects a line, and a line is filled from its beginning, so a line
//! with an empty slot proves that other states are not stored. A probe therefore reads one cache
//! line for nearly every state, stored or not. The nodes, which hold the keys, are read only if the
//! tag matches. At most nine slots in ten are used: 4.4 to 8.9 bytes per node.
//!
//! The tag continues the bits that select the line, and one more bit marks a node that did not fit
//! into its own line. A full table doubles in one pass from end to end, which rarely has to read
//! the nodes.
//!
//! Probes are spread over the whole table, and with ordinary pages nearly every probe would also
//! miss the address translation cache. The table therefore has its own memory map and requests huge
//! pages for it.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

#[cfg(feature = "huge-pages")]
use memmap2::MmapMut;
use rustc_hash::FxHasher;

use crate::prefetch::prefetch;

/// A hash table from keys to node numbers. It does not hold the keys.
#[derive(Debug, Default)]
pub(crate) struct NodeIndex {
    lines: Lines,
    /// The slot bits below the tag: 32 times the number of lines, minus 1.
    below_tag: u32,
    len: usize,
}

/// Each slot is 0, or a node's number plus one with a tag above it.
type Line = [u32; SLOTS];
const SLOTS: usize = 16;

/// Lines on the heap or, if there are many, in a memory map of their own.
#[derive(Debug)]
struct Lines {
    start: NonNull<Line>,
    len: usize,
    /// The memory that `start` points into.
    memory: Memory,
}

#[derive(Debug)]
enum Memory {
    Heap(Vec<HeapLine>),
    #[cfg(feature = "huge-pages")]
    Map(MmapMut),
}

/// A line that is a cache line on the heap too.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct HeapLine(Line);

/// The most lines on the heap: creating and dropping a map costs two system calls.
#[cfg(feature = "huge-pages")]
const ON_HEAP: usize = 1024;

/// The size of a huge page.
#[cfg(all(feature = "huge-pages", target_os = "linux"))]
const HUGE_PAGE: usize = 2 << 20;

impl Default for Lines {
    fn default() -> Self {
        Self { start: NonNull::dangling(), len: 0, memory: Memory::Heap(Vec::new()) }
    }
}

impl Lines {
    /// Returns `len` empty lines; `None` if there is not enough memory.
    fn new(len: usize) -> Option<Self> {
        // Browsers have no memory maps.
        #[cfg(feature = "huge-pages")]
        if len > ON_HEAP && !cfg!(target_arch = "wasm32") {
            return Self::mapped(len);
        }
        let mut lines = Vec::new();
        lines.try_reserve_exact(len).ok()?;
        lines.resize(len, HeapLine([0; SLOTS]));
        let start = NonNull::new(lines.as_mut_ptr().cast())?;
        Some(Self { start, len, memory: Memory::Heap(lines) })
    }

    #[cfg(feature = "huge-pages")]
    fn mapped(len: usize) -> Option<Self> {
        let mut map = MmapMut::map_anon(len * size_of::<Line>()).ok()?;
        // Without huge pages the table also works, but more slowly. A small table has none.
        #[cfg(target_os = "linux")]
        if map.len() >= HUGE_PAGE {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let start: NonNull<Line> = NonNull::new(map.as_mut_ptr().cast())?;
        debug_assert!(start.is_aligned(), "a map starts at a page boundary");
        Some(Self { start, len, memory: Memory::Map(map) })
    }

    fn has_memory(&self) -> bool {
        let bytes = match &self.memory {
            Memory::Heap(lines) => size_of_val(&**lines),
            #[cfg(feature = "huge-pages")]
            Memory::Map(map) => map.len(),
        };
        bytes >= self.len * size_of::<Line>()
    }
}

#[expect(unsafe_code, reason = "a checked cast of the map takes a quarter of the time of a probe")]
impl Deref for Lines {
    type Target = [Line];

    #[inline]
    fn deref(&self) -> &[Line] {
        debug_assert!(self.has_memory(), "the map is too short");
        let lines = NonNull::slice_from_raw_parts(self.start, self.len);
        // SAFETY: `start` points to memory that is aligned to lines, was made for `len` of them and
        // lives as long as `self`; any bytes are valid numbers.
        unsafe { lines.as_ref() }
    }
}

#[expect(unsafe_code, reason = "a checked cast of the map takes a quarter of the time of a probe")]
impl DerefMut for Lines {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Line] {
        debug_assert!(self.has_memory(), "the map is too short");
        let mut lines = NonNull::slice_from_raw_parts(self.start, self.len);
        // SAFETY: as above, and `self` is borrowed mutably for as long as the lines are.
        unsafe { lines.as_mut() }
    }
}

/// The empty slot that ends a key's probe.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct VacantSlot {
    line: usize,
    slot: usize,
    /// The bits above the node's number: the tag, and whether the line is not the key's own.
    tag: u32,
}

/// How many nodes are prefetched together while the table grows.
const PREFETCHED: usize = 32;

/// The number of lines in the smallest table, which fills a page.
const MIN_LINES: usize = 4096 / size_of::<Line>();

impl NodeIndex {
    /// Returns the size of the table in bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.lines.len() * size_of::<Line>()
    }

    /// Removes all nodes and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.lines.fill([0; SLOTS]);
        self.len = 0;
    }

    /// Returns whether `more` nodes with numbers up to `id` fit without growing.
    #[inline]
    pub(crate) fn has_room(&self, more: usize, id: usize) -> bool {
        let slots = self.lines.len() * SLOTS;
        (self.len + more) * 10 <= slots * 9 && id + 1 < slots
    }

    /// Returns the size in bytes of the table after growing.
    pub(crate) fn bytes_after_growth(&self) -> usize {
        (self.bytes() * 2).max(MIN_LINES * size_of::<Line>())
    }

    /// Doubles the number of lines. Returns `None` if there is not enough memory.
    ///
    /// Calls `prefetch` for a node some time before `hash_of`.
    #[cold]
    #[must_use]
    pub(crate) fn grow(
        &mut self,
        prefetch: impl Fn(u32),
        hash_of: impl Fn(u32) -> u64,
    ) -> Option<()> {
        let lines = self.bytes_after_growth() / size_of::<Line>();
        let old = std::mem::replace(&mut self.lines, Lines::new(lines)?);
        let (old_below_tag, old_number_bits) = (self.below_tag, self.number_bits());
        self.below_tag = (lines << BITS_BELOW_TAG).wrapping_sub(1) as u32;
        let mut waiting = VecDeque::with_capacity(PREFETCHED);
        for (at, line) in old.iter().enumerate() {
            // Nodes that did not fit into the previous line may be here already.
            let halves = [at, at + old.len()];
            let mut ends = halves.map(|line| used_slots(&self.lines[line]));
            for &slot in line.iter().take_while(|&&slot| slot != 0) {
                let number = slot & old_number_bits;
                let is_displaced = slot & (old_number_bits + 1) != 0;
                let half = usize::from(slot & self.below_tag & !old_below_tag != 0);
                if is_displaced || self.below_tag == u32::MAX || ends[half] == SLOTS {
                    // Rare: the bits of the slot do not determine the new line, or it is full.
                    prefetch(number - 1);
                    if waiting.len() == PREFETCHED
                        && let Some(number) = waiting.pop_front()
                    {
                        self.put(self.vacant_slot(hash_of(number - 1)), number);
                        ends = halves.map(|line| used_slots(&self.lines[line]));
                    }
                    waiting.push_back(number);
                } else {
                    // The tag's lowest bit becomes part of the line's number.
                    self.lines[halves[half]][ends[half]] = slot & !self.below_tag | number;
                    ends[half] += 1;
                }
            }
        }
        for number in waiting {
            self.put(self.vacant_slot(hash_of(number - 1)), number);
        }
        Some(())
    }

    #[cold]
    fn vacant_slot(&self, hash: u64) -> VacantSlot {
        let (mut line, mut tag) = self.locate(hash);
        while used_slots(&self.lines[line]) == SLOTS {
            let displaced;
            (line, displaced) = self.next_line(line);
            tag |= displaced;
        }
        VacantSlot { line, slot: used_slots(&self.lines[line]), tag }
    }

    #[inline]
    fn put(&mut self, VacantSlot { line, slot, tag }: VacantSlot, number: u32) {
        self.lines[line][slot] = tag | number;
    }

    /// Returns the line after a full one, and the bit that marks a displaced node.
    #[cold]
    fn next_line(&self, line: usize) -> (usize, u32) {
        ((line + 1) & (self.lines.len() - 1), self.number_bits() + 1)
    }

    /// Returns the node with this hash for which `is_match` holds, or the slot where it belongs.
    ///
    /// There must be room for one more node.
    #[expect(clippy::inline_always, reason = "it is called once for each generated node")]
    #[inline(always)]
    pub(crate) fn find(
        &self,
        hash: u64,
        is_match: impl Fn(u32) -> bool,
    ) -> Result<u32, VacantSlot> {
        let (mut line, mut tag) = self.locate(hash);
        let number_bits = self.number_bits();
        loop {
            let slots = &self.lines[line];
            let (mut matching, empty) = compare(slots, tag, !number_bits);
            while matching != 0 {
                let slot = slots[matching.trailing_zeros() as usize % SLOTS];
                let id = (slot & number_bits).wrapping_sub(1);
                if is_match(id) {
                    return Ok(id);
                }
                matching &= matching - 1;
            }
            if empty != 0 {
                return Err(VacantSlot { line, slot: empty.trailing_zeros() as usize, tag });
            }
            let displaced;
            (line, displaced) = self.next_line(line);
            tag |= displaced;
        }
    }

    /// Inserts a node into the slot where it was not found.
    #[inline]
    pub(crate) fn insert(&mut self, slot: VacantSlot, id: u32) {
        self.put(slot, id + 1);
        self.len += 1;
    }

    /// Starts loading the line for a hash, so that a later `find` does not wait for it.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        if let Some(line) = self.lines.get(self.locate(hash).0) {
            prefetch(line);
        }
    }

    /// Returns the line that a hash selects, and its tag, shifted to its place in a slot.
    #[inline]
    const fn locate(&self, hash: u64) -> (usize, u32) {
        let line = hash as usize & (self.below_tag >> BITS_BELOW_TAG) as usize;
        (line, (hash << BITS_BELOW_TAG) as u32 & !self.below_tag)
    }

    /// Returns the mask for the node's number in a slot.
    #[inline]
    const fn number_bits(&self) -> u32 {
        self.below_tag >> 1
    }
}

/// How many bits below the tag do not number lines. They number a line's slots and mark a node
/// outside the line that its hash selects.
const BITS_BELOW_TAG: u32 = SLOTS.trailing_zeros() + 1;

/// Returns how many slots of a line are used. They are the first ones.
#[inline]
fn used_slots(line: &Line) -> usize {
    (compare(line, 0, u32::MAX).1 | 1 << SLOTS).trailing_zeros() as usize
}

/// Returns two bit sets: the used slots that equal `value` in the bits of `mask`, and the empty
/// slots.
#[inline]
fn compare(line: &Line, value: u32, mask: u32) -> (u32, u32) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "thirty instructions without a branch, for sixteen slots")]
    // SAFETY: every x86-64 processor has SSE2.
    unsafe {
        compare_sse2(line, value, mask)
    }
    #[cfg(not(target_arch = "x86_64"))]
    compare_portable(line, value, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn compare_sse2(line: &Line, value: u32, mask: u32) -> (u32, u32) {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cmpeq_epi32, _mm_loadu_si128, _mm_movemask_epi8,
        _mm_packs_epi16, _mm_packs_epi32, _mm_set1_epi32, _mm_setzero_si128,
    };
    let (wanted, mask) = (_mm_set1_epi32((value & mask) as i32), _mm_set1_epi32(mask as i32));
    let (fours, rest) = line.as_chunks::<4>();
    debug_assert!(fours.len() == 4 && rest.is_empty(), "a line has sixteen slots");
    let load = |at: usize| {
        let four: &[u32; 4] = &fours[at];
        #[expect(unsafe_code, reason = "a vector is loaded through a pointer")]
        // SAFETY: the load reads 16 bytes, the size of `four`, and needs no alignment.
        unsafe {
            _mm_loadu_si128(four.as_ptr().cast())
        }
    };
    let vectors = [load(0), load(1), load(2), load(3)];
    let bits = |equal: [__m128i; 4]| {
        let halves = [_mm_packs_epi32(equal[0], equal[1]), _mm_packs_epi32(equal[2], equal[3])];
        _mm_movemask_epi8(_mm_packs_epi16(halves[0], halves[1])) as u32
    };
    let matching = bits(vectors.map(|four| _mm_cmpeq_epi32(_mm_and_si128(four, mask), wanted)));
    let empty = bits(vectors.map(|four| _mm_cmpeq_epi32(four, _mm_setzero_si128())));
    (matching & !empty, empty)
}

/// `compare` for any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
fn compare_portable(line: &Line, value: u32, mask: u32) -> (u32, u32) {
    let bits = |is: &dyn Fn(u32) -> bool| {
        line.iter().rev().fold(0, |bits, &slot| bits << 1 | u32::from(is(slot)))
    };
    let empty = bits(&|slot| slot == 0);
    (bits(&|slot| (slot ^ value) & mask == 0) & !empty, empty)
}

/// Returns a key's hash. Every bit of it depends on the whole key.
#[inline]
pub(crate) fn hash<K: Hash>(key: &K) -> u64 {
    let mut hasher = FoldHasher(0);
    key.hash(&mut hasher);
    hasher.finish()
}

/// Multiplies each word by a constant and folds the two halves of the product: one multiplication
/// for a one-word key. Bytes are hashed as `rustc_hash` does.
struct FoldHasher(u64);

impl Hasher for FoldHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut hasher = FxHasher::default();
        hasher.write(bytes);
        self.write_u64(hasher.finish());
    }

    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.write_u64(word.into());
    }

    #[inline]
    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    #[inline]
    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn add(index: &mut NodeIndex, keys: &[(u32, u64)], hash: impl Fn(u64) -> u64) {
        let key = |id| keys.iter().find(|pair| pair.0 == id).unwrap().1;
        for &(id, own) in keys {
            while !index.has_room(1, id as usize) {
                index.grow(|_| (), |id| hash(key(id))).unwrap();
            }
            let slot = index.find(hash(own), |other| key(other) == own).unwrap_err();
            index.insert(slot, id);
        }
        for &(id, own) in keys {
            assert_eq!(index.find(hash(own), |other| key(other) == own).ok(), Some(id));
        }
    }

    #[test]
    fn inserted_keys_are_found_and_others_are_not() {
        let mut random = Random::new(3);
        let keys: Vec<(u32, u64)> = (0..3_000).map(|id| (id, random.next())).collect();
        // Few different hashes, so that lines overflow and probes wrap around the end.
        for hashes in [7, 97, u64::MAX] {
            let mut index = NodeIndex::default();
            add(&mut index, &keys, |key| (key % hashes).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            assert_eq!(index.len, keys.len());
        }
    }

    #[test]
    fn numbers_far_apart_fit() {
        add(&mut NodeIndex::default(), &[(5, 1), (70_000, 2), (900_000, 3)], |key| key);
    }

    #[test]
    fn both_comparisons_give_the_same_sets() {
        let mut random = Random::new(8);
        for _ in 0..20_000 {
            let mask = [0, 0xff, 0xffff_ff00, u32::MAX, random.next() as u32][random.below(5)];
            let value = [0, 1, 0x1234_5678, random.next() as u32][random.below(4)];
            let line = std::array::from_fn(|_| match random.below(4) {
                0 => 0,
                1 => value,
                2 => value ^ (random.next() as u32 & !mask),
                _ => random.next() as u32,
            });
            let expected = compare_portable(&line, value, mask);
            assert_eq!(compare(&line, value, mask), expected, "{line:x?} {value:x} {mask:x}");
        }
    }

    #[test]
    fn hashes_of_similar_keys_differ_in_their_low_and_high_bits() {
        fn spread<K: Hash>(keys: impl Iterator<Item = K>) -> [usize; 2] {
            let hashes: Vec<u64> = keys.map(|key| hash(&key)).collect();
            [0, 48].map(|shift| {
                let part = |hash: &u64| (hash >> shift) as u16;
                hashes.iter().map(part).collect::<std::collections::HashSet<_>>().len()
            })
        }
        // Of 4096 random 16-bit numbers, about 3970 are different.
        let expected = 3_900..;
        for [low, high] in [
            spread((0u32..4096).map(u64::from)),
            spread((0u64..4096).map(|key| key << 40)),
            spread((0u128..4096).map(|key| key << 80)),
            spread((0i32..4096).map(|key| (key / 64, -key % 64))),
            spread((0u16..4096).map(|key| [key.to_le_bytes(), [0; 2]])),
            spread((0u16..4096).map(|key| key.to_string())),
        ] {
            assert!(expected.contains(&low) && expected.contains(&high), "{low} {high}");
        }
    }
}
