//! The crate as its users call it.

#![allow(clippy::unwrap_used, reason = "in a test an error is a failure")]

#[path = "../../../tiles/tests/it/oracle.rs"]
mod oracle;

mod auto;
mod both_ends;
mod bounded;
mod changed_files;
mod counts;
mod folder;
mod large;
mod limits;
mod princeton;
mod report;
mod segments;
mod solve;
mod trust;
mod whole;

use std::fs;
use std::path::PathBuf;
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

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("taquin-{name}-{}", std::process::id()));
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.0).unwrap().map(|file| file.unwrap().path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
