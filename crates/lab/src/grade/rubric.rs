//! Rubrics as files.
//!
//! A file is checked whole, like a course file, so that nothing runs before the whole file is
//! valid.

use std::fmt::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use taquin::{Board, BoardFormat, Method, read_bytes, read_time};

use super::answer::ANYTHING;
use super::key::kinds;
use super::{BoardKey, Criterion};
use crate::course::{Course, CourseGoal};
use crate::request::{RequestError, read_goal, read_start};
use crate::toml_reader::{TomlFault, TomlReader, TomlTable, TomlValue};

/// The boards and criteria to grade, and their points.
#[derive(Clone, PartialEq, Debug)]
pub struct Rubric {
    /// The name of the assignment.
    pub name: String,
    /// How to run a submission; without it, submissions are outputs.
    pub program: Option<Program>,
    /// The boards: at least one.
    pub boards: Vec<RubricBoard>,
    /// The goal, unless it is the course's.
    pub(super) goal: Option<String>,
    /// The course, or one that has the methods of the boards.
    course: Arc<Course>,
    pub(super) partial: Partial,
    /// The patterns for figures, in the order of [`Criterion::FIGURES`].
    patterns: [Vec<String>; 4],
}

/// How to run a submission.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The program and its arguments, with placeholders.
    pub command: Vec<String>,
    /// The standard input, with placeholders.
    pub input: String,
    /// How `{board}` is written.
    pub format: BoardFormat,
    /// The character for a blank.
    pub blank: char,
    /// The time for a board.
    pub time: Duration,
    /// The memory that the program and its children may use together, in bytes.
    pub memory: u64,
    /// The file that the program writes its answer to; without it, to standard output.
    pub output: Option<String>,
}

/// A board of a rubric.
#[derive(Clone, PartialEq, Debug)]
pub struct RubricBoard {
    /// The board.
    pub board: Board,
    /// The method, as the rubric names it.
    pub method_text: Option<String>,
    /// The course's first name for the method.
    pub(super) name: String,
    /// The method.
    pub(super) method: Method,
    points: Points,
}

/// The points for each criterion, in the order of [`Criterion::ALL`].
type Points = [u32; Criterion::ALL.len()];

/// The percentages of the points for partly right answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Partial {
    /// Of `solution`, for legal moves that end elsewhere.
    pub(super) legal: u32,
    /// Of `optimal`, for a solution that is too long.
    pub(super) longer: u32,
    /// Of a count, if a policy near the course's gives it.
    pub(super) explained: u32,
    /// Of a figure that is nearly right.
    pub(super) near: u32,
    /// How far that may be from the right one, in percent.
    pub(super) within: u32,
}

/// Why a text is not a rubric: all its faults, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RubricError {
    /// The faults: at least one.
    pub faults: Vec<TomlFault>,
}

impl std::error::Error for RubricError {}

impl fmt::Display for RubricError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.faults.iter().enumerate() {
            let between = if at > 0 { "; " } else { "" };
            write!(f, "{between}{}:{}: {fault}", fault.place.line, fault.place.column)?;
        }
        Ok(())
    }
}

const KEYS: [&str; 8] = ["name", "course", "goal", "run", "points", "partial", "read", "boards"];
const RUN_KEYS: [&str; 7] = ["command", "input", "format", "blank", "time", "memory", "output"];
const PARTIAL_KEYS: [&str; 5] = ["legal", "longer", "explained", "near", "within"];
const BOARD_KEYS: [&str; 4] = ["board", "size", "method", "points"];

/// The placeholders in a command and in the standard input.
const PLACEHOLDERS: [&str; 7] = ["submission", "folder", "board", "goal", "file", "size", "method"];

impl Rubric {
    /// The keys of a rubric's file, by the table that they are in.
    pub const FILE_KEYS: [(&str, &[&str]); 6] = [
        ("", &KEYS),
        ("run", &RUN_KEYS),
        ("points", &Criterion::NAMES),
        ("partial", &PARTIAL_KEYS),
        ("read", &["length", "expanded", "generated", "queue"]),
        ("boards", &BOARD_KEYS),
    ];

    /// Reads a rubric from the text of its file. Courses are found from `folder`.
    ///
    /// # Errors
    /// Fails with every fault in the text.
    pub fn read(toml: &str, folder: &Path) -> Result<Self, RubricError> {
        let (mut reader, table) = TomlReader::new(toml);
        let rubric = read_rubric(&mut reader, TomlTable::whole(table.get_ref()), folder);
        match rubric.filter(|_| !reader.has_faults()) {
            Some(rubric) => Ok(rubric),
            None => Err(RubricError { faults: reader.into_faults() }),
        }
    }

    /// The course, or, if the rubric names none, one that has the methods of the boards.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// The patterns of a figure.
    pub(super) fn patterns(&self, criterion: Criterion) -> &[String] {
        let at = Criterion::FIGURES.iter().position(|figure| *figure == criterion);
        at.map_or(&[], |at| &self.patterns[at])
    }

    /// Returns the goal for a board.
    pub(super) fn goal_of(&self, board: &Board) -> Result<Board, String> {
        match &self.goal {
            Some(goal) => read_goal(goal, board).map_err(|error| error.to_string()),
            None => Ok(self.course.goal.board(board)),
        }
    }
}

impl RubricBoard {
    /// The points for a criterion; none if it does not apply to a board with this key.
    pub(super) fn points(&self, criterion: Criterion, key: &BoardKey) -> u32 {
        match (criterion == Criterion::Unsolvable) == key.is_solvable {
            true => 0,
            false => self.points[criterion as usize],
        }
    }
}

/// Returns a rubric's text for these boards, each with the method for the counts.
pub fn rubric_toml(
    name: &str,
    course: Option<&str>,
    goal: Option<&Board>,
    boards: &[(Board, Option<&str>)],
) -> String {
    let mut out = "# docs/grading.md describes every key of this file.\n\n".to_owned();
    let mut line = |key: &str, text: &str| {
        let _ = writeln!(out, "{key} = {}", toml_string(text));
    };
    line("name", name);
    if let Some(course) = course {
        line("course", course);
    }
    if let Some(goal) = goal {
        line("goal", &goal.to_string());
    }
    out += "\n[points]\nsolution = 2\noptimal = 1\n";
    if boards.iter().any(|(_, method)| method.is_some()) {
        out += "expanded = 1\n\n[partial]\nexplained = 50\n";
    }
    out += "\n# To run programs, instead of reading their outputs:\n# [run]\n\
            # command = [\"python3\", \"{submission}\", \"{board}\"]\n";
    for (board, method) in boards {
        let _ = write!(out, "\n[[boards]]\nboard = {}\n", toml_string(&board.to_string()));
        if let Some(method) = method {
            let _ = writeln!(out, "method = {}", toml_string(method));
        }
    }
    out
}

/// Returns a text as a string of TOML, which JSON's strings are too.
pub(crate) fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn read_rubric(
    reader: &mut TomlReader<'_>,
    table: TomlTable<'_, '_>,
    folder: &Path,
) -> Option<Rubric> {
    reader.check_keys(table, &KEYS);
    let name = reader.optional(table, "name", |reader, value| Some(reader.text(value)?.text));
    let named = table.has("course");
    let course = reader.optional(table, "course", |reader, value| {
        let text = reader.text(value)?;
        let is_file = text.text.to_ascii_lowercase().ends_with(".toml") || text.text.contains('/');
        let found = match is_file {
            true => Course::resolve(&folder.join(&text.text).to_string_lossy()),
            false => Course::find(&text.text),
        };
        found.map_err(|error| reader.fault(text.at, error.to_string(), error.hint())).ok()
    });
    let goal = reader.optional(table, "goal", |reader, value| Some(reader.text(value)?.text));
    let program = reader.optional(table, "run", read_program);
    let points = reader.optional(table, "points", |reader, value| read_points(reader, value, None));
    let points = points.unwrap_or_else(|| with_unsolvable([1, 0, 0, 0, 0, 0, 0], false));
    let partial = reader.optional(table, "partial", read_partial).unwrap_or_default();
    let own =
        reader.optional(table, "read", |reader, value| {
            let table = reader.table(value)?;
            reader.check_keys(table, &Criterion::FIGURES.map(Criterion::name));
            Some(Criterion::FIGURES.map(|figure| {
                reader.optional(table, figure.name(), read_patterns).unwrap_or_default()
            }))
        });
    let own = own.unwrap_or_default();
    if named && course.is_none() {
        return None;
    }
    let mut methods: Vec<Method> = Vec::new();
    let boards = reader.required(table, "boards", |reader, value| {
        let boards = reader.items(value, "a list of tables", |reader, item| {
            let course = course.as_deref();
            read_board(reader, item, course, goal.as_deref(), &mut methods, &points)
        });
        if boards.is_empty() && !reader.has_faults() {
            reader.fault(value.span().start, "a rubric has at least one board", None);
        }
        Some(boards)
    })?;
    let course = course.unwrap_or_else(|| Arc::new(Course::bare(methods)));
    let mut patterns = own;
    for (criterion, patterns) in Criterion::FIGURES.into_iter().zip(&mut patterns) {
        if patterns.is_empty() {
            patterns.extend(course_patterns(&course, criterion));
            patterns.extend(usual_patterns(criterion).iter().map(ToString::to_string));
        }
    }
    if let Some(goal) = &goal {
        for board in &boards {
            if let Err(error) = read_goal(goal, &board.board) {
                reader.fault(0, format!("goal: {error}"), None);
                break;
            }
        }
    }
    let name = name.unwrap_or_else(|| "Assignment".to_owned());
    Some(Rubric { name, program, boards, goal, course, partial, patterns })
}

fn read_program(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Program> {
    let table = reader.table(value)?;
    reader.check_keys(table, &RUN_KEYS);
    let command = reader.required(table, "command", |reader, value| {
        let words = reader.texts(value);
        for word in &words {
            check_placeholders(reader, value, &word.text);
        }
        if words.first().is_none_or(|word| word.text.is_empty()) {
            reader.fault(value.span().start, "a command has a program", None);
        }
        Some(words.into_iter().map(|word| word.text).collect())
    });
    let input = reader.optional(table, "input", |reader, value| {
        let text = reader.text(value)?.text;
        check_placeholders(reader, value, &text);
        Some(text)
    });
    let format = reader.optional(table, "format", TomlReader::parsed);
    let blank = reader.optional(table, "blank", |reader, value| {
        let text = reader.text(value)?;
        let is_known = |blank: &char| "0b_*x.".contains(*blank);
        let blank = text.text.parse().ok().filter(is_known);
        if blank.is_none() {
            reader.fault(text.at, "a blank is 0, b, _, *, x or .", None);
        }
        blank
    });
    let time = reader.optional(table, "time", |reader, value| {
        let text = reader.text(value)?;
        let time = read_time(&text.text).map_err(|error| error.to_string());
        let time = time.and_then(|time| match time.is_zero() {
            true => Err("the time is longer than 0".to_owned()),
            false => Ok(time),
        });
        time.map_err(|error| reader.fault(text.at, error, None)).ok()
    });
    let memory = reader.optional(table, "memory", |reader, value| {
        let text = reader.text(value)?;
        read_bytes(&text.text).map_err(|error| reader.fault(text.at, error.to_string(), None)).ok()
    });
    let output = reader.optional(table, "output", |reader, value| {
        let text = reader.text(value)?;
        let mut parts = Path::new(&text.text).components();
        if !parts.all(|part| matches!(part, std::path::Component::Normal(_))) {
            let message = "the output is a file in the folder of the program: a name without '..'";
            reader.fault(text.at, message, None);
        }
        Some(text.text)
    });
    Some(Program {
        command: command?,
        input: input.unwrap_or_default(),
        format: format.unwrap_or_default(),
        blank: blank.unwrap_or('0'),
        time: time.unwrap_or(Duration::from_secs(10)),
        memory: memory.unwrap_or(1 << 30),
        output,
    })
}

/// Reports words in braces that are no placeholders.
fn check_placeholders(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, text: &str) {
    for part in text.split('{').skip(1) {
        let Some((word, _)) = part.split_once('}') else { continue };
        let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
        if is_word && !PLACEHOLDERS.contains(&word) {
            let at = reader.find(value, &format!("{{{word}}}"));
            reader.unknown(at, word, "placeholder", &PLACEHOLDERS);
        }
    }
}

fn read_points(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    usual: Option<&Points>,
) -> Option<Points> {
    let table = reader.table(value)?;
    reader.check_keys(table, &Criterion::NAMES);
    let mut points = usual.copied().unwrap_or_default();
    for criterion in Criterion::ALL {
        let read = reader.optional(table, criterion.name(), |reader, value| {
            reader.number(value, 0, 10_000).map(|points| points as u32)
        });
        points[criterion as usize] = read.unwrap_or(points[criterion as usize]);
    }
    Some(with_unsolvable(points, table.has(Criterion::Unsolvable.name()) || usual.is_some()))
}

/// An unsolvable board has the points of a solution, unless the rubric says otherwise.
const fn with_unsolvable(mut points: Points, is_given: bool) -> Points {
    if !is_given {
        points[Criterion::Unsolvable as usize] = points[Criterion::Solution as usize];
    }
    points
}

fn read_partial(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Partial> {
    let table = reader.table(value)?;
    reader.check_keys(table, &PARTIAL_KEYS);
    let mut percent = |key| {
        let read = |reader: &mut TomlReader<'_>, value: &TomlValue<'_>| {
            reader.number(value, 0, 100).map(|percent| percent as u32)
        };
        reader.optional(table, key, read).unwrap_or(0)
    };
    Some(Partial {
        legal: percent("legal"),
        longer: percent("longer"),
        explained: percent("explained"),
        near: percent("near"),
        within: percent("within"),
    })
}

/// Reads one pattern or a list of them.
fn read_patterns(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<Vec<String>> {
    let texts = match value.get_ref().is_array() {
        true => reader.texts(value),
        false => vec![reader.text(value)?],
    };
    for text in &texts {
        if text.text.matches("{}").count() != 1 {
            let message = "a pattern has {} once, where the number is";
            reader.fault(text.at, message, Some("as in 'expanded {} nodes'".to_owned()));
        }
    }
    Some(texts.into_iter().map(|text| text.text).collect())
}

fn read_board(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    course: Option<&Course>,
    goal: Option<&str>,
    methods: &mut Vec<Method>,
    usual: &Points,
) -> Option<RubricBoard> {
    let table = reader.table(value)?;
    reader.check_keys(table, &BOARD_KEYS);
    let size = reader.optional(table, "size", TomlReader::parsed);
    let board = reader.required(table, "board", |reader, value| {
        let text = reader.text(value)?;
        let fault = |error: RequestError| {
            reader.fault(text.at, error.to_string(), error.hint());
        };
        read_start(&text.text, size, goal, course).map_err(fault).ok()
    });
    let points = reader
        .optional(table, "points", |reader, value| read_points(reader, value, Some(usual)))
        .unwrap_or(*usual);
    let text = reader.optional(table, "method", TomlReader::text);
    let counts = [Criterion::Expanded, Criterion::Generated, Criterion::Queue];
    let (name, method) = match (course, &text) {
        (Some(course), text) => match course.method(text.as_ref().map(|text| text.text.as_str())) {
            Ok(choice) => (choice.name, choice.method),
            Err(error) => {
                let at = text.as_ref().map_or(value.span().start, |text| text.at);
                reader.fault(at, error.to_string(), error.hint());
                return None;
            }
        },
        (None, Some(text)) => {
            let parsed = text.text.parse::<Method>().map_err(|error| {
                let at = text.inside(error.column());
                reader.fault(at, error.to_string(), error.hint().map(str::to_owned));
            });
            (String::new(), parsed.ok()?)
        }
        (None, None) => {
            if counts.into_iter().any(|count| points[count as usize] > 0) {
                let message = "points for counts need a method";
                let hint = "name the course of the assignment, or the method of the board";
                reader.fault(value.span().start, message, Some(hint.to_owned()));
            }
            (String::new(), Method::default())
        }
    };
    let known = methods.iter().position(|known| *known == method).unwrap_or_else(|| {
        methods.push(method.clone());
        methods.len() - 1
    });
    let name = if course.is_some() { name } else { Course::bare_name(known) };
    let method_text = text.map(|text| text.text);
    Some(RubricBoard { board: board?, method_text, name, method, points })
}

impl Course {
    /// A course with these methods, for rubrics that name none. It counts as taquin does.
    fn bare(methods: Vec<Method>) -> Self {
        let goal = CourseGoal::default();
        Self::of_methods("rubric", goal, methods, Self::bare_name)
    }

    fn bare_name(number: usize) -> String {
        format!("method {}", number + 1)
    }
}

/// The patterns in which a course prints a figure.
fn course_patterns(course: &Course, criterion: Criterion) -> Vec<String> {
    let figures = course.figures.iter().filter(|figure| kinds(criterion).contains(&figure.what));
    let mut patterns = Vec::new();
    for figure in figures {
        let placeholder = format!("{{{}}}", figure.key);
        let mut lines = course.wording.solved.lines();
        while let Some(line) = lines.find(|line| line.contains(&placeholder)) {
            // A number alone on its line is known by the numbers below it.
            if line == placeholder {
                let is_count = |line: &str| {
                    let mut counts = course.figures.iter().filter(|other| other.what.is_count());
                    counts.any(|other| line == format!("{{{}}}", other.key))
                };
                let below = lines.clone().filter(|line| is_count(line)).count();
                patterns.push(format!("{{}}{}", "\n".repeat(below)));
                continue;
            }
            // The other figures of the line may be anything.
            let others = course.figures.iter().filter(|other| other.key != figure.key);
            let line = others.fold(line.to_owned(), |line, other| {
                line.replace(&format!("{{{}}}", other.key), ANYTHING)
            });
            patterns.push(line.replacen(&placeholder, "{}", 1));
        }
        patterns.push(format!("{} {{}}", figure.key));
    }
    patterns
}

/// The patterns that programs print without a course.
const fn usual_patterns(criterion: Criterion) -> &'static [&'static str] {
    match criterion {
        Criterion::Expanded => &[
            "nodes expanded {}",
            "expanded nodes {}",
            "states expanded {}",
            "expanded a total of {}",
            "expanded {}",
            "{} nodes expanded",
            "{} expanded",
        ],
        Criterion::Generated => &[
            "nodes generated {}",
            "generated nodes {}",
            "states generated {}",
            "generated a total of {}",
            "generated {}",
            "{} nodes generated",
            "{} generated",
        ],
        Criterion::Queue => &[
            "max queue size {}",
            "maximum queue size {}",
            "max queue {}",
            "largest queue {}",
            "queue size {}",
            "nodes in the queue at any one time was {}",
            "max fringe size {}",
            "max frontier size {}",
            "largest frontier {}",
            "queue {}",
            "frontier {}",
        ],
        _ => &[
            "solution length {}",
            "path length {}",
            "solution depth {}",
            "goal depth {}",
            "depth of the goal node was {}",
            "number of moves {}",
            "cost of path {}",
            "length {}",
            "depth {}",
            "moves {}",
            "{} moves",
            "steps {}",
            "{} steps",
        ],
    }
}
