//! Published figures compared with ours.

mod files;

use std::fmt::Display;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Board, DeviceError, Method, Monitor, On, Report, Session, Task, Watch, inversion_table,
};
use taquin_search::named_enum;

use crate::course::{Course, CourseError, NamedSuite, Published, PublishedWhat, Suite, Value};

/// A published figure and ours.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// The name of the course.
    pub course: String,
    /// What is counted, and where.
    pub what: String,
    /// The published figure.
    pub published: String,
    /// Our figure, if it was computed.
    pub ours: Option<String>,
    /// Whether they agree.
    pub verdict: Agreement,
    /// Why they do not agree.
    pub note: Option<String>,
    /// The time that the search took, where the course compares hard instances.
    pub seconds: Option<f64>,
}

named_enum! {
    /// The result of comparing a published figure with ours.
    pub enum Agreement: "verdict" {
        /// They are equal.
        Equal = "equal",
        /// They differ, and should not.
        Differs = "differs",
        /// The published figure is itself wrong.
        Misprint = "misprint",
        /// What was published is not enough to reproduce the figure.
        Open = "open",
    }
}

/// Why nothing was reproduced.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// The course has no published figures.
    #[error("{course} has no published figures to reproduce")]
    NoFigures {
        /// The name of the course.
        course: String,
    },
    /// The suite needs a method that the course does not have.
    #[error(transparent)]
    Course(#[from] CourseError),
    /// The suite has nothing that runs on a device.
    #[error("{course} does not run on a device: kf02 does")]
    NotOnGpu {
        /// The name of the course.
        course: String,
    },
    /// The device cannot be used.
    #[error(transparent)]
    Gpu(DeviceError),
}

/// Which figures are computed, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Leave no instance out, however long it takes.
    pub all: bool,
    /// The course is one of many: leave out what takes a minute, or days with `all`.
    pub one_of_many: bool,
    /// Where the searches run.
    pub on: On,
}

/// Returns a task that needs the tables of a course's figures, if they need any: these can be
/// prepared before.
pub fn tables_of(course: &Course, extent: Extent) -> Option<Task> {
    let is_searched = extent.on == On::Cpu && (extent.all || !extent.one_of_many);
    match course.suite {
        Suite::Named(NamedSuite::Kf02) if is_searched => {
            let board = files::kf02_instances().next()?.board;
            Some(course.task(course.puzzle(board), course.method(None).ok()?.method))
        }
        _ => None,
    }
}

/// Computes the figures that a course or a paper published, and passes each to `report` as soon as
/// it is known. Returns the number of instances that were left out because they take long. Ends
/// early if the monitor is cancelled.
///
/// # Errors
/// Fails if the course has no published figures, or not the methods for them, or if its searches
/// cannot run on a device.
pub fn reproduce(
    course: &Course,
    extent: Extent,
    session: &Session,
    monitor: &Arc<Monitor>,
    report: &mut dyn FnMut(Finding),
) -> Result<u64, ReproduceError> {
    if extent.on == On::Gpu && course.suite != Suite::Named(NamedSuite::Kf02) {
        return Err(ReproduceError::NotOnGpu { course: course.name.clone() });
    }
    let mut bench = Bench { course, session, monitor, report, extent, left_out: 0 };
    let result = match &course.suite {
        Suite::None => {
            return Err(ReproduceError::NoFigures { course: course.name.clone() });
        }
        Suite::Listed(rows) => rows.iter().try_for_each(|row| bench.row(row)),
        Suite::Named(NamedSuite::Columbia) => files::columbia(&mut bench),
        Suite::Named(NamedSuite::Princeton) => files::princeton(&mut bench),
        Suite::Named(NamedSuite::School42) => files::school42(&mut bench),
        Suite::Named(NamedSuite::Korf85) => files::korf85(&mut bench),
        Suite::Named(NamedSuite::Kf02) => files::kf02(&mut bench),
    };
    match result {
        Ok(()) | Err(Stop::Cancelled) => Ok(bench.left_out),
        Err(Stop::Course(error)) => Err(error.into()),
        Err(Stop::Gpu(error)) => Err(ReproduceError::Gpu(error)),
    }
}

/// Why a suite ended before its last figure.
enum Stop {
    Cancelled,
    Course(CourseError),
    Gpu(DeviceError),
}

/// Computes a course's figures and compares them.
struct Bench<'a> {
    course: &'a Course,
    session: &'a Session,
    monitor: &'a Arc<Monitor>,
    report: &'a mut dyn FnMut(Finding),
    extent: Extent,
    left_out: u64,
}

impl Bench<'_> {
    /// Runs a method of the course, by its name there.
    fn run(&self, method: &str, start: Board) -> Result<Report, Stop> {
        let choice = self.course.method(Some(method)).map_err(Stop::Course)?;
        self.search(choice.method, start)
    }

    fn search(&self, method: Method, start: Board) -> Result<Report, Stop> {
        let mut task = self.course.task(self.course.puzzle(start), method);
        // The figures do not depend on the number of threads.
        task.threads = std::thread::available_parallelism().map_or(1, Into::into);
        let report = match self.extent.on {
            On::Cpu => self.session.run(&task, Watch::by(self.monitor)),
            On::Gpu => self.session.run_on_device(&task, self.monitor).map_err(Stop::Gpu)?,
        };
        match self.monitor.is_cancelled() {
            true => Err(Stop::Cancelled),
            false => Ok(report),
        }
    }

    /// A figure as the course prints it.
    fn figure(&self, report: &Report, key: &str) -> String {
        match self.course.figures(report).get(key) {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Text(text)) => text.clone(),
            Some(Value::Directions(list)) => list.join(", "),
            Some(Value::Steps(list)) => list.join(", "),
            _ => "-".to_owned(),
        }
    }

    /// The figures with these names, with slashes between them.
    fn printed(&self, report: &Report, keys: &[impl AsRef<str>]) -> String {
        let figures: Vec<String> =
            keys.iter().map(|key| self.figure(report, key.as_ref())).collect();
        figures.join("/")
    }

    /// Compares what a row of the course's file lists.
    fn row(&mut self, row: &Published) -> Result<(), Stop> {
        let (what, published) = (row.what.clone(), row.published.join("/"));
        if row.long && !self.extent.all {
            self.left_out += 1;
            return Ok(());
        }
        let ours = match &row.run {
            None => None,
            Some((board, PublishedWhat::Figures { method, keys })) => {
                let report = self.search(method.clone(), board.clone())?;
                Some(self.printed(&report, keys))
            }
            Some((board, PublishedWhat::SmallerAfter(tile))) => {
                let puzzle = self.course.puzzle(board.clone());
                let after = inversion_table(&puzzle).find(|row| row.tile == *tile);
                let after = after.map(|row| row.precedes).unwrap_or_default();
                Some(after.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            }
        };
        let actual = row.actual.as_ref().map(|actual| actual.join("/"));
        let verdict = match &ours {
            None => Agreement::Open,
            Some(ours) if actual.as_ref() == Some(ours) => Agreement::Misprint,
            Some(ours) if actual.is_none() && *ours == published => Agreement::Equal,
            Some(_) => Agreement::Differs,
        };
        self.say(what, published, ours, verdict, row.note.clone());
        Ok(())
    }

    /// Reports a figure that should be equal.
    fn compare(&mut self, what: impl Into<String>, published: impl Display, ours: impl Display) {
        self.compare_timed(what.into(), published, ours, None);
    }

    /// Reports a figure that should be equal, with the time that its search took.
    fn compare_timed(
        &mut self,
        what: String,
        published: impl Display,
        ours: impl Display,
        seconds: Option<f64>,
    ) {
        let (published, ours) = (published.to_string(), ours.to_string());
        let verdict = if published == ours { Agreement::Equal } else { Agreement::Differs };
        let course = self.course.name.clone();
        let ours = Some(ours);
        (self.report)(Finding { course, what, published, ours, verdict, note: None, seconds });
    }

    fn say(
        &mut self,
        what: String,
        published: String,
        ours: Option<String>,
        verdict: Agreement,
        note: Option<String>,
    ) {
        let course = self.course.name.clone();
        (self.report)(Finding { course, what, published, ours, verdict, note, seconds: None });
    }
}
