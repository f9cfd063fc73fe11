//! An error as a problem document (RFC 9457) with a hint.

#[cfg(feature = "server")]
use axum::response::{IntoResponse, Response};
use http::StatusCode;
#[cfg(feature = "server")]
use http::{HeaderValue, header};
use serde::Serialize;
use taquin::{MovesError, Place, ReadError};
use taquin_lab::{RequestError, RequestFault, SolutionError};

#[cfg(feature = "server")]
use crate::quota::QuotaError;
use crate::request::DESCRIBED;

/// A refused request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Problem {
    status: u16,
    title: &'static str,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The field of the request that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// The place in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
}

#[cfg(feature = "server")]
/// The seconds after which a client that was turned away may try again.
const LATER: HeaderValue = HeaderValue::from_static("2");

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or("Problem");
        let detail = cut(detail.into());
        Self { status: status.as_u16(), title, detail, hint: None, field: None, place: None }
    }

    /// A 422 response: the request is well-formed but invalid.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    fn maybe(self, hint: Option<String>) -> Self {
        Self { hint, ..self }
    }

    /// Names the field of the request that is wrong.
    pub(crate) fn field(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    fn at(self, place: Option<Place>) -> Self {
        Self { place, ..self }
    }

    /// A 501 response: the page asks its whole module next.
    pub(crate) fn for_the_whole() -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, "the whole module answers this")
    }

    /// A 404 response: the path is unknown.
    pub(crate) fn nowhere() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is nothing here").hint(DESCRIBED)
    }

    /// A 500 response: the service itself failed.
    pub(crate) fn broken(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
            .hint("this is a fault of taquin: please report what you sent")
    }
}

/// Leaves out the middle of a text that quotes a long input.
fn cut(text: String) -> String {
    const MAX_CHARACTERS: usize = 600;
    let count = text.chars().count();
    if count <= MAX_CHARACTERS {
        return text;
    }
    let part = |from: usize, length| text.chars().skip(from).take(length).collect::<String>();
    format!("{} .. {}", part(0, MAX_CHARACTERS - 200), part(count - 200, 200))
}

#[cfg(feature = "server")]
impl From<QuotaError> for Problem {
    fn from(full: QuotaError) -> Self {
        match full {
            QuotaError::Client => {
                Self::new(StatusCode::TOO_MANY_REQUESTS, "you have too many searches at a time")
                    .hint("wait for one of them to end, or cancel it")
            }
            QuotaError::All => Self::new(StatusCode::SERVICE_UNAVAILABLE, "all places are taken")
                .hint("try again in a few seconds"),
        }
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        Self::invalid(format!("board: {error}"))
            .field("board")
            .at(error.place())
            .maybe(error.hint().map(|hint| hint.to_string()))
    }
}

impl From<MovesError> for Problem {
    fn from(error: MovesError) -> Self {
        let problem = Self::invalid(format!("moves: {error}")).field("moves");
        problem.at(error.place()).maybe(error.hint())
    }
}

impl From<SolutionError> for Problem {
    fn from(error: SolutionError) -> Self {
        match error {
            SolutionError::Moves(error) => error.into(),
            other => Self::invalid(format!("moves: {other}")).field("moves"),
        }
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        let detail = match error.fault {
            RequestFault::Board(_) | RequestFault::Method(_) | RequestFault::Size(_) => {
                format!("{}: {error}", error.field)
            }
            _ => error.to_string(),
        };
        let hint = match error.fault {
            RequestFault::NoBoard => {
                Some("send a board, as in {\"board\": \"1 2 3/4 0 6/7 5 8\"}".to_owned())
            }
            RequestFault::TwoBoards => Some("send one of them".to_owned()),
            _ => error.hint(),
        };
        Self::invalid(detail).field(error.field.to_string()).at(error.place()).maybe(hint)
    }
}

#[cfg(feature = "server")]
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let kind = [(header::CONTENT_TYPE, "application/problem+json")];
        let status = StatusCode::from_u16(self.status).unwrap_or_default();
        let mut response = (status, kind, body).into_response();
        let full = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];
        if full.contains(&status) {
            response.headers_mut().insert(header::RETRY_AFTER, LATER);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_fits_on_a_screen() {
        let problem =
            Problem::invalid(format!("unknown field `{}`, expected some", "é".repeat(60_000)));
        assert_eq!(problem.detail.chars().count(), 604);
        assert!(problem.detail.starts_with("unknown field `éé"));
        assert!(problem.detail.ends_with("éé`, expected some"));
        assert_eq!(Problem::invalid("short").detail, "short");
    }
}
