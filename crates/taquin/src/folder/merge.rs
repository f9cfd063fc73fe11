//! The first parts, adding up their counts, the parts of the next threshold, and the answer.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use taquin_search::{Cost, Counts, Instant, Monitor, Outcome, Search, Solution};
use taquin_solvers::{Journal, Scope, Snapshot};
use taquin_tiles::{Notation, read_moves, write_moves};

use super::engine::FolderEngine;
use super::files::Format;
use super::run::accepted;
use super::{
    Description, FolderError, FoundSolution, PartJournal, StoredRound, TaskFolder, ignored,
};
use crate::job::Job;
use crate::method::Method;
use crate::report::{Ending, Report};
use crate::session::{Session, refuse, timed};
use crate::task::{Task, TaskLimits};
use crate::watch::Watch;

/// How a search is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitOptions {
    /// The number of parts.
    pub tasks: usize,
    /// A threshold with fewer expected nodes is searched immediately.
    pub small: u64,
    /// The number of threads for the search.
    pub threads: usize,
}

/// The result of the parts so far.
#[derive(Clone, PartialEq, Debug)]
pub enum MergeOutcome {
    /// The answer.
    Answer(Box<Report>),
    /// The parts of the next threshold are ready.
    Next {
        /// The threshold.
        threshold: Cost,
        /// The number of its parts.
        parts: usize,
        /// The counts of the thresholds before it.
        before: Counts,
    },
    /// Some parts of the current threshold have no result.
    Missing {
        /// The threshold.
        threshold: Cost,
        /// The number of its parts.
        parts: usize,
        /// The parts without a result.
        missing: Vec<usize>,
    },
}

/// The progress of a search in a folder.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FolderStatus {
    /// The method.
    pub method: Method,
    /// The current threshold.
    pub threshold: Cost,
    /// The solution's number of moves, if one was found.
    pub solved: Option<Cost>,
    /// The counts of the thresholds before the current one.
    pub before: Counts,
    /// The number of parts in the current threshold.
    pub parts: usize,
    /// The parts without a result.
    pub missing: Vec<usize>,
    /// How many parts were interrupted and will continue from there.
    pub interrupted: usize,
    /// The generated nodes of the parts with a result.
    pub nodes: u64,
    /// The generated nodes of the parts without one, approximately.
    pub nodes_left: Option<f64>,
    /// The processor time of the parts with a result, in seconds.
    pub seconds: f64,
    /// The processor time of the parts without one, approximately.
    pub seconds_left: Option<f64>,
    /// Approximately how many times larger it is than the threshold before, in nodes.
    pub growth: Option<f64>,
    /// The files that are not accepted.
    pub faults: Vec<String>,
}

/// Makes a folder for a task: searches the thresholds that are small, and writes the parts of the
/// first other one.
///
/// It fails if the task cannot be searched in parts, or if the folder is not empty or cannot be
/// written.
#[derive(Clone, Copy, Debug)]
pub struct SplitTask<'a> {
    /// The task.
    pub task: &'a Task,
    /// How it is divided.
    pub options: SplitOptions,
    /// The folder.
    pub path: &'a Path,
}

impl Job for SplitTask<'_> {
    type Output = Result<MergeOutcome, FolderError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let Self { task, options, path } = self;
        let monitor = &watch.monitor;
        if let Some(refused) = refuse(task) {
            return Ok(MergeOutcome::Answer(Box::new(refused)));
        }
        let task = Task { limits: TaskLimits::default(), threads: 1, ..task.clone() };
        let engine = session.folder_engine(&task, monitor)?;
        let tasks = options.tasks.clamp(1, TaskFolder::MAX_TASKS);
        let folder = TaskFolder::create(path, &Description { task: task.clone(), tasks })?;
        let sizes = (options.small, options.threads);
        // There is nothing worth keeping in the folder of a search that did not get to its parts.
        session.advance(&folder, &engine, Snapshot::default(), sizes, monitor).inspect_err(|_| {
            let _ = fs::remove_dir_all(path);
        })
    }
}

/// Adds up the results of a folder's parts: returns the answer, or writes the next threshold's
/// parts. An invalid file is ignored, with a warning.
///
/// It fails if the folder cannot be read or written.
#[derive(Clone, Copy, Debug)]
pub struct MergeParts<'a>(pub &'a TaskFolder);

impl Job for MergeParts<'_> {
    type Output = Result<MergeOutcome, FolderError>;

    fn run(self, session: &Session, watch: Watch<'_>) -> Self::Output {
        let (folder, monitor) = (self.0, &watch.monitor);
        let warn = &ignored(&watch) as &(dyn Fn(&FolderError) + Sync);
        let stored = folder.round()?;
        let parts = stored.parts();
        let results: Vec<_> =
            (0..parts).map(|part| accepted(folder.result(&stored, part), warn)).collect();
        if let Some(solution) = accepted(folder.solution(&stored), warn) {
            let report = session.answer(folder, &stored, &results, &solution, monitor)?;
            return Ok(MergeOutcome::Answer(Box::new(report)));
        }
        let missing: Vec<usize> = (0..parts).filter(|&part| results[part].is_none()).collect();
        if !missing.is_empty() {
            let threshold = stored.snapshot.threshold;
            return Ok(MergeOutcome::Missing { threshold, parts, missing });
        }
        let mut all = stored.snapshot;
        results.into_iter().flatten().for_each(|result| all.unite(result.snapshot));
        let engine = session.folder_engine(folder.task(), monitor)?;
        let threads = std::thread::available_parallelism().map_or(1, Into::into);
        session.advance(folder, &engine, all, (0, threads), monitor)
    }
}

impl Session {
    /// Continues the search up to a threshold of at least `small` expected nodes, and writes its
    /// parts or the solution.
    fn advance(
        &self,
        folder: &TaskFolder,
        engine: &FolderEngine<'_>,
        from: Snapshot,
        (small, threads): (u64, usize),
        monitor: &Arc<Monitor>,
    ) -> Result<MergeOutcome, FolderError> {
        let (started, reached) = (Instant::now(), from.threshold);
        let shares = folder.tasks();
        let journal =
            Journal::unsaved(Some(from)).with_scope(Scope::Split { shares, least: small });
        let search = engine.search(&journal, (threads, false), monitor)?;
        let snapshot = journal.snapshot();
        let (threshold, before) = (snapshot.threshold, snapshot.before);
        let damaged = |fact| Err(Format::ROUND.damaged(&folder.round_path(threshold), fact));
        match search.outcome {
            Outcome::Stopped(_) if journal.is_split() => {
                folder.write_round(&snapshot)?;
                let parts = folder.round()?.parts();
                Ok(MergeOutcome::Next { threshold, parts, before })
            }
            Outcome::Stopped(_) if journal.refusal().is_some() => {
                damaged("this program makes other roots than the program that wrote it")
            }
            Outcome::Stopped(_) => Err(FolderError::Interrupted),
            // A solvable puzzle whose whole space was searched without a solution.
            Outcome::Exhausted => {
                damaged("its parts have no solution, and no successor above the threshold")
            }
            Outcome::Solved(solution) => {
                if threshold > reached || reached == 0 {
                    folder.write_round(&snapshot)?;
                }
                let start = folder.task().puzzle.start();
                let moves = write_moves(&solution.actions, start, Notation::Blank);
                folder.write_solution(&FoundSolution {
                    round: folder.round()?.id,
                    part: None,
                    moves: moves.expect("a solution can be replayed"),
                    counts: search.counts,
                    seconds: started.elapsed().as_secs_f64(),
                })?;
                self.run(MergeParts(folder), Watch::by(monitor))
            }
        }
    }

    /// Returns the report for a search with a solution. It is optimal, because all thresholds
    /// before its round's are complete.
    fn answer(
        &self,
        folder: &TaskFolder,
        stored: &StoredRound,
        results: &[Option<PartJournal>],
        solution: &FoundSolution,
        monitor: &Arc<Monitor>,
    ) -> Result<Report, FolderError> {
        let StoredRound { snapshot, .. } = stored;
        let task = folder.task();
        let others = results.iter().flatten().filter(|result| Some(result.part) != solution.part);
        let others = others.filter(|_| solution.part.is_some());
        let mut counts = solution.counts;
        for tally in others.clone().map(|result| result.snapshot.tally()) {
            counts.expanded = counts.expanded.saturating_add(tally.expanded);
            counts.generated = counts.generated.saturating_add(tally.generated);
            counts.duplicates = counts.duplicates.saturating_add(tally.duplicates);
            counts.depth_peak = counts.depth_peak.max(tally.deepest);
        }
        let moves = read_moves(&solution.moves, Some(Notation::Blank), task.puzzle.start());
        let actions = moves.expect("the solution was replayed");
        let search = Search {
            outcome: Outcome::Solved(Solution { cost: actions.len() as Cost, actions }),
            lower_bound: snapshot.threshold,
            counts,
            before_last_bound: Some(snapshot.before),
        };
        // The tables are compared with the solution.
        let engine = self.folder_engine(task, monitor)?;
        let seconds = solution.seconds + folder.seconds();
        let mut report = engine.session.without_contradiction(task, timed(task, search, seconds));
        if report.outcome == Ending::Solved {
            let (done, parts) = (others.count() + 1, stored.parts());
            if solution.part.is_some() && done < parts {
                report.notes.push(format!(
                    "the solution ended the last threshold early: the counts include {done} of its \
                     {parts} parts"
                ));
            }
            if !engine.has_exact_counts() {
                let note = "the counts depend on how the tree was divided; with tt=0 they do not";
                report.notes.push(note.to_owned());
            }
            report.notes.push("the time is the sum over all processes".to_owned());
        }
        Ok(report)
    }
}

impl TaskFolder {
    /// Returns the progress, and how long the rest of the threshold takes.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn status(&self) -> Result<FolderStatus, FolderError> {
        let stored = self.round()?;
        let (snapshot, parts) = (&stored.snapshot, stored.parts());
        let faults = std::sync::Mutex::new(Vec::new());
        let warn = |error: &FolderError| {
            if let Ok(mut faults) = faults.lock() {
                faults.push(error.to_string());
            }
        };
        let solution = accepted(self.solution(&stored), &warn);
        let mut missing = Vec::new();
        let (mut nodes, mut seconds, mut interrupted) = (0_u64, 0.0, 0);
        for part in 0..parts {
            match accepted(self.result(&stored, part), &warn) {
                Some(result) => {
                    nodes = nodes.saturating_add(result.snapshot.tally().generated);
                    seconds += result.seconds;
                }
                None => {
                    missing.push(part);
                    let saved = accepted(self.progress(&stored, part), &warn);
                    interrupted += usize::from(saved.is_some());
                }
            }
        }
        // Parts are of similar size.
        let left = missing.len() as f64 / (parts - missing.len()) as f64;
        let is_known = nodes > 0 && seconds > 0.0;
        let nodes_left = is_known.then_some(nodes as f64 * left);
        let seconds_left = is_known.then_some(seconds * left);
        let growth = nodes_left
            .filter(|_| snapshot.previous() > 0)
            .map(|left| (nodes as f64 + left) / snapshot.previous() as f64);
        Ok(FolderStatus {
            method: self.task().method.clone(),
            threshold: snapshot.threshold,
            solved: solution.is_some().then_some(snapshot.threshold),
            before: snapshot.before,
            parts,
            missing,
            interrupted,
            nodes,
            nodes_left,
            seconds,
            seconds_left,
            growth,
            faults: faults.into_inner().unwrap_or_default(),
        })
    }

    /// Returns whether a solution was found.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn is_solved(&self) -> Result<bool, FolderError> {
        let stored = self.round()?;
        Ok(matches!(self.solution(&stored), Ok(Some(_))))
    }

    /// Returns the processor time of all results.
    fn seconds(&self) -> f64 {
        let inside = |folder: &Path| {
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
        };
        let files = inside(self.path()).filter(|path| path.is_dir()).flat_map(|path| inside(&path));
        let results = files.filter_map(|path| Format::RESULT.read::<PartJournal>(&path).ok());
        results.map(|(result, _)| result.seconds).filter(|seconds| seconds.is_finite()).sum()
    }
}
