//! Iterative deepening in parts, over any number of threads, with the counts of one thread.
//!
//! Under a threshold every node whose f is not above it is expanded, whatever the order: the counts
//! of a subtree without a goal do not depend on how it is traversed. So the tree of a threshold is
//! cut at some depth, runs of consecutive subtrees are parts, and each part is swept by the engine
//! in any order it likes, on any thread. Afterwards the tree above the cut is walked in the order of
//! the moves, and what the parts counted is added on the way. Only where a goal or a limit lies
//! inside a part is the order needed: that part is walked subtree by subtree, and the one subtree
//! that matters is cut again. An engine that sweeps in order knows the way to the first goal, and has
//! counted only what is before it; then nothing is done again, and where one thread searches without
//! a limit on nodes, the whole tree is one part. The solution, the counts and the place where a limit strikes are those
//! of a depth-first search on one thread.

use std::ops::ControlFlow::{self, Break, Continue};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts, Limits, Outcome, Search, Solution, Stop};
use taquin_tiles::Slide;

use crate::journal::{Journal, Record};
use crate::watch::{Ticket, Watch};

/// A space with unit costs and an estimate, and a fast way to count the nodes below a threshold.
pub(crate) trait Engine: Sync {
    /// A state, with what is needed to step from it.
    type Node: Copy + Send + Sync;
    /// What a thread keeps from one sweep to the next.
    type Bench: Default + Send;

    /// A tree of fewer nodes is walked: to cut and to sweep it would take longer.
    const SMALL: u64;
    /// The nodes that a part should have.
    const PART: u64;
    /// The subtrees that a part should have.
    const SUBTREES: usize;
    /// Whether sweeps know which goal is the first.
    const FINDS: bool = false;

    fn root(&self) -> Self::Node;

    fn estimate(&self, node: &Self::Node) -> Cost;

    fn is_goal(&self, node: &Self::Node) -> bool;

    /// Appends the successors, in the order of the moves.
    fn successors(&self, node: &Self::Node, successors: &mut Vec<(Slide, Self::Node)>);

    /// Counts the nodes below some that lie at one depth, in any order. None of them is a goal.
    fn sweep(
        &self,
        roots: &[Self::Node],
        depth: Cost,
        ticket: &Ticket<'_>,
        bench: &mut Self::Bench,
    ) -> Tally;

    /// The first goal, if the last sweep has found one and knows which is the first: it has counted
    /// only the nodes before it.
    fn found(_: &mut Self::Bench) -> Option<Found> {
        None
    }

    /// The bytes that a bench holds.
    fn bytes(bench: &Self::Bench) -> usize;
}

/// What a sweep counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) expanded: u64,
    pub(crate) generated: u64,
    /// The greatest depth at which a node was expanded.
    pub(crate) deepest: u64,
    /// The least f above the threshold.
    pub(crate) least_above: Option<Cost>,
    /// Whether the sweep ended early because of a goal, or because it was told to.
    #[serde(skip)]
    pub(crate) end: Option<Early>,
}

/// Why a sweep is not complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Early {
    Goal,
    GivenUp,
}

/// A goal below some nodes.
#[derive(Debug)]
pub(crate) struct Found {
    /// The place of the node that it is below.
    pub(crate) root: usize,
    /// The way to it from there.
    pub(crate) actions: Vec<Slide>,
}

/// Is told each shortest solution, and says whether to go on.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&[Slide]) -> ControlFlow<()>;

/// The most parts that a tree is cut into.
const MOST_PARTS: u64 = 1 << 15;

/// Searches under one threshold after the other; with `each`, for all shortest solutions.
pub(crate) fn deepen<'each, E: Engine>(
    engine: &E,
    threads: usize,
    watch: &Watch<'_>,
    each: Option<Each<'each>>,
    journal: Option<Journal<'each>>,
) -> Search<Slide> {
    let root = engine.root();
    let record = journal.map(Record::new);
    let start = record.as_ref().and_then(Record::start);
    let (threshold, counts, mut expected) =
        start.unwrap_or((engine.estimate(&root), Counts::default(), 0));
    watch.skip(&counts);
    let mut driver = Driver {
        engine,
        watch,
        each,
        record,
        threshold,
        benches: (0..threads).map(|_| E::Bench::default()).collect(),
        path: Vec::new(),
        pending: Vec::new(),
        counts,
        polled: counts,
        least_above: None,
        solution: None,
    };
    loop {
        let before = driver.counts;
        driver.least_above = None;
        if let Some(record) = &driver.record {
            record.begin(driver.threshold, before, expected);
        }
        let flow = driver.subtree(&root, expected);
        let outcome = match (flow, driver.solution.take(), driver.least_above) {
            (Break(End::Stopped(stop)), ..) => {
                driver.record.iter().for_each(Record::close);
                Outcome::Stopped(stop)
            }
            (_, Some(actions), _) => {
                Outcome::Solved(Solution { cost: actions.len() as Cost, actions })
            }
            (_, None, Some(next)) => {
                driver.threshold = next;
                // A threshold has some six times the nodes of the one before.
                expected = 8 * (driver.counts.generated - before.generated);
                continue;
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

/// Why a threshold ended before all of it was searched.
enum End {
    /// There is a solution, and no other is wanted.
    Solved,
    Stopped(Stop),
}

struct Driver<'a, 'each, E: Engine> {
    engine: &'a E,
    watch: &'a Watch<'a>,
    each: Option<Each<'each>>,
    record: Option<Record<'each>>,
    threshold: Cost,
    /// One for each thread.
    benches: Vec<E::Bench>,
    /// The actions from the root to the node that is walked.
    path: Vec<Slide>,
    /// The successors of the nodes on the path, one node's after the other's.
    pending: Vec<(Slide, E::Node)>,
    counts: Counts,
    /// The counts when the clock was looked at last.
    polled: Counts,
    least_above: Option<Cost>,
    /// The first solution.
    solution: Option<Vec<Slide>>,
}

/// The subtrees at one depth of a tree, some to a part.
struct Parts<N> {
    depth: usize,
    subtrees: Vec<N>,
    /// The subtrees of a part.
    each: usize,
    /// No more nodes than this lie above the subtrees.
    above: u64,
    tallies: Vec<Option<Tally>>,
    /// The first part with a goal, and the way to it if that is known.
    found: Option<(usize, Found)>,
    /// The subtree that the walk comes to next.
    next: usize,
    /// Whether the counts of the whole part that it belongs to have been added.
    added: bool,
}

impl<'each, E: Engine> Driver<'_, 'each, E> {
    /// Searches the tree below a node, which has about the expected number of nodes.
    fn subtree(&mut self, node: &E::Node, expected: u64) -> ControlFlow<End> {
        // A search that was stopped before it began does nothing.
        if let Some(stop) = self.poll() {
            return Break(End::Stopped(stop));
        }
        let mut parts = match expected < E::SMALL && !self.is_whole() {
            true => None,
            false => self.cut(node, expected),
        };
        if let Some(parts) = &mut parts {
            self.sweep(parts);
            if let Some(stop) = self.watch.stopped() {
                parts.tallies.iter().flatten().for_each(|tally| self.add(tally));
                return Break(End::Stopped(stop));
            }
        }
        self.walk(node, &mut parts)
    }

    /// Whether a tree is swept as a whole: by one thread that finds the goal and counts in order, with
    /// no limit that has to strike at a certain node.
    fn is_whole(&self) -> bool {
        let Limits { expanded, generated, .. } = self.watch.limits;
        E::FINDS
            && self.benches.len() == 1
            && self.each.is_none()
            && self.record.is_none()
            && expanded.is_none()
            && generated.is_none()
    }

    /// What is written down of the parts of the whole tree.
    fn record(&self) -> Option<&Record<'each>> {
        self.record.as_ref().filter(|_| self.path.is_empty())
    }

    /// Cuts a tree into parts, unless it is not deep enough.
    fn cut(&mut self, root: &E::Node, expected: u64) -> Option<Parts<E::Node>> {
        let threads = self.benches.len() as u64;
        let least = if threads > 1 { 32 * threads } else { 16 };
        // Of more parts than this the roots alone would take much memory.
        let parts = (expected / E::PART).clamp(least, MOST_PARTS.max(least)) as usize;
        let parts = self.record().and_then(Record::wanted).unwrap_or(parts);
        let mut cut = Parts {
            depth: self.path.len(),
            subtrees: vec![*root],
            each: 1,
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
        while cut.subtrees.len() < parts * E::SUBTREES {
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
        cut.each = cut.subtrees.len().div_ceil(parts).max(1);
        cut.tallies = vec![None; cut.subtrees.len().div_ceil(cut.each)];
        if let Some(record) = self.record() {
            record.cut(parts, &mut cut.tallies);
        }
        (!cut.subtrees.is_empty()).then_some(cut)
    }

    /// Sweeps the parts in order, on all threads, until one has a goal or the limits are reached.
    fn sweep(&mut self, parts: &mut Parts<E::Node>) {
        let Self { engine, watch, threshold, mut counts, .. } = *self;
        let finds_all = self.each.is_some();
        let record = self.path.is_empty().then_some(self.record.as_ref()).flatten();
        let depth = parts.depth as Cost;
        for tally in parts.tallies.iter().flatten() {
            counts.expanded += tally.expanded;
            counts.generated += tally.generated;
            watch.skip(&Counts { expanded: tally.expanded, generated: tally.generated, ..counts });
        }
        let is_done: Vec<bool> = parts.tallies.iter().map(Option::is_some).collect();
        let (next, first) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let (expanded, generated) =
            (AtomicU64::new(counts.expanded), AtomicU64::new(counts.generated));
        let subtrees: Vec<&[E::Node]> = parts.subtrees.chunks(parts.each).collect();
        let work = |bench: &mut E::Bench| {
            let mut done = Vec::new();
            loop {
                let part = next.fetch_add(1, Relaxed);
                let spent = Counts {
                    expanded: expanded.load(Relaxed),
                    generated: generated.load(Relaxed),
                    ..counts
                };
                if part >= subtrees.len()
                    || first.load(Relaxed) < part
                    || watch.spent(&spent).is_some()
                {
                    return done;
                }
                if is_done[part] {
                    continue;
                }
                let ticket = Ticket { watch, bound: threshold, part, first: &first };
                let tally = engine.sweep(subtrees[part], depth, &ticket, bench);
                if let Some(record) = record.filter(|_| tally.end.is_none()) {
                    record.add(part, tally);
                }
                expanded.fetch_add(tally.expanded, Relaxed);
                generated.fetch_add(tally.generated, Relaxed);
                let found = E::found(bench).filter(|_| !finds_all);
                if tally.end == Some(Early::Goal) && !finds_all {
                    first.fetch_min(part, Relaxed);
                }
                done.push((part, tally, found));
                if watch.stopped().is_some() {
                    return done;
                }
            }
        };
        let done: Vec<(usize, Tally, Option<Found>)> = match &mut self.benches[..] {
            [bench] => work(bench),
            benches => thread::scope(|scope| {
                let threads: Vec<_> =
                    benches.iter_mut().map(|bench| scope.spawn(|| work(bench))).collect();
                let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
                };
                threads.into_iter().flat_map(join).collect()
            }),
        };
        for (part, tally, found) in done {
            parts.tallies[part] = Some(tally);
            let is_first = parts.found.as_ref().is_none_or(|&(first, _)| part < first);
            if let Some(found) = found.filter(|_| is_first) {
                parts.found = Some((part, found));
            }
        }
        let bytes = parts.subtrees.capacity() * size_of::<E::Node>()
            + self.benches.iter().map(E::bytes).sum::<usize>();
        self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
    }

    /// Walks a tree in the order of the moves, as far as its parts.
    fn walk(&mut self, node: &E::Node, parts: &mut Option<Parts<E::Node>>) -> ControlFlow<End> {
        // 1. A goal?
        if self.engine.is_goal(node) {
            self.solution.get_or_insert_with(|| self.path.clone());
            let Some(each) = &mut self.each else { return Break(End::Solved) };
            each(&self.path).map_break(|()| End::Solved)?;
            let stop = self.watch.poll(0, 0, self.path.len() as u64, self.threshold);
            return stop.map_or(Continue(()), |stop| Break(End::Stopped(stop)));
        }

        // 2. A subtree that has been swept?
        if let Some(parts) = parts.as_mut().filter(|parts| parts.depth == self.path.len()) {
            return self.enter(node, parts);
        }

        // 3. May it be expanded?
        if let Some(stop) = self.poll() {
            return Break(End::Stopped(stop));
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
            self.walk(&child, parts)?;
            self.path.pop();
        }
        self.pending.truncate(first);
        Continue(())
    }

    /// Adds the counts of a subtree, or searches it in order if something happens there.
    fn enter(&mut self, node: &E::Node, parts: &mut Parts<E::Node>) -> ControlFlow<End> {
        let (part, place) = (parts.next / parts.each, parts.next % parts.each);
        parts.next += 1;
        let whole = parts.tallies[part];
        if place == 0 {
            let is_known = parts.found.as_ref().is_some_and(|&(found, _)| found == part);
            // The nodes between the subtrees of a part count towards the limits as well.
            let whole = whole.filter(|tally| {
                (tally.end.is_none() || is_known) && self.is_allowed(tally, parts.above)
            });
            parts.added = whole.is_some();
            if let Some(tally) = &whole {
                self.add(tally);
            }
        }
        if parts.added {
            let found = parts.found.take_if(|(of, found)| *of == part && found.root == place);
            let Some((_, Found { actions, .. })) = found else { return Continue(()) };
            self.solution = Some([&self.path[..], &actions].concat());
            return Break(End::Solved);
        }
        let tally = match whole.filter(|_| parts.each == 1) {
            Some(whole) => whole,
            None => {
                let first = AtomicUsize::new(usize::MAX);
                let Self { engine, watch, threshold, .. } = *self;
                let ticket = Ticket { watch, bound: threshold, part: 0, first: &first };
                let depth = parts.depth as Cost;
                engine.sweep(&[*node], depth, &ticket, &mut self.benches[0])
            }
        };
        if tally.end.is_none() && self.is_allowed(&tally, 0) {
            self.add(&tally);
            return Continue(());
        }
        if let Some(stop) = self.watch.stopped() {
            self.add(&tally);
            return Break(End::Stopped(stop));
        }
        self.subtree(node, tally.generated)
    }

    /// Whether a count can be added, with so many nodes besides, and no limit be reached.
    fn is_allowed(&self, tally: &Tally, besides: u64) -> bool {
        let counts = Counts {
            expanded: self.counts.expanded + tally.expanded + besides,
            generated: self.counts.generated + tally.generated + besides,
            ..self.counts
        };
        self.watch.spent(&counts).is_none()
    }

    fn add(&mut self, tally: &Tally) {
        self.counts.expanded += tally.expanded;
        self.counts.generated += tally.generated;
        if tally.expanded > 0 {
            self.note_depth(tally.deepest);
        }
        tally.least_above.iter().for_each(|&f| self.note_above(f));
        // The sweep has told the monitor itself.
        self.polled.expanded += tally.expanded;
        self.polled.generated += tally.generated;
    }

    fn note_above(&mut self, f: Cost) {
        self.least_above = Some(self.least_above.map_or(f, |least| least.min(f)));
    }

    /// Notes that a node at some depth is expanded.
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

    /// Why the next node may not be expanded.
    #[inline]
    fn poll(&mut self) -> Option<Stop> {
        const INTERVAL: u64 = 1 << 12;
        let expanded = self.counts.expanded - self.polled.expanded;
        let stop = match expanded >= INTERVAL || self.counts.expanded == 0 {
            true => {
                let generated = self.counts.generated - self.polled.generated;
                self.polled = self.counts;
                self.watch.poll(expanded, generated, self.path.len() as u64, self.threshold)
            }
            false => None,
        };
        stop.or_else(|| self.watch.spent(&self.counts))
    }
}
