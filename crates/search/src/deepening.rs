//! Iterative deepening: depth-first searches with a growing threshold, which store no states.
//!
//! With an estimate this is IDA*; with a threshold on the depth it is plain iterative deepening. A
//! node takes one `apply` and one `undo` on a single state. Only the current path is stored.

use crate::depth_first::{Frame, Path};
use crate::heuristic::Incremental;
use crate::observer::{Observer, Verdict};
use crate::outcome::{Counts, Outcome, Search, Solution, Stop};
use crate::policy::{Cutoff, Undo};
use crate::space::{Cost, StateSpace};
use crate::stepwise::{Engine, Problem, Stepwise};

/// The settings of iterative deepening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deepening {
    /// Whether the threshold applies to the depth instead of to f.
    pub by_depth: bool,
    /// Whether the move back to the parent is generated.
    pub undo: Undo,
    /// Whether nodes at the limit of the depth are expanded.
    pub cutoff: Cutoff,
}

impl<'a, S: StateSpace, H: Incremental<S>, O: Observer<S>> Problem<'a, S, H, O> {
    /// Searches with one threshold after the other.
    ///
    /// ```
    /// # use taquin_search::{Cost, Cutoff, Deepening, Problem, Recomputed, StateSpace, Undo};
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
    /// let ida = Deepening { by_depth: false, undo: Undo::Skip, cutoff: Cutoff::After };
    /// let estimate = |&n: &u32| u32::from(n != 10);
    /// let (numbers, heuristic) = (Numbers { goal: 10 }, Recomputed(&estimate));
    /// let search = Problem::new(&numbers, &1).heuristic(&heuristic).deepening(&ida).run();
    /// assert_eq!(search.solution().unwrap().actions, ['*', '+', '*']);
    /// assert!(search.is_optimal());
    /// ```
    pub fn deepening(self, policy: &'a Deepening) -> Stepwise<IterativeDeepening<'a, S, H, O>> {
        let threshold = if policy.by_depth { 0 } else { self.heuristic.estimate(self.start) };
        // If actions may cost nothing, the threshold does not prevent endless paths.
        let detects_cycles = !policy.by_depth && *self.space.costs().start() == 0;
        Stepwise::new(IterativeDeepening {
            policy,
            path: Path::new(self, policy.undo, detects_cycles),
            cuts_before: policy.by_depth && policy.cutoff == Cutoff::Before,
            threshold,
            least_above: None,
            overflowed: false,
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

/// A search with growing thresholds under way, made by [`Problem::deepening`].
pub struct IterativeDeepening<'a, S: StateSpace, H: Incremental<S>, O> {
    policy: &'a Deepening,
    path: Path<'a, S, H, O>,
    /// Whether nodes at the threshold are not expanded.
    cuts_before: bool,
    threshold: Cost,
    /// The least f above the threshold so far.
    least_above: Option<Cost>,
    /// Whether the cost of a path was too large for a number.
    overflowed: bool,
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
            if self.path.frames.is_empty() {
                self.before_last_bound = self.path.counts;
                if O::ACTIVE {
                    self.path.observer.bound(self.threshold.into());
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
            true => self.threshold.saturating_mul(*self.path.space.costs().start()),
            false => self.threshold,
        };
        let before_last_bound = Some(self.before_last_bound);
        Some(Search { outcome, lower_bound, counts: self.path.counts, before_last_bound })
    }

    fn counts(&self) -> Counts {
        self.path.counts
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
        let Self { policy, threshold, .. } = *self;
        let (space, heuristic) = (self.path.space, self.path.heuristic);
        if self.path.frames.is_empty() {
            (self.least_above, self.overflowed) = (None, false);
            match self.enter(threshold) {
                None if ONE => return None,
                None => {}
                end => return end,
            }
        }
        let (mut least_above, mut overflowed) = (self.least_above, self.overflowed);
        let path = &mut self.path;
        while let Some(top) = path.frames.last_mut() {
            // 1. Take the next action, or return to the parent.
            let Some(&action) = path.actions.get(top.next) else {
                path.backtrack();
                continue;
            };
            top.next += 1;

            // 2. Compute the successor and its f.
            let (g, memo) = (top.g, top.memo);
            let cost = space.apply(&mut path.state, action);
            path.counts.generated += 1;
            let memo = heuristic.step(memo, &path.state, action);
            let depth = path.frames.len();
            let (measure, g) = match (policy.by_depth, g.checked_add(cost)) {
                (true, g) => (Some(depth as Cost), g.unwrap_or(Cost::MAX)),
                (false, Some(g)) => (g.checked_add(heuristic.value(memo)), g),
                (false, None) => (None, Cost::MAX),
            };
            let child = Frame::new(Some(action), g, memo, path.counts.generated);

            // 3. Prune it if it is above the threshold or already on the path.
            let above = measure.is_none_or(|measure| measure > threshold);
            if above || path.is_cycle() {
                match measure {
                    None => overflowed = true,
                    Some(f) if above => {
                        least_above = Some(least_above.map_or(f, |least: Cost| least.min(f)));
                    }
                    Some(_) => {}
                }
                path.generate(&child, Verdict::Pruned);
                space.undo(&mut path.state, action);
                continue;
            }
            path.generate(&child, Verdict::Kept);

            // 4. Test for a goal, or go one level deeper.
            if space.is_goal(&path.state) {
                path.goal(&child);
                path.frames.push(child);
                return Some(End::Goal);
            }
            if self.cuts_before && depth as Cost == threshold {
                least_above = Some(threshold + 1);
                space.undo(&mut path.state, action);
                continue;
            }
            if let Err(stop) = path.expand(child, threshold) {
                return Some(End::Stopped(stop));
            }
            if ONE {
                (self.least_above, self.overflowed) = (least_above, overflowed);
                return None;
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
        let root = self.path.root();
        if self.path.space.is_goal(&self.path.state) {
            self.path.goal(&root);
            return Some(End::Goal);
        }
        if self.cuts_before && threshold == 0 {
            return Some(End::Next(1));
        }
        self.path.expand(root, threshold).err().map(End::Stopped)
    }

    fn solution(&self) -> Solution<S::Action> {
        let Path { space, start, frames, .. } = &self.path;
        let actions: Vec<S::Action> = frames.iter().filter_map(|frame| frame.action).collect();
        let mut state = S::State::clone(start);
        let cost = actions.iter().map(|&action| space.apply(&mut state, action)).sum();
        debug_assert!(space.is_goal(&state), "the path does not lead to a goal");
        Solution { actions, cost }
    }
}
