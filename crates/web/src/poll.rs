//! `GET /api/messages?jobs=ID,ID`: the messages of several searches since the last such request.
//!
//! A browser opens six connections to a server, for all pages together. A page with a connection
//! for each of its searches would leave none for other pages, so pages ask for the messages of all
//! their searches at once, and the answer takes a tenth of a second at most.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use futures_util::future::select_all;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::batching::Message;
use crate::jobs::Job;
use crate::problem::Problem;
use crate::routes::json;
use crate::service::{Answer, Client, Service};

/// How long an answer waits for a message.
const POLL_TIME: Duration = Duration::from_millis(100);

/// The searches to report, with commas between them.
#[derive(Deserialize)]
pub(crate) struct PollQuery {
    jobs: String,
}

/// A search's messages: each one's name and document.
type Messages = Vec<(&'static str, Box<RawValue>)>;

pub(crate) async fn messages(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    wanted: Result<Query<PollQuery>, QueryRejection>,
) -> Result<Answer<BTreeMap<String, Messages>>, Problem> {
    let hint = "write /api/messages?jobs=ID, or several with commas between them";
    let Query(PollQuery { jobs }) =
        wanted.map_err(|error| Problem::invalid(error.body_text()).hint(hint))?;
    let most = service.limits().jobs;
    if jobs.split(',').count() > most {
        return Err(Problem::invalid(format!("{most} jobs can be followed at a time")).hint(hint));
    }
    let mut told = BTreeMap::new();
    let mut polls = Vec::new();
    for id in jobs.split(',') {
        match service.jobs().find(id, client).and_then(Poll::new) {
            Ok(poll) => polls.push(poll),
            // One that is lost does not hide the others.
            Err(problem) => drop(told.insert(id.to_owned(), vec![("report", json(&problem)?)])),
        }
    }
    let mut first = None;
    if !polls.is_empty() && told.is_empty() {
        let waiting = polls.iter_mut().map(|poll| Box::pin(poll.messages.recv()));
        if let Ok((Some(message), at, _)) = timeout(POLL_TIME, select_all(waiting)).await {
            first = Some((at, message));
        }
    }
    for (at, poll) in polls.iter_mut().enumerate() {
        let first = first.take_if(|(of, _)| *of == at).map(|(_, message)| message);
        told.insert(poll.job.id.clone(), poll.read(first)?);
    }
    polls.into_iter().for_each(Poll::end);
    Ok(Answer(told))
}

/// A job whose messages are being read.
struct Poll {
    job: Arc<Job>,
    messages: mpsc::Receiver<Message>,
    /// Whether the client has its answer. If the client has gone, its search is cancelled.
    is_ended: bool,
}

impl Poll {
    fn new(job: Arc<Job>) -> Result<Self, Problem> {
        let messages = job.messages()?;
        Ok(Self { job, messages, is_ended: false })
    }

    /// Returns `first`, the waiting messages, and the progress of a search that has not ended.
    fn read(&mut self, first: Option<Message>) -> Result<Messages, Problem> {
        // All other messages are sent before the report.
        let report = self.job.report();
        let mut told = Messages::new();
        let mut has_ended = false;
        let mut next = first.or_else(|| self.messages.try_recv().ok());
        while let Some(message) = next {
            has_ended |= matches!(message, Message::Report(_));
            let (name, document) = message.parts();
            let document = RawValue::from_string(document.into_owned());
            told.push((name, document.map_err(|error| Problem::broken(error.to_string()))?));
            next = self.messages.try_recv().ok();
        }
        match report {
            _ if has_ended => {}
            Some(report) => told.push(("report", json(&*report)?)),
            None if self.messages.is_closed() && self.job.report().is_none() => {
                told.push(("report", json(&Problem::broken("the search broke down"))?));
            }
            None => told.push(("progress", json(&self.job.standing())?)),
        }
        Ok(told)
    }

    fn end(mut self) {
        self.is_ended = true;
    }
}

impl Drop for Poll {
    fn drop(&mut self) {
        let (_, none) = mpsc::channel(1);
        self.job.give_back(std::mem::replace(&mut self.messages, none));
        if !self.is_ended {
            self.job.monitor.cancel();
        }
    }
}
