//! The open list of breadth-first search.

use std::collections::VecDeque;

use super::Entry;
use crate::policy::{Duplicates, Policy, Rank, Tie};

/// The open nodes of a breadth-first search. They are popped in the order in which they were
/// stored, so the list keeps only the next node's number and the number of nodes at each depth.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    next: u32,
    /// Each rank, with the number of nodes that have it.
    ranks: VecDeque<(u64, u32)>,
    len: usize,
}

impl Sequence {
    /// Returns whether a policy pushes every node once, when it is stored, and pops the oldest.
    pub(super) fn is_enough_for(policy: &Policy) -> bool {
        policy.rank == Rank::Depth
            && policy.tie == Tie::None
            && policy.duplicates != Duplicates::Cheaper
    }

    #[inline]
    pub(super) fn push(&mut self, rank: u64, node: u32) {
        debug_assert_eq!(node as usize, self.next as usize + self.len, "nodes must be in order");
        self.len += 1;
        match self.ranks.back_mut() {
            Some((last, count)) if *last == rank => *count += 1,
            _ => self.ranks.push_back((rank, 1)),
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry> {
        let (rank, count) = self.ranks.front_mut()?;
        let entry = Entry { rank: *rank, tie: None, node: self.next };
        *count -= 1;
        if *count == 0 {
            self.ranks.pop_front();
        }
        self.next += 1;
        self.len -= 1;
        Some(entry)
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }
}
