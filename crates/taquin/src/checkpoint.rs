//! A long search saved in a file, so that it can be resumed after an interruption.
//!
//! What is resumed decides what is proven, so a file is believed only if its checksum fits, and if
//! every number in it is possible for its puzzle.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_fast::{Journal, Refusal, Snapshot, layers};
use taquin_search::{Cost, Counts, Heuristic, Instant, Limits, Monitor, Outcome};
use taquin_tables::replace_file;
use taquin_tiles::packed::{Layout, Tiles, Wide};
use taquin_tiles::{Additive, Costs, Measure, Puzzle};

use crate::portfolio::DATABASE_LIMITS;
use crate::report::Report;
use crate::sealed::{Seal, SealFault};
use crate::session::Session;
use crate::task::Task;

/// The file format.
const SEAL: Seal = Seal { name: "checkpoint", version: 3 };

/// A task and the progress of its search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The task.
    pub task: Task,
    snapshot: Snapshot,
    /// The time that the search has taken so far.
    #[serde(default)]
    seconds: f64,
}

/// More bytes than a checkpoint has.
const MOST_BYTES: u64 = 1 << 30;

/// Why a checkpoint cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum CheckpointError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}: not a checkpoint", path.display())]
    Foreign { path: PathBuf },
    #[error(
        "{}: a checkpoint of format {found}; this program reads format {}",
        path.display(), SEAL.version
    )]
    Version { path: PathBuf, found: u64 },
    #[error("{}: the checkpoint is damaged: {fact}", path.display())]
    Damaged { path: PathBuf, fact: String },
    #[error("{}: another program wrote it, which cuts the tree differently", path.display())]
    Cut { path: PathBuf },
    #[error(
        "{method} does not support checkpoints: they work with ida:manhattan on boards of up to 16 \
         cells, and with ida and aida on boards of up to 25 with {}, with one blank and unit move \
         costs",
        DATABASE_LIMITS
    )]
    Method { method: String },
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// Fails if the file can't be read, is not a checkpoint, or was changed.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let path = path.to_owned();
        let bytes = match SEAL.load(&path, MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => return Err(CheckpointError::File { path, error }),
        };
        Self::parse(&bytes).map_err(|fault| match fault {
            SealFault::Foreign => CheckpointError::Foreign { path },
            SealFault::Version(found) => CheckpointError::Version { path, found },
            SealFault::Damaged(fact) => CheckpointError::Damaged { path, fact },
        })
    }

    fn parse(bytes: &[u8]) -> Result<Self, SealFault> {
        let (checkpoint, _): (Self, String) = SEAL.read(bytes)?;
        match checkpoint.fault() {
            None => Ok(checkpoint),
            Some(fact) => Err(SealFault::Damaged(fact)),
        }
    }

    /// Returns what is impossible about it.
    fn fault(&self) -> Option<String> {
        let Task { puzzle, cost, .. } = &self.task;
        if *cost != Costs::Unit {
            return Some("moves have costs".to_owned());
        }
        if !self.seconds.is_finite() || self.seconds < 0.0 {
            return Some(format!("{} s are impossible", self.seconds));
        }
        let Some((least, most)) = lengths(puzzle) else {
            let is_new = self.snapshot == Snapshot::default();
            return (!is_new).then(|| "its puzzle is unsolvable".to_owned());
        };
        self.snapshot.fault(least, most)
    }

    /// The proven lower bound and the counts so far.
    pub fn progress(&self) -> (u32, Counts) {
        (self.snapshot.threshold, self.snapshot.counts())
    }

    /// Replaces the file as a whole. What another process has finished of the same search and saved there
    /// is kept.
    fn write(mut self, path: &Path) -> Result<(), CheckpointError> {
        let failed = |error| CheckpointError::File { path: path.to_owned(), error };
        if let Ok(saved) = Self::read(path) {
            if !saved.is_same_search(&self) {
                let fact = "the file has the checkpoint of another search";
                return Err(failed(io::Error::other(fact)));
            }
            self.seconds = self.seconds.max(saved.seconds);
            self.snapshot.unite(saved.snapshot);
        }
        let write = || replace_file(path, &[&SEAL.write(&self)?], |_| Ok::<(), io::Error>(()));
        write().map_err(failed)
    }

    /// Returns whether another checkpoint is one of the same search: only its limits may differ.
    fn is_same_search(&self, other: &Self) -> bool {
        let Task { limits, threads, .. } = &other.task;
        Task { limits: limits.clone(), threads: *threads, ..self.task.clone() } == other.task
    }
}

/// Returns a lower and an upper bound of the number of moves of a shortest solution; both have its
/// parity. `None` if there is none.
pub(crate) fn lengths(puzzle: &Puzzle) -> Option<(Cost, Cost)> {
    let Outcome::Solved(constructed) = layers(puzzle, &Limits::default()).outcome else {
        return None;
    };
    let manhattan = Additive::new(Measure::Manhattan, puzzle, &Costs::Unit);
    let state = Wide::state(puzzle.start().tiles());
    Some((Heuristic::<Tiles<Wide>>::estimate(&manhattan, &state), constructed.cost))
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
        let (started, before) = (Instant::now(), from.map_or(0.0, |from| from.seconds));
        let checkpoint = |snapshot: &Snapshot| {
            let seconds = before + started.elapsed().as_secs_f64();
            Checkpoint { task: task.clone(), snapshot: snapshot.clone(), seconds }
        };
        // A file that cannot be written is found now, not after half a minute.
        let snapshot = from.map(|from| from.snapshot.clone()).unwrap_or_default();
        checkpoint(&snapshot).write(path)?;
        let failure = Mutex::new(None);
        let session = self.for_search();
        let save = |snapshot: &Snapshot| {
            if !session.tables.are_intact() {
                return;
            }
            let written = checkpoint(snapshot).write(path);
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = written.err();
        };
        let journal = Journal::new(Some(snapshot), &save, every);
        let report = session.run_with_journal(task, monitor, &journal);
        if journal.refusal() == Some(Refusal::Cut) {
            return Err(CheckpointError::Cut { path: path.to_owned() });
        }
        let mut report = report.ok_or_else(|| {
            // There is nothing to resume.
            let _ = fs::remove_file(path);
            CheckpointError::Method { method: task.method.to_string() }
        })?;
        // The counts include those of the search that is resumed.
        let stages = report.stages.iter_mut().map(|stage| &mut stage.seconds);
        stages.chain([&mut report.seconds]).for_each(|seconds| *seconds += before);
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            report.notes.push(format!("the last checkpoint could not be written: {error}"));
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::method::Method;

    /// A checkpoint of a 15-puzzle of 46 moves.
    fn checkpoint() -> Value {
        let start: taquin_tiles::Board = "7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10".parse().unwrap();
        let task = Task { method: "ida:manhattan".parse::<Method>().unwrap(), ..start.into() };
        let (least, most) = lengths(&task.puzzle).unwrap();
        assert!(least < 40 && most > 60 && (most - least) % 2 == 0, "{least} {most}");
        let part = |part: usize| json!([part, {"expanded": 10, "generated": 21, "deepest": 30, "least_above": least + 4}]);
        let counts = Counts { expanded: 100, generated: 210, ..Counts::default() };
        json!({"task": task, "snapshot": {
            "threshold": least + 2, "before": counts, "expected": 800, "parts": 30,
            "cut": {"wanted": 32, "nodes": 120, "checksum": 0},
            "done": [part(0), part(29)],
        }})
    }

    /// Reads a checkpoint with a valid checksum, and returns what is wrong with it.
    fn fault(content: &Value) -> Option<String> {
        match Checkpoint::parse(&SEAL.write(content).unwrap()) {
            Ok(checkpoint) => {
                let written = SEAL.write(&checkpoint).unwrap();
                assert_eq!(Checkpoint::parse(&written).ok(), Some(checkpoint));
                None
            }
            Err(SealFault::Damaged(fact)) => Some(fact),
            Err(SealFault::Foreign | SealFault::Version(_)) => panic!("the head is right"),
        }
    }

    #[test]
    fn a9_every_changed_byte_is_found() {
        let content = checkpoint();
        assert_eq!(fault(&content), None);
        let checkpoint: Checkpoint = serde_json::from_value(content).unwrap();
        let bytes = SEAL.write(&checkpoint).unwrap();
        serde_json::from_slice::<Value>(&bytes).expect("it is JSON");
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                assert!(Checkpoint::parse(&changed).is_err(), "{at} {bit}");
            }
            assert!(Checkpoint::parse(&bytes[..at]).is_err(), "{at}");
        }
        assert!(Checkpoint::parse(&[&bytes[..], b" "].concat()).is_err());
    }

    #[test]
    fn a9_numbers_that_are_impossible_are_refused_even_with_a_valid_checksum() {
        let huge = json!(u64::MAX);
        for (place, value, expected) in [
            ("/snapshot/threshold", json!(100_000), "threshold"),
            ("/snapshot/threshold", json!(39), "threshold"),
            ("/snapshot/threshold", json!(2), "threshold"),
            ("/snapshot/threshold", json!(0), "no threshold"),
            ("/snapshot/before/expanded", huge.clone(), "counts"),
            ("/snapshot/before/generated", huge.clone(), "counts"),
            ("/snapshot/expected", huge.clone(), "counts"),
            ("/snapshot/cut/wanted", json!(1_000_000_000_000_u64), "parts"),
            ("/snapshot/cut/nodes", json!(3), "parts"),
            ("/snapshot/cut/nodes", huge.clone(), "parts"),
            ("/snapshot/cut", json!(null), "parts"),
            ("/snapshot/parts", json!(1), "parts"),
            ("/snapshot/parts", huge.clone(), "parts"),
            ("/snapshot/done/0/0", json!(29), "part 29"),
            ("/snapshot/done/0/0", json!(30), "part 30"),
            ("/snapshot/done/0/1/generated", huge.clone(), "counts"),
            ("/snapshot/done/0/1/expanded", huge.clone(), "counts"),
            ("/snapshot/done/0/1/deepest", json!(1_000), "part 0"),
            ("/snapshot/done/0/1/least_above", json!(3), "part 0"),
            ("/task/puzzle/start/0", json!(13), ""),
            ("/task/cost", json!("tile"), "cost"),
        ] {
            let mut content = checkpoint();
            *content.pointer_mut(place).unwrap() = value.clone();
            let found = fault(&content).unwrap_or_default();
            assert!(!found.is_empty() && found.contains(expected), "{place} {value}: {found}");
        }
        let mut other = checkpoint();
        let start = other.pointer_mut("/task/puzzle/start").unwrap().as_array_mut().unwrap();
        start.swap(0, 1);
        assert_eq!(fault(&other).as_deref(), Some("its puzzle is unsolvable"));
    }

    /// A file of its own.
    fn file(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("taquin-{name}-{}.json", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn parts_done(path: &Path) -> usize {
        Checkpoint::read(path).unwrap().snapshot.parts_done()
    }

    #[test]
    fn a_checkpoint_is_never_replaced_by_one_with_less_in_it() {
        let content = checkpoint();
        let more: Checkpoint = serde_json::from_value(content.clone()).unwrap();
        let changed = |place: &str, value: Value| -> Checkpoint {
            let mut content = content.clone();
            *content.pointer_mut(place).unwrap() = value;
            serde_json::from_value(content).unwrap()
        };
        let one = content.pointer("/snapshot/done/0").unwrap();
        let other = json!([7, one[1]]);
        let path = file("less");
        more.clone().write(&path).unwrap();
        // Fewer parts, another part, an earlier threshold, a new search, another cut.
        let threshold = more.snapshot.threshold;
        for (place, value, expected) in [
            ("/snapshot/done", json!([one]), 2),
            ("/snapshot/done", json!([]), 2),
            ("/snapshot/threshold", json!(threshold - 2), 2),
            ("/snapshot", json!(Snapshot::default()), 2),
            ("/task/threads", json!(9), 2),
            ("/task/limits", json!({"memory": 1}), 2),
            ("/snapshot/done", json!([other]), 3),
            ("/snapshot/cut/wanted", json!(33), 3),
        ] {
            changed(place, value).write(&path).unwrap();
            assert_eq!(parts_done(&path), expected, "{place}");
        }
        // That of another search is not replaced, and a damaged one is.
        let saved = fs::read(&path).unwrap();
        let refused = changed("/task/method", json!("ida:pdb=5-5-5")).write(&path);
        assert!(matches!(refused, Err(CheckpointError::File { .. })), "{refused:?}");
        assert_eq!(fs::read(&path).unwrap(), saved);
        fs::write(&path, &saved[1..]).unwrap();
        more.write(&path).unwrap();
        assert_eq!(parts_done(&path), 2);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_frontier_that_does_not_fit_the_memory_is_refused_with_the_bytes_it_needs() {
        let mut content = checkpoint();
        for (place, value) in [
            ("/task/method", json!("aida:pdb=1.2.3.4/5.6.7.8,tt=0")),
            ("/snapshot/cut", json!({"wanted": 1_000_000, "nodes": 1_100_000, "checksum": 1})),
        ] {
            *content.pointer_mut(place).unwrap() = value;
        }
        // A search below a frontier always saves it.
        content["snapshot"]["frontier_limit"] = json!(2_000_000);
        let from: Checkpoint = serde_json::from_value(content).unwrap();
        let path = file("frontier");
        let session = Session::without_folder();
        let resumed = |memory| {
            let mut task = from.task.clone();
            task.limits.memory = memory;
            let files = (path.as_path(), Duration::ZERO);
            session.run_with_checkpoint(&task, Some(&from), files, &Arc::default())
        };
        let report = resumed(Some(100 << 20)).unwrap();
        assert_eq!(report.reason, Some(crate::report::Reason::Memory));
        let numbers = report.notes[0].split(' ').filter_map(|word| word.parse::<u64>().ok());
        let bytes = numbers.max();
        assert!(bytes.is_some_and(|bytes| bytes > 100 << 20), "{:?}", report.notes);
        let kept = Checkpoint::read(&path).unwrap();
        assert_eq!(kept.snapshot, from.snapshot);
        // With enough memory the frontier is made, and is not the one that was saved.
        let refused = resumed(None);
        assert!(matches!(refused, Err(CheckpointError::Cut { .. })), "{refused:?}");
        assert_eq!(Checkpoint::read(&path).unwrap().snapshot, from.snapshot);
        fs::remove_file(path).unwrap();
    }
}
