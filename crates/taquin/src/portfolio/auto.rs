//! Choosing a method for the user.
//!
//! A cached table of the whole space is looked up. Where the space is small, A* answers at once. On
//! boards that a specialised engine can search, IDA* with pattern databases does: cached ones, or
//! small ones that are built on the spot. Elsewhere an answer by construction comes first, so that
//! there is one however large the board is. It is then improved while there is time; on boards that
//! are not too large, some of it goes to IDA*, which proves optimality if it gets that far and raises
//! the bound with every threshold that it finishes.

use std::num::NonZeroUsize;
use std::time::Instant;

use taquin_fast::SolverOptions;
use taquin_search::Weight;
use taquin_tables::Partition;
use taquin_tiles::packed::Nibbles;
use taquin_tiles::{Board, Costs, Puzzle, Tile};

use super::{AUTO_TIME, Portfolio, SMALL_SPACE, arrangements, is_cancelled};
use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::method::Method;
use crate::report::{Finding, Hint};

/// The share of the time in which a specialised engine has to find an optimal answer before a quick
/// one is looked for.
const OPTIMAL_SHARE: f64 = 0.7;

/// The most tiles of a pattern whose database is built on the spot.
const PATTERN_TILES: usize = 5;

/// Boards of up to this many cells get most of the time to prove optimality.
const PROVE_MOSTLY: usize = 25;
/// Boards of up to this many cells get a little of it, larger ones none.
const PROVE_A_LITTLE: usize = 256;
const IMPROVING_SHARE: f64 = 0.3;
const PROVING_SHARE: f64 = 0.1;

/// The length of redundant move sequences that are pruned: an automaton of this depth is built in
/// milliseconds, and has most of what there is to gain.
const PRUNE: usize = 8;

impl Portfolio<'_> {
    /// Runs the methods that suit the puzzle.
    pub(crate) fn auto(&mut self) {
        let started = Instant::now();
        if let Some(search) = self.session.look_up_cached(self.task) {
            self.notes.push("chose table: the table of this goal is cached".to_owned());
            self.add_search(Method::new(Algorithm::Table, None), search, started);
            return;
        }
        self.limits.time = self.limits.time.or(Some(AUTO_TIME));
        if arrangements(self.task.puzzle.start()) <= SMALL_SPACE {
            self.stage(&Method::new(Algorithm::Astar, Some(Estimate::Linear)), &self.left(1.0));
            self.notes.push("chose astar:linear: the board is small".to_owned());
            return;
        }
        self.on_device();
        if !self.is_done() && !self.by_patterns() {
            self.step_by_step();
        }
    }

    /// IDA* with pattern databases by a specialised engine; returns whether there is one.
    fn by_patterns(&mut self) -> bool {
        let task = self.task;
        let puzzle = &task.puzzle;
        let one_blank = puzzle.start().blanks().count() == 1;
        let fits = puzzle.size().cells() <= Nibbles::CELLS && !puzzle.size().is_line() && one_blank;
        if task.cost != Costs::Unit || task.jumps || !fits {
            return false;
        }
        let (partition, is_cached) = self.choose_partition(puzzle);
        let estimate = Estimate::Pdb(partition);
        let Ok(heuristic) = self.heuristic(&estimate, &self.left(OPTIMAL_SHARE)) else {
            return false;
        };
        let options = SolverOptions { prune: PRUNE, ..SolverOptions::default() };
        let tables = &self.session.tables;
        let Some(solver) = tables.solver(puzzle.goal(), &estimate, &heuristic, options) else {
            return false;
        };
        let started = Instant::now();
        let limits = self.left(OPTIMAL_SHARE);
        let Some(search) = solver.solve(puzzle.start(), task.threads, &limits) else {
            return false;
        };
        let source = if is_cached { "are cached" } else { "take no time to build" };
        let mut method = Method::new(Algorithm::Ida, Some(estimate));
        method.prune = PRUNE;
        self.notes.push(format!("chose {method}: its databases {source}"));
        self.add_search(method, search, started);
        let settled = |found: &Finding| found.solution.is_some() || is_cancelled(found);
        if !self.found.as_ref().is_some_and(settled) {
            self.notes
                .push("looked for a quick answer when the time for an optimal one ran out".into());
            self.quick_answer();
        }
        true
    }

    /// The partition to use, and whether its databases are cached.
    fn choose_partition(&mut self, puzzle: &Puzzle) -> (Partition, bool) {
        let goal = puzzle.goal();
        let of_size = Partition::named().filter(|(_, size)| *size == puzzle.size());
        // From the smallest databases to the largest.
        let named: Vec<Partition> = of_size.map(|(partition, _)| partition).collect();
        let cached =
            named.iter().rfind(|partition| self.session.has_tables(goal, partition)).cloned();
        if let Some(larger) = named.last().filter(|larger| Some(*larger) != cached.as_ref()) {
            self.hints.push(Hint::BuildTables { partition: larger.clone() });
        }
        let is_cached = cached.is_some();
        let smallest = || named.first().cloned().unwrap_or_else(|| spread(goal));
        (cached.unwrap_or_else(smallest), is_cached)
    }

    /// An answer first, then better ones, and a proof of optimality if it is near.
    fn step_by_step(&mut self) {
        self.layers();
        let cells = self.task.puzzle.size().cells();
        let prove = Method::new(Algorithm::Ida, Some(Estimate::Linear));
        if cells <= PROVE_MOSTLY {
            if !self.is_done() {
                self.improve(IMPROVING_SHARE, 0);
            }
            if !self.is_done() {
                self.stage(&prove, &self.left(1.0));
            }
            self.notes.push(
                "started from layers, improved it, then looked for an optimal answer with ida:linear"
                    .to_owned(),
            );
        } else {
            if cells <= PROVE_A_LITTLE && !self.is_done() {
                self.stage(&prove, &self.left(PROVING_SHARE));
            }
            if !self.is_done() {
                self.improve(1.0, 0);
            }
            self.notes.push("started from layers and improved it while there was time".to_owned());
        }
    }

    /// Falls back to weighted A*, then beam search.
    fn quick_answer(&mut self) {
        let mut weighted = Method::new(Algorithm::Wastar, Some(Estimate::Linear));
        weighted.policy.weight = Weight::new(3, 1).expect("a weight");
        let mut beam = Method::new(Algorithm::Beam, Some(Estimate::Linear));
        beam.policy.width = NonZeroUsize::new(300);
        for (method, share) in [(weighted, 0.2), (beam, 0.4)] {
            if self.stage(&method, &self.left(share)) || self.is_done() {
                break;
            }
        }
    }
}

/// The tiles of a goal in patterns of a few, in the order in which the goal has them.
fn spread(goal: &Board) -> Partition {
    let tiles: Vec<Tile> = goal.tiles().iter().copied().filter(|&tile| tile != 0).collect();
    let patterns = tiles.len().div_ceil(PATTERN_TILES);
    let lists = tiles.chunks(tiles.len().div_ceil(patterns)).map(<[Tile]>::to_vec).collect();
    Partition::from_lists(lists).expect("each tile is in one pattern")
}
