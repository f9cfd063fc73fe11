//! The service as its clients see it: over a real connection.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod api;
mod book;
mod client;
mod guard;
mod jobs;
mod load;
mod poll;
mod space;

/// A board that no blind search solves in our time.
const HARD: &str = "14 15 8 12/10 11 9 13/2 6 5 1/3 7 4 0";

/// A task that runs until it is cancelled or its time is up, and needs no memory.
fn endless() -> serde_json::Value {
    serde_json::json!({ "board": HARD, "method": "ids", "limits": { "seconds": 100 } })
}
