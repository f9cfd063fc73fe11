//! The searches of an experiment, and their keys in a store.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;

use taquin::{Cost, Costs, Task, TaskLimits};
use taquin_lab::instances::Instance;
use taquin_lab::{Course, CourseMethod, Courses, Request, RequestError, ResolvedRequest, Setting};
use xxhash_rust::xxh3::xxh3_128;

/// One search of an experiment.
#[derive(Clone, PartialEq, Debug)]
pub struct ExperimentRun {
    /// The name of the puzzle.
    pub label: String,
    /// The instance set that the puzzle belongs to.
    pub source: String,
    /// The cost of the cheapest solution, if it is known in advance.
    pub known: Option<Cost>,
    /// The name of the method in tables and charts.
    pub name: String,
    /// The course or paper whose rules are followed.
    pub course: Option<Arc<Course>>,
    /// The number of the repetition, from 1.
    pub repeat: u32,
    /// A method with the caller's heuristic instead of its own, such as `astar:wrong()`. The
    /// parentheses distinguish it from other methods.
    pub own: Option<String>,
    /// The task.
    pub task: Task,
}

/// The methods that courses compare.
pub const USUAL_METHODS: [&str; 3] = ["ucs", "astar:misplaced", "astar:manhattan"];

/// A method with its name in tables and charts, and the rules under which it runs.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedSetting {
    /// The name.
    pub name: String,
    /// Everything but the puzzle.
    pub setting: Setting,
    /// A method with the caller's heuristic, as in an [`ExperimentRun`].
    pub own: Option<String>,
}

impl NamedSetting {
    /// Checks a request for one method. A course's method keeps its name from the course, with the
    /// fields that the request changes.
    ///
    /// # Errors
    /// Fails if the request is not valid.
    pub fn new(request: &Request) -> Result<Self, RequestError> {
        let setting = request.setting(Courses::Files)?;
        let mut name = setting.method_name.clone();
        if let Some(course) = &setting.course {
            let is_own = |own: &&CourseMethod| own.names.first() == Some(&name);
            let own = course.methods.iter().find(is_own);
            name = own.map_or(name.as_str(), |own| own.title()).to_owned();
            if let Some((_, changes)) =
                request.method.as_deref().and_then(|text| text.split_once(','))
            {
                name = format!("{name},{changes}");
            }
        }
        Ok(Self { name, setting, own: None })
    }

    /// Checks a request for every method of its course.
    ///
    /// # Errors
    /// Fails if the request is not valid.
    pub fn all(request: &Request) -> Result<Vec<Self>, RequestError> {
        let setting = request.setting(Courses::Files)?;
        let methods = setting.course.iter().flat_map(|course| &course.methods);
        methods
            .map(|own| {
                Self::new(&Request { method: own.names.first().cloned(), ..request.clone() })
            })
            .collect()
    }

    /// Checks a request for the methods to compare: `methods`, or its course's methods, or
    /// [`USUAL_METHODS`]. A method that is named twice is compared once.
    ///
    /// # Errors
    /// Fails if the request is not valid.
    pub fn compared(request: &Request, methods: &[String]) -> Result<Vec<Self>, RequestError> {
        let named = |method: &str| {
            Self::new(&Request { method: Some(method.to_owned()), ..request.clone() })
        };
        let mut settings: Vec<Self> = match (&request.course, methods) {
            (None, []) => USUAL_METHODS.into_iter().map(named).collect::<Result<_, _>>()?,
            (Some(_), []) => Self::all(request)?,
            (_, methods) => methods.iter().map(|text| named(text)).collect::<Result<_, _>>()?,
        };
        let mut names = HashSet::new();
        settings.retain(|setting| names.insert(setting.name.clone()));
        Ok(settings)
    }

    /// Returns the first run on the puzzle of an instance.
    pub fn run(&self, instance: &Instance) -> ExperimentRun {
        let ResolvedRequest { task, course, .. } =
            self.setting.with_puzzle(instance.puzzle.clone());
        ExperimentRun {
            label: instance.label.clone(),
            source: instance.source.clone(),
            known: instance.known.filter(|_| task.cost == Costs::Unit),
            name: self.name.clone(),
            course,
            repeat: 1,
            own: self.own.clone(),
            task,
        }
    }
}

impl ExperimentRun {
    /// Returns the run's key in a store: a hash over everything that determines its result.
    ///
    /// The key does not include the limits. They end a search but do not change it, so you can
    /// raise a limit and repeat the searches that it ended. Only methods that divide their time or
    /// nodes between stages, such as `auto`, search differently under other limits.
    pub fn key(&self) -> String {
        let Task { puzzle, method, cost, jumps, threads, limits, .. } = &self.task;
        // Version 1 abbreviated methods that have no order of moves.
        let spelling = match method.algorithm.has_moves() {
            true => method.in_full(),
            false => method.to_string(),
        };
        let mut text = format!(
            "start={}\ngoal={}\nmethod={spelling}\ncosts={cost}\njumps={jumps}\ncourse={}\nthreads={threads}\nrepeat={}\n",
            puzzle.start(),
            puzzle.goal(),
            self.course.as_ref().map_or("", |course| &course.name),
            self.repeat,
        );
        if method.algorithm.divides_limits() {
            let TaskLimits { seconds, memory, expanded, .. } = limits;
            let _ = writeln!(text, "time={seconds:?}\nmemory={memory:?}");
            // Keys in version 1 have no node limit.
            if let Some(nodes) = expanded {
                let _ = writeln!(text, "nodes={nodes}");
            }
        }
        if let Some(own) = &self.own {
            let _ = writeln!(text, "own={own}");
        }
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }
}
