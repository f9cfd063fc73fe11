//! The check that ends a search: its tables are as they were, and its result contradicts nothing
//! that is known without them.
//!
//! A search notes every table that it uses. If a table's file has changed meanwhile, the result is
//! discarded, and the search runs once more with tables that are loaded or built again. An alarm
//! stops such a search early: with damaged tables it might never end.
//!
//! The other checks cost next to nothing. They cannot prove that a table is right, but a table that
//! is wrong in many places does not get past them. A result that contradicts itself is replaced by
//! a report that claims nothing.
//!
//! An engine that trusts its estimates finds only solutions that fit them, so these reveal little
//! about the tables. A solution constructed without tables reveals more: no estimate for a board on
//! it may exceed the number of remaining moves.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use taquin_search::{Heuristic, Instant, Limits, Monitor, Outcome};
use taquin_solvers::layers;
use taquin_tables::whole::Metric;
use taquin_tiles::packed::{Layout, Tiles, Wide};
use taquin_tiles::{Board, Costs, Linear, Puzzle, Slide, is_reachable};

use crate::heuristic::Estimate;
use crate::report::{Ending, Hint, Reason, Report};
use crate::session::Session;
use crate::tables::Table;
use crate::task::{Task, TaskLimits};

/// The time between two looks at the files of tables.
const ALARM_INTERVAL: Duration = Duration::from_millis(20);

impl Session {
    /// The same session for one search: the tables that it uses are noted.
    pub(crate) fn for_search(&self) -> Self {
        Self { tables: Arc::new(self.tables.for_search()), ..self.clone() }
    }

    /// Returns a monitor for a search in this session, which is cancelled when one of its tables
    /// changes.
    pub(crate) fn guarded(&self, monitor: &Arc<Monitor>) -> Arc<Monitor> {
        let (tables, last) = (Arc::clone(&self.tables), Mutex::new((Instant::now(), false)));
        Arc::new(Monitor::guarded(monitor, move || {
            // Another thread is looking.
            let Ok(mut last) = last.try_lock() else { return false };
            if !last.1 && last.0.elapsed() > ALARM_INTERVAL {
                *last = (Instant::now(), !tables.are_intact());
            }
            last.1
        }))
    }

    /// Runs a task's search and checks its result. If a table was changed meanwhile, the search
    /// runs once more within the remaining limits, provided that it `may_repeat`.
    pub(crate) fn checked(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        may_repeat: bool,
        mut search: impl FnMut(&Self, &Task, Arc<Monitor>) -> Report,
    ) -> Report {
        let first = self.for_search();
        let report = search(&first, task, first.guarded(monitor));
        let is_repeated = may_repeat && !first.tables.are_intact() && !monitor.is_cancelled();
        let Some(limits) = left(&task.limits, &report).filter(|_| is_repeated) else {
            return first.without_contradiction(task, report);
        };
        self.tables.forget(task.puzzle.goal());
        monitor.withdraw();
        let second = self.for_search();
        let rest = Task { limits, ..task.clone() };
        let report = search(&second, &rest, second.guarded(monitor));
        let mut report = second.without_contradiction(task, report);
        report.notes.push(format!("{CHANGED}, so the search ran again"));
        report
    }

    /// Runs work that reads tables outside a search. If a table's file changes meanwhile, the work
    /// runs once more with tables that are loaded or built again.
    ///
    /// # Errors
    /// Fails if a table changes again.
    ///
    /// ```
    /// # use taquin::{Board, Monitor, Session, Task};
    /// let task = Task { method: "ida:pdb=1.2.3/4.5.6/7.8".parse()?, ..Board::into("867254301".parse()?) };
    /// let session = Session::without_folder();
    /// let goal = task.puzzle.goal();
    /// session.with_intact_tables(goal, |session| {
    ///     session.prepare(&task, &Monitor::default(), &mut |_| ())
    /// })??;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_intact_tables<T>(
        &self,
        goal: &Board,
        mut work: impl FnMut(&Self) -> T,
    ) -> Result<T, ChangedTables> {
        for _ in 0..2 {
            let session = self.for_search();
            let result = work(&session);
            if session.tables.are_intact() {
                return Ok(result);
            }
            self.tables.forget(goal);
        }
        Err(ChangedTables)
    }

    /// Returns the report of a task, or one that claims nothing if the report contradicts itself or
    /// a table that this session noted is not intact.
    pub(crate) fn without_contradiction(&self, task: &Task, report: Report) -> Report {
        let used = self.tables.used();
        let names_tables = report
            .stages
            .iter()
            .any(|stage| stage.method.estimate.iter().any(Estimate::has_tables));
        if used.is_empty() && !names_tables {
            return report;
        }
        let Some(fact) = contradiction(task, &report, &used) else { return report };
        // The next user of the tables loads them again.
        self.tables.forget(task.puzzle.goal());
        let claims_nothing = Report::unsearched(task, Ending::Stopped, Reason::Contradiction);
        Report {
            counts: report.counts,
            seconds: report.seconds,
            stages: report.stages,
            notes: vec![fact],
            hints: vec![Hint::VerifyTables],
            ..claims_nothing
        }
    }
}

/// Returns a search's remaining limits, if anything remains.
fn left(limits: &TaskLimits, report: &Report) -> Option<TaskLimits> {
    let seconds = limits.seconds.map(|most| most - report.seconds);
    let expanded = limits.expanded.map(|most| most.saturating_sub(report.counts.expanded));
    let generated = limits.generated.map(|most| most.saturating_sub(report.counts.generated));
    let is_left =
        seconds.is_none_or(|left| left > 0.0) && expanded != Some(0) && generated != Some(0);
    is_left.then(|| TaskLimits { expanded, generated, seconds, ..limits.clone() })
}

const CHANGED: &str = "a table's file was changed while it was in use";

/// The files of tables change again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{CHANGED}")]
pub struct ChangedTables;

/// Returns what is wrong with a result.
fn contradiction(task: &Task, report: &Report, used: &[Arc<dyn Table>]) -> Option<String> {
    if !used.iter().all(|table| table.is_intact()) {
        return Some(CHANGED.to_owned());
    }
    if report.reason == Some(Reason::Contradiction) {
        return Some("the solution that was found does not lead to the goal".to_owned());
    }
    if report.outcome == Ending::Exhausted && is_reachable(&task.puzzle) {
        return Some("the puzzle is solvable, but no solution was found in the tables".to_owned());
    }
    if let Some(fact) = report.contradiction() {
        return Some(fact);
    }
    let is_plain = task.cost == Costs::Unit
        && !task.jumps
        && report.stages.iter().all(|stage| stage.method.metric == Metric::Single);
    is_plain.then(|| against_moves(&task.puzzle, report, used)).flatten()
}

/// Compares the claims about the number of moves with closed-form heuristics, and the estimates
/// with solutions: the found one, and for longer searches one that is constructed without them.
fn against_moves(puzzle: &Puzzle, report: &Report, used: &[Arc<dyn Table>]) -> Option<String> {
    if let Some(moves) = &report.moves {
        let length = moves.len() as u32;
        let linear = Linear::new(puzzle, &Costs::Unit);
        let state = Wide::state(puzzle.start().tiles());
        let least = Heuristic::<Tiles<Wide>>::estimate(&linear, &state);
        if report.optimal && (length < least || length % 2 != parity(puzzle)) {
            return Some(format!("a solution of {length} moves is impossible"));
        }
        if let Some(fact) = against_solution(puzzle, moves, used) {
            return Some(fact);
        }
    }
    if report.moves.is_some() && report.counts.generated < LONG_SEARCH_NODES {
        return None;
    }
    let Outcome::Solved(constructed) = layers(puzzle, &Limits::default()).outcome else {
        return None;
    };
    let (bound, length) = (report.lower_bound.unwrap_or(0), constructed.cost);
    match bound > length {
        true => Some(format!(
            "the tables say that at least {bound} moves are needed, and {length} are enough"
        )),
        false => against_solution(puzzle, &constructed.actions, used),
    }
}

/// Searches that generate fewer nodes take about as long as constructing a solution.
const LONG_SEARCH_NODES: u64 = 100_000;

/// Compares the estimates for all boards on a solution with the remaining moves.
fn against_solution(puzzle: &Puzzle, moves: &[Slide], used: &[Arc<dyn Table>]) -> Option<String> {
    let mut board = puzzle.start().clone();
    let mut moves = moves.iter();
    loop {
        let left = moves.len() as u32;
        let state = Wide::state(board.tiles());
        for estimate in used.iter().map(|table| table.estimate(&state)) {
            if estimate > left {
                return Some(format!(
                    "the tables say that {board} needs at least {estimate} moves, and {left} are enough"
                ));
            }
        }
        board.slide(*moves.next()?).ok()?;
    }
}

/// Returns the parity of every solution's length: each move changes the sum of the blanks' rows and
/// columns by one.
fn parity(puzzle: &Puzzle) -> u32 {
    let sum = |board: &Board| -> usize {
        let cols = board.size().cols();
        board.blanks().map(|cell| usize::from(cell) / cols + usize::from(cell) % cols).sum()
    };
    (sum(puzzle.start()) + sum(puzzle.goal())) as u32 % 2
}
