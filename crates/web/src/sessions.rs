//! The sessions that searches run in.
//!
//! A session keeps the tables of every goal that it has met. Whoever sends goal after goal must not
//! fill the memory, so a session that has met many is replaced; and tables for goals that nobody has
//! named are not kept on the disk.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use taquin::{Board, NamedGoal, Puzzle, Session};

/// The goals that a session may meet.
const GOALS: usize = 32;

/// A session for goals that have a name, and one for the others.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    named: Mutex<Option<Kept>>,
    others: Mutex<Option<Kept>>,
}

#[derive(Debug)]
struct Kept {
    session: Session,
    goals: HashSet<Board>,
}

impl Sessions {
    /// The session for a puzzle.
    pub(crate) fn of(&self, puzzle: &Puzzle) -> Session {
        let goal = puzzle.goal();
        let blanks = goal.blanks().count();
        let is_named = NamedGoal::ALL.iter().any(|name| name.board(goal.size(), blanks) == *goal);
        let (kept, new): (_, fn() -> Session) = match is_named {
            true => (&self.named, Session::new),
            false => (&self.others, Session::without_folder),
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_some_and(|kept| kept.goals.len() >= GOALS && !kept.goals.contains(goal))
        {
            *kept = None;
        }
        let Kept { session, goals } =
            kept.get_or_insert_with(|| Kept { session: new(), goals: HashSet::new() });
        goals.insert(goal.clone());
        session.clone()
    }
}
