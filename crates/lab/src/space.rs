//! What a space that is no puzzle takes from those that are: methods, limits and endings.

use std::sync::Arc;

use taquin::{Algorithm, Ending, Method, MethodError, Monitor, Reason, TaskLimits};
use taquin_search::{Limits, MethodSyntax, Outcome};

/// The methods by which a space can be searched.
pub(crate) struct Repertoire {
    pub(crate) algorithms: &'static [Algorithm],
    pub(crate) heuristics: &'static [&'static str],
    /// Whether a step is one of the four directions, so that their order is a field.
    pub(crate) has_moves: bool,
}

impl Repertoire {
    /// Reads a method, if it is one of these.
    pub(crate) fn read(&self, text: &str) -> Result<Method, MethodError> {
        let syntax = MethodSyntax::new(text)?;
        let named = |algorithm: &&Algorithm| algorithm.name() == syntax.name;
        let Some(algorithm) = self.algorithms.iter().find(named) else {
            let known = self.algorithms.iter().map(|algorithm| algorithm.name());
            return Err(syntax.unknown(syntax.name, "method", known));
        };
        if let Some(argument) = syntax.argument.filter(|_| algorithm.takes_estimate())
            && !self.heuristics.contains(&argument)
        {
            return Err(syntax.unknown(argument, "heuristic", self.heuristics.iter().copied()));
        }
        if let Some((field, _)) = syntax.fields.iter().find(|(field, _)| *field == "moves")
            && !self.has_moves
        {
            return Err(syntax.unknown(field, "field", algorithm.fields().into_iter()));
        }
        text.parse()
    }
}

/// The limits of a task, under a monitor.
pub(crate) fn limits(limits: &TaskLimits, monitor: &Arc<Monitor>) -> Limits {
    Limits {
        expanded: limits.expanded,
        generated: limits.generated,
        memory: limits.memory,
        time: limits.time(),
        monitor: Some(Arc::clone(monitor)),
    }
}

/// How a search ended, in the words of a report.
pub(crate) fn ending<A>(outcome: &Outcome<A>) -> (Ending, Option<Reason>) {
    match outcome {
        Outcome::Solved(_) => (Ending::Solved, None),
        Outcome::Exhausted => (Ending::Exhausted, None),
        Outcome::Stopped(stop) => (Ending::Stopped, Some((*stop).into())),
    }
}
