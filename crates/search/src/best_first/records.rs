//! What the engine holds of its nodes.

use crate::outcome::Stop;
use crate::space::{Cost, StateSpace};

/// A stored node.
pub(super) struct Stored<S: StateSpace> {
    pub(super) key: S::Key,
    /// The number of the parent, and above it a bit that says whether the node is closed: expanded,
    /// or dropped when it was taken out.
    pub(super) link: u32,
    pub(super) g: Cost,
}

/// The root's parent. Nodes have smaller numbers.
pub(super) const NOBODY: u32 = CLOSED - 1;
pub(super) const MOST_NODES: usize = NOBODY as usize;
const CLOSED: u32 = 1 << 31;

impl<S: StateSpace> Stored<S> {
    #[inline]
    pub(super) const fn parent(&self) -> u32 {
        self.link & !CLOSED
    }

    #[inline]
    pub(super) const fn is_closed(&self) -> bool {
        self.link & CLOSED != 0
    }

    #[inline]
    pub(super) const fn close(&mut self) {
        self.link |= CLOSED;
    }

    #[inline]
    pub(super) const fn open(&mut self) {
        self.link &= !CLOSED;
    }
}

/// A successor that is not stored yet.
pub(super) struct Child<S: StateSpace> {
    pub(super) key: S::Key,
    pub(super) hash: u64,
    /// May be more than a cost can be.
    pub(super) g: u64,
    pub(super) h: Cost,
    pub(super) rank: u64,
    pub(super) action: S::Action,
    pub(super) is_goal: bool,
}

/// The node that is being expanded, or is expected to be the next.
#[derive(Clone, Copy)]
pub(super) struct Above {
    pub(super) id: u32,
    pub(super) g: Cost,
    pub(super) depth: u64,
}

/// A node that will probably be expanded next.
pub(super) struct Coming<S: StateSpace> {
    pub(super) above: Above,
    pub(super) state: S::State,
    pub(super) h: Cost,
    pub(super) rank: u64,
    /// The action that led to it.
    pub(super) action: Option<S::Action>,
}

/// What became of a child.
pub(super) enum Admitted<A> {
    /// It is a goal, which this action leads to.
    Goal(A),
    /// It waits, with this number.
    Stored(u32),
    Dropped,
}

/// Why the loop ended.
pub(super) enum End<A> {
    /// At this node, or one action after it, is a goal.
    Goal(u32, Option<A>),
    Empty,
    Stopped(Stop),
}
