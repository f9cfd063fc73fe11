//! Published figures, as a course's file lists them.

use taquin::{Board, Method, Tile};

/// The published figures of a course.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Suite {
    /// There are none.
    #[default]
    None,
    /// The figures listed in the course's file.
    Listed(Vec<Published>),
    /// The figures in files that the course or paper handed out.
    Named(NamedSuite),
}

/// A suite made from files that are part of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is named after its course")]
pub enum NamedSuite {
    Columbia,
    Princeton,
    School42,
    Korf85,
}

/// A published figure, or several of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Published {
    /// What is counted, and where.
    pub what: String,
    /// The values as they were published.
    pub published: Vec<String>,
    /// The right values, if the published ones are wrong.
    pub actual: Option<Vec<String>>,
    /// Why they are wrong, or why they cannot be reproduced.
    pub note: Option<String>,
    /// Whether it takes so long that it is left out unless everything is asked for.
    pub long: bool,
    /// How to get the values; `None` if what was published is not enough.
    pub run: Option<(Board, PublishedWhat)>,
}

/// What was published about a board.
#[derive(Clone, PartialEq, Debug)]
pub enum PublishedWhat {
    /// Figures of a search, by their names.
    Figures {
        /// The method.
        method: Method,
        /// The names.
        keys: Vec<String>,
    },
    /// The smaller tiles that come after a tile.
    SmallerAfter(Tile),
}

impl NamedSuite {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Columbia, Self::Princeton, Self::School42, Self::Korf85];

    /// The name, which is the course's.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Columbia => "columbia",
            Self::Princeton => "princeton",
            Self::School42 => "42",
            Self::Korf85 => "korf85",
        }
    }
}
