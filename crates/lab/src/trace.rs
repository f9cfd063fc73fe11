//! A search told in the words of a course.

use std::collections::BTreeMap;

use taquin::{Board, Event, Fate, Puzzle, Seen, Size};

use crate::convention::{Wording, direction, fill};

/// Turns the events of a search into a course's sentences, one after the other.
#[derive(Debug)]
pub struct Narrator<'a> {
    wording: &'a Wording,
    size: Size,
    /// Whether any sentence speaks of other nodes; most do not, and then none are kept.
    lists: bool,
    step: u64,
    successors: u64,
    /// Whether the successors of the node expanded last were told of.
    told: bool,
    /// What waits, by number.
    open: BTreeMap<u64, Seen>,
    /// What was expanded, in that order.
    closed: Vec<Seen>,
}

impl<'a> Narrator<'a> {
    /// Tells of boards of this size.
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
            told: true,
            open: BTreeMap::new(),
            closed: Vec::new(),
        }
    }

    /// What there is to say before the search, which may be nothing.
    pub fn begin(&self, puzzle: &Puzzle, method: &str) -> String {
        fill(self.wording.heading, |key| match key {
            "start" => Some(self.wording.board(puzzle.start())),
            "goal" => Some(self.wording.board(puzzle.goal())),
            "method" => Some(method.to_owned()),
            _ => None,
        })
    }

    /// What there is to say about an event, which may be nothing.
    pub fn tell(&mut self, event: Event) -> String {
        match event {
            Event::Bound { .. } => String::new(),
            Event::Expand(node) => self.expand(node),
            Event::Generate { node, verdict } => {
                self.successors += 1;
                if self.lists && matches!(verdict, Fate::Kept | Fate::Cheaper | Fate::Reopened) {
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
                // A goal that is recognised when it is generated never waits.
                self.arrive(&node);
                text + &self.say(self.wording.goal, &node)
            }
        }
    }

    /// What is left to say when the search is over.
    pub fn finish(&mut self) -> String {
        let text = match (self.closed.last(), self.told) {
            (Some(node), false) => self.say(self.wording.successors, node),
            _ => String::new(),
        };
        self.told = true;
        text
    }

    fn expand(&mut self, node: Seen) -> String {
        let mut text = self.finish();
        self.arrive(&node);
        text += &self.say(self.wording.expansion, &node);
        self.step += 1;
        (self.successors, self.told) = (0, false);
        self.open.remove(&node.id);
        if self.lists {
            self.closed.push(node);
        }
        text
    }

    /// The root waits without having been generated.
    fn arrive(&mut self, node: &Seen) {
        if self.lists && node.parent.is_none() {
            self.open.insert(node.id, node.clone());
        }
    }

    fn say(&self, template: &str, node: &Seen) -> String {
        fill(template, |key| {
            Some(match key {
                "step" => self.step.to_string(),
                "successors" => self.successors.to_string(),
                "node" => self.node(node),
                "queue" => self.waiting().map(|node| self.node(node)).collect(),
                "fringe" => {
                    self.waiting().map(|node| self.node(node)).collect::<Vec<_>>().join(", ")
                }
                "closed" => {
                    let boards: Vec<String> =
                        self.closed.iter().map(|node| self.board(node)).collect();
                    boards.join(", ")
                }
                _ => return self.field(node, key),
            })
        })
    }

    fn node(&self, node: &Seen) -> String {
        fill(self.wording.node, |key| self.field(node, key))
    }

    fn field(&self, node: &Seen, key: &str) -> Option<String> {
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

    /// What waits, the best first and the oldest among equals.
    fn waiting(&self) -> impl Iterator<Item = &Seen> {
        let mut nodes: Vec<&Seen> = self.open.values().collect();
        nodes.sort_by_key(|node| u64::from(node.g) + u64::from(node.h));
        nodes.into_iter()
    }

    fn board(&self, node: &Seen) -> String {
        let board = Board::new(self.size, node.board.clone());
        board.map_or_else(|error| error.to_string(), |board| self.wording.board(&board))
    }
}
