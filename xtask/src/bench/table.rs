//! The table of measurements.

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::Value;
use taquin::Puzzle;
use toml::Value as Toml;

use super::{Options, boards};

/// An entry in the table: commands, and the rows made from them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Entry {
    pub(super) group: String,
    /// Commands that make tables, before anything is measured.
    #[serde(default)]
    pub(super) setup: Vec<String>,
    /// Whether the commands use the tables of their group, and not an empty folder each.
    #[serde(default)]
    pub(super) kept: bool,
    /// Sets of boards. A command with `{board}` is run for each, with a file that has it.
    #[serde(default)]
    pub(super) boards: Vec<String>,
    /// The number of boards, if not all.
    pub(super) most: Option<usize>,
    /// Every how many boards `--quick` takes: none if 0.
    pub(super) quick: Option<usize>,
    /// How often everything runs, if not three times; a third of it with `--quick`.
    pub(super) times: Option<usize>,
    /// How many consecutive times a command runs.
    #[serde(default = "once")]
    pub(super) in_a_row: usize,
    /// An answer that comes after this many seconds is none.
    pub(super) late: Option<f64>,
    /// The methods for commands with `{method}`. Only the best answer counts.
    #[serde(default)]
    pub(super) methods: String,
    #[serde(default)]
    pub(super) instructions: Instructions,
    /// Whether a CUDA device is needed.
    #[serde(default)]
    pub(super) gpu: bool,
    /// The commands by their names. Words before `=` are environment variables, and `!` begins the
    /// name of a piece of work in this program.
    pub(super) runs: Vec<(String, String)>,
    /// Expressions that must have the same value.
    #[serde(default)]
    pub(super) equal: Vec<Vec<String>>,
    /// Commands that must print the same.
    #[serde(default)]
    pub(super) same: Vec<String>,
    pub(super) rows: Vec<Row>,
}

const fn once() -> usize {
    1
}

/// Whether an entry counts instructions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Instructions {
    #[default]
    No,
    /// Only with `--instructions`.
    IfAsked,
    Always,
}

/// A line of the table: something that should be small.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: String,
    /// The measured quantity, in seconds, bytes or numbers.
    pub(super) value: String,
    #[serde(default)]
    pub(super) unit: String,
    /// Above the first is a failure, the second is the goal. Without targets, a row only reports.
    #[serde(default)]
    pub(super) targets: String,
    /// The inputs of the value, with expressions in braces.
    #[serde(default)]
    pub(super) note: String,
}

/// Reads the table.
pub(super) fn entries(text: &str, quick: bool) -> Result<Vec<Entry>> {
    let Toml::Table(table) = Toml::Table(text.parse()?) else { bail!("no table") };
    let entries = table.get("bench").and_then(Toml::as_array).context("no entries")?;
    let mut all = Vec::new();
    for entry in entries {
        let mut entry = entry.clone();
        let own = entry.as_table_mut().context("an entry is a table")?;
        let each = own.remove("each").unwrap_or_else(|| Toml::Array(Vec::new()));
        let first_only = own.remove("quick-first").is_some() && quick;
        let mut filled_in = vec![entry];
        for lists in each.as_array().context("'each' is a list of lists")? {
            let variables = lists.as_array().context("'each' is a list of lists")?;
            let count = if first_only { 1 } else { variables.len() };
            filled_in = variables[..count]
                .iter()
                .flat_map(|variables| filled_in.iter().map(move |entry| fill(entry, variables)))
                .collect();
        }
        for entry in filled_in {
            let what = format!("{entry:?}");
            all.push(Entry::deserialize(entry).with_context(|| what)?);
        }
    }
    Ok(all)
}

/// Puts variables in the place of their names in braces.
fn fill(value: &Toml, variables: &Toml) -> Toml {
    match value {
        Toml::String(text) => {
            let mut text = text.clone();
            for (name, value) in variables.as_table().into_iter().flatten() {
                let place = format!("{{{name}}}");
                match value {
                    Toml::String(value) => text = text.replace(&place, value),
                    number if text == place => return number.clone(),
                    _ => {}
                }
            }
            Toml::String(text)
        }
        Toml::Array(values) => {
            Toml::Array(values.iter().map(|value| fill(value, variables)).collect())
        }
        Toml::Table(table) => Toml::Table(
            table.iter().map(|(key, value)| (key.clone(), fill(value, variables))).collect(),
        ),
        other => other.clone(),
    }
}

impl Entry {
    pub(super) fn is_asked_for(&self, options: &Options) -> bool {
        let counts = match self.instructions {
            Instructions::No => !options.instructions,
            Instructions::IfAsked => options.instructions,
            Instructions::Always => true,
        };
        counts && !(options.quick && self.quick == Some(0))
    }

    /// The puzzles, each with its known facts.
    pub(super) fn puzzles(&self, quick: bool) -> Result<Vec<(Puzzle, Value)>> {
        let mut all = Vec::new();
        for set in &self.boards {
            all.extend(boards::read(set).with_context(|| set.clone())?);
        }
        all.truncate(self.most.unwrap_or(usize::MAX));
        let one_in = self.quick.filter(|_| quick).unwrap_or(1);
        Ok(all.into_iter().step_by(one_in).collect())
    }
}
