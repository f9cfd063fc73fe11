//! Many boards: in parallel, and 15-puzzles together on a device.

mod queue;

use std::any::Any;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::{fmt, io};

use taquin_search::Monitor;
use taquin_tables::PatternKind;
use taquin_tiles::{Board, Costs, MoveOrder, is_reachable};

use self::queue::{Board as Entry, Grouping, Queue, Rules, Work};
use crate::accelerator::{DeviceBatch, DeviceError};
use crate::algorithm::Algorithm;
use crate::heuristic::{AnyHeuristic, Estimate};
use crate::job::Job;
use crate::method::Method;
use crate::on::Device;
use crate::report::{Ending, Reason, Report};
use crate::session::{Session, refuse, timed};
use crate::tables::{TableError, TableEvent};
use crate::task::{Task, TaskLimits};
use crate::watch::Watch;

pub use self::queue::BoardInput;

/// Solves many boards in parallel, each on one thread or some together on a device, and hands on
/// the answers in the order of the input. Tables are made when the first board needs them.
///
/// If it is cancelled, it answers the boards that workers have begun, and takes no more. It fails
/// if a method's tables are unavailable, if a search panics, or if the input or the output does.
///
/// ```
/// use taquin::{BoardInput, Session, SolveMany, Task, Watch, read_board};
///
/// let lines = ["1 2 3/4 5 6/7 0 8", "1 2", "1 2 3/4 0 6/7 5 8"];
/// let mut depths = Vec::new();
/// let job = SolveMany {
///     input: BoardInput::quick(lines.into_iter().map(Ok)),
///     threads: 2,
///     parse: &|line| (line, line.parse::<taquin::Board>().ok().map(Task::from)),
///     answer: &|line, report| (line, report.and_then(|report| report.depth)),
///     write: &mut |answers| Ok(depths.extend(answers)),
/// };
/// Session::without_folder().run(job, Watch::default())?;
/// assert_eq!(depths, [(lines[0], Some(1)), (lines[1], None), (lines[2], Some(2))]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SolveMany<'a, E, K, A> {
    /// The boards.
    pub input: BoardInput<E>,
    /// The number of threads.
    pub threads: usize,
    /// Parses a board: the facts kept for its answer, and its task unless it is invalid.
    pub parse: &'a (dyn Fn(E) -> (K, Option<Task>) + Sync),
    /// Makes the answer for a board, which has a report if it is valid.
    pub answer: &'a (dyn Fn(K, Option<Report>) -> A + Sync),
    /// Takes the available answers, in order.
    pub write: &'a mut dyn FnMut(Vec<A>) -> io::Result<()>,
}

/// Why many boards were not solved to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManyError {
    /// A method's tables are unavailable.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// The input cannot be read, or the output not be written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// A search panicked.
    #[error("a search panicked: {0}")]
    Panicked(String),
}

/// Returns a panic's message.
///
/// ```
/// let panic = std::panic::catch_unwind(|| panic!("no tile {}", 9)).unwrap_err();
/// assert_eq!(taquin::panic_message(&*panic), "no tile 9");
/// ```
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
}

impl<E: Send, K: Send, A: Send> Job for SolveMany<'_, E, K, A> {
    type Output = Result<(), ManyError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Self { input, threads, parse, answer, write } = self;
        let decide = |(_, task): &(K, Option<Task>)| {
            let group = session.group_of(task.as_ref()?);
            Some(group.map_or(Grouping::Alone, Grouping::Together))
        };
        let queue = Queue::new(input, threads, Rules { parse, decide: &decide });
        let workers = Workers {
            session,
            queue: &queue,
            parse,
            answer,
            preparation: Preparation::new(session),
            monitor: &watch.monitor,
            tables: Mutex::new(watch.tables.map(|tables| tables as _)),
            no_device: OnceLock::new(),
            device_turn: Mutex::new(threads),
            failure: Mutex::new(None),
        };
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..threads).map(|_| scope.spawn(|| workers.work())).collect();
            queue.write(write, || watch.monitor.is_cancelled());
            for worker in started {
                if let Err(panic) = worker.join() {
                    let panic = ManyError::Panicked(panic_message(&*panic));
                    lock(&workers.failure).get_or_insert(panic);
                }
            }
        });
        let failure = workers.failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.or(queue.into_error().map(ManyError::File)).map_or(Ok(()), Err)
    }
}

impl<E, K, A> fmt::Debug for SolveMany<'_, E, K, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolveMany").field("threads", &self.threads).finish_non_exhaustive()
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

type Listener<'a> = &'a mut (dyn FnMut(TableEvent<'_>) + Send);

type Numbered<E, K> = (u64, Entry<E, (K, Option<Task>)>);

/// The state that the workers share.
struct Workers<'a, E, K, A> {
    session: &'a Session,
    queue: &'a Queue<'a, E, (K, Option<Task>), A>,
    parse: &'a (dyn Fn(E) -> (K, Option<Task>) + Sync),
    answer: &'a (dyn Fn(K, Option<Report>) -> A + Sync),
    preparation: Preparation<'a>,
    monitor: &'a Arc<Monitor>,
    tables: Mutex<Option<Listener<'a>>>,
    /// Why boards are not solved together on a device, after that was tried.
    no_device: OnceLock<DeviceError>,
    /// Held while `auto` may use a device: it has the threads of the others, which wait.
    device_turn: Mutex<usize>,
    failure: Mutex<Option<ManyError>>,
}

impl<E, K, A> Workers<'_, E, K, A> {
    fn work(&self) {
        self.queue.work(|work| {
            let worked = match work {
                Work::Board(number, entry) => self.alone(number, entry),
                Work::Group(entries) => self.together(entries),
            };
            let has_failed = worked.is_err();
            if let Err(error) = worked {
                lock(&self.failure).get_or_insert(error.into());
            }
            if has_failed || self.monitor.is_cancelled() {
                self.queue.end();
            }
        });
    }

    fn parsed(&self, entry: Entry<E, (K, Option<Task>)>) -> (K, Option<Task>) {
        match entry {
            Entry::Raw(entry) => (self.parse)(entry),
            Entry::Parsed(board) => board,
        }
    }

    fn alone(&self, number: u64, entry: Entry<E, (K, Option<Task>)>) -> Result<(), TableError> {
        let (kept, task) = self.parsed(entry);
        let report = match &task {
            None => None,
            Some(task) => {
                self.prepare(task)?;
                let watch = Watch::by(self.monitor);
                Some(match self.no_device.get() {
                    None if self.session.may_start_device(task) => {
                        let threads = lock(&self.device_turn);
                        self.session.run(&Task { threads: *threads, ..task.clone() }, watch)
                    }
                    None => self.session.run(task, watch),
                    Some(why) => self.session.run_without_device(task, why, watch),
                })
            }
        };
        self.queue.put(number, (self.answer)(kept, report));
        Ok(())
    }

    fn prepare(&self, task: &Task) -> Result<(), TableError> {
        let mut tell = |event: TableEvent<'_>| {
            if let Some(tell) = &mut *lock(&self.tables) {
                tell(event);
            }
        };
        self.preparation.prepare(task, self.monitor, &mut tell)
    }

    /// Solves boards together on a device. Boards that it does not solve go back to the queue.
    fn together(&self, entries: Vec<Numbered<E, K>>) -> Result<(), TableError> {
        let parse = |(number, entry)| (number, self.parsed(entry));
        let boards: Vec<(u64, (K, Option<Task>))> = entries.into_iter().map(parse).collect();
        let tasks: Vec<&Task> = boards.iter().filter_map(|(_, (_, task))| task.as_ref()).collect();
        if let Some(task) = tasks.iter().find(|task| is_reachable(&task.puzzle)) {
            self.prepare(task)?;
        }
        let solved = self.session.run_together(&tasks, self.monitor);
        let has_failed = solved.is_err();
        let mut reports = solved.unwrap_or_else(|error| {
            let _ = self.no_device.set(error);
            vec![None; tasks.len()]
        });
        let mut reports = reports.drain(..);
        let (mut answers, mut returned) = (Vec::with_capacity(boards.len()), Vec::new());
        for (number, (kept, task)) in boards {
            match task.is_some().then(|| reports.next().flatten()) {
                Some(None) => returned.push((number, (kept, task))),
                report => answers.push((number, (self.answer)(kept, report.flatten()))),
            }
        }
        self.queue.put_group(answers, returned, has_failed);
        Ok(())
    }
}

/// Loads or builds the tables that many tasks need, each once.
#[derive(Debug)]
pub struct Preparation<'a> {
    session: &'a Session,
    prepared: Mutex<HashSet<Needs>>,
}

/// The parts of a task that determine its tables.
type Needs = (Board, String, Algorithm, Option<Estimate>, MoveOrder, usize);

impl<'a> Preparation<'a> {
    /// Prepares the tables of a session.
    pub fn new(session: &'a Session) -> Self {
        Self { session, prepared: Mutex::default() }
    }

    /// Loads or builds the tables that a task needs, unless an earlier task has needed them. Many
    /// boards are worth larger databases than one: `auto` builds those with 6, 6 and 3 tiles for
    /// the 15-puzzle.
    ///
    /// # Errors
    /// Fails if the tables are unavailable.
    pub fn prepare(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<(), TableError> {
        let (goal, costs) = (task.puzzle.goal().clone(), task.cost.to_string());
        let Method { algorithm, estimate, moves, prune, .. } = &task.method;
        let key = (goal, costs, *algorithm, estimate.clone(), *moves, *prune);
        if lock(&self.prepared).contains(&key) || !is_reachable(&task.puzzle) {
            return Ok(());
        }
        match self.session.method_for_many(task) {
            Some(method) => {
                self.session.prepare(&Task { method, ..task.clone() }, monitor, report)?;
            }
            None => self.session.prepare(task, monitor, report)?,
        }
        lock(&self.prepared).insert(key);
        Ok(())
    }
}

/// How many tasks a device should get together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Group {
    /// With fewer it does not pay.
    least: usize,
    /// With more it is not faster.
    most: usize,
}

/// The number of boards that keep a device busy.
const MAX_GROUP: usize = 1 << 14;

/// The number of boards from which `auto` uses a device: it takes a while to start, in which the
/// processor solves thousands.
const MIN_BATCH_FOR_AUTO: usize = 1 << 12;

impl Session {
    /// Returns how many tasks like this one `run_together` should get. It is `None` if such tasks
    /// are run alone: if there is no driver for a device, or if the method is neither
    /// `ida:pdb=..,on=gpu` without other fields nor `auto` or `auto,on=gpu`, on 15-puzzles with the
    /// usual moves and costs and without limits on nodes and time.
    fn group_of(&self, task: &Task) -> Option<Group> {
        let least = if task.method == Method::default() { MIN_BATCH_FOR_AUTO } else { 1 };
        let fits = is_usual(task) && is_for_many(&task.method);
        (fits && self.device().is_ok()).then_some(Group { least, most: MAX_GROUP })
    }

    /// Solves tasks together on a device. There is no report of a task that does not fit the first
    /// one: it has another goal or method, or `group_of` refuses it.
    ///
    /// It fails if the device does, or has too little memory: then no task has a report.
    fn run_together(
        &self,
        tasks: &[&Task],
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<Option<Report>>, DeviceError> {
        let fits = |task: &&&Task| is_usual(task) && is_for_many(&task.method);
        let Some(&first) = tasks.iter().find(fits) else { return Ok(vec![None; tasks.len()]) };
        let method = match self.method_for_many(first) {
            Some(method) => Method { on: Some(Device::Gpu), ..method },
            None => first.method.clone(),
        };
        let is_like = |task: &Task| {
            is_usual(task)
                && task.method == first.method
                && task.puzzle.goal() == first.puzzle.goal()
        };
        let searched = Task { method: method.clone(), ..first.clone() };
        let session = self.for_search();
        let Ok(AnyHeuristic::Pdb(patterns)) = session.heuristic_of(&searched, monitor, None) else {
            return Err(DeviceError::Unsupported("the databases are unavailable"));
        };
        let mut reports: Vec<Option<Report>> =
            tasks.iter().map(|task| is_like(task).then(|| refuse(task)).flatten()).collect();
        let left: Vec<usize> =
            (0..tasks.len()).filter(|&at| is_like(tasks[at]) && reports[at].is_none()).collect();
        let starts: Vec<Board> = left.iter().map(|&at| tasks[at].puzzle.start().clone()).collect();
        let DeviceBatch { searches, seconds, device } =
            self.device()?.solve_many(&patterns, &starts, monitor)?;
        let Some(searches) = searches else {
            for at in left {
                let stopped = Report::unsearched(tasks[at], Ending::Stopped, Reason::Cancelled);
                reports[at] = Some(stopped);
            }
            return Ok(reports);
        };
        let seconds = seconds / starts.len() as f64;
        let note = match first.method.algorithm {
            Algorithm::Auto => format!("chose {method}: there is a device, {device}"),
            _ => format!("searched on {device}"),
        };
        let note = format!("{note}; boards were solved together, the time is an equal share");
        for (at, search) in left.into_iter().zip(searches) {
            let mut report = timed(tasks[at], search, seconds);
            report.stages[0].method = method.clone();
            report.notes.push(note.clone());
            reports[at] = Some(session.without_contradiction(tasks[at], report));
        }
        Ok(reports)
    }

    /// Runs a task on the processor, and reports why it was not done on a device.
    fn run_without_device(&self, task: &Task, why: &DeviceError, watch: Watch<'_>) -> Report {
        let on = (task.method.algorithm == Algorithm::Auto).then_some(Device::Cpu);
        let method = Method { on, ..task.method.clone() };
        let mut report = self.run(&Task { method, ..task.clone() }, watch);
        report.method = task.method.clone();
        // `auto` chooses, and most machines have no device.
        let is_usual = task.method == Method::default() && matches!(why, DeviceError::Missing(_));
        if report.outcome != Ending::Unsolvable && !is_usual {
            report.notes.insert(0, format!("searched on the processor: {why}"));
        }
        report
    }

    /// Returns the method whose databases are worth building for many `auto` tasks, unless it is
    /// `auto` itself: those with 6, 6 and 3 tiles, or larger ones that exist already.
    fn method_for_many(&self, task: &Task) -> Option<Method> {
        let goal = task.puzzle.goal();
        let fits = is_fifteen(goal) && task.cost == Costs::Unit && !task.jumps;
        if task.method.algorithm != Algorithm::Auto || !fits {
            return None;
        }
        let named = |name: &str| Estimate::pdb(name.parse().expect("a partition"));
        let largest = Some(named("7-8")).filter(|largest| self.has_tables(goal, largest));
        Some(Method::new(Algorithm::Ida, largest.or_else(|| Some(named("6-6-3")))))
    }
}

fn is_fifteen(goal: &Board) -> bool {
    (goal.size().rows(), goal.size().cols()) == (4, 4) && goal.blanks().count() == 1
}

/// Returns whether a device solves many 15-puzzles with a method.
fn is_for_many(method: &Method) -> bool {
    let on_device = match &method.estimate {
        None => Method::default(),
        Some(estimate @ Estimate::Pdb { kind: PatternKind::Plain, .. }) => {
            Method::new(Algorithm::Ida, Some(estimate.clone()))
        }
        Some(_) => return false,
    };
    *method == Method::default() || *method == Method { on: Some(Device::Gpu), ..on_device }
}

/// Returns whether the kernels support everything that a task asks for apart from its method.
fn is_usual(task: &Task) -> bool {
    let TaskLimits { expanded, generated, seconds, traced, .. } = task.limits;
    is_fifteen(task.puzzle.goal())
        && task.cost == Costs::Unit
        && !task.jumps
        && !task.search_anyway
        && (expanded, generated, seconds, traced) == (None, None, None, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accelerator::tests::{Batch, TestDevice, failure};
    use taquin_search::Limits;
    use taquin_solvers::{Solver, SolverHeuristic, SolverOptions};

    const SOLVABLE: &str = "1 2 3 4/5 6 0 8/9 10 7 12/13 14 11 15";
    const UNSOLVABLE: &str = "1 2 3 4/5 6 7 8/9 10 11 12/13 15 14 0";
    const SMALL: &str = "1 2 3/4 0 6/7 5 8";
    const METHOD: &str = "ida:pdb=1.2.5.6/3.4.7.8,on=gpu";

    fn task(board: &str, method: &str) -> Task {
        let start: Board = board.parse().unwrap();
        Task { method: method.parse().unwrap(), ..Task::from(start) }
    }

    fn session(batch: Batch) -> Session {
        let device = TestDevice { batch, ..TestDevice::failing(|_| ()) };
        Session::without_folder().with_accelerator(device)
    }

    /// A device that solves boards.
    const WORKING: Batch = |patterns, starts| {
        let heuristic = SolverHeuristic::Patterns(Arc::clone(patterns));
        let options = SolverOptions::default();
        let solver = Solver::new(patterns.goal(), &heuristic, options).unwrap();
        let solve = |start| solver.solve(start, 1, &Limits::default()).unwrap();
        let searches = Some(starts.iter().map(solve).collect());
        Ok(DeviceBatch { searches, seconds: 1.0, device: "a test".to_owned() })
    };

    const FAILING: Batch = |_, _| Err(failure());

    #[test]
    fn boards_are_grouped_only_where_a_device_solves_them_together() {
        let with = session(WORKING);
        let without = Session::without_folder();
        let some = Some(Group { least: 1, most: MAX_GROUP });
        assert_eq!(with.group_of(&task(SOLVABLE, METHOD)), some);
        assert_eq!(with.group_of(&task(UNSOLVABLE, "ida:pdb=7-8,on=gpu")), some);
        assert_eq!(with.group_of(&task(SOLVABLE, "auto,on=gpu")), some);
        let auto = Some(Group { least: MIN_BATCH_FOR_AUTO, most: MAX_GROUP });
        assert_eq!(with.group_of(&task(SOLVABLE, "auto")), auto);
        for method in [METHOD, "auto"] {
            assert_eq!(without.group_of(&task(SOLVABLE, method)), None, "there is no device");
            assert_eq!(with.group_of(&task(SMALL, method)), None, "{method}");
        }
        let mut others = Vec::new();
        for method in [
            "ida:manhattan,on=gpu",
            "auto,on=cpu",
            "ida:pdb=5-5-5",
            "ida:pdb=5-5-5,on=gpu,prune=8",
            "astar:pdb=5-5-5",
            "anytime",
        ] {
            others.push(task(SOLVABLE, method));
        }
        let limits = TaskLimits { seconds: Some(1.0), ..TaskLimits::default() };
        for method in [METHOD, "auto"] {
            others.push(Task { limits: limits.clone(), ..task(SOLVABLE, method) });
            others.push(Task { cost: Costs::Tile, ..task(SOLVABLE, method) });
        }
        let rows: Vec<String> = (0..5)
            .map(|row| {
                (1..6).map(|col| ((5 * row + col) % 25).to_string()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        others.push(task(&rows.join("/"), "ida:pdb=6-6-6-6,on=gpu"));
        for other in others {
            assert_eq!(with.group_of(&other), None, "{other:?}");
        }
    }

    #[test]
    fn a_device_answers_for_the_boards_that_fit() {
        let session = session(WORKING);
        let other_goal: Board = "0 1 2 3/4 5 6 7/8 9 10 11/12 13 14 15".parse().unwrap();
        let tasks = [
            task(SMALL, METHOD),
            task(SOLVABLE, METHOD),
            task(UNSOLVABLE, METHOD),
            Task::new(
                taquin_tiles::Puzzle::new(other_goal.clone(), other_goal).unwrap(),
                METHOD.parse().unwrap(),
            ),
            task("1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15", METHOD),
        ];
        let all: Vec<&Task> = tasks.iter().collect();
        let reports = session.run_together(&all, &Arc::default()).unwrap();
        assert!(reports[0].is_none() && reports[3].is_none());
        let solved = reports[1].as_ref().unwrap();
        assert_eq!((solved.depth, solved.optimal, solved.seconds), (Some(3), true, 0.5));
        assert_eq!(solved.stages[0].method.to_string(), METHOD);
        let note = "searched on a test; boards were solved together, the time is an equal share";
        assert_eq!(solved.notes, [note]);
        assert_eq!(reports[2].as_ref().unwrap().outcome, Ending::Unsolvable);
        assert_eq!(reports[4].as_ref().unwrap().depth, Some(1));
    }

    #[test]
    fn the_processor_solves_what_a_device_failed_to() {
        let session = session(FAILING);
        let task = task(SOLVABLE, METHOD);
        let error = session.run_together(&[&task], &Arc::default()).unwrap_err();
        let report = session.run_without_device(&task, &error, Watch::default());
        assert_eq!((report.depth, report.optimal), (Some(3), true));
        assert_eq!(report.method, task.method);
        assert_eq!(report.stages[0].method.to_string(), METHOD.trim_end_matches(",on=gpu"));
        assert_eq!(report.notes, ["searched on the processor: a test"]);
    }

    /// Solves boards with one thread, and counts how often one is parsed.
    fn solve_many(session: &Session, boards: &'static [&str]) -> (Vec<Option<u64>>, usize) {
        let (mut depths, parsed) = (Vec::new(), Mutex::new(0));
        let job = SolveMany {
            input: BoardInput::quick(boards.iter().map(Ok)),
            threads: 1,
            parse: &|board: &&str| {
                *lock(&parsed) += 1;
                ((), board.parse::<Board>().is_ok().then(|| task(board, METHOD)))
            },
            answer: &|(), report| report.and_then(|report| report.depth),
            write: &mut |answers| {
                depths.extend(answers);
                Ok(())
            },
        };
        session.run(job, Watch::default()).unwrap();
        (depths, parsed.into_inner().unwrap())
    }

    #[test]
    fn many_boards_are_parsed_once_and_answered_in_order() {
        const NEAR: &str = "1 2 3 4/5 6 7 8/9 10 11 12/13 14 0 15";
        const BOARDS: &[&str] = &["no board", SOLVABLE, UNSOLVABLE, NEAR, "1 2", SOLVABLE];
        for session in [session(WORKING), session(FAILING), Session::without_folder()] {
            let (depths, parsed) = solve_many(&session, BOARDS);
            assert_eq!(depths, [None, Some(3), None, Some(1), None, Some(3)]);
            assert_eq!(parsed, BOARDS.len());
        }
    }

    #[test]
    fn a_cancelled_job_takes_no_more_boards() {
        let (monitor, mut written) = (Arc::new(Monitor::default()), Vec::new());
        let job = SolveMany {
            input: BoardInput::quick((1..1000).map(Ok)),
            threads: 1,
            parse: &|number| (number, Some(task(SOLVABLE, "ida:manhattan"))),
            answer: &|number, _| {
                if number == 3 {
                    monitor.cancel();
                }
                number
            },
            write: &mut |answers| {
                written.extend(answers);
                Ok(())
            },
        };
        Session::without_folder().run(job, Watch::by(&monitor)).unwrap();
        assert_eq!(written, [1, 2, 3]);
    }

    #[test]
    fn a_panic_ends_many_boards_with_an_error() {
        let job = SolveMany {
            input: BoardInput::quick((0..100_000).map(Ok)),
            threads: 3,
            parse: &|number| {
                assert_ne!(number, 20, "a test");
                (number, None)
            },
            answer: &|number, _| number,
            write: &mut |_| Ok(()),
        };
        let ended = Session::without_folder().run(job, Watch::default());
        let Err(ManyError::Panicked(message)) = ended else { panic!("{ended:?}") };
        assert!(message.contains("a test"), "{message}");
    }

    #[test]
    fn boards_of_auto_take_turns_on_a_device() {
        static RUNNING: Mutex<bool> = Mutex::new(false);
        static USES: Mutex<usize> = Mutex::new(0);
        let device = TestDevice::failing(|_| {
            let alone = RUNNING.try_lock();
            assert!(alone.is_ok(), "two at a time");
            std::thread::sleep(std::time::Duration::from_millis(5));
            *lock(&USES) += 1;
        });
        let session = Session::without_folder().with_accelerator(device);
        let far = "24 23 22 21 20/19 18 17 16 15/14 13 12 11 10/9 8 7 6 5/4 3 2 1 0";
        let mut far = task(far, "auto,on=gpu");
        far.limits.seconds = Some(0.05);
        let job = SolveMany {
            input: BoardInput::quick((0..6).map(Ok)),
            threads: 3,
            parse: &|_| ((), Some(far.clone())),
            answer: &|(), report| report.is_some(),
            write: &mut |_| Ok(()),
        };
        session.run(job, Watch::default()).unwrap();
        assert_eq!(*lock(&USES), 6);
    }

    #[test]
    fn a_cancelled_group_claims_nothing() {
        let none: Batch =
            |_, _| Ok(DeviceBatch { searches: None, seconds: 0.0, device: String::new() });
        let task = task(SOLVABLE, METHOD);
        let reports = session(none).run_together(&[&task], &Arc::default()).unwrap();
        let report = reports[0].as_ref().unwrap();
        assert_eq!((report.reason, report.optimal), (Some(Reason::Cancelled), false));
    }
}
