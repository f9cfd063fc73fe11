//! A course's checks of a heuristic, as data: is it optimistic, and is it consistent?
//!
//! The first has a line for each board, the second one for each move. Both are in the order of the
//! tiles row by row, with the blank after the tiles.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;
use taquin::{
    Board, Cost, Method, Metric, Monitor, MoveOrder, Session, Slide, SpaceError, SpaceTableJob,
    Task, TaskLimits, Tile, Watch,
};

use super::{Wording, fill};
use crate::audit::{AuditError, to_itself};

/// The sentences of the checks, each a template.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Checks {
    /// The word for `{verdict}` if a condition holds.
    pub holds: String,
    /// The word for `{verdict}` if it does not.
    pub fails: String,
    /// Before the first check.
    pub optimistic: String,
    /// For each board.
    pub board: String,
    /// After the first check. `{not}` is "not " if a condition failed, and else empty.
    pub optimism: String,
    /// Before the second check.
    pub consistent: String,
    /// For each move.
    pub step: String,
    /// After the second check.
    pub consistency: String,
}

/// The keys of the checks in a course's file.
pub(super) const KEYS: [&str; 8] =
    ["holds", "fails", "optimistic", "board", "optimism", "consistent", "step", "consistency"];

/// The placeholders of a sentence.
pub(super) fn placeholders(sentence: &str) -> &'static [&'static str] {
    match sentence {
        "board" => &["verdict", "board", "h", "distance"],
        "step" => &["verdict", "board", "h", "next", "next_h"],
        "optimism" | "consistency" => &["not"],
        "optimistic" | "consistent" => &["heuristic"],
        _ => &[],
    }
}

impl Checks {
    /// The sentences by their keys.
    pub(super) fn sentences(&mut self) -> [(&'static str, &mut String); 8] {
        let Self { holds, fails, optimistic, board, optimism, consistent, step, consistency } =
            self;
        let sentences = [holds, fails, optimistic, board, optimism, consistent, step, consistency];
        let mut keys = KEYS.into_iter();
        sentences.map(|sentence| (keys.next().unwrap_or_default(), sentence))
    }
}

/// Every board from which a goal can be reached, with its distance and a heuristic's estimate.
#[derive(Debug)]
pub struct CheckedHeuristic {
    boards: BTreeMap<Name, (Board, Cost, Cost)>,
}

/// The tiles of a board, with the blank last in their order.
type Name = Vec<Tile>;

fn name(board: &Board) -> Name {
    // The blank becomes the greatest tile.
    board.tiles().iter().map(|tile| tile.wrapping_sub(1)).collect()
}

impl CheckedHeuristic {
    /// Estimates every board by the heuristic of a method. Moves cost 1.
    ///
    /// # Errors
    /// Fails if the heuristic cannot have its tables, or if a limit is reached first.
    pub fn of(
        session: &Session,
        method: &Method,
        goal: &Board,
        limits: &TaskLimits,
        monitor: &Arc<Monitor>,
    ) -> Result<Self, AuditError> {
        let task = Task::new(to_itself(goal), method.clone());
        session.with_intact_tables(goal, |session| {
            let evaluator = session.evaluator_of(&task)?;
            let job = SpaceTableJob { goal, metric: Metric::Single, limits };
            let table = session.run(job, Watch::by(monitor)).map_err(|error| match error {
                SpaceError::Stopped(stop) => AuditError::Stopped { boards: 0, reason: stop.into() },
                error => AuditError::Space(error),
            })?;
            let mut boards = BTreeMap::new();
            let _ = table.tour(|board, depth, _| {
                let known = (board.clone(), depth as Cost, evaluator.estimate(board));
                boards.insert(name(board), known);
                ControlFlow::Continue(())
            });
            Ok(Self { boards })
        })?
    }

    /// Writes both checks in the words of a course.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn write(
        &self,
        checks: &Checks,
        wording: &Wording,
        heuristic: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let named = |key: &str| (key == "heuristic").then(|| heuristic.to_owned());
        let verdict = |holds: bool| if holds { &checks.holds } else { &checks.fails }.clone();
        let concluded = |holds: bool| {
            move |key: &str| (key == "not").then(|| if holds { "" } else { "not " }.to_owned())
        };
        out.write_all(fill(&checks.optimistic, named).as_bytes())?;
        let mut all_hold = true;
        for (board, distance, h) in self.boards.values() {
            let holds = h <= distance;
            all_hold &= holds;
            let line = fill(&checks.board, |key| {
                Some(match key {
                    "verdict" => verdict(holds),
                    "board" => wording.board(board),
                    "h" => h.to_string(),
                    "distance" => distance.to_string(),
                    _ => return None,
                })
            });
            out.write_all(line.as_bytes())?;
        }
        out.write_all(fill(&checks.optimism, concluded(all_hold)).as_bytes())?;
        out.write_all(fill(&checks.consistent, named).as_bytes())?;
        all_hold = true;
        for (board, _, h) in self.boards.values() {
            for next in successors(board) {
                let Some((next, _, next_h)) = self.boards.get(&next) else { continue };
                let holds = *h <= next_h.saturating_add(1);
                all_hold &= holds;
                let line = fill(&checks.step, |key| {
                    Some(match key {
                        "verdict" => verdict(holds),
                        "board" => wording.board(board),
                        "next" => wording.board(next),
                        "h" => h.to_string(),
                        "next_h" => next_h.to_string(),
                        _ => return None,
                    })
                });
                out.write_all(line.as_bytes())?;
            }
        }
        out.write_all(fill(&checks.consistency, concluded(all_hold)).as_bytes())?;
        out.flush()
    }
}

/// The names of the boards one move away, in order.
fn successors(board: &Board) -> Vec<Name> {
    let slides = board
        .blanks()
        .flat_map(|blank| MoveOrder::default().moves().map(move |step| Slide { blank, step }));
    let mut names: Vec<Name> = slides
        .filter_map(|slide| {
            let mut next = board.clone();
            next.slide(slide).ok()?;
            Some(name(&next))
        })
        .collect();
    names.sort_unstable();
    names
}
