//! Building a pattern database: breadth-first from the goal, a block of orders at a time.
//!
//! A state is a class (see [`super::graph`]) and an order of the tiles on the occupied cells. Two bit
//! sets over all states are kept, the current layer and the one before. A move costs one and changes
//! the parity of the sum of the tiles' rows and columns, so the neighbours of layer d lie in the
//! layers d - 1 and d + 1: what is next to the current layer and not in the one before is the next
//! layer, and takes the place of the one before. No set of all seen states is needed.
//!
//! The moves are followed backwards, from a class to those that it can be reached from. Each class
//! is therefore written by one thread alone, and nothing is locked. A sideways move keeps the order
//! of the tiles among the occupied cells: it is one `or` over the words of two blocks. Only upward
//! and downward moves carry bits one by one, about two for each state.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::Pattern;
use super::database::{Database, Entries, Width};
use super::graph::Graph;
use super::orders::{Orders, Word};
use crate::bits::bits;

/// A pattern database that is ready to be built.
pub struct Builder {
    pattern: Pattern,
    graph: Graph,
    orders: Orders,
}

/// What building a pattern database takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildPlan {
    /// The number of entries.
    pub entries: u64,
    /// The bytes of the table when its values fit in 4 bits, as they do unless the board is odd.
    pub table_bytes: u64,
    /// The most bytes held at once while building.
    pub build_bytes: u64,
}

/// Why a pattern database was not built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// It was asked to stop.
    #[error("building was cancelled")]
    Cancelled,
    /// More memory than allowed.
    #[error("building takes {needed} bytes of memory and {allowed} are allowed: take fewer tiles")]
    Memory {
        /// The bytes it would take.
        needed: u64,
        /// The bytes allowed.
        allowed: u64,
    },
    /// A value that no entry can hold.
    #[error("some placement is more than {} moves from the goal", UNREACHED - 1)]
    TooFar,
}

/// A placement that has not been reached.
const UNREACHED: u8 = u8::MAX;

impl Builder {
    /// Prepares a pattern database.
    ///
    /// # Errors
    /// Fails if building would take more than `memory` bytes.
    pub fn new(pattern: Pattern, memory: u64) -> Result<Self, BuildError> {
        let over = |needed| Err(BuildError::Memory { needed, allowed: memory });
        let ranking = pattern.ranking();
        // What it takes at the least, before anything large is made.
        let least = ranking.placements() + Graph::least_bytes(&pattern);
        if least as u64 > memory {
            return over(least as u64);
        }
        let orders = Orders::new(ranking.tiles(), pattern.shape().size().cols());
        let least = least + ranking.sets() * layer_bytes(&orders);
        if least as u64 > memory {
            return over(least as u64);
        }
        let Some(graph) = Graph::new(&pattern) else { return over(u64::MAX) };
        let builder = Self { pattern, graph, orders };
        match builder.plan().build_bytes {
            needed if needed > memory => over(needed),
            _ => Ok(builder),
        }
    }

    /// What is to be built.
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// What building will take.
    pub fn plan(&self) -> BuildPlan {
        let entries = self.pattern.ranking().placements();
        let table_bytes = Width::Nibble.bytes(entries);
        let layers = self.graph.classes() * layer_bytes(&self.orders);
        let searching = layers + self.graph.bytes() + self.orders.bytes();
        let build_bytes = (entries + searching.max(table_bytes)) as u64;
        BuildPlan { entries: entries as u64, table_bytes: table_bytes as u64, build_bytes }
    }

    /// Builds it, on all threads of the current pool, telling `progress` what fraction is done.
    ///
    /// # Errors
    /// Fails if `cancel` is set meanwhile, or if a value is too large.
    pub fn build(
        self,
        cancel: &AtomicBool,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Database, BuildError> {
        let Self { pattern, graph, orders } = self;
        let mut values = vec![UNREACHED; pattern.ranking().placements()];
        let mut histogram = vec![1];
        values[pattern.rank(pattern.goal_cells())] = 0;
        let (mut layer, mut before) = (Layer::new(&graph, &orders), Layer::new(&graph, &orders));
        layer.blocks[graph.goal() * orders.words()] = 1;
        layer.counts[graph.goal()] = 1;
        let states = (graph.classes() * orders.len()) as f64;
        let mut reached = 1;
        for depth in 1.. {
            let step = Step { graph: &graph, orders: &orders, layer: &layer, depth, cancel };
            let new = step.run(Part {
                sets: 0..pattern.ranking().sets(),
                blocks: &mut before.blocks,
                counts: &mut before.counts,
                values: &mut values,
            });
            if cancel.load(Ordering::Relaxed) {
                return Err(BuildError::Cancelled);
            }
            if new.states == 0 {
                break;
            }
            if depth == UNREACHED {
                return Err(BuildError::TooFar);
            }
            histogram.push(new.placements);
            reached += new.states;
            progress(reached as f64 / states);
            std::mem::swap(&mut layer, &mut before);
        }
        // A placement may be reached first in a class that comes late: the last may be empty.
        while histogram.last() == Some(&0) {
            histogram.pop();
        }
        drop((layer, before, graph));
        let greatest = subtract_manhattan(&pattern, &orders, &mut values);
        progress(1.0);
        let entries =
            if greatest < 16 { Entries::nibbles(&values) } else { Entries::bytes(values) };
        Ok(Database::new(pattern, entries, histogram))
    }
}

/// The bytes that both layers take for a class.
fn layer_bytes(orders: &Orders) -> usize {
    2 * (orders.words() * size_of::<Word>() + size_of::<u32>())
}

/// The states at one distance.
struct Layer {
    /// For each class a block of bits, one for each order.
    blocks: Vec<Word>,
    /// For each class the number of bits that are set.
    counts: Vec<u32>,
}

impl Layer {
    fn new(graph: &Graph, orders: &Orders) -> Self {
        Self { blocks: vec![0; graph.classes() * orders.words()], counts: vec![0; graph.classes()] }
    }
}

/// What belongs to some of the sets. In `blocks` and `counts` is the layer before the current one,
/// which the next one replaces.
struct Part<'a> {
    sets: Range<usize>,
    blocks: &'a mut [Word],
    counts: &'a mut [u32],
    values: &'a mut [u8],
}

/// What a layer adds.
#[derive(Default)]
struct New {
    states: u64,
    /// Those whose placement had not been reached in any class.
    placements: u64,
}

/// The step from the current layer to the next.
struct Step<'a> {
    graph: &'a Graph,
    orders: &'a Orders,
    layer: &'a Layer,
    depth: u8,
    cancel: &'a AtomicBool,
}

impl Step<'_> {
    /// Makes the next layer: the halves in parallel, down to parts of some ten microseconds.
    fn run(&self, part: Part<'_>) -> New {
        if part.sets.len() < 2 || part.blocks.len() < 1 << 12 {
            return if self.cancel.load(Ordering::Relaxed) {
                New::default()
            } else {
                self.run_alone(part)
            };
        }
        let Part { sets, blocks, counts, values } = part;
        let middle = usize::midpoint(sets.start, sets.end);
        let classes = self.graph.classes_of(sets.start..middle).len();
        let blocks = blocks.split_at_mut(classes * self.orders.words());
        let counts = counts.split_at_mut(classes);
        let values = values.split_at_mut((middle - sets.start) * self.orders.len());
        let left =
            Part { sets: sets.start..middle, blocks: blocks.0, counts: counts.0, values: values.0 };
        let right =
            Part { sets: middle..sets.end, blocks: blocks.1, counts: counts.1, values: values.1 };
        let (left, right) = rayon::join(|| self.run(left), || self.run(right));
        New { states: left.states + right.states, placements: left.placements + right.placements }
    }

    fn run_alone(&self, part: Part<'_>) -> New {
        let words = self.orders.words();
        let mut new = New::default();
        let mut reached = vec![0; words];
        let mut blocks = part.blocks.chunks_exact_mut(words).zip(part.counts);
        for (set, values) in part.sets.zip(part.values.chunks_exact_mut(self.orders.len())) {
            for (class, (block, count)) in self.graph.classes_of(set..set + 1).zip(&mut blocks) {
                reached.fill(0);
                let mut any = false;
                for edge in self.graph.edges(class) {
                    let source = edge.source as usize;
                    if self.layer.counts[source] > 0 {
                        any = true;
                        let source = &self.layer.blocks[source * words..][..words];
                        self.orders.carry(source, edge.from.into(), edge.to.into(), &mut reached);
                    }
                }
                if !any && *count == 0 {
                    continue;
                }
                *count = 0;
                for (bits, reached) in block.iter_mut().zip(&reached) {
                    *bits = reached & !*bits;
                    *count += bits.count_ones();
                }
                if *count > 0 {
                    new.states += u64::from(*count);
                    new.placements += self.orders.mark(block, values, self.depth, UNREACHED);
                }
            }
        }
        new
    }
}

/// Makes of each value half of what it exceeds the Manhattan distance by, and says what the greatest
/// is. Placements from which the goal can't be reached get 0.
fn subtract_manhattan(pattern: &Pattern, orders: &Orders, values: &mut [u8]) -> u8 {
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
            // In this order `zip` takes no value that it has no sum for.
            for (&sum, value) in sums.iter().zip(values.by_ref()) {
                // A value that is reached is at least the sum, which then has not wrapped.
                *value = if *value == UNREACHED { 0 } else { value.wrapping_sub(sum) / 2 };
                greatest = greatest.max(*value);
            }
        });
        greatest
    });
    greatest.max().unwrap_or(0)
}
