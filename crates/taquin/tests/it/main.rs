//! The crate as its users call it.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

#[path = "../../../tiles/tests/it/oracle.rs"]
mod oracle;

mod auto;
mod counts;
mod folder;
mod large;
mod limits;
mod princeton;
mod report;
mod solve;
mod trust;
mod whole;

use std::sync::Arc;
use std::thread::JoinHandle;

use taquin::{Monitor, Report, Session, Watch};

/// Runs a task in another thread.
fn start(task: taquin::Task) -> (Arc<Monitor>, JoinHandle<Report>) {
    let monitor = Arc::new(Monitor::default());
    let watched = Arc::clone(&monitor);
    let run = move || Session::without_folder().run(&task, Watch::by(&watched));
    (monitor, std::thread::spawn(run))
}
