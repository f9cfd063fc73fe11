//! The progress of a long search, saved so that the search can be resumed.
//!
//! The counts cover the thresholds that are done. In the tree of the current threshold, the parts
//! that are done are known by their numbers; to cut the tree into the same parts again, only their
//! number is needed. The counts of a part depend on nothing else, so a search can be resumed on
//! another machine with another number of threads, and ends with the same counts.
//!
//! The parts of a search below a frontier follow from the size of the frontier.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts, Instant};

use crate::parallel::MOST_PARTS;
use crate::sweep::{SweepCounts, is_possible};

/// The progress of a search by iterative deepening, sufficient to resume it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// The current threshold.
    pub threshold: Cost,
    /// The counts of the thresholds before it.
    pub before: Counts,
    /// The approximate number of nodes of its tree.
    expected: u64,
    /// The requested number of parts of its tree.
    wanted: usize,
    /// The actual number of parts.
    parts: usize,
    /// The requested size of the frontier, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frontier: Option<u64>,
    /// The parts that are done.
    done: Vec<(usize, SweepCounts)>,
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

    /// Returns why this cannot be the progress of a search for a solution of `least` to `most` moves
    /// that have the parity of `most`, if it cannot.
    pub fn fault(&self, least: Cost, most: Cost) -> Option<String> {
        let Self { threshold, before, expected, wanted, parts, done, frontier: _ } = self;
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
        if *wanted as u64 > MOST_PARTS || parts > wanted || done.len() > *parts {
            return Some(format!("{parts} parts of {wanted} are impossible"));
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

/// How a search saves its progress, and where it resumes.
pub struct Checkpointing<'a> {
    /// The progress at which to resume an interrupted search.
    pub from: Option<Snapshot>,
    /// Saves the progress. It is called at intervals, and when the search ends early.
    pub save: &'a (dyn Fn(&Snapshot) + Sync),
    /// The interval.
    pub every: Duration,
}

/// The progress of a running search.
pub struct ProgressRecord<'a> {
    save: &'a (dyn Fn(&Snapshot) + Sync),
    every: Duration,
    state: Mutex<(Snapshot, Instant)>,
}

impl fmt::Debug for ProgressRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProgressRecord").field(&self.state().0).finish()
    }
}

impl<'a> ProgressRecord<'a> {
    /// Creates the record of a search that begins, or that is resumed.
    pub fn new(checkpointing: Checkpointing<'a>) -> Self {
        let Checkpointing { from, save, every } = checkpointing;
        Self { save, every, state: Mutex::new((from.unwrap_or_default(), Instant::now())) }
    }

    fn state(&self) -> MutexGuard<'_, (Snapshot, Instant)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns where to resume: the threshold, the counts before it and the expected nodes.
    pub fn start(&self) -> Option<(Cost, Counts, u64)> {
        let (snapshot, _) = &*self.state();
        (snapshot.threshold > 0).then_some((snapshot.threshold, snapshot.before, snapshot.expected))
    }

    /// Begins a threshold, or resumes the one that was interrupted.
    pub fn begin(&self, threshold: Cost, before: Counts, expected: u64) {
        let (snapshot, saved) = &mut *self.state();
        if snapshot.threshold != threshold {
            *snapshot = Snapshot { threshold, before, expected, ..Snapshot::default() };
            self.save_at_intervals(snapshot, saved);
        }
    }

    /// Returns the requested size of the frontier, which is `wanted` if there was none before. The
    /// parts of one that is of no use are forgotten.
    pub(crate) fn frontier(&self, wanted: u64, is_of_use: impl Fn(u64) -> bool) -> u64 {
        let (snapshot, _) = &mut *self.state();
        let known = snapshot.frontier.filter(|&known| is_of_use(known));
        if known.is_none() {
            (snapshot.frontier, snapshot.wanted, snapshot.parts) = (Some(wanted), 0, 0);
            snapshot.done.clear();
        }
        known.unwrap_or(wanted)
    }

    /// Returns the requested number of parts, if the tree has been cut before.
    pub(crate) fn wanted(&self) -> Option<usize> {
        Some(self.state().0.wanted).filter(|&wanted| wanted > 0)
    }

    /// Notes that the tree was cut, and fills in the counts of the parts that are done.
    pub(crate) fn cut(&self, wanted: usize, counts: &mut [Option<SweepCounts>]) {
        let (snapshot, _) = &mut *self.state();
        if (snapshot.wanted, snapshot.parts) != (wanted, counts.len()) {
            // Another release cuts trees differently: its parts are of no use.
            (snapshot.wanted, snapshot.parts) = (wanted, counts.len());
            snapshot.done.clear();
        }
        for (part, known) in &snapshot.done {
            if let Some(place) = counts.get_mut(*part) {
                *place = Some(*known);
            }
        }
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
