//! The crate as its users call it.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

mod heuristics;
mod notation;
mod oracle;
mod reach;
mod read;
mod scramble;
mod spaces;
mod write;
