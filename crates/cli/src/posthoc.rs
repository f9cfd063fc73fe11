//! Search traces of the visualiser Posthoc, format 1.4.0, as JSON: every JSON document is YAML too.
//!
//! An event has the numbers of its node and its parent, its f, g and h, and the board. It has a
//! value if the search does not rank the node by f. The view draws the event's board.

use serde_json::{Value, json};
use taquin::{Event, Size, TraceNode, Verdict};

/// Writes the events of a search.
#[derive(Debug)]
pub(crate) struct Posthoc {
    has_events: bool,
    /// The node that is closed when the next one is expanded.
    expanded: Option<TraceNode>,
}

impl Posthoc {
    pub(crate) const fn new() -> Self {
        Self { has_events: false, expanded: None }
    }

    /// The beginning of the document.
    pub(crate) fn head(size: Size) -> String {
        let cols = size.cols();
        let cell = json!({
            "$": "rect",
            "x": format!("${{{{ $.i % {cols} }}}}"),
            "y": format!("${{{{ ($.i - $.i % {cols}) / {cols} }}}}"),
            "width": 1,
            "height": 1,
            "fill": "${{ $.board[$.i] ? 'orange' : 'black' }}",
            "clear": true,
            "$info": { "tile": "${{ $.board[$.i] }}" },
            "$for": { "$let": "i", "$from": 0, "$to": size.cells() },
        });
        format!("{{\"version\":\"1.4.0\",\"views\":{{\"main\":[{cell}]}},\"events\":[")
    }

    /// An event, with the end of the expansion before it.
    pub(crate) fn event(&mut self, event: Event) -> String {
        let mut text = String::new();
        let (kind, node) = match event {
            // A bound belongs to no node, and every f shows it.
            Event::Bound { .. } => return text,
            Event::Expand(node) => {
                text += &self.close();
                if node.parent.is_none() && node.depth == 0 {
                    text += &self.line(&written("source", &node));
                }
                self.expanded = Some(node.clone());
                ("expand", node)
            }
            Event::Generate { verdict, node } => match verdict {
                Verdict::Kept => ("generate", node),
                Verdict::Cheaper => ("update", node),
                Verdict::Reopened => ("reopen", node),
                Verdict::Duplicate => ("duplicate", node),
                Verdict::Pruned => ("prune", node),
            },
            Event::Discard(node) => ("discard", node),
            Event::Goal(node) => {
                text += &self.close();
                ("destination", node)
            }
        };
        text + &self.line(&written(kind, &node))
    }

    /// The end of the document.
    pub(crate) fn tail(&mut self) -> String {
        self.close() + "\n]}\n"
    }

    fn close(&mut self) -> String {
        match self.expanded.take() {
            Some(node) => self.line(&written("close", &node)),
            None => String::new(),
        }
    }

    fn line(&mut self, event: &Value) -> String {
        let comma = if std::mem::replace(&mut self.has_events, true) { "," } else { "" };
        format!("{comma}\n{event}")
    }
}

fn written(kind: &str, node: &TraceNode) -> Value {
    json!({
        "type": kind,
        "id": node.id,
        "pId": node.parent,
        "f": u64::from(node.g) + u64::from(node.h),
        "g": node.g,
        "h": node.h,
        "depth": node.depth,
        "value": node.value,
        "move": node.step.map(|step| step.to_string()),
        "board": node.board,
    })
}
