//! The only source of random numbers, so that a seed gives the same results on every machine and
//! in every version.
//!
//! The generator is `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators", 2014): a counter that advances by an odd constant, and a mixing function. Numbers
//! below a bound are made from 64 bits by multiplication, and biased results are rejected (Lemire,
//! 2019).

/// A sequence of pseudo-random numbers that is determined by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator for a seed.
    ///
    /// ```
    /// # use taquin_search::Random;
    /// assert_eq!(Random::new(7).next(), Random::new(7).next());
    /// ```
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 random bits.
    ///
    /// ```
    /// # use taquin_search::Random;
    /// let mut random = Random::new(7);
    /// assert_ne!(random.next(), random.next());
    /// ```
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `bound`, uniformly distributed.
    ///
    /// # Panics
    /// Panics if `bound` is 0.
    ///
    /// ```
    /// # use taquin_search::Random;
    /// assert!(Random::new(7).below(6) < 6);
    /// ```
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number is below 0");
        let bound = bound as u64;
        loop {
            let product = u128::from(self.next()) * u128::from(bound);
            // 2^64 mod bound values of the low half would favour some results.
            if product as u64 >= bound.wrapping_neg() % bound {
                return (product >> 64) as usize;
            }
        }
    }

    /// Shuffles a slice; every order is equally likely (Fisher and Yates).
    ///
    /// ```
    /// # use taquin_search::Random;
    /// let mut cards = [1, 2, 3, 4];
    /// Random::new(7).shuffle(&mut cards);
    /// cards.sort();
    /// assert_eq!(cards, [1, 2, 3, 4]);
    /// ```
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_the_published_one() {
        // The first outputs of the reference implementation for the seed 1234567.
        let mut random = Random::new(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(
            first,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn bounded_numbers_are_uniform() {
        let mut random = Random::new(7);
        let mut seen = [0; 6];
        for _ in 0..60_000 {
            seen[random.below(6)] += 1;
        }
        assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
    }

    #[test]
    fn a_shuffle_reaches_every_order() {
        let mut random = Random::new(1);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            *seen.entry(items).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 24);
        assert!(seen.values().all(|&n| (800..1200).contains(&n)), "{seen:?}");
    }
}
