//! What a long search writes down, so that it can go on after an interruption.
//!
//! The trees of the thresholds that are done are in the counts. Of the tree that is being searched,
//! the parts that are done are known by their numbers, and to cut it into the same parts again only
//! their number is needed. What a part has counted depends on nothing else, so that the search can
//! go on elsewhere, on any number of threads, and ends with the same counts.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts};

use crate::deepen::Tally;

/// How far a search by iterative deepening is: enough to go on with.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// The threshold that is being searched.
    pub threshold: Cost,
    /// What the thresholds before it have counted.
    pub before: Counts,
    /// About as many nodes as it is expected to have.
    expected: u64,
    /// The parts that its tree was to be cut into, and those that it was cut into.
    wanted: usize,
    parts: usize,
    /// The parts that are done.
    done: Vec<(usize, Tally)>,
}

impl Snapshot {
    /// What has been counted: the thresholds before, and the parts that are done.
    pub fn counts(&self) -> Counts {
        let mut counts = self.before;
        for (_, tally) in &self.done {
            counts.expanded += tally.expanded;
            counts.generated += tally.generated;
        }
        counts
    }
}

/// Where a search goes on, and who is told how far it is.
pub struct Journal<'a> {
    /// Where the search was interrupted, if it was.
    pub from: Option<Snapshot>,
    /// Is told how far it is, every so often and when it ends early.
    pub save: &'a (dyn Fn(&Snapshot) + Sync),
    /// How often.
    pub every: Duration,
}

/// A journal while the search runs.
pub(crate) struct Record<'a> {
    save: &'a (dyn Fn(&Snapshot) + Sync),
    every: Duration,
    state: Mutex<(Snapshot, Instant)>,
}

impl<'a> Record<'a> {
    pub(crate) fn new(journal: Journal<'a>) -> Self {
        let Journal { from, save, every } = journal;
        Self { save, every, state: Mutex::new((from.unwrap_or_default(), Instant::now())) }
    }

    fn state(&self) -> MutexGuard<'_, (Snapshot, Instant)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where to go on: the threshold, the counts before it and the nodes to expect.
    pub(crate) fn start(&self) -> Option<(Cost, Counts, u64)> {
        let (snapshot, _) = &*self.state();
        (snapshot.threshold > 0).then_some((snapshot.threshold, snapshot.before, snapshot.expected))
    }

    /// A threshold begins; the one where the search was interrupted goes on.
    pub(crate) fn begin(&self, threshold: Cost, before: Counts, expected: u64) {
        let (snapshot, saved) = &mut *self.state();
        if snapshot.threshold != threshold {
            *snapshot = Snapshot { threshold, before, expected, ..Snapshot::default() };
            self.save_at_times(snapshot, saved);
        }
    }

    /// The parts that the tree is to be cut into, if it has been cut before.
    pub(crate) fn wanted(&self) -> Option<usize> {
        Some(self.state().0.wanted).filter(|&wanted| wanted > 0)
    }

    /// The tree was cut; what is known of its parts.
    pub(crate) fn cut(&self, wanted: usize, tallies: &mut [Option<Tally>]) {
        let (snapshot, _) = &mut *self.state();
        if (snapshot.wanted, snapshot.parts) != (wanted, tallies.len()) {
            // Cut otherwise, by another release: the parts are done again.
            (snapshot.wanted, snapshot.parts) = (wanted, tallies.len());
            snapshot.done.clear();
        }
        for (part, tally) in &snapshot.done {
            if let Some(place) = tallies.get_mut(*part) {
                *place = Some(*tally);
            }
        }
    }

    /// A part is done.
    pub(crate) fn add(&self, part: usize, tally: Tally) {
        let (snapshot, saved) = &mut *self.state();
        snapshot.done.push((part, tally));
        self.save_at_times(snapshot, saved);
    }

    /// The search ends early.
    pub(crate) fn close(&self) {
        (self.save)(&self.state().0);
    }

    fn save_at_times(&self, snapshot: &Snapshot, saved: &mut Instant) {
        if saved.elapsed() >= self.every {
            (self.save)(snapshot);
            *saved = Instant::now();
        }
    }
}
