//! Plain pattern databases: one entry per placement, wherever the blank is.

use rayon::prelude::*;
use taquin_search::{Cost, Monitor};

use super::{Encoding, PatternKind, Width};
use crate::bits::bits;
use crate::pattern::build::{BuildError, BuildPlan, Builder, UNREACHED};
use crate::pattern::database::{Database, Entries};
use crate::pattern::orders::OrderBits;
use crate::pattern::{Pattern, Ranking, Shape};

/// Entries that are half the difference between a value and the Manhattan distance of the pattern's
/// tiles. Both have the same parity.
///
/// The entry at [`Pattern::rank`] belongs to the placement: it is the minimum over all blank cells.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Encoding for Plain {
    const KIND: PatternKind = PatternKind::Plain;
    const ABOVE_MANHATTAN: bool = true;
    const TABLE_BITS: u64 = 4;
    const BUILD_BITS: u64 = 8;

    fn of(_: &Pattern, _: &[Database]) -> Result<Self, BuildError> {
        Ok(Self)
    }

    fn entries(&self, pattern: &Pattern) -> u64 {
        pattern.ranking().placements() as u64
    }

    fn table_bytes(shape: Shape, width: Width, entries: u64) -> Option<usize> {
        let placements = Ranking::count(shape.size().cells(), shape.tiles())?;
        (placements as u64 == entries).then(|| width.bytes(placements))
    }

    fn plan(builder: &Builder) -> BuildPlan {
        let entries = builder.pattern.ranking().placements();
        let table_bytes = Width::Nibble.bytes(entries);
        let build_bytes = entries + builder.search_bytes().max(table_bytes);
        BuildPlan::new(entries, table_bytes, build_bytes)
    }

    fn build(
        builder: Builder,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Database, BuildError> {
        let mut values = vec![UNREACHED; builder.pattern.ranking().placements()];
        values[builder.pattern.rank(builder.pattern.goal_cells())] = 0;
        let histogram = builder.search(&mut values, &mut [], cancel, progress)?;
        let Builder { pattern, graph, orders, .. } = builder;
        drop(graph);
        let greatest = subtract_manhattan(&pattern, &orders, &mut values);
        progress(1.0);
        let entries =
            if greatest < 16 { Entries::nibbles(&values) } else { Entries::bytes(values) };
        Ok(Database::new(pattern, Self, entries, histogram))
    }

    #[inline]
    fn term(database: &Database, cells: &[u8], _: u8) -> u8 {
        database.entry(database.pattern().rank(cells))
    }
}

impl Database {
    /// Returns the value for the pattern's tiles on the given cells.
    ///
    /// # Panics
    /// Panics unless there is a cell for each tile, all different.
    pub fn value(&self, cells_of_tiles: &[u8]) -> Cost {
        let entry = self.entry(self.pattern().rank(cells_of_tiles));
        self.pattern().manhattan(cells_of_tiles) + 2 * Cost::from(entry)
    }
}

/// Replaces each value by half of its difference from the Manhattan distance, and returns the
/// greatest. Placements from which the goal cannot be reached get 0.
fn subtract_manhattan(pattern: &Pattern, orders: &OrderBits, values: &mut [u8]) -> u8 {
    let size = pattern.shape().size();
    let blocks = values.par_chunks_exact_mut(orders.len()).enumerate();
    let greatest = blocks.map(|(set, values)| {
        let cells: Vec<usize> = bits(pattern.ranking().mask(set)).collect();
        let term = |tile: usize, place: usize| {
            size.distance(pattern.goal_cells()[tile].into(), cells[place] as u16) as u8
        };
        let mut greatest = 0;
        let mut values = values.iter_mut();
        orders.sums(term, |sums| {
            // In this order, `zip` consumes no value for which there is no sum.
            for (&sum, value) in sums.iter().zip(values.by_ref()) {
                // A reachable value is at least the sum, which then has not wrapped.
                *value = if *value == UNREACHED { 0 } else { value.wrapping_sub(sum) / 2 };
                greatest = greatest.max(*value);
            }
        });
        greatest
    });
    greatest.max().unwrap_or(0)
}
