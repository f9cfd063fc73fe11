//! The files of the page, embedded in the program.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::problem::Problem;

/// A file of the page: its name, its media type and its text.
pub(crate) type File = (&'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
const JSON: &str = "application/json";
const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! files {
    ($($kind:ident: $($name:literal),+;)+) => {
        &[$($(($name, $kind, include_str!(concat!("../page/", $name)))),+),+]
    };
}

pub(crate) const FILES: &[File] = files! {
    HTML: "index.html";
    CSS: "style.css";
    SVG: "icon.svg";
    JSON: "lesson-admissible.json", "lesson-astar.json", "lesson-bidirectional.json", "lesson-blind.json",
        "lesson-greedy.json", "lesson-ida.json", "lesson-large.json", "lesson-parity.json", "lesson-pdb.json",
        "lesson-ties.json", "lesson-ucs.json";
    SCRIPT: "api.js", "app.js", "beside.js", "board.js", "controls.js", "dom.js", "embedded.js", "engine.js", "game.js", "ghost.js",
        "heuristic.js", "home.js",
        "lab.js", "language.js", "layers.js", "legend.js", "lesson.js", "lessons.js", "link.js",
        "methods.js", "moves.js", "narrated.js", "nodes.js", "open.js", "overview.js", "play.js", "present.js", "pseudocode.js", "qr.js", "quiz.js",
        "race.js", "records.js", "replay.js", "review.js", "scrambles.js", "search.js", "share.js", "shares.js",
        "solution.js", "solvable.js", "space.js", "step.js", "theme.js", "trace.js", "tree.js", "verdict.js", "whole.js", "words.de.js",
        "words.es.js", "words.js";
};

/// A file as it is sent: a tag made from its contents, and its compressed bytes.
struct Packed {
    tag: HeaderValue,
    bytes: Vec<u8>,
}

/// The files, packed on the first request.
static PACKED: LazyLock<Vec<Packed>> = LazyLock::new(|| FILES.iter().map(pack).collect());

fn pack((_, _, text): &File) -> Packed {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let tag = HeaderValue::try_from(format!("\"{:016x}\"", hasher.finish()));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail. If it did, the file would be sent uncompressed.
    let bytes = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    let tag = tag.unwrap_or(HeaderValue::from_static("\"\""));
    Packed { tag, bytes: bytes.unwrap_or_default() }
}

pub(crate) async fn file(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let is_read = method == Method::GET || method == Method::HEAD;
    let found = FILES.iter().zip(&*PACKED).find(|((name, ..), _)| *name == path && is_read);
    let Some(((_, kind, text), Packed { tag, bytes })) = found else {
        return Problem::new(StatusCode::NOT_FOUND, "there is nothing here")
            .hint("the page is at /")
            .into_response();
    };
    let about = [(header::ETAG, tag.clone()), (header::VARY, ACCEPTS)];
    if headers.get(header::IF_NONE_MATCH) == Some(tag) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let kind = [(header::CONTENT_TYPE, *kind)];
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let names = accepted.unwrap_or("").split(',').map(|name| name.split(';').next().unwrap_or(""));
    match names.map(str::trim).any(|name| name == "gzip") && !bytes.is_empty() {
        true => {
            (about, kind, [(header::CONTENT_ENCODING, "gzip")], bytes.as_slice()).into_response()
        }
        false => (about, kind, *text).into_response(),
    }
}

const ACCEPTS: HeaderValue = HeaderValue::from_static("accept-encoding");
