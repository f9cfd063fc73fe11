//! The journal of a threshold search: what is finished, saved so that the search can be resumed.
//!
//! The counts cover the thresholds that are complete. The tree of the current threshold is cut into
//! parts, and a part is known by its number. The counts of a part depend on the cut and on nothing
//! else, so a search is resumed on another machine, with another number of threads or with other
//! memory, and ends with the same counts. A [`Cut`] suffices to make the same parts again, and a
//! search that cannot make them is refused: what is finished is never forgotten.

use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts, Instant};

use crate::parallel::MOST_PARTS;
use crate::sweep::{MOST_ROOTS, SweepCounts, is_possible};

/// The progress of a search by iterative deepening, sufficient to resume it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The current threshold.
    pub threshold: Cost,
    /// The counts of the thresholds before it.
    pub before: Counts,
    /// The approximate number of nodes of its tree.
    expected: u64,
    /// The most nodes of a frontier, if there is one: it follows from the memory that the search
    /// began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frontier_limit: Option<u64>,
    /// How the tree is cut, and into how many parts.
    cut: Option<Cut>,
    parts: usize,
    /// The parts that are done.
    done: Vec<(usize, SweepCounts)>,
}

/// A cut through the tree of a threshold: what a process needs to make the same one, and to know that
/// it is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// The requested number of parts, or of nodes of a frontier.
    pub(crate) wanted: u64,
    /// The number of nodes in the cut.
    pub nodes: u64,
    /// A checksum of the nodes of a frontier.
    pub(crate) checksum: u64,
}

/// Why a search cannot be resumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Its frontier needs this many bytes.
    Memory(u64),
    /// This program cuts the tree differently.
    Cut,
}

impl Snapshot {
    /// Returns the counts of the earlier thresholds and of the parts that are done.
    pub fn counts(&self) -> Counts {
        let mut counts = self.before;
        for (_, part) in &self.done {
            counts.expanded = counts.expanded.saturating_add(part.expanded);
            counts.generated = counts.generated.saturating_add(part.generated);
            counts.duplicates = counts.duplicates.saturating_add(part.duplicates);
        }
        counts
    }

    /// The number of parts of the current threshold that are done.
    pub const fn parts_done(&self) -> usize {
        self.done.len()
    }

    /// Adds what is finished in `other`, another snapshot of the same search. This is the rule by which
    /// a saved snapshot is replaced: the new one has everything that the old one had.
    pub fn unite(&mut self, other: Self) {
        if self.threshold == other.threshold && self.cut == other.cut && self.parts == other.parts {
            let mut known = vec![false; self.parts];
            self.done.iter().for_each(|&(part, _)| known[part] = true);
            let is_new = |&(part, _): &(usize, _)| known.get(part) == Some(&false);
            self.done.extend(other.done.into_iter().filter(is_new));
        } else if (other.threshold, other.counts().generated)
            > (self.threshold, self.counts().generated)
        {
            *self = other;
        }
    }

    /// Returns why this cannot be the progress of a search for a solution of `least` to `most` moves
    /// that have the parity of `most`, if it cannot.
    pub fn fault(&self, least: Cost, most: Cost) -> Option<String> {
        let Self { threshold, before, expected, cut, parts, done, frontier_limit: _ } = self;
        if *threshold == 0 {
            let is_new = *self == Self::default();
            return (!is_new).then(|| "it has counts, but no threshold".to_owned());
        }
        if !(least..=most).contains(threshold) || !(most - threshold).is_multiple_of(2) {
            return Some(format!("the threshold {threshold} is impossible"));
        }
        let total = self.counts();
        if !is_possible(before.expanded, before.generated)
            || !is_possible(total.expanded, total.generated)
            || !is_possible(0, *expected)
        {
            return Some("the counts are impossible".to_owned());
        }
        let (wanted, nodes) = cut.map_or((0, 0), |cut| (cut.wanted, cut.nodes));
        if wanted.max(nodes) > MOST_ROOTS
            || cut.is_some() && wanted == 0
            || *parts as u64 > nodes.min(2 * MOST_PARTS)
            || done.len() > *parts
        {
            return Some(format!("{parts} parts of {nodes} nodes are impossible"));
        }
        let mut seen = vec![false; *parts];
        for (part, counts) in done {
            let is_new = seen.get_mut(*part).is_some_and(|seen| !std::mem::replace(seen, true));
            if !is_new || !counts.is_possible(*threshold) {
                return Some(format!("part {part} is impossible"));
            }
        }
        None
    }
}

/// The journal of a running search.
pub struct Journal<'a> {
    save: &'a (dyn Fn(&Snapshot) + Sync),
    every: Duration,
    state: Mutex<(Snapshot, Instant)>,
    refusal: OnceLock<Refusal>,
}

impl fmt::Debug for Journal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Journal").field(&self.state().0).finish()
    }
}

impl Journal<'static> {
    /// Creates a journal that is not saved.
    pub fn unsaved(from: Option<Snapshot>) -> Self {
        Self::new(from, &|_| (), Duration::MAX)
    }
}

impl<'a> Journal<'a> {
    /// Creates the journal of a search that begins, or that is resumed. `save` is called after every
    /// `every`, and when the search ends early.
    pub fn new(
        from: Option<Snapshot>,
        save: &'a (dyn Fn(&Snapshot) + Sync),
        every: Duration,
    ) -> Self {
        let state = Mutex::new((from.unwrap_or_default(), Instant::now()));
        Self { save, every, state, refusal: OnceLock::new() }
    }

    fn state(&self) -> MutexGuard<'_, (Snapshot, Instant)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the progress so far.
    pub fn snapshot(&self) -> Snapshot {
        self.state().0.clone()
    }

    /// Returns why the search could not be resumed, if it was refused.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal.get().copied()
    }

    pub(crate) fn refuse(&self, refusal: Refusal) {
        self.refusal.get_or_init(|| refusal);
    }

    /// Returns where to resume: the threshold, the counts before it and the expected nodes.
    pub fn start(&self) -> Option<(Cost, Counts, u64)> {
        let (snapshot, _) = &*self.state();
        (snapshot.threshold > 0).then_some((snapshot.threshold, snapshot.before, snapshot.expected))
    }

    /// Begins a threshold, or resumes the one that was interrupted.
    pub fn begin(&self, threshold: Cost, before: Counts, expected: u64) {
        let (snapshot, saved) = &mut *self.state();
        if snapshot.threshold < threshold {
            let frontier_limit = snapshot.frontier_limit;
            *snapshot =
                Snapshot { threshold, before, expected, frontier_limit, ..Snapshot::default() };
            self.save_at_intervals(snapshot, saved);
        }
    }

    /// Takes over the progress of another journal, and saves it.
    pub fn take(&self, snapshot: &Snapshot) {
        self.state().0.unite(snapshot.clone());
        self.close();
    }

    /// Returns the most nodes of a frontier, which is `limit` in a search that begins.
    pub(crate) fn frontier_limit(&self, limit: u64) -> u64 {
        *self.state().0.frontier_limit.get_or_insert(limit)
    }

    /// Returns the requested size of the cut, if the tree has been cut before.
    pub(crate) fn wanted(&self) -> Option<u64> {
        self.state().0.cut.map(|cut| cut.wanted)
    }

    /// Notes how the tree is cut, and fills in the counts of the parts that are done. Returns whether
    /// they are parts of this cut; otherwise the search is refused.
    #[must_use]
    pub(crate) fn cut(&self, cut: Cut, counts: &mut [Option<SweepCounts>]) -> bool {
        let (snapshot, _) = &mut *self.state();
        if snapshot.cut.is_some_and(|known| (known, snapshot.parts) != (cut, counts.len())) {
            self.refuse(Refusal::Cut);
            return false;
        }
        (snapshot.cut, snapshot.parts) = (Some(cut), counts.len());
        for (part, known) in &snapshot.done {
            counts[*part] = Some(*known);
        }
        true
    }

    /// Notes that a part is done.
    pub(crate) fn add(&self, part: usize, counts: SweepCounts) {
        let (snapshot, saved) = &mut *self.state();
        snapshot.done.push((part, counts));
        self.save_at_intervals(snapshot, saved);
    }

    /// Saves the progress of a search that ends early.
    pub fn close(&self) {
        (self.save)(&self.state().0);
    }

    fn save_at_intervals(&self, snapshot: &Snapshot, saved: &mut Instant) {
        if saved.elapsed() >= self.every {
            (self.save)(snapshot);
            *saved = Instant::now();
        }
    }
}
