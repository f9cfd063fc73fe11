//! Courses from examples: boards, and the counts that a lecturer's program prints for them.
//!
//! [`matching`] finds each method's policy. A program's methods share its goal, its costs and its
//! way of counting, so the policies are chosen together.

use std::fmt::Write;
use std::sync::Arc;

use taquin::{Board, Costs, Monitor, Session};

use super::file::read_start;
use super::{Course, CourseError, CourseFileError, FigureKind};
use crate::grade::toml_string;
use crate::matching::{Match, Question, TargetCounts, matching};
use crate::request::read_goal;
use crate::toml_reader::{TomlReader, TomlTable, TomlValue};

/// A board and the counts that a program prints for it.
#[derive(Clone, PartialEq, Debug)]
pub struct CourseExample {
    /// The board.
    pub board: Board,
    /// The program's name for the method.
    pub method: String,
    /// The counts.
    pub counts: TargetCounts,
}

/// The examples of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct CourseExamples {
    /// The goal, if it is known.
    pub goal: Option<String>,
    /// The examples: at least one.
    pub examples: Vec<CourseExample>,
}

/// A course that gives the counts of the examples.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundCourse {
    /// The text of its file.
    pub toml: String,
    /// For each method, the policies that give its counts as well.
    pub others: Vec<(String, Vec<String>)>,
}

/// Why there is no course for examples.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExamplesError {
    /// The goal cannot be read.
    #[error("goal: {0}")]
    Goal(String),
    /// No policy similar to a known course gives the counts of a method.
    #[error("no policy that is known, with at most two changes, gives the counts of {method}")]
    None {
        /// The method.
        method: String,
        /// Whether all such policies were tried.
        complete: bool,
    },
    /// The methods' policies differ in the goal, the costs or the way of counting.
    #[error("the counts of {} do not fit one way of counting", methods.join(", "))]
    Apart {
        /// The methods.
        methods: Vec<String>,
    },
    /// A method cannot be tried.
    #[error(transparent)]
    Course(#[from] CourseError),
}

const KEYS: [&str; 2] = ["goal", "examples"];
const EXAMPLE_KEYS: [&str; 5] = ["board", "method", "expanded", "queue", "generated"];

impl CourseExamples {
    /// Reads examples from the text of a TOML file.
    ///
    /// # Errors
    /// Fails with every fault in the text.
    pub fn read(toml: &str) -> Result<Self, CourseFileError> {
        let (mut reader, table) = TomlReader::new(toml);
        let table = TomlTable::whole(table.get_ref());
        reader.check_keys(table, &KEYS);
        let goal = reader.optional(table, "goal", super::file::plain);
        let examples = reader.required(table, "examples", |reader, value| {
            Some(reader.items(value, "a list of tables", read_example))
        });
        let examples = examples.unwrap_or_default();
        if examples.is_empty() && !reader.has_faults() {
            reader.fault(0, "there are no examples", None);
        }
        match reader.has_faults() {
            true => Err(CourseFileError { faults: reader.into_faults() }),
            false => Ok(Self { goal, examples }),
        }
    }

    /// Finds a course that gives the counts. Each method may expand `budget` nodes in total.
    ///
    /// # Errors
    /// Fails if no policy fits a method, or if the policies of two methods contradict each other.
    pub fn find(
        &self,
        name: &str,
        session: &Session,
        monitor: &Arc<Monitor>,
        budget: u64,
        memory: Option<u64>,
    ) -> Result<FoundCourse, ExamplesError> {
        let mut methods: Vec<&str> = Vec::new();
        for example in &self.examples {
            if !methods.contains(&example.method.as_str()) {
                methods.push(&example.method);
            }
        }
        let mut candidates: Vec<Vec<Match>> = Vec::new();
        for method in &methods {
            candidates.push(self.policies(method, session, monitor, budget, memory)?);
        }
        // The first method's candidates are the ways to count; each other one must have the same.
        let others = |way: &Way| -> Option<Vec<&Match>> {
            candidates
                .iter()
                .map(|list| list.iter().find(|found| self.way(found).as_ref() == Some(way)))
                .collect()
        };
        let ways: Vec<Way> = candidates[0].iter().filter_map(|found| self.way(found)).collect();
        let chosen = ways
            .iter()
            .filter_map(|way| Some((way, others(way)?)))
            .min_by_key(|(_, all)| all.iter().map(|found| found.changes.len()).sum::<usize>());
        let Some((way, chosen)) = chosen else {
            let methods = methods.iter().map(ToString::to_string).collect();
            return Err(ExamplesError::Apart { methods });
        };
        let toml = self.toml(name, way, &methods, &chosen);
        let others = methods.iter().zip(&candidates).zip(&chosen).map(|((name, list), chosen)| {
            let mut spelled: Vec<String> = list
                .iter()
                .filter(|other| self.way(other).as_ref() == Some(way))
                .map(|other| other.method.to_string())
                .filter(|other| *other != chosen.method.to_string())
                .collect();
            spelled.sort();
            spelled.dedup();
            ((*name).to_owned(), spelled)
        });
        Ok(FoundCourse { toml, others: others.collect() })
    }

    /// Finds a method's policies: those that courses know by its name, or else all.
    fn policies(
        &self,
        method: &str,
        session: &Session,
        monitor: &Arc<Monitor>,
        budget: u64,
        memory: Option<u64>,
    ) -> Result<Vec<Match>, ExamplesError> {
        let mut rows = self
            .examples
            .iter()
            .filter(|example| example.method == method)
            .map(|example| (example.board.clone(), example.counts));
        let Some((start, sought)) = rows.next() else { return Ok(Vec::new()) };
        let others: Vec<(Board, TargetCounts)> = rows.collect();
        let goal = self.goal.as_deref().map(|goal| read_goal(goal, &start)).transpose();
        let goal = goal.map_err(|error| ExamplesError::Goal(error.to_string()))?;
        let mut complete = true;
        for name in [Some(method), None] {
            let question = Question {
                start: &start,
                goal: goal.as_ref(),
                method: name,
                course: None,
                budget,
                memory,
                others: &others,
            };
            let matches = match matching(sought, &question, session, monitor, &|_| {}) {
                Err(CourseError::NoMethod { .. }) if name.is_some() => continue,
                matches => matches?,
            };
            complete = matches.complete;
            let found: Vec<Match> =
                matches.found.into_iter().filter(|found| self.way(found).is_some()).collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Err(ExamplesError::None { method: method.to_owned(), complete })
    }

    /// The rules that a program's methods share; nothing if no course can count that way.
    fn way(&self, found: &Match) -> Option<Way> {
        let Course { cost, jumps, .. } = &*Course::find(&found.course).ok()?;
        let [expanded, generated] = found.counting.figures(found.method.policy.goal)?;
        let asked = self.examples.iter().any(|example| example.counts.generated.is_some());
        let generated = asked.then_some(generated);
        let goal = found.goal.clone();
        Some(Way { goal, cost: cost.clone(), jumps: *jumps, expanded, generated })
    }

    /// Writes the course, with the examples as published figures.
    fn toml(&self, name: &str, way: &Way, methods: &[&str], chosen: &[&Match]) -> String {
        let Way { goal, cost, jumps, expanded, generated } = way;
        let goal = self.goal.as_deref().unwrap_or(goal);
        let has_queue = self.examples.iter().any(|example| example.counts.queue.is_some());
        let mut out = format!(
            "# Found from examples. docs/courses.md describes every key of this file.\n\n\
             name = {}\nabout = \"found from examples\"\ngoal = {}\n",
            toml_string(name),
            toml_string(goal)
        );
        if *cost != Costs::Unit {
            let _ = writeln!(out, "cost = {}", toml_string(&cost.to_string()));
        }
        if *jumps {
            out += "jumps = true\n";
        }
        for (name, found) in methods.iter().zip(chosen) {
            let (name, method) = (toml_string(name), toml_string(&found.method.to_string()));
            let _ = write!(out, "\n[[methods]]\nnames = [{name}]\nmethod = {method}\n");
        }
        let mut figures = vec![("expanded", *expanded)];
        figures.extend(generated.map(|generated| ("generated", generated)));
        if has_queue {
            figures.push(("queue", FigureKind::Queue));
        }
        out += "\n[figures]\n";
        let mut solved = String::new();
        for (key, figure) in &figures {
            let _ = writeln!(out, "{key} = \"{}\"", figure.name());
            let _ = writeln!(solved, "{key}: {{{key}}}");
        }
        out += "length = \"depth\"\n";
        let _ = write!(out, "\n[wording]\nsolved = \"\"\"\nlength: {{length}}\n{solved}\"\"\"\n");
        for CourseExample { board, method, counts } in &self.examples {
            let number = |key: &str| match key {
                "expanded" => Some(counts.expanded),
                "generated" => counts.generated,
                _ => counts.queue,
            };
            let known: Vec<(&str, u64)> =
                figures.iter().filter_map(|(key, _)| Some((*key, number(key)?))).collect();
            let keys: Vec<String> = known.iter().map(|(key, _)| format!("\"{key}\"")).collect();
            let numbers: Vec<String> = known.iter().map(|(_, n)| n.to_string()).collect();
            let what = format!("{board}, {method}: {}", keys.join("/").replace('"', ""));
            let _ = write!(
                out,
                "\n[[suite]]\nwhat = {}\nboard = {}\nmethod = {}\nfigures = [{}]\npublished = [{}]\n",
                toml_string(&what),
                toml_string(&board.to_string()),
                toml_string(method),
                keys.join(", "),
                numbers.join(", ")
            );
        }
        out
    }
}

/// The rules that a program's methods share.
#[derive(Clone, PartialEq, Debug)]
struct Way {
    goal: String,
    cost: Costs,
    jumps: bool,
    expanded: FigureKind,
    generated: Option<FigureKind>,
}

fn read_example(reader: &mut TomlReader<'_>, value: &TomlValue<'_>) -> Option<CourseExample> {
    let table = reader.table(value)?;
    reader.check_keys(table, &EXAMPLE_KEYS);
    let board = reader.required(table, "board", read_start);
    let method = reader.required(table, "method", |reader, value| {
        let text = reader.text(value)?;
        if text.text.trim().is_empty() || text.text.contains(',') {
            reader.fault(text.at, "a name is not empty and has no comma", None);
        }
        Some(text.text)
    });
    let count =
        |reader: &mut TomlReader<'_>, value: &TomlValue<'_>| reader.number(value, 0, u64::MAX);
    let expanded = reader.required(table, "expanded", count);
    let queue = reader.optional(table, "queue", count);
    let generated = reader.optional(table, "generated", count);
    let counts = TargetCounts { expanded: expanded?, queue, generated };
    Some(CourseExample { board: board?, method: method?, counts })
}
