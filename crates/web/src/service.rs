//! The service: its state, its routes, and how it runs searches.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, middleware};
use serde::Serialize;
use taquin::{Estimate, Monitor, Session, Task};
use tokio::sync::{oneshot, watch};

use crate::build_command::build_command;
use crate::document::Document;
use crate::guard::{self, Guard};
use crate::jobs::Jobs;
use crate::limits::ServiceLimits;
use crate::page;
use crate::problem::Problem;
use crate::proxy::{self, Proxies};
use crate::quota::{Quota, Slot};
use crate::request::DESCRIBED;
use crate::routes::{Json, POSTED, READ, Work, route};

/// Everything that requests share.
#[derive(Clone, Debug)]
pub(crate) struct Service(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: ServiceLimits,
    quota: Arc<Quota>,
    session: Session,
    /// The address of the page for other machines.
    public_address: Option<String>,
    jobs: Jobs,
    /// Becomes true when everything has to end.
    ending: watch::Sender<bool>,
}

/// The address of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client(pub(crate) IpAddr);

/// A response in JSON.
pub(crate) struct Answer<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Answer<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
            Err(error) => Problem::broken(error.to_string()).into_response(),
        }
    }
}

/// A search is cancelled this long after its own limit, which does not include the time for tables.
const TABLE_TIME: Duration = Duration::from_secs(2);

impl Service {
    pub(crate) fn new(
        limits: ServiceLimits,
        session: Session,
        public_address: Option<String>,
    ) -> Self {
        let quota = Quota::new(limits.jobs, limits.jobs_each);
        let jobs = Jobs::default();
        let ending = watch::Sender::new(false);
        Self(Arc::new(Inner { limits, quota, session, public_address, jobs, ending }))
    }

    pub(crate) fn limits(&self) -> &ServiceLimits {
        &self.0.limits
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    pub(crate) fn slot(&self, client: Client) -> Result<Slot, Problem> {
        Ok(self.0.quota.take(client.0, false)?)
    }

    /// Ends every search.
    pub(crate) fn end(&self) {
        self.0.ending.send_replace(true);
    }

    /// Waits until the service ends, or a task has had its time.
    pub(crate) async fn overdue(&self, seconds: f64) {
        let mut ending = self.0.ending.subscribe();
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default() + TABLE_TIME;
        let ended = async move {
            // An error means that the service is gone.
            let _ = ending.wait_for(|ending| *ending).await;
        };
        tokio::select! {
            () = ended => {}
            () = tokio::time::sleep(time) => {}
        }
    }

    /// The session for a task, if its tables are available without building them.
    pub(crate) async fn session(&self, task: &Task) -> Result<Session, Problem> {
        let session = self.0.session.clone();
        let estimate = task.method.estimate.as_ref();
        let needed: Vec<Estimate> =
            estimate.into_iter().flat_map(Estimate::databases).cloned().collect();
        if needed.is_empty() {
            return Ok(session);
        }
        let (asked, goal) = (session.clone(), task.puzzle.goal().clone());
        let missing = tokio::task::spawn_blocking(move || {
            needed.into_iter().find(|databases| !asked.has_tables(&goal, databases))
        });
        match missing.await {
            Ok(None) => Ok(session),
            Ok(Some(missing)) => {
                let command = build_command(&missing, task.puzzle.goal(), None);
                Err(Problem::invalid(format!("the databases of {missing} are not cached"))
                    .hint(format!("run '{command}' once, or choose another heuristic")))
            }
            Err(error) => Err(Problem::broken(error.to_string())),
        }
    }

    /// Does some work on a separate thread. Cancels it when its time is up, when the client has
    /// gone, and when the service ends.
    async fn work<T: Send + 'static>(
        &self,
        client: Client,
        seconds: f64,
        work: impl FnOnce(&Arc<Monitor>) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let slot = self.slot(client)?;
        let monitor = Arc::new(Monitor::default());
        let _guard = CancelOnDrop(Arc::clone(&monitor));
        let (sender, mut receiver) = oneshot::channel();
        let watched = Arc::clone(&monitor);
        spawn(move || {
            let value = work(&watched);
            drop(slot);
            // The client may have gone.
            let _ = sender.send(value);
        })?;
        let value = tokio::select! {
            value = &mut receiver => value,
            () = self.overdue(seconds) => {
                monitor.cancel();
                receiver.await
            }
        };
        value.map_err(|_| Problem::broken("the search broke down"))
    }
}

/// Starts a thread.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> Result<(), Problem> {
    let started = std::thread::Builder::new().name("search".to_owned()).spawn(work);
    started.map(|_| ()).map_err(|error| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("no thread can be started: {error}"))
            .hint("try again in a few seconds")
    })
}

/// Cancels a search when it is dropped.
pub(crate) struct CancelOnDrop(pub(crate) Arc<Monitor>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// All that the service answers.
pub(crate) fn router(service: Service, guard: Guard, proxies: Proxies) -> Router {
    let api = Router::new()
        .route("/status", get(status))
        .route("/", get(async || ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], API)))
        .route("/jobs", post(crate::jobs::start))
        .route("/jobs/{id}", get(crate::jobs::look).delete(crate::jobs::cancel))
        .route("/jobs/{id}/events", get(crate::stream::events))
        .route("/messages", get(crate::poll::messages))
        .fallback(async || Problem::nowhere())
        .method_not_allowed_fallback(not_allowed);
    let api = READ.iter().fold(api, |api, path| api.route(path, get(answer)));
    let api = POSTED.iter().fold(api, |api, path| api.route(path, post(answer)));
    Router::new()
        .nest("/api", api)
        .fallback(page::file)
        .method_not_allowed_fallback(not_allowed)
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(guard, guard::check))
        .layer(middleware::from_fn_with_state(proxies, proxy::find_client))
        .with_state(service)
}

/// The description of the API.
const API: &str = include_str!("../api.md");

async fn not_allowed() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not take that method")
        .hint(DESCRIBED)
}

async fn status(State(service): State<Service>) -> impl IntoResponse {
    let Inner { limits, quota, public_address, .. } = &*service.0;
    Answer(limits.status(quota.taken(), public_address.as_deref()))
}

/// Answers a request as the page without a server does, on a separate thread if it takes time.
async fn answer(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Answer<Json>, Problem> {
    let uri = request.uri().clone();
    let body = match request.method() {
        &Method::POST => Document::from_request(request, &service).await?.0,
        _ => Bytes::new(),
    };
    let path = uri.path().trim_start_matches('/');
    let (task, run) = match route(path, uri.query().unwrap_or(""), &body, service.limits())? {
        Work::Answer(answer) => return Ok(Answer(answer)),
        Work::Run(task, run) => (task, run),
    };
    let (session, seconds) = match task {
        Some(task) => (service.session(&task).await?, task.limits.seconds.unwrap_or_default()),
        None => (service.0.session.clone(), service.limits().default_seconds),
    };
    service.work(client, seconds, move |monitor| run(&session, monitor)).await?.map(Answer)
}

/// A name in a path.
pub(crate) type Id = Path<String>;
