//! Running tasks.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use taquin_search::{Cost, Instant, Limits, Monitor, Search};
use taquin_solvers::{Journal, Refusal, Solver};
use taquin_tables::whole::Metric;
use taquin_tables::{BuildError, PerimeterPlan, TableStore};
use taquin_tiles::{Board, Costs, Proof, Puzzle, Slide, is_reachable, reachability};

use crate::IS_FIRST;
use crate::accelerator::{Accelerator, DeviceError, DeviceSearch, WhenBusy};
use crate::algorithm::Algorithm;
use crate::engine::{Bundle, run};
use crate::heuristic::{
    AnyHeuristic, Estimate, Evaluator, HeuristicContext, OwnHeuristic, cost_of_blanks,
};
use crate::job::Job;
use crate::method::{Blank, INCONSISTENT, Method, USUAL_PRUNE};
use crate::on::Device;
use crate::portfolio::{MemoryShortage, Portfolio, below_frontier, on_threads, timing_note};
use crate::report::{Ending, Reason, Report, SearchResult, Stage};
use crate::tables::{TableError, TableEvent, TableFiles, TableRequest, TableWarning, Tables};
use crate::task::Task;
use crate::watch::Watch;

/// Runs tasks, and holds tables for several tasks: at most 4 GiB, not counting tables in use.
/// Clones share the tables.
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
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use std::sync::Mutex;
    /// # use taquin::{Board, Session, TableFiles, Task, Watch};
    /// #[derive(Debug, Default)]
    /// struct Stored(Mutex<HashMap<String, Vec<u8>>>);
    ///
    /// impl TableFiles for Stored {
    ///     fn read(&self, name: &str) -> Option<Vec<u8>> {
    ///         self.0.lock().unwrap().get(name).cloned()
    ///     }
    ///
    ///     fn write(&self, name: &str, bytes: &[u8]) {
    ///         self.0.lock().unwrap().insert(name.to_owned(), bytes.to_vec());
    ///     }
    /// }
    ///
    /// let session = Session::with_files(Stored::default());
    /// let task = Task { method: "ida:pdb=1.2.3/4.5.6/7.8".parse()?, ..Board::into("867254301".parse()?) };
    /// assert_eq!(session.run(&task, Watch::default()).cost, Some(31));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_files(files: impl TableFiles + 'static) -> Self {
        Self { tables: Arc::new(Tables::with_files(files)), accelerator: None }
    }

    /// A session for a service: strangers choose the goals, so only tables for goals that have a
    /// name are read from and written to files.
    ///
    /// ```
    /// # use taquin::{Board, Session, Task, Watch};
    /// let session = Session::for_service(None);
    /// let task = Task::from("867254301".parse::<Board>()?);
    /// assert!(session.run(&task, Watch::default()).optimal);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_service(store: Option<TableStore>) -> Self {
        let tables = Arc::new(Tables::new(store, true));
        Self { tables, accelerator: None }
    }

    /// Calls `listener` once for each problem with table files: an invalid file, which is not used,
    /// and a folder that cannot be written. Clones of the session share the listener.
    #[must_use]
    pub fn with_warnings(
        self,
        listener: impl Fn(TableWarning<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.tables.listen(listener);
        self
    }

    /// Lets the session use devices. The limits of a service say nothing about devices, so it
    /// should have none.
    #[must_use]
    pub fn with_accelerator(self, devices: impl Accelerator + 'static) -> Self {
        Self { accelerator: Some(Arc::new(devices)), ..self }
    }

    /// Runs a job. This is the only way to run any work. The [crate's page](crate#work) lists all
    /// jobs, and each describes what it returns.
    pub fn run<J: Job>(&self, job: J, watch: Watch<'_>) -> J::Output {
        job.run(self, watch)
    }

    /// Searches. If the progress is to be saved to a journal, but no engine does that, there is no
    /// report.
    fn search(&self, task: &Task, watch: Watch<'_>, saved: Option<&Journal<'_>>) -> Option<Report> {
        if let Some(refused) = refuse(task) {
            return Some(refused);
        }
        let Watch { monitor, events, tables, .. } = watch;
        let mut limits = task.limits.watched(&monitor);
        if let Some(stages) = task.method.algorithm.row().stages.filter(|_| saved.is_none()) {
            let mut portfolio = Portfolio::new(task, self, limits);
            stages(&mut portfolio);
            return Some(portfolio.report());
        }
        let mut notes = Vec::new();
        let unsaved = Journal::unsaved(None);
        let journal = saved.unwrap_or(&unsaved);
        if task.method.on == Some(Device::Gpu) && !IS_FIRST {
            match self.run_on_gpu(task, &mut limits, events.is_some(), journal) {
                Ok(report) => return Some(report),
                Err(note) => notes.push(note),
            }
        }
        // The clock starts when the tables are ready.
        let heuristic = match self.heuristic_of(task, &monitor, tables.map(|tables| tables as _)) {
            Ok(heuristic) => heuristic,
            Err(error) => return Some(without_tables(task, &error)),
        };
        let from_start = match Self::heuristic_from_start(task, &monitor) {
            Ok(from_start) => from_start,
            Err(error) => return Some(without_tables(task, &error)),
        };
        let distance = match self.distance_of(task, &monitor) {
            Ok(distance) => distance,
            Err(error) => return Some(without_tables(task, &error)),
        };
        let reported = monitor.improvements(0).len();
        let started = Instant::now();
        let solver = match events {
            None if !IS_FIRST => self.tables.solver_of(task, &heuristic),
            _ => None,
        };
        let (start, threads) = (task.puzzle.start(), task.threads);
        let is_aida = task.method.algorithm == Algorithm::Aida;
        let in_segments =
            !IS_FIRST && task.method.counts_segments_by_perimeter() && events.is_none();
        let solved = match solver.as_deref() {
            None if in_segments => self.search_segments(task, &limits, &mut notes),
            None => None,
            Some(solver) if is_aida => match below_frontier(task, solver, &limits, saved) {
                Ok(search) => search,
                Err(error) => return Some(without_room(task, &error)),
            },
            Some(solver) if saved.is_none() && journal.start().is_none() => {
                solver.solve(start, threads, &limits)
            }
            Some(solver) => solver.solve_in_parts(start, threads, &limits, journal),
        };
        let is_special = solved.is_some();
        if saved.is_some() && !is_special {
            return None;
        }
        let (from_start, distance) = (from_start.as_ref(), distance.as_ref());
        let estimates = Bundle { to_goal: &heuristic, from_start, distance };
        let mut search =
            solved.unwrap_or_else(|| run(task, &task.method, estimates, &limits, events));
        if task.method.blank == Blank::Counted {
            // Without the blanks the estimate is admissible.
            search.lower_bound = search.lower_bound.saturating_sub(cost_of_blanks(task));
        }
        let mut report = single(task, search, started);
        report.stages[0].specialised = is_special;
        if task.method.algorithm.improves() {
            report.improvements = monitor.improvements(reported);
        }
        report.notes.append(&mut notes);
        report.notes.extend(timing_note(task).filter(|_| is_aida));
        if !is_special && task.method.prune != USUAL_PRUNE {
            report.notes.push("prune has no effect: no specialised engine fits this search".into());
        }
        if let (Some(solver), Some(Refusal::Memory(frontier))) = (solver, journal.refusal()) {
            let bytes = frontier.saturating_add(solver.database_bytes() + solver.bytes());
            report.notes.push(format!(
                "the frontier of threshold {} belongs to the checkpoint: to resume it takes {bytes} \
                 bytes of memory",
                journal.snapshot().threshold
            ));
        }
        Some(report)
    }

    /// Runs a task on a device. If that fails, the time that it took is not left for the processor,
    /// which resumes at the threshold that the journal has reached. Fails with a note.
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
                format!("{error}; resumed on the CPU at threshold {threshold}")
            }
        })
    }

    /// Runs a task with a journal, if there is an engine that writes one. Results from a table that
    /// has changed do not get into the journal. The session is one that was made [for this
    /// search](Self::for_search).
    pub(crate) fn run_with_journal(
        &self,
        task: &Task,
        monitor: &Arc<Monitor>,
        journal: &Journal<'_>,
    ) -> Option<Report> {
        let watch = Watch::by(&self.guarded(monitor));
        let report = self.search(task, watch, Some(journal))?;
        Some(self.without_contradiction(task, report))
    }

    /// Searches in segments by a perimeter, if the task has an engine for that and the memory is
    /// sufficient. Adds a note to `notes` if that built a table.
    pub(crate) fn search_segments(
        &self,
        task: &Task,
        limits: &Limits,
        notes: &mut Vec<String>,
    ) -> Option<Search<Slide>> {
        let (goal, memory) = (task.puzzle.goal(), limits.memory);
        let monitor = limits.monitor.clone().unwrap_or_default();
        let request = TableRequest { memory, monitor: &monitor, report: &mut |_| () };
        let solver = self.tables.segment_solver(goal, &request).ok()??;
        let built = Mutex::new(None);
        let grow = |held, threshold, time: Option<Duration>| {
            let started = Instant::now();
            let is_over = move || time.is_some_and(|left| started.elapsed() > left);
            let monitor = &Monitor::guarded(&monitor, is_over);
            let shape = solver.perimeter().shape();
            on_threads(task.threads, || {
                let report = &mut |event: TableEvent<'_>| {
                    if let TableEvent::PlannedPerimeter(_, plan) = event {
                        let mut built = built.lock().unwrap_or_else(PoisonError::into_inner);
                        *built = Some(plan).filter(PerimeterPlan::is_long).or(*built);
                    }
                };
                let request = &mut TableRequest { memory, monitor, report };
                self.tables.larger_perimeter(goal, (shape, held), (threshold, time), request)
            })
        };
        let search = solver.solve_growing(task.puzzle.start(), task.threads, limits, grow);
        let built = built.into_inner().unwrap_or_else(PoisonError::into_inner);
        notes.extend(built.map(|PerimeterPlan { moves, .. }| {
            format!("found the boards within {moves} moves of the goal during the search")
        }));
        search
    }

    /// Returns the engine that searches the tree of a threshold in parts, if a task has one.
    pub(crate) fn solver_in_parts(
        &self,
        task: &Task,
        monitor: &Monitor,
    ) -> Option<Result<Arc<Solver>, TableError>> {
        if !task.method.may_split() {
            return None;
        }
        match self.heuristic_of(task, monitor, None) {
            Ok(heuristic) => self.tables.solver_of(task, &heuristic).map(Ok),
            Err(error) => Some(Err(error)),
        }
    }

    /// Loads or builds a task's tables, and reports the progress. Afterwards [`run`](Self::run)
    /// starts immediately.
    ///
    /// ```
    /// use taquin::{Board, Monitor, Session, Task};
    ///
    /// let folder = std::env::temp_dir().join(format!("taquin-tables-{}", std::process::id()));
    /// let session = Session::with_folder(&folder).with_warnings(|warning| eprintln!("{warning}"));
    /// let board: Board = "8 6 7/2 5 4/3 0 1".parse()?;
    /// let task = Task { method: "ida:pdb=1.2.3.4/5.6.7.8".parse()?, ..board.into() };
    /// session.prepare(&task, &Monitor::default(), &mut |_| ())?;
    /// let databases = task.method.estimate.as_ref().expect("the method has one");
    /// assert!(session.has_tables(task.puzzle.goal(), databases));
    /// std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the tables are unavailable. Then [`run`](Self::run) would end without a search.
    pub fn prepare(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<(), TableError> {
        // An unsolvable puzzle is refused without a search.
        if !task.search_anyway && !is_reachable(&task.puzzle) {
            return Ok(());
        }
        let on_gpu = task.method.on == Some(Device::Gpu);
        let (algorithm, cells) = (task.method.algorithm, task.puzzle.size().cells());
        let is_auto = algorithm == Algorithm::Auto;
        if on_gpu && (algorithm == Algorithm::Anytime || is_auto && cells > Solver::MAX_CELLS) {
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
        if task.method.counts_segments_by_perimeter() {
            let request = TableRequest { memory: task.limits.memory, monitor, report };
            return self.tables.segment_solver(task.puzzle.goal(), &request).map(|_| ());
        }
        self.heuristic_of(task, monitor, Some(report)).map(|_| ())
    }

    /// Returns whether the databases of an estimate exist, so that they need not be built.
    pub fn has_tables(&self, goal: &Board, databases: &Estimate) -> bool {
        self.tables.has(databases, goal)
    }

    /// A heuristic for the goal of a puzzle, to be asked about boards.
    ///
    /// # Errors
    /// Fails if its tables are unavailable.
    pub fn evaluator(
        &self,
        estimate: &Estimate,
        puzzle: &Puzzle,
        costs: &Costs,
    ) -> Result<Evaluator, TableError> {
        let monitor = &Monitor::default();
        let mut request = TableRequest { memory: None, monitor, report: &mut |_| () };
        self.heuristic(estimate, (puzzle, costs, Metric::Single), &mut request).map(Evaluator)
    }

    /// The heuristic of a task, which may count blanks, to be asked about boards.
    ///
    /// # Errors
    /// Fails if its tables are unavailable.
    pub fn evaluator_of(&self, task: &Task) -> Result<Evaluator, TableError> {
        self.heuristic_of(task, &Monitor::default(), None).map(Evaluator)
    }

    pub(crate) fn heuristic_of(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: Option<&mut dyn FnMut(TableEvent<'_>)>,
    ) -> Result<AnyHeuristic, TableError> {
        if task.method.blank == Blank::Counted {
            return Ok(AnyHeuristic::Own(OwnHeuristic::misplaced_cells(task)));
        }
        let estimate = task.method.estimate.as_ref().unwrap_or(&Estimate::Zero);
        let silent: &mut dyn FnMut(TableEvent<'_>) = &mut |_| ();
        let report = report.unwrap_or(silent);
        let mut request = TableRequest { memory: task.limits.memory, monitor, report };
        // One that takes too much memory is refused before databases are built.
        self.tables.prepare_automaton(task, &mut request)?;
        let (puzzle, metric) = (&task.puzzle, task.method.metric);
        self.heuristic(estimate, (puzzle, &task.cost, metric), &mut request)
    }

    /// Returns the heuristic of a method that searches from both ends for the cost from the start:
    /// it takes the start as its goal. Other methods have none.
    ///
    /// Another start needs other tables, so that they are neither kept nor written to files.
    fn heuristic_from_start(
        task: &Task,
        monitor: &Monitor,
    ) -> Result<Option<AnyHeuristic>, TableError> {
        let estimate = task.method.estimate.as_ref();
        let Some(estimate) = estimate.filter(|_| task.method.algorithm.row().has_both_ends) else {
            return Ok(None);
        };
        let reverse = task.puzzle.reversed();
        let mut request = TableRequest { memory: task.limits.memory, monitor, report: &mut |_| () };
        let (puzzle, costs, tables) = (&reverse, &task.cost, &Tables::new(None, false));
        let metric = task.method.metric;
        estimate
            .make(&mut HeuristicContext { puzzle, costs, metric, tables, request: &mut request })
            .map(Some)
    }

    /// Returns the heuristic for the number of moves to the goal, if the method looks at it and it
    /// is not the one for their cost.
    fn distance_of(
        &self,
        task: &Task,
        monitor: &Monitor,
    ) -> Result<Option<AnyHeuristic>, TableError> {
        let Method { algorithm, estimate, distance, .. } = &task.method;
        let usual = estimate.as_ref().filter(|_| task.cost != Costs::Unit);
        let estimate = distance.as_deref().or(usual);
        let Some(estimate) = estimate.filter(|_| algorithm.row().other_fields.contains(&"d"))
        else {
            return Ok(None);
        };
        let mut request = TableRequest { memory: task.limits.memory, monitor, report: &mut |_| () };
        let of = (&task.puzzle, &Costs::Unit, task.method.metric);
        self.heuristic(estimate, of, &mut request).map(Some)
    }

    pub(crate) fn heuristic(
        &self,
        estimate: &Estimate,
        (puzzle, costs, metric): (&Puzzle, &Costs, Metric),
        request: &mut TableRequest<'_>,
    ) -> Result<AnyHeuristic, TableError> {
        let tables = &self.tables;
        estimate.make(&mut HeuristicContext { puzzle, costs, metric, tables, request })
    }
}

/// Solves a task. A result that rests on tables and contradicts itself is not reported.
///
/// If the file of a table changes during the search, the search runs once more, unless its steps
/// are followed.
impl Job for &Task {
    type Output = Report;

    fn run(self, session: &Session, watch: Watch<'_>) -> Report {
        let Watch { monitor, mut events, mut tables, .. } = watch;
        let may_repeat = events.is_none();
        let mut report = session.checked(self, &monitor, may_repeat, |session, task, monitor| {
            let mut watch = Watch::by(&monitor);
            if let Some(events) = &mut events {
                watch.events = Some(&mut **events);
            }
            if let Some(tables) = &mut tables {
                watch.tables = Some(&mut **tables);
            }
            session.search(task, watch, None).expect("nothing is saved")
        });
        report.notes.extend(unit_note(self, report.cost));
        report.notes.extend(segment_note(self, &report));
        report
    }
}

/// Solves a task on a device and nowhere else. It fails if no device can be used for it.
#[derive(Clone, Copy, Debug)]
pub struct OnDevice<'a>(pub &'a Task);

impl Job for OnDevice<'_> {
    type Output = Result<Report, DeviceError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Self(task) = self;
        if let Some(refused) = refuse(task) {
            return Ok(refused);
        }
        let limits = task.limits.watched(&watch.monitor);
        let device = session.device_for(task, &task.method)?;
        let journal = Journal::unsaved(None);
        let search = device.solve(task, &limits, WhenBusy::Wait, &journal)?;
        Ok(session.without_contradiction(task, of_device(task, search)))
    }
}

/// Solves a task with the caller's heuristic instead of the one that its method names.
///
/// It fails with the algorithm if that has no heuristic, needs one from the start too, or runs
/// several searches.
#[derive(Debug)]
pub struct WithHeuristic<'a> {
    /// The task.
    pub task: &'a Task,
    /// The heuristic.
    pub heuristic: OwnHeuristic,
    /// Whether the caller promises that the heuristic is admissible. Otherwise the report claims no
    /// more than Manhattan distance proves.
    pub admissible: bool,
}

impl Job for WithHeuristic<'_> {
    type Output = Result<Report, Algorithm>;

    fn run(self, _: &Session, watch: Watch<'_>) -> Self::Output {
        let Self { task, heuristic, admissible } = self;
        let algorithm = task.method.algorithm;
        let row = algorithm.row();
        if row.stages.is_some() || row.has_both_ends || task.method.estimate.is_none() {
            return Err(algorithm);
        }
        if let Some(refused) = refuse(task) {
            return Ok(refused);
        }
        let limits = task.limits.watched(&watch.monitor);
        let started = Instant::now();
        let heuristic = AnyHeuristic::Own(heuristic);
        let mut search = run(task, &task.method, (&heuristic).into(), &limits, watch.events);
        if !admissible {
            search.lower_bound = 0;
        }
        Ok(single(task, search, started))
    }
}

/// Solves a board with every core and the account's tables: optimally if that takes less than about
/// ten seconds, and otherwise as well as it can in that time. The goal is `1 2 3 .. 0`.
///
/// ```
/// let board: taquin::Board = "1 2 3/4 0 6/7 5 8".parse()?;
/// let report = taquin::solve(&board)?;
/// assert_eq!(report.write_moves(taquin::Notation::Blank).as_deref(), Some("DR"));
/// assert!(report.optimal);
///
/// let board: taquin::Board = "2 1 3/4 5 6/7 8 0".parse()?;
/// assert!(taquin::solve(&board).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if no moves lead to the goal.
pub fn solve(board: &Board) -> Result<Report, UnsolvableError> {
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let task = Task { threads, ..board.clone().into() };
    match is_reachable(&task.puzzle) {
        true => Ok(Session::new().run(&task, Watch::default())),
        false => Err(UnsolvableError(task.puzzle)),
    }
}

/// A puzzle without a solution. [`reachability`] proves it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} is unsolvable: no moves lead to {}", .0.start(), .0.goal())]
pub struct UnsolvableError(pub Puzzle);

/// Why there is no other cost for the slide of a segment.
pub(crate) const SEGMENTS_COST_ONE: &str =
    "metric=multi counts segments: every move costs 1, and no blank steps onto another";

/// Returns an early report for an unsolvable puzzle, unless `search_anyway` is set.
pub(crate) fn refuse(task: &Task) -> Option<Report> {
    if task.method.is_unsound() {
        let report = Report::unsearched(task, Ending::Stopped, Reason::Tables);
        return Some(Report { notes: vec![INCONSISTENT.to_owned()], ..report });
    }
    if task.method.metric == Metric::Multi && (task.cost != Costs::Unit || task.jumps) {
        let report = Report::unsearched(task, Ending::Stopped, Reason::Cost);
        return Some(Report { notes: vec![SEGMENTS_COST_ONE.to_owned()], ..report });
    }
    if !task.cost.fits(task.puzzle.size()) {
        let report = Report::unsearched(task, Ending::Stopped, Reason::Cost);
        let note =
            format!("the costs {} are too large on a board of {}", task.cost, task.puzzle.size());
        return Some(Report { notes: vec![note], ..report });
    }
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

/// A note on the unit of the costs, if they are fractions.
fn unit_note(task: &Task, cost: Option<Cost>) -> Option<String> {
    let unit = task.cost.unit(task.puzzle.size().cells()).filter(|&unit| unit > 1)?;
    let note = format!("costs are in parts of 1/{unit}");
    Some(match cost {
        Some(cost) => format!("{note}: {cost} are {:.6}", f64::from(cost) / f64::from(unit)),
        None => note,
    })
}

/// A note on what the cost counts, if a segment slides as one move.
fn segment_note(task: &Task, report: &Report) -> Option<String> {
    let cost = report.cost.filter(|_| task.method.metric == Metric::Multi)?;
    Some(match report.optimal {
        true => format!("a whole segment slides as one move, and {cost} of these are the fewest"),
        false => format!("a whole segment slides as one move: these are {cost}"),
    })
}

fn without_tables(task: &Task, error: &TableError) -> Report {
    let reason = match error {
        TableError::Build(BuildError::Cancelled) => Reason::Cancelled,
        _ => Reason::Tables,
    };
    let report = Report::unsearched(task, Ending::Stopped, reason);
    Report { notes: vec![error.to_string()], ..report }
}

fn without_room(task: &Task, error: &MemoryShortage) -> Report {
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
    let finding = SearchResult::new(task, search);
    let stage = Stage {
        method: task.method.clone(),
        counts: finding.counts,
        seconds,
        outcome: finding.outcome,
        specialised: false,
    };
    Report { stages: vec![stage], ..Report::new(task, finding, seconds) }
}
