//! The frontier of a threshold, divided among processes.

use taquin_search::{Cost, Counts, Stop};

use super::{Aida, Run};
use crate::journal::Cut;
use crate::subtree::{SubtreeEnd, SubtreeSearch};
use crate::sweep::SweepCounts;
use crate::threads::idle;
use crate::tree::TreeEngine;

/// Every `of`th node of a frontier, from the one with this number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrontierShare {
    /// The number of the first node, less than `of`.
    pub number: usize,
    /// The number of shares.
    pub of: usize,
}

/// The whole frontier.
pub(crate) const WHOLE: FrontierShare = FrontierShare { number: 0, of: 1 };

/// The nodes of a tree for each byte of a table: about one node in 20 is looked up, and the table has
/// room for a quarter of their boards.
const NODES_PER_BYTE: u64 = 5;

impl FrontierShare {
    /// Keeps the nodes of the share, of nodes that are sorted by slack.
    pub(super) fn keep<N>(self, by_slack: &mut [Vec<N>]) {
        let mut place = 0;
        for nodes in by_slack {
            nodes.retain(|_| {
                place += 1;
                (place - 1) % self.of == self.number
            });
        }
    }
}

impl<E: TreeEngine> Aida<'_, E> {
    /// Makes the frontier of a tree with about `expected` nodes. Returns the counts of the nodes above
    /// it as well.
    pub(crate) fn cut(
        &self,
        (threshold, expected): (Cost, u64),
        threads: usize,
    ) -> Result<(Cut, SweepCounts), Stop> {
        let mut run = self.run(threads, threshold);
        let wanted = run.wanted(expected);
        let cut = self.frontier(wanted, &mut run)?.cut(self, wanted);
        Ok((cut, run.sweep_counts()))
    }

    /// Searches a share of what is below the frontier of a tree with about `expected` nodes. Fails
    /// with the frontier that this process makes if it is another one.
    pub(crate) fn search_share(
        &self,
        (threshold, expected): (Cost, u64),
        known: Cut,
        share: FrontierShare,
        threads: usize,
    ) -> Result<SubtreeSearch, Cut> {
        let mut run = self.run(threads, threshold);
        let _idle = idle(self.limits, run.scratches.len() as isize - 1);
        let wanted = known.wanted.min(run.most);
        let frontier = match self.frontier(wanted, &mut run) {
            Ok(frontier) => frontier,
            Err(stop) => return Ok(run.share_end(SubtreeEnd::Stopped(stop))),
        };
        let made = frontier.cut(self, wanted);
        if made != known {
            return Err(made);
        }
        if let Some(journal) = self.journal {
            journal.begin(threshold, Counts::default(), expected);
        }
        // The nodes above the frontier belong to no share.
        (run.counts, run.least_above) = (Counts::default(), None);
        run.table_wanted = expected / share.of as u64 / NODES_PER_BYTE;
        let end = match self.below((frontier, wanted), expected, share, &mut run) {
            Ok(Some(actions)) => SubtreeEnd::Solved(actions),
            Ok(None) => SubtreeEnd::Complete,
            Err(stop) => {
                self.journal.iter().for_each(|journal| journal.close());
                SubtreeEnd::Stopped(stop)
            }
        };
        Ok(run.share_end(end))
    }
}

impl<E: TreeEngine> Run<E> {
    fn sweep_counts(&self) -> SweepCounts {
        let Counts { expanded, generated, depth_peak: deepest, duplicates, .. } = self.counts;
        let least_above = self.least_above;
        SweepCounts { expanded, generated, deepest, least_above, duplicates, end: None }
    }

    fn share_end(&self, end: SubtreeEnd) -> SubtreeSearch {
        SubtreeSearch { end, counts: self.sweep_counts() }
    }
}

impl<E: TreeEngine> super::Frontier<E> {
    /// Describes a frontier for which `wanted` nodes were requested.
    pub(super) fn cut(&self, aida: &Aida<'_, E>, wanted: u64) -> Cut {
        let nodes = self.nodes.iter().flatten();
        let checksum = nodes.fold(0_u64, |sum, node| sum.wrapping_add(aida.fingerprint(node)));
        Cut { wanted, nodes: self.len() as u64, checksum }
    }
}
