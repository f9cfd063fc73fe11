//! The first parts, adding up their counts, the parts of the next threshold, and the answer.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use taquin_fast::{SubtreeEnd, SubtreeSearch, SweepCounts};
use taquin_search::{Cost, Counts, Limits, Monitor, Outcome, Search, Solution};
use taquin_tiles::{Notation, read_moves};

use super::files::Format;
use super::round::{Measured, Round, RoundCut, StoredRound};
use super::run::believed;
use super::{Description, FolderError, FoundSolution, PartResult, TaskFolder, counts_of};
use crate::method::Method;
use crate::report::{Ending, Report};
use crate::session::{Session, refuse, timed};
use crate::task::{Task, TaskLimits};

/// How a search is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SplitOptions {
    /// The number of parts.
    pub tasks: usize,
    /// A threshold with fewer expected nodes is searched at once.
    pub small: u64,
    /// The number of threads for that.
    pub threads: usize,
}

/// What came of the parts so far.
#[derive(Clone, PartialEq, Debug)]
pub enum Merged {
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
        /// Those without a result.
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
    /// The number of moves of the solution, if one was found.
    pub solved: Option<Cost>,
    /// The counts of the thresholds before the current one.
    pub before: Counts,
    /// The number of parts of the current threshold.
    pub parts: usize,
    /// The parts without a result.
    pub missing: Vec<usize>,
    /// How many of them were interrupted, and continue where they were.
    pub interrupted: usize,
    /// The generated nodes of the parts with a result.
    pub nodes: u64,
    /// The generated nodes of the parts without one, approximately.
    pub nodes_left: Option<f64>,
    /// The processor time of the parts with a result, in seconds.
    pub seconds: f64,
    /// The processor time of the parts without one, approximately.
    pub seconds_left: Option<f64>,
    /// How many times as many nodes as the threshold before the current one has, approximately.
    pub growth: Option<f64>,
    /// The files that are not believed.
    pub faults: Vec<String>,
}

/// A threshold has at most this many times the nodes of the one before: by this its parts are sized
/// until it is known.
pub(super) const USUAL_GROWTH: f64 = 8.0;

/// Growth outside of this range is an accident of small trees.
pub(super) const GROWTHS: (f64, f64) = (2.0, 20.0);

impl Session {
    /// Makes a folder for a task: searches the thresholds that are small, and writes the parts of the
    /// first other one.
    ///
    /// # Errors
    /// Fails if the task cannot be searched in parts, or if the folder is not empty or cannot be
    /// written.
    pub fn split_task(
        &self,
        task: &Task,
        options: SplitOptions,
        path: &Path,
        monitor: &Arc<Monitor>,
    ) -> Result<Merged, FolderError> {
        if let Some(refused) = refuse(task) {
            return Ok(Merged::Answer(Box::new(refused)));
        }
        let task = Task { limits: TaskLimits::default(), threads: 1, ..task.clone() };
        let engine = self.folder_engine(&task, monitor)?;
        let start = task.puzzle.start();
        let tasks = options.tasks.clamp(1, TaskFolder::MOST_TASKS);
        let description = Description { task: task.clone(), tasks };
        let folder = TaskFolder::create(path, &description)?;
        let guarded = engine.session.guarded(monitor);
        let limits = Limits { monitor: Some(guarded), ..Limits::default() };
        let mut threshold = engine.estimate()?;
        let (mut before, mut previous) = (Counts::default(), 0);
        loop {
            let expected = USUAL_GROWTH * previous as f64;
            if expected >= options.small as f64 {
                let sizes = (tasks, expected);
                let cut = engine.cut(threshold, sizes, &Measured::default(), &limits);
                let cut = cut.inspect_err(|_| remove(path))?;
                let round = folder.new_round(threshold, (before, previous), cut);
                return self.write_round(&folder, &round, monitor);
            }
            let started = taquin_search::Instant::now();
            let searched = engine.search((threshold, expected), options.threads, &limits);
            let (searched, frontier) = searched.inspect_err(|_| remove(path))?;
            let SubtreeSearch { end, counts } = searched;
            match (end, counts.least_above) {
                (SubtreeEnd::Complete, Some(next)) => {
                    before = before.then(counts_of(&counts, frontier));
                    previous = counts.generated;
                    threshold = next;
                }
                (SubtreeEnd::Complete, None) => return Err(contradiction(&folder, threshold)),
                (SubtreeEnd::Stopped(_), _) => {
                    remove(path);
                    return Err(FolderError::Interrupted);
                }
                (SubtreeEnd::Solved(actions), _) => {
                    let cut = RoundCut {
                        above: SweepCounts::default(),
                        frontier: None,
                        parts: vec![vec![(String::new(), expected as u64)]],
                    };
                    let round = folder.new_round(threshold, (before, previous), cut);
                    Format::ROUND.write(&folder.round_path(threshold), &round)?;
                    let moves = taquin_tiles::write_moves(&actions, start, Notation::Blank);
                    folder.write_solution(&FoundSolution {
                        round: folder.round()?.id,
                        part: 0,
                        moves: moves.expect("a solution can be replayed"),
                        counts,
                        seconds: started.elapsed().as_secs_f64(),
                    })?;
                    return self.merge_parts(&folder, monitor, &|_| ());
                }
            }
        }
    }

    /// Adds up the results of the parts: returns the answer, or writes the parts of the next
    /// threshold. `warn` is called with every file that cannot be believed, and is ignored.
    ///
    /// # Errors
    /// Fails if the folder cannot be read or written.
    pub fn merge_parts(
        &self,
        folder: &TaskFolder,
        monitor: &Arc<Monitor>,
        warn: &(dyn Fn(&FolderError) + Sync),
    ) -> Result<Merged, FolderError> {
        let stored = folder.round()?;
        let round = &stored.round;
        let results =
            (0..round.parts.len()).map(|part| believed(folder.result(&stored, part), warn));
        let results: Vec<Option<PartResult>> = results.collect();
        if let Some(solution) = believed(folder.solution(&stored), warn) {
            let report = self.answer(folder, &stored, &results, &solution, monitor)?;
            return Ok(Merged::Answer(Box::new(report)));
        }
        let (threshold, parts) = (round.threshold, round.parts.len());
        let missing: Vec<usize> = (0..parts).filter(|&part| results[part].is_none()).collect();
        if !missing.is_empty() {
            return Ok(Merged::Missing { threshold, parts, missing });
        }
        // The counts of every subtree, and their sum.
        let mut total = round.above;
        let mut measured = Vec::new();
        for PartResult { part, subtrees, .. } in results.iter().flatten() {
            for ((moves, _), counts) in round.parts[*part].iter().zip(subtrees) {
                total.add(counts);
                measured.push((moves.clone().into_bytes(), counts.generated));
            }
        }
        let Some(next) = total.least_above else { return Err(contradiction(folder, threshold)) };
        let engine = self.folder_engine(folder.task(), monitor)?;
        let growth = engine.growth(total.generated, round.previous);
        let sizes = (folder.tasks(), total.generated as f64 * growth);
        let measured = Measured::new(measured, growth);
        let guarded = engine.session.guarded(monitor);
        let limits = Limits { monitor: Some(guarded), ..Limits::default() };
        let cut = engine.cut(next, sizes, &measured, &limits)?;
        let before = round.before.then(counts_of(&total, round.frontier));
        let round = folder.new_round(next, (before, total.generated), cut);
        self.write_round(folder, &round, monitor)
    }

    /// Writes the parts of a threshold.
    fn write_round(
        &self,
        folder: &TaskFolder,
        round: &Round,
        monitor: &Arc<Monitor>,
    ) -> Result<Merged, FolderError> {
        let Round { threshold, before, parts, .. } = round;
        Format::ROUND.write(&folder.round_path(*threshold), round)?;
        match parts.len() {
            // The tree is so small that all of it lies above the cut.
            0 => self.merge_parts(folder, monitor, &|_| ()),
            parts => Ok(Merged::Next { threshold: *threshold, parts, before: *before }),
        }
    }

    /// Returns the report of a search that has a solution. It is optimal, because all thresholds
    /// before that of its round are complete.
    fn answer(
        &self,
        folder: &TaskFolder,
        stored: &StoredRound,
        results: &[Option<PartResult>],
        solution: &FoundSolution,
        monitor: &Arc<Monitor>,
    ) -> Result<Report, FolderError> {
        let StoredRound { round, .. } = stored;
        let task = folder.task();
        let mut counts = round.above;
        counts.add(&solution.counts);
        for PartResult { part, subtrees, .. } in results.iter().flatten() {
            if *part != solution.part {
                for subtree in subtrees {
                    counts.add(subtree);
                }
            }
        }
        let moves = read_moves(&solution.moves, Some(Notation::Blank), task.puzzle.start());
        let actions = moves.expect("the solution was replayed");
        let search = Search {
            outcome: Outcome::Solved(Solution { cost: actions.len() as Cost, actions }),
            lower_bound: round.threshold,
            counts: round.before.then(counts_of(&counts, round.frontier)),
            before_last_bound: Some(round.before),
        };
        // The tables are compared with the solution.
        let engine = self.folder_engine(task, monitor)?;
        let seconds = solution.seconds + folder.seconds();
        let mut report = engine.session.without_contradiction(task, timed(task, search, seconds));
        if report.outcome == Ending::Solved {
            let done = results.iter().flatten().filter(|result| result.part != solution.part);
            let (done, parts) = (done.count() + 1, round.parts.len());
            if done < parts {
                report.notes.push(format!(
                    "the solution ended the last threshold early: the counts include {done} of its \
                     {parts} parts"
                ));
            }
            if !engine.has_exact_counts() {
                let note = "the counts depend on how the tree was divided; with tt=0 they do not";
                report.notes.push(note.to_owned());
            }
            report.notes.push("the time is that of all processes together".to_owned());
        }
        Ok(report)
    }
}

/// Removes a folder in which nothing is worth keeping.
fn remove(path: &Path) {
    let _ = fs::remove_dir_all(path);
}

/// A solvable puzzle whose whole space was searched without a solution.
fn contradiction(folder: &TaskFolder, threshold: Cost) -> FolderError {
    let fact = "its parts have no solution, and no successor above the threshold";
    Format::ROUND.damaged(&folder.round_path(threshold), fact)
}

impl TaskFolder {
    /// Makes the round of a threshold, given the counts before it and the nodes of the last one.
    fn new_round(
        &self,
        threshold: Cost,
        (before, previous): (Counts, u64),
        cut: RoundCut,
    ) -> Round {
        let RoundCut { above, frontier, parts } = cut;
        let task = self.id.clone();
        Round { task, threshold, before, previous, above, frontier, parts }
    }

    /// Returns the progress, and how long the rest of the threshold takes.
    ///
    /// # Errors
    /// Fails if the folder cannot be read.
    pub fn status(&self) -> Result<FolderStatus, FolderError> {
        let stored = self.round()?;
        let round = &stored.round;
        let faults = std::sync::Mutex::new(Vec::new());
        let warn = |error: &FolderError| {
            if let Ok(mut faults) = faults.lock() {
                faults.push(error.to_string());
            }
        };
        let solution = believed(self.solution(&stored), &warn);
        let mut missing = Vec::new();
        let (mut nodes, mut seconds, mut interrupted) = (0_u64, 0.0, 0);
        let (mut expected, mut expected_left) = (0.0, 0.0);
        for part in 0..round.parts.len() {
            match believed(self.result(&stored, part), &warn) {
                Some(result) => {
                    nodes = result
                        .subtrees
                        .iter()
                        .fold(nodes, |sum, counts| sum.saturating_add(counts.generated));
                    seconds += result.seconds;
                    expected += round.expected(part);
                }
                None => {
                    missing.push(part);
                    expected_left += round.expected(part);
                    let saved = believed(self.progress(&stored, part), &warn);
                    interrupted += usize::from(saved.is_some());
                }
            }
        }
        // What the parts that are done had, in relation to what was expected, holds for the others.
        let is_known = nodes > 0 && expected > 0.0 && seconds > 0.0;
        let nodes_left = is_known.then(|| nodes as f64 / expected * expected_left);
        let seconds_left = nodes_left.map(|left| left / (nodes as f64 / seconds));
        let growth = nodes_left
            .filter(|_| round.previous > 0)
            .map(|left| (nodes as f64 + left) / round.previous as f64);
        Ok(FolderStatus {
            method: self.task().method.clone(),
            threshold: round.threshold,
            solved: solution.is_some().then_some(round.threshold),
            before: round.before,
            parts: round.parts.len(),
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
        let results = files.filter_map(|path| Format::RESULT.read::<PartResult>(&path).ok());
        results.map(|(result, _)| result.seconds).filter(|seconds| seconds.is_finite()).sum()
    }
}
