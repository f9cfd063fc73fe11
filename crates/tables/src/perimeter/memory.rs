//! The words of a perimeter that was built, in huge pages: with small ones, almost every insertion
//! and look-up would also miss the TLB, and building would take three times as long.
#![allow(unsafe_code, reason = "the threads that build share the words: see SAFETY")]

use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;

/// Words that are zero at first.
#[derive(Debug)]
pub(super) enum Memory {
    Map(MmapMut),
    /// Where there are no maps, as in a browser.
    Heap(Vec<u64>),
}

impl Memory {
    pub(super) fn new(words: usize) -> Self {
        let Ok(map) = MmapMut::map_anon(words * size_of::<u64>()) else {
            return Self::Heap(vec![0; words]);
        };
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Self::Map(map)
    }

    /// Returns the words for several threads to write.
    pub(super) fn shared(&mut self) -> &[AtomicU64] {
        let bytes: &mut [u8] = match self {
            Self::Map(map) => map,
            Self::Heap(words) => bytemuck::cast_slice_mut(words),
        };
        let start: *const AtomicU64 = bytes.as_mut_ptr().cast();
        assert!(start.is_aligned(), "a map starts at a page boundary, and a list at a word");
        // SAFETY: the bytes are borrowed exclusively for as long as the result lives, it has no more
        // of them, is aligned, and every value of a word is valid.
        unsafe { std::slice::from_raw_parts(start, bytes.len() / size_of::<AtomicU64>()) }
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Map(map) => map,
            Self::Heap(words) => bytemuck::cast_slice(words),
        }
    }
}
