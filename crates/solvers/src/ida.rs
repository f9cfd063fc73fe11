//! IDA* in units, on any number of threads, with the counts of one thread.
//!
//! Under a threshold every node whose f does not exceed it is expanded, so a subtree without a goal
//! has the same counts in any order. A threshold's tree is therefore cut at some depth, runs of
//! consecutive subtrees become units, and the engine sweeps each unit in any order, on any thread.
//! Afterwards the tree above the cut is walked in move order, and the units' tallies are added. The
//! order matters only if a goal or a limit lies inside a unit: that unit is walked subtree by
//! subtree, and the one subtree that contains it is cut again.
//!
//! An engine that sweeps in order knows the path to the first goal and counts only the nodes before
//! it, so no unit is swept twice. If such an engine runs on one thread without a node limit, the
//! whole tree is one unit. The solution, the counts and the node at which a limit is reached are
//! the same as in a depth-first search on one thread.

pub(crate) mod board;
mod bucket;
pub(crate) mod manhattan;
pub(crate) mod moves;
pub(crate) mod pattern;
pub(crate) mod pattern_steps;
pub(crate) mod sweep;
pub(crate) mod tree;
pub(crate) mod zero_aware;
pub(crate) mod zero_steps;

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use taquin_search::{Cost, Counts, Limits, Outcome, Search, Solution, Stop};
use taquin_tiles::Slide;

use crate::ida::sweep::{FoundGoal, SweepEngine, SweepStop};
use crate::journal::{Journal, MAX_UNITS, Roots, Share, Snapshot};
use crate::limits::{SharedLimits, UnitLimits};
use crate::tally::Tally;
use crate::threads::{IdleThreads, idle, on_threads};

/// Is called with each shortest solution, and decides whether to continue.
pub(crate) type OnSolution<'a> = &'a mut dyn FnMut(&[Slide]) -> ControlFlow<()>;

/// The most units in a search by one process.
const MAX_OWN_UNITS: u64 = 1 << 15;

/// The number of units in each of several shares: with many, large and small ones cancel out.
const UNITS_PER_SHARE: u64 = 256;

/// The least number of units per thread.
const UNITS_PER_THREAD: u64 = 32;

/// The units' roots take at most one part in `n` of the memory, if it is limited.
const MEMORY_PER_ROOTS: u64 = 3;

/// Returns the bytes that a root takes while a tree is cut: memory also holds the layer before, and
/// the last layer may have twice as many nodes as needed, in a vector with twice their number.
const fn root_bytes<E: SweepEngine>() -> usize {
    6 * size_of::<E::Node>()
}

/// Searches with increasing thresholds for a shortest solution, or with `each` for all shortest
/// ones.
pub(crate) fn deepen<'each, E: SweepEngine>(
    engine: &E,
    threads: usize,
    limits: &SharedLimits<'_>,
    each: Option<OnSolution<'each>>,
    journal: Option<&'each Journal<'each>>,
) -> Search<Slide> {
    let start = journal.and_then(Journal::start);
    let (first, before, expected) =
        start.unwrap_or((engine.estimate(&engine.root()), Counts::default(), 0));
    limits.skip(before.expanded, before.generated);
    let thresholds = Thresholds { first, before, expected, last: Cost::MAX };
    deepen_between(engine, threads, limits, thresholds, each, journal)
}

/// Some thresholds of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    pub(crate) first: Cost,
    pub(crate) last: Cost,
    /// The counts of the thresholds before the first, which the limits know about.
    pub(crate) before: Counts,
    /// The approximate number of nodes in the tree of the first.
    pub(crate) expected: u64,
}

impl Thresholds {
    /// Returns the thresholds that follow a search that has ended without a solution, up to `last`.
    /// Returns `None` if it ended otherwise.
    pub(crate) fn after(&self, search: &Search<Slide>, last: Cost) -> Option<Self> {
        let is_over =
            matches!(search.outcome, Outcome::Exhausted) && search.lower_bound > self.last;
        let counts = search.counts;
        let nodes = counts.generated - search.before_last_bound.map_or(0, |it| it.generated);
        let expected = Snapshot::GROWTH * nodes;
        is_over.then_some(Self { first: search.lower_bound, last, before: counts, expected })
    }
}

/// Searches with some thresholds as [`deepen`] does. If the last one has no solution, the outcome
/// is `Exhausted`, and the lower bound is greater than the last.
pub(crate) fn deepen_between<'each, E: SweepEngine>(
    engine: &E,
    threads: usize,
    limits: &SharedLimits<'_>,
    thresholds: Thresholds,
    each: Option<OnSolution<'each>>,
    journal: Option<&'each Journal<'each>>,
) -> Search<Slide> {
    let Thresholds { first, last, before, mut expected } = thresholds;
    let root = engine.root();
    let mut driver = Driver::new(engine, threads, limits, first, before);
    (driver.each, driver.journal) = (each, journal);
    loop {
        let before = driver.counts;
        driver.least_above = None;
        if let Some(journal) = journal {
            journal.begin(driver.threshold, before, expected);
        }
        let flow = driver.subtree(&root, expected);
        let outcome = match (flow, driver.solution.take(), driver.least_above) {
            (Break(ThresholdEnd::Stopped(stop)), ..) => {
                if let Some(journal) = journal {
                    journal.close();
                }
                Outcome::Stopped(stop)
            }
            (_, Some(actions), _) => {
                Outcome::Solved(Solution { cost: actions.len() as Cost, actions })
            }
            (_, None, _) if journal.is_some_and(Journal::has_one_threshold) => Outcome::Exhausted,
            (_, None, Some(next)) => {
                driver.threshold = next;
                expected = Snapshot::GROWTH * (driver.counts.generated - before.generated);
                if next <= last {
                    continue;
                }
                Outcome::Exhausted
            }
            (_, None, None) => Outcome::Exhausted,
        };
        return Search {
            outcome,
            lower_bound: driver.threshold,
            counts: driver.counts,
            before_last_bound: Some(before),
        };
    }
}

/// Why the search of a threshold ended early.
enum ThresholdEnd {
    /// A solution was found, and no other is wanted.
    Solved,
    Stopped(Stop),
}

struct Driver<'a, 'each, E: SweepEngine> {
    engine: &'a E,
    limits: &'a SharedLimits<'a>,
    each: Option<OnSolution<'each>>,
    journal: Option<&'each Journal<'each>>,
    threshold: Cost,
    /// One for each thread.
    scratches: Vec<E::Scratch>,
    /// The actions from the root to the current node.
    path: Vec<Slide>,
    /// The successors of the path's nodes, in the order of these nodes.
    pending: Vec<(Slide, E::Node)>,
    counts: Counts,
    /// The counts at the last poll.
    polled: Counts,
    least_above: Option<Cost>,
    /// The first solution.
    solution: Option<Vec<Slide>>,
    /// All threads but one, except during a sweep.
    _idle: IdleThreads<'a>,
}

/// The subtrees at one depth of a tree, grouped into units.
struct Units<N> {
    depth: usize,
    subtrees: Vec<N>,
    /// The number of subtrees in a unit.
    each: usize,
    /// Which units are searched.
    share: Share,
    /// An upper bound on the number of nodes above the subtrees.
    above: u64,
    tallies: Vec<Option<Tally>>,
    /// The first unit in which a sweep found the first goal, and that goal.
    found: Option<(usize, FoundGoal)>,
    /// The subtree that the walk reaches next.
    next: usize,
    /// Whether the tally of its unit has been added.
    added: bool,
}

impl<'a, 'each, E: SweepEngine> Driver<'a, 'each, E> {
    fn new(
        engine: &'a E,
        threads: usize,
        limits: &'a SharedLimits<'a>,
        threshold: Cost,
        counts: Counts,
    ) -> Self {
        Self {
            engine,
            limits,
            each: None,
            journal: None,
            threshold,
            scratches: (0..threads).map(|_| E::Scratch::default()).collect(),
            path: Vec::new(),
            pending: Vec::new(),
            counts,
            polled: counts,
            least_above: None,
            solution: None,
            _idle: idle(limits, threads as isize - 1),
        }
    }

    /// Searches the tree below `node`, which has about `expected` nodes.
    fn subtree(&mut self, node: &E::Node, expected: u64) -> ControlFlow<ThresholdEnd> {
        // A search that was stopped before it began does nothing.
        if let Some(stop) = self.poll() {
            return Break(ThresholdEnd::Stopped(stop));
        }
        let is_small =
            expected < E::MIN_SWEPT_NODES && !self.journal().is_some_and(Journal::needs_units);
        let mut units = match is_small && !self.is_whole() {
            true => None,
            false => self.cut(node, expected),
        };
        if let Some(units) = units.as_mut().filter(|_| self.limits.stopped().is_none()) {
            self.sweep(units);
        }
        let stop = self.limits.stopped();
        let tallies = units.iter().flat_map(|units| units.tallies.iter().flatten());
        let is_share = self.journal().is_some_and(Journal::has_one_threshold);
        if stop.is_some() || is_share && tallies.clone().all(|tally| tally.end.is_none()) {
            tallies.for_each(|tally| self.add(tally));
            return stop.map_or(Continue(()), |stop| Break(ThresholdEnd::Stopped(stop)));
        }
        self.walk(node, &mut units)
    }

    /// Returns whether the whole tree is one unit: if one thread finds the first goal, and no limit
    /// has to stop it at an exact node.
    fn is_whole(&self) -> bool {
        let Limits { expanded, generated, .. } = self.limits.limits;
        E::FINDS
            && self.scratches.len() == 1
            && self.each.is_none()
            && self.journal.is_none()
            && expanded.is_none()
            && generated.is_none()
    }

    /// Returns the journal, if the whole tree is searched.
    fn journal(&self) -> Option<&'each Journal<'each>> {
        self.journal.filter(|_| self.path.is_empty())
    }

    /// Cuts a tree into units, if it is deep enough.
    fn cut(&mut self, root: &E::Node, expected: u64) -> Option<Units<E::Node>> {
        let journal = self.journal();
        let (threads, shares) =
            (self.scratches.len() as u64, journal.map_or(1, Journal::shares) as u64);
        let (least, most) = match shares {
            1 if threads == 1 => (UNITS_PER_THREAD / 2, MAX_OWN_UNITS),
            1 => (UNITS_PER_THREAD * threads, MAX_OWN_UNITS),
            _ => ((UNITS_PER_SHARE * shares).min(MAX_UNITS), MAX_UNITS),
        };
        // With more units the roots alone would take too much memory.
        let most = self.limits.limits.memory.map_or(most, |memory| {
            most.min(memory / MEMORY_PER_ROOTS / (E::SUBTREES * root_bytes::<E>()) as u64)
        });
        let wanted = match journal.and_then(Journal::wanted) {
            // A tree of more units was not cut by this program.
            Some(wanted) => wanted.min(MAX_UNITS),
            None => (expected / E::UNIT).clamp(least, most.max(least)),
        };
        let most_roots = wanted.min(MAX_OWN_UNITS) as usize * E::SUBTREES;
        let mut cut = Units {
            depth: self.path.len(),
            subtrees: vec![*root],
            each: 1,
            share: journal.map_or(Share::WHOLE, Journal::share),
            above: 1,
            tallies: vec![None],
            found: None,
            next: 0,
            added: false,
        };
        if self.is_whole() {
            return Some(cut);
        }
        let mut successors = Vec::new();
        while cut.subtrees.len() < most_roots {
            let mut deeper = Vec::with_capacity(2 * cut.subtrees.len());
            for node in &cut.subtrees {
                self.engine.successors(node, &mut successors);
                cut.above += successors.len() as u64;
                let kept = successors.drain(..).map(|(_, node)| node).filter(|node| {
                    let f = cut.depth as Cost + 1 + self.engine.estimate(node);
                    f <= self.threshold && !self.engine.is_goal(node)
                });
                deeper.extend(kept);
            }
            cut.depth += 1;
            let is_thinning = deeper.len() < cut.subtrees.len();
            cut.subtrees = deeper;
            if is_thinning {
                break;
            }
        }
        let nodes = cut.subtrees.len();
        cut.each = nodes.div_ceil(wanted as usize).max(1);
        cut.tallies = vec![None; nodes.div_ceil(cut.each)];
        let units = cut.tallies.len();
        let roots = Roots { wanted, nodes: nodes as u64, checksum: 0, units, is_device: false };
        if journal.is_some_and(|journal| !journal.enter(roots, &mut cut.tallies)) {
            self.limits.cancel();
        }
        (!cut.subtrees.is_empty()).then_some(cut)
    }

    /// Sweeps the units of the share on all threads until one has a goal or a limit is reached.
    fn sweep(&mut self, units: &mut Units<E::Node>) {
        let Self { engine, limits, threshold, mut counts, .. } = *self;
        let finds_all = self.each.is_some();
        let journal = self.journal();
        let depth = units.depth as Cost;
        for tally in units.tallies.iter().flatten() {
            counts.expanded += tally.expanded;
            counts.generated += tally.generated;
            limits.skip(tally.expanded, tally.generated);
        }
        let share = units.share;
        let is_done: Vec<bool> = units.tallies.iter().map(Option::is_some).collect();
        let (next, first) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let (expanded, generated) =
            (AtomicU64::new(counts.expanded), AtomicU64::new(counts.generated));
        let subtrees: Vec<&[E::Node]> = units.subtrees.chunks(units.each).collect();
        let work = |scratch: &mut E::Scratch| {
            let mut done = Vec::new();
            loop {
                let unit = next.fetch_add(1, Relaxed);
                let spent = Counts {
                    expanded: expanded.load(Relaxed),
                    generated: generated.load(Relaxed),
                    ..counts
                };
                if unit >= subtrees.len()
                    || first.load(Relaxed) < unit
                    || limits.spent(&spent).is_some()
                {
                    return done;
                }
                if is_done[unit] || !share.has(unit) {
                    continue;
                }
                let unit_limits =
                    UnitLimits { shared: limits, bound: threshold, unit, first: &first };
                let tally = engine.sweep(subtrees[unit], depth, &unit_limits, scratch);
                if let Some(journal) = journal.filter(|_| tally.end.is_none()) {
                    journal.add(unit, tally);
                }
                expanded.fetch_add(tally.expanded, Relaxed);
                generated.fetch_add(tally.generated, Relaxed);
                let found = E::found(scratch).filter(|_| !finds_all);
                if tally.end == Some(SweepStop::Goal) && !finds_all {
                    first.fetch_min(unit, Relaxed);
                }
                done.push((unit, tally, found));
                if limits.stopped().is_some() {
                    return done;
                }
            }
        };
        let done = on_threads(limits, &mut self.scratches, work);
        for (unit, tally, found) in done.into_iter().flatten() {
            units.tallies[unit] = Some(tally);
            let is_first = units.found.as_ref().is_none_or(|&(first, _)| unit < first);
            if let Some(found) = found.filter(|_| is_first) {
                units.found = Some((unit, found));
            }
        }
        let bytes = units.subtrees.capacity() * size_of::<E::Node>()
            + self.scratches.iter().map(E::bytes).sum::<usize>();
        self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
    }

    /// Walks a tree in the order of the moves, down to its units.
    fn walk(
        &mut self,
        node: &E::Node,
        units: &mut Option<Units<E::Node>>,
    ) -> ControlFlow<ThresholdEnd> {
        // 1. A goal?
        if self.engine.is_goal(node) {
            self.solution.get_or_insert_with(|| self.path.clone());
            let Some(each) = &mut self.each else { return Break(ThresholdEnd::Solved) };
            each(&self.path).map_break(|()| ThresholdEnd::Solved)?;
            let stop = self.limits.poll(0, 0, self.path.len() as u64, self.threshold);
            return stop.map_or(Continue(()), |stop| Break(ThresholdEnd::Stopped(stop)));
        }

        // 2. The root of a subtree that has been swept?
        if let Some(units) = units.as_mut().filter(|units| units.depth == self.path.len()) {
            return self.enter(node, units);
        }

        // 3. May it be expanded?
        if let Some(stop) = self.poll() {
            return Break(ThresholdEnd::Stopped(stop));
        }
        self.counts.expanded += 1;
        self.note_depth(self.path.len() as u64);

        // 4. Its successors.
        let first = self.pending.len();
        self.engine.successors(node, &mut self.pending);
        for at in first..self.pending.len() {
            let (action, child) = self.pending[at];
            self.counts.generated += 1;
            let f = self.path.len() as Cost + 1 + self.engine.estimate(&child);
            if f > self.threshold {
                self.note_above(f);
                continue;
            }
            self.path.push(action);
            self.walk(&child, units)?;
            self.path.pop();
        }
        self.pending.truncate(first);
        Continue(())
    }

    /// Adds the counts of a subtree, or searches it in order if it contains a goal or a limit.
    fn enter(&mut self, node: &E::Node, units: &mut Units<E::Node>) -> ControlFlow<ThresholdEnd> {
        let (unit, place) = (units.next / units.each, units.next % units.each);
        units.next += 1;
        if !units.share.has(unit) {
            return Continue(());
        }
        let whole = units.tallies[unit];
        if place == 0 {
            let is_known = units.found.as_ref().is_some_and(|&(found, _)| found == unit);
            // The nodes between the subtrees of a unit count towards the limits as well.
            let whole = whole.filter(|tally| {
                (tally.end.is_none() || is_known) && self.is_allowed(tally, units.above)
            });
            units.added = whole.is_some();
            if let Some(tally) = &whole {
                self.add(tally);
            }
        }
        if units.added {
            let found = units.found.take_if(|(of, found)| *of == unit && found.root == place);
            let Some((_, FoundGoal { actions, .. })) = found else { return Continue(()) };
            self.solution = Some([&self.path[..], &actions].concat());
            return Break(ThresholdEnd::Solved);
        }
        let tally = match whole.filter(|_| units.each == 1) {
            Some(whole) => whole,
            None => {
                let first = AtomicUsize::new(usize::MAX);
                let Self { engine, limits, threshold, .. } = *self;
                let unit_limits =
                    UnitLimits { shared: limits, bound: threshold, unit: 0, first: &first };
                let depth = units.depth as Cost;
                engine.sweep(&[*node], depth, &unit_limits, &mut self.scratches[0])
            }
        };
        if tally.end.is_none() && self.is_allowed(&tally, 0) {
            self.add(&tally);
            return Continue(());
        }
        if let Some(stop) = self.limits.stopped() {
            self.add(&tally);
            return Break(ThresholdEnd::Stopped(stop));
        }
        self.subtree(node, tally.generated)
    }

    /// Returns whether adding `tally` and `extra` nodes stays within the limits.
    fn is_allowed(&self, tally: &Tally, extra: u64) -> bool {
        let counts = Counts {
            expanded: self.counts.expanded + tally.expanded + extra,
            generated: self.counts.generated + tally.generated + extra,
            ..self.counts
        };
        self.limits.spent(&counts).is_none()
    }

    fn add(&mut self, tally: &Tally) {
        self.counts.expanded += tally.expanded;
        self.counts.generated += tally.generated;
        if tally.expanded > 0 {
            self.note_depth(tally.deepest);
        }
        tally.least_above.iter().for_each(|&f| self.note_above(f));
        // The sweep has reported to the monitor itself.
        self.polled.expanded += tally.expanded;
        self.polled.generated += tally.generated;
    }

    fn note_above(&mut self, f: Cost) {
        let f = if E::BY_ONE { self.threshold + 1 } else { f };
        self.least_above = Some(self.least_above.map_or(f, |least| least.min(f)));
    }

    /// Notes that a node at `depth` is expanded.
    fn note_depth(&mut self, depth: u64) {
        if depth >= self.counts.frontier_peak {
            self.counts.depth_peak = depth;
            self.counts.frontier_peak = depth + 1;
            self.counts.stored_peak = depth + 1;
            let pending = self.pending.capacity() * size_of::<(Slide, E::Node)>();
            let bytes = self.path.capacity() * size_of::<Slide>() + pending;
            self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
        }
    }

    /// Returns why the next node may not be expanded, if it may not.
    #[inline]
    fn poll(&mut self) -> Option<Stop> {
        const INTERVAL: u64 = 1 << 12;
        let expanded = self.counts.expanded - self.polled.expanded;
        let stop = match expanded >= INTERVAL || self.counts.expanded == 0 {
            true => {
                let generated = self.counts.generated - self.polled.generated;
                self.polled = self.counts;
                self.limits.poll(expanded, generated, self.path.len() as u64, self.threshold)
            }
            false => None,
        };
        stop.or_else(|| self.limits.spent(&self.counts))
    }
}
