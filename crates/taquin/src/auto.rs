//! Choosing a method for the user.
//!
//! Where the whole space is small, A* answers at once. On boards that a specialised engine serves,
//! IDA* with pattern databases does: those that are kept, or small ones that are built on the spot.
//! Elsewhere an answer by construction comes first, so that there is one however large the board is. It
//! is then made better while there is time; on boards that are not too large, some of it goes to IDA*,
//! which proves the shortest if it is near, and raises the bound with every threshold it finishes.

use std::time::{Duration, Instant};

use taquin_fast::SolverOptions;
use taquin_search::{Counts, Improvement, Limits, Monitor, Outcome, Search, Stop};
use taquin_tables::Partition;
use taquin_tiles::{Board, Costs, Nibbles, Puzzle, Slide, Tile};

use crate::estimate::Estimate;
use crate::method::Method;
use crate::run::run;
use crate::tables::{Tables, Wanted};
use crate::task::Task;

/// The time that `auto` takes when none is given.
pub const AUTO_TIME: Duration = Duration::from_secs(10);

/// Spaces of up to this many states are searched by A* whole.
const SMALL: u128 = 4_000_000;

/// The share of the time in which a specialised engine has to find an optimal answer, before a
/// quick one is looked for after all.
const OPTIMAL_SHARE: f64 = 0.7;

/// The most tiles of a pattern whose database is built on the spot.
const ON_THE_SPOT: usize = 5;

/// Boards of up to so many cells are given most of the time to prove the shortest, larger ones a little,
/// and those beyond none.
const NEAR: usize = 25;
const FAR: usize = 256;
const IMPROVING_SHARE: f64 = 0.3;
const PROVING_SHARE: f64 = 0.1;

/// How long the sequences of moves are that are known to be redundant: those of up to eight are found
/// in milliseconds, and are most of what there is to gain.
const PRUNE: usize = 8;

/// Runs the methods that suit the puzzle, and says in plain words what was done.
pub(crate) fn auto(task: &Task, tables: &Tables, limits: &Limits) -> Found {
    let limits = Limits { time: limits.time.or(Some(AUTO_TIME)), ..limits.clone() };
    let mut auto = Auto::new(task, tables, &limits);
    if arrangements(task.puzzle.start()) <= SMALL {
        auto.stage("astar:linear", 1.0);
        auto.note("chose astar:linear, since the board is small");
    } else if !auto.by_patterns() {
        auto.step_by_step();
    }
    auto.end()
}

/// An answer by construction, and nothing else.
pub(crate) fn layers(task: &Task, tables: &Tables, limits: &Limits) -> Found {
    let mut auto = Auto::new(task, tables, limits);
    auto.construct();
    auto.end()
}

/// An answer by construction, made better until a limit is met.
pub(crate) fn anytime(task: &Task, tables: &Tables, limits: &Limits) -> Found {
    // With a budget of nodes the answer must not depend on the clock.
    let is_free = limits.expanded.is_none() && limits.generated.is_none();
    let time = limits.time.or(is_free.then_some(AUTO_TIME));
    let limits = Limits { time, ..limits.clone() };
    let mut auto = Auto::new(task, tables, &limits);
    auto.construct();
    if arrangements(task.puzzle.start()) <= SMALL && !auto.is_done() {
        auto.stage("astar:linear", 1.0);
    }
    if !auto.is_done() {
        auto.lower_weights();
    }
    if !auto.is_done() {
        auto.improve(task.method.policy.seed);
    }
    auto.end()
}

/// What came of several searches.
pub(crate) struct Found {
    pub(crate) search: Search<Slide>,
    /// What was done, in plain words.
    pub(crate) notes: Vec<String>,
    pub(crate) improvements: Vec<Improvement>,
}

pub(crate) struct Auto<'a> {
    pub(crate) task: &'a Task,
    pub(crate) tables: &'a Tables,
    pub(crate) limits: &'a Limits,
    pub(crate) started: Instant,
    /// What is known so far.
    pub(crate) found: Option<Search<Slide>>,
    notes: Vec<String>,
    /// The answers so far, where there is one from the start.
    pub(crate) improvements: Vec<Improvement>,
}

impl<'a> Auto<'a> {
    fn new(task: &'a Task, tables: &'a Tables, limits: &'a Limits) -> Self {
        let started = Instant::now();
        let (notes, improvements) = (Vec::new(), Vec::new());
        Self { task, tables, limits, started, found: None, notes, improvements }
    }

    fn end(self) -> Found {
        let Self { found, notes, improvements, .. } = self;
        let nothing = Search {
            outcome: Outcome::Stopped(Stop::Time),
            lower_bound: 0,
            counts: Counts::default(),
            before_last_bound: None,
        };
        Found { search: found.unwrap_or(nothing), notes, improvements }
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// One method, within a share of the time that is left.
    fn stage(&mut self, method: &str, share: f64) {
        self.stage_within(method, &self.left(share));
    }

    /// One method, within limits; whether it found an answer.
    pub(crate) fn stage_within(&mut self, method: &str, limits: &Limits) -> bool {
        let method: Method = method.parse().expect("the stages are methods");
        let estimate = method.estimate.as_ref().unwrap_or(&Estimate::Zero);
        let puzzle = (&self.task.puzzle, &self.task.cost);
        let monitor = Monitor::default();
        let mut wanted = Wanted { memory: limits.memory, monitor: &monitor, report: &mut |_| () };
        let Ok(guide) = self.tables.guide(estimate, puzzle, &mut wanted) else { return false };
        let search = run(self.task, &method, &guide, limits, None);
        let is_solved = search.solution().is_some();
        self.add(search);
        is_solved
    }

    /// IDA* with pattern databases by a specialised engine; whether that settled it.
    fn by_patterns(&mut self) -> bool {
        let Task { puzzle, cost, jumps, .. } = self.task;
        let one_blank = puzzle.start().blanks().count() == 1;
        let served =
            puzzle.size().cells() <= Nibbles::CELLS && !puzzle.size().is_line() && one_blank;
        if *cost != Costs::Unit || *jumps || !served {
            return false;
        }
        let (partition, note) = self.partition(puzzle);
        let estimate = Estimate::Pdb(partition);
        let limits = self.left(OPTIMAL_SHARE);
        let silent = Monitor::default();
        let monitor = limits.monitor.as_deref().unwrap_or(&silent);
        let mut wanted = Wanted { memory: limits.memory, monitor, report: &mut |_| () };
        let Ok(guide) = self.tables.guide(&estimate, (puzzle, cost), &mut wanted) else {
            return false;
        };
        let options = SolverOptions { prune: PRUNE, ..SolverOptions::default() };
        let Some(solver) = self.tables.solver(puzzle.goal(), &estimate, &guide, options) else {
            return false;
        };
        let (threads, limits) = (self.task.threads, self.left(OPTIMAL_SHARE));
        let Some(search) = solver.solve(puzzle.start(), threads, &limits) else {
            return false;
        };
        self.note(format!("chose ida:{estimate},prune={PRUNE}, {note}"));
        let settled = search.solution().is_some() || is_cancelled(&search);
        self.add(search);
        if !settled {
            self.note("looked for a quick answer when there was no time for an optimal one");
            self.quick_answer();
        }
        true
    }

    /// The partition to use, and why.
    fn partition(&self, puzzle: &Puzzle) -> (Partition, String) {
        let goal = puzzle.goal();
        let mut named: Vec<Partition> = Partition::named()
            .filter(|(_, size)| *size == puzzle.size())
            .map(|(partition, _)| partition)
            .collect();
        // The largest first.
        named.reverse();
        if let Some(best) = named.iter().find(|partition| self.tables.has(partition, goal)).cloned()
        {
            let note = match named.first() {
                Some(larger) if *larger != best => format!(
                    "whose databases are kept; 'taquin pdb build {larger}' builds larger ones once, \
                     and hard boards take a fraction of the time"
                ),
                _ => "whose databases are kept".to_owned(),
            };
            return (best, note);
        }
        let note = match named.first() {
            Some(larger) => format!(
                "whose databases are built in no time; 'taquin pdb build {larger}' builds larger ones \
                 once, and hard boards take a fraction of the time"
            ),
            None => "whose databases are built in no time".to_owned(),
        };
        (named.pop().unwrap_or_else(|| spread(goal)), note)
    }

    /// An answer first, then better ones, and a shortest one if it is near.
    fn step_by_step(&mut self) {
        self.construct();
        let cells = self.task.puzzle.size().cells();
        let note = match cells {
            ..=NEAR => {
                if !self.is_done() {
                    self.improve_within(IMPROVING_SHARE, 0);
                }
                if !self.is_done() {
                    self.stage("ida:linear", 1.0);
                }
                "started from layers, made it better, and looked for a shortest answer with ida:linear"
            }
            _ => {
                if cells <= FAR && !self.is_done() {
                    self.stage("ida:linear", PROVING_SHARE);
                }
                if !self.is_done() {
                    self.improve(0);
                }
                "started from layers and made it better while there was time"
            }
        };
        self.note(note);
    }

    /// Whether there is nothing left to find, or no time.
    pub(crate) fn is_done(&self) -> bool {
        let cancelled = self.limits.monitor.as_ref().is_some_and(|monitor| monitor.is_cancelled());
        let settled = self.found.as_ref().is_some_and(|found| {
            found.is_optimal() || found.outcome == Outcome::Exhausted || is_cancelled(found)
        });
        cancelled || settled
    }

    /// An answer, by methods that are ever less particular.
    fn quick_answer(&mut self) {
        for (method, share) in [("wastar:linear,w=3", 0.2), ("beam:linear,k=300", 0.4)] {
            self.stage(method, share);
            let found = self.found.as_ref();
            if found.is_some_and(|found| found.solution().is_some() || is_cancelled(found)) {
                break;
            }
        }
    }

    /// A share of the time that is left, and all that is left of the other limits.
    pub(crate) fn left(&self, share: f64) -> Limits {
        let spent = self.found.as_ref().map_or(Counts::default(), |search| search.counts);
        let time = self.limits.time.map(|time| time.saturating_sub(self.started.elapsed()));
        Limits {
            expanded: self.limits.expanded.map(|most| most.saturating_sub(spent.expanded)),
            generated: self.limits.generated.map(|most| most.saturating_sub(spent.generated)),
            time: time.map(|time| time.mul_f64(share)),
            ..self.limits.clone()
        }
    }

    /// Adds what a search found to what is known.
    pub(crate) fn add(&mut self, second: Search<Slide>) {
        if let Some(solution) = second.solution()
            && !self.improvements.is_empty()
        {
            let improvement = self.improvement(solution, second.lower_bound);
            self.tell(improvement);
        }
        let Some(first) = self.found.take() else {
            self.found = Some(second);
            return;
        };
        let cost = |search: &Search<Slide>| search.solution().map_or(u32::MAX, |found| found.cost);
        let outcome = match cost(&first) < cost(&second) {
            true => first.outcome,
            false => second.outcome,
        };
        self.found = Some(Search {
            outcome,
            lower_bound: first.lower_bound.max(second.lower_bound),
            counts: first.counts.then(second.counts),
            before_last_bound: second.before_last_bound,
        });
    }
}

fn is_cancelled(search: &Search<Slide>) -> bool {
    search.outcome == Outcome::Stopped(Stop::Cancelled)
}

/// The tiles of a goal in patterns of a few, as the goal has them one after the other.
fn spread(goal: &Board) -> Partition {
    let tiles: Vec<Tile> = goal.tiles().iter().copied().filter(|&tile| tile != 0).collect();
    let patterns = tiles.len().div_ceil(ON_THE_SPOT);
    let list = |tiles: &[Tile]| tiles.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
    let groups: Vec<String> = tiles.chunks(tiles.len().div_ceil(patterns)).map(list).collect();
    groups.join("/").parse().expect("each tile is in one pattern")
}

/// The number of arrangements of a board's tiles: N! / k! for k blanks.
fn arrangements(board: &Board) -> u128 {
    let blanks = board.blanks().count() as u128;
    (blanks + 1..=board.size().cells() as u128).fold(1, u128::saturating_mul)
}
