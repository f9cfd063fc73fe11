//! IDA* below a frontier, with a transposition table: far fewer duplicates than IDA*, in any
//! memory.
//!
//! For each threshold, a [breadth-first](frontier) search without duplicates covers the first
//! layers, until a layer is large enough. This layer is the frontier. All threads search below its
//! nodes depth-first, subtrees with the most slack first. They look up nodes with slack in a [table
//! of boards](transpositions), because these are few and nearly all duplicate work is below them. A
//! thread without work gets nodes from another thread.
//!
//! # Why no solution is missed
//!
//! A node's slack is half the amount by which its f is below the threshold. Let C be the optimal
//! cost, and P an optimal path. Under the threshold C every node on P is within the threshold.
//!
//! 1. Breadth-first search reaches the node of P in each layer at its depth on P, since a shorter
//!    way would be a shorter solution. Moves back lead to boards that are reached with fewer moves,
//!    and P has no such moves.
//! 2. Assume that a node on P is expanded at its depth on P, and has slack. Its successor on P is
//!    then expanded, too, or the table has its board with at least as much slack. An entry written
//!    under a lower threshold, or at a greater depth, has less: otherwise it would belong to a
//!    shorter path to this board, and no such path exists. So the entry was written under this
//!    threshold at the same depth, by a node that is or will be expanded, and the rest of P is also
//!    below that node. By induction, P is followed until a node has too little slack for the table.
//! 3. Below such a node the table is not used, but redundant move sequences are
//!    [pruned](taquin_tables::Automaton). The automaton knows nothing of the moves above (only the
//!    last one is not undone), so that it prunes as in a search that starts at this node, which
//!    finds a shortest solution. If the heuristic is not consistent, slack may grow again on the
//!    way: 2 then holds for the node that has it, which is closer to the goal.
//!
//! One thread first improves a solution for a while, as [`improve`] does. Once all lower thresholds
//! are done, a solution with the cost of the threshold is optimal wherever it comes from, and the
//! last threshold is by far the largest.
//!
//! A table that is shared by threads is no exception: an entry is written before the node is
//! expanded, and the threshold ends when all have been.
//!
//! Without a table, the counts of a completed threshold depend neither on the order of the nodes
//! nor on the number of threads.
//!
//! Each threshold searches below its whole frontier. If a node of the frontier remembered the
//! smallest f that was exceeded below it, none could be skipped: from every board there is a move
//! that does not undo the last one, f rises by two at most, and so the first node beyond the
//! threshold T on any such path has f = T + 2, which is the next threshold.
//!
//! # Why a search can be interrupted
//!
//! A [journal](crate::journal) has the finished units of the frontier, but not the table. Assume
//! that P leads through a finished unit, and that no solution was found there. The search of that
//! unit then dropped a node on P whose board another unit had entered at the same depth, and P can
//! be replaced by a path through the other unit. If that unit is finished as well, the same holds
//! there, for a node at a greater depth. So an optimal path leads through an unfinished unit, and
//! the resumed search, with an empty table, finds it or another one by the argument above.
//!
//! # Why a search can be divided
//!
//! A frontier's nodes do not depend on the number of threads, so every process makes the same
//! frontier. Each searches a share of its units with a table of its own: the argument above holds
//! for the share that P leads through.

mod frontier;
mod transpositions;
mod worker;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use taquin_search::{Cost, Counts, Limits, Monitor, Outcome, Search, Solution, Stop};
use taquin_tiles::{Puzzle, Slide, is_reachable};

use self::frontier::{Frontier, bytes_of_node};
use self::transpositions::{Key, Transpositions};
use self::worker::{FoundSolution, Handover, Pool, Worker};
use crate::beam::ImproveFrom;
use crate::ida::board::PackedBoard as _;
use crate::ida::moves::{Exclusions, SET_BITS};
use crate::ida::tree::{Scratch, TreeEngine, TreeNode};
use crate::journal::{Journal, MAX_UNITS, Refusal, Roots, Share, Snapshot};
use crate::layers::slides;
use crate::limits::SharedLimits;
use crate::solver::FrontierOptions;
use crate::tally::Tally;
use crate::threads::{idle, on_threads};

/// The least slack of nodes that are looked up.
const MIN_SLACK: u32 = 1;

/// The memory to use if there is no limit.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// The memory that a thread takes.
pub(crate) const THREAD_MEMORY: u64 = 16 << 20;

/// A threshold's nodes per frontier node.
const NODES_BELOW: u64 = 8000;

/// The least size of a frontier.
const MIN_FRONTIER: u64 = 1 << 10;

/// The frontier may take one part in `n` of the memory.
const MEMORY_PER_FRONTIER: u64 = 4;

/// Nodes per byte of table when a threshold is resumed: about one node in 20 is looked up, and the
/// table has room for a quarter of their boards.
const NODES_PER_BYTE: u64 = 5;

/// How much more room the next threshold's table has than boards were stored under this one. It
/// grows less than the number of boards, since a larger table takes the cache from the databases.
const TABLE_GROWTH: u64 = 2;

/// The number of roots per unit, unless there are very many.
const UNIT_ROOTS: usize = 64;

/// The least number of units in each of several shares, if enough roots exist.
const UNITS_PER_SHARE: usize = 64;

/// Search nodes per node spent on improving the best solution, and the least and most nodes per
/// improvement.
const NODES_PER_IMPROVEMENT: u64 = 48;
const MIN_IMPROVEMENT: u64 = 100_000;
const MAX_IMPROVEMENT: u64 = 20_000_000;

/// The most memory for it.
const IMPROVER_MEMORY: u64 = 256 << 20;

/// A search for one start.
pub(crate) struct Aida<'a, E: TreeEngine> {
    pub(crate) engine: &'a E,
    pub(crate) limits: &'a SharedLimits<'a>,
    pub(crate) exclusions: &'a Exclusions,
    pub(crate) options: FrontierOptions,
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) journal: Option<&'a Journal<'a>>,
}

impl<E: TreeEngine> Aida<'_, E> {
    #[inline]
    fn forgetful(&self, state: u32) -> u32 {
        self.exclusions.forgetful(state)
    }

    /// Returns the blank's cell in a state that only knows excluded moves.
    fn blank(&self, state: u32) -> u8 {
        ((state - self.exclusions.first) >> SET_BITS) as u8
    }

    /// Returns the excluded moves of such a state: a bit for each.
    fn excluded(&self, state: u32) -> u16 {
        ((state - self.exclusions.first) & ((1 << SET_BITS) - 1)) as u16
    }

    /// Returns the state with the same blank and other excluded moves.
    fn excluding_at(&self, state: u32, set: u16) -> u32 {
        self.exclusions.excluding(self.blank(state), set)
    }

    /// Returns the key of a node whose state only knows excluded moves.
    fn key(&self, node: &E::Node) -> Key {
        self.key_of(node.board(), self.blank(node.state()))
    }

    fn key_of(&self, board: &E::Board, blank: u8) -> Key {
        board.words(E::Board::place(blank), self.exclusions.blank_home)
    }

    /// Returns the move to a board from the layer above it, and the board and the blank there.
    fn step_back(&self, mut board: E::Board, state: u32) -> Option<(Slide, E::Board, u8)> {
        let blank = self.blank(state);
        let excluded = self.excluded(state);
        let any = self.engine.actions(self.exclusions.excluding(blank, 0));
        let (back, above) =
            any.into_iter().find(|(slide, _)| excluded >> slide.step as u8 & 1 == 1)?;
        board.slide(E::Board::place(above), E::Board::place(blank));
        let slide = Slide { blank: above.into(), step: back.step.opposite() };
        Some((slide, board, above))
    }

    /// Searches with increasing thresholds.
    pub(crate) fn deepen(&self, threads: usize) -> Search<Slide> {
        let start = self.journal.and_then(Journal::start);
        let (threshold, counts, mut expected) =
            start.unwrap_or((self.engine.root_node().h(), Counts::default(), 0));
        self.limits.skip(counts.expanded, counts.generated);
        let mut run = self.run(threads, threshold);
        run.counts = counts;
        run.most = self.journal.map_or(run.most, |journal| journal.frontier_limit(run.most));
        run.table_wanted =
            expected / self.journal.map_or(1, Journal::shares) as u64 / NODES_PER_BYTE;
        let _idle = idle(self.limits, run.scratches.len() as isize - 1);
        loop {
            let before = run.counts;
            run.least_above = None;
            if let Some(journal) = self.journal {
                journal.begin(run.threshold, before, expected);
            }
            if let Some(actions) = run.best.take_if(|best| best.len() as Cost == run.threshold) {
                let solution = Solution { cost: run.threshold, actions };
                return run.end(Outcome::Solved(solution), before);
            }
            let outcome = match self.threshold(expected, &mut run) {
                Err(stop) => {
                    self.journal.iter().for_each(|journal| journal.close());
                    Outcome::Stopped(stop)
                }
                Ok(Some(actions)) => {
                    Outcome::Solved(Solution { cost: actions.len() as Cost, actions })
                }
                Ok(None) => match run.least_above {
                    None => Outcome::Exhausted,
                    _ if self.journal.is_some_and(Journal::has_one_threshold) => Outcome::Exhausted,
                    Some(next) => {
                        run.threshold = next;
                        expected = Snapshot::GROWTH * (run.counts.generated - before.generated);
                        continue;
                    }
                },
            };
            return run.end(outcome, before);
        }
    }

    /// Prepares a search that begins with a threshold.
    fn run(&self, threads: usize, threshold: Cost) -> Run<E> {
        let memory = self.limits.limits.memory.unwrap_or(DEFAULT_MEMORY);
        // The threads get half the memory. If that does not suffice for all threads, fewer run, and
        // none below `FrontierOptions::MIN_MEMORY`.
        let threads = (memory / 2 / THREAD_MEMORY).min(threads as u64);
        Run {
            threshold,
            // The same with any number of threads.
            most: (memory / MEMORY_PER_FRONTIER / bytes_of_node::<E>()).max(MIN_FRONTIER),
            all_memory: self.limits.limits.memory.unwrap_or(u64::MAX),
            memory: memory - threads * THREAD_MEMORY,
            scratches: (0..threads).map(|_| Scratch::default()).collect(),
            table: None,
            table_wanted: 0,
            counts: Counts::default(),
            least_above: None,
            best: self.any_solution(),
            improving: Counts::default(),
        }
    }

    /// Returns a solution for one thread to improve, if that is worth it: a limit on nodes is for
    /// the search itself.
    fn any_solution(&self) -> Option<Vec<Slide>> {
        let Limits { expanded, generated, .. } = self.limits.limits;
        let is_limited = expanded.is_some() || generated.is_some();
        if !self.options.improves || is_limited || !is_reachable(self.puzzle) {
            return None;
        }
        slides(self.puzzle, &Limits::default()).ok()
    }

    /// Searches a threshold's tree with about `expected` nodes. Returns a solution or the reason to
    /// stop, if any.
    fn threshold(&self, expected: u64, run: &mut Run<E>) -> Result<Option<Vec<Slide>>, Stop> {
        // A search that is resumed makes the frontier of its finished units, whatever its memory
        // is.
        let known = self.journal.and_then(Journal::wanted);
        let wanted = known.unwrap_or_else(|| run.wanted(expected));
        let bytes = wanted.saturating_mul(bytes_of_node::<E>());
        let Some(left) = run.all_memory.checked_sub(bytes).filter(|&left| left >= THREAD_MEMORY)
        else {
            let refusal = Refusal::Memory(bytes.saturating_add(THREAD_MEMORY));
            self.journal.iter().for_each(|journal| journal.refuse(refusal));
            return Err(Stop::Memory);
        };
        run.scratches.truncate((left / THREAD_MEMORY) as usize);
        let frontier = self.frontier(wanted, run)?;
        self.below(frontier, (wanted, expected), run)
    }

    /// Makes a threshold's frontier, with at least `wanted` nodes if enough exist.
    fn frontier(&self, wanted: u64, run: &mut Run<E>) -> Result<Frontier<E>, Stop> {
        let bound = run.threshold;
        if run.scratches.is_empty() {
            return Err(Stop::Memory);
        }
        if let Some(stop) = self.limits.poll(0, 0, 0, bound) {
            return Err(stop);
        }
        let mut root = self.engine.root_node();
        root.set_state(self.forgetful(root.state()));
        let mut frontier = Frontier::new(root);
        let mut tally = Tally::default();
        while (frontier.len() as u64) < wanted && frontier.len() > 0 && frontier.depth < bound {
            if !frontier.advance(self, bound, &mut run.scratches, &mut tally) {
                run.add(&tally);
                return Err(self.stop());
            }
            let counts = &mut run.counts;
            counts.frontier_peak = counts.frontier_peak.max(frontier.len() as u64);
            counts.stored_peak = counts.stored_peak.max(frontier.stored());
            counts.memory_peak = counts.memory_peak.max(frontier.bytes());
        }
        run.add(&tally);
        Ok(frontier)
    }

    /// Searches below a frontier with `wanted` nodes, in a tree with about `expected` nodes.
    /// Returns a solution or the reason to stop, if any.
    fn below(
        &self,
        mut frontier: Frontier<E>,
        (wanted, expected): (u64, u64),
        run: &mut Run<E>,
    ) -> Result<Option<Vec<Slide>>, Stop> {
        let Run { threshold: bound, memory, .. } = *run;
        let nodes = frontier.nodes.iter().flatten();
        let checksum = nodes.fold(0_u64, |sum, node| sum.wrapping_add(self.fingerprint(node)));
        let nodes = frontier.len() as u64;
        let enter = |tallies: &mut [Option<Tally>]| {
            let roots = Roots { wanted, nodes, checksum, units: tallies.len(), is_device: false };
            let enters = self.journal.is_none_or(|journal| journal.enter(roots, tallies));
            if enters { Ok(()) } else { Err(Stop::Cancelled) }
        };
        // Even a frontier without units has to match the journal.
        if frontier.depth == bound || nodes == 0 {
            enter(&mut [])?;
            let goal = frontier.nodes.iter().flatten().next();
            return Ok(goal.map(|goal| frontier.path_to(self, goal)));
        }

        // 1. The units, those with the most slack first.
        let depth = frontier.depth;
        let mut by_slack: Vec<Vec<E::Node>> = Vec::new();
        for node in std::mem::take(&mut frontier.nodes).into_iter().flatten() {
            let slack = slack(&node, depth, bound) as usize;
            by_slack.resize(by_slack.len().max(slack + 1), Vec::new());
            by_slack[slack].push(node);
        }
        // Boards that have much in common look up the same parts of the databases.
        for nodes in &mut by_slack {
            nodes.sort_unstable_by_key(|node| self.key(node));
        }
        let shares = self.journal.map_or(1, Journal::shares);
        let by_most = by_slack.iter().zip(unit_sizes(&by_slack, shares)).rev();
        let units: Vec<&[E::Node]> = by_most.flat_map(|(nodes, size)| nodes.chunks(size)).collect();
        let mut known = vec![None; units.len()];
        enter(&mut known)?;
        for tally in known.iter().flatten() {
            run.add(tally);
            self.limits.skip(tally.expanded, tally.generated);
        }
        let share = self.journal.map_or(Share::WHOLE, Journal::share);
        let due = (0..units.len()).filter(|&unit| known[unit].is_none() && share.has(unit));

        // 2. The table, in the remaining memory.
        let roots = by_slack.iter().map(Vec::capacity).sum::<usize>() * size_of::<E::Node>();
        let used = frontier.bytes() + roots as u64;
        let improvement = self.improvement(expected, memory.saturating_sub(used), run);
        let improver_bytes =
            improvement.as_ref().map_or(0, |(_, limits)| limits.memory.unwrap_or_default());
        let left = memory.saturating_sub(used + improver_bytes);
        run.make_table(self.options.table.unwrap_or(u64::MAX).min(left));

        // 3. The subtrees below the units.
        let pool = Pool {
            units: &units,
            due: due.collect(),
            open: Mutex::default(),
            next: AtomicUsize::new(0),
            threads: run.scratches.len(),
            handover: Mutex::new(Handover::default()),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
            found: OnceLock::new(),
            improver: improvement.as_ref().and_then(|(_, limits)| limits.monitor.clone()),
            improvement: Mutex::new(improvement),
            improved: Mutex::new((run.best.take(), Counts::default())),
        };
        let table = run.table.as_ref();
        let tallies = on_threads(self.limits, &mut run.scratches, |scratch| {
            let mut worker = Worker::new(self, &pool, table, bound);
            (worker.work(depth, scratch), worker.stored)
        });
        let bytes = run.scratches.iter().map(Scratch::bytes).sum::<usize>() as u64;
        let table_bytes = run.table.as_ref().map_or(0, Transpositions::bytes);
        let bytes = frontier.bytes() + roots as u64 + bytes + table_bytes;
        run.counts.memory_peak = run.counts.memory_peak.max(bytes);
        run.table_wanted = 0;
        for (tally, stored) in tallies {
            run.add(&tally);
            run.table_wanted += TABLE_GROWTH * stored * size_of::<Key>() as u64;
        }
        let (best, improving) = pool.improved.into_inner().unwrap_or_else(PoisonError::into_inner);
        run.best = best;
        run.improving = run.improving.then(improving);
        match pool.found.into_inner() {
            Some(FoundSolution::Whole(actions)) => Ok(Some(actions)),
            Some(FoundSolution::Below(node, actions)) => {
                Ok(Some([frontier.path_to(self, &node), actions].concat()))
            }
            None if self.limits.stopped().is_some() => Err(self.stop()),
            None => Ok(None),
        }
    }

    /// Returns how to improve the best solution while a threshold with about `expected` nodes is
    /// searched, in at most `left` bytes: if it then has the cost of the threshold, it is optimal.
    fn improvement(&self, expected: u64, left: u64, run: &Run<E>) -> Option<(ImproveFrom, Limits)> {
        let nodes = (expected / NODES_PER_IMPROVEMENT).min(MAX_IMPROVEMENT);
        let path = run.best.clone().filter(|_| nodes >= MIN_IMPROVEMENT)?;
        let from = ImproveFrom {
            path,
            bound: run.threshold,
            seed: run.threshold.into(),
            first: (nodes / 4).min(ImproveFrom::FIRST as u64) as usize,
        };
        let above = self.limits.limits.monitor.as_ref();
        let limits = Limits {
            expanded: Some(nodes),
            memory: Some((run.memory / MEMORY_PER_FRONTIER).min(IMPROVER_MEMORY).min(left)),
            time: self.limits.time_left(),
            monitor: Some(Arc::new(above.map(Monitor::below).unwrap_or_default())),
            ..Limits::default()
        };
        Some((from, limits))
    }

    fn stop(&self) -> Stop {
        self.limits.stopped().unwrap_or(Stop::Cancelled)
    }
}

/// Returns by how many pairs of moves a path through a node may exceed its estimate.
#[inline]
fn slack(node: &impl TreeNode, depth: Cost, bound: Cost) -> u32 {
    (bound - depth - node.h()) / 2
}

/// Returns how many nodes of each slack are a unit: fewer if there is more below them than below
/// others, so that a unit takes seconds at most and is seldom lost.
fn unit_sizes<N>(by_slack: &[Vec<N>], shares: usize) -> Vec<usize> {
    let nodes: usize = by_slack.iter().map(Vec::len).sum();
    let (balanced, most_units) = match shares {
        1 => (UNIT_ROOTS, MAX_UNITS / 8),
        shares => (UNIT_ROOTS.min(nodes / (UNITS_PER_SHARE * shares)), MAX_UNITS / 4),
    };
    let most = balanced.max(nodes.div_ceil(most_units as usize));
    let weight = |slack: usize| (Snapshot::GROWTH as f64).powi(slack as i32);
    let weighted = by_slack.iter().enumerate();
    let total: f64 = weighted.map(|(slack, nodes)| nodes.len() as f64 * weight(slack)).sum();
    let mean = total / nodes as f64;
    let size = |slack| (most as f64 * (mean / weight(slack)).min(1.0)) as usize;
    (0..by_slack.len()).map(|slack| size(slack).max(1)).collect()
}

/// State that lasts from one threshold to the next.
struct Run<E: TreeEngine> {
    threshold: Cost,
    /// The most nodes of a frontier.
    most: u64,
    /// The memory limit, and the memory that the threads leave free.
    all_memory: u64,
    memory: u64,
    /// One for each thread.
    scratches: Vec<Scratch<E>>,
    table: Option<Transpositions>,
    /// The bytes for the next threshold's table.
    table_wanted: u64,
    counts: Counts,
    least_above: Option<Cost>,
    /// The shortest solution so far.
    best: Option<Vec<Slide>>,
    /// The counts of the searches that improved it.
    improving: Counts,
}

impl<E: TreeEngine> Run<E> {
    /// Returns the frontier size for a tree with about `expected` nodes.
    fn wanted(&self, expected: u64) -> u64 {
        (expected / NODES_BELOW).clamp(MIN_FRONTIER, self.most.max(MIN_FRONTIER))
    }

    /// Returns the result, given the counts before the last threshold.
    fn end(&self, outcome: Outcome<Slide>, before: Counts) -> Search<Slide> {
        Search {
            outcome,
            lower_bound: self.threshold,
            counts: Counts {
                expanded: self.counts.expanded + self.improving.expanded,
                generated: self.counts.generated + self.improving.generated,
                ..self.counts
            },
            before_last_bound: Some(before),
        }
    }

    fn add(&mut self, tally: &Tally) {
        self.counts.expanded += tally.expanded;
        self.counts.generated += tally.generated;
        self.counts.duplicates += tally.duplicates;
        self.counts.depth_peak = self.counts.depth_peak.max(tally.deepest);
        let least = self.least_above.into_iter().chain(tally.least_above).min();
        self.least_above = least;
    }

    /// Makes a table of at most `most` bytes, if the present one is too small or too large.
    fn make_table(&mut self, most: u64) {
        let wanted = self.table_wanted.next_power_of_two().max(Transpositions::MIN_BYTES);
        let present = self.table.as_ref().map_or(0, Transpositions::bytes);
        if present < wanted.min(most) || present > most {
            self.table = None;
            self.table = Transpositions::new(wanted.min(most));
        }
    }
}
