//! The requests that get one answer, for the server and for the page without one.

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use taquin::{IS_FIRST, Monitor, Session, Task, Watch};
use taquin_lab::{Course, Listing, explain, instances};

use crate::answers::{self, GenerateRequest, Step, VerifyRequest};
use crate::limits::ServiceLimits;
use crate::problem::Problem;
use crate::request::{for_this_module, read, resolve};
use crate::space::{self, SpaceRequest};

/// The paths after `/api/` that are read, and those to which a document is posted.
#[cfg(feature = "server")]
pub(crate) const READ: [&str; 4] = ["/methods", "/courses", "/instances", "/instances/{name}"];
#[cfg(feature = "server")]
pub(crate) const POSTED: [&str; 9] = [
    "/check",
    "/convert",
    "/verify",
    "/heuristic",
    "/gen",
    "/solve",
    "/explain",
    "/narrate",
    "/space",
];

/// A document in JSON.
pub(crate) type Json = Box<RawValue>;

/// How a request is answered.
pub(crate) enum Work {
    /// At once.
    Answer(Json),
    /// Within the limits for the task that needs the tables, or for the service.
    Run(
        #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "the server asks for it"))]
        Option<Box<Task>>,
        Box<Handler>,
    ),
}

type Handler = dyn FnOnce(&Session, &Arc<Monitor>) -> Result<Json, Problem> + Send;

/// Returns how a request is answered. `path` is the part of the address after `/api/`.
pub(crate) fn route(
    path: &str,
    query: &str,
    body: &[u8],
    limits: &ServiceLimits,
) -> Result<Work, Problem> {
    let memory = limits.memory;
    match path {
        // These are for the whole module.
        "methods" | "courses" | "instances" | "verify" | "gen" | "narrate" | "space"
            if IS_FIRST =>
        {
            Err(Problem::for_the_whole())
        }
        "methods" if !IS_FIRST => now(&Listing::new()),
        "courses" if !IS_FIRST => now(&Course::built_in()),
        "instances" if !IS_FIRST => now(&instances::named().collect::<Vec<_>>()),
        "check" => now(&answers::check(&read(body)?, limits)?),
        "convert" => now(&answers::convert(&read(body)?, limits)?),
        "verify" if !IS_FIRST => {
            let asked = VerifyRequest::read(body, limits)?;
            later(Some(asked.task().clone()), move |session, monitor| {
                json(&asked.verdict(session, monitor)?)
            })
        }
        "heuristic" => {
            let Task { puzzle, cost, .. } = resolve(&read(body)?, limits)?.task;
            later(None, move |session, _| json(&answers::heuristic(session, &puzzle, &cost)))
        }
        "gen" if !IS_FIRST => {
            let plan = read::<GenerateRequest>(body)?.plan(limits)?;
            later(None, move |session, monitor| {
                json(&answers::generate(plan, session, memory, monitor)?)
            })
        }
        "solve" => {
            let asked = for_this_module(resolve(&read(body)?, limits)?)?;
            later(Some(asked.task.clone()), move |session, monitor| {
                json(&asked.run(session, Watch::by(monitor)))
            })
        }
        "explain" => {
            let (task, step, rivals) = Step::read(query)?.task(&read(body)?, limits)?;
            later(Some(task.clone()), move |session, monitor| {
                let told = explain(session, &task, step, rivals, monitor);
                json(&told.map_err(answers::no_step)?)
            })
        }
        "narrate" if !IS_FIRST => {
            let asked = answers::narrated(&read(body)?, limits)?;
            later(Some(asked.task.clone()), move |session, monitor| {
                json(&answers::narrate(&asked, session, monitor))
            })
        }
        "space" if !IS_FIRST => {
            let goal = read::<SpaceRequest>(body)?.goal(limits)?;
            later(None, move |session, monitor| {
                json(&space::explore(&goal, session, memory, monitor)?)
            })
        }
        path => match path.strip_prefix("instances/") {
            Some(_) if IS_FIRST => Err(Problem::for_the_whole()),
            Some(name) => now(&answers::instances(name)?),
            None => Err(Problem::nowhere()),
        },
    }
}

pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> Result<Json, Problem> {
    to_raw_value(value).map_err(|error| Problem::broken(error.to_string()))
}

fn now(value: &impl Serialize) -> Result<Work, Problem> {
    json(value).map(Work::Answer)
}

#[expect(clippy::unnecessary_wraps, reason = "it ends the arms of a match")]
fn later(
    task: Option<Task>,
    run: impl FnOnce(&Session, &Arc<Monitor>) -> Result<Json, Problem> + Send + 'static,
) -> Result<Work, Problem> {
    Ok(Work::Run(task.map(Box::new), Box::new(run)))
}
