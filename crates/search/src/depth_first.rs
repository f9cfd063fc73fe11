//! The path of a depth-first search: one state that actions change, and a frame for each node.

use crate::heuristic::Incremental;
use crate::limits::Meter;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Stop};
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::Problem;

/// A node on the path, and the successors that are still to be tried.
pub(crate) struct Frame<A, M> {
    pub(crate) action: Option<A>,
    pub(crate) g: Cost,
    pub(crate) memo: M,
    /// Its successors are the actions from here to the end of the list.
    pub(crate) first: usize,
    pub(crate) next: usize,
    pub(crate) id: u64,
}

impl<A, M> Frame<A, M> {
    pub(crate) const fn new(action: Option<A>, g: Cost, memo: M, id: u64) -> Self {
        Self { action, g, memo, first: 0, next: 0, id }
    }
}

/// The path from the start to the newest node, and all that it takes to lengthen it.
pub(crate) struct Path<'a, S: StateSpace, H: Incremental<S>, O> {
    pub(crate) space: &'a S,
    pub(crate) start: &'a S::State,
    pub(crate) heuristic: &'a H,
    pub(crate) observer: &'a mut O,
    pub(crate) meter: Meter<'a>,
    /// Whether the move back to the parent is generated.
    undo: Undo,
    /// Whether a state that is on the path is not entered again.
    detects_cycles: bool,
    pub(crate) state: S::State,
    pub(crate) frames: Vec<Frame<S::Action, H::Memo>>,
    /// The actions of all nodes on the path, one after the other.
    pub(crate) actions: Vec<S::Action>,
    /// The keys of the states on the path, if cycles are detected.
    keys: Vec<S::Key>,
    pub(crate) counts: Counts,
}

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Path<'a, S, H, O> {
    pub(crate) fn new(problem: Problem<'a, S, H, O>, undo: Undo, detects_cycles: bool) -> Self {
        let Problem { space, start, heuristic, limits, observer } = problem;
        Self {
            space,
            start,
            heuristic,
            observer,
            meter: Meter::new(limits),
            undo,
            detects_cycles,
            state: start.clone(),
            frames: Vec::new(),
            actions: Vec::new(),
            keys: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Returns the frame of the start.
    pub(crate) fn root(&self) -> Frame<S::Action, H::Memo> {
        Frame::new(None, 0, self.heuristic.memo(&self.state), 0)
    }

    /// Whether the present state is on the path, if cycles are detected.
    #[inline]
    pub(crate) fn is_cycle(&self) -> bool {
        self.detects_cycles && self.keys.contains(&self.space.key(&self.state))
    }

    /// Shows a successor of the last node to the observer.
    #[inline]
    pub(crate) fn generate(&mut self, frame: &Frame<S::Action, H::Memo>, verdict: Verdict) {
        if self.observer.is_listening() {
            self.observer
                .generate(&node(&self.frames, frame, self.heuristic, &self.state), verdict);
        }
    }

    /// Shows a goal to the observer.
    pub(crate) fn goal(&mut self, frame: &Frame<S::Action, H::Memo>) {
        if O::ACTIVE {
            self.observer.goal(&node(&self.frames, frame, self.heuristic, &self.state));
        }
    }

    /// Adds a node to the path and lists its actions. No path costs less than `bound`.
    pub(crate) fn expand(
        &mut self,
        mut frame: Frame<S::Action, H::Memo>,
        bound: Cost,
    ) -> Result<(), Stop> {
        let depth = self.frames.len() as u64;
        if let Some(stop) = self.meter.stop(&self.counts, || (depth, bound)) {
            return Err(stop);
        }
        self.counts.expanded += 1;
        if self.observer.is_listening() {
            self.observer.expand(&node(&self.frames, &frame, self.heuristic, &self.state));
        }
        if self.detects_cycles {
            self.keys.push(self.space.key(&self.state));
        }
        frame.first = self.actions.len();
        frame.next = frame.first;
        self.space.actions(&self.state, &mut self.actions);
        if S::MAY_CANCEL && self.meter.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.undo == Undo::Skip
            && let Some(back) = frame.action.and_then(|action| self.space.inverse(action))
            && let Some(at) = self.actions[frame.first..].iter().position(|&action| action == back)
        {
            self.actions.remove(frame.first + at);
        }
        self.frames.push(frame);
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        if depth + 1 > self.counts.frontier_peak {
            self.counts.frontier_peak = depth + 1;
            self.counts.stored_peak = depth + 1;
            let frames = self.frames.len() * size_of::<Frame<S::Action, H::Memo>>();
            let bytes = frames + self.actions.capacity() * size_of::<S::Action>();
            self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
            if self.meter.exceeds_memory(|| bytes) {
                return Err(Stop::Memory);
            }
        }
        Ok(())
    }

    /// Returns to the parent.
    pub(crate) fn backtrack(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.actions.truncate(frame.first);
            self.keys.pop();
            if let Some(action) = frame.action {
                self.space.undo(&mut self.state, action);
            }
        }
    }
}

/// Returns a node below the path as observers see it.
fn node<'s, S: StateSpace, H: Incremental<S>>(
    path: &[Frame<S::Action, H::Memo>],
    frame: &Frame<S::Action, H::Memo>,
    heuristic: &H,
    state: &'s S::State,
) -> Node<'s, S> {
    let &Frame { action, g, memo, id, .. } = frame;
    let parent = action.and_then(|_| path.last()).map(|parent| parent.id);
    let (h, depth) = (heuristic.value(memo), path.len() as u64);
    Node { id, parent, action, state, g, h, depth, value: None }
}
