//! Searching one part.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, thread};

use taquin_fast::{Journal, Snapshot, SubtreeEnd, SubtreeSearch, SweepCounts};
use taquin_search::{Instant, Limits, Monitor};
use taquin_tiles::{Notation, write_moves};

use super::engine::FolderEngine;
use super::files::Format;
use super::round::StoredRound;
use super::{FolderError, FoundSolution, PartProgress, PartResult, TaskFolder};
use crate::session::Session;

/// How a part is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartOptions {
    /// The number of threads.
    pub threads: usize,
    /// The time after which the progress is saved.
    pub every: Duration,
}

/// What came of a part.
#[derive(Clone, PartialEq, Debug)]
pub enum PartEnd {
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
    Known,
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
        /// The nodes that have been generated so far, in subtrees that are done.
        nodes: u64,
    },
}

/// The time after which to look again whether another part has a solution.
const LOOK: Duration = Duration::from_secs(1);

impl Session {
    /// Searches a part of the current threshold, and writes what comes of it into the folder. `warn`
    /// is called with every file that cannot be believed, and is ignored.
    ///
    /// # Errors
    /// Fails if the folder cannot be read or written, or has no such part.
    pub fn run_part(
        &self,
        folder: &TaskFolder,
        part: usize,
        options: PartOptions,
        monitor: &Arc<Monitor>,
        warn: &(dyn Fn(&FolderError) + Sync),
    ) -> Result<PartEnd, FolderError> {
        if part >= folder.tasks() {
            return Err(FolderError::Part { part, tasks: folder.tasks() });
        }
        let stored = folder.round()?;
        let parts = stored.round.parts.len();
        if believed(folder.solution(&stored), warn).is_some() {
            return Ok(PartEnd::Solved);
        }
        if part >= parts {
            return Ok(PartEnd::Absent { parts });
        }
        if believed(folder.result(&stored, part), warn).is_some() {
            return Ok(PartEnd::Known);
        }
        let resumed = believed(folder.progress(&stored, part), warn);
        let engine = self.folder_engine(folder.task(), monitor)?;
        let work = PartWork { folder, stored: &stored, part, options, monitor, warn };
        let (done, waiting) = mpsc::channel::<()>();
        let end = thread::scope(|scope| {
            let (stored, work) = (&stored, &work);
            scope.spawn(move || {
                while waiting.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
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
            PartEnd::Interrupted { .. } if matches!(folder.solution(&stored), Ok(Some(_))) => {
                Ok(PartEnd::Solved)
            }
            end => Ok(end),
        }
    }
}

/// Returns a file that can be believed.
pub(super) fn believed<T>(
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
        resumed: Option<PartProgress>,
    ) -> Result<PartEnd, FolderError> {
        let Self { folder, stored, part, options, monitor, warn } = *self;
        let StoredRound { round, id } = stored;
        let start = folder.task().puzzle.start();
        let guarded = engine.session.guarded(monitor);
        let limits = Limits { monitor: Some(guarded), ..Limits::default() };
        let started = Instant::now();
        let (mut done, mut current, before) = match resumed {
            Some(PartProgress { done, current, seconds, .. }) => (done, Some(current), seconds),
            None => (Vec::new(), None, 0.0),
        };
        let seconds = || before + started.elapsed().as_secs_f64();
        let saved = Mutex::new(started);
        let save = |done: &[SweepCounts], current: &Snapshot| {
            if engine.check_tables().is_err() {
                return;
            }
            let progress = PartProgress {
                round: id.clone(),
                part,
                done: done.to_vec(),
                current: current.clone(),
                seconds: seconds(),
            };
            if let Err(error) = folder.write_progress(stored, progress) {
                warn(&error);
            }
            *saved.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        };
        for subtree in done.len()..round.parts[part].len() {
            // The snapshots of short subtrees would never be saved.
            let elapsed = saved.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
            if elapsed >= options.every {
                save(&done, &Snapshot::default());
            }
            let saver = |current: &Snapshot| save(&done, current);
            let journal = Journal::new(current.take(), &saver, options.every);
            let place = (part, subtree);
            let searched = engine.search_part(round, place, options.threads, &limits, &journal);
            engine.check_tables()?;
            if journal.refusal().is_some() {
                let path = folder.part_path(round.threshold, part, "saved");
                return Err(Format::PROGRESS.other(&path));
            }
            let SubtreeSearch { end, counts } = searched
                .map_err(|fact| Format::ROUND.damaged(&folder.round_path(round.threshold), fact))?;
            let total = |done: &[SweepCounts]| {
                let mut total = SweepCounts::default();
                for counts in done {
                    total.add(counts);
                }
                total
            };
            match end {
                SubtreeEnd::Complete => done.push(counts),
                SubtreeEnd::Solved(actions) => {
                    done.push(counts);
                    let moves = write_moves(&actions, start, Notation::Blank);
                    let solution = FoundSolution {
                        round: id.clone(),
                        part,
                        moves: moves.expect("a solution can be replayed"),
                        counts: total(&done),
                        seconds: seconds(),
                    };
                    folder.write_solution(&solution)?;
                    return Ok(PartEnd::Found(actions.len()));
                }
                SubtreeEnd::Stopped(_) => {
                    return Ok(PartEnd::Interrupted { nodes: total(&done).generated });
                }
            }
        }
        let nodes = done.iter().fold(0_u64, |sum, counts| sum.saturating_add(counts.generated));
        let (threshold, seconds) = (round.threshold, seconds());
        let result = PartResult { round: id.clone(), part, subtrees: done, seconds };
        folder.write_result(stored, &result)?;
        // Without it a repetition would begin where this one has ended.
        let _ = fs::remove_file(folder.part_path(threshold, part, "saved"));
        Ok(PartEnd::Done { threshold, nodes, seconds })
    }
}
