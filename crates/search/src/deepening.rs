//! Iterative deepening: depth-first searches with a growing threshold, which store no states.
//!
//! With an estimate this is IDA*; with a threshold on the depth it is plain iterative deepening. A
//! node takes one `apply` and one `undo` on a single state. Only the current path is stored.

use crate::heuristic::Incremental;
use crate::limits::{Limits, Meter};
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::{Cutoff, GoalTest, Undo};
use crate::space::{Cost, StateSpace};
use crate::stepwise::{Engine, Problem, Stepwise};

/// The settings of iterative deepening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deepening {
    /// Whether the threshold applies to the depth instead of to f.
    pub by_depth: bool,
    /// When a node is tested for being a goal.
    pub goal: GoalTest,
    /// Whether the move back to the parent is generated.
    pub undo: Undo,
    /// Whether nodes at the limit of the depth are expanded.
    pub cutoff: Cutoff,
}

/// Searches for a path from `start` to a goal with one threshold after the other.
///
/// ```
/// # use taquin_search::{Cost, Cutoff, Deepening, GoalTest, Limits, Recomputed};
/// # use taquin_search::{StateSpace, Undo, deepening};
/// /// Numbers, from which one reaches others by doubling and adding 3.
/// struct Numbers {
///     goal: u32,
/// }
/// # impl StateSpace for Numbers {
/// #     type State = u32;
/// #     type Key = u32;
/// #     type Action = char;
/// #     fn actions(&self, _: &u32, actions: &mut Vec<char>) {
/// #         actions.extend(['*', '+']);
/// #     }
/// #     fn apply(&self, state: &mut u32, action: char) -> Cost {
/// #         *state = if action == '*' { *state * 2 } else { *state + 3 };
/// #         1
/// #     }
/// #     fn undo(&self, state: &mut u32, action: char) {
/// #         *state = if action == '*' { *state / 2 } else { *state - 3 };
/// #     }
/// #     fn key(&self, &state: &u32) -> u32 {
/// #         state
/// #     }
/// #     fn state(&self, &key: &u32) -> u32 {
/// #         key
/// #     }
/// #     fn is_goal(&self, &state: &u32) -> bool {
/// #         state == self.goal
/// #     }
/// #     fn costs(&self) -> std::ops::RangeInclusive<Cost> {
/// #         1..=1
/// #     }
/// # }
///
/// let (goal, undo, cutoff) = (GoalTest::Generation, Undo::Skip, Cutoff::After);
/// let ida = Deepening { by_depth: false, goal, undo, cutoff };
/// let estimate = |&n: &u32| u32::from(n != 10);
/// let (numbers, limits) = (Numbers { goal: 10 }, Limits::default());
/// let search = deepening(&numbers, &1, &Recomputed(&estimate), &ida, &limits, &mut ());
/// assert_eq!(search.solution().unwrap().actions, ['*', '+', '*']);
/// assert!(search.is_optimal());
/// ```
pub fn deepening<S, H, O>(
    space: &S,
    start: &S::State,
    heuristic: &H,
    policy: &Deepening,
    limits: &Limits,
    observer: &mut O,
) -> Search<S::Action>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    Problem { space, start, heuristic, limits, observer }.deepening(policy).run()
}

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches with one threshold after the other, as [`deepening()`] does.
    pub fn deepening(self, policy: &'a Deepening) -> Stepwise<IterativeDeepening<'a, S, H, O>> {
        let Problem { space, start, heuristic, limits, observer } = self;
        Stepwise::new(IterativeDeepening {
            space,
            start,
            heuristic,
            policy,
            observer,
            meter: Meter::new(limits),
            // If actions may cost nothing, the threshold does not prevent endless paths.
            detects_cycles: !policy.by_depth && *space.costs().start() == 0,
            cuts_before: policy.by_depth && policy.cutoff == Cutoff::Before,
            state: start.clone(),
            path: Vec::new(),
            actions: Vec::new(),
            keys: Vec::new(),
            threshold: if policy.by_depth { 0 } else { heuristic.estimate(start) },
            least_above: None,
            overflowed: false,
            counts: Counts::default(),
            before_last_bound: Counts::default(),
        })
    }
}

/// How a threshold ended.
enum End {
    /// The path leads to a goal.
    Goal,
    /// The least f above the threshold.
    Next(Cost),
    /// No f was above the threshold.
    Empty,
    Stopped(Stop),
}

/// A node on the path, and the successors that are still to be tried.
struct Frame<A, M> {
    action: Option<A>,
    g: Cost,
    memo: M,
    /// Its successors are the actions from here to the end of the list.
    first: usize,
    next: usize,
    id: u64,
}

/// A search with growing thresholds under way, made by [`Problem::deepening`].
pub struct IterativeDeepening<'a, S: StateSpace, H: Incremental<S>, O> {
    space: &'a S,
    start: &'a S::State,
    heuristic: &'a H,
    policy: &'a Deepening,
    observer: &'a mut O,
    meter: Meter<'a>,
    /// Whether a state that is on the path is not entered again.
    detects_cycles: bool,
    /// Whether nodes at the threshold are not expanded.
    cuts_before: bool,
    state: S::State,
    path: Vec<Frame<S::Action, H::Memo>>,
    /// The actions of all nodes on the path, one after the other.
    actions: Vec<S::Action>,
    /// The keys of the states on the path, if cycles are detected.
    keys: Vec<S::Key>,
    threshold: Cost,
    /// The least f above the threshold so far.
    least_above: Option<Cost>,
    /// Whether the cost of a path was too large for a number.
    overflowed: bool,
    counts: Counts,
    before_last_bound: Counts,
}

impl<S, H, O> Engine for IterativeDeepening<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    type Step = S::Action;

    fn advance<const ONE: bool>(&mut self) -> Option<Search<S::Action>> {
        let outcome = loop {
            if self.path.is_empty() {
                self.before_last_bound = self.counts;
                if O::ACTIVE {
                    self.observer.bound(self.threshold.into());
                }
            }
            match self.within::<ONE>()? {
                End::Goal => break Outcome::Solved(self.solution()),
                End::Next(next) => self.threshold = next,
                End::Empty => break Outcome::Exhausted,
                End::Stopped(stop) => break Outcome::Stopped(stop),
            }
        };
        let lower_bound = match self.policy.by_depth {
            // All shorter paths were tried, and each action has at least this cost.
            true => self.threshold.saturating_mul(*self.space.costs().start()),
            false => self.threshold,
        };
        let before_last_bound = Some(self.before_last_bound);
        Some(Search { outcome, lower_bound, counts: self.counts, before_last_bound })
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

impl<S, H, O> IterativeDeepening<'_, S, H, O>
where
    S: StateSpace,
    H: Incremental<S>,
    O: Observer<S>,
{
    /// Searches below the threshold, from where the search paused. Returns `None` if it should
    /// expand only `ONE` node and has done so.
    fn within<const ONE: bool>(&mut self) -> Option<End> {
        let Self { space, heuristic, policy, threshold, .. } = *self;
        if self.path.is_empty() {
            (self.least_above, self.overflowed) = (None, false);
            match self.enter(threshold) {
                None if ONE => return None,
                None => {}
                end => return end,
            }
        }
        let (mut least_above, mut overflowed) = (self.least_above, self.overflowed);
        while let Some(top) = self.path.last_mut() {
            // 1. Take the next action, or return to the parent.
            let Some(&action) = self.actions.get(top.next) else {
                self.backtrack();
                continue;
            };
            top.next += 1;

            // 2. Compute the successor and its f.
            let (g, memo, parent) = (top.g, top.memo, top.id);
            let cost = space.apply(&mut self.state, action);
            self.counts.generated += 1;
            let memo = heuristic.step(memo, &self.state, action);
            let depth = self.path.len();
            let (measure, g) = match (policy.by_depth, g.checked_add(cost)) {
                (true, g) => (Some(depth as Cost), g.unwrap_or(Cost::MAX)),
                (false, Some(g)) => (g.checked_add(heuristic.value(memo)), g),
                (false, None) => (None, Cost::MAX),
            };
            let child = Frame {
                action: Some(action),
                g,
                memo,
                first: 0,
                next: 0,
                id: self.counts.generated,
            };

            // 3. Prune it if it is above the threshold or already on the path.
            let above = measure.is_none_or(|measure| measure > threshold);
            if above || self.detects_cycles && self.keys.contains(&space.key(&self.state)) {
                match measure {
                    None => overflowed = true,
                    Some(f) if above => {
                        least_above = Some(least_above.map_or(f, |least: Cost| least.min(f)));
                    }
                    Some(_) => {}
                }
                if O::ACTIVE {
                    let node = view(&child, parent, depth, heuristic, &self.state);
                    self.observer.generate(&node, Verdict::Pruned);
                }
                space.undo(&mut self.state, action);
                continue;
            }
            if O::ACTIVE {
                let node = view(&child, parent, depth, heuristic, &self.state);
                self.observer.generate(&node, Verdict::Kept);
            }

            // 4. Test for a goal, or go one level deeper.
            let is_cut = self.cuts_before && depth as Cost == threshold;
            if (policy.goal == GoalTest::Generation || is_cut) && space.is_goal(&self.state) {
                self.finish(child, parent);
                return Some(End::Goal);
            }
            if is_cut {
                least_above = Some(threshold + 1);
                space.undo(&mut self.state, action);
                continue;
            }
            match self.expand(child, threshold) {
                Ok(false) if ONE => {
                    (self.least_above, self.overflowed) = (least_above, overflowed);
                    return None;
                }
                Ok(false) => {}
                Ok(true) => return Some(End::Goal),
                Err(stop) => return Some(End::Stopped(stop)),
            }
        }
        Some(match (least_above, overflowed) {
            (Some(next), _) => End::Next(next),
            (None, true) => End::Stopped(Stop::Cost),
            (None, false) => End::Empty,
        })
    }

    /// Expands the root, unless the search ends there.
    fn enter(&mut self, threshold: Cost) -> Option<End> {
        let memo = self.heuristic.memo(&self.state);
        let root = Frame { action: None, g: 0, memo, first: 0, next: 0, id: 0 };
        if self.space.is_goal(&self.state) {
            if O::ACTIVE {
                self.observer.goal(&view(&root, 0, 0, self.heuristic, &self.state));
            }
            return Some(End::Goal);
        }
        if self.cuts_before && threshold == 0 {
            return Some(End::Next(1));
        }
        self.expand(root, threshold).err().map(End::Stopped)
    }

    /// Adds a node to the path and lists its actions. Returns whether it is a goal.
    fn expand(
        &mut self,
        mut node: Frame<S::Action, H::Memo>,
        threshold: Cost,
    ) -> Result<bool, Stop> {
        let parent = self.path.last().map_or(0, |frame| frame.id);
        if self.policy.goal == GoalTest::Expansion && self.space.is_goal(&self.state) {
            self.finish(node, parent);
            return Ok(true);
        }
        if let Some(stop) = self.meter.stop(&self.counts, || (self.path.len() as u64, threshold)) {
            return Err(stop);
        }
        self.counts.expanded += 1;
        if O::ACTIVE {
            let node = view(&node, parent, self.path.len(), self.heuristic, &self.state);
            self.observer.expand(&node);
        }
        if self.detects_cycles {
            self.keys.push(self.space.key(&self.state));
        }
        node.first = self.actions.len();
        node.next = node.first;
        self.space.actions(&self.state, &mut self.actions);
        if S::MAY_CANCEL && self.meter.is_cancelled() {
            return Err(Stop::Cancelled);
        }
        if self.policy.undo == Undo::Skip
            && let Some(back) = node.action.and_then(|action| self.space.inverse(action))
            && let Some(at) = self.actions[node.first..].iter().position(|&action| action == back)
        {
            self.actions.remove(node.first + at);
        }
        self.path.push(node);
        let depth = self.path.len() as u64 - 1;
        self.counts.depth_peak = self.counts.depth_peak.max(depth);
        if self.path.len() as u64 > self.counts.frontier_peak {
            self.counts.frontier_peak = self.path.len() as u64;
            self.counts.stored_peak = self.counts.frontier_peak;
            let frames = self.path.len() * size_of::<Frame<S::Action, H::Memo>>();
            let bytes = frames + self.actions.capacity() * size_of::<S::Action>();
            self.counts.memory_peak = self.counts.memory_peak.max(bytes as u64);
            if self.meter.exceeds_memory(|| bytes) {
                return Err(Stop::Memory);
            }
        }
        Ok(false)
    }

    /// Adds a goal to the path.
    fn finish(&mut self, goal: Frame<S::Action, H::Memo>, parent: u64) {
        if O::ACTIVE {
            let node = view(&goal, parent, self.path.len(), self.heuristic, &self.state);
            self.observer.goal(&node);
        }
        self.path.push(goal);
    }

    /// Returns to the parent.
    fn backtrack(&mut self) {
        if let Some(frame) = self.path.pop() {
            self.actions.truncate(frame.first);
            self.keys.pop();
            if let Some(action) = frame.action {
                self.space.undo(&mut self.state, action);
            }
        }
    }

    fn solution(&self) -> Solution<S::Action> {
        let actions: Vec<S::Action> = self.path.iter().filter_map(|frame| frame.action).collect();
        let mut state = self.start.clone();
        let cost = actions.iter().map(|&action| self.space.apply(&mut state, action)).sum();
        debug_assert!(self.space.is_goal(&state), "the path does not lead to a goal");
        Solution { actions, cost }
    }
}

/// Returns the newest node as observers see it.
fn view<'a, S: StateSpace, H: Incremental<S>>(
    frame: &Frame<S::Action, H::Memo>,
    parent: u64,
    depth: usize,
    heuristic: &H,
    state: &'a S::State,
) -> Node<'a, S> {
    let &Frame { action, g, memo, id, .. } = frame;
    let h = heuristic.value(memo);
    Node {
        id,
        parent: action.map(|_| parent),
        action,
        state,
        g,
        h,
        depth: depth as u64,
        value: None,
    }
}
