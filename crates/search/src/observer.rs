//! Watching a search.

use crate::space::{Cost, StateSpace};

/// Is told what a search does. `()` is the silent one and compiles to nothing.
pub trait Observer<S: StateSpace> {
    /// Whether anybody listens; engines prepare nothing for one who does not.
    const ACTIVE: bool = true;

    /// A node is expanded.
    fn expand(&mut self, node: &Node<'_, S>) {
        let _ = node;
    }

    /// A successor of the node expanded last was generated, and this became of it.
    fn generate(&mut self, node: &Node<'_, S>, verdict: Verdict) {
        let _ = (node, verdict);
    }

    /// A node was taken out and dropped, since its state had been expanded.
    fn discard(&mut self, node: &Node<'_, S>) {
        let _ = node;
    }

    /// A layer of equal rank, or a threshold, begins.
    fn bound(&mut self, bound: u64) {
        let _ = bound;
    }

    /// A node was recognised as a goal; the search ends.
    fn goal(&mut self, node: &Node<'_, S>) {
        let _ = node;
    }
}

impl<S: StateSpace> Observer<S> for () {
    const ACTIVE: bool = false;
}

/// A node of a search.
#[derive(Debug)]
pub struct Node<'a, S: StateSpace> {
    /// Its number: the root is 0, and every node that is stored has the next. A duplicate has the
    /// number of the node that it duplicates; engines that store no nodes count what they generate.
    pub id: u64,
    /// The number of the node that it was generated from.
    pub parent: Option<u64>,
    /// The action that led to it.
    pub action: Option<S::Action>,
    /// Its state.
    pub state: &'a S::State,
    /// What the path to it costs.
    pub g: Cost,
    /// What the way to a goal is estimated to cost.
    pub h: Cost,
    /// The number of actions on the path to it.
    pub depth: u64,
}

/// What became of a generated node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It was put on the frontier.
    Kept,
    /// Its state was known, and the path to it no better.
    Duplicate,
    /// Its state was known, but this path is cheaper: it takes the known one's place.
    Cheaper,
    /// Its state was expanded already, but this path is cheaper: it is put back.
    Reopened,
    /// It is beyond the depth limit or the threshold.
    Pruned,
}
