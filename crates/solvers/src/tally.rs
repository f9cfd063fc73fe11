//! The counts for part of a threshold's tree.

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts};

use crate::ida::sweep::SweepStop;

/// The counts for some or all units of a threshold's tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// The expanded nodes.
    pub expanded: u64,
    /// The generated nodes.
    pub generated: u64,
    /// The greatest depth at which a node was expanded.
    pub deepest: u64,
    /// The least f above the threshold.
    pub least_above: Option<Cost>,
    /// The nodes that were dropped because their boards were known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub duplicates: u64,
    /// Why the sweep ended early, if it did.
    #[serde(skip)]
    pub(crate) end: Option<SweepStop>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// More nodes than any search generates: centuries of work.
const MAX_NODES: u64 = 1 << 60;

/// More roots than any threshold has.
pub(crate) const MAX_ROOTS: u64 = 1 << 32;

/// Returns whether a search can have such counts: each expanded node has been generated, except the
/// roots of trees and units.
pub(crate) fn is_possible(expanded: u64, generated: u64) -> bool {
    generated <= MAX_NODES && expanded <= generated.saturating_add(MAX_ROOTS)
}

impl Tally {
    /// Returns whether part of a threshold's tree can have these counts.
    pub fn is_possible(&self, threshold: Cost) -> bool {
        let Self { expanded, generated, deepest, least_above, duplicates, end: _ } = *self;
        let is_above = |f: Cost| f > threshold && (f - threshold).is_multiple_of(2);
        is_possible(expanded, generated)
            && duplicates <= generated
            && deepest <= u64::from(threshold)
            && least_above.is_none_or(is_above)
    }

    /// Returns the counts that a search has added to those before.
    #[must_use]
    pub fn between(before: &Counts, after: &Counts) -> Self {
        Self {
            expanded: after.expanded - before.expanded,
            generated: after.generated - before.generated,
            duplicates: after.duplicates - before.duplicates,
            ..Self::default()
        }
    }

    /// Adds the counts of another part of the same tree.
    pub fn add(&mut self, other: &Self) {
        self.expanded = self.expanded.saturating_add(other.expanded);
        self.generated = self.generated.saturating_add(other.generated);
        self.duplicates = self.duplicates.saturating_add(other.duplicates);
        self.deepest = self.deepest.max(other.deepest);
        self.least_above = self.least_above.into_iter().chain(other.least_above).min();
    }
}
