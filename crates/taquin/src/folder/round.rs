//! The parts of the tree of one threshold.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};
use taquin_fast::{Cut, SweepCounts, TreeCut};
use taquin_search::{Cost, Counts};
use taquin_tiles::{Board, Notation, Slide, write_moves};

/// The tree of one threshold, in parts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Round {
    /// The checksum of the task.
    pub(super) task: String,
    pub(super) threshold: Cost,
    /// The counts of the thresholds before it.
    pub(super) before: Counts,
    /// The nodes that the last of them generated.
    pub(super) previous: u64,
    /// The counts of the nodes above the subtrees.
    pub(super) above: SweepCounts,
    /// The frontier, if the tree is searched below one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) frontier: Option<Cut>,
    pub(super) parts: Parts,
}

/// Parts of subtrees: the moves to the root of each, and its approximate number of nodes. A share of a
/// frontier has no moves.
pub(super) type Parts = Vec<Vec<(String, u64)>>;

/// A round and the checksum of its file.
pub(super) struct StoredRound {
    pub(super) round: Round,
    pub(super) id: String,
}

/// The number of subtrees of a part: with several, estimates that are too high and too low cancel out.
pub(super) const SUBTREES: usize = 8;

/// The least nodes of a frontier in a share: the subtrees below them differ in size.
const LEAST_NODES: u64 = 16;

/// More subtrees than a round has.
const MOST_SUBTREES: usize = 1 << 22;

/// The nodes of the subtrees of a threshold, from which those of the next one are estimated.
#[derive(Default)]
pub(super) struct Measured {
    /// The steps to each root, in order, and the nodes of all subtrees before it.
    subtrees: Vec<(Vec<u8>, u64)>,
    total: u64,
    growth: f64,
}

impl Measured {
    /// Takes the subtrees with their nodes, and by how much they grow.
    pub(super) fn new(mut measured: Vec<(Vec<u8>, u64)>, growth: f64) -> Self {
        measured.sort();
        let mut total = 0_u64;
        for (_, nodes) in &mut measured {
            total = total.saturating_add(std::mem::replace(nodes, total));
        }
        Self { subtrees: measured, total, growth }
    }

    /// Returns the nodes that are expected below a path, if it leads to measured subtrees.
    pub(super) fn below(&self, path: &[Slide]) -> Option<f64> {
        let path: Vec<u8> = path.iter().map(|slide| slide.step.to_string().as_bytes()[0]).collect();
        let first = self.subtrees.partition_point(|(steps, _)| *steps < path);
        let end =
            first + self.subtrees[first..].partition_point(|(steps, _)| steps.starts_with(&path));
        let before = |at: usize| self.subtrees.get(at).map_or(self.total, |(_, before)| *before);
        (first < end).then(|| (before(end) - before(first)) as f64 * self.growth)
    }
}

/// The tree of a threshold, cut into parts.
pub(super) struct RoundCut {
    /// The counts of the nodes above the parts.
    pub(super) above: SweepCounts,
    pub(super) frontier: Option<Cut>,
    pub(super) parts: Parts,
}

impl RoundCut {
    /// Distributes subtrees among at most `tasks` parts of similar size.
    pub(super) fn of_subtrees(cut: TreeCut, start: &Board, tasks: usize) -> Option<Self> {
        let TreeCut { above, mut subtrees } = cut;
        // The largest first, each to the part that has the fewest nodes so far.
        subtrees.sort_by(|one, other| other.expected.total_cmp(&one.expected));
        let mut parts = vec![Vec::new(); tasks.min(subtrees.len())];
        let mut loads: BinaryHeap<_> =
            (0..parts.len()).map(|part| Reverse((0_u64, part))).collect();
        for subtree in subtrees {
            let Some(Reverse((load, part))) = loads.pop() else { break };
            let nodes = subtree.expected as u64;
            let moves = write_moves(&subtree.path, start, Notation::Blank).ok()?;
            parts[part].push((moves, nodes));
            loads.push(Reverse((load.saturating_add(nodes).saturating_add(1), part)));
        }
        Some(Self { above, frontier: None, parts })
    }

    /// Divides a frontier into at most `tasks` shares, of a tree with about `expected` nodes.
    pub(super) fn of_frontier(
        (frontier, above): (Cut, SweepCounts),
        (tasks, expected): (usize, f64),
    ) -> Self {
        let shares = frontier.nodes.div_ceil(LEAST_NODES).min(tasks as u64);
        let share = (String::new(), (expected / shares as f64) as u64);
        Self { above, frontier: Some(frontier), parts: vec![vec![share]; shares as usize] }
    }
}

impl Round {
    /// Returns the number of nodes that are expected in a part.
    pub(super) fn expected(&self, part: usize) -> f64 {
        self.parts[part].iter().map(|(_, nodes)| *nodes as f64).sum()
    }

    /// Returns what is impossible about it, for a puzzle with solutions of these lengths.
    pub(super) fn fault(&self, lengths: Option<(Cost, Cost)>, tasks: usize) -> Option<String> {
        let Self { threshold, before, above, frontier, parts, .. } = self;
        let is_length = lengths.is_some_and(|(least, most)| {
            (least..=most).contains(threshold) && (most - threshold).is_multiple_of(2)
        });
        if !is_length {
            return Some(format!("the threshold {threshold} is impossible"));
        }
        let mut total = *above;
        (total.expanded, total.generated) = (before.expanded, before.generated);
        if !above.is_possible(*threshold) || !total.is_possible(*threshold) {
            return Some("the counts are impossible".to_owned());
        }
        let subtrees: usize = parts.iter().map(Vec::len).sum();
        let is_path = |moves: &str| {
            moves.len() <= *threshold as usize && moves.bytes().all(|byte| b"UDLR".contains(&byte))
        };
        let mut paths = parts.iter().flatten().map(|(moves, _)| moves);
        let is_share =
            |part: &Vec<(String, u64)>| matches!(&part[..], [(moves, _)] if moves.is_empty());
        let is_divided = frontier.is_none_or(|frontier| {
            parts.len() as u64 <= frontier.nodes && parts.iter().all(is_share)
        });
        let is_possible = parts.len() <= tasks
            && subtrees <= MOST_SUBTREES
            && paths.all(|moves| is_path(moves))
            && is_divided;
        (!is_possible)
            .then(|| format!("{} parts of {subtrees} subtrees are impossible", parts.len()))
    }
}
