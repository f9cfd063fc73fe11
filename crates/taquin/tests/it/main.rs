//! The crate as its users call it.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

#[path = "../../../tiles/tests/it/oracle.rs"]
mod oracle;

mod limits;
mod solve;
