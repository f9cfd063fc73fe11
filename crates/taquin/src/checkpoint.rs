//! A long search in a file, so that it can go on after an interruption.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_fast::{Journal, Snapshot};
use taquin_search::{Counts, Monitor};
use taquin_tables::replace_file;

use crate::report::Report;
use crate::session::Session;
use crate::task::Task;

/// The files of this form.
const VERSION: u32 = 1;

/// A search and how far it is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The form of the file.
    #[serde(rename = "checkpoint")]
    form: u32,
    /// What is being solved.
    pub task: Task,
    snapshot: Snapshot,
}

/// Why there is no checkpoint, or none can be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Nothing can be read or written there.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a checkpoint: {error}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where it differs.
        error: serde_json::Error,
    },
    /// The file was written by a newer release.
    #[error("{} was written by a newer release of this program", path.display())]
    Version {
        /// The file.
        path: PathBuf,
    },
    /// The method has no parts to write down.
    #[error(
        "{method} can't be written down: checkpoints are for ida:manhattan on boards of up to 16 \
         cells and for ida:pdb on boards of up to 25, with one blank and moves of cost 1"
    )]
    Method {
        /// The method.
        method: String,
    },
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// Fails if the file can't be read or is not a checkpoint.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let file = |error| CheckpointError::File { path: path.to_owned(), error };
        let content = |error| CheckpointError::Content { path: path.to_owned(), error };
        let text = fs::read(path).map_err(file)?;
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(content)?;
        if value.get("checkpoint").and_then(serde_json::Value::as_u64) > Some(VERSION.into()) {
            return Err(CheckpointError::Version { path: path.to_owned() });
        }
        serde_json::from_value(value).map_err(content)
    }

    /// The lower bound that is proven, and what has been counted.
    pub fn progress(&self) -> (u32, Counts) {
        (self.snapshot.threshold, self.snapshot.counts())
    }

    /// Writes the file whole, or leaves the former one.
    fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let write =
            || replace_file(path, &[&serde_json::to_vec(self)?], |_| Ok::<(), io::Error>(()));
        write().map_err(|error| CheckpointError::File { path: path.to_owned(), error })
    }
}

impl Session {
    /// Solves a task as [`work`](Self::work) does, and writes down how far it is, every so often and
    /// when it ends early. With a checkpoint it goes on from there.
    ///
    /// # Errors
    /// Fails if the method has no parts to write down, or nothing can be written to the file.
    pub fn work_in_parts(
        &self,
        task: &Task,
        from: Option<&Checkpoint>,
        (path, every): (&Path, Duration),
        monitor: &Arc<Monitor>,
    ) -> Result<Report, CheckpointError> {
        let checkpoint = |snapshot: &Snapshot| Checkpoint {
            form: VERSION,
            task: task.clone(),
            snapshot: snapshot.clone(),
        };
        // Better now than after half a minute.
        let snapshot = from.map(|from| from.snapshot.clone()).unwrap_or_default();
        checkpoint(&snapshot).write(path)?;
        let failure = Mutex::new(None);
        let save = |snapshot: &Snapshot| {
            let written = checkpoint(snapshot).write(path);
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = written.err();
        };
        let journal = Journal { from: Some(snapshot), save: &save, every };
        let report = self.by_journal(task, monitor, journal);
        let mut report = report.ok_or_else(|| {
            // There is nothing to go on with.
            let _ = fs::remove_file(path);
            CheckpointError::Method { method: task.method.to_string() }
        })?;
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            report.notes.push(format!("the last checkpoint could not be written: {error}"));
        }
        Ok(report)
    }
}
