//! `GET /api/jobs/ID/events`: a search's events, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures_util::stream::{self, Stream};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};

use crate::batching::{Message, SearchStatus};
use crate::jobs::Job;
use crate::problem::Problem;
use crate::service::{CancelOnDrop, Client, Id, Service};

/// How often a reader is sent the progress if it has changed, and if it has not.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
const UNCHANGED_INTERVAL: Duration = Duration::from_secs(2);

pub(crate) async fn events(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Path(id): Id,
) -> Result<impl IntoResponse, Problem> {
    let job = service.jobs().find(&id, client)?;
    let messages = job.messages()?;
    Ok(Sse::new(Reader::new(job, messages).stream()))
}

/// A client that follows a job.
struct Reader {
    job: Arc<Job>,
    messages: mpsc::Receiver<Message>,
    ticker: Interval,
    last: Option<(SearchStatus, Instant)>,
    /// A job whose reader has gone is cancelled.
    _guard: CancelOnDrop,
}

impl Reader {
    fn new(job: Arc<Job>, messages: mpsc::Receiver<Message>) -> Self {
        let mut ticker = tokio::time::interval(PROGRESS_INTERVAL);
        ticker.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let guard = CancelOnDrop(Arc::clone(&job.monitor));
        Self { job, messages, ticker, last: None, _guard: guard }
    }

    fn stream(self) -> impl Stream<Item = Result<Event, Infallible>> {
        stream::unfold(self, |mut reader| async {
            let event = reader.next().await?;
            Some((Ok(event), reader))
        })
    }

    async fn next(&mut self) -> Option<Event> {
        loop {
            tokio::select! {
                biased;
                message = self.messages.recv() => return message.map(|message| event(&message)),
                _ = self.ticker.tick() => {
                    let standing = self.job.standing();
                    if self.is_news(&standing) {
                        self.last = Some((standing.clone(), Instant::now()));
                        return Some(named("progress", &json!(standing).to_string()));
                    }
                }
            }
        }
    }

    fn is_news(&self, standing: &SearchStatus) -> bool {
        self.last.as_ref().is_none_or(|(last, told)| {
            !last.is_like(standing) || told.elapsed() >= UNCHANGED_INTERVAL
        })
    }
}

fn event(message: &Message) -> Event {
    let (name, data) = message.parts();
    named(name, &data)
}

fn named(name: &str, data: &str) -> Event {
    Event::default().event(name).data(data)
}
