//! The files of a folder: how they are written, and when they are believed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use taquin_fast::SweepCounts;
use taquin_tables::replace_file;
use taquin_tiles::{Notation, read_moves, replay};

use super::round::StoredRound;
use super::{FolderError, FoundSolution, PartProgress, PartResult, TaskFolder};
use crate::sealed::{Seal, SealFault};

/// The format of a file.
pub(super) struct Format(Seal);

/// More bytes than a file of a folder has.
const MOST_BYTES: u64 = 1 << 32;

impl Format {
    pub(super) const TASK: Self = Self(Seal { name: "task", version: 1 });
    pub(super) const ROUND: Self = Self(Seal { name: "round", version: 1 });
    pub(super) const RESULT: Self = Self(Seal { name: "result", version: 1 });
    pub(super) const PROGRESS: Self = Self(Seal { name: "progress", version: 2 });
    pub(super) const SOLUTION: Self = Self(Seal { name: "solution", version: 1 });

    /// Reads a file, and returns its content and the checksum of it.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
        path: &Path,
    ) -> Result<(T, String), FolderError> {
        let Seal { name, version: known } = self.0;
        let bytes = self.0.load(path, MOST_BYTES);
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

/// What is wrong with numbers that a file has in spite of its checksum.
const IMPOSSIBLE: &str = "its numbers are impossible";

fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && seconds >= 0.0
}

impl TaskFolder {
    /// Reads a file of a part, if there is one, and returns its path as well. A file that `place` puts
    /// into another round or another part is refused.
    fn of_part<T: DeserializeOwned>(
        &self,
        format: &Format,
        (stored, part): (&StoredRound, usize),
        ending: &str,
        place: impl Fn(&T) -> (String, usize),
    ) -> Result<Option<(T, PathBuf)>, FolderError> {
        let path = self.part_path(stored.round.threshold, part, ending);
        let Some(content) = format.read_if_there(&path)? else { return Ok(None) };
        match place(&content) == (stored.id.clone(), part) {
            true => Ok(Some((content, path))),
            false => Err(format.other(&path)),
        }
    }

    /// Returns the result of a part, if it has one.
    pub(super) fn result(
        &self,
        stored: &StoredRound,
        part: usize,
    ) -> Result<Option<PartResult>, FolderError> {
        let round = &stored.round;
        let place = |result: &PartResult| (result.round.clone(), result.part);
        let Some((result, path)) = self.of_part(&Format::RESULT, (stored, part), "json", place)?
        else {
            return Ok(None);
        };
        let is_possible = |counts: &SweepCounts| counts.is_possible(round.threshold);
        if result.subtrees.len() != round.parts[part].len()
            || !result.subtrees.iter().all(is_possible)
            || !is_time(result.seconds)
        {
            return Err(Format::RESULT.damaged(&path, IMPOSSIBLE));
        }
        Ok(Some(result))
    }

    pub(super) fn write_result(
        &self,
        stored: &StoredRound,
        result: &PartResult,
    ) -> Result<(), FolderError> {
        let path = self.part_path(stored.round.threshold, result.part, "json");
        Format::RESULT.write(&path, result)
    }

    /// Returns how far a part was searched, if it was interrupted.
    pub(super) fn progress(
        &self,
        stored: &StoredRound,
        part: usize,
    ) -> Result<Option<PartProgress>, FolderError> {
        let round = &stored.round;
        let place = |progress: &PartProgress| (progress.round.clone(), progress.part);
        let Some((progress, path)) =
            self.of_part(&Format::PROGRESS, (stored, part), "saved", place)?
        else {
            return Ok(None);
        };
        let is_possible = |counts: &SweepCounts| counts.is_possible(round.threshold);
        let rest = round.parts[part]
            .get(progress.done.len())
            .and_then(|(moves, _)| round.threshold.checked_sub(moves.len() as u32));
        let fault = rest.map(|rest| progress.current.fault(rest, rest));
        if fault != Some(None)
            || progress.current.before != taquin_search::Counts::default()
            || !progress.done.iter().all(is_possible)
            || !is_time(progress.seconds)
        {
            return Err(Format::PROGRESS.damaged(&path, IMPOSSIBLE));
        }
        Ok(Some(progress))
    }

    pub(super) fn write_progress(
        &self,
        stored: &StoredRound,
        mut progress: PartProgress,
    ) -> Result<(), FolderError> {
        let path = self.part_path(stored.round.threshold, progress.part, "saved");
        if let Ok(Some(saved)) = self.progress(stored, progress.part) {
            progress = progress.unite(saved);
        }
        Format::PROGRESS.write(&path, &progress)
    }

    /// Returns the solution, if there is one: its moves lead to the goal, and there are as many as the
    /// threshold.
    pub(super) fn solution(
        &self,
        stored: &StoredRound,
    ) -> Result<Option<FoundSolution>, FolderError> {
        let StoredRound { round, id } = stored;
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
            moves.len() == round.threshold as usize
                && replay(puzzle.start(), &moves).as_ref() == Ok(puzzle.goal())
        });
        if !is_solution {
            let fact = format!("its moves are not a solution of length {}", round.threshold);
            return Err(Format::SOLUTION.damaged(&path, fact));
        }
        if solution.part >= round.parts.len()
            || !solution.counts.is_possible(round.threshold)
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
    use std::sync::Arc;

    use serde_json::{Value, json};
    use taquin_tiles::Board;

    use super::*;
    use crate::folder::{Merged, PartEnd, PartOptions, SplitOptions};
    use crate::session::Session;
    use crate::task::Task;

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
        session.split_task(&task, options, &path, &Arc::default()).unwrap();
        (session, TaskFolder::open(&path).unwrap())
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
        let StoredRound { round, id } = &stored;
        let solution = |round: &str, moves: &str| FoundSolution {
            round: round.to_owned(),
            part: 0,
            moves: moves.to_owned(),
            counts: SweepCounts::default(),
            seconds: 0.0,
        };
        let puzzle = &folder.task().puzzle;
        let limits = taquin_search::Limits::default();
        let constructed = taquin_fast::layers(puzzle, &limits).outcome;
        let taquin_search::Outcome::Solved(constructed) = constructed else { panic!("solvable") };
        let long = taquin_tiles::write_moves(&constructed.actions, puzzle.start(), Notation::Blank);
        let long = long.unwrap();
        assert!(long.len() > round.threshold as usize);
        let options = PartOptions { threads: 1, every: std::time::Duration::from_secs(30) };
        let mut warned = 0;
        for (round, moves) in [
            (&**id, &*long),
            (id, &long[..round.threshold as usize]),
            (id, ""),
            (id, "Q"),
            ("0", ""),
        ] {
            folder.write_solution(&solution(round, moves)).unwrap();
            assert!(!folder.is_solved().unwrap());
            let faults = std::sync::atomic::AtomicUsize::new(0);
            let warn =
                |_: &FolderError| _ = faults.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let end = session.run_part(&folder, 0, options, &Arc::default(), &warn).unwrap();
            assert!(matches!(end, PartEnd::Done { .. } | PartEnd::Known), "{end:?}");
            let merged = session.merge_parts(&folder, &Arc::default(), &|_| ()).unwrap();
            assert!(matches!(merged, Merged::Missing { .. }), "{merged:?}");
            warned += faults.into_inner();
        }
        assert_eq!(warned, 5);
        fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn numbers_that_are_impossible_are_refused_even_with_a_valid_checksum() {
        let (session, folder) = folder("forged-numbers");
        let stored = folder.round().unwrap();
        let threshold = stored.round.threshold;
        let options = PartOptions { threads: 1, every: std::time::Duration::from_secs(30) };
        session.run_part(&folder, 1, options, &Arc::default(), &|_| ()).unwrap();
        let result = folder.part_path(threshold, 1, "json");
        let sound = fs::read(&result).unwrap();
        for (place, value) in [
            ("/part", json!(0)),
            ("/round", json!("0")),
            ("/subtrees", json!([])),
            ("/subtrees/0/generated", json!(u64::MAX)),
            ("/subtrees/0/expanded", json!(u64::MAX)),
            ("/subtrees/0/deepest", json!(threshold + 1)),
            ("/subtrees/0/least_above", json!(threshold)),
            ("/subtrees/0/least_above", json!(threshold + 1)),
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
            ("/threshold", json!(threshold + 2)),
            ("/before/generated", json!(u64::MAX)),
            ("/above/deepest", json!(u64::MAX)),
            ("/parts/0/0/0", json!("X")),
            ("/parts/0/0/0", json!("U".repeat(threshold as usize + 1))),
            ("/parts", json!([[], [], [], [], []])),
        ] {
            forge(&Format::ROUND, &round, place, &value);
            assert!(folder.round().is_err(), "{place} {value}");
            fs::write(&round, &sound).unwrap();
        }
        // A path that the board does not have is found by whoever searches it.
        forge(&Format::ROUND, &round, "/parts/0/0/0", &json!("UDUD"));
        let refused = session.run_part(&folder, 0, options, &Arc::default(), &|_| ());
        assert!(matches!(refused, Err(FolderError::Damaged { .. })), "{refused:?}");
        forge(&Format::TASK, &folder.path().join("task.json"), "/tasks", &json!(0));
        assert!(TaskFolder::open(folder.path()).is_err());
        fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn a_share_of_another_frontier_is_not_searched() {
        let (session, folder) = folder_of("forged-frontier", "aida:pdb=1.2.3.4/5.6.7.8,tt=0");
        let path = folder.round_path(folder.round().unwrap().round.threshold);
        let sound = fs::read(&path).unwrap();
        let options = PartOptions { threads: 1, every: std::time::Duration::from_secs(30) };
        let run = || session.run_part(&folder, 0, options, &Arc::default(), &|_| ());
        for (place, value) in [
            ("/frontier/checksum", json!(1)),
            ("/frontier/nodes", json!(100)),
            ("/frontier/nodes", json!(1)),
            ("/frontier/wanted", json!(u64::MAX)),
            ("/parts/0/0/0", json!("U")),
        ] {
            forge(&Format::ROUND, &path, place, &value);
            let refused = run();
            assert!(matches!(refused, Err(FolderError::Damaged { .. })), "{place}: {refused:?}");
            fs::write(&path, &sound).unwrap();
        }
        assert!(matches!(run(), Ok(PartEnd::Done { .. })));
        fs::remove_dir_all(folder.path()).unwrap();
    }

    #[test]
    fn the_progress_of_a_part_is_never_replaced_by_one_with_less_in_it() {
        let (_, folder) = folder("less-progress");
        let stored = folder.round().unwrap();
        let progress = |done: usize| PartProgress {
            round: stored.id.clone(),
            part: 0,
            done: vec![SweepCounts::default(); done],
            current: taquin_fast::Snapshot::default(),
            seconds: done as f64,
        };
        for (done, expected) in [(1, 1), (3, 3), (2, 3), (0, 3), (4, 4)] {
            folder.write_progress(&stored, progress(done)).unwrap();
            let saved = folder.progress(&stored, 0).unwrap().unwrap();
            assert_eq!((saved.done.len(), saved.seconds), (expected, expected as f64));
        }
        fs::remove_dir_all(folder.path()).unwrap();
    }
}
