//! A search's messages: its events, collected into messages of many events each, so that small
//! messages hold up neither the search nor its reader; its progress; its report.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use taquin::{
    Cost, Event, Instant, Method, Monitor, Policy, Progress, Session, Task, Tile, TraceNode, Watch,
};
use taquin_lab::{CourseReport, ResolvedRequest};

/// A message to a reader.
#[derive(Debug)]
pub(crate) enum Message {
    /// Events, as a JSON array.
    Steps(String),
    /// The number of expansions that were not reported.
    Omitted(u64),
    /// The end.
    Report(Arc<RawValue>),
}

impl Message {
    /// The name of the message, and its document.
    pub(crate) fn parts(&self) -> (&'static str, Cow<'_, str>) {
        match self {
            Self::Steps(steps) => ("steps", steps.into()),
            Self::Omitted(expansions) => {
                ("omitted", json!({ "expansions": expansions }).to_string().into())
            }
            Self::Report(report) => ("report", report.get().into()),
        }
    }
}

/// The progress of a search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct SearchStatus {
    #[serde(flatten)]
    progress: Progress,
    /// The cost of the best solution so far, if the search continues after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Cost>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Vec<Tile>>,
}

impl SearchStatus {
    pub(crate) fn new(monitor: &Monitor, started: Instant, board: Option<Vec<Tile>>) -> Self {
        let known = monitor.known();
        let progress = Progress { bound: known.bound, ..monitor.progress() };
        let best = known.best.map(|best| best.cost);
        Self { progress, best, seconds: started.elapsed().as_secs_f64(), board }
    }

    /// Whether another standing is the same, except for the time.
    #[cfg(feature = "server")]
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.progress, self.best, &self.board) == (other.progress, other.best, &other.board)
    }
}

/// The first message to a reader.
pub(crate) fn beginning(id: &str, events: &str, method: &Method) -> Value {
    json!({ "id": id, "events": events, "method": method, "policy": policy(method) })
}

/// Every field of a method's policy, so that a reader need not know the defaults.
fn policy(method: &Method) -> BTreeMap<&'static str, String> {
    let value = |field| Some((field, method.policy.get(field)?));
    Policy::FIELDS.into_iter().filter_map(value).collect()
}

/// Where messages go.
pub(crate) trait Sink {
    /// Sends a message.
    fn send(&mut self, message: Message);

    /// Publishes the board that the search is at.
    fn show(&mut self, board: &[Tile]);
}

/// Listens to a search and sends messages to its reader.
pub(crate) struct Batcher<S> {
    pub(crate) sink: S,
    /// The number of expansions to report.
    traced: u64,
    expansions: u64,
    batch: Vec<Event>,
    /// When a message was sent last, and a board shown.
    sent: Instant,
    shown: Option<Instant>,
}

/// A message has this many events, or the events from this time.
const BATCH: usize = 256;
const INTERVAL: Duration = Duration::from_millis(50);

impl<S: Sink> Batcher<S> {
    pub(crate) fn new(sink: S, task: &Task) -> Self {
        let traced = task.limits.traced.unwrap_or(0);
        let (batch, sent) = (Vec::new(), Instant::now());
        Self { sink, traced, expansions: 0, batch, sent, shown: None }
    }

    /// Runs a search, and sends its events on request.
    pub(crate) fn run(
        &mut self,
        asked: &ResolvedRequest,
        session: &Session,
        monitor: &Arc<Monitor>,
    ) -> CourseReport {
        let limits = &asked.task.limits;
        let listens = limits.traced > Some(0) || limits.glimpses.is_some();
        let mut listen = |event| self.push(event);
        let events = listens.then_some(&mut listen as &mut dyn FnMut(Event));
        asked.run(session, Watch { events, ..Watch::by(monitor) })
    }

    fn push(&mut self, event: Event) {
        if let Event::Expand(node) = &event {
            self.expansions += 1;
            self.show(node);
            if self.expansions > self.traced {
                return;
            }
        }
        if self.traced > 0 {
            self.batch.push(event);
        }
        // No expansion that is to be reported follows the last one, and the search may be long.
        let is_last = self.expansions >= self.traced;
        if is_last || self.batch.len() >= BATCH || self.sent.elapsed() >= INTERVAL {
            self.flush();
        }
    }

    /// Publishes the search's current board a few times per second.
    fn show(&mut self, node: &TraceNode) {
        if self.shown.is_none_or(|shown| shown.elapsed() >= INTERVAL) {
            self.shown = Some(Instant::now());
            self.sink.show(&node.board);
        }
    }

    fn flush(&mut self) {
        self.sent = Instant::now();
        if self.batch.is_empty() {
            return;
        }
        // Events are plain data: they can be written.
        let steps = serde_json::to_string(&self.batch).unwrap_or_default();
        self.batch.clear();
        self.sink.send(Message::Steps(steps));
    }

    /// Sends the remaining events of a search that expanded `expanded` nodes.
    pub(crate) fn finish(&mut self, expanded: u64) {
        self.flush();
        let omitted = expanded.saturating_sub(self.traced);
        if self.traced > 0 && omitted > 0 {
            self.sink.send(Message::Omitted(omitted));
        }
    }
}
