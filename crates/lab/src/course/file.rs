//! Courses as files.
//!
//! A file is checked whole, with every method, board and placeholder, so that a course can be used
//! without further errors once it was read.

use std::fmt;

use taquin::{Board, BoardFormat, Costs, Method, NamedGoal, read_board, write_board};

use super::checks::{self, Checks};
use super::dialogue::{self, Dialogue};
use super::suite;
use super::wording::placeholders;
use super::{Course, CourseGoal, CourseMethod, Figure, FigureKind, PublishedRun, Wording};
use crate::toml_reader::{TomlFault, TomlReader, TomlTable, TomlText, TomlValue};

/// Why a text is not a course: all its faults, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CourseFileError {
    /// The faults: at least one.
    pub faults: Vec<TomlFault>,
}

impl std::error::Error for CourseFileError {}

impl fmt::Display for CourseFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.faults.iter().enumerate() {
            let between = if at > 0 { "; " } else { "" };
            write!(f, "{between}{}:{}: {fault}", fault.place.line, fault.place.column)?;
        }
        Ok(())
    }
}

const KEYS: [&str; 16] = [
    "name", "about", "source", "goal", "cost", "jumps", "seconds", "board", "methods", "default",
    "figures", "wording", "checks", "dialogue", "remarks", "suite",
];
const METHOD_KEYS: [&str; 2] = ["names", "method"];
const WORDING_KEYS: [&str; 15] = [
    "format",
    "blank",
    "between-rows",
    "between-boards",
    "puzzle",
    "opening",
    "heading",
    "node",
    "expansion",
    "successors",
    "goal",
    "solved",
    "failed",
    "late",
    "deep",
];

impl Course {
    /// The keys of a course's file, by the table that they are in.
    pub const FILE_KEYS: [(&str, &[&str]); 6] = [
        ("", &KEYS),
        ("methods", &METHOD_KEYS),
        ("wording", &WORDING_KEYS),
        ("checks", &checks::KEYS),
        ("dialogue", &dialogue::KEYS),
        ("suite", &suite::KEYS),
    ];

    /// Reads a course from the text of its file.
    ///
    /// # Errors
    /// Fails with every fault in the text.
    pub fn read(toml: &str) -> Result<Self, CourseFileError> {
        let (mut reader, table) = TomlReader::new(toml);
        let course = read_course(&mut reader, TomlTable::whole(table.get_ref()), toml);
        match course.filter(|_| !reader.has_faults()) {
            Some(course) => Ok(course),
            None => Err(CourseFileError { faults: reader.into_faults() }),
        }
    }
}

fn read_course(
    reader: &mut TomlReader<'_>,
    table: TomlTable<'_, '_>,
    toml: &str,
) -> Option<Course> {
    reader.check_keys(table, &KEYS);
    let name = reader.required(table, "name", read_name);
    let about = reader.required(table, "about", plain);
    let source = reader.optional(table, "source", plain);
    let goal = reader.optional(table, "goal", CourseGoal::read);
    let cost = reader.optional(table, "cost", TomlReader::parsed);
    let jumps = reader.optional(table, "jumps", TomlReader::boolean);
    let seconds = reader.optional(table, "seconds", |reader, value| {
        reader.number(value, 1, u64::from(u32::MAX)).map(|number| number as u32)
    });
    let board = reader.optional(table, "board", read_start);
    let methods = reader.required(table, "methods", read_methods);
    let figures = reader.optional(table, "figures", read_figures).unwrap_or_default();
    let wording = reader
        .optional(table, "wording", |reader, value| read_wording(reader, value, &figures))
        .unwrap_or_default();
    let checks = reader.optional(table, "checks", read_checks);
    let dialogue = reader.optional(table, "dialogue", read_dialogue);
    let remarks = reader.optional(table, "remarks", |reader, value| {
        Some(reader.texts(value).into_iter().map(|remark| remark.text).collect())
    });
    if checks.is_some() && cost.as_ref().is_some_and(|cost| *cost != Costs::Unit) {
        reader.fault(0, "the checks of a heuristic count moves", Some("leave out cost".to_owned()));
    }
    // References to methods can be checked only if the methods are valid.
    let methods = methods?;
    let mut course = Course {
        name: name.unwrap_or_default(),
        about: about.unwrap_or_default(),
        source,
        goal: goal.unwrap_or_default(),
        cost: cost.unwrap_or_default(),
        jumps: jumps.unwrap_or_default(),
        seconds,
        board,
        default: methods.first()?.names.first()?.clone(),
        methods,
        figures,
        wording,
        checks,
        dialogue,
        remarks: remarks.unwrap_or_default(),
        suite: Vec::new(),
        toml: toml.to_owned(),
    };
    let default = reader.optional(table, "default", |reader, value| {
        let text = reader.text(value)?;
        read_method(reader, &course, &text).map(|_| text.text)
    });
    course.default = default.unwrap_or(course.default);
    let suite =
        reader.optional(table, "suite", |reader, value| Some(suite::read(reader, value, &course)));
    course.suite = suite.unwrap_or_default();
    let published = course.suite.iter().filter_map(|row| row.run.as_ref());
    let mut boards = course.board.iter().chain(published.flat_map(PublishedRun::boards));
    if let Some(board) = boards.find(|board| course.puzzle((*board).clone()).is_err()) {
        reader.fault(0, format!("the board {board} does not fit the goal {}", course.goal), None);
    }
    Some(course)
}

pub(super) fn plain(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<String> {
    reader.text(value).map(|text| text.text)
}

/// A name that can be typed as one word and is not taken for a file.
fn read_name(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<String> {
    let TomlText { text, at, .. } = reader.text(value)?;
    if text.is_empty() || !text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
        reader.fault(at, "a name has letters, digits, '-' and '_' only", None);
    }
    Some(text)
}

pub(super) fn read_start(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Board> {
    let text = reader.text(value)?;
    let fault = |error: taquin::ReadError| {
        // A board on one line: the column is a number of characters.
        let place = error.place().filter(|place| place.line == 1);
        let at = place.map_or(text.at, |place| text.inside(place.column as usize - 1));
        reader.fault(at, error.to_string(), error.hint().map(|hint| hint.to_string()));
    };
    read_board(&text.text, None).map_err(fault).ok()
}

/// Reads the methods; `None` if one of them is not valid.
fn read_methods(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Vec<CourseMethod>> {
    let mut known: Vec<String> = Vec::new();
    let methods = reader.items(value, "a list of tables", |reader, item| {
        let table = reader.table(item)?;
        reader.check_keys(table, &METHOD_KEYS);
        let names = reader.required(table, "names", |reader, value| {
            let names = reader.texts(value);
            for TomlText { text, at, .. } in &names {
                if text.trim().is_empty() || text.contains(',') {
                    reader.fault(*at, "a name is not empty and has no comma", None);
                }
                if known.iter().any(|known| known.eq_ignore_ascii_case(text)) {
                    reader.fault(*at, format!("the name '{text}' is given twice"), None);
                }
                known.push(text.clone());
            }
            if names.is_empty() {
                reader.fault(value.span().start, "a method has at least one name", None);
            }
            Some(names.into_iter().map(|name| name.text).collect())
        });
        let method = reader.required(table, "method", |reader, value| {
            let text = reader.text(value)?;
            let fault = |error: taquin::MethodError| {
                let at = text.inside(error.column());
                reader.fault(at, error.to_string(), error.hint().map(str::to_owned));
            };
            text.text.parse::<Method>().map_err(fault).ok()
        });
        Some(CourseMethod { names: names?, method: method? })
    });
    let listed = value.get_ref().as_array().map_or(0, |list| list.len());
    if listed == 0 && value.get_ref().is_array() {
        reader.fault(value.span().start, "a course has at least one method", None);
    }
    (listed > 0 && listed == methods.len()).then_some(methods)
}

fn read_figures(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Vec<Figure>> {
    let table = reader.table(value)?;
    let mut figures = Vec::new();
    for (key, _) in table.entries() {
        let name = key.get_ref().as_ref();
        if !is_placeholder(name) {
            let message = "the name of a figure has letters, digits and '_' only";
            reader.fault(key.span().start, message, None);
        }
        let what = reader.optional(table, name, |reader, value| {
            let text = reader.text(value)?;
            let what = FigureKind::named(&text.text);
            if what.is_none() {
                reader.unknown(text.at, &text.text, "figure", &FigureKind::ALL.map(|what| what.1));
            }
            what
        });
        figures.extend(what.map(|what| Figure { key: name.to_owned(), what }));
    }
    Some(figures)
}

/// Whether braces around a word make it a placeholder.
pub(super) fn is_placeholder(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn read_wording(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    figures: &[Figure],
) -> Option<Wording> {
    let table = reader.table(value)?;
    reader.check_keys(table, &WORDING_KEYS);
    let mut wording = Wording::default();
    let format = reader.optional(table, "format", |reader, value| {
        let text = reader.text(value)?;
        let format = BoardFormat::ALL.into_iter().find(|format| format.name() == text.text);
        if format.is_none() {
            reader.unknown(text.at, &text.text, "format", &BoardFormat::ALL.map(BoardFormat::name));
        }
        format
    });
    wording.format = format.unwrap_or(wording.format);
    let blank = reader.optional(table, "blank", |reader, value| {
        let text = reader.text(value)?;
        let blank = text.text.parse::<char>().map_err(|_| "expected one character".to_owned());
        let goal = NamedGoal::Last.board(taquin::Size::new(2, 2).ok()?, 1);
        let checked = blank.and_then(|blank| {
            let written = write_board(&goal, wording.format, blank);
            written.map(|_| blank).map_err(|error| error.to_string())
        });
        checked.map_err(|message| reader.fault(text.at, message, None)).ok()
    });
    wording.blank = blank.unwrap_or(wording.blank);
    wording.between_rows = reader.optional(table, "between-rows", plain);
    wording.between_boards =
        reader.optional(table, "between-boards", plain).unwrap_or(wording.between_boards);
    let keys: Vec<&str> = figures.iter().map(|figure| figure.key.as_str()).collect();
    for (key, sentence) in wording.sentences() {
        let known = placeholders(key).unwrap_or(&keys);
        let read = reader.optional(table, key, |reader, value| read_sentence(reader, value, known));
        *sentence = read.unwrap_or_else(|| std::mem::take(sentence));
    }
    for (key, sentence) in [("late", &mut wording.late), ("deep", &mut wording.deep)] {
        *sentence =
            reader.optional(table, key, |reader, value| read_sentence(reader, value, &keys));
    }
    Some(wording)
}

fn read_checks(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Checks> {
    let table = reader.table(value)?;
    reader.check_keys(table, &checks::KEYS);
    let mut read = Checks::default();
    for (key, sentence) in read.sentences() {
        let known = checks::placeholders(key);
        let read = reader.required(table, key, |reader, value| read_sentence(reader, value, known));
        *sentence = read.unwrap_or_default();
    }
    Some(read)
}

fn read_dialogue(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Dialogue> {
    let table = reader.table(value)?;
    reader.check_keys(table, &dialogue::KEYS);
    let mut read = Dialogue::silent();
    for (key, sentence) in read.sentences() {
        let known = dialogue::placeholders(key);
        let read = reader.optional(table, key, |reader, value| read_sentence(reader, value, known));
        *sentence = read.unwrap_or_default();
    }
    Some(read)
}

fn read_sentence(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    known: &[&str],
) -> Option<String> {
    let sentence = plain(reader, value)?;
    for part in sentence.split('{').skip(1) {
        let Some((word, _)) = part.split_once('}') else { continue };
        if is_placeholder(word) && !known.contains(&word) {
            let at = reader.find(value, &format!("{{{word}}}"));
            reader.unknown(at, word, "placeholder", known);
        }
    }
    Some(sentence)
}

pub(super) fn read_method(
    reader: &mut TomlReader<'_>,
    course: &Course,
    text: &TomlText,
) -> Option<Method> {
    match course.method(Some(&text.text)) {
        Ok(choice) => Some(choice.method),
        Err(error) => {
            reader.fault(text.at, error.to_string(), error.hint());
            None
        }
    }
}
