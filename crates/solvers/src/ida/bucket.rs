//! The innermost loops of a sweep: one move of every board in a bucket, with AVX2 or portably.

use crate::ida::board::Lane;

/// Boards with the same blank, the same last moves and the same slack.
#[derive(Default)]
pub(crate) struct Bucket {
    /// The boards, and behind them words that were used before.
    words: Vec<u64>,
    length: usize,
}

impl Bucket {
    /// The number of words behind the last board that a vector store may overwrite.
    const SPARE: usize = 4;

    #[inline]
    pub(crate) fn boards(&self) -> &[u64] {
        &self.words[..self.length]
    }

    pub(crate) const fn clear(&mut self) {
        self.length = 0;
    }

    pub(crate) fn extend(&mut self, boards: &[u64]) {
        self.room(boards.len())[..boards.len()].copy_from_slice(boards);
        self.length += boards.len();
    }

    /// Removes and returns the last `count` boards.
    pub(crate) fn take(&mut self, count: usize) -> &[u64] {
        self.length -= count;
        &self.words[self.length..][..count]
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// Returns room for `boards` more boards behind the last.
    #[inline]
    fn room(&mut self, boards: usize) -> &mut [u64] {
        let end = self.length + boards + Self::SPARE;
        if end > self.words.len() {
            self.words.resize(end.next_power_of_two(), 0);
        }
        &mut self.words[self.length..end]
    }
}

/// The instructions that move the boards of a bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instructions {
    /// One board at a time, on any processor.
    Portable,
    /// Four boards at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Detected),
}

impl Instructions {
    /// Returns the fastest that the processor has.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(detected) = avx2::Detected::new() {
            return Self::Avx2(detected);
        }
        Self::Portable
    }

    /// Moves all boards and appends to `closer` those whose tile comes closer to its home.
    #[inline]
    pub(crate) fn closer(self, boards: &[u64], lane: &Lane, closer: &mut Bucket) {
        match self {
            Self::Portable => keep_closer(boards, lane, closer),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(detected) => detected.closer(boards, lane, closer),
        }
    }

    /// Moves all boards and appends them to `closer` or `farther`.
    #[inline]
    pub(crate) fn both(
        self,
        boards: &[u64],
        lane: &Lane,
        closer: &mut Bucket,
        farther: &mut Bucket,
    ) {
        match self {
            Self::Portable => keep_both(boards, lane, closer, farther),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(detected) => detected.both(boards, lane, closer, farther),
        }
    }
}

// Every board is written, and the next one overwrites it unless it is kept: that is unpredictable,
// and a mispredicted branch would cost more than everything else.
fn keep_closer(boards: &[u64], lane: &Lane, closer: &mut Bucket) {
    let room = closer.room(boards.len());
    let mut kept = 0;
    for &board in boards {
        let (board, tile) = lane.slide(board);
        room[kept] = board;
        kept += usize::from(lane.is_closer(tile));
    }
    closer.length += kept;
}

fn keep_both(boards: &[u64], lane: &Lane, closer: &mut Bucket, farther: &mut Bucket) {
    let (room, other) = (closer.room(boards.len()), farther.room(boards.len()));
    let mut kept = 0;
    for (at, &board) in boards.iter().enumerate() {
        let (board, tile) = lane.slide(board);
        room[kept] = board;
        other[at - kept] = board;
        kept += usize::from(lane.is_closer(tile));
    }
    closer.length += kept;
    farther.length += boards.len() - kept;
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    //! Four boards at a time.
    #![allow(unsafe_code, reason = "vector instructions double the speed of a search")]

    use std::arch::x86_64::{
        __m128i, __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_castsi256_pd,
        _mm256_loadu_si256, _mm256_movemask_pd, _mm256_or_si256, _mm256_permutevar8x32_epi32,
        _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_sllv_epi64, _mm256_srl_epi64,
        _mm256_storeu_si256, _mm256_sub_epi64, _mm256_xor_si256,
    };

    use super::{Bucket, keep_both, keep_closer};
    use crate::ida::board::Lane;

    /// Proof that the processor has the instructions.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Detected(());

    #[expect(clippy::unused_self, reason = "having one is the proof")]
    impl Detected {
        pub(crate) fn new() -> Option<Self> {
            let detected = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
            detected.then_some(Self(()))
        }

        pub(crate) fn closer(self, boards: &[u64], lane: &Lane, closer: &mut Bucket) {
            debug_assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt"));
            // SAFETY: `self` exists, so the processor has the instructions.
            unsafe { keep_closer_wide(boards, lane, closer) }
        }

        pub(crate) fn both(
            self,
            boards: &[u64],
            lane: &Lane,
            closer: &mut Bucket,
            farther: &mut Bucket,
        ) {
            debug_assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt"));
            // SAFETY: `self` exists, so the processor has the instructions.
            unsafe { keep_both_wide(boards, lane, closer, farther) }
        }
    }

    /// For each subset of four boards, the permutation of 32-bit halves that moves it to the front.
    const FRONT: [[u32; 8]; 16] = {
        let mut front = [[0; 8]; 16];
        let mut set = 0;
        while set < 16 {
            let (mut board, mut place) = (0, 0);
            while board < 4 {
                if set >> board & 1 == 1 {
                    front[set][place] = 2 * board;
                    front[set][place + 1] = 2 * board + 1;
                    place += 2;
                }
                board += 1;
            }
            set += 1;
        }
        front
    };

    /// A lane in registers.
    #[derive(Clone, Copy)]
    struct WideLane {
        from: __m128i,
        to: __m128i,
        closer: __m256i,
        tile: __m256i,
        top: __m256i,
    }

    impl WideLane {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn new(lane: &Lane) -> Self {
            Self {
                from: _mm_cvtsi32_si128(lane.from.into()),
                to: _mm_cvtsi32_si128(lane.to.into()),
                closer: _mm256_set1_epi64x(lane.closer.into()),
                tile: _mm256_set1_epi64x(15),
                top: _mm256_set1_epi64x(63),
            }
        }

        /// Returns the boards after the move, and the set of those whose tile comes closer.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn slide(self, boards: __m256i) -> (__m256i, usize) {
            let tiles = _mm256_and_si256(_mm256_srl_epi64(boards, self.from), self.tile);
            // Shifts the tile's bit to the top of the word, where `movemask` reads it.
            let closer = _mm256_sllv_epi64(self.closer, _mm256_sub_epi64(self.top, tiles));
            let set = _mm256_movemask_pd(_mm256_castsi256_pd(closer)) as usize;
            let slid = _mm256_or_si256(
                _mm256_sll_epi64(tiles, self.from),
                _mm256_sll_epi64(tiles, self.to),
            );
            (_mm256_xor_si256(boards, slid), set)
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(words: &[u64; 4]) -> __m256i {
        debug_assert_eq!(size_of_val(words), size_of::<__m256i>());
        // SAFETY: the array has 32 bytes, and the instruction needs no alignment.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    /// Moves the selected boards to the front of `room`; the remaining lanes are garbage.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(boards: __m256i, set: usize, room: &mut [u64; 4]) {
        let order = &FRONT[set & 15];
        debug_assert_eq!(size_of_val(order), size_of::<__m256i>());
        debug_assert_eq!(size_of_val(room), size_of::<__m256i>());
        // SAFETY: the array has 32 bytes, and the instruction needs no alignment.
        let order = unsafe { _mm256_loadu_si256(order.as_ptr().cast()) };
        let boards = _mm256_permutevar8x32_epi32(boards, order);
        // SAFETY: the array has 32 bytes, and the instruction needs no alignment.
        unsafe { _mm256_storeu_si256(room.as_mut_ptr().cast(), boards) };
    }

    /// Returns the four words at `at`; a bucket always has room to spare.
    #[inline]
    fn four(room: &mut [u64], at: usize) -> &mut [u64; 4] {
        room[at..].first_chunk_mut().expect("a bucket has room to spare")
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn keep_closer_wide(boards: &[u64], lane: &Lane, closer: &mut Bucket) {
        let room = closer.room(boards.len());
        let wide = WideLane::new(lane);
        let (fours, rest) = boards.as_chunks();
        let mut kept = 0;
        for boards in fours {
            let (boards, set) = wide.slide(load(boards));
            store(boards, set, four(room, kept));
            kept += set.count_ones() as usize;
        }
        closer.length += kept;
        keep_closer(rest, lane, closer);
    }

    #[target_feature(enable = "avx2,popcnt")]
    fn keep_both_wide(boards: &[u64], lane: &Lane, closer: &mut Bucket, farther: &mut Bucket) {
        let (room, other) = (closer.room(boards.len()), farther.room(boards.len()));
        let wide = WideLane::new(lane);
        let (fours, rest) = boards.as_chunks();
        let mut kept = 0;
        for (at, boards) in fours.iter().enumerate() {
            let (boards, set) = wide.slide(load(boards));
            store(boards, set, four(room, kept));
            store(boards, !set, four(other, 4 * at - kept));
            kept += set.count_ones() as usize;
        }
        closer.length += kept;
        farther.length += boards.len() - rest.len() - kept;
        keep_both(rest, lane, closer, farther);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SolverOptions;
    use crate::ida::moves::Moves;
    use taquin_search::Random;
    use taquin_tables::Automaton;
    use taquin_tiles::Size;

    /// The vector instructions move and keep the same boards in the same order as the portable
    /// code.
    #[test]
    #[cfg_attr(not(target_arch = "x86_64"), ignore = "needs vector instructions of x86-64")]
    fn vector_instructions_do_what_portable_code_does() {
        let best = Instructions::best();
        assert!(!matches!(best, Instructions::Portable), "there are no vector instructions");
        let mut random = Random::new(1);
        for (rows, cols) in [(2, 2), (3, 3), (2, 7), (4, 4)] {
            let size = Size::new(rows, cols).unwrap();
            let shape = SolverOptions::default().automaton(size).unwrap();
            for lane in &Moves::new::<u64>(&Automaton::new(shape)).unwrap().lanes {
                for count in (0..12).chain([64, 1_001]) {
                    let boards: Vec<u64> = (0..count).map(|_| random.next()).collect();
                    // The buckets have boards already, and memory that was used before.
                    let moved = |instructions: Instructions| {
                        let mut buckets: [Bucket; 3] = Default::default();
                        for bucket in &mut buckets {
                            bucket.extend(&[u64::MAX; 100]);
                            bucket.clear();
                            bucket.extend(&[7]);
                        }
                        let [only, closer, farther] = &mut buckets;
                        instructions.closer(&boards, lane, only);
                        instructions.both(&boards, lane, closer, farther);
                        buckets.map(|bucket| bucket.boards().to_vec())
                    };
                    let expected = moved(Instructions::Portable);
                    assert_eq!(expected[1].len() + expected[2].len(), count + 2);
                    assert_eq!(moved(best), expected, "{size}, {count} boards");
                }
            }
        }
    }
}
