//! Searches at the same time: one makes better answers, one proves a bound, and larger tables are
//! built when they pay.
//!
//! This thread only directs the others. It takes their results, combines the best answer with the
//! best bound, pauses threads so that no more work than allowed, and stops all of them when the
//! answer is proven, when the time is up, or on cancellation. The prover never searches the best
//! answer's threshold, because the answer is proven when that threshold begins.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, Scope};
use std::time::Duration;

use taquin_search::{Cost, Counts, Instant, Limits, Monitor, Progress, Search};
use taquin_solvers::{ImproveFrom, Snapshot, Solver, WideBeam, improve_with};
use taquin_tiles::{Costs, Slide};

use super::auto::{MAX_OPTIMAL_CELLS, MAX_PROVED_CELLS, MEMORY_PARTS};
use super::ladder::{Forecast, Ladder};
use super::prover::{Prover, frontier_memory, with_tables};
use super::{Portfolio, WEIGHTS_MEMORY, falling_weights, on_threads};
use crate::accelerator::{DeviceError, WhenBusy};
use crate::algorithm::Algorithm;
use crate::engine::run;
use crate::heuristic::AnyHeuristic;
use crate::method::Method;
use crate::on::Device;
use crate::report::{Ending, ReplayedSolution, SearchResult};
use crate::session::Session;
use crate::tables::{BUILD_BYTES, TableRequest};
use crate::task::Task;

/// The nodes of the first beam search on boards that can be solved optimally: some milliseconds.
const FIRST_BEAM: usize = 30_000;

/// The time that making the answer better has before it shares with a proof.
const HEAD_START: Duration = Duration::from_millis(20);

/// The time in which better answers are hoped for anyway.
const PROMISING_TIME: Duration = Duration::from_millis(200);

/// The time to complete an answer after the limit.
const COMPLETION_TIME: Duration = Duration::from_millis(100);

/// How often the work is looked at, and how often the threads are divided anew.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
const DIVISION_INTERVAL: Duration = Duration::from_millis(10);

/// The share of the remaining time in which tables have to be built.
const BUILDING_SHARE: f64 = 0.8;

/// The share for the first ones.
const FIRST_SHARE: f64 = 0.5;

/// The share of the time that weighted A* has for each weight if moves differ in cost.
const WEIGHT_SHARE: f64 = 0.25;

/// Messages from the worker threads.
enum TeamMessage {
    /// A solution, not necessarily better than those before.
    Answer(Vec<Slide>),
    /// The findings of a search that has ended.
    Searched(Method, Search<Slide>, Instant),
    /// The answer cannot be improved any more.
    Improved(Method, Counts, Instant),
    /// Why a requested device was not used.
    NoDevice(DeviceError),
    /// The prover with this number has ended.
    Proved(usize, Method, Option<Search<Slide>>, Instant),
    /// A rung's databases finished building (`None` if that failed), and the time taken.
    Built(usize, Option<Prover>, Duration),
    /// A member panics, and the scope of the threads passes that on when all have ended.
    Panicked,
}

/// Reports a panic of its thread.
struct PanicGuard(Sender<TeamMessage>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send(TeamMessage::Panicked);
        }
    }
}

/// The workers on a task.
struct Team<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    task: &'env Task,
    session: &'env Session,
    news: Sender<TeamMessage>,
    memory: Option<u64>,
    /// The threshold at which a proof begins, if it is not the first.
    reached: Option<Snapshot>,
    /// The heuristic to prove with if there are no databases.
    linear: Option<AnyHeuristic>,
    ladder: Ladder,
    /// The rung of the prover's databases.
    rung: Option<usize>,
    improver: Option<Arc<Monitor>>,
    /// Whether the improver works, and how long it has.
    improves: bool,
    improved_for: Duration,
    prover: Option<Arc<Monitor>>,
    prover_threads: usize,
    prover_started: Instant,
    provers: usize,
    forecast: Forecast,
    /// Whether the proof is expected to end in time.
    is_provable: bool,
    builder: Option<(Arc<Monitor>, usize)>,
    /// Whether the builder only loads stored databases.
    is_loading: bool,
    /// When the best answer was found, in seconds.
    answered: f64,
    divided: Instant,
}

impl Portfolio<'_> {
    /// Lets a team work until the answer is proven or the time is up.
    pub(super) fn work_together(
        &mut self,
        ladder: Ladder,
        prover: Option<(Prover, Option<usize>)>,
    ) {
        let begun = self.begin();
        let (news, inbox) = channel();
        let (task, session) = (self.task, self.session);
        thread::scope(|scope| {
            let mut team = Team {
                scope,
                task,
                session,
                news,
                memory: self.limits.memory,
                reached: self.reached.clone(),
                linear: None,
                ladder,
                rung: None,
                improver: None,
                improves: true,
                improved_for: Duration::ZERO,
                prover: None,
                prover_threads: 0,
                prover_started: begun,
                provers: 0,
                forecast: Forecast::default(),
                is_provable: false,
                builder: None,
                is_loading: false,
                answered: 0.0,
                divided: begun,
            };
            self.start_improver(&mut team);
            team.linear =
                (task.puzzle.size().cells() <= MAX_PROVED_CELLS).then(|| self.usual()).flatten();
            match prover {
                Some((prover, rung)) => {
                    team.ladder.look(task.puzzle.goal(), session);
                    team.prove(prover, rung);
                }
                None => team.build_first(self.left(1.0).time),
            }
            team.divide(begun);
            self.direct(&mut team, &inbox);
            self.finish(&mut team, &inbox);
        });
        // The counts and bounds of stopped workers.
        for news in inbox.try_iter() {
            self.take_late(news);
        }
    }

    /// Takes news and divides the threads until there is nothing left to do.
    fn direct(&mut self, team: &mut Team<'_, '_>, inbox: &Receiver<TeamMessage>) {
        let begun = Instant::now();
        loop {
            match inbox.recv_timeout(POLL_INTERVAL) {
                Ok(TeamMessage::Built(rung, prover, took)) => {
                    if prover.is_some() && !team.is_loading {
                        self.built.push(team.ladder.rungs[rung].partition().clone());
                    }
                    team.take_tables(rung, prover, took, self.left(1.0).time);
                }
                Ok(TeamMessage::Proved(number, method, search, started)) => {
                    if number == team.provers {
                        team.prover = None;
                    }
                    self.take_late(TeamMessage::Proved(number, method, search, started));
                }
                Ok(TeamMessage::Improved(method, counts, started)) => {
                    team.improver = None;
                    self.take_late(TeamMessage::Improved(method, counts, started));
                }
                Ok(TeamMessage::Answer(slides)) => {
                    self.take_answer(slides);
                    team.answered = self.improvements.last().map_or(0.0, |last| last.seconds);
                }
                Ok(TeamMessage::Panicked) => return,
                Ok(news) => self.take_late(news),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            let bound = team.prover.as_ref().map_or(0, |prover| prover.known().bound);
            self.raise(bound);
            self.tell(team);
            let is_idle =
                team.improver.is_none() && team.prover.is_none() && team.builder.is_none();
            if self.is_done() || self.is_late() || is_idle {
                return;
            }
            if team.divided.elapsed() >= DIVISION_INTERVAL {
                let best = self.found.as_ref().and_then(|found| found.solution.as_ref());
                let best = best.map_or(Cost::MAX, ReplayedSolution::cost);
                team.climb(best, self.left(1.0).time);
                team.divide(begun);
            }
        }
    }

    /// Lets the improver end by itself when the time is up: it completes the path that it is at.
    fn finish(&mut self, team: &mut Team<'_, '_>, inbox: &Receiver<TeamMessage>) {
        if let Some(prover) = team.prover.take() {
            prover.cancel();
        }
        if let Some((builder, _)) = team.builder.take() {
            builder.cancel();
        }
        if let Some(improver) = &team.improver {
            improver.rest(0);
        }
        let begun = Instant::now();
        while team.improver.is_some() && !self.is_done() && begun.elapsed() < COMPLETION_TIME {
            let Ok(news) = inbox.recv_timeout(POLL_INTERVAL) else { continue };
            if matches!(news, TeamMessage::Improved(..)) {
                team.improver = None;
            }
            self.take_late(news);
        }
    }

    /// Whether the time is up.
    fn is_late(&self) -> bool {
        self.limits.time.is_some_and(|most| self.started.elapsed() >= most)
    }

    /// Shows the progress of all together.
    fn tell(&self, team: &Team<'_, '_>) {
        let Some(monitor) = &self.limits.monitor else { return };
        let workers = || team.improver.iter().chain(&team.prover).map(|worker| worker.progress());
        monitor.report(Progress {
            expanded: workers().map(|worker| worker.expanded).sum(),
            generated: workers().map(|worker| worker.generated).sum(),
            frontier: workers().map(|worker| worker.frontier).sum(),
            bound: self.found.as_ref().map_or(0, |found| found.lower_bound),
        });
    }

    fn take_late(&mut self, news: TeamMessage) {
        match news {
            TeamMessage::Answer(slides) => self.take_answer(slides),
            TeamMessage::Searched(method, search, started) => {
                self.add_search(method, search, started);
            }
            TeamMessage::Proved(_, method, search, started) => {
                if let Some(search) = search {
                    self.add_search(method, search, started);
                }
            }
            TeamMessage::Improved(method, counts, started) => {
                let is_better = self
                    .improvements
                    .last()
                    .is_some_and(|last| last.seconds > (started - self.started).as_secs_f64());
                let outcome = if is_better { Ending::Solved } else { Ending::Stopped };
                let found = SearchResult { outcome, counts, ..SearchResult::default() };
                self.add(method, found, started);
            }
            TeamMessage::NoDevice(error) => {
                self.notes.push(format!("the device was not used: {error}"));
            }
            TeamMessage::Built(..) | TeamMessage::Panicked => {}
        }
    }

    /// Makes a solution the best one if it is.
    pub(super) fn take_answer(&mut self, slides: Vec<Slide>) {
        let Some(better) = ReplayedSolution::new(self.task, slides) else { return };
        let Some(found) = &mut self.found else { return };
        if found.solution.as_ref().is_none_or(|best| better.cost() < best.cost()) {
            (found.outcome, found.reason) = (Ending::Solved, None);
            found.solution = Some(better.clone());
            self.improved(&better, 0);
        }
    }

    /// Raises the bound.
    fn raise(&mut self, bound: Cost) {
        if let Some(found) = &mut self.found {
            found.lower_bound = found.lower_bound.max(bound);
        }
    }

    /// Starts the improver: weighted A* first where moves differ in cost, then beam searches and
    /// windows, again and again with another seed.
    fn start_improver(&self, team: &mut Team<'_, '_>) {
        let Some(found) = &self.found else { return };
        let Some(solution) = &found.solution else { return };
        let monitor = Arc::new(Monitor::default());
        team.improver = Some(Arc::clone(&monitor));
        let (task, session, news) = (team.task, team.session, team.news.clone());
        let memory = self.limits.memory.map_or(WEIGHTS_MEMORY, |most| most / MEMORY_PARTS);
        let deadline = self.limits.time.map(|time| self.started + time);
        let is_unit = task.cost == Costs::Unit;
        let heuristic = (!is_unit).then(|| self.usual()).flatten();
        // Moves are saved, so only a bound on their number can end it early.
        let bound = if is_unit { found.lower_bound } else { 0 };
        let mut path = solution.slides().to_vec();
        let is_small = task.puzzle.size().cells() <= MAX_OPTIMAL_CELLS;
        let first = if is_small { FIRST_BEAM } else { ImproveFrom::FIRST };
        let limits = move |share: f64| Limits {
            memory: Some(memory.min(WEIGHTS_MEMORY)),
            time: deadline.map(|end| end.saturating_duration_since(Instant::now()).mul_f64(share)),
            monitor: Some(Arc::clone(&monitor)),
            ..Limits::default()
        };
        team.start(move || {
            if let Some(heuristic) = heuristic {
                for method in falling_weights(task) {
                    let started = Instant::now();
                    let search =
                        run(task, &method, (&heuristic).into(), &limits(WEIGHT_SHARE), None);
                    let is_solved = search.solution().is_some();
                    // If the receiver is gone, the work is done.
                    let _ = news.send(TeamMessage::Searched(method, search, started));
                    if !is_solved {
                        break;
                    }
                }
            }
            let started = Instant::now();
            let mut improve = |mut wide: Option<&mut dyn WideBeam>| {
                let mut counts = Counts::default();
                for seed in 0.. {
                    let from = ImproveFrom { path: path.clone(), bound, seed, first };
                    let mut each = |moves: &[Slide]| {
                        path = moves.to_vec();
                        let _ = news.send(TeamMessage::Answer(path.clone()));
                    };
                    let engine: Option<&mut dyn WideBeam> = match &mut wide {
                        Some(wide) => Some(&mut **wide),
                        None => None,
                    };
                    let round = improve_with(engine, &task.puzzle, from, &limits(1.0), &mut each);
                    counts = counts.then(round);
                    let limits = limits(1.0);
                    let is_over = limits.time.is_some_and(|left| left.is_zero())
                        || limits.monitor.is_some_and(|monitor| monitor.is_cancelled());
                    // A search that has no room would only be repeated.
                    if is_over || round.expanded < FIRST_BEAM as u64 {
                        break;
                    }
                }
                counts
            };
            let mut method = Method::new(Algorithm::Anytime, None);
            let pays = match task.method.on {
                Some(Device::Cpu) => false,
                Some(Device::Gpu) => true,
                None => session.device().is_ok_and(|device| {
                    limits(1.0).time.is_none_or(|left| left > device.least_time())
                }),
            };
            let pays = pays && task.puzzle.size().cells() > Solver::MAX_CELLS;
            let counts = if pays {
                let (counts, device) = session.with_beam(&task.puzzle, WhenBusy::Fail, improve);
                match device {
                    Ok(_) => method.on = Some(Device::Gpu),
                    Err(error) if task.method.on == Some(Device::Gpu) => {
                        let _ = news.send(TeamMessage::NoDevice(error));
                    }
                    Err(_) => {}
                }
                counts
            } else {
                improve(None)
            };
            let _ = news.send(TeamMessage::Improved(method, counts, started));
        });
    }
}

/// The time that is due to the improver. If the board is small or its proof is expected in time, it
/// has a third of the time, and little when it has found nothing for long. Otherwise it has all the
/// time of a thread, or most of it if there is only one thread.
fn due(task: &Task, is_provable: bool, elapsed: Duration, answered: f64) -> Duration {
    if task.puzzle.size().cells() <= MAX_OPTIMAL_CELLS || is_provable {
        let promising = elapsed.min(PROMISING_TIME + Duration::from_secs_f64(10.0 * answered));
        return HEAD_START + promising / 3 + elapsed / 20;
    }
    match task.threads {
        ..=1 => HEAD_START + elapsed * 4 / 5,
        _ => Duration::MAX,
    }
}

impl<'scope> Team<'scope, '_> {
    /// Starts a member. If it panics, all end.
    fn start(&self, work: impl FnOnce() + Send + 'scope) {
        let guard = PanicGuard(self.news.clone());
        self.scope.spawn(move || {
            let _guard = guard;
            work();
        });
    }
}

impl Team<'_, '_> {
    /// The threads that the improver leaves, or the only one.
    fn spare_threads(&self) -> usize {
        self.task.threads.saturating_sub(1).max(1)
    }

    /// Decides which workers run and which pause.
    fn divide(&mut self, begun: Instant) {
        let (threads, now) = (self.task.threads.max(1), Instant::now());
        if self.improves && self.improver.is_some() {
            self.improved_for += now - self.divided;
        }
        self.divided = now;
        let building = self.builder.as_ref().map_or(0, |(_, threads)| *threads);
        let due = due(self.task, self.is_provable, now - begun, self.answered);
        let proving = self.prover.as_ref().map_or(0, |_| self.prover_threads);
        self.improves = self.improver.is_some()
            && building < threads
            && (building + proving < threads || self.improved_for <= due);
        if let Some(improver) = &self.improver {
            improver.rest(usize::from(!self.improves));
        }
        if let Some(prover) = &self.prover {
            let free = threads.saturating_sub(building + usize::from(self.improves));
            prover.rest(self.prover_threads.saturating_sub(free));
        }
    }

    /// Replaces the current prover.
    fn prove(&mut self, prover: Prover, rung: Option<usize>) {
        if let Some(before) = self.prover.take() {
            before.cancel();
        }
        self.provers += 1;
        let (number, task, news) = (self.provers, self.task, self.news.clone());
        let monitor = Arc::new(Monitor::default());
        let memory = self.memory;
        let limits = Limits { memory, monitor: Some(Arc::clone(&monitor)), ..Limits::default() };
        let method = prover.method(rung.map(|rung| &self.ladder.rungs[rung].estimate));
        self.prover_threads = match &prover {
            Prover::Special(_) | Prover::Frontier(..) => task.threads.max(1),
            Prover::General(_) => 1,
        };
        (self.prover, self.prover_started) = (Some(monitor), Instant::now());
        self.rung = rung;
        self.forecast = Forecast::default();
        self.is_provable = false;
        let (threads, from) = (self.prover_threads, self.reached.clone());
        self.start(move || {
            let started = Instant::now();
            let search = prover.search(task, &method, threads, &limits, from);
            let _ = news.send(TeamMessage::Proved(number, method, search, started));
        });
    }

    /// Loads or builds the first databases. Without any, proves without databases.
    fn build_first(&mut self, left: Option<Duration>) {
        self.ladder.look(self.task.puzzle.goal(), self.session);
        let threads = self.spare_threads();
        let is_in_time = |rung: &usize| {
            left.is_none_or(|left| {
                self.ladder.build_time(*rung, threads) < left.mul_f64(FIRST_SHARE)
            })
        };
        if let Some(rung) = self.ladder.first().filter(is_in_time) {
            self.build(rung, threads);
        } else if let Some(linear) = self.linear.take() {
            self.prove(Prover::General(linear), None);
        }
    }

    /// Starts to build the databases of a rung on some threads, or to load them.
    fn build(&mut self, rung: usize, threads: usize) {
        let is_loading = self.ladder.rungs[rung].is_stored;
        let monitor = Arc::new(Monitor::default());
        self.builder = Some((Arc::clone(&monitor), threads));
        self.is_loading = is_loading;
        let (task, session, news) = (self.task, self.session, self.news.clone());
        let memory = Some(self.memory.map_or(BUILD_BYTES, |most| most / MEMORY_PARTS));
        let frontier = Some(frontier_memory(self.memory));
        let estimate = self.ladder.rungs[rung].estimate.clone();
        self.start(move || {
            let started = Instant::now();
            let prover = on_threads(threads, || {
                if is_loading && !session.tables.has(&estimate, task.puzzle.goal()) {
                    return None;
                }
                let mut request = TableRequest { memory, monitor: &monitor, report: &mut |_| () };
                with_tables(session, task, &estimate, frontier, &mut request)
            });
            let _ = news.send(TeamMessage::Built(rung, prover, started.elapsed()));
        });
    }

    /// Uses databases that are ready.
    fn take_tables(
        &mut self,
        rung: usize,
        prover: Option<Prover>,
        took: Duration,
        left: Option<Duration>,
    ) {
        let threads = self.builder.take().map_or(1, |(_, threads)| threads);
        match prover {
            Some(prover) => {
                if !self.is_loading {
                    self.ladder.learn(rung, threads, took);
                }
                self.prove(prover, Some(rung));
            }
            // Their files are invalid, or larger ones are unavailable, too.
            None => {
                if !self.is_loading {
                    self.ladder.rungs.truncate(rung);
                }
                self.ladder.look(self.task.puzzle.goal(), self.session);
                if self.prover.is_none() {
                    self.build_first(left);
                }
            }
        }
    }

    /// Builds larger databases if they pay and there is time.
    fn climb(&mut self, best: Cost, left: Option<Duration>) {
        let Some(prover) = &self.prover else { return };
        let Some(search) = self.forecast.left(prover, self.prover_started, best) else { return };
        self.is_provable = left.is_none_or(|left| search < left);
        let (Some(present), None) = (self.rung, &self.builder) else { return };
        if self.improved_for < HEAD_START && self.improver.is_some() {
            return;
        }
        let left = left.unwrap_or(Duration::MAX);
        let (spare, all) = (self.spare_threads(), self.task.threads);
        let is_in_time = |(rung, _): &(usize, Duration)| {
            self.ladder.build_time(*rung, spare) < left.mul_f64(BUILDING_SHARE)
        };
        if let Some((rung, _)) = self.ladder.next(present, search, spare).filter(is_in_time) {
            self.build(rung, spare);
        } else if let Some((rung, end)) = self.ladder.next(present, search, all)
            && end < left.mul_f64(BUILDING_SHARE)
        {
            // Only on all threads there is time enough, and then even for the search.
            self.build(rung, all);
        }
    }
}

/// Cancels all workers, even if their director panics.
impl Drop for Team<'_, '_> {
    fn drop(&mut self) {
        let builder = self.builder.take().map(|(monitor, _)| monitor);
        for worker in [self.improver.take(), self.prover.take(), builder].into_iter().flatten() {
            worker.cancel();
        }
    }
}
