//! The crate as its users call it.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

#[path = "../../../tiles/tests/it/oracle.rs"]
mod oracle;

mod counts;
mod large;
mod limits;
mod princeton;
mod report;
mod solve;
mod whole;
