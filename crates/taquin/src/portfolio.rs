//! Methods that combine several searches, or have their own engine: `auto`, `aida`, `layers`,
//! `anytime` and `table`.
//!
//! A portfolio runs stages one after the other or at the same time, each within the remaining
//! limits. It joins the best solution and the best proven bound from all stages.

mod auto;
mod device;
mod ladder;
mod prover;
mod team;

use std::time::Duration;

use taquin_search::{Cost, Counts, Improvement, Instant, Limits, Monitor, Search, Weight};
use taquin_solvers::{
    FrontierOptions, ImproveFrom, Journal, Snapshot, Solver, WideBeam, improve_with, layers,
};
use taquin_tables::Partition;
use taquin_tables::whole::Metric;
use taquin_tiles::{Board, Costs, Slide};

use crate::accelerator::WhenBusy;
use crate::algorithm::Algorithm;
use crate::engine::run;
use crate::heuristic::{AnyHeuristic, Estimate, Evaluator};
use crate::method::Method;
use crate::on::Device;
use crate::report::{Ending, Hint, Reason, ReplayedSolution, Report, SearchResult, Stage};
use crate::session::Session;
use crate::tables::{TableError, TableRequest};
use crate::task::Task;
use crate::units::write_bytes;
use crate::whole::SpaceError;

/// Does some work on its own pool with this many threads, so that building or verifying tables
/// inside takes no more. Without such a pool, tables take all cores.
pub(crate) fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build() {
        Ok(pool) => pool.install(work),
        // The system has no threads left, so the work uses the existing ones.
        Err(_) => work(),
    }
}

/// The time that `auto` and `anytime` take when there is no limit.
pub const AUTO_TIME: Duration = Duration::from_secs(10);

/// Spaces of up to this many states are searched by A* completely.
const SMALL_SPACE: u128 = 4_000_000;

/// The weights for weighted A*, one after the other. The last one proves optimality.
const WEIGHTS: [(u32, u32); 6] = [(5, 1), (3, 1), (2, 1), (3, 2), (5, 4), (1, 1)];

/// The share of the limits (one part in `n`) that a weight may take, by the number of cells. On
/// small boards the last weight often ends; on larger ones a beam search uses the time better.
/// Beyond the last number of cells not even the first weight would end.
const WEIGHT_SHARES: [(usize, u64); 2] = [(16, 10), (36, 40)];

/// The greatest length of redundant move sequences that are pruned. An automaton of this depth is
/// built in a millisecond. One of depth 8 takes four, a fifth of the time for a random 15-puzzle
/// with databases, and leaves 92 % of the nodes on the hardest ones.
const PRUNE: usize = 6;

/// The memory limit for weighted A*, and for a search for better answers that runs next to others.
const WEIGHTS_MEMORY: u64 = 1 << 30;

/// The databases that the specialised engines take.
pub(crate) const DATABASE_LIMITS: &str = "databases of at most four patterns of at most eight tiles \
    (the tiles in no pattern count as one; with zpdb there may be none)";

/// Several searches for one task, and their joint results.
pub(crate) struct Portfolio<'a> {
    task: &'a Task,
    session: &'a Session,
    limits: Limits,
    started: Instant,
    /// The combined findings of all stages.
    found: Option<SearchResult>,
    stages: Vec<Stage>,
    notes: Vec<String>,
    hints: Vec<Hint>,
    /// The better and better answers, if there is one from the beginning.
    improvements: Vec<Improvement>,
    /// The databases that were built meanwhile.
    built: Vec<Partition>,
    /// The threshold at which a proof begins, if a device has completed those before it and failed.
    reached: Option<Snapshot>,
}

impl<'a> Portfolio<'a> {
    pub(crate) fn new(task: &'a Task, session: &'a Session, limits: Limits) -> Self {
        Self {
            task,
            session,
            limits,
            started: Instant::now(),
            found: None,
            stages: Vec::new(),
            notes: Vec::new(),
            hints: Vec::new(),
            improvements: Vec::new(),
            built: Vec::new(),
            reached: None,
        }
    }

    /// The report of all stages together.
    pub(crate) fn report(self) -> Report {
        let Self { task, started, found, stages, notes, hints, improvements, .. } = self;
        let seconds = started.elapsed().as_secs_f64();
        let report = Report::new(task, found.unwrap_or_default(), seconds);
        Report { stages, notes, hints, improvements, ..report }
    }

    /// An answer by construction, without a search.
    pub(crate) fn layers(&mut self) {
        let started = self.begin();
        let search = layers(&self.task.puzzle, &self.left(1.0));
        let found =
            SearchResult { lower_bound: self.bound(), ..SearchResult::new(self.task, search) };
        if let Some(solution) = &found.solution {
            self.improved(solution, found.lower_bound);
        }
        self.add(Method::new(Algorithm::Layers, None), found, started);
    }

    /// An answer by construction, improved until a limit is reached.
    pub(crate) fn anytime(&mut self) {
        if self.task.method.on != Some(Device::Gpu) {
            return self.anytime_with(None);
        }
        let (session, task) = (self.session, self.task);
        let ((), device) = session.with_beam(&task.puzzle, WhenBusy::Wait, |wide| {
            // The clock starts when the device is ready.
            self.started = Instant::now();
            self.anytime_with(wide);
        });
        self.notes.push(match device {
            Ok(device) => format!("searched on {device}"),
            Err(error) => format!("searched on the processor: {error}"),
        });
    }

    fn anytime_with(&mut self, wide: Option<&mut dyn WideBeam>) {
        // With a limit on nodes the answer must not depend on the clock.
        let is_free = self.limits.expanded.is_none() && self.limits.generated.is_none();
        self.limits.time = self.limits.time.or(is_free.then_some(AUTO_TIME));
        self.layers();
        if arrangements(self.task.puzzle.start()) <= SMALL_SPACE && !self.is_done() {
            self.stage(&usual_method(self.task, Algorithm::Astar), &self.left(1.0));
        }
        if !self.is_done() {
            self.lower_weights();
        }
        if !self.is_done() {
            self.improve(&self.left(1.0), self.task.method.policy.seed, wide);
        }
    }

    /// Looks the answer up in the table of all boards.
    pub(crate) fn table(&mut self) {
        let started = Instant::now();
        if self.task.cost != Costs::Unit {
            let why = "the table method needs unit move costs; use ucs or astar";
            return self.refuse(Reason::Tables, why.to_owned());
        }
        match self.session.look_up(self.task, &self.limits) {
            Ok(search) => {
                let found = SearchResult::new(self.task, search);
                self.add(self.task.method.clone(), found, started);
            }
            Err(error @ SpaceError::Explore(_)) => self.refuse(Reason::Memory, error.to_string()),
            Err(error) => self.refuse(Reason::Tables, error.to_string()),
        }
    }

    /// IDA* below a frontier, with the databases of the method.
    pub(crate) fn aida(&mut self) {
        let silent = Monitor::default();
        let monitor = self.limits.monitor.as_deref().unwrap_or(&silent);
        let heuristic = match self.session.heuristic_of(self.task, monitor, None) {
            Ok(heuristic) => heuristic,
            Err(error) => return self.refuse(Reason::Tables, error.to_string()),
        };
        // The clock starts when the tables are ready.
        self.started = self.begin();
        let solver = self.session.tables.solver_of(self.task, &heuristic);
        let search = match solver {
            Some(solver) => below_frontier(self.task, &solver, &self.limits, None),
            None => Ok(None),
        };
        let search = match search {
            Ok(search) => search,
            Err(error) => return self.refuse(Reason::Memory, error.to_string()),
        };
        let Some(search) = search else {
            let why = format!(
                "aida needs {DATABASE_LIMITS}, a board of at most 25 cells with one blank and more \
                 than one row, and unit move costs; write aida:zpdb=small, or use ida"
            );
            return self.refuse(Reason::Tables, why);
        };
        self.notes.extend(timing_note(self.task));
        self.add_search(self.task.method.clone(), search, self.started);
    }

    /// Ends without a search.
    fn refuse(&mut self, reason: Reason, why: String) {
        self.found = Some(SearchResult { reason: Some(reason), ..SearchResult::default() });
        self.notes.push(why);
    }

    /// Weighted A* with a falling weight, each from the start again: on boards of middle size the
    /// first ones take no time, and a small one may prove optimality. The next weight would take
    /// longer than one that does not end in its share.
    fn lower_weights(&mut self) {
        let cells = self.task.puzzle.size().cells();
        let Some((_, parts)) = WEIGHT_SHARES.into_iter().find(|(most, _)| cells <= *most) else {
            return;
        };
        for method in falling_weights(self.task) {
            let left = self.left(1.0 / parts as f64);
            let limits = Limits {
                expanded: left.expanded.map(|nodes| nodes / parts),
                generated: left.generated.map(|nodes| nodes / parts),
                memory: Some(left.memory.map_or(WEIGHTS_MEMORY, |most| most.min(WEIGHTS_MEMORY))),
                ..left
            };
            if self.is_done() || !self.stage(&method, &limits) {
                break;
            }
        }
    }

    /// Improves the answer within limits.
    fn improve(&mut self, limits: &Limits, seed: u64, wide: Option<&mut dyn WideBeam>) {
        let Some(found) = &self.found else { return };
        let Some(solution) = &found.solution else { return };
        let started = self.begin();
        let (task, lower_bound, mut least) = (self.task, found.lower_bound, solution.cost());
        // Moves of tiles are saved, so only a bound on their number can end it early.
        let counts_tiles = task.cost == Costs::Unit && task.method.metric == Metric::Single;
        let bound = if counts_tiles { lower_bound } else { 0 };
        let path = solution.slides().to_vec();
        let from = ImproveFrom { path, bound, seed, first: ImproveFrom::FIRST };
        let mut best = None;
        let mut each = |moves: &[Slide]| {
            let Some(better) = ReplayedSolution::new(task, moves.to_vec()) else { return };
            if better.cost() < least {
                least = better.cost();
                self.improved(&better, lower_bound);
                best = Some(better);
            }
        };
        let (puzzle, on) = (&task.puzzle, wide.is_some().then_some(Device::Gpu));
        let counts = improve_with(wide, puzzle, from, limits, &mut each);
        let outcome = if best.is_some() { Ending::Solved } else { Ending::Stopped };
        let reason = best.is_none().then_some(Reason::Time);
        let found = SearchResult {
            outcome,
            reason,
            solution: best,
            lower_bound,
            counts,
            before_last_bound: None,
        };
        let mut method = Method::new(Algorithm::Anytime, None);
        method.policy.seed = seed;
        method.on = on;
        self.add(method, found, started);
    }

    /// Runs one method within limits; returns whether it found an answer.
    fn stage(&mut self, method: &Method, limits: &Limits) -> bool {
        let estimate = method.estimate.as_ref().unwrap_or(&Estimate::Zero);
        let started = self.begin();
        let Ok(heuristic) = self.heuristic(estimate, limits) else { return false };
        let search = run(self.task, method, (&heuristic).into(), limits, None);
        self.add_search(method.clone(), search, started)
    }

    /// Reports to listeners that another stage begins, and returns its start.
    fn begin(&self) -> Instant {
        if let Some(monitor) = &self.limits.monitor {
            monitor.begin_stage();
        }
        Instant::now()
    }

    fn add_search(&mut self, method: Method, search: Search<Slide>, started: Instant) -> bool {
        let found = SearchResult::new(self.task, search);
        let is_solved = found.solution.is_some();
        self.add(method, found, started);
        is_solved
    }

    fn heuristic(&self, estimate: &Estimate, limits: &Limits) -> Result<AnyHeuristic, TableError> {
        let silent = Monitor::default();
        let monitor = limits.monitor.as_deref().unwrap_or(&silent);
        let mut request = TableRequest { memory: limits.memory, monitor, report: &mut |_| () };
        let Task { puzzle, cost, method, .. } = self.task;
        self.session.heuristic(estimate, (puzzle, cost, method.metric), &mut request)
    }

    /// The heuristic that every puzzle has.
    fn usual(&self) -> Option<AnyHeuristic> {
        self.heuristic(&usual_estimate(self.task), &Limits::default()).ok()
    }

    /// The bound that is proven without a search.
    fn bound(&self) -> Cost {
        let start = self.task.puzzle.start();
        self.usual().map_or(0, |heuristic| Evaluator(heuristic).estimate(start))
    }

    /// Whether there is nothing left to find, or it was cancelled.
    fn is_done(&self) -> bool {
        let cancelled = self.limits.monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled());
        let settled = |found: &SearchResult| {
            found.is_optimal() || found.outcome == Ending::Exhausted || is_cancelled(found)
        };
        cancelled || self.found.as_ref().is_some_and(settled)
    }

    /// A share of the remaining time, and everything that remains of the other limits.
    fn left(&self, share: f64) -> Limits {
        let spent = self.found.as_ref().map_or(Counts::default(), |found| found.counts);
        let time = self.limits.time.map(|time| time.saturating_sub(self.started.elapsed()));
        Limits {
            expanded: self.limits.expanded.map(|most| most.saturating_sub(spent.expanded)),
            generated: self.limits.generated.map(|most| most.saturating_sub(spent.generated)),
            time: time.map(|time| time.mul_f64(share)),
            ..self.limits.clone()
        }
    }

    /// A share of all remaining limits, for a search that takes whole layers of nodes: it never
    /// generates more than allowed.
    fn part(&self, share: f64) -> Limits {
        let left = self.left(share);
        let part = |nodes: u64| (nodes as f64 * share) as u64;
        // A blank has at most four moves.
        let successors = 4 * self.task.puzzle.start().blanks().count().max(1) as u64;
        let by_generated = left.generated.map(|nodes| part(nodes) / successors);
        let expanded = left.expanded.map(part).into_iter().chain(by_generated).min();
        Limits { expanded, ..left }
    }

    /// Adds a stage's results to the joint ones.
    fn add(&mut self, mut method: Method, second: SearchResult, started: Instant) {
        method.metric = self.task.method.metric;
        // Provers with an engine of their own prune more than usual, or search below a frontier.
        let specialised =
            method.algorithm == Algorithm::Aida || method.prune != crate::method::USUAL_PRUNE;
        self.stages.push(Stage {
            specialised,
            method,
            counts: second.counts,
            seconds: started.elapsed().as_secs_f64(),
            outcome: second.outcome,
        });
        if let Some(solution) = &second.solution
            && !self.improvements.is_empty()
        {
            self.improved(solution, second.lower_bound);
        }
        let Some(first) = self.found.take() else {
            self.found = Some(second);
            return;
        };
        let cost = |found: &SearchResult| {
            found.solution.as_ref().map_or(Cost::MAX, ReplayedSolution::cost)
        };
        let lower_bound = first.lower_bound.max(second.lower_bound);
        let counts = first.counts.then(second.counts);
        let before_last_bound = second.before_last_bound;
        let better = if cost(&first) < cost(&second) { first } else { second };
        self.found = Some(SearchResult { lower_bound, counts, before_last_bound, ..better });
    }

    /// Reports an answer if it is better than all before it.
    fn improved(&mut self, solution: &ReplayedSolution, lower_bound: Cost) {
        let cost = solution.cost();
        if self.improvements.last().is_some_and(|last| cost >= last.cost) {
            return;
        }
        let known = self.found.as_ref().map_or(0, |found| found.lower_bound);
        let improvement = Improvement {
            seconds: self.started.elapsed().as_secs_f64(),
            cost,
            depth: solution.slides().len() as u64,
            lower_bound: known.max(lower_bound),
        };
        self.improvements.push(improvement);
        if let Some(monitor) = &self.limits.monitor {
            monitor.improve(improvement);
        }
    }
}

/// The tables of a search take the memory that it needs itself.
#[derive(Debug, thiserror::Error)]
#[error(
    "the tables take {}, and the search needs at least {}: more than the limit of {}; increase the \
     limit on memory, or use smaller patterns",
    write_bytes(*tables), write_bytes(FrontierOptions::MIN_MEMORY), write_bytes(*allowed)
)]
pub(crate) struct MemoryShortage {
    tables: u64,
    allowed: u64,
}

/// Searches below a frontier, in the memory that the tables leave. Returns `None` if the engine
/// cannot.
pub(crate) fn below_frontier(
    task: &Task,
    solver: &Solver,
    limits: &Limits,
    journal: Option<&Journal<'_>>,
) -> Result<Option<Search<Slide>>, MemoryShortage> {
    let tables = solver.database_bytes() + solver.bytes();
    let left = |allowed: u64| match allowed.saturating_sub(tables) {
        left if left < FrontierOptions::MIN_MEMORY => Err(MemoryShortage { tables, allowed }),
        left => Ok(left),
    };
    let limits = Limits { memory: limits.memory.map(left).transpose()?, ..limits.clone() };
    let options = FrontierOptions { table: task.method.tt, ..FrontierOptions::default() };
    let (start, threads) = (task.puzzle.start(), task.threads);
    Ok(solver.solve_from_frontier(start, threads, &limits, options, journal))
}

/// A note about the counts of `aida`.
pub(crate) fn timing_note(task: &Task) -> Option<String> {
    let note = "the counts depend on the timing of the threads; with tt=0 they do not";
    (task.threads > 1 && task.method.tt != Some(0)).then(|| note.to_owned())
}

fn is_cancelled(found: &SearchResult) -> bool {
    found.reason == Some(Reason::Cancelled)
}

/// The heuristic without databases for the moves of a task.
const fn usual_estimate(task: &Task) -> Estimate {
    match task.method.metric {
        Metric::Single => Estimate::Linear,
        Metric::Multi => Estimate::Walking,
    }
}

/// An algorithm with [that heuristic](usual_estimate).
fn usual_method(task: &Task, algorithm: Algorithm) -> Method {
    let metric = task.method.metric;
    Method { metric, ..Method::new(algorithm, Some(usual_estimate(task))) }
}

/// Weighted A* with each weight, on boards where the first ones would end.
fn falling_weights(task: &Task) -> impl Iterator<Item = Method> {
    let (largest, _) = WEIGHT_SHARES[WEIGHT_SHARES.len() - 1];
    let weights = if task.puzzle.size().cells() <= largest { &WEIGHTS[..] } else { &[] };
    weights.iter().map(move |&(numerator, denominator)| {
        let mut method = usual_method(task, Algorithm::Wastar);
        method.policy.weight = Weight::new(numerator, denominator).expect("a weight");
        method
    })
}

/// The number of tile arrangements: N! / k! for k blanks.
fn arrangements(board: &Board) -> u128 {
    let blanks = board.blanks().count() as u128;
    (blanks + 1..=board.size().cells() as u128).fold(1, u128::saturating_mul)
}
