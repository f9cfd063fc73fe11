//! The frontier of breadth-first search.

use std::collections::VecDeque;

use super::{Frontier, Taken};
use crate::policy::{Duplicates, Policy, Rank, Tie};
use crate::space::Cost;

/// The nodes of a breadth-first search, which are taken out in the order in which they were stored:
/// of so many in a row, only where they begin is kept.
#[derive(Debug, Default)]
pub(crate) struct Line {
    next: u32,
    /// The ranks, each with the number of nodes that have it.
    ranks: VecDeque<(u64, u32)>,
    len: usize,
}

impl Line {
    /// Whether a policy puts in every node once, when it is stored, and takes out the oldest.
    pub(super) fn serves(policy: &Policy) -> bool {
        policy.rank == Rank::Depth
            && policy.tie == Tie::None
            && policy.duplicates != Duplicates::Cheaper
    }
}

impl Frontier<u32> for Line {
    #[inline]
    fn push(&mut self, rank: u64, _: Cost, item: u32) {
        debug_assert_eq!(item as usize, self.next as usize + self.len, "nodes come in their order");
        self.len += 1;
        match self.ranks.back_mut() {
            Some((last, count)) if *last == rank => *count += 1,
            _ => self.ranks.push_back((rank, 1)),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Taken<u32>> {
        let (rank, count) = self.ranks.front_mut()?;
        let taken = Taken { rank: *rank, tie: None, item: self.next };
        *count -= 1;
        if *count == 0 {
            self.ranks.pop_front();
        }
        self.next += 1;
        self.len -= 1;
        Some(taken)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn bytes(&self) -> usize {
        0
    }
}
