//! The sentences in which a course prints its results.
//!
//! Each is a template: `{nodes}` stands for the course's figure with that name. In a trace, `{g}`,
//! `{h}`, `{f}`, `{depth}`, `{board}`, `{action}` and `{parent}` stand for a node's values.

use std::sync::LazyLock;

use serde::Serialize;
use taquin::{Board, BoardFormat, Ending, Puzzle, Reason, Report, write_board};

use super::{Course, Figures, Value};

/// The sentences of a course, each a template.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Wording {
    /// How a board is written.
    pub format: BoardFormat,
    /// The character for a blank.
    pub blank: char,
    /// The text between the rows of a board, if it differs from the format's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub between_rows: Option<String>,
    /// The text between two boards on a path.
    pub between_boards: String,
    /// Before everything else, also for a puzzle that cannot be solved.
    pub puzzle: String,
    /// Before the search, with or without a trace.
    pub opening: String,
    /// In a trace: before the first expansion. `{start}` and `{goal}` are the boards, `{method}` is
    /// the method's name.
    pub heading: String,
    /// In a trace: a node in a list, from which `{node}`, `{queue}` and `{fringe}` are made.
    pub node: String,
    /// In a trace: before a node is expanded. `{step}` is the number of expansions so far, and
    /// `{queue}` the open list, the node itself included.
    pub expansion: String,
    /// In a trace: after the successors were generated. `{successors}` is their number, `{closed}`
    /// the boards expanded so far, `{fringe}` the open list.
    pub successors: String,
    /// In a trace: at the goal.
    pub goal: String,
    /// After the search, if a solution was found.
    pub solved: String,
    /// After the search, if there is no solution.
    pub failed: String,
    /// After the search, if the time limit was reached. Without it nothing is printed then.
    pub late: Option<String>,
    /// After the search, if there is no solution within the depth limit. Without it nothing is
    /// printed then.
    pub deep: Option<String>,
}

impl Default for Wording {
    /// The sentences for a trace without a course, as most courses require them.
    fn default() -> Self {
        Self {
            format: BoardFormat::Rows,
            blank: 'b',
            between_rows: None,
            between_boards: "\n\n".to_owned(),
            puzzle: String::new(),
            opening: String::new(),
            heading: String::new(),
            node: String::new(),
            expansion: concat!(
                "The best state to expand with a g(n) = {g} and h(n) = {h} is...\n",
                "{board}\tExpanding this node...\n\n",
            )
            .to_owned(),
            successors: String::new(),
            goal: String::new(),
            solved: String::new(),
            failed: String::new(),
            late: None,
            deep: None,
        }
    }
}

/// The placeholders of the sentences before the search.
const PUZZLE: [&str; 4] = ["start", "goal", "method", "list"];

/// The placeholders for a node, and after them those for the whole trace.
const TRACE: [&str; 13] = [
    "g",
    "h",
    "f",
    "depth",
    "board",
    "action",
    "parent",
    "step",
    "successors",
    "node",
    "queue",
    "fringe",
    "closed",
];

/// A sentence's placeholders; `None` if they are the course's figures.
pub(super) fn placeholders(sentence: &str) -> Option<&'static [&'static str]> {
    match sentence {
        "puzzle" | "opening" | "heading" => Some(&PUZZLE),
        "node" => TRACE.get(..7),
        "expansion" | "successors" | "goal" => Some(&TRACE),
        _ => None,
    }
}

impl Wording {
    /// The sentences that a course must have, by their names.
    pub(super) fn sentences(&mut self) -> [(&'static str, &mut String); 9] {
        [
            ("puzzle", &mut self.puzzle),
            ("opening", &mut self.opening),
            ("heading", &mut self.heading),
            ("node", &mut self.node),
            ("expansion", &mut self.expansion),
            ("successors", &mut self.successors),
            ("goal", &mut self.goal),
            ("solved", &mut self.solved),
            ("failed", &mut self.failed),
        ]
    }

    /// The wording of a trace without a course.
    pub fn plain() -> &'static Self {
        static PLAIN: LazyLock<Wording> = LazyLock::new(Wording::default);
        &PLAIN
    }

    /// The same with boards in another form.
    ///
    /// Lists are written with 0 for the blank, as lists of numbers.
    #[must_use]
    pub fn with_format(mut self, format: BoardFormat) -> Self {
        self.format = format;
        if matches!(format, BoardFormat::Nested | BoardFormat::Flat) {
            self.blank = '0';
        }
        self
    }

    /// Returns the text before everything else.
    pub fn puzzle(&self, puzzle: &Puzzle, method: &str) -> String {
        self.introduce(&self.puzzle, puzzle, method)
    }

    /// Returns the text before the search, with a trace or without.
    pub fn opening(&self, puzzle: &Puzzle, method: &str) -> String {
        self.introduce(&self.opening, puzzle, method)
    }

    /// Returns the text before a trace.
    pub fn heading(&self, puzzle: &Puzzle, method: &str) -> String {
        self.introduce(&self.heading, puzzle, method)
    }

    fn introduce(&self, sentence: &str, puzzle: &Puzzle, method: &str) -> String {
        fill(sentence, |key| match key {
            "start" => Some(self.board(puzzle.start())),
            "goal" => Some(self.board(puzzle.goal())),
            "method" => Some(method.to_owned()),
            "list" => Some(list(puzzle.start(), '0')),
            _ => None,
        })
    }

    /// Writes a board.
    pub fn board(&self, board: &Board) -> String {
        let written =
            |format| write_board(board, format, self.blank).unwrap_or_else(|_| board.to_string());
        let text = written(self.format);
        match self.format {
            // Tiles of one digit need nothing between them.
            _ if let Some(between) = &self.between_rows => {
                let between_tiles =
                    if board.tiles().iter().all(|tile| *tile < 10) { "" } else { " " };
                let row =
                    |row: &str| row.split_whitespace().collect::<Vec<_>>().join(between_tiles);
                written(BoardFormat::Rows).lines().map(row).collect::<Vec<_>>().join(between)
            }
            // As Python prints lists.
            BoardFormat::Nested => text.replace(',', ", "),
            BoardFormat::Flat => list(board, self.blank),
            _ => text,
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::None => "none".to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Real(number) => format!("{number:.8}"),
            Value::Thousandths(number) => format!("{number:.3}"),
            Value::Text(text) => text.clone(),
            Value::Directions(list) => {
                let quoted: Vec<String> = list.iter().map(|word| format!("'{word}'")).collect();
                format!("[{}]", quoted.join(", "))
            }
            Value::Steps(list) => list.join("\n\t"),
            Value::Boards(list) => {
                let boards: Vec<String> = list.iter().map(|board| self.board(board)).collect();
                boards.join(&self.between_boards)
            }
        }
    }
}

impl Course {
    /// Returns the course's final text; `None` if it has no sentence for this outcome.
    pub fn summary(&self, report: &Report, figures: &Figures) -> Option<String> {
        let wording = &self.wording;
        let template = match (report.outcome, report.reason) {
            (Ending::Solved, _) => &wording.solved,
            (Ending::Unsolvable | Ending::Exhausted, _) => &wording.failed,
            (Ending::Stopped, Some(Reason::Time)) => wording.late.as_ref()?,
            (Ending::Stopped, Some(Reason::Depth)) => wording.deep.as_ref()?,
            (Ending::Stopped, _) => return None,
        };
        Some(fill(template, |key| figures.get(key).map(|value| wording.value(value))))
    }
}

/// Writes the tiles as one list, as Python does.
fn list(board: &Board, blank: char) -> String {
    let text = write_board(board, BoardFormat::Flat, blank);
    format!("[{}]", text.unwrap_or_default().replace(',', ", "))
}

/// Replaces each `{key}` in a template by its value; other braces stay.
pub(crate) fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        if let Some((key, after)) = after.split_once('}')
            && let Some(value) = value(key)
        {
            text += &value;
            rest = after;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_filled_and_other_braces_stay() {
        let value = |key: &str| (key == "n").then(|| "{7}".to_owned());
        assert_eq!(fill("{n} of {m}, {n", value), "{7} of {m}, {n");
        assert_eq!(fill("", value), "");
    }
}
