//! Choosing pattern databases by measurement.
//!
//! Every candidate solves the same instances by `ida` on one thread, so that its nodes depend only
//! on the databases. IDA* returns the first shortest solution in move order, whatever the estimate:
//! all candidates search the same share of their last tree.

mod candidates;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use taquin::{
    Algorithm, Board, BuildError, Cost, Costs, Ending, Estimate, Instant, Method, Monitor,
    PatternKind, Puzzle, Random, Reason, Report, Session, TableError, TableEvent, Task, Watch,
    scramble,
};

pub use candidates::candidates;

/// The boards to tune for, and the limits.
#[derive(Clone, PartialEq, Debug)]
pub struct TuneOptions {
    /// The goal, which has one blank.
    pub goal: Board,
    /// The most bytes for a candidate's databases, and for building one of them.
    pub memory: u64,
    /// The time after which no more candidates are measured.
    pub time: Duration,
    /// The most nodes of an instance with the first candidate.
    pub nodes: u64,
    /// The seed of the random walks.
    pub seed: u64,
}

/// The memory and files of a candidate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measurement {
    /// IDA* with the candidate.
    pub method: Method,
    /// The bytes of its databases.
    pub memory: u64,
    /// The time for building them.
    pub build_seconds: f64,
    /// The mean estimate at the ends of long random walks.
    pub estimate: f64,
    /// The nodes generated for all instances.
    pub nodes: u64,
    /// The time per node.
    pub nanoseconds_per_node: f64,
    /// The product of the two: the time for all instances.
    pub seconds: f64,
}

/// A candidate that was not measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SkippedCandidate {
    /// IDA* with the candidate.
    pub method: Method,
    /// Why it was left out.
    pub why: SkipReason,
}

/// Why a candidate was left out.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Its databases, or building them, take this many bytes.
    Memory(u64),
    /// An instance has more than this many nodes.
    Nodes(u64),
    /// Its databases cannot be built.
    Tables(String),
}

/// The candidates, compared.
#[derive(Clone, PartialEq, Debug)]
pub struct TuneResult {
    /// The candidates, the fastest first.
    pub measured: Vec<Measurement>,
    /// The candidates that were not measured.
    pub left_out: Vec<SkippedCandidate>,
    /// The instances that were solved, and the length of each solution.
    pub instances: Vec<(Board, Cost)>,
    /// Whether all candidates were considered: neither the time was up nor was it interrupted.
    pub complete: bool,
}

/// Why there is nothing to compare.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// The boards are too small or too large for pattern databases.
    #[error("there are no partitions to choose from for this board")]
    NoCandidates,
    /// Two candidates have different shortest solutions: a database is wrong.
    #[error("{method} has solutions of another length than the other candidates")]
    Contradiction {
        /// The method.
        method: Box<Method>,
    },
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct TuneProgress<'a> {
    /// The number of the candidate, from 1.
    pub number: usize,
    /// The number of candidates that are known so far.
    pub of: usize,
    /// The candidate.
    pub estimate: &'a Estimate,
    /// The share of the database that has been built, while one is built.
    pub built: Option<f64>,
}

/// The number of instances.
const INSTANCES: usize = 8;

/// The number of random walks among which they are chosen.
const ATTEMPTS: usize = 64;

/// The number of random walks tried per length.
const PROBES: usize = 5;

/// The moves of a long walk.
const LONG_WALK: usize = 2_000;

/// The number of long walks whose ends are estimated.
const WALKS: usize = 500;

/// The instances are solved again until this time has passed, or this many times.
const MIN_SECONDS: f64 = 0.1;
const MAX_PASSES: f64 = 20.0;

/// A candidate may have this many times the nodes of the first one.
const MAX_TIMES: u64 = 25;

/// Measures candidates until the time is up or the monitor is cancelled.
///
/// # Errors
/// Fails if there are no candidates, or if a database is wrong.
pub fn tune(
    options: &TuneOptions,
    monitor: &Arc<Monitor>,
    report: &mut dyn FnMut(TuneProgress<'_>),
) -> Result<TuneResult, TuneError> {
    let goal = &options.goal;
    let mut tuner = Tuner {
        options,
        monitor: Arc::new(Monitor::below(monitor)),
        started: Instant::now(),
        walks: Vec::new(),
        instances: Vec::new(),
        built: HashMap::new(),
        measured: Vec::new(),
        left_out: Vec::new(),
        report,
    };
    let mut random = Random::new(options.seed);
    let mut walk = |_| scramble::walk(goal, LONG_WALK, &mut random);
    tuner.walks = (0..WALKS).map(&mut walk).collect();
    let candidates = candidates(goal);
    if candidates.is_empty() {
        return Err(TuneError::NoCandidates);
    }
    let complete = match tuner.measure_all(&candidates) {
        Ok(()) => true,
        Err(Stop::Ended) => false,
        Err(Stop::Contradiction(method)) => {
            return Err(TuneError::Contradiction { method });
        }
    };
    let Tuner { mut measured, left_out, instances, .. } = tuner;
    measured.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(TuneResult { measured, left_out, instances, complete })
}

/// Why measuring ended.
enum Stop {
    /// The time is up, or it was cancelled.
    Ended,
    Contradiction(Box<Method>),
}

struct Tuner<'a> {
    options: &'a TuneOptions,
    /// Cancelled with the caller's monitor, and when the time is up.
    monitor: Arc<Monitor>,
    started: Instant,
    walks: Vec<Board>,
    instances: Vec<(Board, Cost)>,
    /// The bytes of each partition's databases, and the time for building them.
    built: HashMap<Estimate, (u64, f64)>,
    measured: Vec<Measurement>,
    left_out: Vec<SkippedCandidate>,
    report: &'a mut dyn FnMut(TuneProgress<'_>),
}

impl Tuner<'_> {
    fn measure_all(&mut self, singles: &[Estimate]) -> Result<(), Stop> {
        for (number, estimate) in (1..).zip(singles) {
            // Every candidate has a session of its own, so that no databases add up.
            self.measure(&Session::without_folder(), estimate, (number, singles.len()))?;
        }
        let sets = self.sets();
        let session = Session::without_folder();
        let of = singles.len() + sets.len();
        for (number, estimate) in (singles.len() + 1..).zip(&sets) {
            self.measure(&session, estimate, (number, of))?;
        }
        Ok(())
    }

    /// Sets of partitions: the fastest with zero-aware databases, and two with the fewest nodes
    /// among the others, if all three fit in memory.
    fn sets(&self) -> Vec<Estimate> {
        let zero_aware = |each: &&Measurement| {
            let kind = PatternKind::ZeroAware;
            matches!(&each.method.estimate, Some(Estimate::Pdb { kind: of, .. }) if *of == kind)
        };
        let mut list: Vec<&Measurement> = self.measured.iter().filter(zero_aware).collect();
        list.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        if let Some(others) = list.get_mut(1..) {
            others.sort_by_key(|each| each.nodes);
        }
        list.truncate(3);
        while list.iter().map(|each| each.memory).sum::<u64>() > self.options.memory {
            list.pop();
        }
        let member = |each: &Measurement| each.method.estimate.clone();
        let list: Vec<Estimate> = list.into_iter().filter_map(member).collect();
        match &list[..] {
            [a, b] => vec![Estimate::Max(vec![a.clone(), b.clone()])],
            [a, b, c] => vec![
                Estimate::Max(vec![a.clone(), b.clone()]),
                Estimate::Max(vec![a.clone(), c.clone()]),
                Estimate::Max(vec![a.clone(), b.clone(), c.clone()]),
            ],
            _ => Vec::new(),
        }
    }

    fn measure(
        &mut self,
        session: &Session,
        estimate: &Estimate,
        (number, of): (usize, usize),
    ) -> Result<(), Stop> {
        let method = Method::new(Algorithm::Ida, Some(estimate.clone()));
        let (memory, build_seconds) = match self.prepare(session, &method, (number, of))? {
            Ok(built) => built,
            Err(why) => {
                self.left_out.push(SkippedCandidate { method, why });
                return Ok(());
            }
        };
        (self.report)(TuneProgress { number, of, estimate, built: None });
        if self.instances.is_empty() {
            self.choose_instances(session, &method)?;
        }
        let (mut nodes, mut seconds, mut passes) = (0, 0.0, 0.0);
        let most = self.options.nodes.saturating_mul(MAX_TIMES);
        // Short searches are repeated.
        while seconds < MIN_SECONDS && passes < MAX_PASSES {
            nodes = 0;
            passes += 1.0;
            for (start, cost) in self.instances.clone() {
                let report = self.solve(session, &method, &start, most)?;
                nodes += report.counts.generated;
                seconds += report.seconds;
                match (report.outcome, report.cost) {
                    (Ending::Solved, found) if found == Some(cost) && report.optimal => {}
                    (Ending::Stopped, _) if report.reason == Some(Reason::Generated) => {
                        self.left_out
                            .push(SkippedCandidate { method, why: SkipReason::Nodes(most) });
                        return Ok(());
                    }
                    _ => return Err(Stop::Contradiction(Box::new(method))),
                }
            }
        }
        seconds /= passes;
        let estimate = self.mean(session, estimate);
        let nanoseconds_per_node = seconds * 1e9 / (nodes.max(1)) as f64;
        self.measured.push(Measurement {
            method,
            memory,
            build_seconds,
            estimate,
            nodes,
            nanoseconds_per_node,
            seconds,
        });
        Ok(())
    }

    /// Builds the databases of a candidate, and returns their bytes and the time that it took.
    fn prepare(
        &mut self,
        session: &Session,
        method: &Method,
        (number, of): (usize, usize),
    ) -> Result<Result<(u64, f64), SkipReason>, Stop> {
        let Some(estimate) = &method.estimate else { return Err(Stop::Ended) };
        let task = self.task(method, &self.options.goal, 0);
        let (mut bytes, building) = (0, Instant::now());
        let (started, time, monitor) = (self.started, self.options.time, &self.monitor);
        let result = session.prepare(&task, monitor, &mut |event| match event {
            TableEvent::Planned(_, plan) => bytes += plan.table_bytes,
            TableEvent::Progress(share) => {
                if started.elapsed() > time {
                    monitor.cancel();
                }
                (self.report)(TuneProgress { number, of, estimate, built: Some(share) });
            }
            _ => {}
        });
        if self.is_over() {
            return Err(Stop::Ended);
        }
        Ok(match result {
            Ok(()) => {
                let built = match estimate {
                    Estimate::Max(list) => {
                        let built = list.iter().filter_map(|each| self.built.get(each));
                        built.fold((0, 0.0), |sum, each| (sum.0 + each.0, sum.1 + each.1))
                    }
                    _ => (bytes, building.elapsed().as_secs_f64()),
                };
                self.built.insert(estimate.clone(), built);
                Ok(built)
            }
            Err(TableError::Build(BuildError::Memory { needed, .. })) => {
                Err(SkipReason::Memory(needed))
            }
            Err(error) => Err(SkipReason::Tables(error.to_string())),
        })
    }

    /// Chooses ends of random walks: the shortest walks of which half take the first candidate a
    /// tenth of the nodes, or long ones. The choice does not depend on their nodes, so the first
    /// candidate's nodes are as typical as the others'.
    fn choose_instances(&mut self, session: &Session, method: &Method) -> Result<(), Stop> {
        let TuneOptions { ref goal, nodes, seed, .. } = *self.options;
        let mut random = Random::new(seed ^ 1);
        let mut length = goal.size().cells();
        loop {
            let mut probes = [0; PROBES];
            for probe in &mut probes {
                let start = scramble::walk(goal, length, &mut random);
                *probe = self.solve(session, method, &start, nodes)?.counts.generated;
            }
            probes.sort_unstable();
            if probes[PROBES / 2] >= nodes / 10 || length >= LONG_WALK {
                break;
            }
            length += length.div_ceil(4);
        }
        for _ in 0..ATTEMPTS {
            if self.instances.len() == INSTANCES {
                break;
            }
            let start = scramble::walk(goal, length, &mut random);
            let most = nodes.saturating_mul(MAX_TIMES);
            if let Some(cost) = self.solve(session, method, &start, most)?.cost {
                self.instances.push((start, cost));
            }
        }
        Ok(())
    }

    fn task(&self, method: &Method, start: &Board, nodes: u64) -> Task {
        let puzzle = Puzzle::new(start.clone(), self.options.goal.clone());
        let mut task = Task::new(puzzle.expect("a walk keeps the tiles"), method.clone());
        task.limits.memory = Some(self.options.memory);
        task.limits.generated = Some(nodes);
        let left = self.options.time.saturating_sub(self.started.elapsed());
        task.limits.seconds = Some(left.as_secs_f64());
        task
    }

    fn solve(
        &self,
        session: &Session,
        method: &Method,
        start: &Board,
        nodes: u64,
    ) -> Result<Report, Stop> {
        let report = session.run(&self.task(method, start, nodes), Watch::by(&self.monitor));
        match self.is_over() {
            true => Err(Stop::Ended),
            false => Ok(report),
        }
    }

    fn is_over(&self) -> bool {
        self.monitor.is_cancelled() || self.started.elapsed() > self.options.time
    }

    fn mean(&self, session: &Session, estimate: &Estimate) -> f64 {
        let goal = &self.options.goal;
        let puzzle = Puzzle::new(goal.clone(), goal.clone()).expect("the same tiles");
        let Ok(evaluator) = session.evaluator(estimate, &puzzle, &Costs::Unit) else { return 0.0 };
        let sum: u64 = self.walks.iter().map(|board| u64::from(evaluator.estimate(board))).sum();
        sum as f64 / self.walks.len().max(1) as f64
    }
}
