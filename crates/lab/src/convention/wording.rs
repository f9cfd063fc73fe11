//! How a course says what happened.
//!
//! Its sentences are templates: `{expanded}` stands for the figure of that name, and in a trace `{g}`,
//! `{h}`, `{f}`, `{depth}`, `{board}`, `{action}` and `{parent}` for those of the node.

use serde::Serialize;
use taquin::{Board, BoardFormat, Ending, Reason, Report, write_board};

use super::{Convention, Figures, Value};

/// The words of a course, each a template.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Wording {
    /// How a board is written.
    #[serde(serialize_with = "super::as_text")]
    pub format: BoardFormat,
    /// How a blank is written.
    pub blank: char,
    /// Before anything is done.
    pub opening: &'static str,
    /// In a trace: before the first expansion. `{start}` and `{goal}` are the boards, `{method}` is
    /// the method's name.
    pub heading: &'static str,
    /// In a trace: a node of a list, which is what `{node}`, `{queue}` and `{fringe}` are made of.
    pub node: &'static str,
    /// In a trace: a node is about to be expanded. `{step}` counts these from 0, and `{queue}` is
    /// what waits, the node itself included.
    pub expansion: &'static str,
    /// In a trace: its successors were generated. `{successors}` is their number, `{closed}` the
    /// boards expanded so far, `{fringe}` what waits.
    pub successors: &'static str,
    /// In a trace: a node is a goal.
    pub goal: &'static str,
    /// The end, with a solution.
    pub solved: &'static str,
    /// The end, without a solution.
    pub failed: &'static str,
    /// The end, when the time is up.
    pub late: Option<&'static str>,
}

/// The words of a trace without a course: those that most courses ask for.
pub const PLAIN: Wording = Wording {
    format: BoardFormat::Rows,
    blank: 'b',
    opening: "",
    heading: "",
    node: "",
    expansion: concat!(
        "The best state to expand with a g(n) = {g} and h(n) = {h} is...\n",
        "{board}\tExpanding this node...\n\n",
    ),
    successors: "",
    goal: "",
    solved: "",
    failed: "",
    late: None,
};

impl Wording {
    /// A board as the course writes it.
    pub fn board(&self, board: &Board) -> String {
        let text =
            write_board(board, self.format, self.blank).unwrap_or_else(|_| board.to_string());
        match self.format {
            // As Python prints lists.
            BoardFormat::Nested => text.replace(',', ", "),
            _ => text,
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::None => "none".to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Real(number) => format!("{number:.8}"),
            Value::Text(text) => text.clone(),
            Value::Directions(list) => {
                let quoted: Vec<String> = list.iter().map(|word| format!("'{word}'")).collect();
                format!("[{}]", quoted.join(", "))
            }
            Value::Steps(list) => list.join("\n\t"),
            Value::Boards(list) => {
                let boards: Vec<String> = list.iter().map(|board| self.board(board)).collect();
                boards.join("\n\n")
            }
        }
    }
}

impl Convention {
    /// What the course prints at the end; `None` if it has no words for this ending.
    pub fn summary(&self, report: &Report, figures: &Figures) -> Option<String> {
        let wording = &self.wording;
        let template = match (report.outcome, report.reason) {
            (Ending::Solved, _) => wording.solved,
            (Ending::Unsolvable | Ending::Exhausted, _) => wording.failed,
            (Ending::Stopped, Some(Reason::Time)) => wording.late?,
            (Ending::Stopped, _) => return None,
        };
        Some(fill(template, |key| figures.get(key).map(|value| wording.value(value))))
    }
}

/// A template with each `{key}` replaced by its value; what is no key stays.
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
