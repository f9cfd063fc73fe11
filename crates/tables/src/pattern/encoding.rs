//! The kinds of pattern databases, and the functions that each kind provides.

mod plain;
mod zero_aware;

use std::fmt;

use taquin_search::Monitor;

use super::build::{BuildError, BuildPlan, Builder};
use super::database::Database;
use super::{Pattern, Shape};
pub use plain::Plain;
pub use zero_aware::ZeroAware;

/// A kind of pattern database.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PatternKind {
    /// [`Plain`] databases.
    #[default]
    Plain,
    /// [`ZeroAware`] databases.
    ZeroAware,
}

impl PatternKind {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Plain, Self::ZeroAware];

    /// Returns the file extension, which is also the heuristic's name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Plain => "pdb",
            Self::ZeroAware => "zpdb",
        }
    }

    /// Returns the kind whose entries have this width.
    pub(crate) const fn of(width: Width) -> Self {
        match width {
            Width::Nibble | Width::Byte => Self::Plain,
            Width::Bit => Self::ZeroAware,
        }
    }
}

/// Evaluates an expression with the [`Encoding`] of a [`PatternKind`] that is known at run time.
///
/// ```
/// use taquin_tables::{Encoding, PatternKind, with_encoding};
///
/// let bits = |kind| with_encoding!(kind, E => E::TABLE_BITS);
/// assert_eq!(PatternKind::ALL.map(bits), [4, 1]);
/// ```
#[macro_export]
macro_rules! with_encoding {
    ($kind:expr, $encoding:ident => $value:expr) => {
        match $kind {
            $crate::PatternKind::Plain => {
                type $encoding = $crate::Plain;
                $value
            }
            $crate::PatternKind::ZeroAware => {
                type $encoding = $crate::ZeroAware;
                $value
            }
        }
    };
}

/// The size of an entry in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Width {
    /// Four: entry i is the low half of byte i / 2 if i is even, the high half if it is odd.
    Nibble,
    /// Eight.
    Byte,
    /// One, from the lowest bit of byte 0 on.
    Bit,
}

impl Width {
    pub(super) const ALL: [Self; 3] = [Self::Nibble, Self::Byte, Self::Bit];

    /// Returns the number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Nibble => 4,
            Self::Byte => 8,
            Self::Bit => 1,
        }
    }

    /// Returns the size of `entries` entries in bytes.
    pub const fn bytes(self, entries: usize) -> usize {
        entries.div_ceil(8 / self.bits() as usize)
    }

    /// Returns the entry at an index.
    #[inline]
    pub(super) const fn entry(self, bytes: &[u8], index: usize) -> u8 {
        match self {
            Self::Nibble => bytes[index / 2] >> (index % 2 * 4) & 15,
            Self::Byte => bytes[index],
            Self::Bit => bytes[index / 8] >> (index % 8) & 1,
        }
    }
}

/// How a pattern database stores its values. Everything else is the same for all kinds.
///
/// A database contributes a *term* to an estimate: a placement's value, or half its difference from
/// the Manhattan distance.
pub trait Encoding: Clone + fmt::Debug + Send + Sync + 'static {
    /// The kind.
    const KIND: PatternKind;

    /// Whether a term counts twice, and comes in addition to the Manhattan distance of the
    /// pattern's tiles.
    const ABOVE_MANHATTAN: bool;

    /// The least bits of a placement in a table.
    const TABLE_BITS: u64;

    /// The least bits per placement while a table is built, in addition to the search.
    const BUILD_BITS: u64;

    /// Creates the encoding for a pattern. It may share data with `known` databases.
    ///
    /// # Errors
    /// Fails if this kind cannot have the pattern.
    fn of(pattern: &Pattern, known: &[Database<Self>]) -> Result<Self, BuildError>;

    /// Returns the number of entries for a pattern.
    fn entries(&self, pattern: &Pattern) -> u64;

    /// Returns the bytes of a table with some entries, if there is one.
    fn table_bytes(shape: Shape, width: Width, entries: u64) -> Option<usize>;

    /// Returns the resources for building a database.
    fn plan(builder: &Builder<Self>) -> BuildPlan;

    /// Builds a database as [`Builder::build`] does.
    ///
    /// # Errors
    /// Fails if it is cancelled, or if a value is too large.
    fn build(
        builder: Builder<Self>,
        cancel: &Monitor,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Database<Self>, BuildError>;

    /// Returns the term for the pattern's tiles on the given cells, and the blank on another one.
    fn term(database: &Database<Self>, cells: &[u8], blank: u8) -> u8;

    /// Returns the term after a move by one of the pattern's tiles, given the term before it, and
    /// the placement and the blank after it.
    #[inline]
    fn step(database: &Database<Self>, _before: u8, cells: &[u8], blank: u8) -> u8 {
        Self::term(database, cells, blank)
    }
}
