//! Plans of experiments, read from TOML.
//!
//! A plan is checked as a whole before anything runs, and every fault is reported with its place:
//! an experiment of days should not end at its last line.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use taquin::{
    Board, Costs, Estimate, NamedGoal, Session, TaskLimits, UnitError, excerpt, read_bytes,
    read_count, read_time,
};
use taquin_lab::instances::{self, Instance};
use taquin_lab::{
    Request, RequestError, RequestFault, RequestField, TomlFault, TomlReader, TomlTable, TomlText,
    TomlValue, check_costs,
};
use toml::de::DeValue;

use crate::{ExperimentRun, NamedSetting};

/// The runs of an experiment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// The title.
    pub title: String,
    /// The text it was read from.
    pub text: String,
    /// The limits of a run that the plan itself sets.
    pub limits: TaskLimits,
    /// The runs, each once, in the order in which they are made.
    pub runs: Vec<ExperimentRun>,
    /// How many runs equal another run, and are not repeated.
    pub repeated: usize,
}

/// The keys in a plan, and in its limits.
const KEYS: [&str; 9] =
    ["title", "instances", "methods", "as", "goal", "cost", "threads", "repeats", "limits"];
const LIMITS: [&str; 3] = ["time", "memory", "nodes"];

/// The largest number of runs.
const MAX_RUNS: usize = 1_000_000;

impl Plan {
    /// An example with comments.
    pub const EXAMPLE: &str = include_str!("example.toml");

    /// Reads a plan. Paths of files are relative to `folder`.
    ///
    /// # Errors
    /// Fails with every fault, in the order of the text.
    pub fn read(text: &str, folder: &Path, session: &Session) -> Result<Self, Vec<TomlFault>> {
        Self::read_with(text, folder, session, HashMap::new())
    }

    /// Reads a plan whose methods may have the caller's heuristics, each with the method that it
    /// belongs to, such as `wastar:wrong(),w=2` with `wastar,w=2`.
    ///
    /// # Errors
    /// Fails with every fault, in the order of the text.
    pub fn read_with(
        text: &str,
        folder: &Path,
        session: &Session,
        own: HashMap<String, String>,
    ) -> Result<Self, Vec<TomlFault>> {
        let (mut reader, table) = TomlReader::new(text);
        let draft = Draft::read(&mut reader, TomlTable::whole(table.get_ref()));
        let draft = Draft { own, ..draft };
        let (runs, repeated) = draft.runs(&mut reader, folder, session);
        match reader.has_faults() {
            false => Ok(Self {
                title: draft.title,
                text: text.to_owned(),
                limits: draft.limits,
                runs,
                repeated,
            }),
            true => Err(reader.into_faults()),
        }
    }
}

/// The parts of a plan.
#[derive(Default)]
struct Draft {
    title: String,
    instances: Vec<TomlText>,
    methods: Vec<TomlText>,
    courses: Vec<TomlText>,
    goal: Option<String>,
    costs: Option<Costs>,
    threads: usize,
    repeats: u32,
    limits: TaskLimits,
    /// The methods with the caller's heuristics.
    own: HashMap<String, String>,
}

impl Draft {
    fn read(reader: &mut TomlReader<'_>, table: TomlTable<'_, '_>) -> Self {
        // A text that cannot be parsed may have the keys that seem to be missing.
        let is_missing = |key: &str| !table.has(key);
        if !reader.has_faults() {
            if is_missing("instances") {
                let hint = "write instances = [\"courses\"]".to_owned();
                reader.fault(0, "the plan has no instances", Some(hint));
            }
            if is_missing("methods") && is_missing("as") {
                let hint = "write methods = [\"astar:manhattan\"], or as = \"ucr-list\"".to_owned();
                reader.fault(0, "the plan has no methods", Some(hint));
            }
        }
        reader.check_keys(table, &KEYS);
        let title = reader.optional(table, "title", TomlReader::text);
        let texts = |reader: &mut TomlReader<'_>, key| {
            reader.optional(table, key, |reader, value| Some(texts(reader, value)))
        };
        let number = |reader: &mut TomlReader<'_>, key, most| {
            reader.optional(table, key, |reader, value| reader.number(value, 1, most)).unwrap_or(1)
        };
        Self {
            title: title.map_or_else(String::new, |title| title.text),
            courses: texts(reader, "as").unwrap_or_default(),
            instances: texts(reader, "instances").unwrap_or_default(),
            methods: texts(reader, "methods").unwrap_or_default(),
            goal: reader.optional(table, "goal", read_goal),
            costs: reader.optional(table, "cost", TomlReader::parsed),
            threads: number(reader, "threads", 1024) as usize,
            repeats: number(reader, "repeats", 10_000) as u32,
            limits: reader.optional(table, "limits", read_limits).unwrap_or_default(),
            own: HashMap::new(),
        }
    }

    /// Returns all runs, puzzle by puzzle, and for each puzzle method by method. Also returns how
    /// many were left out because they equal another run.
    fn runs(
        &self,
        reader: &mut TomlReader<'_>,
        folder: &Path,
        session: &Session,
    ) -> (Vec<ExperimentRun>, usize) {
        let (mut runs, mut repeated) = (Vec::new(), 0);
        let mut keys = HashSet::new();
        for methods in self.methods(reader, folder) {
            let own = methods.iter().find_map(|method| method.setting.course.as_ref());
            let own = own.map(|course| course.goal.to_string());
            for set in &self.instances {
                let goal = self.goal.as_deref().or(own.as_deref());
                let found = match instances::read(&set.text, goal, folder, session) {
                    Ok(found) => found,
                    Err(error) => {
                        reader.fault(set.inside(error.column), error.message, error.hint);
                        continue;
                    }
                };
                self.check_tables(reader, &found, set, &methods);
                let costs = self.costs.clone().unwrap_or_default();
                let wrong = found
                    .iter()
                    .find_map(|instance| check_costs(&costs, instance.puzzle.start()).err());
                if let Some(error) = wrong {
                    reader.fault(set.at, format!("cost: {error}"), error.hint());
                }
                if runs.len() + found.len() * methods.len() * self.repeats as usize > MAX_RUNS {
                    let message = format!("the plan has more than {MAX_RUNS} runs");
                    reader.fault(set.at, message, Some("divide the plan".to_owned()));
                    return (Vec::new(), 0);
                }
                for repeat in 1..=self.repeats {
                    for instance in &found {
                        let each = methods
                            .iter()
                            .map(|method| ExperimentRun { repeat, ..method.run(instance) });
                        let (all, before) = (methods.len(), runs.len());
                        runs.extend(each.filter(|run| keys.insert(run.key())));
                        repeated += all - (runs.len() - before);
                    }
                }
            }
        }
        (runs, repeated)
    }

    /// Returns the methods: of each course, or without one.
    fn methods(&self, reader: &mut TomlReader<'_>, folder: &Path) -> Vec<Vec<NamedSetting>> {
        let request = Request {
            limits: self.limits.clone(),
            cost: self.costs.clone(),
            threads: Some(self.threads),
            ..Request::default()
        };
        if self.courses.is_empty() {
            return vec![self.methods_of(reader, &request, None)];
        }
        let course = |text: &TomlText| {
            // A name is not a path; `folder` is only for files.
            let is_file = Path::new(&text.text).extension().is_some();
            let name = match is_file {
                true => folder.join(&text.text).to_string_lossy().into_owned(),
                false => text.text.clone(),
            };
            let request = Request { course: Some(name), ..request.clone() };
            let mut methods = self.methods_of(reader, &request, Some(text));
            for method in &mut methods {
                let course = method.setting.course.as_ref();
                method.name =
                    format!("{} {}", course.map_or("", |course| &course.name), method.name);
            }
            methods
        };
        self.courses.iter().map(course).collect()
    }

    fn methods_of(
        &self,
        reader: &mut TomlReader<'_>,
        request: &Request,
        course: Option<&TomlText>,
    ) -> Vec<NamedSetting> {
        let mut fault = |error: RequestError, method: Option<&TomlText>| {
            let at = match (&error.fault, error.field, method, course) {
                (RequestFault::Method(error), _, Some(text), _) => text.inside(error.column()),
                (_, RequestField::Method, Some(text), _) | (_, _, _, Some(text)) => text.at,
                _ => 0,
            };
            reader.fault(at, error.to_string(), error.hint());
        };
        if self.methods.is_empty() {
            let all = NamedSetting::all(request);
            return all.map_err(|error| fault(error, None)).unwrap_or_default();
        }
        let method = |text: &TomlText| {
            let own = self.own.get(&text.text);
            let method = Some(own.unwrap_or(&text.text).clone());
            let setting = NamedSetting::new(&Request { method, ..request.clone() });
            let setting = setting.map_err(|error| fault(error, Some(text))).ok()?;
            Some(match own.map(|_| text.text.clone()) {
                None => setting,
                own @ Some(_) => NamedSetting { name: text.text.clone(), own, ..setting },
            })
        };
        self.methods.iter().filter_map(method).collect()
    }

    /// Reports pattern databases that do not fit the boards.
    fn check_tables(
        &self,
        reader: &mut TomlReader<'_>,
        found: &[Instance],
        set: &TomlText,
        methods: &[NamedSetting],
    ) {
        let mut goals: Vec<&Board> = Vec::new();
        for instance in found {
            if !goals.contains(&instance.puzzle.goal()) {
                goals.push(instance.puzzle.goal());
            }
        }
        for NamedSetting { name, setting, .. } in methods {
            let method = &setting.method;
            let databases = method.estimate.iter().flat_map(Estimate::databases);
            let partitions: Vec<_> = databases.filter_map(Estimate::partition).collect();
            for (partition, goal) in
                partitions.iter().flat_map(|each| goals.iter().map(move |goal| (each, goal)))
            {
                if let Err(error) = partition.patterns(goal) {
                    let is_method = |text: &&TomlText| text.text.parse().as_ref() == Ok(method);
                    let at = self.methods.iter().find(is_method).map_or(set.at, |text| text.at);
                    let set = excerpt(&set.text);
                    reader.fault(at, format!("{name} cannot be used for '{set}': {error}"), None);
                }
            }
        }
    }
}

/// Reads a string, or a list of them.
fn texts(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Vec<TomlText> {
    if value.get_ref().is_str() {
        return reader.text(value).into_iter().collect();
    }
    if value.get_ref().as_array().is_some_and(|list| list.is_empty()) {
        reader.fault(value.span().start, "the list is empty", None);
    }
    reader.texts(value)
}

fn read_goal(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<String> {
    let text = reader.text(value)?;
    let is_name = text.text.chars().all(char::is_alphabetic);
    if is_name && text.text.parse::<NamedGoal>().is_err() {
        let hint = "write last, first, spiral, or a board such as \"1 2 3/8 0 4/7 6 5\"";
        let message = format!("unknown goal '{}'", excerpt(&text.text));
        reader.fault(text.at, message, Some(hint.to_owned()));
        return None;
    }
    Some(text.text)
}

fn read_limits(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<TaskLimits> {
    let table = reader.table(value)?;
    reader.check_keys(table, &LIMITS);
    let time = reader.optional(table, "time", |reader, value| amount(reader, value, read_time));
    Some(TaskLimits {
        seconds: time.map(|time| time.as_secs_f64()),
        memory: reader.optional(table, "memory", |reader, value| amount(reader, value, read_bytes)),
        expanded: reader
            .optional(table, "nodes", |reader, value| amount(reader, value, read_count)),
        ..TaskLimits::default()
    })
}

/// Reads an amount, which is a number or a string such as `10s`.
fn amount<T>(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    read: fn(&str) -> Result<T, UnitError>,
) -> Option<T> {
    let (text, at) = match value.get_ref() {
        DeValue::String(_) => reader.text(value).map(|text| (text.text, text.at))?,
        DeValue::Integer(number) => (number.as_str().to_owned(), value.span().start),
        DeValue::Float(number) => (number.as_str().to_owned(), value.span().start),
        _ => {
            reader.expected(value, "an amount such as \"10s\"");
            return None;
        }
    };
    read(&text).map_err(|error| reader.fault(at, error.to_string(), None)).ok()
}
