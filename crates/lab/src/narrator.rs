//! A search trace in a course's words.

use std::collections::BTreeMap;

use taquin::{Board, Event, Puzzle, Size, TraceNode, Verdict};

use crate::amounts::thousands;
use crate::course::{Wording, direction, fill};

/// Turns the events of a search into a course's sentences, one after the other.
#[derive(Debug)]
pub struct Narrator<'a> {
    wording: &'a Wording,
    size: Size,
    /// Whether any sentence lists other nodes; most courses list none, and then none are stored.
    lists: bool,
    step: u64,
    successors: u64,
    /// Whether the successors of the last expanded node have been reported.
    reported: bool,
    /// The open list, by node number.
    open: BTreeMap<u64, TraceNode>,
    /// The expanded nodes, in the order of expansion.
    closed: Vec<TraceNode>,
}

impl<'a> Narrator<'a> {
    /// Creates a narrator for boards of `size`.
    pub fn new(wording: &'a Wording, size: Size) -> Self {
        let Wording { expansion, successors, goal, .. } = wording;
        let lists =
            !successors.is_empty() || [expansion, goal].iter().any(|t| t.contains("{queue}"));
        Self {
            wording,
            size,
            lists,
            step: 0,
            successors: 0,
            reported: true,
            open: BTreeMap::new(),
            closed: Vec::new(),
        }
    }

    /// Returns the text before the search, which may be empty.
    pub fn begin(&self, puzzle: &Puzzle, method: &str) -> String {
        self.wording.heading(puzzle, method)
    }

    /// Returns the text for an event, which may be empty.
    pub fn tell(&mut self, event: Event) -> String {
        match event {
            Event::Bound { .. } => String::new(),
            Event::Expand(node) => self.expand(node),
            Event::Generate { node, verdict } => {
                self.successors += 1;
                if self.lists
                    && matches!(verdict, Verdict::Kept | Verdict::Cheaper | Verdict::Reopened)
                {
                    self.open.insert(node.id, node);
                }
                String::new()
            }
            Event::Discard(node) => {
                let text = self.finish();
                self.open.remove(&node.id);
                text
            }
            Event::Goal(node) => {
                let text = self.finish();
                // The start may be the goal.
                self.open_root(&node);
                text + &self.sentence(&self.wording.goal, &node)
            }
        }
    }

    /// Returns the text after the last event, which may be empty.
    pub fn finish(&mut self) -> String {
        let text = match (self.closed.last(), self.reported) {
            (Some(node), false) => self.sentence(&self.wording.successors, node),
            _ => String::new(),
        };
        self.reported = true;
        text
    }

    /// Returns the text after the search: the text for the goal, which may be empty, if the trace
    /// is whole, or the number of `omitted` expansions.
    pub fn close(&mut self, goal: String, omitted: u64) -> String {
        match omitted {
            0 if goal.is_empty() => self.finish(),
            0 => goal,
            1 => format!("{}(1 more expansion not shown)\n\n", self.finish()),
            more => format!("{}({} more expansions not shown)\n\n", self.finish(), thousands(more)),
        }
    }

    fn expand(&mut self, node: TraceNode) -> String {
        let mut text = self.finish();
        self.open_root(&node);
        text += &self.sentence(&self.wording.expansion, &node);
        self.step += 1;
        (self.successors, self.reported) = (0, false);
        self.open.remove(&node.id);
        if self.lists {
            self.closed.push(node);
        }
        text
    }

    /// Adds the root to the open list: no event reports that it was generated.
    fn open_root(&mut self, node: &TraceNode) {
        if self.lists && node.parent.is_none() {
            self.open.insert(node.id, node.clone());
        }
    }

    fn sentence(&self, template: &str, node: &TraceNode) -> String {
        fill(template, |key| {
            Some(match key {
                "step" => self.step.to_string(),
                "successors" => self.successors.to_string(),
                "node" => self.node(node),
                "queue" => self.open_nodes().concat(),
                "fringe" => self.open_nodes().join(", "),
                "closed" => {
                    let boards: Vec<String> =
                        self.closed.iter().map(|node| self.board(node)).collect();
                    boards.join(", ")
                }
                _ => return self.field(node, key),
            })
        })
    }

    fn node(&self, node: &TraceNode) -> String {
        fill(&self.wording.node, |key| self.field(node, key))
    }

    fn field(&self, node: &TraceNode, key: &str) -> Option<String> {
        Some(match key {
            "g" => node.g.to_string(),
            "h" => node.h.to_string(),
            "f" => (u64::from(node.g) + u64::from(node.h)).to_string(),
            "depth" => node.depth.to_string(),
            "board" => self.board(node),
            "action" => match (node.tile, node.step) {
                (Some(tile), Some(step)) => {
                    format!("{{Move {tile} {}}}", direction(step.opposite()))
                }
                _ => "{Start}".to_owned(),
            },
            "parent" => {
                let parent = self.closed.iter().rev().find(|known| Some(known.id) == node.parent);
                parent.map_or_else(
                    || "{None}".to_owned(),
                    |parent| format!("{{{}}}", self.board(parent)),
                )
            }
            _ => return None,
        })
    }

    /// The open list, lowest f first and oldest first among equals.
    fn open_nodes(&self) -> Vec<String> {
        let mut nodes: Vec<&TraceNode> = self.open.values().collect();
        nodes.sort_by_key(|node| u64::from(node.g) + u64::from(node.h));
        nodes.into_iter().map(|node| self.node(node)).collect()
    }

    fn board(&self, node: &TraceNode) -> String {
        let board = Board::new(self.size, node.board.clone());
        board.map_or_else(|error| error.to_string(), |board| self.wording.board(&board))
    }
}
