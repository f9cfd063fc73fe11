//! The steps of a search, as boards.

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Node, Observer, Reversible, Verdict};
use taquin_tiles::packed::{Layout, Segment, Segments, Tiles};
use taquin_tiles::{Board, Slide, Tile};

use crate::task::TaskLimits;

/// A step of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A layer of equal rank, or a threshold, begins.
    Bound {
        /// Its rank.
        bound: u64,
    },
    /// A node is expanded.
    Expand(TraceNode),
    /// A successor of the node expanded last was generated.
    Generate {
        /// Its fate.
        verdict: Verdict,
        /// The successor.
        #[serde(flatten)]
        node: TraceNode,
    },
    /// A node was taken off the open list and dropped: its board had been expanded, or a beam had
    /// no space for it.
    Discard(TraceNode),
    /// A node is a goal: the search ends.
    Goal(TraceNode),
}

/// A node of the search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceNode {
    /// Its number. A duplicate has the number of the original node. In searches from both ends,
    /// nodes from the start have even numbers, and nodes from the goal odd ones.
    pub id: u64,
    /// The number of the node that it came from.
    pub parent: Option<u64>,
    /// The move that led to it, by its letter.
    #[serde(rename = "move")]
    pub step: Option<taquin_tiles::Move>,
    /// The tile that this move moved.
    pub tile: Option<Tile>,
    /// The cost of the path to it.
    pub g: Cost,
    /// The estimated cost from it to the goal.
    pub h: Cost,
    /// The number of moves to it.
    pub depth: u64,
    /// The value by which the search ranks it, unless a policy ranks it. In recursive best-first
    /// search: g + h, or more if more was found below it or its parent. In searches from both ends:
    /// b, the priority in MM, or f.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Cost>,
    /// The board, row by row.
    pub board: Vec<Tile>,
}

/// A space of boards.
pub(crate) trait BoardSpace: Reversible {
    /// The board of a state.
    fn board(&self, state: &Self::State) -> Board;

    /// The first step of an action.
    fn first(action: Self::Action) -> Slide;

    /// All steps of the actions.
    fn slides(&self, actions: Vec<Self::Action>) -> Vec<Slide>;
}

impl<L: Layout> BoardSpace for Tiles<L> {
    fn board(&self, state: &L::State) -> Board {
        self.board(state)
    }

    fn first(action: L::Action) -> Slide {
        action.into()
    }

    fn slides(&self, actions: Vec<L::Action>) -> Vec<Slide> {
        actions.into_iter().map(Into::into).collect()
    }
}

impl<L: Layout> BoardSpace for Segments<L> {
    fn board(&self, state: &L::State) -> Board {
        self.board(state)
    }

    fn first(action: Segment) -> Slide {
        action.first
    }

    fn slides(&self, actions: Vec<Segment>) -> Vec<Slide> {
        actions.into_iter().flat_map(|action| action.slides(self.size())).collect()
    }
}

/// Reports the steps of a search over any space of boards to a listener.
pub(crate) struct Tracer<'a, S> {
    space: &'a S,
    listener: &'a mut dyn FnMut(Event),
    /// How many expansions are still reported.
    left: u64,
    /// Afterwards, every n-th one is.
    samples: Option<u64>,
    passed: u64,
    silent: bool,
}

impl<'a, S: BoardSpace> Tracer<'a, S> {
    /// Reports as many expansions as the limits allow with their successors, then samples if the
    /// limits ask for some, and the goal in any case.
    pub(crate) fn new(
        space: &'a S,
        listener: &'a mut dyn FnMut(Event),
        limits: &TaskLimits,
    ) -> Self {
        let (left, samples) = (limits.traced.unwrap_or(u64::MAX), limits.glimpses);
        Self { space, listener, left, samples, passed: 0, silent: false }
    }

    /// Whether an expansion after the traced ones is a sample.
    fn is_sample(&mut self) -> bool {
        self.passed += 1;
        self.samples.is_some_and(|every| self.passed.is_multiple_of(every))
    }

    /// Reports a step. It is kept out of the engines' loops, which are in many functions.
    #[inline(never)]
    fn tell(&mut self, node: &Node<'_, S>, event: impl FnOnce(TraceNode) -> Event) {
        let node = self.seen(node);
        (self.listener)(event(node));
    }

    fn seen(&self, node: &Node<'_, S>) -> TraceNode {
        let slide: Option<Slide> = node.action.map(S::first);
        let board: Board = self.space.board(node.state);
        TraceNode {
            id: node.id,
            parent: node.parent,
            step: slide.map(|slide| slide.step),
            tile: slide.map(|slide| board.tiles()[usize::from(slide.blank)]),
            g: node.g,
            h: node.h,
            depth: node.depth,
            value: node.value,
            board: board.tiles().to_vec(),
        }
    }
}

impl<S: BoardSpace> Observer<S> for Tracer<'_, S> {
    fn is_listening(&self) -> bool {
        // Expansions are counted to sample some.
        !self.silent || self.left > 0 || self.samples.is_some()
    }

    fn expand(&mut self, node: &Node<'_, S>) {
        self.silent = self.left == 0;
        if !self.silent {
            self.left -= 1;
        }
        if !self.silent || self.is_sample() {
            self.tell(node, Event::Expand);
        }
    }

    fn generate(&mut self, node: &Node<'_, S>, verdict: Verdict) {
        if !self.silent {
            self.tell(node, |node| Event::Generate { verdict, node });
        }
    }

    fn discard(&mut self, node: &Node<'_, S>) {
        if !self.silent {
            self.tell(node, Event::Discard);
        }
    }

    fn bound(&mut self, bound: u64) {
        if !self.silent {
            (self.listener)(Event::Bound { bound });
        }
    }

    fn goal(&mut self, node: &Node<'_, S>) {
        self.tell(node, Event::Goal);
    }
}
