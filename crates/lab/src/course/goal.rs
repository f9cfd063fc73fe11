//! The goal of a course.

use std::fmt;

use serde::{Serialize, Serializer};
use taquin::{Board, NamedGoal};

use super::file::read_start;
use crate::toml_reader::{TomlReader, TomlValue};

/// The goal of a course.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CourseGoal {
    /// A goal for boards of any size.
    Named(NamedGoal),
    /// A course's own goal, for boards of its size.
    Own(Board),
}

impl Default for CourseGoal {
    fn default() -> Self {
        Self::Named(NamedGoal::default())
    }
}

impl fmt::Display for CourseGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(named) => named.fmt(f),
            Self::Own(board) => board.fmt(f),
        }
    }
}

impl Serialize for CourseGoal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl CourseGoal {
    /// Returns the goal of a search from `start`.
    pub fn board(&self, start: &Board) -> Board {
        match self {
            Self::Named(named) => named.board(start.size(), start.blanks().count()),
            Self::Own(board) => board.clone(),
        }
    }

    /// Reads a name or a board.
    pub(super) fn read(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Self> {
        match value.get_ref().as_str() {
            Some(text) if text.contains(|c: char| c.is_ascii_digit()) => {
                read_start(reader, value).map(Self::Own)
            }
            _ => reader.parsed(value).map(Self::Named),
        }
    }
}
