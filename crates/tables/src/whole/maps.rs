//! How the boards of one slab are numbered in another, after a vertical move.
//!
//! The rotation changes adjacent digits. If the last of them numbers words, it copies whole blocks
//! or runs of words. Otherwise it moves chunks of bits: a target word is the union of some words,
//! each shifted and masked. All groups in a block undergo the same changes, so a shift is done on
//! eight words at once, one from each of eight groups. A block of 336 words takes 300 to 8,000
//! vector instructions on two words each, which is less than 0.4 per board.

use super::index::{PER_WORD, SpaceShape, WORD_RADIX};
use super::rotation::Rotation;

/// The words that are shifted together.
const LANES: usize = 8;

/// How a rotation changes the numbers in a slab, as a table: for each board, the board that becomes
/// this one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Map {
    /// The changing digits of a block's number: their place value, and how many values they have.
    stride: usize,
    rows: usize,
    /// For each value of these digits, the values that a part of the block comes from.
    sources: Box<[Box<[u32]>]>,
    effect: Effect,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Effect {
    /// A block is another block.
    Blocks,
    /// A run of `words` words is another run.
    Runs {
        words: usize,
        origins: Box<[Origin]>,
    },
    Bits(Terms),
}

/// The source of a run of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Origin {
    /// The value of the block's changing digits.
    row: u32,
    /// The position in the block, in runs.
    place: u32,
}

/// The bits in a group of words, as unions of shifted and masked words.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Terms {
    /// For each word in a group, the end of its terms with a left shift, and of all its terms.
    ends: Box<[[usize; 2]]>,
    all: Box<[Term]>,
    /// For each group in a block, padded to a multiple of [`LANES`]: all bits, if its number is
    /// odd. Empty if the effect does not depend on it.
    odd: Box<[u64]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Term {
    /// The word of the group that the bits come from.
    from: usize,
    /// The number of places that they are shifted to the left or to the right.
    shift: u32,
    /// Their targets if the digits above the group's have an even sum.
    mask: u64,
    /// How the mask differs if it is odd.
    change: u64,
}

/// Buffers for the words of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    columns: Vec<u64>,
    sums: Vec<u64>,
}

impl Map {
    /// Returns the map of a rotation, or `None` if no number changes.
    pub(super) fn new(shape: SpaceShape, rotation: Rotation) -> Option<Self> {
        if rotation.last_radix() < WORD_RADIX {
            let terms = Terms::new(shape, rotation);
            let effect = Effect::Bits(terms);
            let sources = Box::new([Box::from([0])]);
            let map = Self { stride: 1, rows: 1, sources, effect };
            return (!map.is_identity()).then_some(map);
        }
        let below = rotation.radix - rotation.length;
        let is_inside = |radix: usize| radix <= shape.block_radix();
        let radices = rotation.last_radix()..=rotation.radix;
        let inside: usize = radices.filter(|&radix| is_inside(radix)).product();
        let stride = (shape.block_radix() + 1..=below).product();
        let all: Vec<usize> = (0..rotation.values()).map(|value| rotation.apply(value)).collect();
        let sources: Box<[Box<[u32]>]> = all
            .chunks(inside)
            .map(|values| {
                let mut rows: Vec<u32> =
                    values.iter().map(|&origin| (origin / inside) as u32).collect();
                rows.sort_unstable();
                rows.dedup();
                rows.into()
            })
            .collect();
        let effect = match is_inside(rotation.last_radix()) {
            false => Effect::Blocks,
            true => {
                let split = |value: usize| Origin {
                    row: (value / inside) as u32,
                    place: (value % inside) as u32,
                };
                let words = (WORD_RADIX..=below).product();
                // The digits inside a block above the changing ones.
                let repeats: usize = (rotation.radix + 1..=shape.block_radix()).product();
                let origins = (0..repeats).flat_map(|repeat| {
                    let first = (repeat * inside) as u32;
                    all.iter().map(move |&value| {
                        let Origin { row, place } = split(value);
                        Origin { row, place: first + place }
                    })
                });
                Effect::Runs { words, origins: origins.collect() }
            }
        };
        Some(Self { stride, rows: sources.len(), sources, effect })
    }

    fn is_identity(&self) -> bool {
        let Effect::Bits(Terms { ends, all, .. }) = &self.effect else { return false };
        let is_same = |(word, term): (usize, &Term)| term.from == word && term.shift == 0;
        ends.len() == all.len() && all.iter().enumerate().all(is_same)
    }

    /// Returns the most bytes that a space's maps can take.
    pub(super) fn all_bytes(shape: SpaceShape) -> usize {
        let lengths = match shape.blanks() {
            1 => shape.cols..=shape.cols,
            _ => 2..=shape.cols,
        };
        let rotations = lengths.flat_map(|length| {
            let to_front = false;
            (length.max(2)..=shape.tiles()).map(move |radix| Rotation { radix, length, to_front })
        });
        let bytes = |rotation: Rotation| match rotation.last_radix() {
            WORD_RADIX.. => {
                let entries = rotation.values().max(shape.block_words());
                entries * (size_of::<Origin>() + size_of::<usize>() + 2 * size_of::<u32>() + 16)
            }
            last => {
                let units = rotation.radix.max(WORD_RADIX - 1);
                let units: usize = (last.clamp(3, units)..=units).product();
                units * size_of::<Term>() * 2 + (1 << 12)
            }
        };
        rotations.map(|rotation| 2 * bytes(rotation)).sum()
    }

    /// Returns the blocks that parts of a block come from.
    #[inline]
    pub(super) fn sources(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        let row = block / self.stride % self.rows;
        let first = block - row * self.stride;
        self.sources[row].iter().map(move |&row| first + row as usize * self.stride)
    }

    /// Returns which runs of `length` words in a block come from another block, and which runs
    /// these are there, with a bit for each. All bits are set if the whole block comes from there.
    pub(super) fn runs_from(&self, block: usize, source: usize, length: usize) -> [u64; 2] {
        let Effect::Runs { words, origins } = &self.effect else { return [u64::MAX; 2] };
        let row = block % self.rows;
        let inside = origins.len() / self.rows;
        let from = (source + row - block) as u32;
        let of_block = origins[row * inside..][..inside].iter().enumerate();
        let runs_at = |place: usize| {
            let [first, last] = [place * words, (place + 1) * words - 1].map(|word| word / length);
            (first..=last).fold(0, |runs, run| runs | 1 << run)
        };
        let of_source = of_block.filter(|(_, origin)| origin.row == from);
        of_source.fold([0; 2], |[runs, sources], (place, origin)| {
            [runs | runs_at(place), sources | runs_at(origin.place as usize)]
        })
    }

    /// Adds a block's boards to `sum`. `source` returns a block's words, or `None` if it is empty.
    /// `is_odd` is set if the digits of the block's number and the slab's parity have an odd sum.
    #[inline]
    pub(super) fn add<'a>(
        &self,
        block: usize,
        is_odd: impl Fn() -> bool,
        source: impl Fn(usize) -> Option<&'a [u64]>,
        sum: &mut [u64],
        scratch: &mut Scratch,
    ) {
        match &self.effect {
            Effect::Blocks => {
                let from = self.sources(block).next().and_then(source);
                if let Some(words) = from {
                    unite(sum, words);
                }
            }
            Effect::Runs { words, origins } => {
                let row = block / self.stride % self.rows;
                let inside = sum.len() / words;
                let origins = &origins[row * inside..][..inside];
                let source = |row_of: u32| source(block - row + row_of as usize);
                // A loop of its own for each usual length.
                match *words {
                    1 => add_runs(1, origins, source, sum),
                    6 => add_runs(6, origins, source, sum),
                    42 => add_runs(42, origins, source, sum),
                    words => add_runs(words, origins, source, sum),
                }
            }
            Effect::Bits(terms) => {
                if let Some(words) = source(block) {
                    terms.add(words, is_odd, sum, scratch);
                }
            }
        }
    }
}

/// Adds the boards of some words.
#[inline]
pub(super) fn unite(sum: &mut [u64], words: &[u64]) {
    for (sum, word) in sum.iter_mut().zip(words) {
        *sum |= word;
    }
}

/// Adds runs of words, each from its origin.
#[inline]
fn add_runs<'a>(
    words: usize,
    origins: &[Origin],
    source: impl Fn(u32) -> Option<&'a [u64]>,
    sum: &mut [u64],
) {
    let mut current = (u32::MAX, None);
    for (sum, origin) in sum.chunks_exact_mut(words).zip(origins) {
        if origin.row != current.0 {
            current = (origin.row, source(origin.row));
        }
        if let Some(from) = current.1 {
            unite(sum, &from[origin.place as usize * words..][..words]);
        }
    }
}

impl Terms {
    fn new(shape: SpaceShape, rotation: Rotation) -> Self {
        // The digits of a group and its bits: from this radix down.
        let top = rotation.radix.max(WORD_RADIX - 1);
        let words: usize = (WORD_RADIX..=top).product();
        // A chunk of bits is below the last digit that changes.
        let chunk: usize = (3..rotation.last_radix()).product();
        let has_parity = rotation.last_radix() <= 2;
        let mut ends = Vec::new();
        let mut all = Vec::new();
        for word in 0..words {
            let mut of_word: Vec<(bool, Term)> = Vec::new();
            for bit in (0..PER_WORD).step_by(chunk) {
                for odd in [false, true] {
                    let origin = origin(rotation, top, (word, bit), odd);
                    let (is_right, shift) = (origin.1 > bit, origin.1.abs_diff(bit) as u32);
                    let is_same = |(right, term): &(bool, Term)| {
                        (*right, term.from, term.shift) == (is_right, origin.0, shift)
                    };
                    let at = of_word.iter().position(is_same).unwrap_or_else(|| {
                        let term = Term { from: origin.0, shift, mask: 0, change: 0 };
                        of_word.push((is_right, term));
                        of_word.len() - 1
                    });
                    let bits = ((1 << chunk) - 1) << bit;
                    let term = &mut of_word[at].1;
                    term.change ^= bits;
                    if !odd {
                        term.mask |= bits;
                    }
                }
            }
            of_word.sort_by_key(|(is_right, _)| *is_right);
            let left = of_word.iter().filter(|(is_right, _)| !is_right).count();
            ends.push([all.len() + left, all.len() + of_word.len()]);
            all.extend(of_word.into_iter().map(|(_, term)| term));
        }
        let groups = shape.block_words() / words;
        let odd: Vec<u64> = (0..groups.next_multiple_of(LANES))
            .map(|group| if is_odd(group, top + 1) { u64::MAX } else { 0 })
            .collect();
        let odd = if has_parity { odd } else { Vec::new() };
        Self { ends: ends.into(), all: all.into(), odd: odd.into() }
    }

    #[inline]
    fn add(
        &self,
        words: &[u64],
        is_odd: impl Fn() -> bool,
        sum: &mut [u64],
        Scratch { columns, sums }: &mut Scratch,
    ) {
        let of_group = self.ends.len();
        let groups = words.len() / of_group;
        if of_group == 1 && groups.is_multiple_of(LANES) {
            return self.add_columns(words, is_odd, sum);
        }
        // The first words of all groups, then the second ones, and so on.
        let padded = groups.next_multiple_of(LANES);
        for buffer in [&mut *columns, &mut *sums] {
            buffer.clear();
            buffer.resize(of_group * padded, 0);
        }
        for (group, words) in words.chunks_exact(of_group).enumerate() {
            for (word, &bits) in words.iter().enumerate() {
                columns[word * padded + group] = bits;
            }
        }
        self.add_columns(columns, is_odd, sums);
        for (group, sum) in sum.chunks_exact_mut(of_group).enumerate() {
            for (word, sum) in sum.iter_mut().enumerate() {
                *sum |= sums[word * padded + group];
            }
        }
    }

    #[inline]
    fn add_columns(&self, columns: &[u64], is_odd: impl Fn() -> bool, sums: &mut [u64]) {
        match self.odd.is_empty() {
            true => self.add_lanes::<false>(columns, 0, sums),
            false => {
                self.add_lanes::<true>(columns, if is_odd() { u64::MAX } else { 0 }, sums);
            }
        }
    }

    /// Adds the terms of each word to its column, eight groups at a time.
    #[inline]
    fn add_lanes<const PARITY: bool>(&self, columns: &[u64], odd: u64, sums: &mut [u64]) {
        let columns = columns.as_chunks::<LANES>().0;
        let sums = sums.as_chunks_mut::<LANES>().0;
        let odd_groups = self.odd.as_chunks::<LANES>().0;
        let length = columns.len() / self.ends.len();
        let mut first = 0;
        for (sums, &[left, end]) in sums.chunks_exact_mut(length).zip(&self.ends) {
            let (left, right) = (&self.all[first..left], &self.all[left..end]);
            first = end;
            for (at, sum) in sums.iter_mut().enumerate() {
                let mut parity = [0; LANES];
                if PARITY {
                    parity = odd_groups[at].map(|group| group ^ odd);
                }
                let mut total = *sum;
                let mut add = |term: &Term, shift: fn(u64, u32) -> u64| {
                    let words = &columns[term.from * length + at];
                    for lane in 0..LANES {
                        let mask = match PARITY {
                            true => term.mask ^ (term.change & parity[lane]),
                            false => term.mask,
                        };
                        total[lane] |= shift(words[lane], term.shift) & mask;
                    }
                };
                for term in left {
                    add(term, u64::wrapping_shl);
                }
                for term in right {
                    add(term, u64::wrapping_shr);
                }
                *sum = total;
            }
        }
    }
}

/// Returns the word and the bit in a group that become this one. `is_odd` is the parity of the slab
/// and the digits above the group's.
fn origin(
    rotation: Rotation,
    top: usize,
    (word, bit): (usize, usize),
    is_odd: bool,
) -> (usize, usize) {
    let mut digits = [0; 64];
    let (mut rest, mut rest_of_bit) = (word, bit);
    for radix in 3..=top {
        let rest = if radix < WORD_RADIX { &mut rest_of_bit } else { &mut rest };
        digits[top - radix] = *rest % radix;
        *rest /= radix;
    }
    digits[top - 2] = (digits.iter().sum::<usize>() + usize::from(is_odd)) % 2;
    rotation.turn(&mut digits[top - rotation.radix..][..rotation.length]);
    (3..=top).rev().fold((0, 0), |(word, bit), radix| {
        let digit = digits[top - radix];
        match radix < WORD_RADIX {
            true => (word, bit * radix + digit),
            false => (word * radix + digit, bit),
        }
    })
}

/// Returns whether a number's digits have an odd sum. Its last digit has this radix.
pub(super) fn is_odd(number: usize, radix: usize) -> bool {
    let (mut rest, mut sum) = (number, 0);
    for radix in radix.. {
        if rest == 0 {
            break;
        }
        sum += rest % radix;
        rest /= radix;
    }
    sum % 2 == 1
}

#[cfg(test)]
mod tests {
    use taquin_search::Random;
    use taquin_tiles::NamedGoal;

    use super::*;

    /// Every bit in a slab comes from where the rotation of all digits puts it.
    #[test]
    fn blocks_runs_and_bits_do_what_rotations_do() {
        let mut random = Random::new(5);
        // Seven to nine tiles on boards of two to five columns.
        for (size, blanks) in [("4x2", 1), ("3x3", 1), ("5x2", 1), ("4x4", 7), ("5x5", 16)] {
            let shape = SpaceShape::new(&NamedGoal::Last.board(size.parse().unwrap(), blanks));
            let words: Vec<u64> =
                (0..shape.slab_words()).map(|_| random.next() >> (64 - PER_WORD)).collect();
            let block_words = shape.block_words();
            for radix in 2..=shape.tiles() {
                for length in 2..=shape.cols.min(radix) {
                    for (to_front, odd) in [(true, false), (true, true), (false, false)] {
                        let rotation = Rotation { radix, length, to_front };
                        let map = Map::new(shape, rotation);
                        let mut scratch = Scratch::default();
                        for block in (0..shape.blocks()).step_by(1 + shape.blocks() / 3) {
                            let mut sum = vec![0; block_words];
                            let source =
                                |block: usize| Some(&words[block * block_words..][..block_words]);
                            let is_odd = || is_odd(block, shape.block_radix() + 1) != odd;
                            match &map {
                                Some(map) => map.add(block, is_odd, source, &mut sum, &mut scratch),
                                None => unite(&mut sum, source(block).unwrap()),
                            }
                            for (at, &word) in sum.iter().enumerate().step_by(5) {
                                for bit in 0..PER_WORD {
                                    let to = (block * block_words + at, bit);
                                    let top = shape.tiles().max(WORD_RADIX - 1);
                                    let from = origin(rotation, top, to, odd);
                                    let expected = words[from.0] >> from.1 & 1;
                                    assert_eq!(word >> bit & 1, expected, "{size} {rotation:?}");
                                }
                            }
                            if let Some(map) = &map {
                                assert!(map.sources(block).all(|block| block < shape.blocks()));
                            }
                        }
                    }
                }
            }
        }
    }
}
