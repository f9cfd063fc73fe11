//! Choosing methods for the user.
//!
//! `auto` looks up a cached table of the whole space. If the space is small, A* answers at once.
//! Otherwise `auto` first constructs an answer, so every board gets one within any limits. A
//! device, if one exists, looks for an optimal answer. A short search proves boards near their
//! goal. The remaining time goes to a [`team`](super::team): one thread improves the answer while
//! others prove a bound, with pattern databases if possible. With a node limit the searches run one
//! after another, so the answer does not depend on the clock.

use std::time::Duration;

use taquin_search::{HAS_THREADS, Instant, Limits, Monitor};
use taquin_solvers::Solver;
use taquin_tables::whole::Metric;
use taquin_tiles::Costs;

use super::ladder::Ladder;
use super::prover::{Prover, frontier_memory, with_tables};
use super::{AUTO_TIME, Portfolio, SMALL_SPACE, arrangements, on_threads, usual_method};
use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::method::Method;
use crate::report::{Ending, Hint};
use crate::tables::{BUILD_BYTES, TableRequest};

/// On boards with up to this many cells, the first answer may take as long as it needs, which is a
/// few milliseconds.
const MAX_QUICK_CELLS: usize = 1000;

/// The memory that the first answer may take even if less is allowed.
const MIN_MEMORY: u64 = 1 << 20;

/// The memory is divided into this many parts: one for tables, one for the search for better
/// answers, and the rest for a proof, the threads and the answers.
pub(super) const MEMORY_PARTS: u64 = 3;

/// The share of the time that A* may spend on a small space.
const SMALL_SHARE: f64 = 0.5;

/// The time to check and write one move of the answer.
const MOVE_NANOS: u64 = 25;

/// The time for a first proof with loaded databases, and without any.
const LOADED_PROOF_TIME: Duration = Duration::from_millis(20);
const FIRST_PROOF_TIME: Duration = Duration::from_millis(2);

/// The share of the time that a first proof may take, and the share on boards too large to solve
/// optimally. On one thread, a small board's proof may take this share however long it is, unless
/// the smallest databases are loaded: a proof that shares its thread begins again.
const FIRST_SHARE: f64 = 0.2;
const LARGER_SHARE: f64 = 0.05;

/// The share of the time that a proof may take if segments slide as one move. The rest shortens the
/// first answer, which is far too long in segments.
const SEGMENT_PROOF_SHARE: f64 = 0.8;

/// The most cells on a board that is usually solved optimally.
pub(super) const MAX_OPTIMAL_CELLS: usize = 16;

/// Boards with more cells get no proof, because it would gain nothing.
pub(super) const MAX_PROVED_CELLS: usize = 256;

/// Databases for boards with more cells take long to build on one thread.
const MAX_TABLED_CELLS: usize = 16;

impl Portfolio<'_> {
    /// Runs the methods that suit the puzzle.
    pub(crate) fn auto(&mut self) {
        let started = Instant::now();
        if let Some(search) = self.session.look_up_cached(self.task) {
            self.notes.push("chose table: the table of this goal is cached".to_owned());
            self.add_search(Method::new(Algorithm::Table, None), search, started);
            self.without_device();
            return;
        }
        let is_free = self.limits.expanded.is_none() && self.limits.generated.is_none();
        self.limits.time = self.limits.time.or(is_free.then_some(AUTO_TIME));
        let is_small = arrangements(self.task.puzzle.start()) <= SMALL_SPACE;
        if is_small {
            let share = if is_free { SMALL_SHARE } else { 1.0 };
            self.stage(&usual_method(self.task, Algorithm::Astar), &self.left(share));
            if self.is_done() {
                let chosen = usual_method(self.task, Algorithm::Astar);
                self.notes.push(format!("chose {chosen}: the board is small"));
                self.without_device();
                return;
            }
        }
        self.first_answer();
        if self.task.method.metric == Metric::Multi {
            return self.of_segments();
        }
        if !self.is_done() && is_free && HAS_THREADS {
            self.before_device();
        }
        if !self.is_done() {
            self.on_device();
        }
        if !self.is_done() && self.found.as_ref().is_some_and(|found| found.solution.is_some()) {
            match is_free {
                true if HAS_THREADS => self.together(),
                true => self.alone(),
                false => self.in_turn(),
            }
            self.explain();
        }
    }

    /// Shortens the answer in segments, and raises the bound on their number.
    fn of_segments(&mut self) {
        if self.is_done() || self.found.as_ref().is_none_or(|found| found.solution.is_none()) {
            return;
        }
        let ida = usual_method(self.task, Algorithm::Ida);
        let started = self.begin();
        let left = self.left(SEGMENT_PROOF_SHARE);
        // The rest is for better answers.
        let memory = left.memory.map(|most| most - most / MEMORY_PARTS);
        let limits = Limits { memory, ..left };
        match self.session.search_segments(self.task, &limits, &mut self.notes) {
            Some(search) => _ = self.add_search(ida, search, started),
            None => {
                self.stage(&ida, &self.part(FIRST_SHARE));
                if !self.is_done() {
                    self.lower_weights();
                }
            }
        }
        if !self.is_done() {
            self.improve(&self.left(1.0), 0, None);
        }
        self.explain();
    }

    /// Constructs an answer. Unless the board is very large, there is no time limit.
    fn first_answer(&mut self) {
        let limits = self.limits.clone();
        if self.task.puzzle.size().cells() <= MAX_QUICK_CELLS {
            self.limits.time = None;
        }
        self.limits.memory = limits.memory.map(|memory| memory.max(MIN_MEMORY));
        self.layers();
        self.limits = limits;
    }

    /// Runs searches that share the time and the threads.
    pub(super) fn together(&mut self) {
        // A long answer also takes time after the search.
        let moves = self.improvements.last().map_or(0, |answer| answer.depth);
        let after = Duration::from_nanos(moves.saturating_mul(MOVE_NANOS));
        self.limits.time = self.limits.time.map(|time| time.saturating_sub(after));
        let mut ladder = self.ladder();
        let goal = self.task.puzzle.goal();
        let held = ladder.held(goal, self.session);
        if held.is_none() && goal.size().cells() <= MAX_PROVED_CELLS {
            let is_small = goal.size().cells() <= MAX_OPTIMAL_CELLS;
            let limits =
                self.at_most(FIRST_PROOF_TIME, if is_small { FIRST_SHARE } else { LARGER_SHARE });
            self.stage(&Method::new(Algorithm::Ida, Some(Estimate::Linear)), &limits);
        }
        if self.is_done() {
            return;
        }
        let at_hand = held.or_else(|| self.load(&mut ladder));
        let prover = at_hand
            .and_then(|rung| Some((self.with_tables(&ladder.rungs[rung].estimate)?, Some(rung))));
        if let (Some((prover, _)), Some(rung)) = (&prover, at_hand) {
            let is_small = goal.size().cells() <= MAX_OPTIMAL_CELLS;
            let is_lone = self.task.threads <= 1 && is_small && rung > 0;
            let limits = match is_lone {
                true => self.left(FIRST_SHARE),
                false => self.at_most(LOADED_PROOF_TIME, FIRST_SHARE),
            };
            self.prove(prover, &ladder.rungs[rung].estimate, &limits);
        }
        if !self.is_done() {
            self.work_together(ladder, prover);
        }
    }

    /// A share of the remaining time, up to a maximum.
    fn at_most(&self, most: Duration, share: f64) -> Limits {
        let left = self.left(share);
        Limits { time: left.time.map(|time| time.min(most)), ..left }
    }

    /// Loads the largest stored databases that load quickly, if any exist and are valid.
    fn load(&self, ladder: &mut Ladder) -> Option<usize> {
        let (goal, threads) = (self.task.puzzle.goal(), self.task.threads);
        ladder.look(goal, self.session);
        let rung = ladder.first().filter(|&rung| ladder.rungs[rung].is_stored)?;
        let time = ladder.build_time(rung, threads);
        let is_in_time = self.left(FIRST_SHARE).time.is_none_or(|left| time < left);
        let estimate = &ladder.rungs[rung].estimate;
        let is_loaded = || on_threads(threads, || self.session.tables.has(estimate, goal));
        (is_in_time && is_loaded()).then_some(rung)
    }

    /// Searches one after the other on the only thread: a proof with databases that are built
    /// quickly, then better answers.
    fn alone(&mut self) {
        let cells = self.task.puzzle.size().cells();
        if cells <= MAX_PROVED_CELLS {
            let share = if cells <= MAX_TABLED_CELLS { 0.02 } else { 0.1 };
            self.stage(&Method::new(Algorithm::Ida, Some(Estimate::Linear)), &self.left(share));
        }
        let rungs = if cells <= MAX_TABLED_CELLS {
            self.ladder()
        } else {
            Ladder::new(self.task.puzzle.goal(), 0)
        };
        let pays = |rung: usize| {
            rung < rungs.rungs.len()
                && self.limits.time.is_none_or(|time| 20 * rungs.build_time(rung, 1) < time)
        };
        let affordable = (0..rungs.rungs.len()).take_while(|&rung| pays(rung)).count();
        for (at, rung) in rungs.rungs.iter().enumerate().take(affordable) {
            if self.is_done() {
                return;
            }
            let share = if at + 1 == affordable { 0.8 } else { 0.1 };
            if let Some(prover) = self.with_tables(&rung.estimate) {
                self.prove(&prover, &rung.estimate, &self.left(share));
            }
        }
        if !self.is_done() {
            self.improve(&self.left(1.0), 0, None);
        }
    }

    /// Searches one after the other, each with a part of the node limit.
    fn in_turn(&mut self) {
        let is_proved = self.task.puzzle.size().cells() <= MAX_PROVED_CELLS;
        if self.task.cost != Costs::Unit {
            self.lower_weights();
        }
        if !self.is_done() {
            self.improve(&self.part(if is_proved { 0.5 } else { 1.0 }), 0, None);
        }
        if self.is_done() || !is_proved {
            return;
        }
        let mut ladder = self.ladder();
        ladder.look(self.task.puzzle.goal(), self.session);
        let largest = ladder.rungs.iter().rfind(|rung| rung.is_stored);
        let estimate = largest.or(ladder.rungs.first()).map(|rung| &rung.estimate);
        match estimate.and_then(|estimate| Some((self.with_tables(estimate)?, estimate))) {
            Some((prover, estimate)) => self.prove(&prover, estimate, &self.left(1.0)),
            None => {
                let linear = Method::new(Algorithm::Ida, Some(Estimate::Linear));
                self.stage(&linear, &self.left(1.0));
            }
        }
    }

    /// Proves a bound with some databases, within limits.
    fn prove(&mut self, prover: &Prover, estimate: &Estimate, limits: &Limits) {
        let started = self.begin();
        let method = prover.method(Some(estimate));
        let from = self.reached.clone();
        if let Some(search) = prover.search(self.task, &method, self.task.threads, limits, from) {
            self.add_search(method, search, started);
        }
    }

    /// The databases that suit this puzzle.
    fn ladder(&self) -> Ladder {
        let task = self.task;
        let size = task.puzzle.size();
        let one_blank = task.puzzle.start().blanks().count() == 1;
        let fits = size.cells() <= Solver::MAX_CELLS && !size.is_line() && one_blank;
        let counts_tiles = task.cost == Costs::Unit && task.method.metric == Metric::Single;
        let memory = match fits && counts_tiles && !task.jumps {
            true => self.limits.memory.map_or(BUILD_BYTES, |most| most / MEMORY_PARTS),
            false => 0,
        };
        Ladder::new(task.puzzle.goal(), memory)
    }

    fn with_tables(&self, estimate: &Estimate) -> Option<Prover> {
        let silent = Monitor::default();
        let monitor = self.limits.monitor.as_deref().unwrap_or(&silent);
        let memory = self.limits.memory.map(|most| most / MEMORY_PARTS);
        let mut request = TableRequest { memory, monitor, report: &mut |_| () };
        // With a node limit the answer must not depend on how threads are timed.
        let is_free = self.limits.expanded.is_none() && self.limits.generated.is_none();
        let frontier = is_free.then(|| frontier_memory(self.limits.memory));
        with_tables(self.session, self.task, estimate, frontier, &mut request)
    }

    /// Adds a note that summarises the result.
    pub(super) fn explain(&mut self) {
        let Some(found) = &self.found else { return };
        let is_proof = |algorithm| matches!(algorithm, Algorithm::Ida | Algorithm::Aida);
        let proof = self.stages.iter().rev().find(|stage| is_proof(stage.method.algorithm));
        let is_improved = self.improvements.len() > 1;
        let is_found = proof.filter(|stage| stage.outcome == Ending::Solved);
        let note = match (is_found, proof) {
            (Some(stage), _) => Some(format!("found it with {}", stage.method)),
            (None, Some(stage)) if found.is_optimal() && is_improved => Some(format!(
                "built a solution with layers, shortened it, and proved it with {}",
                stage.method
            )),
            (None, Some(stage)) if found.is_optimal() => {
                Some(format!("started from layers and proved it with {}", stage.method))
            }
            _ if is_improved => Some(
                "built a solution with layers and shortened it until the time was up".to_owned(),
            ),
            _ if found.solution.is_some() => {
                Some("started from layers and found nothing better".to_owned())
            }
            _ => None,
        };
        let is_optimal = found.is_optimal();
        self.notes.extend(note);
        if !self.built.is_empty() {
            let built: Vec<String> = self.built.iter().map(ToString::to_string).collect();
            self.notes
                .push(format!("built the databases {} during the search", built.join(" and ")));
        }
        let goal = self.task.puzzle.goal();
        if let Some(largest) = self.ladder().rungs.last().map(|rung| &rung.estimate)
            && let Estimate::Pdb { partition, kind } = largest
            && !is_optimal
            && !self.session.tables.seems_to_have(largest, goal)
        {
            self.hints.push(Hint::BuildTables { partition: partition.clone(), kind: *kind });
        }
    }
}
