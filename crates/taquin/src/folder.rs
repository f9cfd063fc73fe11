//! One search by many processes, in a folder that they share.
//!
//! The folder describes the task and, for each threshold, its units' roots. The units are divided
//! among parts: every `n`th unit is in the same part. A process searches a part and writes a
//! journal of finished units. When all units in all parts are finished, a search resumes from them,
//! counts the nodes above the roots, and writes the next threshold's roots. Nothing is changed in
//! place: files are written under another name and renamed, so that a part can be searched twice,
//! in any order, by any machine, and a process can be killed at any time. A file is accepted only
//! if its checksum matches, if it belongs to this task and this threshold, and if its numbers are
//! possible. Otherwise its part is searched again.
//!
//! ```text
//! task.json                 the task and the number of parts
//! round-070.json            threshold 70: the counts before it and the roots of its units
//! round-070/part-17.json    the journal of a part that has no solution
//! round-070/part-17.saved   the journal of a part that was interrupted
//! solution.json             a solution, which also stops the other parts
//! ```

mod engine;
mod files;
mod merge;
mod run;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use taquin_search::{Cost, Counts};
use taquin_solvers::{Share, Snapshot};

use self::files::Format;
use crate::checkpoint::lengths;
use crate::portfolio::DATABASE_LIMITS;
use crate::tables::TableError;
use crate::task::Task;
use crate::watch::Watch;

pub use self::merge::{FolderStatus, MergeOutcome, MergeParts, SplitOptions, SplitTask};
pub use self::run::{PartOptions, PartOutcome, SearchPart};

/// A folder with one search by many processes.
///
/// ```
/// use std::time::Duration;
/// use taquin::{
///     Board, MergeOutcome, MergeParts, PartOptions, SearchPart, Session, SplitOptions, SplitTask,
///     Task, TaskFolder, Watch,
/// };
///
/// let start: Board = "8 6 7/2 5 4/3 0 1".parse()?;
/// let task = &Task { method: "ida:manhattan".parse()?, ..start.into() };
/// let path = &std::env::temp_dir().join(format!("taquin-parts-{}", std::process::id()));
/// let session = Session::without_folder();
/// let options = SplitOptions { tasks: 4, small: 100, threads: 1 };
/// session.run(SplitTask { task, options, path }, Watch::default())?;
///
/// let folder = &TaskFolder::open(path)?;
/// let options = PartOptions { threads: 1, interval: Duration::from_secs(30) };
/// let report = loop {
///     for part in folder.status()?.missing {
///         // In a process of its own, as a rule.
///         session.run(SearchPart { folder, part, options }, Watch::default())?;
///     }
///     if let MergeOutcome::Answer(report) = session.run(MergeParts(folder), Watch::default())? {
///         break report;
///     }
/// };
/// assert_eq!((report.depth, report.optimal, folder.is_solved()?), (Some(31), true, true));
/// std::fs::remove_dir_all(folder.path())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct TaskFolder {
    path: PathBuf,
    description: Description,
    /// The checksum of the description.
    id: String,
}

/// The task of a folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    task: Task,
    /// The greatest number of parts.
    tasks: usize,
}

/// The threshold that the parts search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Round {
    /// The checksum of the task.
    task: String,
    /// The progress of the search before its first unit.
    snapshot: Snapshot,
}

/// A round as it is stored.
struct StoredRound {
    snapshot: Snapshot,
    /// The checksum of its file.
    id: String,
    /// The number of shares that the units are divided into. With fewer units, the last shares have
    /// none.
    tasks: usize,
}

impl StoredRound {
    fn parts(&self) -> usize {
        self.snapshot.units().unwrap_or_default().min(self.tasks)
    }

    const fn share(&self, part: usize) -> Share {
        Share { number: part, of: self.tasks }
    }
}

/// The finished units of a part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartJournal {
    /// The checksum of the round.
    round: String,
    part: usize,
    snapshot: Snapshot,
    seconds: f64,
}

/// A solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundSolution {
    round: String,
    /// The part that has it; `None` if one process searched the whole threshold.
    part: Option<usize>,
    moves: String,
    /// The counts for the earlier thresholds and for the process.
    counts: Counts,
    seconds: f64,
}

/// Why the folder of a search cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages describe the errors")]
pub enum FolderError {
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{}: the folder is not empty", path.display())]
    Occupied { path: PathBuf },
    #[error("{}: not a {name} file", path.display())]
    Foreign { path: PathBuf, name: &'static str },
    #[error(
        "{}: a {name} file of format {found}; this program reads format {known}", path.display()
    )]
    Version { path: PathBuf, name: &'static str, found: u64, known: u64 },
    #[error("{}: the {name} file is damaged: {fact}", path.display())]
    Damaged { path: PathBuf, name: &'static str, fact: String },
    #[error("{}: the {name} file belongs to another search or threshold", path.display())]
    Other { path: PathBuf, name: &'static str },
    #[error("{}: no threshold has been prepared", path.display())]
    NoRound { path: PathBuf },
    #[error(
        "{method} cannot be searched in parts: ida:manhattan on boards of up to 16 cells can, and \
         ida and aida on boards of up to 25 with {}, with one blank and unit move costs",
        DATABASE_LIMITS
    )]
    Method { method: String },
    #[error("there is no part {part}: the parts are 0 to {}", tasks - 1)]
    Part { part: usize, tasks: usize },
    #[error(transparent)]
    Tables(#[from] TableError),
    #[error("interrupted")]
    Interrupted,
    #[error("a table's file was changed while it was in use, so its results are discarded")]
    Changed,
}

/// Warns about a file that is ignored.
fn ignored(watch: &Watch<'_>) -> impl Fn(&FolderError) + Sync {
    let warnings = watch.warnings;
    move |error| {
        if let Some(warn) = warnings {
            warn(&format!("{error}; it is ignored"));
        }
    }
}

impl TaskFolder {
    /// The greatest number of parts.
    pub const MAX_TASKS: usize = 100_000;

    /// Opens a folder.
    ///
    /// # Errors
    /// Fails if it does not exist, or if the description of the task cannot be accepted.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join("task.json");
        let (description, id): (Description, _) = Format::TASK.read(&file)?;
        if !(1..=Self::MAX_TASKS).contains(&description.tasks) {
            let fact = format!("{} parts are impossible", description.tasks);
            return Err(Format::TASK.damaged(&file, fact));
        }
        Ok(Self { path: path.to_owned(), description, id })
    }

    /// The task.
    pub const fn task(&self) -> &Task {
        &self.description.task
    }

    /// The greatest number of parts.
    pub const fn tasks(&self) -> usize {
        self.description.tasks
    }

    /// Its location.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a folder for a task.
    fn create(path: &Path, description: &Description) -> Result<Self, FolderError> {
        let failed = |error| FolderError::File { path: path.to_owned(), error };
        fs::create_dir_all(path).map_err(failed)?;
        if fs::read_dir(path).map_err(failed)?.next().is_some() {
            return Err(FolderError::Occupied { path: path.to_owned() });
        }
        Format::TASK.write(&path.join("task.json"), description)?;
        Self::open(path)
    }

    /// Returns the round of the highest threshold.
    fn round(&self) -> Result<StoredRound, FolderError> {
        let failed = |error| FolderError::File { path: self.path.clone(), error };
        let names = fs::read_dir(&self.path).map_err(failed)?.flatten();
        let threshold = |name: &str| -> Option<Cost> {
            name.strip_prefix("round-")?.strip_suffix(".json")?.parse().ok()
        };
        let thresholds = names.filter_map(|entry| threshold(entry.file_name().to_str()?));
        let Some(threshold) = thresholds.max() else {
            return Err(FolderError::NoRound { path: self.path.clone() });
        };
        let path = self.round_path(threshold);
        let (Round { task, snapshot }, id): (Round, _) = Format::ROUND.read(&path)?;
        if task != self.id || snapshot.threshold != threshold {
            return Err(Format::ROUND.other(&path));
        }
        let fault = match lengths(&self.task().puzzle) {
            Some((least, most)) => snapshot.fault(least, most),
            None => Some("its puzzle is unsolvable".to_owned()),
        };
        match fault.or_else(|| (snapshot.units_done() > 0).then(|| "it has results".to_owned())) {
            Some(fact) => Err(Format::ROUND.damaged(&path, fact)),
            None => Ok(StoredRound { snapshot, id, tasks: self.tasks() }),
        }
    }

    fn write_round(&self, snapshot: &Snapshot) -> Result<(), FolderError> {
        let round = Round { task: self.id.clone(), snapshot: snapshot.begun() };
        Format::ROUND.write(&self.round_path(snapshot.threshold), &round)
    }

    fn round_path(&self, threshold: Cost) -> PathBuf {
        self.path.join(format!("round-{threshold:03}.json"))
    }

    fn solution_path(&self) -> PathBuf {
        self.path.join("solution.json")
    }
}
