//! Published figures, as a course's file lists them.

use std::collections::BTreeMap;

use taquin::{Board, Estimate, Method, Tile};

use super::file::{plain, read_method, read_start};
use super::{Course, FigureKind, fill};
use crate::instances;
use crate::toml_reader::{TomlReader, TomlTable, TomlValue};

/// A published figure, or several from one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Published {
    /// The figure and the board.
    pub what: String,
    /// The values as they were published.
    pub published: Vec<String>,
    /// The right values, if the published ones are wrong.
    pub actual: Option<Vec<String>>,
    /// Why they are wrong, or why they cannot be reproduced.
    pub note: Option<String>,
    /// Whether it takes so long that it runs only if everything is requested.
    pub long: bool,
    /// Whether it is one of many hard instances, which also run on a device.
    pub hard: bool,
    /// How to get the values; `None` if the publication does not say enough.
    pub run: Option<PublishedRun>,
}

/// The published figures for a board.
#[derive(Clone, PartialEq, Debug)]
pub enum PublishedRun {
    /// Figures of a search.
    Figures {
        /// The start.
        board: Board,
        /// The method.
        method: Method,
        /// The names of the figures.
        keys: Vec<String>,
        /// The published word for a missing figure.
        unsolved: String,
    },
    /// The means of figures over many boards, as whole numbers.
    Means {
        /// The starts.
        boards: Vec<Board>,
        /// The method.
        method: Method,
        /// The names of the figures.
        keys: Vec<String>,
    },
    /// The smaller tiles that come after a tile.
    SmallerAfter(Board, Tile),
    /// The estimate of a heuristic.
    Estimate(Board, Estimate),
    /// The queue after this many nodes were removed from it.
    Queue(Board, Method, usize),
    /// Whether the board is solvable.
    Solvable(Board),
    /// Whether a text is a board.
    Text(String),
}

impl PublishedRun {
    /// The starts.
    pub fn boards(&self) -> &[Board] {
        match self {
            Self::Figures { board, .. }
            | Self::SmallerAfter(board, _)
            | Self::Estimate(board, _)
            | Self::Queue(board, ..)
            | Self::Solvable(board) => std::slice::from_ref(board),
            Self::Means { boards, .. } => boards,
            Self::Text(_) => &[],
        }
    }
}

/// The keys of a row.
pub(super) const KEYS: [&str; 19] = [
    "what",
    "board",
    "text",
    "table",
    "mean",
    "method",
    "figures",
    "unsolved",
    "tile",
    "estimate",
    "queue",
    "solvable",
    "published",
    "actual",
    "note",
    "notes",
    "long",
    "long-from",
    "hard",
];

/// A row with a board has one of these keys.
const KINDS: [&str; 5] = ["figures", "tile", "estimate", "queue", "solvable"];

/// Reads the rows of `course`'s suite, or the name of the built-in course that has them.
pub(super) fn read(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    course: &Course,
) -> Vec<Published> {
    if value.get_ref().is_str()
        && let Some(text) = reader.text(value)
    {
        let found = Course::built_in().iter().find(|built_in| built_in.name == text.text);
        if found.is_none() {
            let names: Vec<&str> = Course::built_in().iter().map(|known| &known.name[..]).collect();
            reader.unknown(text.at, &text.text, "suite", &names);
        }
        return found.map(|built_in| built_in.suite.clone()).unwrap_or_default();
    }
    let expected = "a list of tables, or the name of a suite";
    let rows = reader.items(value, expected, |reader, item| read_row(reader, item, course));
    rows.into_iter().flatten().collect()
}

/// Reads a row, which may stand for all instances of a table.
fn read_row(
    reader: &mut TomlReader<'_>,
    item: &TomlValue<'_>,
    course: &Course,
) -> Option<Vec<Published>> {
    let table = reader.table(item)?;
    let at = item.span().start;
    reader.check_keys(table, &KEYS);
    let what = reader.optional(table, "what", plain);
    let published = reader.required(table, "published", read_values);
    let actual = reader.optional(table, "actual", read_values);
    let note = reader.optional(table, "note", plain);
    let long = reader.optional(table, "long", TomlReader::boolean).unwrap_or_default();
    let hard = reader.optional(table, "hard", TomlReader::boolean).unwrap_or_default();
    let mean = reader.optional(table, "mean", TomlReader::boolean).unwrap_or_default();
    let is_whole_table = table.has("table");
    let has_start = is_whole_table || table.has("board") || table.has("text");
    if note.is_none() && ((table.has("actual") && !is_whole_table) || !has_start) {
        let message = "a row with 'actual' or without 'board' has a 'note' with the reason";
        reader.fault(at, message, None);
    }
    let board = reader.optional(table, "board", read_start);
    let method = reader.optional(table, "method", |reader, value| {
        let text = reader.text(value)?;
        // A published figure may use a method that the course does not have.
        let own = course.known(text.text.split(',').next()?.trim()).is_some();
        let method = text.text.parse().ok().filter(|_| !own);
        let method = method.or_else(|| read_method(reader, course, &text))?;
        Some((text.text, method))
    });
    let default = || Some((course.default.clone(), course.method(None).ok()?.method));
    let (name, method) = method.or_else(default)?;
    let keys =
        reader.optional(table, "figures", |reader, value| Some(read_keys(reader, value, course)));
    let unsolved = reader.optional(table, "unsolved", plain).unwrap_or_else(|| "-".to_owned());
    let tile = reader.optional(table, "tile", |reader, value| {
        reader.number(value, 1, u64::from(Tile::MAX)).map(|tile| tile as Tile)
    });
    let estimate = reader.optional(table, "estimate", TomlReader::parsed::<Estimate>);
    let queue = reader.optional(table, "queue", |reader, value| {
        reader.number(value, 0, u64::from(u32::MAX)).map(|removed| removed as usize)
    });
    let solvable = reader.optional(table, "solvable", TomlReader::boolean);
    let kinds = KINDS.into_iter().filter(|key| table.has(key)).count();
    if table.has("board") && kinds != 1 {
        let message = format!("a row with 'board' has one of '{}'", KINDS.join("', '"));
        reader.fault(at, message, None);
    }
    let published = published?;
    for values in [Some(&published), actual.as_ref()].into_iter().flatten() {
        if keys.as_ref().is_some_and(|keys| keys.len() != values.len()) {
            reader.fault(at, "there must be as many values as figures", None);
        }
    }
    if is_whole_table {
        let (what, keys) = (what?, keys?);
        let whole =
            WholeTable { what, published, actual, note, keys, method, unsolved, mean, long, hard };
        return whole.read(reader, table);
    }
    let text = reader.optional(table, "text", plain);
    let (run, described) = match (board, keys, tile) {
        (Some(board), Some(keys), _) => {
            let described = format!("{name} {board}: {}", keys.join("/"));
            (Some(PublishedRun::Figures { board, method, keys, unsolved }), described)
        }
        (Some(board), None, Some(tile)) => {
            let described = format!("{board}: smaller tiles after {tile}");
            (Some(PublishedRun::SmallerAfter(board, tile)), described)
        }
        (Some(board), None, None) => {
            let described = board.to_string();
            let run = match (estimate, queue, solvable) {
                (Some(estimate), ..) => Some(PublishedRun::Estimate(board, estimate)),
                (_, Some(removed), _) => Some(PublishedRun::Queue(board, method, removed)),
                _ => solvable.map(|_| PublishedRun::Solvable(board)),
            };
            (run, described)
        }
        _ => (text.map(PublishedRun::Text), name),
    };
    let what = what.unwrap_or(described);
    Some(vec![Published { what, published, actual, note, long, hard, run }])
}

/// A row for each instance in a table, or one row with their means. `{1}` is the first figure in
/// the instance's line.
struct WholeTable {
    what: String,
    published: Vec<String>,
    actual: Option<Vec<String>>,
    note: Option<String>,
    keys: Vec<String>,
    method: Method,
    unsolved: String,
    mean: bool,
    long: bool,
    hard: bool,
}

impl WholeTable {
    fn read(self, reader: &mut TomlReader<'_>, table: TomlTable<'_, '_>) -> Option<Vec<Published>> {
        let name = reader.required(table, "table", TomlReader::text)?;
        let Some(lines) = instances::lines(&name.text) else {
            reader.unknown(name.at, &name.text, "table", &instances::TABLES.map(|table| table.0));
            return None;
        };
        if self.mean {
            let Self { what, published, actual, note, keys, method, long, hard, .. } = self;
            let boards = lines.map(|(_, board)| board).collect();
            let run = Some(PublishedRun::Means { boards, method, keys });
            return Some(vec![Published { what, published, actual, note, long, hard, run }]);
        }
        // An instance takes a long time if its last value is at least this.
        let long_from = reader
            .optional(table, "long-from", |reader, value| reader.number(value, 0, u64::MAX))
            .unwrap_or(u64::MAX);
        let mut notes = BTreeMap::new();
        reader.optional(table, "notes", |reader, value| {
            let entries = reader.table(value)?;
            for (key, value) in entries.entries() {
                notes.extend(plain(reader, value).map(|note| (key.get_ref().to_string(), note)));
            }
            Some(())
        });
        let rows = lines.map(|(figures, board)| {
            let fill = |template: &String| {
                fill(template, |key| {
                    let place = key.parse::<usize>().ok()?.checked_sub(1)?;
                    figures.get(place).map(|figure| (*figure).to_owned())
                })
            };
            let all = |templates: &[String]| templates.iter().map(fill).collect::<Vec<_>>();
            let published = all(&self.published);
            let actual = self.actual.as_deref().map(all).filter(|actual| *actual != published);
            let last =
                actual.as_ref().unwrap_or(&published).last().and_then(|last| last.parse().ok());
            let (method, keys) = (self.method.clone(), self.keys.clone());
            let unsolved = self.unsolved.clone();
            Published {
                what: fill(&self.what),
                note: actual.as_ref().and_then(|_| notes.get(*figures.first()?).cloned()),
                long: last.is_some_and(|last: u64| last >= long_from),
                hard: self.hard,
                published,
                actual,
                run: Some(PublishedRun::Figures { board, method, keys, unsolved }),
            }
        });
        Some(rows.collect())
    }
}

/// Reads the names of figures. Measured figures differ from run to run, and are not compared.
fn read_keys(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, course: &Course) -> Vec<String> {
    let known: Vec<&str> = course
        .figures
        .iter()
        .filter(|figure| figure.what.is_reproducible())
        .map(|figure| figure.key.as_str())
        .collect();
    let keys = reader.texts(value);
    // A figure may be published although the course does not print it.
    let is_kind = |text: &str| FigureKind::named(text).is_some_and(FigureKind::is_reproducible);
    let is_known = |text: &str| known.contains(&text) || is_kind(text);
    for key in keys.iter().filter(|key| !is_known(&key.text)) {
        reader.unknown(key.at, &key.text, "figure to compare", &known);
    }
    keys.into_iter().map(|key| key.text).collect()
}

/// Reads a number or a string, or a list of them.
fn read_values(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Vec<String>> {
    if value.get_ref().is_array() {
        return Some(reader.items(value, "a list", read_value));
    }
    read_value(reader, value).map(|value| vec![value])
}

fn read_value(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<String> {
    match value.get_ref().as_integer() {
        Some(_) => reader.number(value, 0, u64::MAX).map(|number| number.to_string()),
        None => plain(reader, value),
    }
}
