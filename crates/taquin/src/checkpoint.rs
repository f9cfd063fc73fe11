//! A long search saved in a file, so that it can be resumed after an interruption.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_fast::{Checkpointing, Snapshot};
use taquin_search::{Counts, Monitor};
use taquin_tables::replace_file;

use crate::report::Report;
use crate::session::Session;
use crate::task::Task;

/// The version of the file format.
const VERSION: u32 = 1;

/// A task and the progress of its search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The version of the file format.
    #[serde(rename = "checkpoint")]
    version: u32,
    /// The task.
    pub task: Task,
    snapshot: Snapshot,
}

/// Why a checkpoint cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read or written.
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
    /// The method does not support checkpoints.
    #[error(
        "{method} does not support checkpoints: they work with ida:manhattan on boards of up to 16 \
         cells and with ida:pdb on boards of up to 25, with one blank and unit move costs"
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

    /// The proven lower bound and the counts so far.
    pub fn progress(&self) -> (u32, Counts) {
        (self.snapshot.threshold, self.snapshot.counts())
    }

    /// Replaces the file as a whole.
    fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let write =
            || replace_file(path, &[&serde_json::to_vec(self)?], |_| Ok::<(), io::Error>(()));
        write().map_err(|error| CheckpointError::File { path: path.to_owned(), error })
    }
}

impl Session {
    /// Runs a task as [`run`](Self::run) does, and saves its progress to a file, at intervals and when
    /// it ends early. With a checkpoint it resumes there.
    ///
    /// # Errors
    /// Fails if the method does not support checkpoints, or if the file cannot be written.
    pub fn run_with_checkpoint(
        &self,
        task: &Task,
        from: Option<&Checkpoint>,
        (path, every): (&Path, Duration),
        monitor: &Arc<Monitor>,
    ) -> Result<Report, CheckpointError> {
        let checkpoint = |snapshot: &Snapshot| Checkpoint {
            version: VERSION,
            task: task.clone(),
            snapshot: snapshot.clone(),
        };
        // A file that cannot be written is found now, not after half a minute.
        let snapshot = from.map(|from| from.snapshot.clone()).unwrap_or_default();
        checkpoint(&snapshot).write(path)?;
        let failure = Mutex::new(None);
        let save = |snapshot: &Snapshot| {
            let written = checkpoint(snapshot).write(path);
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = written.err();
        };
        let journal = Checkpointing { from: Some(snapshot), save: &save, every };
        let report = self.run_with_journal(task, monitor, journal);
        let mut report = report.ok_or_else(|| {
            // There is nothing to resume.
            let _ = fs::remove_file(path);
            CheckpointError::Method { method: task.method.to_string() }
        })?;
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            report.notes.push(format!("the last checkpoint could not be written: {error}"));
        }
        Ok(report)
    }
}
