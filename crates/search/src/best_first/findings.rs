//! What a search has found and proven, and what observers see of it.

use super::Engine;
use super::records::{NOBODY, Stored};
use crate::heuristic::Incremental;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::Solution;
use crate::policy::{GoalTest, Rank, Weight};
use crate::space::{Cost, StateSpace};

impl<S: StateSpace, H: Incremental<S>, O: Observer<S>> Engine<'_, S, H, O> {
    /// The way to a node and one action further, and what it really costs: where nodes were
    /// reached more cheaply after their successors were stored, that is less than the last g.
    pub(super) fn solution(
        &self,
        start: &S::State,
        id: u32,
        last: Option<S::Action>,
    ) -> Solution<S::Action> {
        let parent = |&id: &u32| Some(self.nodes[id as usize].parent()).filter(|&id| id != NOBODY);
        let path = std::iter::successors(Some(id), parent).filter_map(|id| self.action(id));
        let mut actions: Vec<S::Action> = last.into_iter().chain(path).collect();
        actions.reverse();
        let mut state = start.clone();
        let cost = actions.iter().map(|&action| self.space.apply(&mut state, action)).sum();
        debug_assert!(self.space.is_goal(&state), "the path does not lead to a goal");
        Solution { actions, cost }
    }

    /// What no solution can cost less than.
    ///
    /// As long as no cheaper path was dropped, an optimal path leads through some node that was not
    /// expanded or not stored, and was reached there at its true cost.
    pub(super) fn lower_bound(&self, cost: Option<Cost>) -> Cost {
        let root = self.root_h;
        let cost = cost.unwrap_or(Cost::MAX);
        if self.counts.dropped_cheaper > 0 {
            return root.min(cost);
        }
        let lost = self.lost.map_or(Cost::MAX, |(_, f)| f);
        let layer = self.layer.unwrap_or(0).min(Cost::MAX.into()) as Cost;
        let proven = match self.policy.rank {
            // The nodes came out in the order of what they prove.
            Rank::G => layer,
            Rank::F if self.policy.weight == Weight::ONE && self.policy.width.is_none() => layer,
            _ => self.waiting(),
        };
        // Where nothing waits and nothing was given up, there is no solution to bound.
        let least = Some(proven.min(lost)).filter(|&least| least < Cost::MAX);
        least.unwrap_or(root).max(root).min(cost)
    }

    /// The least that a path through a node that waits can cost.
    pub(super) fn waiting(&self) -> Cost {
        // A node that was tested when it was generated is at least one action away.
        let least = match self.policy.goal {
            GoalTest::Generation => *self.space.costs().start(),
            GoalTest::Expansion => 0,
        };
        let open = self.nodes.iter().filter(|node| !node.is_closed());
        let f = |node: &Stored<S>| {
            let h = self.heuristic.estimate(&self.space.state(&node.key));
            node.g.saturating_add(h.max(least))
        };
        open.map(f).min().unwrap_or(Cost::MAX)
    }

    pub(super) fn seen<'b>(&self, id: u32, state: &'b S::State) -> Node<'b, S> {
        let node = &self.nodes[id as usize];
        let parent = (node.parent() != NOBODY).then_some(node.parent().into());
        let (action, depth) = (self.action(id), self.depth(id));
        let h = self.heuristic.estimate(state);
        Node { id: id.into(), parent, action, state, g: node.g, h, depth }
    }

    #[inline]
    pub(super) fn see(
        &mut self,
        id: u64,
        node: &Stored<S>,
        (action, h, depth): (S::Action, Cost, u64),
        verdict: Verdict,
    ) {
        if O::ACTIVE {
            let (parent, action, g) = (Some(node.parent().into()), Some(action), node.g);
            let state = &self.space.state(&node.key);
            self.observer.generate(&Node { id, parent, action, state, g, h, depth }, verdict);
        }
    }

    /// Tells of a goal: the node `id`, or the child of it that is not stored.
    pub(super) fn see_goal(
        &mut self,
        id: u32,
        child: Option<(S::Action, Cost, Cost)>,
        state: &S::State,
    ) {
        if O::ACTIVE {
            let mut node = self.seen(id, state);
            if let Some((action, g, h)) = child {
                let depth = node.depth + 1;
                let (parent, id) = (Some(id.into()), self.nodes.len() as u64);
                node = Node { id, parent, action: Some(action), state, g, h, depth };
                self.observer.generate(&node, Verdict::Kept);
            }
            self.observer.goal(&node);
        }
    }
}
