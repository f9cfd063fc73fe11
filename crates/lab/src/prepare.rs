//! Tables before the clock starts.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use taquin::{
    Algorithm, Board, Costs, Estimate, Method, Monitor, Partition, Session, TableError, TableEvent,
    Task,
};

/// Loads or builds the tables that many tasks need, each once.
#[derive(Debug)]
pub struct Preparation<'a> {
    session: &'a Session,
    prepared: Mutex<HashSet<(Board, Algorithm, Option<Estimate>)>>,
}

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
        let key = (goal.clone(), task.method.algorithm, task.method.estimate.clone());
        let prepared = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if prepared().contains(&key) {
            return Ok(());
        }
        match self.larger(task) {
            Some(method) => {
                self.session.prepare(&Task { method, ..task.clone() }, monitor, report)?;
            }
            None => self.session.prepare(task, monitor, report)?,
        }
        prepared().insert(key);
        Ok(())
    }

    /// The method whose tables `auto` would use if they were there.
    fn larger(&self, task: &Task) -> Option<Method> {
        let goal = task.puzzle.goal();
        let is_fifteen = goal.size().rows() == 4 && goal.size().cols() == 4;
        let fits = is_fifteen && goal.blanks().count() == 1 && task.cost == Costs::Unit;
        if task.method.algorithm != Algorithm::Auto || !fits || task.jumps {
            return None;
        }
        let named = |name: &str| name.parse::<Partition>().expect("a partition");
        let has_largest = self.session.has_tables(goal, &named("7-8"));
        let estimate = Estimate::Pdb(named("6-6-3"));
        (!has_largest).then(|| Method::new(Algorithm::Ida, Some(estimate)))
    }
}
