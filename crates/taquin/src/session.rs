//! Solving: at once, while somebody watches, or in the background.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use taquin_fast::Journal;
use taquin_search::{Counts, Improvement, Limits, Monitor, Outcome, Progress, Search, Solution};
use taquin_tables::{BuildError, Partition, TableStore, TableStoreError};
use taquin_tiles::{
    Board, Costs, Notation, Proof, Puzzle, Slide, SlideError, reachability, replay, write_moves,
};

use crate::auto::{Found, anytime, auto, layers};
use crate::estimate::Estimate;
use crate::guide::Guide;
use crate::method::{Algorithm, USUAL_PRUNE};
use crate::report::{Ending, Reason, Report};
use crate::run::run;
use crate::tables::{Evaluator, TableError, TableEvent, Tables, Wanted};
use crate::task::Task;
use crate::trace::Event;
use crate::whole::SpaceError;

/// Solves tasks, and keeps what several of them need.
#[derive(Clone, Debug, Default)]
pub struct Session {
    pub(crate) tables: Arc<Tables>,
}

impl Session {
    /// A new session.
    pub fn new() -> Self {
        Self::default()
    }

    /// A session that keeps its tables in a folder of its own.
    pub fn with_folder(folder: impl Into<PathBuf>) -> Self {
        Self { tables: Arc::new(Tables::new(Some(TableStore::new(folder)))) }
    }

    /// A session that keeps its tables in memory alone.
    pub fn without_folder() -> Self {
        Self { tables: Arc::new(Tables::new(None)) }
    }

    /// Solves a task.
    pub fn solve(&self, task: &Task) -> Report {
        self.work(task, &Arc::default(), None)
    }

    /// Solves a task, and tells of every step of the search.
    pub fn trace(&self, task: &Task, tell: &mut dyn FnMut(Event)) -> Report {
        self.work(task, &Arc::default(), Some(tell))
    }

    /// Starts to solve a task in the background.
    pub fn start(&self, task: Task) -> Job {
        let monitor = Arc::new(Monitor::default());
        let (session, watched) = (self.clone(), Arc::clone(&monitor));
        let handle = std::thread::spawn(move || session.work(&task, &watched, None));
        Job { monitor, handle }
    }

    /// Solves a task as [`solve`](Self::solve) or [`trace`](Self::trace) do, under a monitor of the
    /// caller's, through which it can be watched and cancelled.
    pub fn work(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        tell: Option<&mut dyn FnMut(Event)>,
    ) -> Report {
        let started = Instant::now();
        if let Some(refused) = refuse(task, started) {
            return refused;
        }
        let limits = limits(task, monitor);
        let looked_up = match task.method.algorithm {
            Algorithm::Table if task.cost != Costs::Unit => {
                Some(Err((Reason::Tables, COSTS.to_owned())))
            }
            Algorithm::Table => Some(self.look_up(task, &limits).map_err(|error| match error {
                SpaceError::Explore(_) => (Reason::Memory, error.to_string()),
                _ => (Reason::Tables, error.to_string()),
            })),
            Algorithm::Auto => self.look_up_kept(task).map(|(search, _)| {
                Ok((search, vec!["chose table, since that of this goal is kept".to_owned()]))
            }),
            _ => None,
        };
        match looked_up {
            Some(Ok((search, notes))) => return report(task, search, notes, started),
            Some(Err((reason, why))) => {
                let stopped = unsearched(task, Ending::Stopped, reason, started);
                return Report { notes: vec![why], lower_bound: Some(0), ..stopped };
            }
            None => {}
        }
        let several = match task.method.algorithm {
            Algorithm::Auto => Some(auto(task, &self.tables, &limits)),
            Algorithm::Layers => Some(layers(task, &self.tables, &limits)),
            Algorithm::Anytime => Some(anytime(task, &self.tables, &limits)),
            _ => None,
        };
        if let Some(Found { search, notes, improvements }) = several {
            return Report { improvements, ..report(task, search, notes, started) };
        }
        match self.guide(task, monitor, &mut |_| ()) {
            Ok(guide) => {
                let quick = match tell {
                    None => self.tables.quickly(task, &guide, &limits),
                    Some(_) => None,
                };
                let mut notes = Vec::new();
                if quick.is_none() && task.method.prune != USUAL_PRUNE {
                    notes.push(
                        "prune has no effect here, where no specialised engine searches".into(),
                    );
                }
                let search =
                    quick.unwrap_or_else(|| run(task, &task.method, &guide, &limits, tell));
                report(task, search, notes, started)
            }
            Err(error) => without_tables(task, &error, started),
        }
    }

    /// Solves a task with a journal, if there is an engine that keeps one.
    pub(crate) fn by_journal(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        journal: Journal<'_>,
    ) -> Option<Report> {
        let started = Instant::now();
        if let Some(refused) = refuse(task, started) {
            return Some(refused);
        }
        let guide = match self.guide(task, monitor, &mut |_| ()) {
            Ok(guide) => guide,
            Err(error) => return Some(without_tables(task, &error, started)),
        };
        let solver = self.tables.solver_of(task, &guide)?;
        let limits = limits(task, monitor);
        let search = solver.solve_in_parts(task.puzzle.start(), task.threads, &limits, journal)?;
        Some(report(task, search, Vec::new(), started))
    }

    /// Loads or builds the tables that a task needs, so that solving it need not; says how it goes.
    ///
    /// # Errors
    /// Fails if they can't be had: then [`solve`](Self::solve) would end without a search.
    pub fn prepare(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<(), TableError> {
        self.guide(task, monitor, report).map(|_| ())
    }

    /// Whether the databases of a partition are at hand, so that nothing has to be built.
    pub fn has_tables(&self, goal: &Board, partition: &Partition) -> bool {
        self.tables.has(partition, goal)
    }

    /// A heuristic for the goal of a puzzle, to be asked about boards.
    ///
    /// # Errors
    /// Fails if its tables can't be had.
    pub fn evaluator(
        &self,
        estimate: &Estimate,
        puzzle: &Puzzle,
        costs: &Costs,
    ) -> Result<Evaluator, TableError> {
        let monitor = &Monitor::default();
        let mut wanted = Wanted { memory: None, monitor, report: &mut |_| () };
        self.tables.guide(estimate, (puzzle, costs), &mut wanted).map(Evaluator)
    }

    fn guide(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<Guide, TableError> {
        let estimate = task.method.estimate.as_ref().unwrap_or(&Estimate::Zero);
        let mut wanted = Wanted { memory: task.limits.memory, monitor, report };
        self.tables.guide(estimate, (&task.puzzle, &task.cost), &mut wanted)
    }
}

/// Why a table does not serve where moves have prices.
const COSTS: &str = "a table counts moves, and these have prices: choose ucs or astar";

/// A task that is being solved in the background.
#[derive(Debug)]
pub struct Job {
    monitor: Arc<Monitor>,
    handle: JoinHandle<Report>,
}

impl Job {
    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.monitor.progress()
    }

    /// The better and better answers after the first so many, where the method improves its answer.
    pub fn improvements(&self, after: usize) -> Vec<Improvement> {
        self.monitor.improvements(after)
    }

    /// Asks it to end with what is known.
    pub fn cancel(&self) {
        self.monitor.cancel();
    }

    /// Whether [`join`](Self::join) would return at once.
    pub fn is_finished(&self) -> bool {
        self.handle.is_finished()
    }

    /// Waits for the report.
    pub fn join(self) -> Report {
        self.handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// A report without a search, where none can succeed and none is asked for all the same.
fn refuse(task: &Task, started: Instant) -> Option<Report> {
    if task.search_anyway {
        return None;
    }
    let answer = reachability(&task.puzzle);
    let reason = match answer.proof {
        _ if answer.reachable => return None,
        Proof::Line { .. } => Reason::Order,
        _ => Reason::Parity,
    };
    Some(unsearched(task, Ending::Unsolvable, reason, started))
}

fn limits(task: &Task, monitor: &Arc<Monitor>) -> Limits {
    Limits {
        expanded: task.limits.expanded,
        generated: task.limits.generated,
        memory: task.limits.memory,
        time: task.limits.time(),
        monitor: Some(Arc::clone(monitor)),
    }
}

/// The tables that the method needs can't be had.
fn without_tables(task: &Task, error: &TableError, started: Instant) -> Report {
    let reason = match error {
        TableError::Store(TableStoreError::Build(BuildError::Cancelled)) => Reason::Cancelled,
        _ => Reason::Tables,
    };
    Report { notes: vec![error.to_string()], ..unsearched(task, Ending::Stopped, reason, started) }
}

/// A report without a search.
fn unsearched(task: &Task, outcome: Ending, reason: Reason, started: Instant) -> Report {
    Report {
        puzzle: task.puzzle.clone(),
        method: task.method.clone(),
        outcome,
        reason: Some(reason),
        cost: None,
        depth: None,
        lower_bound: None,
        optimal: false,
        moves: None,
        counts: Counts::default(),
        before_last_bound: None,
        seconds: started.elapsed().as_secs_f64(),
        notes: Vec::new(),
        improvements: Vec::new(),
    }
}

fn report(task: &Task, mut search: Search<Slide>, notes: Vec<String>, started: Instant) -> Report {
    if let Outcome::Solved(solution) = &mut search.outcome
        && task.jumps
        && task.method.algorithm != Algorithm::Table
    {
        leave_out_jumps(task, solution);
    }
    let optimal = search.is_optimal();
    let Search { outcome, lower_bound, counts, before_last_bound } = search;
    let (outcome, reason, solution) = match outcome {
        Outcome::Solved(solution) => (Ending::Solved, None, Some(solution)),
        Outcome::Exhausted => (Ending::Exhausted, None, None),
        Outcome::Stopped(stop) => (Ending::Stopped, Some(stop.into()), None),
    };
    let moves = solution.as_ref().map(|solution| checked_moves(&task.puzzle, &solution.actions));
    Report {
        puzzle: task.puzzle.clone(),
        method: task.method.clone(),
        outcome,
        reason,
        cost: solution.as_ref().map(|solution| solution.cost),
        depth: solution.as_ref().map(|solution| solution.actions.len() as u64),
        lower_bound: (outcome != Ending::Exhausted).then_some(lower_bound),
        optimal,
        moves,
        counts,
        before_last_bound,
        seconds: started.elapsed().as_secs_f64(),
        notes,
        improvements: Vec::new(),
    }
}

/// Takes the moves onto a blank out of a solution: a tree search may have gone through some.
fn leave_out_jumps(task: &Task, solution: &mut Solution<Slide>) {
    let mut board = task.puzzle.start().clone();
    let mut cost = 0;
    solution.actions.retain(|&slide| match board.slide(slide) {
        Ok(tile) => {
            cost += task.cost.of(tile);
            true
        }
        Err(error) => !matches!(error, SlideError::OntoBlank { .. }),
    });
    solution.cost = cost;
}

/// The moves as text, after they have been replayed move by move.
///
/// # Panics
/// Panics if they do not lead to the goal: no wrong answer leaves this crate.
fn checked_moves(puzzle: &Puzzle, slides: &[Slide]) -> String {
    let end = replay(puzzle.start(), slides).expect("a solution can be replayed");
    assert_eq!(&end, puzzle.goal(), "a solution leads to the goal");
    write_moves(slides, puzzle.start(), Notation::Blank).expect("a solution can be written")
}
