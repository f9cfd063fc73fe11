//! Searches in the background: started by one request, followed by another.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use taquin::{Cost, Event, Method, Monitor, Policy, Progress, Tile, Watch};
use taquin_lab::Request;
use tokio::sync::{mpsc, watch};

use crate::batching::Batcher;
use crate::problem::Problem;
use crate::request::{Document, resolve};
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
const REMEMBERED: usize = 64;

/// A search in the background.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: String,
    client: IpAddr,
    started: Instant,
    pub(crate) monitor: Arc<Monitor>,
    /// The board that the search was at a moment ago.
    pub(crate) looking_at: Mutex<Option<Vec<Tile>>>,
    /// The messages of the search, until a reader takes them.
    messages: Mutex<Option<mpsc::Receiver<Message>>>,
    /// The report, once there is one.
    answer: watch::Sender<Option<Arc<RawValue>>>,
}

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

/// The progress of a job.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Standing {
    #[serde(flatten)]
    progress: Progress,
    /// The cost of the best solution so far, where the search goes on after the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Cost>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Vec<Tile>>,
}

impl Standing {
    /// Whether another standing says the same, but for the time.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (self.progress, self.best, &self.board) == (other.progress, other.best, &other.board)
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
            let forget = finished > REMEMBERED && jobs.get(id).is_none_or(|job| job.is_finished());
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

    pub(crate) fn standing(&self) -> Standing {
        let board = self.looking_at.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let seconds = self.started.elapsed().as_secs_f64();
        let known = self.monitor.known();
        let progress = Progress { bound: known.bound, ..self.monitor.progress() };
        Standing { progress, best: known.best.map(|best| best.cost), seconds, board }
    }

    /// The messages of the search, for its only reader.
    pub(crate) fn messages(&self) -> Option<mpsc::Receiver<Message>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn has_reader(&self) -> bool {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// The number of messages that wait for a reader before the search waits too.
const WAITING: usize = 8;

/// `POST /api/jobs`.
pub(crate) async fn start(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Document(request): Document<Request>,
) -> Result<impl IntoResponse, Problem> {
    let asked = resolve(&request, service.limits())?;
    let session = service.session(&asked.task).await?;
    let slot = service.slot(client)?;
    let method = asked.task.method.clone();
    let seconds = asked.task.limits.seconds.unwrap_or_default();
    let patience = service.limits().patience();
    let (sender, receiver) = mpsc::channel(WAITING);
    let job = Arc::new(Job {
        id: random_id(),
        client: client.0,
        started: Instant::now(),
        monitor: Arc::default(),
        looking_at: Mutex::default(),
        messages: Mutex::new(Some(receiver)),
        answer: watch::Sender::new(None),
    });
    let mut batcher = Batcher::new(Arc::clone(&job), sender, &asked.task, patience);
    let worker = Arc::clone(&job);
    spawn(move || {
        let search = || {
            let mut listen = |event| batcher.push(event);
            let limits = &asked.task.limits;
            let listens = limits.traced > Some(0) || limits.glimpses.is_some();
            let events = listens.then_some(&mut listen as &mut dyn FnMut(Event));
            asked.run(&session, Watch { events, ..Watch::by(&worker.monitor) })
        };
        // A search that breaks down must not leave its readers waiting.
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(search));
        let broken = || Problem::broken("the search broke down");
        let answer = match &found {
            Ok(report) => serde_json::value::to_raw_value(report),
            Err(_) => serde_json::value::to_raw_value(&broken()),
        };
        let Ok(answer) = answer.map(Arc::<RawValue>::from) else { return };
        batcher.finish(found.map_or(0, |found| found.report.counts.expanded));
        // Whoever reads the report may start the next search at once.
        drop(slot);
        worker.answer.send_replace(Some(Arc::clone(&answer)));
        batcher.end(answer);
    })?;
    service.jobs().add(&job);
    tokio::spawn(guard(service, Arc::clone(&job), seconds, patience));
    let location = format!("/api/jobs/{}", job.id);
    let body = json!({
        "id": job.id,
        "events": format!("{location}/events"),
        "method": method,
        "policy": policy(&method),
    });
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
        tokio::time::sleep(patience).await;
        if job.has_reader() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = ended => return,
        () = unread => {}
        () = service.overdue(seconds) => {}
    }
    job.monitor.cancel();
}

/// Every field of a method's policy, so that a reader need not know the defaults.
fn policy(method: &Method) -> BTreeMap<&'static str, String> {
    let value = |field| Some((field, method.policy.get(field)?));
    Policy::FIELDS.into_iter().filter_map(value).collect()
}

/// A name that cannot be guessed.
fn random_id() -> String {
    let random = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", random(), random())
}
