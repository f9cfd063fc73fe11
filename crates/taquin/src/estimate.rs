//! Heuristics by name.

use std::fmt;
use std::str::FromStr;

use taquin_search::{MethodError, MethodSyntax};
use taquin_tables::{Partition, PartitionError};

/// A heuristic as a method names it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Estimate {
    /// Nothing: every estimate is 0.
    Zero,
    /// The number of tiles that are not at home.
    Misplaced,
    /// The straight-line distances of all tiles, added and rounded down.
    Euclidean,
    /// The rows and columns that each tile is away from home.
    Manhattan,
    /// Manhattan distance and linear conflicts.
    Linear,
    /// The moves when a tile can jump to a blank from anywhere.
    Gaschnig,
    /// Walking distance: the moves between rows, and between columns, with tiles of a line alike.
    Walking,
    /// Pattern databases, added up.
    Pdb(Partition),
    /// The greatest of several.
    Max(Vec<Self>),
}

impl Estimate {
    /// Those that stand for themselves.
    pub const NAMED: [Self; 7] = [
        Self::Zero,
        Self::Misplaced,
        Self::Euclidean,
        Self::Manhattan,
        Self::Linear,
        Self::Gaschnig,
        Self::Walking,
    ];

    /// What it is, in a line.
    pub const fn about(&self) -> &'static str {
        match self {
            Self::Zero => "nothing: every estimate is 0",
            Self::Misplaced => "the number of tiles that are not at home",
            Self::Euclidean => "straight-line distances of all tiles, added and rounded down",
            Self::Manhattan => "rows and columns that each tile is away from home",
            Self::Linear => "Manhattan distance and linear conflicts",
            Self::Gaschnig => "moves when a tile can jump to a blank from anywhere",
            Self::Walking => "moves between rows and between columns, tiles of a line being alike",
            Self::Pdb(_) => "pattern databases: exact moves of groups of tiles, added up",
            Self::Max(_) => "the greatest of several",
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Misplaced => "misplaced",
            Self::Euclidean => "euclidean",
            Self::Manhattan => "manhattan",
            Self::Linear => "linear",
            Self::Gaschnig => "gaschnig",
            Self::Walking => "walking",
            Self::Pdb(_) => "pdb",
            Self::Max(_) => "max",
        }
    }

    /// Reads a heuristic's spelling, which is a part of a method's.
    pub(crate) fn read(text: &str, syntax: &MethodSyntax<'_>) -> Result<Self, MethodError> {
        if let Some(list) = text.strip_prefix("max=") {
            let each = list.split('+').map(|name| Self::read_one(name, syntax));
            return Ok(Self::Max(each.collect::<Result<_, _>>()?));
        }
        Self::read_one(text, syntax)
    }

    fn read_one(text: &str, syntax: &MethodSyntax<'_>) -> Result<Self, MethodError> {
        if let Some(partition) = text.strip_prefix("pdb=") {
            let hint =
                || Some("write pdb=6-6-3, pdb=7-8, or tiles as in pdb=1.2.3/4.5.6".to_owned());
            let wrong = |error: PartitionError| syntax.error(partition, error.to_string(), hint());
            return partition.parse().map(Self::Pdb).map_err(wrong);
        }
        let named = Self::NAMED.into_iter().find(|estimate| estimate.name() == text);
        named.ok_or_else(|| syntax.unknown(text, "heuristic", Self::NAMED.iter().map(Self::name)))
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Max(list) => {
                let names: Vec<String> = list.iter().map(Self::to_string).collect();
                write!(f, "max={}", names.join("+"))
            }
            Self::Pdb(partition) => write!(f, "pdb={partition}"),
            _ => f.write_str(self.name()),
        }
    }
}

impl FromStr for Estimate {
    type Err = MethodError;

    fn from_str(text: &str) -> Result<Self, MethodError> {
        Self::read(text, &MethodSyntax::new(text)?)
    }
}
