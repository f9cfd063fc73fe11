//! Collects the events of a search into messages of many events each, so that neither the search nor
//! its reader is held up by small messages.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use taquin::{Event, Seen, Task};
use tokio::sync::mpsc;

use crate::jobs::{Job, Message};

/// Listens to a search and sends messages to its reader.
pub(crate) struct Batcher {
    job: Arc<Job>,
    sender: mpsc::Sender<Message>,
    /// The number of expansions to report.
    traced: u64,
    expansions: u64,
    batch: Vec<Event>,
    /// When a message was sent last, and a board shown.
    sent: Instant,
    shown: Option<Instant>,
    patience: Duration,
    /// Whether the reader received nothing for too long.
    gone: bool,
}

/// A message has this many events, or those of this time.
const BATCH: usize = 256;
const INTERVAL: Duration = Duration::from_millis(50);

impl Batcher {
    pub(crate) fn new(
        job: Arc<Job>,
        sender: mpsc::Sender<Message>,
        task: &Task,
        patience: Duration,
    ) -> Self {
        Self {
            job,
            sender,
            traced: task.limits.traced.unwrap_or(0),
            expansions: 0,
            batch: Vec::new(),
            sent: Instant::now(),
            shown: None,
            patience,
            gone: false,
        }
    }

    pub(crate) fn push(&mut self, event: Event) {
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

    /// Publishes the board that the search is at, a few times a second.
    fn show(&mut self, node: &Seen) {
        if self.shown.is_none_or(|shown| shown.elapsed() >= INTERVAL) {
            self.shown = Some(Instant::now());
            let mut looking_at = self.job.looking_at.lock().unwrap_or_else(PoisonError::into_inner);
            *looking_at = Some(node.board.clone());
        }
    }

    fn flush(&mut self) {
        self.sent = Instant::now();
        if self.batch.is_empty() || self.gone {
            self.batch.clear();
            return;
        }
        // Events are plain data: they can be written.
        let steps = serde_json::to_string(&self.batch).unwrap_or_default();
        self.batch.clear();
        self.make_room();
        let _ = self.sender.try_send(Message::Steps(steps));
    }

    /// Waits until the reader has received a message; a reader that receives nothing for long has gone.
    fn make_room(&mut self) {
        let waiting = Instant::now();
        while self.sender.capacity() == 0 && !self.gone && !self.sender.is_closed() {
            self.gone = waiting.elapsed() > self.patience || self.job.monitor.is_cancelled();
            std::thread::sleep(Duration::from_millis(5));
        }
        if self.gone || self.sender.is_closed() {
            self.gone = true;
            self.job.monitor.cancel();
        }
    }

    /// Sends the rest of the events of a search that expanded `expanded` nodes, and makes room for the
    /// last message.
    pub(crate) fn finish(&mut self, expanded: u64) {
        self.flush();
        let omitted = expanded.saturating_sub(self.traced);
        if self.traced > 0 && omitted > 0 {
            self.make_room();
            let _ = self.sender.try_send(Message::Omitted(omitted));
        }
        self.make_room();
    }

    /// Sends the last message, for which there is room.
    pub(crate) fn end(self, answer: Arc<RawValue>) {
        let _ = self.sender.try_send(Message::Report(answer));
    }
}
