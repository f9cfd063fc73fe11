//! The orders of a pattern's tiles on a set of occupied cells, as bits, and how a move changes
//! them.
//!
//! A move takes the tile at one place among the occupied cells to another place and shifts the
//! tiles between. It permutes the orders in a way that depends only on the two places. With one
//! table per pair of places, the tables for eight tiles would fill the cache. An order's number is
//! therefore split into a high part, the digits of the first tiles, and a low part, the digits of
//! the last [`LOW`] tiles, whose 120 orders are the bits of one word. A move takes all orders with
//! the same high part to orders that again share their high part. Among the low tiles it is again a
//! move, by the moving tile if it is one of them. Most words are therefore moved as a whole.

use super::ranking::order_digits;
use crate::bits::bits;

/// The number of low tiles. Their orders are a word's bits.
const LOW: usize = 5;

/// A bit for each order of the low tiles.
pub(crate) type OrderWord = u128;

/// The orders of some tiles, a word for each high part.
pub(crate) struct OrderBits {
    tiles: usize,
    low_tiles: usize,
    high_count: usize,
    low_count: usize,
    /// For each pair of places: the new high part for each high part, and the entry in `low` for
    /// its low parts.
    high: Vec<Vec<(u32, Option<u8>)>>,
    /// For each pair of places among the low tiles: the new low part for each low part, as a bit.
    low: Vec<Vec<OrderWord>>,
    /// For each high part: the places of its tiles, then the free places in ascending order.
    places: Vec<u8>,
    /// For each low tile: its place among the free ones, by the digits of the low tiles up to it.
    low_places: Vec<Vec<u8>>,
}

impl OrderBits {
    /// Creates the tables for `tiles` tiles. A move passes fewer than `cols` tiles.
    pub(crate) fn new(tiles: usize, cols: usize) -> Self {
        let low_tiles = tiles.min(LOW);
        let low_count = (1..=low_tiles).product();
        let high_count = (low_tiles + 1..=tiles).product();
        let after = |places: &[usize], from: usize, to: usize| {
            places.iter().map(|&place| moved(place, from, to)).collect::<Vec<_>>()
        };
        let lows: Vec<Vec<usize>> = (0..low_count).map(|low| places_of(low, low_tiles)).collect();
        let low = pairs(low_tiles).map(|(from, to)| {
            lows.iter().map(|low| 1 << order_of(&after(low, from, to), low_tiles)).collect()
        });
        let highs: Vec<Vec<usize>> =
            (0..high_count).map(|high| places_of(high * low_count, tiles)).collect();
        let high = pairs(tiles).map(|(from, to)| match from.abs_diff(to) {
            passed if passed == 0 || passed >= cols => Vec::new(),
            _ => highs
                .iter()
                .map(|places| {
                    let high = &places[..tiles - low_tiles];
                    let after = after(high, from, to);
                    let low_from = from - high.iter().filter(|&&place| place < from).count();
                    let low_to = to - after.iter().filter(|&&place| place < to).count();
                    let turns = !high.contains(&from) && low_from != low_to;
                    let turn = turns.then_some((low_from * low_tiles + low_to) as u8);
                    (order_of(&after, tiles) as u32, turn)
                })
                .collect(),
        });
        let low_places = (0..low_tiles).map(|tile| {
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
            places: highs.iter().flatten().map(|&place| place as u8).collect(),
            low_places: low_places.collect(),
        }
    }

    /// Returns how many words have a bit for each order of `tiles` tiles.
    pub(crate) fn blocks(tiles: usize) -> usize {
        (tiles.min(LOW) + 1..=tiles).product()
    }

    /// Returns the place of an order's bit, counted through the words.
    pub(crate) const fn bit(order: usize, tiles: usize) -> usize {
        const LOW_ORDERS: usize = 120;
        match tiles <= LOW {
            true => order,
            false => order / LOW_ORDERS * OrderWord::BITS as usize + order % LOW_ORDERS,
        }
    }

    /// Returns the number of orders.
    pub(crate) const fn len(&self) -> usize {
        self.high_count * self.low_count
    }

    /// Returns the number of words with a bit for each order.
    pub(crate) const fn words(&self) -> usize {
        self.high_count
    }

    /// Returns the bytes of the tables.
    pub(crate) fn bytes(&self) -> usize {
        let high: usize = self.high.iter().map(|high| size_of_val(&**high)).sum();
        high + self.low.iter().map(|low| size_of_val(&**low)).sum::<usize>()
    }

    /// Moves the tile at `from` to `to` in all orders of `source`, and adds the results to
    /// `target`.
    pub(crate) fn carry(
        &self,
        source: &[OrderWord],
        from: usize,
        to: usize,
        target: &mut [OrderWord],
    ) {
        if from == to {
            for (target, source) in target.iter_mut().zip(source) {
                *target |= source;
            }
            return;
        }
        for (&source, &(place, turn)) in source.iter().zip(&self.high[from * self.tiles + to]) {
            target[place as usize] |= match turn {
                Some(turn) => permuted(source, &self.low[usize::from(turn)]),
                None => source,
            };
        }
    }

    /// Writes `value` for the orders in `block` whose value is `unset`, and returns their number.
    pub(crate) fn mark(&self, block: &[OrderWord], values: &mut [u8], value: u8, unset: u8) -> u64 {
        let mut marked = 0;
        for (&word, values) in block.iter().zip(values.chunks_exact_mut(self.low_count)) {
            for (half, values) in halves(word).into_iter().zip(values.chunks_mut(64)) {
                for bit in bits(half) {
                    marked += u64::from(values[bit] == unset);
                    values[bit] = values[bit].min(value);
                }
            }
        }
        marked
    }

    /// Calls `take`, for one high part after another, with the wrapping sum of the tiles' terms for
    /// each order.
    pub(crate) fn sums(&self, term: impl Fn(usize, usize) -> u8, mut take: impl FnMut(&[u8])) {
        let high_tiles = self.tiles - self.low_tiles;
        let (mut sums, mut next) = (vec![0; self.low_count], vec![0; self.low_count]);
        for places in self.places.chunks_exact(self.tiles) {
            let (high, low) = places.split_at(high_tiles);
            let terms = high.iter().enumerate().map(|(tile, &place)| term(tile, place.into()));
            sums[0] = terms.fold(0, u8::wrapping_add);
            // One low tile after another, each on all places that are still free.
            for (tile, places) in self.low_places.iter().enumerate() {
                let mut terms = [0; 8];
                for (value, &place) in terms.iter_mut().zip(low) {
                    *value = term(high_tiles + tile, place.into());
                }
                let left = self.low_tiles - tile;
                let parts = places.chunks_exact(left).zip(next.chunks_exact_mut(left));
                for (&sum, (places, next)) in sums.iter().zip(parts) {
                    for (next, &place) in next.iter_mut().zip(places) {
                        *next = terms[usize::from(place % 8)].wrapping_add(sum);
                    }
                }
                std::mem::swap(&mut sums, &mut next);
            }
            take(&sums);
        }
    }
}

const fn halves(word: OrderWord) -> [u64; 2] {
    [word as u64, (word >> 64) as u64]
}

/// Moves a tile in all orders of a word.
fn permuted(word: OrderWord, orders: &[OrderWord]) -> OrderWord {
    let mut all = 0;
    for (half, orders) in halves(word).into_iter().zip(orders.chunks(64)) {
        for bit in bits(half) {
            all |= orders[bit];
        }
    }
    all
}

fn pairs(places: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..places * places).map(move |pair| (pair / places, pair % places))
}

/// Returns the place of the tile at `place` after the tile at `from` has moved to `to`.
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

/// Returns the place of each tile in an order.
fn places_of(order: usize, tiles: usize) -> Vec<usize> {
    let mut left: Vec<usize> = (0..tiles).collect();
    order_digits(order, tiles).map(|digit| left.remove(digit)).collect()
}

/// Returns the number of the order with the given places. If only the first of `tiles` are given,
/// returns the number of its high part.
fn order_of(places: &[usize], tiles: usize) -> usize {
    let lower = |tile: usize| places[..tile].iter().filter(|&&place| place < places[tile]).count();
    // The later tiles on lower cells are those that are not among the earlier ones.
    let digit = |tile: usize| places[tile] - lower(tile);
    (0..places.len()).fold(0, |order, tile| order * (tiles - tile) + digit(tile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_every_order_where_it_should() {
        for (tiles, samples) in (1..=7).map(|tiles| (tiles, 500)).chain([(10, 3)]) {
            let orders = OrderBits::new(tiles, 5);
            for (from, to) in pairs(tiles).filter(|(from, to)| from.abs_diff(*to) < 5) {
                for order in (0..orders.len()).step_by(1 + orders.len() / samples) {
                    let mut source = vec![0; orders.words()];
                    let at = OrderBits::bit(order, tiles);
                    source[at / 128] |= 1 << (at % 128);
                    let mut target = vec![0; orders.words()];
                    orders.carry(&source, from, to, &mut target);
                    let places = places_of(order, tiles).into_iter();
                    let after: Vec<usize> = places.map(|place| moved(place, from, to)).collect();
                    let at = OrderBits::bit(order_of(&after, tiles), tiles);
                    let mut expected = vec![0; orders.words()];
                    expected[at / 128] |= 1 << (at % 128);
                    assert_eq!(target, expected, "{tiles} tiles, {order}: {from} to {to}");
                }
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_places() {
        for tiles in 1..=7 {
            let orders = OrderBits::new(tiles, 4);
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
