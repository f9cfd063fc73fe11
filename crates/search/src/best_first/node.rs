//! Nodes, as the engine stores them and before.

use crate::graph::Graph;
use crate::outcome::Stop;
use crate::space::Cost;

/// A stored node.
pub(super) struct Stored<S: Graph> {
    pub(super) key: S::Key,
    /// The number of the parent. The highest bit is set if the node is closed: expanded, or dropped
    /// when it was popped.
    pub(super) link: u32,
    pub(super) g: Cost,
}

/// The root's parent. Node numbers are smaller.
pub(super) const NO_PARENT: u32 = CLOSED - 1;
pub(super) const MAX_NODES: usize = NO_PARENT as usize;
const CLOSED: u32 = 1 << 31;

impl<S: Graph> Stored<S> {
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
pub(super) struct Child<S: Graph> {
    pub(super) key: S::Key,
    pub(super) hash: u64,
    /// May be greater than the greatest cost.
    pub(super) g: u64,
    pub(super) h: Cost,
    pub(super) rank: u64,
    pub(super) action: S::Action,
    pub(super) is_goal: bool,
}

/// The node that is being expanded, or a predicted one.
#[derive(Clone, Copy)]
pub(super) struct Parent {
    pub(super) id: u32,
    pub(super) g: Cost,
    pub(super) depth: u64,
}

/// A node that will probably be expanded next.
pub(super) struct PredictedNode<S: Graph> {
    pub(super) parent: Parent,
    pub(super) state: S::State,
    pub(super) h: Cost,
    pub(super) rank: u64,
    /// The action that led to it.
    pub(super) action: Option<S::Action>,
}

/// The fate of a successor.
pub(super) enum Admission<S: Graph> {
    /// It is a goal, with this key, that the action leads to.
    Goal(S::Action, S::Key),
    /// It was added to the open list with this number.
    Stored(u32),
    Dropped,
}

/// Why the loop ended.
pub(super) enum End<S: Graph> {
    /// This node, or the state one action after it, is a goal.
    Goal(u32, Option<(S::Action, S::Key)>),
    Empty,
    Stopped(Stop),
}
