//! The questions that a program asks for a puzzle and a method, as data.
//!
//! Every dialogue has the same order: a default puzzle or the user's own, its size, its tiles, the
//! method. Courses differ in the words, and in the questions that they ask.

use serde::Serialize;

use super::{Course, CourseMethod, fill};

/// The words of a dialogue. An empty question is not asked, but tiles are asked for anyway.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Dialogue {
    /// Before the first question.
    pub welcome: String,
    /// Asks for `1`, the course's puzzle, or `2`, the user's own.
    pub choice: String,
    /// Asks for the number of tiles.
    pub size: String,
    /// Before the first tile.
    pub tiles: String,
    /// Asks for a row's first tile; empty if that is not a special case.
    pub row: String,
    /// Asks for a tile.
    pub cell: String,
    /// After the tiles of the user's own puzzle.
    pub own: String,
    /// Asks for the method. `{methods}` lists the course's methods.
    pub method: String,
}

/// The keys of a dialogue in a course's file.
pub(super) const KEYS: [&str; 8] =
    ["welcome", "choice", "size", "tiles", "row", "cell", "own", "method"];

/// The placeholders of a sentence.
pub(super) fn placeholders(sentence: &str) -> &'static [&'static str] {
    match sentence {
        "row" | "cell" => &["row", "column", "row0", "column0", "ordinal"],
        "method" => &["methods"],
        _ => &[],
    }
}

impl Default for Dialogue {
    /// The questions of taquin itself.
    fn default() -> Self {
        let [welcome, choice, size, tiles, row, cell, own, method] = [
            "Welcome to taquin, a solver of sliding-tile puzzles.\n\
             At every question: help, back (to the question before), quit.\n",
            "Type \"1\" to use a default puzzle, or \"2\" to enter your own puzzle.\n> ",
            "Type the number of tiles (8, 15 or 24) or a size such as 3x4. Enter means 8.\n> ",
            "Enter your puzzle, with 0 for the blank: all tiles at once, a row at a time,\n\
             or a tile at a time.\n",
            "Enter the {ordinal} row, use space or tabs between numbers: ",
            "Row {row}, column {column}: ",
            "",
            "Enter your choice of algorithm\n\
             {methods}\
             or a method listed by 'taquin list methods', such as bfs or ida:linear\n> ",
        ]
        .map(str::to_owned);
        Self { welcome, choice, size, tiles, row, cell, own, method }
    }
}

impl Dialogue {
    /// An empty dialogue.
    pub(super) fn silent() -> Self {
        let [welcome, choice, size, tiles, row, cell, own, method] = Default::default();
        Self { welcome, choice, size, tiles, row, cell, own, method }
    }

    /// The sentences by their keys.
    pub(super) fn sentences(&mut self) -> [(&'static str, &mut String); 8] {
        let Self { welcome, choice, size, tiles, row, cell, own, method } = self;
        let sentences = [welcome, choice, size, tiles, row, cell, own, method];
        let mut keys = KEYS.into_iter();
        sentences.map(|sentence| (keys.next().unwrap_or_default(), sentence))
    }

    /// Asks for the tile in a row and a column, both from 0.
    pub fn cell(&self, row: usize, column: usize) -> String {
        const ORDINALS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
        let sentence = match column {
            0 if !self.row.is_empty() => &self.row,
            _ => &self.cell,
        };
        fill(sentence, |key| {
            Some(match key {
                "row" => (row + 1).to_string(),
                "column" => (column + 1).to_string(),
                "row0" => row.to_string(),
                "column0" => column.to_string(),
                "ordinal" => {
                    ORDINALS.get(row).map_or_else(|| format!("{}th", row + 1), ToString::to_string)
                }
                _ => return None,
            })
        })
    }

    /// Asks for a method of the course.
    pub fn method(&self, course: &Course) -> String {
        let listed =
            |(number, method): (usize, &CourseMethod)| format!("{number}. {}\n", title(method));
        let methods: String = (1..).zip(&course.methods).map(listed).collect();
        fill(&self.method, |key| (key == "methods").then(|| methods.clone()))
    }
}

/// Returns the longest name that a course has for a method.
fn title(method: &CourseMethod) -> String {
    let name = method.names.iter().max_by_key(|name| name.len());
    let mut letters = name.map_or("", String::as_str).chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
