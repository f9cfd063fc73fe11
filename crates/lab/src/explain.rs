//! Why a search expanded the node that it did.
//!
//! The open list is reconstructed from the events of the search. At the step in question it holds every
//! node that the search could have taken instead, in the order of the policy.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Algorithm, Cost, Duplicates, Event, GoalTest, Method, Monitor, Move, Order, Policy, Report,
    Seen, Session, Task, Tie, Tile, Undo, Verdict, Watch,
};

/// One step of a search: the node that was taken, the nodes that were not, and the successors.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The method, in full.
    pub method: Method,
    /// The step, from 1.
    pub step: u64,
    /// The node that was taken.
    pub node: Ranked,
    /// The moves to it, named after where the blank goes; with several blanks each with its tile.
    pub path: String,
    /// Whether it is a goal, so that the search ended here.
    pub is_goal: bool,
    /// The threshold, where the search goes depth-first under one.
    pub threshold: Option<u64>,
    /// The size of the open list, the node included; 0 if there is no open list.
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
}

/// A node with its rank.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ranked {
    /// The node.
    #[serde(flatten)]
    pub node: Seen,
    /// The rank: the lowest is taken first. A weighted f is multiplied by the denominator of the
    /// weight.
    pub rank: u64,
    /// The step at which it was put on the frontier; the start was there before the first.
    pub since: u64,
}

/// A node that was left on the open list.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rival {
    /// The node.
    #[serde(flatten)]
    pub node: Ranked,
    /// Why it is behind the node that was taken.
    pub behind: Behind,
}

/// Why a node is behind another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behind {
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
    pub node: Seen,
    /// Its rank.
    pub rank: u64,
    /// Its fate.
    pub verdict: Verdict,
    /// Whether it is a goal, so that the search ended here.
    pub is_goal: bool,
    /// The earlier node with the same board.
    pub known: Option<Known>,
}

/// A node that the search had generated before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Known {
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
    #[error("{0} does not take one node after the other from one frontier")]
    Method(Algorithm),
    #[error("there is no step {step}: the search ended after {}", report.counts.expanded)]
    Ended { step: u64, report: Box<Report> },
}

/// A depth-first search may spend very long below one successor: after this many events the remaining
/// successors are left out.
const PATIENCE: u64 = 2_000_000;

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
    if !algorithm.row().has_steps {
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
    /// The moves to the node expanded last, if the search stores only a path.
    path: Vec<(Move, Tile)>,
    nodes: HashMap<u64, Met>,
    pushed: u64,
    explanation: Option<Explanation>,
    done: bool,
}

/// A generated node.
struct Met {
    node: Seen,
    known: Known,
    is_closed: bool,
    /// Its entries on the open list. A cheaper path is a second entry, as in the engine, and whichever
    /// comes first is taken.
    entries: Vec<Entry>,
}

/// An entry of the open list; the least is taken first.
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
                let taken_out = self.method.policy.goal == GoalTest::Expansion;
                if self.expanded + 1 == self.step && (taken_out || node.parent.is_none()) {
                    self.take(node, true);
                }
                self.done = true;
            }
        }
    }

    /// Adds the start, which is never generated, or extends the path.
    fn arrive(&mut self, node: &Seen) {
        if self.deepens {
            self.path.truncate((node.depth as usize).saturating_sub(1));
            self.path.extend(node.step.zip(node.tile));
        } else if node.parent.is_none() && !self.nodes.contains_key(&node.id) {
            self.enter(node.clone());
        }
    }

    fn meet(&mut self, node: Seen, verdict: Verdict) {
        if !self.deepens && matches!(verdict, Verdict::Kept | Verdict::Cheaper | Verdict::Reopened)
        {
            self.enter(node);
        }
    }

    /// Puts a node on the open list, possibly again.
    fn enter(&mut self, node: Seen) {
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
                Order::Fifo | Order::Heap | Order::Random => self.pushed,
            },
        };
        let known = Known { g: node.g, since: self.expanded, expanded: None };
        let entries = self.nodes.remove(&node.id).map_or_else(Vec::new, |met| met.entries);
        let mut met = Met { known, is_closed: false, entries, node };
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
    fn take(&mut self, node: Seen, is_goal: bool) {
        let (policy, id) = (&self.method.policy, node.id);
        let own = self.nodes.get(&node.id).and_then(|met| met.best(policy));
        let rank = rank(policy, &node);
        let mut others: Vec<(Entry, &Met)> = self
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
            entry if entry.rank != rank => Behind::Rank,
            entry if entry.tie != tie => Behind::Tie,
            _ => Behind::Order,
        };
        let rivals = others.iter().take(self.rivals).map(|(entry, met)| Rival {
            node: Ranked { node: met.node.clone(), rank: entry.rank, since: met.known.since },
            behind: behind(entry),
        });
        let same = |kinds: &[Behind]| {
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
            same_rank: same(&[Behind::Tie, Behind::Order]),
            same_tie: same(&[Behind::Order]),
            rivals: rivals.collect(),
            successors: Vec::new(),
            complete: true,
            skips_undo: policy.undo == Undo::Skip && node.step.is_some() && !is_goal,
            node: Ranked { node, rank, since },
        });
        self.done = is_goal;
        // A successor may lead back to it.
        self.close(id);
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
                let rank = rank(&self.method.policy, &node);
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
                if self.events > PATIENCE {
                    taken.complete = false;
                    self.done = true;
                }
            }
            _ => self.done = true,
        }
    }

    fn moves_to(&self, node: &Seen) -> String {
        let parent = |node: &&Seen| self.nodes.get(&node.parent?).map(|met| &met.node);
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

impl Met {
    /// The entry at which an open node will be taken.
    fn best(&self, policy: &Policy) -> Option<Entry> {
        let rank = rank(policy, &self.node);
        let counts =
            |entry: &&Entry| policy.duplicates != Duplicates::Cheaper || entry.rank == rank;
        self.entries.iter().filter(counts).min().copied().filter(|_| !self.is_closed)
    }
}

/// The rank of a node under a policy.
fn rank(policy: &Policy, node: &Seen) -> u64 {
    policy.rank_of(node.g, node.h, node.depth)
}
