//! The orders of a pattern's tiles on a set of occupied cells, as bits, and what a move does to them.
//!
//! A move takes the tile at one place among the occupied cells to another place and shifts those
//! between: it permutes the orders, in a way that depends on the two places alone. Were it one table
//! for each pair of places, eight tiles would fill a cache with them and twelve the memory. So the
//! number of an order is split into a high part, the digits of the first tiles, and a low part, those
//! of the last few. A move takes all orders with the same high part to orders that again share
//! their high part, and among the low tiles it is a move once more: of the moving tile, if it is one
//! of them, past those of them that it passes.

use crate::ranking::order_digits;

/// The number of low tiles among some. Measured: with 4 most words are empty or nearly so, with 7 the
/// tables leave the first cache. The high part is kept to four tiles, so that its tables stay small,
/// as long as a low part fits in 16 bits.
const fn low_of(tiles: usize) -> usize {
    match tiles {
        0..=5 => tiles,
        6..=9 => 5,
        10..=12 => tiles - 4,
        _ => 8,
    }
}

/// The orders of some tiles: one bit for each, each high part beginning with a new word.
pub(crate) struct Orders {
    tiles: usize,
    low_tiles: usize,
    high_count: usize,
    low_count: usize,
    /// For each pair of places: where each high part goes, and what becomes of its low parts.
    high: Vec<Vec<(u32, Option<u32>)>>,
    /// For each pair of places among the low tiles: where each low part goes.
    low: Vec<Vec<u16>>,
    /// For each low tile, the places that remain for it, by digits of the low tiles up to it.
    places: Vec<Vec<u8>>,
}

impl Orders {
    /// The orders of `tiles` tiles, of which a move passes fewer than `cols`.
    pub(crate) fn new(tiles: usize, cols: usize) -> Self {
        let low_tiles = low_of(tiles);
        let low_count = (1..=low_tiles).product();
        let high_count = (low_tiles + 1..=tiles).product();
        let lows: Vec<Vec<usize>> = (0..low_count).map(|low| places_of(low, low_tiles)).collect();
        let low = pairs(low_tiles).map(|(from, to)| {
            let order = |places: &Vec<usize>| {
                order_of(places.iter().map(|&place| moved(place, from, to))) as u16
            };
            lows.iter().map(order).collect()
        });
        let all_places: Vec<Vec<usize>> =
            (0..high_count).map(|high| places_of(high * low_count, tiles)).collect();
        let high = pairs(tiles).map(|(from, to)| match from.abs_diff(to) {
            passed if passed == 0 || passed >= cols => Vec::new(),
            _ => all_places
                .iter()
                .map(|places| {
                    let order = order_of(places.iter().map(|&place| moved(place, from, to)));
                    let (high, low) = places.split_at(tiles - low_tiles);
                    let low_from = low.iter().filter(|&&place| place < from).count();
                    let low_to = low
                        .iter()
                        .filter(|&&place| place != from && moved(place, from, to) < to)
                        .count();
                    let turns = !high.contains(&from) && low_from != low_to;
                    (
                        (order / low_count) as u32,
                        turns.then_some((low_from * low_tiles + low_to) as u32),
                    )
                })
                .collect(),
        });
        let places = (0..low_tiles).map(|tile| {
            let later = (1..low_tiles - tile).product();
            lows.iter().step_by(later).map(|places| places[tile] as u8).collect()
        });
        Self {
            tiles,
            low_tiles,
            high_count,
            low_count,
            high: high.collect(),
            low: low.collect(),
            places: places.collect(),
        }
    }

    /// The number of orders.
    pub(crate) fn len(&self) -> usize {
        self.high_count * self.low_count
    }

    /// The words that hold a bit for each order.
    pub(crate) fn words(&self) -> usize {
        self.high_count * self.low_words()
    }

    /// The bytes that the tables take.
    pub(crate) fn bytes(&self) -> usize {
        let high: usize = self.high.iter().map(|high| size_of_val(&**high)).sum();
        high + self.low.iter().map(|low| size_of_val(&**low)).sum::<usize>()
    }

    /// Adds to `target` what the orders in `source` become when the tile at `from` goes to `to`.
    pub(crate) fn carry(&self, source: &[u64], from: usize, to: usize, target: &mut [u64]) {
        if from == to {
            return add(source, target);
        }
        let words = self.low_words();
        let high = &self.high[from * self.tiles + to];
        for (source, &(place, turn)) in source.chunks_exact(words).zip(high) {
            let target = &mut target[place as usize * words..][..words];
            let Some(turn) = turn else {
                add(source, target);
                continue;
            };
            for (&word, orders) in source.iter().zip(self.low[turn as usize].chunks(64)) {
                for bit in bits(word) {
                    let order = usize::from(orders[bit]);
                    target[order / 64] |= 1 << (order % 64);
                }
            }
        }
    }

    /// Writes `value` for those orders in `block` that have a greater one, which is `unset`, and says
    /// how many.
    pub(crate) fn mark(&self, block: &[u64], values: &mut [u8], value: u8, unset: u8) -> u64 {
        let mut marked = 0;
        for (block, values) in
            block.chunks_exact(self.low_words()).zip(values.chunks_exact_mut(self.low_count))
        {
            for (&word, values) in block.iter().zip(values.chunks_mut(64)) {
                for bit in bits(word) {
                    marked += u64::from(values[bit] == unset);
                    values[bit] = values[bit].min(value);
                }
            }
        }
        marked
    }

    /// For each order the sum of the tiles' terms, where `term(tile, place)` is at most 255; sums
    /// wrap. They come one high part after another, in `sums`.
    pub(crate) fn sums(&self, term: impl Fn(usize, usize) -> u8, mut take: impl FnMut(&[u8])) {
        let (mut sums, mut next) =
            (Vec::with_capacity(self.low_count), Vec::with_capacity(self.low_count));
        for high in 0..self.high_count {
            let places = places_of(high * self.low_count, self.tiles);
            let (high, low) = places.split_at(self.tiles - self.low_tiles);
            let sum = high
                .iter()
                .enumerate()
                .fold(0, |sum: u8, (tile, &place)| sum.wrapping_add(term(tile, place)));
            sums.clear();
            sums.push(sum);
            for (tile, places) in self.places.iter().enumerate() {
                let mut terms = [0; 8];
                for (value, &place) in terms.iter_mut().zip(low) {
                    *value = term(high.len() + tile, place);
                }
                next.clear();
                for (sum, places) in sums.iter().zip(places.chunks_exact(self.low_tiles - tile)) {
                    next.extend(
                        places.iter().map(|&place| terms[usize::from(place)].wrapping_add(*sum)),
                    );
                }
                std::mem::swap(&mut sums, &mut next);
            }
            take(&sums);
        }
    }

    fn low_words(&self) -> usize {
        self.low_count.div_ceil(64)
    }
}

/// The bits of a word, from the lowest.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then_some(word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

fn add(source: &[u64], target: &mut [u64]) {
    for (target, source) in target.iter_mut().zip(source) {
        *target |= source;
    }
}

fn pairs(places: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..places * places).map(move |pair| (pair / places, pair % places))
}

/// Where the tile at `place` stands after the tile at `from` has gone to `to`.
const fn moved(place: usize, from: usize, to: usize) -> usize {
    if place == from {
        to
    } else if from < place && place <= to {
        place - 1
    } else if to <= place && place < from {
        place + 1
    } else {
        place
    }
}

/// The place of each tile in an order.
fn places_of(order: usize, tiles: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..tiles).collect();
    order_digits(order, tiles).map(|digit| left.remove(digit)).collect()
}

/// The number of the order in which each tile has the place given.
fn order_of(places: impl Iterator<Item = usize>) -> usize {
    let places: Vec<usize> = places.collect();
    let digit =
        |tile: usize| places[tile + 1..].iter().filter(|&&place| place < places[tile]).count();
    (0..places.len()).fold(0, |order, tile| order * (places.len() - tile) + digit(tile))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bit of an order, counted through the words.
    fn bit(orders: &Orders, order: usize) -> usize {
        order / orders.low_count * orders.low_words() * 64 + order % orders.low_count
    }

    #[test]
    fn a_move_takes_every_order_where_it_should() {
        for (tiles, samples) in (1..=7).map(|tiles| (tiles, 500)).chain([(10, 3)]) {
            let orders = Orders::new(tiles, 5);
            for (from, to) in pairs(tiles).filter(|(from, to)| from.abs_diff(*to) < 5) {
                for order in (0..orders.len()).step_by(1 + orders.len() / samples) {
                    let mut source = vec![0; orders.words()];
                    let at = bit(&orders, order);
                    source[at / 64] |= 1 << (at % 64);
                    let mut target = vec![0; orders.words()];
                    orders.carry(&source, from, to, &mut target);
                    let places = places_of(order, tiles);
                    let at =
                        bit(&orders, order_of(places.iter().map(|&place| moved(place, from, to))));
                    let mut expected = vec![0; orders.words()];
                    expected[at / 64] |= 1 << (at % 64);
                    assert_eq!(target, expected, "{tiles} tiles, {order}: {from} to {to}");
                }
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_places() {
        for tiles in 1..=7 {
            let orders = Orders::new(tiles, 4);
            let term = |tile: usize, place: usize| (tile * 31 + place * 17) as u8;
            let mut all = Vec::new();
            orders.sums(term, |sums| all.extend_from_slice(sums));
            assert_eq!(all.len(), orders.len());
            for (order, sum) in all.into_iter().enumerate() {
                let terms = places_of(order, tiles).into_iter().enumerate();
                let expected =
                    terms.fold(0, |sum: u8, (tile, place)| sum.wrapping_add(term(tile, place)));
                assert_eq!(sum, expected, "{tiles} tiles, {order}");
            }
        }
    }
}
