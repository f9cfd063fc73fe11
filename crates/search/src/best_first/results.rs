//! The results of a search: the solution, the lower bound, and the reports to observers.

use super::BestFirst;
use super::node::{NO_PARENT, Stored};
use crate::graph::Graph;
use crate::heuristic::Incremental;
use crate::observer::{Node, Observer, Verdict};
use crate::outcome::Solution;
use crate::policy::{GoalTest, Rank};
use crate::space::Cost;

impl<S: Graph, H: Incremental<S>, O: Observer<S>> BestFirst<'_, S, H, O> {
    /// Returns the path to a node, followed by `last`, and its cost. The cost is less than the last
    /// g if a node was reached by a cheaper path after its successors were stored.
    pub(super) fn solution(
        &self,
        id: u32,
        last: Option<&(S::Action, S::Key)>,
    ) -> Solution<S::Step> {
        let parent =
            |&id: &u32| Some(self.nodes[id as usize].parent()).filter(|&id| id != NO_PARENT);
        let nodes = std::iter::successors(Some(id), parent)
            .filter_map(|id| Some((self.action(id)?, &self.nodes[id as usize].key)));
        let last = last.map(|(action, key)| (*action, key));
        let mut path: Vec<_> = last.into_iter().chain(nodes).collect();
        path.reverse();
        self.space.solution(self.start, &path)
    }

    /// Returns a proven lower bound on the cost of any solution.
    ///
    /// Unless a cheaper path was dropped, every optimal path leads through a node that is open or
    /// was pruned, and that was reached at its true cost.
    pub(super) fn lower_bound(&self, cost: Option<Cost>) -> Cost {
        let root = self.root_h;
        let cost = cost.unwrap_or(Cost::MAX);
        if self.counts.dropped_cheaper > 0 {
            return root.min(cost);
        }
        let pruned = self.pruned.map_or(Cost::MAX, |(_, f)| f);
        let layer = self.layer.unwrap_or(0).min(Cost::MAX.into()) as Cost;
        let proven = match self.policy.rank {
            // The nodes were expanded in the order of their f.
            Rank::G => layer,
            Rank::F if self.unweighted && self.policy.width.is_none() => layer,
            _ => self.least_open_f(),
        };
        // If no node is open and none was pruned, there is no solution to bound.
        let least = Some(proven.min(pruned)).filter(|&least| least < Cost::MAX);
        least.unwrap_or(root).max(root).min(cost)
    }

    /// Returns the least f of any open node.
    fn least_open_f(&self) -> Cost {
        // A node that was tested when it was generated is at least one action away from a goal.
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

    /// Returns a stored node as observers see it.
    pub(super) fn view<'b>(&self, id: u32, state: &'b S::State) -> Node<'b, S> {
        let node = &self.nodes[id as usize];
        let parent = (node.parent() != NO_PARENT).then_some(node.parent().into());
        let (action, depth) = (self.action(id), self.depth(id));
        let h = self.heuristic.estimate(state);
        let value = self.value(node.g, h);
        Node { id: id.into(), parent, action, state, g: node.g, h, depth, value }
    }

    /// Returns the rank of a node if its g and h alone do not tell it.
    fn value(&self, g: Cost, h: Cost) -> Option<Cost> {
        self.pieces.as_ref().map(|pieces| pieces.rank(g, h) as Cost)
    }

    /// Reports the nodes for which the open list had no space.
    pub(super) fn observe_cut(&mut self) {
        for id in self.open.take_cut() {
            let state = self.space.state(&self.nodes[id as usize].key);
            let node = self.view(id, &state);
            self.observer.discard(&node);
        }
    }

    /// Reports a generated node to the observer.
    #[inline]
    pub(super) fn observe(
        &mut self,
        id: u64,
        node: &Stored<S>,
        (action, h, depth): (S::Action, Cost, u64),
        verdict: Verdict,
    ) {
        if self.observer.is_listening() {
            let (parent, action, g) = (Some(node.parent().into()), Some(action), node.g);
            let (state, value) = (&self.space.state(&node.key), self.value(g, h));
            self.observer
                .generate(&Node { id, parent, action, state, g, h, depth, value }, verdict);
        }
    }

    /// Reports a goal to the observer: the node `id`, or one of its children that is not stored.
    pub(super) fn observe_goal(
        &mut self,
        id: u32,
        child: Option<(S::Action, Cost, Cost)>,
        state: &S::State,
    ) {
        if O::ACTIVE {
            let mut node = self.view(id, state);
            if let Some((action, g, h)) = child {
                let depth = node.depth + 1;
                let (parent, id) = (Some(id.into()), self.nodes.len() as u64);
                let value = self.value(g, h);
                node = Node { id, parent, action: Some(action), state, g, h, depth, value };
                self.observer.generate(&node, Verdict::Kept);
            }
            self.observer.goal(&node);
        }
    }
}
