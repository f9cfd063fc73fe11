//! Building a pattern database: breadth-first from the goal, a block of orders at a time.
//!
//! A state is a class (see [`super::graph`]) and an order of the tiles on the occupied cells. Two
//! bit sets over all states hold the current layer and the previous one. A move costs one and
//! changes the parity of the sum of the tiles' rows and columns, so the neighbours of layer d are
//! in the layers d - 1 and d + 1. The neighbours of the current layer that are not in the previous
//! layer form the next layer, which replaces the previous one. A set of all known states is not
//! needed.
//!
//! The search follows moves backwards, from a class to its predecessors, so only one thread writes
//! each class, without locks. A horizontal move keeps the tiles' order on the occupied cells: it is
//! one `or` over the words of two blocks. Only vertical moves carry bits one by one, about two per
//! state.

use std::ops::Range;

use taquin_search::Monitor;

use super::Pattern;
use super::database::Database;
use super::encoding::{Encoding, Plain};
use super::graph::Graph;
use super::orders::{OrderBits, OrderWord};
use super::regions::Regions;

/// A pattern database that is ready to be built.
///
/// ```
/// use taquin_search::Monitor;
/// use taquin_tables::{Builder, Pattern, Plain, ZeroAware};
/// use taquin_tiles::NamedGoal;
///
/// let goal = NamedGoal::Last.board("3x3".parse()?, 1);
/// let pattern = Pattern::new(&goal, &[1, 2, 4])?;
/// let plain = Builder::<Plain>::new(pattern.clone(), 1 << 20)?;
/// assert_eq!((plain.plan().entries, plain.plan().table_bytes), (504, 252));
/// let plain = plain.build(&Monitor::default(), &mut |_| ())?;
///
/// let aware = Builder::<ZeroAware>::new(pattern, 1 << 20)?;
/// let aware = aware.build(&Monitor::default(), &mut |_| ())?;
/// let cells = [1, 0, 3]; // tiles 1 and 2 have changed places
/// /// assert_eq!((plain.value(&cells), aware.value(&cells, 4)), (6, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Builder<E = Plain> {
    pub(super) pattern: Pattern,
    pub(super) encoding: E,
    pub(super) graph: Graph,
    pub(super) orders: OrderBits,
}

/// The resources for building a pattern database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildPlan {
    /// The number of entries.
    pub entries: u64,
    /// The bytes of the table if its entries fit in 4 bits, which they do on common boards.
    pub table_bytes: u64,
    /// The peak memory in bytes.
    pub build_bytes: u64,
}

/// Why a pattern database was not built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum BuildError {
    #[error("building was cancelled")]
    Cancelled,
    #[error("building takes {needed} bytes of memory and {allowed} are allowed")]
    Memory { needed: u64, allowed: u64 },
    #[error(
        "the automaton for sequences of {longest} moves takes {needed} bytes of memory and \
         {allowed} are allowed"
    )]
    Automaton { longest: usize, needed: u64, allowed: u64 },
    #[error(
        "the boards within {moves} moves take {needed} bytes of memory and {allowed} are allowed"
    )]
    Perimeter { moves: u32, needed: u64, allowed: u64 },
    #[error("zero-aware databases are for one blank and at most {} cells", Regions::MAX_CELLS)]
    Regions,
    /// A value does not fit in an entry.
    #[error("some placement is more than {} moves from the goal", UNREACHED - 1)]
    TooFar,
}

/// A placement that has not been reached.
pub(super) const UNREACHED: u8 = u8::MAX;

impl BuildPlan {
    pub(super) const fn new(entries: usize, table_bytes: usize, build_bytes: usize) -> Self {
        Self {
            entries: entries as u64,
            table_bytes: table_bytes as u64,
            build_bytes: build_bytes as u64,
        }
    }
}

impl<E: Encoding> Builder<E> {
    /// Prepares a pattern database.
    ///
    /// # Errors
    /// Fails if building would take more than `memory` bytes, or if there are no databases of this
    /// kind for the pattern.
    pub fn new(pattern: Pattern, memory: u64) -> Result<Self, BuildError> {
        let encoding = E::of(&pattern, &[])?;
        Self::with_encoding(pattern, encoding, memory)
    }

    /// Prepares a pattern database as [`new`](Self::new) does, with an encoding that was made for
    /// the pattern.
    ///
    /// # Errors
    /// As `new`.
    pub fn with_encoding(pattern: Pattern, encoding: E, memory: u64) -> Result<Self, BuildError> {
        let over = |needed| Err(BuildError::Memory { needed, allowed: memory });
        let ranking = pattern.ranking();
        // A lower bound, before anything large is allocated.
        let entries = ranking.placements() as u64 * E::BUILD_BITS / 8;
        let least = entries as usize + Graph::least_bytes(&pattern);
        if least as u64 > memory {
            return over(least as u64);
        }
        let orders = OrderBits::new(ranking.tiles(), pattern.shape().size().cols());
        let least = least + ranking.sets() * layer_bytes(&orders);
        if least as u64 > memory {
            return over(least as u64);
        }
        let Some(graph) = Graph::new(&pattern) else { return over(u64::MAX) };
        let builder = Self { pattern, encoding, graph, orders };
        match builder.plan().build_bytes {
            needed if needed > memory => over(needed),
            _ => Ok(builder),
        }
    }

    /// Returns the pattern.
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Returns the resources for building it.
    pub fn plan(&self) -> BuildPlan {
        E::plan(self)
    }

    /// Builds it on all threads of the current pool. Calls `progress` with the fraction that is
    /// done.
    ///
    /// # Errors
    /// Fails if it is cancelled, or if a value is too large.
    pub fn build(
        self,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Database<E>, BuildError> {
        E::build(self, cancel, progress)
    }

    /// Returns the bytes that the search takes.
    pub(super) fn search_bytes(&self) -> usize {
        let layers = self.graph.classes() * layer_bytes(&self.orders);
        layers + self.graph.bytes() + self.orders.bytes()
    }

    /// Searches the graph breadth-first. Writes the least value of each placement into `values`, or
    /// the second lowest bit of each state's value into `bits`. The other one is empty. Returns the
    /// number of placements, or of states, with the value 0, 1, ..
    pub(super) fn search(
        &self,
        values: &mut [u8],
        bits: &mut [OrderWord],
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Vec<u64>, BuildError> {
        let Self { pattern, graph, orders, .. } = self;
        let mut histogram = vec![1];
        let (mut layer, mut before) =
            (BuildLayer::new(graph, orders), BuildLayer::new(graph, orders));
        layer.blocks[graph.goal() * orders.words()] = 1;
        layer.counts[graph.goal()] = 1;
        let states = (graph.classes() * orders.len()) as f64;
        let mut reached = 1;
        for depth in 1.. {
            let step = LayerStep { graph, orders, layer: &layer, depth, cancel };
            let new = step.run(BuildPart {
                sets: 0..pattern.ranking().sets(),
                blocks: &mut before.blocks,
                counts: &mut before.counts,
                values: &mut *values,
                bits: &mut *bits,
            });
            if cancel.is_cancelled() {
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
        // The last layers may add classes only, and no placements.
        while histogram.last() == Some(&0) {
            histogram.pop();
        }
        Ok(histogram)
    }
}

/// Returns the bytes of both layers for one class.
fn layer_bytes(orders: &OrderBits) -> usize {
    2 * (orders.words() * size_of::<OrderWord>() + size_of::<u32>())
}

/// The states at one distance.
struct BuildLayer {
    /// A block of bits for each class, a bit for each order.
    blocks: Vec<OrderWord>,
    /// The number of bits that are set, for each class.
    counts: Vec<u32>,
}

impl BuildLayer {
    fn new(graph: &Graph, orders: &OrderBits) -> Self {
        Self { blocks: vec![0; graph.classes() * orders.words()], counts: vec![0; graph.classes()] }
    }
}

/// The data for some of the sets. `blocks` and `counts` hold the previous layer until the next one
/// replaces it.
struct BuildPart<'a> {
    sets: Range<usize>,
    blocks: &'a mut [OrderWord],
    counts: &'a mut [u32],
    values: &'a mut [u8],
    bits: &'a mut [OrderWord],
}

/// The states that a layer adds.
#[derive(Default)]
struct ReachedStates {
    states: u64,
    /// The number of new placements.
    placements: u64,
}

/// The step from the current layer to the next.
struct LayerStep<'a> {
    graph: &'a Graph,
    orders: &'a OrderBits,
    layer: &'a BuildLayer,
    depth: u8,
    cancel: &'a Monitor,
}

impl LayerStep<'_> {
    /// Computes the next layer: the halves in parallel, down to parts of some ten microseconds.
    fn run(&self, part: BuildPart<'_>) -> ReachedStates {
        if part.sets.len() < 2 || part.blocks.len() < 1 << 12 {
            return if self.cancel.is_cancelled() {
                ReachedStates::default()
            } else {
                self.run_alone(part)
            };
        }
        let BuildPart { sets, blocks, counts, values, bits } = part;
        let middle = usize::midpoint(sets.start, sets.end);
        let classes = self.graph.classes_of(sets.start..middle).len();
        let blocks = blocks.split_at_mut(classes * self.orders.words());
        let counts = counts.split_at_mut(classes);
        // One of the two is empty.
        let placements = ((middle - sets.start) * self.orders.len()).min(values.len());
        let values = values.split_at_mut(placements);
        let words = (classes * self.orders.words()).min(bits.len());
        let bits = bits.split_at_mut(words);
        let left = BuildPart {
            sets: sets.start..middle,
            blocks: blocks.0,
            counts: counts.0,
            values: values.0,
            bits: bits.0,
        };
        let right = BuildPart {
            sets: middle..sets.end,
            blocks: blocks.1,
            counts: counts.1,
            values: values.1,
            bits: bits.1,
        };
        let (left, right) = rayon::join(|| self.run(left), || self.run(right));
        ReachedStates {
            states: left.states + right.states,
            placements: left.placements + right.placements,
        }
    }

    fn run_alone(&self, part: BuildPart<'_>) -> ReachedStates {
        let words = self.orders.words();
        let mut new = ReachedStates::default();
        let mut reached = vec![0; words];
        let mut blocks = part.blocks.chunks_exact_mut(words).zip(part.counts);
        let mut values_of_sets = part.values.chunks_exact_mut(self.orders.len());
        let mut bits_of_classes = part.bits.chunks_exact_mut(words);
        for set in part.sets {
            let values = values_of_sets.next().unwrap_or_default();
            for (class, (block, count)) in self.graph.classes_of(set..set + 1).zip(&mut blocks) {
                let marks = bits_of_classes.next().unwrap_or_default();
                reached.fill(0);
                let mut any = false;
                for class_move in self.graph.moves(class) {
                    let source = class_move.source as usize;
                    if self.layer.counts[source] > 0 {
                        any = true;
                        let source = &self.layer.blocks[source * words..][..words];
                        self.orders.carry(
                            source,
                            class_move.from.into(),
                            class_move.to.into(),
                            &mut reached,
                        );
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
                    new.placements += match marks.is_empty() {
                        true => self.orders.mark(block, values, self.depth, UNREACHED),
                        false => u64::from(*count),
                    };
                    if self.depth >> 1 & 1 == 1 {
                        marks.iter_mut().zip(&*block).for_each(|(marks, bits)| *marks |= bits);
                    }
                }
            }
        }
        new
    }
}
