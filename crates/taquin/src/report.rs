//! The result of a task.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};
use taquin_search::{Cost, Counts, Heuristic, Improvement, Outcome, Search, Solution, Stop};
use taquin_tables::whole::Metric;
use taquin_tables::{Partition, PatternKind};
use taquin_tiles::packed::{Layout, Tiles, Wide};
use taquin_tiles::{
    Additive, Measure, MovesError, Notation, Puzzle, Slide, SlideError, read_moves, replay,
    write_moves,
};

use crate::algorithm::Algorithm;
use crate::method::Method;
use crate::task::Task;

/// The result of a task. Every front end shows the same fields.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "ReportJson<'static>")]
#[non_exhaustive]
pub struct Report {
    /// The puzzle.
    pub puzzle: Puzzle,
    /// The method, in full.
    pub method: Method,
    /// How it ended.
    pub outcome: Ending,
    /// Why it ended without a solution.
    pub reason: Option<Reason>,
    /// The cost of the solution.
    pub cost: Option<Cost>,
    /// The number of its moves.
    pub depth: Option<u64>,
    /// No solution costs less: this is proven.
    pub lower_bound: Option<Cost>,
    /// Whether the solution is proven to be optimal.
    pub optimal: bool,
    /// The solution's moves. In JSON they are text in the `notation`; with several blanks each has
    /// its tile.
    pub moves: Option<Vec<Slide>>,
    /// The notation of the moves in JSON.
    pub notation: Notation,
    /// The counts of all stages together.
    pub counts: Counts,
    /// The counts when the last layer or threshold began.
    pub before_last_bound: Option<Counts>,
    /// The time it took. Tables that the method needs are made before, and do not count.
    pub seconds: f64,
    /// The searches that were run, one after the other.
    pub stages: Vec<Stage>,
    /// Remarks for a reader, in plain words.
    pub notes: Vec<String>,
    /// Hints for the next search.
    pub hints: Vec<Hint>,
    /// The answers on the way to this one, each better than the one before, if it was improved.
    pub improvements: Vec<Improvement>,
}

/// The conclusion of a report about its puzzle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Conclusion<'a> {
    /// There is a solution.
    Solved {
        /// The moves.
        moves: &'a [Slide],
        /// Their cost.
        cost: Cost,
        /// Whether no solution costs less.
        is_optimal: bool,
    },
    /// There is none.
    Unsolvable,
    /// The search ended before there was an answer.
    Unknown {
        /// The limit, or another reason.
        reason: Option<Reason>,
        /// No solution costs less.
        lower_bound: Option<Cost>,
    },
}

impl Report {
    /// Returns the conclusion in one value, with only the fields that it has.
    ///
    /// ```
    /// use taquin::{Board, Conclusion};
    ///
    /// let board: Board = "123406758".parse()?;
    /// match taquin::solve(&board)?.conclusion() {
    ///     Conclusion::Solved { moves, is_optimal, .. } => assert!(moves.len() == 2 && is_optimal),
    ///     other => println!("{other:?}"),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conclusion(&self) -> Conclusion<'_> {
        match (self.outcome, &self.moves, self.cost) {
            (Ending::Unsolvable | Ending::Exhausted, ..) => Conclusion::Unsolvable,
            (Ending::Solved, Some(moves), Some(cost)) => {
                Conclusion::Solved { moves, cost, is_optimal: self.optimal }
            }
            _ => Conclusion::Unknown { reason: self.reason, lower_bound: self.lower_bound },
        }
    }
}

/// One of the searches that a method ran.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stage {
    /// The method.
    pub method: Method,
    /// Its counts.
    pub counts: Counts,
    /// The time it took.
    pub seconds: f64,
    /// How it ended.
    pub outcome: Ending,
    /// Whether an engine made for its heuristic ran it. Its times cannot be compared with times of
    /// the general engine, which visits every node by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub specialised: bool,
}

impl Stage {
    /// A stage of the general engine.
    ///
    /// ```
    /// # use taquin::{Counts, Ending, Method, Stage};
    /// assert!(!Stage::new(Method::default(), Counts::default(), 0.5, Ending::Solved).specialised);
    /// ```
    pub const fn new(method: Method, counts: Counts, seconds: f64, outcome: Ending) -> Self {
        Self { method, counts, seconds, outcome, specialised: false }
    }
}

/// An action that gives the user a better answer, or the same one sooner.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "hint", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Hint {
    /// Build larger pattern databases once: hard boards then take a fraction of the time.
    BuildTables {
        /// The databases.
        partition: Partition,
        /// Their kind. In JSON it is a flag for zero-aware ones.
        #[serde(default, rename = "zero_aware", with = "zero_aware")]
        #[serde(skip_serializing_if = "is_default")]
        kind: PatternKind,
    },
    /// Verify the table files: one of them may be wrong.
    VerifyTables,
}

mod zero_aware {
    use serde::{Deserialize, Deserializer, Serializer};
    use taquin_tables::PatternKind;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub(super) fn serialize<S: Serializer>(kind: &PatternKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(*kind == PatternKind::ZeroAware)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<PatternKind, D::Error> {
        let is_zero_aware = bool::deserialize(from)?;
        Ok(if is_zero_aware { PatternKind::ZeroAware } else { PatternKind::Plain })
    }
}

/// A report as JSON has it.
#[derive(Serialize, Deserialize)]
struct ReportJson<'a> {
    puzzle: Cow<'a, Puzzle>,
    method: Cow<'a, Method>,
    outcome: Ending,
    reason: Option<Reason>,
    cost: Option<Cost>,
    depth: Option<u64>,
    lower_bound: Option<Cost>,
    optimal: bool,
    moves: Option<String>,
    #[serde(default)]
    notation: Notation,
    counts: Counts,
    before_last_bound: Option<Counts>,
    seconds: f64,
    #[serde(default)]
    stages: Cow<'a, [Stage]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    notes: Cow<'a, [String]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    hints: Cow<'a, [Hint]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    improvements: Cow<'a, [Improvement]>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn is_empty<T: Clone>(list: &[T]) -> bool {
    list.is_empty()
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = ReportJson {
            puzzle: Cow::Borrowed(&self.puzzle),
            method: Cow::Borrowed(&self.method),
            outcome: self.outcome,
            reason: self.reason,
            cost: self.cost,
            depth: self.depth,
            lower_bound: self.lower_bound,
            optimal: self.optimal,
            moves: self.write_moves(self.notation),
            notation: self.notation,
            counts: self.counts,
            before_last_bound: self.before_last_bound,
            seconds: self.seconds,
            stages: Cow::Borrowed(&self.stages),
            notes: Cow::Borrowed(&self.notes),
            hints: Cow::Borrowed(&self.hints),
            improvements: Cow::Borrowed(&self.improvements),
        };
        written.serialize(serializer)
    }
}

impl TryFrom<ReportJson<'static>> for Report {
    type Error = MovesError;

    fn try_from(written: ReportJson<'static>) -> Result<Self, MovesError> {
        let start = written.puzzle.start();
        let read = |text: &str| read_moves(text, Some(written.notation), start);
        Ok(Self {
            moves: written.moves.as_deref().map(read).transpose()?,
            notation: written.notation,
            puzzle: written.puzzle.into_owned(),
            method: written.method.into_owned(),
            outcome: written.outcome,
            reason: written.reason,
            cost: written.cost,
            depth: written.depth,
            lower_bound: written.lower_bound,
            optimal: written.optimal,
            counts: written.counts,
            before_last_bound: written.before_last_bound,
            seconds: written.seconds,
            stages: written.stages.into_owned(),
            notes: written.notes.into_owned(),
            hints: written.hints.into_owned(),
            improvements: written.improvements.into_owned(),
        })
    }
}

/// How a task ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With a solution, proven optimal or not.
    Solved,
    /// Without a search: the goal cannot be reached.
    Unsolvable,
    /// By a complete search: the goal cannot be reached.
    Exhausted,
    /// By a limit.
    Stopped,
}

impl Ending {
    /// How a search ended, and why without a solution.
    pub fn of<A>(outcome: &Outcome<A>) -> (Self, Option<Reason>) {
        match outcome {
            Outcome::Solved(_) => (Self::Solved, None),
            Outcome::Exhausted => (Self::Exhausted, None),
            Outcome::Stopped(stop) => (Self::Stopped, Some((*stop).into())),
        }
    }
}

/// Why there is no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The parity of the permutation rules it out.
    Parity,
    /// Tiles on a line cannot pass each other.
    Order,
    /// The limit on expanded nodes.
    Expanded,
    /// The limit on generated nodes.
    Generated,
    /// The memory limit.
    Memory,
    /// The time limit.
    Time,
    /// It was interrupted.
    Cancelled,
    /// The depth limit.
    Depth,
    /// The beam was too narrow.
    Beam,
    /// A required table is unavailable.
    Tables,
    /// The path cost overflowed.
    Cost,
    /// The result contradicted itself: a table is wrong. Nothing is claimed.
    Contradiction,
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Expanded => Self::Expanded,
            Stop::Generated => Self::Generated,
            Stop::Memory => Self::Memory,
            Stop::Time => Self::Time,
            Stop::Cancelled => Self::Cancelled,
            Stop::Depth => Self::Depth,
            Stop::Beam => Self::Beam,
            _ => Self::Cost,
        }
    }
}

impl Report {
    /// The moves as text.
    pub fn write_moves(&self, notation: Notation) -> Option<String> {
        let moves = self.moves.as_ref()?;
        Some(write_moves(moves, self.puzzle.start(), notation).expect("a solution can be replayed"))
    }

    /// Returns what is wrong with a report whose claims contradict each other.
    ///
    /// ```
    /// let mut report = taquin::solve(&"1 2 3/4 0 6/7 5 8".parse()?)?;
    /// assert_eq!(report.contradiction(), None);
    /// report.cost = Some(1);
    /// assert!(report.contradiction().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contradiction(&self) -> Option<String> {
        let Self { puzzle, cost, depth, lower_bound, optimal, moves, .. } = self;
        let (Some(cost), Some(depth), Some(moves)) = (*cost, *depth, moves) else {
            let claims = self.outcome == Ending::Solved || *optimal || moves.is_some();
            return claims.then(|| "there is no solution with a cost and moves".to_owned());
        };
        if self.outcome != Ending::Solved {
            return Some("there is a solution, and there is none".to_owned());
        }
        if depth != moves.len() as u64 {
            return Some(format!("{} moves are called {depth}", moves.len()));
        }
        if replay(puzzle.start(), moves).as_ref() != Ok(puzzle.goal()) {
            return Some("the moves do not lead to the goal".to_owned());
        }
        let bound = lower_bound.unwrap_or(0);
        if bound > cost {
            return Some(format!(
                "every solution costs at least {bound}, but there is one that costs {cost}"
            ));
        }
        (*optimal && bound != cost).then(|| {
            format!("a solution that costs {cost} is called optimal, but the bound is {bound}")
        })
    }

    /// A report without a search.
    ///
    /// ```
    /// # use taquin::{Board, Ending, Reason, Report, Task};
    /// let task = Task::from("867254301".parse::<Board>()?);
    /// let report = Report::unsearched(&task, Ending::Stopped, Reason::Time);
    /// assert_eq!((report.reason, report.cost, report.optimal), (Some(Reason::Time), None, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unsearched(task: &Task, outcome: Ending, reason: impl Into<Option<Reason>>) -> Self {
        let found = SearchResult { outcome, reason: reason.into(), ..SearchResult::default() };
        Self::new(task, found, 0.0)
    }

    /// The report on the result. Manhattan distance is the bound if the search has proven none, or
    /// a smaller one.
    pub(crate) fn new(task: &Task, mut finding: SearchResult, seconds: f64) -> Self {
        let has_bound = matches!(finding.outcome, Ending::Solved | Ending::Stopped)
            && finding.reason != Some(Reason::Contradiction);
        // A metric of segments counts fewer moves.
        if has_bound && !finding.is_optimal() && task.method.metric == Metric::Single {
            finding.lower_bound = finding.lower_bound.max(manhattan(task));
        }
        let optimal = finding.is_optimal();
        let SearchResult { outcome, reason, solution, lower_bound, counts, before_last_bound } =
            finding;
        let cost = solution.as_ref().map(|solution| solution.cost);
        let moves = solution.map(|solution| solution.slides);
        Self {
            puzzle: task.puzzle.clone(),
            method: task.method.clone(),
            outcome,
            reason,
            cost,
            depth: moves.as_ref().map(|moves| moves.len() as u64),
            lower_bound: has_bound.then_some(lower_bound),
            optimal,
            moves,
            notation: Notation::default(),
            counts,
            before_last_bound,
            seconds,
            stages: Vec::new(),
            notes: Vec::new(),
            hints: Vec::new(),
            improvements: Vec::new(),
        }
    }
}

/// The Manhattan distance of a task's start.
fn manhattan(task: &Task) -> Cost {
    let distance = Additive::new(Measure::Manhattan, &task.puzzle, &task.cost);
    let start = Wide::state(task.puzzle.start().tiles());
    Heuristic::<Tiles<Wide>>::estimate(&distance, &start)
}

/// The findings of one or several searches, with the solution replayed.
#[derive(Clone, Debug)]
pub(crate) struct SearchResult {
    pub(crate) outcome: Ending,
    pub(crate) reason: Option<Reason>,
    pub(crate) solution: Option<ReplayedSolution>,
    pub(crate) lower_bound: Cost,
    pub(crate) counts: Counts,
    pub(crate) before_last_bound: Option<Counts>,
}

impl Default for SearchResult {
    /// Stopped by the time limit, with no solution and no bound.
    fn default() -> Self {
        Self {
            outcome: Ending::Stopped,
            reason: Some(Reason::Time),
            solution: None,
            lower_bound: 0,
            counts: Counts::default(),
            before_last_bound: None,
        }
    }
}

impl SearchResult {
    /// The findings of a search, with its solution replayed.
    pub(crate) fn new(task: &Task, search: Search<Slide>) -> Self {
        let Search { outcome, mut lower_bound, counts, before_last_bound } = search;
        let (mut ending, mut reason) = Ending::of(&outcome);
        let solution = match outcome {
            Outcome::Solved(Solution { actions, cost }) => {
                let solution = ReplayedSolution::new(task, actions);
                let is_right = |it: &ReplayedSolution| it.cost == cost || drops_jumps(task);
                // An engine that is wrong about its solution has proven nothing.
                if !solution.as_ref().is_some_and(is_right) {
                    lower_bound = 0;
                }
                if solution.is_none() {
                    (ending, reason) = (Ending::Stopped, Some(Reason::Contradiction));
                }
                solution
            }
            _ => None,
        };
        Self { outcome: ending, reason, solution, lower_bound, counts, before_last_bound }
    }

    /// Whether there is a solution and it is proven that none costs less.
    pub(crate) fn is_optimal(&self) -> bool {
        self.solution.as_ref().is_some_and(|solution| solution.cost == self.lower_bound)
    }
}

/// Whether moves of a blank onto another are left out: a tree search may have used them.
fn drops_jumps(task: &Task) -> bool {
    task.jumps && task.method.algorithm != Algorithm::Table
}

/// A solution that has been replayed.
#[derive(Clone, Debug)]
pub(crate) struct ReplayedSolution {
    slides: Vec<Slide>,
    cost: Cost,
}

impl ReplayedSolution {
    /// Replays a solution, and adds up its move costs. Returns `None` if it does not lead to the
    /// goal: an engine with a damaged table may confuse boards.
    pub(crate) fn new(task: &Task, mut slides: Vec<Slide>) -> Option<Self> {
        let size = task.puzzle.size();
        let costs = task.cost.of_tiles(size.cells());
        let mut board = task.puzzle.start().clone();
        let mut cost: Cost = 0;
        let (mut last, mut is_legal) = (None::<Slide>, true);
        slides.retain(|&slide| {
            let tile = match board.slide(slide) {
                Ok(tile) => tile,
                Err(SlideError::OntoBlank { .. }) if drops_jumps(task) => return false,
                Err(_) => {
                    is_legal = false;
                    return false;
                }
            };
            // If a segment slides as one, its blank continues in the same direction.
            let is_longer = task.method.metric == Metric::Multi
                && last.replace(slide).is_some_and(|last| {
                    (last.step, last.target(size)) == (slide.step, slide.blank)
                });
            let more = if is_longer { 0 } else { costs[usize::from(tile)] };
            cost = cost.saturating_add(more);
            true
        });
        (is_legal && board == *task.puzzle.goal()).then_some(Self { slides, cost })
    }

    pub(crate) fn slides(&self) -> &[Slide] {
        &self.slides
    }

    pub(crate) const fn cost(&self) -> Cost {
        self.cost
    }
}

#[cfg(test)]
mod tests {
    use taquin_tiles::{Board, Costs, Move};

    use super::*;

    #[test]
    fn the_cost_of_a_solution_is_that_of_its_moves_whatever_an_engine_says() {
        let start: Board = "1 2 3/4 0 6/7 5 8".parse().unwrap();
        let task = Task::from(start);
        let actions =
            vec![Slide { blank: 4, step: Move::Down }, Slide { blank: 7, step: Move::Right }];
        let found = |cost, actions: &[Slide]| {
            let outcome = Outcome::Solved(Solution { actions: actions.to_vec(), cost });
            let (counts, before_last_bound) = (Counts::default(), None);
            let search = Search { outcome, lower_bound: cost, counts, before_last_bound };
            Report::new(&task, SearchResult::new(&task, search), 0.0)
        };
        let right = found(2, &actions);
        assert_eq!((right.cost, right.lower_bound, right.optimal), (Some(2), Some(2), true));
        // The Manhattan distance is all that is proven.
        let wrong = found(4, &actions);
        assert_eq!((wrong.cost, wrong.lower_bound), (Some(2), Some(2)));
        let short = found(1, &actions[..1]);
        assert_eq!((short.cost, short.lower_bound, short.optimal), (None, None, false));
        assert_eq!((short.outcome, short.reason), (Ending::Stopped, Some(Reason::Contradiction)));
        // Tiles may have costs.
        let dear = Task { cost: Costs::Tile, ..task.clone() };
        assert_eq!(ReplayedSolution::new(&dear, actions).unwrap().cost(), 5 + 8);
    }
}
