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

#[cfg(test)]
mod tests {
    use taquin::Size;

    use super::*;

    #[test]
    fn goal_after_goal_does_not_fill_the_memory() {
        let sessions = Sessions::default();
        let size = Size::new(3, 3).unwrap();
        let last = NamedGoal::Last.board(size, 1);
        let met =
            |kept: &Mutex<Option<Kept>>| kept.lock().unwrap().as_ref().map(|kept| kept.goals.len());
        sessions.of(&Puzzle::new(last.clone(), last.clone()).unwrap());
        assert_eq!((met(&sessions.named), met(&sessions.others)), (Some(1), None));
        for (a, b) in (0..9).flat_map(|a| (a + 1..9).map(move |b| (a, b))) {
            let goal = last.swapped(a, b);
            sessions.of(&Puzzle::new(last.clone(), goal).unwrap());
            assert!(met(&sessions.others) <= Some(GOALS));
        }
        assert_eq!(met(&sessions.named), Some(1));
        assert_eq!(met(&sessions.others), Some(36 - GOALS));
    }
}
