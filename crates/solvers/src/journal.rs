//! The journal of a threshold search: its finished units, saved so that the search can be resumed.
//!
//! A threshold's tree is cut into units: some subtrees at one depth, or some nodes of a frontier. A
//! number identifies each unit. Its [`Tally`] depends only on the roots, so threads, processes and
//! machines search units in any order, and the tallies add up to the counts of one thread. A search
//! resumes with any number of threads and any memory in which the same [`Roots`] can be made again.
//! Otherwise it refuses to resume and loses no finished unit.

use std::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts, Instant};

use crate::tally::{MAX_ROOTS, Tally, is_possible};

/// The most units per threshold.
pub(crate) const MAX_UNITS: u64 = 1 << 17;

/// The progress of a search by iterative deepening, sufficient to resume it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The current threshold.
    pub threshold: Cost,
    /// The counts of the thresholds before it.
    pub before: Counts,
    /// The approximate number of nodes in its tree.
    expected: u64,
    /// The most nodes of a frontier, if there is one: it follows from the memory that the search
    /// began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    frontier_limit: Option<u64>,
    /// The roots of its units.
    roots: Option<Roots>,
    /// The finished units.
    done: Vec<(usize, Tally)>,
}

/// A threshold's roots: the data that a process needs to make the same roots, and to check them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Roots {
    /// The requested number of units, or of frontier nodes.
    pub(crate) wanted: u64,
    /// The number of roots.
    pub(crate) nodes: u64,
    /// A checksum over the frontier's nodes.
    pub(crate) checksum: u64,
    /// The number of units.
    pub(crate) units: usize,
    /// Whether they are the boards of a [`DeviceFrontier`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_device: bool,
}

/// The frontier of a device, whose boards are shared out among units by a hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeviceFrontier {
    /// Whether the search goes from the goal to the start.
    pub is_from_goal: bool,
    /// The number of moves to its boards.
    pub depth: Cost,
    /// The requested number of boards, at least 1.
    pub wanted: u64,
    /// The number of boards.
    pub boards: u64,
    /// The number of units.
    pub units: usize,
}

impl DeviceFrontier {
    const fn roots(self) -> Roots {
        let Self { is_from_goal, depth, wanted, boards, units } = self;
        let checksum = 2 * depth as u64 + is_from_goal as u64;
        Roots { wanted, nodes: boards, checksum, units, is_device: true }
    }

    const fn of(roots: Roots) -> Self {
        let Roots { wanted, nodes, checksum, units, is_device: _ } = roots;
        let (depth, is_from_goal) = ((checksum / 2) as Cost, checksum % 2 == 1);
        Self { is_from_goal, depth, wanted, boards: nodes, units }
    }
}

/// Every `of`th unit of a threshold, from the one with this number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// The number of the first unit, less than `of`.
    pub number: usize,
    /// The number of shares.
    pub of: usize,
}

impl Share {
    pub(crate) const WHOLE: Self = Self { number: 0, of: 1 };

    pub(crate) const fn has(self, unit: usize) -> bool {
        unit % self.of == self.number
    }
}

/// The part of a search that a journal covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All units of all thresholds.
    Whole,
    /// Some units of the threshold that the journal has reached.
    Share(Share),
    /// All thresholds up to the first new one with at least this many expected nodes. Only its
    /// roots are made, for `shares` shares.
    Split {
        /// The number of shares.
        shares: usize,
        /// The least expected nodes of a threshold that is split.
        least: u64,
    },
}

/// Why a search cannot be resumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Its frontier needs this many bytes.
    Memory(u64),
    /// This program makes other roots.
    Roots,
}

impl Snapshot {
    /// A threshold is expected to have this many times the nodes of the one before.
    pub const GROWTH: u64 = 8;

    /// Returns the sum of the finished units.
    pub fn tally(&self) -> Tally {
        let mut total = Tally::default();
        self.done.iter().for_each(|(_, tally)| total.add(tally));
        total
    }

    /// Returns the counts of the earlier thresholds and the finished units.
    pub fn counts(&self) -> Counts {
        let Tally { expanded, generated, duplicates, .. } = self.tally();
        Counts {
            expanded: self.before.expanded.saturating_add(expanded),
            generated: self.before.generated.saturating_add(generated),
            duplicates: self.before.duplicates.saturating_add(duplicates),
            ..self.before
        }
    }

    /// The number of finished units in the current threshold.
    pub const fn units_done(&self) -> usize {
        self.done.len()
    }

    /// The number of units in the current threshold, if its roots have been made.
    pub fn units(&self) -> Option<usize> {
        self.roots.map(|roots| roots.units)
    }

    /// The approximate number of nodes in the threshold before the current one.
    pub const fn previous(&self) -> u64 {
        self.expected / Self::GROWTH
    }

    /// Returns this snapshot without the finished units.
    #[must_use]
    pub fn begun(&self) -> Self {
        Self { done: Vec::new(), ..self.clone() }
    }

    /// Returns whether every unit of a share is finished.
    pub fn has_all(&self, share: Share) -> bool {
        let units = (0..self.units().unwrap_or_default()).filter(|&unit| share.has(unit)).count();
        self.has_only(share) && self.done.len() == units
    }

    /// Returns whether every finished unit belongs to a share.
    pub fn has_only(&self, share: Share) -> bool {
        self.done.iter().all(|&(unit, _)| share.has(unit))
    }

    /// Adds the finished units of `other`, another snapshot of the same search. A new snapshot
    /// replaces a saved one only if it has everything that the old one had.
    pub fn unite(&mut self, other: Self) {
        if self.threshold == other.threshold && self.roots == other.roots {
            let mut known = vec![false; self.units().unwrap_or_default()];
            self.done.iter().for_each(|&(unit, _)| known[unit] = true);
            let is_new = |&(unit, _): &(usize, _)| known.get(unit) == Some(&false);
            self.done.extend(other.done.into_iter().filter(is_new));
        } else if (other.threshold, other.counts().generated)
            > (self.threshold, self.counts().generated)
        {
            *self = other;
        }
    }

    /// Returns the reason why this cannot be the progress of a search for a solution with `least`
    /// to `most` moves and the parity of `most`, if there is one.
    pub fn fault(&self, least: Cost, most: Cost) -> Option<String> {
        let Self { threshold, before, expected, roots, done, frontier_limit: _ } = self;
        if *threshold == 0 {
            let is_new = *before == Counts::default() && *expected == 0 && done.is_empty();
            if !is_new {
                return Some("it has counts, but no threshold".to_owned());
            }
        } else if !(least..=most).contains(threshold) || !(most - threshold).is_multiple_of(2) {
            return Some(format!("the threshold {threshold} is impossible"));
        }
        let total = self.counts();
        if !is_possible(before.expanded, before.generated)
            || !is_possible(total.expanded, total.generated)
            || !is_possible(0, *expected)
        {
            return Some("the counts are impossible".to_owned());
        }
        let Roots { wanted, nodes, units, .. } =
            roots.unwrap_or(Roots { wanted: 1, nodes: 0, checksum: 0, units: 0, is_device: false });
        if wanted.max(nodes) > MAX_ROOTS
            || wanted == 0
            || units as u64 > nodes.min(MAX_UNITS)
            || done.len() > units
        {
            return Some(format!("{units} units of {nodes} roots are impossible"));
        }
        let mut seen = vec![false; units];
        for (unit, tally) in done {
            let is_new = seen.get_mut(*unit).is_some_and(|seen| !std::mem::replace(seen, true));
            if !is_new || !tally.is_possible(*threshold) {
                return Some(format!("unit {unit} is impossible"));
            }
        }
        None
    }
}

/// The journal of a running search.
pub struct Journal<'a> {
    save: &'a (dyn Fn(&Snapshot) + Sync),
    interval: Duration,
    scope: Scope,
    state: Mutex<(Snapshot, Instant)>,
    /// The threshold with finished units of another kind. They stay until this search completes it.
    foreign: Mutex<Option<Cost>>,
    refusal: OnceLock<Refusal>,
    split: OnceLock<()>,
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
    /// Creates the journal of a search that begins, or that is resumed. `save` is called at every
    /// `interval`, and when the search ends early.
    pub fn new(
        from: Option<Snapshot>,
        save: &'a (dyn Fn(&Snapshot) + Sync),
        interval: Duration,
    ) -> Self {
        let state = Mutex::new((from.unwrap_or_default(), Instant::now()));
        let (foreign, refusal, split) = (Mutex::new(None), OnceLock::new(), OnceLock::new());
        Self { save, interval, scope: Scope::Whole, state, foreign, refusal, split }
    }

    /// Sets the range that the search covers.
    #[must_use]
    pub const fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    fn state(&self) -> MutexGuard<'_, (Snapshot, Instant)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn foreign(&self) -> MutexGuard<'_, Option<Cost>> {
        self.foreign.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Returns whether the search has ended with the roots of a threshold to [split](Scope::Split).
    pub fn is_split(&self) -> bool {
        self.split.get().is_some()
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

    /// Returns the units that are searched.
    pub(crate) const fn share(&self) -> Share {
        match self.scope {
            Scope::Share(share) => share,
            Scope::Whole | Scope::Split { .. } => Share::WHOLE,
        }
    }

    /// Returns whether the search ends with the current threshold.
    pub(crate) const fn has_one_threshold(&self) -> bool {
        matches!(self.scope, Scope::Share(_))
    }

    /// Returns the number of shares among which the units are divided.
    pub(crate) const fn shares(&self) -> usize {
        match self.scope {
            Scope::Whole => 1,
            Scope::Share(share) => share.of,
            Scope::Split { shares, .. } => shares,
        }
    }

    /// Returns whether the current threshold is cut into units, however small it is.
    pub(crate) fn needs_units(&self) -> bool {
        self.needs_units_for(&self.state().0)
    }

    fn needs_units_for(&self, snapshot: &Snapshot) -> bool {
        let has_roots = |snapshot: &Snapshot| snapshot.roots.is_some_and(|roots| !roots.is_device);
        match self.scope {
            Scope::Split { least, .. } => has_roots(snapshot) || snapshot.expected >= least,
            Scope::Whole | Scope::Share(_) => has_roots(snapshot),
        }
    }

    /// Returns the most nodes of a frontier, which is `limit` in a search that begins.
    pub(crate) fn frontier_limit(&self, limit: u64) -> u64 {
        *self.state().0.frontier_limit.get_or_insert(limit)
    }

    /// Returns the requested size of the roots, if they have been made before.
    pub(crate) fn wanted(&self) -> Option<u64> {
        self.state().0.roots.filter(|roots| !roots.is_device).map(|roots| roots.wanted)
    }

    /// Returns the frontier of the threshold if a device has made it before.
    pub fn device_frontier(&self) -> Option<DeviceFrontier> {
        self.state().0.roots.filter(|roots| roots.is_device).map(DeviceFrontier::of)
    }

    /// Notes the frontier of the threshold, and returns the tallies of its finished units.
    pub fn enter_on_device(&self, frontier: DeviceFrontier) -> Vec<Option<Tally>> {
        let mut tallies = vec![None; frontier.units];
        let _ = self.enter(frontier.roots(), &mut tallies);
        tallies
    }

    /// Notes the threshold's roots, and fills in the tallies of the finished units. Returns whether
    /// to search the others: not if they belong to other roots, or are split.
    #[must_use]
    pub(crate) fn enter(&self, roots: Roots, tallies: &mut [Option<Tally>]) -> bool {
        let (snapshot, _) = &mut *self.state();
        if let Some(known) = snapshot.roots.filter(|known| *known != roots) {
            if known.is_device || roots.is_device {
                *self.foreign() = Some(snapshot.threshold);
                return true;
            }
            self.refuse(Refusal::Roots);
            return false;
        }
        let is_split = matches!(self.scope, Scope::Split { .. })
            && snapshot.roots.is_none()
            && roots.units > 0
            && self.needs_units_for(snapshot);
        snapshot.roots = Some(roots);
        if is_split {
            self.split.get_or_init(|| ());
        }
        for (unit, tally) in &snapshot.done {
            tallies[*unit] = Some(*tally);
        }
        !is_split
    }

    /// Notes that a unit is finished.
    pub fn add(&self, unit: usize, tally: Tally) {
        let (snapshot, saved) = &mut *self.state();
        if *self.foreign() == Some(snapshot.threshold) {
            return;
        }
        snapshot.done.push((unit, tally));
        self.save_at_intervals(snapshot, saved);
    }

    /// Saves the progress of a search that ends early.
    pub fn close(&self) {
        (self.save)(&self.state().0);
    }

    fn save_at_intervals(&self, snapshot: &Snapshot, saved: &mut Instant) {
        if saved.elapsed() >= self.interval {
            (self.save)(snapshot);
            *saved = Instant::now();
        }
    }
}
