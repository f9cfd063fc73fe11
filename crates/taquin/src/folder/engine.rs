//! The engine that searches the units of a folder's task.

use std::sync::Arc;

use taquin_search::{Limits, Monitor, Search};
use taquin_solvers::{FrontierOptions, Journal, Solver};
use taquin_tiles::Slide;

use super::FolderError;
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
    fn has_frontier(&self) -> bool {
        self.task.method.algorithm == Algorithm::Aida
    }

    /// Returns whether counts of parts do not depend on how the tree is divided.
    pub(super) fn has_exact_counts(&self) -> bool {
        !self.has_frontier() || self.task.method.tt == Some(0)
    }

    /// Fails if a table has changed: then everything that was computed with it is void.
    pub(super) fn check_tables(&self) -> Result<(), FolderError> {
        if self.session.tables.are_intact() { Ok(()) } else { Err(FolderError::Changed) }
    }

    /// Searches the journal's range. With a frontier, one thread may first look for a better
    /// solution.
    pub(super) fn search(
        &self,
        journal: &Journal<'_>,
        (threads, improves): (usize, bool),
        monitor: &Arc<Monitor>,
    ) -> Result<Search<Slide>, FolderError> {
        let start = self.task.puzzle.start();
        let monitor = Some(self.session.guarded(monitor));
        let limits = &Limits { monitor, ..Limits::default() };
        let search = match self.has_frontier() {
            true => {
                let options = FrontierOptions { table: self.task.method.tt, improves };
                self.solver.solve_from_frontier(start, threads, limits, options, Some(journal))
            }
            false => self.solver.solve_in_parts(start, threads, limits, journal),
        };
        self.check_tables()?;
        search.ok_or_else(|| refused(self.task))
    }
}
