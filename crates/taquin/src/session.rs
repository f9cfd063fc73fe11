//! Running tasks.

use std::path::PathBuf;
use std::sync::Arc;

use taquin_fast::{Journal, Refusal, Solver};
use taquin_search::{Instant, Limits, Monitor, Search};
use taquin_tables::{BuildError, TableStore};
use taquin_tiles::{Board, Costs, Proof, Puzzle, Slide, is_reachable, reachability};

use crate::accelerator::{Accelerator, DeviceError, DeviceSearch, WhenBusy};
use crate::algorithm::Algorithm;
use crate::engine::run;
use crate::heuristic::{AnyHeuristic, Estimate, Evaluator, OwnHeuristic, Parts};
use crate::method::{Method, USUAL_PRUNE};
use crate::on::On;
use crate::portfolio::{NoRoom, Portfolio, below_frontier, timing_note};
use crate::report::{Ending, Finding, Reason, Report, Stage};
use crate::tables::{TableError, TableEvent, TableFiles, TableRequest, TableWarning, Tables};
use crate::task::Task;
use crate::watch::Watch;

/// Runs tasks, and holds the tables that several of them need: at most 4 GiB of them, besides those
/// in use. Clones share the tables.
#[derive(Clone, Debug, Default)]
pub struct Session {
    pub(crate) tables: Arc<Tables>,
    pub(crate) accelerator: Option<Arc<dyn Accelerator>>,
}

impl Session {
    /// A session that reads and writes table files in the cache folder of the account.
    pub fn new() -> Self {
        Self::default()
    }

    /// A session with table files in a folder of its own.
    pub fn with_folder(folder: impl Into<PathBuf>) -> Self {
        let tables = Arc::new(Tables::new(Some(TableStore::new(folder)), false));
        Self { tables, accelerator: None }
    }

    /// A session without table files.
    pub fn without_folder() -> Self {
        Self { tables: Arc::new(Tables::new(None, false)), accelerator: None }
    }

    /// A session with table files that are not in a folder.
    pub fn with_files(files: impl TableFiles + 'static) -> Self {
        Self { tables: Arc::new(Tables::with_files(files)), accelerator: None }
    }

    /// A session for a service: strangers choose the goals, so only tables for goals that have a
    /// name are read from and written to files.
    pub fn for_service() -> Self {
        let tables = Arc::new(Tables::new(TableStore::of_account().ok(), true));
        Self { tables, accelerator: None }
    }

    /// Calls `listener` once with each problem of table files: an invalid file, which is not used, and
    /// a folder that cannot be written. Clones of the session share the listener.
    #[must_use]
    pub fn with_warnings(
        self,
        listener: impl Fn(TableWarning<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.tables.listen(listener);
        self
    }

    /// Lets the session use devices. The limits of a service say nothing about devices, so it should
    /// have none.
    #[must_use]
    pub fn with_accelerator(self, devices: impl Accelerator + 'static) -> Self {
        Self { accelerator: Some(Arc::new(devices)), ..self }
    }

    /// Runs a task. A result that rests on tables and contradicts itself is not reported.
    ///
    /// If the file of a table changes during the search, the search runs once more, unless its steps
    /// are followed.
    pub fn run(&self, task: &Task, watch: Watch<'_>) -> Report {
        let Watch { monitor, mut events, mut tables } = watch;
        let may_repeat = events.is_none();
        self.checked(task, &monitor, may_repeat, |session, task, monitor| {
            let mut watch = Watch { monitor, events: None, tables: None };
            if let Some(events) = &mut events {
                watch.events = Some(&mut **events);
            }
            if let Some(tables) = &mut tables {
                watch.tables = Some(&mut **tables);
            }
            session.search(task, watch)
        })
    }

    fn search(&self, task: &Task, watch: Watch<'_>) -> Report {
        if let Some(refused) = refuse(task) {
            return refused;
        }
        let Watch { monitor, events, tables } = watch;
        let mut limits = task.limits.watched(&monitor);
        if let Some(stages) = task.method.algorithm.row().stages {
            let mut portfolio = Portfolio::new(task, self, limits);
            stages(&mut portfolio);
            return portfolio.report();
        }
        let mut notes = Vec::new();
        let journal = Journal::unsaved(None);
        if task.method.on == Some(On::Gpu) {
            match self.run_on_gpu(task, &mut limits, events.is_some(), &journal) {
                Ok(report) => return report,
                Err(note) => notes.push(note),
            }
        }
        // The clock starts when the tables are there.
        let heuristic = match self.heuristic_of(task, &monitor, tables) {
            Ok(heuristic) => heuristic,
            Err(error) => return without_tables(task, &error),
        };
        let started = Instant::now();
        let solver = match events {
            None => self.tables.solver_of(task, &heuristic),
            Some(_) => None,
        };
        let (start, threads) = (task.puzzle.start(), task.threads);
        let solved = solver.and_then(|solver| match journal.start() {
            None => solver.solve(start, threads, &limits),
            Some(_) => solver.solve_in_parts(start, threads, &limits, &journal),
        });
        let is_special = solved.is_some();
        let search = solved.unwrap_or_else(|| run(task, &task.method, &heuristic, &limits, events));
        let mut report = single(task, search, started);
        report.stages[0].specialised = is_special;
        report.notes.append(&mut notes);
        if !is_special && task.method.prune != USUAL_PRUNE {
            report.notes.push("prune has no effect: no specialised engine fits this search".into());
        }
        report
    }

    /// Runs a task on a device and nowhere else.
    ///
    /// # Errors
    /// Fails if no device can be used for it.
    pub fn run_on_device(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
    ) -> Result<Report, DeviceError> {
        if let Some(refused) = refuse(task) {
            return Ok(refused);
        }
        let limits = task.limits.watched(monitor);
        let device = self.device_for(task, &task.method)?;
        let journal = Journal::unsaved(None);
        let search = device.solve(task, &limits, WhenBusy::Wait, &journal)?;
        Ok(self.without_contradiction(task, of_device(task, search)))
    }

    /// Runs a task on a device. If that fails, the time that it took is not left for the processor, which
    /// resumes at the threshold that the journal has reached. Fails with a note.
    fn run_on_gpu(
        &self,
        task: &Task,
        limits: &mut Limits,
        has_listener: bool,
        journal: &Journal<'_>,
    ) -> Result<Report, String> {
        let began = Instant::now();
        let searched = match has_listener {
            true => Err(DeviceError::Unsupported("the steps of a device cannot be followed")),
            false => self
                .device_for(task, &task.method)
                .and_then(|device| device.solve(task, limits, WhenBusy::Wait, journal)),
        };
        let error = match searched {
            Ok(search) => return Ok(of_device(task, search)),
            Err(error) => error,
        };
        limits.time = limits.time.map(|time| time.saturating_sub(began.elapsed()));
        Err(match journal.start() {
            None => format!("searched on the processor: {error}"),
            Some((threshold, ..)) => {
                format!("{error}; the search went on at threshold {threshold} on the processor")
            }
        })
    }

    /// Runs a task with a heuristic of the caller instead of the one that its method names.
    ///
    /// Unless the caller promises that it is `admissible`, the report claims no more than Manhattan
    /// distance proves.
    ///
    /// # Errors
    /// Fails with the algorithm if that has no heuristic, or runs several searches.
    pub fn run_with_heuristic(
        &self,
        task: &Task,
        own: OwnHeuristic,
        admissible: bool,
        watch: Watch<'_>,
    ) -> Result<Report, Algorithm> {
        let algorithm = task.method.algorithm;
        if algorithm.row().stages.is_some() || task.method.estimate.is_none() {
            return Err(algorithm);
        }
        if let Some(refused) = refuse(task) {
            return Ok(refused);
        }
        let Watch { monitor, events, .. } = watch;
        let limits = task.limits.watched(&monitor);
        let started = Instant::now();
        let heuristic = AnyHeuristic::Own(own);
        let mut search = run(task, &task.method, &heuristic, &limits, events);
        if !admissible {
            search.lower_bound = 0;
        }
        Ok(single(task, search, started))
    }

    /// Runs a task with a journal, if there is an engine that writes one. What is computed with a
    /// table that has changed does not get into the journal.
    /// The session is one that was made [for this search](Self::for_search).
    pub(crate) fn run_with_journal(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        journal: &Journal<'_>,
    ) -> Option<Report> {
        let report = self.search_with_journal(task, &self.guarded(monitor), journal)?;
        Some(self.without_contradiction(task, report))
    }

    fn search_with_journal(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        journal: &Journal<'_>,
    ) -> Option<Report> {
        if let Some(refused) = refuse(task) {
            return Some(refused);
        }
        let mut limits = task.limits.watched(monitor);
        let mut notes = Vec::new();
        if task.method.on == Some(On::Gpu) {
            match self.run_on_gpu(task, &mut limits, false, journal) {
                Ok(report) => return Some(report),
                Err(note) => notes.push(note),
            }
        }
        let solver = match self.special_solver(task, monitor)? {
            Ok(solver) => solver,
            Err(error) => return Some(without_tables(task, &error)),
        };
        let started = Instant::now();
        let is_aida = task.method.algorithm == Algorithm::Aida;
        let search = match is_aida {
            true => match below_frontier(task, &solver, &limits, Some(journal)) {
                Ok(search) => search,
                Err(error) => return Some(without_room(task, &error)),
            },
            false => solver.solve_in_parts(task.puzzle.start(), task.threads, &limits, journal),
        };
        let mut report = single(task, search?, started);
        report.stages[0].specialised = true;
        report.notes.append(&mut notes);
        report.notes.extend(timing_note(task).filter(|_| is_aida));
        if let Some(Refusal::Memory(frontier)) = journal.refusal() {
            let bytes = frontier.saturating_add(solver.database_bytes() + solver.bytes());
            report.notes.push(format!(
                "the frontier of threshold {} belongs to the checkpoint: to resume it takes {bytes} \
                 bytes of memory",
                journal.snapshot().threshold
            ));
        }
        Some(report)
    }

    /// Returns whether a method may be searched in parts, as far as that is known without its tables.
    pub fn may_split(method: &Method) -> bool {
        method.on != Some(On::Gpu) && matches!(method.algorithm, Algorithm::Ida | Algorithm::Aida)
    }

    /// Returns the engine that searches the tree of a threshold in parts, if a task has one.
    pub(crate) fn solver_in_parts(
        &self,
        task: &Task,
        monitor: &Monitor,
    ) -> Option<Result<Arc<Solver>, TableError>> {
        if !Self::may_split(&task.method) {
            return None;
        }
        self.special_solver(task, monitor)
    }

    fn special_solver(
        &self,
        task: &Task,
        monitor: &Monitor,
    ) -> Option<Result<Arc<Solver>, TableError>> {
        match self.heuristic_of(task, monitor, None) {
            Ok(heuristic) => self.tables.solver_of(task, &heuristic).map(Ok),
            Err(error) => Some(Err(error)),
        }
    }

    /// Loads or builds the tables that a task needs, and reports the progress. Afterwards
    /// [`run`](Self::run) starts at once.
    ///
    /// # Errors
    /// Fails if the tables cannot be had; then [`run`](Self::run) would end without a search.
    pub fn prepare(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<(), TableError> {
        let on_gpu = task.method.on == Some(On::Gpu);
        let (algorithm, cells) = (task.method.algorithm, task.puzzle.size().cells());
        let is_auto = algorithm == Algorithm::Auto;
        if on_gpu && (algorithm == Algorithm::Anytime || is_auto && cells > Solver::MOST_CELLS) {
            // A device that cannot be used is reported by the search.
            let _ = self.with_beam(&task.puzzle, WhenBusy::Wait, |_| ());
            return Ok(());
        }
        let is_ready = |device: &dyn Accelerator| {
            let method = if is_auto { device.method() } else { task.method.clone() };
            let fits = device.fits(task, &method);
            fits.and_then(|()| device.prepare(&task.puzzle, WhenBusy::Wait)).is_ok()
        };
        if on_gpu && self.device().is_ok_and(is_ready) {
            return Ok(());
        }
        // An unsolvable puzzle is refused without a search.
        match task.search_anyway || is_reachable(&task.puzzle) {
            true => self.heuristic_of(task, monitor, Some(report)).map(|_| ()),
            false => Ok(()),
        }
    }

    /// Returns whether the databases of an estimate exist, so that they need not be built.
    pub fn has_tables(&self, goal: &Board, databases: &Estimate) -> bool {
        self.tables.has(databases, goal)
    }

    /// A heuristic for the goal of a puzzle, to be asked about boards.
    ///
    /// # Errors
    /// Fails if its tables cannot be had.
    pub fn evaluator(
        &self,
        estimate: &Estimate,
        puzzle: &Puzzle,
        costs: &Costs,
    ) -> Result<Evaluator, TableError> {
        let monitor = &Monitor::default();
        let mut request = TableRequest { memory: None, monitor, report: &mut |_| () };
        self.heuristic(estimate, (puzzle, costs), &mut request).map(Evaluator)
    }

    pub(crate) fn heuristic_of(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: Option<&mut dyn FnMut(TableEvent<'_>)>,
    ) -> Result<AnyHeuristic, TableError> {
        let estimate = task.method.estimate.as_ref().unwrap_or(&Estimate::Zero);
        let silent: &mut dyn FnMut(TableEvent<'_>) = &mut |_| ();
        let report = report.unwrap_or(silent);
        let mut request = TableRequest { memory: task.limits.memory, monitor, report };
        // One that takes too much memory is refused before databases are built.
        self.tables.prepare_automaton(task, &mut request)?;
        self.heuristic(estimate, (&task.puzzle, &task.cost), &mut request)
    }

    pub(crate) fn heuristic(
        &self,
        estimate: &Estimate,
        (puzzle, costs): (&Puzzle, &Costs),
        request: &mut TableRequest<'_>,
    ) -> Result<AnyHeuristic, TableError> {
        estimate.make(&mut Parts { puzzle, costs, tables: &self.tables, request })
    }
}

/// Returns an early report for an unsolvable puzzle, unless `search_anyway` is set.
pub(crate) fn refuse(task: &Task) -> Option<Report> {
    // `layers` does not search: it cannot look at every board.
    if task.search_anyway && task.method.algorithm != Algorithm::Layers {
        return None;
    }
    let answer = reachability(&task.puzzle);
    let reason = match answer.proof {
        _ if answer.reachable => return None,
        Proof::Line { .. } => Reason::Order,
        _ => Reason::Parity,
    };
    Some(Report::unsearched(task, Ending::Unsolvable, reason))
}

fn without_tables(task: &Task, error: &TableError) -> Report {
    let reason = match error {
        TableError::Build(BuildError::Cancelled) => Reason::Cancelled,
        _ => Reason::Tables,
    };
    let report = Report::unsearched(task, Ending::Stopped, reason);
    Report { notes: vec![error.to_string()], ..report }
}

fn without_room(task: &Task, error: &NoRoom) -> Report {
    let report = Report::unsearched(task, Ending::Stopped, Reason::Memory);
    Report { notes: vec![error.to_string()], ..report }
}

/// The report of a search on a device.
fn of_device(task: &Task, search: DeviceSearch) -> Report {
    let note = format!("searched on {}", search.place());
    let mut report = single(task, search.search, search.started);
    report.notes.push(note);
    report
}

/// The report of one search.
fn single(task: &Task, search: Search<Slide>, started: Instant) -> Report {
    timed(task, search, started.elapsed().as_secs_f64())
}

/// The report of a search that took `seconds`.
pub(crate) fn timed(task: &Task, search: Search<Slide>, seconds: f64) -> Report {
    let finding = Finding::new(task, search);
    let stage = Stage {
        method: task.method.clone(),
        counts: finding.counts,
        seconds,
        outcome: finding.outcome,
        specialised: false,
    };
    Report { stages: vec![stage], ..Report::new(task, finding, seconds) }
}
