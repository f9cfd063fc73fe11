//! Which requests are accepted, and what browsers may do with the responses.

use std::sync::LazyLock;

use axum::extract::{Query, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// Which requests are accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) port: u16,
    /// Whether the service is meant for other machines, which use any name for this one.
    pub(crate) is_named: bool,
}

/// The page uses its own scripts, styles and pictures, and nothing from elsewhere; text never
/// becomes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    // The page belongs to the program that sent it.
    (CACHE_CONTROL, "no-cache"),
];

/// The same for a single panel, which pages of courses may frame: there is nothing on it that a
/// click could give away.
static FRAMED: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *");
    HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static(POLICY))
});

pub(crate) async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let is_panel = request.uri().path() == "/" && shows_a_panel(request.uri());
    let mut response = match guard.objection(&request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if is_panel {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, FRAMED.clone());
    }
    response
}

/// The panels that can be shown alone, as the page has them (`theme.js`).
const PANELS: [&str; 7] = ["board", "tree", "race", "solvable", "heuristic", "space", "lesson"];

/// Whether the page shows a panel alone at this address: the first parameter `panel` names it.
fn shows_a_panel(uri: &Uri) -> bool {
    let Ok(Query(fields)) = Query::<Vec<(String, String)>>::try_from_uri(uri) else { return false };
    let panel = fields.iter().find(|(name, _)| name == "panel");
    panel.is_some_and(|(_, panel)| PANELS.contains(&panel.as_str()))
}

impl Guard {
    fn objection(self, request: &Request) -> Option<Problem> {
        let headers = request.headers();
        // RFC 9112, section 3.2.
        if headers.get_all(HOST).iter().count() > 1 {
            return Some(Problem::new(StatusCode::BAD_REQUEST, "there are several Host headers"));
        }
        let named = request.uri().authority().map(Authority::as_str);
        let Some(host) = named.or_else(|| text(headers, &HOST)) else {
            return Some(Problem::new(StatusCode::BAD_REQUEST, "there is no Host header"));
        };
        // Prevents DNS rebinding.
        if !self.is_named && !self.is_own(host) {
            let detail = "the service does not answer to that name";
            return Some(
                Problem::new(StatusCode::MISDIRECTED_REQUEST, detail)
                    .hint(format!("write http://127.0.0.1:{}/", self.port)),
            );
        }
        // A proxy may have added the encryption.
        let own = ["http", "https"].map(|scheme| format!("{scheme}://{host}"));
        let foreign =
            text(headers, &ORIGIN).is_some_and(|origin| !own.iter().any(|own| own == origin));
        let is_api = request.uri().path().starts_with("/api/");
        let site = HeaderName::from_static("sec-fetch-site");
        let sent_from_elsewhere = is_api
            && text(headers, &site).is_some_and(|site| site != "same-origin" && site != "none");
        (foreign || sent_from_elsewhere).then(|| {
            Problem::new(StatusCode::FORBIDDEN, "pages of other sites may not use this service")
        })
    }

    /// Whether a host names this machine and this port.
    fn is_own(self, host: &str) -> bool {
        let port = format!(":{}", self.port);
        let name = host.strip_suffix(port.as_str()).unwrap_or(host);
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| name.eq_ignore_ascii_case(own))
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    // A value that is not text matches no name.
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}
