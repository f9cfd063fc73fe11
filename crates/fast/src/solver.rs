//! The engines behind one door.

use std::ops::ControlFlow;
use std::sync::Arc;

use taquin_search::{Limits, Search};
use taquin_tables::Patterns;
use taquin_tiles::{Board, Cell, MoveOrder, Slide};

use crate::automaton::Automaton;
use crate::deepen::{Each, deepen};
use crate::journal::Journal;
use crate::manhattan::Manhattan;
use crate::packed::{Bytes, Cells as _, Lane, lanes};
use crate::patterns;
use crate::prepared::Prepared;
use crate::watch::Watch;

/// What guides a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Estimate {
    /// The Manhattan distance.
    Manhattan,
    /// Pattern databases.
    Patterns(Arc<Patterns>),
}

/// In what one search differs from another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// The order in which a blank's moves are tried.
    pub moves: MoveOrder,
    /// How many threads to use. The answer and the counts are the same for any number.
    pub threads: usize,
    /// Sequences of up to so many moves are left out if a shorter or an earlier one leads to the
    /// same board. Two moves is what is usual, and what published counts have: the last move is not
    /// taken back. More finds the same solution with fewer nodes.
    pub prune: usize,
}

impl Options {
    /// Of longer sequences of moves none is left out.
    pub const MOST_PRUNED: usize = Automaton::LONGEST;
}

impl Default for Options {
    fn default() -> Self {
        Self { moves: MoveOrder::default(), threads: 1, prune: 2 }
    }
}

/// IDA* for one goal, with one blank: on at most 16 cells, and with databases on at most 25.
#[derive(Debug)]
pub struct Solver {
    goal: Board,
    homes: Vec<Cell>,
    options: Options,
    automaton: Automaton,
    guide: Guide,
}

/// What an engine is made of.
#[derive(Debug)]
enum Guide {
    Manhattan(Vec<Vec<Lane>>),
    Small(Arc<Patterns>, Prepared<u64>),
    Large(Arc<Patterns>, Prepared<Bytes>),
}

impl Solver {
    /// A solver for a goal, unless it or the estimate is not of the kind that is served here.
    pub fn new(goal: &Board, estimate: &Estimate, options: Options) -> Option<Self> {
        let size = goal.size();
        if size.cells() > Bytes::MOST || size.is_line() || goal.blanks().count() != 1 {
            return None;
        }
        let automaton = Automaton::new(size, options.moves, options.prune);
        let is_small = size.cells() <= u64::MOST;
        let guide = match estimate {
            Estimate::Manhattan if is_small => Guide::Manhattan(lanes::<u64>(size, &automaton)),
            Estimate::Patterns(patterns) if patterns.goal() == goal => {
                let patterns = Arc::clone(patterns);
                if is_small {
                    let prepared = Prepared::new(&patterns, &lanes::<u64>(size, &automaton))?;
                    Guide::Small(patterns, prepared)
                } else {
                    let prepared = Prepared::new(&patterns, &lanes::<Bytes>(size, &automaton))?;
                    Guide::Large(patterns, prepared)
                }
            }
            _ => return None,
        };
        let homes = goal.positions();
        Some(Self { goal: goal.clone(), homes, options, automaton, guide })
    }

    /// Finds a shortest solution, the first in the order of the moves; none if the start does not
    /// have the size and the tiles of the goal.
    pub fn solve(&self, start: &Board, limits: &Limits) -> Option<Search<Slide>> {
        self.search(start, limits, None, None)
    }

    /// Finds a shortest solution as [`solve`](Self::solve) does, and writes down how far it is, or
    /// goes on where it was interrupted.
    pub fn solve_in_parts(
        &self,
        start: &Board,
        limits: &Limits,
        journal: Journal<'_>,
    ) -> Option<Search<Slide>> {
        self.search(start, limits, None, Some(journal))
    }

    /// Finds all shortest solutions in the order of the moves, and tells each, until told to stop.
    pub fn solve_all(
        &self,
        start: &Board,
        limits: &Limits,
        mut each: impl FnMut(&[Slide]) -> ControlFlow<()>,
    ) -> Option<Search<Slide>> {
        self.search(start, limits, Some(&mut each), None)
    }

    fn search<'each>(
        &self,
        start: &Board,
        limits: &Limits,
        each: Option<Each<'each>>,
        journal: Option<Journal<'each>>,
    ) -> Option<Search<Slide>> {
        let blank = start.blanks().next()?;
        if start.size() != self.goal.size() || start.blanks().count() != 1 {
            return None;
        }
        let watch = Watch::new(limits);
        let state = self.automaton.start(blank);
        let threads = self.options.threads.max(1);
        Some(match &self.guide {
            Guide::Manhattan(lanes) => {
                let engine = Manhattan::new(lanes, start, &self.homes, state);
                deepen(&engine, threads, &watch, each, journal)
            }
            Guide::Small(patterns, prepared) => {
                let engine = patterns::Patterns::new(prepared, patterns, start, &self.homes, state);
                deepen(&engine, threads, &watch, each, journal)
            }
            Guide::Large(patterns, prepared) => {
                let engine = patterns::Patterns::new(prepared, patterns, start, &self.homes, state);
                deepen(&engine, threads, &watch, each, journal)
            }
        })
    }
}
