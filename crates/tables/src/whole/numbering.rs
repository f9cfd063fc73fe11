//! The numbering of the orders of tiles, and the effect of a vertical move on a number.
//!
//! The goal's order is `0 1 2 ..`. The digit of a place counts the later tiles that are smaller;
//! the first place is the most significant, so this is the lexicographic order. Swapping two
//! adjacent tiles changes only the digits of their two places.
//!
//! With one blank only half of the orders occur: all have the same parity, or all with the blank in
//! a given row. The sum of the digits has the parity of the order, so the last digit that can be 0
//! or 1 follows from the others and is omitted.
//!
//! A number has a high and a low part. The low part numbers the orders of the last seven places and
//! is padded to whole words: a move among the first places takes blocks to blocks, and a move among
//! the last places stays in its block.

/// The greatest number of places of the low part: 5,040 orders, or half of them.
const LOW_PLACES: usize = 7;

/// The number of states in a word of 64 bits.
pub(super) const PER_WORD: usize = 32;

/// The orders of the tiles that occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OrderSet {
    /// Only that of the goal: the board is a line.
    One,
    /// Those of one parity, which depends on the blank's cell.
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
    orders: OrderSet,
    /// The number of digits that make up the number.
    digits: usize,
    /// The first place of the low part.
    first_low: usize,
    high: usize,
    low: usize,
}

impl Numbering {
    /// Creates the numbering for `tiles` tiles, unless there are too many orders for any machine.
    pub(super) fn new(tiles: usize, orders: OrderSet) -> Option<Self> {
        let digits = match orders {
            OrderSet::One => 0,
            OrderSet::Half => tiles.saturating_sub(2),
            OrderSet::All => tiles,
        };
        let first_low = tiles.saturating_sub(LOW_PLACES).min(digits);
        let product = |places: std::ops::Range<usize>| {
            places.map(|place| tiles - place).try_fold(1_usize, usize::checked_mul)
        };
        let (high, low) = (product(0..first_low)?, product(first_low..digits)?);
        // Changes of the high part are stored in 32 bits.
        (high < 1 << 31).then_some(Self { tiles, orders, digits, first_low, high, low })
    }

    /// Returns the number of high parts.
    pub(super) const fn high(&self) -> usize {
        self.high
    }

    /// Returns the number of words for the low parts of one high part.
    pub(super) const fn words(&self) -> usize {
        self.low.div_ceil(PER_WORD)
    }

    /// Returns the number of an order, or `None` if it does not occur. `is_odd` is the parity that
    /// it must have.
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
            OrderSet::One => sum == 0,
            OrderSet::Half => (sum % 2 == 1) == is_odd,
            OrderSet::All => true,
        };
        occurs.then_some(number)
    }

    /// Returns the order with a number and, if only half of the orders occur, this parity.
    pub(super) fn order(&self, number: Number, is_odd: bool) -> Vec<usize> {
        let mut digits = vec![0; self.tiles];
        self.split(number.high, 0..self.first_low, &mut digits);
        self.split(number.low, self.first_low..self.digits, &mut digits);
        self.complete(&mut digits, is_odd);
        let mut rest: Vec<usize> = (0..self.tiles).collect();
        digits.into_iter().map(|digit| rest.remove(digit)).collect()
    }

    /// Returns whether the digits of a high part have an odd sum.
    pub(super) fn is_odd(&self, high: usize) -> bool {
        let mut rest = high;
        let digits = (0..self.first_low).rev().map(|place| {
            let digit = rest % (self.tiles - place);
            rest /= self.tiles - place;
            digit
        });
        digits.sum::<usize>() % 2 == 1
    }

    /// Splits a part of a number into the digits of some places.
    fn split(&self, part: usize, places: std::ops::Range<usize>, digits: &mut [usize]) {
        let mut rest = part;
        for place in places.rev() {
            digits[place] = rest % (self.tiles - place);
            rest /= self.tiles - place;
        }
    }

    /// Adds one to the number that the digits of some places represent, or resets it to 0.
    fn count_up(&self, digits: &mut [usize], places: std::ops::Range<usize>) {
        for place in places.rev() {
            digits[place] += 1;
            if digits[place] < self.tiles - place {
                return;
            }
            digits[place] = 0;
        }
    }

    /// Computes the digit that is omitted.
    fn complete(&self, digits: &mut [usize], is_odd: bool) {
        if self.orders == OrderSet::Half && self.tiles >= 2 {
            digits[self.tiles - 2] = (digits.iter().sum::<usize>() + usize::from(is_odd)) % 2;
        }
    }

    /// Returns the product of the bases of some places.
    fn product(&self, places: std::ops::Range<usize>) -> usize {
        places.map(|place| self.tiles - place).product()
    }
}

/// A tile passes the tiles of some adjacent places.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shift {
    /// The first of the places.
    pub(super) first: usize,
    /// The number of places, including that of the tile.
    pub(super) places: usize,
    /// Whether the last tile moves to the front, or else the first to the end.
    pub(super) to_front: bool,
    /// Whether the order is odd before the shift.
    pub(super) is_odd: bool,
}

impl Shift {
    fn apply(self, digits: &mut [usize]) {
        // Swaps the tiles of two adjacent places.
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

/// The effect of a shift on the numbers of orders, as a table.
///
/// The index consists of the digits of the high part that change, the first digits of the low part
/// and, if the omitted digit matters, the parity of the high part.
#[derive(Clone, Debug)]
pub(super) struct ShiftTable {
    /// Divisor and modulus that extract the changing digits from the high part.
    high_below: usize,
    high_values: usize,
    has_parity: bool,
    /// The index of each low part.
    low_index: Box<[u16]>,
    low_values: usize,
    changes: Box<[Change]>,
}

/// The numbers to add to the two parts of a number.
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

impl ShiftTable {
    /// Returns the parts of the index: the places of the high part, the end of those of the low
    /// part, and whether the parity of the high part matters.
    fn places(numbering: &Numbering, shift: Shift) -> (std::ops::Range<usize>, usize, bool) {
        let &Numbering { tiles, orders, digits, first_low, .. } = numbering;
        let end = shift.first + shift.places;
        let high = shift.first.min(first_low)..end.min(first_low);
        let has_parity = orders == OrderSet::Half && end + 1 >= tiles;
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
        // The weight of a digit in its part; that of the omitted digit is 0.
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

    /// Returns the bytes of the table of a shift.
    pub(super) fn bytes(numbering: &Numbering, shift: Shift) -> u64 {
        let (high, low_end, has_parity) = Self::places(numbering, shift);
        let entries = numbering.product(high) * numbering.product(numbering.first_low..low_end);
        (entries * size_of::<Change>()) as u64 * (1 + u64::from(has_parity))
    }

    /// Returns whether no low part changes, and all have the same effect.
    pub(super) const fn is_of_blocks(&self) -> bool {
        self.low_values == 1
    }

    /// Returns the changes of the orders with this high part.
    #[inline]
    pub(super) fn row(&self, numbering: &Numbering, high: usize) -> ShiftRow<'_> {
        let mut row = high / self.high_below % self.high_values;
        if self.has_parity && numbering.is_odd(high) {
            row += self.high_values;
        }
        let changes = &self.changes[row * self.low_values..][..self.low_values];
        ShiftRow { low_index: &self.low_index, changes }
    }
}

/// The changes of the orders with the same high part.
#[derive(Clone, Copy)]
pub(super) struct ShiftRow<'a> {
    low_index: &'a [u16],
    changes: &'a [Change],
}

impl ShiftRow<'_> {
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
            (8, OrderSet::Half),
            (3, OrderSet::Half),
            (9, OrderSet::All),
            (1, OrderSet::All),
            (0, OrderSet::All),
        ] {
            let numbering = Numbering::new(tiles, orders).unwrap();
            for is_odd in [false, true] {
                for number in numbers(&numbering) {
                    let order = numbering.order(number, is_odd);
                    assert_eq!(numbering.number(order.iter().copied(), is_odd), Some(number));
                    if orders == OrderSet::Half {
                        assert_eq!(numbering.number(order, !is_odd), None);
                    }
                }
            }
        }
        let line = Numbering::new(30, OrderSet::One).unwrap();
        let only = Number { high: 0, low: 0 };
        assert_eq!(line.number(line.order(only, false), false), Some(only));
        assert!(Numbering::new(21, OrderSet::All).is_none());
    }

    #[test]
    fn turns_do_what_shifts_do() {
        for (tiles, orders) in
            [(9, OrderSet::Half), (4, OrderSet::Half), (8, OrderSet::All), (3, OrderSet::All)]
        {
            let numbering = Numbering::new(tiles, orders).unwrap();
            for first in 0..tiles {
                for places in 2..=tiles - first {
                    for (to_front, is_odd) in
                        [(false, false), (false, true), (true, false), (true, true)]
                    {
                        let shift = Shift { first, places, to_front, is_odd };
                        let table = ShiftTable::new(&numbering, shift);
                        assert_eq!(
                            ShiftTable::bytes(&numbering, shift),
                            size_of_val(&table.changes[..]) as u64
                        );
                        for number in numbers(&numbering).step_by(7) {
                            let mut order = numbering.order(number, is_odd);
                            let window = &mut order[first..first + places];
                            match to_front {
                                true => window.rotate_right(1),
                                false => window.rotate_left(1),
                            }
                            let row = table.row(&numbering, number.high);
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
