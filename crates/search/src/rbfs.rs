//! Recursive best-first search (Korf 1993): the order of A* in memory that grows with the depth
//! alone.
//!
//! The search goes down to the best leaf and remembers the siblings of every node on its path. When
//! the best leaf below a node is worse than a sibling somewhere above it, the search goes back
//! there, and the node keeps that leaf's value. The subtree is generated again if it becomes the
//! best once more.
//!
//! A node is expanded again each time, and counted each time, as iterative deepening counts.

use crate::heuristic::Incremental;
use crate::limits::Meter;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::Undo;
use crate::space::{Cost, StateSpace};
use crate::stepwise::{Engine, Problem, Stepwise};

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches always below the best node that is known.
    ///
    /// A goal is recognised when it is taken, and its path is then the cheapest.
    ///
    /// ```
    /// use taquin_search::{Problem, Undo};
    /// # mod line { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/line.rs")); }
    /// # use line::Line;
    /// let search = Problem::new(&Line, &3).rbfs(Undo::Skip).run();
    /// assert_eq!(search.solution().unwrap().actions, [1, 1, 1, 1]);
    /// assert!(search.is_optimal());
    /// ```
    pub fn rbfs(self, undo: Undo) -> Stepwise<RecursiveBestFirst<'a, S, H, O>> {
        let Problem { space, start, heuristic, limits, observer } = self;
        let memo = heuristic.memo(start);
        let root = OpenNode { action: None, g: 0, f: heuristic.value(memo), memo, id: 0 };
        Stepwise::new(RecursiveBestFirst {
            space,
            heuristic,
            undo,
            observer,
            meter: Meter::new(limits),
            // With zero-cost actions a path could cycle forever.
            loops: *space.costs().start() == 0,
            state: start.clone(),
            path: Vec::new(),
            open: vec![root],
            actions: Vec::new(),
            keys: Vec::new(),
            next: Some((0, NOTHING - 1)),
            counts: Counts::default(),
            overflow: false,
        })
    }
}

/// A generated node: one on the path, or a sibling of one.
#[derive(Clone, Copy)]
struct OpenNode<A, M> {
    action: Option<A>,
    g: Cost,
    /// No goal below it costs less.
    f: Cost,
    memo: M,
    id: u64,
}

/// A node on the path.
struct Frame {
    /// Its place among the open nodes.
    at: usize,
    /// Its successors are the open nodes from here to where the next frame's successors begin.
    first: usize,
    /// The search leaves it when nothing below it is as good as this.
    limit: Cost,
}

/// A recursive best-first search under way, made by [`Problem::rbfs`].
pub struct RecursiveBestFirst<'a, S: StateSpace, H: Incremental<S>, O> {
    space: &'a S,
    heuristic: &'a H,
    undo: Undo,
    observer: &'a mut O,
    meter: Meter<'a>,
    loops: bool,
    state: S::State,
    path: Vec<Frame>,
    /// The root, then the successors of every node on the path.
    open: Vec<OpenNode<S::Action, H::Memo>>,
    actions: Vec<S::Action>,
    /// The states on the path, if it could run in circles.
    keys: Vec<S::Key>,
    /// The node to enter, and the value above which the search leaves it.
    next: Option<(usize, Cost)>,
    counts: Counts,
    /// Whether the cost of a path was too large for a number.
    overflow: bool,
}

/// The value of a node below which there is no goal.
const NOTHING: Cost = Cost::MAX;

impl<S, H, O> Engine for RecursiveBestFirst<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let outcome = self.proceed::<ONE>()?;
        let lower_bound = match &outcome {
            Outcome::Solved(solution) => solution.cost,
            _ => self.bound(),
        };
        Some(Search { outcome, lower_bound, counts: self.counts, before_last_bound: None })
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

impl<S, H, O> RecursiveBestFirst<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    fn proceed<const ONE: bool>(&mut self) -> Option<Outcome<S::Action>> {
        loop {
            // 1. Enter a node: a goal, or one more frame.
            if let Some((at, limit)) = self.next.take() {
                if self.space.is_goal(&self.state) {
                    return Some(Outcome::Solved(self.solution(at)));
                }
                if let Err(stop) = self.expand(at, limit) {
                    return Some(Outcome::Stopped(stop));
                }
                if ONE {
                    return None;
                }
            }
            let Some(&Frame { at, first, limit }) = self.path.last() else {
                return Some(match self.overflow {
                    true => Outcome::Stopped(Stop::Cost),
                    false => Outcome::Exhausted,
                });
            };

            // 2. The best successor, the first among equals, and the best of the others.
            let (mut best, mut value, mut second) = (first, NOTHING, NOTHING);
            for (place, node) in self.open.iter().enumerate().skip(first) {
                if node.f < value {
                    (best, second, value) = (place, value, node.f);
                } else {
                    second = second.min(node.f);
                }
            }

            // 3. Backtrack with the updated value, or descend into the best child.
            if value > limit {
                self.leave(at, value);
                continue;
            }
            let action = self.open[best].action.expect("only the root has no action");
            self.space.apply(&mut self.state, action);
            self.next = Some((best, limit.min(second)));
        }
    }

    /// Generates the successors of the node that the search is at.
    fn expand(&mut self, at: usize, limit: Cost) -> Result<(), Stop> {
        let (space, heuristic) = (self.space, self.heuristic);
        let node = self.open[at];
        let depth = self.path.len() as u64;
        let open = self.open.len() as u64;
        if let Some(stop) = self.meter.stop(&self.counts, || (open, node.f)) {
            return Err(stop);
        }
        self.counts.expanded += 1;
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        let parent = self.path.last().map_or(0, |frame| self.open[frame.at].id);
        if O::ACTIVE {
            self.observer.expand(&seen(&node, parent, depth, heuristic, &self.state));
        }
        if self.loops {
            self.keys.push(space.key(&self.state));
        }
        self.path.push(Frame { at, first: self.open.len(), limit });
        self.actions.clear();
        space.actions(&self.state, &mut self.actions);
        let back = node.action.filter(|_| self.undo == Undo::Skip);
        let back = back.and_then(|action| space.inverse(action));
        for place in 0..self.actions.len() {
            let action = self.actions[place];
            if Some(action) == back {
                continue;
            }
            let cost = space.apply(&mut self.state, action);
            self.counts.generated += 1;
            let memo = heuristic.step(node.memo, &self.state, action);
            let f = node.g.checked_add(cost).and_then(|g| g.checked_add(heuristic.value(memo)));
            let circles = self.loops && self.keys.contains(&space.key(&self.state));
            self.overflow |= f.is_none();
            let child = OpenNode {
                action: Some(action),
                g: node.g.saturating_add(cost),
                // The parent's bound also holds for its children (pathmax).
                f: if circles { NOTHING } else { f.unwrap_or(NOTHING).max(node.f) },
                memo,
                id: self.counts.generated,
            };
            if O::ACTIVE {
                let verdict = if circles { Verdict::Pruned } else { Verdict::Kept };
                let child = seen(&child, node.id, depth + 1, heuristic, &self.state);
                self.observer.generate(&child, verdict);
            }
            space.undo(&mut self.state, action);
            self.open.push(child);
        }
        self.count_memory()
    }

    fn count_memory(&mut self) -> Result<(), Stop> {
        let open = self.open.len() as u64;
        // The nodes on the path are not open any more.
        let frontier = open - self.path.len() as u64;
        self.counts.frontier_peak = self.counts.frontier_peak.max(frontier);
        if open > self.counts.stored_peak {
            self.counts.stored_peak = open;
            let bytes = self.open.capacity() * size_of::<OpenNode<S::Action, H::Memo>>()
                + self.path.capacity() * size_of::<Frame>();
            self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
            if self.meter.exceeds_memory(|| bytes) {
                return Err(Stop::Memory);
            }
        }
        Ok(())
    }

    /// Discards the subtree below the last node and keeps its backed-up value.
    fn leave(&mut self, at: usize, value: Cost) {
        if let Some(frame) = self.path.pop() {
            self.open.truncate(frame.first);
            self.keys.pop();
        }
        let node = &mut self.open[at];
        node.f = value;
        if let Some(action) = node.action {
            self.space.undo(&mut self.state, action);
        }
    }

    /// The least value of the open nodes.
    fn bound(&self) -> Cost {
        let on_path = |at: usize| self.path.iter().any(|frame| frame.at == at);
        let open = (0..self.open.len()).filter(|&at| !on_path(at)).map(|at| self.open[at].f);
        open.min().unwrap_or(0)
    }

    fn solution(&mut self, at: usize) -> Solution<S::Action> {
        let goal = self.open[at];
        if O::ACTIVE {
            let parent = self.path.last().map_or(0, |frame| self.open[frame.at].id);
            let depth = self.path.len() as u64;
            self.observer.goal(&seen(&goal, parent, depth, self.heuristic, &self.state));
        }
        let path = self.path.iter().map(|frame| frame.at).chain([at]);
        let actions = path.filter_map(|at| self.open[at].action).collect();
        Solution { actions, cost: goal.g }
    }
}

/// A node as an observer sees it.
fn seen<'a, S: StateSpace, H: Incremental<S>>(
    node: &OpenNode<S::Action, H::Memo>,
    parent: u64,
    depth: u64,
    heuristic: &H,
    state: &'a S::State,
) -> Node<'a, S> {
    let &OpenNode { action, g, f, memo, id } = node;
    let (parent, h) = (action.map(|_| parent), heuristic.value(memo));
    Node { id, parent, action, state, g, h, depth, value: Some(f) }
}
