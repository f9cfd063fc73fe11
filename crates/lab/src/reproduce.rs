//! Published figures compared with ours.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Board, Device, DeviceError, Event, Method, Monitor, OnDevice, Puzzle, Report, Session, Task,
    Tile, TraceNode, Verdict, Watch, inversion_table, is_reachable, read_board,
};
use taquin_search::named_enum;

use crate::course::{Course, CourseError, FigureKind, Published, PublishedRun, Value};

/// A published figure and ours.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FigureCheck {
    /// The name of the course.
    pub course: String,
    /// The figure and the board.
    pub what: String,
    /// The published figure.
    pub published: String,
    /// Our figure, if it was computed.
    pub ours: Option<String>,
    /// Whether they agree.
    pub verdict: Agreement,
    /// The reason why they differ.
    pub note: Option<String>,
    /// The search's time, if the course compares hard instances.
    pub seconds: Option<f64>,
}

named_enum! {
    /// The result of comparing a published figure with ours.
    pub enum Agreement: "verdict" {
        /// They are equal.
        Equal = "equal",
        /// They differ unexpectedly.
        Differs = "differs",
        /// The published figure is itself wrong.
        Misprint = "misprint",
        /// The publication does not say enough to reproduce the figure.
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
    #[error("{course} does not run on a device: kf02 and random24 do")]
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
    /// The course is one of many: leave out rows that take a minute, or days with `all`.
    pub one_of_many: bool,
    /// Where the searches run.
    pub on: Device,
}

impl Extent {
    /// Whether a row is left out, because it takes a long time.
    const fn leaves_out(self, row: &Published) -> bool {
        let Self { all, one_of_many, on } = self;
        match (on, row.hard) {
            (Device::Gpu, true) => false,
            (Device::Gpu, false) => true,
            (Device::Cpu, false) => row.long && !all,
            // One step less than requested: only these take days.
            (Device::Cpu, true) if all == one_of_many => row.long,
            (Device::Cpu, true) => one_of_many,
        }
    }
}

/// Returns a task that needs the tables of a course's figures, if they need any: these can be
/// prepared before.
pub fn tables_of(course: &Course, extent: Extent) -> Option<Task> {
    let is_searched = extent.on == Device::Cpu && (extent.all || !extent.one_of_many);
    let hard = course.suite.iter().find(|row| row.hard && is_searched)?;
    match &hard.run {
        Some(PublishedRun::Figures { board, method, .. }) => {
            Some(course.task(course.puzzle(board.clone()).ok()?, method.clone()))
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
    report: &mut dyn FnMut(FigureCheck),
) -> Result<u64, ReproduceError> {
    if course.suite.is_empty() {
        return Err(ReproduceError::NoFigures { course: course.name.clone() });
    }
    if extent.on == Device::Gpu && !course.suite.iter().any(|row| row.hard) {
        return Err(ReproduceError::NotOnGpu { course: course.name.clone() });
    }
    let mut bench = Bench { course, session, monitor, report, extent, left_out: 0 };
    match course.suite.iter().try_for_each(|row| bench.row(row)) {
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
    report: &'a mut dyn FnMut(FigureCheck),
    extent: Extent,
    left_out: u64,
}

impl Bench<'_> {
    fn puzzle(&self, board: &Board) -> Puzzle {
        self.course.puzzle(board.clone()).expect("a course is read with its boards")
    }

    fn search(&self, method: Method, start: &Board) -> Result<Report, Stop> {
        let mut task = self.course.task(self.puzzle(start), method);
        // The figures do not depend on the number of threads.
        task.threads = std::thread::available_parallelism().map_or(1, Into::into);
        let watch = Watch::by(self.monitor);
        let report = match self.extent.on {
            Device::Cpu => self.session.run(&task, watch),
            Device::Gpu => self.session.run(OnDevice(&task), watch).map_err(Stop::Gpu)?,
        };
        match self.monitor.is_cancelled() {
            true => Err(Stop::Cancelled),
            false => Ok(report),
        }
    }

    /// The figures with these names as the course prints them, with slashes between them.
    fn printed(&self, report: &Report, keys: &[String], unsolved: &str) -> String {
        let figure = |value| match value {
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Text(text)) => text,
            Some(Value::Directions(list)) => list.join(", "),
            Some(Value::Steps(list)) => list.join(", "),
            _ => unsolved.to_owned(),
        };
        self.values(report, keys).map(figure).collect::<Vec<_>>().join("/")
    }

    /// The figures with these names.
    fn values(&self, report: &Report, keys: &[String]) -> impl Iterator<Item = Option<Value>> {
        let figures = self.course.figures(report);
        keys.iter().map(move |key| {
            let own = figures.get(key).cloned();
            own.or_else(|| Some(FigureKind::named(key)?.value(report)))
        })
    }

    /// The means of figures over all boards, rounded, with slashes between them.
    fn means(
        &self,
        boards: &[Board],
        method: &Method,
        keys: &[String],
    ) -> Result<Option<String>, Stop> {
        let mut sums = vec![0; keys.len()];
        for board in boards {
            let report = self.search(method.clone(), board)?;
            for (sum, value) in sums.iter_mut().zip(self.values(&report, keys)) {
                let Some(Value::Number(number)) = value else { return Ok(None) };
                *sum += number;
            }
        }
        let count = boards.len() as u64;
        let mean = |sum: u64| ((2 * sum + count) / (2 * count)).to_string();
        Ok(Some(sums.into_iter().map(mean).collect::<Vec<_>>().join("/")))
    }

    /// Compares the results that a row in the course's file lists.
    fn row(&mut self, row: &Published) -> Result<(), Stop> {
        let is_left_out = self.extent.leaves_out(row);
        if is_left_out && row.actual.is_none() {
            self.left_out += 1;
            return Ok(());
        }
        // A device searches with other rules, so that only the first figure, the length, is the
        // same.
        let compared = if self.extent.on == Device::Gpu { 1 } else { usize::MAX };
        let text = |values: &[String]| {
            values.iter().take(compared).map(String::as_str).collect::<Vec<_>>().join("/")
        };
        let what: Vec<&str> = row.what.split('/').take(compared).collect();
        let mut seconds = None;
        let ours = match row.run.as_ref().filter(|_| !is_left_out) {
            None => None,
            Some(PublishedRun::Figures { board, method, keys, unsolved }) => {
                let mut method = method.clone();
                if self.extent.on == Device::Gpu {
                    method =
                        method.with_fields("on=gpu").map_err(|error| Stop::Course(error.into()))?;
                }
                let report = self.search(method, board)?;
                seconds = Some(report.seconds).filter(|_| row.hard);
                let keys = &keys[..keys.len().min(compared)];
                Some(match report.optimal || !row.hard {
                    true => self.printed(&report, keys, unsolved),
                    // A length that is not proven is no shortest one.
                    false => "not solved".to_owned(),
                })
            }
            Some(PublishedRun::Means { boards, method, keys }) => {
                let means = self.means(boards, method, keys)?;
                Some(means.unwrap_or_else(|| "not solved".to_owned()))
            }
            Some(PublishedRun::SmallerAfter(board, tile)) => {
                let puzzle = self.puzzle(board);
                let after = inversion_table(&puzzle).find(|row| row.tile == *tile);
                let after = after.map(|row| row.precedes).unwrap_or_default();
                Some(after.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            }
            Some(PublishedRun::Estimate(board, estimate)) => {
                let puzzle = self.puzzle(board);
                let evaluator = self.session.evaluator(estimate, &puzzle, &self.course.cost).ok();
                evaluator.map(|evaluator| evaluator.estimate(puzzle.start()).to_string())
            }
            Some(PublishedRun::Queue(board, method, removed)) => {
                Some(self.queue(board, method.clone(), *removed))
            }
            Some(PublishedRun::Solvable(board)) => {
                let puzzle = self.puzzle(board);
                Some(if is_reachable(&puzzle) { "solvable" } else { "unsolvable" }.to_owned())
            }
            Some(PublishedRun::Text(text)) => {
                let is_board = read_board(text, None).is_ok();
                Some(if is_board { "a board" } else { "no board" }.to_owned())
            }
        };
        let published = text(&row.published);
        let actual = row.actual.as_deref().map(text);
        let verdict = match &ours {
            None if actual.is_some() => Agreement::Misprint,
            None => Agreement::Open,
            Some(ours) if actual.as_ref() == Some(ours) => Agreement::Misprint,
            Some(ours) if actual.is_none() && *ours == published => Agreement::Equal,
            Some(_) => Agreement::Differs,
        };
        let why_not = if is_left_out { "; not computed in this run" } else { "" };
        let note = row.note.as_ref().map(|note| format!("{note}{why_not}"));
        let (course, what) = (self.course.name.clone(), what.join("/"));
        (self.report)(FigureCheck { course, what, published, ours, verdict, note, seconds });
        Ok(())
    }

    /// The queue after `removed` nodes were removed, with `g+h:tiles` for each node.
    fn queue(&self, start: &Board, method: Method, removed: usize) -> String {
        let describe = |node: &TraceNode| {
            let tiles: String = node.board.iter().map(Tile::to_string).collect();
            format!("{}+{}:{tiles}", node.g, node.h)
        };
        let mut open: BTreeMap<u64, TraceNode> = BTreeMap::new();
        let mut queues = Vec::new();
        let mut listen = |event| match event {
            Event::Generate { verdict: Verdict::Kept, node } => drop(open.insert(node.id, node)),
            Event::Expand(node) | Event::Goal(node) => {
                let id = node.id;
                open.insert(id, node);
                let mut queue: Vec<String> = open.values().map(describe).collect();
                queue.sort_unstable();
                queues.push(queue.join(" "));
                open.remove(&id);
            }
            _ => {}
        };
        let task = self.course.task(self.puzzle(start), method);
        self.session.run(&task, Watch::by(self.monitor).with_events(&mut listen));
        queues.into_iter().nth(removed).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the help of `taquin reproduce` says.
    #[test]
    fn an_extent_leaves_out_what_takes_longer() {
        let left_out = |name: &str, all, one_of_many| {
            let extent = Extent { all, one_of_many, on: Device::Cpu };
            let suite = &Course::find(name).unwrap().suite;
            suite.iter().filter(|row| extent.leaves_out(row)).count()
        };
        for (name, rows, takes_long) in [("korf85", 100, 63), ("kf02", 50, 45)] {
            let is_hard = name == "kf02";
            assert_eq!(Course::find(name).unwrap().suite.len(), rows);
            assert_eq!(left_out(name, false, false), takes_long, "{name}");
            assert_eq!(left_out(name, true, false), 0, "{name} --long");
            assert_eq!(left_out(name, false, true), if is_hard { 50 } else { 63 }, "all");
            assert_eq!(left_out(name, true, true), if is_hard { 45 } else { 0 }, "all --long");
        }
        for course in Course::built_in() {
            let is_slow = left_out(&course.name, true, true) > 0;
            let is_expected = ["kf02", "random24"].contains(&course.name.as_str());
            assert_eq!(is_slow, is_expected, "{}", course.name);
        }
    }
}
