//! The crate as its users call it.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

mod notation;
mod reach;
mod read;
mod write;
