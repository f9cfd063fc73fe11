//! A last line of defence: results that rest on tables are compared with what is known without them.
//!
//! The checks cost next to nothing. They cannot prove that a table is right, but a table that is wrong
//! in many places, or a file that was changed while it was in use, does not get past them. A result
//! that contradicts itself is replaced by a report that claims nothing.
//!
//! An engine that trusts its estimates finds only solutions that fit them, so these say little about
//! the tables. A solution that is constructed without tables says more: no estimate of a board on it
//! may exceed the number of moves that are left.

use std::sync::Arc;

use taquin_fast::layers;
use taquin_search::{Heuristic, Limits, Outcome};
use taquin_tables::whole::{Metric, SpaceTable};
use taquin_tables::{PatternSide, Patterns, ZeroAware};
use taquin_tiles::packed::{Layout, Tiles, Wide};
use taquin_tiles::{Board, Costs, Linear, Puzzle, Slide, is_reachable};

use crate::algorithm::Algorithm;
use crate::heuristic::Estimate;
use crate::report::{Ending, Hint, Reason, Report};
use crate::session::Session;
use crate::task::Task;

/// The tables that a result rests on.
#[derive(Default)]
struct UsedTables {
    patterns: Vec<Arc<Patterns>>,
    zero_aware: Vec<Arc<Patterns<ZeroAware>>>,
    spaces: Vec<Arc<SpaceTable>>,
    /// Whether tables without files were used.
    walking: bool,
}

impl Session {
    /// Returns the report of a task, or one that claims nothing if the report contradicts itself.
    pub(crate) fn without_contradiction(&self, task: &Task, report: Report) -> Report {
        let used = self.used_tables(task, &report);
        if used.patterns.is_empty() && used.spaces.is_empty() && !used.walking {
            return report;
        }
        let Some(fact) = contradiction(task, &report, &used) else { return report };
        // Whoever needs the tables next loads them again.
        self.tables.forget(task.puzzle.goal());
        let claims_nothing = Report::unsearched(task, Ending::Stopped, Reason::Contradiction);
        Report {
            counts: report.counts,
            seconds: report.seconds,
            stages: report.stages,
            notes: vec![fact],
            hints: vec![Hint::VerifyTables],
            ..claims_nothing
        }
    }

    fn used_tables(&self, task: &Task, report: &Report) -> UsedTables {
        let goal = task.puzzle.goal();
        let mut used = UsedTables::default();
        for stage in &report.stages {
            if stage.method.algorithm == Algorithm::Table {
                used.spaces.extend(self.tables.space(goal, stage.method.metric));
            }
            let Some(estimate) = &stage.method.estimate else { continue };
            used.walking |= estimate.names(&Estimate::Walking);
            let partitions = estimate.partitions().into_iter();
            used.patterns.extend(
                partitions.filter_map(|partition| self.tables.cached_patterns(partition, goal)),
            );
            let partitions = estimate.zero_aware_partitions().into_iter();
            used.zero_aware.extend(
                partitions.filter_map(|partition| self.tables.cached_zero_aware(partition, goal)),
            );
        }
        used
    }
}

/// Returns what is wrong with a result.
fn contradiction(task: &Task, report: &Report, used: &UsedTables) -> Option<String> {
    let databases = used.patterns.iter().flat_map(|patterns| patterns.sides());
    let zero_aware = used.zero_aware.iter().flat_map(|patterns| patterns.sides());
    let is_intact = databases.flat_map(PatternSide::databases).all(|table| table.is_intact())
        && zero_aware.flat_map(PatternSide::databases).all(|table| table.is_intact())
        && used.spaces.iter().all(|table| table.is_intact());
    if !is_intact {
        return Some("the file of a table was changed while it was in use".to_owned());
    }
    if report.outcome == Ending::Exhausted && is_reachable(&task.puzzle) {
        return Some("the puzzle is solvable, but no solution was found in the tables".to_owned());
    }
    if let Some(fact) = report.contradiction() {
        return Some(fact);
    }
    let is_plain = task.cost == Costs::Unit
        && !task.jumps
        && report.stages.iter().all(|stage| stage.method.metric == Metric::Single);
    is_plain.then(|| against_moves(&task.puzzle, report, used)).flatten()
}

/// Compares the claims about the number of moves with closed-form heuristics, and the estimates with
/// solutions: the one that was found, and for longer searches one that is constructed without them.
fn against_moves(puzzle: &Puzzle, report: &Report, used: &UsedTables) -> Option<String> {
    if let Some(moves) = &report.moves {
        let length = moves.len() as u32;
        let linear = Linear::new(puzzle, &Costs::Unit);
        let state = Wide::state(puzzle.start().tiles());
        let least = Heuristic::<Tiles<Wide>>::estimate(&linear, &state);
        if report.optimal && (length < least || length % 2 != parity(puzzle)) {
            return Some(format!("a solution of {length} moves is impossible"));
        }
        if let Some(fact) = against_solution(puzzle, moves, used) {
            return Some(fact);
        }
    }
    if report.moves.is_some() && report.counts.generated < LONG {
        return None;
    }
    let Outcome::Solved(constructed) = layers(puzzle, &Limits::default()).outcome else {
        return None;
    };
    let (bound, length) = (report.lower_bound.unwrap_or(0), constructed.cost);
    match bound > length {
        true => Some(format!(
            "the tables say that at least {bound} moves are needed, and {length} are enough"
        )),
        false => against_solution(puzzle, &constructed.actions, used),
    }
}

/// Searches that generate fewer nodes take about as long as constructing a solution.
const LONG: u64 = 100_000;

/// Compares the estimates of all boards of a solution with the moves that are left.
fn against_solution(puzzle: &Puzzle, moves: &[Slide], used: &UsedTables) -> Option<String> {
    let mut board = puzzle.start().clone();
    let mut moves = moves.iter();
    loop {
        let left = moves.len() as u32;
        let state = Wide::state(board.tiles());
        let patterns = used.patterns.iter();
        let estimates = patterns.map(|of| Heuristic::<Tiles<Wide>>::estimate(&**of, &state));
        let zero_aware = used.zero_aware.iter();
        let others = zero_aware.map(|of| Heuristic::<Tiles<Wide>>::estimate(&**of, &state));
        for estimate in estimates.chain(others) {
            if estimate > left {
                return Some(format!(
                    "the tables say that {board} needs at least {estimate} moves, and {left} are enough"
                ));
            }
        }
        board.slide(*moves.next()?).ok()?;
    }
}

/// Returns the parity of the length of every solution: each move changes the sum of the rows and
/// columns of the blanks by one.
fn parity(puzzle: &Puzzle) -> u32 {
    let sum = |board: &Board| -> usize {
        let cols = board.size().cols();
        board.blanks().map(|cell| usize::from(cell) / cols + usize::from(cell) % cols).sum()
    };
    (sum(puzzle.start()) + sum(puzzle.goal())) as u32 % 2
}
