//! Rules for the repository as a whole.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

mod commands;
mod dependencies;
mod hermetic;
mod licences;
mod packages;
#[cfg(unix)]
mod page;
mod workspace;
