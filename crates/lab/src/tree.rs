//! The tree of a search as a Graphviz graph.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use taquin::{Event, Size, Task, TraceNode, Verdict};

/// Collects the tree of a search from its events and writes it in the DOT language.
///
/// Nodes carry their board, g, h, f and the order in which they were expanded. If a search has
/// thresholds, the last one is drawn. A dashed edge leads to a known board; a path that was
/// replaced by a cheaper one is dotted. Searches from both ends make two trees: the tree from the
/// goal is blue, and the title has the bound and the number of open nodes on each side.
#[derive(Debug)]
pub struct Tree {
    size: Size,
    title: String,
    informed: bool,
    deepens: bool,
    has_both_ends: bool,
    bound: u64,
    nodes: BTreeMap<u64, Drawn>,
    edges: Vec<Edge>,
    expanded: u64,
    goal: Option<u64>,
}

#[derive(Debug)]
struct Drawn {
    node: TraceNode,
    /// The order of its expansion.
    order: Option<u64>,
    is_pruned: bool,
}

#[derive(Debug)]
struct Edge {
    from: u64,
    to: u64,
    label: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Tree,
    EarlierNode,
    Replaced,
}

/// Pruned nodes have no number of their own: theirs begin here.
const PRUNED: u64 = 1 << 40;

impl Tree {
    /// An empty tree for the events of a task.
    pub fn new(task: &Task) -> Self {
        Self {
            size: task.puzzle.size(),
            title: format!("{} on {}", task.method, task.puzzle.start()),
            informed: task.method.estimate.is_some(),
            deepens: task.method.algorithm.row().stores_only_a_path,
            has_both_ends: task.method.algorithm.has_both_ends(),
            bound: 0,
            nodes: BTreeMap::new(),
            edges: Vec::new(),
            expanded: 0,
            goal: None,
        }
    }

    /// Adds an event.
    pub fn tell(&mut self, event: Event) {
        match event {
            Event::Bound { .. } if self.deepens => {
                self.nodes.clear();
                self.edges.clear();
            }
            Event::Bound { bound } => self.bound = bound,
            Event::Discard(node) if self.has_both_ends => self.meet(node).is_pruned = true,
            Event::Discard(_) => {}
            Event::Expand(node) => {
                self.expanded += 1;
                let order = Some(self.expanded);
                self.meet(node).order = order;
            }
            Event::Generate { node, verdict } => self.generate(node, verdict),
            Event::Goal(node) => {
                self.goal = Some(node.id);
                self.meet(node);
            }
        }
    }

    fn meet(&mut self, node: TraceNode) -> &mut Drawn {
        let drawn = Drawn { node, order: None, is_pruned: false };
        self.nodes.entry(drawn.node.id).or_insert(drawn)
    }

    fn generate(&mut self, mut node: TraceNode, verdict: Verdict) {
        let Some(from) = node.parent else { return };
        let mut kind = Kind::Tree;
        match verdict {
            Verdict::Kept => {
                self.meet(node.clone());
            }
            Verdict::Pruned => {
                // An engine without a number for it gives one that many share.
                if self.nodes.contains_key(&node.id) || !self.deepens {
                    node.id = PRUNED + self.nodes.len() as u64;
                }
                self.meet(node.clone()).is_pruned = true;
            }
            Verdict::Duplicate => kind = Kind::EarlierNode,
            Verdict::Cheaper | Verdict::Reopened => {
                let dearer = |edge: &&mut Edge| edge.to == node.id && edge.kind == Kind::Tree;
                self.edges.iter_mut().filter(dearer).for_each(|edge| edge.kind = Kind::Replaced);
                if let Some(drawn) = self.nodes.get_mut(&node.id) {
                    drawn.node = node.clone();
                }
            }
        }
        let label = match (node.step, node.tile) {
            (Some(step), Some(tile)) => format!("{step}{tile}"),
            _ => String::new(),
        };
        self.edges.push(Edge { from, to: node.id, label, kind });
    }

    /// The nodes from the goal up to the start, or from where two searches meet up to both.
    fn way(&self) -> Vec<u64> {
        let board = |id: &u64| Some(&self.nodes.get(id)?.node.board);
        let goal = self.goal.filter(|_| self.has_both_ends).as_ref().and_then(board);
        let twins = self.nodes.keys().filter(|id| goal.is_some() && board(id) == goal).copied();
        self.goal.into_iter().chain(twins).flat_map(|id| self.way_to(id)).collect()
    }

    fn way_to(&self, id: u64) -> Vec<u64> {
        let parent = |id: &u64| {
            let into = |edge: &&Edge| edge.to == *id && edge.kind == Kind::Tree;
            self.edges.iter().rev().find(into).map(|edge| edge.from)
        };
        // No path is longer than the number of nodes.
        std::iter::successors(Some(id), parent).take(self.nodes.len()).collect()
    }

    /// The end of the title: the bound, and the open nodes of both searches.
    fn both_ends(&self) -> String {
        let open = [0, 1].map(|end| {
            let is_open = |(id, drawn): &(&u64, &Drawn)| {
                *id % 2 == end && drawn.order.is_none() && !drawn.is_pruned
            };
            self.nodes.iter().filter(is_open).count()
        });
        let [start, goal] = open;
        format!("\\nbound {}; open: {start} from the start, {goal} from the goal", self.bound)
    }

    fn label(&self, drawn: &Drawn) -> String {
        let TraceNode { board, g, h, .. } = &drawn.node;
        let digits = board.iter().max().map_or(1, |tile| tile.to_string().len());
        let mut label = String::new();
        for row in board.chunks(self.size.cols()) {
            let tile = |tile: &u16| match tile {
                0 => format!("{:>digits$}", '.'),
                _ => format!("{tile:>digits$}"),
            };
            // A backslash and an n are how DOT breaks a line.
            let _ = write!(label, "{}\\n", row.iter().map(tile).collect::<Vec<_>>().join(" "));
        }
        let _ = match self.informed {
            true => write!(label, "g={g} h={h} f={}", u64::from(*g) + u64::from(*h)),
            false => write!(label, "g={g}"),
        };
        if let Some(value) =
            drawn.node.value.filter(|value| self.has_both_ends && *value != g.saturating_add(*h))
        {
            let _ = write!(label, " value={value}");
        }
        if let Some(order) = drawn.order {
            let _ = write!(label, "\\n#{order}");
        }
        label
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = self.way();
        writeln!(f, "digraph search {{")?;
        let ends = if self.has_both_ends { self.both_ends() } else { String::new() };
        writeln!(f, "  label=\"{}{ends}\"; labelloc=t; fontname=\"monospace\";", self.title)?;
        writeln!(f, "  node [shape=box, fontname=\"monospace\"]; edge [fontname=\"monospace\"];")?;
        for (id, drawn) in &self.nodes {
            let style = match drawn {
                _ if way.contains(id) => ", style=\"bold,filled\", fillcolor=palegreen",
                Drawn { is_pruned: true, .. } => ", style=dashed, color=gray, fontcolor=gray",
                Drawn { order: Some(_), .. } => ", style=filled, fillcolor=lightyellow",
                _ => "",
            };
            let is_blue = self.has_both_ends && id % 2 == 1 && !drawn.is_pruned;
            let color = if is_blue { ", color=blue" } else { "" };
            writeln!(f, "  n{id} [label=\"{}\"{style}{color}];", self.label(drawn))?;
        }
        for Edge { from, to, label, kind } in &self.edges {
            let style = match kind {
                Kind::Tree if way.contains(from) && way.contains(to) => ", penwidth=2",
                Kind::Tree => "",
                Kind::EarlierNode => ", style=dashed, color=gray, constraint=false",
                Kind::Replaced => ", style=dotted, color=gray",
            };
            writeln!(f, "  n{from} -> n{to} [label=\"{label}\"{style}];")?;
        }
        writeln!(f, "}}")
    }
}
