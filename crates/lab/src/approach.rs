//! How to search a space that is no puzzle: the methods of the one engine, spelled as everywhere.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use taquin::{Algorithm, Ending, MethodError, Monitor, MoveOrder, Policy, Reason, TaskLimits};
use taquin_search::{Limits, Outcome, Spelled};

/// An algorithm, its heuristic, and everything in which it may differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Approach {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The heuristic, where the algorithm takes one.
    pub heuristic: Option<&'static str>,
    /// How the engine chooses, tests and drops nodes.
    pub policy: Policy,
    /// The order in which steps are tried.
    pub moves: MoveOrder,
}

/// What a space can be searched with.
pub(crate) struct Repertoire {
    pub(crate) algorithms: &'static [Algorithm],
    /// The heuristics, the default first.
    pub(crate) heuristics: &'static [&'static str],
    /// Whether a step is one of the four directions, so that their order is a field.
    pub(crate) has_moves: bool,
}

impl Repertoire {
    pub(crate) fn read(&self, text: &str) -> Result<Approach, MethodError> {
        let spelled = Spelled::new(text)?;
        let named = |algorithm: &&Algorithm| algorithm.name() == spelled.name;
        let Some(&algorithm) = self.algorithms.iter().find(named) else {
            let known = self.algorithms.iter().map(|algorithm| algorithm.name());
            return Err(spelled.unknown(spelled.name, "method", known));
        };
        let heuristic = match (spelled.argument, algorithm.takes_estimate()) {
            (Some(argument), true) => {
                let named = self.heuristics.iter().find(|&&name| name == argument);
                Some(*named.ok_or_else(|| {
                    spelled.unknown(argument, "heuristic", self.heuristics.iter().copied())
                })?)
            }
            (Some(argument), false) => {
                let message = format!("{algorithm} takes no heuristic");
                return Err(spelled.error(argument, message, Some(format!("write {algorithm}"))));
            }
            (None, takes) => self.heuristics.first().copied().filter(|_| takes),
        };
        let mut policy = algorithm.policy();
        let mut moves = MoveOrder::default();
        let set_moves = |field: &str, value: &str| {
            (field == "moves" && self.has_moves).then(|| {
                moves = value.parse().map_err(|error| format!("{error}"))?;
                Ok(())
            })
        };
        let others: &[&str] = if self.has_moves { &["moves"] } else { &[] };
        spelled.set(&mut policy, &algorithm.fields(), set_moves, others)?;
        Ok(Approach { algorithm, heuristic, policy, moves })
    }
}

impl fmt::Display for Approach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.algorithm)?;
        if let Some(heuristic) = self.heuristic {
            write!(f, ":{heuristic}")?;
        }
        for (field, value) in self.policy.differences(&self.algorithm.policy()) {
            write!(f, ",{field}={value}")?;
        }
        match self.moves == MoveOrder::default() {
            true => Ok(()),
            false => write!(f, ",moves={}", self.moves),
        }
    }
}

impl Serialize for Approach {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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
