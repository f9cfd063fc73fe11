//! Courses and papers as data.
//!
//! Two programs for "the same" algorithm print different numbers because they differ in the goal,
//! the move order, the policy, and in what they count and when. A [`Course`] fixes all these
//! choices under one name, together with the sentences in which the course prints the result. Each
//! is a TOML file: the built-in ones are in `courses/`, and anyone can write another.

mod built_in;
mod checks;
mod dialogue;
mod figures;
mod file;
mod from_examples;
mod goal;
mod suite;
mod wording;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use taquin::{Board, Costs, Method, MethodError, MethodSyntax, Puzzle, PuzzleError, Task, excerpt};

pub use checks::{CheckedHeuristic, Checks};
pub use dialogue::Dialogue;
pub(crate) use figures::direction;
pub use figures::{Figure, FigureKind, Figures, Value};
pub use file::CourseFileError;
pub use from_examples::{CourseExample, CourseExamples, ExamplesError, FoundCourse};
pub use goal::CourseGoal;
pub use suite::{Published, PublishedRun};
pub use wording::Wording;
pub(crate) use wording::fill;

use crate::instances::is_set;

/// Everything in which the program of one course or paper differs from another.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Course {
    /// The name.
    pub name: String,
    /// A description in one line.
    pub about: String,
    /// Where its rules and figures were published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The goal.
    pub goal: CourseGoal,
    /// The cost of a move.
    pub cost: Costs,
    /// Whether moving a blank onto another blank generates a node.
    pub jumps: bool,
    /// The time limit in seconds.
    pub seconds: Option<u32>,
    /// The puzzle to solve if the user has none.
    #[serde(serialize_with = "as_optional_text")]
    pub board: Option<Board>,
    /// The methods, in the course's own order.
    pub methods: Vec<CourseMethod>,
    /// A name of the method to use if none is named.
    pub default: String,
    /// The figures that the course prints.
    pub figures: Vec<Figure>,
    /// The sentences in which it prints them.
    pub wording: Wording,
    /// The sentences in which it checks a heuristic, if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<Checks>,
    /// The questions of its program, if that asks any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<Dialogue>,
    /// Further remarks for readers.
    pub remarks: Vec<String>,
    /// The published figures that can be checked.
    #[serde(skip)]
    pub suite: Vec<Published>,
    /// The file.
    #[serde(skip)]
    toml: String,
}

/// A method as a course names it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CourseMethod {
    /// The course's names for it, the shortest first.
    pub names: Vec<String>,
    /// The method, with every field in which it differs from the defaults.
    pub method: Method,
}

/// A method of a course, with the fields that the user set to something else.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The course's first name for it.
    pub name: String,
    /// The method.
    pub method: Method,
    /// The fields that differ from the course's, each in a few words.
    pub overrides: Vec<String>,
}

/// Why there is no such course, or no such method in a course.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum CourseError {
    #[error("no course is called '{name}'")]
    Unknown { name: String },
    #[error("{course} has no method '{method}'")]
    Method {
        course: String,
        method: String,
        /// The methods that the course has, each with all its names.
        has: Vec<String>,
    },
    /// No course has this method.
    #[error("no course has a method '{method}'")]
    NoMethod {
        /// The requested method.
        method: String,
    },
    /// A field cannot have this value.
    #[error(transparent)]
    Field(#[from] MethodError),
    /// The file cannot be read.
    #[error("{}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    /// The file is not a course.
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: CourseFileError },
}

impl CourseError {
    /// The choices there are instead.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { name } => {
                let table = format!("table = \"{name}\"");
                let with_table =
                    |course: &&Arc<Course>| is_set(name) && course.toml.contains(&table);
                if let Some(Course { name: course, .. }) =
                    Course::built_in().iter().find(with_table).map(AsRef::as_ref)
                {
                    return Some(format!(
                        "{name} is an instance set; did you mean '{course}', which publishes figures for it?"
                    ));
                }
                let names = Course::built_in().iter().map(|course| course.name.as_str());
                let text = format!("there are {}", names.clone().collect::<Vec<_>>().join(", "));
                let similar = MethodSyntax::new(name).ok().and_then(|syntax| {
                    syntax.unknown(syntax.name, "course", names, []).hint().map(str::to_owned)
                });
                Some(similar.unwrap_or(text))
            }
            Self::Method { has, .. } => Some(format!("it has {}", has.join(", "))),
            Self::Field(error) => error.hint().map(str::to_owned),
            Self::NoMethod { .. } => {
                Some("'taquin list courses NAME' lists the methods of a course".to_owned())
            }
            Self::Unreadable { .. } => Some(
                "check the path; 'taquin list courses ucr-list --toml' prints a course to start from"
                    .to_owned(),
            ),
            Self::File { error, .. } => error.faults.first().and_then(|fault| fault.hint.clone()),
        }
    }
}

/// The longest file that is read as a course, in bytes.
const MAX_BYTES: u64 = 1 << 20;

impl Course {
    /// Returns the built-in course with this name.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn find(name: &str) -> Result<Arc<Self>, CourseError> {
        let named = |course: &&Arc<Self>| course.name.eq_ignore_ascii_case(name);
        let unknown = || CourseError::Unknown { name: excerpt(name) };
        Self::built_in().iter().find(named).cloned().ok_or_else(unknown)
    }

    /// Returns the course in a file, if `text` contains a path separator or ends in `.toml`, and
    /// otherwise the built-in course of that name.
    ///
    /// A service that takes names from others must use [`Course::find`], which reads no files.
    ///
    /// # Errors
    /// Fails if there is no such course, or if the file cannot be read or is not valid.
    pub fn resolve(text: &str) -> Result<Arc<Self>, CourseError> {
        let path = Path::new(text);
        let is_toml = path.extension().is_some_and(|name| name.eq_ignore_ascii_case("toml"));
        if !is_toml && !text.contains(std::path::is_separator) {
            return Self::find(text);
        }
        let unreadable = |error: io::Error| {
            let reason = match error.kind() {
                // No file can have this name: it is too long, or has a zero byte.
                io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => {
                    return CourseError::Unknown { name: excerpt(text) };
                }
                io::ErrorKind::NotFound => "no such file".to_owned(),
                io::ErrorKind::InvalidData => "not a text file".to_owned(),
                io::ErrorKind::IsADirectory => "is a directory".to_owned(),
                _ => error.to_string(),
            };
            CourseError::Unreadable { path: path.to_owned(), reason }
        };
        let mut file = File::open(path).map_err(unreadable)?.take(MAX_BYTES + 1);
        let mut toml = String::new();
        if file.read_to_string(&mut toml).map_err(unreadable)? as u64 > MAX_BYTES {
            let reason = format!("a course has at most {MAX_BYTES} bytes");
            return Err(CourseError::Unreadable { path: path.to_owned(), reason });
        }
        let invalid = |error| CourseError::File { path: path.to_owned(), error };
        Self::read(&toml).map(Arc::new).map_err(invalid)
    }

    /// The text of the course's file.
    pub fn toml(&self) -> &str {
        &self.toml
    }

    /// Returns a course with these methods that prints taquin's own figures; `name_of` names the
    /// methods by their numbers from 0.
    ///
    /// # Panics
    /// Panics if there are no methods.
    pub(crate) fn of_methods(
        name: &str,
        goal: CourseGoal,
        methods: Vec<Method>,
        name_of: impl Fn(usize) -> String,
    ) -> Self {
        let named = |(number, method)| CourseMethod { names: vec![name_of(number)], method };
        let methods: Vec<CourseMethod> = methods.into_iter().enumerate().map(named).collect();
        Self {
            name: name.to_owned(),
            about: String::new(),
            source: None,
            goal,
            cost: Costs::default(),
            jumps: false,
            seconds: None,
            board: None,
            default: methods[0].names[0].clone(),
            methods,
            figures: Vec::new(),
            wording: Wording::default(),
            checks: None,
            dialogue: None,
            remarks: Vec::new(),
            suite: Vec::new(),
            toml: String::new(),
        }
    }

    /// Returns the method that `text` names: by one of the course's names or as the method itself,
    /// followed by fields to change, as in `manhattan,tie=high-g`. `None` stands for the default.
    ///
    /// # Errors
    /// Fails if the course has no such method, or a field cannot have the value.
    pub fn method(&self, text: Option<&str>) -> Result<Choice, CourseError> {
        let text = text.unwrap_or(&self.default).trim();
        let (name, changes) = text.split_once(',').unwrap_or((text, ""));
        let Some(known) = self.known(name.trim()) else {
            let has = self.methods.iter().map(CourseMethod::listed).collect();
            let course = self.name.clone();
            return Err(CourseError::Method { course, method: excerpt(name), has });
        };
        let method = match changes {
            "" => known.method.clone(),
            _ => known.method.with_fields(changes)?,
        };
        let overrides = method
            .differences(&known.method)
            .into_iter()
            .map(|(field, ours, theirs)| format!("{field}={ours} instead of {field}={theirs}"))
            .collect();
        Ok(Choice { name: known.names[0].clone(), method, overrides })
    }

    /// Returns the method with this name, which is the course's or the method's own.
    fn known(&self, name: &str) -> Option<&CourseMethod> {
        let named = |method: &&CourseMethod| {
            method.names.iter().any(|known| known.eq_ignore_ascii_case(name))
        };
        let spelled = || {
            let asked: Method = name.parse().ok()?;
            let is_asked = |known: &&CourseMethod| {
                let known = &known.method;
                (known.algorithm, &known.estimate) == (asked.algorithm, &asked.estimate)
            };
            self.methods.iter().find(is_asked)
        };
        self.methods.iter().find(named).or_else(spelled)
    }

    /// Returns the puzzle from `start` to the course's goal.
    ///
    /// # Errors
    /// Fails if the course's own goal does not have the tiles of `start`.
    pub fn puzzle(&self, start: Board) -> Result<Puzzle, PuzzleError> {
        let goal = self.goal.board(&start);
        Puzzle::new(start, goal)
    }

    /// Returns the task of solving `puzzle` by the course's rules.
    pub fn task(&self, puzzle: Puzzle, method: Method) -> Task {
        let mut task = Task::new(puzzle, method);
        task.cost = self.cost.clone();
        task.jumps = self.jumps;
        task.limits.seconds = self.seconds.map(f64::from);
        task
    }
}

impl CourseMethod {
    /// The first name that is not a number, or else the first.
    pub fn title(&self) -> &str {
        let is_word = |name: &&String| !name.chars().all(|c| c.is_ascii_digit());
        let name = self.names.iter().find(is_word).or(self.names.first());
        name.map_or("", String::as_str)
    }

    /// The names, as a list of choices shows them.
    fn listed(&self) -> String {
        match &self.names[..] {
            [only] => only.clone(),
            [first, others @ ..] => format!("{first} ({})", others.join(", ")),
            [] => String::new(),
        }
    }
}

#[allow(clippy::ref_option, reason = "serde passes a reference to the field")]
fn as_optional_text<T: std::fmt::Display, S: serde::Serializer>(
    value: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_ref().map(ToString::to_string).serialize(serializer)
}
