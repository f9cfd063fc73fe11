//! The service: its state, its routes, and how it runs searches.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, middleware};
use serde::Serialize;
use serde_json::json;
use taquin::{Estimate, Monitor, Partition, Session, Task, Watch, build_command};
use taquin_lab::instances;
use taquin_lab::{Course, Listing, Request, explain};
use tokio::sync::{oneshot, watch};

use crate::answers::{self, ConvertAsked, GenAsked, Step};
use crate::document::Document;
use crate::guard::{self, Guard};
use crate::jobs::Jobs;
use crate::limits::ServiceLimits;
use crate::page;
use crate::problem::Problem;
use crate::proxy::{self, Proxies};
use crate::quota::{Quota, Slot};
use crate::request::{DESCRIBED, resolve};
use crate::space::SpaceAsked;

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
const SLACK: Duration = Duration::from_secs(2);

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
        let time = Duration::try_from_secs_f64(seconds).unwrap_or_default() + SLACK;
        let ended = async move {
            // An error means that the service is gone.
            let _ = ending.wait_for(|ending| *ending).await;
        };
        tokio::select! {
            () = ended => {}
            () = tokio::time::sleep(time) => {}
        }
    }

    /// The session for a task, if its tables can be had without building them.
    pub(crate) async fn session(&self, task: &Task) -> Result<Session, Problem> {
        let session = self.0.session.clone();
        let estimate = task.method.estimate.as_ref();
        let needed: Vec<Partition> =
            estimate.into_iter().flat_map(Estimate::partitions).cloned().collect();
        let zero_aware: Vec<Partition> =
            estimate.into_iter().flat_map(Estimate::zero_aware_partitions).cloned().collect();
        if needed.is_empty() && zero_aware.is_empty() {
            return Ok(session);
        }
        let (asked, goal) = (session.clone(), task.puzzle.goal().clone());
        let built_for = goal.clone();
        let missing = tokio::task::spawn_blocking(move || {
            let patterns = needed.into_iter().find(|partition| !asked.has_tables(&goal, partition));
            let is_missing = |partition: &Partition| !asked.has_zero_aware_tables(&goal, partition);
            let zero_aware = || zero_aware.into_iter().find(is_missing);
            let plain = patterns.map(|partition| (partition, false));
            plain.or_else(|| zero_aware().map(|missing| (missing, true)))
        });
        match missing.await {
            Ok(None) => Ok(session),
            Ok(Some((partition, zero_aware))) => {
                let kind = if zero_aware { "zero-aware " } else { "" };
                let command = build_command(&partition, zero_aware, &built_for, None);
                Err(Problem::invalid(format!("the {kind}databases of {partition} are not cached"))
                    .hint(format!("run '{command}' once, or choose another heuristic")))
            }
            Err(error) => Err(Problem::broken(error.to_string())),
        }
    }

    /// Does some work on a thread of its own; it is cancelled when its time is up, when the client has
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
        .route("/methods", get(async || Answer(Listing::new())))
        .route("/courses", get(async || Answer(Course::built_in())))
        .route("/instances", get(async || Answer(instances::named().collect::<Vec<_>>())))
        .route(
            "/instances/{name}",
            get(async |Path(name): Id| answers::instances(&name).map(Answer)),
        )
        .route("/check", post(check))
        .route("/convert", post(convert))
        .route("/heuristic", post(heuristic))
        .route("/gen", post(generate))
        .route("/solve", post(solve))
        .route("/explain", post(explain_step))
        .route("/narrate", post(narrate))
        .route("/space", post(space))
        .route("/", get(async || ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], API)))
        .route("/jobs", post(crate::jobs::start))
        .route("/jobs/{id}", get(crate::jobs::look).delete(crate::jobs::cancel))
        .route("/jobs/{id}/events", get(crate::stream::events))
        .route("/messages", get(crate::poll::messages))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_allowed);
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

async fn nowhere() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is nothing here").hint(DESCRIBED)
}

async fn not_allowed() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this address does not take that method")
        .hint(DESCRIBED)
}

async fn status(State(service): State<Service>) -> impl IntoResponse {
    Answer(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "running": service.0.quota.taken(),
        "address": service.0.public_address,
        "limits": service.limits(),
    }))
}

async fn check(
    State(service): State<Service>,
    Document(request): Document<Request>,
) -> Result<impl IntoResponse, Problem> {
    Ok(Answer(answers::check(&request, service.limits())?))
}

async fn convert(
    State(service): State<Service>,
    Document(asked): Document<ConvertAsked>,
) -> Result<impl IntoResponse, Problem> {
    Ok(Answer(answers::convert(&asked, service.limits())?))
}

async fn heuristic(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Document(request): Document<Request>,
) -> Result<impl IntoResponse, Problem> {
    let Task { puzzle, cost, .. } = resolve(&request, service.limits())?.task;
    let session = service.0.session.clone();
    let seconds = service.limits().default_seconds;
    let work = move |_: &Arc<Monitor>| answers::heuristic(&session, &puzzle, &cost);
    Ok(Answer(service.work(client, seconds, work).await?))
}

async fn generate(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Document(asked): Document<GenAsked>,
) -> Result<impl IntoResponse, Problem> {
    let plan = asked.plan(service.limits())?;
    let (session, memory) = (service.0.session.clone(), service.limits().memory);
    let seconds = service.limits().default_seconds;
    let work = move |monitor: &Arc<Monitor>| answers::generate(plan, &session, memory, monitor);
    Ok(Answer(service.work(client, seconds, work).await??))
}

async fn solve(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Document(request): Document<Request>,
) -> Result<impl IntoResponse, Problem> {
    let asked = resolve(&request, service.limits())?;
    let session = service.session(&asked.task).await?;
    let seconds = asked.task.limits.seconds.unwrap_or_default();
    let work = move |monitor: &Arc<Monitor>| asked.run(&session, Watch::by(monitor));
    Ok(Answer(service.work(client, seconds, work).await?))
}

async fn explain_step(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    step: Result<axum::extract::Query<Step>, axum::extract::rejection::QueryRejection>,
    Document(request): Document<Request>,
) -> Result<impl IntoResponse, Problem> {
    let axum::extract::Query(step) = step.map_err(|error| {
        Problem::invalid(error.body_text()).hint("write /api/explain?step=3&rivals=5")
    })?;
    let (task, step, rivals) = step.task(&request, service.limits())?;
    let session = service.session(&task).await?;
    let seconds = task.limits.seconds.unwrap_or_default();
    let work = move |monitor: &Arc<Monitor>| explain(&session, &task, step, rivals, monitor);
    service.work(client, seconds, work).await?.map(Answer).map_err(answers::no_step)
}

async fn narrate(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Document(request): Document<Request>,
) -> Result<impl IntoResponse, Problem> {
    let asked = answers::narrated(&request, service.limits())?;
    let session = service.session(&asked.task).await?;
    let seconds = asked.task.limits.seconds.unwrap_or_default();
    let work = move |monitor: &Arc<Monitor>| answers::narrate(&asked, &session, monitor);
    Ok(Answer(service.work(client, seconds, work).await?))
}

async fn space(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Document(asked): Document<SpaceAsked>,
) -> Result<impl IntoResponse, Problem> {
    let goal = asked.goal(service.limits())?;
    let (memory, seconds) = (service.limits().memory, service.limits().default_seconds);
    let session = service.0.session.clone();
    let work =
        move |monitor: &Arc<Monitor>| crate::space::explore(&goal, &session, memory, monitor);
    Ok(Answer(service.work(client, seconds, work).await??))
}

/// A name in a path.
pub(crate) type Id = Path<String>;
