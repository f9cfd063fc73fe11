//! Searching one part.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use taquin_search::{Instant, Monitor, Outcome};
use taquin_solvers::{Journal, Scope, Snapshot};
use taquin_tiles::{Notation, write_moves};

use super::engine::FolderEngine;
use super::files::Format;
use super::{FolderError, FoundSolution, PartJournal, StoredRound, TaskFolder, ignored};
use crate::job::Job;
use crate::session::Session;
use crate::watch::Watch;

/// How a part is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartOptions {
    /// The number of threads.
    pub threads: usize,
    /// The time between two saves of the progress.
    pub interval: Duration,
}

/// How the search of a part ended.
#[derive(Clone, PartialEq, Debug)]
pub enum PartOutcome {
    /// It has no solution within the threshold.
    Done {
        /// The threshold.
        threshold: u32,
        /// The generated nodes.
        nodes: u64,
        /// The time, all attempts together.
        seconds: f64,
    },
    /// It was searched before.
    AlreadyDone,
    /// The threshold has fewer parts.
    Absent {
        /// Their number.
        parts: usize,
    },
    /// With a solution of this length.
    Found(usize),
    /// Another part has a solution.
    Solved,
    /// It was interrupted, and the progress is saved.
    Interrupted {
        /// The nodes that have been generated so far, in finished units.
        nodes: u64,
    },
}

/// The time between two looks for a solution of another part.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Searches a part of a folder's current threshold, and writes its journal or its solution there.
/// An invalid file is ignored, with a warning.
///
/// It fails if the folder cannot be read or written, or has no such part.
#[derive(Clone, Copy, Debug)]
pub struct SearchPart<'a> {
    /// The folder.
    pub folder: &'a TaskFolder,
    /// The number of the part, from 0.
    pub part: usize,
    /// How it is searched.
    pub options: PartOptions,
}

impl Job for SearchPart<'_> {
    type Output = Result<PartOutcome, FolderError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Self { folder, part, options } = self;
        let (monitor, warn) = (&watch.monitor, &ignored(&watch) as &(dyn Fn(&FolderError) + Sync));
        if part >= folder.tasks() {
            return Err(FolderError::Part { part, tasks: folder.tasks() });
        }
        let stored = folder.round()?;
        let parts = stored.parts();
        if accepted(folder.solution(&stored), warn).is_some() {
            return Ok(PartOutcome::Solved);
        }
        if part >= parts {
            return Ok(PartOutcome::Absent { parts });
        }
        if accepted(folder.result(&stored, part), warn).is_some() {
            return Ok(PartOutcome::AlreadyDone);
        }
        let resumed = accepted(folder.progress(&stored, part), warn);
        let engine = session.folder_engine(folder.task(), monitor)?;
        let work = PartWork { folder, stored: &stored, part, options, monitor, warn };
        let (done, waiting) = mpsc::channel::<()>();
        let end = thread::scope(|scope| {
            let (stored, work) = (&stored, &work);
            scope.spawn(move || {
                while waiting.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    if folder.solution(stored).is_ok_and(|found| found.is_some()) {
                        monitor.cancel();
                        break;
                    }
                }
            });
            let end = work.search(&engine, resumed);
            drop(done);
            end
        })?;
        match end {
            PartOutcome::Interrupted { .. } if matches!(folder.solution(&stored), Ok(Some(_))) => {
                Ok(PartOutcome::Solved)
            }
            end => Ok(end),
        }
    }
}

/// Returns a file that is accepted.
pub(super) fn accepted<T>(
    read: Result<Option<T>, FolderError>,
    warn: &(dyn Fn(&FolderError) + Sync),
) -> Option<T> {
    read.unwrap_or_else(|error| {
        warn(&error);
        None
    })
}

/// The search of one part.
struct PartWork<'a> {
    folder: &'a TaskFolder,
    stored: &'a StoredRound,
    part: usize,
    options: PartOptions,
    monitor: &'a Arc<Monitor>,
    warn: &'a (dyn Fn(&FolderError) + Sync),
}

impl PartWork<'_> {
    fn search(
        &self,
        engine: &FolderEngine<'_>,
        resumed: Option<PartJournal>,
    ) -> Result<PartOutcome, FolderError> {
        let Self { folder, stored, part, options, monitor, warn } = *self;
        let (started, round) = (Instant::now(), stored.id.clone());
        let (from, before) = match resumed {
            Some(PartJournal { snapshot, seconds, .. }) => (snapshot, seconds),
            None => (stored.snapshot.clone(), 0.0),
        };
        let seconds = || before + started.elapsed().as_secs_f64();
        let write = |snapshot: &Snapshot| {
            let (round, snapshot) = (round.clone(), snapshot.clone());
            let journal = PartJournal { round, part, snapshot, seconds: seconds() };
            folder.write_part(stored, journal)
        };
        let save = |snapshot: &Snapshot| {
            if engine.check_tables().is_ok()
                && let Err(error) = write(snapshot)
            {
                warn(&error);
            }
        };
        let journal = Journal::new(Some(from), &save, options.interval)
            .with_scope(Scope::Share(stored.share(part)));
        // One part also looks for a better solution.
        let search = engine.search(&journal, (options.threads, part == 0), monitor)?;
        let threshold = stored.snapshot.threshold;
        if journal.refusal().is_some() {
            let fact = "this program makes other roots than the program that wrote it";
            return Err(Format::ROUND.damaged(&folder.round_path(threshold), fact));
        }
        let snapshot = journal.snapshot();
        let nodes = snapshot.tally().generated;
        match search.outcome {
            Outcome::Solved(solution) => {
                let start = folder.task().puzzle.start();
                let moves = write_moves(&solution.actions, start, Notation::Blank);
                folder.write_solution(&FoundSolution {
                    round,
                    part: Some(part),
                    moves: moves.expect("a solution can be replayed"),
                    counts: search.counts,
                    seconds: seconds(),
                })?;
                Ok(PartOutcome::Found(solution.actions.len()))
            }
            // An interruption may come when the last unit has just been finished.
            outcome if outcome == Outcome::Exhausted || snapshot.has_all(stored.share(part)) => {
                write(&snapshot)?;
                Ok(PartOutcome::Done { threshold, nodes, seconds: seconds() })
            }
            _ => Ok(PartOutcome::Interrupted { nodes }),
        }
    }
}
