//! The tree of one threshold as subtrees that are searched one by one, in any order, by any process.
//!
//! A subtree is known by the moves that lead to its root. A search below the root, with the threshold
//! less the moves already made, is one iteration of IDA* with another start: it is cut into parts, runs
//! on any number of threads and can be interrupted as [`parallel`](crate::parallel) describes. The
//! counts of all subtrees and of the nodes above them add up to those of a search of the whole tree.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use taquin_search::{Cost, Stop};
use taquin_tiles::Slide;

use crate::journal::Journal;
use crate::limits::SharedLimits;
use crate::parallel::search_below;
use crate::sweep::{SweepCounts, SweepEngine};

/// Subtrees that together are the tree of a threshold, without the nodes above them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TreeCut {
    /// The counts of the nodes above the subtrees.
    pub above: SweepCounts,
    /// The subtrees, in the order of the moves.
    pub subtrees: Vec<Subtree>,
}

/// A subtree.
#[derive(Clone, PartialEq, Debug)]
pub struct Subtree {
    /// The moves from the start to its root.
    pub path: Vec<Slide>,
    /// The approximate number of nodes.
    pub expected: f64,
}

/// The search of a subtree below one threshold.
#[derive(Clone, PartialEq, Debug)]
pub struct SubtreeSearch {
    /// How it ended.
    pub end: SubtreeEnd,
    /// The counts; depths are those of the whole tree.
    pub counts: SweepCounts,
}

/// How the search of a subtree ended.
#[derive(Clone, PartialEq, Debug)]
pub enum SubtreeEnd {
    /// The subtree has no solution within the threshold.
    Complete,
    /// With a solution, from the start.
    Solved(Vec<Slide>),
    /// A limit was reached.
    Stopped(Stop),
}

/// A threshold has about this many times the nodes of the one before, which are two moves apart.
const GROWTH: f64 = 6.0;

/// A subtree that may be cut further.
struct Leaf<N> {
    expected: f64,
    /// The number of leaves made before this one.
    number: usize,
    path: Vec<Slide>,
    node: N,
    f: Cost,
}

impl<N> Ord for Leaf<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.expected.total_cmp(&other.expected).then(other.number.cmp(&self.number))
    }
}

impl<N> PartialOrd for Leaf<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<N> PartialEq for Leaf<N> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<N> Eq for Leaf<N> {}

/// Cuts the tree of a threshold into about `wanted` subtrees: the largest is replaced by the subtrees
/// of its successors, again and again. `known` returns the expected nodes below a path, where they are
/// known; elsewhere they are a share of those of the parent.
pub(crate) fn cut<E: SweepEngine>(
    engine: &E,
    threshold: Cost,
    wanted: usize,
    expected: f64,
    known: &dyn Fn(&[Slide]) -> Option<f64>,
) -> TreeCut {
    let root = engine.root();
    let mut above = SweepCounts::default();
    let mut leaves = BinaryHeap::new();
    let mut settled = Vec::new();
    let f = engine.estimate(&root);
    match f <= threshold {
        true => leaves.push(Leaf { expected, number: 0, path: Vec::new(), node: root, f }),
        false => above.least_above = Some(f),
    }
    let (mut made, mut successors) = (1, Vec::new());
    while leaves.len() + settled.len() < wanted {
        let Some(leaf) = leaves.pop() else { break };
        // A goal is a subtree of its own: whoever searches it reports the solution.
        if engine.is_goal(&leaf.node) {
            settled.push(leaf);
            continue;
        }
        let depth = leaf.path.len() as Cost;
        above.expanded += 1;
        above.deepest = above.deepest.max(depth.into());
        engine.successors(&leaf.node, &mut successors);
        above.generated += successors.len() as u64;
        let mut children = Vec::new();
        for (action, node) in successors.drain(..) {
            let f = depth + 1 + engine.estimate(&node);
            match f <= threshold {
                true => children.push((action, node, f)),
                false => above.least_above = above.least_above.into_iter().chain([f]).min(),
            }
        }
        // A child whose f has risen by two has the tree of the threshold before.
        let share = |f: Cost| GROWTH.powi(-(f.saturating_sub(leaf.f) as i32 / 2));
        let shares: f64 = children.iter().map(|&(_, _, f)| share(f)).sum();
        for (action, node, f) in children {
            let path = [&leaf.path[..], &[action]].concat();
            let expected = known(&path).unwrap_or(leaf.expected * share(f) / shares);
            leaves.push(Leaf { expected, number: made, path, node, f });
            made += 1;
        }
    }
    let leaves = leaves.into_iter().chain(settled);
    let mut subtrees: Vec<Subtree> =
        leaves.map(|Leaf { path, expected, .. }| Subtree { path, expected }).collect();
    let order = |subtree: &Subtree| -> Vec<u8> {
        subtree.path.iter().map(|slide| slide.step as u8).collect()
    };
    subtrees.sort_by_cached_key(order);
    TreeCut { above, subtrees }
}

/// Searches the subtree below `path`, which has about `expected` nodes. Returns `None` if the tree
/// does not have that path.
pub(crate) fn search_subtree<E: SweepEngine>(
    engine: &E,
    path: &[Slide],
    (threshold, expected): (Cost, u64),
    threads: usize,
    limits: &SharedLimits<'_>,
    journal: Option<&Journal<'_>>,
) -> Option<SubtreeSearch> {
    let mut node = engine.root();
    let mut successors = Vec::new();
    for wanted in path {
        if engine.is_goal(&node) {
            return None;
        }
        successors.clear();
        engine.successors(&node, &mut successors);
        node = successors.iter().find(|(action, _)| action == wanted)?.1;
    }
    let depth = path.len() as Cost;
    let rest = threshold.checked_sub(depth).filter(|&rest| engine.estimate(&node) <= rest)?;
    let mut search = search_below(engine, &node, (rest, expected), threads, limits, journal);
    search.counts.deepest += u64::from(depth);
    search.counts.least_above = search.counts.least_above.map(|f| f + depth);
    if let SubtreeEnd::Solved(actions) = &mut search.end {
        actions.splice(..0, path.iter().copied());
    }
    Some(search)
}
