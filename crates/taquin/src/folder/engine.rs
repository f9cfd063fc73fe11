//! How the tree of a threshold is searched in parts: `ida` in subtrees, `aida` in shares of a frontier.

use std::sync::Arc;

use taquin_fast::{
    Cut, FrontierOptions, FrontierShare, Journal, SharePlace, Solver, SubtreeSearch, SweepCounts,
};
use taquin_search::{Cost, Limits, Monitor};
use taquin_tiles::{Notation, Slide, read_moves};

use super::FolderError;
use super::merge::{GROWTHS, USUAL_GROWTH};
use super::round::{Measured, Round, RoundCut, SUBTREES};
use crate::algorithm::Algorithm;
use crate::session::Session;
use crate::task::Task;

/// The engine for the task of a folder.
pub(super) struct FolderEngine<'a> {
    task: &'a Task,
    solver: Arc<Solver>,
    /// Has noted the tables.
    pub(super) session: Session,
}

impl Session {
    /// Returns the engine for the task of a folder.
    pub(super) fn folder_engine<'a>(
        &self,
        task: &'a Task,
        monitor: &Monitor,
    ) -> Result<FolderEngine<'a>, FolderError> {
        let session = self.for_search();
        let solver = session.solver_in_parts(task, monitor).ok_or_else(|| refused(task))??;
        Ok(FolderEngine { task, solver, session })
    }
}

fn refused(task: &Task) -> FolderError {
    FolderError::Method { method: task.method.to_string() }
}

impl FolderEngine<'_> {
    /// Returns whether counts of parts do not depend on how the tree is divided.
    pub(super) fn has_exact_counts(&self) -> bool {
        !self.has_frontier() || self.task.method.tt == Some(0)
    }

    fn has_frontier(&self) -> bool {
        self.task.method.algorithm == Algorithm::Aida
    }

    fn options(&self, improves: bool) -> FrontierOptions {
        FrontierOptions { table: self.task.method.tt, improves }
    }

    /// Fails if a table has changed: then everything that was computed with it is void.
    pub(super) fn check_tables(&self) -> Result<(), FolderError> {
        if self.session.tables.are_intact() { Ok(()) } else { Err(FolderError::Changed) }
    }

    /// Returns the first threshold.
    pub(super) fn estimate(&self) -> Result<Cost, FolderError> {
        self.solver.estimate(self.task.puzzle.start()).ok_or_else(|| refused(self.task))
    }

    /// Returns how many times as many nodes the next threshold is expected to have, from the nodes of
    /// the last two.
    pub(super) fn growth(&self, last: u64, before: u64) -> f64 {
        match before {
            // One process expects the same, and makes the same frontier.
            _ if self.has_frontier() => USUAL_GROWTH,
            0 => USUAL_GROWTH,
            _ => (last as f64 / before as f64).clamp(GROWTHS.0, GROWTHS.1),
        }
    }

    /// Searches the tree of a threshold, which has about `expected` nodes, as a whole. Returns its
    /// frontier as well, if it has one.
    pub(super) fn search(
        &self,
        (threshold, expected): (Cost, f64),
        threads: usize,
        limits: &Limits,
    ) -> Result<(SubtreeSearch, Option<Cut>), FolderError> {
        let start = self.task.puzzle.start();
        let tree = (threshold, expected as u64);
        if !self.has_frontier() {
            let searched = self.solver.search_subtree((start, &[]), tree, threads, limits, None);
            self.check_tables()?;
            return Ok((searched.ok_or_else(|| refused(self.task))?, None));
        }
        let (cut, above) = self.frontier(tree, threads, limits)?;
        let place = SharePlace { tree, cut, share: FrontierShare { number: 0, of: 1 } };
        let options = self.options(false);
        let searched = self.solver.search_share(start, place, threads, limits, options, None);
        self.check_tables()?;
        let mut searched = searched.and_then(Result::ok).expect("the same frontier is made again");
        searched.counts.add(&above);
        Ok((searched, Some(cut)))
    }

    /// Makes the frontier of a tree, and returns the counts of the nodes above it as well.
    fn frontier(
        &self,
        tree: (Cost, u64),
        threads: usize,
        limits: &Limits,
    ) -> Result<(Cut, SweepCounts), FolderError> {
        let cut = self.solver.cut_frontier(self.task.puzzle.start(), tree, threads, limits);
        self.check_tables()?;
        cut.ok_or_else(|| refused(self.task))?.map_err(|_| FolderError::Interrupted)
    }

    /// Cuts the tree of a threshold, which has about `expected` nodes, into at most `tasks` parts of
    /// similar size.
    pub(super) fn cut(
        &self,
        threshold: Cost,
        (tasks, expected): (usize, f64),
        measured: &Measured,
        limits: &Limits,
    ) -> Result<RoundCut, FolderError> {
        let start = self.task.puzzle.start();
        if self.has_frontier() {
            let threads = std::thread::available_parallelism().map_or(1, Into::into);
            let cut = self.frontier((threshold, expected as u64), threads, limits)?;
            return Ok(RoundCut::of_frontier(cut, (tasks, expected)));
        }
        let known = |path: &[Slide]| measured.below(path);
        let cut = self.solver.cut(start, threshold, (tasks * SUBTREES, expected), &known);
        self.check_tables()?;
        cut.and_then(|cut| RoundCut::of_subtrees(cut, start, tasks))
            .ok_or_else(|| refused(self.task))
    }

    /// Searches a subtree of a part. Fails with the reason if the tree does not have it.
    pub(super) fn search_part(
        &self,
        round: &Round,
        (part, subtree): (usize, usize),
        threads: usize,
        limits: &Limits,
        journal: &Journal<'_>,
    ) -> Result<SubtreeSearch, String> {
        let start = self.task.puzzle.start();
        let (moves, expected) = &round.parts[part][subtree];
        let journal = Some(journal);
        if let Some(cut) = round.frontier {
            let share = FrontierShare { number: part, of: round.parts.len() };
            let tree = (round.threshold, expected.saturating_mul(share.of as u64));
            let place = SharePlace { tree, cut, share };
            // One part also looks for a better solution.
            let options = self.options(part == 0);
            let searched =
                self.solver.search_share(start, place, threads, limits, options, journal);
            return searched.and_then(Result::ok).ok_or_else(|| {
                "this program makes another frontier than the program that wrote it".to_owned()
            });
        }
        let path = read_moves(moves, Some(Notation::Blank), start).ok();
        let searched = path.and_then(|path| {
            let size = (round.threshold, *expected);
            self.solver.search_subtree((start, &path), size, threads, limits, journal)
        });
        searched.ok_or_else(|| format!("the tree does not have the path {moves}"))
    }
}
