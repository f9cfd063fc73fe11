//! The bodies of HTTP requests.

use axum::body::{Bytes, to_bytes};
use axum::extract::FromRequest;
use axum::http::{StatusCode, header};

use crate::problem::Problem;
use crate::service::Service;

/// A request's body, which claims to be JSON and is within the limits of the service.
pub(crate) struct Document(pub(crate) Bytes);

impl FromRequest<Service> for Document {
    type Rejection = Problem;

    async fn from_request(
        request: axum::extract::Request,
        service: &Service,
    ) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
        // A form of another site could send anything else without asking.
        if kind
            .split(';')
            .next()
            .is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/json"))
        {
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
        Ok(Self(read.map_err(|_| late())?.map_err(|_| too_large())?))
    }
}
