//! The numbering of the orders of tiles, and what a move up or down does to a number.
//!
//! The goal's order is `0 1 2 ..`. The digit of a place counts the later tiles that are smaller; the
//! first place is the most significant, so this is the lexicographic order. Taking a tile past its
//! neighbour changes the digits of these two places alone, whatever the others are.
//!
//! With one blank only every other order can occur: all have the same parity, or those with the blank
//! in a given row have. The digits' sum is as odd as the order, so the last digit that can be 0 or 1
//! is known from the others and left out.
//!
//! A number has a high and a low part. The low part numbers the orders of the last seven places and is
//! padded to whole words of bits: a move that stays among the first places takes blocks to blocks,
//! and one among the last stays in its block.

/// How many places the low part has, at most: 5,040 orders, or 2,520 if every other is left out.
const LOW_PLACES: usize = 7;

/// The states in a word of 64 bits.
pub(super) const PER_WORD: usize = 32;

/// Which orders of the tiles can occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Orders {
    /// That of the goal alone: the board is a line.
    One,
    /// Those of one parity, which depends on where the blank is.
    Half,
    /// All.
    All,
}

/// The number of an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) high: usize,
    pub(super) low: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Numbering {
    tiles: usize,
    orders: Orders,
    /// The digits that make up the number, of the places before this one.
    digits: usize,
    /// The first place of the low part.
    first_low: usize,
    high: usize,
    low: usize,
}

impl Numbering {
    /// The numbering of the orders of so many tiles, unless there are too many for any machine.
    pub(super) fn new(tiles: usize, orders: Orders) -> Option<Self> {
        let digits = match orders {
            Orders::One => 0,
            Orders::Half => tiles.saturating_sub(2),
            Orders::All => tiles,
        };
        let first_low = tiles.saturating_sub(LOW_PLACES).min(digits);
        let product = |places: std::ops::Range<usize>| {
            places.map(|place| tiles - place).try_fold(1_usize, usize::checked_mul)
        };
        let (high, low) = (product(0..first_low)?, product(first_low..digits)?);
        // Changes of the high part are kept in 32 bits.
        (high < 1 << 31).then_some(Self { tiles, orders, digits, first_low, high, low })
    }

    /// The number of high parts.
    pub(super) const fn high(&self) -> usize {
        self.high
    }

    /// The number of words that the low parts of one high part take.
    pub(super) const fn words(&self) -> usize {
        self.low.div_ceil(PER_WORD)
    }

    /// The number of an order; `None` if it can't occur. `is_odd` is the parity that it must have.
    pub(super) fn number(
        &self,
        order: impl IntoIterator<Item = usize>,
        is_odd: bool,
    ) -> Option<Number> {
        let mut number = Number { high: 0, low: 0 };
        let (mut seen, mut sum) = (0_u64, 0);
        for (place, tile) in order.into_iter().enumerate() {
            let smaller = seen & ((1 << tile) - 1);
            let digit = tile - smaller.count_ones() as usize;
            seen |= 1 << tile;
            sum += digit;
            if place < self.digits {
                let part = if place < self.first_low { &mut number.high } else { &mut number.low };
                *part = *part * (self.tiles - place) + digit;
            }
        }
        let occurs = match self.orders {
            Orders::One => sum == 0,
            Orders::Half => (sum % 2 == 1) == is_odd,
            Orders::All => true,
        };
        occurs.then_some(number)
    }

    /// The order with a number, if it has this parity where that counts.
    pub(super) fn order(&self, number: Number, is_odd: bool) -> Vec<usize> {
        let mut digits = vec![0; self.tiles];
        self.split(number.high, 0..self.first_low, &mut digits);
        self.split(number.low, self.first_low..self.digits, &mut digits);
        self.complete(&mut digits, is_odd);
        let mut rest: Vec<usize> = (0..self.tiles).collect();
        digits.into_iter().map(|digit| rest.remove(digit)).collect()
    }

    /// Whether the digits of a high part have an odd sum.
    pub(super) fn is_odd(&self, high: usize) -> bool {
        let mut rest = high;
        let digits = (0..self.first_low).rev().map(|place| {
            let digit = rest % (self.tiles - place);
            rest /= self.tiles - place;
            digit
        });
        digits.sum::<usize>() % 2 == 1
    }

    /// Takes a part of a number apart into the digits of some places.
    fn split(&self, part: usize, places: std::ops::Range<usize>, digits: &mut [usize]) {
        let mut rest = part;
        for place in places.rev() {
            digits[place] = rest % (self.tiles - place);
            rest /= self.tiles - place;
        }
    }

    /// Adds one to the number that the digits of some places make up, or begins again at 0.
    fn count_up(&self, digits: &mut [usize], places: std::ops::Range<usize>) {
        for place in places.rev() {
            digits[place] += 1;
            if digits[place] < self.tiles - place {
                return;
            }
            digits[place] = 0;
        }
    }

    /// Adds the digit that is left out.
    fn complete(&self, digits: &mut [usize], is_odd: bool) {
        if self.orders == Orders::Half && self.tiles >= 2 {
            digits[self.tiles - 2] = (digits.iter().sum::<usize>() + usize::from(is_odd)) % 2;
        }
    }

    /// The product of the bases of some places.
    fn product(&self, places: std::ops::Range<usize>) -> usize {
        places.map(|place| self.tiles - place).product()
    }
}

/// A tile goes past those of some neighbouring places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shift {
    /// The first of the places.
    pub(super) first: usize,
    /// How many places there are, that of the tile counted.
    pub(super) places: usize,
    /// Whether the last tile comes to the front, or else the first goes to the end.
    pub(super) to_front: bool,
    /// Whether the order is odd before it.
    pub(super) is_odd: bool,
}

impl Shift {
    fn apply(self, digits: &mut [usize]) {
        // Exchanges the tiles of two neighbouring places.
        let mut exchange = |place: usize| {
            let [a, b] = [digits[place], digits[place + 1]];
            [digits[place], digits[place + 1]] = if b < a { [b, a - 1] } else { [b + 1, a] };
        };
        let places = self.first..self.first + self.places - 1;
        match self.to_front {
            true => places.rev().for_each(&mut exchange),
            false => places.for_each(&mut exchange),
        }
    }
}

/// What a shift does to the numbers of orders, as a table.
///
/// The index is made of what decides: the digits of the high part that change, the first digits of
/// the low part, and where the digit that is left out matters, the parity of the high part.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// What is left of the high part, when it is divided by this, ends with the digits that change,
    high_below: usize,
    /// which have so many values.
    high_values: usize,
    has_parity: bool,
    /// The index that goes with each low part.
    low_index: Box<[u16]>,
    low_values: usize,
    changes: Box<[Change]>,
}

/// What is added to the two parts of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Change {
    pub(super) high: i32,
    pub(super) low: i32,
}

impl Change {
    #[inline]
    pub(super) const fn of(self, number: Number) -> Number {
        let Number { high, low } = number;
        Number {
            high: high.wrapping_add_signed(self.high as isize),
            low: low.wrapping_add_signed(self.low as isize),
        }
    }
}

impl Turn {
    /// The parts of a turn's index: digits of the high part, of the low part, and whether the parity
    /// of the high part counts.
    fn places(numbering: &Numbering, shift: Shift) -> (std::ops::Range<usize>, usize, bool) {
        let &Numbering { tiles, orders, digits, first_low, .. } = numbering;
        let end = shift.first + shift.places;
        let high = shift.first.min(first_low)..end.min(first_low);
        let has_parity = orders == Orders::Half && end + 1 >= tiles;
        (high, end.clamp(first_low, digits), has_parity)
    }

    pub(super) fn new(numbering: &Numbering, shift: Shift) -> Self {
        let &Numbering { tiles, digits: known, first_low, low, .. } = numbering;
        let (high, low_end, has_parity) = Self::places(numbering, shift);
        let high_values = numbering.product(high.clone());
        let low_values = numbering.product(first_low..low_end);
        let run = low / low_values;
        let mut changes =
            Vec::with_capacity((1 + usize::from(has_parity)) * high_values * low_values);
        // What a digit counts for in its part; the one that is left out counts for nothing.
        let weight = |place: usize| match place {
            place if place < first_low => numbering.product(place + 1..first_low),
            place if place < known => numbering.product(place + 1..known),
            _ => 0,
        };
        let changed = shift.first..shift.first + shift.places;
        let weights: Vec<i64> = changed.clone().map(|place| weight(place) as i64).collect();
        let (mut before, mut after) = (vec![0; tiles], vec![0; tiles]);
        for is_odd in [false, true].into_iter().take(1 + usize::from(has_parity)) {
            for high_value in 0..high_values {
                before.fill(0);
                numbering.split(high_value, high.clone(), &mut before);
                for _ in 0..low_values {
                    if has_parity {
                        let low_sum = before[first_low..low_end].iter().sum::<usize>();
                        before[tiles - 2] =
                            (low_sum + usize::from(is_odd) + usize::from(shift.is_odd)) % 2;
                    }
                    after.copy_from_slice(&before);
                    shift.apply(&mut after);
                    let (mut of_high, mut of_low) = (0, 0);
                    for (place, weight) in changed.clone().zip(&weights) {
                        let part = if place < first_low { &mut of_high } else { &mut of_low };
                        *part += (after[place] as i64 - before[place] as i64) * weight;
                    }
                    let whole = |change: i64| {
                        i32::try_from(change).expect("there are less than 2^31 high parts")
                    };
                    changes.push(Change { high: whole(of_high), low: whole(of_low) });
                    numbering.count_up(&mut before, first_low..low_end);
                }
            }
        }
        Self {
            high_below: numbering.product(high.end..first_low),
            high_values,
            has_parity,
            low_index: (0..low).map(|low| (low / run) as u16).collect(),
            low_values,
            changes: changes.into(),
        }
    }

    /// The bytes of a turn's table.
    pub(super) fn bytes(numbering: &Numbering, shift: Shift) -> u64 {
        let (high, low_end, has_parity) = Self::places(numbering, shift);
        let entries = numbering.product(high) * numbering.product(numbering.first_low..low_end);
        (entries * size_of::<Change>()) as u64 * (1 + u64::from(has_parity))
    }

    /// Whether every low part stays as it is, and all are treated alike.
    pub(super) const fn is_of_blocks(&self) -> bool {
        self.low_values == 1
    }

    /// The changes of the orders with this high part.
    #[inline]
    pub(super) fn row(&self, numbering: &Numbering, high: usize) -> Row<'_> {
        let mut row = high / self.high_below % self.high_values;
        if self.has_parity && numbering.is_odd(high) {
            row += self.high_values;
        }
        let changes = &self.changes[row * self.low_values..][..self.low_values];
        Row { low_index: &self.low_index, changes }
    }
}

/// What a turn does to the orders with the same high part.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    low_index: &'a [u16],
    changes: &'a [Change],
}

impl Row<'_> {
    #[inline]
    pub(super) fn change(&self, low: usize) -> Change {
        self.changes[usize::from(self.low_index[low])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(numbering: &Numbering) -> impl Iterator<Item = Number> + '_ {
        let low = 0..numbering.low;
        (0..numbering.high).flat_map(move |high| low.clone().map(move |low| Number { high, low }))
    }

    #[test]
    fn numbers_and_orders_correspond() {
        for (tiles, orders) in [
            (8, Orders::Half),
            (3, Orders::Half),
            (9, Orders::All),
            (1, Orders::All),
            (0, Orders::All),
        ] {
            let numbering = Numbering::new(tiles, orders).unwrap();
            for is_odd in [false, true] {
                for number in numbers(&numbering) {
                    let order = numbering.order(number, is_odd);
                    assert_eq!(numbering.number(order.iter().copied(), is_odd), Some(number));
                    if orders == Orders::Half {
                        assert_eq!(numbering.number(order, !is_odd), None);
                    }
                }
            }
        }
        let line = Numbering::new(30, Orders::One).unwrap();
        let only = Number { high: 0, low: 0 };
        assert_eq!(line.number(line.order(only, false), false), Some(only));
        assert!(Numbering::new(21, Orders::All).is_none());
    }

    #[test]
    fn turns_do_what_shifts_do() {
        for (tiles, orders) in
            [(9, Orders::Half), (4, Orders::Half), (8, Orders::All), (3, Orders::All)]
        {
            let numbering = Numbering::new(tiles, orders).unwrap();
            for first in 0..tiles {
                for places in 2..=tiles - first {
                    for (to_front, is_odd) in
                        [(false, false), (false, true), (true, false), (true, true)]
                    {
                        let shift = Shift { first, places, to_front, is_odd };
                        let turn = Turn::new(&numbering, shift);
                        assert_eq!(
                            Turn::bytes(&numbering, shift),
                            size_of_val(&turn.changes[..]) as u64
                        );
                        for number in numbers(&numbering).step_by(7) {
                            let mut order = numbering.order(number, is_odd);
                            let window = &mut order[first..first + places];
                            match to_front {
                                true => window.rotate_right(1),
                                false => window.rotate_left(1),
                            }
                            let row = turn.row(&numbering, number.high);
                            let after = row.change(number.low).of(number);
                            let is_odd = is_odd ^ places.is_multiple_of(2);
                            assert_eq!(
                                numbering.number(order.iter().copied(), is_odd),
                                Some(after),
                                "{shift:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
