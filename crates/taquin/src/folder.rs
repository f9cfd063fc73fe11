//! One search by many processes, in a folder that they share.
//!
//! The folder describes the task, and for each threshold the parts of its tree. A process searches a
//! part and writes its counts next to it; when all parts have counts, these add up to those of one
//! process, and the parts of the next threshold are written, balanced by the counts. Nothing is
//! changed in place: files are written under another name and renamed, so that a part can be searched
//! twice, in any order, by any machine, and a process can be killed at any time. A file is believed
//! only if its checksum fits, if it belongs to this task and this threshold, and if its numbers are
//! possible; otherwise its part is searched again.
//!
//! ```text
//! task.json                 the task and the number of parts
//! round-070.json            threshold 70: the counts before it and the parts of its tree
//! round-070/part-17.json    the counts of a part that has no solution
//! round-070/part-17.saved   how far an interrupted part was searched
//! solution.json             a solution, which also stops the other parts
//! ```

mod engine;
mod files;
mod merge;
mod round;
mod run;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use taquin_fast::{Cut, Snapshot, SweepCounts};
use taquin_search::{Cost, Counts};

use self::files::Format;
use self::round::{Round, StoredRound};
use crate::algorithm::Algorithm;
use crate::checkpoint::lengths;
use crate::portfolio::DATABASE_LIMITS;
use crate::tables::TableError;
use crate::task::Task;

pub use self::merge::{FolderStatus, Merged, SplitOptions};
pub use self::run::{PartEnd, PartOptions};

/// A folder with one search by many processes.
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
    /// The most parts of a tree.
    tasks: usize,
}

/// The counts of a part without a solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartResult {
    /// The checksum of the round.
    round: String,
    part: usize,
    /// The counts of each subtree of the part.
    subtrees: Vec<SweepCounts>,
    seconds: f64,
}

/// How far an interrupted part was searched.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartProgress {
    round: String,
    part: usize,
    /// The counts of the subtrees that are done.
    done: Vec<SweepCounts>,
    /// The progress in the next subtree.
    current: Snapshot,
    seconds: f64,
}

impl PartProgress {
    /// Adds what another process has finished of the same part.
    fn unite(mut self, other: Self) -> Self {
        if other.done.len() > self.done.len() {
            (self.done, self.current) = (other.done, other.current);
        } else if other.done.len() == self.done.len() {
            self.current.unite(other.current);
        }
        self.seconds = self.seconds.max(other.seconds);
        self
    }
}

/// A solution.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FoundSolution {
    round: String,
    part: usize,
    moves: String,
    /// The counts of the part, up to the solution.
    counts: SweepCounts,
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
    #[error(
        "the file of a table was changed while it was in use: what was computed with it is not kept"
    )]
    Changed,
}

impl TaskFolder {
    /// The most parts of a tree.
    pub const MOST_TASKS: usize = 100_000;

    /// Opens a folder.
    ///
    /// # Errors
    /// Fails if it does not exist, or if the description of the task cannot be believed.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join("task.json");
        let (description, id): (Description, _) = Format::TASK.read(&file)?;
        if !(1..=Self::MOST_TASKS).contains(&description.tasks) {
            let fact = format!("{} parts are impossible", description.tasks);
            return Err(Format::TASK.damaged(&file, fact));
        }
        Ok(Self { path: path.to_owned(), description, id })
    }

    /// The task.
    pub const fn task(&self) -> &Task {
        &self.description.task
    }

    /// The most parts of a tree.
    pub const fn tasks(&self) -> usize {
        self.description.tasks
    }

    /// Where it is.
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
        let (round, id): (Round, _) = Format::ROUND.read(&path)?;
        if round.task != self.id || round.threshold != threshold {
            return Err(Format::ROUND.other(&path));
        }
        let puzzle = &self.task().puzzle;
        let is_aida = self.task().method.algorithm == Algorithm::Aida;
        if !is_aida && round.frontier.is_some() {
            return Err(Format::ROUND.other(&path));
        }
        if let Some(fact) = round.fault(lengths(puzzle), self.tasks()) {
            return Err(Format::ROUND.damaged(&path, fact));
        }
        Ok(StoredRound { round, id })
    }

    fn round_path(&self, threshold: Cost) -> PathBuf {
        self.path.join(format!("round-{threshold:03}.json"))
    }

    fn part_path(&self, threshold: Cost, part: usize, extension: &str) -> PathBuf {
        self.path.join(format!("round-{threshold:03}/part-{part}.{extension}"))
    }

    fn solution_path(&self) -> PathBuf {
        self.path.join("solution.json")
    }
}

/// Returns the counts of a tree in the form that reports have.
fn counts_of(sweep: &SweepCounts, frontier: Option<Cut>) -> Counts {
    let SweepCounts { expanded, generated, deepest, duplicates, .. } = *sweep;
    let longest = deepest + u64::from(expanded > 0);
    let most = frontier.map_or(longest, |frontier| frontier.nodes);
    Counts {
        expanded,
        generated,
        duplicates,
        depth_peak: deepest,
        frontier_peak: most,
        stored_peak: most,
        ..Counts::default()
    }
}
