//! Published figures beside ours.

mod files;
mod reports;

use std::fmt::Display;
use std::sync::Arc;

use serde::Serialize;
use taquin::{Board, Monitor, Report, Session, Watch};

use crate::convention::{Convention, CourseError, Value};

/// A published figure beside ours.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// The convention under which it was sought.
    pub course: &'static str,
    /// What was counted, and where.
    pub what: String,
    /// What is printed.
    pub published: String,
    /// What was found here, if it was run.
    pub ours: Option<String>,
    /// Whether they agree.
    pub verdict: Agreement,
    /// Why not, where they do not.
    pub note: Option<String>,
}

/// What comes of comparing a published figure with ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// They are equal.
    Equal,
    /// They differ, and should not.
    Differs,
    /// What was published is itself wrong.
    Misprint,
    /// What was published does not say enough to be reproduced.
    Open,
}

impl Agreement {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Differs => "differs",
            Self::Misprint => "misprint",
            Self::Open => "open",
        }
    }
}

/// Runs what a course or a paper published, tells of each figure, and says how many instances were
/// left out because they take long; `all` leaves none out. Ends early if the monitor is cancelled.
///
/// # Errors
/// Fails if there is no such convention.
pub fn reproduce(
    name: &str,
    all: bool,
    session: &Session,
    monitor: &Arc<Monitor>,
    tell: &mut dyn FnMut(Finding),
) -> Result<u64, CourseError> {
    let course = Convention::find(name)?;
    let mut bench = Bench { course, session, monitor, tell, all, left_out: 0 };
    let suite = match course.name {
        "ucr-list" => reports::ucr_list,
        "ucr-heap" => reports::ucr_heap,
        "cse5aif" => reports::cse5aif,
        "nxm" => reports::nxm,
        "columbia" => files::columbia,
        "princeton" => files::princeton,
        "42" => files::school42,
        "uta" => files::uta,
        _ => files::korf85,
    };
    // A suite that is cancelled has told what it knows.
    let _: Option<()> = suite(&mut bench);
    Ok(bench.left_out)
}

/// Where a course's figures are tried.
struct Bench<'a> {
    course: &'static Convention,
    session: &'a Session,
    monitor: &'a Arc<Monitor>,
    tell: &'a mut dyn FnMut(Finding),
    all: bool,
    left_out: u64,
}

impl Bench<'_> {
    /// A run as the course does it; `None` if it was cancelled.
    fn run(&self, method: &str, start: Board) -> Option<Report> {
        let method = self.course.method(Some(method)).ok()?.method;
        let report = self
            .session
            .run(&self.course.task(self.course.puzzle(start), method), Watch::by(self.monitor));
        (!self.monitor.is_cancelled()).then_some(report)
    }

    /// What the course prints about a run, the counts of these names with slashes between them.
    fn printed(&self, report: &Report, keys: &[&str]) -> String {
        let figures = self.course.figures(report);
        let number = |key: &&str| match figures.get(key) {
            Some(Value::Number(number)) => number.to_string(),
            _ => "-".to_owned(),
        };
        keys.iter().map(number).collect::<Vec<_>>().join("/")
    }

    /// Tells of a figure that should be equal.
    fn compare(&mut self, what: impl Into<String>, published: impl Display, ours: impl Display) {
        let (published, ours) = (published.to_string(), ours.to_string());
        let verdict = if published == ours { Agreement::Equal } else { Agreement::Differs };
        self.say(what.into(), published, Some(ours), verdict, None);
    }

    /// Tells of a figure that can't be equal, and why.
    fn explain(
        &mut self,
        what: impl Into<String>,
        published: impl Display,
        ours: Option<String>,
        verdict: Agreement,
        note: impl Into<String>,
    ) {
        self.say(what.into(), published.to_string(), ours, verdict, Some(note.into()));
    }

    fn say(
        &mut self,
        what: String,
        published: String,
        ours: Option<String>,
        verdict: Agreement,
        note: Option<String>,
    ) {
        let course = self.course.name;
        (self.tell)(Finding { course, what, published, ours, verdict, note });
    }
}

/// A board in the source.
fn board(text: &str) -> Board {
    text.parse().expect("the boards of courses are tested")
}
