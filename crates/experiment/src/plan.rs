//! Plans of experiments, read from TOML.
//!
//! A plan is checked whole before anything runs, and every error is told with its line and column: an
//! experiment of days should not end at its last line.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use taquin::{
    Board, Costs, Estimate, Method, NamedGoal, Partition, Place, TaskLimits, excerpt, read_bytes,
    read_count, read_time,
};
use taquin_lab::instances::{self, Instance};
use taquin_lab::{Course, CourseMethod};
use taquin_search::MethodSyntax;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Run;

/// What an experiment is to do.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// What it is called.
    pub title: String,
    /// The text it was read from.
    pub text: String,
    /// How far each run may go, as far as the plan itself says.
    pub limits: TaskLimits,
    /// The runs, each once, in the order in which they are made.
    pub runs: Vec<Run>,
}

/// Something wrong with a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanError {
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
    /// What would put it right.
    pub hint: Option<String>,
}

/// The keys of a plan, and of its limits.
const KEYS: [&str; 9] =
    ["title", "instances", "methods", "as", "goal", "cost", "threads", "repeats", "limits"];
const LIMITS: [&str; 3] = ["time", "memory", "nodes"];

/// The most runs of a plan.
const MOST: usize = 1_000_000;

impl Plan {
    /// The plan that `taquin experiment new` writes.
    pub const EXAMPLE: &str = include_str!("example.toml");

    /// Reads a plan; files are looked for from `folder`.
    ///
    /// # Errors
    /// Fails with everything that is wrong, in the order of the text.
    pub fn read(text: &str, folder: &Path) -> Result<Self, Vec<PlanError>> {
        let (table, faults) = DeTable::parse_recoverable(text);
        let mut reader = Reader { text, errors: Vec::new() };
        for fault in &faults {
            let at = fault.span().map_or(0, |span| span.start);
            reader.error(at, fault.message().to_owned(), None);
        }
        let draft = Draft::read(&mut reader, table.get_ref());
        let runs = draft.runs(&mut reader, folder);
        let mut errors = reader.errors;
        errors.sort_by_key(|error| (error.place.line, error.place.column));
        errors.dedup();
        match errors.is_empty() {
            true => {
                Ok(Self { title: draft.title, text: text.to_owned(), limits: draft.limits, runs })
            }
            false => Err(errors),
        }
    }
}

/// A string of the plan, and where its first letter stands, in bytes.
#[derive(Clone)]
struct Word {
    text: String,
    at: usize,
    /// Whether what stands in the file is the text itself, so that places inside it are known.
    verbatim: bool,
}

impl Word {
    /// The place after so many of its characters.
    fn inside(&self, characters: usize) -> usize {
        let inside = self.text.char_indices().nth(characters).map_or(self.text.len(), |(at, _)| at);
        if self.verbatim { self.at + inside } else { self.at }
    }
}

/// What a plan says, before it is put together.
#[derive(Default)]
struct Draft {
    title: String,
    instances: Vec<Word>,
    methods: Vec<Word>,
    courses: Vec<(Arc<Course>, Word)>,
    goal: Option<Word>,
    costs: Option<Costs>,
    threads: usize,
    repeats: u32,
    limits: TaskLimits,
}

/// A course with its methods, or the methods alone.
struct Track {
    course: Option<Arc<Course>>,
    methods: Vec<(String, Method)>,
}

impl Draft {
    fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Self {
        let broken = !reader.errors.is_empty();
        let mut draft = Self { threads: 1, repeats: 1, ..Self::default() };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "title" => {
                    draft.title = reader.word(value).map_or_else(String::new, |word| word.text);
                }
                "instances" => draft.instances = reader.words(value),
                "methods" => draft.methods = reader.words(value),
                "as" => draft.courses = reader.courses(value),
                "goal" => draft.goal = reader.goal(value),
                "cost" => draft.costs = reader.parsed(value),
                "threads" => draft.threads = reader.number(value, 1024).map_or(1, |n| n as usize),
                "repeats" => draft.repeats = reader.number(value, 10_000).map_or(1, |n| n as u32),
                "limits" => draft.limits = reader.limits(value),
                _ => reader.unknown(key, &KEYS),
            }
        }
        // In a broken text it may be there all the same.
        let missing = |key: &str| !broken && !table.iter().any(|(known, _)| known.get_ref() == key);
        if missing("instances") {
            let hint = "write instances = [\"courses\"]".to_owned();
            reader.error(0, "there are no instances".to_owned(), Some(hint));
        }
        if missing("methods") && missing("as") {
            let hint = "write methods = [\"astar:manhattan\"], or as = \"ucr-list\"".to_owned();
            reader.error(0, "there are no methods".to_owned(), Some(hint));
        }
        draft
    }

    /// Everything that is to be run, puzzle by puzzle, and for each puzzle method by method.
    fn runs(&self, reader: &mut Reader<'_>, folder: &Path) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut keys = HashSet::new();
        for Track { course, methods } in self.tracks(reader) {
            let goal = self.goal.as_ref().map(|goal| goal.text.as_str());
            let goal = goal.or_else(|| course.as_ref().map(|course| course.goal.name()));
            for set in &self.instances {
                let found = match instances::read(&set.text, goal, folder) {
                    Ok(found) => found,
                    Err(error) => {
                        let at = set.inside(error.column);
                        reader.error(at, error.message, error.hint);
                        continue;
                    }
                };
                self.check_tables(reader, &found, set, &methods);
                if runs.len() + found.len() * methods.len() * self.repeats as usize > MOST {
                    let message = format!("more than {MOST} runs");
                    reader.error(set.at, message, Some("divide the plan".to_owned()));
                    return Vec::new();
                }
                for repeat in 1..=self.repeats {
                    for instance in &found {
                        let each = methods
                            .iter()
                            .map(|each| self.run(course.as_deref(), instance, each, repeat));
                        runs.extend(each.filter(|run| keys.insert(run.key())));
                    }
                }
            }
        }
        runs
    }

    fn run(
        &self,
        course: Option<&Course>,
        instance: &Instance,
        (name, method): &(String, Method),
        repeat: u32,
    ) -> Run {
        let usual = || course.map_or(Costs::Unit, |course| course.cost.clone());
        let costs = self.costs.clone().unwrap_or_else(usual);
        let mut limits = self.limits.clone();
        limits.seconds = limits.seconds.or_else(|| course?.seconds.map(f64::from));
        let mut instance = instance.clone();
        instance.known = instance.known.filter(|_| costs == Costs::Unit);
        Run {
            instance,
            name: name.clone(),
            method: method.clone(),
            course: course.map(|course| course.name.clone()),
            costs,
            jumps: course.is_some_and(|course| course.jumps),
            threads: self.threads,
            repeat,
            limits,
        }
    }

    /// The methods, by the courses that they belong to.
    fn tracks(&self, reader: &mut Reader<'_>) -> Vec<Track> {
        if self.courses.is_empty() {
            let mut methods: Vec<(String, Method)> = Vec::new();
            for word in &self.methods {
                match word.text.parse::<Method>() {
                    Ok(method) => methods.push((method.to_string(), method)),
                    Err(error) => {
                        let at = word.inside(error.column());
                        reader.error(at, error.to_string(), error.hint().map(str::to_owned));
                    }
                }
            }
            return vec![Track { course: None, methods }];
        }
        let mut tracks = Vec::new();
        for (course, _) in &self.courses {
            let mut methods = Vec::new();
            for word in &self.methods {
                match course.method(Some(&word.text)) {
                    Ok(choice) => {
                        let own = course
                            .methods
                            .iter()
                            .find(|own| own.names.first() == Some(&choice.name));
                        let changes = word
                            .text
                            .split_once(',')
                            .map_or_else(String::new, |(_, changes)| format!(",{changes}"));
                        let name = own.map_or(choice.name.as_str(), CourseMethod::title);
                        methods.push((format!("{} {name}{changes}", course.name), choice.method));
                    }
                    Err(error) => reader.error(word.at, error.to_string(), error.hint()),
                }
            }
            if self.methods.is_empty() {
                let all = course.methods.iter();
                methods.extend(
                    all.map(|own| (format!("{} {}", course.name, own.title()), own.method.clone())),
                );
            }
            tracks.push(Track { course: Some(course.clone()), methods });
        }
        tracks
    }

    /// Says which pattern databases do not suit the boards that they are to be used for.
    fn check_tables(
        &self,
        reader: &mut Reader<'_>,
        found: &[Instance],
        set: &Word,
        methods: &[(String, Method)],
    ) {
        let mut goals: Vec<&Board> = Vec::new();
        for instance in found {
            if !goals.contains(&instance.puzzle.goal()) {
                goals.push(instance.puzzle.goal());
            }
        }
        for (name, method) in methods {
            let Some(estimate) = &method.estimate else { continue };
            for partition in partitions(estimate) {
                for goal in &goals {
                    if let Err(error) = partition.patterns(goal) {
                        let word = self
                            .methods
                            .iter()
                            .find(|word| word.text.parse().ok().as_ref() == Some(method));
                        let at = word.map_or(set.at, |word| word.at);
                        let message =
                            format!("{name} can't be used for '{}': {error}", excerpt(&set.text));
                        reader.error(at, message, None);
                    }
                }
            }
        }
    }
}

/// The partitions whose databases a heuristic looks up.
fn partitions(estimate: &Estimate) -> Vec<&Partition> {
    match estimate {
        Estimate::Pdb(partition) => vec![partition],
        Estimate::Max(several) => several.iter().flat_map(partitions).collect(),
        _ => Vec::new(),
    }
}

/// The text of a plan, and what was found wrong with it.
struct Reader<'a> {
    text: &'a str,
    errors: Vec<PlanError>,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl Reader<'_> {
    fn error(&mut self, at: usize, message: String, hint: Option<String>) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let place = Place { line: line as u32, column: column as u32 };
        self.errors.push(PlanError { place, message, hint });
    }

    fn unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&str]) {
        let name = key.get_ref().as_ref();
        let (message, hint) = match MethodSyntax::new(name) {
            Ok(spelled) => {
                let error = spelled.unknown(name, "key", known.iter().copied());
                (error.to_string(), error.hint().map(str::to_owned))
            }
            Err(_) => (
                format!("unknown key '{}'", excerpt(name)),
                Some(format!("there are {}", known.join(", "))),
            ),
        };
        self.error(key.span().start, message, hint);
    }

    fn expected(&mut self, value: &Value<'_>, what: &str) {
        let found = value.get_ref().type_str();
        self.error(value.span().start, format!("expected {what}, not {found}"), None);
    }

    fn word(&mut self, value: &Value<'_>) -> Option<Word> {
        let Some(text) = value.get_ref().as_str() else {
            self.expected(value, "a string");
            return None;
        };
        let span = value.span();
        let raw = self.text.get(span.clone()).unwrap_or("");
        let verbatim = raw.len() >= 2 && raw.get(1..raw.len() - 1) == Some(text);
        let at = if verbatim { span.start + 1 } else { span.start };
        Some(Word { text: text.to_owned(), at, verbatim })
    }

    /// A string, or a list of them.
    fn words(&mut self, value: &Value<'_>) -> Vec<Word> {
        let words: Vec<Word> = match value.get_ref().as_array() {
            Some(list) => list.iter().filter_map(|each| self.word(each)).collect(),
            None if value.get_ref().is_str() => self.word(value).into_iter().collect(),
            None => {
                self.expected(value, "a list of strings");
                return Vec::new();
            }
        };
        if value.get_ref().as_array().is_some_and(|list| list.is_empty()) {
            self.error(value.span().start, "the list is empty".to_owned(), None);
        }
        words
    }

    fn courses(&mut self, value: &Value<'_>) -> Vec<(Arc<Course>, Word)> {
        let mut courses = Vec::new();
        for word in self.words(value) {
            match Course::find(&word.text) {
                Ok(course) => courses.push((course, word)),
                Err(error) => self.error(word.at, error.to_string(), error.hint()),
            }
        }
        courses
    }

    fn goal(&mut self, value: &Value<'_>) -> Option<Word> {
        let word = self.word(value)?;
        let is_board = !word.text.chars().all(char::is_alphabetic);
        if !is_board && word.text.parse::<NamedGoal>().is_err() {
            let message = format!("no goal is called '{}'", excerpt(&word.text));
            let hint = "write last, first, snail, or a board such as \"1 2 3/8 0 4/7 6 5\"";
            self.error(word.at, message, Some(hint.to_owned()));
            return None;
        }
        Some(word)
    }

    fn parsed<T: std::str::FromStr<Err: ToString>>(&mut self, value: &Value<'_>) -> Option<T> {
        let word = self.word(value)?;
        word.text.parse().map_err(|error: T::Err| self.error(word.at, error.to_string(), None)).ok()
    }

    fn number(&mut self, value: &Value<'_>, most: u64) -> Option<u64> {
        let Some(number) = value.get_ref().as_integer() else {
            self.expected(value, "a whole number");
            return None;
        };
        let number = u64::from_str_radix(number.as_str(), number.radix()).ok();
        let number = number.filter(|number| (1..=most).contains(number));
        if number.is_none() {
            self.error(value.span().start, format!("expected a number from 1 to {most}"), None);
        }
        number
    }

    fn limits(&mut self, value: &Value<'_>) -> TaskLimits {
        let mut limits = TaskLimits::default();
        let Some(table) = value.get_ref().as_table() else {
            self.expected(value, "a table");
            return limits;
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "time" => {
                    let time =
                        self.amount(value, |text| read_time(text).map_err(|e| e.to_string()));
                    limits.seconds = time.map(|time| time.as_secs_f64());
                }
                "memory" => {
                    limits.memory =
                        self.amount(value, |text| read_bytes(text).map_err(|e| e.to_string()));
                }
                "nodes" => {
                    limits.expanded =
                        self.amount(value, |text| read_count(text).map_err(|e| e.to_string()));
                }
                _ => self.unknown(key, &LIMITS),
            }
        }
        limits
    }

    /// An amount, as a number or as people write it.
    fn amount<T>(
        &mut self,
        value: &Value<'_>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let (text, at) = match value.get_ref() {
            DeValue::String(_) => self.word(value).map(|word| (word.text, word.at))?,
            DeValue::Integer(number) => (number.as_str().to_owned(), value.span().start),
            DeValue::Float(number) => (number.as_str().to_owned(), value.span().start),
            _ => {
                self.expected(value, "an amount such as \"10s\"");
                return None;
            }
        };
        read(&text).map_err(|error| self.error(at, error, None)).ok()
    }
}
