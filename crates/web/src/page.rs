//! The files of the page, embedded in the program.

use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// A file of the page: its name, its media type and its text.
pub(crate) type File = (&'static str, &'static str, &'static str);

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";
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
    SCRIPT: "api.js", "app.js", "board.js", "controls.js", "dom.js", "lab.js", "methods.js", "race.js",
        "replay.js", "search.js", "share.js", "solution.js", "solvable.js", "theme.js", "tree.js", "whole.js", "words.js";
};

pub(crate) async fn file(method: Method, uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let is_read = method == Method::GET || method == Method::HEAD;
    match FILES.iter().find(|(name, ..)| *name == path && is_read) {
        Some((_, kind, text)) => ([(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => Problem::new(StatusCode::NOT_FOUND, "there is nothing here")
            .hint("the page is at /")
            .into_response(),
    }
}
