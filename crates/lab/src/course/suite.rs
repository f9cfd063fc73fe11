//! Published figures, as a course's file lists them.

use taquin::{Board, Method, Tile};

use super::file::{plain, read_method, read_start};
use super::{Course, What};
use crate::toml_reader::{TomlReader, TomlValue};

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

taquin_search::named_enum! {
    /// A suite made from files that are part of the program; its name is the course's.
    #[allow(missing_docs, reason = "each is named after its course")]
    pub enum NamedSuite: "suite" {
        Columbia = "columbia",
        Princeton = "princeton",
        School42 = "42",
        Korf85 = "korf85",
        Kf02 = "kf02",
    }
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

/// The keys of a row.
pub(super) const KEYS: [&str; 9] =
    ["what", "board", "method", "figures", "tile", "published", "actual", "note", "long"];

/// Reads a suite of `course`: the name of one, or rows.
pub(super) fn read(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    course: &Course,
) -> Option<Suite> {
    if !value.get_ref().is_str() {
        let expected = "a list of tables, or the name of a suite";
        let rows = reader.items(value, expected, |reader, item| read_row(reader, item, course));
        return Some(if rows.is_empty() { Suite::None } else { Suite::Listed(rows) });
    }
    let text = reader.text(value)?;
    let suite = NamedSuite::ALL.into_iter().find(|suite| suite.name() == text.text);
    if suite.is_none() {
        reader.unknown(text.at, &text.text, "suite", &NamedSuite::NAMES);
    }
    suite.map(Suite::Named)
}

fn read_row(
    reader: &mut TomlReader<'_>,
    item: &TomlValue<'_>,
    course: &Course,
) -> Option<Published> {
    let table = reader.table(item)?;
    let at = item.span().start;
    reader.check_keys(table, &KEYS);
    let what = reader.optional(table, "what", plain);
    let published = reader.required(table, "published", read_values);
    let actual = reader.optional(table, "actual", read_values);
    let note = reader.optional(table, "note", plain);
    let long = reader.optional(table, "long", TomlReader::boolean);
    if note.is_none() && (table.has("actual") || !table.has("board")) {
        let message = "a row with 'actual' or without 'board' has a 'note' with the reason";
        reader.fault(at, message, None);
    }
    let board = reader.optional(table, "board", read_start);
    let method = reader.optional(table, "method", |reader, value| {
        let text = reader.text(value)?;
        // A method that the course does not have may be published all the same.
        let own = course.known(text.text.split(',').next()?.trim()).is_some();
        let method = text.text.parse().ok().filter(|_| !own);
        let method = method.or_else(|| read_method(reader, course, &text))?;
        Some((text.text, method))
    });
    let default = || Some((course.default.clone(), course.method(None).ok()?.method));
    let (name, method) = method.or_else(default)?;
    let keys =
        reader.optional(table, "figures", |reader, value| Some(read_keys(reader, value, course)));
    let tile = reader.optional(table, "tile", |reader, value| {
        reader.number(value, 1, u64::from(Tile::MAX)).map(|tile| tile as Tile)
    });
    if table.has("board") && table.has("figures") == table.has("tile") {
        reader.fault(at, "a row with 'board' has either 'figures' or 'tile'", None);
    }
    let published = published?;
    for values in [Some(&published), actual.as_ref()].into_iter().flatten() {
        if keys.as_ref().is_some_and(|keys| keys.len() != values.len()) {
            reader.fault(at, "there must be as many values as figures", None);
        }
    }
    let (run, described) = match (board, keys, tile) {
        (Some(board), Some(keys), _) => {
            let described = format!("{name} {board}: {}", keys.join("/"));
            (Some((board, PublishedWhat::Figures { method, keys })), described)
        }
        (Some(board), None, Some(tile)) => {
            let described = format!("{board}: smaller tiles after {tile}");
            (Some((board, PublishedWhat::SmallerAfter(tile))), described)
        }
        _ => (None, name),
    };
    let what = what.unwrap_or(described);
    Some(Published { what, published, actual, note, long: long.unwrap_or_default(), run })
}

/// Reads the names of figures. Those that are measured differ from run to run, and are not compared.
fn read_keys(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, course: &Course) -> Vec<String> {
    let exact = |what| !matches!(what, What::Seconds | What::Megabytes | What::Boards);
    let known: Vec<&str> = course
        .figures
        .iter()
        .filter(|figure| exact(figure.what))
        .map(|figure| figure.key.as_str())
        .collect();
    let keys = reader.texts(value);
    for key in keys.iter().filter(|key| !known.contains(&key.text.as_str())) {
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
