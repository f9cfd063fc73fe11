//! The files of a folder: how they are written, and when they are accepted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use taquin_search::Cost;
use taquin_solvers::Tally;
use taquin_tables::replace_file;
use taquin_tiles::{Notation, read_moves, replay};

use super::{FolderError, FoundSolution, PartJournal, StoredRound, TaskFolder};
use crate::sealed::{Seal, SealFault};

/// The format of a file.
#[derive(PartialEq, Eq)]
pub(super) struct Format(Seal);

/// More bytes than a file of a folder has.
const MAX_BYTES: u64 = 1 << 32;

impl Format {
    pub(super) const TASK: Self = Self(Seal { name: "task", version: 1 });
    pub(super) const ROUND: Self = Self(Seal { name: "round", version: 2 });
    pub(super) const RESULT: Self = Self(Seal { name: "result", version: 2 });
    pub(super) const PROGRESS: Self = Self(Seal { name: "progress", version: 3 });
    pub(super) const SOLUTION: Self = Self(Seal { name: "solution", version: 2 });

    /// Reads a file, and returns its content and checksum.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
        path: &Path,
    ) -> Result<(T, String), FolderError> {
        let Seal { name, version: known } = self.0;
        let bytes = self.0.load(path, MAX_BYTES);
        let bytes = bytes.map_err(|error| FolderError::File { path: path.to_owned(), error })?;
        self.0.read(&bytes).map_err(|fault| match fault {
            SealFault::Foreign => FolderError::Foreign { path: path.to_owned(), name },
            SealFault::Version(found) => {
                FolderError::Version { path: path.to_owned(), name, found, known }
            }
            SealFault::Damaged(fact) => self.damaged(path, fact),
        })
    }

    /// Reads a file that need not exist.
    fn read_if_there<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<T>, FolderError> {
        match self.read(path) {
            Ok((content, _)) => Ok(Some(content)),
            Err(FolderError::File { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Writes a file as a whole.
    pub(super) fn write(&self, path: &Path, content: &impl Serialize) -> Result<(), FolderError> {
        let write = || {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            replace_file(path, &[&self.0.write(content)?], |_| Ok::<(), io::Error>(()))
        };
        write().map_err(|error| FolderError::File { path: path.to_owned(), error })
    }

    pub(super) fn damaged(&self, path: &Path, fact: impl Into<String>) -> FolderError {
        FolderError::Damaged { path: path.to_owned(), name: self.0.name, fact: fact.into() }
    }

    pub(super) fn other(&self, path: &Path) -> FolderError {
        FolderError::Other { path: path.to_owned(), name: self.0.name }
    }
}

/// A fault in the numbers of a file whose checksum matches.
const IMPOSSIBLE: &str = "its numbers are impossible";

fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds >= 0.0
}

impl TaskFolder {
    /// Returns the journal of a finished part.
    pub(super) fn result(
        &self,
        stored: &StoredRound,
        part: usize,
    ) -> Result<Option<PartJournal>, FolderError> {
        self.part_journal(&Format::RESULT, (stored, part))
    }

    /// Returns the journal of a part that was interrupted.
    pub(super) fn progress(
        &self,
        stored: &StoredRound,
        part: usize,
    ) -> Result<Option<PartJournal>, FolderError> {
        self.part_journal(&Format::PROGRESS, (stored, part))
    }

    /// Reads a part's journal, if it exists. Refuses a journal from another round or part.
    fn part_journal(
        &self,
        format: &Format,
        (stored, part): (&StoredRound, usize),
    ) -> Result<Option<PartJournal>, FolderError> {
        let (StoredRound { snapshot: begun, id, .. }, share) = (stored, stored.share(part));
        let path = self.part_path(format, begun.threshold, part);
        let Some(journal) = format.read_if_there::<PartJournal>(&path)? else { return Ok(None) };
        let PartJournal { round, part: number, snapshot, seconds } = &journal;
        if (round, *number) != (id, part) {
            return Err(format.other(&path));
        }
        let is_possible = snapshot.begun() == *begun
            && snapshot.fault(begun.threshold, begun.threshold).is_none()
            && snapshot.has_only(share);
        // An impossible number of units may not be counted to its end.
        let is_whole = || *format != Format::RESULT || snapshot.has_all(share);
        match is_possible && is_whole() && is_time(*seconds) {
            true => Ok(Some(journal)),
            false => Err(format.damaged(&path, IMPOSSIBLE)),
        }
    }

    /// Saves a part's journal. An earlier journal's contents are kept.
    pub(super) fn write_part(
        &self,
        stored: &StoredRound,
        mut journal: PartJournal,
    ) -> Result<(), FolderError> {
        let part = journal.part;
        if let Ok(Some(saved)) = self.progress(stored, part) {
            journal.seconds = journal.seconds.max(saved.seconds);
            journal.snapshot.unite(saved.snapshot);
        }
        let place = |format| self.part_path(format, stored.snapshot.threshold, part);
        if journal.snapshot.has_all(stored.share(part)) {
            Format::RESULT.write(&place(&Format::RESULT), &journal)?;
            // Without it a repetition would begin where this one has ended.
            let _ = fs::remove_file(place(&Format::PROGRESS));
            return Ok(());
        }
        Format::PROGRESS.write(&place(&Format::PROGRESS), &journal)
    }

    /// Returns the file of a part.
    pub(super) fn part_path(&self, format: &Format, threshold: Cost, part: usize) -> PathBuf {
        let ending = if *format == Format::RESULT { "json" } else { "saved" };
        self.path.join(format!("round-{threshold:03}/part-{part}.{ending}"))
    }

    /// Returns the solution, if there is one: its moves lead to the goal, and their number is the
    /// threshold.
    pub(super) fn solution(
        &self,
        stored: &StoredRound,
    ) -> Result<Option<FoundSolution>, FolderError> {
        let (id, threshold) = (&stored.id, stored.snapshot.threshold);
        let path = self.solution_path();
        let Some(solution) = Format::SOLUTION.read_if_there::<FoundSolution>(&path)? else {
            return Ok(None);
        };
        if solution.round != *id {
            return Err(Format::SOLUTION.other(&path));
        }
        let puzzle = &self.task().puzzle;
        let moves = read_moves(&solution.moves, Some(Notation::Blank), puzzle.start());
        let is_solution = moves.is_ok_and(|moves| {
            moves.len() == threshold as usize
                && replay(puzzle.start(), &moves).as_ref() == Ok(puzzle.goal())
        });
        if !is_solution {
            let fact = format!("its moves are not a solution of length {threshold}");
            return Err(Format::SOLUTION.damaged(&path, fact));
        }
        let mut counts = Tally::default();
        (counts.expanded, counts.generated) = (solution.counts.expanded, solution.counts.generated);
        if solution.part.is_some_and(|part| part >= stored.parts())
            || !counts.is_possible(threshold)
            || !is_time(solution.seconds)
        {
            return Err(Format::SOLUTION.damaged(&path, IMPOSSIBLE));
        }
        Ok(Some(solution))
    }

    pub(super) fn write_solution(&self, solution: &FoundSolution) -> Result<(), FolderError> {
        Format::SOLUTION.write(&self.solution_path(), solution)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use taquin_tiles::Board;

    use super::*;
    use crate::folder::{
        MergeOutcome, MergeParts, PartOptions, PartOutcome, SearchPart, SplitOptions, SplitTask,
    };
    use crate::session::Session;
    use crate::task::Task;
    use crate::watch::Watch;

    /// A folder with a 15-puzzle of 46 moves and its first parts.
    fn folder(name: &str) -> (Session, TaskFolder) {
        folder_of(name, "ida:manhattan")
    }

    fn folder_of(name: &str, method: &str) -> (Session, TaskFolder) {
        let path = std::env::temp_dir().join(format!("taquin-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let start: Board = "7 1 0 2/4 8 15 3/5 11 9 13/6 14 12 10".parse().unwrap();
        let task = Task { method: method.parse().unwrap(), ..start.into() };
        let session = Session::without_folder();
        let options = SplitOptions { tasks: 4, small: 1000, threads: 1 };
        let job = SplitTask { task: &task, options, path: &path };
        session.run(job, Watch::default()).unwrap();
        (session, TaskFolder::open(&path).unwrap())
    }

    const OPTIONS: PartOptions =
        PartOptions { threads: 1, interval: std::time::Duration::from_secs(30) };

    fn search(
        session: &Session,
        folder: &TaskFolder,
        part: usize,
    ) -> Result<PartOutcome, FolderError> {
        session.run(SearchPart { folder, part, options: OPTIONS }, Watch::default())
    }

    /// Changes a value in the content of a file, which gets a valid checksum.
    fn forge(format: &Format, path: &Path, place: &str, value: &Value) {
        let (mut content, _): (Value, _) = format.read(path).unwrap();
        *content.pointer_mut(place).unwrap() = value.clone();
        format.write(path, &content).unwrap();
    }

    #[test]
    fn a_solution_that_does_not_solve_the_puzzle_stops_nothing() {
        let (session, folder) = folder("forged-solution");
        let stored = folder.round().unwrap();
        // A solution by other means is longer than the threshold.
        let StoredRound { snapshot, id, .. } = &stored;
        let threshold = snapshot.threshold as usize;
        let solution = |round: &str, moves: &str| FoundSolution {
            round: round.to_owned(),
            part: Some(0),
            moves: moves.to_owned(),
            counts: snapshot.before,
            seconds: 0.0,
        };
        let puzzle = &folder.task().puzzle;
        let limits = taquin_search::Limits::default();
        let constructed = taquin_solvers::layers(puzzle, &limits).outcome;
        let taquin_search::Outcome::Solved(constructed) = constructed else { panic!("solvable") };
        let long = taquin_tiles::write_moves(&constructed.actions, puzzle.start(), Notation::Blank);
        let long = long.unwrap();
        assert!(long.len() > threshold);
        let mut warned = 0;
        for (round, moves) in
            [(&**id, &*long), (id, &long[..threshold]), (id, ""), (id, "Q"), ("0", "")]
        {
            folder.write_solution(&solution(round, moves)).unwrap();
            assert!(!folder.is_solved().unwrap());
            let faults = std::sync::atomic::AtomicUsize::new(0);
            let warn = |_: &str| _ = faults.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let watch = Watch::default().with_warnings(&warn);
            let job = SearchPart { folder: &folder, part: 0, options: OPTIONS };
            let end = session.run(job, watch).unwrap();
            assert!(matches!(end, PartOutcome::Done { .. } | PartOutcome::AlreadyDone), "{end:?}");
            let merged = session.run(MergeParts(&folder), Watch::default()).unwrap();
            assert!(matches!(merged, MergeOutcome::Missing { .. }), "{merged:?}");
            warned += faults.into_inner();
        }
        assert_eq!(warned, 5);
        fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn numbers_that_are_impossible_are_refused_even_with_a_valid_checksum() {
        let (session, folder) = folder("forged-numbers");
        let stored = folder.round().unwrap();
        let threshold = stored.snapshot.threshold;
        search(&session, &folder, 1).unwrap();
        let result = folder.part_path(&Format::RESULT, threshold, 1);
        let sound = fs::read(&result).unwrap();
        for (place, value) in [
            ("/part", json!(0)),
            ("/round", json!("0")),
            ("/snapshot/done", json!([])),
            ("/snapshot/done/0/0", json!(0)),
            ("/snapshot/done/0/0", json!(u64::MAX)),
            ("/snapshot/done/0/1/generated", json!(u64::MAX)),
            ("/snapshot/done/0/1/expanded", json!(u64::MAX)),
            ("/snapshot/done/0/1/deepest", json!(threshold + 1)),
            ("/snapshot/done/0/1/least_above", json!(threshold)),
            ("/snapshot/done/0/1/least_above", json!(threshold + 1)),
            ("/snapshot/before/generated", json!(1)),
            ("/seconds", json!(-1.0)),
        ] {
            forge(&Format::RESULT, &result, place, &value);
            assert!(folder.result(&stored, 1).is_err(), "{place} {value}");
            fs::write(&result, &sound).unwrap();
        }
        assert!(folder.result(&stored, 1).unwrap().is_some());
        let round = folder.round_path(threshold);
        let sound = fs::read(&round).unwrap();
        for (place, value) in [
            ("/task", json!("0")),
            ("/snapshot/threshold", json!(threshold + 2)),
            ("/snapshot/before/generated", json!(u64::MAX)),
            ("/snapshot/expected", json!(u64::MAX)),
            ("/snapshot/roots/units", json!(u64::MAX)),
            ("/snapshot/done", json!([[0, Tally::default()]])),
        ] {
            forge(&Format::ROUND, &round, place, &value);
            assert!(folder.round().is_err(), "{place} {value}");
            fs::write(&round, &sound).unwrap();
        }
        // Roots that the tree does not have are found by the process that searches below them.
        forge(&Format::ROUND, &round, "/snapshot/roots/nodes", &json!(1000));
        let refused = search(&session, &folder, 0);
        assert!(matches!(refused, Err(FolderError::Damaged { .. })), "{refused:?}");
        forge(&Format::TASK, &folder.path().join("task.json"), "/tasks", &json!(0));
        assert!(TaskFolder::open(folder.path()).is_err());
        fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn a_share_of_another_frontier_is_not_searched() {
        let (session, folder) = folder_of("forged-frontier", "aida:pdb=1.2.3.4/5.6.7.8,tt=0");
        let path = folder.round_path(folder.round().unwrap().snapshot.threshold);
        let sound = fs::read(&path).unwrap();
        let run = || search(&session, &folder, 0);
        for (place, value) in [
            ("/snapshot/roots/checksum", json!(1)),
            ("/snapshot/roots/nodes", json!(1000)),
            ("/snapshot/roots/nodes", json!(1)),
            ("/snapshot/roots/wanted", json!(u64::MAX)),
        ] {
            forge(&Format::ROUND, &path, place, &value);
            let refused = run();
            assert!(matches!(refused, Err(FolderError::Damaged { .. })), "{place}: {refused:?}");
            fs::write(&path, &sound).unwrap();
        }
        assert!(matches!(run(), Ok(PartOutcome::Done { .. })));
        fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn the_progress_of_a_part_is_never_replaced_by_one_with_less_in_it() {
        let (_, folder) = folder("less-progress");
        let stored = folder.round().unwrap();
        let progress = |units: std::ops::Range<usize>| {
            let tally = Tally::default();
            let mut snapshot = serde_json::to_value(&stored.snapshot).unwrap();
            snapshot["done"] = units.clone().map(|unit| json!([4 * unit, tally])).collect();
            let snapshot = serde_json::from_value(snapshot).unwrap();
            PartJournal { round: stored.id.clone(), part: 0, snapshot, seconds: units.end as f64 }
        };
        for (units, expected) in
            [(0..1, (1, 1.0)), (0..3, (3, 3.0)), (0..2, (3, 3.0)), (5..7, (5, 7.0))]
        {
            folder.write_part(&stored, progress(units)).unwrap();
            let saved = folder.progress(&stored, 0).unwrap().unwrap();
            assert_eq!((saved.snapshot.units_done(), saved.seconds), expected);
            assert!(folder.result(&stored, 0).unwrap().is_none());
        }
        // With its last unit it becomes the result.
        let units = stored.snapshot.units().unwrap().div_ceil(4);
        folder.write_part(&stored, progress(2..units)).unwrap();
        assert_eq!(folder.result(&stored, 0).unwrap().unwrap().snapshot.units_done(), units);
        assert!(folder.progress(&stored, 0).unwrap().is_none());
        fs::remove_dir_all(folder.path()).unwrap();
    }
}
