//! Why a search expanded the node that it did.
//!
//! The open list is reconstructed from the search's events. At the given step it holds every node
//! that the search could have expanded instead, in the policy's order.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Algorithm, Cost, Duplicates, Event, GoalTest, Method, Monitor, Move, Order, Policy, Report,
    Session, Sides, Task, Tie, Tile, TraceNode, Undo, Verdict, Watch,
};

/// One step of a search: the node that was taken, the nodes that were not, and the successors.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The method, in full.
    pub method: Method,
    /// The step, from 1.
    pub step: u64,
    /// The node that was taken.
    pub node: RankedNode,
    /// The moves to it, named after the blank's direction; with several blanks each with its tile.
    pub path: String,
    /// Whether it is a goal, so that the search ended here.
    pub is_goal: bool,
    /// The threshold, if the search is depth-first below one.
    pub threshold: Option<u64>,
    /// The size of the open list, including the node; 0 if there is no open list.
    pub waiting: usize,
    /// How many others had its rank.
    pub same_rank: usize,
    /// How many of these had its tie value.
    pub same_tie: usize,
    /// The nodes that would have been next, the best first.
    pub rivals: Vec<Rival>,
    /// Its successors in their order, each with its fate.
    pub successors: Vec<Successor>,
    /// Whether all successors are listed.
    pub complete: bool,
    /// Whether the move back to its parent was left out.
    pub skips_undo: bool,
    /// The state of both searches, if there is one from each end. `waiting`, `same_rank`,
    /// `same_tie` and `rivals` are about the search that the node belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<BothEnds>,
}

/// The state of a search from the start and one from the goal before a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BothEnds {
    /// No solution costs less.
    pub bound: u64,
    /// The search that the node belongs to.
    pub side: SearchEnd,
    /// Why it was the turn of this search.
    pub reason: SideReason,
    /// The number of open nodes from the start and from the goal.
    pub open: [usize; 2],
    /// The least rank of an open node from the start and from the goal. None before the first
    /// expansion.
    pub least: [Option<u64>; 2],
}

/// One end of a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum SearchEnd {
    Start,
    Goal,
}

/// Why a node from this search was expanded and not one from the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SideReason {
    /// Both take turns.
    Turn,
    /// It has fewer open nodes, or as many.
    FewerOpen,
    /// Both nodes of a pair with the least bound are expanded, first that from the start.
    Pair,
    /// It has the node of the lowest priority.
    Priority,
    /// Its nodes belong to a least vertex cover of the pairs with the present bound.
    Cover,
}

impl SideReason {
    fn of(method: &Method) -> Self {
        match (method.algorithm, method.side) {
            (Algorithm::Bae, Sides::Pohl) => Self::FewerOpen,
            (Algorithm::Nbs, _) => Self::Pair,
            (Algorithm::Mm, _) => Self::Priority,
            (Algorithm::Dvcbs, _) => Self::Cover,
            _ => Self::Turn,
        }
    }
}

/// A node with its rank.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RankedNode {
    /// The node.
    #[serde(flatten)]
    pub node: TraceNode,
    /// The rank: the lowest is expanded first. A weighted f is multiplied by the rank of a node
    /// with g = 1 and h = 0, such as the weight's denominator.
    pub rank: u64,
    /// The step at which it was put on the frontier; the start was there before the first.
    pub since: u64,
}

/// A node that was left on the open list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rival {
    /// The node.
    #[serde(flatten)]
    pub node: RankedNode,
    /// Why it is behind the node that was taken.
    pub behind: OrderReason,
}

/// Why a node is behind another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderReason {
    /// Its rank is higher.
    Rank,
    /// Its rank is the same, and its tie value worse.
    Tie,
    /// Both are the same, and the order decides.
    Order,
}

/// A successor and its fate.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Successor {
    /// The successor.
    #[serde(flatten)]
    pub node: TraceNode,
    /// Its rank.
    pub rank: u64,
    /// Its fate.
    pub verdict: Verdict,
    /// Whether it is a goal, so that the search ended here.
    pub is_goal: bool,
    /// The earlier node with the same board.
    pub known: Option<EarlierNode>,
}

/// A node that the search had generated before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct EarlierNode {
    /// The cost of the path to it.
    pub g: Cost,
    /// The step at which it was generated; 0 for the start.
    pub since: u64,
    /// The step at which it was expanded.
    pub expanded: Option<u64>,
}

/// Why there is no explanation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum ExplainError {
    /// The method runs several searches, or none.
    #[error("the steps of {0} can't be explained")]
    Method(Algorithm),
    #[error("there is no step {step}: the search ended after {}", report.counts.expanded)]
    Ended { step: u64, report: Box<Report> },
}

/// A depth-first search may spend very long below one successor: after this many events the
/// remaining successors are left out.
const MAX_EVENTS: u64 = 2_000_000;

/// Explains a step of a search, with up to `rivals` nodes that were not taken.
///
/// # Errors
/// Fails if the method has no steps of this kind, or the search ends before it.
pub fn explain(
    session: &Session,
    task: &Task,
    step: u64,
    rivals: usize,
    monitor: &Arc<Monitor>,
) -> Result<Explanation, ExplainError> {
    let algorithm = task.method.algorithm;
    if !algorithm.row().has_steps && !algorithm.has_both_ends() {
        return Err(ExplainError::Method(algorithm));
    }
    let deepens = algorithm.row().stores_only_a_path;
    let method = task.method.clone();
    let mut follower = Follower { method, step, rivals, deepens, ..Follower::default() };
    let mut task = task.clone();
    if !follower.deepens {
        task.limits.expanded = Some(step);
    }
    let report = session.run(
        &task,
        Watch::by(monitor).with_events(&mut |event| {
            follower.follow(event);
            if follower.done {
                monitor.cancel();
            }
        }),
    );
    match follower.explanation {
        Some(explanation) => Ok(explanation),
        None => Err(ExplainError::Ended { step, report: Box::new(report) }),
    }
}

/// Follows a search up to a step.
#[derive(Default)]
struct Follower {
    method: Method,
    step: u64,
    rivals: usize,
    deepens: bool,
    /// How many nodes were expanded.
    expanded: u64,
    events: u64,
    threshold: Option<u64>,
    /// The proven bound, if the search has two ends.
    bound: u64,
    /// The moves to the node expanded last, if the search stores only a path.
    path: Vec<(Move, Tile)>,
    nodes: HashMap<u64, GeneratedNode>,
    pushed: u64,
    explanation: Option<Explanation>,
    done: bool,
}

/// A generated node.
struct GeneratedNode {
    node: TraceNode,
    known: EarlierNode,
    is_closed: bool,
    /// Its entries on the open list. A cheaper path is a second entry, as in the engine, and
    /// whichever comes first is taken.
    entries: Vec<Entry>,
}

/// An entry in the open list. The least is expanded first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    rank: u64,
    tie: Cost,
    place: u64,
}

impl Follower {
    fn follow(&mut self, event: Event) {
        match (event, self.explanation.is_some()) {
            _ if self.done => {}
            (event, true) => self.after(event),
            (Event::Bound { bound }, false) => {
                self.threshold = self.deepens.then_some(bound);
                self.bound = bound;
            }
            (Event::Expand(node), false) => {
                self.arrive(&node);
                self.expanded += 1;
                match self.expanded == self.step {
                    true => self.take(node, false),
                    false => self.close(node.id),
                }
            }
            (Event::Generate { node, verdict }, false) => self.meet(node, verdict),
            (Event::Discard(node), false) => self.discard(node.id),
            (Event::Goal(node), false) => {
                self.arrive(&node);
                // Where two searches meet, no node is taken out.
                let meets = self.method.algorithm.has_both_ends();
                let taken_out = self.method.policy.goal == GoalTest::Expansion;
                let is_step = self.expanded + 1 == self.step && !meets;
                if is_step && (taken_out || node.parent.is_none()) {
                    self.take(node, true);
                }
                self.done = true;
            }
        }
    }

    /// Adds the start, which is never generated, or extends the path.
    fn arrive(&mut self, node: &TraceNode) {
        if self.deepens {
            self.path.truncate((node.depth as usize).saturating_sub(1));
            self.path.extend(node.step.zip(node.tile));
        } else if node.parent.is_none() && !self.nodes.contains_key(&node.id) {
            self.enter(node.clone());
        }
    }

    fn meet(&mut self, node: TraceNode, verdict: Verdict) {
        if !self.deepens && matches!(verdict, Verdict::Kept | Verdict::Cheaper | Verdict::Reopened)
        {
            self.enter(node);
        }
    }

    /// Puts a node on the open list, possibly again.
    fn enter(&mut self, node: TraceNode) {
        self.pushed += 1;
        let policy = &self.method.policy;
        let entry = Entry {
            rank: rank(policy, &node),
            tie: match policy.tie {
                Tie::None => 0,
                Tie::LowG => node.g,
                Tie::HighG => Cost::MAX - node.g,
            },
            place: match policy.order {
                Order::Lifo => u64::MAX - self.pushed,
                Order::Fifo | Order::Heap | Order::Indexed | Order::Random | Order::State => {
                    self.pushed
                }
            },
        };
        let known = EarlierNode { g: node.g, since: self.expanded, expanded: None };
        let entries = self.nodes.remove(&node.id).map_or_else(Vec::new, |met| met.entries);
        let mut met = GeneratedNode { known, is_closed: false, entries, node };
        met.entries.push(entry);
        self.nodes.insert(met.node.id, met);
    }

    /// Removes a node from the open list.
    fn close(&mut self, id: u64) {
        let (policy, expanded) = (&self.method.policy, self.expanded);
        if let Some(met) = self.nodes.get_mut(&id) {
            if let Some(best) = met.best(policy) {
                met.entries.retain(|&entry| entry != best);
            }
            met.is_closed = true;
            met.known.expanded = Some(expanded);
        }
    }

    /// Removes a node from the open list that is not expanded.
    fn discard(&mut self, id: u64) {
        if let Some(met) = self.nodes.get_mut(&id) {
            met.entries.clear();
        }
    }

    /// Explains the node of the step.
    fn take(&mut self, node: TraceNode, is_goal: bool) {
        if self.method.algorithm.has_both_ends() {
            return self.take_from_end(node);
        }
        let (policy, id) = (&self.method.policy, node.id);
        let own = self.nodes.get(&node.id).and_then(|met| met.best(policy));
        let rank = rank(policy, &node);
        let mut others: Vec<(Entry, &GeneratedNode)> = self
            .nodes
            .values()
            .filter(|met| met.node.id != node.id)
            .filter_map(|met| Some((met.best(policy)?, met)))
            .collect();
        others.sort_unstable_by_key(|(entry, _)| *entry);
        if policy.width.is_some() {
            // A beam takes the nodes of the next layer later.
            others.retain(|(_, met)| met.node.depth == node.depth);
        }
        let tie = own.map_or(0, |own| own.tie);
        let decided = matches!(policy.order, Order::Fifo | Order::Lifo) && policy.width.is_none();
        debug_assert!(
            !decided || others.first().is_none_or(|(next, _)| own.is_none_or(|own| own < *next)),
            "the reconstructed open list differs from the engine's"
        );
        let behind = |entry: &Entry| match entry {
            entry if entry.rank != rank => OrderReason::Rank,
            entry if entry.tie != tie => OrderReason::Tie,
            _ => OrderReason::Order,
        };
        let rivals = others.iter().take(self.rivals).map(|(entry, met)| Rival {
            node: RankedNode { node: met.node.clone(), rank: entry.rank, since: met.known.since },
            behind: behind(entry),
        });
        let same = |kinds: &[OrderReason]| {
            others.iter().filter(|(entry, _)| kinds.contains(&behind(entry))).count()
        };
        let since = self.nodes.get(&node.id).map_or(0, |met| met.known.since);
        self.explanation = Some(Explanation {
            method: self.method.clone(),
            step: self.step,
            path: self.moves_to(&node),
            is_goal,
            threshold: self.threshold,
            waiting: if self.deepens { 0 } else { others.len() + 1 },
            same_rank: same(&[OrderReason::Tie, OrderReason::Order]),
            same_tie: same(&[OrderReason::Order]),
            rivals: rivals.collect(),
            successors: Vec::new(),
            complete: true,
            skips_undo: policy.undo == Undo::Skip && node.step.is_some() && !is_goal,
            ends: None,
            node: RankedNode { node, rank, since },
        });
        self.done = is_goal;
        // A successor may lead back to it.
        self.close(id);
    }

    /// Explains the step's node in a search from both ends, by its own search's open nodes.
    fn take_from_end(&mut self, node: TraceNode) {
        let id = node.id;
        let open = |end: u64| {
            let waiting = |met: &&GeneratedNode| met.node.id % 2 == end && !met.is_closed;
            let mut open: Vec<(Entry, &GeneratedNode)> = self
                .nodes
                .values()
                .filter(waiting)
                .filter_map(|met| Some((self.end_entry(met)?, met)))
                .collect();
            open.sort_unstable_by_key(|(entry, _)| *entry);
            open
        };
        let both = [open(0), open(1)];
        let (mut own, mut others) = (None, Vec::new());
        for &(entry, met) in &both[(id % 2) as usize] {
            match met.node.id == id {
                true => own = Some(entry),
                false => others.push((entry, met)),
            }
        }
        let (rank, tie) = own.map_or((0, 0), |own| (own.rank, own.tie));
        let behind = |entry: &Entry| match entry {
            entry if entry.rank != rank => OrderReason::Rank,
            entry if entry.tie != tie => OrderReason::Tie,
            _ => OrderReason::Order,
        };
        let same = |kinds: &[OrderReason]| {
            others.iter().filter(|(entry, _)| kinds.contains(&behind(entry))).count()
        };
        let rivals = others.iter().take(self.rivals).map(|(entry, met)| Rival {
            node: RankedNode { node: met.node.clone(), rank: entry.rank, since: met.known.since },
            behind: behind(entry),
        });
        let since = self.nodes.get(&id).map_or(0, |met| met.known.since);
        let ends = BothEnds {
            bound: self.bound,
            side: if id.is_multiple_of(2) { SearchEnd::Start } else { SearchEnd::Goal },
            reason: SideReason::of(&self.method),
            open: [0, 1].map(|end| {
                // No event reports a root before its expansion.
                both[end].len() + usize::from(!self.nodes.contains_key(&(end as u64)))
            }),
            least: both.each_ref().map(|open| open.first().map(|(entry, _)| entry.rank)),
        };
        self.explanation = Some(Explanation {
            method: self.method.clone(),
            step: self.step,
            path: self.moves_to(&node),
            is_goal: false,
            threshold: None,
            waiting: others.len() + 1,
            same_rank: same(&[OrderReason::Tie, OrderReason::Order]),
            same_tie: same(&[OrderReason::Order]),
            rivals: rivals.collect(),
            successors: Vec::new(),
            complete: true,
            skips_undo: node.step.is_some(),
            ends: Some(ends),
            node: RankedNode { node, rank, since },
        });
        self.close(id);
    }

    /// An open node's place in its search, from one of both ends.
    fn end_entry(&self, met: &GeneratedNode) -> Option<Entry> {
        let place = met.entries.iter().map(|entry| entry.place).min()?;
        let (value, g) = (met.node.value.map_or(0, u64::from), met.node.g);
        let (rank, tie) = match self.method.algorithm {
            Algorithm::Bae => (value, Cost::MAX - g),
            Algorithm::Mm => (value, g),
            // All nodes whose f does not exceed the bound are equal except for their g.
            _ => (value.max(self.bound), g),
        };
        Some(Entry { rank, tie, place })
    }

    /// Collects the successors after the step.
    fn after(&mut self, event: Event) {
        let Some(taken) = &mut self.explanation else { return };
        let (id, depth) = (taken.node.node.id, taken.node.node.depth);
        self.events += 1;
        match event {
            Event::Generate { node, verdict } if node.parent == Some(id) => {
                let known = match verdict {
                    Verdict::Kept | Verdict::Pruned => None,
                    Verdict::Duplicate | Verdict::Cheaper | Verdict::Reopened => {
                        self.nodes.get(&node.id).map(|met| met.known)
                    }
                };
                let rank = match (&taken.ends, node.value) {
                    (Some(_), Some(value)) => value.into(),
                    _ => rank(&self.method.policy, &node),
                };
                let successor = Successor { node, rank, verdict, is_goal: false, known };
                taken.successors.push(successor);
            }
            Event::Goal(node) => {
                // Tested when it is taken out, it belongs to the next step.
                let tested = self.method.policy.goal == GoalTest::Generation;
                if let Some(last) = taken.successors.last_mut().filter(|_| tested) {
                    last.is_goal = last.node.board == node.board;
                }
                self.done = true;
            }
            // Below a successor, a depth-first search comes back.
            Event::Expand(node) | Event::Generate { node, .. }
                if self.deepens && node.depth > depth =>
            {
                if self.events > MAX_EVENTS {
                    taken.complete = false;
                    self.done = true;
                }
            }
            _ => self.done = true,
        }
    }

    fn moves_to(&self, node: &TraceNode) -> String {
        let parent = |node: &&TraceNode| self.nodes.get(&node.parent?).map(|met| &met.node);
        let way = std::iter::successors(Some(node).filter(|_| !self.deepens), parent);
        let mut moves: Vec<(Move, Tile)> =
            way.filter_map(|node| node.step.zip(node.tile)).collect();
        moves.reverse();
        // Of a depth-first search only the path is known.
        moves.extend(&self.path);
        let letter =
            |(step, tile): &(Move, Tile)| match node.board.iter().filter(|t| **t == 0).count() {
                1 => step.to_string(),
                _ => format!("{step}{tile} "),
            };
        moves.iter().map(letter).collect::<Vec<_>>().concat().trim_end().to_owned()
    }
}

impl GeneratedNode {
    /// The entry at which an open node will be taken.
    fn best(&self, policy: &Policy) -> Option<Entry> {
        let rank = rank(policy, &self.node);
        let counts =
            |entry: &&Entry| policy.duplicates != Duplicates::Cheaper || entry.rank == rank;
        self.entries.iter().filter(counts).min().copied().filter(|_| !self.is_closed)
    }
}

/// The rank of a node under a policy.
fn rank(policy: &Policy, node: &TraceNode) -> u64 {
    match node.value {
        Some(value) if policy.phi.is_piecewise() => value.into(),
        _ => policy.rank_of(node.g, node.h, node.depth),
    }
}
