//! Courses and papers as values.
//!
//! Two programs for "the same" algorithm print different numbers because they differ in the goal, the
//! order of moves, the policy, what they count and when. A [`Convention`] fixes all of these under a
//! name, together with the words in which that course prints the outcome; nothing in it is code, so
//! that a reader can see every field and run it without the name.

mod courses;
mod figures;
mod wording;

use serde::Serialize;
use taquin::{Board, Costs, Method, MethodError, NamedGoal, Policy, Puzzle, Task, excerpt};
use taquin_search::MethodSyntax;

pub use courses::COURSES;
pub(crate) use figures::direction;
pub use figures::{Figure, Figures, Value, What};
pub(crate) use wording::fill;
pub use wording::{PLAIN, Wording};

/// Everything in which a course's or a paper's program differs from another.
#[derive(Debug, Serialize)]
pub struct Convention {
    /// What `--as` takes.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The goal.
    #[serde(serialize_with = "as_text")]
    pub goal: NamedGoal,
    /// What a move costs.
    pub cost: Costs,
    /// Whether a blank that steps onto another makes a node.
    pub jumps: bool,
    /// The time limit in seconds, if it has one.
    pub seconds: Option<u32>,
    /// The puzzle that it offers to those who have none.
    pub board: Option<&'static str>,
    /// Its methods, in its own order.
    pub methods: &'static [CourseMethod],
    /// The method that is meant when none is named.
    pub default: &'static str,
    /// What it prints, by the names under which JSON has it.
    pub figures: &'static [Figure],
    /// How it prints that.
    pub wording: Wording,
    /// What else a reader should know.
    pub remarks: &'static [&'static str],
}

/// A method as a course names it.
#[derive(Debug, Serialize)]
pub struct CourseMethod {
    /// What the course calls it, the first name first.
    pub names: &'static [&'static str],
    /// The same in taquin's words: every field in which it differs from the usual.
    pub method: &'static str,
}

/// A course's method that was asked for, and what was asked for otherwise.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// What the course calls it.
    pub name: &'static str,
    /// The method.
    pub method: Method,
    /// What was set differently, in plain words.
    pub overrides: Vec<String>,
}

/// Why a course can't do what it was asked for.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CourseError {
    /// No course has this name.
    #[error("no course is called '{name}'")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The course does not have this method.
    #[error("{course} has no method '{method}'")]
    Method {
        /// The course's name.
        course: &'static str,
        /// What was asked for.
        method: String,
        /// The methods that it has.
        has: String,
    },
    /// A field was set to what it can't be.
    #[error(transparent)]
    Field(#[from] MethodError),
}

impl CourseError {
    /// What would put it right.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { .. } => {
                let names: Vec<&str> = COURSES.iter().map(|course| course.name).collect();
                Some(format!("there are {}", names.join(", ")))
            }
            Self::Method { has, .. } => Some(format!("it has {has}")),
            Self::Field(error) => error.hint().map(str::to_owned),
        }
    }
}

impl Convention {
    /// The convention with this name.
    ///
    /// # Errors
    /// Fails if there is none.
    pub fn find(name: &str) -> Result<&'static Self, CourseError> {
        let named = |course: &&Self| course.name.eq_ignore_ascii_case(name);
        let unknown = || CourseError::Unknown { name: excerpt(name) };
        COURSES.iter().find(named).ok_or_else(unknown)
    }

    /// The method that a text names: by the course's own name or by taquin's, with fields to be set
    /// differently after it, as in `manhattan,tie=high-g`. Nothing names the default.
    ///
    /// # Errors
    /// Fails if the course has no such method, or a field can't be set so.
    pub fn method(&'static self, text: Option<&str>) -> Result<Choice, CourseError> {
        let text = text.unwrap_or(self.default).trim();
        let (name, changes) = text.split_once(',').unwrap_or((text, ""));
        let named = |method: &&CourseMethod| {
            method.names.iter().any(|known| known.eq_ignore_ascii_case(name.trim()))
        };
        let spelled = || {
            let asked: Method = name.trim().parse().ok()?;
            let is_asked = |method: &&CourseMethod| {
                let known = method.method();
                (known.algorithm, &known.estimate) == (asked.algorithm, &asked.estimate)
            };
            self.methods.iter().find(is_asked)
        };
        let Some(known) = self.methods.iter().find(named).or_else(spelled) else {
            let names: Vec<String> = self.methods.iter().map(CourseMethod::listed).collect();
            return Err(CourseError::Method {
                course: self.name,
                method: excerpt(name),
                has: names.join(", "),
            });
        };
        let method: Method = match changes {
            "" => known.method(),
            _ => known.changed(changes)?,
        };
        let overrides = differences(&method, &known.method())
            .into_iter()
            .map(|(field, ours, theirs)| format!("{field}={ours} instead of {field}={theirs}"))
            .collect();
        Ok(Choice { name: known.names[0], method, overrides })
    }

    /// The puzzle from a board to the course's goal.
    pub fn puzzle(&self, start: Board) -> Puzzle {
        let goal = self.goal.board(start.size(), start.blanks().count());
        Puzzle::new(start, goal).expect("a named goal has the tiles of the board")
    }

    /// A task as the course sets it.
    pub fn task(&self, puzzle: Puzzle, method: Method) -> Task {
        let mut task = Task::new(puzzle, method);
        task.cost = self.cost.clone();
        task.jumps = self.jumps;
        task.limits.seconds = self.seconds.map(f64::from);
        task
    }
}

impl CourseMethod {
    /// The method.
    ///
    /// # Panics
    /// Never: every spelling here is tested.
    pub fn method(&self) -> Method {
        self.method.parse().expect("the spellings of courses are tested")
    }

    /// Its names, as a list of choices shows them.
    fn listed(&self) -> String {
        match self.names {
            [only] => (*only).to_owned(),
            [first, others @ ..] => format!("{first} ({})", others.join(", ")),
            [] => String::new(),
        }
    }

    /// The method with some fields set differently.
    fn changed(&self, changes: &str) -> Result<Method, MethodError> {
        let (name, own) = self.method.split_once(',').unwrap_or((self.method, ""));
        let asked = format!("{name},{changes}");
        let set = MethodSyntax::new(&asked)?.fields;
        let is_kept = |part: &&str| {
            part.split_once('=').is_some_and(|(field, _)| set.iter().all(|set| set.0 != field))
        };
        let parts: Vec<&str> =
            [name].into_iter().chain(own.split(',').filter(is_kept)).chain([changes]).collect();
        parts.join(",").parse()
    }
}

/// The fields in which a method differs from another of the same name, with the value of each.
pub(crate) fn differences(method: &Method, from: &Method) -> Vec<(&'static str, String, String)> {
    let none = || "none".to_owned();
    let mut found: Vec<(&str, String, String)> = Policy::FIELDS
        .into_iter()
        .map(|field| (field, method.policy.get(field), from.policy.get(field)))
        .filter(|(_, ours, theirs)| ours != theirs)
        .map(|(field, ours, theirs)| {
            (field, ours.unwrap_or_else(none), theirs.unwrap_or_else(none))
        })
        .collect();
    if method.moves != from.moves {
        found.push(("moves", method.moves.to_string(), from.moves.to_string()));
    }
    found
}

fn as_text<T: std::fmt::Display, S: serde::Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}
