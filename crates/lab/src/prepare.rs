//! Tables before the clock starts.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use taquin::{
    Algorithm, Board, Estimate, Method, Monitor, MoveOrder, Session, TableError, TableEvent, Task,
};

/// Loads or builds the tables that many tasks need, each once.
#[derive(Debug)]
pub struct Preparation<'a> {
    session: &'a Session,
    prepared: Mutex<HashSet<Needs>>,
}

/// What the tables of a task depend on.
type Needs = (Board, Algorithm, Option<Estimate>, MoveOrder, usize);

impl<'a> Preparation<'a> {
    /// Prepares the tables of a session.
    pub fn new(session: &'a Session) -> Self {
        Self { session, prepared: Mutex::default() }
    }

    /// Loads or builds the tables that a task needs, if no task before it has needed them. Many
    /// boards are worth larger databases than one: for `auto` on the 15-puzzle those of 6, 6 and 3
    /// tiles are built.
    ///
    /// # Errors
    /// Fails if the tables cannot be had.
    pub fn prepare(
        &self,
        task: &Task,
        monitor: &Monitor,
        report: &mut dyn FnMut(TableEvent<'_>),
    ) -> Result<(), TableError> {
        let goal = task.puzzle.goal();
        let Method { algorithm, estimate, moves, prune, .. } = &task.method;
        let key = (goal.clone(), *algorithm, estimate.clone(), *moves, *prune);
        let prepared = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if prepared().contains(&key) {
            return Ok(());
        }
        match self.session.method_for_many(task) {
            Some(method) => {
                self.session.prepare(&Task { method, ..task.clone() }, monitor, report)?;
            }
            None => self.session.prepare(task, monitor, report)?,
        }
        prepared().insert(key);
        Ok(())
    }
}
