//! Requests: JSON documents, and the tasks that they ask for.

use axum::body::to_bytes;
use axum::extract::FromRequest;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use taquin::{AUTO_TIME, Algorithm, Size, Task};
use taquin_lab::{Asked, Courses, Request};

use crate::limits::ServiceLimits;
use crate::problem::Problem;
use crate::service::Service;

/// A request's body, read as JSON within the limits of the service.
pub(crate) struct Document<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Service> for Document<T> {
    type Rejection = Problem;

    async fn from_request(
        request: axum::extract::Request,
        service: &Service,
    ) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
        // A form of another site could send anything else without asking.
        if kind.split(';').next().is_none_or(|kind| kind.trim() != "application/json") {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body has to be JSON",
            )
            .hint("send the header Content-Type: application/json"));
        }
        let most = service.limits().request;
        let too_large = || {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a request may have {most} bytes"))
        };
        let length = request.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > most as u64) {
            return Err(too_large());
        }
        let patience = service.limits().patience();
        let read = tokio::time::timeout(patience, to_bytes(request.into_body(), most)).await;
        let late = || Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time");
        let bytes = read.map_err(|_| late())?.map_err(|_| too_large())?;
        serde_json::from_slice(&bytes).map(Self).map_err(|error| {
            let is_data = error.classify() == serde_json::error::Category::Data;
            let status =
                if is_data { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
            Problem::new(status, error.to_string()).hint("the API is described in docs/api.md")
        })
    }
}

/// Makes a task of a request, within the limits of the service.
pub(crate) fn resolve(request: &Request, limits: &ServiceLimits) -> Result<Asked, Problem> {
    let threads = request.threads.unwrap_or(1).clamp(1, limits.threads);
    let request = Request { threads: Some(threads), ..request.clone() };
    let mut asked = request.resolve(Courses::BuiltIn)?;
    let Task { puzzle, method, limits: own, .. } = &mut asked.task;
    check_cells(puzzle.size(), limits)?;
    let seconds = own.seconds.filter(|seconds| *seconds >= 0.0);
    let seconds = seconds.unwrap_or_else(|| match method.algorithm {
        Algorithm::Auto => AUTO_TIME.as_secs_f64(),
        _ => limits.default_seconds,
    });
    own.seconds = Some(seconds.min(limits.seconds));
    own.memory = Some(own.memory.unwrap_or(u64::MAX).min(limits.memory));
    own.traced = Some(own.traced.unwrap_or(0).min(limits.traced(puzzle.size().cells())));
    Ok(asked)
}

/// Refuses boards that are larger than the service takes.
pub(crate) fn check_cells(size: Size, limits: &ServiceLimits) -> Result<(), Problem> {
    match size.cells() <= limits.cells {
        true => Ok(()),
        false => Err(Problem::invalid(format!(
            "a board of {size} is too large for the service: it takes {} cells",
            limits.cells
        ))
        .hint("run 'taquin solve' for larger boards")),
    }
}

pub(crate) fn read_size(text: &str) -> Result<Size, Problem> {
    text.parse().map_err(|error: taquin::SizeError| Problem::invalid(format!("size: {error}")))
}
