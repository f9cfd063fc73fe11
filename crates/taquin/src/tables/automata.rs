//! The automata that prune move sequences.

use std::sync::Arc;

use taquin_search::{GoalTest, Undo};
use taquin_solvers::SolverOptions;
use taquin_tables::{Automaton, AutomatonPlan, AutomatonShape, BuildError};
use taquin_tiles::{Costs, MoveOrder};

use super::{Key, TableError, TableRequest, Tables};
use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::method::Method;
use crate::task::Task;

impl Tables {
    /// Loads or builds the automaton that a task prunes with, if that takes a long time and an
    /// engine for it may exist.
    pub(crate) fn prepare_automaton(
        &self,
        task: &Task,
        request: &mut TableRequest<'_>,
    ) -> Result<(), TableError> {
        let goal = task.puzzle.goal();
        let has_engine =
            |estimate: &Estimate| *estimate == Estimate::Manhattan || estimate.is_databases();
        let fits = goal.blanks().count() == 1 && task.method.estimate.iter().any(has_engine);
        let options = solver_options(task).filter(|_| fits);
        let shape = options.and_then(|options| options.automaton(goal.size()));
        match shape.filter(|shape| !shape.is_quick()) {
            Some(shape) => self.automaton(shape, request).map(drop),
            None => Ok(()),
        }
    }

    pub(super) fn automaton(
        &self,
        shape: AutomatonShape,
        request: &mut TableRequest<'_>,
    ) -> Result<Arc<Automaton>, TableError> {
        let monitor = request.monitor;
        self.get_or_make(&Key::Automaton(shape), monitor, || {
            // Strangers do not choose the files of a service.
            let is_usual = !self.named_goals_only || shape.order() == MoveOrder::default();
            let store = self.store.as_ref().filter(|_| is_usual && !shape.is_quick());
            let path = store.map(|store| store.automaton_path(shape));
            let allowed = request.memory;
            let automaton = self.build(path, request, |request| match store {
                Some(store) => store.load_or_build_automaton(shape, request),
                None if shape.is_quick() => Ok(Automaton::new(shape)),
                None => shape.build(&AutomatonPlan::of(shape), request),
            })?;
            let (longest, needed) = (shape.longest(), automaton.bytes());
            match allowed.filter(|&allowed| needed > allowed) {
                Some(allowed) => Err(BuildError::Automaton { longest, needed, allowed }.into()),
                None => Ok((Arc::new(automaton), needed)),
            }
        })
    }
}

/// The options for the specialised engine that does what a task requires, if one may exist.
pub(super) fn solver_options(task: &Task) -> Option<SolverOptions> {
    let Method { algorithm, policy, moves, prune, .. } = &task.method;
    let usual = match algorithm {
        Algorithm::Ida => policy.goal == GoalTest::Generation && policy.undo == Undo::Skip,
        Algorithm::Aida => true,
        _ => false,
    };
    (usual && task.cost == Costs::Unit && !task.jumps)
        .then_some(SolverOptions { moves: *moves, prune: *prune })
}
