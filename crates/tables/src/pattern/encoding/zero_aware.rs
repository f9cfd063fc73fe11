//! Zero-aware pattern databases: the blank's region is a part of the entry (Clausecker and
//! Reinefeld, 2019).
//!
//! Every move of a pattern's tile then changes the value by exactly one, so one bit per entry is
//! enough to follow it: the value's second lowest bit. The values add up to a consistent heuristic.
//! The initial value is found by descending to the goal along smaller values.

use std::sync::Arc;

use taquin_search::{Cost, Monitor};

use super::{Encoding, PatternKind, Width};
use crate::bits::bits;
use crate::pattern::build::{BuildError, BuildPlan, Builder};
use crate::pattern::database::{Database, Entries};
use crate::pattern::orders::{OrderBits, OrderWord};
use crate::pattern::regions::{Regions, neighbours, region};
use crate::pattern::{Pattern, Shape};

/// One bit for each region of the blank and each placement.
///
/// A class takes [`block_bits`](Self::block_bits), and an order's bit is at
/// [`order_bit`](Self::order_bit).
#[derive(Clone, Debug)]
pub struct ZeroAware {
    regions: Arc<Regions>,
}

impl Encoding for ZeroAware {
    const KIND: PatternKind = PatternKind::ZeroAware;
    const ABOVE_MANHATTAN: bool = false;
    const TABLE_BITS: u64 = 1;
    const BUILD_BITS: u64 = 1;

    fn of(pattern: &Pattern, known: &[Database<Self>]) -> Result<Self, BuildError> {
        let shape = |pattern: &Pattern| (pattern.shape().size(), pattern.tiles().len());
        let alike = known.iter().find(|database| shape(database.pattern()) == shape(pattern));
        Ok(match alike {
            Some(database) => database.encoding().clone(),
            None => Self { regions: Arc::new(Regions::of(pattern)?) },
        })
    }

    fn entries(&self, pattern: &Pattern) -> u64 {
        (self.regions.classes() * pattern.ranking().orders()) as u64
    }

    fn table_bytes(shape: Shape, width: Width, entries: u64) -> Option<usize> {
        // How many classes there are is seen when the table is used.
        let orders = (1..=shape.tiles() as u64).product::<u64>();
        let classes = usize::try_from(entries / orders).ok()?;
        let bits = classes.checked_mul(Self::block_bits(shape.tiles()))?;
        entries.is_multiple_of(orders).then(|| width.bytes(bits))
    }

    fn plan(builder: &Builder<Self>) -> BuildPlan {
        let (classes, orders) = (builder.graph.classes(), &builder.orders);
        let table_bytes = classes * orders.words() * size_of::<OrderWord>();
        let build_bytes = table_bytes + builder.search_bytes().max(table_bytes);
        BuildPlan::new(classes * orders.len(), table_bytes, build_bytes)
    }

    fn build(
        builder: Builder<Self>,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Database<Self>, BuildError> {
        if builder.encoding.regions.classes() != builder.graph.classes() {
            return Err(BuildError::Regions);
        }
        let mut bits = vec![0; builder.graph.classes() * builder.orders.words()];
        let histogram = builder.search(&mut [], &mut bits, cancel, progress)?;
        progress(1.0);
        let Builder { pattern, encoding, .. } = builder;
        Ok(Database::new(pattern, encoding, Entries::bits(&bits), histogram))
    }

    #[inline]
    fn term(database: &Database<Self>, cells: &[u8], blank: u8) -> u8 {
        database.value(cells, blank) as u8
    }

    #[inline]
    fn step(database: &Database<Self>, before: u8, cells: &[u8], blank: u8) -> u8 {
        // In a damaged table it may grow without end.
        let greater = before.saturating_add(1);
        let is_greater = greater >> 1 & 1 == database.bit(cells, blank);
        if is_greater { greater } else { before.saturating_sub(1) }
    }
}

impl ZeroAware {
    /// Returns the regions.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// Returns the number of bits per class for `tiles` tiles. Some bits are unused.
    pub fn block_bits(tiles: usize) -> usize {
        OrderBits::blocks(tiles) * OrderWord::BITS as usize
    }

    /// Returns the place of an order's bit within its class.
    pub const fn order_bit(order: usize, tiles: usize) -> usize {
        OrderBits::bit(order, tiles)
    }
}

impl Database<ZeroAware> {
    /// Returns the second lowest bit of a placement's value.
    #[inline]
    fn bit(&self, cells: &[u8], blank: u8) -> u8 {
        let ranking = self.pattern().ranking();
        let (tiles, index) = (ranking.tiles(), ranking.rank(cells));
        let class = self.encoding().regions.class(index / ranking.orders(), blank);
        let order = ZeroAware::order_bit(index % ranking.orders(), tiles);
        let at = class * ZeroAware::block_bits(tiles) + order;
        self.entries()[at / 8] >> (at % 8) & 1
    }

    /// Returns the value for the pattern's tiles on the given cells, and the blank on another one.
    ///
    /// # Panics
    /// Panics unless there is a cell for each tile, and all are different cells of the board.
    pub fn value(&self, cells_of_tiles: &[u8], blank: u8) -> Cost {
        let neighbours = neighbours(self.pattern().shape().size());
        let all = (1_u64 << neighbours.len()) - 1;
        let goal_blanks = self.pattern().shape().blanks();
        let mut cells = cells_of_tiles.to_vec();
        let mut blank = blank;
        let residue = |cells: &[u8], blank: u8| {
            self.bit(cells, blank) << 1 | (self.pattern().manhattan(cells) & 1) as u8
        };
        let mut value = 0;
        loop {
            let free = all & !cells.iter().fold(0, |mask, &cell| mask | 1 << cell);
            let around = region(&neighbours, free, 1 << blank);
            if cells == self.pattern().goal_cells() && around & goal_blanks != 0 {
                return value;
            }
            let less = (residue(&cells, blank) + 3) % 4;
            let next = (0..cells.len()).find_map(|tile| {
                bits(neighbours[usize::from(cells[tile])] & around).find_map(|target| {
                    let mut after = cells.clone();
                    let left = std::mem::replace(&mut after[tile], target as u8);
                    (residue(&after, left) == less).then_some((after, left))
                })
            });
            // A damaged table, or a board from which the goal cannot be reached.
            let Some(next) = next.filter(|_| value < Cost::from(u8::MAX)) else { return value };
            (cells, blank) = next;
            value += 1;
        }
    }
}
