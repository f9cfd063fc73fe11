//! Instance sets, as `--instances` names them.

use std::fmt::Write;
use std::path::Path;

use taquin::Place;
pub(crate) use taquin_lab::instances::SETS;
use taquin_lab::instances::{self, Instance};

use crate::failure::Failure;
use crate::input::Source;
use crate::tables;

/// Returns the instances of a set. Paths are relative to the current folder.
pub(crate) fn read(text: &str, goal: Option<&str>) -> Result<Vec<Instance>, Failure> {
    instances::read(text, goal, Path::new(""), &tables::session()).map_err(|error| {
        let place = Place { line: 1, column: error.column as u32 + 1 };
        let source = Source::argument(text);
        let failure = Failure::placed(&error.message, Some(place), "instances", &source);
        error.hint.into_iter().fold(failure, Failure::hint)
    })
}

/// Lists the sets, for help texts.
pub(crate) fn listed() -> String {
    let width = SETS.iter().map(|set| set.usage.len()).max().unwrap_or(0);
    let mut text = String::from("Instance sets:\n");
    for set in SETS {
        let _ = writeln!(text, "  {:<width$}  {}", set.usage, set.about);
    }
    text.trim_end().to_owned()
}
