//! How a vertical move changes an order's number.
//!
//! The digit at a place counts the later tiles that are smaller. The last place has radix 1, the
//! one before it 2, and so on. The first place is the most significant, so this is the
//! lexicographic order. A vertical move takes one tile past the tiles between its two cells: it
//! rotates the tiles at adjacent places, and changes only their digits.

/// A rotation of the tiles at adjacent places by one place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rotation {
    /// The radix of the first place.
    pub radix: usize,
    /// The number of places.
    pub length: usize,
    /// Whether the last tile moves to the front. Otherwise the first moves to the end.
    pub to_front: bool,
}

impl Rotation {
    /// Returns how many values the changing digits have.
    pub fn values(self) -> usize {
        (self.last_radix()..=self.radix).product()
    }

    /// Returns the radix of the last place.
    pub const fn last_radix(self) -> usize {
        self.radix + 1 - self.length
    }

    /// Returns the digits' value after the rotation. A value has only the digits of the rotated
    /// places.
    pub fn apply(self, value: usize) -> usize {
        let mut digits = [0; 64];
        let digits = &mut digits[..self.length];
        let mut rest = value;
        for (place, digit) in digits.iter_mut().enumerate().rev() {
            *digit = rest % (self.radix - place);
            rest /= self.radix - place;
        }
        self.turn(digits);
        digits
            .iter()
            .enumerate()
            .fold(0, |value, (place, digit)| value * (self.radix - place) + digit)
    }

    /// Rotates the tiles that these digits describe.
    pub(super) fn turn(self, digits: &mut [usize]) {
        // Exchanges the tiles of two adjacent places.
        let mut exchange = |place: usize| {
            let [a, b] = [digits[place], digits[place + 1]];
            [digits[place], digits[place + 1]] = if b < a { [b, a - 1] } else { [b + 1, a] };
        };
        let places = 0..self.length - 1;
        match self.to_front {
            true => places.rev().for_each(&mut exchange),
            false => places.for_each(&mut exchange),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_change_as_the_tiles_rotate() {
        for radix in 2..=7 {
            for length in 2..=radix {
                for to_front in [false, true] {
                    let rotation = Rotation { radix, length, to_front };
                    for value in 0..rotation.values() {
                        let rotated = rotation.apply(value);
                        let mut tiles = tiles(rotation, value);
                        match to_front {
                            true => tiles.rotate_right(1),
                            false => tiles.rotate_left(1),
                        }
                        assert_eq!(tiles, self::tiles(rotation, rotated), "{rotation:?}");
                        let back = Rotation { to_front: !to_front, ..rotation };
                        assert_eq!(back.apply(rotated), value, "{rotation:?}");
                    }
                }
            }
        }
    }

    /// The tiles of the rotated places.
    fn tiles(rotation: Rotation, value: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..rotation.radix).collect();
        let mut place_value = rotation.values();
        let digits = (0..rotation.length).map(|place| {
            place_value /= rotation.radix - place;
            left.remove(value / place_value % (rotation.radix - place))
        });
        digits.collect()
    }
}
