//! Searches in the background: started by one request, followed by another.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde_json::json;
use serde_json::value::RawValue;
use taquin::{Monitor, Tile};
use taquin_lab::Request;
use tokio::sync::{mpsc, watch};

use crate::batching::{Batcher, Message, SearchStatus, Sink, beginning};
use crate::document::Document;
use crate::problem::Problem;
use crate::request::{read, resolve};
use crate::service::{Answer, Client, Id, Service, spawn};

/// The jobs that there are, the finished ones for a while.
#[derive(Debug, Default)]
pub(crate) struct Jobs(Mutex<Register>);

#[derive(Debug, Default)]
struct Register {
    jobs: HashMap<String, Arc<Job>>,
    order: VecDeque<String>,
}

/// The number of finished jobs that are remembered.
const MAX_FINISHED_JOBS: usize = 64;

/// A search in the background.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: String,
    client: IpAddr,
    started: Instant,
    pub(crate) monitor: Arc<Monitor>,
    /// The board that the search was at a moment ago.
    pub(crate) looking_at: Mutex<Option<Vec<Tile>>>,
    /// The messages of the search, while no reader has them.
    messages: Mutex<Option<mpsc::Receiver<Message>>>,
    /// When they were read last.
    read: Mutex<Instant>,
    /// The report, once there is one.
    answer: watch::Sender<Option<Arc<RawValue>>>,
}

/// Sends the messages of a job to its reader.
struct Reader {
    job: Arc<Job>,
    sender: mpsc::Sender<Message>,
    patience: Duration,
    /// Whether the reader received nothing for too long.
    gone: bool,
}

impl Reader {
    /// Waits until the reader has received a message; a reader that receives nothing for long has
    /// gone.
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
}

impl Sink for Reader {
    fn send(&mut self, message: Message) {
        if !self.gone {
            self.make_room();
            let _ = self.sender.try_send(message);
        }
    }

    fn show(&mut self, board: &[Tile]) {
        let mut looking_at = self.job.looking_at.lock().unwrap_or_else(PoisonError::into_inner);
        *looking_at = Some(board.to_vec());
    }
}

impl Jobs {
    fn add(&self, job: &Arc<Job>) {
        let mut register = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Register { jobs, order } = &mut *register;
        order.push_back(job.id.clone());
        jobs.insert(job.id.clone(), Arc::clone(job));
        // The running ones are bounded by the quota.
        let mut finished = jobs.values().filter(|job| job.is_finished()).count();
        order.retain(|id| {
            let forget =
                finished > MAX_FINISHED_JOBS && jobs.get(id).is_none_or(|job| job.is_finished());
            if forget {
                jobs.remove(id);
                finished -= 1;
            }
            !forget
        });
    }

    /// A job of a client's.
    pub(crate) fn find(&self, id: &str, client: Client) -> Result<Arc<Job>, Problem> {
        let register = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let job = register.jobs.get(id).filter(|job| job.client == client.0);
        job.map(Arc::clone).ok_or_else(|| {
            Problem::new(StatusCode::NOT_FOUND, "there is no such job")
                .hint("jobs are forgotten some time after their end; start another")
        })
    }
}

impl Job {
    fn is_finished(&self) -> bool {
        self.answer.borrow().is_some()
    }

    pub(crate) fn report(&self) -> Option<Arc<RawValue>> {
        self.answer.borrow().clone()
    }

    pub(crate) fn standing(&self) -> SearchStatus {
        let board = self.looking_at.lock().unwrap_or_else(PoisonError::into_inner).clone();
        SearchStatus::new(&self.monitor, self.started, board)
    }

    /// The search's messages, for its only reader; the report alone if they have been read.
    pub(crate) fn messages(&self) -> Result<mpsc::Receiver<Message>, Problem> {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (messages, self.report()) {
            (Some(messages), _) => Ok(messages),
            (None, Some(report)) => {
                let (sender, receiver) = mpsc::channel(1);
                let _ = sender.try_send(Message::Report(report));
                Ok(receiver)
            }
            (None, None) => Err(Problem::new(StatusCode::CONFLICT, "the job has a reader")
                .hint("each job is read once; start another")),
        }
    }

    /// Takes the messages from a reader that will ask for more.
    pub(crate) fn give_back(&self, messages: mpsc::Receiver<Message>) {
        *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        *self.messages.lock().unwrap_or_else(PoisonError::into_inner) = Some(messages);
    }

    /// Returns for how long the messages have had no reader.
    fn unread(&self) -> Duration {
        match *self.messages.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(_) => self.read.lock().unwrap_or_else(PoisonError::into_inner).elapsed(),
            None => Duration::ZERO,
        }
    }
}

/// The number of messages that wait for a reader before the search waits too.
const MAX_WAITING_MESSAGES: usize = 8;

/// `POST /api/jobs`.
pub(crate) async fn start(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Document(request): Document,
) -> Result<impl IntoResponse, Problem> {
    let asked = resolve(&read::<Request>(&request)?, service.limits())?;
    let session = service.session(&asked.task).await?;
    let slot = service.slot(client)?;
    let method = asked.task.method.clone();
    let seconds = asked.task.limits.seconds.unwrap_or_default();
    let patience = service.limits().patience();
    let (sender, receiver) = mpsc::channel(MAX_WAITING_MESSAGES);
    let job = Arc::new(Job {
        id: random_id(),
        client: client.0,
        started: Instant::now(),
        monitor: Arc::default(),
        looking_at: Mutex::default(),
        messages: Mutex::new(Some(receiver)),
        read: Mutex::new(Instant::now()),
        answer: watch::Sender::new(None),
    });
    let reader = Reader { job: Arc::clone(&job), sender, patience, gone: false };
    let mut batcher = Batcher::new(reader, &asked.task);
    let worker = Arc::clone(&job);
    spawn(move || {
        let search = || batcher.run(&asked, &session, &worker.monitor);
        // A search that breaks down must not leave its readers waiting.
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(search));
        let broken = || Problem::broken("the search broke down");
        let answer = match &found {
            Ok(report) => serde_json::value::to_raw_value(report),
            Err(_) => serde_json::value::to_raw_value(&broken()),
        };
        let Ok(answer) = answer.map(Arc::<RawValue>::from) else { return };
        batcher.finish(found.map_or(0, |found| found.report.counts.expanded));
        let mut reader = batcher.sink;
        reader.make_room();
        // A client that has read the report may start the next search immediately.
        drop(slot);
        worker.answer.send_replace(Some(Arc::clone(&answer)));
        let _ = reader.sender.try_send(Message::Report(answer));
    })?;
    service.jobs().add(&job);
    tokio::spawn(guard(service, Arc::clone(&job), seconds, patience));
    let location = format!("/api/jobs/{}", job.id);
    let body = beginning(&job.id, &format!("{location}/events"), &method);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Answer(body)))
}

/// `GET /api/jobs/ID`.
pub(crate) async fn look(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Path(id): Id,
) -> Result<impl IntoResponse, Problem> {
    let job = service.jobs().find(&id, client)?;
    let report = job.report();
    Ok(Answer(json!({
        "id": job.id,
        "running": report.is_none(),
        "progress": job.standing(),
        "report": report.as_deref(),
    })))
}

/// `DELETE /api/jobs/ID`.
pub(crate) async fn cancel(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Path(id): Id,
) -> Result<impl IntoResponse, Problem> {
    service.jobs().find(&id, client)?.monitor.cancel();
    Ok(StatusCode::NO_CONTENT)
}

/// Cancels a job that has used up its time, and one without a reader.
async fn guard(service: Service, job: Arc<Job>, seconds: f64, patience: Duration) {
    let mut answer = job.answer.subscribe();
    let ended = async {
        let _ = answer.wait_for(Option::is_some).await;
    };
    let unread = async {
        while let Some(left) = patience.checked_sub(job.unread()).filter(|left| !left.is_zero()) {
            tokio::time::sleep(left).await;
        }
    };
    tokio::select! {
        () = ended => return,
        () = unread => {}
        () = service.overdue(seconds) => {}
    }
    job.monitor.cancel();
}

/// A name that cannot be guessed.
fn random_id() -> String {
    let random = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", random(), random())
}
