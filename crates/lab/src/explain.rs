//! Why a search took the node that it took.
//!
//! A copy of the frontier is kept from what the search tells of itself. At the step in question it
//! holds everything that the search could have taken instead, in the order of the policy.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Algorithm, Cost, Duplicates, Event, Fate, GoalTest, Method, Monitor, Move, Order, Policy, Rank,
    Report, Seen, Session, Task, Tie, Tile, Undo, Watch,
};

/// One step of a search: what was taken, before what, and what became of its successors.
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
    /// The nodes that waited, itself included; 0 where there is no frontier.
    pub waiting: usize,
    /// How many others had its rank.
    pub same_rank: usize,
    /// How many of these had its tie value.
    pub same_tie: usize,
    /// Those that would have been next, the best first.
    pub rivals: Vec<Rival>,
    /// What became of its successors, in their order.
    pub successors: Vec<Successor>,
    /// Whether all successors are listed.
    pub complete: bool,
    /// Whether the move back to its parent was left out.
    pub skips_undo: bool,
}

/// A node and what the policy makes of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Ranked {
    /// The node.
    #[serde(flatten)]
    pub node: Seen,
    /// What it is ranked by: the lowest is taken first. A weighted f is multiplied by the
    /// denominator of the weight.
    pub rank: u64,
    /// The step at which it was put on the frontier; the start was there before the first.
    pub since: u64,
}

/// A node that was left in the frontier.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rival {
    /// The node.
    #[serde(flatten)]
    pub node: Ranked,
    /// What put it behind the one that was taken.
    pub behind: Behind,
}

/// What puts a node behind another.
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

/// A successor, and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Successor {
    /// The successor.
    #[serde(flatten)]
    pub node: Seen,
    /// Its rank.
    pub rank: u64,
    /// What became of it.
    pub verdict: Fate,
    /// Whether it is a goal, so that the search ended here.
    pub is_goal: bool,
    /// The node with the same board that was there before it.
    pub known: Option<Known>,
}

/// A node that a search has met.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Known {
    /// What the path to it costs.
    pub g: Cost,
    /// The step at which it was generated; 0 for the start.
    pub since: u64,
    /// The step at which it was expanded.
    pub expanded: Option<u64>,
}

/// Why there is no explanation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The method has no frontier of nodes, or is several searches.
    #[error("{0} does not take one node after the other from one frontier")]
    Method(Algorithm),
    /// The search ended before that step.
    #[error("there is no step {step}: the search ended after {}", report.counts.expanded)]
    Ended {
        /// The step asked for.
        step: u64,
        /// How it ended.
        report: Box<Report>,
    },
}

/// A depth-first search may spend ages below one successor: after so many events the rest is not
/// waited for.
const PATIENCE: u64 = 2_000_000;

/// Explains a step of a search, with up to so many rivals.
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
    if !algorithm.has_steps() {
        return Err(ExplainError::Method(algorithm));
    }
    let mut follower = Follower::new(&task.method, step, rivals);
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
struct Follower<'a> {
    method: &'a Method,
    step: u64,
    rivals: usize,
    deepens: bool,
    /// How many nodes were expanded.
    expanded: u64,
    events: u64,
    threshold: Option<u64>,
    /// The moves to the node expanded last, where nothing else is kept.
    path: Vec<(Move, Tile)>,
    nodes: HashMap<u64, Met>,
    pushed: u64,
    explanation: Option<Explanation>,
    done: bool,
}

/// A node that was met.
struct Met {
    node: Seen,
    known: Known,
    is_closed: bool,
    /// Where it stands in the frontier. A cheaper path is entered beside the dearer one, as in the
    /// engine, and whichever comes first is taken.
    entries: Vec<Entry>,
}

/// An entry of the frontier; the least is taken first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    rank: u64,
    tie: Cost,
    place: u64,
}

impl<'a> Follower<'a> {
    fn new(method: &'a Method, step: u64, rivals: usize) -> Self {
        Self {
            method,
            step,
            rivals,
            deepens: !method.algorithm.has_open_list(),
            expanded: 0,
            events: 0,
            threshold: None,
            path: Vec::new(),
            nodes: HashMap::new(),
            pushed: 0,
            explanation: None,
            done: false,
        }
    }

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
            (Event::Discard(node), false) => self.close(node.id),
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

    /// The start waits without having been generated; and a path is followed down.
    fn arrive(&mut self, node: &Seen) {
        if self.deepens {
            self.path.truncate((node.depth as usize).saturating_sub(1));
            self.path.extend(node.step.zip(node.tile));
        } else if node.parent.is_none() && !self.nodes.contains_key(&node.id) {
            self.enter(node.clone());
        }
    }

    fn meet(&mut self, node: Seen, verdict: Fate) {
        if !self.deepens && matches!(verdict, Fate::Kept | Fate::Cheaper | Fate::Reopened) {
            self.enter(node);
        }
    }

    /// Puts a node on the frontier, or puts it there again.
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

    /// A node was taken out.
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

    /// The step has come.
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
        if let Some(width) = policy.width {
            // Of the layer that is being taken out only the best were kept.
            let gone = |met: &&Met| met.node.depth == node.depth && met.is_closed;
            let gone = self.nodes.values().filter(gone).count();
            others.retain(|(_, met)| met.node.depth == node.depth);
            others.truncate(width.get().saturating_sub(gone + 1));
        }
        let tie = own.map_or(0, |own| own.tie);
        let decided = matches!(policy.order, Order::Fifo | Order::Lifo) && policy.width.is_none();
        debug_assert!(
            !decided || others.first().is_none_or(|(next, _)| own.is_none_or(|own| own < *next)),
            "the copy of the frontier is wrong"
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

    /// What comes after the step, until its successors are known.
    fn after(&mut self, event: Event) {
        let Some(taken) = &mut self.explanation else { return };
        let (id, depth) = (taken.node.node.id, taken.node.node.depth);
        self.events += 1;
        match event {
            Event::Generate { node, verdict } if node.parent == Some(id) => {
                let known = match verdict {
                    Fate::Kept | Fate::Pruned => None,
                    Fate::Duplicate | Fate::Cheaper | Fate::Reopened => {
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
        // Nothing but the path is known of a depth-first search.
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
    /// The entry at which the node will be taken, if it waits.
    fn best(&self, policy: &Policy) -> Option<Entry> {
        let rank = rank(policy, &self.node);
        let counts =
            |entry: &&Entry| policy.duplicates != Duplicates::Cheaper || entry.rank == rank;
        self.entries.iter().filter(counts).min().copied().filter(|_| !self.is_closed)
    }
}

/// What a policy ranks a node by.
fn rank(policy: &Policy, node: &Seen) -> u64 {
    match policy.rank {
        Rank::None => 0,
        Rank::Depth => node.depth,
        Rank::G => node.g.into(),
        Rank::H => node.h.into(),
        Rank::F => policy.weight.rank(node.g, node.h),
    }
}
