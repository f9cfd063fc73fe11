//! Requests, and the tasks made from them.

use http::StatusCode;
use serde::de::DeserializeOwned;
use taquin::{AUTO_TIME, Algorithm, IS_FIRST, Size, Task};
use taquin_lab::{Courses, Request, ResolvedRequest};

use crate::limits::ServiceLimits;
use crate::problem::Problem;

/// Where requests are described: in the repository, and by the service itself.
pub(crate) const DESCRIBED: &str =
    "the API is described in docs/api.md, and at /api of 'taquin serve'";

/// Reads a JSON document. Reports an unsuitable value with its field and, in plain words, the
/// expected value.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let field = error.path().to_string();
        (Some(field).filter(|field| field != "."), error.into_inner())
    });
    match value.and_then(|value| reader.end().map(|()| value).map_err(|error| (None, error))) {
        Ok(value) => Ok(value),
        Err((field, error)) => {
            let is_data = error.classify() == serde_json::error::Category::Data;
            let status =
                if is_data { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
            let message = in_plain_words(&error.to_string());
            Err(match field {
                Some(field) => Problem::new(status, format!("{field}: {message}")).field(field),
                None => Problem::new(status, message),
            }
            .hint(DESCRIBED))
        }
    }
}

/// Replaces the names of Rust's types.
fn in_plain_words(message: &str) -> String {
    let whole = |most: u64| format!("a whole number from 0 to {most}");
    let types = [
        // Its largest value differs between machines and browsers.
        ("usize", "a whole number, 0 or more".to_owned()),
        ("u64", whole(u64::MAX)),
        ("u32", whole(u32::MAX.into())),
        ("u16", whole(u16::MAX.into())),
        ("u8", whole(u8::MAX.into())),
        ("f64", "a number".to_owned()),
        ("a string", "a text".to_owned()),
        ("a boolean", "true or false".to_owned()),
    ];
    let name = |text: &str| format!("expected {text} at ");
    types.iter().fold(message.to_owned(), |message, (written, plain)| {
        message.replacen(&name(written), &name(plain), 1)
    })
}

/// Makes a task from a request, within the service's limits.
pub(crate) fn resolve(
    request: &Request,
    limits: &ServiceLimits,
) -> Result<ResolvedRequest, Problem> {
    if IS_FIRST && request.course.is_some() {
        return Err(Problem::for_the_whole());
    }
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

/// Leaves a search to the whole module, if this is the one that a page loads first.
pub(crate) fn for_this_module(asked: ResolvedRequest) -> Result<ResolvedRequest, Problem> {
    match !IS_FIRST || asked.task.is_in_first() {
        true => Ok(asked),
        false => Err(Problem::for_the_whole()),
    }
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
    text.parse().map_err(|error: taquin::SizeError| {
        Problem::invalid(format!("size: {error}")).field("size")
    })
}
