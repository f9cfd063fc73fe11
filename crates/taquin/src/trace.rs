//! A search as it happens, told in boards.

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Node, Observer, Verdict};
use taquin_tiles::{Board, Layout, Slide, Tile, Tiles};

use crate::task::TaskLimits;

/// Something that a search did.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A layer of equal rank, or a threshold, begins.
    Bound {
        /// Its rank.
        bound: u64,
    },
    /// A node is expanded.
    Expand(Seen),
    /// A successor of the node expanded last was generated.
    Generate {
        /// What became of it.
        verdict: Fate,
        /// The successor.
        #[serde(flatten)]
        node: Seen,
    },
    /// A node was taken out and dropped, since its board had been expanded.
    Discard(Seen),
    /// A node is a goal: the search ends.
    Goal(Seen),
}

/// What became of a generated node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It was put on the frontier.
    Kept,
    /// It took the place of a dearer path to the same board.
    Cheaper,
    /// Its board was known.
    Duplicate,
    /// Its board was expanded, and goes back because this path is cheaper.
    Reopened,
    /// It is beyond a limit or the threshold.
    Pruned,
}

impl From<Verdict> for Fate {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Kept => Self::Kept,
            Verdict::Cheaper => Self::Cheaper,
            Verdict::Duplicate => Self::Duplicate,
            Verdict::Reopened => Self::Reopened,
            Verdict::Pruned => Self::Pruned,
        }
    }
}

/// A node of the search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Seen {
    /// Its number; a duplicate has that of the node that it duplicates.
    pub id: u64,
    /// The number of the node that it came from.
    pub parent: Option<u64>,
    /// The move that led to it, by its letter.
    #[serde(rename = "move")]
    pub step: Option<taquin_tiles::Move>,
    /// The tile that this move moved.
    pub tile: Option<Tile>,
    /// What the path to it costs.
    pub g: Cost,
    /// What the rest is estimated to cost.
    pub h: Cost,
    /// The number of moves to it.
    pub depth: u64,
    /// The board, row by row.
    pub board: Vec<Tile>,
}

/// Tells a listener of boards what a search over any layout does.
pub(crate) struct Tracer<'a, L: Layout> {
    space: &'a Tiles<L>,
    tell: &'a mut dyn FnMut(Event),
    /// How many expansions are still told of.
    left: u64,
    /// Afterwards, one in so many is.
    glimpses: Option<u64>,
    passed: u64,
    silent: bool,
}

impl<'a, L: Layout> Tracer<'a, L> {
    /// Tells of as many expansions as the limits say and what comes of them, then of single
    /// expansions if they ask for some, and of the goal in any case.
    pub(crate) fn new(
        space: &'a Tiles<L>,
        tell: &'a mut dyn FnMut(Event),
        limits: &TaskLimits,
    ) -> Self {
        let (left, glimpses) = (limits.traced.unwrap_or(u64::MAX), limits.glimpses);
        Self { space, tell, left, glimpses, passed: 0, silent: false }
    }

    /// Whether an expansion that is not traced is told of all the same.
    fn is_glimpse(&mut self) -> bool {
        self.passed += 1;
        self.glimpses.is_some_and(|every| self.passed.is_multiple_of(every))
    }

    fn seen(&self, node: &Node<'_, Tiles<L>>) -> Seen {
        let slide: Option<Slide> = node.action.map(Into::into);
        let board: Board = self.space.board(node.state);
        Seen {
            id: node.id,
            parent: node.parent,
            step: slide.map(|slide| slide.step),
            tile: slide.map(|slide| board.tiles()[usize::from(slide.blank)]),
            g: node.g,
            h: node.h,
            depth: node.depth,
            board: board.tiles().to_vec(),
        }
    }
}

impl<L: Layout> Observer<Tiles<L>> for Tracer<'_, L> {
    fn expand(&mut self, node: &Node<'_, Tiles<L>>) {
        self.silent = self.left == 0;
        if !self.silent {
            self.left -= 1;
        }
        if !self.silent || self.is_glimpse() {
            let node = self.seen(node);
            (self.tell)(Event::Expand(node));
        }
    }

    fn generate(&mut self, node: &Node<'_, Tiles<L>>, verdict: Verdict) {
        if !self.silent {
            let node = self.seen(node);
            (self.tell)(Event::Generate { node, verdict: verdict.into() });
        }
    }

    fn discard(&mut self, node: &Node<'_, Tiles<L>>) {
        if !self.silent {
            let node = self.seen(node);
            (self.tell)(Event::Discard(node));
        }
    }

    fn bound(&mut self, bound: u64) {
        if !self.silent {
            (self.tell)(Event::Bound { bound });
        }
    }

    fn goal(&mut self, node: &Node<'_, Tiles<L>>) {
        let node = self.seen(node);
        (self.tell)(Event::Goal(node));
    }
}
