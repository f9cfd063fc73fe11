//! A long search saved in a file, so that it can be resumed after an interruption.
//!
//! A proof rests on the resumed progress, so a file is accepted only if its checksum matches and
//! every number in it is possible for its puzzle.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts, Heuristic, Instant, Limits, Outcome};
use taquin_solvers::{Journal, Refusal, Snapshot, layers};
use taquin_tables::replace_file;
use taquin_tiles::packed::{Layout, Tiles, Wide};
use taquin_tiles::{Additive, Costs, Measure, Puzzle};

use crate::job::Job;
use crate::portfolio::DATABASE_LIMITS;
use crate::report::Report;
use crate::sealed::{Seal, SealFault};
use crate::session::Session;
use crate::task::Task;
use crate::watch::Watch;

/// The file format.
const SEAL: Seal = Seal { name: "checkpoint", version: 4 };

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
const MAX_BYTES: u64 = 1 << 30;

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
        "{method} cannot be checkpointed here. With one blank and unit costs, these methods can: \
         ida:manhattan up to 16 cells, and ida and aida up to 25 cells with {}",
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
        let bytes = match SEAL.load(&path, MAX_BYTES) {
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

    /// Returns why it is impossible.
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

    /// Replaces the file as a whole. Units of the same search that another process has saved there
    /// are kept.
    fn write(mut self, path: &Path) -> Result<(), CheckpointError> {
        let failed = |error| CheckpointError::File { path: path.to_owned(), error };
        // Two processes that save at once must not lose each other's progress. On systems that
        // cannot lock a folder, they save again after the next interval.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::File::open(folder.unwrap_or(Path::new("."))).ok();
        let _is_locked = folder.as_ref().is_some_and(|folder| folder.lock().is_ok());
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

/// Returns lower and upper bounds on the length of a shortest solution, both with its parity, or
/// `None` if there is none.
pub(crate) fn lengths(puzzle: &Puzzle) -> Option<(Cost, Cost)> {
    let Outcome::Solved(constructed) = layers(puzzle, &Limits::default()).outcome else {
        return None;
    };
    let manhattan = Additive::new(Measure::Manhattan, puzzle, &Costs::Unit);
    let state = Wide::state(puzzle.start().tiles());
    Some((Heuristic::<Tiles<Wide>>::estimate(&manhattan, &state), constructed.cost))
}

/// Solves a task and saves the progress to a file, at intervals and if the search ends early.
///
/// It fails if the method does not support checkpoints, or if the file cannot be written.
///
/// ```
/// use taquin::{Board, Checkpoint, SavedSearch, Session, Task, Watch};
///
/// let start: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// let mut task = Task { method: "ida:manhattan".parse()?, ..start.into() };
/// task.limits.generated = Some(1000);
/// let path = &std::env::temp_dir().join(format!("taquin-saved-{}.json", std::process::id()));
/// let session = Session::without_folder();
/// let job = SavedSearch { task: &task, from: None, path, every: SavedSearch::SAVE_INTERVAL };
/// assert!(!session.run(job, Watch::default())?.optimal);
///
/// let checkpoint = Checkpoint::read(path)?;
/// println!("all solutions have at least {} moves", checkpoint.progress().0);
/// task.limits.generated = None;
/// let (from, every) = (Some(&checkpoint), SavedSearch::SAVE_INTERVAL);
/// let report = session.run(SavedSearch { task: &task, from, path, every }, Watch::default())?;
/// assert_eq!(report.depth, Some(31));
/// std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SavedSearch<'a> {
    /// The task.
    pub task: &'a Task,
    /// The progress to continue from.
    pub from: Option<&'a Checkpoint>,
    /// The file.
    pub path: &'a Path,
    /// The time between two saves.
    pub every: Duration,
}

impl SavedSearch<'_> {
    /// The usual time between two saves.
    pub const SAVE_INTERVAL: Duration = Duration::from_secs(30);
}

impl Job for SavedSearch<'_> {
    type Output = Result<Report, CheckpointError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Self { task, from, path, every } = self;
        let (started, before) = (Instant::now(), from.map_or(0.0, |from| from.seconds));
        let checkpoint = |snapshot: &Snapshot| {
            let seconds = before + started.elapsed().as_secs_f64();
            Checkpoint { task: task.clone(), snapshot: snapshot.clone(), seconds }
        };
        // A file that cannot be written is found now, not after half a minute.
        let snapshot = from.map(|from| from.snapshot.clone()).unwrap_or_default();
        checkpoint(&snapshot).write(path)?;
        let failure = Mutex::new(None);
        let session = session.for_search();
        let save = |snapshot: &Snapshot| {
            if !session.tables.are_intact() {
                return;
            }
            let written = checkpoint(snapshot).write(path);
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = written.err();
        };
        let journal = Journal::new(Some(snapshot), &save, every);
        let report = session.run_with_journal(task, &watch.monitor, &journal);
        if journal.refusal() == Some(Refusal::Roots) {
            return Err(CheckpointError::Cut { path: path.to_owned() });
        }
        let mut report = report.ok_or_else(|| {
            // There is nothing to resume.
            let _ = fs::remove_file(path);
            CheckpointError::Method { method: task.method.to_string() }
        })?;
        // The counts include those from before the search resumed.
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

    /// A checkpoint for a 15-puzzle with 46 moves.
    fn checkpoint() -> Value {
        let start: taquin_tiles::Board = "7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10".parse().unwrap();
        let task = Task { method: "ida:manhattan".parse::<Method>().unwrap(), ..start.into() };
        let (least, most) = lengths(&task.puzzle).unwrap();
        assert!(least < 40 && most > 60 && (most - least) % 2 == 0, "{least} {most}");
        let unit = |unit: usize| json!([unit, {"expanded": 10, "generated": 21, "deepest": 30, "least_above": least + 4}]);
        let counts = Counts { expanded: 100, generated: 210, ..Counts::default() };
        json!({"task": task, "snapshot": {
            "threshold": least + 2, "before": counts, "expected": 800,
            "roots": {"wanted": 32, "nodes": 120, "checksum": 0, "units": 30},
            "done": [unit(0), unit(29)],
        }})
    }

    /// Reads a checkpoint with a valid checksum, or returns what is wrong with it.
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
    fn every_changed_byte_is_found() {
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
    fn numbers_that_are_impossible_are_refused_even_with_a_valid_checksum() {
        let huge = json!(u64::MAX);
        for (place, value, expected) in [
            ("/snapshot/threshold", json!(100_000), "threshold"),
            ("/snapshot/threshold", json!(39), "threshold"),
            ("/snapshot/threshold", json!(2), "threshold"),
            ("/snapshot/threshold", json!(0), "no threshold"),
            ("/snapshot/before/expanded", huge.clone(), "counts"),
            ("/snapshot/before/generated", huge.clone(), "counts"),
            ("/snapshot/expected", huge.clone(), "counts"),
            ("/snapshot/roots/wanted", json!(1_000_000_000_000_u64), "units"),
            ("/snapshot/roots/nodes", json!(3), "units"),
            ("/snapshot/roots/nodes", huge.clone(), "units"),
            ("/snapshot/roots", json!(null), "units"),
            ("/snapshot/roots/units", json!(1), "units"),
            ("/snapshot/roots/units", huge.clone(), "units"),
            ("/snapshot/done/0/0", json!(29), "unit 29"),
            ("/snapshot/done/0/0", json!(30), "unit 30"),
            ("/snapshot/done/0/1/generated", huge.clone(), "counts"),
            ("/snapshot/done/0/1/expanded", huge.clone(), "counts"),
            ("/snapshot/done/0/1/deepest", json!(1_000), "unit 0"),
            ("/snapshot/done/0/1/least_above", json!(3), "unit 0"),
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

    fn units_done(path: &Path) -> usize {
        Checkpoint::read(path).unwrap().snapshot.units_done()
    }

    #[test]
    #[cfg(unix)]
    fn processes_that_save_at_once_lose_nothing() {
        let content = checkpoint();
        let part = &content.pointer("/snapshot/done/0").unwrap()[1];
        let path = file("at-once");
        let barrier = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for number in 0..8 {
                let mut content = content.clone();
                *content.pointer_mut("/snapshot/done").unwrap() = json!([[number, part]]);
                let one: Checkpoint = serde_json::from_value(content).unwrap();
                let (path, barrier) = (&path, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    one.write(path).unwrap();
                });
            }
        });
        assert_eq!(units_done(&path), 8);
        fs::remove_file(path).unwrap();
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
        // Fewer units, another unit, an earlier threshold, a new search, another cut.
        let threshold = more.snapshot.threshold;
        for (place, value, expected) in [
            ("/snapshot/done", json!([one]), 2),
            ("/snapshot/done", json!([]), 2),
            ("/snapshot/threshold", json!(threshold - 2), 2),
            ("/snapshot", json!(Snapshot::default()), 2),
            ("/task/threads", json!(9), 2),
            ("/task/limits", json!({"memory": 1}), 2),
            ("/snapshot/done", json!([other]), 3),
            ("/snapshot/roots/wanted", json!(33), 3),
        ] {
            changed(place, value).write(&path).unwrap();
            assert_eq!(units_done(&path), expected, "{place}");
        }
        // A checkpoint of another search is not replaced, and a damaged one is.
        let saved = fs::read(&path).unwrap();
        let refused = changed("/task/method", json!("ida:pdb=5-5-5")).write(&path);
        assert!(matches!(refused, Err(CheckpointError::File { .. })), "{refused:?}");
        assert_eq!(fs::read(&path).unwrap(), saved);
        fs::write(&path, &saved[1..]).unwrap();
        more.write(&path).unwrap();
        assert_eq!(units_done(&path), 2);
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_frontier_that_does_not_fit_the_memory_is_refused_with_the_bytes_it_needs() {
        let mut content = checkpoint();
        for (place, value) in [
            ("/task/method", json!("aida:pdb=1.2.3.4/5.6.7.8,tt=0")),
            (
                "/snapshot/roots",
                json!({
                    "wanted": 1_000_000, "nodes": 1_100_000, "checksum": 1, "units": 30
                }),
            ),
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
            let (from, path, every) = (Some(&from), path.as_path(), Duration::ZERO);
            session.run(SavedSearch { task: &task, from, path, every }, Watch::default())
        };
        let report = resumed(Some(100 << 20)).unwrap();
        assert_eq!(report.reason, Some(crate::report::Reason::Memory));
        let numbers = report.notes[0].split(' ').filter_map(|word| word.parse::<u64>().ok());
        let bytes = numbers.max();
        assert!(bytes.is_some_and(|bytes| bytes > 100 << 20), "{:?}", report.notes);
        let kept = Checkpoint::read(&path).unwrap();
        assert_eq!(kept.snapshot, from.snapshot);
        // With enough memory the frontier is made, and differs from the saved one.
        let refused = resumed(None);
        assert!(matches!(refused, Err(CheckpointError::Cut { .. })), "{refused:?}");
        assert_eq!(Checkpoint::read(&path).unwrap().snapshot, from.snapshot);
        fs::remove_file(path).unwrap();
    }
}
