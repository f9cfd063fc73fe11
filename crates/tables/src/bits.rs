//! Sets of small numbers as the bits of a word.

/// Returns the positions of the bits that are set, from the lowest.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then_some(word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

/// Returns the positions of the bits that are set as text, such as `1.4.5`.
pub(crate) fn list(word: u64) -> String {
    bits(word).map(|bit| bit.to_string()).collect::<Vec<_>>().join(".")
}
