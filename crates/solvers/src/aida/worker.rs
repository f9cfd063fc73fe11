//! The threads that search below a frontier.

use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;
use taquin_search::{Cost, Counts, Limits, Monitor};
use taquin_tiles::Slide;

use super::transpositions::{Key, Lookup, Transpositions};
use super::{Aida, MIN_SLACK, UNIT_ROOTS, slack};
use crate::beam::{ImproveFrom, improve};
use crate::ida::sweep::{FoundGoal, SweepStop};
use crate::ida::tree::{Guide, Level, Scratch, TreeEngine, TreeNode as _};
use crate::limits::SharedLimits;
use crate::tally::Tally;
use crate::threads::idle;

/// The units of a threshold's tree.
pub(super) struct Pool<'a, E: TreeEngine> {
    pub(super) units: &'a [&'a [E::Node]],
    /// The numbers of the units to search.
    pub(super) due: Vec<usize>,
    /// The units in progress, if there is a journal.
    pub(super) open: Mutex<FxHashMap<usize, OpenUnit>>,
    /// The first place in `due` that no thread has taken.
    pub(super) next: AtomicUsize,
    pub(super) threads: usize,
    pub(super) handover: Mutex<Handover<E>>,
    /// Signals that a piece was handed over, or that the search ends.
    pub(super) changed: Condvar,
    /// The number of threads that wait, to be read without the lock.
    pub(super) waiting: AtomicUsize,
    pub(super) found: OnceLock<FoundSolution<E>>,
    /// The first unit of a thread, and its cancellation.
    pub(super) improvement: Mutex<Option<(ImproveFrom, Limits)>>,
    pub(super) improver: Option<Arc<Monitor>>,
    /// The shortest solution so far, and the cost of improving it.
    pub(super) improved: Mutex<(Option<Vec<Slide>>, Counts)>,
}

/// A solution with the cost of the threshold.
pub(super) enum FoundSolution<E: TreeEngine> {
    /// A node of the frontier, and the path from there.
    Below(E::Node, Vec<Slide>),
    /// All of it.
    Whole(Vec<Slide>),
}

/// The nodes that threads hand over to waiting threads.
pub(super) struct Handover<E: TreeEngine> {
    pieces: Vec<Piece<E>>,
    waiting: usize,
}

impl<E: TreeEngine> Default for Handover<E> {
    fn default() -> Self {
        Self { pieces: Vec::new(), waiting: 0 }
    }
}

/// A unit that is not searched completely.
#[derive(Default)]
pub(super) struct OpenUnit {
    /// The number of its pieces that are not searched completely.
    pieces: usize,
    tally: Tally,
}

/// Nodes of a unit that one thread searches.
struct Piece<E: TreeEngine> {
    unit: usize,
    depth: Cost,
    roots: Vec<E::Node>,
    origins: Vec<Origin<E>>,
}

/// A root's origin: a node of the frontier and the moves from there.
struct Origin<E: TreeEngine> {
    node: E::Node,
    actions: Vec<Slide>,
}

impl<E: TreeEngine> Pool<'_, E> {
    fn handover(&self) -> MutexGuard<'_, Handover<E>> {
        self.handover.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, FxHashMap<usize, OpenUnit>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a piece from another thread. Returns `None` if there will be none.
    fn wait(&self, limits: &SharedLimits<'_>) -> Option<Piece<E>> {
        const POLL_INTERVAL: Duration = Duration::from_millis(20);
        let _idle = idle(limits, 1);
        let mut handover = self.handover();
        handover.waiting += 1;
        loop {
            self.waiting.store(handover.waiting, Relaxed);
            // Only the improver has work left.
            if handover.waiting + 1 == self.threads && handover.pieces.is_empty() {
                self.improver.iter().for_each(|improver| improver.cancel());
            }
            let has_ended = self.found.get().is_some() || limits.stopped().is_some();
            if has_ended || handover.waiting == self.threads && handover.pieces.is_empty() {
                self.changed.notify_all();
                return None;
            }
            if let Some(piece) = handover.pieces.pop() {
                handover.waiting -= 1;
                self.waiting.store(handover.waiting, Relaxed);
                return Some(piece);
            }
            let waited = self.changed.wait_timeout(handover, POLL_INTERVAL);
            handover = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A thread that searches units.
pub(super) struct Worker<'a, E: TreeEngine> {
    aida: &'a Aida<'a, E>,
    pool: &'a Pool<'a, E>,
    table: Option<&'a Transpositions>,
    /// The unit's number, and the depth of its roots.
    unit: usize,
    depth: Cost,
    bound: Cost,
    /// Children that are looked up together, and their keys and slacks.
    looked_up: Vec<(u32, Key, u32)>,
    /// The roots' origins.
    origins: Vec<Origin<E>>,
    /// The boards that were known since the last piece.
    duplicates: u64,
    /// The boards that took an empty entry of the table or replaced another.
    pub(super) stored: u64,
}

impl<'a, E: TreeEngine> Worker<'a, E> {
    pub(super) const fn new(
        aida: &'a Aida<'a, E>,
        pool: &'a Pool<'a, E>,
        table: Option<&'a Transpositions>,
        bound: Cost,
    ) -> Self {
        Self {
            aida,
            pool,
            table,
            unit: 0,
            depth: 0,
            bound,
            looked_up: Vec::new(),
            origins: Vec::new(),
            duplicates: 0,
            stored: 0,
        }
    }

    /// Searches units until there are none.
    pub(super) fn work(&mut self, depth: Cost, scratch: &mut Scratch<E>) -> Tally {
        let mut total = Tally::default();
        let pool = self.pool;
        let improvement = pool.improvement.lock().ok().and_then(|mut first| first.take());
        if let Some((from, limits)) = improvement {
            self.improve(from, &limits);
        }
        loop {
            if pool.found.get().is_some() || self.aida.limits.stopped().is_some() {
                pool.improver.iter().for_each(|improver| improver.cancel());
                pool.changed.notify_all();
                return total;
            }
            let mut roots = Vec::with_capacity(UNIT_ROOTS);
            if let Some(&unit) = pool.due.get(pool.next.fetch_add(1, Relaxed)) {
                (self.unit, self.depth) = (unit, depth);
                self.open();
                roots.extend_from_slice(pool.units[unit]);
                let origin = |node: &E::Node| Origin { node: *node, actions: Vec::new() };
                self.origins = roots.iter().map(origin).collect();
                self.look_up(&mut roots);
            } else if let Some(piece) = pool.wait(self.aida.limits) {
                (self.unit, self.depth) = (piece.unit, piece.depth);
                self.origins = piece.origins;
                roots = piece.roots;
            } else {
                return total;
            }
            let engine = self.aida.engine;
            let mut tally = engine.descend(&roots, (self.depth, self.bound), self, scratch);
            tally.duplicates = std::mem::take(&mut self.duplicates);
            total.add(&tally);
            if tally.end.is_none() {
                self.close(&tally);
            }
            if tally.end == Some(SweepStop::Goal)
                && let Some(FoundGoal { root, actions }) = scratch.found.take()
            {
                let Origin { node, actions: above } = &self.origins[root];
                let path = [&above[..], &actions].concat();
                let _ = pool.found.set(FoundSolution::Below(*node, path));
            }
        }
    }

    /// Notes that there is another piece of this unit to search.
    fn open(&self) {
        if self.aida.journal.is_some() {
            self.pool.open().entry(self.unit).or_default().pieces += 1;
        }
    }

    /// Notes that a piece of this unit was searched completely, and perhaps that the unit is
    /// finished.
    fn close(&self, tally: &Tally) {
        let Some(journal) = self.aida.journal else { return };
        let mut open = self.pool.open();
        let Entry::Occupied(mut unit) = open.entry(self.unit) else { return };
        unit.get_mut().pieces -= 1;
        unit.get_mut().tally.add(tally);
        if unit.get().pieces == 0 {
            let OpenUnit { tally, .. } = unit.remove();
            drop(open);
            journal.add(self.unit, tally);
        }
    }

    /// Improves the best solution.
    fn improve(&self, from: ImproveFrom, limits: &Limits) {
        let mut shortest = from.path.clone();
        let counts = improve(self.aida.puzzle, from, limits, &mut |path| shortest = path.to_vec());
        self.aida.limits.poll(counts.expanded, counts.generated, 0, self.bound);
        if shortest.len() as Cost == self.bound {
            let _ = self.pool.found.set(FoundSolution::Whole(shortest.clone()));
        }
        let mut improved = self.pool.improved.lock().unwrap_or_else(PoisonError::into_inner);
        *improved = (Some(shortest), counts);
    }

    /// Enters the frontier's nodes into the table, because other nodes may lead to them again. It
    /// drops no node, since no shorter path reaches them.
    fn look_up(&mut self, roots: &mut [E::Node]) {
        let Some(table) = self.table else { return };
        for node in roots {
            let slack = slack(node, self.depth, self.bound);
            if slack >= MIN_SLACK {
                table.visit(self.aida.key(node), slack);
            }
        }
    }

    /// Gives half of the remaining nodes in the highest level to waiting threads.
    fn give(&self, levels: &mut [Level<E>]) {
        let open = |level: &Level<E>| level.nodes.len() - level.done;
        let Some(at) = levels.iter().position(|level| open(level) >= 2) else { return };
        let kept = levels[at].done + open(&levels[at]) / 2;
        let origins = (kept..levels[at].nodes.len()).map(|place| {
            let FoundGoal { root, actions } = self.aida.engine.path(&levels[..=at], place);
            let Origin { node, actions: above } = &self.origins[root];
            Origin { node: *node, actions: [&above[..], &actions].concat() }
        });
        let origins = origins.collect();
        let roots = levels[at].nodes.split_off(kept);
        let depth = self.depth + at as Cost;
        self.open();
        let piece = Piece { unit: self.unit, depth, roots, origins };
        self.pool.handover().pieces.push(piece);
        self.pool.changed.notify_one();
    }
}

impl<E: TreeEngine> Guide<E> for Worker<'_, E> {
    #[inline]
    fn allow(&mut self, wanted: usize) -> usize {
        self.aida.limits.allow(wanted)
    }

    #[inline]
    fn note_generated(&mut self, generated: u64, expanded: usize) {
        self.aida.limits.note_generated(generated, expanded);
    }

    fn sift(&mut self, parents: &[E::Node], children: &mut Vec<E::Node>, depth: Cost) {
        let Some(table) = self.table else { return };
        // 1. Choose which are looked up, and start to load their lines of the table.
        self.looked_up.clear();
        for (at, child) in (0..).zip(children.iter_mut()) {
            let room = slack(child, depth, self.bound);
            if room >= MIN_SLACK {
                child.set_state(self.aida.forgetful(child.state()));
                let key = self.aida.key(child);
                table.fetch(key);
                self.looked_up.push((at, key, room));
            } else if self.aida.exclusions.has_memory {
                let parent = &parents[usize::from(child.parent())];
                if slack(parent, depth - 1, self.bound) >= MIN_SLACK {
                    child.set_state(self.aida.forgetful(child.state()));
                }
            }
        }

        // 2. Replace known nodes by the last ones, because the order does not matter.
        for &(at, key, room) in self.looked_up.iter().rev() {
            match table.visit(key, room) {
                Lookup::Yes => {
                    children.swap_remove(at as usize);
                    self.duplicates += 1;
                }
                Lookup::No | Lookup::First => self.stored += 1,
            }
        }
    }

    fn poll(&mut self, expanded: u64, generated: u64, depth: u64, levels: &mut [Level<E>]) -> bool {
        let limits = self.aida.limits;
        let stop = limits.poll(expanded, generated, depth, self.bound);
        if self.pool.waiting.load(Relaxed) > 0 && self.pool.handover().pieces.is_empty() {
            self.give(levels);
        }
        stop.is_some() || self.pool.found.get().is_some()
    }
}
