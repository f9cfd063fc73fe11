//! The innermost loops of a sweep: one move of every board in a bucket.

use crate::packed::Lane;

/// Boards that differ in their tiles alone.
#[derive(Default)]
pub(crate) struct Bucket {
    /// The boards, and room that was used before.
    words: Vec<u64>,
    length: usize,
}

impl Bucket {
    /// Room that a kernel may write over behind the last board.
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

    /// Takes the last boards away.
    pub(crate) fn take(&mut self, count: usize) -> &[u64] {
        self.length -= count;
        &self.words[self.length..][..count]
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// Room for more boards behind the last.
    #[inline]
    fn room(&mut self, boards: usize) -> &mut [u64] {
        let end = self.length + boards + Self::SPARE;
        if end > self.words.len() {
            self.words.resize(end.next_power_of_two(), 0);
        }
        &mut self.words[self.length..end]
    }
}

/// A way to move the boards of a bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    /// One at a time.
    Plain,
    /// Four at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Detected),
}

impl Kernel {
    /// The fastest that the machine has.
    pub(crate) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(detected) = avx2::Detected::new() {
            return Self::Avx2(detected);
        }
        Self::Plain
    }

    /// Moves all boards, and keeps those whose tile is closer.
    #[inline]
    pub(crate) fn closer(self, boards: &[u64], lane: &Lane, closer: &mut Bucket) {
        match self {
            Self::Plain => keep_closer(boards, lane, closer),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(detected) => detected.closer(boards, lane, closer),
        }
    }

    /// Moves all boards, to one bucket or the other.
    #[inline]
    pub(crate) fn both(
        self,
        boards: &[u64],
        lane: &Lane,
        closer: &mut Bucket,
        farther: &mut Bucket,
    ) {
        match self {
            Self::Plain => keep_both(boards, lane, closer, farther),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(detected) => detected.both(boards, lane, closer, farther),
        }
    }
}

// Every board is written, and the next one over it unless it is kept: whether it is kept can't be
// foreseen, and a wrong guess of the processor costs more than all the rest.
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
    use crate::packed::Lane;

    /// Proof that the machine has the instructions.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Detected(());

    #[expect(clippy::unused_self, reason = "having one is the proof")]
    impl Detected {
        pub(crate) fn new() -> Option<Self> {
            let detected = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
            detected.then_some(Self(()))
        }

        pub(crate) fn closer(self, boards: &[u64], lane: &Lane, closer: &mut Bucket) {
            // SAFETY: `self` exists, so the machine has the instructions.
            unsafe { keep_closer_wide(boards, lane, closer) }
        }

        pub(crate) fn both(
            self,
            boards: &[u64],
            lane: &Lane,
            closer: &mut Bucket,
            farther: &mut Bucket,
        ) {
            // SAFETY: `self` exists, so the machine has the instructions.
            unsafe { keep_both_wide(boards, lane, closer, farther) }
        }
    }

    /// For each set of boards among four, the order of their halves that brings them to the front.
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

    /// A lane, in registers.
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

        /// The boards after the move, and the set of those whose tile is closer.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn slide(self, boards: __m256i) -> (__m256i, usize) {
            let tiles = _mm256_and_si256(_mm256_srl_epi64(boards, self.from), self.tile);
            // A tile's bit goes to the top of the word, from where it is gathered.
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
        // SAFETY: 32 bytes can be read there, and no alignment is asked for.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    /// Writes the boards of a set to the front of some room, and whatever behind them.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(boards: __m256i, set: usize, room: &mut [u64; 4]) {
        // SAFETY: 32 bytes can be read and written there, and no alignment is asked for.
        unsafe {
            let order = _mm256_loadu_si256(FRONT[set & 15].as_ptr().cast());
            let boards = _mm256_permutevar8x32_epi32(boards, order);
            _mm256_storeu_si256(room.as_mut_ptr().cast(), boards);
        }
    }

    /// Four words of room, of which there are always some to spare.
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
